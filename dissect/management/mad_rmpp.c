/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The header of the reliable multi-packet transaction protocol, and what follows it: subnet administration's header and records,
 * or the header of a vendor's class. IBTA vol. 1, 13.6.2; 15.2.1.1; 16.5.1.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"

#define RMPP_LENGTH 12
#define RMPP_LENGTH_AT 8          /* the second word: RMPP_DATA_2 */
#define VENDOR_LENGTH 4           /* of the header of a vendor's class */
#define RMPP_VERSION 0, 8
#define RMPP_TYPE 8, 8
#define RMPP_RESPONSE_TIME 16, 5
#define RMPP_FLAGS 21, 3
#define RMPP_FLAG_LAST_BIT 21, 1
#define RMPP_FLAG_FIRST_BIT 22, 1
#define RMPP_FLAG_ACTIVE_BIT 23, 1
#define RMPP_STATUS 24, 8
#define RMPP_DATA_1 32, 32
#define RMPP_DATA_2 64, 32

static const struct rtap_name type_names[] = {
	{ RMPP_NOT_USED, "not RMPP" }, { RMPP_DATA, "DATA" }, { RMPP_ACK, "ACK" }, { RMPP_STOP, "STOP" }, { RMPP_ABORT, "ABORT" }, { 0, NULL },
};

/* 13.6.2.1, table 116 */
static const struct rtap_name status_names[] = {
	{ 0, "normal" }, { 1, "resources exhausted" }, { 118, "total time too long" }, { 119, "inconsistent last and payload length" },
	{ 120, "inconsistent first and segment number" }, { 121, "bad RMPP type" }, { 122, "new window last too small" },
	{ 123, "segment number too big" }, { 124, "illegal status" }, { 125, "unsupported version" }, { 126, "too many retries" },
	{ 127, "unspecified" }, { 0, NULL },
};

static bool is_type(const struct rtap_packet *packet, const struct rtap_layer *layer, unsigned type)
{
	return bits(layer_bytes(packet, layer), RMPP_TYPE) == type;
}

static bool derive_word(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at,
			bool is_there)
{
	value->number = load32(layer_bytes(packet, layer) + at);
	return is_there;
}

static bool derive_data_1(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_word(packet, layer, value, 4, !is_type(packet, layer, RMPP_DATA) && !is_type(packet, layer, RMPP_ACK));
}

static bool derive_segment(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_word(packet, layer, value, 4, is_type(packet, layer, RMPP_DATA) || is_type(packet, layer, RMPP_ACK));
}

static bool derive_data_2(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_word(packet, layer, value, 8, !is_type(packet, layer, RMPP_DATA) && !is_type(packet, layer, RMPP_ACK));
}

static bool derive_payload_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_word(packet, layer, value, 8, is_type(packet, layer, RMPP_DATA));
}

static bool derive_window(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_word(packet, layer, value, 8, is_type(packet, layer, RMPP_ACK));
}

/* The protocol after the header, if the header was captured completely. */
static bool derive_after(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, bool is_there)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + RMPP_LENGTH, RMPP_SEGMENT_LENGTH };
	return is_there && packet->sources[layer->source].captured - layer->offset >= RMPP_LENGTH + RMPP_SEGMENT_LENGTH;
}

static bool derive_transferred(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return layer->length == RMPP_LENGTH && derive_after(packet, layer, value, is_type(packet, layer, RMPP_DATA));
}

static bool derive_error_data(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return layer->length == RMPP_LENGTH &&
	       derive_after(packet, layer, value, is_type(packet, layer, RMPP_STOP) || is_type(packet, layer, RMPP_ABORT));
}

static bool derive_whole(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer), RMPP_LENGTH };
	return layer->length == RMPP_LENGTH;
}

static const struct rtap_field rmpp_fields[] = {
	{ "infiniband.rmpp", "RMPP", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_whole, NULL },
	{ "infiniband.rmpp.rmppversion", "RMPP Version", RMPP_VERSION, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.rmpp.rmpptype", "RMPP Type", RMPP_TYPE, RTAP_HEX, 0, type_names, NULL, NULL },
	{ "infiniband.rmpp.rresptime", "R Resp Time", RMPP_RESPONSE_TIME, RTAP_HEX, RTAP_COMPARED, NULL, NULL, NULL },
	{ "infiniband.rmpp.rmppflags", "RMPP Flags", RMPP_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "infiniband.rmpp.last", "Last", RMPP_FLAG_LAST_BIT, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "infiniband.rmpp.first", "First", RMPP_FLAG_FIRST_BIT, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "infiniband.rmpp.active", "Active", RMPP_FLAG_ACTIVE_BIT, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "infiniband.rmpp.rmppstatus", "RMPP Status", RMPP_STATUS, RTAP_HEX, 0, status_names, NULL, "13.6.2.1" },
	{ "infiniband.rmpp.data1", "RMPP Data 1", RMPP_DATA_1, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_data_1, NULL },
	{ "infiniband.rmpp.segmentnumber", "Segment Number", RMPP_DATA_1, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_segment, NULL },
	{ "infiniband.rmpp.data2", "RMPP Data 2", RMPP_DATA_2, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_data_2, NULL },
	{ "infiniband.rmpp.payloadlength", "Payload Length", RMPP_DATA_2, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_payload_length, NULL },
	{ "infiniband.rmpp.newwindowlast", "New Window Last", RMPP_DATA_2, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_window, NULL },
	{ "infiniband.rmpp.transferreddata", "Transferred Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_transferred, NULL },
	{ "infiniband.rmpp.extendederrordata", "Optional Extended Error Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL,
	  derive_error_data, NULL },
};

/* 13.6.2.2: the last segment gives the number of its bytes, with those of the class header. */
static void check_length(struct parse *parse, uint32_t header_offset)
{
	const struct rtap_mad_facts *facts = &parse->packet->mad;
	uint32_t least = facts->management_class == MAD_CLASS_ADMINISTRATION ? SA_HEADER_LENGTH : VENDOR_LENGTH;

	if (!facts->rmpp || facts->rmpp_type != RMPP_DATA || !(facts->rmpp_flags & RMPP_FLAG_LAST))
		return;
	if (facts->rmpp_length > RMPP_SEGMENT_LENGTH)
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_BEYOND_PLACE, header_offset + RMPP_LENGTH_AT);
	else if (facts->rmpp_length < least)
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, header_offset + RMPP_LENGTH_AT);
}

static enum result parse_rmpp(struct parse *parse)
{
	struct rtap_mad_facts *facts = &parse->packet->mad;
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_RMPP, RMPP_LENGTH, &header);

	if (result != OK)
		return result;
	/* 13.6.2: without the Active flag the header has no meaning */
	facts->rmpp = bits(header, RMPP_FLAG_ACTIVE_BIT) && bits(header, RMPP_TYPE) != RMPP_NOT_USED;
	facts->rmpp_type = (uint8_t)bits(header, RMPP_TYPE);
	facts->rmpp_flags = (uint8_t)bits(header, RMPP_FLAGS);
	facts->rmpp_status = (uint8_t)bits(header, RMPP_STATUS);
	facts->rmpp_segment = (uint32_t)bits(header, RMPP_DATA_1);
	facts->rmpp_length = (uint32_t)bits(header, RMPP_DATA_2);
	check_length(parse, parse_offset(parse) - RMPP_LENGTH);
	/* nothing follows an ACK; readable text follows STOP and ABORT. 13.6.2.3 to 13.6.2.5. */
	if (facts->rmpp && facts->rmpp_type != RMPP_DATA)
		parse->next = PROTOCOL_NONE;
	else
		parse->next = facts->management_class == MAD_CLASS_ADMINISTRATION ? PROTOCOL_SA : PROTOCOL_MAD_VENDOR;
	return OK;
}

static void summary_rmpp(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_mad_facts *mad = &packet->mad;
	const char *name = rtap_name_of(type_names, mad->rmpp_type);

	if (layer->length < RMPP_LENGTH || !mad->rmpp)
		return;
	line_text(line, " RMPP ");
	if (name)
		line_text(line, name);
	else
		line_hex(line, mad->rmpp_type, 2);
	if (mad->rmpp_type == RMPP_DATA || mad->rmpp_type == RMPP_ACK) {
		char *begin = line->next;

		line_text(line, " segment ");
		line_dec(line, mad->rmpp_segment);
		line_spare(line, begin, LINE_SPARE_LAST);
	} else {
		line_text(line, " status ");
		line_dec(line, mad->rmpp_status);
	}
	if (mad->rmpp_flags & RMPP_FLAG_LAST)
		line_text(line, " last");
}

const struct protocol rmpp_protocol = {
	.table = { "infiniband.rmpp", "Reliable Multi-Packet Transaction Protocol", "IBTA vol. 1, 13.6.2", RMPP_LENGTH, FIELDS(rmpp_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse_rmpp,
	.summary = summary_rmpp,
};

/* A vendor class with an OUI. 16.5.1. */
#define VENDOR_RESERVED 0, 8
#define VENDOR_OUI 8, 24

static const struct rtap_field vendor_fields[] = {
	{ "infiniband.mad.vendor.reserved", "Reserved", VENDOR_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.vendor.oui", "OUI", VENDOR_OUI, RTAP_HEX, 0, NULL, NULL, NULL },
};

static enum result parse_vendor(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_MAD_VENDOR, VENDOR_LENGTH, &header);

	if (result != OK)
		return result;
	packet->mad.source = parse->source;
	packet->mad.data_offset = parse_offset(parse);
	packet->mad.data_captured = parse->cursor.captured;
	if (parse->context->records.bytes && !parse_enter(parse, parse->context->records))
		return OK;
	parse->next = PROTOCOL_PAYLOAD;
	return OK;
}

static void summary_vendor(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length < VENDOR_LENGTH)
		return;
	line_text(line, " oui ");
	line_hex(line, bits(layer_bytes(packet, layer), VENDOR_OUI), 6);
}

const struct protocol mad_vendor_protocol = {
	.table = { "infiniband.mad.vendor", "Vendor's Management Class", "IBTA vol. 1, 16.5.1", VENDOR_LENGTH, FIELDS(vendor_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse_vendor,
	.summary = summary_vendor,
};
