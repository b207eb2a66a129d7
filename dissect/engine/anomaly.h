/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is wrong with a packet.
 */
#ifndef DISSECT_ENGINE_ANOMALY_H
#define DISSECT_ENGINE_ANOMALY_H

#include <rdmatap/anomaly.h>
#include <rdmatap/packet.h>

/* Notes an anomaly of a packet; what is found after the dissection too. `offset` counts in the layer's source. */
void packet_anomaly(struct rtap_packet *packet, enum rtap_anomaly_code code, uint8_t layer, uint32_t offset);

#endif
