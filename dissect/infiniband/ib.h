/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * InfiniBand transport: opcodes, and definitions shared by its files.
 * IBTA Architecture Specification vol. 1, chapters 7 to 9; annexes A16 and A17 for RoCE.
 */
#ifndef DISSECT_INFINIBAND_IB_H
#define DISSECT_INFINIBAND_IB_H

#include <rdmatap/message.h>

#include "dissect/engine/protocol.h"

/* Base Transport Header. IBTA vol. 1, 9.2. */
#define BTH_LENGTH 12
#define BTH_OPCODE 0, 8
#define BTH_SOLICITED 8, 1
#define BTH_MIGRATION 9, 1
#define BTH_PAD_COUNT 10, 2
#define BTH_VERSION 12, 4
#define BTH_P_KEY 16, 16
#define BTH_FECN 32, 1
#define BTH_BECN 33, 1
#define BTH_RESERVED_6 34, 6
#define BTH_DEST_QP 40, 24
#define BTH_ACK_REQUEST 64, 1
#define BTH_RESERVED_7 65, 7
#define BTH_PSN 72, 24

/* Local Route Header. IBTA vol. 1, 7.7. */
#define LRH_LENGTH 8
#define LRH_VL 0, 4
#define LRH_LVER 4, 4
#define LRH_SL 8, 4
#define LRH_RESERVED_2 12, 2
#define LRH_LNH 14, 2
#define LRH_DLID 16, 16
#define LRH_RESERVED_5 32, 5
#define LRH_PKT_LEN 37, 11
#define LRH_SLID 48, 16

#define GRH_LENGTH 40
#define ICRC_LENGTH 4
#define VCRC_LENGTH 2

/* The upper three bits of an opcode. IBTA vol. 1, 9.2.1, table 38. */
enum ib_service {
	IB_RC = 0x00,
	IB_UC = 0x20,
	IB_RD = 0x40,
	IB_UD = 0x60,
	IB_CNP = 0x80,
	IB_XRC = 0xa0,
};

enum ib_place { IB_FIRST, IB_MIDDLE, IB_LAST, IB_ONLY };

enum ib_class {
	IB_RESERVED, /* no such opcode */
	IB_SEND,
	IB_WRITE,
	IB_READ_REQUEST,
	IB_READ_RESPONSE,
	IB_ACKNOWLEDGE,
	IB_ATOMIC_ACKNOWLEDGE,
	IB_ATOMIC,
	IB_RESYNC,
	IB_FLUSH,
	IB_ATOMIC_WRITE,
	IB_CONGESTION,
};

/* Extended headers after the BTH, one bit each, in their order in the packet. */
enum ib_header {
	IB_RDETH = 0x001,
	IB_DETH = 0x002,
	IB_XRCETH = 0x004,
	IB_FETH = 0x008,
	IB_RETH = 0x010,
	IB_ATOMICETH = 0x020,
	IB_AETH = 0x040,
	IB_ATOMICACKETH = 0x080,
	IB_IMMDT = 0x100,
	IB_IETH = 0x200,
	IB_CNP_RESERVED = 0x400,
};

/* Properties of an opcode. */
struct ib_opcode {
	const char *name;
	uint16_t headers;    /* enum ib_header */
	uint8_t class;       /* enum ib_class */
	uint8_t place;       /* enum ib_place */
	uint8_t verb;        /* enum rtap_verb, of the message; RTAP_VERB_COUNT: any, or none */
	bool is_response;
};

extern const struct ib_opcode ib_opcodes[256];
extern const struct rtap_name ib_opcode_names[];

/* Name of an opcode in the one-line text. Length 0: reserved. */
struct ib_opcode_words {
	char text[31];
	uint8_t length;
};

extern const struct ib_opcode_words ib_opcode_words[256];

static inline enum ib_service ib_service(uint8_t opcode)
{
	return (enum ib_service)(opcode & 0xe0);
}

/* Whether a path MTU can have this size. IBTA vol. 1, 9.4.1. */
static inline bool ib_is_path_mtu(uint32_t bytes)
{
	return bytes >= 256 && bytes <= 4096 && !(bytes & (bytes - 1));
}

#endif
