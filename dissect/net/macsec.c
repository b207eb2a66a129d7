/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MACsec: the security tag, which RoCE follows where frames are protected but not encrypted, and the integrity check value after the
 * secure data. IEEE 802.1AE-2018, clause 9.
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"

#define TAG_LENGTH 6
#define TAG_WITH_CHANNEL 14
#define TAG_CONTROL 0, 6
#define TAG_VERSION 0, 1
#define TAG_END_STATION 1, 1
#define TAG_HAS_CHANNEL 2, 1
#define TAG_BROADCAST 3, 1
#define TAG_ENCRYPTED 4, 1
#define TAG_CHANGED 5, 1
#define TAG_ASSOCIATION 6, 2
#define TAG_SHORT_LENGTH 8, 8
#define TAG_PACKET_NUMBER 16, 32
#define TAG_SYSTEM 48, 48
#define TAG_PORT 96, 16

/* Of all cipher suites in clause 14, if both of the bits E and C are set or none. 9.5. */
#define ICV_LENGTH 16

/* The tag without encryption ends where an Ethertype follows. */
#define TYPE_LENGTH 2

/* Greater numbers are for secure data that need no length. 9.7. */
#define SHORT_LENGTH_GREATEST 47

static bool is_plain(const uint8_t *tag)
{
	return !bits(tag, TAG_ENCRYPTED) && !bits(tag, TAG_CHANGED);
}

static uint32_t tag_length(const uint8_t *tag)
{
	return bits(tag, TAG_HAS_CHANNEL) ? TAG_WITH_CHANNEL : TAG_LENGTH;
}

static bool derive_type(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *tag = layer_bytes(packet, layer);

	if (layer->length < TAG_LENGTH || layer->length != tag_length(tag) + TYPE_LENGTH)
		return false;
	value->number = load16(tag + tag_length(tag));
	return true;
}

static bool derive_system(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + TAG_LENGTH, 6 };
	return bits(layer_bytes(packet, layer), TAG_HAS_CHANNEL);
}

static bool derive_port(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), TAG_PORT);
	return bits(layer_bytes(packet, layer), TAG_HAS_CHANNEL);
}

static const struct rtap_field macsec_fields[] = {
	{ "macsec.TCI", "Control Information", TAG_CONTROL, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "macsec.TCI.V", "Version", TAG_VERSION, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "macsec.TCI.ES", "End Station", TAG_END_STATION, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "macsec.TCI.SC", "Secure Channel Present", TAG_HAS_CHANNEL, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "macsec.TCI.SCB", "Single Copy Broadcast", TAG_BROADCAST, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "macsec.TCI.E", "Encrypted", TAG_ENCRYPTED, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "macsec.TCI.C", "Changed Text", TAG_CHANGED, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "macsec.AN", "Association Number", TAG_ASSOCIATION, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "macsec.SL", "Short Length", TAG_SHORT_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "macsec.PN", "Packet Number", TAG_PACKET_NUMBER, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "macsec.SCI.system_identifier", "System Identifier", TAG_SYSTEM, RTAP_ETHER, RTAP_SOMETIMES, NULL, derive_system, NULL },
	{ "macsec.SCI.port_identifier", "Port Identifier", TAG_PORT, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_port, NULL },
	{ "macsec.etype", "Type", 0, 16, RTAP_HEX, RTAP_UNPLACED, ethertype_names, derive_type, NULL },
};

/*
 * Narrows the cursor to what is left of the secure data, of which the tag's layer has `taken` bytes, and places the ICV after them. `length`: of
 * the secure data; 0: they end with the frame. 9.7.
 */
static enum result narrow(struct parse *parse, uint32_t length, uint32_t taken, uint32_t offset)
{
	if (length >= taken && length)
		parse_narrow(parse, length - taken + ICV_LENGTH, offset);
	if ((length && length < taken) || parse->cursor.wire < ICV_LENGTH) {
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, offset);
		return MALFORMED;
	}
	length = parse->cursor.wire - ICV_LENGTH;
	parse_place_layer(parse, PROTOCOL_MACSEC_ICV, parse_offset(parse) + length, ICV_LENGTH);
	(void)cursor_narrow(&parse->cursor, length);
	return OK;
}

static enum result parse_data(struct parse *parse, const uint8_t *tag, uint32_t start)
{
	uint32_t length = (uint32_t)bits(tag, TAG_SHORT_LENGTH);
	const uint8_t *type;
	enum result result;

	parse->next = PROTOCOL_PAYLOAD;
	/* with one of the two bits the length of the ICV is not known. 9.5 */
	if (bits(tag, TAG_ENCRYPTED) != bits(tag, TAG_CHANGED))
		return OK;
	if (!is_plain(tag))
		return narrow(parse, length, 0, start + 1);
	result = parse_more(parse, TYPE_LENGTH, &type);
	if (result == OK)
		result = narrow(parse, length, TYPE_LENGTH, start + 1);
	if (result == OK)
		ethertype_begin(parse, load16(type), (uint32_t)(type - parse->source_bytes));
	return result;
}

static enum result parse(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *tag, *channel;
	enum result result = parse_layer(parse, PROTOCOL_MACSEC, TAG_LENGTH, &tag);

	if (result != OK)
		return result;
	if (bits(tag, TAG_VERSION)) {
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, start);
		return MALFORMED;
	}
	if (bits(tag, TAG_SHORT_LENGTH) > SHORT_LENGTH_GREATEST) {
		parse_anomaly(parse, RTAP_ANOMALY_MALFORMED, start + 1);
		return MALFORMED;
	}
	if (bits(tag, TAG_HAS_CHANNEL))
		result = parse_more(parse, TAG_WITH_CHANNEL - TAG_LENGTH, &channel);
	return result == OK ? parse_data(parse, tag, start) : result;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *tag = layer_bytes(packet, layer);
	char *begin = line->next;

	if (layer->length < TAG_LENGTH)
		return;
	line_text(line, bits(tag, TAG_ENCRYPTED) ? "MACsec encrypted pn " : "MACsec pn ");
	line_dec(line, bits(tag, TAG_PACKET_NUMBER));
	if (!is_plain(tag)) {
		payload_summary_length(packet, layer_after(packet, layer), line);
		return;
	}
	line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
	if (layer->length == tag_length(tag) + TYPE_LENGTH)
		ethertype_summary(packet, layer, load16(tag + tag_length(tag)), line);
}

const struct protocol macsec_protocol = {
	.table = { "macsec", "MACsec Security Tag", "IEEE 802.1AE, 9.3", 0, FIELDS(macsec_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse,
	.summary = summary,
};

static bool derive_icv(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer), layer->length };
	return layer->length == ICV_LENGTH;
}

static const struct rtap_field icv_fields[] = {
	{ "macsec.ICV", "Integrity Check Value", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, derive_icv, NULL },
};

const struct protocol macsec_icv_protocol = {
	.table = { "macsec.icv", "MACsec Integrity Check Value", "IEEE 802.1AE, 9.11", 0, FIELDS(icv_fields) },
	.scope = SCOPE_CAPTURE,
};
