/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pieces of an RPC message, either captured or missing. */
#ifndef OUTPUT_EXPORT_EXPORT_PART_H
#define OUTPUT_EXPORT_EXPORT_PART_H

#include "reassembly/upper/rpc_exchange.h"

/* The position of the last piece, as those of a message are requested in order. Begins with `part` NULL. */
struct part_cursor {
	const struct rpc_part *part;
	uint32_t extent;
	uint64_t extent_begin;
};

/*
 * The bytes of a message from position `at` on. NULL: they are missing, also after the message's end. *end, after `at`: lowered to where this piece
 * ends. *reason: of missing bytes, enum rtap_missing_reason.
 */
const uint8_t *part_piece(struct part_cursor *cursor, const struct rpc_part *part, uint64_t at, uint64_t *end, unsigned *reason);

#endif
