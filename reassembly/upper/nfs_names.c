/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/rpc/nfs.h"
#include "reassembly/upper/nfs_names.h"

static struct rtap_span piece_of(const struct nfs_names *names, struct kept kept)
{
	return calls_piece(&names->calls, kept);
}

static struct name_node *node_of_handle(struct nfs_names *names, struct kept handle)
{
	return name_tree_of_handle(names->tree, names->server, piece_of(names, handle));
}

/* The node of a place; if only its name is known, it is looked up or created. NULL: none. */
static struct name_node *resolve(struct nfs_names *names, struct nfs_place *place)
{
	struct rtap_span name = piece_of(names, place->name);

	if (!place->node && place->directory && name.bytes) {
		place->node = name_tree_find(names->tree, place->directory, name);
		if (!place->node)
			place->node = name_tree_make(names->tree, place->directory, name);
	}
	return place->node;
}

struct name_node *nfs_names_current(struct nfs_names *names)
{
	return resolve(names, &names->current);
}

struct name_node *nfs_names_saved(struct nfs_names *names)
{
	return resolve(names, &names->saved);
}

/* Sets the current handle to that of a name in the current directory. */
static void go_to_name(struct nfs_names *names, struct kept name)
{
	names->current = (struct nfs_place){ NULL, nfs_names_current(names), name };
}

static void go_to(struct nfs_names *names, struct name_node *node)
{
	names->current = (struct nfs_place){ node, NULL, { 0 } };
}

void nfs_names_identify(struct nfs_names *names, struct name_node *node, const struct call_attributes *attributes)
{
	if (!node)
		return;
	if (names->attributes_reported)
		names->attributes_reported(names, node, attributes);
	if (attributes->has_fsid && attributes->has_fileid)
		name_tree_identify(names->tree, node, attributes->fsid, attributes->fileid);
}

/* Whether it is the directory itself, or the one above, which have other names. */
static bool is_dots(struct rtap_span name)
{
	return name.length && name.length <= 2 && name.bytes[0] == '.' && name.bytes[name.length - 1] == '.';
}

/* A reply that found or created a name returned its handle. */
static struct name_node *learn(struct nfs_names *names, struct name_node *directory, struct kept name, struct kept handle,
			       const struct call_attributes *attributes)
{
	struct name_node *node = node_of_handle(names, handle);
	struct rtap_span called = piece_of(names, name);

	if (!node)
		return directory ? name_tree_find(names->tree, directory, called) : NULL;
	if (attributes)
		nfs_names_identify(names, node, attributes);
	if (directory && called.bytes && !is_dots(called))
		node = name_tree_bind(names->tree, directory, called, node);
	return node;
}

/* GETFH: the handle of a place known by name only. */
static void learn_current(struct nfs_names *names, struct kept handle)
{
	struct nfs_place *place = &names->current;
	struct rtap_span piece = piece_of(names, handle);

	if (!piece.bytes)
		return;
	if (place->node && SLIST_EMPTY(&place->node->handles) && !name_tree_find_handle(names->tree, names->server, piece)) {
		name_tree_add_handle(names->tree, place->node, piece);
		return;
	}
	if (!place->node || !place->directory)
		go_to(names, learn(names, place->directory, place->name, handle, NULL));
}

static void create(struct nfs_names *names, struct name_node *node, const struct call_operation *call, bool has_succeeded)
{
	if (node && names->file_created)
		names->file_created(names, node, call, has_succeeded);
}

/* The opened file is now known by its handle, or at least by its name. */
static void finish_open(struct nfs_names *names)
{
	const struct call_operation *opened = names->opened;

	names->opened = NULL;
	if (opened)
		create(names, nfs_names_current(names), opened, names->opened_certain);
}

static void remove_name(struct nfs_names *names, struct name_node *directory, struct kept name)
{
	struct rtap_span piece = piece_of(names, name);

	if (directory && piece.bytes)
		name_tree_unbind(names->tree, directory, piece);
}

static void rename_name(struct nfs_names *names, struct name_node *from, struct name_node *to, const struct call_operation *call)
{
	struct rtap_span old = piece_of(names, call->name), new = piece_of(names, call->to_name);

	if (from && to && old.bytes && new.bytes)
		name_tree_rename(names->tree, from, old, to, new);
}

static void nfs3_done(struct nfs_names *names, const struct call_operation *call, const struct reply_operation *reply)
{
	struct name_node *node = node_of_handle(names, call->handle), *directory = node_of_handle(names, call->directory);

	nfs_names_identify(names, directory, &reply->directory);
	switch ((enum nfs3_procedure)call->number) {
	case NFS3_LOOKUP:
	case NFS3_MKDIR:
	case NFS3_SYMLINK:
	case NFS3_MKNOD:
		if (reply->handle.there)
			learn(names, directory, call->name, reply->handle, &reply->attributes);
		return;
	case NFS3_CREATE:
		node = learn(names, directory, call->name, reply->handle, &reply->attributes);
		/* the handle of the new object is optional */
		if (!node && directory && piece_of(names, call->name).bytes)
			node = name_tree_make(names->tree, directory, piece_of(names, call->name));
		create(names, node, call, reply->has_succeeded);
		return;
	case NFS3_FSINFO:
		/* a client asks for this when it mounts a file system: it is the root, even if MOUNT was not captured */
		if (node)
			name_tree_be_root(names->tree, node);
		break;
	case NFS3_REMOVE:
	case NFS3_RMDIR:
		remove_name(names, directory, call->name);
		return;
	case NFS3_RENAME:
		rename_name(names, directory, node_of_handle(names, call->to_directory), call);
		return;
	case NFS3_LINK:
		if (node && directory && piece_of(names, call->name).bytes)
			name_tree_bind(names->tree, directory, piece_of(names, call->name), node);
		return;
	default:
		if (node && names->file_operation)
			names->file_operation(names, node, call, reply);
		break;
	}
	nfs_names_identify(names, node, &reply->attributes);
}

static void nfs4_done(struct nfs_names *names, const struct call_operation *call, const struct reply_operation *reply)
{
	struct name_node *node;

	if (call->number == NFS4_GETFH)
		learn_current(names, reply->handle);
	finish_open(names);
	switch (call->number) {
	case NFS4_PUTROOTFH:
		go_to(names, name_tree_root(names->tree, names->server));
		break;
	case NFS4_PUTFH:
		go_to(names, node_of_handle(names, call->handle));
		break;
	case NFS4_LOOKUP:
	case NFS4_CREATE:
		go_to_name(names, call->name);
		break;
	case NFS4_LOOKUPP:
		node = nfs_names_current(names);
		go_to(names, node ? name_tree_parent(node) : NULL);
		break;
	case NFS4_PUTPUBFH:
	case NFS4_OPENATTR:
	case NFS4_SECINFO:
	case NFS4_SECINFO_NO_NAME:
		go_to(names, NULL);
		break;
	case NFS4_OPEN:
		if (call->name.there)
			go_to_name(names, call->name);
		if (call->creates)
			names->opened = call;
		names->opened_certain = reply->has_succeeded;
		break;
	case NFS4_SAVEFH:
		names->saved = names->current;
		break;
	case NFS4_RESTOREFH:
		names->current = names->saved;
		break;
	case NFS4_REMOVE:
		remove_name(names, nfs_names_current(names), call->name);
		break;
	case NFS4_RENAME:
		rename_name(names, nfs_names_saved(names), nfs_names_current(names), call);
		break;
	case NFS4_LINK:
		if (call->name.there && nfs_names_current(names) && nfs_names_saved(names))
			name_tree_bind(names->tree, nfs_names_current(names), piece_of(names, call->name), nfs_names_saved(names));
		break;
	case NFS4_GETATTR:
		nfs_names_identify(names, nfs_names_current(names), &reply->attributes);
		break;
	default:
		node = nfs_names_current(names);
		if (node && names->file_operation)
			names->file_operation(names, node, call, reply);
		break;
	}
}

static void mounted(struct nfs_names *names, const struct call_operation *call, const struct reply_operation *reply)
{
	struct name_node *node = node_of_handle(names, reply->handle);

	if (!node)
		return;
	name_tree_be_root(names->tree, node);
	if (node->is_root)
		name_tree_mounted(names->tree, node, piece_of(names, call->name));
}

void nfs_names_operation(struct nfs_names *names, const struct call_operation *call, const struct reply_operation *reply)
{
	switch (names->calls.protocol) {
	case CALLS_MOUNT:
		mounted(names, call, reply);
		break;
	case CALLS_NFS3:
		nfs3_done(names, call, reply);
		break;
	case CALLS_NFS4:
		nfs4_done(names, call, reply);
		break;
	}
}

/* A directory entry gives a name to a handle, or else to the fileid of a file without a name. */
void nfs_names_entry(struct nfs_names *names, const struct call_operation *call, const struct reply_operation *reply, const struct reply_entry *entry)
{
	struct name_node *directory = names->calls.protocol == CALLS_NFS3 ? node_of_handle(names, call->directory) : nfs_names_current(names), *node;
	struct call_attributes attributes = entry->attributes;

	if (!directory || !entry->name.there || is_dots(piece_of(names, entry->name)))
		return;
	nfs_names_identify(names, directory, &reply->directory);
	if (entry->handle.there) {
		learn(names, directory, entry->name, entry->handle, &attributes);
		return;
	}
	if (!attributes.has_fsid && directory->has_id)
		memcpy(attributes.fsid, directory->fsid, sizeof attributes.fsid);
	else if (!attributes.has_fsid)
		return;
	node = attributes.has_fileid ? name_tree_of_id(names->tree, names->server, attributes.fsid, attributes.fileid) : NULL;
	if (node && LIST_EMPTY(&node->names) && !node->is_root && node != directory)
		name_tree_bind(names->tree, directory, piece_of(names, entry->name), node);
}

void nfs_names_found(struct nfs_names *names, struct name_server *server, struct rtap_span directory, struct rtap_span name,
		     struct rtap_span handle)
{
	struct name_node *above = name_tree_of_handle(names->tree, server, directory), *node = name_tree_of_handle(names->tree, server, handle);

	if (is_dots(name))
		return;
	if (above && node)
		name_tree_bind(names->tree, above, name, node);
	else if (above && !name_tree_find(names->tree, above, name))
		name_tree_make(names->tree, above, name);
}

void nfs_names_removed(struct nfs_names *names, struct name_server *server, struct rtap_span directory, struct rtap_span name)
{
	struct name_node *node = name_tree_of_handle(names->tree, server, directory);

	if (node)
		name_tree_unbind(names->tree, node, name);
}

void nfs_names_begin(struct nfs_names *names, struct name_server *server)
{
	names->server = server;
	go_to(names, NULL);
	names->saved = names->current;
}

void nfs_names_end(struct nfs_names *names)
{
	finish_open(names);
}
