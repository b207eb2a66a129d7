/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC programs that travel with NFS, and the names of their procedures.
 */
#ifndef DISSECT_RPC_PROGRAMS_H
#define DISSECT_RPC_PROGRAMS_H

#include <stdint.h>

#include <rdmatap/packet.h>

#include "dissect/line.h"

struct xdr_program;

extern const struct rtap_name rpc_program_names[];

/* Names of the procedures, NULL if the program or its version is not known. The facts know the program. */
const struct rtap_name *rpc_procedure_names(const struct rtap_rpc_facts *facts);

/* Tables of the program in that version; NULL if there are none. */
const struct xdr_program *rpc_program_tables(const struct rtap_rpc_facts *facts);

/* The number that RFC 7530 gives NFSv4's callback, and that of any other program that is taken for it. */
#define RPC_PROGRAM_NFS_CALLBACK 0x40000000

/* Adds "NFS v3", "READ" to a text, or numbers that have no name. The facts know the program. */
void rpc_line_program(const struct rtap_rpc_facts *facts, struct line *line);
void rpc_line_procedure(const struct rtap_rpc_facts *facts, struct line *line);

/* Procedures' names as value names of rows. */
extern const struct rtap_name nfs_procedure3_names[], nfs_procedure4_names[], nfs_cb_procedure_names[], nfsacl_procedure2_names[],
	nfsacl_procedure3_names[], mount_procedure_names[], nlm_procedure_names[], nsm_procedure_names[], portmap_procedure2_names[],
	portmap_procedure3_names[], portmap_procedure4_names[];

#endif
