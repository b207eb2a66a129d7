/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/export/export_unseen.h"

/* Each file is compared with all of them. */
#define MOST_ENTRIES 1024
#define MOST_PIECES 1024      /* of the range of a change */

static struct unseen *find(struct unseen_changes *changes, const char *path, uint64_t first)
{
	struct unseen *unseen;

	SLIST_FOREACH(unseen, &changes->list, link)
		if (unseen->first == first && !strcmp(unseen->path, path))
			return unseen;
	return NULL;
}

static struct unseen *create(struct unseen_changes *changes, const char *path, uint64_t first, size_t room, size_t *memory)
{
	size_t length = strlen(path), size = sizeof(struct unseen) + length + 1;
	struct unseen *unseen = changes->count < MOST_ENTRIES && size <= room ? calloc(1, size) : NULL;

	if (!unseen)
		return NULL;
	unseen->path = memcpy(unseen + 1, path, length + 1);
	unseen->length = length;
	unseen->first = first;
	changes->count++;
	SLIST_INSERT_HEAD(&changes->list, unseen, link);
	*memory = size;
	return unseen;
}

/* Keeps later frames, because changes are not added in the order of responses. */
static bool add_range(struct unseen_changes *changes, struct unseen *unseen, uint64_t begin, uint64_t end, uint64_t frame)
{
	uint64_t most = changes->most_extents ? changes->most_extents : UNSEEN_EXTENTS, before, stop;
	const struct extent_facts facts = { .is_known = true, .frame = frame };
	unsigned pieces = 0;

	for (; begin < end; begin = stop) {
		struct extent here = extents_at(&unseen->ranges, begin);

		stop = here.end < end ? here.end : end;
		if (pieces++ == MOST_PIECES)
			return false;
		if (here.facts.is_known && here.facts.frame >= frame)
			continue;
		before = unseen->ranges.count;
		if (!extents_set(&unseen->ranges, begin, stop, &facts, before + most - changes->extents))
			return false;
		changes->extents += unseen->ranges.count - before;
	}
	return true;
}

size_t unseen_add(struct unseen_changes *changes, const char *path, uint64_t first, uint64_t frame, uint64_t begin, uint64_t end, size_t room)
{
	struct unseen *unseen = *path || first ? find(changes, path, first) : &changes->any;
	size_t memory = 0;

	if (!unseen)
		unseen = create(changes, path, first, room, &memory);
	if (!unseen)
		unseen = &changes->any;
	changes->ranges++;
	if (((!begin && end == UINT64_MAX) || !add_range(changes, unseen, begin, end, frame)) && frame > unseen->frame)
		unseen->frame = frame;
	return memory;
}

bool unseen_is_of(const struct unseen *unseen, const char *path, uint64_t born)
{
	/* an id that was used before the file was created is that of another file */
	if (unseen->first && unseen->first < born)
		return false;
	return !unseen->length || (!strncmp(path, unseen->path, unseen->length) && path[unseen->length] == '/');
}

void unseen_fini(struct unseen_changes *changes)
{
	struct unseen *unseen;

	while ((unseen = SLIST_FIRST(&changes->list))) {
		SLIST_REMOVE_HEAD(&changes->list, link);
		extents_fini(&unseen->ranges);
		free(unseen);
	}
	extents_fini(&changes->any.ranges);
}
