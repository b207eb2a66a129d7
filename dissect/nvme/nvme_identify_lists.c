/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of Identify: lists, and structures of I/O command sets. Base, 5.17.2; NVM, 4.1.5; ZNS, 4.1.5.
 */
#include "config.h"

#include "dissect/nvme/nvme_structure.h"

#define BULK(name, at, length) { name, "Reserved", NVME_BYTES(at, length), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL }
#define EACH_BULK(name, at, length) { name, "Reserved", NVME_BYTES(at, length), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL }
#define EACH_BYTES(name, label, at, length) { name, label, NVME_BYTES(at, length), RTAP_BYTES, RTAP_REPEATS, NULL, NULL, NULL }

/* NVM Set List: Base, 5.17.2.4. */
static const struct rtap_field nvm_set_list_fields[] = {
	NVME_ROW("nvme.cmd.identify.nvmset.nid", "Number of NVM Sets", NVME_BYTES(0, 1), RTAP_DEC, NULL),
	BULK("nvme.cmd.identify.nvmset.rsvd1", 1, 127),
};

NVME_STRUCTURE(nvm_set_list, NVM_SET_LIST, "nvme.cmd.identify.nvmset", "NVMe NVM Set List", "Base, 5.17.2.4", 128, PROTOCOL_NVME_NVM_SETS)

static const struct rtap_field nvm_sets_fields[] = {
	NVME_EACH("nvme.cmd.identify.nvmset.entry.nvmsetid", "NVM Set Identifier", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.nvmset.entry.endgid", "Endurance Group Identifier", NVME_BYTES(2, 2), RTAP_DEC, NULL),
	EACH_BULK("nvme.cmd.identify.nvmset.entry.rsvd4", 4, 4),
	NVME_EACH("nvme.cmd.identify.nvmset.entry.rr4kt", "Typical Time of a Random 4 KiB Read (100 ns)", NVME_BYTES(8, 4), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.nvmset.entry.ows", "Optimal Write Size (bytes)", NVME_BYTES(12, 4), RTAP_DEC, NULL),
	EACH_BYTES("nvme.cmd.identify.nvmset.entry.tnvmsetcap", "Total Capacity (bytes)", 16, 16),
	EACH_BYTES("nvme.cmd.identify.nvmset.entry.unvmsetcap", "Unallocated Capacity (bytes)", 32, 16),
	EACH_BULK("nvme.cmd.identify.nvmset.entry.rsvd48", 48, 80),
};

NVME_ELEMENTS(nvm_sets, NVM_SETS, "nvme.cmd.identify.nvmset.entry", "NVMe NVM Sets", "Base, 5.17.2.4", 128, true)

/* Secondary Controller List: Base, 5.17.2.15. */
static const struct rtap_field secondary_list_fields[] = {
	NVME_ROW("nvme.cmd.identify.secondary.num", "Number of Secondary Controllers", NVME_BYTES(0, 1), RTAP_DEC, NULL),
	BULK("nvme.cmd.identify.secondary.rsvd1", 1, 31),
};

NVME_STRUCTURE(secondary_list, SECONDARY_LIST, "nvme.cmd.identify.secondary", "NVMe Secondary Controller List", "Base, 5.17.2.15", 32,
	PROTOCOL_NVME_SECONDARY_CONTROLLERS)

static const struct rtap_name secondary_state_names[] = { { 0, "offline" }, { 1, "online" }, { 0, NULL } };

static const struct rtap_field secondary_controllers_fields[] = {
	NVME_EACH("nvme.cmd.identify.secondary.entry.scid", "Secondary Controller Identifier", NVME_BYTES(0, 2), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.identify.secondary.entry.pcid", "Primary Controller Identifier", NVME_BYTES(2, 2), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.identify.secondary.entry.scs", "State", NVME_BITS(4, 0, 1), RTAP_DEC, secondary_state_names),
	NVME_EACH_RESERVED("nvme.cmd.identify.secondary.entry.rsvd4_1", NVME_BITS(4, 1, 7)),
	EACH_BULK("nvme.cmd.identify.secondary.entry.rsvd5", 5, 3),
	NVME_EACH("nvme.cmd.identify.secondary.entry.vfn", "Virtual Function Number", NVME_BYTES(8, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.secondary.entry.nvq", "VQ Flexible Resources Assigned", NVME_BYTES(10, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.secondary.entry.nvi", "VI Flexible Resources Assigned", NVME_BYTES(12, 2), RTAP_DEC, NULL),
	EACH_BULK("nvme.cmd.identify.secondary.entry.rsvd14", 14, 18),
};

NVME_ELEMENTS(secondary_controllers, SECONDARY_CONTROLLERS, "nvme.cmd.identify.secondary.entry", "NVMe Secondary Controllers", "Base, 5.17.2.15", 32,
	true)

/* Namespace Granularity List: NVM, 4.1.5.5. */
static const struct rtap_field granularity_list_fields[] = {
	NVME_WHOLE("nvme.cmd.identify.granularity.nga", "Namespace Granularity Attributes", NVME_BYTES(0, 4)),
	NVME_ROW("nvme.cmd.identify.granularity.nga.gdm", "A Descriptor for Each LBA Format", NVME_BITS(0, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.granularity.rsvd0_1", NVME_BITS(0, 1, 31)),
	NVME_ROW("nvme.cmd.identify.granularity.nod", "Number of Descriptors less 1", NVME_BYTES(4, 1), RTAP_DEC, NULL),
	BULK("nvme.cmd.identify.granularity.rsvd5", 5, 27),
};

NVME_STRUCTURE(granularity_list, GRANULARITY_LIST, "nvme.cmd.identify.granularity", "NVMe Namespace Granularity List", "NVM, 4.1.5.5", 32,
	PROTOCOL_NVME_GRANULARITIES)

static const struct rtap_field granularities_fields[] = {
	NVME_EACH("nvme.cmd.identify.granularity.entry.nszg", "Namespace Size Granularity (bytes)", NVME_BYTES(0, 8), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.granularity.entry.ncapg", "Namespace Capacity Granularity (bytes)", NVME_BYTES(8, 8), RTAP_DEC, NULL),
};

NVME_ELEMENTS(granularities, GRANULARITIES, "nvme.cmd.identify.granularity.entry", "NVMe Namespace Granularities", "NVM, 4.1.5.5", 16, true)

/* UUID List: Base, 5.17.2.17. The first entry has index 1. */
static const struct rtap_field uuid_list_fields[] = { BULK("nvme.cmd.identify.uuid.rsvd0", 0, 32) };

NVME_STRUCTURE(uuid_list, UUID_LIST, "nvme.cmd.identify.uuid", "NVMe UUID List", "Base, 5.17.2.17", 32, PROTOCOL_NVME_UUIDS)

static const struct rtap_name association_names[] = { { 0, "none" }, { 1, "PCI vendor" }, { 2, "PCI subsystem vendor" }, { 0, NULL } };

static const struct rtap_field uuids_fields[] = {
	NVME_EACH("nvme.cmd.identify.uuid.entry.assoc", "Identifier Association", NVME_BITS(0, 0, 2), RTAP_DEC, association_names),
	NVME_EACH_RESERVED("nvme.cmd.identify.uuid.entry.rsvd0_2", NVME_BITS(0, 2, 6)),
	EACH_BULK("nvme.cmd.identify.uuid.entry.rsvd1", 1, 15),
	EACH_BYTES("nvme.cmd.identify.uuid.entry.uuid", "UUID", 16, 16),
};

NVME_ELEMENTS(uuids, UUIDS, "nvme.cmd.identify.uuid.entry", "NVMe UUIDs", "Base, 5.17.2.17", 32, true)

/* Domain List: Base, 5.17.2.18. */
static const struct rtap_field domain_list_fields[] = {
	NVME_ROW("nvme.cmd.identify.domain.nde", "Number of Domains", NVME_BYTES(0, 1), RTAP_DEC, NULL),
	BULK("nvme.cmd.identify.domain.rsvd1", 1, 127),
};

NVME_STRUCTURE(domain_list, DOMAIN_LIST, "nvme.cmd.identify.domain", "NVMe Domain List", "Base, 5.17.2.18", 128, PROTOCOL_NVME_DOMAINS)

static const struct rtap_field domains_fields[] = {
	NVME_EACH("nvme.cmd.identify.domain.entry.id", "Domain Identifier", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	EACH_BULK("nvme.cmd.identify.domain.entry.rsvd2", 2, 14),
	EACH_BYTES("nvme.cmd.identify.domain.entry.dcap", "Capacity (bytes)", 16, 16),
	EACH_BYTES("nvme.cmd.identify.domain.entry.udcap", "Unallocated Capacity (bytes)", 32, 16),
	EACH_BYTES("nvme.cmd.identify.domain.entry.megdc", "Maximum Endurance Group Capacity (bytes)", 48, 16),
	EACH_BULK("nvme.cmd.identify.domain.entry.rsvd64", 64, 64),
};

NVME_ELEMENTS(domains, DOMAINS, "nvme.cmd.identify.domain.entry", "NVMe Domains", "Base, 5.17.2.18", 128, true)

/* Endurance Group List: Base, 5.17.2.19. */
static const struct rtap_field endurance_list_fields[] = {
	NVME_ROW("nvme.cmd.identify.endgrp.nid", "Number of Identifiers", NVME_BYTES(0, 2), RTAP_DEC, NULL),
};

NVME_STRUCTURE(endurance_list, ENDURANCE_LIST, "nvme.cmd.identify.endgrp", "NVMe Endurance Group List", "Base, 5.17.2.19", 2,
	PROTOCOL_NVME_ENDURANCE_IDENTIFIERS)

static const struct rtap_field endurance_identifiers_fields[] = {
	NVME_EACH("nvme.cmd.identify.endgrp.endgid", "Endurance Group Identifier", NVME_BYTES(0, 2), RTAP_DEC, NULL),
};

NVME_ELEMENTS(endurance_identifiers, ENDURANCE_IDENTIFIERS, "nvme.cmd.identify.endgrp.entry", "NVMe Endurance Groups", "Base, 5.17.2.19", 2, true)

/* I/O Command Set Combinations: Base, 5.17.2.21. Their index is the value of the I/O Command Set Profile feature. */
static const struct rtap_field command_sets_fields[] = {
	NVME_EACH_WHOLE("nvme.cmd.identify.iocs.iocsc", "I/O Command Set Combination", NVME_BYTES(0, 8)),
	NVME_EACH("nvme.cmd.identify.iocs.iocsc.nvm", "NVM Command Set", NVME_BITS(0, 0, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.identify.iocs.iocsc.kv", "Key Value Command Set", NVME_BITS(0, 1, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.identify.iocs.iocsc.zns", "Zoned Namespace Command Set", NVME_BITS(0, 2, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.iocs.rsvd0_3", NVME_BITS(0, 3, 61)),
};

NVME_ELEMENTS(command_sets, COMMAND_SETS, "nvme.cmd.identify.iocs", "NVMe I/O Command Set Combinations", "Base, 5.17.2.21", 8, true)

/* Primary Controller Capabilities: Base, 5.17.2.14. */
static const struct rtap_field primary_fields[] = {
	NVME_ROW("nvme.cmd.identify.primary.cntlid", "Controller Identifier", NVME_BYTES(0, 2), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.identify.primary.portid", "Port Identifier", NVME_BYTES(2, 2), RTAP_HEX, NULL),
	NVME_WHOLE("nvme.cmd.identify.primary.crt", "Controller Resource Types", NVME_BYTES(4, 1)),
	NVME_ROW("nvme.cmd.identify.primary.crt.vq", "VQ Resources", NVME_BITS(4, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.primary.crt.vi", "VI Resources", NVME_BITS(4, 1, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.primary.rsvd4_2", NVME_BITS(4, 2, 6)),
	BULK("nvme.cmd.identify.primary.rsvd5", 5, 27),
	NVME_ROW("nvme.cmd.identify.primary.vqfrt", "VQ Flexible Resources", NVME_BYTES(32, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.primary.vqrfa", "VQ Flexible Resources Assigned", NVME_BYTES(36, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.primary.vqrfap", "VQ Flexible Resources of the Primary Controller", NVME_BYTES(40, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.primary.vqprt", "VQ Private Resources", NVME_BYTES(42, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.primary.vqfrsm", "VQ Flexible Resources, Most of a Secondary Controller", NVME_BYTES(44, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.primary.vqgran", "VQ Flexible Resource Granularity", NVME_BYTES(46, 2), RTAP_DEC, NULL),
	BULK("nvme.cmd.identify.primary.rsvd48", 48, 16),
	NVME_ROW("nvme.cmd.identify.primary.vifrt", "VI Flexible Resources", NVME_BYTES(64, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.primary.virfa", "VI Flexible Resources Assigned", NVME_BYTES(68, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.primary.virfap", "VI Flexible Resources of the Primary Controller", NVME_BYTES(72, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.primary.viprt", "VI Private Resources", NVME_BYTES(74, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.primary.vifrsm", "VI Flexible Resources, Most of a Secondary Controller", NVME_BYTES(76, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.primary.vigran", "VI Flexible Resource Granularity", NVME_BYTES(78, 2), RTAP_DEC, NULL),
	BULK("nvme.cmd.identify.primary.rsvd80", 80, 4016),
};

NVME_STRUCTURE(primary, PRIMARY, "nvme.cmd.identify.primary", "NVMe Primary Controller Capabilities", "Base, 5.17.2.14", 4096, PROTOCOL_PAYLOAD)

/* Identify Namespace, independent of the I/O command set: Base, 5.17.2.8. */
static const struct rtap_field independent_fields[] = {
	NVME_WHOLE("nvme.cmd.identify.ns_independent.nsfeat", "Common Namespace Features", NVME_BYTES(0, 1)),
	NVME_RESERVED("nvme.cmd.identify.ns_independent.rsvd0", NVME_BITS(0, 0, 3)),
	NVME_ROW("nvme.cmd.identify.ns_independent.nsfeat.uidreuse", "Identifiers Are Not Used Again", NVME_BITS(0, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.nsfeat.rmedia", "Rotational Media", NVME_BITS(0, 4, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns_independent.rsvd0_5", NVME_BITS(0, 5, 3)),
	NVME_WHOLE("nvme.cmd.identify.ns_independent.nmic", "Multi-Path I/O and Sharing", NVME_BYTES(1, 1)),
	NVME_ROW("nvme.cmd.identify.ns_independent.nmic.shared", "Shared", NVME_BITS(1, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns_independent.rsvd1_1", NVME_BITS(1, 1, 7)),
	NVME_WHOLE("nvme.cmd.identify.ns_independent.rescap", "Reservation Capabilities", NVME_BYTES(2, 1)),
	NVME_ROW("nvme.cmd.identify.ns_independent.rescap.ptpl", "Persist Through Power Loss", NVME_BITS(2, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.rescap.wex", "Write Exclusive", NVME_BITS(2, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.rescap.eac", "Exclusive Access", NVME_BITS(2, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.rescap.wero", "Write Exclusive, Registrants Only", NVME_BITS(2, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.rescap.earo", "Exclusive Access, Registrants Only", NVME_BITS(2, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.rescap.wear", "Write Exclusive, All Registrants", NVME_BITS(2, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.rescap.eaar", "Exclusive Access, All Registrants", NVME_BITS(2, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.rescap.iekey", "Ignore Existing Key as of 1.3", NVME_BITS(2, 7, 1), RTAP_BOOL, NULL),
	NVME_WHOLE("nvme.cmd.identify.ns_independent.fpi", "Format Progress Indicator", NVME_BYTES(3, 1)),
	NVME_ROW("nvme.cmd.identify.ns_independent.fpi.remaining", "Percentage Remaining", NVME_BITS(3, 0, 7), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.fpi.supported", "Supported", NVME_BITS(3, 7, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.anagrpid", "ANA Group Identifier", NVME_BYTES(4, 4), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ns_independent.nsattr", "Namespace Attributes", NVME_BYTES(8, 1)),
	NVME_ROW("nvme.cmd.identify.ns_independent.nsattr.wp", "Write Protected", NVME_BITS(8, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns_independent.rsvd8_1", NVME_BITS(8, 1, 7)),
	NVME_RESERVED("nvme.cmd.identify.ns_independent.rsvd9", NVME_BYTES(9, 1)),
	NVME_ROW("nvme.cmd.identify.ns_independent.nvmsetid", "NVM Set Identifier", NVME_BYTES(10, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_independent.endgid", "Endurance Group Identifier", NVME_BYTES(12, 2), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ns_independent.nstat", "Namespace Status", NVME_BYTES(14, 1)),
	NVME_ROW("nvme.cmd.identify.ns_independent.nstat.nrdy", "Ready", NVME_BITS(14, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns_independent.rsvd14_1", NVME_BITS(14, 1, 7)),
	BULK("nvme.cmd.identify.ns_independent.rsvd15", 15, 4081),
};

NVME_STRUCTURE(independent, INDEPENDENT, "nvme.cmd.identify.ns_independent", "NVMe Identify Namespace, all Command Sets", "Base, 5.17.2.8", 4096,
	PROTOCOL_PAYLOAD)

/* The layer has the formats up to the last that is not zero. */
static enum result parse_formats(struct parse *parse, uint16_t protocol, uint32_t stride)
{
	const struct cursor *cursor = &parse->cursor;
	uint32_t end = cursor->captured < NVME_FORMATS * stride ? cursor->captured : NVME_FORMATS * stride, length = 0;

	for (uint32_t at = 0; at < end; at++)
		if (cursor->next[at])
			length = (at / stride + 1) * stride;
	if (!length) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	return structure_parse(parse, protocol, length, PROTOCOL_PAYLOAD);
}

#define FORMATS(name, identifier, filter, label, section, stride) \
	static enum result parse_##name(struct parse *parse) \
	{ \
		return parse_formats(parse, PROTOCOL_NVME_##identifier, stride); \
	} \
	static void visit_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor) \
	{ \
		visit_units(packet, layer, visitor, stride); \
	} \
	const struct protocol nvme_##name##_protocol = { \
		.table = { filter, label, section, stride, FIELDS(name##_fields), .in_units = true }, \
		.scope = SCOPE_CALL, \
		.parse = parse_##name, \
		.visit = visit_##name, \
	};

/* Identify Namespace of the NVM Command Set: NVM, 4.1.5.3. */
static const struct rtap_field namespace_nvm_fields[] = {
	NVME_ROW("nvme.cmd.identify.ns_nvm.lbstm", "Logical Block Storage Tag Mask", NVME_BYTES(0, 8), RTAP_HEX, NULL),
	NVME_WHOLE("nvme.cmd.identify.ns_nvm.pic", "Protection Information Capabilities", NVME_BYTES(8, 1)),
	NVME_ROW("nvme.cmd.identify.ns_nvm.pic.pifs16", "16-bit Guard with Storage Tags", NVME_BITS(8, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_nvm.pic.stcfs16", "16-bit Guard: Mask of All Bits or None", NVME_BITS(8, 1, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns_nvm.rsvd8_2", NVME_BITS(8, 2, 6)),
	NVME_RESERVED("nvme.cmd.identify.ns_nvm.rsvd9", NVME_BYTES(9, 3)),
};

NVME_STRUCTURE(namespace_nvm, NAMESPACE_NVM, "nvme.cmd.identify.ns_nvm", "NVMe Identify Namespace, NVM Command Set", "NVM, 4.1.5.3", 12,
	PROTOCOL_NVME_EXTENDED_FORMATS)

static const struct rtap_name guard_names[] = { { 0, "16-bit" }, { 1, "32-bit" }, { 2, "64-bit" }, { 0, NULL } };

static const struct rtap_field extended_formats_fields[] = {
	NVME_EACH_WHOLE("nvme.cmd.identify.ns_nvm.elbaf", "Extended LBA Format", NVME_BYTES(0, 4)),
	NVME_EACH("nvme.cmd.identify.ns_nvm.elbaf.sts", "Storage Tag Size (bits)", NVME_BITS(0, 0, 7), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.ns_nvm.elbaf.pif", "Guard", NVME_BITS(0, 7, 2), RTAP_DEC, guard_names),
	NVME_EACH_RESERVED("nvme.cmd.identify.ns_nvm.elbaf.rsvd1_1", NVME_BITS(1, 1, 23)),
};

FORMATS(extended_formats, EXTENDED_FORMATS, "nvme.cmd.identify.ns_nvm.elbafs", "NVMe Extended LBA Formats", "NVM, 4.1.5.3", 4)

/* Identify Namespace of the Zoned Namespace Command Set: ZNS, 4.1.5.1. */
static const struct rtap_field namespace_zns_fields[] = {
	NVME_WHOLE("nvme.cmd.identify.ns_zns.zoc", "Zone Operation Characteristics", NVME_BYTES(0, 2)),
	NVME_ROW("nvme.cmd.identify.ns_zns.zoc.vzc", "Variable Zone Capacity", NVME_BITS(0, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.zoc.zae", "Zone Active Excursions", NVME_BITS(0, 1, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns_zns.rsvd0_2", NVME_BITS(0, 2, 14)),
	NVME_WHOLE("nvme.cmd.identify.ns_zns.ozcs", "Optional Zoned Command Support", NVME_BYTES(2, 2)),
	NVME_ROW("nvme.cmd.identify.ns_zns.ozcs.razb", "Reads Across Zone Boundaries", NVME_BITS(2, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.ozcs.zrwasup", "Zone Random Write Area", NVME_BITS(2, 1, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns_zns.rsvd2_2", NVME_BITS(2, 2, 14)),
	NVME_ROW("nvme.cmd.identify.ns_zns.mar", "Maximum Active Zones less 1", NVME_BYTES(4, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.mor", "Maximum Open Zones less 1", NVME_BYTES(8, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.rrl", "Reset Recommended Limit (s)", NVME_BYTES(12, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.frl", "Finish Recommended Limit (s)", NVME_BYTES(16, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.rrl1", "Reset Recommended Limit 1 (s)", NVME_BYTES(20, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.rrl2", "Reset Recommended Limit 2 (s)", NVME_BYTES(24, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.rrl3", "Reset Recommended Limit 3 (s)", NVME_BYTES(28, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.frl1", "Finish Recommended Limit 1 (s)", NVME_BYTES(32, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.frl2", "Finish Recommended Limit 2 (s)", NVME_BYTES(36, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.frl3", "Finish Recommended Limit 3 (s)", NVME_BYTES(40, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.numzrwa", "Zone Random Write Area Resources less 1", NVME_BYTES(44, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.zrwafg", "Zone Random Write Area Flush Granularity (blocks)", NVME_BYTES(48, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns_zns.zrwas", "Zone Random Write Area Size (blocks)", NVME_BYTES(50, 2), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ns_zns.zrwacap", "Zone Random Write Area Capability", NVME_BYTES(52, 1)),
	NVME_ROW("nvme.cmd.identify.ns_zns.zrwacap.expflush", "Explicit Flush", NVME_BITS(52, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns_zns.rsvd52_1", NVME_BITS(52, 1, 7)),
	BULK("nvme.cmd.identify.ns_zns.rsvd53", 53, 2763),
};

NVME_STRUCTURE(namespace_zns, NAMESPACE_ZNS, "nvme.cmd.identify.ns_zns", "NVMe Identify Namespace, Zoned", "ZNS, 4.1.5.1", 2816,
	PROTOCOL_NVME_ZONE_FORMATS)

static const struct rtap_field zone_formats_fields[] = {
	NVME_EACH("nvme.cmd.identify.ns_zns.lbafe.zsze", "Zone Size (blocks)", NVME_BYTES(0, 8), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.ns_zns.lbafe.zdes", "Zone Descriptor Extension Size (64 bytes)", NVME_BYTES(8, 1), RTAP_DEC, NULL),
	EACH_BULK("nvme.cmd.identify.ns_zns.lbafe.rsvd9", 9, 7),
};

FORMATS(zone_formats, ZONE_FORMATS, "nvme.cmd.identify.ns_zns.lbafes", "NVMe Zone Formats", "ZNS, 4.1.5.1", 16)

/* Identify Controller of the Zoned Namespace Command Set: ZNS, 4.1.5.2. */
static const struct rtap_field controller_zns_fields[] = {
	NVME_ROW("nvme.cmd.identify.ctrl_zns.zasl", "Zone Append Size Limit (log2 of pages)", NVME_BYTES(0, 1), RTAP_DEC, NULL),
	BULK("nvme.cmd.identify.ctrl_zns.rsvd1", 1, 4095),
};

NVME_STRUCTURE(controller_zns, CONTROLLER_ZNS, "nvme.cmd.identify.ctrl_zns", "NVMe Identify Controller, Zoned", "ZNS, 4.1.5.2", 4096,
	PROTOCOL_PAYLOAD)
