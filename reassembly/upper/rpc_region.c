/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "reassembly/infiniband/assembly.h"
#include "reassembly/kept_ahead.h"
#include "reassembly/message_extent.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/rpc_region.h"

/*
 * Most calls examined whose regions contain one address. A server grants few more credits, and each call names its own
 * memory.
 */
#define MOST_CANDIDATES 64
/* Calls without a reply whose regions are searched linearly: tree operations cost more. */
#define MOST_LISTED 16
/* Most runs of a region: packets are not lost this often. */
#define MOST_RUNS 4096

static struct rpc_region *region_of(const struct tree_node *node)
{
	return (struct rpc_region *)((char *)(uintptr_t)node - offsetof(struct rpc_region, node));
}

/* Key of a connection's regions before their address: side, direction of transfer, r_key. */
static uint64_t space_of(bool of_a, bool is_read, uint32_t r_key)
{
	return (uint64_t)of_a << 33 | (uint64_t)is_read << 32 | r_key;
}

static uint64_t space_of_region(const struct rpc_region *region)
{
	return space_of(region->call->from_a, region->is_read, region->r_key);
}

/* Those at one address are in the order of their calls. */
static int order(const struct tree_node *left, const struct tree_node *right)
{
	const struct rpc_region *a = region_of(left), *b = region_of(right);
	uint64_t a_space = space_of_region(a), b_space = space_of_region(b);

	if (a_space != b_space)
		return a_space < b_space ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->call->psn != b->call->psn)
		return a->call->psn < b->call->psn ? -1 : 1;
	/* a repeated SEND that was taken for another call, or a sequence that restarted */
	return a->call->number < b->call->number ? -1 : a->call->number > b->call->number;
}

static bool update(struct tree_node *node)
{
	struct rpc_region *region = region_of(node);
	uint64_t before = region->furthest;

	region->furthest = region->end;
	for (int side = 0; side < 2; side++)
		if (node->child[side] && region_of(node->child[side])->furthest > region->furthest)
			region->furthest = region_of(node->child[side])->furthest;
	return region->furthest != before;
}

static void list_call(struct rpc_call *call)
{
	struct rpc_regions *regions = &call->connection->regions;
	struct rpc_call **first = &regions->listed[call->is_answered];

	call->listed_before = NULL;
	call->listed_after = *first;
	if (*first)
		(*first)->listed_before = call;
	*first = call;
	call->is_listed = true;
	regions->waiting += !call->is_answered;
}

static void unlist_call(struct rpc_call *call)
{
	struct rpc_regions *regions = &call->connection->regions;

	*(call->listed_before ? &call->listed_before->listed_after : &regions->listed[call->is_answered]) = call->listed_after;
	if (call->listed_after)
		call->listed_after->listed_before = call->listed_before;
	call->is_listed = false;
	regions->waiting -= !call->is_answered;
}

/* Moves the regions of listed calls, answered or not, to the tree. */
static void __attribute__((noinline)) index_listed(struct rpc_regions *regions, bool answered)
{
	struct rpc_call *call;

	regions->tree.order = order;
	regions->tree.update = update;
	while ((call = regions->listed[answered])) {
		unlist_call(call);
		for (uint32_t i = 0; i < call->call.lists.region_count; i++)
			if (call->call.lists.regions[i].is_open)
				tree_insert(&regions->tree, &call->call.lists.regions[i].node);
	}
}

static void note_reply_psn(struct rpc_call *call)
{
	uint64_t *highest = &call->connection->regions.reply_psn[call->from_a];

	if (call->reply_psn > *highest)
		*highest = call->reply_psn;
}

void rpc_region_open_all(struct rtap_tracker *tracker, struct rpc_call *call)
{
	struct chunk_lists *lists = &call->call.lists;
	bool is_reported = tracker->reports || tracker->exchange;

	for (uint32_t i = 0; i < lists->region_count; i++) {
		struct rpc_region *region = &lists->regions[i];

		region->is_open = region->end > region->begin && (region->keep_bytes || region->is_read || is_reported);
		call->has_regions |= region->is_open;
	}
	if (!call->has_regions)
		return;
	tracker->calls_with_regions++;
	list_call(call);
	if (call->is_answered)
		note_reply_psn(call);
	if (call->connection->regions.waiting > MOST_LISTED)
		index_listed(&call->connection->regions, false);
}

void rpc_region_close_all(struct rtap_tracker *tracker, struct rpc_call *call)
{
	call->has_regions = false;
	tracker->calls_with_regions--;
	if (call->is_listed) {
		unlist_call(call);
		return;
	}
	for (uint32_t i = 0; i < call->call.lists.region_count; i++)
		if (call->call.lists.regions[i].is_open)
			tree_remove(&call->connection->regions.tree, &call->call.lists.regions[i].node);
}

void rpc_region_set_answered(struct rpc_call *call)
{
	bool is_listed = call->is_listed;

	if (is_listed)
		unlist_call(call);
	call->is_answered = true;
	if (is_listed)
		list_call(call);
	note_reply_psn(call);
}

/* A search for the regions that contain an address. */
struct search {
	const struct message *message;
	uint64_t space, address;
	uint32_t candidates;
	struct rpc_region *found, *newest; /* oldest possible one; newest of those not answered before */
	struct rpc_region *answered;       /* oldest of those answered after the message: it belongs to no later call */
};

/*
 * Whether requests of a side between two PSNs were lost or have not arrived; `lost`: the number lost when the first PSN was
 * current.
 */
static bool lost_between(const struct psn_stream *stream, uint64_t lost, uint64_t begin, uint64_t end)
{
	return psn_was_lost(stream, lost, begin, end) || psn_is_missing(stream, begin, end);
}

/* Whether the reply to the call can have been lost before the message: the memory belongs to another call then. */
static bool may_be_answered(const struct rpc_call *call, const struct message *message)
{
	const struct connection *connection = call->connection;

	if (call->reply.present)
		return false;
	if (connection->ddp)
		return connection->ddp->halves[!call->from_a].losses != call->lost[0];
	return lost_between(&connection->streams[!call->from_a], call->lost[0], call->next_psn[0], message->low);
}

/* Whether a call after this one can have been lost. */
static bool may_be_followed(const struct rpc_call *call)
{
	const struct connection *connection = call->connection;
	const struct psn_stream *stream = &connection->streams[call->from_a];

	return connection->ddp ? connection->ddp->halves[call->from_a].losses != call->lost[1] :
				 lost_between(stream, call->lost[1], call->next_psn[1], stream->next);
}

/* Whether a request stays within the memory that the call names: otherwise the other end's device would have refused it. */
static bool is_within(const struct rpc_region *region, const struct message *message)
{
	const struct chunk_lists *lists = &region->call->call.lists;
	uint64_t end = message->shown.virtual_address + message->shown.length;

	for (; region->end < end; region++)
		if (region + 1 == lists->regions + lists->region_count || region[1].is_read != region->is_read ||
		    region[1].r_key != region->r_key || region[1].begin != region->end)
			return false;
	return true;
}

static void consider(struct search *search, struct rpc_region *region)
{
	const struct rpc_call *call = region->call;

	if ((call->reply.present && search->message->low >= call->reply_psn) ||
	    (!call->connection->ddp && !is_within(region, search->message)))
		return;
	if (search->candidates++)
		region->call->is_contested = search->newest->call->is_contested = true;
	if (!search->newest || call->psn > search->newest->call->psn)
		search->newest = region;
	if (call->reply.present && (!search->answered || call->psn < search->answered->call->psn))
		search->answered = region;
	if (search->found && search->found->call->psn < call->psn)
		return;
	if ((region->is_read && region->asked >= region->end - region->begin) || may_be_answered(call, search->message))
		return;
	search->found = region;
}

static void search_below(struct search *search, struct tree_node *node)
{
	while (node && search->candidates < MOST_CANDIDATES) {
		struct rpc_region *region = region_of(node);
		uint64_t space = space_of_region(region);

		if (region->furthest <= search->address)
			return;
		if (space < search->space) {
			node = node->child[1];
			continue;
		}
		if (space > search->space || region->begin > search->address) {
			node = node->child[0];
			continue;
		}
		search_below(search, node->child[0]);
		if (region->end > search->address)
			consider(search, region);
		node = node->child[1];
	}
}

/* A call's regions do not overlap. */
static void search_listed(struct search *search, const struct rpc_call *call)
{
	const struct rtap_message *shown = &search->message->shown;
	bool is_read = shown->verb == RTAP_VERB_READ;

	for (; call; call = call->listed_after) {
		struct rpc_region *region;

		if (call->from_a == shown->from_a)
			continue;
		region = chunk_lists_find_region(&call->call.lists, is_read, shown->r_key, search->address);
		if (region && region->is_open && region->begin <= search->address)
			consider(search, region);
	}
}

/* Most SENDs searched for one whose call is unknown. */
#define MOST_AFTER 32

/*
 * Whether the message can belong to an unseen call: a SEND after it in the sequence answers no known call, and this call
 * arrived after one of the two, or the message after the SEND, or the SEND after what follows it (packets were reordered), or
 * requests after the SEND, which can be those of this call, are missing. SENDs after the call's own reply do not count.
 */
static bool is_before_unknown(const struct rpc_call *call, const struct message *message)
{
	const struct psn_stream *stream = message->stream;
	uint64_t end = call->reply.present ? call->reply_psn : stream->next;
	const struct message *after = message->after;

	for (int i = 0; after && after != call->replier && i < MOST_AFTER; after = after->after, i++) {
		if (after->shown.verb != RTAP_VERB_SEND || (after->replies_to && after->replies_to->call.present))
			continue;
		if (after->shown.first_frame < call->call.first_frame || message->shown.first_frame < call->call.first_frame ||
		    message->shown.first_frame > after->shown.first_frame || lost_between(stream, call->lost[0], after->low + 1, end) ||
		    (after->after && after->after->shown.first_frame < after->shown.first_frame))
			return true;
	}
	return false;
}

static struct rpc_region *find(struct rtap_tracker *tracker, const struct message *message)
{
	const struct rtap_message *shown = &message->shown;
	struct rpc_regions *regions = &message->connection->regions;
	struct search search = {
		.message = message, .space = space_of(!shown->from_a, shown->verb == RTAP_VERB_READ, shown->r_key),
		.address = shown->virtual_address,
	};

	/* A message after all replies belongs to none of their calls. */
	if (message->low < regions->reply_psn[!shown->from_a])
		index_listed(regions, true);
	search_listed(&search, regions->listed[false]);
	search_below(&search, regions->tree.root);
	tracker->counters.evictions += search.candidates == MOST_CANDIDATES;
	if (search.answered && (!search.found || search.found->call->psn > search.answered->call->psn))
		return search.answered;
	if (search.found || !search.newest)
		return search.found;
	if (!may_be_answered(search.newest->call, message))
		return search.newest;
	/* The memory can belong to an unseen call, after an unseen reply. */
	if (may_be_followed(search.newest->call))
		return NULL;
	search.newest->call->in_doubt = true;
	return search.newest;
}

struct rpc_region *rpc_region_find(struct rtap_tracker *tracker, const struct message *message)
{
	struct rpc_region *region = find(tracker, message);

	return region && message->after && !message->connection->ddp && is_before_unknown(region->call, message) ? NULL : region;
}

uint64_t rpc_region_asked_by(const struct message *message)
{
	/* The length of a WRITE of iWARP is known at its end. */
	return message->shown.verb == RTAP_VERB_READ || !message->connection->ddp ? message->shown.length : 0;
}

void rpc_region_claim(struct rtap_tracker *tracker, struct rpc_region *region, struct message *message)
{
	struct rpc_call *call = region->call;

	if (message->keeps_ahead)
		kept_ahead_leave(tracker, message);
	message->region = region;
	message->claimed_before = call->last_claimed;
	message->claimed_after = NULL;
	*(call->last_claimed ? &call->last_claimed->claimed_after : &call->claimed) = message;
	call->last_claimed = message;
	if (message->shown.first_frame < call->call.first_frame && (!call->early_psn || message->low < call->early_psn))
		call->early_psn = message->low;
	region->asked += rpc_region_asked_by(message);
}

void rpc_region_unclaim(struct message *message)
{
	struct rpc_call *call = message->region->call;

	*(message->claimed_before ? &message->claimed_before->claimed_after : &call->claimed) = message->claimed_after;
	*(message->claimed_after ? &message->claimed_after->claimed_before : &call->last_claimed) = message->claimed_before;
	message->region = NULL;
	message->has_landed = false;
}

/* Whether memory suffices for a region to keep these bytes too; if not, it keeps none. */
static bool has_room(struct rtap_tracker *tracker, struct rpc_region *region, uint64_t position, uint64_t length)
{
	uint64_t room = coverage_room_for(&region->data, position, length), limit = tracker->budget.limit;

	if (room == region->data.bytes_room || room <= limit / 4)
		return true;
	coverage_drop_bytes(&region->data);
	region->keep_bytes = false;
	tracker->counters.evictions++;
	return false;
}

/* Adds the part of a run that is in the region. */
static void land_run(struct rtap_tracker *tracker, struct rpc_region *region, struct coverage *to, const struct coverage_run *run, uint64_t shift,
		     const uint8_t *bytes, unsigned keep)
{
	uint64_t begin = run->begin + shift, end = run->end + shift, fresh, length;
	uint32_t crc = run->crc;

	if (begin < region->begin) {
		bytes = bytes ? bytes + (region->begin - begin) : NULL;
		begin = region->begin;
	}
	if (end > region->end)
		end = region->end;
	if (begin >= end)
		return;
	length = end - begin;
	if (keep & COVERAGE_BYTES && !has_room(tracker, region, begin - region->begin, length))
		keep &= ~(unsigned)COVERAGE_BYTES;
	if (length != run->end - run->begin || !run->crc_known) {
		if (!bytes)
			keep &= ~(unsigned)COVERAGE_CRC;
		else if (keep & COVERAGE_CRC)
			crc = coverage_crc(bytes, length);
	}
	/* Fills holes left by an earlier message; existing bytes are kept. */
	if (to->count >= MOST_RUNS || !coverage_add(to, begin - region->begin, bytes, length, crc, keep, &fresh))
		tracker->counters.evictions++;
}

/* Copies a message's data to one region. */
static void land_in(struct rtap_tracker *tracker, struct rpc_region *region, const struct message *message)
{
	uint64_t start = MESSAGE_ORIGIN - (message->origin - message->low) * message->stream->pmtu;
	uint64_t shift = message->shown.virtual_address - start, memory = coverage_memory(&region->data) + coverage_memory(&region->cut);
	const struct coverage *data = &message->coverage, *cut = &message->cut;
	unsigned keep = (tracker->keep & COVERAGE_CRC) | (region->keep_bytes ? COVERAGE_BYTES : 0u);

	/* Bytes that were wanted but could not be kept are treated as absent. */
	tracker->counters.evictions += region->keep_bytes && message->bytes_dropped && data->count;
	for (uint32_t i = 0; i < data->count && (!region->keep_bytes || data->bytes); i++) {
		const struct coverage_run *run = &coverage_runs(data)[i];

		land_run(tracker, region, &region->data, run, shift, coverage_bytes(data, run), keep);
	}
	for (uint32_t i = 0; i < cut->count; i++)
		land_run(tracker, region, &region->cut, &coverage_runs(cut)[i], shift, NULL, COVERAGE_ONLY);
	rpc_call_charge(tracker, region->call, coverage_memory(&region->data) + coverage_memory(&region->cut), memory);
}

/* The next region, if a READ or WRITE of this one that ends at `end` touches it too; NULL: it does not. */
static struct rpc_region *next_touched(struct rpc_region *region, uint64_t end)
{
	const struct chunk_lists *lists = &region->call->call.lists;
	struct rpc_region *next = region + 1;

	return next < lists->regions + lists->region_count && next->is_read == region->is_read && next->r_key == region->r_key && next->begin < end ?
		       next : NULL;
}

/* The address after the last byte that it reads or writes. */
static uint64_t end_of(const struct message *message)
{
	uint64_t known = message_known_length(message);

	return message->shown.virtual_address + (message->shown.length > known ? message->shown.length : known);
}

void rpc_region_land(struct rtap_tracker *tracker, struct message *message)
{
	uint64_t end = end_of(message);

	for (struct rpc_region *region = message->region; region; region = next_touched(region, end))
		land_in(tracker, region, message);
	budget_touch(&tracker->budget, &message->region->call->entry);
	message->has_landed = true;
	/* For iWARP nothing is revised: TCP keeps the order of each side. */
	if (message->connection->ddp)
		rpc_region_unclaim(message);
}

void rpc_region_empty(struct rtap_tracker *tracker, struct message *message)
{
	struct rpc_call *call = message->region->call;
	uint64_t begin = message->shown.virtual_address, end = end_of(message);
	bool has_brought = message->has_landed || (message->region->is_read && message_read_is_over(message));

	for (struct rpc_region *region = has_brought ? message->region : NULL; region; region = next_touched(region, end)) {
		uint64_t from = begin > region->begin ? begin - region->begin : 0, to = (end < region->end ? end : region->end) - region->begin;
		struct coverage *parts[] = { &region->data, &region->cut, &region->arrived };

		for (int i = 0; i < 3; i++) {
			uint64_t memory = coverage_memory(parts[i]), removed;
			unsigned keep = (tracker->keep & COVERAGE_CRC) | (parts[i]->bytes ? COVERAGE_BYTES : 0u);

			removed = coverage_remove(parts[i], from, to, i == 0 ? keep : COVERAGE_ONLY);
			call->read_left += i == 2 ? removed : 0;
			rpc_call_charge(tracker, call, coverage_memory(parts[i]), memory);
		}
	}
}

/* Whether the reply to an unseen call can have been lost between READs and WRITEs before this call and the others. */
static bool may_be_preceded(const struct rpc_call *call)
{
	const struct psn_stream *stream = &call->connection->streams[!call->from_a];

	return call->early_psn && !call->connection->ddp && lost_between(stream, call->lost[0], call->early_psn, call->begun_psn);
}

/* Length of what a call lets the responder read, or of what its reply says that the responder wrote. */
static uint64_t transfer_length(const struct rpc_call *call, bool is_read)
{
	const struct chunk_lists *lists = is_read ? &call->call.lists : &call->reply.lists;
	uint64_t length = 0;

	for (uint32_t i = 0; i < lists->count; i++)
		length += (lists->segments[i].list == CHUNK_READ) == is_read ? lists->segments[i].length : 0;
	return length;
}

/*
 * Whether READs or WRITEs of more bytes than the responder moved for the call were assigned to it, and other calls, known or
 * not, were outstanding: some can belong to those.
 */
static bool is_overfull(const struct rpc_call *call)
{
	uint64_t asked[2] = { 0, 0 };

	if (call->connection->ddp || (!call->is_contested && call->unknown_replies == call->connection->unknown_replies))
		return false;

	for (uint32_t i = 0; i < call->call.lists.region_count; i++)
		asked[call->call.lists.regions[i].is_read] += call->call.lists.regions[i].asked;
	return asked[true] > transfer_length(call, true) || (call->reply.lists.count && asked[false] > transfer_length(call, false));
}

void rpc_region_drop_doubtful(struct rtap_tracker *tracker, struct rpc_call *call)
{
	bool is_followed = call->in_doubt && !call->reply.present && may_be_followed(call);

	if (!is_followed && !may_be_preceded(call) && !is_overfull(call))
		return;
	for (uint32_t i = 0; i < call->call.lists.region_count; i++) {
		struct coverage *data = &call->call.lists.regions[i].data;

		rpc_call_charge(tracker, call, 0, coverage_memory(data));
		coverage_fini(data);
	}
}
