/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics of operations by client, server, file system, name, object or layer. Memory is limited: operations with further keys are
 * counted together.
 */
#ifndef OUTPUT_STATS_OPERATION_GROUPS_H
#define OUTPUT_STATS_OPERATION_GROUPS_H

#include <sys/queue.h>

#include <rdmatap/operation.h>

#include "base/map.h"
#include "dissect/engine/line.h"
#include "output/packet/clock.h"
#include "output/stats/histogram.h"
#include "output/stats/stats_table.h"

/* X(identifier, name) */
#define OPERATION_GROUPINGS(X) \
	X(CLIENT, "client") X(SERVER, "server") X(EXPORT, "export") X(NAME, "name") X(OBJECT, "object") X(LAYER, "layer")
#define OPERATION_BY(identifier, name) OPERATION_BY_##identifier,
enum operation_by { OPERATION_BY_NONE, OPERATION_GROUPINGS(OPERATION_BY) OPERATION_BY_COUNT };
#undef OPERATION_BY

/* NONE: no such name. "procedure" is another one for the name. */
enum operation_by operation_by_find(const char *name);

/* By time: the sum of latencies; by latency: the 99th percentile. */
enum operation_groups_sort { OPERATION_GROUPS_BY_TIME, OPERATION_GROUPS_BY_LATENCY, OPERATION_GROUPS_BY_BYTES, OPERATION_GROUPS_BY_COUNT };

struct operation_group {
	SLIST_ENTRY(operation_group) link;
	uint64_t rank, order;
	uint64_t count, failed, unanswered; /* unanswered: the response was not seen */
	uint64_t bytes;             /* of data, where known */
	uint64_t time_lost_us;
	int64_t time_ns, time_end_ns; /* of the first frame and of the last */
	struct histogram latencies; /* nanoseconds */
	bool is_known, is_rest;     /* it has a key; it has the operations for whose keys there was no memory */
	size_t length;
	char key[];
};

/* Zero-initialised, with `by` and `max_memory` set. */
struct operation_groups {
	enum operation_by by;
	uint64_t max_memory;        /* bytes */
	struct map map;
	SLIST_HEAD(, operation_group) all; /* the one added last comes first */
	struct operation_group *rest;
	uint64_t count, memory;
	struct histogram_memory values;
	uint64_t refused;           /* operations in `rest`, or without memory even for that */
};

void operation_groups_add(struct operation_groups *groups, const struct rtap_operation *operation);
void operation_groups_fini(struct operation_groups *groups);

/* The groups in an order, the largest first: an array on the heap, of groups->count elements. NULL: out of memory. */
const struct operation_group **operation_groups_sorted(struct operation_groups *groups, enum operation_groups_sort sort);

/* Begins a table and adds the groups as its rows. `times`: the form of the time of the first operation; NULL: it is not shown. */
void operation_groups_table(struct stats_table *table, const struct operation_groups *groups, const struct operation_group *const *sorted,
			    uint64_t count, const struct clock_listing *times);

/* A group as a JSON object and a newline (doc/json.md). */
void operation_group_json(const struct operation_groups *groups, const struct operation_group *group, struct line *line);

#endif
