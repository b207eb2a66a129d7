/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MPA's Request and Reply, by which a TCP connection becomes an iWARP one. RFC 5044, 7.1.1; enhanced: RFC 6581, 6 and 9.
 */
#ifndef DISSECT_IWARP_MPA_SETUP_H
#define DISSECT_IWARP_MPA_SETUP_H

#include <rdmatap/packet.h>

#include "dissect/engine/cursor.h"

#define MPA_KEY_LENGTH 16
#define MPA_SETUP_LENGTH 20       /* of a Request or Reply without its private data. RFC 5044, 7.1.1 */
#define MPA_MAX_PRIVATE 512

/* Whether the bytes begin with the key of a Request or a Reply. */
bool mpa_is_setup(const struct cursor *cursor);

/* Whether `length` bytes at the beginning of a stream may be the first of a Request or Reply. */
bool mpa_may_be_setup(const uint8_t *bytes, uint32_t length);

/*
 * Reads the Request or Reply that the cursor stands at (mpa_is_setup() holds) and moves behind it, private data included.
 * TRUNCATED: bytes are missing at the end; *facts then hold what was there (facts->length as soon as it is known, else 0).
 */
enum result mpa_read_setup(struct cursor *cursor, struct rtap_mpa_facts *facts);

#endif
