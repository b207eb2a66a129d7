/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of features, Dataset Management, Copy and reservations.
 */
#include "config.h"

#include "dissect/nvme/nvme_structure.h"

/* NVM, 4.1.3.1. */
static const struct rtap_name range_type_names[] = {
	{ 0, "general purpose" }, { 1, "file system" }, { 2, "RAID" }, { 3, "cache" }, { 4, "page or swap file" }, { 0, NULL },
};

static const struct rtap_field lba_ranges_fields[] = {
	NVME_EACH("nvme.set_features.lbart.type", "Type", NVME_BYTES(0, 1), RTAP_HEX, range_type_names),
	NVME_EACH_WHOLE("nvme.set_features.lbart.attr", "Attributes", NVME_BYTES(1, 1)),
	NVME_EACH("nvme.set_features.lbart.attr.ovw", "May Be Overwritten", NVME_BITS(1, 0, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.set_features.lbart.attr.hid", "Hidden", NVME_BITS(1, 1, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.set_features.lbart.rsvd1_2", NVME_BITS(1, 2, 6)),
	{ "nvme.set_features.lbart.rsvd2", "Reserved", NVME_BYTES(2, 14), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	NVME_EACH("nvme.set_features.lbart.slba", "Starting LBA", NVME_BYTES(16, 8), RTAP_HEX, NULL),
	NVME_EACH("nvme.set_features.lbart.nlb", "Number of Logical Blocks less 1", NVME_BYTES(24, 8), RTAP_HEX, NULL),
	{ "nvme.set_features.lbart.guid", "Unique Identifier", NVME_BYTES(32, 16), RTAP_BYTES, RTAP_REPEATS, NULL, NULL, NULL },
	{ "nvme.set_features.lbart.rsvd48", "Reserved", NVME_BYTES(48, 16), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
};

NVME_ELEMENTS(lba_ranges, LBA_RANGES, "nvme.set_features.lbart", "NVMe LBA Ranges", "NVM, 4.1.3.1", 64, true)

/* Base, 5.27.1.8: one for each power state. */
static const struct rtap_field power_transitions_fields[] = {
	NVME_EACH_RESERVED("nvme.set_features.lbart.apst.rsvd0", NVME_BITS(0, 0, 3)),
	NVME_EACH("nvme.set_features.lbart.apst.itps", "Idle Transition Power State", NVME_BITS(0, 3, 5), RTAP_HEX64, NULL),
	NVME_EACH("nvme.set_features.lbart.apst.itpt", "Idle Time Before Transition (ms)", NVME_BYTES(1, 3), RTAP_HEX64, NULL),
	NVME_EACH_RESERVED("nvme.set_features.lbart.apst.rsvd4", NVME_BYTES(4, 4)),
};

NVME_ELEMENTS(power_transitions, POWER_TRANSITIONS, "nvme.set_features.apst", "NVMe Autonomous Power State Transitions", "Base, 5.27.1.8", 8, true)

/* Base, 5.27.1.10. */
static const struct rtap_name timestamp_names[] = { { 0, "cleared by a reset" }, { 1, "set by Set Features" }, { 0, NULL } };

static const struct rtap_field timestamp_fields[] = {
	NVME_ROW("nvme.set_features.tst.ms", "Milliseconds since 1970", NVME_BYTES(0, 6), RTAP_HEX64, NULL),
	NVME_ROW("nvme.set_features.tst.synch", "Stopped Counting", NVME_BITS(6, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.set_features.tst.origin", "Origin", NVME_BITS(6, 1, 3), RTAP_DEC, timestamp_names),
	NVME_RESERVED("nvme.set_features.tst.rsvd6_4", NVME_BITS(6, 4, 4)),
	NVME_RESERVED("nvme.set_features.tst.rsvd7", NVME_BYTES(7, 1)),
};

NVME_STRUCTURE(timestamp, TIMESTAMP, "nvme.set_features.tst", "NVMe Timestamp", "Base, 5.27.1.10", 8, PROTOCOL_PAYLOAD)

/* Base, 5.27.1.15. */
static const struct rtap_field latency_config_fields[] = {
	NVME_WHOLE("nvme.set_features.plmc.ee", "Enable Event", NVME_BYTES(0, 2)),
	NVME_ROW("nvme.set_features.plmc.ee.dtwinr", "Deterministic Window Reads Warning", NVME_BITS(0, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.set_features.plmc.ee.dtwinw", "Deterministic Window Writes Warning", NVME_BITS(0, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.set_features.plmc.ee.dtwint", "Deterministic Window Time Warning", NVME_BITS(0, 2, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.set_features.plmc.rsvd0_3", NVME_BITS(0, 3, 11)),
	NVME_ROW("nvme.set_features.plmc.ee.ndtwindv", "Left the Window: Value Exceeded", NVME_BITS(1, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.set_features.plmc.ee.ndtwindde", "Left the Window: Deterministic Excursion", NVME_BITS(1, 7, 1), RTAP_BOOL, NULL),
	{ "nvme.set_features.plmc.rsvd2", "Reserved", NVME_BYTES(2, 30), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	NVME_ROW("nvme.set_features.plmc.dtwinrt", "Deterministic Window Reads Threshold (4 KiB)", NVME_BYTES(32, 8), RTAP_HEX, NULL),
	NVME_ROW("nvme.set_features.plmc.dtwinwt", "Deterministic Window Writes Threshold (optimal write size)", NVME_BYTES(40, 8), RTAP_HEX, NULL),
	NVME_ROW("nvme.set_features.plmc.dtwintt", "Deterministic Window Time Threshold (ms)", NVME_BYTES(48, 8), RTAP_HEX, NULL),
	{ "nvme.set_features.plmc.rsvd56", "Reserved", NVME_BYTES(56, 456), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(latency_config, LATENCY_CONFIG, "nvme.set_features.plmc", "NVMe Predictable Latency Mode Configuration", "Base, 5.27.1.15", 512,
	PROTOCOL_PAYLOAD)

/* Base, 5.27.1.18. */
static const struct rtap_field host_behavior_fields[] = {
	NVME_ROW("nvme.set_features.hbs.acre", "Advanced Command Retry Enable", NVME_BYTES(0, 1), RTAP_HEX, NULL),
	NVME_ROW("nvme.set_features.hbs.etdas", "Extended Telemetry Data Area 4", NVME_BYTES(1, 1), RTAP_HEX, NULL),
	NVME_ROW("nvme.set_features.hbs.lbafee", "LBA Format Extension Enable", NVME_BYTES(2, 1), RTAP_HEX, NULL),
	{ "nvme.set_features.hbs.rsvd3", "Reserved", NVME_BYTES(3, 509), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(host_behavior, HOST_BEHAVIOR, "nvme.set_features.hbs", "NVMe Host Behavior Support", "Base, 5.27.1.18", 512, PROTOCOL_PAYLOAD)

/* Base, 5.27.1.25: 8 bytes, or 16 of the extended one. */
static bool derive_short(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer), 8 };
	return layer->length == 8;
}

static bool derive_long(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer), 16 };
	return true;
}

static const struct rtap_field host_identifier_fields[] = {
	{ "nvme.set_features.hid.hostid", "Host Identifier", NVME_BYTES(0, 8), RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_short, NULL },
	{ "nvme.set_features.hid.exhostid", "Extended Host Identifier", NVME_BYTES(0, 16), RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_long, NULL },
};

NVME_STRUCTURE(host_identifier, HOST_IDENTIFIER, "nvme.set_features.hid", "NVMe Host Identifier", "Base, 5.27.1.25", 16, PROTOCOL_PAYLOAD)

/* Dataset Management: NVM, 3.2.3. */
static const struct rtap_name frequency_names[] = {
	{ 0, "no information" }, { 1, "typical" }, { 2, "infrequent writes, infrequent reads" }, { 3, "infrequent writes, frequent reads" },
	{ 4, "frequent writes, infrequent reads" }, { 5, "frequent writes, frequent reads" }, { 0, NULL },
};

static const struct rtap_field ranges_fields[] = {
	NVME_EACH_WHOLE("nvme.cmd.dataset.range.attr", "Context Attributes", NVME_BYTES(0, 4)),
	NVME_EACH("nvme.cmd.dataset.range.attr.af", "Access Frequency", NVME_BITS(0, 0, 4), RTAP_DEC, frequency_names),
	NVME_EACH("nvme.cmd.dataset.range.attr.al", "Access Latency", NVME_BITS(0, 4, 2), RTAP_DEC, NULL),
	NVME_EACH_RESERVED("nvme.cmd.dataset.range.rsvd0_6", NVME_BITS(0, 6, 2)),
	NVME_EACH("nvme.cmd.dataset.range.attr.sr", "Sequential Read", NVME_BITS(1, 0, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.dataset.range.attr.sw", "Sequential Write", NVME_BITS(1, 1, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.dataset.range.attr.wp", "Write Prepare", NVME_BITS(1, 2, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.cmd.dataset.range.rsvd1_3", NVME_BITS(1, 3, 13)),
	NVME_EACH("nvme.cmd.dataset.range.attr.cas", "Command Access Size (blocks)", NVME_BYTES(3, 1), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.dataset.range.nlb", "Number of Logical Blocks", NVME_BYTES(4, 4), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.dataset.range.slba", "Start LBA", NVME_BYTES(8, 8), RTAP_DEC, NULL),
};

NVME_ELEMENTS(ranges, RANGES, "nvme.cmd.dataset.range", "NVMe Ranges", "NVM, 3.2.3", NVME_RANGE_LENGTH, false)

/*
 * Copy, by descriptor format: NVM, 3.2.2. Formats 1 and 3 have storage tags with the reference tag, formats 2 and 3 a namespace and options
 * of the source.
 */
#define COPY_BULK(name, at, length) { name, "Reserved", NVME_BYTES(at, length), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL }
#define COPY_RANGE \
	NVME_EACH("nvme.cmd.copy.range.slba", "Start LBA", NVME_BYTES(8, 8), RTAP_DEC, NULL), \
	NVME_EACH("nvme.cmd.copy.range.nlb", "Number of Logical Blocks less 1", NVME_BYTES(16, 2), RTAP_DEC, NULL)
#define COPY_NAMESPACE \
	NVME_EACH("nvme.cmd.copy.range.snsid", "Source Namespace Identifier", NVME_BYTES(0, 4), RTAP_HEX, NULL), \
	COPY_BULK("nvme.cmd.copy.range.rsvd4", 4, 4)
#define COPY_OPTIONS \
	COPY_BULK("nvme.cmd.copy.range.rsvd18_4", 18, 4), \
	NVME_EACH("nvme.cmd.copy.range.sopt", "Source Options", NVME_BYTES(22, 2), RTAP_HEX, NULL)
#define COPY_TAGS \
	NVME_EACH("nvme.cmd.copy.range.eilbrt", "Expected Initial Reference Tag", NVME_BYTES(24, 4), RTAP_HEX, NULL), \
	NVME_EACH("nvme.cmd.copy.range.elbat", "Expected Application Tag", NVME_BYTES(28, 2), RTAP_HEX, NULL), \
	NVME_EACH("nvme.cmd.copy.range.elbatm", "Expected Application Tag Mask", NVME_BYTES(30, 2), RTAP_HEX, NULL)
#define COPY_LONG_TAGS \
	{ "nvme.cmd.copy.range.elbt", "Expected Storage and Reference Tags", NVME_BYTES(26, 10), RTAP_BYTES, RTAP_REPEATS, NULL, NULL, NULL }, \
	NVME_EACH("nvme.cmd.copy.range.elbat", "Expected Application Tag", NVME_BYTES(36, 2), RTAP_HEX, NULL), \
	NVME_EACH("nvme.cmd.copy.range.elbatm", "Expected Application Tag Mask", NVME_BYTES(38, 2), RTAP_HEX, NULL)

static const struct rtap_field copy_ranges_fields[] = {
	COPY_BULK("nvme.cmd.copy.range.rsvd0", 0, 8), COPY_RANGE, COPY_BULK("nvme.cmd.copy.range.rsvd18", 18, 6), COPY_TAGS,
};
static const struct rtap_field copy_ranges_1_fields[] = {
	COPY_BULK("nvme.cmd.copy.range.rsvd0", 0, 8), COPY_RANGE, COPY_BULK("nvme.cmd.copy.range.rsvd18_8", 18, 8), COPY_LONG_TAGS,
};
static const struct rtap_field copy_ranges_2_fields[] = { COPY_NAMESPACE, COPY_RANGE, COPY_OPTIONS, COPY_TAGS };
static const struct rtap_field copy_ranges_3_fields[] = {
	COPY_NAMESPACE, COPY_RANGE, COPY_OPTIONS, COPY_BULK("nvme.cmd.copy.range.rsvd24", 24, 2), COPY_LONG_TAGS,
};

NVME_ELEMENTS(copy_ranges, COPY_RANGES, "nvme.cmd.copy.range", "NVMe Copy Source Ranges", "NVM, 3.2.2", 32, false)
NVME_ELEMENTS(copy_ranges_1, COPY_RANGES_1, "nvme.cmd.copy.range_1", "NVMe Copy Source Ranges, Format 1", "NVM, 3.2.2", 40, false)
NVME_ELEMENTS(copy_ranges_2, COPY_RANGES_2, "nvme.cmd.copy.range_2", "NVMe Copy Source Ranges, Format 2", "NVM, 3.2.2", 32, false)
NVME_ELEMENTS(copy_ranges_3, COPY_RANGES_3, "nvme.cmd.copy.range_3", "NVMe Copy Source Ranges, Format 3", "NVM, 3.2.2", 40, false)

/* The current key of Register, Acquire and Release, and the new one or that to be preempted. Base, 7.2, 7.3 and 7.5. */
static const struct rtap_field reservation_keys_fields[] = {
	{ "nvme.cmd.reservation.crkey", "Current Reservation Key", NVME_BYTES(0, 8), RTAP_HEX, RTAP_LITTLE | RTAP_COMPARED, NULL, NULL, NULL },
	{ "nvme.cmd.reservation.key", "New or Preempted Reservation Key", NVME_BYTES(8, 8), RTAP_HEX, RTAP_LITTLE | RTAP_COMPARED, NULL, NULL, NULL },
};

NVME_STRUCTURE(reservation_keys, RESERVATION_KEYS, "nvme.cmd.reservation.keys", "NVMe Reservation Keys", "Base, chapter 7", 16, PROTOCOL_PAYLOAD)

/* Reservation Report: Base, 7.4. The bits that tell the extended structure from the other are in the command. */
#define REPORT_HEADER 24
#define REGISTRANT 24
#define EXTENDED_HEADER 64
#define EXTENDED_REGISTRANT 64

static const struct rtap_name reservation_type_names[] = {
	{ 0, "none" }, { 1, "write exclusive" }, { 2, "exclusive access" }, { 3, "write exclusive, registrants only" },
	{ 4, "exclusive access, registrants only" }, { 5, "write exclusive, all registrants" }, { 6, "exclusive access, all registrants" }, { 0, NULL },
};

static const struct rtap_field reservation_status_fields[] = {
	NVME_ROW("nvme.cmd.reservation_report.gen", "Generation", NVME_BYTES(0, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.reservation_report.rtype", "Reservation Type", NVME_BYTES(4, 1), RTAP_DEC, reservation_type_names),
	NVME_ROW("nvme.cmd.reservation_report.regstrnt", "Number of Registrants", NVME_BYTES(5, 2), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.reservation_report.rsvd7", NVME_BYTES(7, 2)),
	NVME_ROW("nvme.cmd.reservation_report.ptpls", "Persists Through Power Loss", NVME_BYTES(9, 1), RTAP_DEC, NULL),
	{ "nvme.cmd.reservation_report.rsvd10", "Reserved", NVME_BYTES(10, 14), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(reservation_status, RESERVATION_STATUS, "nvme.cmd.reservation_report.status", "NVMe Reservation Status", "Base, 7.4", REPORT_HEADER,
	       PROTOCOL_NVME_REGISTRANTS)

static bool is_extended(const struct rtap_packet *packet)
{
	return packet->request.detail & 1;
}

/* The host identifier and key change places in the extended structure. */
static bool derive_key(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = little_bits(layer_bytes(packet, layer) + (is_extended(packet) ? 8 : 16), 0, 64);
	return layer->length >= REGISTRANT;
}

static bool derive_host(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + (is_extended(packet) ? 16 : 8), is_extended(packet) ? 16 : 8 };
	return layer->length >= (is_extended(packet) ? 32u : REGISTRANT);
}

static const struct rtap_field registrants_fields[] = {
	{ "nvme.cmd.reservation_report.reg.cntlid", "Controller Identifier", NVME_BYTES(0, 2), RTAP_HEX,
		RTAP_LITTLE | RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	NVME_EACH("nvme.cmd.reservation_report.reg.holds", "Holds the Reservation", NVME_BITS(2, 0, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.cmd.reservation_report.reg.rsvd2_1", NVME_BITS(2, 1, 7)),
	{ "nvme.cmd.reservation_report.reg.rsvd3", "Reserved", NVME_BYTES(3, 5), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	{ "nvme.cmd.reservation_report.reg.hostid", "Host Identifier", 64, 64, RTAP_BYTES,
		RTAP_UNPLACED | RTAP_REPEATS | RTAP_SOMETIMES, NULL, derive_host, NULL },
	{ "nvme.cmd.reservation_report.reg.rkey", "Reservation Key", 128, 64, RTAP_HEX,
		RTAP_UNPLACED | RTAP_REPEATS | RTAP_SOMETIMES | RTAP_COMPARED, NULL, derive_key, NULL },
};

/* The extended status data has 40 reserved bytes before the registrants. */
static enum result parse_registrants(struct parse *parse)
{
	const uint8_t *reserved;
	enum result result;
	bool extended = parse->packet->request.detail & 1;

	if (extended && (result = cursor_take(&parse->cursor, EXTENDED_HEADER - REPORT_HEADER, &reserved)) != OK)
		return result;
	return structure_parse_elements(parse, PROTOCOL_NVME_REGISTRANTS, extended ? EXTENDED_REGISTRANT : REGISTRANT, true);
}

static void visit_registrants(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	visit_units(packet, layer, visitor, is_extended(packet) ? EXTENDED_REGISTRANT : REGISTRANT);
}

const struct protocol nvme_registrants_protocol = {
	.table = { "nvme.cmd.reservation_report.reg", "NVMe Registrants", "Base, 7.4", 8, FIELDS(registrants_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_registrants,
	.visit = visit_registrants,
};
