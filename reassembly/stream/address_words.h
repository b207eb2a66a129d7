/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP addresses in the keys of hash tables.
 */
#ifndef REASSEMBLY_STREAM_ADDRESS_WORDS_H
#define REASSEMBLY_STREAM_ADDRESS_WORDS_H

#include "dissect/engine/cursor.h"

/* Writes an address of 4 or 16 bytes as two words. */
static inline void address_words(uint64_t words[2], const uint8_t *address, unsigned length)
{
	words[0] = length == 16 ? load64(address) : load32(address);
	words[1] = length == 16 ? load64(address + 8) : 0;
}

#endif
