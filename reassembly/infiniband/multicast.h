/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who joined and left which multicast group: by IGMP and MLD for RoCE (IBTA vol. 1, A17.8), by MCMemberRecord for InfiniBand
 * (IBTA vol. 1, 15.2.5.17). Datagrams to the group have it in their connection's life.
 */
#ifndef REASSEMBLY_INFINIBAND_MULTICAST_H
#define REASSEMBLY_INFINIBAND_MULTICAST_H

#include "reassembly/state.h"

/* Takes a packet of group management into account; others are ignored. */
void multicast_packet(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source);

/* A connection to `group` begins: what is known of the group goes into its life, and what comes will. */
void multicast_follow(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_end *group);

/* Forgets a connection that goes. */
void multicast_forget(struct rtap_tracker *tracker, struct connection *connection);

void multicast_fini(struct rtap_tracker *tracker);

#endif
