/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "dissect/filter/filter_regex.h"

#ifdef HAVE_PCRE2

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define STEPS_MAX 100000 /* of a match: bounds the work that a packet can cause */

struct filter_regex {
	pcre2_code *code;
	pcre2_match_context *limits;
};

struct filter_regex *filter_regex_create(struct rtap_span pattern, struct rtap_error *error, size_t *offset)
{
	struct filter_regex *regex = calloc(1, sizeof *regex);
	PCRE2_UCHAR reason[160] = "out of memory";
	PCRE2_SIZE at = 0;
	int code = 0;

	if (regex) {
		regex->limits = pcre2_match_context_create(NULL);
		regex->code = pcre2_compile(pattern.bytes, pattern.length, PCRE2_CASELESS | PCRE2_NEVER_UTF | PCRE2_NEVER_BACKSLASH_C, &code,
					    &at, NULL);
	}
	if (regex && regex->code && regex->limits) {
		pcre2_set_match_limit(regex->limits, STEPS_MAX);
		return regex;
	}
	if (regex && !regex->code)
		pcre2_get_error_message(code, reason, sizeof reason);
	rtap_error_set(error, RTAP_ERROR_INVALID, "%s", (const char *)reason);
	*offset = at;
	filter_regex_destroy(regex);
	return NULL;
}

bool filter_regex_match(const struct filter_regex *regex, struct rtap_span bytes)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	bool matches = data && pcre2_match(regex->code, bytes.length ? bytes.bytes : (PCRE2_SPTR)"", bytes.length, 0, 0, data, regex->limits) >= 0;

	pcre2_match_data_free(data);
	return matches;
}

void filter_regex_destroy(struct filter_regex *regex)
{
	if (!regex)
		return;
	pcre2_code_free(regex->code);
	pcre2_match_context_free(regex->limits);
	free(regex);
}

#else

struct filter_regex *filter_regex_create(struct rtap_span pattern, struct rtap_error *error, size_t *offset)
{
	(void)pattern;
	*offset = 0;
	rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "this build has no regular expressions: it was built without libpcre2");
	return NULL;
}

bool filter_regex_match(const struct filter_regex *regex, struct rtap_span bytes)
{
	(void)regex;
	(void)bytes;
	return false;
}

void filter_regex_destroy(struct filter_regex *regex)
{
	(void)regex;
}

#endif
