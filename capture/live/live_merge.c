/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/live/live_merge.h"
#include "capture/live/live_signal.h"

#define NS_A_MS 1000000
#define HOLD_NS (50 * NS_A_MS) /* maximum wait of a frame for earlier ones of other devices: longer than the kernel buffers them */
#define HOLD_PART 4            /* the wait ends when 1/4 of its device's queue is full */
#define SKEW_NS (10 * NS_A_MS) /* smaller clock differences are not corrected: frames need up to this time to arrive */
#define MOST_WAIT_MS 100       /* poll interval if the reader sets no limit, to notice the end of all devices */

struct member {
	struct live *live;
	struct batch *batch;     /* its next frames; NULL: none are known */
	size_t next;             /* frame in it */
	int64_t read_ns;         /* when the batch was read; monotonic clock */
	int64_t correction_ns;   /* added to its time stamps */
	bool kept;               /* the batch being filled holds it */
	bool ended;
};

struct live_merge {
	struct member *members;
	size_t count;
	struct live_signal signal; /* raised when any device has frames */
	struct batch_pool *pool;   /* borrowed, like the metadata */
	struct source_metadata *metadata;
	struct numbering numbering;
	unsigned wake_ms;
	enum rtap_status pending;  /* BROKEN, FAILED: to be returned after the frames before it, with the error */
	struct rtap_error pending_error;
	struct rtap_error news;    /* BROKEN is to be returned; no text: none */
	int64_t last_ns;         /* time of the last frame delivered */
	uint64_t late;           /* frames delivered after later ones of other devices */
	bool noted;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

enum rtap_status live_merge_open(struct live_merge **merge, const char *const *names, size_t count, const struct rtap_live_options *options,
				 struct batch_pool *pool, struct source_metadata *metadata, struct rtap_error *error)
{
	struct live_merge *opened = calloc(1, sizeof *opened);
	struct rtap_live_options own = *options;
	enum rtap_status status = RTAP_STATUS_OK;

	*merge = NULL;
	if (opened)
		opened->members = calloc(count, sizeof *opened->members);
	if (!opened || !opened->members || !live_signal_init(&opened->signal)) {
		if (opened)
			free(opened->members);
		free(opened);
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	opened->pool = pool;
	opened->metadata = metadata;
	opened->wake_ms = options->wake_ms;
	opened->last_ns = INT64_MIN;
	/* frames are examined here */
	own.counts_only = false;
	own.written_as = NULL;
	for (size_t i = 0; i < count && !status; i++) {
		status = live_open(&opened->members[i].live, names[i], &own, pool, metadata, error);
		if (status)
			break;
		opened->count++;
		live_set_signal(opened->members[i].live, &opened->signal);
	}
	if (status) {
		live_merge_close(opened);
		return status;
	}
	*merge = opened;
	return RTAP_STATUS_OK;
}

static bool have_all_ended(const struct live_merge *merge)
{
	for (size_t i = 0; i < merge->count; i++)
		if (!merge->members[i].ended || merge->members[i].batch)
			return false;
	return true;
}

#define SKEW_TEXT 96

/* "37.000 s ahead of the host's" */
static void skew_text(int64_t correction_ns, char text[SKEW_TEXT])
{
	snprintf(text, SKEW_TEXT, "%.3f s %s the host's", (correction_ns < 0 ? -(double)correction_ns : (double)correction_ns) / 1e9,
		 correction_ns < 0 ? "ahead of" : "behind");
}

/*
 * Corrects the time stamps of a device whose clock differs from the host's, by the arrival times of its frames, so that all
 * devices have one clock.
 */
static void correct_clock(struct live_merge *merge, struct member *member)
{
	char text[SKEW_TEXT];
	int64_t lag_ns;

	if (!live_lag(member->live, &lag_ns) || llabs(lag_ns - member->correction_ns) <= SKEW_NS)
		return;
	member->correction_ns = llabs(lag_ns) <= SKEW_NS ? 0 : lag_ns;
	skew_text(member->correction_ns, text);
	if (member->correction_ns)
		rtap_error_set(&merge->news, RTAP_ERROR_EVENT,
			       "%s: its clock is %s, by the arrival of its frames: their time stamps are corrected accordingly",
			       live_name(member->live), text);
	else
		rtap_error_set(&merge->news, RTAP_ERROR_EVENT, "%s: its clock agrees with the host's again: time stamps are no longer corrected",
			       live_name(member->live));
}

/* Reads the available frames of a device. BROKEN: an error to report, which may have ended the device. */
static enum rtap_status read_member(struct live_merge *merge, struct member *member, struct rtap_error *error)
{
	uint32_t interface = live_interface(member->live);
	enum rtap_status status = live_read_present(member->live, &member->batch, error);

	member->ended = status == RTAP_STATUS_END || status == RTAP_STATUS_FAILED;
	if (status == RTAP_STATUS_END)
		return RTAP_STATUS_OK;
	if (status)
		return status == RTAP_STATUS_FAILED && have_all_ended(merge) ? RTAP_STATUS_FAILED : RTAP_STATUS_BROKEN;
	if (member->batch && !member->batch->shared.count) {
		rtap_batch_release(&member->batch->shared);
		member->batch = NULL;
	}
	if (!member->batch)
		return RTAP_STATUS_OK;
	batch_unpack(member->batch);
	correct_clock(merge, member);
	for (size_t i = 0; i < member->batch->shared.count; i++) {
		member->batch->frames[i].interface = interface;
		member->batch->frames[i].time_ns += member->correction_ns;
	}
	member->next = 0;
	member->read_ns = now_ns();
	return RTAP_STATUS_OK;
}

static enum rtap_status read_members(struct live_merge *merge, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	for (size_t i = 0; i < merge->count && !status; i++)
		if (!merge->members[i].batch && !merge->members[i].ended)
			status = read_member(merge, &merge->members[i], error);
	return status;
}

static int64_t time_of(const struct member *member)
{
	return member->batch->frames[member->next].time_ns;
}

/* The device with the earliest frame; NULL: no frames. *awaited: another device may still deliver an earlier frame. */
static struct member *earliest(struct live_merge *merge, bool *awaited)
{
	struct member *found = NULL;

	*awaited = false;
	for (size_t i = 0; i < merge->count; i++) {
		struct member *member = &merge->members[i];

		if (member->batch && (!found || time_of(member) < time_of(found)))
			found = member;
		*awaited |= !member->batch && !member->ended;
	}
	return found;
}

/* Whether the next frame of the device need not wait for those of others. */
static bool is_due(const struct member *member, bool awaited)
{
	return !awaited || now_ns() - member->read_ns >= HOLD_NS || live_is_filled(member->live, HOLD_PART);
}

static bool take_frame(struct live_merge *merge, struct member *member, struct batch *batch)
{
	struct rtap_frame *frame = &member->batch->frames[member->next];

	if (!member->kept && !batch_keep(batch, &member->batch->shared))
		return false;
	member->kept = true;
	if (frame->time_ns < merge->last_ns)
		merge->late++;
	else
		merge->last_ns = frame->time_ns;
	batch->frames[batch->shared.count++] = *frame;
	if (++member->next < member->batch->shared.count)
		return true;
	rtap_batch_release(&member->batch->shared);
	member->batch = NULL;
	member->kept = false;
	return true;
}

/* Fills the batch with due frames. */
static enum rtap_status fill(struct live_merge *merge, struct batch *batch, struct rtap_error *error)
{
	enum rtap_status status = read_members(merge, error);
	struct member *member;
	bool awaited;

	while (!status && batch->shared.count < BATCH_FRAMES && (member = earliest(merge, &awaited)) && is_due(member, awaited)) {
		if (!take_frame(merge, member, batch)) {
			rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
			return RTAP_STATUS_FAILED;
		}
		if (!member->batch && !member->ended)
			status = read_member(merge, member, error);
	}
	for (size_t i = 0; i < merge->count; i++)
		merge->members[i].kept = false;
	return status;
}

static void note_clock(struct live_merge *merge, const struct member *member)
{
	char skew[SKEW_TEXT], text[256];

	skew_text(member->correction_ns, skew);
	snprintf(text, sizeof text,
		 "its clock was %s at the end: its time stamps are corrected by that, to within the time that frames needed to arrive", skew);
	(void)!source_metadata_add_note(merge->metadata, live_name(member->live), (const uint8_t *)text, strlen(text));
}

/* At the end. Losing a note for lack of memory is harmless. */
static void take_notes(struct live_merge *merge)
{
	char text[192];

	if (merge->noted)
		return;
	merge->noted = true;
	for (size_t i = 0; i < merge->count; i++)
		if (merge->members[i].correction_ns)
			note_clock(merge, &merge->members[i]);
	if (!merge->late)
		return;
	snprintf(text, sizeof text,
		 "%" PRIu64 " frames came more than %d ms after later ones of other devices, or their clocks differ: they are not in order",
		 merge->late, HOLD_NS / NS_A_MS);
	(void)!source_metadata_add_note(merge->metadata, "several sources", (const uint8_t *)text, strlen(text));
}

/* Time to wait for a frame, or until a waiting frame is due. */
static unsigned wait_ms(const struct live_merge *merge, int64_t deadline_ns)
{
	int64_t now = now_ns(), until = deadline_ns;

	for (size_t i = 0; i < merge->count; i++)
		if (merge->members[i].batch && merge->members[i].read_ns + HOLD_NS < until)
			until = merge->members[i].read_ns + HOLD_NS;
	return until > now ? (unsigned)((until - now + NS_A_MS - 1) / NS_A_MS) : 0;
}

enum rtap_status live_merge_read(struct live_merge *merge, struct batch **batch, struct rtap_error *error)
{
	int64_t deadline_ns = now_ns() + (int64_t)(merge->wake_ms ? merge->wake_ms : MOST_WAIT_MS) * NS_A_MS;
	struct batch *filled = batch_get(merge->pool);
	enum rtap_status status;

	*batch = NULL;
	if (!filled) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	status = merge->pending;
	if (status || merge->news.text[0]) {
		*error = status ? merge->pending_error : merge->news;
		if (!status)
			merge->news.text[0] = '\0';
		merge->pending = RTAP_STATUS_OK;
		status = status ? status : RTAP_STATUS_BROKEN;
		rtap_batch_release(&filled->shared);
		return status;
	}
	do {
		unsigned seen = live_signal_count(&merge->signal);

		status = fill(merge, filled, error);
		if (!status && !filled->shared.count && have_all_ended(merge))
			status = RTAP_STATUS_END;
		if (status || filled->shared.count || now_ns() >= deadline_ns)
			break;
		live_signal_wait(&merge->signal, seen, wait_ms(merge, deadline_ns));
	} while (true);
	if (filled->shared.count) {
		numbering_take(&merge->numbering, &filled->shared, merge->metadata->time_digits);
		merge->pending = status;
		if (status)
			merge->pending_error = *error;
		status = RTAP_STATUS_OK;
	}
	if (status)
		rtap_batch_release(&filled->shared);
	else
		*batch = filled;
	source_metadata_set_counters(merge->metadata, &merge->numbering);
	if (status == RTAP_STATUS_END)
		take_notes(merge);
	return status;
}

void live_merge_read_counts(const struct live_merge *merge, size_t index, struct rtap_interface *counts)
{
	live_read_counts(merge->members[index].live, counts);
}

void live_merge_stop(struct live_merge *merge)
{
	for (size_t i = 0; i < merge->count; i++)
		live_stop(merge->members[i].live);
}

bool live_merge_needs_privileges(const struct live_merge *merge)
{
	bool needs = false;

	for (size_t i = 0; i < merge->count; i++)
		needs |= live_needs_privileges(merge->members[i].live);
	return needs;
}

void live_merge_close(struct live_merge *merge)
{
	if (!merge)
		return;
	for (size_t i = 0; i < merge->count; i++) {
		if (merge->members[i].batch)
			rtap_batch_release(&merge->members[i].batch->shared);
		live_close(merge->members[i].live);
	}
	live_signal_fini(&merge->signal);
	free(merge->members);
	free(merge);
}
