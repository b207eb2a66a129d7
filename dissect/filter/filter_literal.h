/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values in a filter's text.
 */
#ifndef DISSECT_FILTER_FILTER_LITERAL_H
#define DISSECT_FILTER_FILTER_LITERAL_H

#include "dissect/filter/filter_internal.h"
#include "dissect/filter/filter_lex.h"

struct filter_scope;

/* A filter being compiled. */
struct filter_compiler {
	struct rtap_filter *filter;
	const char *text;
	struct filter_token token; /* the next one */
	struct rtap_error *error;
	unsigned column;           /* of the error, from 1, in characters */
	unsigned depth;
	const struct filter_scope *scope; /* NULL: of packets */
	bool packets, records;     /* the present part tests packet fields, keys of records */
	bool alternatives;         /* there is an "or" outside of parentheses */
	uint32_t names;            /* of fields and keys so far */
};

/* The field or protocol with which a literal is compared, for parsing literals and for messages. */
struct filter_subject {
	struct filter_token name;
	const char *type;              /* as users see it: "uint24" */
	const struct rtap_name *names; /* or NULL */
	uint8_t kind;                  /* enum filter_kind, after slicing */
	uint8_t bits;                  /* of numbers: the maximum width of a value */
	bool computed;                 /* not the field itself: a number may be negative */
};

/* Records an error at a position in the text; returns -EINVAL. */
int filter_fail(struct filter_compiler *compiler, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Records the error that `wanted` was expected instead of the token; returns -EINVAL. */
int filter_unexpected(struct filter_compiler *compiler, const struct filter_token *token, const char *wanted);

/*
 * Adds the value of a literal to the filter's values, or several values for a value name.
 * Returns 0, -EINVAL with the error recorded, or -ENOMEM.
 */
int filter_literal_add(struct filter_compiler *compiler, const struct filter_subject *subject,
		       const struct filter_token *token) __attribute__((warn_unused_result));

/* The same for an inclusive range. */
int filter_literal_add_range(struct filter_compiler *compiler, const struct filter_subject *subject,
			     const struct filter_token *low, const struct filter_token *high)
	__attribute__((warn_unused_result));

/* Adds the expression that `matches` tests. Returns 0, -EINVAL with the error recorded, or -ENOMEM. */
int filter_literal_add_regex(struct filter_compiler *compiler, const struct filter_token *token)
	__attribute__((warn_unused_result));

#endif
