/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "cli/feed.h"

const struct feed *feed;

void feed_keep(struct rtap_tracker_options *tracking)
{
	if (feed && feed->keep)
		feed->keep(feed->owner, tracking);
}

void feed_deliver(struct reader *reader, const struct rtap_tracker *tracker)
{
	if (feed && feed->deliver)
		feed->deliver(feed->owner, reader, tracker);
}

void feed_took(const struct rtap_tracker *tracker, const struct rtap_frame *frame)
{
	if (feed && feed->took)
		feed->took(feed->owner, tracker, frame);
}
