/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

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
	case NVME_CODE(NVME_SPACE_FABRICS, NVME_AUTHENTICATION_SEND):
	case NVME_CODE(NVME_SPACE_FABRICS, NVME_AUTHENTICATION_RECEIVE):
		return little_bits(command, SECURITY_PROTOCOL) == SECURITY_NVME ? PROTOCOL_NVME_AUTH : PROTOCOL_PAYLOAD;
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
