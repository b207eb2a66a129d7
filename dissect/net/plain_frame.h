/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The headers of nearly all RDMA frames at once.
 */
#ifndef DISSECT_NET_PLAIN_FRAME_H
#define DISSECT_NET_PLAIN_FRAME_H

#include "dissect/engine/parse.h"

/*
 * Takes the Ethernet and IPv4 headers of a frame, and the UDP header of RoCEv2, if there are no tags, options, fragments, trailer or header that is
 * wrong or truncated; the packet is then as the parse functions of these protocols would make it. Otherwise nothing changes. The packet has the
 * layer of the frame only.
 */
void plain_frame_begin(struct parse *parse);

#endif
