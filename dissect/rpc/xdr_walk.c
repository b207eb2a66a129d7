/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The walker: goes over a stream by the tables that describe it. Every loop consumes bytes or ends, and tables do not
 * contain themselves, so neither time nor depth can grow beyond what the stream holds.
 */
#include "config.h"

#include "dissect/rpc/xdr.h"
#include "dissect/rpc/xdr_walk.h"

#define MAX_DEPTH 16

static const struct xdr_item nothing[] = { XDR_END };
const struct xdr_type xdr_void = { NULL, nothing, 0 };

static bool is_wanted(const struct xdr_walk *walk, uint16_t row)
{
	const struct xdr_sink *sink = walk->sink;
	size_t id = sink->first_id + row;

	return !(sink->unwanted >> row % 64 & 1) && row != XDR_NO_ROW && sink->value && (!sink->wanted || sink->wanted[id / 64] >> id % 64 & 1);
}

bool xdr_wants(const struct xdr_walk *walk, uint16_t row)
{
	return is_wanted(walk, row);
}

static void report(struct xdr_walk *walk, uint16_t row, uint64_t number, struct rtap_span data, uint64_t offset, uint64_t length)
{
	if (is_wanted(walk, row))
		walk->sink->value(walk->sink, &(struct xdr_value){ row, walk->tag, number, data, offset, length });
}

void xdr_report_at(struct xdr_walk *walk, uint16_t row, uint64_t number, uint64_t offset, uint32_t length)
{
	report(walk, row, number, (struct rtap_span){ NULL, 0 }, offset, length);
}

void xdr_report(struct xdr_walk *walk, uint16_t row, uint64_t number, uint32_t length)
{
	xdr_report_at(walk, row, number, walk->xdr->position - length, length);
}

void xdr_report_bytes(struct xdr_walk *walk, uint16_t row, const uint8_t *bytes, uint64_t offset, uint64_t length)
{
	struct rtap_span span = { bytes, bytes ? (uint32_t)length : 0 };

	report(walk, row, length, span, offset, length);
}

enum result xdr_report_word(struct xdr_walk *walk, uint16_t row, uint32_t *value)
{
	enum result result = xdr_u32(walk->xdr, value);

	if (result == OK)
		xdr_report(walk, row, *value, 4);
	return result;
}

void xdr_enter(struct xdr_walk *walk, const char *label)
{
	if (label && walk->sink->enter)
		walk->sink->enter(walk->sink, label, walk->xdr->position);
}

void xdr_leave(struct xdr_walk *walk)
{
	if (walk->sink->leave)
		walk->sink->leave(walk->sink);
}

const char *xdr_name(const struct xdr_walk *walk, uint16_t row, uint64_t value)
{
	return walk->sink->fields ? rtap_name_of(walk->sink->fields[row].names, value) : NULL;
}

static enum result walk_type(struct xdr_walk *walk, const struct xdr_type *type)
{
	enum result result;

	if (type->detail && walk->sink->brief && xdr_pass(walk->xdr, type->detail))
		return OK;
	if (walk->depth == MAX_DEPTH)
		return MALFORMED;
	walk->depth++;
	xdr_enter(walk, type->label);
	result = xdr_walk_items(walk, type->items);
	if (type->label)
		xdr_leave(walk);
	walk->depth--;
	return result;
}

static enum result boolean(struct xdr_walk *walk, uint16_t row, uint32_t *value)
{
	enum result result = xdr_u32(walk->xdr, value);

	if (result == OK && *value > 1)
		return MALFORMED;
	if (result == OK)
		xdr_report(walk, row, *value, 4);
	return result;
}

static enum result quad(struct xdr_walk *walk, uint16_t row)
{
	uint64_t value;
	enum result result = xdr_u64(walk->xdr, &value);

	if (result == OK)
		xdr_report(walk, row, value, 8);
	return result;
}

/* Bytes and their padding, which a stream that ends too early has not got. */
static enum result bytes(struct xdr_walk *walk, uint16_t row, uint32_t length)
{
	uint64_t offset = walk->xdr->position;
	const uint8_t *found;
	enum result result = xdr_take(walk->xdr, length, walk->scratch, sizeof walk->scratch, &found);

	if (result != OK)
		return result;
	xdr_report_bytes(walk, row, found, offset, length);
	return xdr_skip(walk->xdr, -length % 4);
}

/*
 * Bytes without a length of their own are read like words: the walk ends if they are not in memory. Skipping them would let
 * an array continue through a hole of any size.
 */
static enum result fixed_across(struct xdr_walk *walk, uint32_t length, const uint8_t **found)
{
	struct xdr before = *walk->xdr;
	enum result result = xdr_take(walk->xdr, length, walk->scratch, sizeof walk->scratch, found);

	if (result != OK || *found)
		return result;
	*walk->xdr = before;
	return TRUNCATED;
}

static enum result fixed(struct xdr_walk *walk, const struct xdr_item *item)
{
	uint64_t offset = walk->xdr->position;
	const uint8_t *found = item->bound ? xdr_here(walk->xdr, item->bound) : NULL;
	enum result result = found ? OK : fixed_across(walk, item->bound, &found);

	if (result != OK)
		return result;
	xdr_report_bytes(walk, item->row, found, offset, item->bound);
	return xdr_skip(walk->xdr, -item->bound % 4);
}

static enum result opaque(struct xdr_walk *walk, const struct xdr_item *item)
{
	uint32_t length;
	enum result result = xdr_u32(walk->xdr, &length);

	if (result != OK)
		return result;
	if (item->bound && length > item->bound)
		return MALFORMED;
	xdr_report(walk, item->length_row, length, 4);
	if (item->kind == XDR_KIND_DATA && length && walk->sink->eligible)
		walk->sink->eligible(walk->sink, walk->xdr, (enum xdr_ddp)item->ddp, walk->xdr->position, length);
	return bytes(walk, item->row, length);
}

static enum result array(struct xdr_walk *walk, const struct xdr_item *item)
{
	uint32_t count;
	enum result result = xdr_u32(walk->xdr, &count);

	if (result != OK)
		return result;
	/* no element is smaller than a word */
	if ((item->bound && count > item->bound) || count > xdr_left(walk->xdr) / 4)
		return MALFORMED;
	xdr_report(walk, item->row, count, 4);
	for (; result == OK && count && !walk->sink->stop; count--)
		result = walk_type(walk, item->type);
	return result;
}

static enum result list(struct xdr_walk *walk, const struct xdr_item *item)
{
	uint32_t more;
	enum result result = boolean(walk, item->row, &more);

	while (result == OK && more && !walk->sink->stop) {
		result = walk_type(walk, item->type);
		if (result == OK)
			result = boolean(walk, item->row, &more);
	}
	return result;
}

static enum result optional(struct xdr_walk *walk, const struct xdr_item *item)
{
	uint32_t there;
	enum result result = boolean(walk, item->row, &there);

	return result == OK && there ? walk_type(walk, item->type) : result;
}

static inline void report_status(struct xdr_walk *walk, const struct xdr_item *item, uint32_t value)
{
	if (walk->sink->status)
		walk->sink->status(walk->sink, value, xdr_name(walk, item->row, value));
}

static enum result choose(struct xdr_walk *walk, const struct xdr_item *item)
{
	const struct xdr_type *type = item->arms->otherwise;
	uint32_t value;
	enum result result = xdr_u32(walk->xdr, &value);

	if (result != OK)
		return result;
	for (uint32_t i = 0; i < item->arms->count; i++)
		if (item->arms->arms[i].value == value)
			type = item->arms->arms[i].type;
	/* a value that chooses nothing may be none that its row can hold */
	if (!type)
		return MALFORMED;
	xdr_report(walk, item->row, value, 4);
	if (item->kind == XDR_KIND_STATUS) {
		xdr_report(walk, item->length_row, value, 4);
		report_status(walk, item, value);
	}
	return type == &xdr_void ? OK : walk_type(walk, type);
}

static enum result walk_item(struct xdr_walk *walk, const struct xdr_item *item)
{
	uint32_t value;

	switch ((enum xdr_kind)item->kind) {
	case XDR_KIND_U32: return xdr_report_word(walk, item->row, &value);
	case XDR_KIND_U64: return quad(walk, item->row);
	case XDR_KIND_BOOL: return boolean(walk, item->row, &value);
	case XDR_KIND_FIXED: return fixed(walk, item);
	case XDR_KIND_OPAQUE:
	case XDR_KIND_DATA: return opaque(walk, item);
	case XDR_KIND_STRUCT: return walk_type(walk, item->type);
	case XDR_KIND_OPTIONAL: return optional(walk, item);
	case XDR_KIND_LIST: return list(walk, item);
	case XDR_KIND_ARRAY: return array(walk, item);
	case XDR_KIND_SWITCH:
	case XDR_KIND_STATUS: return choose(walk, item);
	case XDR_KIND_HOOK:
	case XDR_KIND_HOOK_FIXED:
	case XDR_KIND_HOOK_OPAQUE:
	case XDR_KIND_HOOK_WORDS:
	case XDR_KIND_HOOK_ATTRIBUTES: return item->hook(walk, item);
	case XDR_KIND_END: break;
	}
	return OK;
}

/* Skips an absent optional item, or a detail type in a brief walk. False: nothing moved. */
static inline bool pass_optional(struct xdr_walk *walk, const struct xdr_type *type)
{
	uint32_t there = walk->xdr->end - walk->xdr->next < 4 ? UINT32_MAX : load32(walk->xdr->next);

	if (there > 1 || (there && !(type->detail && walk->sink->brief)))
		return false;
	return xdr_pass(walk->xdr, there ? 4 + type->detail : 4);
}

/* Skips an unwanted item if its end is known and all of it is in memory. False: nothing moved. */
static inline bool pass_item(struct xdr_walk *walk, const struct xdr_item *item)
{
	switch (item->kind) {
	case XDR_KIND_U32: return !is_wanted(walk, item->row) && xdr_pass(walk->xdr, 4);
	case XDR_KIND_U64: return !is_wanted(walk, item->row) && xdr_pass(walk->xdr, 8);
	case XDR_KIND_FIXED: return !is_wanted(walk, item->row) && xdr_pass(walk->xdr, item->bound + -item->bound % 4);
	case XDR_KIND_OPTIONAL: return !is_wanted(walk, item->row) && pass_optional(walk, item->type);
	default: return false;
	}
}

/*
 * Skipping unreported items in contiguous memory, from `next` up to `end`. Each function returns the item's end, or NULL if it cannot be
 * determined: the walk then finds the error or the bytes.
 */
static inline const uint8_t *pass_bytes(const uint8_t *next, const uint8_t *end, uint64_t length)
{
	return (uint64_t)(end - next) < length ? NULL : next + length;
}

/* A word with the number of units that follow, at most `bound` if that is not 0, padded to a word. */
static inline const uint8_t *pass_counted(const uint8_t *next, const uint8_t *end, uint32_t bound, uint32_t unit)
{
	uint32_t count;

	if (end - next < 4)
		return NULL;
	count = load32(next);
	return bound && count > bound ? NULL : pass_bytes(next + 4, end, (uint64_t)count * unit + (-count * unit & 3));
}

static const uint8_t *pass_all(const struct xdr_item *items, const uint8_t *next, const uint8_t *end, bool eligible);

static inline const uint8_t *pass_type(const struct xdr_type *type, const uint8_t *next, const uint8_t *end, bool eligible)
{
	return type->detail ? pass_bytes(next, end, type->detail) : pass_all(type->items, next, end, eligible);
}

/* A list's or optional-data's. */
static const uint8_t *pass_while(const struct xdr_item *item, const uint8_t *next, const uint8_t *end, bool eligible)
{
	while (next && end - next >= 4) {
		uint32_t there = load32(next);

		next += 4;
		if (!there)
			return next;
		if (there > 1)
			return NULL;
		next = pass_type(item->type, next, end, eligible);
		if (next && item->kind == XDR_KIND_OPTIONAL)
			return next;
	}
	return NULL;
}

static const uint8_t *pass_array(const struct xdr_item *item, const uint8_t *next, const uint8_t *end, bool eligible)
{
	uint32_t count = end - next < 4 ? UINT32_MAX : load32(next);

	if ((item->bound && count > item->bound) || count > (uint64_t)(end - next) / 4)
		return NULL;
	for (next += 4; next && count; count--)
		next = pass_type(item->type, next, end, eligible);
	return next;
}

static const uint8_t *pass_arm(const struct xdr_item *item, const uint8_t *next, const uint8_t *end, bool eligible)
{
	const struct xdr_type *type = item->arms->otherwise;

	if (end - next < 4)
		return NULL;
	for (uint32_t i = 0; i < item->arms->count; i++)
		if (item->arms->arms[i].value == load32(next))
			type = item->arms->arms[i].type;
	return type ? pass_type(type, next + 4, end, eligible) : NULL;
}

/* A bitmap, and an opaque whose padding belongs to it. */
static inline const uint8_t *pass_attributes(const uint8_t *next, const uint8_t *end)
{
	next = pass_counted(next, end, 0, 4);
	return next && end - next >= 4 && load32(next) % 4 == 0 ? pass_counted(next, end, 0, 1) : NULL;
}

/* pass_one() for items without nested items. */
static inline __attribute__((always_inline)) const uint8_t *pass_flat(const struct xdr_item *item, const uint8_t *next, const uint8_t *end,
								      bool eligible)
{
	switch ((enum xdr_kind)item->kind) {
	case XDR_KIND_U32: return pass_bytes(next, end, 4);
	case XDR_KIND_U64: return pass_bytes(next, end, 8);
	case XDR_KIND_BOOL: return end - next >= 4 && load32(next) <= 1 ? next + 4 : NULL;
	case XDR_KIND_FIXED:
	case XDR_KIND_HOOK_FIXED: return pass_bytes(next, end, item->bound + (-item->bound & 3));
	case XDR_KIND_DATA: return eligible ? NULL : pass_counted(next, end, item->bound, 1);
	case XDR_KIND_OPAQUE:
	case XDR_KIND_HOOK_OPAQUE: return pass_counted(next, end, item->bound, 1);
	case XDR_KIND_HOOK_WORDS: return pass_counted(next, end, 0, 4);
	case XDR_KIND_HOOK_ATTRIBUTES: return pass_attributes(next, end);
	/* a status has to be reported, and the layout of other hooks is unknown */
	default: return NULL;
	}
}

/* Kinds that pass_flat() does not handle. */
static inline bool has_items(const struct xdr_item *item)
{
	return (1u << XDR_KIND_STRUCT | 1u << XDR_KIND_LIST | 1u << XDR_KIND_OPTIONAL | 1u << XDR_KIND_ARRAY | 1u << XDR_KIND_SWITCH) >>
	       item->kind & 1;
}

static inline __attribute__((always_inline)) const uint8_t *pass_one(const struct xdr_item *item, const uint8_t *next, const uint8_t *end,
								     bool eligible)
{
	switch ((enum xdr_kind)item->kind) {
	case XDR_KIND_STRUCT: return pass_type(item->type, next, end, eligible);
	case XDR_KIND_LIST:
	case XDR_KIND_OPTIONAL: return pass_while(item, next, end, eligible);
	case XDR_KIND_ARRAY: return pass_array(item, next, end, eligible);
	case XDR_KIND_SWITCH: return pass_arm(item, next, end, eligible);
	default: return pass_flat(item, next, end, eligible);
	}
}

static __attribute__((noinline)) const uint8_t *pass_nested(const struct xdr_item *items, const uint8_t *next, const uint8_t *end, bool eligible)
{
	next = pass_one(items, next, end, eligible);
	return next ? pass_all(items + 1, next, end, eligible) : NULL;
}

/* Items with nested items end the loop, so that it keeps no values across a call. */
static const uint8_t *pass_all(const struct xdr_item *items, const uint8_t *next, const uint8_t *end, bool eligible)
{
	for (; next && items->kind != XDR_KIND_END; items++)
		if (has_items(items))
			return pass_nested(items, next, end, eligible);
		else
			next = pass_flat(items, next, end, eligible);
	return next;
}

/* Skips the leading items whose ends are known. Returns the next item. */
static const struct xdr_item *pass_silently(struct xdr_walk *walk, const struct xdr_item *items)
{
	struct xdr *xdr = walk->xdr;
	bool eligible = walk->sink->eligible;
	const uint8_t *next = xdr->next, *end = xdr_end(xdr);

	for (; items->kind != XDR_KIND_END && !walk->sink->stop; items++) {
		bool is_status = items->kind == XDR_KIND_STATUS;
		const uint8_t *after = is_status ? pass_arm(items, next, end, eligible) : pass_one(items, next, end, eligible);

		if (!after)
			break;
		if (is_status)
			report_status(walk, items, load32(next));
		next = after;
	}
	xdr->position += (uint64_t)(next - xdr->next);
	xdr->next = next;
	return items;
}

const uint8_t *xdr_pass_items(const struct xdr_item *items, const uint8_t *next, const uint8_t *end, bool eligible)
{
	if (items->kind == XDR_KIND_STATUS)
		next = pass_arm(items++, next, end, eligible);
	return pass_all(items, next, end, eligible);
}

enum result xdr_walk_items(struct xdr_walk *walk, const struct xdr_item *items)
{
	bool silent = xdr_is_silent(walk->sink);
	enum result result = OK;

	for (; result == OK && items->kind != XDR_KIND_END && !walk->sink->stop; items++) {
		uint8_t tag = walk->tag;

		if (silent) {
			items = pass_silently(walk, items);
			if (items->kind == XDR_KIND_END || walk->sink->stop)
				break;
		} else if (pass_item(walk, items)) {
			continue;
		}
		if (items->tag)
			walk->tag = items->tag;
		result = walk_item(walk, items);
		walk->tag = tag;
	}
	return result;
}
