/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "dissect/engine/packet.h"
#include "dissect/infiniband/ib.h"
#include "output/stats/stats.h"
#include "output/stats/why_state.h"

/* Minimum duration of a listed silence; within an operation, minimum part of its latency. */
#define SILENCE_NS INT64_C(100000000)
#define SILENCE_PART 20

struct why *why_create(const struct why_subject *subject, uint64_t most)
{
	struct why *why = calloc(1, sizeof *why);

	if (!why)
		return NULL;
	why->subject = *subject;
	why->most = most;
	for (int i = 0; i < 4; i++) {
		why->seen[i / 2][i % 2] = calloc(WHY_SEEN, sizeof *why->seen[0][0]);
		if (!why->seen[i / 2][i % 2]) {
			why_destroy(why);
			return NULL;
		}
	}
	return why;
}

void why_destroy(struct why *why)
{
	if (!why)
		return;
	for (int i = 0; i < 4; i++)
		free(why->seen[i / 2][i % 2]);
	free(why->events);
	free(why);
}

/* Modulo 2^24: IBTA vol. 1, 9.7.1. */
static bool is_at_least(uint32_t psn, uint32_t other)
{
	return ((psn - other) & 0xffffff) < 0x800000;
}

/*
 * The frame in which the PSN was captured first since the last recovery that repeats it; 0: none. Go-back-N: a receiver that misses a packet
 * discards all later ones.
 */
static uint64_t seen_in(const struct why *why, bool by_b, bool response, uint32_t psn)
{
	const struct why_seen *seen = &why->seen[by_b][response][psn % WHY_SEEN];
	bool asker = by_b != response;

	if (!seen->frame || seen->psn != psn)
		return 0;
	return why->went_back[asker] && seen->frame < why->back_frame[asker] && is_at_least(psn, why->back_psn[asker]) ? 0 : seen->frame;
}

/* Whether the receiver accepts the packet if it gets all that was captured. IBTA vol. 1, 9.7.2 and 9.7.5.2. */
static bool is_accepted(struct why_order *order, uint32_t psn, bool can_jump)
{
	if (order->known && psn != order->next && is_at_least(order->next, psn))
		return !order->is_strict;
	if (order->known && psn != order->next && (order->is_strict || !(can_jump || order->is_open)))
		return false;
	order->known = true;
	order->is_strict = order->is_open = false;
	order->next = (psn + 1) & 0xffffff;
	return true;
}

static void note_seen(struct why *why, const struct rtap_packet *packet, bool by_b, bool response)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	struct why_order *order = &why->orders[by_b][response];
	bool begins = response && (opcode->place == IB_FIRST || opcode->place == IB_ONLY);
	uint32_t psn = packet->ib.psn;

	if (!is_accepted(order, psn, begins && packet->flow.analysis != RTAP_PSN_GAP))
		return;
	order->is_open = opcode->class == IB_READ_REQUEST;
	if (!seen_in(why, by_b, response, psn))
		why->seen[by_b][response][psn % WHY_SEEN] = (struct why_seen){ packet->frame->number, psn };
}

static void note_recovery(struct why *why, const struct rtap_packet *packet, bool by_b)
{
	const struct why_order begun = { .known = true, .is_strict = true, .next = packet->ib.psn };

	if (!packet->ib.has_bth)
		return;
	why->went_back[by_b] = true;
	why->back_psn[by_b] = packet->ib.psn;
	why->back_frame[by_b] = packet->frame->number;
	why->orders[by_b][false] = begun;
	if (ib_opcodes[packet->ib.opcode].class == IB_READ_REQUEST)
		why->orders[!by_b][true] = begun;
}

static const char *what_of(const struct rtap_packet *packet)
{
	static const char *const verbs[RTAP_VERB_COUNT] = { "SEND", "WRITE", "READ", "CmpSwap", "FetchAdd", "ATOMIC WRITE", "FLUSH" };
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];

	if (!packet->ib.has_bth)
		return packet->tcp.payload.wire ? "TCP segment" : "TCP ACK";
	switch (opcode->class) {
	case IB_ACKNOWLEDGE: return "ACK";
	case IB_READ_RESPONSE: return "READ response";
	case IB_ATOMIC_ACKNOWLEDGE: return "ATOMIC response";
	case IB_READ_REQUEST: return "READ request";
	case IB_CONGESTION: return "CNP";
	default: return opcode->verb < RTAP_VERB_COUNT ? verbs[opcode->verb] : "packet";
	}
}

static enum why_event_kind kind_of(const struct rtap_packet *packet)
{
	const struct rtap_flow_facts *flow = &packet->flow;

	if (!packet->ib.has_bth) {
		switch (flow->tcp_analysis) {
		case RTAP_TCP_GAP: return WHY_EVENT_GAP;
		case RTAP_TCP_OUT_OF_ORDER: return WHY_EVENT_LATE;
		case RTAP_TCP_RETRANSMISSION: case RTAP_TCP_OVERLAP: return WHY_EVENT_AGAIN;
		default: return WHY_EVENT_PACKETS;
		}
	}
	if (packet->ib.has_aeth && packet->ib.aeth_kind == RTAP_AETH_NAK)
		return WHY_EVENT_NAK;
	if (packet->ib.has_aeth && packet->ib.aeth_kind == RTAP_AETH_RNR_NAK)
		return WHY_EVENT_RNR;
	if (ib_opcodes[packet->ib.opcode].class == IB_CONGESTION)
		return WHY_EVENT_CNP;
	switch (flow->analysis) {
	case RTAP_PSN_GAP: return WHY_EVENT_GAP;
	case RTAP_PSN_OUT_OF_ORDER: return WHY_EVENT_LATE;
	case RTAP_PSN_RETRANSMISSION: return WHY_EVENT_AGAIN;
	case RTAP_PSN_DUPLICATE: return WHY_EVENT_DUPLICATE;
	case RTAP_PSN_UNEXPECTED: return WHY_EVENT_UNEXPECTED;
	default: return WHY_EVENT_PACKETS;
	}
}

static bool is_response(const struct rtap_packet *packet)
{
	return packet->ib.has_bth && ib_opcodes[packet->ib.opcode].is_response;
}

/* Where the packet was lost that begins this recovery. */
static enum why_place place_of(const struct why *why, const struct rtap_packet *packet, bool by_b, uint64_t *seen_frame, bool *is_response_lost)
{
	bool is_read = packet->ib.has_bth && ib_opcodes[packet->ib.opcode].class == IB_READ_REQUEST, answered;
	uint32_t psn = packet->ib.psn;
	uint64_t request, response;

	*seen_frame = 0;
	*is_response_lost = false;
	if (packet->flow.recovery == RTAP_RECOVERY_RNR)
		return WHY_RECEIVER;
	if (!packet->ib.has_bth)
		return packet->flow.tcp_analysis == RTAP_TCP_OUT_OF_ORDER ? WHY_BEFORE :
		       packet->flow.tcp_analysis == RTAP_TCP_RETRANSMISSION || packet->flow.tcp_analysis == RTAP_TCP_OVERLAP ? WHY_AFTER : WHY_UNKNOWN;
	request = seen_in(why, by_b, false, psn);
	response = seen_in(why, !by_b, true, psn);
	/* the request, or the response, was lost again */
	if (is_read && !response && why->went_back[by_b] && why->back_psn[by_b] == psn)
		return WHY_SILENT;
	answered = why->acknowledged_known[by_b] && is_at_least(why->acknowledged[by_b], psn);
	/* a READ restarts at the missing response: a later response shows that it was sent */
	if (packet->flow.recovery == RTAP_RECOVERY_IMPLIED_NAK || (is_read && (response || answered))) {
		*is_response_lost = true;
		*seen_frame = response;
		return response ? WHY_AFTER : WHY_BEFORE;
	}
	*seen_frame = request;
	if (packet->flow.recovery == RTAP_RECOVERY_SEQUENCE_NAK)
		return request ? WHY_AFTER : WHY_BEFORE;
	if (!request)
		return is_read ? WHY_UNKNOWN : WHY_BEFORE;
	if (!answered)
		return WHY_SILENT;
	*seen_frame = why->acknowledged_in[by_b];
	return WHY_ANSWER;
}

static struct why_event *add_event(struct why *why)
{
	struct why_event *events = why->count < why->most ? array_grow(why->events, &why->room, why->count + 1, sizeof *events) : NULL;

	if (!events) {
		why->unlisted++;
		return NULL;
	}
	why->events = events;
	why->events[why->count] = (struct why_event){ .kind = 0 };
	return &why->events[why->count++];
}

/* Whether the packet continues the last event. For a whole connection, ordinary packets of all kinds form one run. */
static bool continues(const struct why *why, const struct why_event *last, const struct why_event *next)
{
	if (last->kind != next->kind || next->kind == WHY_EVENT_RECOVERY || next->kind == WHY_EVENT_NAK || next->kind == WHY_EVENT_GAP)
		return false;
	if (next->lost_ns)
		return false;
	if (next->kind == WHY_EVENT_PACKETS && !why->subject.has_operation)
		return true;
	return last->from_a == next->from_a && last->what == next->what;
}

static void put_event(struct why *why, const struct why_event *next)
{
	struct why_event *last = why->count && !why->unlisted ? &why->events[why->count - 1] : NULL;

	if (!last || !continues(why, last, next)) {
		last = add_event(why);
		if (last)
			*last = *next;
		return;
	}
	last->packets += next->packets;
	last->bytes += next->bytes;
	last->last_frame = next->last_frame;
	if (next->end_ns > last->end_ns)
		last->end_ns = next->end_ns;
	last->last_psn = next->last_psn;
	last->is_mixed |= last->from_a != next->from_a;
	if (last->what != next->what)
		last->what = NULL;
	last->has_psn = last->has_psn && next->has_psn && last->what && !last->is_mixed;
}

/* Records the time without packets before `next`, if it is long enough. */
static void note_silence(struct why *why, const struct why_event *next, bool recovers)
{
	int64_t silence_ns = ns_elapsed(why->end_ns, next->time_ns);
	struct why_event silence = {
		.kind = WHY_EVENT_SILENCE, .from_a = next->from_a, .time_ns = why->end_ns, .end_ns = next->time_ns,
		.first_frame = why->end_frame, .last_frame = next->first_frame,
	};

	if (!why->any)
		return;
	if (!recovers && silence_ns > why->silence_ns) {
		why->silence_ns = silence_ns;
		why->silence_frame = next->first_frame;
		why->silence_from_a = next->from_a;
	}
	if (silence_ns < (why->subject.has_latency ? why->subject.latency_ns / SILENCE_PART + 1 : SILENCE_NS))
		return;
	put_event(why, &silence);
	why->pauses[!next->from_a] += !recovers;
	why->paused_ns[!next->from_a] += recovers ? 0 : silence_ns;
}

static void note_response(struct why *why, const struct rtap_packet *packet, bool by_b)
{
	bool asker = !by_b;

	if (!is_response(packet) || (packet->ib.has_aeth && packet->ib.aeth_kind != RTAP_AETH_ACK))
		return;
	if (why->acknowledged_known[asker] && !is_at_least(packet->ib.psn, why->acknowledged[asker]))
		return;
	why->acknowledged_known[asker] = true;
	why->acknowledged[asker] = packet->ib.psn;
	why->acknowledged_in[asker] = packet->frame->number;
	if (!why->orders[asker][false].known || !is_at_least(why->orders[asker][false].next, packet->ib.psn + 1))
		why->orders[asker][false] = (struct why_order){ .known = true, .next = (packet->ib.psn + 1) & 0xffffff };
}

static void add_lost(struct why *why, bool by_b, uint8_t cause, int64_t lost_ns)
{
	why->recoveries[by_b][cause].lost_ns = ns_sum(why->recoveries[by_b][cause].lost_ns, lost_ns);
}

static void count(struct why *why, const struct why_event *event, const struct rtap_packet *packet, bool turned)
{
	bool by_b = !event->from_a, asker = is_response(packet) ? !by_b : by_b;

	why->packets++;
	why->bytes += event->bytes;
	why->retransmitted[by_b] += event->kind == WHY_EVENT_AGAIN || event->kind == WHY_EVENT_RECOVERY;
	why->naks[by_b] += event->kind == WHY_EVENT_NAK;
	why->fatal_naks[by_b] += event->kind == WHY_EVENT_NAK && event->code != RTAP_NAK_SEQUENCE_ERROR;
	why->rnr[by_b] += event->kind == WHY_EVENT_RNR;
	why->cnps[by_b] += event->kind == WHY_EVENT_CNP;
	if (event->kind == WHY_EVENT_RECOVERY) {
		why->recoveries[asker][event->cause].count++;
		why->recoveries[asker][event->cause].places[event->place]++;
	}
	if (packet->ib.has_bth)
		add_lost(why, asker, packet->flow.lost_to, event->lost_ns);
	for (uint8_t i = 0; i < packet->flow.tcp_recovery_count; i++) {
		const struct rtap_tcp_recovery *found = &packet->flow.tcp_recoveries[i];

		why->recovers[found->from_a == turned] = found->begins;
		if (!found->begins)
			add_lost(why, found->from_a == turned, found->cause, ns_elapsed(found->begin_ns, found->end_ns));
	}
}

/* Whether the subject has ended before the event, and all recoveries of TCP that began in it. */
static bool is_after(const struct why *why, const struct why_event *event)
{
	const struct why_subject *subject = &why->subject;

	return subject->last_frame && event->first_frame > subject->last_frame && event->time_ns > subject->end_ns && !why->recovers[0] && !why->recovers[1];
}

void why_packet(struct why *why, const struct rtap_packet *packet, bool turned)
{
	const struct rtap_flow_facts *flow = &packet->flow;
	uint64_t frame = packet->frame->number;
	bool by_b = flow->from_a == turned, response = is_response(packet);
	struct why_event event = {
		.kind = (uint8_t)kind_of(packet), .from_a = !by_b, .what = what_of(packet), .first_frame = frame, .last_frame = frame, .packets = 1,
		.time_ns = packet->frame->time_ns, .end_ns = packet->frame->time_ns,
		.bytes = packet->ib.has_bth ? packet->payload.wire : packet->tcp.payload.wire,
		.has_psn = packet->ib.has_bth, .psn = packet->ib.psn, .last_psn = packet->ib.psn, .missing = flow->missing, .lost_ns = flow->time_lost_ns,
		.code = packet->ib.aeth_value,
	};

	if (flow->analysis == RTAP_PSN_CAPTURED_TWICE || flow->tcp_analysis == RTAP_TCP_CAPTURED_TWICE)
		return;
	if (flow->recovery) {
		event.kind = WHY_EVENT_RECOVERY;
		event.cause = flow->recovery;
		event.attempt = flow->attempt;
		event.place = (uint8_t)place_of(why, packet, by_b, &event.seen_frame, &event.is_response_lost);
		note_recovery(why, packet, by_b);
	}
	/* packets before the listed ones also show where one was lost; a NAK is not a response */
	if (packet->ib.has_bth && !(response && packet->ib.has_aeth && packet->ib.aeth_kind != RTAP_AETH_ACK))
		note_seen(why, packet, by_b, response);
	note_response(why, packet, by_b);
	if (frame < why->subject.first_frame || is_after(why, &event))
		return;
	note_silence(why, &event, flow->recovery || flow->time_lost_ns);
	put_event(why, &event);
	count(why, &event, packet, turned);
	if (!why->any) {
		why->begin_ns = why->end_ns = event.time_ns;
		why->begin_frame = frame;
	}
	why->any = true;
	/* time stamps can decrease */
	if (event.time_ns > why->end_ns)
		why->end_ns = event.time_ns;
	why->end_frame = frame;
}

uint64_t why_last_frame(const struct why *why)
{
	return why->any ? why->end_frame : why->subject.last_frame;
}

size_t why_event_count(struct why *why)
{
	return why->count;
}
