/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The values of operands: fields of a packet, and values computed from them. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/filter/filter_record.h"
#include "dissect/filter/filter_walk.h"

static void take_value(struct filter_walk *walk, const struct rtap_value *value)
{
	struct filter_item item = { .number = value->number, .data = value->data };

	if (walk->done)
		return;
	if (filter_kind_is_time(walk->operand->kind) && (int64_t)item.number < 0) {
		item.number = -item.number;
		item.negative = true;
	}
	walk->take(walk, &item);
}

static void visit_field(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
			const struct rtap_value *value, const struct rtap_place *place)
{
	(void)id;
	(void)field;
	(void)place;
	take_value((struct filter_walk *)visitor, value);
}

static void walk_protocol(struct filter_walk *walk, const struct rtap_layer *layer)
{
	uint32_t captured = walk->packet->sources[layer->source].captured;
	struct rtap_value value = { 0 };

	if (layer->offset < captured) {
		value.data.bytes = walk->packet->sources[layer->source].bytes + layer->offset;
		value.data.length = captured - layer->offset;
	}
	take_value(walk, &value);
}

static void walk_layer(struct filter_walk *walk, const struct rtap_layer *layer)
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
			take_value(walk, &value);
	}
	if (visit && !walk->done) {
		walk->visitor = (struct rtap_visitor){
			.field = visit_field,
			.wanted = walk->filter->words + walk->operand->wanted,
		};
		rtap_layer_visit(walk->packet, layer, &walk->visitor);
	}
}

/* Whether the layer is one of those that the operand selects, among those of its protocol. */
static bool is_selected(const struct rtap_packet *packet, uint8_t layer, const struct filter_operand *operand)
{
	unsigned number = 0;

	for (uint8_t i = 0; i <= layer; i++)
		number += packet->layers[i].protocol == packet->layers[layer].protocol;
	return number >= operand->first_layer && number <= operand->last_layer;
}

static void walk_field(struct filter_walk *walk)
{
	const struct rtap_packet *packet = walk->packet;
	uint64_t common = 0;

	for (unsigned i = 0; i < RTAP_PROTOCOL_WORDS; i++)
		common |= packet->protocols[i] & walk->operand->protocols[i];
	for (uint8_t i = 0; common && i < packet->layer_count && !walk->done; i++) {
		uint16_t protocol = packet->layers[i].protocol;

		if (walk->operand->protocols[protocol / 64] >> protocol % 64 & 1 &&
		    (!walk->operand->first_layer || is_selected(packet, i, walk->operand)))
			walk_layer(walk, &packet->layers[i]);
	}
}

static bool take_record_value(void *owner, const struct filter_record_value *value)
{
	struct filter_walk *walk = owner;

	walk->take(walk, &(struct filter_item){ .number = value->number, .negative = value->negative, .data = value->text });
	return !walk->done;
}

static void walk_literal(struct filter_walk *walk)
{
	const struct filter_value *value = &walk->filter->values[walk->operand->left];
	struct filter_item item = { .number = value->low, .negative = value->low_negative };

	if (value->low_length)
		item.data = (struct rtap_span){ walk->filter->bytes + value->low_at, value->low_length };
	walk->take(walk, &item);
}

/* An operand inside of another one, which takes its values. */
struct inner {
	struct filter_walk walk; /* first */
	struct filter_walk *outer;
	uint32_t count;
};

static struct inner inner_of(struct filter_walk *outer, uint32_t operand,
			     void (*take)(struct filter_walk *walk, const struct filter_item *item))
{
	struct inner inner = { .outer = outer };

	inner.walk.filter = outer->filter;
	inner.walk.packet = outer->packet;
	inner.walk.record = outer->record;
	inner.walk.operand = &outer->filter->operands[operand];
	inner.walk.combinations_left = outer->combinations_left;
	inner.walk.take = take;
	return inner;
}

/* False: the bytes do not have the range. */
static bool cut_range(const struct filter_range *range, struct rtap_span *data)
{
	uint32_t start = range->start;

	if (range->from_end)
		start = start <= data->length ? data->length - start : UINT32_MAX;
	if (data->length <= start || (range->length != FILTER_NOWHERE && data->length - start < range->length))
		return false;
	data->bytes += start;
	data->length = range->length == FILTER_NOWHERE ? data->length - start : range->length;
	return true;
}

#define SHORT_BYTES 512

/* Room for computed bytes: `own` if that suffices. NULL: out of memory. */
static uint8_t *room_for(size_t length, uint8_t own[SHORT_BYTES])
{
	return length <= SHORT_BYTES ? own : malloc(length);
}

static void take_slice(struct filter_walk *walk, const struct filter_item *item)
{
	struct inner *inner = (struct inner *)walk;
	struct filter_walk *outer = inner->outer;
	const struct filter_range *ranges = outer->filter->ranges + outer->operand->right;
	struct filter_item result = { .data = item->data };
	uint8_t own[SHORT_BYTES], *bytes;
	size_t length = 0;

	if (outer->operand->count == 1) {
		if (cut_range(ranges, &result.data))
			outer->take(outer, &result);
		return;
	}
	for (uint32_t i = 0; i < outer->operand->count; i++) {
		struct rtap_span part = item->data;

		if (!cut_range(&ranges[i], &part))
			return;
		length += part.length;
	}
	bytes = room_for(length, own);
	if (!bytes)
		return;
	result.data = (struct rtap_span){ bytes, 0 };
	for (uint32_t i = 0; i < outer->operand->count; i++) {
		struct rtap_span part = item->data;

		cut_range(&ranges[i], &part);
		memcpy(bytes + result.data.length, part.bytes, part.length);
		result.data.length += part.length;
	}
	outer->take(outer, &result);
	if (bytes != own)
		free(bytes);
}

/* Letters of ASCII only: a text may have any bytes. */
static void take_text(struct filter_walk *walk, const struct filter_item *item)
{
	struct filter_walk *outer = ((struct inner *)walk)->outer;
	const char first = outer->operand->operation == FILTER_UPPER ? 'a' : 'A';
	uint8_t own[SHORT_BYTES], *bytes = room_for(item->data.length, own);
	struct filter_item result = { .data = { bytes, item->data.length } };

	if (!bytes)
		return;
	for (uint32_t i = 0; i < item->data.length; i++) {
		uint8_t byte = item->data.bytes[i];

		bytes[i] = byte >= first && byte < first + 26 ? byte ^ 0x20 : byte;
	}
	outer->take(outer, &result);
	if (bytes != own)
		free(bytes);
}

static void take_single(struct filter_walk *walk, const struct filter_item *item)
{
	struct inner *inner = (struct inner *)walk;
	struct filter_walk *outer = inner->outer;
	struct filter_item result = *item;

	switch ((enum filter_operation)outer->operand->operation) {
	case FILTER_SLICE:
		take_slice(walk, item);
		break;
	case FILTER_UPPER:
	case FILTER_LOWER:
		take_text(walk, item);
		break;
	case FILTER_LENGTH:
		result.number = filter_kind_is_bytes(walk->operand->kind) ? item->data.length : walk->operand->size;
		result.negative = false;
		outer->take(outer, &result);
		break;
	case FILTER_ABSOLUTE:
		result.negative = false;
		outer->take(outer, &result);
		break;
	case FILTER_NEGATE:
		result.negative = item->number && !item->negative;
		outer->take(outer, &result);
		break;
	default: /* FILTER_COUNT */
		inner->count++;
	}
	walk->done = outer->done;
}

static void walk_single(struct filter_walk *walk)
{
	struct inner inner = inner_of(walk, walk->operand->left, take_single);
	struct filter_item count = { 0 };

	filter_walk(&inner.walk);
	count.number = inner.count;
	if (count.number)
		walk->take(walk, &count);
}

/* The least or largest value so far. */
struct extreme {
	struct inner inner; /* first */
	bool found;
	struct filter_item item;
};

static int order_of(unsigned kind, const struct filter_item *left, const struct filter_item *right)
{
	uint32_t common = left->data.length < right->data.length ? left->data.length : right->data.length;
	int order;

	if (!filter_kind_is_bytes(kind))
		return filter_compare_numbers(left->number, left->negative, right->number, right->negative);
	order = common ? memcmp(left->data.bytes, right->data.bytes, common) : 0;
	return order ? order : (left->data.length > right->data.length) - (left->data.length < right->data.length);
}

static void take_extreme(struct filter_walk *walk, const struct filter_item *item)
{
	struct extreme *extreme = (struct extreme *)walk;
	const struct filter_operand *outer = extreme->inner.outer->operand;
	int order = extreme->found ? order_of(outer->kind, item, &extreme->item) : 0;

	if (!extreme->found || (outer->operation == FILTER_MAXIMUM ? order > 0 : order < 0))
		extreme->item = *item;
	extreme->found = true;
}

static void walk_extreme(struct filter_walk *walk)
{
	struct extreme extreme = { .inner = inner_of(walk, walk->operand->left, take_extreme) };

	filter_walk(&extreme.inner.walk);
	if (walk->operand->right != FILTER_NOWHERE) {
		extreme.inner = inner_of(walk, walk->operand->right, take_extreme);
		filter_walk(&extreme.inner.walk);
	}
	if (extreme.found)
		walk->take(walk, &extreme.item);
}

/* Numbers are magnitudes with a sign. False: the sum does not fit 64 bits. */
static bool add(const struct filter_item *left, uint64_t right, bool is_negative, struct filter_item *result)
{
	if (left->negative == is_negative) {
		result->negative = is_negative;
		return !__builtin_add_overflow(left->number, right, &result->number);
	}
	result->negative = left->number > right ? left->negative : is_negative;
	result->number = left->number > right ? left->number - right : right - left->number;
	return true;
}

/* As in two's complement of any width, where -n is ~(n - 1). */
static bool mask_number(const struct filter_item *left, const struct filter_item *right, struct filter_item *result)
{
	uint64_t a = left->number - left->negative, b = right->number - right->negative;

	result->negative = left->negative && right->negative;
	if (result->negative)
		return !__builtin_add_overflow(a | b, 1, &result->number);
	result->number = left->negative ? ~a & b : right->negative ? a & ~b : a & b;
	return true;
}

/* False: the result does not fit 64 bits and a sign, or there is none. */
static bool compute(enum filter_operation operation, const struct filter_item *left, const struct filter_item *right,
		    struct filter_item *result)
{
	bool differ = left->negative != right->negative, fits = true;

	switch (operation) {
	case FILTER_ADD: fits = add(left, right->number, right->negative, result); break;
	case FILTER_SUBTRACT: fits = add(left, right->number, !right->negative, result); break;
	case FILTER_MULTIPLY:
		result->negative = differ;
		fits = !__builtin_mul_overflow(left->number, right->number, &result->number);
		break;
	case FILTER_DIVIDE:
	case FILTER_MODULO:
		if (!right->number)
			return false;
		result->negative = operation == FILTER_DIVIDE ? differ : left->negative;
		result->number = operation == FILTER_DIVIDE ? left->number / right->number : left->number % right->number;
		break;
	default: fits = mask_number(left, right, result); break;
	}
	result->negative &= result->number != 0;
	return fits;
}

#define MOST_MASKED 64 /* bytes */

#define PART 64 /* values of a right operand for which the left one is walked once */

struct double_walk {
	struct inner right, left;
	uint32_t count;
	struct filter_item items[PART];
};

/* As many bytes as both have; the number is whether one of them is not 0. False: more than MOST_MASKED. */
static bool mask(struct rtap_span left, struct rtap_span right, uint8_t bytes[MOST_MASKED], struct filter_item *result)
{
	uint32_t length = left.length < right.length ? left.length : right.length;

	if (length > MOST_MASKED)
		return false;
	for (uint32_t i = 0; i < length; i++) {
		bytes[i] = left.bytes[i] & right.bytes[i];
		result->number |= bytes[i];
	}
	result->data = (struct rtap_span){ bytes, length };
	return true;
}

static void take_left(struct filter_walk *walk, const struct filter_item *item)
{
	struct double_walk *both = (struct double_walk *)((char *)walk - offsetof(struct double_walk, left));
	struct filter_walk *outer = both->left.outer;

	for (uint32_t i = 0; i < both->count && !outer->done; i++) {
		struct filter_item result = { 0 };
		uint8_t bytes[MOST_MASKED];

		if (!*walk->combinations_left || !--*walk->combinations_left) {
			outer->done = true;
			break;
		}
		if (filter_kind_is_bytes(walk->operand->kind)) {
			if (!mask(item->data, both->items[i].data, bytes, &result))
				continue;
		} else if (!compute(outer->operand->operation, item, &both->items[i], &result)) {
			continue;
		}
		outer->take(outer, &result);
	}
	walk->done = outer->done;
}

static void walk_left(struct double_walk *both)
{
	both->left.walk.done = both->left.outer->done;
	if (both->count && !both->left.walk.done)
		filter_walk(&both->left.walk);
	both->count = 0;
	both->right.walk.done = both->left.outer->done;
}

static void take_right(struct filter_walk *walk, const struct filter_item *item)
{
	struct double_walk *both = (struct double_walk *)walk;

	both->items[both->count++] = *item;
	if (both->count == PART)
		walk_left(both);
}

static __attribute__((noinline)) void walk_double(struct filter_walk *walk)
{
	struct double_walk both;

	both.count = 0;
	both.right = inner_of(walk, walk->operand->right, take_right);
	both.left = inner_of(walk, walk->operand->left, take_left);
	filter_walk(&both.right.walk);
	walk_left(&both);
}

void filter_walk(struct filter_walk *walk)
{
	switch ((enum filter_operation)walk->operand->operation) {
	case FILTER_FIELD:
		walk_field(walk);
		break;
	case FILTER_RECORD:
		walk->record->values(walk->record, walk->operand->left, take_record_value, walk);
		break;
	case FILTER_LITERAL:
		walk_literal(walk);
		break;
	case FILTER_SLICE:
	case FILTER_UPPER:
	case FILTER_LOWER:
	case FILTER_LENGTH:
	case FILTER_COUNT:
	case FILTER_ABSOLUTE:
	case FILTER_NEGATE:
		walk_single(walk);
		break;
	case FILTER_MINIMUM:
	case FILTER_MAXIMUM:
		walk_extreme(walk);
		break;
	default:
		walk_double(walk);
	}
}
