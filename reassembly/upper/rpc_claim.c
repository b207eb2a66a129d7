/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/message_extent.h"
#include "reassembly/operation.h"
#include "reassembly/time_windows.h"
#include "reassembly/upper/rpc_claim.h"
#include "reassembly/upper/rpc_region.h"

#define MAX_OVERTAKING 32 /* most requests searched for READs and WRITEs captured before the call, or the reply before them */

static bool is_half(const struct connection *connection)
{
	return !connection->ddp && (!connection->flows[0] || !connection->flows[1]);
}

/* Whether the call that names memory can arrive after its data, or its side is unknown. */
static bool may_come_later(const struct rtap_tracker *tracker, const struct connection *connection)
{
	return rpc_call_is_reported(tracker) && (is_half(connection) || connection->upper == RTAP_UPPER_RPCRDMA);
}

bool rpc_claim_may_want(const struct rtap_tracker *tracker, const struct connection *connection)
{
	return tracker->calls_with_regions || may_come_later(tracker, connection);
}

void rpc_claim_message(struct rtap_tracker *tracker, struct message *message)
{
	struct rpc_region *region;

	if (!message->shown.has_key)
		return;
	region = tracker->calls_with_regions ? rpc_region_find(tracker, message) : NULL;
	if (region) {
		rpc_region_claim(tracker, region, message);
		/* Bytes are kept of all its packets or of none; with several regions, parts are examined separately. */
		message->bytes_wanted = region->keep_bytes || message->coverage.bytes ||
					(tracker->keep && message->shown.length > region->end - message->shown.virtual_address);
	} else if (may_come_later(tracker, message->connection)) {
		message->bytes_wanted = true;
	}
}

bool rpc_claim_note_arrival(struct rtap_tracker *tracker, const struct message *message)
{
	struct rpc_call *call = message->region->call;
	const struct chunk_lists *lists = &call->call.lists;
	uint64_t begin = message->shown.virtual_address, end = begin + message->shown.length, left = call->read_left;
	struct rpc_region *region = message->region;

	for (; region < lists->regions + lists->region_count && call->read_left && region->is_read &&
	       region->r_key == message->region->r_key && region->begin < end; region++) {
		uint64_t from = begin > region->begin ? begin - region->begin : 0;
		uint64_t to = (end < region->end ? end : region->end) - region->begin, before = coverage_memory(&region->arrived), fresh;

		if (from >= to || !coverage_add(&region->arrived, from, NULL, to - from, 0, COVERAGE_ONLY, &fresh))
			continue;
		call->read_left -= fresh;
		rpc_call_charge(tracker, call, coverage_memory(&region->arrived), before);
	}
	return left && !call->read_left;
}

static uint16_t add_count(uint16_t a, uint64_t b)
{
	return b > (uint64_t)UINT16_MAX - a ? UINT16_MAX : (uint16_t)(a + b);
}

static void add_lost(struct rpc_lost *lost, const struct rtap_message *message)
{
	recovery_add_time(&lost->time_us, message->time_lost_us);
	lost->resent = add_count(lost->resent, message->repeats);
	lost->to |= message->lost_to;
}

void rpc_claim_show_lost(struct rtap_message *shown, const struct rtap_message *send)
{
	shown->time_lost_us = send->time_lost_us;
	shown->resent = add_count(0, send->repeats);
	shown->lost_to = send->lost_to;
}

void rpc_claim_land(struct rtap_tracker *tracker, struct message *message)
{
	struct rpc_call *call = message->region->call;

	add_lost(message->shown.verb == RTAP_VERB_READ ? &call->read_lost : &call->write_lost, &message->shown);
	if (call->call.shown && call->call.shown->operation)
		operation_add_transfer(call->call.shown->operation, message);
	rpc_region_land(tracker, message);
}

/* Assigns an existing READ or WRITE to the call. */
static void claim_late(struct rtap_tracker *tracker, struct message *message)
{
	rpc_claim_message(tracker, message);
	if (!message->region)
		return;
	if (message->region->is_read && message_read_is_over(message))
		rpc_claim_note_arrival(tracker, message);
	if (assembly_is_whole(message))
		rpc_claim_land(tracker, message);
}

/* Whether a READ or WRITE uses the call's memory. */
static bool names_memory_of(const struct rpc_call *call, const struct message *message)
{
	const struct rtap_message *shown = &message->shown;
	const struct rpc_region *region = chunk_lists_find_region(&call->call.lists, shown->verb == RTAP_VERB_READ, shown->r_key,
								  shown->virtual_address);

	return shown->has_key && region && region->begin <= shown->virtual_address;
}

/* Checks again which call a READ or WRITE belongs to. True: another one, or it is ambiguous. */
static bool changes_owner(struct rtap_tracker *tracker, struct message *message)
{
	struct rpc_region *before = message->region;
	uint64_t length = rpc_region_asked_by(message);
	bool is_other;

	before->asked -= length;
	is_other = rpc_region_find(tracker, message) != before;
	if (!is_other) {
		before->asked += length;
		return false;
	}
	rpc_region_empty(tracker, message);
	rpc_region_unclaim(message);
	claim_late(tracker, message);
	return true;
}

/* The removed data may have suppressed later copies by others: empties the regions and copies all data again. */
static void land_again(struct rtap_tracker *tracker, const struct rpc_call *call, struct message *last)
{
	struct message *message = last;

	for (int i = 0; message && i < MAX_OVERTAKING; message = message->before, i++)
		if (message->region && names_memory_of(call, message))
			rpc_region_empty(tracker, message);
	message = last;
	for (int i = 0; message && i < MAX_OVERTAKING; message = message->before, i++) {
		if (!message->region || !names_memory_of(call, message))
			continue;
		if (message->region->is_read && message_read_is_over(message))
			rpc_claim_note_arrival(tracker, message);
		if (message->has_landed)
			rpc_region_land(tracker, message);
	}
}

/*
 * The capture point can reorder packets: the last requests of the responder may be about memory that became known only now,
 * or were assigned to another call with the same memory. Unassigned requests before a SEND of that side belong to another
 * call, as keys are used again. `last`: the newest one that can belong to the call or was assigned to it.
 */
static __attribute__((cold, noinline)) void claim_overtaking(struct rtap_tracker *tracker, const struct rpc_call *call, struct message *last, bool in_order)
{
	struct message *message = last;
	const struct rpc_call *changed = NULL;
	bool is_before_send = false;

	for (int i = 0; message && i < MAX_OVERTAKING; message = message->before, i++) {
		bool is_after_reply = call->reply.present && message->low > call->reply_psn;

		if (message->shown.verb == RTAP_VERB_SEND && message != call->replier && !is_after_reply) {
			if (in_order)
				return;
			is_before_send = true;
		}
		if (message->region) {
			struct rpc_call *owner = message->region->call;

			if (in_order || (call->call.present && !names_memory_of(call, message)) || !changes_owner(tracker, message))
				continue;
			if (changed && changed != owner)
				land_again(tracker, changed, last);
			changed = owner;
			continue;
		}
		if (call->call.present && !is_before_send && !is_after_reply && call->call.time_ns - message->active_ns < GRACE_NS)
			claim_late(tracker, message);
	}
	if (changed)
		land_again(tracker, changed, last);
}

void rpc_claim_around_reply(struct rtap_tracker *tracker, const struct rpc_call *call)
{
	struct message *last = call->replier;

	for (int i = 0; last->after && i < MAX_OVERTAKING / 2; i++)
		last = last->after;
	claim_overtaking(tracker, call, last, false);
}

void rpc_claim_decide(struct rtap_tracker *tracker, struct message *message)
{
	const struct rpc_call *owner = message->region->call;
	struct message *last = message;

	if (!changes_owner(tracker, message))
		return;
	for (int i = 0; last->after && i < MAX_OVERTAKING / 2; i++)
		last = last->after;
	land_again(tracker, owner, last);
}

void rpc_claim_around_call(struct rtap_tracker *tracker, const struct rpc_call *call, const struct message *send)
{
	const struct psn_stream *stream = &call->connection->streams[!call->from_a];
	bool in_order = call->connection->ddp || (!call->replier && !stream->gaps.count && !send->after);

	if (call->replier && !in_order)
		rpc_claim_around_reply(tracker, call);
	else
		claim_overtaking(tracker, call, stream->tail, in_order);
}

void rpc_claim_waiting(struct rtap_tracker *tracker, const struct psn_stream *stream)
{
	for (struct message *message = stream->head; message; message = message->after) {
		if (message->region)
			continue;
		rpc_claim_message(tracker, message);
		if (!message->region || message->shown.first_frame >= message->region->call->call.first_frame)
			continue;
		message->region->asked -= rpc_region_asked_by(message);
		rpc_region_unclaim(message);
	}
}
