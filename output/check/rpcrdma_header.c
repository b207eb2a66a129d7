/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/rpc/rpcrdma.h"
#include "output/check/rpcrdma_header.h"

static bool add_segment(struct rpcrdma_header *header, struct cursor *cursor, enum rpcrdma_list list, uint32_t position)
{
	struct rpcrdma_segment segment = { .list = (uint8_t)list, .position = position, .chunk = (uint8_t)header->write_chunks };
	uint64_t offset;

	if (cursor_u32(cursor, &segment.handle) || cursor_u32(cursor, &segment.length) || cursor_u64(cursor, &offset))
		return false;
	if (list != RPCRDMA_READ)
		segment.position = (uint32_t)(offset ^ offset >> 32);
	if (header->segment_count < RPCRDMA_SEGMENTS)
		header->segments[header->segment_count] = segment;
	header->segment_count++;
	return true;
}

/* The segments of one chunk, after their number. */
static bool read_chunk(struct rpcrdma_header *header, struct cursor *cursor, enum rpcrdma_list list)
{
	uint32_t count;

	if (cursor_u32(cursor, &count))
		return false;
	for (; count; count--)
		if (!add_segment(header, cursor, list, 0))
			return false;
	return true;
}

static bool read_lists(struct rpcrdma_header *header, struct cursor *cursor)
{
	uint32_t more = 0, position;

	while (!cursor_u32(cursor, &more) && more)
		if (more > 1 || cursor_u32(cursor, &position) || !add_segment(header, cursor, RPCRDMA_READ, position))
			return false;
	while (!cursor_u32(cursor, &more) && more) {
		if (more > 1 || !read_chunk(header, cursor, RPCRDMA_WRITE))
			return false;
		header->write_chunks++;
	}
	if (cursor_u32(cursor, &more) || more > 1)
		return false;
	header->has_reply_chunk = more != 0;
	return !more || read_chunk(header, cursor, RPCRDMA_REPLY);
}

/* The part of the RPC message that the SEND has: RFC 5531, section 9. */
static void read_rpc(struct rpcrdma_header *header, struct cursor *cursor)
{
	uint32_t rpc_version;

	header->has_rpc = !cursor_u32(cursor, &header->rpc_xid) && !cursor_u32(cursor, &header->rpc_type);
	header->has_procedure = header->has_rpc && !header->rpc_type && !cursor_u32(cursor, &rpc_version) && rpc_version == 2 &&
		!cursor_u32(cursor, &header->procedure.program) && !cursor_u32(cursor, &header->procedure.version) &&
		!cursor_u32(cursor, &header->procedure.number);
}

uint64_t rpcrdma_header_chunk_length(const struct rpcrdma_header *header, enum rpcrdma_list list, uint32_t position, uint32_t chunk)
{
	uint64_t length = 0;

	for (uint32_t i = 0; i < header->segment_count && i < RPCRDMA_SEGMENTS; i++) {
		const struct rpcrdma_segment *segment = &header->segments[i];

		if (segment->list == list && (list != RPCRDMA_READ || segment->position == position) && (list != RPCRDMA_WRITE || segment->chunk == chunk))
			length += segment->length;
	}
	return length;
}

bool rpcrdma_header_read(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rpcrdma_header *header)
{
	uint32_t captured = packet->sources[layer->source].captured;
	struct cursor cursor = { layer_bytes(packet, layer), captured - layer->offset, captured - layer->offset };

	*header = (struct rpcrdma_header){ 0 };
	if (layer->offset > captured || cursor_u32(&cursor, &header->xid) || cursor_u32(&cursor, &header->version) ||
	    cursor_u32(&cursor, &header->credits) || cursor_u32(&cursor, &header->type))
		return false;
	/* ERR_VERS has the version that is refused: RFC 8166, 4.5 */
	if (header->type == RDMA_ERROR) {
		header->has_error = !cursor_u32(&cursor, &header->error);
		header->has_versions = header->has_error && !cursor_u32(&cursor, &header->low) && !cursor_u32(&cursor, &header->high);
		return true;
	}
	if (header->version != RPCRDMA_VERSION_1)
		return true;
	if (header->type != RDMA_MSG && header->type != RDMA_NOMSG)
		return true;
	header->is_whole = read_lists(header, &cursor) && header->segment_count <= RPCRDMA_SEGMENTS;
	header->rpc = cursor.next;
	header->rpc_captured = cursor.captured;
	header->rpc_offset = captured - layer->offset - cursor.captured;
	if (header->is_whole && header->type == RDMA_MSG)
		read_rpc(header, &cursor);
	return true;
}
