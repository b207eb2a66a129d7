/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC calls and replies as operations (reassembly/operation.h): the file, offset and data in their bodies.
 */
#ifndef REASSEMBLY_UPPER_RPC_OPERATION_H
#define REASSEMBLY_UPPER_RPC_OPERATION_H

#include "dissect/rpc/xdr_walk.h"
#include "reassembly/operation.h"
#include "reassembly/upper/rpc_carriers.h"
#include "reassembly/upper/rpc_chunks.h"

#define RPC_NOTED_TEXT 1024 /* handles and names of one call; names that do not fit are unknown */

/* A part of rpc_noted.text. */
struct rpc_text {
	uint16_t at, length;
};

/* A file: its handle, or that of a directory and the path from there. */
struct rpc_place {
	bool known, is_root;      /* the handle; it is NFSv4's root */
	struct rpc_text handle;
	struct rpc_text path;     /* names, each after its length as 16 bits in host order */
};

/* The body of a call or reply. */
struct rpc_noted {
	bool is_nfs;              /* NFS or its callback: the rows of values are NFS's */
	bool is_compound;         /* of NFSv4: items work on the current handle */
	bool is_nfs3, is_callback;
	bool is_mount;            /* MOUNT's procedure of that name */
	bool has_item, is_main;   /* an item of a COMPOUND was found; the last one is the main one so far */
	bool has_names;           /* it has names of files */
	bool has_identity, has_data; /* there is a GETATTR; a READ or WRITE */
	bool descends;            /* the next name is one in the current directory, and becomes the current file */
	uint8_t tier;             /* of the main item: dissect/rpc/nfs4.h */
	const char *name;         /* of the main item; NULL: it has none */
	uint32_t number;
	struct rpc_place current, saved;
	struct rpc_place place, to;   /* of the main item; of RENAME: the target directory */
	bool has_file, has_to_file;
	struct rpc_text file, to_file; /* the main item's directory entries */
	bool has_offset, has_length;
	uint64_t offset, length;
	uint64_t inline_bytes;    /* data in the message itself */
	uint64_t read_bytes, call_bytes, write_bytes, reply_bytes; /* in chunks; `call_bytes`: the whole call is one */
	bool data_known;
	bool results_known;       /* reply: everything in its body was read */
	uint16_t text_used;
	uint8_t text[RPC_NOTED_TEXT]; /* last: only the members before it are cleared */
};

/* Whether operations are wanted with what the bodies of calls and replies show: all must be read in detail for them. */
static inline bool rpc_operation_decodes(const struct rtap_tracker *tracker)
{
	return tracker->options.operation && !tracker->options.cheap_operations;
}

/*
 * Adds an operation to the message of a call or reply if operations are wanted. `known_call`: it is a reply to a known call, to whose
 * message rpc_operation_conclude() adds it. Without bodies, all messages share one operation, which is filled when it is reported.
 */
void rpc_operation_begin(struct rtap_tracker *tracker, struct message *message, bool known_call);

/* The cleared struct for a message's body; NULL: bodies are not decoded. */
struct rpc_noted *rpc_operation_noted(struct message *message, const struct rtap_rpc_facts *facts);

/* An item of the body begins, or a value of it was found. */
void rpc_operation_item(struct rpc_noted *noted, uint32_t number, const char *name);
void rpc_operation_value(struct rpc_noted *noted, const struct xdr_value *value);

/* The rows that rpc_operation_value() needs, as in xdr_sink.unwanted. */
uint64_t rpc_operation_unwanted(const struct rpc_noted *noted);

/* Call after the body was read: keeps a copy if it contains names of files. `read`: to its end. */
void rpc_operation_keep(struct rtap_tracker *tracker, struct message *message, const struct rpc_part *part, bool read);

/* The chunks of the call or reply. */
void rpc_operation_chunks(struct rpc_noted *noted, const struct rpc_chunks *lists, bool is_reply);

/*
 * Concludes the operation: the call and its reply are final. Either message may be NULL: not seen, or already reported. `called`: the call was seen.
 */
void rpc_operation_conclude(struct rtap_tracker *tracker, struct message *call, struct message *reply, bool called);

#endif
