/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that chunk lists name: found by connection, key and address, read by READs and filled by WRITEs. A READ or
 * WRITE belongs to one call, from its request until its data was copied to the call's regions.
 */
#ifndef REASSEMBLY_UPPER_RPC_REGION_H
#define REASSEMBLY_UPPER_RPC_REGION_H

#include "reassembly/upper/rpc_chunks.h"
#include "reassembly/state.h"

/*
 * Adds the regions of a call to the index of regions by key and address, if READs or WRITEs are looked for; removes them.
 * The call's connection and side must be the same for both. Closes only open regions: call->has_regions.
 */
void rpc_region_open_all(struct rtap_tracker *tracker, struct rpc_call *call);
void rpc_region_close_all(struct rtap_tracker *tracker, struct rpc_call *call);

/* Marks a call with such regions as answered: they belong to it up to call->reply_psn. */
void rpc_region_set_answered(struct rpc_call *call);

/*
 * The region that contains the address named by a READ or WRITE and whose call was not answered before the message's PSN;
 * NULL: unknown or ambiguous. Among several calls it is the oldest that can still be outstanding and, for READs, whose
 * memory was not completely requested; but not a call that was sent after one whose reply has a higher PSN.
 */
struct rpc_region *rpc_region_find(struct rtap_tracker *tracker, const struct message *message);

/* What the message adds to `asked` of the region that it is assigned to. */
uint64_t rpc_region_asked_by(const struct message *message);

/* Assigns the message to the region's call; removes the assignment. */
void rpc_region_claim(struct rtap_tracker *tracker, struct rpc_region *region, struct message *message);
void rpc_region_unclaim(struct message *message);

/* Copies the present data of a READ or WRITE to the regions of its call. */
void rpc_region_land(struct rtap_tracker *tracker, struct message *message);

/* Removes the data of a READ or WRITE from the regions of its call, including data of others at the same addresses. */
void rpc_region_empty(struct rtap_tracker *tracker, struct message *message);

/* Drops the data in the regions of a call that ends, if it can belong to another call whose SENDs were lost. */
void rpc_region_drop_doubtful(struct rtap_tracker *tracker, struct rpc_call *call);

#endif
