/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dissect/filter/filter_lex.h"
#include "dissect/filter/filter_suggest.h"
#include "output/check/assertion.h"
#include "output/message/record_walk.h"

#define TEXT_MOST 4096
#define LINE_MOST 1024
#define GROUP_MOST 256
#define ANOMALIES "anomalies."

/* Short names for keys of the connection records of statistics. naks: each kind of NAK. */
static const struct {
	const char *name, *keys[6];
	const char *whole[2]; /* for a share: the sum of these keys is the whole */
} short_names[] = {
	{ "loss", { "anomalies.lost" }, { "anomalies.lost", "directions[].packets" } },
	{ "retransmissions", { "anomalies.retransmission" }, { "directions[].packets" } },
	{ "out_of_order", { "anomalies.out_of_order" }, { "directions[].packets" } },
	{ "duplicates", { "anomalies.duplicate" }, { "directions[].packets" } },
	{ "naks", { "anomalies.nak_sequence", "anomalies.nak_invalid_request", "anomalies.nak_access", "anomalies.nak_operation",
		    "anomalies.nak_invalid_rd" }, { NULL } },
	{ "rnr", { "anomalies.rnr" }, { "directions[].packets" } },
	{ "cnps", { "anomalies.cnp" }, { "directions[].packets" } },
	{ "time_lost", { "directions[].time_lost" }, { "directions[].seconds" } },
	{ "packets", { "directions[].packets" }, { NULL } },
	{ "goodput", { "directions[].goodput" }, { NULL } },
	{ "dscp", { "directions[].dscp[].dscp" }, { NULL } },
};
#define SHORT_NAMES (sizeof short_names / sizeof short_names[0])

static const struct {
	const char *text, *negated;
} operators[] = {
	{ "==", "!=" }, { "!=", "==" }, { "<=", ">" }, { ">=", "<" }, { "<", ">=" }, { ">", "<=" },
};
#define OPERATORS (sizeof operators / sizeof operators[0])

static enum rtap_status set_error(struct rtap_error *error, enum rtap_error_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

static enum rtap_status set_error(struct rtap_error *error, enum rtap_error_code code, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	error->code = code;
	vsnprintf(error->text, sizeof error->text, format, values);
	va_end(values);
	return RTAP_STATUS_FAILED;
}

static bool is_key_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '*' || c == '-';
}

static int short_name(const char *name, size_t length)
{
	for (size_t i = 0; i < SHORT_NAMES; i++)
		if (strlen(short_names[i].name) == length && !memcmp(short_names[i].name, name, length))
			return (int)i;
	return -1;
}

static const char *short_name_at(size_t index)
{
	return index < SHORT_NAMES ? short_names[index].name : NULL;
}

/* The two filters that an assertion is translated to. */
struct work {
	const char *text;
	char where[TEXT_MOST], wrong[TEXT_MOST];
	size_t where_length, wrong_length;
	char group[GROUP_MOST]; /* the condition on the key of operations; empty: none */
	struct rtap_error *error;
};

static void append(char *to, size_t *length, const char *text, size_t count)
{
	if (*length + count >= TEXT_MOST)
		count = TEXT_MOST - 1 - *length;
	memcpy(to + *length, text, count);
	*length += count;
	to[*length] = 0;
}

static void append_text(char *to, size_t *length, const char *text)
{
	append(to, length, text, strlen(text));
}

/* A key with its prefix, without the brackets. */
static void append_key(char *to, size_t *length, enum record_kind kind, const char *key)
{
	append_text(to, length, record_kind_prefix(kind));
	for (; *key; key++)
		if (*key != '[' && *key != ']')
			append(to, length, key, 1);
}

static bool fail(const struct work *work, const char *format, const char *what)
{
	char reason[256];

	snprintf(reason, sizeof reason, format, what);
	set_error(work->error, RTAP_ERROR_INVALID, "%.60s: %s", work->text, reason);
	return false;
}

/* A condition on the key of a group, "nfs READ", or on a part of it if the other part is "*". False: too long. */
static bool name_group(char condition[GROUP_MOST], const char *layer, const char *name)
{
	bool any_layer = !strcmp(layer, "*"), any_name = !strcmp(name, "*");

	*condition = 0;
	return (any_layer && any_name) ||
	       snprintf(condition, GROUP_MOST, any_layer ? "operations.key contains \"%.0s %s\"" : any_name ? "operations.key contains \"%s \"" :
			"operations.key == \"%s %s\"", layer, name) < GROUP_MOST;
}

/*
 * "operations.nfs.READ.latency.p99": layer and name become a condition, which is that of all comparisons. The rest of `name` is the key:
 * "latency_p99".
 */
static bool take_group(struct work *work, const struct assertion *assertion, char *name, const char **key)
{
	char *layer = name + strlen("operations."), *operation = strchr(layer, '.'), *rest = operation ? strchr(operation + 1, '.') : NULL;
	char condition[GROUP_MOST] = "";

	*key = layer;
	if (operation && !rest)
		return fail(work, "%s: expected operations.LAYER.NAME.KEY, such as operations.nfs.READ.latency.p99", name);
	if (rest) {
		*operation = *rest = 0;
		if ((strchr(layer, '*') && strcmp(layer, "*")) || (strchr(operation + 1, '*') && strcmp(operation + 1, "*")))
			return fail(work, "%s: * stands for a whole name only", "operations");
		if (!name_group(condition, layer, operation + 1))
			return fail(work, "%s", "too long");
		*key = rest + 1;
		for (char *dot = rest + 1; *dot; dot++)
			if (*dot == '.')
				*dot = '_';
	}
	if (assertion->key_count && strcmp(work->group, condition))
		return fail(work, "%s", "keys of different operations");
	if (!assertion->key_count)
		append_text(work->where, &work->where_length, strcpy(work->group, condition));
	return true;
}

static bool set_kind(const struct work *work, struct assertion *assertion, enum record_kind kind)
{
	if (assertion->key_count && assertion->kind != kind)
		return fail(work, "%s", "keys of different records");
	assertion->kind = kind;
	return true;
}

static bool add_key(const struct work *work, struct assertion *assertion, const char *key)
{
	if (assertion->key_count == ASSERTION_KEYS)
		return fail(work, "%s", "too many comparisons");
	snprintf(assertion->keys[assertion->key_count++], RECORD_KEY_MOST, "%s", key);
	return true;
}

/* Parses the key of a comparison: a short name, a group of operations, or a key of records with its prefix. */
static bool take_key(struct work *work, struct assertion *assertion, char *name)
{
	int which = short_name(name, strlen(name));
	enum record_kind kind;
	const char *key;

	if (which >= 0) {
		if (!set_kind(work, assertion, RECORD_STATS_CONNECTION))
			return false;
		for (unsigned i = 0; i < 6 && short_names[which].keys[i]; i++)
			if (!add_key(work, assertion, short_names[which].keys[i]))
				return false;
		return true;
	}
	if (!strncmp(name, "operations.", strlen("operations.")))
		return set_kind(work, assertion, RECORD_OPERATIONS) && take_group(work, assertion, name, &key) && add_key(work, assertion, key);
	kind = record_kind_of(name);
	if (kind == RECORD_KIND_COUNT && filter_suggest_in(name, short_name_at))
		return fail(work, "no such key (did you mean %s?)", filter_suggest_in(name, short_name_at));
	if (kind == RECORD_KIND_COUNT)
		return fail(work, "%s: no such key (loss, naks, retransmissions, rnr, cnps, time_lost, operations.LAYER.NAME.KEY, or a key that "
				  "rdmatap fields message. operation. connection. stats. lists)", name);
	return set_kind(work, assertion, kind) && add_key(work, assertion, name + strlen(record_kind_prefix(kind)));
}

/* Parses "1%", the share of a short name. */
static bool take_share(struct work *work, struct assertion *assertion, const char *name, const char *operator, const char *value)
{
	char *end;

	assertion->share = strtod(value, &end) / 100;
	snprintf(assertion->operator, sizeof assertion->operator, "%s", operator);
	assertion->is_share = true;
	if (end == value || strcmp(end, "%") || !(assertion->share >= 0))
		return fail(work, "%s: not a percentage", value);
	if (short_name(name, strlen(name)) < 0 || !short_names[short_name(name, strlen(name))].whole[0])
		return fail(work, "%s: a percentage is supported of loss, retransmissions, out_of_order, duplicates, rnr, cnps and time_lost", name);
	return true;
}

static bool compares(double left, const char *operator, double right)
{
	switch (*operator) {
	case '=': return left == right;
	case '!': return left != right;
	case '<': return operator[1] ? left <= right : left < right;
	default: return operator[1] ? left >= right : left > right;
	}
}

/*
 * A record is wrong if one of the keys from `first` on contradicts the comparison. Anomalies that did not occur have no key: if zero contradicts
 * it, records without any of the keys are wrong too.
 */
static void append_wrong(struct work *work, const struct assertion *assertion, unsigned first, size_t which, const char *value)
{
	for (unsigned i = first; i < assertion->key_count; i++) {
		append_text(work->wrong, &work->wrong_length, work->wrong_length ? " || " : "");
		append_key(work->wrong, &work->wrong_length, assertion->kind, assertion->keys[i]);
		append_text(work->wrong, &work->wrong_length, " ");
		append_text(work->wrong, &work->wrong_length, operators[which].negated);
		append_text(work->wrong, &work->wrong_length, " ");
		append_text(work->wrong, &work->wrong_length, value);
	}
	if (strncmp(assertion->keys[first], ANOMALIES, strlen(ANOMALIES)) || compares(0, operators[which].text, (double)strtoull(value, NULL, 0)))
		return;
	for (unsigned i = first; i < assertion->key_count; i++) {
		append_text(work->wrong, &work->wrong_length, i == first ? " || (!" : " && !");
		append_key(work->wrong, &work->wrong_length, assertion->kind, assertion->keys[i]);
	}
	append_text(work->wrong, &work->wrong_length, ")");
}

/* Whether nothing in the text is a comparison or joins some: these are not part of a value. */
static bool is_value(const char *text)
{
	struct filter_token token = filter_lex(text);

	for (; token.type != FILTER_TOKEN_END; token = filter_lex(token.text + token.length))
		if (token.type == FILTER_TOKEN_BAD || token.type == FILTER_TOKEN_COMPARISON || token.type == FILTER_TOKEN_AND ||
		    token.type == FILTER_TOKEN_OR || token.type == FILTER_TOKEN_NOT || token.type == FILTER_TOKEN_IN)
			return false;
	return true;
}

/* Parses one comparison: KEY OPERATOR VALUE. */
static bool take_comparison(struct work *work, struct assertion *assertion, char *text)
{
	char *name = text + strspn(text, " \t"), *after = name, *value;
	unsigned first = assertion->key_count;
	size_t which = 0, length;
	char short_form[64];

	while (is_key_char(*after))
		after++;
	value = after + strspn(after, " \t");
	while (which < OPERATORS && strncmp(value, operators[which].text, strlen(operators[which].text)))
		which++;
	if (after == name || which == OPERATORS)
		return fail(work, "%s: expected KEY OPERATOR VALUE, with == != < <= > or >=", name);
	value += strlen(operators[which].text);
	value += strspn(value, " \t");
	*after = 0;
	for (length = strlen(value); length && strchr(" \t", value[length - 1]);)
		value[--length] = 0;
	if (!length)
		return fail(work, "%s: no value", name);
	if (value[length - 1] == '%') {
		if (assertion->key_count)
			return fail(work, "%s", "a percentage is a comparison of its own");
		snprintf(short_form, sizeof short_form, "%s", name);
		if (!take_share(work, assertion, short_form, operators[which].text, value))
			return false;
	} else if (!is_value(value)) {
		return fail(work, "%s: expected one value; comparisons are joined by &&", value);
	}
	if (!take_key(work, assertion, name))
		return false;
	if (!assertion->is_share)
		append_wrong(work, assertion, first, which, value);
	return true;
}

/* Appends the filter after "where" with short names replaced by keys. False: it ends a parenthesis that it did not begin. */
static bool append_where(struct work *work, const char *filter)
{
	struct filter_token token = filter_lex(filter);
	int depth = 0;

	append_text(work->where, &work->where_length, work->where_length ? " && (" : "(");
	for (; token.type != FILTER_TOKEN_END; token = filter_lex(filter)) {
		int which = token.type == FILTER_TOKEN_WORD ? short_name(token.text, token.length) : -1;

		depth += filter_token_is(&token, '(') - filter_token_is(&token, ')');
		if (depth < 0)
			return fail(work, "%s: \")\" without \"(\"", token.text);
		append(work->where, &work->where_length, filter, (size_t)(token.text - filter));
		if (which >= 0)
			append_key(work->where, &work->where_length, RECORD_STATS_CONNECTION, short_names[which].keys[0]);
		else
			append(work->where, &work->where_length, token.text, token.length);
		filter = token.text + token.length;
	}
	append_text(work->where, &work->where_length, ")");
	return true;
}

/* The next `word` outside of quotes; NULL: there is none. */
static char *find_word(char *text, const char *word)
{
	bool quoted = false;

	for (; *text; text++) {
		if (*text == '\\' && quoted && text[1])
			text++;
		else if (*text == '"')
			quoted = !quoted;
		else if (!quoted && !strncmp(text, word, strlen(word)))
			return text;
	}
	return NULL;
}

/* Opens a filter. Its errors have columns of the translated text: the assertion replaces these. */
static bool open_filter(struct work *work, struct record_filter *filter, enum record_kind kind, const char *text)
{
	struct rtap_error error;
	const char *reason;

	if (record_filter_open_kind(filter, kind, text, &error) == RTAP_STATUS_OK)
		return true;
	reason = strncmp(error.text, "column ", strlen("column ")) ? NULL : strstr(error.text, ": ");
	set_error(work->error, error.code, "%.60s: %s", work->text, reason ? reason + strlen(": ") : error.text);
	return false;
}

static bool compile(struct work *work, struct assertion *assertion)
{
	char both[2 * TEXT_MOST + 16];

	snprintf(both, sizeof both, "(%s)%s%s", work->wrong, work->where_length ? " && " : "", work->where);
	if (work->where_length + 1 == TEXT_MOST || work->wrong_length + 1 == TEXT_MOST)
		return fail(work, "%s", "too long");
	if (work->where_length && !open_filter(work, &assertion->where, assertion->kind, work->where))
		return false;
	return !work->wrong_length || open_filter(work, &assertion->wrong, assertion->kind, both);
}

static bool parse(struct work *work, struct assertion *assertion)
{
	char copy[LINE_MOST], *where, *next = copy;

	if (strlen(work->text) >= sizeof copy)
		return fail(work, "%s", "too long");
	strcpy(copy, work->text);
	where = find_word(copy, " where ");
	if (where)
		*where = 0;
	while (next) {
		char *end = find_word(next, "&&");

		if (end)
			*end = 0;
		if (assertion->is_share)
			return fail(work, "%s", "a percentage is a comparison of its own");
		if (!take_comparison(work, assertion, next))
			return false;
		next = end ? end + 2 : NULL;
	}
	if (where && !append_where(work, where + strlen(" where ")))
		return false;
	return compile(work, assertion);
}

static void destroy(struct assertion *assertion)
{
	record_filter_close(&assertion->where);
	record_filter_close(&assertion->wrong);
	free(assertion->offenders);
	free(assertion->text);
}

enum rtap_status assertions_add(struct assertions *assertions, const char *text, struct rtap_error *error)
{
	struct work *work = calloc(1, sizeof *work);
	struct assertion *assertion;

	if (work && assertions->count == assertions->room) {
		struct assertion *larger = array_grow(assertions->list, &assertions->room, assertions->count + 1, sizeof *larger);

		if (larger)
			assertions->list = larger;
	}
	if (!work || assertions->count == assertions->room) {
		free(work);
		return set_error(error, RTAP_ERROR_MEMORY, "out of memory");
	}
	assertion = &assertions->list[assertions->count];
	*assertion = (struct assertion){ .text = strdup(text) };
	*work = (struct work){ .text = text, .error = error };
	if (!assertion->text || !parse(work, assertion)) {
		enum rtap_status status = assertion->text ? RTAP_STATUS_FAILED : set_error(error, RTAP_ERROR_MEMORY, "out of memory");

		destroy(assertion);
		free(work);
		return status;
	}
	free(work);
	assertions->count++;
	return RTAP_STATUS_OK;
}

/* One line of a file, which may be a comment or empty. */
static enum rtap_status take_line(struct assertions *assertions, char *line, size_t length, struct rtap_error *error)
{
	char *begin = line + strspn(line, " \t"), *comment;

	if (strlen(line) < length)
		return set_error(error, RTAP_ERROR_FORMAT, "a byte of value 0");
	comment = find_word(begin, "#");
	if (comment)
		*comment = 0;
	for (length = strlen(begin); length && strchr(" \t\r\n", begin[length - 1]);)
		begin[--length] = 0;
	return length ? assertions_add(assertions, begin, error) : RTAP_STATUS_OK;
}

enum rtap_status assertions_read(struct assertions *assertions, const char *name, struct rtap_error *error)
{
	FILE *file = fopen(name, "r");
	enum rtap_status status = RTAP_STATUS_OK;
	size_t room = 0, before = assertions->count;
	unsigned number = 0;
	char *line = NULL;
	ssize_t length;

	if (!file)
		return set_error(error, RTAP_ERROR_NOT_FOUND, "%s: %s", name, strerror(errno));
	while (status == RTAP_STATUS_OK && (length = getline(&line, &room, file)) >= 0) {
		struct rtap_error own;

		number++;
		status = take_line(assertions, line, (size_t)length, &own);
		if (status != RTAP_STATUS_OK)
			set_error(error, own.code, "%s:%u: %s", name, number, own.text);
	}
	if (status == RTAP_STATUS_OK && !feof(file))
		status = set_error(error, RTAP_ERROR_SYSTEM, "%s: %s", name, strerror(errno));
	else if (status == RTAP_STATUS_OK && assertions->count == before)
		status = set_error(error, RTAP_ERROR_FORMAT, "%s: no assertion", name);
	free(line);
	fclose(file);
	return status;
}
bool assertions_about(const struct assertions *assertions, enum record_kind kind)
{
	for (size_t i = 0; i < assertions->count; i++)
		if (assertions->list[i].kind == kind)
			return true;
	return false;
}

/* Keys that identify a record, in this order. */
static const char *const identities[] = {
	"message", "operation", "connection", "rule", "key", "layer", "name", "kind", "object", "first_frame", "request_frame", "a.addr", "b.addr",
};

/* Describes a record, or sums values of it. */
struct reading {
	struct record_walk walk; /* first */
	const struct assertion *assertion;
	char *text;
	size_t length;
	double part, whole;  /* of a share; with a value for each direction, that of the first one that fails */
	bool is_wrong;
};

static void describe(struct reading *reading, const char *name, const char *begin, size_t length)
{
	int written;

	if (*begin == '{' || *begin == '[' || reading->length >= ASSERTION_OFFENDER)
		return;
	if (*begin == '"') {
		begin++;
		length -= 2;
	}
	written = snprintf(reading->text + reading->length, ASSERTION_OFFENDER - reading->length, "%s%s %.*s", reading->length ? ", " : "", name,
			   (int)(length > 80 ? 80 : length), begin);
	reading->length += written > 0 ? (size_t)written : 0;
}

static bool is_share_wrong(const struct reading *reading)
{
	return reading->whole > 0 && !compares(reading->part / reading->whole, reading->assertion->operator, reading->assertion->share);
}

/* Adds a value to the share that is compared. A key of directions[] is a share of each direction; its whole precedes it. */
static void add_share(struct reading *reading, const char *name, double value)
{
	const struct assertion *assertion = reading->assertion;
	bool of_each = !strncmp(assertion->keys[0], "directions[]", strlen("directions[]"));
	size_t which = 0;

	while (which < SHORT_NAMES && strcmp(short_names[which].keys[0], assertion->keys[0]))
		which++;
	if (which == SHORT_NAMES || (of_each && reading->is_wrong))
		return;
	for (unsigned i = 0; i < 2 && short_names[which].whole[i]; i++)
		if (record_is_named(short_names[which].whole[i], name))
			reading->whole = of_each ? value : reading->whole + value;
	if (!record_is_named(assertion->keys[0], name))
		return;
	reading->part = of_each ? value : reading->part + value;
	reading->is_wrong = of_each && is_share_wrong(reading);
	if (of_each && !reading->is_wrong)
		reading->whole = 0;
}

static void take_value(struct record_walk *walk, const char *name, const char *begin, size_t length)
{
	struct reading *reading = (struct reading *)walk;
	const struct assertion *assertion = reading->assertion;

	for (size_t i = 0; reading->text && i < sizeof identities / sizeof identities[0]; i++)
		if (!strcmp(identities[i], name)) {
			describe(reading, name, begin, length);
			return;
		}
	for (unsigned i = 0; reading->text && i < assertion->key_count; i++)
		if (record_is_named(assertion->keys[i], name) || !strcmp(assertion->keys[i], name))
			describe(reading, name, begin, length);
	if (assertion->is_share)
		add_share(reading, name, strtod(begin, NULL));
}

static void keep_offender(struct assertions *assertions, struct assertion *assertion, const char *text)
{
	if (assertion->offender_count == assertions->most)
		return;
	if (assertion->offender_count == assertion->offender_room) {
		struct assertion_offender *larger = array_grow(assertion->offenders, &assertion->offender_room, assertion->offender_count + 1, sizeof *larger);

		if (!larger) {
			assertions->refused++;
			return;
		}
		assertion->offenders = larger;
	}
	strcpy(assertion->offenders[assertion->offender_count++].text, text);
}

static void take_record(struct assertions *assertions, struct assertion *assertion,
			void (*json)(const void *what, struct line *line), const void *what)
{
	char text[ASSERTION_OFFENDER] = "";
	struct reading reading = { .walk.value = take_value, .assertion = assertion };
	bool is_wrong;

	if (assertion->where.filter && !record_filter_match(&assertion->where, json, what))
		return;
	assertion->records++;
	is_wrong = !assertion->is_share && record_filter_match(&assertion->wrong, json, what);
	if (!is_wrong && !assertion->is_share)
		return;
	if (!record_filter_write(&assertion->wrong, json, what))
		return;
	if (assertion->is_share) {
		record_walk(&reading.walk, assertion->wrong.text);
		is_wrong = reading.is_wrong || is_share_wrong(&reading);
	}
	if (!is_wrong)
		return;
	assertion->failed++;
	reading.text = text;
	record_walk(&reading.walk, assertion->wrong.text);
	if (assertion->is_share && reading.length < sizeof text)
		snprintf(text + reading.length, sizeof text - reading.length, ", share %.3g %%", 100 * reading.part / reading.whole);
	keep_offender(assertions, assertion, text);
}

void assertions_take(struct assertions *assertions, enum record_kind kind, void (*json)(const void *what, struct line *line), const void *what)
{
	for (size_t i = 0; i < assertions->count; i++)
		if (assertions->list[i].kind == kind)
			take_record(assertions, &assertions->list[i], json, what);
}

void assertions_fini(struct assertions *assertions)
{
	for (size_t i = 0; i < assertions->count; i++)
		destroy(&assertions->list[i]);
	free(assertions->list);
	*assertions = (struct assertions){ 0 };
}
