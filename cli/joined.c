/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "capture/source.h"
#include "cli/cli.h"
#include "cli/joined.h"
#include "cli/print_error.h"
#include "output/join/join_verdict.h"

/* Part of the memory for the paths of all pairs of hosts. */
#define PATHS_SHARE 4
/* Fewer packets can have the same times at two points by chance. */
#define LEAST_COPIED 16

/* Index of the input file that an interface belongs to. */
static unsigned find_point(const struct joined *joined, uint32_t interface)
{
	const char *file = interface < rtap_source_interface_count(joined->source) ? rtap_source_interface(joined->source, interface)->file : NULL;

	for (unsigned i = 0; file && i < joined->form.point_count; i++)
		if (!strcmp(file, joined->form.names[i]))
			return i;
	return 0;
}

static unsigned point_of(struct joined *joined, uint32_t interface)
{
	size_t before = joined->room;
	unsigned *points;

	if (interface >= rtap_source_interface_count(joined->source))
		return 0;
	if (interface >= before) {
		points = array_grow(joined->points, &joined->room, (size_t)interface + 1, sizeof *points);
		if (!points)
			return find_point(joined, interface);
		memset(points + before, 0, (joined->room - before) * sizeof *points);
		joined->points = points;
	}
	if (!joined->points[interface])
		joined->points[interface] = find_point(joined, interface) + 1;
	return joined->points[interface] - 1;
}

void joined_sight(struct joined *joined, const struct rtap_packet *packet, const struct packet_identity *identity, struct transmission_sight *sight)
{
	transmission_sight(sight, packet, identity, point_of(joined, packet->frame->interface));
}

enum transmission_copy joined_take(struct joined *joined, const struct transmission_sight *sight)
{
	enum transmission_copy copy;

	if (joined->form.times.first_ns == INT64_MIN)
		joined->form.times.first_ns = sight->time_ns;
	copy = transmissions_take(joined->transmissions, sight);
	join_note_point(joined->join, sight->point, sight->time_ns, copy != TRANSMISSION_UNKNOWN);
	return copy;
}

/* Packets of a file that may have been captured before its clock was set or after. */
static uint64_t unclear_packets(const struct clock_piece *piece, uint64_t packets)
{
	uint64_t end = piece->unclear_to < packets + 1 ? piece->unclear_to : packets + 1;

	return end > piece->unclear_from ? end - piece->unclear_from - 1 : 0;
}

static void read_clocks(struct joined *joined)
{
	for (unsigned i = 0; i < joined->form.point_count; i++) {
		const struct source_clock *clock = source_clock(joined->source, i);
		const struct clock_piece *first, *last;

		if (!clock || (clock->reference == i && clock->count < 2))
			continue;
		first = &clock->pieces[0];
		last = clock->count ? &clock->pieces[clock->count - 1] : first;
		joined->clocks[i] = (struct join_clock){
			.is_known = true, .reference = (unsigned)clock->reference, .offset_ns = clock->count ? first->ahead_ns : 0,
			.drift = clock->count ? first->drift : 0, .steps = (unsigned)(last - first), .confirmed_from = first->confirmed_from,
			.confirmed_to = last->confirmed_to,
		};
		for (const struct clock_piece *piece = first; piece <= last; piece++) {
			if (piece->uncertainty_ns > joined->clocks[i].uncertainty_ns)
				joined->clocks[i].uncertainty_ns = piece->uncertainty_ns;
			joined->clocks[i].unclear += unclear_packets(piece, joined->join->points[i].packets);
		}
	}
}

void joined_finish(struct joined *joined)
{
	transmissions_finish(joined->transmissions);
	join_finish(joined->join);
	joined->form.stall_count = join_verdict_sort(&joined->join->stalls, &joined->form.stalls);
	read_clocks(joined);
	(void)join_add_up(&joined->form);
}

static void report_mistimed(const struct join *join)
{
	uint64_t mistimed = 0;

	for (size_t i = 0; i < join->direction_count; i++)
		mistimed += join->directions[i]->mistimed;
	if (mistimed)
		print_error("%" COUNT " captured at several points, but at times that do not fit together: it is unknown how long these took",
			    COUNTED(mistimed, "packet was", "packets were"));
}

/* Packets of one direction that two points captured, as the pair of their slots; `largest_ns`: of their delays. */
static uint64_t shared_packets(const struct join_direction *direction, unsigned one, unsigned other, uint64_t *largest_ns)
{
	uint64_t count = 0;

	*largest_ns = 0;
	for (unsigned turned = 0; turned < 2; turned++) {
		const struct histogram *delays = turned ? direction->delays[other][one] : direction->delays[one][other];

		if (!delays)
			continue;
		count += delays->count;
		if (delays->largest > *largest_ns)
			*largest_ns = delays->largest;
	}
	return count;
}

/* What a point shares with an earlier one that seems to have the same packets at the same times. */
struct twin {
	bool has_one, is_other;    /* is_other: some times differ */
	unsigned point;
	uint64_t packets;
};

static void note_twin(struct twin *twins, const struct join_direction *direction, unsigned one, unsigned other)
{
	unsigned points[] = { direction->path->points[one], direction->path->points[other] };
	struct twin *twin = &twins[points[points[1] > points[0]]];
	unsigned earlier = points[points[1] < points[0]];
	uint64_t largest_ns, packets = shared_packets(direction, one, other, &largest_ns);

	if (!packets || (twin->has_one && twin->point != earlier))
		return;
	twin->has_one = true;
	twin->point = earlier;
	twin->is_other |= largest_ns != 0;
	twin->packets += packets;
}

/* All packets that two points captured have the same times: one file was probably made from the other. */
static void report_copies(const struct joined *joined)
{
	const struct join *join = joined->join;
	struct twin *twins = calloc(join->point_count, sizeof *twins);

	for (size_t i = 0; twins && i < join->direction_count; i++)
		for (unsigned one = 1; one < join->directions[i]->path->count; one++)
			for (unsigned other = 0; other < one; other++)
				note_twin(twins, join->directions[i], one, other);
	for (unsigned i = 0; twins && i < join->point_count; i++)
		if (twins[i].has_one && !twins[i].is_other && twins[i].packets >= LEAST_COPIED)
			print_error("%s and %s have the same packets with the same times (%" PRIu64 " of them): if one is a copy of the other, name only one",
				    joined->form.names[twins[i].point], joined->form.names[i], twins[i].packets);
	free(twins);
}

void joined_report(const struct joined *joined)
{
	uint64_t forced_out = transmissions_forced_out(joined->transmissions), uncompared = transmissions_uncompared(joined->transmissions);

	if (forced_out)
		print_error("%" COUNT " arrived at too high a rate to be matched: copies of these can be counted as lost",
			    COUNTED(forced_out, "packet", "packets"));
	if (uncompared)
		print_error("%" COUNT " not compared: more than %d captures have packets of their hosts, or there is no memory",
			    COUNTED(uncompared, "packet was", "packets were"), JOIN_POINTS);
	report_mistimed(joined->join);
	report_copies(joined);
	if (joined->form.lacks_stretches)
		print_error("out of memory: the sums of all packets between points are missing");
	if (joined->join->uncounted)
		print_error("%" COUNT " not counted for lack of memory (raise --max-memory)",
			    COUNTED(joined->join->uncounted, "packet was", "packets were"));
}

struct named_file {
	const char *name;
	bool is_found;
	dev_t device;
	ino_t inode;
};

/* Files that are not found follow those that are, by their names. */
static int compare_files(const void *one, const void *other)
{
	const struct named_file *a = one, *b = other;

	if (a->is_found != b->is_found)
		return a->is_found ? -1 : 1;
	if (!a->is_found)
		return strcmp(a->name, b->name);
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->inode > b->inode) - (a->inode < b->inode);
}

bool joined_are_different(const struct options *options, const char *command)
{
	struct named_file *files = calloc(options->input_count, sizeof *files);
	const char *names[2] = { NULL, NULL };
	struct stat found;

	for (size_t i = 0; files && i < options->input_count; i++) {
		files[i].name = options->inputs[i];
		files[i].is_found = !stat(files[i].name, &found);
		if (files[i].is_found) {
			files[i].device = found.st_dev;
			files[i].inode = found.st_ino;
		}
	}
	if (files)
		qsort(files, options->input_count, sizeof *files, compare_files);
	for (size_t i = 1; files && !names[0] && i < options->input_count; i++)
		if (!compare_files(&files[i - 1], &files[i])) {
			names[0] = files[i - 1].name;
			names[1] = files[i].name;
		}
	if (!files)
		print_error("out of memory");
	else if (names[0] && !strcmp(names[0], names[1]))
		print_error("%s: %s: named twice", command, names[0]);
	else if (names[0])
		print_error("%s: %s and %s are the same file", command, names[0], names[1]);
	free(files);
	return files && !names[0];
}

bool joined_open(struct joined *joined, const struct options *options, const struct rtap_source *source, uint64_t max_memory)
{
	*joined = (struct joined){
		.source = source, .clocks = calloc(options->input_count, sizeof *joined->clocks),
		.form = { .names = options->inputs, .point_count = (unsigned)options->input_count },
	};
	joined->form.clocks = joined->clocks;
	joined->form.times = (struct clock_listing){ .form = options->clock, .first_ns = INT64_MIN };
	joined->form.join = joined->join = join_create(joined->form.point_count, max_memory);
	joined->transmissions = joined->join ? transmissions_create(joined->form.point_count, max_memory / PATHS_SHARE, join_take, joined->join) : NULL;
	return joined->transmissions && joined->clocks;
}

void joined_close(struct joined *joined)
{
	transmissions_destroy(joined->transmissions);
	join_destroy(joined->join);
	free(joined->clocks);
	free(joined->form.stretches);
	free(joined->points);
}
