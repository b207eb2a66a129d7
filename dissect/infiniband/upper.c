/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ipoib.h"
#include "dissect/engine/parse.h"
#include "dissect/rpc/rpcrdma.h"
#include "dissect/infiniband/upper.h"

/* What was declared or learned of the queue pair. */
static inline enum rtap_upper declared(const struct parse *parse)
{
	const struct rtap_context *context = parse->context;

	for (size_t i = 0; i < context->decode_as_count; i++)
		if (context->decode_as[i].by == RTAP_DECODE_QPN && context->decode_as[i].number == parse->packet->ib.dest_qpn)
			return (enum rtap_upper)context->decode_as[i].upper;
	return (enum rtap_upper)context->upper;
}

/* Returns whether a complete message for a receive is available: in this packet, or reassembled and ending in it. */
static bool is_whole_send(const struct parse *parse, const struct ib_opcode *opcode)
{
	return opcode->class == IB_SEND && (opcode->place == IB_ONLY || parse->context->message.bytes);
}

static uint8_t recognise(const struct parse *parse, enum ib_service service)
{
	if (parse->context->no_heuristics)
		return PROTOCOL_PAYLOAD;
	/* RFC 8166, 3.1: RPC-over-RDMA needs a reliable connection */
	if ((service == IB_RC || service == IB_XRC) && rpcrdma_recognise(&parse->cursor))
		return PROTOCOL_RPCRDMA;
	/* datagrams (RFC 4391), or connections in each direction (RFC 4755) */
	if ((service == IB_UD || service == IB_RC || service == IB_UC) && ipoib_recognise(&parse->cursor))
		return PROTOCOL_IPOIB;
	if (service == IB_UD && eoib_recognise(&parse->cursor))
		return PROTOCOL_EOIB;
	return PROTOCOL_PAYLOAD;
}

/* What a whole message that a receive takes is. */
static uint8_t upper_of_send(const struct parse *parse)
{
	const struct rtap_ib_facts *ib = &parse->packet->ib;

	/* IBTA vol. 1, 13.5.1: QP0 and QP1 take nothing but MADs, as datagrams */
	if (ib->has_deth && ib_service(ib->opcode) == IB_UD && ib->dest_qpn <= 1)
		return PROTOCOL_MAD;
	switch (declared(parse)) {
	case RTAP_UPPER_RPCRDMA:
		return PROTOCOL_RPCRDMA;
	case RTAP_UPPER_IPOIB:
		return PROTOCOL_IPOIB;
	case RTAP_UPPER_DATA:
		return PROTOCOL_PAYLOAD;
	case RTAP_UPPER_UNKNOWN:
		break;
	}
	return recognise(parse, ib_service(ib->opcode));
}

static __attribute__((noinline)) enum result begin_send(struct parse *parse)
{
	parse->next = upper_of_send(parse);
	return OK;
}

uint8_t upper_of_iwarp_send(const struct parse *parse)
{
	switch ((enum rtap_upper)parse->context->upper) {
	case RTAP_UPPER_RPCRDMA:
		return PROTOCOL_RPCRDMA;
	case RTAP_UPPER_UNKNOWN:
		return !parse->context->no_heuristics && rpcrdma_recognise(&parse->cursor) ? PROTOCOL_RPCRDMA : PROTOCOL_PAYLOAD;
	default:
		return PROTOCOL_PAYLOAD;
	}
}

static inline enum result begin_at_cursor(struct parse *parse, const struct ib_opcode *opcode)
{
	if (!parse->cursor.wire)
		return OK;
	if (is_whole_send(parse, opcode))
		return begin_send(parse);
	parse->next = PROTOCOL_PAYLOAD;
	return OK;
}

/* The context may have data reassembled from several packets that this one shows. */
static __attribute__((noinline)) enum result begin_assembled(struct parse *parse, const struct ib_opcode *opcode)
{
	const struct rtap_context *context = parse->context;

	if (context->chunk.bytes && (opcode->class == IB_READ_RESPONSE || opcode->class == IB_WRITE)) {
		if (parse_enter(parse, context->chunk) && rpcrdma_pass(parse, context->chunk_header))
			parse->next = PROTOCOL_RPC;
		return OK;
	}
	if (context->message.bytes) {
		if (!parse_enter(parse, context->message))
			return OK;
		if (context->message_wire)
			parse->packet->sources[parse->source].wire = parse->cursor.wire = context->message_wire;
	}
	return begin_at_cursor(parse, opcode);
}

enum result upper_begin(struct parse *parse, const struct ib_opcode *opcode)
{
	const struct rtap_context *context = parse->context;

	parse->packet->payload = parse_rest(parse);
	if (unlikely(context->chunk.bytes || context->message.bytes))
		return begin_assembled(parse, opcode);
	return begin_at_cursor(parse, opcode);
}
