/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include <rdmatap/field.h>

#include "output/compare/canon_map.h"
#include "output/compare/canon_notes.h"
#include "output/compare/canon_spool.h"
#include "output/compare/canon_values.h"

/* Parts of names by which values that change from run to run are known. */
static const char *const volatile_names[] = {
	"qpn", "destqp", "srcqp", "psn", "msn", "r_key", "rkey", "stag", "handle", "xid", "transactionid", "commid", "cookie", "verf", "verifier",
	"stateid", "clientid", "session", "owner", "fhandle", "checksum", "time", "stamp", "srcport", "seq", "ident", "hash", "fileid", "fsid",
	"changeid", "guid", "_gid", "lid", "qkey", "q_key", "eecn",
};

static bool looks_volatile(const struct rtap_field *field)
{
	bool by_type = field->show == RTAP_BYTES || field->show == RTAP_HEX64 || field->show == RTAP_EUI64 || field->show == RTAP_ETHER ||
		       field->show == RTAP_SECONDS;

	/* one bit distinguishes nobody */
	for (size_t i = 0; i < sizeof volatile_names / sizeof volatile_names[0] && field->show != RTAP_BOOL; i++)
		if (strstr(field->name, volatile_names[i]) && !strstr(field->name, "identify"))
			return true;
	return by_type;
}

TestSuite(canon_map, .timeout = HANG_SECONDS);
TestSuite(canon_names, .timeout = HANG_SECONDS);
TestSuite(canon_notes, .timeout = HANG_SECONDS);
TestSuite(canon_policy, .timeout = HANG_SECONDS);
TestSuite(canon_spool, .timeout = HANG_SECONDS);

/*
 * A new field that holds an identifier, bytes or a time needs a flag in its row: is it an identity, compared, or ignored? Without one,
 * it is left out by its type or its protocol's scope, or the test fails.
 */
Test(canon_policy, every_field_that_looks_volatile_has_a_policy)
{
	int undecided = 0;

	for (size_t id = 0; id < rtap_field_count(); id++) {
		const struct rtap_field *field = rtap_field_by_id((rtap_field_id)id);

		if (field->flags & RTAP_COMPARED || canon_policy_of((rtap_field_id)id).action != CANON_KEEP || !looks_volatile(field))
			continue;
		fprintf(stderr, "no RTAP_COMPARED, RTAP_IGNORED or RTAP_IS_...: %s (%s)\n", field->name, rtap_field_type(field));
		undecided++;
	}
	cr_assert_eq(undecided, 0);
}

Test(canon_policy, a_row_has_at_most_one_policy_and_rows_of_one_name_the_same)
{
	for (size_t id = 0; id < rtap_field_count(); id++) {
		const struct rtap_field *field = rtap_field_by_id((rtap_field_id)id);
		unsigned compared = (field->flags & RTAP_COMPARED) != 0, ignored = (field->flags & RTAP_IGNORED) != 0;
		struct canon_policy own = canon_policy_of((rtap_field_id)id), first;
		rtap_field_id first_id;

		cr_expect_leq(compared + ignored + (RTAP_IDENTITY_OF(field) != RTAP_IDENTITY_NONE), 1, "%s", field->name);
		cr_expect_lt(RTAP_IDENTITY_OF(field), RTAP_IDENTITY_COUNT, "%s", field->name);
		cr_assert(rtap_field_find(field->name, &first_id, 1));
		first = canon_policy_of(first_id);
		cr_expect(own.action == first.action && own.kind == first.kind && own.is_opcode == first.is_opcode, "%s", field->name);
	}
}

Test(canon_policy, rows_classify_well_known_values)
{
	static const struct {
		const char *name;
		enum canon_action action;
		enum rtap_identity kind;
		enum canon_level level;
	} cases[] = {
		{ "infiniband.bth.psn", CANON_RELATIVE, RTAP_IDENTITY_PSN, CANON_PACKETS },
		{ "infiniband.bth.opcode", CANON_KEEP, RTAP_IDENTITY_NONE, CANON_PACKETS },
		{ "infiniband.reth.r_key", CANON_RENAME, RTAP_IDENTITY_RKEY, CANON_PACKETS },
		{ "rpcordma.rdma_handle", CANON_RENAME, RTAP_IDENTITY_RKEY, CANON_MESSAGES },
		{ "rpcordma.flow_control", CANON_KEEP, RTAP_IDENTITY_NONE, CANON_MESSAGES },
		{ "nfs.fhandle", CANON_RENAME, RTAP_IDENTITY_HANDLE, CANON_MESSAGES },
		{ "nfs.offset4", CANON_KEEP, RTAP_IDENTITY_NONE, CANON_MESSAGES },
		{ "frame.time_epoch", CANON_DROP, RTAP_IDENTITY_NONE, CANON_PACKETS },
		{ "udp.srcport", CANON_DROP, RTAP_IDENTITY_NONE, CANON_PACKETS },
		{ "ip.id", CANON_DROP, RTAP_IDENTITY_NONE, CANON_PACKETS },
		{ "infiniband.invariant.crc", CANON_DROP, RTAP_IDENTITY_NONE, CANON_PACKETS },
		{ "infiniband.mad.transactionid", CANON_RENAME, RTAP_IDENTITY_TID, CANON_MESSAGES },
		{ "nfs.changeid4", CANON_DROP, RTAP_IDENTITY_NONE, CANON_MESSAGES },
		{ "nfs.changeid4.before", CANON_DROP, RTAP_IDENTITY_NONE, CANON_MESSAGES },
		{ "ip.ttl", CANON_KEEP, RTAP_IDENTITY_NONE, CANON_PACKETS },
		{ "udp.length", CANON_DROP, RTAP_IDENTITY_NONE, CANON_PACKETS },
		{ "vlan.len", CANON_DROP, RTAP_IDENTITY_NONE, CANON_PACKETS },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rtap_field_id id;
		struct canon_policy policy;

		cr_assert(rtap_field_find(cases[i].name, &id, 1), "%s", cases[i].name);
		policy = canon_policy_of(id);
		cr_expect_eq(policy.action, cases[i].action, "%s", cases[i].name);
		cr_expect_eq(policy.kind, cases[i].kind, "%s", cases[i].name);
		cr_expect_eq(policy.level, cases[i].level, "%s", cases[i].name);
	}
}

Test(canon_policy, a_field_without_flags_is_kept_unless_it_is_an_identifier)
{
	static const struct {
		uint8_t show;
		enum canon_action action;
	} cases[] = {
		{ RTAP_DEC, CANON_KEEP }, { RTAP_BOOL, CANON_KEEP }, { RTAP_HEX32, CANON_KEEP }, { RTAP_TEXT, CANON_KEEP },
		{ RTAP_HEX64, CANON_DROP }, { RTAP_EUI64, CANON_DROP }, { RTAP_BYTES, CANON_DROP }, { RTAP_SECONDS, CANON_DROP },
		{ RTAP_ETHER, CANON_DROP },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rtap_field field = { .name = "future.field", .show = cases[i].show };

		cr_expect_eq(canon_policy(&field, SCOPE_PACKET).action, cases[i].action, "%d", cases[i].show);
		cr_expect_eq(canon_policy(&field, SCOPE_CALL).action, cases[i].action, "%d", cases[i].show);
		cr_expect_eq(canon_policy(&field, SCOPE_CAPTURE).action, CANON_DROP, "%d", cases[i].show);
	}
}

Test(canon_policy, names_given_by_people_are_known_or_not)
{
	static const char *const good[] = { "length", "frame", "nfs", "nfs.fattr", "nfs.fattr3", "nfs.fattr3.size", "rpcordma",
					    "infiniband.bth.psn" };
	static const char *const bad[] = { "", "lengths", "nf", "nfs.", "nfs.fatt", "infiniband.bth.psnx", "*" };

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		cr_expect(canon_name_known(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_expect_not(canon_name_known(bad[i]), "%s", bad[i]);
}

static void check_named(struct canon_names *names, void (*write)(struct line *line), const char *expected)
{
	char record[512], text[512];
	struct line line, named;

	line_init(&line, record, sizeof record);
	write(&line);
	line_init(&named, text, sizeof text);
	canon_names_write(names, record, (size_t)(line.next - record), &named);
	*named.next = 0;
	cr_expect_str_eq(text, expected);
}

static void two_keys(struct line *line)
{
	canon_name(line, "a");
	canon_key(line, RTAP_IDENTITY_RKEY, 77, 0x2000);
	line_char(line, ',');
	canon_key(line, RTAP_IDENTITY_RKEY, 78, 0x9000);
}

static void the_first_again(struct line *line)
{
	canon_name(line, "b");
	canon_key(line, RTAP_IDENTITY_RKEY, 77, 0x2010);
	canon_name(line, "c");
	canon_key(line, RTAP_IDENTITY_RKEY, 77, 0x1ff0);
	canon_name(line, "d");
	canon_reference(line, RTAP_IDENTITY_RKEY, 78);
	canon_name(line, "e");
	canon_reference(line, RTAP_IDENTITY_XID, 78);
}

static void psns(struct line *line)
{
	canon_name(line, "p");
	canon_relative(line, RTAP_IDENTITY_PSN, CANON_OF_CLIENT, 0xfffffe);
	canon_name(line, "q");
	canon_relative(line, RTAP_IDENTITY_PSN, CANON_OF_CLIENT, 3);
	canon_name(line, "r");
	canon_relative(line, RTAP_IDENTITY_PSN, CANON_OF_CLIENT, 0xfffffd);
	canon_name(line, "s");
	canon_relative(line, RTAP_IDENTITY_PSN, CANON_OF_SERVER, 3);
}

Test(canon_names, go_by_first_appearance)
{
	struct canon_names names = { .failed = false };

	check_named(&names, two_keys, " a=rkey#1+0x0,rkey#2+0x0");
	check_named(&names, the_first_again, " b=rkey#1+0x10 c=rkey#1-0x10 d=rkey#2 e=xid#1");
	check_named(&names, two_keys, " a=rkey#1+0x0,rkey#2+0x0");
	cr_expect_not(names.failed);
	canon_names_fini(&names);
}

Test(canon_names, numbers_that_wrap_go_on)
{
	struct canon_names names = { .failed = false };

	check_named(&names, psns, " p=client.psn+0 q=client.psn+5 r=client.psn-1 s=server.psn+0");
	canon_names_fini(&names);
}

static void odd_text(struct line *line)
{
	canon_name(line, "t");
	canon_text(line, (const uint8_t *)"a b\\,=\x01\xc3\xa9", 9);
}

Test(canon_names, text_cannot_break_a_line_apart)
{
	struct canon_names names = { .failed = false };
	uint8_t text[300];
	char long_text[400], other[400];
	struct line line;

	check_named(&names, odd_text, " t=a\\x20b\\x5c\\x2c=\\x01\\xc3\\xa9");
	memset(text, 'x', sizeof text);
	line_init(&line, long_text, sizeof long_text);
	canon_text(&line, text, sizeof text);
	*line.next = 0;
	cr_expect(strstr(long_text, "...\\300:"));
	text[299] = 'y';
	line_init(&line, other, sizeof other);
	canon_text(&line, text, sizeof text);
	*line.next = 0;
	cr_expect_str_neq(long_text, other);
	canon_names_fini(&names);
}

Test(canon_notes, wait_for_their_message)
{
	struct canon_notes notes;
	struct canon_note *note;

	canon_notes_init(&notes);
	canon_notes_add(&notes, CANON_NOTE_FRAME, 5, "five", 4);
	canon_notes_add(&notes, CANON_NOTE_RPC, 5, "rpc", 3);
	canon_notes_add(&notes, CANON_NOTE_FRAME, 5, "again", 5);
	note = canon_notes_find(&notes, CANON_NOTE_FRAME, 5);
	cr_assert(note);
	cr_expect_eq(memcmp(note->text, "five", note->length), 0);
	canon_notes_remove(&notes, note);
	cr_expect_null(canon_notes_find(&notes, CANON_NOTE_FRAME, 5));
	cr_expect(canon_notes_find(&notes, CANON_NOTE_RPC, 5));
	canon_notes_remove(&notes, NULL);
	canon_notes_fini(&notes);
}

Test(canon_notes, the_oldest_go_first_when_there_are_too_many)
{
	static char text[1 << 20];
	struct canon_notes notes;

	canon_notes_init(&notes);
	for (uint64_t key = 0; key < 100; key++)
		canon_notes_add(&notes, CANON_NOTE_FRAME, key, text, sizeof text);
	cr_expect_gt(notes.lost, 30);
	cr_expect_leq(notes.memory, (uint64_t)65 << 20);
	cr_expect_null(canon_notes_find(&notes, CANON_NOTE_FRAME, 0));
	cr_expect(canon_notes_find(&notes, CANON_NOTE_FRAME, 99));
	canon_notes_fini(&notes);
}

Test(canon_map, holds_added_values_until_they_are_removed)
{
	enum { MANY = 20000 };
	struct map map = { .room = 0 };
	struct canon_map_key *keys = malloc(MANY * sizeof *keys);

	cr_assert(keys);
	for (uint32_t i = 0; i < MANY; i++) {
		keys[i] = (struct canon_map_key){ i / 3, i % 3 };
		cr_assert(canon_map_add(&map, &keys[i]));
	}
	for (uint32_t i = 0; i < MANY; i += 2)
		canon_map_remove(&map, &keys[i]);
	for (uint32_t i = 0; i < MANY; i++)
		cr_assert_eq(canon_map_find(&map, i % 3, i / 3), i % 2 ? &keys[i] : NULL);
	map_fini(&map);
	free(keys);
}

Test(canon_map, numbers_keep_their_place_and_change_their_value)
{
	enum { MANY = 5000 };
	struct canon_numbers numbers = { .unused = 0 };
	uint64_t *first = canon_numbers_set(&numbers, 0, 0, 7);

	cr_assert(first);
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < MANY; i++)
			cr_assert(canon_numbers_set(&numbers, i % 3, i / 3, i + (uint64_t)round));
	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t *found = canon_numbers_find(&numbers, i % 3, i / 3);

		cr_assert(found && *found == i + 1);
	}
	cr_expect_eq(first, canon_numbers_find(&numbers, 0, 0));
	cr_expect_null(canon_numbers_find(&numbers, 9, 9));
	canon_numbers_fini(&numbers);
	cr_expect_null(canon_numbers_find(&numbers, 0, 0));
}

/* Many streams at once, some long: each returns its data in order, and memory is bounded. */
Test(canon_spool, returns_the_data_written)
{
	enum { STREAMS = 1000, RECORDS = 60 };
	static struct spool_stream streams[STREAMS];
	static char record[9000];
	struct spool spool;

	spool_init(&spool, 1 << 20);
	for (int i = 0; i < RECORDS; i++)
		for (int s = 0; s < STREAMS; s++) {
			size_t length = (size_t)((s * 7 + i * 13) % (s == 5 ? 9000 : 600));

			memset(record, s + i, length);
			cr_assert_eq(spool_add(&spool, &streams[s], (uint64_t)(i * STREAMS + s), record, length), 0);
			for (int full = 0; spool_is_full(&spool) && full < STREAMS; full++)
				cr_assert_eq(spool_flush(&spool, &streams[full]), 0);
		}
	cr_expect_leq(spool.held, 1 << 20);
	for (int s = 0; s < STREAMS; s++) {
		struct spool_reader reader;

		spool_reader_init(&reader, &spool, &streams[s]);
		for (int i = 0; i < RECORDS; i++) {
			size_t length = (size_t)((s * 7 + i * 13) % (s == 5 ? 9000 : 600));

			cr_assert_eq(spool_reader_next(&reader), 1);
			memset(record, s + i, length);
			cr_assert_eq(reader.order, (uint64_t)(i * STREAMS + s));
			cr_assert_eq(reader.length, length);
			cr_assert_eq(memcmp(reader.record, record, length), 0);
		}
		cr_assert_eq(spool_reader_next(&reader), 0);
		spool_reader_fini(&reader);
		spool_stream_fini(&spool, &streams[s]);
	}
	cr_expect(!spool.held && !spool.extent_memory);
	spool_fini(&spool);
}
