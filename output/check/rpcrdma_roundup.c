/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdint.h>

#include "dissect/engine/cursor.h"
#include "dissect/rpc/rpcrdma.h"
#include "output/check/rpcrdma_roundup.h"
#include "output/check/subject.h"

#define NFS_PROGRAM 100003
#define NFS3_READLINK 5
#define NFS3_READ 6
#define NFS3_WRITE 7
#define NFS3_SYMLINK 10

/* Bytes of the RPC message in the SEND. False: unknown. */
static bool payload_length(const struct rpcrdma_header *header, uint64_t send_length, uint64_t *length)
{
	*length = send_length - header->rpc_offset;
	return header->type == RDMA_MSG && header->has_rpc && send_length > header->rpc_offset;
}

static void check_payload(const struct subject *subject, const struct rpcrdma_header *header, uint64_t send_length)
{
	uint64_t length;

	if (payload_length(header, send_length, &length) && length % 4)
		subject_break(subject, RULE_RPCRDMA_PAYLOAD_PAD, "%llu bytes of the RPC message after the header of xid 0x%08x", (unsigned long long)length,
			      header->xid);
}

static bool may_have_read_chunk(const struct rpcrdma_procedure *procedure)
{
	return procedure->program == NFS_PROGRAM &&
		(procedure->version == 4 || (procedure->version == 3 && (procedure->number == NFS3_WRITE || procedure->number == NFS3_SYMLINK)));
}

/*
 * The length of an opaque or string precedes its data, which the first read chunk replaces. NFS has no other items in read chunks: RFC 8267, 4.1
 * and 5.1. Chunks after the first have positions that count the data before them.
 */
void rpcrdma_roundup_call(const struct subject *subject, const struct rpcrdma_header *header, uint64_t send_length)
{
	const struct rpcrdma_segment *first = header->segments;
	uint64_t chunk, item;

	check_payload(subject, header, send_length);
	if (!header->has_procedure || !may_have_read_chunk(&header->procedure) || !header->segment_count || first->list != RPCRDMA_READ)
		return;
	if (first->position < 4 || first->position % 4 || first->position > header->rpc_captured)
		return;
	item = load32(header->rpc + first->position - 4);
	chunk = rpcrdma_header_chunk_length(header, RPCRDMA_READ, first->position, 0);
	if (chunk != item && chunk != (item + 3) / 4 * 4)
		subject_break(subject, RULE_RPCRDMA_READ_ROUNDUP, "chunk of %llu bytes for an item of %llu, xid 0x%08x", (unsigned long long)chunk,
			      (unsigned long long)item, header->xid);
}

/* XID, REPLY, MSG_ACCEPTED, an empty verifier of AUTH_NONE, SUCCESS, NFS3_OK. RFC 5531, section 9; RFC 1813, 2.6. */
static bool is_success(const uint8_t *words)
{
	return load32(words + 4) == 1 && !load32(words + 8) && !load32(words + 12) && !load32(words + 16) && !load32(words + 20) && !load32(words + 24);
}

/* The results of READ and READLINK end with the length of what the write chunk holds. RFC 1813, 3.3.5 and 3.3.6. */
void rpcrdma_roundup_reply(const struct subject *subject, const struct rpcrdma_header *header, uint64_t send_length,
			   const struct rpcrdma_procedure *call)
{
	bool has_last = call->program == NFS_PROGRAM && call->version == 3 && (call->number == NFS3_READ || call->number == NFS3_READLINK);
	uint64_t length, chunk, item;

	check_payload(subject, header, send_length);
	if (!has_last || !payload_length(header, send_length, &length) || length % 4 || length < 36 || length > header->rpc_captured ||
	    !is_success(header->rpc))
		return;
	item = load32(header->rpc + length - 4);
	chunk = rpcrdma_header_chunk_length(header, RPCRDMA_WRITE, 0, 0);
	if (chunk && chunk != item)
		subject_break(subject, RULE_RPCRDMA_WRITE_ROUNDUP, "chunk of %llu bytes for an item of %llu, xid 0x%08x", (unsigned long long)chunk,
			      (unsigned long long)item, header->xid);
}
