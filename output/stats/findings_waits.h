/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef OUTPUT_STATS_FINDINGS_WAITS_H
#define OUTPUT_STATS_FINDINGS_WAITS_H

#include "output/stats/findings.h"

/* For finding_rule.look, with FINDING_JOB: also sets the host. */
void findings_waits_straggler(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);

/* With FINDING_REQUESTS: delays of the rule's kind (counts.cause: enum stats_delay), if they took 1 % of the time of the operations or more. */
void findings_waits_delay(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);

#endif
