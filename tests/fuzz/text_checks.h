/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is true of all text that the program writes.
 */
#ifndef RDMATAP_TESTS_FUZZ_TEXT_CHECKS_H
#define RDMATAP_TESTS_FUZZ_TEXT_CHECKS_H

#include <string.h>

#include "dissect/engine/line.h"

#include "harness.h"

#define MOST_NESTED 16

/* Position after a string, whose opening quote stands before `at`. */
static inline size_t skip_string(const char *text, size_t at, size_t length)
{
	while (at < length && text[at] != '"') {
		if (text[at] == '\\') {
			at++;
			REQUIRE(at < length && strchr("\"\\/bfnrtu", text[at]));
		}
		at++;
	}
	REQUIRE(at < length);
	return at + 1;
}

/* An object, whose braces, brackets and quotes fit; not a whole grammar. */
static inline void check_object(const char *text, size_t length)
{
	char open[MOST_NESTED];
	unsigned depth = 0;

	REQUIRE(length >= 2 && text[0] == '{' && text[length - 1] == '}');
	for (size_t at = 0; at < length;) {
		char c = text[at];

		REQUIRE(depth || at == 0);
		at++;
		if (c == '"') {
			at = skip_string(text, at, length);
		} else if (c == '{' || c == '[') {
			REQUIRE(depth < MOST_NESTED);
			open[depth++] = c;
		} else if (c == '}' || c == ']') {
			REQUIRE(depth && open[--depth] == (c == '}' ? '{' : '['));
			REQUIRE(text[at - 2] != ',' && text[at - 2] != ':');
		} else {
			REQUIRE(strchr(",:0123456789-+.eE", c) || strchr("truefalsn", c));
			REQUIRE(c != ',' || (at < length && text[at] != ','));
		}
	}
	REQUIRE(depth == 0);
}

/* No controls but the ends of lines, and tabs between fields; all lines whole; UTF-8 throughout. */
static inline void check_lines(const char *text, size_t length, bool is_json, bool has_tabs)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t start = 0;

	REQUIRE(!length || text[length - 1] == '\n');
	for (size_t at = 0; at < length; at++) {
		if (text[at] == '\n') {
			if (is_json)
				check_object(text + start, at - start);
			start = at + 1;
		} else if (bytes[at] >= 0x80) {
			size_t sequence = line_utf8_length(bytes + at, length - at);

			REQUIRE(sequence > 1);
			at += sequence - 1;
		} else {
			REQUIRE((has_tabs && text[at] == '\t') || (bytes[at] >= ' ' && bytes[at] != 0x7f));
		}
	}
}

#endif
