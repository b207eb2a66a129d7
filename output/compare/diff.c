/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "output/compare/diff.h"
#include "output/compare/diff_align.h"
#include "output/compare/diff_names.h"

/* Kinds of keys of comparison.known. */
enum { TO_B, TO_A, KEY_SHIFT, STREAM_SHIFT, STREAM_SEEN };

/* Bytes of both texts to read before their memory is released. */
#define REST_BYTES (8u << 20)

/* Two connections being compared. */
struct comparison {
	const struct canon_file *a_file, *b_file;
	const struct canon_role *a, *b;
	struct canon_treatments *treatments;
	struct diff_form *form;
	struct diff_totals *totals;
	struct canon_numbers known;  /* correspondence of names and offsets of a and b */
	uint64_t disturbed;      /* lines added, removed, moved or changed so far */
	struct diff_change *changes;
	size_t change_count, change_room;
	struct canon_token *tokens; /* tokens of the line of b from the first mismatch with the name order of a */
	bool *used;              /* by token of b: also present in a */
	struct canon_numbers alone; /* connections that only one has, by side: hashes of their roles */
	size_t read;             /* bytes of both texts read since their memory was released */
	size_t token_count, token_room, used_room;
	int error;
};

static void fail(struct comparison *comparison, int error)
{
	if (!comparison->error)
		comparison->error = error;
}

static bool is_text(const char *at, size_t length, const char *wanted, size_t wanted_length)
{
	return length == wanted_length && !memcmp(at, wanted, length);
}

static void add_change(struct comparison *comparison, const struct canon_token *a, const struct canon_token *b)
{
	const struct canon_token *named = a ? a : b;

	struct diff_change *changes = array_grow(comparison->changes, &comparison->change_room, comparison->change_count + 1, sizeof *changes);

	if (!changes) {
		fail(comparison, -ENOMEM);
		return;
	}
	comparison->changes = changes;
	comparison->changes[comparison->change_count++] = (struct diff_change){
		.name = named->name, .name_length = named->name_length,
		.a = a ? a->value : NULL, .a_length = a ? a->value_length : 0,
		.b = b ? b->value : NULL, .b_length = b ? b->value_length : 0,
	};
}

/* The value stored under a key; stores `fresh` if there is none. */
static uint64_t known(struct comparison *comparison, uint32_t kind, uint64_t key, uint64_t fresh)
{
	uint64_t *found = canon_numbers_find(&comparison->known, kind, key);

	if (!found)
		found = canon_numbers_set(&comparison->known, kind, key, fresh);
	if (!found)
		fail(comparison, -ENOMEM);
	return found ? *found : fresh;
}

static void learn(struct comparison *comparison, uint32_t kind, uint64_t key, uint64_t value)
{
	if (!canon_numbers_set(&comparison->known, kind, key, value))
		fail(comparison, -ENOMEM);
}

/* Whether a name of a still corresponds to this one of b. If not, it does from now on. */
static bool same_name(struct comparison *comparison, const struct diff_name *a, const struct diff_name *b)
{
	bool same = a->base == b->base && known(comparison, TO_B, a->name, b->name) == b->name &&
		    known(comparison, TO_A, b->name, a->name) == a->name;

	if (!same) {
		learn(comparison, TO_B, a->name, b->name);
		learn(comparison, TO_A, b->name, a->name);
		learn(comparison, KEY_SHIFT, a->name, b->offset - a->offset);
	}
	return same;
}

static bool same_renamed(struct comparison *comparison, const struct diff_name *a, const struct diff_name *b)
{
	if (!same_name(comparison, a, b) || a->has_offset != b->has_offset)
		return false;
	return !a->has_offset || known(comparison, KEY_SHIFT, a->name, b->offset - a->offset) == b->offset - a->offset;
}

static bool same_relative(struct comparison *comparison, const struct diff_name *a, const struct diff_name *b)
{
	uint64_t shift = b->offset - a->offset, before = known(comparison, STREAM_SHIFT, a->name, shift);
	bool disturbed = known(comparison, STREAM_SEEN, a->name, comparison->disturbed) != comparison->disturbed;

	learn(comparison, STREAM_SHIFT, a->name, shift);
	learn(comparison, STREAM_SEEN, a->name, comparison->disturbed);
	return a->name == b->name && (before == shift || disturbed);
}

/* Compares the parts between commas. */
static bool same_parts(struct comparison *comparison, const struct canon_token *a, const struct canon_token *b, bool relative)
{
	const char *a_at = a->value, *a_end = a_at + a->value_length, *b_at = b->value, *b_end = b_at + b->value_length;
	bool same = true;

	while (a_at && b_at) {
		struct diff_name a_part = diff_name_next(&a_at, a_end), b_part = diff_name_next(&b_at, b_end);

		/* compare all parts, to learn the names after a difference */
		same &= relative ? same_relative(comparison, &a_part, &b_part) : same_renamed(comparison, &a_part, &b_part);
	}
	return same && !a_at == !b_at;
}

static bool read_decimal(const struct canon_token *token, double *value)
{
	char text[64], *end;

	if (!token->value_length || token->value_length >= sizeof text)
		return false;
	memcpy(text, token->value, token->value_length);
	text[token->value_length] = 0;
	*value = strtod(text, &end);
	return !*end && isfinite(*value);
}

static bool tolerable(const struct diff_tolerance *tolerance, const struct canon_token *a, const struct canon_token *b)
{
	double left, right, larger;

	if (!read_decimal(a, &left) || !read_decimal(b, &right))
		return is_text(a->value, a->value_length, b->value, b->value_length);
	larger = fabs(left) > fabs(right) ? fabs(left) : fabs(right);
	return fabs(left - right) <= (tolerance->share > 0 ? larger * tolerance->share : tolerance->distance);
}

static void compare_tokens(struct comparison *comparison, const struct canon_treated *treated, const struct canon_token *a,
			   const struct canon_token *b)
{
	bool same = true;

	switch (treated->treatment) {
	case CANON_COMPARE:
		same = is_text(a->value, a->value_length, b->value, b->value_length);
		break;
	case CANON_COMPARE_NAME:
		same = same_parts(comparison, a, b, false);
		break;
	case CANON_COMPARE_RELATIVE:
		same = same_parts(comparison, a, b, true);
		break;
	case CANON_TOLERATE:
		same = tolerable(treated->tolerance, a, b);
		break;
	default:
		break;
	}
	if (!same)
		add_change(comparison, a, b);
}

static const char *end_of_line(const struct diff_side *side)
{
	return side->file->text + side->line->offset + side->line->length;
}

static const char *line_values(const struct diff_side *side)
{
	return canon_line_values(side->file->text + side->line->offset, end_of_line(side));
}

static void read_tokens(struct comparison *comparison, const char *at, const char *end)
{
	struct canon_token token;

	comparison->token_count = 0;
	while (canon_token_next(&at, end, &token)) {
		size_t wanted = comparison->token_count + 1;
		struct canon_token *tokens = array_grow(comparison->tokens, &comparison->token_room, wanted, sizeof *tokens);
		bool *used = array_grow(comparison->used, &comparison->used_room, wanted, sizeof *used);

		if (tokens)
			comparison->tokens = tokens;
		if (used)
			comparison->used = used;
		if (!tokens || !used) {
			fail(comparison, -ENOMEM);
			return;
		}
		comparison->tokens[comparison->token_count] = token;
		comparison->used[comparison->token_count++] = false;
	}
}

/*
 * The first unmatched token of b with this name. Values are mostly in the same order, so the search starts at `*hint`.
 */
static size_t find_token(const struct comparison *comparison, const struct canon_token *wanted, size_t *hint)
{
	for (size_t i = 0; i < comparison->token_count; i++) {
		size_t at = *hint + i < comparison->token_count ? *hint + i : *hint + i - comparison->token_count;

		if (comparison->used[at] || !is_text(comparison->tokens[at].name, comparison->tokens[at].name_length, wanted->name, wanted->name_length))
			continue;
		*hint = at + 1;
		return at;
	}
	return SIZE_MAX;
}

/* Reads the next token of b if it has the same name as that of a, the usual case. Otherwise consumes nothing. */
static bool take_counterpart(const char **at, const char *end, const struct canon_token *a, struct canon_token *b)
{
	const char *begin = *at + (*at < end && **at == ' '), *value = begin + a->name_length + 1, *space;

	/* including the '=' */
	if ((size_t)(end - begin) <= a->name_length || memcmp(begin, a->name, a->name_length + 1))
		return false;
	*b = (struct canon_token){ begin, value, a->name_length, a->value_length };
	if ((size_t)(end - value) < a->value_length || memcmp(value, a->value, a->value_length) ||
	    (value + a->value_length < end && value[a->value_length] != ' ')) {
		space = memchr(value, ' ', (size_t)(end - value));
		b->value_length = (size_t)((space ? space : end) - value);
	}
	*at = value + b->value_length;
	return true;
}

/* Compares the rest of two lines, from a value of a that does not match the next value of b. */
static void compare_rest(struct comparison *comparison, const struct canon_treated *treated, struct canon_token *token, const char *at,
			 const char *end)
{
	size_t hint = 0;

	for (; treated; treated = canon_treated_next(comparison->treatments, &at, end, token)) {
		size_t other = find_token(comparison, token, &hint);

		if (other != SIZE_MAX) {
			comparison->used[other] = true;
			compare_tokens(comparison, treated, token, &comparison->tokens[other]);
		} else if (treated->treatment != CANON_SHOW) {
			add_change(comparison, token, NULL);
		}
	}
}

/* Values of b that a lacks. */
static void add_others(struct comparison *comparison)
{
	for (size_t i = 0; !comparison->error && i < comparison->token_count; i++) {
		const struct canon_token *left = &comparison->tokens[i];
		const struct canon_treated *treated = comparison->used[i] ? NULL : canon_treatment(comparison->treatments, left->name, left->name_length);

		if (treated && treated->treatment != CANON_SHOW)
			add_change(comparison, NULL, left);
	}
}

/* Stores the differences of two lines in comparison->changes. */
static void compare_lines(struct comparison *comparison, const struct diff_side *a, const struct diff_side *b)
{
	const char *at = line_values(a), *end = end_of_line(a), *b_at = line_values(b), *b_end = end_of_line(b);
	const struct canon_treated *treated;
	struct canon_token token, counterpart;

	comparison->change_count = 0;
	while ((treated = canon_treated_next(comparison->treatments, &at, end, &token)) && take_counterpart(&b_at, b_end, &token, &counterpart))
		compare_tokens(comparison, treated, &token, &counterpart);
	read_tokens(comparison, b_at, b_end);
	if (!comparison->error)
		compare_rest(comparison, treated, &token, at, end);
	if (comparison->treatments->failed)
		fail(comparison, -ENOMEM);
	add_others(comparison);
}

/* Accounts for `length` bytes of the texts that were read. */
static void note_read(struct comparison *comparison, size_t bytes)
{
	comparison->read += bytes;
	if (comparison->read < REST_BYTES)
		return;
	canon_file_release_pages(comparison->a_file);
	canon_file_release_pages(comparison->b_file);
	comparison->read = 0;
}

static void report(struct comparison *comparison, struct diff_step *step)
{
	int result;

	note_read(comparison, (step->a.line ? step->a.line->length : 0) + (step->b.line ? step->b.line->length : 0));
	if (comparison->error)
		return;
	if (step->setup)
		comparison->totals->changed_setups += step->kind != DIFF_SAME;
	else
		comparison->totals->kinds[step->kind]++;
	comparison->disturbed += step->kind != DIFF_SAME;
	result = comparison->form->step(comparison->form, step);
	if (result)
		fail(comparison, result);
}

static void report_pair(struct comparison *comparison, struct diff_step *step, bool moved)
{
	compare_lines(comparison, &step->a, &step->b);
	step->changes = comparison->changes;
	step->change_count = comparison->change_count;
	step->kind = moved ? DIFF_MOVED : comparison->change_count ? DIFF_CHANGED : DIFF_SAME;
	report(comparison, step);
}

static struct diff_side side_of(const struct canon_file *file, const struct canon_role *role, enum canon_level level, size_t index)
{
	return (struct diff_side){ file, role, &file->lines[level].lines[role->ranges[level].first + index], index + 1 };
}

/* Lines of b before the match of a's next ordered line are reported first. */
static void walk(struct comparison *comparison, enum canon_level level, const struct diff_matches *matches)
{
	size_t a_count = comparison->a->ranges[level].count, b_count = comparison->b->ranges[level].count, j = 0;

	for (size_t i = 0; i <= a_count && !comparison->error; i++) {
		uint32_t other = i < a_count ? matches->of_a[i] : (uint32_t)b_count;
		bool in_order = i == a_count || (other != DIFF_NONE && matches->places[i] == DIFF_IN_ORDER);

		for (; in_order && j < other; j++) {
			struct diff_step step = { .kind = DIFF_ADDED, .level = level, .a = { comparison->a_file, comparison->a, NULL, 0 },
						  .b = side_of(comparison->b_file, comparison->b, level, j) };

			if (matches->of_b[j] == DIFF_NONE)
				report(comparison, &step);
		}
		if (i < a_count) {
			struct diff_step step = { .kind = DIFF_REMOVED, .level = level, .a = side_of(comparison->a_file, comparison->a, level, i),
						  .b = { comparison->b_file, comparison->b, NULL, 0 } };

			j += in_order;
			if (other == DIFF_NONE) {
				report(comparison, &step);
			} else {
				step.b = side_of(comparison->b_file, comparison->b, level, other);
				report_pair(comparison, &step, matches->places[i] == DIFF_ELSEWHERE);
			}
		}
	}
}

/* A file may have no lines of a level. */
static const struct canon_line *lines_of(const struct canon_file *file, enum canon_level level, const struct canon_range *range)
{
	return range->count ? &file->lines[level].lines[range->first] : NULL;
}

static void compare_level(struct comparison *comparison, enum canon_level level)
{
	const struct canon_range *a = &comparison->a->ranges[level], *b = &comparison->b->ranges[level];
	struct diff_slide texts = { .files = { comparison->a_file, comparison->b_file }, .treatments = comparison->treatments };
	struct diff_matches matches;
	int result = diff_match(&matches, lines_of(comparison->a_file, level, a), a->count, lines_of(comparison->b_file, level, b), b->count,
				comparison->treatments->rules->order, &texts);

	if (result)
		fail(comparison, result);
	else
		walk(comparison, level, &matches);
	diff_matches_fini(&matches);
}

static void compare_setup(struct comparison *comparison)
{
	struct diff_step step = { .setup = true, .a = { comparison->a_file, comparison->a, &comparison->a->setup, 0 },
				  .b = { comparison->b_file, comparison->b, &comparison->b->setup, 0 } };

	if (comparison->a->setup.length && comparison->b->setup.length) {
		report_pair(comparison, &step, false);
	} else if (comparison->a->setup.length || comparison->b->setup.length) {
		step.kind = comparison->a->setup.length ? DIFF_REMOVED : DIFF_ADDED;
		report(comparison, &step);
	}
}

static bool is_same_text(struct comparison *comparison, const char *a, const char *b, size_t length)
{
	while (length) {
		size_t part = length < REST_BYTES ? length : REST_BYTES;

		if (memcmp(a, b, part))
			return false;
		note_read(comparison, 2 * part);
		a += part;
		b += part;
		length -= part;
	}
	return true;
}

/* Identical text needs no comparison. */
static bool is_identical(struct comparison *comparison)
{
	const struct canon_role *a = comparison->a, *b = comparison->b;
	const char *a_text = comparison->a_file->text + a->begin, *b_text = comparison->b_file->text + b->begin;
	const char *a_begin = memchr(a_text, '\n', a->end - a->begin), *b_begin = memchr(b_text, '\n', b->end - b->begin);
	size_t a_length = a_begin ? (size_t)(a_text + (a->end - a->begin) - a_begin) : 0;
	size_t b_length = b_begin ? (size_t)(b_text + (b->end - b->begin) - b_begin) : 0;

	return a_length == b_length && a_length && is_same_text(comparison, a_begin, b_begin, a_length);
}

static int compare_roles(struct comparison *comparison, const struct canon_role *a, const struct canon_role *b)
{
	comparison->a = a;
	comparison->b = b;
	comparison->totals->matched_roles++;
	if (is_identical(comparison)) {
		comparison->totals->kinds[DIFF_SAME] += a->ranges[CANON_MESSAGES].count + a->ranges[CANON_PACKETS].count;
		return 0;
	}
	canon_numbers_fini(&comparison->known);
	compare_setup(comparison);
	compare_level(comparison, CANON_MESSAGES);
	/* packets have separate names */
	canon_numbers_fini(&comparison->known);
	if (comparison->treatments->rules->level == CANON_PACKETS)
		compare_level(comparison, CANON_PACKETS);
	return comparison->error;
}

static int by_role(const void *left, const void *right)
{
	const struct canon_role *a = *(const struct canon_role *const *)left, *b = *(const struct canon_role *const *)right;
	int result = strcmp(a->role, b->role);

	return result ? result : a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Connections sorted by role, and the matches of those of a. */
struct roles {
	const struct canon_role **a, **b;
	size_t *counterpart; /* by index in a: index in b, or SIZE_MAX */
	bool *taken;         /* by index in b */
};

static const struct canon_role **sorted(const struct canon_file *file)
{
	const struct canon_role **roles = malloc((file->role_count + 1) * sizeof *roles);

	for (size_t i = 0; roles && i < file->role_count; i++)
		roles[i] = &file->roles[i];
	if (roles && file->role_count)
		qsort(roles, file->role_count, sizeof *roles, by_role);
	return roles;
}

/* Matches connections of one role: first those with equal content, then the others in order. */
static int pair_same_role(struct roles *roles, size_t a_begin, size_t a_end, size_t b_begin, size_t b_end)
{
	struct canon_numbers heads = { .unused = 0 };
	size_t *next = malloc((b_end - b_begin + 1) * sizeof *next), at = b_begin;
	int result = next ? 0 : -ENOMEM;

	for (size_t j = b_end; !result && j-- > b_begin;) {
		uint64_t *head = canon_numbers_find(&heads, 0, roles->b[j]->digest);

		next[j - b_begin] = head ? (size_t)*head : SIZE_MAX;
		if (!canon_numbers_set(&heads, 0, roles->b[j]->digest, j))
			result = -ENOMEM;
	}
	for (size_t i = a_begin; !result && i < a_end; i++) {
		uint64_t *head = canon_numbers_find(&heads, 0, roles->a[i]->digest);

		if (!head || *head == SIZE_MAX)
			continue;
		roles->counterpart[i] = (size_t)*head;
		roles->taken[*head] = true;
		*head = next[*head - b_begin];
	}
	for (size_t i = a_begin; !result && i < a_end; i++) {
		if (roles->counterpart[i] != SIZE_MAX)
			continue;
		while (at < b_end && roles->taken[at])
			at++;
		if (at == b_end)
			break;
		roles->counterpart[i] = at;
		roles->taken[at] = true;
	}
	canon_numbers_fini(&heads);
	free(next);
	return result;
}

static int pair_roles(struct roles *roles, size_t a_count, size_t b_count)
{
	size_t i = 0, j = 0;
	int result = 0;

	while (!result && i < a_count && j < b_count) {
		int order = strcmp(roles->a[i]->role, roles->b[j]->role);
		size_t a_end = i, b_end = j;

		if (order) {
			i += order < 0;
			j += order > 0;
			continue;
		}
		while (a_end < a_count && !strcmp(roles->a[a_end]->role, roles->a[i]->role))
			a_end++;
		while (b_end < b_count && !strcmp(roles->b[b_end]->role, roles->b[j]->role))
			b_end++;
		result = pair_same_role(roles, i, a_end, j, b_end);
		i = a_end;
		j = b_end;
	}
	return result;
}

/* A hash of a role; with `exchanged`, of the one whose client is its server. */
static uint64_t key_of_role(const char *role, bool exchanged)
{
	const char *at = role, *end = role + strlen(role);
	struct canon_token token, ends[2] = { { .value = "" }, { .value = "" } };
	uint64_t key = 0;

	while (canon_token_next(&at, end, &token))
		for (int i = 0; i < 2; i++)
			if (is_text(token.name, token.name_length, i ? "server" : "client", 6))
				ends[i] = token;
	for (at = role; canon_token_next(&at, end, &token);) {
		const struct canon_token *shown = &token;

		for (int i = 0; exchanged && i < 2; i++)
			if (token.name == ends[i].name)
				shown = &ends[!i];
		key = canon_mark(key, token.name, token.name_length);
		key = canon_mark(key, shown->value, shown->value_length);
	}
	return key;
}

static void note_alone(struct comparison *comparison, const struct roles *roles, size_t a_count, size_t b_count)
{
	for (size_t i = 0; i < a_count; i++)
		if (roles->counterpart[i] == SIZE_MAX && !canon_numbers_set(&comparison->alone, 0, key_of_role(roles->a[i]->role, false), 1))
			fail(comparison, -ENOMEM);
	for (size_t j = 0; j < b_count; j++)
		if (!roles->taken[j] && !canon_numbers_set(&comparison->alone, 1, key_of_role(roles->b[j]->role, false), 1))
			fail(comparison, -ENOMEM);
}

static void report_alone(struct comparison *comparison, enum diff_kind kind, const struct canon_role *role)
{
	struct diff_step step = { .kind = kind, .a = { .file = comparison->a_file }, .b = { .file = comparison->b_file } };
	bool is_of_a = kind == DIFF_CONNECTION_REMOVED;

	step.exchanged = canon_numbers_find(&comparison->alone, is_of_a, key_of_role(role->role, true));
	if (is_of_a)
		step.a.role = role;
	else
		step.b.role = role;
	report(comparison, &step);
}

/* Both sides sorted by role: connections of b only are reported at their position. */
static void compare_all(struct comparison *comparison, const struct roles *roles, size_t a_count, size_t b_count)
{
	size_t j = 0;

	note_alone(comparison, roles, a_count, b_count);
	for (size_t i = 0; i < a_count && !comparison->error; i++) {
		for (; j < b_count && strcmp(roles->b[j]->role, roles->a[i]->role) < 0; j++)
			if (!roles->taken[j])
				report_alone(comparison, DIFF_CONNECTION_ADDED, roles->b[j]);
		if (roles->counterpart[i] == SIZE_MAX)
			report_alone(comparison, DIFF_CONNECTION_REMOVED, roles->a[i]);
		else if (compare_roles(comparison, roles->a[i], roles->b[roles->counterpart[i]]))
			return;
	}
	for (; j < b_count && !comparison->error; j++)
		if (!roles->taken[j])
			report_alone(comparison, DIFF_CONNECTION_ADDED, roles->b[j]);
}

int diff_compare(const struct canon_file *a, const struct canon_file *b, struct canon_treatments *treatments, struct diff_form *form,
		 struct diff_totals *totals)
{
	struct comparison comparison = { .a_file = a, .b_file = b, .treatments = treatments, .form = form, .totals = totals };
	struct roles roles = { sorted(a), sorted(b), malloc((a->role_count + 1) * sizeof *roles.counterpart), calloc(b->role_count + 1, 1) };
	int result = -ENOMEM;

	*totals = (struct diff_totals){
		.a_roles = a->role_count, .b_roles = b->role_count,
		.a_lines = a->lines[0].count + a->lines[1].count, .b_lines = b->lines[0].count + b->lines[1].count,
	};
	if (!roles.a || !roles.b || !roles.counterpart || !roles.taken)
		goto out;
	memset(roles.counterpart, 0xff, (a->role_count + 1) * sizeof *roles.counterpart);
	result = pair_roles(&roles, a->role_count, b->role_count);
	if (result)
		goto out;
	compare_all(&comparison, &roles, a->role_count, b->role_count);
	result = comparison.error;
out:
	canon_numbers_fini(&comparison.known);
	canon_numbers_fini(&comparison.alone);
	free(comparison.changes);
	free(comparison.tokens);
	free(comparison.used);
	free(roles.a);
	free(roles.b);
	free(roles.counterpart);
	free(roles.taken);
	return result;
}

bool diff_differs(const struct diff_totals *totals)
{
	for (int kind = DIFF_CHANGED; kind < DIFF_KINDS; kind++)
		if (totals->kinds[kind])
			return true;
	return totals->changed_setups > 0;
}
