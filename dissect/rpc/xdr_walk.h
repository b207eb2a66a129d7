/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XDR by tables: types as arrays of items, and the walk over a stream that tells a sink what it finds.
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
	XDR_KIND_STRUCT,   /* `type`'s items */
	XDR_KIND_OPTIONAL, /* a bool, then if true `type`'s items */
	XDR_KIND_LIST,     /* a bool and `type`'s items again and again, until the bool is false */
	XDR_KIND_ARRAY,    /* count word (at most `bound` if that is not 0), that many times `type`'s items */
	XDR_KIND_SWITCH,   /* a word and the items of the arm that it chooses */
	XDR_KIND_STATUS,   /* the same, and the word is the status of the operation begun last */
	XDR_KIND_HOOK,     /* what no table can say: `hook` */
	/* hooks whose items take what the table says: brief walks that tell nobody pass over them */
	XDR_KIND_HOOK_FIXED,      /* `bound` bytes, as FIXED */
	XDR_KIND_HOOK_OPAQUE,     /* as OPAQUE */
	XDR_KIND_HOOK_WORDS,      /* a count, and as many words */
	XDR_KIND_HOOK_ATTRIBUTES, /* the same, then an opaque into which a brief walk does not look */
};

/* Arguments and results that an RPC-over-RDMA chunk may carry in place of the stream. */
enum xdr_ddp {
	XDR_DDP_NONE,
	/* RFC 8267, sections 4 and 6 */
	XDR_DDP_READ, XDR_DDP_READLINK, XDR_DDP_WRITE, XDR_DDP_SYMLINK,
	/* not named there; seen only of peers that agreed upon it */
	XDR_DDP_READ_PLUS, XDR_DDP_GETXATTR, XDR_DDP_SETXATTR,
};

#define XDR_NO_ROW UINT16_MAX

struct xdr_walk;
struct xdr_type;
struct xdr_union;

struct xdr_item {
	uint8_t kind;     /* enum xdr_kind */
	uint8_t tag;      /* told with the item and with all in it that has no tag of its own; 0: none. The program's enum */
	uint8_t ddp;      /* enum xdr_ddp */
	uint16_t row;     /* of the program's field table: the value, bytes, count or discriminant; XDR_NO_ROW: not told */
	uint16_t length_row; /* of opaques and DATA: their length word; of STATUS: tells the status again; else XDR_NO_ROW */
	uint32_t bound;
	union {
		const struct xdr_type *type;
		const struct xdr_union *arms;
		enum result (*hook)(struct xdr_walk *walk, const struct xdr_item *item);
	};
};

struct xdr_type {
	const char *label; /* of the group that its items are shown in; NULL: no group */
	const struct xdr_item *items;
	uint32_t detail;   /* bytes that its items take, of a type that brief walks leave out; 0: they do not */
};

/* The arms of a union; values in between belong to none. otherwise == NULL: any other value is MALFORMED. */
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

/* The same of items that always take `length` bytes, and that nobody wants to see in one line: a brief walk passes over it. */
#define XDR_DETAIL(name, length, label, ...) \
	static const struct xdr_item name##_items[] = { __VA_ARGS__, XDR_END }; \
	static const struct xdr_type name = { label, name##_items, length }

/* Something that a walk found. Valid for the call that it is told in. */
struct xdr_told {
	uint16_t row;         /* of the program's field table */
	uint8_t tag;          /* the item's, or that of the nearest item around it which has one */
	uint64_t number;      /* words; for opaques and DATA their length */
	struct rtap_span data; /* opaques, DATA and FIXED: bytes are NULL when they are not in memory (or straddle and are long) */
	uint64_t offset, length; /* where it stands in the stream; without length word and padding */
};

/*
 * Who is told of a walk. Every call may be NULL; embed it as the first member of a struct with the owner's state. One walk
 * serves field values (-V, filters), operations and file facts (messages, exports), and the binding of chunks.
 */
struct xdr_sink {
	/* A value, in the order of the stream. */
	void (*value)(struct xdr_sink *sink, const struct xdr_told *told);
	/*
	 * An operation begins: NFSv4's, one by one, or else the call's procedure, once and before anything else. `name` is NULL
	 * for a number that has none. Values that are told before the first are of the message itself.
	 */
	void (*operation)(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset);
	/* The status of the operation begun last; without one (COMPOUND) of the whole. Replies only. `name` or NULL. */
	void (*status)(struct xdr_sink *sink, uint32_t status, const char *name);
	/* A group begins, ends. */
	void (*enter)(struct xdr_sink *sink, const char *label, uint64_t offset);
	void (*leave)(struct xdr_sink *sink);
	/*
	 * The cursor stands at the first byte of a DDP-eligible item of `length` bytes, which is never 0, and has not looked at
	 * them yet: now is the time to xdr_splice() the chunk that carries them, and xdr_padding() unless the chunk has it.
	 * Called for each such item in the order of the stream, so not for items of length 0 and not where an operation
	 * failed; those are known by `value` (length 0) and `status`. `offset` is the item's place in the stream: what a
	 * read segment's Position says.
	 */
	void (*eligible)(struct xdr_sink *sink, struct xdr *xdr, enum xdr_ddp ddp, uint64_t offset, uint32_t length);
	const struct rtap_field *fields; /* the program's field table, for names; set by the walk's beginning */
	uint64_t unwanted; /* rows not to be told: bit N of those whose number modulo 64 is N */
	const uint64_t *wanted; /* NULL, or only these are: bit first_id + N of row N, 64 a word */
	size_t first_id;
	bool hashes; /* also rows that are worked out from others and cost time: hashes of handles and stateids */
	bool brief;  /* types that are details, handles, and NFSv4's attributes are passed over without a look if their bytes are there */
	bool stop;   /* set by the owner: enough is known, walk no further */
};

#define XDR_SCRATCH 4096

/* A walk under way; for hooks. */
struct xdr_walk {
	struct xdr *xdr;
	struct xdr_sink *sink;
	uint8_t tag;
	uint8_t depth;
	bool is_reply;
	uint8_t scratch[XDR_SCRATCH]; /* for opaques that straddle extents */
};

/* Walks items. Ends with OK, also when the sink stopped it; what was told before a failure stays told. */
enum result xdr_walk_items(struct xdr_walk *walk, const struct xdr_item *items);

/* Whether nobody is told of values, so that what can be seen to be there need only be passed over. */
static inline bool xdr_is_silent(const struct xdr_sink *sink)
{
	return sink->brief && !sink->value && !sink->enter;
}

/*
 * Passes over items in one piece of memory, from `next` to `end` at most, as a silent walk would. Gives where they end. NULL: that cannot be
 * seen; then the walk finds out what is wrong, or where the bytes are. A status that they begin with is for the caller to tell.
 * `eligible`: the sink is told of DDP-eligible items, which are not passed over then.
 */
const uint8_t *xdr_pass_items(const struct xdr_item *items, const uint8_t *next, const uint8_t *end, bool eligible);

/* Tells a value that ends at the cursor, or stands elsewhere. */
void xdr_tell(struct xdr_walk *walk, uint16_t row, uint64_t number, uint32_t length);
void xdr_tell_at(struct xdr_walk *walk, uint16_t row, uint64_t number, uint64_t offset, uint32_t length);
void xdr_tell_bytes(struct xdr_walk *walk, uint16_t row, const uint8_t *bytes, uint64_t offset, uint64_t length);

/* A word, told as `row`. */
enum result xdr_told_word(struct xdr_walk *walk, uint16_t row, uint32_t *value);

void xdr_enter(struct xdr_walk *walk, const char *label);
void xdr_leave(struct xdr_walk *walk);

/* Whether the sink is to be told of a row. What is worked out for it alone need not be if not. */
bool xdr_wants(const struct xdr_walk *walk, uint16_t row);

/* Name of a value by the program's table of fields, or NULL. */
const char *xdr_name(const struct xdr_walk *walk, uint16_t row, uint64_t value);

#endif
