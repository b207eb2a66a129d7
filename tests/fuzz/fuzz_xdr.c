/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The XDR tables of every program, in both directions, over arbitrary bytes cut into arbitrary extents, with a binder that
 * splices. Input: byte 0 chooses the program and direction, byte 1 the procedure, byte 2 the size of the extents, byte 3
 * their kinds and what the binder does; the rest is the stream.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>

#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/xdr_walk.h"

#include "harness.h"

#define HEADER_LENGTH 4
#define EXTENTS 64

static const struct {
	uint32_t program, version;
} programs[] = {
	{ 100003, 3 }, { 100003, 4 }, { 0x40000000, 1 }, { 100005, 1 }, { 100005, 3 }, { 100021, 1 }, { 100021, 4 }, { 100024, 1 },
	{ 100000, 2 }, { 100000, 3 }, { 100000, 4 }, { 100227, 2 }, { 100227, 3 },
};

/* Byte 3. */
enum { WITH_HOLES = 1, WITH_ELSEWHERE = 2, SPLICING = 4, CUT = 8, NO_HASHES = 16, PROTECTED = 32, STOPPING = 64 };

struct reader {
	struct xdr_sink sink;
	const struct xdr *xdr;
	unsigned options, depth, values;
	uint64_t sum, last;
};

static void read_value(struct xdr_sink *sink, const struct xdr_value *decoded)
{
	struct reader *reader = (struct reader *)sink;
	const struct rtap_field *field = &sink->fields[decoded->row];

	REQUIRE(field->name);
	REQUIRE(decoded->offset <= reader->xdr->total);
	REQUIRE(decoded->length <= reader->xdr->total - decoded->offset);
	for (uint32_t i = 0; decoded->data.bytes && i < decoded->data.length; i++)
		reader->sum += decoded->data.bytes[i];
	if (field->show == RTAP_BOOL)
		REQUIRE(decoded->number <= 1);
	if (decoded->data.bytes)
		REQUIRE(decoded->data.length == decoded->length);
	reader->sum += decoded->number;
	if (reader->options & STOPPING && ++reader->values == 20)
		sink->stop = true;
}

static void read_operation(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset)
{
	struct reader *reader = (struct reader *)sink;

	REQUIRE(offset >= reader->last);
	reader->last = offset;
	reader->sum += number + (name ? (uint8_t)name[0] : 0);
}

static void read_status(struct xdr_sink *sink, uint32_t status, const char *name)
{
	((struct reader *)sink)->sum += status + (name ? (uint8_t)name[0] : 0);
}

static void enter(struct xdr_sink *sink, const char *label, uint64_t offset)
{
	struct reader *reader = (struct reader *)sink;

	reader->depth++;
	reader->sum += (uint8_t)label[0] + offset;
}

static void leave(struct xdr_sink *sink)
{
	struct reader *reader = (struct reader *)sink;

	REQUIRE(reader->depth > 0);
	reader->depth--;
}

static void bind(struct xdr_sink *sink, struct xdr *xdr, enum xdr_ddp ddp, uint64_t offset, uint32_t length)
{
	struct reader *reader = (struct reader *)sink;
	const struct xdr_extent chunk[] = { { XDR_ELSEWHERE, NULL, 7, length }, xdr_padding(length) };

	REQUIRE(length > 0);
	REQUIRE(offset == xdr->position);
	REQUIRE(ddp > XDR_DDP_NONE && ddp <= XDR_DDP_SETXATTR);
	if (reader->options & SPLICING && xdr_splice(xdr, chunk, 2))
		REQUIRE(xdr_left(xdr) >= length || xdr->limit != UINT64_MAX);
}

/* Cuts the stream into extents of `size` bytes; every third is not in memory, if the options want it. */
static uint32_t cut_stream(struct xdr_extent *extents, const uint8_t *stream, size_t length, size_t size, unsigned options)
{
	uint32_t count = 0;

	while (length && count < EXTENTS / 2) {
		size_t taken = size && size < length && count < EXTENTS / 2 - 1 ? size : length;
		uint8_t kind = count % 3 != 2 ? XDR_BYTES : options & WITH_HOLES ? XDR_HOLE : options & WITH_ELSEWHERE ? XDR_ELSEWHERE : XDR_BYTES;

		extents[count++] = (struct xdr_extent){ kind, kind == XDR_BYTES ? stream : NULL, 0, taken };
		stream += taken;
		length -= taken;
	}
	if (options & CUT)
		extents[count++] = (struct xdr_extent){ XDR_HOLE, NULL, 0, UINT32_MAX };
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader reader = {
		.sink = { .value = read_value, .operation = read_operation, .status = read_status, .enter = enter, .leave = leave,
			  .eligible = bind },
	};
	struct xdr_extent extents[EXTENTS];
	struct rtap_rpc_facts facts = { .present = true, .program_known = true, .has_body = true, .body_length = UINT32_MAX };
	struct xdr xdr;
	unsigned program;

	if (size < HEADER_LENGTH)
		return 0;
	program = (data[0] >> 1) % (sizeof programs / sizeof programs[0]);
	facts.is_reply = data[0] & 1;
	facts.program = programs[program].program;
	facts.version = programs[program].version;
	facts.is_callback = facts.program == 0x40000000;
	facts.procedure = data[1] % 32;
	reader.options = data[3];
	reader.sink.hashes = !(data[3] & NO_HASHES);
	if (data[3] & PROTECTED)
		facts.body_length = (uint32_t)size / 2;
	xdr_init(&xdr, extents, cut_stream(extents, data + HEADER_LENGTH, size - HEADER_LENGTH, data[2], data[3]), EXTENTS);
	reader.xdr = &xdr;
	if (rpc_body_walk(rpc_program_of_body(&facts), &facts, &xdr, &reader.sink) == OK)
		REQUIRE(reader.depth == 0);
	REQUIRE(xdr.position <= xdr.total);
	return 0;
}
