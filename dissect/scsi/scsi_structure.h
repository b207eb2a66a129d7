/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Definitions of protocols that are a structure of a fixed length, or elements of one.
 */
#ifndef DISSECT_SCSI_SCSI_STRUCTURE_H
#define DISSECT_SCSI_SCSI_STRUCTURE_H

#include "dissect/engine/structure.h"

/* Places in bytes, and in bits from the most significant bit of a byte. */
#define SCSI_BYTES(at, count) (at) * 8, (count) * 8
#define SCSI_BITS(at, bit, width) (at) * 8 + (bit), width

#define SCSI_TEXT(name, at, length) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return structure_text(packet, layer, value, at, length); \
	}

/* The protocol SCSI_identifier, with the rows of name_fields; `next_protocol` follows it. */
#define SCSI_STRUCTURE(name, identifier, filter, label, section, length, next_protocol) \
	STRUCTURE(scsi_##name, name##_fields, PROTOCOL_SCSI_##identifier, filter, label, section, length, next_protocol)

/* Elements after a header that gives their bytes, as `count` reads it from the bytes before the cursor. */
#define SCSI_LIST(name, identifier, filter, label, section, length, count) \
	static enum result parse_scsi_##name(struct parse *parse) \
	{ \
		uint32_t bytes = count; \
		\
		bytes = bytes < parse->cursor.wire ? bytes : parse->cursor.wire; \
		if (bytes < (length)) { \
			parse->next = PROTOCOL_PAYLOAD; \
			return OK; \
		} \
		return structure_parse(parse, PROTOCOL_SCSI_##identifier, bytes - bytes % (length), PROTOCOL_PAYLOAD); \
	} \
	static void visit_scsi_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor) \
	{ \
		visit_units(packet, layer, visitor, length); \
	} \
	const struct protocol scsi_##name##_protocol = { \
		.table = { filter, label, section, length, FIELDS(name##_fields), .in_units = true }, \
		.scope = SCOPE_CALL, \
		.parse = parse_scsi_##name, \
		.visit = visit_scsi_##name, \
	};

#endif
