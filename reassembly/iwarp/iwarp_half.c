/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "reassembly/iwarp/iwarp_half.h"
#include "base/memory.h"
#include "reassembly/state.h"

void iwarp_half_note_request(struct iwarp_stream *stream, bool side, const struct rtap_fpdu *fpdu, uint64_t id,
			     const void *facts, size_t size)
{
	struct iwarp_half *half = &stream->halves[iwarp_side_of(stream, side)];
	struct iwarp_request *request;

	assert(size <= IWARP_FACTS);
	if (!half->requests)
		half->requests = memory_new_zeroed(IWARP_REQUESTS, sizeof *half->requests);
	if (!half->requests)
		return;
	request = &half->requests[half->request_count++ % IWARP_REQUESTS];
	*request = (struct iwarp_request){ .offset = fpdu->stream_offset, .frame = fpdu->last_frame, .time_ns = fpdu->last_time_ns, .id = id };
	memcpy(request->facts, facts, size);
}

const struct iwarp_request *iwarp_half_find_request(const struct iwarp_stream *stream, bool side, uint64_t id)
{
	const struct iwarp_half *half = &stream->halves[iwarp_side_of(stream, side)];
	uint32_t count = half->request_count < IWARP_REQUESTS ? half->request_count : IWARP_REQUESTS;

	for (uint32_t i = 1; i <= count; i++) {
		const struct iwarp_request *request = &half->requests[(half->request_count - i) % IWARP_REQUESTS];

		/* Processed requests are known to the messages. */
		if (request->id == id && stream->tcp->halves[half->from_a].base + request->offset >= iwarp_half_taken(half))
			return request;
	}
	return NULL;
}

void iwarp_half_discard_ahead(struct iwarp_half *half)
{
	send_ahead_discard(&half->ahead);
	free(half->requests);
	half->requests = NULL;
	half->request_count = 0;
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

void iwarp_half_discard_connection(struct iwarp_stream *stream)
{
	if (stream->connection)
		stream->connection->iwarp = NULL;
	stream->connection = NULL;
	stream->resumed = true;
	for (unsigned i = 0; i < 2; i++)
		stream->halves[i].recovery = (struct tcp_recovery){ 0 };
}
