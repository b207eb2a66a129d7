/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The opcodes. IBTA vol. 1, 9.2.1, table 38; FLUSH and ATOMIC WRITE: A19; CNP: A10.3.2 (0x80), A17.9.3 (0x81).
 * The upper three bits give the service, the lower five the operation; an operation's headers are those of the row and
 * those that its service puts before them.
 */
#include "config.h"

#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_opcode.h"

/* X(service, operation, name, headers, class, place, verb of the message) */
#define SENDS_AND_WRITES(X, s) \
	X(s, 0x00, "SEND First", 0, IB_SEND, IB_FIRST, RTAP_VERB_SEND) \
	X(s, 0x01, "SEND Middle", 0, IB_SEND, IB_MIDDLE, RTAP_VERB_SEND) \
	X(s, 0x02, "SEND Last", 0, IB_SEND, IB_LAST, RTAP_VERB_SEND) \
	X(s, 0x03, "SEND Last" IMMEDIATE, IB_IMMDT, IB_SEND, IB_LAST, RTAP_VERB_SEND) \
	X(s, 0x04, "SEND Only", 0, IB_SEND, IB_ONLY, RTAP_VERB_SEND) \
	X(s, 0x05, "SEND Only" IMMEDIATE, IB_IMMDT, IB_SEND, IB_ONLY, RTAP_VERB_SEND) \
	X(s, 0x06, RDMA "WRITE First", IB_RETH, IB_WRITE, IB_FIRST, RTAP_VERB_WRITE) \
	X(s, 0x07, RDMA "WRITE Middle", 0, IB_WRITE, IB_MIDDLE, RTAP_VERB_WRITE) \
	X(s, 0x08, RDMA "WRITE Last", 0, IB_WRITE, IB_LAST, RTAP_VERB_WRITE) \
	X(s, 0x09, RDMA "WRITE Last" IMMEDIATE, IB_IMMDT, IB_WRITE, IB_LAST, RTAP_VERB_WRITE) \
	X(s, 0x0a, RDMA "WRITE Only", IB_RETH, IB_WRITE, IB_ONLY, RTAP_VERB_WRITE) \
	X(s, 0x0b, RDMA "WRITE Only" IMMEDIATE, IB_RETH | IB_IMMDT, IB_WRITE, IB_ONLY, RTAP_VERB_WRITE)

#define RELIABLE_REQUEST_AND_RESPONSES(X, s) \
	X(s, 0x0c, RDMA "READ Request", IB_RETH, IB_READ_REQUEST, IB_ONLY, RTAP_VERB_READ) \
	X(s##_RESPONSE, 0x0d, RDMA "READ " RESPONSE "First", IB_AETH, IB_READ_RESPONSE, IB_FIRST, RTAP_VERB_READ) \
	X(s##_RESPONSE, 0x0e, RDMA "READ " RESPONSE "Middle", 0, IB_READ_RESPONSE, IB_MIDDLE, RTAP_VERB_READ) \
	X(s##_RESPONSE, 0x0f, RDMA "READ " RESPONSE "Last", IB_AETH, IB_READ_RESPONSE, IB_LAST, RTAP_VERB_READ) \
	X(s##_RESPONSE, 0x10, RDMA "READ " RESPONSE "Only", IB_AETH, IB_READ_RESPONSE, IB_ONLY, RTAP_VERB_READ) \
	X(s##_RESPONSE, 0x11, "Acknowledge", IB_AETH, IB_ACKNOWLEDGE, IB_ONLY, RTAP_VERB_COUNT) \
	X(s##_RESPONSE, 0x12, "ATOMIC " ACKNOWLEDGE, IB_AETH | IB_ATOMICACKETH, IB_ATOMIC_ACKNOWLEDGE, IB_ONLY, RTAP_VERB_COUNT) \
	X(s, 0x13, "CmpSwap", IB_ATOMICETH, IB_ATOMIC, IB_ONLY, RTAP_VERB_COMPARE_SWAP) \
	X(s, 0x14, "FetchAdd", IB_ATOMICETH, IB_ATOMIC, IB_ONLY, RTAP_VERB_FETCH_ADD)

#define RESYNC(X, s) \
	X(s, 0x15, "RESYNC", 0, IB_RESYNC, IB_ONLY, RTAP_VERB_COUNT)

#define INVALIDATES(X, s) \
	X(s, 0x16, "SEND Last" INVALIDATE, IB_IETH, IB_SEND, IB_LAST, RTAP_VERB_SEND) \
	X(s, 0x17, "SEND Only" INVALIDATE, IB_IETH, IB_SEND, IB_ONLY, RTAP_VERB_SEND)

#define PERSISTENCE(X, s) \
	X(s, 0x1c, "FLUSH", IB_FETH | IB_RETH, IB_FLUSH, IB_ONLY, RTAP_VERB_FLUSH) \
	X(s, 0x1d, "ATOMIC WRITE", IB_RETH, IB_ATOMIC_WRITE, IB_ONLY, RTAP_VERB_ATOMIC_WRITE)

#define DATAGRAMS(X, s) \
	X(s, 0x04, "SEND Only", 0, IB_SEND, IB_ONLY, RTAP_VERB_SEND) \
	X(s, 0x05, "SEND Only" IMMEDIATE, IB_IMMDT, IB_SEND, IB_ONLY, RTAP_VERB_SEND)

#define CONGESTION(X, s) \
	X(s, 0x00, "(A10)", IB_CNP_RESERVED, IB_CONGESTION, IB_ONLY, RTAP_VERB_COUNT) \
	X(s, 0x01, "(RoCEv2)", IB_CNP_RESERVED, IB_CONGESTION, IB_ONLY, RTAP_VERB_COUNT)

#define ALL(X) \
	SENDS_AND_WRITES(X, RC) RELIABLE_REQUEST_AND_RESPONSES(X, RC) INVALIDATES(X, RC) PERSISTENCE(X, RC) \
	SENDS_AND_WRITES(X, UC) \
	SENDS_AND_WRITES(X, RD) RELIABLE_REQUEST_AND_RESPONSES(X, RD) RESYNC(X, RD) PERSISTENCE(X, RD) \
	DATAGRAMS(X, UD) \
	CONGESTION(X, CNP) \
	SENDS_AND_WRITES(X, XRC) RELIABLE_REQUEST_AND_RESPONSES(X, XRC) INVALIDATES(X, XRC) PERSISTENCE(X, XRC)

/* Name of a service, its opcode bits, and its first extended headers; responses name no queue pair. */
#define NAME_RC "RC"
#define NAME_RC_RESPONSE "RC"
#define NAME_UC "UC"
#define NAME_RD "RD"
#define NAME_RD_RESPONSE "RD"
#define NAME_UD "UD"
#define NAME_CNP "CNP"
#define NAME_XRC "XRC"
#define NAME_XRC_RESPONSE "XRC"
#define BITS_RC IB_RC
#define BITS_RC_RESPONSE IB_RC
#define BITS_UC IB_UC
#define BITS_RD IB_RD
#define BITS_RD_RESPONSE IB_RD
#define BITS_UD IB_UD
#define BITS_CNP IB_CNP
#define BITS_XRC IB_XRC
#define BITS_XRC_RESPONSE IB_XRC
#define FIRST_RC 0
#define FIRST_RC_RESPONSE 0
#define FIRST_UC 0
#define FIRST_RD IB_RDETH | IB_DETH
#define FIRST_RD_RESPONSE IB_RDETH
#define FIRST_UD IB_DETH
#define FIRST_CNP 0
#define FIRST_XRC IB_XRCETH
#define FIRST_XRC_RESPONSE 0

#define IS_RESPONSE(class) ((class) == IB_READ_RESPONSE || (class) == IB_ACKNOWLEDGE || (class) == IB_ATOMIC_ACKNOWLEDGE)

/* Full names include this word, like Wireshark's; it is redundant with READ and WRITE. */
#define RDMA "RDMA "
#define IMMEDIATE " with Immediate"
#define INVALIDATE " with Invalidate"
#define RESPONSE "Response "
#define ACKNOWLEDGE "Acknowledge"

const struct ib_opcode ib_opcodes[256] = {
#define OPCODE(service, operation, name, headers, class, place, verb) \
	[BITS_##service | operation] = { NAME_##service " " name, (FIRST_##service) | (headers), class, place, verb, IS_RESPONSE(class) },
	ALL(OPCODE)
#undef OPCODE
};

const struct rtap_name ib_opcode_names[] = {
#define NAME(service, operation, name, headers, class, place, verb) { BITS_##service | operation, NAME_##service " " name },
	ALL(NAME)
#undef NAME
	{ 0, NULL },
};

/* The one-line text's column is narrow, and most packets are of reliable connections. */
#undef RDMA
#undef IMMEDIATE
#undef INVALIDATE
#undef RESPONSE
#undef ACKNOWLEDGE
#define RDMA ""
#define IMMEDIATE " Imm"
#define INVALIDATE " Inv"
#define RESPONSE "Rsp "
#define ACKNOWLEDGE "Ack"
#define WORD_RC ""
#define WORD_RC_RESPONSE ""
#define WORD_UC "UC "
#define WORD_RD "RD "
#define WORD_RD_RESPONSE "RD "
#define WORD_UD "UD "
#define WORD_CNP "CNP "
#define WORD_XRC "XRC "
#define WORD_XRC_RESPONSE "XRC "

const struct ib_opcode_words ib_opcode_words[256] = {
#define WORDS(service, operation, name, headers, class, place, verb) \
	[BITS_##service | operation] = { WORD_##service name, sizeof WORD_##service name - 1 },
	ALL(WORDS)
#undef WORDS
};

/* The codes' common sequence: 0, 1, 2, 3, 4, 6, 8, 12, 16 ... each second one doubles. */
static uint32_t doubling(uint8_t code)
{
	if (code < 2)
		return code;
	return (code & 1 ? UINT32_C(3) << (code / 2) : UINT32_C(2) << (code / 2)) / 2;
}

uint32_t ib_credits(uint8_t code)
{
	return doubling(code);
}

uint32_t ib_rnr_timer_us(uint8_t code)
{
	return 10 * doubling(code ? code : 32);
}
