/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What looks wrong in a capture: each finding by one rule with a threshold. The rules are a table; doc/stats.md tells them.
 */
#ifndef OUTPUT_STATS_FINDINGS_H
#define OUTPUT_STATS_FINDINGS_H

#include "output/stats/sampling.h"
#include "output/stats/stats.h"

struct line;

/* X(identifier, name) */
#define FINDING_WEIGHTS(X) X(ERROR, "error") X(WARNING, "warning") X(NOTE, "note")

enum finding_weight {
#define FINDING_WEIGHT_ENUM(identifier, name) FINDING_##identifier,
	FINDING_WEIGHTS(FINDING_WEIGHT_ENUM)
#undef FINDING_WEIGHT_ENUM
};

const char *finding_weight_name(enum finding_weight weight);

/* What a rule looks at one by one. */
enum finding_scope { FINDING_CAPTURE, FINDING_CONNECTION, FINDING_DIRECTION, FINDING_RPC, FINDING_SAMPLING, FINDING_KIND };

struct finding;

struct finding_rule {
	const char *name;
	uint8_t weight, scope;     /* enum finding_weight, finding_scope */
	uint8_t event;             /* enum stats_event that is counted, with FINDING_DIRECTION and no `look` */
	uint64_t least;            /* the count that it takes */
	unsigned permille;         /* and the part of `of` that it takes; 0: any */
	const char *words;         /* what is counted */
	const char *of;            /* what it is a part of; NULL: of nothing */
	/* Fills count, of, times and frames of what the finding's connection, direction or rpc names. NULL: `event` is counted. */
	void (*look)(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);
};

extern const struct finding_rule finding_rules[];
extern const unsigned finding_rule_count;

struct finding {
	const struct finding_rule *rule;
	uint64_t connection;       /* number; 0: none, or those that are counted together */
	int direction;             /* 0: a>b, 1: b>a; -1: both or none */
	const struct stats_rpc *rpc; /* NULL: not of a procedure */
	uint8_t kind;              /* enum rtap_message_kind; RTAP_KIND_COUNT: not of one */
	uint64_t count, of;        /* of: 0: nothing that it is a part of */
	uint64_t lost_ns;          /* time that it took; 0: not known */
	bool has_begin;
	int64_t begin_ns;          /* of a burst, when the first of it was: with has_begin */
	const struct stats_recovery *recovery; /* that it is about; NULL: none */
	uint8_t cause;             /* of those: enum rtap_recovery */
	int64_t asked_ns;          /* to wait, by all RNR NAKs to the direction: with a recovery from them */
	int64_t of_ns;             /* of which their time was lost: how long the direction was there */
	const struct stats_shown *retries; /* what communication management agreed on; NULL: not known, or of no interest */
	int64_t time_ns, usual_ns; /* of latencies: the longest, and the usual one; 0: none */
	uint64_t first_frame, last_frame; /* 0: not known */
	uint64_t rank;             /* the count, in parts of FINDING_RANK of what the rule takes */
};

#define FINDING_RANK 1024
#define FINDINGS 200

/* The worst, in order: by weight, then by how often they are over their threshold, then by connection. */
struct findings {
	struct finding list[FINDINGS];
	unsigned count;
	uint64_t found;            /* with those that found no room */
	struct sampling sampling;
};

/* What recoveries cost, of a finding that has `recovery`: "3.42 s of 6.70 s lost to 6 timeouts, 540 ms apart". */
void finding_recovery_text(const struct finding *found, struct line *line);

void findings_gather(struct findings *findings, const struct stats *stats);

#endif
