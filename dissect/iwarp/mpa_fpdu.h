/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The FPDUs of a TCP segment: whether it has any.
 */
#ifndef DISSECT_IWARP_MPA_FPDU_H
#define DISSECT_IWARP_MPA_FPDU_H

#include "dissect/engine/parse.h"

/* What the TCP payload at the cursor is, and what follows a Request or Reply in its segment: numbers of protocols. */
uint8_t iwarp_of_stream(const struct parse *parse);
uint8_t iwarp_behind_setup(const struct parse *parse);

/*
 * With context->stop_at_tcp: dissects what the TCP payload at the cursor most likely is, if that is one FPDU with a whole Send of
 * RPC-over-RDMA, whose CRC is right or 0; packet->fpdus tell that it was. If the stream turns out to be in step there, that is
 * all. Returns the protocol that follows.
 */
uint8_t iwarp_presume(struct parse *parse);

#endif
