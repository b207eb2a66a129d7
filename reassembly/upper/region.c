/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reassembly/connection.h"
#include "reassembly/frame_result.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/kept_ahead.h"
#include "reassembly/message_extent.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/operation.h"
#include "reassembly/upper/region.h"

/*
 * Most requests examined whose regions contain one address. A server grants few more credits, and each request names its own
 * memory.
 */
#define MOST_CANDIDATES 64
/* Requests without a response whose regions are searched linearly: tree operations cost more. */
#define MOST_LISTED 16
#define MOST_OLD_GAPS 16 /* gaps examined that are older than a request */
#define MOST_KEPT 4 /* regions whose memory is kept for the next request; most requests have fewer */
/* Most runs of a region: packets are not lost this often. */
#define MOST_RUNS 4096
#define MOST_RESERVED 16384 /* bytes of a region for which memory is taken at once */

static struct region *region_of(const struct tree_node *node)
{
	return (struct region *)((char *)(uintptr_t)node - offsetof(struct region, node));
}

/* Key of a connection's regions before their address: side, direction of transfer, key. */
static uint64_t space_of(bool of_a, bool is_read, uint32_t key)
{
	return (uint64_t)of_a << 33 | (uint64_t)is_read << 32 | key;
}

static uint64_t space_of_region(const struct region *region)
{
	return space_of(region->request->from_a, region->is_read, region->key);
}

/* Those at one address are in the order of their requests. */
static int order(const struct tree_node *left, const struct tree_node *right)
{
	const struct region *a = region_of(left), *b = region_of(right);
	uint64_t a_space = space_of_region(a), b_space = space_of_region(b);

	if (a_space != b_space)
		return a_space < b_space ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->request->psn != b->request->psn)
		return a->request->psn < b->request->psn ? -1 : 1;
	/* a repeated SEND that looked like another request, or a sequence that restarted */
	return a->request->number < b->request->number ? -1 : a->request->number > b->request->number;
}

static bool update(struct tree_node *node)
{
	struct region *region = region_of(node);
	uint64_t before = region->furthest;

	region->furthest = region->end;
	for (int side = 0; side < 2; side++)
		if (node->child[side] && region_of(node->child[side])->furthest > region->furthest)
			region->furthest = region_of(node->child[side])->furthest;
	return region->furthest != before;
}

/*
 * The PSN from which missing packets of the responder can be the response. A request that was captured late may have been answered before. It was
 * not if the requester acknowledged them long before it, and no later request of the requester was captured before it.
 */
static uint64_t may_be_answered_from(const struct request *request, const struct psn_stream *responder)
{
	const struct psn_gaps *gaps = &responder->gaps;
	uint32_t at = 0;

	while (at < gaps->count && at < MOST_OLD_GAPS && request->is_newest && gaps->list[at].end <= responder->acknowledged &&
	       request->time_ns - gaps->list[at].time_ns > PSN_LATE_NS)
		at++;
	return at < gaps->count ? gaps->list[at].begin : responder->next;
}

/* Losses after these positions in the streams count for the request's memory. */
static void note_streams(struct request *request)
{
	const struct connection *connection = request->connection;

	for (int i = 0; i < 2; i++) {
		bool from_a = request->from_a == (i == 1);
		const struct psn_stream *stream = &connection->streams[from_a];

		request->next_psn[i] = i == 0 ? may_be_answered_from(request, stream) : stream->next;
		request->begun_psn = i == 0 ? stream->next : request->begun_psn;
		request->given_up[i] = connection->ddp ? connection->ddp->halves[from_a].losses : stream->given_up;
	}
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int order_in_memory(const void *left, const void *right)
{
	const struct region_name *a = left, *b = right;
	uint64_t a_space = (uint64_t)a->is_read << 32 | a->key, b_space = (uint64_t)b->is_read << 32 | b->key;

	if (a_space != b_space)
		return compare(a_space, b_space);
	return a->begin != b->begin ? compare(a->begin, b->begin) : compare(a->number, b->number);
}

/* Adds a range to the last region if they overlap, else creates one. Earlier ranges begin before it. */
static void put(struct request *request, struct region_name *name)
{
	struct region *last = request->region_count ? &request->regions[request->region_count - 1] : NULL;

	if (!last || last->is_read != name->is_read || last->key != name->key || last->end <= name->begin) {
		last = &request->regions[request->region_count++];
		memset(last, 0, sizeof *last);
		last->request = request;
		last->begin = last->end = name->begin;
		last->position = name->position;
		last->key = name->key;
		last->is_read = name->is_read;
	} else {
		/* its parts are shown separately */
		last->keep_bytes = true;
	}
	if (name->end > last->end)
		last->end = name->end;
	last->uses |= name->use;
	name->region = last;
	request->read_length += name->is_read ? name->end - name->begin : 0;
}

bool region_create_all(struct rtap_tracker *tracker, struct request *request, struct region_name *names, uint32_t count)
{
	uint64_t position[2] = { 0, 0 };

	note_streams(request);
	for (uint32_t i = 0; i < count; i++) {
		names[i].position = position[names[i].is_read];
		position[names[i].is_read] += names[i].end - names[i].begin;
	}
	if (count > request->region_room) {
		free(request->regions);
		request->region_room = 0;
		request->regions = memory_new(count * sizeof *request->regions);
		if (!request->regions)
			return false;
		request->region_room = count;
	}
	budget_charge(&tracker->budget, &request->entry, request->region_room * sizeof *request->regions);
	if (count > 1)
		qsort(names, count, sizeof *names, order_in_memory);
	for (uint32_t i = 0; i < count; i++)
		put(request, &names[i]);
	for (uint32_t i = 0; i < request->region_count; i++)
		if (request->regions[i].is_read)
			request->read_left += request->regions[i].end - request->regions[i].begin;
	return true;
}

void region_free_room(struct request *request)
{
	free(request->regions);
	request->regions = NULL;
	request->region_room = 0;
}

__attribute__((noinline)) void region_destroy_all(struct request *request)
{
	for (uint32_t i = 0; i < request->region_count; i++) {
		coverage_fini(&request->regions[i].data);
		coverage_fini(&request->regions[i].cut);
		coverage_fini(&request->regions[i].arrived);
	}
	request->region_count = 0;
	if (request->region_room > MOST_KEPT)
		region_free_room(request);
}

static void list_request(struct request *request)
{
	struct requests *regions = &request->connection->requests;

	LIST_INSERT_HEAD(&regions->listed[request->is_answered], request, listed);
	request->is_listed = true;
	regions->waiting += !request->is_answered;
}

static void unlist_request(struct request *request)
{
	struct requests *regions = &request->connection->requests;

	LIST_REMOVE(request, listed);
	request->is_listed = false;
	regions->waiting -= !request->is_answered;
}

/* Moves the regions of listed requests, answered or not, to the tree. */
static void __attribute__((noinline)) index_listed(struct requests *regions, bool answered)
{
	struct request *request;

	regions->tree.order = order;
	regions->tree.update = update;
	while ((request = LIST_FIRST(&regions->listed[answered]))) {
		unlist_request(request);
		for (uint32_t i = 0; i < request->region_count; i++)
			if (request->regions[i].is_open)
				tree_insert(&regions->tree, &request->regions[i].node);
	}
}

static void note_response_psn(struct request *request)
{
	uint64_t *highest = &request->connection->requests.response_psn[request->from_a];

	if (request->response_psn > *highest)
		*highest = request->response_psn;
}

/*
 * Regions of a half connection help to find its other half (content_pairing.h), even if no output needs them: the number of the connection
 * is the same in all outputs.
 */
void region_open_all(struct rtap_tracker *tracker, struct request *request)
{
	bool are_all = tracker->wants_data || connection_has_one_flow(request->connection);

	for (uint32_t i = 0; i < request->region_count; i++) {
		struct region *region = &request->regions[i];

		region->is_open = region->end > region->begin && (region->keep_bytes || region->is_read || are_all);
		request->has_regions |= region->is_open;
	}
	if (!request->has_regions)
		return;
	tracker->open_requests++;
	list_request(request);
	if (request->is_answered)
		note_response_psn(request);
	if (request->connection->requests.waiting > MOST_LISTED)
		index_listed(&request->connection->requests, false);
}

void region_close_all(struct rtap_tracker *tracker, struct request *request)
{
	request->has_regions = false;
	tracker->open_requests--;
	if (request->is_listed) {
		unlist_request(request);
		return;
	}
	for (uint32_t i = 0; i < request->region_count; i++)
		if (request->regions[i].is_open)
			tree_remove(&request->connection->requests.tree, &request->regions[i].node);
}

void region_set_answered(struct request *request)
{
	bool is_listed = request->is_listed;

	if (is_listed)
		unlist_request(request);
	request->is_answered = true;
	if (is_listed)
		list_request(request);
	note_response_psn(request);
}

struct region *region_search(const struct request *request, bool is_read, uint32_t key, uint64_t address)
{
	uint64_t space = (uint64_t)is_read << 32 | key;
	uint32_t low = 0, high = request->region_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct region *region = &request->regions[middle];
		uint64_t its = (uint64_t)region->is_read << 32 | region->key;

		if (its < space || (its == space && region->end <= address))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == request->region_count || request->regions[low].is_read != is_read || request->regions[low].key != key)
		return NULL;
	return &request->regions[low];
}

/* A search for the regions that contain an address. */
struct search {
	const struct message *message;
	uint64_t space, address;
	uint32_t candidates;
	struct region *found, *newest; /* oldest possible one; newest of those not answered before */
	struct region *answered;       /* oldest of those answered after the message: it belongs to no later request */
};

bool region_may_be_answered(const struct request *request, const struct message *message)
{
	const struct connection *connection = request->connection;

	if (request->is_answered)
		return false;
	if (connection->ddp)
		return connection->ddp->halves[!request->from_a].losses != request->given_up[0];
	return psn_lacks(&connection->streams[!request->from_a], request->given_up[0], request->next_psn[0], message->low);
}

bool region_may_be_followed(const struct request *request)
{
	const struct connection *connection = request->connection;
	const struct psn_stream *stream = &connection->streams[request->from_a];

	return connection->ddp ? connection->ddp->halves[request->from_a].losses != request->given_up[1] :
				 psn_lacks(stream, request->given_up[1], request->next_psn[1], stream->next);
}

bool region_may_be_anothers(const struct request *request, const struct message *message)
{
	return region_may_be_answered(request, message) && region_may_be_followed(request);
}

/* Whether a request stays within the memory that the request names: otherwise the other end's device would have refused it. */
static bool is_within(const struct region *region, const struct message *message)
{
	const struct request *request = region->request;
	uint64_t end = message->shown.virtual_address + message->shown.length;

	for (; region->end < end; region++)
		if (region + 1 == request->regions + request->region_count || region[1].is_read != region->is_read ||
		    region[1].key != region->key || region[1].begin != region->end)
			return false;
	return true;
}

/* Whether the message was sent after the response to the request. A WRITE with immediate data can be the response itself. */
static bool is_after_response(const struct request *request, const struct message *message)
{
	return request->is_answered && (request->connection->ddp ? message->low >= request->response_psn : message->low > request->response_psn);
}

static void consider(struct search *search, struct region *region)
{
	const struct request *request = region->request;

	if (is_after_response(request, search->message) ||
	    (!request->connection->ddp && !is_within(region, search->message)))
		return;
	if (search->candidates++)
		region->request->is_contested = search->newest->request->is_contested = true;
	if (!search->newest || request->psn > search->newest->request->psn)
		search->newest = region;
	if (request->is_answered && (!search->answered || request->psn < search->answered->request->psn))
		search->answered = region;
	if (search->found && search->found->request->psn < request->psn)
		return;
	if ((region->is_read && region->asked >= region->end - region->begin) || region_may_be_answered(request, search->message))
		return;
	search->found = region;
}

static void search_below(struct search *search, struct tree_node *node)
{
	while (node && search->candidates < MOST_CANDIDATES) {
		struct region *region = region_of(node);
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

/* The regions of a request do not overlap: the first match is the only one. */
static void search_listed(struct search *search, const struct request *request)
{
	const struct rtap_message *shown = &search->message->shown;
	bool is_read = shown->verb == RTAP_VERB_READ;

	for (; request; request = LIST_NEXT(request, listed)) {
		struct region *region;

		if (request->from_a == shown->from_a)
			continue;
		region = region_at(request, is_read, shown->r_key, search->address);
		if (region && region->is_open && region->begin <= search->address)
			consider(search, region);
	}
}

/* Most SENDs searched for one whose request is unknown. */
#define MOST_AFTER 32

/*
 * Whether the message can belong to an unseen request: a SEND after it in the sequence answers no known request, and this request
 * arrived after one of the two, or the message after the SEND, or the SEND after what follows it (packets were reordered), or
 * requests after the SEND, which can be those of this request, are missing. SENDs after the request's own response do not count.
 */
static bool is_before_unknown(const struct request *request, const struct message *message)
{
	const struct psn_stream *stream = message->stream;
	uint64_t end = request->is_answered ? request->response_psn : stream->next;
	const struct message *after = message_list_after(message), *next;

	for (int i = 0; after && after != request->response && i < MOST_AFTER; after = next, i++) {
		next = message_list_after(after);
		if (!message_may_respond(after) || (after->request && after->request->is_seen) || (after->leads_response && next && next == request->response))
			continue;
		if (after->shown.first_frame < request->first_frame || message->shown.first_frame < request->first_frame ||
		    message->shown.first_frame > after->shown.first_frame || psn_lacks(stream, request->given_up[0], after->low + 1, end) ||
		    (next && next->shown.first_frame < after->shown.first_frame))
			return true;
	}
	return false;
}

static struct region *find(struct rtap_tracker *tracker, struct message *message)
{
	const struct rtap_message *shown = &message->shown;
	struct requests *regions = &message->connection->requests;
	struct search search = {
		.message = message, .space = space_of(!shown->from_a, shown->verb == RTAP_VERB_READ, shown->r_key),
		.address = shown->virtual_address,
	};

	/* A message sent after all responses belongs to none of their requests. */
	if (message->low <= regions->response_psn[!shown->from_a])
		index_listed(regions, true);
	search_listed(&search, LIST_FIRST(&regions->listed[false]));
	search_below(&search, regions->tree.root);
	tracker->counters.evictions += search.candidates == MOST_CANDIDATES;
	if (search.answered && (!search.found || search.found->request->psn > search.answered->request->psn))
		return search.answered;
	if (search.found || !search.newest)
		return search.found;
	if (!region_may_be_answered(search.newest->request, message))
		return search.newest;
	/*
	 * The memory can belong to an unseen request, after an unseen response. InfiniBand: decided again with the response, or when the message is
	 * settled. iWARP: the order is certain, so the data is the request's if its response comes later; if none does, it is dropped.
	 */
	if (!message->connection->ddp && region_may_be_followed(search.newest->request)) {
		search.newest->request->is_contested = message->awaits_owner = true;
		return NULL;
	}
	search.newest->request->in_doubt = true;
	return search.newest;
}

struct region *region_find(struct rtap_tracker *tracker, struct message *message)
{
	struct region *region = find(tracker, message);

	if (!region || !message_list_after(message) || message->connection->ddp || !is_before_unknown(region->request, message))
		return region;
	/* decided again with the response, or when the message is settled: by then the SENDs before it may be known */
	region->request->is_contested = message->awaits_owner = true;
	return NULL;
}

uint64_t region_asked_by(const struct message *message)
{
	/* The length of a WRITE of iWARP is known at its end. */
	return message->shown.verb == RTAP_VERB_READ || !message->connection->ddp ? message->shown.length : 0;
}

void region_assign(struct rtap_tracker *tracker, struct region *region, struct message *message)
{
	struct request *request = region->request;

	if (message->keeps_ahead)
		kept_ahead_leave(tracker, message);
	message->region = region;
	message->request_number = request->number;
	TAILQ_INSERT_TAIL(&request->claimed, message, claimed);
	if (message->shown.first_frame < request->first_frame && (!request->early_psn || message->low < request->early_psn))
		request->early_psn = message->low;
	region->asked += region_asked_by(message);
}

void region_unclaim(struct message *message)
{
	TAILQ_REMOVE(&message->region->request->claimed, message, claimed);
	message->region = NULL;
	message->has_landed = false;
}

static bool is_half(const struct connection *connection)
{
	return !connection->ddp && (!connection->flows[0] || !connection->flows[1]);
}

/* Whether the request that names the memory can be captured after its data, or its side is unknown. */
static bool may_come_later(const struct rtap_tracker *tracker, const struct connection *connection)
{
	return tracker->wants_data && (is_half(connection) || connection->shows_layer);
}

bool region_may_want(const struct rtap_tracker *tracker, const struct connection *connection)
{
	return tracker->open_requests || may_come_later(tracker, connection);
}

void region_claim(struct rtap_tracker *tracker, struct message *message)
{
	struct region *region;

	if (!message->shown.has_key)
		return;
	region = tracker->open_requests ? region_find(tracker, message) : NULL;
	if (region) {
		region_assign(tracker, region, message);
		/* Bytes are kept of all its packets or of none. With several regions, each part is examined separately. */
		message->bytes_wanted = region->keep_bytes || message->coverage.bytes ||
					(tracker->keep && message->shown.length > region->end - message->shown.virtual_address);
	} else if (may_come_later(tracker, message->connection)) {
		message->bytes_wanted = true;
	}
}

bool region_note_arrival(struct rtap_tracker *tracker, const struct message *message)
{
	struct request *request = message->region->request;
	uint64_t begin = message->shown.virtual_address, end = begin + message->shown.length, left = request->read_left;
	struct region *region = message->region;

	for (; region < request->regions + request->region_count && request->read_left && region->is_read &&
	       region->key == message->region->key && region->begin < end; region++) {
		uint64_t from = begin > region->begin ? begin - region->begin : 0;
		uint64_t to = (end < region->end ? end : region->end) - region->begin, before = coverage_memory(&region->arrived), fresh;

		if (from >= to || !coverage_add(&region->arrived, from, NULL, to - from, 0, COVERAGE_ONLY, &fresh))
			continue;
		request->read_left -= fresh;
		request_charge(&tracker->budget, request, coverage_memory(&region->arrived), before);
	}
	return left && !request->read_left;
}

static void add_lost(struct request_lost *lost, const struct rtap_message *message)
{
	recovery_add_time(&lost->time_us, message->time_lost_us);
	recovery_add_count(&lost->resent, message->repeats);
	lost->to |= message->lost_to;
}

/* The losses and times of a message in its regions count for the request, which is known for certain now. */
static void count(const struct message *message)
{
	struct request *request = message->region->request;

	add_lost(message->shown.verb == RTAP_VERB_READ ? &request->read_lost : &request->write_lost, &message->shown);
	operation_note_transfer(&request->data, message);
}

void region_count_claimed(const struct request *request)
{
	const struct message *message;

	TAILQ_FOREACH(message, &request->claimed, claimed)
		if (message->has_landed)
			count(message);
}

/* Whether memory suffices for a region to keep its bytes up to a position too; if not, it keeps none. */
static bool fits_in_region(struct rtap_tracker *tracker, struct region *region, uint64_t begin, uint64_t end)
{
	uint64_t room = coverage_room_for(&region->data, begin, end - begin), limit = tracker->budget.limit;

	if (room == region->data.bytes_room || room <= limit / 4)
		return true;
	coverage_drop_bytes(&region->data);
	region->keep_bytes = false;
	tracker->counters.evictions++;
	return false;
}

/* Adds the part of a message's runs that is in the region. It fills holes left by an earlier message; existing bytes are kept. */
static void store_runs(struct rtap_tracker *tracker, struct region *region, struct coverage *to, const struct coverage *from, uint64_t shift,
		       unsigned keep)
{
	const struct coverage_run *runs = coverage_runs(from);
	uint64_t end = region->end - shift, begin = region->begin - shift < end ? region->begin - shift : 0;
	uint32_t first = coverage_find(from, begin), room = to->count < MOST_RUNS ? MOST_RUNS - to->count : 0;

	if (first + room < from->count && runs[first + room].begin < end) {
		end = runs[first + room].begin;
		tracker->counters.evictions++;
	}
	if (first == from->count || runs[first].begin >= end)
		return;
	shift -= region->begin;
	begin = begin > runs[first].begin ? begin : runs[first].begin;
	end = end < coverage_end(from) ? end : coverage_end(from);
	if (keep & COVERAGE_BYTES && !fits_in_region(tracker, region, begin + shift, end + shift))
		keep &= ~(unsigned)COVERAGE_BYTES;
	tracker->counters.evictions += !coverage_copy(to, from, begin, end, shift, keep);
}

/* Copies a message's data to one region. */
static void store_in(struct rtap_tracker *tracker, struct region *region, const struct message *message)
{
	uint64_t start = MESSAGE_ORIGIN - (message->origin - message->low) * message->stream->pmtu;
	uint64_t shift = message->shown.virtual_address - start, memory = coverage_memory(&region->data) + coverage_memory(&region->cut);
	const struct coverage *data = &message->coverage;

	if (region->is_unplaced)
		return;
	if (region->keep_bytes && data->bytes && region->end - region->begin <= MOST_RESERVED)
		coverage_reserve(&region->data, 0, (size_t)(region->end - region->begin));
	/* Wanted bytes that could not be kept count as absent. */
	tracker->counters.evictions += region->keep_bytes && message->bytes_dropped && data->count;
	if (!region->keep_bytes || data->bytes)
		store_runs(tracker, region, &region->data, data, shift, (tracker->keep & COVERAGE_CRC) | (region->keep_bytes ? COVERAGE_BYTES : 0u));
	store_runs(tracker, region, &region->cut, &message->cut, shift, COVERAGE_ONLY);
	request_charge(&tracker->budget, region->request, coverage_memory(&region->data) + coverage_memory(&region->cut), memory);
}

/* The next region, if a READ or WRITE of this one that ends at `end` touches it too; NULL: it does not. */
static struct region *next_touched(struct region *region, uint64_t end)
{
	const struct request *request = region->request;
	struct region *next = region + 1;

	return next < request->regions + request->region_count && next->is_read == region->is_read && next->key == region->key && next->begin < end ?
		       next : NULL;
}

/* The address after the last byte that it reads or writes. */
static uint64_t end_of(const struct message *message)
{
	uint64_t known = message_known_length(message);

	return message->shown.virtual_address + (message->shown.length > known ? message->shown.length : known);
}

void region_store(struct rtap_tracker *tracker, struct message *message)
{
	uint64_t end = end_of(message);

	for (struct region *region = message->region; region; region = next_touched(region, end))
		store_in(tracker, region, message);
	budget_touch(&tracker->budget, &message->region->request->entry);
	message->has_landed = true;
	/* For iWARP nothing is revised: TCP keeps the order of each side. */
	if (message->connection->ddp) {
		count(message);
		region_unclaim(message);
	}
}

bool region_take_data(struct rtap_tracker *tracker, struct message *message, const struct frame_result *result)
{
	const struct request *request = message->region->request;
	bool is_last = message->region->is_read && region_note_arrival(tracker, message);

	/* Truncated data is copied when nothing more can arrive. */
	if (result->completed == message || assembly_is_whole(message))
		region_store(tracker, message);
	return is_last && !(request->in_doubt && region_may_be_followed(request));
}

void region_settle(struct rtap_tracker *tracker, struct message *message)
{
	if (!message->has_landed)
		region_store(tracker, message);
	if (!message->region)
		return;
	count(message);
	region_unclaim(message);
}

void region_empty(struct rtap_tracker *tracker, struct message *message)
{
	struct request *request = message->region->request;
	uint64_t begin = message->shown.virtual_address, end = end_of(message);
	bool has_brought = message->has_landed || (message->region->is_read && message_read_is_over(message));

	for (struct region *region = has_brought ? message->region : NULL; region; region = next_touched(region, end)) {
		uint64_t from = begin > region->begin ? begin - region->begin : 0, to = (end < region->end ? end : region->end) - region->begin;
		struct coverage *parts[] = { &region->data, &region->cut, &region->arrived };

		for (int i = 0; i < 3; i++) {
			uint64_t memory = coverage_memory(parts[i]), removed;
			unsigned keep = (tracker->keep & COVERAGE_CRC) | (parts[i]->bytes ? COVERAGE_BYTES : 0u);

			removed = coverage_remove(parts[i], from, to, i == 0 ? keep : COVERAGE_ONLY);
			request->read_left += i == 2 ? removed : 0;
			request_charge(&tracker->budget, request, coverage_memory(parts[i]), memory);
		}
	}
}
