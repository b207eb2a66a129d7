/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dissect/engine/line.h"
#include "output/compare/diff_rules.h"

/* Longer rules files are rejected. */
#define MOST_BYTES (1u << 20)

static void free_names(struct diff_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
}

static void free_pairs(struct diff_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(pairs[i].left);
	free(pairs);
}

void diff_rules_fini(struct diff_rules *rules)
{
	free_names(&rules->ignore);
	free_names(&rules->only);
	free_names(&rules->keep);
	for (size_t i = 0; i < rules->tolerance_count; i++)
		free(rules->tolerances[i].name);
	free(rules->tolerances);
	free_pairs(rules->map, rules->map_count);
	free_pairs(rules->skip, rules->skip_count);
	*rules = (struct diff_rules){ .level = CANON_MESSAGES };
}

static enum rtap_status out_of_memory(struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
	return RTAP_STATUS_FAILED;
}

static enum rtap_status refuse(const char *option, const char *value, const char *why, struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_INVALID, "--%s %s: %s", option, value, why);
	return RTAP_STATUS_FAILED;
}

/* Room for one more of `size` bytes in an array. */
static bool grow(void *array, size_t count, size_t size)
{
	void **held = array, *larger = realloc(*held, (count + 1) * size);

	if (larger)
		*held = larger;
	return larger != NULL;
}

static enum rtap_status add_name(struct diff_names *names, const char *option, const char *value, struct rtap_error *error)
{
	char *copy;

	if (!canon_name_known(value))
		return refuse(option, value, "no such field (rdmatap fields lists them, rdmatap-diff(1) those of canon)", error);
	copy = strdup(value);
	if (!copy || !grow(&names->names, names->count, sizeof *names->names)) {
		free(copy);
		return out_of_memory(error);
	}
	names->names[names->count++] = copy;
	return RTAP_STATUS_OK;
}

/* LEFT=RIGHT */
static enum rtap_status add_pair(struct diff_pair **pairs, size_t *count, const char *option, const char *value, struct rtap_error *error)
{
	const char *equals = strchr(value, '=');
	struct diff_pair pair;

	if (!equals || equals == value || !equals[1])
		return refuse(option, value, "not of the form LEFT=RIGHT", error);
	pair.left = strdup(value);
	if (!pair.left || !grow(pairs, *count, sizeof **pairs)) {
		free(pair.left);
		return out_of_memory(error);
	}
	pair.right = pair.left + (equals - value);
	*pair.right++ = 0;
	(*pairs)[(*count)++] = pair;
	return RTAP_STATUS_OK;
}

/* LIDs are 16 bits wide: IBTA vol. 1, 4.1.3. */
#define MOST_LID 65535

#define IS_NO_ADDRESS " is not an address (OLD=NEW, each such as 10.0.0.1, fd00::1 or lid:5)"

/* An address as in canonical text: 10.0.0.1, fd00::1, lid:5. */
static bool address(const char *text, struct line *line)
{
	uint8_t bytes[16];
	unsigned lid = 0;

	if (inet_pton(AF_INET, text, bytes) == 1) {
		line_ip(line, bytes, 4);
		return true;
	}
	if (inet_pton(AF_INET6, text, bytes) == 1) {
		line_ip(line, bytes, 16);
		return true;
	}
	if (strncmp(text, "lid:", 4) != 0 || !text[4])
		return false;
	for (text += 4; *text >= '0' && *text <= '9' && lid <= MOST_LID; text++)
		lid = lid * 10 + (unsigned)(*text - '0');
	line_text(line, "lid:");
	line_dec(line, lid);
	return !*text && lid <= MOST_LID;
}

/* OLD=NEW, in any notation of addresses. */
static enum rtap_status add_map(struct diff_rules *rules, const char *option, const char *value, struct rtap_error *error)
{
	const char *equals = strchr(value, '=');
	char old[INET6_ADDRSTRLEN], pair[2 * INET6_ADDRSTRLEN];
	struct line line;

	if (!equals || equals == value || !equals[1])
		return refuse(option, value, "not of the form OLD=NEW", error);
	line_init(&line, pair, sizeof pair - 1);
	snprintf(old, sizeof old, "%.*s", (int)(equals - value < INET6_ADDRSTRLEN ? equals - value : INET6_ADDRSTRLEN), value);
	if (!address(old, &line))
		return refuse(option, value, "OLD" IS_NO_ADDRESS, error);
	line_char(&line, '=');
	if (!address(equals + 1, &line))
		return refuse(option, value, "NEW" IS_NO_ADDRESS, error);
	*line.next = 0;
	return add_pair(&rules->map, &rules->map_count, option, pair, error);
}

static enum rtap_status add_tolerance(struct diff_rules *rules, const char *option, const char *value, struct rtap_error *error)
{
	const char *equals = strchr(value, '=');
	struct diff_tolerance tolerance = { .name = NULL };
	double number;
	char *end;

	if (!equals || equals == value)
		return refuse(option, value, "not of the form FIELD=5% or FIELD=0.001", error);
	number = strtod(equals + 1, &end);
	if (end == equals + 1 || (*end && strcmp(end, "%") != 0) || !isfinite(number) || number < 0)
		return refuse(option, value, "not of the form FIELD=5% or FIELD=0.001", error);
	if (*end)
		tolerance.share = number / 100;
	else
		tolerance.distance = number;
	tolerance.name = strndup(value, (size_t)(equals - value));
	if (!tolerance.name || !grow(&rules->tolerances, rules->tolerance_count, sizeof *rules->tolerances)) {
		free(tolerance.name);
		return out_of_memory(error);
	}
	rules->tolerances[rules->tolerance_count++] = tolerance;
	if (!canon_name_known(tolerance.name))
		return refuse(option, tolerance.name, "no such field (rdmatap fields lists them, rdmatap-diff(1) those of canon)", error);
	return RTAP_STATUS_OK;
}

static enum rtap_status set_level(struct diff_rules *rules, const char *option, const char *value, struct rtap_error *error)
{
	if (!strcmp(value, "messages"))
		rules->level = CANON_MESSAGES;
	else if (!strcmp(value, "packets"))
		rules->level = CANON_PACKETS;
	else
		return refuse(option, value, "no such level (messages, packets)", error);
	return RTAP_STATUS_OK;
}

static enum rtap_status add_skip(struct diff_rules *rules, const char *option, const char *value, struct rtap_error *error)
{
	enum rtap_status status = add_pair(&rules->skip, &rules->skip_count, option, value, error);

	if (status == RTAP_STATUS_OK && !canon_name_known(rules->skip[rules->skip_count - 1].left))
		return refuse(option, value, "no such field (rdmatap fields lists them, rdmatap-diff(1) those of canon)", error);
	return status;
}

enum rtap_status diff_rules_add(struct diff_rules *rules, const char *option, const char *value, struct rtap_error *error)
{
	static const char *const with_value[] = { "ignore", "only", "keep", "tolerance", "map", "skip", "level" };
	bool is_known = false;

	for (size_t i = 0; i < sizeof with_value / sizeof with_value[0]; i++)
		is_known |= !strcmp(option, with_value[i]);
	if (!strcmp(option, "fold-retransmissions") || !strcmp(option, "order")) {
		if (value)
			return refuse(option, value, "takes no value", error);
		rules->fold_retransmissions |= option[0] == 'f';
		rules->order |= option[0] == 'o';
		return RTAP_STATUS_OK;
	}
	if (is_known && (!value || !*value)) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "--%s: needs an argument", option);
		return RTAP_STATUS_FAILED;
	}
	if (!strcmp(option, "ignore"))
		return add_name(&rules->ignore, option, value, error);
	if (!strcmp(option, "only"))
		return add_name(&rules->only, option, value, error);
	if (!strcmp(option, "keep"))
		return add_name(&rules->keep, option, value, error);
	if (!strcmp(option, "tolerance"))
		return add_tolerance(rules, option, value, error);
	if (!strcmp(option, "map"))
		return add_map(rules, option, value, error);
	if (!strcmp(option, "skip"))
		return add_skip(rules, option, value, error);
	if (!strcmp(option, "level"))
		return set_level(rules, option, value, error);
	rtap_error_set(error, RTAP_ERROR_INVALID, "--%s: no such option of a comparison", option);
	return RTAP_STATUS_FAILED;
}

static char *strip(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(" \t\r\n", end[-1]))
		*--end = 0;
	return text + strspn(text, " \t");
}

/* "--ignore nfs.tag", "--ignore=nfs.tag" */
static enum rtap_status read_line(struct diff_rules *rules, char *line, struct rtap_error *error)
{
	char *comment = line[0] == '#' ? line : strstr(line, " #"), *value;

	if (comment)
		*comment = 0;
	line = strip(line);
	if (!*line)
		return RTAP_STATUS_OK;
	if (strncmp(line, "--", 2) != 0) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "%.60s: not an option (such as --ignore FIELD)", line);
		return RTAP_STATUS_FAILED;
	}
	line += 2;
	value = line + strcspn(line, " \t=");
	if (*value) {
		*value++ = 0;
		value = strip(value);
	} else {
		value = NULL;
	}
	return diff_rules_add(rules, line, value, error);
}

enum rtap_status diff_rules_read(struct diff_rules *rules, const char *path, struct rtap_error *error)
{
	struct rtap_error inner;
	FILE *file = fopen(path, "re");
	unsigned long number = 0;
	enum rtap_status status = RTAP_STATUS_OK;
	char *line = NULL;
	size_t room = 0, total = 0;
	ssize_t length;

	if (!file) {
		rtap_error_set(error, error_code_of(errno), "%s: %s", path, strerror(errno));
		return RTAP_STATUS_FAILED;
	}
	while (status == RTAP_STATUS_OK && (length = getline(&line, &room, file)) >= 0) {
		number++;
		total += (size_t)length;
		if (total > MOST_BYTES || strlen(line) != (size_t)length) {
			rtap_error_set(&inner, RTAP_ERROR_INVALID, "not a rules file");
			status = RTAP_STATUS_FAILED;
		} else {
			status = read_line(rules, line, &inner);
		}
	}
	if (status != RTAP_STATUS_OK) {
		rtap_error_set(error, inner.code, "%s: line %lu: %.800s", path, number, inner.text);
	} else if (ferror(file)) {
		rtap_error_set(error, error_code_of(errno), "%s: %s", path, strerror(errno));
		status = RTAP_STATUS_FAILED;
	}
	free(line);
	fclose(file);
	return status;
}

static bool is_named(const struct diff_names *names, const char *name, size_t length)
{
	for (size_t i = 0; i < names->count; i++)
		if (canon_name_matches(name, length, names->names[i]))
			return true;
	return false;
}

bool diff_rules_keep(const struct diff_rules *rules, const char *name, size_t length)
{
	return is_named(&rules->keep, name, length);
}

/* Why a value would not be compared; NULL: it can be. */
static const char *keep_refusal(const char *name, enum canon_level level)
{
	struct canon_policy policy = { .action = CANON_KEEP };
	rtap_field_id id;

	if (!strcmp(name, "latency") || !strcmp(name, "time"))
		return "is compared only with a tolerance (such as --tolerance latency=20%)";
	if (!strcmp(name, "frame"))
		return "is not compared: it only shows where a difference is";
	if (!canon_policy_own(name, &policy) && rtap_field_find(name, &id, 1))
		policy = canon_policy_of(id);
	if (policy.action == CANON_RENAME && (policy.kind == RTAP_IDENTITY_XID || policy.kind == RTAP_IDENTITY_TID))
		return "is not compared: transaction ids only match responses to requests";
	return canon_keep_refusal(name, level);
}

enum rtap_status diff_rules_check(const struct diff_rules *rules, struct rtap_error *error)
{
	for (size_t i = 0; i < rules->keep.count; i++) {
		const char *refusal = keep_refusal(rules->keep.names[i], rules->level);

		if (refusal)
			return refuse("keep", rules->keep.names[i], refusal, error);
	}
	return RTAP_STATUS_OK;
}

bool diff_rules_compare(const struct diff_rules *rules, const char *name, size_t length)
{
	if (rules->fold_retransmissions && ((length == 7 && !memcmp(name, "repeats", 7)) || (length == 8 && !memcmp(name, "refusals", 8))))
		return false;
	return !is_named(&rules->ignore, name, length) && (!rules->only.count || is_named(&rules->only, name, length));
}

const struct diff_tolerance *diff_rules_tolerance(const struct diff_rules *rules, const char *name, size_t length)
{
	for (size_t i = 0; i < rules->tolerance_count; i++)
		if (canon_name_matches(name, length, rules->tolerances[i].name))
			return &rules->tolerances[i];
	return NULL;
}
