/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC programs that travel with NFS, and the names of their procedures.
 */
#ifndef DISSECT_RPC_PROGRAMS_H
#define DISSECT_RPC_PROGRAMS_H

#include <stdint.h>

#include <rdmatap/field.h>

extern const struct rtap_name rpc_program_names[];

/* Names of a program version's procedures; NULL if the program or its version is not known. */
const struct rtap_name *rpc_procedure_names(uint32_t program, uint32_t version);

#endif
