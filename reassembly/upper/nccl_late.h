/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Directions of connections of NCCL with WRITEs that fill no announced memory. Their announcement can be captured after them.
 */
#ifndef REASSEMBLY_UPPER_NCCL_LATE_H
#define REASSEMBLY_UPPER_NCCL_LATE_H

#include "reassembly/state.h"

/* Of a direction of a connection. All zero: it has none. */
struct nccl_late {
	LIST_ENTRY(nccl_late) link;
	bool is_listed;
	const struct psn_stream *stream;
	uint32_t keys[2];            /* of the last such WRITE; of the last one with another key: an end that is apart from its data */
	int64_t time_ns;             /* when the last one was captured */
};

/* The newest first. */
LIST_HEAD(nccl_late_list, nccl_late);

/* A WRITE of the stream fills no known memory. */
void nccl_late_note(struct nccl_late_list *list, struct nccl_late *late, const struct psn_stream *stream, uint32_t key, int64_t now_ns);

/* Call before the connection or `late` ceases to exist. */
void nccl_late_forget(struct nccl_late *late);

/* The direction after `late`; NULL: the first. Removes those whose WRITEs are too long ago. NULL: no more. */
struct nccl_late *nccl_late_next(const struct nccl_late_list *list, const struct nccl_late *late, int64_t now_ns);

#endif
