/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TCP streams out of any segments. Every byte of data is a function of its sequence number, so that what is reported can be
 * checked: no wrong byte, no gap in the offsets, no more memory than allowed.
 * Input: records of RECORD_LENGTH bytes, a segment each.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/engine/protocol.h"
#include "reassembly/stream/tcp_stream.h"

#include "harness.h"

#define RECORD_LENGTH 10
#define MOST_RECORDS 5000
#define LIMIT 30000

/* Byte 0: the lower five bits are TCP's flags. */
enum {
	FROM_B = 0x20,
	OTHER_BYTES = 0x40, /* not those of the sequence number: from now on bytes cannot be checked */
	OTHERS_NEED = 0x80, /* somebody else takes half of the memory before the segment */
};

struct run {
	struct tcp_streams streams;
	struct budget budget;
	struct budget_entry other;
	uint32_t sent[2];    /* where each end is */
	bool has_other_bytes;
	unsigned open;
};

/* What was reported of a connection. */
struct progress {
	uint64_t offset[2];
};

static uint8_t byte_at(uint32_t sequence)
{
	return (uint8_t)(sequence * 2654435761u >> 24);
}

static void on_begin(void *owner, struct tcp_connection *connection, const struct rtap_packet *packet)
{
	struct run *run = owner;

	(void)packet;
	connection->user = calloc(1, sizeof(struct progress));
	REQUIRE(connection->user);
	run->open++;
}

static void on_life(void *owner, struct tcp_connection *connection, bool from_a, enum tcp_life life, const struct rtap_packet *packet)
{
	(void)owner;
	(void)from_a;
	(void)life;
	(void)packet;
	REQUIRE(connection->user);
}

static void on_bytes(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes)
{
	struct run *run = owner;
	struct progress *progress = connection->user;
	uint32_t sequence = (uint32_t)(connection->halves[from_a].base + bytes->offset);

	REQUIRE(bytes->offset == progress->offset[from_a] && bytes->span.length);
	progress->offset[from_a] += bytes->span.length;
	for (uint32_t i = 0; i < bytes->span.length && !run->has_other_bytes; i++)
		REQUIRE(bytes->span.bytes[i] == byte_at(sequence + i));
}

static void on_hole(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_hole *hole)
{
	struct progress *progress = connection->user;

	(void)owner;
	REQUIRE(hole->offset == progress->offset[from_a] && hole->length);
	progress->offset[from_a] += hole->length;
}

static void on_end(void *owner, struct tcp_connection *connection, enum tcp_end reason)
{
	struct run *run = owner;

	(void)reason;
	free(connection->user);
	run->open--;
}

static void evict_other(struct budget_entry *entry, void *owner)
{
	struct run *run = owner;

	budget_give(&run->budget, entry, entry->bytes);
}

/* The data in a block of its captured size. */
static uint8_t *make_data(struct run *run, uint8_t flags, uint32_t sequence, uint32_t captured)
{
	uint8_t *data = malloc(captured ? captured : 1);

	REQUIRE(data);
	for (uint32_t i = 0; i < captured; i++)
		data[i] = (uint8_t)(byte_at(sequence + i) + (flags & OTHER_BYTES ? 1 : 0));
	run->has_other_bytes |= flags & OTHER_BYTES && captured;
	return data;
}

/* A signed number of 16 bits as the difference of two sequence numbers. */
static uint32_t move(const uint8_t *bytes)
{
	return (load16(bytes) ^ 0x8000u) - 0x8000u;
}

static void give(struct run *run, const uint8_t *record, uint64_t number, int64_t *time_ns)
{
	static const uint8_t addresses[] = { 10, 0, 0, 2, 10, 0, 0, 1, 10, 0, 0, 2 };
	bool from_b = record[0] & FROM_B;
	uint32_t shift = record[4] & 16 ? 15 : 0, length = load16(record + 7) % 3000;
	uint32_t sequence = run->sent[from_b] + (move(record + 2) << shift);
	uint32_t acknowledged = run->sent[!from_b] + move(record + 5);
	uint32_t captured = record[9] & 0x80 ? length * (record[9] & 0x7fu) / 0x80 : length;
	uint32_t at = sequence + (record[0] & RTAP_TCP_FLAG_SYN ? 1u : 0u);
	uint8_t *data = make_data(run, record[0], at, captured);
	struct rtap_frame frame = { .number = number, .time_ns = *time_ns += record[1] * INT64_C(5000000), .capture_point = record[4] & 1 };
	struct rtap_packet packet = {
		.frame = &frame,
		.sources = { { data, captured, length } },
		.source_count = 1,
		.layer_count = 1,
		.layers = { { .protocol = PROTOCOL_TCP } },
		.source_address = addresses + (from_b ? 0 : 4),
		.destination_address = addresses + (from_b ? 4 : 8),
		.address_length = 4,
		.source_port = from_b ? 2049 : 700,
		.destination_port = from_b ? 700 : 2049,
		.tcp = {
			.present = true, .flags = record[0] & 0x1f, .sequence = sequence, .acknowledgment = acknowledged,
			.window = record[4] & 2, .payload = { 0, 0, captured, length },
			.sack_count = record[4] >> 2 & 3,
			.sack = { { acknowledged + record[1], acknowledged + 100 }, { acknowledged - 9, acknowledged + 999 }, { 7, 3 } },
		},
	};
	struct tcp_segment_facts facts;

	if (record[0] & OTHERS_NEED && budget_take(&run->budget, &run->other, LIMIT / 2))
		REQUIRE(run->other.bytes >= LIMIT / 2);
	tcp_stream_segment(&run->streams, &packet, &facts);
	REQUIRE(run->budget.used <= LIMIT);
	REQUIRE(facts.analysis < RTAP_TCP_ANALYSIS_COUNT);
	REQUIRE(!packet.anomaly_count);
	if (facts.differs)
		tcp_stream_note_difference(&packet);
	REQUIRE(packet.anomaly_count == facts.differs);
	if (!(record[4] & 32))
		run->sent[from_b] = at + length;
	free(data);
}

size_t input_part(const uint8_t *data, size_t size, size_t at)
{
	(void)data;
	(void)size;
	(void)at;
	return RECORD_LENGTH;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run run = { .sent = { 1000, 0xfffff000 } };
	const struct tcp_stream_user user = {
		.owner = &run, .begin = on_begin, .life = on_life, .bytes = on_bytes, .hole = on_hole, .end = on_end,
	};
	int64_t time_ns = 0;

	budget_init(&run.budget, LIMIT);
	run.other = (struct budget_entry){ .evict = evict_other, .owner = &run };
	tcp_streams_init(&run.streams, &run.budget, &user);
	for (size_t i = 0; i < MOST_RECORDS && (i + 1) * RECORD_LENGTH <= size; i++)
		give(&run, data + i * RECORD_LENGTH, i + 1, &time_ns);
	tcp_streams_flush(&run.streams);
	tcp_streams_fini(&run.streams);
	budget_give(&run.budget, &run.other, run.other.bytes);
	REQUIRE(!run.open && !run.budget.used);
	return 0;
}
