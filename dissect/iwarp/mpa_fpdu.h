/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recognition of FPDUs in a TCP segment.
 */
#ifndef DISSECT_IWARP_MPA_FPDU_H
#define DISSECT_IWARP_MPA_FPDU_H

#include "dissect/engine/parse.h"

/* Protocol numbers of the TCP payload at the cursor, and of the bytes after a Request or Reply in its segment. */
uint16_t iwarp_of_stream(const struct parse *parse);
uint16_t iwarp_after_setup(const struct parse *parse);

/*
 * With context->stop_at_tcp: dissects the TCP payload at the cursor if it is most likely one FPDU with a whole Send of
 * RPC-over-RDMA, with a CRC that is correct or 0; packet->fpdus is set then. The result is final if the stream turns out to be
 * synchronised there. Returns the protocol that follows.
 */
uint16_t iwarp_presume(struct parse *parse);

/* Prepares the dissection of the payload of an FPDU, in its own context if it has one. False: nothing to show, or too many sources. */
bool iwarp_enter_fpdu(struct parse *parse, const struct rtap_fpdu *fpdu);

/* Whether the packet may have had no room for the layers of its last FPDUs. */
bool iwarp_lacks_room(const struct rtap_packet *packet);

/*
 * All FPDUs of the packet's list are dissected. False, and nothing changes: one from `first` on is out of the ordinary, which the layers have to
 * show (a wrong CRC, framing that had to be found, an unknown opcode).
 */
bool iwarp_end_fpdus(struct rtap_packet *packet, uint32_t first);

#endif
