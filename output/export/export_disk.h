/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The directory that `export --files` fills, and the only code that touches it. Nothing outside it is ever written: every
 * component is opened by itself below the directory's descriptor, and symbolic links are not followed.
 *
 * Names that peers sent become one component of a path each. Printable ASCII and well-formed UTF-8 stay as they are. "%" and
 * two upper-case hexadecimal digits stand for: each byte of "." and "..", "/", NUL, control characters, bytes that are no
 * UTF-8 or would disturb a terminal, and "%" itself where two hexadecimal digits follow it. The empty name is "%-". Longer
 * than 255 bytes: the first 246, "%", and the CRC-32 of the name as 8 digits. A name that is taken gets "~2", "~3" ...
 */
#ifndef OUTPUT_EXPORT_EXPORT_DISK_H
#define OUTPUT_EXPORT_EXPORT_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>

#include "dissect/engine/line.h"

#define DISK_NAME_MAX 255
#define DISK_MAX_DEPTH 128 /* components of a path */
#define DISK_BY_HANDLE "by-handle"

/* A file or directory that was made. */
struct disk_entry {
	struct disk_entry *parent; /* NULL: the directory itself */
	char *name;
	unsigned height;           /* levels below it, at the most that there ever were */
	uint64_t size;             /* bytes, of a file */
	int fd;                    /* of a file; -1: not open now */
	struct disk_entry *newer, *older; /* open files by use */
	struct disk_entry *all;    /* chain for the end */
	bool is_directory;
	struct disk_entry *next_vacant;
};

struct disk {
	int fd;
	const char *path;          /* as the user named it; borrowed */
	struct disk_entry root, *entries;
	struct disk_entry *by_handle; /* NULL: not made yet */
	struct disk_entry *newest, *oldest;
	struct disk_entry *vacant; /* directories without an owner, the latest first */
	unsigned open_files;
	uint32_t serial;           /* of names that are taken very often */
	uint64_t too_far;          /* writes behind what a file can hold; left out */
	uint64_t memory;           /* bytes that entries take */
	bool failed;               /* see error; nothing is done any more */
	struct rtap_error error;
};

/* Opens a new or empty directory, which is made if its parent is there. */
enum rtap_status disk_open(struct disk *disk, const char *path, struct rtap_error *error) __attribute__((warn_unused_result));

/* Makes a file or directory in `parent`. `separator` stands before the number if the name is taken. NULL: failed, or too deep. */
struct disk_entry *disk_make(struct disk *disk, struct disk_entry *parent, const uint8_t *name, size_t length, bool directory,
			     char separator);

/* The directory was removed by its owner: it stays, for the next one of the same name. */
void disk_vacate(struct disk *disk, struct disk_entry *directory);

/* The directory of files without a known path. NULL: failed. */
struct disk_entry *disk_by_handle(struct disk *disk);

/* Moves a file or directory to another directory or name, likewise. It stays where it is if that is its own inside, or too deep. */
void disk_move(struct disk *disk, struct disk_entry *entry, struct disk_entry *parent, const uint8_t *name, size_t length);

/*
 * Bytes of a file. An offset that no file can have is counted (too_far) and left out; other trouble makes the disk fail.
 * False in both cases.
 */
bool disk_write(struct disk *disk, struct disk_entry *entry, uint64_t offset, const uint8_t *bytes, uint64_t length);
bool disk_read(struct disk *disk, struct disk_entry *entry, uint64_t offset, uint8_t *bytes, size_t length);
bool disk_resize(struct disk *disk, struct disk_entry *entry, uint64_t size);
/* Zeros, without taking room; the size stays. */
bool disk_punch(struct disk *disk, struct disk_entry *entry, uint64_t offset, uint64_t length);

/* The path below the directory, as text without controls. */
void disk_line_path(const struct disk_entry *entry, struct line *line);

/* Closes everything: the result of writing is only known then. FAILED: see *error. */
enum rtap_status disk_close(struct disk *disk, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
