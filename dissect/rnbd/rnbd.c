/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/rnbd/rnbd.h"

#define SECTION "Linux, drivers/block/rnbd"

static const struct rtap_name type_names[] = {
	{ RNBD_SESS_INFO, "session info" }, { RNBD_SESS_INFO_RSP, "session info response" }, { RNBD_OPEN, "open" },
	{ RNBD_OPEN_RSP, "open response" }, { RNBD_IO, "I/O" }, { RNBD_CLOSE, "close" }, { 0, NULL },
};

static const struct rtap_name operation_names[] = {
	{ RNBD_READ, "READ" }, { RNBD_WRITE, "WRITE" }, { RNBD_FLUSH, "FLUSH" }, { RNBD_DISCARD, "DISCARD" },
	{ RNBD_SECURE_ERASE, "SECURE_ERASE" }, { RNBD_WRITE_ZEROES, "WRITE_ZEROES" }, { 0, NULL },
};

static const struct rtap_name access_names[] = { { 0, "read only" }, { 1, "read and write" }, { 2, "migration" }, { 0, NULL } };

#define HEAD_ROWS \
	{ "rnbd.type", "Type", RNBD_TYPE, RTAP_DEC, RTAP_LITTLE | RTAP_OPCODE, type_names, NULL, NULL }, \
	{ "rnbd.padding", "Padding", RNBD_PADDING, RTAP_HEX, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },

#define AT(offset, width) offset, width
#define ROW(name, label, at, show) { name, label, at, show, RTAP_LITTLE, NULL, NULL, NULL }

const char *rnbd_operation_name(uint8_t operation, bool has_data)
{
	return operation == RNBD_WRITE_ZEROES && has_data ? "WRITE_SAME" : rtap_name_of(operation_names, operation);
}

uint16_t rnbd_protocol_of(const uint8_t *message, uint32_t length)
{
	switch (length >= 4 ? little_bits(message, RNBD_TYPE) : UINT64_MAX) {
	case RNBD_SESS_INFO:
	case RNBD_SESS_INFO_RSP: return length >= RNBD_SESS_INFO_LENGTH ? PROTOCOL_RNBD_SESS_INFO : PROTOCOL_NONE;
	case RNBD_OPEN: return length >= RNBD_OPEN_LENGTH ? PROTOCOL_RNBD_OPEN : PROTOCOL_NONE;
	case RNBD_OPEN_RSP: return length >= RNBD_OPEN_RSP_LENGTH ? PROTOCOL_RNBD_OPEN_RSP : PROTOCOL_NONE;
	case RNBD_IO: return length >= RNBD_IO_LENGTH ? PROTOCOL_RNBD_IO : PROTOCOL_NONE;
	case RNBD_CLOSE: return length >= RNBD_CLOSE_LENGTH ? PROTOCOL_RNBD_CLOSE : PROTOCOL_NONE;
	default: return PROTOCOL_NONE;
	}
}

/* Flags that Linux has. */
#define KNOWN_FLAGS UINT64_C(0xf)

static bool io_agrees(const uint8_t *message, bool is_read, uint64_t data_length)
{
	uint64_t operation = little_bits(message, RNBD_IO_OPERATION), bytes = little_bits(message, RNBD_IO_BYTES);

	if (little_bits(message, RNBD_IO_FLAGS) & ~KNOWN_FLAGS)
		return false;
	switch (operation) {
	case RNBD_READ: return is_read && bytes && bytes == data_length;
	case RNBD_WRITE: return !is_read && bytes && bytes == data_length;
	case RNBD_FLUSH: return !data_length && !bytes;
	case RNBD_DISCARD:
	case RNBD_SECURE_ERASE: return !data_length && bytes;
	case RNBD_WRITE_ZEROES: return bytes && !is_read;
	default: return false;
	}
}

bool rnbd_agrees(const uint8_t *message, uint32_t length, bool is_read, uint64_t data_length)
{
	if (length < 4 || little_bits(message, RNBD_PADDING))
		return false;
	switch (little_bits(message, RNBD_TYPE)) {
	case RNBD_SESS_INFO: return length == RNBD_SESS_INFO_LENGTH && is_read && data_length == RNBD_SESS_INFO_LENGTH;
	case RNBD_OPEN: return length == RNBD_OPEN_LENGTH && is_read && data_length == RNBD_OPEN_RSP_LENGTH;
	case RNBD_IO: return length >= RNBD_IO_LENGTH && length <= 32 && io_agrees(message, is_read, data_length);
	case RNBD_CLOSE: return length == RNBD_CLOSE_LENGTH && !is_read && !data_length;
	default: return false;
	}
}

/* A message of a fixed length; the bytes after it are uninitialised padding. */
static enum result parse_message(struct parse *parse, uint16_t protocol, uint32_t length)
{
	const uint8_t *message;

	return parse_layer(parse, protocol, length, &message);
}

#define MESSAGE(object, number, filter_name, label, size) \
	static enum result parse_##object(struct parse *parse) \
	{ \
		return parse_message(parse, PROTOCOL_##number, size); \
	} \
	const struct protocol object##_protocol = { \
		.table = { filter_name, label, SECTION, size, FIELDS(object##_fields) }, \
		.scope = SCOPE_CALL, \
		.parse = parse_##object, \
		.summary = summary_##object, \
	};

static void add_number(struct line *line, const char *text, uint64_t number)
{
	line_text(line, text);
	line_dec(line, number);
}

static const struct rtap_field rnbd_sess_info_fields[] = {
	HEAD_ROWS
	ROW("rnbd.sess_info.ver", "Protocol Version", AT(32, 8), RTAP_DEC),
	{ "rnbd.sess_info.reserved", "Reserved", 40, 248, RTAP_BYTES, 0, NULL, NULL, NULL },
};

static void summary_rnbd_sess_info(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *message = layer_bytes(packet, layer);

	if (layer->length < RNBD_SESS_INFO_LENGTH)
		return;
	line_text(line, little_bits(message, RNBD_TYPE) == RNBD_SESS_INFO ? " RNBD session info" : ": RNBD session info response");
	add_number(line, " version ", message[4]);
}

MESSAGE(rnbd_sess_info, RNBD_SESS_INFO, "rnbd.sess_info", "RNBD Session Information", RNBD_SESS_INFO_LENGTH)

/* A text with zeros up to the end of its field. */
static bool derive_name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *name = layer_bytes(packet, layer) + RNBD_NAME_AT;
	uint32_t length = 0;

	if (layer->length < RNBD_NAME_AT + RNBD_NAME_LENGTH)
		return false;
	while (length < RNBD_NAME_LENGTH && name[length])
		length++;
	value->data = (struct rtap_span){ name, length };
	return true;
}

static const struct rtap_field rnbd_open_fields[] = {
	HEAD_ROWS
	{ "rnbd.open.access_mode", "Access Mode", 32, 8, RTAP_DEC, 0, access_names, NULL, NULL },
	ROW("rnbd.open.resv1", "Reserved", AT(40, 8), RTAP_HEX),
	{ "rnbd.open.dev_name", "Device", RNBD_NAME_AT * 8, RNBD_NAME_LENGTH * 8, RTAP_TEXT, 0, NULL, derive_name, NULL },
	ROW("rnbd.open.reserved", "Reserved", AT(2088, 24), RTAP_HEX),
};

static void summary_rnbd_open(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	struct rtap_value name;

	line_text(line, " RNBD open ");
	if (derive_name(packet, layer, &name))
		line_escaped(line, name.data.bytes, name.data.length);
}

MESSAGE(rnbd_open, RNBD_OPEN, "rnbd.open", "RNBD Open Request", RNBD_OPEN_LENGTH)

static const struct rtap_field rnbd_open_rsp_fields[] = {
	HEAD_ROWS
	ROW("rnbd.device_id", "Device ID", RNBD_OPEN_RSP_DEVICE, RTAP_DEC),
	ROW("rnbd.open_rsp.nsectors", "Sectors", RNBD_OPEN_RSP_SECTORS, RTAP_DEC),
	ROW("rnbd.open_rsp.max_hw_sectors", "Maximum Sectors of a Request", AT(128, 32), RTAP_DEC),
	ROW("rnbd.open_rsp.max_write_zeroes_sectors", "Maximum Sectors of WRITE_ZEROES", AT(160, 32), RTAP_DEC),
	ROW("rnbd.open_rsp.max_discard_sectors", "Maximum Sectors of DISCARD", AT(192, 32), RTAP_DEC),
	ROW("rnbd.open_rsp.discard_granularity", "Discard Granularity", AT(224, 32), RTAP_DEC),
	ROW("rnbd.open_rsp.discard_alignment", "Discard Alignment", AT(256, 32), RTAP_DEC),
	ROW("rnbd.open_rsp.physical_block_size", "Physical Block Size", AT(288, 16), RTAP_DEC),
	ROW("rnbd.open_rsp.logical_block_size", "Logical Block Size", AT(304, 16), RTAP_DEC),
	ROW("rnbd.open_rsp.max_segments", "Maximum Segments", AT(320, 16), RTAP_DEC),
	ROW("rnbd.open_rsp.secure_discard", "Secure Discard", AT(336, 16), RTAP_DEC),
	ROW("rnbd.open_rsp.rotational", "Rotational, obsolete", AT(352, 8), RTAP_DEC),
	ROW("rnbd.open_rsp.cache_policy", "Cache Policy", AT(360, 8), RTAP_HEX),
	{ "rnbd.open_rsp.reserved", "Reserved", 368, 80, RTAP_BYTES, 0, NULL, NULL, NULL },
};

static void summary_rnbd_open_rsp(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *message = layer_bytes(packet, layer);

	line_text(line, ": RNBD open response");
	if (layer->length < RNBD_OPEN_RSP_LENGTH)
		return;
	add_number(line, " device ", little_bits(message, RNBD_OPEN_RSP_DEVICE));
	add_number(line, " sectors ", little_bits(message, RNBD_OPEN_RSP_SECTORS));
}

MESSAGE(rnbd_open_rsp, RNBD_OPEN_RSP, "rnbd.open_rsp", "RNBD Open Response", RNBD_OPEN_RSP_LENGTH)

static const struct rtap_field rnbd_io_fields[] = {
	HEAD_ROWS
	ROW("rnbd.device_id", "Device ID", RNBD_IO_DEVICE, RTAP_DEC),
	ROW("rnbd.io.sector", "Sector", RNBD_IO_SECTOR, RTAP_DEC),
	{ "rnbd.io.op", "Operation", RNBD_IO_OPERATION, RTAP_DEC, RTAP_LITTLE | RTAP_OPCODE, operation_names, NULL, NULL },
	{ "rnbd.io.flags", "Flags", RNBD_IO_FLAGS, RTAP_HEX, RTAP_LITTLE | RTAP_PARTS, NULL, NULL, NULL },
	ROW("rnbd.io.flags.sync", "Synchronous", AT(136, 1), RTAP_BOOL),
	ROW("rnbd.io.flags.fua", "Force Unit Access", AT(137, 1), RTAP_BOOL),
	ROW("rnbd.io.flags.preflush", "Flush First", AT(138, 1), RTAP_BOOL),
	ROW("rnbd.io.flags.nounmap", "Do not Deallocate", AT(139, 1), RTAP_BOOL),
	ROW("rnbd.io.flags.reserved", "Reserved", AT(140, 20), RTAP_HEX),
	ROW("rnbd.io.bi_size", "Bytes", RNBD_IO_BYTES, RTAP_DEC),
	ROW("rnbd.io.prio", "Priority", AT(192, 16), RTAP_DEC),
};

static void summary_rnbd_io(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	static const char *const flag_names[] = { " SYNC", " FUA", " PREFLUSH", " NOUNMAP" };
	const uint8_t *message = layer_bytes(packet, layer);
	const char *name;

	line_text(line, " RNBD ");
	if (layer->length < RNBD_IO_LENGTH)
		return;
	name = rtap_name_of(operation_names, little_bits(message, RNBD_IO_OPERATION));
	if (name)
		line_text(line, name);
	else
		add_number(line, "operation ", little_bits(message, RNBD_IO_OPERATION));
	for (unsigned i = 0; i < 4; i++)
		if (little_bits(message, RNBD_IO_FLAGS) >> i & 1)
			line_text(line, flag_names[i]);
	add_number(line, " device ", little_bits(message, RNBD_IO_DEVICE));
	if (!little_bits(message, RNBD_IO_BYTES))
		return;
	add_number(line, " sector ", little_bits(message, RNBD_IO_SECTOR));
	add_number(line, " bytes ", little_bits(message, RNBD_IO_BYTES));
}

MESSAGE(rnbd_io, RNBD_IO, "rnbd.io", "RNBD I/O Request", RNBD_IO_LENGTH)

static const struct rtap_field rnbd_close_fields[] = {
	HEAD_ROWS
	ROW("rnbd.device_id", "Device ID", RNBD_CLOSE_DEVICE, RTAP_DEC),
};

static void summary_rnbd_close(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	line_text(line, " RNBD close");
	if (layer->length >= RNBD_CLOSE_LENGTH)
		add_number(line, " device ", little_bits(layer_bytes(packet, layer), RNBD_CLOSE_DEVICE));
}

MESSAGE(rnbd_close, RNBD_CLOSE, "rnbd.close", "RNBD Close Request", RNBD_CLOSE_LENGTH)
