/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/devices/sysfs.h"

/* The kernel limits an attribute to one page. */
#define MAX_TEXT 4096

struct sysfs_piece {
	SLIST_ENTRY(sysfs_piece) link;
	_Alignas(max_align_t) unsigned char bytes[];
};

void *sysfs_allocate(struct sysfs_memory *memory, size_t size)
{
	struct sysfs_piece *piece = calloc(1, sizeof *piece + size);

	if (!piece)
		return NULL;
	SLIST_INSERT_HEAD(&memory->pieces, piece, link);
	return piece->bytes;
}

char *sysfs_copy(struct sysfs_memory *memory, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = sysfs_allocate(memory, size);

	if (copy)
		memcpy(copy, text, size);
	return copy;
}

void sysfs_free(struct sysfs_memory *memory)
{
	struct sysfs_piece *piece;

	while ((piece = SLIST_FIRST(&memory->pieces))) {
		SLIST_REMOVE_HEAD(&memory->pieces, link);
		free(piece);
	}
}

bool sysfs_path(char path[SYSFS_PATH], const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(path, SYSFS_PATH, format, arguments);
	va_end(arguments);
	return length >= 0 && length < SYSFS_PATH;
}

/* Reads a whole file of at most `room` bytes. -1: it is longer, or cannot be read. */
static ssize_t read_whole(int fd, char *to, size_t room)
{
	size_t used = 0;

	for (;;) {
		char beyond;
		ssize_t count = used < room ? read(fd, to + used, room - used) : read(fd, &beyond, 1);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return count < 0 ? -1 : (ssize_t)used;
		if (used == room)
			return -1;
		used += (size_t)count;
	}
}

/*
 * The trimmed text of a file; "" if it has none. O_NONBLOCK: a FIFO in its place would block. Device simulators intercept plain
 * open(2) with absolute paths.
 */
static const char *read_text(const char *path, char text[MAX_TEXT + 1])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t length = fd < 0 ? -1 : read_whole(fd, text, MAX_TEXT);
	char *begin = text;

	if (fd >= 0)
		close(fd);
	if (length < 0 || memchr(text, 0, (size_t)length))
		length = 0;
	text[length] = 0;
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = 0;
	while (isspace((unsigned char)*begin))
		begin++;
	return begin;
}

bool sysfs_text(struct sysfs_memory *memory, const char *path, const char **text)
{
	char buffer[MAX_TEXT + 1];
	const char *found = read_text(path, buffer);

	*text = NULL;
	if (*found)
		*text = sysfs_copy(memory, found);
	return !*found || *text;
}

struct rtap_count sysfs_number(const char *path, uint64_t most)
{
	char buffer[MAX_TEXT + 1], *end;
	const char *text = read_text(path, buffer);
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	uint64_t value;

	/* strtoull() would accept signs and spaces, and treat a leading zero as octal */
	if (is_hex ? !isxdigit((unsigned char)text[2]) : !isdigit((unsigned char)text[0]))
		return (struct rtap_count){ false, 0 };
	errno = 0;
	value = strtoull(text, &end, is_hex ? 16 : 10);
	if (errno || value > most || (*end && *end != ':' && *end != ' '))
		return (struct rtap_count){ false, 0 };
	return (struct rtap_count){ true, value };
}

/* Groups of four hexadecimal digits with colons between, and nothing else. */
static bool parse_groups(const char *text, size_t groups, uint8_t *bytes)
{
	for (size_t i = 0; i < groups * 4; i++, text++) {
		unsigned char digit;

		if (i && i % 4 == 0 && *text++ != ':')
			return false;
		digit = (unsigned char)*text;
		if (!isxdigit(digit))
			return false;
		digit = (unsigned char)(isdigit(digit) ? digit - '0' : tolower(digit) - 'a' + 10);
		bytes[i / 2] = (uint8_t)(i % 2 ? bytes[i / 2] | digit : digit << 4);
	}
	return !*text;
}

struct rtap_count sysfs_guid(const char *path)
{
	char buffer[MAX_TEXT + 1];
	uint8_t bytes[8];
	uint64_t value = 0;

	if (!parse_groups(read_text(path, buffer), 4, bytes))
		return (struct rtap_count){ false, 0 };
	for (size_t i = 0; i < sizeof bytes; i++)
		value = value << 8 | bytes[i];
	return (struct rtap_count){ value != 0, value };
}

bool sysfs_gid(const char *path, uint8_t gid[16])
{
	char buffer[MAX_TEXT + 1];

	return parse_groups(read_text(path, buffer), 8, gid);
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* Makes room for one more name by doubling; the old array is freed with `memory`. */
static bool grow(struct sysfs_memory *memory, struct sysfs_names *names, size_t *room)
{
	size_t more = *room ? *room * 2 : 16;
	const char **larger;

	if (names->count < *room)
		return true;
	larger = sysfs_allocate(memory, more * sizeof *larger);
	if (!larger)
		return false;
	if (names->count)
		memcpy(larger, names->names, names->count * sizeof *larger);
	names->names = larger;
	*room = more;
	return true;
}

bool sysfs_list(struct sysfs_memory *memory, const char *path, size_t most, struct sysfs_names *names)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	size_t room = 0;
	bool fits = true;

	*names = (struct sysfs_names){ NULL, 0 };
	if (!folder)
		return true;
	while (fits && names->count < most && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		fits = grow(memory, names, &room) && (names->names[names->count] = sysfs_copy(memory, entry->d_name));
		names->count += fits;
	}
	closedir(folder);
	if (names->count)
		qsort(names->names, names->count, sizeof *names->names, compare_names);
	return fits;
}

bool sysfs_is_number(const char *name, uint32_t most, uint32_t *number)
{
	uint64_t value = 0;

	if (!isdigit((unsigned char)name[0]) || (name[0] == '0' && name[1]))
		return false;
	for (; *name; name++) {
		if (!isdigit((unsigned char)*name) || value > most)
			return false;
		value = value * 10 + (uint64_t)(*name - '0');
	}
	*number = (uint32_t)value;
	return value <= most;
}
