/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "reassembly/captured_copies.h"
#include "base/memory.h"
#include "reassembly/packet_identity.h"

/* 65,536 packets: 3 MB. */
#define SETS 8192
#define WAYS 8
/* Capture points with higher numbers share bits. */
#define POINT_BITS 64

struct copy {
	uint64_t hash;             /* 0: empty */
	uint64_t frame;            /* number of the first copy */
	uint64_t points;           /* points that captured it, one bit each */
	uint32_t first, last;      /* points */
	uint32_t icrc;
	bool has_icrc;
	int64_t time_ns, last_ns;  /* capture times of these */
};

/* No sender retransmits this soon. */
#define AT_ONCE_NS 1000000

/* Whether a sender gives each packet its own identification. If it is 0, or always the same, it is not evidence. */
struct sender {
	uint16_t last_id;
	uint16_t packets, same;    /* as many as fit; both are halved on overflow */
};

#define SENDERS 256

struct captured_copies {
	struct captured_copies_summary summary;
	struct clock_range ranges[2]; /* from the first copy to the second, indexed by packet_is_from_higher() */
	uint32_t highest;          /* highest point seen */
	bool is_interleaved;       /* packets of one point followed packets of a later one: they captured at the same time */
	bool has_last;             /* the last packet was identified: */
	struct packet_identity last;
	struct sender senders[SENDERS]; /* by address; addresses may share an entry */
	struct copy sets[SETS][WAYS];
};

struct captured_copies *captured_copies_create(bool at_the_same_time)
{
	struct captured_copies *copies = memory_new_zeroed(1, sizeof *copies);

	if (copies)
		copies->is_interleaved = at_the_same_time;
	return copies;
}

void captured_copies_destroy(struct captured_copies *copies)
{
	free(copies);
}

static void note_time(struct captured_copies *copies, const struct rtap_packet *packet, const struct copy *first)
{
	int64_t after_ns = packet->frame->time_ns - first->time_ns;
	uint32_t point = packet->frame->capture_point;

	if (!copies->summary.packets++) {
		copies->summary.interface = point;
		copies->summary.other = first->first;
	}
	/* Either point may have the first copy. */
	if (point % POINT_BITS == copies->summary.other % POINT_BITS &&
	    first->points >> copies->summary.interface % POINT_BITS & 1)
		after_ns = -after_ns;
	else if (point != copies->summary.interface || !(first->points >> copies->summary.other % POINT_BITS & 1))
		return;
	clock_range_add(&copies->ranges[packet_is_from_higher(packet)], after_ns);
}

static bool distinguishes_packets(const struct sender *sender)
{
	return sender->same * 5 < sender->packets;
}

static void note_id(struct sender *sender, uint16_t id)
{
	sender->packets++;
	if (id == sender->last_id)
		sender->same++;
	sender->last_id = id;
	if (sender->packets < UINT16_MAX)
		return;
	sender->packets /= 2;
	sender->same /= 2;
}

/* Whether this point just captured the packet. */
static bool is_doubled(const struct copy *copy, const struct rtap_packet *packet)
{
	uint32_t point = packet->frame->capture_point;
	int64_t time_ns = packet->frame->time_ns;

	return (point == copy->first && time_ns - copy->time_ns < AT_ONCE_NS) ||
	       (point == copy->last && time_ns - copy->last_ns < AT_ONCE_NS);
}

/* Packets of one point after packets of a later one: both capture at the same time. */
static void note_point(struct captured_copies *copies, const struct rtap_frame *frame, const struct rtap_frame *end)
{
	if (frame->capture_point <= copies->highest) {
		copies->is_interleaved |= frame->capture_point < copies->highest;
		return;
	}
	copies->highest = frame->capture_point;
	for (const struct rtap_frame *next = frame + 1; end && next < end && !copies->is_interleaved; next++)
		copies->is_interleaved = next->capture_point < frame->capture_point;
}

enum captured_copy captured_copies_take(struct captured_copies *copies, const struct rtap_packet *packet, const struct rtap_frame *end)
{
	const struct rtap_frame *frame = packet->frame;
	struct packet_identity *identity = &copies->last;
	uint64_t bit = UINT64_C(1) << frame->capture_point % POINT_BITS, hash;
	struct sender *sender = &copies->senders[packet_sender(packet)];
	struct copy *set, *oldest, *found = NULL;
	bool doubled = false;

	copies->has_last = packet_identify(packet, identity);
	if (!copies->has_last)
		return CAPTURED_FIRST;
	note_point(copies, frame, end);
	hash = identity->hash | 1;
	/* Not by the hash, which differs for each run: the choice of entries to replace would be random. */
	set = oldest = copies->sets[identity->place % SETS];
	for (struct copy *copy = set; copy < set + WAYS; copy++) {
		bool is_same = copy->hash == hash && (!copy->has_icrc || !identity->has_icrc || copy->icrc == identity->icrc);

		if (is_same && !(copy->points & bit) && (!found || copy->frame < found->frame))
			found = copy;
		doubled |= is_same && copy->points & bit && is_doubled(copy, packet);
		if (copy->frame < oldest->frame)
			oldest = copy;
	}
	/* Without an identification a retransmission looks the same: consecutive files can contain both. */
	if (found && (distinguishes_packets(sender) || copies->is_interleaved)) {
		note_time(copies, packet, found);
		found->points |= bit;
		found->last = frame->capture_point;
		found->last_ns = frame->time_ns;
		return CAPTURED_ELSEWHERE;
	}
	doubled = doubled && distinguishes_packets(sender);
	note_id(sender, packet->ip_id);
	*oldest = (struct copy){
		.hash = hash,
		.frame = frame->number,
		.points = bit,
		.first = frame->capture_point,
		.last = frame->capture_point,
		.icrc = identity->icrc,
		.has_icrc = identity->has_icrc,
		.time_ns = frame->time_ns,
		.last_ns = frame->time_ns,
	};
	return doubled ? CAPTURED_DOUBLED : CAPTURED_FIRST;
}

const struct packet_identity *captured_copies_last(const struct captured_copies *copies)
{
	return copies->has_last ? &copies->last : NULL;
}

struct captured_copies_summary captured_copies_summary(const struct captured_copies *copies)
{
	struct captured_copies_summary summary = copies->summary;

	summary.offset_ns = clock_offset(copies->ranges);
	return summary;
}
