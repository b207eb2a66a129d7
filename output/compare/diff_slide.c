/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <limits.h>

#include "output/compare/diff_names.h"
#include "output/compare/diff_slide.h"

#define NOTHING UINT32_MAX

/* Number of pairs before and after a gap that are checked for agreement. */
#define CONTEXT 16

/*
 * A gap of `size` lines of `wide`, before the line `at` of the other side, `narrow`. Until it is moved, lines of the narrow side before
 * it match those `shift` further in the wide one, and those after it match those `shift + size` further. This holds, with equal keys in
 * both cases, from `low` to before `high`. All numbers are indices in the lists of one lane.
 */
struct gap {
	int wide;
	int64_t at, size, shift, low, high;
};

struct sliding {
	const struct diff_slide *slide;
	int64_t counts[2];    /* of the lists */
	struct canon_numbers reported; /* last correspondence of names */
	int64_t effort;       /* work limit: pairs left to compare */
	bool failed, moved;
};

static const struct canon_line *line_at(const struct sliding *sliding, int side, int64_t place)
{
	return &sliding->slide->lines[side][sliding->slide->lists[side][place]];
}

/* The index of the matching line, or -1. */
static int64_t partner(const struct sliding *sliding, int side, int64_t place)
{
	uint32_t other = place >= 0 && place < sliding->counts[side] ? sliding->slide->of[side][sliding->slide->lists[side][place]] : NOTHING;
	uint32_t at = other == NOTHING ? NOTHING : sliding->slide->at[!side][other];

	return at < sliding->counts[!side] && sliding->slide->lists[!side][at] == other ? (int64_t)at : -1;
}

/* The next value of a line that is a name or a distance; advances `*at` past it. */
static bool next_named(const struct sliding *sliding, const char **at, const char *end, struct canon_token *token)
{
	while (canon_token_next(at, end, token)) {
		const struct canon_treated *treated = canon_treatment(sliding->slide->treatments, token->name, token->name_length);

		if (treated && (treated->treatment == CANON_COMPARE_NAME || treated->treatment == CANON_COMPARE_RELATIVE))
			return true;
	}
	return false;
}

/* Number of names of a pair of lines whose correspondence has changed. */
static unsigned disagreement(struct sliding *sliding, int wide, int64_t wide_at, int64_t narrow_at)
{
	const int64_t places[] = { wide ? narrow_at : wide_at, wide ? wide_at : narrow_at };
	const char *at[2], *end[2];
	struct canon_token tokens[2];
	unsigned found = 0;

	sliding->effort--;
	for (int side = 0; side < 2; side++) {
		const struct canon_line *line = line_at(sliding, side, places[side]);

		at[side] = sliding->slide->files[side]->text + line->offset;
		end[side] = at[side] + line->length;
		at[side] = canon_line_values(at[side], end[side]);
	}
	while (next_named(sliding, &at[0], end[0], &tokens[0]) && next_named(sliding, &at[1], end[1], &tokens[1])) {
		const char *a = tokens[0].value, *b = tokens[1].value;

		while (a && b) {
			struct diff_name left = diff_name_next(&a, tokens[0].value + tokens[0].value_length);
			struct diff_name right = diff_name_next(&b, tokens[1].value + tokens[1].value_length);
			uint64_t value = right.name ^ (right.offset - left.offset), *reported = canon_numbers_find(&sliding->reported, 0, left.name);

			found += reported && *reported != value;
			if (reported)
				*reported = value;
			else if (!canon_numbers_set(&sliding->reported, 0, left.name, value))
				sliding->failed = true;
		}
	}
	return found;
}

static void discard(struct sliding *sliding)
{
	canon_numbers_fini(&sliding->reported);
}

/* Disagreement of the line of the narrow side at `place` with the gap at `cut`. */
static unsigned disagreement_at(struct sliding *sliding, const struct gap *gap, int64_t place, int64_t cut)
{
	int64_t other;

	if (place < 0 || place >= sliding->counts[!gap->wide])
		return 0;
	if (place < gap->low || place >= gap->high)
		other = partner(sliding, !gap->wide, place);
	else
		other = place + gap->shift + (place < cut ? 0 : gap->size);
	return other < 0 ? 0 : disagreement(sliding, gap->wide, other, place);
}

/* Disagreement around a cut. */
static unsigned cost(struct sliding *sliding, const struct gap *gap, int64_t cut)
{
	unsigned sum = 0;

	discard(sliding);
	for (int64_t place = cut - CONTEXT; place < cut + CONTEXT; place++)
		sum += disagreement_at(sliding, gap, place, cut);
	return sum;
}

/* How far down the gap can move without disagreement before it. */
static int64_t latest(struct sliding *sliding, const struct gap *gap)
{
	int64_t place = gap->low;

	discard(sliding);
	for (int64_t before = gap->low - CONTEXT; before < gap->low; before++)
		(void)disagreement_at(sliding, gap, before, gap->high);
	while (place < gap->high && sliding->effort > 0 && !disagreement_at(sliding, gap, place, gap->high))
		place++;
	return place;
}

/* How far up it can move without disagreement after it. */
static int64_t earliest(struct sliding *sliding, const struct gap *gap)
{
	int64_t place = gap->high;

	discard(sliding);
	for (int64_t after = gap->high + CONTEXT; after-- > gap->high;)
		(void)disagreement_at(sliding, gap, after, gap->low);
	while (place > gap->low && sliding->effort > 0 && !disagreement_at(sliding, gap, place - 1, gap->low))
		place--;
	return place;
}

static void move(struct sliding *sliding, const struct gap *gap, int64_t cut)
{
	const struct diff_slide *slide = sliding->slide;
	uint32_t *wide = slide->lists[gap->wide], *narrow = slide->lists[!gap->wide];

	for (int64_t place = gap->low; place < gap->high + gap->size; place++)
		slide->of[gap->wide][wide[place + gap->shift]] = NOTHING;
	for (int64_t place = gap->low; place < gap->high; place++) {
		uint32_t other = wide[place + gap->shift + (place < cut ? 0 : gap->size)];

		slide->of[!gap->wide][narrow[place]] = other;
		slide->of[gap->wide][other] = narrow[place];
	}
}

/* Whether the line of the narrow side at `place` equals this one of the wide side in at least the degree in which it equals its match. */
static bool may_stand_for(const struct sliding *sliding, const struct gap *gap, int64_t place, int64_t wide_place)
{
	int64_t other = partner(sliding, !gap->wide, place);
	const uint64_t *wide, *narrow, *matched;
	int key = CANON_KEY_ALL;

	if (other < 0 || wide_place < 0 || wide_place >= sliding->counts[gap->wide])
		return false;
	wide = line_at(sliding, gap->wide, wide_place)->keys;
	narrow = line_at(sliding, !gap->wide, place)->keys;
	matched = line_at(sliding, gap->wide, other)->keys;
	while (key < CANON_KEY_CLASS && narrow[key] != matched[key] && narrow[key] != wide[key])
		key++;
	return narrow[key] == wide[key];
}

/* How far the gap can move: the lines it passes must equal their new matches, apart from names, as much as the previous ones. */
static void measure(struct sliding *sliding, struct gap *gap)
{
	gap->low = gap->high = gap->at;
	while (sliding->effort > 0 && partner(sliding, !gap->wide, gap->low - 1) == gap->low - 1 + gap->shift &&
	       may_stand_for(sliding, gap, gap->low - 1, gap->low - 1 + gap->shift + gap->size)) {
		gap->low--;
		sliding->effort--;
	}
	while (sliding->effort > 0 && partner(sliding, !gap->wide, gap->high) == gap->high + gap->shift + gap->size &&
	       may_stand_for(sliding, gap, gap->high, gap->high + gap->shift)) {
		gap->high++;
		sliding->effort--;
	}
}

/* True: the gap was moved. */
static bool slide_gap(struct sliding *sliding, struct gap gap)
{
	int64_t cuts[3];
	unsigned least = UINT_MAX;
	int best = 0;

	measure(sliding, &gap);
	if (gap.low == gap.high)
		return false;
	cuts[1] = latest(sliding, &gap);
	cuts[2] = earliest(sliding, &gap);
	/* not moved if its place is possible */
	cuts[0] = cuts[2] <= gap.at && gap.at <= cuts[1] ? gap.at : cuts[1];
	for (int i = 0; i < 3 && least; i++) {
		unsigned sum = cost(sliding, &gap, cuts[i]);

		if (sum < least) {
			least = sum;
			best = i;
		}
	}
	/* several lines removed individually have no common position */
	if (cuts[best] == gap.at || (gap.size > 1 && least))
		return false;
	move(sliding, &gap, cuts[best]);
	sliding->moved = true;
	return true;
}

/* Slides the gaps of one side in a lane: each as a whole or, if that fails, its lines individually. */
static void slide_side(struct sliding *sliding, int wide)
{
	int64_t before = -1; /* match of the last matched line */
	int64_t begin = 0, end;

	while (begin < sliding->counts[wide] && sliding->effort > 0) {
		bool moved = false;

		for (end = begin; end < sliding->counts[wide] && partner(sliding, wide, end) < 0;)
			end++;
		if (end > begin)
			moved = slide_gap(sliding, (struct gap){ .wide = wide, .at = before + 1, .size = end - begin, .shift = begin - before - 1 });
		for (int64_t one = begin; !moved && end - begin > 1 && one < end; one++)
			(void)slide_gap(sliding, (struct gap){ .wide = wide, .at = before + 1, .size = 1, .shift = one - before - 1 });
		for (end += end == begin; begin < end; begin++)
			if (partner(sliding, wide, begin) >= 0)
				before = partner(sliding, wide, begin);
	}
}

static void list_lane(struct sliding *sliding, int side, int lane)
{
	const struct diff_slide *slide = sliding->slide;

	sliding->counts[side] = 0;
	for (size_t i = 0; i < slide->counts[side]; i++)
		if (slide->order || slide->lines[side][i].lane == lane) {
			slide->at[side][i] = (uint32_t)sliding->counts[side];
			slide->lists[side][sliding->counts[side]++] = (uint32_t)i;
		}
}

int diff_slide(const struct diff_slide *slide)
{
	struct sliding sliding = { .slide = slide, .effort = 4 * (int64_t)(slide->counts[0] + slide->counts[1]) + 4096 };

	for (int lane = 0; lane < (slide->order ? 1 : CANON_LANES); lane++) {
		list_lane(&sliding, 0, lane);
		list_lane(&sliding, 1, lane);
		slide_side(&sliding, 0);
		slide_side(&sliding, 1);
	}
	discard(&sliding);
	return sliding.failed ? -ENOMEM : sliding.moved;
}
