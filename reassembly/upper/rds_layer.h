/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDS as an upper layer: messages, reassembled from their fragments, and their acknowledgements.
 */
#ifndef REASSEMBLY_UPPER_RDS_LAYER_H
#define REASSEMBLY_UPPER_RDS_LAYER_H

#include "reassembly/upper.h"

extern const struct upper_layer rds_layer;

#endif
