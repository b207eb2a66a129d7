/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parses what a display filter compares: fields with slices, functions, and arithmetic, in which & binds least, then + and -, then
 * * / and %, then a minus sign.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "dissect/filter/filter_field.h"
#include "dissect/filter/filter_operand.h"

void filter_advance(struct filter_compiler *compiler)
{
	compiler->token = filter_lex(compiler->token.text + compiler->token.length);
}

int filter_expect(struct filter_compiler *compiler, char mark, const char *wanted)
{
	if (!filter_token_is(&compiler->token, mark))
		return filter_unexpected(compiler, &compiler->token, wanted);
	filter_advance(compiler);
	return 0;
}

/* Appends the operand; *index is its number. */
static int add_operand(struct filter_compiler *compiler, const struct filter_operand *operand, uint32_t *index)
{
	struct rtap_filter *filter = compiler->filter;
	void *grown = array_grow(filter->operands, &filter->operand_room, filter->operand_count + 1, sizeof *operand);

	if (!grown)
		return -ENOMEM;
	filter->operands = grown;
	*index = filter->operand_count++;
	filter->operands[*index] = *operand;
	if (operand->depth > FILTER_OPERAND_DEPTH_MAX)
		return filter_fail(compiler, compiler->token.text, "more than %d operations on each other's results", FILTER_OPERAND_DEPTH_MAX);
	return 0;
}

/* Replaces the operand *index by an operation on it. */
static int wrap(struct filter_compiler *compiler, enum filter_operation operation, enum filter_kind kind, uint32_t *index)
{
	const struct filter_operand *inner = &compiler->filter->operands[*index];
	struct filter_operand outer = {
		.operation = (uint8_t)operation, .kind = (uint8_t)kind, .left = *index, .depth = (uint8_t)(inner->depth + 1),
		.temporary = operation == FILTER_UPPER || operation == FILTER_LOWER || inner->temporary,
	};

	return add_operand(compiler, &outer, index);
}

/* Digits from *text, advancing past them; FILTER_NOWHERE if there are none or too many. */
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

/* A range between [ ] and commas: "start:length", "first-last", "start:", ":length" or "start"; -1 is the last byte. */
static bool read_range(const struct filter_token *token, struct filter_range *range)
{
	const char *text = token->text, *end = token->text + token->length;
	bool leading = token->length && *text == ':';
	uint32_t second;
	char sign;

	range->from_end = token->length && *text == '-';
	text += range->from_end;
	range->start = leading ? 0 : slice_number(&text, end);
	sign = text < end ? *text++ : 0;
	if (range->start == FILTER_NOWHERE || (range->from_end && !range->start) || (sign && sign != ':' && sign != '-'))
		return false;
	range->length = sign ? FILTER_NOWHERE : 1;
	if (text == end)
		return sign != '-' && !(leading && sign);
	second = slice_number(&text, end);
	if (text != end || second == FILTER_NOWHERE || (sign == ':' && !second) || (sign == '-' && (range->from_end || second < range->start)))
		return false;
	range->length = sign == '-' ? second - range->start + 1 : second;
	return true;
}

static int parse_range(struct filter_compiler *compiler)
{
	struct rtap_filter *filter = compiler->filter;
	struct filter_range range;
	void *grown;

	if (compiler->token.type != FILTER_TOKEN_WORD || !read_range(&compiler->token, &range))
		return filter_unexpected(compiler, &compiler->token,
					 "a slice such as 0:4 (start:length), 0-3 (first-last), 2:, 5 or -4:2 (from the end)");
	grown = array_grow(filter->ranges, &filter->range_room, filter->range_count + 1, sizeof range);
	if (!grown)
		return -ENOMEM;
	filter->ranges = grown;
	filter->ranges[filter->range_count++] = range;
	filter_advance(compiler);
	return 0;
}

static int parse_slice(struct filter_compiler *compiler, struct filter_subject *subject, uint32_t *index)
{
	struct filter_operand slice = { .operation = FILTER_SLICE, .kind = FILTER_KIND_BYTES, .left = *index };
	char quoted[FILTER_QUOTED_MAX];
	int status;

	if (!filter_kind_is_bytes(subject->kind))
		return filter_fail(compiler, compiler->token.text, "%s (%s) has no bytes to take a slice of",
				   filter_token_quote(&subject->name, quoted), subject->type);
	slice.right = compiler->filter->range_count;
	do {
		filter_advance(compiler);
		status = parse_range(compiler);
	} while (!status && filter_token_is(&compiler->token, ','));
	if (!status)
		status = filter_expect(compiler, ']', "the slice's \"]\"");
	if (status)
		return status;
	slice.count = compiler->filter->range_count - slice.right;
	slice.depth = (uint8_t)(compiler->filter->operands[*index].depth + 1);
	slice.temporary = slice.count > 1 || compiler->filter->operands[*index].temporary;
	subject->kind = FILTER_KIND_BYTES;
	subject->type = "slice";
	subject->names = NULL;
	return add_operand(compiler, &slice, index);
}

/* Numbers of layers: "2", or "2-4" in brackets. */
static bool read_layers(const struct filter_token *token, bool is_range, struct filter_operand *operand)
{
	const char *text = token->text, *end = token->text + token->length;
	uint32_t first = slice_number(&text, end), last = first;

	if (is_range && text < end && *text == '-') {
		text++;
		last = slice_number(&text, end);
	}
	if (text != end || !first || last < first || last > UINT8_MAX)
		return false;
	operand->first_layer = (uint8_t)first;
	operand->last_layer = (uint8_t)last;
	return true;
}

/* "#2", "#[2-4]" after a field. */
static int parse_layers(struct filter_compiler *compiler, struct filter_operand *operand)
{
	static const char wanted[] = "the number of a layer such as 2, or [2-4]";
	bool is_range;

	if (operand->operation != FILTER_FIELD)
		return filter_fail(compiler, compiler->token.text, "\"#\" selects layers of packets, which records do not have");
	filter_advance(compiler);
	is_range = filter_token_is(&compiler->token, '[');
	if (is_range)
		filter_advance(compiler);
	if (compiler->token.type != FILTER_TOKEN_WORD || !read_layers(&compiler->token, is_range, operand))
		return filter_unexpected(compiler, &compiler->token, wanted);
	filter_advance(compiler);
	return is_range ? filter_expect(compiler, ']', "the layers' \"]\"") : 0;
}

static int parse_name(struct filter_compiler *compiler, struct filter_subject *subject, uint32_t *index)
{
	struct filter_operand operand = { .source = compiler->filter->source_count, .wanted = FILTER_NOWHERE };
	int status = filter_field_parse(compiler, &operand, subject);

	compiler->names++;
	if (!status)
		filter_advance(compiler);
	if (!status && filter_token_is(&compiler->token, '#'))
		status = parse_layers(compiler, &operand);
	if (!status)
		status = add_operand(compiler, &operand, index);
	return status;
}

static const struct function {
	const char *name;
	enum filter_operation operation;
} functions[] = {
	{ "upper", FILTER_UPPER }, { "lower", FILTER_LOWER }, { "len", FILTER_LENGTH }, { "count", FILTER_COUNT },
	{ "abs", FILTER_ABSOLUTE }, { "min", FILTER_MINIMUM }, { "max", FILTER_MAXIMUM },
};

static int enter(struct filter_compiler *compiler)
{
	if (++compiler->depth > FILTER_DEPTH_MAX)
		return filter_fail(compiler, compiler->token.text, "more than %d parentheses inside each other", FILTER_DEPTH_MAX);
	return 0;
}

static bool is_call(const struct filter_token *token)
{
	struct filter_token next = filter_lex(token->text + token->length);

	return token->type == FILTER_TOKEN_WORD && filter_token_is(&next, '(');
}

/* The arguments of min() and max() after the first one, which is *index. */
static int parse_extreme(struct filter_compiler *compiler, const struct function *function, struct filter_subject *subject, uint32_t *index)
{
	struct filter_operand extreme = { .operation = (uint8_t)function->operation, .kind = (uint8_t)subject->kind };
	char one[FILTER_QUOTED_MAX], other[FILTER_QUOTED_MAX];
	int status = 0;

	do {
		const struct filter_operand *operands = compiler->filter->operands;
		struct filter_subject next = *subject;

		extreme.left = *index;
		extreme.right = FILTER_NOWHERE;
		extreme.depth = operands[*index].depth;
		if (filter_token_is(&compiler->token, ',')) {
			filter_advance(compiler);
			status = filter_operand_parse(compiler, subject, &next, &extreme.right);
			operands = compiler->filter->operands;
			if (!status && operands[extreme.right].depth > extreme.depth)
				extreme.depth = operands[extreme.right].depth;
		}
		if (status)
			return status;
		if (!subject->kind || next.kind != subject->kind)
			return filter_fail(compiler, next.name.text, "%s() takes values of one type: %s is %s, %s is %s", function->name,
					   filter_token_quote(&subject->name, one), subject->type, filter_token_quote(&next.name, other), next.type);
		if (operands[*index].temporary || (extreme.right != FILTER_NOWHERE && operands[extreme.right].temporary))
			return filter_fail(compiler, next.name.text, "%s() takes fields, no masked addresses, upper() or lower()", function->name);
		extreme.depth++;
		status = add_operand(compiler, &extreme, index);
	} while (!status && filter_token_is(&compiler->token, ','));
	return status;
}

/* The operation of a function on its argument. */
static int apply(struct filter_compiler *compiler, const struct function *function, const struct filter_token *name,
		 struct filter_subject *subject, uint32_t *index)
{
	bool is_text = function->operation == FILTER_UPPER || function->operation == FILTER_LOWER;
	enum filter_kind kind = is_text ? FILTER_KIND_TEXT : FILTER_KIND_NUMBER;
	const char *type = is_text ? "text" : "number";
	char quoted[FILTER_QUOTED_MAX];
	int status;

	if (is_text && subject->kind != FILTER_KIND_TEXT)
		return filter_fail(compiler, subject->name.text, "%s (%s) is not text, which %s() takes",
				   filter_token_quote(&subject->name, quoted), subject->type, function->name);
	if (function->operation == FILTER_ABSOLUTE && subject->kind != FILTER_KIND_NUMBER && subject->kind != FILTER_KIND_SECONDS)
		return filter_fail(compiler, subject->name.text, "%s (%s) is not a number or duration, as abs() requires",
				   filter_token_quote(&subject->name, quoted), subject->type);
	if (function->operation >= FILTER_ABSOLUTE) {
		kind = subject->kind;
		type = subject->type;
	}
	status = function->operation >= FILTER_MINIMUM ? parse_extreme(compiler, function, subject, index) :
							 wrap(compiler, function->operation, kind, index);
	*subject = (struct filter_subject){ .name = *name, .type = type, .kind = (uint8_t)kind, .bits = 64, .computed = true };
	return status;
}

static int parse_call(struct filter_compiler *compiler, struct filter_subject *subject, uint32_t *index)
{
	const struct filter_token name = compiler->token;
	const struct function *function = functions, *end = functions + sizeof functions / sizeof functions[0];
	char quoted[FILTER_QUOTED_MAX];
	int status;

	while (function < end && (strlen(function->name) != name.length || strncasecmp(function->name, name.text, name.length)))
		function++;
	if (function == end && name.length == strlen("string") && !strncasecmp(name.text, "string", name.length))
		return filter_fail(compiler, name.text, "there is no string(): compare the value itself (numbers also with & and %%, addresses with masks "
				   "and slices), or print it (-T fields -e FIELD) and search there");
	if (function == end)
		return filter_fail(compiler, name.text, "%s is not a function (known: upper, lower, len, count, abs, min, max)", filter_token_quote(&name, quoted));
	filter_advance(compiler);
	status = enter(compiler);
	filter_advance(compiler);
	if (!status)
		status = filter_operand_parse(compiler, NULL, subject, index);
	compiler->depth--;
	if (!status)
		status = apply(compiler, function, &name, subject, index);
	return status ? status : filter_expect(compiler, ')', "the function's \")\"");
}

/* A literal in an expression has the type of the operand that it is combined or compared with. */
static int parse_literal(struct filter_compiler *compiler, const struct filter_subject *other, struct filter_subject *subject,
			 uint32_t *index)
{
	struct filter_operand operand = { .operation = FILTER_LITERAL, .left = compiler->filter->value_count };
	int status;

	*subject = (struct filter_subject){ .name = compiler->token, .type = "number", .kind = FILTER_KIND_NUMBER, .bits = 64 };
	if (other && (filter_kind_is_time(other->kind) || other->kind == FILTER_KIND_IPV4 || other->kind == FILTER_KIND_IPV6 ||
		      other->kind == FILTER_KIND_BYTES)) {
		subject->kind = other->kind == FILTER_KIND_TIME ? FILTER_KIND_SECONDS : other->kind;
		subject->type = other->type;
	}
	subject->computed = true;
	status = filter_literal_add(compiler, subject, &compiler->token);
	operand.kind = subject->kind;
	if (!status)
		status = add_operand(compiler, &operand, index);
	if (!status)
		filter_advance(compiler);
	return status;
}

static bool is_literal(const struct filter_compiler *compiler, const struct filter_token *token)
{
	bool digit = *token->text >= '0' && *token->text <= '9';

	return token->type == FILTER_TOKEN_WORD && (digit || memchr(token->text, ':', token->length)) && !filter_field_is(compiler, token);
}

static int parse_primary(struct filter_compiler *compiler, const struct filter_subject *other, struct filter_subject *subject,
			 uint32_t *index)
{
	int status = 0;

	if (filter_token_is(&compiler->token, '{')) {
		status = enter(compiler);
		filter_advance(compiler);
		if (!status)
			status = filter_operand_parse(compiler, other, subject, index);
		if (!status)
			status = filter_expect(compiler, '}', "\"}\"");
		subject->computed = true;
		compiler->depth--;
	} else if (is_call(&compiler->token)) {
		status = parse_call(compiler, subject, index);
	} else if (compiler->token.type == FILTER_TOKEN_WORD && *compiler->token.text == '-') {
		status = enter(compiler);
		compiler->token = filter_lex(compiler->token.text + 1);
		if (!status)
			status = parse_primary(compiler, other, subject, index);
		compiler->depth--;
		if (!status && subject->kind != FILTER_KIND_NUMBER && subject->kind != FILTER_KIND_SECONDS)
			return filter_fail(compiler, subject->name.text, "only numbers and durations have a minus sign");
		if (!status)
			status = wrap(compiler, FILTER_NEGATE, subject->kind, index);
		subject->computed = true;
		subject->names = NULL;
	} else if (is_literal(compiler, &compiler->token)) {
		status = parse_literal(compiler, other, subject, index);
	} else {
		status = parse_name(compiler, subject, index);
	}
	while (!status && filter_token_is(&compiler->token, '['))
		status = parse_slice(compiler, subject, index);
	return status;
}

/* The kind of the result, or NONE. */
static enum filter_kind kind_of_result(enum filter_operation operation, enum filter_kind left, enum filter_kind right)
{
	if (left == FILTER_KIND_NUMBER && right == FILTER_KIND_NUMBER)
		return FILTER_KIND_NUMBER;
	if (operation == FILTER_AND && left == FILTER_KIND_BYTES && right == FILTER_KIND_BYTES)
		return FILTER_KIND_BYTES;
	if (operation == FILTER_AND)
		return left == right && (left == FILTER_KIND_IPV4 || left == FILTER_KIND_IPV6) ? left : FILTER_KIND_NONE;
	if (!filter_kind_is_time(left) || !filter_kind_is_time(right))
		return FILTER_KIND_NONE;
	if (operation == FILTER_ADD)
		return left == FILTER_KIND_SECONDS || right == FILTER_KIND_SECONDS ? (left > right ? left : right) : FILTER_KIND_NONE;
	if (operation != FILTER_SUBTRACT || (left == FILTER_KIND_SECONDS && right == FILTER_KIND_TIME))
		return FILTER_KIND_NONE;
	return left == right ? FILTER_KIND_SECONDS : FILTER_KIND_TIME;
}

static int combine(struct filter_compiler *compiler, const struct filter_token *sign, struct filter_subject *left,
		   const struct filter_subject *right, uint32_t *index, uint32_t right_index)
{
	enum filter_operation operation = sign->comparison;
	const struct filter_operand *operands = compiler->filter->operands;
	struct filter_operand result = { .operation = (uint8_t)operation, .left = *index, .right = right_index };
	char one[FILTER_QUOTED_MAX], other[FILTER_QUOTED_MAX], what[FILTER_QUOTED_MAX];

	result.kind = (uint8_t)kind_of_result(operation, left->kind, right->kind);
	result.depth = (uint8_t)((operands[*index].depth > operands[right_index].depth ? operands[*index].depth : operands[right_index].depth) + 1);
	result.temporary = filter_kind_is_bytes(result.kind);
	if (!result.kind)
		return filter_fail(compiler, sign->text, "%s has no meaning between %s (%s) and %s (%s)", filter_token_quote(sign, what),
				   filter_token_quote(&left->name, one), left->type, filter_token_quote(&right->name, other), right->type);
	if (result.temporary && operands[right_index].operation != FILTER_LITERAL && operands[right_index].operation != FILTER_FIELD)
		return filter_fail(compiler, right->name.text, "a mask of addresses or bytes is a value or a field");
	left->names = NULL;
	left->computed = true;
	left->kind = result.kind;
	left->bits = result.kind == FILTER_KIND_NUMBER && operation == FILTER_AND ? left->bits : 64;
	return add_operand(compiler, &result, index);
}

/* Operators of one precedence. */
static int parse_chain(struct filter_compiler *compiler, const struct filter_subject *other, struct filter_subject *subject,
		       uint32_t *index, unsigned operations,
		       int (*parse)(struct filter_compiler *compiler, const struct filter_subject *other, struct filter_subject *subject,
				    uint32_t *index))
{
	int status = parse(compiler, other, subject, index);

	while (!status) {
		struct filter_token sign = filter_lex_operator(compiler->token.text);
		struct filter_subject right;
		uint32_t right_index;

		if (sign.type != FILTER_TOKEN_ARITHMETIC || !(operations >> sign.comparison & 1))
			break;
		compiler->token = sign;
		filter_advance(compiler);
		status = parse(compiler, subject->kind == FILTER_KIND_NUMBER && other ? other : subject, &right, &right_index);
		if (!status)
			status = combine(compiler, &sign, subject, &right, index, right_index);
	}
	return status;
}

static int parse_product(struct filter_compiler *compiler, const struct filter_subject *other, struct filter_subject *subject,
			 uint32_t *index)
{
	return parse_chain(compiler, other, subject, index, 1u << FILTER_MULTIPLY | 1u << FILTER_DIVIDE | 1u << FILTER_MODULO, parse_primary);
}

static int parse_sum(struct filter_compiler *compiler, const struct filter_subject *other, struct filter_subject *subject, uint32_t *index)
{
	return parse_chain(compiler, other, subject, index, 1u << FILTER_ADD | 1u << FILTER_SUBTRACT, parse_product);
}

int filter_operand_parse(struct filter_compiler *compiler, const struct filter_subject *other, struct filter_subject *subject,
			 uint32_t *index)
{
	*subject = (struct filter_subject){ 0 };
	return parse_chain(compiler, other, subject, index, 1u << FILTER_AND, parse_sum);
}

bool filter_operand_begins(const struct filter_compiler *compiler)
{
	const struct filter_token *token = &compiler->token;
	struct filter_token first = *token, next;

	if (filter_token_is(token, '{') || is_call(token) || filter_field_is(compiler, token))
		return true;
	if (token->type != FILTER_TOKEN_WORD)
		return false;
	if (*token->text == '-')
		first = filter_lex(token->text + 1);
	if (filter_field_is(compiler, &first))
		return true;
	next = filter_lex_operator(first.text + first.length);
	return is_literal(compiler, &first) && next.type == FILTER_TOKEN_ARITHMETIC;
}
