/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/struct_size.h"
#include "dissect/engine/packet.h"

enum rtap_status packet_context(const struct rtap_dissect_options *options, struct rtap_context *context, struct rtap_error *error)
{
	struct rtap_dissect_options own;
	enum rtap_status status = struct_size_take(&own, sizeof own, options, error);

	*context = (struct rtap_context){
		.decode_as = own.decode_as, .decode_as_count = own.decode_as_count,
		.check_icrc = own.check_icrc, .no_heuristics = own.no_heuristics,
	};
	return status;
}

enum rtap_status rtap_packet_open(struct rtap_packet **packet, const struct rtap_dissect_options *options, struct rtap_error *error)
{
	struct opened_packet *opened = calloc(1, sizeof *opened);

	*packet = NULL;
	if (!opened) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	if (packet_context(options, &opened->context, error)) {
		free(opened);
		return RTAP_STATUS_FAILED;
	}
	*packet = &opened->packet;
	return RTAP_STATUS_OK;
}

void rtap_packet_close(struct rtap_packet *packet)
{
	free(packet);
}

const struct rtap_frame *rtap_packet_frame(const struct rtap_packet *packet)
{
	return packet->frame;
}

size_t rtap_packet_layer_count(const struct rtap_packet *packet)
{
	return packet->layer_count;
}

const struct rtap_layer *rtap_packet_layer_at(const struct rtap_packet *packet, size_t index)
{
	return index < packet->layer_count ? &packet->layers[index] : NULL;
}

bool rtap_packet_has(const struct rtap_packet *packet, uint16_t protocol)
{
	return packet_has(packet, protocol);
}

size_t rtap_packet_anomaly_count(const struct rtap_packet *packet)
{
	return packet->anomaly_count;
}

const struct rtap_anomaly *rtap_packet_anomaly(const struct rtap_packet *packet, size_t index)
{
	return index < packet->anomaly_count ? &packet->anomalies[index] : NULL;
}

struct rtap_span rtap_packet_source_address(const struct rtap_packet *packet)
{
	return (struct rtap_span){ packet->source_address, packet->source_address ? packet->address_length : 0 };
}

struct rtap_span rtap_packet_destination_address(const struct rtap_packet *packet)
{
	return (struct rtap_span){ packet->destination_address, packet->destination_address ? packet->address_length : 0 };
}

bool rtap_packet_ports(const struct rtap_packet *packet, uint16_t *source, uint16_t *destination)
{
	if (!packet->source_port && !packet->destination_port)
		return false;
	*source = packet->source_port;
	*destination = packet->destination_port;
	return true;
}

bool rtap_packet_source_qpn(const struct rtap_packet *packet, uint32_t *qpn)
{
	if (packet->ib.has_deth)
		*qpn = packet->ib.src_qpn;
	else if (packet->flow.has_source_qpn)
		*qpn = packet->flow.source_qpn;
	else
		return false;
	return true;
}

bool rtap_packet_destination_qpn(const struct rtap_packet *packet, uint32_t *qpn)
{
	if (packet->ib.has_bth)
		*qpn = packet->ib.dest_qpn;
	return packet->ib.has_bth;
}

struct rtap_span rtap_packet_payload(const struct rtap_packet *packet, uint32_t *wire_length)
{
	const struct rtap_payload *payload = &packet->payload;

	if (wire_length)
		*wire_length = payload->wire;
	if (!payload->captured)
		return (struct rtap_span){ NULL, 0 };
	return (struct rtap_span){ packet->sources[payload->source].bytes + payload->offset, payload->captured };
}

const struct rtap_ib_facts *rtap_packet_ib(const struct rtap_packet *packet)
{
	return packet->ib.has_lrh || packet->ib.has_grh || packet->ib.has_bth ? &packet->ib : NULL;
}

#define FACTS(group) \
	const struct rtap_##group##_facts *rtap_packet_##group(const struct rtap_packet *packet) \
	{ \
		return packet->group.present ? &packet->group : NULL; \
	}

FACTS(mad)
FACTS(cm)
FACTS(tcp)
FACTS(mpa)
FACTS(rpcrdma)
FACTS(rpc)
FACTS(flow)
