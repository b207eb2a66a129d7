/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Filters of records: messages, operations, connections. Their own keys ("operation.latency") and packet fields can be tested in one
 * filter: a record passes if one of its packets passes all tests of packet fields, and its keys pass the others.
 */
#ifndef DISSECT_FILTER_FILTER_RECORD_H
#define DISSECT_FILTER_FILTER_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/value.h>

/* Type of the values of a key. */
enum filter_key_type {
	FILTER_KEY_NONE,     /* no value to compare: the record has it or not */
	FILTER_KEY_NUMBER,
	FILTER_KEY_BOOL,
	FILTER_KEY_SECONDS,  /* also other decimal fractions */
	FILTER_KEY_TIME,
	FILTER_KEY_TEXT,
};

struct filter_key {
	const char *name;    /* NULL: none */
	enum filter_key_type type;
};

/* The keys of a kind of records. */
struct filter_scope {
	const char *prefix;  /* of their names in filters: "operation." */
	struct filter_key (*key)(const struct filter_scope *scope, size_t index);
	bool without_packets; /* packet fields cannot be tested */
};

/* A value; numbers, times (nanoseconds) and BOOL: sign and magnitude. */
struct filter_record_value {
	uint64_t number;
	bool negative;
	struct rtap_span text; /* valid until `take` returns */
};

/* A record, embedded in the caller's struct. */
struct filter_record {
	/* Calls `take` for each value of a key, given by its index, until that returns false. */
	void (*values)(const struct filter_record *record, uint32_t key,
		       bool (*take)(void *owner, const struct filter_record_value *value), void *owner);
};

#endif
