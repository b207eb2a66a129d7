/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The list of all upper layers, the only place that names them: doc/adding-an-upper-layer.md. X(NAME) stands for
 * `const struct upper_layer NAME_layer`, in the order in which their callbacks are called.
 */
#ifndef REASSEMBLY_UPPER_UPPER_LAYERS_H
#define REASSEMBLY_UPPER_UPPER_LAYERS_H

#include "reassembly/upper.h"

#define UPPER_LAYERS(X) \
	X(rpc) \
	X(nvme) \
	X(srp) \
	X(iser) \
	X(rds) \
	X(smb) \
	X(nccl) \
	X(rnbd) \
	X(lnet)

/* Index of a layer's state in tracker->upper_states. */
#define UPPER_NUMBER(name) UPPER_##name,
enum upper_number { UPPER_LAYERS(UPPER_NUMBER) UPPER_COUNT };
#undef UPPER_NUMBER

_Static_assert(UPPER_COUNT < UPPER_MOST, "there is room for their states, and for one of a test");

/* NULL-terminated. */
extern const struct upper_layer *const upper_layers[];

/* The names that operations have as `layer`, by index. NULL: no more. */
const char *upper_layers_name(size_t index);

#endif
