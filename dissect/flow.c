/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts about a packet that depend on the packets before it, as fields.
 */
#include "config.h"

#include <rdmatap/message.h>

#include "dissect/flow.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/protocol.h"

#define DERIVE(name, condition, expression) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		(void)layer; \
		if (!(condition)) \
			return false; \
		value->number = (uint64_t)(expression); \
		return true; \
	}

static bool set_text(struct rtap_value *value, const char *text)
{
	value->data = (struct rtap_span){ (const uint8_t *)text, (uint32_t)strlen(text) };
	return true;
}

static const char *const analysis_names[] = {
#define ANALYSIS_NAME(identifier, name) name,
	RTAP_PSN_ANALYSES(ANALYSIS_NAME)
#undef ANALYSIS_NAME
};

const char *flow_analysis_name(uint8_t analysis)
{
	return analysis ? analysis_names[analysis] : NULL;
}

static bool derive_analysis(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	return packet->flow.analysis != RTAP_PSN_NONE && set_text(value, analysis_names[packet->flow.analysis]);
}

static const char *const recovery_names[] = {
#define RECOVERY_NAME(identifier, name) name,
	RTAP_RECOVERIES(RECOVERY_NAME)
#undef RECOVERY_NAME
};

const char *flow_recovery_name(uint8_t cause)
{
	return recovery_names[cause];
}

static bool derive_recovery(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	return packet->flow.recovery && set_text(value, recovery_names[packet->flow.recovery]);
}

static bool derive_verb(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	return packet->flow.completes && set_text(value, rtap_verb_name((enum rtap_verb)packet->flow.verb));
}

static bool derive_kind(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	return packet->flow.completes && set_text(value, rtap_message_kind_name((enum rtap_message_kind)packet->flow.kind));
}

DERIVE(connection, packet->flow.connection, packet->flow.connection)
DERIVE(from_a, packet->flow.connection, packet->flow.from_a)
DERIVE(source_qpn, packet->flow.has_source_qpn, packet->flow.source_qpn)
DERIVE(missing, packet->flow.missing, packet->flow.missing)
DERIVE(differs, packet->flow.differs, 1)
DERIVE(first_frame, packet->flow.completes, packet->flow.message_first_frame)
DERIVE(frames, packet->flow.completes, packet->flow.message_frames)
DERIVE(length, packet->flow.completes, packet->flow.message_length)
DERIVE(request_frame, packet->flow.request_frame, packet->flow.request_frame)
DERIVE(latency, packet->flow.has_latency, packet->flow.latency_ns)
DERIVE(late_packets, packet->flow.late_packets, packet->flow.late_packets)
DERIVE(late_by, packet->flow.late_packets, packet->flow.late_ns)
DERIVE(time_lost, packet->flow.time_lost_ns, packet->flow.time_lost_ns)

static const struct rtap_field flow_fields[] = {
	{ "rdmatap.connection", "Connection", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_connection, NULL },
	{ "rdmatap.from_a", "From End A", 0, 1, RTAP_BOOL, RTAP_UNPLACED, NULL, derive_from_a, NULL },
	{ "rdmatap.srcqp", "Source Queue Pair", 0, 24, RTAP_HEX, RTAP_UNPLACED, NULL, derive_source_qpn, NULL },
	{ "rdmatap.psn.analysis", "Place in the Sequence", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_COMPARED, NULL, derive_analysis, NULL },
	{ "rdmatap.psn.missing", "PSNs not Seen Before It", 0, 32, RTAP_DEC, RTAP_UNPLACED | RTAP_COMPARED, NULL, derive_missing, NULL },
	{ "rdmatap.psn.differs", "Differs from What It Repeats", 0, 1, RTAP_BOOL, RTAP_UNPLACED | RTAP_COMPARED, NULL, derive_differs, NULL },
	{ "rdmatap.psn.late_packets", "Packets Since One Sent After It", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_late_packets, NULL },
	{ "rdmatap.psn.late_by", "Time Since One Sent After It", 0, 64, RTAP_SECONDS, RTAP_UNPLACED, NULL, derive_late_by, NULL },
	{ "rdmatap.recovery", "Begins a Recovery After", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_recovery, NULL },
	{ "rdmatap.time_lost", "Time Lost to the Recovery", 0, 64, RTAP_SECONDS, RTAP_UNPLACED, NULL, derive_time_lost, NULL },
	{ "rdmatap.message.kind", "Completes a Message", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_kind, NULL },
	{ "rdmatap.message.verb", "Verb", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_verb, NULL },
	{ "rdmatap.message.first_frame", "First Frame", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_first_frame, NULL },
	{ "rdmatap.message.frames", "Frames", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_frames, NULL },
	{ "rdmatap.message.length", "Length", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_length, NULL },
	{ "rdmatap.request_frame", "Answers the Request in Frame", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_request_frame, NULL },
	{ "rdmatap.latency", "Time Since the Request", 0, 64, RTAP_SECONDS, RTAP_UNPLACED, NULL, derive_latency, NULL },
};

/* Facts that every packet of a multi-packet message and every response has are shown by -V only. */
static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_flow_facts *flow = &packet->flow;
	char *begin;

	(void)layer;
	if (flow->analysis > RTAP_PSN_IN_ORDER) {
		line_text(line, " [");
		line_text(line, analysis_names[flow->analysis]);
		if (flow->missing) {
			line_text(line, ": ");
			line_dec(line, flow->missing);
			begin = line->next;
			line_text(line, " not seen");
			line_spare(line, begin, LINE_SPARE_LOWER);
		}
		line_char(line, ']');
	}
	if (flow->completes && flow->message_frames > 1) {
		begin = line->next;
		line_text(line, " [");
		line_dec(line, flow->message_length);
		line_text(line, " B from ");
		line_dec(line, flow->message_first_frame);
		line_char(line, ']');
		line_spare(line, begin, LINE_SPARE_PARTS);
	}
}

void flow_add_layer(struct rtap_packet *packet)
{
	if (!packet->flow.present && !packet->flow.completes && !packet->flow.analysis && !packet->flow.has_latency)
		return;
	if (packet->layer_count == RTAP_MAX_LAYERS)
		return;
	packet_add_layer(packet, PROTOCOL_FLOW, 0, 0, 0);
}

const struct protocol flow_protocol = {
	.table = { "rdmatap.flow", "Place in the Conversation", "-", 0, FIELDS(flow_fields) },
	.scope = SCOPE_CAPTURE,
	.summary = summary,
};
