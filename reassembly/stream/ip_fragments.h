/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP datagrams put together of their fragments. RFC 791, 3.2; RFC 8200, 4.5; RFC 5722.
 *
 * A datagram is known by its addresses, identification and, in IPv4, protocol. It waits for its pieces 30 (IPv4) or 60
 * (IPv6) seconds of capture time since its first one, under the budget. Copies of pieces are accepted if their bytes are
 * the same; of bytes that the capture cut off nothing is claimed. A piece that contradicts the others makes the datagram
 * refused: its other pieces, for a second, are dropped too. It is kept when complete until REMEMBERED others are, so that
 * pieces captured twice begin nothing.
 */
#ifndef REASSEMBLY_STREAM_IP_FRAGMENTS_H
#define REASSEMBLY_STREAM_IP_FRAGMENTS_H

#include <rdmatap/packet.h>

#include "reassembly/store/budget.h"
#include "reassembly/store/map.h"

struct ip_datagram;

struct ip_datagram_list {
	struct ip_datagram *first, *last;
	uint32_t count;
};

struct ip_fragments {
	struct budget *budget;
	struct map map;
	struct ip_datagram_list pending[2]; /* IPv4, IPv6; in the order of their first pieces */
	struct ip_datagram_list complete;   /* in the order of completion */
	/* datagrams: put together; contradicted; whose pieces never all came; given up for memory */
	uint64_t completed, refused, timed_out, evicted;
	/* pieces: that were there already, or belong to a refused one; that no datagram can have; no memory */
	uint64_t duplicates, dropped, invalid, unkept;
};

enum ip_fragments_result {
	IP_FRAGMENTS_PART,  /* kept, or nothing to be kept of it */
	IP_FRAGMENTS_WHOLE, /* the datagram is complete */
};

/* `budget` is borrowed until the end. */
void ip_fragments_init(struct ip_fragments *fragments, struct budget *budget);

/*
 * Takes the piece that a packet with packet->fragment.present is; a frame is given once. If it completes its datagram,
 * *whole is for rtap_context.datagram, to dissect the frame again; its bytes are borrowed until the next call and not
 * evicted before. A piece that contradicts its datagram becomes an anomaly of the packet.
 */
enum ip_fragments_result ip_fragments_add(struct ip_fragments *fragments, struct rtap_packet *packet,
					  struct rtap_datagram *whole);

/* Frees everything. Datagrams still waiting are counted as timed out. */
void ip_fragments_fini(struct ip_fragments *fragments);

#endif
