/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_VERBS_VERBS_ROUTE_H
#define CAPTURE_VERBS_VERBS_ROUTE_H

#include <stddef.h>

#include <rdmatap/live.h>

#include "capture/verbs/flow_rule.h"

/* The route to a host, or a joined multicast group, found by the RDMA connection manager. */
struct verbs_route;

/*
 * For options->peer: finds the device and port with a route to that host and appends two rules, for frames from and to its
 * address. For options->group: joins the group until verbs_route_close(), by IGMP or MLD if the connection manager does not.
 * `name` is the requested device, or ""; found[] is set to the device found, "DEVICE/PORT", which must match the requested one.
 * FAILED: *route is NULL.
 */
enum rtap_status verbs_route_open(struct verbs_route **route, const struct rtap_verbs_options *options, struct flow_rule *rules,
				  size_t *rule_count, const char *name, char *found, size_t found_size, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Reports how the group was joined, as live_operations.notes. The route may be NULL. */
void verbs_route_notes(const struct verbs_route *route, void (*take)(void *owner, const char *text), void *owner);

/* Leaves the group and frees. NULL is ignored. */
void verbs_route_close(struct verbs_route *route);

#endif
