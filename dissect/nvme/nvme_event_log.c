/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of Get Log Page: telemetry, events, blocks and zones that need attention, boot partitions. Base, 5.16.1; NVM, 4.1.4; ZNS, 4.1.5.
 */
#include "config.h"

#include "dissect/nvme/nvme_structure.h"

#define BULK(name, label, at, length, flags) { name, label, NVME_BYTES(at, length), RTAP_BYTES, RTAP_BULK | (flags), NULL, NULL, NULL }

/* Host-initiated and controller-initiated telemetry. Base, 5.16.1.8 and 5.16.1.9. */
static const struct rtap_field telemetry_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.telemetry.li", "Log Identifier", NVME_BYTES(0, 1), RTAP_HEX, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.telemetry.rsvd1", NVME_BYTES(1, 4)),
	NVME_ROW("nvme.cmd.get_logpage.telemetry.ieee", "IEEE OUI", NVME_BYTES(5, 3), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.get_logpage.telemetry.da1b", "Data Area 1 Last Block", NVME_BYTES(8, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.telemetry.da2b", "Data Area 2 Last Block", NVME_BYTES(10, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.telemetry.da3b", "Data Area 3 Last Block", NVME_BYTES(12, 2), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.telemetry.rsvd14", NVME_BYTES(14, 2)),
	NVME_ROW("nvme.cmd.get_logpage.telemetry.da4b", "Data Area 4 Last Block", NVME_BYTES(16, 4), RTAP_DEC, NULL),
	BULK("nvme.cmd.get_logpage.telemetry.rsvd20", "Reserved", 20, 361, 0),
	NVME_ROW("nvme.cmd.get_logpage.telemetry.hdgn", "Host-Initiated Data Generation Number", NVME_BYTES(381, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.telemetry.da", "Controller-Initiated Data Available", NVME_BYTES(382, 1), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.get_logpage.telemetry.dgn", "Controller-Initiated Data Generation Number", NVME_BYTES(383, 1), RTAP_DEC, NULL),
	BULK("nvme.cmd.get_logpage.telemetry.ri", "Reason Identifier", 384, 128, 0),
};

NVME_STRUCTURE(telemetry_log, TELEMETRY_LOG, "nvme.cmd.get_logpage.telemetry", "NVMe Telemetry", "Base, 5.16.1.8", 512, PROTOCOL_PAYLOAD)

/* Base, 5.16.1.14. */
NVME_TEXT(persistent_sn, 56, 20)
NVME_TEXT(persistent_mn, 76, 40)
NVME_TEXT(persistent_subnqn, 116, NVME_NQN_LENGTH)

static const struct rtap_field persistent_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.persistent.li", "Log Identifier", NVME_BYTES(0, 1), RTAP_HEX, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.persistent.rsvd1", NVME_BYTES(1, 3)),
	NVME_ROW("nvme.cmd.get_logpage.persistent.tnev", "Number of Events", NVME_BYTES(4, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.persistent.tll", "Length of the Log (bytes)", NVME_BYTES(8, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.persistent.rev", "Revision", NVME_BYTES(16, 1), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.persistent.rsvd17", NVME_BYTES(17, 1)),
	NVME_ROW("nvme.cmd.get_logpage.persistent.lhl", "Length of the Rest of the Header (bytes)", NVME_BYTES(18, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.persistent.ts", "Timestamp", NVME_BYTES(20, 8), RTAP_HEX, NULL),
	BULK("nvme.cmd.get_logpage.persistent.poh", "Power On Hours", 28, 16, 0),
	NVME_ROW("nvme.cmd.get_logpage.persistent.pcc", "Power Cycle Count", NVME_BYTES(44, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.persistent.vid", "PCI Vendor ID", NVME_BYTES(52, 2), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.get_logpage.persistent.ssvid", "PCI Subsystem Vendor ID", NVME_BYTES(54, 2), RTAP_HEX, NULL),
	{ "nvme.cmd.get_logpage.persistent.sn", "Serial Number", NVME_BYTES(56, 20), RTAP_TEXT, 0, NULL, derive_persistent_sn, NULL },
	{ "nvme.cmd.get_logpage.persistent.mn", "Model Number", NVME_BYTES(76, 40), RTAP_TEXT, 0, NULL, derive_persistent_mn, NULL },
	{ "nvme.cmd.get_logpage.persistent.subnqn", "Subsystem NQN", NVME_BYTES(116, 256), RTAP_TEXT, 0, NULL, derive_persistent_subnqn, NULL },
	NVME_ROW("nvme.cmd.get_logpage.persistent.gnum", "Generation Number", NVME_BYTES(372, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.persistent.rci", "Reporting Context Information", NVME_BYTES(374, 4), RTAP_HEX, NULL),
	BULK("nvme.cmd.get_logpage.persistent.rsvd378", "Reserved", 378, 102, 0),
	{ "nvme.cmd.get_logpage.persistent.seb", "Supported Events", NVME_BYTES(480, 32), RTAP_BYTES, 0, NULL, NULL, NULL },
};

NVME_STRUCTURE(persistent_log, PERSISTENT_LOG, "nvme.cmd.get_logpage.persistent", "NVMe Persistent Event Log", "Base, 5.16.1.14", 512,
	PROTOCOL_NVME_PERSISTENT_EVENTS)

#define EVENT 24
#define EVENT_HEADER_REST NVME_BYTES(2, 1)
#define EVENT_VENDOR NVME_BYTES(20, 2)
#define EVENT_LENGTH NVME_BYTES(22, 2)
#define SET_FEATURES_EVENT 0x0b

static const struct rtap_name event_names[] = {
	{ 0x01, "SMART / Health snapshot" }, { 0x02, "Firmware Commit" }, { 0x03, "timestamp changed" }, { 0x04, "power-on or reset" },
	{ 0x05, "hardware error" }, { 0x06, "change of a namespace" }, { 0x07, "Format NVM started" }, { 0x08, "Format NVM completed" },
	{ 0x09, "Sanitize started" }, { 0x0a, "Sanitize completed" }, { 0x0b, "Set Features" }, { 0x0c, "telemetry log created" },
	{ 0x0d, "thermal excursion" }, { 0xde, "vendor specific" }, { 0xdf, "TCG defined" }, { 0, NULL },
};

/* The rows of the data of events: they begin with these. Base, 5.16.1.14.1. */
enum {
	ROW_HEALTH = 10, ROW_COMMIT = 15, ROW_TIMESTAMP = 22, ROW_RESET = 24, ROW_RESET_ENTRY = 25, ROW_HARDWARE = 31, ROW_NAMESPACE = 32,
	ROW_FORMAT = 42, ROW_FORMATTED = 45, ROW_SANITIZE = 50, ROW_SANITIZED = 53, ROW_FEATURE = 56, ROW_FEATURE_DWORD = 59, ROW_TELEMETRY = 60,
	ROW_EXCURSION = 64, ROW_DATA = 66, ROW_VENDOR = 67, ROW_END = 68,
};

static const struct rtap_name reset_names[] = { { 0, "none" }, { 1, "activated" }, { 2, "failed" }, { 0, NULL } };
static const struct rtap_name hardware_names[] = {
	{ 0x01, "PCIe correctable error" }, { 0x02, "PCIe uncorrectable non-fatal error" }, { 0x03, "PCIe uncorrectable fatal error" },
	{ 0x04, "PCIe link status changed" }, { 0x05, "PCIe link not active" }, { 0x06, "critical warning" }, { 0x07, "endurance group critical warning" },
	{ 0x08, "unsafe shutdown" }, { 0x09, "controller fatal status" }, { 0x0a, "media and data integrity status" }, { 0x0b, "controller ready timeout" },
	{ 0, NULL },
};
static const struct rtap_name excursion_names[] = {
	{ 0, "below the warning threshold" }, { 1, "warning threshold reached" }, { 2, "critical threshold reached" }, { 0, NULL },
};

#define EVENT_TIME(name, label, at, length, show) \
	{ "nvme.cmd.get_logpage.persistent.event." name, label, NVME_BYTES(at, length), show, RTAP_LITTLE | RTAP_UNPLACED | RTAP_REPEATS | RTAP_IGNORED, \
	  NULL, NULL, NULL }
#define EVENT_ROW(name, label, at, length, show) NVME_ITEM("nvme.cmd.get_logpage.persistent.event." name, label, NVME_BYTES(at, length), show, NULL)

static const struct rtap_field persistent_events_fields[] = {
	NVME_EACH("nvme.cmd.get_logpage.persistent.event.type", "Type", NVME_BYTES(0, 1), RTAP_HEX, event_names),
	NVME_EACH("nvme.cmd.get_logpage.persistent.event.rev", "Revision of the Type", NVME_BYTES(1, 1), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.persistent.event.ehl", "Length of the Rest of the Header (bytes)", EVENT_HEADER_REST, RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.persistent.event.ehai", "Additional Information", NVME_BYTES(3, 1), RTAP_HEX, NULL),
	{ "nvme.cmd.get_logpage.persistent.event.cntlid", "Controller Identifier", NVME_BYTES(4, 2), RTAP_HEX, RTAP_LITTLE | RTAP_REPEATS | RTAP_IGNORED,
		NULL, NULL, NULL },
	NVME_EACH("nvme.cmd.get_logpage.persistent.event.ts", "Timestamp", NVME_BYTES(6, 8), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.get_logpage.persistent.event.port", "Port Identifier", NVME_BYTES(14, 2), RTAP_HEX, NULL),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.persistent.event.rsvd16", NVME_BYTES(16, 4)),
	NVME_EACH("nvme.cmd.get_logpage.persistent.event.vsil", "Vendor Specific Information Length (bytes)", NVME_BYTES(20, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.persistent.event.el", "Length of the Event (bytes)", EVENT_LENGTH, RTAP_DEC, NULL),
	[ROW_HEALTH] = EVENT_ROW("health.cw", "Critical Warning", 0, 1, RTAP_HEX),
	EVENT_ROW("health.ct", "Composite Temperature (K)", 1, 2, RTAP_DEC),
	EVENT_ROW("health.asc", "Available Spare (%)", 3, 1, RTAP_DEC),
	EVENT_ROW("health.lae", "Percentage Used", 5, 1, RTAP_DEC),
	NVME_ITEM_BYTES("nvme.cmd.get_logpage.persistent.event.health.log", "SMART / Health Information", 0, 512, RTAP_BULK),
	[ROW_COMMIT] = NVME_ITEM_BYTES("nvme.cmd.get_logpage.persistent.event.commit.ofr", "Old Firmware Revision", 0, 8, 0),
	NVME_ITEM_BYTES("nvme.cmd.get_logpage.persistent.event.commit.nfr", "New Firmware Revision", 8, 8, 0),
	EVENT_ROW("commit.fca", "Commit Action", 16, 1, RTAP_HEX),
	EVENT_ROW("commit.fws", "Firmware Slot", 17, 1, RTAP_DEC),
	EVENT_ROW("commit.sct", "Status Code Type", 18, 1, RTAP_HEX),
	EVENT_ROW("commit.sc", "Status Code", 19, 1, RTAP_HEX),
	EVENT_ROW("commit.vrc", "Result Code of the Vendor", 20, 2, RTAP_HEX),
	[ROW_TIMESTAMP] = EVENT_TIME("timestamp.pts", "Previous Timestamp", 0, 8, RTAP_HEX),
	EVENT_TIME("timestamp.msr", "Time since the Reset (ms)", 8, 8, RTAP_DEC),
	[ROW_RESET] = NVME_ITEM_BYTES("nvme.cmd.get_logpage.persistent.event.reset.fr", "Firmware Revision", 0, 8, 0),
	[ROW_RESET_ENTRY] = NVME_ITEM("nvme.cmd.get_logpage.persistent.event.reset.cid", "Controller", NVME_BYTES(0, 2), RTAP_HEX, NULL),
	NVME_ITEM("nvme.cmd.get_logpage.persistent.event.reset.fwact", "Firmware Activation", NVME_BYTES(2, 1), RTAP_DEC, reset_names),
	EVENT_ROW("reset.opip", "Operations in Progress", 3, 1, RTAP_HEX),
	EVENT_ROW("reset.cpc", "Power Cycle of the Controller", 16, 4, RTAP_DEC),
	EVENT_TIME("reset.pom", "Time since Power On (ms)", 20, 8, RTAP_DEC),
	EVENT_TIME("reset.ts", "Controller Timestamp", 28, 8, RTAP_HEX),
	[ROW_HARDWARE] = NVME_ITEM("nvme.cmd.get_logpage.persistent.event.hardware.code", "Hardware Error", NVME_BYTES(0, 2), RTAP_HEX, hardware_names),
	[ROW_NAMESPACE] = EVENT_ROW("ns.cdw10", "Namespace Management Dword 10", 0, 4, RTAP_HEX),
	EVENT_ROW("ns.nsze", "Namespace Size (blocks)", 8, 8, RTAP_DEC),
	EVENT_ROW("ns.ncap", "Namespace Capacity (blocks)", 24, 8, RTAP_DEC),
	EVENT_ROW("ns.flbas", "Formatted LBA Size", 32, 1, RTAP_HEX),
	EVENT_ROW("ns.dps", "Data Protection Type Settings", 33, 1, RTAP_HEX),
	EVENT_ROW("ns.nmic", "Multi-Path I/O and Sharing", 34, 1, RTAP_HEX),
	EVENT_ROW("ns.anagrpid", "ANA Group Identifier", 36, 4, RTAP_DEC),
	EVENT_ROW("ns.nvmsetid", "NVM Set Identifier", 40, 2, RTAP_DEC),
	EVENT_ROW("ns.rsvd42", "Reserved", 42, 2, RTAP_HEX),
	EVENT_ROW("ns.nsid", "Namespace Identifier", 44, 4, RTAP_HEX),
	[ROW_FORMAT] = EVENT_ROW("format.nsid", "Namespace Identifier", 0, 4, RTAP_HEX),
	EVENT_ROW("format.fna", "Format NVM Attributes", 4, 1, RTAP_HEX),
	EVENT_ROW("format.cdw10", "Format NVM Dword 10", 8, 4, RTAP_HEX),
	[ROW_FORMATTED] = EVENT_ROW("formatted.nsid", "Namespace Identifier", 0, 4, RTAP_HEX),
	EVENT_ROW("formatted.sfpi", "Smallest Format Progress Indicator", 4, 1, RTAP_HEX),
	EVENT_ROW("formatted.status", "Format NVM Status", 5, 1, RTAP_HEX),
	EVENT_ROW("formatted.info", "Completion Information", 6, 2, RTAP_HEX),
	EVENT_ROW("formatted.sf", "Status Field", 8, 4, RTAP_HEX),
	[ROW_SANITIZE] = EVENT_ROW("sanitize.sanicap", "Sanitize Capabilities", 0, 4, RTAP_HEX),
	EVENT_ROW("sanitize.cdw10", "Sanitize Dword 10", 4, 4, RTAP_HEX),
	EVENT_ROW("sanitize.cdw11", "Sanitize Dword 11", 8, 4, RTAP_HEX),
	[ROW_SANITIZED] = EVENT_ROW("sanitized.sprog", "Sanitize Progress (of 65,536)", 0, 2, RTAP_DEC),
	EVENT_ROW("sanitized.sstat", "Sanitize Status", 2, 2, RTAP_HEX),
	EVENT_ROW("sanitized.info", "Completion Information", 4, 2, RTAP_HEX),
	[ROW_FEATURE] = NVME_ITEM("nvme.cmd.get_logpage.persistent.event.feature.dwords", "Number of Command Dwords", NVME_BITS(0, 0, 3), RTAP_DEC, NULL),
	NVME_ITEM("nvme.cmd.get_logpage.persistent.event.feature.lccd0", "Dword 0 of the Completion at the End", NVME_BITS(0, 3, 1), RTAP_BOOL, NULL),
	NVME_ITEM("nvme.cmd.get_logpage.persistent.event.feature.bytes", "Length of the Data (bytes)", NVME_BYTES(2, 2), RTAP_DEC, NULL),
	[ROW_FEATURE_DWORD] = EVENT_ROW("feature.dword", "Command Dword, from Dword 10", 0, 4, RTAP_HEX),
	[ROW_TELEMETRY] = EVENT_ROW("telemetry.li", "Log Identifier", 0, 1, RTAP_HEX),
	EVENT_ROW("telemetry.ieee", "IEEE OUI", 5, 3, RTAP_HEX32),
	EVENT_ROW("telemetry.dgn", "Controller-Initiated Data Generation Number", 383, 1, RTAP_DEC),
	NVME_ITEM_BYTES("nvme.cmd.get_logpage.persistent.event.telemetry.ri", "Reason Identifier", 384, 128, RTAP_BULK),
	[ROW_EXCURSION] = EVENT_ROW("excursion.over", "Temperature above the Threshold (K)", 0, 1, RTAP_DEC),
	NVME_ITEM("nvme.cmd.get_logpage.persistent.event.excursion.threshold", "Threshold", NVME_BYTES(1, 1), RTAP_DEC, excursion_names),
	[ROW_DATA] = NVME_ITEM_BYTES("nvme.cmd.get_logpage.persistent.event.data", "Event Data", 0, 0, RTAP_BULK),
	[ROW_VENDOR] = NVME_ITEM_BYTES("nvme.cmd.get_logpage.persistent.event.vsi", "Vendor Specific Information", 0, 0, RTAP_BULK),
};

_Static_assert(sizeof persistent_events_fields / sizeof persistent_events_fields[0] == ROW_END, "rows of events");

/* The data of an event, by its type: rows at its start; after `header` bytes, items of `stride` bytes, if that is not 0. */
static const struct event_layout {
	uint8_t type, first, after;
	uint8_t item, item_after;
	uint8_t header, stride;    /* bytes */
	uint8_t rest;              /* where bytes without rows begin; 0: none */
} event_layouts[] = {
	{ 0x01, ROW_HEALTH, ROW_COMMIT, 0, 0, 0, 0, 0 },
	{ 0x02, ROW_COMMIT, ROW_TIMESTAMP, 0, 0, 0, 0, 0 },
	{ 0x03, ROW_TIMESTAMP, ROW_RESET, 0, 0, 0, 0, 0 },
	{ 0x04, ROW_RESET, ROW_RESET_ENTRY, ROW_RESET_ENTRY, ROW_HARDWARE, 8, 36, 0 },
	{ 0x05, ROW_HARDWARE, ROW_NAMESPACE, 0, 0, 0, 0, 4 },
	{ 0x06, ROW_NAMESPACE, ROW_FORMAT, 0, 0, 0, 0, 0 },
	{ 0x07, ROW_FORMAT, ROW_FORMATTED, 0, 0, 0, 0, 0 },
	{ 0x08, ROW_FORMATTED, ROW_SANITIZE, 0, 0, 0, 0, 0 },
	{ 0x09, ROW_SANITIZE, ROW_SANITIZED, 0, 0, 0, 0, 0 },
	{ 0x0a, ROW_SANITIZED, ROW_FEATURE, 0, 0, 0, 0, 0 },
	{ 0x0b, ROW_FEATURE, ROW_FEATURE_DWORD, ROW_FEATURE_DWORD, ROW_TELEMETRY, 4, 4, 0 },
	{ 0x0c, ROW_TELEMETRY, ROW_EXCURSION, 0, 0, 0, 0, 0 },
	{ 0x0d, ROW_EXCURSION, ROW_DATA, 0, 0, 0, 0, 0 },
};

static void visit_bytes(const uint8_t *bytes, const struct rtap_layer *layer, size_t row, uint32_t at, uint32_t end, struct rtap_visitor *visitor)
{
	if (at < end)
		visit_field(visitor, layer, PROTOCOL_NVME_PERSISTENT_EVENTS, row, &(struct rtap_value){ .data = { bytes + at, end - at } },
			    layer->offset + at, end - at);
}

/* The header can be longer than its known part; information of the vendor precedes the data. */
static void visit_event_data(const uint8_t *bytes, const struct rtap_layer *layer, uint32_t at, uint32_t end, struct rtap_visitor *visitor)
{
	const uint8_t *event = bytes + at - EVENT;
	const struct event_layout *layout = event_layouts, *last = layout + sizeof event_layouts / sizeof event_layouts[0];
	uint32_t header = (uint32_t)little_bits(event, EVENT_HEADER_REST) + 3, vendor = (uint32_t)little_bits(event, EVENT_VENDOR);
	uint32_t begin = at - EVENT + (header < EVENT ? EVENT : header), stop;

	begin = begin < end ? begin : end;
	stop = end - begin < vendor ? end : begin + vendor;
	visit_bytes(bytes, layer, ROW_VENDOR, begin, stop, visitor);
	begin = stop;
	while (layout < last && layout->type != event[0])
		layout++;
	if (layout == last) {
		visit_bytes(bytes, layer, ROW_DATA, begin, end, visitor);
		return;
	}
	nvme_visit_rows(bytes, layer, visitor, layout->first, layout->after, begin, end);
	if (layout->rest && end - begin > layout->rest)
		visit_bytes(bytes, layer, ROW_DATA, begin + layout->rest, end, visitor);
	if (!layout->stride)
		return;
	stop = end;
	/* as many dwords as Set Features says, before its data */
	if (layout->type == SET_FEATURES_EVENT && begin + 4 <= end && (bytes[begin] & 7u) * 4 < end - begin - 4)
		stop = begin + 4 + (bytes[begin] & 7u) * 4;
	for (at = begin + layout->header; at < stop && stop - at >= layout->stride; at += layout->stride)
		nvme_visit_rows(bytes, layer, visitor, layout->item, layout->item_after, at, stop);
	if (layout->type == SET_FEATURES_EVENT)
		visit_bytes(bytes, layer, ROW_DATA, stop, end, visitor);
}

/* The header's length counts from after its third byte. */
static uint32_t event_length(const uint8_t *event, uint32_t left)
{
	uint32_t header = (uint32_t)little_bits(event, EVENT_HEADER_REST) + 3, length;

	length = (header < EVENT ? EVENT : header) + (uint32_t)little_bits(event, EVENT_LENGTH);
	return length < left ? length : left;
}

static const struct nvme_groups persistent_events = { "Event", EVENT, event_length, visit_event_data };

static enum result parse_persistent_events(struct parse *parse)
{
	return nvme_parse_groups(parse, PROTOCOL_NVME_PERSISTENT_EVENTS, &persistent_events,
				 (uint32_t)little_bits(parse->cursor.next - 512, NVME_BYTES(4, 4)));
}

static void visit_persistent_events(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	nvme_visit_groups(packet, layer, visitor, &persistent_events);
}

const struct protocol nvme_persistent_events_protocol = {
	.table = { "nvme.cmd.get_logpage.persistent.event", "NVMe Persistent Events", "Base, 5.16.1.14.1", EVENT, FIELDS(persistent_events_fields),
		   .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_persistent_events,
	.visit = visit_persistent_events,
};

/* NVM, 4.1.4.5. */
static const struct rtap_field lba_status_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.lba_status.lslplen", "Length of the Log Page (bytes)", NVME_BYTES(0, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.lba_status.nlslne", "Number of Namespace Elements", NVME_BYTES(4, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.lba_status.estulb", "Estimate of Unrecoverable Logical Blocks", NVME_BYTES(8, 4), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.lba_status.rsvd12", NVME_BYTES(12, 2)),
	NVME_ROW("nvme.cmd.get_logpage.lba_status.lsgc", "Generation Counter", NVME_BYTES(14, 2), RTAP_HEX, NULL),
};

NVME_STRUCTURE(lba_status_log, LBA_STATUS_LOG, "nvme.cmd.get_logpage.lba_status", "NVMe LBA Status Information", "NVM, 4.1.4.5", 16,
	PROTOCOL_NVME_LBA_STATUS_ELEMENTS)

#define ELEMENT 16
#define ELEMENT_RANGES NVME_BYTES(4, 4)
#define WITHOUT_RANGES UINT32_MAX
#define LBA_RANGE 16

enum { ROW_RANGE_SLBA = 4, ROW_RANGE_NLB };

static const struct rtap_name action_names[] = {
	{ 0x10, "Get LBA Status with a scan, of untracked blocks too" }, { 0x11, "Get LBA Status of tracked blocks" }, { 0, NULL },
};

static const struct rtap_field lba_status_elements_fields[] = {
	NVME_EACH("nvme.cmd.get_logpage.lba_status.nel.ne.neid", "Namespace Identifier", NVME_BYTES(0, 4), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.get_logpage.lba_status.nel.ne.nlrd", "Number of LBA Ranges", ELEMENT_RANGES, RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.lba_status.nel.ne.ratype", "Recommended Action", NVME_BYTES(8, 1), RTAP_HEX, action_names),
	BULK("nvme.cmd.get_logpage.lba_status.nel.ne.rsvd9", "Reserved", 9, 7, RTAP_REPEATS),
	[ROW_RANGE_SLBA] = { "nvme.cmd.get_logpage.lba_status.nel.ne.rd.rslba", "First LBA", 0, 64, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS,
			     NULL, NULL, NULL },
	[ROW_RANGE_NLB] = { "nvme.cmd.get_logpage.lba_status.nel.ne.rd.rnlb", "Number of Logical Blocks", 0, 32, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS,
		NULL, NULL, NULL },
};

static uint32_t element_length(const uint8_t *element, uint32_t left)
{
	uint64_t ranges = little_bits(element, ELEMENT_RANGES), length = ELEMENT + (ranges == WITHOUT_RANGES ? 0 : ranges * LBA_RANGE);

	return length < left ? (uint32_t)length : left;
}

static void visit_lba_ranges(const uint8_t *bytes, const struct rtap_layer *layer, uint32_t at, uint32_t end, struct rtap_visitor *visitor)
{
	for (; end - at >= LBA_RANGE; at += LBA_RANGE) {
		visit_field(visitor, layer, PROTOCOL_NVME_LBA_STATUS_ELEMENTS, ROW_RANGE_SLBA,
			    &(struct rtap_value){ .number = little_bits(bytes + at, 0, 64) }, layer->offset + at, 8);
		visit_field(visitor, layer, PROTOCOL_NVME_LBA_STATUS_ELEMENTS, ROW_RANGE_NLB,
			    &(struct rtap_value){ .number = little_bits(bytes + at, 64, 32) }, layer->offset + at + 8, 4);
	}
}

static const struct nvme_groups lba_status_elements = { "Element", ELEMENT, element_length, visit_lba_ranges };

static enum result parse_lba_status_elements(struct parse *parse)
{
	return nvme_parse_groups(parse, PROTOCOL_NVME_LBA_STATUS_ELEMENTS, &lba_status_elements,
				 (uint32_t)little_bits(parse->cursor.next - 16, NVME_BYTES(4, 4)));
}

static void visit_lba_status_elements(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	nvme_visit_groups(packet, layer, visitor, &lba_status_elements);
}

const struct protocol nvme_lba_status_elements_protocol = {
	.table = { "nvme.cmd.get_logpage.lba_status.nel", "NVMe LBA Status Elements", "NVM, 4.1.4.5", ELEMENT, FIELDS(lba_status_elements_fields),
		   .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_lba_status_elements,
	.visit = visit_lba_status_elements,
};

static const struct rtap_field boot_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.boot.li", "Log Identifier", NVME_BYTES(0, 1), RTAP_HEX, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.boot.rsvd1", NVME_BYTES(1, 3)),
	NVME_ROW("nvme.cmd.get_logpage.boot.bpsz", "Boot Partition Size (128 KiB)", NVME_BITS(4, 0, 15), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.boot.rsvd5_7", NVME_BITS(5, 7, 16)),
	NVME_ROW("nvme.cmd.get_logpage.boot.abpid", "Active Boot Partition", NVME_BITS(7, 7, 1), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.boot.rsvd8", NVME_BYTES(8, 8)),
};

NVME_STRUCTURE(boot_log, BOOT_LOG, "nvme.cmd.get_logpage.boot", "NVMe Boot Partition", "Base, 5.16.1.21", 16, PROTOCOL_PAYLOAD)

/* ZNS, 4.1.5.1: zones by their first block. */
static const struct rtap_field changed_zones_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.changed_zones.count", "Number of Zone Identifiers", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.changed_zones.rsvd2", NVME_BYTES(2, 6)),
	{ "nvme.cmd.get_logpage.changed_zones.zid", "Zone Identifier", 0, 64, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
};

enum { ROW_ZONE = 2 };

#define ZONES_HEADER 8
#define ZONE_LENGTH 8
#define ZONE_COUNT NVME_BYTES(0, 2)
#define ZONES_MOST 511

static enum result parse_changed_zones(struct parse *parse)
{
	uint32_t count = parse->cursor.captured >= 2 ? (uint32_t)little_bits(parse->cursor.next, ZONE_COUNT) : 0;

	/* more than fit: 65,535, and no zone is named */
	return structure_parse(parse, PROTOCOL_NVME_CHANGED_ZONES, ZONES_HEADER + (count <= ZONES_MOST ? count * ZONE_LENGTH : 0), PROTOCOL_PAYLOAD);
}

static void visit_changed_zones(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *bytes = layer_bytes(packet, layer);

	for (uint32_t at = ZONES_HEADER; at + ZONE_LENGTH <= layer->length; at += ZONE_LENGTH)
		visit_field(visitor, layer, PROTOCOL_NVME_CHANGED_ZONES, ROW_ZONE, &(struct rtap_value){ .number = little_bits(bytes + at, 0, 64) },
			    layer->offset + at, ZONE_LENGTH);
}

const struct protocol nvme_changed_zones_protocol = {
	.table = { "nvme.cmd.get_logpage.changed_zones", "NVMe Changed Zones", "ZNS, 4.1.5.1", ZONES_HEADER, FIELDS(changed_zones_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_changed_zones,
	.visit = visit_changed_zones,
	.summary = structure_summary,
};
