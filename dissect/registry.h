/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of all protocols. It stands above them: what protocols need of each other goes by protocol.h, whose lookups it fills.
 */
#ifndef DISSECT_REGISTRY_H
#define DISSECT_REGISTRY_H

#include "dissect/engine/protocol.h"

extern const struct protocol *const registry[PROTOCOL_COUNT];

#endif
