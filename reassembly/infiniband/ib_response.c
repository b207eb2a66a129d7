/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/infiniband/ib_opcode.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/early_response.h"
#include "reassembly/infiniband/ib_message.h"
#include "reassembly/infiniband/ib_response.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_list.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/message_queue.h"

#define MOST_PATH_MTU 4096

static inline void answer(struct psn_stream *stream, struct message *message, const struct pending_response *response,
			  enum rtap_outcome outcome, struct rtap_flow_facts *flow)
{
	struct rtap_message *shown = &message->shown;

	if (message->answered)
		return;
	message_list_end_wait(stream, message, response->time_ns);
	/* A requester that still lacks an earlier response requests this READ again. */
	if (message_is_answered_by_data(message) && shown->repeats)
		message->answered_at += IB_AGAIN_PACKETS;
	/* If its requester missed the acknowledgement, the packets that the capture missed are retransmitted after a timeout. */
	if ((!message->has_first || !message->has_last || message->coverage.count > 1) && !message_is_answered_by_data(message))
		message->answered_ns += HOLE_NS - GRACE_NS;
	shown->outcome = (uint8_t)outcome;
	shown->answered_in = response->frame;
	/* For a response captured before the request the latency is unknown. */
	shown->has_latency = (shown->request_seen || message->has_first) && !message->begun_by_response && response->frame > shown->first_frame;
	shown->latency_ns = response->time_ns - shown->time_ns;
	if (flow && shown->has_latency && !flow->has_latency) {
		flow->has_latency = true;
		flow->request_frame = shown->first_frame;
		flow->latency_ns = shown->latency_ns;
	}
}

/* The search for the next response's request starts after messages that are answered. */
static inline void skip_answered(struct psn_stream *stream)
{
	while (stream->unanswered && stream->unanswered->answered)
		stream->unanswered = TAILQ_NEXT(stream->unanswered, link);
}

/* READs and atomics that begin below this PSN are counted by the MSN of a response: it counts the one that it answers. IBTA vol. 1, C9-148. */
static uint64_t reads_counted(const struct pending_response *response, uint64_t acknowledged)
{
	return acknowledged + (ib_opcodes[response->opcode].class != IB_ACKNOWLEDGE);
}

/* Whether the MSN of the response counts a message that the one before it did not count. */
static bool is_newly_counted(const struct psn_stream *stream, const struct message *message, uint64_t reads)
{
	if (message_is_answered_by_data(message))
		return message->low >= stream->msn_reads && message->low < reads;
	/* a packet that is not its last, and acknowledged, does not end it; one in doubt can be counted by the MSN before */
	return !message->answered && !message->is_in_doubt && message->high + !message->has_last < stream->acknowledged;
}

/*
 * Where more than one packet is missing, the parts before and after the gap can be one message or two. The MSN, which counts
 * messages, decides if nothing else is in doubt. IBTA vol. 1, 9.7.7.1.
 */
static __attribute__((cold, noinline)) void join_by_msn(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t from,
							const struct pending_response *response, struct frame_result *result)
{
	uint32_t messages = 0, pairs = 0, counted = (response->msn - stream->msn) & PSN_MASK;
	uint64_t reads = reads_counted(response, stream->acknowledged);
	struct message *later;

	if (!stream->msn_known || !stream->pmtu || !(ib_opcodes[response->opcode].headers & IB_AETH))
		return;
	for (const struct message *message = message_list_find_before(stream, from, stream->unanswered);
	     message && message->low < reads; message = TAILQ_NEXT(message, link)) {
		const struct message *next = TAILQ_NEXT(message, link);

		if (!is_newly_counted(stream, message, reads))
			continue;
		messages++;
		pairs += next && next->high < stream->acknowledged && assembly_may_be_one(message, next);
	}
	if (!pairs || messages != counted + pairs)
		return;
	for (struct message *message = message_list_find_before(stream, from, stream->unanswered);
	     message && message->low < stream->acknowledged; message = TAILQ_NEXT(message, link)) {
		/* one that was acknowledged before is no part of these */
		if (!is_newly_counted(stream, message, reads))
			continue;
		while ((later = TAILQ_NEXT(message, link)) && later->high < stream->acknowledged && assembly_may_be_one(message, later)) {
			message->has_last |= later->has_last;
			assembly_join(tracker, message, later, result);
		}
	}
}

/* Only one message can be partly acknowledged. With more candidates than this, none is decided. */
#define MOST_PARTLY_ACKNOWLEDGED 64

/* Whether its first packet is known to begin the message. */
static bool is_begin(const struct message *message)
{
	return message->has_first || (message->shown.request_seen && !message->begin_unknown) || message->shown.kind == RTAP_KIND_ATOMIC;
}

#define UNKNOWN UINT32_MAX
#define MOST_COUNTED 64 /* messages that a response looks at again, besides those that it acknowledges */

/*
 * How many messages are between those that stream->msn counts and this one, which it does not count; UNKNOWN: not all of them were seen. Looks at
 * most at *left of them, and subtracts these.
 */
static uint32_t messages_between(const struct psn_stream *stream, const struct message *message, unsigned *left)
{
	/* the packet before a Middle or Last is of the same message */
	uint64_t at = message->low - !message->has_first;
	uint32_t count = 0;

	if (!stream->msn_known)
		return UNKNOWN;
	if (message->is_uncounted || (stream->msn_psn >= at && stream->msn_psn <= message->high + 1))
		return 0;
	for (; at > stream->msn_psn && *left && (message = message_list_before(message)); --*left) {
		uint64_t end = message->end ? message->end : message->has_last ? message->high + 1 : 0;

		if (end != at || message_is_answered_by_data(message))
			return UNKNOWN;
		at = message->low - !message->has_first;
		count++;
	}
	return at == stream->msn_psn ? count : UNKNOWN;
}

/*
 * Whether the response acknowledges the last packet of a SEND or WRITE, which was not seen, besides one after all that were seen: its MSN counts the
 * message, or it acknowledges all packets before a later message. is_late: it was captured before them. IBTA vol. 1, 9.7.7.1.
 */
static __attribute__((cold, noinline)) bool ends_unseen(const struct psn_stream *stream, struct message *message, uint64_t psn,
							const struct pending_response *response, bool is_late, unsigned *left)
{
	const struct message *next = TAILQ_NEXT(message, link);
	bool has_msn = !is_late && ib_opcodes[response->opcode].headers & IB_AETH;
	uint32_t between = has_msn ? messages_between(stream, message, left) : UNKNOWN;

	message->is_uncounted |= between != UNKNOWN;
	if ((between != UNKNOWN && ((response->msn - stream->msn) & PSN_MASK) > between) || (next && next->low <= psn && is_begin(next)))
		return true;
	message->is_in_doubt |= between == UNKNOWN;
	return false;
}

/* The SENDs and WRITEs below `psn`. is_late: they were captured after the response. */
static inline void answer_up_to(struct psn_stream *stream, uint64_t psn, const struct pending_response *response, bool is_late,
				struct rtap_flow_facts *flow)
{
	struct message *message = TAILQ_FIRST(&stream->unacked), *next;
	unsigned left = MOST_COUNTED;

	for (unsigned partly = 0; message && message->low < psn && partly < MOST_PARTLY_ACKNOWLEDGED; message = next) {
		uint64_t end = message->end ? message->end : message->high + 1;
		bool is_open = !message->end && !message->has_last;

		next = TAILQ_NEXT(message, unacked);
		/* Packets in the middle of a message are acknowledged too. */
		if (end > psn || (is_open && (end == psn || !ends_unseen(stream, message, psn, response, is_late, &left)))) {
			partly++;
			continue;
		}
		/* not the response to a READ after it, or a NAK */
		message->has_own_ack = end == psn && ((response->psn + 1) & PSN_MASK) == (psn & PSN_MASK);
		answer(stream, message, response, RTAP_OUTCOME_GOOD, message->is_in_doubt ? NULL : flow);
		if (message->is_in_doubt) {
			message->shown.answered_in = 0;
			message->shown.has_latency = false;
		}
	}
	skip_answered(stream);
}

/*
 * Where the messages begin that the next response may count: with the last of those acknowledged before, if its end was not seen and nothing answers
 * it yet. Earlier ones of that kind may have been counted.
 */
static uint64_t first_uncounted(struct psn_stream *stream)
{
	const struct message *last = stream->acknowledged ? message_list_find_before(stream, stream->acknowledged - 1, NULL) : NULL;

	return last && !last->answered && !last->has_last && last == TAILQ_FIRST(&stream->unacked) ? last->low : stream->acknowledged;
}

/*
 * All SENDs and WRITEs below `psn` were received. READs and ATOMICs too, but these wait for their data. IBTA vol. 1,
 * 9.7.5.1.2.
 */
static void acknowledge(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn,
			const struct pending_response *response, struct rtap_flow_facts *flow, struct frame_result *result)
{
	uint64_t from = first_uncounted(stream);

	psn_acknowledge(stream, psn, response->time_ns);
	if (stream->fragment_psn >= from)
		join_by_msn(tracker, stream, from, response, result);
	answer_up_to(stream, psn, response, false, flow);
	if (psn >= stream->msn_psn && ib_opcodes[response->opcode].headers & IB_AETH) {
		stream->msn = response->msn;
		stream->msn_psn = psn;
		stream->msn_reads = reads_counted(response, psn);
		stream->msn_known = true;
	}
}

/* How NAKs are counted, and the outcome that they give a message. */
static const struct {
	uint8_t anomaly, outcome;
} naks[RTAP_NAK_COUNT] = {
	[RTAP_NAK_SEQUENCE_ERROR] = { RTAP_CONNECTION_ANOMALY_NAK_SEQUENCE, RTAP_OUTCOME_SEQUENCE_ERROR },
	[RTAP_NAK_INVALID_REQUEST] = { RTAP_CONNECTION_ANOMALY_NAK_INVALID_REQUEST, RTAP_OUTCOME_INVALID_REQUEST },
	[RTAP_NAK_REMOTE_ACCESS] = { RTAP_CONNECTION_ANOMALY_NAK_ACCESS, RTAP_OUTCOME_REMOTE_ACCESS_ERROR },
	[RTAP_NAK_REMOTE_OPERATIONAL] = { RTAP_CONNECTION_ANOMALY_NAK_OPERATION, RTAP_OUTCOME_REMOTE_OPERATIONAL_ERROR },
	[RTAP_NAK_INVALID_RD] = { RTAP_CONNECTION_ANOMALY_NAK_INVALID_RD, RTAP_OUTCOME_INVALID_RD_REQUEST },
};

/* The outcome of the request until it is retransmitted. */
static __attribute__((cold, noinline)) void note_refusal(struct psn_stream *stream, uint64_t psn, enum rtap_outcome outcome)
{
	struct message *message = message_list_find_before(stream, psn, stream->unanswered);
	uint64_t end = message ? (message->end > message->high ? message->end : message->high + 1) : 0;

	if (message && !message->answered && psn < end)
		message->shown.outcome = (uint8_t)outcome;
}

/* Applies a NAK to its message. */
static __attribute__((cold, noinline)) void refuse_message(struct psn_stream *stream, uint64_t psn, const struct pending_response *response,
							   struct rtap_flow_facts *flow)
{
	uint8_t code = response->aeth_value;
	struct message *message;

	if (response->aeth_kind == RTAP_AETH_RNR_NAK) {
		note_refusal(stream, psn, RTAP_OUTCOME_RNR);
		return;
	}
	note_refusal(stream, psn, code < RTAP_NAK_COUNT ? (enum rtap_outcome)naks[code].outcome : RTAP_OUTCOME_NONE);
	/* A sequence error requests a retransmission; the others end the request. */
	message = code != RTAP_NAK_SEQUENCE_ERROR && code < RTAP_NAK_COUNT ? message_list_find_before(stream, psn, stream->unanswered) : NULL;
	if (message)
		answer(stream, message, response, (enum rtap_outcome)naks[code].outcome, flow);
}

/* A NAK that requests a retransmission, now or after a delay. */
static void note_recovery(struct psn_stream *stream, const struct pending_response *response)
{
	if (response->aeth_kind == RTAP_AETH_RNR_NAK)
		recovery_nak(stream, RTAP_RECOVERY_RNR, response->time_ns, ib_rnr_timer_us(response->aeth_value) * INT64_C(1000));
	else if (response->aeth_value == RTAP_NAK_SEQUENCE_ERROR)
		recovery_nak(stream, RTAP_RECOVERY_SEQUENCE_NAK, response->time_ns, 0);
}

static __attribute__((cold, noinline)) void refuse(struct psn_stream *stream, uint64_t psn, const struct pending_response *response,
						   struct rtap_flow_facts *flow)
{
	stream->nak = true;
	stream->nak_psn = psn;
	note_recovery(stream, response);
	if (response->aeth_kind == RTAP_AETH_RNR_NAK)
		stream->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_RNR]++;
	else if (response->aeth_value < RTAP_NAK_COUNT)
		stream->connection->shown.anomaly_counts[naks[response->aeth_value].anomaly]++;
	refuse_message(stream, psn, response, flow);
}

/* Whether an acknowledgement is a copy of an earlier one. */
static enum rtap_psn_analysis place_ack(struct psn_stream *stream, const struct pending_response *response)
{
	struct recent_ack *ack = &stream->acks[RECENT_ACK_PLACE(response->psn, response->id)];

	if (ack->psn == response->psn && ack->msn == response->msn && ack->syndrome == response->syndrome && ack->time_ns) {
		bool is_elsewhere = ack->point != response->point;

		if (psn_is_same_packet(&stream->responses, response->id, ack->id))
			return is_elsewhere ? RTAP_PSN_CAPTURED_TWICE : RTAP_PSN_DUPLICATE;
		if (is_elsewhere && response->time_ns - ack->time_ns < TWICE_NS)
			return RTAP_PSN_CAPTURED_TWICE;
	}
	*ack = (struct recent_ack){
		.psn = response->psn,
		.msn = response->msn,
		.point = response->point,
		.syndrome = response->syndrome,
		.id = response->id,
		.time_ns = response->time_ns,
	};
	psn_note_id(&stream->responses, response->id);
	return RTAP_PSN_IN_ORDER;
}

static enum rtap_psn_analysis acknowledgement(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn,
					      const struct pending_response *response, struct rtap_flow_facts *flow, struct frame_result *result)
{
	enum rtap_psn_analysis analysis = place_ack(stream, response);

	if (analysis != RTAP_PSN_IN_ORDER)
		return analysis;
	switch (response->aeth_kind) {
	case RTAP_AETH_ACK:
		acknowledge(tracker, stream, psn + 1, response, flow, result);
		break;
	case RTAP_AETH_RNR_NAK:
	case RTAP_AETH_NAK:
		acknowledge(tracker, stream, psn, response, flow, result);
		refuse(stream, psn, response, flow);
		break;
	default:
		break;
	}
	return RTAP_PSN_IN_ORDER;
}

#define NEEDED_MASK ((UINT32_C(1) << NEEDED_AHEAD) - 1)

/*
 * A response to a retransmitted request. A requester accepts responses in order only: it lacks those that it requested again
 * until they arrive in order, and it drops responses in flight before the first of them. Allowing for responses not
 * captured, this ends with the last one: the requester has everything that it does not request again.
 */
static void take_needed(const struct psn_stream *stream, struct message *message, uint64_t psn, enum rtap_psn_analysis analysis)
{
	uint64_t place = psn - message->low, ahead;

	if (stream->recovery.awaited && psn > stream->recovery.awaited && analysis != RTAP_PSN_RETRANSMISSION)
		return;
	if (analysis == RTAP_PSN_DUPLICATE || analysis == RTAP_PSN_CAPTURED_TWICE || place < message->needed.begin || place >= message->needed.end)
		return;
	ahead = place - message->needed.begin;
	if (!ahead) {
		unsigned taken = 1 + (unsigned)__builtin_ctz(~(uint32_t)message->needed.ahead);

		message->needed.begin = (message->needed.begin + taken) & PSN_MASK;
		message->needed.ahead = ((uint32_t)message->needed.ahead >> taken) & NEEDED_MASK;
		message->needed.has_come = true;
	} else if (!message->needed.has_come) {
		return;
	} else if (ahead <= NEEDED_AHEAD) {
		message->needed.ahead = (message->needed.ahead | UINT32_C(1) << (ahead - 1)) & NEEDED_MASK;
	}
	if (place + 1 == message->needed.end && analysis == RTAP_PSN_RETRANSMISSION)
		message->needed.begin = message->needed.end;
	if (message->needed.begin < message->needed.end)
		return;
	/* It ends here and not at the earlier time. */
	if (message->shown.outcome == RTAP_OUTCOME_GOOD)
		message->answered = false;
}

/*
 * A First or Only within a READ, or one sent after later responses, answers a request for the rest. If that was not captured, its requester lacks
 * this and what follows. IBTA vol. 1, 9.4.4.
 */
static inline void note_restart(struct message *message, uint64_t psn, enum ib_place place, enum rtap_psn_analysis analysis)
{
	uint64_t at = psn - message->low;
	bool is_again = at || (analysis == RTAP_PSN_RETRANSMISSION && psn < message->high && !message->shown.repeats);

	if ((place != IB_FIRST && place != IB_ONLY) || !is_again || psn >= message->end || message->answered ||
	    !assembly_same_verb(message, RTAP_VERB_READ) || (message->needed.begin < message->needed.end && message->needed.begin >= at))
		return;
	assembly_need(message, psn, message->end);
}

/* was_whole: before this response. */
static void finish_response(struct psn_stream *stream, struct message *message, bool was_whole,
			    const struct pending_response *response, struct rtap_flow_facts *flow, struct frame_result *result)
{
	/* The other side has sent everything, even if not all was captured. */
	if (message->has_last && !message->answered)
		message->shown.outcome = RTAP_OUTCOME_GOOD;
	if (!assembly_is_whole(message) || message->answered)
		return;
	if (message->needed.begin == message->needed.end) {
		answer(stream, message, response, RTAP_OUTCOME_GOOD, flow);
		skip_answered(stream);
	}
	if (flow && !was_whole) {
		assembly_fill_completion(flow, message, message->shown.length);
		/* A response that waited completes nothing in the current frame. */
		if (!result->outer)
			result->completed = message;
	}
}

/* The last response to a READ shows the path MTU, if it is unknown. */
static __attribute__((cold, noinline)) void learn_from_last(struct psn_stream *stream, const struct message *read,
							    uint64_t psn, uint32_t bytes)
{
	uint64_t before = read->shown.length > bytes ? read->shown.length - bytes : 0;

	if (assembly_same_verb(read, RTAP_VERB_READ) && read->shown.request_seen && psn > read->low && before % (psn - read->low) == 0 &&
	    before / (psn - read->low) <= UINT32_MAX)
		assembly_learn_path_mtu(stream, (uint32_t)(before / (psn - read->low)));
}

/* Whether a response that ends the READ would leave it with another length than was requested. IBTA vol. 1, 9.7.2. */
static bool is_of_another_length(const struct message *read, uint64_t psn, uint32_t bytes, uint32_t pmtu)
{
	uint64_t place = psn - read->low;

	return place < assembly_packets_of(read->shown.length, pmtu) && place * pmtu + bytes != read->shown.length;
}

/*
 * The presumed path MTU is refuted by a larger response, and by a last one (`read`: its READ, or NULL) of another size than the READ leaves for
 * it. Presumes the smallest one that has room for the response, there or after the READ; if none has, the response is not of the READ.
 */
static __attribute__((cold, noinline)) void check_presumed_path_mtu(struct psn_stream *stream, const struct message *read, uint64_t psn, uint32_t bytes)
{
	uint32_t pmtu = stream->pmtu, fitting;
	bool is_last = assembly_same_verb(read, RTAP_VERB_READ) && read->shown.request_seen;

	while (pmtu < bytes)
		pmtu *= 2;
	for (fitting = pmtu; is_last && fitting <= MOST_PATH_MTU && is_of_another_length(read, psn, bytes, fitting); fitting *= 2)
		;
	if (fitting <= MOST_PATH_MTU)
		pmtu = fitting;
	if (pmtu == stream->pmtu)
		return;
	assembly_learn_path_mtu(stream, pmtu);
	stream->pmtu_is_presumed = true;
}

/* Of a READ, this response was captured before the request. */
static void note_before_request(struct message *read, uint64_t psn, enum ib_place place)
{
	read->begun_by_response = true;
	read->begun_by_first |= psn == read->low && (place == IB_FIRST || place == IB_ONLY);
}

/* Whether the request of the next READ, captured before this First or Middle, is one for the rest of this READ. */
static inline bool is_continued_by_next_request(const struct message *read, uint64_t psn)
{
	const struct message *next = message_list_after(read);

	return next && !read->shown.request_seen && assembly_continues_at(read, psn + 1) && next->low == psn + 1 && next->shown.request_seen &&
	       assembly_same_verb(next, RTAP_VERB_READ);
}

/* The answer to an ATOMIC WRITE or a FLUSH: a READ response without data. IBTA vol. 1, A19.4. */
static void empty_response(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *message, const struct piece *piece,
			   const struct pending_response *response, struct rtap_flow_facts *flow, struct frame_result *result)
{
	bool was_whole = message->has_last;

	assembly_note_frame(tracker, result, message, piece, !was_whole);
	message->has_last = true;
	finish_response(stream, message, was_whole, response, flow, result);
}

static void data_response(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, const struct pending_response *response,
			  enum rtap_psn_analysis analysis, struct rtap_flow_facts *flow, struct frame_result *result)
{
	const struct ib_opcode *opcode = &ib_opcodes[response->opcode];
	struct piece piece = {
		.bytes = response->bytes,
		.captured = response->captured,
		.wire = response->wire,
		.crc = response->crc,
		.frame = response->frame,
		.time_ns = response->time_ns,
	};
	struct message *message = message_list_find_before(stream, psn, stream->unanswered);
	enum ib_place place = (enum ib_place)opcode->place;
	uint64_t first_frame;
	bool was_whole;

	if (place == IB_FIRST || place == IB_MIDDLE)
		assembly_learn_path_mtu(stream, piece.wire);
	else if (place == IB_LAST && message && (!stream->pmtu || (stream->pmtu_is_presumed && psn + 1 < message->end)))
		learn_from_last(stream, message, psn, piece.wire);
	if (stream->pmtu_is_presumed)
		check_presumed_path_mtu(stream, place == IB_LAST || place == IB_ONLY ? message : NULL, psn, piece.wire);
	if ((place == IB_MIDDLE || place == IB_LAST) && message && message->low == psn && message->shown.request_seen && !message->begin_unknown &&
	    assembly_same_verb(message, RTAP_VERB_READ))
		message = assembly_begin_earlier(tracker, message, result);
	if (message) {
		note_restart(message, psn, place, analysis);
		take_needed(stream, message, psn, analysis);
	}
	if (message && message->low == psn && (message->shown.kind == RTAP_KIND_FLUSH || message->shown.verb == RTAP_VERB_ATOMIC_WRITE)) {
		empty_response(tracker, stream, message, &piece, response, flow, result);
		return;
	}
	message = assembly_message_of(tracker, stream, message, psn, opcode, &piece);
	if (!message)
		return;
	was_whole = assembly_is_whole(message);
	if (place == IB_ONLY && message->low == psn && message->shown.request_seen && message->shown.length == piece.wire && !message->end)
		message->end = psn + 1;
	/* A restarted READ has Firsts in its middle: they do not show its beginning. */
	if (!message->shown.request_seen)
		assembly_extend(message, psn, message->shown.frames && psn >= message->low ? IB_MIDDLE : place);
	else if (psn > message->high)
		message->high = psn;
	message->has_last |= place == IB_LAST || place == IB_ONLY;
	/* captured before the request, or not known to be of its message until now */
	first_frame = message->shown.first_frame;
	assembly_note_frame(tracker, result, message, &piece,
		   piece.wire ? assembly_add_payload(tracker, message, psn, &piece) || !piece.captured : !was_whole);
	assembly_join_next(tracker, message, result);
	if ((place == IB_FIRST || place == IB_MIDDLE) && is_continued_by_next_request(message, psn))
		assembly_begin_earlier(tracker, message_list_after(message), result);
	if (message->shown.request_seen && message->shown.first_frame < first_frame)
		note_before_request(message, psn, place);
	finish_response(stream, message, was_whole, response, flow, result);
}

static __attribute__((noinline)) void atomic_response(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn,
						      const struct pending_response *response, enum rtap_psn_analysis analysis,
						      struct rtap_flow_facts *flow, struct frame_result *result)
{
	struct message *message = message_list_find_before(stream, psn, stream->unanswered);
	struct early_response *early;
	bool was_whole;
	uint8_t original[8];
	struct piece piece = {
		.bytes = original,
		.captured = response->has_original ? 8 : 0,
		.wire = 8,
		.frame = response->frame,
		.time_ns = response->time_ns,
	};

	if (!message || message->low != psn || message->shown.kind != RTAP_KIND_ATOMIC) {
		/* An atomic needs this response itself, also after a later one. */
		if (psn >= stream->settled_high && !early_response_newest(stream, psn, response->opcode))
			early_response_keep(stream, psn, response);
		/* For a reported message, a repeat is not new data. */
		if (analysis == RTAP_PSN_IN_ORDER) {
			stream->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE]++;
			early = early_response_newest(stream, psn, response->opcode);
			if (early)
				early->unexpected = true;
		}
		return;
	}
	take_needed(stream, message, psn, analysis);
	store64(original, response->original);
	piece.crc = assembly_digest(tracker, original, piece.captured);
	assembly_note_frame(tracker, result, message, &piece, assembly_add_payload(tracker, message, psn, &piece));
	was_whole = message->has_last;
	message->has_last = true;
	message->shown.original = response->original;
	finish_response(stream, message, was_whole, response, flow, result);
}

/* READ responses of captured requests from the next expected one up to `psn`, none of which was seen. */
static uint64_t note_requested(struct psn_stream *stream, uint64_t psn, struct message *message, int64_t time_ns)
{
	uint64_t missing = 0;

	while (message && message != TAILQ_FIRST(&stream->messages) && message->low > stream->response_next)
		message = TAILQ_PREV(message, message_list, link);
	for (; message && message->low < psn; message = TAILQ_NEXT(message, link)) {
		uint64_t begin = message->low > stream->response_next ? message->low : stream->response_next;
		uint64_t end = message->end ? message->end : message->high + 1;

		if (end > psn)
			end = psn;
		if (!message_is_answered_by_data(message) || begin >= end)
			continue;
		psn_miss_responses(stream, begin, end, true, time_ns);
		missing += end - begin;
	}
	return missing;
}

/* Whether the last response is followed by another one to the same READ. */
static bool is_unfinished(struct psn_stream *stream)
{
	const struct message *message = message_list_find_before(stream, stream->response_next - 1, stream->unanswered);

	return message && message->shown.verb == RTAP_VERB_READ && !message->end &&
	       message->high + 1 == stream->response_next && !message->has_last &&
	       (message->coverage.count || message->cut.count);
}

/*
 * Responses from the next expected one up to `psn`, none of which was seen. Of PSNs that no captured request uses, those
 * after a First or Middle and before a Middle or Last are responses; others may be. `message`: the last one that begins at or
 * before `psn`. Returns 0 if none is known to be missing.
 */
static __attribute__((cold, noinline)) uint64_t note_missing(struct psn_stream *stream, uint64_t psn, enum ib_place place,
							     struct message *message, int64_t time_ns)
{
	uint64_t missing = note_requested(stream, psn, message, time_ns);
	uint64_t unknown = psn_miss_unknown(stream, stream->response_next, psn, time_ns);

	if (unknown && (missing || place == IB_MIDDLE || place == IB_LAST || is_unfinished(stream)))
		missing += unknown;
	return missing;
}

/* The same for a response that is not simply the next one. */
static __attribute__((cold, noinline)) enum rtap_psn_analysis place_unexpected(struct rtap_tracker *tracker, struct psn_stream *stream,
									       uint64_t psn, enum ib_place place,
									       const struct psn_identity *identity, struct rtap_flow_facts *flow,
									       bool *differs)
{
	struct message *message = message_list_find_before(stream, psn, stream->unanswered);
	bool is_inside = message && message->low < psn && (message->end ? psn < message->end : psn <= message->high + 1);
	uint64_t missing = 0;
	enum rtap_psn_analysis analysis;

	if (!stream->response_next)
		stream->response_low = stream->response_next = psn < stream->low ? psn : stream->low;
	if (psn > stream->response_next)
		missing = note_missing(stream, psn, place, message, identity->time_ns);
	analysis = psn_response(stream, psn, is_inside, missing, identity, differs);
	if (analysis == RTAP_PSN_GAP && flow)
		flow->missing = (uint32_t)missing;
	if (analysis == RTAP_PSN_OUT_OF_ORDER && flow)
		psn_take_lateness(stream, flow);
	if (analysis != RTAP_PSN_DUPLICATE && analysis != RTAP_PSN_CAPTURED_TWICE)
		recovery_note_answer(tracker, stream, psn, is_inside || (message && message->low == psn) ? message : NULL, identity->time_ns, flow);
	return analysis;
}

/* The place of a response with data in the sequence. */
static inline enum rtap_psn_analysis place_in_sequence(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn,
						       const struct pending_response *response,
						       struct rtap_flow_facts *flow, bool *differs)
{
	struct psn_identity identity = {
		.time_ns = response->time_ns,
		.point = response->point,
		.digest = response->crc,
		.id = response->id,
	};

	if (!psn_is_next_response(stream, psn))
		return place_unexpected(tracker, stream, psn, (enum ib_place)ib_opcodes[response->opcode].place, &identity, flow, differs);
	psn_next_response(stream, psn, &identity);
	return RTAP_PSN_IN_ORDER;
}

/* Whether it answers a request that was not seen and is not known to be answered. */
static inline bool is_early(const struct psn_stream *stream, uint64_t psn)
{
	const struct psn_gap *last = stream->gaps.count ? &stream->gaps.list[stream->gaps.count - 1] : NULL;

	return psn >= stream->next || (last && psn >= last->begin && last->end > stream->acknowledged);
}

static __attribute__((cold, noinline)) void keep_early(struct psn_stream *stream, uint64_t psn, const struct pending_response *response)
{
	const struct ib_opcode *opcode = &ib_opcodes[response->opcode];

	/* The last response to a READ answers it. */
	if (opcode->class != IB_READ_RESPONSE || opcode->place == IB_LAST || opcode->place == IB_ONLY)
		early_response_keep(stream, psn, response);
}

/* Applies a response to requests that arrived after it. */
static __attribute__((cold, noinline)) void answer_late(struct rtap_tracker *tracker, struct psn_stream *stream,
							struct early_response *early, uint64_t psn, struct rtap_flow_facts *flow, struct frame_result *result)
{
	const struct pending_response *response = &early->response;
	struct message *message;

	switch (ib_opcodes[response->opcode].class) {
	case IB_ACKNOWLEDGE:
		if (response->aeth_kind == RTAP_AETH_RESERVED)
			break;
		answer_up_to(stream, early->psn + (response->aeth_kind == RTAP_AETH_ACK), response, true, NULL);
		if (response->aeth_kind != RTAP_AETH_ACK)
			refuse_message(stream, early->psn, response, NULL);
		break;
	case IB_ATOMIC_ACKNOWLEDGE:
		answer_up_to(stream, early->psn, response, true, NULL);
		if (early->psn == psn) {
			stream->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE] -= early->unexpected;
			early->unexpected = false;
			atomic_response(tracker, stream, psn, response, RTAP_PSN_NONE, flow, result);
		}
		break;
	default:
		answer_up_to(stream, early->psn, response, true, NULL);
		message = message_list_find_before(stream, early->psn, NULL);
		/* a request of another message completes nothing of this one */
		if (message && message_is_answered_by_data(message) && !message->answered)
			finish_response(stream, message, message->low != psn, response, flow, result);
		break;
	}
}

void ib_response_answer_late(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, struct rtap_flow_facts *flow,
			     struct frame_result *result)
{
	struct early_response *early;

	for (uint32_t i = 0; (early = early_response_at(stream, i)); i++)
		if (early->psn >= psn)
			answer_late(tracker, stream, early, psn, flow, result);
}

void ib_response_packet(struct rtap_tracker *tracker, struct psn_stream *stream, const struct pending_response *response,
			 struct rtap_flow_facts *flow, struct frame_result *result)
{
	const struct ib_opcode *opcode = &ib_opcodes[response->opcode];
	enum rtap_psn_analysis analysis = RTAP_PSN_IN_ORDER;
	bool differs = false;
	uint64_t psn;

	if (opcode->class == IB_CONGESTION) {
		stream->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_CNP]++;
		return;
	}
	if (!stream->started)
		psn_start_at_packet(stream, response->psn);
	psn = psn_unwrap(stream, response->psn);
	/* It answers a request that is too old or was never sent. */
	if (assembly_is_far(stream, psn)) {
		analysis = RTAP_PSN_UNEXPECTED;
		goto out;
	}
	stream->packets++;
	stream->last_ns = response->time_ns;
	if (is_early(stream, psn))
		keep_early(stream, psn, response);
	recovery_note_response(stream, psn, response->time_ns);
	/* The request that the NAK asked for is answered. */
	if (stream->nak && psn >= stream->nak_psn && opcode->class != IB_ACKNOWLEDGE)
		stream->nak = stream->recovery.nak_unused = false;
	switch (opcode->class) {
	case IB_ACKNOWLEDGE:
		analysis = acknowledgement(tracker, stream, psn, response, flow, result);
		break;
	case IB_ATOMIC_ACKNOWLEDGE:
		analysis = place_in_sequence(tracker, stream, psn, response, flow, &differs);
		acknowledge(tracker, stream, psn, response, flow, result);
		atomic_response(tracker, stream, psn, response, analysis, flow, result);
		break;
	case IB_READ_RESPONSE:
		analysis = place_in_sequence(tracker, stream, psn, response, flow, &differs);
		acknowledge(tracker, stream, psn, response, flow, result);
		data_response(tracker, stream, psn, response, analysis, flow, result);
		/* Its request, if it was not seen, used this PSN. */
		if ((psn > stream->low || psn == stream->settled_end) && psn >= stream->next && opcode->place != IB_MIDDLE &&
		    opcode->place != IB_LAST)
			psn_acknowledge(stream, psn + 1, response->time_ns);
		else if (psn >= stream->next)
			stream->next = psn + 1;
		if (stream->gaps.count)
			psn_note_answered_by_data(stream, psn - (opcode->place == IB_MIDDLE || opcode->place == IB_LAST), psn + 1);
		break;
	default:
		break;
	}
out:
	psn_count_analysis(stream->connection, analysis, differs);
	if (flow) {
		flow->analysis = (uint8_t)analysis;
		flow->differs = differs;
	}
	messages_settle_final(tracker, stream);
}
