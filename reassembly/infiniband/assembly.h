/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reassembly of messages, shared by requests and responses: which message a packet belongs to, and the position of its
 * payload.
 */
#ifndef REASSEMBLY_INFINIBAND_ASSEMBLY_H
#define REASSEMBLY_INFINIBAND_ASSEMBLY_H

#include "dissect/infiniband/ib.h"
#include "reassembly/message_list.h"
#include "reassembly/state.h"

/* A packet's payload. */
struct piece {
	const uint8_t *bytes;  /* NULL: not wanted */
	uint32_t captured, wire, crc;
	uint64_t frame;        /* of the packet; not used by assembly_add_bytes() */
	int64_t time_ns;
};

/* Number of PSNs of a request that announces its length. 0: it depends on the path MTU, which is unknown. */
uint64_t assembly_psn_count(uint64_t length, uint32_t pmtu);

/* assembly_learn_path_mtu() if the path MTU differs from the known one. */
void assembly_change_path_mtu(struct psn_stream *stream, uint32_t pmtu);

/* Learns the path MTU from the payload of a First or Middle packet. The ends of announced messages follow from it. */
static inline void assembly_learn_path_mtu(struct psn_stream *stream, uint32_t pmtu)
{
	if (stream->pmtu != pmtu)
		assembly_change_path_mtu(stream, pmtu);
}

/* Number of packets of a payload of `length` bytes. IBTA vol. 1, 9.7.2. */
uint64_t assembly_packets_of(uint64_t length, uint32_t pmtu);

void assembly_set_verb(struct message *message, enum rtap_verb verb);

/*
 * A new message that begins with this packet at `psn`, inserted in the stream after `before` (NULL: first). NULL: out of
 * memory.
 */
struct message *assembly_create(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *before, uint64_t psn,
				const struct piece *piece, enum rtap_verb verb);

/* Adds bytes to a message. The position counts from MESSAGE_ORIGIN. Returns the number of new bytes. */
uint64_t assembly_add_bytes(struct rtap_tracker *tracker, struct message *message, uint64_t position, const struct piece *piece);

/* Adds a packet's payload to its message. Returns the number of new bytes. */
uint64_t assembly_add_payload(struct rtap_tracker *tracker, struct message *message, uint64_t psn, const struct piece *piece);

/* Takes the bytes of a message that nobody needs from the next frame on. The caller frees them. */
uint8_t *assembly_take_bytes(struct rtap_tracker *tracker, struct message *message);

/* Counts a packet that repeats what the message has. */
void assembly_note_repeat(struct rtap_tracker *tracker, struct message *message);

/* The message has the frame, which was captured at this time. */
static inline void assembly_cover_frame(struct rtap_message *shown, uint64_t frame, int64_t time_ns)
{
	if (frame < shown->first_frame)
		shown->first_frame = frame;
	if (frame > shown->last_frame)
		shown->last_frame = frame;
	if (time_ns < shown->time_ns)
		shown->time_ns = time_ns;
	if (time_ns > shown->time_end_ns)
		shown->time_end_ns = time_ns;
}

/* Counts the packet for its message. `is_new`: it is not a repeat. */
static inline void assembly_note_frame(struct rtap_tracker *tracker, struct frame_result *result, struct message *message,
				       const struct piece *piece, bool is_new)
{
	struct rtap_message *shown = &message->shown;
	uint64_t frame = piece->frame;
	int64_t time_ns = piece->time_ns;

	result->touched = message;
	message->active_ns = time_ns;
	/* A repeat of a packet that is no longer known is the first one known of its message. */
	if (!is_new && shown->frames) {
		assembly_note_repeat(tracker, message);
		return;
	}
	shown->frames++;
	assembly_cover_frame(shown, frame, time_ns);
}

/* The requester lacks the responses from PSN `begin` up to but excluding `end` of the message: they are sent again. */
static inline void assembly_need(struct message *message, uint64_t begin, uint64_t end)
{
	message->needed.begin = (begin - message->low) & PSN_MASK;
	message->needed.end = (end - message->low) & PSN_MASK;
	message->needed.has_come = false;
	message->needed.ahead = 0;
}

/* Merges the message after `message` into it. */
void assembly_join(struct rtap_tracker *tracker, struct message *message, struct message *other, struct frame_result *result);

/* Whether a message exists and has this verb. */
static inline bool assembly_same_verb(const struct message *message, enum rtap_verb verb)
{
	return message && message->shown.verb == verb;
}

/* Whether a READ whose request was not seen began before `psn` and has responses there or later: only a restart of it begins there. */
static inline bool assembly_is_inside(const struct message *read, uint64_t psn)
{
	return psn <= read->high && (psn > read->low || (psn == read->low && !read->has_first));
}

/*
 * Whether a packet with this PSN can only continue the READ: the last response seen is the one before, and is no Last. The packet is the next
 * response, or a request for the rest of the READ or the first response to that.
 */
bool assembly_continues_at(const struct message *read, uint64_t psn);

/* The request at `psn` of a READ whose own request was not seen is one for the rest of it, which shows the memory and the end. */
void assembly_take_restart(struct rtap_tracker *tracker, struct message *read, uint64_t psn, uint32_t r_key, uint64_t address, uint64_t length);

/*
 * The response at the PSN of the READ's request is no First or Only: it continues a READ that began before, and the request was one for the rest
 * of that. Returns the whole READ.
 */
struct message *assembly_begin_earlier(struct rtap_tracker *tracker, struct message *read, struct frame_result *result);

/* Whether two parts can belong to one SEND whose packets in between were not seen. */
bool assembly_may_be_one(const struct message *message, const struct message *next);

/* Whether `next`, whose First was not seen, can continue `message`, of which packets up to `psn` were seen. */
bool assembly_is_continued_by(const struct message *message, const struct message *next, uint64_t psn);

/* Records a packet at `psn` of the message. */
static inline void assembly_extend(struct message *message, uint64_t psn, enum ib_place place)
{
	if (psn < message->low) {
		message->low = psn;
		message->shown.psn = (uint32_t)psn & PSN_MASK;
	}
	if (psn > message->high)
		message->high = psn;
	message->has_first |= place == IB_FIRST || place == IB_ONLY;
	message->has_last |= place == IB_LAST || place == IB_ONLY;
}

/*
 * The message that a data packet belongs to by its PSN and place; created for its first packet. `before`: the result of
 * message_list_find_before(). NULL: the packet repeats reported data or contradicts the message, or out of memory.
 */
struct message *assembly_message_of(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *before, uint64_t psn,
				    const struct ib_opcode *opcode, const struct piece *piece);

/* assembly_join_next() of a message that is not the last of its stream. */
void assembly_join_those_after(struct rtap_tracker *tracker, struct message *message, struct frame_result *result);

/* Merges following messages that the last packet proved to be the same message. */
static inline void assembly_join_next(struct rtap_tracker *tracker, struct message *message, struct frame_result *result)
{
	if (message_list_after(message))
		assembly_join_those_after(tracker, message, result);
}

/* Whether all packets of the message, and a response if required, are present. */
bool assembly_is_whole(const struct message *message);

/* The current packet completed the message of `length` bytes. */
static inline void assembly_fill_completion(struct rtap_flow_facts *flow, const struct message *message, uint64_t length)
{
	flow->completes = true;
	flow->kind = message->shown.kind;
	flow->verb = message->shown.verb;
	flow->message_first_frame = message->shown.first_frame;
	flow->message_frames = message->shown.frames;
	flow->message_length = length;
}

/* Whether a PSN belongs to another conversation. Responses to a READ can be any number of PSNs after the next request. */
static inline bool assembly_is_far(const struct psn_stream *stream, uint64_t psn)
{
	const struct message *first = TAILQ_FIRST(&stream->messages);
	uint64_t low = first && first->low < stream->next ? first->low : stream->next;

	return psn > stream->next + PSN_WINDOW || psn + PSN_WINDOW < low;
}

/* CRC-32 of a payload, or 0 if not wanted. */
static inline uint32_t assembly_digest(const struct rtap_tracker *tracker, const uint8_t *bytes, uint32_t length)
{
	return tracker->keep & COVERAGE_CRC ? coverage_crc(bytes, length) : 0;
}

#endif
