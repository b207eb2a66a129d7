/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC over RDMA on iWARP, from TCP segments to the fields of the packets.
 */
#include "config.h"

#include "dissect/engine/protocol.h"
#include "tests/iwarp_stream_kit.h"

/* A Send with an RPC-over-RDMA message: a call of NFS's procedure 0, or its reply. RFC 8166, 4; RFC 5531, 9. */
static void send_rpc(struct sender *sender, uint32_t xid, bool is_reply)
{
	const uint32_t words[] = { xid, 1, 32, 0, 0, 0, 0, xid, is_reply, is_reply ? 0 : 2, is_reply ? 0 : 100003, is_reply ? 0 : 3,
				   0, 0, 0, 0, 0 };
	uint32_t count = is_reply ? 13 : 17;
	uint8_t send[18 + sizeof words] = { 0x41, 0x43 };

	put32(send + 10, sender->msn++);
	for (uint32_t i = 0; i < count; i++)
		put32(send + 18 + 4 * i, words[i]);
	send_fpdu(sender, send, 18 + 4 * count);
}

static void give_rpc(const struct sender *sender, bool from_a, unsigned n, uint32_t ack)
{
	const struct sent_fpdu *fpdu = &sender->fpdus[n];

	give(from_a, 7000, FLAG_ACK, SETUP + fpdu->offset, SETUP + ack, sender->bytes + fpdu->offset, fpdu->length);
}

/* The setup, on a port of the caller's choice, and a Send with these words. */
static void give_send_to(uint16_t port, const uint32_t *words, uint32_t count)
{
	struct sender sender;
	uint8_t send[18 + 80] = { 0x41, 0x43, [13] = 1 };
	uint8_t setup[SETUP] = { 'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e', 'q', ' ', 'F', 'r', 'a', 'm', 'e', 0x40, 1 };

	give(true, port, FLAG_SYN, (uint32_t)-1, 0, NULL, 0);
	give(false, port, FLAG_SYN | FLAG_ACK, (uint32_t)-1, 0, NULL, 0);
	give(true, port, FLAG_ACK, 0, 0, setup, SETUP);
	setup[9] = 'p';
	give(false, port, FLAG_ACK, 0, SETUP, setup, SETUP);
	for (uint32_t i = 0; i < count; i++)
		put32(send + 18 + 4 * i, words[i]);
	sender_init(&sender, SENT_PLAIN, true);
	send_fpdu(&sender, send, 18 + 4 * count);
	give(true, port, FLAG_ACK, SETUP, SETUP, sender.bytes, sender.length);
	sender_fini(&sender);
}

TestSuite(iwarp_rpc, .timeout = HANG_SECONDS);

/* The second call is ahead of a gap that the first one fills. Once processed and answered it is discarded after many others. */
Test(iwarp_rpc, a_reply_ahead_of_a_gap_is_of_a_call_ahead_of_one_or_of_one_that_messages_know)
{
	struct sender calls, replies;
	const uint32_t many = 150;

	sender_init(&calls, SENT_PLAIN, true);
	sender_init(&replies, SENT_PLAIN, true);
	for (uint32_t xid = 1; xid <= many; xid++) {
		send_rpc(&calls, 1000 + xid, false);
		send_rpc(&replies, 1000 + xid, true);
	}
	send_rpc(&replies, 2000, true); /* never captured */
	send_rpc(&replies, 1002, true);
	begin(1 << 26, false);
	give_setup(false, true);
	give_rpc(&calls, true, 1, 0);
	cr_expect(last.packet.rpc.present && !last.packet.rpc.is_reply);
	/* its reply overtakes the one before */
	give_rpc(&replies, false, 1, 0);
	cr_expect(last.packet.rpc.is_reply && last.packet.rpc.program_known && last.packet.rpc.call_frame == 5);
	give_rpc(&calls, true, 0, 0);
	give_rpc(&replies, false, 0, calls.fpdus[2].offset);
	for (uint32_t i = 2; i < many; i++) {
		give_rpc(&calls, true, i, replies.fpdus[i].offset);
		give_rpc(&replies, false, i, calls.fpdus[i].offset + calls.fpdus[i].length);
	}
	give_rpc(&replies, false, many + 1, calls.length);
	cr_expect(last.packet.rpc.is_reply && !last.packet.rpc.program_known, "the call is long gone");
	end();
	sender_fini(&calls);
	sender_fini(&replies);
}

/* Bytes that would be an FPDU with a call, but are not at an FPDU boundary of the stream, and one with a wrong CRC. */
Test(iwarp_rpc, segment_content_counts_only_at_fpdu_boundaries)
{
	struct sender call, write;
	uint8_t ulpdu[14 + 1000 + 200] = { 0xc1, 0x40 };
	uint32_t before = 2 + 14 + 1000, length;

	sender_init(&call, SENT_PLAIN, true);
	sender_init(&write, SENT_PLAIN, true);
	send_rpc(&call, 7, false);
	length = call.fpdus[0].length;
	fill_noise(ulpdu + 14, 1000, 1);
	memcpy(ulpdu + 14 + 1000, call.bytes, length);
	send_fpdu(&write, ulpdu, 14 + 1000 + length);
	begin(1 << 26, false);
	give_setup(false, true);
	give(true, 7000, FLAG_ACK, SETUP, SETUP, call.bytes, length);
	cr_expect(last.packet.rpc.present && packet_has(&last.packet, PROTOCOL_NFS) && last.packet.fpdus.count == 1);
	give(true, 7000, FLAG_ACK, SETUP + length, SETUP, write.bytes, before);
	give(true, 7000, FLAG_ACK, SETUP + length + before, SETUP, call.bytes, length);
	cr_expect(!last.packet.rpc.present && !last.packet.rpcrdma.present && !last.packet.fpdus.count);
	cr_expect(packet_has(&last.packet, PROTOCOL_PAYLOAD) && !packet_has(&last.packet, PROTOCOL_RPCRDMA));
	give(true, 7000, FLAG_ACK, SETUP + 2 * length + before, SETUP, write.bytes + before + length, write.length - before - length);
	call.bytes[40] ^= 1;
	give(true, 7000, FLAG_ACK, SETUP + length + write.length + length, SETUP, call.bytes, length);
	cr_expect(!last.packet.rpcrdma.present && !last.packet.rpc.present);
	end();
	/* the same on a connection that is none of iWARP */
	call.bytes[40] ^= 1;
	begin(1 << 26, false);
	give(true, 7000, FLAG_SYN, (uint32_t)-1, 0, NULL, 0);
	give(true, 7000, FLAG_ACK, 0, 0, write.bytes + 16, 1000);
	give(true, 7000, FLAG_ACK, 1000, 0, call.bytes, length);
	cr_expect(!last.packet.rpc.present && !last.packet.rpcrdma.present && !last.packet.fpdus.count);
	cr_expect(packet_has(&last.packet, PROTOCOL_PAYLOAD) && !packet_has(&last.packet, PROTOCOL_DDP));
	end();
	sender_fini(&call);
	sender_fini(&write);
}

/* A reply in a chunk: the written part is present, the lost part is between it and the Send. RFC 8166, 3.5.3. */
Test(iwarp_rpc, a_reply_in_a_chunk_is_shown_ahead_of_a_gap_after_the_chunk)
{
	const uint32_t words[] = { 7, 1, 32, 0, 0, 0, 1, 1, 99, 24, 0, 0, 7, 0, 2, 100003, 3, 0, 0, 0, 0, 0 };
	const uint32_t reply[] = { 7, 1, 0, 0, 0, 0 }, nothing[] = { 7, 1, 32, 1, 0, 0, 1, 1, 99, 24, 0, 0 };
	uint8_t call[18 + sizeof words] = { 0x41, 0x43, [13] = 1 }, write[14 + sizeof reply] = { 0xc1, 0x40, [5] = 99 };
	uint8_t send[18 + sizeof nothing] = { 0x41, 0x43, [13] = 2 };
	struct sender asks, answers;

	for (uint32_t i = 0; i < sizeof words / 4; i++)
		put32(call + 18 + 4 * i, words[i]);
	for (uint32_t i = 0; i < sizeof reply / 4; i++)
		put32(write + 14 + 4 * i, reply[i]);
	for (uint32_t i = 0; i < sizeof nothing / 4; i++)
		put32(send + 18 + 4 * i, nothing[i]);
	sender_init(&asks, SENT_PLAIN, true);
	sender_init(&answers, SENT_PLAIN, true);
	send_fpdu(&asks, call, sizeof call);
	for (unsigned lost = 0; lost < 2; lost++) {
		answers.length = answers.count = 0;
		answers.msn = 1;
		if (lost)
			send_send(&answers, 40);
		send_fpdu(&answers, write, sizeof write);
		if (!lost)
			send_send(&answers, 40);
		send_fpdu(&answers, send, sizeof send);
		begin(1 << 20, false);
		give_setup(false, true);
		give(true, 7000, FLAG_ACK, SETUP, SETUP, asks.bytes, asks.length);
		if (!lost)
			give_rpc(&answers, false, 0, asks.length);
		give_rpc(&answers, false, 2, asks.length);
		cr_expect(last.packet.rpcrdma.present && last.packet.rpcrdma.message_type == 1);
		cr_expect_eq(last.packet.rpc.present && last.packet.rpc.is_reply && last.packet.rpc.program_known, !lost);
		end();
	}
	sender_fini(&asks);
	sender_fini(&answers);
}

/* A call that names 16 bytes for its result, half of which are written before the reply: later WRITEs are other messages. */
Test(iwarp_rpc, a_reply_ends_the_write_message_of_its_chunk)
{
	const uint32_t words[] = { 7, 1, 32, 0, 0, 1, 1, 99, 16, 0, 0, 0, 0, 7, 0, 2, 100003, 3, 6, 0, 0, 0, 0 };
	uint8_t call[18 + sizeof words] = { 0x41, 0x43, [13] = 1 }, write[14 + 8] = { 0x81, 0x40, [5] = 99 };
	struct sender asks, answers;
	unsigned writes = 0;

	for (uint32_t i = 0; i < sizeof words / 4; i++)
		put32(call + 18 + 4 * i, words[i]);
	sender_init(&asks, SENT_PLAIN, true);
	sender_init(&answers, SENT_PLAIN, true);
	send_fpdu(&asks, call, sizeof call);
	send_fpdu(&answers, write, sizeof write);
	send_rpc(&answers, 7, true);
	write[13] = 8;
	send_fpdu(&answers, write, sizeof write);
	begin(1 << 20, false);
	give_setup(false, true);
	give(true, 7000, FLAG_ACK, SETUP, SETUP, asks.bytes, asks.length);
	for (unsigned n = 0; n < 3; n++)
		give_rpc(&answers, false, n, asks.length);
	end();
	for (unsigned i = 0; i < reported_count; i++)
		writes += reported[i].kind == RTAP_KIND_WRITE;
	cr_expect_eq(writes, 2);
	sender_fini(&asks);
	sender_fini(&answers);
}

/* One IPv4 fragment of `length` bytes at `offset` of what a segment of a connection seen from the middle is. RFC 791, 3.1. */
static void give_fragment(const uint8_t *segment, uint32_t offset, uint32_t length, bool more)
{
	static uint8_t frame[4096];
	struct rtap_frame shown = { .bytes = frame, .link_type = RTAP_LINK_RAW };

	memset(frame, 0, 20);
	frame[0] = 0x45;
	put16(frame + 2, 20 + length);
	put16(frame + 4, 77);
	put16(frame + 6, (uint32_t)more << 13 | offset / 8);
	frame[8] = 64;
	frame[9] = 6;
	frame[12] = frame[16] = 10;
	frame[15] = 1;
	frame[19] = 2;
	memcpy(frame + 20, segment + offset, length);
	shown.captured_length = shown.wire_length = 20 + length;
	shown.number = ++frames;
	shown.time_ns = (int64_t)frames * 100000;
	last.frame = shown;
	rtap_tracker_frame(tracker, &last.frame, &last.packet);
	check_layers();
}

/* The FPDU is in no frame: nothing may look for it in the last fragment's, which is shorter. */
Test(iwarp_rpc, an_fpdu_in_ip_fragments_is_not_looked_for_in_the_frame)
{
	static uint8_t segment[20 + 3000] = { 0x9c, 0x40, 0x1b, 0x58, [12] = 0x50, [13] = FLAG_ACK };
	struct sender sender;
	struct rtap_value length = { 0 };

	sender_init(&sender, SENT_PLAIN, true);
	send_send(&sender, 1600);
	memcpy(segment + 20, sender.bytes, sender.length);
	begin(1 << 20, false);
	give_fragment(segment, 0, 1600, true);
	give_fragment(segment, 1600, 20 + sender.length - 1600, false);
	cr_expect_eq(last.packet.source_count, 2);
	(void)kit_field(&last, "iwarp_mpa.ulpdulength", &length);
	end();
	sender_fini(&sender);
}

/*
 * A Send that waits for bytes that it acknowledges is dissected from a copy. The frame that shows it can release it too: nothing of
 * the packet may refer to the copy then.
 */
Test(iwarp_rpc, a_send_that_waited_is_shown_with_the_bytes_of_its_frame)
{
	struct sender calls, replies;

	sender_init(&calls, SENT_PLAIN, true);
	sender_init(&replies, SENT_PLAIN, true);
	for (uint32_t xid = 1; xid <= 400; xid++)
		send_rpc(&calls, xid, false);
	for (uint32_t xid = 1; xid <= 400; xid++)
		send_rpc(&replies, xid, true);
	begin(1 << 26, false);
	give_setup(false, true);
	/* the first one waits for a call that never comes, for 256 segments of the connection, and all others after it */
	give_rpc(&replies, false, 0, calls.fpdus[1].offset + calls.fpdus[1].length);
	cr_expect(last.packet.rpc.is_reply);
	give_rpc(&calls, true, 0, 0);
	for (uint32_t i = 1; i < 300; i++) {
		give_rpc(&replies, false, i, calls.fpdus[0].length);
		cr_expect(last.packet.rpc.is_reply, "%u", i);
	}
	end();
	sender_fini(&calls);
	sender_fini(&replies);
}

/* RFC 8267, 8: the port is assigned to NFS over RDMA. Content that does not prove itself is dissected too, if it can be RPC. */
Test(iwarp_rpc, a_send_that_only_the_service_identifies_is_dissected_by_it)
{
	const uint32_t error[] = { 7, 1, 32, 4, 2 }, call[] = { 7, 1, 32, 0, 0, 0, 0, 7, 0, 2, 100003, 3, 0, 0, 0, 0, 0 }, noise[] = { 1, 999999, 3, 4, 5 };
	const struct {
		uint16_t port;
		bool no_heuristics;
		const uint32_t *words;
		uint32_t count;
		bool is_rpc;
	} rows[] = {
		{ 20049, false, error, 5, true }, { 7000, false, error, 5, false }, { 20049, true, call, 17, true }, { 7000, true, call, 17, false },
		{ 20049, false, noise, 5, false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin(1 << 20, rows[i].no_heuristics);
		give_send_to(rows[i].port, rows[i].words, rows[i].count);
		cr_expect_eq(last.packet.rpcrdma.present, rows[i].is_rpc, "row %zu", i);
		cr_expect_eq(packet_has(&last.packet, PROTOCOL_RPCRDMA), rows[i].is_rpc, "row %zu", i);
		end();
	}
}

static void expect_layers(const uint16_t *wanted, uint8_t count)
{
	uint8_t at = 0;

	while (at < last.packet.layer_count && last.packet.layers[at].protocol != PROTOCOL_RDMAP)
		at++;
	/* and that of the state */
	cr_assert_eq(last.packet.layer_count - at - 2, count, "%u layers", last.packet.layer_count - at - 2);
	for (uint8_t i = 0; i < count; i++)
		cr_expect_eq(last.packet.layers[at + 1 + i].protocol, wanted[i], "layer %u", i);
}

/* Each Send is examined alone, and all are shown in their order. */
Test(iwarp_rpc, several_sends_of_a_segment_are_each_of_the_upper_layer_and_shown_in_order)
{
	const uint16_t both[] = { PROTOCOL_RPCRDMA, PROTOCOL_RPC, PROTOCOL_NFS, PROTOCOL_PAYLOAD, PROTOCOL_RPCRDMA, PROTOCOL_RPC, PROTOCOL_NFS };
	const uint32_t noise[] = { 1, 2, 3, 4, 5 };
	uint8_t write[14 + sizeof noise] = { 0xc1, 0x40, [5] = 99 };
	struct sender calls, replies;

	for (uint32_t i = 0; i < sizeof noise / 4; i++)
		put32(write + 14 + 4 * i, noise[i]);
	sender_init(&calls, SENT_PLAIN, true);
	sender_init(&replies, SENT_PLAIN, true);
	send_rpc(&calls, 7, false);
	send_fpdu(&calls, write, sizeof write);
	send_rpc(&calls, 8, false);
	send_rpc(&replies, 8, true);
	send_fpdu(&replies, write, sizeof write);
	send_rpc(&replies, 7, true);
	begin(1 << 20, false);
	give_setup(false, true);
	give(true, 7000, FLAG_ACK, SETUP, SETUP, calls.bytes, calls.length);
	expect_layers(both, 7);
	cr_expect_eq(last.packet.rpc.xid, 8);
	cr_expect_eq(last.packet.fpdus.count, 3);
	cr_expect_eq(last.packet.payload.captured, calls.length);
	give(false, 7000, FLAG_ACK, SETUP, SETUP + calls.length, replies.bytes, replies.length);
	expect_layers(both, 7);
	cr_expect_eq(last.packet.rpc.xid, 7);
	cr_expect(last.packet.rpc.is_reply && last.packet.rpc.program_known);
	cr_expect_eq(last.packet.rpc.call_frame, frames - 1);
	end();
	cr_expect_eq(reported_count, 10, "%u", reported_count);
	sender_fini(&calls);
	sender_fini(&replies);
}
