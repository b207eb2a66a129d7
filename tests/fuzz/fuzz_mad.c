/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams: every class and attribute, and transfers of RMPP, through the tracker with a small memory; every field read.
 * Input: records of RECORD bytes and the data after them, byte 11 of a record giving their number.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/tracker.h>
#include <rdmatap/visitor.h>

#include "output/packet/text.h"
#include "tests/mad_kit.h"

#include "accounts.h"
#include "harness.h"

#define RECORD 12
#define MAX_FRAMES 4000
#define MAX_MEMORY (UINT64_C(64) << 10)
#define LINE_ROOM (4u << 20)

static const uint8_t classes[16] = { 0x01, 0x81, 0x03, 0x03, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x10, 0x21, 0x30, 0x4f, 0x50 };
static const uint8_t methods[16] = { 0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x12, 0x13, 0x14, 0x15, 0x81, 0x86, 0x92, 0x92, 0x94, 0x95 };

struct run {
	struct rtap_visitor visitor; /* first */
	struct rtap_tracker *tracker;
	const struct rtap_packet *packet;
	uint64_t frames, messages, sum;
	uint64_t reported;           /* frames that reported messages are made of; those captured twice are not */
	unsigned depth;
};

static void enter(struct rtap_visitor *visitor, const char *label, const struct rtap_place *place)
{
	struct run *run = (struct run *)visitor;

	run->depth++;
	run->sum += strlen(label);
	REQUIRE(place->source < run->packet->source_count);
	REQUIRE(place->offset <= run->packet->sources[place->source].captured);
}

static void leave(struct rtap_visitor *visitor)
{
	((struct run *)visitor)->depth--;
}

static void read_field(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field, const struct rtap_value *value,
		       const struct rtap_place *place)
{
	struct run *run = (struct run *)visitor;

	REQUIRE(rtap_field_by_id(id) == field);
	REQUIRE(run->depth > 0);
	if (!(field->flags & RTAP_UNPLACED))
		REQUIRE(place->length <= run->packet->sources[place->source].captured - place->offset);
	if (field->show >= RTAP_IPV4 && field->show <= RTAP_TEXT)
		for (uint32_t i = 0; i < value->data.length; i++)
			run->sum += value->data.bytes[i];
}

/* Walked as a whole and asked for by protocol, both must read no further than there is. */
static void read_packet(struct run *run, const struct rtap_packet *packet)
{
	static uint64_t all[256];
	static char *room;
	static struct text_format text;
	struct line line;

	run->packet = packet;
	run->visitor = (struct rtap_visitor){ .enter = enter, .leave = leave, .field = read_field, .on_demand = true, .bulk = true };
	rtap_packet_visit(packet, &run->visitor);
	REQUIRE(run->depth == 0);
	REQUIRE(rtap_field_count() <= sizeof all * 8);
	memset(all, 0xff, sizeof all);
	run->visitor = (struct rtap_visitor){ .field = read_field, .wanted = all };
	run->depth = 1;
	for (uint8_t i = 0; i < packet->layer_count; i++)
		rtap_layer_visit(packet, &packet->layers[i], &run->visitor);
	run->depth = 0;
	if (!room) {
		room = malloc(LINE_ROOM);
		REQUIRE(room != NULL);
		text_format_init(&text);
	}
	line_init(&line, room, LINE_ROOM);
	text.format.packet(&text.format, packet, &line);
}

static void check_message(void *owner, const struct rtap_message *message)
{
	struct run *run = owner;

	REQUIRE(message->number == ++run->messages);
	REQUIRE(message->kind == RTAP_KIND_MAD);
	REQUIRE(message->partner != message->number);
	REQUIRE(message->answered_in <= run->frames);
	REQUIRE(!message->has_latency || message->mad_is_answer);
	REQUIRE(message->segments_lost <= message->segments);
	REQUIRE(!message->complete || !message->segments_lost);
	run->reported += message->segments ? message->frames + message->repeats : 1;
}

static void give(struct run *run, const uint8_t *record, const uint8_t *data, uint32_t length, int64_t time_ns)
{
	uint8_t bytes[ROCE_MAX_FRAME], *block;
	struct mad mad = {
		.management_class = classes[record[0] & 15], .method = methods[record[0] >> 4],
		.attribute = record[1] == 0xff ? 0xff90 : record[1], .transaction_id = record[2] & 15,
		.modifier = record[3], .rmpp_type = record[4] & 7, .rmpp_flags = record[4] >> 3 & 7,
		.rmpp_segment = record[4] & 0x80 ? (uint32_t)record[5] << 24 | record[6] : record[5],
		.rmpp_length = (uint32_t)record[6] << (record[4] & 0x40 ? 24 : 0), .attribute_offset = record[7],
		.status = (uint16_t)(record[8] << 8), .data = data, .data_length = length,
	};
	uint32_t source = 1 + (record[2] >> 4 & 1), wire = mad_frame(bytes, source, 3 - source, &mad);
	uint32_t captured = record[9] ? MAD_FRAME_AT + record[9] : wire;
	struct rtap_frame frame = { .captured_length = captured < wire ? captured : wire, .wire_length = wire, .link_type = RTAP_LINK_RAW,
				    .capture_point = record[2] >> 7, .number = ++run->frames, .time_ns = time_ns };
	struct rtap_packet packet;

	/* a block of just this size: reading outside of it is seen */
	block = malloc(frame.captured_length);
	REQUIRE(block != NULL);
	memcpy(block, bytes, frame.captured_length);
	frame.bytes = block;
	rtap_tracker_frame(run->tracker, &frame, &packet);
	read_packet(run, &packet);
	check_budget(run->tracker);
	free(block);
}

size_t input_part(const uint8_t *data, size_t size, size_t at)
{
	return size - at < RECORD ? RECORD : RECORD + data[at + RECORD - 1];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run run = { .frames = 0 };
	struct rtap_tracker_options options = { .size = sizeof options, .max_memory = MAX_MEMORY, .message = check_message, .owner = &run };
	int64_t time_ns = 0;

	REQUIRE(rtap_tracker_open(&run.tracker, &options, NULL) == RTAP_STATUS_OK);
	while (size >= RECORD && run.frames < MAX_FRAMES) {
		uint32_t length = data[RECORD - 1];

		if (length > size - RECORD)
			length = (uint32_t)(size - RECORD);
		time_ns += (int64_t)(data[10] & 0x7f) << (data[10] & 0x80 ? 30 : 16);
		give(&run, data, data + RECORD, length, time_ns);
		data += RECORD + length;
		size -= RECORD + length;
	}
	rtap_tracker_finish(run.tracker);
	REQUIRE(run.reported + run.tracker->counters.anomaly_counts[RTAP_CONNECTION_ANOMALY_CAPTURED_TWICE] == run.frames ||
		run.tracker->counters.evictions);
	rtap_tracker_close(run.tracker);
	return 0;
}
