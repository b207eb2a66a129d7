/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet management attributes: tables of keys, lanes and routes, and vendor attributes. IBTA vol. 1, 14.2.5.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"

static const struct rtap_name membership_types[] = {
	{ 0, "limited" }, { 1, "full" }, { 0, NULL },
};

static const struct rtap_name fdr10_names[] = {
	{ 0, "none" }, { 1, "FDR10" }, { 0, NULL },
};

/* Rows of headers that may occur several times in a MAD */
#define UNIT(name, label, at, width, show) { name, label, at, width, RTAP_##show, RTAP_REPEATS, NULL, NULL, NULL }
#define UNIT_NAMED(name, label, at, width, show, names) { name, label, at, width, RTAP_##show, RTAP_REPEATS, names, NULL, NULL }

static const struct rtap_field p_key_table_fields[] = {
	UNIT("infiniband.p_keytable.p_keytableblock", "P_KeyTableBlock", 0, 512, BYTES),
};

static const struct rtap_field p_key_fields[] = {
	UNIT_NAMED("infiniband.p_keytable.membershiptype", "MembershipType", 0, 1, HEX, membership_types),
	UNIT("infiniband.p_keytable.p_keybase", "P_KeyBase", 1, 15, HEX),
};

static const struct rtap_field sl_to_vl_fields[] = {
	UNIT("infiniband.sltovlmappingtable.sltovlhighbits", "SL(even)toVL", 0, 4, HEX),
	UNIT("infiniband.sltovlmappingtable.sltovllowbits", "SL(odd)toVL", 4, 4, HEX),
};

static const struct rtap_field vl_arbitration_fields[] = {
	UNIT("infiniband.vlarbitrationtable.reserved0", "Reserved", 0, 4, HEX),
	UNIT("infiniband.vlarbitrationtable.vl", "VL", 4, 4, HEX),
	UNIT("infiniband.vlarbitrationtable.weight", "Weight", 8, 8, HEX),
};

static const struct rtap_field linear_forwarding_fields[] = {
	UNIT("infiniband.linearforwardingtable.port", "Port", 0, 8, HEX),
};

static const struct rtap_field random_forwarding_fields[] = {
	{ "infiniband.randomforwardingtable.lid", "LID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.randomforwardingtable.valid", "Valid", 16, 1, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.randomforwardingtable.lmc", "LMC", 17, 3, HEX),
	UNIT("infiniband.randomforwardingtable.reserved0", "Reserved", 20, 4, HEX),
	UNIT("infiniband.randomforwardingtable.port", "Port", 24, 8, HEX),
};

static const struct rtap_field multicast_forwarding_fields[] = {
	UNIT("infiniband.multicastforwardingtable.portmask", "PortMask", 0, 16, HEX),
};

static const struct rtap_field link_speed_width_fields[] = {
	UNIT("infiniband.linkspeedwidthpairstable.numtables", "NumTables", 0, 8, HEX),
	UNIT("infiniband.linkspeedwidthpairstable.portmask", "PortMask", 8, 256, BYTES),
	UNIT("infiniband.linkspeedwidthpairstable.speedtwofive", "Speed 2.5 Gbps", 264, 8, HEX),
	UNIT("infiniband.linkspeedwidthpairstable.speedfive", "Speed 5 Gbps", 272, 8, HEX),
	UNIT("infiniband.linkspeedwidthpairstable.speedten", "Speed 10 Gbps", 280, 8, HEX),
	UNIT("infiniband.linkspeedwidthpairstable.reserved0", "Reserved", 288, 224, BYTES),
};

static const struct rtap_field vendor_diag_fields[] = {
	UNIT("infiniband.vendordiag.nextindex", "NextIndex", 0, 16, HEX),
	UNIT("infiniband.vendordiag.diagdata", "DiagData", 16, 496, BYTES),
};

static const struct rtap_field led_info_fields[] = {
	UNIT("infiniband.ledinfo.ledmask", "LedMask", 0, 1, HEX),
	UNIT("infiniband.ledinfo.reserved0", "Reserved", 1, 7, HEX),
	UNIT("infiniband.ledinfo.reserved1", "Reserved", 8, 24, HEX),
	UNIT("infiniband.ledinfo.reserved2", "Reserved", 32, 480, BYTES),
};

static const struct rtap_field cable_info_fields[] = {
	UNIT("infiniband.cableinfo.address", "Address", 0, 16, HEX),
	UNIT("infiniband.cableinfo.pagenumber", "PageNumber", 16, 8, DEC),
	UNIT("infiniband.cableinfo.deviceaddress", "DeviceAddress", 24, 8, HEX),
	UNIT("infiniband.cableinfo.numbytes", "NumberOfBytes", 32, 8, DEC),
	UNIT("infiniband.cableinfo.reserved0", "Reserved", 40, 8, HEX),
	UNIT("infiniband.cableinfo.reserved1", "Reserved", 48, 16, HEX),
	UNIT("infiniband.cableinfo.password", "Password", 64, 32, HEX),
	UNIT("infiniband.cableinfo.data", "Data", 96, 384, BYTES),
	UNIT("infiniband.cableinfo.reserved2", "Reserved", 480, 32, HEX),
};

static const struct rtap_field mlnx_ext_port_info_fields[] = {
	UNIT("infiniband.mlnxextportinfo.reserved0", "Reserved", 0, 24, HEX),
	UNIT("infiniband.mlnxextportinfo.statechangeenable", "StateChangeEnable", 24, 8, HEX),
	UNIT("infiniband.mlnxextportinfo.reserved1", "Reserved", 32, 24, HEX),
	UNIT_NAMED("infiniband.mlnxextportinfo.linkspeedsupported", "LinkSpeedSupported", 56, 8, HEX, fdr10_names),
	UNIT("infiniband.mlnxextportinfo.reserved2", "Reserved", 64, 24, HEX),
	UNIT_NAMED("infiniband.mlnxextportinfo.linkspeedenabled", "LinkSpeedEnabled", 88, 8, HEX, fdr10_names),
	UNIT("infiniband.mlnxextportinfo.reserved3", "Reserved", 96, 24, HEX),
	UNIT_NAMED("infiniband.mlnxextportinfo.linkspeedactive", "LinkSpeedActive", 120, 8, HEX, fdr10_names),
	UNIT("infiniband.mlnxextportinfo.reserved4", "Reserved", 128, 384, BYTES),
};

MAD_PART(p_key_table_protocol, "infiniband.p_keytable", "P_KeyTable", "IBTA vol. 1, 14.2.5.7", 64, p_key_table_fields)
MAD_PART(p_key_protocol, "infiniband.p_keytable.element", "P_Key", "IBTA vol. 1, 14.2.5.7", 2, p_key_fields)
MAD_PART(sl_to_vl_protocol, "infiniband.sltovlmappingtable", "SLtoVLMappingTable", "IBTA vol. 1, 14.2.5.8", 1, sl_to_vl_fields)
MAD_PART(vl_arbitration_protocol, "infiniband.vlarbitrationtable", "VLArbitrationTable",
	 "IBTA vol. 1, 14.2.5.9", 2, vl_arbitration_fields)
MAD_PART(linear_forwarding_protocol, "infiniband.linearforwardingtable", "LinearForwardingTable",
	 "IBTA vol. 1, 14.2.5.10", 1, linear_forwarding_fields)
MAD_PART(random_forwarding_protocol, "infiniband.randomforwardingtable", "RandomForwardingTable",
	 "IBTA vol. 1, 14.2.5.11", 4, random_forwarding_fields)
MAD_PART(multicast_forwarding_protocol, "infiniband.multicastforwardingtable", "MulticastForwardingTable",
	 "IBTA vol. 1, 14.2.5.12", 2, multicast_forwarding_fields)
MAD_PART(link_speed_width_protocol, "infiniband.linkspeedwidthpairstable", "LinkSpeedWidthPairsTable",
	 "IBTA vol. 1, 14.2.5.16", 64, link_speed_width_fields)
MAD_PART(vendor_diag_protocol, "infiniband.vendordiag", "VendorDiag", "IBTA vol. 1, 14.2.5.14", 64, vendor_diag_fields)
MAD_PART(led_info_protocol, "infiniband.ledinfo", "LedInfo", "IBTA vol. 1, 14.2.5.15", 64, led_info_fields)
MAD_PART(cable_info_protocol, "infiniband.cableinfo", "CableInfo", "IBTA vol. 1, 14.2.5.19", 64, cable_info_fields)
MAD_PART(mlnx_ext_port_info_protocol, "infiniband.mlnxextportinfo", "MlnxExtPortInfo",
	 "NVIDIA's vendor attribute 0xff90", 64, mlnx_ext_port_info_fields)
