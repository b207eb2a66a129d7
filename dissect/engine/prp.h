/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parallel Redundancy Protocol: each frame is sent over two networks, with a redundancy control trailer at its end.
 */
#ifndef DISSECT_ENGINE_PRP_H
#define DISSECT_ENGINE_PRP_H

#include "dissect/engine/parse.h"

/*
 * Whether the last bytes of the frame, which are after its packet, are such a trailer, with or without a frame check sequence after it. If so,
 * *offset is where it begins.
 */
bool prp_find(const struct parse *parse, uint32_t begin, uint32_t end, uint32_t *offset);

#define PRP_LENGTH 6

#endif
