/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The registry of management attributes.
 *
 * An attribute is described once, as a list of parts: a table (a protocol), where it stands in the attribute, and how often it is
 * repeated there. Subnet administration's records are attributes too; their parts are the record's own identifier and the
 * attribute of subnet management that it wraps, so both classes show it by the same table. All records of a MAD are one layer for each
 * part; which record follows which is known by packet->mad.
 */
#ifndef DISSECT_MANAGEMENT_MAD_REGISTRY_H
#define DISSECT_MANAGEMENT_MAD_REGISTRY_H

#include "dissect/management/mad.h"

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

/* The attribute that the MAD has by its class and attribute id; NULL: not known. */
const struct mad_attribute *mad_attribute_of(const struct rtap_mad_facts *facts);

#endif
