/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Display filters of messages, operations and connections: their keys are those of the JSON records (doc/json.md), after "message.",
 * "operation." or "connection.".
 */
#ifndef OUTPUT_MESSAGE_RECORD_FILTER_H
#define OUTPUT_MESSAGE_RECORD_FILTER_H

#include <rdmatap/filter.h>

#include "dissect/engine/line.h"
#include "dissect/filter/filter_record.h"

/* Zero-initialised. */
struct record_filter {
	struct rtap_filter *filter; /* NULL: every record and packet passes; rtap_filter_match() tests packets */
	const struct column_key *keys;
	char *text;         /* of the record under test */
	size_t room;
};

/* Kinds of records. X(identifier, command, type or NULL, prefix of the keys, without packet fields) */
#define RECORD_KINDS(X) \
	X(MESSAGE, "messages", NULL, "message.", false) \
	X(OPERATION, "operations", NULL, "operation.", false) \
	X(CONNECTION, "connections", NULL, "connection.", true) \
	X(OPERATIONS, "operations --by KEY", NULL, "operations.", true) \
	X(STATS_CAPTURE, "stats", "capture", "stats.capture.", true) \
	X(STATS_FINDING, "stats", "finding", "stats.finding.", true) \
	X(STATS_CONNECTION, "stats", "connection", "stats.connection.", true)

#define RECORD_KIND_ENUM(identifier, command, type, prefix, without_packets) RECORD_##identifier,
enum record_kind { RECORD_KINDS(RECORD_KIND_ENUM) RECORD_KIND_COUNT };
#undef RECORD_KIND_ENUM

#define RECORD_KEY_MOST 128 /* bytes of a key's name */

/* The kind whose prefix the name has; RECORD_KIND_COUNT: none. */
enum record_kind record_kind_of(const char *name);
const char *record_kind_prefix(enum record_kind kind);

/* Compiles a filter of records of a kind. */
enum rtap_status record_filter_open_kind(struct record_filter *filter, enum record_kind kind, const char *text, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Writes the record to `filter->text`. False: out of memory. */
bool record_filter_write(struct record_filter *filter, void (*json)(const void *what, struct line *line), const void *what);

/* Compiles a filter. `command`: that prints the records; one without keys in filters has the filters of packets. */
enum rtap_status record_filter_open(struct record_filter *filter, const char *command, const char *text, struct rtap_error *error)
	__attribute__((warn_unused_result));
void record_filter_close(struct record_filter *filter);

/* Whether the record passes the tests of its keys. `json` writes it as a JSON object. Out of memory: it does not. */
bool record_filter_match(struct record_filter *filter, void (*json)(const void *what, struct line *line), const void *what);

/* A key as it is named in filters. */
struct record_filter_key {
	char name[RECORD_KEY_MOST];
	const char *type;      /* as `rdmatap fields` prints it */
	const char *json_type;
	const char *meaning;
	bool is_array;         /* it may occur several times in a record */
};

/* The key of this index, of all commands, whose name begins with `prefix`. False: there are fewer. */
bool record_filter_key(const char *prefix, size_t index, struct record_filter_key *key);

#endif
