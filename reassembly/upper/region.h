/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that requests name, by connection, key and address, and the data of READs and WRITEs in it. A READ or WRITE belongs to one request,
 * from its own request until its data was copied to the regions. request.h decides again which one when SENDs are captured late.
 */
#ifndef REASSEMBLY_UPPER_REGION_H
#define REASSEMBLY_UPPER_REGION_H

#include "reassembly/state.h"

struct frame_result;

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

/* Whether the response to the request can have been lost before the message: the memory belongs to another request then. */
bool region_may_be_answered(const struct request *request, const struct message *message);

/* Whether a request after this one can have been lost. */
bool region_may_be_followed(const struct request *request);

/* Whether the response to the request can have been lost before the message, and a later request, so that the message can be of that one. */
bool region_may_be_anothers(const struct request *request, const struct message *message);

/*
 * The region that contains the address named by a READ or WRITE and whose request was not answered before the message's PSN;
 * NULL: unknown or ambiguous. Among several requests it is the oldest that can still be outstanding and, for READs, whose
 * memory was not completely requested; but not a request that was sent after one whose response has a higher PSN.
 */
struct region *region_find(struct rtap_tracker *tracker, struct message *message);

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
void region_assign(struct rtap_tracker *tracker, struct region *region, struct message *message);
void region_unclaim(struct message *message);

/* Callbacks of upper_memory: region_claim() finds the region and assigns the message to its request. */
bool region_may_want(const struct rtap_tracker *tracker, const struct connection *connection);
void region_claim(struct rtap_tracker *tracker, struct message *message);

/*
 * The data of a claimed message ended in the current frame (upper_data_is_over()): copies it to the regions. True: it is the last that the
 * responder can read for the request, and is certainly the request's. Call in packet() and read() of the layer; otherwise it is copied when the message is settled.
 */
bool region_take_data(struct rtap_tracker *tracker, struct message *message, const struct frame_result *result);

/* A claimed message whose request is certain is settled: its data goes to the regions, unless it is there, and its losses to the request. */
void region_settle(struct rtap_tracker *tracker, struct message *message);

/* Records the data of a READ of its request's regions. True: this completed them. */
bool region_note_arrival(struct rtap_tracker *tracker, const struct message *message);

/* Adds the losses of unsettled READs and WRITEs to those of the request. Call before these are used. */
void region_count_claimed(const struct request *request);

/* Copies the present data of a READ or WRITE to the regions of its request. */
void region_store(struct rtap_tracker *tracker, struct message *message);

/* Removes the data of a READ or WRITE from the regions of its request, including data of others at the same addresses. */
void region_empty(struct rtap_tracker *tracker, struct message *message);

#endif
