/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/scsi/scsi.h"

/* SPC-5, annex F.3; SBC-4, 5.1. */
const struct rtap_name scsi_opcode_names[] = {
	{ 0x00, "TEST UNIT READY" }, { 0x03, "REQUEST SENSE" }, { 0x04, "FORMAT UNIT" }, { 0x07, "REASSIGN BLOCKS" }, { 0x08, "READ(6)" },
	{ 0x0a, "WRITE(6)" }, { 0x12, "INQUIRY" }, { 0x15, "MODE SELECT(6)" }, { 0x16, "RESERVE(6)" }, { 0x17, "RELEASE(6)" },
	{ 0x1a, "MODE SENSE(6)" }, { 0x1b, "START STOP UNIT" }, { 0x1c, "RECEIVE DIAGNOSTIC RESULTS" }, { 0x1d, "SEND DIAGNOSTIC" },
	{ 0x1e, "PREVENT ALLOW MEDIUM REMOVAL" }, { 0x25, "READ CAPACITY(10)" }, { 0x28, "READ(10)" }, { 0x2a, "WRITE(10)" },
	{ 0x2e, "WRITE AND VERIFY(10)" }, { 0x2f, "VERIFY(10)" }, { 0x34, "PRE-FETCH(10)" }, { 0x35, "SYNCHRONIZE CACHE(10)" },
	{ 0x37, "READ DEFECT DATA(10)" }, { 0x3b, "WRITE BUFFER" }, { 0x3c, "READ BUFFER(10)" }, { 0x3e, "READ LONG(10)" }, { 0x3f, "WRITE LONG(10)" },
	{ 0x41, "WRITE SAME(10)" }, { 0x42, "UNMAP" }, { 0x48, "SANITIZE" }, { 0x4c, "LOG SELECT" }, { 0x4d, "LOG SENSE" }, { 0x50, "XDWRITE(10)" },
	{ 0x51, "XPWRITE(10)" }, { 0x52, "XDREAD(10)" }, { 0x53, "XDWRITEREAD(10)" }, { 0x55, "MODE SELECT(10)" }, { 0x56, "RESERVE(10)" },
	{ 0x57, "RELEASE(10)" }, { 0x5a, "MODE SENSE(10)" }, { 0x5e, "PERSISTENT RESERVE IN" }, { 0x5f, "PERSISTENT RESERVE OUT" },
	{ 0x7f, "variable length CDB" }, { 0x83, "EXTENDED COPY" }, { 0x84, "RECEIVE COPY RESULTS" }, { 0x85, "ATA PASS-THROUGH(16)" },
	{ 0x88, "READ(16)" }, { 0x89, "COMPARE AND WRITE" }, { 0x8a, "WRITE(16)" }, { 0x8b, "ORWRITE(16)" }, { 0x8c, "READ ATTRIBUTE" },
	{ 0x8d, "WRITE ATTRIBUTE" },
	{ 0x8e, "WRITE AND VERIFY(16)" }, { 0x8f, "VERIFY(16)" }, { 0x90, "PRE-FETCH(16)" }, { 0x91, "SYNCHRONIZE CACHE(16)" },
	{ 0x93, "WRITE SAME(16)" }, { 0x94, "ZBC OUT" }, { 0x95, "ZBC IN" }, { 0x9a, "WRITE STREAM(16)" }, { 0x9c, "WRITE ATOMIC(16)" }, { 0x9e, "SERVICE ACTION IN(16)" },
	{ 0x9f, "SERVICE ACTION OUT(16)" }, { 0xa0, "REPORT LUNS" }, { 0xa1, "ATA PASS-THROUGH(12)" }, { 0xa2, "SECURITY PROTOCOL IN" },
	{ 0xa3, "MAINTENANCE IN" }, { 0xa4, "MAINTENANCE OUT" }, { 0xa8, "READ(12)" }, { 0xaa, "WRITE(12)" }, { 0xae, "WRITE AND VERIFY(12)" },
	{ 0xaf, "VERIFY(12)" }, { 0xb5, "SECURITY PROTOCOL OUT" }, { 0xb7, "READ DEFECT DATA(12)" }, { 0, NULL },
};

/* SAM-5, 5.3.1. */
const struct rtap_name scsi_status_names[] = {
	{ 0x00, "GOOD" }, { 0x02, "CHECK CONDITION" }, { 0x04, "CONDITION MET" }, { 0x08, "BUSY" }, { 0x18, "RESERVATION CONFLICT" },
	{ 0x28, "TASK SET FULL" }, { 0x30, "ACA ACTIVE" }, { 0x40, "TASK ABORTED" }, { 0, NULL },
};

/* SPC-5, 4.4.8. */
const struct rtap_name scsi_sense_key_names[] = {
	{ 0x0, "NO SENSE" }, { 0x1, "RECOVERED ERROR" }, { 0x2, "NOT READY" }, { 0x3, "MEDIUM ERROR" }, { 0x4, "HARDWARE ERROR" },
	{ 0x5, "ILLEGAL REQUEST" }, { 0x6, "UNIT ATTENTION" }, { 0x7, "DATA PROTECT" }, { 0x8, "BLANK CHECK" }, { 0x9, "VENDOR SPECIFIC" },
	{ 0xa, "COPY ABORTED" }, { 0xb, "ABORTED COMMAND" }, { 0xd, "VOLUME OVERFLOW" }, { 0xe, "MISCOMPARE" }, { 0xf, "COMPLETED" }, { 0, NULL },
};

/* Where the LBA and the number of blocks are: bytes. SBC-4, 5. */
struct layout {
	uint8_t opcode, effect, lba, lba_width, blocks, blocks_width; /* widths in bits */
};

static const struct layout layouts[] = {
	{ SCSI_READ_6, SCSI_READS, 1, 21, 4, 8 }, { SCSI_WRITE_6, SCSI_WRITES, 1, 21, 4, 8 }, { SCSI_READ_10, SCSI_READS, 2, 32, 7, 16 },
	{ SCSI_WRITE_10, SCSI_WRITES, 2, 32, 7, 16 }, { SCSI_WRITE_AND_VERIFY_10, SCSI_WRITES, 2, 32, 7, 16 },
	{ SCSI_WRITE_SAME_10, SCSI_SAME, 2, 32, 7, 16 }, { SCSI_READ_16, SCSI_READS, 2, 64, 10, 32 },
	{ SCSI_COMPARE_AND_WRITE, SCSI_COMPARES_AND_WRITES, 2, 64, 13, 8 }, { SCSI_WRITE_16, SCSI_WRITES, 2, 64, 10, 32 },
	{ SCSI_WRITE_AND_VERIFY_16, SCSI_WRITES, 2, 64, 10, 32 }, { SCSI_WRITE_SAME_16, SCSI_SAME, 2, 64, 10, 32 },
	{ SCSI_READ_12, SCSI_READS, 2, 32, 6, 32 },
	{ SCSI_WRITE_12, SCSI_WRITES, 2, 32, 6, 32 }, { SCSI_WRITE_AND_VERIFY_12, SCSI_WRITES, 2, 32, 6, 32 },
	{ SCSI_ORWRITE_16, SCSI_CHANGES, 2, 64, 10, 32 }, { SCSI_WRITE_ATOMIC_16, SCSI_WRITES, 2, 64, 12, 16 },
	{ SCSI_WRITE_STREAM_16, SCSI_WRITES, 2, 64, 12, 16 }, { SCSI_XDWRITE_10, SCSI_CHANGES, 2, 32, 7, 16 },
	{ SCSI_XPWRITE_10, SCSI_CHANGES, 2, 32, 7, 16 }, { SCSI_XDWRITEREAD_10, SCSI_CHANGES, 2, 32, 7, 16 },
	{ SCSI_VERIFY_10, SCSI_NONE, 2, 32, 7, 16 }, { SCSI_VERIFY_12, SCSI_NONE, 2, 32, 6, 32 }, { SCSI_VERIFY_16, SCSI_NONE, 2, 64, 10, 32 },
	{ SCSI_PRE_FETCH_10, SCSI_NONE, 2, 32, 7, 16 }, { SCSI_PRE_FETCH_16, SCSI_NONE, 2, 64, 10, 32 },
	{ SCSI_SYNCHRONIZE_10, SCSI_NONE, 2, 32, 7, 16 }, { SCSI_SYNCHRONIZE_16, SCSI_NONE, 2, 64, 10, 32 },
	{ SCSI_XDREAD_10, SCSI_NONE, 2, 32, 7, 16 },
};

/* SPC-5, 6: service actions that are commands. */
const struct rtap_name scsi_maintenance_names[] = {
	{ 0x05, "REPORT IDENTIFYING INFORMATION" }, { 0x0a, "REPORT TARGET PORT GROUPS" }, { 0x0b, "REPORT ALIASES" },
	{ 0x0c, "REPORT SUPPORTED OPERATION CODES" }, { 0x0d, "REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS" }, { 0x0e, "REPORT PRIORITY" },
	{ 0x0f, "REPORT TIMESTAMP" }, { 0, NULL },
};

#define SERVICE_ACTION 64, 16 /* of variable length CDBs: SBC-4, 5.19 and others */
#define LONG_LBA 96, 64
#define LONG_BLOCKS 224, 32
enum { POPULATE_TOKEN = 0x10, COPY_ABORT = 0x1c }; /* service actions of SCSI_EXTENDED_COPY */
enum { WRITE_LONG_16 = 0x11, WRITE_SCATTERED_16 = 0x12 }; /* of SCSI_SERVICE_OUT_16 */
enum { RESET_WRITE_POINTER = 0x04 }; /* of SCSI_ZBC_OUT */

/* 32-byte CDBs, by service action; SBC-3 has those of exclusive or. */
#define LONG_COMMANDS(X) \
	X(0x03, SCSI_NONE, "XDREAD(32)") X(0x04, SCSI_CHANGES, "XDWRITE(32)") X(0x06, SCSI_CHANGES, "XPWRITE(32)") X(0x07, SCSI_CHANGES, "XDWRITEREAD(32)") \
	X(0x09, SCSI_READS, "READ(32)") X(0x0a, SCSI_NONE, "VERIFY(32)") X(0x0b, SCSI_WRITES, "WRITE(32)") X(0x0c, SCSI_WRITES, "WRITE AND VERIFY(32)") \
	X(0x0d, SCSI_SAME, "WRITE SAME(32)") X(0x0e, SCSI_CHANGES, "ORWRITE(32)") X(0x0f, SCSI_WRITES, "WRITE ATOMIC(32)") \
	X(0x10, SCSI_WRITES, "WRITE STREAM(32)") X(0x11, SCSI_CHANGES_ALL, "WRITE SCATTERED(32)")

const struct rtap_name scsi_long_names[] = {
#define LONG_NAME(action, effect, name) { action, name },
	LONG_COMMANDS(LONG_NAME)
#undef LONG_NAME
	{ 0, NULL },
};

static uint8_t effect_of(uint64_t action)
{
	switch (action) {
#define LONG_EFFECT(action, effect, name) case action: return effect;
	LONG_COMMANDS(LONG_EFFECT)
#undef LONG_EFFECT
	default: return SCSI_NONE;
	}
}

static void read_long(const uint8_t *cdb, uint32_t length, struct scsi_command *command)
{
	const char *name = length >= 10 ? rtap_name_of(scsi_long_names, bits(cdb, SERVICE_ACTION)) : NULL;

	if (!name)
		return;
	command->name = name;
	command->effect = effect_of(bits(cdb, SERVICE_ACTION));
	if (length < 32 || command->effect == SCSI_CHANGES_ALL)
		return;
	command->has_range = true;
	command->has_blocks = command->effect != SCSI_NONE;
	command->lba = bits(cdb, LONG_LBA);
	command->blocks = (uint32_t)bits(cdb, LONG_BLOCKS);
	command->is_unmapped = command->effect == SCSI_SAME && cdb[10] & 0x09;
}

/* WRITE LONG changes one logical block or, with PBLOCK, all of a physical one. */
static void read_write_long(const uint8_t *cdb, uint32_t length, unsigned lba_width, struct scsi_command *command)
{
	bool is_physical = length >= 2 && cdb[1] & 0x20;

	command->effect = is_physical ? SCSI_CHANGES_ALL : SCSI_CHANGES;
	if (is_physical || length < 2 + lba_width / 8)
		return;
	command->has_blocks = command->has_range = true;
	command->lba = bits(cdb, 16, lba_width);
	command->blocks = 1;
}

/* Commands whose effect depends on more than the opcode. */
static void read_action(const uint8_t *cdb, uint32_t length, struct scsi_command *command)
{
	uint8_t action = length >= 2 ? cdb[1] & 0x1f : 0;

	switch (cdb[0]) {
	case SCSI_WRITE_LONG_10: read_write_long(cdb, length, 32, command); break;
	case SCSI_MAINTENANCE_IN:
		if (rtap_name_of(scsi_maintenance_names, action))
			command->name = rtap_name_of(scsi_maintenance_names, action);
		break;
	case SCSI_SERVICE_OUT_16:
		if (action == WRITE_LONG_16) {
			read_write_long(cdb, length, 64, command);
			command->name = "WRITE LONG(16)";
		} else if (action == WRITE_SCATTERED_16) {
			command->effect = SCSI_CHANGES_ALL;
			command->name = "WRITE SCATTERED(16)";
		}
		break;
	case SCSI_ZBC_OUT:
		if (action == RESET_WRITE_POINTER) {
			command->effect = SCSI_CHANGES_ALL;
			command->name = "RESET WRITE POINTER";
		}
		break;
	case SCSI_ATA_12: case SCSI_ATA_16: /* data to the device (T_LENGTH, T_DIR): any of its commands (SAT-4, 12.2) */
		if (length >= 3 && cdb[2] & 0x03 && !(cdb[2] & 0x08))
			command->effect = SCSI_CHANGES_ALL;
		break;
	default: break;
	}
}

static void read_copy(const uint8_t *cdb, struct scsi_command *command)
{
	command->action = cdb[1] & 0x1f;
	switch (command->action) {
	case SCSI_COPY_LID1: command->effect = SCSI_COPIES; break;
	case SCSI_COPY_LID4: command->effect = SCSI_COPIES; command->name = "EXTENDED COPY(LID4)"; break;
	case POPULATE_TOKEN: command->name = "POPULATE TOKEN"; break;
	case SCSI_WRITE_USING_TOKEN: command->effect = SCSI_PASTES; command->name = "WRITE USING TOKEN"; break;
	case COPY_ABORT: command->name = "COPY OPERATION ABORT"; break;
	default: break;
	}
}

void scsi_read_command(const uint8_t *cdb, uint32_t length, struct scsi_command *command)
{
	const struct layout *layout = layouts, *end = layouts + sizeof layouts / sizeof layouts[0];

	*command = (struct scsi_command){ .opcode = cdb[0], .name = rtap_name_of(scsi_opcode_names, cdb[0]) };
	if (cdb[0] == SCSI_UNMAP)
		command->effect = SCSI_UNMAPS;
	if (cdb[0] == SCSI_FORMAT_UNIT || cdb[0] == SCSI_SANITIZE)
		command->effect = SCSI_CHANGES_ALL;
	read_action(cdb, length, command);
	if (cdb[0] == SCSI_VARIABLE)
		read_long(cdb, length, command);
	if (cdb[0] == SCSI_EXTENDED_COPY && length >= 2)
		read_copy(cdb, command);
	if (cdb[0] == SCSI_SERVICE_IN_16 && length >= 2 && (cdb[1] & 0x1f) == SCSI_READ_CAPACITY_16)
		command->name = "READ CAPACITY(16)";
	while (layout < end && layout->opcode != cdb[0])
		layout++;
	if (layout == end)
		return;
	command->effect = layout->effect;
	if (length < layout->blocks + layout->blocks_width / 8u)
		return;
	command->has_range = true;
	command->has_blocks = layout->effect != SCSI_NONE;
	command->lba = layout->lba_width == 21 ? bits(cdb, 11, 21) : bits(cdb, layout->lba * 8u, layout->lba_width);
	command->blocks = (uint32_t)bits(cdb, layout->blocks * 8u, layout->blocks_width);
	/* 0 stands for 256 in the six-byte CDBs */
	if (layout->lba_width == 21 && !command->blocks)
		command->blocks = 256;
	/* UNMAP or NDOB */
	command->is_unmapped = layout->effect == SCSI_SAME && cdb[1] & (cdb[0] == SCSI_WRITE_SAME_16 ? 0x09 : 0x08);
}

#define SENSE_DESCRIPTORS 0x72 /* and 0x73: deferred */

void scsi_read_sense(const uint8_t *sense, uint32_t length, struct scsi_sense *found)
{
	uint8_t format = length ? sense[0] & 0x7f : 0;
	bool has_descriptors = format == SENSE_DESCRIPTORS || format == SENSE_DESCRIPTORS + 1;

	*found = (struct scsi_sense){ 0 };
	if (format < 0x70 || format > 0x73 || length < 3)
		return;
	found->has_key = true;
	found->key = sense[has_descriptors ? 1 : 2] & 0xf;
	if (length < (has_descriptors ? 4 : 14))
		return;
	found->has_code = true;
	found->code = load16(sense + (has_descriptors ? 2 : 12));
}

uint64_t scsi_lun(const uint8_t *address)
{
	uint16_t first = load16(address);

	switch (first >> 14) {
	case 0: /* peripheral: bus 0 and target */
	case 1: return load64(address) & UINT64_C(0xffffffffffff) ? load64(address) : first & (first >> 14 ? 0x3fffu : 0xffu);
	default: return load64(address);
	}
}

bool scsi_request_frame(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	value->number = packet->request.frame;
	return packet->request.frame;
}

bool scsi_request_time(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	value->number = (uint64_t)(packet->frame->time_ns - packet->request.time_ns);
	return packet->request.frame;
}

static bool derive_key(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	struct scsi_sense sense;

	scsi_read_sense(layer_bytes(packet, layer), layer->length, &sense);
	value->number = sense.key;
	return sense.has_key;
}

static bool derive_code(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	struct scsi_sense sense;

	scsi_read_sense(layer_bytes(packet, layer), layer->length, &sense);
	value->number = sense.code;
	return sense.has_code;
}

static bool has_fixed_format(const uint8_t *sense)
{
	return (sense[0] & 0x7e) == 0x70;
}

#define DESCRIPTORS_AT 8
#define SENSE_SPECIFIC 2         /* type of a descriptor: SPC-5, 4.4.2.4 */

/* Where the sense-key specific bytes begin; 0: there are none. */
static uint32_t specific_at(const struct rtap_layer *layer, const uint8_t *sense)
{
	if (has_fixed_format(sense))
		return 15;
	for (uint32_t at = DESCRIPTORS_AT; (sense[0] & 0x7e) == 0x72 && at + 8 <= layer->length; at += 2u + sense[at + 1])
		if (sense[at] == SENSE_SPECIFIC)
			return at + 4;
	return 0;
}

/* Sense-key specific data that points to a field of the CDB or of the parameters: SPC-5, 4.4.2.4.2. */
static bool points_to_field(const struct rtap_layer *layer, const uint8_t *sense)
{
	uint32_t at = specific_at(layer, sense);

	return at && (sense[has_fixed_format(sense) ? 2 : 1] & 0xf) == 5 && layer->length > at && sense[at] & 0x80;
}

/* A part of sense data for which the condition is true. */
#define SENSE(name, condition, at, width) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		const uint8_t *sense = layer_bytes(packet, layer); \
		\
		if (layer->length < 3 || !(condition) || layer->length * 8 < (at) + (width)) \
			return false; \
		value->number = bits(sense, at, width); \
		return true; \
	}

SENSE(filemark, has_fixed_format(sense), 16, 1)
SENSE(medium_end, has_fixed_format(sense), 17, 1)
SENSE(incorrect_length, has_fixed_format(sense), 18, 1)
SENSE(information, has_fixed_format(sense), 24, 32)
SENSE(added_length, sense[0] & 0x70, 56, 8)
SENSE(additional_code, sense[0] & 0x70, has_fixed_format(sense) ? 96u : 16u, 8)
SENSE(qualifier, sense[0] & 0x70, has_fixed_format(sense) ? 104u : 24u, 8)
SENSE(replaceable_unit, has_fixed_format(sense), 112, 8)
SENSE(specific_valid, specific_at(layer, sense), specific_at(layer, sense) * 8, 1)
SENSE(specific, specific_at(layer, sense), specific_at(layer, sense) * 8 + 1, 23)
SENSE(pointer_to_cdb, points_to_field(layer, sense), specific_at(layer, sense) * 8 + 1, 1)
SENSE(pointer_has_bit, points_to_field(layer, sense), specific_at(layer, sense) * 8 + 4, 1)
SENSE(pointer_bit, points_to_field(layer, sense), specific_at(layer, sense) * 8 + 5, 3)
SENSE(pointer_field, points_to_field(layer, sense), specific_at(layer, sense) * 8 + 8, 16)

static bool derive_specific_information(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *sense = layer_bytes(packet, layer);

	if (layer->length < 12 || !has_fixed_format(sense))
		return false;
	value->data.bytes = sense + 8;
	value->data.length = 4;
	return true;
}

#define SOME(name, label, width, show, part) { name, label, 0, width, show, RTAP_UNPLACED | RTAP_SOMETIMES, NULL, derive_##part, NULL }

static const struct rtap_field sense_fields[] = {
	{ "scsi.sns.errtype", "Response Code", 1, 7, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.sns.valid", "Information is Valid", 0, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.sns.key", "Sense Key", 0, 8, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_OPCODE, scsi_sense_key_names, derive_key, NULL },
	{ "scsi.sns.ascascq", "Additional Sense Code and Qualifier", 0, 16, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_OPCODE, scsi_additional_names,
	  derive_code, NULL },
	SOME("scsi.sns.asc", "Additional Sense Code", 8, RTAP_HEX, additional_code),
	SOME("scsi.sns.ascq", "Additional Sense Code Qualifier", 8, RTAP_HEX, qualifier),
	SOME("scsi.sns.filemark", "Filemark", 1, RTAP_BOOL, filemark),
	SOME("scsi.sns.eom", "End of Medium", 1, RTAP_BOOL, medium_end),
	SOME("scsi.sns.ili", "Incorrect Length", 1, RTAP_BOOL, incorrect_length),
	SOME("scsi.sns.info", "Information", 32, RTAP_HEX, information),
	SOME("scsi.sns.addlen", "Additional Sense Length", 8, RTAP_DEC, added_length),
	SOME("scsi.sns.command_specific_information", "Command-Specific Information", 32, RTAP_BYTES, specific_information),
	SOME("scsi.sns.fru", "Field Replaceable Unit Code", 8, RTAP_HEX, replaceable_unit),
	SOME("scsi.sns.sksv", "Sense Key Specific Valid", 1, RTAP_BOOL, specific_valid),
	SOME("scsi.sns.sks_info", "Sense Key Specific", 23, RTAP_HEX, specific),
	SOME("scsi.sns.sks.fp.cd", "Pointer to the CDB", 1, RTAP_DEC, pointer_to_cdb),
	SOME("scsi.sns.sks.fp.bpv", "Bit Pointer Valid", 1, RTAP_BOOL, pointer_has_bit),
	SOME("scsi.sns.sks.fp.bit", "Bit Pointer", 3, RTAP_DEC, pointer_bit),
	SOME("scsi.sns.sks.fp.field", "Field Pointer", 16, RTAP_DEC, pointer_field),
};

static void summary_sense(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	struct scsi_sense sense;
	const char *name;
	char *begin;

	scsi_read_sense(layer_bytes(packet, layer), layer->length, &sense);
	name = sense.has_key ? rtap_name_of(scsi_sense_key_names, sense.key) : NULL;
	if (name) {
		line_text(line, ", ");
		line_text(line, name);
	}
	if (!sense.has_code)
		return;
	begin = line->next;
	line_text(line, ": ");
	name = rtap_name_of(scsi_additional_names, sense.code);
	if (name)
		line_text(line, name);
	else
		line_hex(line, sense.code, 4);
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

static enum result parse_sense(struct parse *parse)
{
	const uint8_t *sense;

	return parse_layer(parse, PROTOCOL_SCSI_SENSE, parse->cursor.captured ? parse->cursor.captured : 1, &sense);
}

const struct protocol scsi_sense_protocol = {
	.table = { "scsi.sns", "SCSI Sense Data", "SPC-5, 4.4", 0, FIELDS(sense_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_sense,
	.summary = summary_sense,
};
