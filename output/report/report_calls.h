/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPCs, operations of other layers, and packets that set up or end connections, for the report.
 */
#ifndef OUTPUT_REPORT_REPORT_CALLS_H
#define OUTPUT_REPORT_REPORT_CALLS_H

#include "output/report/report.h"

/* The tracker's callback. */
void report_message(struct report *report, const struct rtap_message *message);

/* The tracker's callback. Those with RTAP_OPERATION_COSTLY are RPCs, which report_message() records. */
void report_calls_operation(struct report *report, const struct rtap_operation *operation);

/* Records a packet that sets up or ends a connection. */
void report_signal(struct report *report, const struct rtap_packet *packet);

#endif
