/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What must be analysed together: the packets between two hosts.
 */
#ifndef MPI_UNIT_H
#define MPI_UNIT_H

#include <stdint.h>

#include <rdmatap/frame.h>

/*
 * A number made of the addresses of both ends, the same for both directions, and in `hosts` one for each end; 0: the packet has no network
 * addresses.
 */
uint64_t unit_of(const struct rtap_frame *frame, uint64_t hosts[2]);

#endif
