/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/structure.h"
#include "dissect/management/cm.h"
#include "output/check/setup.h"

/* Default inline threshold of an end without the message of RFC 8797: RFC 8166, 3.3.3. */
#define DEFAULT_SIZE 1024

/* The source or destination of a packet: its address or, in a subnet of InfiniBand, its LID. */
struct place {
	uint8_t bytes[16];
	uint8_t length;          /* 0: unknown */
};

static struct place place_of(const struct rtap_packet *packet, bool is_source)
{
	const uint8_t *address = is_source ? packet->source_address : packet->destination_address;
	uint16_t lid = is_source ? packet->ib.slid : packet->ib.dlid;
	struct place place = { .length = 0 };

	if (address && packet->address_length <= sizeof place.bytes) {
		place.length = packet->address_length;
		memcpy(place.bytes, address, place.length);
	} else if (!address && packet->ib.has_lrh) {
		place.length = sizeof lid;
		memcpy(place.bytes, &lid, sizeof lid);
	}
	return place;
}

static bool is_at(const struct setup_end *end, const struct place *place)
{
	return place->length && end->address_length == place->length && !memcmp(end->address, place->bytes, place->length);
}

/* The number in a field of the message; 0: not captured. */
static uint64_t field_number(const struct rtap_packet *packet, const char *name)
{
	struct rtap_value value = { .number = 0 };
	rtap_field_id id;

	if (rtap_field_find(name, &id, 1))
		for (uint8_t i = 0; i < packet->layer_count; i++)
			if (packet->layers[i].protocol == rtap_field_protocol(id) &&
			    rtap_layer_field(packet, &packet->layers[i], rtap_field_by_id(id), &value))
				break;
	return value.number;
}

static void take_end(struct setup_end *end, const struct rtap_packet *packet)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	struct place place = place_of(packet, true);

	*end = (struct setup_end){
		.id = cm->local_id, .qpn = cm->local_qpn,
		.has_rpcrdma = cm->upper == RTAP_UPPER_RPCRDMA, .rnr_retry_count = 7, .private_known = cm->private_length > 0,
		.send_size = cm->private_length ? DEFAULT_SIZE : 0, .receive_size = cm->private_length ? DEFAULT_SIZE : 0,
	};
	end->responder_resources = (uint8_t)field_number(packet, cm->attribute == CM_REQ ? "infiniband.cm.req.responderres" : "infiniband.cm.rep.respres");
	if (end->has_rpcrdma) {
		end->remote_invalidation = cm->remote_invalidation;
		end->send_size = cm->send_size;
		end->receive_size = cm->receive_size;
	}
	memcpy(end->address, place.bytes, sizeof end->address);
	end->address_length = place.length;
}

/* {format 2, queue 2, receive queue size 2, send queue size 2}. NVMe over Fabrics 1.1, 7.3.6. */
static void take_nvme(struct setup *setup, const struct rtap_packet *packet)
{
	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];
		const uint8_t *bytes = layer_bytes(packet, layer);

		if (layer->protocol != PROTOCOL_NVME_PRIVATE || layer->length < 8)
			continue;
		setup->is_nvme = true;
		setup->nvme_queue = (uint16_t)little_bits(bytes, 16, 16);
		setup->nvme_host_receive = (uint16_t)little_bits(bytes, 32, 16);
		setup->nvme_host_send = (uint16_t)little_bits(bytes, 48, 16);
	}
}

/* {opcode 1, reserved 3, request limit 4 ...}. SRP, 6.3. */
static void take_srp(struct setup *setup, const struct rtap_packet *packet)
{
	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (packet->layers[i].protocol == PROTOCOL_SRP_LOGIN_RESPONSE && packet->layers[i].length >= 8) {
			setup->is_srp = true;
			setup->srp_limit = (int32_t)load32(layer_bytes(packet, &packet->layers[i]) + 4);
		}
}

static struct setup *find_request(struct setups *setups, uint32_t id, const struct rtap_packet *packet, bool is_source)
{
	struct place place = place_of(packet, is_source);

	for (unsigned i = 0; i < SETUPS; i++) {
		struct setup *setup = &setups->list[(setups->next + SETUPS - 1 - i) % SETUPS];

		if (setup->ends[0].id == id && is_at(&setup->ends[0], &place))
			return setup;
	}
	return NULL;
}

/* IBTA vol. 1, 9.7.6.1.3: 4.096 us * 2^code; code 0: no timeout. */
static int64_t timeout_ns(uint64_t code)
{
	return code ? INT64_C(4096) << (code & 0x1f) : 0;
}

static void take_request(struct setups *setups, const struct rtap_packet *packet)
{
	struct setup *setup = find_request(setups, packet->cm.local_id, packet, true);
	const struct rtap_cm_facts *cm = &packet->cm;

	/* a REQ that is repeated */
	if (setup && setup->ends[0].qpn == cm->local_qpn)
		return;
	setup = &setups->list[setups->next];
	setups->next = (setups->next + 1) % SETUPS;
	*setup = (struct setup){
		.alternate_path = field_number(packet, "infiniband.cm.req.alt_locallid") != 0, .retry_count = cm->retry_count, .service_id = cm->service_id,
		.ack_timeout_ns = timeout_ns(field_number(packet, "infiniband.cm.req.prim_localacktout")),
		.path_mtu = cm->mtu_code >= 1 && cm->mtu_code <= 5 ? 128u << cm->mtu_code : 0,
	};
	take_end(&setup->ends[0], packet);
	setup->ends[1].starting_psn = cm->starting_psn;
	setup->ends[1].rnr_retry_count = cm->rnr_retry_count;
	take_nvme(setup, packet);
}

static void take_reply(struct setup *setup, const struct rtap_packet *packet)
{
	struct setup_end from_request = setup->ends[1];

	take_end(&setup->ends[1], packet);
	setup->ends[1].starting_psn = from_request.starting_psn;
	setup->ends[1].rnr_retry_count = from_request.rnr_retry_count;
	if (!setup->ends[1].qpn)
		setup->ends[1].qpn = packet->cm.local_eecn; /* XRC: A14 */
	setup->ends[0].starting_psn = packet->cm.starting_psn;
	setup->ends[0].rnr_retry_count = packet->cm.rnr_retry_count;
	setup->is_complete = true;
	take_srp(setup, packet);
}

const struct setup *setups_packet(struct setups *setups, const struct rtap_packet *packet)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	struct setup *setup;

	if (cm->attribute == CM_REQ)
		take_request(setups, packet);
	if (cm->attribute != CM_REP && cm->attribute != CM_LAP && cm->attribute != CM_APR)
		return NULL;
	setup = find_request(setups, cm->remote_id, packet, false);
	if (!setup)
		setup = find_request(setups, cm->local_id, packet, true);
	/* the LAP of an APR may be missing in the capture */
	if (setup && cm->attribute != CM_REP)
		setup->alternate_path = true;
	if (setup && cm->attribute == CM_REP && !setup->is_complete)
		take_reply(setup, packet);
	return setup;
}

/* Without RFC 8797's message an end has the sizes that RFC 8166 names. The limits of InfiniBand do not apply. */
void setup_take_mpa(struct setup *setup, const struct rtap_mpa_facts *mpa, unsigned sender)
{
	struct setup_end *end = &setup->ends[sender];
	bool has_rpcrdma = mpa->upper == RTAP_UPPER_RPCRDMA;

	*end = (struct setup_end){
		.private_known = true, .has_rpcrdma = has_rpcrdma, .remote_invalidation = has_rpcrdma && mpa->remote_invalidation,
		.send_size = has_rpcrdma ? mpa->send_size : DEFAULT_SIZE, .receive_size = has_rpcrdma ? mpa->receive_size : DEFAULT_SIZE,
	};
	setup->initiator = mpa->is_reply ? !sender : sender;
	setup->is_complete = mpa->is_reply;
}

void setups_merge(struct setups *setups, uint64_t from, uint64_t into)
{
	for (unsigned i = 0; i < SETUPS; i++)
		if (setups->list[i].connection == from)
			setups->list[i].connection = into;
}

const struct setup *setups_find(struct setups *setups, const struct rtap_packet *packet, unsigned *sender)
{
	struct place source = place_of(packet, true), destination = place_of(packet, false);

	for (unsigned i = 0; i < 2 * SETUPS; i++) {
		struct setup *setup = &setups->list[(setups->next + SETUPS - 1 - i / 2) % SETUPS];
		const struct setup_end *from = &setup->ends[i % 2], *to = &setup->ends[1 - i % 2];

		if (!setup->is_complete || to->qpn != packet->ib.dest_qpn || (packet->flow.has_source_qpn && from->qpn != packet->flow.source_qpn) ||
		    !is_at(to, &destination) || !is_at(from, &source))
			continue;
		if (setup->connection && setup->connection != packet->flow.connection)
			return NULL;
		setup->is_resumed = setup->connection != 0;
		setup->connection = packet->flow.connection;
		*sender = i % 2;
		return setup;
	}
	return NULL;
}
