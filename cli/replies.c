/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rdmatap/tracker.h>

#include "base/array.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/replies.h"

#define FIELD "rpc.reqframe"

struct collecting {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct replies *replies;
	size_t most;
};

bool replies_wanted(const struct options *options)
{
	for (size_t i = 0; options->form == VIEW_FIELDS && i < options->fields.column_count; i++)
		if (!strcmp(options->fields.columns[i].name, FIELD))
			return true;
	return options->display_filter && strstr(options->display_filter, FIELD);
}

static bool can_be_read_twice(const struct options *options)
{
	struct stat found;

	if (options->device)
		return false;
	for (size_t i = 0; i < options->input_count; i++)
		/* a missing file is reported when it is opened */
		if (!strcmp(options->inputs[i], "-") || (!stat(options->inputs[i], &found) && !S_ISREG(found.st_mode)))
			return false;
	return true;
}

static void add(struct collecting *collecting, uint64_t call, uint64_t reply)
{
	struct replies *replies = collecting->replies;
	struct rtap_reply *list = NULL;

	if (replies->count < replies->room || replies->room * 2 <= collecting->most)
		list = array_grow(replies->list, &replies->room, replies->count + 1, sizeof *list);
	if (!list) {
		replies->failed = collecting->reader.stop = true;
		return;
	}
	replies->list = list;
	replies->list[replies->count++] = (struct rtap_reply){ call, reply };
}

static void take(void *owner, struct rtap_frame *frame)
{
	struct collecting *collecting = owner;
	const struct rtap_packet *packet = reader_packet(&collecting->reader, frame);

	if (packet->rpc.present && packet->rpc.is_reply && packet->rpc.call_frame)
		add(collecting, packet->rpc.call_frame, frame->number);
}

/* By call, then by reply: of repeated replies the first is found. */
static int compare(const void *a, const void *b)
{
	const struct rtap_reply *one = a, *other = b;

	if (one->call_frame != other->call_frame)
		return one->call_frame < other->call_frame ? -1 : 1;
	return one->frame < other->frame ? -1 : one->frame > other->frame;
}

bool replies_collect(struct replies *replies, const struct options *options)
{
	struct collecting collecting = { .replies = replies, .most = (size_t)(options->max_memory / sizeof *replies->list) };
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory, .give_up_ns = options->give_up_ns, .dissect = &options->dissect,
	};
	struct options quietly = *options;
	bool done = false;

	if (!can_be_read_twice(options)) {
		print_error(FIELD " needs files that can be read twice: the reply comes after the call");
		return false;
	}
	/* all frames, counted before the filter */
	quietly.display_filter = NULL;
	quietly.progress = false;
	if (!reader_open(&collecting.reader, &quietly))
		goto out;
	if (rtap_tracker_open(&collecting.tracker, &tracking, NULL)) {
		print_error("out of memory");
		goto out;
	}
	reader_run(&collecting.reader, collecting.tracker, take, &collecting);
	if (replies->failed)
		print_error(FIELD ": too many calls for --max-memory");
	else if (replies->count)
		qsort(replies->list, replies->count, sizeof *replies->list, compare);
	done = !replies->failed && !collecting.reader.interrupted && !aborted;
	/* the second pass has not begun */
	if (done)
		interrupted = 0;
out:
	rtap_tracker_close(collecting.tracker);
	reader_close(&collecting.reader);
	return done;
}

void replies_fini(struct replies *replies)
{
	free(replies->list);
	*replies = (struct replies){ 0 };
}
