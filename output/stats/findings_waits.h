/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef OUTPUT_STATS_FINDINGS_WAITS_H
#define OUTPUT_STATS_FINDINGS_WAITS_H

#include "output/stats/findings.h"

/* For finding_rule.look, with FINDING_JOB: also sets the host. */
void findings_waits_straggler(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);

/* With FINDING_REQUESTS: delays that took 1 % of the time of the operations or more. */
void findings_waits_network(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);
void findings_waits_receiver(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);
void findings_waits_sender(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);

#endif
