/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which known name was meant by one that is not known. */
#include "config.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "dissect/filter/filter_record.h"
#include "dissect/filter/filter_suggest.h"

#define NAME_MAX_LENGTH 80 /* longer names get no suggestion: the work grows with the product of the lengths */

/* Single letters to insert, delete, replace or swap with a neighbour; case does not count. */
static unsigned distance(const char *from, const char *to)
{
	unsigned rows[3][NAME_MAX_LENGTH + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];
	size_t width = strlen(to);

	for (size_t j = 0; j <= width; j++)
		above[j] = before[j] = (unsigned)j;
	for (size_t i = 1; from[i - 1]; i++) {
		unsigned *oldest = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= width; j++) {
			int a = tolower((unsigned char)from[i - 1]), b = tolower((unsigned char)to[j - 1]);
			unsigned best = above[j - 1] + (a != b);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a == tolower((unsigned char)to[j - 2]) &&
			    b == tolower((unsigned char)from[i - 2]) && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
		before = above;
		above = row;
		row = oldest;
	}
	return above[width];
}

struct suggestion {
	const char *wanted;
	const char *best;
	unsigned distance; /* candidates must be nearer */
};

static bool suggestion_init(struct suggestion *suggestion, const char *wanted)
{
	size_t length = strlen(wanted);

	*suggestion = (struct suggestion){ .wanted = wanted, .distance = 2 + (unsigned)length / 6 };
	return length > 1 && length <= NAME_MAX_LENGTH;
}

static void suggestion_consider(struct suggestion *suggestion, const char *candidate)
{
	size_t length = strlen(candidate), wanted = strlen(suggestion->wanted);
	unsigned found;

	if (length > NAME_MAX_LENGTH)
		return;
	/* "bth.psn" abbreviates "infiniband.bth.psn" */
	if (length > wanted && candidate[length - wanted - 1] == '.' &&
	    !strcasecmp(candidate + length - wanted, suggestion->wanted))
		found = 0;
	/* "tcp.seq" begins "tcp.seq_raw" */
	else if (length > wanted && candidate[wanted] == '_' && !strncasecmp(candidate, suggestion->wanted, wanted))
		found = 0;
	else if ((length > wanted ? length - wanted : wanted - length) >= suggestion->distance)
		return; /* that many letters must be inserted or deleted */
	else
		found = distance(suggestion->wanted, candidate);
	if (found < suggestion->distance) {
		suggestion->distance = found;
		suggestion->best = candidate;
	}
}

const char *filter_suggest_field(const char *name)
{
	struct suggestion suggestion;

	if (!suggestion_init(&suggestion, name))
		return NULL;
	for (size_t i = 0; i < rtap_field_count(); i++)
		suggestion_consider(&suggestion, rtap_field_by_id((rtap_field_id)i)->name);
	for (size_t i = 0; i < rtap_protocol_count(); i++)
		suggestion_consider(&suggestion, rtap_protocol_by_number((uint16_t)i)->name);
	return suggestion.best;
}

const char *filter_suggest_in(const char *name, const char *(*candidate)(size_t index))
{
	struct suggestion suggestion;
	const char *next;

	if (!suggestion_init(&suggestion, name))
		return NULL;
	for (size_t i = 0; (next = candidate(i)); i++)
		suggestion_consider(&suggestion, next);
	return suggestion.best;
}

const char *filter_suggest_key(const char *name, const struct filter_scope *scope)
{
	size_t prefix = strlen(scope->prefix);
	struct suggestion suggestion;
	struct filter_key key;

	if (!suggestion_init(&suggestion, strncmp(name, scope->prefix, prefix) ? name : name + prefix))
		return NULL;
	for (size_t i = 0; (key = scope->key(scope, i)).name; i++)
		if (!strchr(key.name, '['))
			suggestion_consider(&suggestion, key.name);
	return suggestion.best;
}

const char *filter_suggest_value(const struct rtap_name *names, const char *name)
{
	struct suggestion suggestion;

	if (!suggestion_init(&suggestion, name))
		return NULL;
	for (; names->name; names++)
		suggestion_consider(&suggestion, names->name);
	return suggestion.best;
}
