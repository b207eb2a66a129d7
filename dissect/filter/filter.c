/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Display filters: running a compiled filter. The language follows Wireshark's for the features that both have.
 *
 * FIELD or PROTOCOL alone: the packet has it. A BOOL field is present whether it is true or false. Some names denote
 * several fields (ip.addr for ip.src and ip.dst) or protocols (infiniband for all its headers).
 *
 * FIELD OPERATOR VALUE: any of the field's values in the packet passes. Operators:
 *   == eq any_eq   equal              != ne all_ne   the field is present and none of its values is equal
 *   > gt  < lt  >= ge  <= le          contains       the value contains the bytes or text
 * FIELD in {VALUE, VALUE..VALUE}: equal to one, or in one of the ranges, ends included. Commas may be left out.
 * FIELD not in {...}: the same as not (FIELD in {...}), so true also without the field.
 * FIELD & NUMBER: one of these bits is set; FIELD & NUMBER == NUMBER: compares these bits only. Also "bitwise_and".
 * FIELD OPERATOR FIELD: two fields of the same type; any pair of their values passes (!=: no pair is equal).
 * FIELD[SLICE]: bytes of an address, bytes or text: [start:length], [first-last], [start:], [:length], [one], from 0. A
 *   value that is too short has no such slice.
 * PROTOCOL[SLICE], PROTOCOL contains ... and the other comparisons take a protocol as the bytes from its header to the
 *   end of what was captured: frame[0:2] == 02:00, infiniband contains "nfs".
 *
 * not or !, and or &&, or or ||, in this order of binding, and parentheses, up to 200 inside each other. A filter is up
 * to 65536 bytes. The empty filter passes everything.
 *
 * Values:
 *   numbers     17, 0x11, 0b10001, 021 (octal); too large a number for the field is an error; a value name in quotes,
 *               case-insensitive, denotes every number with that name: infiniband.bth.opcode == "RC SEND Only"
 *   bool        true, false, 1, 0
 *   seconds     1, 1.5, -0.000001; up to nine decimals
 *   IPv4, IPv6  10.0.0.1, 10.0.0.0/8, fe80::1, fd00::/8, also in quotes; with a prefix only its bits are compared
 *   ether, GUID 02:00:00:00:00:01 (or with - or .), 0200.0000.0001, 00:11:22:33:44:55:66:77, 0x0011223344556677
 *   bytes       0a:0b:0c (or with - or .), 0a0b0c, "text"
 *   text        "in quotes", with the escapes \" \\ \n \t \r \0 \x41; upper and lower case differ
 *
 * Not supported of Wireshark's language: matches, === and !==, xor, arithmetic, functions, macros, quantifiers,
 * the layer operator #, negative slices, and values on the left.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <rdmatap/visitor.h>

#include "dissect/filter/filter.h"
#include "dissect/filter/filter_internal.h"

/* Looks at the values of an operand one after another. */
struct walk {
	struct rtap_visitor visitor; /* first: the visitor's calls get at the rest by it */
	const struct rtap_filter *filter;
	const struct rtap_packet *packet;
	const struct filter_operand *operand;
	void (*take)(struct walk *walk, const struct rtap_value *value);
	bool done; /* no further value can change anything */
};

static void walk_value(struct walk *walk, const struct rtap_value *found)
{
	const struct filter_operand *operand = walk->operand;
	struct rtap_value value = *found;

	if (walk->done)
		return;
	value.number &= operand->mask;
	if (operand->kind == FILTER_KIND_SECONDS)
		value.number ^= FILTER_SIGN_BIT;
	if (operand->sliced) {
		if (value.data.length <= operand->slice_start)
			return;
		value.data.bytes += operand->slice_start;
		value.data.length -= operand->slice_start;
		if (operand->slice_length != FILTER_NOWHERE) {
			if (value.data.length < operand->slice_length)
				return;
			value.data.length = operand->slice_length;
		}
	}
	walk->take(walk, &value);
}

static void visit_field(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
			const struct rtap_value *value, const struct rtap_place *place)
{
	(void)id;
	(void)field;
	(void)place;
	walk_value((struct walk *)visitor, value);
}

static void walk_protocol(struct walk *walk, const struct rtap_layer *layer)
{
	uint32_t captured = walk->packet->sources[layer->source].captured;
	struct rtap_value value = { 0 };

	if (layer->offset < captured) {
		value.data.bytes = walk->packet->sources[layer->source].bytes + layer->offset;
		value.data.length = captured - layer->offset;
	}
	walk_value(walk, &value);
}

static void walk_layer(struct walk *walk, const struct rtap_layer *layer)
{
	const struct filter_source *source = walk->filter->sources + walk->operand->source;
	bool visit = false;

	for (uint32_t i = 0; i < walk->operand->source_count && !walk->done; i++, source++) {
		struct rtap_value value = { 0 };

		if (source->protocol != layer->protocol)
			continue;
		if (source->visited)
			visit = true;
		else if (!source->field)
			walk_protocol(walk, layer);
		else if (rtap_layer_field(walk->packet, layer, source->field, &value))
			walk_value(walk, &value);
	}
	if (visit && !walk->done) {
		walk->visitor = (struct rtap_visitor){
			.field = visit_field,
			.wanted = walk->filter->words + walk->operand->wanted,
		};
		rtap_layer_visit(walk->packet, layer, &walk->visitor);
	}
}

static bool has_any(const struct rtap_packet *packet, const struct filter_operand *operand)
{
	uint64_t common = 0;

	for (unsigned i = 0; i < RTAP_PROTOCOL_WORDS; i++)
		common |= packet->protocols[i] & operand->protocols[i];
	return common != 0;
}

static void walk_packet(struct walk *walk)
{
	const struct rtap_packet *packet = walk->packet;

	if (!has_any(packet, walk->operand))
		return;
	for (uint8_t i = 0; i < packet->layer_count && !walk->done; i++) {
		uint8_t protocol = packet->layers[i].protocol;

		if (walk->operand->protocols[protocol / 64] >> protocol % 64 & 1)
			walk_layer(walk, &packet->layers[i]);
	}
}

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
	case FILTER_EQ:
	case FILTER_NE: return against_low >= 0 && against_high <= 0;
	case FILTER_GT: return against_low > 0;
	case FILTER_LT: return against_low < 0;
	case FILTER_GE: return against_low >= 0;
	case FILTER_LE: return against_low <= 0;
	default: return false;
	}
}

static int compare_numbers(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

/* A test under way. For != the equal values are looked for, and the result is turned over. */
struct test {
	struct walk walk;
	const struct filter_node *node;
	bool found; /* a value was there */
	bool hit;   /* one fulfilled the comparison */
};

static bool fits(const struct test *test, const struct rtap_value *value, const struct filter_value *wanted)
{
	enum filter_comparison comparison = test->node->comparison;
	const uint8_t *pool = test->walk.filter->bytes;
	struct rtap_span low, high;

	if (!filter_kind_is_bytes(test->walk.operand->kind))
		return holds(comparison, compare_numbers(value->number, wanted->low),
			     compare_numbers(value->number, wanted->high));
	low = (struct rtap_span){ pool + wanted->low_at, wanted->low_length };
	high = (struct rtap_span){ pool + wanted->high_at, wanted->high_length };
	if (comparison == FILTER_CONTAINS)
		return contains(value->data, low);
	return holds(comparison, filter_compare_bytes(value->data, low, wanted->prefix),
		     filter_compare_bytes(value->data, high, wanted->prefix));
}

static void take_value(struct walk *walk, const struct rtap_value *value)
{
	struct test *test = (struct test *)walk;
	const struct filter_node *node = test->node;

	test->found = true;
	if (node->comparison == FILTER_PRESENT)
		test->hit = true;
	if (node->comparison == FILTER_BITS)
		test->hit = value->number != 0;
	for (uint32_t i = 0; i < node->count && !test->hit; i++)
		test->hit = fits(test, value, &walk->filter->values[node->first + i]);
	walk->done = test->hit;
}

/*
 * Two fields are compared by walking the right one for every few values of the left one: nothing needs to be
 * allocated, and a packet with thousands of values does not cost thousands of walks.
 */
#define PAIR_ROOM 64

struct pairs {
	struct test left;
	struct walk right;
	uint32_t count;
	struct rtap_value values[PAIR_ROOM];
};

static void compare_pairs(struct pairs *pairs)
{
	pairs->right.done = false;
	if (pairs->count)
		walk_packet(&pairs->right);
	pairs->count = 0;
	pairs->left.walk.done = pairs->left.hit;
}

static void take_left(struct walk *walk, const struct rtap_value *value)
{
	struct pairs *pairs = (struct pairs *)walk;

	pairs->values[pairs->count++] = *value;
	if (pairs->count == PAIR_ROOM)
		compare_pairs(pairs);
}

static void take_right(struct walk *walk, const struct rtap_value *right)
{
	struct pairs *pairs = (struct pairs *)((char *)walk - offsetof(struct pairs, right));
	enum filter_comparison comparison = pairs->left.node->comparison;
	bool bytes = filter_kind_is_bytes(pairs->left.walk.operand->kind);
	bool hit = false;

	for (uint32_t i = 0; i < pairs->count && !hit; i++) {
		const struct rtap_value *left = &pairs->values[i];
		int order = bytes ? filter_compare_bytes(left->data, right->data, FILTER_NOWHERE) :
				    compare_numbers(left->number, right->number);

		hit = comparison == FILTER_CONTAINS ? contains(left->data, right->data) : holds(comparison, order, order);
	}
	pairs->left.found = true;
	pairs->left.hit = hit;
	walk->done = hit;
}

static bool result_of(const struct test *test)
{
	return test->node->comparison == FILTER_NE ? test->found && !test->hit : test->hit;
}

static bool test_pairs(const struct rtap_filter *filter, const struct filter_node *node, const struct rtap_packet *packet)
{
	struct pairs pairs;
	struct walk walk = { .filter = filter, .packet = packet };

	pairs.count = 0;
	pairs.left = (struct test){ .walk = walk, .node = node };
	pairs.left.walk.operand = &filter->operands[node->operand];
	pairs.left.walk.take = take_left;
	pairs.right = walk;
	pairs.right.operand = &filter->operands[node->first];
	pairs.right.take = take_right;
	walk_packet(&pairs.left.walk);
	compare_pairs(&pairs);
	return result_of(&pairs.left);
}

static bool test_values(const struct rtap_filter *filter, const struct filter_node *node, const struct rtap_packet *packet)
{
	struct test test = { .node = node };

	test.walk.filter = filter;
	test.walk.packet = packet;
	test.walk.operand = &filter->operands[node->operand];
	test.walk.take = take_value;
	walk_packet(&test.walk);
	return result_of(&test);
}

bool rtap_filter_match(const struct rtap_filter *filter, const struct rtap_packet *packet)
{
	bool result = true;
	uint32_t next = 0;

	while (filter && next < filter->node_count) {
		const struct filter_node *node = &filter->nodes[next++];

		switch ((enum filter_action)node->action) {
		case FILTER_TEST:
			result = test_values(filter, node, packet);
			break;
		case FILTER_TEST_FIELD:
			result = test_pairs(filter, node, packet);
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
		}
	}
	return result;
}

void rtap_filter_destroy(struct rtap_filter *filter)
{
	if (!filter)
		return;
	free(filter->nodes);
	free(filter->operands);
	free(filter->sources);
	free(filter->values);
	free(filter->bytes);
	free(filter->words);
	free(filter);
}
