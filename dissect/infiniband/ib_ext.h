/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extended headers of InfiniBand's transport.
 */
#ifndef DISSECT_INFINIBAND_IB_EXT_H
#define DISSECT_INFINIBAND_IB_EXT_H

#include "dissect/infiniband/ib.h"

/* Total length in bytes of the extended headers of a packet with this opcode. */
uint32_t ib_extended_length(const struct ib_opcode *opcode);

/* Parses the extended headers that the opcode requires and fills their facts. */
enum result ib_parse_extended(struct parse *parse, const struct ib_opcode *opcode);

#endif
