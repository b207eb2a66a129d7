/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NCCL's InfiniBand transport (and RCCL's, which is the same on the wire) as an upper layer. It does not use communication management, so it is
 * recognised by two signs: a WRITE to a key and address in an announcement; and an index of announcements that increases by one, or, with the
 * first index, immediate data that equals the number of bytes written. Until both are seen, nothing is shown or reported.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/infiniband/ib.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/operation.h"
#include "reassembly/time_windows.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/nccl_layer.h"
#include "reassembly/upper/nccl_transfer.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/upper_layers.h"

#define MOST_UNPROVEN 64        /* announcements of a connection without a second sign */
#define MOST_OUTSTANDING 4096   /* announcements of a channel */
#define MOST_CONNECTIONS 256    /* searched for data that was captured before the proof */
#define MOST_EARLIER 64         /* messages of each */
#define MOST_LATE 64            /* directions searched for data that was captured before an announcement */
#define MOST_TRIES 8            /* messages that are examined there for each receive, and as many more */
#define FIRST_INDEX 1           /* of a channel */
#define SIZE_BYTES 4            /* a size in the list that ends a transfer of several receives */

static struct nccl_state *state_of(const struct connection *connection)
{
	return connection->layer == &nccl_layer ? connection->upper_state : NULL;
}

static void free_state(struct rtap_tracker *tracker, struct connection *connection)
{
	struct nccl_state *state = connection->upper_state;

	for (int i = 0; state && i < 2; i++) {
		nccl_late_forget(&state->late[i]);
		nccl_job_leave(&nccl_layer_state(tracker)->jobs, state->channels[i].job_link);
	}
	upper_state_destroy(tracker, connection, sizeof(struct nccl_state));
}

/* The supposed announcements of the connection are none: discards them. */
static void drop_candidate(struct rtap_tracker *tracker, struct connection *connection)
{
	nccl_state_end(tracker, connection);
	free_state(tracker, connection);
	connection->layer = NULL;
}

/* The total in the immediate data of the sender, whose byte order the first transfer shows. */
static void take_immediate(struct nccl_transfer *transfer, uint32_t immediate)
{
	struct nccl_state *state = transfer->request.connection->upper_state;
	uint32_t swapped = __builtin_bswap32(immediate);

	if (transfer->receives > 1)
		return;
	if (state->order == NCCL_ORDER_UNKNOWN && immediate != swapped) {
		bool can_be_big = immediate <= transfer->size, can_be_little = swapped <= transfer->size;

		if (can_be_big != can_be_little)
			state->order = can_be_big ? NCCL_ORDER_BIG : NCCL_ORDER_LITTLE;
		else if (transfer->bytes == immediate || transfer->bytes == swapped)
			state->order = transfer->bytes == immediate ? NCCL_ORDER_BIG : NCCL_ORDER_LITTLE;
	}
	transfer->has_immediate = true;
	transfer->immediate = immediate;
	if (state->order == NCCL_ORDER_UNKNOWN && immediate != swapped)
		return;
	transfer->has_total = true;
	transfer->total = state->order == NCCL_ORDER_LITTLE ? swapped : immediate;
}

/* Processes a complete WRITE of the transfer. `bytes`: number of bytes written to the transfer's memory. */
static void take_data(struct rtap_tracker *tracker, struct nccl_transfer *transfer, const struct message *message, uint64_t bytes)
{
	transfer->bytes += bytes;
	if (message->shown.has_immediate)
		take_immediate(transfer, (uint32_t)message->shown.immediate);
	nccl_transfer_take(tracker, transfer, message);
}

/* Assigns the WRITE to a transfer: it fills its memory, or ends it. False: its connection carries another layer, or out of memory. */
static bool claim_for(struct rtap_tracker *tracker, struct region *region, struct message *message)
{
	struct connection *connection = message->connection;
	struct nccl_state *state;

	if (connection->layer && connection->layer != &nccl_layer)
		return false;
	state = nccl_state_make(tracker, connection);
	if (!state)
		return false;
	connection->layer = &nccl_layer;
	state->is_known = true;
	nccl_transfer_begun(tracker, nccl_transfer_of(region->request), message->shown.time_ns);
	region_assign(tracker, region, message);
	nccl_transfer_note_place(nccl_transfer_of(region->request), message);
	nccl_unclaimed_less(&state->unclaimed[message->shown.from_a]);
	return true;
}

static bool claim_data_for(struct rtap_tracker *tracker, struct region *region, struct message *message)
{
	if (!claim_for(tracker, region, message))
		return false;
	nccl_transfer_note_range(tracker, region, message);
	return true;
}

/* The previous WRITE on the queue pair belongs to a transfer: this WRITE ends the transfer, and fills none of its memory. */
static struct region *ended_by(const struct message *message)
{
	const struct message *before = message_list_before(message);
	const struct rtap_message *shown = &message->shown;
	const struct nccl_transfer *transfer;

	if (!before || !before->region || !shown->has_immediate || before->ends_with_immediate || before->connection->layer != &nccl_layer ||
	    before->high + 1 != message->low)
		return NULL;
	transfer = nccl_transfer_of(before->region->request);
	/* an empty one has no address */
	if (transfer->receives > 1 ? shown->length != transfer->receives * SIZE_BYTES : shown->length || shown->virtual_address)
		return NULL;
	return before->region;
}

/* The sizes of several receives, which end the transfer: their sum is the total. */
static void take_sizes(struct nccl_transfer *transfer, const struct message *message)
{
	if (!message->sizes || message->shown.length != transfer->receives * SIZE_BYTES || message->sizes - 1 > transfer->size)
		return;
	transfer->has_total = true;
	transfer->total = message->sizes - 1;
}

/* Remembers them, because the transfer can be known later. */
static void note_sizes(struct message *message, struct rtap_span bytes)
{
	uint32_t count = bytes.length / SIZE_BYTES;

	if (!count || count > NCCL_MOST_RECEIVES || bytes.length != message->shown.length || bytes.length % SIZE_BYTES)
		return;
	message->sizes = 1;
	for (uint32_t i = 0; i < count; i++)
		message->sizes += (uint32_t)little_bits(bytes.bytes, i * 8 * SIZE_BYTES, 8 * SIZE_BYTES);
}

static bool claim_end(struct rtap_tracker *tracker, struct message *message)
{
	struct region *region = ended_by(message);

	if (!region || !claim_for(tracker, region, message))
		return false;
	take_sizes(nccl_transfer_of(region->request), message);
	/* nothing to copy to the memory */
	message->has_landed = true;
	take_data(tracker, nccl_transfer_of(region->request), message, 0);
	return true;
}

static struct region *find(const struct rtap_tracker *tracker, const struct message *message)
{
	if (message->shown.verb != RTAP_VERB_WRITE || !message->shown.has_key)
		return NULL;
	return nccl_match_find(&nccl_layer_state(tracker)->memory, message, nccl_transfer_fit);
}

static bool is_known(const struct region *region)
{
	return ((const struct nccl_state *)region->request->connection->upper_state)->is_known;
}

/* Claims the end of a transfer that was not known when it was captured. */
static bool claim_past_end(struct rtap_tracker *tracker, struct message *message)
{
	return message->shown.verb == RTAP_VERB_WRITE && assembly_is_whole(message) && claim_end(tracker, message);
}

/* Claims an existing WRITE for the transfer whose memory it fills, if it is `only`, unless that is NULL. False: it is not, or none is known. */
static bool claim_existing(struct rtap_tracker *tracker, struct message *message, const struct nccl_transfer *only)
{
	struct region *region = find(tracker, message);

	if (!region || (only && region->request != &only->request) || !is_known(region) || !claim_data_for(tracker, region, message))
		return false;
	if (assembly_is_whole(message))
		take_data(tracker, nccl_transfer_of(region->request), message, message->shown.length);
	return true;
}

/* The first of the last messages of a stream. */
static struct message *first_of_last(const struct psn_stream *stream)
{
	struct message *message = TAILQ_LAST(&stream->messages, message_list);

	for (int i = 0; message && message != TAILQ_FIRST(&stream->messages) && i < MOST_EARLIER; i++)
		message = TAILQ_PREV(message, message_list, link);
	return message;
}

static bool is_unclaimed(const struct message *message)
{
	return !message->region && message->shown.verb == RTAP_VERB_WRITE && !(message->announces && message->connection->layer == &nccl_layer);
}

/* Claims data that was captured before the proof. */
static void claim_earlier(struct rtap_tracker *tracker, struct connection *connection, int side)
{
	const struct nccl_state *known = state_of(connection);
	struct nccl_unclaimed unclaimed = { .is_known = true };
	struct message *message;

	if (known && known->unclaimed[side].is_known && !known->unclaimed[side].count)
		return;
	for (message = first_of_last(&connection->streams[side]); message; message = TAILQ_NEXT(message, link))
		if (is_unclaimed(message) && !claim_existing(tracker, message, NULL) && !claim_past_end(tracker, message))
			unclaimed.count++;
	if (state_of(connection))
		state_of(connection)->unclaimed[side] = unclaimed;
}

/* Whether the WRITE can be data of the transfer. An empty one can be after its memory. */
static bool may_be_of(const struct nccl_transfer *transfer, const struct rtap_message *shown)
{
	const struct region *region;

	if (shown->verb != RTAP_VERB_WRITE || !shown->has_key || !shown->length)
		return shown->verb == RTAP_VERB_WRITE && shown->has_key;
	region = region_at(&transfer->request, false, shown->r_key, shown->virtual_address);
	return region && region->begin <= shown->virtual_address;
}

/* Claims WRITEs captured before their announcement, or before the WRITE that they follow on the queue pair, which belongs to a transfer now. */
static void claim_following(struct rtap_tracker *tracker, const struct message *message)
{
	struct message *next = message_list_after(message);

	while (next && !next->region && next->shown.verb == RTAP_VERB_WRITE && (claim_existing(tracker, next, NULL) || claim_past_end(tracker, next)))
		next = message_list_after(next);
}

/* Claims data of the transfer that was captured before its announcement. `tries`: how many messages may be examined. */
static void claim_before(struct rtap_tracker *tracker, const struct nccl_transfer *transfer, const struct psn_stream *stream, unsigned *tries)
{
	struct message *message;

	for (message = first_of_last(stream); message && *tries; message = TAILQ_NEXT(message, link)) {
		if (!is_unclaimed(message) || !may_be_of(transfer, &message->shown))
			continue;
		--*tries;
		if (claim_existing(tracker, message, transfer))
			claim_following(tracker, message);
	}
}

/* Whether the connection can have data of a transfer announced at that time. */
static bool may_have_data(const struct connection *connection, int64_t since_ns)
{
	return (!connection->layer || connection->layer == &nccl_layer) && connection->shown.transport != RTAP_TRANSPORT_IWARP &&
	       connection->shown.time_end_ns >= since_ns - GRACE_NS;
}

static void prove(struct rtap_tracker *tracker, struct nccl_state *state)
{
	struct connection *connection = TAILQ_LAST(&tracker->connections, connection_list);
	struct nccl_transfer *transfer;
	int64_t since_ns = INT64_MAX;

	state->is_known = true;
	for (int i = 0; i < 2; i++)
		TAILQ_FOREACH(transfer, &state->channels[i].transfers, link) {
			transfer->bytes = 0;
			nccl_transfer_announced(tracker, transfer);
			since_ns = transfer->request.time_ns < since_ns ? transfer->request.time_ns : since_ns;
		}
	for (int i = 0; connection && i < MOST_CONNECTIONS; connection = TAILQ_PREV(connection, connection_list, link), i++)
		for (int side = 0; side < 2 && may_have_data(connection, since_ns); side++)
			claim_earlier(tracker, connection, side);
}

static bool names_key_of(const struct nccl_transfer *transfer, const struct nccl_late *late)
{
	const struct request *request = &transfer->request;

	for (uint32_t i = 0; i < request->region_count; i++)
		if (request->regions[i].key == late->keys[0] || request->regions[i].key == late->keys[1])
			return true;
	return false;
}

/* Claims data of a new transfer that was captured before its announcement. */
static void claim_late(struct rtap_tracker *tracker, const struct nccl_transfer *transfer)
{
	struct nccl_late_list *list = &nccl_layer_state(tracker)->late;
	struct nccl_late *late = NULL;
	unsigned tries = MOST_TRIES * (transfer->receives + 1);

	for (int i = 0; tries && i < MOST_LATE && (late = nccl_late_next(list, late, tracker->now_ns)); i++) {
		if (!names_key_of(transfer, late))
			continue;
		claim_before(tracker, transfer, late->stream, &tries);
		i += MOST_LATE / NCCL_MOST_QPS;
	}
}

/* A WRITE request names memory. */
static void claim(struct rtap_tracker *tracker, struct message *message)
{
	struct region *region = find(tracker, message);
	struct nccl_state *state = message->shown.verb == RTAP_VERB_WRITE ? state_of(message->connection) : NULL;
	struct nccl_transfer *transfer;

	if (state)
		state->unclaimed[message->shown.from_a].count++;
	if (!region) {
		if (state)
			nccl_late_note(&nccl_layer_state(tracker)->late, &state->late[message->shown.from_a], message->stream, message->shown.r_key,
				       tracker->now_ns);
		return;
	}
	transfer = nccl_transfer_of(region->request);
	if (!is_known(region)) {
		transfer->channel->is_matched = true;
		transfer->bytes += message->shown.length;
		if (!transfer->channel->is_counting)
			return;
		prove(tracker, region->request->connection->upper_state);
	}
	if (!message->region)
		claim_data_for(tracker, region, message);
}

/* The memory of the WRITE, or if it ends a transfer without being part of its data, of one shortly before. */
static struct region *find_ended(const struct rtap_tracker *tracker, const struct message *message)
{
	struct region *region = find(tracker, message);

	for (int i = 0; !region && i < NCCL_MOST_RECEIVES && (!i || !message->shown.has_immediate); i++) {
		message = message_list_before(message);
		if (!message)
			return NULL;
		region = find(tracker, message);
	}
	return region;
}

/*
 * Whether the WRITE's immediate data is the number of bytes written: the second sign of a channel's first transfer, also of an empty WRITE
 * to the beginning of the memory. With several receives, the sum of their sizes is that number.
 */
static bool is_proven_by(struct rtap_tracker *tracker, struct message *message)
{
	struct region *region = find_ended(tracker, message);
	uint32_t immediate = (uint32_t)message->shown.immediate;
	struct nccl_transfer *transfer;

	if (!region || is_known(region))
		return false;
	transfer = nccl_transfer_of(region->request);
	if (transfer->index != FIRST_INDEX && !transfer->channel->is_counting)
		return false;
	if (transfer->receives > 1) {
		if (message->shown.length != transfer->receives * SIZE_BYTES || !transfer->bytes || transfer->bytes + 1 != message->sizes)
			return false;
	} else if (!transfer->bytes ? message->shown.length || immediate || message->shown.virtual_address != region->begin || message->shown.r_key != region->key :
				      transfer->bytes != immediate && transfer->bytes != __builtin_bswap32(immediate)) {
		return false;
	}
	prove(tracker, region->request->connection->upper_state);
	return message->region;
}

/* The layouts in which the index of the entries follows that of the previous ones. */
static unsigned counting_by(unsigned layouts, const struct nccl_transfer *last, const uint8_t *bytes)
{
	unsigned counting = 0;

	for (unsigned layout = 0; last && layout < NCCL_LAYOUT_COUNT; layout++)
		if (layouts >> layout & 1 && nccl_read_entry((enum nccl_layout)layout, bytes).index ==
						     nccl_read_entry((enum nccl_layout)layout, last->written).index + 1)
			counting |= 1u << layout;
	return counting;
}

/* Whether the entries continue those of the channel, by the layouts that remain. */
static bool continues(struct rtap_tracker *tracker, struct nccl_channel *channel, const uint8_t *bytes, unsigned plausible)
{
	unsigned before = channel->layouts, remaining = before ? before & plausible : plausible, counting;
	struct nccl_transfer *transfer;

	if (!remaining)
		return false;
	counting = channel->is_counting ? 0 : counting_by(remaining, TAILQ_LAST(&channel->transfers, nccl_transfers), bytes);
	channel->is_counting |= counting != 0;
	channel->layouts = counting ? counting : remaining;
	if (before && __builtin_ctz(before) != __builtin_ctz(channel->layouts))
		TAILQ_FOREACH(transfer, &channel->transfers, link)
			nccl_transfer_read_again(tracker, transfer);
	return true;
}

static void show_announcement(struct upper_work *work, const struct nccl_channel *channel)
{
	work->context->written = nccl_protocol(nccl_layout_of(channel));
	work->dissect(work);
}

/* A WRITE of one packet whose bytes can be entries. */
static bool take_announcement(struct upper_work *work, const uint8_t *bytes, uint32_t length, unsigned plausible)
{
	struct rtap_tracker *tracker = work->tracker;
	struct connection *connection = work->connection;
	struct nccl_state *state = nccl_state_make(tracker, connection);
	struct nccl_channel *channel = state ? &state->channels[work->from_a] : NULL;
	const struct nccl_transfer *transfer;

	if (!channel)
		return false;
	connection->layer = &nccl_layer;
	if (!continues(tracker, channel, bytes, plausible) || (!state->is_known && channel->count == MOST_UNPROVEN)) {
		if (!state->is_known)
			drop_candidate(tracker, connection);
		return false;
	}
	if (channel->count == MOST_OUTSTANDING) {
		tracker->counters.evictions++;
		nccl_transfer_end(tracker, TAILQ_FIRST(&channel->transfers));
	}
	transfer = nccl_transfer_create(tracker, channel, work->message, bytes, length);
	if (!transfer)
		return true;
	work->message->announces = true;
	nccl_unclaimed_less(&state->unclaimed[work->from_a]);
	if (!state->is_known && channel->is_matched && channel->is_counting)
		prove(tracker, state);
	if (!state->is_known)
		return true;
	nccl_late_forget(&state->late[work->from_a]);
	if (!LIST_EMPTY(&nccl_layer_state(tracker)->late))
		claim_late(tracker, transfer);
	show_announcement(work, channel);
	return true;
}

/* Shows the transfer that a WRITE of data belongs to. */
static void show_data(struct upper_work *work, const struct nccl_transfer *transfer)
{
	const struct nccl_state *state = transfer->request.connection->upper_state;

	work->context->written = PROTOCOL_NCCL_DATA;
	work->context->request = (struct packet_request){
		.is_known = true, .code = (uint32_t)transfer->index, .detail = (uint32_t)(transfer->index >> 32), .frame = transfer->request.first_frame,
		.time_ns = transfer->request.time_ns, .queue_kind = transfer->receives == 1 ? state->order : NCCL_ORDER_UNKNOWN, .where = " [announced in ",
	};
	work->dissect(work);
}

static bool take_write(struct upper_work *work)
{
	struct message *message = work->message;
	const struct rtap_payload *payload = &work->packet->payload;
	const uint8_t *bytes = work->packet->sources[payload->source].bytes + payload->offset;
	const struct nccl_state *state = state_of(message->connection);
	unsigned layouts = state && state->is_known ? state->channels[work->from_a].layouts : 0, plausible;

	/* Only the content identifies this layer. */
	if (work->context->no_heuristics)
		return false;
	if (message->shown.has_immediate) {
		note_sizes(message, (struct rtap_span){ bytes, payload->captured });
		if (!claim_end(work->tracker, message) && !is_proven_by(work->tracker, message))
			return false;
		claim_following(work->tracker, message);
		show_data(work, nccl_transfer_of(message->region->request));
		return true;
	}
	if (message->shown.length < NCCL_LEAST_ENTRY || payload->captured != message->shown.length ||
	    message->connection->shown.transport != RTAP_TRANSPORT_RC)
		return false;
	plausible = nccl_plausible(layouts ? layouts : NCCL_ALL_LAYOUTS, bytes, payload->captured);
	return plausible && take_announcement(work, bytes, payload->captured, plausible);
}

static bool take_packet(struct upper_work *work)
{
	struct nccl_state *state = state_of(work->connection);
	struct message *message = work->message;
	struct nccl_transfer *transfer;

	if (!state)
		return false;
	if (message && message->region) {
		transfer = nccl_transfer_of(message->region->request);
		take_data(work->tracker, transfer, message, message->shown.length);
		claim_following(work->tracker, message);
		show_data(work, transfer);
		return true;
	}
	if (!state->is_known)
		drop_candidate(work->tracker, work->connection);
	return false;
}

static bool may_want(const struct rtap_tracker *tracker, const struct connection *connection)
{
	(void)tracker;
	(void)connection;
	return false;
}

/* A WRITE of a transfer is settled. */
static void data_settled(struct rtap_tracker *tracker, struct message *message)
{
	struct nccl_transfer *transfer = nccl_transfer_of(message->region->request);
	const struct rtap_message *shown = &message->shown;
	struct nccl_channel *channel = transfer->channel;

	if (!assembly_is_whole(message))
		take_data(tracker, transfer, message, message->coverage.total + message->cut.total);
	if (shown->outcome == RTAP_OUTCOME_GOOD && shown->has_latency && (!transfer->has_ack || shown->time_ns + shown->latency_ns >= transfer->ack_ns)) {
		transfer->has_ack = true;
		transfer->has_own_ack = message->has_own_ack;
		transfer->ack_ns = shown->time_ns + shown->latency_ns;
		transfer->ack_frame = shown->answered_in;
	}
	region_settle(tracker, message);
	nccl_channel_advance(tracker, channel);
}

/* Records the arrival of retransmitted data, and that its loss, or that of an announcement, holds up the job. Losses count when the message is settled. */
static void lost(struct rtap_tracker *tracker, const struct message *message, const struct upper_loss *loss)
{
	struct request *request = message->region ? message->region->request : message->request;
	struct nccl_transfer *transfer = request ? nccl_transfer_of(request) : NULL;

	if (!transfer)
		return;
	nccl_job_lost(&transfer->progress, loss->time_us * UINT64_C(1000), tracker->now_ns);
	if (!message->region)
		return;
	transfer->again_ns = tracker->now_ns;
	nccl_job_arrived(&transfer->progress, tracker->now_ns);
}

static void detach(struct message *message)
{
	struct nccl_transfer *transfer = nccl_transfer_of(message->request);

	nccl_transfer_conclude(transfer->request.entry.owner, transfer);
}

/* The SEND of a request is the announcement, which no response settles. */
static void response_settled(struct rtap_tracker *tracker, struct message *message)
{
	(void)tracker;
	(void)message;
}

static void move_channel(struct nccl_channel *to, struct nccl_channel *from)
{
	struct nccl_transfer *transfer;

	*to = *from;
	TAILQ_INIT(&to->transfers);
	TAILQ_CONCAT(&to->transfers, &from->transfers, link);
	TAILQ_FOREACH(transfer, &to->transfers, link)
		transfer->channel = to;
}

static void swap_channels(struct nccl_state *state)
{
	struct nccl_channel first;

	move_channel(&first, &state->channels[0]);
	move_channel(&state->channels[0], &state->channels[1]);
	move_channel(&state->channels[1], &first);
}

static void merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	struct nccl_state *state = from->upper_state;
	struct nccl_transfer *transfer;

	if (to->layer != &nccl_layer)
		return;
	if (to->upper_state)
		memset(((struct nccl_state *)to->upper_state)->unclaimed, 0, sizeof state->unclaimed);
	if (!state)
		return;
	memset(state->unclaimed, 0, sizeof state->unclaimed);
	for (int i = 0; i < 2; i++)
		nccl_late_forget(&state->late[i]);
	if (to->upper_state) {
		bool is_known = state->is_known;

		nccl_state_end(tracker, from);
		free_state(tracker, from);
		((struct nccl_state *)to->upper_state)->is_known |= is_known;
		return;
	}
	budget_give(&tracker->budget, &from->entry, sizeof *state);
	budget_add(&tracker->budget, &to->entry, sizeof *state);
	from->upper_state = NULL;
	to->upper_state = state;
	if (turned)
		swap_channels(state);
	for (int i = 0; i < 2; i++)
		TAILQ_FOREACH(transfer, &state->channels[i].transfers, link) {
			request_move(tracker, &transfer->request, to, turned);
			if (transfer->request.has_regions)
				region_close_all(tracker, &transfer->request);
		}
}

static void end(struct rtap_tracker *tracker, struct connection *connection)
{
	struct nccl_state *state = connection->upper_state;

	if (state && !state->is_known)
		drop_candidate(tracker, connection);
	else
		nccl_state_end(tracker, connection);
}

static bool init(struct rtap_tracker *tracker)
{
	struct nccl_layer_state *state = memory_new_zeroed(1, sizeof *state);

	if (state) {
		nccl_match_init(&state->memory);
		TAILQ_INIT(&state->moving);
	}
	tracker->upper_states[UPPER_nccl] = state;
	return state;
}

static void fini(struct rtap_tracker *tracker)
{
	struct nccl_layer_state *state = nccl_layer_state(tracker);

	if (state) {
		nccl_jobs_fini(&state->jobs);
		multimap_fini(&state->memory);
	}
	free(state);
	tracker->upper_states[UPPER_nccl] = NULL;
}

static const struct upper_memory nccl_memory = {
	.may_want = may_want, .claim = claim, .data_settled = data_settled, .unclaim = region_unclaim, .lost = lost,
};

const struct upper_layer nccl_layer = {
	.name = "nccl",
	.shares_memory = true,
	.init = init,
	.packet = take_packet,
	.write = take_write,
	.memory = &nccl_memory,
	.response_settled = response_settled,
	.detach = detach,
	.merged = merged,
	.end = end,
	.over = free_state,
	.fini = fini,
};
