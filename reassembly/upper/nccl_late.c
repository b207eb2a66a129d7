/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/time_windows.h"
#include "reassembly/upper/nccl_late.h"

void nccl_late_note(struct nccl_late_list *list, struct nccl_late *late, const struct psn_stream *stream, uint32_t key, int64_t now_ns)
{
	nccl_late_forget(late);
	late->is_listed = true;
	late->stream = stream;
	if (key != late->keys[0])
		late->keys[1] = late->keys[0];
	late->keys[0] = key;
	late->time_ns = now_ns;
	LIST_INSERT_HEAD(list, late, link);
}

void nccl_late_forget(struct nccl_late *late)
{
	if (late->is_listed)
		LIST_REMOVE(late, link);
	late->is_listed = false;
}

struct nccl_late *nccl_late_next(const struct nccl_late_list *list, const struct nccl_late *late, int64_t now_ns)
{
	struct nccl_late *next = late ? LIST_NEXT(late, link) : LIST_FIRST(list), *after;

	for (; next && now_ns - next->time_ns >= GRACE_NS; next = after) {
		after = LIST_NEXT(next, link);
		nccl_late_forget(next);
	}
	return next;
}
