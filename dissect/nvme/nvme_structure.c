/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/parse.h"
#include "dissect/nvme/nvme_structure.h"

/* Places in a command. */
#define CNS 320, 8
#define CNS_COMMAND_SET 376, 8
#define LOG_PAGE 320, 8
#define LOG_OFFSET 384, 64
#define LOG_OFFSET_IS_INDEX 471, 1
#define FEATURE 320, 8
#define COPY_FORMAT 392, 4

#define DISCOVERY_ENTRY 1024

/* Base, 5.17. */
static uint16_t of_identify(const uint8_t *command)
{
	switch (little_bits(command, CNS)) {
	case 0x00: case 0x11: return PROTOCOL_NVME_NAMESPACE;
	case 0x01: return PROTOCOL_NVME_CONTROLLER;
	case 0x02: case 0x07: case 0x10: case 0x1a: return PROTOCOL_NVME_NAMESPACE_LIST;
	case 0x03: return PROTOCOL_NVME_NAMESPACE_DESCRIPTORS;
	case 0x06: return little_bits(command, CNS_COMMAND_SET) ? PROTOCOL_PAYLOAD : PROTOCOL_NVME_CONTROLLER_NVM;
	case 0x12: case 0x13: return PROTOCOL_NVME_CONTROLLER_LIST;
	default: return PROTOCOL_PAYLOAD;
	}
}

/* Base, 5.16. What begins within the page is shown only of pages that are made of equal parts. */
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
	case 0x01: return PROTOCOL_NVME_ERROR_LOG;
	case 0x02: return PROTOCOL_NVME_SMART_LOG;
	case 0x03: return PROTOCOL_NVME_FIRMWARE_LOG;
	case 0x04: return PROTOCOL_NVME_CHANGED_NAMESPACES;
	case 0x05: return PROTOCOL_NVME_COMMAND_EFFECTS;
	case 0x0c: return PROTOCOL_NVME_ANA_LOG;
	case 0x70: return PROTOCOL_NVME_DISCOVERY_LOG;
	case 0x80: return PROTOCOL_NVME_RESERVATION_LOG;
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
	case 0x16: return PROTOCOL_NVME_HOST_BEHAVIOR;
	case 0x81: return PROTOCOL_NVME_HOST_IDENTIFIER;
	default: return PROTOCOL_PAYLOAD;
	}
}

uint16_t nvme_data_protocol(uint32_t code, const uint8_t *command)
{
	switch (code) {
	case NVME_CODE(NVME_SPACE_FABRICS, NVME_CONNECT): return PROTOCOL_NVME_CONNECT_DATA;
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_IDENTIFY): return of_identify(command);
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_GET_LOG_PAGE): return of_log_page(command);
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_SET_FEATURES):
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_GET_FEATURES): return of_feature(command);
	case NVME_CODE(NVME_SPACE_IO, NVME_DATASET_MANAGEMENT): return PROTOCOL_NVME_RANGES;
	case NVME_CODE(NVME_SPACE_IO, NVME_COPY):
		return little_bits(command, COPY_FORMAT) ? PROTOCOL_PAYLOAD : PROTOCOL_NVME_COPY_RANGES;
	case NVME_CODE(NVME_SPACE_IO, NVME_RESERVATION_REGISTER):
	case NVME_CODE(NVME_SPACE_IO, NVME_RESERVATION_ACQUIRE):
	case NVME_CODE(NVME_SPACE_IO, NVME_RESERVATION_RELEASE): return PROTOCOL_NVME_RESERVATION_KEYS;
	case NVME_CODE(NVME_SPACE_IO, NVME_RESERVATION_REPORT): return PROTOCOL_NVME_RESERVATION_STATUS;
	default: return PROTOCOL_PAYLOAD;
	}
}

enum result nvme_parse_structure(struct parse *parse, uint16_t protocol, uint32_t length, uint16_t next)
{
	const uint8_t *bytes;
	enum result result;

	parse->packet->request = parse->context->request;
	if (length > parse->cursor.wire)
		length = parse->cursor.wire;
	result = parse_layer(parse, protocol, length, &bytes);
	if (result == OK && parse->cursor.wire)
		parse->next = next;
	return result;
}

static bool is_zero(const uint8_t *bytes, uint32_t length)
{
	uint8_t any = 0;

	for (uint32_t i = 0; i < length; i++)
		any |= bytes[i];
	return !any;
}

enum result nvme_parse_elements(struct parse *parse, uint16_t protocol, uint32_t stride, bool until_zero)
{
	const struct cursor *cursor = &parse->cursor;
	uint32_t length = cursor->wire - cursor->wire % stride;

	for (uint32_t at = 0; until_zero && at < length && at + stride <= cursor->captured; at += stride)
		if (is_zero(cursor->next + at, stride))
			length = at;
	if (!length) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	return nvme_parse_structure(parse, protocol, length, PROTOCOL_PAYLOAD);
}

bool nvme_derive_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at, uint32_t length)
{
	const uint8_t *text = layer_bytes(packet, layer) + at;

	value->data = (struct rtap_span){ text, (uint32_t)strnlen((const char *)text, length) };
	return true;
}

void nvme_summary_structure(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)packet;
	if (layer->offset)
		return;
	line_text(line, ": ");
	line_text(line, protocol_by_number(layer->protocol)->table.label);
}
