/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The registry of management attributes.
 *
 * An attribute is described once, as a list of parts: a table (a protocol), its offset in the attribute, and the number of
 * repetitions. Subnet administration records are attributes too; their parts are the record identifier (RID) and the subnet
 * management attribute in the record, so that both classes use the same table. All records of a MAD form one layer for each
 * part; packet->mad has the layout of the records.
 */
#ifndef DISSECT_MANAGEMENT_MAD_REGISTRY_H
#define DISSECT_MANAGEMENT_MAD_REGISTRY_H

#include "dissect/management/mad.h"

#define MAD_MAX_PARTS 4
#define MAD_COUNTED 0xff /* elements: number given by the record */

/* A table within an attribute. */
struct mad_part {
	uint16_t protocol;
	uint8_t elements;    /* number of repetitions */
	uint16_t offset;     /* bytes, from the start of the attribute */
};

struct mad_attribute {
	uint16_t id;
	uint16_t length;     /* bytes, without an optional end; records can be further apart */
	const char *name;
	struct mad_part parts[MAD_MAX_PARTS]; /* ends with elements 0; empty: only the name is known */
	/* the protocol of the last part, if it depends on the content; PROTOCOL_NONE: absent */
	uint16_t (*variant)(const uint8_t *attribute);
	const char *const *components; /* names of the bits of the SA component mask; NULL: unknown */
	uint8_t component_count;
};

/* Attributes of a class; each list ends with a NULL name. Layouts of one attribute are consecutive (rtap_mad_facts.shape). */
extern const struct mad_attribute mad_shared_attributes[]; /* of classes without attributes of their own */
extern const struct mad_attribute mad_communication_attributes[]; /* other than the messages in cm.h */
extern const struct mad_attribute mad_subnet_attributes[];
extern const struct mad_attribute mad_administration_attributes[];
extern const struct mad_attribute mad_performance_attributes[];
extern const struct mad_attribute mad_device_attributes[];
extern const struct mad_attribute mad_congestion_attributes[];

/* The attribute of the MAD's class and attribute id; NULL: unknown. */
const struct mad_attribute *mad_attribute_of(const struct rtap_mad_facts *facts);

#endif
