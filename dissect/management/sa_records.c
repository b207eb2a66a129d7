/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet administration records: record identifiers before subnet management attributes, links and services. IBTA vol. 1, 15.2.5.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"

/* Rows of headers that may occur several times in a MAD */
#define UNIT(name, label, at, width, show) { name, label, at, width, RTAP_##show, RTAP_REPEATS, NULL, NULL, NULL }

static const struct rtap_field node_record_fields[] = {
	{ "infiniband.sa.lid", "LID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sa.noderecord.reserved0", "Reserved", 16, 16, HEX),
};

static const struct rtap_field port_info_record_fields[] = {
	{ "infiniband.sa.endportlid", "EndportLID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sa.portnum", "PortNum", 16, 8, HEX),
	UNIT("infiniband.sa.options", "Options", 24, 8, HEX),
};

static const struct rtap_field sl_to_vl_record_fields[] = {
	{ "infiniband.sa.lid", "LID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sa.inputportnum", "InputPortNum", 16, 8, HEX),
	UNIT("infiniband.sa.outputportnum", "OutputPortNum", 24, 8, HEX),
	UNIT("infiniband.sa.sltovlrecord.reserved0", "Reserved", 32, 32, HEX),
};

static const struct rtap_field switch_info_record_fields[] = {
	{ "infiniband.sa.lid", "LID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sa.switchinforecord.reserved0", "Reserved", 16, 16, HEX),
};

static const struct rtap_field forwarding_record_fields[] = {
	{ "infiniband.sa.lid", "LID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sa.blocknum_sixteenbit", "BlockNum_SixteenBit", 16, 16, HEX),
	UNIT("infiniband.sa.forwardingrecord.reserved0", "Reserved", 32, 32, HEX),
};

static const struct rtap_field multicast_forwarding_record_fields[] = {
	{ "infiniband.sa.lid", "LID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sa.position", "Position", 16, 4, HEX),
	UNIT("infiniband.sa.multicastforwardingrecord.reserved0", "Reserved", 20, 3, HEX),
	UNIT("infiniband.sa.blocknum_ninebit", "BlockNum_NineBit", 23, 9, HEX),
	UNIT("infiniband.sa.multicastforwardingrecord.reserved1", "Reserved", 32, 32, HEX),
};

static const struct rtap_field vl_arbitration_record_fields[] = {
	{ "infiniband.sa.lid", "LID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sa.outputportnum", "OutputPortNum", 16, 8, HEX),
	UNIT("infiniband.sa.blocknum_eightbit", "BlockNum_EightBit", 24, 8, HEX),
	UNIT("infiniband.sa.vlarbitrationrecord.reserved0", "Reserved", 32, 32, HEX),
};

static const struct rtap_field sm_info_record_fields[] = {
	{ "infiniband.sa.lid", "LID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sa.sminforecord.reserved0", "Reserved", 16, 16, HEX),
};

static const struct rtap_field p_key_table_record_fields[] = {
	{ "infiniband.sa.lid", "LID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sa.blocknum_sixteenbit", "BlockNum_SixteenBit", 16, 16, HEX),
	UNIT("infiniband.sa.portnum", "PortNum", 32, 8, HEX),
	UNIT("infiniband.sa.p_keytablerecord.reserved0", "Reserved", 40, 24, HEX),
};

static const struct rtap_field inform_info_record_fields[] = {
	UNIT("infiniband.informinforecord.subscribergid", "SubscriberGID", 0, 128, IPV6),
	UNIT("infiniband.informinforecord.enum", "Enum", 128, 16, HEX),
	UNIT("infiniband.informinforecord.reserved0", "Reserved", 144, 48, HEX),
};

static const struct rtap_field guid_info_record_fields[] = {
	{ "infiniband.sa.lid", "LID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.sa.blocknum_eightbit", "BlockNum_EightBit", 16, 8, HEX),
	{ "infiniband.sa.guidinforecord.reserved0", "Reserved", 24, 8, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	{ "infiniband.sa.guidinforecord.reserved1", "Reserved", 32, 32, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
};

static const struct rtap_field link_record_fields[] = {
	{ "infiniband.linkrecord.fromlid", "FromLID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.linkrecord.fromport", "FromPort", 16, 8, HEX),
	UNIT("infiniband.linkrecord.toport", "ToPort", 24, 8, HEX),
	{ "infiniband.linkrecord.tolid", "ToLID", 32, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
};

static const struct rtap_field service_record_fields[] = {
	UNIT("infiniband.linkrecord.serviceid", "ServiceID", 0, 64, HEX),
	UNIT("infiniband.linkrecord.servicegid", "ServiceGID", 64, 128, IPV6),
	UNIT("infiniband.linkrecord.servicep_key", "ServiceP_Key", 192, 16, HEX),
	UNIT("infiniband.servicerecord.reserved0", "Reserved", 208, 16, HEX),
	UNIT("infiniband.linkrecord.servicelease", "ServiceLease", 224, 32, HEX),
	UNIT("infiniband.linkrecord.servicekey", "ServiceKey", 256, 128, BYTES),
	UNIT("infiniband.linkrecord.servicename", "ServiceName", 384, 512, BYTES),
	UNIT("infiniband.linkrecord.servicedata", "ServiceData", 896, 512, BYTES),
};

MAD_PART(node_record_protocol, "infiniband.sa.noderecord", "NodeRecord", "IBTA vol. 1, 15.2.5.2", 4, node_record_fields)
MAD_PART(port_info_record_protocol, "infiniband.sa.portinforecord", "PortInfoRecord",
	 "IBTA vol. 1, 15.2.5.3", 4, port_info_record_fields)
MAD_PART(sl_to_vl_record_protocol, "infiniband.sa.sltovlrecord", "SLtoVLMappingTableRecord",
	 "IBTA vol. 1, 15.2.5.4", 8, sl_to_vl_record_fields)
MAD_PART(switch_info_record_protocol, "infiniband.sa.switchinforecord", "SwitchInfoRecord",
	 "IBTA vol. 1, 15.2.5.5", 4, switch_info_record_fields)
MAD_PART(forwarding_record_protocol, "infiniband.sa.forwardingrecord", "ForwardingTableRecord",
	 "IBTA vol. 1, 15.2.5.6", 8, forwarding_record_fields)
MAD_PART(multicast_forwarding_record_protocol, "infiniband.sa.multicastforwardingrecord", "MulticastForwardingTableRecord",
	 "IBTA vol. 1, 15.2.5.8", 8, multicast_forwarding_record_fields)
MAD_PART(vl_arbitration_record_protocol, "infiniband.sa.vlarbitrationrecord", "VLArbitrationTableRecord",
	 "IBTA vol. 1, 15.2.5.9", 8, vl_arbitration_record_fields)
MAD_PART(sm_info_record_protocol, "infiniband.sa.sminforecord", "SMInfoRecord",
	 "IBTA vol. 1, 15.2.5.10", 4, sm_info_record_fields)
MAD_PART(p_key_table_record_protocol, "infiniband.sa.p_keytablerecord", "P_KeyTableRecord",
	 "IBTA vol. 1, 15.2.5.11", 8, p_key_table_record_fields)
MAD_PART(inform_info_record_protocol, "infiniband.informinforecord", "InformInfoRecord",
	 "IBTA vol. 1, 15.2.5.12", 24, inform_info_record_fields)
MAD_PART(guid_info_record_protocol, "infiniband.sa.guidinforecord", "GuidInfoRecord",
	 "IBTA vol. 1, 15.2.5.18", 8, guid_info_record_fields)
MAD_PART(link_record_protocol, "infiniband.linkrecord", "LinkRecord", "IBTA vol. 1, 15.2.5.13", 6, link_record_fields)
MAD_PART(service_record_protocol, "infiniband.servicerecord", "ServiceRecord",
	 "IBTA vol. 1, 15.2.5.14", 176, service_record_fields)
