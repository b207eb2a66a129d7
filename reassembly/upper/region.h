/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that requests name, by connection, key and address. A READ or WRITE belongs to one request, from its own request until its
 * data was copied to the regions.
 */
#ifndef REASSEMBLY_UPPER_REGION_H
#define REASSEMBLY_UPPER_REGION_H

#include "reassembly/state.h"

/*
 * Creates the regions of the memory that a request names; sorts `names`, which are in the order of the data. Once for each request.
 * False: out of memory, no regions. `keep_bytes` may then be set in regions whose bytes are needed.
 */
bool region_create_all(struct rtap_tracker *tracker, struct request *request, struct region_name *names, uint32_t count)
	__attribute__((warn_unused_result));

/* Removes all regions. Their memory is kept for the next request if there is little: region_free_room(). */
void region_destroy_all(struct request *request);
void region_free_room(struct request *request);

/*
 * Adds the regions of a request to the index of regions by key and address, if READs or WRITEs are looked for; removes them.
 * The request's connection and side must be the same for both. Closes only open regions: request->has_regions.
 */
void region_open_all(struct rtap_tracker *tracker, struct request *request);
void region_close_all(struct rtap_tracker *tracker, struct request *request);

/* Marks a request with such regions as answered: they belong to it up to request->response_psn. */
void region_set_answered(struct request *request);

/* Whether a request after this one can have been lost. */
bool region_may_be_followed(const struct request *request);

/* Whether the response to the request can have been lost before the message, and a later request, so that the message can be of that one. */
bool region_may_be_anothers(const struct request *request, const struct message *message);

/*
 * The region that contains the address named by a READ or WRITE and whose request was not answered before the message's PSN;
 * NULL: unknown or ambiguous. Among several requests it is the oldest that can still be outstanding and, for READs, whose
 * memory was not completely requested; but not a request that was sent after one whose response has a higher PSN.
 */
struct region *region_find(struct rtap_tracker *tracker, const struct message *message);

struct region *region_search(const struct request *request, bool is_read, uint32_t key, uint64_t address);

/*
 * The first region of the request with the key that ends after `address`; NULL: none. Others with the key follow it in the
 * array.
 */
static inline struct region *region_at(const struct request *request, bool is_read, uint32_t key, uint64_t address)
{
	struct region *first = request->regions;

	/* Usually there is one. */
	if (request->region_count == 1)
		return first->key == key && first->is_read == is_read && first->end > address ? first : NULL;
	return request->region_count ? region_search(request, is_read, key, address) : NULL;
}

/* Bytes that the message adds to `asked` of its region. */
uint64_t region_asked_by(const struct message *message);

/* Assigns the message to the region's request; removes the assignment. */
void region_claim(struct rtap_tracker *tracker, struct region *region, struct message *message);
void region_unclaim(struct message *message);

/* Copies the present data of a READ or WRITE to the regions of its request. */
void region_store(struct rtap_tracker *tracker, struct message *message);

/* Removes the data of a READ or WRITE from the regions of its request, including data of others at the same addresses. */
void region_empty(struct rtap_tracker *tracker, struct message *message);

/* Drops the data in the regions of a request that ends, if it can belong to another request whose SENDs were lost. */
void region_drop_doubtful(struct rtap_tracker *tracker, struct request *request);

#endif
