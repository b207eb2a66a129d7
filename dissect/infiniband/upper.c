/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ipoib.h"
#include "dissect/engine/parse.h"
#include "dissect/lnet/lnet.h"
#include "dissect/nvme/nvme_command.h"
#include "dissect/rds/rds.h"
#include "dissect/rnbd/rtrs.h"
#include "dissect/rpc/rpcrdma.h"
#include "dissect/scsi/iser.h"
#include "dissect/scsi/srp.h"
#include "dissect/smb/smb_direct.h"
#include "dissect/infiniband/upper.h"

/* The protocol declared or learned for the queue pair. */
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

/* Services on which a protocol is recognised by content: a bit for each enum ib_service, and one for iWARP. */
#define ON(service) (1u << (service) / IB_UC)
#define ON_RELIABLE (ON(IB_RC) | ON(IB_XRC))
#define ON_IWARP 0x100u

/* A necessary condition for a protocol's content: bits of a big-endian word. It avoids most calls of recognise(). */
#define WORD(at, mask, value) at, mask, value
#define ANY_WORD WORD(0, 0, 0)

/* Protocols of SENDs, in the order in which their content is tested. */
static const struct upper {
	uint16_t protocol;
	uint16_t services;
	bool (*recognise)(const struct cursor *cursor); /* NULL: only if declared */
	uint32_t at, mask, value;
} uppers[RTAP_UPPER_COUNT] = {
	[RTAP_UPPER_DATA] = { PROTOCOL_PAYLOAD, 0, NULL, ANY_WORD },
	/* RFC 8166, 3.1: needs a reliable connection. The word is the version. */
	[RTAP_UPPER_RPCRDMA] = { PROTOCOL_RPCRDMA, ON_RELIABLE | ON_IWARP, rpcrdma_recognise, WORD(4, 0xffffffff, 1) },
	/* RFC 4391: datagrams; RFC 4755: connections. The bits that Ethertypes 0x0800, 0x0806 and 0x86dd share, and a reserved field */
	[RTAP_UPPER_IPOIB] = { PROTOCOL_IPOIB, ON(IB_UD) | ON(IB_RC) | ON(IB_UC), ipoib_recognise, WORD(0, 0x7100ffff, 0) },
	[RTAP_UPPER_EOIB] = { PROTOCOL_EOIB, ON(IB_UD), eoib_recognise, ANY_WORD },
	/* flags: a keyed SGL */
	[RTAP_UPPER_NVME] = { PROTOCOL_NVME_COMMAND, ON_RELIABLE | ON_IWARP, nvme_recognise, WORD(0, 0x00ff0000, 0x00400000) },
	/* opcode, solicited notification, reserved */
	[RTAP_UPPER_SRP] = { PROTOCOL_SRP_COMMAND, ON_RELIABLE, srp_recognise, WORD(0, 0xfff8ffff, 0x02000000) },
	/* the type, little endian: 0 or 1 */
	[RTAP_UPPER_RTRS] = { PROTOCOL_RTRS_INFO_REQ, ON_RELIABLE, rtrs_recognise, WORD(0, 0xfeff0000, 0) },
	/* opcode and reserved bits */
	[RTAP_UPPER_ISER] = { PROTOCOL_ISER, ON_RELIABLE | ON_IWARP, iser_recognise, WORD(0, 0xf3ffffff, 0x10000000) },
	/* the bits that the magic number has in both byte orders */
	[RTAP_UPPER_LNET] = { PROTOCOL_LNET, ON_RELIABLE | ON_IWARP, lnet_recognise, WORD(0, 0x650d0d65, 0x01090901) },
	/* padding */
	[RTAP_UPPER_RDS] = { PROTOCOL_RDS, ON(IB_RC), rds_recognise, WORD(26, 0xffffffff, 0) },
	[RTAP_UPPER_SMB_DIRECT] = { PROTOCOL_SMB_DIRECT, ON_RELIABLE | ON_IWARP, smb_direct_recognise, ANY_WORD },
};

const char *rtap_upper_name(enum rtap_upper upper)
{
	static const char *const names[RTAP_UPPER_COUNT] = {
#define UPPER_NAME(identifier, name) [RTAP_UPPER_##identifier] = name,
		RTAP_UPPERS(UPPER_NAME)
#undef UPPER_NAME
	};

	return (unsigned)upper < RTAP_UPPER_COUNT ? names[upper] : NULL;
}

#define ABSENT (UINT64_C(1) << 32) /* instead of a word that was not captured: it matches nothing */

static inline uint64_t word_at(const struct cursor *cursor, uint32_t at)
{
	return cursor->captured >= at + 4 ? load32(cursor->next + at) : ABSENT;
}

/* The protocols whose words match: one bit for each. Unrolled, the table becomes constants, and no branch depends on the payload. */
static inline unsigned candidates(const struct cursor *cursor)
{
	unsigned found = 0;

#pragma GCC unroll 16
	for (unsigned i = 0; i < RTAP_UPPER_COUNT; i++)
		found |= (unsigned)((word_at(cursor, uppers[i].at) & (uppers[i].mask | ABSENT)) == uppers[i].value) << i;
	return found;
}

static uint16_t recognise(const struct parse *parse, unsigned service)
{
	unsigned left = parse->context->no_heuristics ? 0 : candidates(&parse->cursor);

	for (; left; left &= left - 1) {
		const struct upper *upper = &uppers[__builtin_ctz(left)];

		if (upper->services & service && upper->recognise(&parse->cursor))
			return upper->protocol;
	}
	return PROTOCOL_PAYLOAD;
}

/* The protocol of a complete message that consumes a receive. */
static uint16_t upper_of_send(const struct parse *parse)
{
	const struct rtap_ib_facts *ib = &parse->packet->ib;
	enum rtap_upper upper;

	/* IBTA vol. 1, 13.5.1: QP0 and QP1 take nothing but MADs, as datagrams */
	if (ib->has_deth && ib_service(ib->opcode) == IB_UD && ib->dest_qpn <= 1)
		return PROTOCOL_MAD;
	upper = declared(parse);
	return upper == RTAP_UPPER_UNKNOWN ? recognise(parse, ON(ib_service(ib->opcode))) : uppers[upper].protocol;
}

static __attribute__((noinline)) enum result begin_send(struct parse *parse)
{
	parse->next = upper_of_send(parse);
	return OK;
}

uint16_t upper_of_iwarp_send(const struct parse *parse)
{
	uint8_t upper = parse->context->upper;

	return upper == RTAP_UPPER_UNKNOWN ? recognise(parse, ON_IWARP) : uppers[upper].protocol;
}

/* Immediate data of RTRS: with a WRITE, it makes that a request; without bytes, it is a response. False: not RTRS. */
static __attribute__((noinline)) bool begin_rtrs(struct parse *parse, const struct ib_opcode *opcode)
{
	const struct rtap_ib_facts *ib = &parse->packet->ib;
	enum rtap_upper upper = declared(parse);
	bool is_alone = opcode->place == IB_ONLY && parse->cursor.captured == parse->cursor.wire;
	struct rtrs_request request;

	if (!(ON(ib_service(ib->opcode)) & ON_RELIABLE) || !ib->has_immediate)
		return false;
	if (upper == RTAP_UPPER_UNKNOWN && is_alone && !parse->context->no_heuristics) {
		if (opcode->class == IB_SEND && !rtrs_is_rkey_response(parse->cursor.next, parse->cursor.captured, ib->immediate))
			return false;
		if (opcode->class == IB_WRITE &&
		    (!ib->has_reth || !rtrs_find_request(parse->cursor.next, parse->cursor.captured, ib->dma_length, ib->immediate, &request) ||
		     !rtrs_request_proves_itself(&request, ib->dma_length)))
			return false;
	} else if (upper != RTAP_UPPER_RTRS || !(opcode->class == IB_WRITE || is_alone)) {
		return false;
	}
	parse->next = opcode->class == IB_SEND ? PROTOCOL_RTRS_INFO_REQ : PROTOCOL_RTRS_WRITE;
	return true;
}

static inline enum result begin_at_cursor(struct parse *parse, const struct ib_opcode *opcode)
{
	if (unlikely(parse->context->written) && opcode->class == IB_WRITE) {
		parse->next = parse->context->written;
		return OK;
	}
	if (unlikely(opcode->headers & IB_IMMDT) && begin_rtrs(parse, opcode))
		return OK;
	if (!parse->cursor.wire)
		return OK;
	if (is_whole_send(parse, opcode))
		return begin_send(parse);
	parse->next = PROTOCOL_PAYLOAD;
	return OK;
}

bool upper_begin_chunk(struct parse *parse, const struct rtap_context *context)
{
	if (!context->chunk_protocol && !rpcrdma_pass(parse, context->chunk_header))
		return false;
	parse->next = context->chunk_protocol ? context->chunk_protocol : PROTOCOL_RPC;
	return true;
}

/* The context may have data reassembled from several packets that this one shows. */
static __attribute__((noinline)) enum result begin_assembled(struct parse *parse, const struct ib_opcode *opcode)
{
	const struct rtap_context *context = parse->context;

	if (context->chunk.bytes && (opcode->class == IB_READ_RESPONSE || opcode->class == IB_WRITE)) {
		if (parse_enter(parse, context->chunk))
			upper_begin_chunk(parse, context);
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
