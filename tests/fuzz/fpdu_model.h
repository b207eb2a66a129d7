/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two peers that exchange RDMAP messages (RFC 5040) in DDP segments (RFC 5041) and FPDUs (RFC 5044) over TCP (RFC 9293), as the records of
 * fuzz_fpdus.c say, and the network between them. Side 0 opens the connection and sends the MPA Request.
 */
#ifndef RDMATAP_TESTS_FUZZ_FPDU_MODEL_H
#define RDMATAP_TESTS_FUZZ_FPDU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/iwarp_kit.h"

#include "network_model.h"

#define FPDU_MESSAGES 64
#define FPDU_STREAM (1u << 18) /* most bytes of a direction */
#define FPDU_SEGMENTS 2048    /* of a direction: its FPDUs */
#define FPDU_SETUP 20         /* bytes of a Request or Reply without private data */
#define FPDU_NOWHERE UINT32_MAX
#define FPDU_SACK_BLOCKS 2
#define FPDU_HEADERS 40       /* of IPv4 and TCP without options */
#define FPDU_MOST_HEADERS (FPDU_HEADERS + 4 + 8 * FPDU_SACK_BLOCKS)
#define FPDU_HANDSHAKE 3      /* frames */
#define FPDU_ENDINGS 3        /* most frames */

/* Byte 0 of the header. */
enum {
	FPDU_CRCS = 1,
	FPDU_MARKERS = 2,        /* two bits: in the stream of each side */
	FPDU_KNOWN_PORT = 8,     /* that of a service over RDMA */
	FPDU_ALIGNED = 16,       /* new segments begin and end where FPDUs do, as RFC 5044 recommends */
	FPDU_EVERY_ACK = 32,     /* acknowledgements are not delayed */
	/* 64, 128: those of the harness */
};

/* Byte 7 of the header; its high bits are those of the harness. */
enum {
	FPDU_SHARED_SINKS = 1,   /* READs into the same buffer, if the setup is captured */
	FPDU_SACKS = 2,          /* RFC 2018 */
	FPDU_ENDING = 4,         /* two bits: enum fpdu_ending */
};

/* How the connection ends after all data. */
enum fpdu_ending { FPDU_NO_END, FPDU_FIN_OF_A, FPDU_FIN_OF_B, FPDU_RESET };

/* Byte 0 of a record: above FPDU_TERMINATE nothing is posted. A side that sent a Terminate sends no more FPDUs. */
enum fpdu_verb {
	FPDU_SEND, FPDU_SEND_INVALIDATE, FPDU_SEND_SOLICITED, FPDU_SEND_SOLICITED_INVALIDATE, FPDU_WRITE, FPDU_READ, FPDU_COMPARE_SWAP, FPDU_FETCH_ADD,
	FPDU_TERMINATE, FPDU_VERBS,
};
enum { FPDU_BY_B = 32, FPDU_CONTIGUOUS = 64 /* a WRITE after the one before in the same memory */ };

struct fpdu_message {
	unsigned index, side;    /* of the requester */
	enum fpdu_verb verb;
	uint64_t length, offset, sink_offset; /* tagged offsets: of WRITEs; READs and atomics: in the memory of the responder; of the requester */
	uint32_t stag, sink_stag, invalidated, msn;
	uint32_t request;        /* stream offset of the request of a READ or atomic in its requester's direction */
	uint32_t request_end;
	uint32_t begin, end;     /* stream offsets of the FPDUs with its data, in the direction of data_side; FPDU_NOWHERE: none yet */
	bool is_contiguous;
};

/* An FPDU. */
struct fpdu_segment {
	const struct fpdu_message *message;
	uint32_t begin, end;     /* stream offsets */
	uint32_t at, length;     /* of its payload in the message's data; requests carry none */
	uint32_t header;         /* bytes before it, without markers */
	bool is_request;
};

struct fpdu_frame {
	struct network_fate fate;
	unsigned side;           /* of its sender */
	uint32_t begin, end;     /* stream offsets of its data */
	uint32_t acknowledged;   /* stream offset of the other direction */
	unsigned sack_count;
	struct { uint32_t begin, end; } sacks[FPDU_SACK_BLOCKS]; /* received after that */
	uint16_t id;
};

struct fpdu_peer {
	struct sender sender;    /* its FPDUs: what follows the setup in its stream */
	struct fpdu_segment segments[FPDU_SEGMENTS];
	unsigned segment_count, next_post; /* next_post: index of the first message that it may still have to begin */
	uint32_t length;         /* of its stream */
	uint32_t acknowledged, next, sent; /* stream offsets: the first that it lacks an acknowledgement of; of the next segment; the highest sent */
	uint32_t recovery, duplicate_acks; /* recovery: end of what a fast retransmission repairs */
	uint32_t received;       /* all bytes of the other direction below are received */
	uint32_t answered;       /* FPDUs of the other direction below are processed: a number */
	bool has_received[FPDU_STREAM]; /* bytes of the other direction */
	unsigned unacknowledged; /* segments received since the last acknowledgement sent */
	bool ack_now, repeats;   /* repeats: sends the segment at `acknowledged` again */
	int64_t active_ns;
	uint32_t isn, msn_sends, msn_reads, msn_atomics;
	bool has_terminated;
	uint64_t write_end;      /* tagged offset after its last WRITE */
	uint32_t write_stag;
	uint16_t ids;
};

struct fpdu_model {
	struct network net;
	uint8_t options;
	bool shares_sinks, has_sacks;
	enum fpdu_ending ending;
	uint32_t payload, segment, again; /* most bytes of: a DDP segment's payload; a TCP segment; one sent again */
	unsigned message_count;
	struct fpdu_message messages[FPDU_MESSAGES];
	struct fpdu_frame frames[NETWORK_FRAMES];
	struct fpdu_peer peers[2];
};

/* Whether the other side answers it with an FPDU. */
static inline bool fpdu_is_request(const struct fpdu_message *message)
{
	return message->verb >= FPDU_READ && message->verb <= FPDU_FETCH_ADD;
}

static inline unsigned fpdu_data_side(const struct fpdu_message *message)
{
	return fpdu_is_request(message) ? !message->side : message->side;
}

/* Runs an input of at least NETWORK_HEADER bytes; fpdu_end() afterwards. */
void fpdu_run(struct fpdu_model *model, const uint8_t *input, size_t length);
void fpdu_end(struct fpdu_model *model);

/* Bytes of a direction's stream from `begin` up to but excluding `end`. */
void fpdu_stream(const struct fpdu_model *model, unsigned side, uint32_t begin, uint32_t end, uint8_t *bytes);

/* Bytes of a message's data from `begin` up to but excluding `end`. */
void fpdu_fill(const struct fpdu_message *message, uint64_t begin, uint64_t end, uint8_t *bytes);

/*
 * The frames on the wire, from IPv4 on: one of the FPDU_HANDSHAKE frames before all others; the frames after all others, of FPDU_HEADERS bytes
 * like these, up to the first for which it returns false: none, a FIN of each side, the first by either, or a reset; a frame of the model, of
 * at most FPDU_MOST_HEADERS bytes and its data, whose headers' length is returned.
 */
void fpdu_put_handshake(const struct fpdu_model *model, unsigned number, uint8_t *bytes);
bool fpdu_put_ending(const struct fpdu_model *model, unsigned number, uint8_t *bytes);
uint32_t fpdu_put_frame(const struct fpdu_model *model, const struct fpdu_frame *frame, uint8_t *bytes);

/* The TCP port of a side. */
uint16_t fpdu_port(const struct fpdu_model *model, unsigned side);

#endif
