/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "dissect/engine/protocol.h"
#include "tests/frame_kit.h"

#define ETHERNET_LENGTH 14
#define FRAME_LENGTH 60

/* A frame of 60 bytes: opcode, parameters, zeros. */
static void build(uint8_t frame[FRAME_LENGTH], uint16_t opcode, const uint8_t *parameters, size_t length)
{
	memset(frame, 0, FRAME_LENGTH);
	memcpy(frame, "\x01\x80\xc2\x00\x00\x01\x0c\x42\xa1\x00\x00\x01\x88\x08", ETHERNET_LENGTH);
	frame[ETHERNET_LENGTH] = (uint8_t)(opcode >> 8);
	frame[ETHERNET_LENGTH + 1] = (uint8_t)opcode;
	memcpy(frame + ETHERNET_LENGTH + 2, parameters, length);
}

static const uint8_t pfc_parameters[18] = { 0xa5, 0x08, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0xff, 0xff };

static const struct {
	uint16_t opcode;
	uint16_t protocol;  /* after the opcode */
	uint32_t length;   /* of opcode and parameters; PAYLOAD: all of the frame */
} kinds[] = {
	{ 0x0001, PROTOCOL_PAUSE, 4 },
	{ 0x0101, PROTOCOL_PFC, 20 },
	{ 0x0000, PROTOCOL_PAYLOAD, FRAME_LENGTH - ETHERNET_LENGTH },
	{ 0x0002, PROTOCOL_PAYLOAD, FRAME_LENGTH - ETHERNET_LENGTH },
	{ 0x0100, PROTOCOL_PAYLOAD, FRAME_LENGTH - ETHERNET_LENGTH },
	{ 0x0102, PROTOCOL_PAYLOAD, FRAME_LENGTH - ETHERNET_LENGTH },
	{ 0xffff, PROTOCOL_PAYLOAD, FRAME_LENGTH - ETHERNET_LENGTH },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

TestSuite(mac_control, .timeout = HANG_SECONDS);

Test(mac_control, the_opcode_determines_the_next_header_and_padding_is_the_trailer)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		uint8_t frame[FRAME_LENGTH];
		struct kit kit;

		build(frame, kinds[i].opcode, pfc_parameters, sizeof pfc_parameters);
		kit_dissect(&kit, RTAP_LINK_ETHERNET, frame, FRAME_LENGTH, FRAME_LENGTH, NULL);
		cr_expect(packet_has(&kit.packet, PROTOCOL_MAC_CONTROL));
		cr_expect(packet_has(&kit.packet, kinds[i].protocol), "opcode %x", kinds[i].opcode);
		cr_expect_eq(packet_has(&kit.packet, PROTOCOL_TRAILER), kinds[i].protocol != PROTOCOL_PAYLOAD, "opcode %x", kinds[i].opcode);
		cr_expect_eq(kit.packet.anomaly_count, 0);
		kit_free(&kit);
	}
}

Test(mac_control, bits_and_times_of_priorities_are_read_from_their_places)
{
	static const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{ "macc.opcode", 0x101 }, { "macc.cbfc.enbv", 0xa508 }, { "macc.cbfc.enbv.reserved", 0xa5 }, { "macc.cbfc.enbv.c3", 1 },
		{ "macc.cbfc.enbv.c2", 0 }, { "macc.cbfc.enbv.c4", 0 }, { "macc.cbfc.pause_time.c0", 1 }, { "macc.cbfc.pause_time.c3", 4 },
		{ "macc.cbfc.pause_time.c7", 0xffff },
	};
	uint8_t frame[FRAME_LENGTH];
	struct kit kit;

	build(frame, 0x0101, pfc_parameters, sizeof pfc_parameters);
	kit_dissect(&kit, RTAP_LINK_ETHERNET, frame, FRAME_LENGTH, FRAME_LENGTH, NULL);
	for (size_t i = 0; i < COUNT(fields); i++) {
		struct rtap_value value = { 0 };

		cr_expect_eq(kit_field(&kit, fields[i].name, &value), 1, "%s", fields[i].name);
		cr_expect_eq(value.number, fields[i].value, "%s", fields[i].name);
	}
	cr_expect_eq(kit_field(&kit, "macc.pause_time", NULL), 0);
	kit_free(&kit);
}

/* The capture cut it off, or the frame itself is too short. */
Test(mac_control, every_length_that_a_frame_can_be_cut_to_is_reported)
{
	for (size_t i = 0; i < 2; i++)
		for (uint32_t length = ETHERNET_LENGTH; length < FRAME_LENGTH; length++) {
			bool is_cut = length < ETHERNET_LENGTH + kinds[i].length;
			uint8_t frame[FRAME_LENGTH];
			struct kit kit;

			build(frame, kinds[i].opcode, pfc_parameters, sizeof pfc_parameters);
			kit_dissect(&kit, RTAP_LINK_ETHERNET, frame, length, FRAME_LENGTH, NULL);
			cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_TRUNCATED), is_cut, "opcode %x, %u bytes", kinds[i].opcode, length);
			kit_free(&kit);
			kit_dissect(&kit, RTAP_LINK_ETHERNET, frame, length, length, NULL);
			cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_MALFORMED), is_cut, "opcode %x, %u bytes", kinds[i].opcode, length);
			kit_free(&kit);
		}
}

static void expect_summary(uint16_t opcode, const char *parameters, size_t length, const struct protocol *protocol, size_t layer,
			   const char *expected)
{
	uint8_t frame[FRAME_LENGTH];
	char text[200];
	struct line line;
	struct kit kit;

	build(frame, opcode, (const uint8_t *)parameters, length);
	kit_dissect(&kit, RTAP_LINK_ETHERNET, frame, FRAME_LENGTH, FRAME_LENGTH, NULL);
	line_init(&line, text, sizeof text - 1);
	protocol->summary(&kit.packet, &kit.packet.layers[layer], &line);
	*line.next = 0;
	cr_expect_str_eq(text, expected);
	kit_free(&kit);
}

Test(mac_control, a_time_of_0_ends_the_pause)
{
	expect_summary(0x0001, "\0\0", 2, &pause_protocol, 3, " resume");
	expect_summary(0x0001, "\0\1", 2, &pause_protocol, 3, " 1 quantum");
	expect_summary(0x0001, "\xff\xff", 2, &pause_protocol, 3, " 65535 quanta");
	expect_summary(0x0101, "\0\x18\0\1\0\2\0\3\0\0\0\5", 12, &pfc_protocol, 3, " priority 3: resume, priority 4: 5 quanta");
	/* neighbours with the same time are listed as a range; priority 4 is not enabled, and 7 has another time */
	expect_summary(0x0101, "\0\xef\0\1\0\1\0\1\0\1\0\1\0\2\0\2\0\3", 18, &pfc_protocol, 3,
		       " priorities 0 to 3: 1 quantum, priorities 5 to 6: 2 quanta, priority 7: 3 quanta");
	expect_summary(0x0101, "\0\0\0\1", 4, &pfc_protocol, 3, " no priority");
	expect_summary(0x0006, "", 0, &mac_control_protocol, 2, "MAC control REGISTER_ACK");
	expect_summary(0x0007, "", 0, &mac_control_protocol, 2, "MAC control 0x0007");
}
