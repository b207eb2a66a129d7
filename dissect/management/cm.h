/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Communication management: definitions shared by its messages and their private data. IBTA vol. 1, 12.6.
 */
#ifndef DISSECT_MANAGEMENT_CM_H
#define DISSECT_MANAGEMENT_CM_H

#include "dissect/engine/protocol.h"

/* Bytes of each message after its MAD header. IBTA vol. 1, 13.4.3. */
#define CM_DATA_LENGTH 232

/* Attribute ids of the messages. IBTA vol. 1, table 105 and 12.11. Their protocols are in the same order. */
enum cm_attribute {
	CM_REQ = 0x10, CM_MRA, CM_REJ, CM_REP, CM_RTU, CM_DREQ, CM_DREP, CM_SIDR_REQ, CM_SIDR_REP, CM_LAP, CM_APR,
};

/* Rejection reason 28: Consumer Reject. IBTA vol. 1, 12.6.7.2. */
#define CM_CONSUMER_REJECT 28

/* Prefix of a service id for an IP port. IBTA vol. 1, A11.3. */
#define CM_IP_SERVICE_PREFIX 1

/* Service ids for TCP and UDP ports: prefix, IP protocol number, port. A11.3. */
#define CM_TCP_SERVICE(port) (UINT64_C(0x1060000) | (port))
#define CM_UDP_SERVICE(port) (UINT64_C(0x1110000) | (port))

/* The protocol of an attribute; PROTOCOL_NONE if it is not a communication management message. */
uint16_t cm_protocol(uint64_t attribute);

/* "REQ"; NULL if the attribute is not a communication management message. */
const char *cm_message_name(uint64_t attribute);

/* Names of REJ reasons, SIDR_REP statuses and APR statuses. IBTA vol. 1, 12.6.7.2, 12.11.2.1, 12.8.2.1. */
extern const struct rtap_name cm_reject_reasons[], cm_sidr_statuses[], cm_path_statuses[];

#endif
