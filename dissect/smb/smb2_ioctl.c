/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IOCTL, and the data of control codes that name memory, files and interfaces. [MS-SMB2] 2.2.31, 2.2.32; [MS-FSCC] 2.3.
 */
#include "config.h"

#include "dissect/smb/smb2_parts.h"

enum {
	SET_SPARSE = 0x000900c4, QUERY_RANGES = 0x000940cf, SET_ZERO = 0x000980c8, RESUME_KEY = 0x00140078, RESILIENCY = 0x001401d4, INTERFACES = 0x001401fc,
	VALIDATE = 0x00140204, COPY = 0x001440f2, COPY_WRITE = 0x001480f2,
};

/* Rows that both tables have last. */
enum row {
	ROW_CAPABILITIES, ROW_GUID, ROW_MODE, ROW_DIALECT, ROW_OFFSET, ROW_LENGTH, ROW_END, ROW_SPARSE, ROW_TIMEOUT, ROW_KEY, ROW_COUNT, ROW_SOURCE, ROW_TARGET,
	ROW_CHUNK, ROW_WRITTEN, ROW_LAST, ROW_TOTAL, ROW_INDEX, ROW_ABILITIES, ROW_RSS, ROW_RDMA, ROW_SPEED, ROW_IPV4, ROW_IPV6, DATA_ROWS
};

#define EACH_NUMBER(name, label, bits, show) SMB2_FOUND_NUMBER(name, label, bits, show, RTAP_REPEATS, NULL)
#define NUMBER(name, label, bits, show) SMB2_FOUND_NUMBER(name, label, bits, show, 0, NULL)

#define DATA_FIELDS(guid, guid_label) \
	NUMBER("capabilities", "Capabilities", 32, RTAP_HEX), \
	SMB2_FOUND(guid, guid_label, RTAP_BYTES, 0, NULL), \
	NUMBER("sec_mode", "Security Mode", 8, RTAP_HEX), \
	EACH_NUMBER("dialect", "Dialect", 16, RTAP_HEX), \
	EACH_NUMBER("fsctl.range_offset", "Range Offset", 64, RTAP_DEC), \
	EACH_NUMBER("fsctl.range_length", "Range Length", 64, RTAP_DEC), \
	NUMBER("fsctl.beyond_final_zero", "First Offset after the Zeros", 64, RTAP_DEC), \
	NUMBER("fsctl.set_sparse", "Set Sparse", 8, RTAP_BOOL), \
	SMB2_FOUND_NUMBER("ioctl.resiliency.timeout", "Resiliency Timeout", 32, RTAP_DEC, RTAP_COMPARED, NULL), \
	SMB2_FOUND("fsctl.cchunk.resume_key", "Resume Key", RTAP_BYTES, RTAP_IGNORED, NULL), \
	NUMBER("fsctl.cchunk.count", "Chunks", 32, RTAP_DEC), \
	EACH_NUMBER("fsctl.cchunk.src_offset", "Source Offset", 64, RTAP_DEC), \
	EACH_NUMBER("fsctl.cchunk.dst_offset", "Target Offset", 64, RTAP_DEC), \
	EACH_NUMBER("fsctl.cchunk.xfer_len", "Chunk Length", 32, RTAP_DEC), \
	NUMBER("fsctl.cchunk.chunks_written", "Chunks Written", 32, RTAP_DEC), \
	NUMBER("fsctl.cchunk.bytes_written", "Bytes of the Last Chunk Written", 32, RTAP_DEC), \
	NUMBER("fsctl.cchunk.total_written", "Bytes Written", 32, RTAP_DEC), \
	EACH_NUMBER("ioctl.network_interfaces.index", "Interface Index", 32, RTAP_DEC), \
	EACH_NUMBER("ioctl.network_interfaces.capabilities", "Interface Capabilities", 32, RTAP_HEX), \
	EACH_NUMBER("ioctl.network_interfaces.capabilities.rss", "Receive-Side Scaling", 1, RTAP_BOOL), \
	EACH_NUMBER("ioctl.network_interfaces.capabilities.rdma", "RDMA", 1, RTAP_BOOL), \
	EACH_NUMBER("ioctl.network_interfaces.link_speed", "Link Speed (bit/s)", 64, RTAP_DEC), \
	SMB2_FOUND("ioctl.network_interfaces.ipv4", "Interface Address", RTAP_IPV4, RTAP_REPEATS, NULL), \
	SMB2_FOUND("ioctl.network_interfaces.ipv6", "Interface Address", RTAP_IPV6, RTAP_REPEATS, NULL)

/* Both structures begin alike. */
#define FIRST_FIELDS \
	SMB2_STRUCTURE_SIZE, \
	SMB2_RESERVED("reserved", 2, 2), \
	SMB2_FLAGGED("ioctl.function", "Control Code", 4, 4, RTAP_HEX, RTAP_OPCODE, smb_control_names), \
	SMB2_FILE(8), \
	SMB2_ROW("ioctl.in_offset", "Input Offset", 24, 4, RTAP_HEX, NULL), \
	SMB2_ROW("ioctl.in_length", "Input Length", 28, 4, RTAP_DEC, NULL)

/* 2.2.31. */
static const struct rtap_field ioctl_request_fields[] = {
	FIRST_FIELDS,
	SMB2_ROW("max_ioctl_in_size", "Maximum Input Size", 32, 4, RTAP_DEC, NULL),
	SMB2_ROW("ioctl.out_offset", "Output Offset", 36, 4, RTAP_HEX, NULL),
	SMB2_ROW("ioctl.out_length", "Output Length", 40, 4, RTAP_DEC, NULL),
	SMB2_ROW("max_ioctl_out_size", "Maximum Output Size", 44, 4, RTAP_DEC, NULL),
	SMB2_FLAGGED("ioctl.flags", "Flags", 48, 4, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BIT("ioctl.is_fsctl", "File System Control", 48, 0),
	SMB2_BITS("ioctl.flags.reserved", "Reserved", 48, 1, 31, RTAP_HEX),
	SMB2_RESERVED("ioctl.reserved", 52, 4),
	SMB2_FOUND("input_buffer", "Input", RTAP_BYTES, RTAP_BULK, NULL),
	DATA_FIELDS("client_guid", "Client GUID"),
};

/* 2.2.32. */
static const struct rtap_field ioctl_response_fields[] = {
	FIRST_FIELDS,
	SMB2_ROW("ioctl.out_offset", "Output Offset", 32, 4, RTAP_HEX, NULL),
	SMB2_ROW("ioctl.out_length", "Output Length", 36, 4, RTAP_DEC, NULL),
	SMB2_RESERVED("ioctl.response_flags", 40, 4),
	SMB2_RESERVED("ioctl.reserved", 44, 4),
	SMB2_FOUND("output_buffer", "Output", RTAP_BYTES, RTAP_BULK, NULL),
	DATA_FIELDS("server_guid", "Server GUID"),
};

/* A part at a fixed place: [MS-SMB2] 2.2.31.1 to 2.2.32.6; [MS-FSCC] 2.3.54, 2.3.55, 2.3.69, 2.3.71. */
static const struct smb2_data_part parts[] = {
	{ VALIDATE, SMB2_BOTH, ROW_CAPABILITIES, 0, 4 }, { VALIDATE, SMB2_BOTH, ROW_GUID, 4, 16 }, { VALIDATE, SMB2_BOTH, ROW_MODE, 20, 1 },
	{ VALIDATE, SMB2_RESPONSE, ROW_DIALECT, 22, 2 }, { SET_SPARSE, SMB2_REQUEST, ROW_SPARSE, 0, 1 }, { SET_ZERO, SMB2_REQUEST, ROW_OFFSET, 0, 8 },
	{ SET_ZERO, SMB2_REQUEST, ROW_END, 8, 8 }, { RESILIENCY, SMB2_REQUEST, ROW_TIMEOUT, 0, 4 }, { RESUME_KEY, SMB2_RESPONSE, ROW_KEY, 0, 24 },
	{ COPY, SMB2_REQUEST, ROW_KEY, 0, 24 }, { COPY, SMB2_REQUEST, ROW_COUNT, 24, 4 }, { COPY, SMB2_RESPONSE, ROW_WRITTEN, 0, 4 },
	{ COPY, SMB2_RESPONSE, ROW_LAST, 4, 4 },
	{ COPY, SMB2_RESPONSE, ROW_TOTAL, 8, 4 },
};

/* Data of a control code; `first`: the first row that both tables have. */
struct data {
	const struct smb2_walk *walk;
	size_t first;
	struct rtap_span bytes;
};

static bool show_number(const struct data *data, enum row row, uint32_t at, uint32_t bytes)
{
	uint32_t place = (uint32_t)(data->bytes.bytes - data->walk->body) + at;
	uint64_t number;

	if (at + bytes > data->bytes.length)
		return false;
	number = little_bits(data->bytes.bytes + at, 0, bytes * 8);
	smb2_show_number(data->walk, data->first + row, row == ROW_SPARSE ? number != 0 : number, place, bytes);
	return true;
}

static void show_bytes(const struct data *data, enum row row, uint32_t at, uint32_t bytes)
{
	if (at + bytes <= data->bytes.length)
		smb2_show_bytes(data->walk, data->first + row, (struct rtap_span){ data->bytes.bytes + at, bytes });
}

/* 2.2.31.4: as many as there are */
static void show_dialects(const struct data *data)
{
	uint32_t count = data->bytes.length >= 24 ? (uint32_t)little_bits(data->bytes.bytes, 176, 16) : 0;

	for (uint32_t i = 0; i < count && show_number(data, ROW_DIALECT, 24 + 2 * i, 2); i++)
		continue;
}

/* [MS-FSCC] 2.3.55, 2.3.56. */
static void show_ranges(const struct data *data)
{
	for (uint32_t at = 0; at + 16 <= data->bytes.length; at += 16) {
		show_number(data, ROW_OFFSET, at, 8);
		show_number(data, ROW_LENGTH, at + 8, 8);
	}
}

#define CHUNKS_AT 32
#define CHUNK_LENGTH 24

/* 2.2.31.1.1. */
static void show_chunks(const struct data *data)
{
	uint64_t count = data->bytes.length >= CHUNKS_AT ? little_bits(data->bytes.bytes, 192, 32) : 0;
	uint32_t at = CHUNKS_AT;

	for (; count && at + CHUNK_LENGTH <= data->bytes.length; count--, at += CHUNK_LENGTH) {
		show_number(data, ROW_SOURCE, at, 8);
		show_number(data, ROW_TARGET, at + 8, 8);
		show_number(data, ROW_CHUNK, at + 16, 4);
	}
}

#define INTERFACE_LENGTH 152
#define FAMILY_AT 24
#define FAMILY_IPV4 2
#define FAMILY_IPV6 23

static void show_interface(const struct data *data, uint32_t at)
{
	const uint8_t *interface = data->bytes.bytes + at;
	uint64_t abilities = little_bits(interface, 64, 32), family = little_bits(interface + FAMILY_AT, 0, 16);
	uint32_t place = (uint32_t)(interface - data->walk->body);

	show_number(data, ROW_INDEX, at + 4, 4);
	show_number(data, ROW_ABILITIES, at + 8, 4);
	smb2_show_number(data->walk, data->first + ROW_RSS, abilities & 1, place + 8, 4);
	smb2_show_number(data->walk, data->first + ROW_RDMA, abilities >> 1 & 1, place + 8, 4);
	show_number(data, ROW_SPEED, at + 16, 8);
	if (family == FAMILY_IPV4)
		show_bytes(data, ROW_IPV4, at + FAMILY_AT + 4, 4);
	if (family == FAMILY_IPV6)
		show_bytes(data, ROW_IPV6, at + FAMILY_AT + 8, 16);
}

/* 2.2.32.5. */
static void show_interfaces(const struct data *data)
{
	for (uint32_t at = 0; at + INTERFACE_LENGTH <= data->bytes.length;) {
		uint32_t next = (uint32_t)little_bits(data->bytes.bytes + at, 0, 32);

		show_interface(data, at);
		if (next < INTERFACE_LENGTH || next > data->bytes.length - at)
			return;
		at += next;
	}
}

static void show_data(const struct data *data, enum smb2_side side)
{
	uint64_t code;

	if (!smb2_number(data->walk, 4, 4, &code))
		return;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		const struct smb2_data_part *part = &parts[i];

		if (part->layout != (code == COPY_WRITE ? COPY : code) || !(part->side & side))
			continue;
		if (part->bytes > 8)
			show_bytes(data, part->row, part->at, part->bytes);
		else
			show_number(data, part->row, part->at, part->bytes);
	}
	if (code == VALIDATE && side == SMB2_REQUEST)
		show_dialects(data);
	else if (code == QUERY_RANGES)
		show_ranges(data);
	else if ((code == COPY || code == COPY_WRITE) && side == SMB2_REQUEST)
		show_chunks(data);
	else if (code == INTERFACES && side == SMB2_RESPONSE)
		show_interfaces(data);
}

static void visit_ioctl_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);
	const struct data data = { &walk, SMB2_ROWS(ioctl_request_fields) - DATA_ROWS, smb2_part_at(&walk, 24, 4, 28, 4) };

	smb2_show_bytes(&walk, data.first - 1, data.bytes);
	show_data(&data, SMB2_REQUEST);
}

static void visit_ioctl_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);
	const struct data data = { &walk, SMB2_ROWS(ioctl_response_fields) - DATA_ROWS, smb2_part_at(&walk, 32, 4, 36, 4) };

	smb2_show_bytes(&walk, data.first - 1, data.bytes);
	show_data(&data, SMB2_RESPONSE);
}

/* Both have the code at the same place. */
#define summary_ioctl_response summary_ioctl_request

static void summary_ioctl_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	uint64_t code = layer->length >= 8 ? little_bits(layer_bytes(packet, layer), 32, 32) : 0;
	const char *name = rtap_name_of(smb_control_names, code);

	line_char(line, ' ');
	if (name)
		line_text(line, name);
	else if (layer->length >= 8)
		line_hex(line, code, 8);
}

SMB2_BODY(ioctl_request, IOCTL_REQUEST, "smb2.ioctl.request", "SMB2 IOCTL Request", "2.2.31", 56)
SMB2_BODY(ioctl_response, IOCTL_RESPONSE, "smb2.ioctl.response", "SMB2 IOCTL Response", "2.2.32", 48)
