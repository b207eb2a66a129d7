/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Command descriptor blocks as a layer, with the parts that commands of each operation code have. SPC-5, chapter 6; SBC-4, chapter 5.
 */
#include "config.h"

#include <string.h>

#include "dissect/engine/parse.h"
#include "dissect/scsi/iser.h"
#include "dissect/scsi/scsi.h"
#include "dissect/scsi/scsi_structure.h"
#include "dissect/scsi/srp.h"

#define LONG_LENGTH 32

/* The second 16 bytes of a CDB, in a header segment of iSCSI; NULL: they are not there. RFC 7143, 11.2.2.3. */
static const uint8_t *find_segment(const uint8_t *segments, uint32_t left)
{
	for (uint32_t at = 0, length; at + ISCSI_AHS_HEADER <= left; at += (3 + length + 3) / 4 * 4) {
		length = load16(segments + at);
		if (!length || at + 3 + length > left)
			return NULL;
		if (segments[at + 2] == ISCSI_EXTENDED_CDB)
			return length > LONG_LENGTH - SCSI_CDB_LENGTH ? segments + at + ISCSI_AHS_HEADER : NULL;
	}
	return NULL;
}

/* The same in the layer after the CDB: in SRP they follow it. */
static const uint8_t *rest_of(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const struct rtap_layer *next = layer + 1;
	const uint8_t *bytes;

	if (next == packet->layers + packet->layer_count || next->source != layer->source)
		return NULL;
	bytes = layer_bytes(packet, next);
	if (next->protocol == PROTOCOL_ISCSI_AHS)
		return find_segment(bytes, next->length);
	if (next->protocol != PROTOCOL_SRP_BUFFERS || next->length < LONG_LENGTH - SCSI_CDB_LENGTH ||
	    bits(bytes - SRP_COMMAND_LENGTH, SRP_ADDITIONAL_CDB) * 4 < LONG_LENGTH - SCSI_CDB_LENGTH)
		return NULL;
	return bytes;
}

static void read_command(const struct rtap_packet *packet, const struct rtap_layer *layer, struct scsi_command *command)
{
	const uint8_t *cdb = layer_bytes(packet, layer);
	const uint8_t *rest = cdb[0] == SCSI_VARIABLE && layer->length == SCSI_CDB_LENGTH ? rest_of(packet, layer) : NULL;
	uint8_t whole[LONG_LENGTH];

	if (!rest) {
		scsi_read_command(cdb, layer->length, command);
		return;
	}
	memcpy(whole, cdb, SCSI_CDB_LENGTH);
	memcpy(whole + SCSI_CDB_LENGTH, rest, LONG_LENGTH - SCSI_CDB_LENGTH);
	scsi_read_command(whole, LONG_LENGTH, command);
}

/* False: the command names no blocks. */
static bool read_blocks(const struct rtap_packet *packet, const struct rtap_layer *layer, struct scsi_command *command)
{
	if (!layer->length)
		return false;
	read_command(packet, layer, command);
	return command->has_blocks;
}

static bool derive_lba(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	struct scsi_command command = { 0 };
	bool has_blocks = read_blocks(packet, layer, &command);

	value->number = command.lba;
	return has_blocks;
}

static bool derive_blocks(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	struct scsi_command command = { 0 };
	bool has_blocks = read_blocks(packet, layer, &command);

	value->number = command.blocks;
	return has_blocks;
}

/* The last byte of CDBs of a fixed length: SPC-5, 4.2.2. 0: another length. */
static uint8_t control_at(uint8_t opcode)
{
	static const uint8_t by_group[8] = { 5, 9, 9, 0, 15, 11, 0, 0 };

	return opcode == SCSI_VARIABLE ? 1 : by_group[opcode >> 5];
}

/* Pages of all types of devices: SPC-5, 7.5. Others are those of block devices. */
static bool is_common_page(uint8_t byte)
{
	uint8_t page = byte & 0x3f;

	return page == 0x02 || page == 0x09 || page == 0x0a || page == 0x18 || page == 0x19 || page == 0x1a || page == 0x1c || page == 0x3f;
}

static bool is_read(uint8_t opcode)
{
	return opcode == SCSI_READ_10 || opcode == SCSI_READ_12 || opcode == SCSI_READ_16;
}

static bool is_write(uint8_t opcode)
{
	return opcode == SCSI_WRITE_10 || opcode == SCSI_WRITE_12 || opcode == SCSI_WRITE_16 || opcode == SCSI_COMPARE_AND_WRITE ||
	       opcode == SCSI_ORWRITE_16 || opcode == SCSI_WRITE_ATOMIC_16 || opcode == SCSI_WRITE_STREAM_16;
}

static bool is_short(uint8_t opcode)
{
	return opcode == SCSI_READ_6 || opcode == SCSI_WRITE_6;
}

static bool is_same(uint8_t opcode)
{
	return opcode == SCSI_WRITE_SAME_10 || opcode == SCSI_WRITE_SAME_16;
}

static bool is_verify(uint8_t opcode)
{
	return opcode == SCSI_VERIFY_10 || opcode == SCSI_VERIFY_12 || opcode == SCSI_VERIFY_16;
}

static bool is_written_and_verified(uint8_t opcode)
{
	return opcode == SCSI_WRITE_AND_VERIFY_10 || opcode == SCSI_WRITE_AND_VERIFY_12 || opcode == SCSI_WRITE_AND_VERIFY_16;
}

static bool is_synchronize(uint8_t opcode)
{
	return opcode == SCSI_SYNCHRONIZE_10 || opcode == SCSI_SYNCHRONIZE_16;
}

static bool is_long(uint8_t opcode)
{
	return opcode == SCSI_READ_LONG_10 || opcode == SCSI_WRITE_LONG_10;
}

/* READ LONG(16) and WRITE LONG(16). `action`: the byte with the service action. */
static bool is_long_16(uint8_t opcode, uint8_t action)
{
	return (opcode == SCSI_SERVICE_IN_16 || opcode == SCSI_SERVICE_OUT_16) && (action & 0x1f) == 0x11;
}

static bool is_pre_fetch(uint8_t opcode)
{
	return opcode == SCSI_PRE_FETCH_10 || opcode == SCSI_PRE_FETCH_16;
}

static bool is_defect(uint8_t opcode)
{
	return opcode == SCSI_READ_DEFECT_10 || opcode == SCSI_READ_DEFECT_12;
}

/* REQ_PLIST, REQ_GLIST and the format are in byte 2 or 1: SBC-4, 5.18, 5.19. */
static unsigned defect_flags_at(uint8_t opcode)
{
	return opcode == SCSI_READ_DEFECT_10 ? 16 : 8;
}

static bool is_buffer(uint8_t opcode)
{
	return opcode == SCSI_WRITE_BUFFER || opcode == SCSI_READ_BUFFER;
}

static bool is_mode_sense(uint8_t opcode)
{
	return opcode == SCSI_MODE_SENSE_6 || opcode == SCSI_MODE_SENSE_10;
}

/* Commands with the LBA and the number of blocks as READ(10), (12) and (16) have them. */
static bool has_ten(uint8_t opcode)
{
	return opcode == SCSI_READ_10 || opcode == SCSI_WRITE_10 || opcode == SCSI_WRITE_SAME_10 || opcode == SCSI_SYNCHRONIZE_10 ||
	       opcode == SCSI_PRE_FETCH_10 || opcode == SCSI_XDWRITE_10 || opcode == SCSI_XPWRITE_10 || opcode == SCSI_XDREAD_10 ||
	       opcode == SCSI_XDWRITEREAD_10;
}

static bool has_twelve(uint8_t opcode)
{
	return opcode == SCSI_READ_12 || opcode == SCSI_WRITE_12;
}

static bool has_sixteen(uint8_t opcode)
{
	return opcode == SCSI_READ_16 || opcode == SCSI_WRITE_16 || opcode == SCSI_WRITE_SAME_16 || opcode == SCSI_SYNCHRONIZE_16 ||
	       opcode == SCSI_ORWRITE_16 || opcode == SCSI_PRE_FETCH_16;
}

/* Only the LBA there, and fewer bytes for the number of blocks. */
static bool has_less(uint8_t opcode)
{
	return opcode == SCSI_COMPARE_AND_WRITE || opcode == SCSI_WRITE_ATOMIC_16 || opcode == SCSI_WRITE_STREAM_16;
}

static bool has_group(uint8_t opcode)
{
	return is_read(opcode) || is_write(opcode) || is_same(opcode) || is_verify(opcode) || is_written_and_verified(opcode) || is_synchronize(opcode) ||
	       opcode == SCSI_UNMAP || opcode == SCSI_PRE_FETCH_10 || opcode == SCSI_PRE_FETCH_16;
}

/* GROUP NUMBER is in the byte before the control byte or, in CDBs of ten bytes, before the two bytes of a length. */
static unsigned group_at(uint8_t opcode)
{
	uint8_t at = control_at(opcode);

	return (at == 9 ? 6u : at - 1u) * 8 + 3;
}

/* REPORT SUPPORTED OPERATION CODES. `action`: the byte with the service action. */
static bool reports_opcodes(uint8_t opcode, uint8_t action)
{
	return opcode == SCSI_MAINTENANCE_IN && (action & 0x1f) == 0x0c;
}

static bool part_of(const struct rtap_layer *layer, const uint8_t *cdb, unsigned at, unsigned width, struct rtap_value *value)
{
	if (layer->length * 8 < at + width)
		return false;
	value->number = bits(cdb, at, width);
	return true;
}

/* A part of the CDBs for which the condition is true. */
#define PART(name, condition, at, width) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		const uint8_t *cdb = layer_bytes(packet, layer); \
		uint8_t opcode = layer->length >= 2 ? cdb[0] : 0; \
		\
		return layer->length >= 2 && (condition) && part_of(layer, cdb, at, width, value); \
	}

#define CONTROL(name, bit, width) \
	PART(name, opcode != SCSI_INQUIRY && control_at(opcode), control_at(opcode) * 8u + (bit), width) \
	PART(inquiry_##name, opcode == SCSI_INQUIRY, 40 + (bit), width)

CONTROL(control, 0, 8)
CONTROL(vendor, 0, 2)
CONTROL(reserved, 2, 3)
CONTROL(naca, 5, 1)
CONTROL(first_obsolete, 6, 1)
CONTROL(second_obsolete, 7, 1)

PART(flags, is_read(opcode) || is_write(opcode), 8, 8)
PART(verify_flags, is_verify(opcode), 8, 8)
PART(write_verify_flags, is_written_and_verified(opcode), 8, 8)
PART(same_flags, is_same(opcode), 8, 8)
PART(read_protect, is_read(opcode), 8, 3)
PART(write_protect, is_write(opcode) || is_same(opcode) || is_written_and_verified(opcode), 8, 3)
PART(verify_protect, is_verify(opcode), 8, 3)
PART(page_out, is_read(opcode) || is_write(opcode) || is_verify(opcode) || is_written_and_verified(opcode), 11, 1)
PART(unit_access, is_read(opcode) || is_write(opcode), 12, 1)
PART(unit_access_volatile, is_read(opcode) || is_write(opcode), 14, 1)
PART(byte_check, is_verify(opcode) || is_written_and_verified(opcode), 13, 2)
PART(anchor, is_same(opcode), 11, 1)
PART(deallocate, is_same(opcode), 12, 1)
PART(same_physical, is_same(opcode), 13, 1)
PART(same_logical, is_same(opcode), 14, 1)
PART(group, has_group(opcode), group_at(opcode), 5)
PART(short_lba, is_short(opcode), 11, 21)
PART(short_blocks, is_short(opcode), 32, 8)
PART(ten_lba, has_ten(opcode) || has_twelve(opcode) || is_long(opcode), 16, 32)
PART(ten_blocks, has_ten(opcode), 56, 16)
PART(long_blocks, has_twelve(opcode) || has_sixteen(opcode), has_twelve(opcode) ? 48u : 80u, 32)
PART(compared_blocks, opcode == SCSI_COMPARE_AND_WRITE, 104, 8)
PART(atomic_blocks, has_less(opcode) && opcode != SCSI_COMPARE_AND_WRITE, 96, 16)
PART(verify_lba, opcode == SCSI_VERIFY_10 || opcode == SCSI_VERIFY_12, 16, 32)
PART(verify_long_lba, opcode == SCSI_VERIFY_16, 16, 64)
PART(verify_blocks, opcode == SCSI_VERIFY_10, 56, 16)
PART(verify_long_blocks, opcode == SCSI_VERIFY_12 || opcode == SCSI_VERIFY_16, opcode == SCSI_VERIFY_12 ? 48u : 80u, 32)
PART(write_verify_lba, opcode == SCSI_WRITE_AND_VERIFY_10 || opcode == SCSI_WRITE_AND_VERIFY_12, 16, 32)
PART(write_verify_long_lba, opcode == SCSI_WRITE_AND_VERIFY_16, 16, 64)
PART(write_verify_blocks, opcode == SCSI_WRITE_AND_VERIFY_10, 56, 16)
PART(write_verify_long_blocks, opcode == SCSI_WRITE_AND_VERIFY_12 || opcode == SCSI_WRITE_AND_VERIFY_16,
	opcode == SCSI_WRITE_AND_VERIFY_12 ? 48u : 80u, 32)
PART(synchronize_flags, is_synchronize(opcode), 8, 8)
PART(synchronize_volatile, is_synchronize(opcode), 13, 1)
PART(synchronize_immediate, is_synchronize(opcode), 14, 1)
PART(fetch_flags, is_pre_fetch(opcode), 8, 8)
PART(fetch_immediate, is_pre_fetch(opcode), 14, 1)
PART(correct_flags, opcode == SCSI_READ_LONG_10, 8, 8)
PART(correct, opcode == SCSI_READ_LONG_10, 14, 1)
PART(long_no_correction, opcode == SCSI_WRITE_LONG_10, 8, 1)
PART(long_uncorrectable, opcode == SCSI_WRITE_LONG_10, 9, 1)
PART(long_physical, opcode == SCSI_WRITE_LONG_10, 10, 1)
PART(defect_flags, is_defect(opcode), defect_flags_at(opcode), 8)
PART(defect_primary, is_defect(opcode), defect_flags_at(opcode) + 3, 1)
PART(defect_grown, is_defect(opcode), defect_flags_at(opcode) + 4, 1)
PART(defect_format, is_defect(opcode), defect_flags_at(opcode) + 5, 3)
PART(block_length_16, is_long(opcode) || is_long_16(opcode, cdb[1]) || opcode == SCSI_READ_DEFECT_10, is_long_16(opcode, cdb[1]) ? 96u : 56u, 16)
PART(xdread_flags, opcode == SCSI_XDREAD_10, 8, 8)
PART(xdwrite_flags, opcode == SCSI_XDWRITE_10, 8, 8)
PART(xdwriteread_flags, opcode == SCSI_XDWRITEREAD_10, 8, 8)
PART(block_length_32, opcode == SCSI_READ_DEFECT_12, 48, 32)
PART(buffer_specific, is_buffer(opcode), 8, 3)
PART(buffer_mode, is_buffer(opcode), 11, 5)
PART(buffer_id, is_buffer(opcode), 16, 8)
PART(buffer_offset, is_buffer(opcode), 24, 24)
PART(list_24, opcode == SCSI_WRITE_BUFFER, 48, 24)
PART(length_24, opcode == SCSI_READ_BUFFER, 48, 24)
PART(test_code, opcode == SCSI_SEND_DIAGNOSTIC, 8, 3)
PART(test_format, opcode == SCSI_SEND_DIAGNOSTIC, 11, 1)
PART(test_self, opcode == SCSI_SEND_DIAGNOSTIC, 13, 1)
PART(test_device, opcode == SCSI_SEND_DIAGNOSTIC, 14, 1)
PART(test_unit, opcode == SCSI_SEND_DIAGNOSTIC, 15, 1)
PART(test_list, opcode == SCSI_SEND_DIAGNOSTIC, 24, 16)
PART(result_has_page, opcode == SCSI_RECEIVE_DIAGNOSTIC, 15, 1)
PART(result_page, opcode == SCSI_RECEIVE_DIAGNOSTIC, 16, 8)
PART(result_length, opcode == SCSI_RECEIVE_DIAGNOSTIC, 24, 16)
PART(receive_action, opcode == SCSI_RECEIVE_COPY, 11, 5)
PART(receive_length, opcode == SCSI_RECEIVE_COPY, 80, 32)
PART(service_out, opcode == SCSI_SERVICE_OUT_16, 11, 5)
PART(unmap_flags, opcode == SCSI_UNMAP, 8, 8)
PART(unmap_anchor, opcode == SCSI_UNMAP, 15, 1)
PART(service_action, opcode == SCSI_SERVICE_IN_16, 11, 5)
PART(service_length, opcode == SCSI_SERVICE_IN_16 && !is_long_16(opcode, cdb[1]), 80, 32)
PART(format_flags, opcode == SCSI_FORMAT_UNIT, 8, 5)
PART(format_protection, opcode == SCSI_FORMAT_UNIT, 8, 1)
PART(format_own_tag, opcode == SCSI_FORMAT_UNIT, 9, 1)
PART(format_long, opcode == SCSI_FORMAT_UNIT, 10, 1)
PART(format_data, opcode == SCSI_FORMAT_UNIT, 11, 1)
PART(format_complete, opcode == SCSI_FORMAT_UNIT, 12, 1)
PART(format_defects, opcode == SCSI_FORMAT_UNIT, 13, 3)
PART(format_vendor, opcode == SCSI_FORMAT_UNIT, 16, 8)
PART(format_interleave, opcode == SCSI_FORMAT_UNIT, 24, 16)
PART(sanitize_flags, opcode == SCSI_SANITIZE, 8, 8)
PART(sanitize_immediate, opcode == SCSI_SANITIZE, 8, 1)
PART(sanitize_unrestricted, opcode == SCSI_SANITIZE, 10, 1)
PART(sanitize_action, opcode == SCSI_SANITIZE, 11, 5)
PART(reassign_flags, opcode == SCSI_REASSIGN_BLOCKS, 8, 8)
PART(reassign_long_lba, opcode == SCSI_REASSIGN_BLOCKS, 14, 1)
PART(reassign_long_list, opcode == SCSI_REASSIGN_BLOCKS, 15, 1)
PART(copy_action, opcode == SCSI_EXTENDED_COPY, 11, 5)
PART(copy_list, opcode == SCSI_EXTENDED_COPY, 80, 32)
PART(start_flags, opcode == SCSI_START_STOP, 8, 8)
PART(start_power_flags, opcode == SCSI_START_STOP, 32, 8)
PART(start_immediate, opcode == SCSI_START_STOP, 15, 1)
PART(start_power, opcode == SCSI_START_STOP, 32, 4)
PART(start_load, opcode == SCSI_START_STOP, 38, 1)
PART(start_start, opcode == SCSI_START_STOP, 39, 1)
PART(inquiry_flags, opcode == SCSI_INQUIRY, 8, 8)
PART(inquiry_vital, opcode == SCSI_INQUIRY, 15, 1)
PART(inquiry_page, opcode == SCSI_INQUIRY && cdb[1] & 1, 16, 8)
PART(length_8, opcode == SCSI_REQUEST_SENSE || opcode == SCSI_MODE_SENSE_6, 32, 8)
PART(length_16, opcode == SCSI_INQUIRY || opcode == SCSI_MODE_SENSE_10 || opcode == SCSI_LOG_SENSE || opcode == SCSI_PERSISTENT_RESERVE_IN,
     opcode == SCSI_INQUIRY ? 24u : 56u, 16)
PART(length_32, opcode == SCSI_REPORT_LUNS || opcode == SCSI_MAINTENANCE_IN, 48, 32)
PART(list_8, opcode == SCSI_MODE_SELECT_6, 32, 8)
PART(list_16, opcode == SCSI_MODE_SELECT_10 || opcode == SCSI_LOG_SELECT || opcode == SCSI_RESERVE_10 || opcode == SCSI_RELEASE_10, 56, 16)
PART(block_list_16, opcode == SCSI_UNMAP || opcode == SCSI_SANITIZE, 56, 16)
PART(mode_flags, is_mode_sense(opcode), 8, 8)
PART(select_flags, opcode == SCSI_MODE_SELECT_6 || opcode == SCSI_MODE_SELECT_10, 8, 8)
PART(mode_control, is_mode_sense(opcode), 16, 2)
PART(mode_page, is_mode_sense(opcode) && is_common_page(cdb[2]), 18, 6)
PART(mode_block_page, is_mode_sense(opcode) && !is_common_page(cdb[2]), 18, 6)
PART(mode_subpage, is_mode_sense(opcode), 24, 8)
PART(log_flags, opcode == SCSI_LOG_SENSE || opcode == SCSI_LOG_SELECT, 8, 8)
PART(log_page_flags, opcode == SCSI_LOG_SENSE || opcode == SCSI_LOG_SELECT, 16, 8)
PART(log_pointer, opcode == SCSI_LOG_SENSE, 40, 16)
PART(log_pointer_control, opcode == SCSI_LOG_SENSE, 14, 1)
PART(log_save, opcode == SCSI_LOG_SENSE || opcode == SCSI_LOG_SELECT, 15, 1)
PART(log_reset, opcode == SCSI_LOG_SELECT, 14, 1)
PART(log_control, opcode == SCSI_LOG_SENSE || opcode == SCSI_LOG_SELECT, 16, 2)
PART(log_page, opcode == SCSI_LOG_SENSE || opcode == SCSI_LOG_SELECT, 18, 6)
PART(reserve_in, opcode == SCSI_PERSISTENT_RESERVE_IN, 11, 5)
PART(reserve_out, opcode == SCSI_PERSISTENT_RESERVE_OUT, 11, 5)
PART(reserve_scope, opcode == SCSI_PERSISTENT_RESERVE_OUT, 16, 4)
PART(reserve_type, opcode == SCSI_PERSISTENT_RESERVE_OUT, 20, 4)
PART(reserve_list, opcode == SCSI_PERSISTENT_RESERVE_OUT, 40, 32)
PART(select_report, opcode == SCSI_REPORT_LUNS, 16, 8)
PART(variable_length, opcode == SCSI_VARIABLE, 56, 8)
PART(variable_action, opcode == SCSI_VARIABLE, 64, 16)
PART(release_flags, opcode == SCSI_RESERVE_10 || opcode == SCSI_RELEASE_10, 8, 8)
PART(maintenance_action, opcode == SCSI_MAINTENANCE_IN, 11, 5)
PART(report_timeouts, reports_opcodes(opcode, cdb[1]), 16, 1)
PART(report_options, reports_opcodes(opcode, cdb[1]), 21, 3)
PART(report_opcode, reports_opcodes(opcode, cdb[1]), 24, 8)
PART(report_action, reports_opcodes(opcode, cdb[1]), 32, 16)

static bool derive_sixteen_lba(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *cdb = layer_bytes(packet, layer);

	if (layer->length < 10 || !(has_sixteen(cdb[0]) || has_less(cdb[0]) || is_long_16(cdb[0], cdb[1])))
		return false;
	value->data.bytes = cdb + 2;
	value->data.length = 8;
	return true;
}

static const struct rtap_name service_names[] = { { 0x10, "READ CAPACITY(16)" }, { 0x11, "READ LONG(16)" }, { 0x12, "GET LBA STATUS" }, { 0, NULL } };
static const struct rtap_name service_out_names[] = { { 0x11, "WRITE LONG(16)" }, { 0x12, "WRITE SCATTERED(16)" }, { 0, NULL } };
/* SPC-5, 6.42, table 274 */
static const struct rtap_name test_names[] = {
	{ 0, "none" }, { 1, "background short" }, { 2, "background extended" }, { 4, "abort background" }, { 5, "foreground short" },
	{ 6, "foreground extended" }, { 0, NULL },
};
static const struct rtap_name page_control_names[] = { { 0, "current" }, { 1, "changeable" }, { 2, "default" }, { 3, "saved" }, { 0, NULL } };
static const struct rtap_name log_control_names[] = {
	{ 0, "threshold" }, { 1, "cumulative" }, { 2, "default threshold" }, { 3, "default cumulative" }, { 0, NULL },
};
/* Only with 3RDPTY and without LONGID: SPC-2, 7.21. */
static bool derive_release_third(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *cdb = layer_bytes(packet, layer);

	if (layer->length < 4 || (cdb[0] != SCSI_RESERVE_10 && cdb[0] != SCSI_RELEASE_10) || (cdb[1] & 0x12) != 0x10)
		return false;
	value->data = (struct rtap_span){ cdb + 3, 1 };
	return true;
}

static const struct rtap_name reserve_in_names[] = {
	{ 0, "READ KEYS" }, { 1, "READ RESERVATION" }, { 2, "REPORT CAPABILITIES" }, { 3, "READ FULL STATUS" }, { 0, NULL },
};
static const struct rtap_name reserve_out_names[] = {
	{ 0, "REGISTER" }, { 1, "RESERVE" }, { 2, "RELEASE" }, { 3, "CLEAR" }, { 4, "PREEMPT" }, { 5, "PREEMPT AND ABORT" },
	{ 6, "REGISTER AND IGNORE EXISTING KEY" }, { 7, "REGISTER AND MOVE" }, { 8, "REPLACE LOST RESERVATION" }, { 0, NULL },
};
static const struct rtap_name reserve_type_names[] = {
	{ 1, "write exclusive" }, { 3, "exclusive access" }, { 5, "write exclusive, registrants only" }, { 6, "exclusive access, registrants only" },
	{ 7, "write exclusive, all registrants" }, { 8, "exclusive access, all registrants" }, { 0, NULL },
};
static const struct rtap_name sanitize_names[] = {
	{ 0x01, "OVERWRITE" }, { 0x02, "BLOCK ERASE" }, { 0x03, "CRYPTOGRAPHIC ERASE" }, { 0x1f, "EXIT FAILURE MODE" }, { 0, NULL },
};
static const struct rtap_name copy_names[] = {
	{ 0x00, "EXTENDED COPY(LID1)" }, { 0x01, "EXTENDED COPY(LID4)" }, { 0x10, "POPULATE TOKEN" }, { 0x11, "WRITE USING TOKEN" },
	{ 0x1c, "COPY OPERATION ABORT" }, { 0, NULL },
};
#define SOME(name, label, width, show, names, part) { name, label, 0, width, show, RTAP_UNPLACED | RTAP_SOMETIMES, names, derive_##part, NULL }
/* The data of MODE SENSE have one for each page. */
#define PAGES(name, label, width, part) { name, label, 0, width, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_REPEATS, NULL, derive_##part, NULL }
#define DETAIL(name, label, width, show, part) { name, label, 0, width, show, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_BULK, NULL, derive_##part, NULL }

static const struct rtap_field cdb_fields[] = {
	{ "scsi_sbc.opcode", "Opcode", 0, 8, RTAP_HEX, RTAP_OPCODE, scsi_opcode_names, NULL, NULL },
	{ "scsi.cdb.parameters", "CDB after the Opcode", 8, 120, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "scsi.cdb.lba", "Logical Block Address", 0, 64, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES, NULL, derive_lba, NULL },
	{ "scsi.cdb.xferlen", "Number of Blocks", 0, 32, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES, NULL, derive_blocks, NULL },
	SOME("scsi.cdb.control", "Control", 8, RTAP_HEX, NULL, control),
	SOME("scsi.cdb.control.vendorspecific", "Vendor Specific", 2, RTAP_HEX, NULL, vendor),
	DETAIL("scsi.cdb.control.reserved", "Reserved", 3, RTAP_HEX, reserved),
	SOME("scsi.cdb.control.naca", "NACA", 1, RTAP_BOOL, NULL, naca),
	DETAIL("scsi.cdb.control.obs1", "Obsolete", 1, RTAP_HEX, first_obsolete),
	DETAIL("scsi.cdb.control.obs2", "Obsolete", 1, RTAP_HEX, second_obsolete),
	SOME("scsi.cdb.inq.control", "Control", 8, RTAP_HEX, NULL, inquiry_control),
	SOME("scsi.inquiry.control.vendorspecific", "Vendor Specific", 2, RTAP_HEX, NULL, inquiry_vendor),
	DETAIL("scsi.inquiry.control.reserved", "Reserved", 3, RTAP_HEX, inquiry_reserved),
	SOME("scsi.inquiry.control.naca", "NACA", 1, RTAP_BOOL, NULL, inquiry_naca),
	DETAIL("scsi.inquiry.control.obs1", "Obsolete", 1, RTAP_HEX, inquiry_first_obsolete),
	DETAIL("scsi.inquiry.control.obs2", "Obsolete", 1, RTAP_HEX, inquiry_second_obsolete),
	SOME("scsi_sbc.read.flags", "Flags", 8, RTAP_HEX, NULL, flags),
	SOME("scsi_sbc.verify_flags", "Flags", 8, RTAP_HEX, NULL, verify_flags),
	SOME("scsi_sbc.wrverify_flags", "Flags", 8, RTAP_HEX, NULL, write_verify_flags),
	SOME("scsi_sbc.writesame_flags", "Flags", 8, RTAP_HEX, NULL, same_flags),
	SOME("scsi_sbc.rdprotect", "Read Protection", 3, RTAP_HEX, NULL, read_protect),
	SOME("scsi_sbc.wrprotect", "Write Protection", 3, RTAP_HEX, NULL, write_protect),
	SOME("scsi_sbc.vrprotect", "Verify Protection", 3, RTAP_HEX, NULL, verify_protect),
	SOME("scsi_sbc.dpo", "Disable Page Out", 1, RTAP_BOOL, NULL, page_out),
	SOME("scsi_sbc.fua", "Force Unit Access", 1, RTAP_BOOL, NULL, unit_access),
	SOME("scsi_sbc.fua_nv", "Force Unit Access to Non-Volatile Cache", 1, RTAP_BOOL, NULL, unit_access_volatile),
	SOME("scsi_sbc.bytchk", "Byte Check", 2, RTAP_DEC, NULL, byte_check),
	SOME("scsi_sbc.anchor", "Anchor", 1, RTAP_BOOL, NULL, anchor),
	SOME("scsi_sbc.unmap", "Unmap", 1, RTAP_BOOL, NULL, deallocate),
	DETAIL("scsi_sbc.pbdata", "Physical Block Data (obsolete)", 1, RTAP_BOOL, same_physical),
	DETAIL("scsi_sbc.lbdata", "Logical Block Data (obsolete)", 1, RTAP_BOOL, same_logical),
	SOME("scsi_sbc.rdwr6.lba", "Logical Block Address", 21, RTAP_DEC, NULL, short_lba),
	SOME("scsi_sbc.rdwr6.xferlen", "Transfer Length", 8, RTAP_DEC, NULL, short_blocks),
	SOME("scsi_sbc.rdwr10.lba", "Logical Block Address", 32, RTAP_DEC, NULL, ten_lba),
	SOME("scsi_sbc.rdwr10.xferlen", "Transfer Length", 16, RTAP_DEC, NULL, ten_blocks),
	SOME("scsi_sbc.rdwr12.xferlen", "Transfer Length", 32, RTAP_DEC, NULL, long_blocks),
	SOME("scsi_sbc.rdwr12.xferlen", "Transfer Length", 8, RTAP_DEC, NULL, compared_blocks),
	SOME("scsi_sbc.rdwr12.xferlen", "Transfer Length", 16, RTAP_DEC, NULL, atomic_blocks),
	SOME("scsi_sbc.rdwr16.lba", "Logical Block Address", 0, RTAP_BYTES, NULL, sixteen_lba),
	SOME("scsi_sbc.verify.lba", "Logical Block Address", 32, RTAP_DEC, NULL, verify_lba),
	SOME("scsi_sbc.verify.lba64", "Logical Block Address", 64, RTAP_DEC, NULL, verify_long_lba),
	SOME("scsi_sbc.verify.vlen", "Verification Length", 16, RTAP_DEC, NULL, verify_blocks),
	SOME("scsi_sbc.verify.vlen32", "Verification Length", 32, RTAP_DEC, NULL, verify_long_blocks),
	SOME("scsi_sbc.wrverify.lba", "Logical Block Address", 32, RTAP_DEC, NULL, write_verify_lba),
	SOME("scsi_sbc.wrverify.lba64", "Logical Block Address", 64, RTAP_DEC, NULL, write_verify_long_lba),
	SOME("scsi_sbc.wrverify.xferlen", "Transfer Length", 16, RTAP_DEC, NULL, write_verify_blocks),
	SOME("scsi_sbc.wrverify.xferlen32", "Transfer Length", 32, RTAP_DEC, NULL, write_verify_long_blocks),
	SOME("scsi_sbc.xdread.flags", "Flags", 8, RTAP_HEX, NULL, xdread_flags),
	SOME("scsi_sbc.xdwrite.flags", "Flags", 8, RTAP_HEX, NULL, xdwrite_flags),
	SOME("scsi_sbc.xdwriteread.flags", "Flags", 8, RTAP_HEX, NULL, xdwriteread_flags),
	SOME("scsi_sbc.prefetch.flags", "Flags", 8, RTAP_HEX, NULL, fetch_flags),
	SOME("scsi_sbc.prefetch.immediate", "Immediate", 1, RTAP_BOOL, NULL, fetch_immediate),
	SOME("scsi_sbc.corrct_flags", "Flags", 8, RTAP_HEX, NULL, correct_flags),
	SOME("scsi_sbc.corrct", "Correct", 1, RTAP_BOOL, NULL, correct),
	SOME("scsi_sbc.write_long.cor_dis", "Correction Disabled", 1, RTAP_BOOL, NULL, long_no_correction),
	SOME("scsi_sbc.write_long.wr_uncor", "Write Uncorrectable", 1, RTAP_BOOL, NULL, long_uncorrectable),
	SOME("scsi_sbc.write_long.pblock", "Physical Block", 1, RTAP_BOOL, NULL, long_physical),
	SOME("scsi_sbc.readdefdata.flags", "Flags", 8, RTAP_HEX, NULL, defect_flags),
	SOME("scsi_sbc.req_plist", "Request Primary Defect List", 1, RTAP_BOOL, NULL, defect_primary),
	SOME("scsi_sbc.req_glist", "Request Grown Defect List", 1, RTAP_BOOL, NULL, defect_grown),
	SOME("scsi_sbc.defect_list_format", "Defect List Format", 3, RTAP_DEC, NULL, defect_format),
	SOME("scsi_sbc.alloclen16", "Transfer Length (bytes)", 16, RTAP_DEC, NULL, block_length_16),
	SOME("scsi_sbc.alloclen32", "Allocation Length", 32, RTAP_DEC, NULL, block_length_32),
	SOME("scsi_sbc.synccache.flags", "Flags", 8, RTAP_HEX, NULL, synchronize_flags),
	SOME("scsi_sbc.synccache.sync_nv", "Only to Non-Volatile Cache", 1, RTAP_BOOL, NULL, synchronize_volatile),
	SOME("scsi_sbc.synccache.immediate", "Immediate", 1, RTAP_BOOL, NULL, synchronize_immediate),
	SOME("scsi_sbc.group", "Group", 5, RTAP_HEX, NULL, group),
	SOME("scsi_sbc.unmap_flags", "Flags", 8, RTAP_HEX, NULL, unmap_flags),
	SOME("scsi_sbc.unmap.anchor", "Anchor", 1, RTAP_BOOL, NULL, unmap_anchor),
	SOME("scsi_sbc.sa", "Service Action", 5, RTAP_HEX, service_names, service_action),
	SOME("scsi_sbc.sa", "Service Action", 5, RTAP_HEX, service_out_names, service_out),
	SOME("scsi_sbc.alloclen32", "Allocation Length", 32, RTAP_DEC, NULL, service_length),
	SOME("scsi_sbc.alloclen16", "Parameter List Length", 16, RTAP_DEC, NULL, block_list_16),
	SOME("scsi_sbc.formatunit.flags", "Flags", 5, RTAP_HEX, NULL, format_flags),
	SOME("scsi_sbc.format_unit.fmtpinfo", "Format Protection Information", 1, RTAP_BOOL, NULL, format_protection),
	SOME("scsi_sbc.format_unit.rto_req", "Reference Tag Own Request (obsolete)", 1, RTAP_BOOL, NULL, format_own_tag),
	SOME("scsi_sbc.format_unit.longlist", "Long List", 1, RTAP_BOOL, NULL, format_long),
	SOME("scsi_sbc.format_unit.fmtdata", "Format Data", 1, RTAP_BOOL, NULL, format_data),
	SOME("scsi_sbc.format_unit.cmplist", "Complete List", 1, RTAP_BOOL, NULL, format_complete),
	SOME("scsi_sbc.defect_list_format", "Defect List Format", 3, RTAP_DEC, NULL, format_defects),
	SOME("scsi_sbc.formatunit.vendor", "Vendor Specific", 8, RTAP_HEX, NULL, format_vendor),
	SOME("scsi_sbc.formatunit.interleave", "Interleave (obsolete)", 16, RTAP_HEX, NULL, format_interleave),
	SOME("scsi_sbc.sanitize_flags", "Flags", 8, RTAP_HEX, NULL, sanitize_flags),
	SOME("scsi_sbc.sanitize.immed", "Immediate", 1, RTAP_BOOL, NULL, sanitize_immediate),
	SOME("scsi_sbc.sanitize.ause", "Allow Unrestricted Exit", 1, RTAP_BOOL, NULL, sanitize_unrestricted),
	SOME("scsi_sbc.sanitize.sa", "Service Action", 5, RTAP_HEX, sanitize_names, sanitize_action),
	SOME("scsi_sbc.reassignblks.flags", "Flags", 8, RTAP_HEX, NULL, reassign_flags),
	SOME("scsi_sbc.reassignblocks.longlba", "Long LBA", 1, RTAP_BOOL, NULL, reassign_long_lba),
	SOME("scsi_sbc.reassignblocks.longlist", "Long List", 1, RTAP_BOOL, NULL, reassign_long_list),
	SOME("scsi.extcopy.service_action", "Service Action", 5, RTAP_HEX, copy_names, copy_action),
	SOME("scsi.extcopy.param_list_len", "Parameter List Length", 32, RTAP_DEC, NULL, copy_list),
	SOME("scsi.recv_copy.service_action", "Service Action", 5, RTAP_HEX, NULL, receive_action),
	SOME("scsi.cdb.alloclen32", "Allocation Length", 32, RTAP_DEC, NULL, receive_length),
	SOME("scsi.spc.senddiag.code", "Self-Test Code", 3, RTAP_HEX, test_names, test_code),
	SOME("scsi.spc.senddiag.pf", "Page Format", 1, RTAP_BOOL, NULL, test_format),
	SOME("scsi.spc.senddiag.st", "Self-Test", 1, RTAP_BOOL, NULL, test_self),
	SOME("scsi.spc.senddiag.devoff", "Device Offline", 1, RTAP_BOOL, NULL, test_device),
	SOME("scsi.spc.senddiag.unitoff", "Unit Offline", 1, RTAP_BOOL, NULL, test_unit),
	SOME("scsi.cdb.paramlen16", "Parameter List Length", 16, RTAP_DEC, NULL, test_list),
	SOME("scsi.spc.rcvdiag.pcv", "Page Code Valid", 1, RTAP_BOOL, NULL, result_has_page),
	SOME("scsi.spc.rcvdiag.page", "Page Code", 8, RTAP_HEX, NULL, result_page),
	SOME("scsi.cdb.alloclen16", "Allocation Length", 16, RTAP_DEC, NULL, result_length),
	SOME("scsi.spc.wb.mode_specific", "Mode Specific", 3, RTAP_HEX, NULL, buffer_specific),
	SOME("scsi.spc.wb.mode", "Mode", 5, RTAP_HEX, NULL, buffer_mode),
	SOME("scsi.spc.sb.bufid", "Buffer ID", 8, RTAP_DEC, NULL, buffer_id),
	SOME("scsi.spc.wb.bufoff", "Buffer Offset", 24, RTAP_HEX, NULL, buffer_offset),
	SOME("scsi.cdb.paramlen24", "Parameter List Length", 24, RTAP_DEC, NULL, list_24),
	SOME("scsi.cdb.alloclen24", "Allocation Length", 24, RTAP_DEC, NULL, length_24),
	SOME("scsi_sbc.ssu.immed_flags", "Flags", 8, RTAP_HEX, NULL, start_flags),
	SOME("scsi_sbc.ssu.pwr_flags", "Power Flags", 8, RTAP_HEX, NULL, start_power_flags),
	SOME("scsi_sbc.ssu.immediate", "Immediate", 1, RTAP_BOOL, NULL, start_immediate),
	SOME("scsi_sbc.ssu.pwr", "Power Condition", 4, RTAP_HEX, NULL, start_power),
	SOME("scsi_sbc.ssu.loej", "Load or Eject", 1, RTAP_BOOL, NULL, start_load),
	SOME("scsi_sbc.ssu.start", "Start", 1, RTAP_BOOL, NULL, start_start),
	SOME("scsi.inquiry.flags", "Flags", 8, RTAP_HEX, NULL, inquiry_flags),
	SOME("scsi.inquiry.cdb.evpd", "Vital Product Data", 1, RTAP_BOOL, NULL, inquiry_vital),
	{ "scsi.inquiry.evpd.pagecode", "Page Code", 0, 8, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_OPCODE, scsi_vpd_page_names,
		derive_inquiry_page, NULL },
	SOME("scsi.mode.flags", "Flags", 8, RTAP_HEX, NULL, mode_flags),
	SOME("scsi.cdb.mode.flags", "Flags", 8, RTAP_HEX, NULL, select_flags),
	SOME("scsi.mode.pc", "Page Control", 2, RTAP_DEC, page_control_names, mode_control),
	SOME("scsi.mode.spc.pagecode", "Page Code", 6, RTAP_HEX, NULL, mode_page),
	PAGES("scsi.mode.sbc.pagecode", "Page Code", 6, mode_block_page),
	PAGES("scsi.mode.spc.subpagecode", "Subpage Code", 8, mode_subpage),
	SOME("scsi.log.ppc.flags", "Flags", 8, RTAP_HEX, NULL, log_flags),
	SOME("scsi.log.pc.flags", "Page Flags", 8, RTAP_HEX, NULL, log_page_flags),
	SOME("scsi.log.param_ptr", "Parameter Pointer", 16, RTAP_HEX, NULL, log_pointer),
	SOME("scsi.log.ppc", "Parameter Pointer Control", 1, RTAP_BOOL, NULL, log_pointer_control),
	SOME("scsi.log.pcr", "Parameter Code Reset", 1, RTAP_BOOL, NULL, log_reset),
	SOME("scsi.log.sp", "Save Parameters", 1, RTAP_BOOL, NULL, log_save),
	SOME("scsi.log.pc", "Page Control", 2, RTAP_DEC, log_control_names, log_control),
	SOME("scsi.log.pagecode", "Page Code", 6, RTAP_HEX, NULL, log_page),
	SOME("scsi.persresvin.svcaction", "Service Action", 5, RTAP_HEX, reserve_in_names, reserve_in),
	SOME("scsi.persresvout.svcaction", "Service Action", 5, RTAP_HEX, reserve_out_names, reserve_out),
	SOME("scsi.persresv.scope", "Scope", 4, RTAP_HEX, NULL, reserve_scope),
	SOME("scsi.persresv.type", "Type", 4, RTAP_HEX, reserve_type_names, reserve_type),
	SOME("scsi.cdb.paramlen16", "Parameter List Length", 32, RTAP_DEC, NULL, reserve_list),
	SOME("scsi.spc.addcdblen", "Additional CDB Length", 8, RTAP_DEC, NULL, variable_length),
	SOME("scsi.spc.svcaction", "Service Action", 16, RTAP_HEX, scsi_long_names, variable_action),
	SOME("scsi.release.flags", "Flags", 8, RTAP_HEX, NULL, release_flags),
	SOME("scsi.release.thirdpartyid", "Third-Party ID", 8, RTAP_BYTES, NULL, release_third),
	SOME("scsi.mpi.service_action", "Service Action", 5, RTAP_HEX, scsi_maintenance_names, maintenance_action),
	SOME("scsi.report_opcodes.rctd", "Return Command Timeouts", 1, RTAP_BOOL, NULL, report_timeouts),
	SOME("scsi.report_opcodes.options", "Reporting Options", 3, RTAP_HEX, NULL, report_options),
	SOME("scsi.report_opcodes.requested_operation_code", "Requested Operation Code", 8, RTAP_HEX, scsi_opcode_names, report_opcode),
	SOME("scsi.report_opcodes.requested_service_action", "Requested Service Action", 16, RTAP_HEX, NULL, report_action),
	SOME("scsi.spc.select_report", "Select Report", 8, RTAP_HEX, NULL, select_report),
	SOME("scsi.cdb.alloclen", "Allocation Length", 8, RTAP_DEC, NULL, length_8),
	SOME("scsi.cdb.alloclen16", "Allocation Length", 16, RTAP_DEC, NULL, length_16),
	SOME("scsi.cdb.alloclen32", "Allocation Length", 32, RTAP_DEC, NULL, length_32),
	SOME("scsi.cdb.paramlen", "Parameter List Length", 8, RTAP_DEC, NULL, list_8),
	SOME("scsi.cdb.paramlen16", "Parameter List Length", 16, RTAP_DEC, NULL, list_16),
};

/* What a command is about, of those that name neither blocks nor a service action of their own. */
static void summary_object(const uint8_t *cdb, struct line *line)
{
	const char *name = NULL;

	switch (cdb[0]) {
	case SCSI_PERSISTENT_RESERVE_IN: name = rtap_name_of(reserve_in_names, cdb[1] & 0x1f); break;
	case SCSI_PERSISTENT_RESERVE_OUT: name = rtap_name_of(reserve_out_names, cdb[1] & 0x1f); break;
	case SCSI_SANITIZE: name = rtap_name_of(sanitize_names, cdb[1] & 0x1f); break;
	case SCSI_INQUIRY:
		if (!(cdb[1] & 1))
			return;
		name = rtap_name_of(scsi_vpd_page_names, cdb[2]);
		if (!name) {
			line_text(line, " page ");
			line_hex(line, cdb[2], 2);
		}
		break;
	case SCSI_MODE_SENSE_6: case SCSI_MODE_SENSE_10: case SCSI_LOG_SENSE:
		line_text(line, " page ");
		line_hex(line, cdb[2] & 0x3f, 2);
		break;
	default: break;
	}
	if (name) {
		line_char(line, ' ');
		line_text(line, name);
	}
}

static void summary_cdb(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	struct scsi_command command;
	bool to_end;

	if (!layer->length)
		return;
	read_command(packet, layer, &command);
	line_char(line, ' ');
	if (command.name)
		line_text(line, command.name);
	else
		line_hex(line, command.opcode, 2);
	if (layer->length > 2)
		summary_object(layer_bytes(packet, layer), line);
	to_end = !command.blocks && (is_synchronize(command.opcode) || is_pre_fetch(command.opcode));
	if (!command.has_range || (to_end && !command.lba))
		return;
	line_text(line, " LBA ");
	line_dec(line, command.lba);
	if (to_end) {
		line_text(line, " to the end");
		return;
	}
	line_char(line, ' ');
	line_count(line, command.blocks, "block", "blocks");
}

static enum result parse_cdb(struct parse *parse)
{
	const uint8_t *cdb;
	enum result result = parse_layer(parse, PROTOCOL_SCSI_CDB, SCSI_CDB_LENGTH, &cdb);

	if (result == OK && parse->packet->upper == RTAP_UPPER_SRP)
		parse->next = PROTOCOL_SRP_BUFFERS;
	else if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

const struct protocol scsi_cdb_protocol = {
	.table = { "scsi.cdb", "SCSI Command", "SPC-5, 4.2", SCSI_CDB_LENGTH, FIELDS(cdb_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_cdb,
	.summary = summary_cdb,
};
