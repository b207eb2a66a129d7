/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that chunk lists name: found by connection, key and address, filled by READs and WRITEs.
 */
#ifndef REASSEMBLY_RPC_REGION_H
#define REASSEMBLY_RPC_REGION_H

#include "reassembly/rpc_chunks.h"
#include "reassembly/state.h"

/* Makes a call's segment known by its key, and unknown again; its connection and side must be the same for both. */
void rpc_region_open(struct rtap_tracker *tracker, struct chunk_segment *segment);
void rpc_region_close(struct rtap_tracker *tracker, struct chunk_segment *segment);

/*
 * The oldest region that holds the address which a READ or WRITE names, and whose call was not answered before its PSN;
 * NULL: none is known.
 */
struct chunk_segment *rpc_region_find(const struct rtap_tracker *tracker, const struct message *message);

/* Moves what was gathered of a READ or WRITE into the region that it belongs to, which it then belongs to no more. */
void rpc_region_land(struct rtap_tracker *tracker, struct message *message);

/*
 * Adds the bytes that are there of a region to `whole` at `position`: of data that has landed, and of messages of `stream`
 * that will land. False: memory is out.
 */
bool rpc_region_gather(struct coverage *whole, uint64_t position, const struct chunk_segment *segment,
		       const struct psn_stream *stream) __attribute__((warn_unused_result));

#endif
