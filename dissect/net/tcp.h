/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TCP.
 */
#ifndef DISSECT_NET_TCP_H
#define DISSECT_NET_TCP_H

#include "dissect/infiniband/upper.h"

/* Number of the protocol that a TCP segment carries, in the bytes at the cursor. */
uint16_t upper_of_segment(const struct parse *parse);

#endif
