/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Display filters: running a compiled filter. The language follows Wireshark's for the features that both have.
 *
 * FIELD or PROTOCOL alone: the packet has it. A BOOL field is present whether it is true or false. Some names denote
 * several fields (ip.addr for ip.src and ip.dst) or protocols (infiniband for all its headers).
 *
 * FIELD OPERATOR VALUE. A field may have several values in a packet:
 *   == eq any_eq       one is equal             != ne all_ne        there is one, and none is equal
 *   === all_eq         all are equal            !== ~= any_ne       one is not equal
 *   > gt  < lt  >= ge  <= le                    contains            one contains the bytes or text
 *   matches ~          one matches the regular expression: Perl's, without regard to case
 * "any" or "all" before the field: one value, or all of them and at least one, pass.
 * FIELD in {VALUE, VALUE..VALUE}: equal to one, or in one of the ranges, ends included. Commas may be left out.
 * FIELD not in {...}: the same as not (FIELD in {...}), so true also without the field.
 * FIELD OPERATOR FIELD: two fields of the same type; each pair of their values is compared.
 * FIELD[SLICE]: bytes of an address, bytes or text: [start:length], [first-last], [start:], [:length], [one], from 0, or
 *   from the end with a minus sign; several, separated by commas, are joined. A value that is too short has no such slice.
 * PROTOCOL[SLICE], PROTOCOL contains ... and the other comparisons take a protocol as the bytes from its header to the
 *   end of what was captured: frame[0:2] == 02:00, infiniband contains "nfs".
 * FIELD & NUMBER: one of these bits is set; FIELD & NUMBER == NUMBER: compares these bits only. Also "bitwise_and".
 * Arithmetic with + - * / % and &, which binds less than the others; braces group: {ip.len + 14} * 2 > frame.len.
 *   Numbers are exact; what does not fit 64 bits and a sign, and a quotient by 0, is no value. Times can be added and
 *   subtracted, addresses and slices (up to 64 bytes) masked: ip.src & 255.255.0.0 == 10.1.0.0, eth.dst[0] & 01. Without a
 *   comparison, the test is whether the result is not 0.
 * upper(TEXT), lower(TEXT), len(FIELD) in bytes, count(FIELD): how many values the packet has; without any, no result.
 * FIELD#2, FIELD#[2-3]: only the values in the second, or second and third, of the packet's layers of that protocol, from outside.
 * abs(NUMBER), min(FIELD, ...), max(FIELD, ...): of all values of all arguments, which are of one type; numbers, times, addresses, text.
 *
 * not or !, and or &&, or or ||, in this order of binding, and parentheses, up to 200 inside each other. A filter is up
 * to 65536 bytes. The empty filter passes everything. A test ends without a match after 1,048,576 combinations of values.
 *
 * Values:
 *   numbers     17, 0x11, 0b10001, 021 (octal); too large a number for the field is an error; a value name in quotes,
 *               case-insensitive, denotes every number with that name: infiniband.bth.opcode == "RC SEND Only"
 *   bool        true, false, 1, 0
 *   seconds     1, 1.5, -0.000001; up to nine decimals; 20ms, 1.5us, 30ns, 2s
 *   times       "2026-11-20 15:07:38.5", "2026-11-20T15:07Z", "Nov 20, 2026 15:07:38": local time, or UTC with Z or UTC
 *   IPv4, IPv6  10.0.0.1, 10.0.0.0/8, fe80::1, fd00::/8, also in quotes; with a prefix only its bits are compared
 *   ether, GUID 02:00:00:00:00:01 (or with - or .), 0200.0000.0001, 00:11:22:33:44:55:66:77, 0x0011223344556677
 *   bytes       0a:0b:0c (or with - or .), 0a0b0c, "text", 'c'
 *   text        "in quotes", with the escapes \" \\ \n \t \r \0 \x41; r"raw", without any; upper and lower case differ
 *
 * Not supported of Wireshark's language: other functions, macros, references, layers counted from the innermost (#-1), and values on the left.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/filter/filter.h"
#include "dissect/filter/filter_internal.h"
#include "dissect/filter/filter_record.h"
#include "dissect/filter/filter_regex.h"
#include "dissect/filter/filter_walk.h"

#define COMBINATIONS_MAX (1 << 20) /* of values in a test: bounds the work that a packet can cause */

int filter_compare_bytes(struct rtap_span left, struct rtap_span right, uint32_t prefix)
{
	uint32_t common = left.length < right.length ? left.length : right.length;
	uint32_t whole = prefix / 8 < common ? prefix / 8 : common;
	int order = whole ? memcmp(left.bytes, right.bytes, whole) : 0;

	if (!order && whole < common && prefix % 8)
		order = (left.bytes[whole] >> (8 - prefix % 8)) - (right.bytes[whole] >> (8 - prefix % 8));
	if (!order && prefix > common * 8)
		order = (left.length > right.length) - (left.length < right.length);
	return (order > 0) - (order < 0);
}

static bool contains(struct rtap_span data, struct rtap_span part)
{
	return !part.length || (data.length && memmem(data.bytes, data.length, part.bytes, part.length));
}

/* Orders of a value against the two ends of a range, which are the same for a single value. */
static bool holds(enum filter_comparison comparison, int against_low, int against_high)
{
	switch (comparison) {
	case FILTER_EQ: return against_low >= 0 && against_high <= 0;
	case FILTER_GT: return against_low > 0;
	case FILTER_LT: return against_low < 0;
	case FILTER_GE: return against_low >= 0;
	case FILTER_LE: return against_low <= 0;
	default: return false;
	}
}

/* A test in progress: searches for a value that decides it. */
struct test {
	struct filter_walk walk; /* first */
	const struct filter_node *node;
	bool found;   /* there is a value */
	bool decided; /* one passed; of "all": one failed */
};

static bool fits(const struct test *test, const struct filter_item *item, const struct filter_value *wanted)
{
	enum filter_comparison comparison = test->node->comparison;
	const uint8_t *pool = test->walk.filter->bytes;
	struct rtap_span low, high;

	if (!filter_kind_is_bytes(test->walk.operand->kind))
		return holds(comparison, filter_compare_numbers(item->number, item->negative, wanted->low, wanted->low_negative),
			     filter_compare_numbers(item->number, item->negative, wanted->high, wanted->high_negative));
	low = (struct rtap_span){ pool + wanted->low_at, wanted->low_length };
	high = (struct rtap_span){ pool + wanted->high_at, wanted->high_length };
	if (comparison == FILTER_CONTAINS)
		return contains(item->data, low);
	return holds(comparison, filter_compare_bytes(item->data, low, wanted->prefix),
		     filter_compare_bytes(item->data, high, wanted->prefix));
}

static bool passes(const struct test *test, const struct filter_item *item)
{
	const struct filter_node *node = test->node;
	bool pass = false;

	switch ((enum filter_comparison)node->comparison) {
	case FILTER_PRESENT: return true;
	case FILTER_NOT_ZERO: return item->number != 0;
	case FILTER_MATCHES: return filter_regex_match(test->walk.filter->regexes[node->first], item->data);
	default: break;
	}
	for (uint32_t i = 0; i < node->count && !pass; i++)
		pass = fits(test, item, &test->walk.filter->values[node->first + i]);
	return pass;
}

/* Whether one more value may be looked at; if not, nothing passes. */
static bool spend(struct test *test)
{
	if (*test->walk.combinations_left && --*test->walk.combinations_left)
		return true;
	test->walk.done = true;
	return false;
}

static void take_value(struct filter_walk *walk, const struct filter_item *item)
{
	struct test *test = (struct test *)walk;

	if (!spend(test))
		return;
	test->found = true;
	test->decided = (passes(test, item) != test->node->negated) != test->node->all;
	walk->done = test->decided;
}

/*
 * Two operands are compared by walking the right one for every few values of the left one: nothing needs to be
 * allocated, and a packet with thousands of values does not cost thousands of walks.
 */
#define PAIR_ROOM 64

struct pairs {
	struct test left; /* first */
	struct filter_walk right;
	uint32_t count;
	struct filter_item items[PAIR_ROOM];
};

static void compare_pairs(struct pairs *pairs)
{
	pairs->right.done = false;
	if (pairs->count)
		filter_walk(&pairs->right);
	pairs->count = 0;
	pairs->left.walk.done |= pairs->left.decided;
}

static void take_left(struct filter_walk *walk, const struct filter_item *item)
{
	struct pairs *pairs = (struct pairs *)walk;

	pairs->items[pairs->count++] = *item;
	if (pairs->count == PAIR_ROOM || walk->operand->temporary)
		compare_pairs(pairs);
}

static void take_right(struct filter_walk *walk, const struct filter_item *right)
{
	struct pairs *pairs = (struct pairs *)((char *)walk - offsetof(struct pairs, right));
	const struct filter_node *node = pairs->left.node;
	bool bytes = filter_kind_is_bytes(pairs->left.walk.operand->kind);

	for (uint32_t i = 0; i < pairs->count && !pairs->left.decided && spend(&pairs->left); i++) {
		const struct filter_item *left = &pairs->items[i];
		int order = bytes ? filter_compare_bytes(left->data, right->data, FILTER_NOWHERE) :
				    filter_compare_numbers(left->number, left->negative, right->number, right->negative);
		bool pass = node->comparison == FILTER_CONTAINS ? contains(left->data, right->data) : holds(node->comparison, order, order);

		pairs->left.found = true;
		pairs->left.decided = (pass != node->negated) != node->all;
	}
	walk->done = pairs->left.decided || pairs->left.walk.done;
}

static bool result_of(const struct test *test)
{
	if (!*test->walk.combinations_left)
		return false;
	return test->node->all ? test->found && !test->decided : test->decided;
}

static bool test_pairs(const struct rtap_filter *filter, const struct filter_node *node, const struct rtap_packet *packet,
		       const struct filter_record *record)
{
	uint32_t combinations = COMBINATIONS_MAX;
	struct pairs pairs;
	struct filter_walk walk = { .filter = filter, .packet = packet, .record = record, .combinations_left = &combinations };

	pairs.count = 0;
	pairs.left = (struct test){ .walk = walk, .node = node };
	pairs.left.walk.operand = &filter->operands[node->operand];
	pairs.left.walk.take = take_left;
	pairs.right = walk;
	pairs.right.operand = &filter->operands[node->first];
	pairs.right.take = take_right;
	filter_walk(&pairs.left.walk);
	compare_pairs(&pairs);
	return result_of(&pairs.left);
}

static bool test_values(const struct rtap_filter *filter, const struct filter_node *node, const struct rtap_packet *packet,
			const struct filter_record *record)
{
	uint32_t combinations = COMBINATIONS_MAX;
	struct test test = { .node = node };

	test.walk.filter = filter;
	test.walk.packet = packet;
	test.walk.record = record;
	test.walk.operand = &filter->operands[node->operand];
	test.walk.take = take_value;
	test.walk.combinations_left = &combinations;
	filter_walk(&test.walk);
	return result_of(&test);
}

/* Matches a packet or a record: the other is NULL. */
static bool match(const struct rtap_filter *filter, const struct rtap_packet *packet, const struct filter_record *record)
{
	bool result = true;
	uint32_t next = 0;

	while (filter && next < filter->node_count) {
		const struct filter_node *node = &filter->nodes[next++];

		switch ((enum filter_action)node->action) {
		case FILTER_TEST:
			result = test_values(filter, node, packet, record);
			break;
		case FILTER_TEST_OPERAND:
			result = test_pairs(filter, node, packet, record);
			break;
		case FILTER_INVERT:
			result = !result;
			break;
		case FILTER_SKIP_IF_TRUE:
			next = result ? node->first : next;
			break;
		case FILTER_SKIP_IF_FALSE:
			next = result ? next : node->first;
			break;
		case FILTER_PACKET_PART:
		case FILTER_RECORD_PART:
			if ((node->action == FILTER_PACKET_PART) != !record) {
				result = true;
				next = node->first;
			}
			break;
		}
	}
	return result;
}

bool rtap_filter_match(const struct rtap_filter *filter, const struct rtap_packet *packet)
{
	return match(filter, packet, NULL);
}

bool filter_match_record(const struct rtap_filter *filter, const struct filter_record *record)
{
	return match(filter, NULL, record);
}

bool filter_tests_packets(const struct rtap_filter *filter)
{
	return filter && filter->tests_packets;
}

bool filter_tests_records(const struct rtap_filter *filter)
{
	return filter && filter->tests_records;
}

void rtap_filter_close(struct rtap_filter *filter)
{
	if (!filter)
		return;
	for (uint32_t i = 0; i < filter->regex_count; i++)
		filter_regex_destroy(filter->regexes[i]);
	free(filter->regexes);
	free(filter->ranges);
	free(filter->nodes);
	free(filter->operands);
	free(filter->sources);
	free(filter->values);
	free(filter->bytes);
	free(filter->words);
	free(filter);
}
