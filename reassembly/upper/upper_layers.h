/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef REASSEMBLY_UPPER_UPPER_LAYERS_H
#define REASSEMBLY_UPPER_UPPER_LAYERS_H

#include "reassembly/upper.h"

/* All upper layers, in the order of calls; NULL-terminated. */
extern const struct upper_layer *const upper_layers[];

#endif
