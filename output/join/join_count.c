/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "output/join/join_count.h"

#define MOST_DIRECTIONS (1u << 20)
/* Part of the memory for transmissions that points did not capture. */
#define UNMATCHED_SHARE 32
/* Packets of a direction kept for the case that a second point is found later. */
#define UNMATCHED_EARLY 4096

/* Recent transmissions by direction and sequence number, to find out whether an earlier one had arrived: up to 1 MB. */
#define MOST_SENDINGS 65536
#define LEAST_SENDINGS 256
#define SPREAD 7919 /* so that sequences of different directions rarely collide */

/* Transmissions kept until it is known whether the points that missed them were still capturing: up to 0.4 MB. */
#define MOST_HELD 1024
#define LEAST_HELD 16
/* Part of the memory for each of these. */
#define RECENT_SHARE 32

struct sending {
	const struct join_direction *direction;
	uint32_t sequence, seen;
};

struct counting {
	struct join shown;             /* the first member */
	struct map by_flow;
	uint64_t max_memory, used;
	struct sending *sendings;
	struct transmission *held;     /* a ring: `released` to `taken`, each at its number modulo `held_room` */
	uint32_t sending_room, held_room; /* powers of two */
	uint64_t taken, released;
};

static struct counting *counting_of(struct join *join)
{
	return (struct counting *)join;
}

/* How many of this size have room; a power of two. */
static uint32_t room_for(uint64_t memory, size_t size, uint32_t least, uint32_t most)
{
	uint32_t room = least;

	while (room < most && 2 * room * size <= memory)
		room *= 2;
	return room;
}

struct join *join_create(unsigned points, uint64_t max_memory)
{
	struct counting *counting = calloc(1, sizeof *counting);

	if (!counting)
		return NULL;
	counting->sending_room = room_for(max_memory / RECENT_SHARE, sizeof *counting->sendings, LEAST_SENDINGS, MOST_SENDINGS);
	counting->held_room = room_for(max_memory / RECENT_SHARE, sizeof *counting->held, LEAST_HELD, MOST_HELD);
	counting->sendings = calloc(counting->sending_room, sizeof *counting->sendings);
	counting->held = calloc(counting->held_room, sizeof *counting->held);
	counting->shown.points = calloc(points, sizeof *counting->shown.points);
	if (!counting->sendings || !counting->held || !counting->shown.points) {
		join_destroy(&counting->shown);
		return NULL;
	}
	counting->shown.point_count = points;
	counting->shown.unmatcheds.room = join_unmatched_room(max_memory / UNMATCHED_SHARE);
	counting->used = counting->shown.unmatcheds.room * sizeof(struct join_unmatched) + counting->sending_room * sizeof *counting->sendings +
			 counting->held_room * sizeof *counting->held;
	counting->max_memory = max_memory;
	counting->shown.memory.most = counting->shown.memory.most_by_values = max_memory / 4;
	return &counting->shown;
}

static void direction_destroy(struct join *join, struct join_direction *direction)
{
	for (unsigned i = 0; i < JOIN_POINTS * JOIN_POINTS; i++) {
		struct histogram *histogram = direction->delays[i / JOIN_POINTS][i % JOIN_POINTS];

		if (histogram)
			histogram_fini(histogram, &join->memory);
		free(histogram);
	}
	free(direction->over_time);
	free(direction->missed);
	free(direction);
}

void join_destroy(struct join *join)
{
	if (!join)
		return;
	for (size_t i = 0; i < join->direction_count; i++)
		direction_destroy(join, join->directions[i]);
	free(join->directions);
	free(join->points);
	join_stalls_fini(&join->stalls);
	join_unmatched_fini(&join->unmatcheds);
	map_fini(&counting_of(join)->by_flow);
	free(counting_of(join)->sendings);
	free(counting_of(join)->held);
	free(counting_of(join));
}

void join_note_point(struct join *join, unsigned point, int64_t time_ns, bool is_known)
{
	struct join_point *noted = &join->points[point];

	if (!noted->is_used || time_ns < noted->first_ns)
		noted->first_ns = time_ns;
	if (!noted->is_used || time_ns > noted->last_ns)
		noted->last_ns = time_ns;
	noted->is_used = true;
	noted->packets++;
	noted->unknown += !is_known;
}

static bool is_flow(const void *value, const void *key)
{
	const struct join_direction *direction = value;

	return !memcmp(&direction->flow, key, sizeof direction->flow);
}

static uint64_t hash_of(const struct transmission_flow *flow)
{
	uint64_t words[6] = { flow->destination_id, (uint64_t)flow->address_length << 1 | flow->is_tcp };

	memcpy(words + 2, flow->source, sizeof flow->source);
	memcpy(words + 4, flow->destination, sizeof flow->destination);
	return map_hash(words, 6);
}

/* The copy's padding is zero, so that it can be compared whole. */
static void copy_flow(struct transmission_flow *to, const struct transmission_flow *from)
{
	memset(to, 0, sizeof *to);
	memcpy(to->source, from->source, sizeof to->source);
	memcpy(to->destination, from->destination, sizeof to->destination);
	to->address_length = from->address_length;
	to->is_tcp = from->is_tcp;
	to->destination_id = from->destination_id;
}

/* NULL: out of memory. */
static struct join_direction *direction_of(struct join *join, const struct transmission *transmission)
{
	const struct transmission_flow *flow = &transmission->flow;
	struct counting *counting = counting_of(join);
	struct join_direction *direction, **larger;
	struct transmission_flow key;
	uint64_t hash;

	copy_flow(&key, flow);
	hash = hash_of(&key);
	direction = map_find(&counting->by_flow, hash, is_flow, &key);
	if (direction)
		return direction;
	if (join->direction_count == MOST_DIRECTIONS || counting->used + sizeof *direction > counting->max_memory / 2)
		return NULL;
	larger = array_grow(join->directions, &join->direction_room, join->direction_count + 1, sizeof(struct join_direction *));
	if (!larger)
		return NULL;
	join->directions = larger;
	direction = calloc(1, sizeof *direction);
	if (!direction || !map_add(&counting->by_flow, hash, direction)) {
		free(direction);
		return NULL;
	}
	copy_flow(&direction->flow, flow);
	direction->path = transmission->path;
	direction->number = (uint32_t)join->direction_count;
	counting->used += sizeof *direction;
	join->directions[join->direction_count++] = direction;
	return direction;
}

/* NULL: there are too many. */
static struct join_group *group_of(struct join_group *groups, unsigned *count, uint32_t seen, uint32_t active)
{
	for (unsigned i = 0; i < *count; i++)
		if (groups[i].seen == seen && groups[i].active == active)
			return &groups[i];
	if (*count == JOIN_GROUPS)
		return NULL;
	groups[*count] = (struct join_group){ .seen = seen, .active = active };
	return &groups[(*count)++];
}

uint32_t join_active(const struct join *join, const struct transmission *transmission)
{
	const struct transmission_path *path = transmission->path;
	uint32_t active = transmission->seen;
	int64_t time_ns = transmission->times_ns[__builtin_ctz(transmission->seen)];

	for (unsigned slot = 0; slot < path->count; slot++) {
		const struct join_point *noted = &join->points[path->points[slot]];

		if (noted->is_used && noted->first_ns + JOIN_EDGE_NS <= time_ns && time_ns + JOIN_EDGE_NS <= noted->last_ns)
			active |= UINT32_C(1) << slot;
	}
	return active;
}

static void note_delay(struct join *join, struct join_direction *direction, unsigned from, unsigned to, int64_t delay_ns)
{
	struct histogram **delays = &direction->delays[from][to];

	direction->before[from][to]++;
	if (!*delays)
		*delays = calloc(1, sizeof **delays);
	if (*delays)
		histogram_add(*delays, (uint64_t)delay_ns, &join->memory);
	else
		join->uncounted++;
}

static void add_delay(struct join_interval *interval, const struct join_interval *more)
{
	if (!more->count)
		return;
	if (!interval->count || more->least < interval->least)
		interval->least = more->least;
	if (more->largest > interval->largest)
		interval->largest = more->largest;
	interval->count += more->count;
	interval->sum += more->sum;
}

/* Doubles the length of the intervals. */
static void coarsen(struct join_delays *delays)
{
	for (unsigned i = 0; i < JOIN_INTERVALS / 2; i++) {
		struct join_interval joined = delays->intervals[2 * i];

		add_delay(&joined, &delays->intervals[2 * i + 1]);
		delays->intervals[i] = joined;
	}
	memset(delays->intervals + JOIN_INTERVALS / 2, 0, sizeof delays->intervals / 2);
	delays->interval_ns *= 2;
}

static void note_over_time(struct join *join, struct join_direction *direction, unsigned points, int64_t time_ns, int64_t delay_ns)
{
	struct counting *counting = counting_of(join);
	struct join_delays *delays = direction->over_time;
	const struct join_interval one = { 1, (uint64_t)delay_ns, (uint64_t)delay_ns, (uint64_t)delay_ns };
	int64_t since_ns;

	if (!delays && counting->used + sizeof *delays <= counting->max_memory) {
		delays = direction->over_time = calloc(1, sizeof *delays);
		counting->used += delays ? sizeof *delays : 0;
	}
	if (!delays || points < delays->points)
		return;
	if (points > delays->points)
		*delays = (struct join_delays){ .begin_ns = time_ns, .interval_ns = JOIN_INTERVAL_NS, .points = points };
	if (__builtin_sub_overflow(time_ns, delays->begin_ns, &since_ns))
		return;
	/* a packet can be sent before an earlier one of another point */
	if (since_ns < 0)
		since_ns = 0;
	while (since_ns / delays->interval_ns >= JOIN_INTERVALS)
		coarsen(delays);
	add_delay(&delays->intervals[since_ns / delays->interval_ns], &one);
}

/* Counts the changes between the previous point and this one. */
static void note_hop(struct join_direction *direction, const struct transmission *transmission, unsigned from, unsigned to)
{
	uint32_t bits = UINT32_C(1) << from, bit = UINT32_C(1) << to;

	direction->doubled[to] += transmission->doubled & bit && !(transmission->doubled & bits);
	direction->marked[to] += transmission->marked & bit && !(transmission->marked & bits);
	direction->reordered[to] += transmission->late & bit && !(transmission->late & bits);
}

/* The slots of the points that captured it, in order of time. Returns their number. */
static unsigned sort_points(const struct transmission *transmission, unsigned sorted[JOIN_POINTS])
{
	unsigned count = 0;

	for (unsigned slot = 0; slot < transmission->path->count; slot++) {
		unsigned at = count;

		if (!(transmission->seen >> slot & 1))
			continue;
		for (; at && transmission->times_ns[sorted[at - 1]] > transmission->times_ns[slot]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = slot;
		count++;
	}
	return count;
}

static void note_way(struct join *join, struct join_direction *direction, const struct transmission *transmission)
{
	unsigned sorted[JOIN_POINTS], count = sort_points(transmission, sorted);

	for (unsigned i = 0; i < count; i++) {
		direction->seen[sorted[i]]++;
		if (i)
			note_hop(direction, transmission, sorted[i - 1], sorted[i]);
		else
			direction->doubled[sorted[i]] += transmission->doubled >> sorted[i] & 1;
		for (unsigned j = 0; j < i; j++)
			note_delay(join, direction, sorted[j], sorted[i], transmission->times_ns[sorted[i]] - transmission->times_ns[sorted[j]]);
	}
	if (count > 1)
		note_over_time(join, direction, count, transmission->times_ns[sorted[0]],
			       transmission->times_ns[sorted[count - 1]] - transmission->times_ns[sorted[0]]);
}

static void note_sending(struct counting *counting, struct join_direction *direction, const struct transmission *transmission)
{
	struct sending *sending = &counting->sendings[(transmission->sequence + direction->number * SPREAD) % counting->sending_room];
	struct join_group *group;

	if (transmission->is_repeat && sending->direction == direction && sending->sequence == transmission->sequence) {
		group = group_of(direction->resent, &direction->resent_count, sending->seen, 0);
		if (group)
			group->count++;
	}
	*sending = (struct sending){ direction, transmission->sequence, transmission->seen };
}

static void keep_missed(struct join *join, struct join_direction *direction, const struct transmission *transmission)
{
	struct counting *counting = counting_of(join);
	size_t before = direction->missed_room;
	struct transmission *larger = NULL;

	if (direction->missed_count < JOIN_LISTED && counting->used + sizeof *larger * (before + 1) < counting->max_memory)
		larger = array_grow(direction->missed, &direction->missed_room, direction->missed_count + 1, sizeof *larger);
	if (!larger)
		return;
	counting->used += (direction->missed_room - before) * sizeof *larger;
	direction->missed = larger;
	direction->missed[direction->missed_count++] = *transmission;
}

/* Points that were capturing and missed it, without those that captured nothing of its hosts: these are not on the path. */
static uint32_t missed_by(const struct transmission *transmission, uint32_t active)
{
	return active & ~transmission->seen & transmission->path->captured;
}

static bool has_one_point(const struct transmission_path *path)
{
	return !(path->captured & (path->captured - 1));
}

/* NULL: in none, because there are too many. */
static struct join_group *note_group(struct join *join, struct join_direction *direction, const struct transmission *transmission, uint32_t active)
{
	struct join_group *group = group_of(direction->groups, &direction->group_count, transmission->seen, active);

	if (!group) {
		direction->ungrouped++;
		return NULL;
	}
	group->count++;
	group->bytes += transmission->length;
	if (missed_by(transmission, active) ||
	    (has_one_point(transmission->path) && transmission->seen != active && direction->missed_count < JOIN_EARLY))
		keep_missed(join, direction, transmission);
	return group;
}

/* Keeps one that some points did not capture. */
static void note_unmatched(struct join *join, struct join_direction *direction, const struct transmission *transmission, struct join_group *group)
{
	bool is_early = has_one_point(transmission->path) && join->point_count > 1 && direction->packets < UNMATCHED_EARLY;
	const struct transmission *last = direction->missed_count ? &direction->missed[direction->missed_count - 1] : NULL;
	struct join_unmatched *kept;

	if (!is_early && !(transmission->path->captured & ~transmission->seen))
		return;
	kept = join_unmatched_keep(&join->unmatcheds, transmission);
	if (!kept)
		return;
	kept->direction = direction;
	kept->group = group;
	kept->kept = last && last->number == transmission->number ? (uint32_t)direction->missed_count : 0;
}

/* Whether other points captured the packet at a time that does not fit: then that is no packet of its own, and not lost. */
static bool complete_unmatched(struct join *join, struct join_direction *direction, const struct transmission *transmission)
{
	struct join_unmatched *before = join_unmatched_find(&join->unmatcheds, transmission);

	if (!before || before->direction != direction)
		return false;
	if (before->group) {
		before->group->count--;
		before->group->bytes -= transmission->length < before->group->bytes ? transmission->length : before->group->bytes;
	} else {
		direction->ungrouped--;
	}
	if (before->kept)
		direction->missed[before->kept - 1].seen |= transmission->path->captured;
	direction->mistimed++;
	join_unmatched_remove(&join->unmatcheds, before);
	return true;
}

static void note_connection(struct join_direction *direction, const struct transmission *transmission)
{
	if (transmission->connection) {
		direction->connection = transmission->connection;
		direction->from_a = transmission->from_a;
	}
	direction->has_source_qpn |= transmission->has_source_qpn;
	if (transmission->has_source_qpn)
		direction->source_qpn = transmission->source_qpn;
}

static void count(struct join *join, const struct transmission *transmission)
{
	struct join_direction *direction = direction_of(join, transmission);
	uint32_t active = join_active(join, transmission);

	if (!direction) {
		join->uncounted++;
		return;
	}
	note_connection(direction, transmission);
	direction->points |= transmission->seen;
	if (complete_unmatched(join, direction, transmission)) {
		note_way(join, direction, transmission);
		return;
	}
	direction->packets++;
	direction->bytes += transmission->length;
	note_way(join, direction, transmission);
	join_stalls_take(&join->stalls, direction, transmission, active, missed_by(transmission, active),
			 counting_of(join)->max_memory / 8 / sizeof(struct join_stall));
	note_sending(counting_of(join), direction, transmission);
	note_unmatched(join, direction, transmission, note_group(join, direction, transmission, active));
}

/*
 * Whether each point that missed it had captured later packets, or had not begun to capture. While all hosts of a point pause, it has no later
 * packet, and still captures.
 */
static bool is_decided(const struct join *join, const struct transmission *transmission)
{
	const struct transmission_path *path = transmission->path;
	int64_t time_ns = transmission->times_ns[__builtin_ctz(transmission->seen)];

	for (unsigned slot = 0; slot < path->count; slot++) {
		const struct join_point *noted = &join->points[path->points[slot]];

		if (!(transmission->seen >> slot & 1) && noted->is_used && noted->first_ns + JOIN_EDGE_NS <= time_ns &&
		    time_ns + JOIN_EDGE_NS > noted->last_ns)
			return false;
	}
	return true;
}

/* Counts the decided ones, in the order in which they were taken, and so many undecided ones that at most `most` are left. */
static void release(struct join *join, uint64_t most)
{
	struct counting *counting = counting_of(join);

	while (counting->released < counting->taken) {
		const struct transmission *first = &counting->held[counting->released % counting->held_room];

		if (counting->taken - counting->released <= most && !is_decided(join, first))
			break;
		count(join, first);
		counting->released++;
	}
}

void join_take(void *owner, const struct transmission *transmission)
{
	struct join *join = owner;
	struct counting *counting = counting_of(join);

	if (counting->released == counting->taken && is_decided(join, transmission)) {
		count(join, transmission);
		return;
	}
	release(join, counting->held_room - 1);
	counting->held[counting->taken++ % counting->held_room] = *transmission;
}

void join_merge(struct join *join, uint64_t from, uint64_t into, bool turned)
{
	struct counting *counting = counting_of(join);

	for (uint64_t i = counting->released; i < counting->taken; i++) {
		struct transmission *held = &counting->held[i % counting->held_room];

		if (held->connection != from)
			continue;
		held->connection = into;
		held->from_a ^= turned;
	}
	for (size_t i = 0; i < join->direction_count; i++) {
		struct join_direction *direction = join->directions[i];

		if (direction->connection != from)
			continue;
		direction->connection = into;
		direction->from_a ^= turned;
	}
}

static int compare_directions(const void *left, const void *right)
{
	const struct join_direction *one = *(struct join_direction *const *)left, *other = *(struct join_direction *const *)right;

	/* directions without a connection come last */
	if (one->connection != other->connection)
		return one->connection - 1 < other->connection - 1 ? -1 : 1;
	if (one->from_a != other->from_a)
		return one->from_a ? -1 : 1;
	return memcmp(&one->flow, &other->flow, sizeof one->flow);
}

/* The median; 0: unknown. */
static uint64_t usual_delay_ns(const struct join_direction *direction, unsigned from, unsigned to)
{
	return direction->delays[from][to] ? histogram_percentile(direction->delays[from][to], 500) : 0;
}

/*
 * Where both directions seem to pass the same point first, the clocks are wrong by more than the packets take. That makes the delays of one
 * direction longer and those of the other one negative, so the former's sum is positive: the longer ones have the right sign.
 */
static bool is_disproved(const struct join_direction *direction, unsigned first, unsigned second)
{
	const struct join_direction *opposite = direction->way_back;
	uint64_t own_ns, other_ns;

	if (!opposite || opposite->before[first][second] <= opposite->before[second][first])
		return false;
	own_ns = usual_delay_ns(direction, first, second);
	other_ns = usual_delay_ns(opposite, first, second);
	return own_ns != other_ns ? own_ns < other_ns : memcmp(&direction->flow, &opposite->flow, sizeof direction->flow) > 0;
}

static bool precedes(const struct join_direction *direction, unsigned one, unsigned other)
{
	const struct join_direction *opposite = direction->way_back;
	uint64_t before = direction->before[one][other], after = direction->before[other][one];

	if (before > after && is_disproved(direction, one, other))
		return false;
	if (before < after && is_disproved(direction, other, one))
		return true;
	if (before == after && opposite) {
		before = opposite->before[other][one];
		after = opposite->before[one][other];
	}
	return before != after ? before > after : one < other;
}

static bool is_upward(const struct join_direction *direction)
{
	return memcmp(direction->flow.source, direction->flow.destination, sizeof direction->flow.source) < 0;
}

/* By path, then by which host is the source, then the one with the most packets first. */
static int compare_ways(const void *left, const void *right)
{
	const struct join_direction *one = *(struct join_direction *const *)left, *other = *(struct join_direction *const *)right;

	if (one->path != other->path)
		return (uintptr_t)one->path < (uintptr_t)other->path ? -1 : 1;
	if (is_upward(one) != is_upward(other))
		return is_upward(one) ? -1 : 1;
	if (one->packets != other->packets)
		return one->packets > other->packets ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

/* False: out of memory. */
static bool find_ways_back(struct join *join)
{
	size_t count = join->direction_count;
	struct join_direction **ways = malloc((count + 1) * sizeof *ways);

	if (!ways)
		return false;
	if (count)
		memcpy(ways, join->directions, count * sizeof *ways);
	qsort(ways, count, sizeof *ways, compare_ways);
	for (size_t begin = 0, turn, end; begin < count; begin = end) {
		for (turn = begin; turn < count && ways[turn]->path == ways[begin]->path && is_upward(ways[turn]) == is_upward(ways[begin]); turn++)
			;
		for (end = turn; end < count && ways[end]->path == ways[begin]->path; end++)
			;
		for (size_t i = begin; i < end; i++)
			ways[i]->way_back = ways[i]->opposite ? ways[i]->opposite : i >= turn ? ways[begin] : turn < end ? ways[turn] : NULL;
	}
	free(ways);
	return true;
}

static void find_order(struct join_direction *direction)
{
	uint32_t points = direction->points | (direction->opposite ? direction->opposite->points : 0);

	direction->order_count = 0;
	for (unsigned slot = 0; slot < direction->path->count; slot++) {
		unsigned at = direction->order_count;

		if (!(points >> slot & 1))
			continue;
		for (; at && precedes(direction, slot, direction->order[at - 1]); at--)
			direction->order[at] = direction->order[at - 1];
		direction->order[at] = slot;
		direction->order_count++;
	}
}

/* A packet that other points captured at a time that does not fit was not lost. */
static void judge_stall(const struct join *join, struct join_stall *stall)
{
	struct join_brief *packets[] = { &stall->before, &stall->after, &stall->lost };

	for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++)
		if (join_unmatched_contains(&join->unmatcheds, packets[i]->number))
			packets[i]->active = packets[i]->seen;
}

void join_finish(struct join *join)
{
	release(join, 0);
	if (join->direction_count)
		qsort(join->directions, join->direction_count, sizeof(struct join_direction *), compare_directions);
	for (size_t i = 1; i < join->direction_count; i++) {
		struct join_direction *one = join->directions[i - 1], *other = join->directions[i];

		/* those of different addresses have different slots */
		if (one->connection && one->connection == other->connection && one->from_a != other->from_a && one->path == other->path) {
			one->opposite = other;
			other->opposite = one;
		}
	}
	if (!find_ways_back(join))
		join->uncounted++;
	for (size_t i = 0; i < join->direction_count; i++)
		find_order(join->directions[i]);
	join_unmatched_sort(&join->unmatcheds);
	for (size_t i = 0; i < join->stalls.longest.count; i++)
		judge_stall(join, join->stalls.longest.items[i]);
}

bool join_lost_at(const struct join_direction *direction, uint32_t seen, uint32_t active, unsigned *hop)
{
	unsigned last = direction->order_count;

	while (last && !(seen >> direction->order[last - 1] & 1))
		last--;
	/* the first point after it that was capturing */
	for (unsigned next = last; last && next < direction->order_count; next++) {
		if (active >> direction->order[next] & 1) {
			*hop = last - 1;
			return true;
		}
	}
	return false;
}

/* Its last capture was at this index, and no later point was capturing. */
static bool ends_at(const struct join_direction *direction, const struct join_group *group, unsigned index)
{
	unsigned hop;

	for (unsigned later = index + 1; later < direction->order_count; later++)
		if (group->seen >> direction->order[later] & 1)
			return false;
	return group->seen >> direction->order[index] & 1 && !join_lost_at(direction, group->seen, group->active, &hop);
}

struct join_hop join_hop_of(const struct join_direction *direction, unsigned index)
{
	unsigned from = direction->order[index], to = direction->order[index + 1];
	struct join_hop hop = { .from = direction->path->points[from], .to = direction->path->points[to], .captured = direction->seen[from] };
	uint32_t bit = UINT32_C(1) << to;

	for (unsigned i = 0; i < direction->group_count; i++) {
		const struct join_group *group = &direction->groups[i];
		unsigned lost_at;

		if (join_lost_at(direction, group->seen, group->active, &lost_at) && lost_at == index) {
			hop.lost += group->count;
			hop.lost_bytes += group->bytes;
		}
		if (ends_at(direction, group, index))
			hop.unjudged += group->count;
		if (group->active & bit && !(group->seen & bit))
			for (unsigned later = index + 2; later < direction->order_count; later++)
				if (group->seen >> direction->order[later] & 1) {
					hop.uncaptured += group->count;
					break;
				}
	}
	hop.doubled = direction->doubled[to];
	hop.reordered = direction->reordered[to];
	hop.marked = direction->marked[to];
	/* unless the order is known from the other direction, against these times */
	if (direction->before[from][to] >= direction->before[to][from])
		hop.delay_ns = direction->delays[from][to];
	return hop;
}

uint64_t join_unlisted(const struct join *join, const struct join_direction *direction)
{
	uint64_t lost = 0, listed = 0;
	unsigned hop;

	for (unsigned i = 0; i + 1 < direction->order_count; i++)
		lost += join_hop_of(direction, i).lost;
	for (size_t i = 0; lost && i < direction->missed_count; i++)
		listed += join_lost_at(direction, direction->missed[i].seen, join_active(join, &direction->missed[i]), &hop);
	return lost > listed ? lost - listed : 0;
}

uint64_t join_resent_after_arrival(const struct join_direction *direction)
{
	uint64_t count = 0;

	for (unsigned i = 0; direction->order_count && i < direction->resent_count; i++)
		if (direction->resent[i].seen >> direction->order[direction->order_count - 1] & 1)
			count += direction->resent[i].count;
	return count;
}
