/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet administration: the header behind that of RMPP, its component mask, and the registry of records. IBTA vol. 1, 15.2.
 */
#include "config.h"

#include "dissect/mad.h"
#include "dissect/parse.h"
#include "dissect/visit.h"

/*
 * Names of the component mask's bits, from the lowest on: the record's fields in their order, reserved ones included. Of a PathRecord and
 * a MultiPathRecord, the service id is two. 15.2.5
 */
static const char *const node_components[] = {
	"LID", "reserved", "BaseVersion", "ClassVersion", "NodeType", "NumPorts", "SystemImageGUID", "NodeGUID", "PortGUID",
	"PartitionCap", "DeviceID", "Revision", "LocalPortNum", "VendorID", "NodeString",
};
static const char *const port_info_components[] = {
	"EndportLID", "PortNum", "Options", "M_Key", "GidPrefix", "LID", "MasterSMLID", "CapabilityMask", "DiagCode", "M_KeyLeasePeriod",
	"LocalPortNum", "LinkWidthEnabled", "LinkWidthSupported", "LinkWidthActive", "LinkSpeedSupported", "PortState",
	"PortPhysicalState", "LinkDownDefaultState", "M_KeyProtectBits", "reserved", "LMC", "LinkSpeedActive", "LinkSpeedEnabled",
	"NeighborMTU", "MasterSMSL", "VLCap", "InitType", "VLHighLimit", "VLArbitrationHighCap", "VLArbitrationLowCap", "InitTypeReply",
	"MTUCap", "VLStallCount", "HOQLife", "OperationalVLs", "PartitionEnforcementInbound", "PartitionEnforcementOutbound",
	"FilterRawInbound", "FilterRawOutbound", "M_KeyViolations", "P_KeyViolations", "Q_KeyViolations", "GUIDCap", "ClientReregister",
	"MulticastPKeyTrapSuppressionEnabled", "SubnetTimeOut", "reserved", "RespTimeValue", "LocalPhyErrors", "OverrunErrors",
	"MaxCreditHint", "reserved", "LinkRoundTripLatency", "CapabilityMask2", "LinkSpeedExtActive", "LinkSpeedExtSupported", "reserved",
	"LinkSpeedExtEnabled",
};
static const char *const mc_member_components[] = {
	"MGID", "PortGID", "Q_Key", "MLID", "MTUSelector", "MTU", "TClass", "P_Key", "RateSelector", "Rate", "PacketLifeTimeSelector",
	"PacketLifeTime", "SL", "FlowLabel", "HopLimit", "Scope", "JoinState", "ProxyJoin",
};
static const char *const multi_path_components[] = {
	"RawTraffic", "reserved", "FlowLabel", "HopLimit", "TClass", "Reversible", "NumbPath", "P_Key", "QoSClass", "SL", "MTUSelector",
	"MTU", "RateSelector", "Rate", "PacketLifeTimeSelector", "PacketLifeTime", "ServiceID8MSB", "IndependenceSelector", "GIDScope",
	"SGIDCount", "DGIDCount", "ServiceID56LSB",
};
static const char *const path_components[] = {
	"ServiceID8MSB", "ServiceID56LSB", "DGID", "SGID", "DLID", "SLID", "RawTraffic", "reserved", "FlowLabel", "HopLimit", "TClass",
	"Reversible", "NumbPath", "P_Key", "QoSClass", "SL", "MTUSelector", "MTU", "RateSelector", "Rate", "PacketLifeTimeSelector",
	"PacketLifeTime",
};
static const char *const service_components[] = {
	"ServiceID", "ServiceGID", "ServiceP_Key", "reserved", "ServiceLease", "ServiceKey", "ServiceName", "ServiceData8.1",
	"ServiceData8.2", "ServiceData8.3", "ServiceData8.4", "ServiceData8.5", "ServiceData8.6", "ServiceData8.7", "ServiceData8.8",
	"ServiceData8.9", "ServiceData8.10", "ServiceData8.11", "ServiceData8.12", "ServiceData8.13", "ServiceData8.14",
	"ServiceData8.15", "ServiceData8.16", "ServiceData16.1", "ServiceData16.2", "ServiceData16.3", "ServiceData16.4",
	"ServiceData16.5", "ServiceData16.6", "ServiceData16.7", "ServiceData16.8", "ServiceData32.1", "ServiceData32.2",
	"ServiceData32.3", "ServiceData32.4", "ServiceData64.1", "ServiceData64.2",
};
static const char *const link_components[] = { "FromLID", "FromPort", "ToPort", "ToLID" };
static const char *const vl_arbitration_components[] = { "LID", "OutputPortNum", "BlockNum" };
static const char *const sl_to_vl_components[] = { "LID", "InputPortNum", "OutputPortNum" };
static const char *const p_key_components[] = { "LID", "BlockNum", "PortNum" };
static const char *const lid_components[] = { "LID", "reserved" };
static const char *const forwarding_components[] = { "LID", "BlockNum" };
static const char *const multicast_forwarding_components[] = { "LID", "Position", "reserved", "BlockNum", "reserved" };
static const char *const guid_info_components[] = {
	"LID", "BlockNum", "reserved", "reserved", "GUID0", "GUID1", "GUID2", "GUID3", "GUID4", "GUID5", "GUID6", "GUID7",
};
static const char *const sm_info_components[] = { "LID", "reserved", "GUID", "SM_Key", "ActCount", "Priority", "SMState" };
static const char *const inform_info_components[] = {
	"SubscriberGID", "Enum", "reserved", "GID", "LIDRangeBegin", "LIDRangeEnd", "reserved", "IsGeneric", "Subscribe", "Type",
	"TrapNumber", "QPN", "reserved", "RespTimeValue", "reserved", "ProducerType",
};

#define NAMES(array) array, sizeof(array) / sizeof(array[0])

const struct mad_attribute mad_administration_attributes[] = {
	{ 0x0001, 72, "ClassPortInfo", { { PROTOCOL_CLASS_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0002, 80, "Notice", { { PROTOCOL_NOTICE, 1, 0 }, { PROTOCOL_NOTICE_ISSUER, 1, 64 }, { 0, 1, 10 } }, mad_trap_data, NULL, 0 },
	{ 0x0003, 36, "InformInfo", { { PROTOCOL_INFORM_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0011, 108, "NodeRecord", { { PROTOCOL_NODE_RECORD, 1, 0 }, { PROTOCOL_NODE_INFO, 1, 4 }, { PROTOCOL_NODE_DESCRIPTION, 1, 44 } }, NULL,
	  NAMES(node_components) },
	{ 0x0012, 68, "PortInfoRecord", { { PROTOCOL_PORT_INFO_RECORD, 1, 0 }, { PROTOCOL_PORT_INFO, 1, 4 } },
	  NULL, NAMES(port_info_components) },
	{ 0x0013, 16, "SLtoVLMappingTableRecord", { { PROTOCOL_SL_TO_VL_RECORD, 1, 0 }, { PROTOCOL_SL_TO_VL, 8, 8 } }, NULL,
	  NAMES(sl_to_vl_components) },
	{ 0x0014, 24, "SwitchInfoRecord", { { PROTOCOL_SWITCH_INFO_RECORD, 1, 0 }, { PROTOCOL_SWITCH_INFO, 1, 4 } },
	  NULL, NAMES(lid_components) },
	{ 0x0015, 72, "LinearForwardingTableRecord", { { PROTOCOL_FORWARDING_RECORD, 1, 0 }, { PROTOCOL_LINEAR_FORWARDING, 64, 8 } }, NULL,
	  NAMES(forwarding_components) },
	{ 0x0016, 72, "RandomForwardingTableRecord", { { PROTOCOL_FORWARDING_RECORD, 1, 0 }, { PROTOCOL_RANDOM_FORWARDING, 16, 8 } }, NULL,
	  NAMES(forwarding_components) },
	{ 0x0017, 72, "MulticastForwardingTableRecord",
	  { { PROTOCOL_MULTICAST_FORWARDING_RECORD, 1, 0 }, { PROTOCOL_MULTICAST_FORWARDING, 32, 8 } }, NULL, NAMES(multicast_forwarding_components) },
	{ 0x0018, 25, "SMInfoRecord", { { PROTOCOL_SM_INFO_RECORD, 1, 0 }, { PROTOCOL_SM_INFO, 1, 4 } },
	  NULL, NAMES(sm_info_components) },
	{ 0x0019, 0, "LinkSpeedWidthPairsTableRecord", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0020, 6, "LinkRecord", { { PROTOCOL_LINK_RECORD, 1, 0 } }, NULL, NAMES(link_components) },
	{ 0x0030, 72, "GuidInfoRecord", { { PROTOCOL_GUID_INFO_RECORD, 1, 0 }, { PROTOCOL_GUID_INFO, 8, 8 } },
	  NULL, NAMES(guid_info_components) },
	{ 0x0031, 176, "ServiceRecord", { { PROTOCOL_SERVICE_RECORD, 1, 0 } }, NULL, NAMES(service_components) },
	{ 0x0033, 72, "P_KeyTableRecord", { { PROTOCOL_P_KEY_TABLE_RECORD, 1, 0 }, { PROTOCOL_P_KEY_TABLE, 1, 8 }, { PROTOCOL_P_KEY, 32, 8 } }, NULL,
	  NAMES(p_key_components) },
	{ 0x0035, 64, "PathRecord", { { PROTOCOL_PATH_RECORD, 1, 0 } }, NULL, NAMES(path_components) },
	{ 0x0036, 72, "VLArbitrationTableRecord", { { PROTOCOL_VL_ARBITRATION_RECORD, 1, 0 }, { PROTOCOL_VL_ARBITRATION, 32, 8 } }, NULL,
	  NAMES(vl_arbitration_components) },
	{ 0x0038, 52, "MCMemberRecord", { { PROTOCOL_MC_MEMBER_RECORD, 1, 0 } }, NULL, NAMES(mc_member_components) },
	{ 0x0039, 46, "TraceRecord", { { PROTOCOL_TRACE_RECORD, 1, 0 } }, NULL, NULL, 0 },
	{ 0x003a, 24, "MultiPathRecord", { { PROTOCOL_MULTI_PATH_RECORD, 1, 0 }, { PROTOCOL_MULTI_PATH_GID, MAD_COUNTED, 24 } }, NULL,
	  NAMES(multi_path_components) },
	{ 0x003b, 80, "ServiceAssociationRecord", { { PROTOCOL_SERVICE_ASSOCIATION_RECORD, 1, 0 } }, NULL, NULL, 0 },
	{ 0x003c, 0, "HierarchyInfoRecord", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x003d, 0, "CableInfoRecord", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x003e, 0, "PortInfoExtendedRecord", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x00f3, 60, "InformInfoRecord", { { PROTOCOL_INFORM_INFO_RECORD, 1, 0 }, { PROTOCOL_INFORM_INFO, 1, 24 } }, NULL,
	  NAMES(inform_info_components) },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

#define SA_SM_KEY 0, 64
#define SA_ATTRIBUTE_OFFSET 64, 16
#define SA_RESERVED 80, 16
#define SA_COMPONENT_MASK 96, 64

/* The attribute offset counts words of eight bytes. 15.2.1.1 */
#define OFFSET_UNIT 8

enum row { ROW_WHOLE, ROW_SM_KEY, ROW_OFFSET, ROW_RESERVED, ROW_MASK, ROW_COMPONENT, ROW_DATA };

/* Header and data, if all was captured. */
static bool derive_behind(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + at, RMPP_SEGMENT_LENGTH - at };
	return packet->sources[layer->source].captured - layer->offset >= RMPP_SEGMENT_LENGTH;
}

static bool derive_data(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_behind(packet, layer, value, SA_HEADER_LENGTH);
}

static bool derive_whole(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer), SA_HEADER_LENGTH };
	return layer->length == SA_HEADER_LENGTH;
}

static const struct rtap_field sa_fields[] = {
	[ROW_WHOLE] = { "infiniband.sa.drdlid", "SA Packet", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_whole, NULL },
	[ROW_SM_KEY] = { "infiniband.sa.smkey", "SM_Key", SA_SM_KEY, RTAP_HEX, 0, NULL, NULL, NULL },
	[ROW_OFFSET] = { "infiniband.sa.attributeoffset", "Attribute Offset", SA_ATTRIBUTE_OFFSET, RTAP_HEX, 0, NULL, NULL, NULL },
	[ROW_RESERVED] = { "infiniband.sa.reserved", "Reserved", SA_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	[ROW_MASK] = { "infiniband.sa.componentmask", "Component Mask", SA_COMPONENT_MASK, RTAP_HEX, 0, NULL, NULL, NULL },
	[ROW_COMPONENT] = { "infiniband.sa.component", "Component", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_DATA] = { "infiniband.sa.subnetadmindata", "Subnet Admin Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_data, NULL },
};

/* The components that the mask names. */
static void visit_sa(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct mad_attribute *attribute = mad_attribute_of(&packet->mad);
	uint64_t mask;

	if (layer->length < SA_HEADER_LENGTH || !attribute)
		return;
	mask = bits(layer_bytes(packet, layer), SA_COMPONENT_MASK);
	for (uint8_t i = 0; i < attribute->component_count; i++) {
		const char *name = attribute->components[i];
		struct rtap_value value = { .data = { (const uint8_t *)name, (uint32_t)strlen(name) } };

		if (mask >> i & 1)
			visit_field(visitor, layer, PROTOCOL_SA, ROW_COMPONENT, &value, layer->offset + 12, 8);
	}
}

/* Records of `length` bytes in all at the cursor. */
static void take_records(struct parse *parse, uint32_t length, uint32_t stride)
{
	const struct mad_attribute *attribute = mad_attribute_of(&parse->packet->mad);
	uint32_t offset = parse_offset(parse), count;

	if (!attribute || !attribute->parts[0].elements || stride < attribute->length) {
		if (attribute && attribute->parts[0].elements && length)
			parse_anomaly(parse, RTAP_ANOMALY_MALFORMED, offset);
		parse->next = length ? PROTOCOL_PAYLOAD : PROTOCOL_NONE;
		return;
	}
	/* the last one need not be filled up */
	count = length / stride + (length % stride >= attribute->length);
	mad_place_attribute(parse, offset, length, stride, count);
}

/* A segment of RMPP: what it carries is known when the last one is there; a transaction of one segment is. */
static void take_segment(struct parse *parse, uint32_t stride)
{
	const struct rtap_mad_facts *facts = &parse->packet->mad;
	bool is_only = facts->rmpp_flags & RMPP_FLAG_FIRST && facts->rmpp_flags & RMPP_FLAG_LAST;
	uint32_t length = facts->rmpp_length > SA_HEADER_LENGTH ? facts->rmpp_length - SA_HEADER_LENGTH : 0;

	if (parse->context->records.bytes) {
		if (parse_enter(parse, parse->context->records))
			take_records(parse, parse->cursor.wire, stride);
		return;
	}
	if (is_only && length <= parse->cursor.wire)
		take_records(parse, length, stride);
	else
		parse->next = PROTOCOL_PAYLOAD;
}

static enum result parse_sa(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_SA, SA_HEADER_LENGTH, &header);

	if (result != OK)
		return result;
	packet->mad.source = parse->source;
	packet->mad.data_offset = parse_offset(parse);
	packet->mad.data_captured = parse->cursor.captured;
	if (packet->mad.rmpp)
		take_segment(parse, (uint32_t)bits(header, SA_ATTRIBUTE_OFFSET) * OFFSET_UNIT);
	else
		mad_take_data(parse, RMPP_SEGMENT_LENGTH - SA_HEADER_LENGTH);
	return OK;
}

static void summary_sa(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)layer;
	if (packet->mad.record_count > 1) {
		line_text(line, ", records ");
		line_dec(line, packet->mad.record_count);
	}
}

const struct protocol sa_protocol = {
	.table = { "infiniband.sa", "Subnet Administration", "IBTA vol. 1, 15.2.1.1", SA_HEADER_LENGTH, FIELDS(sa_fields) },
	.parse = parse_sa,
	.visit = visit_sa,
	.summary = summary_sa,
};
