/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Entries of a directory, as QUERY_DIRECTORY returns them. [MS-FSCC] 2.4.
 */
#include "config.h"

#include "dissect/smb/smb2_class.h"

SMB2_DERIVE_TIME(derive_created, 8)
SMB2_DERIVE_TIME(derive_access, 16)
SMB2_DERIVE_TIME(derive_write, 24)
SMB2_DERIVE_TIME(derive_change, 32)

#define ATTRIBUTES 56 * 8, 32
#define EA_SIZE 64 * 8, 32
#define REPARSE_POINT 0x400

static bool derive_ea_size(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = little_bits(layer_bytes(packet, layer), EA_SIZE);
	return !(little_bits(layer_bytes(packet, layer), ATTRIBUTES) & REPARSE_POINT);
}

static bool derive_reparse_tag(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return !derive_ea_size(packet, layer, value);
}

#define NEXT_ROWS \
	SMB2_EACH("next_offset", "Next Offset", 0, 4, RTAP_DEC), \
	SMB2_EACH("file_index", "File Index", 4, 4, RTAP_HEX)

/* What all but one have. */
#define COMMON_ROWS \
	NEXT_ROWS, \
	SMB2_FILE_TIMES(8, derive_created, derive_access, derive_write, derive_change), \
	SMB2_EACH("eof", "End of File", 40, 8, RTAP_DEC), \
	SMB2_EACH("allocation_size", "Allocation Size", 48, 8, RTAP_DEC), \
	SMB2_EACH("file_attribute", "File Attributes", 56, 4, RTAP_HEX), \
	SMB2_EACH("filename.len", "File Name Length", 60, 4, RTAP_DEC)

#define COMMON_LENGTH 64
#define NAME_LENGTH_AT 60
#define EA_ROW SMB2_EACH("ea_size", "EA Size", 64, 4, RTAP_DEC)
/* In entries of reparse points, the size of extended attributes is the reparse tag. */
#define SOME_ROW(name, label, show, derive) { "smb2." name, label, 64 * 8, 32, show, RTAP_LITTLE | RTAP_REPEATS | RTAP_SOMETIMES, NULL, derive, NULL }
#define EA_OR_TAG_ROWS SOME_ROW("ea_size", "EA Size", RTAP_DEC, derive_ea_size), SOME_ROW("reparse_tag", "Reparse Tag", RTAP_HEX, derive_reparse_tag)
#define ID_ROW(at) SMB2_EACH("file_id", "File Id", at, 8, RTAP_HEX)
#define RESERVED_ROW(name, at, bytes) { "smb2." name, "Reserved", (at) * 8, (bytes) * 8, RTAP_BYTES, RTAP_REPEATS, NULL, NULL, NULL }
#define NAME_ROW CLASS_TEXT("smb2.filename", "File Name")

/* The name in 8.3 form, in 24 bytes. */
#define SHORT_AT 70
#define SHORT_ROWS \
	SMB2_EACH("short_name_len", "Short Name Length", 68, 1, RTAP_DEC), \
	RESERVED_ROW("find.reserved3", 69, 1)
#define SHORT_NAME_ROW CLASS_TEXT("smb2.shortname", "Short Name")

/* Defines what visits entries whose name, the last row, is at `at`, and a short name with `has_short`, the row before it. */
#define ENTRIES(name, length_at, at, has_short) \
	static void show_##name(const struct smb2_walk *walk) \
	{ \
		size_t row = SMB2_ROWS(name##_fields) - 1; \
		uint64_t length; \
		\
		if (has_short && walk->layer->length >= (at) && smb2_number(walk, 68, 1, &length)) \
			smb2_show_text(walk, row - 1, (struct rtap_span){ walk->body + SHORT_AT, length < 24 ? (uint32_t)length : 24 }); \
		smb2_class_show_name(walk, row, length_at, at); \
	} \
	static void visit_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor) \
	{ \
		smb2_class_visit_entries(packet, layer, visitor, at, show_##name); \
	}

/* 2.4.10. */
static const struct rtap_field find_directory_fields[] = { COMMON_ROWS, NAME_ROW };
ENTRIES(find_directory, NAME_LENGTH_AT, 64, false)
CLASS_ENTRIES(find_directory, "smb2.find.file_directory_info", "FileDirectoryInformation", "2.4.10", COMMON_LENGTH)

/* 2.4.14. */
static const struct rtap_field find_full_fields[] = { COMMON_ROWS, EA_OR_TAG_ROWS, NAME_ROW };
ENTRIES(find_full, NAME_LENGTH_AT, 68, false)
CLASS_ENTRIES(find_full, "smb2.find.full_directory_info", "FileFullDirectoryInformation", "2.4.14", COMMON_LENGTH)

/* 2.4.18. */
static const struct rtap_field find_id_full_fields[] = { COMMON_ROWS, EA_OR_TAG_ROWS, RESERVED_ROW("find.reserved4", 68, 4), ID_ROW(72), NAME_ROW };
ENTRIES(find_id_full, NAME_LENGTH_AT, 80, false)
CLASS_ENTRIES(find_id_full, "smb2.find.id_full_directory_info", "FileIdFullDirectoryInformation", "2.4.18", COMMON_LENGTH)

/* 2.4.8. */
static const struct rtap_field find_both_fields[] = { COMMON_ROWS, EA_OR_TAG_ROWS, SHORT_ROWS, SHORT_NAME_ROW, NAME_ROW };
ENTRIES(find_both, NAME_LENGTH_AT, 94, true)
CLASS_ENTRIES(find_both, "smb2.find.both_directory_info", "FileBothDirectoryInformation", "2.4.8", COMMON_LENGTH)

/* 2.4.17. */
static const struct rtap_field find_id_both_fields[] = {
	COMMON_ROWS, EA_OR_TAG_ROWS, SHORT_ROWS, RESERVED_ROW("find.reserved4", 94, 2), ID_ROW(96), SHORT_NAME_ROW, NAME_ROW,
};
ENTRIES(find_id_both, NAME_LENGTH_AT, 104, true)
CLASS_ENTRIES(find_id_both, "smb2.find.id_both_directory_info", "FileIdBothDirectoryInformation", "2.4.17", COMMON_LENGTH)

/* 2.4.19. */
static const struct rtap_field find_id_extd_fields[] = {
	COMMON_ROWS, EA_ROW, SMB2_EACH("reparse_tag", "Reparse Tag", 68, 4, RTAP_HEX),
	{ "smb2.file_id_128", "File Id", 72 * 8, 128, RTAP_BYTES, RTAP_REPEATS, NULL, NULL, NULL }, NAME_ROW,
};
ENTRIES(find_id_extd, NAME_LENGTH_AT, 88, false)
CLASS_ENTRIES(find_id_extd, "smb2.find.id_extd_directory_info", "FileIdExtdDirectoryInformation", "2.4.19", COMMON_LENGTH)

/* 2.4.28. */
static const struct rtap_field find_names_fields[] = { NEXT_ROWS, SMB2_EACH("filename.len", "File Name Length", 8, 4, RTAP_DEC), NAME_ROW };
ENTRIES(find_names, 8, 12, false)
CLASS_ENTRIES(find_names, "smb2.find.name_info", "FileNamesInformation", "2.4.28", 12)
