/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include <rdmatap/source.h>

#include "dissect/dissect.h"
#include "dissect/infiniband/ib.h"
#include "reassembly/stream/ip_fragments.h"
#include "tests/network_kit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SECOND INT64_C(1000000000)
#define UDP 17

/* One fragment to be made; all zero ends a list. */
struct piece {
	uint32_t offset, length;
	bool more;
	uint8_t other;     /* added to each byte: 0 is the datagram's own content */
	uint32_t cut;      /* bytes that the capture cut off */
	int64_t seconds;
	uint32_t id;
};

#define MORE(at, bytes, ...) { .offset = at, .length = bytes, .more = true, __VA_ARGS__ }
#define LAST(at, bytes, ...) { .offset = at, .length = bytes, __VA_ARGS__ }

static struct budget budget;
static struct ip_fragments fragments;
static uint8_t frame[70000];
static struct kit kit;

static uint8_t content(uint32_t at)
{
	return (uint8_t)(at * 7 + at / 256);
}

static void begin(uint64_t limit)
{
	budget_init(&budget, limit);
	ip_fragments_init(&fragments, &budget);
}

static void end(void)
{
	ip_fragments_fini(&fragments);
	cr_expect_eq(budget.used, 0);
	cr_expect(TAILQ_EMPTY(&budget.entries));
}

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* A raw IP frame with the piece; returns its length. `bytes` NULL: the content by formula. */
static uint32_t make(const struct piece *piece, bool ipv6, const uint8_t *bytes)
{
	uint32_t header = ipv6 ? 48 : 20;

	memset(frame, 0, header);
	if (ipv6) {
		frame[0] = 0x60;
		put16(frame + 4, piece->length + 8);
		frame[6] = 44;
		frame[7] = 64;
		frame[8] = frame[24] = 0xfd;
		frame[23] = 1;
		frame[39] = 2;
		frame[40] = UDP;
		put16(frame + 42, piece->offset | piece->more);
		put16(frame + 44, piece->id >> 16);
		put16(frame + 46, piece->id);
	} else {
		frame[0] = 0x45;
		put16(frame + 2, 20 + piece->length);
		put16(frame + 4, piece->id);
		put16(frame + 6, piece->offset / 8 | (piece->more ? 0x2000 : 0));
		frame[8] = 64;
		frame[9] = UDP;
		frame[12] = frame[16] = 10;
		frame[15] = 1;
		frame[19] = 2;
	}
	for (uint32_t i = 0; i < piece->length; i++)
		frame[header + i] = bytes ? bytes[piece->offset + i] : (uint8_t)(content(piece->offset + i) + piece->other);
	return header + piece->length;
}

/* Dissects a frame and gives the piece that it is. */
static enum ip_fragments_result give_frame(uint32_t length, uint32_t cut, int64_t seconds, struct rtap_datagram *whole)
{
	kit_dissect(&kit, RTAP_LINK_RAW, frame, length - cut, length, NULL);
	cr_assert(kit.packet.fragment.present);
	kit.frame.time_ns = seconds * SECOND;
	return ip_fragments_add(&fragments, &kit.packet, whole);
}

static enum ip_fragments_result give(const struct piece *piece, bool ipv6, struct rtap_datagram *whole)
{
	return give_frame(make(piece, ipv6, NULL), piece->cut, piece->seconds, whole);
}

#define NEVER (-1)

static const struct {
	const char *what;
	struct piece pieces[8];
	int completed_by;       /* index of the piece, or NEVER */
	uint32_t wire, captured;
	uint64_t refused, duplicates, timed_out, invalid;
} cases[] = {
	{ .what = "in order", .pieces = { MORE(0, 16), MORE(16, 16), LAST(32, 5) },
	  .completed_by = 2, .wire = 37, .captured = 37 },
	{ .what = "reversed", .pieces = { LAST(32, 5), MORE(16, 16), MORE(0, 16) },
	  .completed_by = 2, .wire = 37, .captured = 37 },
	{ .what = "the middle last", .pieces = { MORE(0, 16), LAST(32, 5), MORE(16, 16) },
	  .completed_by = 2, .wire = 37, .captured = 37 },
	{ .what = "the largest", .pieces = { MORE(0, 65504), LAST(65504, 31) },
	  .completed_by = 1, .wire = 65535, .captured = 65535 },
	{ .what = "one missing", .pieces = { MORE(0, 16), LAST(32, 5) }, .completed_by = NEVER, .timed_out = 1 },
	{ .what = "no last one", .pieces = { MORE(0, 16), MORE(16, 16) }, .completed_by = NEVER, .timed_out = 1 },
	{ .what = "duplicates", .pieces = { MORE(0, 16), MORE(0, 16), LAST(16, 8) },
	  .completed_by = 2, .wire = 24, .captured = 24, .duplicates = 1 },
	{ .what = "duplicate of the last", .pieces = { LAST(16, 8), LAST(16, 8), MORE(0, 16) },
	  .completed_by = 2, .wire = 24, .captured = 24, .duplicates = 1 },
	{ .what = "captured twice", .pieces = { MORE(0, 16), LAST(16, 8), MORE(0, 16), LAST(16, 8) },
	  .completed_by = 1, .wire = 24, .captured = 24, .duplicates = 2 },
	{ .what = "overlap with the same bytes", .pieces = { MORE(0, 24), MORE(16, 16), LAST(24, 16) },
	  .completed_by = 2, .wire = 40, .captured = 40 },
	{ .what = "the end given within what is there", .pieces = { MORE(0, 24), LAST(16, 8) },
	  .completed_by = 1, .wire = 24, .captured = 24 },
	{ .what = "overlap with other bytes", .pieces = { MORE(0, 24), MORE(16, 16, .other = 1), LAST(32, 8) },
	  .completed_by = NEVER, .refused = 1 },
	{ .what = "duplicate with other bytes", .pieces = { MORE(0, 16), MORE(0, 16, .other = 1), LAST(16, 8) },
	  .completed_by = NEVER, .refused = 1 },
	{ .what = "what comes after a refusal",
	  .pieces = { MORE(0, 16), MORE(0, 16, .other = 1), MORE(0, 16), LAST(16, 8) },
	  .completed_by = NEVER, .refused = 1 },
	{ .what = "another end",
	  .pieces = { LAST(16, 8), LAST(16, 16), MORE(0, 16) }, .completed_by = NEVER, .refused = 1 },
	{ .what = "an end before others", .pieces = { MORE(0, 16), MORE(16, 16), LAST(8, 8) },
	  .completed_by = NEVER, .refused = 1 },
	{ .what = "pieces after the end", .pieces = { LAST(16, 8), MORE(24, 8), MORE(0, 16) },
	  .completed_by = NEVER, .refused = 1 },
	{ .what = "within the time", .pieces = { MORE(0, 16), LAST(16, 8, .seconds = 29) },
	  .completed_by = 1, .wire = 24, .captured = 24 },
	{ .what = "identification used again later",
	  .pieces = { MORE(0, 16, .other = 9), MORE(0, 16, .seconds = 61), LAST(16, 8, .seconds = 61) },
	  .completed_by = 2, .wire = 24, .captured = 24, .timed_out = 1 },
	{ .what = "identification used again at once",
	  .pieces = { MORE(0, 16, .other = 9), LAST(16, 8, .other = 9), MORE(0, 16), LAST(16, 8) },
	  .completed_by = 3, .wire = 24, .captured = 24 },
	{ .what = "identification used again a second after a refusal",
	  .pieces = { MORE(0, 16, .other = 9), MORE(0, 16), MORE(0, 16, .seconds = 2), LAST(16, 8, .seconds = 2) },
	  .completed_by = 3, .wire = 24, .captured = 24, .refused = 1 },
	{ .what = "two at a time", .pieces = { MORE(0, 16, .other = 9, .id = 5), MORE(0, 16), LAST(16, 8) },
	  .completed_by = 2, .wire = 24, .captured = 24, .timed_out = 1 },
	{ .what = "cut first", .pieces = { MORE(0, 16, .cut = 4), LAST(16, 8) },
	  .completed_by = 1, .wire = 24, .captured = 12 },
	{ .what = "cut wholly", .pieces = { MORE(0, 16, .cut = 16), LAST(16, 8) },
	  .completed_by = 1, .wire = 24, .captured = 0 },
	{ .what = "cut last", .pieces = { MORE(0, 16), LAST(16, 8, .cut = 8) },
	  .completed_by = 1, .wire = 24, .captured = 16 },
	{ .what = "cut, then whole", .pieces = { MORE(0, 16, .cut = 4), MORE(0, 16), LAST(16, 8) },
	  .completed_by = 2, .wire = 24, .captured = 24, .duplicates = 1 },
	{ .what = "other bytes where the first was cut",
	  .pieces = { MORE(0, 16, .cut = 16), MORE(0, 16, .other = 1, .cut = 16), LAST(16, 8) },
	  .completed_by = 2, .wire = 24, .captured = 0, .duplicates = 1 },
	{ .what = "no bytes", .pieces = { LAST(16, 0), MORE(0, 0) }, .completed_by = NEVER, .invalid = 2 },
	{ .what = "no multiple of eight", .pieces = { MORE(0, 15) }, .completed_by = NEVER, .invalid = 1 },
	{ .what = "beyond 64 KiB", .pieces = { MORE(65528, 8), LAST(65528, 8), MORE(65528, 1000) },
	  .completed_by = NEVER, .invalid = 3 },
};

static bool is_end(const struct piece *piece)
{
	return !piece->length && !piece->offset && !piece->more;
}

static void run_case(size_t at, bool ipv6)
{
	int completed_by = NEVER;

	begin(1 << 20);
	for (int i = 0; i < (int)COUNT(cases[at].pieces) && !is_end(&cases[at].pieces[i]); i++) {
		struct rtap_datagram whole;
		uint64_t refused = fragments.refused;
		enum ip_fragments_result result = give(&cases[at].pieces[i], ipv6, &whole);

		cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_FRAGMENT_OVERLAP), fragments.refused > refused, "%s", cases[at].what);
		kit_free(&kit);
		if (result != IP_FRAGMENTS_WHOLE)
			continue;
		completed_by = i;
		if (cases[at].completed_by != i)
			continue;
		cr_expect_eq(whole.wire, cases[at].wire, "%s", cases[at].what);
		cr_assert_eq(whole.bytes.length, cases[at].captured, "%s", cases[at].what);
		cr_expect_eq(whole.header_length, ipv6 ? 40 : 20, "%s", cases[at].what);
		cr_expect_eq(whole.protocol, UDP, "%s", cases[at].what);
		for (uint32_t byte = 0; byte < whole.bytes.length; byte++)
			cr_assert_eq(whole.bytes.bytes[byte], content(byte), "%s: byte %u", cases[at].what, byte);
	}
	cr_expect_eq(completed_by, cases[at].completed_by, "%s: by %d", cases[at].what, completed_by);
	cr_expect_eq(fragments.refused, cases[at].refused, "%s", cases[at].what);
	cr_expect_eq(fragments.duplicates, cases[at].duplicates, "%s: %lu", cases[at].what, (unsigned long)fragments.duplicates);
	cr_expect_eq(fragments.invalid, cases[at].invalid, "%s", cases[at].what);
	end();
	cr_expect_eq(fragments.timed_out, cases[at].timed_out, "%s", cases[at].what);
}

TestSuite(ip_fragments, .timeout = HANG_SECONDS);

Test(ip_fragments, pieces_in_any_order_make_the_datagram_and_contradictions_refuse_it)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		run_case(i, false);
		run_case(i, true);
	}
}

Test(ip_fragments, each_version_of_ip_waits_for_the_time_of_its_standard)
{
	static const struct {
		bool ipv6;
		int64_t seconds;
		enum ip_fragments_result result;
	} waits[] = {
		{ false, 30, IP_FRAGMENTS_WHOLE }, { false, 31, IP_FRAGMENTS_PART }, { true, 60, IP_FRAGMENTS_WHOLE }, { true, 61, IP_FRAGMENTS_PART },
	};

	for (size_t i = 0; i < COUNT(waits); i++) {
		struct rtap_datagram whole;

		begin(1 << 20);
		cr_expect_eq(give(&(struct piece)MORE(0, 16), waits[i].ipv6, &whole), IP_FRAGMENTS_PART);
		kit_free(&kit);
		cr_expect_eq(give(&(struct piece)LAST(16, 8, .seconds = waits[i].seconds), waits[i].ipv6, &whole), waits[i].result, "case %zu", i);
		kit_free(&kit);
		end();
	}
}

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % below;
}

/* Splits a datagram into up to 64 pieces, doubles some, shuffles all. Returns their number. */
static uint32_t shuffle(uint32_t length, struct piece *pieces)
{
	uint32_t count = 0;

	for (uint32_t at = 0, step; at < length; at += step) {
		step = count == 63 ? length - at : 8 * (1 + draw(64));
		if (step > length - at)
			step = length - at;
		pieces[count++] = (struct piece){ .offset = at, .length = step, .more = at + step < length };
	}
	for (uint32_t i = 0; i < count / 4; i++)
		pieces[count + i] = pieces[draw(count)];
	count += count / 4;
	for (uint32_t i = count; i > 1; i--) {
		uint32_t other = draw(i);
		struct piece saved = pieces[i - 1];

		pieces[i - 1] = pieces[other];
		pieces[other] = saved;
	}
	return count;
}

Test(ip_fragments, any_cutting_and_any_order_gives_the_same_datagram_once)
{
	begin(1 << 20);
	for (uint32_t seed = 0; seed < 2000; seed++) {
		struct piece pieces[128];
		uint32_t length, count, completed = 0;
		bool ipv6 = seed & 1;

		random_state = seed;
		length = 9 + draw(9000);
		count = shuffle(length, pieces);
		for (uint32_t i = 0; i < count; i++) {
			struct rtap_datagram whole;

			pieces[i].id = seed;
			if (pieces[i].length == length)
				continue;
			if (give(&pieces[i], ipv6, &whole) == IP_FRAGMENTS_WHOLE) {
				completed++;
				cr_assert_eq(whole.bytes.length, length);
				for (uint32_t byte = 0; byte < length; byte++)
					cr_assert_eq(whole.bytes.bytes[byte], content(byte));
			}
			kit_free(&kit);
		}
		cr_assert_eq(completed, pieces[0].length != length, "seed %u", seed);
	}
	cr_expect_eq(fragments.refused, 0);
	end();
}

Test(ip_fragments, millions_of_halves_stay_within_the_budget)
{
	struct rtap_datagram whole;

	begin(1 << 20);
	for (uint32_t id = 0; id < 20000; id++) {
		cr_assert_eq(give(&(struct piece)MORE(0, 1480, .id = id), true, &whole), IP_FRAGMENTS_PART);
		kit_free(&kit);
	}
	cr_expect_leq(budget.peak, 1 << 20);
	cr_expect_eq(fragments.evicted + fragments.pending[1].count, 20000);
	cr_expect_gt(fragments.evicted, 19000);
	cr_expect_eq(give(&(struct piece)LAST(1480, 8, .id = 19999), true, &whole), IP_FRAGMENTS_WHOLE);
	kit_free(&kit);
	cr_expect_eq(give(&(struct piece)LAST(1480, 8, .id = 1), true, &whole), IP_FRAGMENTS_PART);
	kit_free(&kit);
	end();
}

Test(ip_fragments, datagrams_beyond_the_budget_are_only_counted)
{
	struct rtap_datagram whole;

	begin(100);
	cr_expect_eq(give(&(struct piece)MORE(0, 16), false, &whole), IP_FRAGMENTS_PART);
	kit_free(&kit);
	cr_expect_eq(fragments.unkept, 1);
	end();
	begin(20000);
	cr_expect_eq(give(&(struct piece)MORE(32000, 8), false, &whole), IP_FRAGMENTS_PART);
	kit_free(&kit);
	cr_expect_eq(fragments.unkept, 1);
	end();
}

Test(ip_fragments, a_datagram_handed_out_is_not_evicted_before_the_next_call)
{
	struct budget_entry other = { 0 };
	struct rtap_datagram whole;

	begin(40000);
	give(&(struct piece)MORE(0, 16), false, &whole);
	kit_free(&kit);
	cr_assert_eq(give(&(struct piece)LAST(16, 8), false, &whole), IP_FRAGMENTS_WHOLE);
	kit_free(&kit);
	cr_expect(!budget_take(&budget, &other, 40000));
	for (uint32_t byte = 0; byte < 24; byte++)
		cr_expect_eq(whole.bytes.bytes[byte], content(byte));
	give(&(struct piece)MORE(0, 16, .id = 1), false, &whole);
	kit_free(&kit);
	cr_expect(budget_take(&budget, &other, 40000));
	budget_give(&budget, &other, 40000);
	end();
}

/* The IP packet of the first frame of a RoCEv2 capture with an opcode; returns its length. */
static uint32_t roce_packet(const char *name, uint8_t opcode, uint8_t *packet)
{
	struct rtap_source *source;
	struct rtap_error error;
	struct rtap_batch *batch;
	uint32_t length = 0;

	cr_assert_eq(rtap_source_open_files(&source, &name, 1, &error), RTAP_STATUS_OK, "%s", error.text);
	while (!length && rtap_source_read_batch(source, &batch, &error) == RTAP_STATUS_OK) {
		for (size_t i = 0; !length && i < batch->count; i++) {
			struct rtap_packet dissected;

			dissect_frame(&batch->frames[i], NULL, &dissected);
			if (!dissected.ib.has_bth || dissected.ib.opcode != opcode)
				continue;
			length = batch->frames[i].captured_length - 14;
			memcpy(packet, batch->frames[i].bytes + 14, length);
		}
		rtap_batch_release(batch);
	}
	rtap_source_close(source);
	cr_assert(length);
	return length;
}

/* The frame that is the piece [offset, offset + length) of an IP packet; returns its length. */
static uint32_t cut_out(const uint8_t *packet, bool ipv6, uint32_t offset, uint32_t length, bool more)
{
	uint32_t header = ipv6 ? 40 : 20;

	memcpy(frame, packet, header);
	if (ipv6) {
		put16(frame + 4, length + 8);
		frame[6] = 44;
		memset(frame + 40, 0, 8);
		frame[40] = packet[6];
		put16(frame + 42, offset | more);
		memcpy(frame + 48, packet + 40 + offset, length);
		return 48 + length;
	}
	put16(frame + 2, 20 + length);
	put16(frame + 6, offset / 8 | (more ? 0x2000 : 0));
	memcpy(frame + 20, packet + 20 + offset, length);
	return 20 + length;
}

/* Makes the frame's first piece one with a record-route option. RFC 791, 3.1: only the first has it. */
static uint32_t add_option(uint32_t length)
{
	memmove(frame + 28, frame + 20, length - 20);
	memcpy(frame + 20, "\x07\x07\x04\x00\x00\x00\x00\x00", 8);
	frame[0] = 0x47;
	put16(frame + 2, length + 8);
	return length + 8;
}

/* Sends a RoCE packet in two pieces and dissects the second again with the whole datagram. */
static void send_in_pieces(const uint8_t *packet, uint32_t length, bool ipv6, bool with_option, struct kit *again)
{
	uint32_t after = length - (ipv6 ? 40 : 20);
	struct rtap_context context = { .check_icrc = true };
	uint32_t made;

	begin(1 << 20);
	made = cut_out(packet, ipv6, 0, 16, true);
	if (with_option)
		made = add_option(made);
	cr_assert_eq(give_frame(made, 0, 0, &context.datagram), IP_FRAGMENTS_PART);
	kit_free(&kit);
	made = cut_out(packet, ipv6, 16, after - 16, false);
	cr_assert_eq(give_frame(made, 0, 0, &context.datagram), IP_FRAGMENTS_WHOLE);
	kit_free(&kit);
	kit_dissect(again, RTAP_LINK_RAW, frame, made, made, &context);
	cr_expect(again->packet.ib.has_bth);
	cr_expect(again->packet.fragment.whole && !again->packet.fragment.present);
	cr_expect_eq(again->packet.payload.source, 1);
}

static const struct {
	const char *name;
	bool ipv6;
} captures[] = { { TESTDATA "/roce-rping-v4.pcap", false }, { TESTDATA "/roce-rping-v6.pcap", true } };

Test(ip_fragments, the_invariant_crc_of_a_datagram_is_that_of_the_packet_before_it_was_cut)
{
	for (size_t i = 0; i < COUNT(captures); i++) {
		uint8_t packet[2048];
		uint32_t length = roce_packet(captures[i].name, 0x04, packet);

		for (unsigned bad = 0; bad < 2; bad++) {
			struct kit again;

			packet[length - 20] ^= (uint8_t)bad;
			send_in_pieces(packet, length, captures[i].ipv6, false, &again);
			cr_expect_eq(again.packet.ib.icrc_status, bad ? RTAP_CRC_BAD : RTAP_CRC_GOOD, "%s %u", captures[i].name, bad);
			cr_expect_eq(kit_has_anomaly(&again, RTAP_ANOMALY_BAD_ICRC), bad);
			kit_free(&again);
			end();
		}
	}
}

Test(ip_fragments, an_invariant_crc_over_options_that_not_every_piece_has_is_unverifiable)
{
	uint8_t packet[2048];
	uint32_t length = roce_packet(captures[0].name, 0x04, packet);
	struct kit again;

	send_in_pieces(packet, length, false, true, &again);
	cr_expect_eq(again.packet.ib.icrc_status, RTAP_CRC_UNVERIFIABLE);
	cr_expect(!again.packet.anomaly_count);
	kit_free(&again);
	end();
}

Test(ip_fragments, a_datagram_cut_by_the_capture_is_truncated_not_malformed)
{
	uint8_t packet[2048];
	uint32_t length = roce_packet(captures[0].name, 0x04, packet), made = cut_out(packet, false, 16, length - 36, false);

	for (uint32_t captured = 0; captured < length - 20; captured++) {
		struct rtap_context context = { .check_icrc = true, .datagram = { { packet + 20, captured }, length - 20, 20, UDP } };
		struct kit cut;

		kit_dissect(&cut, RTAP_LINK_RAW, frame, made, made, &context);
		cr_expect(!kit_has_anomaly(&cut, RTAP_ANOMALY_MALFORMED) && !kit_has_anomaly(&cut, RTAP_ANOMALY_BAD_ICRC), "%u bytes", captured);
		kit_free(&cut);
	}
}

Test(ip_fragments, an_rpc_record_in_a_datagram_is_dissected_and_reported_in_one_line)
{
	struct rtap_context context = { .decode_as_count = 0 };
	uint8_t packet[104];
	struct kit again;
	char text[300];
	uint32_t made;

	kit_bytes("450000681234000040060000" "0a0000010a000002" "03e8080100000001000000005018020000000000"
		  "8000003c" "0badcafe" "00000000" "00000002" "000186a3" "00000003" "00000001" "00000000" "00000000" "00000000" "00000000"
		  "00000010" "01020304050607080102030405060708", packet);
	begin(1 << 20);
	made = cut_out(packet, false, 0, 48, true);
	give_frame(made, 0, 0, &context.datagram);
	kit_free(&kit);
	made = cut_out(packet, false, 48, 36, false);
	cr_assert_eq(give_frame(made, 0, 0, &context.datagram), IP_FRAGMENTS_WHOLE);
	kit_free(&kit);
	kit_dissect(&again, RTAP_LINK_RAW, frame, made, made, &context);
	cr_expect_eq(again.packet.rpc.xid, 0x0badcafe);
	cr_expect_eq(again.packet.anomalies_found, 0);
	cr_expect_eq(again.packet.tcp.payload.wire, 64);
	kit_values(&again, "tcp.len", text, sizeof text);
	cr_expect_str_eq(text, "64");
	kit_summary(&again, text, sizeof text);
	cr_expect(strstr(text, "10.0.0.1:1000 > 10.0.0.2:2049   fragment id 0x1234 offset 48 TCP [P.] seq 1") &&
			  strstr(text, ": NFS v3 GETATTR"),
		  "%s", text);
	kit_free(&again);
	end();
}

Test(ip_fragments, a_piece_in_a_quoted_packet_is_no_piece)
{
	uint32_t length = make(&(struct piece)MORE(0, 16), false, NULL);

	memmove(frame + 28, frame, length);
	frame[2] = 0;
	frame[3] = (uint8_t)(length + 28);
	frame[6] = frame[7] = 0;
	frame[9] = 1; /* ICMP: time exceeded */
	memset(frame + 20, 0, 8);
	frame[20] = 11;
	kit_dissect(&kit, RTAP_LINK_RAW, frame, length + 28, length + 28, NULL);
	cr_expect(packet_has(&kit.packet, PROTOCOL_ICMP) && !kit.packet.fragment.present);
	kit_free(&kit);
}
