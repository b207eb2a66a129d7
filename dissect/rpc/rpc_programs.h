/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All known ONC RPC programs.
 */
#ifndef DISSECT_RPC_RPC_PROGRAMS_H
#define DISSECT_RPC_RPC_PROGRAMS_H

#include "dissect/rpc/rpc_program.h"

/* NULL if the program or its version is unknown. */
const struct rpc_program *rpc_program_find(uint32_t program, uint32_t version);

/*
 * The program of a call, or of a reply with a known call; NULL if it has no tables. Transient program numbers (RFC 5531, 8.4:
 * 0x40000000 to 0x5fffffff) are treated as the NFSv4 callback.
 */
const struct rpc_program *rpc_program_of_body(const struct rtap_rpc_facts *facts);

/* Names of the procedures, NULL if the program or its version is unknown. The facts must have program_known set. */
const struct rtap_name *rpc_procedure_names(const struct rtap_rpc_facts *facts);

/* Add "NFS v3", "READ", or the numbers if they have no name. The facts must have program_known set. */
void rpc_line_program(const struct rtap_rpc_facts *facts, struct line *line);
void rpc_line_procedure(const struct rtap_rpc_facts *facts, struct line *line);

#endif
