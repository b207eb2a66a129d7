/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that chunk lists name: found by connection, key and address, read by READs and filled by WRITEs. A READ or WRITE
 * belongs to one call, from its request until its data has landed in the call's regions.
 */
#ifndef REASSEMBLY_RPC_REGION_H
#define REASSEMBLY_RPC_REGION_H

#include "reassembly/rpc_chunks.h"
#include "reassembly/state.h"

/* Makes a call's region known by its key and address, and unknown again; its connection and side must be the same for both. */
void rpc_region_open(struct rtap_tracker *tracker, struct rpc_region *region);
void rpc_region_close(struct rtap_tracker *tracker, struct rpc_region *region);

/*
 * The region that holds the address which a READ or WRITE names, and whose call was not answered before its PSN; NULL: none is
 * known, or it is in doubt whose the data is. Of several calls it is the oldest that can still be under way and, of READs, that
 * has not asked for all of it.
 */
struct rpc_region *rpc_region_find(struct rtap_tracker *tracker, const struct message *message);

/* The message belongs to the region's call; to none any more. */
void rpc_region_claim(struct rpc_region *region, struct message *message);
void rpc_region_unclaim(struct message *message);

/* Copies what is there of a READ or WRITE into the regions that it touches of the call that it belongs to, and to none from then on. */
void rpc_region_land(struct rtap_tracker *tracker, struct message *message);

#endif
