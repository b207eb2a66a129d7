/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NFSv4 types shared by operations, attributes and callbacks, and the walk over a COMPOUND.
 */
#ifndef DISSECT_RPC_NFS4_TYPES_H
#define DISSECT_RPC_NFS4_TYPES_H

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/xdr_walk.h"

extern const struct xdr_type nfs_stateid4, nfs_time4, nfs_fsid4, nfs_specdata4, nfs_ace4, nfs_netaddr4;
extern const struct xdr_type nfs_state_owner4, nfs_write_response4, nfs_open_delegation4, nfs_device4;

/* A stateid4: all bytes, hashes, and its parts. The hashes are the CRC-16 (X.25) of all bytes and the CRC-32 of `other`. */
enum result nfs_walk_stateid(struct xdr_walk *walk, const struct xdr_item *item);

/* A bitmap4, whose words are values of the item's row. */
enum result nfs_walk_bitmap(struct xdr_walk *walk, const struct xdr_item *item);

#define NFS_STATEID_LENGTH 16

#define NFS_BITMAP(row) { XDR_KIND_HOOK_WORDS, 0, 0, row, XDR_NO_ROW, 0, { .hook = nfs_walk_bitmap } }
#define NFS_STATEID4(tag) XDR_HOOK_OF(FIXED, NFS_STATEID_LENGTH, nfs_walk_stateid, tag)

/* An operation of COMPOUND or CB_COMPOUND. Without `call` it has no arguments; without `reply` its result is only the status. */
struct nfs_operation {
	uint8_t tier; /* 1 (the COMPOUND's purpose) to 4 (in every COMPOUND): nfs.main_opcode has those of the lowest tier; 0: none */
	const struct xdr_item *call, *reply;
};

/*
 * The operations of a COMPOUND after its header: their count and the operations. `operations` is indexed by number, up to `count`;
 * `names` has consecutive numbers, from that of its first row up to `count`.
 */
struct nfs_compound {
	const struct nfs_operation *operations;
	const struct rtap_name *names;
	uint32_t count;
	uint16_t opcode_row, main_row; /* main_row: or XDR_NO_ROW */
};

enum result nfs_walk_compound(struct xdr_walk *walk, const struct nfs_compound *compound);

#endif
