/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of all protocols. It depends on all of them; protocols look each other up through protocol.h, which it initialises.
 */
#ifndef DISSECT_REGISTRY_H
#define DISSECT_REGISTRY_H

#include "dissect/engine/protocol.h"

extern const struct protocol *const registry[PROTOCOL_COUNT];

#endif
