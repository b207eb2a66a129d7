/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recording anomalies of a packet.
 */
#ifndef DISSECT_ENGINE_ANOMALY_H
#define DISSECT_ENGINE_ANOMALY_H

#include <rdmatap/anomaly.h>

#include "dissect/engine/packet.h"

/* Records an anomaly of a packet, during or after its dissection. `offset` is within the layer's source. */
void packet_anomaly(struct rtap_packet *packet, enum rtap_anomaly_code code, uint8_t layer, uint32_t offset);

#endif
