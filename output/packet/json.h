/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -T json: JSON Lines, one flat object per packet, keyed by field name.
 */
#ifndef OUTPUT_PACKET_JSON_H
#define OUTPUT_PACKET_JSON_H

#include <stdint.h>

#include "output/packet/format.h"
#include "output/packet/runs.h"

struct json_repeat;
struct json_key;

struct json_format {
	struct format format;
	bool check_icrc;             /* also print CRC status fields */
	const uint64_t *wanted;      /* one bit per field id: the fields to print; borrowed, NULL: all */
	const struct json_key *keys; /* by field id */
	struct json_key *own_keys;   /* the same if owned; NULL: borrowed */
	struct rows rows;            /* cached keys with values */
	struct runs runs;            /* cached runs of keys with values */
	uint64_t *seen, *again;      /* one bit per first id: present in this packet; present more than once */
	uint8_t *occurrences;        /* by first id: number of values, if more than one */
	uint32_t *latest;            /* by first id: index of its latest value in `repeats` */
	struct json_repeat *repeats; /* values of repeated fields, kept until the end of the packet */
	size_t repeat_count, repeat_room;
	uint8_t *texts;              /* of repeated fields: a value is valid only while it is visited */
	size_t text_length, text_room;
	size_t lost;                 /* values lost for lack of memory */
};

/* Returns 0 or -ENOMEM. Call json_format_fini() in both cases. */
int json_format_init(struct json_format *json, bool check_icrc) __attribute__((warn_unused_result));
/* The same for another thread; `of` must outlive it. */
int json_format_share(struct json_format *json, const struct json_format *of) __attribute__((warn_unused_result));
void json_format_fini(struct json_format *json);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void json_string(struct line *line, const uint8_t *bytes, size_t length);

#endif
