/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tokens of a filter's text.
 */
#ifndef DISSECT_FILTER_FILTER_LEX_H
#define DISSECT_FILTER_FILTER_LEX_H

#include <stdbool.h>
#include <stdint.h>

enum filter_token_type {
	FILTER_TOKEN_END,
	FILTER_TOKEN_BAD,  /* an invalid character or an unterminated string */
	FILTER_TOKEN_WORD, /* a name or an unquoted literal */
	FILTER_TOKEN_TEXT, /* "...", r"..." or a character as 'c', including the quotes */
	FILTER_TOKEN_COMPARISON,
	FILTER_TOKEN_AND,
	FILTER_TOKEN_OR,
	FILTER_TOKEN_NOT,
	FILTER_TOKEN_IN,
	FILTER_TOKEN_ARITHMETIC, /* + and - may be WORDs too: see filter_lex_operator() */
	FILTER_TOKEN_RANGE,
	FILTER_TOKEN_MARK, /* one of ( ) { } [ ] , */
};

struct filter_token {
	uint8_t type;       /* enum filter_token_type */
	uint8_t comparison; /* enum filter_comparison of a COMPARISON; enum filter_operation of ARITHMETIC */
	bool negated, all;  /* of a COMPARISON: as in struct filter_node */
	const char *text;
	uint32_t length;
};

/* Returns the first token at or after `text`, which is null-terminated. */
struct filter_token filter_lex(const char *text);

/* Reads a token where an operator is expected: words can begin with + - and /. */
struct filter_token filter_lex_operator(const char *text);

bool filter_token_is(const struct filter_token *token, char mark);

#define FILTER_QUOTED_MAX 64

/* For messages: writes the token to `quoted` in quotes, escaped and shortened. Returns `quoted`. */
const char *filter_token_quote(const struct filter_token *token, char quoted[FILTER_QUOTED_MAX]);

#endif
