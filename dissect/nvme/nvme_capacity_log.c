/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of Get Log Page: media units, capacity configurations, commands and features that can be locked. Base, 5.16.1.16, 5.16.1.17 and 5.16.1.20.
 */
#include "config.h"

#include "dissect/nvme/nvme_structure.h"

#define BULK(name, at, length, more) { name, "Reserved", NVME_BYTES(at, length), RTAP_BYTES, RTAP_BULK | (more), NULL, NULL, NULL }

static const struct rtap_field media_unit_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.media_unit.nmu", "Number of Media Units", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.media_unit.cchans", "Number of Channels", NVME_BYTES(2, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.media_unit.sconf", "Selected Configuration", NVME_BYTES(4, 2), RTAP_DEC, NULL),
	BULK("nvme.cmd.get_logpage.media_unit.rsvd6", 6, 10, 0),
};

NVME_STRUCTURE(media_unit_log, MEDIA_UNIT_LOG, "nvme.cmd.get_logpage.media_unit", "NVMe Media Unit Status", "Base, 5.16.1.16", 16,
	PROTOCOL_NVME_MEDIA_UNITS)

/* A unit: the channels' identifiers are at an offset that it names. */
#define UNIT 14
#define UNIT_CHANNELS NVME_BYTES(12, 1)
#define UNIT_CHANNELS_AT NVME_BYTES(13, 1)

enum { ROW_CHANNEL = 9 };

static const struct rtap_field media_units_fields[] = {
	NVME_EACH("nvme.cmd.get_logpage.media_unit.unit.muid", "Media Unit Identifier", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.media_unit.unit.did", "Domain Identifier", NVME_BYTES(2, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.media_unit.unit.endgid", "Endurance Group Identifier", NVME_BYTES(4, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.media_unit.unit.nvmsetid", "NVM Set Identifier", NVME_BYTES(6, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.media_unit.unit.caf", "Capacity Adjustment Factor (%)", NVME_BYTES(8, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.media_unit.unit.as", "Available Spare (%)", NVME_BYTES(10, 1), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.media_unit.unit.pu", "Percentage Used", NVME_BYTES(11, 1), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.media_unit.unit.mucs", "Number of Channels of the Unit", UNIT_CHANNELS, RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.media_unit.unit.cio", "Offset of the Channel Identifiers (bytes)", UNIT_CHANNELS_AT, RTAP_DEC, NULL),
	[ROW_CHANNEL] = NVME_ITEM("nvme.cmd.get_logpage.media_unit.unit.chanid", "Channel Identifier", NVME_BYTES(0, 2), RTAP_DEC, NULL),
};

static uint32_t unit_length(const uint8_t *unit, uint32_t left)
{
	uint32_t channels = (uint32_t)little_bits(unit, UNIT_CHANNELS), at = (uint32_t)little_bits(unit, UNIT_CHANNELS_AT);
	uint32_t length = channels && at >= UNIT ? at + channels * 2 : UNIT;

	return length < left ? length : left;
}

static void visit_channels(const uint8_t *bytes, const struct rtap_layer *layer, uint32_t at, uint32_t end, struct rtap_visitor *visitor)
{
	const uint8_t *unit = bytes + at - UNIT;

	for (at += (uint32_t)little_bits(unit, UNIT_CHANNELS_AT) - UNIT; at < end; at += 2)
		nvme_visit_rows(bytes, layer, visitor, ROW_CHANNEL, ROW_CHANNEL + 1, at, end);
}

static void visit_unit_items(const uint8_t *bytes, const struct rtap_layer *layer, uint32_t at, uint32_t end, struct rtap_visitor *visitor)
{
	if (end > at)
		visit_channels(bytes, layer, at, end, visitor);
}

static const struct nvme_groups media_units = { "Unit", UNIT, unit_length, visit_unit_items };

/* The protocol of groups; their number is `count` bits of the structure of `before` bytes before them. */
#define GROUPS(name, identifier, before, count, filter, label, section, header) \
	static enum result parse_##name(struct parse *parse) \
	{ \
		return nvme_parse_groups(parse, PROTOCOL_NVME_##identifier, &name, (uint32_t)little_bits(parse->cursor.next - (before), count)); \
	} \
	static void visit_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor) \
	{ \
		nvme_visit_groups(packet, layer, visitor, &name); \
	} \
	const struct protocol nvme_##name##_protocol = { \
		.table = { filter, label, section, header, FIELDS(name##_fields), .in_units = true }, \
		.scope = SCOPE_CALL, \
		.parse = parse_##name, \
		.visit = visit_##name, \
	};

GROUPS(media_units, MEDIA_UNITS, 16, NVME_BYTES(0, 2), "nvme.cmd.get_logpage.media_unit.unit", "NVMe Media Units", "Base, 5.16.1.16", UNIT)

static const struct rtap_field capacity_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.capacity.sccn", "Number of Configurations", NVME_BYTES(0, 1), RTAP_DEC, NULL),
	BULK("nvme.cmd.get_logpage.capacity.rsvd1", 1, 15, 0),
};

NVME_STRUCTURE(capacity_log, CAPACITY_LOG, "nvme.cmd.get_logpage.capacity", "NVMe Supported Capacity Configurations", "Base, 5.16.1.17", 16,
	PROTOCOL_NVME_CAPACITY_CONFIGURATIONS)

/* A configuration has endurance groups, a group NVM sets and channels, a channel media units. */
#define CONFIGURATION 32
#define CONFIGURATION_GROUPS NVME_BYTES(4, 2)
#define GROUP 82 /* bytes before the identifiers of NVM sets, whose number is at the end */
#define CHANNEL 4
#define MEDIA_UNIT 8

enum { ROW_GROUP = 4, ROW_SET = 12, ROW_CHANNELS, ROW_CONFIGURED_CHANNEL, ROW_MEDIA_UNIT = 16, ROW_AFTER = 19 };

static const struct rtap_field capacity_configurations_fields[] = {
	NVME_EACH("nvme.cmd.get_logpage.capacity.config.id", "Capacity Configuration Identifier", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.capacity.config.did", "Domain Identifier", NVME_BYTES(2, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.capacity.config.egcn", "Number of Endurance Groups", CONFIGURATION_GROUPS, RTAP_DEC, NULL),
	BULK("nvme.cmd.get_logpage.capacity.config.rsvd6", 6, 26, RTAP_REPEATS),
	[ROW_GROUP] = NVME_ITEM("nvme.cmd.get_logpage.capacity.endgrp.id", "Endurance Group Identifier", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	NVME_ITEM("nvme.cmd.get_logpage.capacity.endgrp.caf", "Capacity Adjustment Factor (%)", NVME_BYTES(2, 2), RTAP_DEC, NULL),
	NVME_ITEM_BYTES("nvme.cmd.get_logpage.capacity.endgrp.rsvd4", "Reserved", 4, 12, RTAP_BULK),
	NVME_ITEM_BYTES("nvme.cmd.get_logpage.capacity.endgrp.tegcap", "Total Capacity (bytes)", 16, 16, 0),
	NVME_ITEM_BYTES("nvme.cmd.get_logpage.capacity.endgrp.segcap", "Spare Capacity (bytes)", 32, 16, 0),
	NVME_ITEM_BYTES("nvme.cmd.get_logpage.capacity.endgrp.ee", "Endurance Estimate (10^9 bytes)", 48, 16, 0),
	NVME_ITEM_BYTES("nvme.cmd.get_logpage.capacity.endgrp.rsvd64", "Reserved", 64, 16, RTAP_BULK),
	NVME_ITEM("nvme.cmd.get_logpage.capacity.endgrp.egsets", "Number of NVM Sets", NVME_BYTES(80, 2), RTAP_DEC, NULL),
	[ROW_SET] = NVME_ITEM("nvme.cmd.get_logpage.capacity.endgrp.nvmsetid", "NVM Set Identifier", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	[ROW_CHANNELS] = NVME_ITEM("nvme.cmd.get_logpage.capacity.endgrp.egchans", "Number of Channels", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	[ROW_CONFIGURED_CHANNEL] = NVME_ITEM("nvme.cmd.get_logpage.capacity.chan.id", "Channel Identifier", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	NVME_ITEM("nvme.cmd.get_logpage.capacity.chan.chmus", "Number of Media Units of the Channel", NVME_BYTES(2, 2), RTAP_DEC, NULL),
	[ROW_MEDIA_UNIT] = NVME_ITEM("nvme.cmd.get_logpage.capacity.unit.muid", "Media Unit Identifier", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	NVME_ITEM_BYTES("nvme.cmd.get_logpage.capacity.unit.rsvd2", "Reserved", 2, 4, RTAP_BULK),
	NVME_ITEM("nvme.cmd.get_logpage.capacity.unit.mudl", "Media Unit Descriptor Length (bytes)", NVME_BYTES(6, 2), RTAP_DEC, NULL),
};

/* Shows rows, if there is a visitor, and moves `at` to their end. False: it is beyond `end`. */
static bool pass(const uint8_t *bytes, const struct rtap_layer *layer, struct rtap_visitor *visitor, size_t first, size_t after, uint32_t length,
		 uint32_t *at, uint32_t end)
{
	if (end - *at < length)
		return false;
	if (visitor)
		nvme_visit_rows(bytes, layer, visitor, first, after, *at, *at + length);
	*at += length;
	return true;
}

/* The same for the endurance group at `at`, with all that belongs to it. */
static bool pass_group(const uint8_t *bytes, const struct rtap_layer *layer, struct rtap_visitor *visitor, uint32_t *at, uint32_t end)
{
	uint32_t sets, channels, units;

	if (!pass(bytes, layer, visitor, ROW_GROUP, ROW_SET, GROUP, at, end))
		return false;
	for (sets = (uint32_t)little_bits(bytes + *at - 2, 0, 16); sets; sets--)
		if (!pass(bytes, layer, visitor, ROW_SET, ROW_CHANNELS, 2, at, end))
			return false;
	if (!pass(bytes, layer, visitor, ROW_CHANNELS, ROW_CONFIGURED_CHANNEL, 2, at, end))
		return false;
	for (channels = (uint32_t)little_bits(bytes + *at - 2, 0, 16); channels; channels--) {
		if (!pass(bytes, layer, visitor, ROW_CONFIGURED_CHANNEL, ROW_MEDIA_UNIT, CHANNEL, at, end))
			return false;
		for (units = (uint32_t)little_bits(bytes + *at - 2, 0, 16); units; units--)
			if (!pass(bytes, layer, visitor, ROW_MEDIA_UNIT, ROW_AFTER, MEDIA_UNIT, at, end))
				return false;
	}
	return true;
}

static uint32_t configuration_length(const uint8_t *configuration, uint32_t left)
{
	uint32_t groups = (uint32_t)little_bits(configuration, CONFIGURATION_GROUPS), at = CONFIGURATION;

	for (; groups; groups--)
		if (!pass_group(configuration, NULL, NULL, &at, left))
			return left;
	return at;
}

static void visit_configuration(const uint8_t *bytes, const struct rtap_layer *layer, uint32_t at, uint32_t end, struct rtap_visitor *visitor)
{
	while (at < end && pass_group(bytes, layer, visitor, &at, end))
		;
}

static const struct nvme_groups capacity_configurations = { "Configuration", CONFIGURATION, configuration_length, visit_configuration };

GROUPS(capacity_configurations, CAPACITY_CONFIGURATIONS, 16, NVME_BYTES(0, 1), "nvme.cmd.get_logpage.capacity.config", "NVMe Capacity Configurations",
	"Base, 5.16.1.17", CONFIGURATION)

/* Command and Feature Lockdown: a list of opcodes or of feature identifiers. */
static const struct rtap_name lockdown_contents_names[] = {
	{ 0, "can be prohibited" }, { 1, "prohibited on admin queues" }, { 2, "prohibited out-of-band" }, { 0, NULL },
};
static const struct rtap_name lockdown_scope_names[] = {
	{ 0, "admin opcodes" }, { 2, "features" }, { 3, "management opcodes" }, { 4, "PCIe opcodes" }, { 0, NULL },
};

#define LOCKDOWN 4
#define LOCKDOWN_LENGTH NVME_BYTES(3, 1)

enum { ROW_LOCKED = 6 };

static const struct rtap_field lockdown_log_fields[] = {
	NVME_WHOLE("nvme.cmd.get_logpage.lockdown.cfila", "Command and Feature Identifier List Attributes", NVME_BYTES(0, 1)),
	NVME_ROW("nvme.cmd.get_logpage.lockdown.cfila.ss", "Scope", NVME_BITS(0, 0, 4), RTAP_HEX, lockdown_scope_names),
	NVME_ROW("nvme.cmd.get_logpage.lockdown.cfila.cs", "Contents", NVME_BITS(0, 4, 2), RTAP_HEX, lockdown_contents_names),
	NVME_RESERVED("nvme.cmd.get_logpage.lockdown.rsvd0_6", NVME_BITS(0, 6, 2)),
	NVME_RESERVED("nvme.cmd.get_logpage.lockdown.rsvd1", NVME_BYTES(1, 2)),
	NVME_ROW("nvme.cmd.get_logpage.lockdown.lngth", "Length of the List", LOCKDOWN_LENGTH, RTAP_DEC, NULL),
	[ROW_LOCKED] = NVME_ITEM("nvme.cmd.get_logpage.lockdown.cfi", "Command or Feature Identifier", NVME_BYTES(0, 1), RTAP_HEX, NULL),
};

static enum result parse_lockdown_log(struct parse *parse)
{
	uint32_t count = parse->cursor.captured >= LOCKDOWN ? (uint32_t)little_bits(parse->cursor.next, LOCKDOWN_LENGTH) : 0;

	return structure_parse(parse, PROTOCOL_NVME_LOCKDOWN_LOG, LOCKDOWN + count, PROTOCOL_PAYLOAD);
}

static void visit_lockdown_log(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	for (uint32_t at = LOCKDOWN; at < layer->length; at++)
		nvme_visit_rows(layer_bytes(packet, layer), layer, visitor, ROW_LOCKED, ROW_LOCKED + 1, at, layer->length);
}

const struct protocol nvme_lockdown_log_protocol = {
	.table = { "nvme.cmd.get_logpage.lockdown", "NVMe Command and Feature Lockdown", "Base, 5.16.1.20", LOCKDOWN, FIELDS(lockdown_log_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_lockdown_log,
	.visit = visit_lockdown_log,
	.summary = structure_summary,
};
