/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Communication management: what its messages and their private data share. IBTA vol. 1, 12.6.
 */
#ifndef DISSECT_MANAGEMENT_CM_H
#define DISSECT_MANAGEMENT_CM_H

#include "dissect/engine/protocol.h"

/* Bytes that every message has behind the header of its MAD. IBTA vol. 1, 13.4.3. */
#define CM_DATA_LENGTH 232

/* Attribute ids of the messages. IBTA vol. 1, table 105 and 12.11. Their protocols stand in the same order. */
enum cm_attribute {
	CM_REQ = 0x10, CM_MRA, CM_REJ, CM_REP, CM_RTU, CM_DREQ, CM_DREP, CM_SIDR_REQ, CM_SIDR_REP, CM_LAP, CM_APR,
};

/* The reason of a REJ that the listener itself gave. IBTA vol. 1, 12.6.7.2. */
#define CM_CONSUMER_REJECT 28

/* Prefix of a service id that stands for an IP port. IBTA vol. 1, A11.3. */
#define CM_IP_SERVICE_PREFIX 1

/* The service id of a port of TCP and of UDP: the prefix, the protocol's number, the port. A11.3. */
#define CM_TCP_SERVICE(port) (UINT64_C(0x1060000) | (port))
#define CM_UDP_SERVICE(port) (UINT64_C(0x1110000) | (port))

/* The protocol of an attribute; PROTOCOL_NONE if no message of communication management has it. */
uint8_t cm_protocol(uint64_t attribute);

/* "REQ"; NULL if no message of communication management has the attribute. */
const char *cm_message_name(uint64_t attribute);

/* What the reason of a REJ, the status of a SIDR_REP and that of an APR mean. IBTA vol. 1, 12.6.7.2, 12.11.2.1, 12.8.2.1. */
extern const struct rtap_name cm_reject_reasons[], cm_sidr_statuses[], cm_path_statuses[];

#endif
