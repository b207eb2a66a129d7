/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC exchanges built by hand: a call and a reply as XDR, with holes where a test wants them.
 */
#ifndef TESTS_EXCHANGE_KIT_H
#define TESTS_EXCHANGE_KIT_H

#include <string.h>

#include "dissect/engine/cursor.h"
#include "dissect/rpc/nfs.h"
#include "reassembly/upper/rpc_exchange.h"

#define KIT_ROOM 200000
#define KIT_EXTENTS 8

/* A message being written. */
struct kit_part {
	uint8_t bytes[KIT_ROOM];
	size_t length;
	size_t data_at;          /* where the data written last begin */
	size_t count_at;         /* of a COMPOUND: where its operations are counted */
	struct xdr_extent extents[KIT_EXTENTS];
	struct rtap_missing missing[KIT_EXTENTS];
};

struct kit {
	struct kit_part call, reply;
	struct rpc_exchange exchange;
};

static inline void kit_u32(struct kit_part *part, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		part->bytes[part->length++] = (uint8_t)(value >> shift);
}

static inline void kit_u64(struct kit_part *part, uint64_t value)
{
	kit_u32(part, (uint32_t)(value >> 32));
	kit_u32(part, (uint32_t)value);
}

static inline void kit_bytes(struct kit_part *part, const void *bytes, size_t length)
{
	memcpy(part->bytes + part->length, bytes, length);
	part->length += length;
	while (part->length % 4)
		part->bytes[part->length++] = 0;
}

static inline void kit_opaque(struct kit_part *part, const void *bytes, size_t length)
{
	kit_u32(part, (uint32_t)length);
	part->data_at = part->length;
	kit_bytes(part, bytes, length);
}

static inline void kit_text(struct kit_part *part, const char *text)
{
	kit_opaque(part, text, strlen(text));
}

/* Starts an exchange over: the headers of a call and of a reply that accepts it. */
static inline void kit_begin(struct kit *kit, uint32_t program, uint32_t version, uint32_t procedure)
{
	static uint32_t xid;

	memset(&kit->exchange, 0, sizeof kit->exchange);
	kit->call.length = kit->reply.length = 0;
	kit->exchange.xid = ++xid;
	kit->exchange.server.address_length = 4;
	kit->exchange.server.address[3] = 1;
	kit_u32(&kit->call, xid);
	kit_u32(&kit->call, 0);
	kit_u32(&kit->call, 2);
	kit_u32(&kit->call, program);
	kit_u32(&kit->call, version);
	kit_u32(&kit->call, procedure);
	kit_bytes(&kit->call, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	kit_u32(&kit->reply, xid);
	kit_u32(&kit->reply, 1);
	kit_u32(&kit->reply, 0);
	kit_bytes(&kit->reply, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
}

static inline void kit_end_part(struct kit_part *part, struct rpc_part *out, uint32_t program, uint32_t version, uint32_t procedure,
				bool is_reply)
{
	part->extents[0] = (struct xdr_extent){ XDR_BYTES, part->bytes, 0, part->length };
	*out = (struct rpc_part){
		.present = true, .complete = true, .extents = part->extents, .extent_count = 1, .length = part->length, .missing = part->missing,
		.facts = { .present = true, .is_reply = is_reply, .accepted = true, .program = program, .version = version,
			   .procedure = procedure, .program_known = true, .has_body = true, .header_length = is_reply ? 24 : 40,
			   .body_length = UINT32_MAX },
	};
}

/* Makes the exchange from the written words. */
static inline void kit_end(struct kit *kit)
{
	uint32_t program = load32(kit->call.bytes + 12), version = load32(kit->call.bytes + 16), procedure = load32(kit->call.bytes + 20);

	kit_end_part(&kit->call, &kit->exchange.call, program, version, procedure, false);
	kit_end_part(&kit->reply, &kit->exchange.reply, program, version, procedure, true);
}

/* Removes bytes from a part of one extent that kit_end() made. */
static inline void kit_hole(struct kit_part *part, struct rpc_part *out, size_t at, size_t length, enum rtap_missing_reason reason,
			    uint8_t kind)
{
	part->extents[0].length = at;
	part->extents[1] = (struct xdr_extent){ kind, NULL, 0, length };
	part->extents[2] = (struct xdr_extent){ XDR_BYTES, part->bytes + at + length, 0, part->length - at - length };
	out->extent_count = 3;
	out->complete = false;
	if (kind == XDR_HOLE) {
		part->missing[0] = (struct rtap_missing){ at, length, true, (uint8_t)reason };
		out->missing_count = 1;
	}
}

/* NFSv4: a COMPOUND without operations, and one more operation, whose content the test writes. */
static inline void kit_compound(struct kit *kit)
{
	kit_begin(kit, 100003, 4, 1);
	kit_u32(&kit->call, 0);
	kit_u32(&kit->call, 2);
	kit->call.count_at = kit->call.length;
	kit_u32(&kit->call, 0);
	kit_u32(&kit->reply, 0);
	kit_u32(&kit->reply, 0);
	kit->reply.count_at = kit->reply.length;
	kit_u32(&kit->reply, 0);
}

static inline void kit_operation(struct kit *kit, uint32_t number)
{
	kit->call.bytes[kit->call.count_at + 3]++;
	kit->reply.bytes[kit->reply.count_at + 3]++;
	kit_u32(&kit->call, number);
	kit_u32(&kit->reply, number);
	kit_u32(&kit->reply, 0);
}

static inline void kit_stateid(struct kit_part *part)
{
	kit_bytes(part, "STATEIDSTATEID!!", 16);
}

static inline void kit_putfh(struct kit *kit, const char *handle)
{
	kit_operation(kit, NFS4_PUTFH);
	kit_text(&kit->call, handle);
}

static inline void kit_getfh(struct kit *kit, const char *handle)
{
	kit_operation(kit, NFS4_GETFH);
	kit_text(&kit->reply, handle);
}

static inline void kit_lookup(struct kit *kit, const char *name)
{
	kit_operation(kit, NFS4_LOOKUP);
	kit_text(&kit->call, name);
}

#endif
