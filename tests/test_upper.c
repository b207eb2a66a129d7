/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which callbacks of which upper layer are called for a connection, with test layers.
 */
#include "config.h"

#include <string.h>

#include <criterion/criterion.h>

#include "reassembly/connection_lifecycle.h"
#include "reassembly/upper.h"
#include "reassembly/upper/upper_layers.h"
#include "tests/rpc_kit.h"

#define SERVICE_OF_B 7

static struct rtap_tracker *tracker;
static struct connection *connection;
static char calls[64]; /* "ap": the packet callback of layer a, and so on */
static bool takes[2];  /* whether layer a, layer b accepts a packet */

static void note(char layer, char callback)
{
	size_t length = strlen(calls);

	cr_assert_lt(length + 3, sizeof calls);
	calls[length] = layer;
	calls[length + 1] = callback;
	calls[length + 2] = '\0';
}

static bool nothing_is_set_up(const struct connection *its)
{
	(void)its;
	return false;
}

static bool is_set_up_for_b(const struct connection *its)
{
	return its->shown.service_id == SERVICE_OF_B;
}

/* The common part of both layers, with different letters. */
#define LAYER(letter, index) \
	static bool packet_##letter(struct upper_work *work) { (void)work; note(#letter[0], 'p'); return takes[index]; } \
	static bool write_##letter(struct upper_work *work) { (void)work; note(#letter[0], 'W'); return takes[index]; } \
	static bool send_##letter(struct upper_work *work) { (void)work; note(#letter[0], 's'); return takes[index]; } \
	static bool read_##letter(struct upper_work *work) { (void)work; note(#letter[0], 'r'); return true; } \
	static void ahead_##letter(struct upper_work *work) { (void)work; note(#letter[0], 'h'); } \
	static bool may_want_##letter(const struct rtap_tracker *its, const struct connection *of) \
	{ (void)its; (void)of; note(#letter[0], 'w'); return takes[index]; } \
	static void claim_##letter(struct rtap_tracker *its, struct message *message) \
	{ static struct region region; (void)its; note(#letter[0], 'c'); if (takes[index]) message->region = &region; } \
	static void landed_##letter(struct rtap_tracker *its, struct message *message) \
	{ (void)its; note(#letter[0], 'l'); message->region = NULL; } \
	static void lost_##letter(struct message *message) { note(#letter[0], 'L'); message->region = NULL; } \
	static void late_##letter(struct rtap_tracker *its, const struct message *message, const struct upper_loss *loss) \
	{ (void)its; (void)message; (void)loss; note(#letter[0], 't'); } \
	static void written_##letter(const struct message *message) { (void)message; note(#letter[0], 'x'); } \
	static const struct upper_memory memory_##letter = { may_want_##letter, claim_##letter, landed_##letter, lost_##letter, late_##letter, \
							     written_##letter }; \
	static void settled_##letter(struct rtap_tracker *its, struct message *message) \
	{ (void)its; note(#letter[0], 'S'); message->request = NULL; } \
	static bool init_##letter(struct rtap_tracker *its) { (void)its; note(#letter[0], 'I'); return true; } \
	static void release_##letter(struct rtap_tracker *its, struct message *message) { (void)its; (void)message; note(#letter[0], 'r'); } \
	static void detach_##letter(struct message *message) { (void)message; note(#letter[0], 'd'); } \
	static void merged_##letter(struct rtap_tracker *its, struct connection *from, struct connection *to, bool turned) \
	{ (void)its; (void)from; (void)to; (void)turned; note(#letter[0], 'm'); } \
	static void end_##letter(struct rtap_tracker *its, struct connection *of) { (void)its; (void)of; note(#letter[0], 'e'); } \
	static void over_##letter(struct rtap_tracker *its, struct connection *of) { (void)its; (void)of; note(#letter[0], 'o'); } \
	static void advance_##letter(struct rtap_tracker *its) { (void)its; } \
	static void fini_##letter(struct rtap_tracker *its) { (void)its; note(#letter[0], 'F'); }

#define ROW(letter, set_up) \
	{ #letter, NULL, init_##letter, ports_##letter, RTAP_UPPER_UNKNOWN, set_up, NULL, false, false, packet_##letter, NULL, write_##letter, \
	  send_##letter, read_##letter, ahead_##letter, &memory_##letter, settled_##letter, NULL, NULL, release_##letter, detach_##letter, \
	  merged_##letter, end_##letter, over_##letter, advance_##letter, fini_##letter, &socket_##letter, NULL }

LAYER(a, 0)
LAYER(b, 1)

#define PORT_OF_A 4420

static const uint16_t ports_a[] = { 8009, PORT_OF_A, 0 };
#define ports_b NULL

/* Layers on TCP and UDP; a stream's state is its letter. */
static enum upper_verdict verdicts[2];

static void nothing_to_do(struct rtap_tracker *its) { (void)its; }
static void take_life(void *stream, bool from_a, enum tcp_life life) { (void)stream; (void)from_a; (void)life; }
static void take_bytes(void *stream, bool from_a, const struct tcp_bytes *bytes) { (void)from_a; (void)bytes; note(*(char *)stream, '+'); }
static void take_hole(void *stream, bool from_a, const struct tcp_hole *hole) { (void)from_a; (void)hole; note(*(char *)stream, '-'); }
static enum upper_verdict verdict_of(const void *stream) { return verdicts[*(const char *)stream == 'b']; }
static void take_end(void *stream) { note(*(char *)stream, '.'); }
static void of_connection(struct connection *of) { (void)of; }

static void take_segment(struct rtap_tracker *its, void *stream, const struct tcp_segment_facts *facts, struct rtap_packet *of,
			 struct rtap_context *context)
{
	(void)its;
	(void)facts;
	(void)of;
	(void)context;
	note(*(char *)stream, 's');
}

#define SOCKET(letter, index) \
	static void *begin_##letter(struct rtap_tracker *its, const struct tcp_connection *of, const struct rtap_frame *frame) \
	{ static char name = #letter[0]; (void)its; (void)of; (void)frame; return &name; } \
	static bool datagram_##letter(struct rtap_tracker *its, struct rtap_packet *of, struct rtap_context *context) \
	{ (void)its; (void)of; (void)context; note(#letter[0], 'd'); return takes[index]; } \
	static const struct upper_socket socket_##letter = { begin_##letter, take_life, take_bytes, take_hole, verdict_of, \
							     take_segment, take_end, datagram_##letter, of_connection, of_connection, nothing_to_do };

SOCKET(a, 0)
SOCKET(b, 1)

static const struct upper_layer a = ROW(a, nothing_is_set_up), b = ROW(b, is_set_up_for_b);
static const struct upper_layer *const layers[] = { &a, &b, NULL };
/* As a, for packets only. */
static const struct upper_layer c = { .name = "c", .packet = packet_a, .takes_immediates = true };

static void expect(const char *wanted)
{
	cr_expect_str_eq(calls, wanted);
	calls[0] = '\0';
}

static void begin(void)
{
	cr_assert_eq(rtap_tracker_open(&tracker, &(struct rtap_tracker_options){ .size = sizeof(struct rtap_tracker_options) }, NULL), RTAP_STATUS_OK);
	upper_fini(tracker);
	cr_assert(upper_init(tracker, layers));
	calls[0] = '\0';
	connection = connection_create(tracker, 1, 0);
	cr_assert_not_null(connection);
	takes[0] = takes[1] = false;
	verdicts[0] = verdicts[1] = UPPER_PERHAPS;
}

static void end(void)
{
	calls[0] = '\0';
	rtap_tracker_close(tracker);
	cr_expect(strstr(calls, "aF") && strstr(calls, "bF"), "%s", calls);
	tracker = NULL;
	calls[0] = '\0';
}

static struct rtap_packet dissected;

static bool packet(void)
{
	return upper_packet(&(struct upper_work){ .tracker = tracker, .connection = connection, .packet = &dissected });
}

TestSuite(upper, .init = begin, .fini = end, .timeout = HANG_SECONDS);

Test(upper, all_layers_are_called_in_order_until_one_accepts_a_packet)
{
	cr_expect_not(packet());
	expect("apbp");
	cr_expect_null(connection->layer);
	cr_expect_not(packet());
	expect("apbp");
}

Test(upper, the_layer_that_accepts_a_packet_is_the_only_one_called_afterwards)
{
	takes[1] = true;
	cr_expect(packet());
	expect("apbp");
	cr_expect_eq(connection->layer, &b);
	takes[1] = false;
	cr_expect_not(packet());
	expect("bp");
	cr_expect_eq(connection->layer, &b);
}

Test(upper, the_layer_that_accepts_a_write_is_the_only_one_called_afterwards)
{
	struct upper_work work = { .tracker = tracker, .connection = connection };

	cr_expect_not(upper_write(&work));
	expect("aWbW");
	cr_expect_null(connection->layer);
	takes[1] = true;
	cr_expect(upper_write(&work));
	expect("aWbW");
	cr_expect_eq(connection->layer, &b);
	cr_expect(upper_write(&work));
	expect("bW");
}

/* IBTA vol. 1, table 38: 0x0b is an RDMA WRITE Only with Immediate. */
Test(upper, only_layers_that_want_them_get_writes_with_immediate_data)
{
	static const struct upper_layer *const with_c[] = { &a, &b, &c, NULL };

	dissected.ib.opcode = 0x0b;
	takes[0] = takes[1] = true;
	cr_expect_not(packet());
	expect("");
	tracker->layers = with_c;
	cr_expect(packet());
	expect("ap");
	cr_expect_eq(connection->layer, &c);
	tracker->layers = layers;
	dissected.ib.opcode = 0;
}

Test(upper, who_takes_a_send_of_iwarp_gets_its_reads)
{
	struct upper_work work = { .tracker = tracker, .connection = connection, .packet = &dissected };

	cr_expect_not(upper_read(&work));
	upper_ahead(&work);
	expect("ahbh");
	takes[0] = true;
	cr_expect(upper_send(&work));
	cr_expect(upper_read(&work));
	upper_ahead(&work);
	expect("asarah");
}

Test(upper, a_connection_that_is_set_up_for_a_layer_is_of_no_other)
{
	connection->shown.service_id = SERVICE_OF_B;
	takes[0] = true;
	cr_expect_not(packet());
	expect("bp");
	cr_expect_eq(connection->layer, &b);
}

Test(upper, a_port_that_communication_management_named_identifies_a_layer)
{
	connection->shown.service_id = UINT64_C(0x01060000) | PORT_OF_A; /* IBTA vol. 1, A11: TCP */
	cr_expect_not(upper_is_set_up(&a, connection));
	connection->shown.learned_by_cm = connection->shown.has_service = true;
	cr_expect(upper_is_set_up(&a, connection));
	cr_expect_not(upper_is_set_up(&b, connection));
	cr_expect_not(packet());
	expect("ap");
	cr_expect_eq(connection->layer, &a);
	cr_expect(upper_has_port(tracker, PORT_OF_A) && upper_has_port(tracker, 8009));
	cr_expect_not(upper_has_port(tracker, 20049));
}

/* `upper` is that of layer "shown". */
static const struct upper_layer shown = { .name = "shown", .carried = RTAP_UPPER_NVME, .packet = packet_b };
static const struct upper_layer *const shown_layers[] = { &a, &shown, NULL };

static void begin_shown(const struct rtap_decode_as *decode_as, size_t count)
{
	upper_fini(tracker);
	cr_assert(upper_init(tracker, shown_layers));
	tracker->context.decode_as = decode_as;
	tracker->context.decode_as_count = count;
	calls[0] = '\0';
}

Test(upper, the_layer_determines_the_protocol_of_sends)
{
	begin_shown(NULL, 0);
	cr_expect_eq(upper_carried(tracker, connection), RTAP_UPPER_UNKNOWN);
	upper_note(tracker, connection, RTAP_UPPER_UNKNOWN);
	cr_expect_null(connection->layer);
	upper_note(tracker, connection, RTAP_UPPER_NVME);
	cr_expect_eq(connection->layer, &shown);
	cr_expect_eq(upper_carried(tracker, connection), RTAP_UPPER_NVME);
	upper_note(tracker, connection, RTAP_UPPER_SRP);
	cr_expect_eq(upper_carried(tracker, connection), RTAP_UPPER_NVME);
	upper_fini(tracker);
	cr_assert(upper_init(tracker, layers));
}

Test(upper, content_does_not_replace_the_layer_of_the_setup_and_its_sends_need_proof_until_one_shows_it)
{
	begin_shown(NULL, 0);
	connection->shown.service_id = UINT64_C(0x01060000) | PORT_OF_A;
	connection->shown.learned_by_mpa = connection->shown.has_service = true;
	upper_note(tracker, connection, RTAP_UPPER_NVME);
	cr_expect_eq(connection->layer, &a);
	cr_expect_eq(upper_carried(tracker, connection), RTAP_UPPER_UNKNOWN);
	upper_fini(tracker);
	cr_assert(upper_init(tracker, layers));
}

Test(upper, a_packet_is_of_a_known_layer_or_must_prove_it)
{
	struct upper_work work = { .tracker = tracker, .connection = connection };

	cr_expect_not(upper_packet(&work));
	cr_expect_not(work.is_known);
	connection->layer = &b;
	upper_packet(&work);
	cr_expect(work.is_known);
}

Test(upper, a_declared_queue_pair_determines_the_layer_of_its_connection)
{
	static const struct rtap_decode_as nvme = { RTAP_DECODE_QPN, 5, RTAP_UPPER_NVME }, data = { RTAP_DECODE_QPN, 5, RTAP_UPPER_DATA },
					   port = { RTAP_DECODE_UDP_PORT, 5, RTAP_UPPER_NVME };

	takes[0] = true;
	connection->shown.service_id = UINT64_C(0x01060000) | PORT_OF_A;
	connection->shown.learned_by_cm = connection->shown.has_service = true;
	connection->shown.b.qpn = 5;
	begin_shown(&nvme, 1);
	cr_expect_eq(upper_carried(tracker, connection), RTAP_UPPER_UNKNOWN, "the number is not known to be that of the queue pair");
	connection->layer = NULL;
	connection->shown.b.qpn_known = true;
	cr_expect_eq(upper_carried(tracker, connection), RTAP_UPPER_NVME);
	cr_expect_eq(connection->layer, &shown);
	connection->layer = NULL;
	connection->shows_layer = false;
	begin_shown(&data, 1);
	cr_expect_eq(upper_carried(tracker, connection), RTAP_UPPER_UNKNOWN);
	cr_expect_not(packet());
	expect("");
	cr_expect_null(connection->layer);
	begin_shown(&port, 1);
	cr_expect_eq(upper_carried(tracker, connection), RTAP_UPPER_UNKNOWN);
	cr_expect_eq(connection->layer, &a);
	begin_shown(NULL, 0);
	upper_fini(tracker);
	cr_assert(upper_init(tracker, layers));
}

Test(upper, data_before_its_request_is_kept_if_any_layer_wants_it)
{
	cr_expect_not(upper_may_want(tracker, connection));
	expect("awbw");
	takes[1] = true;
	cr_expect(upper_may_want(tracker, connection));
	expect("awbw");
	connection->layer = &a;
	cr_expect_not(upper_may_want(tracker, connection));
	expect("aw");
}

Test(upper, a_message_without_a_key_is_claimed_by_none_and_one_with_a_key_once)
{
	struct message message = { .connection = connection };

	takes[0] = takes[1] = true;
	upper_claim(tracker, &message);
	expect("");
	message.shown.has_key = true;
	upper_claim(tracker, &message);
	expect("ac");
	message.region = NULL;
	connection->layer = &b;
	upper_claim(tracker, &message);
	expect("bc");
}

Test(upper, only_messages_that_it_claimed_or_answer_its_requests_are_reported_to_a_layer)
{
	struct message message = { .connection = connection };
	struct request request = { .connection = connection };

	connection->layer = &b;
	upper_settled(tracker, &message);
	upper_discard(&message);
	expect("");
	takes[1] = message.shown.has_key = true;
	upper_claim(tracker, &message);
	upper_settled(tracker, &message);
	upper_claim(tracker, &message);
	upper_discard(&message);
	expect("bcblbcbL");
	message.request = &request;
	upper_settled(tracker, &message);
	cr_expect_eq(message.request, &request, "the SEND of the request");
	request.response = &message;
	upper_settled(tracker, &message);
	message.request = &request;
	message.stream = &connection->streams[0];
	upper_discard(&message);
	cr_expect_null(message.request);
	cr_expect_null(request.response);
	message.request = &request;
	request.message = &message;
	upper_discard(&message);
	cr_expect_null(request.message);
	expect("bSbd");
}

Test(upper, a_write_of_iwarp_is_reported_when_it_is_settled_unless_a_request_claimed_it)
{
	struct message message = { .connection = connection, .shown.kind = RTAP_KIND_WRITE };
	struct region region;

	upper_written(&message);
	expect("");
	connection->layer = &b;
	upper_written(&message);
	expect("bx");
	message.region = &region;
	upper_written(&message);
	message.region = NULL;
	message.shown.kind = RTAP_KIND_READ;
	upper_written(&message);
	expect("");
}

Test(upper, a_merged_connection_is_of_the_layer_of_either_half)
{
	struct connection *half = connection_create(tracker, 2, 0);

	cr_assert_not_null(half);
	upper_merged(tracker, half, connection, false);
	expect("ambm");
	cr_expect_null(connection->layer);
	half->layer = &b;
	upper_merged(tracker, half, connection, false);
	expect("bm");
	cr_expect_eq(connection->layer, &b);
}

Test(upper, of_halves_that_contradict_each_other_the_older_one_stays)
{
	struct connection *half = connection_create(tracker, 2, 0);

	cr_assert_not_null(half);
	half->layer = &b;
	connection->layer = &a;
	upper_merged(tracker, half, connection, false);
	expect("beboam");
	cr_expect_eq(connection->layer, &a);
}

Test(upper, data_of_a_half_that_requests_elsewhere_claimed_is_not_that_of_the_other_layer)
{
	struct connection *half = connection_create(tracker, 2, 0), *elsewhere = connection_create(tracker, 3, 0);
	struct message of_half = { .connection = connection }, own = { .connection = connection };
	struct request request = { .connection = elsewhere }, own_request = { .connection = connection };
	struct region region = { .request = &request }, own_region = { .request = &own_request };
	struct psn_stream *streams = connection->streams;

	cr_assert(half && elsewhere);
	half->layer = elsewhere->layer = &b;
	connection->layer = &a;
	of_half.region = &region;
	own.region = &own_region;
	TAILQ_INSERT_TAIL(&streams[0].messages, &own, link);
	TAILQ_INSERT_TAIL(&streams[1].messages, &of_half, link);
	upper_merged(tracker, half, connection, false);
	expect("bebobLam");
	TAILQ_REMOVE(&streams[0].messages, &own, link);
	TAILQ_REMOVE(&streams[1].messages, &of_half, link);
}

Test(upper, a_connection_that_is_retired_ends_and_is_over_for_its_layer)
{
	connection->layer = &b;
	connection_retire(tracker, connection);
	expect("bebo");
}

/* A segment of a connection of any protocol, from its start. */
static void give_segment(uint32_t at)
{
	const struct said said = { TCP, false, 700, 7000, .flags = at ? 0x18 : 0x02, .seq = at, .words = { 0x61616161 }, .count = at ? 1 : 0 };
	static uint64_t number;
	struct rtap_packet of;
	uint8_t whole[SAID_ROOM];
	uint32_t length = said_frame(whole, &said);
	struct rtap_frame frame = {
		.bytes = whole, .captured_length = length, .wire_length = length, .link_type = RTAP_LINK_RAW,
		.number = number + 1, .time_ns = (int64_t)number + 1,
	};

	number++;
	rtap_tracker_frame(tracker, &frame, &of);
}

Test(upper, all_layers_get_the_bytes_of_a_tcp_connection_until_one_has_it)
{
	give_segment(0);
	give_segment(1);
	expect("a+b+");
	verdicts[1] = UPPER_YES;
	give_segment(5);
	expect("a+b+a.bs");
	give_segment(9);
	expect("b+bs");
	rtap_tracker_finish(tracker);
	cr_expect(strstr(calls, "b."), "%s", calls);
	cr_expect_not(strstr(calls, "a."));
}

Test(upper, a_layer_that_refuses_a_tcp_connection_gets_no_more_of_it)
{
	give_segment(0);
	verdicts[0] = UPPER_NO;
	give_segment(1);
	expect("a+a.b+");
	give_segment(5);
	expect("b+");
	verdicts[1] = UPPER_NO;
	give_segment(9);
	expect("b+b.");
}

Test(upper, a_datagram_is_of_the_first_layer_that_takes_it)
{
	struct rtap_packet of = { .frame = NULL };
	struct rtap_context context = { 0 };

	upper_datagram(tracker, &of, &context);
	expect("adbd");
	takes[0] = true;
	upper_datagram(tracker, &of, &context);
	expect("ad");
}

/* A layer that needs nothing else. */
static const struct upper_layer least = { .name = "least", .packet = packet_a };
static const struct upper_layer *const least_layers[] = { &least, NULL };

Test(upper, callbacks_that_a_layer_does_not_need_are_null)
{
	struct upper_work work = { .tracker = tracker, .connection = connection, .packet = &dissected };
	struct connection *half = connection_create(tracker, 2, 0);
	struct message message = { .connection = connection, .shown.has_key = true };
	struct request request = { .connection = connection };

	cr_assert_not_null(half);
	upper_fini(tracker);
	expect("aFbF");
	cr_assert(upper_init(tracker, least_layers));
	upper_claim(tracker, &message);
	upper_ahead(&work);
	cr_expect_not(upper_may_want(tracker, connection));
	upper_merged(tracker, half, connection, false);
	takes[0] = true;
	cr_expect(upper_send(&work));
	expect("ap");
	cr_expect_eq(connection->layer, &least);
	cr_expect_not(upper_read(&work));
	upper_ahead(&work);
	upper_claim(tracker, &message);
	cr_expect_not(upper_may_want(tracker, connection));
	message.request = &request;
	upper_discard(&message);
	upper_release(tracker, &message);
	half->layer = &least;
	upper_merged(tracker, half, connection, false);
	upper_advance(tracker);
	upper_sockets_flush(tracker);
	connection_retire(tracker, connection);
	expect("");
	cr_assert(upper_init(tracker, layers));
}

Test(upper, every_row_of_the_table_is_complete)
{
	for (const struct upper_layer *const *layer = upper_layers; *layer; layer++) {
		const struct upper_layer *row = *layer;

		cr_expect(row->name && row->packet, "%s", row->name ? row->name : "a row without a name");
		cr_expect(!row->memory || (row->memory->may_want && row->memory->claim && row->memory->data_settled &&
					   row->memory->unclaim && row->memory->lost),
			  "%s", row->name);
		cr_expect(!row->socket || (row->socket->begin && row->socket->life && row->socket->bytes && row->socket->hole &&
					   row->socket->verdict && row->socket->segment && row->socket->end && row->socket->datagram &&
					   row->socket->give_up && row->socket->discard && row->socket->flush), "%s", row->name);
		for (const struct upper_layer *const *other = upper_layers; other < layer; other++)
			cr_expect_str_neq((*other)->name, row->name);
	}
}
