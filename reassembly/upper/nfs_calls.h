/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An RPC exchange as file operations: the arguments of each operation in the call, passed together with its results in the reply to nfs_names.h.
 * Covers NFSv3 procedures, NFSv4 operations, and those of MOUNT that return handles.
 */
#ifndef REASSEMBLY_UPPER_NFS_CALLS_H
#define REASSEMBLY_UPPER_NFS_CALLS_H

#include "dissect/rpc/nfs.h"
#include "reassembly/upper/name_tree.h"
#include "reassembly/upper/rpc_exchange.h"

struct nfs_names;

enum calls_protocol { CALLS_MOUNT, CALLS_NFS3, CALLS_NFS4 };

/* Bytes copied from a message: their position in struct calls' `kept`. */
struct kept {
	uint32_t at, length;
	bool there;
};

/* Opaque data in the stream of the call or reply. */
struct call_data {
	uint64_t at, length;
	bool there;
};

struct call_attributes {
	bool has_fsid, has_fileid, has_size, has_stamp;
	uint64_t fsid[2], fileid, size;
	uint64_t stamp;       /* differs after every change of the file: NFSv3's ctime, NFSv4's change attribute */
};

/* Arguments of one operation of a call. The operation determines which members are used. */
struct call_operation {
	uint32_t number;      /* enum nfs3_procedure or nfs4_operation */
	struct kept handle;   /* of the object; NFSv4: PUTFH */
	struct kept directory, to_directory;
	struct kept name, to_name;
	uint64_t offset, to_offset, length; /* length: also NFSv3's count */
	uint64_t size;        /* SETATTR, CREATE, OPEN */
	bool has_offset, has_length, has_size;
	bool creates;         /* OPEN: may create the file */
	bool is_new;          /* CREATE, OPEN: fails if the file exists */
	struct call_data data;
};

/* Results of one operation of a reply. */
struct reply_operation {
	bool status_known;
	bool has_succeeded;   /* the reply shows it, by this status or that of the COMPOUND */
	uint32_t status;
	struct kept handle;
	struct call_attributes attributes, directory;
	struct call_attributes before; /* NFSv3's wcc_data */
	uint64_t count;       /* WRITE, COPY: bytes written */
	bool has_count, is_asynchronous;
	bool eof;
	uint32_t pieces;      /* pieces of data reported so far */
};

/* A directory entry. */
struct reply_entry {
	bool there;
	struct kept name, handle;
	struct call_attributes attributes;
};

/* The operations of an exchange. */
struct calls {
	enum calls_protocol protocol;
	const struct rpc_exchange *exchange;
	uint8_t *kept;
	uint32_t kept_used, kept_room;
	struct call_operation *operations;
	uint32_t count, room;
	uint64_t wanted[NFS_ROW_COUNT / 64 + 1]; /* rows, by calls_init() */
	bool contents;         /* arguments and results about the contents of files are wanted */
	bool has_names;        /* the current exchange contains information about names */
	uint64_t unreadable;   /* exchanges not fully readable: truncated, not captured, malformed, encrypted */
	bool call_cut;         /* the current exchange is one of them because its call is incomplete */
};

/* How a call that was not captured may have changed file contents, as far as its reply shows. */
enum calls_effect {
	CALLS_HARMLESS,      /* not at all, by the form of the reply */
	CALLS_WRITE,         /* NFSv3 WRITE; *reply has the file's attributes */
	CALLS_RESIZE,        /* likewise SETATTR, which may have set the size */
	CALLS_ANY,           /* possibly, in any file */
};

/*
 * Selects what calls_walk() reads of NFS: handles and names and, with `contents`, reads, writes and sizes of files. Without it, attributes
 * are read only where they are needed to find the name of a file: in GETATTR, READDIR and FSINFO. `tree` is borrowed. The callbacks are NULL.
 */
void calls_init(struct nfs_names *names, struct name_tree *tree, bool contents);

/* Whether a procedure of NFSv3, or an operation of NFSv4, contains names of files. */
bool calls_has_names3(uint32_t procedure);
bool calls_has_names4(uint32_t number);

/* Whether the exchange can contain file operations: NFS, or a MOUNT procedure that returns a handle. */
bool calls_is_about_files(const struct rpc_exchange *exchange);

/* Processes the operations of an exchange for which calls_is_about_files() is true. `server`: that of the exchange. */
void calls_walk(struct nfs_names *names, struct name_server *server, const struct rpc_exchange *exchange);

/* Effect of an exchange without a call. For WRITE and RESIZE sets the attributes (identity and size) and the count in *reply. */
enum calls_effect calls_effect(const struct rpc_exchange *exchange, struct reply_operation *reply);

/* The bytes; valid until the end of the exchange, or until the next directory entry is reported. */
static inline struct rtap_span calls_piece(const struct calls *calls, struct kept kept)
{
	static const uint8_t nothing[1];

	if (!kept.there)
		return (struct rtap_span){ NULL, 0 };
	return (struct rtap_span){ kept.length ? calls->kept + kept.at : nothing, kept.length };
}

void calls_fini(struct nfs_names *names);

#endif
