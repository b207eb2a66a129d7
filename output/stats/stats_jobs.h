/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Jobs: hosts that send data to each other, directly or through others, in operations of one layer that attributes delays to an end. The
 * straggler is the host of a job whose own delays hold up the others.
 */
#ifndef OUTPUT_STATS_STATS_JOBS_H
#define OUTPUT_STATS_STATS_JOBS_H

#include "output/stats/stats_waits.h"

/* Communication pattern of a job. X(identifier, name) */
#define STATS_SHAPES(X) \
	X(PAIR, "pair") X(RING, "ring") /* in one direction or both */ \
	X(RING_PART, "part of a ring") /* each sends to one other and receives from another, but they form no closed ring */ \
	X(TREE, "tree") X(TREES, "two trees") X(MESH, "all to all") X(OTHER, "other")
#define STATS_SHAPE_ENUM(identifier, name) STATS_SHAPE_##identifier,
enum stats_shape { STATS_SHAPES(STATS_SHAPE_ENUM) STATS_SHAPE_COUNT };
#undef STATS_SHAPE_ENUM

const char *stats_shape_name(enum stats_shape shape);

struct stats_job_host {
	uint8_t address[16];
	uint8_t address_length;
	unsigned job;               /* index */
	unsigned senders, receivers, neighbours; /* hosts that send to it; to which it sends; either */
	uint64_t received, sent, received_bytes, sent_bytes;
	int64_t kept_ns[2];         /* delays caused by it, as requester and as responder */
	int64_t own_ns, delayed_ns; /* its own, in sum: the greater of those as requester and as responder; of its delayed operations, likewise */
	bool is_partner;            /* a straggler that can have further links: that it was captured itself is not certain */
	struct stats_own own[2];
};

struct stats_job {
	const char *layer;          /* static */
	unsigned hosts, links;
	enum stats_shape shape;
	struct stats_waits waits;   /* of all links; except STATS_DELAY_ALL: of the link with the longest pauses */
	int straggler;              /* index of the host with most own delays: half of all, or of the notable ones, or more, and a notable one; -1: none */
	int64_t own_ns, delayed_ns; /* of all hosts */
};

/* Zero-initialised: no jobs. */
struct stats_jobs {
	struct stats_job *jobs;
	unsigned job_count;
	struct stats_job_host *hosts;
	unsigned host_count;
};

/* False: out of memory. */
bool stats_jobs_init(struct stats_jobs *jobs, const struct stats *stats) __attribute__((warn_unused_result));
void stats_jobs_fini(struct stats_jobs *jobs);

/* Whether the straggler did not wait itself in any of its delays; otherwise the cause of its waits may not have been captured. */
bool stats_job_host_is_certain(const struct stats_job_host *host);

#endif
