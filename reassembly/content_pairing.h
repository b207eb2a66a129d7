/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairing without communication management and acknowledgements, by packet contents: a READ or WRITE of memory that requests of another
 * connection name by key and address, or a response to one of them. For captures that begin in the middle of a connection.
 */
#ifndef REASSEMBLY_CONTENT_PAIRING_H
#define REASSEMBLY_CONTENT_PAIRING_H

#include "reassembly/state.h"

/*
 * The connection whose one known direction the request packet of `flow` answers by its content, if it is the only one. NULL: none, or
 * ambiguous. `flow`: its connection is unknown or has this direction only.
 */
struct connection *content_pairing_find(struct rtap_tracker *tracker, struct flow *flow, const struct rtap_packet *packet);

#endif
