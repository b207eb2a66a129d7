/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Transfers of several management datagrams put together. IBTA vol. 1, 13.6.
 *
 * A transfer is known by its ends, class and transaction id. Its data are what stands behind each segment's class header: 200 bytes of
 * subnet administration, 216 of a vendor's class. It is whole when every segment up to the one flagged Last is there; the length
 * that this one tells ends it, because senders fill the first one's in differently. A transfer that no segment comes for in 60 s is
 * forgotten, one that is whole is remembered as long, so that repeats are known. Segments that the capture cut leave a hole.
 */
#ifndef REASSEMBLY_RMPP_H
#define REASSEMBLY_RMPP_H

#include <rdmatap/message.h>
#include <rdmatap/packet.h>

#include "reassembly/budget.h"
#include "reassembly/map.h"

/* Segments that a transfer may have: a length that does not fit is none. */
#define RMPP_MAX_SEGMENTS 65536

struct rmpp_transfer;

/* All zero but `budget`, which is borrowed until the end, is empty. */
struct rmpp {
	struct budget *budget;
	struct map map;
	struct rmpp_transfer *first, *last; /* in the order of their last segments */
	uint64_t completed, abandoned;      /* transfers: whole; stopped, forgotten or evicted before */
};

/* What a segment did for its transfer. */
struct rmpp_progress {
	bool whole;               /* it was the last one missing */
	struct rtap_span records; /* then: all data; borrowed until the next call and not evicted before */
	uint64_t first_frame;     /* of the transfer */
	uint32_t segments;        /* of it, whole */
};

/*
 * Takes a packet with an RMPP header into account: DATA, STOP and ABORT. Says in packet->flow if segments before it are missing, or if
 * it repeats one. Single segments are no transfer.
 */
void rmpp_packet(struct rmpp *rmpp, struct rtap_packet *packet, const struct rtap_end *source, const struct rtap_end *destination,
		 struct rmpp_progress *progress);

void rmpp_fini(struct rmpp *rmpp);

#endif
