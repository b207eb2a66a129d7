/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The attributes of all classes of management. IBTA vol. 1, chapters 12 to 16.
 */
#include "config.h"

#include "dissect/management/mad_registry.h"

/* By trap number; only generic notices have one. 14.2.5.1, table 139. */
static uint16_t trap_data(const uint8_t *notice)
{
	if (!(notice[0] & 0x80))
		return PROTOCOL_NONE;
	switch (load16(notice + 4)) {
	case 64: case 65: case 66: case 67: return PROTOCOL_TRAP_GID;
	case 68: case 69: return PROTOCOL_TRAP_PATH;
	case 128: return PROTOCOL_TRAP_SWITCH;
	case 129: case 130: case 131: return PROTOCOL_TRAP_PORT;
	case 144: return PROTOCOL_TRAP_CHANGE;
	case 145: return PROTOCOL_TRAP_IMAGE;
	case 256: return PROTOCOL_TRAP_M_KEY;
	case 257: case 258: return PROTOCOL_TRAP_KEYS;
	case 259: return PROTOCOL_TRAP_SWITCH_KEY;
	default: return PROTOCOL_NONE;
	}
}

const struct mad_attribute mad_shared_attributes[] = {
	{ 0x0001, 72, "ClassPortInfo", { { PROTOCOL_CLASS_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

/* After the messages, 12.10: the suggestion of an alternate path, and the response to it */
const struct mad_attribute mad_communication_attributes[] = {
	{ 0x0001, 72, "ClassPortInfo", { { PROTOCOL_CLASS_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x001b, 0, "SAP", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x001c, 0, "SPR", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

/* IBTA vol. 1, 14.2.5, table 142; 0x30 and above: 14.2.5.14 to 14.2.5.19 */
const struct mad_attribute mad_subnet_attributes[] = {
	{ 0x0002, 64, "Notice", { { PROTOCOL_NOTICE, 1, 0 }, { 0, 1, 10 } }, trap_data, NULL, 0 },
	{ 0x0010, 64, "NodeDescription", { { PROTOCOL_NODE_DESCRIPTION, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0011, 40, "NodeInfo", { { PROTOCOL_NODE_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0012, 20, "SwitchInfo", { { PROTOCOL_SWITCH_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0014, 64, "GUIDInfo", { { PROTOCOL_GUID_INFO, 8, 0 } }, NULL, NULL, 0 },
	{ 0x0015, 64, "PortInfo", { { PROTOCOL_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0016, 64, "P_KeyTable", { { PROTOCOL_P_KEY_TABLE, 1, 0 }, { PROTOCOL_P_KEY, 32, 0 } }, NULL, NULL, 0 },
	{ 0x0017, 8, "SLtoVLMappingTable", { { PROTOCOL_SL_TO_VL, 8, 0 } }, NULL, NULL, 0 },
	{ 0x0018, 64, "VLArbitrationTable", { { PROTOCOL_VL_ARBITRATION, 32, 0 } }, NULL, NULL, 0 },
	{ 0x0019, 64, "LinearForwardingTable", { { PROTOCOL_LINEAR_FORWARDING, 64, 0 } }, NULL, NULL, 0 },
	{ 0x001a, 64, "RandomForwardingTable", { { PROTOCOL_RANDOM_FORWARDING, 16, 0 } }, NULL, NULL, 0 },
	{ 0x001b, 64, "MulticastForwardingTable", { { PROTOCOL_MULTICAST_FORWARDING, 32, 0 } }, NULL, NULL, 0 },
	{ 0x001c, 64, "LinkSpeedWidthPairsTable", { { PROTOCOL_LINK_SPEED_WIDTH, 1, 0 } }, NULL, NULL, 0 },
	{ 0x001d, 0, "VendorMadsTable", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x001e, 0, "HierarchyInfo", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0020, 21, "SMInfo", { { PROTOCOL_SM_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0030, 64, "VendorDiag", { { PROTOCOL_VENDOR_DIAG, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0031, 64, "LedInfo", { { PROTOCOL_LED_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0032, 64, "CableInfo", { { PROTOCOL_CABLE_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0033, 0, "PortInfoExtended", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0xff90, 64, "MlnxExtPortInfo", { { PROTOCOL_MLNX_EXT_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0xff60, 64, "CableInfo", { { PROTOCOL_CABLE_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

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
	{ 0x0002, 80, "Notice", { { PROTOCOL_NOTICE, 1, 0 }, { PROTOCOL_NOTICE_ISSUER, 1, 64 }, { 0, 1, 10 } }, trap_data, NULL, 0 },
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

/* 16.1.2, table 209; the optional ones: 16.1.4 */
const struct mad_attribute mad_performance_attributes[] = {
	{ 0x0001, 72, "ClassPortInfo", { { PROTOCOL_CLASS_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0010, 80, "PortSamplesControl", { { PROTOCOL_PORT_SAMPLES_CONTROL, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0011, 64, "PortSamplesResult", { { PROTOCOL_PORT_SAMPLES_RESULT, 1, 0 }, { PROTOCOL_PORT_SAMPLE_COUNTER, 15, 4 } },
	  NULL, NULL, 0 },
	{ 0x0012, 44, "PortCounters", { { PROTOCOL_PORT_COUNTERS, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0015, 16, "PortRcvErrorDetails", { { PROTOCOL_PORT_RCV_ERROR_DETAILS, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0016, 12, "PortXmitDiscardDetails", { { PROTOCOL_PORT_XMIT_DISCARD_DETAILS, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0017, 0, "PortOpRcvCounters", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0018, 0, "PortFlowCtlCounters", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0019, 0, "PortVLOpPackets", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x001a, 0, "PortVLOpData", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x001b, 0, "PortVLXmitFlowCtlUpdateErrors", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x001c, 0, "PortVLXmitWaitCounters", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x001d, 72, "PortCountersExtended", { { PROTOCOL_PORT_COUNTERS_EXTENDED, 1, 0 } }, NULL, NULL, 0 },
	{ 0x001e, 0, "PortSamplesResultExtended", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0030, 0, "SwPortVLCongestion", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0031, 0, "PortRcvConCtrl", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0032, 0, "PortSLRcvFECN", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0033, 0, "PortSLRcvBECN", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0034, 0, "PortXmitConCtrl", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0035, 0, "PortVLXmitTimeCong", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x0036, 68, "PortXmitDataSL", { { PROTOCOL_PORT_DATA_SL, 1, 0 }, { PROTOCOL_PORT_XMIT_DATA_SL, 16, 4 } }, NULL, NULL, 0 },
	{ 0x0037, 68, "PortRcvDataSL", { { PROTOCOL_PORT_DATA_SL, 1, 0 }, { PROTOCOL_PORT_RCV_DATA_SL, 16, 4 } }, NULL, NULL, 0 },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

/* 16.3.3 */
const struct mad_attribute mad_device_attributes[] = {
	{ 0x0001, 72, "ClassPortInfo", { { PROTOCOL_CLASS_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0002, 80, "Notice", { { PROTOCOL_NOTICE, 1, 0 }, { PROTOCOL_NOTICE_ISSUER, 1, 64 } }, NULL, NULL, 0 },
	{ 0x0010, 132, "IOUnitInfo", { { PROTOCOL_IO_UNIT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0011, 128, "IOControllerProfile", { { PROTOCOL_IO_CONTROLLER_PROFILE, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0012, 192, "ServiceEntries", { { PROTOCOL_SERVICE_ENTRY, 4, 0 } }, NULL, NULL, 0 },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

/* The log of a channel adapter is the second shape. A10.4.3. */
const struct mad_attribute mad_congestion_attributes[] = {
	{ 0x0001, 72, "ClassPortInfo", { { PROTOCOL_CLASS_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0011, 4, "CongestionInfo", { { PROTOCOL_CONGESTION_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0012, 14, "CongestionKeyInfo", { { PROTOCOL_CONGESTION_KEY_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0013, 220, "CongestionLog", { { PROTOCOL_CONGESTION_LOG_SWITCH, 1, 0 }, { PROTOCOL_CONGESTION_EVENT_SWITCH, 15, 40 } },
	  NULL, NULL, 0 },
	{ 0x0013, 220, "CongestionLog", { { PROTOCOL_CONGESTION_LOG_CA, 1, 0 }, { PROTOCOL_CONGESTION_EVENT_CA, 13, 12 } },
	  NULL, NULL, 0 },
	{ 0x0014, 76, "SwitchCongestionSetting", { { PROTOCOL_SWITCH_CONGESTION_SETTING, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0015, 128, "SwitchPortCongestionSetting", { { PROTOCOL_SWITCH_PORT_CONGESTION_SETTING, 32, 0 } }, NULL, NULL, 0 },
	{ 0x0016, 132, "CACongestionSetting", { { PROTOCOL_CA_CONGESTION_SETTING, 1, 0 }, { PROTOCOL_CA_CONGESTION_ENTRY, 16, 4 } },
	  NULL, NULL, 0 },
	{ 0x0017, 132, "CongestionControlTable", { { PROTOCOL_CONGESTION_CONTROL_TABLE, 1, 0 }, { PROTOCOL_CONGESTION_TABLE_ENTRY, 64, 4 } }, NULL,
	  NULL, 0 },
	{ 0x0018, 4, "TimeStamp", { { PROTOCOL_CONGESTION_TIME_STAMP, 1, 0 } }, NULL, NULL, 0 },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

static const struct mad_attribute *attributes_of(uint8_t management_class)
{
	switch (management_class) {
	case MAD_CLASS_SUBNET:
	case MAD_CLASS_SUBNET_DIRECTED: return mad_subnet_attributes;
	case MAD_CLASS_ADMINISTRATION: return mad_administration_attributes;
	case MAD_CLASS_PERFORMANCE: return mad_performance_attributes;
	case MAD_CLASS_DEVICE: return mad_device_attributes;
	case MAD_CLASS_CONGESTION: return mad_congestion_attributes;
	case MAD_CLASS_COMMUNICATION: return mad_communication_attributes;
	case MAD_CLASS_BASEBOARD: return mad_shared_attributes;
	default: return NULL;
	}
}

const struct mad_attribute *mad_attribute_of(const struct rtap_mad_facts *facts)
{
	const struct mad_attribute *attribute = attributes_of(facts->management_class);

	while (attribute && attribute->name && attribute->id != facts->attribute)
		attribute++;
	return attribute && attribute->name ? attribute + facts->shape : NULL;
}
