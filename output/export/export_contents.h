/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Effects of operations on the contents of exported files.
 */
#ifndef OUTPUT_EXPORT_EXPORT_CONTENTS_H
#define OUTPUT_EXPORT_EXPORT_CONTENTS_H

#include "output/export/export_names.h"
#include "reassembly/upper/rpc_exchange.h"

struct contents {
	struct disk *disk;
	struct names *names;
	uint64_t written;    /* bytes from the capture */
	uint64_t copied;     /* bytes copied by COPY and CLONE */
	uint64_t unreported, not_copied;
	uint64_t asked, answered; /* frames of the current exchange: call, reply */
	/* position of the last data: data of a message are requested in order */
	const struct rpc_part *part;
	uint32_t extent;
	uint64_t extent_begin;
};

/* Data of a message: `length` bytes of its stream, starting at `at`. */
struct contents_data {
	const struct rpc_part *part;
	uint64_t at, length;
};

/*
 * Stores bytes that a client wrote (`is_write`) or read at `offset` of the file. Bytes that were not captured become missing: for a
 * WRITE always, for a READ unless they are already known.
 */
void contents_put(struct contents *contents, struct node *node, uint64_t offset, const struct contents_data *data, bool is_write);

/* A READ reported a hole. */
void contents_zero(struct contents *contents, struct node *node, uint64_t offset, uint64_t length);

/*
 * The data of a READ are unavailable: marks its bytes as missing unless they are already known. `is_certain`: the reply shows that the
 * file has these bytes; else they are missing only up to the file's known size.
 */
void contents_miss(struct contents *contents, struct node *node, uint64_t offset, uint64_t length, bool is_certain,
		   enum rtap_missing_reason reason);

/*
 * The server reported this size. If captured operations account for less, a WRITE was not captured: its bytes are missing up to the
 * beginning of a captured WRITE or, in contents_finish(), up to the size.
 */
void contents_reported_size(struct contents *contents, struct node *node, uint64_t size);
void contents_finish(struct contents *contents, struct node *node);

/*
 * The server reported attributes; `stamp` differs after each change of the file. If a call that was not captured may have changed the file
 * (struct server, doubt), only an unchanged stamp shows that it did not; otherwise all known contents become missing.
 * contents_settle(): the same before the current operation changes the file, with the attributes from before it, if present.
 */
void contents_stamp(struct contents *contents, struct node *node, bool has_stamp, uint64_t stamp);
void contents_settle(struct contents *contents, struct node *node, bool has_stamp, uint64_t stamp);

/* A WRITE or a change of size whose call was not captured. `size` and `count` (bytes written) come from the reply. */
void contents_unseen_write(struct contents *contents, struct node *node, uint64_t size, uint64_t count);
void contents_unseen_resize(struct contents *contents, struct node *node, uint64_t size);

/* The operation changed the contents in an unsupported way. */
void contents_unknown(struct node *node);

void contents_resize(struct contents *contents, struct node *node, uint64_t size);
void contents_allocate(struct contents *contents, struct node *node, uint64_t offset, uint64_t length);
void contents_deallocate(struct contents *contents, struct node *node, uint64_t offset, uint64_t length);

/* COPY, CLONE. `from` may be NULL: unknown source. length 0: up to the end of the source. */
void contents_copy(struct contents *contents, struct node *from, uint64_t from_offset, struct node *to, uint64_t to_offset,
		   uint64_t length);

/* Starts a new exchange; the parts of the last one are no longer valid. */
static inline void contents_begin(struct contents *contents, const struct rpc_exchange *exchange)
{
	contents->part = NULL;
	contents->asked = exchange->call.present ? exchange->call.first_frame : exchange->reply.first_frame;
	contents->answered = exchange->reply.present ? exchange->reply.last_frame : exchange->call.last_frame;
}

#endif
