/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dissect/filter/filter.h"
#include "dissect/filter/filter_parse.h"
#include "output/message/column_keys.h"
#include "output/message/record_filter.h"
#include "output/message/record_walk.h"

#define FIRST_ROOM 2048
#define SHORT_TEXT 512

static const struct record_kind_row {
	const char *command, *type, *prefix;
	bool without_packets;
} kinds[RECORD_KIND_COUNT] = {
#define RECORD_KIND_ROW(identifier, command, type, prefix, without_packets) { command, type, prefix, without_packets },
	RECORD_KINDS(RECORD_KIND_ROW)
#undef RECORD_KIND_ROW
};

struct key_type {
	const char *name;      /* in doc/json.md */
	enum filter_key_type type;
	const char *shown, *json;
};

static const struct key_type *find_type(const struct column_key *key)
{
	static const struct key_type types[] = {
		{ "number", FILTER_KEY_NUMBER, "number", "number" }, { "nanoseconds", FILTER_KEY_NUMBER, "number", "number" },
		{ "seconds", FILTER_KEY_SECONDS, "seconds", "number" }, { "decimal", FILTER_KEY_SECONDS, "seconds", "number" },
		{ "boolean", FILTER_KEY_BOOL, "bool", "boolean" }, { "time", FILTER_KEY_TIME, "time", "string" },
		{ "object", FILTER_KEY_NONE, "none", "object" }, { "array", FILTER_KEY_NONE, "none", "array" },
	};
	static const struct key_type text = { "text", FILTER_KEY_TEXT, "text", "string" };

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (!strcmp(types[i].name, key->type))
			return &types[i];
	return &text;
}

static enum filter_key_type type_of(const struct column_key *key)
{
	return find_type(key)->type;
}

struct scope {
	struct filter_scope scope; /* first */
	const struct column_key *keys;
};

static struct filter_key key_of(const struct filter_scope *scope, size_t index)
{
	const struct column_key *key = &((const struct scope *)scope)->keys[index];

	return (struct filter_key){ key->name, key->name ? type_of(key) : FILTER_KEY_NONE };
}

static const struct column_key *keys_of(const struct record_kind_row *kind)
{
	const struct column_keys *table = column_tables;

	while (table->command && (strcmp(table->command, kind->command) || !table->type != !kind->type ||
				  (table->type && strcmp(table->type, kind->type))))
		table++;
	return table->keys;
}

static void describe(const char *prefix, const struct column_key *key, struct record_filter_key *found)
{
	size_t length = strlen(prefix);

	memcpy(found->name, prefix, length);
	/* without the brackets of "missing[].offset" */
	for (const char *next = key->name; *next && length + 1 < sizeof found->name; next++)
		if (*next != '[' && *next != ']')
			found->name[length++] = *next;
	found->name[length] = 0;
	found->type = find_type(key)->shown;
	found->json_type = find_type(key)->json;
	found->meaning = key->meaning;
	found->is_array = strstr(key->name, "[]");
}

bool record_filter_key(const char *prefix, size_t index, struct record_filter_key *found)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		for (const struct column_key *key = keys_of(&kinds[i]); key->name; key++) {
			/* objects and arrays have no value of their own */
			if (type_of(key) == FILTER_KEY_NONE)
				continue;
			describe(kinds[i].prefix, key, found);
			if (!strncmp(found->name, prefix, strlen(prefix)) && !index--)
				return true;
		}
	}
	return false;
}

enum record_kind record_kind_of(const char *name)
{
	for (unsigned i = 0; i < RECORD_KIND_COUNT; i++)
		if (!strncmp(name, kinds[i].prefix, strlen(kinds[i].prefix)))
			return (enum record_kind)i;
	return RECORD_KIND_COUNT;
}

const char *record_kind_prefix(enum record_kind kind)
{
	return kinds[kind].prefix;
}

enum rtap_status record_filter_open_kind(struct record_filter *filter, enum record_kind kind, const char *text, struct rtap_error *error)
{
	struct scope scope = { { kinds[kind].prefix, key_of, kinds[kind].without_packets }, keys_of(&kinds[kind]) };

	filter->keys = scope.keys;
	return filter_open_scoped(&filter->filter, text, &scope.scope, error);
}

enum rtap_status record_filter_open(struct record_filter *filter, const char *command, const char *text, struct rtap_error *error)
{
	for (unsigned i = 0; i < RECORD_KIND_COUNT; i++)
		if (!kinds[i].type && !strcmp(kinds[i].command, command))
			return record_filter_open_kind(filter, (enum record_kind)i, text, error);
	return rtap_filter_open(&filter->filter, text, error);
}

void record_filter_close(struct record_filter *filter)
{
	rtap_filter_close(filter->filter);
	free(filter->text);
	*filter = (struct record_filter){ 0 };
}

/* Looks for the values of a key. */
struct search {
	struct record_walk walk; /* first */
	const struct column_key *key;
	enum filter_key_type type;
	bool (*take)(void *owner, const struct filter_record_value *value);
	void *owner;
	bool done;
};

/* A number with up to nine decimals, in units of 1 or, with `nano`, of 1e-9. */
static struct filter_record_value number_of(const char *text, size_t length, bool nano)
{
	struct filter_record_value value = { .negative = length && *text == '-' };
	unsigned decimals = 9;
	bool point = false;

	for (size_t i = value.negative; i < length; i++) {
		if (text[i] == '.') {
			point = true;
		} else if (text[i] >= '0' && text[i] <= '9' && (!point || decimals)) {
			value.number = value.number * 10 + (uint64_t)(text[i] - '0');
			decimals -= point;
		}
	}
	for (; nano && decimals; decimals--)
		value.number *= 10;
	value.negative &= value.number != 0;
	return value;
}

static unsigned hex_digit(char digit)
{
	return digit <= '9' ? (unsigned)(digit - '0') : (unsigned)((digit | 0x20) - 'a' + 10);
}

/* Undoes the escapes of JSON that the program writes; \u is of ASCII and of formatting characters below U+10000. */
static size_t unescape(const char *text, size_t length, char *to)
{
	static const char letters[] = "nrtbf", meant[] = "\n\r\t\b\f";
	char *begin = to;

	for (size_t i = 0; i < length; i++) {
		const char *found;
		unsigned code = 0;

		if (text[i] != '\\' || ++i == length) {
			*to++ = text[i < length ? i : length - 1];
			continue;
		}
		if (text[i] != 'u' || i + 4 >= length) {
			found = strchr(letters, text[i]);
			*to++ = found && *found ? meant[found - letters] : text[i];
			continue;
		}
		for (unsigned j = 1; j <= 4; j++)
			code = code << 4 | (hex_digit(text[i + j]) & 0xf);
		i += 4;
		if (code < 0x80) {
			*to++ = (char)code;
		} else if (code < 0x800) {
			*to++ = (char)(0xc0 | code >> 6);
			*to++ = (char)(0x80 | (code & 0x3f));
		} else {
			*to++ = (char)(0xe0 | code >> 12);
			*to++ = (char)(0x80 | (code >> 6 & 0x3f));
			*to++ = (char)(0x80 | (code & 0x3f));
		}
	}
	return (size_t)(to - begin);
}

static void take_text(struct search *search, const char *text, size_t length)
{
	struct filter_record_value value = { .text = { (const uint8_t *)text, (uint32_t)length } };
	char own[SHORT_TEXT], *room = own;

	if (memchr(text, '\\', length)) {
		room = length <= sizeof own ? own : malloc(length);
		if (!room)
			return;
		value.text = (struct rtap_span){ (const uint8_t *)room, (uint32_t)unescape(text, length, room) };
	}
	search->done = !search->take(search->owner, &value);
	if (room != own)
		free(room);
}

static void take_value(struct record_walk *walk, const char *name, const char *begin, size_t length)
{
	struct search *search = (struct search *)walk;
	bool is_string = *begin == '"';
	struct filter_record_value value = { 0 };

	if (search->done || !record_is_named(search->key->name, name) || (length == 2 && *begin == '['))
		return;
	begin += is_string;
	length -= 2 * is_string;
	switch (search->type) {
	case FILTER_KEY_TEXT:
		take_text(search, begin, length);
		return;
	case FILTER_KEY_BOOL:
		value.number = *begin == 't';
		break;
	case FILTER_KEY_NONE:
		break;
	default:
		value = number_of(begin, length, search->type != FILTER_KEY_NUMBER);
	}
	search->done = !search->take(search->owner, &value);
}

struct record {
	struct filter_record record; /* first */
	const struct record_filter *filter;
};

static void values(const struct filter_record *record, uint32_t key, bool (*take)(void *owner, const struct filter_record_value *value),
		   void *owner)
{
	const struct record_filter *filter = ((const struct record *)record)->filter;
	struct search search = { .key = &filter->keys[key], .type = type_of(&filter->keys[key]), .take = take, .owner = owner };

	search.walk.value = take_value;
	record_walk(&search.walk, filter->text);
}

bool record_filter_write(struct record_filter *filter, void (*json)(const void *what, struct line *line), const void *what)
{
	for (size_t room = FIRST_ROOM;; room = 2 * filter->room) {
		char *text = array_grow(filter->text, &filter->room, room, 1);
		struct line line;

		if (!text)
			return false;
		filter->text = text;
		line_init(&line, filter->text, filter->room);
		json(what, &line);
		if (!line.cut)
			return true;
	}
}

bool record_filter_match(struct record_filter *filter, void (*json)(const void *what, struct line *line), const void *what)
{
	struct record record = { { values }, filter };

	if (!filter_tests_records(filter->filter))
		return true;
	return record_filter_write(filter, json, what) && filter_match_record(filter->filter, &record.record);
}
