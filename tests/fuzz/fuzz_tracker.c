/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conversations: what the tracker reports of any sequence of packets keeps its promises, in bounded memory.
 * Input: byte 0 chooses options, byte 1 the limit of memory; then records of RECORD bytes, each a packet or several.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <rdmatap/tracker.h>

#include "tests/iwarp_kit.h"
#include "tests/roce_kit.h"

#include "accounts.h"
#include "harness.h"

#define HEADER_LENGTH 2
#define RECORD 12
#define MAX_FRAMES 20000
#define HOSTS 2
#define QUEUE_PAIRS 4
#define FLOWS (HOSTS * HOSTS * QUEUE_PAIRS)
#define STREAMS 4 /* of two TCP connections: both directions of each */
#define MAX_STREAM (1u << 21)

/* Byte 0. */
enum { CHECKSUMS = 1, BYTES = 2, NO_FINISH = 4, NO_CALLBACKS = 8 };

/* Lower bits of a record's first byte; others are single packets. */
enum { KIND_ANY_OPCODE, KIND_MESSAGE, KIND_FLOOD, KIND_CM, KIND_DATAGRAM, KIND_FRAGMENTS, KIND_RAW, KIND_TIME, KIND_TCP, KIND_MASK = 15 };
/* Its upper bits. */
enum { ABSOLUTE_PSN = 0x10, CUT = 0x20, ACK_REQUEST = 0x40, OTHER_BYTES = 0x80 };

static const uint32_t lengths[16] = { 0, 1, 4, 8, 28, 255, 256, 257, 256, 512, 511, 1024, 1024, 2048, 4096, 4095 };

static const uint8_t opcodes[] = {
	0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17,
	0x1c, 0x1d, 0x20, 0x21, 0x22, 0x24, 0x26, 0x27, 0x28, 0x2a, 0xa0, 0xa1, 0xa2, 0xa4, 0xac, 0xad, 0xaf, 0xb0, 0xb1, 0x81,
};

struct run {
	struct rtap_tracker *tracker;
	uint8_t options;
	uint64_t frames, messages, incomplete, connections;
	uint64_t *numbers; /* of the connections reported */
	int64_t time_ns;
	uint32_t psn[FLOWS];
	uint32_t sent[STREAMS]; /* bytes that went of each sender's stream */
};

static struct sender senders[STREAMS];

static void check_missing(const struct rtap_message *message)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < message->missing_count; i++) {
		const struct rtap_missing *missing = &message->missing[i];

		REQUIRE(missing->reason < RTAP_MISSING_COUNT);
		REQUIRE(missing->offset >= end);
		REQUIRE(missing->offset <= message->length);
		REQUIRE(missing->length <= message->length - missing->offset);
		end = missing->offset + missing->length;
	}
}

static void check_bytes(const struct run *run, const struct rtap_message *message)
{
	if (message->bytes.bytes) {
		REQUIRE(message->complete);
		REQUIRE(message->bytes.length == message->length);
		if (message->has_crc)
			REQUIRE(message->crc32 == crc32_z(0, message->bytes.bytes, message->bytes.length));
	} else if (run->options & BYTES && message->complete && message->length && message->kind != RTAP_KIND_FLUSH) {
		REQUIRE(message->bytes_evicted);
	}
	if (message->complete && run->options & CHECKSUMS && message->kind != RTAP_KIND_FLUSH)
		REQUIRE(message->has_crc);
}

static void check_message(void *owner, const struct rtap_message *message)
{
	struct run *run = owner;

	REQUIRE(message->number == ++run->messages);
	REQUIRE(message->kind < RTAP_KIND_COUNT && message->verb < RTAP_VERB_COUNT && message->outcome < RTAP_OUTCOME_COUNT);
	REQUIRE(message->first_frame >= 1 && message->first_frame <= message->last_frame && message->last_frame <= run->frames);
	REQUIRE(message->answered_in <= run->frames);
	REQUIRE(message->is_rpc || (message->frames >= 1 && message->frames <= run->frames));
	REQUIRE(message->time_ns <= message->time_end_ns);
	REQUIRE(!message->complete || (!message->missing_count && message->length_known));
	REQUIRE(!message->connection == (message->kind == RTAP_KIND_MAD));
	if (message->connection)
		REQUIRE(message->connection->number >= 1 && message->connection->first_frame <= message->first_frame);
	check_missing(message);
	check_bytes(run, message);
	run->incomplete += !message->complete;
}

static void check_connection(void *owner, const struct rtap_connection *connection)
{
	struct run *run = owner;
	uint64_t *larger = realloc(run->numbers, (run->connections + 1) * sizeof *larger);

	REQUIRE(larger != NULL);
	run->numbers = larger;
	for (uint64_t i = 0; i < run->connections; i++)
		REQUIRE(larger[i] != connection->number);
	larger[run->connections++] = connection->number;
	REQUIRE(connection->number >= 1);
	REQUIRE(connection->first_frame >= 1 && connection->first_frame <= connection->last_frame && connection->last_frame <= run->frames);
	REQUIRE(connection->time_ns <= connection->time_end_ns);
	REQUIRE(connection->life_count <= RTAP_MAX_LIFE_EVENTS);
}

static bool want(void *owner, const struct rtap_packet *packet)
{
	(void)owner;
	return packet->ib.psn & 1;
}

static void give(struct run *run, uint32_t link_type, const uint8_t *bytes, uint32_t captured, uint32_t wire, uint16_t point)
{
	/* a block of just this size: reading outside of it is seen */
	uint8_t *block = malloc(captured);
	struct rtap_frame frame = {
		.bytes = block, .captured_length = captured, .wire_length = wire, .link_type = link_type, .capture_point = point,
		.number = run->frames + 1, .time_ns = run->time_ns,
	};
	struct rtap_packet packet;

	if (run->frames >= MAX_FRAMES) {
		free(block);
		return;
	}
	REQUIRE(block != NULL || !captured);
	if (captured)
		memcpy(block, bytes, captured);
	run->frames++;
	rtap_tracker_frame(run->tracker, &frame, &packet);
	if (packet.flow.present)
		REQUIRE(packet.flow.connection >= 1 && packet.flow.analysis < RTAP_PSN_COUNT);
	if (packet.flow.completes)
		REQUIRE(packet.flow.message_first_frame >= 1 && packet.flow.message_first_frame <= run->frames);
	free(block);
}

static void fill(uint8_t *payload, uint32_t psn, uint8_t other)
{
	for (uint32_t i = 0; i < 4096; i++)
		payload[i] = (uint8_t)(i * 13 + i / 256 + psn * 7 + other);
}

/* Who speaks to whom, where in the sequence. */
static void address(struct run *run, const uint8_t *record, struct roce *roce)
{
	unsigned flow = record[2] % FLOWS;

	roce->source = 0x0a000001 + (flow & 1);
	roce->destination = 0x0a000001 + (flow >> 1 & 1);
	roce->dest_qp = 0x10 + (flow >> 2);
	roce->src_qp = 0x10 + (record[2] >> 4 & 3);
	if (record[0] & ABSOLUTE_PSN)
		run->psn[flow] = ((uint32_t)record[3] << 16 | (uint32_t)record[6] << 8 | record[9]) & PSN_MASK;
	else
		run->psn[flow] = (run->psn[flow] + record[3] - (record[3] & 0x80u) * 2) & PSN_MASK;
	roce->psn = run->psn[flow];
	/* a response belongs to the sequence of who asked: both ends of a host's queue pairs share it */
	if (record[2] & 0x80)
		roce->psn = run->psn[(flow & ~3u) | (flow & 1) << 1 | (flow >> 1 & 1)];
}

static void give_roce(struct run *run, const uint8_t *record, const struct roce *roce)
{
	static uint8_t frame[ROCE_MAX_FRAME];
	uint32_t length = roce_frame(frame, roce), cut = record[0] & CUT ? record[5] * 16u : 0;

	/* only a good one lets a sequence begin anew */
	if (record[2] & 0x40)
		roce_seal(frame, length);
	if ((record[0] & KIND_MASK) != KIND_FRAGMENTS || length < 64) {
		give(run, RTAP_LINK_RAW, frame, length - (cut < length ? cut : length), length, record[11] & 3);
		return;
	}

	/* in two pieces, the second first if its record says so */
	uint32_t first = 8 + (length - 28) / 16 * 8;
	uint8_t second[ROCE_MAX_FRAME];

	memcpy(second, frame, 20);
	memcpy(second + 20, frame + 20 + first, length - 20 - first);
	roce_put(second + 2, length - first, 2);
	roce_put(second + 6, first / 8, 2);
	roce_put(frame + 2, 20 + first, 2);
	roce_put(frame + 6, 0x2000, 2);
	frame[5] = second[5] = record[9];
	if (record[10] & 1)
		give(run, RTAP_LINK_RAW, second, length - first, length - first, 0);
	if (!(record[10] & 4))
		give(run, RTAP_LINK_RAW, frame, 20 + first, 20 + first, 0);
	if (record[10] & 2)
		give(run, RTAP_LINK_RAW, second, length - first, length - first, 0);
}

static void packet(struct run *run, const uint8_t *record)
{
	static uint8_t payload[4096];
	unsigned kind = record[0] & KIND_MASK;
	struct roce roce = {
		.opcode = kind == KIND_ANY_OPCODE ? record[1] : opcodes[record[1] % sizeof opcodes],
		.ack_request = record[0] & ACK_REQUEST,
		.r_key = record[11], .virtual_address = record[8], .dma_length = (uint32_t)record[6] << 8 | record[7],
		.syndrome = record[8], .msn = record[9], .immediate = record[11], .original = record[9],
		.payload = payload, .payload_length = lengths[record[4] & 15],
	};

	if (kind == KIND_DATAGRAM)
		roce.opcode = 0x64;
	/* lengths that announce gigabytes */
	if (record[4] & 0x80)
		roce.dma_length <<= 16;
	address(run, record, &roce);
	fill(payload, roce.psn, record[0] & OTHER_BYTES ? record[11] : 0);
	if (!ib_opcodes[roce.opcode].name)
		roce.payload_length &= 15;
	give_roce(run, record, &roce);
}

/* A SEND, WRITE or READ of several packets, some of them left out. */
static void message(struct run *run, const uint8_t *record)
{
	static const uint8_t firsts[4] = { 0x00, 0x06, 0x0d, 0x00 };
	static uint8_t payload[4096];
	uint8_t first = firsts[record[1] & 3], service = record[1] & 4 ? IB_UC : record[1] & 8 ? IB_XRC : IB_RC;
	uint32_t count = 2 + record[5] % 30, pmtu = 256u << (record[4] & 3), last_length = 1 + record[7] % pmtu;
	struct roce roce = { .r_key = record[11], .virtual_address = record[8], .payload = payload,
			     .dma_length = (count - 1) * pmtu + last_length };

	if (first == 0x0d && service == IB_UC)
		service = IB_RC;
	address(run, record, &roce);
	for (uint32_t i = 0; i < count; i++, roce.psn = (roce.psn + 1) & PSN_MASK) {
		roce.opcode = (uint8_t)(service | (first + (!i ? 0 : i == count - 1 ? 2 : 1)));
		roce.payload_length = i == count - 1 ? last_length : pmtu;
		roce.ack_request = i == count - 1;
		fill(payload, roce.psn, 0);
		if (!(record[0] & OTHER_BYTES) || i % 8 != record[10] % 8)
			give_roce(run, record, &roce);
	}
	run->psn[record[2] % FLOWS] = roce.psn;
}

/* Many of one kind, each on a queue pair of its own or each further on. */
static void flood(struct run *run, const uint8_t *record)
{
	static uint8_t payload[4096];
	uint32_t count = 1u << (record[5] & 7) << (record[5] >> 4 & 3);
	struct roce roce = { .opcode = opcodes[record[1] % sizeof opcodes], .payload = payload, .payload_length = lengths[record[4] & 15],
			     .dma_length = (uint32_t)record[6] << 8 | record[7], .syndrome = record[8], .ack_request = true };

	address(run, record, &roce);
	for (uint32_t i = 0; i < count; i++) {
		if (record[0] & OTHER_BYTES)
			roce.dest_qp = 0x100 + i;
		else
			roce.psn = (roce.psn + record[9] % 8) & PSN_MASK;
		give_roce(run, record, &roce);
	}
	run->psn[record[2] % FLOWS] = roce.psn;
}

static void handshake(struct run *run, const uint8_t *record)
{
	static uint8_t frame[ROCE_MAX_FRAME];
	struct roce_cm cm = {
		.attribute = (uint16_t)(CM_REQ + record[1] % (CM_APR - CM_REQ + 1)),
		.transaction = record[3], .service_id = 0x01064e51,
		.local_id = record[4] & 3, .remote_id = record[5] & 3, .qpn = 0x10 + (record[6] & 3),
		.psn = (uint32_t)record[7] << 16 | record[8],
		.transport = record[9] & 3, .extended_transport = record[9] >> 2 & 1, .mtu_code = record[10] & 7, .status = record[11] & 1,
		.reason = record[11],
	};

	give(run, RTAP_LINK_RAW, frame, roce_cm_frame(frame, 0x0a000001 + (record[2] & 1), 0x0a000001 + (record[2] >> 1 & 1), &cm), sizeof frame,
	     0);
}

/* Bytes `from` to `to` of a stream in a TCP segment; its sender has all that the other one sent. */
static void give_segment(struct run *run, const uint8_t *record, unsigned stream, uint8_t flags, uint32_t from, uint32_t to)
{
	static uint8_t frame[65536];
	uint32_t length = 40 + to - from, cut = record[0] & CUT ? record[5] * 4u : 0;

	memset(frame, 0, 40);
	frame[0] = 0x45;
	roce_put(frame + 2, length, 2);
	frame[8] = 64;
	frame[9] = 6;
	roce_put(frame + 12, 0x0a000001 + (stream & 1), 4);
	roce_put(frame + 16, 0x0a000001 + !(stream & 1), 4);
	roce_put(frame + 20, stream & 1 ? 20049 : 40000 + (stream >> 1), 2);
	roce_put(frame + 22, stream & 1 ? 40000 + (stream >> 1) : 20049, 2);
	roce_put(frame + 24, (flags & 2 ? UINT32_MAX : 0) + from, 4);
	roce_put(frame + 28, run->sent[stream ^ 1], 4);
	frame[32] = 0x50;
	frame[33] = flags;
	roce_put(frame + 34, 512, 2);
	if (to > from)
		memcpy(frame + 40, senders[stream].bytes + from, to - from);
	give(run, RTAP_LINK_RAW, frame, length - (cut < length ? cut : length), length, record[11] & 1);
}

static void begin_tcp(struct run *run, const uint8_t *record, unsigned stream)
{
	unsigned pair = stream & ~1u;

	for (unsigned i = pair; i < pair + 2; i++) {
		struct sender *sender = &senders[i];
		uint8_t *setup = sender->bytes;

		sender->length = sender->ulpdus_length = sender->count = run->sent[i] = 0;
		give_segment(run, record, i, i == pair ? 0x02 : 0x12, 0, 0);
		memcpy(setup, i == pair ? "MPA ID Req Frame" : "MPA ID Rep Frame", 16);
		setup[16] = record[3] & 0xe0;
		setup[17] = 1 + (record[3] & 1);
		setup[18] = 0;
		setup[19] = record[4] & 7;
		memset(setup + 20, record[5], record[4] & 7);
		sender->length = sender->next_marker = 20 + (record[4] & 7);
		sender->markers = setup[16] & 0x80 ? SENT_MARKED : SENT_PLAIN;
		sender->crc = record[3] & 0x40;
		sender->msn = 1;
	}
	for (unsigned i = pair; i < pair + 2 && !(record[3] & 2); i++) {
		give_segment(run, record, i, 0x18, 0, senders[i].length);
		run->sent[i] = senders[i].length;
	}
}

/* An FPDU whose headers are made of small numbers, so that they meet each other. */
static void put_fpdu(const uint8_t *record, struct sender *sender)
{
	static uint8_t ulpdu[8192];
	uint8_t opcode = record[4] & 15;
	bool tagged = record[4] & 0x10 ? opcode : opcode == 0 || opcode == 2;
	uint32_t at = tagged ? 14 : 18, length;

	memset(ulpdu, 0, 64);
	ulpdu[0] = (uint8_t)(tagged << 7 | (record[4] & 0x20 ? 0 : 0x40) | 1);
	ulpdu[1] = 0x40 | opcode;
	if (tagged) {
		ulpdu[5] = record[6] & 3;
		roce_put(ulpdu + 10, record[7] * 16u, 4);
	} else {
		ulpdu[9] = opcode == 1 || opcode == 10 ? 1 : opcode == 7 ? 2 : opcode == 11 ? 3 : record[4] & 0x40 ? record[6] & 7 : 0;
		roce_put(ulpdu + 10, record[6] & 8 ? record[6] : sender->msn, 4);
		sender->msn += !(record[4] & 0x20);
		roce_put(ulpdu + 14, record[7] & 1 ? record[7] * 64u : 0, 4);
	}
	if (opcode == 1) {
		ulpdu[at + 3] = record[6] & 3;
		roce_put(ulpdu + at + 8, record[7] / 4 * 64u, 4);
		roce_put(ulpdu + at + 12, record[5] * 16u, 4);
		ulpdu[at + 19] = record[8];
		at += 28;
	} else if (opcode == 10) {
		at += 52;
	} else if (opcode == 11) {
		at += 12;
	} else if (opcode == 8 || opcode == 9) {
		at += 8;
	} else if (opcode == 7) {
		memcpy(ulpdu + at, record + 5, 6);
		at += 4 + (record[9] & 63);
	}
	length = at + (opcode == 1 || opcode >= 7 ? 0 : record[5] * 16u + (record[7] & 3));
	if (length > at)
		fill_noise(ulpdu + at, length - at, record[8]);
	send_fpdu(sender, ulpdu, length);
}

/* FPDUs over TCP: segments lost, repeated, swapped, cut anywhere; and bytes that are none. */
static void tcp(struct run *run, const uint8_t *record)
{
	unsigned stream = record[2] % STREAMS;
	struct sender *sender = &senders[stream];
	uint32_t from = run->sent[stream], to;

	if (sender->length + 65536 > MAX_STREAM || sender->count + 2 > SENT_MAX)
		return;
	switch (record[1] & 15) {
	case 0:
		begin_tcp(run, record, stream);
		return;
	case 1:
		fill_noise(sender->bytes + sender->length, record[5] * 8u, record[6]);
		sender->length += record[5] * 8u;
		break;
	case 2:
	case 3:
		give_segment(run, record, stream, record[1] & 1 ? 0x14 : 0x11, from, from);
		return;
	default:
		put_fpdu(record, sender);
		break;
	}
	if (record[2] & 0x10 && sender->length > from)
		sender->bytes[sender->length - 1 - record[9] % (sender->length - from)] ^= 1;
	/* not all that is there goes */
	to = sender->length - (record[2] & 0x20 ? record[9] % (sender->length - from + 1) : 0);
	for (uint32_t at = from; at < to; at += 1448) {
		uint32_t end = to - at > 1448 ? at + 1448 : to;

		if (!(record[2] & 0x40) || at == from)
			give_segment(run, record, stream, 0x18, at, end);
		if (record[2] & 0x80)
			give_segment(run, record, stream, 0x18, from, end - from > 40000 ? from + 40000 : end);
	}
	run->sent[stream] = to;
}

static void pass_time(struct run *run, const uint8_t *record)
{
	int64_t step = INT64_C(1) << record[1] % 38;

	run->time_ns += record[2] & 1 ? -step : step;
	if (run->time_ns < -(INT64_C(1) << 60) || run->time_ns > INT64_C(1) << 60)
		run->time_ns = 0;
}

static void give_record(struct run *run, const uint8_t *record)
{
	run->time_ns += record[10] * 16;
	switch (record[0] & KIND_MASK) {
	case KIND_MESSAGE:
		message(run, record);
		break;
	case KIND_FLOOD:
		flood(run, record);
		break;
	case KIND_CM:
		handshake(run, record);
		break;
	case KIND_RAW:
		give(run, record[1] & 1 ? RTAP_LINK_RAW : RTAP_LINK_INFINIBAND, record, RECORD, RECORD + 100, 0);
		break;
	case KIND_TCP:
		tcp(run, record);
		break;
	case KIND_TIME:
		pass_time(run, record);
		break;
	default:
		packet(run, record);
		break;
	}
}

static void check_end(const struct run *run)
{
	struct rtap_tracker_counters counters;

	rtap_tracker_counters(run->tracker, &counters, sizeof counters);
	REQUIRE(counters.peak_memory <= run->tracker->budget.limit + SLACK);
	if (run->options & NO_FINISH)
		return;
	/* the heap of deferred messages keeps its room */
	REQUIRE(run->tracker->messages.bytes == run->tracker->deferred.heap.room * sizeof *run->tracker->deferred.heap.items);
	REQUIRE(TAILQ_EMPTY(&run->tracker->connections) && TAILQ_EMPTY(&run->tracker->waiting) && LIST_EMPTY(&run->tracker->pending_flows));
	REQUIRE(!run->tracker->flows.count && !run->tracker->expectations.map.count && !run->tracker->handshakes.count);
	if (run->options & NO_CALLBACKS)
		return;
	REQUIRE(counters.messages == run->messages && counters.incomplete_messages == run->incomplete);
	REQUIRE(counters.connections == run->connections);
}

size_t input_part(const uint8_t *data, size_t size, size_t at)
{
	(void)data;
	(void)size;
	return at ? RECORD : HEADER_LENGTH;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEADER_LENGTH || size > 1 << 16)
		return 0;

	struct run run = { .options = data[0], .time_ns = INT64_C(1700000000000000000) };
	struct rtap_tracker_options options = {
		.size = sizeof options,
		.max_memory = UINT64_C(1024) << data[1] % 18,
		.bytes = data[0] & BYTES,
		.checksums = data[0] & CHECKSUMS,
		.owner = &run,
	};

	if (!(data[0] & NO_CALLBACKS)) {
		options.message = check_message;
		options.connection = check_connection;
		options.wanted = want;
	}
	for (unsigned i = 0; i < STREAMS; i++) {
		if (!senders[i].bytes)
			sender_init(&senders[i], SENT_PLAIN, false);
		senders[i].length = senders[i].ulpdus_length = senders[i].count = 0;
		senders[i].markers = SENT_PLAIN;
		senders[i].crc = i < 2;
	}
	REQUIRE(rtap_tracker_open(&run.tracker, &options, NULL) == RTAP_STATUS_OK);
	for (size_t at = HEADER_LENGTH; at + RECORD <= size && run.frames < MAX_FRAMES; at += RECORD) {
		give_record(&run, data + at);
		check_budget(run.tracker);
	}
	if (!(run.options & NO_FINISH))
		rtap_tracker_finish(run.tracker);
	check_end(&run);
	rtap_tracker_close(run.tracker);
	free(run.numbers);
	return 0;
}
