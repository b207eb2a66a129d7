/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Problems found in a capture. Each finding comes from one rule with a threshold. The rules are a table; doc/stats.md describes them.
 */
#ifndef OUTPUT_STATS_FINDINGS_H
#define OUTPUT_STATS_FINDINGS_H

#include "output/stats/sampling.h"
#include "output/stats/stats.h"
#include "output/stats/stats_jobs.h"
#include "output/stats/stats_work.h"

struct line;

/* X(identifier, name) */
#define FINDING_WEIGHTS(X) X(ERROR, "error") X(WARNING, "warning") X(NOTE, "note")

enum finding_weight {
#define FINDING_WEIGHT_ENUM(identifier, name) FINDING_##identifier,
	FINDING_WEIGHTS(FINDING_WEIGHT_ENUM)
#undef FINDING_WEIGHT_ENUM
};

const char *finding_weight_name(enum finding_weight weight);

/* The objects that a rule is applied to. */
enum finding_scope { FINDING_CAPTURE, FINDING_CONNECTION, FINDING_DIRECTION, FINDING_RPC, FINDING_SAMPLING, FINDING_ONE_WAY,
		     FINDING_KIND, FINDING_REQUESTS, FINDING_WORK, FINDING_GROUP, FINDING_JOB };

/*
 * What a rule counts: an event of a direction, or occurrences in the object of its scope (struct stats, stats_rpc, stats_requests,
 * stats_work_row).
 */
struct finding_counts {
	uint8_t event;             /* enum stats_event; NO_EVENT: none */
	uint8_t cause;             /* that `look` is about: enum rtap_recovery, or enum stats_delay */
	size_t occurrences, total; /* 1 + offset of a struct stats_occurrences, and of the uint64_t that they are a part of; 0: none */
};

struct finding;

/* Meaning of time_ns and usual_ns of a finding: in words, and their JSON keys. */
struct finding_times {
	const char *words[2], *keys[2];
};

#define NO_EVENT STATS_EVENT_COUNT

struct finding_rule {
	const char *name;
	uint8_t weight, scope;     /* enum finding_weight, finding_scope */
	struct finding_counts counts;
	uint64_t least;            /* minimum count */
	unsigned permille;         /* minimum part of `of`; 0: any */
	const char *words;         /* name of the things counted */
	const char *of;            /* name of the whole that they are a part of; NULL: none */
	/* Sets count, of, times and frames for the finding's connection, direction or rpc. NULL: `counts` says all. */
	void (*look)(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);
	const struct finding_times *times; /* NULL: the longest latency and the median */
};

extern const struct finding_rule finding_rules[];
extern const unsigned finding_rule_count;

struct finding {
	const struct finding_rule *rule;
	uint64_t connection;       /* number; 0: none, or the connections that are counted together */
	int direction;             /* 0: a>b, 1: b>a; -1: both or none */
	const struct stats_rpc *rpc; /* NULL: does not concern a procedure */
	const struct stats_work_row *work; /* operations that it concerns; NULL: none in particular */
	const struct stats_group *group; /* hosts that it concerns; NULL: none in particular */
	const struct stats_job *job; /* that it concerns, only for `look`; NULL: none */
	const struct stats_job_host *host; /* its straggler, only for `look`; NULL: none */
	const char *layer;         /* static: of the job; NULL: does not concern one */
	uint8_t host_address[16];  /* a host that it concerns */
	uint8_t host_address_length; /* 0: none */
	bool is_certain;           /* of `host_address`: the host's own waits were captured */
	uint8_t kind;              /* enum rtap_message_kind; RTAP_KIND_COUNT: does not concern one */
	uint64_t count, of;        /* of: 0: not part of a whole */
	uint64_t lost_ns;          /* time lost, except that of `recovery`; 0: unknown */
	bool has_times;            /* the next two are known */
	int64_t first_ns, last_ns; /* times of first_frame and last_frame */
	bool has_begin;
	int64_t begin_ns;          /* with has_begin: time of the first event of a burst */
	const struct stats_recovery *recovery; /* recoveries that it concerns; NULL: none */
	uint8_t cause;             /* of `recovery`: enum rtap_recovery */
	int64_t asked_ns;          /* for RNR NAKs: total wait time that they requested from the direction */
	int64_t of_ns;             /* for `recovery`: duration of the direction, of which time was lost */
	const struct stats_shown *retries; /* retry parameters negotiated by CM; NULL: unknown or irrelevant */
	int64_t time_ns, usual_ns; /* as rule->times says; 0: none */
	uint64_t first_frame, last_frame; /* 0: unknown */
	uint64_t rank;             /* the count relative to the rule's threshold, in units of 1 / FINDING_RANK */
};

#define FINDING_RANK 1024
#define FINDINGS 200

/*
 * The worst findings, sorted by weight, then by time lost (of latencies: beyond the usual), then by the ratio to their threshold, then by
 * connection.
 */
struct findings {
	struct finding list[FINDINGS];
	unsigned count;
	uint64_t found;            /* all findings, including those not in the list */
	struct sampling sampling;
};

/* Time lost in nanoseconds; 0: none, or unknown. */
uint64_t finding_time_lost(const struct finding *found);

/* Time lost, for a finding with `recovery`: "3.42 s of 6.70 s lost to 6 timeouts". */
void finding_recovery_text(const struct finding *found, struct line *line);
/* Follows that text: ", 540 ms apart", timers and retry parameters, recoveries that may have another cause. May write nothing. */
void finding_recovery_details(const struct finding *found, struct line *line);

void findings_gather(struct findings *findings, const struct stats *stats);

#endif
