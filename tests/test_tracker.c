/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <zlib.h>

#include "tests/roce_stream_kit.h"

#define SLACK MIB
#define MANY 70000u /* connections: more than 2^16 */

static void give_cm(uint32_t source, uint32_t destination, struct roce_cm cm)
{
	static uint8_t frame[ROCE_MAX_FRAME];

	give_frame(frame, roce_cm_frame(frame, source, destination, &cm));
}

static void expect_bounded(uint64_t limit)
{
	cr_expect_leq(counters.peak_memory, limit + SLACK, "peak %lu", (unsigned long)counters.peak_memory);
	cr_expect_gt(counters.evictions, 0);
}

TestSuite(tracker, .timeout = HANG_SECONDS);

Test(tracker, many_half_open_connections_stay_within_the_limit)
{
	const uint64_t limit = 8 * MIB;
	const uint32_t count = MANY;

	begin(limit, true);
	for (uint32_t i = 0; i < count; i++)
		give((struct roce){ .source = A + i % 7, .destination = B + 7, .dest_qp = 0x100 + i, .opcode = SEND_FIRST, .psn = i, BYTES(256) });
	end();
	expect_bounded(limit);
	cr_expect_eq(connections, count);
	cr_expect_eq(reported, count);
	cr_expect_eq(complete, 0);
	cr_expect_gt(missing_evicted, count / 2);
	cr_expect_gt(evicted_connections, count / 2);
}

Test(tracker, messages_of_evicted_connections_are_never_complete)
{
	const uint64_t limit = 2 * MIB;

	begin(limit, false);
	for (uint32_t i = 0; i < 20000; i++)
		give((struct roce){ .source = A, .destination = B, .dest_qp = 0x100 + i, .opcode = SEND_ONLY, .psn = i, BYTES(64) });
	end();
	expect_bounded(limit);
	cr_expect_eq(reported, 20000);
	cr_expect_eq(reported - complete, evicted_connections + (counters.evictions - evicted_connections));
}

Test(tracker, responses_without_requests_stay_within_the_limit)
{
	const uint64_t limit = 4 * MIB;

	begin(limit, true);
	for (uint32_t i = 0; i < MANY; i++)
		give((struct roce){ .source = A, .destination = B, .dest_qp = 0x100 + i, .opcode = i & 1 ? ACK : READ_ONLY, .psn = i,
				    .syndrome = 0x1f, BYTES(i & 1 ? 0 : 1024) });
	end();
	expect_bounded(limit);
}

Test(tracker, unanswered_connection_requests_stay_within_the_limit)
{
	const uint64_t limit = 4 * MIB;

	begin(limit, false);
	for (uint32_t i = 0; i < 100000; i++)
		give_cm(A, B, (struct roce_cm){ .attribute = CM_REQ, .local_id = i, .transaction = i, .qpn = i, .mtu_code = 3 });
	end();
	expect_bounded(limit);
	cr_expect_eq(connections, 100000);
}

Test(tracker, a_connection_in_use_outlives_a_flood_of_idle_ones)
{
	begin(2 * MIB, false);
	REQUEST(SEND_ONLY, 0, .ack_request = true, BYTES(64));
	RESPONSE(ACK, 0, .syndrome = 0x1f, .msn = 1);
	for (uint32_t i = 1; i <= 100000; i++) {
		give((struct roce){ .source = A, .destination = B + 7, .dest_qp = 0x100 + i, .opcode = SEND_FIRST, .psn = i, BYTES(256) });
		if (i % 16)
			continue;
		REQUEST(SEND_ONLY, i / 16, .ack_request = true, BYTES(64));
		RESPONSE(ACK, i / 16, .syndrome = 0x1f, .msn = i / 16 + 1);
	}
	end();
	cr_expect_eq(first_connection.packets, 2 * (100000 / 16 + 1));
	cr_expect_eq(first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_EVICTED], 0);
}

/* zlib's CRC-32 of a block `times` times over, a power of two. */
static uint32_t crc_repeated(const uint8_t *block, uint32_t length, uint32_t times)
{
	uint32_t crc = (uint32_t)crc32_z(0, block, length);

	for (uint64_t have = length; times > 1; times /= 2, have *= 2)
		crc = (uint32_t)crc32_combine64(crc, crc, (z_off64_t)have);
	return crc;
}

#define LARGE_PACKETS 2097152u
#define LARGE_PMTU 1024u
#define FIRST_PSN 0xfff000u /* it wraps on the way */

static uint32_t prepare_payload(void)
{
	for (uint32_t i = 0; i < sizeof payload; i++)
		payload[i] = (uint8_t)(i * 31 + i / 256);
	return crc_repeated(payload, LARGE_PMTU, LARGE_PACKETS);
}

static void expect_large(enum rtap_message_kind kind, uint64_t length, uint32_t crc, uint64_t first_frame, uint64_t last_frame)
{
	const struct rtap_message *message = &by_kind[kind];

	cr_expect_leq(counters.peak_memory, 64 * MIB);
	cr_expect_eq(reported, 1, "%lu", (unsigned long)reported);
	cr_expect_eq(complete, 1);
	cr_expect_eq(message->length, length, "%lu", (unsigned long)message->length);
	cr_expect_eq(message->missing_count, 0);
	cr_expect(message->has_crc);
	cr_expect_eq(message->crc32, crc);
	cr_expect_eq(message->first_frame, first_frame);
	cr_expect_eq(message->last_frame, last_frame);
	cr_expect_eq(message->time_end_ns - message->time_ns, (int64_t)(last_frame - first_frame) * MICROSECOND);
}

/* A SEND or WRITE of 2 GiB, acknowledged every 64 packets. */
static void push_large(uint8_t first)
{
	for (uint32_t i = 0; i < LARGE_PACKETS; i++) {
		bool is_last = i == LARGE_PACKETS - 1;
		uint8_t opcode = (uint8_t)(first + (!i ? 0 : is_last ? 2 : 1));

		REQUEST(opcode, FIRST_PSN + i, .ack_request = i % 64 == 63, .r_key = 1, .dma_length = LARGE_PACKETS * LARGE_PMTU,
			BYTES(LARGE_PMTU));
		if (i % 64 == 63)
			RESPONSE(ACK, FIRST_PSN + i, .syndrome = 0x1f, .msn = is_last);
	}
}

Test(tracker, a_write_of_two_gibibytes_is_reported_exactly_in_little_memory)
{
	uint32_t crc = prepare_payload();

	begin(64 * MIB, true);
	push_large(WRITE_FIRST);
	end();
	expect_large(RTAP_KIND_WRITE, (uint64_t)LARGE_PACKETS * LARGE_PMTU, crc, 1, frames - 1);
}

Test(tracker, a_send_of_two_gibibytes_is_reported_exactly_in_little_memory)
{
	uint32_t crc = prepare_payload();

	begin(64 * MIB, true);
	push_large(SEND_FIRST);
	end();
	expect_large(RTAP_KIND_SEND, (uint64_t)LARGE_PACKETS * LARGE_PMTU, crc, 1, frames - 1);
}

Test(tracker, a_read_of_two_gibibytes_is_reported_exactly_in_little_memory)
{
	uint32_t crc = prepare_payload();

	begin(64 * MIB, true);
	REQUEST(READ_REQUEST, FIRST_PSN, .r_key = 1, .dma_length = LARGE_PACKETS * LARGE_PMTU);
	for (uint32_t i = 0; i < LARGE_PACKETS; i++)
		RESPONSE((uint8_t)(!i ? READ_FIRST : i == LARGE_PACKETS - 1 ? READ_LAST : READ_MIDDLE), FIRST_PSN + i, .syndrome = 0x1f, .msn = 1,
			 BYTES(LARGE_PMTU));
	end();
	expect_large(RTAP_KIND_READ, (uint64_t)LARGE_PACKETS * LARGE_PMTU, crc, 1, frames);
	cr_expect_eq(first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE], 0);
}

static void connect_by_cm(uint32_t i)
{
	uint32_t a = A + (i >> 16), b = B + 0x10000;
	uint64_t transaction = i;

	give_cm(a, b, (struct roce_cm){ .attribute = CM_REQ, .local_id = i + 1, .transaction = transaction, .qpn = i & 0xffff, .psn = i,
					.mtu_code = 3, .service_id = 0x01064e51 });
	give_cm(b, a, (struct roce_cm){ .attribute = CM_REP, .local_id = i + 1, .remote_id = i + 1, .transaction = transaction,
					.qpn = 0x400000 + i, .psn = i });
	give_cm(a, b, (struct roce_cm){ .attribute = CM_RTU, .local_id = i + 1, .remote_id = i + 1, .transaction = transaction });
	give((struct roce){ .source = a, .destination = b, .dest_qp = 0x400000 + i, .opcode = SEND_ONLY, .psn = i,
			    .ack_request = true, BYTES(64) });
	give((struct roce){ .source = b, .destination = a, .dest_qp = i & 0xffff, .opcode = ACK, .psn = i, .syndrome = 0x1f, .msn = 1 });
}

static void expect_connections(uint32_t count, uint64_t limit)
{
	begin(limit, false);
	for (uint32_t i = 0; i < count; i++)
		connect_by_cm(i);
	end();
	cr_expect_leq(counters.peak_memory, limit + SLACK);
	cr_expect_eq(connections, count);
	cr_expect_eq(by_cm, count);
	cr_expect_eq(reported, count * UINT64_C(4));
}

Test(tracker, a_send_that_is_complete_keeps_no_bytes_while_it_waits_to_be_final)
{
	const uint32_t sends = 100, packets = 16, all = sends * packets;

	begin(256 * MIB, false);
	for (uint32_t i = 0; i < all; i++) {
		uint8_t opcode = i % packets == 0 ? SEND_FIRST : i % packets == packets - 1 ? SEND_LAST : SEND_MIDDLE;

		REQUEST(opcode, i, .ack_request = opcode == SEND_LAST, BYTES(4096));
		cr_assert_eq(packet.flow.completes, opcode == SEND_LAST);
	}
	end();
	cr_expect_eq(complete, sends);
	cr_expect_leq(counters.peak_memory, MIB);
	/* without the first packet of each, all others are kept: they may come late */
	begin(256 * MIB, false);
	for (uint32_t i = 0; i < all; i++)
		if (i % packets)
			REQUEST(i % packets == packets - 1 ? SEND_LAST : SEND_MIDDLE, i, BYTES(4096));
	end();
	cr_expect_eq(complete, 0);
	cr_expect_gt(counters.peak_memory, 2 * MIB);
}

Test(tracker, many_connections_are_distinguished)
{
	expect_connections(MANY, 2048 * MIB);
	cr_expect_eq(complete, MANY * UINT64_C(4));
	cr_expect_eq(counters.evictions, 0);
}

Test(tracker, many_connections_fit_into_little_memory_one_after_another)
{
	expect_connections(MANY / 2, 8 * MIB);
	cr_expect_gt(evicted_connections, 0);
	cr_expect_leq(evicted_connections, counters.evictions);
}

Test(tracker, more_outstanding_requests_than_a_stream_keeps_are_counted_as_evicted)
{
	enum { REQUESTS = 10000, KEPT = 8192 };

	begin(256 * MIB, true);
	REQUEST(SEND_ONLY, 0xffffff, .ack_request = true, BYTES(16));
	RESPONSE(ACK, 0xffffff, .syndrome = 0x1f, .msn = 0);
	for (uint32_t i = 0; i < REQUESTS; i++)
		REQUEST(READ_REQUEST, i, .r_key = 1, .virtual_address = i * 64, .dma_length = 64);
	for (uint32_t i = 0; i < REQUESTS; i++)
		RESPONSE(READ_ONLY, i, .syndrome = 0x1f, .msn = i + 1, BYTES(64));
	end();
	cr_expect_eq(connections, 1);
	cr_expect_eq(counters.evictions, reported - complete);
	cr_expect_geq(complete, KEPT - 1);
	cr_expect_lt(complete, REQUESTS);
	cr_expect_eq(reported, REQUESTS + 1);
}

/* The response to an atomic counts it in its MSN, though it acknowledges only what came before. */
Test(tracker, parts_of_two_sends_after_an_atomic_are_not_joined)
{
	begin(64 * MIB, true);
	REQUEST(SEND_FIRST, 1, BYTES(256));
	REQUEST(SEND_LAST, 2, .ack_request = true, BYTES(44));
	RESPONSE(ACK, 2, .syndrome = 0x1f, .msn = 1);
	REQUEST(FETCH_ADD, 3, .r_key = 7);
	REQUEST(SEND_FIRST, 4, BYTES(256));
	RESPONSE(ATOMIC_ACK, 3, .syndrome = 0x1f, .msn = 2);
	/* the Last of this one and the First of the next one were not captured */
	REQUEST(SEND_MIDDLE, 7, BYTES(256));
	REQUEST(SEND_LAST, 8, .ack_request = true, BYTES(44));
	RESPONSE(ACK, 8, .syndrome = 0x1f, .msn = 4);
	end();
	cr_expect_eq(reported, 4);
	cr_expect_eq(complete, 2);
}

/* The MSN shows that two of the three parts are one message: not with the message before, whose last packet was acknowledged. */
Test(tracker, parts_of_a_send_are_not_joined_to_the_one_acknowledged_before)
{
	begin(64 * MIB, true);
	REQUEST(SEND_FIRST, 1, BYTES(256));
	REQUEST(SEND_MIDDLE, 2, BYTES(256));
	RESPONSE(ACK, 3, .syndrome = 0x1f, .msn = 1);
	REQUEST(SEND_MIDDLE, 5, BYTES(256));
	REQUEST(SEND_LAST, 9, BYTES(44));
	REQUEST(SEND_ONLY, 10, .ack_request = true, BYTES(8));
	RESPONSE(ACK, 10, .syndrome = 0x1f, .msn = 3);
	end();
	cr_expect_eq(reported, 3);
	cr_expect_eq(complete, 1);
}

/* The acknowledgement of a Middle counts the SEND before, and not the one that goes on. */
Test(tracker, parts_of_two_sends_are_not_joined_by_an_acknowledgement_within_the_second)
{
	begin(64 * MIB, true);
	REQUEST(SEND_FIRST, 1, BYTES(256));
	REQUEST(SEND_LAST, 2, .ack_request = true, BYTES(44));
	RESPONSE(ACK, 2, .syndrome = 0x1f, .msn = 1);
	REQUEST(SEND_FIRST, 3, BYTES(256));
	/* the Last of this one and the First of the next one were not captured */
	REQUEST(SEND_MIDDLE, 6, BYTES(256));
	RESPONSE(ACK, 6, .syndrome = 0x1f, .msn = 2);
	REQUEST(SEND_LAST, 7, .ack_request = true, BYTES(44));
	RESPONSE(ACK, 7, .syndrome = 0x1f, .msn = 3);
	end();
	cr_expect_eq(reported, 3);
	cr_expect_eq(complete, 1);
}

Test(tracker, a_refused_send_that_is_sent_again_because_the_nak_was_lost_has_its_bytes)
{
	begin(64 * MIB, true);
	REQUEST(SEND_ONLY, 1, .ack_request = true, BYTES(8));
	RESPONSE(ACK, 1, .syndrome = 0x1f, .msn = 1);
	REQUEST(SEND_FIRST, 2, BYTES(256));
	REQUEST(SEND_MIDDLE, 3, BYTES(256));
	RESPONSE(ACK, 3, .syndrome = 0x62, .msn = 1);
	now_ns += 600 * 1000 * MICROSECOND;
	REQUEST(SEND_MIDDLE, 3, BYTES(256));
	REQUEST(SEND_MIDDLE, 4, BYTES(256));
	REQUEST(SEND_LAST, 5, BYTES(9));
	end();
	cr_expect_eq(reported, 2);
	cr_expect(last.complete);
	cr_expect_eq(last.length, 777);
	cr_expect_eq(last.outcome, RTAP_OUTCOME_REMOTE_ACCESS_ERROR);
}

Test(tracker, a_datagram_that_two_points_have_was_sent_once)
{
	begin(64 * MIB, true);
	for (uint32_t i = 0; i < 40; i++) {
		point = i & 1;
		REQUEST(UD_SEND, i / 2, .src_qp = QP_A, BYTES(16));
	}
	point = 0;
	/* again at the same point, later, or with other bytes: those were sent */
	REQUEST(UD_SEND, 19, .src_qp = QP_A, BYTES(16));
	point = 1;
	REQUEST(UD_SEND, 19, .src_qp = QP_A, BYTES(17));
	now_ns += 2000 * MICROSECOND;
	point = 0;
	REQUEST(UD_SEND, 19, .src_qp = QP_A, BYTES(16));
	REQUEST(UD_SEND, 20, .src_qp = QP_A, BYTES(16));
	end();
	cr_expect_eq(reported, 24);
	cr_expect_eq(connections, 1);
	cr_expect_eq(first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_CAPTURED_TWICE], 20);
	cr_expect_eq(first_connection.packets, 44);
}

/* A queue pair has one partition at a time; it may be given another. Nothing else distinguishes two of the same number. */
Test(tracker, datagrams_of_several_partitions_are_of_their_queue_pairs)
{
	static const uint16_t p_keys[] = { 0xffff, 0x7fff, 0x8001, 0x0001, 0xffff, 0x8001 };
	static uint8_t frame[ROCE_MAX_FRAME];

	begin(64 * MIB, true);
	for (uint32_t i = 0; i < sizeof p_keys / sizeof p_keys[0]; i++) {
		uint32_t length = roce_frame(frame, &(struct roce){ .source = A, .destination = B, .dest_qp = QP_B, .src_qp = QP_A, .opcode = UD_SEND,
								    .psn = i, BYTES(16) });

		roce_put(frame + ROCE_P_KEY_AT, p_keys[i], 2);
		give_frame(frame, length);
		cr_expect_eq(packet.ib.p_key, p_keys[i]);
		cr_expect_eq(packet.flow.connection, 1);
	}
	end();
	cr_expect_eq(reported, 6);
	cr_expect_eq(complete, 6);
	cr_expect_eq(connections, 1);
}

Test(tracker, a_clock_that_is_set_back_ends_no_message)
{
	begin(64 * MIB, true);
	REQUEST(SEND_ONLY, 0, .ack_request = true, BYTES(16));
	RESPONSE(ACK, 0, .syndrome = 0x1f, .msn = 1);
	now_ns -= INT64_C(3600000000000);
	for (uint32_t psn = 1; psn < 200; psn += 2) {
		REQUEST(READ_REQUEST, psn, .r_key = 7, .dma_length = 16);
		REQUEST(READ_REQUEST, psn + 1, .r_key = 7, .dma_length = 16);
		RESPONSE(READ_ONLY, psn, .syndrome = 0x1f, .msn = psn + 1, BYTES(16));
		RESPONSE(READ_ONLY, psn + 1, .syndrome = 0x1f, .msn = psn + 2, BYTES(16));
	}
	end();
	cr_expect_eq(reported, 201);
	cr_expect_eq(complete, 201);
}

/* Another user of the queue pairs, with any sequence, after a pause. Returns how many there were. */
static uint64_t use_again(int64_t pause_ns)
{
	static const uint32_t starts[] = { 0x100, 0x800000, 0x100, 0xf00000, 0x700000, 0x10, 0x7fffff, 0x40000, 0x20000 };

	begin(64 * MIB, true);
	for (size_t at = 0; at < sizeof starts / sizeof starts[0]; at++, now_ns += pause_ns)
		for (uint32_t i = 0; i < 20; i++) {
			REQUEST_SEALED(i % 2 ? SEND_LAST : SEND_FIRST, starts[at] + i, .ack_request = i % 2, BYTES(256));
			if (i % 2)
				RESPONSE(ACK, starts[at] + i, .syndrome = 0x1f, .msn = i / 2 + 1);
		}
	end();
	cr_expect_eq(reported, 10 * sizeof starts / sizeof starts[0], "%lu", (unsigned long)reported);
	cr_expect_eq(complete, reported);
	return sizeof starts / sizeof starts[0];
}

Test(tracker, a_restarted_sequence_loses_nothing)
{
	uint64_t uses = use_again(INT64_C(3600000000000));

	cr_expect_eq(connections, 1);
	cr_expect_eq(first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_RESYNCHRONISED], uses - 1);
}

Test(tracker, a_sequence_restarted_at_once_is_another_connection)
{
	uint64_t uses = use_again(0);

	cr_expect_eq(connections, uses);
	cr_expect_eq(first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_RESYNCHRONISED], 0);
}

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % below;
}

enum { CHAOS_MESSAGES = 60, CHAOS_PACKETS = 5, CHAOS_PMTU = 256 };

static uint32_t chaos_base, chaos_crcs[CHAOS_MESSAGES];
static unsigned chaos_wrong;

static void fill(uint32_t number)
{
	for (uint32_t i = 0; i < CHAOS_PMTU; i++)
		payload[i] = (uint8_t)(number * 17 + i * (number % 5 + 1));
}

/* A message called complete has the bytes of the one that was sent with its PSN. */
static void check_chaos(void *owner, const struct rtap_message *message)
{
	uint32_t at = ((message->psn - chaos_base) & 0xffffff) / CHAOS_PACKETS;

	note_message(owner, message);
	if (!message->complete)
		return;
	chaos_wrong += at >= CHAOS_MESSAGES || message->crc32 != chaos_crcs[at] || message->length != CHAOS_PACKETS * CHAOS_PMTU;
}

static void give_chaos_packet(uint32_t number, bool write)
{
	static const uint8_t sends[] = { SEND_FIRST, SEND_MIDDLE, SEND_LAST }, writes[] = { WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST };
	uint32_t place = number % CHAOS_PACKETS, which = !place ? 0 : place == CHAOS_PACKETS - 1 ? 2 : 1;

	fill(number);
	REQUEST((write ? writes : sends)[which], chaos_base + number, .r_key = 1, .dma_length = CHAOS_PACKETS * CHAOS_PMTU,
		.ack_request = which == 2, BYTES(CHAOS_PMTU));
}

/* Swaps, losses, repeats, and acknowledgements now and then. */
static void run_chaos(uint32_t seed)
{
	uint32_t order[2 * CHAOS_MESSAGES * CHAOS_PACKETS], count = 0;

	random_state = seed;
	chaos_base = 0xffff00 + draw(512);
	for (uint32_t i = 0; i < CHAOS_MESSAGES * CHAOS_PACKETS; i++) {
		if (!draw(20) && seed % 3)
			continue;
		order[count++] = i;
		if (!draw(20))
			order[count++] = i > 8 ? i - draw(8) : i;
	}
	for (uint32_t i = 0; i + 4 < count; i++)
		if (!draw(8)) {
			uint32_t other = i + draw(4), kept = order[i];

			order[i] = order[other];
			order[other] = kept;
		}
	for (uint32_t i = 0; i < count; i++) {
		give_chaos_packet(order[i], order[i] / CHAOS_PACKETS % 3 == 1);
		if (!draw(10) && i > 16)
			RESPONSE(ACK, chaos_base + (order[i] > 16 ? order[i] - 16 : 0), .syndrome = 0x1f, .msn = order[i] / CHAOS_PACKETS);
		now_ns += draw(100) * MICROSECOND;
	}
}

Test(tracker, chaos_makes_no_wrong_message)
{
	uint64_t of_lossless = 0;

	for (uint32_t seed = 0; seed < 600; seed++) {
		struct rtap_tracker_options options = { .size = sizeof options, .max_memory = 16 * MIB, .checksums = true, .message = check_chaos,
							.connection = note_connection };

		begin(MIB, true);
		rtap_tracker_close(tracker);
		cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
		random_state = seed;
		chaos_base = 0xffff00 + draw(512);
		for (uint32_t i = 0; i < CHAOS_MESSAGES; i++) {
			chaos_crcs[i] = 0;
			for (uint32_t j = 0; j < CHAOS_PACKETS; j++) {
				fill(i * CHAOS_PACKETS + j);
				chaos_crcs[i] = (uint32_t)crc32_z(chaos_crcs[i], payload, CHAOS_PMTU);
			}
		}
		run_chaos(seed);
		end();
		cr_expect_eq(chaos_wrong, 0, "seed %u", seed);
		if (seed % 3 == 0) {
			cr_expect_eq(complete, CHAOS_MESSAGES, "seed %u: %lu of %lu", seed, (unsigned long)complete, (unsigned long)reported);
			of_lossless += complete;
		}
	}
	cr_expect_eq(of_lossless, 200 * UINT64_C(60));
}
