/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waiting, and asynchronous events of the device.
 */
#ifndef CAPTURE_VERBS_VERBS_EVENT_H
#define CAPTURE_VERBS_VERBS_EVENT_H

#include "capture/verbs/verbs.h"

/* Waits up to timeout_ms for a completion and processes asynchronous events. */
enum rtap_status verbs_event_wait(struct verbs *verbs, unsigned timeout_ms, struct rtap_error *error) __attribute__((warn_unused_result));

/* Processes the asynchronous events that are there. FAILED: the device is gone or reported a fatal error. */
enum rtap_status verbs_event_look(struct verbs *verbs, struct rtap_error *error) __attribute__((warn_unused_result));

/* Acknowledges completion events. */
void verbs_event_settle(struct verbs *verbs);

/* Invalidates in verbs->devices what the device reported as changed: live_operations.at_read. */
void verbs_event_hand_on(struct live_device *device);

/*
 * Whether the queue pair is in the error state, or its state cannot be queried. An event can be older than the last repair, so it does not
 * prove a failure.
 */
bool verbs_qp_has_failed(const struct verbs *verbs);

#endif
