/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Alternate paths of connections: a connection migrates to one without a message of communication management. Its queue pair numbers
 * stay, and the addresses become those of the path that a REQ or a LAP named. IBTA vol. 1, 10.4, 12.8, 17.2.8.
 */
#ifndef REASSEMBLY_INFINIBAND_ALTERNATE_H
#define REASSEMBLY_INFINIBAND_ALTERNATE_H

#include "reassembly/state.h"

/* Bytes that a connection with alternate paths needs for them, at most. */
#define ALTERNATE_MEMORY 2048

/* The paths that a REQ or a LAP from one end of the connection names. */
void alternate_note(struct connection *connection, const struct rtap_packet *packet, bool from_a);

/* The last one that was noted is in use from now on: a REP or an APR accepted it. */
void alternate_load(struct rtap_tracker *tracker, struct connection *connection);

/*
 * The flow of the connection whose alternate path the packet is on, which has no flow of its own. From now on its packets in this direction
 * are those on this path, and the one before is the alternate. NULL: none.
 */
struct flow *alternate_migrate(struct rtap_tracker *tracker, const struct rtap_packet *packet);

/* The connection is destroyed. */
void alternate_discard(struct rtap_tracker *tracker, struct connection *connection);

#endif
