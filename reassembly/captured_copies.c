/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/ib.h"
#include "reassembly/captured_copies.h"
#include "reassembly/map.h"
#include "reassembly/memory.h"

/* 65,536 packets: 3 MB. */
#define SETS 8192
#define WAYS 8
/* Interfaces beyond share a bit. */
#define INTERFACE_BITS 64
/* FECN and BECN, which the network sets, are in the byte before the destination QP. */
#define BTH_VARIANT 4

struct copy {
	uint64_t hash;             /* 0: none */
	uint64_t frame;            /* the first one's number */
	uint64_t interfaces;       /* that had it, a bit each */
	uint32_t first, last;      /* interfaces */
	int64_t time_ns, last_ns;  /* when they had it */
};

/* Times from the first copy to the second one. */
struct range {
	bool is_known;
	int64_t least_ns, most_ns;
};

/* Nothing is sent again so soon. */
#define AT_ONCE_NS 1000000

/* Whether a sender gives its packets identifications of their own: 0, or always the same, is no evidence. */
struct sender {
	uint16_t last_id;
	uint16_t packets, same;    /* as many as fit, halved together */
};

#define SENDERS 256

struct captured_copies {
	struct captured_copies_summary summary;
	struct range ranges[2];    /* of packets from the lower address to the higher one; from the higher one */
	uint32_t highest;          /* of the interfaces seen */
	bool is_interleaved;       /* packets of one came after packets of a later one: they captured at the same time */
	struct sender senders[SENDERS]; /* by address; several may share one */
	struct copy sets[SETS][WAYS];
};

struct captured_copies *captured_copies_create(void)
{
	return memory_new_zeroed(1, sizeof(struct captured_copies));
}

void captured_copies_destroy(struct captured_copies *copies)
{
	free(copies);
}

static uint64_t load(const uint8_t *bytes, unsigned length)
{
	uint64_t value = 0;

	memcpy(&value, bytes, length);
	return value;
}

#define WORDS 7

/* What the packet is known by. */
static void identify(const struct rtap_packet *packet, uint64_t words[WORDS])
{
	const struct rtap_ib_facts *ib = &packet->ib;
	const uint8_t *bytes = packet->sources[ib->source].bytes;
	uint32_t captured = packet->sources[ib->source].captured;
	unsigned length = packet->address_length;

	memset(words, 0, WORDS * sizeof *words);
	words[0] = load(bytes + ib->bth_offset, BTH_VARIANT) | (uint64_t)packet->payload.wire << 32;
	words[1] = load(bytes + ib->bth_offset + BTH_VARIANT + 1, BTH_LENGTH - BTH_VARIANT - 1);
	if (ib->icrc_on_wire && captured >= ICRC_LENGTH && ib->icrc_offset <= captured - ICRC_LENGTH)
		words[2] = load(bytes + ib->icrc_offset, ICRC_LENGTH);
	words[2] |= (uint64_t)packet->ip_id << 32;
	if (!length)
		return;
	memcpy(words + 3, packet->source_address, length);
	memcpy(words + 5, packet->destination_address, length);
}

static void note_time(struct captured_copies *copies, const struct rtap_packet *packet, const struct copy *first)
{
	unsigned length = packet->address_length;
	struct range *range = &copies->ranges[length && memcmp(packet->source_address, packet->destination_address, length) > 0];
	int64_t after_ns = packet->frame->time_ns - first->time_ns;
	uint32_t interface = packet->frame->interface;

	if (!copies->summary.packets++) {
		copies->summary.interface = interface;
		copies->summary.other = first->first;
	}
	/* the first copy can be either's */
	if (interface % INTERFACE_BITS == copies->summary.other % INTERFACE_BITS &&
	    first->interfaces >> copies->summary.interface % INTERFACE_BITS & 1)
		after_ns = -after_ns;
	else if (interface != copies->summary.interface || !(first->interfaces >> copies->summary.other % INTERFACE_BITS & 1))
		return;
	if (!range->is_known || after_ns < range->least_ns)
		range->least_ns = after_ns;
	if (!range->is_known || after_ns > range->most_ns)
		range->most_ns = after_ns;
	range->is_known = true;
}

static struct sender *sender_of(struct captured_copies *copies, const struct rtap_packet *packet)
{
	return &copies->senders[packet->address_length ? packet->source_address[packet->address_length - 1] : 0];
}

static bool tells_packets_apart(const struct sender *sender)
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

/* Whether this interface had the packet just now. */
static bool is_doubled(const struct copy *copy, const struct rtap_packet *packet)
{
	uint32_t interface = packet->frame->interface;
	int64_t time_ns = packet->frame->time_ns;

	return (interface == copy->first && time_ns - copy->time_ns < AT_ONCE_NS) ||
	       (interface == copy->last && time_ns - copy->last_ns < AT_ONCE_NS);
}

enum captured_copy captured_copies_take(struct captured_copies *copies, const struct rtap_packet *packet)
{
	const struct rtap_frame *frame = packet->frame;
	uint64_t words[WORDS], bit = UINT64_C(1) << frame->interface % INTERFACE_BITS, hash;
	struct sender *sender = sender_of(copies, packet);
	struct copy *set, *oldest, *found = NULL;
	bool doubled = false;

	if (frame->interface < copies->highest)
		copies->is_interleaved = true;
	else
		copies->highest = frame->interface;
	identify(packet, words);
	hash = map_hash(words, WORDS) | 1;
	/* not by the hash, which is another one in each run: which of them make room would be chance */
	set = oldest = copies->sets[(packet->ib.psn ^ (uint32_t)words[2] ^ packet->ib.dest_qpn ^ packet->ip_id) % SETS];
	for (struct copy *copy = set; copy < set + WAYS; copy++) {
		if (copy->hash == hash && !(copy->interfaces & bit) && (!found || copy->frame < found->frame))
			found = copy;
		doubled |= copy->hash == hash && copy->interfaces & bit && is_doubled(copy, packet);
		if (copy->frame < oldest->frame)
			oldest = copy;
	}
	/* without an identification a packet that was sent again is the same: files one after the other can have both */
	if (found && (tells_packets_apart(sender) || copies->is_interleaved)) {
		note_time(copies, packet, found);
		found->interfaces |= bit;
		found->last = frame->interface;
		found->last_ns = frame->time_ns;
		return CAPTURED_ELSEWHERE;
	}
	doubled = doubled && tells_packets_apart(sender);
	note_id(sender, packet->ip_id);
	*oldest = (struct copy){
		.hash = hash,
		.frame = frame->number,
		.interfaces = bit,
		.first = frame->interface,
		.last = frame->interface,
		.time_ns = frame->time_ns,
		.last_ns = frame->time_ns,
	};
	return doubled ? CAPTURED_DOUBLED : CAPTURED_FIRST;
}

struct captured_copies_summary captured_copies_summary(const struct captured_copies *copies)
{
	struct captured_copies_summary summary = copies->summary;
	const struct range *one = &copies->ranges[0], *other = &copies->ranges[1];
	int64_t later, sooner;

	/* on the way there a packet is later by the offset and the time that it took; on the way back sooner */
	if (!one->is_known || !other->is_known) {
		summary.offset_ns = one->is_known ? one->least_ns : other->least_ns;
		return summary;
	}
	later = one->least_ns > other->least_ns ? one->least_ns : other->least_ns;
	sooner = one->least_ns > other->least_ns ? other->most_ns : one->most_ns;
	summary.offset_ns = sooner + (later - sooner) / 2;
	return summary;
}
