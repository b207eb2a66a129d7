/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "base/multimap.h"

static struct multimap_link *link_of(const struct multimap *map, void *value)
{
	return (struct multimap_link *)(void *)((char *)value + map->link);
}

bool multimap_add(struct multimap *map, uint64_t hash, bool (*equal)(const void *value, const void *key), const void *key, void *value)
{
	void *older = map_find(&map->map, hash, equal, key);

	if (older) {
		map_replace(&map->map, hash, older, value);
		link_of(map, older)->newer = value;
	} else if (!map_add(&map->map, hash, value)) {
		return false;
	}
	*link_of(map, value) = (struct multimap_link){ .older = older, .hash = hash };
	return true;
}

void multimap_remove(struct multimap *map, void *value)
{
	struct multimap_link *link = link_of(map, value);

	if (link->older)
		link_of(map, link->older)->newer = link->newer;
	if (link->newer)
		link_of(map, link->newer)->older = link->older;
	else if (link->older)
		map_replace(&map->map, link->hash, value, link->older);
	else
		map_remove(&map->map, link->hash, value);
	link->newer = link->older = NULL;
}

void multimap_fini(struct multimap *map)
{
	map_fini(&map->map);
}
