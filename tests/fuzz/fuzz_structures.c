/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data structures of NVMe and SCSI, as the packet that completes them shows them: in every format.
 * Input: byte 0 the kind of command, then COMMAND_BYTES of it, then its data.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/dissect.h"
#include "dissect/nvme/nvme_structure.h"
#include "dissect/scsi/scsi.h"
#include "dissect/scsi/scsi_data.h"
#include "output/packet/json.h"
#include "output/packet/text.h"
#include "tests/roce_kit.h"

#include "harness.h"

#define COMMAND_BYTES 8
#define HEADER_LENGTH (1 + COMMAND_BYTES)
#define MOST_BYTES 16384
#define ROOM (16u << 20)

enum { NVME_ADMIN, NVME_IO, SCSI_IN, SCSI_OUT, NVME_FABRIC, KINDS };

/* The structure of the command's data, and what a packet knows of the command. */
static uint16_t structure_of(const uint8_t *data, struct rtap_context *context)
{
	uint8_t command[NVME_COMMAND_LENGTH] = { data[1] };
	unsigned kind = data[0] % KINDS;

	if (kind == SCSI_IN || kind == SCSI_OUT) {
		memcpy(command + 1, data + 2, COMMAND_BYTES - 1);
		context->upper = RTAP_UPPER_SRP;
		return scsi_data_protocol(command, SCSI_CDB_LENGTH, kind == SCSI_OUT);
	}
	/* dwords 10 and 11, and the last byte of dword 11: what is asked for */
	memcpy(command + 40, data + 2, COMMAND_BYTES - 2);
	command[47] = data[COMMAND_BYTES];
	context->upper = RTAP_UPPER_NVME;
	context->request.code = NVME_CODE(kind == NVME_IO ? NVME_SPACE_IO : kind == NVME_FABRIC ? NVME_SPACE_FABRICS : NVME_SPACE_ADMIN, data[1]);
	context->request.detail = (uint32_t)little_bits(command + 40, 32, 32);
	return nvme_data_protocol(context->request.code, command);
}

static void format(struct format *format, const struct rtap_packet *packet)
{
	static char *buffer;
	struct line line;

	if (!buffer)
		buffer = malloc(ROOM);
	REQUIRE(buffer);
	line_init(&line, buffer, ROOM);
	format->packet(format, packet, &line);
	REQUIRE(!line.cut);
}

static void format_all(const struct rtap_packet *packet)
{
	static struct text_format text;
	static struct json_format json;

	if (!text.format.packet) {
		text_format_init(&text);
		text.clock.form = CLOCK_EPOCH;
		REQUIRE(!json_format_init(&json, true));
	}
	for (int tree = 0; tree < 2; tree++) {
		text.tree = tree;
		format(&text.format, packet);
	}
	format(&json.format, packet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct roce roce = { .opcode = 0x10, .source = 0x0a000001, .destination = 0x0a000002, .payload = data, .payload_length = 4 };
	uint8_t whole[ROCE_MAX_FRAME], *bytes;
	struct rtap_context context = { .request.is_known = true };
	struct rtap_packet packet;
	uint32_t length;

	if (size < HEADER_LENGTH + 4 || size > HEADER_LENGTH + MOST_BYTES)
		return 0;
	context.chunk_protocol = structure_of(data, &context);
	if (context.chunk_protocol == PROTOCOL_PAYLOAD)
		return 0;
	length = roce_frame(whole, &roce);
	roce_seal(whole, length);
	/* a block of just this size: reading outside of it is seen */
	bytes = malloc(size - HEADER_LENGTH);
	REQUIRE(bytes);
	memcpy(bytes, data + HEADER_LENGTH, size - HEADER_LENGTH);
	context.chunk = (struct rtap_span){ bytes, (uint32_t)(size - HEADER_LENGTH) };
	dissect_frame(&(struct rtap_frame){ .bytes = whole, .captured_length = length, .wire_length = length, .link_type = RTAP_LINK_RAW, .number = 1 },
		      &context, &packet);
	REQUIRE(packet.source_count > 1);
	format_all(&packet);
	free(bytes);
	return 0;
}
