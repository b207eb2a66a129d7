/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NFSv4 attributes.
 */
#ifndef DISSECT_RPC_NFS4_ATTRIBUTES_H
#define DISSECT_RPC_NFS4_ATTRIBUTES_H

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/xdr_walk.h"

extern const struct xdr_type nfs_fattr4;

/* A bitmap4 of attributes: mask, count and attribute numbers; fattr4: the same with the attribute values. */
enum result nfs_walk_attribute_mask(struct xdr_walk *walk, const struct xdr_item *item);
enum result nfs_walk_fattr4(struct xdr_walk *walk, const struct xdr_item *item);

#define NFS_ATTRIBUTE_MASK XDR_HOOK_OF(WORDS, 0, nfs_walk_attribute_mask, 0)
#define NFS_FATTR4 XDR_HOOK_OF(ATTRIBUTES, 0, nfs_walk_fattr4, 0)

#endif
