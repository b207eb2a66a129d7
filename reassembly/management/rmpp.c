/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/management/mad.h"
#include "reassembly/store/coverage.h"
#include "base/memory.h"
#include "reassembly/management/rmpp.h"
#include "reassembly/state.h"
#include "reassembly/time_windows.h"

#define VENDOR_HEADER_LENGTH 4 /* of RMPP_SEGMENT_LENGTH bytes, like SA_HEADER_LENGTH */

struct transfer_key {
	struct rtap_end sender, receiver;
	uint64_t transaction_id;
	uint8_t management_class, method;
};

struct rmpp_transfer {
	struct transfer_key key;
	uint64_t hash;
	struct rmpp *rmpp;
	TAILQ_ENTRY(rmpp_transfer) link;
	struct message *message; /* that waits for the segments; NULL: none */
	uint64_t first_frame;
	int64_t last_ns;         /* time of the last segment; once complete, of the completion */
	uint64_t total;          /* bytes of data; known once the last segment was seen */
	uint32_t next;           /* number after the highest segment seen */
	bool total_known, whole;
	bool asked_again;        /* since completion: its first segment can start another transfer */
	struct coverage coverage;
	struct budget_entry entry;
};

static bool same_address(const struct rtap_end *a, const struct rtap_end *b)
{
	return a->address_length == b->address_length && !memcmp(a->address, b->address, a->address_length);
}

static bool same_transfer(const void *value, const void *wanted)
{
	const struct transfer_key *a = &((const struct rmpp_transfer *)value)->key, *b = wanted;

	return a->transaction_id == b->transaction_id && a->management_class == b->management_class && a->method == b->method &&
	       same_address(&a->sender, &b->sender) && same_address(&a->receiver, &b->receiver);
}

static uint64_t hash_of(const struct transfer_key *key)
{
	uint64_t words[6] = { key->transaction_id, (uint64_t)key->method << 8 | key->management_class };

	memcpy(words + 2, key->sender.address, 16);
	memcpy(words + 4, key->receiver.address, 16);
	return map_hash(words, 6);
}

void rmpp_init(struct rmpp *rmpp, struct budget *budget)
{
	*rmpp = (struct rmpp){ .budget = budget };
	TAILQ_INIT(&rmpp->partial);
	TAILQ_INIT(&rmpp->complete);
}

static struct rmpp_transfers *list_of(const struct rmpp_transfer *transfer)
{
	return transfer->whole ? &transfer->rmpp->complete : &transfer->rmpp->partial;
}

static void leave_order(struct rmpp_transfer *transfer)
{
	struct rmpp *rmpp = transfer->rmpp;

	if (rmpp->first_held == transfer)
		rmpp->first_held = TAILQ_NEXT(transfer, link);
	TAILQ_REMOVE(list_of(transfer), transfer, link);
}

static void enter_order(struct rmpp_transfer *transfer)
{
	struct rmpp *rmpp = transfer->rmpp;

	TAILQ_INSERT_TAIL(list_of(transfer), transfer, link);
	if (transfer->whole && !rmpp->first_held)
		rmpp->first_held = transfer;
}

static void release_message(struct rmpp_transfer *transfer)
{
	if (transfer->message)
		transfer->message->transfer = NULL;
	transfer->message = NULL;
}

static void destroy(struct rmpp_transfer *transfer)
{
	struct rmpp *rmpp = transfer->rmpp;

	rmpp->abandoned += !transfer->whole;
	release_message(transfer);
	leave_order(transfer);
	map_remove(&rmpp->map, transfer->hash, transfer);
	budget_give(rmpp->budget, &transfer->entry, transfer->entry.bytes);
	coverage_fini(&transfer->coverage);
	free(transfer);
}

static void evict(struct budget_entry *entry, void *owner)
{
	struct rmpp_transfer *transfer = owner;

	(void)entry;
	if (transfer->message && !transfer->whole)
		transfer->message->evicted = true;
	destroy(transfer);
}

static struct rmpp_transfer *create(struct rmpp *rmpp, const struct transfer_key *key, uint64_t hash, const struct rtap_frame *frame)
{
	struct rmpp_transfer *transfer = memory_new_zeroed(1, sizeof *transfer);

	if (!transfer)
		return NULL;
	*transfer = (struct rmpp_transfer){
		.key = *key, .hash = hash, .rmpp = rmpp, .first_frame = frame->number, .last_ns = frame->time_ns, .next = 1,
		.entry = { .evict = evict, .owner = transfer },
	};
	if (!budget_take(rmpp->budget, &transfer->entry, sizeof *transfer)) {
		free(transfer);
		return NULL;
	}
	if (!map_add(&rmpp->map, hash, transfer)) {
		budget_give(rmpp->budget, &transfer->entry, sizeof *transfer);
		free(transfer);
		return NULL;
	}
	enter_order(transfer);
	return transfer;
}

/* Bytes of data per segment of the class. */
static uint32_t room_of(uint8_t management_class)
{
	return RMPP_SEGMENT_LENGTH - (management_class == MAD_CLASS_ADMINISTRATION ? SA_HEADER_LENGTH : VENDOR_HEADER_LENGTH);
}

/* Charges the memory for more bytes before they are kept, so that others are evicted. */
static bool add(struct rmpp_transfer *transfer, uint64_t position, const uint8_t *bytes, uint32_t length, uint64_t *fresh)
{
	struct budget *budget = transfer->rmpp->budget;
	uint64_t had = coverage_memory(&transfer->coverage);
	uint64_t wanted = coverage_room_for(&transfer->coverage, position, length);
	uint64_t asked = wanted > had ? wanted - had : 0;
	bool added;

	if (!budget_take(budget, &transfer->entry, asked))
		return false;
	added = coverage_add(&transfer->coverage, position, bytes, length, 0, COVERAGE_BYTES, fresh);
	budget_give(budget, &transfer->entry, asked);
	budget_charge(budget, &transfer->entry, coverage_memory(&transfer->coverage) - had);
	return added;
}

static bool is_whole(const struct rmpp_transfer *transfer)
{
	const struct coverage_run *run = coverage_runs(&transfer->coverage);

	return transfer->total_known && transfer->coverage.count == 1 && run->begin == 0 && run->end >= transfer->total;
}

static void note_order(struct rmpp_transfer *transfer, struct rtap_packet *packet, uint32_t segment, bool repeats)
{
	if (repeats) {
		packet->flow.analysis = RTAP_PSN_RETRANSMISSION;
	} else if (segment > transfer->next) {
		packet->flow.analysis = RTAP_PSN_GAP;
		packet->flow.missing = segment - transfer->next;
	} else {
		packet->flow.analysis = segment == transfer->next ? RTAP_PSN_IN_ORDER : RTAP_PSN_OUT_OF_ORDER;
	}
	if (segment >= transfer->next)
		transfer->next = segment + 1;
}

/*
 * Number of a segment's bytes that count. Only the last segment gives its own length, including the class header.
 * IBTA vol. 1, 13.6.2.2.
 */
static uint32_t length_of(const struct rtap_mad_facts *mad, uint32_t room)
{
	uint32_t header = RMPP_SEGMENT_LENGTH - room;

	if (!(mad->rmpp_flags & RMPP_FLAG_LAST))
		return room;
	if (mad->rmpp_length < header || mad->rmpp_length > RMPP_SEGMENT_LENGTH)
		return room;
	return mad->rmpp_length - header;
}

static void take_segment(struct rmpp *rmpp, struct rmpp_transfer *transfer, struct rtap_packet *packet, struct rmpp_progress *progress)
{
	const struct rtap_mad_facts *mad = &packet->mad;
	uint32_t room = room_of(mad->management_class), length = length_of(mad, room);
	uint64_t position = (uint64_t)(mad->rmpp_segment - 1) * room, fresh = 0;

	progress->transfer = transfer;
	progress->position = position;
	progress->length = length;
	if (transfer->whole) {
		note_order(transfer, packet, mad->rmpp_segment, true);
		return;
	}
	/* Nothing is kept of a truncated segment, so that it leaves a hole of its own size. */
	if (mad->data_captured >= length && length &&
	    !add(transfer, position, packet->sources[mad->source].bytes + mad->data_offset, length, &fresh)) {
		evict(&transfer->entry, transfer);
		progress->transfer = NULL;
		return;
	}
	note_order(transfer, packet, mad->rmpp_segment, mad->data_captured >= length && length && !fresh);
	progress->is_new = packet->flow.analysis != RTAP_PSN_RETRANSMISSION;
	if (mad->rmpp_flags & RMPP_FLAG_LAST) {
		transfer->total = position + length;
		transfer->total_known = true;
	}
	if (!is_whole(transfer))
		return;
	leave_order(transfer);
	transfer->whole = progress->whole = true;
	enter_order(transfer);
	progress->records = (struct rtap_span){ transfer->coverage.bytes, (uint32_t)transfer->total };
	/* Borrowed for the current frame, which may need memory for others. */
	transfer->entry.evict = NULL;
	progress->first_frame = transfer->first_frame;
	progress->segments = transfer->next - 1;
	rmpp->completed++;
}

/* The bytes of a complete transfer are not needed after its packet: from then on only its identification is kept. */
static void drop_bytes(struct rmpp *rmpp)
{
	struct rmpp_transfer *transfer = TAILQ_LAST(&rmpp->complete, rmpp_transfers);

	if (!transfer || !transfer->coverage.count)
		return;
	budget_give(rmpp->budget, &transfer->entry, coverage_memory(&transfer->coverage));
	coverage_fini(&transfer->coverage);
	transfer->coverage = (struct coverage){ 0 };
}

static bool is_transfer(const struct rtap_mad_facts *mad)
{
	bool is_only = mad->rmpp_flags & RMPP_FLAG_FIRST && mad->rmpp_flags & RMPP_FLAG_LAST;

	return !is_only && mad->rmpp_segment >= 1 && mad->rmpp_segment <= RMPP_MAX_SEGMENTS;
}

void rmpp_asked(struct rmpp *rmpp, const struct rtap_mad_facts *mad, const struct rtap_end *source, const struct rtap_end *destination)
{
	struct transfer_key key = { *destination, *source, mad->transaction_id, mad->management_class, mad->method ^ 0x80 };
	struct rmpp_transfer *transfer = map_find(&rmpp->map, hash_of(&key), same_transfer, &key);

	if (transfer)
		transfer->asked_again = transfer->whole;
}

/*
 * Either end can stop a transfer. The receiver's packets travel in the other direction, with the response bit of the method
 * inverted. IBTA vol. 1, 13.6.2.4, 13.6.2.5.
 */
static void stop(struct rmpp *rmpp, const struct transfer_key *key)
{
	struct transfer_key turned = { key->receiver, key->sender, key->transaction_id, key->management_class, key->method ^ 0x80 };
	struct rmpp_transfer *transfer = map_find(&rmpp->map, hash_of(key), same_transfer, key);

	if (!transfer)
		transfer = map_find(&rmpp->map, hash_of(&turned), same_transfer, &turned);
	if (transfer && !transfer->whole)
		destroy(transfer);
}

/*
 * The receiver has all segments: none is repeated. An ACK names the last segment up to which all arrived. IBTA vol. 1,
 * 13.6.2.3.
 */
static void acknowledge(struct rmpp *rmpp, const struct transfer_key *key, uint32_t segment)
{
	struct transfer_key turned = { key->receiver, key->sender, key->transaction_id, key->management_class, key->method ^ 0x80 };
	struct rmpp_transfer *transfer = map_find(&rmpp->map, hash_of(&turned), same_transfer, &turned);

	if (transfer && transfer->whole && segment >= transfer->next - 1)
		release_message(transfer);
}

void rmpp_hold(struct rmpp_transfer *transfer, struct message *message)
{
	transfer->message = message;
	message->transfer = transfer;
}

struct message *rmpp_held(const struct rmpp_transfer *transfer)
{
	return transfer->message;
}

bool rmpp_is_whole(const struct rmpp_transfer *transfer)
{
	return transfer->whole;
}

void rmpp_discard(struct message *message)
{
	if (message->transfer)
		message->transfer->message = NULL;
	message->transfer = NULL;
}

void rmpp_advance(struct rmpp *rmpp, int64_t now_ns)
{
	struct rmpp_transfer *transfer = TAILQ_LAST(&rmpp->complete, rmpp_transfers);

	if (transfer)
		transfer->entry.evict = evict;
	while ((transfer = rmpp->first_held) && (!transfer->message || now_ns - transfer->last_ns >= HOLD_NS)) {
		release_message(transfer);
		rmpp->first_held = TAILQ_NEXT(transfer, link);
	}
	while ((transfer = TAILQ_FIRST(&rmpp->complete)) && now_ns - transfer->last_ns >= REMEMBER_NS)
		destroy(transfer);
	while ((transfer = TAILQ_FIRST(&rmpp->partial)) && now_ns - transfer->last_ns >= REMEMBER_NS)
		destroy(transfer);
}

void rmpp_packet(struct rmpp *rmpp, struct rtap_packet *packet, const struct rtap_end *source, const struct rtap_end *destination,
		 struct rmpp_progress *progress)
{
	const struct rtap_mad_facts *mad = &packet->mad;
	const struct rtap_frame *frame = packet->frame;
	struct transfer_key key = { *source, *destination, mad->transaction_id, mad->management_class, mad->method };
	uint64_t hash = hash_of(&key);
	struct rmpp_transfer *transfer;

	*progress = (struct rmpp_progress){ 0 };
	drop_bytes(rmpp);
	rmpp_advance(rmpp, frame->time_ns);
	if (mad->rmpp_type == RMPP_STOP || mad->rmpp_type == RMPP_ABORT)
		stop(rmpp, &key);
	if (mad->rmpp_type == RMPP_ACK)
		acknowledge(rmpp, &key, mad->rmpp_segment);
	if (mad->rmpp_type != RMPP_DATA || !is_transfer(mad))
		return;
	transfer = map_find(&rmpp->map, hash, same_transfer, &key);
	if (transfer && transfer->asked_again && mad->rmpp_segment == 1) {
		destroy(transfer);
		transfer = NULL;
	}
	if (!transfer) {
		transfer = create(rmpp, &key, hash, frame);
		progress->begins = transfer;
	}
	if (!transfer)
		return;
	if (!transfer->whole) {
		transfer->last_ns = frame->time_ns;
		leave_order(transfer);
		enter_order(transfer);
	}
	take_segment(rmpp, transfer, packet, progress);
}

void rmpp_fini(struct rmpp *rmpp)
{
	while (!TAILQ_EMPTY(&rmpp->partial))
		destroy(TAILQ_FIRST(&rmpp->partial));
	while (!TAILQ_EMPTY(&rmpp->complete))
		destroy(TAILQ_FIRST(&rmpp->complete));
	map_fini(&rmpp->map);
}
