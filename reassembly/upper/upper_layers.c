/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The only place that names the upper layers: doc/adding-an-upper-layer.md.
 */
#include "config.h"

#include <stddef.h>

#include "reassembly/upper/rpc_layer.h"
#include "reassembly/upper/upper_layers.h"

const struct upper_layer *const upper_layers[] = { &rpc_layer, NULL };
