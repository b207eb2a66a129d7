/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC in packets: over UDP and TCP, with RPCSEC_GSS and AUTH_TLS, and the body of a packet as its own chunk lists determine.
 */
#include "config.h"

#include <stdio.h>

#include <criterion/criterion.h>

#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_walk.h"
#include "output/packet/text.h"
#include "reassembly/upper/rpc_carriers.h"
#include "tests/frame_kit.h"

/* 32-bit words, big-endian. */
struct words {
	uint32_t word[64];
	unsigned count;
};

static uint32_t put_words(uint8_t *to, const struct words *words)
{
	for (unsigned i = 0; i < words->count; i++) {
		to[4 * i] = (uint8_t)(words->word[i] >> 24);
		to[4 * i + 1] = (uint8_t)(words->word[i] >> 16);
		to[4 * i + 2] = (uint8_t)(words->word[i] >> 8);
		to[4 * i + 3] = (uint8_t)words->word[i];
	}
	return words->count * 4;
}

enum transport { UDP = 17, TCP = 6 };

/* An IPv4 packet without its link header, and the words as its payload. */
static void dissect_ip(struct kit *kit, enum transport transport, uint16_t from, uint16_t to, const struct words *words,
		       const struct rtap_context *context)
{
	uint8_t frame[512] = { 0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, (uint8_t)transport, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };
	uint32_t header = 20 + (transport == TCP ? 20 : 8), length = header + put_words(frame + header, words);

	frame[2] = (uint8_t)(length >> 8);
	frame[3] = (uint8_t)length;
	frame[20] = (uint8_t)(from >> 8);
	frame[21] = (uint8_t)from;
	frame[22] = (uint8_t)(to >> 8);
	frame[23] = (uint8_t)to;
	if (transport == TCP) {
		frame[32] = 0x50;
		frame[33] = 0x18;
	} else {
		frame[24] = (uint8_t)((length - 20) >> 8);
		frame[25] = (uint8_t)(length - 20);
	}
	kit_dissect(kit, RTAP_LINK_RAW, frame, length, length, context);
}

#define XID 0xf7e33154
#define CALL_OF(program, version, procedure) XID, 0, 2, program, version, procedure, 0, 0, 0, 0
#define MNT_CALL CALL_OF(100005, 3, 1), 4, 0x2f737276
#define ACCEPTED XID, 1, 0, 0, 0, 0
#define LAST 0x80000000

static const struct rtap_context mnt_known = { .rpc_known = true, .rpc_program = 100005, .rpc_version = 3, .rpc_procedure = 1 };
static const struct rtap_context by_ports = { .no_heuristics = true };

static const struct {
	const char *what;
	enum transport transport;
	uint16_t from, to;
	struct words words;
	const struct rtap_context *context;
	const char *layers;
} packets[] = {
	{ "a call by content", UDP, 700, 40001, { { MNT_CALL }, 12 }, NULL, "frame ip udp rpc mount" },
	{ "a call on rpcbind's port", UDP, 700, 111, { { CALL_OF(100000, 2, 3), 100005, 3, 17, 0 }, 14 }, &by_ports, "frame ip udp rpc portmap" },
	{ "a call that may not be guessed", UDP, 700, 40001, { { MNT_CALL }, 12 }, &by_ports, "frame ip udp data" },
	{ "a call of an unknown program", UDP, 700, 40001, { { CALL_OF(300000, 1, 1) }, 10 }, NULL, "frame ip udp data" },
	{ "a call of an unknown program to NFS's port", UDP, 700, 2049, { { CALL_OF(300000, 1, 1) }, 10 }, NULL, "frame ip udp rpc" },
	{ "a version that nobody knows", UDP, 700, 40001, { { CALL_OF(100005, 9, 1), 1 }, 11 }, NULL, "frame ip udp rpc data" },
	{ "a procedure that nobody knows", UDP, 700, 40001, { { CALL_OF(100005, 3, 77), 1 }, 11 }, NULL, "frame ip udp rpc mount" },
	{ "a reply that nothing identifies", UDP, 40001, 700, { { ACCEPTED, 13 }, 7 }, NULL, "frame ip udp data" },
	{ "a reply from a port", UDP, 20048, 700, { { ACCEPTED, 13 }, 7 }, NULL, "frame ip udp rpc data" },
	{ "a reply whose call is known", UDP, 40001, 700, { { ACCEPTED, 13 }, 7 }, &mnt_known, "frame ip udp rpc mount" },
	{ "a reply without results", UDP, 40001, 700, { { XID, 1, 0, 0, 0, 3 }, 6 }, &mnt_known, "frame ip udp rpc" },
	{ "a record", TCP, 700, 40001, { { LAST | 48, MNT_CALL }, 13 }, NULL, "frame ip tcp rpc mount" },
	{ "two records", TCP, 700, 40001, { { LAST | 48, MNT_CALL, LAST | 40, CALL_OF(100003, 3, 0) }, 24 }, NULL,
	  "frame ip tcp rpc mount rpc nfs" },
	{ "a record and the beginning of another", TCP, 700, 40001, { { LAST | 48, MNT_CALL, LAST | 400, XID }, 15 }, NULL,
	  "frame ip tcp rpc mount data" },
	{ "a record longer than its segment", TCP, 700, 2049, { { LAST | 52, MNT_CALL }, 13 }, NULL, "frame ip tcp data" },
	{ "a fragment of a record", TCP, 700, 2049, { { 48, MNT_CALL }, 13 }, NULL, "frame ip tcp data" },
	{ "a callback", TCP, 700, 40001, { { LAST | 40, CALL_OF(0x40000000, 1, 0) }, 11 }, NULL, "frame ip tcp rpc nfs" },
	{ "a program of number 0", UDP, 700, 2049, { { CALL_OF(0, 1, 0) }, 10 }, NULL, "frame ip udp rpc" },
	{ "a reply's record", TCP, 111, 700, { { LAST | 28, ACCEPTED, 0 }, 8 }, NULL, "frame ip tcp rpc data" },
};

TestSuite(rpc, .timeout = HANG_SECONDS);

Test(rpc, messages_are_found_over_udp_and_in_tcp_segments)
{
	for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
		struct kit kit;
		char layers[128];

		dissect_ip(&kit, packets[i].transport, packets[i].from, packets[i].to, &packets[i].words, packets[i].context);
		kit_layers(&kit, layers, sizeof layers);
		cr_expect_str_eq(layers, packets[i].layers, "%s: %s", packets[i].what, layers);
		cr_expect_eq(kit.packet.anomaly_count, 0, "%s", packets[i].what);
		kit_free(&kit);
	}
}

static const struct {
	const char *what;
	enum transport transport;
	uint16_t from, to;
	bool turned; /* it comes from where the call went */
	struct words words;
	bool is_known;
} replies[] = {
	{ "its reply", UDP, 40001, 700, true, { { ACCEPTED, 13 }, 7 }, true },
	{ "its reply once more", UDP, 40001, 700, true, { { ACCEPTED, 13 }, 7 }, true },
	{ "another XID", UDP, 40001, 700, true, { { XID + 1, 1, 0, 0, 0, 0, 13 }, 7 }, false },
	{ "another port", UDP, 40001, 701, true, { { ACCEPTED, 13 }, 7 }, false },
	{ "the wrong way", UDP, 40001, 700, false, { { ACCEPTED, 13 }, 7 }, false },
	{ "the other transport", TCP, 40001, 700, true, { { LAST | 28, ACCEPTED, 13 }, 8 }, false },
	{ "too short to be identified", UDP, 40001, 700, true, { { XID }, 1 }, false },
};

static uint64_t number_it(void *owner, struct rpc_conversation *conversation, bool a, uint64_t frame, int64_t time_ns)
{
	(void)owner;
	(void)conversation;
	(void)a;
	(void)frame;
	(void)time_ns;
	return 1;
}

static void let_it_go(void *owner, struct rpc_conversation *conversation)
{
	(void)owner;
	(void)conversation;
}

Test(rpc, a_reply_over_udp_is_known_by_its_call)
{
	static const struct words words = { { MNT_CALL }, 12 };
	struct rpc_carriers carriers;
	struct budget budget;
	struct rtap_context none = { 0 };
	struct kit call;
	bool from_a;

	budget_init(&budget, 1 << 20);
	rpc_carriers_init(&carriers, &budget, &(struct rpc_carriers_user){ .connect = number_it, .disconnect = let_it_go }, false);
	dissect_ip(&call, UDP, 700, 40001, &words, NULL);
	cr_expect(rpc_carriers_datagram(&carriers, &call.packet, &from_a, &none));
	cr_expect_not(none.rpc_known);
	for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
		struct rtap_context context = { 0 };
		const uint8_t *source;
		struct kit reply;

		dissect_ip(&reply, replies[i].transport, replies[i].from, replies[i].to, &replies[i].words, NULL);
		source = reply.packet.source_address;
		if (replies[i].turned) {
			reply.packet.source_address = reply.packet.destination_address;
			reply.packet.destination_address = source;
		}
		cr_expect_eq(!rpc_carriers_datagram(&carriers, &reply.packet, &from_a, &context), !replies[i].is_known, "%s", replies[i].what);
		cr_expect_eq(context.rpc_known, replies[i].is_known, "%s", replies[i].what);
		cr_expect_eq(context.rpc_program, replies[i].is_known ? 100005u : 0u, "%s", replies[i].what);
		cr_expect_eq(context.rpc_call_frame, replies[i].is_known, "%s", replies[i].what);
		kit_free(&reply);
	}
	rpc_carriers_fini(&carriers);
	cr_expect_eq(budget.used, 0);
	kit_free(&call);
}

Test(rpc, each_record_of_a_segment_has_its_own_fields)
{
	static const struct words two = { { LAST | 48, MNT_CALL, LAST | 48, CALL_OF(100003, 3, 1), 4, 7 }, 26 };
	struct rtap_value value;
	struct kit kit;

	dissect_ip(&kit, TCP, 700, 40001, &two, NULL);
	cr_expect_eq(kit_field(&kit, "rpc.fraglen", &value), 2);
	cr_expect_eq(value.number, 48);
	cr_expect_eq(kit_field(&kit, "mount.procedure_v3", &value), 1);
	cr_expect_eq(value.number, 1);
	cr_expect_eq(kit_field(&kit, "nfs.procedure_v3", &value), 1);
	cr_expect_eq(value.number, 1);
	cr_expect_eq(kit_field(&kit, "nfs.fhandle", NULL), 1);
	kit_free(&kit);
}

Test(rpc, a_header_is_read_the_same_whole_or_in_pieces)
{
	struct words words = { { MNT_CALL }, 12 };
	static const struct rtap_context nothing_known;

	for (uint32_t version = 1; version <= 3; version++)
		for (uint32_t cut = 0; cut <= 40; cut++) {
			uint8_t bytes[64];
			uint32_t length;
			struct rtap_rpc_facts facts;
			struct xdr_extent extents[2];
			struct xdr xdr;

			words.word[2] = version;
			length = put_words(bytes, &words);
			extents[0] = (struct xdr_extent){ XDR_BYTES, bytes, 0, cut };
			extents[1] = (struct xdr_extent){ XDR_BYTES, bytes + cut, 0, length - cut };
			xdr_init(&xdr, extents, 2, 2);
			cr_assert_eq(rpc_read_header(&xdr, &nothing_known, &facts), version == 2 ? OK : MALFORMED, "v%u, %u", version, cut);
			if (version == 2)
				cr_expect(facts.program_known && facts.program == 100005 && facts.version == 3 && facts.procedure == 1 &&
					  facts.header_length == 40, "%u", cut);
		}
}

/* Numbers of which headers are made, good and bad ones. */
static uint32_t some_number(uint32_t *seed)
{
	static const uint32_t numbers[] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 4, 6, 16, 100003, 401 };

	*seed = *seed * 1664525 + 1013904223;
	return numbers[*seed >> 28];
}

/* Read in one step where that can be done, and in two pieces, of which the first ends within the type. */
static void check_header(const uint8_t *bytes, uint32_t length, const struct rtap_context *context, unsigned *ends)
{
	struct xdr_extent whole = { XDR_BYTES, bytes, 0, length };
	struct xdr_extent pieces[2] = { { XDR_BYTES, bytes, 0, length < 6 ? length : 6 },
					{ XDR_BYTES, length < 6 ? NULL : bytes + 6, 0, length < 6 ? 0 : length - 6 } };
	struct rtap_rpc_facts once, walked;
	struct xdr xdr, in_pieces;
	enum result result;

	xdr_init(&xdr, &whole, 1, 1);
	xdr_init(&in_pieces, pieces, 2, 2);
	result = rpc_read_header(&in_pieces, context, &walked);
	ends[result]++;
	cr_assert_eq(rpc_read_header(&xdr, context, &once), result);
	cr_assert_eq(xdr.position, in_pieces.position);
	cr_assert(once.present && once.is_reply == walked.is_reply && once.accepted == walked.accepted && once.xid == walked.xid &&
		  once.program == walked.program && once.version == walked.version && once.procedure == walked.procedure &&
		  once.program_known == walked.program_known && once.is_callback == walked.is_callback && once.status == walked.status &&
		  once.flavor == walked.flavor && once.gss_procedure == walked.gss_procedure && once.gss_service == walked.gss_service &&
		  once.has_body == walked.has_body && once.is_private == walked.is_private && once.header_length == walked.header_length &&
		  once.body_length == walked.body_length && once.call_frame == walked.call_frame && once.call_time_ns == walked.call_time_ns);
}

Test(rpc, a_header_is_read_the_same_in_one_step_or_walked)
{
	static const struct rtap_context contexts[] = {
		{ .rpc_callback_program = 3 },
		{ .rpc_known = true, .rpc_program = 100003, .rpc_version = 3, .rpc_procedure = 1, .rpc_flavor = 1, .rpc_call_frame = 7,
		  .rpc_call_time_ns = 8 },
		{ .rpc_known = true, .rpc_program = 100003, .rpc_version = 3, .rpc_procedure = 1, .rpc_flavor = 6, .rpc_gss_service = 2 },
	};
	unsigned ends[3] = { 0 };
	uint32_t seed = 1;

	for (unsigned i = 0; i < 60000; i++) {
		struct words words = { { XID, i % 3 != 0, i % 3 ? i % 16 == 0 : 2 }, 24 };
		uint32_t length = i % 4 ? 96 : i / 4 % 97;
		uint8_t bytes[128], *end;

		for (uint32_t word = 3; word < 24; word++)
			words.word[word] = some_number(&seed);
		put_words(bytes, &words);
		/* a block of its own, so that a sanitizer sees what is read after it */
		end = malloc(length ? length : 1);
		cr_assert_not_null(end);
		memcpy(end, bytes, length);
		check_header(end, length, &contexts[i % 3], ends);
		free(end);
	}
	cr_expect(ends[OK] > 5000 && ends[MALFORMED] > 5000, "%u, %u", ends[OK], ends[MALFORMED]);
}

/* Call with RPCSEC_GSS credentials: version, procedure, sequence number, service, context; verifier. */
#define GSS_CALL(program, version, procedure, gss_procedure, service) \
	XID, 0, 2, program, version, procedure, 6, 24, 1, gss_procedure, 42, service, 4, 0xabcd, 6, 4, 0x1234

static const struct {
	const char *what;
	struct words words;
	const char *layers, *field;
	uint64_t value;
	unsigned count;
} secured[] = {
	{ "no protection", { { GSS_CALL(100003, 3, 1, 0, 1), 4, 7 }, 19 }, "frame ip udp rpc nfs", "nfs.fh.length", 4, 1 },
	{ "integrity", { { GSS_CALL(100003, 3, 1, 0, 2), 12, 42, 4, 7, 4, 0x5678 }, 23 }, "frame ip udp rpc nfs", "nfs.fh.length", 4, 1 },
	{ "integrity: the sequence number", { { GSS_CALL(100003, 3, 1, 0, 2), 12, 42, 4, 7, 4, 0x5678 }, 23 }, "frame ip udp rpc nfs",
	  "rpc.authgss.seqnum", 42, 2 },
	{ "integrity: the checksum", { { GSS_CALL(100003, 3, 1, 0, 2), 12, 42, 4, 7, 4, 0x5678 }, 23 }, "frame ip udp rpc nfs",
	  "rpc.authgss.checksum", 0, 2 },
	{ "privacy", { { GSS_CALL(100003, 3, 1, 0, 3), 8, 0x11111111, 0x22222222 }, 20 }, "frame ip udp rpc", "rpc.authgss.data.length", 8, 1 },
	{ "a new context", { { GSS_CALL(100003, 3, 0, 1, 1), 8, 0x11111111, 0x22222222 }, 20 }, "frame ip udp rpc",
	  "rpc.authgss.token_length", 8, 1 },
	{ "a context's end", { { GSS_CALL(100003, 3, 0, 3, 1) }, 17 }, "frame ip udp rpc", "rpc.authgss.procedure", 3, 1 },
};

Test(rpc, bodies_that_rpcsec_gss_protects_are_walked_unless_they_are_encrypted)
{
	for (size_t i = 0; i < sizeof secured / sizeof secured[0]; i++) {
		struct rtap_value value = { 0 };
		struct kit kit;
		char layers[128];

		dissect_ip(&kit, UDP, 700, 2049, &secured[i].words, NULL);
		kit_layers(&kit, layers, sizeof layers);
		cr_expect_str_eq(layers, secured[i].layers, "%s: %s", secured[i].what, layers);
		cr_expect_eq(kit_field(&kit, secured[i].field, &value), secured[i].count, "%s", secured[i].what);
		cr_expect_eq(value.number, secured[i].value, "%s", secured[i].what);
		cr_expect_eq(kit.packet.anomaly_count, 0, "%s", secured[i].what);
		kit_free(&kit);
	}
}

Test(rpc, a_protected_length_beyond_the_message_is_malformed)
{
	static const struct words lies[] = {
		{ { GSS_CALL(100003, 3, 1, 0, 2), 0xfffffff0, 42, 4, 7, 4, 0x5678 }, 23 },
		{ { GSS_CALL(100003, 3, 1, 0, 2), 3, 42, 4, 7, 4, 0x5678 }, 23 },
		{ { GSS_CALL(100003, 3, 1, 0, 3), 9, 0x11111111, 0x22222222 }, 20 },
	};

	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
		struct kit kit;

		dissect_ip(&kit, UDP, 700, 2049, &lies[i], NULL);
		cr_expect(kit_has_anomaly(&kit, RTAP_ANOMALY_MALFORMED), "%zu", i);
		kit_free(&kit);
	}
}

/* A NULL call of NFS with a credential of `length` bytes that is AUTH_SYS, and a verifier of none. */
#define SYS_CALL(length, ...) XID, 0, 2, 100003, 3, 0, 1, length, __VA_ARGS__, 0, 0

static const struct {
	const char *what;
	struct words words;
	bool is_good;
} credentials[] = {
	{ "no name, no groups", { { SYS_CALL(20, 9, 0, 1000, 100, 0) }, 15 }, true },
	{ "a name with padding and two groups", { { SYS_CALL(32, 9, 1, 0x61000000, 1000, 100, 2, 4, 24) }, 18 }, true },
	{ "bytes after the groups", { { SYS_CALL(24, 9, 0, 1000, 100, 0, 7) }, 16 }, true },
	{ "no room for the number of groups", { { SYS_CALL(16, 9, 0, 1000, 100) }, 14 }, false },
	{ "a name that leads out of it", { { SYS_CALL(20, 9, 4, 0x61626364, 1000, 100) }, 15 }, false },
	{ "a name that is huge", { { SYS_CALL(20, 9, 0xfffffffd, 1000, 100, 0) }, 15 }, false },
	{ "groups that lead out of it", { { SYS_CALL(20, 9, 0, 1000, 100, 1) }, 15 }, false },
	{ "groups that overflow", { { SYS_CALL(20, 9, 0, 1000, 100, 0x40000000) }, 15 }, false },
	{ "more groups than there may be",
	  { { SYS_CALL(88, 9, 0, 1000, 100, 17, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17) }, 32 }, false },
	{ "as many groups as there may be",
	  { { SYS_CALL(84, 9, 0, 1000, 100, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) }, 31 }, true },
	{ "longer than a credential may be", { { SYS_CALL(404, 9, 0, 1000, 100, 0) }, 15 }, false },
};

Test(rpc, a_credential_is_passed_over_only_if_it_is_good)
{
	for (size_t i = 0; i < sizeof credentials / sizeof credentials[0]; i++) {
		struct rtap_value value = { 0 };
		struct kit kit;

		dissect_ip(&kit, UDP, 700, 2049, &credentials[i].words, NULL);
		cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_MALFORMED), !credentials[i].is_good, "%s", credentials[i].what);
		cr_expect_eq(kit.packet.rpc.header_length, credentials[i].is_good ? credentials[i].words.count * 4 : 0, "%s", credentials[i].what);
		cr_expect_eq(kit_field(&kit, "rpc.auth.flavor", &value), credentials[i].is_good ? 2 : 1, "%s", credentials[i].what);
		if (credentials[i].is_good)
			cr_expect_eq(kit.packet.rpc.flavor, 1, "%s", credentials[i].what);
		kit_free(&kit);
	}
}

static void line_of(const struct kit *kit, char *text, size_t size)
{
	struct text_format format;
	struct line line;

	text_format_init(&format);
	line_init(&line, text, size - 1);
	text_line(&format, &kit->packet, &line);
	*line.next = 0;
	text_format_fini(&format);
}

static const struct rtap_context compound_known = { .rpc_known = true, .rpc_program = 100003, .rpc_version = 4, .rpc_procedure = 1 };
static const struct rtap_context read_known = { .rpc_known = true, .rpc_program = 100003, .rpc_version = 3, .rpc_procedure = 6 };

static const struct {
	const char *what;
	struct words words;
	const struct rtap_context *context;
	const char *end;
} lines[] = {
	{ "MNT", { { MNT_CALL }, 12 }, NULL, "UDP len 56: MOUNT v3 MNT /srv" },
	{ "READ", { { CALL_OF(100003, 3, 6), 4, 7, 0, 8192, 4096 }, 15 }, NULL, "NFS v3 READ fh:0xbf204abf 8192+4096" },
	{ "READ's reply", { { ACCEPTED, 0, 0, 4, 1, 4, 7 }, 12 }, &read_known, "NFS v3 READ OK 4 xid 0xf7e33154" },
	{ "READ that fails", { { ACCEPTED, 70, 0 }, 8 }, &read_known, "NFS v3 READ NFS3ERR_STALE xid 0xf7e33154" },
	{ "COMPOUND", { { CALL_OF(100003, 4, 1), 0, 2, 2, 24, 9, 1, 24 }, 17 }, NULL, "NFS v4.2 PUTROOTFH GETATTR /" },
	{ "a COMPOUND's purpose", { { CALL_OF(100003, 4, 1), 0, 2, 3, 24, 15, 1, 0x61000000, 9, 1, 24 }, 20 }, NULL, "NFS v4.2 LOOKUP /a" },
	{ "a COMPOUND that fails", { { ACCEPTED, 2, 0, 2, 24, 0, 15, 2 }, 13 }, &compound_known, "NFS v4 LOOKUP NFS4ERR_NOENT xid 0xf7e33154" },
	{ "a COMPOUND that succeeds", { { ACCEPTED, 0, 0, 3, 24, 0, 15, 0, 10, 0, 4, 7 }, 17 }, &compound_known, "NFS v4 LOOKUP OK xid 0xf7e33154" },
	{ "a COMPOUND refused", { { ACCEPTED, 10021, 0, 0 }, 9 }, &compound_known, "NFS v4 NFS4ERR_MINOR_VERS_MISMATCH xid 0xf7e33154" },
	{ "an empty COMPOUND", { { CALL_OF(100003, 4, 1), 0, 0, 0 }, 13 }, NULL, "NFS v4.0" },
	{ "too much", { { CALL_OF(100003, 4, 1), 0, 2, 2, 24 }, 14 }, NULL, "NFS v4.2 [malformed]" },
	{ "NULL", { { CALL_OF(100003, 3, 0) }, 10 }, NULL, "NFS v3 NULL" },
	{ "privacy", { { GSS_CALL(100003, 4, 1, 0, 3), 8, 1, 2 }, 20 }, NULL, "NFS v4 COMPOUND (encrypted)" },
	{ "a new context", { { GSS_CALL(100003, 4, 0, 1, 1), 8, 1, 2 }, 20 }, NULL, "RPCSEC_GSS_INIT NFS v4 NULL" },
	{ "a probe for TLS", { { XID, 0, 2, 100003, 4, 0, 7, 0, 0, 0 }, 10 }, NULL, "AUTH_TLS NFS v4 NULL" },
	{ "a terminal's escape", { { CALL_OF(100005, 3, 1), 4, 0x2f1b5b6d }, 12 }, NULL, "MOUNT v3 MNT /\\x1b[m" },
	{ "CB_COMPOUND", { { CALL_OF(0x40000123, 1, 1), 0, 1, 0, 0 }, 14 }, NULL, "NFS callback v4.1" },
};

Test(rpc, the_line_shows_call_and_reply)
{
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct kit kit;
		char text[512];
		size_t length, wanted = strlen(lines[i].end);

		dissect_ip(&kit, UDP, 700, 2049, &lines[i].words, lines[i].context);
		line_of(&kit, text, sizeof text);
		length = strlen(text);
		cr_expect(length >= wanted && !strcmp(text + length - wanted, lines[i].end), "%s: %s", lines[i].what, text);
		kit_free(&kit);
	}
}

Test(rpc, a_verifier_that_agrees_to_tls_is_shown)
{
	/* RFC 9289, 4.1: AUTH_NONE with the eight bytes "STARTTLS" */
	static const struct words agreed = { { XID, 1, 0, 0, 8, 0x53544152, 0x54544c53, 0 }, 8 };
	struct rtap_value value;
	struct kit kit;

	dissect_ip(&kit, UDP, 2049, 700, &agreed, NULL);
	cr_assert_eq(kit_field(&kit, "rpc.auth.data", &value), 1);
	cr_expect_eq(value.data.length, 8);
	cr_expect(!memcmp(value.data.bytes, "STARTTLS", 8));
	kit_free(&kit);
}

/* RPC-over-RDMA: the body goes on after data that a chunk carries. */
static const struct {
	const char *what;
	struct words words;
	const struct rtap_context *context;
	const char *field;
	unsigned count;
	uint64_t value;
} chunked[] = {
	{ "WRITE, GETATTR with a read chunk at the data's place",
	  { { XID, 1, 1, 0, 1, 88, 7, 5, 0, 0, 0, 0, 0, CALL_OF(100003, 4, 1), 0, 1, 2, 38, 1, 2, 3, 4, 0, 4096, 2, 5, 9, 1, 24 }, 38 },
	  NULL, "nfs.attr_mask", 1, 24 },
	{ "the same in two segments and with its padding",
	  { { XID, 1, 1, 0, 1, 88, 7, 3, 0, 0, 1, 88, 8, 5, 0, 0, 0, 0, 0, CALL_OF(100003, 4, 1), 0, 1, 2, 38, 1, 2, 3, 4, 0,
	      4096, 2, 5, 9, 1, 24 }, 44 },
	  NULL, "nfs.attr_mask", 1, 24 },
	{ "a read chunk elsewhere",
	  { { XID, 1, 1, 0, 1, 84, 7, 5, 0, 0, 0, 0, 0, CALL_OF(100003, 4, 1), 0, 1, 2, 38, 1, 2, 3, 4, 0, 4096, 2, 5, 9, 1, 24 }, 38 },
	  NULL, "nfs.attr_mask", 0, 0 },
	{ "READ with a write chunk", { { XID, 1, 1, 0, 0, 1, 1, 7, 5, 0, 0, 0, 0, ACCEPTED, 0, 0, 5, 1, 5 }, 24 }, &read_known,
	  "nfs.read.eof", 1, 1 },
};

Test(rpc, bodies_continue_after_the_data_of_chunks)
{
	for (size_t i = 0; i < sizeof chunked / sizeof chunked[0]; i++) {
		uint8_t payload[256], frame[512];
		struct rtap_value value = { 0 };
		struct kit kit;
		char text[512];
		uint32_t length = kit_ib_frame(frame, 0x04, 0, payload, put_words(payload, &chunked[i].words));

		struct rtap_context context = chunked[i].context ? *chunked[i].context : (struct rtap_context){ 0 };
		uint8_t message[256];

		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, length, length, chunked[i].context);
		cr_expect_eq(kit_field(&kit, chunked[i].field, &value), chunked[i].count, "%s", chunked[i].what);
		cr_expect_eq(value.number, chunked[i].value, "%s", chunked[i].what);
		line_of(&kit, text, sizeof text);
		cr_expect_null(strstr(text, "malformed"), "%s: %s", chunked[i].what, text);
		kit_free(&kit);
		/* the same put together of several packets */
		context.message = (struct rtap_span){ message, put_words(message, &chunked[i].words) };
		length = kit_ib_frame(frame, 0x02, 0, payload, 4);
		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, length, length, &context);
		cr_expect_eq(kit_field(&kit, chunked[i].field, &value), chunked[i].count, "%s", chunked[i].what);
		kit_free(&kit);
	}
}
