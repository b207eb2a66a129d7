/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC calls over TCP and UDP that the packet view remembers: a reply does not name its program (RFC 5531, section 9).
 * Only calls whose header stands in one packet are seen; each is kept until RPC_SOCKET_CALLS later ones have come, as
 * replies can be sent again.
 */
#ifndef REASSEMBLY_RPC_SOCKET_H
#define REASSEMBLY_RPC_SOCKET_H

#include <rdmatap/packet.h>

#define RPC_SOCKET_CALLS 512

struct rpc_socket_call {
	uint8_t client[16], server[16];
	uint16_t client_port, server_port;
	uint8_t address_length, protocol;
	struct rtap_rpc_facts rpc;
	uint64_t frame;  /* 0: a free place */
	int64_t time_ns;
};

/* All zero is none. */
struct rpc_sockets {
	struct rpc_socket_call *calls; /* RPC_SOCKET_CALLS in a ring; NULL until the first */
	uint32_t next;
};

/*
 * Remembers the call in `packet`. True: the packet is a reply to a call that is remembered, which now is in the context, so
 * that dissecting the frame again tells more.
 */
bool rpc_socket_packet(struct rpc_sockets *sockets, const struct rtap_packet *packet, struct rtap_context *context);

void rpc_sockets_fini(struct rpc_sockets *sockets);

#endif
