/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow rules in the device's format.
 */
#ifndef CAPTURE_VERBS_VERBS_FLOW_H
#define CAPTURE_VERBS_VERBS_FLOW_H

#include "capture/verbs/verbs.h"

/* Determines the rules from those in verbs->rules, the options and the capture filter (NULL: none). */
enum rtap_status verbs_flow_choose(struct verbs *verbs, const struct rtap_verbs_options *options, const char *filter,
				   struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Reports how the capture filter was offloaded, as live_operations.notes. */
void verbs_flow_notes(const struct verbs *verbs, void (*take)(void *owner, const char *text), void *owner);

/* Creates the rules on the device, so that frames arrive. */
enum rtap_status verbs_flow_create(struct verbs *verbs, struct rtap_error *error) __attribute__((warn_unused_result));

/* Size in bytes of a rule with the maximum number of specs. */
#define VERBS_FLOW_BYTES 1024

/* Encodes the rule for ibv_create_flow() at `attr`, which must be aligned. False: specs cannot express it. */
bool verbs_flow_encode(const struct flow_rule *rule, struct ibv_flow_attr *attr);

#endif
