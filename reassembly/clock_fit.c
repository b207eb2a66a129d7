/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reassembly/clock_fit.h"
#include "reassembly/clock_lines.h"

#define NS 1e9
/* Upper limit of the drift of computer clocks. */
#define MOST_DRIFT 1e-3
/* The same for two oscillators of network equipment, 100 ppm each. A larger drift is considered only where no smaller one fits. */
#define USUAL_DRIFT 2e-4
/* Upper limit of the transit time of a network, used if all packets have one direction. */
#define NETWORK_NS 1000000
/* This many packets of one direction that no line allows show that the clock was set; fewer are mismatched retransmissions. */
#define MOST_VIOLATIONS 4
/* A step smaller than the transit times can go unnoticed this close to an end of a piece: number of packets of each direction. */
#define END_SAMPLES 256
/* An uncertainty below this one grows for that at most so far: more samples do not confirm the clock instead. */
#define MOST_WIDENED_NS 950000
/* Number of samples on either side of a step that may lie between two steps. */
#define NEAR_STEP 32
/* Assumed minimum imprecision of time stamps, in seconds. */
#define LEAST_TOLERANCE 1e-6
#define MOST_TOLERANCE 2e-3
#define FEW_PIECES 4
/* An unusual drift is as likely as this many steps of a clock with a usual drift. */
#define STEPS_FOR_DRIFT 2
/* A drift larger than this is as likely as at most half of it with as many more steps. */
#define DOUBTED_DRIFT 5e-5
/* Another drift is more likely than none if it allows this many times as many lines. */
#define FEWER_LINES 4

/* The samples of one piece, and the lines that they allow. */
struct extent {
	size_t begin, end;
	size_t certain;            /* the samples before this one may belong to the piece before, and exclude no lines */
	struct clock_lines allowed;
};

/* Packets of one direction outside of all lines. */
struct violations {
	size_t samples[MOST_VIOLATIONS]; /* indexes */
	unsigned count;
};

/* One fit. */
struct fit {
	const struct clock_sample *samples;
	size_t count;
	double tolerance, most_drift;
	bool later;                /* packets whose from_higher is this were captured by the measured clock after the other one */
	bool is_one_way;           /* all packets have the same direction, and count as later ones */
};

static double seconds(int64_t from_ns, int64_t to_ns)
{
	return ((double)to_ns - (double)from_ns) / NS;
}

/* Times of one piece are relative to its first sample, which keeps nanoseconds. */
static double elapsed(int64_t from_ns, int64_t to_ns)
{
	int64_t elapsed_ns;

	return __builtin_sub_overflow(to_ns, from_ns, &elapsed_ns) ? seconds(from_ns, to_ns) : (double)elapsed_ns / NS;
}

/* The width of the range of allowed lines with this drift. */
static double width_at(const struct clock_lines *allowed, double drift)
{
	double least, most;

	clock_lines_at(allowed, drift, &least, &most);
	return most - least;
}

/* No drift, unless that leaves few lines: packets would then seem to arrive at once. */
static double middle_drift(const struct clock_lines *allowed)
{
	double least, most, middle;

	clock_lines_drifts(allowed, &least, &most);
	middle = least / 2 + most / 2;
	return least <= 0 && most >= 0 && width_at(allowed, 0) * FEWER_LINES >= width_at(allowed, middle) ? 0 : middle;
}

static bool is_later(const struct fit *fit, const struct clock_sample *sample)
{
	return fit->is_one_way || sample->from_higher == fit->later;
}

/*
 * With packets in one direction only: the drift of the line that is closest to them in the middle of the piece; none, if that is as close.
 */
static double closest_drift(const struct clock_lines *allowed, double middle)
{
	const struct clock_line *best = &allowed->corners[0];
	double least, most;

	for (unsigned i = 1; i < allowed->count; i++) {
		const struct clock_line *corner = &allowed->corners[i];

		if (corner->ahead + corner->drift * middle > best->ahead + best->drift * middle)
			best = corner;
	}
	clock_lines_at(allowed, 0, &least, &most);
	return best->ahead + best->drift * middle - most < NETWORK_NS / NS ? 0 : best->drift;
}

/* The middle; the line closest to the packets, if all have one direction. */
static double offset_of(const struct fit *fit, const struct extent *extent, double least, double most)
{
	bool has[2] = { false, false };

	for (size_t i = extent->begin; i < extent->end && !(has[0] && has[1]); i++)
		has[is_later(fit, &fit->samples[i])] = true;
	if (has[0] && has[1])
		return least / 2 + most / 2;
	return has[1] ? most - fit->tolerance : least + fit->tolerance;
}

static void choose(const struct fit *fit, const struct extent *extent, struct clock_piece *piece)
{
	const struct clock_lines *allowed = &extent->allowed;
	const struct clock_sample *first = &fit->samples[extent->begin];
	double middle = elapsed(first->time_ns, fit->samples[extent->end - 1].time_ns) / 2;
	double least, most, drift = fit->is_one_way ? closest_drift(allowed, middle) : middle_drift(allowed);
	int64_t offset_ns;

	clock_lines_at(allowed, drift, &least, &most);
	*piece = (struct clock_piece){
		.after_frame = first > fit->samples ? first[-1].frame : 0, .first_frame = first->frame, .time_ns = first->time_ns, .drift = drift,
	};
	offset_ns = (int64_t)(offset_of(fit, extent, least, most) * NS);
	if (__builtin_add_overflow(first->after_ns, offset_ns, &piece->ahead_ns))
		piece->ahead_ns = first->after_ns;
	/* the same clock, if possible */
	if (drift == 0 && (fit->is_one_way ? llabs(piece->ahead_ns) < NETWORK_NS :
	    (double)first->after_ns / NS + least <= 0 && (double)first->after_ns / NS + most >= 0))
		piece->ahead_ns = 0;
	if (!fit->is_one_way)
		piece->uncertainty_ns = clock_lines_uncertainty_ns(allowed, &(struct clock_line){ drift, elapsed(first->after_ns, piece->ahead_ns) },
						       2 * middle, fabs(drift) < USUAL_DRIFT ? USUAL_DRIFT : MOST_DRIFT);
}

/* The first sample of those before `next` that is closer to the new line than to the old one. */
static size_t first_after_step(const struct fit *fit, const struct clock_piece *piece, size_t begin, size_t next)
{
	int64_t new_ns = fit->samples[next].after_ns;

	while (next > begin + 1) {
		const struct clock_sample *sample = &fit->samples[next - 1];
		int64_t old_ns = clock_piece_ahead_ns(piece, sample->time_ns);

		if (fabs((double)sample->after_ns - (double)new_ns) >= fabs((double)sample->after_ns - (double)old_ns))
			break;
		next--;
	}
	return next;
}

/* False: no line that other samples allow agrees with this one. */
static bool cut_by(const struct fit *fit, struct extent *extent, const struct clock_sample *sample)
{
	const struct clock_sample *first = &fit->samples[extent->begin];

	return clock_lines_cut(&extent->allowed, elapsed(first->time_ns, sample->time_ns), elapsed(first->after_ns, sample->after_ns), is_later(fit, sample),
		   fit->tolerance);
}

/* Removes the violations of one direction that a packet of the other one disproves: it would have arrived before it was sent. */
static void disprove(const struct fit *fit, struct violations *violations, const struct clock_sample *sample)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < violations->count; i++) {
		const struct clock_sample *violation = &fit->samples[violations->samples[i]];
		double excess = seconds(violation->after_ns, sample->after_ns);

		excess = is_later(fit, violation) ? excess : -excess;
		if (excess <= fit->tolerance + fit->most_drift * fabs(seconds(violation->time_ns, sample->time_ns)))
			violations->samples[kept++] = violations->samples[i];
	}
	violations->count = kept;
}

/* Ends a piece before the samples of a step. */
static void end_piece(const struct fit *fit, struct extent *extent, size_t first_violation, struct clock_piece *piece)
{
	size_t begin = extent->certain;

	extent->end = first_violation;
	/* without the samples after the step, which may have excluded lines; then without those that may be after it */
	for (int run = 0; run < 2; run++) {
		clock_lines_allow_all(&extent->allowed, fit->most_drift);
		for (size_t i = begin; i < extent->end; i++)
			(void)cut_by(fit, extent, &fit->samples[i]);
		choose(fit, extent, piece);
		if (!run)
			extent->end = first_after_step(fit, piece, begin, first_violation);
	}
}

/* The longest piece that begins with this sample; *certain: the first one that certainly belongs to it, then to the next piece. */
static void fit_piece(const struct fit *fit, size_t begin, size_t *certain, struct extent *extent, struct clock_piece *piece)
{
	struct violations violations[2] = { { .count = 0 }, { .count = 0 } };

	*extent = (struct extent){ .begin = begin, .end = fit->count, .certain = *certain };
	clock_lines_allow_all(&extent->allowed, fit->most_drift);
	for (size_t i = *certain; i < fit->count; i++) {
		const struct clock_sample *sample = &fit->samples[i];
		struct violations *same = &violations[is_later(fit, sample)];

		disprove(fit, &violations[!is_later(fit, sample)], sample);
		if (cut_by(fit, extent, sample)) {
			if (fit->is_one_way)
				same->count = 0;
			continue;
		}
		same->samples[same->count++] = i;
		if (same->count < MOST_VIOLATIONS)
			continue;
		*certain = same->samples[0];
		end_piece(fit, extent, same->samples[0], piece);
		return;
	}
	choose(fit, extent, piece);
}

/* Finds which direction the measured clock captures later: consecutive copies of one direction are equally far from the line. */
static void find_directions(struct fit *fit)
{
	int64_t balance = 0, changes = 0;

	for (size_t i = 1; i < fit->count; i++) {
		const struct clock_sample *one = &fit->samples[i - 1], *other = &fit->samples[i];

		if (one->from_higher == other->from_higher)
			continue;
		changes++;
		if (one->after_ns != other->after_ns)
			balance += (one->after_ns < other->after_ns) == other->from_higher ? 1 : -1;
	}
	fit->later = balance >= 0;
	fit->is_one_way = !changes;
}

/* A clock that is set goes on as fast as before, if the samples allow that. */
static void share_drift(const struct fit *fit, struct extent *extents, size_t count, struct clock_piece *pieces)
{
	double least = -MOST_DRIFT, most = MOST_DRIFT;

	for (size_t i = 0; i < count; i++) {
		double lowest, highest;

		clock_lines_drifts(&extents[i].allowed, &lowest, &highest);
		least = fmax(least, lowest);
		most = fmin(most, highest);
	}
	for (size_t i = 0; least <= most && i < count; i++) {
		clock_lines_limit_drift(&extents[i].allowed, least, most);
		choose(fit, &extents[i], &pieces[i]);
	}
}

/* How far a sample is from the line, towards the side where its packet would have arrived before it was sent; usually negative. */
static double excess(const struct fit *fit, const struct clock_piece *piece, const struct clock_sample *sample)
{
	double above = elapsed(clock_piece_ahead_ns(piece, sample->time_ns), sample->after_ns);

	return is_later(fit, sample) ? -above : above;
}

/* The samples of a piece from one of its ends on: how close they are to the line, on either side. */
struct bracket {
	double least[2];
	unsigned counts[2];
};

static void bracket_add(const struct fit *fit, struct bracket *bracket, const struct clock_piece *piece, const struct clock_sample *sample)
{
	bool later = is_later(fit, sample);

	bracket->least[later] = fmin(bracket->least[later], -excess(fit, piece, sample));
	bracket->counts[later]++;
}

static const struct bracket no_bracket = { .least = { INFINITY, INFINITY } };

/*
 * The largest error of the line at one end of its piece, by END_SAMPLES packets of each direction there: a step that is smaller than the
 * transit times makes no packet impossible, but those before it and those after it allow different lines. 0: there are fewer packets.
 */
static double error_at_end(const struct fit *fit, const struct extent *extent, const struct clock_piece *piece, bool is_last)
{
	struct bracket bracket = no_bracket;

	for (size_t i = 0; i < extent->end - extent->begin; i++) {
		const struct clock_sample *sample = &fit->samples[is_last ? extent->end - 1 - i : extent->begin + i];

		/* next to a step, some may be of the other piece */
		if ((!is_last && sample->frame < piece->unclear_to) || (is_last && extent->end < fit->count && sample->frame > piece[1].unclear_from))
			continue;
		bracket_add(fit, &bracket, piece, sample);
		if (bracket.counts[0] >= END_SAMPLES && bracket.counts[1] >= END_SAMPLES)
			return fmax(bracket.least[0], bracket.least[1]);
	}
	return 0;
}

static void widen_to(struct clock_piece *piece, double most_ns)
{
	double limit_ns = piece->uncertainty_ns <= MOST_WIDENED_NS ? MOST_WIDENED_NS : CLOCK_LINES_MOST_UNCERTAINTY * NS;

	if (most_ns > (double)piece->uncertainty_ns)
		piece->uncertainty_ns = (int64_t)fmin(most_ns, limit_ns);
}

static void widen(const struct fit *fit, const struct extent *extent, struct clock_piece *piece)
{
	widen_to(piece, NS * fmax(error_at_end(fit, extent, piece, false), error_at_end(fit, extent, piece, true)));
}

/* The number of samples at one end of a piece that are needed to confirm its line within the uncertainty. */
static size_t needed_at_end(const struct fit *fit, const struct extent *extent, const struct clock_piece *piece, bool is_last)
{
	const double wanted = (double)piece->uncertainty_ns / NS + fit->tolerance;
	size_t count = extent->end - extent->begin;
	struct bracket bracket = no_bracket;

	for (size_t i = 0; i < count; i++) {
		bracket_add(fit, &bracket, piece, &fit->samples[is_last ? extent->end - 1 - i : extent->begin + i]);
		if (bracket.least[0] <= wanted && bracket.least[1] <= wanted)
			return i + 1;
	}
	return count;
}

/*
 * The frame from which on all follow the first `needed` samples by the other clock, too, whose step can be among them: packets that the other one
 * captured later than these were sent after that.
 */
static uint64_t first_confirmed(const struct fit *fit, size_t needed)
{
	uint64_t latest = 0;

	for (size_t i = 0; i < needed; i++)
		if (fit->samples[i].other_frame > latest)
			latest = fit->samples[i].other_frame;
	if (!latest)
		return fit->samples[needed - 1].frame + 1;
	for (size_t i = needed; i < fit->count; i++)
		if (is_later(fit, &fit->samples[i]) && fit->samples[i].other_frame > latest)
			return fit->samples[i].frame;
	return fit->samples[fit->count - 1].frame + 1;
}

/* The same for the last `needed` ones: the last frame before them. */
static uint64_t last_confirmed(const struct fit *fit, size_t needed)
{
	uint64_t earliest = UINT64_MAX;

	for (size_t i = fit->count - needed; i < fit->count; i++)
		if (fit->samples[i].other_frame < earliest)
			earliest = fit->samples[i].other_frame;
	if (!earliest)
		return fit->samples[fit->count - needed].frame - 1;
	for (size_t i = fit->count - needed; i-- > 0;)
		if (!is_later(fit, &fit->samples[i]) && fit->samples[i].other_frame < earliest)
			return fit->samples[i].frame;
	/* 0 has another meaning */
	return fit->samples[0].frame > 1 ? fit->samples[0].frame - 1 : 1;
}

static void find_unconfirmed(const struct fit *fit, const struct extent *extents, size_t count, struct clock_piece *pieces)
{
	pieces[0].confirmed_from = first_confirmed(fit, needed_at_end(fit, &extents[0], &pieces[0], false));
	pieces[count - 1].confirmed_to = last_confirmed(fit, needed_at_end(fit, &extents[count - 1], &pieces[count - 1], true));
}

/*
 * Samples that do not confirm the line may have turned it, if the clock was set among them: it is as uncertain as the lines that the others allow
 * where these are, up to an unusual drift.
 */
static void doubt_unconfirmed(const struct fit *fit, const struct extent *extent, struct clock_piece *piece)
{
	struct extent confirmed = *extent;
	const struct clock_sample *first, *last;
	struct clock_line line = { .drift = piece->drift };

	while (confirmed.begin < confirmed.end && fit->samples[confirmed.begin].frame < piece->confirmed_from)
		confirmed.begin++;
	while (confirmed.begin < confirmed.end && piece->confirmed_to && fit->samples[confirmed.end - 1].frame > piece->confirmed_to)
		confirmed.end--;
	if (confirmed.begin == confirmed.end)
		return;
	first = &fit->samples[confirmed.begin];
	last = &fit->samples[confirmed.end - 1];
	clock_lines_allow_all(&confirmed.allowed, fit->most_drift);
	for (size_t i = confirmed.begin; i < confirmed.end; i++)
		(void)cut_by(fit, &confirmed, &fit->samples[i]);
	line.ahead = elapsed(first->after_ns, clock_piece_ahead_ns(piece, first->time_ns));
	widen_to(piece, (double)clock_lines_uncertainty_ns(&confirmed.allowed, &line, elapsed(first->time_ns, last->time_ns),
					       fmax(DOUBTED_DRIFT, fabs(piece->drift))));
}

/*
 * Near a step may be samples that neither line allows: the clock was set twice, too soon for a piece of its own. All are unclear up to the next
 * one of the same direction that the line allows.
 */
static size_t unclear_before(const struct fit *fit, const struct extent *extent, const struct clock_piece *piece, double slack, size_t from)
{
	size_t first = extent->end - extent->begin > NEAR_STEP ? extent->end - NEAR_STEP : extent->begin;

	for (size_t i = first; i < extent->end; i++) {
		const struct clock_sample *sample = &fit->samples[i];

		if (excess(fit, piece, sample) <= slack)
			continue;
		while (i > extent->begin && is_later(fit, &fit->samples[i - 1]) != is_later(fit, sample))
			i--;
		return i < from ? i : from;
	}
	return from;
}

static size_t unclear_after(const struct fit *fit, const struct extent *extent, const struct clock_piece *piece, double slack, size_t to)
{
	size_t last = extent->end - extent->begin > NEAR_STEP ? extent->begin + NEAR_STEP : extent->end;

	for (size_t i = last; i > extent->begin; i--) {
		const struct clock_sample *sample = &fit->samples[i - 1];

		if (excess(fit, piece, sample) <= slack)
			continue;
		while (i < extent->end && is_later(fit, &fit->samples[i]) != is_later(fit, sample))
			i++;
		return i > to ? i : to;
	}
	return to;
}

/* Finds the samples next to a step that the lines of both pieces allow. */
static void find_unclear(const struct fit *fit, const struct extent *extents, struct clock_piece *pieces)
{
	double slack = fit->tolerance + fmax((double)pieces[0].uncertainty_ns, (double)pieces[1].uncertainty_ns) / NS;
	size_t from = extents[1].begin, to = from;

	while (from > extents[0].begin && excess(fit, &pieces[1], &fit->samples[from - 1]) <= slack)
		from--;
	while (to < extents[1].end && excess(fit, &pieces[0], &fit->samples[to]) <= slack)
		to++;
	from = unclear_before(fit, &extents[0], &pieces[0], slack, from);
	to = unclear_after(fit, &extents[1], &pieces[1], slack, to);
	pieces[1].unclear_from = from ? fit->samples[from - 1].frame : 0;
	pieces[1].unclear_to = to < fit->count ? fit->samples[to].frame : UINT64_MAX;
}

/*
 * The frames of the other clock between which a step of either clock is, by the packets that one of the two captured before it and the other one
 * after it. 0: unknown.
 */
struct crossing {
	uint64_t least, most;
};

static struct crossing find_crossing(const struct fit *fit, const struct extent *before, const struct extent *after)
{
	struct crossing crossing = { 0, 0 };

	for (size_t i = before->begin; i < before->end; i++)
		if (is_later(fit, &fit->samples[i]) && fit->samples[i].other_frame > crossing.least)
			crossing.least = fit->samples[i].other_frame;
	for (size_t i = after->begin; i < after->end; i++)
		if (!is_later(fit, &fit->samples[i]) && (!crossing.most || fit->samples[i].other_frame < crossing.most))
			crossing.most = fit->samples[i].other_frame;
	return crossing;
}

/* Whether a packet of a piece was on the way while a clock was set: before the piece, or after it. */
static bool is_crossing(const struct fit *fit, const struct clock_sample *sample, const struct crossing *before, const struct crossing *after)
{
	if (is_later(fit, sample))
		return sample->other_frame <= before->most;
	return after->least && sample->other_frame >= after->least;
}

/*
 * Finds the lines that the packets of a piece allow again, without those that were on the way while a clock was set: where both clocks are set, or
 * the other one, they can seem to have taken almost no time. Needs others in both directions.
 */
static void leave_out_crossing(const struct fit *fit, struct extent *extent, const struct crossing *before, const struct crossing *after)
{
	struct extent without = *extent;
	bool has[2] = { false, false };

	clock_lines_allow_all(&without.allowed, fit->most_drift);
	for (size_t i = extent->begin; i < extent->end; i++)
		if (!is_crossing(fit, &fit->samples[i], before, after)) {
			has[is_later(fit, &fit->samples[i])] = true;
			(void)cut_by(fit, &without, &fit->samples[i]);
		}
	if (has[0] && has[1])
		extent->allowed = without.allowed;
}

static void leave_out_all_crossing(const struct fit *fit, struct extent *extents, size_t count, struct clock_piece *pieces)
{
	struct crossing before = { 0, 0 };

	for (size_t i = 0; count > 1 && i < count; i++) {
		struct crossing after = i + 1 < count ? find_crossing(fit, &extents[i], &extents[i + 1]) : (struct crossing){ 0, 0 };

		leave_out_crossing(fit, &extents[i], &before, &after);
		choose(fit, &extents[i], &pieces[i]);
		before = after;
	}
}

/* False: more pieces than `most`; the last one was found for all that follows. */
static bool fit_all(const struct fit *fit, struct clock_piece pieces[CLOCK_PIECES], size_t most, size_t *count)
{
	struct extent extents[CLOCK_PIECES];
	size_t certain = 0;

	*count = 0;
	for (size_t i = 0; i < fit->count;) {
		if (*count == most)
			return false;
		fit_piece(fit, i, &certain, &extents[*count], &pieces[*count]);
		i = extents[(*count)++].end;
	}
	if (!fit->is_one_way)
		leave_out_all_crossing(fit, extents, *count, pieces);
	share_drift(fit, extents, *count, pieces);
	for (size_t i = 1; i < *count; i++)
		find_unclear(fit, &extents[i - 1], &pieces[i - 1]);
	for (size_t i = 0; !fit->is_one_way && i < *count; i++)
		widen(fit, &extents[i], &pieces[i]);
	if (fit->is_one_way)
		return true;
	find_unconfirmed(fit, extents, *count, pieces);
	doubt_unconfirmed(fit, &extents[0], &pieces[0]);
	doubt_unconfirmed(fit, &extents[*count - 1], &pieces[*count - 1]);
	return true;
}

/* Imprecise times look like steps: prefers few pieces, unless time stamps would have to be far off. */
static size_t fit_few(struct fit *fit, double most_drift, struct clock_piece pieces[CLOCK_PIECES])
{
	static const size_t most[] = { FEW_PIECES, CLOCK_PIECES };
	size_t count;

	fit->most_drift = most_drift;
	for (size_t i = 0; i < sizeof most / sizeof most[0]; i++)
		for (fit->tolerance = LEAST_TOLERANCE; fit->tolerance <= MOST_TOLERANCE; fit->tolerance *= 10)
			if (fit_all(fit, pieces, most[i], &count))
				return count;
	return count;
}

/* Widens the uncertainty of a line to cover a piece at a sample. */
static void cover_at(struct clock_piece *line, const struct clock_piece *piece, const struct clock_sample *sample)
{
	double most = fabs(elapsed(clock_piece_ahead_ns(piece, sample->time_ns), clock_piece_ahead_ns(line, sample->time_ns))) * NS +
		      (double)piece->uncertainty_ns;

	if (most > (double)line->uncertainty_ns)
		line->uncertainty_ns = (int64_t)fmin(most, CLOCK_LINES_MOST_UNCERTAINTY * NS);
}

/* The piece that may begin at a frame of piece `at`: this one, or the next one. 0: none. */
static size_t may_begin(const struct clock_piece *pieces, size_t count, size_t at, uint64_t frame)
{
	if (at && pieces[at].unclear_from <= frame && frame <= pieces[at].unclear_to)
		return at;
	return at + 1 < count && pieces[at + 1].unclear_from <= frame ? at + 1 : 0;
}

/*
 * Widens the uncertainty of the lines to cover these pieces, which may be right instead. Where a piece may begin, that before it may be right, too;
 * if the lines have steps, they can have the same one a few frames earlier or later.
 */
static void cover(const struct fit *fit, struct clock_piece *lines, size_t line_count, const struct clock_piece *pieces, size_t count)
{
	size_t piece = 0, at = 0;

	for (size_t i = 0; i < fit->count; i++) {
		const struct clock_sample *sample = &fit->samples[i];
		size_t begun;

		while (piece + 1 < count && pieces[piece + 1].first_frame <= sample->frame)
			piece++;
		while (at + 1 < line_count && lines[at + 1].first_frame <= sample->frame)
			at++;
		begun = may_begin(pieces, count, piece, sample->frame);
		if ((begun && line_count > 1) || may_begin(lines, line_count, at, sample->frame))
			continue;
		cover_at(&lines[at], &pieces[piece], sample);
		if (begun)
			cover_at(&lines[at], &pieces[begun == piece ? begun - 1 : begun], sample);
	}
}

static double largest_drift(const struct clock_piece *pieces, size_t count)
{
	double largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs(pieces[i].drift));
	return largest;
}

/*
 * A step that packets could conceal, or next to another one, looks like a drift: covers what at most half of the drift explains as exactly, with a
 * few more steps or with other packets taken for mismatched ones.
 */
static void doubt_drift(struct fit *fit, double tolerance, struct clock_piece *pieces, size_t found)
{
	double largest = largest_drift(pieces, found);
	struct clock_piece others[CLOCK_PIECES];
	size_t count;

	if (fit->is_one_way || largest <= DOUBTED_DRIFT)
		return;
	count = fit_few(fit, largest / 2, others);
	if (count >= found && count <= found + STEPS_FOR_DRIFT && fit->tolerance <= tolerance)
		cover(fit, pieces, found, others, count);
}

size_t clock_fit(const struct clock_sample *samples, size_t count, struct clock_piece pieces[CLOCK_PIECES])
{
	struct fit fit = { .samples = samples, .count = count };
	struct clock_piece usual[CLOCK_PIECES];
	size_t found, usual_count;
	double tolerance;

	if (!count)
		return 0;
	find_directions(&fit);
	found = fit_few(&fit, MOST_DRIFT, pieces);
	tolerance = fit.tolerance;
	/* between sparse packets, a step looks like a large drift */
	usual_count = found > 1 || fabs(pieces[0].drift) > USUAL_DRIFT ? fit_few(&fit, USUAL_DRIFT, usual) : SIZE_MAX;
	if (usual_count > found && usual_count <= found + STEPS_FOR_DRIFT && !fit.is_one_way)
		cover(&fit, pieces, found, usual, usual_count);
	if (found > 1 && usual_count <= found) {
		memcpy(pieces, usual, usual_count * sizeof *pieces);
		found = usual_count;
		tolerance = fit.tolerance;
	}
	doubt_drift(&fit, tolerance, pieces, found);
	/* for the frames before it, too */
	pieces[0].first_frame = 0;
	return found == 1 && !pieces[0].ahead_ns && pieces[0].drift == 0 ? 0 : found;
}
