/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/infiniband/assembly.h"
#include "reassembly/connection.h"
#include "reassembly/connection_life.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/iwarp/ddp_message.h"
#include "reassembly/iwarp/ddp_upper.h"
#include "reassembly/frame_touch.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_queue.h"
#include "reassembly/operation.h"
#include "reassembly/time_windows.h"
#include "reassembly/upper.h"

#define ATOMIC_LENGTH 8
#define COMPARE_SWAP 2 /* RFC 7306, 5.2.1 */

static struct ddp_half *half_of(const struct ddp_work *work)
{
	return &work->connection->ddp->halves[work->from_a];
}

/* Makes a message the current one of a slot; replaces the previous one. */
static void set_current(struct message **slot, struct message *message)
{
	if (*slot)
		(*slot)->slot = NULL;
	*slot = message;
	message->slot = slot;
}

static struct message *create(const struct ddp_work *work, bool from_a, enum rtap_message_kind kind, enum rtap_verb verb)
{
	struct psn_stream *stream = &work->connection->streams[from_a];
	struct message *last = TAILQ_LAST(&stream->messages, message_list);
	/* The response to a request that was not seen has no position in the requester's stream. */
	uint64_t at = from_a == work->from_a ? work->fpdu->stream_offset : last ? last->low : 0;
	struct piece piece = { .frame = work->fpdu->first_frame, .time_ns = work->fpdu->first_time_ns };
	struct message *message = assembly_create(work->tracker, stream, last, at, &piece, verb);

	if (message) {
		message->shown.kind = (uint8_t)kind;
		message->has_first = true;
	}
	return message;
}

/* The FPDU contributed to the message. */
static void note(const struct ddp_work *work, struct message *message)
{
	const struct rtap_fpdu *fpdu = work->fpdu;
	struct rtap_message *shown = &message->shown;
	bool shares = shown->frames && (message->end_frame == fpdu->first_frame || shown->last_frame == fpdu->first_frame);

	shown->frames += work->frames - shares;
	assembly_cover_frame(shown, fpdu->first_frame, fpdu->first_time_ns);
	/* earlier than the first if that is a retransmission */
	assembly_cover_frame(shown, fpdu->last_frame, fpdu->last_time_ns);
	message->end_frame = fpdu->last_frame;
	message->active_ns = work->tracker->now_ns;
	message->torn = false;
	if (work->tracker->options.operation && work->from_a != shown->from_a)
		operation_note_response(message, fpdu->first_frame, fpdu->first_time_ns);
	frame_touch(work->tracker, message);
}

/* Why bytes of an FPDU are missing. */
static uint8_t reason_at(const struct rtap_fpdu *fpdu, uint32_t offset)
{
	for (uint8_t i = 0; i < fpdu->gap_count; i++)
		if (offset >= fpdu->gaps[i].offset && offset - fpdu->gaps[i].offset < fpdu->gaps[i].length)
			return fpdu->gaps[i].reason;
	return RTAP_MISSING_NOT_CAPTURED;
}

/* Adds the ULPDU from byte `at` on to the message, at `position`. */
static void add_payload(const struct ddp_work *work, struct message *message, uint32_t at, uint64_t position)
{
	uint64_t origin = position - at;
	struct rtap_span extent;
	uint32_t begin = at;

	if (work->fpdu->ulpdu_length >= at && origin + work->fpdu->ulpdu_length > message->reported_end)
		message->reported_end = origin + work->fpdu->ulpdu_length;
	for (; fpdu_next_extent(work->fpdu, &at, &extent); begin = at) {
		struct piece piece = { .bytes = extent.bytes, .captured = extent.length, .wire = extent.length };

		if (extent.bytes) {
			piece.crc = assembly_digest(work->tracker, extent.bytes, extent.length);
		} else {
			uint8_t reason = reason_at(work->fpdu, fpdu_offset(MPA_LENGTH_LENGTH + begin, work->fpdu->first_marker));

			message->evicted |= reason == RTAP_MISSING_EVICTED;
			if (reason != RTAP_MISSING_SNAPPED)
				continue;
			piece.captured = 0;
		}
		assembly_add_bytes(work->tracker, message, origin + begin, &piece);
	}
}

/* The rest of the ULPDU as one run. False: markers or holes split it. */
static bool contiguous(const struct ddp_work *work, uint32_t at, struct rtap_span *bytes)
{
	*bytes = (struct rtap_span){ NULL, 0 };
	if (at >= work->fpdu->ulpdu_length)
		return true;
	return fpdu_next_extent(work->fpdu, &at, bytes) && bytes->bytes && at >= work->fpdu->ulpdu_length;
}

/* The message that a segment of a queue continues, or a new one. RFC 5041, 5.1. */
static struct message *untagged(const struct ddp_work *work, enum rtap_message_kind kind)
{
	struct message **slot = &half_of(work)->untagged[work->facts.qn];

	if (*slot && ((*slot)->shown.psn != work->facts.msn || (*slot)->shown.kind != kind))
		message_settle(work->tracker, *slot);
	if (!*slot) {
		struct message *message = create(work, work->from_a, kind, RTAP_VERB_SEND);

		if (!message)
			return NULL;
		message->shown.psn = work->facts.msn;
		message->shown.has_msn = true;
		set_current(slot, message);
	}
	return *slot;
}

static void completes(const struct ddp_work *work, const struct message *message, uint64_t length)
{
	assembly_fill_completion(&work->tracker->view.flow, message, length);
}

static bool is_covered(const struct message *message, uint64_t length)
{
	const struct coverage_run *run = coverage_runs(&message->coverage);

	return length ? message->coverage.count == 1 && run->begin == MESSAGE_ORIGIN && run->end == MESSAGE_ORIGIN + length :
			!message->coverage.count;
}

static void take_send(struct ddp_work *work)
{
	const struct rtap_iwarp_facts *facts = &work->facts;
	struct message *message = untagged(work, RTAP_KIND_SEND);
	struct rtap_span bytes;
	bool together, alone, cut;
	uint64_t length;

	if (!message)
		return;
	alone = !facts->mo && facts->last;
	together = contiguous(work, facts->payload_offset, &bytes) && alone;
	cut = !together && alone && fpdu_front(work->fpdu, facts->payload_offset, &bytes);
	message->bytes_wanted |= !together;
	add_payload(work, message, facts->payload_offset, MESSAGE_ORIGIN + facts->mo);
	note(work, message);
	if (!facts->last)
		return;
	message->has_last = true;
	message->shown.has_invalidate = iwarp_opcodes[facts->opcode].invalidates;
	message->shown.invalidated_r_key = facts->invalidate_stag;
	length = message_known_length(message);
	if (is_covered(message, length)) {
		if (!together && message->coverage.bytes)
			bytes = (struct rtap_span){ message->coverage.bytes + (MESSAGE_ORIGIN - message->coverage.origin), (uint32_t)length };
		else if (!together)
			bytes.bytes = NULL;
		completes(work, message, length);
		if (bytes.bytes && length)
			ddp_upper_send(work, message, &bytes, !together);
	} else if (cut) {
		ddp_upper_send(work, message, &bytes, false);
	}
	message_settle(work->tracker, message);
}

/* A message with a single segment. */
static void take_single(struct ddp_work *work, enum rtap_message_kind kind, uint32_t at)
{
	struct message *message = untagged(work, kind);

	if (!message)
		return;
	add_payload(work, message, at, MESSAGE_ORIGIN + work->facts.mo);
	note(work, message);
	message->has_last = work->facts.last;
	if (kind == RTAP_KIND_IMMEDIATE && work->facts.has_immediate) {
		message->shown.has_immediate = true;
		message->shown.immediate = work->facts.immediate;
	}
	if (!work->facts.last)
		return;
	completes(work, message, message_known_length(message));
	message_settle(work->tracker, message);
}

static void take_terminate(struct ddp_work *work)
{
	connection_life_event(work->connection, "terminate", work->fpdu->last_frame, work->fpdu->last_time_ns, 0);
	ddp_upper_refuse(work);
	take_single(work, RTAP_KIND_TERMINATE, DDP_UNTAGGED_LENGTH);
}

/* A request. Each waits for its own response. */
static struct message *request(const struct ddp_work *work, enum rtap_message_kind kind, enum rtap_verb verb)
{
	struct message *message = create(work, work->from_a, kind, verb);

	if (!message)
		return NULL;
	message->shown.psn = work->facts.msn;
	message->shown.has_msn = message->shown.request_seen = message->shown.has_key = true;
	message->shown.outcome = RTAP_OUTCOME_UNANSWERED;
	note(work, message);
	return message;
}

static void take_read_request(struct ddp_work *work)
{
	const struct rtap_iwarp_facts *facts = &work->facts;
	struct message *message = facts->has_read ? request(work, RTAP_KIND_READ, RTAP_VERB_READ) : NULL;

	if (!message)
		return;
	message->shown.r_key = facts->source_stag;
	message->shown.virtual_address = facts->source_offset;
	message->shown.length = facts->read_length;
	message->sink_stag = facts->sink_stag;
	message->sink_offset = facts->sink_offset;
	ddp_reads_asked(work, message);
	upper_claim(work->tracker, message);
}

static void take_atomic_request(struct ddp_work *work)
{
	const struct rtap_iwarp_facts *facts = &work->facts;
	enum rtap_verb verb = (facts->atomic_opcode & 0xf) == COMPARE_SWAP ? RTAP_VERB_COMPARE_SWAP : RTAP_VERB_FETCH_ADD;
	struct message *message = facts->has_atomic ? request(work, RTAP_KIND_ATOMIC, verb) : NULL;

	if (!message)
		return;
	message->shown.r_key = facts->remote_stag;
	message->shown.virtual_address = facts->remote_offset;
	message->shown.length = ATOMIC_LENGTH;
	message->shown.swap_or_add = facts->swap_or_add;
	message->shown.compare = facts->compare;
	message->sink_stag = facts->request_identifier;
	ddp_reads_asked(work, message);
}

/* A request was completely answered. */
static void answered(const struct ddp_work *work, struct message *message)
{
	struct rtap_message *shown = &message->shown;

	message->has_last = true;
	shown->outcome = RTAP_OUTCOME_GOOD;
	shown->answered_in = work->fpdu->last_frame;
	if (shown->request_seen) {
		shown->has_latency = true;
		shown->latency_ns = work->fpdu->last_time_ns - shown->time_ns;
		work->tracker->view.flow.request_frame = shown->first_frame;
		work->tracker->view.flow.has_latency = true;
		work->tracker->view.flow.latency_ns = shown->latency_ns;
	}
}

static void take_atomic_response(struct ddp_work *work)
{
	struct message *message = TAILQ_FIRST(&work->connection->streams[!work->from_a].messages);
	uint8_t original[ATOMIC_LENGTH];
	struct piece piece = { .bytes = original, .captured = ATOMIC_LENGTH, .wire = ATOMIC_LENGTH };

	for (uint32_t tried = 0; message && tried < DDP_MOST_REQUESTS; message = TAILQ_NEXT(message, link), tried++)
		if (message->shown.kind == RTAP_KIND_ATOMIC && message->sink_stag == work->facts.request_identifier)
			break;
	if (work->facts.has_original && (!message || message->shown.kind != RTAP_KIND_ATOMIC))
		ddp_reads_unseen_answered(work);
	if (!message || message->shown.kind != RTAP_KIND_ATOMIC || !work->facts.has_original) {
		work->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE]++;
		return;
	}
	store64(original, work->facts.original);
	piece.crc = assembly_digest(work->tracker, original, ATOMIC_LENGTH);
	assembly_add_bytes(work->tracker, message, MESSAGE_ORIGIN, &piece);
	ddp_reads_answered(work, message);
	message->shown.original = work->facts.original;
	note(work, message);
	answered(work, message);
	completes(work, message, ATOMIC_LENGTH);
	message_settle(work->tracker, message);
}

/*
 * Whether a tagged segment continues the current message; bytes in between may be lost, but not beyond the end of a region. Where stream bytes
 * are lost, but no bytes of the memory, the end of one message and the beginning of another are lost.
 */
static bool continues(const struct ddp_half *half, const struct message *message, const struct rtap_iwarp_facts *facts)
{
	uint64_t jump = facts->tagged_offset - half->next_offset;

	if (message->shown.r_key != facts->stag)
		return false;
	if (!jump)
		return !half->lost;
	if (jump > half->lost || !message->region)
		return jump <= half->lost;
	return facts->tagged_offset >= message->region->begin && facts->tagged_offset < message->region->end;
}

/* A Write that begins where named memory begins has no earlier part. */
static void claim_write(const struct ddp_work *work, struct message *message)
{
	upper_claim(work->tracker, message);
	if (message->region)
		message->has_first |= message->region->begin == message->shown.virtual_address;
}

/* A Write, or a Read Response to an unknown request. */
static void take_tagged(struct ddp_work *work, bool is_write)
{
	struct ddp_half *half = half_of(work);
	const struct rtap_iwarp_facts *facts = &work->facts;
	struct message *message = half->write;

	if (message && ((message->shown.kind == RTAP_KIND_WRITE) != is_write || !continues(half, message, facts))) {
		message_settle(work->tracker, message);
		message = NULL;
	}
	if (!message) {
		message = create(work, work->from_a == is_write, is_write ? RTAP_KIND_WRITE : RTAP_KIND_READ,
				 is_write ? RTAP_VERB_WRITE : RTAP_VERB_READ);
		if (!message)
			return;
		/* A message given up for its age can continue. */
		message->has_first = !half->lost && !half->unfinished;
		message->shown.r_key = facts->stag;
		message->shown.virtual_address = facts->tagged_offset;
		message->shown.has_key = is_write;
		set_current(&half->write, message);
		half->has_writes |= is_write;
		if (is_write)
			claim_write(work, message);
		else
			work->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE]++;
	}
	add_payload(work, message, facts->payload_offset, MESSAGE_ORIGIN + (facts->tagged_offset - message->shown.virtual_address));
	half->next_offset = facts->tagged_offset + facts->payload_length;
	half->unfinished = !facts->last;
	note(work, message);
	if (!facts->last)
		return;
	message->has_last = true;
	if (!is_write)
		answered(work, message);
	else if (message->has_first && is_covered(message, message_known_length(message))) {
		completes(work, message, message_known_length(message));
		ddp_upper_data(work, message);
	}
	message_settle(work->tracker, message);
}

/* READs before one that is being answered are no longer expected to be answered. */
static void skip_reads_before(const struct ddp_work *work, const struct message *up_to)
{
	struct message *message = TAILQ_FIRST(&work->connection->streams[!work->from_a].messages), *next;

	for (; message && message != up_to; message = next) {
		next = TAILQ_NEXT(message, link);
		if (message->shown.kind == RTAP_KIND_READ && message->shown.request_seen)
			message_settle(work->tracker, message);
	}
}

static void take_read_response(struct ddp_work *work)
{
	const struct rtap_iwarp_facts *facts = &work->facts;
	struct message *message = ddp_reads_owner(work);

	if (facts->payload_length > half_of(work)->largest)
		half_of(work)->largest = facts->payload_length;
	if (!message) {
		take_tagged(work, false);
		if (facts->last)
			ddp_reads_answered(work, NULL);
		return;
	}
	if (half_of(work)->read != message) {
		skip_reads_before(work, message);
		set_current(&half_of(work)->read, message);
	}
	add_payload(work, message, facts->payload_offset, MESSAGE_ORIGIN + (facts->tagged_offset - message->sink_offset));
	note(work, message);
	if (!facts->last)
		return;
	ddp_reads_answered(work, message);
	answered(work, message);
	if (is_covered(message, message->shown.length)) {
		completes(work, message, message->shown.length);
		ddp_upper_data(work, message);
	}
	message_settle(work->tracker, message);
}

/* Ends the messages that lost stream bytes, unless this segment continued them. */
static void end_torn(const struct ddp_work *work)
{
	struct ddp_half *half = half_of(work);
	struct message *under_way[DDP_QUEUES + 2];

	for (unsigned queue = 0; queue < DDP_QUEUES; queue++)
		under_way[queue] = half->untagged[queue];
	under_way[DDP_QUEUES] = half->write;
	under_way[DDP_QUEUES + 1] = half->read;
	for (unsigned i = 0; i < DDP_QUEUES + 2; i++)
		if (under_way[i] && under_way[i]->torn) {
			if (under_way[i] == half->read)
				ddp_reads_torn(work, half->read);
			message_settle(work->tracker, under_way[i]);
		}
	half->lost = 0;
	half->lost_send = false;
	half->unfinished = half->write;
}

static void dispatch(struct ddp_work *work)
{
	switch (work->facts.opcode) {
	case RTAP_RDMAP_WRITE: take_tagged(work, true); break;
	case RTAP_RDMAP_READ_REQUEST: take_read_request(work); break;
	case RTAP_RDMAP_READ_RESPONSE: take_read_response(work); break;
	case RTAP_RDMAP_SEND:
	case RTAP_RDMAP_SEND_INVALIDATE:
	case RTAP_RDMAP_SEND_SE:
	case RTAP_RDMAP_SEND_SE_INVALIDATE: take_send(work); break;
	case RTAP_RDMAP_TERMINATE: take_terminate(work); break;
	case RTAP_RDMAP_IMMEDIATE:
	case RTAP_RDMAP_IMMEDIATE_SE: take_single(work, RTAP_KIND_IMMEDIATE, DDP_UNTAGGED_LENGTH); break;
	case RTAP_RDMAP_ATOMIC_REQUEST: take_atomic_request(work); break;
	case RTAP_RDMAP_ATOMIC_RESPONSE: take_atomic_response(work); break;
	default: work->tracker->counters.unsupported++; break;
	}
}

void ddp_message_fpdu(struct rtap_tracker *tracker, struct connection *connection, bool from_a, const struct rtap_fpdu *fpdu,
		      uint32_t frames, uint32_t shown)
{
	struct ddp_work work;
	uint32_t length;
	const uint8_t *head = fpdu_head(fpdu, &length);

	work.tracker = tracker;
	work.connection = connection;
	work.from_a = from_a;
	work.fpdu = fpdu;
	work.frames = frames;
	work.shown = shown;
	half_of(&work)->end = fpdu->stream_offset + fpdu->bytes.length;
	/* Truncated or invalid headers are ignored. */
	if (iwarp_read(head, length, fpdu->ulpdu_length, &work.facts) != OK ||
	    work.facts.tagged != iwarp_opcodes[work.facts.opcode].tagged || (!work.facts.tagged && work.facts.qn >= DDP_QUEUES)) {
		ddp_message_lost(connection, from_a, fpdu->bytes.length);
		half_of(&work)->lost_send |= iwarp_is_send(work.facts.opcode);
		return;
	}
	if (half_of(&work)->lost)
		ddp_reads_lost(&work);
	dispatch(&work);
	/* The callback may have ended the connection. */
	if (connection->ddp && half_of(&work)->lost)
		end_torn(&work);
}

void ddp_message_lost(struct connection *connection, bool from_a, uint64_t length)
{
	struct ddp_half *half = &connection->ddp->halves[from_a];

	half->losses++;
	half->lost = half->lost + length < length ? UINT64_MAX : half->lost + length;
	half->reads.lost = half->reads.lost + length < length ? UINT64_MAX : half->reads.lost + length;
	for (unsigned queue = 0; queue < DDP_QUEUES; queue++)
		if (half->untagged[queue])
			half->untagged[queue]->torn = half->lost_send = true;
	if (half->write)
		half->write->torn = true;
	if (half->read)
		half->read->torn = true;
}

void ddp_message_end(struct rtap_tracker *tracker, struct connection *connection)
{
	for (int side = 0; side < 2; side++)
		while (!TAILQ_EMPTY(&connection->streams[side].messages))
			message_settle(tracker, TAILQ_FIRST(&connection->streams[side].messages));
}
