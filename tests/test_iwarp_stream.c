/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iWARP from TCP segments to messages, through the tracker.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <zlib.h>

#include "dissect/engine/protocol.h"
#include "reassembly/iwarp/iwarp_stream.h"
#include "tests/iwarp_stream_kit.h"

/* The contents of the FPDUs are reported with the correct bytes; `but` of them may be missing. */
static void check_reported(const struct sender *sender, unsigned but)
{
	unsigned at = 0, missing = 0;

	for (uint32_t i = 0; i < sender->count; i++) {
		const struct sent_fpdu *fpdu = &sender->fpdus[i];
		const uint8_t *ulpdu = sender->ulpdus + fpdu->ulpdu;
		uint32_t header = ulpdu[0] & 0x80 ? 14 : 18, length = fpdu->ulpdu_length - header;
		bool is_right = at < reported_count && reported[at].complete && reported[at].length == length &&
				reported[at].crc32 == crc32_z(0, ulpdu + header, length);

		/* an incomplete one counts as missing */
		at += is_right || (at < reported_count && !reported[at].complete);
		missing += !is_right;
	}
	cr_expect_eq(at, reported_count);
	cr_expect_leq(missing, but, "%u of %u missing, not %u", missing, sender->count, but);
}

TestSuite(iwarp_stream, .timeout = HANG_SECONDS);

Test(iwarp_stream, markers_may_stand_anywhere_and_segments_end_anywhere)
{
	static const uint32_t sizes[] = { 1448, 1, 17, 536, 8948, 40000 };

	for (unsigned variant = 0; variant < 4 * sizeof sizes / sizeof sizes[0]; variant++) {
		bool markers = variant & 1, crc = variant & 2;
		uint32_t size = sizes[variant / 4];
		struct sender sender;

		sender_init(&sender, markers ? SENT_MARKED : SENT_PLAIN, crc);
		for (uint32_t length = 0; length < (size == 1 ? 60u : 700u); length++)
			length % 3 ? send_write(&sender, length) : send_send(&sender, length);
		/* FPDUs and markers stand at multiples of four, where no pad begins */
		for (int place = 0; markers && size > 1 && place < PLACES; place++)
			cr_assert(place == PLACE_BEFORE_PAD || sender.places[place] > 0, "no marker at place %d", place);
		begin(1 << 26, false);
		give_setup(markers, crc);
		for (uint32_t at = 0; at < sender.length; at += size)
			give(true, 7000, FLAG_ACK, SETUP + at, SETUP, sender.bytes + at, sender.length - at < size ? sender.length - at : size);
		end();
		check_reported(&sender, 0);
		cr_expect_eq(fpdus_shown, sender.count);
		cr_expect_eq(recovered, 0, "the Reply announced the markers");
		cr_expect_eq(connections, 1);
		cr_expect(last_connection.learned_by_mpa && last_connection.transport == RTAP_TRANSPORT_IWARP);
		sender_fini(&sender);
	}
}

Test(iwarp_stream, a_lost_segment_loses_only_its_messages)
{
	struct sender sender;

	sender_init(&sender, SENT_PLAIN, true);
	for (uint32_t i = 0; i < 300; i++)
		send_send(&sender, 200 + i % 7);
	for (uint32_t lost = 0; lost < 40; lost++) {
		begin(1 << 26, false);
		give_setup(false, true);
		for (uint32_t at = 0, number = 0; at < sender.length; at += 1000, number++)
			if (number != lost)
				give(true, 7000, FLAG_ACK, SETUP + at, SETUP, sender.bytes + at, sender.length - at < 1000 ? sender.length - at : 1000);
		end();
		/* 1000 bytes touch at most six FPDUs of 224 bytes */
		check_reported(&sender, 6);
	}
	sender_fini(&sender);
}

Test(iwarp_stream, a_reply_waits_for_the_request_after_a_gap)
{
	/* a Read Request of 8 bytes into STag 1, its response, and FPDUs around the request */
	uint8_t request[46] = { 0x41, 0x41, [9] = 1, [13] = 1, [21] = 1, [33] = 8, [37] = 2 }, response[22] = { 0xc1, 0x42, [5] = 1 };
	struct sender asks, answers;
	uint32_t skipped;

	sender_init(&asks, SENT_PLAIN, true);
	sender_init(&answers, SENT_PLAIN, true);
	send_send(&asks, 100);
	skipped = asks.length;
	send_fpdu(&asks, request, sizeof request);
	send_fpdu(&answers, response, sizeof response);
	begin(1 << 20, false);
	give_setup(false, true);
	/* the Send is never captured */
	give(true, 7000, FLAG_ACK, SETUP + skipped, SETUP, asks.bytes + skipped, asks.length - skipped);
	give(false, 7000, FLAG_ACK, SETUP, SETUP + asks.length, answers.bytes, answers.length);
	end();
	cr_assert_eq(reported_count, 1);
	cr_expect(reported[0].kind == RTAP_KIND_READ && reported[0].complete && reported[0].outcome == RTAP_OUTCOME_GOOD);
	cr_expect_eq(reported[0].first_frame, 5);
	cr_expect_eq(reported[0].last_frame, 6);
	sender_fini(&asks);
	sender_fini(&answers);
}

Test(iwarp_stream, segments_wait_for_the_bytes_that_they_acknowledge_only)
{
	/* three READs, each requested after the response to the previous one; the capture has all except the first in reverse order */
	uint8_t request[46] = { 0x41, 0x41, [9] = 1, [21] = 1, [33] = 8, [37] = 2 }, response[22] = { 0xc1, 0x42 };
	const struct { bool from_a; unsigned read; } order[] = { { true, 0 }, { false, 2 }, { false, 1 }, { false, 0 }, { true, 2 }, { true, 1 } };
	struct sender asks, answers;

	sender_init(&asks, SENT_PLAIN, true);
	sender_init(&answers, SENT_PLAIN, true);
	for (uint8_t i = 1; i <= 3; i++) {
		request[13] = request[21] = response[5] = i;
		send_fpdu(&asks, request, sizeof request);
		send_fpdu(&answers, response, sizeof response);
	}
	begin(1 << 20, false);
	give_setup(false, true);
	for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
		const struct sent_fpdu *ask = &asks.fpdus[order[i].read], *answer = &answers.fpdus[order[i].read];

		if (order[i].from_a)
			give(true, 7000, FLAG_ACK, SETUP + ask->offset, SETUP + answer->offset, asks.bytes + ask->offset, ask->length);
		else
			give(false, 7000, FLAG_ACK, SETUP + answer->offset, SETUP + ask->offset + ask->length, answers.bytes + answer->offset,
			     answer->length);
	}
	end();
	cr_assert_eq(reported_count, 3);
	for (unsigned i = 0; i < 3; i++)
		cr_expect(reported[i].kind == RTAP_KIND_READ && reported[i].complete && reported[i].outcome == RTAP_OUTCOME_GOOD, "%u", i);
	sender_fini(&asks);
	sender_fini(&answers);
}

Test(iwarp_stream, a_stream_from_the_middle_is_recognised_by_its_content)
{
	static const struct { bool crc, no_heuristics; uint16_t port; unsigned connections; } cases[] = {
		{ true, false, 7000, 1 }, { false, false, 7000, 1 }, { true, true, 7000, 0 }, { true, true, 20049, 1 }, { false, true, 20049, 1 },
	};
	struct sender sender;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		sender_init(&sender, SENT_PLAIN, cases[i].crc);
		for (uint32_t length = 1; length < 200; length++)
			send_send(&sender, length);
		begin(1 << 26, cases[i].no_heuristics);
		for (uint32_t at = 7; at < sender.length; at += 333)
			give(true, cases[i].port, FLAG_ACK, at, 0, sender.bytes + at, sender.length - at < 333 ? sender.length - at : 333);
		end();
		cr_expect_eq(connections, cases[i].connections, "case %zu", i);
		if (connections)
			check_reported(&sender, 2);
		sender_fini(&sender);
	}
}

/* A Send and a Write of a; then b acknowledges the first, or both, or none. */
Test(iwarp_stream, messages_acknowledged_by_tcp_are_good_and_others_unanswered)
{
	static const struct { unsigned acknowledged; uint8_t outcomes[2]; } cases[] = {
		{ 0, { RTAP_OUTCOME_UNANSWERED, RTAP_OUTCOME_UNANSWERED } },
		{ 1, { RTAP_OUTCOME_GOOD, RTAP_OUTCOME_UNANSWERED } },
		{ 2, { RTAP_OUTCOME_GOOD, RTAP_OUTCOME_GOOD } },
	};
	struct sender sender;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint32_t to;

		sender_init(&sender, SENT_PLAIN, true);
		send_send(&sender, 100);
		send_write(&sender, 300);
		to = cases[i].acknowledged ? sender.fpdus[cases[i].acknowledged - 1].offset + sender.fpdus[cases[i].acknowledged - 1].length : 0;
		begin(1 << 20, false);
		give_setup(false, true);
		give(true, 7000, FLAG_ACK, SETUP, SETUP, sender.bytes, sender.length);
		/* one byte less acknowledges nothing */
		give(false, 7000, FLAG_ACK, SETUP, SETUP + to - (to > 0), NULL, 0);
		give(false, 7000, FLAG_ACK, SETUP, SETUP + to, NULL, 0);
		cr_expect_eq(reported_count, 0, "a Terminate may follow");
		end();
		cr_assert_eq(reported_count, 2);
		for (unsigned k = 0; k < 2; k++) {
			bool good = cases[i].outcomes[k] == RTAP_OUTCOME_GOOD;

			cr_expect_eq(reported[k].outcome, cases[i].outcomes[k], "case %zu, message %u", i, k);
			/* what ends with the segment's last byte but one is acknowledged a frame later */
			cr_expect_eq(reported[k].answered_in, !good ? 0 : i == 2 && k == 0 ? 6 : 7, "case %zu, message %u", i, k);
			cr_expect_not(reported[k].has_latency, "TCP acknowledges when it likes");
		}
		sender_fini(&sender);
	}
}

Test(iwarp_stream, messages_do_not_wait_for_uncaptured_acknowledgements)
{
	struct sender sender;

	sender_init(&sender, SENT_PLAIN, true);
	for (uint32_t i = 0; i < 3000; i++)
		send_send(&sender, 10);
	begin(1 << 26, false);
	/* 100 microseconds a frame: reported from the 20,000th on */
	for (uint32_t i = 0; i < sender.count; i++)
		give(true, 20049, FLAG_ACK, sender.fpdus[i].offset, 0, sender.bytes + sender.fpdus[i].offset, sender.fpdus[i].length);
	cr_expect_eq(reported_count, 0);
	for (uint32_t i = 0; i < 20001; i++)
		give(true, 20049, FLAG_ACK, sender.length, 0, NULL, 0);
	cr_expect_gt(reported_count, 2900);
	end();
	cr_expect_eq(reported_count, 3000);
	sender_fini(&sender);
}

Test(iwarp_stream, messages_without_a_callback_wait_for_no_acknowledgement)
{
	struct sender sender;

	sender_init(&sender, SENT_PLAIN, true);
	for (unsigned i = 0; i < 3; i++)
		send_send(&sender, 100);
	for (unsigned is_reported = 0; is_reported < 2; is_reported++) {
		begin(1 << 20, false);
		if (!is_reported)
			tracker->options.message = NULL, tracker->reports = false;
		give_setup(false, true);
		give(true, 7000, FLAG_ACK, SETUP, SETUP, sender.bytes, sender.length);
		cr_expect_eq(last_shown, 3);
		give(true, 7000, FLAG_ACK, SETUP + sender.length, SETUP, NULL, 0);
		cr_expect_eq(!TAILQ_EMPTY(&tracker->waiting), is_reported);
		end();
		cr_expect_eq(reported_count, is_reported ? 3 : 0);
		cr_expect_eq(last_connection.messages, 3);
	}
	sender_fini(&sender);
}

/* An untagged header that its ULPDU has no room for, then an opcode that is reserved. */
Test(iwarp_stream, an_invalid_fpdu_does_not_hide_the_next_one)
{
	const uint8_t cut[16] = { 0x41, 0x43 }, reserved[18] = { 0x41, 0x4f };
	struct sender sender;
	unsigned found = 0;

	sender_init(&sender, SENT_PLAIN, true);
	send_fpdu(&sender, cut, sizeof cut);
	send_fpdu(&sender, reserved, sizeof reserved);
	begin(1 << 20, false);
	give_setup(false, true);
	give(true, 7000, FLAG_ACK, SETUP, SETUP, sender.bytes, sender.length);
	cr_expect_eq(last_shown, 2);
	for (uint8_t i = 0; i < last.packet.anomaly_count; i++)
		found |= 1u << last.packet.anomalies[i].code;
	cr_expect(found & 1u << RTAP_ANOMALY_MALFORMED);
	cr_expect(found & 1u << RTAP_ANOMALY_UNKNOWN_OPCODE);
	end();
	sender_fini(&sender);
}

/* Gives the n-th FPDU in a segment of its own. */
static void give_fpdu(const struct sender *sender, unsigned n)
{
	give(true, 7000, FLAG_ACK, SETUP + sender->fpdus[n].offset, SETUP, sender->bytes + sender->fpdus[n].offset, sender->fpdus[n].length);
}

Test(iwarp_stream, fpdus_ahead_of_a_gap_are_shown_at_once_and_processed_in_order)
{
	for (unsigned variant = 0; variant < 4; variant++) {
		bool markers = variant & 1, crc = variant & 2;
		struct sender sender;

		sender_init(&sender, markers ? SENT_MARKED : SENT_PLAIN, crc);
		for (uint32_t i = 0; i < 6; i++)
			send_send(&sender, 700 + i);
		begin(1 << 20, false);
		give_setup(markers, crc);
		wanted_frame = 7;
		for (unsigned i = 0; i < 6; i++) {
			static const unsigned order[] = { 0, 2, 3, 5, 1, 4 };

			give_fpdu(&sender, order[i]);
			cr_expect_eq(last_shown, 1, "variant %u: FPDU %u shown %u times", variant, order[i], last_shown);
		}
		end();
		cr_expect_eq(reported_count, 6);
		for (unsigned i = 0; i < reported_count; i++) {
			/* frame 7 brought the fourth, whose MSN is 4 */
			cr_expect_eq(reported[i].wanted, reported[i].psn == 4, "a filter sees FPDUs in their own frame");
			cr_expect(reported[i].complete && reported[i].length == 699 + reported[i].psn);
			cr_expect_eq(reported[i].first_frame == 7, reported[i].psn == 4);
		}
		wanted_frame = 0;
		sender_fini(&sender);
	}
}

Test(iwarp_stream, ahead_of_a_gap_nothing_is_shown_that_is_in_doubt)
{
	struct sender sender;

	sender_init(&sender, SENT_PLAIN, true);
	for (uint32_t i = 0; i < 4; i++)
		send_send(&sender, 700);
	begin(1 << 20, false);
	give_setup(false, true);
	/* the last one's CRC is wrong; and a segment that ends within an FPDU, whose rest comes last */
	sender.bytes[sender.fpdus[3].offset + 100] ^= 1;
	give_fpdu(&sender, 3);
	cr_expect_eq(last_shown, 0);
	give(true, 7000, FLAG_ACK, SETUP + sender.fpdus[1].offset, SETUP, sender.bytes + sender.fpdus[1].offset, 1000);
	cr_expect_eq(last_shown, 0);
	give_fpdu(&sender, 0);
	cr_expect_eq(last_shown, 2);
	give(true, 7000, FLAG_ACK, SETUP + sender.fpdus[1].offset + 1000, SETUP, sender.bytes + sender.fpdus[1].offset + 1000,
	     sender.fpdus[3].offset - sender.fpdus[1].offset - 1000);
	cr_expect_eq(last_shown, 2);
	end();
	sender_fini(&sender);
}

Test(iwarp_stream, private_data_that_was_cut_costs_no_framing)
{
	uint8_t setup[SETUP + 12] = "MPA ID Req Frame";
	struct sender sender;

	setup[16] = 0x40;
	setup[17] = 1;
	setup[19] = 12;
	sender_init(&sender, SENT_PLAIN, true);
	send_send(&sender, 100);
	begin(1 << 20, false);
	give(true, 7000, FLAG_SYN, (uint32_t)-1, 0, NULL, 0);
	give(false, 7000, FLAG_SYN | FLAG_ACK, (uint32_t)-1, 0, NULL, 0);
	cut_off = 2;
	give(true, 7000, FLAG_ACK, 0, 0, setup, sizeof setup);
	setup[9] = 'p';
	give(false, 7000, FLAG_ACK, 0, sizeof setup, setup, sizeof setup);
	cut_off = 0;
	give(true, 7000, FLAG_ACK, sizeof setup, sizeof setup, sender.bytes, sender.length);
	end();
	cr_expect_eq(fpdus_shown, 1);
	cr_expect_eq(recovered, 0);
	cr_expect(last_connection.learned_by_mpa && reported_count == 1 && reported[0].complete);
	sender_fini(&sender);
}

Test(iwarp_stream, an_fpdu_with_a_wrong_crc_feeds_nothing)
{
	uint8_t setup[SETUP] = "MPA ID Req Frame";

	/* the Reply of the second is not captured: a request for CRCs by one end is enough. RFC 5044, 7.1.1 */
	for (unsigned lost = 0; lost < 2; lost++) {
		struct sender sender;

		sender_init(&sender, SENT_PLAIN, true);
		for (uint32_t i = 0; i < 3; i++)
			send_send(&sender, 100);
		sender.bytes[sender.fpdus[0].offset + 60] ^= 1;
		begin(1 << 20, false);
		if (lost) {
			setup[16] = 0x40;
			setup[17] = 1;
			give(true, 7000, FLAG_SYN, (uint32_t)-1, 0, NULL, 0);
			give(true, 7000, FLAG_ACK, 0, 0, setup, SETUP);
		} else {
			give_setup(false, true);
		}
		give(true, 7000, FLAG_ACK, SETUP, SETUP, sender.bytes, sender.length);
		end();
		/* nor is it known then whether there are markers, so that its length is not trusted */
		cr_expect_eq(last_connection.anomaly_counts[lost ? RTAP_CONNECTION_ANOMALY_UNFRAMED : RTAP_CONNECTION_ANOMALY_BAD_FPDU_CRC], 1, "lost %u", lost);
		cr_expect(reported_count == 2 && reported[0].psn == 2 && reported[1].psn == 3, "lost %u: %u reported", lost, reported_count);
		sender_fini(&sender);
	}
}

Test(iwarp_stream, another_msn_is_another_message)
{
	uint8_t segment[18 + 8] = { 0x01, 0x43, [13] = 1 };
	struct sender sender;

	sender_init(&sender, SENT_PLAIN, true);
	/* the last segment of the first Send was never sent */
	send_fpdu(&sender, segment, sizeof segment);
	segment[0] = 0x41;
	segment[13] = 2;
	send_fpdu(&sender, segment, sizeof segment);
	begin(1 << 20, false);
	give_setup(false, true);
	give(true, 7000, FLAG_ACK, SETUP, SETUP, sender.bytes, sender.length);
	end();
	cr_assert_eq(reported_count, 2);
	cr_expect(reported[0].psn == 1 && !reported[0].complete);
	cr_expect(reported[1].psn == 2 && reported[1].complete && reported[1].length == 8);
	sender_fini(&sender);
}

Test(iwarp_stream, an_acknowledgement_that_overtook_its_bytes_counts_but_is_no_frame_to_name)
{
	struct sender sender;

	sender_init(&sender, SENT_PLAIN, true);
	send_send(&sender, 100);
	send_send(&sender, 100);
	begin(1 << 20, false);
	give_setup(false, true);
	give_fpdu(&sender, 0);
	give(false, 7000, FLAG_ACK, SETUP, SETUP + sender.length, NULL, 0);
	give_fpdu(&sender, 1);
	end();
	cr_assert_eq(reported_count, 2);
	cr_expect(reported[0].outcome == RTAP_OUTCOME_GOOD && reported[0].answered_in == 6);
	cr_expect(reported[1].outcome == RTAP_OUTCOME_GOOD && reported[1].answered_in == 0);
	sender_fini(&sender);
}

/* Bytes of other protocols: text, zeros, records with lengths in front, noise, and FPDUs that are none for one thing. */
static void fill_other(uint8_t *bytes, uint32_t length, unsigned kind)
{
	fill_noise(bytes, length, kind);
	for (uint32_t i = 0; i < length; i++) {
		if (kind == 0)
			bytes[i] = (uint8_t)"GET /index.html HTTP/1.1\r\nHost: example.com\r\n\r\n"[i % 48];
		else if (kind == 1)
			bytes[i] = 0;
		else if (kind == 2 && i % 100 < 4)
			bytes[i] = (uint8_t)(i % 100 == 3 ? 96 : 0);
		else if (kind == 3 && i % 60 < 4)
			bytes[i] = (uint8_t)((const uint8_t[]){ 0, 54, 0xc1, 0x40 })[i % 60];
		else if (kind == 4 && i % 1405 < 5)
			bytes[i] = (uint8_t)((const uint8_t[]){ 0x17, 3, 3, 5, 0x78 })[i % 1405]; /* TLS: RFC 8446, 5.1 */
		else if (kind == 5 && i % 48 < 6) /* Sends back to back, but for their MSNs, STags and CRCs */
			bytes[i] = (uint8_t)((const uint8_t[]){ 0, 42, 0x41, 0x43, 0, 0 })[i % 48];
		else if (kind == 6 && i % 48 < 20) /* the same message again and again, whose CRC is none */
			bytes[i] = (uint8_t)((const uint8_t[]){ 0, 42, 0x41, 0x43, [15] = 1, [19] = 0 })[i % 48];
	}
}

Test(iwarp_stream, other_protocols_are_never_recognised_as_iwarp)
{
	static uint8_t bytes[3 << 20];

	for (unsigned kind = 0; kind < 8; kind++)
		for (unsigned whole = 0; whole < 2; whole++) {
			fill_other(bytes, sizeof bytes, kind);
			begin(1 << 26, false);
			if (whole) {
				give(true, 7000, FLAG_SYN, (uint32_t)-1, 0, NULL, 0);
				give(false, 7000, FLAG_SYN | FLAG_ACK, (uint32_t)-1, 0, NULL, 0);
			}
			for (uint32_t at = 0; at < sizeof bytes; at += 1448)
				give(true, 7000, FLAG_ACK, at, 0, bytes + at, sizeof bytes - at < 1448 ? (uint32_t)sizeof bytes - at : 1448);
			/* by then nothing is kept of it any more */
			cr_expect_lt(tracker->tcp.entry.bytes + tracker->budget.used, 4096u);
			end();
			cr_expect_eq(connections + reported_count, 0, "kind %u", kind);
			cr_expect_eq(fpdus_shown, 0, "kind %u", kind);
		}
}

Test(iwarp_stream, little_memory_costs_messages_but_no_promise)
{
	struct sender sender;

	sender_init(&sender, SENT_MARKED, true);
	for (uint32_t i = 0; i < 400; i++)
		send_send(&sender, 3000);
	for (uint64_t memory = 1024; memory <= 1 << 20; memory *= 4) {
		begin(memory, false);
		for (uint32_t at = 0, number = 0; at < sender.length; at += 1448, number++)
			if (number % 50 != 3)
				give(true, 20049, FLAG_ACK, at, 0, sender.bytes + at, sender.length - at < 1448 ? sender.length - at : 1448);
		cr_expect_leq(tracker->budget.peak, memory + (1u << 20));
		end();
		for (unsigned i = 0; i < reported_count; i++)
			cr_expect(!reported[i].complete || reported[i].length == 3000);
	}
	sender_fini(&sender);
}

Test(iwarp_stream, a_message_put_together_in_one_frame_is_shown_there)
{
	uint8_t segment[18 + 8] = { 0x01, 0x43, [13] = 1 };
	struct rtap_value length = { 0 };
	struct sender sender;

	sender_init(&sender, SENT_PLAIN, true);
	send_fpdu(&sender, segment, sizeof segment);
	segment[0] = 0x41;
	segment[17] = 8; /* message offset */
	send_fpdu(&sender, segment, sizeof segment);
	begin(1 << 20, false);
	give_setup(false, true);
	give(true, 7000, FLAG_ACK, SETUP, SETUP, sender.bytes, sender.length);
	cr_expect_eq(kit_field(&last, "iwarp_rdma.send.reassembled.length", &length), 1);
	cr_expect_eq(length.number, 16);
	end();
	sender_fini(&sender);
}

/* A Read Request of 8 bytes into an STag at offset 0. */
static void send_read_request(struct sender *sender, uint8_t sink, uint8_t msn)
{
	uint8_t request[46] = { 0x41, 0x41, [9] = 1, [13] = msn, [21] = sink, [33] = 8, [37] = 2 };

	send_fpdu(sender, request, sizeof request);
}

static void send_read_response(struct sender *sender, uint8_t sink)
{
	uint8_t response[22] = { 0xc1, 0x42, [5] = sink };

	send_fpdu(sender, response, sizeof response);
}

/* Responses come in the order of requests: RFC 5040, 5.5. The response to the first one was skipped when that to the second one arrived. */
Test(iwarp_stream, a_response_is_not_that_of_a_read_that_was_passed_over)
{
	struct sender asks, answers;

	sender_init(&asks, SENT_PLAIN, true);
	sender_init(&answers, SENT_PLAIN, true);
	send_read_request(&asks, 1, 1);
	send_read_request(&asks, 3, 2);
	send_read_request(&asks, 1, 3);
	send_read_response(&answers, 3);
	send_read_response(&answers, 1);
	begin(1 << 20, false);
	give_setup(false, true);
	give(true, 7000, FLAG_ACK, SETUP, SETUP, asks.bytes, asks.length);
	give(false, 7000, FLAG_ACK, SETUP, SETUP + asks.length, answers.bytes, answers.length);
	end();
	cr_assert_eq(reported_count, 3);
	for (unsigned i = 0; i < 3; i++)
		cr_expect_eq(reported[i].complete, reported[i].psn != 1, "request %u", reported[i].psn);
	sender_fini(&asks);
	sender_fini(&answers);
}

/* Two segments of Writes with one STag and bytes between them: they are of one message if these may have been lost. */
Test(iwarp_stream, a_write_continues_after_a_possible_loss)
{
	static const struct { uint32_t lost; uint8_t offset; unsigned reported; } cases[] = {
		{ 0, 8, 1 }, { 0, 16, 2 }, { 1, 16, 1 }, { 1, 200, 2 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t write[14 + 8] = { 0x81, 0x40, [5] = 1 };
		struct sender sender;

		sender_init(&sender, SENT_PLAIN, true);
		send_fpdu(&sender, write, sizeof write);
		if (cases[i].lost)
			send_fpdu(&sender, write, sizeof write);
		write[0] = 0xc1;
		write[13] = cases[i].offset;
		send_fpdu(&sender, write, sizeof write);
		begin(1 << 20, false);
		give_setup(false, true);
		for (unsigned n = 0; n < sender.count; n++)
			if (n != cases[i].lost || !n)
				give(true, 7000, FLAG_ACK, SETUP + sender.fpdus[n].offset, SETUP, sender.bytes + sender.fpdus[n].offset, sender.fpdus[n].length);
		end();
		cr_expect_eq(reported_count, cases[i].reported, "case %zu: %u reported", i, reported_count);
		sender_fini(&sender);
	}
}

/* A Write whose last segment arrives after more than a minute: its beginning was given up before. */
Test(iwarp_stream, the_end_of_a_write_that_was_given_up_is_no_write)
{
	uint8_t write[14 + 8] = { 0x81, 0x40, [5] = 1 };
	struct sender sender;

	sender_init(&sender, SENT_PLAIN, true);
	send_fpdu(&sender, write, sizeof write);
	write[0] = 0xc1;
	write[13] = 8;
	send_fpdu(&sender, write, sizeof write);
	send_fpdu(&sender, write, sizeof write);
	begin(1 << 20, false);
	give_setup(false, true);
	for (unsigned n = 0; n < sender.count; n++) {
		give(true, 7000, FLAG_ACK, SETUP + sender.fpdus[n].offset, SETUP, sender.bytes + sender.fpdus[n].offset, sender.fpdus[n].length);
		if (!n)
			later_ns = 70 * INT64_C(1000000000);
		/* between frames */
		give(false, 7000, FLAG_ACK, SETUP, SETUP + sender.fpdus[n].offset + sender.fpdus[n].length, NULL, 0);
	}
	end();
	cr_assert_eq(reported_count, 3);
	cr_expect(!reported[0].complete && !reported[1].complete);
	cr_expect(reported[2].complete, "the next one is whole");
	sender_fini(&sender);
}

/* b acknowledges all of a's bytes and its FIN, which counts as one. RFC 9293, 3.4. */
Test(iwarp_stream, a_fin_that_is_acknowledged_lets_nothing_wait)
{
	struct sender a, b;

	sender_init(&a, SENT_PLAIN, true);
	sender_init(&b, SENT_PLAIN, true);
	send_send(&a, 100);
	send_send(&b, 50);
	begin(1 << 20, false);
	give_setup(false, true);
	give(true, 7000, FLAG_ACK | FLAG_FIN, SETUP, SETUP, a.bytes, a.length);
	give(false, 7000, FLAG_ACK, SETUP, SETUP + a.length + 1, b.bytes, b.length);
	cr_expect(last.packet.flow.completes && last.packet.flow.message_length == 50);
	end();
	sender_fini(&a);
	sender_fini(&b);
}

/* The Reply requests CRCs, and is captured after the first part of an FPDU. RFC 5044, 7.1.1. */
Test(iwarp_stream, a_late_reply_shows_that_crcs_are_checked)
{
	uint8_t setup[SETUP] = "MPA ID Req Frame";
	struct sender sender;

	sender_init(&sender, SENT_PLAIN, true);
	send_send(&sender, 100);
	sender.bytes[60] ^= 1;
	setup[17] = 1;
	begin(1 << 20, false);
	give(true, 7000, FLAG_SYN, (uint32_t)-1, 0, NULL, 0);
	give(false, 7000, FLAG_SYN | FLAG_ACK, (uint32_t)-1, 0, NULL, 0);
	give(true, 7000, FLAG_ACK, 0, 0, setup, SETUP);
	give(true, 7000, FLAG_ACK, SETUP, 0, sender.bytes, 80);
	setup[9] = 'p';
	setup[16] = 0x40;
	give(false, 7000, FLAG_ACK, 0, SETUP, setup, SETUP);
	give(true, 7000, FLAG_ACK, SETUP + 80, SETUP, sender.bytes + 80, sender.length - 80);
	end();
	cr_expect_eq(reported_count, 0, "its CRC is wrong");
	sender_fini(&sender);
}
