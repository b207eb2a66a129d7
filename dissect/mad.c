/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams: the header that all classes share. IBTA vol. 1, 13.4.3.
 */
#include "config.h"

#include "dissect/cm.h"

#define MAD_LENGTH 24
#define MAD_BASE_VERSION 0, 8
#define MAD_CLASS 8, 8
#define MAD_CLASS_VERSION 16, 8
#define MAD_METHOD 24, 8
#define MAD_STATUS 32, 16
#define MAD_CLASS_SPECIFIC 48, 16
#define MAD_TRANSACTION_ID 64, 64
#define MAD_ATTRIBUTE_ID 128, 16
#define MAD_RESERVED 144, 16
#define MAD_ATTRIBUTE_MODIFIER 160, 32

#define CLASS_COMMUNICATION 0x07
#define CLASS_DIRECTED_ROUTE 0x81

static const struct rtap_name class_names[] = {
	{ 0x01, "Subnet management, LID routed" },
	{ 0x03, "Subnet administration" },
	{ 0x04, "Performance management" },
	{ 0x05, "Baseboard management" },
	{ 0x06, "Device management" },
	{ CLASS_COMMUNICATION, "Communication management" },
	{ 0x08, "SNMP tunneling" },
	{ 0x10, "Device administration" },
	{ 0x11, "Boot management" },
	{ 0x12, "BIS" },
	{ 0x21, "Congestion control" },
	{ CLASS_DIRECTED_ROUTE, "Subnet management, directed route" },
	{ 0, NULL },
};

/* IBTA vol. 1, 13.4.5, table 110; the top bit tells a response */
static const struct rtap_name method_names[] = {
	{ 0x01, "Get" }, { 0x02, "Set" }, { 0x03, "Send" }, { 0x05, "Trap" }, { 0x06, "Report" }, { 0x07, "TrapRepress" },
	{ 0x12, "GetTable" }, { 0x13, "GetTraceTable" }, { 0x14, "GetMulti" }, { 0x15, "Delete" },
	{ 0x81, "GetResp" }, { 0x86, "ReportResp" }, { 0x92, "GetTableResp" }, { 0x94, "GetMultiResp" }, { 0x95, "DeleteResp" },
	{ 0, NULL },
};

static const struct rtap_field mad_fields[] = {
	{ "infiniband.mad.baseversion", "Base Version", MAD_BASE_VERSION, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.mgmtclass", "Management Class", MAD_CLASS, RTAP_HEX, 0, class_names, NULL, NULL },
	{ "infiniband.mad.classversion", "Class Version", MAD_CLASS_VERSION, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.method", "Method", MAD_METHOD, RTAP_HEX, 0, method_names, NULL, NULL },
	{ "infiniband.mad.status", "Status", MAD_STATUS, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.classspecific", "Class Specific", MAD_CLASS_SPECIFIC, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.transactionid", "Transaction ID", MAD_TRANSACTION_ID, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.attributeid", "Attribute ID", MAD_ATTRIBUTE_ID, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.reserved", "Reserved", MAD_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.attributemodifier", "Attribute Modifier", MAD_ATTRIBUTE_MODIFIER, RTAP_HEX, 0, NULL, NULL, NULL },
};

static enum result parse(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_MAD, MAD_LENGTH, &header);

	if (result != OK || !parse->cursor.wire)
		return result;
	if (bits(header, MAD_CLASS) == CLASS_COMMUNICATION)
		parse->next = cm_protocol(bits(header, MAD_ATTRIBUTE_ID));
	if (parse->next == PROTOCOL_NONE) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	parse->packet->cm.attribute = (uint8_t)bits(header, MAD_ATTRIBUTE_ID);
	parse->packet->cm.transaction_id = bits(header, MAD_TRANSACTION_ID);
	return OK;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const char *class_name, *method_name;
	uint64_t status;

	/* messages of communication management speak for themselves */
	if (layer->length < MAD_LENGTH || packet->cm.attribute)
		return;
	class_name = rtap_name_of(class_names, bits(header, MAD_CLASS));
	method_name = rtap_name_of(method_names, bits(header, MAD_METHOD));
	line_text(line, ": MAD ");
	if (class_name)
		line_text(line, class_name);
	else
		line_hex(line, bits(header, MAD_CLASS), 2);
	line_char(line, ' ');
	if (method_name)
		line_text(line, method_name);
	else
		line_hex(line, bits(header, MAD_METHOD), 2);
	line_text(line, ", attribute ");
	line_hex(line, bits(header, MAD_ATTRIBUTE_ID), 4);
	line_text(line, ", tid ");
	line_hex(line, bits(header, MAD_TRANSACTION_ID), 16);
	status = bits(header, MAD_STATUS);
	/* a directed-route SMP has its direction there. IBTA vol. 1, 14.2.1.2 */
	if (bits(header, MAD_CLASS) == CLASS_DIRECTED_ROUTE)
		status &= 0x7fff;
	if (status) {
		line_text(line, ", status ");
		line_hex(line, status, 4);
	}
}

const struct protocol mad_protocol = {
	.table = { "infiniband.mad", "Management Datagram", "IBTA vol. 1, 13.4.3", MAD_LENGTH, FIELDS(mad_fields) },
	.parse = parse,
	.summary = summary,
};
