/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A WRITE of data into memory that NCCL announced: the transfer that it belongs to, and the size in its immediate data. All that is known
 * of them comes from other packets (packet->request).
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/nccl/nccl_cts.h"

static uint64_t index_of(const struct packet_request *request)
{
	return (uint64_t)request->detail << 32 | request->code;
}

static bool size_of(const struct rtap_packet *packet, uint64_t *size)
{
	uint32_t immediate = packet->ib.immediate;

	if (!packet->ib.has_immediate || packet->request.queue_kind == NCCL_ORDER_UNKNOWN)
		return false;
	*size = packet->request.queue_kind == NCCL_ORDER_BIG ? immediate : __builtin_bswap32(immediate);
	return true;
}

static bool derive_index(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	value->number = index_of(&packet->request);
	return packet->request.is_known;
}

static bool derive_frame(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	value->number = packet->request.frame;
	return packet->request.frame;
}

static bool derive_size(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	return size_of(packet, &value->number);
}

#define DERIVED(name, label, width, flags, derive) { name, label, 0, width, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES | (flags), NULL, derive, NULL }

static const struct rtap_field data_fields[] = {
	DERIVED("nccl.data.idx", "Index", 64, 0, derive_index),
	DERIVED("nccl.data.size", "Size (immediate data)", 32, 0, derive_size),
	DERIVED("nccl.data.announced_in", "Announced In", 64, RTAP_IGNORED, derive_frame),
};

static enum result parse_data(struct parse *parse)
{
	parse->packet->request = parse->context->request;
	if (parse->packet->layer_count < RTAP_MAX_LAYERS)
		packet_add_layer(parse->packet, PROTOCOL_NCCL_DATA, parse->source, parse_offset(parse), 0);
	if (parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return OK;
}

static void summary_data(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	uint64_t size;

	(void)layer;
	line_text(line, ": NCCL transfer ");
	line_dec(line, index_of(&packet->request));
	if (!size_of(packet, &size))
		return;
	line_text(line, ", ");
	line_count(line, size, "byte", "bytes");
}

const struct protocol nccl_data_protocol = {
	.table = { "nccl.data", "NCCL/RCCL Data", "net_ib", 0, FIELDS(data_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_data,
	.summary = summary_data,
};
