/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The check of packets against the rules.
 */
#ifndef OUTPUT_CHECK_CHECK_H
#define OUTPUT_CHECK_CHECK_H

#include "output/check/subject.h"

/* Initialise `memory` with check_memory_init(); set `violations.most` and `violations.is_checked`; zero the other members. */
struct check {
	struct violations violations;
	struct check_memory memory;
	struct setups setups;
};

/* Checks a packet that a tracker processed. */
void check_packet(struct check *check, const struct rtap_packet *packet);

/* Callbacks of the tracker: two connections are one; a connection has ended. */
void check_merge(struct check *check, uint64_t from, uint64_t into);
void check_connection_over(struct check *check, uint64_t number);

void check_fini(struct check *check);

#endif
