/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output directory of `export --files`. Only this code accesses it. It never writes outside the directory: each path component is
 * opened separately below the directory's descriptor, and symbolic links are not followed.
 *
 * Each name that a peer sent becomes one path component (reassembly/upper/name_text.h). A name already in use gets the suffix "~2",
 * "~3" ...
 */
#ifndef OUTPUT_EXPORT_EXPORT_DISK_H
#define OUTPUT_EXPORT_EXPORT_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rdmatap/error.h>

#include "dissect/engine/line.h"
#include "reassembly/upper/name_text.h"

#define DISK_NAME_MAX NAME_TEXT_MAX
#define DISK_MAX_DEPTH 128 /* components of a path */
#define DISK_BY_HANDLE "by-handle"

/* A file or directory created by the export. */
struct disk_entry {
	struct disk_entry *parent; /* NULL: the directory itself */
	char *name;
	unsigned height;           /* highest number of levels below it so far */
	uint64_t size;             /* bytes, of a file */
	int fd;                    /* of a file; -1: not open */
	TAILQ_ENTRY(disk_entry) opened; /* in the list of open files */
	SLIST_ENTRY(disk_entry) link; /* in the list of all entries */
	bool is_directory;
	SLIST_ENTRY(disk_entry) vacated; /* in the list of vacant directories */
};

struct disk {
	int fd;
	const char *path;          /* as the user named it; borrowed */
	struct disk_entry root;
	SLIST_HEAD(, disk_entry) entries; /* for cleanup */
	struct disk_entry *by_handle; /* NULL: not created yet */
	TAILQ_HEAD(, disk_entry) opened; /* the one unused for longest first */
	SLIST_HEAD(, disk_entry) vacant; /* directories without an owner, the latest first */
	unsigned open_files;
	uint32_t serial;           /* suffix for names with very many duplicates */
	uint64_t too_far;          /* writes beyond the largest file offset; skipped */
	uint64_t memory;           /* bytes of all entries */
	bool failed;               /* see error; further operations do nothing */
	struct rtap_error error;
};

/* Opens an empty directory, or creates one if its parent exists. */
enum rtap_status disk_open(struct disk *disk, const char *path, struct rtap_error *error) __attribute__((warn_unused_result));

/* Creates a file or directory in `parent`. `separator` precedes the number if the name is in use. NULL: failed, or too deep. */
struct disk_entry *disk_make(struct disk *disk, struct disk_entry *parent, const uint8_t *name, size_t length, bool directory,
			     char separator);

/* The owner removed the directory: it is kept and reused for the next one of the same name. */
void disk_vacate(struct disk *disk, struct disk_entry *directory);

/* The directory of files without a known path. NULL: failed. */
struct disk_entry *disk_by_handle(struct disk *disk);

/*
 * Moves a file or directory to another directory or name; a name in use gets a number as in disk_make(). Does nothing if the target is
 * inside the directory itself or too deep.
 */
void disk_move(struct disk *disk, struct disk_entry *entry, struct disk_entry *parent, const uint8_t *name, size_t length);

/*
 * Write and read bytes of a file. An offset beyond the largest possible one is counted (too_far) and skipped; any other error sets
 * `failed`. Both return false.
 */
bool disk_write(struct disk *disk, struct disk_entry *entry, uint64_t offset, const uint8_t *bytes, uint64_t length);
bool disk_read(struct disk *disk, struct disk_entry *entry, uint64_t offset, uint8_t *bytes, size_t length);
/* Whether the file has these bytes there. */
bool disk_holds(struct disk *disk, struct disk_entry *entry, uint64_t offset, const uint8_t *bytes, uint64_t length);
bool disk_resize(struct disk *disk, struct disk_entry *entry, uint64_t size);
/* Replaces a range by a hole of zeros; the size does not change. */
bool disk_punch(struct disk *disk, struct disk_entry *entry, uint64_t offset, uint64_t length);

/* Appends the path relative to the directory, as text without control characters. */
void disk_line_path(const struct disk_entry *entry, struct line *line);

/* Closes everything; some write errors are only reported here. FAILED: see *error. */
enum rtap_status disk_close(struct disk *disk, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
