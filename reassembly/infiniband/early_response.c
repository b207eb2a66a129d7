/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "reassembly/infiniband/early_response.h"

void early_response_keep(struct psn_stream *stream, uint64_t psn, const struct pending_response *response)
{
	struct early_response *kept;

	if (!stream->early) {
		stream->early = memory_new_zeroed(1, sizeof *stream->early);
		if (!stream->early)
			return;
		stream->resized = true;
	}
	kept = &stream->early->responses[stream->early->count++ % EARLY_RESPONSES];
	*kept = (struct early_response){ .psn = psn, .response = *response };
	kept->response.bytes = NULL;
	if (psn >= stream->early_end)
		stream->early_end = psn + 1;
}

struct early_response *early_response_at(const struct psn_stream *stream, uint32_t number)
{
	struct early_responses *early = stream->early;
	uint64_t oldest = early && early->count > EARLY_RESPONSES ? early->count - EARLY_RESPONSES : 0;

	return early && oldest + number < early->count ? &early->responses[(oldest + number) % EARLY_RESPONSES] : NULL;
}

struct early_response *early_response_newest(const struct psn_stream *stream, uint64_t psn, uint8_t opcode)
{
	struct early_responses *early = stream->early;
	struct early_response *newest = early && early->count ? &early->responses[(early->count - 1) % EARLY_RESPONSES] : NULL;

	return newest && newest->psn == psn && newest->response.opcode == opcode ? newest : NULL;
}

void early_response_discard(struct psn_stream *stream)
{
	free(stream->early);
	stream->early = NULL;
	stream->early_end = 0;
	stream->resized = true;
}
