/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef REASSEMBLY_UPPER_NCCL_LAYER_H
#define REASSEMBLY_UPPER_NCCL_LAYER_H

#include "reassembly/upper.h"

extern const struct upper_layer nccl_layer;

#endif
