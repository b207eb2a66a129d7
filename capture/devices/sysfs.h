/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading sysfs. A file holds one short value; one that is missing, empty, unreadable, too long or not what was expected has
 * no value, and that is no error: only memory that is out is.
 */
#ifndef CAPTURE_DEVICES_SYSFS_H
#define CAPTURE_DEVICES_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/source.h>

/* Bytes of a path that is looked at, with its end. */
#define SYSFS_PATH 4096

/* Memory that is freed at once. Zero: nothing yet. */
struct sysfs_memory {
	struct sysfs_piece *pieces;
};

/* Zeroed memory, or NULL when it is out. */
void *sysfs_allocate(struct sysfs_memory *memory, size_t size);
char *sysfs_copy(struct sysfs_memory *memory, const char *text);
void sysfs_free(struct sysfs_memory *memory);

/* Composes a path. False: it is too long. */
bool sysfs_path(char path[SYSFS_PATH], const char *format, ...) __attribute__((format(printf, 2, 3), warn_unused_result));

/*
 * The text in a file, without the white space around it: *text is NULL if there is none. False: memory is out.
 * Texts hold no zero bytes, but may hold any other.
 */
bool sysfs_text(struct sysfs_memory *memory, const char *path, const char **text) __attribute__((warn_unused_result));

/* The number up to `most`, decimal or with 0x in front, that a file begins with; behind it may stand ':' or a space and more. */
struct rtap_count sysfs_number(const char *path, uint64_t most);

/* As "0002:c903:00a1:b2c0". Zero is none. */
struct rtap_count sysfs_guid(const char *path);

/* As eight groups of four digits with colons between. False: there is none. */
bool sysfs_gid(const char *path, uint8_t gid[16]);

struct sysfs_names {
	const char **names;
	size_t count;
};

/*
 * The names in a folder, but for those that begin with a dot, sorted as strverscmp(3) does; at most `most`. No folder, no
 * names. False: memory is out.
 */
bool sysfs_list(struct sysfs_memory *memory, const char *path, size_t most, struct sysfs_names *names)
	__attribute__((warn_unused_result));

/* Whether a name is a decimal number without a sign or leading zeros, up to `most`. */
bool sysfs_is_number(const char *name, uint32_t most, uint32_t *number);

#endif
