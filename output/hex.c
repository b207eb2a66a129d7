/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/text.h"

#define ROW 16

static void write_row(const uint8_t *bytes, uint32_t offset, uint32_t count, struct line *line)
{
	line_hex_digits(line, offset, 4);
	line_char(line, ' ');
	for (uint32_t i = 0; i < ROW; i++) {
		line_char(line, ' ');
		if (i == ROW / 2)
			line_char(line, ' ');
		if (i < count)
			line_hex_digits(line, bytes[offset + i], 2);
		else
			line_text(line, "  ");
	}
	line_text(line, "  ");
	for (uint32_t i = 0; i < count; i++) {
		uint8_t byte = bytes[offset + i];

		line_char(line, byte >= 0x20 && byte < 0x7f ? (char)byte : '.');
	}
	line_char(line, '\n');
}

void hex_write(const uint8_t *bytes, uint32_t length, struct line *line)
{
	for (uint32_t offset = 0; offset < length && !line->cut; offset += ROW)
		write_row(bytes, offset, length - offset < ROW ? length - offset : ROW, line);
}
