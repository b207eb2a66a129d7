/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>

#include "dissect/nvme/nvme_structure.h"

/* Places in a command. */
#define CNS 320, 8
#define CNS_COMMAND_SET 376, 8
#define LOG_PAGE 320, 8
#define LOG_OFFSET 384, 64
#define LOG_OFFSET_IS_INDEX 471, 1
#define FEATURE 320, 8
#define COPY_FORMAT 392, 4
#define SECURITY_PROTOCOL 344, 8

#define SECURITY_NVME 0xe9 /* SPC-5, 7.7.1.4 */

#define DISCOVERY_ENTRY 1024

/* Command Set Identifiers: Base, figure 274. */
static uint16_t of_command_set(const uint8_t *command, uint16_t of_nvm, uint16_t of_zns)
{
	switch (little_bits(command, CNS_COMMAND_SET)) {
	case 0: return of_nvm;
	case 2: return of_zns;
	default: return PROTOCOL_PAYLOAD;
	}
}

/* Base, 5.17. */
static uint16_t of_identify(const uint8_t *command)
{
	switch (little_bits(command, CNS)) {
	case 0x00: case 0x09: case 0x11: return PROTOCOL_NVME_NAMESPACE;
	case 0x01: return PROTOCOL_NVME_CONTROLLER;
	case 0x02: case 0x07: case 0x10: case 0x1a: return PROTOCOL_NVME_NAMESPACE_LIST;
	case 0x03: return PROTOCOL_NVME_NAMESPACE_DESCRIPTORS;
	case 0x04: return PROTOCOL_NVME_NVM_SET_LIST;
	case 0x05: case 0x0a: case 0x1b: return of_command_set(command, PROTOCOL_NVME_NAMESPACE_NVM, PROTOCOL_NVME_NAMESPACE_ZNS);
	case 0x06: return of_command_set(command, PROTOCOL_NVME_CONTROLLER_NVM, PROTOCOL_NVME_CONTROLLER_ZNS);
	case 0x08: return PROTOCOL_NVME_INDEPENDENT;
	case 0x12: case 0x13: return PROTOCOL_NVME_CONTROLLER_LIST;
	case 0x14: return PROTOCOL_NVME_PRIMARY;
	case 0x15: return PROTOCOL_NVME_SECONDARY_LIST;
	case 0x16: return PROTOCOL_NVME_GRANULARITY_LIST;
	case 0x17: return PROTOCOL_NVME_UUID_LIST;
	case 0x18: return PROTOCOL_NVME_DOMAIN_LIST;
	case 0x19: return PROTOCOL_NVME_ENDURANCE_LIST;
	case 0x1c: return PROTOCOL_NVME_COMMAND_SETS;
	default: return PROTOCOL_PAYLOAD;
	}
}

/* Base, 5.16. Data at an offset within the page is shown only for pages of equal parts. */
static uint16_t of_log_page(const uint8_t *command)
{
	uint64_t offset = little_bits(command, LOG_OFFSET), page = little_bits(command, LOG_PAGE);

	if (little_bits(command, LOG_OFFSET_IS_INDEX))
		return PROTOCOL_PAYLOAD;
	if (page == 0x70 && offset && offset % DISCOVERY_ENTRY == 0)
		return PROTOCOL_NVME_DISCOVERY_ENTRIES;
	if (offset)
		return PROTOCOL_PAYLOAD;
	switch (page) {
	case 0x00: return PROTOCOL_NVME_SUPPORTED_PAGES;
	case 0x01: return PROTOCOL_NVME_ERROR_LOG;
	case 0x02: return PROTOCOL_NVME_SMART_LOG;
	case 0x03: return PROTOCOL_NVME_FIRMWARE_LOG;
	case 0x04: return PROTOCOL_NVME_CHANGED_NAMESPACES;
	case 0x05: return PROTOCOL_NVME_COMMAND_EFFECTS;
	case 0x06: return PROTOCOL_NVME_TEST_LOG;
	case 0x07: case 0x08: return PROTOCOL_NVME_TELEMETRY_LOG;
	case 0x09: return PROTOCOL_NVME_ENDURANCE_LOG;
	case 0x0a: return PROTOCOL_NVME_LATENCY_LOG;
	case 0x0b: return PROTOCOL_NVME_LATENCY_EVENTS;
	case 0x0c: return PROTOCOL_NVME_ANA_LOG;
	case 0x0d: return PROTOCOL_NVME_PERSISTENT_LOG;
	case 0x0e: return PROTOCOL_NVME_LBA_STATUS_LOG;
	case 0x0f: return PROTOCOL_NVME_ENDURANCE_EVENTS;
	case 0x10: return PROTOCOL_NVME_MEDIA_UNIT_LOG;
	case 0x11: return PROTOCOL_NVME_CAPACITY_LOG;
	case 0x12: return PROTOCOL_NVME_FEATURE_EFFECTS;
	case 0x13: return PROTOCOL_NVME_MI_EFFECTS;
	case 0x14: return PROTOCOL_NVME_LOCKDOWN_LOG;
	case 0x15: return PROTOCOL_NVME_BOOT_LOG;
	case 0x16: return PROTOCOL_NVME_ROTATIONAL_LOG;
	case 0x70: return PROTOCOL_NVME_DISCOVERY_LOG;
	case 0x80: return PROTOCOL_NVME_RESERVATION_LOG;
	case 0x81: return PROTOCOL_NVME_SANITIZE_LOG;
	case 0xbf: return PROTOCOL_NVME_CHANGED_ZONES;
	default: return PROTOCOL_PAYLOAD;
	}
}

/* Base, 5.27.1; NVM, 4.1.3. */
static uint16_t of_feature(const uint8_t *command)
{
	switch (little_bits(command, FEATURE)) {
	case 0x03: return PROTOCOL_NVME_LBA_RANGES;
	case 0x0c: return PROTOCOL_NVME_POWER_TRANSITIONS;
	case 0x0e: return PROTOCOL_NVME_TIMESTAMP;
	case 0x13: return PROTOCOL_NVME_LATENCY_CONFIG;
	case 0x16: return PROTOCOL_NVME_HOST_BEHAVIOR;
	case 0x81: return PROTOCOL_NVME_HOST_IDENTIFIER;
	default: return PROTOCOL_PAYLOAD;
	}
}

/* NVM, 3.2.2. */
static uint16_t of_copy(const uint8_t *command)
{
	switch (little_bits(command, COPY_FORMAT)) {
	case 0: return PROTOCOL_NVME_COPY_RANGES;
	case 1: return PROTOCOL_NVME_COPY_RANGES_1;
	case 2: return PROTOCOL_NVME_COPY_RANGES_2;
	case 3: return PROTOCOL_NVME_COPY_RANGES_3;
	default: return PROTOCOL_PAYLOAD;
	}
}

uint16_t nvme_data_protocol(uint32_t code, const uint8_t *command)
{
	switch (code) {
	case NVME_CODE(NVME_SPACE_FABRICS, NVME_CONNECT): return PROTOCOL_NVME_CONNECT_DATA;
	case NVME_CODE(NVME_SPACE_FABRICS, NVME_AUTHENTICATION_SEND):
	case NVME_CODE(NVME_SPACE_FABRICS, NVME_AUTHENTICATION_RECEIVE):
		return little_bits(command, SECURITY_PROTOCOL) == SECURITY_NVME ? PROTOCOL_NVME_AUTH : PROTOCOL_PAYLOAD;
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_IDENTIFY): return of_identify(command);
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_GET_LOG_PAGE): return of_log_page(command);
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_SET_FEATURES):
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_GET_FEATURES): return of_feature(command);
	case NVME_CODE(NVME_SPACE_IO, NVME_DATASET_MANAGEMENT): return PROTOCOL_NVME_RANGES;
	case NVME_CODE(NVME_SPACE_IO, NVME_COPY): return of_copy(command);
	case NVME_CODE(NVME_SPACE_IO, NVME_RESERVATION_REGISTER):
	case NVME_CODE(NVME_SPACE_IO, NVME_RESERVATION_ACQUIRE):
	case NVME_CODE(NVME_SPACE_IO, NVME_RESERVATION_RELEASE): return PROTOCOL_NVME_RESERVATION_KEYS;
	case NVME_CODE(NVME_SPACE_IO, NVME_RESERVATION_REPORT): return PROTOCOL_NVME_RESERVATION_STATUS;
	default: return PROTOCOL_PAYLOAD;
	}
}

void nvme_visit_codes(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, const struct nvme_codes *codes)
{
	const uint8_t *bytes = layer_bytes(packet, layer);
	struct rtap_layer unit = *layer;
	char label[32];

	for (uint32_t i = 0; (i + 1) * NVME_CODE_LENGTH <= layer->length; i++) {
		unit.offset = layer->offset + i * NVME_CODE_LENGTH;
		unit.length = NVME_CODE_LENGTH;
		if (!little_bits(bytes + i * NVME_CODE_LENGTH, 0, 32))
			continue;
		snprintf(label, sizeof label, "%s 0x%02x", codes[i / NVME_CODES].label, i % NVME_CODES);
		if (visitor->enter)
			visitor->enter(visitor, label, &(struct rtap_place){ unit.source, unit.offset, unit.length });
		visit_field(visitor, layer, layer->protocol, codes[i / NVME_CODES].row, &(struct rtap_value){ .number = i % NVME_CODES }, unit.offset,
			    NVME_CODE_LENGTH);
		visit_unit(packet, &unit, visitor);
		if (visitor->leave)
			visitor->leave(visitor);
	}
}

void nvme_visit_rows(const uint8_t *bytes, const struct rtap_layer *layer, struct rtap_visitor *visitor, size_t first, size_t end, uint32_t at,
		     uint32_t limit)
{
	const struct rtap_field *fields = protocol_by_number(layer->protocol)->table.fields;

	for (size_t i = first; i < end; i++) {
		uint32_t begin = at + fields[i].bit_offset / 8u, after = at + (fields[i].bit_offset + fields[i].bit_width + 7u) / 8u;
		struct rtap_value value = { 0 };

		if (after > limit)
			continue;
		visit_read(bytes + at, &fields[i], &value);
		visit_field(visitor, layer, layer->protocol, i, &value, layer->offset + begin, after - begin);
	}
}

enum result nvme_parse_groups(struct parse *parse, uint16_t protocol, const struct nvme_groups *groups, uint32_t count)
{
	const struct cursor *cursor = &parse->cursor;
	uint32_t length = 0;

	for (; count && cursor->captured - length >= groups->header; count--)
		length += groups->length(cursor->next + length, cursor->captured - length);
	if (!length) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	return structure_parse(parse, protocol, length, PROTOCOL_PAYLOAD);
}

void nvme_visit_groups(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor,
		       const struct nvme_groups *groups)
{
	const uint8_t *bytes = layer_bytes(packet, layer);
	struct rtap_layer unit = *layer;
	char label[24];

	for (uint32_t at = 0, length, number = 0; layer->length - at >= groups->header; at += length, number++) {
		length = groups->length(bytes + at, layer->length - at);
		unit.offset = layer->offset + at;
		unit.length = groups->header;
		snprintf(label, sizeof label, "%s %u", groups->label, number);
		if (visitor->enter)
			visitor->enter(visitor, label, &(struct rtap_place){ unit.source, unit.offset, length });
		visit_unit(packet, &unit, visitor);
		if (groups->items)
			groups->items(bytes, layer, at + groups->header, at + length, visitor);
		if (visitor->leave)
			visitor->leave(visitor);
	}
}
