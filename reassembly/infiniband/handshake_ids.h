/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The communication ids by which messages of communication management are known, and the connections that they stand for.
 */
#ifndef REASSEMBLY_INFINIBAND_HANDSHAKE_IDS_H
#define REASSEMBLY_INFINIBAND_HANDSHAKE_IDS_H

#include "reassembly/state.h"

enum { SIDR_REQUEST = 1, SIDR_QUEUE_PAIR = 2 };

/* A communication id of one end. */
struct handshake {
	uint64_t words[4];   /* address and its length, id, kind */
	uint64_t hash;
	uint32_t id;
	uint8_t consumer;    /* enum rtap_cm_consumer: of the answer to the message that told the id */
	/* of a service's queue pair: the first of those that no datagram was seen of */
	struct connection *connection;
	uint32_t waiting;    /* how many these are */
	uint64_t service_id, transaction_id;
};

/* That of one end, or NULL. */
struct handshake *handshake_ids_find(const struct map *map, const struct rtap_end *end, uint32_t id, unsigned kind);

/* NULL: memory is out. */
struct handshake *handshake_ids_add(struct map *map, const struct rtap_end *end, uint32_t id, unsigned kind);

/* A datagram was seen of the connection whose queue pair was resolved, or it goes. */
void handshake_ids_leave_resolved(struct connection *connection);

/* Forgets the ids of a connection that goes. */
void handshake_ids_forget(struct rtap_tracker *tracker, struct connection *connection);

/* Bytes that what is known of the connection's handshakes takes. */
uint64_t handshake_ids_memory(const struct connection *connection);

#endif
