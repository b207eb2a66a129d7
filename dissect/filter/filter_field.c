/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fields and protocols that a name in a display filter stands for. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "dissect/filter/filter_field.h"
#include "dissect/filter/filter_record.h"
#include "dissect/filter/filter_suggest.h"

#define NAME_ROOM 128 /* no field has a longer name */

static enum filter_kind kind_of(const struct rtap_field *field)
{
	switch ((enum rtap_show)field->show) {
	case RTAP_NONE: return FILTER_KIND_NONE;
	case RTAP_DEC:
	case RTAP_HEX:
	case RTAP_HEX8:
	case RTAP_HEX16:
	case RTAP_HEX24:
	case RTAP_HEX32:
	case RTAP_HEX64: return FILTER_KIND_NUMBER;
	case RTAP_BOOL: return FILTER_KIND_BOOL;
	case RTAP_IPV4: return FILTER_KIND_IPV4;
	case RTAP_IPV6: return FILTER_KIND_IPV6;
	case RTAP_ETHER: return FILTER_KIND_ETHER;
	case RTAP_EUI64: return FILTER_KIND_EUI64;
	case RTAP_BYTES: return FILTER_KIND_BYTES;
	case RTAP_TEXT: return FILTER_KIND_TEXT;
	case RTAP_SECONDS: return FILTER_KIND_SECONDS;
	}
	return FILTER_KIND_NONE;
}

/* Bits of the largest value. Derived values may be larger than their bits in the header, such as lengths in words. */
static uint8_t bits_of(const struct rtap_field *field)
{
	bool known = field->bit_width && field->bit_width <= 64;

	if (field->show == RTAP_BOOL)
		return 1;
	if (known && !field->derive)
		return (uint8_t)field->bit_width;
	switch ((enum rtap_show)field->show) {
	case RTAP_HEX8: return 8;
	case RTAP_HEX16: return 16;
	case RTAP_HEX24: return 24;
	case RTAP_HEX32: return 32;
	default: return known ? (uint8_t)((field->bit_width + 7) / 8 * 8 + (field->flags & RTAP_WIDER ? 8 : 0)) : 64;
	}
}

static int add_source(struct rtap_filter *filter, struct filter_operand *operand, struct filter_source source)
{
	void *grown = array_grow(filter->sources, &filter->source_room, filter->source_count + 1, sizeof source);

	if (!grown)
		return -ENOMEM;
	filter->sources = grown;
	filter->sources[filter->source_count++] = source;
	operand->source_count++;
	operand->protocols[source.protocol / 64] |= (uint64_t)1 << source.protocol % 64;
	return 0;
}

/* The set of fields that a visit is to look for. */
static int add_wanted(struct rtap_filter *filter, struct filter_operand *operand, rtap_field_id id)
{
	uint32_t size = (uint32_t)(rtap_field_count() + 63) / 64;

	if (operand->wanted == FILTER_NOWHERE) {
		void *grown = array_grow(filter->words, &filter->word_room, filter->word_count + size, sizeof *filter->words);

		if (!grown)
			return -ENOMEM;
		filter->words = grown;
		operand->wanted = filter->word_count;
		filter->word_count += size;
		memset(filter->words + operand->wanted, 0, size * sizeof *filter->words);
	}
	filter->words[operand->wanted + id / 64] |= (uint64_t)1 << id % 64;
	return 0;
}

static int add_fields(struct filter_compiler *compiler, struct filter_operand *operand, struct filter_subject *subject,
		      const rtap_field_id *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct rtap_field *field = rtap_field_by_id(ids[i]);
		struct filter_source source = { .field = field, .id = ids[i], .protocol = rtap_field_protocol(ids[i]) };

		source.visited = rtap_protocol_by_number(source.protocol)->in_units || (field->flags & RTAP_UNPLACED && !field->derive);
		if (!i) {
			operand->kind = (uint8_t)kind_of(field);
			subject->type = rtap_field_type(field);
			subject->names = field->names;
		} else if (kind_of(field) != operand->kind) {
			return filter_fail(compiler, subject->name.text, "this name stands for fields of several types");
		}
		if (bits_of(field) > subject->bits)
			subject->bits = bits_of(field);
		if (add_source(compiler->filter, operand, source) ||
		    (source.visited && add_wanted(compiler->filter, operand, ids[i])))
			return -ENOMEM;
	}
	return 0;
}

static int add_protocols(struct filter_compiler *compiler, struct filter_operand *operand,
			 struct filter_subject *subject, const uint16_t *numbers, size_t count)
{
	operand->kind = FILTER_KIND_BYTES;
	subject->type = "protocol";
	for (size_t i = 0; i < count; i++)
		if (add_source(compiler->filter, operand, (struct filter_source){ .protocol = numbers[i] }))
			return -ENOMEM;
	return 0;
}

static int fail_unknown(struct filter_compiler *compiler, const char *name)
{
	static const char *const kinds[] = { "operation", "message", "connection" };
	const char *meant = filter_suggest_field(name);
	char quoted[FILTER_QUOTED_MAX];

	filter_token_quote(&compiler->token, quoted);
	if (compiler->scope && filter_suggest_key(name, compiler->scope))
		return filter_fail(compiler, compiler->token.text, "%s is not a field (did you mean %s%s?)", quoted, compiler->scope->prefix,
				   filter_suggest_key(name, compiler->scope));
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])) && name[strlen(kinds[i])] == '.')
			return filter_fail(compiler, compiler->token.text, "%s is for rdmatap %ss -Y, and not for packets", quoted, kinds[i]);
	if (!strncasecmp(name, "_ws.col.", 8))
		return filter_fail(compiler, compiler->token.text, "%s is a column for -e, not a field", quoted);
	if (strpbrk(name, "+-/"))
		return filter_fail(compiler, compiler->token.text, "%s is not a field (operators need spaces around them)", quoted);
	return filter_fail(compiler, compiler->token.text, "%s is not a field%s%s%s", quoted,
			   meant ? " (did you mean " : " (\"rdmatap fields\" lists all)", meant ? meant : "",
			   meant ? "?)" : "");
}

static void copy_name(const struct filter_token *token, char name[NAME_ROOM])
{
	uint32_t length = token->length < NAME_ROOM ? token->length : 0;

	memcpy(name, token->text, length);
	name[length] = 0;
}

/* Whether the name begins as the keys of the records do. */
static bool is_of_record(const struct filter_compiler *compiler, const char *name)
{
	return compiler->scope && !strncmp(name, compiler->scope->prefix, strlen(compiler->scope->prefix));
}

static bool same_key(const char *key, const char *name)
{
	/* "missing[].offset" is named without the brackets, which would be a slice */
	for (;; key++, name++) {
		while (*key == '[' || *key == ']')
			key++;
		if (*key != *name || !*key)
			return *key == *name;
	}
}

static int fail_key(struct filter_compiler *compiler, const char *name)
{
	const struct filter_scope *scope = compiler->scope;
	const char *meant = filter_suggest_key(name, scope);
	char quoted[FILTER_QUOTED_MAX];

	filter_token_quote(&compiler->token, quoted);
	if (meant)
		return filter_fail(compiler, compiler->token.text, "%s is not a key (did you mean %s%s?)", quoted, scope->prefix, meant);
	return filter_fail(compiler, compiler->token.text, "%s is not a key (\"rdmatap fields %s\" lists all)", quoted, scope->prefix);
}

static int fail_without_packets(struct filter_compiler *compiler, const char *name)
{
	const struct filter_scope *scope = compiler->scope;
	const char *meant = filter_suggest_key(name, scope);
	char quoted[FILTER_QUOTED_MAX];

	return filter_fail(compiler, compiler->token.text, "%s is not a key of %.*ss, and packet fields cannot be tested here (%s%s%s%s)",
			   filter_token_quote(&compiler->token, quoted), (int)strlen(scope->prefix) - 1, scope->prefix,
			   meant ? "did you mean " : "rdmatap fields ", scope->prefix, meant ? meant : "", meant ? "?" : "");
}

static int parse_key(struct filter_compiler *compiler, const char *name, struct filter_operand *operand, struct filter_subject *subject)
{
	static const struct {
		enum filter_kind kind;
		const char *type;
	} types[] = {
		[FILTER_KEY_NONE] = { FILTER_KIND_NONE, "none" }, [FILTER_KEY_NUMBER] = { FILTER_KIND_NUMBER, "number" },
		[FILTER_KEY_BOOL] = { FILTER_KIND_BOOL, "bool" }, [FILTER_KEY_SECONDS] = { FILTER_KIND_SECONDS, "seconds" },
		[FILTER_KEY_TIME] = { FILTER_KIND_TIME, "time" }, [FILTER_KEY_TEXT] = { FILTER_KIND_TEXT, "text" },
	};
	const struct filter_scope *scope = compiler->scope;
	struct filter_key key;
	bool found = false;

	name += strlen(scope->prefix);
	/* of an array "x" and its elements "x[]" the latter, if they have values */
	for (uint32_t i = 0; (key = scope->key(scope, i)).name; i++) {
		if (!same_key(key.name, name) || (found && key.type == FILTER_KEY_NONE))
			continue;
		found = true;
		operand->operation = FILTER_RECORD;
		operand->kind = (uint8_t)types[key.type].kind;
		operand->left = i;
		operand->size = 8;
		operand->temporary = key.type == FILTER_KEY_TEXT;
		subject->kind = operand->kind;
		subject->type = types[key.type].type;
		subject->bits = key.type == FILTER_KEY_BOOL ? 1 : 64;
		compiler->records = true;
	}
	return found ? 0 : fail_key(compiler, name - strlen(scope->prefix));
}

#define MOST_IDS 256

int filter_field_parse(struct filter_compiler *compiler, struct filter_operand *operand, struct filter_subject *subject)
{
	rtap_field_id ids[MOST_IDS];
	uint16_t numbers[MOST_IDS];
	char name[NAME_ROOM];
	bool is_date;
	size_t count;
	int status;

	if (compiler->token.type != FILTER_TOKEN_WORD)
		return filter_unexpected(compiler, &compiler->token, "the name of a field or protocol");
	copy_name(&compiler->token, name);
	subject->name = compiler->token;
	if (is_of_record(compiler, name))
		return parse_key(compiler, name, operand, subject);
	compiler->packets = true;
	if (compiler->scope && compiler->scope->without_packets)
		return fail_without_packets(compiler, name);
	is_date = !strcmp(name, "frame.time"); /* the same field, compared with dates */
	count = rtap_field_find(is_date ? "frame.time_epoch" : name, ids, MOST_IDS);
	if (count) {
		status = add_fields(compiler, operand, subject, ids, count < MOST_IDS ? count : MOST_IDS);
	} else {
		count = rtap_protocol_find(name, numbers, MOST_IDS);
		if (!count)
			return fail_unknown(compiler, name);
		status = add_protocols(compiler, operand, subject, numbers, count < MOST_IDS ? count : MOST_IDS);
	}
	if (is_date) {
		operand->kind = FILTER_KIND_TIME;
		subject->type = "time";
	}
	subject->kind = operand->kind;
	operand->size = (uint8_t)((subject->bits + 7) / 8);
	return status;
}

bool filter_field_is(const struct filter_compiler *compiler, const struct filter_token *token)
{
	rtap_field_id id;
	char name[NAME_ROOM];

	copy_name(token, name);
	if (token->type == FILTER_TOKEN_WORD && is_of_record(compiler, name))
		return true;
	return token->type == FILTER_TOKEN_WORD && strchr(name, '.') && rtap_field_find(name, &id, 1);
}
