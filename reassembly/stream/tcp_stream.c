/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/anomaly.h"
#include "dissect/engine/protocol.h"
#include "reassembly/stream/address_words.h"
#include "reassembly/stream/tcp_half.h"
#include "reassembly/stream/tcp_stream.h"

#define SECOND INT64_C(1000000000)
#define LINGER_NS SECOND /* late packets after the end still belong to the connection */
/* A SYN that arrives this few bytes late was overtaken by its data. */
#define OVERTAKEN 65536

/* Divisors of the budget. SHARE: for the connections themselves; the rest is for queued bytes and other state. */
#define SHARE 4
/* If connections exceed this share, those inactive for the budget's give_up_ns are ended. */
#define SHARE_SILENT 128
/* For finished connections. */
#define SHARE_FINISHED 64

/* Its list, in the order of the last segments. */
static struct tcp_connections *list_of(const struct tcp_connection *connection)
{
	return connection->closed ? &connection->streams->closed : &connection->streams->open;
}

static void destroy(struct tcp_connection *connection)
{
	struct tcp_streams *streams = connection->streams;

	for (unsigned i = 0; i < 2; i++)
		tcp_half_fini(&connection->halves[i]);
	TAILQ_REMOVE(list_of(connection), connection, link);
	map_remove(&streams->map, connection->hash, connection);
	budget_give(streams->budget, &streams->entry, sizeof *connection);
	free(connection);
}

/* During callbacks the user must not evict what is being delivered. */
static void lock_queues(struct tcp_connection *connection)
{
	connection->halves[0].entry.evict = connection->halves[1].entry.evict = NULL;
}

static void unlock_queues(struct tcp_connection *connection)
{
	connection->halves[0].entry.evict = connection->halves[1].entry.evict = tcp_half_evict;
}

/* Delivers what still waits, then the end. */
static void finish(struct tcp_connection *connection, enum tcp_end reason)
{
	struct tcp_streams *streams = connection->streams;

	lock_queues(connection);
	for (unsigned i = 0; i < 2; i++)
		tcp_half_flush(&connection->halves[i]);
	if (connection->closed)
		reason = connection->reset ? TCP_END_RESET : TCP_END_CLOSED;
	streams->user.end(streams->user.owner, connection, reason);
	destroy(connection);
}

/* Version and ports are in the last word. */
static void make_key(struct tcp_key *key, const uint8_t *source, const uint8_t *destination, uint8_t address_length, uint16_t source_port,
		     uint16_t destination_port)
{
	address_words(key->words, source, address_length);
	address_words(key->words + 2, destination, address_length);
	key->words[4] = (uint64_t)address_length << 32 | (uint64_t)source_port << 16 | destination_port;
}

/* The key of the other direction. */
static struct tcp_key turned(const struct tcp_key *key)
{
	const uint64_t *words = key->words, ends = words[4];

	return (struct tcp_key){ { words[2], words[3], words[0], words[1],
				   (ends & ~UINT64_C(0xffffffff)) | (ends & 0xffff) << 16 | (ends >> 16 & 0xffff) } };
}

/* The same for both directions. */
static uint64_t hash_of(const struct tcp_key *key)
{
	const struct tcp_key other = turned(key);

	return map_hash(key->words, 5) + map_hash(other.words, 5);
}

static bool equal(const struct tcp_key *a, const struct tcp_key *b)
{
	return a->words[4] == b->words[4] && !((a->words[0] ^ b->words[0]) | (a->words[1] ^ b->words[1]) | (a->words[2] ^ b->words[2]) |
					       (a->words[3] ^ b->words[3]));
}

static bool has_key(const void *value, const void *key)
{
	const struct tcp_connection *connection = value;

	return equal(&connection->keys[1], key) || equal(&connection->keys[0], key);
}

static bool has_flags(const struct rtap_tcp_facts *tcp, unsigned flags)
{
	return (tcp->flags & flags) == flags;
}

static bool finished_has_key(const void *value, const void *key)
{
	const struct tcp_finished *finished = value;

	return equal(&finished->keys[1], key) || equal(&finished->keys[0], key);
}

static void discard_finished(struct tcp_streams *streams, struct tcp_finished *finished)
{
	TAILQ_REMOVE(&streams->finished, finished, link);
	map_remove(&streams->finished_map, finished->hash, finished);
	budget_give(streams->budget, &streams->entry, sizeof *finished);
	free(finished);
}

/* Without memory, a repeated segment starts another connection. */
static void remember_finished(const struct tcp_connection *connection)
{
	struct tcp_streams *streams = connection->streams;
	struct tcp_finished *finished = map_find(&streams->finished_map, connection->hash, finished_has_key, &connection->keys[1]);

	if (finished)
		discard_finished(streams, finished);
	if (!TAILQ_EMPTY(&streams->finished) && streams->finished_map.count * sizeof *finished >= streams->budget->limit / SHARE_FINISHED)
		discard_finished(streams, TAILQ_FIRST(&streams->finished));
	finished = memory_new_zeroed(1, sizeof *finished);
	if (!finished)
		return;
	finished->hash = connection->hash;
	finished->last_ns = connection->last_ns;
	for (unsigned i = 0; i < 2; i++) {
		const struct tcp_half *half = &connection->halves[i];
		uint64_t end = half->has_fin ? half->fin : half->highest;

		finished->keys[i] = connection->keys[i];
		finished->started[i] = half->started;
		finished->has_isn[i] = half->has_isn;
		finished->isn[i] = half->isn;
		finished->end[i] = (uint32_t)end;
		finished->first[i] = (uint32_t)(end - half->base > TCP_HALF_PAST ? end - TCP_HALF_PAST : half->base);
	}
	if (!map_add(&streams->finished_map, finished->hash, finished)) {
		free(finished);
		return;
	}
	budget_charge(streams->budget, &streams->entry, sizeof *finished);
	TAILQ_INSERT_TAIL(&streams->finished, finished, link);
}

static void expire(struct tcp_streams *streams, int64_t now_ns)
{
	struct tcp_connection *connection;
	struct tcp_finished *finished;

	while ((connection = TAILQ_FIRST(&streams->closed)) && now_ns - connection->last_ns > LINGER_NS) {
		remember_finished(connection);
		finish(connection, TCP_END_CLOSED);
	}
	while ((finished = TAILQ_FIRST(&streams->finished)) && now_ns - finished->last_ns > TCP_FINISHED_NS)
		discard_finished(streams, finished);
}

/* Whether a segment is of a finished connection, which is discarded if a new one uses the ports. */
static bool is_of_finished(struct tcp_streams *streams, const struct tcp_key *key, const struct rtap_tcp_facts *tcp)
{
	struct tcp_finished *finished = !TAILQ_EMPTY(&streams->finished) ? map_find(&streams->finished_map, hash_of(key), finished_has_key, key) : NULL;
	bool from_a, again;

	if (!finished)
		return false;
	from_a = equal(&finished->keys[1], key);
	if (has_flags(tcp, RTAP_TCP_FLAG_SYN))
		again = finished->has_isn[from_a] && finished->isn[from_a] == tcp->sequence;
	else
		again = finished->started[from_a] && tcp->sequence - finished->first[from_a] <= finished->end[from_a] - finished->first[from_a] &&
			finished->end[from_a] - tcp->sequence >= tcp->payload.wire;
	if (!again)
		discard_finished(streams, finished);
	return again;
}

/* Memory for one more connection, if needed by ending the oldest ones. */
static bool take_memory(struct tcp_streams *streams)
{
	for (;;) {
		struct tcp_connection *oldest = TAILQ_FIRST(TAILQ_EMPTY(&streams->closed) ? &streams->open : &streams->closed);

		if (streams->entry.bytes + sizeof *oldest <= streams->budget->limit / SHARE &&
		    budget_take(streams->budget, &streams->entry, sizeof *oldest))
			return true;
		if (!oldest)
			return false;
		streams->evicted_connections++;
		finish(oldest, TCP_END_EVICTED);
	}
}

/* Ends inactive connections if there are many. */
static void end_silent(struct tcp_streams *streams, int64_t now_ns)
{
	while (!TAILQ_EMPTY(&streams->open) && streams->entry.bytes > streams->budget->limit / SHARE_SILENT &&
	       now_ns - TAILQ_FIRST(&streams->open)->last_ns >= (int64_t)streams->budget->give_up_ns)
		finish(TAILQ_FIRST(&streams->open), TCP_END_EVICTED);
}

static struct tcp_connection *begin(struct tcp_streams *streams, const struct tcp_key *key, const struct rtap_packet *packet)
{
	uint64_t hash = hash_of(key);
	bool from_a = !has_flags(&packet->tcp, RTAP_TCP_FLAG_SYN | RTAP_TCP_FLAG_ACK);
	struct tcp_connection *connection;

	end_silent(streams, packet->frame->time_ns);
	if (!take_memory(streams))
		return NULL;
	connection = memory_new_zeroed(1, sizeof *connection);
	if (!connection || !map_add(&streams->map, hash, connection)) {
		budget_give(streams->budget, &streams->entry, sizeof *connection);
		free(connection);
		return NULL;
	}
	connection->keys[from_a] = *key;
	connection->keys[!from_a] = turned(key);
	connection->hash = hash;
	connection->streams = streams;
	connection->address_length = packet->address_length;
	memcpy(connection->addresses[from_a], packet->source_address, packet->address_length);
	memcpy(connection->addresses[!from_a], packet->destination_address, packet->address_length);
	connection->ports[from_a] = packet->source_port;
	connection->ports[!from_a] = packet->destination_port;
	for (unsigned i = 0; i < 2; i++)
		tcp_half_init(&connection->halves[i], connection, i);
	TAILQ_INSERT_TAIL(list_of(connection), connection, link);
	streams->connections++;
	streams->user.begin(streams->user.owner, connection, packet);
	if (!has_flags(&packet->tcp, RTAP_TCP_FLAG_SYN))
		streams->user.life(streams->user.owner, connection, from_a, TCP_LIFE_MIDSTREAM, packet);
	return connection;
}

/* Whether a SYN opens another connection than this one. */
static bool opens_another(const struct tcp_connection *connection, const struct tcp_half *half,
			  const struct rtap_tcp_facts *tcp)
{
	const struct tcp_half *other = &connection->halves[!half->from_a];

	if (half->has_isn)
		return half->isn != tcp->sequence;
	/*
	 * Nobody answers before a request: the data of the other end belongs to an older connection, whose SYN was not seen.
	 */
	if (!half->started)
		return connection->closed || (!has_flags(tcp, RTAP_TCP_FLAG_ACK) && other->started && !other->has_isn);
	return (uint32_t)half->base - (tcp->sequence + 1) > OVERTAKEN;
}

/*
 * Whether data is so far away that it belongs to another connection whose opening was not seen. One segment may be anything;
 * a second one in sequence to it is proof and is set then.
 */
static bool is_outside(struct tcp_half *half, const struct rtap_tcp_facts *tcp, bool *proof)
{
	int64_t ahead = (int64_t)(tcp_half_unwrap(half, tcp->sequence) - half->next);

	if (!half->started || half->connection->ignored || (ahead <= (int64_t)TCP_HALF_AHEAD && ahead >= -(int64_t)TCP_HALF_PAST))
		return false;
	*proof = half->has_stray && half->stray == tcp->sequence;
	half->has_stray = true;
	half->stray = tcp->sequence + tcp->payload.wire;
	return true;
}

static void report_life(struct tcp_connection *connection, bool from_a, enum tcp_life life, const struct rtap_packet *packet)
{
	connection->streams->user.life(connection->streams->user.owner, connection, from_a, life, packet);
}

static void take_syn(struct tcp_half *half, const struct rtap_packet *packet)
{
	enum tcp_life life = has_flags(&packet->tcp, RTAP_TCP_FLAG_ACK) ? TCP_LIFE_SYN_ACK : TCP_LIFE_SYN;

	if (half->has_isn)
		return;
	half->has_isn = true;
	half->isn = packet->tcp.sequence;
	if (!half->started)
		tcp_half_start(half, half->isn + 1);
	report_life(half->connection, half->from_a, life, packet);
}

/* What the sender of a segment had: later segments, captured before it, may have acknowledged more. */
static uint64_t acknowledged_by(const struct tcp_half *other, const struct rtap_tcp_facts *tcp)
{
	uint64_t position = other->acknowledged;

	if (!has_flags(tcp, RTAP_TCP_FLAG_ACK) || has_flags(tcp, RTAP_TCP_FLAG_SYN))
		return position;
	if (!other->started)
		return tcp_half_origin(other->zero + 1) + (uint64_t)(int64_t)(int32_t)(tcp->acknowledgment - other->zero - 1);
	position = tcp_half_unwrap(other, tcp->acknowledgment);
	return position < other->acknowledged ? position : other->acknowledged;
}

static void take_data(struct tcp_half *half, const struct tcp_half *other, const struct rtap_packet *packet,
		      struct tcp_segment_facts *facts)
{
	const struct rtap_tcp_facts *tcp = &packet->tcp;
	uint32_t sequence = tcp->sequence + has_flags(tcp, RTAP_TCP_FLAG_SYN);
	struct tcp_segment segment;

	if (!half->started)
		tcp_half_start(half, sequence);
	segment.begin = tcp_half_unwrap(half, sequence);
	segment.end = segment.begin + tcp->payload.wire;
	segment.bytes = packet->sources[tcp->payload.source].bytes + tcp->payload.offset;
	segment.captured = tcp->payload.captured;
	segment.has_digest = tcp->has_digest;
	segment.digest = tcp->digest;
	segment.point = packet->frame->capture_point;
	segment.delivered.frame = packet->frame->number;
	segment.delivered.time_ns = packet->frame->time_ns;
	segment.delivered.acknowledged = acknowledged_by(other, tcp);
	segment.delivered.was_ahead = segment.delivered.wanted = false;
	facts->offset = segment.begin - half->base;
	half->has_stray = false;
	tcp_half_data(half, &segment, other->has_window && !other->window, facts);
}

static void take_fin(struct tcp_half *half, const struct rtap_packet *packet)
{
	uint32_t sequence = packet->tcp.sequence + packet->tcp.payload.wire;
	bool had = half->has_fin;

	if (!half->started)
		tcp_half_start(half, sequence);
	tcp_half_finish(half, tcp_half_unwrap(half, sequence));
	if (half->has_fin && !had)
		report_life(half->connection, half->from_a, TCP_LIFE_FIN, packet);
}

/* After a reset that the other end ignored, data continues. */
static void update_closed(struct tcp_connection *connection, bool is_reset, bool has_news)
{
	bool finished = connection->halves[0].has_fin && connection->halves[1].has_fin;
	bool reset = is_reset || (unlikely(connection->reset) && !has_news), closed = finished || reset;

	connection->reset = reset;
	if (closed == connection->closed && !TAILQ_NEXT(connection, link))
		return;
	TAILQ_REMOVE(list_of(connection), connection, link);
	connection->closed = closed;
	TAILQ_INSERT_TAIL(list_of(connection), connection, link);
}

static bool has_new_bytes(uint8_t analysis)
{
	return analysis == RTAP_TCP_NEW || analysis == RTAP_TCP_GAP || analysis == RTAP_TCP_OVERLAP ||
	       analysis == RTAP_TCP_WINDOW_PROBE;
}

/* RFC 9293, 3.8.4: one byte before the next one, without data here. */
static bool is_keep_alive(const struct tcp_half *half, const struct rtap_tcp_facts *tcp)
{
	return half->started && !(tcp->flags & (RTAP_TCP_FLAG_SYN | RTAP_TCP_FLAG_FIN | RTAP_TCP_FLAG_RST)) &&
	       tcp_half_unwrap(half, tcp->sequence) + 1 == half->highest;
}

/* Where relative sequence numbers begin, as Wireshark has them: a SYN has 0, else the first one seen of each end is 1. */
static inline void note_zero(struct tcp_half *half, struct tcp_half *other, const struct rtap_tcp_facts *tcp)
{
	if (unlikely(!half->has_zero)) {
		half->zero = tcp->sequence - !has_flags(tcp, RTAP_TCP_FLAG_SYN);
		half->has_zero = true;
	}
	if (unlikely(!other->has_zero) && has_flags(tcp, RTAP_TCP_FLAG_ACK)) {
		other->zero = tcp->acknowledgment - 1;
		other->has_zero = true;
	}
}

/* Processes a segment for its own direction, then for the other one. */
static void take(struct tcp_half *half, struct tcp_half *other, const struct rtap_packet *packet, struct tcp_segment_facts *facts)
{
	const struct rtap_tcp_facts *tcp = &packet->tcp;
	struct tcp_connection *connection = facts->connection;
	bool is_reset = has_flags(tcp, RTAP_TCP_FLAG_RST);

	if (has_flags(tcp, RTAP_TCP_FLAG_SYN))
		take_syn(half, packet);
	/* It shows the start of the other direction if the SYN there was not seen. */
	if (has_flags(tcp, RTAP_TCP_FLAG_SYN | RTAP_TCP_FLAG_ACK) && !other->started)
		tcp_half_start(other, tcp->acknowledgment);
	/*
	 * Before the data: the sender had everything that it acknowledges. During the opening there was nothing to
	 * acknowledge.
	 */
	if (has_flags(tcp, RTAP_TCP_FLAG_ACK) && !has_flags(tcp, RTAP_TCP_FLAG_SYN) && other->started)
		tcp_half_acknowledge(other, tcp);
	/* A reset carries text for people, not data: RFC 9293, 3.5.2. */
	if (connection->ignored)
		;
	else if (tcp->payload.wire && !is_reset)
		take_data(half, other, packet, facts);
	else if (is_keep_alive(half, tcp))
		facts->analysis = RTAP_TCP_KEEP_ALIVE;
	if (has_flags(tcp, RTAP_TCP_FLAG_FIN) && !is_reset)
		take_fin(half, packet);
	if (is_reset && !connection->reset)
		report_life(connection, half->from_a, TCP_LIFE_RST, packet);
	half->window = tcp->window;
	half->has_window = true;
	update_closed(connection, is_reset, has_new_bytes(facts->analysis));
}

/* Waiting bytes of a direction may be due. */
static inline void settle(struct tcp_half *half, const struct tcp_connection *connection)
{
	if (unlikely(connection->ignored))
		tcp_half_fini(half);
	else if (half->started && (!TAILQ_EMPTY(&half->pieces) || tcp_half_is_due(half, connection->segments, connection->last_ns)))
		tcp_half_settle(half, connection->last_ns);
}

static void process(struct tcp_connection *connection, const struct rtap_packet *packet, struct tcp_segment_facts *facts)
{
	struct tcp_half *from_b = &connection->halves[0], *from_a = &connection->halves[1];

	note_zero(&connection->halves[facts->from_a], &connection->halves[!facts->from_a], &packet->tcp);
	lock_queues(connection);
	connection->segments++;
	connection->last_ns = packet->frame->time_ns;
	take(facts->from_a ? from_a : from_b, facts->from_a ? from_b : from_a, packet, facts);
	settle(from_b, connection);
	settle(from_a, connection);
	unlock_queues(connection);
}

/* The connection of a packet, created if necessary, and the packet's direction; NULL: none. */
static struct tcp_connection *find(struct tcp_streams *streams, const struct rtap_packet *packet, struct tcp_segment_facts *facts,
				   bool is_copy, bool *outside)
{
	const struct rtap_tcp_facts *tcp = &packet->tcp;
	struct tcp_connection *connection = TAILQ_LAST(&streams->open, tcp_connections);
	bool *from_a = &facts->from_a, proof = false;
	struct tcp_key key;

	make_key(&key, packet->source_address, packet->destination_address, packet->address_length, packet->source_port,
		 packet->destination_port);
	/* Segments of one connection often arrive in a row. */
	*from_a = connection && equal(&connection->keys[1], &key);
	if (!*from_a && (!connection || !equal(&connection->keys[0], &key))) {
		connection = map_find(&streams->map, hash_of(&key), has_key, &key);
		*from_a = connection && equal(&connection->keys[1], &key);
	}
	if (is_copy)
		return connection;
	if (connection) {
		struct tcp_half *half = &connection->halves[*from_a];

		if (has_flags(tcp, RTAP_TCP_FLAG_SYN))
			proof = opens_another(connection, half, tcp);
		else
			*outside = tcp->payload.wire && is_outside(half, tcp, &proof);
		if (!proof)
			return connection;
		*outside = false;
		finish(connection, TCP_END_REUSED);
		connection = NULL;
	}
	if (has_flags(tcp, RTAP_TCP_FLAG_RST) || (!tcp->payload.wire && !has_flags(tcp, RTAP_TCP_FLAG_SYN)))
		return NULL;
	if (!connection && is_of_finished(streams, &key, tcp)) {
		facts->analysis = RTAP_TCP_RETRANSMISSION;
		return NULL;
	}
	connection = begin(streams, &key, packet);
	if (connection)
		*from_a = equal(&connection->keys[1], &key);
	else
		streams->unkept++;
	return connection;
}

void tcp_stream_relative(const struct tcp_segment_facts *facts, struct rtap_tcp_facts *tcp)
{
	const struct tcp_half *half, *other;

	/* the first number of a connection, also of one that was refused before */
	tcp->has_relative = has_flags(tcp, RTAP_TCP_FLAG_SYN) && !has_flags(tcp, RTAP_TCP_FLAG_ACK);
	if (!facts->connection)
		return;
	half = &facts->connection->halves[facts->from_a];
	other = &facts->connection->halves[!facts->from_a];
	tcp->has_relative = half->has_zero;
	tcp->relative_sequence = tcp->sequence - half->zero;
	tcp->relative_acknowledgment = tcp->acknowledgment - (has_flags(tcp, RTAP_TCP_FLAG_ACK) ? other->zero : 0);
}

void tcp_stream_digest(struct rtap_packet *packet)
{
	struct rtap_tcp_facts *tcp = &packet->tcp;

	if (!tcp->present || !tcp->payload.captured)
		return;
	tcp->has_digest = true;
	tcp->digest = tcp_digest(packet->sources[tcp->payload.source].bytes + tcp->payload.offset, tcp->payload.captured);
}

void tcp_stream_note_difference(struct rtap_packet *packet)
{
	uint8_t layer = packet->layer_count;

	while (layer-- && packet->layers[layer].protocol != PROTOCOL_TCP)
		;
	packet_anomaly(packet, RTAP_ANOMALY_TCP_OVERLAP_DIFFERS, layer, packet->tcp.payload.offset);
}

static void take_segment(struct tcp_streams *streams, const struct rtap_packet *packet, bool is_copy, struct tcp_segment_facts *facts)
{
	bool outside = false;

	*facts = (struct tcp_segment_facts){ .analysis = RTAP_TCP_NONE };
	expire(streams, packet->frame->time_ns);
	if (!packet->source_address)
		return;
	facts->connection = find(streams, packet, facts, is_copy, &outside);
	if (!facts->connection) {
		streams->analyses[facts->analysis] += facts->analysis == RTAP_TCP_RETRANSMISSION;
		return;
	}
	if (outside)
		facts->analysis = RTAP_TCP_OUTSIDE;
	else if (is_copy)
		facts->analysis = RTAP_TCP_CAPTURED_TWICE;
	else
		process(facts->connection, packet, facts);
	streams->analyses[facts->analysis]++;
	streams->differing += facts->differs;
}

void tcp_stream_segment(struct tcp_streams *streams, const struct rtap_packet *packet, struct tcp_segment_facts *facts)
{
	take_segment(streams, packet, false, facts);
}

void tcp_stream_copy(struct tcp_streams *streams, const struct rtap_packet *packet, struct tcp_segment_facts *facts)
{
	take_segment(streams, packet, true, facts);
}

void tcp_streams_init(struct tcp_streams *streams, struct budget *budget, const struct tcp_stream_user *user)
{
	*streams = (struct tcp_streams){ .user = *user, .budget = budget, .entry = { .apart = true } };
	TAILQ_INIT(&streams->open);
	TAILQ_INIT(&streams->closed);
	TAILQ_INIT(&streams->finished);
}

void tcp_streams_flush(struct tcp_streams *streams)
{
	while (!TAILQ_EMPTY(&streams->closed))
		finish(TAILQ_FIRST(&streams->closed), TCP_END_CLOSED);
	while (!TAILQ_EMPTY(&streams->open))
		finish(TAILQ_FIRST(&streams->open), TCP_END_INPUT);
}

void tcp_streams_fini(struct tcp_streams *streams)
{
	while (!TAILQ_EMPTY(&streams->closed))
		destroy(TAILQ_FIRST(&streams->closed));
	while (!TAILQ_EMPTY(&streams->open))
		destroy(TAILQ_FIRST(&streams->open));
	while (!TAILQ_EMPTY(&streams->finished))
		discard_finished(streams, TAILQ_FIRST(&streams->finished));
	map_fini(&streams->finished_map);
	map_fini(&streams->map);
}
