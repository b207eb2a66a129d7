/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What requests and responses share in putting messages together out of packets: which message a packet belongs to, and
 * where its payload stands in it.
 */
#ifndef REASSEMBLY_ASSEMBLY_H
#define REASSEMBLY_ASSEMBLY_H

#include "dissect/ib.h"
#include "reassembly/state.h"

/* A packet's payload. */
struct piece {
	const uint8_t *bytes;  /* NULL: not kept */
	uint32_t captured, wire, crc;
};

/* The PSNs that a request takes whose length is announced; 0: that depends on the path MTU, which is not known. */
uint64_t assembly_psn_count(uint64_t length, uint32_t pmtu);

/* A First or Middle carried so many bytes: the ends of announced messages follow. */
void assembly_learn_path_mtu(struct psn_stream *stream, uint32_t pmtu);

/* Packets that a payload of `length` bytes takes. IBTA vol. 1, 9.7.2. */
uint64_t assembly_packets_of(uint64_t length, uint32_t pmtu);

/* The last message that begins at or before `psn`. */
struct message *assembly_find_before(const struct psn_stream *stream, uint64_t psn, struct message *from);

/* A new message that begins at `psn`, in the stream behind `before` (NULL: before all). NULL: there is no memory. */
struct message *assembly_create(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *before, uint64_t psn,
			      uint64_t frame, int64_t time_ns, enum rtap_message_kind kind, enum rtap_verb verb);

/* Puts bytes into a message, at a position that counts from MESSAGE_ORIGIN. Returns how many of them are new. */
uint64_t assembly_add_bytes(struct rtap_tracker *tracker, struct message *message, uint64_t position, const struct piece *piece);

/* Puts a packet's payload into its message. Returns how many of its bytes are new. */
uint64_t assembly_add_payload(struct rtap_tracker *tracker, struct message *message, uint64_t psn, const struct piece *piece);

/* A frame belongs to the message; `is_new`: it brought something that was not there. */
void assembly_note_frame(struct rtap_tracker *tracker, struct message *message, uint64_t frame, int64_t time_ns, bool is_new);

/* Takes the message behind into one that it continues. */
void assembly_join(struct rtap_tracker *tracker, struct message *message, struct message *other);

/* Whether there is a message, of this verb. */
bool assembly_same_verb(const struct message *message, enum rtap_verb verb);

/* Whether two parts can be of one SEND, of which the packets between were not seen. */
bool assembly_may_be_one(const struct message *message, const struct message *next);

/* Whether `message`, whose First was not seen, goes on what comes up to `psn`. */
bool assembly_is_continued_by(const struct message *message, const struct message *next, uint64_t psn);

/* A packet at this place in the message was seen. */
void assembly_extend(struct message *message, uint64_t psn, enum ib_place place);

/* The message of a packet by its place in it, made if it is its first. */
struct message *assembly_message_of(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, enum ib_place place,
				  enum rtap_verb verb, uint64_t frame, int64_t time_ns, struct message *hint);

/* Messages that a packet has shown to be one. */
void assembly_join_next(struct rtap_tracker *tracker, struct message *message);

/* Whether all of the message is there, and a response that it needs. */
bool assembly_is_whole(const struct message *message);

/* The packet at hand completed the message of `length` bytes. */
void assembly_fill_completion(struct rtap_flow_facts *flow, const struct message *message, uint64_t length);

/* Counts what a packet is in its sequence. */
void assembly_count_analysis(struct connection *connection, enum rtap_psn_analysis analysis, bool differs);

/* The handshake told where the sequence begins. */
void assembly_start(struct psn_stream *stream, uint32_t psn);

/* Whether a PSN belongs to another conversation. The responses to a READ can be any number of PSNs behind its successor. */
bool assembly_is_far(const struct psn_stream *stream, uint64_t psn);

/* CRC-32 of a payload, or 0 if nobody asks for it. */
uint32_t assembly_digest(const struct rtap_tracker *tracker, const uint8_t *bytes, uint32_t length);

#endif
