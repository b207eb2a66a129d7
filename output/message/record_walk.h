/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The values of a record, from the JSON text that the program made of it.
 */
#ifndef OUTPUT_MESSAGE_RECORD_WALK_H
#define OUTPUT_MESSAGE_RECORD_WALK_H

#include <stdbool.h>
#include <stddef.h>

/* Longest name of a value, with its indices; a longer one is cut. */
#define RECORD_NAME_MOST 128

struct record_walk {
	/* Called for each value, those inside of an object or array before the whole. `begin`: its JSON text. */
	void (*value)(struct record_walk *walk, const char *name, const char *begin, size_t length);
	const char *next;
	char name[RECORD_NAME_MOST + 1]; /* of the value at `next`, such as "a.port" or "missing[0].offset" */
	size_t length;
};

/* Walks through a record. `text`: the program's own and well-formed. */
void record_walk(struct record_walk *walk, const char *text);

/* Whether `name` is `key`, whose "[]" any index may stand for. */
bool record_is_named(const char *key, const char *name);

#endif
