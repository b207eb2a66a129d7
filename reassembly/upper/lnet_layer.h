/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LNet over RDMA as an upper layer.
 */
#ifndef REASSEMBLY_UPPER_LNET_LAYER_H
#define REASSEMBLY_UPPER_LNET_LAYER_H

#include "reassembly/upper.h"

extern const struct upper_layer lnet_layer;

#endif
