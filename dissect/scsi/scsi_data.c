/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parameter lists and data of SCSI commands. SPC-5, chapters 5 to 7; SBC-4, chapters 5 and 6.
 */
#include "config.h"

#include <stdio.h>

#include "dissect/scsi/scsi.h"
#include "dissect/scsi/scsi_data.h"
#include "dissect/scsi/scsi_structure.h"

/* REPORT LUNS: SPC-5, 6.32. */
static const struct rtap_field lun_list_fields[] = {
	{ "scsi.reportluns.lun_list_length", "LUN List Length", SCSI_BYTES(0, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.reportluns.rsvd4", "Reserved", SCSI_BYTES(4, 4), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
};

SCSI_STRUCTURE(lun_list, LUN_LIST, "scsi.reportluns", "SCSI LUN List", "SPC-5, 6.32", 8, PROTOCOL_SCSI_LUNS)

static const struct rtap_field luns_fields[] = {
	{ "scsi.reportluns.lun", "LUN", SCSI_BYTES(0, 8), RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
};

SCSI_LIST(luns, LUNS, "scsi.reportluns.luns", "SCSI LUNs", "SPC-5, 6.32", 8, load32(parse->cursor.next - 8))

static const struct rtap_field capacity_10_fields[] = {
	{ "scsi_sbc.returned_lba", "Last LBA", SCSI_BYTES(0, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.blocksize", "Block Length", SCSI_BYTES(4, 4), RTAP_DEC, 0, NULL, NULL, NULL },
};

SCSI_STRUCTURE(capacity_10, CAPACITY_10, "scsi_sbc.capacity", "SCSI Capacity", "SBC-4, 5.20", 8, PROTOCOL_PAYLOAD)

static const struct rtap_field capacity_16_fields[] = {
	{ "scsi_sbc.returned_lba64", "Last LBA", SCSI_BYTES(0, 8), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.blocksize", "Block Length", SCSI_BYTES(8, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.capacity16.rsvd12", "Reserved", SCSI_BITS(12, 0, 4), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi_sbc.ptype", "Protection Type less 1", SCSI_BITS(12, 4, 3), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.prot_en", "Protection Enabled", SCSI_BITS(12, 7, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi_sbc.p_i_exponent", "Protection Intervals (log2)", SCSI_BITS(13, 0, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.lbppbe", "Logical Blocks in a Physical Block (log2)", SCSI_BITS(13, 4, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.lbpme", "Provisioning Management Enabled", SCSI_BITS(14, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi_sbc.lbprz", "Unmapped Blocks Read as Zeros", SCSI_BITS(14, 1, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi_sbc.lalba", "Lowest Aligned LBA", SCSI_BITS(14, 2, 14), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.capacity16.rsvd16", "Reserved", SCSI_BYTES(16, 16), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

SCSI_STRUCTURE(capacity_16, CAPACITY_16, "scsi_sbc.capacity16", "SCSI Capacity", "SBC-4, 5.21", 32, PROTOCOL_PAYLOAD)

/* Mode parameters: a header, block descriptors, pages. SPC-5, 7.5. */
#define MODE_6_HEADER 4
#define MODE_10_HEADER 8
#define BLOCK_DESCRIPTOR 8

static const struct rtap_field mode_6_fields[] = {
	{ "scsi.cdb.mode.mode_data_length", "Mode Data Length", SCSI_BYTES(0, 1), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.cdb.mode.medium_type", "Medium Type", SCSI_BYTES(1, 1), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.cdb.mode.device_specific_parameter", "Device-Specific Parameter", SCSI_BYTES(2, 1), RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "scsi.mode6.wp", "Write Protected", SCSI_BITS(2, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.mode6.rsvd2_1", "Reserved", SCSI_BITS(2, 1, 2), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.mode6.dpofua", "DPO and FUA Supported", SCSI_BITS(2, 3, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.mode6.rsvd2_4", "Reserved", SCSI_BITS(2, 4, 4), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.cdb.mode.block_descriptor_length", "Block Descriptor Length", SCSI_BYTES(3, 1), RTAP_DEC, 0, NULL, NULL, NULL },
};

static const struct rtap_field mode_10_fields[] = {
	{ "scsi.mode10.mode_data_length", "Mode Data Length", SCSI_BYTES(0, 2), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.mode10.medium_type", "Medium Type", SCSI_BYTES(2, 1), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.mode10.device_specific_parameter", "Device-Specific Parameter", SCSI_BYTES(3, 1), RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "scsi.mode10.wp", "Write Protected", SCSI_BITS(3, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.mode10.rsvd3_1", "Reserved", SCSI_BITS(3, 1, 2), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.mode10.dpofua", "DPO and FUA Supported", SCSI_BITS(3, 3, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.mode10.rsvd3_4", "Reserved", SCSI_BITS(3, 4, 4), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.mode10.rsvd4", "Reserved", SCSI_BITS(4, 0, 7), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.mode10.longlba", "Long LBA", SCSI_BITS(4, 7, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.mode10.rsvd5", "Reserved", SCSI_BYTES(5, 1), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.mode10.block_descriptor_length", "Block Descriptor Length", SCSI_BYTES(6, 2), RTAP_DEC, 0, NULL, NULL, NULL },
};

/* The protocol after a header with this length of block descriptors. */
static uint16_t after_mode_header(uint32_t descriptors, bool is_long)
{
	return is_long ? PROTOCOL_PAYLOAD : descriptors ? PROTOCOL_SCSI_BLOCK_DESCRIPTORS : PROTOCOL_SCSI_MODE_PAGES;
}

static enum result parse_mode_6(struct parse *parse)
{
	const uint8_t *header = parse->cursor.next;
	enum result result = structure_parse(parse, PROTOCOL_SCSI_MODE_6, MODE_6_HEADER, PROTOCOL_PAYLOAD);

	if (result == OK && parse->cursor.wire)
		parse->next = after_mode_header(header[3], false);
	return result;
}

static enum result parse_mode_10(struct parse *parse)
{
	const uint8_t *header = parse->cursor.next;
	enum result result = structure_parse(parse, PROTOCOL_SCSI_MODE_10, MODE_10_HEADER, PROTOCOL_PAYLOAD);

	if (result == OK && parse->cursor.wire)
		parse->next = after_mode_header(load16(header + 6), header[4] & 1);
	return result;
}

const struct protocol scsi_mode_6_protocol = {
	.table = { "scsi.mode6", "SCSI Mode Parameter Header", "SPC-5, 7.5.5", MODE_6_HEADER, FIELDS(mode_6_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_mode_6,
	.summary = structure_summary,
};

const struct protocol scsi_mode_10_protocol = {
	.table = { "scsi.mode10", "SCSI Mode Parameter Header", "SPC-5, 7.5.5", MODE_10_HEADER, FIELDS(mode_10_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_mode_10,
	.summary = structure_summary,
};

static const struct rtap_field block_descriptors_fields[] = {
	{ "scsi.blockdescs.no_of_blocks", "Number of Blocks", SCSI_BYTES(0, 4), RTAP_DEC, RTAP_REPEATS, NULL, NULL, NULL },
	{ "scsi.blockdescs.rsvd4", "Reserved", SCSI_BYTES(4, 1), RTAP_HEX, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	{ "scsi.blockdescs.block_length", "Block Length", SCSI_BYTES(5, 3), RTAP_DEC, RTAP_REPEATS, NULL, NULL, NULL },
};

/* The last bytes of both headers give their length. */
static enum result parse_block_descriptors(struct parse *parse)
{
	const struct rtap_packet *packet = parse->packet;
	bool is_short = packet->layers[packet->layer_count - 1].protocol == PROTOCOL_SCSI_MODE_6;
	uint32_t length = is_short ? parse->cursor.next[-1] : load16(parse->cursor.next - 2);

	return structure_parse(parse, PROTOCOL_SCSI_BLOCK_DESCRIPTORS, length, PROTOCOL_SCSI_MODE_PAGES);
}

static void visit_block_descriptors(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	visit_units(packet, layer, visitor, BLOCK_DESCRIPTOR);
}

const struct protocol scsi_block_descriptors_protocol = {
	.table = { "scsi.blockdescs", "SCSI Block Descriptors", "SPC-5, 7.5.6", BLOCK_DESCRIPTOR, FIELDS(block_descriptors_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_block_descriptors,
	.visit = visit_block_descriptors,
};

/* Pages: two bytes of header, or four with a subpage, and as many bytes as the last of them give. */
#define SUBPAGE_FORMAT 0x40
#define CACHING_PAGE 0x08

static const struct rtap_name mode_page_names[] = {
	{ 0x01, "Read-Write Error Recovery" }, { 0x02, "Disconnect-Reconnect" }, { 0x07, "Verify Error Recovery" }, { 0x08, "Caching" },
	{ 0x0a, "Control" }, { 0x18, "Protocol Specific Logical Unit" }, { 0x19, "Protocol Specific Port" }, { 0x1a, "Power Condition" },
	{ 0x1c, "Informational Exceptions Control" }, { 0x3f, "all pages" }, { 0, NULL },
};

enum { ROW_PAGE, ROW_SUBPAGE, ROW_PARAMETERS, ROW_WRITE_CACHE, ROW_READ_CACHE };

static const struct rtap_field mode_pages_fields[] = {
	[ROW_PAGE] = { "scsi.mode.sbc.pagecode", "Page Code", 0, 6, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS, mode_page_names, NULL, NULL },
	[ROW_SUBPAGE] = { "scsi.mode.spc.subpagecode", "Subpage Code", 0, 8, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_PARAMETERS] = { "scsi.mode.page_parameters", "Parameters", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	[ROW_WRITE_CACHE] = { "scsi.sbc.modepage.wce", "Write Cache Enable", 0, 1, RTAP_BOOL, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_READ_CACHE] = { "scsi.sbc.modepage.rcd", "Read Cache Disable", 0, 1, RTAP_BOOL, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
};

static enum result parse_mode_pages(struct parse *parse)
{
	return structure_parse(parse, PROTOCOL_SCSI_MODE_PAGES, parse->cursor.wire, PROTOCOL_PAYLOAD);
}

/* A page's header is at `at`: its length, and that of what follows it. False: incomplete. */
static bool page_extent(const uint8_t *bytes, uint32_t left, uint32_t *header, uint32_t *length)
{
	*header = left && bytes[0] & SUBPAGE_FORMAT ? 4 : 2;
	if (left < *header)
		return false;
	*length = *header == 4 ? load16(bytes + 2) : bytes[1];
	return true;
}

static void visit_number(struct rtap_visitor *visitor, const struct rtap_layer *layer, size_t row, uint64_t number, uint32_t at)
{
	visit_field(visitor, layer, PROTOCOL_SCSI_MODE_PAGES, row, &(struct rtap_value){ .number = number }, layer->offset + at, 1);
}

static void visit_mode_pages(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *bytes = layer_bytes(packet, layer);
	uint32_t header, length;

	for (uint32_t at = 0; page_extent(bytes + at, layer->length - at, &header, &length); at += header + length) {
		uint32_t left = layer->length - at - header;

		visit_number(visitor, layer, ROW_PAGE, bytes[at] & 0x3f, at);
		if (header == 4)
			visit_number(visitor, layer, ROW_SUBPAGE, bytes[at + 1], at + 1);
		if ((bytes[at] & 0x7f) == CACHING_PAGE && length && left) {
			visit_number(visitor, layer, ROW_WRITE_CACHE, bytes[at + header] >> 2 & 1, at + header);
			visit_number(visitor, layer, ROW_READ_CACHE, bytes[at + header] & 1, at + header);
		}
		if (length > left)
			return;
		visit_field(visitor, layer, PROTOCOL_SCSI_MODE_PAGES, ROW_PARAMETERS, &(struct rtap_value){ .data = { bytes + at + header, length } },
			    layer->offset + at + header, length);
	}
}

const struct protocol scsi_mode_pages_protocol = {
	.table = { "scsi.modepages", "SCSI Mode Pages", "SPC-5, 7.5.7", 0, FIELDS(mode_pages_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_mode_pages,
	.visit = visit_mode_pages,
};

/* Log parameters: SPC-5, 7.3. */
#define LOG_HEADER 4
#define LOG_PARAMETER 4

static const struct rtap_name log_page_names[] = {
	{ 0x00, "Supported Log Pages" }, { 0x02, "Write Error Counters" }, { 0x03, "Read Error Counters" }, { 0x05, "Verify Error Counters" },
	{ 0x06, "Non-Medium Errors" }, { 0x0c, "Logical Block Provisioning" }, { 0x0d, "Temperature" }, { 0x0e, "Start-Stop Cycle Counter" },
	{ 0x10, "Self-test Results" }, { 0x11, "Solid State Media" }, { 0x15, "Background Scan" }, { 0x18, "Protocol Specific Port" },
	{ 0x19, "General Statistics and Performance" }, { 0x2f, "Informational Exceptions" }, { 0, NULL },
};

static const struct rtap_field log_fields[] = {
	{ "scsi.logpage.ds", "Saving Is Disabled", SCSI_BITS(0, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.logpage.spf", "Subpage Format", SCSI_BITS(0, 1, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.log.pagecode", "Page Code", SCSI_BITS(0, 2, 6), RTAP_HEX, 0, log_page_names, NULL, NULL },
	{ "scsi.logpage.subpage", "Subpage Code", SCSI_BYTES(1, 1), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.log.page_length", "Page Length", SCSI_BYTES(2, 2), RTAP_DEC, 0, NULL, NULL, NULL },
};

static enum result parse_log(struct parse *parse)
{
	const uint8_t *header = parse->cursor.next;
	enum result result = structure_parse(parse, PROTOCOL_SCSI_LOG, LOG_HEADER, PROTOCOL_PAYLOAD);

	/* the list of pages has no parameters */
	if (result == OK && parse->cursor.wire && header[0] & 0x3f)
		parse->next = PROTOCOL_SCSI_LOG_PARAMETERS;
	return result;
}

const struct protocol scsi_log_protocol = {
	.table = { "scsi.logpage", "SCSI Log Page", "SPC-5, 7.3", LOG_HEADER, FIELDS(log_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_log,
	.summary = structure_summary,
};

enum { ROW_CODE, ROW_LENGTH, ROW_DATA };

static const struct rtap_field log_parameters_fields[] = {
	[ROW_CODE] = { "scsi.log.parameter_code", "Parameter Code", 0, 16, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_LENGTH] = { "scsi.log.param_len", "Parameter Length", 0, 8, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_DATA] = { "scsi.log.param_data", "Parameter Value", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
};

static enum result parse_log_parameters(struct parse *parse)
{
	uint32_t length = load16(parse->cursor.next - 2);

	if (!length) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	return structure_parse(parse, PROTOCOL_SCSI_LOG_PARAMETERS, length, PROTOCOL_PAYLOAD);
}

static void visit_log_parameters(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *bytes = layer_bytes(packet, layer);

	for (uint32_t at = 0, length; at + LOG_PARAMETER <= layer->length; at += LOG_PARAMETER + length) {
		length = bytes[at + 3];
		visit_field(visitor, layer, PROTOCOL_SCSI_LOG_PARAMETERS, ROW_CODE, &(struct rtap_value){ .number = load16(bytes + at) }, layer->offset + at, 2);
		visit_field(visitor, layer, PROTOCOL_SCSI_LOG_PARAMETERS, ROW_LENGTH, &(struct rtap_value){ .number = length }, layer->offset + at + 3, 1);
		if (at + LOG_PARAMETER + length <= layer->length)
			visit_field(visitor, layer, PROTOCOL_SCSI_LOG_PARAMETERS, ROW_DATA, &(struct rtap_value){ .data = { bytes + at + LOG_PARAMETER, length } },
				    layer->offset + at + LOG_PARAMETER, length);
	}
}

const struct protocol scsi_log_parameters_protocol = {
	.table = { "scsi.logparameters", "SCSI Log Parameters", "SPC-5, 7.3.2", 0, FIELDS(log_parameters_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_log_parameters,
	.visit = visit_log_parameters,
};

/* Persistent reservations: SPC-5, 6.16 and 6.17. */
static const struct rtap_name reservation_names[] = {
	{ 0x1, "write exclusive" }, { 0x3, "exclusive access" }, { 0x5, "write exclusive, registrants only" },
	{ 0x6, "exclusive access, registrants only" }, { 0x7, "write exclusive, all registrants" },
	{ 0x8, "exclusive access, all registrants" }, { 0, NULL },
};

static const struct rtap_field reservation_keys_fields[] = {
	{ "scsi.persresvin.generation_number", "Generation", SCSI_BYTES(0, 4), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.additional_length", "Additional Length", SCSI_BYTES(4, 4), RTAP_DEC, 0, NULL, NULL, NULL },
};

SCSI_STRUCTURE(reservation_keys, RESERVATION_KEYS, "scsi.persresvin", "SCSI Reservation Keys", "SPC-5, 6.16.2", 8, PROTOCOL_SCSI_KEYS)

static const struct rtap_field keys_fields[] = {
	{ "scsi.persresvin.key", "Reservation Key", SCSI_BYTES(0, 8), RTAP_BYTES, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
};

SCSI_LIST(keys, KEYS, "scsi.persresvin.keys", "SCSI Keys", "SPC-5, 6.16.2", 8, load32(parse->cursor.next - 4))

static const struct rtap_field reservation_fields[] = {
	{ "scsi.persresvin.reservation.generation", "Generation", SCSI_BYTES(0, 4), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.reservation.additional_length", "Additional Length", SCSI_BYTES(4, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.reservation.reskey", "Reservation Key", SCSI_BYTES(8, 8), RTAP_BYTES, RTAP_COMPARED, NULL, NULL, NULL },
	{ "scsi.persresvin.reservation.rsvd16", "Reserved", SCSI_BYTES(16, 5), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresvin.reservation.scope", "Scope", SCSI_BITS(21, 0, 4), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.reservation.type", "Type", SCSI_BITS(21, 4, 4), RTAP_HEX, 0, reservation_names, NULL, NULL },
	{ "scsi.persresvin.reservation.rsvd22", "Reserved", SCSI_BYTES(22, 2), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
};

SCSI_STRUCTURE(reservation, RESERVATION, "scsi.persresvin.reservation", "SCSI Reservation", "SPC-5, 6.16.3", 24, PROTOCOL_PAYLOAD)

static const struct rtap_field reservation_capabilities_fields[] = {
	{ "scsi.persresvin.capabilities.length", "Length", SCSI_BYTES(0, 2), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.rlr_c", "Replace Lost Reservation", SCSI_BITS(2, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.rsvd2_1", "Reserved", SCSI_BITS(2, 1, 2), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.crh", "Compatible Reservation Handling", SCSI_BITS(2, 3, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.sip_c", "Specify Initiator Ports", SCSI_BITS(2, 4, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.atp_c", "All Target Ports", SCSI_BITS(2, 5, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.rsvd2_6", "Reserved", SCSI_BITS(2, 6, 1), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.ptpl_c", "Persist Through Power Loss Capable", SCSI_BITS(2, 7, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.tmv", "Type Mask Valid", SCSI_BITS(3, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.allow", "Allowed Commands", SCSI_BITS(3, 1, 3), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.rsvd3_4", "Reserved", SCSI_BITS(3, 4, 3), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.ptpl_a", "Persist Through Power Loss Activated", SCSI_BITS(3, 7, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.wr_ex_ar", "Write Exclusive, All Registrants", SCSI_BITS(4, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.ex_ac_ro", "Exclusive Access, Registrants Only", SCSI_BITS(4, 1, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.wr_ex_ro", "Write Exclusive, Registrants Only", SCSI_BITS(4, 2, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.rsvd4_3", "Reserved", SCSI_BITS(4, 3, 1), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.ex_ac", "Exclusive Access", SCSI_BITS(4, 4, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.rsvd4_5", "Reserved", SCSI_BITS(4, 5, 1), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.wr_ex", "Write Exclusive", SCSI_BITS(4, 6, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.rsvd4_7", "Reserved", SCSI_BITS(4, 7, 1), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.rsvd5", "Reserved", SCSI_BITS(5, 0, 7), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.ex_ac_ar", "Exclusive Access, All Registrants", SCSI_BITS(5, 7, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresvin.capabilities.rsvd6", "Reserved", SCSI_BYTES(6, 2), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
};

SCSI_STRUCTURE(reservation_capabilities, RESERVATION_CAPABILITIES, "scsi.persresvin.capabilities",
	"SCSI Reservation Capabilities", "SPC-5, 6.16.4", 8,
	       PROTOCOL_PAYLOAD)

static const struct rtap_field reservation_out_fields[] = {
	{ "scsi.persresv.reskey", "Reservation Key", SCSI_BYTES(0, 8), RTAP_BYTES, RTAP_COMPARED, NULL, NULL, NULL },
	{ "scsi.persresv.sareskey", "Service Action Reservation Key", SCSI_BYTES(8, 8), RTAP_BYTES, RTAP_COMPARED, NULL, NULL, NULL },
	{ "scsi.persresv.rsvd16", "Reserved", SCSI_BYTES(16, 4), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresv.rsvd20", "Reserved", SCSI_BITS(20, 0, 4), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresv.control.spec_i_pt", "Specify Initiator Ports", SCSI_BITS(20, 4, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresv.control.all_tg_pt", "All Target Ports", SCSI_BITS(20, 5, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresv.rsvd20_6", "Reserved", SCSI_BITS(20, 6, 1), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.persresv.control.aptpl", "Activate Persist Through Power Loss", SCSI_BITS(20, 7, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.persresv.rsvd21", "Reserved", SCSI_BYTES(21, 3), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
};

SCSI_STRUCTURE(reservation_out, RESERVATION_OUT, "scsi.persresv", "SCSI Reservation Parameters", "SPC-5, 6.17.3", 24, PROTOCOL_PAYLOAD)

/* UNMAP: SBC-4, 5.36. */
static const struct rtap_field unmap_fields[] = {
	{ "scsi_sbc.unmap.data_length", "Data Length", SCSI_BYTES(0, 2), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.unmap.block_descriptor_data_length", "Block Descriptor Data Length", SCSI_BYTES(2, 2), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.unmap.list.rsvd4", "Reserved", SCSI_BYTES(4, 4), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
};

SCSI_STRUCTURE(unmap, UNMAP_LIST, "scsi_sbc.unmap.list", "SCSI Unmap List", "SBC-4, 5.36.2", 8, PROTOCOL_SCSI_UNMAP_DESCRIPTORS)

static const struct rtap_field unmap_descriptors_fields[] = {
	{ "scsi_sbc.unmap.lba", "Start LBA", SCSI_BYTES(0, 8), RTAP_DEC, RTAP_REPEATS, NULL, NULL, NULL },
	{ "scsi_sbc.unmap.num_blocks", "Number of Blocks", SCSI_BYTES(8, 4), RTAP_DEC, RTAP_REPEATS, NULL, NULL, NULL },
	{ "scsi_sbc.unmap.descriptor.rsvd12", "Reserved", SCSI_BYTES(12, 4), RTAP_HEX, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
};

SCSI_LIST(unmap_descriptors, UNMAP_DESCRIPTORS, "scsi_sbc.unmap.descriptor", "SCSI Unmap Descriptors", "SBC-4, 5.36.2", 16,
	  load16(parse->cursor.next - 6))

/* The service action of PERSISTENT RESERVE IN and OUT. */
static uint16_t of_reservation(uint8_t action)
{
	switch (action & 0x1f) {
	case 0x00: return PROTOCOL_SCSI_RESERVATION_KEYS;
	case 0x01: return PROTOCOL_SCSI_RESERVATION;
	case 0x02: return PROTOCOL_SCSI_RESERVATION_CAPABILITIES;
	default: return PROTOCOL_PAYLOAD;
	}
}

static uint16_t of_data_in(const uint8_t *cdb, uint8_t action)
{
	switch (cdb[0]) {
	case SCSI_REQUEST_SENSE: return PROTOCOL_SCSI_SENSE;
	case SCSI_INQUIRY: return action & 1 ? PROTOCOL_SCSI_VPD : PROTOCOL_SCSI_INQUIRY;
	case SCSI_MODE_SENSE_6: return PROTOCOL_SCSI_MODE_6;
	case SCSI_MODE_SENSE_10: return PROTOCOL_SCSI_MODE_10;
	case SCSI_READ_CAPACITY_10: return PROTOCOL_SCSI_CAPACITY_10;
	case SCSI_LOG_SENSE: return PROTOCOL_SCSI_LOG;
	case SCSI_PERSISTENT_RESERVE_IN: return of_reservation(action);
	case SCSI_SERVICE_IN_16: return (action & 0x1f) == SCSI_READ_CAPACITY_16 ? PROTOCOL_SCSI_CAPACITY_16 : PROTOCOL_PAYLOAD;
	case SCSI_REPORT_LUNS: return PROTOCOL_SCSI_LUN_LIST;
	default: return PROTOCOL_PAYLOAD;
	}
}

uint16_t scsi_data_protocol(const uint8_t *cdb, uint32_t length, bool is_out)
{
	/* all that are known here have a second byte */
	if (length < 2)
		return PROTOCOL_PAYLOAD;
	if (!is_out)
		return of_data_in(cdb, cdb[1]);
	switch (cdb[0]) {
	case SCSI_MODE_SELECT_6: return PROTOCOL_SCSI_MODE_6;
	case SCSI_MODE_SELECT_10: return PROTOCOL_SCSI_MODE_10;
	case SCSI_PERSISTENT_RESERVE_OUT: return (cdb[1] & 0x1f) == SCSI_REGISTER_AND_MOVE ? PROTOCOL_PAYLOAD : PROTOCOL_SCSI_RESERVATION_OUT;
	case SCSI_UNMAP: return PROTOCOL_SCSI_UNMAP_LIST;
	default: return PROTOCOL_PAYLOAD;
	}
}
