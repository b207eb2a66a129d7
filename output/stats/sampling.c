/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/stats/sampling.h"
#include "output/stats/stats_count.h"

/*
 * Fewer missing packets or holes are not significant, in particular if most packets are there; less than 1 % is normal loss of
 * captures.
 */
#define LEAST_MISSING 20
#define LEAST_MISSING_OF_MOST 40
#define LEAST_HOLES 10
#define LEAST_PART 100
/* A thin sample has little to count, but differs from loss: far more is missing than present, or most packets follow a hole. */
#define THIN_TIMES_MISSING 4
#define THIN_HOLES 3
#define REMNANT_TIMES_MISSING 20
#define REMNANT_HOLES 2
#define THIN_PACKETS_PER_HOLE 2
#define THIN_HOLES_OF_PACKETS 5
/* In a random sample of 1 in N, holes have N packets on average. Holes of a capture that lost packets in bursts are longer. */
#define MOST_TIMES_LONGER 5
/* Minimum expected number of missing packets for a connection to be evidence. */
#define EXPECTED_MISSING 10
#define LEAST_OF_EXPECTED 3
/* At most one in this many packets may be of contradicting connections. */
#define MOST_DISAGREEING 10
/* Of one direction: at least so many packets; less than one in MOST_OTHERS is of connections with both; so many pairs of hosts are compared. */
#define LEAST_ONE_WAY 20
#define MOST_OTHERS 10
#define HOST_PAIRS 64
/* If one in this many is a repeat, the other end does not answer. */
#define MOST_REPEATED 4

/* The evidence of one connection. */
struct evidence {
	uint64_t missing, holes, packets;
};

static uint64_t packets_of(const struct stats_direction *direction)
{
	struct congestion_row row;
	uint64_t packets = 0;

	for (unsigned at = 0; congestion_next(direction, &at, &row);) {
		enum congestion_kind kind = CONGESTION_KIND(row.key);

		if (kind == CONGESTION_REQUEST || kind == CONGESTION_RESPONSE || kind == CONGESTION_SEGMENT)
			packets += row.packets;
	}
	return packets;
}

/* Reliable services only: missing packets of unreliable ones may be lost. False: not evidence. */
static bool evidence_of(const struct stats_connection *connection, struct evidence *evidence)
{
	uint8_t transport = connection->shown.transport;
	uint64_t filled = 0;

	*evidence = (struct evidence){ 0 };
	/* a restart of the PSNs elsewhere: how many are missing is unknown */
	if (!connection->reported || connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_RESYNCHRONISED] ||
	    (transport != RTAP_TRANSPORT_RC && transport != RTAP_TRANSPORT_XRC && transport != RTAP_TRANSPORT_IWARP))
		return false;
	for (int i = 0; i < 2; i++) {
		const struct stats_direction *direction = &connection->directions[i];

		evidence->packets += packets_of(direction);
		evidence->holes += stats_event_of(direction, STATS_GAP)->count;
		filled += stats_event_of(direction, STATS_OUT_OF_ORDER)->count + stats_event_of(direction, STATS_RETRANSMISSION)->count;
	}
	evidence->missing = connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED];
	/* for TCP the number of segments of a hole is unknown */
	if (transport == RTAP_TRANSPORT_IWARP)
		evidence->missing = evidence->holes > filled ? evidence->holes - filled : 0;
	return evidence->packets;
}

/* Whether far fewer packets of the connection are missing than in the others. */
static bool disagrees(const struct evidence *one, const struct evidence *all)
{
	double part = (double)all->missing / (double)(all->missing + all->packets);
	double expected = part * (double)(one->missing + one->packets);

	return expected >= EXPECTED_MISSING && (double)one->missing * LEAST_OF_EXPECTED < expected;
}

/* Computed in double: products of large counts would overflow. */
static bool is_even(const struct evidence *all, uint64_t disagreeing)
{
	double total = (double)(all->missing + all->packets);

	return (double)all->holes * total * MOST_TIMES_LONGER >= (double)all->missing * (double)all->packets &&
	       (double)disagreeing * MOST_DISAGREEING <= (double)all->packets;
}

static bool is_thin(const struct evidence *all)
{
	return (all->holes >= THIN_HOLES && all->missing / THIN_TIMES_MISSING >= all->packets) ||
	       (all->holes >= REMNANT_HOLES && all->missing / REMNANT_TIMES_MISSING >= all->packets) ||
	       (all->holes >= THIN_HOLES_OF_PACKETS && all->missing >= THIN_HOLES_OF_PACKETS && all->holes >= all->packets / THIN_PACKETS_PER_HOLE);
}

static bool is_reliable(const struct stats_connection *connection)
{
	uint8_t transport = connection->shown.transport;

	return connection->reported && transport != RTAP_TRANSPORT_UC && transport != RTAP_TRANSPORT_UD && transport != RTAP_TRANSPORT_UDP;
}

/* The hosts of a connection, if only packets from the first to the second were captured. */
static bool take_one_way(const struct stats_connection *connection, const struct rtap_end *hosts[2])
{
	bool from_a = connection->directions[0].packets, from_b = connection->directions[1].packets;

	if (from_a == from_b)
		return false;
	hosts[0] = from_a ? &connection->shown.a : &connection->shown.b;
	hosts[1] = from_a ? &connection->shown.b : &connection->shown.a;
	return hosts[0]->address_length && hosts[1]->address_length;
}

static bool are_same_host(const struct rtap_end *one, const struct rtap_end *other)
{
	return one->address_length == other->address_length && !memcmp(one->address, other->address, one->address_length);
}

/* The other direction of a connection seems to be one of its own if the capture does not show that they belong together. */
static bool has_reverse(const struct stats *stats)
{
	const struct rtap_end *first[HOST_PAIRS][2], *hosts[2];
	unsigned count = 0;

	for (uint64_t i = 0; i < stats->table_room; i++) {
		if (!stats->table[i] || !is_reliable(stats->table[i]) || !take_one_way(stats->table[i], hosts))
			continue;
		for (unsigned pair = 0; pair < count; pair++)
			if (are_same_host(first[pair][0], hosts[1]) && are_same_host(first[pair][1], hosts[0]))
				return true;
		if (count < HOST_PAIRS)
			memcpy(first[count++], hosts, sizeof hosts);
	}
	return false;
}

/* An end that does not answer looks the same, but requests are then sent again. */
static void look_one_way(struct sampling *sampling, const struct stats *stats)
{
	uint64_t one_way = 0, others = 0, repeated = 0;

	for (uint64_t i = 0; i < stats->table_room; i++) {
		const struct stats_connection *connection = stats->table[i];
		const struct rtap_end *hosts[2];
		uint64_t packets;

		if (!connection || !is_reliable(connection))
			continue;
		packets = connection->directions[0].packets + connection->directions[1].packets;
		sampling->connections += packets > 0;
		if (take_one_way(connection, hosts)) {
			sampling->one_way++;
			one_way += packets;
		} else {
			others += packets;
		}
		for (int end = 0; end < 2; end++)
			repeated += stats_event_of(&connection->directions[end], STATS_RETRANSMISSION)->count +
				    stats_event_of(&connection->directions[end], STATS_DUPLICATE)->count;
	}
	sampling->is_one_way = one_way >= LEAST_ONE_WAY && others < one_way / (MOST_OTHERS - 1) && repeated < one_way / MOST_REPEATED && !has_reverse(stats);
}

void sampling_look(struct sampling *sampling, const struct stats *stats)
{
	struct evidence all = { 0 }, one;
	struct stats_occurrences holes = { 0 };
	uint64_t disagreeing = 0, repeated = 0;
	bool is_enough;

	*sampling = (struct sampling){ .found = stats->options.sampled };
	look_one_way(sampling, stats);
	for (uint64_t i = 0; i < stats->table_room; i++) {
		if (!stats->table[i] || !evidence_of(stats->table[i], &one))
			continue;
		all.missing += one.missing;
		all.holes += one.holes;
		all.packets += one.packets;
		for (int end = 0; end < 2; end++) {
			const struct stats_direction *direction = &stats->table[i]->directions[end];

			stats_occurrences_merge(&holes, stats_event_of(direction, STATS_GAP));
			repeated += stats_event_of(direction, STATS_AFTER_NAK)->count + stats_event_of(direction, STATS_AFTER_TIMEOUT)->count;
		}
	}
	sampling->missing = all.missing;
	sampling->packets = all.missing + all.packets;
	sampling->first_frame = holes.first_frame;
	sampling->last_frame = holes.last_frame;
	is_enough = all.missing >= (all.missing < all.packets ? LEAST_MISSING_OF_MOST : LEAST_MISSING) &&
		    all.holes >= LEAST_HOLES && all.missing >= sampling->packets / LEAST_PART &&
		    /* over the whole capture, because a temporarily slow reader leaves holes only for a time */
		    (holes.last_frame - holes.first_frame) * 2 > stats->packets;
	if (!is_enough && !is_thin(&all))
		return;
	for (uint64_t i = 0; i < stats->table_room; i++)
		if (stats->table[i] && evidence_of(stats->table[i], &one) && disagrees(&one, &all))
			disagreeing += one.packets;
	/* packets lost by the network are retransmitted */
	if (is_even(&all, disagreeing) && all.missing > 2 * repeated)
		sampling->found = true;
}

bool sampling_hides(const struct sampling *sampling, const char *rule)
{
	static const struct {
		const char *rule;
		bool lacks_answers; /* also in a capture of one direction */
	} rules[] = {
		{ "unanswered", true }, { "connect_unanswered", true }, { "rpc_unanswered", true }, { "operations_unanswered", true },
		{ "keep_alives_unanswered", true }, { "timeouts", false }, { "ce_without_cnp", true }, { "unreliable_loss", false },
		{ "capture_loss", false },
	};

	for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (!strcmp(rule, rules[i].rule))
			return sampling->found || (sampling->is_one_way && rules[i].lacks_answers);
	return false;
}
