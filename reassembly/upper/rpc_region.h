/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that chunk lists name: found by connection, key and address, read by READs and filled by WRITEs. A READ or WRITE
 * belongs to one call, from its request until its data has landed in the call's regions.
 */
#ifndef REASSEMBLY_UPPER_RPC_REGION_H
#define REASSEMBLY_UPPER_RPC_REGION_H

#include "reassembly/upper/rpc_chunks.h"
#include "reassembly/state.h"

/*
 * Makes the regions of a call known by key and address that READs or WRITEs are looked for of, and unknown again; the call's connection and
 * side must be the same for both. Closes only what is open: call->has_regions.
 */
void rpc_region_open_all(struct rtap_tracker *tracker, struct rpc_call *call);
void rpc_region_close_all(struct rtap_tracker *tracker, struct rpc_call *call);

/* Marks a call with such regions as answered: they are its own up to call->reply_psn. */
void rpc_region_set_answered(struct rpc_call *call);

/*
 * The region that holds the address which a READ or WRITE names, and whose call was not answered before its PSN; NULL: none is
 * known, or it is in doubt whose the data is. Of several calls it is the oldest that can still be under way and, of READs, that
 * has not asked for all of it; but none that was sent after one whose reply has a higher PSN.
 */
struct rpc_region *rpc_region_find(struct rtap_tracker *tracker, const struct message *message);

/* The message belongs to the region's call; to none any more. */
void rpc_region_claim(struct rtap_tracker *tracker, struct rpc_region *region, struct message *message);
void rpc_region_unclaim(struct message *message);

/* Copies what is there of a READ or WRITE into the regions that it touches of the call that it belongs to. */
void rpc_region_land(struct rtap_tracker *tracker, struct message *message);

/* Takes out of the regions of a READ or WRITE what it brought, and with it what others brought to the same addresses. */
void rpc_region_empty(struct rtap_tracker *tracker, struct message *message);

/* Forgets what the regions of a call that ends hold, if it can be another call's, of which the SENDs were lost. */
void rpc_region_drop_doubtful(struct rtap_tracker *tracker, struct rpc_call *call);

#endif
