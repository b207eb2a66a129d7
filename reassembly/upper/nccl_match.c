/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "reassembly/upper/nccl_match.h"

#define MOST_EXAMINED 512 /* announcements with one key; a communicator has up to 256 at a time */
#define MOST_EXCESS 4096  /* bytes from the end of a range to the part of the last queue pair, if it is empty: 128 for each queue pair */

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

static bool is_better(const struct nccl_memory_link *link, const struct nccl_memory_link *than)
{
	return link->is_filled == than->is_filled ? link->region->begin > than->region->begin : than->is_filled;
}

/* Whether a range and the WRITE, which begins at or after it, are as the two in an announcement and its data. */
static bool is_within(const struct region *region, const struct rtap_message *shown)
{
	if (!shown->length)
		return shown->virtual_address <= region->end || shown->virtual_address - region->end < MOST_EXCESS;
	return shown->virtual_address <= region->end && shown->length <= region->end - shown->virtual_address;
}

struct region *nccl_match_find(const struct multimap *index, const struct message *message,
			       enum nccl_fit (*fit)(const struct region *region, const struct message *message))
{
	const struct rtap_message *shown = &message->shown;
	const struct nccl_memory_link *link = index->map.count ? multimap_find(index, hash_of(shown->r_key), is_key, &shown->r_key) : NULL, *best = NULL;
	enum nccl_fit best_fits = NCCL_FITS_NOT;

	for (unsigned i = 0; link && i < MOST_EXAMINED; link = link->same.older, i++) {
		struct region *region = link->region;
		bool is_exact = shown->length && region->begin == shown->virtual_address;
		enum nccl_fit fits;

		if (shown->virtual_address < region->begin || !is_within(region, shown))
			continue;
		/* hosts with several devices use all of their addresses, with a key for each */
		if (!goes_to_owner(region->request, message) && !region->uses)
			continue;
		fits = fit(region, message);
		if (!fits)
			continue;
		if (fits == NCCL_IS_NEXT ? !shown->length || is_exact : is_exact && region->request->first_frame <= shown->first_frame)
			return region;
		if (!best || fits > best_fits || (fits == best_fits && is_better(link, best))) {
			best = link;
			best_fits = fits;
		}
	}
	return best ? best->region : NULL;
}
