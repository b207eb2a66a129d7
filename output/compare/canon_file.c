/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "output/compare/canon.h"
#include "output/compare/canon_file.h"

/* Longer lines are rejected as invalid. */
#define LONGEST_LINE (64u << 20)

/* Exceeds the number of fields; a line has each at most once. */
#define MOST_VALUES 8192u

#define LITERAL(text) text, sizeof(text) - 1

/* Bytes of a mapped text to read before its pages are released. */
#define REST_BYTES (4 << 20)

struct file_reader {
	struct canon_file *file;
	struct canon_treatments *treatments;
	const struct canon_text *text;
	struct rtap_error *error;
	unsigned long number; /* of the line */
	bool ended;
};

static bool is_text(const char *at, size_t length, const char *wanted, size_t wanted_length)
{
	return length == wanted_length && !memcmp(at, wanted, wanted_length);
}

static bool begins(const char *at, const char *end, const char *wanted, size_t wanted_length)
{
	return (size_t)(end - at) >= wanted_length && !memcmp(at, wanted, wanted_length);
}

bool canon_file_is(const char *text, size_t length)
{
	return begins(text, text + length, LITERAL(CANON_MAGIC " "));
}

void canon_treatments_fini(struct canon_treatments *treatments)
{
	struct canon_treated *treated;

	map_fini(&treatments->map);
	while ((treated = SLIST_FIRST(&treatments->all))) {
		SLIST_REMOVE_HEAD(&treatments->all, link);
		free(treated->text);
		free(treated);
	}
}

/* The parts of a line that align it when the whole line differs. */
static void set_near(struct canon_treated *treated, const char *name, size_t length)
{
	static const char *const nears[] = { "length", "data.len" };

	for (size_t i = 0; i < sizeof nears / sizeof nears[0]; i++)
		treated->is_near |= is_text(name, length, nears[i], strlen(nears[i]));
}

/* The policy of a name in canonical text. */
static struct canon_policy policy_of(const char *name)
{
	struct canon_policy policy;
	rtap_field_id id;

	if (canon_policy_own(name, &policy))
		return policy;
	if (rtap_field_find(name, &id, 1))
		return canon_policy_of(id);
	return (struct canon_policy){ .action = CANON_KEEP };
}

static struct canon_treated treat(struct canon_treatments *treatments, const char *name, size_t length)
{
	const struct diff_rules *rules = treatments->rules;
	struct canon_treated treated = { .treatment = CANON_COMPARE };
	struct canon_policy policy = policy_of(name);

	treated.is_class = policy.is_opcode;
	set_near(&treated, name, length);
	treated.is_response = is_text(name, length, LITERAL("nak")) || is_text(name, length, LITERAL("infiniband.aeth.msn"));
	treated.is_opcode = is_text(name, length, LITERAL("infiniband.bth.opcode"));
	treated.tolerance = diff_rules_tolerance(rules, name, length);
	if (!diff_rules_compare(rules, name, length))
		treated.treatment = CANON_SHOW;
	else if (treated.tolerance)
		treated.treatment = CANON_TOLERATE;
	else if (policy.action == CANON_DROP && !diff_rules_keep(rules, name, length))
		treated.treatment = CANON_SHOW;
	else if (policy.action == CANON_RELATIVE)
		treated.treatment = CANON_COMPARE_RELATIVE;
	else if (policy.action == CANON_RENAME)
		/* transaction ids only match responses to requests, and that is compared separately */
		treated.treatment = policy.kind == RTAP_IDENTITY_XID || policy.kind == RTAP_IDENTITY_TID ? CANON_SHOW : CANON_COMPARE_NAME;
	return treated;
}

/* NULL: out of memory. */
static struct canon_treated *add_treatment(struct canon_treatments *treatments, const char *name, size_t length, uint64_t hash)
{
	struct canon_treated *added = malloc(sizeof *added);
	char *copy = malloc(length + 1);

	if (!added || !copy)
		goto failed;
	memcpy(copy, name, length);
	copy[length] = 0;
	/* a name that contains a NUL byte is not a field */
	*added = treat(treatments, copy, strlen(copy));
	added->key.key = hash;
	added->text = copy;
	added->length = length;
	if (!canon_map_add(&treatments->map, &added->key))
		goto failed;
	SLIST_INSERT_HEAD(&treatments->all, added, link);
	return added;

failed:
	free(added);
	free(copy);
	return NULL;
}

/* Eight bytes at once: faster than a loop over the bytes of mostly short values, or a call for each value. */
static uint64_t load_word(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return le64toh(word);
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* The end of a value. */
static const char *value_end(const char *value, const char *end)
{
	const char *space;

	if (end - value >= 8) {
		/* its first zero byte is the first space: borrows set the highest bit only in bytes after one */
		uint64_t word = load_word(value) ^ EACH_BYTE * ' ', spaces = (word - EACH_BYTE) & ~word & EACH_BYTE << 7;

		if (spaces)
			return value + __builtin_ctzll(spaces) / 8;
	}
	space = memchr(value, ' ', (size_t)(end - value));
	return space ? space : end;
}

/* Reads the next value if it has this name. */
static inline __attribute__((always_inline)) bool take_guess(const struct canon_treated *guess, const char **at,
							     const char *end, struct canon_token *token)
{
	const char *begin = *at + (*at < end && **at == ' '), *value = begin + guess->length + 1;

	if ((size_t)(end - begin) <= guess->length || begin[guess->length] != '=' || memcmp(begin, guess->text, guess->length))
		return false;
	*at = value_end(value, end);
	*token = (struct canon_token){ begin, value, guess->length, (size_t)(*at - value) };
	return true;
}

/* Records the name after the last one looked up, to improve the next guess. */
static const struct canon_treated *note_treatment(struct canon_treatments *treatments, struct canon_treated *treated)
{
	struct canon_treated *last = treatments->last;

	if (last && last->after[0] != treated) {
		last->after[1] = last->after[0];
		last->after[0] = treated;
	}
	return treatments->last = treated;
}

const struct canon_treated *canon_treatment(struct canon_treatments *treatments, const char *name, size_t length)
{
	uint64_t hash = canon_mark(0, name, length);
	struct canon_treated *treated = canon_map_find(&treatments->map, 0, hash);

	if (!treated)
		treated = add_treatment(treatments, name, length, hash);
	if (!treated)
		treatments->failed = true;
	return treated ? note_treatment(treatments, treated) : NULL;
}

/* Callers first try the name that followed last time. */
static inline __attribute__((always_inline)) const struct canon_treated *
next_value(struct canon_treatments *treatments, const char **at, const char *end, struct canon_token *token)
{
	struct canon_treated *last = treatments->last;

	if (last && last->after[0] && take_guess(last->after[0], at, end, token))
		return treatments->last = last->after[0];
	if (last && last->after[1] && take_guess(last->after[1], at, end, token))
		return note_treatment(treatments, last->after[1]);
	return canon_token_next(at, end, token) ? canon_treatment(treatments, token->name, token->name_length) : NULL;
}

const struct canon_treated *canon_treated_next(struct canon_treatments *treatments, const char **at, const char *end,
					       struct canon_token *token)
{
	return next_value(treatments, at, end, token);
}

bool canon_token_next(const char **at, const char *end, struct canon_token *token)
{
	while (*at < end) {
		const char *begin = *at + (**at == ' '), *space = memchr(begin, ' ', (size_t)(end - begin)), *stop = space ? space : end;
		const char *equals = memchr(begin, '=', (size_t)(stop - begin));

		*at = stop;
		if (!equals)
			continue;
		*token = (struct canon_token){ begin, equals + 1, (size_t)(equals - begin), (size_t)(stop - equals - 1) };
		return true;
	}
	return false;
}

const char *canon_line_values(const char *line, const char *end)
{
	const char *space = memchr(line, ' ', (size_t)(end - line));

	if (space && end - space >= 2 && (space[1] == '>' || space[1] == '<'))
		space = end - space > 2 ? space + 2 : end;
	return space ? space : end;
}

/* Hashes a renamed value without its numbers: "rkey#" of "rkey#3+0x10", for each part. */
static uint64_t hash_names(uint64_t hash, const char *value, size_t length)
{
	const char *end = value + length;

	while (value < end) {
		const char *comma = memchr(value, ',', (size_t)(end - value)), *stop = comma ? comma : end, *shown = value;

		while (shown < stop && *shown != '#' && *shown != '+')
			shown++;
		hash = canon_mark(hash, value, (size_t)(shown - value));
		value = stop + 1;
	}
	return hash;
}

/* Hashes a value's text; `end` is the end of its line. */
static uint64_t hash_value(uint64_t hash, const struct canon_token *token, const char *end)
{
	uint64_t word;

	if (token->value_length >= 8)
		return canon_mark(hash, token->value, token->value_length);
	if (end - token->value >= 8) {
		word = load_word(token->value) & ((UINT64_C(1) << 8 * token->value_length) - 1);
	} else {
		char bytes[8] = { 0 };

		memcpy(bytes, token->value, token->value_length);
		word = load_word(bytes);
	}
	return canon_mark_word(hash, word | (uint64_t)token->value_length << 56);
}

static uint64_t hash_token(uint64_t hash, const struct canon_treated *treated, const struct canon_token *token, const char *end)
{
	hash = (hash ^ treated->key.key) * UINT64_C(0x9e3779b97f4a7c15);
	switch (treated->treatment) {
	case CANON_COMPARE:
		return hash_value(hash, token, end);
	case CANON_COMPARE_NAME:
		return hash_names(hash, token->value, token->value_length);
	default:
		return hash;
	}
}

static bool skips(const struct diff_rules *rules, const struct canon_token *token)
{
	for (size_t i = 0; i < rules->skip_count; i++)
		if (is_text(token->name, token->name_length, rules->skip[i].left, strlen(rules->skip[i].left)) &&
		    is_text(token->value, token->value_length, rules->skip[i].right, strlen(rules->skip[i].right)))
			return true;
	if (!rules->fold_retransmissions)
		return false;
	if (is_text(token->name, token->name_length, LITERAL("nak")))
		return is_text(token->value, token->value_length, LITERAL("sequence_error")) ||
		       is_text(token->value, token->value_length, LITERAL("rnr"));
	if (is_text(token->name, token->name_length, LITERAL("rdmatap.psn.analysis")))
		return is_text(token->value, token->value_length, LITERAL("retransmission")) ||
		       is_text(token->value, token->value_length, LITERAL("duplicate"));
	return false;
}

static enum rtap_status fail(struct file_reader *reader, const char *what)
{
	rtap_error_set(reader->error, RTAP_ERROR_FORMAT, "%s: line %lu: %s", reader->text->name, reader->number, what);
	return RTAP_STATUS_FAILED;
}

static enum rtap_status fail_too_long(struct file_reader *reader)
{
	rtap_error_set(reader->error, RTAP_ERROR_UNSUPPORTED, "%s: too many messages or packets to compare: there is memory for %zu (raise --max-memory, or"
		       " compare less with --level messages or --skip)", reader->text->name, reader->text->most_lines);
	return RTAP_STATUS_FAILED;
}

/* READ Response Middle is the only response without an AETH. */
static bool is_of_response(const struct canon_treated *treated, const struct canon_token *token)
{
	return treated->is_response || (treated->is_opcode && is_text(token->value, token->value_length, LITERAL("14")));
}

/* Hashes a line. *skipped: the rules exclude it. */
static enum rtap_status hash_line(struct file_reader *reader, struct canon_line *line, const char *at, const char *end, bool *skipped)
{
	const struct canon_treated *treated;
	struct canon_token token;
	uint64_t direction = (unsigned char)line->direction;
	const struct diff_rules *rules = reader->treatments->rules;
	bool can_skip = rules->skip_count || rules->fold_retransmissions;
	unsigned values = 0;

	for (int key = 0; key < CANON_KEYS; key++)
		line->keys[key] = canon_mark((uint64_t)key, &direction, sizeof direction);
	*skipped = false;
	line->lane = line->direction == '<';
	while ((treated = next_value(reader->treatments, &at, end, &token))) {
		if (++values > MOST_VALUES)
			return fail(reader, "has more values than a line of canonical text");
		if (is_of_response(treated, &token))
			line->lane |= 2;
		if (can_skip)
			*skipped |= skips(rules, &token);
		if (treated->treatment != CANON_SHOW)
			line->keys[CANON_KEY_ALL] = hash_token(line->keys[CANON_KEY_ALL], treated, &token, end);
		if (treated->is_class || (treated->is_near && treated->treatment == CANON_COMPARE))
			line->keys[CANON_KEY_NEAR] = hash_value(line->keys[CANON_KEY_NEAR], &token, end);
		if (treated->is_class)
			line->keys[CANON_KEY_CLASS] = hash_value(line->keys[CANON_KEY_CLASS], &token, end);
	}
	return reader->treatments->failed ? fail(reader, "out of memory") : RTAP_STATUS_OK;
}

static const char *mapped(const struct diff_rules *rules, const struct canon_token *token, size_t *length)
{
	bool is_address = is_text(token->name, token->name_length, LITERAL("client")) ||
			  is_text(token->name, token->name_length, LITERAL("server"));

	*length = token->value_length;
	for (size_t i = 0; is_address && i < rules->map_count; i++) {
		if (!is_text(token->value, token->value_length, rules->map[i].left, strlen(rules->map[i].left)))
			continue;
		*length = strlen(rules->map[i].right);
		return rules->map[i].right;
	}
	return token->value;
}

/* "transport=RC service=tcp:20049 client=10.0.0.2 server=10.0.0.1", without ignored values. */
static char *role_of(struct file_reader *reader, const char *at, const char *end)
{
	const struct diff_rules *rules = reader->treatments->rules;
	size_t room = (size_t)(end - at) + 1, used = 0;
	struct canon_token token;
	char *role;

	for (size_t i = 0; i < rules->map_count; i++)
		room += 2 * strlen(rules->map[i].right);
	role = malloc(room);
	while (role && canon_token_next(&at, end, &token)) {
		size_t length = token.value_length;
		const char *value = reader->text->map ? mapped(rules, &token, &length) : token.value;

		/* --only selects the values to compare, not how connections are matched */
		if (!rules->only.count && !diff_rules_compare(rules, token.name, token.name_length))
			continue;
		if (used + token.name_length + length + 3 > room)
			break;
		if (used)
			role[used++] = ' ';
		memcpy(role + used, token.name, token.name_length);
		used += token.name_length;
		role[used++] = '=';
		memcpy(role + used, value, length);
		used += length;
	}
	if (role)
		role[used] = 0;
	return role;
}

static enum rtap_status take_connection(struct file_reader *reader, const char *line, const char *end)
{
	struct canon_file *file = reader->file;
	struct canon_role *role, *roles = array_grow(file->roles, &file->role_room, file->role_count + 1, sizeof *roles);

	if (!roles)
		return fail(reader, "out of memory");
	file->roles = roles;
	role = &file->roles[file->role_count];
	*role = (struct canon_role){ .role = role_of(reader, canon_line_values(line, end), end), .begin = (uint64_t)(line - file->text) };
	if (!role->role)
		return fail(reader, "out of memory");
	role->ranges[CANON_MESSAGES].first = file->lines[CANON_MESSAGES].count;
	role->ranges[CANON_PACKETS].first = file->lines[CANON_PACKETS].count;
	file->role_count++;
	return RTAP_STATUS_OK;
}

static enum rtap_status take_line(struct file_reader *reader, enum canon_level level, const char *line, const char *end)
{
	struct canon_lines *lines = &reader->file->lines[level];
	const char *space = memchr(line, ' ', (size_t)(end - line));
	struct canon_line *added;
	enum rtap_status status;
	bool skipped;

	if (!reader->file->role_count)
		return fail(reader, "stands before the first connection");
	if (!space || end - space < 2 || (space[1] != '>' && space[1] != '<'))
		return fail(reader, "has no direction (> or <)");
	if (level == CANON_PACKETS && reader->treatments->rules->level != CANON_PACKETS)
		return RTAP_STATUS_OK;
	if (reader->text->most_lines && canon_file_lines(reader->file) >= reader->text->most_lines)
		return fail_too_long(reader);
	added = array_grow(lines->lines, &lines->room, lines->count + 1, sizeof *added);
	if (!added)
		return fail(reader, "out of memory");
	lines->lines = added;
	added += lines->count;
	*added = (struct canon_line){ .offset = (uint64_t)(line - reader->file->text), .length = (uint32_t)(end - line), .direction = space[1] };
	status = hash_line(reader, added, canon_line_values(line, end), end, &skipped);
	if (status != RTAP_STATUS_OK || skipped)
		return status;
	lines->count++;
	reader->file->roles[reader->file->role_count - 1].ranges[level].count++;
	return RTAP_STATUS_OK;
}

static enum rtap_status take_setup(struct file_reader *reader, const char *line, const char *end)
{
	struct canon_line *setup;
	bool skipped;

	if (!reader->file->role_count)
		return fail(reader, "stands before the first connection");
	setup = &reader->file->roles[reader->file->role_count - 1].setup;
	*setup = (struct canon_line){ .offset = (uint64_t)(line - reader->file->text), .length = (uint32_t)(end - line) };
	return hash_line(reader, setup, canon_line_values(line, end), end, &skipped);
}

/* Reject the text of a part of a capture: the rest would appear to be lost. */
static enum rtap_status fail_incomplete(struct file_reader *reader, const struct canon_token *why)
{
	if (is_text(why->value, why->value_length, LITERAL(CANON_INTERRUPTED)))
		return fail(reader, "says that it is of a part of its capture only: making it was interrupted (make it again)");
	return fail(reader, "says that it is of a part of its capture only, which could not be read to its end (make it again, of a whole one)");
}

/* "end connections=2": a file without it, or with another count, is incomplete. */
static enum rtap_status take_end(struct file_reader *reader, const char *line, const char *end)
{
	struct canon_token token;
	const char *at = canon_line_values(line, end);
	size_t count = 0;

	if (!canon_token_next(&at, end, &token) || !is_text(token.name, token.name_length, LITERAL("connections")))
		return fail(reader, "does not state how many connections there are");
	for (size_t i = 0; i < token.value_length && count < SIZE_MAX / 100; i++)
		count = count * 10 + (size_t)(token.value[i] - '0');
	if (count != reader->file->role_count)
		return fail(reader, "there are more or fewer connections than it says");
	while (canon_token_next(&at, end, &token))
		if (is_text(token.name, token.name_length, LITERAL("incomplete")))
			return fail_incomplete(reader, &token);
	reader->ended = true;
	return RTAP_STATUS_OK;
}

/* Whether canon writes values of this name by default. */
static bool is_written(const char *name)
{
	struct canon_policy policy;
	rtap_field_id id;

	if (canon_policy_own(name, &policy))
		return policy.action != CANON_DROP;
	return rtap_field_find(name, &id, 1) && canon_policy_of(id).action != CANON_DROP;
}

/* Fails unless the file has this value. `kept`: the names that canon was to keep, with commas between. */
static enum rtap_status check_value(struct file_reader *reader, const struct canon_token *kept, const char *wanted)
{
	const char *part = kept->value, *stop = kept->value + kept->value_length;
	bool found = is_written(wanted);

	while (!found && part && part < stop) {
		const char *comma = memchr(part, ',', (size_t)(stop - part)), *part_end = comma ? comma : stop;

		found = is_text(part, (size_t)(part_end - part), wanted, strlen(wanted));
		part = comma ? comma + 1 : stop;
	}
	if (found)
		return RTAP_STATUS_OK;
	rtap_error_set(reader->error, RTAP_ERROR_FORMAT, "%s: has no %s (make it with rdmatap canon --keep %s, or rdmatap diff --update)",
		       reader->text->name, wanted, wanted);
	return RTAP_STATUS_FAILED;
}

/* Whether the file has the values that the rules compare and that canon omits by default. */
static enum rtap_status check_kept(struct file_reader *reader, const char *line, const char *end)
{
	const struct diff_rules *rules = reader->treatments->rules;
	enum rtap_status status = RTAP_STATUS_OK;
	struct canon_token token, kept = { .value = "" };

	while (canon_token_next(&line, end, &token))
		if (is_text(token.name, token.name_length, LITERAL("keep")))
			kept = token;
	for (size_t i = 0; i < rules->tolerance_count && status == RTAP_STATUS_OK; i++)
		status = check_value(reader, &kept, rules->tolerances[i].name);
	for (size_t i = 0; i < rules->keep.count && status == RTAP_STATUS_OK; i++)
		status = check_value(reader, &kept, rules->keep.names[i]);
	return status;
}

/* "rdmatap-canon 1 level=packets keep=latency" */
static enum rtap_status take_head(struct file_reader *reader, const char *line, const char *end)
{
	const char *version = line + sizeof CANON_MAGIC, *space = NULL;
	struct canon_token token;

	if (!begins(line, end, LITERAL(CANON_MAGIC " ")))
		return fail(reader, "not the canonical text of a capture");
	space = memchr(version, ' ', (size_t)(end - version));
	if (!space || !is_text(version, (size_t)(space - version), LITERAL("1")))
		return fail(reader, "canonical text of another version (make it again with this one)");
	while (canon_token_next(&space, end, &token))
		if (is_text(token.name, token.name_length, LITERAL("level")) && is_text(token.value, token.value_length, LITERAL("packets")))
			reader->file->level = CANON_PACKETS;
	if (reader->file->level < reader->treatments->rules->level)
		return fail(reader, "has messages only (make it with --level packets)");
	return check_kept(reader, line, end);
}

static enum rtap_status take(struct file_reader *reader, const char *line, const char *end)
{
	if (reader->number == 1)
		return take_head(reader, line, end);
	if (line == end || *line == '#')
		return RTAP_STATUS_OK;
	if (reader->ended)
		return fail(reader, "stands after the end");
	if (begins(line, end, LITERAL("message ")))
		return take_line(reader, CANON_MESSAGES, line, end);
	if (begins(line, end, LITERAL("packet ")))
		return take_line(reader, CANON_PACKETS, line, end);
	if (begins(line, end, LITERAL("connection ")))
		return take_connection(reader, line, end);
	if (begins(line, end, LITERAL("setup ")))
		return take_setup(reader, line, end);
	if (begins(line, end, LITERAL("end ")))
		return take_end(reader, line, end);
	return fail(reader, "neither connection, setup, message, packet nor end");
}

/* Hashes the contents of a connection, to match it among several of the same role. */
static void finish(struct canon_file *file)
{
	for (size_t i = 0; i < file->role_count; i++) {
		struct canon_role *role = &file->roles[i];

		role->end = i + 1 < file->role_count ? file->roles[i + 1].begin : file->length;
		role->digest = role->setup.keys[CANON_KEY_ALL];
		for (int level = 0; level < 2; level++)
			for (size_t j = 0; j < role->ranges[level].count; j++)
				role->digest = canon_mark(role->digest, &file->lines[level].lines[role->ranges[level].first + j].keys[CANON_KEY_ALL], 8);
	}
}

size_t canon_file_lines(const struct canon_file *file)
{
	return file->lines[CANON_MESSAGES].count + file->lines[CANON_PACKETS].count;
}

void canon_file_release_pages(const struct canon_file *file)
{
	/* only a hint to the kernel */
	if (file->is_mapped)
		(void)madvise((void *)(uintptr_t)file->text, file->length, MADV_DONTNEED);
}

enum rtap_status canon_file_read(struct canon_file *file, const struct canon_text *text, struct canon_treatments *treatments,
				 struct rtap_error *error)
{
	struct file_reader reader = { .file = file, .treatments = treatments, .text = text, .error = error };
	const char *at = text->text, *end = at + text->length, *rested = at;
	enum rtap_status status = RTAP_STATUS_OK;

	*file = (struct canon_file){ .text = text->text, .length = text->length, .is_mapped = text->is_mapped };
	while (status == RTAP_STATUS_OK && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;

		reader.number++;
		if ((size_t)(stop - at) > LONGEST_LINE)
			return fail(&reader, "longer than any line of canonical text");
		status = take(&reader, at, stop);
		at = newline ? newline + 1 : end;
		if (at - rested > REST_BYTES) {
			canon_file_release_pages(file);
			rested = at;
		}
	}
	if (status == RTAP_STATUS_OK && !reader.ended) {
		rtap_error_set(error, RTAP_ERROR_FORMAT, "%s: ends early, without its last line", text->name);
		status = RTAP_STATUS_FAILED;
	}
	finish(file);
	return status;
}

void canon_file_fini(struct canon_file *file)
{
	for (size_t i = 0; i < file->role_count; i++)
		free(file->roles[i].role);
	free(file->roles);
	free(file->lines[0].lines);
	free(file->lines[1].lines);
}
