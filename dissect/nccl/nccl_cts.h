/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The announcements of NCCL's InfiniBand transport ("clear to send"): a receiver WRITEs entries into a ring at the sender, one for each
 * buffer. RCCL uses the same. There is no standard; versions differ in the width of the size and in the number of keys. Little endian:
 *
 *   address 8, size 4 or 8, keys 4 each, number of receives 4, tag 4, index 8 (at a multiple of 8), padding up to the entry's size
 */
#ifndef DISSECT_NCCL_NCCL_CTS_H
#define DISSECT_NCCL_NCCL_CTS_H

#include <stdbool.h>
#include <stdint.h>

#include "dissect/engine/protocol.h"

#define NCCL_MOST_RECEIVES 8
#define NCCL_MOST_KEYS 4
#define NCCL_LEAST_ENTRY 32
#define NCCL_MOST_ENTRY 128
/* A data WRITE's packet_request.queue_kind: byte order of the size in immediate data. */
enum nccl_order { NCCL_ORDER_UNKNOWN, NCCL_ORDER_BIG, NCCL_ORDER_LITTLE };

/* Layouts. X(identifier, bytes of the size, keys, protocol) */
#define NCCL_LAYOUTS(X) \
	X(S4K2, 4, 2, PROTOCOL_NCCL_CTS_S4K2) X(S8K1, 8, 1, PROTOCOL_NCCL_CTS_S8K1) X(S4K1, 4, 1, PROTOCOL_NCCL_CTS_S4K1) \
	X(S8K2, 8, 2, PROTOCOL_NCCL_CTS_S8K2) X(S8K4, 8, 4, PROTOCOL_NCCL_CTS_S8K4) X(S4K4, 4, 4, PROTOCOL_NCCL_CTS_S4K4)
#define NCCL_LAYOUT_ENUM(identifier, width, keys, protocol) NCCL_##identifier,
enum nccl_layout { NCCL_LAYOUTS(NCCL_LAYOUT_ENUM) NCCL_LAYOUT_COUNT };
#undef NCCL_LAYOUT_ENUM

struct nccl_entry {
	uint64_t address, size, index;
	uint32_t keys[NCCL_MOST_KEYS]; /* 0: none */
	uint32_t receives, tag;
};

/* enum protocol_number of entries. */
uint16_t nccl_protocol(enum nccl_layout layout);

/* The entry at nccl_entry_length() bytes. */
struct nccl_entry nccl_read_entry(enum nccl_layout layout, const uint8_t *bytes);

#define NCCL_ALL_LAYOUTS ((1u << NCCL_LAYOUT_COUNT) - 1)

/*
 * Those of the candidates, a bit for each layout, by which a WRITE of `length` bytes, all present, can be entries of one announcement. Necessary, not
 * sufficient.
 */
unsigned nccl_plausible(unsigned candidates, const uint8_t *bytes, uint32_t length);

#endif
