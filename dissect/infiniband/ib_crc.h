/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * InfiniBand's invariant and variant CRC.
 */
#ifndef DISSECT_INFINIBAND_IB_CRC_H
#define DISSECT_INFINIBAND_IB_CRC_H

#include "dissect/infiniband/ib.h"

/* Recomputes the invariant CRC. IBTA vol. 1, 7.8.1; A16.4.1; A17.3.3. */
enum rtap_crc_status ib_check_icrc(const struct rtap_packet *packet);

/* Recomputes the variant CRC of a native packet. IBTA vol. 1, 7.8.2. */
enum rtap_crc_status ib_check_vcrc(const struct rtap_packet *packet);

#endif
