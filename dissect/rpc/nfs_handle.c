/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <zlib.h>

#include "dissect/rpc/nfs_handle.h"
#include "dissect/rpc/xdr_walk.h"

/* Skips a handle and its length if all of it is in memory. False: it is not, or it is too long; nothing moved. */
static bool pass_handle(struct xdr *xdr, uint32_t limit)
{
	uint32_t length = xdr->end - xdr->next < 4 ? UINT32_MAX : load32(xdr->next);

	return length <= limit && xdr_pass(xdr, 4 + length + -length % 4);
}

enum result nfs_walk_handle(struct xdr_walk *walk, const struct xdr_item *item)
{
	uint32_t length;
	enum result result;
	const uint8_t *handle;
	uint64_t offset;

	if (walk->sink->brief && !walk->sink->handles && pass_handle(walk->xdr, item->bound))
		return OK;
	result = xdr_u32(walk->xdr, &length);
	if (result != OK)
		return result;
	if (length > item->bound)
		return MALFORMED;
	xdr_report(walk, NFS_FH_LENGTH, length, 4);
	offset = walk->xdr->position;
	result = xdr_take(walk->xdr, length, walk->scratch, sizeof walk->scratch, &handle);
	if (result != OK)
		return result;
	if (handle && walk->sink->hashes && xdr_wants(walk, NFS_FH_HASH))
		xdr_report(walk, NFS_FH_HASH, crc32_z(0, handle, length), length);
	xdr_report_bytes(walk, NFS_FHANDLE, handle, offset, length);
	return xdr_skip(walk->xdr, -length % 4);
}
