/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"
#include "output/packet/text.h"
#include "tests/frame_kit.h"
#include "tests/iwarp_kit.h"

static struct rtap_fpdu fpdu;
static uint8_t fpdu_bytes[512];
static const struct rtap_context context = { .is_iwarp = true, .fpdus = &fpdu, .fpdu_count = 1 };

/* The last octet is of an FPDU. */
static const uint8_t frame[41] = {
	0x45, 0, 0, 41, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
	0x4e, 0x29, 0xc0, 0x00, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x18, 0, 32, 0, 0, 0, 0, 0xff,
};

/* An FPDU of a ULPDU. The CRC is 0 and not in use. */
static struct rtap_fpdu fpdu_of(uint8_t *bytes, size_t size, const uint8_t *ulpdu, uint32_t length)
{
	memset(bytes, 0, size);
	bytes[0] = (uint8_t)(length >> 8);
	bytes[1] = (uint8_t)length;
	memcpy(bytes + 2, ulpdu, length);
	return (struct rtap_fpdu){
		.bytes = { bytes, fpdu_total_length(length, RTAP_NO_MARKER) }, .first_marker = RTAP_NO_MARKER,
		.ulpdu_length = (uint16_t)length, .crc_status = RTAP_CRC_OFF,
	};
}

/* Dissects a frame that the FPDU of a ULPDU ends in. */
static void dissect_ulpdu(struct kit *kit, const uint8_t *ulpdu, uint32_t length)
{
	fpdu = fpdu_of(fpdu_bytes, sizeof fpdu_bytes, ulpdu, length);
	kit_dissect(kit, RTAP_LINK_IPV4, frame, sizeof frame, sizeof frame, &context);
}

/* A ULPDU of an opcode with the tagged flag and queue number that belong to it, followed by `body` bytes counting from 1. */
static uint32_t build(uint8_t *ulpdu, uint8_t opcode, uint32_t body)
{
	bool tagged = opcode == 0 || opcode == 2;
	static const uint8_t queues[16] = { [1] = 1, [7] = 2, [10] = 1, [11] = 3 };
	uint32_t length = tagged ? 14 : 18;

	memset(ulpdu, 0, length);
	ulpdu[0] = tagged ? 0xc1 : 0x41;
	ulpdu[1] = (uint8_t)(0x40 | opcode);
	if (tagged) {
		put32(ulpdu + 2, 0x11223344);
		put32(ulpdu + 6, 0x55667788);
		put32(ulpdu + 10, 0x99aabbcc);
	} else {
		put32(ulpdu + 2, opcode == 4 || opcode == 6 ? 0xdeadbeef : 0);
		put32(ulpdu + 6, queues[opcode]);
		put32(ulpdu + 10, 77);
	}
	for (uint32_t i = 0; i < body; i++)
		ulpdu[length + i] = (uint8_t)(i + 1);
	return length + body;
}

static const struct {
	uint8_t opcode;
	uint32_t body;
	const char *field;
	uint64_t value;
	unsigned fields_rdma; /* fields of RDMAP */
	uint32_t payload;
} messages[] = {
	{ 0, 100, "iwarp_ddp.tagged_offset", 0x5566778899aabbcc, 3, 100 },
	{ 0, 0, "iwarp_ddp.stag", 0x11223344, 3, 0 },
	{ 1, 28, "iwarp_rdma.sinkstag", 0x01020304, 9, 0 },
	{ 1, 28, "iwarp_rdma.sinkto", 0x05060708090a0b0c, 9, 0 },
	{ 1, 28, "iwarp_rdma.rdmardsz", 0x0d0e0f10, 9, 0 },
	{ 1, 28, "iwarp_rdma.srcstag", 0x11121314, 9, 0 },
	{ 1, 28, "iwarp_rdma.srcto", 0x15161718191a1b1c, 9, 0 },
	{ 2, 4, "iwarp_ddp.stag", 0x11223344, 3, 4 },
	{ 3, 5, "iwarp_ddp.msn", 77, 4, 5 },
	{ 4, 5, "iwarp_rdma.inval_stag", 0xdeadbeef, 4, 5 },
	{ 5, 0, "iwarp_rdma.opcode", 5, 4, 0 },
	{ 6, 7, "iwarp_rdma.inval_stag", 0xdeadbeef, 4, 7 },
	{ 8, 8, "iwarp_rdma.opcode", 8, 4, 0 },
	{ 9, 8, "iwarp_rdma.opcode", 9, 4, 0 },
	{ 10, 52, "iwarp_rdma.atomic.request_identifier", 0x05060708, 12, 0 },
	{ 10, 52, "iwarp_rdma.atomic.remote_stag", 0x090a0b0c, 12, 0 },
	{ 10, 52, "iwarp_rdma.atomic.remote_tagged_offset", 0x0d0e0f1011121314, 12, 0 },
	{ 10, 52, "iwarp_rdma.atomic.swap_data", 0x15161718191a1b1c, 12, 0 },
	{ 10, 52, "iwarp_rdma.atomic.compare_mask", 0x2d2e2f3031323334, 12, 0 },
	{ 11, 12, "iwarp_rdma.atomic.original_request_identifier", 0x01020304, 5, 0 },
	{ 11, 12, "iwarp_rdma.atomic.original_remote_data_value", 0x05060708090a0b0c, 5, 0 },
};

struct counter {
	struct rtap_visitor visitor;
	unsigned rdma;
};

static void count_field(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field, const struct rtap_value *value,
			const struct rtap_place *place)
{
	(void)id;
	(void)value;
	(void)place;
	((struct counter *)visitor)->rdma += !strncmp(field->name, "iwarp_rdma.", 11);
}

TestSuite(rdmap, .timeout = HANG_SECONDS);

Test(rdmap, each_opcode_has_its_fields)
{
	for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
		struct counter counter = { .visitor = { .field = count_field } };
		struct rtap_value value = { 0 };
		struct rtap_iwarp_facts facts;
		uint8_t ulpdu[256];
		uint32_t length = build(ulpdu, messages[i].opcode, messages[i].body);
		struct kit kit;

		dissect_ulpdu(&kit, ulpdu, length);
		cr_expect_eq(kit_field(&kit, messages[i].field, &value), 1, "%s", messages[i].field);
		cr_expect_eq(value.number, messages[i].value, "%s", messages[i].field);
		rtap_packet_visit(&kit.packet, &counter.visitor);
		cr_expect_eq(counter.rdma, messages[i].fields_rdma, "%s: %u fields", messages[i].field, counter.rdma);
		cr_expect_eq(kit.packet.anomaly_count, 0, "%s", messages[i].field);
		cr_expect_eq(iwarp_read(ulpdu, length, length, &facts), OK);
		cr_expect_eq(facts.payload_length, messages[i].payload, "%s", messages[i].field);
		cr_expect(iwarp_is_plausible(&facts, length), "%s", messages[i].field);
		kit_free(&kit);
	}
}

/* RFC 7306, 5.2.1, table of operation codes: the compare data is unused in a FetchAdd, but present. */
Test(rdmap, operands_and_masks_of_an_atomic_are_named_by_its_operation)
{
	static const struct {
		uint8_t operation;
		const char *field;
		bool is_there;
		uint64_t value;
	} operands[] = {
		{ 0, "iwarp_rdma.atomic.add_data", true, 0x15161718191a1b1c }, { 0, "iwarp_rdma.atomic.add_mask", true, 0x1d1e1f2021222324 },
		{ 0, "iwarp_rdma.atomic.swap_data", false, 0 }, { 0, "iwarp_rdma.atomic.swap_mask", false, 0 },
		{ 0, "iwarp_rdma.atomic.compare_data", true, 0x25262728292a2b2c }, { 0, "iwarp_rdma.atomic.compare_mask", true, 0x2d2e2f3031323334 },
		{ 2, "iwarp_rdma.atomic.swap_data", true, 0x15161718191a1b1c }, { 2, "iwarp_rdma.atomic.swap_mask", true, 0x1d1e1f2021222324 },
		{ 2, "iwarp_rdma.atomic.add_data", false, 0 }, { 2, "iwarp_rdma.atomic.add_mask", false, 0 },
		{ 2, "iwarp_rdma.atomic.compare_data", true, 0x25262728292a2b2c }, { 2, "iwarp_rdma.atomic.compare_mask", true, 0x2d2e2f3031323334 },
	};

	for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
		struct rtap_value value = { 0 };
		uint8_t ulpdu[256];
		uint32_t length = build(ulpdu, 10, 52);
		struct kit kit;

		ulpdu[length - 52 + 3] = operands[i].operation;
		dissect_ulpdu(&kit, ulpdu, length);
		cr_expect_eq(kit_field(&kit, operands[i].field, &value), operands[i].is_there, "%s", operands[i].field);
		cr_expect_eq(value.number, operands[i].value, "%s", operands[i].field);
		kit_free(&kit);
	}
}

Test(rdmap, every_cut_of_every_message_is_noticed)
{
	for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
		uint8_t ulpdu[256];
		uint32_t length = build(ulpdu, messages[i].opcode, messages[i].body), headers = length - messages[i].payload;

		for (uint32_t cut = 0; cut < length; cut++) {
			struct rtap_iwarp_facts facts;
			uint8_t *exact = malloc(cut ? cut : 1);
			struct kit kit;

			memcpy(exact, ulpdu, cut);
			cr_expect_eq(iwarp_read(exact, cut, length, &facts), cut < headers ? TRUNCATED : OK, "opcode %u, %u bytes", messages[i].opcode, cut);
			cr_expect_eq(iwarp_read(exact, cut, cut, &facts), cut < headers ? MALFORMED : OK, "opcode %u, %u bytes", messages[i].opcode, cut);
			dissect_ulpdu(&kit, ulpdu, cut);
			cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_MALFORMED), cut < headers, "opcode %u, %u bytes", messages[i].opcode, cut);
			kit_free(&kit);
			free(exact);
		}
	}
}

Test(rdmap, invalid_headers_are_not_plausible)
{
	static const struct { uint8_t opcode; uint32_t body; uint32_t at; uint8_t byte; bool plausible; } cases[] = {
		{ 3, 4, 0, 0x41, true }, { 3, 4, 0, 0x01, true }, { 3, 4, 0, 0x40, false }, { 3, 4, 0, 0x42, false }, { 3, 4, 0, 0x45, false },
		{ 3, 4, 0, 0xc1, false }, { 3, 4, 1, 0x03, false }, { 3, 4, 1, 0x83, false }, { 3, 4, 1, 0x53, false }, { 3, 4, 1, 0x4c, false },
		{ 3, 4, 2, 1, false }, { 3, 4, 9, 1, false }, { 4, 4, 2, 1, true }, { 1, 28, 9, 0, false }, { 1, 28, 17, 1, false },
		{ 1, 27, 0, 0x41, false }, { 1, 29, 0, 0x41, false }, { 1, 28, 0, 0x01, false }, { 8, 8, 0, 0x41, true }, { 8, 7, 0, 0x41, false },
		{ 7, 4, 9, 2, true }, { 7, 3, 9, 2, false }, { 0, 0, 0, 0x81, true }, { 0, 0, 0, 0x41, false }, { 10, 52, 0, 0x41, true },
		{ 10, 51, 0, 0x41, false }, { 11, 12, 9, 3, true }, { 11, 32, 9, 3, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_iwarp_facts facts;
		uint8_t ulpdu[256];
		uint32_t length = build(ulpdu, cases[i].opcode, cases[i].body);

		ulpdu[cases[i].at] = cases[i].byte;
		(void)!iwarp_read(ulpdu, length, length, &facts);
		cr_expect_eq(iwarp_is_plausible(&facts, length), cases[i].plausible, "case %zu", i);
	}
}

Test(rdmap, messages_follow_each_other_by_their_numbers)
{
	static const struct rtap_iwarp_facts sends[] = {
		{ .last = true, .opcode = 3, .msn = 5 }, { .last = true, .opcode = 3, .msn = 6 }, { .opcode = 3, .msn = 6, .payload_length = 100 },
		{ .opcode = 3, .msn = 6, .mo = 100, .payload_length = 100 }, { .last = true, .opcode = 1, .qn = 1, .msn = 900 },
		{ .opcode = 0, .tagged = true, .stag = 1, .tagged_offset = 1000, .payload_length = 50 },
		{ .opcode = 0, .tagged = true, .last = true, .stag = 1, .tagged_offset = 1050 },
		{ .opcode = 0, .tagged = true, .last = true, .stag = 2, .tagged_offset = 1050 },
		{ .last = true, .opcode = 3, .msn = 0xffffffff }, { .last = true, .opcode = 3, .msn = 0 },
	};
	static const struct { unsigned previous, next; bool follows; } cases[] = {
		{ 0, 1, true }, { 1, 0, false }, { 0, 0, false }, { 0, 2, true }, { 2, 3, true }, { 2, 1, false }, { 0, 3, false }, { 0, 4, true },
		{ 4, 0, true }, { 5, 6, true }, { 5, 7, false }, { 5, 0, false }, { 6, 7, true }, { 7, 0, true }, { 2, 5, false }, { 8, 9, true },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		cr_expect_eq(iwarp_follows(&sends[cases[i].previous], &sends[cases[i].next]), cases[i].follows, "case %zu", i);
}

/* Builds a Terminate whose header is `control`, with parts after it. */
static uint32_t build_terminate(uint8_t *ulpdu, uint32_t control, bool length, uint32_t ddp, bool rdma)
{
	uint32_t size = build(ulpdu, 7, 4);

	put32(ulpdu + 18, control);
	if (length) {
		ulpdu[size++] = 0x05;
		ulpdu[size++] = 0x90;
	}
	if (ddp)
		size += build(ulpdu + size, ddp == 14 ? 0 : 1, 0);
	for (uint32_t i = 0; rdma && i < 28; i++)
		ulpdu[size++] = (uint8_t)(i + 1);
	return size;
}

Test(rdmap, terminates_are_read_in_both_layouts)
{
	static const struct {
		uint32_t control;
		bool length;
		uint32_t ddp;
		bool rdma, soft;
		uint8_t layer, type, code;
	} cases[] = {
		/* RFC 5040 */
		{ 0x0101e000, true, 18, true, false, 0, 1, 1 },
		{ 0x1202c000, true, 18, false, false, 1, 2, 2 },
		{ 0x1100c000, true, 14, false, false, 1, 1, 0 },
		{ 0x20020000, false, 0, false, false, 2, 0, 2 },
		{ 0x00000000, false, 0, false, false, 0, 0, 0 },
		{ 0x02ff4000, true, 14, false, false, 0, 2, 255 },
		/* soft-iWARP */
		{ 0x10010700, true, 18, true, true, 0, 1, 1 },
		{ 0x21020300, true, 18, false, true, 1, 2, 2 },
		{ 0x11000300, true, 14, false, true, 1, 1, 0 },
		{ 0x10090700, true, 18, false, true, 0, 1, 9 }, /* Send with Invalidate: R without the 28 bytes */
		{ 0x02020000, false, 0, false, true, 2, 0, 2 },
		/* only the standard's fits */
		{ 0x10010700, false, 0, false, false, 1, 0, 1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t ulpdu[256];
		uint32_t length = build_terminate(ulpdu, cases[i].control, cases[i].length, cases[i].ddp, cases[i].rdma);
		struct rtap_value value = { 0 };
		struct rtap_iwarp_facts facts;
		struct kit kit;

		dissect_ulpdu(&kit, ulpdu, length);
		cr_assert_eq(iwarp_read(ulpdu, length, length, &facts), OK);
		cr_expect(facts.error_layer == cases[i].layer && facts.error_type == cases[i].type && facts.error_code == cases[i].code, "case %zu", i);
		cr_expect_eq(kit_field(&kit, "iwarp_rdma.term_layout", &value), 1);
		cr_expect_eq(value.data.bytes[0], cases[i].soft ? 's' : 'R', "case %zu", i);
		cr_expect_eq(kit_field(&kit, "iwarp_rdma.term_ddp_h", &value), cases[i].ddp > 0, "case %zu", i);
		cr_expect(!cases[i].ddp || value.data.length == cases[i].ddp, "case %zu", i);
		cr_expect_eq(kit_field(&kit, "iwarp_rdma.term_ddp_h.stag", NULL), cases[i].ddp == 14, "case %zu", i);
		cr_expect_eq(kit_field(&kit, "iwarp_rdma.term_rdma_h.srcto", NULL), cases[i].rdma, "case %zu", i);
		cr_expect_eq(kit_field(&kit, "iwarp_rdma.term_ddp_seg_len", NULL), cases[i].length, "case %zu", i);
		kit_free(&kit);
	}
}

Test(rdmap, a_terminate_truncated_anywhere_reports_captured_fields)
{
	static const uint32_t controls[] = { 0x0101e000, 0x10010700, 0x0101ffff, 0x1001ff00 };

	for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
		uint8_t ulpdu[256];
		uint32_t length = build_terminate(ulpdu, controls[i], true, 18, true);

		for (uint32_t cut = 0; cut <= length; cut++) {
			uint8_t *exact = malloc(cut ? cut : 1);
			struct rtap_iwarp_facts facts;
			struct kit kit;

			memcpy(exact, ulpdu, cut);
			(void)!iwarp_read(exact, cut, length, &facts);
			(void)!iwarp_read(exact, cut, cut, &facts);
			dissect_ulpdu(&kit, ulpdu, cut);
			cr_expect_eq(kit_field(&kit, "iwarp_rdma.term_layer", NULL), cut >= 22, "%u bytes", cut);
			kit_free(&kit);
			free(exact);
		}
	}
}

Test(rdmap, a_whole_send_goes_on_to_rpc_over_rdma_and_others_do_not)
{
	static const struct { uint8_t opcode, control; uint32_t mo; bool recognised; } cases[] = {
		{ 3, 0x41, 0, true }, { 4, 0x41, 0, true }, { 5, 0x41, 0, true }, { 6, 0x41, 0, true }, { 3, 0x01, 0, false }, { 3, 0x41, 4, false },
	};
	static const uint32_t words[] = { 7, 1, 128, 0, 0, 0, 0, 7, 0, 2, 100003, 3, 0, 0, 0, 0, 0 };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t ulpdu[256];
		uint32_t length = build(ulpdu, cases[i].opcode, sizeof words);
		struct kit kit;

		ulpdu[0] = cases[i].control;
		put32(ulpdu + 14, cases[i].mo);
		for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
			put32(ulpdu + 18 + 4 * k, words[k]);
		dissect_ulpdu(&kit, ulpdu, length);
		cr_expect_eq(kit.packet.rpcrdma.present, cases[i].recognised, "case %zu", i);
		cr_expect_eq(kit.packet.rpc.present, cases[i].recognised, "case %zu", i);
		kit_free(&kit);
	}
}

Test(rdmap, each_send_of_a_segment_has_its_own_rpc)
{
	static const uint32_t words[2][19] = {
		{ 7, 1, 128, 0, 0, 0, 0, 7, 0, 2, 100003, 3, 1, 0, 0, 0, 0, 4, 0x61626364 },
		{ 8, 1, 128, 0, 0, 0, 0, 8, 0, 2, 100005, 3, 1, 0, 0, 0, 0, 4, 0x2f737276 },
	};
	uint8_t ulpdu[256], bytes[2][256];
	struct rtap_fpdu fpdus[2];
	const struct rtap_context two = { .is_iwarp = true, .fpdus = fpdus, .fpdu_count = 2 };
	struct text_format format;
	struct line line;
	char text[512];
	struct kit kit;

	for (size_t i = 0; i < 2; i++) {
		uint32_t length = build(ulpdu, 3, sizeof words[i]);

		for (size_t k = 0; k < sizeof words[i] / sizeof words[i][0]; k++)
			put32(ulpdu + 18 + 4 * k, words[i][k]);
		fpdus[i] = fpdu_of(bytes[i], sizeof bytes[i], ulpdu, length);
	}
	kit_dissect(&kit, RTAP_LINK_IPV4, frame, sizeof frame, sizeof frame, &two);
	text_format_init(&format);
	line_init(&line, text, sizeof text - 1);
	text_line(&format, &kit.packet, &line);
	*line.next = 0;
	cr_expect(strstr(text, "NFS v3 GETATTR") && strstr(text, "MOUNT v3 MNT /srv"), "%s", text);
	text_format_fini(&format);
	kit_free(&kit);
}

Test(rdmap, reserved_opcodes_are_noted)
{
	for (uint8_t opcode = 0; opcode < 16; opcode++) {
		uint8_t ulpdu[256];
		uint32_t length = build(ulpdu, opcode, 60);
		struct kit kit;

		dissect_ulpdu(&kit, ulpdu, length);
		cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_UNKNOWN_OPCODE), opcode > 11, "opcode %u", opcode);
		kit_free(&kit);
	}
}
