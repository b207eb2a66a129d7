/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contents of an RDMAP Terminate, and names of RDMAP values. RFC 5040, 4.8.
 */
#ifndef DISSECT_IWARP_TERMINATE_H
#define DISSECT_IWARP_TERMINATE_H

#include <stdbool.h>
#include <stdint.h>

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

/* Name of the error that a Terminate reports; NULL if the standards do not define it. */
const char *rdmap_code_name(uint8_t layer, uint8_t type, uint8_t code);

/* Contents of a Terminate. Offsets are from the first byte of the Terminate header; 0: not present. RFC 5040, 4.8. */
struct iwarp_terminate {
	bool soft;              /* the layout of soft-iWARP: nibbles and bits of a byte in reverse order */
	uint8_t layer, type, code;
	bool segment_length_valid, ddp_included, rdma_included; /* M, D, R */
	uint16_t reserved;
	uint32_t segment_length_at; /* DDP Segment Length, 2 bytes */
	uint32_t ddp_at, ddp_length; /* the DDP header that caused it */
	uint32_t rdma_at;       /* the Read Request header that caused it, 28 bytes */
};

/* Reads a Terminate header of four bytes and the offsets of the parts after it; `captured` of `wire` bytes are present. */
void iwarp_read_terminate(const uint8_t *header, uint32_t captured, uint32_t wire, struct iwarp_terminate *terminate);

#endif
