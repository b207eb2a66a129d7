/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of subnet administration: paths, multicast groups, traces and associations. IBTA vol. 1, 15.2.5.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"

/* IBTA vol. 1, 15.2.5.16 */
static const struct rtap_name selectors[] = {
	{ 0, "greater than" }, { 1, "less than" }, { 2, "exactly" }, { 3, "largest available" }, { 0, NULL },
};

static const struct rtap_name lifetime_selectors[] = {
	{ 0, "greater than" }, { 1, "less than" }, { 2, "exactly" }, { 3, "smallest available" }, { 0, NULL },
};

/* IBTA vol. 1, 4.1.1 */
static const struct rtap_name scopes[] = {
	{ 1, "interface-local" }, { 2, "link-local" }, { 5, "site-local" }, { 8, "organization-local" }, { 14, "global" }, { 0, NULL },
};

/* Rows of headers that may occur several times in a MAD */
#define UNIT(name, label, at, width, show) { name, label, at, width, RTAP_##show, RTAP_REPEATS, NULL, NULL, NULL }
#define UNIT_NAMED(name, label, at, width, show, names) { name, label, at, width, RTAP_##show, RTAP_REPEATS, names, NULL, NULL }

static const struct rtap_field path_record_fields[] = {
	UNIT("infiniband.pathrecord.serviceid", "ServiceID", 0, 64, HEX),
	UNIT("infiniband.pathrecord.dgid", "DGID", 64, 128, IPV6),
	UNIT("infiniband.pathrecord.sgid", "SGID", 192, 128, IPV6),
	{ "infiniband.pathrecord.dlid", "DLID", 320, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.pathrecord.slid", "SLID", 336, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.pathrecord.rawtraffic", "RawTraffic", 352, 1, HEX),
	UNIT("infiniband.pathrecord.reserved0", "Reserved", 353, 3, HEX),
	UNIT("infiniband.pathrecord.flowlabel", "FlowLabel", 356, 20, HEX),
	UNIT("infiniband.pathrecord.hoplimit", "HopLimit", 376, 8, HEX),
	UNIT("infiniband.pathrecord.tclass", "TClass", 384, 8, HEX),
	UNIT("infiniband.pathrecord.reversible", "Reversible", 392, 1, HEX),
	UNIT("infiniband.pathrecord.numbpath", "NumbPath", 393, 7, HEX),
	UNIT("infiniband.pathrecord.p_key", "P_Key", 400, 16, HEX),
	UNIT("infiniband.pathrecord.qosclass", "QoSClass", 416, 12, HEX),
	UNIT("infiniband.pathrecord.sl", "SL", 428, 4, HEX16),
	UNIT_NAMED("infiniband.pathrecord.mtuselector", "MTUSelector", 432, 2, HEX, selectors),
	UNIT_NAMED("infiniband.pathrecord.mtu", "MTU", 434, 6, HEX, mad_mtus),
	UNIT_NAMED("infiniband.pathrecord.rateselector", "RateSelector", 440, 2, HEX, selectors),
	UNIT_NAMED("infiniband.pathrecord.rate", "Rate", 442, 6, HEX, mad_rates),
	{ "infiniband.pathrecord.packetlifetimeselector", "PacketLifeTimeSelector", 448, 2, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED,
	  lifetime_selectors, NULL, NULL },
	{ "infiniband.pathrecord.packetlifetime", "PacketLifeTime", 450, 6, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.pathrecord.preference", "Preference", 456, 8, HEX),
	UNIT("infiniband.pathrecord.reserved1", "Reserved", 464, 48, HEX),
};

static const struct rtap_field multi_path_record_fields[] = {
	UNIT("infiniband.multipathrecord.rawtraffic", "RawTraffic", 0, 1, HEX),
	UNIT("infiniband.multipathrecord.reserved0", "Reserved", 1, 3, HEX),
	UNIT("infiniband.multipathrecord.flowlabel", "FlowLabel", 4, 20, HEX),
	UNIT("infiniband.multipathrecord.hoplimit", "HopLimit", 24, 8, HEX),
	UNIT("infiniband.multipathrecord.tclass", "TClass", 32, 8, HEX),
	UNIT("infiniband.multipathrecord.reversible", "Reversible", 40, 1, HEX),
	UNIT("infiniband.multipathrecord.numbpath", "NumbPath", 41, 7, HEX),
	UNIT("infiniband.multipathrecord.p_key", "P_Key", 48, 16, HEX),
	UNIT("infiniband.multipathrecord.qosclass", "QoSClass", 64, 12, HEX),
	UNIT("infiniband.multipathrecord.sl", "SL", 76, 4, HEX),
	UNIT_NAMED("infiniband.multipathrecord.mtuselector", "MTUSelector", 80, 2, HEX, selectors),
	UNIT_NAMED("infiniband.multipathrecord.mtu", "MTU", 82, 6, HEX, mad_mtus),
	UNIT_NAMED("infiniband.multipathrecord.rateselector", "RateSelector", 88, 2, HEX, selectors),
	UNIT_NAMED("infiniband.multipathrecord.rate", "Rate", 90, 6, HEX, mad_rates),
	{ "infiniband.multipathrecord.packetlifetimeselector", "PacketLifeTimeSelector", 96, 2, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED,
	  lifetime_selectors, NULL, NULL },
	{ "infiniband.multipathrecord.packetlifetime", "PacketLifeTime", 98, 6, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.multipathrecord.serviceid8msb", "ServiceID, 8 most significant bits", 104, 8, HEX),
	UNIT("infiniband.multipathrecord.independenceselector", "IndependenceSelector", 112, 2, HEX),
	UNIT("infiniband.multipathrecord.gidscope", "GIDScope", 114, 6, HEX),
	UNIT("infiniband.multipathrecord.sgidcount", "SGIDCount", 120, 8, HEX),
	UNIT("infiniband.multipathrecord.dgidcount", "DGIDCount", 128, 8, HEX),
	UNIT("infiniband.multipathrecord.serviceid56lsb", "ServiceID, 56 least significant bits", 136, 56, HEX),
};

static const struct rtap_field multi_path_gid_fields[] = {
	UNIT("infiniband.multipathrecord.sdgid", "SDGID", 0, 128, IPV6),
};

static const struct rtap_field mc_member_record_fields[] = {
	UNIT("infiniband.mcmemberrecord.mgid", "MGID", 0, 128, IPV6),
	UNIT("infiniband.mcmemberrecord.portgid", "PortGID", 128, 128, IPV6),
	{ "infiniband.mcmemberrecord.q_key", "Q_Key", 256, 32, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.mcmemberrecord.mlid", "MLID", 288, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT_NAMED("infiniband.mcmemberrecord.mtuselector", "MTUSelector", 304, 2, HEX, selectors),
	UNIT_NAMED("infiniband.mcmemberrecord.mtu", "MTU", 306, 6, HEX, mad_mtus),
	UNIT("infiniband.mcmemberrecord.tclass", "TClass", 312, 8, HEX),
	UNIT("infiniband.mcmemberrecord.p_key", "P_Key", 320, 16, HEX),
	UNIT_NAMED("infiniband.mcmemberrecord.rateselector", "RateSelector", 336, 2, HEX, selectors),
	UNIT_NAMED("infiniband.mcmemberrecord.rate", "Rate", 338, 6, HEX, mad_rates),
	{ "infiniband.mcmemberrecord.packetlifetimeselector", "PacketLifeTimeSelector", 344, 2, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED,
	  lifetime_selectors, NULL, NULL },
	{ "infiniband.mcmemberrecord.packetlifetime", "PacketLifeTime", 346, 6, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.mcmemberrecord.sl", "SL", 352, 4, HEX),
	UNIT("infiniband.mcmemberrecord.flowlabel", "FlowLabel", 356, 20, HEX),
	UNIT("infiniband.mcmemberrecord.hoplimit", "HopLimit", 376, 8, HEX),
	UNIT_NAMED("infiniband.mcmemberrecord.scope", "Scope", 384, 4, HEX, scopes),
	UNIT("infiniband.mcmemberrecord.joinstate", "JoinState", 388, 4, HEX),
	UNIT("infiniband.mcmemberrecord.proxyjoin", "ProxyJoin", 392, 1, HEX),
	UNIT("infiniband.mcmemberrecord.reserved0", "Reserved", 393, 7, HEX),
	UNIT("infiniband.mcmemberrecord.reserved1", "Reserved", 400, 16, HEX),
};

static const struct rtap_field trace_record_fields[] = {
	UNIT("infiniband.tracerecord.gidprefix", "GidPrefix", 0, 64, HEX),
	UNIT("infiniband.tracerecord.idgeneration", "IDGeneration", 64, 16, HEX),
	UNIT("infiniband.tracerecord.reserved0", "Reserved", 80, 8, HEX),
	UNIT_NAMED("infiniband.tracerecord.nodetype", "NodeType", 88, 8, HEX, mad_node_types),
	UNIT("infiniband.tracerecord.nodeid", "NodeID", 96, 64, HEX),
	UNIT("infiniband.tracerecord.chassisid", "ChassisID", 160, 64, HEX),
	UNIT("infiniband.tracerecord.entryportid", "EntryPortID", 224, 64, HEX),
	UNIT("infiniband.tracerecord.exitportid", "ExitPortID", 288, 64, HEX),
	UNIT("infiniband.tracerecord.entryport", "EntryPort", 352, 8, HEX),
	UNIT("infiniband.tracerecord.exitport", "ExitPort", 360, 8, HEX),
};

static bool derive_servicename(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return mad_derive_text(packet, layer, value, 16, 64);
}

static const struct rtap_field service_association_record_fields[] = {
	UNIT("infiniband.serviceassociationrecord.servicekey", "ServiceKey", 0, 128, BYTES),
	{ "infiniband.serviceassociationrecord.servicename", "ServiceName", 128, 512, RTAP_TEXT, RTAP_REPEATS, NULL, derive_servicename, NULL },
};

MAD_PART(path_record_protocol, "infiniband.pathrecord", "PathRecord", "IBTA vol. 1, 15.2.5.16", 64, path_record_fields)
MAD_PART(multi_path_record_protocol, "infiniband.multipathrecord", "MultiPathRecord",
	 "IBTA vol. 1, 15.2.5.20", 24, multi_path_record_fields)
MAD_PART(multi_path_gid_protocol, "infiniband.multipathrecord.gid", "MultiPathRecord GID",
	 "IBTA vol. 1, 15.2.5.20", 16, multi_path_gid_fields)
MAD_PART(mc_member_record_protocol, "infiniband.mcmemberrecord", "MCMemberRecord",
	 "IBTA vol. 1, 15.2.5.17", 52, mc_member_record_fields)
MAD_PART(trace_record_protocol, "infiniband.tracerecord", "TraceRecord", "IBTA vol. 1, 15.2.5.19", 46, trace_record_fields)
MAD_PART(service_association_record_protocol, "infiniband.serviceassociationrecord", "ServiceAssociationRecord",
	 "IBTA vol. 1, 15.2.5.15", 80, service_association_record_fields)
