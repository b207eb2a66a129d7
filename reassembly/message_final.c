/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/infiniband/assembly.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/message_final.h"

#define TORN_NS (2 * NANOSECONDS)

bool message_final_given_up(const struct rtap_tracker *tracker, const struct message *message)
{
	const struct psn_stream *stream = message->stream;
	const struct message *last = TAILQ_LAST(&stream->messages, message_list);
	int64_t now = tracker->now_ns;
	uint64_t end, newest, passed;
	bool after_read;

	if (stream->connection->closed && now - stream->connection->closed_ns >= GRACE_NS)
		return true;
	end = message->end > message->high ? message->end : message->high + 1;
	/* A READ uses the PSNs of all its responses at once. */
	after_read = message->shown.verb == RTAP_VERB_READ ||
		     (assembly_same_verb(last, RTAP_VERB_READ) && last->end >= stream->next);
	newest = after_read ? stream->acknowledged : stream->next;
	if (newest > end + PSN_WINDOW || now - message->active_ns >= (int64_t)tracker->budget.give_up_ns)
		return true;
	/* requests after it show nothing as long as a response may still come, or be requested again */
	passed = stream->acknowledged > stream->low ? newest : stream->next;
	return passed > end && now - message->active_ns >= HOLE_NS;
}

bool message_final_ddp(const struct rtap_tracker *tracker, const struct message *message)
{
	int64_t waited = tracker->now_ns - message->active_ns;
	bool is_in_vain;

	if (message->answered)
		return message->connection->shown.packets - message->answered_at >= GRACE_PACKETS ||
		       tracker->now_ns - message->answered_ns >= GRACE_NS;
	is_in_vain = message->awaits_ack ? !message->connection->ddp->halves[ddp_half_side_of(message)].is_acknowledged : message->torn;

	return waited >= (is_in_vain ? TORN_NS : (int64_t)tracker->budget.give_up_ns);
}
