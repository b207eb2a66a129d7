/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/error.h"
#include "output/export/export_iolog.h"
#include "output/packet/printer_file.h"

#define NANOSECONDS_PER_MICROSECOND 1000
#define FIRST_ROOM 1024
#define NUMBER_TEXT 24
#define MOST_DEVICES 1024 /* lookup is linear; commands on further devices are omitted */
#define MOST_LENGTH (UINT64_C(1) << 30) /* of an entry: fio reads 32 bits */

/* A device and its name in the log. */
struct device {
	SLIST_ENTRY(device) link;
	char name[];              /* target and unit, without characters that the format does not allow */
};

struct entry {
	int64_t time_ns;
	uint64_t number;          /* in the order of arrival, for equal times */
	uint64_t offset, length;
	const struct device *device;
	enum block_effect_kind kind;
};

struct export_iolog {
	struct printer_file file;
	SLIST_HEAD(, device) devices; /* the one named last comes first */
	unsigned device_count;
	struct entry *entries;
	size_t count, room;
	uint64_t max_memory, memory, left_out, unplaced;
};

/* Adds a part of a name; characters that the format does not allow become '_'. */
static void add_part(char **next, const char *part)
{
	for (; *part; part++)
		*(*next)++ = *part == ' ' || *part == '/' ? '_' : *part;
}

/* "target/unit", on the heap; NULL: out of memory. */
static char *name_of(const struct block_effect *effect)
{
	char number[NUMBER_TEXT], *name, *next;
	const char *unit = effect->name ? effect->name : number;

	snprintf(number, sizeof number, "%" PRIu64, effect->unit);
	name = next = malloc(strlen(effect->target) + strlen(unit) + 2);
	if (!name)
		return NULL;
	add_part(&next, effect->target);
	*next++ = '/';
	add_part(&next, unit);
	*next = '\0';
	return name;
}

static const struct device *find(struct export_iolog *iolog, const struct block_effect *effect)
{
	char *name = name_of(effect);
	struct device *device;
	size_t size;

	if (!name)
		return NULL;
	size = sizeof *device + strlen(name) + 1;
	SLIST_FOREACH(device, &iolog->devices, link)
		if (!strcmp(device->name, name))
			break;
	if (!device && iolog->device_count < MOST_DEVICES && iolog->memory + size <= iolog->max_memory && (device = malloc(size))) {
		memcpy(device->name, name, strlen(name) + 1);
		SLIST_INSERT_HEAD(&iolog->devices, device, link);
		iolog->device_count++;
		iolog->memory += size;
	}
	free(name);
	return device;
}

static bool has_room(struct export_iolog *iolog)
{
	size_t room = iolog->room ? 2 * iolog->room : FIRST_ROOM, more = (room - iolog->room) * sizeof *iolog->entries;
	struct entry *larger;

	if (iolog->count < iolog->room)
		return true;
	larger = iolog->memory + more <= iolog->max_memory ? realloc(iolog->entries, room * sizeof *larger) : NULL;
	if (!larger)
		return false;
	iolog->memory += more;
	iolog->entries = larger;
	iolog->room = room;
	return true;
}

void export_iolog_take(void *owner, const struct block_effect *effect)
{
	struct export_iolog *iolog = owner;
	const struct device *device;

	if (effect->kind == BLOCK_UNSEEN)
		return;
	/* fio has no such actions */
	if (effect->to_end || effect->kind == BLOCK_COPIED || effect->unit == BLOCK_ALL_UNITS) {
		iolog->left_out++;
		return;
	}
	if (!effect->length) {
		iolog->unplaced++;
		return;
	}
	device = find(iolog, effect);
	if (!device) {
		iolog->left_out++;
		return;
	}
	for (uint64_t done = 0, length; done < effect->length; done += length) {
		length = effect->length - done < MOST_LENGTH ? effect->length - done : MOST_LENGTH;
		if (!has_room(iolog)) {
			iolog->left_out++;
			return;
		}
		iolog->entries[iolog->count] = (struct entry){ effect->time_ns, iolog->count, effect->offset + done, length, device, effect->kind };
		iolog->count++;
	}
}

static int order(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void write_head(const void *what, struct line *line)
{
	(void)what;
	line_text(line, "fio version 3 iolog\n");
}

static void write_name(const struct device *device, struct line *line)
{
	line_text(line, "/block/");
	line_text(line, device->name);
}

/* A device and an action on it. */
struct action {
	const struct device *device;
	const char *what;
	uint64_t time_us;
};

static void write_action(const void *what, struct line *line)
{
	const struct action *action = what;

	line_dec(line, action->time_us);
	line_char(line, ' ');
	write_name(action->device, line);
	line_char(line, ' ');
	line_text(line, action->what);
	line_char(line, '\n');
}

/* An entry, with its time since the first. */
struct timed {
	const struct entry *entry;
	uint64_t time_us;
};

static void write_entry(const void *what, struct line *line)
{
	static const char *const actions[] = { [BLOCK_READ] = "read", [BLOCK_WRITTEN] = "write", [BLOCK_REPEATED] = "write", [BLOCK_COPIED] = "write",
						     [BLOCK_ZEROED] = "trim", [BLOCK_SPOILED] = "write" };
	const struct timed *timed = what;

	line_dec(line, timed->time_us);
	line_char(line, ' ');
	write_name(timed->entry->device, line);
	line_char(line, ' ');
	line_text(line, actions[timed->entry->kind]);
	line_char(line, ' ');
	line_dec(line, timed->entry->offset);
	line_char(line, ' ');
	line_dec(line, timed->entry->length);
	line_char(line, '\n');
}

static int write_devices(struct export_iolog *iolog, const char *what, uint64_t time_us)
{
	const struct device *device;
	int result = 0;

	SLIST_FOREACH(device, &iolog->devices, link)
		if (!result)
			result = printer_write(&iolog->file.printer, write_action, &(struct action){ device, what, time_us });
	return result;
}

static int write_all(struct export_iolog *iolog)
{
	uint64_t time_us = 0;
	int result = printer_write(&iolog->file.printer, write_head, NULL);

	if (iolog->count)
		qsort(iolog->entries, iolog->count, sizeof *iolog->entries, order);
	if (!result)
		result = write_devices(iolog, "add", 0);
	if (!result)
		result = write_devices(iolog, "open", 0);
	for (size_t i = 0; i < iolog->count && !result; i++) {
		const struct entry *entry = &iolog->entries[i];

		time_us = ((uint64_t)entry->time_ns - (uint64_t)iolog->entries[0].time_ns) / NANOSECONDS_PER_MICROSECOND;
		result = printer_write(&iolog->file.printer, write_entry, &(struct timed){ entry, time_us });
	}
	if (!result)
		result = write_devices(iolog, "close", time_us);
	return result;
}

enum rtap_status export_iolog_open(struct export_iolog **opened, const char *name, uint64_t max_memory, struct rtap_error *error)
{
	struct export_iolog *iolog = calloc(1, sizeof *iolog);

	*opened = NULL;
	if (!iolog) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	iolog->max_memory = max_memory;
	if (printer_file_open(&iolog->file, name, error) != RTAP_STATUS_OK) {
		free(iolog);
		return RTAP_STATUS_FAILED;
	}
	*opened = iolog;
	return RTAP_STATUS_OK;
}

void export_iolog_count(const struct export_iolog *iolog, uint64_t *written, uint64_t *left_out, uint64_t *unplaced)
{
	*written = iolog->count;
	*left_out = iolog->left_out;
	*unplaced = iolog->unplaced;
}

enum rtap_status export_iolog_close(struct export_iolog *iolog, struct rtap_error *error)
{
	enum rtap_status status;
	struct device *device;

	if (!iolog)
		return RTAP_STATUS_OK;
	status = printer_file_close(&iolog->file, write_all(iolog), error);
	while ((device = SLIST_FIRST(&iolog->devices))) {
		SLIST_REMOVE_HEAD(&iolog->devices, link);
		free(device);
	}
	free(iolog->entries);
	free(iolog);
	return status;
}
