/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations of upper layers (rdmatap/operation.h): by layer and name, size, object, connection and pair of hosts. No layer is known by
 * name here. Memory is limited: further names and objects are counted together, as "others".
 */
#ifndef OUTPUT_STATS_STATS_WORK_H
#define OUTPUT_STATS_STATS_WORK_H

#include <sys/queue.h>

#include <rdmatap/operation.h>

#include "base/map.h"
#include "output/stats/stats.h"
#include "output/stats/stats_waits.h"

/* Upper limits of the size classes in bytes. X(identifier, limit, name) */
#define STATS_SIZES(X) \
	X(4K, UINT64_C(4096), "up to 4 KiB") X(16K, UINT64_C(16384), "up to 16 KiB") X(64K, UINT64_C(65536), "up to 64 KiB") \
	X(256K, UINT64_C(262144), "up to 256 KiB") X(1M, UINT64_C(1048576), "up to 1 MiB") X(MORE, UINT64_MAX, "more")
#define STATS_SIZE_ENUM(identifier, limit, name) STATS_SIZE_##identifier,
enum stats_size { STATS_SIZES(STATS_SIZE_ENUM) STATS_SIZE_COUNT };
#undef STATS_SIZE_ENUM

/* Parts of an operation's time. X(identifier, JSON key, column of text) */
#define STATS_PARTS(X) \
	X(BEFORE, "to_first_data", "to data") /* from the request to the first data */ \
	X(DATA, "data_time", "data") /* from the first to the last data */ \
	X(AFTER, "to_response", "to resp.") /* from the last data to the response */
#define STATS_PART_ENUM(identifier, key, name) STATS_PART_##identifier,
enum stats_part { STATS_PARTS(STATS_PART_ENUM) STATS_PART_COUNT };
#undef STATS_PART_ENUM

const char *stats_work_size_name(enum stats_size size);

/* The limit in bytes; UINT64_MAX: none. */
uint64_t stats_work_size_limit(enum stats_size size);

/* Operations counted together. */
struct stats_work {
	uint64_t count;
	uint64_t completed;         /* with a response */
	uint64_t unanswered;        /* without a response, though the layer requires one */
	uint64_t failed;            /* with a status that is an error */
	uint64_t incomplete;        /* bytes of the request, the response or the data are missing from the capture */
	uint64_t bytes;             /* of the objects: lengths of the operations, otherwise data bytes */
	uint64_t data_bytes[RTAP_CARRIED_COUNT]; /* moved, by carrier */
	uint64_t repeats, time_lost_us;
	struct histogram latency_ns;
	uint64_t slowest_frame, slowest_connection; /* its request */
};

/* Operations of one size class. */
struct stats_sized {
	uint64_t count, bytes;
	struct histogram latency_ns;
};

/* Operations with one name, or on one object. */
struct stats_work_row {
	struct stats_work work;
	const char *layer;          /* static; NULL: of all layers (others) */
	uint64_t hash;
	struct stats_occurrences overdue; /* without a response, at least one second before the end of the capture */
	struct stats_occurrences failures;
	/* The rest only by name. */
	struct histogram parts_ns[STATS_PART_COUNT];
	struct stats_sized *sizes[STATS_SIZE_COUNT]; /* NULL: none */
	SLIST_HEAD(, stats_work_status) statuses; /* of errors, in the order of their first; at most STATS_STATUSES */
	unsigned status_count;
	uint64_t other_statuses;
	char name[];                /* null-terminated; empty: unknown */
};

#define STATS_STATUS_TEXT 64

struct stats_work_status {
	SLIST_ENTRY(stats_work_status) link;
	struct stats_occurrences occurrences;
	char name[STATS_STATUS_TEXT];
};

/* Rows by layer and text. */
struct stats_work_table {
	struct map map;
	struct stats_work_row **rows;   /* in order of first appearance */
	size_t count, room;
	struct stats_work_row *last;    /* the one found last */
	struct stats_work_row *others;  /* NULL: none */
};

#define STATS_NAMES 512
#define STATS_OBJECTS 4096
#define STATS_OBJECT_TEXT 512   /* longer ones are cut off */
#define STATS_GROUPS 256

/* Operations between two hosts, of one layer: those of one session can be on several connections. */
struct stats_group {
	const char *layer;          /* static */
	uint8_t addresses[2][16];   /* of the requester and the responder */
	uint8_t address_length;
	uint64_t connection;        /* with the keep-alives; else the first one */
	int64_t last_ns;            /* of the latest request or response */
	uint64_t last_frame;        /* of the latest request */
	int64_t keep_alive_ns;      /* the timeout that requester and responder agreed on; 0: unknown, or none */
	struct stats_occurrences missed; /* times without any request for longer than the timeout; frames: the requests before and after */
	int64_t gap_ns;             /* the longest of these times */
};

/* Operations that took, or waited, too long. */
struct stats_slow {
	struct stats_occurrences occurrences;
	int64_t time_ns;            /* in sum */
	int64_t longest_ns;
};

#define STATS_SLOW_NS INT64_C(50000000)

/* Operations that one end of a connection requested. Occurrences have the frames of requests. */
struct stats_requests {
	struct stats_work work;
	const char *layer;          /* static */
	struct stats_group *group;  /* NULL: out of memory */
	bool has_controller, has_queue;
	uint32_t queue, controller;
	uint32_t depth;             /* the most requests without a response; 0: unknown */
	uint64_t part_count;        /* operations with the next three */
	int64_t part_ns[STATS_PART_COUNT];
	struct stats_occurrences overdue, keep_alives_overdue, aborts, aborted, device_errors;
	struct stats_occurrences not_inline; /* writes whose data could have been in the request */
	uint64_t inline_writes;     /* writes of devices with their data in the request */
	struct stats_slow slow_device, slow_network;
	struct stats_slow credit_waits; /* that waited for credits of the other end */
	struct stats_occurrences last_credits; /* after which no credit was left */
	struct stats_waits *waits;  /* NULL: the layer does not attribute delays */
	struct stats_link *link;    /* the delays of this pair of hosts; NULL: none, or too many pairs */
};

/* All members zero: no operations. */
struct stats_operation_tables {
	struct stats_work_table names, objects;
	struct stats_group *groups[STATS_GROUPS];
	unsigned group_count;
	struct stats_link *links[STATS_LINKS];
	unsigned link_count;
	uint64_t uncounted;         /* operations in others, or in no row for lack of memory */
};

/* All empty if there are none. */
const struct stats_operation_tables *stats_work_tables(const struct stats *stats);

/* Adds the requests of a connection that was merged into another. */
void stats_work_merge(struct stats *stats, struct stats_direction *into, struct stats_direction *from);

void stats_work_destroy(struct stats *stats, struct stats_direction *direction);
void stats_work_fini(struct stats *stats);

/* Bytes of a row whose name has this length. */
size_t stats_work_row_size(size_t length);

#endif
