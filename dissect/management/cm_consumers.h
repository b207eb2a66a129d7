/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Consumers of communication management, whose private data its messages carry.
 */
#ifndef DISSECT_MANAGEMENT_CM_CONSUMERS_H
#define DISSECT_MANAGEMENT_CM_CONSUMERS_H

#include "dissect/management/cm.h"

/* "NVMe", by enum rtap_cm_consumer; NULL: no such number. */
const char *cm_consumer_name(uint8_t consumer);

/*
 * The protocol of a consumer's private data, `length` bytes of which were captured; PROTOCOL_NONE: unknown. Stores the consumer in
 * packet->cm.
 */
uint16_t cm_consumer_protocol(const struct parse *parse, const uint8_t *bytes, uint32_t length);

/* Kind of service of a service id: the service on its port, or the assigning authority. NULL: unknown. IBTA vol. 1, A3.2.3, A11.3. */
const char *cm_service_kind(uint64_t service_id);

#endif
