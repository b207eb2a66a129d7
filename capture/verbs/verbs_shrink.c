/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>

#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_context.h"
#include "capture/verbs/verbs_shrink.h"

#define NS_A_MS INT64_C(1000000)
#define MOST_CALM_NS (3600000 * NS_A_MS)
#define BURST_SHARE 4    /* of the posted receives: more frames than this part waiting are a burst */
#define SAFETY 8         /* receives kept for each frame of the longest run */
#define CACHE_SHARE 4    /* of the cache: devices write to a part of it only, and others use it too */
#define LEAST_BLOCKS 4   /* the first is being filled */
#define CACHE_LINE 64u
#define MOST_CACHES 16u

uint64_t verbs_cache_bytes(const char *folder)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < MOST_CACHES; i++) {
		char path[PATH_MAX], unit = 0;
		uint64_t size = 0;
		FILE *file;

		snprintf(path, sizeof path, "%s/index%u/size", folder, i);
		file = fopen(path, "re");
		if (!file)
			break;
		if (fscanf(file, "%9" SCNu64 "%c", &size, &unit) == 2)
			size <<= unit == 'K' ? 10 : unit == 'M' ? 20 : 0;
		fclose(file);
		if (size > most)
			most = size;
	}
	return most;
}

void verbs_shrink_begin(struct verbs_shrinking *shrinking, uint32_t shrink_ms)
{
	if (!shrink_ms)
		return;
	if (!shrinking->calm_ns)
		shrinking->calm_ns = shrink_ms * NS_A_MS;
	shrinking->burst_ns = verbs_now_ns(CLOCK_MONOTONIC_COARSE);
	shrinking->run = shrinking->peak = 0;
	shrinking->grows = false;
}

void verbs_shrink_note(struct verbs_shrinking *shrinking, uint64_t posted, unsigned completions, bool drained)
{
	shrinking->run += completions;
	if (shrinking->run > shrinking->peak)
		shrinking->peak = shrinking->run;
	if (shrinking->run > posted / BURST_SHARE) {
		shrinking->burst_ns = verbs_now_ns(CLOCK_MONOTONIC_COARSE);
		shrinking->peak = 0;
		shrinking->grows = true;
	}
	if (drained)
		shrinking->run = 0;
}

/* Receives whose frames, as long as the latest ones, fit in the part of the cache. */
static uint64_t least_of(const struct verbs *verbs, const struct verbs_queue *queue)
{
	uint64_t frame_bytes = queue->shrinking.frame_bytes ? queue->shrinking.frame_bytes : verbs->sizes.stride;

	if (verbs->tuning.least)
		return verbs->tuning.least;
	if (!verbs->cache_bytes)
		return verbs->sizes.depth;
	return verbs->cache_bytes / CACHE_SHARE / ((frame_bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE) / verbs->sizes.queues;
}

void verbs_shrink_end(struct verbs_shrinking *shrinking)
{
	shrinking->times++;
	if (shrinking->calm_ns <= MOST_CALM_NS / 2)
		shrinking->calm_ns *= 2;
}

bool verbs_shrink_leaves(const struct verbs *verbs, const struct verbs_queue *queue)
{
	const struct verbs_shrinking *shrinking = &queue->shrinking;
	uint64_t kept = (uint64_t)(queue->posted_count - 1) * verbs->sizes.block;

	if (!shrinking->calm_ns || shrinking->grows || kept < LEAST_BLOCKS * verbs->sizes.block || kept < SAFETY * shrinking->peak ||
	    kept < least_of(verbs, queue))
		return false;
	return verbs_now_ns(CLOCK_MONOTONIC_COARSE) - shrinking->burst_ns >= shrinking->calm_ns;
}
