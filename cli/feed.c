/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "cli/feed.h"

struct feed *feed;

void feed_keep(struct rtap_tracker_options *tracking)
{
	if (feed && feed->keep)
		feed->keep(feed->owner, tracking);
}

void feed_deliver(struct reader *reader, const struct rtap_tracker *tracker)
{
	if (!feed || !feed->deliver)
		return;
	feed->is_delivered = true;
	feed->deliver(feed->owner, reader, tracker);
}

void feed_opened(struct rtap_tracker *tracker, struct stats *stats, struct joined *joined)
{
	if (feed && feed->opened)
		feed->opened(feed->owner, tracker, stats, joined);
}

void feed_begins(const struct rtap_frame *frame)
{
	if (feed && feed->begins)
		feed->begins(feed->owner, frame);
}

void feed_ends(void)
{
	if (feed && feed->ends)
		feed->ends(feed->owner);
}

bool feed_counts(const struct rtap_packet *packet)
{
	if (!feed || !feed->count)
		return false;
	feed->count(feed->owner, packet);
	return true;
}

bool feed_counts_pause(const struct congestion_pause *pause)
{
	if (!feed || !feed->count_pause)
		return false;
	feed->count_pause(feed->owner, pause);
	return true;
}

bool feed_joins(const struct transmission_sight *sight)
{
	if (!feed || !feed->join)
		return false;
	feed->join(feed->owner, sight);
	return true;
}

void feed_took(const struct rtap_tracker *tracker, const struct rtap_frame *frame)
{
	if (feed && feed->took)
		feed->took(feed->owner, tracker, frame);
}

void feed_found(const struct violations *violations, uint64_t frame)
{
	if (feed && feed->found)
		feed->found(feed->owner, violations, frame);
}

void feed_gather(struct reader *reader, const struct rtap_tracker *tracker, struct violations *violations)
{
	if (!feed || !feed->gather)
		return;
	feed->is_delivered = true;
	feed->gather(feed->owner, reader, tracker, violations);
}
