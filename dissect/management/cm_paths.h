/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The alternate path that a message of communication management names. IBTA vol. 1, 12.6.5, 12.7.22, 12.8.1.
 */
#ifndef DISSECT_MANAGEMENT_CM_PATHS_H
#define DISSECT_MANAGEMENT_CM_PATHS_H

#include <rdmatap/packet.h>

/* As the sender of the message sees it. */
struct cm_path {
	uint16_t local_lid, remote_lid;
	bool stays_local; /* its packets need no GRH */
	const uint8_t *local_gid, *remote_gid; /* 16 bytes, borrowed from the packet */
};

/* The alternate path in a REQ or a LAP. False: none. */
bool cm_alternate_path(const struct rtap_packet *packet, struct cm_path *path);

/* Whether a REP accepts the REQ's alternate path. 12.6.8: Failover Accepted. */
bool cm_accepts_alternate(const struct rtap_packet *packet);

#endif
