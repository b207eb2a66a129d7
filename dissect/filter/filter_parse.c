/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compiles a display filter: recursive descent that emits nodes in the order of the text. The recursion is bounded by
 * FILTER_DEPTH_MAX parentheses; everything else is a loop.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "dissect/filter/filter_internal.h"
#include "dissect/filter/filter_lex.h"
#include "dissect/filter/filter_literal.h"
#include "dissect/filter/filter_operand.h"
#include "dissect/filter/filter_parse.h"
#include "dissect/filter/filter_record.h"

static int emit(struct rtap_filter *filter, struct filter_node node)
{
	void *grown = array_grow(filter->nodes, &filter->node_room, filter->node_count + 1, sizeof node);

	if (!grown)
		return -ENOMEM;
	filter->nodes = grown;
	filter->nodes[filter->node_count++] = node;
	return 0;
}

static int parse_right_operand(struct filter_compiler *compiler, const struct filter_subject *left, struct filter_node *node)
{
	struct filter_subject right;
	char left_name[FILTER_QUOTED_MAX], right_name[FILTER_QUOTED_MAX];
	int status;

	node->action = FILTER_TEST_OPERAND;
	status = filter_operand_parse(compiler, left, &right, &node->first);
	if (status || left->kind == right.kind || (filter_kind_is_time(left->kind) && filter_kind_is_time(right.kind)) ||
	    (left->kind >= FILTER_KIND_BYTES && right.kind >= FILTER_KIND_BYTES))
		return status;
	return filter_fail(compiler, right.name.text, "%s (%s) and %s (%s) are of different types",
			   filter_token_quote(&left->name, left_name), left->type,
			   filter_token_quote(&right.name, right_name), right.type);
}

static int parse_matches(struct filter_compiler *compiler, struct filter_node *node)
{
	int status;

	filter_advance(compiler);
	node->first = compiler->filter->regex_count;
	status = filter_literal_add_regex(compiler, &compiler->token);
	if (!status)
		filter_advance(compiler);
	return status;
}

static int parse_comparison(struct filter_compiler *compiler, struct filter_subject *subject, struct filter_node *node)
{
	struct filter_token operation = compiler->token;
	char quoted[FILTER_QUOTED_MAX];
	bool contains = operation.comparison == FILTER_CONTAINS, matches = operation.comparison == FILTER_MATCHES;
	bool ordered = !contains && operation.comparison != FILTER_EQ;
	int status;

	node->comparison = operation.comparison;
	node->negated = operation.negated;
	node->all = operation.all;
	if ((contains || matches) && !filter_kind_is_bytes(subject->kind))
		return filter_fail(compiler, operation.text, "%s (%s) is not bytes or text, so it %s nothing",
				   filter_token_quote(&subject->name, quoted), subject->type, matches ? "matches" : "contains");
	if (matches)
		return parse_matches(compiler, node);
	if (contains && subject->kind != FILTER_KIND_TEXT)
		subject->kind = FILTER_KIND_BYTES;
	filter_advance(compiler);
	if (filter_operand_begins(compiler))
		return parse_right_operand(compiler, subject, node);
	if (ordered && compiler->token.type == FILTER_TOKEN_TEXT && subject->names)
		return filter_fail(compiler, compiler->token.text,
				   "names have no order: compare with a number, or by == or !=");
	node->first = compiler->filter->value_count;
	status = filter_literal_add(compiler, subject, &compiler->token);
	node->count = compiler->filter->value_count - node->first;
	if (!status)
		filter_advance(compiler);
	return status;
}

static int parse_element(struct filter_compiler *compiler, const struct filter_subject *subject)
{
	struct filter_token low = compiler->token;
	int status;

	filter_advance(compiler);
	if (compiler->token.type != FILTER_TOKEN_RANGE)
		return filter_literal_add(compiler, subject, &low);
	if (low.type == FILTER_TOKEN_TEXT && subject->names)
		return filter_fail(compiler, low.text, "names have no order: a range goes from one number to another");
	filter_advance(compiler);
	status = filter_literal_add_range(compiler, subject, &low, &compiler->token);
	if (!status)
		filter_advance(compiler);
	return status;
}

static int parse_set(struct filter_compiler *compiler, const struct filter_subject *subject, struct filter_node *node)
{
	int status = filter_expect(compiler, '{', "a set such as {1, 2, 5..7}");

	node->comparison = FILTER_EQ;
	node->first = compiler->filter->value_count;
	while (!status) {
		status = parse_element(compiler, subject);
		if (!status && filter_token_is(&compiler->token, '}'))
			break;
		if (!status && filter_token_is(&compiler->token, ','))
			filter_advance(compiler);
	}
	if (!status)
		filter_advance(compiler);
	node->count = compiler->filter->value_count - node->first;
	return status;
}

enum quantifier { NONE, ANY, ALL };

/* "any" and "all" before a field. */
static enum quantifier parse_quantifier(struct filter_compiler *compiler)
{
	const struct filter_token *token = &compiler->token;
	bool any = token->type == FILTER_TOKEN_WORD && token->length == 3 && !strncasecmp(token->text, "any", 3);
	bool all = token->type == FILTER_TOKEN_WORD && token->length == 3 && !strncasecmp(token->text, "all", 3);

	if (any || all)
		filter_advance(compiler);
	return any ? ANY : all ? ALL : NONE;
}

/* A test without a comparison. */
static int finish_alone(struct filter_compiler *compiler, const struct filter_subject *subject, struct filter_node *node)
{
	node->comparison = FILTER_PRESENT;
	/* booleans of records are mostly present: without a comparison, the value is tested */
	if (subject->kind == FILTER_KIND_BOOL && compiler->filter->operands[node->operand].operation == FILTER_RECORD)
		node->comparison = FILTER_NOT_ZERO;
	if (!subject->computed)
		return 0;
	if ((subject->kind == FILTER_KIND_NUMBER && compiler->filter->operands[node->operand].operation >= FILTER_NEGATE) ||
	    compiler->filter->operands[node->operand].operation == FILTER_AND) {
		node->comparison = FILTER_NOT_ZERO;
		return 0;
	}
	return filter_unexpected(compiler, &compiler->token, "a comparison");
}

static int parse_test(struct filter_compiler *compiler)
{
	struct filter_node node = { .action = FILTER_TEST };
	enum quantifier quantifier = parse_quantifier(compiler);
	const uint32_t names = compiler->names;
	struct filter_subject subject;
	char quoted[FILTER_QUOTED_MAX];
	bool inverted = false;
	int status = filter_operand_parse(compiler, NULL, &subject, &node.operand);

	if (status)
		return status;
	if (compiler->names == names)
		return filter_fail(compiler, subject.name.text, "%s is not a field: a comparison begins with one",
				   filter_token_quote(&subject.name, quoted));
	if (compiler->token.type == FILTER_TOKEN_NOT) {
		inverted = true;
		filter_advance(compiler);
		if (compiler->token.type != FILTER_TOKEN_IN)
			return filter_unexpected(compiler, &compiler->token, "\"in\" (as in \"not in\")");
	}
	if (compiler->token.type == FILTER_TOKEN_COMPARISON || compiler->token.type == FILTER_TOKEN_IN) {
		if (subject.kind == FILTER_KIND_NONE)
			return filter_fail(compiler, compiler->token.text, "%s has no value to compare; it is there or not",
					   filter_token_quote(&subject.name, quoted));
	} else if (quantifier) {
		return filter_unexpected(compiler, &compiler->token, "a comparison, for \"any\" or \"all\" values,");
	}
	if (compiler->token.type == FILTER_TOKEN_COMPARISON) {
		status = parse_comparison(compiler, &subject, &node);
	} else if (compiler->token.type == FILTER_TOKEN_IN) {
		filter_advance(compiler);
		status = parse_set(compiler, &subject, &node);
	} else {
		status = finish_alone(compiler, &subject, &node);
	}
	if (quantifier)
		node.all = quantifier == ALL;
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
	filter_advance(compiler);
	status = parse_or(compiler);
	if (!status)
		status = filter_expect(compiler, ')', "\"and\", \"or\" or \")\"");
	compiler->depth--;
	return status;
}

static int parse_not(struct filter_compiler *compiler)
{
	bool inverted = false;
	int status;

	for (; compiler->token.type == FILTER_TOKEN_NOT; filter_advance(compiler))
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

		compiler->alternatives |= between == FILTER_TOKEN_OR && !compiler->depth;
		filter_advance(compiler);
		status = emit(filter, (struct filter_node){ .action = (uint8_t)skip });
		if (!status)
			status = parse(compiler);
		if (!status)
			filter->nodes[jump].first = filter->node_count;
	}
	return status;
}

static int fail_mixed(struct filter_compiler *compiler, const char *at)
{
	const char *prefix = compiler->scope->prefix;

	return filter_fail(compiler, at, "packet fields and keys of %.*ss are tested apart: join them with && outside of parentheses",
			   (int)strlen(prefix) - 1, prefix);
}

/*
 * With keys of records, a term of the outermost "and" is a part: it tests packets or records. Parts are true where they do not apply, so
 * that a packet and a record each decide about their own ones.
 */
static int parse_part(struct filter_compiler *compiler)
{
	const struct filter_token begin = compiler->token;
	uint32_t part = compiler->filter->node_count;
	int status;

	if (!compiler->scope || compiler->depth)
		return parse_not(compiler);
	compiler->packets = compiler->records = false;
	status = emit(compiler->filter, (struct filter_node){ .action = FILTER_PACKET_PART });
	if (!status)
		status = parse_not(compiler);
	if (status)
		return status;
	if (compiler->packets && compiler->records)
		return fail_mixed(compiler, begin.text);
	compiler->filter->nodes[part].action = compiler->records ? FILTER_RECORD_PART : FILTER_PACKET_PART;
	compiler->filter->nodes[part].first = compiler->filter->node_count;
	compiler->filter->tests_packets |= compiler->packets;
	compiler->filter->tests_records |= compiler->records;
	return 0;
}

static int parse_and(struct filter_compiler *compiler)
{
	return parse_chain(compiler, FILTER_TOKEN_AND, FILTER_SKIP_IF_FALSE, parse_part);
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
	if (status)
		return status;
	if (compiler->token.type == FILTER_TOKEN_END)
		return compiler->alternatives && compiler->filter->tests_packets && compiler->filter->tests_records ?
			       fail_mixed(compiler, compiler->text) : 0;
	if (filter_token_is(&compiler->token, ')'))
		return filter_fail(compiler, compiler->token.text, "\")\" closes a parenthesis that was not opened");
	return filter_unexpected(compiler, &compiler->token, "a comparison, \"and\", \"or\" or the filter's end");
}

enum rtap_status filter_open_scoped(struct rtap_filter **filter, const char *text, const struct filter_scope *scope, struct rtap_error *error)
{
	struct filter_compiler compiler = { .text = text, .error = error, .column = 1, .scope = scope };
	int status = -ENOMEM;

	*filter = NULL;
	compiler.filter = calloc(1, sizeof *compiler.filter);
	if (compiler.filter)
		status = parse_filter(&compiler);
	if (compiler.filter && !scope)
		compiler.filter->tests_packets = true;
	if (!status) {
		*filter = compiler.filter;
		return RTAP_STATUS_OK;
	}
	if (status == -ENOMEM)
		rtap_error_set(error, RTAP_ERROR_MEMORY, "column %u: out of memory while compiling the filter", compiler.column);
	if (error)
		error->column = compiler.column;
	rtap_filter_close(compiler.filter);
	return RTAP_STATUS_FAILED;
}

enum rtap_status rtap_filter_open(struct rtap_filter **filter, const char *text, struct rtap_error *error)
{
	return filter_open_scoped(filter, text, NULL, error);
}
