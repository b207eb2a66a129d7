/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include <criterion/criterion.h>

#include "dissect/engine/protocol.h"
#include "output/stats/stats_form.h"
#include "output/stats/stats_log.h"
#include "output/stats/stats_packet.h"

#define LIMIT (UINT64_C(64) << 20)
#define SECOND INT64_C(1000000000)

static const struct rtap_rpc_item operations[] = {
	{ .name = "PUTFH", .number = 22, .has_status = true },
	{ .name = "READ", .number = 25, .has_status = true, .status = 5, .status_name = "NFS4ERR_IO" },
};

static const struct rtap_life_event life[] = {
	{ .name = "rdma_connect", .frame = 1 }, { .name = "established", .frame = 2, .time_ns = SECOND },
};

static const struct rtap_connection connections[] = {
	{ .number = 1, .first_frame = 1, .packets = 3, .life_count = 2, .life = life },
	{ .number = 2, .first_frame = 2, .packets = 2, .anomaly_counts = { [RTAP_CONNECTION_ANOMALY_LOST] = 3 } },
};

static const struct rtap_message messages[] = {
	{ .connection = &connections[0], .kind = RTAP_KIND_READ, .from_a = true, .complete = true, .length_known = true, .request_seen = true,
	  .outcome = RTAP_OUTCOME_GOOD, .has_latency = true, .latency_ns = 4000, .first_frame = 1, .answered_in = 3, .length = 4096 },
	{ .connection = &connections[1], .kind = RTAP_KIND_WRITE, .outcome = RTAP_OUTCOME_UNANSWERED, .first_frame = 2, .length = 10 },
	{ .connection = &connections[0], .kind = RTAP_KIND_RPC_CALL, .is_rpc = true, .program_known = true, .program = 100003, .version = 4,
	  .procedure = 1, .items = operations, .item_count = 2, .partner = 4, .repeats = 1, .from_a = true, .read_chunks = 1 },
	{ .connection = &connections[0], .kind = RTAP_KIND_RPC_REPLY, .is_rpc = true, .program_known = true, .program = 100003, .version = 4,
	  .procedure = 1, .items = operations, .item_count = 2, .partner = 3, .has_status = true, .status = 5,
	  .status_name = "NFS4ERR_IO", .has_latency = true, .latency_ns = 7000, .credits = 32, .has_rpc_status = true, .rpc_accepted = true },
	{ .kind = RTAP_KIND_MAD, .is_mad = true, .mad_class = 3, .mad_method = 1, .mad_attribute = 0x35, .mad_status = 4,
	  .mad_class_name = "SubnAdm", .length = 256, .has_latency = true, .latency_ns = 900 },
};

static const struct rtap_frame frames[] = {
	{ .number = 1, .time_ns = 0, .wire_length = 90, .link_type = RTAP_LINK_ETHERNET },
	{ .number = 2, .time_ns = 3 * SECOND, .wire_length = 1090, .link_type = RTAP_LINK_ETHERNET },
	{ .number = 3, .time_ns = 2 * SECOND, .wire_length = 74, .link_type = RTAP_LINK_ETHERNET },
};

/* Of the frames, as if state had told these things of them. */
static void make_packet(unsigned frame, struct rtap_packet *packet)
{
	static const uint8_t ipv4[20] = { 0x45, 3 }; /* congestion experienced */

	memset(packet, 0, sizeof *packet);
	packet->frame = &frames[frame];
	packet->sources[0].bytes = ipv4;
	packet->layers[0] = (struct rtap_layer){ .protocol = PROTOCOL_IPV4, .length = sizeof ipv4 };
	packet->ib.has_bth = frame != 2;
	packet->ib.opcode = frame ? 0x11 : 0x0c; /* an acknowledgement, a READ request */
	packet->ib.has_aeth = frame == 1;
	packet->ib.syndrome = 0x60;              /* NAK: sequence error */
	packet->flow.present = packet->flow.from_a = true;
	packet->flow.connection = frame ? 2 : 1;
	packet->flow.analysis = frame ? RTAP_PSN_OUT_OF_ORDER : RTAP_PSN_RETRANSMISSION;
	packet->payload.wire = frame * 1000;
	packet->tcp.payload.wire = 8;
	packet->flow.tcp_analysis = frame == 2 ? RTAP_TCP_RETRANSMISSION : RTAP_TCP_NONE;
}

/* Some of each kind are there at all. */
static const char *const expected_words[] = { "NFS4ERR_IO", "SubnAdm", "\"READ\"", "\"ce_marks\":", "\"repeats\":1" };

struct text {
	char bytes[1 << 16];
	struct line line;
};

static bool write(void *owner, stats_form *form, const struct stats_record *record)
{
	form(record, &((struct text *)owner)->line);
	return true;
}

/* All that is counted, as JSON. */
static void report(const struct stats *stats, struct text *text)
{
	struct findings findings;

	memset(&findings, 0, sizeof findings);
	findings_gather(&findings, stats);
	line_init(&text->line, text->bytes, sizeof text->bytes - 1);
	stats_write_all(stats, &findings, &stats_json_form, write, text);
	cr_assert(!text->line.cut);
	*text->line.next = '\0';
}

static struct stats *create(void)
{
	struct stats *stats = stats_create(&(struct stats_options){ .max_memory = LIMIT, .interval_ns = SECOND });

	cr_assert(stats);
	return stats;
}

#define COUNT(array) (sizeof array / sizeof array[0])

Test(stats_log, counts_what_would_have_been_counted_at_once)
{
	static struct text expected, actual;
	struct stats *at_once = create(), *later = create();
	static struct stats_log log;

	stats_log_clear(&log);
	for (unsigned i = 0; i < COUNT(frames); i++) {
		struct rtap_packet packet;

		make_packet(i, &packet);
		stats_packet(at_once, &packet);
		cr_assert(stats_log_packet(&log, &packet));
	}
	for (unsigned i = 0; i < COUNT(messages); i++) {
		stats_message(at_once, &messages[i]);
		cr_assert(stats_log_message(&log, &messages[i]));
	}
	/* numbers of half a connection that is merged into the first */
	stats_merge(at_once, 2, 1, true);
	cr_assert(stats_log_merge(&log, 2, 1, true));
	for (unsigned i = 0; i < COUNT(connections); i++) {
		stats_connection(at_once, &connections[i]);
		cr_assert(stats_log_connection(&log, &connections[i]));
	}
	stats_log_count(&log, later);
	report(at_once, &expected);
	report(later, &actual);
	cr_expect_str_eq(actual.bytes, expected.bytes);
	for (unsigned i = 0; i < COUNT(expected_words); i++)
		cr_expect(strstr(expected.bytes, expected_words[i]), "%s not in %s", expected_words[i], expected.bytes);
	stats_destroy(at_once);
	stats_destroy(later);
}

Test(stats_log, takes_what_there_is_room_for_and_nothing_in_part)
{
	struct stats *stats = create();
	static struct stats_log log;
	struct rtap_packet packet;
	uint64_t count = 0;

	make_packet(0, &packet);
	stats_log_clear(&log);
	while (stats_log_packet(&log, &packet))
		count++;
	cr_expect_gt(count, 250);
	cr_expect(!stats_log_connection(&log, &connections[0]));
	stats_log_count(&log, stats);
	cr_expect_eq(stats->packets, count);
	cr_expect_eq(stats->connections, 0);
	stats_log_clear(&log);
	cr_expect(stats_log_connection(&log, &connections[0]));
	stats_destroy(stats);
}

Test(stats_log, has_no_room_for_a_message_of_too_many_operations)
{
	static struct rtap_rpc_item many[STATS_LOG_ROOM / sizeof(struct rtap_rpc_item)];
	struct rtap_message message = messages[2];
	static struct stats_log log;

	stats_log_clear(&log);
	message.items = many;
	message.item_count = COUNT(many);
	cr_expect(!stats_log_message(&log, &message));
	cr_expect_eq(log.used, 0);
	message.item_count = COUNT(many) / 2;
	cr_expect(stats_log_message(&log, &message));
}

/* `count` READs of the first connection, asked in one frame, and answered from another one on, one a frame. */
static void read_messages(struct stats *stats, unsigned count, uint64_t asked_in, uint64_t answered_in)
{
	struct rtap_connection connection = { .number = 1 };
	struct rtap_message message = { .connection = &connection, .from_a = true, .kind = RTAP_KIND_READ, .request_seen = true };

	for (unsigned i = 0; i < count; i++) {
		message.first_frame = asked_in;
		message.answered_in = answered_in + i;
		stats_message(stats, &message);
	}
}

Test(stats, counts_reads_under_way_in_the_order_in_which_they_are_answered)
{
	struct stats *stats = create();
	struct stats_direction *asker = &stats_find(stats, 1)->directions[0];

	/* not from the ring's first place on */
	read_messages(stats, 5, 1, 10);
	cr_assert_eq(asker->reads->most, 5);
	/* the first of these finds the others answered */
	read_messages(stats, 20, 20, 1000);
	cr_assert_eq(asker->reads->most, 20);
	/* these ten of them */
	read_messages(stats, 16, 1010, 2000);
	cr_assert_eq(asker->reads->most, 26);
	read_messages(stats, 300, 1010, 3000);
	cr_assert_eq(asker->reads->most, STATS_READS);
	read_messages(stats, 1, 4000, 4001);
	cr_assert_eq(asker->reads->count, 1);
	stats_destroy(stats);
}
