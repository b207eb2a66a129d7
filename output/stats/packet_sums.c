/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dissect/infiniband/ib_opcode.h"
#include "output/stats/packet_sums.h"
#include "output/stats/stats_count.h"
#include "output/stats/stats_packet.h"

#define CONNECTIONS 4096 /* whose packets are summed up at a time; a power of two */

/* One direction of a connection, with what decides which packets are usual. */
struct direction_sums {
	struct packet_sum sum;
	bool may_be_refused;       /* the next acknowledgement of the other end may change its counters */
	bool window_is_known;      /* window_end_ns is the end_ns of its struct congestion_window */
	int64_t window_end_ns;
	int64_t window_from_ns;    /* latest time at which its window may have begun */
};

struct connection_sums {
	uint64_t connection;       /* number; 0: empty */
	bool is_pending;           /* in the list of these */
	struct direction_sums directions[2]; /* sent by b; sent by a */
};

struct packet_sums {
	void (*pass)(void *owner, const struct packet_sum *sum);
	void *owner;
	int64_t latest_ns;         /* of all packets that can be of connections */
	uint64_t *seen;            /* a bit for each number of a connection */
	size_t seen_words;
	struct packet_sum others;  /* of no connection */
	unsigned pending[CONNECTIONS]; /* indexes of connections that may have sums */
	unsigned pending_count;
	struct connection_sums connections[CONNECTIONS];
};

struct packet_sums *packet_sums_create(void (*pass)(void *owner, const struct packet_sum *sum), void *owner)
{
	struct packet_sums *sums = calloc(1, sizeof *sums);

	if (!sums)
		return NULL;
	sums->pass = pass;
	sums->owner = owner;
	sums->latest_ns = INT64_MIN;
	return sums;
}

static void pass_sum(struct packet_sums *sums, struct packet_sum *sum)
{
	if (sum->packets | sum->copies.count)
		sums->pass(sums->owner, sum);
	*sum = (struct packet_sum){ .connection = sum->connection, .from_a = sum->from_a };
}

static void pass_connection(struct packet_sums *sums, struct connection_sums *connection)
{
	pass_sum(sums, &connection->directions[0].sum);
	pass_sum(sums, &connection->directions[1].sum);
}

/* Whether nothing of a connection has been taken so far. False, too, if there is no memory to know that. */
static bool note_seen(struct packet_sums *sums, uint64_t number)
{
	size_t words = sums->seen_words, word = number / 64;
	uint64_t bit = UINT64_C(1) << number % 64, *seen = array_grow(sums->seen, &sums->seen_words, word + 1, sizeof *seen);
	bool is_new;

	if (!seen)
		return false;
	memset(seen + words, 0, (sums->seen_words - words) * sizeof *seen);
	sums->seen = seen;
	is_new = !(seen[word] & bit);
	seen[word] |= bit;
	return is_new;
}

/* The place of a connection, which may have been that of another one. Of a connection that is not new, nothing is known. */
static struct connection_sums *find(struct packet_sums *sums, uint64_t number)
{
	struct connection_sums *found = &sums->connections[number % CONNECTIONS];
	bool is_pending = found->is_pending, is_new;

	if (found->connection == number)
		return found;
	is_new = note_seen(sums, number);
	pass_connection(sums, found);
	*found = (struct connection_sums){ .connection = number, .is_pending = is_pending };
	for (uint8_t from_a = 0; from_a < 2; from_a++)
		found->directions[from_a] = (struct direction_sums){
			.sum = { .connection = number, .from_a = from_a },
			.may_be_refused = !is_new, .window_is_known = is_new, .window_from_ns = sums->latest_ns,
		};
	return found;
}

static void note_pending(struct packet_sums *sums, struct connection_sums *connection)
{
	if (connection->is_pending)
		return;
	connection->is_pending = true;
	sums->pending[sums->pending_count++] = (unsigned)(connection - sums->connections);
}

static void add_copy(struct packet_sum *sum, const struct stats_packet_facts *facts)
{
	stats_add_times(&sum->first_copy_ns, &sum->last_copy_ns, !sum->copies.count, facts->time_ns, facts->time_ns);
	stats_count(&sum->copies, facts->frame, facts->time_ns);
	sum->copied_bytes += facts->wire_bytes;
}

/* A packet of a class that can be marked may begin a window, as congestion_begin_window() does. True: it does. */
static bool begins_window(struct direction_sums *direction, int64_t time_ns)
{
	bool begins = direction->window_is_known ? time_ns >= direction->window_end_ns :
		      ns_elapsed(direction->window_from_ns, time_ns) >= CONGESTION_WINDOW_NS;

	if (begins) {
		direction->window_is_known = true;
		direction->window_end_ns = time_ns + CONGESTION_WINDOW_NS;
	}
	if (time_ns > direction->window_from_ns)
		direction->window_from_ns = time_ns;
	return begins;
}

/* The packet changes what following ones do to the counters of the connection. */
static void note_unusual(struct connection_sums *connection, const struct stats_packet_facts *facts)
{
	struct direction_sums *own = &connection->directions[facts->flow.from_a], *other = &connection->directions[!facts->flow.from_a];

	if (facts->flow.recovery | facts->flow.lost_to | (facts->ib.has_aeth && facts->ib.aeth_kind != RTAP_AETH_ACK))
		own->may_be_refused = other->may_be_refused = true;
	else if (facts->ib.has_aeth && facts->flow.analysis != RTAP_PSN_DUPLICATE)
		other->may_be_refused = false;
	/* a CNP may lengthen the window of the end that it slows down */
	if (ib_opcodes[facts->ib.opcode].class == IB_CONGESTION) {
		other->window_is_known = false;
		if (facts->time_ns > other->window_from_ns)
			other->window_from_ns = facts->time_ns;
	}
}

/* Apart from the window. */
static bool is_usual(const struct direction_sums *other, const struct stats_packet_facts *facts)
{
	const uint8_t class = ib_opcodes[facts->ib.opcode].class;

	if (facts->flow.recovery | facts->flow.lost_to || congestion_is_marked(facts->class) || class == IB_CONGESTION ||
	    stats_event_of_packet(facts) != STATS_EVENT_COUNT)
		return false;
	/* acknowledgements are responses */
	return !facts->ib.has_aeth || (facts->ib.aeth_kind == RTAP_AETH_ACK && facts->ib.aeth_value && !other->may_be_refused);
}

static void add_packet(struct packet_sum *sum, const struct stats_packet_facts *facts)
{
	stats_add_times(&sum->first_ns, &sum->last_ns, !sum->packets, facts->time_ns, facts->time_ns);
	sum->packets++;
	sum->wire_bytes += facts->wire_bytes;
}

static void add_usual(struct packet_sum *sum, const struct stats_packet_facts *facts)
{
	const uint8_t kind = (uint8_t)stats_kind_of(facts);

	add_packet(sum, facts);
	sum->class = facts->class;
	if (!sum->kinds[kind]++)
		sum->order[sum->kind_count++] = kind;
	sum->data_packets += facts->payload_bytes != 0;
	sum->carried_bytes += facts->payload_bytes;
}

static bool take_flow(struct packet_sums *sums, const struct stats_packet_facts *facts)
{
	struct connection_sums *connection = find(sums, facts->connection);
	struct direction_sums *own = &connection->directions[facts->flow.from_a];
	struct packet_sum *sum = &own->sum;
	bool is_usual_one, begins = false;

	if (stats_event_of_packet(facts) == STATS_CAPTURED_TWICE) {
		add_copy(sum, facts);
		note_pending(sums, connection);
		return true;
	}
	is_usual_one = is_usual(&connection->directions[!facts->flow.from_a], facts);
	if (CLASS_ECN(facts->class)) {
		begins = begins_window(own, facts->time_ns);
		is_usual_one &= own->window_is_known;
	}
	if (!is_usual_one) {
		pass_connection(sums, connection);
		note_unusual(connection, facts);
		return false;
	}
	if (begins || (sum->packets && facts->class != sum->class))
		pass_sum(sums, sum);
	if (begins) {
		sum->window_ns = facts->time_ns;
		sum->window_bytes = facts->wire_bytes;
	}
	add_usual(sum, facts);
	note_pending(sums, connection);
	return true;
}

bool packet_sums_take(struct packet_sums *sums, const struct stats_packet_facts *facts)
{
	if (!facts->flow.present && !facts->ib.has_bth && !facts->bad_icrc) {
		add_packet(&sums->others, facts);
		return true;
	}
	if (facts->time_ns > sums->latest_ns)
		sums->latest_ns = facts->time_ns;
	/* segments of TCP are counted alone */
	if (!facts->flow.present || !facts->ib.has_bth)
		return false;
	if (!facts->bad_icrc)
		return take_flow(sums, facts);
	/* its bytes count in the window that a sum begins */
	pass_connection(sums, find(sums, facts->connection));
	return false;
}

void packet_sums_interrupt(struct packet_sums *sums, uint64_t number)
{
	struct connection_sums *connection = find(sums, number);

	pass_connection(sums, connection);
	for (unsigned i = 0; i < 2; i++) {
		connection->directions[i].may_be_refused = true;
		connection->directions[i].window_is_known = false;
		connection->directions[i].window_from_ns = sums->latest_ns;
	}
}

void packet_sums_pass(struct packet_sums *sums)
{
	pass_sum(sums, &sums->others);
	for (unsigned i = 0; i < sums->pending_count; i++) {
		struct connection_sums *connection = &sums->connections[sums->pending[i]];

		pass_connection(sums, connection);
		connection->is_pending = false;
	}
	sums->pending_count = 0;
}

void packet_sums_destroy(struct packet_sums *sums)
{
	if (!sums)
		return;
	free(sums->seen);
	free(sums);
}
