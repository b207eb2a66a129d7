/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <math.h>

#include "reassembly/clock_lines.h"

#define NS 1e9
/* Upper limit of a packet's transit time, in seconds. */
#define MOST_TRANSIT 10.0

void clock_lines_allow_all(struct clock_lines *allowed, double drift)
{
	*allowed = (struct clock_lines){ .count = 4, .corners = {
		{ -drift, -MOST_TRANSIT }, { drift, -MOST_TRANSIT }, { drift, MOST_TRANSIT }, { -drift, MOST_TRANSIT },
	} };
}

/* Distance of the line from the bound of a sample; negative: outside. */
static double margin(const struct clock_line *line, double time, double after, bool is_later, double tolerance)
{
	double above = after - line->ahead - line->drift * time;

	return (is_later ? above : -above) + tolerance;
}

/* Cuts off the corners with negative margins; not all of them have one. */
static void cut_off_some(struct clock_lines *allowed, const double margins[CLOCK_LINES_CORNERS])
{
	struct clock_lines kept = { .count = 0 };

	for (unsigned i = 0; i < allowed->count && kept.count < CLOCK_LINES_CORNERS; i++) {
		unsigned next = (i + 1) % allowed->count;
		const struct clock_line *here = &allowed->corners[i], *there = &allowed->corners[next];
		double part = margins[i] / (margins[i] - margins[next]);

		if (margins[i] >= 0)
			kept.corners[kept.count++] = *here;
		if ((margins[i] >= 0) != (margins[next] >= 0))
			kept.corners[kept.count++] = (struct clock_line){
				.drift = here->drift + part * (there->drift - here->drift),
				.ahead = here->ahead + part * (there->ahead - here->ahead),
			};
	}
	/* with this many corners, more precision is not needed */
	if (kept.count < CLOCK_LINES_CORNERS)
		*allowed = kept;
}

/* Cuts off the corners with negative margins. False: all of them, so that none was cut off. */
static bool cut_off(struct clock_lines *allowed, const double margins[CLOCK_LINES_CORNERS])
{
	unsigned inside = 0;

	for (unsigned i = 0; i < allowed->count; i++)
		inside += margins[i] >= 0;
	if (inside && inside < allowed->count)
		cut_off_some(allowed, margins);
	return inside;
}

bool clock_lines_cut(struct clock_lines *allowed, double time, double after, bool is_later, double tolerance)
{
	double margins[CLOCK_LINES_CORNERS];

	for (unsigned i = 0; i < allowed->count; i++)
		margins[i] = margin(&allowed->corners[i], time, after, is_later, tolerance);
	return cut_off(allowed, margins);
}

void clock_lines_limit_drift(struct clock_lines *allowed, double least, double most)
{
	double margins[CLOCK_LINES_CORNERS];

	for (int is_most = 0; is_most < 2; is_most++) {
		for (unsigned i = 0; i < allowed->count; i++)
			margins[i] = is_most ? most - allowed->corners[i].drift : allowed->corners[i].drift - least;
		(void)cut_off(allowed, margins);
	}
}

void clock_lines_at(const struct clock_lines *allowed, double drift, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (unsigned i = 0; i < allowed->count; i++) {
		const struct clock_line *here = &allowed->corners[i], *there = &allowed->corners[(i + 1) % allowed->count];
		double part = here->drift == there->drift ? 0 : (drift - here->drift) / (there->drift - here->drift), ahead;

		if (!(part >= 0 && part <= 1) || (here->drift == there->drift && here->drift != drift))
			continue;
		ahead = here->ahead + part * (there->ahead - here->ahead);
		*least = fmin(*least, fmin(ahead, here->drift == drift ? here->ahead : ahead));
		*most = fmax(*most, fmax(ahead, here->drift == drift ? here->ahead : ahead));
	}
	/* rounding errors, if the polygon is degenerate */
	if (*least > *most)
		*least = *most = allowed->corners[0].ahead;
}

void clock_lines_drifts(const struct clock_lines *allowed, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (unsigned i = 0; i < allowed->count; i++) {
		*least = fmin(*least, allowed->corners[i].drift);
		*most = fmax(*most, allowed->corners[i].drift);
	}
}

static bool has_drift(const struct clock_lines *allowed, double drift)
{
	double least, most;

	clock_lines_drifts(allowed, &least, &most);
	return least <= drift && drift <= most;
}

static double distance(const struct clock_line *one, const struct clock_line *other, double end)
{
	double ahead = one->ahead - other->ahead;

	return fmax(fabs(ahead), fabs(ahead + (one->drift - other->drift) * end));
}

int64_t clock_lines_uncertainty_ns(const struct clock_lines *allowed, const struct clock_line *chosen, double end, double limit)
{
	double most = 0;

	for (unsigned i = 0; i < allowed->count; i++)
		if (fabs(allowed->corners[i].drift) <= limit)
			most = fmax(most, distance(&allowed->corners[i], chosen, end));
	/* where the polygon crosses the limits */
	for (int sign = -1; sign <= 1; sign += 2) {
		struct clock_line lines[2] = { { sign * limit, 0 }, { sign * limit, 0 } };

		if (!has_drift(allowed, sign * limit))
			continue;
		clock_lines_at(allowed, sign * limit, &lines[0].ahead, &lines[1].ahead);
		most = fmax(most, fmax(distance(&lines[0], chosen, end), distance(&lines[1], chosen, end)));
	}
	return (int64_t)(fmin(most, CLOCK_LINES_MOST_UNCERTAINTY) * NS);
}
