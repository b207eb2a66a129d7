/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types of NFSv4 that operations, attributes and callbacks share, and the walk over a COMPOUND's operations. RFC 7863.
 */
#include "config.h"

#include <zlib.h>

#include "dissect/rpc/nfs4_types.h"
#include "dissect/rpc/xdr_walk.h"

#define STATEID_OTHER 12
#define MAX_MAIN 16 /* operations of one tier that are remembered */

/* CRC-16 of X.25 (ITU-T V.42, 8.1.1.6.1): reflected, all ones before and after. */
static uint16_t crc16(const uint8_t *bytes, unsigned length)
{
	unsigned crc = 0xffff;

	while (length--) {
		crc ^= *bytes++;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x8408 : 0);
	}
	return (uint16_t)~crc;
}

enum result nfs_walk_stateid(struct xdr_walk *walk, const struct xdr_item *item)
{
	struct xdr before = *walk->xdr;
	uint64_t offset = before.position;
	const uint8_t *id;
	enum result result = xdr_take(walk->xdr, NFS_STATEID_LENGTH, walk->scratch, sizeof walk->scratch, &id);

	(void)item;
	if (result != OK)
		return result;
	if (!id) {
		*walk->xdr = before;
		return TRUNCATED;
	}
	xdr_report_bytes(walk, NFS_STATEID, id, offset, NFS_STATEID_LENGTH);
	if (walk->sink->hashes && xdr_wants(walk, NFS_STATEID_HASH))
		xdr_report(walk, NFS_STATEID_HASH, crc16(id, NFS_STATEID_LENGTH), NFS_STATEID_LENGTH);
	xdr_report_bytes(walk, NFS_STATEID_OTHER, id + 4, offset + 4, STATEID_OTHER);
	if (walk->sink->hashes && xdr_wants(walk, NFS_STATEID_OTHER_HASH))
		xdr_report(walk, NFS_STATEID_OTHER_HASH, crc32_z(0, id + 4, STATEID_OTHER), STATEID_OTHER);
	xdr_report(walk, NFS_STATEID_SEQID, load32(id), NFS_STATEID_LENGTH);
	return OK;
}

enum result nfs_walk_bitmap(struct xdr_walk *walk, const struct xdr_item *item)
{
	uint32_t count, word;
	enum result result = xdr_u32(walk->xdr, &count);

	if (result == OK && count > xdr_left(walk->xdr) / 4)
		return MALFORMED;
	for (; result == OK && count; count--)
		result = xdr_report_word(walk, item->row, &word);
	return result;
}

static const struct xdr_item stateid_items[] = { NFS_STATEID4(0), XDR_END };
const struct xdr_type nfs_stateid4 = { NULL, stateid_items, 0 };

static const struct xdr_item time_items[] = { XDR_U64(NFS_TIME_SECONDS), XDR_U32(NFS_TIME_NSECONDS), XDR_END };
const struct xdr_type nfs_time4 = { NULL, time_items, 12 };

static const struct xdr_item fsid_items[] = { XDR_U64(NFS_FSID_MAJOR), XDR_U64(NFS_FSID_MINOR), XDR_END };
const struct xdr_type nfs_fsid4 = { NULL, fsid_items, 16 };

static const struct xdr_item specdata_items[] = { XDR_U32(NFS_SPECDATA1), XDR_U32(NFS_SPECDATA2), XDR_END };
const struct xdr_type nfs_specdata4 = { NULL, specdata_items, 8 };

static const struct xdr_item ace_items[] = {
	XDR_U32(NFS_ACE_TYPE), XDR_U32(NFS_ACE_FLAGS), XDR_U32(NFS_ACE_MASK), XDR_OPAQUE(NFS_WHO, 0), XDR_END,
};
const struct xdr_type nfs_ace4 = { "ACE", ace_items, 0 };

static const struct xdr_item netaddr_items[] = { XDR_OPAQUE(NFS_NETID, 0), XDR_OPAQUE(NFS_UADDR, 0), XDR_END };
const struct xdr_type nfs_netaddr4 = { NULL, netaddr_items, 0 };

static const struct xdr_item owner_items[] = { XDR_U64(NFS_CLIENTID), XDR_OPAQUE(NFS_LOCK_OWNER, 1024), XDR_END };
const struct xdr_type nfs_state_owner4 = { NULL, owner_items, 0 };

static const struct xdr_item device_items[] = { XDR_FIXED(NFS_DEVICEID, 16), XDR_END };
const struct xdr_type nfs_device4 = { NULL, device_items, 0 };

static const struct xdr_item write_response_items[] = {
	XDR_ARRAY(NFS_CALLBACK_IDS, 1, nfs_stateid4), XDR_U64(NFS_LENGTH4), XDR_U32(NFS_STABLE_HOW4), XDR_U64(NFS_VERIFIER4), XDR_END,
};
const struct xdr_type nfs_write_response4 = { NULL, write_response_items, 0 };

/* open_delegation4 */
XDR_TYPE(limit_size, NULL, XDR_U64(NFS_FILESIZE));
XDR_TYPE(limit_blocks, NULL, XDR_U32(NFS_NUM_BLOCKS), XDR_U32(NFS_BYTES_PER_BLOCK));

enum { LIMIT_SIZE = 1, LIMIT_BLOCKS };
static const struct xdr_union space_limit = { NULL, 2, { { LIMIT_SIZE, &limit_size }, { LIMIT_BLOCKS, &limit_blocks } } };

XDR_TYPE(read_delegation, NULL, NFS_STATEID4(0), XDR_BOOL(NFS_RECALL), XDR_STRUCT(nfs_ace4));
XDR_TYPE(write_delegation, NULL, NFS_STATEID4(0), XDR_BOOL(NFS_RECALL), XDR_SWITCH(NFS_LIMIT_BY, space_limit),
	 XDR_STRUCT(nfs_ace4));
XDR_TYPE(promise, NULL, XDR_BOOL(NFS_DELEGATION_PROMISE));

enum { WHY_CONTENTION = 1, WHY_RESOURCE };
static const struct xdr_union none_delegation = { &xdr_void, 2, { { WHY_CONTENTION, &promise }, { WHY_RESOURCE, &promise } } };

XDR_TYPE(why_none, NULL, XDR_SWITCH(NFS_WHY_NO_DELEGATION, none_delegation));

/* the last two: RFC 9754, section 4 */
enum { DELEGATE_NONE, DELEGATE_READ, DELEGATE_WRITE, DELEGATE_NONE_EXT, DELEGATE_READ_ATTRS, DELEGATE_WRITE_ATTRS };

static const struct xdr_union delegation = {
	NULL, 6,
	{ { DELEGATE_NONE, &xdr_void }, { DELEGATE_READ, &read_delegation }, { DELEGATE_WRITE, &write_delegation },
	  { DELEGATE_NONE_EXT, &why_none }, { DELEGATE_READ_ATTRS, &read_delegation }, { DELEGATE_WRITE_ATTRS, &write_delegation } },
};

static const struct xdr_item delegation_items[] = { XDR_SWITCH(NFS_DELEGATION_TYPE, delegation), XDR_END };
const struct xdr_type nfs_open_delegation4 = { "Delegation", delegation_items, 0 };

static const struct xdr_union no_result = { &xdr_void, 0, { { 0, NULL } } };
static const struct xdr_item status_alone[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, no_result), XDR_END };

/* The main operations of the COMPOUND: those of the lowest tier. */
struct mains {
	uint8_t tier;
	unsigned count;
	uint32_t operations[MAX_MAIN];
};

static void note_main(struct mains *mains, uint32_t number, uint8_t tier)
{
	if (tier > mains->tier)
		return;
	if (tier < mains->tier)
		mains->count = 0;
	mains->tier = tier;
	if (mains->count < MAX_MAIN)
		mains->operations[mains->count++] = number;
}

static const struct nfs_operation illegal = { 1, NULL, NULL };

/* The table of an operation; NULL: no such operation. */
static const struct nfs_operation *find_operation(const struct nfs_compound *compound, uint32_t number)
{
	if (number < compound->count && compound->operations[number].tier)
		return &compound->operations[number];
	return number == NFS4_ILLEGAL ? &illegal : NULL;
}

static const char *name_of(const struct nfs_compound *compound, const struct nfs_operation *found, uint32_t number)
{
	if (!found || found == &illegal)
		return rtap_name_of(compound->names, number);
	return compound->names[number - (uint32_t)compound->names->value].name;
}

static enum result operation(struct xdr_walk *walk, const struct nfs_compound *compound, struct mains *mains)
{
	const struct nfs_operation *found;
	const struct xdr_item *items;
	uint64_t offset = walk->xdr->position;
	uint32_t number;
	enum result result = xdr_u32(walk->xdr, &number);

	if (result != OK)
		return result;
	if (walk->sink->value)
		xdr_report(walk, compound->opcode_row, number, 4);
	found = find_operation(compound, number);
	if (walk->sink->operation)
		walk->sink->operation(walk->sink, number, name_of(compound, found, number), offset);
	if (!found)
		return MALFORMED;
	if (walk->sink->value)
		note_main(mains, number, found->tier);
	items = walk->is_reply ? found->reply ? found->reply : status_alone : found->call;
	return items ? xdr_walk_items(walk, items) : OK;
}

/* Skips an operation whose values are not reported and returns its end. NULL: not known without a walk; nothing was reported. */
static inline const uint8_t *pass_operation(struct xdr_walk *walk, const struct nfs_compound *compound, const uint8_t *next,
					    const uint8_t *end)
{
	struct xdr_sink *sink = walk->sink;
	uint32_t number = end - next < 8 ? UINT32_MAX : load32(next), status = walk->is_reply && number != UINT32_MAX ? load32(next + 4) : 0;
	const struct nfs_operation *found = find_operation(compound, number);
	const struct xdr_item *items;
	const uint8_t *after;

	if (!found)
		return NULL;
	items = walk->is_reply ? found->reply ? found->reply : status_alone : found->call;
	if (walk->is_reply && items->kind != XDR_KIND_STATUS)
		return NULL;
	after = items ? xdr_pass_items(items, next + 4, end, sink->eligible) : next + 4;
	if (!after)
		return NULL;
	if (sink->operation)
		sink->operation(sink, number, name_of(compound, found, number), walk->xdr->position + (uint64_t)(next - walk->xdr->next));
	if (walk->is_reply && sink->status)
		sink->status(sink, status, xdr_name(walk, items->row, status));
	return after;
}

/* Skips the leading operations for which this is possible. Returns how many of `count` are left. */
static uint32_t pass_operations(struct xdr_walk *walk, const struct nfs_compound *compound, uint32_t count)
{
	const uint8_t *next = walk->xdr->next, *end = xdr_end(walk->xdr);

	for (; count && !walk->sink->stop; count--) {
		const uint8_t *after = pass_operation(walk, compound, next, end);

		if (!after)
			break;
		next = after;
	}
	walk->xdr->position += (uint64_t)(next - walk->xdr->next);
	walk->xdr->next = next;
	return count;
}

enum result nfs_walk_compound(struct xdr_walk *walk, const struct nfs_compound *compound)
{
	struct mains mains;
	uint32_t count;
	enum result result = xdr_u32(walk->xdr, &count);

	if (result != OK)
		return result;
	if (count > xdr_left(walk->xdr) / 4)
		return MALFORMED;
	xdr_report(walk, NFS_OPS_COUNT, count, 4);
	mains.tier = UINT8_MAX;
	mains.count = 0;
	if (xdr_is_silent(walk->sink))
		count = pass_operations(walk, compound, count);
	for (; result == OK && count && !walk->sink->stop; count--) {
		xdr_enter(walk, "Operation");
		result = operation(walk, compound, &mains);
		xdr_leave(walk);
	}
	for (unsigned i = 0; i < mains.count && result == OK; i++)
		xdr_report(walk, compound->main_row, mains.operations[i], 0);
	return result;
}
