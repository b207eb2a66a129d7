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

/* RFC 1833 (portmapper, rpcbind), RFC 1813 (NFS, MOUNT, NLM), XNFS by The Open Group (NSM), RFC 7530 (callback). */
enum rpc_program_number {
	RPC_PROGRAM_PORTMAPPER = 100000,
	RPC_PROGRAM_NFS = 100003,
	RPC_PROGRAM_MOUNT = 100005,
	RPC_PROGRAM_NLM = 100021,
	RPC_PROGRAM_NSM = 100024,
	RPC_PROGRAM_NFSACL = 100227,
	/* RFC 7530's number, and that of any other program that is taken for it */
	RPC_PROGRAM_NFS_CALLBACK = 0x40000000,
};

/* Ports of TCP and UDP: IANA's, and the one that Linux's mountd mostly has. */
enum rpc_port_number { RPC_PORT_RPCBIND = 111, RPC_PORT_NFS = 2049, RPC_PORT_MOUNTD = 20048 };

/* A program in some of its versions. */
struct rpc_program {
	uint32_t program, first_version, last_version;
	char text[LINE_SHORT]; /* "NFS v3", of text_length bytes; length 0: it has to be worked out */
	uint8_t text_length;
	uint8_t name_count;
	const struct rtap_name *names; /* of its procedures */
	const struct xdr_program *tables; /* NULL: there are none */
};

/* NULL if the program or its version is not known. */
const struct rpc_program *rpc_program_find(uint32_t program, uint32_t version);

/* The same for the program that the facts know, which may be taken for NFSv4's callback. */
const struct rpc_program *rpc_program_of(const struct rtap_rpc_facts *facts);

/* The name of a procedure, or NULL. */
const char *rpc_procedure_name(const struct rpc_program *known, uint32_t procedure);

extern const struct rtap_name rpc_program_names[];

/* Names of the procedures, NULL if the program or its version is not known. The facts know the program. */
const struct rtap_name *rpc_procedure_names(const struct rtap_rpc_facts *facts);

/* Adds "NFS v3", "READ" to a text, or numbers that have no name. The facts know the program. */
void rpc_line_program(const struct rtap_rpc_facts *facts, struct line *line);
void rpc_line_procedure(const struct rtap_rpc_facts *facts, struct line *line);

/* Procedures' names as value names of rows. */
extern const struct rtap_name nfs_procedure3_names[], nfs_procedure4_names[], nfs_cb_procedure_names[], nfsacl_procedure2_names[],
	nfsacl_procedure3_names[], mount_procedure_names[], nlm_procedure_names[], nsm_procedure_names[], portmap_procedure2_names[],
	portmap_procedure3_names[], portmap_procedure4_names[];

#endif
