/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC exchanges written as RPC over TCP, read back by our own reader and, where it is there, by tshark.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "dissect/engine/cursor.h"
#include "output/export/export_tcp.h"
#include "tests/capture_kit.h"

#define PIECES 3

/* A call or reply made of words, then pieces of data, holes and padding. */
struct said {
	uint32_t words[24];
	uint32_t count;
	struct {
		uint8_t kind;
		uint32_t length;
	} pieces[PIECES];
	int64_t time_ns;
	bool unfinished;   /* reported as incomplete though no extent is missing */
};

struct talk {
	const char *what;
	uint64_t stream;
	enum rpc_carrier carrier;
	bool reverse;
	uint8_t address_length; /* of both ends */
	uint16_t client_port, server_port;
	struct said call, reply; /* without words: not present */
};

#define NFS3_READ(xid) { xid, 0, 2, 100003, 3, 6, 0, 0, 0, 0, 8, 0x01020304, 0x05060708, 0, 4096, 0xffff }, 16
#define NFS3_WRITE(xid, length) { xid, 0, 2, 100003, 3, 7, 0, 0, 0, 0, 8, 0x01020304, 0x05060708, 0, 4096, length, 2, length }, 18
#define READ_REPLY(xid, length) { xid, 1, 0, 0, 0, 0, 0, 0, length, 0, length }, 11
#define WRITE_REPLY(xid, length) { xid, 1, 0, 0, 0, 0, 0, 0, 0, length, 2, 7, 7 }, 13
#define CALL(xid, program, version, procedure) { xid, 0, 2, program, version, procedure, 0, 0, 0, 0 }, 10
#define DONE(xid) { xid, 1, 0, 0, 0, 0 }, 6
#define NONE { .count = 0 }
#define MS(n) (INT64_C(1700000000000000000) + (n) * 1000000)

static const struct talk talks[] = {
	{ "inline", 1, RPC_OVER_RDMA, false, 4, 0, 20049, { CALL(0x10, 100003, 3, 0), .time_ns = MS(1) }, { DONE(0x10), .time_ns = MS(2) } },
	{ "a chunk longer than two segments", 1, RPC_OVER_RDMA, false, 4, 0, 20049, { NFS3_READ(0x11), .time_ns = MS(3) },
	  { READ_REPLY(0x11, 150001), { { XDR_BYTES, 100000 }, { XDR_BYTES, 50001 }, { XDR_BYTES, 3 } }, .time_ns = MS(9) } },
	{ "asked before that and reported after it", 1, RPC_OVER_RDMA, false, 4, 0, 20049,
	  { NFS3_WRITE(0x12, 65000), { { XDR_BYTES, 65000 } }, .time_ns = MS(4) }, { WRITE_REPLY(0x12, 65000), .time_ns = MS(10) } },
	{ "a call to who set the connection up", 1, RPC_OVER_RDMA, true, 4, 0, 0, { CALL(0x13, 0x40000000, 1, 0), .time_ns = MS(11) },
	  { DONE(0x13), .time_ns = MS(12) } },
	{ "a reply with a hole", 2, RPC_OVER_RDMA, false, 16, 0, 0, { NFS3_READ(0x20), .time_ns = MS(13) },
	  { READ_REPLY(0x20, 3000), { { XDR_BYTES, 1000 }, { XDR_HOLE, 1000 }, { XDR_BYTES, 1000 } }, .time_ns = MS(14) } },
	{ "after it", 2, RPC_OVER_RDMA, false, 16, 0, 0, { NFS3_READ(0x21), .time_ns = MS(15) },
	  { READ_REPLY(0x21, 1), { { XDR_BYTES, 1 }, { XDR_BYTES, 3 } }, .time_ns = MS(16) } },
	{ "bytes that were not kept", 2, RPC_OVER_RDMA, false, 16, 0, 0, { NFS3_WRITE(0x22, 4), { { XDR_ELSEWHERE, 4 } }, .time_ns = MS(17) },
	  { WRITE_REPLY(0x22, 4), .time_ns = MS(18) } },
	{ "an end that is not known", 2, RPC_OVER_RDMA, false, 16, 0, 0,
	  { CALL(0x23, 100003, 3, 0), .time_ns = MS(19), .unfinished = true }, NONE },
	{ "LIDs", 3, RPC_OVER_RDMA, false, 2, 0, 0, { CALL(0x30, 100003, 4, 0), .time_ns = MS(20) }, { DONE(0x30), .time_ns = MS(21) } },
	{ "MOUNT over UDP", 4, RPC_OVER_UDP, false, 4, 800, 20048, { CALL(0x40, 100005, 3, 0), .time_ns = MS(22) },
	  { DONE(0x40), .time_ns = MS(23) } },
	{ "NFS over TCP on another port", 5, RPC_OVER_TCP, false, 16, 801, 12049, { CALL(0x50, 100003, 3, 0), .time_ns = MS(24) },
	  { DONE(0x50), .time_ns = MS(25) } },
	{ "nobody's address", 6, RPC_OVER_RDMA, false, 0, 0, 0, { CALL(0x60, 100003, 3, 0), .time_ns = MS(26) },
	  { DONE(0x60), .time_ns = MS(27) } },
};

#define TALKS (sizeof talks / sizeof talks[0])

/* A part in memory. */
struct built {
	struct xdr_extent extents[1 + PIECES];
	uint8_t *bytes;
};

/* The data counts up by seven, and its holes are to be zeros; padding is a piece of three bytes. */
static void build(const struct said *said, struct rpc_part *part, struct built *built)
{
	uint32_t length = said->count * 4, at;

	memset(part, 0, sizeof *part);
	built->bytes = calloc(1, 200000);
	for (uint32_t i = 0; i < length; i++)
		built->bytes[i] = (uint8_t)(said->words[i / 4] >> (24 - i % 4 * 8));
	built->extents[0] = (struct xdr_extent){ XDR_BYTES, built->bytes, 0, length };
	at = length;
	part->extent_count = 1;
	part->present = said->count;
	part->complete = part->is_laid_out = !said->unfinished;
	for (int i = 0; i < PIECES && said->pieces[i].length; i++) {
		uint32_t piece = said->pieces[i].length;
		bool is_there = said->pieces[i].kind == XDR_BYTES;

		for (uint32_t j = 0; is_there && piece != 3 && j < piece; j++)
			built->bytes[at + j] = (uint8_t)(7 * (at + j));
		built->extents[part->extent_count++] = (struct xdr_extent){ said->pieces[i].kind, is_there ? built->bytes + at : NULL, 0, piece };
		part->complete &= is_there;
		at += piece;
	}
	part->extents = built->extents;
	part->length = at;
	part->time_ns = part->time_end_ns = said->time_ns;
	part->facts = (struct rtap_rpc_facts){ .present = said->count, .is_reply = said->words[1], .xid = said->words[0] };
}

static void set_end(struct rtap_end *end, uint8_t address_length, uint8_t last)
{
	*end = (struct rtap_end){ .address_length = address_length };
	if (address_length == 4)
		memcpy(end->address, (const uint8_t[]){ 192, 0, 2, last }, 4);
	else if (address_length == 16)
		memcpy(end->address, (const uint8_t[]){ 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0xff, 0xfe, 0, 0, last }, 16);
	else if (address_length)
		memcpy(end->address, (const uint8_t[]){ 0, last }, 2);
}

struct built_talk {
	struct rpc_exchange exchange;
	struct built call, reply;
};

static void build_talk(const struct talk *talk, struct built_talk *built)
{
	struct rpc_exchange *exchange = &built->exchange;

	*exchange = (struct rpc_exchange){ .carrier = talk->carrier, .stream = talk->stream, .reverse = talk->reverse,
					   .client_port = talk->client_port, .server_port = talk->server_port, .xid = talk->call.words[0] };
	set_end(&exchange->client, talk->address_length, talk->reverse ? 2 : 1);
	set_end(&exchange->server, talk->address_length, talk->reverse ? 1 : 2);
	build(&talk->call, &exchange->call, &built->call);
	build(&talk->reply, &exchange->reply, &built->reply);
	exchange->call.from_a = !talk->reverse;
	exchange->reply.from_a = talk->reverse;
	exchange->call.facts.program_known = exchange->reply.facts.program_known = true;
	exchange->call.facts.program = exchange->reply.facts.program = talk->call.words[3];
}

static void free_talk(struct built_talk *built)
{
	free(built->call.bytes);
	free(built->reply.bytes);
}

/* The path of a test's file; removed by the test that created it. */
static void name_file(char name[64], const char *suffix)
{
	snprintf(name, 64, "/tmp/rdmatap-export-%ld%s", (long)getpid(), suffix);
}

/* Writes all talks, in the order of the ends of their exchanges. */
static struct export_tcp_counters write_all(const char *name, bool fill_holes, uint64_t memory)
{
	struct export_tcp *export;
	struct export_tcp_counters counters;
	struct rtap_error error = { .text = "" };

	cr_assert_eq(export_tcp_open(&export, name, fill_holes, memory, &error), RTAP_STATUS_OK, "%s", error.text);
	for (size_t i = 0; i < TALKS; i++) {
		struct built_talk built;

		build_talk(&talks[i], &built);
		cr_assert_eq(export_tcp_exchange(export, &built.exchange, &error), RTAP_STATUS_OK, "%s: %s", talks[i].what, error.text);
		free_talk(&built);
	}
	cr_assert_eq(export_tcp_close(export, &counters, &error), RTAP_STATUS_OK, "%s", error.text);
	return counters;
}

/* Data of one direction of a connection, read back. */
struct direction {
	uint8_t source[16], destination[16];
	uint8_t address_length;
	uint16_t source_port, destination_port;
	uint8_t *bytes;
	uint32_t length, first, next;
	bool begun, finished;
	uint32_t acknowledged;
	int64_t last_ns;
};

#define MOST_DIRECTIONS 16

struct readback {
	struct direction directions[MOST_DIRECTIONS];
	unsigned count;
	int64_t last_ns;
};

static uint32_t sum_of(const uint8_t *bytes, uint32_t length)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < length; i++)
		sum += (uint32_t)bytes[i] << (i % 2 ? 0 : 8);
	return sum;
}

static uint32_t folded(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static struct direction *find_direction(struct readback *readback, const struct direction *wanted, bool backwards)
{
	for (unsigned i = 0; i < readback->count; i++) {
		struct direction *found = &readback->directions[i];

		if (found->source_port == (backwards ? wanted->destination_port : wanted->source_port) &&
		    found->destination_port == (backwards ? wanted->source_port : wanted->destination_port) &&
		    found->address_length == wanted->address_length &&
		    !memcmp(found->source, backwards ? wanted->destination : wanted->source, 16) &&
		    !memcmp(found->destination, backwards ? wanted->source : wanted->destination, 16))
			return found;
	}
	return NULL;
}

/* Checks the network header. Returns the TCP segment. */
static const uint8_t *read_network(const struct rtap_frame *frame, struct direction *key, uint32_t *length)
{
	const uint8_t *ip = frame->bytes + 14;
	uint32_t pseudo;

	memset(key, 0, sizeof *key);
	cr_assert_eq(frame->link_type, RTAP_LINK_ETHERNET);
	cr_assert_eq(frame->captured_length, frame->wire_length);
	if (load16(frame->bytes + 12) == 0x0800) {
		key->address_length = 4;
		memcpy(key->source, ip + 12, 4);
		memcpy(key->destination, ip + 16, 4);
		cr_assert_eq(folded(sum_of(ip, 20)), 0xffff, "the header's checksum");
		*length = load16(ip + 2) - 20u;
		ip += 20;
	} else {
		cr_assert_eq(load16(frame->bytes + 12), 0x86dd);
		key->address_length = 16;
		memcpy(key->source, ip + 8, 16);
		memcpy(key->destination, ip + 24, 16);
		*length = load16(ip + 4);
		ip += 40;
	}
	cr_assert_eq(frame->wire_length, ip + *length - frame->bytes);
	pseudo = sum_of(key->source, 16) + sum_of(key->destination, 16) + 6 + *length;
	cr_assert_eq(folded(pseudo + sum_of(ip, *length)), 0xffff, "frame %llu: TCP's checksum", (unsigned long long)frame->number);
	key->source_port = load16(ip);
	key->destination_port = load16(ip + 2);
	return ip;
}

static void read_segment(struct readback *readback, const struct rtap_frame *frame)
{
	struct direction key, *direction, *other;
	uint32_t length, header, sequence;
	const uint8_t *tcp = read_network(frame, &key, &length);

	cr_assert_geq(frame->time_ns, readback->last_ns);
	readback->last_ns = frame->time_ns;
	header = (uint32_t)tcp[12] / 16 * 4;
	sequence = load32(tcp + 4);
	direction = find_direction(readback, &key, false);
	if (!direction) {
		cr_assert(tcp[13] & 2, "a connection begins with SYN");
		cr_assert_lt(readback->count, MOST_DIRECTIONS);
		direction = &readback->directions[readback->count++];
		*direction = key;
		direction->next = sequence;
	}
	other = find_direction(readback, &key, true);
	cr_assert_eq(sequence, direction->next, "frame %llu", (unsigned long long)frame->number);
	cr_assert(!direction->finished || length == header);
	cr_assert_leq(length - header, 65000);
	if (tcp[13] & 0x10) {
		cr_assert(other);
		cr_assert_eq(load32(tcp + 8), other->next, "all is acknowledged");
		other->acknowledged = other->next;
	}
	direction->bytes = realloc(direction->bytes, direction->length + length - header + 1);
	memcpy(direction->bytes + direction->length, tcp + header, length - header);
	direction->length += length - header;
	direction->next += length - header + (tcp[13] & 3 ? 1 : 0);
	direction->finished |= tcp[13] & 1;
}

static void read_back(const char *name, struct readback *readback)
{
	struct reading reading = reading_of_files(&name, 1);

	*readback = (struct readback){ .last_ns = INT64_MIN };
	cr_assert(reading.source, "%s", reading.error.text);
	cr_assert_eq(reading.breaks, 0);
	for (size_t i = 0; i < reading.count; i++)
		read_segment(readback, &reading.frames[i]);
	for (unsigned i = 0; i < readback->count; i++) {
		cr_assert(readback->directions[i].finished);
		cr_assert_eq(readback->directions[i].acknowledged, readback->directions[i].next);
	}
	reading_free(&reading);
}

static void readback_free(struct readback *readback)
{
	for (unsigned i = 0; i < readback->count; i++)
		free(readback->directions[i].bytes);
}

/* Whether the record of this part is in the data sent between these ports; records are found by their marks. */
static bool holds(const struct readback *readback, uint16_t source_port, uint16_t destination_port, const struct rpc_part *part,
		  const struct built *built)
{
	for (unsigned i = 0; i < readback->count; i++) {
		const struct direction *direction = &readback->directions[i];
		uint32_t at = 0;

		if (direction->source_port != source_port || direction->destination_port != destination_port)
			continue;
		while (at < direction->length) {
			uint32_t length = load32(direction->bytes + at) & 0x7fffffff;

			cr_assert(direction->bytes[at] & 0x80);
			cr_assert_leq(length, direction->length - at - 4);
			if (length == part->length && !memcmp(direction->bytes + at + 4, built->bytes, length))
				return true;
			at += 4 + length;
		}
	}
	return false;
}

/* By stream, from 1. */
static const uint16_t server_ports[] = { 0, 2049, 2049, 2049, 20048, 2049, 2049 };

static void expect_all(const char *name, bool fill_holes)
{
	struct readback readback;

	read_back(name, &readback);
	cr_expect_eq(readback.count, 12);
	for (size_t i = 0; i < TALKS; i++) {
		uint16_t ports[] = { (uint16_t)(49151 + talks[i].stream), server_ports[talks[i].stream] };
		struct built_talk built;
		bool reverse = talks[i].reverse;

		build_talk(&talks[i], &built);
		cr_expect_eq(holds(&readback, ports[reverse], ports[!reverse], &built.exchange.call, &built.call),
			     (fill_holes && built.exchange.call.is_laid_out) || built.exchange.call.complete, "%s: call", talks[i].what);
		if (talks[i].reply.count)
			cr_expect_eq(holds(&readback, ports[!reverse], ports[reverse], &built.exchange.reply, &built.reply),
				     fill_holes || built.exchange.reply.complete, "%s: reply", talks[i].what);
		free_talk(&built);
	}
	readback_free(&readback);
}

TestSuite(export_tcp, .timeout = HANG_SECONDS);

Test(export_tcp, messages_are_read_back_byte_for_byte)
{
	static const char *const suffixes[] = { ".pcap", ".pcapng", ".pcap.gz" };
	char name[64];

	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		struct export_tcp_counters counters;

		name_file(name, suffixes[i]);
		counters = write_all(name, false, 1 << 20);
		cr_expect_eq(counters.messages, 20);
		cr_expect_eq(counters.left_out, 3);
		cr_expect_eq(counters.filled, 0);
		cr_expect_eq(counters.misplaced, 0);
		expect_all(name, false);
		unlink(name);
	}
}

Test(export_tcp, holes_are_filled_with_zeros_on_request)
{
	struct export_tcp_counters counters;
	char name[64];

	name_file(name, ".pcap");
	counters = write_all(name, true, 1 << 20);
	cr_expect_eq(counters.messages, 22);
	/* of one it is not known how long it is */
	cr_expect_eq(counters.left_out, 1);
	cr_expect_eq(counters.filled, 2);
	expect_all(name, true);
	unlink(name);
}

Test(export_tcp, messages_stand_in_the_order_of_their_completion_as_far_as_memory_allows)
{
	struct readback readback;
	struct export_tcp_counters counters;
	char name[64];
	int64_t times[2] = { 0, 0 };

	for (int with_memory = 0; with_memory < 2; with_memory++) {
		struct reading reading;
		const char *file = name;

		name_file(name, ".pcap");
		counters = write_all(name, false, with_memory ? 1 << 20 : 0);
		cr_expect_eq(counters.misplaced, with_memory ? 0 : 1);
		read_back(name, &readback);
		readback_free(&readback);
		reading = reading_of_files(&file, 1);
		for (size_t i = 0; i < reading.count; i++)
			if (reading.frames[i].wire_length > 40000 && !times[with_memory])
				times[with_memory] = reading.frames[i].time_ns;
		reading_free(&reading);
		unlink(name);
	}
	cr_expect_eq(times[1], MS(4), "the WRITE's data stands first");
	cr_expect_eq(times[0], MS(9), "the READ's data stands first, and nothing goes back in time");
}

Test(export_tcp, any_order_of_reporting_is_sorted)
{
	struct export_tcp *export;
	struct export_tcp_counters counters;
	struct rtap_error error;
	struct built_talk built;
	char name[64];

	name_file(name, ".pcap");
	cr_assert_eq(export_tcp_open(&export, name, false, 1 << 20, &error), RTAP_STATUS_OK);
	build_talk(&talks[0], &built);
	for (int64_t i = 0; i < 1000; i++) {
		built.exchange.call.time_end_ns = MS(i * 377 % 1000);
		cr_expect_eq(export_tcp_part(export, &built.exchange, false, &error), RTAP_STATUS_OK);
	}
	free_talk(&built);
	cr_assert_eq(export_tcp_close(export, &counters, &error), RTAP_STATUS_OK);
	cr_expect_eq(counters.messages, 1000);
	cr_expect_eq(counters.misplaced, 0);
	unlink(name);
}

/* Messages that exceed a record, or that consist only of zeros. */
static const struct {
	const char *what;
	struct xdr_extent extents[2];
	uint32_t count;
	uint64_t length;
} unwritable[] = {
	{ "nothing", { { XDR_BYTES, NULL, 0, 0 } }, 0, 0 },
	{ "a hole of 2^63 bytes", { { XDR_HOLE, NULL, 0, UINT64_C(1) << 63 } }, 1, UINT64_C(1) << 63 },
	{ "holes that wrap", { { XDR_HOLE, NULL, 0, UINT64_MAX }, { XDR_HOLE, NULL, 0, 2 } }, 2, 1 },
	{ "a hole of 2^31 bytes", { { XDR_HOLE, NULL, 0, UINT64_C(1) << 31 } }, 1, UINT64_C(1) << 31 },
	{ "a hole that is large", { { XDR_HOLE, NULL, 0, EXPORT_TCP_MOST_FILLED + 1 } }, 1, EXPORT_TCP_MOST_FILLED + 1 },
	{ "an end that is far off", { { XDR_BYTES, (const uint8_t *)"call", 0, 4 } }, 1, UINT64_MAX },
};

Test(export_tcp, lengths_that_lie_are_left_out)
{
	struct export_tcp *export;
	struct export_tcp_counters counters;
	struct rtap_error error;
	char name[64];
	size_t cases = sizeof unwritable / sizeof unwritable[0];

	name_file(name, ".pcap");
	cr_assert_eq(export_tcp_open(&export, name, true, 0, &error), RTAP_STATUS_OK);
	for (size_t i = 0; i < cases; i++) {
		struct rpc_exchange exchange = { .stream = i + 1,
						 .call = { .present = true, .extents = unwritable[i].extents,
							   .extent_count = unwritable[i].count, .length = unwritable[i].length } };

		cr_expect_eq(export_tcp_exchange(export, &exchange, &error), RTAP_STATUS_OK, "%s", unwritable[i].what);
	}
	cr_assert_eq(export_tcp_close(export, &counters, &error), RTAP_STATUS_OK);
	cr_expect_eq(counters.left_out, cases);
	cr_expect_eq(counters.messages, 0);
	unlink(name);
}

Test(export_tcp, more_connections_than_ports_close_the_older_one)
{
	static const uint64_t streams[] = { 1, 2, 64513, 1, UINT64_MAX };
	struct export_tcp *export;
	struct export_tcp_counters counters;
	struct rtap_error error;
	char name[64];
	const char *file = name;
	struct reading reading;
	struct built_talk built;

	name_file(name, ".pcap");
	cr_assert_eq(export_tcp_open(&export, name, false, 0, &error), RTAP_STATUS_OK);
	build_talk(&talks[0], &built);
	for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
		built.exchange.stream = streams[i];
		cr_expect_eq(export_tcp_exchange(export, &built.exchange, &error), RTAP_STATUS_OK);
	}
	free_talk(&built);
	cr_assert_eq(export_tcp_close(export, &counters, &error), RTAP_STATUS_OK);
	cr_expect_eq(counters.messages, 10);
	reading = reading_of_files(&file, 1);
	cr_expect_eq(reading.count, 5 * (3 + 2 + 3));
	reading_free(&reading);
	unlink(name);
}

Test(export_tcp, a_file_that_cannot_be_written_is_reported)
{
	struct export_tcp *export;
	struct rtap_error error;
	struct built_talk built;
	enum rtap_status status = RTAP_STATUS_OK;

	cr_expect_eq(export_tcp_open(&export, "/nonexistent/x.pcap", false, 0, &error), RTAP_STATUS_FAILED);
	cr_expect(strstr(error.text, "/nonexistent/x.pcap"));
	cr_expect_null(export);
	cr_assert_eq(export_tcp_open(&export, "/dev/full", false, 0, &error), RTAP_STATUS_OK);
	build_talk(&talks[1], &built);
	for (int i = 0; i < 100 && status == RTAP_STATUS_OK; i++)
		status = export_tcp_exchange(export, &built.exchange, &error);
	free_talk(&built);
	cr_expect_eq(status, RTAP_STATUS_FAILED);
	cr_expect(strstr(error.text, strerror(ENOSPC)), "%s", error.text);
	cr_expect_eq(export_tcp_close(export, NULL, &error), RTAP_STATUS_OK, "it was reported");
	cr_expect_eq(export_tcp_close(NULL, NULL, NULL), RTAP_STATUS_OK);
}

enum { SUSPECT, CALLS, REPLIES, LONG_READS, COUNTED };

/* How many packets tshark finds of each kind, in one run: its table has a row "| 0.000 <> 2.456 | packets | bytes | packets ...". */
static void tshark_counts(const char *name, unsigned counts[COUNTED])
{
	static const char filters[] = "tcp.analysis.flags || _ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0 || "
				      "(rpc.msgtyp == 1 && !rpc.time),rpc.msgtyp == 0,rpc.msgtyp == 1,nfs.count3 == 150001 || nfs.count3 == 65000";
	char command[768], text[8192];
	const char *at;
	FILE *pipe;

	snprintf(command, sizeof command, "tshark -n -2 -q -r %s -o tcp.check_checksum:TRUE -o ip.check_checksum:TRUE -z 'io,stat,0,%s' 2>/dev/null",
		 name, filters);
	pipe = popen(command, "r");
	cr_assert(pipe);
	text[fread(text, 1, sizeof text - 1, pipe)] = 0;
	cr_assert_eq(pclose(pipe), 0, "%s", command);
	at = strstr(text, "<>");
	cr_assert(at, "%s", text);
	for (size_t i = 0; i < COUNTED; i++) {
		int length = 0;

		at = strchr(at, '|');
		cr_assert(at && sscanf(at, "| %u | %*u %n", &counts[i], &length) == 1 && length, "%s", text);
		at += length;
	}
}

Test(export_tcp, tshark_reads_the_same)
{
	char name[64];
	unsigned counts[COUNTED];

	if (system("tshark --version >/dev/null 2>&1")) {
		fprintf(stderr, "test_export_tcp: skipped: tshark is missing (Debian: apt install tshark)\n");
		return;
	}
	for (int fill_holes = 0; fill_holes < 2; fill_holes++) {
		name_file(name, ".pcapng");
		write_all(name, fill_holes, 1 << 20);
		tshark_counts(name, counts);
		cr_expect_eq(counts[SUSPECT], 0);
		cr_expect_eq(counts[CALLS], fill_holes ? TALKS - 1 : TALKS - 2);
		/* one was left out, and without its call a reply is not known for one */
		cr_expect_eq(counts[REPLIES], fill_holes ? TALKS - 1 : TALKS - 3);
		cr_expect_eq(counts[LONG_READS], 3);
		unlink(name);
	}
}
