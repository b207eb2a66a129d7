/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exported files: the tree of names, with the path on disk and the known contents of each file, and the effects of operations on these.
 * Files are moved on disk when their names become known or change.
 */
#ifndef OUTPUT_EXPORT_EXPORT_CONTENTS_H
#define OUTPUT_EXPORT_EXPORT_CONTENTS_H

#include "output/export/export_disk.h"
#include "output/export/export_ranges.h"
#include "reassembly/upper/name_tree.h"
#include "reassembly/upper/rpc_exchange.h"

struct server {
	struct name_server name;
	uint64_t doubt;       /* number of uncaptured calls that may have changed the contents of any file */
	uint64_t doubt_frame; /* reply frame of the latest one */
};

/* A file or directory of a server. */
struct node {
	struct name_node name;     /* `placed`: the name that the entry is stored under; NULL: its handle, or an older name */
	bool size_known;           /* the server's size is entry->size */
	uint64_t reported_size;    /* size in the last attributes */
	uint64_t unseen_size;      /* reported size that no captured operation explains; 0: none */
	uint64_t unseen_frame, resized_frame; /* reply frames: of unseen_size; of the last operation that set a size */
	uint64_t grown_frame;      /* latest reply frame of an operation that may have extended the file */
	uint64_t guessed_size, guessed_frame; /* probable end of a WRITE without its call, and its reply frame; 0: none */
	bool has_stamp;
	uint64_t stamp;            /* last change attribute or ctime */
	uint64_t doubt;            /* server->doubt when the contents were last certain */
	bool is_certain;           /* some range is data or zeros */
	struct disk_entry *entry;  /* NULL: not exported */
	struct ranges ranges;
};

struct contents {
	struct name_tree tree; /* of struct server and struct node */
	struct disk *disk;
	uint64_t on_directories; /* file data for a node that is a directory */
	uint64_t written;    /* bytes from the capture */
	uint64_t copied;     /* bytes copied by COPY and CLONE */
	uint64_t unreported, not_copied;
	uint64_t asked, answered; /* frames of the current exchange: call, reply */
	/* position of the last data: data of a message are requested in order */
	const struct rpc_part *part;
	uint32_t extent;
	uint64_t extent_begin;
};

/* `max_memory`: bytes, of the tree. */
void contents_init(struct contents *contents, struct disk *disk, uint64_t max_memory);
void contents_fini(struct contents *contents);

/* Data of a message: `length` bytes of its stream, starting at `at`. */
struct contents_data {
	const struct rpc_part *part;
	uint64_t at, length;
	bool is_doubtful;    /* the WRITE may have failed: no reply shows its status */
};

/*
 * Stores bytes that a client wrote (`is_write`) or read at `offset` of the file. Bytes that were not captured become missing: for a
 * WRITE always, for a READ unless they are already known. Doubtful bytes are stored, and missing.
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
