/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>

#include "dissect/smb/smb2_class.h"

/* FileAllInformation has eight others and a name: [MS-FSCC] 2.4.2. */
#define MOST_STRUCTURES 9

struct class_layers {
	uint8_t type, class;
	uint16_t protocols[MOST_STRUCTURES]; /* in order; the last one has all that is left */
};

#define ONE(type, class, identifier) { type, class, { PROTOCOL_SMB2_##identifier } }

/* [MS-FSCC] 2.4 and 2.5. QUERY_DIRECTORY has no type. */
static const struct class_layers classes[] = {
	ONE(0, 1, FIND_DIRECTORY), ONE(0, 2, FIND_FULL), ONE(0, 3, FIND_BOTH), ONE(0, 12, FIND_NAMES), ONE(0, 37, FIND_ID_BOTH),
	ONE(0, 38, FIND_ID_FULL), ONE(0, 60, FIND_ID_EXTD),
	ONE(SMB2_INFO_FILE, 4, FILE_BASIC), ONE(SMB2_INFO_FILE, 5, FILE_STANDARD), ONE(SMB2_INFO_FILE, 6, FILE_INTERNAL),
	ONE(SMB2_INFO_FILE, 7, FILE_EA), ONE(SMB2_INFO_FILE, 8, FILE_ACCESS), ONE(SMB2_INFO_FILE, 9, FILE_NAME),
	ONE(SMB2_INFO_FILE, SMB2_FILE_RENAME, FILE_RENAME), ONE(SMB2_INFO_FILE, 11, FILE_RENAME),
	ONE(SMB2_INFO_FILE, SMB2_FILE_DISPOSITION, FILE_DISPOSITION), ONE(SMB2_INFO_FILE, 14, FILE_POSITION), ONE(SMB2_INFO_FILE, 15, FILE_FULL_EA),
	ONE(SMB2_INFO_FILE, 16, FILE_MODE), ONE(SMB2_INFO_FILE, 17, FILE_ALIGNMENT),
	{ SMB2_INFO_FILE, 18,
	  { PROTOCOL_SMB2_FILE_BASIC, PROTOCOL_SMB2_FILE_STANDARD, PROTOCOL_SMB2_FILE_INTERNAL, PROTOCOL_SMB2_FILE_EA, PROTOCOL_SMB2_FILE_ACCESS,
	    PROTOCOL_SMB2_FILE_POSITION, PROTOCOL_SMB2_FILE_MODE, PROTOCOL_SMB2_FILE_ALIGNMENT, PROTOCOL_SMB2_FILE_NAME } },
	ONE(SMB2_INFO_FILE, 19, FILE_ALLOCATION), ONE(SMB2_INFO_FILE, SMB2_FILE_END_OF_FILE, FILE_EOF), ONE(SMB2_INFO_FILE, 21, FILE_NAME),
	ONE(SMB2_INFO_FILE, 22, FILE_STREAM), ONE(SMB2_INFO_FILE, 28, FILE_COMPRESSION), ONE(SMB2_INFO_FILE, 34, FILE_NETWORK_OPEN),
	ONE(SMB2_INFO_FILE, 35, FILE_ATTRIBUTE_TAG), ONE(SMB2_INFO_FILE, 48, FILE_NAME), ONE(SMB2_INFO_FILE, 59, FILE_ID),
	ONE(SMB2_INFO_FILE, SMB2_FILE_DISPOSITION_EX, FILE_DISPOSITION_EX), ONE(SMB2_INFO_FILE, SMB2_FILE_RENAME_EX, FILE_RENAME_EX),
	ONE(SMB2_INFO_FILESYSTEM, 1, FS_VOLUME), ONE(SMB2_INFO_FILESYSTEM, 3, FS_SIZE), ONE(SMB2_INFO_FILESYSTEM, 4, FS_DEVICE),
	ONE(SMB2_INFO_FILESYSTEM, 5, FS_ATTRIBUTE), ONE(SMB2_INFO_FILESYSTEM, 7, FS_FULL_SIZE), ONE(SMB2_INFO_FILESYSTEM, 8, FS_OBJECT_ID),
	ONE(SMB2_INFO_FILESYSTEM, 11, FS_SECTOR_SIZE),
};

static const struct class_layers *find_class(uint16_t command, uint32_t detail)
{
	uint8_t type = command == SMB2_QUERY_DIRECTORY ? 0 : (uint8_t)detail;
	uint8_t class = (uint8_t)(command == SMB2_QUERY_DIRECTORY ? detail : detail >> 8);

	if (command != SMB2_QUERY_DIRECTORY && !type)
		return NULL;
	for (size_t i = 0; i < SMB2_ROWS(classes); i++)
		if (classes[i].type == type && classes[i].class == class)
			return &classes[i];
	return NULL;
}

void smb2_class_parse(struct parse *parse, uint16_t command, uint32_t detail)
{
	const struct class_layers *layers = find_class(command, detail);
	const uint8_t *bytes;

	for (size_t i = 0; layers && i < MOST_STRUCTURES && layers->protocols[i]; i++) {
		uint16_t protocol = layers->protocols[i];
		uint32_t fixed = protocol_by_number(protocol)->table.length, left = parse->cursor.captured;
		bool is_last = i + 1 == MOST_STRUCTURES || !layers->protocols[i + 1];

		/* a structure that was cut off, or that an error left out, has the rows that are there */
		if (!left || parse_layer(parse, protocol, is_last || fixed > left ? left : fixed, &bytes) != OK)
			return;
	}
}

void smb2_class_show_name(const struct smb2_walk *walk, size_t row, uint32_t length_at, uint32_t at)
{
	uint64_t length;

	if (!smb2_number(walk, length_at, 4, &length) || at >= walk->layer->length)
		return;
	if (length > walk->layer->length - at)
		length = walk->layer->length - at;
	smb2_show_text(walk, row, (struct rtap_span){ walk->body + at, (uint32_t)length });
}

void smb2_class_visit_entries(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, uint32_t least,
			      void (*more)(const struct smb2_walk *walk))
{
	struct rtap_layer unit = *layer;
	uint32_t left = layer->length, next;
	char label[24];

	for (unsigned i = 0; left >= 4; i++) {
		next = (uint32_t)little_bits(layer_bytes(packet, &unit), 0, 32);
		unit.length = next >= least && next < left ? next : left;
		snprintf(label, sizeof label, "Entry %u", i);
		if (visitor->enter)
			visitor->enter(visitor, label, &(struct rtap_place){ unit.source, unit.offset, unit.length });
		visit_unit(packet, &unit, visitor);
		more(&(struct smb2_walk){ visitor, &unit, layer_bytes(packet, &unit), unit.protocol });
		if (visitor->leave)
			visitor->leave(visitor);
		if (next < least || next >= left)
			return;
		unit.offset += next;
		left -= next;
	}
}

void smb2_class_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)packet, (void)layer, (void)line;
}
