/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What QUERY_INFO returns of a file, and what SET_INFO changes of it. [MS-FSCC] 2.4.
 */
#include "config.h"

#include "dissect/smb/smb2_class.h"

#define EACH_BIT(name, label, at, bit) \
	{ "smb2." name, label, (at) * 8 + (bit), 1, RTAP_BOOL, RTAP_LITTLE, NULL, NULL, NULL }

SMB2_DERIVE_TIME(derive_created, 0)
SMB2_DERIVE_TIME(derive_access, 8)
SMB2_DERIVE_TIME(derive_write, 16)
SMB2_DERIVE_TIME(derive_change, 24)

#define TIME_ROWS SMB2_FILE_TIMES(0, derive_created, derive_access, derive_write, derive_change)

/* 2.4.7. */
static const struct rtap_field file_basic_fields[] = {
	TIME_ROWS, SMB2_EACH("file_attribute", "File Attributes", 32, 4, RTAP_HEX), SMB2_RESERVED("reserved", 36, 4),
};
SMB2_NO_VISIT(file_basic)
CLASS_STRUCTURE(file_basic, "smb2.file_basic_info", "FileBasicInformation", "2.4.7", 40)

/* 2.4.41. */
static const struct rtap_field file_standard_fields[] = {
	SMB2_EACH("allocation_size", "Allocation Size", 0, 8, RTAP_DEC), SMB2_EACH("eof", "End of File", 8, 8, RTAP_DEC),
	SMB2_ROW("nlinks", "Number of Links", 16, 4, RTAP_DEC, NULL), SMB2_ROW("delete_pending", "Delete Pending", 20, 1, RTAP_DEC, NULL),
	SMB2_ROW("is_directory", "Is Directory", 21, 1, RTAP_DEC, NULL), SMB2_RESERVED("reserved", 22, 2),
};
SMB2_NO_VISIT(file_standard)
CLASS_STRUCTURE(file_standard, "smb2.file_standard_info", "FileStandardInformation", "2.4.41", 24)

/* 2.4.20. */
static const struct rtap_field file_internal_fields[] = { SMB2_EACH("file_id", "File Id", 0, 8, RTAP_HEX) };
SMB2_NO_VISIT(file_internal)
CLASS_STRUCTURE(file_internal, "smb2.file_internal_info", "FileInternalInformation", "2.4.20", 8)

/* 2.4.12. */
static const struct rtap_field file_ea_fields[] = { SMB2_EACH("ea_size", "EA Size", 0, 4, RTAP_DEC) };
SMB2_NO_VISIT(file_ea)
CLASS_STRUCTURE(file_ea, "smb2.file_ea_info", "FileEaInformation", "2.4.12", 4)

/* 2.4.1. */
static const struct rtap_field file_access_fields[] = { CLASS_ROW("smb.access_mask", "Access Mask", 0, 4, RTAP_HEX, NULL) };
SMB2_NO_VISIT(file_access)
CLASS_STRUCTURE(file_access, "smb2.file_access_info", "FileAccessInformation", "2.4.1", 4)

/* 2.4.35. */
static const struct rtap_field file_position_fields[] = { SMB2_ROW("position_info", "Position", 0, 8, RTAP_DEC, NULL) };
SMB2_NO_VISIT(file_position)
CLASS_STRUCTURE(file_position, "smb2.file_position_info", "FilePositionInformation", "2.4.35", 8)

/* 2.4.26; bits: [MS-FSCC] 2.4.26. */
static const struct rtap_field file_mode_fields[] = {
	SMB2_FLAGGED("mode_info", "Mode", 0, 4, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BITS("mode.reserved", "Reserved", 0, 0, 1, RTAP_DEC),
	EACH_BIT("mode.file_write_through", "Write Through", 0, 1),
	EACH_BIT("mode.file_sequential_only", "Sequential Only", 0, 2),
	EACH_BIT("mode.file_no_intermediate_buffering", "No Intermediate Buffering", 0, 3),
	EACH_BIT("mode.file_synchronous_io_alert", "Synchronous I/O, Alert", 0, 4),
	EACH_BIT("mode.file_synchronous_io_nonalert", "Synchronous I/O, No Alert", 0, 5),
	SMB2_BITS("mode.reserved2", "Reserved", 0, 6, 6, RTAP_HEX),
	EACH_BIT("mode.file_delete_on_close", "Delete on Close", 0, 12),
	SMB2_BITS("mode.reserved3", "Reserved", 0, 13, 19, RTAP_HEX),
};
SMB2_NO_VISIT(file_mode)
CLASS_STRUCTURE(file_mode, "smb2.file_mode_info", "FileModeInformation", "2.4.26", 4)

/* 2.4.3. */
static const struct rtap_name alignment_names[] = {
	{ 0, "byte" }, { 1, "word" }, { 3, "long" }, { 7, "quad" }, { 15, "octa" }, { 31, "32 bytes" }, { 63, "64 bytes" }, { 127, "128 bytes" },
	{ 255, "256 bytes" }, { 511, "512 bytes" }, { 0, NULL },
};
static const struct rtap_field file_alignment_fields[] = { SMB2_ROW("alignment_info", "Alignment", 0, 4, RTAP_HEX, alignment_names) };
SMB2_NO_VISIT(file_alignment)
CLASS_STRUCTURE(file_alignment, "smb2.file_alignment_info", "FileAlignmentInformation", "2.4.3", 4)

/* 2.4.27, and 2.4.5 and 2.4.30 like it. */
static const struct rtap_field file_name_fields[] = {
	SMB2_EACH("filename.len", "File Name Length", 0, 4, RTAP_DEC), CLASS_TEXT("smb2.filename", "File Name"),
};

CLASS_VISIT_NAME(file_name, 0, 4)
CLASS_STRUCTURE(file_name, "smb2.file_name_info", "FileNameInformation", "2.4.27", 4)

/* 2.4.37, and 2.4.21 like it. */
static const struct rtap_field file_rename_fields[] = {
	{ "smb2.rename.replace_if", "Replace If Exists", 0, 1, RTAP_BOOL, RTAP_LITTLE, NULL, NULL, NULL },
	SMB2_BITS("rename.replace_reserved", "Reserved", 0, 1, 7, RTAP_HEX),
	SMB2_RESERVED("rename.reserved", 1, 7),
	{ "smb2.root_directory", "Root Directory", 64, 64, RTAP_BYTES, 0, NULL, NULL, NULL },
	SMB2_EACH("filename.len", "File Name Length", 16, 4, RTAP_DEC), CLASS_TEXT("smb2.filename", "File Name"),
};

CLASS_VISIT_NAME(file_rename, 16, 20)
CLASS_STRUCTURE(file_rename, "smb2.file_rename_info", "FileRenameInformation", "2.4.37", 20)

/* 2.4.11. */
static const struct rtap_field file_disposition_fields[] = {
	{ "smb2.disposition.delete_on_close", "Delete on Close", 0, 1, RTAP_BOOL, RTAP_LITTLE, NULL, NULL, NULL },
	SMB2_BITS("disposition.reserved", "Reserved", 0, 1, 7, RTAP_HEX),
};
SMB2_NO_VISIT(file_disposition)
CLASS_STRUCTURE(file_disposition, "smb2.file_disposition_info", "FileDispositionInformation", "2.4.11", 1)

/* Like FileDispositionInformation, with flags: ntddk.h, FILE_DISPOSITION_INFORMATION_EX. */
static const struct rtap_field file_disposition_ex_fields[] = {
	SMB2_FLAGGED("disposition.flags", "Flags", 0, 4, RTAP_HEX, RTAP_PARTS, NULL), EACH_BIT("disposition.flags.delete", "Delete", 0, 0),
	EACH_BIT("disposition.flags.posix_semantics", "POSIX Semantics", 0, 1),
	EACH_BIT("disposition.flags.force_image_section_check", "Force Image Section Check", 0, 2),
	EACH_BIT("disposition.flags.on_close", "On Close", 0, 3), EACH_BIT("disposition.flags.ignore_readonly", "Ignore Read-Only", 0, 4),
	SMB2_BITS("disposition.flags.reserved", "Reserved", 0, 5, 27, RTAP_HEX),
};
SMB2_NO_VISIT(file_disposition_ex)
CLASS_STRUCTURE(file_disposition_ex, "smb2.file_disposition_info_ex", "FileDispositionInformationEx", "2.4", 4)

/* Like FileRenameInformation, with flags: ntifs.h, FILE_RENAME_INFORMATION_EX. */
static const struct rtap_field file_rename_ex_fields[] = {
	SMB2_FLAGGED("rename.flags", "Flags", 0, 4, RTAP_HEX, RTAP_PARTS, NULL), EACH_BIT("rename.flags.replace_if_exists", "Replace If Exists", 0, 0),
	EACH_BIT("rename.flags.posix_semantics", "POSIX Semantics", 0, 1),
	EACH_BIT("rename.flags.suppress_pin_state_inheritance", "Suppress Pin State Inheritance", 0, 2),
	EACH_BIT("rename.flags.suppress_storage_reserve_inheritance", "Suppress Storage Reserve Inheritance", 0, 3),
	EACH_BIT("rename.flags.no_increase_available_space", "No Increase of Available Space", 0, 4),
	EACH_BIT("rename.flags.no_decrease_available_space", "No Decrease of Available Space", 0, 5),
	EACH_BIT("rename.flags.ignore_readonly", "Ignore Read-Only", 0, 6), SMB2_BITS("rename.flags.reserved", "Reserved", 0, 7, 25, RTAP_HEX),
	SMB2_RESERVED("rename.reserved_ex", 4, 4),
	{ "smb2.root_directory", "Root Directory", 64, 64, RTAP_BYTES, 0, NULL, NULL, NULL },
	SMB2_EACH("filename.len", "File Name Length", 16, 4, RTAP_DEC), CLASS_TEXT("smb2.filename", "File Name"),
};

CLASS_VISIT_NAME(file_rename_ex, 16, 20)
CLASS_STRUCTURE(file_rename_ex, "smb2.file_rename_info_ex", "FileRenameInformationEx", "2.4", 20)

/* 2.4.4. */
static const struct rtap_field file_allocation_fields[] = { SMB2_EACH("allocation_size", "Allocation Size", 0, 8, RTAP_DEC) };
SMB2_NO_VISIT(file_allocation)
CLASS_STRUCTURE(file_allocation, "smb2.file_allocation_info", "FileAllocationInformation", "2.4.4", 8)

/* 2.4.13. */
static const struct rtap_field file_eof_fields[] = { SMB2_EACH("eof", "End of File", 0, 8, RTAP_DEC) };
SMB2_NO_VISIT(file_eof)
CLASS_STRUCTURE(file_eof, "smb2.file_endoffile_info", "FileEndOfFileInformation", "2.4.13", 8)

/* 2.4.9. */
static const struct rtap_field file_compression_fields[] = {
	CLASS_ROW("smb.compressed.file_size", "Compressed Size", 0, 8, RTAP_DEC, NULL),
	CLASS_ROW("smb.compressed.format", "Compression Format", 8, 2, RTAP_DEC, NULL),
	CLASS_ROW("smb.compressed.unit_shift", "Unit Shift", 10, 1, RTAP_DEC, NULL),
	CLASS_ROW("smb.compressed.chunk_shift", "Chunk Shift", 11, 1, RTAP_DEC, NULL),
	CLASS_ROW("smb.compressed.cluster_shift", "Cluster Shift", 12, 1, RTAP_DEC, NULL), SMB2_RESERVED("file_compression.reserved", 13, 3),
};
SMB2_NO_VISIT(file_compression)
CLASS_STRUCTURE(file_compression, "smb2.file_compression_info", "FileCompressionInformation", "2.4.9", 16)

/* 2.4.29. */
static const struct rtap_field file_network_open_fields[] = {
	TIME_ROWS, SMB2_EACH("allocation_size", "Allocation Size", 32, 8, RTAP_DEC), SMB2_EACH("eof", "End of File", 40, 8, RTAP_DEC),
	SMB2_EACH("file_attribute", "File Attributes", 48, 4, RTAP_HEX), SMB2_RESERVED("reserved", 52, 4),
};
SMB2_NO_VISIT(file_network_open)
CLASS_STRUCTURE(file_network_open, "smb2.file_network_open_info", "FileNetworkOpenInformation", "2.4.29", 56)

/* 2.4.6. */
static const struct rtap_field file_attribute_tag_fields[] = {
	SMB2_EACH("file_attribute", "File Attributes", 0, 4, RTAP_HEX), SMB2_EACH("reparse_tag", "Reparse Tag", 4, 4, RTAP_HEX),
};
SMB2_NO_VISIT(file_attribute_tag)
CLASS_STRUCTURE(file_attribute_tag, "smb2.file_attribute_tag_info", "FileAttributeTagInformation", "2.4.6", 8)

/* 2.4.22: the volume, and the file's id of 128 bits. */
static const struct rtap_field file_id_fields[] = {
	SMB2_ROW("file_id.volume", "Volume Serial Number", 0, 8, RTAP_HEX, NULL),
	{ "smb2.file_id_128", "File Id", 64, 128, RTAP_BYTES, RTAP_REPEATS, NULL, NULL, NULL },
};
SMB2_NO_VISIT(file_id)
CLASS_STRUCTURE(file_id, "smb2.file_id_info", "FileIdInformation", "2.4.22", 24)

/* 2.4.44. */
static const struct rtap_field file_stream_fields[] = {
	SMB2_EACH("next_offset", "Next Offset", 0, 4, RTAP_DEC),
	{ "smb.stream_name_len", "Stream Name Length", 32, 32, RTAP_DEC, RTAP_LITTLE | RTAP_REPEATS, NULL, NULL, NULL },
	{ "smb.stream_size", "Stream Size", 64, 64, RTAP_DEC, RTAP_LITTLE | RTAP_REPEATS, NULL, NULL, NULL },
	{ "smb2.stream_allocation_size", "Stream Allocation Size", 128, 64, RTAP_DEC, RTAP_LITTLE | RTAP_REPEATS, NULL, NULL, NULL },
	CLASS_TEXT("smb.stream_name", "Stream Name"),
};

static void show_file_stream(const struct smb2_walk *walk)
{
	smb2_class_show_name(walk, SMB2_ROWS(file_stream_fields) - 1, 4, 24);
}

static void visit_file_stream(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	smb2_class_visit_entries(packet, layer, visitor, 24, show_file_stream);
}

CLASS_ENTRIES(file_stream, "smb2.file_stream_info", "FileStreamInformation", "2.4.44", 24)

/* 2.4.16. The name is in ASCII, with a zero byte; then the data. */
#define EA_LENGTH 8

static const struct rtap_field file_full_ea_fields[] = {
	SMB2_EACH("next_offset", "Next Offset", 0, 4, RTAP_DEC), SMB2_EACH("ea.flags", "EA Flags", 4, 1, RTAP_HEX),
	SMB2_EACH("ea.name_len", "EA Name Length", 5, 1, RTAP_DEC), SMB2_EACH("ea.data_len", "EA Data Length", 6, 2, RTAP_DEC),
	CLASS_TEXT("smb2.ea.name", "EA Name"),
	{ "smb2.ea.data", "EA Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
};

static void show_file_full_ea(const struct smb2_walk *walk)
{
	size_t row = SMB2_ROWS(file_full_ea_fields) - 2;
	uint32_t left = walk->layer->length > EA_LENGTH ? walk->layer->length - EA_LENGTH : 0, name, data;

	if (!left)
		return;
	name = walk->body[5] < left ? walk->body[5] : left;
	data = (uint32_t)little_bits(walk->body + 6, 0, 16);
	smb2_show_bytes(walk, row, (struct rtap_span){ walk->body + EA_LENGTH, name });
	left -= name < left ? name + 1 : left;
	smb2_show_bytes(walk, row + 1, (struct rtap_span){ walk->body + walk->layer->length - left, data < left ? data : left });
}

static void visit_file_full_ea(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	smb2_class_visit_entries(packet, layer, visitor, EA_LENGTH, show_file_full_ea);
}

CLASS_ENTRIES(file_full_ea, "smb2.file_full_ea_info", "FileFullEaInformation", "2.4.16", EA_LENGTH)
