/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of RDMAP's values, for its fields and for reading a Terminate.
 */
#ifndef DISSECT_RDMAP_NAMES_H
#define DISSECT_RDMAP_NAMES_H

#include <rdmatap/field.h>

enum { TERMINATE_LAYER_RDMA, TERMINATE_LAYER_DDP, TERMINATE_LAYER_LLP };

extern const struct rtap_name rdmap_opcode_names[];
extern const struct rtap_name rdmap_atomic_names[];
extern const struct rtap_name rdmap_layer_names[];
extern const struct rtap_name rdmap_type_names[];
extern const struct rtap_name ddp_type_names[];
extern const struct rtap_name llp_type_names[];
extern const struct rtap_name rdmap_code_names[];
extern const struct rtap_name ddp_tagged_code_names[];
extern const struct rtap_name ddp_untagged_code_names[];
extern const struct rtap_name llp_code_names[];

/* Name of what a Terminate reports; NULL if the standards define no such error. */
const char *rdmap_code_name(uint8_t layer, uint8_t type, uint8_t code);

#endif
