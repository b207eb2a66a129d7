/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture/capture_points.h"

#define MOST_ENDS 4096 /* each interface that begins is compared with all */
#define MOST_TEXT 255

/* How much the name of a file is like that of another one of the series. The order of members is that of their weight. */
struct likeness {
	size_t numbers; /* that are equal: node1_00002 continues node1_00001, not node2_00001 */
	size_t prefix;  /* equal bytes at the beginning */
	bool has_index; /* the interface is the same one of the file */
};

/* FNV-1a, 64 bits. */
static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

uint64_t capture_part_kind(const struct rtap_interface *interface)
{
	const char *name = interface->name ? interface->name : "";

	return add_bytes(add_bytes(UINT64_C(0xcbf29ce484222325), &interface->link_type, sizeof interface->link_type), name, strnlen(name, MOST_TEXT));
}

static size_t digits_at(const char *text)
{
	return strspn(text, "0123456789");
}

/* False: the names differ in more than digits. tcpdump's first file has no number. */
static bool compare_names(const char *one, const char *other, struct likeness *likeness)
{
	const char *begin = one;
	bool is_prefix = true;

	*likeness = (struct likeness){ .numbers = 0 };
	for (;;) {
		size_t digits = digits_at(one), others = digits_at(other);

		if (digits && digits == others && !memcmp(one, other, digits))
			likeness->numbers++;
		for (size_t i = 0; is_prefix && i < digits; i++) {
			is_prefix = one[i] == other[i];
			likeness->prefix += is_prefix;
		}
		is_prefix = is_prefix && digits == others;
		one += digits;
		other += others;
		if (*one != *other)
			return false;
		if (!*one)
			return one > begin;
		likeness->prefix += is_prefix;
		one++;
		other++;
	}
}

static bool is_more(const struct likeness *one, const struct likeness *other)
{
	if (one->numbers != other->numbers)
		return one->numbers > other->numbers;
	if (one->prefix != other->prefix)
		return one->prefix > other->prefix;
	return one->has_index && !other->has_index;
}

/* NULL: it begins a point. */
static struct capture_end *find_end(const struct capture_points *points, const struct capture_part *part, capture_files_ended *has_ended,
				    const void *owner)
{
	struct capture_end *found = NULL;
	struct likeness most = { .numbers = 0 }, likeness;

	for (size_t i = 0; i < points->count; i++) {
		struct capture_end *end = &points->ends[i];

		if (end->part.kind != part->kind || !has_ended(owner, end->part.file_number) || !compare_names(part->file, end->part.file, &likeness))
			continue;
		likeness.has_index = end->part.index == part->index;
		if (found && !is_more(&likeness, &most))
			continue;
		found = end;
		most = likeness;
	}
	return found;
}

static struct capture_end *add_end(struct capture_points *points)
{
	struct capture_end *ends;

	if (points->count == MOST_ENDS)
		return &points->ends[points->oldest++ % MOST_ENDS];
	ends = array_grow(points->ends, &points->room, points->count + 1, sizeof *ends);
	if (!ends)
		return NULL;
	points->ends = ends;
	return &ends[points->count++];
}

uint16_t capture_points_begin(struct capture_points *points, const struct capture_part *part, uint32_t number,
			      capture_files_ended *has_ended, const void *owner)
{
	uint16_t point = (uint16_t)number;
	struct capture_end *end;

	if (!part->file)
		return point;
	end = find_end(points, part, has_ended, owner);
	if (end)
		point = end->point;
	else
		end = add_end(points);
	if (end)
		*end = (struct capture_end){ *part, point };
	return point;
}

void capture_points_fini(struct capture_points *points)
{
	free(points->ends);
}
