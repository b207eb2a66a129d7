/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the values that a display filter compares with. */
#include "config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "dissect/filter/filter.h"
#include "dissect/filter/filter_internal.h"
#include "dissect/filter/filter_lex.h"
#include "dissect/filter/filter_literal.h"
#include "dissect/filter/filter_regex.h"
#include "dissect/filter/filter_suggest.h"
#include "dissect/filter/filter_time.h"
#include "dissect/filter/filter_walk.h"

#define NANOSECONDS 1000000000u

static const char *const examples[] = {
	[FILTER_KIND_NUMBER] = "a number such as 17, 0x11 or 0b10001",
	[FILTER_KIND_BOOL] = "true or false",
	[FILTER_KIND_TIME] = "a time such as \"2026-11-20 15:07:38.5\" or \"2026-11-20T15:07Z\"",
	[FILTER_KIND_SECONDS] = "seconds such as 1.5 or 20ms",
	[FILTER_KIND_IPV4] = "an IPv4 address such as 10.0.0.1 or 10.0.0.0/8",
	[FILTER_KIND_IPV6] = "an IPv6 address such as fe80::1 or fd00::/8",
	[FILTER_KIND_ETHER] = "an Ethernet address such as 02:00:00:00:00:01",
	[FILTER_KIND_EUI64] = "a GUID such as 00:11:22:33:44:55:66:77 or 0x0011223344556677",
	[FILTER_KIND_BYTES] = "bytes such as 0a:0b:0c or a text such as \"abc\"",
	[FILTER_KIND_TEXT] = "a text in quotes such as \"abc\"",
};

int filter_fail(struct filter_compiler *compiler, const char *at, const char *format, ...)
{
	char message[sizeof compiler->error->text];
	va_list arguments;

	compiler->column = 1;
	for (const char *c = compiler->text; c < at; c++)
		compiler->column += ((unsigned char)*c & 0xc0) != 0x80;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	rtap_error_set(compiler->error, RTAP_ERROR_INVALID, "column %u: %s", compiler->column, message);
	return -EINVAL;
}

static int add_value(struct rtap_filter *filter, const struct filter_value *value)
{
	void *grown = array_grow(filter->values, &filter->value_room, filter->value_count + 1, sizeof *value);

	if (!grown)
		return -ENOMEM;
	filter->values = grown;
	filter->values[filter->value_count++] = *value;
	return 0;
}

static int reserve_bytes(struct rtap_filter *filter, uint32_t more)
{
	void *grown = array_grow(filter->bytes, &filter->byte_room, filter->byte_count + more, 1);

	if (!grown)
		return -ENOMEM;
	filter->bytes = grown;
	return 0;
}

int filter_unexpected(struct filter_compiler *compiler, const struct filter_token *token, const char *wanted)
{
	char quoted[FILTER_QUOTED_MAX];

	if (token->type == FILTER_TOKEN_END)
		return filter_fail(compiler, token->text, "the filter ends where %s should stand", wanted);
	filter_token_quote(token, quoted);
	if (token->type != FILTER_TOKEN_BAD)
		return filter_fail(compiler, token->text, "%s stands where %s should", quoted, wanted);
	switch (*token->text) {
	case '"':
	case '\'':
	case 'r':
	case 'R':
		return filter_fail(compiler, token->text, "a text that does not end (its closing quote is missing)");
	case '=':
		return filter_fail(compiler, token->text, "%s is not an operator (did you mean ==?)", quoted);
	case '|':
		return filter_fail(compiler, token->text, "%s is not an operator (did you mean ||?)", quoted);
	default:
		return filter_fail(compiler, token->text, "%s is not part of the filter language", quoted);
	}
}

/* A suggestion for an invalid value. */
static int misfit(struct filter_compiler *compiler, const struct filter_subject *subject,
		  const struct filter_token *token)
{
	char value[FILTER_QUOTED_MAX], name[FILTER_QUOTED_MAX], wanted[256];
	const struct rtap_name *names = subject->names;

	filter_token_quote(&subject->name, name);
	if (token->type != FILTER_TOKEN_WORD && token->type != FILTER_TOKEN_TEXT) {
		snprintf(wanted, sizeof wanted, "a value for %s (%s), %s,", name, subject->type, examples[subject->kind]);
		return filter_unexpected(compiler, token, wanted);
	}
	return filter_fail(compiler, token->text, "%s does not fit %s (%s): give %s%s%s%s",
			   filter_token_quote(token, value), name, subject->type, examples[subject->kind],
			   names ? ", or a name such as \"" : "", names ? names->name : "", names ? "\"" : "");
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Decimal, 0x, 0b or 0 for octal. 0, -EINVAL or, over 64 bits, -ERANGE. */
static int read_number(const char *text, uint32_t length, uint64_t *number)
{
	uint32_t at = 0;
	uint64_t base = 10;

	if (length > 2 && !strncasecmp(text, "0x", 2))
		base = 16, at = 2;
	else if (length > 2 && !strncasecmp(text, "0b", 2))
		base = 2, at = 2;
	else if (length > 1 && *text == '0')
		base = 8, at = 1;
	if (at == length)
		return -EINVAL;
	for (uint32_t i = at; i < length; i++)
		if ((uint64_t)digit_value(text[i]) >= base)
			return -EINVAL;
	for (*number = 0; at < length; at++) {
		uint64_t digit = (uint64_t)digit_value(text[at]);

		if (*number > (UINT64_MAX - digit) / base)
			return -ERANGE;
		*number = *number * base + digit;
	}
	return 0;
}

static int read_unsigned(struct filter_compiler *compiler, const struct filter_subject *subject,
			 const struct filter_token *token, uint64_t *number)
{
	uint64_t most = subject->bits < 64 ? ((uint64_t)1 << subject->bits) - 1 : UINT64_MAX;
	char value[FILTER_QUOTED_MAX], name[FILTER_QUOTED_MAX];
	int status = -EINVAL;

	if (token->type == FILTER_TOKEN_WORD)
		status = read_number(token->text, token->length, number);
	if (status == -EINVAL)
		return misfit(compiler, subject, token);
	if (status || *number > most)
		return filter_fail(compiler, token->text, "%s is too large for %s (%s), which has values from 0 to %" PRIu64,
				   filter_token_quote(token, value), filter_token_quote(&subject->name, name),
				   subject->type, most);
	return 0;
}

static int read_bool(struct filter_compiler *compiler, const struct filter_subject *subject,
		     const struct filter_token *token, uint64_t *number)
{
	bool yes = token->length == 4 && !strncasecmp(token->text, "true", 4);
	bool no = token->length == 5 && !strncasecmp(token->text, "false", 5);

	*number = yes;
	return yes || no ? 0 : read_unsigned(compiler, subject, token, number);
}

/* Computed values may be negative. */
static int read_signed(struct filter_compiler *compiler, const struct filter_subject *subject, const struct filter_token *token,
		       struct filter_value *value)
{
	struct filter_token digits = *token;

	value->low_negative = subject->computed && token->type == FILTER_TOKEN_WORD && token->length > 1 && *token->text == '-';
	if (value->low_negative) {
		digits.text++;
		digits.length--;
	}
	return read_unsigned(compiler, subject, &digits, &value->low);
}

/* The unit at the end of a duration ("10ms"), in nanoseconds; it is cut off. */
static uint64_t duration_unit(const char *text, uint32_t *length)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", NANOSECONDS } };

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		uint32_t size = (uint32_t)strlen(units[i].name);

		if (*length <= size || memcmp(text + *length - size, units[i].name, size))
			continue;
		*length -= size;
		return units[i].ns;
	}
	return NANOSECONDS;
}

/* [+-]digits[.digits][ns|us|ms|s], whole nanoseconds. */
static bool read_seconds(const char *text, uint32_t length, uint64_t *number, bool *negative)
{
	bool minus = length && *text == '-';
	uint32_t at = length && (*text == '-' || *text == '+') ? 1 : 0;
	uint64_t sum = 0, scale = duration_unit(text, &length);
	bool digits = false, point = false;

	for (; at < length; at++) {
		if (text[at] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[at] < '0' || text[at] > '9' || (point && scale == 1))
			return false;
		digits = true;
		if (point)
			scale /= 10;
		sum = sum * 10 + (uint64_t)(text[at] - '0');
		if (sum > INT64_MAX / scale)
			return false;
	}
	sum *= scale;
	*number = sum;
	*negative = minus && sum;
	return digits;
}

/*
 * Hexadecimal digits, with : - or . between groups of one or two bytes, or with nothing between them; one digit alone is a byte.
 * `bytes` has room for half of the text's length, rounded up.
 */
static bool read_hex(const char *text, uint32_t length, uint8_t *bytes, uint32_t *count)
{
	uint32_t digits = 0, at = 0;
	char separator = 0;

	*count = 0;
	if (length == 1 && digit_value(text[0]) <= 15) {
		bytes[0] = (uint8_t)digit_value(text[0]);
		*count = 1;
		return true;
	}
	if (length > 2 && !strncasecmp(text, "0x", 2))
		at = 2;
	for (; at < length; at++) {
		if (memchr(":-.", text[at], 3)) {
			if ((separator && separator != text[at]) || (digits != 2 && digits != 4) || at + 1 == length)
				return false;
			separator = text[at];
			digits = 0;
			continue;
		}
		if (digit_value(text[at]) > 15 || (separator && digits == 4))
			return false;
		if (digits++ % 2)
			bytes[(*count)++] |= (uint8_t)digit_value(text[at]);
		else
			bytes[*count] = (uint8_t)(digit_value(text[at]) << 4);
	}
	return *count && digits % 2 == 0;
}

static int read_bytes(struct filter_compiler *compiler, const struct filter_subject *subject,
		      const struct filter_token *token, uint32_t *at, uint32_t *length)
{
	static const uint8_t lengths[] = { [FILTER_KIND_ETHER] = 6, [FILTER_KIND_EUI64] = 8, [FILTER_KIND_BYTES] = 0 };
	struct rtap_filter *filter = compiler->filter;

	if (token->type != FILTER_TOKEN_WORD)
		return misfit(compiler, subject, token);
	if (reserve_bytes(filter, token->length / 2 + 1))
		return -ENOMEM;
	if (!read_hex(token->text, token->length, filter->bytes + filter->byte_count, length) ||
	    (lengths[subject->kind] && *length != lengths[subject->kind]))
		return misfit(compiler, subject, token);
	*at = filter->byte_count;
	filter->byte_count += *length;
	return 0;
}

/* One escape sequence after its backslash; returns its length, or 0. */
static uint32_t read_escape(const char *text, uint8_t *byte)
{
	static const char letters[] = "\"'\\ntr0", meanings[] = "\"'\\\n\t\r";
	const char *letter = *text ? strchr(letters, *text) : NULL;

	if (letter) {
		*byte = (uint8_t)meanings[letter - letters];
		return 1;
	}
	if (*text != 'x' || digit_value(text[1]) > 15 || digit_value(text[2]) > 15)
		return 0;
	*byte = (uint8_t)(digit_value(text[1]) << 4 | digit_value(text[2]));
	return 3;
}

/* The token's quotes guarantee that a character follows every backslash, except in a raw text. */
static int read_text(struct filter_compiler *compiler, const struct filter_token *token, uint32_t *at, uint32_t *length)
{
	struct rtap_filter *filter = compiler->filter;
	const char *end = token->text + token->length - 1;
	bool raw = *token->text == 'r' || *token->text == 'R';

	if (reserve_bytes(filter, token->length))
		return -ENOMEM;
	*at = filter->byte_count;
	for (const char *c = token->text + (raw ? 2 : 1); c < end; c++) {
		uint8_t *byte = &filter->bytes[filter->byte_count++];
		uint32_t taken;

		*byte = (uint8_t)*c;
		if (raw || *c != '\\')
			continue;
		taken = read_escape(c + 1, byte);
		if (!taken)
			return filter_fail(compiler, c, "an escape that is not known (known: \\\" \\\\ \\n \\t \\r \\0 \\x41; r\"...\" has none)");
		c += taken;
	}
	*length = filter->byte_count - *at;
	return 0;
}

/* An address in its usual notation, perhaps in quotes, perhaps with "/prefix". */
static int read_address(struct filter_compiler *compiler, const struct filter_subject *subject,
			const struct filter_token *token, struct filter_value *value)
{
	struct rtap_filter *filter = compiler->filter;
	uint32_t quotes = token->type == FILTER_TOKEN_TEXT ? 1 : 0;
	uint32_t size = subject->kind == FILTER_KIND_IPV4 ? 4 : 16;
	uint32_t length = token->length - 2 * quotes;
	char text[INET6_ADDRSTRLEN + 4], *slash;
	uint64_t prefix = size * 8;

	if ((token->type != FILTER_TOKEN_WORD && !quotes) || length >= sizeof text)
		return misfit(compiler, subject, token);
	memcpy(text, token->text + quotes, length);
	text[length] = 0;
	slash = strchr(text, '/');
	if (slash) {
		*slash = 0;
		if (read_number(slash + 1, (uint32_t)strlen(slash + 1), &prefix) || prefix > size * 8)
			return misfit(compiler, subject, token);
		value->prefix = (uint32_t)prefix;
	}
	if (reserve_bytes(filter, size))
		return -ENOMEM;
	if (inet_pton(size == 4 ? AF_INET : AF_INET6, text, filter->bytes + filter->byte_count) != 1)
		return misfit(compiler, subject, token);
	value->low_at = filter->byte_count;
	value->low_length = size;
	filter->byte_count += size;
	return 0;
}

static int read_literal(struct filter_compiler *compiler, const struct filter_subject *subject,
			const struct filter_token *token, struct filter_value *value)
{
	int status = 0;

	*value = (struct filter_value){ .prefix = FILTER_NOWHERE };
	switch ((enum filter_kind)subject->kind) {
	case FILTER_KIND_NONE: /* refused before a literal is looked at */
	case FILTER_KIND_NUMBER:
		status = read_signed(compiler, subject, token, value);
		break;
	case FILTER_KIND_BOOL:
		status = read_bool(compiler, subject, token, &value->low);
		break;
	case FILTER_KIND_SECONDS:
		if (token->type != FILTER_TOKEN_WORD || !read_seconds(token->text, token->length, &value->low, &value->low_negative))
			status = misfit(compiler, subject, token);
		break;
	case FILTER_KIND_TIME:
		if (!filter_time_read(token, &value->low, &value->low_negative))
			status = misfit(compiler, subject, token);
		break;
	case FILTER_KIND_IPV4:
	case FILTER_KIND_IPV6:
		status = read_address(compiler, subject, token, value);
		break;
	case FILTER_KIND_ETHER:
	case FILTER_KIND_EUI64:
	case FILTER_KIND_BYTES:
	case FILTER_KIND_TEXT:
		if (token->type == FILTER_TOKEN_TEXT && subject->kind >= FILTER_KIND_BYTES)
			status = read_text(compiler, token, &value->low_at, &value->low_length);
		else if (subject->kind == FILTER_KIND_TEXT)
			status = misfit(compiler, subject, token);
		else
			status = read_bytes(compiler, subject, token, &value->low_at, &value->low_length);
		break;
	}
	value->high = value->low;
	value->high_negative = value->low_negative;
	value->high_at = value->low_at;
	value->high_length = value->low_length;
	return status;
}

static int fail_unknown_name(struct filter_compiler *compiler, const struct filter_subject *subject,
			     const struct filter_token *token, const char *name)
{
	const char *meant = filter_suggest_value(subject->names, name);
	char quoted[FILTER_QUOTED_MAX], field[FILTER_QUOTED_MAX];

	return filter_fail(compiler, token->text, "%s is not the name of a value of %s%s%s%s",
			   filter_token_quote(token, quoted), filter_token_quote(&subject->name, field),
			   meant ? " (did you mean \"" : "", meant ? meant : "", meant ? "\"?)" : "");
}

/* A name, such as "Reserved", denotes all numbers that have it. */
static int add_named(struct filter_compiler *compiler, const struct filter_subject *subject,
		     const struct filter_token *token)
{
	struct rtap_filter *filter = compiler->filter;
	uint32_t first = filter->value_count, length, at;
	const char *text;
	int status = read_text(compiler, token, &at, &length);

	if (!status)
		status = reserve_bytes(filter, 1);
	if (status)
		return status;
	filter->bytes[filter->byte_count] = 0;
	filter->byte_count = at;
	text = (const char *)filter->bytes + at;
	for (const struct rtap_name *name = subject->names; name->name; name++) {
		struct filter_value value = { .low = name->value, .high = name->value, .prefix = FILTER_NOWHERE };

		if (strlen(name->name) == length && !strcasecmp(name->name, text) && add_value(filter, &value))
			return -ENOMEM;
	}
	return filter->value_count > first ? 0 : fail_unknown_name(compiler, subject, token, text);
}

int filter_literal_add(struct filter_compiler *compiler, const struct filter_subject *subject,
		       const struct filter_token *token)
{
	struct filter_value value;
	int status;

	if (token->type == FILTER_TOKEN_TEXT && subject->names)
		return add_named(compiler, subject, token);
	status = read_literal(compiler, subject, token, &value);
	return status ? status : add_value(compiler->filter, &value);
}

static bool is_empty_range(const struct rtap_filter *filter, const struct filter_subject *subject,
			   const struct filter_value *value)
{
	struct rtap_span low, high;

	if (!filter_kind_is_bytes(subject->kind))
		return filter_compare_numbers(value->low, value->low_negative, value->high, value->high_negative) > 0;
	low = (struct rtap_span){ filter->bytes + value->low_at, value->low_length };
	high = (struct rtap_span){ filter->bytes + value->high_at, value->high_length };
	return filter_compare_bytes(low, high, FILTER_NOWHERE) > 0;
}

int filter_literal_add_range(struct filter_compiler *compiler, const struct filter_subject *subject,
			     const struct filter_token *low, const struct filter_token *high)
{
	struct filter_value value, end;
	int status = read_literal(compiler, subject, low, &value);

	if (!status)
		status = read_literal(compiler, subject, high, &end);
	if (status)
		return status;
	if (value.prefix != FILTER_NOWHERE || end.prefix != FILTER_NOWHERE)
		return filter_fail(compiler, low->text, "a range goes from one address to another, without prefix lengths");
	value.high = end.high;
	value.high_negative = end.high_negative;
	value.high_at = end.high_at;
	value.high_length = end.high_length;
	if (is_empty_range(compiler->filter, subject, &value))
		return filter_fail(compiler, low->text, "this range ends before it begins");
	return add_value(compiler->filter, &value);
}

int filter_literal_add_regex(struct filter_compiler *compiler, const struct filter_token *token)
{
	struct rtap_filter *filter = compiler->filter;
	struct filter_regex *regex;
	struct rtap_error error;
	struct rtap_span pattern;
	uint32_t at, length;
	size_t offset;
	void *grown;
	int status;

	if (token->type != FILTER_TOKEN_TEXT)
		return filter_unexpected(compiler, token, "a regular expression such as \"^ab+c\" or r\"\\.nfs[0-9]\"");
	status = read_text(compiler, token, &at, &length);
	if (status)
		return status;
	grown = array_grow(filter->regexes, &filter->regex_room, filter->regex_count + 1, sizeof(struct filter_regex *));
	if (!grown)
		return -ENOMEM;
	filter->regexes = grown;
	pattern = (struct rtap_span){ filter->bytes + at, length };
	regex = filter_regex_create(pattern, &error, &offset);
	if (!regex)
		return filter_fail(compiler, token->text, "%s, at byte %zu of the expression", error.text, offset);
	filter->regexes[filter->regex_count++] = regex;
	return 0;
}
