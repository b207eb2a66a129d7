/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A packet's bytes in hexadecimal.
 */
#ifndef OUTPUT_PACKET_HEX_H
#define OUTPUT_PACKET_HEX_H

#include "output/packet/text.h"

/* Appends bytes in hexadecimal and ASCII, sixteen per row. */
void hex_write(const uint8_t *bytes, uint32_t length, struct line *line);

#endif
