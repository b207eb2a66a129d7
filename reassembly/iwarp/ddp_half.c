/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/iwarp/ddp_half.h"

void ddp_half_init(struct ddp *ddp)
{
	for (int side = 0; side < 2; side++)
		TAILQ_INIT(&ddp->halves[side].unacknowledged);
}

static void await(struct message *message)
{
	struct ddp_half *half = &message->connection->ddp->halves[ddp_half_side_of(message)];

	message->awaits_ack = true;
	message->ack_at = half->end;
	TAILQ_INSERT_TAIL(&half->unacknowledged, message, link);
}

void ddp_half_hold(const struct rtap_tracker *tracker, struct message *message)
{
	message->active_ns = tracker->now_ns;
	await(message);
}

void ddp_half_await_ack(const struct rtap_tracker *tracker, struct message *message)
{
	bool is_answered = message->shown.outcome == RTAP_OUTCOME_GOOD;

	if (!tracker->reports || (message_is_answered_by_data(message) ? !is_answered : message->shown.outcome))
		return;
	if (!is_answered)
		message->shown.outcome = RTAP_OUTCOME_UNANSWERED;
	await(message);
}

void ddp_half_end_wait(struct message *message)
{
	struct ddp_half *half = &message->connection->ddp->halves[ddp_half_side_of(message)];

	TAILQ_REMOVE(&half->unacknowledged, message, link);
	message->awaits_ack = false;
}

void ddp_half_acknowledged(const struct rtap_tracker *tracker, struct connection *connection, bool from_a, uint64_t before,
			      uint64_t offset, uint64_t frame)
{
	struct ddp_half *half = &connection->ddp->halves[from_a];
	struct message *message;

	half->is_acknowledged = true;
	while ((message = TAILQ_FIRST(&half->unacknowledged)) && message->ack_at <= offset) {
		/* A Terminate that came with it has another result. */
		if (message->shown.outcome == RTAP_OUTCOME_UNANSWERED) {
			message->shown.outcome = RTAP_OUTCOME_GOOD;
			/* Messages reordered by the capture point were acknowledged by an earlier frame. */
			if (message->ack_at > before)
				message->shown.answered_in = frame;
			message->answered = true;
			message->answered_ns = tracker->now_ns;
			message->answered_at = connection->shown.packets;
		}
		ddp_half_end_wait(message);
	}
}

void ddp_half_end_waits(struct connection *connection)
{
	for (int side = 0; side < 2; side++)
		while (!TAILQ_EMPTY(&connection->ddp->halves[side].unacknowledged))
			ddp_half_end_wait(TAILQ_FIRST(&connection->ddp->halves[side].unacknowledged));
}
