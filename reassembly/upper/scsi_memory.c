/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reassembly/operation.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/scsi_memory.h"

#define TABLE_ROW 16           /* bytes of a descriptor in a table of SRP: address, key, length */
#define MOST_PIECES 2048       /* of a table */

bool scsi_reads_capacity(const struct scsi_command *cdb)
{
	return cdb->opcode == SCSI_READ_CAPACITY_10 || (cdb->opcode == SCSI_SERVICE_IN_16 && cdb->name && !strcmp(cdb->name, "READ CAPACITY(16)"));
}

/* The memory of data-out that follows data in SENDs. If it is not known where it begins, both possibilities. */
static void apply_base(struct scsi_request *request, struct scsi_piece *piece)
{
	switch (scsi_session_of(request)->base) {
	case SCSI_BASE_OF_REST:
		break;
	case SCSI_BASE_OF_ALL:
		piece->address += request->carried_length;
		break;
	case SCSI_BASE_UNKNOWN:
		piece->length += (uint32_t)request->carried_length;
		request->awaits_base = true;
	}
}

void scsi_memory_name(struct upper_work *work, struct scsi_request *request, const struct scsi_command_unit *sent)
{
	struct region_name few[SCSI_FEW], *names = sent->piece_count <= SCSI_FEW ? few : memory_new(sent->piece_count * sizeof *names);
	bool is_structured = request->structures[0] != PROTOCOL_PAYLOAD || request->structures[1] != PROTOCOL_PAYLOAD;
	bool wants_bytes = is_structured || scsi_reads_capacity(&request->cdb) || (work->tracker->take_effect && request->cdb.effect != SCSI_NONE);
	uint32_t count = 0;

	wants_bytes |= request->awaits_tables;

	request->pieces = sent->piece_count <= SCSI_FEW ? request->few : memory_new(sent->piece_count * sizeof *request->pieces);
	if (!names || !request->pieces) {
		work->tracker->counters.evictions++;
		goto out;
	}
	for (uint32_t i = 0; i < sent->piece_count; i++) {
		struct scsi_piece piece = sent->pieces[i];

		if (sent->has_base && piece.is_out && piece.length && request->carried_length)
			apply_base(request, &piece);
		if (!piece.length || piece.address + piece.length < piece.address)
			continue;
		request->pieces[request->piece_count++] = piece;
		names[count++] = (struct region_name){ .begin = piece.address, .end = piece.address + piece.length, .key = piece.key, .number = i,
						       .is_read = piece.is_out || request->awaits_tables };
	}
	if (request->pieces != request->few)
		request_charge(&work->tracker->budget, &request->command.request, sent->piece_count * sizeof *request->pieces, 0);
	if (count && command_name(work, &request->command, names, count)) {
		for (uint32_t i = 0; i < request->command.request.region_count; i++) {
			request->command.request.regions[i].keep_bytes |= wants_bytes;
			request->command.request.regions[i].is_unplaced = request->awaits_base && request->command.request.regions[i].is_read;
		}
		request_open(work->tracker, &request->command.request, work->message);
	}
out:
	if (names != few)
		free(names);
}

void scsi_memory_carry(struct upper_work *work, struct scsi_request *request, uint64_t offset, struct rtap_span data)
{
	bool is_wanted = work->tracker->take_effect || request->structures[true] != PROTOCOL_PAYLOAD;
	uint64_t before = coverage_memory(&request->carried), fresh;

	if (!data.length || (!is_wanted && request->carried_is_whole))
		return;
	if (!coverage_add(&request->carried, offset, data.bytes, data.length, 0, is_wanted ? COVERAGE_BYTES : COVERAGE_ONLY, &fresh))
		work->tracker->counters.evictions++;
	request_charge(&work->tracker->budget, &request->command.request, coverage_memory(&request->carried), before);
}

void scsi_memory_carry_present(struct upper_work *work, struct scsi_request *request, uint64_t position)
{
	const struct coverage *coverage = &work->message->coverage;
	const struct coverage_run *run = coverage_runs(coverage);

	for (uint32_t i = 0; i < coverage->count; i++, run++) {
		uint64_t begin = run->begin > position ? run->begin : position;
		uint64_t end = run->end < position + request->carried_length ? run->end : position + request->carried_length;

		if (begin < end)
			scsi_memory_carry(work, request, begin - position,
					  (struct rtap_span){ coverage_bytes(coverage, run) + (begin - run->begin), (uint32_t)(end - begin) });
	}
}

void scsi_memory_keep(struct scsi_request *request, const struct scsi_command_unit *sent)
{
	request->has_unsolicited = request->awaits_last = true;
	request->out_length = sent->carried_length;
	for (uint32_t i = 0; i < sent->piece_count && i < SCSI_UNNAMED; i++) {
		request->unnamed[request->unnamed_count++] = sent->pieces[i];
		request->out_length += sent->pieces[i].is_out ? sent->pieces[i].length : 0;
	}
}

void scsi_take_unsolicited(struct upper_work *work, uint64_t tag, uint64_t offset, struct rtap_span data, uint32_t length, bool is_last)
{
	struct scsi_request *request = (struct scsi_request *)command_find(work->connection, work->from_a, tag);
	const struct rtap_message *shown = &work->message->shown;
	struct scsi_command_unit rest = { .tag = tag, .has_base = true };

	if (!request || !request->command.request.is_seen || !request->has_unsolicited || offset > request->out_length ||
	    length > request->out_length - offset)
		return;
	request_claim_send(work->message, &request->command.request);
	scsi_memory_carry(work, request, offset, data);
	operation_note_data(&request->command.request.data, shown->first_frame, shown->time_ns, shown->last_frame, shown->time_end_ns);
	if (!is_last || !request->awaits_last)
		return;
	request->awaits_last = false;
	request->carried_length = offset + length;
	for (uint32_t i = 0; i < request->unnamed_count; i++)
		if (request->unnamed[i].is_out)
			request->unnamed[i].length = (uint32_t)(request->out_length - request->carried_length);
	rest.pieces = request->unnamed;
	rest.piece_count = request->unnamed_count;
	scsi_memory_name(work, request, &rest);
}

/* Whether all requests of the target since the command were captured. A loss shows only after an earlier packet of the target. */
static bool is_without_loss(const struct request *request, const struct message *read)
{
	const struct connection *connection = request->connection;

	return (connection->ddp ? connection->shown.learned_by_mpa : request->next_psn[0] > 0) && !region_may_be_answered(request, read);
}

/* What a READ of the memory shows. Targets read it from its beginning on. */
static enum scsi_base base_shown(const struct scsi_request *request, const struct message *read)
{
	const struct region *region = read->region;
	uint64_t from = read->shown.virtual_address - region->begin, all = region->end - region->begin;

	if (from < request->carried_length)
		return SCSI_BASE_OF_REST;
	if (from + read->shown.length > all - request->carried_length)
		return SCSI_BASE_OF_ALL;
	return from == request->carried_length && is_without_loss(region->request, read) ? SCSI_BASE_OF_ALL : SCSI_BASE_UNKNOWN;
}

bool scsi_memory_find_base(struct upper_work *work, struct scsi_request *request)
{
	enum scsi_base base = base_shown(request, work->message);
	struct scsi_piece pieces[SCSI_FEW];
	struct scsi_command_unit rest = { .pieces = pieces, .has_base = true };
	struct message *message;

	if (base == SCSI_BASE_UNKNOWN) {
		work->message->awaits_owner = true;
		work->message->region->asked -= region_asked_by(work->message);
		region_unclaim(work->message);
		return false;
	}
	scsi_session_of(request)->base = base;
	for (uint32_t i = 0; i < request->piece_count && i < SCSI_FEW; i++) {
		pieces[rest.piece_count] = request->pieces[i];
		pieces[rest.piece_count++].length -= request->pieces[i].is_out ? (uint32_t)request->carried_length : 0;
	}
	/* other READs of the memory */
	TAILQ_FOREACH(message, &request->command.request.claimed, claimed)
		message->awaits_owner = true;
	request_forget_memory(work->tracker, &request->command.request);
	request->awaits_base = false;
	request->piece_count = 0;
	scsi_memory_name(work, request, &rest);
	if (!work->message->region)
		region_claim(work->tracker, work->message);
	return work->message->region;
}

void scsi_memory_take_table(struct upper_work *work, struct scsi_request *request)
{
	const struct scsi_piece table = request->pieces[0];
	const struct region_name range = { .begin = table.address, .end = table.address + table.length, .key = table.key, .is_read = true };
	uint32_t count = table.length / TABLE_ROW;
	struct scsi_piece *pieces = count <= MOST_PIECES ? memory_new((count + !count) * sizeof *pieces) : NULL;
	struct scsi_command_unit rest = { .pieces = pieces, .piece_count = count };
	struct coverage rows = { 0 }, cut = { 0 };
	const uint8_t *bytes = NULL;
	uint64_t length = 0;

	if (pieces && command_copy_data(&request->command, &range, 0, &rows, &cut))
		bytes = coverage_first_bytes(&rows, &length);
	if (bytes && length == table.length) {
		for (uint32_t i = 0; i < count; i++, bytes += TABLE_ROW)
			pieces[i] = (struct scsi_piece){ .address = load64(bytes), .key = load32(bytes + 8), .length = load32(bytes + 12), .is_out = table.is_out };
		request_forget_memory(work->tracker, &request->command.request);
		request->awaits_tables = false;
		scsi_session_of(request)->open_tables--;
		request->piece_count = 0;
		scsi_memory_name(work, request, &rest);
	}
	work->tracker->counters.evictions += !pieces;
	coverage_fini(&rows);
	coverage_fini(&cut);
	free(pieces);
}
