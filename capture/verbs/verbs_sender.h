/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sending on a raw-packet queue pair.
 */
#ifndef CAPTURE_VERBS_VERBS_SENDER_H
#define CAPTURE_VERBS_VERBS_SENDER_H

#include "capture/verbs/verbs.h"

/* verbs_sender.c */
enum rtap_status verbs_sender_open(struct rtap_sender **sender, const char *name, struct rtap_error *error)
	__attribute__((warn_unused_result));

#endif
