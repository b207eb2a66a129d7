/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams: classes, and names of header values. IBTA vol. 1, chapters 13 to 16.
 */
#ifndef DISSECT_MANAGEMENT_MAD_H
#define DISSECT_MANAGEMENT_MAD_H

#include "dissect/engine/protocol.h"

#define MAD_HEADER_LENGTH 24
#define MAD_LENGTH 256

/* Management classes. IBTA vol. 1, 13.4.4. */
enum {
	MAD_CLASS_SUBNET = 0x01,
	MAD_CLASS_ADMINISTRATION = 0x03,
	MAD_CLASS_PERFORMANCE = 0x04,
	MAD_CLASS_BASEBOARD = 0x05,
	MAD_CLASS_DEVICE = 0x06,
	MAD_CLASS_COMMUNICATION = 0x07,
	MAD_CLASS_SNMP = 0x08,
	MAD_CLASS_VENDOR_FIRST = 0x09,
	MAD_CLASS_VENDOR_LAST = 0x0f,
	MAD_CLASS_CONGESTION = 0x21,
	MAD_CLASS_VENDOR_OUI_FIRST = 0x30,
	MAD_CLASS_VENDOR_OUI_LAST = 0x4f,
	MAD_CLASS_SUBNET_DIRECTED = 0x81,
};

/* RMPP. IBTA vol. 1, 13.6.2. */
enum { RMPP_NOT_USED, RMPP_DATA, RMPP_ACK, RMPP_STOP, RMPP_ABORT };
enum { RMPP_FLAG_ACTIVE = 1, RMPP_FLAG_FIRST = 2, RMPP_FLAG_LAST = 4 };

/* Bytes of a segment after the RMPP header, and the length of the subnet administration header within them. 13.6.2, 15.2.1.1. */
#define RMPP_SEGMENT_LENGTH 220
#define SA_HEADER_LENGTH 20

/* Names, or NULL. */
const char *mad_class_name(uint8_t management_class);
const char *mad_method_name(uint8_t method);
const char *mad_attribute_name(const struct rtap_mad_facts *facts);

/* Name of a status other than 0, by class; NULL: reserved. IBTA vol. 1, 13.4.7; 15.2.3. */
const char *mad_status_name(const struct rtap_mad_facts *facts);

#endif
