/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC messages, and packets that set connections up, for the report.
 */
#ifndef OUTPUT_REPORT_REPORT_CALLS_H
#define OUTPUT_REPORT_REPORT_CALLS_H

#include "output/report/report.h"

/* The tracker's callback. */
void report_message(struct report *report, const struct rtap_message *message);

/* Notes a packet that sets a connection up or ends it. */
void report_signal(struct report *report, const struct rtap_packet *packet);

#endif
