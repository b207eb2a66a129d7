/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Multicast group membership: IGMP and MLD for RoCE (IBTA vol. 1, A17.8), MCMemberRecord for InfiniBand (IBTA vol. 1,
 * 15.2.5.17). Joins and leaves are events in the life of connections to the group.
 */
#ifndef REASSEMBLY_INFINIBAND_MULTICAST_H
#define REASSEMBLY_INFINIBAND_MULTICAST_H

#include "reassembly/state.h"

/* Processes a group management packet. Ignores all others. */
void multicast_packet(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source);

/* A connection to `group` begins: past and later events of the group are added to its life. */
void multicast_follow(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_end *group);

/* Forgets a connection that is destroyed. */
void multicast_discard(struct rtap_tracker *tracker, struct connection *connection);

void multicast_fini(struct rtap_tracker *tracker);

#endif
