/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exported files: the tree of names, with the path on disk and the known contents of each file, and the effects of NFSv3 and NFSv4 operations
 * on these. RFC 1813, section 3.3; RFC 8881, section 18; RFC 7862, section 15. Files are moved on disk when their names become known or change.
 *
 * calls_walk() (reassembly/upper/nfs_calls.c) calls data_read() of export_contents.c with each piece of data that was read and its file, and
 * nfs_names.c for each operation, which calls attributes_reported(), file_created() and file_operation() there.
 */
#ifndef OUTPUT_EXPORT_EXPORT_CONTENTS_H
#define OUTPUT_EXPORT_EXPORT_CONTENTS_H

#include "output/export/export_disk.h"
#include "output/export/export_part.h"
#include "output/export/export_ranges.h"
#include "reassembly/upper/nfs_names.h"

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
	uint64_t changed_frame;    /* latest reply frame of an operation that wrote, extended or deallocated */
	uint64_t guessed_size, guessed_frame; /* probable end of a WRITE without its call, and its reply frame; 0: none */
	bool has_stamp;
	uint64_t stamp;            /* last change attribute or ctime */
	uint64_t doubt;            /* server->doubt when the contents were last certain */
	bool is_certain;           /* some range is data or zeros */
	struct disk_entry *entry;  /* NULL: not exported */
	struct ranges ranges;
	struct ranges pending;     /* what calls without a reply may still change: enum pending_state */
	int64_t pending_ns;        /* when the last of these calls was sent */
	uint64_t confirmed_frame;  /* of the last reply that showed that one was executed */
	uint64_t cut_from, cut_to; /* sizes around the only one of these calls: if the file is found to be shorter than cut_from, it was executed. 0: none */
};

enum pending_state {
	PENDING_STORED,  /* the file has the bytes of a WRITE there */
	PENDING_CHANGED, /* it does not */
	PENDING_DONE,    /* the call was executed, or would change nothing, after node.confirmed_frame */
};

/* Most changes kept that can be outstanding together with a later one. */
#define RECENT_CHANGES 256

/* A change of a file that has a reply. */
struct change {
	uintptr_t file;      /* address of its struct node, which may be gone */
	uint64_t begin, end;
	uint64_t answered;   /* frame of the reply */
	bool is_size;        /* the size was set to `begin`; else bytes were stored */
};

struct contents {
	struct nfs_names walk; /* the first member: callbacks cast to the whole */
	struct name_tree tree; /* of struct server and struct node */
	struct disk *disk;
	uint64_t on_directories; /* file data for a node that is a directory */
	uint64_t written;    /* bytes from the capture */
	uint64_t copied;     /* bytes copied by COPY and CLONE */
	uint64_t unreported, not_copied;
	uint64_t asked, answered; /* frames of the current exchange: call, reply */
	int64_t asked_ns;
	struct change recent[RECENT_CHANGES]; /* ring */
	uint64_t recent_count; /* ever */
	struct part_cursor cursor;
	bool is_placed;      /* some data of the current exchange have a file and an offset, present or missing */
};

/* `max_memory`: bytes, of the tree. */
void contents_init(struct contents *contents, struct disk *disk, uint64_t max_memory);
void contents_fini(struct contents *contents);

/* After the last exchange: sets a file to its reported size. */
void contents_finish(struct contents *contents, struct node *node);

/* A WRITE or a change of size whose call was not captured. `size` and `count` (bytes written) come from the reply. */
void contents_unseen_write(struct contents *contents, struct node *node, uint64_t size, uint64_t count);
void contents_unseen_resize(struct contents *contents, struct node *node, uint64_t size);

/* Starts a new exchange, for calls_walk(&contents->walk, ...); the parts of the last one are no longer valid. */
static inline void contents_begin(struct contents *contents, const struct rpc_exchange *exchange)
{
	contents->cursor.part = NULL;
	contents->is_placed = false;
	contents->asked = exchange->call.present ? exchange->call.first_frame : exchange->reply.first_frame;
	contents->asked_ns = exchange->call.present ? exchange->call.time_ns : exchange->reply.time_ns;
	contents->answered = exchange->reply.present ? exchange->reply.last_frame : exchange->call.last_frame;
}

#endif
