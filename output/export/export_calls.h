/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An RPC exchange as operations on files: what each operation of a call asks, told together with what the reply answers.
 * NFSv3's procedures and NFSv4's operations alike; MOUNT's as far as it gives handles.
 */
#ifndef OUTPUT_EXPORT_EXPORT_CALLS_H
#define OUTPUT_EXPORT_EXPORT_CALLS_H

#include "reassembly/upper/rpc_exchange.h"

#include "output/export/export_names.h"

enum calls_protocol { CALLS_MOUNT, CALLS_NFS3, CALLS_NFS4 };

/* Bytes copied out of a message: where they stand in `kept`. */
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
	uint64_t stamp;       /* another one with every change of the file: NFSv3's ctime, NFSv4's change attribute */
};

/* What a call asks of one operation. Which members are meant goes by the operation. */
struct call_operation {
	uint32_t number;      /* enum nfs3_procedure or nfs4_operation */
	struct kept handle;   /* of the object; NFSv4: PUTFH */
	struct kept directory, to_directory;
	struct kept name, to_name;
	uint64_t offset, to_offset, length; /* NFSv3's count too */
	uint64_t size;        /* of SETATTR, CREATE, OPEN */
	bool has_offset, has_length, has_size;
	bool creates;         /* OPEN: the file may be new */
	bool is_new;          /* CREATE, OPEN: it fails if there is one */
	struct call_data data;
};

/* What the reply answers. */
struct reply_operation {
	bool status_known;
	uint32_t status;
	struct kept handle;
	struct call_attributes attributes, directory;
	struct call_attributes before; /* NFSv3's wcc_data */
	uint64_t count;       /* WRITE, COPY: bytes done */
	bool has_count, is_asynchronous;
	bool eof;
	uint32_t pieces;      /* of data that were told */
};

/* An entry of a directory. */
struct reply_entry {
	bool there;
	struct kept name, handle;
	struct call_attributes attributes;
};

/* Who is told. Embed it as the first member. */
struct calls {
	/* A piece of READ's or READ_PLUS's data; data->there false: a hole of that length. As soon as the reply is read that far. */
	void (*data)(struct calls *calls, const struct call_operation *call, const struct reply_operation *reply, uint64_t offset,
		     const struct call_data *data);
	void (*entry)(struct calls *calls, const struct call_operation *call, const struct reply_operation *reply,
		      const struct reply_entry *entry);
	/* The operation, when everything about it was told: it was done, as far as anybody knows. */
	void (*done)(struct calls *calls, const struct call_operation *call, const struct reply_operation *reply);
	enum calls_protocol protocol;
	const struct rpc_exchange *exchange;
	uint8_t *kept;
	uint32_t kept_used, kept_room;
	struct call_operation *operations;
	uint32_t count, room;
	uint64_t unreadable;   /* exchanges of which something could not be read: cut off, not captured, malformed, encrypted */
	bool call_cut;         /* this was one, and its call could not be read to the end */
};

/* What a reply without its call shows of what the call did to contents of files. */
enum calls_effect {
	CALLS_HARMLESS,      /* nothing, by what the reply is or cannot be */
	CALLS_WRITE,         /* *reply is that of NFSv3's WRITE, with the file's attributes */
	CALLS_RESIZE,        /* likewise of SETATTR, which may have set a size */
	CALLS_ANY,           /* perhaps something, to some file */
};

/* Whether there can be anything in the exchange: NFS, or the MOUNT that gives a handle. */
bool calls_is_about_files(const struct rpc_exchange *exchange);

/* Goes through such an exchange. */
void calls_walk(struct calls *calls, const struct rpc_exchange *exchange);

/* What an exchange without a call did. Of *reply the attributes (with identity and size) and the count are valid, as said above. */
enum calls_effect calls_effect(const struct rpc_exchange *exchange, struct reply_operation *reply);

/* The bytes; valid until the exchange's end, but not over a further call of an entry. */
static inline struct piece calls_piece(const struct calls *calls, struct kept kept)
{
	static const uint8_t nothing[1];

	if (!kept.there)
		return (struct piece){ NULL, 0 };
	return (struct piece){ kept.length ? calls->kept + kept.at : nothing, kept.length };
}

void calls_fini(struct calls *calls);

#endif
