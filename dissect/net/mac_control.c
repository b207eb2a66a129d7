/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MAC control: PAUSE and priority-based flow control (PFC), with which a receiver pauses its neighbour so that RoCE packets are not
 * dropped. IEEE 802.3, clause 31 and annexes 31A, 31B, 31D. A time is in quanta of 512 bit times of the link.
 */
#include "config.h"

#include "dissect/engine/parse.h"

#define OPCODE_LENGTH 2
#define OPCODE 0, 16
#define OPCODE_PAUSE 0x0001
#define OPCODE_PFC 0x0101

#define PAUSE_LENGTH 2
#define PAUSE_TIME 0, 16

#define PRIORITIES 8
#define PFC_LENGTH (2 + 2 * PRIORITIES)
#define PFC_VECTOR 0, 16
#define PFC_RESERVED 0, 8
#define PFC_ENABLED(priority) 15 - (priority), 1
#define PFC_TIME(priority) 16 + 16 * (priority), 16

/* Annex 31A, table 31A-1; names of the multipoint ones from clause 64 */
static const struct rtap_name opcode_names[] = {
	{ OPCODE_PAUSE, "PAUSE" }, { 0x0002, "GATE" }, { 0x0003, "REPORT" }, { 0x0004, "REGISTER_REQ" }, { 0x0005, "REGISTER" },
	{ 0x0006, "REGISTER_ACK" }, { OPCODE_PFC, "PFC" }, { 0xfffe, "EXTENSION" }, { 0, NULL },
};

static const struct rtap_field opcode_fields[] = {
	{ "macc.opcode", "Opcode", OPCODE, RTAP_HEX, 0, opcode_names, NULL, NULL },
};

static const struct rtap_field pause_fields[] = {
	{ "macc.pause_time", "Time (quanta)", PAUSE_TIME, RTAP_DEC, 0, NULL, NULL, NULL },
};

#define ENABLED_FIELD(priority) \
	{ "macc.cbfc.enbv.c" #priority, "Priority " #priority, PFC_ENABLED(priority), RTAP_BOOL, 0, NULL, NULL, NULL }
#define TIME_FIELD(priority) \
	{ "macc.cbfc.pause_time.c" #priority, "Time of Priority " #priority " (quanta)", PFC_TIME(priority), RTAP_DEC, 0, NULL, NULL, NULL }

static const struct rtap_field pfc_fields[] = {
	{ "macc.cbfc.enbv", "Priority Enable Vector", PFC_VECTOR, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "macc.cbfc.enbv.reserved", "Reserved", PFC_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	ENABLED_FIELD(7), ENABLED_FIELD(6), ENABLED_FIELD(5), ENABLED_FIELD(4),
	ENABLED_FIELD(3), ENABLED_FIELD(2), ENABLED_FIELD(1), ENABLED_FIELD(0),
	TIME_FIELD(0), TIME_FIELD(1), TIME_FIELD(2), TIME_FIELD(3), TIME_FIELD(4), TIME_FIELD(5), TIME_FIELD(6), TIME_FIELD(7),
};

static enum result parse_opcode(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_MAC_CONTROL, OPCODE_LENGTH, &header);

	if (result != OK)
		return result;
	switch (bits(header, OPCODE)) {
	case OPCODE_PAUSE: parse->next = PROTOCOL_PAUSE; break;
	case OPCODE_PFC: parse->next = PROTOCOL_PFC; break;
	default: parse->next = PROTOCOL_PAYLOAD;
	}
	return OK;
}

/* The bytes after the parameters are padding and become the trailer. */
static enum result parse_parameters(struct parse *parse, uint16_t protocol, uint32_t length)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, protocol, length, &header);

	if (result == OK)
		parse_narrow(parse, 0, parse_offset(parse));
	return result;
}

static enum result parse_pause(struct parse *parse)
{
	return parse_parameters(parse, PROTOCOL_PAUSE, PAUSE_LENGTH);
}

static enum result parse_pfc(struct parse *parse)
{
	return parse_parameters(parse, PROTOCOL_PFC, PFC_LENGTH);
}

static void opcode_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	uint64_t opcode;
	const char *name;

	line_text(line, "MAC control");
	if (layer->length < OPCODE_LENGTH)
		return;
	opcode = bits(layer_bytes(packet, layer), OPCODE);
	name = rtap_name_of(opcode_names, opcode);
	line_char(line, ' ');
	if (name)
		line_text(line, name);
	else
		line_hex(line, opcode, 4);
}

static void quanta(struct line *line, uint64_t time)
{
	if (!time) {
		line_text(line, " resume");
		return;
	}
	line_char(line, ' ');
	line_dec(line, time);
	line_text(line, time == 1 ? " quantum" : " quanta");
}

static void pause_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length == PAUSE_LENGTH)
		quanta(line, bits(layer_bytes(packet, layer), PAUSE_TIME));
}

/* The last of the priorities from `first` on that are enabled and have its time. */
static unsigned last_alike(const uint8_t *header, unsigned first)
{
	unsigned last = first;

	while (last + 1 < PRIORITIES && bits(header, PFC_ENABLED(last + 1)) && bits(header, PFC_TIME(last + 1)) == bits(header, PFC_TIME(first)))
		last++;
	return last;
}

/* " priorities 0 to 6: resume, priority 7: 65535 quanta" */
static void pfc_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	bool any = false;

	if (layer->length < PFC_LENGTH)
		return;
	for (unsigned priority = 0, last; priority < PRIORITIES; priority = last + 1) {
		last = priority;
		if (!bits(header, PFC_ENABLED(priority)))
			continue;
		last = last_alike(header, priority);
		line_text(line, any ? ", " : " ");
		line_text(line, last > priority ? "priorities " : "priority ");
		line_dec(line, priority);
		if (last > priority) {
			line_text(line, " to ");
			line_dec(line, last);
		}
		line_char(line, ':');
		quanta(line, bits(header, PFC_TIME(priority)));
		any = true;
	}
	if (!any)
		line_text(line, " no priority");
}

const struct protocol mac_control_protocol = {
	.table = { "macc", "MAC Control", "IEEE 802.3, annex 31A", OPCODE_LENGTH, FIELDS(opcode_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_opcode,
	.summary = opcode_summary,
};

const struct protocol pause_protocol = {
	.table = { "macc.pause", "PAUSE", "IEEE 802.3, annex 31B", PAUSE_LENGTH, FIELDS(pause_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_pause,
	.summary = pause_summary,
};

const struct protocol pfc_protocol = {
	.table = { "macc.cbfc", "Priority-based Flow Control", "IEEE 802.3, annex 31D", PFC_LENGTH, FIELDS(pfc_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_pfc,
	.summary = pfc_summary,
};
