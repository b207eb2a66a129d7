/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "reassembly/iwarp/iwarp_half.h"
#include "reassembly/store/memory.h"
#include "reassembly/state.h"

void iwarp_half_note_call(struct iwarp_stream *stream, bool side, const struct rtap_fpdu *fpdu, const struct rtap_rpc_facts *rpc)
{
	struct iwarp_half *half = &stream->halves[iwarp_side_of(stream, side)];

	if (!half->calls)
		half->calls = memory_new_zeroed(IWARP_CALLS, sizeof *half->calls);
	if (half->calls)
		half->calls[half->call_count++ % IWARP_CALLS] = (struct iwarp_call){ fpdu->stream_offset, fpdu->last_frame, fpdu->last_time_ns, *rpc };
}

const struct iwarp_call *iwarp_half_find_call(const struct iwarp_stream *stream, bool side, uint32_t xid)
{
	const struct iwarp_half *half = &stream->halves[iwarp_side_of(stream, side)];
	uint32_t count = half->call_count < IWARP_CALLS ? half->call_count : IWARP_CALLS;

	for (uint32_t i = 1; i <= count; i++) {
		const struct iwarp_call *call = &half->calls[(half->call_count - i) % IWARP_CALLS];

		/* Processed calls are known to the messages. */
		if (call->rpc.xid == xid && stream->tcp->halves[half->from_a].base + call->offset >= iwarp_half_taken(half))
			return call;
	}
	return NULL;
}

void iwarp_half_forget_calls(struct iwarp_half *half)
{
	free(half->calls);
	half->calls = NULL;
	half->call_count = 0;
}

/* RFC 6581, 9.1: 0x3fff means not negotiated. */
#define NOT_NEGOTIATED 0x3fff

uint32_t iwarp_half_most_requests(const struct iwarp_stream *stream, bool side)
{
	const struct iwarp_half *half = &stream->halves[iwarp_side_of(stream, side)], *other = &stream->halves[iwarp_side_of(stream, !side)];
	uint32_t most;

	if (!half->has_setup || !other->has_setup || !half->mpa.enhanced || !other->mpa.enhanced)
		return 0;
	most = half->mpa.ord < other->mpa.ird ? half->mpa.ord : other->mpa.ird;
	return most == NOT_NEGOTIATED ? 0 : most;
}

void iwarp_half_forget_connection(struct iwarp_stream *stream)
{
	if (stream->connection)
		stream->connection->iwarp = NULL;
	stream->connection = NULL;
	stream->resumed = true;
	for (unsigned i = 0; i < 2; i++)
		stream->halves[i].recovery = (struct tcp_recovery){ 0 };
}
