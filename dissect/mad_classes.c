/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management classes whose header is small: performance, device and baseboard management, SNMP tunnelling. IBTA vol. 1, chapter 16.
 */
#include "config.h"

#include "dissect/mad.h"
#include "dissect/parse.h"

#define DATA_LENGTH 192 /* that all of them leave for the attribute */

const struct mad_attribute mad_shared_attributes[] = {
	{ 0x0001, 72, "ClassPortInfo", { { PROTOCOL_CLASS_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

/* Behind those that are messages, 12.10: the suggestion of an alternate path, and the response to it */
const struct mad_attribute mad_communication_attributes[] = {
	{ 0x0001, 72, "ClassPortInfo", { { PROTOCOL_CLASS_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x001b, 0, "SAP", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0x001c, 0, "SPR", { { 0, 0, 0 } }, NULL, NULL, 0 },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

/* 16.1.2, table 209; the optional ones: 16.1.4 */
const struct mad_attribute mad_performance_attributes[] = {
	{ 0x0001, 72, "ClassPortInfo", { { PROTOCOL_CLASS_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0010, 80, "PortSamplesControl", { { PROTOCOL_PORT_SAMPLES_CONTROL, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0011, 64, "PortSamplesResult", { { PROTOCOL_PORT_SAMPLES_RESULT, 1, 0 }, { PROTOCOL_PORT_SAMPLE_COUNTER, 15, 4 } },
	  NULL, NULL, 0 },
	{ 0x0012, 44, "PortCounters", { { PROTOCOL_PORT_COUNTERS, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0015, 16, "PortRcvErrorDetails", { { PROTOCOL_PORT_RCV_ERROR_DETAILS, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0016, 12, "PortXmitDiscardDetails", { { PROTOCOL_PORT_XMIT_DISCARD_DETAILS, 1, 0 } }, NULL, NULL, 0 },
	{ 0x001d, 72, "PortCountersExtended", { { PROTOCOL_PORT_COUNTERS_EXTENDED, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0036, 68, "PortXmitDataSL", { { PROTOCOL_PORT_DATA_SL, 1, 0 }, { PROTOCOL_PORT_XMIT_DATA_SL, 16, 4 } }, NULL, NULL, 0 },
	{ 0x0037, 68, "PortRcvDataSL", { { PROTOCOL_PORT_DATA_SL, 1, 0 }, { PROTOCOL_PORT_RCV_DATA_SL, 16, 4 } }, NULL, NULL, 0 },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

/* 16.3.3 */
const struct mad_attribute mad_device_attributes[] = {
	{ 0x0001, 72, "ClassPortInfo", { { PROTOCOL_CLASS_PORT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0002, 80, "Notice", { { PROTOCOL_NOTICE, 1, 0 }, { PROTOCOL_NOTICE_ISSUER, 1, 64 } }, NULL, NULL, 0 },
	{ 0x0010, 132, "IOUnitInfo", { { PROTOCOL_IO_UNIT_INFO, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0011, 128, "IOControllerProfile", { { PROTOCOL_IO_CONTROLLER_PROFILE, 1, 0 } }, NULL, NULL, 0 },
	{ 0x0012, 192, "ServiceEntries", { { PROTOCOL_SERVICE_ENTRY, 4, 0 } }, NULL, NULL, 0 },
	{ 0, 0, NULL, { { 0, 0, 0 } }, NULL, NULL, 0 },
};

static enum result parse_header(struct parse *parse, uint8_t protocol)
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
	{ "infiniband.mad.snmp.sourcelid", "SourceLID", 304, 16, RTAP_HEX, 0, NULL, NULL, NULL },
};

const struct protocol mad_snmp_protocol = {
	.table = { "infiniband.mad.snmp", "SNMP Tunneling", "IBTA vol. 1, 16.4.1", 40, FIELDS(snmp_fields) },
	.parse = parse_snmp,
};
