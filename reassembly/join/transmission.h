/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets captured at several points of their path: which points captured each of them, and when. Points are input files, whose times are
 * those of one clock. Copies are recognised by values that no hop may change (reassembly/packet_identity.h).
 */
#ifndef REASSEMBLY_JOIN_TRANSMISSION_H
#define REASSEMBLY_JOIN_TRANSMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "dissect/engine/packet.h"

struct packet_identity;

/* Most points that capture packets of the same two hosts. */
#define JOIN_POINTS 16

/* Copies of one packet are captured within this time. */
#define JOIN_WINDOW_NS INT64_C(2000000000)

/* The key of a direction: its addresses, in wire order, and its destination. */
struct transmission_flow {
	uint8_t source[16], destination[16];
	uint32_t destination_id;       /* queue pair; TCP: both ports, the source's in the higher 16 bits */
	uint8_t address_length;        /* 4, 16; 0: none */
	bool is_tcp;
	uint16_t zero;                 /* instead of padding: flows are compared as bytes */
};

/*
 * The points between two hosts, for both directions: with up to JOIN_POINTS points all of them, with more those that captured a packet of
 * the hosts. A slot is an index in `points`; it does not change.
 */
struct transmission_path {
	unsigned points[JOIN_POINTS];
	unsigned count;
	uint32_t captured;             /* slots whose points captured a packet of the hosts, a bit each */
};

/* One transmission of a packet. A retransmission is another one. */
struct transmission {
	struct transmission_flow flow;
	const struct transmission_path *path; /* of its hosts; it belongs to the struct transmissions */
	uint64_t connection;           /* number; 0: unknown */
	bool from_a;
	bool has_source_qpn;
	uint32_t source_qpn;
	bool is_repeat;                /* the sender has sent its bytes before */
	uint8_t opcode;                /* of the BTH */
	uint32_t sequence;             /* PSN; TCP: sequence number */
	uint32_t length;               /* bytes of the frame on the wire */
	/* By slot, a bit each: captured; captured more than once; with a CE mark; after a packet of its flow that was sent later. */
	uint32_t seen, doubled, marked, late;
	uint64_t number;               /* counts all transmissions by their first capture */
	uint64_t hash;                 /* of the values that no hop may change */
	uint32_t fixed_hash;           /* of the same values, and the same in each run */
	uint32_t icrc;
	bool has_icrc;
	uint64_t frames[JOIN_POINTS];  /* by slot: numbers in the file of the point, from 1 */
	int64_t times_ns[JOIN_POINTS]; /* by slot */
};

/* What is compared of a packet, whose point is below the number of points. */
struct transmission_sight {
	struct transmission_flow flow;
	uint64_t hash;                 /* of the values that no hop may change */
	uint64_t connection;           /* valid with `has_connection` */
	int64_t time_ns;
	unsigned point;
	uint32_t fixed_hash, icrc, sequence, length, source_qpn;
	uint16_t ip_id;
	uint8_t opcode, sender;        /* sender: packet_sender() */
	bool is_identified;            /* false: it has no such values; only its point and time are set */
	bool has_icrc, has_connection, from_a, has_source_qpn, is_repeat, is_marked;
};

/* `identity`: of the packet; NULL: unknown. */
void transmission_sight(struct transmission_sight *sight, const struct rtap_packet *packet, const struct packet_identity *identity, unsigned point);

struct transmissions;

/*
 * `points`: number of capture points. max_memory: bytes for the paths, one for each pair of hosts, and as many
 * for the transmissions that are compared at a time. `take` gets each
 * transmission when no point can capture it any more, in the order of first captures. NULL: out of memory.
 */
struct transmissions *transmissions_create(unsigned points, uint64_t max_memory,
					   void (*take)(void *owner, const struct transmission *transmission), void *owner);

enum transmission_copy {
	TRANSMISSION_FIRST,   /* no other point has captured it yet */
	TRANSMISSION_AGAIN,   /* another point has, or this one doubled */
	TRANSMISSION_UNKNOWN, /* its headers have no identifying values, or too many points captured packets of its hosts */
};

/* Adds a packet. Packets come in the order of their times, those of a point all and in the order of its file. */
enum transmission_copy transmissions_take(struct transmissions *transmissions, const struct transmission_sight *sight);

/* Passes on the remaining transmissions. */
void transmissions_finish(struct transmissions *transmissions);

/* Transmissions passed on too early because too many came within JOIN_WINDOW_NS, before all points on their path had captured them. */
uint64_t transmissions_forced_out(const struct transmissions *transmissions);

/* Packets that were not compared: of hosts beyond JOIN_POINTS points, or of too many pairs of hosts. */
uint64_t transmissions_uncompared(const struct transmissions *transmissions);

/* NULL is ignored. */
void transmissions_destroy(struct transmissions *transmissions);

#endif
