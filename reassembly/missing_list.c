/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "base/array.h"
#include "reassembly/missing_list.h"

void missing_list_add(struct missing_list *list, struct rtap_missing item)
{
	struct rtap_missing *last = list->count ? &list->items[list->count - 1] : NULL;

	if (item.length_known && !item.length)
		return;
	if (last && last->reason == item.reason && last->length_known && item.length_known && last->offset + last->length == item.offset) {
		last->length += item.length;
		return;
	}
	if (list->count == list->room) {
		struct rtap_missing *larger = array_reserve(list->items, &list->room, list->count + 1, 4, UINT32_MAX, sizeof *larger);

		if (!larger) {
			list->failed = true;
			return;
		}
		list->items = larger;
	}
	list->items[list->count++] = item;
}

/* A hole from `begin` to `end`: some parts truncated by the capture, others missing. *next: the first run of `cut` that may end after `begin`. */
static void add_hole(struct missing_list *list, const struct coverage *cut, uint32_t *next, uint64_t begin, uint64_t end)
{
	const struct coverage_run *cuts = coverage_runs(cut);

	for (; *next < cut->count && cuts[*next].begin < end; ++*next) {
		const struct coverage_run *run = &cuts[*next];
		uint64_t cut_begin = run->begin > begin ? run->begin : begin, cut_end = run->end < end ? run->end : end;

		if (cut_begin >= cut_end)
			continue;
		if (begin < cut_begin)
			missing_list_add(list, (struct rtap_missing){ begin - list->origin, cut_begin - begin, true, list->reason });
		missing_list_add(list, (struct rtap_missing){ cut_begin - list->origin, cut_end - cut_begin, true, RTAP_MISSING_SNAPPED });
		begin = cut_end;
		if (run->end > end)
			break;
	}
	if (begin < end)
		missing_list_add(list, (struct rtap_missing){ begin - list->origin, end - begin, true, list->reason });
}

void missing_list_add_holes(struct missing_list *list, const struct coverage *data, const struct coverage *cut,
			    uint64_t begin, uint64_t end)
{
	const struct coverage_run *runs = coverage_runs(data);
	uint32_t next = coverage_find(cut, begin);

	for (uint32_t i = 0; i < data->count && begin < end; i++) {
		if (runs[i].begin > begin)
			add_hole(list, cut, &next, begin, runs[i].begin < end ? runs[i].begin : end);
		if (runs[i].end > begin)
			begin = runs[i].end;
	}
	if (begin < end)
		add_hole(list, cut, &next, begin, end);
}

bool missing_list_has_hole(const struct coverage *data, uint64_t end)
{
	const struct coverage_run *runs = coverage_runs(data);
	uint64_t at = 0;

	for (uint32_t i = 0; i < data->count && at < end && runs[i].begin <= at; i++)
		at = runs[i].end > at ? runs[i].end : at;
	return at < end;
}
