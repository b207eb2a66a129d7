/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metadata of a frame as fields, and the anomalies of the whole packet.
 */
#include "config.h"

#include "dissect/net/erf.h"
#include "dissect/frame.h"
#include "dissect/protocol_list.h"
#include "dissect/rpc/rpc_body.h"
#include "dissect/engine/visit.h"

#define DERIVE(name, expression) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		(void)layer; \
		value->number = (uint64_t)(expression); \
		return true; \
	}

DERIVE(number, packet->frame->number)
DERIVE(relative, packet->frame->relative_ns)
DERIVE(delta, packet->frame->delta_ns)
DERIVE(interface, packet->frame->interface)
DERIVE(link_type, packet->frame->link_type)

static bool derive_displayed(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	value->number = (uint64_t)packet->frame->displayed_delta_ns;
	return packet->frame->is_displayed;
}

/* The lengths in an ERF record take precedence over those of the file's record. */
static struct erf_record record_of(const struct rtap_packet *packet)
{
	struct erf_record record;

	if (erf_record_of(packet, &record))
		return record;
	return (struct erf_record){ packet->frame->wire_length, packet->frame->captured_length };
}

DERIVE(epoch, packet->frame->time_ns)
DERIVE(length, record_of(packet).wire_length)
DERIVE(captured, record_of(packet).captured_length)

static const struct rtap_field frame_fields[] = {
	[FRAME_ROW_COMMENT] = { "frame.comment", "Comment", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	[FRAME_ROW_ANOMALY] = { "rdmatap.anomaly", "Anomaly", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	[FRAME_ROW_PROTOCOLS] = { "frame.protocols", "Protocols", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_ON_DEMAND, NULL, NULL, NULL },
	{ "frame.number", "Frame Number", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_number, NULL },
	{ "frame.time_epoch", "Epoch Time", 0, 64, RTAP_SECONDS, RTAP_UNPLACED, NULL, derive_epoch, NULL },
	{ "frame.time_relative", "Time Since First Frame", 0, 64, RTAP_SECONDS, RTAP_UNPLACED, NULL, derive_relative, NULL },
	{ "frame.time_delta", "Time Since Previous Frame", 0, 64, RTAP_SECONDS, RTAP_UNPLACED, NULL, derive_delta, NULL },
	{ "frame.len", "Length on the Wire", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_length, NULL },
	{ "frame.cap_len", "Captured Length", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_captured, NULL },
	{ "frame.interface_id", "Interface", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_interface, NULL },
	{ "frame.time_delta_displayed", "Time Since Previous Displayed Frame", 0, 64, RTAP_SECONDS, RTAP_UNPLACED | RTAP_ON_DEMAND, NULL,
	  derive_displayed, NULL },
	{ "rdmatap.link_type", "Link Type", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_link_type, NULL },
};

/* The packet's anomalies; if requested by name also those of bodies, which otherwise report them when they are visited. */
static void report_anomalies(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	uint32_t offset;

	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		visit_anomaly(visitor, layer, packet->anomalies[i].code, packet->anomalies[i].offset);
	if (!visitor->wanted || !visit_wants(visitor, protocol_field_id(PROTOCOL_FRAME, FRAME_ROW_ANOMALY)))
		return;
	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (rpc_body_is_malformed(packet, &packet->layers[i], &offset))
			visit_anomaly(visitor, &packet->layers[i], RTAP_ANOMALY_MALFORMED, offset);
}

static void list_protocols(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	char text[PROTOCOL_LIST_SIZE];
	struct rtap_value value = { 0 };
	struct line line;

	line_init(&line, text, sizeof text);
	protocol_list_put(packet, &line);
	value.data = (struct rtap_span){ (const uint8_t *)text, (uint32_t)(line.next - text) };
	visit_field(visitor, layer, PROTOCOL_FRAME, FRAME_ROW_PROTOCOLS, &value, 0, 0);
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	struct rtap_value value = { 0 };

	for (uint32_t i = 0; i < packet->frame->comment_count; i++) {
		value.data = packet->frame->comments[i];
		visit_field(visitor, layer, PROTOCOL_FRAME, FRAME_ROW_COMMENT, &value, 0, 0);
	}
	report_anomalies(packet, layer, visitor);
	if (visitor->wanted ? visit_wants(visitor, protocol_field_id(PROTOCOL_FRAME, FRAME_ROW_PROTOCOLS)) : visitor->on_demand)
		list_protocols(packet, layer, visitor);
}

const struct protocol frame_protocol = {
	.table = { "frame", "Frame", "-", 0, FIELDS(frame_fields) },
	.scope = SCOPE_CAPTURE,
	.visit = visit,
};
