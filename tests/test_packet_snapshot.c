/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <glob.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include <rdmatap/source.h>
#include <rdmatap/tracker.h>

#include "dissect/dissect.h"
#include "dissect/engine/packet_snapshot.h"
#include "reassembly/tracker.h"

/* Of the facts, those that mean nothing without others. */
static void discard_void(struct rtap_packet *packet)
{
	if (!packet->ib.has_bth && !packet->ib.has_lrh && !packet->ib.has_grh)
		packet->ib = (struct rtap_ib_facts){ 0 };
}

static bool is_same(const struct rtap_packet *packet, const struct rtap_packet *other)
{
	return !memcmp(packet, other, offsetof(struct rtap_packet, anomalies)) &&
	       !memcmp(packet->anomalies, other->anomalies, packet->anomaly_count * sizeof packet->anomalies[0]) &&
	       !memcmp(packet->layers, other->layers, packet->layer_count * sizeof packet->layers[0]) &&
	       (!packet->path_count || !memcmp(&packet->paths, &other->paths, sizeof packet->paths));
}

/* Compares the data that the packets borrow besides their frame; then sets both to the same pointers. */
static void compare_borrowed(const struct rtap_packet *packet, struct rtap_packet *restored)
{
	for (uint8_t i = 1; i < packet->source_count; i++) {
		cr_assert_neq(packet->sources[i].bytes, restored->sources[i].bytes);
		cr_assert_eq(packet->sources[i].captured, restored->sources[i].captured);
		cr_assert_arr_eq(packet->sources[i].bytes, restored->sources[i].bytes, packet->sources[i].captured);
		restored->sources[i].bytes = packet->sources[i].bytes;
	}
	if (!packet->fpdus.list)
		return;
	for (uint32_t i = 0; i < packet->fpdus.count; i++) {
		struct rtap_fpdu fpdu = packet->fpdus.list[i], other = restored->fpdus.list[i];

		cr_assert_eq(fpdu.bytes.length, other.bytes.length);
		cr_assert_arr_eq(fpdu.bytes.bytes, other.bytes.bytes, fpdu.bytes.length);
		other.bytes = fpdu.bytes;
		other.upper = fpdu.upper;
		cr_assert_arr_eq(&fpdu, &other, sizeof fpdu);
	}
	restored->fpdus.list = packet->fpdus.list;
}

/* Takes a snapshot of the packet, if it can be, moves it, and restores the packet. */
static size_t pass_through_ice(struct rtap_packet *packet, size_t *with_borrowed)
{
	static struct rtap_packet restored;
	size_t room = packet_snapshot_size(packet), length, own;
	uint8_t *snapshot, *moved;

	if (!room)
		return 0;
	cr_assert_leq(room, SNAPSHOT_SIZE + SNAPSHOT_BORROWED);
	/* heap blocks, of which a sanitizer sees the ends */
	snapshot = malloc(room);
	moved = malloc(room);
	length = packet_snapshot_take(packet, snapshot);
	cr_assert_leq(length, room);
	memcpy(moved, snapshot, length);
	memset(snapshot, 0x5a, room);
	memset(&restored, 0xa5, sizeof restored);
	own = packet_snapshot_restore(moved, packet->frame, &restored);
	cr_assert_eq(own == length, packet->source_count == 1 && !packet->fpdus.list);
	*with_borrowed += own < length;
	compare_borrowed(packet, &restored);
	discard_void(packet);
	discard_void(&restored);
	cr_assert(is_same(packet, &restored), "frame %llu, %u bytes captured: differs", (unsigned long long)packet->frame->number,
		  packet->frame->captured_length);
	free(snapshot);
	free(moved);
	return own;
}

/* By itself, cut anywhere; and with the state, cut to the snap length. */
static size_t snapshot_frame(struct rtap_tracker *tracker, struct rtap_frame *frame, uint32_t snap_length, size_t *with_borrowed)
{
	static struct rtap_packet packet;
	uint32_t captured = frame->captured_length < snap_length ? frame->captured_length : snap_length;
	uint32_t step = frame->number % 16 ? 37 : 1;

	for (frame->captured_length = 0; frame->captured_length < captured && frame->captured_length < 400; frame->captured_length += step) {
		dissect_frame(frame, NULL, &packet);
		pass_through_ice(&packet, with_borrowed);
	}
	frame->captured_length = captured;
	rtap_tracker_frame(tracker, frame, &packet);
	return pass_through_ice(&packet, with_borrowed);
}

/* All files, merged, so that conversations come again. Returns the bytes that the packets took. */
static size_t snapshot_all(const char *const *names, size_t count, uint32_t snap_length, size_t *packets,
			 size_t *with_borrowed)
{
	struct rtap_tracker_options options = {
		.size = sizeof options, .max_memory = 64 << 20,
		.dissect = &(struct rtap_dissect_options){ .size = sizeof(struct rtap_dissect_options), .check_icrc = true },
	};
	struct rtap_tracker *tracker;
	struct rtap_source *source;
	struct rtap_batch *batch;
	struct rtap_error error;
	enum rtap_status status;
	size_t bytes = 0;

	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
	tracker_show_files(tracker);
	cr_assert_eq(rtap_source_open_files(&source, names, count, &error), RTAP_STATUS_OK, "%s", error.text);
	while ((status = rtap_source_read_batch(source, &batch, &error)) == RTAP_STATUS_OK || status == RTAP_STATUS_BROKEN) {
		for (size_t i = 0; batch && i < batch->count; i++) {
			size_t length = snapshot_frame(tracker, &batch->frames[i], snap_length, with_borrowed);

			bytes += length;
			*packets += length > 0;
		}
		rtap_batch_release(batch);
	}
	rtap_source_close(source);
	rtap_tracker_close(tracker);
	return bytes;
}

TestSuite(snapshot, .timeout = HANG_SECONDS);

Test(snapshot, packets_of_all_captures_come_back_as_they_were)
{
	static const uint32_t snap_lengths[] = { 1 << 20, 128, 90 };
	size_t bytes = 0, packets = 0, with_borrowed = 0;
	glob_t found;

	cr_assert_eq(glob(TESTDATA "/*.pcap*", 0, NULL, &found), 0);
	for (unsigned i = 0; i < sizeof snap_lengths / sizeof snap_lengths[0]; i++)
		bytes += snapshot_all((const char *const *)found.gl_pathv, found.gl_pathc, snap_lengths[i], &packets, &with_borrowed);
	globfree(&found);
	cr_assert_gt(packets, 30000, "%zu packets", packets);
	cr_assert_gt(with_borrowed, 1000, "%zu packets", with_borrowed);
	/* its purpose: far less memory than a packet */
	cr_assert_lt(bytes / packets, 560, "%zu bytes a packet", bytes / packets);
}
