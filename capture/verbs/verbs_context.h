/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finding and opening the device, its port, what it can do.
 */
#ifndef CAPTURE_VERBS_VERBS_CONTEXT_H
#define CAPTURE_VERBS_VERBS_CONTEXT_H

#include "capture/verbs/verbs.h"

/* Writes "NAME: WHAT: ERRNO'S TEXT (HINT)"; a hint that is NULL is chosen by errno. Always FAILED. */
enum rtap_status verbs_fail(const struct verbs *verbs, struct rtap_error *error, const char *what, int error_number, const char *hint);

/* Something worth telling, by the next receive. */
void verbs_tell(struct verbs *verbs, const char *format, ...) __attribute__((format(printf, 2, 3)));
int64_t verbs_now_ns(int clock);

/* Opens the device and port that `name` says and asks what they can do; without effect on memory. */
enum rtap_status verbs_context_open(struct verbs *verbs, const char *name, const struct rtap_live_options *options,
				    struct rtap_error *error) __attribute__((warn_unused_result));

/* Its NUMA node; -1: not known, or there are none. */
int verbs_numa_node(const struct verbs *verbs);

/* The largest MTU of its network interfaces; 0: not known. */
uint32_t verbs_netdev_mtu(const struct verbs *verbs);

/* Brings device_drops up to date. */
void verbs_read_drops(struct verbs *verbs);

#endif
