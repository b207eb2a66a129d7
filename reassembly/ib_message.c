/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "dissect/crc32.h"
#include "dissect/ib.h"
#include "reassembly/ib_message.h"
#include "reassembly/message_queue.h"
#include "reassembly/psn.h"
#include "reassembly/rpc_call.h"

#define NANOSECONDS INT64_C(1000000000)
/*
 * The point of capture can swap packets, and an acknowledgement can get lost behind it: a message that is done waits so
 * long for what still belongs to it.
 */
#define GRACE_PACKETS 256
#define GRACE_NS (NANOSECONDS / 2)
/* Holes that the stream went past so long ago stay holes. */
#define HOLE_NS (2 * NANOSECONDS)
/* Longer than a queue pair waits with all its retries: 7 times 4.3 seconds by usual settings. IBTA vol. 1, 9.7.6.1.3. */
#define SILENCE_NS (60 * NANOSECONDS)
#define MAX_IN_FLIGHT 8192
/* SENDs of up to so many bytes are put together for the protocols above; bulk goes by RDMA. */
#define MAX_SEND_BYTES (256u << 10)

static bool is_path_mtu(uint32_t bytes)
{
	return bytes >= 256 && bytes <= 4096 && !(bytes & (bytes - 1));
}

static uint64_t packets_of(uint64_t length, uint32_t pmtu)
{
	return length <= pmtu ? 1 : (length + pmtu - 1) / pmtu;
}

/* The PSNs that a request takes whose length is announced; 0: that depends on the path MTU, which is not known. */
static uint64_t psn_count(uint64_t length, uint32_t pmtu)
{
	if (pmtu)
		return packets_of(length, pmtu);
	return length <= 256 ? 1 : 0;
}

static bool has_announced_length(const struct message *message)
{
	return message->shown.request_seen && (message->shown.verb == RTAP_VERB_WRITE || message->shown.verb == RTAP_VERB_READ);
}

static void learn_path_mtu(struct psn_stream *stream, uint32_t pmtu)
{
	if (!is_path_mtu(pmtu) || stream->pmtu == pmtu)
		return;
	stream->pmtu = pmtu;
	for (struct message *message = stream->head; message; message = message->behind)
		if (has_announced_length(message) && !message->end)
			message->end = message->low + packets_of(message->shown.length, pmtu);
	/* a READ takes the PSNs of all its responses */
	if (stream->tail && stream->tail->end > stream->next)
		stream->next = stream->tail->end;
}

/* The last message that begins at or before `psn`. */
static struct message *find_before(const struct psn_stream *stream, uint64_t psn, struct message *from)
{
	struct message *message = from ? from : stream->tail;

	while (message && message->low > psn)
		message = message->before;
	if (!message)
		return NULL;
	while (message->behind && message->behind->low <= psn)
		message = message->behind;
	return message;
}

static void link_behind(struct psn_stream *stream, struct message *message, struct message *before)
{
	message->stream = stream;
	message->before = before;
	message->behind = before ? before->behind : stream->head;
	*(message->behind ? &message->behind->before : &stream->tail) = message;
	*(before ? &before->behind : &stream->head) = message;
	if (!stream->unanswered || stream->unanswered == message->behind)
		stream->unanswered = message;
	stream->in_flight++;
}

static struct message *create(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *before, uint64_t psn,
			      uint64_t frame, int64_t time_ns, enum rtap_message_kind kind, enum rtap_verb verb)
{
	struct message *message;

	if (stream->in_flight >= MAX_IN_FLIGHT) {
		bool was_before = before == stream->head;

		stream->head->evicted = true;
		tracker->counters.evictions++;
		message_settle(tracker, stream->head);
		if (was_before)
			before = NULL;
	}
	message = message_create(tracker, stream->connection, frame, time_ns);
	if (!message)
		return NULL;
	message->shown.kind = (uint8_t)kind;
	message->shown.verb = (uint8_t)verb;
	message->shown.from_a = stream->from_a;
	message->shown.psn = (uint32_t)psn & PSN_MASK;
	message->low = message->high = message->origin = psn;
	link_behind(stream, message, before);
	return message;
}

/* What of the memory budget the payload takes, after it has grown. */
static void account(struct rtap_tracker *tracker, struct message *message)
{
	uint64_t memory = coverage_memory(&message->coverage) + coverage_memory(&message->cut);

	if (memory == message->memory || !message->connection)
		return;
	if (memory > message->memory)
		budget_charge(&tracker->budget, &message->connection->holder, memory - message->memory);
	else
		budget_give(&tracker->budget, &message->connection->holder, message->memory - memory);
	message->memory = memory;
}

/* A packet's payload. */
struct piece {
	const uint8_t *bytes;  /* NULL: not kept */
	uint32_t captured, wire, crc;
};

static void drop_bytes(struct message *message)
{
	message->bytes_wanted = false;
	message->bytes_dropped = true;
	free(message->coverage.bytes);
	message->coverage.bytes = NULL;
	message->coverage.bytes_room = 0;
}

static bool keeps_bytes(const struct rtap_tracker *tracker, const struct message *message)
{
	return !message->bytes_dropped && (tracker->keep & COVERAGE_BYTES || message->bytes_wanted);
}

/* Length, coverage and times stay exact without them. */
static void evict_bytes(struct rtap_tracker *tracker, struct message *message)
{
	drop_bytes(message);
	message->shown.bytes_evicted = true;
	tracker->counters.evictions++;
	account(tracker, message);
}

/* Whether memory allows the message to keep these bytes too. */
static bool has_room(const struct rtap_tracker *tracker, const struct message *message, uint64_t position, uint64_t length)
{
	uint64_t room = coverage_room_for(&message->coverage, position, length), limit = tracker->budget.limit;

	return room == message->coverage.bytes_room ||
	       (room <= limit / 4 && tracker->budget.used + room - message->coverage.bytes_room <= limit);
}

/* Puts a packet's payload into its message. Returns how many of its bytes are new. */
static uint64_t add_payload(struct rtap_tracker *tracker, struct message *message, uint64_t psn, const struct piece *piece)
{
	const struct psn_stream *stream = message->stream;
	uint64_t position = MESSAGE_ORIGIN + (psn - message->origin) * stream->pmtu, fresh, cut_fresh = 0;
	unsigned keep = (tracker->keep & ~(unsigned)COVERAGE_BYTES) | (keeps_bytes(tracker, message) ? COVERAGE_BYTES : 0u);

	if (psn != message->origin && !stream->pmtu)
		return 0;
	/* bytes are kept of all packets or of none */
	if ((keep & COVERAGE_BYTES) && ((message->coverage.count && !message->coverage.bytes) || !piece->bytes)) {
		message->bytes_dropped = true;
		keep &= ~(unsigned)COVERAGE_BYTES;
	}
	if (keep & COVERAGE_BYTES && !has_room(tracker, message, position, piece->captured)) {
		evict_bytes(tracker, message);
		keep &= ~(unsigned)COVERAGE_BYTES;
	}
	if (!coverage_add(&message->coverage, position, piece->bytes, piece->captured, piece->crc, keep, &fresh) ||
	    !coverage_add(&message->cut, position + piece->captured, NULL, piece->wire - piece->captured, 0, COVERAGE_ONLY, &cut_fresh))
		message->evicted = true;
	if (message->bytes_wanted && !(tracker->keep & COVERAGE_BYTES) && message->shown.verb == RTAP_VERB_SEND &&
	    message->coverage.total > MAX_SEND_BYTES)
		drop_bytes(message);
	account(tracker, message);
	return fresh;
}

static void note_frame(struct rtap_tracker *tracker, struct message *message, uint64_t frame, int64_t time_ns, bool is_new)
{
	struct rtap_message *shown = &message->shown;

	tracker->touched = message;
	message->active_ns = time_ns;
	if (!is_new) {
		shown->repeats++;
		return;
	}
	shown->frames++;
	if (frame < shown->first_frame)
		shown->first_frame = frame;
	if (frame > shown->last_frame)
		shown->last_frame = frame;
	if (time_ns < shown->time_ns)
		shown->time_ns = time_ns;
	if (time_ns > shown->time_end_ns)
		shown->time_end_ns = time_ns;
}

/* Takes the message behind into one that it continues. */
static void join(struct rtap_tracker *tracker, struct message *message, struct message *other)
{
	struct rtap_message *shown = &message->shown, *taken = &other->shown;
	uint64_t shift = (other->origin - message->origin) * message->stream->pmtu;
	struct coverage *parts[] = { &other->coverage, &other->cut };

	for (int i = 0; i < 2; i++) {
		struct coverage_run *runs = parts[i]->many ? parts[i]->many : &parts[i]->one;

		for (uint32_t run = 0; run < parts[i]->count; run++) {
			runs[run].begin += shift;
			runs[run].end += shift;
		}
		parts[i]->origin += shift;
	}
	if (other->coverage.count && keeps_bytes(tracker, message)) {
		const struct coverage_run *run = coverage_runs(&other->coverage);

		if (!other->coverage.bytes)
			drop_bytes(message);
		else if (!has_room(tracker, message, run->begin, run[other->coverage.count - 1].end - run->begin))
			evict_bytes(tracker, message);
	}
	if (!coverage_join(&message->coverage, &other->coverage, (tracker->keep & COVERAGE_CRC) |
			   (keeps_bytes(tracker, message) ? COVERAGE_BYTES : 0u)) ||
	    !coverage_join(&message->cut, &other->cut, COVERAGE_ONLY))
		message->evicted = true;
	if (other->high > message->high)
		message->high = other->high;
	message->has_last |= other->has_last;
	shown->frames += taken->frames;
	shown->repeats += taken->repeats;
	if (taken->first_frame < shown->first_frame)
		shown->first_frame = taken->first_frame;
	if (taken->last_frame > shown->last_frame)
		shown->last_frame = taken->last_frame;
	/* times need not be in the order of frames */
	if (taken->time_ns < shown->time_ns)
		shown->time_ns = taken->time_ns;
	if (taken->time_end_ns > shown->time_end_ns)
		shown->time_end_ns = taken->time_end_ns;
	shown->wanted |= taken->wanted;
	shown->bytes_evicted |= taken->bytes_evicted;
	if (taken->has_immediate) {
		shown->has_immediate = true;
		shown->immediate = taken->immediate;
	}
	if (taken->has_invalidate) {
		shown->has_invalidate = true;
		shown->invalidated_r_key = taken->invalidated_r_key;
	}
	message_drop(tracker, other);
	account(tracker, message);
}

static bool same_verb(const struct message *message, enum rtap_verb verb)
{
	return message && message->shown.verb == verb;
}

/* Whether a packet that is no First can belong to the message before it. */
static bool continues(const struct message *message, enum rtap_verb verb, uint64_t psn)
{
	if (!same_verb(message, verb))
		return false;
	if (message->end)
		return psn < message->end;
	if (psn <= message->high)
		return true;
	/* one lost packet cannot have been both the Last of one message and the First of the next */
	return !message->has_last && psn <= message->high + 2;
}

/* Whether `message`, whose First was not seen, goes on what comes up to `psn`. */
static bool is_continued_by(const struct message *message, const struct message *next, uint64_t psn)
{
	if (!same_verb(next, (enum rtap_verb)message->shown.verb) || next->has_first || next->shown.request_seen)
		return false;
	return message->end ? next->low < message->end : next->low <= psn + 2;
}

/* Whether two parts can be of one SEND, of which the packets between were not seen. */
static bool may_be_one(const struct message *message, const struct message *next)
{
	return same_verb(message, RTAP_VERB_SEND) && same_verb(next, RTAP_VERB_SEND) && !message->has_last && !next->has_first;
}

static void extend(struct message *message, uint64_t psn, enum ib_place place)
{
	if (psn < message->low) {
		message->low = psn;
		message->shown.psn = (uint32_t)psn & PSN_MASK;
	}
	if (psn > message->high)
		message->high = psn;
	message->has_first |= place == IB_FIRST || place == IB_ONLY;
	message->has_last |= place == IB_LAST || place == IB_ONLY;
}

/* The message of a packet by its place in it, made if it is its first. */
static struct message *message_of(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, enum ib_place place,
				  enum rtap_verb verb, uint64_t frame, int64_t time_ns, struct message *hint)
{
	struct message *before = find_before(stream, psn, hint), *next = before ? before->behind : stream->head, *message;
	bool begins = place == IB_FIRST || place == IB_ONLY;

	/* a READ that was started again has Firsts and Lasts in its middle */
	if (verb == RTAP_VERB_READ && same_verb(before, verb) && before->shown.request_seen && (!before->end || psn < before->end))
		return before;
	if (before && before->low == psn && (begins == before->has_first || before->shown.request_seen))
		return same_verb(before, verb) ? before : NULL;
	if (!begins && continues(before, verb, psn))
		return before;
	/* what was seen of it so far came without its beginning */
	if (place != IB_LAST && place != IB_ONLY && same_verb(next, verb) && !next->has_first && !next->shown.request_seen &&
	    next->low <= psn + 2 && (next->origin == next->low || stream->pmtu))
		return next;
	/* it repeats what has been told already */
	if (psn < stream->settled_high)
		return NULL;
	message = create(tracker, stream, before, psn, frame, time_ns,
			 verb == RTAP_VERB_SEND ? RTAP_KIND_SEND : verb == RTAP_VERB_WRITE ? RTAP_KIND_WRITE : RTAP_KIND_READ, verb);
	if (!message)
		return NULL;
	/* whose memory a WRITE goes to is not known before its beginning */
	message->bytes_wanted = verb == RTAP_VERB_SEND ? place != IB_ONLY : !begins && tracker->regions.count;
	if (verb == RTAP_VERB_SEND && !begins)
		stream->fragment_psn = psn;
	return message;
}

/* Messages that a packet has shown to be one. */
static void join_next(struct rtap_tracker *tracker, struct message *message)
{
	while (message->behind && !message->has_last && is_continued_by(message, message->behind, message->high) && message->stream->pmtu)
		join(tracker, message, message->behind);
}

static bool covers_all(const struct message *message, uint64_t begin, uint64_t length)
{
	const struct coverage_run *run = coverage_runs(&message->coverage);

	return !length || (message->coverage.count == 1 && run->begin <= begin && run->end >= begin + length);
}

static bool is_whole(const struct message *message)
{
	switch (message->shown.verb) {
	case RTAP_VERB_SEND:
		return message->has_first && message->has_last && covers_all(message, message_position(message), message_known_length(message));
	case RTAP_VERB_WRITE:
		return message->has_first && (message->has_last || message->shown.length) &&
		       covers_all(message, message_position(message), message->shown.length);
	case RTAP_VERB_READ:
		return message->shown.request_seen && message->has_last && covers_all(message, message_position(message), message->shown.length);
	case RTAP_VERB_ATOMIC_WRITE:
		return message->shown.request_seen && message->coverage.total == 8;
	default: /* one request, one response */
		return message->shown.request_seen && message->has_last;
	}
}

/* Immediate data and the key to invalidate stand in the last packet. */
static void take_last(struct message *message, const struct rtap_ib_facts *ib)
{
	if (ib->has_immediate) {
		message->shown.has_immediate = true;
		message->shown.immediate = ib->immediate;
	}
	if (ib->has_ieth) {
		message->shown.has_invalidate = true;
		message->shown.invalidated_r_key = ib->invalidated_r_key;
	}
}

/* False: it is known already. */
static bool take_reth(struct message *message, const struct rtap_ib_facts *ib)
{
	struct rtap_message *shown = &message->shown;

	if (shown->request_seen)
		return false;
	shown->request_seen = shown->has_key = true;
	shown->r_key = ib->r_key;
	shown->virtual_address = ib->virtual_address;
	shown->length = ib->dma_length;
	if (message->stream->pmtu || ib->dma_length <= 256)
		message->end = message->low + packets_of(ib->dma_length, message->stream->pmtu ? message->stream->pmtu : 256);
	return true;
}

static void fill_completion(struct rtap_flow_facts *flow, const struct message *message, uint64_t length)
{
	flow->completes = true;
	flow->kind = message->shown.kind;
	flow->verb = message->shown.verb;
	flow->message_first_frame = message->shown.first_frame;
	flow->message_frames = message->shown.frames;
	flow->message_length = length;
}

/* Services without answers: a message is over when it is whole, or when the next one begins. IBTA vol. 1, 9.8.2.2. */
static void close_unreliable(struct psn_stream *stream, struct message *message, int64_t now_ns, bool begins)
{
	if (begins)
		for (struct message *before = message->before; before && !before->answered; before = before->before) {
			before->answered = true;
			before->answered_ns = now_ns;
			before->answered_at = stream->packets;
		}
	if (!message->answered && is_whole(message)) {
		message->answered = true;
		message->answered_ns = now_ns;
		message->answered_at = stream->packets;
	}
}

/* SEND and WRITE packets. */
static void data_packet(struct rtap_tracker *tracker, struct psn_stream *stream, struct rtap_packet *packet, uint64_t psn,
			const struct piece *piece, const struct ib_opcode *opcode)
{
	enum rtap_verb verb = opcode->class == IB_SEND ? RTAP_VERB_SEND : RTAP_VERB_WRITE;
	enum ib_place place = (enum ib_place)opcode->place;
	struct message *message;
	bool was_whole;

	if (place == IB_FIRST || place == IB_MIDDLE)
		learn_path_mtu(stream, piece->wire);
	message = message_of(tracker, stream, psn, place, verb, packet->frame->number, packet->frame->time_ns, NULL);
	if (!message)
		return;
	was_whole = is_whole(message);
	extend(message, psn, place);
	if (verb == RTAP_VERB_WRITE && (place == IB_FIRST || place == IB_ONLY) && take_reth(message, &packet->ib))
		rpc_call_claim(tracker, message);
	if (place == IB_LAST || place == IB_ONLY)
		take_last(message, &packet->ib);
	/* empty payloads cover nothing: their packets are new if the sequence says so */
	if (piece->wire)
		note_frame(tracker, message, packet->frame->number, packet->frame->time_ns, add_payload(tracker, message, psn, piece) ||
			   (!piece->captured && packet->flow.analysis <= RTAP_PSN_OUT_OF_ORDER));
	else
		note_frame(tracker, message, packet->frame->number, packet->frame->time_ns, !was_whole);
	join_next(tracker, message);
	if (!was_whole && is_whole(message)) {
		fill_completion(&packet->flow, message, verb == RTAP_VERB_SEND ? message_known_length(message) : message->shown.length);
		tracker->completed = message;
	}
	if (!stream->reliable)
		close_unreliable(stream, message, packet->frame->time_ns, place == IB_FIRST || place == IB_ONLY);
}

/* A READ that asks again for the rest of what another asked for. IBTA vol. 1, 9.4.4. */
static bool is_restart(const struct message *message, uint64_t psn, const struct rtap_ib_facts *ib)
{
	uint64_t offset;

	if (!same_verb(message, RTAP_VERB_READ) || !message->shown.request_seen || (message->end && psn >= message->end))
		return false;
	offset = (psn - message->low) * message->stream->pmtu;
	return ib->r_key == message->shown.r_key && ib->virtual_address == message->shown.virtual_address + offset &&
	       offset + ib->dma_length == message->shown.length;
}

static void read_request(struct rtap_tracker *tracker, struct psn_stream *stream, struct rtap_packet *packet, uint64_t psn)
{
	struct message *message = find_before(stream, psn, NULL);
	const struct rtap_frame *frame = packet->frame;

	if (is_restart(message, psn, &packet->ib)) {
		message->active_ns = frame->time_ns;
		message->shown.repeats++;
		tracker->touched = message;
		if (psn < stream->response_next)
			stream->response_next = psn;
		return;
	}
	if (!same_verb(message, RTAP_VERB_READ) || message->shown.request_seen || message->low != psn) {
		if (psn < stream->settled_high)
			return;
		message = create(tracker, stream, message, psn, frame->number, frame->time_ns, RTAP_KIND_READ, RTAP_VERB_READ);
		if (!message)
			return;
	}
	if (take_reth(message, &packet->ib))
		rpc_call_claim(tracker, message);
	note_frame(tracker, message, frame->number, frame->time_ns, true);
	/* responses that were captured before their request */
	while (message->behind && message->end && message->behind->low < message->end && is_continued_by(message, message->behind, psn) &&
	       stream->pmtu)
		join(tracker, message, message->behind);
}

/* Operations of one request packet. */
static void single_request(struct rtap_tracker *tracker, struct psn_stream *stream, struct rtap_packet *packet, uint64_t psn,
			   const struct piece *piece, enum rtap_message_kind kind, enum rtap_verb verb)
{
	const struct rtap_ib_facts *ib = &packet->ib;
	struct message *message = find_before(stream, psn, NULL);

	if (message && message->low == psn) {
		message->shown.repeats += same_verb(message, verb);
		return;
	}
	if (psn < stream->settled_high)
		return;
	message = create(tracker, stream, message, psn, packet->frame->number, packet->frame->time_ns, kind, verb);
	if (!message)
		return;
	message->shown.request_seen = message->shown.has_key = true;
	message->shown.r_key = ib->r_key;
	message->shown.virtual_address = ib->virtual_address;
	message->shown.length = verb == RTAP_VERB_FLUSH ? ib->dma_length : 8;
	message->shown.swap_or_add = ib->swap_or_add;
	message->shown.compare = ib->compare;
	message->end = psn + 1;
	note_frame(tracker, message, packet->frame->number, packet->frame->time_ns, true);
	if (verb == RTAP_VERB_ATOMIC_WRITE) {
		add_payload(tracker, message, psn, piece);
		fill_completion(&packet->flow, message, 8);
	}
}

/* How many PSNs a request takes. */
static uint64_t request_count(const struct psn_stream *stream, const struct rtap_ib_facts *ib, const struct ib_opcode *opcode)
{
	uint64_t count = opcode->class == IB_READ_REQUEST ? psn_count(ib->dma_length, stream->pmtu) : 1;

	return count ? count : 1;
}

/* The PSN behind a READ tells the path MTU, if nothing else has yet. */
static void learn_from_read(struct psn_stream *stream, uint64_t psn)
{
	const struct message *read = stream->tail;

	if (stream->pmtu || psn <= stream->next || !read || !same_verb(read, RTAP_VERB_READ) || read->end)
		return;
	for (uint32_t pmtu = 256; pmtu <= 4096; pmtu *= 2)
		if (packets_of(read->shown.length, pmtu) == psn - read->low) {
			learn_path_mtu(stream, pmtu);
			stream->next = psn;
			return;
		}
}

static const uint8_t trouble_of_analysis[RTAP_PSN_COUNT] = {
	[RTAP_PSN_OUT_OF_ORDER] = RTAP_TROUBLE_OUT_OF_ORDER,
	[RTAP_PSN_RETRANSMISSION] = RTAP_TROUBLE_RETRANSMISSION,
	[RTAP_PSN_DUPLICATE] = RTAP_TROUBLE_DUPLICATE,
	[RTAP_PSN_CAPTURED_TWICE] = RTAP_TROUBLE_CAPTURED_TWICE,
	[RTAP_PSN_UNEXPECTED] = RTAP_TROUBLE_UNEXPECTED_RESPONSE,
	[RTAP_PSN_RESYNCHRONISED] = RTAP_TROUBLE_RESYNCHRONISED,
};

static void count_analysis(struct connection *connection, enum rtap_psn_analysis analysis, bool differs)
{
	uint64_t *trouble = connection->shown.trouble;

	if (analysis > RTAP_PSN_GAP)
		trouble[trouble_of_analysis[analysis]]++;
	trouble[RTAP_TROUBLE_DIFFERING_REPEAT] += differs;
}

/* The sequence goes on elsewhere: what was begun will not be finished. */
static void begin_anew(struct rtap_tracker *tracker, struct psn_stream *stream, uint32_t psn)
{
	ib_message_settle(tracker, stream, true);
	stream->connection->shown.trouble[RTAP_TROUBLE_LOST] += psn_give_up(stream, UINT64_MAX);
	psn_fini(stream);
	stream->nak = stream->msn_known = false;
	stream->settled_end = stream->settled_high = stream->response_next = stream->fragment_psn = 0;
	psn_start(stream, psn);
}

/* The handshake told where the sequence begins. */
static void start(struct psn_stream *stream, uint32_t psn)
{
	const struct rtap_connection *shown = &stream->connection->shown;
	const struct rtap_end *sender = stream->from_a ? &shown->a : &shown->b;

	if (shown->learned_by_cm && sender->psn_known && ((psn - sender->psn) & PSN_MASK) < PSN_WINDOW) {
		psn_start(stream, sender->psn);
		stream->settled_end = stream->next;
	} else {
		psn_start(stream, psn);
	}
}

/* Whether a PSN belongs to another conversation. The responses to a READ can be any number of PSNs behind its successor. */
static bool is_far(const struct psn_stream *stream, uint64_t psn)
{
	uint64_t low = stream->head && stream->head->low < stream->next ? stream->head->low : stream->next;

	return psn > stream->next + PSN_WINDOW || psn + PSN_WINDOW < low;
}

static uint32_t digest_of(const struct rtap_tracker *tracker, const uint8_t *bytes, uint32_t length)
{
	uint32_t crc = 0;

	if (tracker->keep & COVERAGE_CRC) {
		crc = crc32_of(0, bytes, length);
		crc32_release();
	}
	return crc;
}

void ib_message_request(struct rtap_tracker *tracker, struct psn_stream *stream, struct rtap_packet *packet)
{
	const struct rtap_ib_facts *ib = &packet->ib;
	const struct ib_opcode *opcode = &ib_opcodes[ib->opcode];
	const struct rtap_payload *payload = &packet->payload;
	struct rtap_flow_facts *flow = &packet->flow;
	struct piece piece = { packet->sources[payload->source].bytes + payload->offset, payload->captured, payload->wire, 0 };
	uint64_t psn, expected;
	enum rtap_psn_analysis analysis = RTAP_PSN_NONE;

	if (!stream->started)
		start(stream, ib->psn);
	psn = psn_unwrap(stream, ib->psn);
	if (is_far(stream, psn)) {
		if (ib_check_icrc(packet) == RTAP_CRC_BAD)
			return;
		begin_anew(tracker, stream, ib->psn);
		psn = stream->next;
		analysis = RTAP_PSN_RESYNCHRONISED;
	}
	piece.crc = digest_of(tracker, piece.bytes, piece.captured);
	learn_from_read(stream, psn);
	expected = stream->next;
	stream->packets++;
	stream->last_ns = packet->frame->time_ns;
	flow->analysis = (uint8_t)psn_request(stream, psn, request_count(stream, ib, opcode), packet->frame,
					      opcode->class == IB_READ_REQUEST ? 0 : piece.crc, &flow->differs);
	if (flow->analysis == RTAP_PSN_GAP)
		flow->missing = (uint32_t)(psn - expected);
	if (analysis)
		flow->analysis = (uint8_t)analysis;
	count_analysis(stream->connection, (enum rtap_psn_analysis)flow->analysis, flow->differs);
	switch (opcode->class) {
	case IB_SEND:
	case IB_WRITE:
		data_packet(tracker, stream, packet, psn, &piece, opcode);
		break;
	case IB_READ_REQUEST:
		read_request(tracker, stream, packet, psn);
		break;
	case IB_ATOMIC:
		single_request(tracker, stream, packet, psn, &piece, RTAP_KIND_ATOMIC,
			       (ib->opcode & 0x1f) == 0x13 ? RTAP_VERB_COMPARE_SWAP : RTAP_VERB_FETCH_ADD);
		break;
	case IB_ATOMIC_WRITE:
		single_request(tracker, stream, packet, psn, &piece, RTAP_KIND_ATOMIC, RTAP_VERB_ATOMIC_WRITE);
		break;
	case IB_FLUSH:
		single_request(tracker, stream, packet, psn, &piece, RTAP_KIND_FLUSH, RTAP_VERB_FLUSH);
		break;
	default:
		break;
	}
	ib_message_settle(tracker, stream, false);
}

static bool is_answered_by_data(const struct message *message)
{
	return message->shown.verb != RTAP_VERB_SEND && message->shown.verb != RTAP_VERB_WRITE;
}

static void answer(struct psn_stream *stream, struct message *message, const struct pending_response *response, enum rtap_outcome outcome,
		   struct rtap_flow_facts *flow)
{
	struct rtap_message *shown = &message->shown;

	if (message->answered)
		return;
	message->answered = true;
	message->answered_ns = response->time_ns;
	message->answered_at = stream->packets;
	shown->outcome = (uint8_t)outcome;
	shown->answered_in = response->frame;
	shown->has_latency = shown->request_seen || message->has_first;
	shown->latency_ns = response->time_ns - shown->time_ns;
	if (flow && shown->has_latency && !flow->has_latency) {
		flow->has_latency = true;
		flow->request_frame = shown->first_frame;
		flow->latency_ns = shown->latency_ns;
	}
}

/*
 * Where more than one packet is missing, what is before and behind can be one message or two: the MSN, which counts
 * messages, tells, if nothing else is in doubt. IBTA vol. 1, 9.7.7.1.
 */
static void join_by_msn(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t from, const struct pending_response *response)
{
	uint32_t messages = 0, pairs = 0, counted = (response->msn - stream->msn) & PSN_MASK;

	if (!stream->msn_known || !stream->pmtu || !(ib_opcodes[response->opcode].headers & IB_AETH))
		return;
	for (const struct message *message = find_before(stream, from, stream->unanswered); message; message = message->behind) {
		const struct message *next = message->behind;

		if (message->high < from || message->high >= stream->acknowledged)
			continue;
		messages++;
		pairs += next && next->high < stream->acknowledged && may_be_one(message, next);
	}
	if (!pairs || messages != counted + pairs)
		return;
	for (struct message *message = find_before(stream, from, stream->unanswered); message; message = message->behind)
		while (message->behind && message->behind->high < stream->acknowledged && may_be_one(message, message->behind)) {
			message->has_last |= message->behind->has_last;
			join(tracker, message, message->behind);
		}
}

/*
 * All SENDs and WRITEs below `psn` were received; so were READs and ATOMICs, but they wait for their data.
 * IBTA vol. 1, 9.7.5.1.2.
 */
static void acknowledge(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, const struct pending_response *response, struct rtap_flow_facts *flow)
{
	uint64_t acknowledged = stream->acknowledged;

	psn_acknowledge(stream, psn, response->time_ns);
	if (stream->fragment_psn >= acknowledged)
		join_by_msn(tracker, stream, acknowledged, response);
	if (ib_opcodes[response->opcode].headers & IB_AETH) {
		stream->msn = response->msn;
		stream->msn_known = true;
	}
	for (struct message *message = stream->unanswered; message && message->low < psn; message = message->behind) {
		uint64_t end = message->end ? message->end : message->high + 1;

		/* packets in the middle of a message are acknowledged too */
		if (!message->end && !message->has_last && end == psn)
			continue;
		if (!is_answered_by_data(message) && end <= psn)
			answer(stream, message, response, RTAP_OUTCOME_GOOD, flow);
	}
	while (stream->unanswered && stream->unanswered->answered)
		stream->unanswered = stream->unanswered->behind;
}

/* NAK codes. IBTA vol. 1, 9.7.5.2.1, table 58. */
static const struct {
	uint8_t trouble, outcome;
} naks[] = {
	{ RTAP_TROUBLE_NAK_SEQUENCE, RTAP_OUTCOME_SEQUENCE_ERROR },
	{ RTAP_TROUBLE_NAK_INVALID_REQUEST, RTAP_OUTCOME_INVALID_REQUEST },
	{ RTAP_TROUBLE_NAK_ACCESS, RTAP_OUTCOME_REMOTE_ACCESS_ERROR },
	{ RTAP_TROUBLE_NAK_OPERATION, RTAP_OUTCOME_REMOTE_OPERATIONAL_ERROR },
	{ RTAP_TROUBLE_NAK_INVALID_RD, RTAP_OUTCOME_INVALID_RD_REQUEST },
};

/* How the request stands until it is sent again. */
static void note_refusal(struct psn_stream *stream, uint64_t psn, enum rtap_outcome outcome)
{
	struct message *message = find_before(stream, psn, stream->unanswered);
	uint64_t end = message ? (message->end > message->high ? message->end : message->high + 1) : 0;

	if (message && !message->answered && psn < end)
		message->shown.outcome = (uint8_t)outcome;
}

static void refuse(struct psn_stream *stream, uint64_t psn, const struct pending_response *response, struct rtap_flow_facts *flow)
{
	uint8_t code = response->syndrome & 0x1f;
	struct message *message;

	stream->nak = true;
	stream->nak_psn = psn;
	note_refusal(stream, psn, code < sizeof naks / sizeof naks[0] ? (enum rtap_outcome)naks[code].outcome : RTAP_OUTCOME_NONE);
	if (code >= sizeof naks / sizeof naks[0])
		return;
	stream->connection->shown.trouble[naks[code].trouble]++;
	/* a sequence error asks for the packet again, the others end the request */
	message = code ? find_before(stream, psn, stream->unanswered) : NULL;
	if (message)
		answer(stream, message, response, (enum rtap_outcome)naks[code].outcome, flow);
}

static bool is_seen_ack(struct psn_stream *stream, const struct pending_response *response)
{
	bool same = stream->last_ack_psn == response->psn && stream->last_ack_msn == response->msn &&
		    stream->last_ack_syndrome == response->syndrome && stream->last_ack_interface != response->interface &&
		    response->time_ns - stream->last_ack_ns < 1000000 && stream->last_ack_ns;

	stream->last_ack_psn = response->psn;
	stream->last_ack_msn = response->msn;
	stream->last_ack_syndrome = response->syndrome;
	stream->last_ack_interface = response->interface;
	stream->last_ack_ns = response->time_ns;
	return same;
}

static enum rtap_psn_analysis acknowledgement(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, const struct pending_response *response,
					      struct rtap_flow_facts *flow)
{
	if (is_seen_ack(stream, response))
		return RTAP_PSN_CAPTURED_TWICE;
	switch (response->syndrome >> 5 & 3) {
	case 0:
		acknowledge(tracker, stream, psn + 1, response, flow);
		break;
	case 1:
		acknowledge(tracker, stream, psn, response, flow);
		stream->connection->shown.trouble[RTAP_TROUBLE_RNR]++;
		note_refusal(stream, psn, RTAP_OUTCOME_RNR);
		stream->nak = true;
		stream->nak_psn = psn;
		break;
	case 3:
		acknowledge(tracker, stream, psn, response, flow);
		refuse(stream, psn, response, flow);
		break;
	default:
		break;
	}
	return RTAP_PSN_IN_ORDER;
}

static void finish_response(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *message,
			    const struct pending_response *response, struct rtap_flow_facts *flow)
{
	/* the other side has said all, even if not all was captured */
	if (message->has_last && !message->answered)
		message->shown.outcome = RTAP_OUTCOME_GOOD;
	if (!is_whole(message) || message->answered)
		return;
	answer(stream, message, response, RTAP_OUTCOME_GOOD, flow);
	while (stream->unanswered && stream->unanswered->answered)
		stream->unanswered = stream->unanswered->behind;
	if (flow) {
		fill_completion(flow, message, message->shown.length);
		tracker->completed = message;
	}
}

/* What answers an ATOMIC WRITE or a FLUSH is a READ response without data. IBTA vol. 1, A19.4. */
static void data_response(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, const struct pending_response *response,
			  struct rtap_flow_facts *flow)
{
	const struct ib_opcode *opcode = &ib_opcodes[response->opcode];
	struct piece piece = { response->bytes, response->captured, response->wire, response->crc };
	struct message *message = find_before(stream, psn, stream->unanswered ? stream->unanswered : stream->tail);
	enum ib_place place = (enum ib_place)opcode->place;
	bool was_whole;

	if (place == IB_FIRST || place == IB_MIDDLE)
		learn_path_mtu(stream, piece.wire);
	if (message && message->low == psn && (message->shown.kind == RTAP_KIND_FLUSH || message->shown.verb == RTAP_VERB_ATOMIC_WRITE)) {
		note_frame(tracker, message, response->frame, response->time_ns, !message->has_last);
		message->has_last = true;
		finish_response(tracker, stream, message, response, flow);
		return;
	}
	message = message_of(tracker, stream, psn, place, RTAP_VERB_READ, response->frame, response->time_ns,
			     stream->unanswered ? stream->unanswered : stream->tail);
	if (!message)
		return;
	was_whole = is_whole(message);
	if (place == IB_ONLY && message->low == psn && message->shown.request_seen && message->shown.length == piece.wire && !message->end)
		message->end = psn + 1;
	/* a restarted READ has Firsts in its middle: only where the request was not seen do they tell the beginning */
	if (!message->shown.request_seen)
		extend(message, psn, place);
	else if (psn > message->high)
		message->high = psn;
	message->has_last |= place == IB_LAST || place == IB_ONLY;
	note_frame(tracker, message, response->frame, response->time_ns,
		   piece.wire ? add_payload(tracker, message, psn, &piece) || !piece.captured : !was_whole);
	if (!message->shown.request_seen)
		join_next(tracker, message);
	finish_response(tracker, stream, message, response, flow);
}

static void atomic_response(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, const struct pending_response *response,
			    struct rtap_flow_facts *flow)
{
	struct message *message = find_before(stream, psn, stream->unanswered);
	uint8_t original[8];
	struct piece piece = { original, 8, 8, 0 };

	if (!message || message->low != psn || message->shown.kind != RTAP_KIND_ATOMIC) {
		stream->connection->shown.trouble[RTAP_TROUBLE_UNEXPECTED_RESPONSE]++;
		return;
	}
	for (int i = 0; i < 8; i++)
		original[i] = (uint8_t)(response->original >> (56 - 8 * i));
	piece.crc = digest_of(tracker, original, 8);
	note_frame(tracker, message, response->frame, response->time_ns, add_payload(tracker, message, psn, &piece));
	message->has_last = true;
	message->shown.original = response->original;
	finish_response(tracker, stream, message, response, flow);
}

void ib_message_response(struct rtap_tracker *tracker, struct psn_stream *stream, const struct pending_response *response,
			 struct rtap_flow_facts *flow)
{
	const struct ib_opcode *opcode = &ib_opcodes[response->opcode];
	enum rtap_psn_analysis analysis = RTAP_PSN_IN_ORDER;
	struct rtap_frame frame = { .interface = response->interface, .time_ns = response->time_ns };
	bool differs = false;
	uint64_t psn;

	if (opcode->class == IB_CONGESTION) {
		stream->connection->shown.trouble[RTAP_TROUBLE_CNP]++;
		return;
	}
	if (!stream->started)
		start(stream, response->psn);
	psn = psn_unwrap(stream, response->psn);
	/* it answers what was said too long ago, or never */
	if (is_far(stream, psn)) {
		analysis = RTAP_PSN_UNEXPECTED;
		goto out;
	}
	stream->packets++;
	stream->last_ns = response->time_ns;
	switch (opcode->class) {
	case IB_ACKNOWLEDGE:
		analysis = acknowledgement(tracker, stream, psn, response, flow);
		break;
	case IB_ATOMIC_ACKNOWLEDGE:
		analysis = psn_response(stream, psn, &frame, response->crc, &differs);
		acknowledge(tracker, stream, psn, response, flow);
		atomic_response(tracker, stream, psn, response, flow);
		break;
	case IB_READ_RESPONSE:
		analysis = psn_response(stream, psn, &frame, response->crc, &differs);
		acknowledge(tracker, stream, psn, response, flow);
		data_response(tracker, stream, psn, response, flow);
		/* its request, if it was not seen, took this PSN */
		if ((psn > stream->low || psn == stream->settled_end) && psn >= stream->next && opcode->place != IB_MIDDLE && opcode->place != IB_LAST)
			psn_acknowledge(stream, psn + 1, response->time_ns);
		else if (psn >= stream->next)
			stream->next = psn + 1;
		break;
	default:
		break;
	}
out:
	count_analysis(stream->connection, analysis, differs);
	if (flow) {
		flow->analysis = (uint8_t)analysis;
		flow->differs = differs;
	}
	ib_message_settle(tracker, stream, false);
}

void ib_message_datagram(struct rtap_tracker *tracker, struct connection *connection, bool from_a, struct rtap_packet *packet,
			 enum rtap_message_kind kind)
{
	const struct rtap_payload *payload = &packet->payload;
	const struct rtap_frame *frame = packet->frame;
	const uint8_t *bytes = packet->sources[payload->source].bytes + payload->offset;
	struct message *message = message_create(tracker, connection, frame->number, frame->time_ns);
	uint64_t fresh;

	if (!message)
		return;
	message->shown.kind = (uint8_t)kind;
	message->shown.verb = RTAP_VERB_SEND;
	message->shown.from_a = from_a;
	message->shown.psn = packet->ib.psn;
	message->shown.frames = 1;
	message->has_first = message->has_last = true;
	take_last(message, &packet->ib);
	if (!coverage_add(&message->coverage, MESSAGE_ORIGIN, bytes, payload->captured, digest_of(tracker, bytes, payload->captured),
			  tracker->keep, &fresh) ||
	    !coverage_add(&message->cut, MESSAGE_ORIGIN + payload->captured, NULL, payload->wire - payload->captured, 0, COVERAGE_ONLY, &fresh))
		message->evicted = true;
	if (payload->captured == payload->wire)
		fill_completion(&packet->flow, message, payload->wire);
	tracker->touched = message;
	message_settle(tracker, message);
}

bool ib_message_is_final(const struct rtap_tracker *tracker, const struct message *message)
{
	const struct psn_stream *stream = message->stream;
	uint64_t end = message->end > message->high ? message->end : message->high + 1;
	/* a READ takes the PSNs of all its responses at once */
	bool after_read = message->shown.verb == RTAP_VERB_READ || (same_verb(stream->tail, RTAP_VERB_READ) && stream->tail->end >= stream->next);
	uint64_t newest = after_read ? stream->acknowledged : stream->next;
	int64_t now = tracker->now_ns;

	if (message->answered)
		return stream->packets - message->answered_at >= GRACE_PACKETS || now - message->answered_ns >= GRACE_NS;
	if (stream->connection->closed && now - stream->connection->closed_ns >= GRACE_NS)
		return true;
	if (newest > end + PSN_WINDOW || now - stream->last_ns >= SILENCE_NS)
		return true;
	return stream->next > end && now - message->active_ns >= HOLE_NS;
}

void ib_message_settle(struct rtap_tracker *tracker, struct psn_stream *stream, bool all)
{
	while (stream->head && (all || ib_message_is_final(tracker, stream->head)))
		message_settle(tracker, stream->head);
	if (stream->gap_count && stream->settled_end)
		stream->connection->shown.trouble[RTAP_TROUBLE_LOST] += psn_give_up(stream, stream->head ? stream->head->low : stream->settled_end);
}
