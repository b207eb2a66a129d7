/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>

#include <criterion/criterion.h>

#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_opcode.h"
#include "tests/frame_kit.h"

TestSuite(ib, .timeout = HANG_SECONDS);

Test(ib, rnr_timers_are_those_of_the_standards_table)
{
	/* IBTA vol. 1, 9.7.5.2.8, in units of 0.01 ms */
	static const uint32_t expected[32] = { 65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
					       1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152 };

	for (uint8_t code = 0; code < 32; code++)
		cr_expect_eq(ib_rnr_timer_us(code), expected[code] * 10, "code %u", code);
}

Test(ib, credit_counts_are_those_of_the_standards_table)
{
	/* IBTA vol. 1, 9.7.7.2 */
	static const uint32_t expected[31] = { 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
					       2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768 };

	for (uint8_t code = 0; code < 31; code++)
		cr_expect_eq(ib_credits(code), expected[code], "code %u", code);
}

/* Rows of IBTA vol. 1, table 38 (and A19 for the last), written down apart from the code's own table. */
static const struct {
	uint8_t opcode;
	const char *name;
	const char *layers; /* after BTH */
	uint32_t length;    /* bytes of extended headers */
} opcode_rows[] = {
	{ 0x00, "RC SEND First", "", 0 },
	{ 0x01, "RC SEND Middle", "", 0 },
	{ 0x02, "RC SEND Last", "", 0 },
	{ 0x03, "RC SEND Last with Immediate", " infiniband.immdt", 4 },
	{ 0x04, "RC SEND Only", "", 0 },
	{ 0x05, "RC SEND Only with Immediate", " infiniband.immdt", 4 },
	{ 0x06, "RC RDMA WRITE First", " infiniband.reth", 16 },
	{ 0x07, "RC RDMA WRITE Middle", "", 0 },
	{ 0x08, "RC RDMA WRITE Last", "", 0 },
	{ 0x09, "RC RDMA WRITE Last with Immediate", " infiniband.immdt", 4 },
	{ 0x0a, "RC RDMA WRITE Only", " infiniband.reth", 16 },
	{ 0x0b, "RC RDMA WRITE Only with Immediate", " infiniband.reth infiniband.immdt", 20 },
	{ 0x0c, "RC RDMA READ Request", " infiniband.reth", 16 },
	{ 0x0d, "RC RDMA READ Response First", " infiniband.aeth", 4 },
	{ 0x0e, "RC RDMA READ Response Middle", "", 0 },
	{ 0x0f, "RC RDMA READ Response Last", " infiniband.aeth", 4 },
	{ 0x10, "RC RDMA READ Response Only", " infiniband.aeth", 4 },
	{ 0x11, "RC Acknowledge", " infiniband.aeth", 4 },
	{ 0x12, "RC ATOMIC Acknowledge", " infiniband.aeth infiniband.atomicacketh", 12 },
	{ 0x13, "RC CmpSwap", " infiniband.atomiceth", 28 },
	{ 0x14, "RC FetchAdd", " infiniband.atomiceth", 28 },
	{ 0x16, "RC SEND Last with Invalidate", " infiniband.ieth", 4 },
	{ 0x17, "RC SEND Only with Invalidate", " infiniband.ieth", 4 },
	{ 0x24, "UC SEND Only", "", 0 },
	{ 0x2b, "UC RDMA WRITE Only with Immediate", " infiniband.reth infiniband.immdt", 20 },
	{ 0x45, "RD SEND Only with Immediate", " infiniband.rdeth infiniband.deth infiniband.immdt", 16 },
	{ 0x4c, "RD RDMA READ Request", " infiniband.rdeth infiniband.deth infiniband.reth", 28 },
	{ 0x4e, "RD RDMA READ Response Middle", " infiniband.rdeth", 4 },
	{ 0x51, "RD Acknowledge", " infiniband.rdeth infiniband.aeth", 8 },
	{ 0x53, "RD CmpSwap", " infiniband.rdeth infiniband.deth infiniband.atomiceth", 40 },
	{ 0x55, "RD RESYNC", " infiniband.rdeth infiniband.deth", 12 },
	{ 0x64, "UD SEND Only", " infiniband.deth", 8 },
	{ 0x65, "UD SEND Only with Immediate", " infiniband.deth infiniband.immdt", 12 },
	{ 0x80, "CNP (A10)", " infiniband.cnp", 16 },
	{ 0x81, "CNP (RoCEv2)", " infiniband.cnp", 16 },
	{ 0xa1, "XRC SEND Middle", " infiniband.xrceth", 4 },
	{ 0xab, "XRC RDMA WRITE Only with Immediate", " infiniband.xrceth infiniband.reth infiniband.immdt", 24 },
	{ 0xae, "XRC RDMA READ Response Middle", "", 0 },
	{ 0xb1, "XRC Acknowledge", " infiniband.aeth", 4 },
	{ 0xb7, "XRC SEND Only with Invalidate", " infiniband.xrceth infiniband.ieth", 8 },
	{ 0x1c, "RC FLUSH", " infiniband.feth infiniband.reth", 20 },
	{ 0x1d, "RC ATOMIC WRITE", " infiniband.reth", 16 },
};

Test(ib, each_opcode_has_the_extended_headers_of_table_38)
{
	uint8_t rest[64] = { 0 }, frame[128];

	for (size_t i = 0; i < sizeof opcode_rows / sizeof opcode_rows[0]; i++) {
		uint32_t length = kit_ib_frame(frame, opcode_rows[i].opcode, 0, rest, opcode_rows[i].length);
		char expected[256], layers[256];
		struct kit kit;

		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, length, length, NULL);
		snprintf(expected, sizeof expected, "frame infiniband.lrh infiniband.bth%s infiniband.invariant", opcode_rows[i].layers);
		kit_layers(&kit, layers, sizeof layers);
		cr_expect_str_eq(layers, expected, "opcode %#x", opcode_rows[i].opcode);
		cr_expect_str_eq(rtap_name_of(ib_opcode_names, opcode_rows[i].opcode), opcode_rows[i].name);
		cr_expect_str_eq(ib_opcodes[opcode_rows[i].opcode].name, opcode_rows[i].name);
		cr_expect_eq(kit.packet.anomaly_count, 0);
		cr_expect_eq(kit.packet.payload.wire, 0);
		kit_free(&kit);
	}
}

Test(ib, opcodes_without_a_name_are_anomalies_and_keep_their_crc)
{
	uint8_t rest[8] = { 0 }, frame[64];
	unsigned reserved = 0;

	for (unsigned opcode = 0; opcode < 256; opcode++) {
		uint32_t length = kit_ib_frame(frame, (uint8_t)opcode, 0, rest, sizeof rest);
		struct kit kit;

		if (ib_opcodes[opcode].class != IB_RESERVED)
			continue;
		reserved++;
		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, length, length, NULL);
		cr_expect(kit_has_anomaly(&kit, RTAP_ANOMALY_UNKNOWN_OPCODE));
		cr_expect_eq(kit_field(&kit, "infiniband.invariant.crc", NULL), 1);
		cr_expect_eq(kit.packet.payload.wire, 8);
		kit_free(&kit);
	}
	cr_expect_gt(reserved, 100);
}

Test(ib, every_truncation_of_every_opcode_has_a_named_anomaly_and_keeps_captured_fields)
{
	uint8_t rest[64], frame[128];

	memset(rest, 0x5a, sizeof rest);
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		uint32_t length = kit_ib_frame(frame, (uint8_t)opcode, 0, rest, 60);

		for (uint32_t captured = 0; captured < length; captured++) {
			struct kit kit;
			struct rtap_value value;

			kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, captured, length, NULL);
			if (captured < 20)
				cr_expect(kit_has_anomaly(&kit, RTAP_ANOMALY_TRUNCATED), "opcode %u cut to %u", opcode, captured);
			cr_expect_eq(kit_field(&kit, "infiniband.bth.opcode", &value), captured > 8);
			if (captured > 8)
				cr_expect_eq(value.number, opcode);
			kit_free(&kit);
		}
	}
}

Test(ib, a_packet_shorter_than_its_opcode_needs_is_malformed_not_truncated)
{
	uint8_t rest[16] = { 0 }, frame[64];
	uint32_t length = kit_ib_frame(frame, 0x06, 0, rest, 8);
	struct kit kit;

	kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, length, length, NULL);
	cr_expect(kit_has_anomaly(&kit, RTAP_ANOMALY_MALFORMED));
	cr_expect_not(kit_has_anomaly(&kit, RTAP_ANOMALY_TRUNCATED));
	kit_free(&kit);
}

Test(ib, pad_bytes_are_no_payload)
{
	uint8_t rest[8] = { 1, 2, 3, 4, 5, 0, 0, 0 }, frame[64];
	struct kit kit;

	for (uint8_t pad = 0; pad < 4; pad++) {
		uint32_t length = kit_ib_frame(frame, 0x04, pad, rest, sizeof rest);

		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, length, length, NULL);
		cr_expect_eq(kit.packet.payload.wire, 8u - pad);
		cr_expect_eq(kit.packet.payload.offset, 20);
		kit_free(&kit);
	}
}

Test(ib, more_pad_than_payload_is_an_anomaly)
{
	uint8_t frame[64] = { 0 };
	uint32_t length = kit_ib_frame(frame, 0x04, 3, frame, 0);
	struct kit kit;

	kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, length, length, NULL);
	cr_expect(kit_has_anomaly(&kit, RTAP_ANOMALY_PAD_BEYOND_PAYLOAD));
	cr_expect_eq(kit.packet.payload.wire, 0);
	kit_free(&kit);
}

Test(ib, a_syndrome_shows_the_one_meaning_that_it_has)
{
	static const char *const fields[] = {
		"infiniband.aeth.syndrome.credit_count", "infiniband.aeth.syndrome.timer",
		"infiniband.aeth.syndrome.reserved_value", "infiniband.aeth.syndrome.error_code",
	};
	static const enum rtap_aeth_kind kinds[] = { RTAP_AETH_ACK, RTAP_AETH_RNR_NAK, RTAP_AETH_RESERVED, RTAP_AETH_NAK };
	uint8_t rest[4] = { 0, 0, 1, 2 }, frame[64];

	for (unsigned syndrome = 0; syndrome < 256; syndrome++) {
		uint32_t length;
		struct kit kit;
		struct rtap_value value;

		rest[0] = (uint8_t)syndrome;
		length = kit_ib_frame(frame, 0x11, 0, rest, sizeof rest);
		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, length, length, NULL);
		for (unsigned kind = 0; kind < 4; kind++) {
			unsigned seen = kit_field(&kit, fields[kind], &value);

			cr_expect_eq(seen, (syndrome >> 5 & 3) == kind);
			if (seen)
				cr_expect_eq(value.number, syndrome & 31);
		}
		cr_expect_eq(kit_field(&kit, "rdmatap.aeth.credits", NULL), (syndrome >> 5 & 3) == 0 && (syndrome & 31) != 31);
		cr_expect_eq(kit.packet.ib.msn, 0x000102);
		/* IBTA vol. 1, 9.7.5.2.1: bit 7 is reserved, bits 6 and 5 are the kind, the rest is its value */
		cr_expect_eq(kit.packet.ib.syndrome, syndrome);
		cr_expect_eq(kit.packet.ib.aeth_kind, kinds[syndrome / 32 % 4], "%u", syndrome);
		cr_expect_eq(kit.packet.ib.aeth_value, syndrome % 32, "%u", syndrome);
		kit_free(&kit);
	}
}

/* IBTA vol. 1, 9.2.1, table 38: operations 0x0d to 0x12 of the reliable services are responses. */
Test(ib, responses_and_verbs_are_those_of_the_operation)
{
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		unsigned operation = opcode & 0x1f, verb = RTAP_VERB_COUNT;

		if (!ib_opcodes[opcode].name || (opcode & 0xe0) == 0x80)
			continue;
		cr_expect_eq(ib_opcodes[opcode].is_response, operation >= 0x0d && operation <= 0x12, "0x%02x", opcode);
		if (operation <= 5 || operation == 0x16 || operation == 0x17)
			verb = RTAP_VERB_SEND;
		else if (operation <= 0xb)
			verb = RTAP_VERB_WRITE;
		else if (operation <= 0x10)
			verb = RTAP_VERB_READ;
		else if (operation == 0x13)
			verb = RTAP_VERB_COMPARE_SWAP;
		else if (operation == 0x14)
			verb = RTAP_VERB_FETCH_ADD;
		else if (operation == 0x1c)
			verb = RTAP_VERB_FLUSH;
		else if (operation == 0x1d)
			verb = RTAP_VERB_ATOMIC_WRITE;
		cr_expect_eq(ib_opcodes[opcode].verb, verb, "0x%02x", opcode);
	}
}

Test(ib, only_datagrams_to_qp_0_and_1_are_mads)
{
	uint8_t rest[8 + 24] = { 0 }, frame[128];
	static const struct {
		uint8_t opcode, qpn;
		bool mad;
	} cases[] = { { 0x64, 0, true }, { 0x64, 1, true }, { 0x65, 1, true }, { 0x64, 2, false }, { 0x04, 1, false }, { 0x24, 1, false } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint32_t length = kit_ib_frame(frame, cases[i].opcode, 0, rest, sizeof rest);
		struct kit kit;

		frame[15] = cases[i].qpn;
		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, length, length, NULL);
		cr_expect_eq(kit_field(&kit, "infiniband.mad.mgmtclass", NULL), cases[i].mad);
		kit_free(&kit);
	}
}
