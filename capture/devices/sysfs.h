/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading sysfs. A file has one short value; if it is missing, empty, unreadable, too long or malformed, the value is unknown,
 * which is not an error. The only error is lack of memory.
 */
#ifndef CAPTURE_DEVICES_SYSFS_H
#define CAPTURE_DEVICES_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rdmatap/source.h>

/* Maximum size of a path, with its terminator. */
#define SYSFS_PATH 4096

/* Allocations that are freed together. Zero: none yet. */
struct sysfs_memory {
	SLIST_HEAD(, sysfs_piece) pieces;
};

/* Zeroed memory, or NULL if out of memory. */
void *sysfs_allocate(struct sysfs_memory *memory, size_t size);
char *sysfs_copy(struct sysfs_memory *memory, const char *text);
void sysfs_free(struct sysfs_memory *memory);

/* Composes a path. False: it is too long. */
bool sysfs_path(char path[SYSFS_PATH], const char *format, ...) __attribute__((format(printf, 2, 3), warn_unused_result));

/*
 * The text in a file, without leading and trailing white space: *text is NULL if there is none. False: out of memory.
 * Texts may have any bytes except zero bytes.
 */
bool sysfs_text(struct sysfs_memory *memory, const char *path, const char **text) __attribute__((warn_unused_result));

/* The number at the start of a file, at most `most`, decimal or 0x hexadecimal; ':' or a space and more text may follow. */
struct rtap_count sysfs_number(const char *path, uint64_t most);

/* A GUID as "0002:c903:00a1:b2c0". Zero is unknown. */
struct rtap_count sysfs_guid(const char *path);

/* A GID as eight groups of four digits, separated by colons. False: none. */
bool sysfs_gid(const char *path, uint8_t gid[16]);

struct sysfs_names {
	const char **names;
	size_t count;
};

/*
 * The names in a directory, except those that begin with a dot, sorted as by strverscmp(3); at most `most`. None if there is no
 * directory. False: out of memory.
 */
bool sysfs_list(struct sysfs_memory *memory, const char *path, size_t most, struct sysfs_names *names)
	__attribute__((warn_unused_result));

/* Returns whether a name is a decimal number without sign or leading zeros, at most `most`. */
bool sysfs_is_number(const char *name, uint32_t most, uint32_t *number);

#endif
