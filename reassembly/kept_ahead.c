/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/kept_ahead.h"

void kept_ahead_enter(struct rtap_tracker *tracker, struct message *message)
{
	message->keeps_ahead = true;
	message->claimed_before = tracker->ahead.last;
	message->claimed_after = NULL;
	*(tracker->ahead.last ? &tracker->ahead.last->claimed_after : &tracker->ahead.first) = message;
	tracker->ahead.last = message;
	tracker->ahead.bytes += message->memory;
}

void kept_ahead_leave(struct rtap_tracker *tracker, struct message *message)
{
	*(message->claimed_before ? &message->claimed_before->claimed_after : &tracker->ahead.first) = message->claimed_after;
	*(message->claimed_after ? &message->claimed_after->claimed_before : &tracker->ahead.last) = message->claimed_before;
	message->keeps_ahead = false;
	tracker->ahead.bytes -= message->memory;
}
