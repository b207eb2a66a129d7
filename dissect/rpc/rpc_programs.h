/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All ONC RPC programs that are known.
 */
#ifndef DISSECT_RPC_RPC_PROGRAMS_H
#define DISSECT_RPC_RPC_PROGRAMS_H

#include "dissect/rpc/rpc_program.h"

/* NULL if the program or its version is not known. */
const struct rpc_program *rpc_program_find(uint32_t program, uint32_t version);

/* The same for the program that the facts know, which may be taken for NFSv4's callback. */
const struct rpc_program *rpc_program_of(const struct rtap_rpc_facts *facts);

/*
 * The program of a call, or of a reply whose call is known; NULL if there are no tables for it. Numbers that programs of
 * their own may have (RFC 5531, 8.4: transient, 0x40000000 to 0x5fffffff) are taken for NFSv4's callback.
 */
const struct rpc_program *rpc_program_of_body(const struct rtap_rpc_facts *facts);

/* Names of the procedures, NULL if the program or its version is not known. The facts know the program. */
const struct rtap_name *rpc_procedure_names(const struct rtap_rpc_facts *facts);

/* Adds "NFS v3", "READ" to a text, or numbers that have no name. The facts know the program. */
void rpc_line_program(const struct rtap_rpc_facts *facts, struct line *line);
void rpc_line_procedure(const struct rtap_rpc_facts *facts, struct line *line);

#endif
