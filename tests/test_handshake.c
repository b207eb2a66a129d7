/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>

#include <criterion/criterion.h>

#include <rdmatap/tracker.h>
#include <rdmatap/visitor.h>

#include "dissect/management/cm.h"
#include "tests/mad_kit.h"

#define CLIENT 0x0a000002u
#define SERVER 0x0a000001u
#define MILLISECOND INT64_C(1000000)
#define SECOND (1000 * MILLISECOND)
#define MAX_CONNECTIONS 4
#define NVME_SERVICE UINT64_C(0x0000000001061144)
#define UDP_SERVICE UINT64_C(0x0000000001111c06)
#define CLIENT_ID 0x11u
#define SERVER_ID 0x22u

static struct rtap_tracker *tracker;
static struct rtap_frame frame;
static struct rtap_packet packet;
static uint8_t bytes[ROCE_MAX_FRAME];
static uint64_t frames, reported;
static int64_t now_ns;
static uint16_t point;
static struct rtap_connection connections[MAX_CONNECTIONS];
static struct rtap_life_event reported_lives[MAX_CONNECTIONS][RTAP_MAX_LIFE_EVENTS];

static void note_connection(void *owner, const struct rtap_connection *connection)
{
	(void)owner;
	if (reported < MAX_CONNECTIONS) {
		connections[reported] = *connection;
		for (uint32_t i = 0; i < connection->life_count; i++)
			reported_lives[reported][i] = connection->life[i];
		connections[reported].life = reported_lives[reported];
	}
	reported++;
}

static void begin(void)
{
	struct rtap_tracker_options options = { .size = sizeof options, .max_memory = 1 << 20, .connection = note_connection };

	frames = reported = 0;
	point = 0;
	now_ns = 1000 * SECOND;
	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
}

static void end(void)
{
	rtap_tracker_finish(tracker);
	rtap_tracker_close(tracker);
	tracker = NULL;
}

static void put_frame(uint32_t length, int64_t wait_ns)
{
	/* the packet borrows it */
	frame = (struct rtap_frame){ .bytes = bytes, .captured_length = length, .wire_length = length, .link_type = RTAP_LINK_RAW,
				     .capture_point = point, .number = ++frames };
	now_ns += wait_ns;
	frame.time_ns = now_ns;
	rtap_tracker_frame(tracker, &frame, &packet);
}

/* A message of communication management; values that are not given are 0. */
struct said {
	uint8_t attribute;
	bool from_server;
	uint32_t local_id, remote_id;
	uint64_t transaction, service;
	uint32_t qpn;       /* REQ, REP, SIDR_REP */
	uint16_t reason;    /* REJ; status of an APR and a SIDR_REP; the message of an MRA */
	uint8_t private[4]; /* the first bytes */
};

static void say(const struct said *said, int64_t wait_ns)
{
	uint8_t data[CM_DATA_LENGTH] = { 0 };
	struct mad mad = { .management_class = MAD_CLASS_COMMUNICATION, .method = 3, .attribute = said->attribute,
			   .transaction_id = said->transaction ? said->transaction : 7, .data = data, .data_length = sizeof data };
	uint32_t private_at = 0;

	roce_put(data, said->local_id, 4);
	if (said->attribute != CM_REQ && said->attribute != CM_SIDR_REQ && said->attribute != CM_SIDR_REP)
		roce_put(data + 4, said->remote_id, 4);
	switch (said->attribute) {
	case CM_REQ:
		roce_put(data + 8, said->service, 8);
		roce_put(data + 32, said->qpn << 8, 4);
		data[141] = 0x40; /* of the IP CM header: version 4 */
		private_at = 176;
		break;
	case CM_REP:
		roce_put(data + 12, said->qpn << 8, 4);
		private_at = 36;
		break;
	case CM_REJ:
		roce_put(data + 10, said->reason, 2);
		private_at = 84;
		break;
	case CM_MRA:
		data[8] = (uint8_t)(said->reason << 6);
		break;
	case CM_APR:
		data[9] = (uint8_t)said->reason;
		break;
	case CM_SIDR_REQ:
		roce_put(data + 8, said->service, 8);
		data[17] = 0x40;
		break;
	case CM_SIDR_REP:
		data[4] = (uint8_t)said->reason;
		roce_put(data + 8, said->qpn << 8, 4);
		roce_put(data + 12, said->service, 8);
		break;
	default:
		break;
	}
	if (private_at)
		memcpy(data + private_at, said->private, sizeof said->private);
	put_frame(mad_frame(bytes, said->from_server ? SERVER : CLIENT, said->from_server ? CLIENT : SERVER, &mad), wait_ns);
}

static const struct said req = { CM_REQ, false, CLIENT_ID, 0, 0, NVME_SERVICE, 0x30, 0, { 0 } };
static const struct said rep = { CM_REP, true, SERVER_ID, CLIENT_ID, 0, 0, 0x40, 0, { 0, 0, 0x20, 0 } };
static const struct said rtu = { CM_RTU, false, CLIENT_ID, SERVER_ID, 0, 0, 0, 0, { 0 } };
static const struct said dreq = { CM_DREQ, false, CLIENT_ID, SERVER_ID, 8, 0, 0, 0, { 0 } };
static const struct said drep = { CM_DREP, true, SERVER_ID, CLIENT_ID, 8, 0, 0, 0, { 0 } };
static const struct said lap = { CM_LAP, false, CLIENT_ID, SERVER_ID, 9, 0, 0, 0, { 0 } };
static const struct said lap_2 = { CM_LAP, false, CLIENT_ID, SERVER_ID, 10, 0, 0, 0, { 0 } };
static const struct said apr = { CM_APR, true, SERVER_ID, CLIENT_ID, 9, 0, 0, 0, { 0 } };
static const struct said apr_refused = { CM_APR, true, SERVER_ID, CLIENT_ID, 10, 0, 0, 7, { 0 } };
static const struct said rej = { CM_REJ, true, 0, CLIENT_ID, 0, 0, 0, 28, { 0, 0, 6, 0 } };
static const struct said rej_unheard = { CM_REJ, true, 0, CLIENT_ID, 0, 0, 0, 8, { 0 } };
static const struct said rej_timeout = { CM_REJ, false, CLIENT_ID, 0, 0, 0, 0, 4, { 0 } };
static const struct said mra_req = { CM_MRA, true, SERVER_ID, CLIENT_ID, 0, 0, 0, 0, { 0 } };
static const struct said mra_rep = { CM_MRA, false, CLIENT_ID, SERVER_ID, 0, 0, 0, 1, { 0 } };
static const struct said mra_lap = { CM_MRA, true, SERVER_ID, CLIENT_ID, 9, 0, 0, 2, { 0 } };
static const struct said sidr_req = { CM_SIDR_REQ, false, CLIENT_ID, 0, 0, UDP_SERVICE, 0, 0, { 0 } };
static const struct said sidr_rep = { CM_SIDR_REP, true, CLIENT_ID, 0, 0, UDP_SERVICE, 0x50, 0, { 0 } };
static const struct said sidr_refused = { CM_SIDR_REP, true, CLIENT_ID, 0, 0, UDP_SERVICE, 0, 2, { 0 } };

#define MAX_SAID 12

/* The messages, and the resulting life of the connection as text: names, "*" for each repeat, "?" for no response, the reason. */
static const struct {
	const struct said *said[MAX_SAID];
	const char *life;
} lives[] = {
	{ { &req, &rep, &rtu, &dreq, &drep }, "rdma_connect rdma_accept established rdma_disconnect disconnected" },
	{ { &req }, "rdma_connect?" },
	{ { &req, &req, &req, &req }, "rdma_connect***?" },
	{ { &req, &req, &rej_timeout }, "rdma_connect* rdma_reject=4" },
	{ { &req, &rej_unheard }, "rdma_connect rdma_reject=8" },
	{ { &req, &rej, &rej }, "rdma_connect rdma_reject*=28" },
	{ { &req, &mra_req, &req, &rep, &mra_rep, &rep, &rtu }, "rdma_connect* mra rdma_accept* mra_rep established" },
	{ { &req, &mra_req }, "rdma_connect? mra" },
	{ { &req, &rep }, "rdma_connect rdma_accept?" },
	{ { &req, &rtu }, "rdma_connect established" },
	{ { &req, &rep, &rtu, &dreq, &dreq }, "rdma_connect rdma_accept established rdma_disconnect*?" },
	{ { &req, &rep, &rtu, &lap, &mra_lap, &lap, &apr }, "rdma_connect rdma_accept established lap* mra_lap apr" },
	{ { &req, &rep, &rtu, &lap, &apr, &apr, &lap_2, &apr_refused }, "rdma_connect rdma_accept established lap apr* lap apr=7" },
	{ { &req, &rep, &rtu, &lap, &apr, &lap_2 }, "rdma_connect rdma_accept established lap apr lap?" },
	{ { &sidr_req, &sidr_rep }, "rdma_connect rdma_accept" },
	{ { &sidr_req, &sidr_req, &sidr_rep, &sidr_req, &sidr_rep }, "rdma_connect** rdma_accept*" },
	{ { &sidr_req, &sidr_req }, "rdma_connect*?" },
	{ { &sidr_req, &sidr_refused }, "rdma_connect rdma_reject=2" },
};

static void read_life(const struct rtap_connection *connection, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < connection->life_count; i++) {
		const struct rtap_life_event *event = &connection->life[i];

		at += (size_t)snprintf(text + at, size - at, "%s%s", i ? " " : "", event->name);
		for (uint32_t j = 0; j < event->repeats; j++)
			at += (size_t)snprintf(text + at, size - at, "*");
		if (event->unanswered)
			at += (size_t)snprintf(text + at, size - at, "?");
		if (event->reason)
			at += (size_t)snprintf(text + at, size - at, "=%u", event->reason);
	}
}

TestSuite(handshake, .timeout = HANG_SECONDS);

Test(handshake, a_life_reports_every_message_once_its_repeats_and_whether_it_was_answered)
{
	for (size_t i = 0; i < sizeof lives / sizeof lives[0]; i++) {
		char text[256];

		begin();
		for (size_t j = 0; j < MAX_SAID && lives[i].said[j]; j++)
			say(lives[i].said[j], 100 * MILLISECOND);
		end();
		cr_assert_eq(reported, 1, "%zu: %lu connections", i, (unsigned long)reported);
		read_life(&connections[0], text, sizeof text);
		cr_expect_str_eq(text, lives[i].life);
		cr_expect(connections[0].learned_by_cm);
		cr_expect(connections[0].has_service);
	}
}

Test(handshake, the_last_repeat_has_its_time_and_a_copy_from_another_point_is_none)
{
	begin();
	say(&req, 0);
	point = 1;
	say(&req, MILLISECOND - 1);
	point = 0;
	say(&req, SECOND);
	say(&req, 2 * SECOND);
	end();
	cr_expect_eq(connections[0].life[0].repeats, 2);
	cr_expect_eq(connections[0].life[0].last_ns - connections[0].life[0].time_ns, 3 * SECOND + MILLISECOND - 1);
	cr_expect_eq(connections[0].time_end_ns, connections[0].life[0].last_ns);
}

/* A life has a dozen events: paths leave room for how it ends. */
Test(handshake, paths_without_end_do_not_hide_how_a_connection_ends)
{
	struct said again = lap;

	begin();
	say(&req, MILLISECOND);
	say(&rep, MILLISECOND);
	say(&rtu, MILLISECOND);
	for (int i = 0; i < 20; i++) {
		again.transaction = 100 + (uint64_t)i;
		say(&again, MILLISECOND);
	}
	say(&dreq, MILLISECOND);
	say(&drep, MILLISECOND);
	end();
	cr_assert_gt(connections[0].life_count, 2);
	cr_expect_str_eq(connections[0].life[connections[0].life_count - 2].name, "rdma_disconnect");
	cr_expect_str_eq(connections[0].life[connections[0].life_count - 1].name, "disconnected");
}

/* The input need not end for that. */
Test(handshake, connections_that_are_over_are_reported_soon)
{
	static const struct said *const endings[] = { &rej, &rej_timeout, &drep, &sidr_refused };
	struct said other = req;

	other.local_id = 0x99;
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		begin();
		say(endings[i] == &sidr_refused ? &sidr_req : &req, MILLISECOND);
		if (endings[i] == &drep)
			say(&rep, MILLISECOND);
		say(endings[i], MILLISECOND);
		say(&other, SECOND);
		cr_expect_eq(reported, 0, "%zu", i);
		say(&other, MILLISECOND);
		cr_expect_eq(reported, 1, "%zu", i);
		end();
	}
}

static void put_datagram(uint32_t source, uint32_t destination, uint32_t source_qp, uint32_t destination_qp)
{
	uint8_t payload[8] = { 0 };
	struct roce roce = { .source = source, .destination = destination, .opcode = 0x64, .dest_qp = destination_qp, .src_qp = source_qp,
			     .payload = payload, .payload_length = sizeof payload };

	put_frame(roce_frame(bytes, &roce), MILLISECOND);
}

Test(handshake, datagrams_join_the_connection_that_their_queue_pair_was_resolved_for)
{
	for (int from_server = 0; from_server < 2; from_server++) {
		begin();
		say(&sidr_req, MILLISECOND);
		say(&sidr_rep, MILLISECOND);
		if (from_server)
			put_datagram(SERVER, CLIENT, 0x50, 0x60);
		put_datagram(CLIENT, SERVER, 0x60, 0x50);
		put_datagram(SERVER, CLIENT, 0x50, 0x60);
		/* another one: the service is the same, without a request */
		put_datagram(CLIENT + 8, SERVER, 0x61, 0x50);
		end();
		cr_assert_eq(reported, 2);
		cr_expect_eq(connections[0].packets, (uint64_t)(2 + from_server));
		cr_expect_eq(connections[0].a.qpn, 0x60);
		cr_expect_eq(connections[0].b.qpn, 0x50);
		cr_expect_eq(connections[0].a.address[3], 2);
		cr_expect_eq(connections[0].life_count, 2);
		cr_expect_eq(connections[1].packets, 1);
		cr_expect_eq(connections[1].service_id, UDP_SERVICE);
		cr_expect_eq(connections[1].life_count, 0);
	}
}

/* Two requests for the queue pair that a service has for all; the first asker's datagrams are the first's. */
Test(handshake, resolutions_of_one_queue_pair_are_taken_in_order)
{
	struct said second_req = sidr_req, second_rep = sidr_rep;

	second_req.local_id = second_rep.local_id = CLIENT_ID + 1;
	second_req.transaction = second_rep.transaction = 8;
	begin();
	say(&sidr_req, MILLISECOND);
	say(&second_req, MILLISECOND);
	say(&sidr_rep, MILLISECOND);
	say(&second_rep, MILLISECOND);
	put_datagram(CLIENT, SERVER, 0x60, 0x50);
	put_datagram(CLIENT, SERVER, 0x61, 0x50);
	put_datagram(CLIENT, SERVER, 0x62, 0x50);
	end();
	cr_assert_eq(reported, 3);
	for (uint32_t i = 0; i < 3; i++) {
		cr_expect_eq(connections[i].a.qpn, 0x60 + i);
		cr_expect_eq(connections[i].packets, 1);
		cr_expect_eq(connections[i].first_frame, i < 2 ? 1 + i : 7);
	}
}

/* Endless requests, whose memory is reused: none of their entries remains. */
Test(handshake, resolutions_are_bounded_and_discarded_with_their_connections)
{
	struct said request = sidr_req, response = sidr_rep;
	struct rtap_tracker_counters counters;

	begin();
	for (uint32_t i = 0; i < 5000; i++) {
		request.local_id = response.local_id = i;
		request.transaction = response.transaction = 1 + i;
		say(&request, 1000);
		say(&response, 1000);
	}
	for (uint32_t i = 0; i < 200; i++)
		put_datagram(CLIENT, SERVER, 0x100 + i, 0x50);
	rtap_tracker_counters(tracker, &counters, sizeof counters);
	cr_expect_leq(counters.peak_memory, 2 << 20);
	end();
	cr_expect_geq(reported, 5000);
}

struct finder {
	struct rtap_visitor visitor; /* first */
	const char *name;
	uint64_t number;
	bool is_there;
};

static void find_field(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field, const struct rtap_value *value,
		       const struct rtap_place *place)
{
	struct finder *finder = (struct finder *)visitor;

	(void)id;
	(void)place;
	if (strcmp(field->name, finder->name))
		return;
	finder->number = value->number;
	finder->is_there = true;
}

static uint64_t field_of(const char *name, bool *is_there)
{
	struct finder finder = { .visitor = { .field = find_field }, .name = name };

	rtap_packet_visit(&packet, &finder.visitor);
	*is_there = finder.is_there;
	return finder.number;
}

Test(handshake, private_data_of_answers_are_known_by_the_request)
{
	bool is_there;

	begin();
	say(&rep, 0);
	cr_expect_eq(packet.cm.consumer, RTAP_CM_CONSUMER_UNKNOWN);
	say(&req, MILLISECOND);
	cr_expect_eq(packet.cm.consumer, RTAP_CM_CONSUMER_NVME);
	say(&rep, MILLISECOND);
	cr_expect_eq(packet.cm.consumer, RTAP_CM_CONSUMER_NVME);
	cr_expect_eq(field_of("nvme-rdma.cm.rsp.crqsize", &is_there), 32);
	cr_expect(is_there);
	/* and again, and when the connection is there */
	say(&rep, MILLISECOND);
	say(&rtu, MILLISECOND);
	say(&rep, MILLISECOND);
	cr_expect_eq(packet.cm.consumer, RTAP_CM_CONSUMER_NVME);
	/* a reject of the reply is not the service's */
	say(&(struct said){ CM_REJ, false, CLIENT_ID, SERVER_ID, 0, 0, 0, 28, { 1 } }, MILLISECOND);
	cr_expect_eq(packet.cm.consumer, RTAP_CM_CONSUMER_OTHER);
	end();
	begin();
	say(&req, 0);
	say(&rej, MILLISECOND);
	cr_expect_eq(field_of("nvme-rdma.cm.rej.sts", &is_there), 6);
	cr_expect(is_there);
	end();
}
