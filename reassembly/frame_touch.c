/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/frame_touch.h"

void frame_touch(struct rtap_tracker *tracker, struct message *message)
{
	message->shown.wanted |= tracker->wanted_ahead;
	if (message->touched || !tracker->options.wanted)
		return;
	message->touched = true;
	message->next_touched = tracker->first_touched;
	tracker->first_touched = message;
}

void frame_touch_forget(struct rtap_tracker *tracker, struct message *message)
{
	struct message **link = &tracker->first_touched;

	while (message->touched && *link != message)
		link = &(*link)->next_touched;
	if (message->touched)
		*link = message->next_touched;
}

void frame_touch_done(struct rtap_tracker *tracker, bool wanted)
{
	if (wanted)
		iwarp_view_want(&tracker->view);
	while (tracker->first_touched) {
		struct message *message = tracker->first_touched;

		message->shown.wanted |= wanted;
		message->touched = false;
		tracker->first_touched = message->next_touched;
	}
}
