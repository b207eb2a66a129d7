/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What requests and responses share in putting messages together out of packets: which message a packet belongs to, and
 * where its payload stands in it.
 */
#ifndef REASSEMBLY_INFINIBAND_ASSEMBLY_H
#define REASSEMBLY_INFINIBAND_ASSEMBLY_H

#include "dissect/infiniband/ib.h"
#include "reassembly/message_list.h"
#include "reassembly/state.h"

/* A packet's payload. */
struct piece {
	const uint8_t *bytes;  /* NULL: not kept */
	uint32_t captured, wire, crc;
	uint64_t frame;        /* what it came in, and when; not for assembly_add_bytes() */
	int64_t time_ns;
};

/* The PSNs that a request takes whose length is announced; 0: that depends on the path MTU, which is not known. */
uint64_t assembly_psn_count(uint64_t length, uint32_t pmtu);

/* assembly_learn_path_mtu() of another one than was known. */
void assembly_change_path_mtu(struct psn_stream *stream, uint32_t pmtu);

/* A First or Middle carried so many bytes: the ends of announced messages follow. */
static inline void assembly_learn_path_mtu(struct psn_stream *stream, uint32_t pmtu)
{
	if (stream->pmtu != pmtu)
		assembly_change_path_mtu(stream, pmtu);
}

/* Packets that a payload of `length` bytes takes. IBTA vol. 1, 9.7.2. */
uint64_t assembly_packets_of(uint64_t length, uint32_t pmtu);

void assembly_set_verb(struct message *message, enum rtap_verb verb);

/* A new message that begins with that packet, at `psn`, in the stream behind `before` (NULL: before all). NULL: memory is out. */
struct message *assembly_create(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *before, uint64_t psn,
				const struct piece *piece, enum rtap_verb verb);

/* Puts bytes into a message, at a position that counts from MESSAGE_ORIGIN. Returns how many of them are new. */
uint64_t assembly_add_bytes(struct rtap_tracker *tracker, struct message *message, uint64_t position, const struct piece *piece);

/* Puts a packet's payload into its message. Returns how many of its bytes are new. */
static inline uint64_t assembly_add_payload(struct rtap_tracker *tracker, struct message *message, uint64_t psn, const struct piece *piece)
{
	const struct psn_stream *stream = message->stream;
	uint64_t position = MESSAGE_ORIGIN + (psn - message->origin) * stream->pmtu;

	if (psn != message->origin && !stream->pmtu)
		return 0;
	/* nearly always nothing of it is cut off, and it takes no memory */
	if (piece->wire == piece->captured && !message->bytes_wanted &&
	    coverage_append(&message->coverage, position, piece->captured, piece->crc, tracker->keep))
		return piece->captured;
	return assembly_add_bytes(tracker, message, position, piece);
}

/* The packet belongs to the message; `is_new`: it brought something that was not there. */
static inline void assembly_note_frame(struct rtap_tracker *tracker, struct message *message, const struct piece *piece, bool is_new)
{
	struct rtap_message *shown = &message->shown;
	uint64_t frame = piece->frame;
	int64_t time_ns = piece->time_ns;

	tracker->touched = message;
	message->active_ns = time_ns;
	/* a repeat of what is not known any more is the first that is known of its message */
	if (!is_new && shown->frames) {
		shown->repeats++;
		return;
	}
	shown->frames++;
	if (frame < shown->first_frame)
		shown->first_frame = frame;
	if (frame > shown->last_frame)
		shown->last_frame = frame;
	if (time_ns < shown->time_ns)
		shown->time_ns = time_ns;
	if (time_ns > shown->time_end_ns)
		shown->time_end_ns = time_ns;
}

/* Takes the message behind into one that it continues. */
void assembly_join(struct rtap_tracker *tracker, struct message *message, struct message *other);

/* Whether there is a message, of this verb. */
static inline bool assembly_same_verb(const struct message *message, enum rtap_verb verb)
{
	return message && message->shown.verb == verb;
}

/* Whether two parts can be of one SEND, of which the packets between were not seen. */
bool assembly_may_be_one(const struct message *message, const struct message *next);

/* Whether `message`, whose First was not seen, goes on what comes up to `psn`. */
bool assembly_is_continued_by(const struct message *message, const struct message *next, uint64_t psn);

/* A packet at this place in the message was seen. */
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
 * The message of a packet with data by its place in it, made if it is its first. `before` is what message_list_find_before() finds.
 * NULL: it repeats what was told already, contradicts what is there, or there is no memory.
 */
struct message *assembly_message_of(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *before, uint64_t psn,
				    const struct ib_opcode *opcode, const struct piece *piece);

/* assembly_join_next() of a message that is not the last of its stream. */
void assembly_join_those_behind(struct rtap_tracker *tracker, struct message *message);

/* Messages that a packet has shown to be one. */
static inline void assembly_join_next(struct rtap_tracker *tracker, struct message *message)
{
	if (message->behind)
		assembly_join_those_behind(tracker, message);
}

/* Whether all of the message is there, and a response that it needs. */
bool assembly_is_whole(const struct message *message);

/* The packet at hand completed the message of `length` bytes. */
static inline void assembly_fill_completion(struct rtap_flow_facts *flow, const struct message *message, uint64_t length)
{
	flow->completes = true;
	flow->kind = message->shown.kind;
	flow->verb = message->shown.verb;
	flow->message_first_frame = message->shown.first_frame;
	flow->message_frames = message->shown.frames;
	flow->message_length = length;
}

/* assembly_count_analysis() of what is no matter of course. */
void assembly_count_trouble(struct connection *connection, enum rtap_psn_analysis analysis, bool differs);

/* Counts what a packet is in its sequence. */
static inline void assembly_count_analysis(struct connection *connection, enum rtap_psn_analysis analysis, bool differs)
{
	if (analysis > RTAP_PSN_GAP || differs)
		assembly_count_trouble(connection, analysis, differs);
}

/* The handshake told where the sequence begins. */
void assembly_start(struct psn_stream *stream, uint32_t psn);

/* Whether a PSN belongs to another conversation. The responses to a READ can be any number of PSNs behind its successor. */
static inline bool assembly_is_far(const struct psn_stream *stream, uint64_t psn)
{
	uint64_t low = stream->head && stream->head->low < stream->next ? stream->head->low : stream->next;

	return psn > stream->next + PSN_WINDOW || psn + PSN_WINDOW < low;
}

/* CRC-32 of a payload, or 0 if nobody asks for it. */
static inline uint32_t assembly_digest(const struct rtap_tracker *tracker, const uint8_t *bytes, uint32_t length)
{
	return tracker->keep & COVERAGE_CRC ? coverage_crc(bytes, length) : 0;
}

#endif
