/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_name.h"
#include "dissect/smb/smb2_parts.h"
#include "dissect/smb/smb_text.h"

#define UNIX_EPOCH INT64_C(116444736000000000) /* 1970 in 100 ns since 1601 */
#define SPAN_100NS INT64_C(92233720368547758)  /* INT64_MAX ns */

bool smb2_time(const uint8_t *bytes, struct rtap_value *value)
{
	uint64_t time = little_bits(bytes, 0, 64);
	int64_t since = time <= INT64_MAX ? (int64_t)time - UNIX_EPOCH : INT64_MAX;

	/* 0: none */
	if (!time || since > SPAN_100NS || since < -SPAN_100NS)
		return false;
	value->number = (uint64_t)(since * 100);
	return true;
}

bool smb2_time_units(const uint8_t *bytes, struct rtap_value *value)
{
	struct rtap_value nanoseconds;

	value->number = little_bits(bytes, 0, 64);
	return value->number && !smb2_time(bytes, &nanoseconds);
}

bool smb2_number(const struct smb2_walk *walk, uint32_t at, uint32_t bytes, uint64_t *number)
{
	if (at + bytes > walk->layer->length)
		return false;
	*number = little_bits(walk->body + at, 0, bytes * 8);
	return true;
}

struct rtap_span smb2_part(const struct smb2_walk *walk, uint64_t offset, uint64_t length)
{
	uint64_t at = offset - SMB2_HEADER_LENGTH, left;

	if (offset < SMB2_HEADER_LENGTH || at >= walk->layer->length)
		return (struct rtap_span){ walk->body, 0 };
	left = walk->layer->length - at;
	return (struct rtap_span){ walk->body + at, (uint32_t)(length < left ? length : left) };
}

struct rtap_span smb2_part_at(const struct smb2_walk *walk, uint32_t offset_at, uint32_t offset_bytes, uint32_t length_at, uint32_t length_bytes)
{
	uint64_t offset, length;

	if (!smb2_number(walk, offset_at, offset_bytes, &offset) || !smb2_number(walk, length_at, length_bytes, &length))
		return (struct rtap_span){ walk->body, 0 };
	return smb2_part(walk, offset, length);
}

void smb2_show_number(const struct smb2_walk *walk, size_t row, uint64_t number, uint32_t at, uint32_t bytes)
{
	visit_field(walk->visitor, walk->layer, walk->protocol, row, &(struct rtap_value){ .number = number }, walk->layer->offset + at, bytes);
}

void smb2_show_bytes(const struct smb2_walk *walk, size_t row, struct rtap_span part)
{
	if (part.length)
		visit_field(walk->visitor, walk->layer, walk->protocol, row, &(struct rtap_value){ .data = part },
			    walk->layer->offset + (uint32_t)(part.bytes - walk->body), part.length);
}

void smb2_show_text(const struct smb2_walk *walk, size_t row, struct rtap_span part)
{
	uint8_t text[SMB_TEXT_MOST];
	uint32_t length = part.length > 0xffff ? 0xffff : part.length;

	if (!length)
		return;
	visit_field(walk->visitor, walk->layer, walk->protocol, row,
		    &(struct rtap_value){ .data = { text, (uint32_t)(smb_text_put(text, part.bytes, length) - text) } },
		    walk->layer->offset + (uint32_t)(part.bytes - walk->body), length);
}

void smb2_line_text(struct line *line, struct rtap_span part)
{
	uint8_t text[SMB_TEXT_MOST], *end;
	uint32_t length = part.length > 0xffff ? 0xffff : part.length;

	end = smb_text_put(text, part.bytes, length);
	for (uint8_t *at = text; at < end; at++)
		if (*at == '\\')
			*at = '/';
	line_name(line, text, (size_t)(end - text));
}

void smb2_show_descriptors(const struct smb2_walk *walk, size_t row, struct rtap_span part)
{
	uint32_t from = (uint32_t)(part.bytes - walk->body);

	for (uint32_t at = 0; at + SMB2_DESCRIPTOR_LENGTH <= part.length; at += SMB2_DESCRIPTOR_LENGTH) {
		smb2_show_number(walk, row, little_bits(part.bytes + at, 0, 64), from + at, 8);
		smb2_show_number(walk, row + 1, little_bits(part.bytes + at, 64, 32), from + at + 8, 4);
		smb2_show_number(walk, row + 2, little_bits(part.bytes + at, 96, 32), from + at + 12, 4);
	}
}
