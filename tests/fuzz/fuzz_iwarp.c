/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MPA, DDP and RDMAP: a segment by itself, and a stream through the framer and what it finds through the dissection.
 * Input: byte 0 chooses what is known of the stream, byte 1 the size of its pieces, the rest is the stream. Where a piece's
 * first byte is 0xee a hole is in its place, so that seeds stay legible.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/visitor.h>

#include "dissect/dissect.h"
#include "dissect/engine/packet.h"
#include "dissect/iwarp/fpdu.h"
#include "reassembly/iwarp/fpdu.h"

#include "harness.h"

#define HEADER_LENGTH 2
#define TCP_HEADERS 40

/* Byte 0. */
enum {
	FROM_START = 0x01,
	IS_IWARP = 0x02,
	CRC_SHIFT = 2,     /* two bits: enum fpdu_use */
	MARKERS_SHIFT = 4, /* likewise */
	HOLES = 0x40,
};

struct taker {
	struct fpdu_sink sink;
	uint64_t sum, reported, last_end;
};

struct reader {
	struct rtap_visitor visitor;
	uint64_t sum;
};

static void read_field(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
		       const struct rtap_value *value, const struct rtap_place *place)
{
	struct reader *reader = (struct reader *)visitor;

	(void)id;
	(void)place;
	reader->sum += value->number;
	if (field->show >= RTAP_IPV4 && field->show <= RTAP_TEXT)
		for (uint32_t i = 0; i < value->data.length; i++)
			reader->sum += value->data.bytes[i];
}

static void dissect(const uint8_t *bytes, uint32_t length, const struct rtap_context *context)
{
	static const uint8_t headers[TCP_HEADERS] = { 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, [32] = 0x50 };
	struct reader reader = { .visitor = { .field = read_field, .on_demand = true, .bulk = true } };
	struct rtap_packet packet;
	struct rtap_frame frame = { .captured_length = TCP_HEADERS + length, .wire_length = TCP_HEADERS + length,
				    .link_type = RTAP_LINK_IPV4, .number = 1 };
	uint8_t *block = malloc(TCP_HEADERS + length);

	REQUIRE(block != NULL);
	memcpy(block, headers, TCP_HEADERS);
	if (length)
		memcpy(block + TCP_HEADERS, bytes, length);
	block[2] = (uint8_t)((TCP_HEADERS + length) >> 8);
	block[3] = (uint8_t)(TCP_HEADERS + length);
	frame.bytes = block;
	dissect_frame(&frame, context, &packet);
	rtap_packet_visit(&packet, &reader.visitor);
	free(block);
}

static void take_fpdu(struct fpdu_sink *sink, const struct rtap_fpdu *fpdu)
{
	struct taker *taker = (struct taker *)sink;
	const struct rtap_context context = { .is_iwarp = true, .fpdus = fpdu, .fpdu_count = 1 };
	struct rtap_span extent;
	uint32_t at = 0, before = 0;

	REQUIRE(fpdu->bytes.length == fpdu_total_length(fpdu->ulpdu_length, fpdu->first_marker));
	REQUIRE(!taker->reported || fpdu->stream_offset >= taker->last_end);
	REQUIRE(fpdu->gap_count <= RTAP_FPDU_GAPS);
	while (fpdu_next_extent(fpdu, &at, &extent)) {
		REQUIRE(at > before && at - before == extent.length);
		for (uint32_t i = 0; extent.bytes && i < extent.length; i++)
			taker->sum += extent.bytes[i];
		before = at;
	}
	REQUIRE(at == fpdu->ulpdu_length);
	taker->reported++;
	taker->last_end = fpdu->stream_offset + fpdu->bytes.length;
	dissect(NULL, 0, &context);
}

static void take_piece(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length)
{
	uint8_t *block = malloc(length);

	REQUIRE(block != NULL);
	memcpy(block, bytes, length);
	fpdu_take(framer, &(struct fpdu_piece){ .bytes = block, .length = length, .frame = 1 });
	free(block);
}

static void take_stream(const uint8_t *bytes, uint32_t length, uint8_t flags, uint32_t size)
{
	struct taker taker = { .sink = { .fpdu = take_fpdu } };
	struct fpdu_rules rules = {
		.from_start = flags & FROM_START, .is_iwarp = flags & IS_IWARP,
		.crc = (enum fpdu_use)((flags >> CRC_SHIFT & 3) % 3), .markers = (enum fpdu_use)((flags >> MARKERS_SHIFT & 3) % 3),
	};
	struct fpdu_framer framer;

	fpdu_init(&framer, &taker.sink, &rules, 1000);
	for (uint32_t at = 0, part; at < length; at += part) {
		part = length - at < size ? length - at : size;
		if (flags & HOLES && bytes[at] == 0xee)
			fpdu_skip(&framer, part, 1);
		else
			take_piece(&framer, bytes + at, part);
		REQUIRE(fpdu_memory(&framer) <= 4 * FPDU_MAX_HELD);
	}
	fpdu_finish(&framer, 1);
	fpdu_fini(&framer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEADER_LENGTH || size > 1 << 15)
		return 0;
	dissect(data + HEADER_LENGTH, (uint32_t)size - HEADER_LENGTH, NULL);
	take_stream(data + HEADER_LENGTH, (uint32_t)size - HEADER_LENGTH, data[0], 1 + data[1] * 8u);
	return 0;
}
