/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of rdmatap top: connections with their rates, and the latest operations of each.
 */
#ifndef CLI_TOP_MODEL_H
#define CLI_TOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/tracker.h>

#include "output/stats/stats.h"

#define TOP_OPERATIONS 2048 /* number of latest operations kept, of all connections */
#define TOP_LINE 160
#define TOP_FILTER 64

/* Orders; the largest first, connections by number. X(identifier, key, title) */
#define TOP_SORTS(X) \
	X(RATE, 'b', "rate") X(LATENCY, 'l', "latency") X(TIME_LOST, 't', "time lost") X(RETRANSMISSIONS, 'r', "retransmissions") \
	X(CNPS, 'c', "CNPs") X(PACKETS, 'p', "packets") X(NUMBER, 'n', "number")

enum top_sort {
#define TOP_SORT_ENUM(identifier, key, title) TOP_SORT_##identifier,
	TOP_SORTS(TOP_SORT_ENUM)
#undef TOP_SORT_ENUM
	TOP_SORT_COUNT
};

struct top_row {
	uint64_t number;             /* of the connection */
	uint64_t packets, bytes;     /* so far */
	uint64_t rate;               /* bytes per second, since the last refresh */
	uint64_t packet_rate;
	uint64_t latency_ns;         /* p99 of messages or RPCs of the slower direction; 0: unknown */
	uint64_t time_lost_ns, retransmissions, naks, cnps;
	char service[24], ends[100]; /* printable ASCII */
};

/* The line of an operation or, of connections without any, a message. */
struct top_operation {
	uint64_t connection;
	bool is_message;
	char text[TOP_LINE];         /* printable ASCII */
};

struct top_model {
	struct top_row *rows;        /* those that pass the filter, sorted */
	size_t count, room;
	uint64_t connections;        /* all of them */
	enum top_sort sort;
	char filter[TOP_FILTER];     /* part of the service or the ends; empty: all */
	struct top_row *before;      /* all of them, of the last refresh, by number */
	size_t before_count;
	int64_t before_ns;
	struct top_operation *operations; /* a ring */
	uint64_t operation_count;    /* so far */
};

/* False: out of memory. */
bool top_model_init(struct top_model *model);
void top_model_fini(struct top_model *model);

/* Updates the rows; rates cover the time since the last refresh at another time. `now_ns`: by the clock of the display. */
void top_model_refresh(struct top_model *model, const struct stats *stats, int64_t now_ns);

/* Sorts and filters the rows of the last refresh again. */
void top_model_arrange(struct top_model *model);

void top_model_operation(struct top_model *model, const struct rtap_operation *operation);
void top_model_message(struct top_model *model, const struct rtap_message *message);

/* Merges two connections that were found to be one; as `merged` in rdmatap/tracker.h. */
void top_model_merge(struct top_model *model, uint64_t from, uint64_t into);

/* The latest operations of a connection, or its messages if there are none, at most `most`, the newest first. Returns their number. */
size_t top_model_latest(const struct top_model *model, uint64_t connection, const struct top_operation **found, size_t most);

#endif
