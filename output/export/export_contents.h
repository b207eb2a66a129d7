/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What operations do to the bytes of exported files.
 */
#ifndef OUTPUT_EXPORT_EXPORT_CONTENTS_H
#define OUTPUT_EXPORT_EXPORT_CONTENTS_H

#include "output/export/export_names.h"
#include "reassembly/upper/rpc_exchange.h"

struct contents {
	struct disk *disk;
	struct names *names;
	uint64_t written;    /* bytes that came from the capture */
	uint64_t copied;     /* by COPY and CLONE */
	uint64_t untold, not_copied;
	uint64_t asked, answered; /* frames of the exchange at hand */
	/* where the last data stood: data of a message are asked for in its order */
	const struct rpc_part *part;
	uint32_t extent;
	uint64_t extent_begin;
};

/* Data of a message: `length` bytes of its stream from `at` on. */
struct contents_data {
	const struct rpc_part *part;
	uint64_t at, length;
};

/*
 * Bytes that a client wrote (`is_write`) or read, at `offset` of the file. What is not at hand is missing: of a WRITE in any
 * case, of a READ unless the bytes are known from elsewhere.
 */
void contents_put(struct contents *contents, struct node *node, uint64_t offset, const struct contents_data *data, bool is_write);

/* A READ told of a hole. */
void contents_zero(struct contents *contents, struct node *node, uint64_t offset, uint64_t length);

/*
 * What a READ gave is not there: its bytes are missing, where nothing else told them. `is_certain`: the answer still says that the
 * file has so many; else they are missing as far as it is known to reach.
 */
void contents_miss(struct contents *contents, struct node *node, uint64_t offset, uint64_t length, bool is_certain,
		   enum rtap_missing_reason reason);

/*
 * The server told of this size. Where all that was captured explains less, bytes were written that were not captured: they are
 * missing, up to where a WRITE that was captured begins or, by contents_finish(), up to the size.
 */
void contents_told_size(struct contents *contents, struct node *node, uint64_t size);
void contents_finish(struct contents *contents, struct node *node);

/*
 * Attributes were reported: `stamp` is another one after each change of the file. While a call that was not captured may have changed it
 * (struct server, doubt), only the stamp of before shows that it did not; else all that is known of the contents becomes missing.
 * contents_settle(): before the operation at hand changes something, by the attributes from before it, if there are any.
 */
void contents_stamp(struct contents *contents, struct node *node, bool has_stamp, uint64_t stamp);
void contents_settle(struct contents *contents, struct node *node, bool has_stamp, uint64_t stamp);

/* A WRITE or a change of the size whose call was not captured; the reply showed the size after it, and how many bytes were written. */
void contents_unseen_write(struct contents *contents, struct node *node, uint64_t size, uint64_t count);
void contents_unseen_resize(struct contents *contents, struct node *node, uint64_t size);

/* The operation changed contents in a way that is not followed here. */
void contents_unknown(struct node *node);

void contents_resize(struct contents *contents, struct node *node, uint64_t size);
void contents_allocate(struct contents *contents, struct node *node, uint64_t offset, uint64_t length);
void contents_deallocate(struct contents *contents, struct node *node, uint64_t offset, uint64_t length);

/* COPY, CLONE. `from` may be NULL: then nothing is known of it. length 0: up to the source's end. */
void contents_copy(struct contents *contents, struct node *from, uint64_t from_offset, struct node *to, uint64_t to_offset,
		   uint64_t length);

/* Starts a new exchange: the parts of the last one are gone. */
static inline void contents_begin(struct contents *contents, const struct rpc_exchange *exchange)
{
	contents->part = NULL;
	contents->asked = exchange->call.present ? exchange->call.first_frame : exchange->reply.first_frame;
	contents->answered = exchange->reply.present ? exchange->reply.last_frame : exchange->call.last_frame;
}

#endif
