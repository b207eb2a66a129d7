/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of the bodies of commands, and shared definitions. A body is one layer: the fixed part is in the table, names, data and lists
 * are found by the offsets in it. Offsets count from the command's header.
 */
#ifndef DISSECT_SMB_SMB2_PARTS_H
#define DISSECT_SMB_SMB2_PARTS_H

#include "dissect/engine/visit.h"
#include "dissect/smb/smb.h"

/* Rows of `bytes` bytes at byte `at`. */
#define SMB2_ROW(name, label, at, bytes, show, names) { "smb2." name, label, (at) * 8, (bytes) * 8, show, RTAP_LITTLE, names, NULL, NULL }
#define SMB2_FLAGGED(name, label, at, bytes, show, flags, names) \
	{ "smb2." name, label, (at) * 8, (bytes) * 8, show, RTAP_LITTLE | (flags), names, NULL, NULL }
#define SMB2_BITS(name, label, at, bit, width, show) { "smb2." name, label, (at) * 8 + (bit), width, show, RTAP_LITTLE, NULL, NULL, NULL }
#define SMB2_BIT(name, label, at, bit) SMB2_BITS(name, label, at, bit, 1, RTAP_BOOL)
#define SMB2_RESERVED(name, at, bytes) { "smb2." name, "Reserved", (at) * 8, (bytes) * 8, RTAP_BYTES, 0, NULL, NULL, NULL }
#define SMB2_GUID(name, label, at, flags) { "smb2." name, label, (at) * 8, 128, RTAP_BYTES, flags, NULL, NULL, NULL }
#define SMB2_FILE(at) SMB2_GUID("fid", "File Id", at, RTAP_IS_HANDLE)
#define SMB2_TIME(name, label, at, derive) SMB2_TIME_ROWS("smb2." name, label, at, derive, 0)

/* A time, and its units if nanoseconds in 64 bits cannot express it: beyond the year 2262, or a special value. [MS-FSCC] 2.4.7. */
#define SMB2_TIME_ROWS(name, label, at, derive, flags) \
	{ name, label, (at) * 8, 64, RTAP_SECONDS, RTAP_SOMETIMES | (flags), NULL, derive, NULL }, \
	{ name ".units", label ", 100 ns since 1601", (at) * 8, 64, RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES | RTAP_IGNORED | (flags), NULL, derive##_units, NULL }

/* Those that entries of a directory have too. */
#define SMB2_EACH(name, label, at, bytes, show) SMB2_FLAGGED(name, label, at, bytes, show, RTAP_REPEATS, NULL)
#define SMB2_EACH_TIME(name, label, at, derive) SMB2_TIME_ROWS("smb2." name, label, at, derive, RTAP_REPEATS)

/* Rows that a body's visit() supplies. */
#define SMB2_FOUND(name, label, show, flags, names) { "smb2." name, label, 0, 0, show, RTAP_UNPLACED | (flags), names, NULL, NULL }
#define SMB2_FOUND_NUMBER(name, label, bits, show, flags, names) { "smb2." name, label, 0, bits, show, RTAP_UNPLACED | (flags), names, NULL, NULL }

/* StructureSize: the length of the fixed part, with 1 for the first byte of what follows it. */
#define SMB2_STRUCTURE_SIZE \
	{ "smb2.buffer_code", "Structure Size", 0, 16, RTAP_HEX, RTAP_LITTLE | RTAP_PARTS, NULL, NULL, NULL }, \
	SMB2_BIT("buffer_code.dynamic", "Dynamic Part", 0, 0), \
	SMB2_BITS("buffer_code.length", "Fixed Part Length", 0, 1, 15, RTAP_DEC)

#define SMB2_SECURITY_MODE(at) \
	SMB2_FLAGGED("sec_mode", "Security Mode", at, 1, RTAP_HEX, RTAP_PARTS, NULL), \
	SMB2_BIT("sec_mode.sign_enabled", "Signing Enabled", at, 0), \
	SMB2_BIT("sec_mode.sign_required", "Signing Required", at, 1), \
	SMB2_BITS("sec_mode.reserved", "Reserved", at, 2, 6, RTAP_HEX)

#define SMB2_CAPABILITIES(at) \
	SMB2_FLAGGED("capabilities", "Capabilities", at, 4, RTAP_HEX, RTAP_PARTS, NULL), \
	SMB2_BIT("capabilities.dfs", "DFS", at, 0), \
	SMB2_BIT("capabilities.leasing", "Leasing", at, 1), \
	SMB2_BIT("capabilities.large_mtu", "Large MTU", at, 2), \
	SMB2_BIT("capabilities.multi_channel", "Multi Channel", at, 3), \
	SMB2_BIT("capabilities.persistent_handles", "Persistent Handles", at, 4), \
	SMB2_BIT("capabilities.directory_leasing", "Directory Leasing", at, 5), \
	SMB2_BIT("capabilities.encryption", "Encryption", at, 6), \
	SMB2_BIT("capabilities.notifications", "Notifications", at, 7), \
	SMB2_BITS("capabilities.reserved", "Reserved", at, 8, 24, RTAP_HEX)

/* Times of a file: [MS-FSCC] 2.4.7. */
#define SMB2_FILE_TIMES(at, create, access, write, change) \
	SMB2_EACH_TIME("create.time", "Created", at, create), \
	SMB2_EACH_TIME("last_access.time", "Last Access", (at) + 8, access), \
	SMB2_EACH_TIME("last_write.time", "Last Write", (at) + 16, write), \
	SMB2_EACH_TIME("last_change.time", "Last Change", (at) + 24, change)

/* Derive functions for a time at byte `at`: 100 ns units since 1601. 0: both fields are absent. */
#define SMB2_DERIVE_TIME(function, at) \
	static bool function(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return smb2_time(layer_bytes(packet, layer) + (at), value); \
	} \
	static bool function##_units(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return smb2_time_units(layer_bytes(packet, layer) + (at), value); \
	}

bool smb2_time(const uint8_t *bytes, struct rtap_value *value);

/* Of a time that smb2_time() cannot express. */
bool smb2_time_units(const uint8_t *bytes, struct rtap_value *value);

/* Defines the protocol SMB2_identifier with the rows of the array name_fields and a fixed part of `length` bytes. */
#define SMB2_BODY(name, identifier, filter, label, section, fixed) \
	const struct protocol smb2_##name##_protocol = { \
		.table = { filter, label, "[MS-SMB2] " section, fixed, FIELDS(name##_fields) }, \
		.scope = SCOPE_CALL, \
		.visit = visit_##name, \
		.summary = summary_##name, \
	};

/* A body whose rows visit() passes to a visitor. */
struct smb2_walk {
	struct rtap_visitor *visitor;
	const struct rtap_layer *layer;
	const uint8_t *body;      /* its captured bytes: layer->length of them */
	uint16_t protocol;
};

static inline struct smb2_walk smb2_walk_begin(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	return (struct smb2_walk){ visitor, layer, layer_bytes(packet, layer), layer->protocol };
}

/* Numbers of the body. False: they were not captured. */
bool smb2_number(const struct smb2_walk *walk, uint32_t at, uint32_t bytes, uint64_t *number);

/* The captured part of the body at an offset that counts from the command's header. Length 0: none. */
struct rtap_span smb2_part(const struct smb2_walk *walk, uint64_t offset, uint64_t length);

/* The same for an offset and a length that the body has at these places. */
struct rtap_span smb2_part_at(const struct smb2_walk *walk, uint32_t offset_at, uint32_t offset_bytes, uint32_t length_at, uint32_t length_bytes);

/* Pass a value to the visitor as row `row`. Nothing is passed for an empty part. */
void smb2_show_number(const struct smb2_walk *walk, size_t row, uint64_t number, uint32_t at, uint32_t bytes);
void smb2_show_bytes(const struct smb2_walk *walk, size_t row, struct rtap_span part);
void smb2_show_text(const struct smb2_walk *walk, size_t row, struct rtap_span part);

/* Appends the text of a part, in UTF-16: a path, with slashes; unprintable characters are escaped. */
void smb2_line_text(struct line *line, struct rtap_span part);

/* RDMA buffer descriptors: the rows offset, token, length from `row` on. */
#define SMB2_DESCRIPTOR_ROWS \
	SMB2_FOUND_NUMBER("buffer_descriptor.offset", "Offset", 64, RTAP_DEC, RTAP_REPEATS | RTAP_IS_ADDRESS, NULL), \
	SMB2_FOUND_NUMBER("buffer_descriptor.token", "Token", 32, RTAP_HEX32, RTAP_REPEATS | RTAP_IS_RKEY, NULL), \
	SMB2_FOUND_NUMBER("buffer_descriptor.length", "Length", 32, RTAP_DEC, RTAP_REPEATS, NULL)

void smb2_show_descriptors(const struct smb2_walk *walk, size_t row, struct rtap_span part);

/*
 * Defines the visit() of a body whose last row is what an offset and a length in it point to; `show`: bytes or text. Positions and sizes
 * in bytes.
 */
#define SMB2_VISIT_LAST(name, show, offset_at, offset_size, length_at, length_size) \
	static void visit_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor) \
	{ \
		const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor); \
		\
		smb2_show_##show(&walk, SMB2_ROWS(name##_fields) - 1, smb2_part_at(&walk, offset_at, offset_size, length_at, length_size)); \
	}

#define SMB2_NO_VISIT(name) \
	static void visit_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor) \
	{ \
		(void)packet, (void)layer, (void)visitor; \
	}

#define SMB2_NO_SUMMARY(name) \
	static void summary_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line) \
	{ \
		(void)packet, (void)layer, (void)line; \
	}

#define SMB2_ROWS(array) (sizeof(array) / sizeof((array)[0]))

/* Whose data has a part. */
enum smb2_side { SMB2_REQUEST = 1, SMB2_RESPONSE = 2, SMB2_BOTH = SMB2_REQUEST | SMB2_RESPONSE };

/* A part at a fixed place of data whose layout a context's name or a control code gives. `at`, `bytes`: offset and length; `row`: of its field. */
struct smb2_data_part {
	uint32_t layout;
	uint8_t side, row, at, bytes;
};

#endif
