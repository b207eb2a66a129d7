/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>

#include <criterion/criterion.h>

#include "dissect/management/cm.h"
#include "dissect/management/cm_consumers.h"
#include "dissect/engine/protocol.h"
#include "tests/frame_kit.h"

/* A UD SEND Only to QP 1 on a native link: LRH, BTH, DETH, MAD header, message. */
#define DATA_LENGTH 232
#define DATA_OFFSET (8 + 12 + 8 + 24)
#define FRAME_LENGTH (DATA_OFFSET + DATA_LENGTH + 4)
#define TRANSACTION_ID UINT64_C(0x123456789abcdef0)

static void put(uint8_t *at, uint64_t number, unsigned bytes)
{
	while (bytes--)
		*at++ = (uint8_t)(number >> 8 * bytes);
}

static void build(uint8_t frame[FRAME_LENGTH], uint16_t attribute, const uint8_t data[DATA_LENGTH])
{
	uint8_t rest[8 + 24 + DATA_LENGTH] = { 0 }, *mad = rest + 8;

	put(rest, UINT64_C(0x8001000000000001), 8);
	put(mad, 0x01070203, 4);
	put(mad + 8, TRANSACTION_ID, 8);
	put(mad + 16, attribute, 2);
	memcpy(mad + 24, data, DATA_LENGTH);
	kit_ib_frame(frame, 0x64, 0, rest, sizeof rest);
	frame[8 + 7] = 1; /* destination QP 1 */
}

static void dissect_message(struct kit *kit, uint16_t attribute, const uint8_t *data, const struct rtap_context *context)
{
	uint8_t frame[FRAME_LENGTH];

	build(frame, attribute, data);
	kit_dissect(kit, RTAP_LINK_INFINIBAND, frame, sizeof frame, sizeof frame, context);
}

/* Numbers written into a message, and the expected fields. */
struct part {
	uint32_t at;
	unsigned bytes;
	uint64_t number;
};

struct expected {
	const char *field;
	uint64_t number;
};

#define MAX_PARTS 12

static const struct message {
	uint16_t attribute;
	const char *layers; /* after the MAD's header */
	uint32_t header;    /* bytes in front of the private data */
	struct part parts[MAX_PARTS];
	struct expected expected[MAX_PARTS];
	const char *private_field;
} messages[] = {
	{ 0x10, "infiniband.cm.req", 140,
	  { { 0, 4, 0x29a3410d }, { 8, 8, 0x1000000000000405 }, { 28, 4, 0xabcd }, { 32, 4, 0x00001180 }, { 36, 4, 0x12345607 },
	    { 43, 1, 0xa7 }, { 44, 4, 0x64f46aa6 }, { 48, 4, 0xffff3ff9 }, { 88, 4, 0x0026cfe6 }, { 96, 4, 0x00010002 }, { 139, 1, 0x8d } },
	  { { "infiniband.cm.req", 0x29a3410d }, { "infiniband.cm.req.serviceid", 0x1000000000000405 }, { "infiniband.cm.req.localqpn", 0x11 },
	    { "infiniband.cm.req.responderres", 0x80 }, { "infiniband.cm.req.transpsvctype", 3 }, { "infiniband.cm.req.e2eflowctrl", 1 },
	    { "infiniband.cm.req.startpsn", 0x64f46a }, { "infiniband.cm.req.retrcount", 6 }, { "infiniband.cm.req.pppmtu", 3 },
	    { "infiniband.cm.req.ext_transport", 1 }, { "infiniband.cm.req.prim_pktrate", 0x26 }, { "infiniband.cm.req.alt_reserved2", 5 } },
	  "infiniband.cm.req.private" },
	{ 0x11, "infiniband.cm.mra", 10, { { 0, 4, 1 }, { 4, 4, 2 }, { 8, 1, 0x7f }, { 9, 1, 0xa3 } },
	  { { "infiniband.cm.mra.localcommid", 1 }, { "infiniband.cm.mra.remotecommid", 2 }, { "infiniband.cm.mra.msgmraed", 1 },
	    { "infiniband.cm.mra.reserved0", 0x3f }, { "infiniband.cm.mra.svctout", 0x14 }, { "infiniband.cm.mra.reserved1", 3 } },
	  "infiniband.cm.mra.private" },
	{ 0x12, "infiniband.cm.rej", 84, { { 0, 4, 1 }, { 4, 4, 2 }, { 8, 1, 0x7e }, { 9, 1, 0x91 }, { 10, 2, 28 } },
	  { { "infiniband.cm.rej.localcommid", 1 }, { "infiniband.cm.rej.remotecommid", 2 }, { "infiniband.cm.rej.msgrej", 1 },
	    { "infiniband.cm.rej.reserved0", 0x3e }, { "infiniband.cm.rej.rejinfolen", 72 }, { "infiniband.cm.rej.reserved1", 1 },
	    { "infiniband.cm.rej.reason", 28 } },
	  "infiniband.cm.rej.private" },
	{ 0x13, "infiniband.cm.rep", 36,
	  { { 0, 4, 1 }, { 4, 4, 2 }, { 8, 4, 0xabcd }, { 12, 4, 0x00001100 }, { 16, 4, 0x00002200 }, { 20, 4, 0x1b900d00 }, { 24, 4, 0x01807df5 },
	    { 28, 8, 0x505400fffeaa0001 } },
	  { { "infiniband.cm.rep", 1 }, { "infiniband.cm.rep.remotecommid", 2 }, { "infiniband.cm.rep.localqkey", 0xabcd },
	    { "infiniband.cm.rep.localqpn", 0x11 }, { "infiniband.cm.rep.localeecn", 0x22 }, { "infiniband.cm.rep.startpsn", 0x1b900d },
	    { "infiniband.cm.rep.failoveracc", 2 }, { "infiniband.cm.rep.e2eflowctrl", 1 }, { "infiniband.cm.rep.rnrretrcount", 7 },
	    { "infiniband.cm.rep.srq", 1 }, { "infiniband.cm.rep.reserved", 5 }, { "infiniband.cm.rep.localcaguid", 0x505400fffeaa0001 } },
	  "infiniband.cm.rep.private" },
	{ 0x14, "infiniband.cm.rtu", 8, { { 0, 4, 1 }, { 4, 4, 2 } },
	  { { "infiniband.cm.rtu.localcommid", 1 }, { "infiniband.cm.rtu.remotecommid", 2 } }, "infiniband.cm.rtu.private" },
	{ 0x15, "infiniband.cm.dreq", 12, { { 0, 4, 1 }, { 4, 4, 2 }, { 8, 4, 0x12345678 } },
	  { { "infiniband.cm.dreq.localcommid", 1 }, { "infiniband.cm.dreq.remotecommid", 2 },
	    { "infiniband.cm.req.remoteqpneecn", 0x123456 }, { "infiniband.cm.dreq.reserved", 0x78 } },
	  "infiniband.cm.dreq.private" },
	{ 0x16, "infiniband.cm.drsp", 8, { { 0, 4, 1 }, { 4, 4, 2 } },
	  { { "infiniband.cm.drsp.localcommid", 1 }, { "infiniband.cm.drsp.remotecommid", 2 } }, "infiniband.cm.drsp.private" },
	{ 0x17, "infiniband.cm.sidrreq", 16, { { 0, 4, 1 }, { 4, 4, 0xffff0003 }, { 8, 8, 0x1000000000000405 } },
	  { { "infiniband.cm.sidrreq.requestid", 1 }, { "infiniband.cm.sidrreq.pkey", 0xffff }, { "infiniband.cm.sidrreq.reserved", 3 },
	    { "infiniband.cm.sidrreq.serviceid", 0x1000000000000405 } },
	  "infiniband.cm.sidrreq.private" },
	{ 0x18, "infiniband.cm.sidrrep", 96,
	  { { 0, 4, 1 }, { 4, 4, 0x02480003 }, { 8, 4, 0x00004309 }, { 12, 8, 0x0000000001111c06 }, { 20, 4, 0x1234567 } },
	  { { "infiniband.cm.sidrrep.requestid", 1 }, { "infiniband.cm.sidrrep.status", 2 }, { "infiniband.cm.sidrrep.addinfolen", 72 },
	    { "infiniband.cm.sidrrep.reserved0", 3 }, { "infiniband.cm.sidrrep.qpn", 0x43 }, { "infiniband.cm.sidrrep.reserved1", 9 },
	    { "infiniband.cm.sidrrep.serviceid", 0x0000000001111c06 }, { "infiniband.cm.sidrrep.qkey", 0x1234567 } },
	  "infiniband.cm.sidrrep.private" },
	{ 0x19, "infiniband.cm.lap", 64,
	  { { 0, 4, 1 }, { 4, 4, 2 }, { 12, 4, 0x123456a5 }, { 20, 4, 0x00030004 }, { 56, 4, 0xabcde577 }, { 60, 4, 0x40d2cda6 } },
	  { { "infiniband.cm.lap.localcommid", 1 }, { "infiniband.cm.lap.remotecommid", 2 }, { "infiniband.cm.lap.remoteqpneecn", 0x123456 },
	    { "infiniband.cm.lap.remoteresptout", 0x14 }, { "infiniband.cm.lap.alt_remotelid", 4 }, { "infiniband.cm.lap.alt_flowlabel", 0xabcde },
	    { "infiniband.cm.lap.alt_tfcclass", 0x77 }, { "infiniband.cm.lap.alt_hoplim", 0x40 }, { "infiniband.cm.lap.alt_pktrate", 0x12 },
	    { "infiniband.cm.lap.alt_sl", 0xc }, { "infiniband.cm.lap.alt_subnetlocal", 1 }, { "infiniband.cm.lap.alt_localacktout", 0x14 } },
	  "infiniband.cm.lap.private" },
	{ 0x1a, "infiniband.cm.apr", 84, { { 0, 4, 1 }, { 4, 4, 2 }, { 8, 4, 0x48050006 } },
	  { { "infiniband.cm.apr.localcommid", 1 }, { "infiniband.cm.apr.remotecommid", 2 }, { "infiniband.cm.apr.addinfolen", 72 },
	    { "infiniband.cm.apr.status", 5 }, { "infiniband.cm.apr.reserved", 6 } },
	  "infiniband.cm.apr.private" },
};

#define MESSAGES (sizeof messages / sizeof messages[0])

/* Private data counts upwards, so that a byte too early or too late shows. */
static void fill(const struct message *message, uint8_t data[DATA_LENGTH])
{
	memset(data, 0, DATA_LENGTH);
	for (const struct part *part = message->parts; part < message->parts + MAX_PARTS && part->bytes; part++)
		put(data + part->at, part->number, part->bytes);
	for (uint32_t i = message->header; i < DATA_LENGTH; i++)
		data[i] = (uint8_t)i;
}

static void check_private(const struct kit *kit, const struct message *message)
{
	struct rtap_value value;

	cr_expect_eq(kit_field(kit, message->private_field, &value), 1, "%s", message->private_field);
	cr_expect_eq(value.data.length, DATA_LENGTH - message->header, "%s", message->private_field);
	cr_expect_eq(value.data.bytes[0], message->header, "%s", message->private_field);
}

/* The fact of where the consumer's private data is: from byte `at` of the message to its end. */
static void check_consumer(const struct kit *kit, uint32_t at)
{
	cr_expect_eq(kit->packet.cm.source, 0);
	cr_expect_eq(kit->packet.cm.private_offset, DATA_OFFSET + at);
	cr_expect_eq(kit->packet.cm.private_length, DATA_LENGTH - at);
}

TestSuite(cm, .timeout = HANG_SECONDS);

Test(cm, every_message_gives_its_fields_and_its_private_data)
{
	for (size_t i = 0; i < MESSAGES; i++) {
		const struct message *message = &messages[i];
		char layers[256], wanted[256];
		uint8_t data[DATA_LENGTH];
		struct kit kit;

		fill(message, data);
		dissect_message(&kit, message->attribute, data, NULL);
		for (const struct expected *row = message->expected; row < message->expected + MAX_PARTS && row->field; row++) {
			struct rtap_value value;

			cr_expect_eq(kit_field(&kit, row->field, &value), 1, "%s", row->field);
			cr_expect_eq(value.number, row->number, "%s is %#llx", row->field, (unsigned long long)value.number);
		}
		check_private(&kit, message);
		check_consumer(&kit, message->header);
		kit_layers(&kit, layers, sizeof layers);
		snprintf(wanted, sizeof wanted, "infiniband.mad %s", message->layers);
		cr_expect(strstr(layers, wanted), "%s", layers);
		cr_expect(kit.packet.cm.present);
		cr_expect_eq(kit.packet.cm.attribute, message->attribute);
		cr_expect_eq(kit.packet.cm.transaction_id, TRANSACTION_ID);
		cr_expect_eq(kit.packet.anomaly_count, 0, "%s", message->layers);
		kit_free(&kit);
	}
}

Test(cm, facts_are_the_messages_in_host_order)
{
	uint8_t data[DATA_LENGTH];
	struct kit kit;

	fill(&messages[0], data);
	dissect_message(&kit, 0x10, data, NULL);
	cr_expect_eq(kit.packet.cm.local_id, 0x29a3410d);
	cr_expect_eq(kit.packet.cm.q_key, 0xabcd);
	cr_expect_eq(kit.packet.cm.service_id, 0x1000000000000405);
	cr_expect_eq(kit.packet.cm.local_qpn, 0x11);
	cr_expect_eq(kit.packet.cm.local_eecn, 0x123456);
	cr_expect_eq(kit.packet.cm.starting_psn, 0x64f46a);
	cr_expect_eq(kit.packet.cm.transport_type, 3);
	cr_expect_eq(kit.packet.cm.extended_transport, 1);
	cr_expect_eq(kit.packet.cm.mtu_code, 3);
	cr_expect_eq(kit.packet.cm.address_length, 0);
	cr_expect_eq(kit.packet.cm.upper, RTAP_UPPER_UNKNOWN);
	kit_free(&kit);
	fill(&messages[3], data);
	dissect_message(&kit, 0x13, data, NULL);
	cr_expect_eq(kit.packet.cm.remote_id, 2);
	cr_expect_eq(kit.packet.cm.q_key, 0xabcd);
	cr_expect_eq(kit.packet.cm.local_qpn, 0x11);
	cr_expect_eq(kit.packet.cm.local_eecn, 0x22);
	cr_expect_eq(kit.packet.cm.starting_psn, 0x1b900d);
	kit_free(&kit);
	fill(&messages[2], data);
	dissect_message(&kit, 0x12, data, NULL);
	cr_expect_eq(kit.packet.cm.subject, 1);
	cr_expect_eq(kit.packet.cm.reject_reason, 28);
	kit_free(&kit);
	fill(&messages[5], data);
	dissect_message(&kit, 0x15, data, NULL);
	cr_expect_eq(kit.packet.cm.remote_qpn, 0x123456);
	kit_free(&kit);
	fill(&messages[9], data);
	dissect_message(&kit, 0x19, data, NULL);
	cr_expect_eq(kit.packet.cm.remote_qpn, 0x123456);
	kit_free(&kit);
	fill(&messages[1], data);
	dissect_message(&kit, 0x11, data, NULL);
	cr_expect_eq(kit.packet.cm.subject, 1);
	kit_free(&kit);
	fill(&messages[7], data);
	dissect_message(&kit, 0x17, data, NULL);
	cr_expect_eq(kit.packet.cm.local_id, 1);
	cr_expect_eq(kit.packet.cm.service_id, 0x1000000000000405);
	kit_free(&kit);
	fill(&messages[8], data);
	dissect_message(&kit, 0x18, data, NULL);
	cr_expect_eq(kit.packet.cm.local_id, 1);
	cr_expect_eq(kit.packet.cm.service_id, 0x0000000001111c06);
	cr_expect_eq(kit.packet.cm.sidr_status, 2);
	cr_expect_eq(kit.packet.cm.local_qpn, 0x43);
	cr_expect_eq(kit.packet.cm.q_key, 0x1234567);
	kit_free(&kit);
}

Test(cm, more_additional_information_than_there_is_room_for_is_an_anomaly)
{
	static const struct {
		size_t message;
		uint32_t at;
		uint8_t shift;
	} cases[] = { { 2, 9, 1 }, { 8, 5, 0 }, { 10, 8, 0 } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (unsigned length = 0; length < 256u >> cases[i].shift; length++) {
			const struct message *message = &messages[cases[i].message];
			uint8_t data[DATA_LENGTH];
			struct kit kit;

			fill(message, data);
			data[cases[i].at] = (uint8_t)(length << cases[i].shift);
			dissect_message(&kit, message->attribute, data, NULL);
			cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_LENGTH_BEYOND_PLACE), length > 72, "case %zu, %u", i, length);
			check_consumer(&kit, message->header);
			kit_free(&kit);
		}
}

Test(cm, other_attributes_are_generic_mads)
{
	static const uint16_t attributes[] = { 0, 2, 0x0f, 0x1b, 0x110, 0xffff };
	uint8_t data[DATA_LENGTH] = { 0 };

	for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
		struct kit kit;

		dissect_message(&kit, attributes[i], data, NULL);
		cr_expect_not(kit.packet.cm.present, "%#x", attributes[i]);
		cr_expect_eq(kit_field(&kit, "data.data", NULL), 1, "%#x", attributes[i]);
		kit_free(&kit);
	}
}

/* IP CM header at `at`: IP version, source port 38304, addresses fd..2 and fd..1 whose ends are 10.0.0.2 and 10.0.0.1 */
static void put_ip(uint8_t *data, uint32_t at, uint8_t version, uint8_t protocol)
{
	put(data + 8, UINT64_C(0x0000000001000000) | (uint64_t)protocol << 16 | 20049, 8);
	data[at] = 0;
	data[at + 1] = (uint8_t)(version << 4);
	put(data + at + 2, 38304, 2);
	put(data + at + 4, version == 6 ? UINT64_C(0xfd00007700000000) : 0, 8);
	put(data + at + 12, 0x0a000002, 8);
	put(data + at + 20, version == 6 ? UINT64_C(0xfd00007700000000) : 0, 8);
	put(data + at + 28, 0x0a000001, 8);
}

Test(cm, requests_for_an_ip_service_have_an_ip_header_and_less_private_data)
{
	static const struct {
		size_t message;
		uint8_t version;
		uint32_t consumer;
	} cases[] = { { 0, 4, 56 }, { 0, 6, 56 }, { 7, 4, 180 }, { 7, 6, 180 } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct message *message = &messages[cases[i].message];
		bool ipv4 = cases[i].version == 4;
		uint8_t data[DATA_LENGTH];
		struct rtap_value value;
		struct kit kit;

		fill(message, data);
		put_ip(data, message->header, cases[i].version, 0x06);
		dissect_message(&kit, message->attribute, data, NULL);
		cr_expect_eq(kit.packet.anomaly_count, 0);
		cr_expect_eq(kit.packet.cm.source_port, 38304);
		cr_expect_eq(kit.packet.cm.destination_port, 20049);
		cr_assert_eq(kit.packet.cm.address_length, ipv4 ? 4 : 16);
		cr_expect_eq(kit.packet.cm.destination_address[ipv4 ? 3 : 15], 1);
		cr_expect_eq(kit.packet.cm.source_address[0], ipv4 ? 10 : 0xfd);
		cr_expect_eq(kit_field(&kit, "infiniband.cm.req.ip_cm.sip4", NULL), ipv4);
		cr_expect_eq(kit_field(&kit, "infiniband.cm.req.ip_cm.dip6", NULL), !ipv4);
		cr_expect_eq(kit_field(&kit, "infiniband.cm.req.ip_cm.private", &value), 1);
		cr_expect_eq(value.data.length, cases[i].consumer);
		cr_expect_eq(value.data.bytes[0], message->header + 36);
		check_consumer(&kit, message->header + 36);
		cr_expect_eq(kit_field(&kit, message->private_field, NULL), 0);
		kit_free(&kit);
	}
}

/* Private data as Linux's initiators send them. */
static const uint8_t nvme_request[] = { 0, 0, 1, 0, 0x10, 0, 0x0f, 0, 1, 0 };
static const uint8_t iser_request[] = { 0x80 };
static const uint8_t rds_request[] = { 10, 0, 0, 2, 10, 0, 0, 1, 3, 1, 0, 3 };
static const uint8_t srp_request[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0x80, 0, 0, 0, 0x20, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xff, 0xfe, 0xaa, 0, 2,
	0x50, 0x54, 0, 0xff, 0xfe, 0xaa, 0, 1, 0x50, 0x54, 0, 0xff, 0xfe, 0xaa, 0, 1, 0, 0x44,
};

Test(cm, private_data_of_known_services_are_read_in_requests)
{
	static const struct {
		uint16_t port;
		const uint8_t *bytes;
		uint32_t length;
		const char *kind, *field;
		uint64_t number;
		unsigned guessed;
	} cases[] = {
		{ 4420, nvme_request, sizeof nvme_request, "NVMe", "nvme-rdma.cm.req.hrqsize", 16, 0 },
		{ 4420, nvme_request, sizeof nvme_request, "NVMe", "nvme-rdma.cm.req.qid", 1, 0 },
		{ 3260, iser_request, sizeof iser_request, "iSER", "iser.private.zbva_not_supported", 1, 0 },
		{ 18634, rds_request, sizeof rds_request, "RDS", "rds.private.major", 3, 0 },
		{ 5000, srp_request, sizeof srp_request, "IP port", "srp.login.req_it_iu_len", 0x2044, 1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_context no_heuristics = { .no_heuristics = true };
		uint8_t data[DATA_LENGTH] = { 0 };
		struct rtap_value value;
		struct kit kit;

		put_ip(data, 140, 4, 0x06);
		put(data + 14, cases[i].port, 2);
		memcpy(data + 176, cases[i].bytes, cases[i].length);
		dissect_message(&kit, CM_REQ, data, NULL);
		cr_assert_eq(kit_field(&kit, cases[i].field, &value), 1, "%s", cases[i].field);
		cr_expect_eq(value.number, cases[i].number, "%s", cases[i].field);
		cr_assert_eq(kit_field(&kit, "infiniband.cm.req.serviceid.kind", &value), 1);
		cr_expect(value.data.length == strlen(cases[i].kind) && !memcmp(value.data.bytes, cases[i].kind, value.data.length), "%u", cases[i].port);
		kit_free(&kit);
		/* by their port they are known without guessing, at another port they are not */
		dissect_message(&kit, CM_REQ, data, &no_heuristics);
		cr_expect_eq(kit_field(&kit, cases[i].field, NULL), !cases[i].guessed, "%s", cases[i].field);
		kit_free(&kit);
		put(data + 14, 9, 2);
		dissect_message(&kit, CM_REQ, data, NULL);
		cr_expect_eq(kit_field(&kit, cases[i].field, NULL), cases[i].guessed, "%s", cases[i].field);
		kit_free(&kit);
	}
}

/* The same login by the InfiniBand CM: whole, in the 92 bytes that there are without an IP CM header. */
static const uint8_t srp_login[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0x20, 0x44, 0, 0, 0, 0, 0, 6, 0x80, 0, 0, 0x44, 0, 0,
	0x50, 0x54, 0, 0xff, 0xfe, 0xaa, 0, 2, 0x50, 0x54, 0, 0xff, 0xfe, 0xaa, 0, 1,
	0x50, 0x54, 0, 0xff, 0xfe, 0xaa, 0, 1, 0x50, 0x54, 0, 0xff, 0xfe, 0xaa, 0, 1,
};

Test(cm, a_whole_srp_login_is_known_by_its_content)
{
	static const struct {
		uint32_t at;
		uint8_t byte;
	} others[] = { { 0, 1 }, { 7, 1 }, { 23, 1 }, { 25, 0 }, { 25, 8 }, { 27, 1 }, { 31, 1 }, { 64, 1 }, { 91, 1 }, { 18, 0 }, { 17, 2 } };
	uint8_t data[DATA_LENGTH] = { 0 };
	struct rtap_value value;
	struct kit kit;

	put(data + 8, 0x0002c90200402bd4, 8);
	memcpy(data + 140, srp_login, sizeof srp_login);
	dissect_message(&kit, CM_REQ, data, NULL);
	cr_assert_eq(kit_field(&kit, "srp.login.req_it_iu_len", &value), 1);
	cr_expect_eq(value.number, 0x2044);
	cr_assert_eq(kit_field(&kit, "srp.login.tag", &value), 1);
	cr_expect_eq(value.number, 7);
	cr_expect_eq(kit.packet.cm.consumer, RTAP_CM_CONSUMER_SRP);
	kit_free(&kit);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		uint8_t kept = data[140 + others[i].at];

		data[140 + others[i].at] = others[i].byte;
		if (others[i].at == 18)
			data[159] = 63; /* an information unit that is too short */
		dissect_message(&kit, CM_REQ, data, NULL);
		cr_expect_eq(kit_field(&kit, "srp.login.tag", NULL), 0, "byte %u", others[i].at);
		cr_expect_eq(kit.packet.cm.consumer, RTAP_CM_CONSUMER_OTHER);
		kit_free(&kit);
		data[140 + others[i].at] = kept;
		data[159] = 0x44;
	}
}

/* Linux's RDS over IPv6. */
Test(cm, rds_has_addresses_of_the_connection_s_family)
{
	uint8_t data[DATA_LENGTH] = { 0 };
	struct rtap_value value;
	struct kit kit;

	put_ip(data, 140, 6, 0x06);
	put(data + 14, 16385, 2);
	data[176 + 15] = 2;
	data[176 + 32] = 4;
	put(data + 176 + 48, 9, 4);
	dissect_message(&kit, CM_REQ, data, NULL);
	cr_expect_eq(kit.packet.cm.consumer, RTAP_CM_CONSUMER_RDS_IPV6);
	cr_assert_eq(kit_field(&kit, "rds.private.saddr6", &value), 1);
	cr_expect_eq(value.data.bytes[15], 2);
	cr_assert_eq(kit_field(&kit, "rds.private.major", &value), 1);
	cr_expect_eq(value.number, 4);
	cr_assert_eq(kit_field(&kit, "rds.private.credit", &value), 1);
	cr_expect_eq(value.number, 9);
	cr_expect_eq(kit_field(&kit, "rds.private.saddr", NULL), 0);
	kit_free(&kit);
}

static const uint8_t nvme_accept[] = { 0, 0, 0x20, 0x01 };
static const uint8_t nvme_reject[] = { 0, 0, 6, 0 };
static const uint8_t srp_response[] = {
	0xc0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0x20, 0x54, 0, 0, 0x20, 0x44, 0, 6, 0x80,
};
static const uint8_t srp_reject[] = { 0xc2, 0, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 7 };
static const uint8_t rds_reject[] = { 1, 0, 0, 0 };

struct answer {
	uint8_t consumer;
	uint16_t attribute;
	const uint8_t *bytes;
	uint32_t length;
	const char *name, *field;
	uint64_t number;
};

#define ANSWER(consumer, attribute, bytes, name, field, number) \
	{ RTAP_CM_CONSUMER_##consumer, CM_##attribute, bytes, sizeof bytes, name, field, number }

static const struct answer answers[] = {
	ANSWER(NVME, REP, nvme_accept, "NVMe", "nvme-rdma.cm.rsp.crqsize", 0x120),
	ANSWER(NVME, REJ, nvme_reject, "NVMe", "nvme-rdma.cm.rej.sts", 6),
	ANSWER(ISER, REP, iser_request, "iSER", "iser.private.zbva_not_supported", 1),
	ANSWER(SRP, REP, srp_response, "SRP", "srp.login_rsp.req_lim_delta", 0x80),
	ANSWER(SRP, REP, srp_response, "SRP", "srp.login_rsp.max_it_iu_len", 0x2054),
	ANSWER(SRP_RDMA_CM, REP, srp_response, "SRP", "srp.login_rsp.flags", 0x80),
	ANSWER(SRP, REJ, srp_reject, "SRP", "srp.login_rej.reason", 0x10006),
	ANSWER(SRP_RDMA_CM, REJ, srp_reject, "SRP", "srp.login_rej.tag", 7),
	ANSWER(RDS, REP, rds_request, "RDS", "rds.private.minor", 1),
	ANSWER(RDS_IPV6, REP, rds_request, "RDS", "rds.private.credit", 0),
	ANSWER(RDS, REJ, rds_reject, "RDS", "rds.private.error", 1),
	ANSWER(NFS, REP, nvme_accept, "NFS", NULL, 0),
	ANSWER(SMB_DIRECT, REP, nvme_accept, "SMB Direct", NULL, 0),
	ANSWER(OTHER, REP, nvme_accept, "other", NULL, 0),
	ANSWER(UNKNOWN, REP, nvme_accept, "unknown: REQ not captured", NULL, 0),
	ANSWER(UNKNOWN, REJ, nvme_reject, "unknown: REQ not captured", NULL, 0),
};

static void expect_text(const struct kit *kit, const char *field, const char *text)
{
	struct rtap_value value;

	cr_assert_eq(kit_field(kit, field, &value), 1, "%s", field);
	cr_expect(value.data.length == strlen(text) && !memcmp(value.data.bytes, text, value.data.length), "%s: not %s", field, text);
}

Test(cm, private_data_of_responses_is_that_of_the_requested_service)
{
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		const struct answer *answer = &answers[i];
		bool is_reject = answer->attribute == CM_REJ;
		struct rtap_context context = { .cm_consumer = answer->consumer };
		uint8_t data[DATA_LENGTH] = { 0 };
		struct rtap_value value;
		struct kit kit;

		if (is_reject)
			put(data + 10, 28, 2);
		memcpy(data + (is_reject ? 84 : 36), answer->bytes, answer->length);
		dissect_message(&kit, answer->attribute, data, &context);
		cr_expect_eq(kit.packet.anomaly_count, 0);
		expect_text(&kit, is_reject ? "infiniband.cm.rej.consumer" : "infiniband.cm.rep.consumer", answer->name);
		if (answer->field) {
			cr_assert_eq(kit_field(&kit, answer->field, &value), 1, "%zu: %s", i, answer->field);
			cr_expect_eq(value.number, answer->number, "%zu: %s", i, answer->field);
		}
		cr_expect_eq(kit_field(&kit, is_reject ? "infiniband.cm.rej.private" : "infiniband.cm.rep.private", NULL), 1);
		cr_expect_eq(kit.packet.layers[kit.packet.layer_count - 2].protocol == cm_protocol(answer->attribute), answer->field != NULL);
		kit_free(&kit);
	}
}

/* Communication management's own reasons, and a listener that gave no word. */
Test(cm, rejects_that_say_nothing_have_no_fields)
{
	struct rtap_context context = { .cm_consumer = RTAP_CM_CONSUMER_NVME };
	uint8_t data[DATA_LENGTH] = { 0 };
	struct kit kit;

	put(data + 10, 8, 2);
	memcpy(data + 84, nvme_reject, sizeof nvme_reject);
	dissect_message(&kit, CM_REJ, data, &context);
	cr_expect_eq(kit_field(&kit, "nvme-rdma.cm.rej.sts", NULL), 0);
	cr_expect_eq(kit_field(&kit, "infiniband.cm.rej.consumer", NULL), 0);
	kit_free(&kit);
	put(data + 10, 28, 2);
	memset(data + 84, 0, sizeof nvme_reject);
	dissect_message(&kit, CM_REJ, data, &context);
	cr_expect_eq(kit_field(&kit, "nvme-rdma.cm.rej.sts", NULL), 0);
	kit_free(&kit);
}

Test(cm, truncated_private_data_of_responses_is_reported_as_far_as_captured)
{
	struct rtap_context context = { .cm_consumer = RTAP_CM_CONSUMER_SRP };
	uint8_t data[DATA_LENGTH] = { 0 }, frame[FRAME_LENGTH];

	memcpy(data + 36, srp_response, sizeof srp_response);
	build(frame, CM_REP, data);
	for (uint32_t captured = DATA_OFFSET; captured < DATA_OFFSET + 36 + 52; captured++) {
		struct kit kit;

		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, captured, sizeof frame, &context);
		cr_expect_eq(kit_field(&kit, "srp.login_rsp.req_lim_delta", NULL), captured >= DATA_OFFSET + 36 + 8, "cut at %u", captured);
		cr_expect_eq(kit_field(&kit, "srp.login_rsp.reserved2", NULL), 0, "cut at %u", captured);
		cr_expect_eq(kit_field(&kit, "infiniband.cm.rep.consumer", NULL), 0, "cut at %u", captured);
		kit_free(&kit);
	}
}

Test(cm, service_ids_have_a_kind)
{
	static const struct {
		uint64_t service_id;
		const char *kind;
	} cases[] = {
		{ 0x0000000001064e51, "NFS" }, { 0x00000000010601bd, "SMB Direct" }, { 0x0000000001110001, "IP port" }, { 0x0000000000010000, "IBTA" },
		{ 0x0100000000012345, "IPoIB connected mode" }, { 0x0200000000000001, "local operating system" },
		{ 0x10000000010644ca, "externally administered" }, { 0x4200000000000000, NULL },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *kind = cm_service_kind(cases[i].service_id);

		cr_expect_eq(!kind, !cases[i].kind);
		if (kind && cases[i].kind)
			cr_expect_str_eq(kind, cases[i].kind);
	}
}

Test(cm, only_requests_have_an_ip_header)
{
	uint8_t data[DATA_LENGTH];
	struct kit kit;

	/* bytes 8 to 15 of a REP hold a Q_Key and a QPN */
	fill(&messages[3], data);
	put_ip(data, 36, 4, 0x06);
	dissect_message(&kit, 0x13, data, NULL);
	cr_expect_eq(kit_field(&kit, "infiniband.cm.req.ip_cm.sport", NULL), 0);
	cr_expect_eq(kit.packet.cm.address_length, 0);
	kit_free(&kit);
}

Test(cm, an_ip_header_of_another_version_is_an_anomaly_and_gives_no_addresses)
{
	static const struct {
		uint8_t major_minor, version;
		bool addresses, anomaly;
	} cases[] = { { 0x00, 4, true, false }, { 0x0f, 4, true, false }, { 0x10, 4, true, true }, { 0x00, 5, false, true }, { 0x00, 0, false, true } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t data[DATA_LENGTH];
		struct kit kit;

		fill(&messages[0], data);
		put_ip(data, 140, cases[i].version, 0x06);
		data[140] = cases[i].major_minor;
		dissect_message(&kit, 0x10, data, NULL);
		cr_expect_eq(kit.packet.cm.address_length != 0, cases[i].addresses, "case %zu", i);
		cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_BAD_VERSION), cases[i].anomaly, "case %zu", i);
		kit_free(&kit);
	}
}

Test(cm, gids_that_are_mapped_ipv4_addresses_are_shown_as_such)
{
	uint8_t data[DATA_LENGTH];
	struct rtap_value value;
	struct kit kit;

	fill(&messages[0], data);
	put(data + 56, 0, 8);
	put(data + 64, 0x0000ffff0a000002, 8);
	put(data + 72, 0xfe80000000000000, 8);
	dissect_message(&kit, 0x10, data, NULL);
	cr_expect_eq(kit_field(&kit, "infiniband.cm.req.prim_localgid_ipv4", &value), 1);
	cr_expect_eq(value.data.bytes[0], 10);
	cr_expect_eq(kit_field(&kit, "infiniband.cm.req.prim_localgid", NULL), 0);
	cr_expect_eq(kit_field(&kit, "infiniband.cm.req.prim_remotegid", NULL), 1);
	cr_expect_eq(kit_field(&kit, "infiniband.cm.req.prim_remotegid_ipv4", NULL), 0);
	kit_free(&kit);
}

/* RFC 8797, section 4: R set, send size 4096, receive size 262144 */
#define RPC_PRIVATE UINT64_C(0xf6ab0e18010103ff)

Test(cm, the_message_of_rfc_8797_is_found_wherever_it_fits)
{
	static const struct {
		size_t message;
		bool ip;
		uint32_t first, last; /* offsets where it fits */
	} cases[] = { { 0, false, 140, 224 }, { 0, true, 176, 224 }, { 3, false, 36, 224 } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (uint32_t at = cases[i].first - 1; at <= cases[i].last; at++) {
			const struct message *message = &messages[cases[i].message];
			bool fits = at >= cases[i].first;
			uint8_t data[DATA_LENGTH];
			struct rtap_value value;
			struct kit kit;

			fill(message, data);
			if (cases[i].ip)
				put_ip(data, message->header, 4, 0x06);
			put(data + at, RPC_PRIVATE, 8);
			dissect_message(&kit, message->attribute, data, NULL);
			cr_expect_eq(kit.packet.cm.upper == RTAP_UPPER_RPCRDMA, fits, "case %zu at %u", i, at);
			cr_expect_eq(kit_field(&kit, "rpcordma.private.receive_size", &value), fits, "case %zu at %u", i, at);
			cr_expect(!fits || value.number == 262144);
			cr_expect_eq(kit.packet.cm.send_size, fits ? 4096 : 0);
			cr_expect_eq(kit.packet.cm.remote_invalidation, fits);
			kit_free(&kit);
		}
}

Test(cm, only_complete_messages_of_version_1_are_dissected)
{
	static const struct {
		const char *what;
		size_t message;
		struct part part;
		bool found;
	} cases[] = {
		{ "version 2", 3, { 36, 8, 0xf6ab0e1802010303 }, false },
		{ "version 0", 3, { 36, 8, 0xf6ab0e1800010303 }, false },
		{ "another format", 3, { 36, 8, 0xf6ab0e1901010303 }, false },
		{ "other flags", 3, { 36, 8, 0xf6ab0e1801fe0303 }, true },
		{ "seven bytes at the end", 3, { 225, 7, 0xf6ab0e18010103 }, false },
		{ "in an RTU", 4, { 100, 8, RPC_PRIVATE }, false },
		{ "in a SIDR_REQ", 7, { 100, 8, RPC_PRIVATE }, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct message *message = &messages[cases[i].message];
		uint8_t data[DATA_LENGTH];
		struct kit kit;

		fill(message, data);
		put(data + cases[i].part.at, cases[i].part.number, cases[i].part.bytes);
		dissect_message(&kit, message->attribute, data, NULL);
		cr_expect_eq(kit.packet.cm.upper == RTAP_UPPER_RPCRDMA, cases[i].found, "%s", cases[i].what);
		cr_expect_not(kit.packet.cm.remote_invalidation, "%s", cases[i].what);
		kit_free(&kit);
	}
}

Test(cm, a_message_of_another_version_does_not_hide_one_after_it)
{
	uint8_t data[DATA_LENGTH];
	struct kit kit;

	fill(&messages[3], data);
	put(data + 40, 0xf6ab0e1802000000, 8);
	put(data + 44, RPC_PRIVATE, 8);
	dissect_message(&kit, 0x13, data, NULL);
	cr_expect(kit.packet.cm.upper == RTAP_UPPER_RPCRDMA);
	cr_expect_eq(kit.packet.cm.send_size, 4096);
	kit_free(&kit);
}

Test(cm, private_data_is_not_searched_without_heuristics)
{
	const struct rtap_context context = { .no_heuristics = true };
	uint8_t data[DATA_LENGTH];
	struct kit kit;

	fill(&messages[3], data);
	put(data + 36, RPC_PRIVATE, 8);
	dissect_message(&kit, 0x13, data, &context);
	cr_expect(kit.packet.cm.present);
	cr_expect_eq(kit.packet.cm.upper, RTAP_UPPER_UNKNOWN);
	kit_free(&kit);
}

Test(cm, bytes_after_a_message_are_no_part_of_it)
{
	uint8_t data[DATA_LENGTH], frame[FRAME_LENGTH], rest[8 + 24 + DATA_LENGTH + 8] = { 0 }, longer[FRAME_LENGTH + 8];
	struct rtap_value value;
	struct kit kit;

	fill(&messages[3], data);
	build(frame, 0x13, data);
	memcpy(rest, frame + 20, sizeof rest - 8);
	put(rest + sizeof rest - 12, RPC_PRIVATE, 8);
	kit_ib_frame(longer, 0x64, 0, rest, sizeof rest);
	longer[8 + 7] = 1;
	kit_dissect(&kit, RTAP_LINK_INFINIBAND, longer, sizeof longer, sizeof longer, NULL);
	cr_expect_eq(kit_field(&kit, "infiniband.cm.rep.private", &value), 1);
	cr_expect_eq(value.data.length, DATA_LENGTH - 36);
	check_consumer(&kit, 36);
	cr_expect_eq(kit.packet.cm.upper, RTAP_UPPER_UNKNOWN);
	cr_expect_eq(kit_field(&kit, "data.data", &value), 1);
	cr_expect_eq(value.data.length, 8);
	kit_free(&kit);
}

/* As the capture cuts it (wire bytes are known) and as a packet that ends too early. */
static void check_cut(const struct message *message, const uint8_t *frame, uint32_t there, bool captured_less)
{
	struct kit kit;
	uint8_t shorter[FRAME_LENGTH];
	uint32_t length = DATA_OFFSET + there;

	memcpy(shorter, frame, FRAME_LENGTH);
	if (!captured_less) {
		shorter[4] = (uint8_t)((length + 4) / 4 >> 8);
		shorter[5] = (uint8_t)((length + 4) / 4);
	}
	kit_dissect(&kit, RTAP_LINK_INFINIBAND, shorter, captured_less ? length : length + 4, captured_less ? FRAME_LENGTH : length + 4, NULL);
	cr_expect(kit_has_anomaly(&kit, captured_less ? RTAP_ANOMALY_TRUNCATED : RTAP_ANOMALY_MALFORMED) || (!captured_less && !there),
		  "%s cut to %u", message->layers, there);
	cr_expect_eq(kit.packet.cm.present, there >= message->header, "%s cut to %u", message->layers, there);
	cr_expect_eq(kit_field(&kit, message->private_field, NULL), 0, "%s cut to %u", message->layers, there);
	cr_expect_eq(kit_field(&kit, "infiniband.cm.req.ip_cm.private", NULL), 0, "%s cut to %u", message->layers, there);
	cr_expect_eq(kit.packet.cm.private_length, 0, "%s cut to %u", message->layers, there);
	for (const struct expected *row = message->expected; row < message->expected + MAX_PARTS && row->field; row++)
		kit_field(&kit, row->field, NULL);
	kit_free(&kit);
}

Test(cm, every_cut_is_an_anomaly_and_shows_no_private_data)
{
	for (size_t i = 0; i < MESSAGES; i++)
		for (unsigned ip = 0; ip < 2; ip++) {
			uint8_t data[DATA_LENGTH], frame[FRAME_LENGTH];

			fill(&messages[i], data);
			if (ip)
				put_ip(data, messages[i].header, 4, 0x06);
			build(frame, messages[i].attribute, data);
			for (uint32_t there = 0; there < DATA_LENGTH; there++) {
				check_cut(&messages[i], frame, there, true);
				if (there % 4 == 0)
					check_cut(&messages[i], frame, there, false);
			}
		}
}

Test(cm, a_message_of_rfc_8797_that_was_captured_whole_is_found_in_a_cut_packet)
{
	for (uint32_t there = 0; there < DATA_LENGTH; there++) {
		uint8_t data[DATA_LENGTH], frame[FRAME_LENGTH];
		struct kit kit;

		fill(&messages[3], data);
		put(data + 100, RPC_PRIVATE, 8);
		build(frame, 0x13, data);
		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, DATA_OFFSET + there, FRAME_LENGTH, NULL);
		cr_expect_eq(kit.packet.cm.upper == RTAP_UPPER_RPCRDMA, there >= 108, "cut to %u", there);
		kit_free(&kit);
	}
}
