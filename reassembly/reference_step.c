/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "reassembly/reference_step.h"

/* Samples before a step of the difference and after it, in which the step of the reference is looked for. */
#define NEAR 64
/*
 * A clock that is set forward looks like a pause during which the other clock was set back. Smaller steps do not matter: packets are still
 * found by their copies. The pause of the other file must be shorter than one part in PAUSE_PART of the step.
 */
#define LEAST_FORWARD_NS INT64_C(1000000000)
#define PAUSE_PART 16

/* A packet as captured by the reference. */
struct captured {
	uint64_t frame;
	int64_t time_ns;
};

static int compare(const void *left, const void *right)
{
	const struct captured *one = left, *other = right;

	return one->frame != other->frame ? one->frame < other->frame ? -1 : 1 : 0;
}

/* The longest pause of the measured file in these samples. */
static int64_t longest_pause_ns(const struct clock_sample *samples, size_t count)
{
	int64_t longest_ns = 0, pause_ns;

	for (size_t i = 1; i < count; i++) {
		if (__builtin_sub_overflow(samples[i].time_ns, samples[i - 1].time_ns, &pause_ns))
			return INT64_MAX;
		if (pause_ns > longest_ns)
			longest_ns = pause_ns;
	}
	return longest_ns;
}

/* Finds the two packets between which the clock of the reference stepped by about this much. */
static bool find_between(struct captured *captured, size_t count, int64_t set_ns, struct reference_step *step)
{
	int64_t most_ns = 0;

	qsort(captured, count, sizeof *captured, compare);
	for (size_t i = 1; i < count; i++) {
		int64_t passed_ns;

		if (__builtin_sub_overflow(captured[i].time_ns, captured[i - 1].time_ns, &passed_ns) ||
		    (set_ns < 0 ? passed_ns >= most_ns : passed_ns <= most_ns))
			continue;
		most_ns = passed_ns;
		*step = (struct reference_step){ captured[i - 1].frame, captured[i].frame, captured[i].time_ns, set_ns };
	}
	if (!most_ns || (set_ns > 0 && most_ns < set_ns - set_ns / PAUSE_PART))
		return false;
	/* a line fitted to few packets can be far off */
	if (set_ns < 0 && (most_ns > set_ns / 2 || most_ns < set_ns * 2))
		step->set_ns = most_ns;
	return true;
}

/* Near the first sample after a step of the difference. */
static bool find_near(const struct clock_sample *samples, size_t count, int64_t set_ns, struct reference_step *step)
{
	struct captured captured[2 * NEAR];
	size_t found = 0;

	if (!set_ns || (set_ns > 0 && (set_ns < LEAST_FORWARD_NS || longest_pause_ns(samples, count) >= set_ns / PAUSE_PART)))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!__builtin_sub_overflow(samples[i].time_ns, samples[i].after_ns, &captured[found].time_ns))
			captured[found++].frame = samples[i].other_frame;
	return find_between(captured, found, set_ns, step);
}

bool reference_step_find(const struct clock_sample *samples, size_t count, const struct clock_piece *pieces, size_t piece_count,
			 struct reference_step *step)
{
	size_t at = 0;

	for (size_t i = 1; i < piece_count; i++) {
		size_t begin;
		int64_t set_ns;

		while (at < count && samples[at].frame < pieces[i].first_frame)
			at++;
		if (at == count)
			break;
		begin = at < NEAR ? 0 : at - NEAR;
		if (!__builtin_sub_overflow(clock_piece_ahead_ns(&pieces[i - 1], samples[at].time_ns),
					    clock_piece_ahead_ns(&pieces[i], samples[at].time_ns), &set_ns) &&
		    find_near(samples + begin, at - begin + (count - at < NEAR ? count - at : NEAR), set_ns, step))
			return true;
	}
	return false;
}

/* The times of the reference from a step on change by as much, and so does the lead of the measured clock. */
static void shift(struct clock_sample *samples, size_t count, uint64_t from_frame, uint64_t to_frame, int64_t set_ns)
{
	for (size_t i = 0; i < count; i++) {
		int64_t after_ns;

		if (samples[i].other_frame >= from_frame && samples[i].other_frame < to_frame &&
		    !__builtin_add_overflow(samples[i].after_ns, set_ns, &after_ns))
			samples[i].after_ns = after_ns;
	}
}

/* Other packets can place a known step more exactly. */
static bool tighten(const struct reference_step *step, struct clock_piece *pieces, size_t piece_count, struct clock_sample *samples, size_t count)
{
	for (size_t i = 1; i < piece_count; i++) {
		struct clock_piece *piece = &pieces[i];
		uint64_t first_frame = piece->first_frame;

		if (step->first_frame <= piece->after_frame || step->first_frame >= first_frame)
			continue;
		piece->first_frame = piece->unclear_to = step->first_frame;
		if (step->after_frame > piece->after_frame)
			piece->after_frame = piece->unclear_from = step->after_frame;
		shift(samples, count, step->first_frame, first_frame, piece->ahead_ns - piece[-1].ahead_ns);
		return true;
	}
	return false;
}

bool reference_step_apply(const struct reference_step *step, struct clock_piece pieces[CLOCK_PIECES], size_t *piece_count,
			  struct clock_sample *samples, size_t count)
{
	const struct clock_piece *last = *piece_count ? &pieces[*piece_count - 1] : NULL;
	struct clock_piece next = {
		.after_frame = step->after_frame, .first_frame = step->first_frame, .unclear_from = step->after_frame,
		.unclear_to = step->first_frame, .time_ns = step->time_ns,
	};

	if (tighten(step, pieces, *piece_count, samples, count))
		return true;
	if (*piece_count == CLOCK_PIECES || (last && step->after_frame < last->first_frame) ||
	    __builtin_add_overflow(last ? last->ahead_ns : 0, step->set_ns, &next.ahead_ns))
		return false;
	if (!last)
		pieces[(*piece_count)++] = (struct clock_piece){ .first_frame = 0 };
	pieces[(*piece_count)++] = next;
	shift(samples, count, step->first_frame, UINT64_MAX, step->set_ns);
	return true;
}
