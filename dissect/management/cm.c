/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of communication management. IBTA vol. 1, 12.6 (connections), 12.8 (alternate paths), 12.11 (service id resolution).
 * Positions count from the end of the MAD header.
 */
#include "config.h"

#include "dissect/management/cm.h"
#include "dissect/management/cm_consumers.h"
#include "dissect/management/cm_private.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"

/* In every message, but in a REQ and the SIDR messages the second is something else. */
#define LOCAL_ID 0, 32
#define REMOTE_ID 32, 32

/* In a REQ and in a SIDR_REQ */
#define SERVICE_ID 64, 64
#define SERVICE_PREFIX 64, 40
#define SERVICE_PROTOCOL 104, 8
#define SERVICE_PORT 112, 16

#define PRIVATE_DATA(name) \
	{ name, "PrivateData", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, cm_derive_private, NULL }

static bool is_ip_service(uint64_t service_id)
{
	return service_id >> 24 == CM_IP_SERVICE_PREFIX;
}

static bool has_ip_service(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return is_ip_service(bits(layer_bytes(packet, layer), SERVICE_ID));
}

static bool derive_prefix(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + 8, 5 };
	return layer->length >= 16 && has_ip_service(packet, layer);
}

static bool derive_protocol(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), SERVICE_PROTOCOL);
	return layer->length >= 16 && has_ip_service(packet, layer);
}

static bool derive_port(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), SERVICE_PORT);
	return has_ip_service(packet, layer);
}

static bool derive_kind(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const char *kind = layer->length >= 16 ? cm_service_kind(bits(layer_bytes(packet, layer), SERVICE_ID)) : NULL;

	if (kind)
		value->data = (struct rtap_span){ (const uint8_t *)kind, (uint32_t)strlen(kind) };
	return kind;
}

/* The consumer of the private data in a REP, or in a REJ with a consumer-defined reason; other REJs have none. 12.6.7, 12.6.8. */
static bool derive_consumer(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const char *name = cm_consumer_name(packet->cm.consumer);
	bool has_private = packet->cm.attribute == CM_REP || packet->cm.reject_reason == CM_CONSUMER_REJECT;

	if (layer->length != CM_DATA_LENGTH || !has_private || !name)
		return false;
	value->data = (struct rtap_span){ (const uint8_t *)name, (uint32_t)strlen(name) };
	return true;
}

static void summary_qp(struct line *line, const char *label, uint64_t qpn)
{
	line_text(line, label);
	line_hex(line, qpn, 1);
}

static void summary_named(struct line *line, const char *label, const struct rtap_name *names, uint64_t value)
{
	const char *name = rtap_name_of(names, value);

	line_text(line, label);
	if (name)
		line_text(line, name);
	else
		line_dec(line, value);
}

/* Connection request. 12.6.5. */
#define REQ_LENGTH 140
#define REQ_RESERVED0 32, 32
#define REQ_CA_GUID 128, 64
#define REQ_RESERVED1 192, 32
#define REQ_Q_KEY 224, 32
#define REQ_QPN 256, 24
#define REQ_RESPONDER_RESOURCES 280, 8
#define REQ_EECN 288, 24
#define REQ_INITIATOR_DEPTH 312, 8
#define REQ_REMOTE_EECN 320, 24
#define REQ_REMOTE_TIMEOUT 344, 5
#define REQ_TRANSPORT 349, 2
#define REQ_FLOW_CONTROL 351, 1
#define REQ_PSN 352, 24
#define REQ_LOCAL_TIMEOUT 376, 5
#define REQ_RETRIES 381, 3
#define REQ_P_KEY 384, 16
#define REQ_MTU 400, 4
#define REQ_RDC_EXISTS 404, 1
#define REQ_RNR_RETRIES 405, 3
#define REQ_CM_RETRIES 408, 4
#define REQ_SRQ 412, 1
#define REQ_EXTENDED_TRANSPORT 413, 3
#define REQ_PRIMARY_LOCAL_LID 416, 16
#define REQ_PRIMARY_REMOTE_LID 432, 16
#define REQ_PRIMARY_LOCAL_GID 448, 128
#define REQ_PRIMARY_REMOTE_GID 576, 128
#define REQ_PRIMARY_FLOW_LABEL 704, 20
#define REQ_PRIMARY_RESERVED0 724, 6
#define REQ_PRIMARY_RATE 730, 6
#define REQ_PRIMARY_CLASS 736, 8
#define REQ_PRIMARY_HOPS 744, 8
#define REQ_PRIMARY_SL 752, 4
#define REQ_PRIMARY_LOCAL 756, 1
#define REQ_PRIMARY_RESERVED1 757, 3
#define REQ_PRIMARY_TIMEOUT 760, 5
#define REQ_PRIMARY_RESERVED2 765, 3
#define REQ_ALTERNATE_LOCAL_LID 768, 16
#define REQ_ALTERNATE_REMOTE_LID 784, 16
#define REQ_ALTERNATE_LOCAL_GID 800, 128
#define REQ_ALTERNATE_REMOTE_GID 928, 128
#define REQ_ALTERNATE_FLOW_LABEL 1056, 20
#define REQ_ALTERNATE_RESERVED0 1076, 6
#define REQ_ALTERNATE_RATE 1082, 6
#define REQ_ALTERNATE_CLASS 1088, 8
#define REQ_ALTERNATE_HOPS 1096, 8
#define REQ_ALTERNATE_SL 1104, 4
#define REQ_ALTERNATE_LOCAL 1108, 1
#define REQ_ALTERNATE_RESERVED1 1109, 3
#define REQ_ALTERNATE_TIMEOUT 1112, 5
#define REQ_ALTERNATE_RESERVED2 1117, 3

#define PRIMARY_LOCAL_GID_AT 56
#define PRIMARY_REMOTE_GID_AT 72
/* position of the address in an IPv4-mapped GID. RFC 4291, 2.5.5.2; IBTA vol. 1, A17.4.2 */
#define IPV4_IN_GID 12

enum transport { TRANSPORT_RC, TRANSPORT_UC, TRANSPORT_RD, TRANSPORT_EXTENDED };

static const struct rtap_name transport_names[] = {
	{ TRANSPORT_RC, "RC" }, { TRANSPORT_UC, "UC" }, { TRANSPORT_RD, "RD" }, { TRANSPORT_EXTENDED, "extended" }, { 0, NULL },
};

/* A14.3.1 */
static const struct rtap_name extended_transport_names[] = { { 1, "XRC" }, { 0, NULL } };

/* 12.7.12 */
static const struct rtap_name mtu_names[] = { { 1, "256" }, { 2, "512" }, { 3, "1024" }, { 4, "2048" }, { 5, "4096" }, { 0, NULL } };

static bool is_mapped_ipv4(const uint8_t *gid)
{
	return load64(gid) == 0 && load32(gid + 8) == 0xffff;
}

static bool derive_gid(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at,
		       bool want_ipv4)
{
	const uint8_t *gid = layer_bytes(packet, layer) + at;

	value->data = want_ipv4 ? (struct rtap_span){ gid + IPV4_IN_GID, 4 } : (struct rtap_span){ gid, 16 };
	return is_mapped_ipv4(gid) == want_ipv4;
}

static bool derive_local_gid(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_gid(packet, layer, value, PRIMARY_LOCAL_GID_AT, false);
}

static bool derive_local_ipv4(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_gid(packet, layer, value, PRIMARY_LOCAL_GID_AT, true);
}

static bool derive_remote_gid(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_gid(packet, layer, value, PRIMARY_REMOTE_GID_AT, false);
}

static bool derive_remote_ipv4(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_gid(packet, layer, value, PRIMARY_REMOTE_GID_AT, true);
}

static const struct rtap_field req_fields[] = {
	{ "infiniband.cm.req", "Local Communication ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.req.reserved0", "Reserved", REQ_RESERVED0, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.serviceid", "ServiceID", SERVICE_ID, RTAP_HEX, RTAP_PARTS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.serviceid.prefix", "Prefix", SERVICE_PREFIX, RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_prefix, "A11.3" },
	{ "infiniband.cm.req.serviceid.protocol", "Protocol", SERVICE_PROTOCOL, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_protocol, "A11.3" },
	{ "infiniband.cm.req.serviceid.dport", "Destination Port", SERVICE_PORT, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_port, "A11.3" },
	{ "infiniband.cm.req.serviceid.kind", "Kind of Service", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_kind, "A3.2.3" },
	{ "infiniband.cm.req.localcaguid", "Local CA GUID", REQ_CA_GUID, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.reserved1", "Reserved", REQ_RESERVED1, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.localqkey", "Local Q_Key", REQ_Q_KEY, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.localqpn", "Local QPN", REQ_QPN, RTAP_HEX, RTAP_IS_QP, NULL, NULL, NULL },
	{ "infiniband.cm.req.responderres", "Responder Resources", REQ_RESPONDER_RESOURCES, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.localeecn", "Local EECN", REQ_EECN, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.initdepth", "Initiator Depth", REQ_INITIATOR_DEPTH, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.remoteeecn", "Remote EECN", REQ_REMOTE_EECN, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.remoteresptout", "Remote CM Response Timeout", REQ_REMOTE_TIMEOUT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.transpsvctype", "Transport Service Type", REQ_TRANSPORT, RTAP_HEX, 0, transport_names, NULL, NULL },
	{ "infiniband.cm.req.e2eflowctrl", "End-to-End Flow Control", REQ_FLOW_CONTROL, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.startpsn", "Starting PSN", REQ_PSN, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.localresptout", "Local CM Response Timeout", REQ_LOCAL_TIMEOUT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.retrcount", "Retry Count", REQ_RETRIES, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.pkey", "Partition Key", REQ_P_KEY, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.pppmtu", "Path Packet Payload MTU", REQ_MTU, RTAP_HEX, 0, mtu_names, NULL, "12.7.12" },
	{ "infiniband.cm.req.rdcexist", "RDC Exists", REQ_RDC_EXISTS, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.rnrretrcount", "RNR Retry Count", REQ_RNR_RETRIES, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.maxcmretr", "Max CM Retries", REQ_CM_RETRIES, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.srq", "SRQ", REQ_SRQ, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.ext_transport", "Extended Transport", REQ_EXTENDED_TRANSPORT, RTAP_HEX, 0, extended_transport_names, NULL,
	  "A14.3.1" },
	{ "infiniband.cm.req.prim_locallid", "Primary Local Port LID", REQ_PRIMARY_LOCAL_LID, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_remotelid", "Primary Remote Port LID", REQ_PRIMARY_REMOTE_LID, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_localgid", "Primary Local Port GID", REQ_PRIMARY_LOCAL_GID, RTAP_IPV6, RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_local_gid, NULL },
	{ "infiniband.cm.req.prim_localgid_ipv4", "Primary Local Port GID", REQ_PRIMARY_LOCAL_GID, RTAP_IPV4, RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_local_ipv4, NULL },
	{ "infiniband.cm.req.prim_remotegid", "Primary Remote Port GID", REQ_PRIMARY_REMOTE_GID, RTAP_IPV6, RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_remote_gid, NULL },
	{ "infiniband.cm.req.prim_remotegid_ipv4", "Primary Remote Port GID", REQ_PRIMARY_REMOTE_GID, RTAP_IPV4,
	  RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_remote_ipv4, NULL },
	{ "infiniband.cm.req.prim_flowlabel", "Primary Flow Label", REQ_PRIMARY_FLOW_LABEL, RTAP_HEX32, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_reserved0", "Reserved", REQ_PRIMARY_RESERVED0, RTAP_HEX32, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_pktrate", "Primary Packet Rate", REQ_PRIMARY_RATE, RTAP_HEX32, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_tfcclass", "Primary Traffic Class", REQ_PRIMARY_CLASS, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_hoplim", "Primary Hop Limit", REQ_PRIMARY_HOPS, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_sl", "Primary SL", REQ_PRIMARY_SL, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_subnetlocal", "Primary Subnet Local", REQ_PRIMARY_LOCAL, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_reserved1", "Reserved", REQ_PRIMARY_RESERVED1, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_localacktout", "Primary Local ACK Timeout", REQ_PRIMARY_TIMEOUT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.prim_reserved2", "Reserved", REQ_PRIMARY_RESERVED2, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_locallid", "Alternate Local Port LID", REQ_ALTERNATE_LOCAL_LID, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_remotelid", "Alternate Remote Port LID", REQ_ALTERNATE_REMOTE_LID, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_localgid", "Alternate Local Port GID", REQ_ALTERNATE_LOCAL_GID, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_remotegid", "Alternate Remote Port GID", REQ_ALTERNATE_REMOTE_GID, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_flowlabel", "Alternate Flow Label", REQ_ALTERNATE_FLOW_LABEL, RTAP_HEX32, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_reserved0", "Reserved", REQ_ALTERNATE_RESERVED0, RTAP_HEX32, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_pktrate", "Alternate Packet Rate", REQ_ALTERNATE_RATE, RTAP_HEX32, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_tfcclass", "Alternate Traffic Class", REQ_ALTERNATE_CLASS, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_hoplim", "Alternate Hop Limit", REQ_ALTERNATE_HOPS, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_sl", "Alternate SL", REQ_ALTERNATE_SL, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_subnetlocal", "Alternate Subnet Local", REQ_ALTERNATE_LOCAL, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_reserved1", "Reserved", REQ_ALTERNATE_RESERVED1, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_localacktout", "Alternate Local ACK Timeout", REQ_ALTERNATE_TIMEOUT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.alt_reserved2", "Reserved", REQ_ALTERNATE_RESERVED2, RTAP_HEX, 0, NULL, NULL, NULL },
	PRIVATE_DATA("infiniband.cm.req.private"),
};

static void note_req(struct rtap_cm_facts *facts, const uint8_t *header)
{
	facts->service_id = bits(header, SERVICE_ID);
	facts->q_key = (uint32_t)bits(header, REQ_Q_KEY);
	facts->local_qpn = (uint32_t)bits(header, REQ_QPN);
	facts->local_eecn = (uint32_t)bits(header, REQ_EECN);
	facts->starting_psn = (uint32_t)bits(header, REQ_PSN);
	facts->transport_type = (uint8_t)bits(header, REQ_TRANSPORT);
	facts->extended_transport = (uint8_t)bits(header, REQ_EXTENDED_TRANSPORT);
	facts->mtu_code = (uint8_t)bits(header, REQ_MTU);
	facts->ack_timeout = (uint8_t)bits(header, REQ_PRIMARY_TIMEOUT);
	facts->retry_count = (uint8_t)bits(header, REQ_RETRIES);
	facts->rnr_retry_count = (uint8_t)bits(header, REQ_RNR_RETRIES);
	facts->flow_label = (uint32_t)bits(header, REQ_PRIMARY_FLOW_LABEL);
}

static void summary_psn(struct line *line, uint32_t psn)
{
	char *begin = line->next;

	line_text(line, " psn ");
	line_dec(line, psn);
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

static void summary_req(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_cm_facts *facts = &packet->cm;
	char *begin;

	cm_summary_service(packet, layer, facts->service_id, line);
	begin = line->next;
	summary_qp(line, " qp ", facts->local_qpn);
	line_spare(line, begin, LINE_SPARE_LAST);
	summary_psn(line, facts->starting_psn);
	begin = line->next;
	summary_named(line, rtap_name_of(mtu_names, facts->mtu_code) ? " mtu " : " mtu code ", mtu_names, facts->mtu_code);
	line_spare(line, begin, LINE_SPARE_PARTS);
	if (facts->transport_type == TRANSPORT_EXTENDED)
		summary_named(line, rtap_name_of(extended_transport_names, facts->extended_transport) ? " transport " : " extended transport ",
			      extended_transport_names, facts->extended_transport);
	else if (facts->transport_type != TRANSPORT_RC)
		summary_named(line, " transport ", transport_names, facts->transport_type);
}

/* Message receipt acknowledgment. 12.6.6. */
#define MRA_LENGTH 10
#define MRA_MESSAGE 64, 2
#define MRA_RESERVED0 66, 6
#define MRA_TIMEOUT 72, 5
#define MRA_RESERVED1 77, 3

static const struct rtap_name mra_message_names[] = { { 0, "REQ" }, { 1, "REP" }, { 2, "LAP" }, { 0, NULL } };

static const struct rtap_field mra_fields[] = {
	{ "infiniband.cm.mra.localcommid", "Local Communication ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.mra.remotecommid", "Remote Communication ID", REMOTE_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.mra.msgmraed", "Message MRAed", MRA_MESSAGE, RTAP_HEX, 0, mra_message_names, NULL, NULL },
	{ "infiniband.cm.mra.reserved0", "Reserved", MRA_RESERVED0, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.mra.svctout", "Service Timeout", MRA_TIMEOUT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.mra.reserved1", "Reserved", MRA_RESERVED1, RTAP_HEX, 0, NULL, NULL, NULL },
	PRIVATE_DATA("infiniband.cm.mra.private"),
};

static void note_mra(struct rtap_cm_facts *facts, const uint8_t *header)
{
	facts->remote_id = (uint32_t)bits(header, REMOTE_ID);
	facts->subject = (uint8_t)bits(header, MRA_MESSAGE);
}

static void summary_mra(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	summary_named(line, " of ", mra_message_names, packet->cm.subject);
	line_text(line, " service timeout ");
	line_dec(line, bits(layer_bytes(packet, layer), MRA_TIMEOUT));
}

/* Reject. 12.6.7. */
#define REJ_LENGTH 84
#define REJ_MESSAGE 64, 2
#define REJ_RESERVED0 66, 6
#define REJ_INFO_LENGTH 72, 7
#define REJ_RESERVED1 79, 1
#define REJ_REASON 80, 16
#define REJ_INFO 96, 576

static const struct rtap_name rej_message_names[] = { { 0, "REQ" }, { 1, "REP" }, { 2, "no message" }, { 0, NULL } };

static const struct rtap_field rej_fields[] = {
	{ "infiniband.cm.rej.localcommid", "Local Communication ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.rej.remotecommid", "Remote Communication ID", REMOTE_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.rej.msgrej", "Message REJected", REJ_MESSAGE, RTAP_HEX, 0, rej_message_names, NULL, NULL },
	{ "infiniband.cm.rej.reserved0", "Reserved", REJ_RESERVED0, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rej.rejinfolen", "Reject Info Length", REJ_INFO_LENGTH, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rej.reserved1", "Reserved", REJ_RESERVED1, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rej.reason", "Reason", REJ_REASON, RTAP_HEX, 0, cm_reject_reasons, NULL, "12.6.7.2" },
	{ "infiniband.cm.rej.ari", "Additional Reject Information (ARI)", REJ_INFO, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rej.consumer", "Private Data Is Of", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_consumer, NULL },
	PRIVATE_DATA("infiniband.cm.rej.private"),
};

static void note_rej(struct rtap_cm_facts *facts, const uint8_t *header)
{
	facts->remote_id = (uint32_t)bits(header, REMOTE_ID);
	facts->subject = (uint8_t)bits(header, REJ_MESSAGE);
	facts->reject_reason = (uint16_t)bits(header, REJ_REASON);
}

static void summary_rej(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)layer;
	summary_named(line, " of ", rej_message_names, packet->cm.subject);
	summary_named(line, " reason ", cm_reject_reasons, packet->cm.reject_reason);
}

/* Reply to a request. 12.6.8. */
#define REP_LENGTH 36
#define REP_Q_KEY 64, 32
#define REP_QPN 96, 24
#define REP_RESERVED0 120, 8
#define REP_EECN 128, 24
#define REP_RESERVED1 152, 8
#define REP_PSN 160, 24
#define REP_RESERVED2 184, 8
#define REP_RESPONDER_RESOURCES 192, 8
#define REP_INITIATOR_DEPTH 200, 8
#define REP_ACK_DELAY 208, 5
#define REP_FAILOVER 213, 2
#define REP_FLOW_CONTROL 215, 1
#define REP_RNR_RETRIES 216, 3
#define REP_SRQ 219, 1
#define REP_RESERVED3 220, 4
#define REP_CA_GUID 224, 64

static const struct rtap_name failover_names[] = { { 0, "accepted" }, { 1, "not supported" }, { 2, "rejected" }, { 0, NULL } };

static const struct rtap_field rep_fields[] = {
	{ "infiniband.cm.rep", "Local Communication ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.rep.remotecommid", "Remote Communication ID", REMOTE_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.rep.localqkey", "Local Q_Key", REP_Q_KEY, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.rep.localqpn", "Local QPN", REP_QPN, RTAP_HEX, RTAP_IS_QP, NULL, NULL, NULL },
	{ "infiniband.cm.rep.reserved0", "Reserved", REP_RESERVED0, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rep.localeecn", "Local EE Context Number", REP_EECN, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.rep.reserved1", "Reserved", REP_RESERVED1, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rep.startpsn", "Starting PSN", REP_PSN, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.rep.reserved2", "Reserved", REP_RESERVED2, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rep.respres", "Responder Resources", REP_RESPONDER_RESOURCES, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rep.initdepth", "Initiator Depth", REP_INITIATOR_DEPTH, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rep.tgtackdelay", "Target ACK Delay", REP_ACK_DELAY, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rep.failoveracc", "Failover Accepted", REP_FAILOVER, RTAP_HEX, 0, failover_names, NULL, NULL },
	{ "infiniband.cm.rep.e2eflowctrl", "End-To-End Flow Control", REP_FLOW_CONTROL, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rep.rnrretrcount", "RNR Retry Count", REP_RNR_RETRIES, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rep.srq", "SRQ", REP_SRQ, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rep.reserved", "Reserved", REP_RESERVED3, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.rep.localcaguid", "Local CA GUID", REP_CA_GUID, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.rep.consumer", "Private Data Is Of", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_consumer, NULL },
	PRIVATE_DATA("infiniband.cm.rep.private"),
};

static void note_rep(struct rtap_cm_facts *facts, const uint8_t *header)
{
	facts->remote_id = (uint32_t)bits(header, REMOTE_ID);
	facts->q_key = (uint32_t)bits(header, REP_Q_KEY);
	facts->local_qpn = (uint32_t)bits(header, REP_QPN);
	facts->local_eecn = (uint32_t)bits(header, REP_EECN);
	facts->starting_psn = (uint32_t)bits(header, REP_PSN);
	facts->rnr_retry_count = (uint8_t)bits(header, REP_RNR_RETRIES);
}

/* With XRC and RD the number is in the other field (A14.3.2), and only the REQ has the service: both are shown. */
static void summary_rep(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)layer;
	summary_qp(line, " qp ", packet->cm.local_qpn);
	if (packet->cm.local_eecn)
		summary_qp(line, " eecn ", packet->cm.local_eecn);
	summary_psn(line, packet->cm.starting_psn);
}

/* Ready to use: 12.6.9. Disconnect reply: 12.6.11. */
#define IDS_LENGTH 8

static const struct rtap_field rtu_fields[] = {
	{ "infiniband.cm.rtu.localcommid", "Local Communication ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.rtu.remotecommid", "Remote Communication ID", REMOTE_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	PRIVATE_DATA("infiniband.cm.rtu.private"),
};

static const struct rtap_field drep_fields[] = {
	{ "infiniband.cm.drsp.localcommid", "Local Communication ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.drsp.remotecommid", "Remote Communication ID", REMOTE_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	PRIVATE_DATA("infiniband.cm.drsp.private"),
};

static void note_ids(struct rtap_cm_facts *facts, const uint8_t *header)
{
	facts->remote_id = (uint32_t)bits(header, REMOTE_ID);
}

/* Disconnect request. 12.6.10. */
#define DREQ_LENGTH 12
#define DREQ_REMOTE_QPN 64, 24
#define DREQ_RESERVED 88, 8

static const struct rtap_field dreq_fields[] = {
	{ "infiniband.cm.dreq.localcommid", "Local Communication ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.dreq.remotecommid", "Remote Communication ID", REMOTE_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	/* the name is Wireshark's */
	{ "infiniband.cm.req.remoteqpneecn", "Remote QPN/EECN", DREQ_REMOTE_QPN, RTAP_HEX, RTAP_IS_QP, NULL, NULL, NULL },
	{ "infiniband.cm.dreq.reserved", "Reserved", DREQ_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	PRIVATE_DATA("infiniband.cm.dreq.private"),
};

static void note_dreq(struct rtap_cm_facts *facts, const uint8_t *header)
{
	note_ids(facts, header);
	facts->remote_qpn = (uint32_t)bits(header, DREQ_REMOTE_QPN);
}

static void summary_remote_qp(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)layer;
	summary_qp(line, " of qp ", packet->cm.remote_qpn);
}

/* Service id resolution request. 12.11.1. */
#define SIDR_REQ_LENGTH 16
#define SIDR_REQ_P_KEY 32, 16
#define SIDR_REQ_RESERVED 48, 16

static const struct rtap_field sidr_req_fields[] = {
	{ "infiniband.cm.sidrreq.requestid", "Request ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.sidrreq.pkey", "Partition Key", SIDR_REQ_P_KEY, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.sidrreq.reserved", "Reserved", SIDR_REQ_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.sidrreq.serviceid", "ServiceID", SERVICE_ID, RTAP_HEX, RTAP_PARTS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.sidrreq.serviceid.prefix", "Prefix", SERVICE_PREFIX, RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_prefix, "A11.3" },
	{ "infiniband.cm.sidrreq.serviceid.protocol", "Protocol", SERVICE_PROTOCOL, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_protocol, "A11.3" },
	{ "infiniband.cm.sidrreq.serviceid.dport", "Destination Port", SERVICE_PORT, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_port, "A11.3" },
	{ "infiniband.cm.sidrreq.serviceid.kind", "Kind of Service", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_kind, "A3.2.3" },
	PRIVATE_DATA("infiniband.cm.sidrreq.private"),
};

static void note_sidr_req(struct rtap_cm_facts *facts, const uint8_t *header)
{
	facts->service_id = bits(header, SERVICE_ID);
}

static void summary_sidr_req(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	cm_summary_service(packet, layer, packet->cm.service_id, line);
}

/* Service id resolution response. 12.11.2. */
#define SIDR_REP_LENGTH 96
#define SIDR_REP_STATUS 32, 8
#define SIDR_REP_INFO_LENGTH 40, 8
#define SIDR_REP_RESERVED0 48, 16
#define SIDR_REP_QPN 64, 24
#define SIDR_REP_RESERVED1 88, 8
#define SIDR_REP_SERVICE_ID 96, 64
#define SIDR_REP_Q_KEY 160, 32
#define SIDR_REP_INFO 192, 576

static const struct rtap_field sidr_rep_fields[] = {
	{ "infiniband.cm.sidrrep.requestid", "Request ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.sidrrep.status", "Status", SIDR_REP_STATUS, RTAP_HEX, 0, cm_sidr_statuses, NULL, NULL },
	{ "infiniband.cm.sidrrep.addinfolen", "Additional Information Length", SIDR_REP_INFO_LENGTH, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.sidrrep.reserved0", "Reserved", SIDR_REP_RESERVED0, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.sidrrep.qpn", "QPN", SIDR_REP_QPN, RTAP_HEX, RTAP_IS_QP, NULL, NULL, NULL },
	{ "infiniband.cm.sidrrep.reserved1", "Reserved", SIDR_REP_RESERVED1, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.sidrrep.serviceid", "ServiceID", SIDR_REP_SERVICE_ID, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.sidrrep.qkey", "Q_Key", SIDR_REP_Q_KEY, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.sidrrep.addinfo", "Additional Information", SIDR_REP_INFO, RTAP_BYTES, 0, NULL, NULL, NULL },
	PRIVATE_DATA("infiniband.cm.sidrrep.private"),
};

static void note_sidr_rep(struct rtap_cm_facts *facts, const uint8_t *header)
{
	facts->sidr_status = (uint8_t)bits(header, SIDR_REP_STATUS);
	facts->local_qpn = (uint32_t)bits(header, SIDR_REP_QPN);
	facts->service_id = bits(header, SIDR_REP_SERVICE_ID);
	facts->q_key = (uint32_t)bits(header, SIDR_REP_Q_KEY);
}

static void summary_sidr_rep(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin = line->next;

	cm_summary_service(packet, layer, packet->cm.service_id, line);
	if (packet->cm.sidr_status)
		line_spare(line, begin, LINE_SPARE_LAST);
	begin = line->next;
	summary_named(line, " status ", cm_sidr_statuses, packet->cm.sidr_status);
	if (packet->cm.sidr_status)
		return;
	line_spare(line, begin, LINE_SPARE_DETAIL);
	summary_qp(line, " qp ", packet->cm.local_qpn);
	begin = line->next;
	line_text(line, " q_key ");
	line_hex(line, packet->cm.q_key, 1);
	line_spare(line, begin, LINE_SPARE_MEMORY);
}

/* Load alternate path. 12.8.1. */
#define LAP_LENGTH 64
#define LAP_RESERVED0 64, 32
#define LAP_REMOTE_QPN 96, 24
#define LAP_REMOTE_TIMEOUT 120, 5
#define LAP_RESERVED1 125, 3
#define LAP_RESERVED2 128, 32
#define LAP_LOCAL_LID 160, 16
#define LAP_REMOTE_LID 176, 16
#define LAP_LOCAL_GID 192, 128
#define LAP_REMOTE_GID 320, 128
#define LAP_FLOW_LABEL 448, 20
#define LAP_RESERVED3 468, 4
#define LAP_CLASS 472, 8
#define LAP_HOPS 480, 8
#define LAP_RESERVED4 488, 2
#define LAP_RATE 490, 6
#define LAP_SL 496, 4
#define LAP_SUBNET_LOCAL 500, 1
#define LAP_RESERVED5 501, 3
#define LAP_TIMEOUT 504, 5
#define LAP_RESERVED6 509, 3

static const struct rtap_field lap_fields[] = {
	{ "infiniband.cm.lap.localcommid", "Local Communication ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.lap.remotecommid", "Remote Communication ID", REMOTE_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.lap.reserved0", "Reserved", LAP_RESERVED0, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.remoteqpneecn", "Remote QPN/EECN", LAP_REMOTE_QPN, RTAP_HEX, RTAP_IS_QP, NULL, NULL, NULL },
	{ "infiniband.cm.lap.remoteresptout", "Remote CM Response Timeout", LAP_REMOTE_TIMEOUT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.reserved1", "Reserved", LAP_RESERVED1, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.reserved2", "Reserved", LAP_RESERVED2, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_locallid", "Alternate Local Port LID", LAP_LOCAL_LID, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_remotelid", "Alternate Remote Port LID", LAP_REMOTE_LID, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_localgid", "Alternate Local Port GID", LAP_LOCAL_GID, RTAP_IPV6, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_remotegid", "Alternate Remote Port GID", LAP_REMOTE_GID, RTAP_IPV6, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_flowlabel", "Alternate Flow Label", LAP_FLOW_LABEL, RTAP_HEX32, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.lap.reserved3", "Reserved", LAP_RESERVED3, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_tfcclass", "Alternate Traffic Class", LAP_CLASS, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_hoplim", "Alternate Hop Limit", LAP_HOPS, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.reserved4", "Reserved", LAP_RESERVED4, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_pktrate", "Alternate Packet Rate", LAP_RATE, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_sl", "Alternate SL", LAP_SL, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_subnetlocal", "Alternate Subnet Local", LAP_SUBNET_LOCAL, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.reserved5", "Reserved", LAP_RESERVED5, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.alt_localacktout", "Alternate Local ACK Timeout", LAP_TIMEOUT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.lap.reserved6", "Reserved", LAP_RESERVED6, RTAP_HEX, 0, NULL, NULL, NULL },
	PRIVATE_DATA("infiniband.cm.lap.private"),
};

static void note_lap(struct rtap_cm_facts *facts, const uint8_t *header)
{
	note_ids(facts, header);
	facts->remote_qpn = (uint32_t)bits(header, LAP_REMOTE_QPN);
}

/* Alternate path response. 12.8.2. */
#define APR_LENGTH 84
#define APR_INFO_LENGTH 64, 8
#define APR_STATUS 72, 8
#define APR_RESERVED 80, 16
#define APR_INFO 96, 576

static const struct rtap_field apr_fields[] = {
	{ "infiniband.cm.apr.localcommid", "Local Communication ID", LOCAL_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.apr.remotecommid", "Remote Communication ID", REMOTE_ID, RTAP_HEX, RTAP_IS_COMM, NULL, NULL, NULL },
	{ "infiniband.cm.apr.addinfolen", "Additional Information Length", APR_INFO_LENGTH, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.apr.status", "AP Status", APR_STATUS, RTAP_HEX, 0, cm_path_statuses, NULL, NULL },
	{ "infiniband.cm.apr.reserved", "Reserved", APR_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.cm.apr.addinfo", "Additional Information", APR_INFO, RTAP_BYTES, 0, NULL, NULL, NULL },
	PRIVATE_DATA("infiniband.cm.apr.private"),
};

static void note_apr(struct rtap_cm_facts *facts, const uint8_t *header)
{
	note_ids(facts, header);
	facts->path_status = (uint8_t)bits(header, APR_STATUS);
}

static void summary_apr(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)layer;
	summary_named(line, " status ", cm_path_statuses, packet->cm.path_status);
}

/* Size of the additional information of a REJ, a SIDR_REP and an APR. 12.6.7, 12.11.2, 12.8.2. */
#define INFO_LENGTH 72

/*
 * Specifics of each message: `note` stores the facts after the first id, `summary` continues after the ids; position of the length of
 * additional information, if any.
 */
static const struct message {
	const char *name;
	void (*note)(struct rtap_cm_facts *facts, const uint8_t *header);
	void (*summary)(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line);
	uint16_t info_length_offset, info_length_width; /* bits */
} messages[] = {
	[CM_REQ - CM_REQ] = { "REQ", note_req, summary_req, 0, 0 },
	[CM_MRA - CM_REQ] = { "MRA", note_mra, summary_mra, 0, 0 },
	[CM_REJ - CM_REQ] = { "REJ", note_rej, summary_rej, REJ_INFO_LENGTH },
	[CM_REP - CM_REQ] = { "REP", note_rep, summary_rep, 0, 0 },
	[CM_RTU - CM_REQ] = { "RTU", note_ids, NULL, 0, 0 },
	[CM_DREQ - CM_REQ] = { "DREQ", note_dreq, summary_remote_qp, 0, 0 },
	[CM_DREP - CM_REQ] = { "DREP", note_ids, NULL, 0, 0 },
	[CM_SIDR_REQ - CM_REQ] = { "SIDR_REQ", note_sidr_req, summary_sidr_req, 0, 0 },
	[CM_SIDR_REP - CM_REQ] = { "SIDR_REP", note_sidr_rep, summary_sidr_rep, SIDR_REP_INFO_LENGTH },
	[CM_LAP - CM_REQ] = { "LAP", note_lap, summary_remote_qp, 0, 0 },
	[CM_APR - CM_REQ] = { "APR", note_apr, summary_apr, APR_INFO_LENGTH },
};

uint16_t cm_protocol(uint64_t attribute)
{
	if (attribute < CM_REQ || attribute > CM_APR)
		return PROTOCOL_NONE;
	return (uint8_t)(PROTOCOL_CM_REQ + attribute - CM_REQ);
}

const char *cm_message_name(uint64_t attribute)
{
	return cm_protocol(attribute) == PROTOCOL_NONE ? NULL : messages[attribute - CM_REQ].name;
}

/* Only requests carry the IP CM header. A11.5. */
static bool carries_ip(const struct rtap_cm_facts *facts)
{
	return (facts->attribute == CM_REQ || facts->attribute == CM_SIDR_REQ) && is_ip_service(facts->service_id);
}

static enum result parse(struct parse *parse)
{
	struct rtap_cm_facts *facts = &parse->packet->cm;
	const struct message *message = &messages[facts->attribute - CM_REQ];
	uint16_t protocol = cm_protocol(facts->attribute);
	uint16_t length = protocol_by_number(protocol)->table.length;
	uint32_t offset = parse_offset(parse);
	const uint8_t *header;
	enum result result = parse_layer(parse, protocol, length, &header);

	if (result != OK)
		return result;
	facts->present = true;
	facts->local_id = (uint32_t)bits(header, LOCAL_ID);
	message->note(facts, header);
	if (message->info_length_width && bits(header, message->info_length_offset, message->info_length_width) > INFO_LENGTH)
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_BEYOND_PLACE, offset + message->info_length_offset / 8);
	if (!carries_ip(facts))
		return cm_take_private(parse, CM_DATA_LENGTH - length);
	parse->next = PROTOCOL_IP_CM;
	return OK;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_cm_facts *facts = &packet->cm;
	const struct message *message = &messages[layer->protocol - PROTOCOL_CM_REQ];
	char *begin;

	line_text(line, "CM ");
	line_text(line, message->name);
	if (!facts->present)
		return;
	begin = line->next;
	line_text(line, " id ");
	line_hex(line, facts->local_id, 8);
	if (facts->attribute != CM_REQ && facts->attribute != CM_SIDR_REQ && facts->attribute != CM_SIDR_REP) {
		line_text(line, " to ");
		line_hex(line, facts->remote_id, 8);
	}
	line_spare(line, begin, LINE_SPARE_PACKET);
	if (message->summary)
		message->summary(packet, layer, line);
}

#define MESSAGE(object, filter_name, label, section, size, rows) \
	const struct protocol object = { \
		.table = { filter_name, label, section, size, FIELDS(rows) }, \
		.scope = SCOPE_MESSAGE, \
		.parse = parse, \
		.summary = summary, \
	};

MESSAGE(cm_req_protocol, "infiniband.cm.req", "CM Connection Request", "IBTA vol. 1, 12.6.5", REQ_LENGTH, req_fields)
MESSAGE(cm_mra_protocol, "infiniband.cm.mra", "CM Message Receipt Acknowledgment", "IBTA vol. 1, 12.6.6", MRA_LENGTH, mra_fields)
MESSAGE(cm_rej_protocol, "infiniband.cm.rej", "CM Reject", "IBTA vol. 1, 12.6.7", REJ_LENGTH, rej_fields)
MESSAGE(cm_rep_protocol, "infiniband.cm.rep", "CM Connection Reply", "IBTA vol. 1, 12.6.8", REP_LENGTH, rep_fields)
MESSAGE(cm_rtu_protocol, "infiniband.cm.rtu", "CM Ready To Use", "IBTA vol. 1, 12.6.9", IDS_LENGTH, rtu_fields)
MESSAGE(cm_dreq_protocol, "infiniband.cm.dreq", "CM Disconnection Request", "IBTA vol. 1, 12.6.10", DREQ_LENGTH, dreq_fields)
MESSAGE(cm_drep_protocol, "infiniband.cm.drsp", "CM Disconnection Reply", "IBTA vol. 1, 12.6.11", IDS_LENGTH, drep_fields)
MESSAGE(cm_sidr_req_protocol, "infiniband.cm.sidrreq", "CM Service ID Resolution Request", "IBTA vol. 1, 12.11.1", SIDR_REQ_LENGTH,
	sidr_req_fields)
MESSAGE(cm_sidr_rep_protocol, "infiniband.cm.sidrrep", "CM Service ID Resolution Response", "IBTA vol. 1, 12.11.2", SIDR_REP_LENGTH,
	sidr_rep_fields)
MESSAGE(cm_lap_protocol, "infiniband.cm.lap", "CM Load Alternate Path", "IBTA vol. 1, 12.8.1", LAP_LENGTH, lap_fields)
MESSAGE(cm_apr_protocol, "infiniband.cm.apr", "CM Alternate Path Response", "IBTA vol. 1, 12.8.2", APR_LENGTH, apr_fields)
