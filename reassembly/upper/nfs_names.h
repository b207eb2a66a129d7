/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds the file names in NFS and MOUNT exchanges to a tree of names. RFC 1813, section 3.3; RFC 8881, section 18;
 * RFC 7862, section 15. The root of paths is the handle that MOUNT returned, the handle in FSINFO, or the server's NFSv4 root.
 */
#ifndef REASSEMBLY_UPPER_NFS_NAMES_H
#define REASSEMBLY_UPPER_NFS_NAMES_H

#include "reassembly/upper/nfs_calls.h"

/* NFSv4's current and saved file handle: a node, or a name in a directory whose handle is not known yet. */
struct nfs_place {
	struct name_node *node;
	struct name_node *directory;
	struct kept name;
};

/* In the caller's memory; embed it as the first member. calls_init() and calls_fini() of nfs_calls.h are for all of it. */
struct nfs_names {
	struct calls calls;
	struct name_tree *tree;
	struct name_server *server;
	struct nfs_place current, saved;
	const struct call_operation *opened; /* an OPEN that creates a file, whose node is not known yet */
	bool opened_certain;                 /* the reply shows that it succeeded */
	/* Callbacks, or NULL. The server reported attributes of a file; a CREATE or OPEN succeeded; any other operation on a file did. */
	void (*attributes_reported)(struct nfs_names *names, struct name_node *node, const struct call_attributes *attributes);
	void (*file_created)(struct nfs_names *names, struct name_node *node, const struct call_operation *call, bool has_succeeded);
	void (*file_operation)(struct nfs_names *names, struct name_node *node, const struct call_operation *call, const struct reply_operation *reply);
	/* A piece of READ or READ_PLUS data, before its operation; data->there false: a hole of that length. Not NULL with `contents`. */
	void (*data_read)(struct nfs_names *names, struct name_node *node, const struct call_operation *call, const struct reply_operation *reply,
			  uint64_t offset, const struct call_data *data);
};

/* For calls_walk(), in this order: begins an exchange with the server; the entries of a directory, and its operation; the end. */
void nfs_names_begin(struct nfs_names *names, struct name_server *server);
void nfs_names_entry(struct nfs_names *names, const struct call_operation *call, const struct reply_operation *reply, const struct reply_entry *entry);
void nfs_names_operation(struct nfs_names *names, const struct call_operation *call, const struct reply_operation *reply);
void nfs_names_end(struct nfs_names *names);

/*
 * The result of one NFSv3 procedure, without its attributes: a name in a directory was found or created, or is removed. `handle`:
 * of the file; absent: unknown.
 */
void nfs_names_found(struct nfs_names *names, struct name_server *server, struct rtap_span directory, struct rtap_span name,
		     struct rtap_span handle);
void nfs_names_removed(struct nfs_names *names, struct name_server *server, struct rtap_span directory, struct rtap_span name);

/* The file of NFSv4's current and saved file handle. NULL: unknown. */
struct name_node *nfs_names_current(struct nfs_names *names);
struct name_node *nfs_names_saved(struct nfs_names *names);

/* The server reported attributes. */
void nfs_names_identify(struct nfs_names *names, struct name_node *node, const struct call_attributes *attributes);

#endif
