/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of subnet management that describe nodes, ports and subnet managers. IBTA vol. 1, 14.2.5.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"

/* IBTA vol. 1, 14.2.5.6.1 */
static const struct rtap_name diag_codes[] = {
	{ 0, "port ready" }, { 1, "performing self test" }, { 2, "initializing" }, { 3, "soft error" }, { 4, "hard error" }, { 0, NULL },
};

static const struct rtap_name width_sets[] = {
	{ 0, "no change" }, { 1, "1x" }, { 2, "4x" }, { 3, "1x or 4x" }, { 4, "8x" }, { 5, "1x or 8x" }, { 6, "4x or 8x" },
	{ 7, "1x, 4x or 8x" }, { 8, "12x" }, { 9, "1x or 12x" }, { 10, "4x or 12x" }, { 11, "1x, 4x or 12x" }, { 12, "8x or 12x" },
	{ 13, "1x, 8x or 12x" }, { 14, "4x, 8x or 12x" }, { 15, "1x, 4x, 8x or 12x" }, { 16, "2x" }, { 17, "1x or 2x" },
	{ 18, "2x or 4x" }, { 19, "1x, 2x or 4x" }, { 31, "1x, 2x, 4x, 8x or 12x" }, { 255, "as supported" }, { 0, NULL },
};

static const struct rtap_name widths[] = {
	{ 1, "1x" }, { 2, "4x" }, { 4, "8x" }, { 8, "12x" }, { 16, "2x" }, { 0, NULL },
};

static const struct rtap_name speed_sets[] = {
	{ 0, "no change" }, { 1, "2.5 Gbps" }, { 3, "2.5 or 5 Gbps" }, { 5, "2.5 or 10 Gbps" }, { 7, "2.5, 5 or 10 Gbps" },
	{ 15, "as supported" }, { 0, NULL },
};

static const struct rtap_name port_states[] = {
	{ 0, "no change" }, { 1, "Down" }, { 2, "Initialize" }, { 3, "Armed" }, { 4, "Active" }, { 0, NULL },
};

static const struct rtap_name physical_states[] = {
	{ 0, "no change" }, { 1, "Sleep" }, { 2, "Polling" }, { 3, "Disabled" }, { 4, "PortConfigurationTraining" }, { 5, "LinkUp" },
	{ 6, "LinkErrorRecovery" }, { 7, "Phy Test" }, { 0, NULL },
};

static const struct rtap_name down_states[] = {
	{ 0, "no change" }, { 1, "Sleep" }, { 2, "Polling" }, { 0, NULL },
};

static const struct rtap_name speeds[] = {
	{ 0, "by the extended speeds" }, { 1, "2.5 Gbps (SDR)" }, { 2, "5 Gbps (DDR)" }, { 4, "10 Gbps (QDR)" }, { 0, NULL },
};

static const struct rtap_name vl_counts[] = {
	{ 0, "no change" }, { 1, "VL0" }, { 2, "VL0 and VL1" }, { 3, "VL0 to VL3" }, { 4, "VL0 to VL7" }, { 5, "VL0 to VL14" }, { 0, NULL },
};

static const struct rtap_name extended_speeds[] = {
	{ 0, "none" }, { 1, "14.0625 Gbps (FDR)" }, { 2, "25.78125 Gbps (EDR)" }, { 4, "53.125 Gbps (HDR)" }, { 8, "106.25 Gbps (NDR)" },
	{ 0, NULL },
};

static const struct rtap_name extended_speed_sets[] = {
	{ 0, "none" }, { 1, "FDR" }, { 2, "EDR" }, { 3, "FDR or EDR" }, { 4, "HDR" }, { 5, "FDR or HDR" }, { 6, "EDR or HDR" },
	{ 7, "FDR, EDR or HDR" }, { 8, "NDR" }, { 9, "FDR or NDR" }, { 10, "EDR or NDR" }, { 11, "FDR, EDR or NDR" }, { 12, "HDR or NDR" },
	{ 13, "FDR, HDR or NDR" }, { 14, "EDR, HDR or NDR" }, { 15, "FDR, EDR, HDR or NDR" }, { 30, "disabled" }, { 31, "as supported" },
	{ 0, NULL },
};

/* Speeds beyond those of the first field. IBTA vol. 1, release 1.8, 14.2.5.6 */
static const struct rtap_name extended_speeds_2[] = { { 0, "none" }, { 1, "212.5 Gbps (XDR)" }, { 0, NULL } };

static const struct rtap_name sm_states[] = {
	{ 0, "not active" }, { 1, "discovering" }, { 2, "standby" }, { 3, "master" }, { 0, NULL },
};

/* Rows of headers that may occur several times in a MAD */
#define UNIT(name, label, at, width, show) { name, label, at, width, RTAP_##show, RTAP_REPEATS, NULL, NULL, NULL }
#define UNIT_NAMED(name, label, at, width, show, names) { name, label, at, width, RTAP_##show, RTAP_REPEATS, names, NULL, NULL }
#define UNIT_PARTS(name, label, at, width, show) { name, label, at, width, RTAP_##show, RTAP_REPEATS | RTAP_PARTS, NULL, NULL, NULL }

static bool derive_nodestring(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return mad_derive_text(packet, layer, value, 0, 64);
}

static const struct rtap_field node_description_fields[] = {
	{ "infiniband.nodedescription.nodestring", "NodeString", 0, 512, RTAP_TEXT, RTAP_REPEATS, NULL, derive_nodestring, NULL },
};

static const struct rtap_field node_info_fields[] = {
	UNIT("infiniband.nodeinfo.baseversion", "BaseVersion", 0, 8, HEX),
	UNIT("infiniband.nodeinfo.classversion", "ClassVersion", 8, 8, HEX),
	UNIT_NAMED("infiniband.nodeinfo.nodetype", "NodeType", 16, 8, HEX, mad_node_types),
	UNIT("infiniband.nodeinfo.numports", "NumPorts", 24, 8, HEX),
	{ "infiniband.nodeinfo.systemimageguid", "SystemImageGUID", 32, 64, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.nodeinfo.nodeguid", "NodeGUID", 96, 64, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.nodeinfo.portguid", "PortGUID", 160, 64, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.nodeinfo.partitioncap", "PartitionCap", 224, 16, HEX),
	UNIT("infiniband.nodeinfo.deviceid", "DeviceID", 240, 16, HEX),
	UNIT("infiniband.nodeinfo.revision", "Revision", 256, 32, HEX),
	UNIT("infiniband.nodeinfo.localportnum", "LocalPortNum", 288, 8, HEX),
	UNIT("infiniband.nodeinfo.vendorid", "VendorID", 296, 24, HEX),
};

static const struct rtap_field switch_info_fields[] = {
	UNIT("infiniband.switchinfo.linearfdbcap", "LinearFDBCap", 0, 16, HEX),
	UNIT("infiniband.switchinfo.randomfdbcap", "RandomFDBCap", 16, 16, HEX),
	UNIT("infiniband.switchinfo.multicastfdbcap", "MulticastFDBCap", 32, 16, HEX),
	UNIT("infiniband.switchinfo.linearfdbtop", "LinearFDBTop", 48, 16, HEX),
	UNIT("infiniband.switchinfo.defaultport", "DefaultPort", 64, 8, HEX),
	UNIT("infiniband.switchinfo.defaultmulticastprimaryport", "DefaultMulticastPrimaryPort", 72, 8, HEX),
	UNIT("infiniband.switchinfo.defaultmulticastnotprimaryport", "DefaultMulticastNotPrimaryPort", 80, 8, HEX),
	{ "infiniband.switchinfo.lifetimevalue", "LifeTimeValue", 88, 5, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.switchinfo.portstatechange", "PortStateChange", 93, 1, HEX),
	UNIT("infiniband.switchinfo.optimizedsltovlmappingprogramming", "OptimizedSLtoVLMappingProgramming", 94, 2, HEX),
	{ "infiniband.switchinfo.lidsperport", "LIDsPerPort", 96, 16, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.switchinfo.partitionenforcementcap", "PartitionEnforcementCap", 112, 16, HEX),
	UNIT("infiniband.switchinfo.inboundenforcementcap", "InboundEnforcementCap", 128, 1, HEX),
	UNIT("infiniband.switchinfo.outboundenforcementcap", "OutboundEnforcementCap", 129, 1, HEX),
	UNIT("infiniband.switchinfo.filterrawinboundcap", "FilterRawInboundCap", 130, 1, HEX),
	UNIT("infiniband.switchinfo.filterrawoutboundcap", "FilterRawOutboundCap", 131, 1, HEX),
	UNIT("infiniband.switchinfo.enhancedportzero", "EnhancedPortZero", 132, 1, HEX),
	UNIT("infiniband.switchinfo.reserved0", "Reserved", 133, 3, HEX),
	UNIT("infiniband.switchinfo.reserved1", "Reserved", 136, 8, HEX),
	UNIT("infiniband.switchinfo.multicastfdbtop", "MulticastFDBTop", 144, 16, HEX),
};

static const struct rtap_field guid_info_fields[] = {
	{ "infiniband.switchinfo.guid", "GUID", 0, 64, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
};

static const struct rtap_field port_info_fields[] = {
	UNIT("infiniband.portinfo.m_key", "M_Key", 0, 64, HEX),
	{ "infiniband.portinfo.guid", "GidPrefix", 64, 64, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.portinfo.lid", "LID", 128, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.portinfo.mastersmlid", "MasterSMLID", 144, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT_PARTS("infiniband.portinfo.capabilitymask", "CapabilityMask", 160, 32, HEX),
	UNIT("infiniband.portinfo.capabilitymask.hierarchyinfosupported", "HierarchyInfoSupported", 160, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.multicastfdbtopsupported", "MulticastFDBTopSupported", 161, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.multicastpkeytrapsuppressionsupported", "MulticastPKeyTrapSuppressionSupported", 162, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.vendorspecificmadstablesupported", "VendorSpecificMadsTableSupported", 163, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.linkspeedwidthpairstablesupported", "LinkSpeedWidthPairsTableSupported", 164, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.otherlocalchangesnoticesupported", "OtherLocalChangesNoticeSupported", 165, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.clientregistrationsupported", "ClientRegistrationSupported", 166, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.linkroundtriplatencysupported", "LinkRoundTripLatencySupported", 167, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.bootmanagementsupported", "BootManagementSupported", 168, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.capabilitymasknoticesupported", "CapabilityMaskNoticeSupported", 169, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.drnoticesupported", "DRNoticeSupported", 170, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.vendorclasssupported", "VendorClassSupported", 171, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.devicemanagementsupported", "DeviceManagementSupported", 172, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.reinitsupported", "ReinitSupported", 173, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.snmptunnelingsupported", "SNMPTunnelingSupported", 174, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.communicationmanagementsupported", "CommunicationManagementSupported", 175, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.capabilitymask2supported", "CapabilityMask2Supported", 176, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.extendedspeedssupported", "ExtendedSpeedsSupported", 177, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.cableinfosupported", "CableInfoSupported", 178, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.pkeyswitchexternalporttrapsupported", "PKeySwitchExternalPortTrapSupported", 179, 1, HEX32),
	{ "infiniband.portinfo.capabilitymask.systemimageguidsupported", "SystemImageGUIDSupported", 180, 1, RTAP_HEX32,
	  RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.portinfo.capabilitymask.smdisabled", "SMdisabled", 181, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.ledinfosupported", "LEDInfoSupported", 182, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.pkeynvram", "PKeyNVRAM", 183, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.mkeynvram", "MKeyNVRAM", 184, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.slmappingsupported", "SLMappingSupported", 185, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.automaticmigrationsupported", "AutomaticMigrationSupported", 186, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.optionalipdsupported", "OptionalIPDSupported", 187, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.trapsupported", "TrapSupported", 188, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.noticesupported", "NoticeSupported", 189, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.issm", "SM", 190, 1, HEX32),
	UNIT("infiniband.portinfo.capabilitymask.reserved", "Reserved", 191, 1, HEX32),
	UNIT_NAMED("infiniband.portinfo.diagcode", "DiagCode", 192, 16, HEX, diag_codes),
	UNIT("infiniband.portinfo.m_keyleaseperiod", "M_KeyLeasePeriod", 208, 16, HEX),
	UNIT("infiniband.portinfo.localportnum", "LocalPortNum", 224, 8, HEX),
	UNIT_NAMED("infiniband.portinfo.linkwidthenabled", "LinkWidthEnabled", 232, 8, HEX, width_sets),
	UNIT_NAMED("infiniband.portinfo.linkwidthsupported", "LinkWidthSupported", 240, 8, HEX, width_sets),
	UNIT_NAMED("infiniband.portinfo.linkwidthactive", "LinkWidthActive", 248, 8, HEX, widths),
	UNIT_NAMED("infiniband.portinfo.linkspeedsupported", "LinkSpeedSupported", 256, 4, HEX, speed_sets),
	UNIT_NAMED("infiniband.portinfo.portstate", "PortState", 260, 4, HEX, port_states),
	UNIT_NAMED("infiniband.portinfo.portphysicalstate", "PortPhysicalState", 264, 4, HEX, physical_states),
	UNIT_NAMED("infiniband.portinfo.linkdowndefaultstate", "LinkDownDefaultState", 268, 4, HEX, down_states),
	UNIT("infiniband.portinfo.m_keyprotectbits", "M_KeyProtectBits", 272, 2, HEX),
	UNIT("infiniband.portinfo.reserved0", "Reserved", 274, 3, HEX),
	UNIT("infiniband.portinfo.lmc", "LMC", 277, 3, HEX),
	UNIT_NAMED("infiniband.portinfo.linkspeedactive", "LinkSpeedActive", 280, 4, HEX, speeds),
	UNIT_NAMED("infiniband.portinfo.linkspeedenabled", "LinkSpeedEnabled", 284, 4, HEX, speed_sets),
	UNIT_NAMED("infiniband.portinfo.neighbormtu", "NeighborMTU", 288, 4, HEX, mad_mtus),
	UNIT("infiniband.portinfo.mastersmsl", "MasterSMSL", 292, 4, HEX),
	UNIT_NAMED("infiniband.portinfo.vlcap", "VLCap", 296, 4, HEX, vl_counts),
	UNIT("infiniband.portinfo.inittype", "InitType", 300, 4, HEX),
	UNIT("infiniband.portinfo.vlhighlimit", "VLHighLimit", 304, 8, HEX),
	UNIT("infiniband.portinfo.vlarbitrationhighcap", "VLArbitrationHighCap", 312, 8, HEX),
	UNIT("infiniband.portinfo.vlarbitrationlowcap", "VLArbitrationLowCap", 320, 8, HEX),
	UNIT("infiniband.portinfo.inittypereply", "InitTypeReply", 328, 4, HEX),
	UNIT_NAMED("infiniband.portinfo.mtucap", "MTUCap", 332, 4, HEX, mad_mtus),
	UNIT("infiniband.portinfo.vlstallcount", "VLStallCount", 336, 3, HEX),
	UNIT("infiniband.portinfo.hoqlife", "HOQLife", 339, 5, HEX),
	UNIT_NAMED("infiniband.portinfo.operationalvls", "OperationalVLs", 344, 4, HEX, vl_counts),
	UNIT("infiniband.portinfo.partitionenforcementinbound", "PartitionEnforcementInbound", 348, 1, HEX),
	UNIT("infiniband.portinfo.partitionenforcementoutbound", "PartitionEnforcementOutbound", 349, 1, HEX),
	UNIT("infiniband.portinfo.filterrawinbound", "FilterRawInbound", 350, 1, HEX),
	UNIT("infiniband.portinfo.filterrawoutbound", "FilterRawOutbound", 351, 1, HEX),
	UNIT("infiniband.portinfo.m_keyviolations", "M_KeyViolations", 352, 16, HEX),
	UNIT("infiniband.portinfo.p_keyviolations", "P_KeyViolations", 368, 16, HEX),
	{ "infiniband.portinfo.q_keyviolations", "Q_KeyViolations", 384, 16, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	{ "infiniband.portinfo.guidcap", "GUIDCap", 400, 8, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.portinfo.clientreregister", "ClientReregister", 408, 1, HEX),
	UNIT("infiniband.portinfo.multicastpkeytrapsuppressionenabled", "MulticastPKeyTrapSuppressionEnabled", 409, 2, HEX),
	{ "infiniband.portinfo.subnettimeout", "SubnetTimeOut", 411, 5, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.portinfo.reserved1", "Reserved", 416, 3, HEX),
	{ "infiniband.portinfo.resptimevalue", "RespTimeValue", 419, 5, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.portinfo.localphyerrors", "LocalPhyErrors", 424, 4, HEX),
	UNIT("infiniband.portinfo.overrunerrors", "OverrunErrors", 428, 4, HEX),
	UNIT("infiniband.portinfo.maxcredithint", "MaxCreditHint", 432, 16, HEX),
	UNIT("infiniband.portinfo.reserved2", "Reserved", 448, 1, HEX),
	UNIT_NAMED("infiniband.portinfo.linkspeedextactive2", "LinkSpeedExtActive2", 449, 2, HEX, extended_speeds_2),
	UNIT_NAMED("infiniband.portinfo.linkspeedextsupported2", "LinkSpeedExtSupported2", 451, 2, HEX, extended_speeds_2),
	UNIT_NAMED("infiniband.portinfo.linkspeedextenabled2", "LinkSpeedExtEnabled2", 453, 3, HEX, extended_speeds_2),
	UNIT("infiniband.portinfo.linkroundtriplatency", "LinkRoundTripLatency", 456, 24, HEX),
	UNIT_PARTS("infiniband.portinfo.capabilitymask2", "CapabilityMask2", 480, 16, HEX),
	UNIT("infiniband.portinfo.capabilitymask2.reserved0", "Reserved", 480, 3, HEX16),
	UNIT("infiniband.portinfo.capabilitymask2.linkspeedxdrsupported", "LinkSpeedXDRSupported", 483, 1, HEX16),
	UNIT("infiniband.portinfo.capabilitymask2.extendedspeeds2supported", "ExtendedSpeeds2Supported", 484, 1, HEX16),
	UNIT("infiniband.portinfo.capabilitymask2.linkspeedndrsupported", "LinkSpeedNDRSupported", 485, 1, HEX16),
	UNIT("infiniband.portinfo.capabilitymask2.reserved1", "Reserved", 486, 4, HEX16),
	UNIT("infiniband.portinfo.capabilitymask2.linkspeedhdrsupported", "LinkSpeedHDRSupported", 490, 1, HEX16),
	UNIT("infiniband.portinfo.capabilitymask2.linkwidth2xsupported", "LinkWidth2xSupported", 491, 1, HEX16),
	UNIT("infiniband.portinfo.capabilitymask2.switchportstatetablesupported", "SwitchPortStateTableSupported", 492, 1, HEX16),
	UNIT("infiniband.portinfo.capabilitymask2.virtualizationsupported", "VirtualizationSupported", 493, 1, HEX16),
	UNIT("infiniband.portinfo.capabilitymask2.portinfoextendedsupported", "PortInfoExtendedSupported", 494, 1, HEX16),
	UNIT("infiniband.portinfo.capabilitymask2.setnodedescriptionsupported", "SetNodeDescriptionSupported", 495, 1, HEX16),
	UNIT_NAMED("infiniband.portinfo.linkspeedextactive", "LinkSpeedExtActive", 496, 4, HEX, extended_speeds),
	UNIT_NAMED("infiniband.portinfo.linkspeedextsupported", "LinkSpeedExtSupported", 500, 4, HEX, extended_speed_sets),
	UNIT("infiniband.portinfo.reserved3", "Reserved", 504, 3, HEX),
	UNIT_NAMED("infiniband.portinfo.linkspeedextenabled", "LinkSpeedExtEnabled", 507, 5, HEX, extended_speed_sets),
};

static const struct rtap_field sm_info_fields[] = {
	{ "infiniband.sminfo.guid", "GUID", 0, 64, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sminfo.sm_key", "SM_Key", 64, 64, HEX),
	UNIT("infiniband.sminfo.actcount", "ActCount", 128, 32, HEX),
	UNIT("infiniband.sminfo.priority", "Priority", 160, 4, HEX),
	UNIT_NAMED("infiniband.sminfo.smstate", "SMState", 164, 4, HEX, sm_states),
};

MAD_PART(node_description_protocol, "infiniband.nodedescription", "NodeDescription",
	 "IBTA vol. 1, 14.2.5.2", 64, node_description_fields)
MAD_PART(node_info_protocol, "infiniband.nodeinfo", "NodeInfo", "IBTA vol. 1, 14.2.5.3", 40, node_info_fields)
MAD_PART(switch_info_protocol, "infiniband.switchinfo", "SwitchInfo", "IBTA vol. 1, 14.2.5.4", 20, switch_info_fields)
MAD_PART(guid_info_protocol, "infiniband.guidinfo", "GUIDInfo", "IBTA vol. 1, 14.2.5.5", 8, guid_info_fields)
MAD_PART(port_info_protocol, "infiniband.portinfo", "PortInfo", "IBTA vol. 1, 14.2.5.6", 64, port_info_fields)
MAD_PART(sm_info_protocol, "infiniband.sminfo", "SMInfo", "IBTA vol. 1, 14.2.5.13", 21, sm_info_fields)
