/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/infiniband/ib_settle.h"
#include "reassembly/message_final.h"
#include "reassembly/message_queue.h"
#include "reassembly/infiniband/psn.h"

/*
 * The PSN below which missing packets are final: that of the oldest incomplete message if the gap is acknowledged, old or far
 * below the newest PSN; else up to what is acknowledged.
 */
static uint64_t lost_before(const struct rtap_tracker *tracker, const struct psn_stream *stream)
{
	const struct psn_gap *oldest = &stream->gaps.list[0];
	const struct message *first = TAILQ_FIRST(&stream->messages);
	uint64_t settled = first ? first->low : stream->settled_end;

	if (settled <= stream->acknowledged || tracker->now_ns - oldest->time_ns >= HOLE_NS || stream->next > oldest->end + PSN_WINDOW)
		return settled;
	return stream->acknowledged;
}

void ib_settle(struct rtap_tracker *tracker, struct psn_stream *stream, bool all)
{
	struct message *first;

	while ((first = TAILQ_FIRST(&stream->messages)) && (all || message_final_psn(tracker, first)))
		message_settle(tracker, first);
	psn_give_up_responses(stream, stream->settled_high);
	if (stream->gaps.count && stream->settled_end)
		stream->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_LOST] +=
			psn_give_up(stream, all ? stream->settled_end : lost_before(tracker, stream));
}
