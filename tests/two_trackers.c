/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two trackers in two threads: they share nothing. Both read the same captures, with messages and operations of the upper layers, one of
 * them in the other order, so that each layer's state is at work beside another's and, in the middle, beside its own. For the thread
 * sanitizer, under which Criterion does not run.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <rdmatap/rdmatap.h>

#define CAPTURES (sizeof captures / sizeof captures[0])

static const struct {
	const char *path;
	const char *layer; /* of its operations; NULL: it has none */
} captures[] = {
	{ TESTDATA "/roce-rping-v4.pcap", NULL },
	{ TESTDATA "/roce-nfs3.pcap.gz", "nfs" },
	{ TESTDATA "/roce-nvmeof.pcap.gz", "nvme" },
	{ TESTDATA "/roce-srp.pcap.gz", "srp" },
	{ TESTDATA "/roce-iser.pcap.gz", "iser" },
	{ TESTDATA "/roce-rnbd.pcap.gz", "rnbd" },
	{ TESTDATA "/roce-rds.pcap", "rds" },
	{ TESTDATA "/conn_lnet.pcap", "lnet" },
	{ TESTDATA "/nccl-ring.pcap", "nccl" },
	{ TESTDATA "/iwarp-smbdirect.pcap.gz", "smb" },
	{ TESTDATA "/conn_smb.pcap", "smb" },
};

struct count {
	uint64_t frames, messages, operations;
	uint64_t of_layer; /* operations of the expected layer */
};

struct run {
	struct count counts[CAPTURES];
	bool reversed;
	size_t now; /* capture being read */
};

static void count_message(void *owner, const struct rtap_message *message)
{
	struct run *run = owner;

	(void)message;
	run->counts[run->now].messages++;
}

static void count_operation(void *owner, const struct rtap_operation *operation)
{
	struct run *run = owner;
	const char *layer = captures[run->now].layer;

	run->counts[run->now].operations++;
	if (layer && !strcmp(operation->layer, layer))
		run->counts[run->now].of_layer++;
}

static void track_capture(struct run *run)
{
	struct rtap_tracker_options options = { .size = sizeof options, .message = count_message, .operation = count_operation, .owner = run };
	const char *path = captures[run->now].path;
	struct rtap_tracker *tracker = NULL;
	struct rtap_source *source = NULL;
	struct rtap_packet *packet = NULL;
	struct rtap_batch *batch;
	struct rtap_error error;

	if (rtap_tracker_open(&tracker, &options, &error) == RTAP_STATUS_OK && rtap_packet_open(&packet, NULL, &error) == RTAP_STATUS_OK &&
	    rtap_source_open_files(&source, &path, 1, &error) == RTAP_STATUS_OK) {
		while (rtap_source_read_batch(source, &batch, &error) == RTAP_STATUS_OK) {
			for (size_t i = 0; i < batch->count; i++)
				rtap_tracker_frame(tracker, &batch->frames[i], packet);
			run->counts[run->now].frames += batch->count;
			rtap_batch_release(batch);
		}
		rtap_tracker_finish(tracker);
	}
	rtap_packet_close(packet);
	rtap_tracker_close(tracker);
	rtap_source_close(source);
}

static void *track(void *argument)
{
	struct run *run = argument;

	for (size_t i = 0; i < CAPTURES; i++) {
		run->now = run->reversed ? CAPTURES - 1 - i : i;
		track_capture(run);
	}
	return NULL;
}

static bool is_right(size_t i, const struct count *one, const struct count *other)
{
	if (one->frames && one->messages && one->frames == other->frames && one->messages == other->messages &&
	    one->operations == other->operations && one->of_layer == other->of_layer && (!captures[i].layer || one->of_layer))
		return true;
	printf("%s: %llu and %llu frames, %llu and %llu messages, %llu and %llu operations, %llu and %llu of %s\n", captures[i].path,
	       (unsigned long long)one->frames, (unsigned long long)other->frames, (unsigned long long)one->messages,
	       (unsigned long long)other->messages, (unsigned long long)one->operations, (unsigned long long)other->operations,
	       (unsigned long long)one->of_layer, (unsigned long long)other->of_layer, captures[i].layer ? captures[i].layer : "a layer");
	return false;
}

int main(void)
{
	static struct run runs[2] = { { .reversed = false }, { .reversed = true } };
	pthread_t threads[2];
	int status = 0;

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, track, &runs[i]))
			return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_join(threads[i], NULL))
			return 1;
	for (size_t i = 0; i < CAPTURES; i++)
		if (!is_right(i, &runs[0].counts[i], &runs[1].counts[i]))
			status = 1;
	if (runs[0].counts[0].frames != 101)
		status = 1;
	return status;
}
