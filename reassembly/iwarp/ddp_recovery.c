/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/infiniband/recovery.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/iwarp/ddp_recovery.h"
#include "reassembly/upper.h"

/* Most messages examined to find one. */
#define MOST_EXAMINED 256

/* The message of which a direction has sent only a part; NULL: none. */
static struct message *unfinished(const struct ddp_half *half)
{
	for (unsigned queue = 0; queue < DDP_QUEUES; queue++)
		if (half->untagged[queue])
			return half->untagged[queue];
	return half->write ? half->write : half->read;
}

static bool is_rpc(const struct message *message)
{
	return message->shown.kind == RTAP_KIND_RPC_CALL || message->shown.kind == RTAP_KIND_RPC_REPLY;
}

/* The message with the byte at a stream offset of a direction; NULL: unknown, or acknowledged. */
static struct message *owner_of(const struct connection *connection, bool from_a, uint64_t offset)
{
	const struct ddp_half *half = &connection->ddp->halves[from_a];
	struct message *message = TAILQ_FIRST(&connection->streams[from_a].messages);
	unsigned examined = 0;

	for (; message && message->low <= offset && examined < MOST_EXAMINED; message = TAILQ_NEXT(message, link), examined++)
		if (message_is_answered_by_data(message) && offset - message->low < DDP_READ_REQUEST_FPDU)
			return message;
	examined = 0;
	for (message = TAILQ_FIRST(&half->unacknowledged); message && examined < MOST_EXAMINED; message = TAILQ_NEXT(message, link), examined++)
		if (message->ack_at > offset && !is_rpc(message))
			break;
	if (!message && examined < MOST_EXAMINED)
		message = unfinished(half);
	/* the offset of a response's first byte is not kept */
	return message && (message_is_answered_by_data(message) || message->low <= offset) ? message : NULL;
}

static void follow(struct ddp *ddp, int side, struct message *message)
{
	struct message *before = ddp->halves[side].recovering;

	ddp->halves[side].recovering = message;
	/* both directions of a READ can be retransmitted */
	if (before)
		before->recovers = ddp->halves[!side].recovering == before;
	if (message)
		message->recovers = true;
}

void ddp_recovery_discard(struct message *message)
{
	for (int side = 0; side < 2; side++)
		if (message->connection->ddp->halves[side].recovering == message)
			follow(message->connection->ddp, side, NULL);
}

void ddp_recovery_end(struct ddp *ddp)
{
	for (int side = 0; side < 2; side++)
		follow(ddp, side, NULL);
}

static void lose(struct rtap_tracker *tracker, struct message *message, uint8_t cause, int64_t begin_ns, int64_t end_ns)
{
	struct upper_loss loss = { .cause = cause };

	if (end_ns <= begin_ns)
		return;
	recovery_add_time(&loss.time_us, ((uint64_t)end_ns - (uint64_t)begin_ns) / 1000);
	recovery_add_time(&message->shown.time_lost_us, loss.time_us);
	message->shown.lost_to |= (uint8_t)(1u << cause);
	upper_lost(tracker, message, &loss);
}

static void repeat(struct rtap_tracker *tracker, struct message *message)
{
	message->shown.repeats++;
	upper_lost(tracker, message, &(struct upper_loss){ .repeats = 1 });
	if (message->shown.verb == RTAP_VERB_SEND)
		upper_lost(tracker, message, &(struct upper_loss){ .taken_ns = tracker->now_ns });
}

static void take(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_tcp_recovery *found, uint64_t offset)
{
	struct ddp_half *half = &connection->ddp->halves[found->from_a];
	struct message *message;

	if (found->cause == RTAP_RECOVERY_ZERO_WINDOW) {
		message = found->begins ? NULL : unfinished(half);
		if (message)
			lose(tracker, message, found->cause,
			     found->begin_ns > message->shown.time_ns ? found->begin_ns : message->shown.time_ns, found->end_ns);
		return;
	}
	if (found->begins) {
		half->retransmitted = offset;
		follow(connection->ddp, found->from_a, owner_of(connection, found->from_a, offset));
		return;
	}
	/* the FPDU with the byte may have been completed by later segments */
	message = half->recovering ? half->recovering : owner_of(connection, found->from_a, half->retransmitted);
	if (message)
		lose(tracker, message, found->cause, found->begin_ns, found->end_ns);
	follow(connection->ddp, found->from_a, NULL);
}

void ddp_recovery_segment(struct rtap_tracker *tracker, struct connection *connection, uint64_t offset, const struct rtap_flow_facts *flow)
{
	struct message *message;

	if (flow->tcp_analysis == RTAP_TCP_RETRANSMISSION && (message = owner_of(connection, flow->from_a, offset)))
		repeat(tracker, message);
	for (unsigned i = 0; i < flow->tcp_recovery_count; i++)
		take(tracker, connection, &flow->tcp_recoveries[i], offset);
}
