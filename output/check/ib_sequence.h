/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of InfiniBand and RoCE for sequences of packets of a connection. Only violations that the captured packets prove are reported:
 * missing packets are assumed to be lost.
 */
#ifndef OUTPUT_CHECK_IB_SEQUENCE_H
#define OUTPUT_CHECK_IB_SEQUENCE_H

struct subject;

/* Checks a packet of a connection. */
void ib_sequence_packet(struct subject *subject);

#endif
