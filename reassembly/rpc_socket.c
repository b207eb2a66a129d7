/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/cursor.h"
#include "dissect/protocol.h"
#include "reassembly/memory.h"
#include "reassembly/rpc_call.h"
#include "reassembly/rpc_socket.h"

#define REPLY 1
#define RECORD_MARK 4

/* The last of TCP or UDP: RPC is in it, or nobody knows what. */
static const struct rtap_layer *transport_of(const struct rtap_packet *packet)
{
	const struct rtap_layer *found = NULL;

	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (packet->layers[i].protocol == PROTOCOL_TCP || packet->layers[i].protocol == PROTOCOL_UDP)
			found = &packet->layers[i];
	if (!found || !layer_behind(packet, found))
		return NULL;
	return found[1].protocol == PROTOCOL_RPC || found[1].protocol == PROTOCOL_PAYLOAD ? found : NULL;
}

static void remember(struct rpc_sockets *sockets, const struct rtap_packet *packet, uint8_t protocol)
{
	struct rpc_socket_call *call;

	if (!sockets->calls)
		sockets->calls = memory_new_zeroed(RPC_SOCKET_CALLS, sizeof *sockets->calls);
	if (!sockets->calls)
		return;
	call = &sockets->calls[sockets->next++ % RPC_SOCKET_CALLS];
	memcpy(call->client, packet->source_address, packet->address_length);
	memcpy(call->server, packet->destination_address, packet->address_length);
	call->address_length = packet->address_length;
	call->client_port = packet->source_port;
	call->server_port = packet->destination_port;
	call->protocol = protocol;
	call->rpc = packet->rpc;
	call->frame = packet->frame->number;
	call->time_ns = packet->frame->time_ns;
}

/* The XID if a reply's first words are there. */
static bool reply_xid(const struct rtap_packet *packet, const struct rtap_layer *transport, uint32_t *xid)
{
	uint32_t offset = transport->offset + transport->length, captured = packet->sources[transport->source].captured;
	const uint8_t *bytes = packet->sources[transport->source].bytes + offset;

	if (packet->rpc.present) {
		*xid = packet->rpc.xid;
		return packet->rpc.is_reply;
	}
	if (transport->protocol == PROTOCOL_TCP) {
		bytes += RECORD_MARK;
		offset += RECORD_MARK;
	}
	if (offset > captured || captured - offset < 8)
		return false;
	*xid = load32(bytes);
	return load32(bytes + 4) == REPLY;
}

static bool answers(const struct rtap_packet *packet, uint8_t protocol, uint32_t xid, const struct rpc_socket_call *call)
{
	return call->frame && call->rpc.xid == xid && call->protocol == protocol && call->client_port == packet->destination_port &&
	       call->server_port == packet->source_port && call->address_length == packet->address_length &&
	       !memcmp(call->client, packet->destination_address, call->address_length) &&
	       !memcmp(call->server, packet->source_address, call->address_length);
}

/* The newest call with the reply's XID. */
static const struct rpc_socket_call *find(const struct rpc_sockets *sockets, const struct rtap_packet *packet, uint8_t protocol,
					  uint32_t xid)
{
	for (uint32_t age = 1; sockets->calls && age <= RPC_SOCKET_CALLS; age++) {
		const struct rpc_socket_call *call = &sockets->calls[(sockets->next - age) % RPC_SOCKET_CALLS];

		if (answers(packet, protocol, xid, call))
			return call;
	}
	return NULL;
}

bool rpc_socket_packet(struct rpc_sockets *sockets, const struct rtap_packet *packet, struct rtap_context *context)
{
	const struct rtap_layer *transport = transport_of(packet);
	const struct rpc_socket_call *call;
	uint32_t xid;

	if (!transport || !packet->source_address || !packet->destination_address)
		return false;
	if (packet->rpc.present && !packet->rpc.is_reply) {
		if (packet->rpc.program_known)
			remember(sockets, packet, transport->protocol);
		return false;
	}
	if (!reply_xid(packet, transport, &xid))
		return false;
	call = find(sockets, packet, transport->protocol, xid);
	if (call)
		rpc_call_known(&call->rpc, call->frame, call->time_ns, context);
	return call;
}

void rpc_sockets_fini(struct rpc_sockets *sockets)
{
	free(sockets->calls);
	sockets->calls = NULL;
}
