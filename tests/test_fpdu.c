/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "dissect/iwarp/fpdu.h"
#include "reassembly/iwarp/fpdu.h"
#include "tests/iwarp_kit.h"

/* Compares the reports of the framer with the FPDUs that were sent. */
struct taker {
	struct fpdu_sink sink;
	const struct sender *sender;
	uint8_t *seen;          /* of each FPDU sent, how often it was reported whole */
	uint32_t reported, partial, wrong, recovered, recovered_no_crc, split, skewed, bad_crc;
	uint64_t lost;
	uint64_t last_offset, last_frame;
};

static const struct sent_fpdu *find_sent(const struct sender *sender, uint64_t offset)
{
	for (uint32_t i = 0; i < sender->count; i++)
		if (sender->fpdus[i].offset == offset)
			return &sender->fpdus[i];
	return NULL;
}

/* Whether every byte reported is the byte sent at that place; *missing counts those not reported. */
static bool is_same(const struct sender *sender, const struct sent_fpdu *sent, const struct rtap_fpdu *fpdu, uint32_t *missing)
{
	struct rtap_span extent;
	uint32_t at = 0, before = 0, head_length;
	const uint8_t *ulpdu = sender->ulpdus + sent->ulpdu, *head = fpdu_head(fpdu, &head_length);

	*missing = 0;
	if (fpdu->ulpdu_length != sent->ulpdu_length || fpdu->bytes.length != sent->length || memcmp(head, ulpdu, head_length))
		return false;
	while (fpdu_next_extent(fpdu, &at, &extent)) {
		if (at - before != extent.length || !extent.length)
			return false;
		if (!extent.bytes)
			*missing += extent.length;
		else if (memcmp(extent.bytes, ulpdu + before, extent.length))
			return false;
		before = at;
	}
	return at == sent->ulpdu_length;
}

static void take_fpdu(struct fpdu_sink *sink, const struct rtap_fpdu *fpdu)
{
	struct taker *taker = (struct taker *)sink;
	const struct sent_fpdu *sent = find_sent(taker->sender, fpdu->stream_offset);
	uint32_t missing;

	/* an FPDU that lost the marker in front of it has all its own bytes, and without a CRC nothing misses that one */
	if (!sent && fpdu->crc_status == RTAP_CRC_OFF && (sent = find_sent(taker->sender, fpdu->stream_offset - 4)) &&
	    fpdu->bytes.length == sent->length - 4)
		return;
	taker->reported++;
	if (!sent || !is_same(taker->sender, sent, fpdu, &missing)) {
		taker->wrong++;
		return;
	}
	if (missing || fpdu->gap_count)
		taker->partial++;
	else
		taker->seen[sent - taker->sender->fpdus]++;
	taker->recovered += fpdu->framing == RTAP_FPDU_RECOVERED;
	taker->recovered_no_crc += fpdu->framing == RTAP_FPDU_RECOVERED_NO_CRC;
	taker->split += fpdu->split;
	taker->skewed += fpdu->skewed_markers;
	taker->bad_crc += fpdu->crc_status == RTAP_CRC_BAD;
	cr_expect(taker->reported == 1 || fpdu->stream_offset > taker->last_offset, "FPDUs are reported in order");
	cr_expect(fpdu->first_frame <= fpdu->last_frame);
	cr_expect(fpdu->first_frame >= taker->last_frame || !taker->last_frame);
	taker->last_offset = fpdu->stream_offset;
	taker->last_frame = fpdu->first_frame;
}

static void take_lost(struct fpdu_sink *sink, uint64_t offset, uint64_t length)
{
	(void)offset;
	((struct taker *)sink)->lost += length;
}

static void taker_init(struct taker *taker, const struct sender *sender)
{
	*taker = (struct taker){ .sink = { take_fpdu, take_lost }, .sender = sender, .seen = calloc(SENT_MAX, 1) };
}

/* A piece in a heap block of its own, so that a sanitizer sees every byte read after it. */
static void take_piece(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length, uint64_t frame)
{
	uint8_t *block = malloc(length ? length : 1);
	struct fpdu_piece piece = { block, length, frame, (int64_t)frame, 0, false };

	memcpy(block, bytes, length);
	fpdu_take(framer, &piece);
	free(block);
}

/* Bytes [from, end) of the stream in pieces of a size. */
static void take_pieces(struct fpdu_framer *framer, const struct sender *sender, uint32_t from, uint32_t end, uint32_t size)
{
	for (uint32_t at = from; at < end; at += size)
		take_piece(framer, sender->bytes + at, end - at < size ? end - at : size, 1 + at / size);
}

static struct fpdu_rules rules_of(const struct sender *sender, bool from_start)
{
	return (struct fpdu_rules){
		.from_start = from_start, .is_iwarp = true, .crc = sender->crc ? FPDU_ON : FPDU_OFF,
		.markers = sender->markers == SENT_PLAIN ? FPDU_OFF : FPDU_ON,
	};
}

static void send_mixture(struct sender *sender, uint32_t count, uint32_t largest)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i % 5 == 3)
			send_write(sender, i * 37 % largest);
		else
			send_send(sender, i * 41 % largest);
	}
}

static struct sender sender;
static struct taker taker;
static struct fpdu_framer framer;

TestSuite(fpdu, .timeout = HANG_SECONDS);

Test(fpdu, every_fpdu_is_reported_however_the_stream_is_cut_and_wherever_markers_fall)
{
	static const uint32_t sizes[] = { 1, 3, 20, 100, 511, 512, 1460, 9000, 1u << 20 };
	unsigned places[PLACES] = { 0 };

	for (int markers = SENT_PLAIN; markers <= SENT_SKEWED; markers++)
		for (int crc = 0; crc < 2; crc++) {
			sender_init(&sender, markers, crc);
			send_mixture(&sender, 600, 700);
			for (unsigned i = 0; markers == SENT_MARKED && i < PLACES; i++)
				places[i] += sender.places[i];
			for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
				struct fpdu_rules rules = rules_of(&sender, true);

				taker_init(&taker, &sender);
				fpdu_init(&framer, &taker.sink, &rules, 0);
				take_pieces(&framer, &sender, 0, sender.length, sizes[i]);
				cr_expect_eq(taker.reported, sender.count, "markers %d crc %d pieces %u: %u of %u", markers, crc, sizes[i], taker.reported, sender.count);
				cr_expect_eq(taker.wrong + taker.partial + taker.bad_crc + taker.recovered + taker.recovered_no_crc, 0,
					     "markers %d crc %d pieces %u", markers, crc, sizes[i]);
				cr_expect(sizes[i] < sender.length || !taker.split, "nothing is copied that lies in one piece");
				cr_expect_eq(markers == SENT_SKEWED, taker.skewed > 0);
				cr_expect_leq(fpdu_memory(&framer), 3 * MPA_MAX_FPDU);
				fpdu_fini(&framer);
				free(taker.seen);
			}
			sender_fini(&sender);
		}
	for (unsigned i = 0; i < PLACES; i++)
		cr_expect(places[i] || i == PLACE_BEFORE_PAD, "no marker in place %u", i);
}

Test(fpdu, a_marker_at_each_offset_of_an_fpdu_is_taken_out)
{
	/* the first FPDU pushes the second along, so that its marker stands at every word of it in turn */
	for (uint32_t pushed = 0; pushed < 600; pushed++) {
		struct fpdu_rules rules;

		sender_init(&sender, SENT_MARKED, true);
		send_send(&sender, pushed);
		send_send(&sender, 101);
		send_write(&sender, 0);
		send_send(&sender, 1400);
		rules = rules_of(&sender, true);
		taker_init(&taker, &sender);
		fpdu_init(&framer, &taker.sink, &rules, 0);
		take_pieces(&framer, &sender, 0, sender.length, 1460);
		cr_expect(taker.reported == 4 && !taker.wrong && !taker.bad_crc, "first payload of %u", pushed);
		fpdu_fini(&framer);
		free(taker.seen);
		sender_fini(&sender);
	}
}

Test(fpdu, the_largest_fpdus_are_reported)
{
	for (int markers = SENT_PLAIN; markers <= SENT_SKEWED; markers++) {
		struct fpdu_rules rules;

		sender_init(&sender, markers, true);
		for (int i = 0; i < 6; i++)
			send_send(&sender, 65535 - 18);
		rules = rules_of(&sender, true);
		taker_init(&taker, &sender);
		fpdu_init(&framer, &taker.sink, &rules, 0);
		take_pieces(&framer, &sender, 0, sender.length, 1460);
		cr_expect(taker.reported == 6 && !taker.wrong, "markers %d: %u", markers, taker.reported);
		cr_expect_leq(fpdu_memory(&framer), 3 * MPA_MAX_FPDU);
		fpdu_fini(&framer);
		free(taker.seen);
		sender_fini(&sender);
	}
}

/* The layout of old stacks may be found some FPDUs later: it is not worth more. */
#define SKEWED_LEEWAY 2048

/* Checks that each FPDU after an offset was reported once, and none before it. */
static void expect_all_after(uint32_t from, const char *what, int markers, int crc)
{
	for (uint32_t i = 0; i < sender.count; i++)
		if (markers != SENT_SKEWED || sender.fpdus[i].offset < from || sender.fpdus[i].offset > from + SKEWED_LEEWAY)
			cr_expect_eq(taker.seen[i], sender.fpdus[i].offset >= from,
				     "%s, markers %d, crc %d, cut at %u: FPDU %u at %u reported %u times", what, markers, crc,
			     from, i, sender.fpdus[i].offset, taker.seen[i]);
	cr_expect_eq(taker.wrong, 0, "%s, markers %d, crc %d, cut at %u", what, markers, crc, from);
}

Test(fpdu, framing_is_found_again_from_any_byte_on)
{
	for (int markers = SENT_PLAIN; markers <= SENT_SKEWED; markers++)
		for (int crc = 0; crc < 2; crc++) {
			sender_init(&sender, markers, crc);
			send_mixture(&sender, 60, 900);
			for (uint32_t from = 1; from < 2500; from++) {
				struct fpdu_rules nothing = { 0 };

				taker_init(&taker, &sender);
				fpdu_init(&framer, &taker.sink, &nothing, from);
				take_pieces(&framer, &sender, from, sender.length, from % 3 ? 1460 : 400);
				fpdu_finish(&framer, 0);
				expect_all_after(from, "nothing known", markers, crc);
				cr_expect_eq(crc ? taker.recovered : taker.recovered_no_crc, taker.reported);
				cr_expect(markers != SENT_SKEWED || taker.reported);
				fpdu_fini(&framer);
				free(taker.seen);
			}
			sender_fini(&sender);
		}
}

/* An MSN of 12 to 15 stands 12 bytes after ULPDU_Length, as a marker would that points back to it. */
Test(fpdu, a_word_of_the_headers_that_points_back_is_no_marker)
{
	for (int crc = 0; crc < 2; crc++)
		for (uint32_t pushed = 0; pushed < 600; pushed += 4) {
			struct fpdu_rules nothing = { 0 };
			uint32_t from;

			sender_init(&sender, SENT_MARKED, crc);
			send_send(&sender, pushed);
			sender.msn = 12;
			from = sender.length;
			for (uint32_t i = 0; i < 12; i++)
				send_send(&sender, i % 2 ? 432 : 21);
			taker_init(&taker, &sender);
			fpdu_init(&framer, &taker.sink, &nothing, from);
			take_pieces(&framer, &sender, from, sender.length, 1460);
			fpdu_finish(&framer, 0);
			cr_expect_eq(taker.wrong, 0, "crc %d, first payload of %u", crc, pushed);
			cr_expect_eq(taker.reported, 12, "crc %d, first payload of %u: %u reported", crc, pushed, taker.reported);
			fpdu_fini(&framer);
			free(taker.seen);
			sender_fini(&sender);
		}
}

/* A word before the marker points to the same FPDU, and few bytes follow the marker: that FPDU alone is unknown. */
Test(fpdu, of_two_words_that_point_back_the_last_in_the_stream_may_be_the_marker)
{
	for (int followed = 0; followed < 2; followed++)
		for (uint32_t place = 0; place < 40; place += 4) {
			struct fpdu_rules only_iwarp = { .is_iwarp = true };
			uint8_t ulpdu[18 + 52] = { 0x41, 0x43, [13] = 1 };
			uint32_t whole;

			sender_init(&sender, SENT_MARKED, true);
			sender.next_marker = 68;
			put32(ulpdu + 18 + place, 20 + place);
			send_fpdu(&sender, ulpdu, sizeof ulpdu);
			sender.msn++;
			whole = sender.length;
			for (unsigned i = 0; followed && i < 12; i++)
				send_send(&sender, 101);
			taker_init(&taker, &sender);
			fpdu_init(&framer, &taker.sink, &only_iwarp, 0);
			take_piece(&framer, sender.bytes, whole, 1);
			take_pieces(&framer, &sender, whole, sender.length, 400);
			fpdu_finish(&framer, 0);
			cr_expect(!taker.wrong && !taker.bad_crc && taker.reported + 1 >= sender.count, "place %u, followed %d: %u reported, %u wrong",
				  place, followed, taker.reported, taker.wrong);
			fpdu_fini(&framer);
			free(taker.seen);
			sender_fini(&sender);
		}
}

/* A word of a payload points back to an FPDU that ends before it: the good CRC of that does not show where markers are. */
Test(fpdu, a_word_that_points_to_an_fpdu_before_its_own_is_no_marker)
{
	for (int skewed = 0; skewed < 2; skewed++)
		for (uint32_t place = 0; place < 40; place += 4) {
			struct fpdu_rules only_iwarp = { .is_iwarp = true };
			uint8_t ulpdu[18 + 64] = { 0x41, 0x43, [13] = 3 };
			uint32_t back;

			sender_init(&sender, SENT_MARKED, true);
			sender.next_marker = 56;
			send_send(&sender, 12);
			send_send(&sender, 12);
			back = sender.length + 20 + place;
			fill_noise(ulpdu + 18, 64, place);
			put32(ulpdu + 18 + place, skewed ? back << 8 : back);
			send_fpdu(&sender, ulpdu, sizeof ulpdu);
			sender.msn++;
			send_send(&sender, 12);
			taker_init(&taker, &sender);
			fpdu_init(&framer, &taker.sink, &only_iwarp, 0);
			take_pieces(&framer, &sender, 0, sender.length, 1460);
			fpdu_finish(&framer, 0);
			cr_expect(taker.reported == 4 && !taker.wrong && !taker.bad_crc && !taker.lost, "skewed %d, place %u: %u reported, %u wrong", skewed, place,
				  taker.reported, taker.wrong);
			fpdu_fini(&framer);
			free(taker.seen);
			sender_fini(&sender);
		}
}

Test(fpdu, a_search_goes_on_byte_by_byte)
{
	for (int markers = SENT_PLAIN; markers <= SENT_SKEWED; markers++)
		for (int crc = 0; crc < 2; crc++) {
			sender_init(&sender, markers, crc);
			send_mixture(&sender, 40, 300);
			for (uint32_t from = 1; from < 700; from += 11) {
				struct fpdu_rules nothing = { 0 };

				taker_init(&taker, &sender);
				fpdu_init(&framer, &taker.sink, &nothing, from);
				take_pieces(&framer, &sender, from, sender.length, 1);
				fpdu_finish(&framer, 0);
				cr_expect(taker.reported > 10, "markers %d crc %d cut at %u", markers, crc, from);
				fpdu_fini(&framer);
				free(taker.seen);
			}
			sender_fini(&sender);
		}
}

Test(fpdu, a_marker_that_may_point_to_two_places_ends_no_search)
{
	static uint8_t bytes[2048];

	/* 1024 bytes back, if it is big-endian, are the headers of an FPDU without payload whose CRC is wrong; little-endian it is 4 */
	fill_noise(bytes, sizeof bytes, 9);
	memcpy(bytes + 50, "\xff\xf0\xc1\x40", 4); /* and what may become an FPDU holds all these bytes */
	memcpy(bytes + 100, "\0\0\0\0\0\x0e\xc1\x40\x12\x34\x56\x78", 12);
	memcpy(bytes + 1124, "\0\0\x04\0", 4);
	for (uint32_t size = 1; size < 40; size++) {
		struct fpdu_rules nothing = { 0 };

		memset(&sender, 0, sizeof sender);
		taker_init(&taker, &sender);
		fpdu_init(&framer, &taker.sink, &nothing, 0);
		for (uint32_t at = 0; at < sizeof bytes; at += size)
			take_piece(&framer, bytes + at, sizeof bytes - at < size ? sizeof bytes - at : size, 1);
		fpdu_finish(&framer, 0);
		cr_expect_eq(taker.reported, 0);
		fpdu_fini(&framer);
		free(taker.seen);
	}
}

Test(fpdu, large_fpdus_are_found_again_too)
{
	for (int markers = SENT_PLAIN; markers <= SENT_MARKED; markers++)
		for (int crc = 0; crc < 2; crc++) {
			struct fpdu_rules nothing = { 0 };

			sender_init(&sender, markers, crc);
			for (int i = 0; i < 12; i++)
				send_write(&sender, 65100 - 400 * (uint32_t)i);
			taker_init(&taker, &sender);
			fpdu_init(&framer, &taker.sink, &nothing, 1000);
			take_pieces(&framer, &sender, 1000, sender.length, 1460);
			expect_all_after(1000, "large", markers, crc);
			fpdu_fini(&framer);
			free(taker.seen);
			sender_fini(&sender);
		}
}

/* FPDUs that a lost piece may affect: those with bytes in it. */
static void expect_only_touched(uint32_t from, uint32_t end, int markers, int crc)
{
	for (uint32_t i = 0; i < sender.count; i++) {
		const struct sent_fpdu *fpdu = &sender.fpdus[i];
		bool touched = fpdu->offset < end && from < fpdu->offset + fpdu->length;

		cr_expect_eq(taker.seen[i], !touched, "markers %d crc %d hole %u to %u: FPDU %u (%u, %u bytes) reported %u times", markers, crc, from, end, i,
			     fpdu->offset, fpdu->length, taker.seen[i]);
	}
	cr_expect_eq(taker.wrong, 0, "markers %d crc %d hole %u to %u", markers, crc, from, end);
}

static void lose(uint32_t from, uint32_t end, int markers, int crc)
{
	struct fpdu_rules rules = rules_of(&sender, true);

	taker_init(&taker, &sender);
	fpdu_init(&framer, &taker.sink, &rules, 0);
	take_pieces(&framer, &sender, 0, from, 1460);
	fpdu_skip(&framer, end - from, 3);
	take_pieces(&framer, &sender, end, sender.length, 1460);
	fpdu_finish(&framer, 0);
	expect_only_touched(from, end, markers, crc);
	fpdu_fini(&framer);
	free(taker.seen);
}

Test(fpdu, a_hole_costs_the_fpdus_that_had_bytes_in_it)
{
	for (int markers = SENT_PLAIN; markers <= SENT_MARKED; markers++)
		for (int crc = 0; crc < 2; crc++) {
			sender_init(&sender, markers, crc);
			send_mixture(&sender, 60, 900);
			for (uint32_t from = 1; from < 4000; from += 7)
				lose(from, from + 1 + from * 13 % 1700, markers, crc);
			sender_fini(&sender);
		}
}

Test(fpdu, the_rest_of_an_fpdu_after_a_hole_is_reported_with_the_gap)
{
	struct fpdu_rules rules;

	sender_init(&sender, SENT_PLAIN, true);
	send_send(&sender, 3000);
	send_send(&sender, 10);
	rules = rules_of(&sender, true);
	taker_init(&taker, &sender);
	fpdu_init(&framer, &taker.sink, &rules, 0);
	take_pieces(&framer, &sender, 0, 500, 1460);
	fpdu_skip(&framer, 700, 3);
	take_pieces(&framer, &sender, 1200, sender.length, 1460);
	cr_expect_eq(taker.partial, 1);
	cr_expect_eq(taker.seen[1], 1);
	cr_expect_eq(taker.wrong, 0);
	fpdu_fini(&framer);
	free(taker.seen);
	sender_fini(&sender);
}

/* A payload can contain FPDUs. An FPDU with gaps is not taken as shorter than its length field at the first one, nor at the next. */
Test(fpdu, an_fpdu_with_gaps_is_not_searched_for_others)
{
	static struct sender inner;
	uint8_t send[2000] = { 0x41, 0x43, [13] = 1 };
	struct fpdu_rules rules;

	sender_init(&inner, SENT_PLAIN, true);
	send_send(&inner, 30);
	fill_noise(send + 18, sizeof send - 18, 1);
	/* word 101 of the stream */
	memcpy(send + 402, inner.bytes, inner.length);
	sender_init(&sender, SENT_PLAIN, true);
	send_fpdu(&sender, send, sizeof send);
	rules = rules_of(&sender, true);
	taker_init(&taker, &sender);
	fpdu_init(&framer, &taker.sink, &rules, 0);
	take_pieces(&framer, &sender, 0, 100, 1460);
	fpdu_skip(&framer, 100, 3);
	take_pieces(&framer, &sender, 200, 1000, 1460);
	fpdu_skip(&framer, 100, 3);
	take_pieces(&framer, &sender, 1100, sender.length, 1460);
	cr_expect(taker.reported == 1 && taker.partial == 1 && !taker.wrong);
	fpdu_fini(&framer);
	free(taker.seen);
	sender_fini(&sender);
	sender_fini(&inner);
}

Test(fpdu, cut_pieces_keep_the_framing)
{
	static const uint32_t captured[] = { 30, 24, 20, 16 };

	/* each FPDU in a piece of its own, of which only the first bytes were captured */
	for (size_t i = 0; i < sizeof captured / sizeof captured[0]; i++) {
		struct fpdu_rules rules;

		sender_init(&sender, SENT_PLAIN, true);
		send_mixture(&sender, 40, 900);
		rules = rules_of(&sender, true);
		taker_init(&taker, &sender);
		fpdu_init(&framer, &taker.sink, &rules, 0);
		for (uint32_t k = 0; k < sender.count; k++) {
			uint32_t length = sender.fpdus[k].length, part = length < captured[i] ? length : captured[i];

			take_piece(&framer, sender.bytes + sender.fpdus[k].offset, part, k + 1);
			fpdu_skip(&framer, length - part, 1);
		}
		cr_expect_eq(taker.reported, sender.count);
		cr_expect_eq(taker.wrong, 0);
		fpdu_fini(&framer);
		free(taker.seen);
		sender_fini(&sender);
	}
}

Test(fpdu, wrong_crcs_are_reported_as_such_and_lose_nothing_else)
{
	struct fpdu_rules rules;

	sender_init(&sender, SENT_PLAIN, true);
	send_mixture(&sender, 40, 900);
	rules = rules_of(&sender, true);
	sender.bytes[sender.fpdus[7].offset + sender.fpdus[7].length - 1] ^= 1;
	taker_init(&taker, &sender);
	fpdu_init(&framer, &taker.sink, &rules, 0);
	take_pieces(&framer, &sender, 0, sender.length, 1460);
	cr_expect_eq(taker.reported, sender.count);
	cr_expect_eq(taker.bad_crc, 1);
	fpdu_fini(&framer);
	free(taker.seen);
	sender_fini(&sender);
}

/*
 * Before a marker has proved the layout, one that was damaged may be a skewed one: that is tried, and given up again, also when
 * the marker stood in front; there it shows without a CRC, too.
 */
Test(fpdu, a_first_marker_that_was_damaged_costs_its_fpdu_alone)
{
	for (unsigned variant = 0; variant < 14 * 6; variant++) {
		/* with 100 bytes an FPDU begins with the second marker, with 104 one has it before its CRC */
		unsigned bit = variant / 6, payload = 100 + 4 * (variant % 3);
		bool crc = variant % 6 < 3;
		struct fpdu_rules rules;
		unsigned seen = 0;

		sender_init(&sender, SENT_MARKED, crc);
		for (uint32_t i = 0; i < 40; i++)
			send_send(&sender, payload);
		rules = rules_of(&sender, true);
		sender.bytes[512 + 2 + bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		taker_init(&taker, &sender);
		fpdu_init(&framer, &taker.sink, &rules, 0);
		take_pieces(&framer, &sender, 0, sender.length, 1460);
		for (uint32_t i = 0; i < sender.count; i++)
			seen += taker.seen[i] == 1;
		cr_expect_geq(seen, sender.count - 1, "%u bytes, bit %u, CRC %d: %u seen", payload, bit, crc, seen);
		cr_expect_eq(taker.recovered, 0, "the framing is not searched");
		fpdu_fini(&framer);
		free(taker.seen);
		sender_fini(&sender);
	}
}

Test(fpdu, a_length_that_was_damaged_costs_its_fpdu_and_the_one_that_its_end_falls_into)
{
	/* FPDU number n of a direction of 24, in whose length one bit is wrong */
	for (int markers = SENT_PLAIN; markers <= SENT_MARKED; markers++)
		for (uint32_t n = 0; n < 24; n += 7)
			for (unsigned bit = 0; bit < 16; bit++) {
				struct fpdu_rules rules;
				uint32_t length_at;
				unsigned seen = 0;

				sender_init(&sender, markers, true);
				send_mixture(&sender, 24, 900);
				rules = rules_of(&sender, true);
				/* with a marker in front the length stands after it */
				length_at = (uint32_t)sender.fpdus[n].offset;
				if (markers == SENT_MARKED && length_at % 512 == 0)
					length_at += 4;
				sender.bytes[length_at + bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
				taker_init(&taker, &sender);
				fpdu_init(&framer, &taker.sink, &rules, 0);
				take_pieces(&framer, &sender, 0, sender.length, 1460);
				fpdu_finish(&framer, 0);
				for (uint32_t i = 0; i < sender.count; i++)
					seen += taker.seen[i] == 1;
				cr_expect_geq(seen, 22, "markers %d, FPDU %u, bit %u: %u seen", markers, n, bit, seen);
				cr_expect_leq(taker.wrong, 1);
				fpdu_fini(&framer);
				free(taker.seen);
				sender_fini(&sender);
			}
}

static void expect_nothing(const uint8_t *bytes, uint32_t length, const char *what)
{
	struct fpdu_rules nothing = { 0 };

	memset(&sender, 0, sizeof sender);
	taker_init(&taker, &sender);
	fpdu_init(&framer, &taker.sink, &nothing, 0);
	for (uint32_t at = 0; at < length; at += 1460)
		take_piece(&framer, bytes + at, length - at < 1460 ? length - at : 1460, 1);
	fpdu_finish(&framer, 0);
	cr_expect_eq(taker.reported, 0, "%s", what);
	cr_expect_eq(taker.lost, length, "%s", what);
	cr_expect_leq(fpdu_memory(&framer), 2u << 20, "%s", what);
	fpdu_fini(&framer);
	free(taker.seen);
}

Test(fpdu, ordinary_streams_are_no_fpdus)
{
	enum { LENGTH = 1 << 20 };
	uint8_t *bytes = calloc(LENGTH, 1);

	expect_nothing(bytes, LENGTH, "zeros");
	fill_noise(bytes, LENGTH, 1);
	expect_nothing(bytes, LENGTH, "noise");
	for (uint32_t i = 0; i < LENGTH; i++)
		bytes[i] = (uint8_t)"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"[i % 37];
	expect_nothing(bytes, LENGTH, "text");
	/* every position looks like the headers of a Write of 65,000 bytes */
	for (uint32_t i = 0; i < LENGTH; i++)
		bytes[i] = (uint8_t)"\xfd\xe8\x81\x40"[i % 4];
	expect_nothing(bytes, LENGTH, "headers");
	free(bytes);
}

Test(fpdu, three_fpdus_without_crc_are_not_enough)
{
	struct fpdu_rules nothing = { 0 };

	for (uint32_t count = 1; count <= 5; count++) {
		sender_init(&sender, SENT_PLAIN, false);
		for (uint32_t i = 0; i < count; i++)
			send_send(&sender, 200);
		taker_init(&taker, &sender);
		fpdu_init(&framer, &taker.sink, &nothing, 0);
		take_pieces(&framer, &sender, 0, sender.length, 1460);
		fpdu_finish(&framer, 0);
		cr_expect_eq(taker.reported, count < 4 ? 0 : count, "%u FPDUs", count);
		fpdu_fini(&framer);
		free(taker.seen);
		sender_fini(&sender);
	}
}

Test(fpdu, a_row_whose_numbers_do_not_go_on_is_none)
{
	struct fpdu_rules nothing = { 0 };

	sender_init(&sender, SENT_PLAIN, false);
	for (uint32_t i = 0; i < 20; i++) {
		sender.msn = 1000 * (20 - i);
		send_send(&sender, 200);
	}
	taker_init(&taker, &sender);
	fpdu_init(&framer, &taker.sink, &nothing, 0);
	take_pieces(&framer, &sender, 0, sender.length, 1460);
	fpdu_finish(&framer, 0);
	cr_expect_eq(taker.reported, 0);
	fpdu_fini(&framer);
	free(taker.seen);
	sender_fini(&sender);
}
