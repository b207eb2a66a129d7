/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/clear.h"
#include "dissect/engine/line.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/message_list.h"
#include "reassembly/message_queue.h"
#include "reassembly/operation.h"
#include "reassembly/upper/nccl_transfer.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/upper_layers.h"

#define NUMBER_TEXT 24
#define OBJECT_TEXT 48
#define MOST_NEIGHBOURS 8 /* messages without a transfer between those of transfers, searched for one that came late */
#define MOST_BETWEEN 64   /* messages without a transfer between one captured before its announcement and those of transfers */
#define MOST_OVERTAKEN 16 /* later announcements captured before one */
#define MOST_MOVING 64    /* transfers examined for acknowledged ones */
#define MOST_RUNS 4096    /* disjoint ranges of a buffer that are remembered */

struct nccl_operation {
	struct operation operation;
	char id[NUMBER_TEXT], object[OBJECT_TEXT];
};

struct nccl_layer_state *nccl_layer_state(const struct rtap_tracker *tracker)
{
	return tracker->upper_states[UPPER_nccl];
}

struct nccl_state *nccl_state_make(struct rtap_tracker *tracker, struct connection *connection)
{
	struct nccl_state *state = connection->upper_state;

	if (state)
		return state;
	state = upper_state_create(tracker, connection, sizeof *state);
	for (int i = 0; state && i < 2; i++)
		TAILQ_INIT(&state->channels[i].transfers);
	return state;
}

struct nccl_transfer *nccl_transfer_of(struct request *request)
{
	return (struct nccl_transfer *)request;
}

static struct nccl_state *state_of(const struct nccl_transfer *transfer)
{
	return transfer->request.connection->upper_state;
}

static int order(const void *left, const void *right)
{
	const struct region_name *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : 0;
}

/*
 * Ends each buffer where the next one begins: more is announced than is sent. So data counts once, and the starts of buffers stay as
 * announced.
 */
static void separate(struct region_name *regions, uint32_t count)
{
	if (count > 1)
		qsort(regions, count, sizeof *regions, order);
	for (uint32_t i = 0; i + 1 < count; i++)
		if (regions[i].key == regions[i + 1].key && regions[i].end > regions[i + 1].begin)
			regions[i].end = regions[i + 1].begin;
}

/* The entry, and in `regions` the memory that it names. Entries are within the bytes: nccl_plausible(). */
static uint32_t read_entries(struct nccl_transfer *transfer, struct region_name regions[NCCL_MOST_REGIONS])
{
	enum nccl_layout layout = nccl_layout_of(transfer->channel);
	struct nccl_entry first = nccl_read_entry(layout, transfer->written);
	uint32_t each = transfer->length / first.receives, count = 0;

	transfer->index = first.index;
	transfer->tag = first.tag;
	transfer->receives = first.receives;
	transfer->address = first.address;
	transfer->key = first.keys[0];
	transfer->size = 0;
	for (uint32_t i = 0; i < first.receives; i++) {
		struct nccl_entry entry = nccl_read_entry(layout, transfer->written + i * each);

		transfer->size += entry.size;
		for (unsigned key = 0; key < NCCL_MOST_KEYS; key++) {
			if (!entry.keys[key])
				continue;
			regions[count] = (struct region_name){
				.begin = entry.address, .end = entry.address + entry.size, .key = entry.keys[key], .number = count, .use = key > 0,
			};
			count++;
		}
	}
	separate(regions, count);
	return count;
}

static void leave_index(struct rtap_tracker *tracker, struct nccl_transfer *transfer)
{
	for (uint32_t i = 0; i < transfer->link_count; i++)
		nccl_match_remove(&nccl_layer_state(tracker)->memory, &transfer->links[i]);
	request_charge(&tracker->budget, &transfer->request, 0, transfer->link_count * sizeof *transfer->links);
	free(transfer->links);
	transfer->links = NULL;
	transfer->link_count = 0;
}

/* False: out of memory; some of its memory is not in the index. */
static bool enter_index(struct rtap_tracker *tracker, struct nccl_transfer *transfer)
{
	struct region_name names[NCCL_MOST_REGIONS];
	uint32_t count = read_entries(transfer, names);
	struct request *request = &transfer->request;

	if (!region_create_all(tracker, request, names, count))
		return false;
	transfer->links = memory_new_zeroed(request->region_count, sizeof *transfer->links);
	if (!transfer->links)
		return false;
	transfer->link_count = request->region_count;
	request_charge(&tracker->budget, request, transfer->link_count * sizeof *transfer->links, 0);
	for (uint32_t i = 0; i < request->region_count; i++)
		if (!nccl_match_add(&nccl_layer_state(tracker)->memory, &transfer->links[i], &request->regions[i]))
			return false;
	return true;
}

void nccl_transfer_read_again(struct rtap_tracker *tracker, struct nccl_transfer *transfer)
{
	struct request *request = &transfer->request;
	uint64_t memory = request->region_room * sizeof *request->regions;

	while (!TAILQ_EMPTY(&request->claimed)) {
		struct message *message = TAILQ_FIRST(&request->claimed);
		struct nccl_state *state = message->connection->upper_state;

		state->unclaimed[message->shown.from_a].count++;
		region_unclaim(message);
	}
	leave_index(tracker, transfer);
	for (uint32_t i = 0; i < request->region_count; i++)
		memory += coverage_memory(&request->regions[i].data) + coverage_memory(&request->regions[i].cut) +
			  coverage_memory(&request->regions[i].arrived);
	request_charge(&tracker->budget, request, 0, memory);
	region_destroy_all(request);
	region_free_room(request);
	tracker->counters.evictions += !enter_index(tracker, transfer);
}

static void give_up(struct budget_entry *entry, void *owner)
{
	nccl_transfer_end(owner, (struct nccl_transfer *)((char *)entry - offsetof(struct nccl_transfer, request.entry)));
}

static void evict(struct budget_entry *entry, void *owner)
{
	struct rtap_tracker *tracker = owner;

	tracker->counters.evictions++;
	give_up(entry, owner);
}

/* Moves the newest transfer to its place by index: a retransmitted announcement can be captured after later ones. */
static void put_in_order(struct nccl_transfer *transfer)
{
	struct nccl_channel *channel = transfer->channel;
	struct nccl_transfer *after = NULL, *before = TAILQ_PREV(transfer, nccl_transfers, link);

	for (int i = 0; before && before->index > transfer->index && channel->is_counting && i < MOST_OVERTAKEN; i++) {
		after = before;
		before = TAILQ_PREV(before, nccl_transfers, link);
	}
	if (!after)
		return;
	TAILQ_REMOVE(&channel->transfers, transfer, link);
	TAILQ_INSERT_BEFORE(after, transfer, link);
}

struct nccl_transfer *nccl_transfer_create(struct rtap_tracker *tracker, struct nccl_channel *channel, struct message *message, const uint8_t *bytes,
					   uint32_t length)
{
	size_t size = sizeof(struct nccl_transfer) + length;
	struct nccl_transfer *transfer = spare_blocks_take(&tracker->spare_commands, size);

	if (!transfer) {
		tracker->counters.evictions++;
		return NULL;
	}
	clear_bytes(transfer, sizeof *transfer);
	memcpy(transfer->written, bytes, length);
	transfer->length = length;
	transfer->channel = channel;
	transfer->request.entry = (struct budget_entry){ .evict = evict, .give_up = give_up, .owner = tracker };
	budget_charge(&tracker->budget, &transfer->request.entry, spare_blocks_room(size));
	request_begin(tracker, &transfer->request, message->connection, message->shown.from_a);
	request_seen(&transfer->request, message);
	TAILQ_INSERT_TAIL(&channel->transfers, transfer, link);
	channel->count++;
	tracker->counters.evictions += !enter_index(tracker, transfer);
	put_in_order(transfer);
	request_operation(tracker, &transfer->request, message, sizeof(struct nccl_operation));
	if (state_of(transfer)->is_known)
		nccl_transfer_announced(tracker, transfer);
	return transfer;
}

/* The transfers of the channel after those counted before, up to this one; those between were not captured. */
static uint64_t count_up_to(const struct nccl_transfer *transfer)
{
	uint64_t done = transfer->channel->done;

	return !done || transfer->index <= done ? 1 : transfer->index - done;
}

/* `transfers`: as for nccl_job_ended(). */
static void leave_job(struct rtap_tracker *tracker, struct nccl_transfer *transfer, uint64_t transfers, int64_t last_ns)
{
	if (transfer->progress.phase == NCCL_BEGUN)
		TAILQ_REMOVE(&nccl_layer_state(tracker)->moving, transfer, moving);
	nccl_job_ended(&transfer->progress, transfers, last_ns);
}

/* Whether the receiver has acknowledged all data, although some of it was not captured. `last_ns`: when the last of it was captured. */
static bool is_acknowledged(const struct nccl_transfer *transfer, int64_t *last_ns)
{
	const struct message *message;
	bool has_immediate = transfer->has_immediate;
	uint32_t immediate = transfer->immediate;
	uint64_t bytes = transfer->bytes;

	*last_ns = transfer->last_ns;
	TAILQ_FOREACH(message, &transfer->request.claimed, claimed) {
		if (!message->answered)
			return false;
		if (assembly_is_whole(message))
			continue;
		bytes += message->shown.length;
		if (message->shown.time_end_ns > *last_ns)
			*last_ns = message->shown.time_end_ns;
		if (message->shown.has_immediate && transfer->receives == 1) {
			has_immediate = true;
			immediate = (uint32_t)message->shown.immediate;
		}
	}
	if (transfer->has_total)
		return bytes >= transfer->total;
	return has_immediate && (bytes == immediate || bytes == __builtin_bswap32(immediate));
}

/* Ends the acknowledged transfers of which data was not captured, before an event that can be caused by them, or end a silence. */
static void end_acknowledged(struct rtap_tracker *tracker)
{
	struct nccl_transfer *transfer = TAILQ_FIRST(&nccl_layer_state(tracker)->moving), *next;
	int64_t last_ns;

	for (int i = 0; transfer && i < MOST_MOVING; transfer = next, i++) {
		next = TAILQ_NEXT(transfer, moving);
		if (!is_acknowledged(transfer, &last_ns))
			continue;
		leave_job(tracker, transfer, count_up_to(transfer), last_ns);
		if (transfer->index > transfer->channel->done)
			transfer->channel->done = transfer->index;
	}
}

void nccl_transfer_announced(struct rtap_tracker *tracker, struct nccl_transfer *transfer)
{
	const struct rtap_connection *connection = &transfer->request.connection->shown;
	bool by_a = transfer->channel == &state_of(transfer)->channels[1];

	end_acknowledged(tracker);
	nccl_job_announced(&nccl_layer_state(tracker)->jobs, &transfer->channel->job_link, &transfer->progress,
			   by_a ? &connection->b : &connection->a, by_a ? &connection->a : &connection->b, transfer->request.time_ns);
}

void nccl_transfer_begun(struct rtap_tracker *tracker, struct nccl_transfer *transfer, int64_t time_ns)
{
	if (transfer->progress.phase != NCCL_ANNOUNCED)
		return;
	end_acknowledged(tracker);
	nccl_job_begun(&nccl_layer_state(tracker)->jobs, &transfer->progress, time_ns);
	if (transfer->progress.phase == NCCL_BEGUN)
		TAILQ_INSERT_TAIL(&nccl_layer_state(tracker)->moving, transfer, moving);
}

static void note_qp(struct nccl_transfer *transfer, uint32_t connection)
{
	for (uint32_t i = 0; i < transfer->qp_count; i++)
		if (transfer->qps[i] == connection)
			return;
	if (transfer->qp_count < NCCL_MOST_QPS)
		transfer->qps[transfer->qp_count++] = connection;
}

static bool is_before_announcement(const struct nccl_transfer *transfer, const struct message *message)
{
	return message->shown.first_frame < transfer->request.first_frame;
}

/* Whether all of its data was captured, by the known or announced size. */
static bool nccl_transfer_is_whole(const struct nccl_transfer *transfer)
{
	if (transfer->has_total)
		return transfer->bytes >= transfer->total;
	if (transfer->has_immediate)
		return transfer->bytes == transfer->immediate || transfer->bytes == __builtin_bswap32(transfer->immediate);
	return transfer->immediates > 0;
}

void nccl_transfer_take(struct rtap_tracker *tracker, struct nccl_transfer *transfer, const struct message *message)
{
	const struct rtap_message *shown = &message->shown;

	transfer->is_late |= is_before_announcement(transfer, message);
	transfer->immediates += shown->has_immediate;
	nccl_transfer_note_place(transfer, message);
	note_qp(transfer, (uint32_t)message->connection->shown.number);
	transfer->channel->splits |= transfer->qp_count > 1;
	if (!transfer->has_data || shown->time_ns < transfer->first_ns ||
	    (shown->time_ns == transfer->first_ns && shown->first_frame < transfer->first_frame)) {
		transfer->first_ns = shown->time_ns;
		transfer->first_frame = shown->first_frame;
	}
	if (!transfer->has_data || shown->time_end_ns > transfer->last_ns ||
	    (shown->time_end_ns == transfer->last_ns && shown->last_frame > transfer->last_frame)) {
		transfer->last_ns = shown->time_end_ns;
		transfer->last_frame = shown->last_frame;
	}
	transfer->has_data = true;
	nccl_job_lost(&transfer->progress, shown->time_lost_us * UINT64_C(1000), shown->time_end_ns);
	if (!nccl_transfer_is_whole(transfer))
		return;
	leave_job(tracker, transfer, count_up_to(transfer), transfer->last_ns);
	if (transfer->index > transfer->channel->done)
		transfer->channel->done = transfer->index;
	for (uint32_t i = 0; i < transfer->link_count; i++)
		transfer->links[i].is_filled = true;
}

/* The place of the message's queue pair; an unused one, or NULL. */
static struct nccl_place *place_of(const struct nccl_transfer *transfer, const struct message *message)
{
	uint64_t number = message->connection->shown.number;

	for (struct nccl_place *place = transfer->channel->places; place < transfer->channel->places + NCCL_MOST_QPS; place++)
		if (!place->connection || place->connection == number)
			return place;
	return NULL;
}

/* What is known of its message now, if the WRITE follows it. */
static struct nccl_place place_before(const struct nccl_place *place, const struct message *message)
{
	const struct message *before = message_list_before(message);
	struct nccl_place known = *place;

	if (before && before->low == place->psn) {
		known.is_last |= before->ends_with_immediate;
		known.next_psn = before->has_last ? before->high + 1 : 0;
	}
	return known;
}

/* The announcements before that of the transfer, down to index `least`, were captured. */
static bool are_known_since(const struct nccl_transfer *transfer, uint64_t least)
{
	const struct nccl_transfer *before = transfer;

	if (transfer->index < least || transfer->index - least > NCCL_MOST_QPS)
		return false;
	while (before->index > least) {
		const struct nccl_transfer *next = TAILQ_PREV(before, nccl_transfers, link);

		if (!next || next->index + 1 != before->index)
			return false;
		before = next;
	}
	return true;
}

/* Of a message captured late: whether its neighbours in the sequence that belong to the channel allow the transfer. */
static bool fits_between(const struct nccl_transfer *transfer, const struct message *message)
{
	const struct message *before = message_list_before(message), *after = message_list_after(message);
	const struct nccl_transfer *other;

	for (int i = 0; before && !before->region && i < MOST_NEIGHBOURS; i++)
		before = message_list_before(before);
	for (int i = 0; after && !after->region && i < MOST_NEIGHBOURS; i++)
		after = message_list_after(after);
	other = before && before->region ? nccl_transfer_of(before->region->request) : NULL;
	if (other && other->channel == transfer->channel && transfer->index < other->index + before->ends_with_immediate)
		return false;
	other = after && after->region ? nccl_transfer_of(after->region->request) : NULL;
	return !other || other->channel != transfer->channel || transfer->index <= other->index;
}

static bool is_taken(const struct region *region, uint64_t from, uint64_t length)
{
	uint32_t run = coverage_find(&region->arrived, from);

	return length && run < region->arrived.count && coverage_runs(&region->arrived)[run].begin < from + length;
}

/* Whether the sender announced fewer bytes than the transfer would have with this WRITE. */
static bool is_too_long(const struct nccl_transfer *transfer, uint64_t length)
{
	return length && transfer->has_total && (transfer->bytes > transfer->total || length > transfer->total - transfer->bytes);
}

/* Whether an announcement after that of the transfer was not captured: it can have been of the same buffer. */
static bool has_unseen_after(const struct nccl_transfer *transfer)
{
	const struct request *request = &transfer->request;
	const struct psn_stream *stream = &request->connection->streams[request->from_a];

	return stream->acknowledged > stream->next || region_may_be_followed(request);
}

/*
 * What the capture has before the message on its queue pair, without a gap: the last WRITE of a transfer, or the beginning of the queue pair, and then
 * `ends` WRITEs without a transfer that end one. False: unknown.
 */
static bool find_known_before(const struct nccl_place *place, const struct message *message, struct nccl_place *known, uint64_t *ends)
{
	const struct message *before;

	*ends = 0;
	for (int i = 0; i < MOST_BETWEEN; i++, message = before) {
		before = message_list_before(message);
		if (!before || !before->has_last || before->high + 1 != message->low)
			break;
		if (before->region) {
			*known = (struct nccl_place){ .index = nccl_transfer_of(before->region->request)->index, .is_last = before->ends_with_immediate };
			return nccl_transfer_of(before->region->request)->channel->places <= place &&
			       place < nccl_transfer_of(before->region->request)->channel->places + NCCL_MOST_QPS;
		}
		*ends += before->ends_with_immediate;
	}
	*known = place->connection ? *place : (struct nccl_place){ .is_last = true };
	return place->connection ? place->next_psn == message->low : !message->shown.psn;
}

/* Of a WRITE that is the next one of its queue pair for the transfer. */
static enum nccl_fit fit_next(const struct nccl_transfer *transfer, bool is_after)
{
	return is_after && !transfer->channel->splits ? NCCL_FITS_AFTER : NCCL_IS_NEXT;
}

/* The WRITE before it on its queue pair is of the transfer, which it does not end, or ends the one before that. */
static bool follows_data_of(const struct nccl_transfer *transfer, const struct message *message)
{
	const struct message *before = message_list_before(message);
	const struct nccl_transfer *other = before && before->region ? nccl_transfer_of(before->region->request) : NULL;

	return other && other->channel == transfer->channel && other->index + before->ends_with_immediate == transfer->index && before->has_last &&
	       before->high + 1 == message->low;
}

/* Of a WRITE captured before the announcement: its place on the queue pair, on which each transfer has one end, shows the index. */
static enum nccl_fit fit_by_place(const struct nccl_transfer *transfer, const struct message *message, const struct nccl_place *place, bool is_after)
{
	const struct message *after = message_list_after(message);
	bool is_earlier = place->connection && message->low < place->psn;
	struct nccl_place known;
	uint64_t ends, least;

	if (!find_known_before(place, message, &known, &ends) || (is_earlier && !fits_between(transfer, message)))
		return NCCL_FITS_NOT;
	least = known.index + known.is_last;
	if (transfer->index == least + ends)
		return fit_next(transfer, is_after);
	/* transfers can also take turns on the queue pairs */
	if (ends || !known.is_last || is_after || !are_known_since(transfer, least))
		return NCCL_FITS_NOT;
	return !is_earlier || (after && after->region && message->has_last && message->high + 1 == after->low) ? NCCL_FITS : NCCL_FITS_NOT;
}

/* The first WRITE of a queue pair, whose PSNs begin at 0, for the first transfer. */
static bool is_first(const struct nccl_transfer *transfer, const struct message *message)
{
	return !message->shown.psn && transfer == TAILQ_FIRST(&transfer->channel->transfers);
}

/*
 * An empty WRITE after a buffer can also be all the data of a buffer that begins there and whose announcement was not captured, unless its queue
 * pair shows that no other transfer was between.
 */
enum nccl_fit nccl_transfer_fit(const struct region *region, const struct message *message)
{
	const struct nccl_transfer *transfer = nccl_transfer_of(region->request);
	const struct nccl_place *place = place_of(transfer, message);
	uint64_t from = message->shown.virtual_address - region->begin;
	bool is_after = from && from >= region->end - region->begin;
	struct nccl_place known;
	uint64_t least;

	if (is_taken(region, from, message->shown.length) || is_too_long(transfer, message->shown.length))
		return NCCL_FITS_NOT;
	if (is_before_announcement(transfer, message))
		return place ? fit_by_place(transfer, message, place, is_after) : NCCL_FITS_NOT;
	if (!place || !place->connection)
		return is_first(transfer, message) ? (is_after ? NCCL_FITS_AFTER : NCCL_FITS) :
		       is_after || has_unseen_after(transfer) ? NCCL_FITS_NOT : NCCL_FITS;
	if (message->low == place->psn)
		return NCCL_FITS;
	if (message->low < place->psn && is_after)
		return follows_data_of(transfer, message) ? fit_next(transfer, is_after) : NCCL_FITS_NOT;
	if (message->low < place->psn)
		return transfer->index <= place->index && fits_between(transfer, message) ? NCCL_FITS : NCCL_FITS_NOT;
	known = place_before(place, message);
	least = known.index + known.is_last;
	if (transfer->index == least && known.next_psn == message->low)
		return fit_next(transfer, is_after);
	return transfer->index >= least && !is_after && !has_unseen_after(transfer) ? NCCL_FITS : NCCL_FITS_NOT;
}

void nccl_transfer_note_place(struct nccl_transfer *transfer, const struct message *message)
{
	struct nccl_place *place = place_of(transfer, message);

	if (place && (!place->connection || message->low >= place->psn))
		*place = (struct nccl_place){
			.connection = message->connection->shown.number, .psn = message->low, .next_psn = message->has_last ? message->high + 1 : 0,
			.index = transfer->index, .is_last = message->ends_with_immediate,
		};
}

void nccl_transfer_note_range(struct rtap_tracker *tracker, struct region *region, const struct message *message)
{
	uint64_t memory = coverage_memory(&region->arrived), fresh;

	if (!message->shown.length || region->arrived.count == MOST_RUNS)
		return;
	tracker->counters.evictions += !coverage_add(&region->arrived, message->shown.virtual_address - region->begin, NULL, message->shown.length, 0,
						     COVERAGE_ONLY, &fresh);
	request_charge(&tracker->budget, region->request, coverage_memory(&region->arrived), memory);
}

static bool is_over(const struct nccl_transfer *transfer)
{
	return TAILQ_EMPTY(&transfer->request.claimed) && (nccl_transfer_is_whole(transfer) || transfer->index < transfer->channel->done);
}

void nccl_channel_advance(struct rtap_tracker *tracker, struct nccl_channel *channel)
{
	struct nccl_transfer *first;

	while ((first = TAILQ_FIRST(&channel->transfers)) && is_over(first))
		nccl_transfer_end(tracker, first);
}

static struct nccl_costs judge(struct nccl_transfer *transfer, const struct message *announcement)
{
	const struct request_lost *lost = &transfer->request.write_lost;
	const struct nccl_progress *progress = &transfer->progress;
	struct nccl_channel *channel = transfer->channel;
	uint64_t before = channel->last_silence, ready = progress->announced_after > before ? progress->announced_after : before;

	uint64_t receiver_free = progress->receiver_free_after > before ? progress->receiver_free_after : before;
	uint64_t sender_free = progress->sender_free_after > ready ? progress->sender_free_after : ready;

	channel->last_silence = progress->begun_after;
	return nccl_judge(&channel->pace, &(struct nccl_times){
		.index = transfer->index, .bytes = transfer->bytes, .announced_ns = transfer->request.time_ns, .first_ns = transfer->first_ns,
		.last_ns = transfer->last_ns, .again_ns = transfer->again_ns, .acknowledged_ns = transfer->ack_ns, .has_ack = transfer->has_own_ack,
		.lacks_data = !nccl_transfer_is_whole(transfer), .is_late = transfer->is_late, .lost_ns = lost->time_us * UINT64_C(1000),
		.announcement_lost_ns = announcement ? announcement->shown.time_lost_us * UINT64_C(1000) : 0,
		.paused_ns = { nccl_job_paused(progress, before, progress->announced_after), nccl_job_paused(progress, ready, progress->begun_after) },
		.free_paused_ns = { nccl_job_paused(progress, receiver_free, progress->announced_after),
				    nccl_job_paused(progress, sender_free, progress->begun_after) },
		.knows_free = { progress->knows_receiver, progress->knows_sender },
		.free_ns = { progress->receiver_free_ns, progress->sender_free_ns },
	});
}

static void fill(struct nccl_operation *operation, const struct nccl_transfer *transfer, const struct nccl_costs *costs)
{
	struct rtap_operation *shown = &operation->operation.shown;

	shown->layer = "nccl";
	shown->name = "recv";
	*line_put_dec(operation->id, transfer->index) = '\0';
	shown->id = operation->id;
	shown->has_length = shown->has_data_bytes = true;
	shown->length = transfer->size;
	shown->complete = transfer->has_data && nccl_transfer_is_whole(transfer) && shown->data_bytes >= transfer->bytes &&
			  (transfer->has_total || transfer->has_immediate);
	if (transfer->has_data) {
		shown->first_data_frame = transfer->first_frame;
		shown->last_data_frame = transfer->last_frame;
		shown->first_data_ns = transfer->first_ns - shown->time_ns;
		shown->last_data_ns = transfer->last_ns - shown->time_ns;
		shown->time_end_ns = transfer->last_ns > shown->time_end_ns ? transfer->last_ns : shown->time_end_ns;
	}
	if (transfer->has_ack) {
		shown->has_status = shown->ok = true;
		shown->status = "acknowledged";
		shown->response_frame = transfer->ack_frame;
		shown->latency_ns = transfer->ack_ns - shown->time_ns;
		shown->has_latency = shown->latency_ns >= 0;
		shown->time_end_ns = transfer->ack_ns > shown->time_end_ns ? transfer->ack_ns : shown->time_end_ns;
	}
	if (costs) {
		operation_add_text(&operation->operation, "verdict", costs->verdict);
		if (costs->knows_sender)
			operation_add_wait(&operation->operation, "sender_wait", costs->sender_ns, RTAP_WAIT_RESPONDER);
		if (costs->knows_receiver)
			operation_add_wait(&operation->operation, "receiver_wait", costs->receiver_ns, RTAP_WAIT_REQUESTER);
		operation_add_wait(&operation->operation, "network_time", costs->network_ns, RTAP_WAIT_NETWORK);
		operation_add_wait(&operation->operation, "pause", costs->pause_ns, RTAP_WAIT_ALL);
		if (costs->knows_sender_own)
			operation_add_wait(&operation->operation, "sender_own", costs->sender_own_ns, RTAP_WAIT_RESPONDER_OWN);
		if (costs->knows_receiver_own)
			operation_add_wait(&operation->operation, "receiver_own", costs->receiver_own_ns, RTAP_WAIT_REQUESTER_OWN);
	}
	operation_add_number(&operation->operation, "tag", transfer->tag);
	operation_add_number(&operation->operation, "nreqs", transfer->receives);
	operation_add_number(&operation->operation, "qps", transfer->qp_count);
}

static void show_object(struct nccl_operation *operation, const struct nccl_transfer *transfer)
{
	char *next = line_put_hex(line_put(operation->object, "0x"), transfer->address, 1);

	*line_put_hex(line_put(next, " key 0x"), transfer->key, 1) = '\0';
	operation->operation.shown.object = operation->object;
}

void nccl_transfer_conclude(struct rtap_tracker *tracker, struct nccl_transfer *transfer)
{
	struct request *request = &transfer->request;
	struct message *announcement = request->message;
	struct nccl_operation *operation;
	struct nccl_costs costs;

	/* unproven transfers are not reported */
	operation = state_of(transfer)->is_known ? request_conclude(tracker, request, NULL) : NULL;
	if (!operation)
		return;
	if (transfer->has_data)
		costs = judge(transfer, announcement);
	show_object(operation, transfer);
	fill(operation, transfer, transfer->has_data ? &costs : NULL);
}

static void leave_channel(struct nccl_transfer *transfer)
{
	struct nccl_channel *channel = transfer->channel;

	TAILQ_REMOVE(&channel->transfers, transfer, link);
	channel->count--;
}

void nccl_transfer_end(struct rtap_tracker *tracker, struct nccl_transfer *transfer)
{
	struct request *request = &transfer->request;

	nccl_transfer_conclude(tracker, transfer);
	leave_job(tracker, transfer, 0, 0);
	leave_index(tracker, transfer);
	leave_channel(transfer);
	request_end(tracker, request);
	region_free_room(request);
	spare_blocks_give(&tracker->spare_commands, transfer, sizeof *transfer + transfer->length);
}

void nccl_state_end(struct rtap_tracker *tracker, struct connection *connection)
{
	struct nccl_state *state = connection->upper_state;
	struct nccl_transfer *first;

	for (int i = 0; state && i < 2; i++)
		while ((first = TAILQ_FIRST(&state->channels[i].transfers))) {
			/* also on other connections; that can end the transfer */
			if (!TAILQ_EMPTY(&first->request.claimed))
				message_settle(tracker, TAILQ_FIRST(&first->request.claimed));
			else
				nccl_transfer_end(tracker, first);
		}
}
