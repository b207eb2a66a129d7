/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow rules as the device wants them.
 */
#ifndef CAPTURE_VERBS_VERBS_FLOW_H
#define CAPTURE_VERBS_VERBS_FLOW_H

#include "capture/verbs/verbs.h"

/* Chooses the rules, of those in verbs->rules, those of the options, and the capture filter (NULL: none). */
enum rtap_status verbs_flow_choose(struct verbs *verbs, const struct rtap_verbs_options *options, const char *filter,
				   struct rtap_error *error)
	__attribute__((warn_unused_result));

/* What became of the capture filter, as live_operations.notes. */
void verbs_flow_notes(const struct verbs *verbs, void (*take)(void *owner, const char *text), void *owner);

/* Asks for the frames. */
enum rtap_status verbs_flow_create(struct verbs *verbs, struct rtap_error *error) __attribute__((warn_unused_result));

/* Room for a rule with the most specs there can be, as bytes. */
#define VERBS_FLOW_BYTES 1024

/* The rule as ibv_create_flow() takes it, at `attr`, which is aligned for it. False: it says what no spec can. */
bool verbs_flow_encode(const struct flow_rule *rule, struct ibv_flow_attr *attr);

#endif
