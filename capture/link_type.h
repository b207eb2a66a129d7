/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_LINK_TYPE_H
#define CAPTURE_LINK_TYPE_H

#include <stdint.h>

/*
 * Files use LINKTYPE_ numbers, libpcap's functions DLT_ numbers. Most are equal; some DLT_ numbers
 * depend on the operating system.
 */
int link_type_to_dlt(uint32_t link_type);
uint32_t link_type_of_dlt(int dlt);

/* The LINKTYPE_ number for the number in a file: some old programs wrote their system's DLT_ number for raw IP. */
uint32_t link_type_of_file(uint32_t number);

#endif
