/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/management/mad.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/handshake.h"
#include "reassembly/infiniband/ib_message.h"
#include "reassembly/management/mad_message.h"
#include "reassembly/message_queue.h"

/* The transfer's message, created for its first segment. NULL: already reported, or out of memory. */
static struct message *message_of(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rmpp_progress *progress)
{
	struct message *message;

	if (!progress->begins)
		return rmpp_held(progress->transfer);
	message = message_create(tracker, NULL, packet->frame->number, packet->frame->time_ns);
	if (!message)
		return NULL;
	message->shown.kind = RTAP_KIND_MAD;
	message->shown.verb = RTAP_VERB_SEND;
	message->shown.psn = packet->ib.psn;
	/* Segments are numbered from the transfer's first one, so each position is known. */
	message->has_first = message->gathers = true;
	rmpp_hold(progress->transfer, message);
	return message;
}

static void add_segment(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet,
			const struct rmpp_progress *progress)
{
	const struct rtap_mad_facts *mad = &packet->mad;
	struct piece piece = {
		.bytes = packet->sources[mad->source].bytes + mad->data_offset,
		.captured = mad->data_captured < progress->length ? mad->data_captured : progress->length,
		.wire = progress->length,
	};
	uint64_t end = MESSAGE_ORIGIN + progress->position + progress->length;

	piece.crc = assembly_digest(tracker, piece.bytes, piece.captured);
	assembly_add_bytes(tracker, message, MESSAGE_ORIGIN + progress->position, &piece);
	/* A last segment without data shows it, too. */
	if (end > message->reported_end)
		message->reported_end = end;
	if (mad->rmpp_segment > message->shown.segments)
		message->shown.segments = mad->rmpp_segment;
	message->has_last |= mad->rmpp_flags & RMPP_FLAG_LAST;
}

/* Returns whether the packet is a segment of a message with several. */
static bool take_segment(struct rtap_tracker *tracker, struct rtap_packet *packet, const struct rmpp_progress *progress,
			 struct frame_result *result)
{
	struct message *message = progress->transfer ? message_of(tracker, packet, progress) : NULL;

	if (!message)
		return false;
	assembly_note_frame(tracker, result, message, &(struct piece){ .frame = packet->frame->number, .time_ns = packet->frame->time_ns },
			    progress->is_new);
	if (progress->is_new)
		add_segment(tracker, message, packet, progress);
	if (progress->whole)
		assembly_fill_completion(&packet->flow, message, progress->records.length);
	return true;
}

void mad_message_packet(struct rtap_tracker *tracker, struct rtap_packet *packet, const struct rtap_end *source,
			const struct rtap_end *destination, struct frame_result *result)
{
	struct rmpp_progress progress = { 0 };

	if (packet->mad.present && mad_exchange_asks(&packet->mad))
		rmpp_asked(&tracker->rmpp, &packet->mad, source, destination);
	if (packet->mad.rmpp)
		rmpp_packet(&tracker->rmpp, packet, source, destination, &progress);
	if (progress.whole)
		result->records = progress.records;
	if (!packet->mad.rmpp || !take_segment(tracker, packet, &progress, result))
		ib_message_datagram(tracker, NULL, false, packet, RTAP_KIND_MAD, result);
	mad_exchange_packet(&tracker->exchanges, packet, result->touched, source, destination);
	if (packet->cm.present)
		handshake_packet(tracker, packet, source, destination);
}
