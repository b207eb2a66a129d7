/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cache of formatted rows. Most fields repeat a recent value, and copying its text is faster than formatting it again. The key holds
 * everything that a row depends on, so the cache does not affect the output.
 */
#ifndef OUTPUT_PACKET_ROWS_H
#define OUTPUT_PACKET_ROWS_H

#include <rdmatap/visitor.h>

#include "dissect/engine/line.h"

#define ROW_STEP 32
#define ROW_TEXT (3 * ROW_STEP)
#define ROW_WAYS 4    /* rows of a field, by a hash of what they depend on */
#define ROW_MISSES 64 /* in a row: a field that changes all the time is not looked up the next 192 times */

/* Everything a row depends on besides its field. */
struct row_key {
	uint64_t words[2]; /* the value's number or bytes */
	uint32_t variant;  /* anything else, defined by the output; never 0 */
};

struct row {
	struct row_key key; /* variant 0: empty */
	uint16_t length;
	char text[ROW_TEXT];
};

struct rows {
	struct row (*fields)[ROW_WAYS]; /* by field id */
	uint8_t *misses;                /* likewise */
};

/* False: out of memory. Call rows_fini() in both cases. Zero-initialised rows must not be looked up. */
bool rows_init(struct rows *rows) __attribute__((warn_unused_result));
void rows_fini(struct rows *rows);

/* Fills a key from a value; `variant` is defined by the output, below 2^16 and not 0. False: such values are not cached. */
static inline bool row_key_init(struct row_key *key, const struct rtap_field *field, const struct rtap_value *value, uint32_t variant)
{
	key->words[1] = 0;
	if (field->show <= RTAP_BOOL) {
		key->words[0] = value->number;
		key->variant = variant;
		return true;
	}
	key->words[0] = 0;
	key->variant = variant | value->data.length << 16;
	if (field->show == RTAP_SECONDS || field->names)
		return false;
	switch (value->data.length) {
	case 4: memcpy(key->words, value->data.bytes, 4); return true;
	case 6: memcpy(key->words, value->data.bytes, 6); return true;
	case 8: memcpy(key->words, value->data.bytes, 8); return true;
	case 16: memcpy(key->words, value->data.bytes, 16); return true;
	default: return false;
	}
}

/* The slot of a field's row; row_is() checks whether it holds this row. NULL: the field currently changes too often. */
static inline struct row *rows_find(const struct rows *rows, rtap_field_id id, const struct row_key *key)
{
	uint64_t mixed = (key->words[0] ^ key->words[1]) * UINT64_C(0x9e3779b97f4a7c15);

	if (rows->misses[id] >= ROW_MISSES) {
		rows->misses[id]++;
		return NULL;
	}
	return &rows->fields[id][mixed >> 62];
}

static inline bool row_is(const struct row *row, const struct row_key *key)
{
	return row->key.words[0] == key->words[0] && row->key.words[1] == key->words[1] && row->key.variant == key->variant;
}

/* Appends `length` bytes of `text` in whole steps, faster than an exact copy; `text` must be readable to the end of the last step. */
static inline void line_steps(struct line *line, const char *text, size_t length)
{
	if ((size_t)(line->end - line->next) < length + ROW_STEP) {
		line_bytes(line, text, length);
		return;
	}
	memcpy(line->next, text, ROW_STEP);
	for (size_t i = ROW_STEP; i < length; i += ROW_STEP)
		memcpy(line->next + i, text + i, ROW_STEP);
	line->next += length;
}

/* Appends a cached row. */
static inline void rows_copy(const struct rows *rows, rtap_field_id id, const struct row *row, struct line *line)
{
	rows->misses[id] = 0;
	line_steps(line, row->text, row->length);
}

/* Caches the text written since `start`, if it fits and was not truncated. */
void rows_keep(const struct rows *rows, rtap_field_id id, struct row *row, const struct row_key *key, const char *start,
	       const struct line *line);

#endif
