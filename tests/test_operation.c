/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations of upper layers, from RPC calls and replies over UDP and TCP. RFC 1813; RFC 7530, section 16; RFC 8881, section 16.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include <rdmatap/tracker.h>

#include "dissect/engine/packet.h"
#include "tests/rpc_kit.h"

#define MOST 16
#define NFS 100003
#define MIB (UINT64_C(1) << 20)
#define MILLISECOND INT64_C(1000000)
#define TEXT 64

struct copy {
	struct rtap_operation shown;
	char layer[TEXT], name[TEXT], object[TEXT], status[TEXT], id[TEXT], handle[TEXT], to[TEXT], export[TEXT];
	uint64_t call_repeats;
	uint64_t messages[2], partners[2]; /* of request and response; 0: none */
	uint64_t first_frames[2];
	uint32_t xids[2];
	struct rtap_operation_missing missing;
};

static struct copy found[MOST];
static unsigned count;
static struct rtap_tracker *tracker;
static uint64_t frames, wanted_frame;
static bool cheap;

static void copy_text(char to[TEXT], const char *text)
{
	snprintf(to, TEXT, "%s", text ? text : "-");
}

static const char *text_of(const struct rtap_operation *operation, const char *name)
{
	for (uint32_t i = 0; i < operation->value_count; i++)
		if (!strcmp(operation->values[i].name, name))
			return operation->values[i].text;
	return NULL;
}

static void take(void *owner, const struct rtap_operation *operation)
{
	const struct rtap_message *messages[] = { operation->request, operation->response };
	struct copy *copy = &found[count];

	(void)owner;
	cr_assert_lt(count, MOST);
	*copy = (struct copy){ .shown = *operation };
	copy_text(copy->layer, operation->layer);
	copy_text(copy->name, operation->name);
	copy_text(copy->object, operation->object);
	copy_text(copy->status, operation->status);
	copy_text(copy->id, operation->id);
	for (int i = 0; i < 2; i++)
		if (messages[i]) {
			cr_expect_eq(messages[i]->connection, operation->connection);
			copy->messages[i] = messages[i]->number;
			copy->partners[i] = messages[i]->partner;
			copy->xids[i] = messages[i]->xid;
			copy->first_frames[i] = messages[i]->first_frame;
		}
	if (operation->missing_count)
		copy->missing = operation->missing[0];
	copy_text(copy->handle, text_of(operation, "handle"));
	copy_text(copy->to, text_of(operation, "to"));
	copy_text(copy->export, text_of(operation, "export"));
	for (uint32_t i = 0; i < operation->value_count; i++)
		if (!strcmp(operation->values[i].name, "call_repeats"))
			copy->call_repeats = operation->values[i].number;
	cr_assert_eq(operation->number, ++count);
	cr_assert(operation->connection);
}

static bool is_wanted(void *owner, const struct rtap_packet *packet)
{
	(void)owner;
	return packet->frame->number == wanted_frame;
}

static void run(const struct said *said, size_t packets)
{
	const struct rtap_tracker_options options = {
		.size = sizeof options, .max_memory = MIB, .operation = take, .cheap_operations = cheap, .wanted = is_wanted,
	};

	count = 0;
	frames = 0;
	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
	for (size_t i = 0; i < packets; i++) {
		uint8_t whole[SAID_ROOM];
		uint32_t length = said_frame(whole, &said[i]);
		uint8_t *block = malloc(length);
		struct rtap_packet packet;
		struct rtap_frame frame = {
			.bytes = block, .captured_length = length - said[i].cut, .wire_length = length, .link_type = RTAP_LINK_RAW,
			.number = frames + 1, .time_ns = (int64_t)(frames + 1) * MILLISECOND,
		};

		frames++;
		memcpy(block, whole, length);
		rtap_tracker_frame(tracker, &frame, &packet);
		free(block);
	}
	rtap_tracker_finish(tracker);
	rtap_tracker_close(tracker);
}

#define RUN(array) run(array, sizeof(array) / sizeof((array)[0]))

#define HANDLE 8, 0x01020304, 0x05060708
#define CALL(xid, procedure) { UDP, false, 700, 2049, .words = { CALL_OF(xid, NFS, 3, procedure)
#define REPLY(xid) { UDP, true, 700, 2049, .words = { REPLY_TO(xid)

/* "fh:0x" and the CRC-32 of the handle, as zlib's, followed by `suffix`. */
static const char *object(const char *suffix)
{
	static const uint8_t handle[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static char text[TEXT];

	snprintf(text, sizeof text, "fh:0x%08lx%s", crc32(0, handle, sizeof handle), suffix);
	return text;
}

static const struct said reads[] = {
	/* READ of 100 bytes at 4096, of which there are 6; LOOKUP of "ab", which is not there */
	CALL(0x21, 6), HANDLE, 0, 4096, 100 }, .count = 16 },
	CALL(0x22, 3), HANDLE, 2, 0x61620000 }, .count = 15 },
	REPLY(0x22), 2, 0 }, .count = 8 },
	REPLY(0x21), 0, 0, 6, 1, 6, 0x30313233, 0x34350000 }, .count = 13 },
};

TestSuite(operation, .timeout = HANG_SECONDS);

Test(operation, a_call_and_its_reply_are_one_operation_in_the_order_of_calls)
{
	wanted_frame = 4;
	RUN(reads);
	cr_assert_eq(count, 2);
	cr_expect_str_eq(found[0].layer, "nfs");
	cr_expect_str_eq(found[0].name, "READ");
	cr_expect_str_eq(found[0].id, "0x00000021");
	cr_expect_str_eq(found[0].object, object(""));
	cr_expect(found[0].shown.has_offset && found[0].shown.has_length);
	cr_expect_eq(found[0].shown.offset, 4096);
	cr_expect_eq(found[0].shown.length, 100);
	cr_expect(found[0].shown.has_status && found[0].shown.ok && found[0].shown.complete);
	cr_expect_str_eq(found[0].status, "NFS3_OK");
	cr_expect_eq(found[0].shown.request_frame, 1);
	cr_expect_eq(found[0].shown.response_frame, 4);
	cr_expect_eq(found[0].shown.first_data_frame, 4);
	cr_expect_eq(found[0].shown.last_data_frame, 4);
	cr_expect_eq(found[0].shown.first_data_ns, 3 * MILLISECOND);
	cr_expect_eq(found[0].shown.latency_ns, 3 * MILLISECOND);
	cr_expect_eq(found[0].shown.carried, RTAP_CARRIED_INLINE);
	cr_expect(found[0].shown.has_data_bytes);
	cr_expect_eq(found[0].shown.data_bytes, 6);
	cr_expect_not(found[0].shown.has_repeats, "nothing counts datagrams again");
	cr_expect(found[0].shown.wanted);
	cr_expect_str_eq(found[1].name, "LOOKUP");
	cr_expect_str_eq(found[1].object, object("/ab"));
	cr_expect_str_eq(found[1].status, "NFS3ERR_NOENT");
	cr_expect(found[1].shown.has_status && !found[1].shown.ok);
	cr_expect_eq(found[1].shown.carried, RTAP_CARRIED_NONE);
	cr_expect_eq(found[1].shown.latency_ns, MILLISECOND);
	cr_expect_not(found[1].shown.wanted);
	cr_expect_not(found[1].shown.has_offset);
}

/* Both are outstanding when the second one is called; the statuses are those of the replies. */
Test(operation, without_bodies_has_times_status_and_messages)
{
	static struct copy whole[MOST];

	wanted_frame = 4;
	RUN(reads);
	memcpy(whole, found, sizeof whole);
	cheap = true;
	RUN(reads);
	cr_assert_eq(count, 2);
	for (unsigned i = 0; i < count; i++) {
		const struct rtap_operation *brief = &found[i].shown, *shown = &whole[i].shown;

		cr_expect_str_eq(found[i].layer, "nfs");
		cr_expect_str_eq(found[i].name, i ? "LOOKUP" : "READ");
		cr_expect_str_eq(found[i].status, i ? "NFS3ERR_NOENT" : "NFS3_OK");
		cr_expect(brief->has_status && brief->ok == !i && brief->complete && brief->from_a && brief->has_latency);
		cr_expect_eq(brief->wanted, !i);
		cr_expect_eq(brief->request_frame, 1 + i);
		cr_expect_eq(brief->response_frame, 4 - i);
		cr_expect_eq(brief->latency_ns, (i ? 1 : 3) * MILLISECOND);
		cr_expect(brief->time_ns == shown->time_ns && brief->time_end_ns == shown->time_end_ns);
		cr_expect_eq(brief->depth, 1 + i);
		cr_expect_not(brief->has_offset || brief->has_length || brief->has_data_bytes || brief->data_bytes || brief->value_count);
		cr_expect(!brief->object && !brief->id && !brief->missing_count);
		cr_expect_eq(brief->flags, RTAP_OPERATION_COSTLY);
		for (int side = 0; side < 2; side++) {
			cr_expect_eq(found[i].messages[side], whole[i].messages[side]);
			cr_expect_eq(found[i].partners[side], found[i].messages[!side]);
			cr_expect_eq(found[i].xids[side], 0x21 + i);
		}
		cr_expect(found[i].messages[0] == brief->request_message && found[i].messages[1] == brief->response_message);
	}
}

static const struct said overtaken[] = {
	{ TCP, false, 700, 2049, .seq = 1000, .ack = 5000, .words = { LAST | 40, CALL_OF(0x21, NFS, 3, 0) }, .count = 11 },
	{ TCP, true, 700, 2049, .seq = 5000, .ack = 1044, .words = { LAST | 24, REPLY_TO(0x21) }, .count = 7 },
	{ TCP, true, 700, 2049, .seq = 5028, .ack = 1088, .words = { LAST | 24, REPLY_TO(0x22) }, .count = 7 },
	{ TCP, false, 700, 2049, .seq = 1044, .ack = 5028, .words = { LAST | 40, CALL_OF(0x22, NFS, 3, 0) }, .count = 11 },
	{ TCP, false, 700, 2049, .seq = 1088, .ack = 5056, .words = { LAST | 40, CALL_OF(0x23, NFS, 3, 0) }, .count = 11 },
	{ TCP, true, 700, 2049, .seq = 5056, .ack = 1132, .words = { LAST | 24, REPLY_TO(0x23) }, .count = 7 },
};

/* A reply captured before its call belongs to it; after it nothing is outstanding. */
Test(operation, without_bodies_knows_replies_before_calls)
{
	static const uint64_t frames_of[][2] = { { 1, 2 }, { 4, 3 }, { 5, 6 } };

	cheap = true;
	RUN(overtaken);
	cr_assert_eq(count, 3);
	for (unsigned i = 0; i < count; i++) {
		cr_expect(found[i].xids[0] == 0x21 + i && found[i].xids[1] == 0x21 + i);
		cr_expect(found[i].messages[0] == found[i].partners[1] && found[i].messages[1] == found[i].partners[0]);
		cr_expect(found[i].shown.request_frame == frames_of[i][0] && found[i].shown.response_frame == frames_of[i][1]);
		cr_expect(found[i].first_frames[0] == frames_of[i][0] && found[i].first_frames[1] == frames_of[i][1]);
		cr_expect_eq(found[i].shown.depth, 1);
		cr_expect_eq(found[i].shown.has_latency, i != 1);
	}
}

static const struct said writes[] = {
	CALL(0x31, 7), HANDLE, 0, 10, 5, 2, 5, 0x61616161, 0x61000000 }, .count = 20 },
	CALL(0x31, 7), HANDLE, 0, 10, 5, 2, 5, 0x61616161, 0x61000000 }, .count = 20 },
	REPLY(0x77), 0, 0 }, .count = 8 },
	/* GETATTR with a status that has no name */
	CALL(0x32, 1), HANDLE }, .count = 13 },
	REPLY(0x32), 12345 }, .count = 7 },
};

Test(operation, without_a_response_nothing_is_known_of_its_result)
{
	RUN(writes);
	cr_assert_eq(count, 3);
	cr_expect_str_eq(found[0].name, "WRITE");
	cr_expect_eq(found[0].call_repeats, 1, "a call repeated over UDP is the same operation");
	cr_expect_not(found[0].shown.has_status || found[0].shown.has_latency || found[0].shown.has_data_bytes || found[0].shown.complete);
	cr_expect_eq(found[0].shown.response_frame, 0);
	cr_expect_eq(found[0].shown.offset, 10);
	cr_expect_eq(found[0].shown.length, 5);
	cr_expect_eq(found[0].shown.carried, RTAP_CARRIED_INLINE);
	/* a reply without its call */
	cr_expect_eq(found[1].shown.request_frame, 0);
	cr_expect_eq(found[1].shown.response_frame, 3);
	cr_expect_str_eq(found[1].layer, "rpc");
	cr_expect_str_eq(found[1].name, "-");
	cr_expect(found[1].shown.from_a, "the direction is the caller's");
	cr_expect(!found[1].messages[0] && found[1].xids[1] == 0x77);
	cr_expect(found[0].xids[0] == 0x31 && !found[0].messages[1]);
	cr_expect_not(found[1].shown.has_status || found[1].shown.complete);
	cr_expect_str_eq(found[2].status, "12345");
	cr_expect(found[2].shown.has_status && !found[2].shown.ok);
}

/* COMPOUNDs, without a tag. */
#define COMPOUND(xid, items) { UDP, false, 700, 2049, .words = { CALL_OF(xid, NFS, 4, 1), 0, 0, items

static const struct said compounds[] = {
	/* PUTFH, ACCESS, READ, GETATTR: it is for the READ */
	COMPOUND(0x41, 3), 22, HANDLE, 3, 1, 25, 0, 0, 0, 0, 1, 0, 512 }, .count = 27 },
	/* PUTROOTFH, LOOKUP "ab", GETFH */
	COMPOUND(0x42, 3), 24, 15, 2, 0x61620000, 10 }, .count = 18 },
	/* PUTFH, SAVEFH, PUTROOTFH, RENAME "ab" to "cd": the name is in the saved directory */
	COMPOUND(0x43, 4), 22, HANDLE, 32, 24, 29, 2, 0x61620000, 2, 0x63640000 }, .count = 24 },
	/* PUTROOTFH, GETATTR of no attribute */
	COMPOUND(0x44, 2), 24, 9, 0 }, .count = 16 },
	{ UDP, true, 700, 2049, .words = { REPLY_TO(0x41), 70, 0, 1, 22, 70 }, .count = 11 },
};

Test(operation, a_compound_is_named_by_its_purpose)
{
	RUN(compounds);
	cr_assert_eq(count, 4);
	cr_expect_str_eq(found[0].name, "READ");
	cr_expect_str_eq(found[0].object, object(""));
	cr_expect_eq(found[0].shown.offset, UINT64_C(1) << 32);
	cr_expect_eq(found[0].shown.length, 512);
	cr_expect_str_eq(found[0].status, "NFS4ERR_STALE");
	cr_expect(found[0].shown.has_status && !found[0].shown.ok);
	cr_expect_str_eq(found[1].name, "LOOKUP");
	cr_expect_str_eq(found[1].object, "/ab");
	cr_expect_str_eq(found[2].name, "RENAME");
	cr_expect_str_eq(found[2].object, object("/ab"));
	cr_expect_str_eq(found[3].name, "GETATTR");
	cr_expect_str_eq(found[3].object, "/");
}

#define OTHER 8, 0x11121314, 0x15161718
#define AB 2, 0x61620000
#define CD 2, 0x63640000

/* NFSv3. FSINFO of a handle makes it a root; LOOKUP of "ab" finds the other handle; RENAME to "cd"; REMOVE. */
static const struct said named[] = {
	CALL(0x60, 6), OTHER, 0, 0, 100 }, .count = 16 },
	REPLY(0x60), 0, 0, 0, 1, 0 }, .count = 11 },
	CALL(0x61, 19), HANDLE }, .count = 13 },
	REPLY(0x61), 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0 }, .count = 20 },
	CALL(0x62, 3), HANDLE, AB }, .count = 15 },
	REPLY(0x62), 0, OTHER, 0, 0 }, .count = 12 },
	CALL(0x63, 6), OTHER, 0, 0, 100 }, .count = 16 },
	REPLY(0x63), 0, 0, 0, 1, 0 }, .count = 11 },
	/* a LOOKUP and a RENAME that fail change nothing */
	CALL(0x64, 3), HANDLE, CD }, .count = 15 },
	REPLY(0x64), 2, 0 }, .count = 8 },
	CALL(0x65, 14), HANDLE, AB, HANDLE, CD }, .count = 20 },
	REPLY(0x65), 13, 0, 0, 0, 0 }, .count = 11 },
	CALL(0x66, 7), OTHER, 0, 10, 5, 2, 5, 0x61616161, 0x61000000 }, .count = 20 },
	REPLY(0x66), 0, 0, 0, 5, 2, 1, 1 }, .count = 13 },
	CALL(0x67, 14), HANDLE, AB, HANDLE, CD }, .count = 20 },
	REPLY(0x67), 0, 0, 0, 0, 0 }, .count = 11 },
	CALL(0x68, 1), OTHER }, .count = 13 },
	REPLY(0x68), 70 }, .count = 7 },
	CALL(0x69, 12), HANDLE, CD }, .count = 15 },
	REPLY(0x69), 0, 0, 0 }, .count = 9 },
	CALL(0x6a, 1), OTHER }, .count = 13 },
	REPLY(0x6a), 70 }, .count = 7 },
};

Test(operation, a_file_is_named_by_its_path_at_that_time)
{
	static const struct {
		const char *name, *object, *to;
	} expected[] = {
		{ "READ", NULL, "-" }, /* not renamed by what is learned later */
		{ "FSINFO", "/", "-" }, { "LOOKUP", "/ab", "-" }, { "READ", "/ab", "-" }, { "LOOKUP", "/cd", "-" }, { "RENAME", "/ab", "/cd" },
		{ "WRITE", "/ab", "-" }, { "RENAME", "/ab", "/cd" }, { "GETATTR", "/cd", "-" }, { "REMOVE", "/cd", "-" }, { "GETATTR", NULL, "-" },
	};
	static const uint8_t other[] = { 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18 };
	char unknown[TEXT];

	snprintf(unknown, TEXT, "fh:0x%08lx", crc32(0, other, sizeof other));
	RUN(named);
	cr_assert_eq(count, sizeof expected / sizeof *expected);
	for (unsigned i = 0; i < count; i++) {
		cr_expect_str_eq(found[i].name, expected[i].name);
		cr_expect_str_eq(found[i].object, expected[i].object ? expected[i].object : unknown, "operation %u", i + 1);
		cr_expect_str_eq(found[i].to, expected[i].to);
	}
	cr_expect_str_eq(found[3].handle, unknown + 3, "the hash stays");
	cr_expect_str_eq(found[3].export, "/");
	cr_expect_str_eq(found[0].export, "-");
}

/* COMPOUNDs whose current file is known by name only: PUTROOTFH, LOOKUP "ab", LOOKUP "cd", READ; and PUTROOTFH, LOOKUP, LOOKUP, GETFH. */
static const struct said below[] = {
	COMPOUND(0x71, 4), 24, 15, AB, 15, CD, 25, 0, 0, 0, 0, 0, 0, 512 }, .count = 28 },
	{ UDP, true, 700, 2049, .words = { REPLY_TO(0x71), 0, 0, 4, 24, 0, 15, 0, 15, 0, 25, 0, 1, 0 }, .count = 20 },
	COMPOUND(0x72, 4), 24, 15, AB, 15, CD, 10 }, .count = 21 },
	{ UDP, true, 700, 2049, .words = { REPLY_TO(0x72), 0, 0, 4, 24, 0, 15, 0, 15, 0, 10, 0, OTHER }, .count = 20 },
	/* PUTFH, SAVEFH, PUTROOTFH, LINK "ef": the first name stays */
	COMPOUND(0x73, 4), 22, OTHER, 32, 24, 11, 2, 0x65660000 }, .count = 22 },
	/* PUTFH, GETATTR of nothing */
	COMPOUND(0x74, 2), 22, OTHER, 9, 0 }, .count = 19 },
	{ UDP, true, 700, 2049, .words = { REPLY_TO(0x74), 0, 0, 2, 22, 0, 9, 0, 0, 0 }, .count = 16 },
};

Test(operation, a_compound_walks_to_its_file)
{
	RUN(below);
	cr_assert_eq(count, 4);
	cr_expect_str_eq(found[0].name, "READ");
	cr_expect_str_eq(found[0].object, "/ab/cd");
	cr_expect_str_eq(found[0].handle, "-");
	cr_expect_str_eq(found[1].name, "LOOKUP");
	cr_expect_str_eq(found[1].object, "/ab/cd", "the last of several");
	cr_expect_str_eq(found[2].name, "LINK");
	cr_expect_str_eq(found[2].object, "/ef");
	cr_expect_str_eq(found[3].name, "GETATTR");
	cr_expect_str_eq(found[3].object, "/ab/cd");
}

static const struct said truncated[] = {
	CALL(0x51, 6), HANDLE, 0, 4096, 100 }, .count = 16 },
	{ UDP, true, 700, 2049, .cut = 12, .words = { REPLY_TO(0x51), 0, 0, 6, 1, 6, 0x30313233, 0x34350000 }, .count = 13 },
};

Test(operation, bytes_that_the_capture_lacks_are_missing)
{
	RUN(truncated);
	cr_assert_eq(count, 1);
	cr_expect_not(found[0].shown.complete);
	cr_assert_eq(found[0].shown.missing_count, 1);
	cr_expect(found[0].missing.part == RTAP_OPERATION_PART_RESPONSE);
	cr_expect_eq(found[0].missing.range.offset, 40);
	cr_expect_eq(found[0].missing.range.length, 12);
	cr_expect_eq(found[0].missing.range.reason, RTAP_MISSING_SNAPPED);
}

Test(operation, names_of_carriers)
{
	cr_expect_str_eq(rtap_carried_name(RTAP_CARRIED_NONE), "none");
	cr_expect_str_eq(rtap_carried_name(RTAP_CARRIED_MIXED), "mixed");
	cr_expect_str_eq(rtap_carried_name((enum rtap_carried)99), "unknown");
	cr_expect_str_eq(rtap_operation_part_name(RTAP_OPERATION_PART_WRITE), "write");
}
