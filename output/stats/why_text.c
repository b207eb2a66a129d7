/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/flow.h"
#include "output/message/connections.h"
#include "output/packet/colour.h"
#include "output/packet/json.h"
#include "output/packet/object.h"
#include "output/packet/units.h"
#include "output/stats/finding_text.h"
#include "output/stats/stats_table.h"
#include "output/stats/usage_form.h"
#include "output/stats/why_state.h"
#include "output/stats/why_text.h"

static const char *const place_names[] = {
#define WHY_PLACE_NAME(identifier, name, words) name,
	WHY_PLACES(WHY_PLACE_NAME)
#undef WHY_PLACE_NAME
};

static const char *const place_words[] = {
#define WHY_PLACE_WORDS(identifier, name, words) words,
	WHY_PLACES(WHY_PLACE_WORDS)
#undef WHY_PLACE_WORDS
};

static const char *const event_names[] = {
#define WHY_EVENT_NAME(identifier, name) name,
	WHY_EVENTS(WHY_EVENT_NAME)
#undef WHY_EVENT_NAME
};

static const char *const nak_names[] = { "PSN sequence error", "invalid request", "remote access error", "remote operational error",
					 "invalid RD request" };

/* "recovery after WORDS". */
static const char *cause_words(enum rtap_recovery cause)
{
	switch (cause) {
	case RTAP_RECOVERY_FAST_RETRANSMIT: return "TCP's receiver reported a hole (fast retransmit)";
	case RTAP_RECOVERY_TCP_TIMEOUT: return "a timeout of TCP";
	case RTAP_RECOVERY_ZERO_WINDOW: return "a closed TCP window";
	default: return stats_recovery_words(cause);
	}
}

static const char *nak_name(uint8_t code)
{
	return code < sizeof nak_names / sizeof nak_names[0] ? nak_names[code] : "reserved code";
}

/* Column of the descriptions. */
#define COLUMN 47
#define TIME_WIDTH 8

static void sender(const struct why *why, bool a, struct line *line)
{
	end_address(a ? &why->subject.a : &why->subject.b, line);
}

static void direction(const struct why *why, bool from_a, struct line *line)
{
	sender(why, from_a, line);
	line_text(line, " -> ");
	sender(why, !from_a, line);
}

static void subject_name(const struct why *why, struct line *line)
{
	const struct why_subject *subject = &why->subject;

	if (subject->has_operation) {
		line_text(line, "operation ");
		line_dec(line, subject->operation);
		line_text(line, ", ");
		line_escaped(line, (const uint8_t *)subject->name, strlen(subject->name));
		line_text(line, ", ");
	}
	line_text(line, "connection ");
	line_dec(line, subject->connection);
}

/* "sender_wait" as "sender wait" */
static void words_of(const char *name, struct line *line)
{
	for (; *name; name++)
		line_char(line, *name == '_' ? ' ' : *name);
}

/* "  sender late: sender wait 5.01 ms, sender own 5.01 ms": the delays that the layer reports for the operation. */
static void delays_text(const struct why_subject *subject, struct line *line)
{
	const char *between = ": ";

	if (!*subject->verdict)
		return;
	line_text(line, "  ");
	line_text(line, strcmp(subject->verdict, "none") != 0 ? subject->verdict : "not held up");
	for (unsigned i = 0; i < subject->delay_count; i++) {
		if (!subject->delays[i].time_ns)
			continue;
		line_text(line, between);
		words_of(subject->delays[i].name, line);
		line_char(line, ' ');
		units_time(subject->delays[i].time_ns, line);
		between = ", ";
	}
	line_char(line, '\n');
}

void why_heading(const struct why *why, const struct why_style *style, struct line *line)
{
	const struct why_subject *subject = &why->subject;
	char *begin = line->next;

	subject_name(why, line);
	line_text(line, ": ");
	end_text(subject->has_operation && !subject->from_a ? &subject->b : &subject->a, line);
	line_text(line, subject->has_operation ? " -> " : " <-> ");
	end_text(subject->has_operation && !subject->from_a ? &subject->a : &subject->b, line);
	line_text(line, *subject->service ? ", " : "");
	line_text(line, subject->service);
	if (why->any) {
		line_text(line, ", from ");
		finding_moment(why->begin_ns, finding_dated(style->form), 0, false, line);
		line_text(line, " in ");
		units_time(why->end_ns - why->begin_ns, line);
	}
	line_char(line, '\n');
	if (subject->usage && !subject->has_operation)
		usage_text(subject->usage, "  ", line);
	delays_text(subject, line);
	stats_table_wrap(begin, 4, line);
}

static void psns(const struct why_event *event, struct line *line)
{
	if (!event->has_psn)
		return;
	line_text(line, " PSN ");
	line_dec(line, event->psn);
	if (event->last_psn != event->psn) {
		line_text(line, " to ");
		line_dec(line, event->last_psn);
	}
}

static void run(const struct why_event *event, struct line *line)
{
	if (event->packets > 1 || !event->what) {
		line_dec(line, event->packets);
		line_char(line, ' ');
	}
	line_text(line, event->what ? event->what : "packets");
	if (event->packets > 1 && event->what)
		line_text(line, "s");
	psns(event, line);
	if (event->bytes) {
		line_text(line, ", ");
		units_bytes(event->bytes, line);
	}
	if (event->packets > 1) {
		line_text(line, " in ");
		units_time(event->end_ns - event->time_ns, line);
	}
}

static void recovery(const struct why_event *event, struct line *line)
{
	run(event, line);
	line_text(line, " again after ");
	line_text(line, cause_words((enum rtap_recovery)event->cause));
	if (event->attempt > 1) {
		line_text(line, ", attempt ");
		line_dec(line, event->attempt);
	}
	line_text(line, ": ");
	line_text(line, event->is_response_lost ? "a response was " : "");
	line_text(line, place_words[event->place]);
	if (event->seen_frame) {
		line_text(line, " (frame ");
		line_dec(line, event->seen_frame);
		line_char(line, ')');
	}
}

static void description(const struct why *why, const struct why_event *event, struct line *line)
{
	switch ((enum why_event_kind)event->kind) {
	case WHY_EVENT_SILENCE:
		line_text(line, "... ");
		units_time(event->end_ns - event->time_ns, line);
		line_text(line, " without a packet; the next is of ");
		sender(why, event->from_a, line);
		break;
	case WHY_EVENT_GAP:
		run(event, line);
		line_text(line, event->has_psn ? " after " : " after bytes");
		if (event->has_psn)
			line_count(line, event->missing, "PSN", "PSNs");
		line_text(line, " not captured");
		break;
	case WHY_EVENT_RECOVERY:
		recovery(event, line);
		break;
	case WHY_EVENT_NAK:
		line_text(line, "NAK, ");
		line_text(line, nak_name(event->code));
		psns(event, line);
		break;
	case WHY_EVENT_RNR:
		line_text(line, "RNR NAK: no receive posted,");
		psns(event, line);
		break;
	default:
		run(event, line);
		line_text(line, event->kind == WHY_EVENT_AGAIN ? ", sent again" : event->kind == WHY_EVENT_DUPLICATE ? ", duplicate" :
			  event->kind == WHY_EVENT_LATE ? ", out of order" : event->kind == WHY_EVENT_UNEXPECTED ? ", without a request" : "");
	}
	if (event->lost_ns > 0) {
		line_text(line, "; ");
		units_time(event->lost_ns, line);
		line_text(line, " lost");
	}
}

static void pad(const char *begin, size_t width, struct line *line)
{
	while ((size_t)(line->next - begin) < width && line->next < line->end)
		line_char(line, ' ');
}

/* The first column; returns by how much it is wider than that of times in units. */
static size_t event_time(const struct why *why, size_t index, const struct why_style *style, struct line *line)
{
	int64_t time_ns = why->events[index].time_ns, since_ns = why->begin_ns;
	char text[64];
	struct line time;

	line_init(&time, text, sizeof text);
	if (style->has_form && style->form != CLOCK_DELTA && style->form != CLOCK_DELTA_SHOWN) {
		finding_moment(time_ns, style->form, style->first_ns, true, &time);
	} else {
		if (style->has_form)
			since_ns = index ? why->events[index - 1].time_ns : time_ns;
		if (time_ns > since_ns)
			units_time(time_ns - since_ns, &time);
		else
			line_char(&time, '0');
	}
	for (size_t width = (size_t)(time.next - text); width < TIME_WIDTH; width++)
		line_char(line, ' ');
	line_bytes(line, text, (size_t)(time.next - text));
	return time.next - text > TIME_WIDTH ? (size_t)(time.next - text) - TIME_WIDTH : 0;
}

static enum colour colour_of(const struct why_event *event)
{
	switch ((enum why_event_kind)event->kind) {
	case WHY_EVENT_NAK:
	case WHY_EVENT_RNR:
		return COLOUR_ERROR;
	case WHY_EVENT_GAP:
	case WHY_EVENT_RECOVERY:
	case WHY_EVENT_AGAIN:
		return COLOUR_LOSS;
	default:
		return COLOUR_NONE;
	}
}

void why_event(const struct why *why, size_t index, const struct why_style *style, struct line *line)
{
	const struct why_event *event = &why->events[index];
	enum colour colour = style->colour ? colour_of(event) : COLOUR_NONE;
	char *begin, *start;
	size_t wider;

	colour_begin(colour, line);
	start = line->next;
	wider = event_time(why, index, style, line);
	line_text(line, "  ");
	begin = line->next;
	if (event->kind != WHY_EVENT_SILENCE) {
		line_dec(line, event->first_frame);
		if (event->last_frame != event->first_frame) {
			line_char(line, '-');
			line_dec(line, event->last_frame);
		}
	}
	pad(begin, 13, line);
	begin = line->next;
	if (event->kind != WHY_EVENT_SILENCE && event->is_mixed)
		line_text(line, "both");
	else if (event->kind != WHY_EVENT_SILENCE)
		direction(why, event->from_a, line);
	pad(begin, COLUMN - 25, line);
	line_text(line, "  ");
	description(why, event, line);
	line_char(line, '\n');
	stats_table_wrap(start, COLUMN + wider, line);
	colour_end(colour, line);
	if (index + 1 == why->count && why->unlisted) {
		line_text(line, "  ... ");
		line_count(line, why->unlisted, "further packet", "further packets");
		line_text(line, " not listed\n");
	}
}

/* Sums of the time lost to recoveries. */
struct costs {
	int64_t elapsed_ns, lost_ns, rnr_ns, silence_ns;
	uint64_t recoveries, places[WHY_PLACE_COUNT];
};

static struct costs costs_of(const struct why *why)
{
	struct costs costs = { .elapsed_ns = ns_elapsed(why->begin_ns, why->end_ns) };

	for (int by_b = 0; by_b < 2; by_b++) {
		for (int cause = 0; cause < RTAP_RECOVERY_COUNT; cause++) {
			costs.lost_ns = ns_sum(costs.lost_ns, why->recoveries[by_b][cause].lost_ns);
			costs.recoveries += why->recoveries[by_b][cause].count;
			for (int place = 0; place < WHY_PLACE_COUNT; place++)
				costs.places[place] += why->recoveries[by_b][cause].places[place];
		}
		costs.rnr_ns = ns_sum(costs.rnr_ns, why->recoveries[by_b][RTAP_RECOVERY_RNR].lost_ns);
	}
	costs.silence_ns = why->silence_ns;
	if (why->subject.has_latency && why->subject.latency_ns > costs.elapsed_ns)
		costs.elapsed_ns = why->subject.latency_ns;
	return costs;
}

/* X(identifier, JSON name) */
#define VERDICTS(X) X(NOTHING, "none") X(NETWORK, "network") X(RECEIVER, "receiver") X(SERVER, "server") X(CLIENT, "client") X(REFUSED, "refused") \
	X(UNANSWERED, "unanswered") X(UNSEEN, "likely_network") X(SPREAD, "unknown")

enum verdict {
#define VERDICT_ENUM(identifier, name) VERDICT_##identifier,
	VERDICTS(VERDICT_ENUM)
#undef VERDICT_ENUM
};

static const char *const verdict_names[] = {
#define VERDICT_NAME(identifier, name) name,
	VERDICTS(VERDICT_NAME)
#undef VERDICT_NAME
};

/*
 * Whether the longest silence before a packet is as long as the sender's retransmission timeout, which begins a little earlier or later than
 * the capture shows: then that packet can be a retransmission whose first transmission was lost before the capture.
 */
static bool is_timeout(const struct why *why)
{
	int64_t timeout_ns = INT64_C(4096) << (why->subject.ack_timeout & 31);

	return why->subject.ack_timeout && why->silence_ns >= timeout_ns - timeout_ns / 50 && why->silence_ns <= timeout_ns + timeout_ns / 10;
}

/* The largest delay that the layer reports for the operation. NULL: none. */
static const struct why_delay *largest_delay(const struct why_subject *subject)
{
	const struct why_delay *largest = NULL;

	for (unsigned i = 0; i < subject->delay_count; i++) {
		const struct why_delay *delay = &subject->delays[i];

		if (delay->wait <= RTAP_WAIT_ALL && (!largest || delay->time_ns > largest->time_ns))
			largest = delay;
	}
	return largest;
}

static enum verdict reported_verdict(const struct why *why)
{
	const struct why_delay *largest = largest_delay(&why->subject);

	if (!largest || !strcmp(why->subject.verdict, "none"))
		return VERDICT_NOTHING;
	switch (largest->wait) {
	case RTAP_WAIT_RESPONDER: return VERDICT_SERVER;
	case RTAP_WAIT_REQUESTER: return VERDICT_CLIENT;
	case RTAP_WAIT_NETWORK: return VERDICT_NETWORK;
	default: return VERDICT_NOTHING;
	}
}

/* A cause must take half of the time; for a whole connection, which may be idle, any time lost is sufficient. */
static enum verdict verdict_of(const struct why *why, const struct costs *costs)
{
	bool whole = !why->subject.has_operation;

	if (why->fatal_naks[0] + why->fatal_naks[1])
		return VERDICT_REFUSED;
	if (costs->lost_ns > 0 && (whole || costs->lost_ns >= costs->elapsed_ns / 2))
		return costs->rnr_ns >= costs->lost_ns / 2 ? VERDICT_RECEIVER : VERDICT_NETWORK;
	if (!whole && !why->subject.response_frame && !why->subject.one_way)
		return VERDICT_UNANSWERED;
	if (*why->subject.verdict)
		return reported_verdict(why);
	if (whole)
		return why->retransmitted[0] + why->retransmitted[1] ? VERDICT_NETWORK : VERDICT_NOTHING;
	if (costs->silence_ns >= costs->elapsed_ns / 2 && is_timeout(why))
		return VERDICT_UNSEEN;
	if (costs->silence_ns >= costs->elapsed_ns / 2)
		return why->silence_from_a == why->subject.from_a ? VERDICT_CLIENT : VERDICT_SERVER;
	return VERDICT_SPREAD;
}

static void cause_line(const struct why *why, bool by_b, enum rtap_recovery cause, struct line *line)
{
	uint64_t number = why->recoveries[by_b][cause].count;
	const char *between = ": ";

	if (!number && why->recoveries[by_b][cause].lost_ns <= 0)
		return;
	line_text(line, "\n  ");
	direction(why, !by_b, line);
	line_text(line, ": ");
	line_count(line, number, "recovery", "recoveries");
	line_text(line, " after ");
	line_text(line, cause_words(cause));
	line_text(line, ", ");
	units_time(why->recoveries[by_b][cause].lost_ns, line);
	line_text(line, " lost");
	for (int place = 0; place < WHY_PLACE_COUNT; place++) {
		uint64_t places = why->recoveries[by_b][cause].places[place];

		if (!places)
			continue;
		line_text(line, between);
		line_dec(line, places);
		line_char(line, ' ');
		line_text(line, place_words[place]);
		between = "; ";
	}
}

/* Writes on which side of the capture point packets were lost. */
static void network(const struct costs *costs, struct line *line)
{
	uint64_t after = costs->places[WHY_AFTER] + costs->places[WHY_ANSWER];

	if (costs->places[WHY_BEFORE] && !after)
		line_text(line, " All packets known to be lost were lost before the capture: look at the path from their sender to it.");
	else if (after && !costs->places[WHY_BEFORE])
		line_text(line, " All packets known to be lost were lost after the capture: look at the path from it to their receiver.");
	else if (after)
		line_text(line, " Packets were lost on both sides of the capture.");
	if (costs->places[WHY_SILENT])
		line_text(line, " Unanswered requests were likely lost after the capture, or their answers before it; a slow responder looks the same.");
}

static void late(const struct why *why, struct line *line)
{
	if (why->subject.has_operation && !why->subject.response_frame && !why->subject.one_way)
		line_text(line, "No reply was captured");
	else
		line_text(line, why->subject.has_operation ? "The reply was late" : "Time was lost");
	line_text(line, " because ");
}

static void silent(const struct why *why, const struct costs *costs, struct line *line)
{
	late(why, line);
	line_text(line, "the ");
	line_text(line, why->silence_from_a == why->subject.from_a ? "client" : "server");
	line_text(line, " (");
	sender(why, why->silence_from_a, line);
	line_text(line, ") sent nothing for ");
	units_time(costs->silence_ns, line);
	line_text(line, " of ");
	units_time(costs->elapsed_ns, line);
	line_text(line, ", up to frame ");
	line_dec(line, why->silence_frame);
	if (is_timeout(why)) {
		line_text(line, ". That is its retransmission timeout (CM asked for ");
		units_time(INT64_C(4096) << (why->subject.ack_timeout & 31), line);
		line_text(line, "): likely the first transmission of frame ");
		line_dec(line, why->silence_frame);
		line_text(line, " was lost before the capture. If not, it was busy or waited for its storage.");
		return;
	}
	line_text(line, ": likely it was busy or waited for its storage; the capture shows no loss in that time.");
}

/* Of the largest delay, the part that the end caused itself. */
static void own_part(const struct why_subject *subject, uint8_t wait, struct line *line)
{
	for (unsigned i = 0; i < subject->delay_count; i++)
		if (subject->delays[i].wait == wait && subject->delays[i].time_ns) {
			line_text(line, "; ");
			units_time(subject->delays[i].time_ns, line);
			line_text(line, " of that by itself: it had nothing to wait for");
		}
}

/* The cause of the delay that the operation's layer found. */
static void reported(const struct why *why, struct line *line)
{
	const struct why_subject *subject = &why->subject;
	const struct why_delay *largest = largest_delay(subject);

	if (!largest || !strcmp(subject->verdict, "none")) {
		line_text(line, "Nothing held it up");
		line_text(line, largest && largest->time_ns ? "; its longest delay was " : "");
		if (largest && largest->time_ns)
			units_time(largest->time_ns, line);
	} else if (largest->wait == RTAP_WAIT_RESPONDER) {
		line_text(line, "The data was late because ");
		sender(why, !subject->from_a, line);
		line_text(line, " began to send it only after ");
		units_time(largest->time_ns, line);
		own_part(subject, RTAP_WAIT_RESPONDER_OWN, line);
	} else if (largest->wait == RTAP_WAIT_REQUESTER) {
		line_text(line, "The request was late: ");
		sender(why, subject->from_a, line);
		line_text(line, " sent it ");
		units_time(largest->time_ns, line);
		line_text(line, " after the previous one had ended");
		own_part(subject, RTAP_WAIT_REQUESTER_OWN, line);
	} else if (largest->wait == RTAP_WAIT_NETWORK) {
		line_text(line, "The data was on its way for ");
		units_time(largest->time_ns, line);
		line_text(line, " longer than that of the fastest operations (network, or a busy receiver)");
	} else {
		line_text(line, "All hosts paused for ");
		units_time(largest->time_ns, line);
		line_text(line, ": no single one is the cause");
	}
	line_char(line, '.');
}

static void paused(const struct why *why, bool a, const char *before, struct line *line)
{
	line_text(line, before);
	sender(why, a, line);
	line_text(line, " sent nothing for ");
	units_time(why->paused_ns[!a], line);
	line_text(line, why->pauses[!a] > 1 ? " (" : "");
	if (why->pauses[!a] > 1) {
		line_dec(line, why->pauses[!a]);
		line_text(line, " pauses)");
	}
}

/* No cause takes half of the time: what there is of each. */
static void spread(const struct why *why, const struct costs *costs, struct line *line)
{
	bool server = !why->subject.from_a;
	const char *before = "; ";

	line_text(line, "No single cause: ");
	line_count(line, why->packets, "packet", "packets");
	line_text(line, " with ");
	units_bytes(why->bytes, line);
	line_text(line, " took ");
	units_time(costs->elapsed_ns, line);
	for (int i = 0; i < 2; i++, server = !server)
		if (why->pauses[!server]) {
			paused(why, server, before, line);
			before = ", ";
		}
	if (costs->lost_ns > 0) {
		line_text(line, before);
		line_text(line, "recoveries cost ");
		units_time(costs->lost_ns, line);
	}
	line_char(line, '.');
}

/* Missing packets that were not retransmitted were probably lost by the capture. */
static void nothing(const struct why *why, struct line *line)
{
	uint64_t missing = 0, unlisted = why->subject.packets > why->packets ? why->subject.packets - why->packets : 0;

	for (uint64_t i = 0; i < why->count; i++)
		missing += why->events[i].missing;
	if (!why->any && !unlisted) {
		line_text(line, "None of its packets are in the capture.");
	} else if (!why->any) {
		line_text(line, "Nothing is known.");
	} else if (!missing) {
		line_text(line, "Nothing was lost or sent again, and no NAK was seen.");
	} else {
		line_count(line, missing, "PSN is not in the capture, but nothing was", "PSNs are not in the capture, but nothing was");
		line_text(line, " sent again, and no NAK was seen: likely the capture missed them.");
	}
	if (unlisted) {
		line_text(line, " But ");
		line_count(line, unlisted, "earlier packet", "earlier packets");
		line_text(line, " of the connection, captured before it was known, cannot be listed: rdmatap stats counts them.");
	}
}

static void verdict_sentence(const struct why *why, const struct costs *costs, enum verdict verdict, struct line *line)
{
	if (*why->subject.verdict && verdict == reported_verdict(why) && !(verdict == VERDICT_NETWORK && costs->lost_ns > 0)) {
		reported(why, line);
		return;
	}
	switch (verdict) {
	case VERDICT_REFUSED:
		sender(why, why->fatal_naks[0] != 0, line);
		line_text(line, " refused a request with a NAK that ends the connection: an error of the application or its registration, not of the network.");
		break;
	case VERDICT_RECEIVER:
		late(why, line);
		line_text(line, "the receiver had posted no receive: ");
		units_time(costs->rnr_ns, line);
		line_text(line, " of ");
		units_time(costs->elapsed_ns, line);
		line_text(line, " were spent waiting for it (RNR). The receiving application is the cause, not the network.");
		break;
	case VERDICT_NETWORK:
		late(why, line);
		line_text(line, "packets were lost (network): ");
		line_count(line, costs->recoveries, "recovery", "recoveries");
		line_text(line, " cost ");
		/* those of both directions can overlap */
		if (costs->lost_ns > costs->elapsed_ns)
			line_text(line, "all");
		else
			units_time(costs->lost_ns, line);
		line_text(line, " of ");
		units_time(costs->elapsed_ns, line);
		line_char(line, '.');
		network(costs, line);
		break;
	case VERDICT_SERVER:
	case VERDICT_CLIENT:
	case VERDICT_UNSEEN:
		silent(why, costs, line);
		break;
	case VERDICT_UNANSWERED:
		line_text(line, "No reply was captured, and nothing shows a loss: likely the server did not answer, or the capture ended before.");
		break;
	case VERDICT_SPREAD:
		spread(why, costs, line);
		break;
	default:
		nothing(why, line);
	}
}

void why_verdict(const struct why *why, struct line *line)
{
	struct costs costs = costs_of(why);
	char *begin = line->next;

	line_text(line, "\nVerdict: ");
	verdict_sentence(why, &costs, verdict_of(why, &costs), line);
	for (int by_b = 0; by_b < 2; by_b++)
		for (int cause = RTAP_RECOVERY_NONE + 1; cause < RTAP_RECOVERY_COUNT; cause++)
			cause_line(why, by_b, (enum rtap_recovery)cause, line);
	line_char(line, '\n');
	stats_table_wrap(begin, 4, line);
}

void why_heading_json(const struct why *why, struct line *line)
{
	const struct why_subject *subject = &why->subject;

	line_char(line, '{');
	object_text(line, "type", "subject");
	object_number(line, "connection", subject->connection);
	end_address_json("a", &subject->a, line);
	end_address_json("b", &subject->b, line);
	if (*subject->service)
		object_text(line, "service", subject->service);
	if (subject->usage && !subject->has_operation)
		usage_json("usage", subject->usage, line);
	if (subject->has_operation) {
		object_number(line, "operation", subject->operation);
		object_key(line, "name");
		json_string(line, (const uint8_t *)subject->name, strlen(subject->name));
		object_text(line, "direction", subject->from_a ? "a>b" : "b>a");
		if (subject->has_latency)
			object_seconds(line, "latency", subject->latency_ns);
		if (*subject->verdict)
			object_text(line, "verdict", subject->verdict);
		for (unsigned i = 0; i < subject->delay_count; i++)
			object_seconds(line, subject->delays[i].name, subject->delays[i].time_ns);
	}
	line_bytes(line, "}\n", 2);
}

void why_event_json(const struct why *why, size_t index, struct line *line)
{
	const struct why_event *event = &why->events[index];

	line_char(line, '{');
	object_text(line, "type", "event");
	object_text(line, "event", event_names[event->kind]);
	object_time(line, "time", event->time_ns);
	object_time(line, "time_end", event->end_ns);
	object_number(line, "first_frame", event->first_frame);
	object_number(line, "last_frame", event->last_frame);
	if (!event->is_mixed)
		object_text(line, "direction", event->from_a ? "a>b" : "b>a");
	if (event->kind != WHY_EVENT_SILENCE)
		object_number(line, "packets", event->packets);
	if (event->what)
		object_text(line, "what", event->what);
	if (event->bytes)
		object_number(line, "bytes", event->bytes);
	if (event->has_psn) {
		object_number(line, "psn", event->psn);
		object_number(line, "last_psn", event->last_psn);
	}
	if (event->kind == WHY_EVENT_NAK)
		object_text(line, "nak", nak_name(event->code));
	if (event->kind == WHY_EVENT_GAP)
		object_number(line, "missing", event->missing);
	if (event->kind == WHY_EVENT_RECOVERY) {
		object_text(line, "cause", flow_recovery_name(event->cause));
		object_number(line, "attempt", event->attempt);
		object_text(line, "lost", place_names[event->place]);
		if (event->seen_frame)
			object_number(line, "seen_frame", event->seen_frame);
	}
	if (event->lost_ns > 0)
		object_seconds(line, "time_lost", event->lost_ns);
	line_bytes(line, "}\n", 2);
}

void why_verdict_json(const struct why *why, struct line *line)
{
	struct costs costs = costs_of(why);
	enum verdict verdict = verdict_of(why, &costs);
	char text[1024];
	struct line words;

	line_init(&words, text, sizeof text);
	verdict_sentence(why, &costs, verdict, &words);
	line_char(line, '{');
	object_text(line, "type", "verdict");
	object_text(line, "cause", verdict_names[verdict]);
	object_seconds(line, "seconds", costs.elapsed_ns);
	object_seconds(line, "time_lost", costs.lost_ns);
	object_seconds(line, "longest_silence", costs.silence_ns);
	object_number(line, "packets", why->packets);
	object_number(line, "recoveries", costs.recoveries);
	if (why->unlisted)
		object_number(line, "events_unlisted", why->unlisted);
	object_key(line, "text");
	json_string(line, (const uint8_t *)text, (size_t)(words.next - text));
	line_bytes(line, "}\n", 2);
}
