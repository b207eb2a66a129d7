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
	bool negated, all;
};

#define COMPARISON(text, comparison, negated, all) { text, FILTER_TOKEN_COMPARISON, comparison, negated, all }
#define PLAIN(text, type) { text, type, 0, false, false }
#define ARITHMETIC(text, operation) { text, FILTER_TOKEN_ARITHMETIC, operation, false, false }

static const struct spelling words[] = {
	PLAIN("and", FILTER_TOKEN_AND),
	PLAIN("or", FILTER_TOKEN_OR),
	PLAIN("not", FILTER_TOKEN_NOT),
	PLAIN("in", FILTER_TOKEN_IN),
	ARITHMETIC("bitwise_and", FILTER_AND),
	COMPARISON("eq", FILTER_EQ, false, false),
	COMPARISON("any_eq", FILTER_EQ, false, false),
	COMPARISON("all_eq", FILTER_EQ, false, true),
	COMPARISON("ne", FILTER_EQ, true, true),
	COMPARISON("all_ne", FILTER_EQ, true, true),
	COMPARISON("any_ne", FILTER_EQ, true, false),
	COMPARISON("gt", FILTER_GT, false, false),
	COMPARISON("lt", FILTER_LT, false, false),
	COMPARISON("ge", FILTER_GE, false, false),
	COMPARISON("le", FILTER_LE, false, false),
	COMPARISON("contains", FILTER_CONTAINS, false, false),
	COMPARISON("matches", FILTER_MATCHES, false, false),
};

/* Longer ones precede their own prefixes. */
static const struct spelling signs[] = {
	COMPARISON("===", FILTER_EQ, false, true),
	COMPARISON("!==", FILTER_EQ, true, false),
	COMPARISON("~=", FILTER_EQ, true, false),
	COMPARISON("==", FILTER_EQ, false, false),
	COMPARISON("!=", FILTER_EQ, true, true),
	COMPARISON(">=", FILTER_GE, false, false),
	COMPARISON("<=", FILTER_LE, false, false),
	COMPARISON(">", FILTER_GT, false, false),
	COMPARISON("<", FILTER_LT, false, false),
	COMPARISON("~", FILTER_MATCHES, false, false),
	PLAIN("&&", FILTER_TOKEN_AND),
	PLAIN("||", FILTER_TOKEN_OR),
	PLAIN("!", FILTER_TOKEN_NOT),
	ARITHMETIC("&", FILTER_AND),
	ARITHMETIC("*", FILTER_MULTIPLY),
	ARITHMETIC("%", FILTER_MODULO),
	PLAIN("..", FILTER_TOKEN_RANGE),
	PLAIN("(", FILTER_TOKEN_MARK),
	PLAIN(")", FILTER_TOKEN_MARK),
	PLAIN("{", FILTER_TOKEN_MARK),
	PLAIN("}", FILTER_TOKEN_MARK),
	PLAIN("[", FILTER_TOKEN_MARK),
	PLAIN("]", FILTER_TOKEN_MARK),
	PLAIN(",", FILTER_TOKEN_MARK),
	PLAIN("#", FILTER_TOKEN_MARK),
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

/* `quote`: where the opening quote is. In a raw text a backslash is a character like others. */
static struct filter_token lex_text(const char *text, const char *quote)
{
	struct filter_token token = { .type = FILTER_TOKEN_BAD, .text = text, .length = 1 };
	bool raw = quote != text;
	const char *end = quote + 1;

	while (*end && *end != *quote)
		end += !raw && *end == '\\' && end[1] ? 2 : 1;
	if (*end) {
		token.type = FILTER_TOKEN_TEXT;
		token.length = (uint32_t)(end + 1 - text);
	}
	return token;
}

static struct filter_token token_of(const struct spelling *spelling, const char *text, uint32_t length)
{
	return (struct filter_token){ spelling->type, spelling->comparison, spelling->negated, spelling->all, text, length };
}

static struct filter_token lex_word(const char *text, uint32_t length)
{
	for (size_t i = 0; i < LENGTH(words); i++)
		if (strlen(words[i].text) == length && !strncasecmp(words[i].text, text, length))
			return token_of(&words[i], text, length);
	return (struct filter_token){ .type = FILTER_TOKEN_WORD, .text = text, .length = length };
}

static const char *skip_space(const char *text)
{
	return text + strspn(text, " \t\r\n\v\f");
}

struct filter_token filter_lex_operator(const char *text)
{
	static const struct spelling operators[] = {
		ARITHMETIC("+", FILTER_ADD), ARITHMETIC("-", FILTER_SUBTRACT), ARITHMETIC("/", FILTER_DIVIDE),
	};

	text = skip_space(text);
	for (size_t i = 0; i < LENGTH(operators); i++)
		if (*text == *operators[i].text)
			return token_of(&operators[i], text, 1);
	return filter_lex(text);
}

struct filter_token filter_lex(const char *text)
{
	struct filter_token token = { .type = FILTER_TOKEN_END };
	uint32_t length;

	text = skip_space(text);
	token.text = text;
	if (!*text)
		return token;
	if (*text == '"' || *text == '\'')
		return lex_text(text, text);
	if ((*text == 'r' || *text == 'R') && text[1] == '"')
		return lex_text(text, text + 1);
	length = word_length(text);
	if (length)
		return lex_word(text, length);
	for (size_t i = 0; i < LENGTH(signs); i++) {
		length = (uint32_t)strlen(signs[i].text);
		if (!strncmp(signs[i].text, text, length))
			return token_of(&signs[i], text, length);
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
