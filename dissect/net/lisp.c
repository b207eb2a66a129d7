/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Locator/ID Separation Protocol, data packets: an overlay over UDP that carries IP. RFC 9300, 5.3.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"
#include "dissect/net/link_type.h"

#define LISP_LENGTH 8
#define LISP_FLAGS 0, 8
#define LISP_HAS_NONCE 0, 1
#define LISP_HAS_STATUS 1, 1
#define LISP_ECHO_NONCE 2, 1
#define LISP_HAS_VERSIONS 3, 1
#define LISP_HAS_INSTANCE 4, 1
#define LISP_RESERVED 5, 3
#define LISP_NONCE 8, 24
#define LISP_SOURCE_VERSION 8, 12
#define LISP_DESTINATION_VERSION 20, 12
#define LISP_INSTANCE 32, 24
#define LISP_STATUS 32, 32
#define LISP_STATUS_SHORT 56, 8

/* A row that is there if the condition on the header is true. */
#define ROW(name, condition, position) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		const uint8_t *header = layer_bytes(packet, layer); \
		\
		value->number = bits(header, position); \
		return condition; \
	}

ROW(nonce, bits(header, LISP_HAS_NONCE), LISP_NONCE)
ROW(versions, bits(header, LISP_HAS_VERSIONS) && !bits(header, LISP_HAS_NONCE), LISP_NONCE)
ROW(source_version, bits(header, LISP_HAS_VERSIONS) && !bits(header, LISP_HAS_NONCE), LISP_SOURCE_VERSION)
ROW(destination_version, bits(header, LISP_HAS_VERSIONS) && !bits(header, LISP_HAS_NONCE), LISP_DESTINATION_VERSION)
ROW(instance, bits(header, LISP_HAS_INSTANCE), LISP_INSTANCE)
ROW(status, bits(header, LISP_HAS_STATUS) && !bits(header, LISP_HAS_INSTANCE), LISP_STATUS)
ROW(status_short, bits(header, LISP_HAS_STATUS) && bits(header, LISP_HAS_INSTANCE), LISP_STATUS_SHORT)

static const struct rtap_field lisp_fields[] = {
	{ "lisp-data.flags", "Flags", LISP_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "lisp-data.flags.nonce", "Nonce Present", LISP_HAS_NONCE, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "lisp-data.flags.lsb", "Locator Status Bits Enabled", LISP_HAS_STATUS, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "lisp-data.flags.enr", "Echo Nonce Request", LISP_ECHO_NONCE, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "lisp-data.flags.mv", "Map Versions Present", LISP_HAS_VERSIONS, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "lisp-data.flags.iid", "Instance ID Present", LISP_HAS_INSTANCE, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "lisp-data.flags.res", "Reserved", LISP_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "lisp-data.nonce", "Nonce", LISP_NONCE, RTAP_DEC, RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_nonce, NULL },
	{ "lisp-data.mapver", "Map Versions", LISP_NONCE, RTAP_HEX, RTAP_SOMETIMES | RTAP_PARTS, NULL, derive_versions, NULL },
	{ "lisp-data.srcmapver", "Source Map Version", LISP_SOURCE_VERSION, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_source_version, NULL },
	{ "lisp-data.dstmapver", "Destination Map Version", LISP_DESTINATION_VERSION, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_destination_version, NULL },
	{ "lisp-data.iid", "Instance ID", LISP_INSTANCE, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_instance, NULL },
	{ "lisp-data.lsb8", "Locator Status Bits", LISP_STATUS_SHORT, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_status_short, NULL },
	{ "lisp-data.lsb", "Locator Status Bits", LISP_STATUS, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_status, NULL },
};

static enum result parse(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_LISP, LISP_LENGTH, &header);

	if (result == OK && parse->cursor.wire)
		parse->next = link_type_raw(&parse->cursor);
	return result;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const struct rtap_layer *next = layer_after(packet, layer);
	char *begin = line->next;

	if (layer->length < LISP_LENGTH)
		return;
	line_text(line, "LISP");
	if (bits(header, LISP_HAS_INSTANCE)) {
		line_text(line, " iid ");
		line_dec(line, bits(header, LISP_INSTANCE));
	}
	if (next && next->protocol == PROTOCOL_PAYLOAD) {
		payload_summary_length(packet, next, line);
		return;
	}
	line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
}

const struct protocol lisp_protocol = {
	.table = { "lisp-data", "Locator/ID Separation Protocol", "RFC 9300, 5.3", LISP_LENGTH, FIELDS(lisp_fields) },
	.parse = parse,
	.summary = summary,
};
