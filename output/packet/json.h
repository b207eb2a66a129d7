/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -T json: JSON Lines, one flat object a packet, keyed by field name.
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
	bool check_icrc;             /* also CRC status fields */
	const struct json_key *keys; /* by field id */
	struct json_key *own_keys;   /* the same; NULL: borrowed */
	struct rows rows;            /* keys with their values */
	struct runs runs;            /* and several at once */
	uint64_t *seen, *again;      /* one bit by first id: it was seen in this packet, and it was more than once */
	uint8_t *occurrences;        /* by first id: how often, if more than once */
	uint32_t *latest;            /* by first id: index of its latest value among the repeats */
	struct json_repeat *repeats; /* values of repeating fields, kept until the packet's end */
	size_t repeat_count, repeat_room;
	size_t lost;                 /* values not written for want of memory */
};

/* 0 or -ENOMEM; fini in both cases. */
int json_format_init(struct json_format *json, bool check_icrc) __attribute__((warn_unused_result));
/* Another one like `of`, which is to outlive it, for another thread. Likewise. */
int json_format_share(struct json_format *json, const struct json_format *of) __attribute__((warn_unused_result));
void json_format_fini(struct json_format *json);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void json_string(struct line *line, const uint8_t *bytes, size_t length);

#endif
