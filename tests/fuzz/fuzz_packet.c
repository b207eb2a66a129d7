/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The whole way of a packet: dissected, every field read, filtered, written in every form.
 * Input: byte 0 chooses the link type, byte 1 what the context contains, the rest is the frame.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/filter.h>
#include <rdmatap/visitor.h>

#include "dissect/dissect.h"
#include "dissect/engine/packet.h"
#include "dissect/nvme/nvme.h"
#include "output/packet/fields.h"
#include "output/packet/json.h"
#include "output/packet/text.h"

#include "harness.h"

#define HEADER_LENGTH 2

/* Byte 1. */
enum {
	CUT = 0x01,            /* the frame was longer on the wire than it is here */
	NO_HEURISTICS = 0x02,
	UPPER_SHIFT = 2,       /* two bits: enum rtap_upper; byte 0 has the third */
	RPC_KNOWN = 0x10,
	WITH_MESSAGE = 0x20,   /* the frame's second half is also a message put together */
	DECODE_AS = 0x40,
	WITH_DATAGRAM = 0x80,  /* the frame's second half is also a datagram put together, whose end was not captured */
};

static const uint32_t link_types[] = {
	RTAP_LINK_ETHERNET, RTAP_LINK_INFINIBAND, RTAP_LINK_ERF, RTAP_LINK_LINUX_SLL, RTAP_LINK_LINUX_SLL2, RTAP_LINK_RAW,
	RTAP_LINK_IPOIB, RTAP_LINK_NULL, RTAP_LINK_LOOP, RTAP_LINK_IPV4, RTAP_LINK_IPV6, 147,
	RTAP_LINK_PPI, RTAP_LINK_NFLOG,
};

static const char *const filter_texts[] = {
	"infiniband.bth.psn > 5 && !rpcordma",
	"ip.addr == 10.0.0.0/8 or infiniband.grh.sgid == fd00::/8",
	"rpcordma.rdma_handle in {1, 3..5} || rpc.procedure == 4",
	"infiniband.invariant.crc.status == \"bad\"",
};

#define FILTERS (sizeof filter_texts / sizeof filter_texts[0])

/* Touches every value, so that the sanitizers see what may not be read. */
struct reader {
	struct rtap_visitor visitor;
	const struct rtap_packet *packet;
	unsigned depth;
	uint64_t sum;
};

static void read_span(struct reader *reader, struct rtap_span span)
{
	for (uint32_t i = 0; i < span.length; i++)
		reader->sum += span.bytes[i];
}

static void read_text(struct reader *reader, const char *text)
{
	reader->sum += strlen(text);
}

/* Groups have the length that they would have uncut: only where they begin is certain. */
static void check_start(const struct reader *reader, const struct rtap_place *place)
{
	REQUIRE(place->source < reader->packet->source_count);
	REQUIRE(place->offset <= reader->packet->sources[place->source].captured);
}

static void check_place(const struct reader *reader, const struct rtap_place *place)
{
	check_start(reader, place);
	REQUIRE(place->length <= reader->packet->sources[place->source].captured - place->offset);
}

static void enter(struct rtap_visitor *visitor, const char *label, const struct rtap_place *place)
{
	struct reader *reader = (struct reader *)visitor;

	reader->depth++;
	read_text(reader, label);
	check_start(reader, place);
}

static void read_value(struct reader *reader, const struct rtap_field *field, const struct rtap_value *value)
{
	switch (field->show) {
	case RTAP_IPV4:
		REQUIRE(value->data.length == 4);
		break;
	case RTAP_IPV6:
		REQUIRE(value->data.length == 16);
		break;
	case RTAP_ETHER:
		REQUIRE(value->data.length == 6);
		break;
	case RTAP_EUI64:
		REQUIRE(value->data.length == 8);
		break;
	case RTAP_BOOL:
		REQUIRE(value->number <= 1);
		break;
	default:
		break;
	}
	reader->sum += value->number;
	if (field->show >= RTAP_IPV4 && field->show <= RTAP_TEXT)
		read_span(reader, value->data);
	if (field->names && rtap_name_of(field->names, value->number))
		read_text(reader, rtap_name_of(field->names, value->number));
}

static void read_field(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
		       const struct rtap_value *value, const struct rtap_place *place)
{
	struct reader *reader = (struct reader *)visitor;

	REQUIRE(rtap_field_by_id(id) == field);
	REQUIRE(reader->depth > 0);
	if (!(field->flags & RTAP_UNPLACED))
		check_place(reader, place);
	if (field->show != RTAP_NONE)
		read_value(reader, field, value);
}

static void read_label(struct rtap_visitor *visitor, const char *text, const struct rtap_place *place)
{
	struct reader *reader = (struct reader *)visitor;

	read_text(reader, text);
	check_start(reader, place);
}

static void read_anomaly(struct rtap_visitor *visitor, const struct rtap_anomaly *anomaly)
{
	struct reader *reader = (struct reader *)visitor;

	read_text(reader, rtap_anomaly_name((enum rtap_anomaly_code)anomaly->code));
}

static void leave(struct rtap_visitor *visitor)
{
	struct reader *reader = (struct reader *)visitor;

	REQUIRE(reader->depth > 0);
	reader->depth--;
}

static void visit_packet(const struct rtap_packet *packet, bool on_demand)
{
	struct reader reader = {
		.visitor = { .enter = enter, .field = read_field, .label = read_label, .anomaly = read_anomaly, .leave = leave,
			     .on_demand = on_demand },
		.packet = packet,
	};

	rtap_packet_visit(packet, &reader.visitor);
	REQUIRE(reader.depth == 0);
}

static void read_fixed_fields(const struct rtap_packet *packet)
{
	struct reader reader = { .packet = packet };

	for (unsigned i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];
		const struct rtap_protocol *protocol = rtap_protocol_by_number(layer->protocol);
		struct rtap_place place = { layer->source, layer->offset, layer->length };

		check_place(&reader, &place);
		REQUIRE(packet_has(packet, layer->protocol));
		for (unsigned j = 0; j < protocol->field_count; j++) {
			struct rtap_value value = { 0 };

			if (rtap_layer_field(packet, layer, &protocol->fields[j], &value))
				read_value(&reader, &protocol->fields[j], &value);
		}
	}
}

static void filter_packet(const struct rtap_packet *packet)
{
	static struct rtap_filter *filters[FILTERS];

	for (size_t i = 0; i < FILTERS; i++) {
		struct rtap_error error;

		if (!filters[i] && rtap_filter_open(&filters[i], filter_texts[i], &error) != RTAP_STATUS_OK) {
			fprintf(stderr, "%s: %s\n", filter_texts[i], error.text);
			abort();
		}
		(void)rtap_filter_match(filters[i], packet);
	}
}

/* Writes with little room first, so that the text is cut at many places, then with enough. */
static void format_packet(struct format *format, const struct rtap_packet *packet)
{
	static const size_t sizes[] = { 100, 8u << 10, 1u << 20, 64u << 20 };
	static char *buffers[sizeof sizes / sizeof sizes[0]];
	struct line line = { .cut = true };

	for (size_t i = 0; line.cut && i < sizeof sizes / sizeof sizes[0]; i++) {
		if (!buffers[i])
			buffers[i] = malloc(sizes[i]);
		REQUIRE(buffers[i] != NULL);
		line_init(&line, buffers[i], sizes[i]);
		format->packet(format, packet, &line);
		REQUIRE(line.next >= buffers[i] && line.next <= buffers[i] + sizes[i]);
	}
	REQUIRE(!line.cut);
}

static void format_as_text(const struct rtap_packet *packet)
{
	static struct text_format text;

	if (!text.format.packet) {
		text_format_init(&text);
		text.clock.form = CLOCK_EPOCH;
	}
	text.tree = text.hex = false;
	format_packet(&text.format, packet);
	text.tree = text.hex = true;
	format_packet(&text.format, packet);
}

static void format_as_json(const struct rtap_packet *packet)
{
	static struct json_format json;

	if (!json.format.packet)
		REQUIRE(!json_format_init(&json, true));
	format_packet(&json.format, packet);
}

static void format_as_fields(const struct rtap_packet *packet)
{
	static const char *const names[] = { "frame.time_epoch", "ip.addr", "infiniband.bth.psn", "infiniband.invariant.crc.status",
					     "rpcordma.rdma_handle", "rpc.procedure" };
	static struct fields_format fields;

	if (!fields.format.packet) {
		fields_format_init(&fields);
		for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
			REQUIRE(fields_format_add(&fields, names[i], NULL) == RTAP_STATUS_OK);
	}
	format_packet(&fields.format, packet);
}

static void check_packet(const struct rtap_packet *packet)
{
	REQUIRE(packet->layer_count <= RTAP_MAX_LAYERS);
	REQUIRE(packet->anomaly_count <= RTAP_MAX_ANOMALIES);
	REQUIRE(packet->anomalies_found >= packet->anomaly_count);
	REQUIRE(packet->source_count >= 1 && packet->source_count <= RTAP_MAX_SOURCES);
	REQUIRE(packet->fragment.layer < packet->layer_count);
	REQUIRE(packet->fragment.piece.captured <= packet->fragment.piece.wire);
	REQUIRE(packet->payload.source < packet->source_count);
	REQUIRE(packet->payload.captured <= packet->payload.wire);
	REQUIRE(packet->payload.offset <= packet->sources[packet->payload.source].captured);
	REQUIRE(packet->payload.captured <= packet->sources[packet->payload.source].captured - packet->payload.offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rtap_decode_as decode_as[] = {
		{ .by = RTAP_DECODE_QPN, .number = 0x11, .upper = RTAP_UPPER_RPCRDMA },
		{ .by = RTAP_DECODE_UDP_PORT, .number = 0 },
	};
	struct rtap_packet packet;
	uint8_t *bytes;

	if (size < HEADER_LENGTH || size > 1 << 16)
		return 0;

	static const uint32_t codes[] = {
		NVME_CODE(NVME_SPACE_FABRICS, NVME_CONNECT), NVME_CODE(NVME_SPACE_FABRICS, NVME_PROPERTY_GET), NVME_CODE(NVME_SPACE_ADMIN, NVME_ASYNC_EVENT),
		NVME_CODE(NVME_SPACE_IO, NVME_READ),
	};
	uint8_t flags = data[1], more = (uint8_t)(data[0] / (sizeof link_types / sizeof link_types[0]));
	uint32_t length = (uint32_t)(size - HEADER_LENGTH);
	struct rtap_frame frame = {
		.captured_length = length,
		.wire_length = length + (flags & CUT ? 1000 : 0),
		.link_type = link_types[data[0] % (sizeof link_types / sizeof link_types[0])],
		.number = 1,
	};
	struct rtap_context context = {
		.no_heuristics = flags & NO_HEURISTICS,
		.upper = (uint8_t)((flags >> UPPER_SHIFT & 3) + (more & 1) * 4),
		.request = { .queue_kind = more >> 1 & 3, .is_known = flags & RPC_KNOWN, .code = codes[more >> 3 & 3], .detail = more & 4 ? 0x14 : 0 },
		.rpc_known = flags & RPC_KNOWN,
		.rpc_program = 100003,
		.rpc_version = 3,
		.rpc_procedure = 7,
		.decode_as = decode_as,
		.decode_as_count = flags & DECODE_AS ? 2 : 0,
	};

	/* A block of just this size: reading outside of it is seen. */
	bytes = malloc(length);
	REQUIRE(bytes != NULL || length == 0);
	if (length)
		memcpy(bytes, data + HEADER_LENGTH, length);
	frame.bytes = bytes;
	if (flags & WITH_MESSAGE) {
		context.message.bytes = bytes + length / 2;
		context.message.length = length - length / 2;
	}

	if (flags & WITH_DATAGRAM)
		context.datagram = (struct rtap_datagram){ { bytes + length / 2, length - length / 2 }, length, 20, 17 };

	dissect_frame(&frame, &context, &packet);
	check_packet(&packet);
	visit_packet(&packet, false);
	visit_packet(&packet, true);
	read_fixed_fields(&packet);
	filter_packet(&packet);
	format_as_text(&packet);
	format_as_json(&packet);
	format_as_fields(&packet);
	free(bytes);
	return 0;
}
