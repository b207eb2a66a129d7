/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of Get Log Page. Base, 5.16.1.
 */
#include "config.h"

#include "dissect/nvme/nvme_names.h"
#include "dissect/nvme/nvme_structure.h"

static const struct rtap_name transport_names[] = {
	{ 0, "not reported" }, { 1, "RDMA" }, { 2, "Fibre Channel" }, { 3, "TCP" }, { 254, "intra-host" }, { 0, NULL },
};

static const struct rtap_field error_log_fields[] = {
	NVME_EACH("nvme.cmd.get_logpage.errinf.errcnt", "Error Count", NVME_BYTES(0, 8), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.errinf.sqid", "Submission Queue Identifier", NVME_BYTES(8, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.errinf.cid", "Command Identifier", NVME_BYTES(10, 2), RTAP_HEX, NULL),
	NVME_EACH_WHOLE("nvme.cmd.get_logpage.errinf.sf", "Status Field", NVME_BYTES(12, 2)),
	NVME_EACH("nvme.cmd.get_logpage.errinf.sf.ptag", "Phase Tag", NVME_BITS(12, 0, 1), RTAP_HEX16, NULL),
	NVME_EACH("nvme.cmd.get_logpage.errinf.sf.val", "Status", NVME_BITS(12, 1, 15), RTAP_HEX, NULL),
	NVME_EACH_WHOLE("nvme.cmd.get_logpage.errinf.pel", "Parameter Error Location", NVME_BYTES(14, 2)),
	NVME_EACH("nvme.cmd.get_logpage.errinf.pel.bytee", "Byte of the Command", NVME_BYTES(14, 1), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.errinf.pel.bite", "Bit of the Byte", NVME_BITS(15, 0, 3), RTAP_DEC, NULL),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.errinf.rsvd15_3", NVME_BITS(15, 3, 5)),
	NVME_EACH("nvme.cmd.get_logpage.errinf.lba", "LBA", NVME_BYTES(16, 8), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.get_logpage.errinf.nsid", "Namespace Identifier", NVME_BYTES(24, 4), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.get_logpage.errinf.vsi", "Vendor Specific Information Available", NVME_BYTES(28, 1), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.get_logpage.errinf.trype", "Transport Type", NVME_BYTES(29, 1), RTAP_HEX, transport_names),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.errinf.rsvd30", NVME_BYTES(30, 2)),
	NVME_EACH("nvme.cmd.get_logpage.errinf.csi", "Command Specific Information", NVME_BYTES(32, 8), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.get_logpage.errinf.tsi", "Transport Type Specific Information", NVME_BYTES(40, 2), RTAP_HEX, NULL),
	{ "nvme.cmd.get_logpage.errinf.rsvd42", "Reserved", NVME_BYTES(42, 22), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
};

NVME_ELEMENTS(error_log, ERROR_LOG, "nvme.cmd.get_logpage.errinf", "NVMe Error Information", "Base, 5.16.1.2", 64, true)

static const struct rtap_field smart_log_fields[] = {
	NVME_WHOLE("nvme.cmd.get_logpage.smart.cw", "Critical Warning", NVME_BYTES(0, 1)),
	NVME_ROW("nvme.cmd.get_logpage.smart.cw.sc", "Spare Capacity Below Threshold", NVME_BITS(0, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.cw.temp", "Temperature Crossed a Threshold", NVME_BITS(0, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.cw.sme", "Reliability Degraded", NVME_BITS(0, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.cw.ro", "Media Are Read-Only", NVME_BITS(0, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.cw.bdf", "Backup of Volatile Memory Failed", NVME_BITS(0, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.cw.mrro", "Persistent Memory Region Is Read-Only", NVME_BITS(0, 5, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.smart.rsvd0_6", NVME_BITS(0, 6, 2)),
	NVME_ROW("nvme.cmd.get_logpage.smart.ct", "Composite Temperature (K)", NVME_BYTES(1, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.asc", "Available Spare (%)", NVME_BYTES(3, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.ast", "Available Spare Threshold (%)", NVME_BYTES(4, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.lae", "Percentage Used", NVME_BYTES(5, 1), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.get_logpage.smart.egcws", "Endurance Group Critical Warning", NVME_BYTES(6, 1)),
	NVME_ROW("nvme.cmd.get_logpage.smart.egcws.sc", "Spare Capacity Below Threshold", NVME_BITS(6, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.smart.rsvd6_1", NVME_BITS(6, 1, 1)),
	NVME_ROW("nvme.cmd.get_logpage.smart.egcws.me", "Reliability Degraded", NVME_BITS(6, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.egcws.ro", "A Namespace Is Read-Only", NVME_BITS(6, 3, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.smart.rsvd6_4", NVME_BITS(6, 4, 4)),
	{ "nvme.cmd.get_logpage.smart.rsvd7", "Reserved", NVME_BYTES(7, 25), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.smart.dur", "Data Units Read (1,000 times 512 bytes)", NVME_BYTES(32, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.smart.duw", "Data Units Written (1,000 times 512 bytes)", NVME_BYTES(48, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.smart.hrc", "Host Read Commands", NVME_BYTES(64, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.smart.hwc", "Host Write Commands", NVME_BYTES(80, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.smart.cbt", "Controller Busy Time (min)", NVME_BYTES(96, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.smart.pc", "Power Cycles", NVME_BYTES(112, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.smart.poh", "Power On Hours", NVME_BYTES(128, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.smart.us", "Unsafe Shutdowns", NVME_BYTES(144, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.smart.mie", "Media and Data Integrity Errors", NVME_BYTES(160, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.smart.ele", "Error Information Log Entries", NVME_BYTES(176, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.get_logpage.smart.wctt", "Warning Composite Temperature Time (min)", NVME_BYTES(192, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.cctt", "Critical Composite Temperature Time (min)", NVME_BYTES(196, 4), RTAP_DEC, NULL),
	{ "nvme.cmd.get_logpage.smart.ts", "Temperature Sensors", NVME_BYTES(200, 16), RTAP_BYTES, RTAP_PARTS | RTAP_BULK, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.get_logpage.smart.ts.s1", "Temperature Sensor 1 (K)", NVME_BYTES(200, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.ts.s2", "Temperature Sensor 2 (K)", NVME_BYTES(202, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.ts.s3", "Temperature Sensor 3 (K)", NVME_BYTES(204, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.ts.s4", "Temperature Sensor 4 (K)", NVME_BYTES(206, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.ts.s5", "Temperature Sensor 5 (K)", NVME_BYTES(208, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.ts.s6", "Temperature Sensor 6 (K)", NVME_BYTES(210, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.ts.s7", "Temperature Sensor 7 (K)", NVME_BYTES(212, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.ts.s8", "Temperature Sensor 8 (K)", NVME_BYTES(214, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.tmt1c", "Thermal Management Temperature 1 Transitions", NVME_BYTES(216, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.tmt2c", "Thermal Management Temperature 2 Transitions", NVME_BYTES(220, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.tmt1t", "Thermal Management Temperature 1 Time (s)", NVME_BYTES(224, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.smart.tmt2t", "Thermal Management Temperature 2 Time (s)", NVME_BYTES(228, 4), RTAP_DEC, NULL),
	{ "nvme.cmd.get_logpage.smart.rsvd232", "Reserved", NVME_BYTES(232, 280), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(smart_log, SMART_LOG, "nvme.cmd.get_logpage.smart", "NVMe SMART / Health Information", "Base, 5.16.1.3", 512, PROTOCOL_PAYLOAD)

NVME_TEXT(slot1, 8, 8)
NVME_TEXT(slot2, 16, 8)
NVME_TEXT(slot3, 24, 8)
NVME_TEXT(slot4, 32, 8)
NVME_TEXT(slot5, 40, 8)
NVME_TEXT(slot6, 48, 8)
NVME_TEXT(slot7, 56, 8)

static const struct rtap_field firmware_log_fields[] = {
	NVME_WHOLE("nvme.cmd.get_logpage.fw_slot.afi", "Active Firmware Info", NVME_BYTES(0, 1)),
	NVME_ROW("nvme.cmd.get_logpage.fw_slot.afi.afs", "Active Slot", NVME_BITS(0, 0, 3), RTAP_HEX, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.fw_slot.rsvd0_3", NVME_BITS(0, 3, 1)),
	NVME_ROW("nvme.cmd.get_logpage.fw_slot.afi.nfs", "Slot at the Next Reset", NVME_BITS(0, 4, 3), RTAP_HEX, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.fw_slot.rsvd0_7", NVME_BITS(0, 7, 1)),
	{ "nvme.cmd.get_logpage.fw_slot.rsvd1", "Reserved", NVME_BYTES(1, 7), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.fw_slot.frs.s1", "Revision in Slot 1", NVME_BYTES(8, 8), RTAP_TEXT, 0, NULL, derive_slot1, NULL },
	{ "nvme.cmd.get_logpage.fw_slot.frs.s2", "Revision in Slot 2", NVME_BYTES(16, 8), RTAP_TEXT, 0, NULL, derive_slot2, NULL },
	{ "nvme.cmd.get_logpage.fw_slot.frs.s3", "Revision in Slot 3", NVME_BYTES(24, 8), RTAP_TEXT, 0, NULL, derive_slot3, NULL },
	{ "nvme.cmd.get_logpage.fw_slot.frs.s4", "Revision in Slot 4", NVME_BYTES(32, 8), RTAP_TEXT, 0, NULL, derive_slot4, NULL },
	{ "nvme.cmd.get_logpage.fw_slot.frs.s5", "Revision in Slot 5", NVME_BYTES(40, 8), RTAP_TEXT, 0, NULL, derive_slot5, NULL },
	{ "nvme.cmd.get_logpage.fw_slot.frs.s6", "Revision in Slot 6", NVME_BYTES(48, 8), RTAP_TEXT, 0, NULL, derive_slot6, NULL },
	{ "nvme.cmd.get_logpage.fw_slot.frs.s7", "Revision in Slot 7", NVME_BYTES(56, 8), RTAP_TEXT, 0, NULL, derive_slot7, NULL },
	{ "nvme.cmd.get_logpage.fw_slot.rsvd64", "Reserved", NVME_BYTES(64, 448), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(firmware_log, FIRMWARE_LOG, "nvme.cmd.get_logpage.fw_slot", "NVMe Firmware Slot Information", "Base, 5.16.1.4", 512, PROTOCOL_PAYLOAD)

static const struct rtap_field changed_namespaces_fields[] = {
	NVME_EACH("nvme.cmd.get_logpage.changed_nslist", "Namespace Identifier", NVME_BYTES(0, 4), RTAP_HEX, NULL),
};

NVME_ELEMENTS(changed_namespaces, CHANGED_NAMESPACES, "nvme.cmd.get_logpage.changed", "NVMe Changed Namespaces", "Base, 5.16.1.5", 4, true)

/* A structure for each opcode of admin commands, then of I/O commands. */

static const struct rtap_name execution_names[] = {
	{ 0, "no restriction" }, { 1, "one at a time to a namespace" }, { 2, "one at a time" }, { 0, NULL },
};

enum { ROW_ADMIN_OPCODE = 10, ROW_IO_OPCODE };

static const struct rtap_field command_effects_fields[] = {
	NVME_EACH_WHOLE("nvme.cmd.get_logpage.cmd_and_eff.cseds", "Commands Supported and Effects", NVME_BYTES(0, 4)),
	NVME_EACH("nvme.cmd.get_logpage.cmd_and_eff.cseds.csupp", "Supported", NVME_BITS(0, 0, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.cmd_and_eff.cseds.lbcc", "Changes Logical Blocks", NVME_BITS(0, 1, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.cmd_and_eff.cseds.ncc", "Changes Namespace Capabilities", NVME_BITS(0, 2, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.cmd_and_eff.cseds.nic", "Changes the Namespace Inventory", NVME_BITS(0, 3, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.cmd_and_eff.cseds.ccc", "Changes Controller Capabilities", NVME_BITS(0, 4, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.cmd_and_eff.cseds.rsvd0_5", NVME_BITS(0, 5, 11)),
	NVME_EACH("nvme.cmd.get_logpage.cmd_and_eff.cseds.cse", "Submission and Execution", NVME_BITS(2, 0, 3), RTAP_HEX32, execution_names),
	NVME_EACH("nvme.cmd.get_logpage.cmd_and_eff.cseds.uss", "UUID Selection", NVME_BITS(2, 3, 1), RTAP_BOOL, NULL),
	/* reserved in version 1.4 */
	NVME_EACH("nvme.cmd.get_logpage.cmd_and_eff.cseds.csp", "Scope", NVME_BITS(2, 4, 12), RTAP_HEX, NULL),
	[ROW_ADMIN_OPCODE] = { "nvme.cmd.get_logpage.cmd_and_eff.admin", "Admin Opcode", 0, 8, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS,
		nvme_admin_names, NULL, NULL },
	[ROW_IO_OPCODE] = { "nvme.cmd.get_logpage.cmd_and_eff.io", "I/O Opcode", 0, 8, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS, nvme_io_names, NULL, NULL },
};

static enum result parse_command_effects(struct parse *parse)
{
	return structure_parse(parse, PROTOCOL_NVME_COMMAND_EFFECTS, 2 * NVME_CODES * NVME_CODE_LENGTH, PROTOCOL_PAYLOAD);
}

static void visit_command_effects(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	static const struct nvme_codes codes[] = { { "Admin opcode", ROW_ADMIN_OPCODE }, { "I/O opcode", ROW_IO_OPCODE } };

	nvme_visit_codes(packet, layer, visitor, codes);
}

const struct protocol nvme_command_effects_protocol = {
	.table = { "nvme.cmd.get_logpage.cmd_and_eff", "NVMe Commands Supported and Effects", "Base, 5.16.1.6", NVME_CODE_LENGTH,
		   FIELDS(command_effects_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_command_effects,
	.visit = visit_command_effects,
	.summary = structure_summary,
};

/* Base, 5.16.1.1, 5.16.1.18 and 5.16.1.19: a structure for each number. */
enum { ROW_PAGE = 5, ROW_FEATURE = 9, ROW_MI_OPCODE = 8 };

#define NUMBER(name, label) { name, label, 0, 8, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL }
#define WHOLE_CODE(name, label) NVME_EACH_WHOLE(name, label, NVME_BYTES(0, 4))

static const struct rtap_field supported_pages_fields[] = {
	WHOLE_CODE("nvme.cmd.get_logpage.supported.entry", "Log Page Supported"),
	NVME_EACH("nvme.cmd.get_logpage.supported.entry.lsupp", "Supported", NVME_BITS(0, 0, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.supported.entry.ios", "Index Offset Supported", NVME_BITS(0, 1, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.supported.rsvd0_2", NVME_BITS(0, 2, 14)),
	NVME_EACH("nvme.cmd.get_logpage.supported.entry.specific", "Page Specific", NVME_BYTES(2, 2), RTAP_HEX, NULL),
	[ROW_PAGE] = NUMBER("nvme.cmd.get_logpage.supported.page", "Log Page Identifier"),
};

static const struct rtap_field feature_effects_fields[] = {
	WHOLE_CODE("nvme.cmd.get_logpage.feat_and_eff.fids", "Feature Supported and Effects"),
	NVME_EACH("nvme.cmd.get_logpage.feat_and_eff.fids.fsupp", "Supported", NVME_BITS(0, 0, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.feat_and_eff.fids.udcc", "Changes User Data", NVME_BITS(0, 1, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.feat_and_eff.fids.ncc", "Changes Namespace Capabilities", NVME_BITS(0, 2, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.feat_and_eff.fids.nic", "Changes the Namespace Inventory", NVME_BITS(0, 3, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.feat_and_eff.fids.ccc", "Changes Controller Capabilities", NVME_BITS(0, 4, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.feat_and_eff.rsvd0_5", NVME_BITS(0, 5, 14)),
	NVME_EACH("nvme.cmd.get_logpage.feat_and_eff.fids.uss", "UUID Selection", NVME_BITS(2, 3, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.feat_and_eff.fids.fsp", "Scope", NVME_BITS(2, 4, 12), RTAP_HEX, NULL),
	[ROW_FEATURE] = NUMBER("nvme.cmd.get_logpage.feat_and_eff.fid", "Feature Identifier"),
};

static const struct rtap_field mi_effects_fields[] = {
	WHOLE_CODE("nvme.cmd.get_logpage.mi_and_eff.mics", "Management Command Supported and Effects"),
	NVME_EACH("nvme.cmd.get_logpage.mi_and_eff.mics.csupp", "Supported", NVME_BITS(0, 0, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.mi_and_eff.mics.udcc", "Changes User Data", NVME_BITS(0, 1, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.mi_and_eff.mics.ncc", "Changes Namespace Capabilities", NVME_BITS(0, 2, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.mi_and_eff.mics.nic", "Changes the Namespace Inventory", NVME_BITS(0, 3, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.mi_and_eff.mics.ccc", "Changes Controller Capabilities", NVME_BITS(0, 4, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.mi_and_eff.rsvd0_5", NVME_BITS(0, 5, 15)),
	NVME_EACH("nvme.cmd.get_logpage.mi_and_eff.mics.csp", "Scope", NVME_BITS(2, 4, 12), RTAP_HEX, NULL),
	[ROW_MI_OPCODE] = NUMBER("nvme.cmd.get_logpage.mi_and_eff.opc", "Management Opcode"),
};

/* The protocol of 256 structures; row number `row` is the number of each. */
#define CODES(name, identifier, row, code_label, filter, label, section) \
	static enum result parse_##name(struct parse *parse) \
	{ \
		return structure_parse(parse, PROTOCOL_NVME_##identifier, NVME_CODES * NVME_CODE_LENGTH, PROTOCOL_PAYLOAD); \
	} \
	static void visit_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor) \
	{ \
		nvme_visit_codes(packet, layer, visitor, &(const struct nvme_codes){ code_label, row }); \
	} \
	const struct protocol nvme_##name##_protocol = { \
		.table = { filter, label, section, NVME_CODE_LENGTH, FIELDS(name##_fields), .in_units = true }, \
		.scope = SCOPE_CALL, \
		.parse = parse_##name, \
		.visit = visit_##name, \
		.summary = structure_summary, \
	};

CODES(supported_pages, SUPPORTED_PAGES, ROW_PAGE, "Page", "nvme.cmd.get_logpage.supported", "NVMe Supported Log Pages", "Base, 5.16.1.1")
CODES(feature_effects, FEATURE_EFFECTS, ROW_FEATURE, "Feature", "nvme.cmd.get_logpage.feat_and_eff", "NVMe Features Supported and Effects",
	"Base, 5.16.1.18")
CODES(mi_effects, MI_EFFECTS, ROW_MI_OPCODE, "Management opcode", "nvme.cmd.get_logpage.mi_and_eff", "NVMe-MI Commands Supported and Effects",
	"Base, 5.16.1.19")

static const struct rtap_field ana_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.ana.chcnt", "Change Count", NVME_BYTES(0, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.ana.ngd", "Number of Group Descriptors", NVME_BYTES(8, 2), RTAP_DEC, NULL),
	{ "nvme.cmd.get_logpage.ana.rsvd10", "Reserved", NVME_BYTES(10, 6), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(ana_log, ANA_LOG, "nvme.cmd.get_logpage.ana", "NVMe Asymmetric Namespace Access", "Base, 5.16.1.13", 16, PROTOCOL_NVME_ANA_GROUPS)

/* Groups: 32 bytes and identifiers of namespaces each. */
#define ANA_GROUP 32
#define ANA_NAMESPACES 32, 32

static const struct rtap_name ana_names[] = {
	{ 0x1, "optimized" }, { 0x2, "non-optimized" }, { 0x3, "inaccessible" }, { 0x4, "persistent loss" }, { 0xf, "change" }, { 0, NULL },
};

enum { ROW_ANA_NSID = 7 };

static const struct rtap_field ana_groups_fields[] = {
	NVME_EACH("nvme.cmd.get_logpage.ana.grp.id", "ANA Group Identifier", NVME_BYTES(0, 4), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.get_logpage.ana.grp.nns", "Number of Namespaces", NVME_BYTES(4, 4), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.ana.grp.chcnt", "Change Count", NVME_BYTES(8, 8), RTAP_DEC, NULL),
	NVME_EACH_WHOLE("nvme.cmd.get_logpage.ana.grp.anas", "ANA State", NVME_BYTES(16, 1)),
	NVME_EACH("nvme.cmd.get_logpage.ana.grp.anas.state", "State", NVME_BITS(16, 0, 4), RTAP_HEX, ana_names),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.ana.grp.rsvd16_4", NVME_BITS(16, 4, 4)),
	{ "nvme.cmd.get_logpage.ana.grp.rsvd17", "Reserved", NVME_BYTES(17, 15), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_ANA_NSID] = { "nvme.cmd.get_logpage.ana.grp.nsid", "Namespace Identifier", 0, 32, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
};

static uint32_t group_length(const uint8_t *group, uint32_t left)
{
	uint64_t length = ANA_GROUP + little_bits(group, ANA_NAMESPACES) * 4;

	return length < left ? (uint32_t)length : left;
}

static void visit_namespaces(const uint8_t *bytes, const struct rtap_layer *layer, uint32_t at, uint32_t end, struct rtap_visitor *visitor)
{
	for (; end - at >= 4; at += 4)
		visit_field(visitor, layer, PROTOCOL_NVME_ANA_GROUPS, ROW_ANA_NSID, &(struct rtap_value){ .number = little_bits(bytes + at, 0, 32) },
			    layer->offset + at, 4);
}

static const struct nvme_groups ana_groups = { "Group", ANA_GROUP, group_length, visit_namespaces };

static enum result parse_ana_groups(struct parse *parse)
{
	return nvme_parse_groups(parse, PROTOCOL_NVME_ANA_GROUPS, &ana_groups, (uint32_t)little_bits(parse->cursor.next - 16, NVME_BYTES(8, 2)));
}

static void visit_ana_groups(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	nvme_visit_groups(packet, layer, visitor, &ana_groups);
}

const struct protocol nvme_ana_groups_protocol = {
	.table = { "nvme.cmd.get_logpage.ana.grp", "NVMe ANA Groups", "Base, 5.16.1.13", ANA_GROUP, FIELDS(ana_groups_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_ana_groups,
	.visit = visit_ana_groups,
};

static const struct rtap_field discovery_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.identify.genctr", "Generation Counter", NVME_BYTES(0, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.identify.numrec", "Number of Records", NVME_BYTES(8, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.identify.recfmt", "Record Format", NVME_BYTES(16, 2), RTAP_DEC, NULL),
	{ "nvme.cmd.get_logpage.identify.rsvd18", "Reserved", NVME_BYTES(18, 1006), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(discovery_log, DISCOVERY_LOG, "nvme.cmd.get_logpage.identify", "NVMe Discovery Log", "Base, 5.16.1.23", 1024,
	PROTOCOL_NVME_DISCOVERY_ENTRIES)

static const struct rtap_name family_names[] = {
	{ 0, "not reported" }, { 1, "IPv4" }, { 2, "IPv6" }, { 3, "InfiniBand" }, { 4, "Fibre Channel" }, { 254, "intra-host" }, { 0, NULL },
};
static const struct rtap_name subsystem_names[] = {
	{ 1, "other discovery subsystem" }, { 2, "NVM subsystem" }, { 3, "this discovery subsystem" }, { 0, NULL },
};
static const struct rtap_name secure_names[] = { { 0, "not specified" }, { 1, "required" }, { 2, "not required" }, { 0, NULL } };
static const struct rtap_name controller_id_names[] = { { 0xfffe, "static, any" }, { 0xffff, "dynamic" }, { 0, NULL } };
static const struct rtap_name qp_type_names[] = { { 1, "reliable connected" }, { 2, "reliable datagram" }, { 0, NULL } };
static const struct rtap_name provider_names[] = {
	{ 1, "not specified" }, { 2, "InfiniBand" }, { 3, "RoCE" }, { 4, "RoCEv2" }, { 5, "iWARP" }, { 0, NULL },
};
static const struct rtap_name cms_names[] = { { 1, "RDMA_CM" }, { 0, NULL } };

NVME_TEXT(trsvcid, 32, 32)
NVME_TEXT(entry_subnqn, 256, NVME_NQN_LENGTH)
NVME_TEXT(traddr, 512, 256)

static const struct rtap_field discovery_entries_fields[] = {
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.trtype", "Transport Type", NVME_BYTES(0, 1), RTAP_HEX, transport_names),
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.adrfam", "Address Family", NVME_BYTES(1, 1), RTAP_HEX, family_names),
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.subtype", "Subsystem Type", NVME_BYTES(2, 1), RTAP_HEX, subsystem_names),
	NVME_EACH_WHOLE("nvme.cmd.get_logpage.identify.rcrd.treq", "Transport Requirements", NVME_BYTES(3, 1)),
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.treq.secch", "Secure Channel", NVME_BITS(3, 0, 2), RTAP_HEX, secure_names),
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.treq.sqfc", "SQ Flow Control Can Be Disabled", NVME_BITS(3, 2, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.identify.rcrd.rsvd3_3", NVME_BITS(3, 3, 5)),
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.portid", "Port Identifier", NVME_BYTES(4, 2), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.cntlid", "Controller Identifier", NVME_BYTES(6, 2), RTAP_HEX, controller_id_names),
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.asqsz", "Admin Queue Size", NVME_BYTES(8, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.eflags", "Entry Flags", NVME_BYTES(10, 2), RTAP_HEX, NULL),
	{ "nvme.cmd.get_logpage.identify.rcrd.rsvd12", "Reserved", NVME_BYTES(12, 20), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.identify.rcrd.trsvcid", "Transport Service Identifier", NVME_BYTES(32, 32), RTAP_TEXT, RTAP_REPEATS,
		NULL, derive_trsvcid, NULL },
	{ "nvme.cmd.get_logpage.identify.rcrd.rsvd64", "Reserved", NVME_BYTES(64, 192), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	{ "nvme.cmd.get_logpage.identify.rcrd.subnqn", "Subsystem NQN", NVME_BYTES(256, 256), RTAP_TEXT, RTAP_REPEATS, NULL, derive_entry_subnqn, NULL },
	{ "nvme.cmd.get_logpage.identify.rcrd.traddr", "Transport Address", NVME_BYTES(512, 256), RTAP_TEXT, RTAP_REPEATS, NULL, derive_traddr, NULL },
	{ "nvme.cmd.get_logpage.identify.rcrd.tsas", "Transport Specific Address Subtype", NVME_BYTES(768, 256), RTAP_BYTES,
		RTAP_PARTS | RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.tsas.rdma_qptype", "RDMA QP Type", NVME_BYTES(768, 1), RTAP_HEX, qp_type_names),
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.tsas.rdma_prtype", "RDMA Provider Type", NVME_BYTES(769, 1), RTAP_HEX, provider_names),
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.tsas.rdma_cms", "RDMA Connection Management Service", NVME_BYTES(770, 1), RTAP_HEX, cms_names),
	{ "nvme.cmd.get_logpage.identify.rcrd.rsvd771", "Reserved", NVME_BYTES(771, 5), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	NVME_EACH("nvme.cmd.get_logpage.identify.rcrd.tsas.rdma_pkey", "RDMA Partition Key", NVME_BYTES(776, 2), RTAP_HEX, NULL),
	{ "nvme.cmd.get_logpage.identify.rcrd.rsvd778", "Reserved", NVME_BYTES(778, 246), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
};

NVME_ELEMENTS(discovery_entries, DISCOVERY_ENTRIES, "nvme.cmd.get_logpage.identify.rcrd", "NVMe Discovery Log Entries", "Base, 5.16.1.23", 1024, true)

static const struct rtap_name notification_names[] = {
	{ 0, "empty" }, { 1, "registration preempted" }, { 2, "reservation released" }, { 3, "reservation preempted" }, { 0, NULL },
};

static const struct rtap_field reservation_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.reserv_notif.lpc", "Log Page Count", NVME_BYTES(0, 8), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.get_logpage.reserv_notif.lpt", "Type", NVME_BYTES(8, 1), RTAP_HEX, notification_names),
	NVME_ROW("nvme.cmd.get_logpage.reserv_notif.nalp", "Number of Available Log Pages", NVME_BYTES(9, 1), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.reserv_notif.rsvd10", NVME_BYTES(10, 2)),
	NVME_ROW("nvme.cmd.get_logpage.reserv_notif.nsid", "Namespace Identifier", NVME_BYTES(12, 4), RTAP_HEX, NULL),
	{ "nvme.cmd.get_logpage.reserv_notif.rsvd16", "Reserved", NVME_BYTES(16, 48), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(reservation_log, RESERVATION_LOG, "nvme.cmd.get_logpage.reserv_notif", "NVMe Reservation Notification",
	"Base, 5.16.1.24", 64, PROTOCOL_PAYLOAD)
