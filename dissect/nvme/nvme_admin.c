/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Admin commands: dwords 10 to 15. Base, chapter 5.
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/nvme/nvme_admin.h"
#include "dissect/nvme/nvme_features.h"
#include "dissect/nvme/nvme_parts.h"

/* Base, 5.17. */
static const struct rtap_name structure_names[] = {
	{ 0x00, "Namespace" }, { 0x01, "Controller" }, { 0x02, "Active Namespace List" }, { 0x03, "Namespace Identification Descriptors" },
	{ 0x04, "NVM Set List" }, { 0x05, "Namespace, I/O Command Set specific" }, { 0x06, "Controller, I/O Command Set specific" },
	{ 0x07, "Active Namespace List, I/O Command Set specific" }, { 0x08, "Namespace, I/O Command Set independent" },
	{ 0x09, "Namespace, of a User Data Format" }, { 0x0a, "Namespace, of a User Data Format, I/O Command Set specific" },
	{ 0x10, "Allocated Namespace List" }, { 0x11, "Allocated Namespace" }, { 0x12, "Controllers attached to Namespace" },
	{ 0x13, "Controller List" }, { 0x14, "Primary Controller Capabilities" }, { 0x15, "Secondary Controller List" },
	{ 0x16, "Namespace Granularity List" }, { 0x17, "UUID List" }, { 0x18, "Domain List" }, { 0x19, "Endurance Group List" },
	{ 0x1a, "Allocated Namespace List, I/O Command Set specific" }, { 0x1b, "Allocated Namespace, I/O Command Set specific" },
	{ 0x1c, "I/O Command Sets" }, { 0, NULL },
};

static const struct rtap_name command_set_names[] = { { 0, "NVM" }, { 1, "Key Value" }, { 2, "Zoned Namespace" }, { 0, NULL } };

static const struct rtap_field identify_fields[] = {
	NVME_WHOLE("nvme.cmd.identify.dword10", "Dword 10", NVME_AT(0, 0, 32)),
	{ "nvme.cmd.identify.dword10.cns", "Controller or Namespace Structure", NVME_AT(0, 0, 8), RTAP_HEX32, RTAP_LITTLE | RTAP_OPCODE, structure_names,
	  NULL, NULL },
	NVME_ROW("nvme.cmd.identify.dword10.rsvd", "Reserved", NVME_AT(0, 8, 8), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.dword10.cntid", "Controller Identifier", NVME_AT(0, 16, 16), RTAP_HEX32, NULL),
	NVME_WHOLE("nvme.cmd.identify.dword11", "Dword 11", NVME_AT(1, 0, 32)),
	NVME_ROW("nvme.cmd.identify.dwrod11.nvmesetid", "CNS Specific Identifier", NVME_AT(1, 0, 16), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.dword11.rsvd", "Reserved", NVME_AT(1, 16, 8), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.dword11.csi", "Command Set Identifier", NVME_AT(1, 24, 8), RTAP_HEX32, command_set_names),
	NVME_ROW("nvme.cmd.dword12", "Dword 12", NVME_AT(2, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.dword13", "Dword 13", NVME_AT(3, 0, 32), RTAP_HEX, NULL),
	NVME_WHOLE("nvme.cmd.identify.dword14", "Dword 14", NVME_AT(4, 0, 32)),
	NVME_ROW("nvme.cmd.identify.dword14.uuid_index", "UUID Index", NVME_AT(4, 0, 7), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.dword14.rsvd", "Reserved", NVME_AT(4, 7, 25), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.dword15", "Dword 15", NVME_AT(5, 0, 32), RTAP_HEX, NULL),
};

NVME_PART(identify, IDENTIFY, "nvme.cmd.identify", "NVMe Identify", "Base, 5.17")

/* Base, 5.16. */
static const struct rtap_name log_page_names[] = {
	{ 0x00, "Supported Log Pages" }, { 0x01, "Error Information" }, { 0x02, "SMART / Health Information" }, { 0x03, "Firmware Slot Information" },
	{ 0x04, "Changed Namespace List" }, { 0x05, "Commands Supported and Effects" }, { 0x06, "Device Self-test" },
	{ 0x07, "Telemetry Host-Initiated" }, { 0x08, "Telemetry Controller-Initiated" }, { 0x09, "Endurance Group Information" },
	{ 0x0a, "Predictable Latency Per NVM Set" }, { 0x0b, "Predictable Latency Event Aggregate" }, { 0x0c, "Asymmetric Namespace Access" },
	{ 0x0d, "Persistent Event Log" }, { 0x0e, "LBA Status Information" }, { 0x0f, "Endurance Group Event Aggregate" },
	{ 0x10, "Media Unit Status" }, { 0x11, "Supported Capacity Configuration List" }, { 0x12, "Feature Identifiers Supported and Effects" },
	{ 0x13, "NVMe-MI Commands Supported and Effects" }, { 0x14, "Command and Feature Lockdown" }, { 0x15, "Boot Partition" },
	{ 0x16, "Rotational Media Information" }, { 0x20, "FDP Configurations" }, { 0x21, "FDP Reclaim Unit Handle Usage" }, { 0x22, "FDP Statistics" },
	{ 0x23, "FDP Events" }, { 0x70, "Discovery" }, { 0x80, "Reservation Notification" }, { 0x81, "Sanitize Status" },
	{ 0xbf, "Changed Zone List" }, { 0, NULL },
};

static bool derive_log_dwords(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = little_bits(layer_bytes(packet, layer), NVME_AT(0, 16, 32));
	return layer->length == NVME_PART_LENGTH;
}

static const struct rtap_field log_page_fields[] = {
	NVME_WHOLE("nvme.cmd.get_logpage.dword10", "Dword 10", NVME_AT(0, 0, 32)),
	{ "nvme.cmd.get_logpage.dword10.id", "Log Page Identifier", NVME_AT(0, 0, 8), RTAP_DEC, RTAP_LITTLE | RTAP_OPCODE, log_page_names, NULL, NULL },
	NVME_ROW("nvme.cmd.get_logpage.dword10.lsp", "Log Specific Parameter", NVME_AT(0, 8, 5), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.get_logpage.dword10.rsvd", "Log Specific Parameter, high", NVME_AT(0, 13, 2), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.get_logpage.dword10.rae", "Retain Asynchronous Event", NVME_AT(0, 15, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.dword10.numdl", "Number of Dwords, lower half", NVME_AT(0, 16, 16), RTAP_HEX32, NULL),
	{ "nvme.cmd.get_logpage.numd", "Number of Dwords less 1", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_log_dwords, NULL },
	NVME_WHOLE("nvme.cmd.get_logpage.dword11", "Dword 11", NVME_AT(1, 0, 32)),
	NVME_ROW("nvme.cmd.get_logpage.dword11.numdu", "Number of Dwords, upper half", NVME_AT(1, 0, 16), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.get_logpage.dword11.lsi", "Log Specific Identifier", NVME_AT(1, 16, 16), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.get_logpage.lpo", "Log Page Offset", NVME_AT(2, 0, 64), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.get_logpage.dword14", "Dword 14", NVME_AT(4, 0, 32)),
	NVME_ROW("nvme.cmd.identify.get_logpage.dword14.uuid_index", "UUID Index", NVME_AT(4, 0, 7), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.get_logpage.dword14.rsvd", "Reserved", NVME_AT(4, 7, 16), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.get_logpage.dword14.ot", "Offset Type", NVME_AT(4, 23, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.dword14.csi", "Command Set Identifier", NVME_AT(4, 24, 8), RTAP_HEX32, command_set_names),
	NVME_ROW("nvme.cmd.dword15", "Dword 15", NVME_AT(5, 0, 32), RTAP_HEX, NULL),
};

NVME_PART(log_page, LOG_PAGE, "nvme.cmd.get_logpage", "NVMe Get Log Page", "Base, 5.16")

/* Base, 5.27.1; NVM, 4.1.3. */
static const struct rtap_name feature_names[] = {
	{ 0x01, "Arbitration" }, { 0x02, "Power Management" }, { 0x03, "LBA Range Type" }, { 0x04, "Temperature Threshold" },
	{ 0x05, "Error Recovery" }, { 0x06, "Volatile Write Cache" }, { 0x07, "Number of Queues" }, { 0x08, "Interrupt Coalescing" },
	{ 0x09, "Interrupt Vector Configuration" }, { 0x0a, "Write Atomicity Normal" }, { 0x0b, "Asynchronous Event Configuration" },
	{ 0x0c, "Autonomous Power State Transition" }, { 0x0d, "Host Memory Buffer" }, { 0x0e, "Timestamp" }, { 0x0f, "Keep Alive Timer" },
	{ 0x10, "Host Controlled Thermal Management" }, { 0x11, "Non-Operational Power State Config" }, { 0x12, "Read Recovery Level Config" },
	{ 0x13, "Predictable Latency Mode Config" }, { 0x14, "Predictable Latency Mode Window" }, { 0x15, "LBA Status Information Report Interval" },
	{ 0x16, "Host Behavior Support" }, { 0x17, "Sanitize Config" }, { 0x18, "Endurance Group Event Configuration" },
	{ 0x19, "I/O Command Set Profile" }, { 0x1a, "Spinup Control" }, { 0x1d, "Flexible Data Placement" }, { 0x1e, "Flexible Data Placement Events" },
	{ 0x78, "Discovery Host Identifier" }, { 0x7d, "Enhanced Controller Metadata" },
	{ 0x7e, "Controller Metadata" }, { 0x7f, "Namespace Metadata" }, { 0x80, "Software Progress Marker" }, { 0x81, "Host Identifier" },
	{ 0x82, "Reservation Notification Mask" }, { 0x83, "Reservation Persistence" }, { 0x84, "Namespace Write Protection Config" }, { 0, NULL },
};

/* Bits of dword 11 or 12 of a feature with one, from dword 10. */
static bool derive_of_feature(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint8_t feature,
			      unsigned low, unsigned width)
{
	const uint8_t *dwords = layer_bytes(packet, layer);

	value->number = little_bits(dwords, low, width);
	return dwords[0] == feature;
}

#define OF_FEATURE(name, feature, low, width) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return derive_of_feature(packet, layer, value, feature, 32 + (low), width); \
	}

#define OF_LISTED(name, feature, low, width, show, filter, label) OF_FEATURE(name, feature, low, width)
#define OF_SET(name, feature, dword, low, width, show, filter, label) OF_FEATURE(name, feature, ((dword) - 11) * 32 + (low), width)
NVME_FEATURES(OF_LISTED)
NVME_SET_FEATURES(OF_SET)
OF_FEATURE(queues, NVME_FEATURE_QUEUES, 0, 32)
OF_FEATURE(events, 0x0b, 0, 32)
OF_FEATURE(submission_queues, NVME_FEATURE_QUEUES, 0, 16)
OF_FEATURE(completion_queues, NVME_FEATURE_QUEUES, 16, 16)

#define FEATURE_ROW(name, label, low, width, show, derive) \
	{ "nvme.cmd.set_features.dword11." name, label, NVME_AT(1, low, width), show, RTAP_LITTLE | RTAP_SOMETIMES | RTAP_COMPARED, NULL, derive, NULL }

#define LISTED_ROW(name, feature, low, width, show, filter, label) FEATURE_ROW(filter, label, low, width, show, derive_##name),

#define SET_ROW(name, feature, dword, low, width, show, filter, label) \
	{ "nvme.cmd.set_features." filter, label, NVME_AT((dword) - 10, low, width), show, RTAP_LITTLE | RTAP_SOMETIMES | RTAP_COMPARED, NULL, \
	  derive_##name, NULL },

/* A feature whose bits are not given one by one. */
static bool derive_plain(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *dwords = layer_bytes(packet, layer);

	value->number = little_bits(dwords, NVME_AT(1, 0, 32));
	return !nvme_has_attributes(dwords[0]);
}

/* The dwords of a feature that is not of an NVM set. */
static bool derive_plain11(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *dwords = layer_bytes(packet, layer);

	value->number = little_bits(dwords, NVME_AT(1, 0, 32));
	return !nvme_is_of_set(dwords[0]);
}

static bool derive_plain12(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *dwords = layer_bytes(packet, layer);

	value->number = little_bits(dwords, NVME_AT(2, 0, 32));
	return !nvme_is_of_set(dwords[0]);
}

static const struct rtap_field set_features_fields[] = {
	NVME_WHOLE("nvme.cmd.set_features.dword10", "Dword 10", NVME_AT(0, 0, 32)),
	{ "nvme.cmd.set_features.dword10.fid", "Feature Identifier", NVME_AT(0, 0, 8), RTAP_HEX32, RTAP_LITTLE | RTAP_OPCODE, feature_names, NULL, NULL },
	NVME_ROW("nvme.cmd.set_features.dword10.rsvd", "Reserved", NVME_AT(0, 8, 23), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.set_features.dword10.sv", "Save", NVME_AT(0, 31, 1), RTAP_HEX32, NULL),
	{ "nvme.cmd.dword11", "Dword 11", NVME_AT(1, 0, 32), RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES, NULL, derive_plain, NULL },
	FEATURE_ROW("nq", "Number of Queues", 0, 32, RTAP_HEX, derive_queues),
	FEATURE_ROW("aec", "Asynchronous Event Configuration", 0, 32, RTAP_HEX, derive_events),
	FEATURE_ROW("nq.nsqr", "Number of I/O Submission Queues Requested less 1", 0, 16, RTAP_DEC, derive_submission_queues),
	FEATURE_ROW("nq.ncqr", "Number of I/O Completion Queues Requested less 1", 16, 16, RTAP_DEC, derive_completion_queues),
	NVME_FEATURES(LISTED_ROW)
	{ "nvme.cmd.dword12", "Dword 12", NVME_AT(2, 0, 32), RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES, NULL, derive_plain12, NULL },
	NVME_SET_FEATURES(SET_ROW)
	NVME_ROW("nvme.cmd.dword13", "Dword 13", NVME_AT(3, 0, 32), RTAP_HEX, NULL),
	NVME_WHOLE("nvme.cmd.set_features.dword14", "Dword 14", NVME_AT(4, 0, 32)),
	NVME_ROW("nvme.cmd.set_features.dword14.uuid", "UUID Index", NVME_AT(4, 0, 7), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.set_features.dword14.rsvd", "Reserved", NVME_AT(4, 7, 25), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.dword15", "Dword 15", NVME_AT(5, 0, 32), RTAP_HEX, NULL),
};

NVME_PART(set_features, SET_FEATURES, "nvme.cmd.set_features", "NVMe Set Features", "Base, 5.27")

static const struct rtap_name select_names[] = {
	{ 0, "current" }, { 1, "default" }, { 2, "saved" }, { 3, "supported capabilities" }, { 0, NULL },
};

#define SET_OF(name, derive) \
	{ name, "NVM Set Identifier", NVME_AT(1, 0, 16), RTAP_HEX32, RTAP_LITTLE | RTAP_SOMETIMES | RTAP_COMPARED, NULL, derive, NULL }

static const struct rtap_field get_features_fields[] = {
	NVME_WHOLE("nvme.cmd.get_features.dword10", "Dword 10", NVME_AT(0, 0, 32)),
	{ "nvme.cmd.get_features.dword10.fid", "Feature Identifier", NVME_AT(0, 0, 8), RTAP_HEX32, RTAP_LITTLE | RTAP_OPCODE, feature_names, NULL, NULL },
	NVME_ROW("nvme.cmd.set_features.dword10.sel", "Select", NVME_AT(0, 8, 3), RTAP_HEX32, select_names),
	NVME_ROW("nvme.cmd.get_features.dword10.rsvd", "Reserved", NVME_AT(0, 11, 21), RTAP_HEX32, NULL),
	{ "nvme.cmd.dword11", "Dword 11", NVME_AT(1, 0, 32), RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES, NULL, derive_plain11, NULL },
	SET_OF("nvme.cmd_get_features.dword11.rrl.nvmsetid", derive_recovery_set),
	SET_OF("nvme.cmd.get_features.dword11.plmc.nvmsetid", derive_latency_set),
	SET_OF("nvme.cmd.get_features.dword11.plmw.nvmsetid", derive_window_set),
	NVME_ROW("nvme.cmd.dword12", "Dword 12", NVME_AT(2, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.dword13", "Dword 13", NVME_AT(3, 0, 32), RTAP_HEX, NULL),
	NVME_WHOLE("nvme.cmd.get_features.dword14", "Dword 14", NVME_AT(4, 0, 32)),
	NVME_ROW("nvme.cmd.get_features.dword14.uuid", "UUID Index", NVME_AT(4, 0, 7), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.get_features.dword14.rsvd", "Reserved", NVME_AT(4, 7, 25), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.dword15", "Dword 15", NVME_AT(5, 0, 32), RTAP_HEX, NULL),
};

NVME_PART(get_features, GET_FEATURES, "nvme.cmd.get_features", "NVMe Get Features", "Base, 5.15")

/* Base, 5.1. */
static const struct rtap_field abort_fields[] = {
	NVME_ROW("nvme.cmd.abort.sqid", "Submission Queue Identifier", NVME_AT(0, 0, 16), RTAP_DEC, NULL),
	{ "nvme.cmd.abort.cid", "Command Identifier", NVME_AT(0, 16, 16), RTAP_HEX, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },
	{ "nvme.cmd.abort.rsvd", "Reserved", 32, 160, RTAP_BYTES, 0, NULL, NULL, NULL },
};

NVME_PART(abort, ABORT, "nvme.cmd.abort", "NVMe Abort", "Base, 5.1")

uint16_t nvme_admin_part(uint8_t opcode)
{
	switch (opcode) {
	case NVME_IDENTIFY: return PROTOCOL_NVME_IDENTIFY;
	case NVME_GET_LOG_PAGE: return PROTOCOL_NVME_LOG_PAGE;
	case NVME_SET_FEATURES: return PROTOCOL_NVME_SET_FEATURES;
	case NVME_GET_FEATURES: return PROTOCOL_NVME_GET_FEATURES;
	case NVME_ABORT: return PROTOCOL_NVME_ABORT;
	default: return PROTOCOL_NVME_DWORDS;
	}
}

const char *nvme_admin_subject(uint16_t part, uint8_t number)
{
	switch (part) {
	case PROTOCOL_NVME_IDENTIFY: return rtap_name_of(structure_names, number);
	case PROTOCOL_NVME_LOG_PAGE: return rtap_name_of(log_page_names, number);
	case PROTOCOL_NVME_SET_FEATURES:
	case PROTOCOL_NVME_GET_FEATURES: return rtap_name_of(feature_names, number);
	default: return NULL;
	}
}
