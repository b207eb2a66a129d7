/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FLOW_H
#define DISSECT_FLOW_H

#include "dissect/engine/packet.h"

/* "retransmission"; NULL for RTAP_PSN_NONE. analysis: enum rtap_psn_analysis. */
const char *flow_analysis_name(uint8_t analysis);

/* "sequence_nak"; "" for RTAP_RECOVERY_NONE. cause: enum rtap_recovery. */
const char *flow_recovery_name(uint8_t cause);

/* Adds packet->flow as a layer of the packet, unless it is empty. */
void flow_add_layer(struct rtap_packet *packet);

#endif
