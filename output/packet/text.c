/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/protocol.h"
#include "output/packet/colour.h"
#include "output/packet/hex.h"
#include "output/packet/text.h"
#include "output/packet/tree.h"
#include "output/packet/units.h"

/* Whether an anomaly is one of those before it, elsewhere in the packet. */
static bool is_repeated(const struct rtap_packet *packet, uint8_t anomaly)
{
	for (uint8_t i = 0; i < anomaly; i++)
		if (packet->anomalies[i].code == packet->anomalies[anomaly].code)
			return true;
	return false;
}

static void write_notes(const struct rtap_packet *packet, struct line *line)
{
	const struct rtap_frame *frame = packet->frame;
	bool is_truncated = false, is_first = packet->flow.analysis <= RTAP_PSN_IN_ORDER;
	char *more = NULL;

	for (uint8_t i = 0; i < packet->anomaly_count; i++) {
		is_truncated |= packet->anomalies[i].code == RTAP_ANOMALY_TRUNCATED;
		/* of a stream without its begin that would be in every line; it is counted at the end */
		if (is_repeated(packet, i) || packet->anomalies[i].code == RTAP_ANOMALY_FPDU_RECOVERED)
			continue;
		line_text(line, " [");
		/* of several notes, long lines have the first */
		if (!is_first && !more)
			more = line->next;
		is_first = false;
		line_text(line, rtap_anomaly_name((enum rtap_anomaly_code)packet->anomalies[i].code));
		line_char(line, ']');
	}
	if (more && !line->cut)
		line_spare_within(line, more, line->next - 1, LINE_SPARE_MORE);
	if (packet->anomalies_found > packet->anomaly_count) {
		line_text(line, " [and ");
		line_dec(line, packet->anomalies_found - packet->anomaly_count);
		line_text(line, " more]");
	}
	if (frame->captured_length < frame->wire_length) {
		char *begin = line->next;

		line_text(line, " [");
		line_dec(line, frame->captured_length);
		line_text(line, " of ");
		line_dec(line, frame->wire_length);
		line_text(line, " B]");
		/* "[truncated]" remains */
		line_spare(line, begin, is_truncated ? LINE_SPARE_LOWER : LINE_SPARE_DETAIL);
	}
	for (uint32_t i = 0; i < frame->comment_count; i++) {
		line_text(line, " # ");
		line_escaped(line, frame->comments[i].bytes, frame->comments[i].length);
	}
}

/* Right-aligned up to 99,999. */
static void write_number(uint64_t number, struct line *line)
{
	char spare[32], *begin = line_begin(line, spare, sizeof spare), *to = begin;

	memset(to, ' ', 8);
	to += (number < 10) + (number < 100) + (number < 1000) + (number < 10000);
	to = line_put_dec(to, number);
	*to++ = ' ';
	line_end(line, begin, to);
}

/* For a response: the frame of its request, and the latency. */
static void write_request(const struct rtap_packet *packet, const char *where, uint64_t frame, int64_t time_ns, struct line *line)
{
	int64_t latency_ns = packet->frame->time_ns - time_ns;

	line_text(line, where);
	line_dec(line, frame);
	if (latency_ns >= 0) {
		line_text(line, ", ");
		units_time(latency_ns, line);
	}
	line_char(line, ']');
}

static inline void write_layer(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct protocol *protocol = protocol_by_number(layer->protocol);

	if (protocol->summary)
		protocol->summary(packet, layer, line);
}

/* A packet whose layers have no summary. */
static void write_link(const struct rtap_packet *packet, struct line *line)
{
	line_text(line, "link type ");
	line_dec(line, packet->frame->link_type);
	line_text(line, " len ");
	line_dec(line, packet->frame->wire_length);
}

/* Writes the notes after the summaries of the layers, which start at `before`. */
static void write_rest(const struct rtap_packet *packet, const char *before, struct line *line)
{
	/* columns are padded */
	while (line->next > before && line->next[-1] == ' ')
		line->next--;
	if (line->after_ends && line->after_ends > line->next)
		line->after_ends = line->next;
	if (packet->rpc.present && packet->rpc.call_frame)
		write_request(packet, " [to ", packet->rpc.call_frame, packet->rpc.call_time_ns, line);
	else if (packet->request.frame)
		write_request(packet, packet->request.where ? packet->request.where : " [to ", packet->request.frame, packet->request.time_ns, line);
	write_notes(packet, line);
}

void text_line(struct text_format *text, const struct rtap_packet *packet, struct line *line)
{
	const struct rtap_layer *end = packet->layers + packet->layer_count;
	char *begin = line->next;
	const char *before;

	write_number(packet->frame->number, line);
	clock_write(&text->clock, packet->frame, line);
	line_char(line, ' ');
	before = line->next;
	line->ends = &text->ends;
	line->after_ends = NULL;
	for (const struct rtap_layer *layer = packet->layers; layer < end; layer++)
		write_layer(packet, layer, line);
	line->ends = NULL;
	if (line->next == before)
		write_link(packet, line);
	write_rest(packet, before, line);
	if (!text->wide)
		line_fit(line, begin);
}

void text_info(const struct rtap_packet *packet, struct line *line)
{
	const struct rtap_layer *end = packet->layers + packet->layer_count;
	char *before = line->next, *info = before;
	bool quoted = false;

	for (const struct rtap_layer *layer = packet->layers; layer < end; layer++) {
		line->after_ends = info;
		write_layer(packet, layer, line);
		/* ICMP quotes another packet */
		quoted |= layer->protocol == PROTOCOL_ICMP || layer->protocol == PROTOCOL_ICMPV6;
		if (!quoted)
			info = line->after_ends;
	}
	if (line->next == before)
		write_link(packet, line);
	memmove(before, info, (size_t)(line->next - info));
	line->next = before + (line->next - info);
	write_rest(packet, before, line);
	/* remove the separator if no summary precedes the note */
	if (before < line->next && *before == ' ')
		memmove(before, before + 1, (size_t)(--line->next - before));
}

static void write_packet(struct format *format, const struct rtap_packet *packet, struct line *line)
{
	struct text_format *text = (struct text_format *)format;
	enum colour colour = text->colour ? colour_of_packet(packet) : COLOUR_NONE;

	if (text->tree) {
		if (!text->memory)
			text->memory = tree_memory_create();
		tree_write(text->memory, packet, line);
	} else {
		colour_begin(colour, line);
		text_line(text, packet, line);
		colour_end(colour, line);
		line_char(line, '\n');
	}
	if (text->hex)
		hex_write(packet->frame->bytes, packet->frame->captured_length, line);
	if (text->tree || text->hex)
		line_char(line, '\n');
	if (!line->cut)
		clock_shown(&text->clock, packet->frame->time_ns);
}

static void note_shown(struct format *format, int64_t time_ns)
{
	clock_shown(&((struct text_format *)format)->clock, time_ns);
}

void text_format_init(struct text_format *text)
{
	*text = (struct text_format){ .format = { .packet = write_packet, .shown = note_shown } };
}

void text_format_fini(struct text_format *text)
{
	tree_memory_destroy(text->memory);
}
