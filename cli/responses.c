/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include <rdmatap/live.h>
#include <rdmatap/writer.h>

#include "cli/cli.h"
#include "cli/print_error.h"
#include "cli/responses.h"

#define WAKE_MS 10

struct responses {
	struct rtap_source *source;
	struct rtap_series *file;
	uint64_t count;
	uint64_t unanswered; /* and other errors of the device */
};

static bool open_file(struct responses *responses, const char *name, uint32_t link_type, const struct account *account)
{
	struct rtap_series_options series = { .size = sizeof series, .link_type = link_type, .source = responses->source };
	struct rtap_error error;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	series.time_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	if (rtap_series_open(&responses->file, name, &series, &error) == RTAP_STATUS_OK &&
	    (!account->changes || rtap_series_hand_over(responses->file, account->user, account->group, &error) == RTAP_STATUS_OK))
		return true;
	print_error("%s", error.text);
	return false;
}

struct responses *responses_open(const char *device, uint32_t link_type, const char *file_name, const struct account *account)
{
	const struct rtap_live_options options = { .size = sizeof options, .wake_ms = WAKE_MS, .immediate = true };
	struct responses *responses = calloc(1, sizeof *responses);
	struct rtap_error error;

	if (link_type != RTAP_LINK_ERF) {
		print_error("-w: %s has no responses (only umad: has)", device);
	} else if (!responses) {
		print_error("out of memory");
	} else if (rtap_source_open_live(&responses->source, device, &options, &error) != RTAP_STATUS_OK) {
		print_error("%s", error.text);
	} else if (open_file(responses, file_name, link_type, account)) {
		return responses;
	}
	if (responses) {
		(void)!rtap_series_close(responses->file, NULL);
		rtap_source_close(responses->source);
	}
	free(responses);
	return NULL;
}

static bool write_batch(struct responses *responses, const struct rtap_batch *batch)
{
	struct rtap_error error;

	for (size_t i = 0; i < batch->count; i++) {
		if (rtap_series_write(responses->file, &batch->frames[i], &error) != RTAP_STATUS_OK) {
			print_error("%s", error.text);
			return false;
		}
		responses->count++;
	}
	return true;
}

bool responses_write(struct responses *responses, unsigned wait_ms)
{
	for (unsigned waited_ms = 0; !interrupted;) {
		struct rtap_batch *batch;
		struct rtap_error error;
		enum rtap_status status = rtap_source_read_batch(responses->source, &batch, &error);
		bool came = status == RTAP_STATUS_BROKEN || (status == RTAP_STATUS_OK && batch->count);
		bool written = status != RTAP_STATUS_OK || write_batch(responses, batch);

		if (status == RTAP_STATUS_OK)
			rtap_batch_release(batch);
		else if (status != RTAP_STATUS_END)
			print_error("%s", error.text);
		responses->unanswered += status == RTAP_STATUS_BROKEN;
		if (!written || status == RTAP_STATUS_FAILED)
			return false;
		waited_ms = came ? 0 : waited_ms + WAKE_MS;
		if (status == RTAP_STATUS_END || waited_ms > wait_ms)
			break;
	}
	return true;
}

bool responses_close(struct responses *responses)
{
	struct rtap_error error;
	struct rtap_count dropped;
	bool good;

	if (!responses)
		return true;
	dropped = rtap_source_interface(responses->source, 0)->dropped_here;
	if (dropped.known && dropped.value)
		print_error("%" COUNT " received and dropped because the file was written too slowly",
			 COUNTED(dropped.value, "packet was", "packets were"));
	printf("%" COUNT " received, %" COUNT " not answered\n", COUNTED(responses->count, "packet", "packets"),
	       COUNTED(responses->unanswered, "request", "requests"));
	good = rtap_series_close(responses->file, &error) == RTAP_STATUS_OK;
	rtap_source_close(responses->source);
	if (!good)
		print_error("%s", error.text);
	free(responses);
	return good;
}
