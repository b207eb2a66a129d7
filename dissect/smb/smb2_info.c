/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands on directories and attributes, and breaks of oplocks and leases: QUERY_DIRECTORY, CHANGE_NOTIFY, QUERY_INFO, SET_INFO,
 * OPLOCK_BREAK. [MS-SMB2] 2.2.23 to 2.2.25 and 2.2.33 to 2.2.40.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/smb/smb2_info.h"
#include "dissect/smb/smb2_parts.h"

/* [MS-FSCC] 2.4. */
static const struct rtap_name directory_class_names[] = {
	{ 1, "FileDirectoryInformation" }, { 2, "FileFullDirectoryInformation" }, { 3, "FileBothDirectoryInformation" },
	{ 12, "FileNamesInformation" }, { 37, "FileIdBothDirectoryInformation" }, { 38, "FileIdFullDirectoryInformation" },
	{ 60, "FileIdExtdDirectoryInformation" }, { 0, NULL },
};

static const struct rtap_name type_names[] = {
	{ SMB2_INFO_FILE, "file" }, { SMB2_INFO_FILESYSTEM, "file system" }, { SMB2_INFO_SECURITY, "security" }, { SMB2_INFO_QUOTA, "quota" }, { 0, NULL },
};

static const struct rtap_name file_class_names[] = {
	{ 4, "FileBasicInformation" }, { 5, "FileStandardInformation" }, { 6, "FileInternalInformation" }, { 7, "FileEaInformation" },
	{ 8, "FileAccessInformation" }, { 9, "FileNameInformation" }, { SMB2_FILE_RENAME, "FileRenameInformation" }, { 11, "FileLinkInformation" },
	{ SMB2_FILE_DISPOSITION, "FileDispositionInformation" }, { 14, "FilePositionInformation" }, { 15, "FileFullEaInformation" },
	{ 16, "FileModeInformation" }, { 17, "FileAlignmentInformation" }, { 18, "FileAllInformation" }, { 19, "FileAllocationInformation" },
	{ SMB2_FILE_END_OF_FILE, "FileEndOfFileInformation" }, { 21, "FileAlternateNameInformation" }, { 22, "FileStreamInformation" },
	{ 23, "FilePipeInformation" }, { 28, "FileCompressionInformation" }, { 34, "FileNetworkOpenInformation" },
	{ 35, "FileAttributeTagInformation" }, { 39, "FileValidDataLengthInformation" }, { 40, "FileShortNameInformation" },
	{ 48, "FileNormalizedNameInformation" }, { 59, "FileIdInformation" }, { SMB2_FILE_DISPOSITION_EX, "FileDispositionInformationEx" },
	{ SMB2_FILE_RENAME_EX, "FileRenameInformationEx" },
	{ 100, "FilePosixInformation" }, { 0, NULL },
};

/* [MS-FSCC] 2.5. */
static const struct rtap_name filesystem_class_names[] = {
	{ 1, "FileFsVolumeInformation" }, { 2, "FileFsLabelInformation" }, { 3, "FileFsSizeInformation" }, { 4, "FileFsDeviceInformation" },
	{ 5, "FileFsAttributeInformation" }, { 6, "FileFsControlInformation" }, { 7, "FileFsFullSizeInformation" }, { 8, "FileFsObjectIdInformation" },
	{ 9, "FileFsDriverPathInformation" }, { 10, "FileFsVolumeFlagsInformation" }, { 11, "FileFsSectorSizeInformation" },
	{ 100, "FileFsPosixInformation" }, { 0, NULL },
};

const char *smb2_info_name(uint8_t type, uint8_t class)
{
	const struct rtap_name *names = type == SMB2_INFO_FILE ? file_class_names : type == SMB2_INFO_FILESYSTEM ? filesystem_class_names : NULL;

	return names ? rtap_name_of(names, class) : rtap_name_of(type_names, type);
}

static void line_class(struct line *line, const uint8_t *body)
{
	const char *name = smb2_info_name(body[2], body[3]);
	char *begin = line->next;

	line_char(line, ' ');
	if (name)
		line_text(line, name);
	else
		line_dec(line, body[3]);
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

/* The class, with the names of its type. */
static bool derive_class(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint8_t type)
{
	const uint8_t *body = layer_bytes(packet, layer);

	value->number = body[3];
	return body[2] == type;
}

static bool derive_file_class(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_class(packet, layer, value, SMB2_INFO_FILE);
}

static bool derive_filesystem_class(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_class(packet, layer, value, SMB2_INFO_FILESYSTEM);
}

static bool derive_other_class(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_class(packet, layer, value, SMB2_INFO_SECURITY) || derive_class(packet, layer, value, SMB2_INFO_QUOTA) ||
	       (value->number = layer_bytes(packet, layer)[3], layer_bytes(packet, layer)[2] - 1u > 3);
}

#define CLASS_ROWS \
	SMB2_FLAGGED("class", "Type", 2, 1, RTAP_HEX, RTAP_OPCODE, type_names), \
	{ "smb2.file_info.infolevel", "Class", 24, 8, RTAP_HEX, RTAP_SOMETIMES | RTAP_OPCODE, file_class_names, derive_file_class, NULL }, \
	{ "smb2.fs_info.infolevel", "Class", 24, 8, RTAP_HEX, RTAP_SOMETIMES | RTAP_OPCODE, filesystem_class_names, derive_filesystem_class, NULL }, \
	{ "smb2.infolevel", "Class", 24, 8, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_other_class, NULL }

/* 2.2.33. */
static const struct rtap_field directory_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("find.infolevel", "Class", 2, 1, RTAP_DEC, directory_class_names),
	SMB2_FLAGGED("find.flags", "Flags", 3, 1, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BIT("find.restart_scans", "Restart Scans", 3, 0),
	SMB2_BIT("find.single_entry", "Single Entry", 3, 1),
	SMB2_BIT("find.index_specified", "Index Specified", 3, 2),
	SMB2_BITS("find.reserved", "Reserved", 3, 3, 1, RTAP_HEX),
	SMB2_BIT("find.reopen", "Reopen", 3, 4),
	SMB2_BITS("find.reserved2", "Reserved", 3, 5, 3, RTAP_HEX),
	SMB2_EACH("file_index", "File Index", 4, 4, RTAP_HEX),
	SMB2_FILE(8),
	SMB2_ROW("find.name_offset", "Pattern Offset", 24, 2, RTAP_HEX, NULL),
	SMB2_ROW("find.name_length", "Pattern Length", 26, 2, RTAP_DEC, NULL),
	SMB2_ROW("output_buffer_len", "Output Buffer Length", 28, 4, RTAP_DEC, NULL),
	SMB2_FOUND("find.pattern", "Search Pattern", RTAP_TEXT, 0, NULL),
};

SMB2_VISIT_LAST(directory_request, text, 24, 2, 26, 2)
static void summary_directory_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, NULL);

	line_char(line, ' ');
	smb2_line_text(line, smb2_part_at(&walk, 24, 2, 26, 2));
}

SMB2_BODY(directory_request, DIRECTORY_REQUEST, "smb2.find.request", "SMB2 QUERY_DIRECTORY Request", "2.2.33", 32)

/* 2.2.34, 2.2.38. Only the request identifies the layout of the output: smb2_class.h. */
static const struct rtap_field output_response_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("output.offset", "Output Offset", 2, 2, RTAP_HEX, NULL),
	SMB2_ROW("output.length", "Output Length", 4, 4, RTAP_DEC, NULL),
	SMB2_FOUND("output_buffer", "Output", RTAP_BYTES, RTAP_BULK, NULL),
};

SMB2_VISIT_LAST(output_response, bytes, 2, 2, 4, 4)
static void summary_output_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin = line->next;

	if (layer->length < 8)
		return;
	line_char(line, ' ');
	line_count(line, little_bits(layer_bytes(packet, layer), 32, 32), "byte", "bytes");
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

SMB2_BODY(output_response, OUTPUT_RESPONSE, "smb2.output", "SMB2 QUERY Response", "2.2.34 and 2.2.38", 8)

/* 2.2.35. */
static const struct rtap_field notify_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_FLAGGED("notify.flags", "Notify Flags", 2, 2, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BIT("notify.watch_tree", "Watch Tree", 2, 0),
	SMB2_BITS("notify.flags.reserved", "Reserved", 2, 1, 15, RTAP_HEX),
	SMB2_ROW("output_buffer_len", "Output Buffer Length", 4, 4, RTAP_DEC, NULL),
	SMB2_FILE(8),
	SMB2_ROW("notify.filter", "Completion Filter", 24, 4, RTAP_HEX, NULL),
	SMB2_RESERVED("reserved", 28, 4),
};

SMB2_NO_VISIT(notify_request)
SMB2_NO_SUMMARY(notify_request)
SMB2_BODY(notify_request, NOTIFY_REQUEST, "smb2.notify.request", "SMB2 CHANGE_NOTIFY Request", "2.2.35", 32)

/* 2.2.36; changes: [MS-FSCC] 2.7.1. */
static const struct rtap_name notify_action_names[] = {
	{ 1, "added" }, { 2, "removed" }, { 3, "modified" }, { 4, "renamed from" }, { 5, "renamed to" }, { 6, "stream added" }, { 7, "stream removed" },
	{ 8, "stream modified" }, { 9, "removed by deletion" }, { 10, "id not tunnelled" }, { 11, "id collision" }, { 0, NULL },
};

static const struct rtap_field notify_response_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("output.offset", "Output Offset", 2, 2, RTAP_HEX, NULL),
	SMB2_ROW("output.length", "Output Length", 4, 4, RTAP_DEC, NULL),
	SMB2_FOUND_NUMBER("notify.action", "Action", 32, RTAP_HEX32, RTAP_REPEATS, notify_action_names),
	SMB2_FOUND("filename", "File Name", RTAP_TEXT, RTAP_REPEATS, NULL),
};

#define CHANGE_LENGTH 12

static void visit_notify_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);
	struct rtap_span changes = smb2_part_at(&walk, 2, 2, 4, 4);
	size_t row = SMB2_ROWS(notify_response_fields) - 2;

	while (changes.length >= CHANGE_LENGTH) {
		uint32_t next = (uint32_t)little_bits(changes.bytes, 0, 32), length = (uint32_t)little_bits(changes.bytes, 64, 32);

		if (length > changes.length - CHANGE_LENGTH)
			length = changes.length - CHANGE_LENGTH;
		smb2_show_number(&walk, row, little_bits(changes.bytes, 32, 32), (uint32_t)(changes.bytes - walk.body) + 4, 4);
		smb2_show_text(&walk, row + 1, (struct rtap_span){ changes.bytes + CHANGE_LENGTH, length });
		if (next < CHANGE_LENGTH || next > changes.length)
			return;
		changes = (struct rtap_span){ changes.bytes + next, changes.length - next };
	}
}

SMB2_NO_SUMMARY(notify_response)
SMB2_BODY(notify_response, NOTIFY_RESPONSE, "smb2.notify.response", "SMB2 CHANGE_NOTIFY Response", "2.2.36", 8)

/* 2.2.37. */
static const struct rtap_field query_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	CLASS_ROWS,
	SMB2_ROW("max_response_size", "Maximum Response Size", 4, 4, RTAP_DEC, NULL),
	SMB2_ROW("getinfo_input_offset", "Input Offset", 8, 2, RTAP_HEX, NULL),
	SMB2_RESERVED("reserved", 10, 2),
	SMB2_ROW("getinfo_input_size", "Input Size", 12, 4, RTAP_DEC, NULL),
	SMB2_ROW("getsetinfo_additional", "Additional Information", 16, 4, RTAP_HEX, NULL),
	SMB2_ROW("getinfo_flags", "Flags", 20, 4, RTAP_HEX, NULL),
	SMB2_FILE(24),
	SMB2_FOUND("input_buffer", "Input", RTAP_BYTES, RTAP_BULK, NULL),
};

SMB2_VISIT_LAST(query_request, bytes, 8, 2, 12, 4)
static void summary_query_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length >= 4)
		line_class(line, layer_bytes(packet, layer));
}

SMB2_BODY(query_request, QUERY_REQUEST, "smb2.query_info.request", "SMB2 QUERY_INFO Request", "2.2.37", 40)

/* 2.2.39. */
static const struct rtap_field set_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	CLASS_ROWS,
	SMB2_ROW("setinfo_size", "Size", 4, 4, RTAP_DEC, NULL),
	SMB2_ROW("setinfo_offset", "Offset", 8, 2, RTAP_HEX, NULL),
	SMB2_RESERVED("reserved", 10, 2),
	SMB2_ROW("getsetinfo_additional", "Additional Information", 12, 4, RTAP_HEX, NULL),
	SMB2_FILE(16),
	SMB2_FOUND("input_buffer", "Input", RTAP_BYTES, RTAP_BULK, NULL),
};

SMB2_VISIT_LAST(set_request, bytes, 8, 2, 4, 4)
static void summary_set_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length >= 4)
		line_class(line, layer_bytes(packet, layer));
}

SMB2_BODY(set_request, SET_REQUEST, "smb2.set_info.request", "SMB2 SET_INFO Request", "2.2.39", 32)

/* 2.2.40. */
static const struct rtap_field set_response_fields[] = { SMB2_STRUCTURE_SIZE };

SMB2_NO_VISIT(set_response)
SMB2_NO_SUMMARY(set_response)
SMB2_BODY(set_response, SET_RESPONSE, "smb2.set_info.response", "SMB2 SET_INFO Response", "2.2.40", 2)

/* 2.2.23.1, 2.2.24.1, 2.2.25.1. */
static const struct rtap_name oplock_names[] = {
	{ 0x00, "none" }, { 0x01, "level II" }, { 0x08, "exclusive" }, { 0x09, "batch" }, { 0xff, "lease" }, { 0, NULL },
};

static const struct rtap_field oplock_break_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("create.oplock", "Oplock", 2, 1, RTAP_HEX, oplock_names),
	SMB2_RESERVED("oplock_break.reserved", 3, 1),
	SMB2_RESERVED("reserved", 4, 4),
	SMB2_FILE(8),
};

static void summary_oplock_break(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const char *name = layer->length >= 3 ? rtap_name_of(oplock_names, layer_bytes(packet, layer)[2]) : NULL;

	if (!name)
		return;
	line_text(line, " to ");
	line_text(line, name);
}

SMB2_NO_VISIT(oplock_break)
SMB2_BODY(oplock_break, OPLOCK_BREAK, "smb2.oplock_break", "SMB2 OPLOCK_BREAK", "2.2.23.1", 24)

#define LEASE_STATE(name, label, at) \
	SMB2_FLAGGED(name, label, at, 4, RTAP_HEX, RTAP_PARTS, NULL), \
	SMB2_BIT(name ".read_caching", "Read Caching", at, 0), \
	SMB2_BIT(name ".handle_caching", "Handle Caching", at, 1), \
	SMB2_BIT(name ".write_caching", "Write Caching", at, 2), \
	SMB2_BITS(name ".reserved", "Reserved", at, 3, 29, RTAP_HEX)

/* 2.2.23.2. */
static const struct rtap_field lease_break_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("lease.lease_oplock", "New Epoch", 2, 2, RTAP_HEX, NULL),
	SMB2_ROW("lease.lease_flags", "Flags", 4, 4, RTAP_HEX, NULL),
	SMB2_GUID("lease.lease_key", "Lease Key", 8, 0),
	LEASE_STATE("lease.current_state", "Current State", 24),
	LEASE_STATE("lease.lease_state", "New State", 28),
	SMB2_ROW("lease.lease_break_reason", "Break Reason", 32, 4, RTAP_HEX, NULL),
	SMB2_ROW("lease.access_mask_hint", "Access Mask Hint", 36, 4, RTAP_HEX, NULL),
	SMB2_ROW("lease.share_mask_hint", "Share Mask Hint", 40, 4, RTAP_HEX, NULL),
};

SMB2_NO_VISIT(lease_break)
SMB2_NO_SUMMARY(lease_break)
SMB2_BODY(lease_break, LEASE_BREAK, "smb2.lease_break", "SMB2 Lease Break", "2.2.23.2", 44)

/* 2.2.24.2, 2.2.25.2. */
static const struct rtap_field lease_acknowledge_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_RESERVED("reserved", 2, 2),
	SMB2_ROW("lease.lease_flags", "Flags", 4, 4, RTAP_HEX, NULL),
	SMB2_GUID("lease.lease_key", "Lease Key", 8, 0),
	LEASE_STATE("lease.lease_state", "State", 24),
	SMB2_ROW("lease.lease_duration", "Lease Duration", 28, 8, RTAP_HEX, NULL),
};

SMB2_NO_VISIT(lease_acknowledge)
SMB2_NO_SUMMARY(lease_acknowledge)
SMB2_BODY(lease_acknowledge, LEASE_ACKNOWLEDGE, "smb2.lease_acknowledge", "SMB2 Lease Break Acknowledgement", "2.2.24.2", 36)
