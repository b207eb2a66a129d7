/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management classes whose header is small: performance, device and baseboard management, SNMP tunnelling. IBTA vol. 1, chapter 16.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"
#include "dissect/engine/parse.h"

#define DATA_LENGTH 192 /* that all of them leave for the attribute */

static enum result parse_header(struct parse *parse, uint16_t protocol)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, protocol, protocol_by_number(protocol)->table.length, &header);

	if (result == OK)
		mad_take_data(parse, DATA_LENGTH);
	return result;
}

static enum result parse_performance(struct parse *parse)
{
	return parse_header(parse, PROTOCOL_MAD_PERFORMANCE);
}

static const struct rtap_field performance_fields[] = {
	{ "infiniband.mad.performance.reserved", "Reserved", 0, 320, RTAP_BYTES, 0, NULL, NULL, NULL },
};

const struct protocol mad_performance_protocol = {
	.table = { "infiniband.mad.performance", "Performance Management", "IBTA vol. 1, 16.1.1", 40, FIELDS(performance_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse_performance,
};

static enum result parse_device(struct parse *parse)
{
	return parse_header(parse, PROTOCOL_MAD_DEVICE);
}

static const struct rtap_field device_fields[] = {
	{ "infiniband.mad.device.reserved", "Reserved", 0, 320, RTAP_BYTES, 0, NULL, NULL, NULL },
};

const struct protocol mad_device_protocol = {
	.table = { "infiniband.mad.device", "Device Management", "IBTA vol. 1, 16.3.1", 40, FIELDS(device_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse_device,
};

static enum result parse_baseboard(struct parse *parse)
{
	return parse_header(parse, PROTOCOL_MAD_BASEBOARD);
}

static const struct rtap_field baseboard_fields[] = {
	{ "infiniband.mad.baseboard.b_key", "B_Key", 0, 64, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.baseboard.reserved", "Reserved", 64, 256, RTAP_BYTES, 0, NULL, NULL, NULL },
};

const struct protocol mad_baseboard_protocol = {
	.table = { "infiniband.mad.baseboard", "Baseboard Management", "IBTA vol. 1, 16.2.1", 40, FIELDS(baseboard_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse_baseboard,
};

static enum result parse_snmp(struct parse *parse)
{
	return parse_header(parse, PROTOCOL_MAD_SNMP);
}

static const struct rtap_field snmp_fields[] = {
	{ "infiniband.mad.snmp.reserved", "Reserved", 0, 256, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "infiniband.mad.snmp.raddress", "RAddress", 256, 32, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.mad.snmp.payloadlength", "PayloadLength", 288, 8, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.mad.snmp.segmentnumber", "SegmentNumber", 296, 8, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.mad.snmp.sourcelid", "SourceLID", 304, 16, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
};

const struct protocol mad_snmp_protocol = {
	.table = { "infiniband.mad.snmp", "SNMP Tunneling", "IBTA vol. 1, 16.4.1", 40, FIELDS(snmp_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse_snmp,
};
