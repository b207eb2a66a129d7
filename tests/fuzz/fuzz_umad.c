/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams as ib_umad gives them, in ERF records and back.
 * Input: byte 0 says what follows: an odd one an ERF record; else 64 bytes that the envelope is made of, and a message, which
 * RMPP may have put together.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/umad/mad_frame.h"

#include "harness.h"

#define ENVELOPE_LENGTH 64
/* So that time goes into bytes, not into segments. */
#define MOST_SEGMENTS 40

static uint32_t get(const uint8_t *bytes, unsigned count)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value = value << 8 | bytes[i];
	return value;
}

static struct mad_envelope envelope_of(const uint8_t *bytes)
{
	struct mad_envelope envelope = {
		.source_lid = (uint16_t)get(bytes, 2), .destination_lid = (uint16_t)get(bytes + 2, 2),
		.source_qpn = get(bytes + 4, 3), .destination_qpn = bytes[7] & 1, .q_key = get(bytes + 8, 4),
		.p_key = (uint16_t)get(bytes + 12, 2), .service_level = bytes[14] & 15, .global = bytes[15] & 1,
		.traffic_class = bytes[16], .hop_limit = bytes[17], .flow_label = get(bytes + 18, 3) & 0xfffff,
	};

	if (envelope.global) {
		memcpy(envelope.source_gid, bytes + 24, 16);
		memcpy(envelope.destination_gid, bytes + 40, 16);
	}
	return envelope;
}

static void check_envelope(const struct mad_envelope *made, const struct mad_envelope *read)
{
	REQUIRE(made->source_lid == read->source_lid && made->destination_lid == read->destination_lid);
	REQUIRE(made->source_qpn == read->source_qpn && made->destination_qpn == read->destination_qpn);
	REQUIRE(made->q_key == read->q_key && made->p_key == read->p_key && made->service_level == read->service_level);
	REQUIRE(made->global == read->global);
	if (!made->global)
		return;
	REQUIRE(made->traffic_class == read->traffic_class && made->hop_limit == read->hop_limit && made->flow_label == read->flow_label);
	REQUIRE(!memcmp(made->source_gid, read->source_gid, 16) && !memcmp(made->destination_gid, read->destination_gid, 16));
}

static void read_record(const uint8_t *frame, uint32_t length)
{
	struct mad_envelope envelope;
	uint32_t mad_length;
	const uint8_t *mad;

	if (mad_frame_read(frame, length, &envelope, &mad, &mad_length))
		return;
	REQUIRE(mad >= frame && mad_length >= MAD_LENGTH && mad_length <= length && mad - frame <= length - mad_length);
}

static void make_segments(const struct mad_envelope *made, const uint8_t *message, uint32_t length)
{
	uint32_t count = mad_segment_count(message, length);

	for (uint32_t i = 0; i < count && i < MOST_SEGMENTS; i++) {
		uint8_t mad[MAD_JUMBO_LENGTH], *frame = malloc(MAD_FRAME_LENGTH(MAD_JUMBO_LENGTH));
		uint32_t mad_length = mad_segment(message, length, i, mad), frame_length, read_length;
		struct mad_envelope envelope;
		const uint8_t *read;

		REQUIRE(frame && mad_length >= MAD_LENGTH && mad_length <= MAD_JUMBO_LENGTH && mad_length % 4 == 0);
		frame_length = mad_frame_make(frame, made, mad, mad_length, i, INT64_C(1700000000123456789));
		REQUIRE(frame_length <= MAD_FRAME_LENGTH(mad_length));
		read_record(frame, frame_length);
		if (!mad_frame_read(frame, frame_length, &envelope, &read, &read_length)) {
			REQUIRE(read_length == mad_length && !memcmp(read, mad, mad_length));
			check_envelope(made, &envelope);
		}
		free(frame);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t skipped = 1 + (size && data[0] & 1 ? 0 : ENVELOPE_LENGTH), length;
	uint8_t *copy;

	if (size <= skipped || size > 1 << 16)
		return 0;
	length = size - skipped;
	/* a block of just this size: reading outside of it is seen */
	copy = malloc(length);
	REQUIRE(copy != NULL);
	memcpy(copy, data + skipped, length);
	if (data[0] & 1) {
		read_record(copy, (uint32_t)length);
	} else {
		struct mad_envelope envelope = envelope_of(data + 1);

		make_segments(&envelope, copy, (uint32_t)length);
	}
	free(copy);
	return 0;
}
