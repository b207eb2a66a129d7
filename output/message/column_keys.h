/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The keys of JSON records, made from the tables of doc/json.md.
 */
#ifndef OUTPUT_MESSAGE_COLUMN_KEYS_H
#define OUTPUT_MESSAGE_COLUMN_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* "a.port": member of an object; "missing[].offset": of the elements of an array. */
struct column_key {
	const char *name;
	const char *type; /* its type in doc/json.md: "number", "seconds", "text" ... */
	const char *meaning; /* may be empty */
	bool is_column; /* CSV has it by default: neither an object nor inside an array */
};

/* Keys of the records of a command (of those with `type`, if it is not NULL). `keys` ends with a NULL name. */
struct column_keys {
	const char *command, *type;
	const struct column_key *keys;
};

/* Ends with a NULL command. */
extern const struct column_keys column_tables[];

#endif
