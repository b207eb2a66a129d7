/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The display filter's tokens. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dissect/filter/filter_internal.h"
#include "dissect/filter/filter_lex.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct spelling {
	const char *text;
	uint8_t type;
	uint8_t comparison;
};

static const struct spelling words[] = {
	{ "and", FILTER_TOKEN_AND, 0 },
	{ "or", FILTER_TOKEN_OR, 0 },
	{ "not", FILTER_TOKEN_NOT, 0 },
	{ "in", FILTER_TOKEN_IN, 0 },
	{ "bitwise_and", FILTER_TOKEN_MASK, 0 },
	{ "eq", FILTER_TOKEN_COMPARISON, FILTER_EQ },
	{ "any_eq", FILTER_TOKEN_COMPARISON, FILTER_EQ },
	{ "ne", FILTER_TOKEN_COMPARISON, FILTER_NE },
	{ "all_ne", FILTER_TOKEN_COMPARISON, FILTER_NE },
	{ "gt", FILTER_TOKEN_COMPARISON, FILTER_GT },
	{ "lt", FILTER_TOKEN_COMPARISON, FILTER_LT },
	{ "ge", FILTER_TOKEN_COMPARISON, FILTER_GE },
	{ "le", FILTER_TOKEN_COMPARISON, FILTER_LE },
	{ "contains", FILTER_TOKEN_COMPARISON, FILTER_CONTAINS },
};

/* Longer ones come before those that they begin with. */
static const struct spelling signs[] = {
	{ "===", FILTER_TOKEN_BAD, 0 },
	{ "!==", FILTER_TOKEN_BAD, 0 },
	{ "==", FILTER_TOKEN_COMPARISON, FILTER_EQ },
	{ "!=", FILTER_TOKEN_COMPARISON, FILTER_NE },
	{ ">=", FILTER_TOKEN_COMPARISON, FILTER_GE },
	{ "<=", FILTER_TOKEN_COMPARISON, FILTER_LE },
	{ ">", FILTER_TOKEN_COMPARISON, FILTER_GT },
	{ "<", FILTER_TOKEN_COMPARISON, FILTER_LT },
	{ "&&", FILTER_TOKEN_AND, 0 },
	{ "||", FILTER_TOKEN_OR, 0 },
	{ "!", FILTER_TOKEN_NOT, 0 },
	{ "&", FILTER_TOKEN_MASK, 0 },
	{ "..", FILTER_TOKEN_RANGE, 0 },
	{ "(", FILTER_TOKEN_MARK, 0 },
	{ ")", FILTER_TOKEN_MARK, 0 },
	{ "{", FILTER_TOKEN_MARK, 0 },
	{ "}", FILTER_TOKEN_MARK, 0 },
	{ "[", FILTER_TOKEN_MARK, 0 },
	{ "]", FILTER_TOKEN_MARK, 0 },
	{ ",", FILTER_TOKEN_MARK, 0 },
};

static bool is_word_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_.:/+-", c));
}

/* A word holds names and literals alike; two dots end it, so that "1.5..2.5" is a range. */
static uint32_t word_length(const char *text)
{
	uint32_t length = 0;

	while (is_word_character(text[length]) && !(text[length] == '.' && text[length + 1] == '.'))
		length++;
	return length;
}

static struct filter_token lex_text(const char *text)
{
	struct filter_token token = { .type = FILTER_TOKEN_BAD, .text = text, .length = 1 };
	uint32_t at = 1;

	while (text[at] && text[at] != '"')
		at += text[at] == '\\' && text[at + 1] ? 2 : 1;
	if (text[at] == '"') {
		token.type = FILTER_TOKEN_TEXT;
		token.length = at + 1;
	}
	return token;
}

static struct filter_token lex_word(const char *text, uint32_t length)
{
	struct filter_token token = { .type = FILTER_TOKEN_WORD, .text = text, .length = length };

	for (size_t i = 0; i < LENGTH(words); i++) {
		if (strlen(words[i].text) == length && !strncasecmp(words[i].text, text, length)) {
			token.type = words[i].type;
			token.comparison = words[i].comparison;
		}
	}
	return token;
}

struct filter_token filter_lex(const char *text)
{
	struct filter_token token = { .type = FILTER_TOKEN_END };
	uint32_t length;

	text += strspn(text, " \t\r\n\v\f");
	token.text = text;
	if (!*text)
		return token;
	if (*text == '"')
		return lex_text(text);
	length = word_length(text);
	if (length)
		return lex_word(text, length);
	for (size_t i = 0; i < LENGTH(signs); i++) {
		token.length = (uint32_t)strlen(signs[i].text);
		if (!strncmp(signs[i].text, text, token.length)) {
			token.type = signs[i].type;
			token.comparison = signs[i].comparison;
			return token;
		}
	}
	token.type = FILTER_TOKEN_BAD;
	token.length = 1;
	return token;
}

bool filter_token_is(const struct filter_token *token, char mark)
{
	return token->type == FILTER_TOKEN_MARK && *token->text == mark;
}

const char *filter_token_quote(const struct filter_token *token, char quoted[FILTER_QUOTED_MAX])
{
	bool text = token->type == FILTER_TOKEN_TEXT;
	uint32_t at = 0;

	if (!text)
		quoted[at++] = '"';
	for (uint32_t i = 0; i < token->length; i++) {
		unsigned char c = (unsigned char)token->text[i];

		if (at > FILTER_QUOTED_MAX - 10) {
			at += (uint32_t)sprintf(quoted + at, "...");
			break;
		}
		if (c >= 0x20 && c < 0x7f)
			quoted[at++] = (char)c;
		else
			at += (uint32_t)sprintf(quoted + at, "\\x%02x", c);
	}
	if (!text || quoted[at - 1] != '"')
		quoted[at++] = '"';
	quoted[at] = 0;
	return quoted;
}
