/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "dissect/dissect.h"
#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"
#include "reassembly/iwarp/iwarp_view.h"
#include "reassembly/stream/tcp_half.h"

#define FIRST_ROOM 16

static void free_kept(struct iwarp_view *view, struct budget *budget)
{
	for (uint32_t i = 0; i < view->kept_count; i++)
		free(view->kept[i]);
	budget_give(budget, &view->entry, view->kept_bytes);
	view->kept_bytes = 0;
	view->kept_count = 0;
}

/* Drops what is shown of one stream before another is shown. */
static void serve(struct iwarp_view *view, const struct iwarp_stream *stream)
{
	view->stream = stream;
	view->count = 0;
	view->fillings++;
	view->is_stale |= view->dissected != 0;
	view->dissected = 0;
}

void iwarp_view_end(struct iwarp_view *view, struct budget *budget)
{
	if (view->kept_count)
		free_kept(view, budget);
	serve(view, NULL);
	view->ahead = NULL;
	view->packet = NULL;
	view->is_stale = false;
	view->number = 0;
	view->frame = (struct rtap_span){ NULL, 0 };
}

void iwarp_view_begin(struct iwarp_view *view, struct budget *budget, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	iwarp_view_end(view, budget);
	/* a segment without data has no FPDUs, but the list may get some */
	view->packet = packet->tcp.payload.captured ? packet : NULL;
	view->flow = (struct rtap_flow_facts){ 0 };
	view->number = frame->number;
	view->frame = (struct rtap_span){ frame->bytes, frame->captured_length };
}

/* Doubles the memory. */
static bool grow(struct iwarp_view *view, struct budget *budget)
{
	uint32_t room = view->room ? view->room * 2 : FIRST_ROOM;
	struct rtap_context *uppers = memory_resize(view->uppers, room * sizeof *uppers);
	struct rtap_fpdu *list;

	if (!uppers)
		return false;
	view->uppers = uppers;
	for (uint32_t i = 0; i < view->count; i++)
		if (view->list[i].upper)
			view->list[i].upper = &uppers[i];
	list = memory_resize(view->list, room * sizeof *list);
	if (!list)
		return false;
	view->list = list;
	budget_charge(budget, &view->entry, (room - view->room) * (sizeof *uppers + sizeof *list));
	view->room = room;
	return true;
}

static bool reserve(struct iwarp_view *view, struct budget *budget)
{
	uint32_t before = view->kept_room;
	void **larger;

	if (view->kept_count < before)
		return true;
	larger = array_reserve(view->kept, &view->kept_room, view->kept_count + 1, FIRST_ROOM, UINT32_MAX, sizeof *larger);
	if (!larger)
		return false;
	budget_charge(budget, &view->entry, (view->kept_room - before) * sizeof *larger);
	view->kept = larger;
	return true;
}

bool iwarp_view_keep(struct iwarp_view *view, struct budget *budget, void *memory, uint64_t size)
{
	if (!reserve(view, budget))
		return false;
	view->kept[view->kept_count++] = memory;
	view->kept_bytes += size;
	budget_charge(budget, &view->entry, size);
	return true;
}

bool iwarp_view_has_room(struct iwarp_view *view, struct budget *budget, uint32_t length)
{
	return view->kept_bytes + length <= IWARP_VIEW_BYTES && budget->used + length <= budget->limit && reserve(view, budget);
}

static bool is_in_frame(const struct iwarp_view *view, const struct rtap_span *bytes)
{
	uintptr_t start = (uintptr_t)view->frame.bytes, at = (uintptr_t)bytes->bytes;

	return at >= start && at - start <= view->frame.length && bytes->length <= view->frame.length - (at - start);
}

static bool copy_bytes(struct iwarp_view *view, struct budget *budget, struct rtap_fpdu *fpdu)
{
	uint8_t *copy;

	if (!iwarp_view_has_room(view, budget, fpdu->bytes.length))
		return false;
	copy = memory_new(fpdu->bytes.length);
	if (!copy || !iwarp_view_keep(view, budget, copy, fpdu->bytes.length)) {
		free(copy);
		return false;
	}
	memcpy(copy, fpdu->bytes.bytes, fpdu->bytes.length);
	fpdu->bytes.bytes = copy;
	return true;
}

uint32_t iwarp_view_add(struct iwarp_view *view, struct budget *budget, const struct iwarp_stream *stream, const struct rtap_fpdu *fpdu,
			bool kept)
{
	struct rtap_fpdu *shown;

	/* This stream ended during a frame of another stream. */
	if (view->stream != stream)
		serve(view, stream);
	if (view->count == view->room && !grow(view, budget))
		return IWARP_NOT_SHOWN;
	shown = &view->list[view->count];
	*shown = *fpdu;
	shown->upper = NULL;
	if (!kept && !is_in_frame(view, &fpdu->bytes) && !copy_bytes(view, budget, shown))
		return IWARP_NOT_SHOWN;
	return view->count++;
}

void iwarp_view_discard(struct iwarp_view *view, const struct iwarp_stream *stream)
{
	if (view->stream == stream)
		serve(view, NULL);
}

void iwarp_view_context(const struct iwarp_view *view, const struct iwarp_stream *stream, struct rtap_context *context)
{
	context->is_iwarp = true;
	if (view->stream != stream)
		return;
	context->fpdus = view->list;
	context->fpdu_count = view->count;
}

bool iwarp_view_is_checked(const struct iwarp_view *view, const struct rtap_span *bytes)
{
	const struct rtap_packet *packet = view->packet;

	return packet && packet->fpdus.count && packet->fpdus.crc_status == RTAP_CRC_GOOD &&
	       bytes->bytes == packet->sources[0].bytes + packet->fpdus.offset && bytes->length == packet->fpdus.length;
}

/* The context of what is shown up to FPDU number `last`. */
static struct rtap_context context_of(const struct iwarp_view *view, const struct rtap_context *context, uint32_t last)
{
	struct rtap_context known = *context;

	known.is_iwarp = true;
	known.fpdus = view->list;
	known.fpdu_count = last + 1;
	return known;
}

bool iwarp_view_is_presumed(const struct iwarp_view *view, uint32_t shown, const struct rtap_span *bytes)
{
	const struct rtap_packet *packet = view->packet;
	const struct rtap_fpdu *fpdu = view->list;
	const uint8_t *payload;

	if (shown || view->dissected || !packet || !packet->fpdus.count || view->is_stale)
		return false;
	payload = packet->sources[0].bytes + packet->fpdus.offset;
	return fpdu->bytes.bytes == payload &&
	       fpdu->bytes.length == packet->fpdus.length && fpdu->framing == RTAP_FPDU_IN_STEP && fpdu->first_marker >= fpdu->bytes.length &&
	       bytes->bytes == payload + MPA_LENGTH_LENGTH + DDP_UNTAGGED_LENGTH;
}

/* Dissects those before FPDU number `end`, which carry nothing for an upper layer. */
static void dissect_before(struct iwarp_view *view, const struct rtap_context *context, uint32_t end)
{
	for (; view->dissected < end; view->dissected++)
		packet_dissect_fpdu(view->packet, context, &view->list[view->dissected]);
}

struct rtap_packet *iwarp_view_enter(struct iwarp_view *view, const struct rtap_context *context, uint32_t shown, bool is_presumed)
{
	struct rtap_packet *packet = view->packet;
	struct rtap_context known;

	if (shown == IWARP_NOT_SHOWN || !packet || view->is_stale)
		return NULL;
	view->is_stale = shown < view->dissected;
	if (view->is_stale)
		return NULL;
	view->source_count = packet->source_count;
	view->before.count = 0;
	view->has_body = is_presumed;
	if (!view->dissected)
		view->begun = shown + 1;
	if (is_presumed)
		return packet;
	known = context_of(view, context, shown);
	if (!view->dissected && !packet_begin_fpdus(packet, &known)) {
		view->is_stale = true;
		return NULL;
	}
	dissect_before(view, &known, shown);
	view->is_stale = !packet_take_body(packet, &view->before);
	view->source_count = packet->source_count;
	return view->is_stale ? NULL : packet;
}

bool iwarp_view_dissect_fpdu(struct iwarp_view *view, uint32_t shown)
{
	if (view->has_body)
		packet_discard_fpdu(view->packet, view->source_count);
	view->has_body = true;
	view->list[shown].upper = &view->uppers[shown];
	return packet_dissect_fpdu(view->packet, view->list[shown].upper, &view->list[shown]);
}

void iwarp_view_leave(struct iwarp_view *view, uint32_t dissected)
{
	view->is_stale |= !packet_return_body(view->packet, &view->before);
	view->packet->payload = view->packet->tcp.payload;
	view->dissected = dissected;
}

void iwarp_view_dissect(struct iwarp_view *view, const struct rtap_context *context, struct rtap_packet *packet)
{
	if (!view->is_stale && view->dissected && context->fpdus == view->list) {
		/* presumed: the packet needs no list */
		if (view->count == 1 && !packet->fpdus.list) {
			packet->fpdus.crc_status = view->list->crc_status;
			return;
		}
		dissect_before(view, context, view->count);
		if (packet_end_fpdus(packet, context, view->begun))
			return;
	}
	packet_dissect_segment(packet, context);
}

void iwarp_view_want(struct iwarp_view *view)
{
	if (view->ahead)
		tcp_half_want(view->ahead, view->ahead_from_a, view->number);
}

void iwarp_view_fini(struct iwarp_view *view, struct budget *budget)
{
	free_kept(view, budget);
	budget_give(budget, &view->entry, view->entry.bytes);
	free(view->kept);
	free(view->uppers);
	free(view->list);
	*view = (struct iwarp_view){ 0 };
}
