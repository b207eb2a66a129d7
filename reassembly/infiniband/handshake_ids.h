/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Communication ids of communication management messages, and the connections that they identify.
 */
#ifndef REASSEMBLY_INFINIBAND_HANDSHAKE_IDS_H
#define REASSEMBLY_INFINIBAND_HANDSHAKE_IDS_H

#include "reassembly/state.h"

enum { SIDR_REQUEST = 1, SIDR_QUEUE_PAIR = 2 };

/* A communication id of one end. */
struct handshake {
	uint64_t words[4];   /* address, address length, id, kind */
	uint64_t hash;
	uint32_t id;
	uint8_t consumer;    /* enum rtap_cm_consumer: of the answer to the message with this id */
	struct connection *connection; /* of the request */
	struct handshake *alias_of;  /* the same at the addresses of the connection's request; NULL: this is it */
	SLIST_HEAD(, connection) resolved; /* service queue pair: connections without a datagram so far, the newest first */
	uint32_t waiting;    /* number of these connections */
	uint64_t service_id, transaction_id;
};

/* Finds the id of one end. NULL: not found. */
struct handshake *handshake_ids_find(const struct map *map, const struct rtap_end *end, uint32_t id, unsigned kind);

/* NULL: out of memory. */
struct handshake *handshake_ids_add(struct map *map, const struct rtap_end *end, uint32_t id, unsigned kind);

/* Removes an id that no connection points to. */
void handshake_ids_drop(struct map *map, struct handshake *handshake);

/* The connection of a resolved queue pair had a datagram, or is destroyed. */
void handshake_ids_leave_resolved(struct connection *connection);

/* Removes the ids of a connection that is destroyed. */
void handshake_ids_discard(struct rtap_tracker *tracker, struct connection *connection);

/* Bytes of the connection's handshakes. */
uint64_t handshake_ids_memory(const struct connection *connection);

#endif
