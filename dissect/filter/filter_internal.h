/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_INTERNAL_H
#define DISSECT_FILTER_FILTER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>
#include <rdmatap/filter.h>
#include <rdmatap/packet.h>

/* The program to which a filter is compiled: dissect/filter/filter.c runs it, the other filter files build it. */

#define FILTER_TEXT_MAX 65536 /* bytes of a filter's text */
#define FILTER_DEPTH_MAX 200  /* nesting of parentheses */
#define FILTER_NOWHERE UINT32_MAX

/* How values are compared; several kinds of enum rtap_show share one. */
enum filter_kind {
	FILTER_KIND_NONE,    /* no value: present or absent */
	FILTER_KIND_NUMBER,
	FILTER_KIND_BOOL,
	FILTER_KIND_SECONDS, /* stored with the sign bit inverted, so that unsigned comparison gives the right order */
	FILTER_KIND_IPV4,    /* from here on: bytes */
	FILTER_KIND_IPV6,
	FILTER_KIND_ETHER,
	FILTER_KIND_EUI64,
	FILTER_KIND_BYTES,
	FILTER_KIND_TEXT,
};

#define FILTER_SIGN_BIT ((uint64_t)1 << 63)

static inline bool filter_kind_is_bytes(uint8_t kind)
{
	return kind >= FILTER_KIND_IPV4;
}

/* One field or, with a NULL field, a protocol's bytes from its header to the end of the captured bytes. */
struct filter_source {
	const struct rtap_field *field;
	rtap_field_id id;
	uint8_t protocol;
	bool visited; /* found only by a visit */
};

/* The values of a test, and the operations on each of them before the comparison. */
struct filter_operand {
	uint64_t protocols[RTAP_PROTOCOL_WORDS]; /* a packet or layer without any of these has no value */
	uint64_t mask;          /* of numbers; all ones if the filter has none */
	uint32_t source, source_count;
	uint32_t wanted;        /* position of the visit's bit set in `words`, or FILTER_NOWHERE */
	uint32_t slice_start;   /* of bytes */
	uint32_t slice_length;  /* FILTER_NOWHERE: to the end */
	uint8_t kind;           /* enum filter_kind, of the values before slicing */
	bool sliced;
};

/* A value in the filter: a single one, or an inclusive range. */
struct filter_value {
	uint64_t low, high;
	uint32_t low_at, low_length; /* bytes: position in the pool */
	uint32_t high_at, high_length;
	uint32_t prefix;             /* bits of an address to compare; FILTER_NOWHERE: all */
};

enum filter_comparison {
	FILTER_PRESENT,
	FILTER_BITS, /* any bit of the mask is set */
	FILTER_EQ,
	FILTER_NE,
	FILTER_GT,
	FILTER_LT,
	FILTER_GE,
	FILTER_LE,
	FILTER_CONTAINS,
};

enum filter_action {
	FILTER_TEST,          /* result = operand compared with any of `count` values from `first` */
	FILTER_TEST_FIELD,    /* result = operand compared with the operand `first` */
	FILTER_INVERT,        /* result = not result */
	FILTER_SKIP_IF_TRUE,  /* continue at node `first` */
	FILTER_SKIP_IF_FALSE,
};

/* Nodes run in order; "and" and "or" are forward jumps, so that no stack is needed. */
struct filter_node {
	uint8_t action;     /* enum filter_action */
	uint8_t comparison; /* enum filter_comparison */
	uint32_t operand;
	uint32_t first, count;
};

struct rtap_filter {
	struct filter_node *nodes; /* none: matches every packet */
	struct filter_operand *operands;
	struct filter_source *sources;
	struct filter_value *values;
	uint8_t *bytes;
	uint64_t *words;
	uint32_t node_count, node_room;
	uint32_t operand_count, operand_room;
	uint32_t source_count, source_room;
	uint32_t value_count, value_room;
	uint32_t byte_count, byte_room;
	uint32_t word_count, word_room;
};

#endif
