/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reassembly of IP fragments. RFC 791, 3.2; RFC 8200, 4.5; RFC 5722.
 *
 * A datagram is identified by its addresses, identification and, in IPv4, protocol. It waits for fragments for 30 (IPv4) or
 * 60 (IPv6) seconds of capture time after the first one, under the budget. Duplicate fragments are accepted if their bytes
 * are the same; truncated bytes are not compared. A fragment that contradicts others causes the datagram to be refused: its
 * other fragments are dropped for one second. A complete datagram is kept until REMEMBERED others are complete, so that
 * duplicate fragments do not start a new one.
 */
#ifndef REASSEMBLY_STREAM_IP_FRAGMENTS_H
#define REASSEMBLY_STREAM_IP_FRAGMENTS_H

#include <sys/queue.h>

#include "base/map.h"
#include "dissect/engine/packet.h"
#include "reassembly/store/budget.h"

struct ip_datagram;

struct ip_datagram_list {
	TAILQ_HEAD(ip_datagrams, ip_datagram) list;
	uint32_t count;
};

struct ip_fragments {
	struct budget *budget;
	struct map map;
	struct ip_datagram_list pending[2]; /* IPv4, IPv6; in the order of their first fragments */
	struct ip_datagram_list complete;   /* in the order of completion */
	/* datagrams: complete; refused; timed out; evicted */
	uint64_t completed, refused, timed_out, evicted;
	/* fragments: duplicate or of a refused datagram; invalid; not kept for lack of memory */
	uint64_t duplicates, dropped, invalid, unkept;
};

enum ip_fragments_result {
	IP_FRAGMENTS_PART,  /* kept, or nothing to keep */
	IP_FRAGMENTS_WHOLE, /* the datagram is complete */
};

/* `budget` is borrowed until the end. */
void ip_fragments_init(struct ip_fragments *fragments, struct budget *budget);

/*
 * Processes a fragment: a packet with packet->fragment.present. Call once per frame. If the fragment completes its datagram,
 * *whole is for rtap_context.datagram, to dissect the frame again. Its bytes are borrowed until the next call and are not
 * evicted before. A fragment that contradicts its datagram becomes an anomaly of the packet.
 */
enum ip_fragments_result ip_fragments_add(struct ip_fragments *fragments, struct rtap_packet *packet,
					  struct rtap_datagram *whole);

/* Frees everything. Incomplete datagrams count as timed out. */
void ip_fragments_fini(struct ip_fragments *fragments);

#endif
