/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The chunk lists of RPC-over-RDMA headers (RFC 8166, 3.4 and 4.3), written here word by word, and the memory that they name.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/tracker.h>

#include "reassembly/connection_lifecycle.h"
#include "reassembly/state.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/rpc_chunks.h"

#define MSG 0  /* RFC 8166, 4.2.4: rdma_proc */
#define NOMSG 1
#define MSGP 2
#define DONE 3
#define FIXED 16 /* bytes of xid, version, credits and procedure */
#define MOST_WORDS 400
#define MOST_SEGMENTS 24

/* A header being written. */
struct header {
	uint8_t bytes[4 * MOST_WORDS];
	uint32_t length;
};

static void put(struct header *header, uint32_t word)
{
	cr_assert_lt(header->length, sizeof header->bytes);
	for (unsigned i = 0; i < 4; i++)
		header->bytes[header->length++] = (uint8_t)(word >> (24 - 8 * i));
}

static void begin(struct header *header, uint32_t procedure)
{
	header->length = 0;
	put(header, 0x11223344);
	put(header, 1);
	put(header, 32);
	put(header, procedure);
}

static void put_segment(struct header *header, uint32_t handle, uint32_t length, uint64_t offset)
{
	put(header, handle);
	put(header, length);
	put(header, (uint32_t)(offset >> 32));
	put(header, (uint32_t)offset);
}

static void put_read(struct header *header, uint32_t position, uint32_t handle, uint32_t length, uint64_t offset)
{
	put(header, 1);
	put(header, position);
	put_segment(header, handle, length, offset);
}

static struct rpc_chunks lists;

static void empty(void)
{
	rpc_chunks_fini(&lists);
}

TestSuite(rpc_chunks, .fini = empty, .timeout = HANG_SECONDS);

/* From a copy of exactly its size, so that a read beyond it is found by sanitizers and valgrind. */
static bool read_part(const struct header *header, uint32_t length, bool is_cut)
{
	uint8_t *copy = malloc(length ? length : 1);
	bool good;

	cr_assert_not_null(copy);
	memcpy(copy, header->bytes, length);
	good = rpc_chunks_read(&lists, copy, length, is_cut);
	free(copy);
	return good;
}

static void expect_empty(void)
{
	cr_expect_eq(lists.count, 0);
	cr_expect_eq(lists.read_chunks, 0);
	cr_expect_eq(lists.write_chunks, 0);
	cr_expect_not(lists.reply_chunk);
}

Test(rpc_chunks, a_header_without_chunks_is_28_bytes)
{
	struct header header;

	begin(&header, MSG);
	for (unsigned list = 0; list < 3; list++)
		put(&header, 0);
	put(&header, 0xffffffff); /* of the RPC message */
	cr_assert(read_part(&header, header.length, false));
	expect_empty();
	cr_expect_eq(lists.header_length, 28);
}

/* A READ of NFS with two read chunks, of which one is in two segments, two write chunks and a reply chunk. */
static void write_all_lists(struct header *header)
{
	begin(header, NOMSG);
	put_read(header, 0, 0xa0, 100, 0x1000);
	put_read(header, 140, 0xa1, 200, 0x2000);
	put_read(header, 140, 0xa2, 300, 0x100003000);
	put(header, 0);
	put(header, 1);
	put(header, 2);
	put_segment(header, 0xb0, 4096, 0x4000);
	put_segment(header, 0xb1, 10, 0x5000);
	put(header, 1);
	put(header, 1);
	put_segment(header, 0xb2, 77, 0x6000);
	put(header, 0);
	put(header, 1);
	put(header, 1);
	put_segment(header, 0xc0, 2048, UINT64_C(0xfffffffffffff000));
}

static const struct {
	enum chunk_list list;
	uint32_t chunk, r_key, length, end; /* bytes of the header up to the end of this segment */
	uint64_t offset;
} all_segments[] = {
	{ CHUNK_READ, 0, 0xa0, 100, 40, 0x1000 },
	{ CHUNK_READ, 140, 0xa1, 200, 64, 0x2000 },
	{ CHUNK_READ, 140, 0xa2, 300, 88, 0x100003000 },
	{ CHUNK_WRITE, 0, 0xb0, 4096, 116, 0x4000 },
	{ CHUNK_WRITE, 0, 0xb1, 10, 132, 0x5000 },
	{ CHUNK_WRITE, 1, 0xb2, 77, 156, 0x6000 },
	{ CHUNK_REPLY, 0, 0xc0, 2048, 184, UINT64_C(0xfffffffffffff000) },
};

#define ALL_COUNT (sizeof all_segments / sizeof all_segments[0])

static void expect_first_segments(uint32_t count, uint32_t cut_at)
{
	cr_assert_eq(lists.count, count, "%u of %u segments in %u bytes", lists.count, count, cut_at);
	for (uint32_t i = 0; i < count; i++) {
		const struct chunk_segment *segment = &lists.segments[i];

		cr_expect_eq(segment->list, all_segments[i].list);
		cr_expect_eq(segment->chunk, all_segments[i].chunk);
		cr_expect_eq(segment->r_key, all_segments[i].r_key);
		cr_expect_eq(segment->length, all_segments[i].length);
		cr_expect_eq(segment->offset, all_segments[i].offset);
		cr_expect_eq(segment->number, i);
	}
}

Test(rpc_chunks, all_three_lists_are_read)
{
	struct header header;

	write_all_lists(&header);
	cr_assert(read_part(&header, header.length, false));
	expect_first_segments(ALL_COUNT, header.length);
	cr_expect_eq(lists.read_chunks, 2);
	cr_expect_eq(lists.write_chunks, 2);
	cr_expect(lists.reply_chunk);
	cr_expect_eq(lists.header_length, header.length);
	/* A chunk at position 0 is the message itself, and a reply chunk is the reply: neither is data. RFC 8166, 3.5.3 */
	cr_expect_eq(rpc_chunks_data(&lists), 200 + 300 + 4096 + 10 + 77);
	cr_expect_eq(rpc_chunks_length(&lists, CHUNK_READ, 0), 100);
	cr_expect_eq(rpc_chunks_length(&lists, CHUNK_READ, 140), 500);
	cr_expect_eq(rpc_chunks_length(&lists, CHUNK_READ, 141), 0);
	cr_expect_eq(rpc_chunks_length(&lists, CHUNK_WRITE, 0), 4106);
	cr_expect_eq(rpc_chunks_length(&lists, CHUNK_WRITE, 1), 77);
	cr_expect_eq(rpc_chunks_length(&lists, CHUNK_WRITE, 2), 0);
	cr_expect_eq(rpc_chunks_length(&lists, CHUNK_REPLY, 0), 2048);
}

Test(rpc_chunks, a_truncated_header_gives_its_whole_segments_and_an_inconsistent_one_nothing)
{
	struct header header;

	write_all_lists(&header);
	for (uint32_t length = 0; length < header.length; length++) {
		uint32_t whole = 0;

		cr_expect_not(read_part(&header, length, false), "%u bytes", length);
		expect_empty();
		cr_expect_not(read_part(&header, length, true), "%u bytes", length);
		while (whole < ALL_COUNT && all_segments[whole].end <= length)
			whole++;
		expect_first_segments(whole, length);
		rpc_chunks_empty(&lists);
	}
}

Test(rpc_chunks, segments_of_one_position_need_not_be_adjacent)
{
	static const uint32_t positions[] = { 200, 0, 200, 64, 0, 200 }, sorted[] = { 1, 4, 3, 0, 2, 5 };
	struct header header;

	begin(&header, MSG);
	for (uint32_t i = 0; i < 6; i++)
		put_read(&header, positions[i], 0xa0 + i, 10 + i, 0x1000 * (i + 1));
	for (unsigned list = 0; list < 3; list++)
		put(&header, 0);
	cr_assert(read_part(&header, header.length, false));
	cr_assert_eq(lists.count, 6);
	cr_expect_eq(lists.read_chunks, 3);
	for (uint32_t i = 0; i < 6; i++) {
		cr_expect_eq(lists.segments[i].r_key, 0xa0 + sorted[i]);
		cr_expect_eq(lists.segments[i].chunk, positions[sorted[i]]);
		cr_expect_eq(lists.segments[i].number, sorted[i]);
	}
	cr_expect_eq(rpc_chunks_length(&lists, CHUNK_READ, 200), 10 + 12 + 15);
	cr_expect_eq(rpc_chunks_data(&lists), 10 + 12 + 13 + 15);
}

struct refused_case {
	char what[48]; /* no pointer: each case runs in a process of its own */
	uint32_t words[16];
	uint32_t count; /* of words after the fixed part */
	uint32_t procedure;
	bool is_good;
};

ParameterizedTestParameters(rpc_chunks, inconsistent_lists_are_refused)
{
	static struct refused_case cases[] = {
		{ "no lists", { 0, 0, 0 }, 3, MSG, true },
		{ "no message, no lists", { 0, 0, 0 }, 3, NOMSG, true },
		{ "padding: alignment and threshold first", { 4, 64, 0, 0, 0 }, 5, MSGP, true },
		{ "padding without lists", { 4, 64 }, 2, MSGP, false },
		{ "padding, cut in its second word", { 4 }, 1, MSGP, false },
		{ "the old end of a connection", { 0, 0, 0 }, 3, DONE, false },
		{ "an error", { 0, 0, 0 }, 3, 4, false },
		{ "an unknown procedure", { 0, 0, 0 }, 3, UINT32_MAX, false },
		{ "a write chunk without segments", { 0, 1, 0, 0, 0 }, 5, MSG, true },
		{ "a reply chunk without segments", { 0, 0, 1, 0 }, 4, MSG, true },
		{ "more segments than bytes", { 0, 1, 2, 5, 5, 5, 5, 0, 0 }, 9, MSG, false },
		{ "as many segments as there can be", { 0, 1, UINT32_MAX, 5, 5, 5, 5, 0, 0 }, 9, MSG, false },
		{ "a count whose bytes wrap", { 0, 1, 0x10000000, 5, 5, 5, 5, 0, 0 }, 9, MSG, false },
		{ "a reply chunk of two segments with one", { 0, 0, 1, 2, 5, 5, 5, 5 }, 8, MSG, false },
		{ "no word after the read list", { 0 }, 1, MSG, false },
		{ "no word after the write list", { 0, 0 }, 2, MSG, false },
		{ "half a read segment", { 1, 0, 5, 5 }, 4, MSG, false },
	};

	return cr_make_param_array(struct refused_case, cases, sizeof cases / sizeof cases[0]);
}

ParameterizedTest(struct refused_case *one, rpc_chunks, inconsistent_lists_are_refused)
{
	struct header header;

	begin(&header, one->procedure);
	for (uint32_t i = 0; i < one->count; i++)
		put(&header, one->words[i]);
	cr_expect_eq(read_part(&header, header.length, false), one->is_good, "%s", one->what);
	cr_expect_eq(lists.count, 0, "%s", one->what);
	if (one->is_good)
		cr_expect_eq(lists.header_length, header.length, "%s", one->what);
	else
		expect_empty();
	rpc_chunks_fini(&lists);
}

Test(rpc_chunks, a_list_that_no_receive_buffer_can_hold_is_refused)
{
	for (uint32_t count = CHUNK_MAX_SEGMENTS; count <= CHUNK_MAX_SEGMENTS + 1; count++) {
		uint32_t length = FIXED + 24 * count + 12;
		uint8_t *bytes = calloc(1, length);

		cr_assert_not_null(bytes);
		bytes[7] = 1;
		for (uint32_t i = 0; i < count; i++)
			bytes[FIXED + 24 * i + 3] = 1;
		cr_expect_eq(rpc_chunks_read(&lists, bytes, length, false), count == CHUNK_MAX_SEGMENTS);
		cr_expect_eq(lists.count, count == CHUNK_MAX_SEGMENTS ? count : 0);
		free(bytes);
		rpc_chunks_empty(&lists);
		/* The memory of this many chunks is not kept for the next call. */
		cr_expect_eq(rpc_chunks_memory(&lists), 0);
	}
}

/* A description of lists, apart from their header. */
struct described {
	uint32_t count;
	struct {
		enum chunk_list list;
		uint32_t chunk, length;
	} segments[MOST_SEGMENTS];
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void describe(struct described *described, enum chunk_list list, uint32_t chunk, uint32_t length)
{
	cr_assert_lt(described->count, MOST_SEGMENTS);
	described->segments[described->count].list = list;
	described->segments[described->count].chunk = chunk;
	described->segments[described->count++].length = length;
}

static void put_array(struct described *described, struct header *header, enum chunk_list list, uint32_t chunk, uint32_t count, uint32_t *state)
{
	put(header, count);
	while (count--) {
		uint32_t length = next_random(state) % 5000;

		describe(described, list, chunk, length);
		put_segment(header, count, length, (uint64_t)count << 16);
	}
}

static void make(struct described *described, struct header *header, uint32_t *state)
{
	uint32_t reads = next_random(state) % 6, writes = next_random(state) % 4;

	begin(header, MSG);
	described->count = 0;
	for (uint32_t i = 0; i < reads; i++) {
		uint32_t position = 8 * (next_random(state) % 3), length = next_random(state) % 5000;

		describe(described, CHUNK_READ, position, length);
		put_read(header, position, i, length, (uint64_t)i << 32);
	}
	put(header, 0);
	for (uint32_t i = 0; i < writes; i++) {
		put(header, 1);
		put_array(described, header, CHUNK_WRITE, i, next_random(state) % 4, state);
	}
	put(header, 0);
	put(header, writes & 1);
	if (writes & 1)
		put_array(described, header, CHUNK_REPLY, 0, next_random(state) % 4, state);
}

Test(rpc_chunks, chunks_of_any_lists_are_found_with_their_lengths)
{
	uint32_t state = 1;

	for (unsigned round = 0; round < 2000; round++) {
		struct described described;
		struct header header;
		uint64_t data = 0;

		make(&described, &header, &state);
		cr_assert(read_part(&header, header.length, false), "round %u", round);
		cr_assert_eq(lists.count, described.count, "round %u", round);
		for (uint32_t i = 0; i < described.count; i++) {
			uint64_t length = 0;

			for (uint32_t j = 0; j < described.count; j++)
				if (described.segments[j].list == described.segments[i].list && described.segments[j].chunk == described.segments[i].chunk)
					length += described.segments[j].length;
			cr_assert_eq(rpc_chunks_length(&lists, described.segments[i].list, described.segments[i].chunk), length, "round %u", round);
			if (described.segments[i].list == CHUNK_WRITE || (described.segments[i].list == CHUNK_READ && described.segments[i].chunk))
				data += described.segments[i].length;
		}
		cr_assert_eq(rpc_chunks_data(&lists), data, "round %u", round);
		rpc_chunks_empty(&lists);
	}
}

static struct rtap_tracker *tracker;
static struct request call;

static void begin_call(void)
{
	struct connection *connection;

	cr_assert_eq(rtap_tracker_open(&tracker, &(struct rtap_tracker_options){ .size = sizeof(struct rtap_tracker_options) }, NULL), RTAP_STATUS_OK);
	connection = connection_create(tracker, 1, 0);
	cr_assert_not_null(connection);
	call = (struct request){ 0 };
	request_begin(tracker, &call, connection, true);
}

static void end_call(void)
{
	request_end(tracker, &call);
	region_free_room(&call);
	rtap_tracker_close(tracker);
	empty();
}

TestSuite(rpc_chunk_memory, .init = begin_call, .fini = end_call, .timeout = HANG_SECONDS);

struct reply_case {
	enum chunk_list list;
	uint32_t r_key, length;
	uint64_t offset;
	uint64_t begin; /* of the region that it is in; 0: none */
};

Test(rpc_chunk_memory, a_reply_refers_to_memory_that_its_call_named_in_the_same_list)
{
	static const struct reply_case cases[] = {
		{ CHUNK_WRITE, 0xb0, 4096, 0x4000, 0x4000 },
		{ CHUNK_WRITE, 0xb0, 1, 0x4fff, 0x4000 },
		{ CHUNK_WRITE, 0xb0, 0, 0x4000, 0x4000 },
		{ CHUNK_WRITE, 0xb0, 2, 0x4fff, 0 },
		{ CHUNK_WRITE, 0xb0, 1, 0x3fff, 0 },
		{ CHUNK_WRITE, 0xb1, 1, 0x4000, 0 },
		{ CHUNK_WRITE, 0xb0, UINT32_MAX, 0x4000, 0 },
		{ CHUNK_REPLY, 0xb0, 1, 0x4000, 0 },
		{ CHUNK_READ, 0xb0, 1, 0x4000, 0 },
		{ CHUNK_READ, 0xa0, 100, 0x1000, 0x1000 },
		{ CHUNK_WRITE, 0xa0, 100, 0x1000, 0 },
		{ CHUNK_WRITE, 0xb1, 10, 0x5000, 0x5000 },
		{ CHUNK_REPLY, 0xc0, 2048, UINT64_C(0xfffffffffffff000), UINT64_C(0xfffffffffffff000) },
		{ CHUNK_REPLY, 0xc0, 4096, UINT64_C(0xfffffffffffff000), 0 },
	};
	struct header header;

	write_all_lists(&header);
	cr_assert(read_part(&header, header.length, false));
	cr_assert(rpc_chunks_announce(tracker, &lists, &call));
	cr_expect_eq(call.region_count, ALL_COUNT);
	cr_expect_eq(call.read_length, 600);
	for (uint32_t i = 0; i < ALL_COUNT; i++) {
		const struct region *region = rpc_chunks_region_of(&call, &lists.segments[i]);

		cr_assert_not_null(region);
		cr_expect_eq(region->begin, all_segments[i].offset);
		cr_expect_eq(region->end, all_segments[i].offset + all_segments[i].length);
		cr_expect_eq(region->key, all_segments[i].r_key);
		cr_expect_eq(region->is_read, all_segments[i].list == CHUNK_READ);
	}
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct reply_case *one = &cases[i];
		struct chunk_segment segment = { .list = (uint8_t)one->list, .r_key = one->r_key, .length = one->length, .offset = one->offset };
		const struct region *region = rpc_chunks_region_of(&call, &segment);

		cr_expect_eq(region ? region->begin : 0, one->begin, "case %u", i);
	}
}

Test(rpc_chunk_memory, memory_ends_where_the_address_space_does)
{
	const struct region *region;
	struct header header;

	begin(&header, MSG);
	put_read(&header, 8, 0xa0, 4096, UINT64_C(0xffffffffffffff00));
	for (unsigned list = 0; list < 3; list++)
		put(&header, 0);
	cr_assert(read_part(&header, header.length, false));
	cr_assert(rpc_chunks_announce(tracker, &lists, &call));
	region = rpc_chunks_region_of(&call, &lists.segments[0]);
	cr_assert_not_null(region);
	cr_expect_eq(region->begin, UINT64_C(0xffffffffffffff00));
	cr_expect_eq(region->end, UINT64_MAX);
}

Test(rpc_chunk_memory, segments_of_one_key_that_overlap_share_a_region)
{
	const struct region *region;
	struct header header;

	begin(&header, MSG);
	put_read(&header, 8, 0xa0, 100, 0x1000);
	put_read(&header, 200, 0xa0, 100, 0x1032);
	put_read(&header, 300, 0xa0, 50, 0x3000);
	for (unsigned list = 0; list < 3; list++)
		put(&header, 0);
	cr_assert(read_part(&header, header.length, false));
	cr_assert(rpc_chunks_announce(tracker, &lists, &call));
	cr_expect_eq(call.region_count, 2);
	region = rpc_chunks_region_of(&call, &lists.segments[0]);
	cr_assert_not_null(region);
	cr_expect_eq(region, rpc_chunks_region_of(&call, &lists.segments[1]));
	cr_expect_neq(region, rpc_chunks_region_of(&call, &lists.segments[2]));
	cr_expect_eq(region->begin, 0x1000);
	cr_expect_eq(region->end, 0x1096);
	cr_expect_eq(call.read_length, 250);
}

/* A message of 300 bytes in a chunk at position zero, of two segments with a key each, and 20 bytes before it. */
static bool gather(uint64_t missing_at, bool has_bytes, struct coverage *whole)
{
	static uint8_t message[300];
	struct header header;
	uint64_t fresh;

	for (unsigned i = 0; i < sizeof message; i++)
		message[i] = (uint8_t)(i * 7 + 1);
	begin(&header, NOMSG);
	put_read(&header, 0, 0xa0, 100, 0x1000);
	put_read(&header, 0, 0xa1, 200, 0x8000);
	for (unsigned list = 0; list < 3; list++)
		put(&header, 0);
	cr_assert(read_part(&header, header.length, false));
	cr_assert(rpc_chunks_announce(tracker, &lists, &call));
	for (uint32_t i = 0, at = 0; i < lists.count; at += lists.segments[i++].length)
		for (uint32_t from = 0; from < lists.segments[i].length; from++)
			if (at + from != missing_at)
				cr_assert(coverage_add(&rpc_chunks_region_of(&call, &lists.segments[i])->data, from, message + at + from, 1, 0,
						       has_bytes ? COVERAGE_BYTES : COVERAGE_ONLY, &fresh));
	cr_assert(coverage_add(whole, 0, message, 20, 0, COVERAGE_BYTES, &fresh));
	return rpc_chunks_gather(&lists, &call, CHUNK_READ, 20, whole) && !memcmp(whole->bytes + 20, message, sizeof message);
}

struct gather_case {
	uint64_t missing_at;
	bool has_bytes, is_whole;
};

Test(rpc_chunk_memory, a_message_in_chunks_is_gathered_if_all_its_bytes_are_there)
{
	static const struct gather_case cases[] = {
		{ UINT64_MAX, true, true }, { 0, true, false }, { 50, true, false }, { 99, true, false }, { 100, true, false }, { 299, true, false },
		{ UINT64_MAX, false, false },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct coverage whole = { 0 };

		cr_expect_eq(gather(cases[i].missing_at, cases[i].has_bytes, &whole), cases[i].is_whole, "case %u", i);
		coverage_fini(&whole);
		end_call();
		begin_call();
	}
}

/* RFC 8166, 3.4.6: an empty write chunk. The lists then have no array of segments; clang's sanitizer sees arithmetic on it. */
Test(rpc_chunk_memory, a_chunk_without_segments_is_an_empty_stream)
{
	struct xdr_extent borrowed[RPC_STREAM_BORROWED_EXTENTS];
	struct rpc_stream stream = RPC_STREAM_BORROWED(borrowed);
	struct header header;

	begin(&header, 0);
	put(&header, 0); /* no read chunks */
	put(&header, 1);
	put(&header, 0); /* a write chunk of no segments */
	put(&header, 0);
	put(&header, 0); /* no reply chunk */
	cr_assert(read_part(&header, header.length, false));
	cr_expect_eq(lists.write_chunks, 1);
	rpc_stream_add_chunk(&stream, &lists, &call, CHUNK_WRITE, 0);
	cr_expect_not(stream.failed);
	cr_expect_eq(stream.count, 0);
	rpc_stream_fini(&stream);
}
