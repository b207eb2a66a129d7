/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/infiniband/ib_crc.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/early_response.h"
#include "reassembly/infiniband/ib_message.h"
#include "reassembly/infiniband/ib_response.h"
#include "reassembly/infiniband/icrc_sender.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_list.h"
#include "reassembly/message_queue.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/infiniband/reuse.h"
#include "reassembly/time_windows.h"
#include "reassembly/upper.h"

/* Immediate data and the key to invalidate are in the last packet. */
static void take_last(struct message *message, const struct rtap_ib_facts *ib)
{
	message->ends_with_immediate |= (ib_opcodes[ib->opcode].headers & IB_IMMDT) != 0;
	if (ib->has_immediate) {
		message->shown.has_immediate = true;
		message->shown.immediate = ib->immediate;
	}
	if (ib->has_ieth) {
		message->shown.has_invalidate = true;
		message->shown.invalidated_r_key = ib->invalidated_r_key;
	}
}

/* False: already known, or truncated by the capture. */
static bool take_reth(struct message *message, const struct rtap_ib_facts *ib)
{
	struct rtap_message *shown = &message->shown;
	uint64_t count;

	if (shown->request_seen)
		return false;
	if (!ib->has_reth) {
		psn_note_unknown(message->stream, message->low, message->low + 1);
		return false;
	}
	shown->request_seen = shown->has_key = true;
	shown->r_key = ib->r_key;
	shown->virtual_address = ib->virtual_address;
	shown->length = ib->dma_length;
	count = assembly_psn_count(ib->dma_length, message->stream->pmtu);
	if (count)
		message->end = message->low + count;
	return true;
}

/*
 * Services without acknowledgements: a message ends when it is complete, or when the next one begins. IBTA vol. 1, 9.8.2.2.
 */
static __attribute__((noinline)) void close_unreliable(struct psn_stream *stream, struct message *message, int64_t now_ns, bool begins)
{
	struct message *before = begins ? message_list_before(message) : NULL;

	for (; before && !before->answered; before = message_list_before(before))
		message_list_end_wait(stream, before, now_ns);
	if (!message->answered && assembly_is_whole(message))
		message_list_end_wait(stream, message, now_ns);
}

/* A SEND with all its packets, some of them truncated. */
static bool is_cut_send(const struct message *message)
{
	return message->shown.verb == RTAP_VERB_SEND && message->cut.count && message->has_first && message->has_last &&
	       message->coverage.total + message->cut.total >= message_known_length(message);
}

/* SEND and WRITE packets. */
static void data_packet(struct rtap_tracker *tracker, struct psn_stream *stream, struct rtap_packet *packet, uint64_t psn,
			const struct piece *piece, const struct ib_opcode *opcode, struct frame_result *result)
{
	enum rtap_verb verb = (enum rtap_verb)opcode->verb;
	enum ib_place place = (enum ib_place)opcode->place;
	struct message *message;
	uint64_t frames;
	bool was_whole;

	if (place == IB_FIRST || place == IB_MIDDLE)
		assembly_learn_path_mtu(stream, piece->wire);
	message = assembly_message_of(tracker, stream, message_list_find_before(stream, psn, NULL), psn, opcode, piece);
	if (!message)
		return;
	frames = message->shown.frames;
	was_whole = frames && assembly_is_whole(message);
	assembly_extend(message, psn, place);
	if (verb == RTAP_VERB_WRITE && (place == IB_FIRST || place == IB_ONLY) && take_reth(message, &packet->ib))
		upper_claim(tracker, message);
	if (place == IB_LAST || place == IB_ONLY)
		take_last(message, &packet->ib);
	/* Empty payloads cover nothing: their packets are new if the sequence shows it. */
	if (piece->wire)
		assembly_note_frame(tracker, result, message, piece, assembly_add_payload(tracker, message, psn, piece) ||
						     (!piece->captured && packet->flow.analysis <= RTAP_PSN_OUT_OF_ORDER));
	else
		assembly_note_frame(tracker, result, message, piece, !was_whole);
	assembly_join_next(tracker, message, result);
	if (!was_whole && assembly_is_whole(message)) {
		assembly_fill_completion(&packet->flow, message, verb == RTAP_VERB_SEND ? message_known_length(message) : message->shown.length);
		result->completed = message;
		tracker->counters.evictions += verb == RTAP_VERB_SEND && message->bytes_dropped && !message->shown.bytes_evicted;
	}
	if (message->shown.frames != frames && is_cut_send(message))
		result->cut = message;
	if (!stream->reliable)
		close_unreliable(stream, message, packet->frame->time_ns, place == IB_FIRST || place == IB_ONLY);
}

/* A READ that requests the rest of another one again. IBTA vol. 1, 9.4.4. */
static bool is_restart(const struct message *message, uint64_t psn, const struct rtap_ib_facts *ib)
{
	uint64_t offset;

	if (!assembly_same_verb(message, RTAP_VERB_READ) || (message->end && psn >= message->end))
		return false;
	if (!message->shown.request_seen)
		return assembly_is_inside(message, psn) || assembly_continues_at(message, psn);
	/* the capture cut off what it requests */
	if (!ib->has_reth)
		return message->end || psn == message->low;
	/* without the path MTU only the address shows where it begins: at another PSN than the READ, the same range is another READ */
	offset = message->stream->pmtu ? (psn - message->low) * message->stream->pmtu : ib->virtual_address - message->shown.virtual_address;
	if ((psn == message->low) != !offset)
		return false;
	return ib->r_key == message->shown.r_key && ib->virtual_address == message->shown.virtual_address + offset &&
	       offset + ib->dma_length == message->shown.length;
}

/* Number of PSNs of a request. */
static uint64_t request_count(const struct psn_stream *stream, const struct rtap_ib_facts *ib, const struct ib_opcode *opcode)
{
	uint64_t count = opcode->class == IB_READ_REQUEST ? assembly_psn_count(ib->dma_length, stream->pmtu) : 1;

	return count ? count : 1;
}

/* A READ's request, or one for the rest of it, that is not its first one seen; or its own request, captured after one for the rest. */
static void requested_again(struct rtap_tracker *tracker, struct message *read, uint64_t psn, const struct rtap_ib_facts *ib,
			    const struct piece *piece, struct frame_result *result)
{
	bool is_own = read->begin_unknown && psn == read->low && read->has_first;

	if (!read->shown.request_seen && ib->has_reth)
		assembly_take_restart(tracker, read, psn, ib->r_key, ib->virtual_address, ib->dma_length);
	if (is_own) {
		read->begin_unknown = false;
		read->begun_by_response = true;
	}
	assembly_note_frame(tracker, result, read, piece, is_own);
}

static void read_request(struct rtap_tracker *tracker, struct psn_stream *stream, struct rtap_packet *packet, uint64_t psn,
			 const struct piece *piece, struct frame_result *result)
{
	struct message *message = message_list_find_before(stream, psn, NULL), *next;

	if (is_restart(message, psn, &packet->ib)) {
		requested_again(tracker, message, psn, &packet->ib, piece, result);
		return;
	}
	if (!assembly_same_verb(message, RTAP_VERB_READ) || message->shown.request_seen || message->low != psn) {
		if (psn < stream->settled_high)
			return;
		message = assembly_create(tracker, stream, message, psn, piece, RTAP_VERB_READ);
		if (!message)
			return;
	}
	message->begun_by_response = message->shown.frames > 0 && !message->shown.request_seen;
	message->begun_by_first = message->begun_by_response && message->has_first;
	message->follows_end |= psn == stream->settled_end;
	message->came_late = packet->flow.analysis == RTAP_PSN_OUT_OF_ORDER || packet->flow.analysis == RTAP_PSN_RETRANSMISSION;
	if (take_reth(message, &packet->ib))
		upper_claim(tracker, message);
	else
		message->has_first = message->request_cut = true;
	assembly_note_frame(tracker, result, message, piece, true);
	if (stream->response_gaps.count)
		psn_request_missing(stream, psn, message->end);
	/* responses that were captured before their request */
	while ((next = message_list_after(message)) && message->end && next->low < message->end && assembly_is_continued_by(message, next, psn) &&
	       stream->pmtu) {
		assembly_join(tracker, message, next, result);
		message->begun_by_response = true;
	}
}

/* What was taken for a READ's only response, without data, answers a FLUSH or an ATOMIC WRITE. IBTA vol. 1, A19.4. */
static bool is_early_answer(const struct message *message, enum rtap_verb verb)
{
	return (verb == RTAP_VERB_FLUSH || verb == RTAP_VERB_ATOMIC_WRITE) && assembly_same_verb(message, RTAP_VERB_READ) &&
	       !message->shown.request_seen && message->has_first && message->has_last && message->low == message->high &&
	       !message->coverage.count && !message->cut.count;
}

/* The capture can have truncated the first copy of the request. */
static void take_single(struct message *message, const struct rtap_ib_facts *ib)
{
	struct rtap_message *shown = &message->shown;

	if (shown->request_seen)
		return;
	shown->request_seen = shown->has_key = ib->has_atomic || ib->has_reth;
	message->request_cut = !shown->request_seen;
	shown->r_key = ib->r_key;
	shown->virtual_address = ib->virtual_address;
	shown->length = shown->kind == RTAP_KIND_FLUSH ? ib->dma_length : 8;
	shown->swap_or_add = ib->swap_or_add;
	shown->compare = ib->compare;
}

/* Operations with a single request packet. */
static __attribute__((noinline)) void single_request(struct rtap_tracker *tracker, struct psn_stream *stream, struct rtap_packet *packet,
						     uint64_t psn, const struct piece *piece, enum rtap_verb verb,
						     struct frame_result *result)
{
	const struct rtap_ib_facts *ib = &packet->ib;
	struct message *message = message_list_find_before(stream, psn, NULL);

	if (message && message->low == psn && is_early_answer(message, verb)) {
		assembly_set_verb(message, verb);
		message->begun_by_response = true;
	} else if (message && message->low == psn) {
		if (!assembly_same_verb(message, verb))
			return;
		take_single(message, ib);
		assembly_note_repeat(tracker, message);
		result->touched = message;
		return;
	} else {
		if (psn < stream->settled_high)
			return;
		message = assembly_create(tracker, stream, message, psn, piece, verb);
		if (!message)
			return;
	}
	take_single(message, ib);
	message->end = psn + 1;
	assembly_note_frame(tracker, result, message, piece, true);
	if (verb == RTAP_VERB_ATOMIC_WRITE) {
		assembly_add_payload(tracker, message, psn, piece);
		assembly_fill_completion(&packet->flow, message, 8);
	}
}

/* A PSN after the next one expected: after a READ, it shows the path MTU if that is unknown. */
static __attribute__((noinline)) void learn_from_read(struct psn_stream *stream, uint64_t psn)
{
	const struct message *read = TAILQ_LAST(&stream->messages, message_list);

	/* The extent of a READ with a truncated length is unknown before its responses. */
	if (assembly_same_verb(read, RTAP_VERB_READ) && !read->shown.request_seen && !read->coverage.count && !read->cut.count)
		stream->next = psn;
	if (stream->pmtu || psn <= stream->next || !read || !assembly_same_verb(read, RTAP_VERB_READ) || read->end)
		return;
	for (uint32_t pmtu = 256; pmtu <= 4096; pmtu *= 2)
		if (assembly_packets_of(read->shown.length, pmtu) == psn - read->low) {
			assembly_learn_path_mtu(stream, pmtu);
			stream->pmtu_is_presumed = true;
			stream->next = psn;
			return;
		}
}

/* The sequence continues elsewhere: incomplete messages will not be completed. */
static __attribute__((cold, noinline)) void begin_anew(struct rtap_tracker *tracker, struct psn_stream *stream, uint32_t psn)
{
	messages_settle(tracker, stream, true);
	gaps_settle(tracker, stream, UINT64_MAX);
	psn_fini(stream);
	/* perhaps of another connection */
	if (!stream->connection->shown.learned_by_cm)
		stream->pmtu = 0;
	stream->pmtu_is_presumed = false;
	stream->nak = stream->msn_known = stream->has_open_gap = stream->settled_is_open = false;
	stream->settled_end = stream->settled_high = stream->response_next = stream->fragment_psn = stream->msn_psn = 0;
	stream->asked_again = stream->asked_first = (struct psn_range){ 0 };
	memset(stream->acks, 0, sizeof stream->acks);
	memset(stream->given_up_gaps, 0, sizeof stream->given_up_gaps);
	psn_start(stream, psn);
}

/* `message`: that of the packet, or NULL. */
static __attribute__((cold, noinline)) void sent_again(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *message,
						       struct rtap_packet *packet, uint64_t psn, uint64_t count)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	bool is_read = opcode->class != IB_SEND && opcode->class != IB_WRITE, goes_on = stream->recovery.running;

	if (stream->reliable)
		recovery_note_again(tracker, stream, psn, count, message, is_read, packet->frame->time_ns, &packet->flow);
	/* The responder dropped what it sent a NAK for, and all after it: it answers now for the first time. IBTA vol. 1, 9.7.5.1.1. */
	if (is_read)
		psn_ask_again(stream, psn, psn + count, goes_on, recovery_is_after_nak(stream, psn));
	/* An answered READ waits again for what its requester lacks. */
	if (is_read && message && psn >= message->low && message->stream == stream) {
		assembly_need(message, psn, psn + count);
		message->answered_ns = packet->frame->time_ns;
		message->answered_at = stream->packets + IB_AGAIN_PACKETS;
	}
}

/* What the request is in the sequence of PSNs. Returns how many PSNs it takes. */
static uint64_t analyse_request(struct psn_stream *stream, struct rtap_packet *packet, uint64_t psn, uint32_t digest,
				bool is_resynchronised)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	struct rtap_flow_facts *flow = &packet->flow;
	const struct psn_identity identity = {
		.time_ns = packet->frame->time_ns,
		.point = packet->frame->capture_point,
		.digest = opcode->class == IB_READ_REQUEST ? 0 : digest,
		.id = packet->ip_id,
	};
	uint64_t expected = stream->next, count = request_count(stream, &packet->ib, opcode);

	flow->analysis = (uint8_t)psn_request(stream, psn, count, &identity, &flow->differs);
	if (flow->analysis == RTAP_PSN_GAP)
		flow->missing = (uint32_t)(psn - expected);
	if (flow->analysis == RTAP_PSN_OUT_OF_ORDER)
		psn_take_lateness(stream, flow);
	if (is_resynchronised)
		flow->analysis = RTAP_PSN_RESYNCHRONISED;
	psn_count_analysis(stream->connection, (enum rtap_psn_analysis)flow->analysis, flow->differs);
	return count;
}

void ib_message_request(struct rtap_tracker *tracker, struct psn_stream *stream, struct rtap_packet *packet, struct frame_result *result)
{
	const struct rtap_ib_facts *ib = &packet->ib;
	const struct ib_opcode *opcode = &ib_opcodes[ib->opcode];
	const struct rtap_payload *payload = &packet->payload;
	struct rtap_flow_facts *flow = &packet->flow;
	struct piece piece = {
		.bytes = packet->sources[payload->source].bytes + payload->offset,
		.captured = payload->captured,
		.wire = payload->wire,
		.frame = packet->frame->number,
		.time_ns = packet->frame->time_ns,
	};
	bool is_resynchronised = false;
	uint64_t psn, count;

	if (!stream->started)
		psn_start_at_packet(stream, ib->psn);
	psn = psn_unwrap(stream, ib->psn);
	if (assembly_is_far(stream, psn)) {
		/* A corrupt packet would end all incomplete messages. */
		if (ib_check_icrc(packet) == RTAP_CRC_BAD && icrc_sender_is_reliable(tracker, packet))
			return;
		begin_anew(tracker, stream, ib->psn);
		psn = stream->next;
		is_resynchronised = true;
	}
	if (!ib->psn)
		reuse_note_first(stream, psn, packet);
	piece.crc = assembly_digest(tracker, piece.bytes, piece.captured);
	if (psn > stream->next)
		learn_from_read(stream, psn);
	stream->packets++;
	stream->last_ns = packet->frame->time_ns;
	count = analyse_request(stream, packet, psn, piece.crc, is_resynchronised);
	switch (opcode->class) {
	case IB_SEND:
	case IB_WRITE:
		data_packet(tracker, stream, packet, psn, &piece, opcode, result);
		break;
	case IB_READ_REQUEST:
		read_request(tracker, stream, packet, psn, &piece, result);
		break;
	case IB_ATOMIC:
	case IB_ATOMIC_WRITE:
	case IB_FLUSH:
		single_request(tracker, stream, packet, psn, &piece, (enum rtap_verb)opcode->verb, result);
		break;
	default:
		break;
	}
	if (flow->analysis <= RTAP_PSN_OUT_OF_ORDER)
		recovery_note_new(stream);
	else if (flow->analysis == RTAP_PSN_RETRANSMISSION)
		sent_again(tracker, stream, result->touched, packet, psn, count);
	if (early_response_may_be(stream, psn))
		ib_response_answer_late(tracker, stream, psn, flow, result);
	messages_settle_final(tracker, stream);
}

void ib_message_copy(struct rtap_tracker *tracker, struct psn_stream *stream, const struct rtap_packet *packet)
{
	const struct rtap_payload *payload = &packet->payload;
	uint64_t psn = psn_unwrap(stream, packet->ib.psn);
	struct message *message = message_list_find_before(stream, psn, NULL);
	struct piece piece = {
		.bytes = packet->sources[payload->source].bytes + payload->offset,
		.captured = payload->captured,
		.wire = payload->wire,
	};

	if (!payload->captured || !message || !message->cut.count || psn > message->high ||
	    !assembly_same_verb(message, (enum rtap_verb)ib_opcodes[packet->ib.opcode].verb))
		return;
	piece.crc = assembly_digest(tracker, piece.bytes, piece.captured);
	assembly_add_payload(tracker, message, psn, &piece);
}

void ib_message_datagram(struct rtap_tracker *tracker, struct connection *connection, bool from_a, struct rtap_packet *packet,
			 enum rtap_message_kind kind, struct frame_result *result)
{
	const struct rtap_payload *payload = &packet->payload;
	const struct rtap_frame *frame = packet->frame;
	const uint8_t *bytes = packet->sources[payload->source].bytes + payload->offset;
	struct message *message = message_create(tracker, connection, frame->number, frame->time_ns);
	uint64_t fresh;

	if (!message)
		return;
	message->shown.kind = (uint8_t)kind;
	message->shown.verb = RTAP_VERB_SEND;
	message->shown.from_a = from_a;
	message->shown.psn = packet->ib.psn;
	message->shown.frames = 1;
	message->has_first = message->has_last = true;
	take_last(message, &packet->ib);
	if (!coverage_add(&message->coverage, MESSAGE_ORIGIN, bytes, payload->captured, assembly_digest(tracker, bytes, payload->captured),
			  tracker->keep, &fresh) ||
	    !coverage_add(&message->cut, MESSAGE_ORIGIN + payload->captured, NULL, payload->wire - payload->captured, 0, COVERAGE_ONLY, &fresh))
		message->evicted = true;
	if (payload->captured == payload->wire)
		assembly_fill_completion(&packet->flow, message, payload->wire);
	result->touched = message;
	message_settle(tracker, message);
}
