/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Table-driven XDR: types as arrays of items, and a walk over a stream that passes the values to a sink.
 */
#ifndef DISSECT_RPC_XDR_WALK_H
#define DISSECT_RPC_XDR_WALK_H

#include <rdmatap/field.h>

#include "dissect/rpc/xdr.h"

/*
 * Tables. A type is an array of items that ends with XDR_END; everything is const data.
 */
enum xdr_kind {
	XDR_KIND_END,
	XDR_KIND_U32,      /* unsigned, signed, enum: a word */
	XDR_KIND_U64,
	XDR_KIND_BOOL,     /* a word, 0 or 1 */
	XDR_KIND_FIXED,    /* `bound` bytes and their padding */
	XDR_KIND_OPAQUE,   /* length word, at most `bound` bytes if that is not 0, padding: opaque<> and string<> */
	XDR_KIND_DATA,     /* an opaque that is perhaps DDP-eligible: `ddp` */
	XDR_KIND_STRUCT,   /* the items of `type` */
	XDR_KIND_OPTIONAL, /* a bool and, if true, the items of `type` */
	XDR_KIND_LIST,     /* repeated: a bool and the items of `type`, until the bool is false */
	XDR_KIND_ARRAY,    /* count word (at most `bound` if that is not 0), then the items of `type` that many times */
	XDR_KIND_SWITCH,   /* a word and the items of the arm that it selects */
	XDR_KIND_STATUS,   /* the same, where the word is the status of the last operation */
	XDR_KIND_HOOK,     /* not expressible in a table: `hook` */
	/* hooks with a known layout: brief walks without callbacks skip their items */
	XDR_KIND_HOOK_FIXED,      /* `bound` bytes, as FIXED */
	XDR_KIND_HOOK_OPAQUE,     /* as OPAQUE */
	XDR_KIND_HOOK_WORDS,      /* a count, and as many words */
	XDR_KIND_HOOK_ATTRIBUTES, /* the same, then an opaque that brief walks do not examine */
};

/* Arguments and results that may be in an RPC-over-RDMA chunk instead of the stream. */
enum xdr_ddp {
	XDR_DDP_NONE,
	/* RFC 8267, sections 4 and 6 */
	XDR_DDP_READ, XDR_DDP_READLINK, XDR_DDP_WRITE, XDR_DDP_SYMLINK,
	/* not in RFC 8267; used only between peers that agreed on it */
	XDR_DDP_READ_PLUS, XDR_DDP_GETXATTR, XDR_DDP_SETXATTR,
};

#define XDR_NO_ROW UINT16_MAX

struct xdr_walk;
struct xdr_type;
struct xdr_union;

struct xdr_item {
	uint8_t kind;     /* enum xdr_kind */
	uint8_t tag;      /* applies to the item and to everything within it that has no tag of its own; 0: none. The program's enum */
	uint8_t ddp;      /* enum xdr_ddp */
	uint16_t row;     /* in the program's field table: the value, bytes, count or discriminant; XDR_NO_ROW: not reported */
	uint16_t length_row; /* opaques and DATA: the length word; STATUS: second row for the status; else XDR_NO_ROW */
	uint32_t bound;
	union {
		const struct xdr_type *type;
		const struct xdr_union *arms;
		enum result (*hook)(struct xdr_walk *walk, const struct xdr_item *item);
	};
};

struct xdr_type {
	const char *label; /* of the group with its items; NULL: no group */
	const struct xdr_item *items;
	uint32_t detail;   /* length of its items in bytes, if brief walks skip this type; else 0 */
};

/* The arms of a union. otherwise == NULL: any other value is MALFORMED. */
struct xdr_union {
	const struct xdr_type *otherwise;
	uint32_t count;
	struct {
		uint32_t value;
		const struct xdr_type *type;
	} arms[8];
};

extern const struct xdr_type xdr_void;

#define XDR_END { XDR_KIND_END, 0, 0, XDR_NO_ROW, XDR_NO_ROW, 0, { NULL } }
#define XDR_U32(row) { XDR_KIND_U32, 0, 0, row, XDR_NO_ROW, 0, { NULL } }
#define XDR_U64(row) { XDR_KIND_U64, 0, 0, row, XDR_NO_ROW, 0, { NULL } }
#define XDR_BOOL(row) { XDR_KIND_BOOL, 0, 0, row, XDR_NO_ROW, 0, { NULL } }
#define XDR_FIXED(row, length) { XDR_KIND_FIXED, 0, 0, row, XDR_NO_ROW, length, { NULL } }
#define XDR_OPAQUE(row, bound) { XDR_KIND_OPAQUE, 0, 0, row, XDR_NO_ROW, bound, { NULL } }
#define XDR_OPAQUE_AS(row, bound, tag) { XDR_KIND_OPAQUE, tag, 0, row, XDR_NO_ROW, bound, { NULL } }
#define XDR_DATA(row, length_row, ddp) { XDR_KIND_DATA, 0, ddp, row, length_row, 0, { NULL } }
#define XDR_STRUCT(name) { XDR_KIND_STRUCT, 0, 0, XDR_NO_ROW, XDR_NO_ROW, 0, { .type = &(name) } }
#define XDR_STRUCT_AS(name, tag) { XDR_KIND_STRUCT, tag, 0, XDR_NO_ROW, XDR_NO_ROW, 0, { .type = &(name) } }
#define XDR_OPTIONAL(row, name) XDR_OPTIONAL_AS(row, name, 0)
#define XDR_OPTIONAL_AS(row, name, tag) { XDR_KIND_OPTIONAL, tag, 0, row, XDR_NO_ROW, 0, { .type = &(name) } }
#define XDR_LIST(row, name) { XDR_KIND_LIST, 0, 0, row, XDR_NO_ROW, 0, { .type = &(name) } }
#define XDR_ARRAY(row, bound, name) { XDR_KIND_ARRAY, 0, 0, row, XDR_NO_ROW, bound, { .type = &(name) } }
#define XDR_SWITCH(row, name) { XDR_KIND_SWITCH, 0, 0, row, XDR_NO_ROW, 0, { .arms = &(name) } }
#define XDR_STATUS(row, again, name) { XDR_KIND_STATUS, 0, 0, row, again, 0, { .arms = &(name) } }
#define XDR_HOOK(function) { XDR_KIND_HOOK, 0, 0, XDR_NO_ROW, XDR_NO_ROW, 0, { .hook = function } }
#define XDR_HOOK_OF(kind, bound, function, tag) { XDR_KIND_HOOK_##kind, tag, 0, XDR_NO_ROW, XDR_NO_ROW, bound, { .hook = function } }

/* A struct type named `name` of the items that follow. */
#define XDR_TYPE(name, label, ...) \
	static const struct xdr_item name##_items[] = { __VA_ARGS__, XDR_END }; \
	static const struct xdr_type name = { label, name##_items, 0 }

/* The same for items with a fixed total length of `length` bytes that one-line texts do not show: brief walks skip them. */
#define XDR_DETAIL(name, length, label, ...) \
	static const struct xdr_item name##_items[] = { __VA_ARGS__, XDR_END }; \
	static const struct xdr_type name = { label, name##_items, length }

/* A value found by a walk. Valid during the callback. */
struct xdr_value {
	uint16_t row;         /* of the program's field table */
	uint8_t tag;          /* of the item, or of the innermost enclosing item that has one */
	uint64_t number;      /* words; for opaques and DATA their length */
	struct rtap_span data; /* opaques, DATA and FIXED: bytes are NULL if they are not in memory (or straddle extents and are long) */
	uint64_t offset, length; /* position in the stream, without length word and padding */
};

/*
 * The receiver of a walk. Any callback may be NULL; embed it as the first member of a struct with the owner's state. One walk
 * serves field values (-V, filters), operations and file facts (messages, exports), and the binding of chunks.
 */
struct xdr_sink {
	/* A value, in the order of the stream. */
	void (*value)(struct xdr_sink *sink, const struct xdr_value *decoded);
	/*
	 * Start of an operation: each one in an NFSv4 COMPOUND, otherwise the call's procedure, once and before anything else. `name`
	 * is NULL if the number has none. Values before the first operation belong to the message itself.
	 */
	void (*operation)(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset);
	/* The status of the last operation; before the first one, of the whole COMPOUND. Replies only. `name` may be NULL. */
	void (*status)(struct xdr_sink *sink, uint32_t status, const char *name);
	/* Start and end of a group. */
	void (*enter)(struct xdr_sink *sink, const char *label, uint64_t offset);
	void (*leave)(struct xdr_sink *sink);
	/*
	 * The cursor is at the first byte of a DDP-eligible item of `length` bytes, which is never 0, and has not read them: the
	 * callback can xdr_splice() the chunk with these bytes, and xdr_padding() unless the chunk includes it.
	 * Called for each such item in stream order; not for items of length 0 and failed operations, which `value` (length 0)
	 * and `status` report. `offset` is the item's position in the stream, as in a read segment's Position.
	 */
	void (*eligible)(struct xdr_sink *sink, struct xdr *xdr, enum xdr_ddp ddp, uint64_t offset, uint32_t length);
	const struct rtap_field *fields; /* the program's field table, for names; set at the start of the walk */
	uint64_t unwanted; /* rows not to report: bit N for rows whose number modulo 64 is N */
	const uint64_t *wanted; /* if not NULL, report only these rows: bit first_id + N for row N, 64 bits per word */
	size_t first_id;
	bool hashes; /* also compute expensive rows: hashes of handles and stateids */
	bool brief;  /* skip detail types, handles and NFSv4 attributes without examining them if their bytes are present */
	bool handles; /* with `brief`: report handles nevertheless */
	bool stop;   /* set by the owner to end the walk */
};

#define XDR_SCRATCH 4096

/* A walk in progress; for hooks. */
struct xdr_walk {
	struct xdr *xdr;
	struct xdr_sink *sink;
	uint8_t tag;
	uint8_t depth;
	bool is_reply;
	uint8_t scratch[XDR_SCRATCH]; /* for opaques that straddle extents */
};

/* Walks items. Returns OK also if the sink stopped it. Values reported before a failure are valid. */
enum result xdr_walk_items(struct xdr_walk *walk, const struct xdr_item *items);

/* Returns whether no values are reported, so that bytes in memory can simply be skipped. */
static inline bool xdr_is_silent(const struct xdr_sink *sink)
{
	return sink->brief && !sink->value && !sink->enter;
}

/*
 * Skips items in contiguous memory, from `next` to at most `end`, as a silent walk would, and returns their end. NULL: the end cannot be
 * determined; the walk then finds the error or the bytes. The caller must report a status at the start of the items.
 * `eligible`: the sink wants DDP-eligible items, which are then not skipped.
 */
const uint8_t *xdr_pass_items(const struct xdr_item *items, const uint8_t *next, const uint8_t *end, bool eligible);

/* Report a value that ends at the cursor or, with xdr_report_at(), at another position. */
void xdr_report(struct xdr_walk *walk, uint16_t row, uint64_t number, uint32_t length);
void xdr_report_at(struct xdr_walk *walk, uint16_t row, uint64_t number, uint64_t offset, uint32_t length);
void xdr_report_bytes(struct xdr_walk *walk, uint16_t row, const uint8_t *bytes, uint64_t offset, uint64_t length);

/* Reads a word and reports it as `row`. */
enum result xdr_report_word(struct xdr_walk *walk, uint16_t row, uint32_t *value);

void xdr_enter(struct xdr_walk *walk, const char *label);
void xdr_leave(struct xdr_walk *walk);

/* Returns whether the sink wants a row; if not, it need not be computed. */
bool xdr_wants(const struct xdr_walk *walk, uint16_t row);

/* Name of a value according to the program's field table, or NULL. */
const char *xdr_name(const struct xdr_walk *walk, uint16_t row, uint64_t value);

#endif
