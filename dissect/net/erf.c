/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extensible Record Format: headers before each frame in captures of Endace's cards, including InfiniBand captures.
 * Endace EDM11-01, ERF types reference guide.
 */
#include "config.h"

#include "dissect/net/erf.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"

#define ERF_LENGTH 16
#define ERF_TIME 0, 64
#define ERF_TYPES 64, 8
#define ERF_HAS_EXTENSION 64, 1
#define ERF_TYPE 65, 7
#define ERF_FLAGS 72, 8
#define ERF_FLAG_RESERVED 72, 2
#define ERF_DS_ERROR 74, 1
#define ERF_RX_ERROR 75, 1
#define ERF_TRUNCATED 76, 1
#define ERF_VARYING 77, 1
#define ERF_INTERFACE 78, 2
#define ERF_RECORD_LENGTH 80, 16
#define ERF_LOSS 96, 16
#define ERF_WIRE_LENGTH 112, 16

/* A chain: the top bit of each one's first byte says that another follows. */
#define EXTENSION_LENGTH 8
#define EXTENSION_MORE 0, 1
#define EXTENSION_TYPE 1, 7
#define EXTENSION_DATA 8, 56
#define MAX_EXTENSIONS 16

/* Two bytes before an Ethernet header, so that what follows it is aligned. */
#define ETHERNET_PAD 2

#define TYPE_ETHERNET 2
#define TYPE_COLOR_ETHERNET 11
#define TYPE_DSM_COLOR_ETHERNET 16
#define TYPE_COLOR_HASH_ETHERNET 20
#define TYPE_INFINIBAND 21
#define TYPE_IPV4 22
#define TYPE_IPV6 23

static const struct rtap_name type_names[] = {
	{ 0, "Legacy" },
	{ 1, "HDLC" },
	{ TYPE_ETHERNET, "Ethernet" },
	{ 3, "ATM" },
	{ 4, "AAL5" },
	{ 5, "Multichannel HDLC" },
	{ 6, "Multichannel raw" },
	{ 7, "Multichannel ATM" },
	{ 8, "Multichannel raw channel" },
	{ 9, "Multichannel AAL5" },
	{ 10, "Colored HDLC" },
	{ TYPE_COLOR_ETHERNET, "Colored Ethernet" },
	{ 12, "Multichannel AAL2" },
	{ 13, "IP counter" },
	{ 14, "TCP flow counter" },
	{ 15, "DSM colored HDLC" },
	{ TYPE_DSM_COLOR_ETHERNET, "DSM colored Ethernet" },
	{ 17, "Colored multichannel HDLC" },
	{ 18, "AAL2" },
	{ 19, "Colored hashed HDLC" },
	{ TYPE_COLOR_HASH_ETHERNET, "Colored hashed Ethernet" },
	{ TYPE_INFINIBAND, "InfiniBand" },
	{ TYPE_IPV4, "IPv4" },
	{ TYPE_IPV6, "IPv6" },
	{ 24, "Raw link" },
	{ 25, "InfiniBand link" },
	{ 27, "Meta" },
	{ 28, "Omni-Path SNC" },
	{ 29, "Omni-Path" },
	{ 48, "Padding" },
	{ 0, NULL },
};

static const struct rtap_name extension_names[] = {
	{ 3, "Classification" }, { 4, "Intercept" }, { 5, "Raw link" }, { 6, "BFS filter or hash" }, { 12, "Channelised" },
	{ 14, "Signature" }, { 15, "Packet" }, { 16, "Flow" }, { 17, "Host" }, { 18, "Anchor" }, { 19, "Entropy" }, { 0, NULL },
};

static bool is_ethernet(uint64_t type)
{
	return type == TYPE_ETHERNET || type == TYPE_COLOR_ETHERNET || type == TYPE_DSM_COLOR_ETHERNET || type == TYPE_COLOR_HASH_ETHERNET;
}

/* Coloured records have their colour in place of the loss counter. */
static bool is_colored(uint64_t type)
{
	return (type >= 10 && type <= 11) || (type >= 15 && type <= 17) || type == 19 || type == 20;
}

/* The time stamp is in little-endian byte order: 32 bits of seconds, 32 bits of fraction. */
static uint64_t time_of(const uint8_t *header)
{
	return __builtin_bswap64(bits(header, ERF_TIME));
}

static bool derive_time(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = time_of(layer_bytes(packet, layer));
	return true;
}

static bool derive_loss(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), ERF_LOSS);
	return !is_colored(bits(layer_bytes(packet, layer), ERF_TYPE));
}

static bool derive_color(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), ERF_LOSS);
	return is_colored(bits(layer_bytes(packet, layer), ERF_TYPE));
}

static bool derive_pad(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t back)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < ERF_LENGTH + ETHERNET_PAD || !is_ethernet(bits(header, ERF_TYPE)) || layer->length % EXTENSION_LENGTH != ETHERNET_PAD)
		return false;
	value->number = header[layer->length - back];
	return true;
}

static bool derive_eth_offset(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_pad(packet, layer, value, 2);
}

static bool derive_eth_pad(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_pad(packet, layer, value, 1);
}

enum { ROW_EXTENSION_TYPE, ROW_EXTENSION_DATA };

static const struct rtap_field erf_fields[] = {
	[ROW_EXTENSION_TYPE] = { "erf.ehdr.types", "Extension Header", 0, 8, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, extension_names, NULL, NULL },
	[ROW_EXTENSION_DATA] = { "erf.ehdr.data", "Extension Data", 0, 64, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	{ "erf.ts", "Time Stamp", ERF_TIME, RTAP_HEX, 0, NULL, derive_time, NULL },
	{ "erf.types", "Record Type", ERF_TYPES, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "erf.types.ext_header", "Extension Header Present", ERF_HAS_EXTENSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erf.types.type", "Type", ERF_TYPE, RTAP_DEC, 0, type_names, NULL, NULL },
	{ "erf.flags", "Flags", ERF_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "erf.flags.res", "Reserved", ERF_FLAG_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "erf.flags.dse", "DS Error", ERF_DS_ERROR, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erf.flags.rxe", "Receive Error", ERF_RX_ERROR, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erf.flags.trunc", "Truncated", ERF_TRUNCATED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erf.flags.vlen", "Varying Record Length", ERF_VARYING, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erf.flags.cap", "Interface", ERF_INTERFACE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erf.rlen", "Record Length", ERF_RECORD_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erf.lctr", "Loss Counter", ERF_LOSS, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_loss, NULL },
	{ "erf.color", "Color", ERF_LOSS, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_color, NULL },
	{ "erf.wlen", "Wire Length", ERF_WIRE_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erf.eth.off", "Offset", 0, 8, RTAP_DEC, RTAP_UNPLACED, NULL, derive_eth_offset, NULL },
	{ "erf.eth.pad", "Padding", 0, 8, RTAP_HEX, RTAP_UNPLACED, NULL, derive_eth_pad, NULL },
};

static enum result parse_extensions(struct parse *parse)
{
	const uint8_t *extension;

	for (unsigned i = 0; i < MAX_EXTENSIONS; i++) {
		enum result result = parse_more(parse, EXTENSION_LENGTH, &extension);

		if (result != OK || !bits(extension, EXTENSION_MORE))
			return result;
	}
	parse_anomaly(parse, RTAP_ANOMALY_TOO_MANY_LAYERS, parse_offset(parse));
	return MALFORMED;
}

static uint16_t after_erf(uint64_t type)
{
	if (is_ethernet(type))
		return PROTOCOL_ETHERNET;
	switch (type) {
	case TYPE_INFINIBAND: return PROTOCOL_LRH;
	case TYPE_IPV4: return PROTOCOL_IPV4;
	case TYPE_IPV6: return PROTOCOL_IPV6;
	default: return PROTOCOL_PAYLOAD;
	}
}

static enum result parse(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header, *pad;
	enum result result = parse_layer(parse, PROTOCOL_ERF, ERF_LENGTH, &header);
	struct cursor *cursor = &parse->cursor;
	uint64_t type;

	if (result != OK)
		return result;
	type = bits(header, ERF_TYPE);
	if (bits(header, ERF_RECORD_LENGTH) < ERF_LENGTH)
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, start);
	if (bits(header, ERF_HAS_EXTENSION))
		result = parse_extensions(parse);
	if (result == OK && is_ethernet(type))
		result = parse_more(parse, ETHERNET_PAD, &pad);
	if (result != OK)
		return result;
	/* the record's length of the frame applies, even if the file's record has fewer bytes */
	cursor->wire = (uint32_t)bits(header, ERF_WIRE_LENGTH);
	if (cursor->captured > cursor->wire)
		cursor->captured = cursor->wire;
	parse->next = after_erf(type);
	return OK;
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);
	bool more = layer->length >= ERF_LENGTH && bits(header, ERF_HAS_EXTENSION);

	for (uint32_t offset = ERF_LENGTH; more && layer->length >= offset + EXTENSION_LENGTH; offset += EXTENSION_LENGTH) {
		const uint8_t *extension = header + offset;
		struct rtap_value value = { .number = bits(extension, EXTENSION_TYPE) };

		visit_field(visitor, layer, PROTOCOL_ERF, ROW_EXTENSION_TYPE, &value, layer->offset + offset, 1);
		value.number = bits(extension, EXTENSION_DATA);
		visit_field(visitor, layer, PROTOCOL_ERF, ROW_EXTENSION_DATA, &value, layer->offset + offset + 1, EXTENSION_LENGTH - 1);
		more = bits(extension, EXTENSION_MORE);
	}
}

bool erf_record_of(const struct rtap_packet *packet, struct erf_record *record)
{
	const struct rtap_layer *layer = &packet->layers[1];
	const uint8_t *header;
	uint32_t captured;

	if (packet->layer_count < 2 || layer->protocol != PROTOCOL_ERF || layer->length < ERF_LENGTH)
		return false;
	header = layer_bytes(packet, layer);
	record->wire_length = (uint32_t)bits(header, ERF_WIRE_LENGTH);
	captured = packet->frame->captured_length - layer->length;
	record->captured_length = captured < record->wire_length ? captured : record->wire_length;
	return true;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);
	const char *name;
	uint64_t type;

	if (layer->length < ERF_LENGTH || (next && next->protocol != PROTOCOL_PAYLOAD))
		return;
	type = bits(layer_bytes(packet, layer), ERF_TYPE);
	name = rtap_name_of(type_names, type);
	line_text(line, "ERF ");
	if (name) {
		line_text(line, name);
	} else {
		line_text(line, "type ");
		line_dec(line, type);
	}
	line_text(line, " len ");
	line_dec(line, bits(layer_bytes(packet, layer), ERF_WIRE_LENGTH));
}

const struct protocol erf_protocol = {
	.table = { "erf", "Extensible Record Format", "EDM11-01", 0, FIELDS(erf_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse,
	.visit = visit,
	.summary = summary,
};
