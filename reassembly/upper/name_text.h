/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A name that a peer sent as one component of a path. Printable ASCII and well-formed UTF-8 are unchanged. "%" and two upper-case
 * hexadecimal digits encode each byte of "." and "..", "/", NUL, control characters, bytes that are not valid UTF-8 or could disturb a
 * terminal, and "%" itself before two hexadecimal digits. The empty name becomes "%-". A name longer than 255 bytes becomes its first
 * 246 bytes, "%", and the CRC-32 of the name in 8 digits.
 */
#ifndef REASSEMBLY_UPPER_NAME_TEXT_H
#define REASSEMBLY_UPPER_NAME_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define NAME_TEXT_MAX 255

/* Sets *component to the name, with a NUL. Returns its length. */
size_t name_text(const uint8_t *name, size_t length, char component[NAME_TEXT_MAX + 1]);

#endif
