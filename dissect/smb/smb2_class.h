/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What QUERY_DIRECTORY, QUERY_INFO and SET_INFO carry: the structures of [MS-FSCC], each a layer after the command's body. Which it is, the
 * request shows.
 */
#ifndef DISSECT_SMB_SMB2_CLASS_H
#define DISSECT_SMB_SMB2_CLASS_H

#include "dissect/engine/structure.h"
#include "dissect/smb/smb2_parts.h"

/* Rows of structures, in bytes from their start; those that may occur several times in one layer. */
#define CLASS_ROW(name, label, at, bytes, show, names) { name, label, (at) * 8, (bytes) * 8, show, RTAP_LITTLE, names, NULL, NULL }
#define CLASS_TEXT(name, label) { name, label, 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL }

/* A structure of `fixed` bytes, and what visit() finds after them. */
#define CLASS_STRUCTURE(name, filter, label, section, fixed) \
	const struct protocol smb2_##name##_protocol = { \
		.table = { filter, label, "[MS-FSCC] " section, fixed, FIELDS(name##_fields) }, \
		.scope = SCOPE_CALL, \
		.visit = visit_##name, \
		.summary = smb2_class_summary, \
	};

/* Entries, each with the distance to the next one in its first four bytes. */
#define CLASS_ENTRIES(name, filter, label, section, fixed) \
	const struct protocol smb2_##name##_protocol = { \
		.table = { filter, label, "[MS-FSCC] " section, fixed, FIELDS(name##_fields), .in_units = true }, \
		.scope = SCOPE_CALL, \
		.visit = visit_##name, \
		.summary = smb2_class_summary, \
	};

/*
 * Passes the entries to the visitor, each in a group of its own, and calls `more` for what is not at a fixed place in one. `least`: bytes of
 * an entry before its name.
 */
void smb2_class_visit_entries(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, uint32_t least,
			      void (*more)(const struct smb2_walk *walk));

/* A name: its length is a number of 4 bytes at `length_at`, its first byte is at `at`. */
void smb2_class_show_name(const struct smb2_walk *walk, size_t row, uint32_t length_at, uint32_t at);

/* Defines the visit() of a structure whose last row is such a name. */
#define CLASS_VISIT_NAME(name, length_at, at) \
	static void visit_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor) \
	{ \
		const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor); \
		\
		smb2_class_show_name(&walk, SMB2_ROWS(name##_fields) - 1, length_at, at); \
	}

void smb2_class_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line);

/*
 * The structures of a command's buffer, as layers at the cursor. `detail`: the class of QUERY_DIRECTORY; of the others, the type in the low
 * byte and the class in the next one. What has no table stays as bytes of the body.
 */
void smb2_class_parse(struct parse *parse, uint16_t command, uint32_t detail);

#endif
