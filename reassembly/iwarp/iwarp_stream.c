/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/iwarp/mpa_setup.h"
#include "dissect/management/cm.h"
#include "reassembly/connection.h"
#include "reassembly/connection_life.h"
#include "reassembly/connection_lifecycle.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/iwarp/ddp_message.h"
#include "reassembly/iwarp/ddp_recovery.h"
#include "reassembly/iwarp/ddp_upper.h"
#include "reassembly/iwarp/iwarp_half.h"
#include "reassembly/iwarp/iwarp_stream.h"
#include "reassembly/stream/tcp_half.h"
#include "reassembly/upper.h"

#define MOST_SEARCHED (1u << 20)
#define MOST_WAITING 4096
#define MOST_WAITING_BYTES (8u << 20)

static bool is_rdma_port(const struct iwarp_stream *stream, uint16_t port)
{
	return upper_has_port(stream->tracker, port);
}

static bool has_rdma_port(const struct iwarp_stream *stream)
{
	return is_rdma_port(stream, stream->tcp->ports[0]) || is_rdma_port(stream, stream->tcp->ports[1]);
}

static void account(struct iwarp_stream *stream)
{
	uint64_t memory = sizeof *stream;

	for (unsigned i = 0; i < 2; i++)
		memory += fpdu_memory(&stream->halves[i].framer) + stream->halves[i].waiting_bytes + stream->halves[i].ahead.room +
			  (stream->halves[i].requests ? IWARP_REQUESTS * sizeof *stream->halves[i].requests : 0);
	if (memory > stream->entry.bytes)
		budget_charge(&stream->tracker->budget, &stream->entry, memory - stream->entry.bytes);
	else if (memory < stream->entry.bytes)
		budget_give(&stream->tracker->budget, &stream->entry, stream->entry.bytes - memory);
}

static void fill_end(const struct iwarp_stream *stream, struct rtap_end *end, bool is_a)
{
	const struct tcp_connection *tcp = stream->tcp;
	bool side = iwarp_side_of(stream, is_a);

	memcpy(end->address, tcp->addresses[side], tcp->address_length);
	end->address_length = tcp->address_length;
	end->port = tcp->ports[side];
	end->port_known = true;
}

/*
 * Chooses the requester: the sender of the Request, or the end that opened the TCP connection; else the end without a
 * service port.
 */
static void choose_sides(struct iwarp_stream *stream)
{
	const struct iwarp_half *a = &stream->halves[1], *b = &stream->halves[0];

	if (a->has_setup || b->has_setup)
		stream->turned = a->has_setup ? a->mpa.is_reply : !b->mpa.is_reply;
	else
		stream->turned = !stream->opener_known && is_rdma_port(stream, stream->tcp->ports[1]) && !is_rdma_port(stream, stream->tcp->ports[0]);
}

static struct connection *connection_of(struct iwarp_stream *stream, uint64_t frame, int64_t time_ns)
{
	struct connection *connection = stream->connection;
	bool has_setup = stream->halves[0].has_setup || stream->halves[1].has_setup;

	if (connection)
		return connection;
	connection = connection_create(stream->tracker, frame, time_ns);
	if (!connection)
		return NULL;
	connection->ddp = memory_new_zeroed(1, sizeof *connection->ddp);
	if (!connection->ddp) {
		connection_drop(stream->tracker, connection);
		return NULL;
	}
	ddp_half_init(connection->ddp);
	choose_sides(stream);
	stream->connection = connection;
	connection->iwarp = stream;
	connection->shown.transport = RTAP_TRANSPORT_IWARP;
	fill_end(stream, &connection->shown.a, true);
	fill_end(stream, &connection->shown.b, false);
	connection->shown.learned_by_mpa = has_setup;
	connection->shown.has_service = has_setup || stream->opener_known || is_rdma_port(stream, connection->shown.b.port);
	connection->shown.service_id = CM_TCP_SERVICE(connection->shown.b.port);
	for (int side = 0; side < 2; side++) {
		const struct iwarp_half *half = &stream->halves[iwarp_side_of(stream, side)];

		/* RDMAP has no responses that report the result of a request. */
		connection->streams[side].reliable = false;
		if (stream->resumed || (half->stage == IWARP_FRAMES && !half->has_setup))
			ddp_message_lost(connection, side, 1);
	}
	connection_account(stream->tracker, connection);
	return connection;
}

/* --- FPDUs --- */

/* The connection has a frame that is perhaps its first one. */
static void begin_at(struct connection *connection, uint64_t frame, int64_t time_ns)
{
	if (frame >= connection->shown.first_frame)
		return;
	connection->shown.first_frame = frame;
	if (time_ns < connection->shown.time_ns)
		connection->shown.time_ns = time_ns;
}

static void take_fpdu(struct iwarp_stream *stream, bool from_a, const struct rtap_fpdu *fpdu, uint32_t frames, bool wanted,
		      uint32_t shown)
{
	struct connection *connection = connection_of(stream, fpdu->first_frame, fpdu->first_time_ns);
	bool side;

	if (!connection)
		return;
	/* Framing can be found in one direction before the other; where an FPDU ends can be captured before its beginning. */
	begin_at(connection, fpdu->first_frame, fpdu->first_time_ns);
	begin_at(connection, fpdu->last_frame, fpdu->last_time_ns);
	side = iwarp_side_of(stream, from_a);
	if (fpdu->crc_status == RTAP_CRC_BAD) {
		connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_BAD_FPDU_CRC]++;
		ddp_message_lost(connection, side, fpdu->bytes.length);
		return;
	}
	stream->tracker->wanted_ahead = wanted;
	ddp_message_fpdu(stream->tracker, connection, side, fpdu, frames, shown);
	stream->tracker->wanted_ahead = false;
}

static void take_lost(struct iwarp_stream *stream, bool from_a, uint64_t length)
{
	if (stream->connection)
		ddp_message_lost(stream->connection, iwarp_side_of(stream, from_a), length);
}

/*
 * Whether the other direction, of which nothing was captured yet, may begin later: the sender of a Request sends FPDUs after the Reply
 * (RFC 5044, 7.1.2). If only this direction is captured, its FPDUs do not wait for long.
 */
static bool may_begin_late(const struct iwarp_half *half)
{
	const struct tcp_connection *tcp = half->stream->tcp;

	return half->has_setup && !half->mpa.is_reply && tcp->segments < TCP_HALF_GRACE_SEGMENTS &&
	       tcp->last_ns - half->setup_time_ns < TCP_HALF_GRACE_NS;
}

/* Whether a position of the other direction is processed. The byte before it may be a FIN. */
static bool has_cause(const struct iwarp_half *half, uint64_t needs)
{
	const struct iwarp_half *other = &half->stream->halves[!half->from_a];

	if (!half->stream->tcp->halves[!half->from_a].started)
		return !needs || !may_begin_late(half);
	return iwarp_half_taken(other) + 1 >= needs;
}

static bool is_over(const struct iwarp_half *half, const struct iwarp_waiting *waiting)
{
	return half->stream->tcp->segments - waiting->segments >= IWARP_WAIT_SEGMENTS;
}

static void free_waiting(struct iwarp_half *half)
{
	struct iwarp_waiting *waiting;

	while ((waiting = STAILQ_FIRST(&half->queue))) {
		STAILQ_REMOVE_HEAD(&half->queue, link);
		free(waiting);
	}
}

static void take_first(struct iwarp_half *half)
{
	struct iwarp_waiting *waiting = STAILQ_FIRST(&half->queue);
	struct iwarp_view *view = &half->stream->tracker->view;
	bool is_shown = waiting->shown < view->count && waiting->filling == view->fillings;

	STAILQ_REMOVE_HEAD(&half->queue, link);
	half->waiting--;
	half->waiting_bytes -= sizeof *waiting + waiting->fpdu.bytes.length;
	/* The frame may show its dissection, which must not refer to the copy freed here. */
	if (is_shown)
		waiting->fpdu.bytes = view->list[waiting->shown].bytes;
	if (waiting->lost)
		take_lost(half->stream, half->from_a, waiting->lost);
	else
		take_fpdu(half->stream, half->from_a, &waiting->fpdu, waiting->frames, waiting->wanted, is_shown ? waiting->shown : IWARP_NOT_SHOWN);
	free(waiting);
}

/* Queues a copy of `what` to wait. False: not possible, and everything queued before it was processed. */
static bool let_wait(struct iwarp_half *half, const struct iwarp_waiting *what)
{
	const struct budget *budget = &half->stream->tracker->budget;
	uint32_t length = what->fpdu.bytes.length;
	struct iwarp_waiting *waiting = NULL;

	if (half->waiting < MOST_WAITING && half->waiting_bytes + length <= MOST_WAITING_BYTES && budget->used + length <= budget->limit)
		waiting = memory_new(sizeof *waiting + length);
	if (!waiting) {
		while (!STAILQ_EMPTY(&half->queue))
			take_first(half);
		return false;
	}
	*waiting = *what;
	waiting->segments = half->stream->tcp->segments;
	waiting->filling = half->stream->tracker->view.fillings;
	if (length)
		waiting->fpdu.bytes.bytes = memcpy(waiting->bytes, what->fpdu.bytes.bytes, length);
	STAILQ_INSERT_TAIL(&half->queue, waiting, link);
	half->waiting++;
	half->waiting_bytes += sizeof *waiting + length;
	account(half->stream);
	return true;
}

/* Processes one that no longer has to wait: its cause is processed, or it has waited long enough. False: none. */
static bool take_one(struct iwarp_stream *stream)
{
	for (unsigned over = 0; over < 2; over++)
		for (unsigned i = 0; i < 2; i++) {
			struct iwarp_half *half = &stream->halves[i];
			const struct iwarp_waiting *first = STAILQ_FIRST(&half->queue);

			if (!first || !(over ? is_over(half, first) : has_cause(half, first->needs)))
				continue;
			take_first(half);
			return true;
		}
	return false;
}

static void take_waiting(struct iwarp_stream *stream)
{
	while ((!STAILQ_EMPTY(&stream->halves[0].queue) || !STAILQ_EMPTY(&stream->halves[1].queue)) && take_one(stream))
		;
}

/* No more bytes arrive: those that wait for each other are processed in the order of their frames. */
static void take_all(struct iwarp_stream *stream)
{
	struct iwarp_half *b = &stream->halves[0], *a = &stream->halves[1];
	const struct iwarp_waiting *of_a, *of_b;

	for (take_waiting(stream); (of_a = STAILQ_FIRST(&a->queue)), (of_b = STAILQ_FIRST(&b->queue)), of_a || of_b; take_waiting(stream))
		take_first(!of_b || (of_a && of_a->fpdu.last_frame <= of_b->fpdu.last_frame) ? a : b);
}

static void prove(struct iwarp_stream *stream)
{
	stream->proven = true;
	for (unsigned i = 0; i < 2; i++)
		stream->halves[i].framer.rules.is_iwarp = true;
}

/* Transfers the framer's memory of an FPDU to the frame. False: not possible. */
static bool adopt(struct iwarp_half *half, const struct rtap_fpdu *fpdu)
{
	struct rtap_tracker *tracker = half->stream->tracker;
	uint8_t *memory;
	size_t size;

	if (!fpdu->split || !iwarp_view_has_room(&tracker->view, &tracker->budget, fpdu->bytes.length))
		return false;
	memory = fpdu_hand_over(&half->framer, fpdu, &size);
	return memory && iwarp_view_keep(&tracker->view, &tracker->budget, memory, size);
}

/* Whether the current frame has data of this direction. Others, of which a stream learns something or during which it ends, show none of it. */
static bool has_frame(const struct iwarp_half *half)
{
	const struct tcp_connection *tcp = half->stream->tcp;
	const struct rtap_packet *packet = half->stream->tracker->view.packet;
	bool from_a = half->from_a;

	return packet && packet->source_port == tcp->ports[from_a] && packet->destination_port == tcp->ports[!from_a] &&
	       !memcmp(packet->source_address, tcp->addresses[from_a], packet->address_length) &&
	       !memcmp(packet->destination_address, tcp->addresses[!from_a], packet->address_length);
}

/* Whether its own frame has shown it. One in several frames, or in one that could not be read ahead, was not. */
static bool was_shown(const struct iwarp_half *half, const struct rtap_fpdu *fpdu)
{
	return half->was_ahead && (!fpdu->split || (fpdu->first_frame == fpdu->last_frame && fpdu->stream_offset >= half->ahead_from));
}

static void report_fpdu(struct fpdu_sink *sink, const struct rtap_fpdu *fpdu)
{
	struct iwarp_half *half = (struct iwarp_half *)sink;
	struct iwarp_stream *stream = half->stream;
	uint32_t frames = fpdu_frames(&half->framer, fpdu);
	uint64_t needs = fpdu_cause(&half->framer, fpdu);
	struct iwarp_view *view = &stream->tracker->view;
	uint32_t shown = IWARP_NOT_SHOWN;

	if (!stream->proven)
		prove(stream);
	if (!was_shown(half, fpdu) && has_frame(half))
		shown = iwarp_view_add(view, &stream->tracker->budget, stream, fpdu, adopt(half, fpdu));
	if (!STAILQ_EMPTY(&half->queue) || !has_cause(half, needs)) {
		struct iwarp_waiting waiting = {
			.fpdu = *fpdu, .frames = frames, .offset = fpdu->stream_offset, .needs = needs, .shown = shown,
			.wanted = half->wanted,
		};

		if (let_wait(half, &waiting)) {
			if (stream->connection)
				ddp_upper_ahead(stream->tracker, stream->connection, iwarp_side_of(stream, half->from_a), fpdu, shown);
			return;
		}
	}
	take_fpdu(stream, half->from_a, fpdu, frames, half->wanted, shown);
}

static void report_lost(struct fpdu_sink *sink, uint64_t offset, uint64_t length)
{
	struct iwarp_half *half = (struct iwarp_half *)sink;

	if (half->stream->connection)
		half->stream->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_UNFRAMED]++;
	if (!STAILQ_EMPTY(&half->queue) && let_wait(half, &(struct iwarp_waiting){ .lost = length, .offset = offset, .shown = IWARP_NOT_SHOWN }))
		return;
	take_lost(half->stream, half->from_a, length);
}

/* --- setup --- */

static enum fpdu_use use_of(bool known, bool on)
{
	return !known ? FPDU_UNKNOWN : on ? FPDU_ON : FPDU_OFF;
}

/* FPDUs begin with the next byte of input, at `offset`, or somewhere after it. */
static void begin_frames(struct iwarp_half *half, uint64_t offset, bool from_start)
{
	struct iwarp_stream *stream = half->stream;
	const struct iwarp_half *other = &stream->halves[!half->from_a];
	bool crc = (half->has_setup && half->mpa.crc) || (other->has_setup && other->mpa.crc);
	struct fpdu_rules rules = {
		.from_start = from_start,
		.is_iwarp = stream->proven || has_rdma_port(stream),
		.crc = use_of(crc || (half->has_setup && other->has_setup), crc),
		.markers = use_of(other->has_setup, other->mpa.markers),
	};

	fpdu_fini(&half->framer);
	fpdu_init(&half->framer, &half->sink, &rules, offset);
	half->stage = IWARP_FRAMES;
	if (!from_start)
		take_lost(stream, half->from_a, 1);
}

static void note_private(struct rtap_tracker *tracker, struct connection *connection, bool is_a, const struct rtap_mpa_facts *mpa)
{
	struct rtap_connection *shown = &connection->shown;

	shown->has_private[!is_a] = mpa->upper == RTAP_UPPER_RPCRDMA;
	shown->remote_invalidation[!is_a] = mpa->remote_invalidation;
	shown->send_size[!is_a] = mpa->send_size;
	shown->receive_size[!is_a] = mpa->receive_size;
	upper_note(tracker, connection, (enum rtap_upper)mpa->upper);
}

/*
 * A Request or Reply of `length` bytes, whose private data may be truncated. CRCs are used if either end requests them:
 * RFC 5044, 7.1.1.
 */
static void take_setup(struct iwarp_half *half, uint32_t length, uint64_t frame, int64_t time_ns)
{
	struct iwarp_stream *stream = half->stream;
	struct cursor cursor = { half->setup, half->setup_length, length };
	struct iwarp_half *other = &stream->halves[!half->from_a];
	struct connection *connection;

	half->has_setup = mpa_read_setup(&cursor, &half->mpa) == OK || half->mpa.length;
	connection = connection_of(stream, frame, time_ns);
	if (!connection)
		return;
	note_private(stream->tracker, connection, iwarp_side_of(stream, half->from_a), &half->mpa);
	connection_life_event(connection, !half->mpa.is_reply ? "rdma_connect" : half->mpa.rejected ? "rdma_reject" : "rdma_accept",
			 frame, time_ns, 0);
	if (other->stage != IWARP_FRAMES || !other->has_setup)
		return;
	/* No FPDU precedes the Reply: the negotiated result for the Request's side is known only now. */
	if (other->framer.rules.from_start && other->framer.offset == other->framer.found)
		begin_frames(other, other->framer.offset, true);
	else if (other->framer.rules.crc == FPDU_UNKNOWN)
		other->framer.rules.crc = use_of(true, half->mpa.crc || other->mpa.crc);
}

/* Bytes at the beginning of a stream. Returns how many were consumed. */
static uint32_t take_beginning(struct iwarp_half *half, const struct tcp_bytes *bytes)
{
	struct iwarp_stream *stream = half->stream;
	uint32_t used = 0;

	while (used < bytes->span.length) {
		uint32_t wanted = half->setup_length < MPA_SETUP_LENGTH ? MPA_SETUP_LENGTH :
								       MPA_SETUP_LENGTH + load16(half->setup + MPA_SETUP_LENGTH - 2);
		uint32_t part = wanted - half->setup_length;

		if (wanted > sizeof half->setup) {
			stream->refused = !stream->proven;
			return used;
		}
		if (part > bytes->span.length - used)
			part = bytes->span.length - used;
		memcpy(half->setup + half->setup_length, bytes->span.bytes + used, part);
		half->setup_frame = bytes->frame;
		half->setup_time_ns = bytes->time_ns;
		half->setup_length += part;
		used += part;
		if (!mpa_may_be_setup(half->setup, half->setup_length)) {
			stream->refused = !stream->proven;
			return used;
		}
		if (half->setup_length >= MPA_KEY_LENGTH)
			prove(stream);
		if (half->setup_length >= MPA_SETUP_LENGTH &&
		    half->setup_length == MPA_SETUP_LENGTH + (uint32_t)load16(half->setup + MPA_SETUP_LENGTH - 2)) {
			take_setup(half, half->setup_length, bytes->frame, bytes->time_ns);
			begin_frames(half, bytes->offset + used, true);
			return used;
		}
	}
	return used;
}

static void begin_half(struct iwarp_half *half, const struct tcp_bytes *bytes)
{
	struct cursor cursor = { bytes->span.bytes, bytes->span.length, bytes->span.length };

	if ((half->begun && !bytes->offset) || mpa_is_setup(&cursor))
		half->stage = IWARP_SETUP;
	else if (!half->stream->proven && !has_rdma_port(half->stream) && half->stream->tracker->context.no_heuristics)
		half->stream->refused = true;
	else
		begin_frames(half, bytes->offset, false);
}

void iwarp_stream_bytes(struct iwarp_stream *stream, bool from_a, const struct tcp_bytes *bytes)
{
	struct iwarp_half *half = &stream->halves[from_a];
	struct fpdu_piece piece = {
		bytes->span.bytes, bytes->span.length, bytes->frame, bytes->time_ns, bytes->acknowledged,
		iwarp_view_is_checked(&stream->tracker->view, &bytes->span),
	};

	if (half->stage == IWARP_NOTHING)
		begin_half(half, bytes);
	if (half->stage == IWARP_SETUP) {
		uint32_t used = take_beginning(half, bytes);

		piece.bytes += used;
		piece.length -= used;
		piece.checked &= !used;
		/* The other direction is iWARP, but this one does not begin as such. */
		if (half->stage == IWARP_SETUP && piece.length && !stream->refused)
			begin_frames(half, bytes->offset + used, false);
	}
	if (stream->refused || half->stage != IWARP_FRAMES || !piece.length)
		return;
	half->was_ahead = bytes->was_ahead;
	half->wanted = bytes->wanted;
	if (!bytes->was_ahead)
		half->ahead_from = bytes->offset + bytes->span.length;
	fpdu_take(&half->framer, &piece);
	half->was_ahead = half->wanted = false;
	if (!stream->proven) {
		half->searched += piece.length;
		stream->refused = half->searched > MOST_SEARCHED && !has_rdma_port(stream);
		account(stream);
	}
}

/* Whether the capture truncated only the private data of a Request or Reply: the negotiated parameters precede it. */
static bool is_cut_setup(const struct iwarp_half *half, const struct tcp_hole *hole)
{
	uint32_t length = MPA_SETUP_LENGTH;

	if (half->stage != IWARP_SETUP || hole->reason != TCP_HOLE_SNAPPED || half->setup_length < length)
		return false;
	length += load16(half->setup + MPA_SETUP_LENGTH - 2);
	return length <= sizeof half->setup && hole->length == length - half->setup_length;
}

static void show_ahead(struct fpdu_sink *sink, const struct rtap_fpdu *fpdu)
{
	struct iwarp_half *half = (struct iwarp_half *)sink;
	struct iwarp_stream *stream = half->stream;
	uint32_t shown = iwarp_view_add(&stream->tracker->view, &stream->tracker->budget, stream, fpdu, false);

	if (stream->connection)
		ddp_upper_ahead(stream->tracker, stream->connection, iwarp_side_of(stream, half->from_a), fpdu, shown);
}

bool iwarp_stream_ahead(struct iwarp_stream *stream, bool from_a, const struct tcp_bytes *bytes)
{
	struct iwarp_half *half = &stream->halves[from_a];
	struct iwarp_view *view = &stream->tracker->view;
	struct fpdu_piece piece = { bytes->span.bytes, bytes->span.length, bytes->frame, bytes->time_ns, bytes->acknowledged, false };

	if (!stream->proven || half->stage != IWARP_FRAMES || !fpdu_look_ahead(&half->framer, bytes->offset, &piece, show_ahead))
		return false;
	view->ahead = stream->tcp;
	view->ahead_from_a = from_a;
	account(stream);
	return true;
}

void iwarp_stream_hole(struct iwarp_stream *stream, bool from_a, const struct tcp_hole *hole)
{
	static const uint8_t reasons[] = {
		[TCP_HOLE_NOT_CAPTURED] = RTAP_MISSING_NOT_CAPTURED, [TCP_HOLE_SNAPPED] = RTAP_MISSING_SNAPPED,
		[TCP_HOLE_EVICTED] = RTAP_MISSING_EVICTED, [TCP_HOLE_LOST] = RTAP_MISSING_NOT_CAPTURED,
	};
	struct iwarp_half *half = &stream->halves[from_a];

	if (is_cut_setup(half, hole)) {
		take_setup(half, half->setup_length + (uint32_t)hole->length, half->setup_frame, half->setup_time_ns);
		begin_frames(half, hole->offset + hole->length, true);
		return;
	}
	if (half->stage != IWARP_FRAMES)
		begin_frames(half, hole->offset, false);
	fpdu_skip(&half->framer, hole->length, reasons[hole->reason]);
	if (stream->connection)
		stream->connection->shown.anomaly_counts[hole->reason == TCP_HOLE_SNAPPED ? RTAP_CONNECTION_ANOMALY_CUT : RTAP_CONNECTION_ANOMALY_NOT_CAPTURED]++;
	account(stream);
}

/* --- streams --- */

/* Memory is short: drops held bytes. FPDUs are searched again. */
static void evict(struct budget_entry *entry, void *owner)
{
	struct iwarp_stream *stream = owner;

	stream->tracker->counters.evictions++;
	for (unsigned i = 0; i < 2; i++) {
		struct iwarp_half *half = &stream->halves[i];
		const struct iwarp_waiting *first = STAILQ_FIRST(&half->queue);

		if (half->stage == IWARP_FRAMES)
			take_lost(stream, half->from_a, half->framer.offset - (first ? first->offset : half->framer.start));
		free_waiting(half);
		half->waiting = 0;
		half->waiting_bytes = 0;
		iwarp_half_discard_ahead(half);
		if (half->stage == IWARP_FRAMES)
			begin_frames(half, half->framer.offset, false);
	}
	budget_give(&stream->tracker->budget, entry, entry->bytes);
}

/*
 * Nothing arrived for a long time: what waits for the other direction waits no longer. The start of the next FPDU is still
 * known.
 */
static void give_up(struct budget_entry *entry, void *owner)
{
	struct iwarp_stream *stream = owner;

	(void)entry;
	take_all(stream);
	for (unsigned i = 0; i < 2; i++)
		iwarp_half_discard_ahead(&stream->halves[i]);
	account(stream);
}

struct iwarp_stream *iwarp_stream_create(struct rtap_tracker *tracker, struct tcp_connection *tcp)
{
	struct iwarp_stream *stream = memory_new_zeroed(1, sizeof *stream);

	if (!stream)
		return NULL;
	stream->tracker = tracker;
	stream->tcp = tcp;
	stream->entry = (struct budget_entry){ .evict = evict, .give_up = give_up, .owner = stream };
	for (unsigned i = 0; i < 2; i++) {
		stream->halves[i].sink = (struct fpdu_sink){ report_fpdu, report_lost };
		stream->halves[i].stream = stream;
		stream->halves[i].from_a = i;
		STAILQ_INIT(&stream->halves[i].queue);
	}
	account(stream);
	return stream;
}

void iwarp_stream_destroy(struct iwarp_stream *stream)
{
	for (unsigned i = 0; i < 2; i++) {
		fpdu_fini(&stream->halves[i].framer);
		iwarp_half_discard_ahead(&stream->halves[i]);
		free_waiting(&stream->halves[i]);
	}
	if (stream->tracker->view.ahead == stream->tcp)
		stream->tracker->view.ahead = NULL;
	iwarp_view_discard(&stream->tracker->view, stream);
	if (stream->connection)
		stream->connection->iwarp = NULL;
	budget_give(&stream->tracker->budget, &stream->entry, stream->entry.bytes);
	free(stream);
}

/*
 * Reports the acknowledged position of each direction, at the current frame, to messages, which wait for it if they are
 * reported.
 */
static void report_acknowledged(struct iwarp_stream *stream, uint64_t frame)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct tcp_half *tcp = &stream->tcp->halves[i];
		const struct ddp_half *messages = &stream->connection->ddp->halves[iwarp_side_of(stream, i)];
		struct iwarp_half *half = &stream->halves[i];
		const struct message *first = TAILQ_FIRST(&messages->unacknowledged);
		uint64_t offset = tcp->acknowledged > tcp->base ? tcp->acknowledged - tcp->base : 0;

		if (!tcp->has_acknowledged)
			continue;
		if (!messages->is_acknowledged || (first && first->ack_at <= offset))
			ddp_half_acknowledged(stream->tracker, stream->connection, iwarp_side_of(stream, i), half->acknowledged, offset, frame);
		half->acknowledged = offset;
	}
}

void iwarp_stream_end(struct iwarp_stream *stream)
{
	for (unsigned i = 0; i < 2; i++)
		if (stream->halves[i].stage == IWARP_FRAMES)
			fpdu_finish(&stream->halves[i].framer, RTAP_MISSING_NOT_CAPTURED);
	take_all(stream);
	if (stream->connection) {
		ddp_message_end(stream->tracker, stream->connection);
		report_acknowledged(stream, 0);
		connection_close(stream->tracker, stream->connection);
	}
	/* This completed nothing in the current frame, which may be of another stream. */
	stream->tracker->view.flow = (struct rtap_flow_facts){ 0 };
	iwarp_stream_destroy(stream);
}

void iwarp_stream_life(struct iwarp_stream *stream, bool from_a, enum tcp_life life, const struct rtap_packet *packet)
{
	const struct rtap_frame *frame = packet->frame;

	if (life == TCP_LIFE_SYN || life == TCP_LIFE_SYN_ACK) {
		stream->halves[from_a].begun = stream->opener_known = true;
		return;
	}
	if (!stream->connection || life == TCP_LIFE_MIDSTREAM)
		return;
	stream->fins = (uint8_t)(stream->fins + (life == TCP_LIFE_FIN));
	connection_life_event(stream->connection, life == TCP_LIFE_FIN && stream->fins == 1 ? "rdma_disconnect" : "disconnected",
			 frame->number, frame->time_ns, 0);
}

enum iwarp_verdict iwarp_stream_verdict(const struct iwarp_stream *stream)
{
	return stream->refused ? IWARP_NO : stream->proven ? IWARP_YES : IWARP_PERHAPS;
}

/* Whether FPDUs may end in the segment that it does not show: its bytes are after a gap, or the start of FPDUs is searched. */
static bool hides_fpdus(const struct iwarp_stream *stream, const struct tcp_segment_facts *facts, const struct rtap_packet *packet)
{
	const struct tcp_half *tcp = &stream->tcp->halves[facts->from_a];
	const struct iwarp_half *half = &stream->halves[facts->from_a];
	uint32_t length = packet->tcp.payload.wire;

	if (!length)
		return false;
	return (tcp->base + facts->offset + length > tcp->next && stream->tracker->view.ahead != stream->tcp) ||
	       (half->stage == IWARP_FRAMES && half->framer.searching && half->framer.held_length);
}

void iwarp_stream_segment(struct iwarp_stream *stream, const struct tcp_segment_facts *facts, struct rtap_packet *packet)
{
	struct rtap_flow_facts *flow = &packet->flow;

	take_waiting(stream);
	account(stream);
	budget_touch(&stream->tracker->budget, &stream->entry);
	if (!stream->connection)
		return;
	*flow = stream->tracker->view.flow;
	flow->present = true;
	flow->tcp_analysis = facts->analysis;
	flow->hides_fpdus = hides_fpdus(stream, facts, packet);
	flow->connection = stream->connection->shown.number;
	flow->from_a = iwarp_side_of(stream, facts->from_a);
	if (facts->analysis != RTAP_TCP_CAPTURED_TWICE)
		tcp_recovery_segment(&stream->halves[facts->from_a].recovery, &stream->halves[!facts->from_a].recovery, flow->from_a, packet,
				     &stream->recoveries, flow);
	if (stream->tracker->reports) {
		if (flow->tcp_recovery_count || facts->analysis == RTAP_TCP_RETRANSMISSION)
			ddp_recovery_segment(stream->tracker, stream->connection, facts->offset, flow);
		report_acknowledged(stream, packet->frame->number);
	}
	connection_note(stream->tracker, stream->connection, packet, facts);
}
