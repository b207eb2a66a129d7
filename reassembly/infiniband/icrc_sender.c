/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/dissect.h"
#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_crc.h"
#include "reassembly/infiniband/icrc_sender.h"

struct icrc_sender {
	uint64_t hash, words[3];
	uint32_t searches;        /* of following frames, without a good CRC */
	bool is_good, is_ignored; /* a good CRC was seen; its CRCs are ignored */
};

/* Address and interface. */
static void words_of(const struct rtap_packet *packet, uint64_t words[3])
{
	words[0] = words[1] = 0;
	if (packet->source_address)
		memcpy(words, packet->source_address, packet->address_length < 16 ? packet->address_length : 16);
	else if (packet->ib.has_lrh)
		words[0] = packet->ib.slid;
	words[2] = (uint64_t)packet->frame->interface << 8 | (packet->source_address ? packet->address_length : 0);
}

static bool same_sender(const void *value, const void *words)
{
	return !memcmp(((const struct icrc_sender *)value)->words, words, sizeof((struct icrc_sender *)0)->words);
}

/* NULL: unknown, and out of memory or the limit of senders is reached. */
static struct icrc_sender *sender_of(struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	struct icrc_sender *sender;
	uint64_t words[3], hash;

	words_of(packet, words);
	hash = map_hash(words, 3);
	sender = map_find(&tracker->icrc_senders, hash, same_sender, words);
	if (sender || tracker->icrc_senders.count >= ICRC_SENDERS)
		return sender;
	sender = memory_new_zeroed(1, sizeof *sender);
	if (!sender)
		return NULL;
	sender->hash = hash;
	memcpy(sender->words, words, sizeof words);
	if (!map_add(&tracker->icrc_senders, hash, sender)) {
		free(sender);
		return NULL;
	}
	return sender;
}

void icrc_sender_note_good(struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	struct icrc_sender *sender = sender_of(tracker, packet);

	if (sender)
		sender->is_good = true;
}

/* Searches the following frames for CRCs of the sender. */
static void look_ahead(struct rtap_tracker *tracker, struct icrc_sender *sender, const struct rtap_frame *frame)
{
	const struct rtap_frame *end = tracker_batch_end(tracker, frame);
	struct rtap_packet packet;

	if (!end)
		return;
	for (const struct rtap_frame *next = frame + 1; next < end && !sender->is_good; next++) {
		enum rtap_crc_status status;
		uint64_t words[3];

		dissect_frame(next, &tracker->alone, &packet);
		if (!packet.ib.has_bth)
			continue;
		words_of(&packet, words);
		if (!same_sender(sender, words))
			continue;
		status = ib_check_icrc(&packet);
		sender->is_good = status == RTAP_CRC_GOOD;
		sender->is_ignored |= status == RTAP_CRC_BAD;
	}
	if (++sender->searches >= ICRC_SEARCHES)
		sender->is_ignored = true;
}

bool icrc_sender_is_reliable(struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	struct icrc_sender *sender = sender_of(tracker, packet);

	if (sender && !sender->is_good && !sender->is_ignored)
		look_ahead(tracker, sender, packet->frame);
	return sender && sender->is_good;
}

void icrc_senders_fini(struct rtap_tracker *tracker)
{
	map_fini_values(&tracker->icrc_senders);
}
