/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a protocol's file gives to the registry, and what its parse function works with.
 */
#ifndef DISSECT_PROTOCOL_H
#define DISSECT_PROTOCOL_H

#include <rdmatap/packet.h>
#include <rdmatap/visitor.h>

#include "dissect/cursor.h"
#include "dissect/line.h"

/* Every protocol: one line. X(identifier, object in the protocol's file) */
#define PROTOCOLS(X) \
	X(FRAME, frame_protocol) \
	X(ERF, erf_protocol) \
	X(COOKED, cooked_protocol) \
	X(COOKED2, cooked2_protocol) \
	X(LOOPBACK, loopback_protocol) \
	X(ETHERNET, ethernet_protocol) \
	X(SERVICE_VLAN, service_vlan_protocol) \
	X(VLAN, vlan_protocol) \
	X(MPLS, mpls_protocol) \
	X(IPOIB_LINK, ipoib_link_protocol) \
	X(IPOIB, ipoib_protocol) \
	X(EOIB, eoib_protocol) \
	X(ARP, arp_protocol) \
	X(MAC_CONTROL, mac_control_protocol) \
	X(PAUSE, pause_protocol) \
	X(PFC, pfc_protocol) \
	X(IPV4, ipv4_protocol) \
	X(IPV6, ipv6_protocol) \
	X(HOP_OPTIONS, hop_options_protocol) \
	X(ROUTING, routing_protocol) \
	X(FRAGMENT, fragment_protocol) \
	X(DESTINATION_OPTIONS, destination_options_protocol) \
	X(AUTHENTICATION, authentication_protocol) \
	X(ICMP, icmp_protocol) \
	X(ICMPV6, icmpv6_protocol) \
	X(IGMP, igmp_protocol) \
	X(GRE, gre_protocol) \
	X(ERSPAN2, erspan2_protocol) \
	X(ERSPAN3, erspan3_protocol) \
	X(TCP, tcp_protocol) \
	X(UDP, udp_protocol) \
	X(VXLAN, vxlan_protocol) \
	X(GENEVE, geneve_protocol) \
	X(LRH, lrh_protocol) \
	X(RWH, rwh_protocol) \
	X(GRH, grh_protocol) \
	X(BTH, bth_protocol) \
	X(RDETH, rdeth_protocol) \
	X(DETH, deth_protocol) \
	X(XRCETH, xrceth_protocol) \
	X(FETH, feth_protocol) \
	X(RETH, reth_protocol) \
	X(ATOMICETH, atomiceth_protocol) \
	X(AETH, aeth_protocol) \
	X(ATOMICACKETH, atomicacketh_protocol) \
	X(IMMDT, immdt_protocol) \
	X(IETH, ieth_protocol) \
	X(CNP_PAYLOAD, cnp_payload_protocol) \
	X(ICRC, icrc_protocol) \
	X(VCRC, vcrc_protocol) \
	X(MAD, mad_protocol) \
	X(SMP_LID, smp_lid_protocol) \
	X(SMP_DIRECTED, smp_directed_protocol) \
	X(RMPP, rmpp_protocol) \
	X(SA, sa_protocol) \
	X(MAD_PERFORMANCE, mad_performance_protocol) \
	X(MAD_DEVICE, mad_device_protocol) \
	X(MAD_BASEBOARD, mad_baseboard_protocol) \
	X(MAD_SNMP, mad_snmp_protocol) \
	X(MAD_VENDOR, mad_vendor_protocol) \
	X(NODE_DESCRIPTION, node_description_protocol) \
	X(NODE_INFO, node_info_protocol) \
	X(SWITCH_INFO, switch_info_protocol) \
	X(GUID_INFO, guid_info_protocol) \
	X(PORT_INFO, port_info_protocol) \
	X(SM_INFO, sm_info_protocol) \
	X(P_KEY_TABLE, p_key_table_protocol) \
	X(P_KEY, p_key_protocol) \
	X(SL_TO_VL, sl_to_vl_protocol) \
	X(VL_ARBITRATION, vl_arbitration_protocol) \
	X(LINEAR_FORWARDING, linear_forwarding_protocol) \
	X(RANDOM_FORWARDING, random_forwarding_protocol) \
	X(MULTICAST_FORWARDING, multicast_forwarding_protocol) \
	X(LINK_SPEED_WIDTH, link_speed_width_protocol) \
	X(VENDOR_DIAG, vendor_diag_protocol) \
	X(LED_INFO, led_info_protocol) \
	X(CABLE_INFO, cable_info_protocol) \
	X(MLNX_EXT_PORT_INFO, mlnx_ext_port_info_protocol) \
	X(CLASS_PORT_INFO, class_port_info_protocol) \
	X(NOTICE, notice_protocol) \
	X(NOTICE_ISSUER, notice_issuer_protocol) \
	X(INFORM_INFO, inform_info_protocol) \
	X(TRAP_GID, trap_gid_protocol) \
	X(TRAP_PATH, trap_path_protocol) \
	X(TRAP_SWITCH, trap_switch_protocol) \
	X(TRAP_PORT, trap_port_protocol) \
	X(TRAP_CHANGE, trap_change_protocol) \
	X(TRAP_IMAGE, trap_image_protocol) \
	X(TRAP_M_KEY, trap_m_key_protocol) \
	X(TRAP_KEYS, trap_keys_protocol) \
	X(TRAP_SWITCH_KEY, trap_switch_key_protocol) \
	X(NODE_RECORD, node_record_protocol) \
	X(PORT_INFO_RECORD, port_info_record_protocol) \
	X(SL_TO_VL_RECORD, sl_to_vl_record_protocol) \
	X(SWITCH_INFO_RECORD, switch_info_record_protocol) \
	X(FORWARDING_RECORD, forwarding_record_protocol) \
	X(MULTICAST_FORWARDING_RECORD, multicast_forwarding_record_protocol) \
	X(VL_ARBITRATION_RECORD, vl_arbitration_record_protocol) \
	X(SM_INFO_RECORD, sm_info_record_protocol) \
	X(P_KEY_TABLE_RECORD, p_key_table_record_protocol) \
	X(INFORM_INFO_RECORD, inform_info_record_protocol) \
	X(GUID_INFO_RECORD, guid_info_record_protocol) \
	X(LINK_RECORD, link_record_protocol) \
	X(SERVICE_RECORD, service_record_protocol) \
	X(PATH_RECORD, path_record_protocol) \
	X(MULTI_PATH_RECORD, multi_path_record_protocol) \
	X(MULTI_PATH_GID, multi_path_gid_protocol) \
	X(MC_MEMBER_RECORD, mc_member_record_protocol) \
	X(TRACE_RECORD, trace_record_protocol) \
	X(SERVICE_ASSOCIATION_RECORD, service_association_record_protocol) \
	X(PORT_COUNTERS, port_counters_protocol) \
	X(PORT_COUNTERS_EXTENDED, port_counters_extended_protocol) \
	X(PORT_RCV_ERROR_DETAILS, port_rcv_error_details_protocol) \
	X(PORT_XMIT_DISCARD_DETAILS, port_xmit_discard_details_protocol) \
	X(PORT_DATA_SL, port_data_sl_protocol) \
	X(PORT_XMIT_DATA_SL, port_xmit_data_sl_protocol) \
	X(PORT_RCV_DATA_SL, port_rcv_data_sl_protocol) \
	X(PORT_SAMPLES_CONTROL, port_samples_control_protocol) \
	X(PORT_SAMPLES_RESULT, port_samples_result_protocol) \
	X(PORT_SAMPLE_COUNTER, port_sample_counter_protocol) \
	X(CONGESTION_CONTROL, congestion_control_protocol) \
	X(CONGESTION_INFO, congestion_info_protocol) \
	X(CONGESTION_KEY_INFO, congestion_key_info_protocol) \
	X(CONGESTION_LOG_SWITCH, congestion_log_switch_protocol) \
	X(CONGESTION_EVENT_SWITCH, congestion_event_switch_protocol) \
	X(CONGESTION_LOG_CA, congestion_log_ca_protocol) \
	X(CONGESTION_EVENT_CA, congestion_event_ca_protocol) \
	X(SWITCH_CONGESTION_SETTING, switch_congestion_setting_protocol) \
	X(SWITCH_PORT_CONGESTION_SETTING, switch_port_congestion_setting_protocol) \
	X(CA_CONGESTION_SETTING, ca_congestion_setting_protocol) \
	X(CA_CONGESTION_ENTRY, ca_congestion_entry_protocol) \
	X(CONGESTION_CONTROL_TABLE, congestion_control_table_protocol) \
	X(CONGESTION_TABLE_ENTRY, congestion_table_entry_protocol) \
	X(CONGESTION_TIME_STAMP, congestion_time_stamp_protocol) \
	X(IO_UNIT_INFO, io_unit_info_protocol) \
	X(IO_CONTROLLER_PROFILE, io_controller_profile_protocol) \
	X(SERVICE_ENTRY, service_entry_protocol) \
	X(CM_REQ, cm_req_protocol) \
	X(CM_MRA, cm_mra_protocol) \
	X(CM_REJ, cm_rej_protocol) \
	X(CM_REP, cm_rep_protocol) \
	X(CM_RTU, cm_rtu_protocol) \
	X(CM_DREQ, cm_dreq_protocol) \
	X(CM_DREP, cm_drep_protocol) \
	X(CM_SIDR_REQ, cm_sidr_req_protocol) \
	X(CM_SIDR_REP, cm_sidr_rep_protocol) \
	X(CM_LAP, cm_lap_protocol) \
	X(CM_APR, cm_apr_protocol) \
	X(IP_CM, ip_cm_protocol) \
	X(RPCRDMA_PRIVATE, rpcrdma_private_protocol) \
	X(NVME_PRIVATE, nvme_private_protocol) \
	X(NVME_ACCEPT, nvme_accept_protocol) \
	X(NVME_REJECT, nvme_reject_protocol) \
	X(ISER_PRIVATE, iser_private_protocol) \
	X(SRP_LOGIN, srp_login_protocol) \
	X(SRP_LOGIN_RDMA_CM, srp_login_rdma_cm_protocol) \
	X(SRP_LOGIN_RESPONSE, srp_login_response_protocol) \
	X(SRP_LOGIN_REJECT, srp_login_reject_protocol) \
	X(RDS_PRIVATE, rds_private_protocol) \
	X(RDS_PRIVATE_IPV6, rds_private_ipv6_protocol) \
	X(RDS_REJECT, rds_reject_protocol) \
	X(MPA_REQUEST, mpa_request_protocol) \
	X(MPA_REPLY, mpa_reply_protocol) \
	X(MPA_FPDU, mpa_fpdu_protocol) \
	X(DDP, ddp_protocol) \
	X(RDMAP, rdmap_protocol) \
	X(RPCRDMA, rpcrdma_protocol) \
	X(RPC, rpc_protocol) \
	X(NFS, nfs_protocol) \
	X(NFSACL, nfsacl_protocol) \
	X(MOUNT, mount_protocol) \
	X(NLM, nlm_protocol) \
	X(NSM, nsm_protocol) \
	X(PORTMAP, portmap_protocol) \
	X(PAYLOAD, payload_protocol) \
	X(TRAILER, trailer_protocol) \
	X(FLOW, flow_protocol)

enum protocol_number {
#define PROTOCOL_NUMBER(identifier, object) PROTOCOL_##identifier,
	PROTOCOLS(PROTOCOL_NUMBER)
#undef PROTOCOL_NUMBER
	PROTOCOL_COUNT,
	PROTOCOL_NONE = PROTOCOL_COUNT /* nothing follows */
};

/* A dissection under way. */
struct parse {
	struct rtap_packet *packet;
	const struct rtap_context *context;
	struct cursor cursor; /* what the headers so far leave for the next one */
	const uint8_t *source_bytes; /* the first byte of `source`: parse_set_source() sets both */
	uint8_t source;
	uint8_t next;         /* enum protocol_number of what follows; the parse function sets it */
	bool narrowed;        /* a network header has told where the packet ends in the frame */
	bool quoted;          /* inside an ICMP error: the beginning of another packet, whose headers give no facts */
	bool (*more)(struct parse *parse); /* the packet holds several messages: called when one has been parsed, sets up the next */
	uint32_t unit;        /* where that is; for `more` */
	const struct rtap_context *packet_context; /* for `more`: `context` may be that of one message */
};

/*
 * A protocol's description. `parse` takes its header from parse->cursor, writes down facts, narrows the cursor by its
 * length field and sets parse->next; the layer is already there. Headers with a fixed table and nothing to say need no
 * parse function of their own: parse_fixed() takes them. `visit` is for layouts that the table alone cannot give; it is
 * called after the table's rows of fixed place. `summary` adds to the one-line text.
 */
struct protocol {
	struct rtap_protocol table;
	enum result (*parse)(struct parse *parse);
	void (*visit)(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor);
	void (*summary)(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line);
};

#define PROTOCOL_DECLARATION(identifier, object) extern const struct protocol object;
PROTOCOLS(PROTOCOL_DECLARATION)
#undef PROTOCOL_DECLARATION

/* For a protocol's initialiser: its field table. */
#define FIELDS(array) .fields = array, .field_count = sizeof(array) / sizeof((array)[0])

_Static_assert(PROTOCOL_COUNT <= 64 * RTAP_PROTOCOL_WORDS, "rtap_packet.protocols has a bit for each protocol: raise RTAP_PROTOCOL_WORDS");
_Static_assert(PROTOCOL_COUNT < UINT8_MAX, "protocols are numbered by bytes, and PROTOCOL_NONE is none");

extern const struct protocol *const protocols[PROTOCOL_COUNT];

static inline const struct protocol *protocol_by_number(uint8_t number)
{
	return protocols[number];
}

/* Id of each protocol's first field, and behind the last the number of all; known before main() begins. */
extern rtap_field_id protocol_first_ids[PROTOCOL_COUNT + 1];

/* Id of a protocol's field by its index in the table. */
static inline rtap_field_id protocol_field_id(uint8_t protocol, size_t index)
{
	return (rtap_field_id)(protocol_first_ids[protocol] + index);
}

/* Takes `more` bytes that belong to the layer appended last (options); it grows by what of them is there. */
enum result parse_more(struct parse *parse, uint32_t more, const uint8_t **bytes);

/* How many rows at the beginning of a protocol's table can have a value by themselves; its visit tells all behind. */
extern uint16_t protocol_row_counts[PROTOCOL_COUNT];

static inline size_t protocol_rows_with_values(uint8_t protocol)
{
	return protocol_row_counts[protocol];
}

/*
 * Dissects a packet once more from its RPC header on, as the context has learned which call this replies to. What the
 * headers before it told stays. Not for records of a stream.
 */
void packet_dissect_reply(struct rtap_packet *packet, const struct rtap_context *context);

/*
 * Dissects a packet once more from behind its RPC-over-RDMA header on: context->rpc_follows is set, and no chunk is to be shown in
 * this packet.
 */
void packet_dissect_follows(struct rtap_packet *packet, const struct rtap_context *context);

/*
 * A packet with tcp.present that was dissected with context->stop_at_tcp, and has captured payload: what the segment carries is
 * dissected with this context.
 */
void packet_dissect_segment(struct rtap_packet *packet, const struct rtap_context *context);

/* Forgets what such a packet says of the segment's payload, which was presumed. */
void packet_forget_segment(struct rtap_packet *packet);

/*
 * The same where the context has one FPDU, which lies in the frame without a marker, and whose Send packet_dissect_send() has
 * dissected in the same way to `send`: it is taken from there if its bytes are the frame's, and dissected again if they are not.
 */
void packet_graft_send(struct rtap_packet *packet, const struct rtap_context *context, const struct rtap_packet *send);

/* Dissects a frame whose bytes are a whole Send of RDMAP, without any header before it; they are packet->payload too. */
void packet_dissect_send(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet);

/* Notes an anomaly of a packet; what is found after the dissection too. `offset` counts in the layer's source. */
void packet_anomaly(struct rtap_packet *packet, enum rtap_anomaly_code code, uint8_t layer, uint32_t offset);

/* Goes on in bytes that were put together, as the packet's next source. False, and nothing changes, if it has too many. */
bool parse_enter(struct parse *parse, struct rtap_span bytes);

/* Notes an anomaly of the layer found last, `offset` counted in its source. */
void parse_anomaly(struct parse *parse, enum rtap_anomaly_code code, uint32_t offset);

/* Goes on in that source of the packet; the cursor is the caller's to set. */
static inline void parse_set_source(struct parse *parse, uint8_t source)
{
	parse->source = source;
	parse->source_bytes = parse->packet->sources[source].bytes;
}

/* Offset in its source of the next byte. */
static inline uint32_t parse_offset(const struct parse *parse)
{
	return (uint32_t)(parse->cursor.next - parse->source_bytes);
}

/* All that the cursor holds, as a payload. */
static inline struct rtap_payload parse_rest(const struct parse *parse)
{
	return (struct rtap_payload){ parse->source, parse_offset(parse), parse->cursor.captured, parse->cursor.wire };
}

/* Notes that what the cursor holds is the packet's payload; not if it is itself the payload of InfiniBand's transport. */
static inline void parse_note_payload(struct parse *parse)
{
	if (!parse->packet->ib.has_bth)
		parse->packet->payload = parse_rest(parse);
}

/* Writes down a layer that there is room for. */
static inline void packet_add_layer(struct rtap_packet *packet, uint8_t protocol, uint8_t source, uint32_t offset, uint32_t length)
{
	packet->layers[packet->layer_count++] = (struct rtap_layer){ protocol, source, false, offset, length };
	packet->protocols[protocol / 64] |= UINT64_C(1) << (protocol % 64);
}

/* parse_layer() of a header that is not all there, or that is one too many: never OK. */
enum result parse_cut_layer(struct parse *parse, uint8_t protocol, uint32_t length);

/*
 * Appends a layer of `length` bytes at the cursor's position and takes them. On failure what is there of it becomes a
 * cut layer and the anomaly is noted.
 */
static inline enum result parse_layer(struct parse *parse, uint8_t protocol, uint32_t length, const uint8_t **bytes)
{
	struct rtap_packet *packet = parse->packet;

	if (unlikely(packet->layer_count == RTAP_MAX_LAYERS || length > parse->cursor.captured)) {
		enum result result = parse_cut_layer(parse, protocol, length);

		*bytes = NULL;
		if (result == OK)
			__builtin_unreachable(); /* so that what callers do with a header is not prepared for */
		return result;
	}
	packet_add_layer(packet, protocol, parse->source, parse_offset(parse), length);
	return cursor_take(&parse->cursor, length, bytes);
}

/*
 * Appends a layer at a place that no cursor moves over (CRCs, trailers). What the capture cut off of it is left out; if
 * all was, the layer is there with no bytes.
 */
static inline void parse_place_layer(struct parse *parse, uint8_t protocol, uint32_t offset, uint32_t length)
{
	struct rtap_packet *packet = parse->packet;
	uint32_t captured = packet->sources[parse->source].captured;

	if (unlikely(offset > captured))
		offset = captured;
	if (unlikely(length > captured - offset))
		length = captured - offset;
	if (unlikely(packet->layer_count == RTAP_MAX_LAYERS))
		parse_anomaly(parse, RTAP_ANOMALY_TOO_MANY_LAYERS, offset);
	else
		packet_add_layer(packet, protocol, parse->source, offset, length);
}

/* parse_narrow() to another length than the cursor has. */
void parse_narrow_unequal(struct parse *parse, uint32_t length, uint32_t offset);

/*
 * Narrows the cursor to the `length` bytes that a length field at `offset` of the source tells. What the frame holds
 * behind the outermost packet becomes its trailer. A length beyond the frame is noted and changes nothing.
 */
static inline void parse_narrow(struct parse *parse, uint32_t length, uint32_t offset)
{
	if (unlikely(length != parse->cursor.wire))
		parse_narrow_unequal(parse, length, offset);
	else
		parse->narrowed = true;
}

/* The bytes of a layer. */
static inline const uint8_t *layer_bytes(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return packet->sources[layer->source].bytes + layer->offset;
}

/* The layer found behind `layer`, leaving out those that stand at the frame's end; NULL if it is the last. */
static inline const struct rtap_layer *layer_behind(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const struct rtap_layer *end = packet->layers + packet->layer_count;

	while (++layer < end)
		if (layer->protocol != PROTOCOL_TRAILER && layer->protocol != PROTOCOL_VCRC)
			return layer;
	return NULL;
}

/* Adds ", length 46" to the one-line text: the wire bytes of a payload layer. Nothing if `payload` is NULL. */
void payload_summary_length(const struct rtap_packet *packet, const struct rtap_layer *payload, struct line *line);

/* Tells a visitor one field that has no fixed place. Does nothing if it is not wanted. */
void visit_field(struct rtap_visitor *visitor, const struct rtap_layer *layer, uint8_t protocol, size_t index,
		 const struct rtap_value *value, uint32_t offset, uint32_t length);

/* Tells a visitor an anomaly, at `offset` of the layer's source, as a value of the field "rdmatap.anomaly". */
void visit_anomaly(struct rtap_visitor *visitor, const struct rtap_layer *layer, enum rtap_anomaly_code code, uint32_t offset);

/*
 * Tells a visitor the fields of one of the headers that a layer of a protocol "in units" holds: `unit` is the layer with the
 * header's place.
 */
void visit_unit(const struct rtap_packet *packet, const struct rtap_layer *unit, struct rtap_visitor *visitor);

#endif
