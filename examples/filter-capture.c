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

static enum rtap_status save_matches(const struct rtap_batch *batch, struct rtap_tracker *tracker, const struct rtap_filter *filter,
				     struct rtap_writer *writer, unsigned long *saved, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	for (size_t i = 0; i < batch->count && status == RTAP_STATUS_OK; i++) {
		struct rtap_packet packet;

		/* rtap_dissect() would do for filters that need nothing from earlier packets */
		rtap_tracker_frame(tracker, &batch->frames[i], &packet);
		if (!rtap_filter_match(filter, &packet))
			continue;
		status = rtap_writer_write(writer, &batch->frames[i], error);
		*saved += status == RTAP_STATUS_OK;
	}
	return status;
}

static enum rtap_status copy(struct rtap_source *source, struct rtap_tracker *tracker, const struct rtap_filter *filter,
			     struct rtap_writer *writer, struct rtap_error *error)
{
	unsigned long saved = 0;
	enum rtap_status status;
	struct rtap_batch *batch;

	while ((status = rtap_source_read_batch(source, &batch, error)) == RTAP_STATUS_OK) {
		status = save_matches(batch, tracker, filter, writer, &saved, error);
		rtap_batch_release(batch);
		if (status != RTAP_STATUS_OK)
			break;
	}
	if (status == RTAP_STATUS_END)
		printf("%lu packets saved\n", saved);
	return status;
}

int main(int argc, char **argv)
{
	struct rtap_tracker_options options = { .size = sizeof options, .max_memory = UINT64_C(64) << 20 };
	struct rtap_writer_options writing = { .size = sizeof writing, .link_type = RTAP_LINK_ETHERNET };
	struct rtap_tracker *tracker = NULL;
	struct rtap_source *source = NULL;
	struct rtap_filter *filter = NULL;
	struct rtap_writer *writer = NULL;
	struct rtap_error error;
	enum rtap_status status = RTAP_STATUS_FAILED;

	if (argc != 4)
		rtap_error_set(&error, RTAP_ERROR_INVALID, "usage: filter-capture FILTER IN OUT");
	else
		status = rtap_tracker_open(&tracker, &options, &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_filter_compile(&filter, argv[1], NULL, &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_source_open_files(&source, (const char *const *)&argv[2], 1, &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_writer_open(&writer, argv[3], &writing, &error);
	if (status == RTAP_STATUS_OK)
		status = copy(source, tracker, filter, writer, &error);
	/* report the first error */
	if (rtap_writer_close(writer, status == RTAP_STATUS_END ? &error : NULL) != RTAP_STATUS_OK)
		status = RTAP_STATUS_FAILED;
	if (status != RTAP_STATUS_END)
		fprintf(stderr, "filter-capture: %s\n", error.text);
	rtap_source_close(source);
	rtap_filter_destroy(filter);
	rtap_tracker_close(tracker);
	return status == RTAP_STATUS_END ? EXIT_SUCCESS : EXIT_FAILURE;
}
