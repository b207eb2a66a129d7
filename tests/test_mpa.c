/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "dissect/engine/crc32c.h"
#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"
#include "dissect/iwarp/mpa_setup.h"
#include "tests/frame_kit.h"
#include "tests/iwarp_kit.h"

/* An IPv4 frame without a link layer around a TCP payload. Returns its length. */
static uint32_t tcp_frame(uint8_t *frame, const uint8_t *payload, uint32_t length)
{
	static const uint8_t headers[40] = {
		0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
		0x4e, 0x29, 0xc0, 0x00, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x18, 0, 32, 0, 0, 0, 0,
	};

	memcpy(frame, headers, sizeof headers);
	memcpy(frame + sizeof headers, payload, length);
	frame[2] = (uint8_t)((sizeof headers + length) >> 8);
	frame[3] = (uint8_t)(sizeof headers + length);
	return (uint32_t)sizeof headers + length;
}

static void dissect_segment(struct kit *kit, const uint8_t *payload, uint32_t length, uint32_t captured, const struct rtap_context *context)
{
	static uint8_t frame[65536];
	uint32_t whole = tcp_frame(frame, payload, length);

	kit_dissect(kit, RTAP_LINK_IPV4, frame, whole - length + captured, whole, context);
}

static uint64_t number_of(const struct kit *kit, const char *name)
{
	struct rtap_value value = { 0 };

	cr_expect(kit_field(kit, name, &value), "%s is not there", name);
	return value.number;
}

static bool is_text(const struct kit *kit, const char *name, const char *text)
{
	struct rtap_value value = { 0 };

	return kit_field(kit, name, &value) && value.data.length == strlen(text) && !memcmp(value.data.bytes, text, strlen(text));
}

/* RFC 5044, figures 5 and 6 */
static const uint8_t first_example[] = {
	0, 0, 0, 0, 0x00, 0x2a, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x52, 0x23, 0x99, 0x83,
};
static const uint8_t second_example[] = {
	0x00, 0x2a, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x84, 0x92, 0x58, 0x98,
};

TestSuite(mpa, .timeout = HANG_SECONDS);

Test(mpa, both_examples_of_the_standard_have_good_crcs)
{
	const struct { const uint8_t *bytes; uint32_t length, marker; } examples[] = {
		{ first_example, sizeof first_example, 0 }, { second_example, sizeof second_example, 0x14 },
	};

	for (int i = 0; i < 2; i++) {
		struct rtap_fpdu fpdu = { .bytes = { examples[i].bytes, examples[i].length }, .ulpdu_length = 42, .first_marker = examples[i].marker };
		uint8_t bad[sizeof first_example];
		struct rtap_iwarp_facts facts;
		const uint8_t *head;
		uint32_t length;

		cr_assert_eq(fpdu_total_length(42, examples[i].marker), examples[i].length);
		fpdu_fill_head(&fpdu);
		cr_expect_eq(fpdu_check_crc(&fpdu), RTAP_CRC_GOOD);
		cr_expect(fpdu_markers_agree(&fpdu));
		head = fpdu_head(&fpdu, &length);
		cr_expect_eq(iwarp_read(head, length, 42, &facts), OK);
		cr_expect_eq(facts.msn, (uint32_t)i + 1);
		cr_expect_eq(facts.payload_length, 24);
		for (uint32_t k = 0; k < sizeof bad; k++) {
			memcpy(bad, examples[i].bytes, sizeof bad);
			bad[k] ^= 0x10;
			fpdu.bytes.bytes = bad;
			cr_expect_eq(fpdu_check_crc(&fpdu), RTAP_CRC_BAD, "byte %u is not covered", k);
		}
	}
}

Test(mpa, crc32c_has_the_value_that_everyone_publishes)
{
	static uint8_t noise[5000];

	cr_expect_eq(crc32c((const uint8_t *)"123456789", 9), 0xe3069283);
	cr_expect_eq(crc32c((const uint8_t *)"", 0), 0);
	fill_noise(noise, sizeof noise, 5);
	for (uint32_t length = 0; length < sizeof noise - 8; length += 1 + length / 70)
		cr_expect_eq(crc32c(noise + length % 8, length), sent_crc(noise + length % 8, length), "length %u", length);
}

/* A Request or Reply; returns its length. */
static uint32_t build_setup(uint8_t *to, bool reply, uint8_t flags, uint8_t revision, uint16_t private_length)
{
	memcpy(to, reply ? "MPA ID Rep Frame" : "MPA ID Req Frame", 16);
	to[16] = flags;
	to[17] = revision;
	to[18] = (uint8_t)(private_length >> 8);
	to[19] = (uint8_t)private_length;
	for (uint32_t i = 0; i < private_length; i++)
		to[20 + i] = (uint8_t)(0xa0 + i);
	return 20u + private_length;
}

Test(mpa, requests_and_replies_report_the_negotiated_parameters)
{
	static const struct {
		bool reply;
		uint8_t flags, revision;
		uint16_t private_length;
		bool markers, crc, rejected, enhanced;
	} cases[] = {
		{ false, 0x00, 1, 0, false, false, false, false },
		{ false, 0x80, 1, 8, true, false, false, false },
		{ true, 0x40, 1, 0, false, true, false, false },
		{ true, 0x20, 1, 0, false, false, true, false },
		{ false, 0x20, 1, 0, false, false, false, false },
		{ true, 0xf0, 2, 4, true, true, true, true },
		{ false, 0x10, 2, 512, false, false, false, true },
		{ false, 0x10, 1, 4, false, false, false, false },
		{ false, 0x10, 2, 3, false, false, false, false },
		{ false, 0x58, 3, 28, false, true, false, true },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t bytes[600];
		uint32_t length = build_setup(bytes, cases[i].reply, cases[i].flags, cases[i].revision, cases[i].private_length);
		const struct rtap_mpa_facts *facts;
		struct kit kit;

		dissect_segment(&kit, bytes, length, length, NULL);
		facts = &kit.packet.mpa;
		cr_assert(facts->present, "case %zu", i);
		cr_expect_eq(facts->is_reply, cases[i].reply, "case %zu", i);
		cr_expect_eq(facts->markers, cases[i].markers, "case %zu", i);
		cr_expect_eq(facts->crc, cases[i].crc, "case %zu", i);
		cr_expect_eq(facts->rejected, cases[i].rejected, "case %zu", i);
		cr_expect_eq(facts->enhanced, cases[i].enhanced, "case %zu", i);
		cr_expect_eq(facts->length, length, "case %zu", i);
		cr_expect_eq(kit_field(&kit, "iwarp_mpa.ird", NULL), cases[i].enhanced, "case %zu", i);
		cr_expect_eq(kit_field(&kit, "iwarp_mpa.privatedata", NULL), cases[i].private_length > 0, "case %zu", i);
		cr_expect_eq(kit.packet.anomaly_count, 0, "case %zu", i);
		kit_free(&kit);
	}
}

Test(mpa, enhanced_setup_has_its_bits_where_the_standard_puts_them)
{
	static const struct { uint32_t word; const char *field; uint64_t value; } cases[] = {
		{ 0x80000000, "iwarp_mpa.p2p_flag", 1 }, { 0x40000000, "iwarp_mpa.rtr_send_flag", 1 }, { 0x3fff0000, "iwarp_mpa.ird", 0x3fff },
		{ 0x00010000, "iwarp_mpa.ird", 1 }, { 0x00008000, "iwarp_mpa.rtr_write_flag", 1 }, { 0x00004000, "iwarp_mpa.rtr_read_flag", 1 },
		{ 0x00003fff, "iwarp_mpa.ord", 0x3fff }, { 0x00000001, "iwarp_mpa.ord", 1 },
	};
	static const char *const all[] = { "iwarp_mpa.p2p_flag", "iwarp_mpa.rtr_send_flag", "iwarp_mpa.ird", "iwarp_mpa.rtr_write_flag",
					   "iwarp_mpa.rtr_read_flag", "iwarp_mpa.ord" };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t bytes[64];
		uint32_t length = build_setup(bytes, false, 0x10, 2, 4);
		struct kit kit;

		put32(bytes + 20, cases[i].word);
		dissect_segment(&kit, bytes, length, length, NULL);
		for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
			cr_expect_eq(number_of(&kit, all[k]), strcmp(all[k], cases[i].field) ? 0 : cases[i].value, "%#x: %s", cases[i].word, all[k]);
		kit_free(&kit);
	}
}

Test(mpa, a_setup_frame_may_be_cut_anywhere)
{
	uint8_t bytes[64];
	uint32_t length = build_setup(bytes, true, 0x10, 2, 28);

	for (uint32_t captured = 0; captured < length; captured++) {
		struct kit kit;

		dissect_segment(&kit, bytes, length, captured, NULL);
		cr_expect_eq(packet_has(&kit.packet, PROTOCOL_MPA_REPLY), captured >= 16, "%u bytes", captured);
		cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_TRUNCATED), captured >= 16, "%u bytes", captured);
		kit_free(&kit);
		/* in a stream the rest comes with the next segment */
		dissect_segment(&kit, bytes, captured, captured, NULL);
		cr_expect_not(captured >= 20 && kit.packet.anomaly_count, "%u bytes", captured);
		kit_free(&kit);
	}
}

Test(mpa, a_setup_frame_is_read_from_a_stream_as_soon_as_it_is_whole)
{
	uint8_t bytes[64];
	uint32_t length = build_setup(bytes, true, 0x10, 2, 28);

	for (uint32_t there = 16; there <= length + 3; there++) {
		struct cursor cursor = { bytes, there, there };
		struct rtap_mpa_facts facts;

		cr_assert(mpa_is_setup(&cursor));
		cr_expect_eq(mpa_read_setup(&cursor, &facts), there >= length ? OK : TRUNCATED, "%u bytes", there);
		cr_expect_eq(facts.length, there >= 20 ? length : 0, "%u bytes", there);
		cr_expect(there < length || cursor.captured == there - length);
	}
}

Test(mpa, private_data_may_hold_the_message_of_rpc_over_rdma_anywhere)
{
	static const uint8_t message[] = { 0xf6, 0xab, 0x0e, 0x18, 1, 1, 3, 0 };

	for (uint32_t at = 0; at <= 12; at++) {
		uint8_t bytes[64];
		uint32_t length = build_setup(bytes, false, at >= 4 ? 0x10 : 0, 2, 20);
		struct kit kit;

		memcpy(bytes + 20 + at, message, sizeof message);
		dissect_segment(&kit, bytes, length, length, NULL);
		cr_expect(kit.packet.mpa.upper == RTAP_UPPER_RPCRDMA && kit.packet.mpa.remote_invalidation, "at %u", at);
		cr_expect(kit.packet.mpa.send_size == 4096 && kit.packet.mpa.receive_size == 1024, "at %u", at);
		cr_expect_eq(number_of(&kit, "rpcordma.private.send_size"), 4096);
		cr_expect_eq(kit.packet.anomaly_count, 0);
		kit_free(&kit);
	}
}

Test(mpa, too_much_private_data_is_noted)
{
	static uint8_t bytes[1000];
	uint32_t length = build_setup(bytes, false, 0, 1, 513);
	struct kit kit;

	dissect_segment(&kit, bytes, length, length, NULL);
	cr_expect(kit_has_anomaly(&kit, RTAP_ANOMALY_PRIVATE_DATA_TOO_LONG));
	kit_free(&kit);
}

static struct sender sender;

Test(mpa, a_segment_of_whole_fpdus_is_recognised_by_its_crcs_or_by_four_in_a_row)
{
	static const struct { bool crc; uint32_t fpdus; uint32_t cut; uint32_t flipped; bool recognised; } cases[] = {
		{ true, 1, 0, 0, true }, { true, 7, 0, 0, true }, { true, 7, 1, 0, false }, { true, 2, 0, 30, false },
		{ false, 1, 0, 0, false }, { false, 3, 0, 0, false }, { false, 4, 0, 0, true }, { false, 4, 4, 0, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rtap_context quiet = { .no_heuristics = true };
		struct kit kit;

		sender_init(&sender, SENT_PLAIN, cases[i].crc);
		for (uint32_t k = 0; k < cases[i].fpdus; k++)
			send_send(&sender, 20 + k);
		if (cases[i].flipped)
			sender.bytes[cases[i].flipped] ^= 1;
		dissect_segment(&kit, sender.bytes, sender.length - cases[i].cut, sender.length - cases[i].cut, NULL);
		cr_expect_eq(packet_has(&kit.packet, PROTOCOL_MPA_FPDU), cases[i].recognised, "case %zu", i);
		cr_expect_eq(kit.packet.fpdus.count, cases[i].recognised ? cases[i].fpdus : 0, "case %zu", i);
		cr_expect_eq(kit_field(&kit, "iwarp_ddp.msn", NULL), cases[i].recognised ? cases[i].fpdus : 0, "case %zu", i);
		if (cases[i].recognised) {
			cr_expect(is_text(&kit, "iwarp_mpa.crc.status", cases[i].crc ? "good" : "off"));
			cr_expect(is_text(&kit, "iwarp_mpa.framing", cases[i].crc ? "recovered" : "recovered (no CRC)"));
			cr_expect_eq(kit_field(&kit, cases[i].crc ? "iwarp_mpa.crc_check" : "iwarp_mpa.crc", NULL), cases[i].fpdus);
		}
		kit_free(&kit);
		dissect_segment(&kit, sender.bytes, sender.length, sender.length, &quiet);
		cr_expect_not(packet_has(&kit.packet, PROTOCOL_MPA_FPDU), "case %zu", i);
		kit_free(&kit);
		sender_fini(&sender);
	}
}

Test(mpa, fpdus_of_the_context_are_reported_wherever_their_bytes_are)
{
	struct rtap_fpdu fpdus[3] = { 0 };
	struct rtap_context context = { .is_iwarp = true, .fpdus = fpdus, .fpdu_count = 3 };
	static const uint8_t rest[] = { 1, 2, 3, 4 };
	struct kit kit;

	sender_init(&sender, SENT_MARKED, true);
	for (int i = 0; i < 3; i++)
		send_send(&sender, 490);
	for (int i = 0; i < 3; i++) {
		fpdus[i].bytes = (struct rtap_span){ sender.bytes + sender.fpdus[i].offset, sender.fpdus[i].length };
		fpdus[i].ulpdu_length = (uint16_t)sender.fpdus[i].ulpdu_length;
		fpdus[i].first_marker = -sender.fpdus[i].offset & 511;
		fpdus[i].crc_status = i == 1 ? RTAP_CRC_BAD : RTAP_CRC_GOOD;
		fpdu_fill_head(&fpdus[i]);
	}
	dissect_segment(&kit, rest, sizeof rest, sizeof rest, &context);
	cr_expect_eq(kit.packet.fpdus.count, 3);
	cr_expect_eq(kit_field(&kit, "iwarp_mpa.ulpdulength", NULL), 3);
	cr_expect_eq(kit_field(&kit, "iwarp_mpa.marker_fpduptr", NULL), sender.places[0] + sender.places[1] + sender.places[2] + sender.places[4]);
	cr_expect_eq(number_of(&kit, "iwarp_ddp.msn"), 1);
	cr_expect(kit_has_anomaly(&kit, RTAP_ANOMALY_BAD_FPDU_CRC));
	kit_free(&kit);
	sender_fini(&sender);
}

Test(mpa, more_fpdus_than_layers_are_all_reported)
{
	struct kit kit;

	sender_init(&sender, SENT_PLAIN, true);
	for (int i = 0; i < 1500; i++)
		send_send(&sender, 16);
	dissect_segment(&kit, sender.bytes, sender.length, sender.length, NULL);
	cr_expect_eq(kit.packet.fpdus.count, 1500);
	cr_expect_eq(kit_field(&kit, "iwarp_ddp.msn", NULL), 1500);
	cr_expect_leq(kit.packet.layer_count, RTAP_MAX_LAYERS);
	cr_expect_eq(kit.packet.anomaly_count, 0);
	kit_free(&kit);
	sender_fini(&sender);
}
