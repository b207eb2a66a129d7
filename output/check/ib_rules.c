/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/infiniband/ib.h"
#include "dissect/management/cm.h"
#include "output/check/subject.h"

#define GSI_Q_KEY 0x80010000u
#define MAD_LENGTH 256
#define MOST_PAYLOAD 4096
#define MOST_MESSAGE 0x80000000u
#define CNP_ROCE_V2 0x81         /* A17.9.3 */
#define CNP_BYTES 16

static bool has_no_payload(const struct ib_opcode *opcode)
{
	switch (opcode->class) {
	case IB_READ_REQUEST: case IB_ACKNOWLEDGE: case IB_ATOMIC_ACKNOWLEDGE: case IB_ATOMIC: case IB_FLUSH: case IB_RESYNC: return true;
	default: return false;
	}
}

/* Anomalies of the dissection that break a rule: by the layer in which they were found. */
static void check_anomalies(const struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;

	for (uint8_t i = 0; i < packet->anomaly_count; i++) {
		const struct rtap_anomaly *anomaly = &packet->anomalies[i];
		uint16_t protocol = packet->layers[anomaly->layer].protocol;

		if (anomaly->code == RTAP_ANOMALY_BAD_VCRC)
			subject_break(subject, RULE_IB_VCRC, "the VCRC does not match the packet");
		else if (anomaly->code == RTAP_ANOMALY_UNKNOWN_OPCODE && protocol == PROTOCOL_BTH)
			subject_break(subject, RULE_IB_OPCODE, "opcode 0x%02x", packet->ib.opcode);
		else if (anomaly->code == RTAP_ANOMALY_PAD_BEYOND_PAYLOAD)
			subject_break(subject, RULE_IB_PAD_EXCESS, "PadCnt %u", packet->ib.pad_count);
	}
	if (packet->ib.icrc_status == RTAP_CRC_BAD)
		subject_break(subject, RULE_IB_ICRC, "the ICRC does not match the packet");
}

static const struct rtap_layer *layer_of(const struct rtap_packet *packet, uint16_t protocol)
{
	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (packet->layers[i].protocol == protocol)
			return &packet->layers[i];
	return NULL;
}

/* Versions, and bits of the BTH that are not in the facts. */
static void check_headers(const struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;
	const struct rtap_layer *bth = layer_of(packet, PROTOCOL_BTH), *grh = layer_of(packet, PROTOCOL_GRH), *lrh = layer_of(packet, PROTOCOL_LRH);
	const uint8_t *bytes;

	if (lrh && lrh->length >= LRH_LENGTH && bits(layer_bytes(packet, lrh), LRH_LVER))
		subject_break(subject, RULE_IB_LRH_VERSION, "LVer %u", (unsigned)bits(layer_bytes(packet, lrh), LRH_LVER));
	if (grh && grh->length && layer_bytes(packet, grh)[0] >> 4 != 6)
		subject_break(subject, RULE_IB_GRH_VERSION, "IPVer %u", layer_bytes(packet, grh)[0] >> 4);
	if (!bth || bth->length < BTH_LENGTH)
		return;
	bytes = layer_bytes(packet, bth);
	if (bits(bytes, BTH_VERSION))
		subject_break(subject, RULE_IB_VERSION, "TVer %u", (unsigned)bits(bytes, BTH_VERSION));
	if (bits(bytes, BTH_RESERVED_6) || bits(bytes, BTH_RESERVED_7))
		subject_break(subject, RULE_IB_RESERVED, "reserved bits 0x%02x and 0x%02x", (unsigned)bits(bytes, BTH_RESERVED_6),
			      (unsigned)bits(bytes, BTH_RESERVED_7));
}

static void check_lengths(const struct subject *subject, const struct ib_opcode *opcode)
{
	const struct rtap_packet *packet = subject->packet;
	const struct rtap_ib_facts *ib = &packet->ib;
	uint32_t length = packet->payload.wire;

	if (ib->icrc_on_wire && (ib->icrc_offset - ib->bth_offset) % 4)
		subject_break(subject, RULE_IB_ALIGNMENT, "%u bytes from BTH to ICRC", ib->icrc_offset - ib->bth_offset);
	if (ib->pad_count && (has_no_payload(opcode) || opcode->place == IB_FIRST || opcode->place == IB_MIDDLE))
		subject_break(subject, RULE_IB_PAD_PARTIAL, "%s with PadCnt %u", opcode->name, ib->pad_count);
	if (length && has_no_payload(opcode))
		subject_break(subject, RULE_IB_NO_PAYLOAD, "%s with %u bytes", opcode->name, length);
	if (length > MOST_PAYLOAD)
		subject_break(subject, RULE_IB_PAYLOAD_MOST, "%s with %u bytes", opcode->name, length);
	if (opcode->place == IB_LAST && !length && ib_service(ib->opcode) != IB_UD)
		subject_break(subject, RULE_IB_LAST_EMPTY, "%s with 0 bytes", opcode->name);
	if ((opcode->place == IB_FIRST || opcode->place == IB_MIDDLE) && !ib_is_path_mtu(length))
		subject_break(subject, RULE_IB_MTU_VALUE, "%s with %u bytes", opcode->name, length);
	if (opcode->class == IB_ATOMIC_WRITE && length != 8)
		subject_break(subject, RULE_IB_ATOMIC_WRITE_LENGTH, "%u bytes", length);
	if ((opcode->class == IB_ATOMIC || opcode->class == IB_ATOMIC_WRITE) && ib->virtual_address % 8 && (ib->has_reth || ib->has_atomic))
		subject_break(subject, RULE_IB_ATOMIC_ALIGNMENT, "address 0x%llx", (unsigned long long)ib->virtual_address);
	if (!ib->has_reth || opcode->class == IB_FLUSH)
		return;
	if (ib->dma_length > MOST_MESSAGE)
		subject_break(subject, RULE_IB_DMA_LENGTH, "%s of %u bytes", opcode->name, ib->dma_length);
	if (opcode->class == IB_WRITE && (opcode->place == IB_ONLY ? ib->dma_length != length : ib->dma_length <= length))
		subject_break(subject, RULE_IB_DMA_PLACE, "%s with %u bytes, DMA length %u", opcode->name, length, ib->dma_length);
}

static void check_flags(const struct subject *subject, const struct ib_opcode *opcode)
{
	const struct rtap_ib_facts *ib = &subject->packet->ib;
	bool is_end = opcode->place == IB_LAST || opcode->place == IB_ONLY;

	if (ib->solicited_event && !(is_end && (opcode->class == IB_SEND || (opcode->class == IB_WRITE && opcode->headers & IB_IMMDT))))
		subject_break(subject, RULE_IB_SOLICITED, "%s with SE", opcode->name);
	if (!(ib->p_key & 0x7fff))
		subject_break(subject, RULE_IB_P_KEY_INVALID, "P_Key 0x%04x", ib->p_key);
	if (ib->dest_qpn < 2 && ib_service(ib->opcode) != IB_UD)
		subject_break(subject, RULE_IB_MANAGEMENT_QP, "%s to QP %u", opcode->name, ib->dest_qpn);
	if (ib->has_aeth && ib->aeth_kind == RTAP_AETH_RESERVED)
		subject_break(subject, RULE_IB_AETH_RESERVED, "syndrome 0x%02x", ib->syndrome);
	else if (ib->has_aeth && ib->syndrome & 0x80)
		subject_break(subject, RULE_IB_AETH_RESERVED, "syndrome 0x%02x", ib->syndrome);
	if (ib->has_aeth && ib->aeth_kind == RTAP_AETH_NAK && ib->aeth_value >= RTAP_NAK_COUNT)
		subject_break(subject, RULE_IB_NAK_CODE, "NAK code %u", ib->aeth_value);
	if ((ib->fecn || ib->becn) && packet_has(subject->packet, PROTOCOL_UDP))
		subject_break(subject, RULE_IB_FECN, "%s with %s", opcode->name, ib->fecn ? "FECN" : "BECN");
}

static void check_cnp(const struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;
	const struct rtap_ib_facts *ib = &packet->ib;
	const struct rtap_layer *layer = layer_of(packet, PROTOCOL_CNP_PAYLOAD);
	uint8_t found = 0;

	for (uint32_t i = 0; layer && i < layer->length && i < CNP_BYTES; i++)
		found |= layer_bytes(packet, layer)[i];
	if (ib->opcode != CNP_ROCE_V2)
		return;
	if (!ib->becn || ib->fecn)
		subject_break(subject, RULE_IB_CNP, "BECN %u, FECN %u", ib->becn, ib->fecn);
	else if (ib->psn || ib->solicited_event || ib->ack_request || ib->pad_count)
		subject_break(subject, RULE_IB_CNP, "PSN %u, SE %u, AckReq %u, PadCnt %u", ib->psn, ib->solicited_event, ib->ack_request, ib->pad_count);
	else if (found)
		subject_break(subject, RULE_IB_CNP, "the reserved bytes are not 0");
}

static void check_datagram(const struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;
	const struct rtap_ib_facts *ib = &packet->ib;

	if (ib->dest_qpn == 1 && ib->has_deth && ib->q_key != GSI_Q_KEY)
		subject_break(subject, RULE_IB_GSI_Q_KEY, "Q_Key 0x%08x", ib->q_key);
	if (ib->dest_qpn < 2 && ib->has_deth && packet->payload.wire != MAD_LENGTH)
		subject_break(subject, RULE_IB_MAD_LENGTH, "%u bytes to QP %u", packet->payload.wire, ib->dest_qpn);
	if (!packet->cm.present)
		return;
	if (packet->cm.attribute == CM_REQ && (packet->cm.mtu_code < 1 || packet->cm.mtu_code > 5))
		subject_break(subject, RULE_IB_CM_MTU, "code %u", packet->cm.mtu_code);
	if ((packet->cm.attribute == CM_REQ || packet->cm.attribute == CM_REP) && !packet->cm.local_eecn &&
	    (packet->cm.local_qpn < 2 || packet->cm.local_qpn == 0xffffff))
		subject_break(subject, RULE_IB_CM_QPN, "QPN 0x%x", packet->cm.local_qpn);
}

void ib_rules_packet(struct subject *subject)
{
	const struct rtap_ib_facts *ib = &subject->packet->ib;
	const struct ib_opcode *opcode = &ib_opcodes[ib->opcode];

	check_anomalies(subject);
	check_headers(subject);
	if (ib->icrc_status == RTAP_CRC_BAD || opcode->class == IB_RESERVED)
		return;
	if (opcode->class == IB_CONGESTION) {
		check_cnp(subject);
		return;
	}
	check_lengths(subject, opcode);
	check_flags(subject, opcode);
	if (ib_service(ib->opcode) == IB_UD)
		check_datagram(subject);
}
