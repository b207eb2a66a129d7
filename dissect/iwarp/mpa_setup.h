/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MPA Request and Reply, which turn a TCP connection into an iWARP one. RFC 5044, 7.1.1; enhanced: RFC 6581, 6 and 9.
 */
#ifndef DISSECT_IWARP_MPA_SETUP_H
#define DISSECT_IWARP_MPA_SETUP_H

#include "dissect/engine/cursor.h"
#include "dissect/engine/packet.h"

#define MPA_KEY_LENGTH 16
#define MPA_SETUP_LENGTH 20       /* of a Request or Reply without its private data. RFC 5044, 7.1.1 */
#define MPA_MAX_PRIVATE 512

/* Positions. RFC 5044, 7.1.1; RFC 6581, 6. */
#define MPA_SETUP_KEY 0, 128
#define MPA_SETUP_MARKERS 128, 1
#define MPA_SETUP_CRC 129, 1
#define MPA_SETUP_REJECT 130, 1
#define MPA_SETUP_RES 131, 5
#define MPA_SETUP_ENHANCED 131, 1
#define MPA_SETUP_REST 132, 4
#define MPA_SETUP_REVISION 136, 8
#define MPA_SETUP_PD_LENGTH 144, 16

/* Returns whether the bytes begin with the key of a Request or Reply. */
bool mpa_is_setup(const struct cursor *cursor);

/* Returns whether the first `length` bytes of a stream may be the start of a Request or Reply. */
bool mpa_may_be_setup(const uint8_t *bytes, uint32_t length);

/*
 * Reads the Request or Reply at the cursor, for which mpa_is_setup() is true, and moves past it and its private data.
 * TRUNCATED: bytes are missing at the end; *facts has what was present (facts->length if known, else 0).
 */
enum result mpa_read_setup(struct cursor *cursor, struct rtap_mpa_facts *facts);

#endif
