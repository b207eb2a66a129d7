/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC calls and replies as operations (reassembly/operation.h): what their bodies say of file, offset and data.
 */
#ifndef REASSEMBLY_UPPER_RPC_OPERATION_H
#define REASSEMBLY_UPPER_RPC_OPERATION_H

#include "dissect/rpc/xdr_walk.h"
#include "reassembly/operation.h"
#include "reassembly/upper/rpc_chunks.h"

#define RPC_OPERATION_NAME 255 /* longest file name in an object */

/* NFSv4's current or saved file handle. */
struct rpc_handle {
	uint32_t hash;            /* CRC-32, as nfs.fh.hash */
	bool known, is_root;
};

/* What the body of a call or reply says. */
struct rpc_noted {
	bool is_nfs;              /* NFS or its callback: the rows of values are NFS's */
	bool is_compound;         /* of NFSv4: items work on the current handle */
	bool is_callback;
	bool has_item, is_main;   /* an item of a COMPOUND was found; the last one is the main one so far */
	uint8_t tier;             /* of the main item: dissect/rpc/nfs4.h */
	const char *name;         /* of the main item; NULL: it has none */
	uint32_t number;
	struct rpc_handle current, saved, handle; /* `handle`: of the main item */
	bool has_offset, has_length, has_file;
	uint64_t offset, length;
	uint32_t file_length;
	uint8_t file[RPC_OPERATION_NAME]; /* name of a directory entry */
	uint64_t inline_bytes, read_bytes, write_bytes; /* data in the message itself, in read chunks, in write and reply chunks */
	bool data_known;
	bool results_known;       /* reply: everything in its body was read */
};

/*
 * Adds an operation to the message of a call or reply. `known_call`: it is a reply to a known call, to whose message
 * rpc_operation_conclude() adds it. Only if operations are wanted.
 */
void rpc_operation_begin(struct rtap_tracker *tracker, struct message *message, bool known_call);

/* Where to note a message's body; NULL: operations are not wanted. Starts anew. */
struct rpc_noted *rpc_operation_noted(struct message *message, const struct rtap_rpc_facts *facts);

/* An item of the body begins, or a value of it was found. */
void rpc_operation_item(struct rpc_noted *noted, uint32_t number, const char *name);
void rpc_operation_value(struct rpc_noted *noted, const struct xdr_value *value);

/* The rows that rpc_operation_value() needs, as in xdr_sink.unwanted. */
uint64_t rpc_operation_unwanted(void);

/* The chunks of the call or reply. */
void rpc_operation_chunks(struct rpc_noted *noted, const struct chunk_lists *lists, bool is_reply);

/*
 * Nothing changes the call and its reply any more. Either message may be NULL: not seen, or already reported. `called`: the call was seen.
 */
void rpc_operation_conclude(struct rtap_tracker *tracker, struct message *call, struct message *reply, bool called);

#endif
