/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDS over RDMA: SENDs with fragments of messages; each header acknowledges all messages of the other end up to a sequence number.
 * Linux, net/rds/ib_send.c, net/rds/ib_recv.c.
 */
#include "config.h"

#include "dissect/dissect.h"
#include "dissect/engine/clear.h"
#include "dissect/rds/rds.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/iwarp/iwarp_stream.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/rds_layer.h"
#include "reassembly/upper/rds_message.h"

#define MOST_WAITING 1024      /* messages of a side; Linux asks for an acknowledgement after 8 */
#define BEYOND 16              /* number of acknowledged messages after which an older one gets no more fragments */

static struct rds_message *rds_of(struct request *request)
{
	return (struct rds_message *)request;
}

static struct rds_state *state_of(const struct connection *connection)
{
	return connection->upper_state;
}

static struct rds_side *side_of(const struct rds_message *message)
{
	return &state_of(message->request.connection)->sides[message->request.from_a];
}

/* Sorted: it usually comes last. */
static void enter(struct rds_side *side, struct rds_message *message)
{
	struct rds_message *before = TAILQ_LAST(&side->messages, rds_messages);

	while (before && before->sequence > message->sequence)
		before = TAILQ_PREV(before, rds_messages, link);
	if (before)
		TAILQ_INSERT_AFTER(&side->messages, before, message, link);
	else
		TAILQ_INSERT_HEAD(&side->messages, message, link);
	side->count++;
}

static void leave(struct rds_side *side, struct rds_message *message)
{
	TAILQ_REMOVE(&side->messages, message, link);
	side->count--;
}

static void end_message(struct rtap_tracker *tracker, struct rds_message *message)
{
	struct rds_side *side = side_of(message);

	message->is_asked = message->sequence <= side->asked;
	rds_message_conclude(tracker, message);
	leave(side, message);
	coverage_fini(&message->data);
	coverage_fini(&message->cut);
	request_end(tracker, &message->request);
	spare_blocks_give(&tracker->spare_commands, message, sizeof *message);
}

static void give_up(struct budget_entry *entry, void *owner)
{
	end_message(owner, (struct rds_message *)((char *)entry - offsetof(struct rds_message, request.entry)));
}

static void evict(struct budget_entry *entry, void *owner)
{
	struct rtap_tracker *tracker = owner;

	tracker->counters.evictions++;
	give_up(entry, owner);
}

static struct rds_state *state_make(struct rtap_tracker *tracker, struct connection *connection)
{
	struct rds_state *state = connection->upper_state;

	if (state)
		return state;
	state = upper_state_create(tracker, connection, sizeof *state);
	for (int i = 0; state && i < 2; i++) {
		TAILQ_INIT(&state->sides[i].messages);
		state->sides[i].is_whole = !(connection->ddp ? connection->ddp->halves[i].end : connection->streams[i].packets);
	}
	return state;
}

/* Counts the missing messages before this one. A message that arrives late is not missing any more. */
static void note_sequence(struct rds_side *side, struct rds_message *message)
{
	struct rds_message *after = TAILQ_NEXT(message, link);

	if (!side->has_sequence || message->sequence > side->highest) {
		if (side->has_sequence)
			message->lost_before = message->sequence - side->highest - 1;
		side->has_sequence = true;
		side->highest = message->sequence;
	} else if (after && after->lost_before && message->sequence + after->lost_before >= after->sequence) {
		uint64_t between = after->sequence - message->sequence - 1;

		message->lost_before = after->lost_before - between - 1;
		message->gap_begin = after->gap_begin;
		message->gap_lost = after->gap_lost;
		after->lost_before = between;
		after->gap_begin = message->gap_end;
	}
}

static uint64_t losses_of(const struct upper_work *work)
{
	const struct connection *connection = work->connection;
	const struct psn_stream *stream = work->message->stream;

	return connection->ddp ? connection->ddp->halves[work->from_a].losses : stream ? stream->given_up : 0;
}

/* Notes what the side sent since the message before. Of iWARP each SEND between them is known by its number. */
static void note_gap(const struct upper_work *work, const struct rds_side *side, struct rds_message *message)
{
	message->gap_end = rds_place_of(side, work->message).begin;
	message->gap_begin = work->connection->ddp && message->gap_end - side->message_next != side->others ? 0 : side->message_next;
	message->gap_lost = side->message_lost;
}

static struct rds_message *create(struct upper_work *work, struct rds_side *side, const uint8_t *header)
{
	struct rtap_tracker *tracker = work->tracker;
	struct rds_message *message;

	while (side->count >= MOST_WAITING) {
		tracker->counters.evictions++;
		end_message(tracker, TAILQ_FIRST(&side->messages));
	}
	message = spare_blocks_take(&tracker->spare_commands, sizeof *message);
	if (!message) {
		tracker->counters.evictions++;
		return NULL;
	}
	clear_bytes(message, sizeof *message);
	message->sequence = bits(header, RDS_SEQUENCE);
	message->length = (uint32_t)bits(header, RDS_LENGTH);
	message->source_port = (uint16_t)bits(header, RDS_SOURCE_PORT);
	message->destination_port = (uint16_t)bits(header, RDS_DESTINATION_PORT);
	message->flags = (uint8_t)bits(header, RDS_FLAGS);
	message->is_map = message->flags & RDS_CONGESTION_MAP;
	if (message->flags & RDS_ACK_REQUIRED && message->sequence > side->asked)
		side->asked = message->sequence;
	message->request.entry = (struct budget_entry){ .evict = evict, .give_up = give_up, .owner = tracker };
	budget_charge(&tracker->budget, &message->request.entry, spare_blocks_room(sizeof *message));
	request_begin(tracker, &message->request, work->connection, work->from_a);
	request_seen(&message->request, work->message);
	enter(side, message);
	note_gap(work, side, message);
	if (!message->is_map)
		note_sequence(side, message);
	rds_message_operation(tracker, message, work->message);
	return message;
}

/* Adds a READ or WRITE with its key. */
static void name_transfer(struct rds_message *message, struct rds_transfer *transfer)
{
	transfer->is_named = true;
	*(transfer->is_read ? &message->was_read : &message->was_written) = true;
	message->rdma_bytes += transfer->length;
	if (!message->first_rdma_frame || transfer->frame < message->first_rdma_frame) {
		message->first_rdma_frame = transfer->frame;
		message->first_rdma_ns = transfer->time_ns;
	}
	if (transfer->frame > message->last_rdma_frame) {
		message->last_rdma_frame = transfer->frame;
		message->last_rdma_ns = transfer->time_ns;
	}
}

/* Adds those that were sent before the message that names their key. */
static void name_transfers(struct rds_side *side, struct rds_message *message)
{
	uint32_t count = side->transfer_count < RDS_TRANSFERS ? side->transfer_count : RDS_TRANSFERS;

	for (uint32_t i = 0; i < count; i++) {
		struct rds_transfer *transfer = &side->transfers[i];

		if (!transfer->is_named && transfer->key == message->rdma_key && transfer->psn <= message->rdma_end)
			name_transfer(message, transfer);
	}
}

/* A READ or WRITE that was captured after the message that names its key, but sent before it. */
static void name_late(const struct rds_side *side, struct rds_transfer *transfer)
{
	struct rds_message *message;

	TAILQ_FOREACH(message, &side->messages, link)
		if (message->has_rdma_key && message->rdma_key == transfer->key && message->rdma_begin && message->rdma_begin <= transfer->psn &&
		    transfer->psn < message->rdma_end) {
			name_transfer(message, transfer);
			return;
		}
}

/* The place of what the side sent first, if its setup was captured and all READs and WRITEs were seen as those of the layer; else 0. */
static uint64_t beginning(const struct upper_work *work, const struct rds_side *side)
{
	const struct rtap_connection *shown = &work->connection->shown;
	const struct rtap_end *end = work->from_a ? &shown->a : &shown->b;
	uint64_t psn = work->message->low;

	if (!side->is_whole)
		return 0;
	if (work->connection->ddp)
		return shown->learned_by_mpa && work->connection->iwarp && !work->connection->iwarp->resumed;
	return shown->learned_by_cm && end->psn_known ? psn - ((psn - end->psn) & PSN_MASK) : 0;
}

/* `after`, `lost`: the state of the side before the SEND. */
static void read_extensions(const struct upper_work *work, struct rds_side *side, struct rds_message *message, const uint8_t *header,
			    uint64_t after, uint64_t lost)
{
	const uint8_t *rdma = rds_extension(header, RDS_EXTENSION_RDMA);
	const uint8_t *destination = rds_extension(header, RDS_EXTENSION_RDMA_DESTINATION);

	if (rdma && !message->has_rdma_key) {
		message->has_rdma_key = true;
		message->rdma_key = load32(rdma);
		message->rdma_begin = after ? after : beginning(work, side);
		message->rdma_end = work->message->low;
		message->rdma_lost = lost;
		message->lacks_rdma = side->has_forgotten || !message->rdma_begin ||
				      (work->connection->ddp ? losses_of(work) != lost : message->rdma_begin > message->rdma_end);
		side->has_forgotten = false;
		name_transfers(side, message);
	}
	if (destination) {
		message->has_destination_key = true;
		message->destination_key = load32(destination);
	}
}

/* Whether it is a fragment of that message. All fragments have the same header except for acknowledgement, credits and checksum. */
static bool is_of(const struct rds_message *message, const uint8_t *header)
{
	return message->sequence == bits(header, RDS_SEQUENCE) && message->length == bits(header, RDS_LENGTH) &&
	       message->source_port == bits(header, RDS_SOURCE_PORT) && message->destination_port == bits(header, RDS_DESTINATION_PORT) &&
	       message->is_map == (bool)(bits(header, RDS_FLAGS) & RDS_CONGESTION_MAP);
}

static struct rds_message *find(const struct rds_side *side, const uint8_t *header)
{
	uint64_t sequence = bits(header, RDS_SEQUENCE);
	struct rds_message *message = sequence ? TAILQ_LAST(&side->messages, rds_messages) : TAILQ_FIRST(&side->messages), *next;

	if (!sequence) {
		/* congestion maps come first: the newest of them */
		while (message && (next = TAILQ_NEXT(message, link)) && !next->sequence)
			message = next;
		return message && is_of(message, header) ? message : NULL;
	}
	for (; message && message->sequence >= sequence; message = TAILQ_PREV(message, rds_messages, link))
		if (is_of(message, header))
			return message;
	return NULL;
}

/* Finds the acknowledgement of a message that was captured after it, if it is certain. */
static void find_ack(const struct rds_side *side, struct rds_message *message)
{
	if (message->is_map || message->sequence > side->acks[0].sequence)
		return;
	message->is_acked = true;
	message->ack = side->acks[0];
	if (message->sequence <= side->acks[1].sequence)
		message->ack.frame = 0;
}

static bool is_over(const struct rds_message *message)
{
	return rds_message_is_whole(message) && (message->is_map || message->is_acked);
}

/* Records where the next message begins. */
static void note_end(const struct upper_work *work, struct rds_side *side, const struct rds_message *message, uint64_t sequence)
{
	uint64_t end = rds_place_of(side, work->message).end;

	if (end < side->next)
		return;
	side->next = end;
	side->lost = losses_of(work);
	if (!sequence) {
		side->others++;
		return;
	}
	side->others = 0;
	side->message_next = end;
	side->message_lost = side->lost;
	side->next_sequence = message && rds_message_is_whole(message) ? sequence + 1 : 0;
}

static void take_fragment(struct upper_work *work, struct rds_side *side, const struct rds_fragment *fragment)
{
	struct rds_message *message = find(side, fragment->header);
	uint64_t after = side->next, lost = side->lost;

	if (message && !rds_message_add(work, side, message, fragment)) {
		/* a new congestion map, or a message with the same number */
		end_message(work->tracker, message);
		message = NULL;
	} else if (message) {
		request_claim_send(work->message, &message->request);
	}
	if (!message) {
		message = create(work, side, fragment->header);
		if (!message || !rds_message_add(work, side, message, fragment))
			return;
		find_ack(side, message);
	}
	read_extensions(work, side, message, fragment->header, after, lost);
	note_end(work, side, message, message->sequence);
	if (is_over(message))
		end_message(work->tracker, message);
	else
		message->request.only_confirmed = rds_message_is_whole(message);
}

/* The header acknowledges messages of the other end. */
static void take_ack(struct upper_work *work, struct rds_side *side, uint64_t sequence)
{
	const struct rds_ack ack = { sequence, work->message->shown.first_frame, work->message->shown.time_end_ns };
	struct rds_message *message, *next;

	if (sequence <= side->acks[0].sequence)
		return;
	side->acks[1] = side->acks[0];
	side->acks[0] = ack;
	for (message = TAILQ_FIRST(&side->messages); message && message->sequence <= sequence; message = next) {
		next = TAILQ_NEXT(message, link);
		if (message->is_map)
			continue;
		if (!message->is_acked) {
			message->is_acked = true;
			message->ack = ack;
		}
		if (is_over(message) || sequence - message->sequence >= BEYOND)
			end_message(work->tracker, message);
	}
}

/* The header and the bytes after it in a SEND. */
static bool read_send(const struct rtap_packet *packet, struct rds_fragment *fragment)
{
	const struct rtap_layer *layer = packet->layers, *end = packet->layers + packet->layer_count;
	struct rtap_payload send;

	while (layer < end && layer->protocol != PROTOCOL_RDS)
		layer++;
	if (layer == end || layer->length < RDS_HEADER_LENGTH)
		return false;
	send = layer_rest(packet, layer);
	fragment->header = layer_bytes(packet, layer);
	fragment->bytes = fragment->header + RDS_HEADER_LENGTH;
	fragment->captured = send.captured - RDS_HEADER_LENGTH;
	fragment->wire = send.wire - RDS_HEADER_LENGTH;
	return rds_checksum_is_good(fragment->header) && fragment->wire <= bits(fragment->header, RDS_LENGTH);
}

static void show(struct upper_work *work)
{
	if (work->packet->upper == RTAP_UPPER_RDS && !work->keep)
		return;
	work->context->upper = RTAP_UPPER_RDS;
	work->dissect(work);
}

static bool take_packet(struct upper_work *work)
{
	struct rds_state *state;
	struct rds_fragment fragment;

	if ((work->packet->upper != RTAP_UPPER_RDS && !work->is_known) || (work->message && work->message->shown.verb != RTAP_VERB_SEND))
		return false;
	state = state_make(work->tracker, work->connection);
	if (!state)
		return false;
	show(work);
	if (!work->tracker->options.operation || !upper_is_new(work))
		return true;
	if (!read_send(work->packet, &fragment)) {
		state->sides[work->from_a].message_next = 0;
		return true;
	}
	take_ack(work, &state->sides[!work->from_a], bits(fragment.header, RDS_ACK));
	if (bits(fragment.header, RDS_SEQUENCE) || bits(fragment.header, RDS_FLAGS) & RDS_CONGESTION_MAP)
		take_fragment(work, &state->sides[work->from_a], &fragment);
	else
		note_end(work, &state->sides[work->from_a], NULL, 0);
	return true;
}

static bool may_want(const struct rtap_tracker *tracker, const struct connection *connection)
{
	(void)tracker;
	(void)connection;
	return false;
}

/* A message that follows names the key of a READ or WRITE. */
static void claim(struct rtap_tracker *tracker, struct message *message)
{
	struct rds_state *state = message->connection->layer == &rds_layer ? state_of(message->connection) : NULL;
	struct rds_side *side = state ? &state->sides[message->shown.from_a] : NULL;
	struct rds_transfer *transfer;

	(void)tracker;
	if (!side || (message->shown.verb != RTAP_VERB_READ && message->shown.verb != RTAP_VERB_WRITE))
		return;
	transfer = &side->transfers[side->transfer_count % RDS_TRANSFERS];
	side->has_forgotten |= side->transfer_count++ >= RDS_TRANSFERS && !transfer->is_named;
	*transfer = (struct rds_transfer){
		.is_read = message->shown.verb == RTAP_VERB_READ, .key = message->shown.r_key, .psn = message->low, .length = message->shown.length,
		.frame = message->shown.first_frame, .time_ns = message->shown.time_ns,
	};
	if (!message->connection->ddp && transfer->psn < side->next)
		name_late(side, transfer);
}

/* The length of an iWARP Write is not known when it begins. Another READ or WRITE can follow before it is settled. */
static void written(const struct message *message)
{
	struct rds_state *state = message->connection->layer == &rds_layer ? state_of(message->connection) : NULL;
	struct rds_side *side = state ? &state->sides[message->shown.from_a] : NULL;
	uint32_t count = !side ? 0 : side->transfer_count < RDS_TRANSFERS ? side->transfer_count : RDS_TRANSFERS;

	for (uint32_t i = 1; i <= count; i++) {
		struct rds_transfer *transfer = &side->transfers[(side->transfer_count - i) % RDS_TRANSFERS];

		if (transfer->is_read || transfer->psn != message->low || transfer->key != message->shown.r_key)
			continue;
		transfer->length = message_known_length(message);
		return;
	}
}

static void nothing(struct rtap_tracker *tracker, struct message *message)
{
	(void)tracker;
	(void)message;
}

static void unclaim(struct message *message)
{
	(void)message;
}

/* A SEND with a later fragment was repeated. */
static void lost(struct rtap_tracker *tracker, const struct message *send, const struct upper_loss *loss)
{
	const struct rds_state *state = state_of(send->connection);
	struct rds_message *message = state ? TAILQ_LAST(&state->sides[send->shown.from_a].messages, rds_messages) : NULL;

	(void)tracker;
	while (message && message->request.number != send->request_number)
		message = TAILQ_PREV(message, rds_messages, link);
	if (!message)
		return;
	recovery_add_time(&message->lost.time_us, loss->time_us);
	if (message->lost.resent <= UINT16_MAX - loss->repeats)
		message->lost.resent = (uint16_t)(message->lost.resent + loss->repeats);
}

static void detach(struct message *send)
{
	struct rds_message *message = rds_of(send->request);

	rds_message_conclude(message->request.entry.owner, message);
}

static void over(struct rtap_tracker *tracker, struct connection *connection)
{
	upper_state_destroy(tracker, connection, sizeof(struct rds_state));
}

static void end(struct rtap_tracker *tracker, struct connection *connection)
{
	struct rds_state *state = state_of(connection);

	for (int i = 0; i < 2 && state; i++)
		while (!TAILQ_EMPTY(&state->sides[i].messages))
			end_message(tracker, TAILQ_FIRST(&state->sides[i].messages));
}

/* Ends messages whose acknowledgements are known now. */
static void acknowledge(struct rtap_tracker *tracker, struct rds_side *side)
{
	struct rds_message *message, *next;

	for (message = TAILQ_FIRST(&side->messages); message; message = next) {
		next = TAILQ_NEXT(message, link);
		if (!message->is_acked)
			find_ack(side, message);
		if (is_over(message))
			end_message(tracker, message);
	}
}

static void merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	struct rds_state *old = state_of(from), *state = old ? state_make(tracker, to) : NULL;
	struct rds_message *message;

	if (!old || !state)
		return;
	for (int i = 0; i < 2; i++) {
		struct rds_side *left = &old->sides[i], *side = &state->sides[turned ? !i : i];

		if (!side->has_sequence && !side->acks[0].sequence && !side->next) {
			*side = *left;
			TAILQ_INIT(&side->messages);
			side->count = 0;
		} else if (left->acks[0].sequence > side->acks[0].sequence) {
			side->acks[0] = left->acks[0];
			side->acks[1] = left->acks[1];
		}
		if (left->asked > side->asked)
			side->asked = left->asked;
		while ((message = TAILQ_FIRST(&left->messages))) {
			leave(left, message);
			request_move(tracker, &message->request, to, turned);
			enter(side, message);
		}
	}
	over(tracker, from);
	for (int i = 0; i < 2; i++)
		acknowledge(tracker, &state->sides[i]);
}

static const struct upper_memory memory = { .may_want = may_want, .claim = claim, .data_settled = nothing, .unclaim = unclaim, .lost = lost, .written = written };

static const uint16_t ports[] = { RDS_PORT, RDS_PORT_OLD, 0 };

const struct upper_layer rds_layer = {
	.name = "rds",
	.ports = ports,
	.carried = RTAP_UPPER_RDS,
	.packet = take_packet,
	.memory = &memory,
	.detach = detach,
	.merged = merged,
	.end = end,
	.over = over,
};
