/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finding and opening the device and port, querying capabilities.
 */
#ifndef CAPTURE_VERBS_VERBS_CONTEXT_H
#define CAPTURE_VERBS_VERBS_CONTEXT_H

#include <net/if.h>

#include "capture/verbs/verbs.h"

/* Bytes that this process may lock; 0: any number. */
uint64_t verbs_most_locked(void);

/* Sets the error to "NAME: WHAT: strerror (HINT)"; a NULL hint is chosen by errno. Always returns FAILED. */
enum rtap_status verbs_fail(const struct verbs *verbs, struct rtap_error *error, const char *what, int error_number, const char *hint);

/* Queues a message for the next receive to report. */
void verbs_report(struct verbs *verbs, const char *format, ...) __attribute__((format(printf, 2, 3)));
int64_t verbs_now_ns(int clock);

/* Opens the device and port `name` and queries their capabilities; allocates no buffers. */
enum rtap_status verbs_context_open(struct verbs *verbs, const char *name, const struct rtap_live_options *options,
				    struct rtap_error *error) __attribute__((warn_unused_result));

/* The device's NUMA node; -1: unknown or none. */
int verbs_numa_node(const struct verbs *verbs);

/* MTU of the port's network interface; 0: unknown. */
uint32_t verbs_netdev_mtu(const struct verbs *verbs);

/* The network interface of a port: that of its first GID, or the only one of its hardware. False: none is known. */
bool verbs_netdev(const struct ibv_context *context, unsigned port, char name[IF_NAMESIZE]) __attribute__((warn_unused_result));

/* Updates device_drops. */
void verbs_read_drops(struct verbs *verbs);

#endif
