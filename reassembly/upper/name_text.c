/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include <zlib.h>

#include "dissect/engine/line.h"
#include "reassembly/upper/name_text.h"

static bool is_plain(const uint8_t *name, size_t length)
{
	static const char digits[] = "0123456789abcdefABCDEF";

	if (name[0] == '/' || name[0] < 0x20 || name[0] == 0x7f)
		return false;
	return name[0] != '%' || length < 3 || !name[1] || !name[2] || !strchr(digits, name[1]) || !strchr(digits, name[2]);
}

static void escape_byte(struct line *line, uint8_t byte)
{
	static const char digits[] = "0123456789ABCDEF";

	line_char(line, '%');
	line_char(line, digits[byte >> 4]);
	line_char(line, digits[byte & 15]);
}

/* Most names have only such characters. */
static bool is_simple(const uint8_t *name, size_t length)
{
	static const uint8_t others[256] = { [0 ... 0x1f] = 1, ['/'] = 1, ['%'] = 1, [0x7f ... 0xff] = 1 };
	uint8_t is_other = !length || length > NAME_TEXT_MAX || name[0] == '.';

	for (size_t i = 0; i < length; i++)
		is_other |= others[name[i]];
	return !is_other;
}

size_t name_text(const uint8_t *name, size_t length, char component[NAME_TEXT_MAX + 1])
{
	bool dots = length && length <= 2 && name[0] == '.' && name[length - 1] == '.';
	struct line line;

	if (is_simple(name, length)) {
		memcpy(component, name, length);
		component[length] = 0;
		return length;
	}
	line_init(&line, component, NAME_TEXT_MAX);
	if (!length)
		line_text(&line, "%-");
	for (size_t i = 0; i < length && !line.cut;) {
		size_t together = line_utf8_length(name + i, length - i);

		if (together) {
			line_bytes(&line, (const char *)name + i, together);
			i += together;
			continue;
		}
		if (name[i] < 0x80 && !dots && is_plain(name + i, length - i))
			line_char(&line, (char)name[i]);
		else
			escape_byte(&line, name[i]);
		i++;
	}
	if (line.cut) {
		line_init(&line, component + NAME_TEXT_MAX - 9, 9);
		line_char(&line, '%');
		line_hex_digits(&line, crc32_z(0, name, length), 8);
	}
	*line.next = 0;
	return (size_t)(line.next - component);
}
