/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saves the packets of a capture that pass a display filter: filters, batches, writing.
 *
 *	cc filter-capture.c $(pkg-config --cflags --libs rdmatap) -o filter-capture
 *	./filter-capture FILTER IN OUT
 */
#include <stdio.h>
#include <stdlib.h>

#include <rdmatap/rdmatap.h>

struct copy {
	struct rtap_tracker *tracker;
	struct rtap_source *source;
	struct rtap_filter *filter;
	struct rtap_packet *packet;
	struct rtap_writer *writer;
	unsigned long saved;
};

static enum rtap_status save_matches(struct copy *copy, const struct rtap_batch *batch, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	for (size_t i = 0; i < batch->count && status == RTAP_STATUS_OK; i++) {
		/* rtap_dissect() would do for filters that need nothing from earlier packets */
		rtap_tracker_frame(copy->tracker, &batch->frames[i], copy->packet);
		if (!rtap_filter_match(copy->filter, copy->packet))
			continue;
		status = rtap_writer_write(copy->writer, &batch->frames[i], error);
		copy->saved += status == RTAP_STATUS_OK;
	}
	return status;
}

static enum rtap_status copy_all(struct copy *copy, struct rtap_error *error)
{
	enum rtap_status status;
	struct rtap_batch *batch;

	while ((status = rtap_source_read_batch(copy->source, &batch, error)) == RTAP_STATUS_OK) {
		status = save_matches(copy, batch, error);
		rtap_batch_release(batch);
		if (status != RTAP_STATUS_OK)
			break;
	}
	if (status == RTAP_STATUS_END)
		printf("%lu packets saved\n", copy->saved);
	return status;
}

int main(int argc, char **argv)
{
	struct rtap_tracker_options options = { .size = sizeof options, .max_memory = UINT64_C(64) << 20 };
	struct rtap_writer_options writing = { .size = sizeof writing, .link_type = RTAP_LINK_ETHERNET };
	struct copy copy = { .saved = 0 };
	struct rtap_error error;
	enum rtap_status status = RTAP_STATUS_FAILED;

	if (argc != 4)
		rtap_error_set(&error, RTAP_ERROR_INVALID, "usage: filter-capture FILTER IN OUT");
	else
		status = rtap_tracker_open(&copy.tracker, &options, &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_packet_open(&copy.packet, NULL, &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_filter_open(&copy.filter, argv[1], &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_source_open_files(&copy.source, (const char *const *)&argv[2], 1, &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_writer_open(&copy.writer, argv[3], &writing, &error);
	if (status == RTAP_STATUS_OK)
		status = copy_all(&copy, &error);
	/* report the first error */
	if (rtap_writer_close(copy.writer, status == RTAP_STATUS_END ? &error : NULL) != RTAP_STATUS_OK)
		status = RTAP_STATUS_FAILED;
	if (status != RTAP_STATUS_END)
		fprintf(stderr, "filter-capture: %s\n", error.text);
	rtap_source_close(copy.source);
	rtap_filter_close(copy.filter);
	rtap_packet_close(copy.packet);
	rtap_tracker_close(copy.tracker);
	return status == RTAP_STATUS_END ? EXIT_SUCCESS : EXIT_FAILURE;
}
