/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two trackers in two threads, each with a capture of its own: they share nothing. For the thread sanitizer, under which
 * Criterion does not run.
 */
#include <pthread.h>
#include <stdio.h>

#include <rdmatap/rdmatap.h>

struct run {
	const char *path;
	uint64_t frames, messages;
};

static void count_message(void *owner, const struct rtap_message *message)
{
	(void)message;
	((struct run *)owner)->messages++;
}

static void *track(void *argument)
{
	struct run *run = argument;
	struct rtap_tracker_options options = { .size = sizeof options, .message = count_message, .owner = run };
	struct rtap_tracker *tracker = NULL;
	struct rtap_source *source = NULL;
	struct rtap_packet *packet = NULL;
	struct rtap_batch *batch;
	struct rtap_error error;

	if (rtap_tracker_open(&tracker, &options, &error) != RTAP_STATUS_OK || rtap_packet_open(&packet, NULL, &error) != RTAP_STATUS_OK ||
	    rtap_source_open_files(&source, &run->path, 1, &error) != RTAP_STATUS_OK)
		return NULL;
	while (rtap_source_read_batch(source, &batch, &error) == RTAP_STATUS_OK) {
		for (size_t i = 0; i < batch->count; i++) {
			rtap_tracker_frame(tracker, &batch->frames[i], packet);
			run->frames++;
		}
		rtap_batch_release(batch);
	}
	rtap_tracker_finish(tracker);
	rtap_packet_close(packet);
	rtap_tracker_close(tracker);
	rtap_source_close(source);
	return NULL;
}

int main(void)
{
	struct run runs[2] = { { .path = TESTDATA "/roce-rping-v4.pcap" }, { .path = TESTDATA "/roce-rping-v4.pcap" } };
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, track, &runs[i]))
			return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_join(threads[i], NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		if (runs[i].frames != 101 || !runs[i].messages || runs[i].messages != runs[0].messages) {
			printf("%llu frames, %llu messages\n", (unsigned long long)runs[i].frames, (unsigned long long)runs[i].messages);
			return 1;
		}
	return 0;
}
