/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/cursor.h"
#include "dissect/smb/smb_text.h"

static bool is_half(uint32_t unit, uint32_t first)
{
	return (unit & 0xfc00) == first;
}

uint8_t *smb_text_put(uint8_t *to, const uint8_t *utf16, uint32_t length)
{
	for (uint32_t at = 0; at + 2 <= length; at += 2) {
		uint32_t unit = (uint32_t)little_bits(utf16 + at, 0, 16), next;

		if (unit < 0x80) {
			*to++ = (uint8_t)unit;
			continue;
		}
		next = at + 4 <= length ? (uint32_t)little_bits(utf16 + at + 2, 0, 16) : 0;
		if (unit < 0x800) {
			*to++ = (uint8_t)(0xc0 | unit >> 6);
			*to++ = (uint8_t)(0x80 | (unit & 0x3f));
		} else if (is_half(unit, 0xd800) && is_half(next, 0xdc00)) {
			unit = 0x10000 + ((unit & 0x3ff) << 10) + (next & 0x3ff);
			*to++ = (uint8_t)(0xf0 | unit >> 18);
			*to++ = (uint8_t)(0x80 | (unit >> 12 & 0x3f));
			*to++ = (uint8_t)(0x80 | (unit >> 6 & 0x3f));
			*to++ = (uint8_t)(0x80 | (unit & 0x3f));
			at += 2;
		} else {
			*to++ = (uint8_t)(0xe0 | unit >> 12);
			*to++ = (uint8_t)(0x80 | (unit >> 6 & 0x3f));
			*to++ = (uint8_t)(0x80 | (unit & 0x3f));
		}
	}
	return to;
}
