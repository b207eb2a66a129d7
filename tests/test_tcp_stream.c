/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "reassembly/stream/tcp_stream.h"
#include "tests/tcp_kit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MILLISECOND INT64_C(1000000)
#define SECOND (1000 * MILLISECOND)

static struct budget budget;
static struct tcp_streams streams;
static struct kit kit;
static uint64_t number;
static char reported[20000];

static void __attribute__((format(printf, 1, 2))) note(const char *format, ...)
{
	size_t length = strlen(reported);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reported + length, sizeof reported - length, format, arguments);
	va_end(arguments);
}

static const char *const holes[] = { "not captured", "snapped", "evicted", "lost" };
static const char *const lives[] = { "syn", "syn-ack", "midstream", "fin", "rst" };
static const char *const ends[] = { "closed", "reset", "reused", "evicted", "input" };

static void on_begin(void *owner, struct tcp_connection *connection, const struct rtap_packet *packet)
{
	(void)owner;
	(void)packet;
	connection->user = &budget;
	note("begin\n");
}

static void on_life(void *owner, struct tcp_connection *connection, bool from_a, enum tcp_life life, const struct rtap_packet *packet)
{
	(void)owner;
	(void)packet;
	cr_assert_eq(connection->user, &budget);
	note("%c %s\n", "ba"[from_a], lives[life]);
}

static void on_bytes(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes)
{
	(void)owner;
	(void)connection;
	note("%c %llu '%.*s' #%llu\n", "ba"[from_a], (unsigned long long)bytes->offset, (int)bytes->span.length, (const char *)bytes->span.bytes,
	     (unsigned long long)bytes->frame);
}

static void on_hole(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_hole *hole)
{
	(void)owner;
	(void)connection;
	note("%c %llu+%llu %s\n", "ba"[from_a], (unsigned long long)hole->offset, (unsigned long long)hole->length, holes[hole->reason]);
}

static void on_end(void *owner, struct tcp_connection *connection, enum tcp_end reason)
{
	(void)owner;
	(void)connection;
	note("end %s\n", ends[reason]);
}

static const struct tcp_stream_user receiver = {
	.begin = on_begin, .life = on_life, .bytes = on_bytes, .hole = on_hole, .end = on_end,
};

static void begin(uint64_t limit, const struct tcp_stream_user *user)
{
	budget_init(&budget, limit);
	tcp_streams_init(&streams, &budget, user);
	number = 0;
	reported[0] = 0;
}

static void end(void)
{
	tcp_streams_flush(&streams);
	tcp_streams_fini(&streams);
	cr_assert_eq(budget.used, 0);
	cr_assert(TAILQ_EMPTY(&budget.entries));
}

static bool has_digests; /* of all segments, worked out ahead, */
static uint32_t wrong;   /* which differ by that from the right ones */

static struct tcp_segment_facts give(const struct tcp_kit_segment *segment)
{
	struct tcp_segment_facts facts;

	tcp_kit_dissect(&kit, segment, ++number);
	cr_assert(kit.packet.tcp.present);
	if (has_digests) {
		tcp_stream_digest(&kit.packet);
		kit.packet.tcp.digest ^= wrong;
	}
	tcp_stream_segment(&streams, &kit.packet, &facts);
	if (facts.differs)
		tcp_stream_note_difference(&kit.packet);
	cr_assert_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_TCP_OVERLAP_DIFFERS), facts.differs);
	kit_free(&kit);
	return facts;
}

#define A(flag, sequence, acknowledged, ...) { .flags = flag, .seq = sequence, .ack = acknowledged, __VA_ARGS__ }
#define B(flag, sequence, acknowledged, ...) A(flag, sequence, acknowledged, .from_b = true, __VA_ARGS__)
#define DATA(text) .bytes = (const uint8_t *)(text), .length = sizeof(text) - 1
#define AT(milliseconds) .time_ns = (milliseconds) * MILLISECOND
#define OPENING A(SYN, 99, 0), B(SYN | ACK, 499, 100), A(ACK, 100, 500)

struct scenario {
	const char *what, *reported;
	struct tcp_kit_segment segments[12]; /* the first without flags ends the list */
	uint8_t analyses[12];
};

static const struct scenario scenarios[] = {
	{ .what = "a whole life",
	  .segments = { OPENING, A(ACK, 100, 500, DATA("call")), B(ACK, 500, 104, DATA("reply")), A(FIN | ACK, 104, 505), B(FIN | ACK, 505, 105),
			A(ACK, 105, 506), A(SYN, 9000, 0, AT(5000)) },
	  .analyses = { [3] = RTAP_TCP_NEW, [4] = RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0 'call' #4\nb 0 'reply' #5\na fin\nb fin\nend closed\nbegin\na syn\nend input\n" },
	{ .what = "segments that come again after the end",
	  .segments = { OPENING, A(ACK, 100, 500, DATA("call")), B(ACK, 500, 104, DATA("reply")), A(FIN | ACK, 104, 505), B(FIN | ACK, 505, 105),
			A(ACK, 100, 505, DATA("call"), AT(30000)), B(FIN | ACK, 505, 105, AT(40000)), A(SYN, 99, 0, AT(45000)),
			B(ACK, 502, 104, DATA("ply"), AT(59000)), A(SYN, 9000, 0, AT(60000)) },
	  .analyses = { [3] = RTAP_TCP_NEW, [4] = RTAP_TCP_NEW, [7] = RTAP_TCP_RETRANSMISSION, [9] = RTAP_TCP_RETRANSMISSION,
			[10] = RTAP_TCP_RETRANSMISSION },
	  .reported = "begin\na syn\nb syn-ack\na 0 'call' #4\nb 0 'reply' #5\na fin\nb fin\nend closed\nbegin\na syn\nend input\n" },
	{ .what = "an old first number, after the ports served another connection",
	  .segments = { OPENING, A(FIN | ACK, 100, 500), B(FIN | ACK, 500, 101), A(SYN, 9000, 0, AT(5000)), A(SYN, 99, 0, AT(6000)) },
	  .reported = "begin\na syn\nb syn-ack\na fin\nb fin\nend closed\nbegin\na syn\nend reused\nbegin\na syn\nend input\n" },
	{ .what = "bytes after those of a connection that is over",
	  .segments = { OPENING, A(ACK, 100, 500, DATA("call")), A(FIN | ACK, 104, 500), B(FIN | ACK, 500, 105),
			A(ACK, 102, 501, DATA("lll"), AT(30000)) },
	  .analyses = { [3] = RTAP_TCP_NEW, [6] = RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0 'call' #4\na fin\nb fin\nend closed\nbegin\na midstream\na 0 'lll' #7\nend input\n" },
	{ .what = "a segment that comes again after more than a minute",
	  .segments = { OPENING, A(ACK, 100, 500, DATA("call")), A(FIN | ACK, 104, 500), B(FIN | ACK, 500, 105),
			A(ACK, 100, 501, DATA("call"), AT(61000)) },
	  .analyses = { [3] = RTAP_TCP_NEW, [6] = RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0 'call' #4\na fin\nb fin\nend closed\nbegin\na midstream\na 0 'call' #7\nend input\n" },
	{ .what = "data with the FIN, both at once",
	  .segments = { OPENING, A(FIN | ACK, 100, 500, DATA("x")), B(FIN | ACK, 500, 100, DATA("y")), B(ACK, 502, 102), A(ACK, 102, 502) },
	  .analyses = { [3] = RTAP_TCP_NEW, [4] = RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0 'x' #4\na fin\nb 0 'y' #5\nb fin\nend closed\n" },
	{ .what = "both ends open",
	  .segments = { A(SYN, 99, 0), B(SYN, 499, 0), A(SYN | ACK, 99, 500), B(SYN | ACK, 499, 100), A(ACK, 100, 500, DATA("hello")) },
	  .analyses = { [4] = RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn\na 0 'hello' #5\nend input\n" },
	{ .what = "from the middle, and what lies before the first byte seen",
	  .segments = { B(ACK, 500, 100, DATA("reply")), A(ACK, 50, 505, DATA("second")), A(ACK, 40, 505, DATA("tooearly")) },
	  .analyses = { RTAP_TCP_NEW, RTAP_TCP_NEW, RTAP_TCP_RETRANSMISSION },
	  .reported = "begin\na midstream\na 0 'reply' #1\nb 0 'second' #2\nend input\n" },
	{ .what = "from the second packet of the opening",
	  .segments = { B(SYN | ACK, 499, 100), A(ACK, 103, 500, DATA("later")), A(SYN, 99, 0) },
	  .analyses = { [1] = RTAP_TCP_GAP },
	  .reported = "begin\nb syn-ack\na syn\na 0+3 not captured\na 3 'later' #2\nend input\n" },
	{ .what = "a SYN overtaken by data",
	  .segments = { A(ACK, 100, 500, DATA("first")), A(SYN, 99, 0), A(ACK, 105, 500, DATA("second")) },
	  .analyses = { RTAP_TCP_NEW, 0, RTAP_TCP_NEW },
	  .reported = "begin\na midstream\na 0 'first' #1\na syn\na 5 'second' #3\nend input\n" },
	{ .what = "a SYN overtaken by data that is not the first",
	  .segments = { A(ACK, 103, 500, DATA("second")), A(SYN, 99, 0), A(ACK, 109, 500, DATA("third")) },
	  .analyses = { RTAP_TCP_NEW, 0, RTAP_TCP_NEW },
	  .reported = "begin\na midstream\na 0 'second' #1\na syn\na 6 'third' #3\nend input\n" },
	{ .what = "out of order",
	  .segments = { OPENING, A(ACK, 104, 500, DATA("cdef")), A(ACK, 110, 500, DATA("ij")), A(ACK, 100, 500, DATA("abAB")),
			A(ACK, 108, 500, DATA("gh")) },
	  .analyses = { [3] = RTAP_TCP_GAP, RTAP_TCP_GAP, RTAP_TCP_OUT_OF_ORDER, RTAP_TCP_OUT_OF_ORDER },
	  .reported = "begin\na syn\nb syn-ack\na 0 'abAB' #6\na 4 'cdef' #4\na 8 'gh' #7\na 10 'ij' #5\nend input\n" },
	{ .what = "retransmitted, the same and not",
	  .segments = { OPENING, A(ACK, 100, 500, DATA("abcd")), A(ACK, 100, 500, DATA("abcd")), A(ACK, 100, 500, DATA("abXd")) },
	  .analyses = { [3] = RTAP_TCP_NEW, RTAP_TCP_RETRANSMISSION, RTAP_TCP_RETRANSMISSION },
	  .reported = "begin\na syn\nb syn-ack\na 0 'abcd' #4\n! #6\nend input\n" },
	{ .what = "overlaps: the first copy counts",
	  .segments = { OPENING, A(ACK, 102, 500, DATA("cd")), A(ACK, 106, 500, DATA("gh")), A(ACK, 101, 500, DATA("bXdefgY")),
			A(ACK, 100, 500, DATA("aQ")), A(ACK, 107, 500, DATA("Zij")) },
	  .analyses = { [3] = RTAP_TCP_GAP, RTAP_TCP_GAP, RTAP_TCP_OVERLAP, RTAP_TCP_OVERLAP, RTAP_TCP_OVERLAP },
	  .reported = "begin\na syn\nb syn-ack\n! #6\n! #7\na 0 'a' #7\na 1 'b' #6\na 2 'cd' #4\na 4 'ef' #6\na 6 'gh' #5\na 8 'ij' #8\nend input\n" },
	{ .what = "captured on two interfaces",
	  .segments = { OPENING, A(ACK, 100, 500, DATA("abcd")), A(ACK, 100, 500, DATA("abcd"), .point = 1),
			A(ACK, 100, 500, DATA("abcd"), .point = 1, AT(10)) },
	  .analyses = { [3] = RTAP_TCP_NEW, RTAP_TCP_CAPTURED_TWICE, RTAP_TCP_RETRANSMISSION },
	  .reported = "begin\na syn\nb syn-ack\na 0 'abcd' #4\nend input\n" },
	{ .what = "keep-alives",
	  .segments = { OPENING, A(ACK, 100, 500, DATA("abcd")), A(ACK, 103, 500), A(ACK, 103, 500, DATA("\0")), A(ACK, 104, 500, DATA("e")) },
	  .analyses = { [3] = RTAP_TCP_NEW, RTAP_TCP_KEEP_ALIVE, RTAP_TCP_KEEP_ALIVE, RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0 'abcd' #4\na 4 'e' #7\nend input\n" },
	{ .what = "probes of a closed window",
	  .segments = { OPENING, B(ACK, 500, 100, .no_window = true), A(ACK, 100, 500, DATA("a")), A(ACK, 100, 500, DATA("a")), B(ACK, 500, 100),
			A(ACK, 100, 500, DATA("abc")) },
	  .analyses = { [4] = RTAP_TCP_WINDOW_PROBE, RTAP_TCP_RETRANSMISSION, 0, RTAP_TCP_OVERLAP },
	  .reported = "begin\na syn\nb syn-ack\na 0 'a' #5\na 1 'bc' #8\nend input\n" },
	{ .what = "never captured: waits for the time after the acknowledgement",
	  .segments = { OPENING, A(ACK, 104, 500, DATA("ef")), B(ACK, 500, 106, AT(1)), A(ACK, 106, 500, DATA("g"), AT(90)),
			A(ACK, 107, 500, DATA("h"), AT(110)) },
	  .analyses = { [3] = RTAP_TCP_GAP, 0, RTAP_TCP_NEW, RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0+4 not captured\na 4 'ef' #4\na 6 'g' #6\na 7 'h' #7\nend input\n" },
	{ .what = "not acknowledged: waits on",
	  .segments = { OPENING, A(ACK, 104, 500, DATA("ef")), B(ACK, 500, 100, AT(1)), B(ACK, 500, 100, AT(5000)),
			A(ACK, 100, 500, DATA("abcd"), AT(9000)) },
	  .analyses = { [3] = RTAP_TCP_GAP, 0, 0, RTAP_TCP_OUT_OF_ORDER },
	  .reported = "begin\na syn\nb syn-ack\na 0 'abcd' #7\na 4 'ef' #4\nend input\n" },
	{ .what = "one direction only was captured: waits two seconds",
	  .segments = { A(ACK, 100, 500, DATA("a")), A(ACK, 104, 500, DATA("ef"), AT(10)), A(ACK, 106, 500, DATA("g"), AT(1900)),
			A(ACK, 107, 500, DATA("h"), AT(2100)), A(ACK, 108, 500, DATA("i"), AT(4200)) },
	  .analyses = { RTAP_TCP_NEW, RTAP_TCP_GAP, RTAP_TCP_NEW, RTAP_TCP_NEW, RTAP_TCP_NEW },
	  .reported = "begin\na midstream\na 0 'a' #1\na 1+3 not captured\na 4 'ef' #2\na 6 'g' #3\na 7 'h' #4\na 8 'i' #5\nend input\n" },
	{ .what = "at the end: lost, or only not captured, as acknowledgements say",
	  .segments = { OPENING, A(ACK, 104, 500, DATA("ef")), A(ACK, 108, 500, DATA("i")),
			B(ACK, 500, 102, .sack_left = 103, .sack_right = 107) },
	  .analyses = { [3] = RTAP_TCP_GAP, RTAP_TCP_GAP },
	  .reported = "begin\na syn\nb syn-ack\na 0+2 not captured\na 2+1 lost\na 3+1 not captured\na 4 'ef' #4\n"
		  "a 6+1 not captured\na 7+1 lost\na 8 'i' #5\nend input\n" },
	{ .what = "acknowledged at the end and never seen",
	  .segments = { OPENING, A(ACK, 100, 500, DATA("a")), B(ACK, 500, 150), A(FIN | ACK, 160, 500) },
	  .analyses = { [3] = RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0 'a' #4\na fin\na 1+49 not captured\na 50+10 lost\nend input\n" },
	{ .what = "cut by the capture, in order and not",
	  .segments = { OPENING, A(ACK, 100, 500, DATA("abcd"), .cut = 2), A(ACK, 106, 500, DATA("gh"), .cut = 1),
			A(ACK, 104, 500, DATA("ef"), .cut = 2) },
	  .analyses = { [3] = RTAP_TCP_NEW, RTAP_TCP_GAP, RTAP_TCP_OUT_OF_ORDER },
	  .reported = "begin\na syn\nb syn-ack\na 0 'ab' #4\na 2+2 snapped\na 4+2 snapped\na 6 'g' #5\na 7+1 snapped\nend input\n" },
	{ .what = "reset",
	  .segments = { OPENING, A(ACK, 100, 500, DATA("a")), B(RST, 500, 0, DATA("go away")), A(SYN, 99999, 0, AT(1)) },
	  .analyses = { [3] = RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0 'a' #4\nb rst\nend reset\nbegin\na syn\nend input\n" },
	{ .what = "a reset that nobody believes",
	  .segments = { OPENING, A(RST, 100, 0), A(ACK, 100, 500, DATA("a")), A(ACK, 101, 500, DATA("b"), AT(5000)) },
	  .analyses = { [4] = RTAP_TCP_NEW, RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na rst\na 0 'a' #5\na 1 'b' #6\nend input\n" },
	{ .what = "refused",
	  .segments = { A(SYN, 99, 0), B(RST | ACK, 0, 100), A(SYN, 7777, 0) },
	  .reported = "begin\na syn\nb rst\nend reset\nbegin\na syn\nend input\n" },
	{ .what = "ports used again without an end",
	  .segments = { OPENING, A(ACK, 104, 500, DATA("a")), A(SYN, 5000, 0), B(SYN | ACK, 70000, 5001), A(ACK, 5001, 70001, DATA("b")) },
	  .analyses = { [3] = RTAP_TCP_GAP, 0, 0, RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0+4 not captured\na 4 'a' #4\nend reused\nbegin\na syn\nb syn-ack\na 0 'b' #7\nend input\n" },
	{ .what = "ports used again by a connection whose opening was not seen",
	  .segments = { A(ACK, 100, 0, DATA("ab")), A(ACK, 0x90000000, 0, DATA("x")), A(ACK, 102, 0, DATA("cd")),
			A(ACK, 0x90000000, 0, DATA("xy")),
			A(ACK, 0x90000002, 0, DATA("z")) },
	  .analyses = { RTAP_TCP_NEW, RTAP_TCP_OUTSIDE, RTAP_TCP_NEW, RTAP_TCP_OUTSIDE, RTAP_TCP_NEW },
	  .reported = "begin\na midstream\na 0 'ab' #1\na 2 'cd' #3\nend reused\nbegin\na midstream\na 0 'z' #5\nend input\n" },
	{ .what = "a SYN again",
	  .segments = { A(SYN, 99, 0), A(SYN, 99, 0, AT(1000)), B(SYN | ACK, 499, 100), A(ACK, 100, 500, DATA("a")), A(SYN, 99, 0) },
	  .analyses = { [3] = RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0 'a' #4\nend input\n" },
	{ .what = "data in the SYN",
	  .segments = { A(SYN, 99, 0, DATA("early")), B(SYN | ACK, 499, 105), A(ACK, 105, 500, DATA("late")) },
	  .analyses = { RTAP_TCP_NEW, 0, RTAP_TCP_NEW },
	  .reported = "begin\na syn\na 0 'early' #1\nb syn-ack\na 5 'late' #3\nend input\n" },
	{ .what = "nothing to belong to",
	  .segments = { A(ACK, 100, 500), B(RST, 500, 0), A(FIN | ACK, 100, 500) },
	  .reported = "" },
	{ .what = "around the end of sequence numbers",
	  .segments = { A(SYN, 0xfffffffd, 0), B(SYN | ACK, 0xffffffff, 0xfffffffe), A(ACK, 1, 0, DATA("de")), A(ACK, 0xfffffffe, 0, DATA("abc")),
			B(ACK, 0, 3, DATA("x")) },
	  .analyses = { [2] = RTAP_TCP_GAP, RTAP_TCP_OUT_OF_ORDER, RTAP_TCP_NEW },
	  .reported = "begin\na syn\nb syn-ack\na 0 'abc' #4\na 3 'de' #3\nb 0 'x' #5\nend input\n" },
	{ .what = "bytes after the FIN",
	  .segments = { OPENING, A(FIN | ACK, 100, 500, DATA("ab")), A(ACK, 101, 500, DATA("bcd")), A(ACK, 103, 500, DATA("d")) },
	  .analyses = { [3] = RTAP_TCP_NEW, RTAP_TCP_OVERLAP, RTAP_TCP_GAP },
	  .reported = "begin\na syn\nb syn-ack\na 0 'ab' #4\na fin\nend input\n" },
};

TestSuite(tcp_stream, .timeout = HANG_SECONDS);

Test(tcp_stream, each_direction_comes_in_order_with_its_holes_named)
{
	for (size_t i = 0; i < COUNT(scenarios); i++) {
		begin(1 << 20, &receiver);
		for (size_t j = 0; j < COUNT(scenarios[i].segments) && scenarios[i].segments[j].flags; j++) {
			size_t before = strlen(reported);
			struct tcp_segment_facts facts = give(&scenarios[i].segments[j]);

			cr_expect_eq(facts.analysis, scenarios[i].analyses[j], "%s: segment %zu: %u", scenarios[i].what, j, facts.analysis);
			if (facts.differs) {
				memmove(reported + before + 5, reported + before, strlen(reported + before) + 1);
				memcpy(reported + before, "! #6\n", 5);
				reported[before + 3] = (char)('0' + number);
			}
		}
		end();
		cr_expect_str_eq(reported, scenarios[i].reported, "%s:\n%s", scenarios[i].what, reported);
	}
}

/* The truth of a random stream, and the reports. */
struct trial {
	uint32_t seed, length, isn;
	uint32_t origin;             /* offset 0 as reported is this byte of the truth */
	uint64_t position;           /* end of the reported bytes */
	uint8_t seen[40000];         /* bytes that some captured segment had whole */
	uint8_t outcome[40000];      /* 0: not reported; 1: bytes; 2 and more: hole, by reason */
	bool failed, finished;
};

static struct trial trial;

static uint8_t truth(uint32_t at)
{
	return (uint8_t)(at * 31 + at / 251 + trial.seed);
}

static void quiet_begin(void *owner, struct tcp_connection *connection, const struct rtap_packet *packet)
{
	(void)owner;
	(void)connection;
	(void)packet;
}

static void quiet_life(void *owner, struct tcp_connection *connection, bool from_a, enum tcp_life life, const struct rtap_packet *packet)
{
	(void)owner;
	(void)connection;
	(void)from_a;
	(void)life;
	(void)packet;
}

static void quiet_end(void *owner, struct tcp_connection *connection, enum tcp_end reason)
{
	(void)owner;
	(void)connection;
	(void)reason;
}

static void check_bytes(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes)
{
	(void)owner;
	(void)connection;
	if (!from_a || bytes->offset != trial.position || trial.origin + bytes->offset + bytes->span.length > trial.length) {
		trial.failed = true;
		return;
	}
	for (uint32_t i = 0; i < bytes->span.length; i++) {
		trial.failed |= bytes->span.bytes[i] != truth(trial.origin + (uint32_t)bytes->offset + i);
		trial.outcome[trial.origin + bytes->offset + i] = 1;
	}
	trial.position += bytes->span.length;
}

static void check_hole(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_hole *hole)
{
	(void)owner;
	(void)connection;
	if (!from_a || hole->offset != trial.position || trial.origin + hole->offset + hole->length > trial.length) {
		trial.failed = true;
		return;
	}
	memset(trial.outcome + trial.origin + hole->offset, 2 + (int)hole->reason, hole->length);
	trial.position += hole->length;
}

static const struct tcp_stream_user checker = {
	.begin = quiet_begin, .life = quiet_life, .bytes = check_bytes, .hole = check_hole, .end = quiet_end,
};

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % below;
}

struct part {
	uint32_t at, length, cut;
};

struct habits {
	bool handshake, loses, doubles, overlaps, snaps, disorders, acknowledges, starves;
};

/* The segments of the stream in the order captured. */
static uint32_t make_parts(const struct habits *habits, struct part *parts)
{
	uint32_t count = 0, largest = 1 + draw(draw(2) ? 3000 : 300);

	if (trial.length / largest > 400)
		largest = trial.length / 400 + 1;
	for (uint32_t at = 0, step; at < trial.length; at += step) {
		uint32_t begin = habits->overlaps && !draw(4) ? at - draw(at + 1) % 500 : at;

		step = 1 + draw(largest) / 2 + largest / 2;
		if (step > trial.length - at)
			step = trial.length - at;
		if (!habits->loses || draw(8))
			parts[count++] = (struct part){ begin, at + step - begin, 0 };
		if (habits->doubles && count && !draw(6)) {
			parts[count] = parts[count - 1 - draw(count) % 20];
			count++;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		if (habits->snaps && !draw(5))
			parts[i].cut = draw(parts[i].length + 1);
	for (uint32_t i = 0; i < count && habits->disorders; i++) {
		uint32_t other = i - i % 20 + draw(20); /* no farther than the grace of 64 segments */
		struct part saved = parts[i];

		if (other < count) {
			parts[i] = parts[other];
			parts[other] = saved;
		}
	}
	return count;
}

static void give_part(const struct part *part, int64_t time_ns)
{
	static uint8_t bytes[40000];

	for (uint32_t i = 0; i < part->length; i++)
		bytes[i] = truth(part->at + i);
	memset(trial.seen + part->at, 1, part->length - part->cut);
	give(&(struct tcp_kit_segment){ .flags = ACK, .seq = trial.isn + 1 + part->at, .ack = 500, .bytes = bytes, .length = part->length,
					.cut = part->cut, .time_ns = time_ns });
}

static void run_trial(uint32_t seed, const struct habits *habits)
{
	static struct part parts[2000];
	uint32_t count, sent = 0;

	random_state = seed;
	trial = (struct trial){ .seed = seed, .length = 1 + draw(draw(3) ? 3000 : 39000) };
	trial.isn = draw(2) ? draw(1u << 31) : UINT32_MAX - draw(3000);
	begin(habits->starves ? 12000 : 1 << 20, &checker);
	count = make_parts(habits, parts);
	if (habits->handshake) {
		give(&(struct tcp_kit_segment)A(SYN, trial.isn, 0));
		give(&(struct tcp_kit_segment)B(SYN | ACK, 499, trial.isn + 1));
	} else if (count) {
		trial.origin = parts[0].at;
	}
	for (uint32_t i = 0; i < count; i++) {
		give_part(&parts[i], i * (MILLISECOND / 10));
		if (parts[i].at + parts[i].length > sent)
			sent = parts[i].at + parts[i].length;
		if (habits->acknowledges && !draw(3))
			give(&(struct tcp_kit_segment)B(ACK, 500, trial.isn + 1 + draw(sent + 1),
							.time_ns = i * (MILLISECOND / 10)));
	}
	trial.finished = count > 0;
	if (trial.finished)
		give(&(struct tcp_kit_segment)A(FIN | ACK, trial.isn + 1 + trial.length, 500, .time_ns = count * (MILLISECOND / 10)));
	end();
}

/* What is wrong with the outcome of a byte, or NULL. */
static const char *fault_at(const struct habits *habits, uint32_t at)
{
	if (!trial.outcome[at])
		return "not reported";
	if (trial.outcome[at] == 1 && !trial.seen[at])
		return "reported, but not captured";
	if (trial.seen[at] && !habits->starves && !habits->snaps && trial.outcome[at] != 1)
		return "captured, but reported as missing";
	if (!habits->starves && trial.outcome[at] == 2 + TCP_HOLE_EVICTED)
		return "evicted below the memory limit";
	return NULL;
}

/* Everything is reported once, and every captured byte unless there was a reason. */
static void check_trial(const struct habits *habits)
{
	cr_assert_not(trial.failed, "seed %u", trial.seed);
	for (uint32_t at = trial.origin; trial.finished && at < trial.length; at++) {
		const char *fault = fault_at(habits, at);

		if (fault)
			cr_assert_fail("seed %u: byte %u of %u: %s", trial.seed, at, trial.length, fault);
	}
}

Test(tcp_stream, any_divided_shuffled_doubled_and_lossy_stream_is_reassembled_except_for_losses)
{
	for (uint32_t seed = 0; seed < 2048; seed++) {
		struct habits habits = {
			.handshake = seed & 1, .loses = seed & 2, .doubles = seed & 4, .overlaps = seed & 8, .snaps = seed & 16,
			.disorders = seed & 32, .acknowledges = seed & 64, .starves = !(seed & 0x380),
		};

		run_trial(seed, &habits);
		check_trial(&habits);
	}
}

Test(tcp_stream, offsets_go_on_beyond_four_gibibytes)
{
	uint64_t offset = 0;

	begin(1 << 20, &receiver);
	give(&(struct tcp_kit_segment)A(SYN, 99, 0));
	give(&(struct tcp_kit_segment)B(SYN | ACK, 499, 100));
	for (uint32_t i = 0; i < 70000; i++, offset += 65000) {
		struct tcp_kit_segment segment = { .flags = ACK, .seq = (uint32_t)(100 + offset), .length = 65000, .cut = 65000 };
		struct tcp_segment_facts facts = give(&segment);

		cr_assert_eq(facts.offset, offset);
		cr_assert_eq(facts.analysis, RTAP_TCP_NEW);
		reported[0] = 0;
	}
	cr_assert_eq(give(&(struct tcp_kit_segment)A(ACK, (uint32_t)(100 + offset), 0, DATA("end"))).offset, offset);
	cr_expect_str_eq(reported, "a 4550000000 'end' #70003\n", "%s", reported);
	end();
}

/* A digest that is already known counts: a wrong one makes equal bytes differ. */
Test(tcp_stream, repeats_are_known_by_digests_worked_out_ahead)
{
	const struct tcp_kit_segment segment = A(ACK, 100, 0, DATA("again and again"));

	for (unsigned ahead = 0; ahead < 4; ahead++) {
		begin(1 << 20, &receiver);
		give(&(struct tcp_kit_segment)A(SYN, 99, 0));
		has_digests = ahead & 1;
		give(&segment);
		has_digests = ahead & 2;
		cr_expect_not(give(&segment).differs);
		wrong = has_digests;
		cr_expect_eq(give(&segment).differs, has_digests);
		has_digests = false;
		wrong = 0;
		reported[0] = 0;
		end();
	}
}

static uint32_t reported_holes;

static void count_hole(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_hole *hole)
{
	(void)owner;
	(void)connection;
	(void)from_a;
	reported_holes += hole->reason == TCP_HOLE_EVICTED;
}

static void ignore_bytes(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes)
{
	(void)owner;
	(void)connection;
	(void)from_a;
	(void)bytes;
}

static const struct tcp_stream_user counter = {
	.begin = quiet_begin, .life = quiet_life, .bytes = ignore_bytes, .hole = count_hole, .end = quiet_end,
};

Test(tcp_stream, data_after_a_gap_stays_within_the_budget)
{
	static uint8_t bytes[1000];

	begin(100000, &counter);
	reported_holes = 0;
	for (uint32_t i = 0; i < 5000; i++)
		give(&(struct tcp_kit_segment){ .flags = ACK, .seq = 100 + i * 2000, .bytes = bytes, .length = 1000 });
	cr_expect_leq(budget.peak, 100000);
	cr_expect_gt(streams.forced_holes, 4000);
	end();
	cr_expect_gt(reported_holes, 4000);
}

/* Every second byte waits. Each segment that overlaps many of them would be compared with all again. */
Test(tcp_stream, of_many_pieces_under_one_segment_the_ones_before_it_wait_no_longer)
{
	static uint8_t bytes[2000];

	begin(1 << 20, &counter);
	give(&(struct tcp_kit_segment)A(SYN, 99, 0));
	for (uint32_t i = 0; i < 1000; i++)
		give(&(struct tcp_kit_segment){ .flags = ACK, .seq = 101 + 2 * i, .bytes = bytes, .length = 1 });
	give(&(struct tcp_kit_segment){ .flags = ACK, .seq = 1000, .bytes = bytes, .length = 100 });
	cr_expect_eq(streams.forced_holes, 0);
	give(&(struct tcp_kit_segment){ .flags = ACK, .seq = 1000, .bytes = bytes, .length = 1000 });
	cr_expect_gt(streams.forced_holes, 400);
	end();
}

Test(tcp_stream, the_queue_that_others_evict_becomes_an_evicted_hole)
{
	struct budget_entry other = { 0 };

	begin(100000, &receiver);
	give(&(struct tcp_kit_segment)A(SYN, 99, 0));
	give(&(struct tcp_kit_segment)A(ACK, 102, 0, DATA("cd")));
	give(&(struct tcp_kit_segment)A(ACK, 106, 0, DATA("gh")));
	cr_assert(budget_take(&budget, &other, 100000 - streams.entry.bytes));
	cr_expect_eq(streams.evicted_queues, 1);
	budget_give(&budget, &other, other.bytes);
	give(&(struct tcp_kit_segment)A(ACK, 100, 0, DATA("ab")));
	give(&(struct tcp_kit_segment)A(ACK, 110, 0, DATA("kl")));
	end();
	cr_expect_str_eq(reported, "begin\na syn\na 0 'ab' #4\na 2+6 evicted\na 8+2 not captured\na 10 'kl' #5\nend input\n", "%s", reported);
}

Test(tcp_stream, data_after_a_gap_is_passed_on_after_a_timeout)
{
	begin(100000, &receiver);
	budget_give_up_after(&budget, 60 * SECOND);
	give(&(struct tcp_kit_segment)A(SYN, 99, 0));
	give(&(struct tcp_kit_segment)A(ACK, 102, 0, DATA("cd")));
	give(&(struct tcp_kit_segment)A(ACK, 106, 0, DATA("gh")));
	budget_advance(&budget, SECOND);
	cr_expect_null(strstr(reported, "not captured"));
	budget_advance(&budget, 62 * SECOND);
	cr_expect_str_eq(reported, "begin\na syn\na 0+2 not captured\na 2 'cd' #2\na 4+2 not captured\na 6 'gh' #3\n", "%s", reported);
	cr_expect_eq(budget.used, streams.entry.bytes);
	/* the connection goes on */
	give(&(struct tcp_kit_segment)A(ACK, 108, 0, DATA("ij"), AT(63000)));
	end();
	cr_expect(strstr(reported, "a 8 'ij' #4\nend input\n"), "%s", reported);
}

Test(tcp_stream, many_connections_of_which_nothing_was_seen_for_long_end_before_others_begin)
{
	begin(128 * 10 * sizeof(struct tcp_connection), &counter);
	budget_give_up_after(&budget, 60 * SECOND);
	for (uint16_t i = 0; i < 20; i++)
		give(&(struct tcp_kit_segment){ .flags = SYN, .seq = 99, .port = (uint16_t)(1000 + i), AT(i * 1000) });
	cr_expect_eq(streams.map.count, 20);
	/* the first ten, of which nothing was seen for a minute; those that are no more than their share stay */
	give(&(struct tcp_kit_segment){ .flags = SYN, .seq = 99, .port = 5000, AT(69500) });
	cr_expect_eq(streams.map.count, 11);
	give(&(struct tcp_kit_segment){ .flags = SYN, .seq = 99, .port = 5001, AT(200000) });
	cr_expect_eq(streams.map.count, 11);
	cr_expect_eq(streams.evicted_connections, 0);
	end();
}

Test(tcp_stream, a_segment_cut_within_its_options_still_reports_how_much_it_carried)
{
	const struct tcp_kit_segment segment = A(ACK, 100, 7, DATA("abcd"), .sack_left = 1, .sack_right = 3);
	struct kit whole, cut;

	tcp_kit_dissect(&whole, &segment, 1);
	cr_expect_eq(whole.packet.tcp.sack_count, 1);
	cr_expect_eq(whole.packet.tcp.sack[0].right, 3);
	cr_expect_eq(whole.packet.tcp.payload.captured, 4);
	for (uint32_t captured = 40; captured < 52; captured++) {
		kit_dissect(&cut, RTAP_LINK_RAW, whole.frame.bytes, captured, whole.frame.wire_length, NULL);
		cr_expect(cut.packet.tcp.present && kit_has_anomaly(&cut, RTAP_ANOMALY_TRUNCATED));
		cr_expect_eq(cut.packet.tcp.sequence, 100);
		cr_expect_eq(cut.packet.tcp.payload.captured, 0);
		cr_expect_eq(cut.packet.tcp.payload.wire, 4);
		kit_free(&cut);
	}
	kit_dissect(&cut, RTAP_LINK_RAW, whole.frame.bytes, 39, whole.frame.wire_length, NULL);
	cr_expect(!cut.packet.tcp.present);
	kit_free(&cut);
	kit_free(&whole);
}

static struct budget_entry greedy;

static void demand_bytes(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes)
{
	if (budget_take(&budget, &greedy, budget.limit - streams.entry.bytes))
		budget_give(&budget, &greedy, greedy.bytes);
	on_bytes(owner, connection, from_a, bytes);
}

Test(tcp_stream, a_callback_cannot_evict_its_argument)
{
	struct tcp_stream_user user = receiver;

	user.bytes = demand_bytes;
	begin(8000, &user);
	give(&(struct tcp_kit_segment)A(SYN, 99, 0));
	for (uint32_t i = 20; i; i--)
		give(&(struct tcp_kit_segment)A(ACK, 100 + 2 * i, 0, DATA("ab")));
	give(&(struct tcp_kit_segment)A(ACK, 100, 0, DATA("ab")));
	cr_expect_eq(streams.evicted_queues, 0);
	cr_expect(strstr(reported, "a 40 'ab' #2\n"), "%s", reported);
	end();
}

static void give_from(uint32_t host, uint8_t flags)
{
	struct tcp_kit_segment segment = A(flags, 99, 0);
	struct tcp_segment_facts facts;

	tcp_kit_dissect(&kit, &segment, ++number);
	tcp_kit_put32(kit.block + 12, host);
	tcp_stream_segment(&streams, &kit.packet, &facts);
	kit_free(&kit);
}

Test(tcp_stream, of_too_many_connections_the_one_unused_for_longest_ends)
{
	begin(1 << 20, &counter);
	for (uint32_t host = 1; host <= 10000; host++)
		give_from(host, SYN);
	cr_expect_eq(streams.connections, 10000);
	cr_expect_gt(streams.evicted_connections, 9000);
	cr_expect_leq(budget.peak, 1 << 18);
	cr_expect_eq(streams.connections - streams.evicted_connections, streams.map.count);
	end();
}

enum order { REVERSED, SCATTERED, ONE_HOLE, OVERLAPPING, ORDERS };

/* Processor time that `count` segments of the worst kind take, in clock ticks. */
static clock_t time_of(enum order order, uint32_t count)
{
	static uint8_t bytes[3000];
	clock_t start;

	begin(1 << 30, &counter);
	start = clock();
	for (uint32_t i = 1; i <= count; i++) {
		/* an odd factor visits all places once */
		uint32_t place = order == REVERSED ? count - i : order == SCATTERED ? i * 40503u % (1u << 20) : i;
		uint32_t step = order == OVERLAPPING ? 2 : 8, length = order == OVERLAPPING && i % 4 == 0 ? 3000 : 1;

		give(&(struct tcp_kit_segment){ .flags = ACK, .seq = 200 + place * step, .bytes = bytes, .length = length });
	}
	start = clock() - start;
	end();
	return start;
}

Test(tcp_stream, twice_as_many_pieces_take_less_than_three_times_as_long)
{
	for (enum order order = 0; order < ORDERS; order++) {
		clock_t once = time_of(order, 40000), twice = time_of(order, 80000);

		cr_expect_lt(twice, 3 * once + CLOCKS_PER_SEC / 100, "order %d: %ld > %ld", order, (long)once, (long)twice);
	}
}

Test(tcp_stream, a_million_single_bytes_in_the_worst_order_do_not_hang)
{
	static const uint8_t byte = 'x';

	begin(64 << 20, &counter);
	for (uint32_t i = 0; i < 60000; i++)
		give(&(struct tcp_kit_segment){ .flags = ACK, .seq = 100 + (i % 2 ? i : 200000 - i) * 2, .bytes = &byte, .length = 1 });
	cr_expect_leq(budget.peak, 64 << 20);
	end();
}
