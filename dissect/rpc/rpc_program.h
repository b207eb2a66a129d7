/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An ONC RPC program related to NFS: its numbers, the names of its procedures, its tables. Each protocol's file has a list of its
 * programs; rpc_programs.h finds them in all lists.
 */
#ifndef DISSECT_RPC_RPC_PROGRAM_H
#define DISSECT_RPC_RPC_PROGRAM_H

#include "dissect/engine/line.h"
#include "dissect/engine/packet.h"

struct xdr_program;

/* RFC 1833 (portmapper, rpcbind), RFC 1813 (NFS, MOUNT, NLM), XNFS by The Open Group (NSM), RFC 7530 (callback). */
enum rpc_program_number {
	RPC_PROGRAM_PORTMAPPER = 100000,
	RPC_PROGRAM_NFS = 100003,
	RPC_PROGRAM_MOUNT = 100005,
	RPC_PROGRAM_NLM = 100021,
	RPC_PROGRAM_NSM = 100024,
	RPC_PROGRAM_NFSACL = 100227,
	/* number in RFC 7530; also used for other program numbers treated as the callback */
	RPC_PROGRAM_NFS_CALLBACK = 0x40000000,
};

/* TCP and UDP ports: those of IANA, and the usual one of Linux's mountd. */
enum rpc_port_number { RPC_PORT_RPCBIND = 111, RPC_PORT_NFS = 2049, RPC_PORT_MOUNTD = 20048 };

/* A range of versions of a program. */
struct rpc_program {
	uint32_t program, first_version, last_version;
	char text[LINE_SHORT]; /* "NFS v3", text_length bytes; length 0: has to be formatted */
	uint8_t text_length;
	uint8_t name_count;
	const struct rtap_name *names; /* of its procedures */
	const struct xdr_program *tables; /* NULL: there are none */
};

/* A row of a list, and its terminator. */
#define RPC_PROGRAM(number, first, last, text, names, tables) \
	{ number, first, last, text, sizeof text - 1, sizeof names / sizeof names[0] - 1, names, tables }
#define RPC_PROGRAM_END { 0, 0, 0, "", 0, 0, NULL, NULL }

/* Finds a program in a list; NULL: not found. */
const struct rpc_program *rpc_program_in(const struct rpc_program *list, uint32_t program, uint32_t version);

/* The program number in the facts; that of the callback if the program is treated as such. */
static inline uint32_t rpc_program_number(const struct rtap_rpc_facts *facts)
{
	return facts->is_callback ? RPC_PROGRAM_NFS_CALLBACK : facts->program;
}

/* The name of a procedure, or NULL. */
const char *rpc_program_procedure(const struct rpc_program *known, uint32_t procedure);

/* Add "NFS v3", "READ", or the numbers if they have no name. `known` is the program of the facts, or NULL. */
void rpc_program_line(const struct rpc_program *known, const struct rtap_rpc_facts *facts, struct line *line);
void rpc_program_line_procedure(const struct rpc_program *known, const struct rtap_rpc_facts *facts, struct line *line);

extern const struct rtap_name rpc_program_names[];

/* The lists */
extern const struct rpc_program nfs_programs[], nfsacl_programs[], mount_programs[], nlm_programs[], nsm_programs[], portmap_programs[];

/* " call xid 0x12345678", " reply": the latter with the XID too if its call is not known. For what has no other words for it. */
void rpc_program_line_exchange(const struct rtap_rpc_facts *facts, struct line *line);

#endif
