/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The records that assertions are about: messages, operations, connections, and statistics of them.
 */
#ifndef CLI_CHECK_RECORDS_H
#define CLI_CHECK_RECORDS_H

#include <rdmatap/tracker.h>

#include "output/check/assertion.h"
#include "output/stats/findings.h"
#include "output/stats/operation_groups.h"

/* Initialise `assertions`; zero the other members. */
struct check_records {
	struct assertions *assertions;
	struct stats *stats;             /* NULL: none needed */
	struct operation_groups groups;
	struct findings findings;
};

/* Creates the state that the assertions need, and sets the callbacks that they need in `tracking`. False: out of memory. */
bool check_records_open(struct check_records *records, uint64_t max_memory, struct rtap_tracker_options *tracking);

/* Callbacks of the tracker; a packet that it processed. */
void check_records_message(struct check_records *records, const struct rtap_message *message);
void check_records_operation(struct check_records *records, const struct rtap_operation *operation);
void check_records_connection(struct check_records *records, const struct rtap_connection *connection);
void check_records_merge(struct check_records *records, uint64_t from, uint64_t into, bool turned);
void check_records_resolve(struct check_records *records, uint64_t frame, const struct rtap_flow_facts *flow);
void check_records_packet(struct check_records *records, const struct rtap_packet *packet);

/* Checks the records that are known at the end. */
void check_records_finish(struct check_records *records);

void check_records_close(struct check_records *records);

#endif
