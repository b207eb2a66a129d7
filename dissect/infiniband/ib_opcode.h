/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Meaning of codes in InfiniBand transport headers.
 */
#ifndef DISSECT_INFINIBAND_IB_OPCODE_H
#define DISSECT_INFINIBAND_IB_OPCODE_H

#include "dissect/infiniband/ib.h"

/* End-to-end credits of an AETH credit count below 31. IBTA vol. 1, 9.7.7.2. */
uint32_t ib_credits(uint8_t code);

/* Time of an RNR NAK timer code (5 bits), in microseconds. IBTA vol. 1, 9.7.5.2.8. */
uint32_t ib_rnr_timer_us(uint8_t code);

#endif
