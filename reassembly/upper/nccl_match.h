/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Announced memory of all connections, by key: a WRITE of data can be on another connection than its announcement.
 */
#ifndef REASSEMBLY_UPPER_NCCL_MATCH_H
#define REASSEMBLY_UPPER_NCCL_MATCH_H

#include "base/multimap.h"
#include "reassembly/state.h"

/* Memory of a transfer. */
struct nccl_memory_link {
	struct multimap_link same;   /* with the same key */
	struct region *region;       /* NULL: it is not in the index */
	bool is_filled;              /* its transfer has all its data */
};

/* Whether a WRITE can have data of the transfer of a range. */
enum nccl_fit {
	NCCL_FITS_NOT,
	NCCL_FITS_AFTER,             /* it is empty and after the range */
	NCCL_FITS,
	NCCL_IS_NEXT,                /* it can, and it follows the transfer's data, or the end of the transfer before, on its queue pair */
};

/* An empty index. */
void nccl_match_init(struct multimap *index);

/* Adds the memory as the newest. False: out of memory. */
bool nccl_match_add(struct multimap *index, struct nccl_memory_link *link, struct region *region) __attribute__((warn_unused_result));

/* Removes the memory, if it is in the index. */
void nccl_match_remove(struct multimap *index, struct nccl_memory_link *link);

/*
 * The memory that a WRITE fills. Announced ranges can overlap, since more is announced than is sent, and can be announced again: the result is the
 * range announced last at exactly this address; otherwise the range that begins closest before it, preferably an unfilled one. An empty WRITE is one
 * queue pair's part of data that has too few bytes for all of them, and can be after the range: it belongs where `fit` is NCCL_IS_NEXT. NULL: none.
 */
struct region *nccl_match_find(const struct multimap *index, const struct message *message,
			       enum nccl_fit (*fit)(const struct region *region, const struct message *message));

#endif
