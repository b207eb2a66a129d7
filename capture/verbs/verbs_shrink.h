/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many receives stay posted while few frames arrive. A ring that fits in the last-level cache is filled there by devices that write to
 * caches. Receives that are not posted before a burst cannot take its frames: they are left out only after a long time without
 * bursts, and all are posted again as soon as one is noticed.
 */
#ifndef CAPTURE_VERBS_VERBS_SHRINK_H
#define CAPTURE_VERBS_VERBS_SHRINK_H

#include "capture/verbs/verbs.h"

/* Size of the largest cache of a processor, from its folder of sysfs (".../cpu0/cache"). 0: unknown. */
uint64_t verbs_cache_bytes(const char *folder);

/* All receives are posted; shrink_ms 0: they stay so. */
void verbs_shrink_begin(struct verbs_shrinking *shrinking, uint32_t shrink_ms);

/* After each poll: completions found, and whether the queue was empty at its end. `posted`: receives posted. */
void verbs_shrink_note(struct verbs_shrinking *shrinking, uint64_t posted, unsigned completions, bool drained);

/* Some were left out, and a burst has all of them posted again: the next time, wait twice as long before leaving any out. */
void verbs_shrink_end(struct verbs_shrinking *shrinking);

/* Whether the next block is not posted, but left out, since fewer receives suffice. */
bool verbs_shrink_leaves(const struct verbs *verbs, const struct verbs_queue *queue);

#endif
