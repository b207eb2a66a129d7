/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC records out of any bytes in any pieces, with holes.
 * Input: byte 0 says how the rest is cut into pieces, byte 1 where holes are and whether the beginning is known.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reassembly/upper/rpc_record.h"

#include "harness.h"

#define HEADER_LENGTH 2
#define LIMIT 20000

struct run {
	uint64_t end;        /* of the stream so far */
	uint64_t last;       /* offset of the record reported last, plus one */
	unsigned sum;
};

static void on_record(void *owner, const struct rpc_record *record)
{
	struct run *run = owner;

	REQUIRE(record->bytes.length <= record->length);
	REQUIRE(record->missing || record->bytes.length == record->length);
	REQUIRE(record->offset < run->end && record->offset >= run->last);
	REQUIRE(record->frames.first <= record->frames.last);
	run->last = record->offset + 1;
	for (uint32_t i = 0; i < record->bytes.length; i++)
		run->sum += record->bytes.bytes[i];
}

/* A piece in a block of its size. */
static void give(struct rpc_record_reader *reader, const uint8_t *data, uint64_t offset, uint32_t length)
{
	uint8_t *block = malloc(length);

	REQUIRE(block);
	memcpy(block, data, length);
	rpc_record_bytes(reader, &(struct tcp_bytes){ .offset = offset, .span = { block, length }, .frame = offset + 1 });
	free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rpc_record_reader reader;
	struct rpc_record_copies copies;
	struct budget budget;
	struct run run = { 0 };

	if (size < HEADER_LENGTH || size > 1 << 20)
		return 0;

	uint32_t step = data[0] & 0x80 ? (data[0] & 0x7fu) * 100u + 1u : data[0] + 1u, left = (uint32_t)size - HEADER_LENGTH;
	uint32_t holes = data[1] & 0x7f, pieces = 0;

	budget_init(&budget, LIMIT);
	rpc_record_copies_init(&copies, LIMIT / 2);
	rpc_record_init(&reader, &budget, &copies, &(struct rpc_record_user){ &run, on_record }, data[1] & 0x80);
	for (data += HEADER_LENGTH; left; data += step, left -= step) {
		uint64_t offset = run.end;

		if (step > left)
			step = left;
		run.end += step;
		if (holes && ++pieces % holes == 0)
			rpc_record_hole(&reader, &(struct tcp_hole){ offset, step, TCP_HOLE_LOST });
		else
			give(&reader, data, offset, step);
		REQUIRE(budget.used <= LIMIT && reader.passed_over <= run.end);
	}
	rpc_record_end(&reader);
	rpc_record_fini(&reader);
	REQUIRE(!budget.used);
	return 0;
}
