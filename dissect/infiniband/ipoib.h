/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP and Ethernet over InfiniBand.
 */
#ifndef DISSECT_INFINIBAND_IPOIB_H
#define DISSECT_INFINIBAND_IPOIB_H

#include "dissect/infiniband/upper.h"

/* Returns whether the bytes at the cursor begin with an EoIB header, an Ethernet header and a matching IP header. */
bool eoib_recognise(const struct cursor *payload);

/* Returns whether the bytes at the cursor begin with an IPoIB header and a matching IP header. RFC 4391, section 6. */
bool ipoib_recognise(const struct cursor *payload);

#endif
