/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of InfiniBand and RoCE for the packets of a connection, one after the other. Only what the captured packets prove is a violation:
 * packets that are missing are taken for lost.
 */
#ifndef OUTPUT_CHECK_IB_SEQUENCE_H
#define OUTPUT_CHECK_IB_SEQUENCE_H

struct subject;

/* Checks a packet of a connection. */
void ib_sequence_packet(struct subject *subject);

#endif
