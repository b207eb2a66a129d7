/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cache of runs: consecutive rows of a table that depend only on a few bytes of the header. If these bytes repeat, the text of all rows is
 * copied at once; rows.h does the same for single rows of any kind. A run that rarely repeats is split where its bytes change most often.
 */
#ifndef OUTPUT_PACKET_RUNS_H
#define OUTPUT_PACKET_RUNS_H

#include "output/packet/rows.h"

#define RUN_BYTES 16  /* of the header, at most */
#define RUN_TEXT (24 * ROW_STEP)
#define RUN_WAYS 32   /* texts of a run, by a hash of the bytes */

struct run_text {
	uint64_t words[2]; /* the bytes */
	uint16_t variant;  /* anything else the text depends on, defined by the output; 0: empty */
	uint16_t length;
	uint64_t after;    /* state of the output after this text */
	char text[RUN_TEXT];
};

struct row_run {
	rtap_field_id first; /* the ids of all its fields are in one word of a bit map */
	uint8_t rows;
	uint8_t length;      /* bytes of the header */
	uint16_t offset;     /* of these bytes in the header */
	uint8_t misses;      /* minus the hits since; at least 0 */
	uint8_t missed[RUN_BYTES];   /* the bytes at the latest miss */
	uint16_t changes[RUN_BYTES]; /* how often each byte differed from the miss before */
	struct run_text *texts;      /* RUN_WAYS; NULL before the first miss */
};

struct runs {
	uint16_t *at; /* by field id: 1 + index of the run that begins there; 0: none */
	struct row_run *runs;
	size_t count;
};

/*
 * `first_ids`, which may be NULL, has the first id of each field's name; other fields are in no run. False: out of memory. Call runs_fini()
 * in both cases. Zero-initialised runs must not be looked up.
 */
bool runs_init(struct runs *runs, const rtap_field_id *first_ids) __attribute__((warn_unused_result));
void runs_fini(struct runs *runs);

/* The mask of a run's fields in their word of a bit map. */
static inline uint64_t run_fields(const struct row_run *run)
{
	return (((uint64_t)1 << (run->rows - 1) << 1) - 1) << run->first % 64;
}

/* The run that begins with a field, if all its bytes are in the layer. */
static inline struct row_run *runs_at(const struct runs *runs, rtap_field_id id, const struct rtap_layer *layer)
{
	struct row_run *run = runs->at[id] ? &runs->runs[runs->at[id] - 1] : NULL;

	return run && layer->length >= (uint32_t)run->offset + run->length ? run : NULL;
}

/* The bytes of a run as two numbers, different for different bytes: two loads, which overlap if the length is not a power of two. */
static inline void run_words(const struct row_run *run, const uint8_t *header, uint64_t words[2])
{
	const uint8_t *first = header + run->offset, *end = first + run->length;
	uint32_t four[2];
	uint16_t two[2];

	if (run->length >= 8) {
		memcpy(&words[0], first, 8);
		memcpy(&words[1], end - 8, 8);
	} else if (run->length >= 4) {
		memcpy(&four[0], first, 4);
		memcpy(&four[1], end - 4, 4);
		words[0] = four[0];
		words[1] = four[1];
	} else if (run->length >= 2) {
		memcpy(&two[0], first, 2);
		memcpy(&two[1], end - 2, 2);
		words[0] = two[0];
		words[1] = two[1];
	} else {
		words[0] = first[0];
		words[1] = 0;
	}
}

/* The slot of a run's text for these bytes; run_is() checks whether it holds this text. */
static inline struct run_text *run_find(const struct row_run *run, const uint64_t words[2])
{
	uint64_t mixed = (words[0] ^ (words[1] << 29 | words[1] >> 35)) * UINT64_C(0x9e3779b97f4a7c15);

	return run->texts ? &run->texts[mixed >> 59] : NULL;
}

static inline bool run_is(const struct run_text *text, const uint64_t words[2], uint16_t variant)
{
	return text->words[0] == words[0] && text->words[1] == words[1] && text->variant == variant;
}

/* Appends a cached text. */
static inline void run_copy(struct row_run *run, const struct run_text *text, struct line *line)
{
	run->misses = (uint8_t)(run->misses - (run->misses > 0));
	line_steps(line, text->text, text->length);
}

/*
 * Caches the text of a run written since `start`, if it fits and was not truncated. This may split the run or remove it.
 */
void runs_keep(struct runs *runs, struct row_run *run, const uint8_t *header, uint16_t variant, uint64_t after, const char *start,
	       const struct line *line);

#endif
