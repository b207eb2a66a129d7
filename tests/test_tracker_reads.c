/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* READs and atomics: truncated, restarted, or captured in another order than they were sent. */
#include "config.h"

#include "tests/roce_stream_kit.h"

TestSuite(tracker_reads, .timeout = HANG_SECONDS);

/* 64 bytes of a frame, on Ethernet: nothing is reported of keys, addresses and values that are not there; lengths are right all the same. */
Test(tracker_reads, truncated_parts_of_requests_are_not_invented)
{
	begin(64 * MIB, true);
	snap_length = 50;
	REQUEST(WRITE_FIRST, 1, .r_key = 7, .virtual_address = 0x1000, .dma_length = 300, BYTES(256));
	REQUEST(WRITE_LAST, 2, .ack_request = true, BYTES(44));
	RESPONSE(ACK, 2, .syndrome = 0x1f, .msn = 1);
	REQUEST(READ_REQUEST, 3, .r_key = 7, .virtual_address = 0x1000, .dma_length = 600);
	REQUEST(READ_REQUEST, 6, .r_key = 7, .virtual_address = 0x1000, .dma_length = 1);
	RESPONSE(READ_FIRST, 3, .syndrome = 0x1f, .msn = 2, BYTES(256));
	RESPONSE(READ_MIDDLE, 4, BYTES(256));
	RESPONSE(READ_LAST, 5, .syndrome = 0x1f, .msn = 2, BYTES(88));
	RESPONSE(READ_ONLY, 6, .syndrome = 0x1f, .msn = 3, BYTES(1));
	REQUEST(FETCH_ADD, 7, .r_key = 7, .virtual_address = 0x1000, .swap_or_add = 9);
	RESPONSE(ATOMIC_ACK, 7, .syndrome = 0x1f, .msn = 4, .original = 0x1234);
	end();
	snap_length = 0;
	cr_expect_eq(reported, 4);
	cr_expect_eq(complete, 0);
	cr_expect_not(by_kind[RTAP_KIND_WRITE].has_key);
	cr_expect_eq(by_kind[RTAP_KIND_WRITE].length, 300);
	cr_expect_not(by_kind[RTAP_KIND_READ].has_key);
	cr_expect_eq(by_kind[RTAP_KIND_READ].length, 1);
	cr_expect_eq(by_kind[RTAP_KIND_READ].frames, 2);
	cr_expect_not(by_kind[RTAP_KIND_ATOMIC].has_key);
	cr_expect_not(by_kind[RTAP_KIND_ATOMIC].request_seen);
	cr_expect_eq(first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED], 0);
	cr_expect_eq(first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_LENGTH_MISMATCH], 0);
}

Test(tracker_reads, the_value_of_an_atomic_that_was_cut_off_is_not_there)
{
	begin(64 * MIB, true);
	snap_length = 68;
	REQUEST(FETCH_ADD, 7, .ack_request = true, .r_key = 7, .virtual_address = 0x1000, .swap_or_add = 9);
	snap_length = 48;
	RESPONSE(ATOMIC_ACK, 7, .syndrome = 0x1f, .msn = 4, .original = 0x1234);
	end();
	snap_length = 0;
	cr_expect_eq(reported, 1);
	cr_expect(last.request_seen);
	cr_expect_not(last.complete);
}

Test(tracker_reads, a_repeated_read_request_that_was_cut_off_is_no_other_one)
{
	begin(64 * MIB, true);
	REQUEST(READ_REQUEST, 3, .r_key = 7, .virtual_address = 0x1000, .dma_length = 300);
	now_ns += 10000 * MICROSECOND;
	snap_length = 40;
	REQUEST(READ_REQUEST, 3, .r_key = 7, .virtual_address = 0x1000, .dma_length = 300);
	snap_length = 0;
	RESPONSE(READ_FIRST, 3, .syndrome = 0x1f, .msn = 1, BYTES(256));
	RESPONSE(READ_LAST, 4, .syndrome = 0x1f, .msn = 1, BYTES(44));
	end();
	cr_expect_eq(reported, 1);
	cr_expect_eq(complete, 1);
	cr_expect_eq(last.repeats, 1);
}

/* Three READs of two packets each, at PSNs 3, 5 and 7; the requests at 3 and 7 are as if the path MTU were half of what it is. */
Test(tracker_reads, the_last_response_to_a_read_shows_that_another_request_was_not_captured)
{
	begin(64 * MIB, true);
	REQUEST(READ_REQUEST, 3, .r_key = 7, .virtual_address = 0x1000, .dma_length = 1024);
	REQUEST(READ_REQUEST, 7, .r_key = 7, .virtual_address = 0x2000, .dma_length = 1024);
	RESPONSE(READ_LAST, 4, .syndrome = 0x1f, .msn = 1, BYTES(512));
	RESPONSE(READ_LAST, 6, .syndrome = 0x1f, .msn = 2, BYTES(512));
	RESPONSE(READ_FIRST, 7, .syndrome = 0x1f, .msn = 3, BYTES(512));
	RESPONSE(READ_LAST, 8, .syndrome = 0x1f, .msn = 3, BYTES(512));
	end();
	cr_expect_eq(reported, 3);
	cr_expect_eq(complete, 1);
}

/* The same with a SEND in place of the last READ; of the responses, only the last one to the READ that was not captured. */
Test(tracker_reads, a_response_larger_than_the_presumed_path_mtu_is_that_of_another_read)
{
	begin(64 * MIB, true);
	REQUEST(READ_REQUEST, 3, .r_key = 7, .virtual_address = 0x1000, .dma_length = 1024);
	REQUEST(SEND_ONLY, 7, BYTES(8));
	RESPONSE(READ_LAST, 6, .syndrome = 0x1f, .msn = 2, BYTES(512));
	RESPONSE(ACK, 7, .syndrome = 0x1f, .msn = 3);
	end();
	cr_expect_eq(reported, 3);
	cr_expect_eq(by_kind[RTAP_KIND_READ].frames, 1);
}

/* Two READs of two packets each, at PSNs 3 and 5; the request at 3 and the SEND at 7 are as if the path MTU were half of what it is. */
Test(tracker_reads, a_last_response_smaller_than_the_presumed_path_mtu_leaves_is_that_of_another_read)
{
	begin(64 * MIB, true);
	REQUEST(READ_REQUEST, 3, .r_key = 7, .virtual_address = 0x1000, .dma_length = 1024);
	REQUEST(SEND_ONLY, 7, .ack_request = true);
	RESPONSE(READ_LAST, 6, .syndrome = 0x1f, .msn = 2, BYTES(1));
	RESPONSE(ACK, 7, .syndrome = 0x1f, .msn = 3);
	RESPONSE(READ_FIRST, 3, .syndrome = 0x1f, .msn = 1, BYTES(512));
	RESPONSE(READ_LAST, 4, .syndrome = 0x1f, .msn = 1, BYTES(512));
	end();
	cr_expect_eq(reported, 3);
	cr_expect_eq(complete, 2);
}

/* A READ, and two requests after it. */
static void ask_for_data(void)
{
	begin(64 * MIB, true);
	REQUEST(SEND_ONLY, 2, .ack_request = true, BYTES(10));
	RESPONSE(ACK, 2, .syndrome = 0x1f, .msn = 1);
	REQUEST(READ_REQUEST, 3, .r_key = 7, .virtual_address = 0x1000, .dma_length = 64);
	REQUEST(SEND_ONLY, 4, .ack_request = true, BYTES(10));
	REQUEST(SEND_ONLY, 5, .ack_request = true, BYTES(10));
}

/* 3 seconds in which only another connection sends. */
static void hear_others(void)
{
	for (unsigned i = 0; i < 30; i++) {
		now_ns += 100000 * MICROSECOND;
		give((struct roce){ .source = A, .destination = B, .dest_qp = 0x900, .opcode = SEND_ONLY, .psn = i, BYTES(1) });
	}
}

/* IBTA vol. 1, 9.7.6.1.3: a requester waits as long as its timeout says. */
Test(tracker_reads, a_read_answered_after_seconds_has_its_response)
{
	ask_for_data();
	hear_others();
	RESPONSE(READ_ONLY, 3, .syndrome = 0x1f, .msn = 2, BYTES(64));
	RESPONSE(ACK, 5, .syndrome = 0x1f, .msn = 4);
	end();
	cr_expect(by_kind[RTAP_KIND_READ].complete);
	cr_expect_eq(by_kind[RTAP_KIND_READ].outcome, RTAP_OUTCOME_GOOD);
	cr_expect_eq(by_kind[RTAP_KIND_READ].latency_ns / (1000000 * MICROSECOND), 3);
}

/* Its response was not captured, or is requested again. */
Test(tracker_reads, a_read_without_a_response_is_given_up_when_later_requests_were_answered)
{
	ask_for_data();
	RESPONSE(ACK, 5, .syndrome = 0x1f, .msn = 4);
	hear_others();
	cr_expect_not_null(by_kind[RTAP_KIND_READ].connection);
	cr_expect_not(by_kind[RTAP_KIND_READ].complete);
	end();
}

Test(tracker_reads, an_atomic_that_was_cut_off_at_first_is_known_when_it_is_repeated)
{
	begin(64 * MIB, true);
	snap_length = 40;
	REQUEST(FETCH_ADD, 7, .r_key = 7, .virtual_address = 0x1000, .swap_or_add = 9);
	snap_length = 0;
	now_ns += 10000 * MICROSECOND;
	REQUEST(FETCH_ADD, 7, .r_key = 7, .virtual_address = 0x1000, .swap_or_add = 9);
	RESPONSE(ATOMIC_ACK, 7, .syndrome = 0x1f, .msn = 1, .original = 0x1234);
	end();
	cr_expect_eq(reported, 1);
	cr_expect_eq(complete, 1);
	cr_expect_eq(last.r_key, 7);
	cr_expect_eq(last.swap_or_add, 9);
}

/* The packet that is missing before it can be no part of it: an atomic has one request. */
Test(tracker_reads, an_atomic_that_was_cut_off_has_one_packet)
{
	begin(64 * MIB, true);
	REQUEST(WRITE_FIRST, 1, .r_key = 7, .dma_length = 300, BYTES(256));
	REQUEST(WRITE_LAST, 2, BYTES(44));
	snap_length = 40;
	REQUEST(FETCH_ADD, 4, .r_key = 7);
	snap_length = 0;
	RESPONSE(ATOMIC_ACK, 4, .syndrome = 0x1f, .msn = 3, .original = 0x1234);
	end();
	cr_expect_eq(by_kind[RTAP_KIND_ATOMIC].psn, 4);
	cr_expect_eq(by_kind[RTAP_KIND_ATOMIC].length, 8);
	cr_expect_not(by_kind[RTAP_KIND_ATOMIC].complete);
}

/* A PSN after the first response of a READ is the READ's own, whatever request or First comes there. */
Test(tracker_reads, a_read_restarted_before_its_request_was_captured_is_one)
{
	begin(64 * MIB, true);
	REQUEST(SEND_ONLY, 1, .ack_request = true, BYTES(8));
	RESPONSE(ACK, 1, .syndrome = 0x1f, .msn = 1);
	RESPONSE(READ_FIRST, 2, .syndrome = 0x1f, .msn = 2, BYTES(256));
	RESPONSE(READ_MIDDLE, 3, BYTES(256));
	RESPONSE(READ_LAST, 4, .syndrome = 0x1f, .msn = 2, BYTES(88));
	REQUEST(READ_REQUEST, 3, .r_key = 7, .virtual_address = 0x1100, .dma_length = 344);
	RESPONSE(READ_FIRST, 3, .syndrome = 0x1f, .msn = 2, BYTES(256));
	RESPONSE(READ_LAST, 4, .syndrome = 0x1f, .msn = 2, BYTES(88));
	REQUEST(READ_REQUEST, 2, .r_key = 7, .virtual_address = 0x1000, .dma_length = 600);
	end();
	cr_expect_eq(reported, 2);
	cr_expect_eq(complete, 2);
	cr_expect_eq(by_kind[RTAP_KIND_READ].psn, 2);
	cr_expect_eq(by_kind[RTAP_KIND_READ].length, 600);
	cr_expect_eq(by_kind[RTAP_KIND_READ].virtual_address, 0x1000);
}

Test(tracker_reads, an_atomic_captured_after_its_response_and_a_later_one_has_its_value)
{
	begin(64 * MIB, true);
	REQUEST(SEND_ONLY, 1, .ack_request = true, BYTES(8));
	RESPONSE(ACK, 1, .syndrome = 0x1f, .msn = 1);
	REQUEST(READ_REQUEST, 3, .r_key = 7, .virtual_address = 0x1000, .dma_length = 8);
	RESPONSE(READ_ONLY, 3, .syndrome = 0x1f, .msn = 3, BYTES(8));
	RESPONSE(ATOMIC_ACK, 2, .syndrome = 0x1f, .msn = 2, .original = 0x1234);
	REQUEST(FETCH_ADD, 2, .r_key = 7, .virtual_address = 0x1000, .swap_or_add = 9);
	end();
	cr_expect_eq(reported, 3);
	cr_expect_eq(complete, 3);
	cr_expect_eq(by_kind[RTAP_KIND_ATOMIC].original, 0x1234);
	cr_expect_eq(first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE], 0);
}

/* An ACK that includes an atomic does not replace its response. IBTA vol. 1, 9.7.5.1.2: responses to atomics are not coalesced. */
Test(tracker_reads, an_atomic_captured_after_an_ack_and_its_response_has_its_value)
{
	begin(64 * MIB, true);
	REQUEST(SEND_ONLY, 1, .ack_request = true, BYTES(8));
	RESPONSE(ACK, 1, .syndrome = 0x1f, .msn = 1);
	REQUEST(SEND_ONLY, 3, .ack_request = true, BYTES(8));
	RESPONSE(ACK, 2, .syndrome = 0x1f, .msn = 2);
	RESPONSE(ATOMIC_ACK, 2, .syndrome = 0x1f, .msn = 2, .original = 0x1234);
	REQUEST(FETCH_ADD, 2, .r_key = 7, .virtual_address = 0x1000, .swap_or_add = 9);
	RESPONSE(ACK, 3, .syndrome = 0x1f, .msn = 3);
	end();
	cr_expect_eq(reported, 3);
	cr_expect_eq(complete, 3);
	cr_expect_eq(by_kind[RTAP_KIND_ATOMIC].original, 0x1234);
	cr_expect_eq(first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE], 0);
}

/* The first request after the beginning of the capture comes from the end that had sent responses. */
Test(tracker_reads, responses_before_the_first_request_are_kept_if_the_other_direction_is_paired)
{
	begin(64 * MIB, true);
	RESPONSE(READ_FIRST, 2, .syndrome = 0x1f, .msn = 2, BYTES(256));
	RESPONSE(READ_LAST, 3, .syndrome = 0x1f, .msn = 2, BYTES(44));
	RESPONSE(SEND_ONLY, 100, .ack_request = true, BYTES(8));
	REQUEST(ACK, 100, .syndrome = 0x1f, .msn = 1);
	REQUEST(SEND_ONLY, 4, .ack_request = true, BYTES(8));
	RESPONSE(ACK, 4, .syndrome = 0x1f, .msn = 3);
	now_ns += 1000000 * MICROSECOND;
	REQUEST(SEND_ONLY, 5, .ack_request = true, BYTES(8));
	RESPONSE(ACK, 5, .syndrome = 0x1f, .msn = 4);
	end();
	cr_expect_eq(connections, 1);
	cr_expect_eq(reported, 4);
	cr_expect_eq(by_kind[RTAP_KIND_READ].psn, 2);
	cr_expect_eq(by_kind[RTAP_KIND_READ].length, 300);
}

/* The capture begins within the READ: what the restart's First answers is no other one. */
Test(tracker_reads, a_read_restarted_where_its_first_captured_response_was_is_one)
{
	begin(64 * MIB, true);
	REQUEST(SEND_ONLY, 1, .ack_request = true, BYTES(8));
	RESPONSE(ACK, 1, .syndrome = 0x1f, .msn = 1);
	RESPONSE(READ_MIDDLE, 3, BYTES(256));
	RESPONSE(READ_LAST, 4, .syndrome = 0x1f, .msn = 2, BYTES(88));
	RESPONSE(READ_FIRST, 3, .syndrome = 0x1f, .msn = 2, BYTES(256));
	RESPONSE(READ_LAST, 4, .syndrome = 0x1f, .msn = 2, BYTES(88));
	end();
	cr_expect_eq(reported, 2);
	cr_expect_eq(by_kind[RTAP_KIND_READ].repeats, 2);
}

Test(tracker_reads, an_atomic_given_up_before_its_response_has_its_value)
{
	begin(64 * MIB, true);
	REQUEST(SEND_ONLY, 1, .ack_request = true, BYTES(8));
	RESPONSE(ACK, 1, .syndrome = 0x1f, .msn = 1);
	REQUEST(FETCH_ADD, 3, .r_key = 7, .virtual_address = 0x2000, .swap_or_add = 9);
	now_ns += 600 * 1000 * MICROSECOND;
	RESPONSE(ATOMIC_ACK, 3, .syndrome = 0x1f, .msn = 3, .original = 0x5678);
	RESPONSE(ATOMIC_ACK, 2, .syndrome = 0x1f, .msn = 2, .original = 0x1234);
	REQUEST(FETCH_ADD, 2, .r_key = 7, .virtual_address = 0x1000, .swap_or_add = 9);
	end();
	cr_expect_eq(reported, 3);
	cr_expect_eq(complete, 3);
	cr_expect_eq(by_kind[RTAP_KIND_ATOMIC].original, 0x1234);
}

/* The path MTU is inferred from its responses only: until then it is unknown how much of the gap it fills. */
Test(tracker_reads, a_read_that_is_sent_again_is_not_lost)
{
	for (uint32_t packets = 1; packets <= 5; packets++) {
		begin(64 * MIB, true);
		REQUEST(SEND_ONLY, 0, .ack_request = true, BYTES(16));
		RESPONSE(ACK, 0, .syndrome = 0x1f, .msn = 1);
		REQUEST(SEND_ONLY, 1 + packets, .ack_request = true, BYTES(16));
		RESPONSE(ACK, 1, .syndrome = 0x60, .msn = 1);
		REQUEST(READ_REQUEST, 1, .r_key = 7, .dma_length = packets * 256);
		for (uint32_t i = 0; i < packets; i++)
			RESPONSE(packets == 1 ? READ_ONLY : !i ? READ_FIRST : i + 1 < packets ? READ_MIDDLE : READ_LAST, 1 + i, .syndrome = 0x1f,
				 .msn = 2, BYTES(256));
		REQUEST(SEND_ONLY, 1 + packets, .ack_request = true, BYTES(16));
		RESPONSE(ACK, 1 + packets, .syndrome = 0x1f, .msn = 3);
		end();
		cr_expect_eq(reported, 3);
		cr_expect_eq(complete, 3);
		cr_expect_eq(first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED], 0, "%u packets: %lu lost", packets,
			     (unsigned long)first_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED]);
	}
}
