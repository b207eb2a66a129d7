/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compiles a display filter: recursive descent that emits nodes in the order of the text. The recursion is bounded by
 * FILTER_DEPTH_MAX parentheses; everything else is a loop.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/filter/filter_internal.h"
#include "dissect/filter/filter_lex.h"
#include "dissect/filter/filter_literal.h"
#include "dissect/filter/filter_suggest.h"

#define NAME_ROOM 128 /* no field has a longer name */

static void advance(struct filter_compiler *compiler)
{
	compiler->token = filter_lex(compiler->token.text + compiler->token.length);
}

static int expect(struct filter_compiler *compiler, char mark, const char *wanted)
{
	if (!filter_token_is(&compiler->token, mark))
		return filter_unexpected(compiler, &compiler->token, wanted);
	advance(compiler);
	return 0;
}

static int emit(struct rtap_filter *filter, struct filter_node node)
{
	void *grown = filter_grow(filter->nodes, filter->node_count, 1, &filter->node_room, sizeof node);

	if (!grown)
		return -ENOMEM;
	filter->nodes = grown;
	filter->nodes[filter->node_count++] = node;
	return 0;
}

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

/* Bits of the largest value. What is derived may be larger than its bits in the header, as lengths in words are. */
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
	default: return known ? (uint8_t)((field->bit_width + 7) / 8 * 8) : 64;
	}
}

static int add_source(struct rtap_filter *filter, struct filter_operand *operand, struct filter_source source)
{
	void *grown = filter_grow(filter->sources, filter->source_count, 1, &filter->source_room, sizeof source);

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
		void *grown = filter_grow(filter->words, filter->word_count, size, &filter->word_room,
					  sizeof *filter->words);

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
			 struct filter_subject *subject, const uint8_t *numbers, size_t count)
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
	const char *meant = filter_suggest_field(name);
	char quoted[FILTER_QUOTED_MAX];

	filter_token_quote(&compiler->token, quoted);
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

#define MOST_IDS 256

static int parse_name(struct filter_compiler *compiler, struct filter_operand *operand, struct filter_subject *subject)
{
	rtap_field_id ids[MOST_IDS];
	uint8_t numbers[MOST_IDS];
	char name[NAME_ROOM];
	size_t count;
	int status;

	if (compiler->token.type != FILTER_TOKEN_WORD)
		return filter_unexpected(compiler, &compiler->token, "the name of a field or protocol");
	copy_name(&compiler->token, name);
	subject->name = compiler->token;
	count = rtap_field_find(name, ids, MOST_IDS);
	if (count) {
		status = add_fields(compiler, operand, subject, ids, count < MOST_IDS ? count : MOST_IDS);
	} else {
		count = rtap_protocol_find(name, numbers, MOST_IDS);
		if (!count)
			return fail_unknown(compiler, name);
		status = add_protocols(compiler, operand, subject, numbers, count < MOST_IDS ? count : MOST_IDS);
	}
	if (!status)
		advance(compiler);
	return status;
}

/* Reads digits from *text and advances past them; FILTER_NOWHERE if there are none or too many. */
static uint32_t slice_number(const char **text, const char *end)
{
	uint32_t number = FILTER_NOWHERE;

	for (; *text < end && **text >= '0' && **text <= '9'; (*text)++) {
		if (number == FILTER_NOWHERE)
			number = 0;
		number = number > FILTER_TEXT_MAX ? number : number * 10 + (uint32_t)(**text - '0');
	}
	return number > FILTER_TEXT_MAX ? FILTER_NOWHERE : number;
}

/* The text between [ and ]: "start:length", "first-last", "start:", ":length" or "start". */
static bool read_slice(const struct filter_token *token, struct filter_operand *operand)
{
	const char *text = token->text, *end = token->text + token->length;
	bool leading = token->length && *text == ':';
	uint32_t start = leading ? 0 : slice_number(&text, end), second;
	char sign = text < end ? *text++ : 0;

	if (start == FILTER_NOWHERE || (sign && sign != ':' && sign != '-'))
		return false;
	operand->sliced = true;
	operand->slice_start = start;
	operand->slice_length = sign ? FILTER_NOWHERE : 1;
	if (text == end)
		return sign != '-' && !(leading && sign);
	second = slice_number(&text, end);
	if (text != end || second == FILTER_NOWHERE || (sign == ':' && !second) || (sign == '-' && second < start))
		return false;
	operand->slice_length = sign == '-' ? second - start + 1 : second;
	return true;
}

static int parse_slice(struct filter_compiler *compiler, struct filter_operand *operand, struct filter_subject *subject)
{
	struct filter_token bracket = compiler->token;
	char quoted[FILTER_QUOTED_MAX];

	if (!filter_kind_is_bytes(operand->kind))
		return filter_fail(compiler, bracket.text, "%s (%s) has no bytes to take a slice of",
				   filter_token_quote(&subject->name, quoted), subject->type);
	advance(compiler);
	if (compiler->token.type != FILTER_TOKEN_WORD || !read_slice(&compiler->token, operand))
		return filter_unexpected(compiler, &compiler->token,
					 "a slice such as 0:4 (start:length), 0-3 (first-last), 2: or 5");
	advance(compiler);
	subject->kind = FILTER_KIND_BYTES;
	subject->type = "slice";
	return expect(compiler, ']', "the slice's \"]\"");
}

static int parse_mask(struct filter_compiler *compiler, struct filter_operand *operand, struct filter_subject *subject)
{
	char quoted[FILTER_QUOTED_MAX];
	int status;

	if (subject->kind != FILTER_KIND_NUMBER)
		return filter_fail(compiler, compiler->token.text, "%s (%s) is not a number and has no bits for &",
				   filter_token_quote(&subject->name, quoted), subject->type);
	subject->names = NULL;
	advance(compiler);
	status = filter_literal_unsigned(compiler, subject, &compiler->token, &operand->mask);
	if (!status)
		advance(compiler);
	return status;
}

/* A name with its slice or mask, stored as one more operand. */
static int parse_operand(struct filter_compiler *compiler, struct filter_subject *subject, bool *masked)
{
	struct rtap_filter *filter = compiler->filter;
	struct filter_operand operand = { .mask = UINT64_MAX, .source = filter->source_count, .wanted = FILTER_NOWHERE };
	void *grown;
	int status;

	*subject = (struct filter_subject){ 0 };
	status = parse_name(compiler, &operand, subject);
	subject->kind = operand.kind;
	if (!status && filter_token_is(&compiler->token, '['))
		status = parse_slice(compiler, &operand, subject);
	*masked = !status && compiler->token.type == FILTER_TOKEN_MASK;
	if (*masked)
		status = parse_mask(compiler, &operand, subject);
	if (status)
		return status;
	grown = filter_grow(filter->operands, filter->operand_count, 1, &filter->operand_room, sizeof operand);
	if (!grown)
		return -ENOMEM;
	filter->operands = grown;
	filter->operands[filter->operand_count++] = operand;
	return 0;
}

/* A name of a field on the right: literals with a dot in them begin with a digit or are no field's name. */
static bool is_field(const struct filter_token *token)
{
	rtap_field_id id;
	char name[NAME_ROOM];

	copy_name(token, name);
	return token->type == FILTER_TOKEN_WORD && strchr(name, '.') && rtap_field_find(name, &id, 1);
}

static int parse_right_field(struct filter_compiler *compiler, const struct filter_subject *left,
			     struct filter_node *node)
{
	struct filter_subject right;
	char left_name[FILTER_QUOTED_MAX], right_name[FILTER_QUOTED_MAX];
	bool masked;
	int status;

	node->action = FILTER_TEST_FIELD;
	node->first = compiler->filter->operand_count;
	status = parse_operand(compiler, &right, &masked);
	if (status || left->kind == right.kind ||
	    (left->kind >= FILTER_KIND_BYTES && right.kind >= FILTER_KIND_BYTES))
		return status;
	return filter_fail(compiler, right.name.text, "%s (%s) and %s (%s) are of different types",
			   filter_token_quote(&left->name, left_name), left->type,
			   filter_token_quote(&right.name, right_name), right.type);
}

static int parse_comparison(struct filter_compiler *compiler, struct filter_subject *subject, struct filter_node *node)
{
	struct filter_token operation = compiler->token;
	char quoted[FILTER_QUOTED_MAX];
	bool ordered, contains = operation.comparison == FILTER_CONTAINS;
	int status;

	ordered = !contains && operation.comparison != FILTER_EQ && operation.comparison != FILTER_NE;
	node->comparison = operation.comparison;
	if (contains && !filter_kind_is_bytes(subject->kind))
		return filter_fail(compiler, operation.text, "%s (%s) is not bytes or text, so it contains nothing",
				   filter_token_quote(&subject->name, quoted), subject->type);
	if (contains && subject->kind != FILTER_KIND_TEXT)
		subject->kind = FILTER_KIND_BYTES;
	advance(compiler);
	if (is_field(&compiler->token))
		return parse_right_field(compiler, subject, node);
	if (ordered && compiler->token.type == FILTER_TOKEN_TEXT && subject->names)
		return filter_fail(compiler, compiler->token.text,
				   "names have no order: compare with a number, or by == or !=");
	node->first = compiler->filter->value_count;
	status = filter_literal_add(compiler, subject, &compiler->token);
	node->count = compiler->filter->value_count - node->first;
	if (!status)
		advance(compiler);
	return status;
}

static int parse_element(struct filter_compiler *compiler, const struct filter_subject *subject)
{
	struct filter_token low = compiler->token;
	int status;

	advance(compiler);
	if (compiler->token.type != FILTER_TOKEN_RANGE)
		return filter_literal_add(compiler, subject, &low);
	if (low.type == FILTER_TOKEN_TEXT && subject->names)
		return filter_fail(compiler, low.text, "names have no order: a range goes from one number to another");
	advance(compiler);
	status = filter_literal_add_range(compiler, subject, &low, &compiler->token);
	if (!status)
		advance(compiler);
	return status;
}

static int parse_set(struct filter_compiler *compiler, const struct filter_subject *subject, struct filter_node *node)
{
	int status = expect(compiler, '{', "a set such as {1, 2, 5..7}");

	node->comparison = FILTER_EQ;
	node->first = compiler->filter->value_count;
	while (!status) {
		status = parse_element(compiler, subject);
		if (!status && filter_token_is(&compiler->token, '}'))
			break;
		if (!status && filter_token_is(&compiler->token, ','))
			advance(compiler);
	}
	if (!status)
		advance(compiler);
	node->count = compiler->filter->value_count - node->first;
	return status;
}

static int parse_test(struct filter_compiler *compiler)
{
	struct filter_node node = { .action = FILTER_TEST, .operand = compiler->filter->operand_count };
	struct filter_subject subject;
	char quoted[FILTER_QUOTED_MAX];
	bool masked, inverted = false;
	int status = parse_operand(compiler, &subject, &masked);

	if (status)
		return status;
	node.comparison = masked ? FILTER_BITS : FILTER_PRESENT;
	if (compiler->token.type == FILTER_TOKEN_NOT) {
		inverted = true;
		advance(compiler);
		if (compiler->token.type != FILTER_TOKEN_IN)
			return filter_unexpected(compiler, &compiler->token, "\"in\" (as in \"not in\")");
	}
	if (compiler->token.type == FILTER_TOKEN_COMPARISON || compiler->token.type == FILTER_TOKEN_IN) {
		if (subject.kind == FILTER_KIND_NONE)
			return filter_fail(compiler, compiler->token.text, "%s has no value to compare; it is there or not",
					   filter_token_quote(&subject.name, quoted));
	}
	if (compiler->token.type == FILTER_TOKEN_COMPARISON) {
		status = parse_comparison(compiler, &subject, &node);
	} else if (compiler->token.type == FILTER_TOKEN_IN) {
		advance(compiler);
		status = parse_set(compiler, &subject, &node);
	}
	if (!status)
		status = emit(compiler->filter, node);
	if (!status && inverted)
		status = emit(compiler->filter, (struct filter_node){ .action = FILTER_INVERT });
	return status;
}

static int parse_or(struct filter_compiler *compiler);

static int parse_primary(struct filter_compiler *compiler)
{
	int status;

	if (!filter_token_is(&compiler->token, '('))
		return parse_test(compiler);
	if (++compiler->depth > FILTER_DEPTH_MAX)
		return filter_fail(compiler, compiler->token.text, "more than %d parentheses inside each other",
				   FILTER_DEPTH_MAX);
	advance(compiler);
	status = parse_or(compiler);
	if (!status)
		status = expect(compiler, ')', "\"and\", \"or\" or \")\"");
	compiler->depth--;
	return status;
}

static int parse_not(struct filter_compiler *compiler)
{
	bool inverted = false;
	int status;

	for (; compiler->token.type == FILTER_TOKEN_NOT; advance(compiler))
		inverted = !inverted;
	status = parse_primary(compiler);
	if (!status && inverted)
		status = emit(compiler->filter, (struct filter_node){ .action = FILTER_INVERT });
	return status;
}

/* Operands of one operator; each jumps over the next one when it decides. */
static int parse_chain(struct filter_compiler *compiler, enum filter_token_type between, enum filter_action skip,
		       int (*parse)(struct filter_compiler *compiler))
{
	struct rtap_filter *filter = compiler->filter;
	int status = parse(compiler);

	while (!status && compiler->token.type == between) {
		uint32_t jump = filter->node_count;

		advance(compiler);
		status = emit(filter, (struct filter_node){ .action = (uint8_t)skip });
		if (!status)
			status = parse(compiler);
		if (!status)
			filter->nodes[jump].first = filter->node_count;
	}
	return status;
}

static int parse_and(struct filter_compiler *compiler)
{
	return parse_chain(compiler, FILTER_TOKEN_AND, FILTER_SKIP_IF_FALSE, parse_not);
}

static int parse_or(struct filter_compiler *compiler)
{
	return parse_chain(compiler, FILTER_TOKEN_OR, FILTER_SKIP_IF_TRUE, parse_and);
}

static int parse_filter(struct filter_compiler *compiler)
{
	int status;

	if (strnlen(compiler->text, FILTER_TEXT_MAX + 1) > FILTER_TEXT_MAX)
		return filter_fail(compiler, compiler->text, "the filter is longer than %d bytes", FILTER_TEXT_MAX);
	compiler->token = filter_lex(compiler->text);
	if (compiler->token.type == FILTER_TOKEN_END)
		return 0;
	status = parse_or(compiler);
	if (status || compiler->token.type == FILTER_TOKEN_END)
		return status;
	if (filter_token_is(&compiler->token, ')'))
		return filter_fail(compiler, compiler->token.text, "\")\" closes a parenthesis that was not opened");
	return filter_unexpected(compiler, &compiler->token, "a comparison, \"and\", \"or\" or the filter's end");
}

enum rtap_status rtap_filter_compile(struct rtap_filter **filter, const char *text, unsigned *column,
				     struct rtap_error *error)
{
	struct filter_compiler compiler = { .text = text, .error = error, .column = 1 };
	int status = -ENOMEM;

	*filter = NULL;
	compiler.filter = calloc(1, sizeof *compiler.filter);
	if (compiler.filter)
		status = parse_filter(&compiler);
	if (!status) {
		*filter = compiler.filter;
		return RTAP_STATUS_OK;
	}
	if (status == -ENOMEM)
		rtap_error_set(error, RTAP_ERROR_MEMORY, "column %u: out of memory while compiling the filter", compiler.column);
	if (column)
		*column = compiler.column;
	rtap_filter_destroy(compiler.filter);
	return RTAP_STATUS_FAILED;
}
