/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fields of several protocols can share a name. Outputs keyed by name treat them as one field, the first.
 */
#ifndef OUTPUT_PACKET_FIRST_IDS_H
#define OUTPUT_PACKET_FIRST_IDS_H

#include <rdmatap/field.h>

/* For each of the rtap_field_count() fields, the first one of the same name. The caller frees; NULL: out of memory. */
rtap_field_id *first_ids_create(void);

#endif
