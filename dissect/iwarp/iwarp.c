/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tagged and untagged DDP headers, and the facts of the RDMAP headers after them. RFC 5041, section 4; RFC 5040, section 4.
 */
#include "config.h"

#include "dissect/engine/clear.h"
#include "dissect/engine/cursor.h"
#include "dissect/iwarp/iwarp.h"
#include "dissect/iwarp/terminate.h"

/* Positions count from the ULPDU's first byte. RFC 5041, 4.2 and 4.3; RFC 5040, 4.1. */
#define DDP_TAGGED 0, 1
#define DDP_LAST 1, 1
#define DDP_RESERVED 2, 4
#define DDP_VERSION 6, 2
#define RDMAP_VERSION 8, 2
#define RDMAP_RESERVED 10, 2
#define RDMAP_OPCODE 12, 4
#define DDP_STAG 16, 32
#define DDP_TAGGED_OFFSET 48, 64
#define DDP_RESERVED_ULP 16, 32 /* after the RDMAP control field of one byte */
#define DDP_QN 48, 32
#define DDP_MSN 80, 32
#define DDP_MO 112, 32

/* RDMA Read Request. RFC 5040, 4.4. */
#define READ_LENGTH 28
#define READ_SINK_STAG 0, 32
#define READ_SINK_OFFSET 32, 64
#define READ_SIZE 96, 32
#define READ_SOURCE_STAG 128, 32
#define READ_SOURCE_OFFSET 160, 64

/* Atomic Request and Response, Immediate Data. RFC 7306, 5.2.1, 5.2.2, 6.1. */
#define ATOMIC_LENGTH 52
#define ATOMIC_OPCODE 28, 4
#define ATOMIC_IDENTIFIER 32, 32
#define ATOMIC_STAG 64, 32
#define ATOMIC_OFFSET 96, 64
#define ATOMIC_SWAP_ADD 160, 64
#define ATOMIC_SWAP_ADD_MASK 224, 64
#define ATOMIC_COMPARE 288, 64
#define ATOMIC_COMPARE_MASK 352, 64
#define ORIGINAL_LENGTH 12
#define ORIGINAL_IDENTIFIER 0, 32
#define ORIGINAL_VALUE 32, 64
#define IMMEDIATE_LENGTH 8
#define TERMINATE_LENGTH 4

/* RFC 5041, 4.1: version 1; the RDMA Consortium's stacks have 0 in both version fields. RFC 5040, 4.1. */
#define STANDARD_VERSION 1

const struct iwarp_opcode iwarp_opcodes[16] = {
	[RTAP_RDMAP_WRITE] = { .name = "Write", .tagged = true, .has_payload = true },
	[RTAP_RDMAP_READ_REQUEST] = { .name = "Read Request", .qn = 1, .header_length = READ_LENGTH },
	[RTAP_RDMAP_READ_RESPONSE] = { .name = "Read Response", .tagged = true, .has_payload = true },
	[RTAP_RDMAP_SEND] = { .name = "Send", .has_payload = true },
	[RTAP_RDMAP_SEND_INVALIDATE] = { .name = "Send with Invalidate", .has_payload = true, .invalidates = true },
	[RTAP_RDMAP_SEND_SE] = { .name = "Send with SE", .has_payload = true, .solicited = true },
	[RTAP_RDMAP_SEND_SE_INVALIDATE] = { .name = "Send with SE and Invalidate", .has_payload = true, .invalidates = true,
					    .solicited = true },
	[RTAP_RDMAP_TERMINATE] = { .name = "Terminate", .qn = 2, .header_length = TERMINATE_LENGTH },
	[RTAP_RDMAP_IMMEDIATE] = { .name = "Immediate Data", .header_length = IMMEDIATE_LENGTH },
	[RTAP_RDMAP_IMMEDIATE_SE] = { .name = "Immediate Data with SE", .header_length = IMMEDIATE_LENGTH, .solicited = true },
	[RTAP_RDMAP_ATOMIC_REQUEST] = { .name = "Atomic Request", .qn = 1, .header_length = ATOMIC_LENGTH },
	[RTAP_RDMAP_ATOMIC_RESPONSE] = { .name = "Atomic Response", .qn = 3, .header_length = ORIGINAL_LENGTH },
};

static void read_read_request(const uint8_t *header, struct rtap_iwarp_facts *facts)
{
	facts->has_read = true;
	facts->sink_stag = (uint32_t)bits(header, READ_SINK_STAG);
	facts->sink_offset = bits(header, READ_SINK_OFFSET);
	facts->read_length = (uint32_t)bits(header, READ_SIZE);
	facts->source_stag = (uint32_t)bits(header, READ_SOURCE_STAG);
	facts->source_offset = bits(header, READ_SOURCE_OFFSET);
}

static void read_atomic(const uint8_t *header, struct rtap_iwarp_facts *facts)
{
	facts->has_atomic = true;
	facts->atomic_opcode = (uint32_t)bits(header, ATOMIC_OPCODE);
	facts->request_identifier = (uint32_t)bits(header, ATOMIC_IDENTIFIER);
	facts->remote_stag = (uint32_t)bits(header, ATOMIC_STAG);
	facts->remote_offset = bits(header, ATOMIC_OFFSET);
	facts->swap_or_add = bits(header, ATOMIC_SWAP_ADD);
	facts->swap_or_add_mask = bits(header, ATOMIC_SWAP_ADD_MASK);
	facts->compare = bits(header, ATOMIC_COMPARE);
	facts->compare_mask = bits(header, ATOMIC_COMPARE_MASK);
}

static void read_body(const struct cursor *after, const uint8_t *header, struct rtap_iwarp_facts *facts)
{
	struct iwarp_terminate terminate;

	switch (facts->opcode) {
	case RTAP_RDMAP_READ_REQUEST:
		read_read_request(header, facts);
		break;
	case RTAP_RDMAP_ATOMIC_REQUEST:
		read_atomic(header, facts);
		break;
	case RTAP_RDMAP_ATOMIC_RESPONSE:
		facts->has_original = true;
		facts->request_identifier = (uint32_t)bits(header, ORIGINAL_IDENTIFIER);
		facts->original = bits(header, ORIGINAL_VALUE);
		break;
	case RTAP_RDMAP_IMMEDIATE:
	case RTAP_RDMAP_IMMEDIATE_SE:
		facts->has_immediate = true;
		facts->immediate = load64(header);
		break;
	case RTAP_RDMAP_TERMINATE:
		iwarp_read_terminate(header, after->captured, after->wire, &terminate);
		facts->has_terminate = true;
		facts->error_layer = terminate.layer;
		facts->error_type = terminate.type;
		facts->error_code = terminate.code;
		break;
	}
}

static void read_control(const uint8_t *head, struct rtap_iwarp_facts *facts)
{
	facts->tagged = bits(head, DDP_TAGGED);
	facts->last = bits(head, DDP_LAST);
	facts->ddp_reserved = (uint8_t)bits(head, DDP_RESERVED);
	facts->ddp_version = (uint8_t)bits(head, DDP_VERSION);
	facts->rdmap_version = (uint8_t)bits(head, RDMAP_VERSION);
	facts->rdmap_reserved = (uint8_t)bits(head, RDMAP_RESERVED);
	facts->opcode = (uint8_t)bits(head, RDMAP_OPCODE);
}

static enum result read_ddp(struct cursor *cursor, struct rtap_iwarp_facts *facts)
{
	const uint8_t *head = cursor->next, *bytes;
	enum result result;

	if (cursor->captured < 2)
		return cursor->wire < 2 ? MALFORMED : TRUNCATED;
	read_control(head, facts);
	result = cursor_take(cursor, facts->tagged ? DDP_TAGGED_LENGTH : DDP_UNTAGGED_LENGTH, &bytes);
	if (result != OK)
		return result;
	if (facts->tagged) {
		facts->stag = (uint32_t)bits(head, DDP_STAG);
		facts->tagged_offset = bits(head, DDP_TAGGED_OFFSET);
	} else {
		facts->invalidate_stag = (uint32_t)bits(head, DDP_RESERVED_ULP);
		facts->qn = (uint32_t)bits(head, DDP_QN);
		facts->msn = (uint32_t)bits(head, DDP_MSN);
		facts->mo = (uint32_t)bits(head, DDP_MO);
	}
	return OK;
}

enum result iwarp_read(const uint8_t *head, uint32_t length, uint32_t ulpdu_length, struct rtap_iwarp_facts *facts)
{
	struct cursor cursor = { head, length < ulpdu_length ? length : ulpdu_length, ulpdu_length };
	const struct iwarp_opcode *opcode;
	const uint8_t *header;
	enum result result;

	clear_bytes(facts, sizeof *facts);
	result = read_ddp(&cursor, facts);
	if (result != OK)
		return result;
	opcode = &iwarp_opcodes[facts->opcode];
	/* a header begins its message, and only untagged messages have one */
	if (opcode->header_length && !facts->tagged && !facts->mo) {
		result = cursor_take(&cursor, opcode->header_length, &header);
		if (result == OK)
			read_body(&cursor, header, facts);
	}
	facts->payload_offset = ulpdu_length - cursor.wire;
	facts->payload_length = opcode->has_payload || !opcode->name ? cursor.wire : 0;
	return result;
}

bool iwarp_is_plausible(const struct rtap_iwarp_facts *facts, uint32_t ulpdu_length)
{
	const struct iwarp_opcode *opcode = &iwarp_opcodes[facts->opcode];
	uint32_t rest;

	if (facts->ddp_version != STANDARD_VERSION || facts->rdmap_version != STANDARD_VERSION || facts->ddp_reserved || facts->rdmap_reserved ||
	    !opcode->name || opcode->tagged != facts->tagged)
		return false;
	if (facts->tagged)
		return ulpdu_length >= DDP_TAGGED_LENGTH;
	if (ulpdu_length < DDP_UNTAGGED_LENGTH || facts->qn != opcode->qn || (!opcode->invalidates && facts->invalidate_stag))
		return false;
	rest = ulpdu_length - DDP_UNTAGGED_LENGTH;
	if (opcode->has_payload)
		return true;
	/* these are one segment: RFC 5040, 5.2 and 5.4; RFC 7306, 5.2 and 6 */
	return facts->last && !facts->mo &&
	       (facts->opcode == RTAP_RDMAP_TERMINATE ? rest >= opcode->header_length : rest == opcode->header_length);
}

bool iwarp_is_whole_send(const uint8_t *ulpdu, uint32_t ulpdu_length)
{
	uint8_t opcode;

	if (ulpdu_length < DDP_UNTAGGED_LENGTH || bits(ulpdu, DDP_TAGGED) || !bits(ulpdu, DDP_LAST) || bits(ulpdu, DDP_RESERVED) ||
	    bits(ulpdu, DDP_VERSION) != STANDARD_VERSION || bits(ulpdu, RDMAP_VERSION) != STANDARD_VERSION || bits(ulpdu, RDMAP_RESERVED))
		return false;
	opcode = (uint8_t)bits(ulpdu, RDMAP_OPCODE);
	return iwarp_is_send(opcode) && !bits(ulpdu, DDP_QN) && !bits(ulpdu, DDP_MO) &&
	       (iwarp_opcodes[opcode].invalidates || !bits(ulpdu, DDP_RESERVED_ULP));
}

bool iwarp_follows(const struct rtap_iwarp_facts *previous, const struct rtap_iwarp_facts *next)
{
	if (!previous->last) {
		if (previous->tagged != next->tagged || previous->opcode != next->opcode)
			return false;
		if (next->tagged)
			return next->stag == previous->stag && next->tagged_offset == previous->tagged_offset + previous->payload_length;
		return next->qn == previous->qn && next->msn == previous->msn && next->mo == previous->mo + previous->payload_length;
	}
	if (next->tagged)
		return true;
	if (next->mo)
		return false;
	return previous->tagged || next->qn != previous->qn || next->msn - previous->msn - 1 < IWARP_MSN_STEP;
}
