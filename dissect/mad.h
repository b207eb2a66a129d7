/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams: the registry of classes and attributes, and how attributes become layers. IBTA vol. 1, chapters 13 to 16.
 *
 * An attribute is described once, as a list of parts: a table (a protocol), where it stands in the attribute, and how often it is
 * repeated there. Subnet administration's records are attributes too; their parts are the record's own identifier and the
 * attribute of subnet management that it wraps, so both classes show it by the same table. All records of a MAD are one layer for each
 * part; which record follows which is known by packet->mad.
 */
#ifndef DISSECT_MAD_H
#define DISSECT_MAD_H

#include "dissect/protocol.h"

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

/* Bytes of a segment behind the RMPP header, and those of subnet administration's header among them. 13.6.2, 15.2.1.1. */
#define RMPP_SEGMENT_LENGTH 220
#define SA_HEADER_LENGTH 20

#define MAD_MAX_PARTS 4
#define MAD_COUNTED 0xff /* elements: as many as the record itself says */

/* A table within an attribute. */
struct mad_part {
	uint8_t protocol;
	uint8_t elements;    /* how often it follows itself */
	uint16_t offset;     /* bytes from the attribute's first */
};

struct mad_attribute {
	uint16_t id;
	uint16_t length;     /* bytes, without what may be left out at the end; records can stand further apart */
	const char *name;
	struct mad_part parts[MAD_MAX_PARTS]; /* ends with elements 0; none: its name alone is known */
	/* the protocol of the last part, if it depends on the content; PROTOCOL_NONE: it is not there */
	uint8_t (*variant)(const uint8_t *attribute);
	const char *const *components; /* names of the bits of subnet administration's component mask; NULL: not known */
	uint8_t component_count;
};

/* Attributes of a class; each list ends with a NULL name. Shapes of one attribute stand behind each other (rtap_mad_facts.shape). */
extern const struct mad_attribute mad_shared_attributes[]; /* of classes that have no others */
extern const struct mad_attribute mad_communication_attributes[]; /* that are no messages of cm.h */
extern const struct mad_attribute mad_subnet_attributes[];
extern const struct mad_attribute mad_administration_attributes[];
extern const struct mad_attribute mad_performance_attributes[];
extern const struct mad_attribute mad_device_attributes[];
extern const struct mad_attribute mad_congestion_attributes[];

/* Value names that several tables have. */
extern const struct rtap_name mad_node_types[], mad_mtus[], mad_rates[];

/* The attribute that the MAD has by its class and attribute id; NULL: not known. */
const struct mad_attribute *mad_attribute_of(const struct rtap_mad_facts *facts);

/* Names, or NULL. */
const char *mad_class_name(uint8_t management_class);
const char *mad_method_name(uint8_t method);
const char *mad_attribute_name(const struct rtap_mad_facts *facts);

/* What a status other than 0 means, by class; NULL: reserved. IBTA vol. 1, 13.4.7; 15.2.3. */
const char *mad_status_name(const struct rtap_mad_facts *facts);

/*
 * Makes layers of the packet's attribute: `count` records, `stride` bytes apart, from `offset` of the current source on, which has
 * `length` bytes for them on the wire. What was not captured is left out. Nothing if the attribute is not known.
 */
void mad_place_attribute(struct parse *parse, uint32_t offset, uint32_t length, uint32_t stride, uint32_t count);

/* The attribute of a class whose data are the `length` bytes at the cursor; what is not known is data. */
void mad_take_data(struct parse *parse, uint32_t length);

/* For the protocols of parts: walks the records and their elements. */
void mad_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor);

/* The protocol of a notice's details: struct mad_attribute.variant. */
uint8_t mad_trap_data(const uint8_t *notice);

/* The text of `length` bytes at `at` of a header, up to the first zero byte. For tables. */
bool mad_derive_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at,
		     uint32_t length);

/* A protocol that is part of an attribute. */
#define MAD_PART(object, filter_name, label, section, size, rows) \
	const struct protocol object = { \
		.table = { filter_name, label, section, size, sizeof(rows) / sizeof(rows[0]), rows, true }, \
		.visit = mad_visit, \
	};

#endif
