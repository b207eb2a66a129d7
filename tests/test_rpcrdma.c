/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "dissect/rpc/rpcrdma.h"
#include "tests/frame_kit.h"

/* A message of 32-bit words, big-endian, as payload of a SEND Only on a native link. */
struct words {
	uint32_t word[64];
	unsigned count;
};

static void dissect_words(struct kit *kit, uint8_t opcode, const struct words *words, const struct rtap_context *context)
{
	uint8_t payload[256], frame[512];
	uint32_t length;

	for (unsigned i = 0; i < words->count; i++) {
		payload[4 * i] = (uint8_t)(words->word[i] >> 24);
		payload[4 * i + 1] = (uint8_t)(words->word[i] >> 16);
		payload[4 * i + 2] = (uint8_t)(words->word[i] >> 8);
		payload[4 * i + 3] = (uint8_t)words->word[i];
	}
	length = kit_ib_frame(frame, opcode, 0, payload, words->count * 4);
	kit_dissect(kit, RTAP_LINK_INFINIBAND, frame, length, length, context);
}

#define XID 0xf7e33154

/* RPC NULL call, RFC 5531: xid, call, version 2, NFS, 3, NULL, no credentials, no verifier */
#define NULL_CALL XID, 0, 2, 100003, 3, 0, 0, 0, 0, 0
#define NO_LISTS 0, 0, 0

static const struct {
	const char *what;
	struct words words;
	bool recognised;
	uint32_t reads, writes;
	bool reply;
} messages[] = {
	{ "MSG without chunks", { { XID, 1, 128, 0, NO_LISTS, NULL_CALL }, 17 }, true, 0, 0, false },
	{ "MSG with a read chunk of two segments",
	  { { XID, 1, 128, 0, 1, 136, 0x935, 4000, 1, 2, 1, 136, 0x936, 1, 3, 4, 0, 0, 0, NULL_CALL }, 29 }, true, 2, 0, false },
	{ "MSG with two write chunks, one empty, and a reply chunk",
	  { { XID, 1, 128, 0, 0, 1, 1, 7, 8, 9, 10, 1, 0, 0, 1, 1, 7, 8, 9, 10, NULL_CALL }, 30 }, true, 0, 2, true },
	{ "NOMSG with a position-zero chunk", { { XID, 1, 128, 1, 1, 0, 5, 6, 7, 8, 0, 0, 0 }, 13 }, true, 1, 0, false },
	{ "NOMSG with a reply chunk", { { XID, 1, 128, 1, 0, 0, 1, 1, 5, 6, 7, 8 }, 12 }, true, 0, 0, true },
	{ "MSGP of RFC 5666", { { XID, 1, 128, 2, 4096, 1024, NO_LISTS, NULL_CALL }, 19 }, true, 0, 0, false },
	{ "NOMSG without any chunk", { { XID, 1, 128, 1, NO_LISTS }, 7 }, false, 0, 0, false },
	{ "NOMSG with bytes after its lists", { { XID, 1, 128, 1, 0, 0, 1, 1, 5, 6, 7, 8, 9 }, 13 }, false, 0, 0, false },
	{ "another XID in the RPC header", { { XID, 1, 128, 0, NO_LISTS, XID + 1, 0, 2, 100003, 3, 0, 0, 0, 0, 0 }, 17 }, false, 0, 0, false },
	{ "no RPC header after MSG", { { XID, 1, 128, 0, NO_LISTS }, 7 }, false, 0, 0, false },
	{ "neither call nor reply", { { XID, 1, 128, 0, NO_LISTS, XID, 2, 2, 100003, 3, 0, 0, 0, 0, 0 }, 17 }, false, 0, 0, false },
	{ "version 2", { { XID, 2, 128, 0, NO_LISTS, NULL_CALL }, 17 }, false, 0, 0, false },
	{ "a list word that is neither 0 nor 1", { { XID, 1, 128, 0, 2, 0, 0, NULL_CALL }, 17 }, false, 0, 0, false },
	{ "a position that is no multiple of four", { { XID, 1, 128, 0, 1, 137, 5, 6, 7, 8, NO_LISTS, NULL_CALL }, 23 }, false, 0, 0, false },
	{ "a write chunk that claims 2^32 - 1 segments",
	  { { XID, 1, 128, 0, 0, 1, 0xffffffff, 7, 8, 9, 10, 0, 0, NULL_CALL }, 23 }, false, 0, 0, false },
	{ "an error, which only its connection identifies", { { XID, 1, 128, 4, 2, 0, 0 }, 7 }, false, 0, 0, false },
	{ "a DONE", { { XID, 1, 128, 3 }, 4 }, false, 0, 0, false },
};

TestSuite(rpcrdma, .timeout = HANG_SECONDS);

Test(rpcrdma, messages_are_recognised_by_content_and_nothing_that_merely_resembles)
{
	for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
		struct kit kit;

		dissect_words(&kit, 0x04, &messages[i].words, NULL);
		cr_expect_eq(kit.packet.rpcrdma.present, messages[i].recognised, "%s", messages[i].what);
		cr_expect_eq(kit.packet.rpcrdma.read_segments, messages[i].reads, "%s", messages[i].what);
		cr_expect_eq(kit.packet.rpcrdma.write_chunks, messages[i].writes, "%s", messages[i].what);
		cr_expect_eq(kit.packet.rpcrdma.reply_chunk, messages[i].reply, "%s", messages[i].what);
		cr_expect_eq(kit.packet.anomaly_count, 0, "%s", messages[i].what);
		kit_free(&kit);
	}
}

Test(rpcrdma, nothing_is_recognised_without_heuristics_or_on_services_that_do_not_carry_it)
{
	const struct rtap_context context = { .no_heuristics = true };
	static const uint8_t opcodes[] = { 0x00, 0x02, 0x0a, 0x24, 0x64 };
	struct kit kit;

	dissect_words(&kit, 0x04, &messages[0].words, &context);
	cr_expect_not(kit.packet.rpcrdma.present);
	kit_free(&kit);
	for (size_t i = 0; i < sizeof opcodes; i++) {
		dissect_words(&kit, opcodes[i], &messages[0].words, NULL);
		cr_expect_not(kit.packet.rpcrdma.present, "opcode %#x", opcodes[i]);
		kit_free(&kit);
	}
}

/* With --decode-as a header is shown as far as it is captured. */
static const struct rtap_decode_as declared = { RTAP_DECODE_QPN, 0x11, RTAP_UPPER_RPCRDMA };
static const struct rtap_context declaring = { .decode_as = &declared, .decode_as_count = 1 };

Test(rpcrdma, declared_messages_need_no_evidence)
{
	static const struct {
		struct words words;
		const char *field;
		uint64_t value;
	} cases[] = {
		{ { { XID, 1, 128, 4, 2 }, 5 }, "rpcordma.errcode", 2 },
		{ { { XID, 9, 128, 4, 1, 1, 3 }, 7 }, "rpcordma.vers_high", 3 },
		{ { { XID, 1, 128, 3 }, 4 }, "rpcordma.msg_type", 3 },
		{ { { XID, 1, 77, 0, NO_LISTS }, 7 }, "rpcordma.flow_control", 77 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_value value;
		struct kit kit;

		dissect_words(&kit, 0x04, &cases[i].words, &declaring);
		cr_expect(kit.packet.rpcrdma.present);
		cr_expect_eq(kit_field(&kit, cases[i].field, &value), 1, "%s", cases[i].field);
		cr_expect_eq(value.number, cases[i].value);
		cr_expect_eq(kit.packet.anomaly_count, 0);
		kit_free(&kit);
	}
}

Test(rpcrdma, a_declared_message_with_a_lying_list_is_shown_with_an_anomaly)
{
	static const struct words lying = { { XID, 1, 128, 0, 1, 136, 0x935, 4000, 1, 2, 0, 1, 0xffffffff, 7, 8, 9, 10 }, 17 };
	struct kit kit;
	struct rtap_value value;

	dissect_words(&kit, 0x04, &lying, &declaring);
	cr_expect(kit_has_anomaly(&kit, RTAP_ANOMALY_BAD_CHUNK_LIST));
	cr_expect_eq(kit_field(&kit, "rpcordma.rdma_handle", &value), 1);
	cr_expect_eq(value.number, 0x935);
	cr_expect_eq(kit_field(&kit, "rpcordma.segment_count", &value), 1);
	kit_free(&kit);
}

/* RFC 8166, 3.5.3. */
Test(rpcrdma, a_nomsg_needs_a_chunk_that_has_its_message)
{
	static const struct {
		struct words words;
		bool is_anomaly;
	} cases[] = {
		{ { { XID, 1, 128, 1, NO_LISTS }, 7 }, true },
		{ { { XID, 1, 128, 1, 0, 1, 1, 7, 8, 9, 10, 0, 0 }, 13 }, true },
		{ { { XID, 1, 128, 1, 1, 0, 7, 8, 9, 10, 0, 0, 0 }, 13 }, false },
		{ { { XID, 1, 128, 1, 0, 0, 1, 1, 7, 8, 9, 10 }, 12 }, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct kit kit;

		dissect_words(&kit, 0x04, &cases[i].words, &declaring);
		cr_expect(kit.packet.rpcrdma.present);
		cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_BAD_CHUNK_LIST), cases[i].is_anomaly, "%zu", i);
		cr_expect_eq(kit.packet.anomaly_count, cases[i].is_anomaly, "%zu", i);
		kit_free(&kit);
	}
}

Test(rpcrdma, every_cut_of_a_declared_message_ends_with_an_anomaly)
{
	for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
		struct words words = messages[i].words;

		if (!messages[i].recognised)
			continue;
		while (--words.count > 0) {
			struct kit kit;

			dissect_words(&kit, 0x04, &words, &declaring);
			/* the RPC header may be completely missing: then the RPC-over-RDMA header is complete */
			cr_expect(kit.packet.anomaly_count || kit.packet.rpcrdma.length == words.count * 4, "%s cut to %u words",
				  messages[i].what, words.count);
			kit_free(&kit);
		}
	}
}

Test(rpcrdma, an_rpc_header_with_another_xid_is_an_anomaly_of_a_declared_message)
{
	static const struct words other = { { XID, 1, 128, 0, NO_LISTS, XID + 1, 0, 2, 100003, 3, 0, 0, 0, 0, 0 }, 17 };
	struct kit kit;

	dissect_words(&kit, 0x04, &other, &declaring);
	cr_expect(kit_has_anomaly(&kit, RTAP_ANOMALY_XID_MISMATCH));
	kit_free(&kit);
}

static const struct {
	const char *what;
	struct words words;
	const char *field;
	uint64_t value;
	bool malformed;
} headers[] = {
	{ "program", { { XID, 1, 1, 0, NO_LISTS, NULL_CALL }, 17 }, "rpc.program", 100003, false },
	{ "AUTH_SYS", { { XID, 1, 1, 0, NO_LISTS, XID, 0, 2, 100003, 3, 1, 1, 32, 9, 3, 0x766d4200, 1000, 1001, 2, 5, 6, 0, 0 }, 30 },
	  "rpc.auth.uid", 1000, false },
	{ "AUTH_SYS with 17 groups",
	  { { XID, 1, 1, 0, NO_LISTS, XID, 0, 2, 100003, 3, 1, 1, 32, 9, 3, 0x766d4200, 1000, 1001, 17, 5, 6, 0, 0 }, 30 },
	  "rpc.auth.uid", 1000, true },
	{ "a credential that claims 2^32 - 4 bytes", { { XID, 1, 1, 0, NO_LISTS, XID, 0, 2, 100003, 3, 1, 1, 0xfffffffc, 0, 0 }, 16 },
	  "rpc.auth.length", 0xfffffffc, true },
	{ "AUTH_SYS that reaches beyond its credential",
	  { { XID, 1, 1, 0, NO_LISTS, XID, 0, 2, 100003, 3, 1, 1, 8, 9, 3, 0x766d4200, 1000, 1001, 0 }, 19 },
	  "rpc.auth.stamp", 9, true },
	{ "RPCSEC_GSS", { { XID, 1, 1, 0, NO_LISTS, XID, 0, 2, 100003, 4, 1, 6, 24, 1, 0, 42, 2, 4, 0xabcd, 6, 4, 0x1234, 4, 42, 4, 0x5678 }, 28 },
	  "rpc.authgss.seqnum", 42, false },
	{ "accepted", { { XID, 1, 1, 0, NO_LISTS, XID, 1, 0, 0, 0, 0 }, 13 }, "rpc.state_accept", 0, false },
	{ "program mismatch", { { XID, 1, 1, 0, NO_LISTS, XID, 1, 0, 0, 0, 2, 3, 4 }, 15 }, "rpc.programversion.max", 4, false },
	{ "denied, version", { { XID, 1, 1, 0, NO_LISTS, XID, 1, 1, 0, 2, 2 }, 13 }, "rpc.version.min", 2, false },
	{ "denied, authentication", { { XID, 1, 1, 0, NO_LISTS, XID, 1, 1, 1, 5 }, 12 }, "rpc.state_auth", 5, false },
	{ "reject state 2", { { XID, 1, 1, 0, NO_LISTS, XID, 1, 1, 2, 5 }, 12 }, "rpc.state_reject", 2, true },
	{ "reply state 2", { { XID, 1, 1, 0, NO_LISTS, XID, 1, 2, 1, 5 }, 12 }, "rpc.replystat", 2, true },
};

Test(rpcrdma, rpc_headers_are_read_as_rfc_5531_lays_them_out)
{
	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
		struct rtap_value value;
		struct kit kit;

		dissect_words(&kit, 0x17, &headers[i].words, &declaring);
		/* SEND Only with Invalidate: the first word is the key */
		kit_free(&kit);
		dissect_words(&kit, 0x04, &headers[i].words, NULL);
		cr_expect_geq(kit_field(&kit, headers[i].field, &value), 1, "%s", headers[i].what);
		cr_expect_eq(value.number, headers[i].value, "%s", headers[i].what);
		cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_MALFORMED), headers[i].malformed, "%s", headers[i].what);
		kit_free(&kit);
	}
}

Test(rpcrdma, a_reply_shows_its_calls_procedure_when_the_context_knows_it)
{
	static const struct words reply = { { XID, 1, 1, 0, NO_LISTS, XID, 1, 0, 0, 0, 0 }, 13 };
	const struct rtap_context context = { .rpc_known = true, .rpc_program = 100003, .rpc_version = 3, .rpc_procedure = 6 };
	struct rtap_value value;
	struct kit kit;

	dissect_words(&kit, 0x04, &reply, NULL);
	cr_expect_eq(kit_field(&kit, "rpc.program", NULL), 0);
	kit_free(&kit);
	dissect_words(&kit, 0x04, &reply, &context);
	cr_expect_eq(kit_field(&kit, "rpc.procedure", &value), 1);
	cr_expect_eq(value.number, 6);
	kit_free(&kit);
}

Test(rpcrdma, a_message_put_together_elsewhere_is_dissected_in_place_of_the_payload)
{
	static const uint8_t message[] = {
		0xf7, 0xe3, 0x31, 0x54, 0, 0, 0, 1, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0xf7, 0xe3, 0x31, 0x54, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	const struct rtap_context context = { .message = { message, sizeof message } };
	static const struct words last = { { 1, 2, 3, 4 }, 4 };
	struct rtap_value value;
	struct kit kit;

	dissect_words(&kit, 0x02, &last, &context);
	cr_expect_eq(kit_field(&kit, "rpc.replystat", &value), 1);
	cr_expect_eq(kit.packet.layers[kit.packet.layer_count - 1].source, 1);
	cr_expect_eq(kit.packet.payload.wire, 16);
	kit_free(&kit);
}

/* A frame can have several RPC messages, one of them after a header that is not a layer: others are searched first. */
Test(rpcrdma, a_skipped_header_is_in_the_source_of_its_message)
{
	/* XID 5, a call with one read segment of 64 bytes; its RPC message; RFC 8166, 4 */
	static const uint8_t bytes[] = { 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 64,
					 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0 };
	const uint32_t length = sizeof bytes - 8;
	struct rpcrdma_chunk_totals totals;
	struct rtap_packet packet = {
		.source_count = 2,
		.sources = { { .bytes = bytes + length, .captured = 8, .wire = 8 },
			     { .bytes = bytes, .captured = sizeof bytes, .wire = sizeof bytes } },
		.layer_count = 1,
		.layers = { { .protocol = PROTOCOL_RPC, .source = 0, .offset = 0, .length = 8 } },
		.rpcrdma = { .length = length, .xid = 5 },
	};

	rpcrdma_totals(&packet, &totals);
	cr_expect_eq(totals.read_count, 0, "it would stand in front of the source");
	packet.layers[1] = (struct rtap_layer){ .protocol = PROTOCOL_RPC, .source = 1, .offset = length, .length = 8 };
	packet.layer_count = 2;
	rpcrdma_totals(&packet, &totals);
	cr_assert_eq(totals.read_count, 1);
	cr_expect_eq(totals.reads[0].length, 64);
}
