/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/kept_ahead.h"

void kept_ahead_enter(struct rtap_tracker *tracker, struct message *message)
{
	message->keeps_ahead = true;
	TAILQ_INSERT_TAIL(&tracker->ahead.list, message, claimed);
	tracker->ahead.bytes += message->memory;
}

void kept_ahead_leave(struct rtap_tracker *tracker, struct message *message)
{
	TAILQ_REMOVE(&tracker->ahead.list, message, claimed);
	message->keeps_ahead = false;
	tracker->ahead.bytes -= message->memory;
}
