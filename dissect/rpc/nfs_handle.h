/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * File handles of all versions of NFS, and of the programs beside it.
 */
#ifndef DISSECT_RPC_NFS_HANDLE_H
#define DISSECT_RPC_NFS_HANDLE_H

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/xdr_walk.h"

/* A variable-length file handle: length, hash, bytes. Longer than the item's bound is MALFORMED. */
enum result nfs_walk_handle(struct xdr_walk *walk, const struct xdr_item *item);

#define NFS_HANDLE3_MAX 64 /* RFC 1813, 2.4: NFS3_FHSIZE */
#define NFS_HANDLE_MAX 128 /* NFSv4's, the longest */

#define NFS_HANDLE(bound, tag) XDR_HOOK_OF(OPAQUE, bound, nfs_walk_handle, tag)
#define NFS_HANDLE4(tag) NFS_HANDLE(NFS_HANDLE_MAX, tag)

#endif
