/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of the standards above.
 */
#ifndef OUTPUT_CHECK_RPCRDMA_RULES_H
#define OUTPUT_CHECK_RPCRDMA_RULES_H

#define RPCRDMA_RULES(X)

struct subject;

void rpcrdma_rules_packet(struct subject *subject);

#endif
