/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests: a tracker that is given iWARP in TCP segments, and what it reported.
 */
#ifndef TESTS_IWARP_STREAM_KIT_H
#define TESTS_IWARP_STREAM_KIT_H

#include <criterion/criterion.h>

#include <rdmatap/tracker.h>

#include "reassembly/state.h"
#include "tests/frame_kit.h"
#include "tests/iwarp_kit.h"

#define MOST_REPORTED 8192
#define SETUP 20
#define FLAG_FIN 0x01
#define FLAG_SYN 0x02
#define FLAG_ACK 0x10

static struct rtap_tracker *tracker;
static struct rtap_message reported[MOST_REPORTED];
static struct rtap_missing last_missing[8]; /* of the last message */
static unsigned reported_count, connections;
static struct rtap_connection last_connection;
static uint64_t frames, fpdus_shown, wanted_frame;
static uint32_t cut_off;    /* bytes at the end of the next segment that the capture has not */
static int64_t later_ns;    /* time added to that of the frames */
static unsigned last_shown; /* FPDUs of the last frame */
static unsigned recovered;  /* FPDUs whose framing had to be found */
static struct kit last;     /* the last packet */

static inline void take_message(void *owner, const struct rtap_message *message)
{
	(void)owner;
	cr_assert_lt(reported_count, MOST_REPORTED);
	reported[reported_count++] = *message;
	for (uint32_t i = 0; i < message->missing_count && i < sizeof last_missing / sizeof last_missing[0]; i++)
		last_missing[i] = message->missing[i];
}

static inline void take_connection(void *owner, const struct rtap_connection *connection)
{
	(void)owner;
	connections++;
	last_connection = *connection;
}

static inline bool is_wanted(void *owner, const struct rtap_packet *packet)
{
	(void)owner;
	return packet->frame->number == wanted_frame;
}

static inline void begin(uint64_t memory, bool no_heuristics)
{
	struct rtap_tracker_options options = {
		.size = sizeof options,
		.max_memory = memory, .checksums = true, .message = take_message, .connection = take_connection, .wanted = is_wanted,
		.dissect = &(struct rtap_dissect_options){ .size = sizeof(struct rtap_dissect_options), .no_heuristics = no_heuristics },
	};

	reported_count = connections = 0;
	frames = fpdus_shown = recovered = 0;
	later_ns = 0;
	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
}

static inline void end(void)
{
	rtap_tracker_finish(tracker);
	cr_expect_lt(tracker->budget.used, 1u << 20);
	rtap_tracker_close(tracker);
}

static inline void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* Neither a layer nor the FPDUs of the last packet are outside of its bytes. */
static inline void check_layers(void)
{
	const struct rtap_packet *packet = &last.packet;
	const struct rtap_fpdus *fpdus = &packet->fpdus;

	cr_assert(fpdus->list || !fpdus->count || (uint64_t)fpdus->offset + fpdus->length <= packet->sources[0].captured, "FPDUs");
	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];

		cr_assert_lt(layer->source, packet->source_count);
		cr_assert_leq((uint64_t)layer->offset + layer->length, packet->sources[layer->source].captured, "layer %u", i);
	}
}

/* A segment between 10.0.0.1 port 40000 (a) and 10.0.0.2 port `port`. Sequence numbers count from 1000. */
static inline void give(bool from_a, uint16_t port, uint8_t flags, uint32_t sequence, uint32_t ack, const uint8_t *bytes, uint32_t length)
{
	static uint8_t frame[65536];
	struct rtap_frame shown = { .bytes = frame, .link_type = RTAP_LINK_RAW };

	memset(frame, 0, 40);
	frame[0] = 0x45;
	put16(frame + 2, 40 + length);
	frame[8] = 64;
	frame[9] = 6;
	frame[12] = frame[16] = 10;
	frame[15] = from_a ? 1 : 2;
	frame[19] = from_a ? 2 : 1;
	put16(frame + 20, from_a ? 40000 : port);
	put16(frame + 22, from_a ? port : 40000);
	put32(frame + 24, 1000 + sequence);
	put32(frame + 28, 1000 + ack);
	frame[32] = 0x50;
	frame[33] = flags;
	put16(frame + 34, 512);
	if (length)
		memcpy(frame + 40, bytes, length);
	shown.captured_length = shown.wire_length = 40 + length;
	shown.captured_length -= cut_off;
	shown.number = ++frames;
	shown.time_ns = (int64_t)frames * 100000 + later_ns;
	last.frame = shown;
	rtap_tracker_frame(tracker, &last.frame, &last.packet);
	check_layers();
	last_shown = last.packet.fpdus.count;
	fpdus_shown += last_shown;
	for (uint32_t i = 0; last.packet.fpdus.list && i < last_shown; i++)
		recovered += last.packet.fpdus.list[i].framing != RTAP_FPDU_IN_STEP;
}

static inline void give_setup(bool markers, bool crc)
{
	uint8_t setup[SETUP] = "MPA ID Req Frame";

	setup[16] = (uint8_t)(markers << 7 | crc << 6);
	setup[17] = 1;
	setup[18] = setup[19] = 0;
	give(true, 7000, FLAG_SYN, (uint32_t)-1, 0, NULL, 0);
	give(false, 7000, FLAG_SYN | FLAG_ACK, (uint32_t)-1, 0, NULL, 0);
	give(true, 7000, FLAG_ACK, 0, 0, setup, SETUP);
	setup[9] = 'p';
	give(false, 7000, FLAG_ACK, 0, SETUP, setup, SETUP);
}

#endif
