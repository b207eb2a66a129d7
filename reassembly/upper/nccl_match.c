/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "reassembly/upper/nccl_match.h"

#define MOST_EXAMINED 512 /* announcements with one key; a communicator has up to 256 at a time */

static uint64_t hash_of(uint32_t key)
{
	return map_hash((uint64_t[]){ key }, 1);
}

static bool is_key(const void *value, const void *key)
{
	return ((const struct nccl_memory_link *)value)->region->key == *(const uint32_t *)key;
}

void nccl_match_init(struct multimap *index)
{
	*index = (struct multimap){ .link = offsetof(struct nccl_memory_link, same) };
}

bool nccl_match_add(struct multimap *index, struct nccl_memory_link *link, struct region *region)
{
	link->region = region;
	if (!multimap_add(index, hash_of(region->key), is_key, &region->key, link))
		link->region = NULL;
	return link->region;
}

void nccl_match_remove(struct multimap *index, struct nccl_memory_link *link)
{
	if (link->region)
		multimap_remove(index, link);
	link->region = NULL;
}

static bool is_host(const struct rtap_end *a, const struct rtap_end *b)
{
	return a->address_length == b->address_length && !memcmp(a->address, b->address, a->address_length);
}

/* Whether the WRITE goes from the host that the memory was announced to, to the one that has it. */
static bool goes_to_owner(const struct request *request, const struct message *message)
{
	const struct rtap_connection *announced = &request->connection->shown, *written = &message->connection->shown;
	const struct rtap_end *receiver = request->from_a ? &announced->a : &announced->b, *sender = request->from_a ? &announced->b : &announced->a;

	return is_host(message->shown.from_a ? &written->a : &written->b, sender) && is_host(message->shown.from_a ? &written->b : &written->a, receiver);
}

struct region *nccl_match_find(const struct multimap *index, const struct message *message)
{
	const struct rtap_message *shown = &message->shown;
	const struct nccl_memory_link *link = index->map.count ? multimap_find(index, hash_of(shown->r_key), is_key, &shown->r_key) : NULL, *best = NULL;

	for (unsigned i = 0; link && i < MOST_EXAMINED; link = link->same.older, i++) {
		struct region *region = link->region;

		/* memory announced after the WRITE is for a later WRITE */
		if (region->request->first_frame > shown->first_frame)
			continue;
		if (shown->virtual_address < region->begin || shown->virtual_address > region->end ||
		    shown->length > region->end - shown->virtual_address)
			continue;
		/* hosts with several devices use all of their addresses, with a key for each */
		if (!goes_to_owner(region->request, message) && !region->uses)
			continue;
		if (region->begin == shown->virtual_address)
			return region;
		if (!best || (best->is_filled && !link->is_filled) || (best->is_filled == link->is_filled && region->begin > best->region->begin))
			best = link;
	}
	return best ? best->region : NULL;
}
