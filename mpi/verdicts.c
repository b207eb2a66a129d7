/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/array.h"
#include "cli/reader.h"
#include "mpi/exchange.h"
#include "mpi/order.h"
#include "mpi/ranks.h"
#include "mpi/totals.h"
#include "mpi/verdicts.h"
#include "output/check/violation.h"
#include "reassembly/tracker.h"

/* A violation of any rank. */
struct verdict {
	uint64_t found_at;        /* frame whose packet showed it; UINT64_MAX: the end */
	uint32_t rank, index;     /* in the list of its rank */
	struct violation violation;
};

struct verdicts {
	struct exchange *exchange;
	int rank, size;
	struct order connections;
	uint64_t *found_at;       /* of the violations of this rank */
	size_t count, room;
	uint64_t frame;           /* after which the last ones were found */
};

bool verdicts_can_keep(const struct options *options)
{
	return !options->check.assertions.count;
}

struct verdicts *verdicts_create(struct exchange *exchange)
{
	struct verdicts *verdicts = calloc(1, sizeof *verdicts);

	if (!verdicts)
		return NULL;
	verdicts->exchange = exchange;
	MPI_Comm_rank(MPI_COMM_WORLD, &verdicts->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &verdicts->size);
	return verdicts;
}

void verdicts_destroy(struct verdicts *verdicts)
{
	if (!verdicts)
		return;
	order_fini(&verdicts->connections);
	free(verdicts->found_at);
	free(verdicts);
}

/* Notes the connections that were created since. */
static void note_connections(struct verdicts *verdicts, const struct rtap_tracker *tracker, uint64_t frame)
{
	while (verdicts->connections.count < tracker_connections(tracker))
		if (!order_add(&verdicts->connections, frame))
			ranks_lack_memory();
}

static void took(void *owner, const struct rtap_tracker *tracker, const struct rtap_frame *frame)
{
	note_connections(owner, tracker, frame->number);
}

/* Notes the violations that were found since, with the packet of a frame. */
static void note_violations(void *owner, const struct violations *violations, uint64_t frame)
{
	struct verdicts *verdicts = owner;

	while (verdicts->count < violations->count) {
		uint64_t *found_at = array_grow(verdicts->found_at, &verdicts->room, verdicts->count + 1, sizeof *found_at);

		if (!found_at)
			ranks_lack_memory();
		verdicts->found_at = found_at;
		found_at[verdicts->count++] = frame;
	}
}

static const char too_many[] = "too many violations for so many ranks (lower --top or start fewer ranks, with --threads)";

/* The list of this rank, for rank 0. */
static struct verdict *list(struct verdicts *verdicts, const struct violations *violations)
{
	struct verdict *list = ranks_get(violations->count, sizeof *list);

	for (size_t i = 0; i < violations->count; i++) {
		list[i] = (struct verdict){ .found_at = verdicts->found_at[i],
					    .rank = (uint32_t)verdicts->rank,
					    .index = (uint32_t)i,
					    .violation = violations->list[i] };
		list[i].violation.connection = order_find(&verdicts->connections, list[i].violation.connection);
	}
	return list;
}

static int compare(const void *one, const void *other)
{
	const struct verdict *a = one, *b = other;

	if (a->found_at != b->found_at)
		return a->found_at < b->found_at ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Replaces the list by the first violations of each rule of all ranks. */
static void take(struct violations *violations, struct verdict *all, size_t count)
{
	qsort(all, count, sizeof *all, compare);
	violations->count = 0;
	memset(violations->kept, 0, sizeof violations->kept);
	for (size_t i = 0; i < count; i++) {
		/* a rule of another rank could be any number */
		if ((unsigned)all[i].violation.rule >= CHECK_RULE_COUNT)
			continue;
		all[i].violation.culprit[VIOLATION_CULPRIT - 1] = all[i].violation.seen[VIOLATION_SEEN - 1] = '\0';
		violations_add(violations, &all[i].violation);
	}
}

/* Collective: the violations of all ranks; rank 0 has them. */
static void gather(void *owner, struct reader *reader, const struct rtap_tracker *tracker, struct violations *violations)
{
	struct verdicts *verdicts = owner;
	int own, *sizes = ranks_get(2 * (size_t)verdicts->size, sizeof *sizes);
	uint64_t counts[CHECK_RULE_COUNT + 1], sums[CHECK_RULE_COUNT + 1];
	struct verdict *found, *all;
	size_t total = 0;

	exchange_serve(verdicts->exchange);
	note_connections(verdicts, tracker, INT64_MAX);
	note_violations(verdicts, violations, UINT64_MAX);
	if (!order_number(&verdicts->connections))
		ranks_lack_memory();
	found = list(verdicts, violations);
	own = ranks_count(violations->count * sizeof *found, too_many);
	MPI_Gather(&own, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; i < verdicts->size; i++) {
		sizes[verdicts->size + i] = ranks_count(total, too_many);
		total += (size_t)sizes[i];
	}
	all = ranks_get(total, 1);
	MPI_Gatherv(found, own, MPI_BYTE, all, sizes, sizes + verdicts->size, MPI_BYTE, 0, MPI_COMM_WORLD);
	memcpy(counts, violations->counts, sizeof violations->counts);
	counts[CHECK_RULE_COUNT] = violations->refused;
	MPI_Allreduce(counts, sums, CHECK_RULE_COUNT + 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (!verdicts->rank)
		take(violations, all, total / sizeof *all);
	memcpy(violations->counts, sums, sizeof violations->counts);
	violations->refused = sums[CHECK_RULE_COUNT];
	free(all);
	free(found);
	free(sizes);
	totals_share(reader, tracker);
}

void verdicts_set_feed(struct verdicts *verdicts, struct feed *set)
{
	set->took = took;
	set->found = note_violations;
	set->gather = gather;
	set->owner = verdicts;
}
