/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `rdmatap export --files DIR`: rebuilds the contents of files read and written over NFS from RPC exchanges. Later bytes replace
 * earlier ones, in the order of the replies (of the call if it has no reply), as far as memory permits exchanges to wait.
 *
 * A file is stored at DIR/<path relative to the export's root>; without a known path at DIR/by-handle/<CRC-32 of its handle, 8 hexadecimal
 * digits>, with "-2", "-3" ... if another handle has the same CRC. It is moved when its name is learned later. The root is the handle
 * that MOUNT returned, or the server's NFSv4 root. A file without any known bytes is not created. For the encoding of names as path
 * components see output/export/export_disk.h.
 */
#ifndef OUTPUT_EXPORT_EXPORT_FILES_H
#define OUTPUT_EXPORT_EXPORT_FILES_H

#include <rdmatap/error.h>

#include "output/packet/format.h"
#include "reassembly/upper/rpc_exchange.h"

struct block_effect;
struct file_effect;
struct export_files;

struct export_files_options {
	uint64_t max_memory; /* bytes; half for waiting exchanges, half for handles, names and ranges; 0: 64 MiB */
	bool (*stopped)(void); /* when it returns true, waiting exchanges are dropped and the list of missing ranges ends; or NULL */
};

struct export_files_counts {
	uint64_t exchanges;  /* about files */
	uint64_t dropped;    /* of these, dropped because `stopped` returned true */
	uint64_t unreadable; /* not fully readable: truncated, not captured, malformed, encrypted */
	uint64_t unnamed;    /* calls truncated before the file that they refer to */
	uint64_t orphans;    /* replies without a captured call: their effect, on files or otherwise, is unknown */
	uint64_t evicted;    /* handles and names evicted */
	uint64_t refused;    /* files and names refused for lack of memory */
	uint64_t unreported; /* ranges not recorded for lack of memory: missing ones among them are not reported */
	uint64_t too_far;    /* writes beyond the largest possible file offset */
	uint64_t unsettled;  /* times that files were not moved to their new paths because of the work limit */
	uint64_t on_directories; /* data operations on a node that has directory entries; skipped */
	uint64_t late;       /* exchanges processed after later ones */
	uint64_t block_commands; /* on blocks */
	uint64_t file_operations; /* on files that paths name */
	uint64_t unplaced;   /* of these, on blocks of unknown size */
	uint64_t commandless; /* responses without a captured command: their effect on blocks is unknown */
	uint64_t not_copied; /* bytes of COPY and CLONE beyond the limit for one capture */
};

/* Opens an empty directory or creates it; `directory` is borrowed. NULL: see *error. */
struct export_files *export_files_open(const char *directory, const struct export_files_options *options, struct rtap_error *error);

/* Callbacks of a tracker: `export` is the struct export_files. They do nothing after a failure. */
void export_files_exchange(void *export, const struct rpc_exchange *exchange);

/* A command on the blocks of a device: output/export/export_images.h. */
void export_files_blocks(void *export, const struct block_effect *effect);

/* An operation on a file that a path names: DIR/smb/PATH. */
void export_files_operation(void *export, const struct file_effect *effect);

/* A file error, such as a full disk, ended the export; export_files_close() returns it. */
bool export_files_has_failed(const struct export_files *export);

/* Call after the last exchange: processes waiting exchanges and sets files to their reported sizes. FAILED: as above. */
enum rtap_status export_files_flush(struct export_files *export) __attribute__((warn_unused_result));

/*
 * Prints the ranges of exported files whose bytes are unknown, one per line: path below the directory, offset, length, reason, separated
 * by tabs. These are bytes that operations or sizes imply but that were not captured, and bytes that an uncaptured call may have
 * changed. The last line can have the path "?": the total data, as far as the length is known, of calls truncated before their file.
 * Returns 0 or -errno.
 */
int export_files_print_missing(struct export_files *export, struct printer *printer) __attribute__((warn_unused_result));

struct export_files_counts export_files_count(const struct export_files *export);

/* Closes and frees. FAILED: writing failed, see *error. NULL is ignored. */
enum rtap_status export_files_close(struct export_files *export, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
