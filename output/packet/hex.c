/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/packet/hex.h"
#include "output/packet/text.h"

#define ROW 16

static void write_row(const uint8_t *bytes, uint32_t offset, uint32_t count, struct line *line)
{
	static const char blanks[3 * ROW + 4] = "                                                   ";
	uint32_t left = count < ROW / 2 ? count : ROW / 2, right = count - left;
	char characters[ROW];

	line_hex_digits(line, offset, 4);
	line_bytes(line, blanks, 2);
	line_hex_bytes(line, bytes + offset, left, ' ');
	if (right) {
		line_bytes(line, blanks, 2);
		line_hex_bytes(line, bytes + offset + left, right, ' ');
	}
	/* missing bytes are blank; two more blanks precede the characters, and one is in the middle of the row */
	line_bytes(line, blanks, 3 * (ROW - count) + (right ? 2 : 3));
	for (uint32_t i = 0; i < count; i++) {
		uint8_t byte = bytes[offset + i];

		characters[i] = byte >= 0x20 && byte < 0x7f ? (char)byte : '.';
	}
	line_bytes(line, characters, count);
	line_char(line, '\n');
}

void hex_write(const uint8_t *bytes, uint32_t length, struct line *line)
{
	for (uint32_t offset = 0; offset < length && !line->cut; offset += ROW)
		write_row(bytes, offset, length - offset < ROW ? length - offset : ROW, line);
}
