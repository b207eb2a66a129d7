/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_INTERNAL_H
#define DISSECT_FILTER_FILTER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>
#include <rdmatap/filter.h>

#include "dissect/engine/packet.h"

/* The program to which a filter is compiled: dissect/filter/filter.c runs it, the other filter files build it. */

#define FILTER_TEXT_MAX 65536 /* bytes of a filter's text */
#define FILTER_DEPTH_MAX 200  /* nesting of parentheses */
#define FILTER_NOWHERE UINT32_MAX

/* How values are compared; several kinds of enum rtap_show share one. */
enum filter_kind {
	FILTER_KIND_NONE,    /* no value: present or absent */
	FILTER_KIND_NUMBER,
	FILTER_KIND_BOOL,
	FILTER_KIND_SECONDS, /* nanoseconds */
	FILTER_KIND_TIME,    /* nanoseconds since 1970, written as a date */
	FILTER_KIND_IPV4,    /* from here on: bytes */
	FILTER_KIND_IPV6,
	FILTER_KIND_ETHER,
	FILTER_KIND_EUI64,
	FILTER_KIND_BYTES,
	FILTER_KIND_TEXT,
};

static inline bool filter_kind_is_bytes(unsigned kind)
{
	return kind >= FILTER_KIND_IPV4;
}

static inline bool filter_kind_is_time(unsigned kind)
{
	return kind == FILTER_KIND_SECONDS || kind == FILTER_KIND_TIME;
}

/* A value while a filter runs: sign and magnitude, because differences of 64-bit numbers have 65 bits; or bytes. */
struct filter_item {
	uint64_t number;
	bool negative;
	struct rtap_span data;
};

/* One field or, with a NULL field, a protocol's bytes from its header to the end of the captured bytes. */
struct filter_source {
	const struct rtap_field *field;
	rtap_field_id id;
	uint16_t protocol;
	bool visited; /* found only by a visit */
};

enum filter_operation {
	FILTER_FIELD,    /* the values of the sources */
	FILTER_RECORD,   /* of the record's key `left` */
	FILTER_LITERAL,  /* the value `left` of the filter's values */
	FILTER_SLICE,    /* of the values of `left`: `count` ranges from `right` */
	FILTER_UPPER,    /* of one operand: `left` */
	FILTER_LOWER,
	FILTER_LENGTH,
	FILTER_COUNT,
	FILTER_ABSOLUTE,
	FILTER_MINIMUM,  /* the least or largest of all values of `left` and, unless it is FILTER_NOWHERE, `right` */
	FILTER_MAXIMUM,
	FILTER_NEGATE,
	FILTER_ADD,      /* of two operands: each value of `left` with each of `right` */
	FILTER_SUBTRACT,
	FILTER_MULTIPLY,
	FILTER_DIVIDE,
	FILTER_MODULO,
	FILTER_AND,
};

/* A list of values, computed from the packet. Operands refer only to operands before them. */
struct filter_operand {
	uint64_t protocols[RTAP_PROTOCOL_WORDS]; /* FIELD: a packet or layer without any of these has no value */
	uint32_t source, source_count;
	uint32_t wanted;    /* position of the visit's bit set in `words`, or FILTER_NOWHERE */
	uint32_t left, right, count;
	uint8_t operation;  /* enum filter_operation */
	uint8_t kind;       /* enum filter_kind */
	uint8_t depth;      /* of operands within each other */
	uint8_t size;       /* bytes of a number in its header, for LENGTH */
	uint8_t first_layer, last_layer; /* FIELD: the only layers of its protocol in the packet, counted from 1 and from outside; 0: all */
	bool temporary;     /* the bytes are valid only until the next value is computed */
};

#define FILTER_OPERAND_DEPTH_MAX 100

/* Bytes of a value. */
struct filter_range {
	uint32_t start;  /* from the end if `from_end` */
	uint32_t length; /* FILTER_NOWHERE: to the end */
	bool from_end;
};

/* A value in the filter: a single one, or an inclusive range. */
struct filter_value {
	uint64_t low, high;
	bool low_negative, high_negative;
	uint32_t low_at, low_length; /* bytes: position in the pool */
	uint32_t high_at, high_length;
	uint32_t prefix;             /* bits of an address to compare; FILTER_NOWHERE: all */
};

enum filter_comparison {
	FILTER_PRESENT,
	FILTER_NOT_ZERO,
	FILTER_EQ,
	FILTER_GT,
	FILTER_LT,
	FILTER_GE,
	FILTER_LE,
	FILTER_CONTAINS,
	FILTER_MATCHES, /* the regular expression `first` */
};

enum filter_action {
	FILTER_TEST,          /* result = operand compared with any of `count` values from `first` */
	FILTER_TEST_OPERAND,  /* result = operand compared with the operand `first` */
	FILTER_INVERT,        /* result = not result */
	FILTER_SKIP_IF_TRUE,  /* continue at node `first` */
	FILTER_SKIP_IF_FALSE,
	FILTER_PACKET_PART,   /* nodes up to `first` test packet fields: of records they are true */
	FILTER_RECORD_PART,   /* nodes up to `first` test keys of records: of packets they are true */
};

/* Nodes run in order; "and" and "or" are forward jumps, so that no stack is needed. */
struct filter_node {
	uint8_t action;     /* enum filter_action */
	uint8_t comparison; /* enum filter_comparison */
	bool negated;       /* a value passes if the comparison fails */
	bool all;           /* there is a value, and all pass; else: one passes */
	uint32_t operand;
	uint32_t first, count;
};

struct filter_regex;

struct rtap_filter {
	struct filter_node *nodes; /* none: matches every packet */
	struct filter_operand *operands;
	struct filter_source *sources;
	struct filter_range *ranges;
	struct filter_value *values;
	struct filter_regex **regexes;
	uint8_t *bytes;
	uint64_t *words;
	uint32_t node_count, operand_count, source_count, range_count, value_count, regex_count, byte_count, word_count;
	size_t node_room, operand_room, source_room, range_room, value_room, regex_room, byte_room, word_room;
	bool tests_packets, tests_records;
};

#endif
