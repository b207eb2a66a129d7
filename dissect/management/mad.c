/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams: the header that all classes share. IBTA vol. 1, 13.4.3.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/management/cm.h"
#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"
#include "dissect/management/mad_registry.h"
#include "dissect/engine/parse.h"

#define MAD_BASE_VERSION 0, 8
#define MAD_CLASS 8, 8
#define MAD_CLASS_VERSION 16, 8
#define MAD_METHOD 24, 8
#define MAD_STATUS 32, 16
#define MAD_STATUS_CLASS 32, 8
#define MAD_STATUS_RESERVED 40, 3
#define MAD_STATUS_CODE 43, 3
#define MAD_STATUS_REDIRECT 46, 1
#define MAD_STATUS_BUSY 47, 1
#define MAD_DIRECTION 32, 1
#define MAD_DIRECTED_STATUS 33, 15
#define MAD_CLASS_SPECIFIC 48, 16
#define MAD_HOP_POINTER 48, 8
#define MAD_HOP_COUNT 56, 8
#define MAD_TRANSACTION_ID 64, 64
#define MAD_ATTRIBUTE_ID 128, 16
#define MAD_RESERVED 144, 16
#define MAD_ATTRIBUTE_MODIFIER 160, 32

#define DIRECTION_BIT 0x8000

static const struct rtap_name class_names[] = {
	{ MAD_CLASS_SUBNET, "Subnet management, LID routed" },
	{ MAD_CLASS_ADMINISTRATION, "Subnet administration" },
	{ MAD_CLASS_PERFORMANCE, "Performance management" },
	{ MAD_CLASS_BASEBOARD, "Baseboard management" },
	{ MAD_CLASS_DEVICE, "Device management" },
	{ MAD_CLASS_COMMUNICATION, "Communication management" },
	{ MAD_CLASS_SNMP, "SNMP tunneling" },
	{ 0x09, "Vendor 0x09" }, { 0x0a, "Vendor 0x0a" }, { 0x0b, "Vendor 0x0b" }, { 0x0c, "Vendor 0x0c" },
	{ 0x0d, "Vendor 0x0d" }, { 0x0e, "Vendor 0x0e" }, { 0x0f, "Vendor 0x0f" },
	{ 0x10, "Device administration" },
	{ 0x11, "Boot management" },
	{ 0x12, "BIS" },
	{ MAD_CLASS_CONGESTION, "Congestion control" },
	{ MAD_CLASS_SUBNET_DIRECTED, "Subnet management, directed route" },
	{ 0, NULL },
};

/* IBTA vol. 1, 13.4.5, table 110; 15.2.2; the most significant bit marks a response */
static const struct rtap_name method_names[] = {
	{ 0x01, "Get" }, { 0x02, "Set" }, { 0x03, "Send" }, { 0x05, "Trap" }, { 0x06, "Report" }, { 0x07, "TrapRepress" },
	{ 0x12, "GetTable" }, { 0x13, "GetTraceTable" }, { 0x14, "GetMulti" }, { 0x15, "Delete" },
	{ 0x81, "GetResp" }, { 0x86, "ReportResp" }, { 0x92, "GetTableResp" }, { 0x94, "GetMultiResp" }, { 0x95, "DeleteResp" },
	{ 0, NULL },
};

/* IBTA vol. 1, 13.4.7, table 113 */
static const struct rtap_name code_names[] = {
	{ 0, "valid" },
	{ 1, "base or class version not supported" },
	{ 2, "method not supported" },
	{ 3, "combination of method and attribute not supported" },
	{ 7, "invalid value in the attribute or its modifier" },
	{ 0, NULL },
};

/* IBTA vol. 1, 15.2.3, table 187 */
static const struct rtap_name administration_status_names[] = {
	{ 1, "no resources" }, { 2, "invalid request" }, { 3, "no records" }, { 4, "too many records" }, { 5, "invalid GID" },
	{ 6, "insufficient components" }, { 7, "request denied" }, { 8, "priority suggested" }, { 0, NULL },
};

/* IBTA vol. 1, A10.4.2.1; 16.3.2 */
static const struct rtap_name device_status_names[] = {
	{ 1, "no response" }, { 2, "no service entries" }, { 0x80, "I/O controller failure" }, { 0, NULL },
};

const char *mad_class_name(uint8_t management_class)
{
	return rtap_name_of(class_names, management_class);
}

const char *mad_method_name(uint8_t method)
{
	return rtap_name_of(method_names, method);
}

const char *mad_status_name(const struct rtap_mad_facts *facts)
{
	uint8_t own = (uint8_t)(facts->status >> 8), code = facts->status >> 2 & 7;
	const char *name = NULL;

	if (own && facts->management_class == MAD_CLASS_ADMINISTRATION)
		name = rtap_name_of(administration_status_names, own);
	else if (own && facts->management_class == MAD_CLASS_DEVICE)
		name = rtap_name_of(device_status_names, own);
	if (!name && code)
		name = rtap_name_of(code_names, code);
	if (!name && facts->status & 1)
		name = "busy";
	if (!name && facts->status & 2)
		name = "redirect required";
	return name;
}

const char *mad_attribute_name(const struct rtap_mad_facts *facts)
{
	const struct mad_attribute *attribute;

	if (facts->management_class == MAD_CLASS_COMMUNICATION && cm_message_name(facts->attribute))
		return cm_message_name(facts->attribute);
	attribute = mad_attribute_of(facts);
	return attribute ? attribute->name : NULL;
}

static bool is_directed(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return layer->length >= 2 && bits(layer_bytes(packet, layer), MAD_CLASS) == MAD_CLASS_SUBNET_DIRECTED;
}

static bool derive_class_status(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), MAD_STATUS_CLASS);
	return !is_directed(packet, layer);
}

static bool derive_direction(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), MAD_DIRECTION);
	return is_directed(packet, layer);
}

static bool derive_directed_status(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = layer->length >= 6 ? bits(layer_bytes(packet, layer), MAD_DIRECTED_STATUS) : 0;
	return layer->length >= 6 && is_directed(packet, layer);
}

static bool derive_hop_pointer(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = layer->length >= 8 ? bits(layer_bytes(packet, layer), MAD_HOP_POINTER) : 0;
	return layer->length >= 8 && is_directed(packet, layer);
}

static bool derive_hop_count(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = layer->length >= 8 ? bits(layer_bytes(packet, layer), MAD_HOP_COUNT) : 0;
	return layer->length >= 8 && is_directed(packet, layer);
}

static bool derive_text(const char *text, struct rtap_value *value)
{
	if (text)
		value->data = (struct rtap_span){ (const uint8_t *)text, (uint32_t)strlen(text) };
	return text;
}

static bool derive_status_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return layer->length == MAD_HEADER_LENGTH && packet->mad.status && derive_text(mad_status_name(&packet->mad), value);
}

static bool derive_attribute_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return layer->length == MAD_HEADER_LENGTH && derive_text(mad_attribute_name(&packet->mad), value);
}

/* Bytes of the MAD from `at` on, if all of it was captured. */
static bool derive_bytes(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + at, MAD_LENGTH - at };
	return packet->sources[layer->source].captured - layer->offset >= MAD_LENGTH;
}

static bool derive_whole(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_bytes(packet, layer, value, 0);
}

static bool derive_data(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_bytes(packet, layer, value, MAD_HEADER_LENGTH);
}

static const struct rtap_field mad_fields[] = {
	{ "infiniband.mad", "Management Datagram", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_whole, NULL },
	{ "infiniband.mad.baseversion", "Base Version", MAD_BASE_VERSION, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.mgmtclass", "Management Class", MAD_CLASS, RTAP_HEX, 0, class_names, NULL, "13.4.4" },
	{ "infiniband.mad.classversion", "Class Version", MAD_CLASS_VERSION, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.method", "Method", MAD_METHOD, RTAP_HEX, 0, method_names, NULL, "13.4.5" },
	{ "infiniband.mad.status", "Status", MAD_STATUS, RTAP_HEX, RTAP_PARTS, NULL, NULL, "13.4.7" },
	{ "infiniband.smpdirected.d", "D (Direction Bit)", MAD_DIRECTION, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_direction, "14.2.1.2" },
	{ "infiniband.smpdirected.smpstatus", "SMP Status", 0, 15, RTAP_HEX, RTAP_UNPLACED, NULL, derive_directed_status,
	  "14.2.1.2" },
	{ "infiniband.mad.status.class", "Class Specific Status", MAD_STATUS_CLASS, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_class_status, "13.4.7" },
	{ "infiniband.mad.status.reserved", "Reserved", MAD_STATUS_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.status.code", "Invalid Field Code", MAD_STATUS_CODE, RTAP_HEX, 0, code_names, NULL, "13.4.7" },
	{ "infiniband.mad.status.redirect", "Redirect Required", MAD_STATUS_REDIRECT, RTAP_BOOL, 0, NULL, NULL, "13.4.7" },
	{ "infiniband.mad.status.busy", "Busy", MAD_STATUS_BUSY, RTAP_BOOL, 0, NULL, NULL, "13.4.7" },
	{ "infiniband.mad.status.text", "Status Means", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_status_text, "13.4.7" },
	{ "infiniband.mad.classspecific", "Class Specific", MAD_CLASS_SPECIFIC, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.smpdirected.hoppointer", "Hop Pointer", 0, 8, RTAP_HEX, RTAP_UNPLACED, NULL, derive_hop_pointer, "14.2.1.2" },
	{ "infiniband.smpdirected.hopcount", "Hop Count", 0, 8, RTAP_HEX, RTAP_UNPLACED, NULL, derive_hop_count, "14.2.1.2" },
	{ "infiniband.mad.transactionid", "Transaction ID", MAD_TRANSACTION_ID, RTAP_HEX, RTAP_IS_TID, NULL, NULL, NULL },
	{ "infiniband.mad.attributeid", "Attribute ID", MAD_ATTRIBUTE_ID, RTAP_HEX, RTAP_OPCODE, NULL, NULL, NULL },
	{ "infiniband.mad.attribute", "Attribute", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_attribute_text, NULL },
	{ "infiniband.mad.reserved", "Reserved", MAD_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.attributemodifier", "Attribute Modifier", MAD_ATTRIBUTE_MODIFIER, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.data", "MAD Data Payload", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_data, NULL },
};

/* The class's own header. */
static uint16_t class_protocol(uint8_t management_class)
{
	switch (management_class) {
	case MAD_CLASS_SUBNET: return PROTOCOL_SMP_LID;
	case MAD_CLASS_SUBNET_DIRECTED: return PROTOCOL_SMP_DIRECTED;
	case MAD_CLASS_ADMINISTRATION: return PROTOCOL_RMPP;
	case MAD_CLASS_PERFORMANCE: return PROTOCOL_MAD_PERFORMANCE;
	case MAD_CLASS_BASEBOARD: return PROTOCOL_MAD_BASEBOARD;
	case MAD_CLASS_DEVICE: return PROTOCOL_MAD_DEVICE;
	case MAD_CLASS_SNMP: return PROTOCOL_MAD_SNMP;
	case MAD_CLASS_CONGESTION: return PROTOCOL_CONGESTION_CONTROL;
	default:
		/* the classes of vendors that have an OUI have RMPP too. 16.5.1 */
		return management_class >= MAD_CLASS_VENDOR_OUI_FIRST && management_class <= MAD_CLASS_VENDOR_OUI_LAST ? PROTOCOL_RMPP :
	       PROTOCOL_NONE;
	}
}

static void note(struct rtap_mad_facts *facts, const uint8_t *header)
{
	facts->present = true;
	facts->management_class = (uint8_t)bits(header, MAD_CLASS);
	facts->class_version = (uint8_t)bits(header, MAD_CLASS_VERSION);
	facts->method = (uint8_t)bits(header, MAD_METHOD);
	facts->status = (uint16_t)bits(header, MAD_STATUS);
	if (facts->management_class == MAD_CLASS_SUBNET_DIRECTED)
		facts->status &= (uint16_t)~DIRECTION_BIT;
	facts->transaction_id = bits(header, MAD_TRANSACTION_ID);
	facts->attribute = (uint16_t)bits(header, MAD_ATTRIBUTE_ID);
	facts->modifier = (uint32_t)bits(header, MAD_ATTRIBUTE_MODIFIER);
}

static enum result parse(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_MAD, MAD_HEADER_LENGTH, &header);

	if (result != OK)
		return result;
	note(&packet->mad, header);
	if (!parse->cursor.wire)
		return OK;
	if (packet->mad.management_class != MAD_CLASS_COMMUNICATION) {
		parse->next = class_protocol(packet->mad.management_class);
		if (parse->next == PROTOCOL_NONE)
			parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	parse->next = cm_protocol(packet->mad.attribute);
	if (parse->next == PROTOCOL_NONE) {
		mad_take_data(parse, MAD_LENGTH - MAD_HEADER_LENGTH);
		return OK;
	}
	packet->cm.attribute = (uint8_t)packet->mad.attribute;
	packet->cm.transaction_id = packet->mad.transaction_id;
	return OK;
}

/* For the one-line text. IBTA vol. 1, 13.4.4; the others have no usual abbreviation. */
static const struct rtap_name short_names[] = {
	{ MAD_CLASS_SUBNET, "SMP" }, { MAD_CLASS_ADMINISTRATION, "SA" }, { MAD_CLASS_PERFORMANCE, "PM" }, { MAD_CLASS_DEVICE, "DM" },
	{ MAD_CLASS_CONGESTION, "CC" }, { MAD_CLASS_SUBNET_DIRECTED, "SMP DR" }, { 0, NULL },
};

static void summary_name(struct line *line, const char *name, uint64_t value, unsigned digits)
{
	if (name)
		line_text(line, name);
	else
		line_hex(line, value, digits);
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_mad_facts *mad = &packet->mad;
	const char *name;
	char *begin;

	/* messages of communication management speak for themselves */
	if (layer->length < MAD_HEADER_LENGTH || packet->cm.attribute)
		return;
	line_text(line, "MAD ");
	name = rtap_name_of(short_names, mad->management_class);
	summary_name(line, name ? name : mad_class_name(mad->management_class), mad->management_class, 2);
	line_char(line, ' ');
	summary_name(line, mad_method_name(mad->method), mad->method, 2);
	line_text(line, mad_attribute_name(mad) ? " " : " attribute ");
	summary_name(line, mad_attribute_name(mad), mad->attribute, 4);
	begin = line->next;
	line_text(line, " tid ");
	line_hex(line, mad->transaction_id, 1);
	line_spare(line, begin, LINE_SPARE_PARTS);
	if (mad->status) {
		line_text(line, " status ");
		line_hex(line, mad->status, 4);
		begin = line->next;
		if (mad_status_name(mad)) {
			line_text(line, " (");
			line_text(line, mad_status_name(mad));
			line_char(line, ')');
			line_spare(line, begin, LINE_SPARE_DETAIL);
		}
	}
}

const struct protocol mad_protocol = {
	.table = { "infiniband.mad", "Management Datagram", "IBTA vol. 1, 13.4.3", MAD_HEADER_LENGTH, FIELDS(mad_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse,
	.summary = summary,
};
