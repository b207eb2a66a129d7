/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What peers can make `export --files` do. Input: exchanges one after another, each four bytes and two messages. Byte 0: the
 * server, and what is absent; byte 1: the size of the extents; bytes 2 and 3: the lengths of call and reply, times 4. The
 * messages begin with their XIDs. Whatever they say, nothing may appear beside the directory, and no name in it may have
 * a control character.
 */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_walk.h"
#include "output/export/export_files.h"
#include "output/packet/printer.h"

#include "harness.h"
#include "scratch_tree.h"

#define HEADER_LENGTH 4
#define EXTENTS 64
#define MAX_EXCHANGES 64

/* Byte 0, above the server's two bits. */
enum { NO_REPLY = 4, WITH_HOLES = 8, WITH_ELSEWHERE = 16, NOT_ACCEPTED = 32, CUT = 64 };

/* Cuts a message into extents; every third is not there, if the options want it. */
static void fill_part(struct rpc_part *part, struct xdr_extent *extents, struct rtap_missing *missing, const uint8_t *bytes, size_t length,
		      size_t size, unsigned options)
{
	struct xdr xdr;
	uint64_t at = 0;

	part->present = part->is_laid_out = true;
	part->extents = extents;
	part->missing = missing;
	while (at < length && part->extent_count < EXTENTS - 1) {
		size_t here = size && size < length - at && part->extent_count < EXTENTS - 2 ? size : (size_t)(length - at);
		uint8_t kind = part->extent_count % 3 != 2 ? XDR_BYTES :
			       options & WITH_HOLES ? XDR_HOLE : options & WITH_ELSEWHERE ? XDR_ELSEWHERE : XDR_BYTES;

		extents[part->extent_count++] = (struct xdr_extent){ kind, kind == XDR_BYTES ? bytes + at : NULL, 0, here };
		if (kind == XDR_HOLE)
			missing[part->missing_count++] = (struct rtap_missing){ at, here, true, RTAP_MISSING_SNAPPED };
		at += here;
	}
	if (options & CUT) {
		missing[part->missing_count++] = (struct rtap_missing){ at, UINT32_MAX, true, RTAP_MISSING_NOT_CAPTURED };
		extents[part->extent_count++] = (struct xdr_extent){ XDR_HOLE, NULL, 0, UINT32_MAX };
		at += UINT32_MAX;
	}
	part->length = at;
	xdr_init(&xdr, extents, part->extent_count, part->extent_count);
}

static void read_facts(struct rpc_part *part, const struct rpc_part *call)
{
	struct rtap_context context = { 0 };
	struct xdr xdr;

	if (call)
		context = (struct rtap_context){
			.rpc_known = true, .rpc_program = call->facts.program, .rpc_version = call->facts.version,
			.rpc_procedure = call->facts.procedure,
		};
	xdr_init(&xdr, (struct xdr_extent *)(uintptr_t)part->extents, part->extent_count, part->extent_count);
	if (rpc_read_header(&xdr, &context, &part->facts) != OK)
		part->facts.has_body = false;
}

static size_t run_exchange(struct export_files *export, const uint8_t *data, size_t size, uint64_t frame)
{
	struct xdr_extent call_extents[EXTENTS], reply_extents[EXTENTS];
	struct rtap_missing call_missing[EXTENTS], reply_missing[EXTENTS];
	struct rpc_exchange exchange = { .server = { .address_length = 4 } };
	size_t call_length = data[2] * 4u, reply_length = data[3] * 4u, used = HEADER_LENGTH;

	if (call_length > size - used)
		call_length = size - used;
	if (reply_length > size - used - call_length)
		reply_length = size - used - call_length;
	exchange.server.address[0] = data[0] & 3;
	fill_part(&exchange.call, call_extents, call_missing, data + used, call_length, data[1], data[0]);
	read_facts(&exchange.call, NULL);
	used += call_length;
	if (!(data[0] & NO_REPLY)) {
		fill_part(&exchange.reply, reply_extents, reply_missing, data + used, reply_length, data[1], data[0]);
		read_facts(&exchange.reply, &exchange.call);
		if (data[0] & NOT_ACCEPTED)
			exchange.reply.facts.accepted = false;
		exchange.reply.last_frame = frame;
	}
	export_files_exchange(export, &exchange);
	REQUIRE(!export_files_has_failed(export));
	return used + reply_length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct export_files *export;
	struct scratch scratch;
	struct rtap_error error;
	struct printer printer;
	int sink = open("/dev/null", O_WRONLY);

	scratch_open(&scratch);
	export = export_files_open(scratch.inner, &(struct export_files_options){ .max_memory = 1 << 16 }, &error);
	REQUIRE(export && sink >= 0);
	for (uint64_t i = 0; i < MAX_EXCHANGES && size > HEADER_LENGTH; i++) {
		size_t used = run_exchange(export, data, size, i);

		data += used;
		size -= used;
	}
	REQUIRE(export_files_flush(export) == RTAP_STATUS_OK);
	REQUIRE(!printer_init(&printer, sink, false));
	REQUIRE(!export_files_print_missing(export, &printer));
	printer_fini(&printer);
	REQUIRE(export_files_close(export, &error) == RTAP_STATUS_OK);
	close(sink);
	scratch_close(&scratch);
	return 0;
}
