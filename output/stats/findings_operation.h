/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Evaluation of the rules about operations of upper layers.
 */
#ifndef OUTPUT_STATS_FINDINGS_OPERATION_H
#define OUTPUT_STATS_FINDINGS_OPERATION_H

#include "output/stats/findings.h"

/* For finding_rule.look, with FINDING_REQUESTS. */
void findings_operation_credit_waits(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);
void findings_operation_reconnects(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);
void findings_operation_not_inline(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);
void findings_operation_slow_device(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);
void findings_operation_slow_network(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);

/* With FINDING_WORK. */
void findings_operation_latency(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);

/* With FINDING_GROUP: they set the connection, too. */
void findings_operation_missed(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);
void findings_operation_uneven(const struct stats *stats, const struct stats_connection *connection, struct finding *finding);

#endif
