/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of performance management. IBTA vol. 1, 16.1.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"

static const struct rtap_name counter_widths[] = {
	{ 0, "16 bits" }, { 1, "20 bits" }, { 2, "24 bits" }, { 3, "28 bits" }, { 4, "32 bits" }, { 0, NULL },
};

static const struct rtap_name sample_statuses[] = {
	{ 0, "complete" }, { 1, "sample start timer running" }, { 2, "sampling" }, { 0, NULL },
};

#define ROW(name, label, at, width, show) { name, label, at, width, RTAP_##show, 0, NULL, NULL, NULL }
#define NAMED(name, label, at, width, show, names) { name, label, at, width, RTAP_##show, 0, names, NULL, NULL }
/* Rows of headers that may occur several times in a MAD */
#define UNIT(name, label, at, width, show) { name, label, at, width, RTAP_##show, RTAP_REPEATS, NULL, NULL, NULL }

static const struct rtap_field port_counters_fields[] = {
	ROW("infiniband.portcounters.reserved0", "Reserved", 0, 8, HEX),
	ROW("infiniband.portcounters.portselect", "PortSelect", 8, 8, HEX),
	ROW("infiniband.portcounters.counterselect", "CounterSelect", 16, 16, HEX),
	ROW("infiniband.portcounters.symbolerrorcounter", "SymbolErrorCounter", 32, 16, DEC),
	ROW("infiniband.portcounters.linkerrorrecoverycounter", "LinkErrorRecoveryCounter", 48, 8, DEC),
	ROW("infiniband.portcounters.linkdownedcounter", "LinkDownedCounter", 56, 8, DEC),
	ROW("infiniband.portcounters.portrcverrors", "PortRcvErrors", 64, 16, DEC),
	ROW("infiniband.portcounters.portrcvremotephysicalerrors", "PortRcvRemotePhysicalErrors", 80, 16, DEC),
	ROW("infiniband.portcounters.portrcvswitchrelayerrors", "PortRcvSwitchRelayErrors", 96, 16, DEC),
	ROW("infiniband.portcounters.portxmitdiscards", "PortXmitDiscards", 112, 16, DEC),
	ROW("infiniband.portcounters.portxmitconstrainterrors", "PortXmitConstraintErrors", 128, 8, DEC),
	ROW("infiniband.portcounters.portrcvconstrainterrors", "PortRcvConstraintErrors", 136, 8, DEC),
	ROW("infiniband.portcounters.counterselect2", "CounterSelect2", 144, 8, HEX),
	ROW("infiniband.portcounters.locallinkintegrityerrors", "LocalLinkIntegrityErrors", 152, 4, DEC),
	ROW("infiniband.portcounters.excessivebufferoverrunerrors", "ExcessiveBufferOverrunErrors", 156, 4, DEC),
	ROW("infiniband.portcounters.qp1dropped", "QP1Dropped", 160, 16, DEC),
	ROW("infiniband.portcounters.vl15dropped", "VL15Dropped", 176, 16, DEC),
	ROW("infiniband.portcounters.portxmitdata", "PortXmitData", 192, 32, DEC),
	ROW("infiniband.portcounters.portrcvdata", "PortRcvData", 224, 32, DEC),
	ROW("infiniband.portcounters.portxmitpkts", "PortXmitPkts", 256, 32, DEC),
	ROW("infiniband.portcounters.portrcvpkts", "PortRcvPkts", 288, 32, DEC),
	ROW("infiniband.portcounters.portxmitwait", "PortXmitWait", 320, 32, DEC),
};

static const struct rtap_field port_counters_extended_fields[] = {
	ROW("infiniband.portcounters_ext.reserved0", "Reserved", 0, 8, HEX),
	ROW("infiniband.portcounters_ext.portselect", "PortSelect", 8, 8, HEX),
	ROW("infiniband.portcounters_ext.counterselect", "CounterSelect", 16, 16, HEX),
	ROW("infiniband.portcounters_ext.counterselect2", "CounterSelect2", 32, 32, HEX),
	ROW("infiniband.portcounters_ext.portxmitdata", "PortXmitData", 64, 64, DEC),
	ROW("infiniband.portcounters_ext.portrcvdata", "PortRcvData", 128, 64, DEC),
	ROW("infiniband.portcounters_ext.portxmitpkts", "PortXmitPkts", 192, 64, DEC),
	ROW("infiniband.portcounters_ext.portrcvpkts", "PortRcvPkts", 256, 64, DEC),
	ROW("infiniband.portcounters_ext.portunicastxmitpkts", "PortUnicastXmitPkts", 320, 64, DEC),
	ROW("infiniband.portcounters_ext.portunicastrcvpkts", "PortUnicastRcvPkts", 384, 64, DEC),
	ROW("infiniband.portcounters_ext.portmulticastxmitpkts", "PortMulticastXmitPkts", 448, 64, DEC),
	ROW("infiniband.portcounters_ext.portmulticastrcvpkts", "PortMulticastRcvPkts", 512, 64, DEC),
	ROW("infiniband.portcounters_ext.symbolerrorcounter", "SymbolErrorCounter", 576, 64, DEC),
	ROW("infiniband.portcounters_ext.linkerrorrecoverycounter", "LinkErrorRecoveryCounter", 640, 64, DEC),
	ROW("infiniband.portcounters_ext.linkdownedcounter", "LinkDownedCounter", 704, 64, DEC),
	ROW("infiniband.portcounters_ext.portrcverrors", "PortRcvErrors", 768, 64, DEC),
	ROW("infiniband.portcounters_ext.portrcvremotephysicalerrors", "PortRcvRemotePhysicalErrors", 832, 64, DEC),
	ROW("infiniband.portcounters_ext.portrcvswitchrelayerrors", "PortRcvSwitchRelayErrors", 896, 64, DEC),
	ROW("infiniband.portcounters_ext.portxmitdiscards", "PortXmitDiscards", 960, 64, DEC),
	ROW("infiniband.portcounters_ext.portxmitconstrainterrors", "PortXmitConstraintErrors", 1024, 64, DEC),
	ROW("infiniband.portcounters_ext.portrcvconstrainterrors", "PortRcvConstraintErrors", 1088, 64, DEC),
	ROW("infiniband.portcounters_ext.locallinkintegrityerrors", "LocalLinkIntegrityErrors", 1152, 64, DEC),
	ROW("infiniband.portcounters_ext.excessivebufferoverrunerrors", "ExcessiveBufferOverrunErrors", 1216, 64, DEC),
	ROW("infiniband.portcounters_ext.vl15dropped", "VL15Dropped", 1280, 64, DEC),
	ROW("infiniband.portcounters_ext.portxmitwait", "PortXmitWait", 1344, 64, DEC),
	ROW("infiniband.portcounters_ext.qp1dropped", "QP1Dropped", 1408, 64, DEC),
};

static const struct rtap_field port_rcv_error_details_fields[] = {
	ROW("infiniband.portrcverrordetails.reserved0", "Reserved", 0, 8, HEX),
	ROW("infiniband.portrcverrordetails.portselect", "PortSelect", 8, 8, HEX),
	ROW("infiniband.portrcverrordetails.counterselect", "CounterSelect", 16, 16, HEX),
	ROW("infiniband.portrcverrordetails.portlocalphysicalerrors", "PortLocalPhysicalErrors", 32, 16, DEC),
	ROW("infiniband.portrcverrordetails.portmalformedpacketerrors", "PortMalformedPacketErrors", 48, 16, DEC),
	ROW("infiniband.portrcverrordetails.portbufferoverrunerrors", "PortBufferOverrunErrors", 64, 16, DEC),
	{ "infiniband.portrcverrordetails.portdlidmappingerrors", "PortDLIDMappingErrors", 80, 16, RTAP_DEC, RTAP_COMPARED, NULL, NULL, NULL },
	ROW("infiniband.portrcverrordetails.portvlmappingerrors", "PortVLMappingErrors", 96, 16, DEC),
	ROW("infiniband.portrcverrordetails.portloopingerrors", "PortLoopingErrors", 112, 16, DEC),
};

static const struct rtap_field port_xmit_discard_details_fields[] = {
	ROW("infiniband.portxmitdiscarddetails.reserved0", "Reserved", 0, 8, HEX),
	ROW("infiniband.portxmitdiscarddetails.portselect", "PortSelect", 8, 8, HEX),
	ROW("infiniband.portxmitdiscarddetails.counterselect", "CounterSelect", 16, 16, HEX),
	ROW("infiniband.portxmitdiscarddetails.portinactivediscards", "PortInactiveDiscards", 32, 16, DEC),
	ROW("infiniband.portxmitdiscarddetails.portneighbormtudiscards", "PortNeighborMTUDiscards", 48, 16, DEC),
	{ "infiniband.portxmitdiscarddetails.portswlifetimelimitdiscards", "PortSwLifetimeLimitDiscards", 64, 16, RTAP_DEC,
	  RTAP_COMPARED, NULL, NULL, NULL },
	{ "infiniband.portxmitdiscarddetails.portswhoqlifetimelimitdiscards", "PortSwHOQLifetimeLimitDiscards", 80, 16, RTAP_DEC,
	  RTAP_COMPARED, NULL, NULL, NULL },
};

static const struct rtap_field port_data_sl_fields[] = {
	ROW("infiniband.portdatasl.reserved0", "Reserved", 0, 8, HEX),
	ROW("infiniband.portdatasl.portselect", "PortSelect", 8, 8, HEX),
	ROW("infiniband.portdatasl.counterselect", "CounterSelect", 16, 16, HEX),
};

static const struct rtap_field port_xmit_data_sl_fields[] = {
	UNIT("infiniband.portxmitdatasl.data", "PortXmitData", 0, 32, DEC),
};

static const struct rtap_field port_rcv_data_sl_fields[] = {
	UNIT("infiniband.portrcvdatasl.data", "PortRcvData", 0, 32, DEC),
};

static const struct rtap_field port_samples_control_fields[] = {
	ROW("infiniband.portsamplescontrol.opcode", "OpCode", 0, 8, HEX),
	ROW("infiniband.portsamplescontrol.portselect", "PortSelect", 8, 8, HEX),
	ROW("infiniband.portsamplescontrol.tick", "Tick", 16, 8, HEX),
	ROW("infiniband.portsamplescontrol.reserved0", "Reserved", 24, 5, HEX),
	NAMED("infiniband.portsamplescontrol.counterwidth", "CounterWidth", 29, 3, DEC, counter_widths),
	ROW("infiniband.portsamplescontrol.reserved1", "Reserved", 32, 2, HEX),
	ROW("infiniband.portsamplescontrol.countermask0", "CounterMask0", 34, 3, HEX),
	ROW("infiniband.portsamplescontrol.countermasks1to9", "CounterMasks1to9", 37, 27, HEX),
	ROW("infiniband.portsamplescontrol.reserved2", "Reserved", 64, 1, HEX),
	ROW("infiniband.portsamplescontrol.countermasks10to14", "CounterMasks10to14", 65, 15, HEX),
	ROW("infiniband.portsamplescontrol.samplemechanisms", "SampleMechanisms", 80, 8, HEX),
	ROW("infiniband.portsamplescontrol.reserved3", "Reserved", 88, 6, HEX),
	NAMED("infiniband.portsamplescontrol.samplestatus", "SampleStatus", 94, 2, DEC, sample_statuses),
	ROW("infiniband.portsamplescontrol.optionmask", "OptionMask", 96, 64, HEX),
	ROW("infiniband.portsamplescontrol.vendormask", "VendorMask", 160, 64, HEX),
	ROW("infiniband.portsamplescontrol.samplestart", "SampleStart", 224, 32, DEC),
	ROW("infiniband.portsamplescontrol.sampleinterval", "SampleInterval", 256, 32, DEC),
	ROW("infiniband.portsamplescontrol.tag", "Tag", 288, 16, HEX),
	ROW("infiniband.portsamplescontrol.counterselects", "CounterSelect0 to 14", 304, 240, BYTES),
	ROW("infiniband.portsamplescontrol.reserved4", "Reserved", 544, 32, HEX),
	ROW("infiniband.portsamplescontrol.samplesonlyoptionmask", "SamplesOnlyOptionMask", 576, 64, HEX),
};

static const struct rtap_field port_samples_result_fields[] = {
	ROW("infiniband.portsamplesresult.tag", "Tag", 0, 16, HEX),
	ROW("infiniband.portsamplesresult.reserved0", "Reserved", 16, 14, HEX),
	NAMED("infiniband.portsamplesresult.samplestatus", "SampleStatus", 30, 2, DEC, sample_statuses),
};

static const struct rtap_field port_sample_counter_fields[] = {
	UNIT("infiniband.portsamplesresult.counter", "Counter", 0, 32, DEC),
};

MAD_PART(port_counters_protocol, "infiniband.portcounters", "PortCounters", "IBTA vol. 1, 16.1.3.5", 44, port_counters_fields)
MAD_PART(port_counters_extended_protocol, "infiniband.portcounters_ext", "PortCountersExtended",
	 "IBTA vol. 1, 16.1.4.11", 184, port_counters_extended_fields)
MAD_PART(port_rcv_error_details_protocol, "infiniband.portrcverrordetails", "PortRcvErrorDetails",
	 "IBTA vol. 1, 16.1.4.1", 16, port_rcv_error_details_fields)
MAD_PART(port_xmit_discard_details_protocol, "infiniband.portxmitdiscarddetails", "PortXmitDiscardDetails",
	 "IBTA vol. 1, 16.1.4.2", 12, port_xmit_discard_details_fields)
MAD_PART(port_data_sl_protocol, "infiniband.portdatasl", "Port Data per SL", "IBTA vol. 1, 16.1.4", 4, port_data_sl_fields)
MAD_PART(port_xmit_data_sl_protocol, "infiniband.portxmitdatasl", "PortXmitDataSL",
	 "IBTA vol. 1, 16.1.4", 4, port_xmit_data_sl_fields)
MAD_PART(port_rcv_data_sl_protocol, "infiniband.portrcvdatasl", "PortRcvDataSL",
	 "IBTA vol. 1, 16.1.4", 4, port_rcv_data_sl_fields)
MAD_PART(port_samples_control_protocol, "infiniband.portsamplescontrol", "PortSamplesControl",
	 "IBTA vol. 1, 16.1.3.2", 80, port_samples_control_fields)
MAD_PART(port_samples_result_protocol, "infiniband.portsamplesresult", "PortSamplesResult",
	 "IBTA vol. 1, 16.1.3.4", 4, port_samples_result_fields)
MAD_PART(port_sample_counter_protocol, "infiniband.portsamplesresult.counters", "PortSamplesResult Counter",
	 "IBTA vol. 1, 16.1.3.4", 4, port_sample_counter_fields)
