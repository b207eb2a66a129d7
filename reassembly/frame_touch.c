/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/frame_touch.h"
#include "reassembly/upper/request.h"

void frame_touch(struct rtap_tracker *tracker, struct message *message)
{
	message->shown.wanted |= tracker->wanted_ahead;
	if (message->touched || !tracker->options.wanted)
		return;
	message->touched = true;
	SLIST_INSERT_HEAD(&tracker->touched, message, touched_link);
}

void frame_touch_discard(struct rtap_tracker *tracker, struct message *message)
{
	if (message->touched)
		SLIST_REMOVE(&tracker->touched, message, message, touched_link);
}

void frame_touch_done(struct rtap_tracker *tracker, bool wanted)
{
	struct message *message;

	if (wanted)
		iwarp_view_want(&tracker->view);
	while ((message = SLIST_FIRST(&tracker->touched))) {
		SLIST_REMOVE_HEAD(&tracker->touched, touched_link);
		message->shown.wanted |= wanted;
		if (wanted)
			request_want(message);
		message->touched = false;
	}
}
