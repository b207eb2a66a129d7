/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "reassembly/iwarp/send_ahead.h"
#include "reassembly/message_extent.h"

#define FIRST_ROOM 4096
#define MOST_BYTES (256u << 10) /* as of other Sends */

void send_ahead_discard(struct send_ahead *send)
{
	free(send->bytes);
	*send = (struct send_ahead){ 0 };
}

static bool reserve(struct send_ahead *send, uint32_t more)
{
	uint8_t *memory = more > MOST_BYTES - send->length ? NULL :
			  array_reserve(send->bytes, &send->room, send->length + more, FIRST_ROOM, MOST_BYTES, 1);

	if (memory)
		send->bytes = memory;
	return memory;
}

/* Appends the payload. False: a part is missing, or there is no room. */
static bool append(struct send_ahead *send, const struct rtap_fpdu *fpdu, uint32_t at)
{
	struct rtap_span extent;

	while (fpdu_next_extent(fpdu, &at, &extent)) {
		if (!extent.bytes || !reserve(send, extent.length))
			return false;
		memcpy(send->bytes + send->length, extent.bytes, extent.length);
		send->length += extent.length;
	}
	return true;
}

static bool is_of(const struct message *begun, uint32_t msn)
{
	return begun && begun->shown.kind == RTAP_KIND_SEND && begun->shown.psn == msn;
}

/* Whether the segments before this one are present. Those that the message has are copied only once, with the last segment. */
static bool has_beginning(struct send_ahead *send, const struct rtap_fpdu *fpdu, const struct rtap_iwarp_facts *facts,
			  const struct message *begun, uint64_t begun_end)
{
	if (facts->mo && send->before + send->length == facts->mo && send->msn == facts->msn && send->next == fpdu->stream_offset)
		return true;
	send->length = 0;
	send->before = facts->mo;
	send->msn = facts->msn;
	return !facts->mo || (facts->mo < MOST_BYTES && is_of(begun, facts->msn) && begun_end == fpdu->stream_offset);
}

/* Puts the bytes that the message has before the others. */
static bool prepend(struct send_ahead *send, const struct message *begun)
{
	const struct coverage *data = begun ? &begun->coverage : NULL;
	const struct coverage_run *run = data && data->count ? coverage_runs(data) : NULL;

	if (!send->before)
		return true;
	if (!is_of(begun, send->msn) || !run || !data->bytes || run->begin != MESSAGE_ORIGIN || run->end < MESSAGE_ORIGIN + send->before ||
	    !reserve(send, send->before))
		return false;
	memmove(send->bytes + send->before, send->bytes, send->length);
	memcpy(send->bytes, coverage_bytes(data, run), send->before);
	send->length += send->before;
	send->before = 0;
	return true;
}

bool send_ahead_add(struct send_ahead *send, const struct rtap_fpdu *fpdu, const struct rtap_iwarp_facts *facts,
		    const struct message *begun, uint64_t begun_end)
{
	if (!has_beginning(send, fpdu, facts, begun, begun_end) || !append(send, fpdu, facts->payload_offset) ||
	    (facts->last && !prepend(send, begun))) {
		send_ahead_discard(send);
		return false;
	}
	send->next = fpdu->stream_offset + fpdu->bytes.length;
	return facts->last;
}
