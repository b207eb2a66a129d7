/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `rdmatap export --files DIR`: the contents of the files that were read and written over NFS, put together from RPC
 * exchanges. Later bytes win, in the order of the replies (of the call if there is none), as far as memory lets exchanges wait.
 *
 * A file stands at DIR/<path relative to the export's root>; without a known path at DIR/by-handle/<CRC-32 of its handle, 8 hexadecimal
 * digits>, and "-2", "-3" ... if another handle has the same. It moves when its name is learned later. The root is what MOUNT gave, or
 * NFSv4's root of the server. A file that not a byte was told of is not made. How names become components of a path:
 * output/export/export_disk.h.
 */
#ifndef OUTPUT_EXPORT_EXPORT_FILES_H
#define OUTPUT_EXPORT_EXPORT_FILES_H

#include <rdmatap/error.h>

#include "output/packet/format.h"
#include "reassembly/upper/rpc_exchange.h"

struct export_files;

struct export_files_options {
	uint64_t max_memory; /* bytes for exchanges that wait, and for handles, names and ranges, half each; 0: 64 MiB */
	bool (*stopped)(void); /* when it says so what waits is dropped, and the list ends; or NULL */
};

struct export_files_counts {
	uint64_t exchanges;  /* about files */
	uint64_t dropped;    /* of these, when `stopped` said so */
	uint64_t unreadable; /* of which something could not be read: cut off, not captured, malformed, encrypted */
	uint64_t nameless;   /* calls cut off by the capture before what they are about */
	uint64_t uncalled;   /* replies whose calls were not captured: what they did, to files or else, is not known */
	uint64_t forgotten;  /* handles and names that made room for others */
	uint64_t refused;    /* files and names that there was no room for */
	uint64_t untold;     /* ranges that there was no room to remember: missing ones among them are not told */
	uint64_t too_far;    /* writes at offsets that no file here can have */
	uint64_t unsettled;  /* times that files were not moved to their new paths, for it would have been too much work */
	uint64_t contrary;   /* operations on data of what is a directory by its names; they are left out */
	uint64_t late;       /* exchanges that came behind their turn */
	uint64_t not_copied; /* bytes of COPY and CLONE over what is copied for one capture */
};

/* Opens a new or empty directory; the text is borrowed. NULL: see *error. */
struct export_files *export_files_open(const char *directory, const struct export_files_options *options, struct rtap_error *error);

/* FAILED: the disk is full, or the like: see export_files_close(). */
enum rtap_status export_files_exchange(struct export_files *export,
				       const struct rpc_exchange *exchange) __attribute__((warn_unused_result));

/* The last exchange was told: nothing waits any longer, and files get the size that was told. FAILED: likewise. */
enum rtap_status export_files_flush(struct export_files *export) __attribute__((warn_unused_result));

/*
 * Prints the ranges of exported files whose bytes are not known, a line each: path below the directory, offset, length, reason, with
 * tabs between. Those are bytes that operations or sizes showed to be there but that were not captured, and bytes that a call may
 * have changed which was not captured. The last line can be of path "?": data of calls that were cut off before their file, one
 * after another, as far as the length is known. 0 or -errno.
 */
int export_files_print_missing(const struct export_files *export, struct printer *printer) __attribute__((warn_unused_result));

struct export_files_counts export_files_count(const struct export_files *export);

/* Closes and frees. FAILED: writing failed, see *error. NULL is fine. */
enum rtap_status export_files_close(struct export_files *export, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
