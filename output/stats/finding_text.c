/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/rpc/rpc_programs.h"
#include "output/message/connections.h"
#include "output/packet/clock.h"
#include "output/packet/units.h"
#include "output/stats/finding_text.h"
#include "output/stats/findings_advice.h"
#include "output/stats/stats_form.h"

const struct stats_connection *finding_connection(const struct stats *stats, const struct finding *found)
{
	const struct stats_connection *connection = stats_known(stats, found->connection);

	return connection && connection->reported ? connection : NULL;
}

bool finding_service(const struct stats_connection *connection, struct line *line)
{
	struct rtap_rpc_facts facts = { .program = connection->program, .version = connection->version };

	if (connection->program_known) {
		rpc_line_program(&facts, line);
		return true;
	}
	if (connection->layer) {
		line_text(line, connection->layer);
		return true;
	}
	if (!connection->shown.service_port)
		return false;
	line_text(line, "port ");
	line_dec(line, connection->shown.service_port);
	return true;
}

const struct rtap_end *finding_end(const struct stats *stats, const struct finding *found, bool to)
{
	const struct stats_connection *connection = finding_connection(stats, found);

	if (!connection)
		return NULL;
	return to == (found->direction == 1) ? &connection->shown.a : &connection->shown.b;
}

static void who_connection(const struct stats *stats, const struct finding *found, const struct stats_connection *connection, struct line *line)
{
	end_address(finding_end(stats, found, false), line);
	line_text(line, found->direction < 0 ? " <-> " : " -> ");
	end_address(finding_end(stats, found, true), line);
	line_char(line, ' ');
	/* an RPC has its program */
	if (!found->rpc && finding_service(connection, line))
		line_char(line, ' ');
	line_char(line, '#');
	line_dec(line, found->connection);
}

void finding_host(const struct finding *found, struct line *line)
{
	struct rtap_end end = { .address_length = found->host_address_length };

	memcpy(end.address, found->host_address, sizeof end.address);
	line_text(line, found->layer);
	line_text(line, " host ");
	end_address(&end, line);
	line_text(line, found->is_certain ? "" : ", or one that it waits for");
}

static void who(const struct stats *stats, const struct finding *found, struct line *line)
{
	const struct stats_connection *connection = finding_connection(stats, found);
	const char *between = "";

	if (connection) {
		who_connection(stats, found, connection, line);
		between = ", ";
	} else if (found->connection) {
		line_text(line, "connection ");
		line_dec(line, found->connection);
		between = ", ";
	} else if (found->direction >= 0) {
		line_text(line, "connections counted together");
		between = ", ";
	}
	if (found->host_address_length) {
		finding_host(found, line);
		between = ", ";
	}
	if (found->rpc) {
		line_text(line, between);
		if (!stats_rpc_name(found->rpc, " ", line))
			line_text(line, "RPC of unknown program");
		between = ", ";
	}
	if (found->work) {
		line_text(line, between);
		line_text(line, found->work->layer);
		line_char(line, ' ');
		if (*found->work->name)
			line_escaped(line, (const uint8_t *)found->work->name, strlen(found->work->name));
		else
			line_text(line, "unknown");
		between = ", ";
	}
	if (found->kind < RTAP_KIND_COUNT) {
		line_text(line, between);
		line_text(line, rtap_message_kind_name((enum rtap_message_kind)found->kind));
	}
	if (*between || found->kind < RTAP_KIND_COUNT)
		line_text(line, ": ");
}

const struct finding_times *finding_times_of(const struct finding *found)
{
	static const struct finding_times usual = { { "longest", "median" }, { "longest_latency", "usual_latency" } };

	return found->rule->times ? found->rule->times : &usual;
}

static void what(const struct finding *found, bool brief, struct line *line)
{
	const struct finding_advice *advice = finding_advice_of(found->rule);

	if (found->recovery)
		finding_recovery_text(found, line);
	else
		line_count(line, found->count, advice->one, advice->many);
	if (found->recovery && !brief)
		finding_recovery_details(found, line);
	if (found->of && found->rule->of) {
		line_text(line, ", ");
		units_percent(found->count, found->of, line);
		line_text(line, " of ");
		line_dec(line, found->of);
		if (!strstr(advice->many, found->rule->of)) {
			line_char(line, ' ');
			line_text(line, found->rule->of);
		}
	}
	if (found->lost_ns) {
		line_text(line, ", cost ");
		units_time((int64_t)found->lost_ns, line);
	}
	if (found->time_ns) {
		const struct finding_times *times = finding_times_of(found);

		line_text(line, ", ");
		line_text(line, times->words[0]);
		line_char(line, ' ');
		units_time(found->time_ns, line);
		line_text(line, ", ");
		line_text(line, times->words[1]);
		line_char(line, ' ');
		units_time(found->usual_ns, line);
	}
}

/* How many of nine decimals are left out. */
enum { TO_US = 3, TO_MS = 6, TO_TENTHS = 8 };

enum clock_form finding_dated(enum clock_form form)
{
	if (form == CLOCK_UTC || form == CLOCK_UTC_DATE)
		return CLOCK_UTC_DATE;
	return form == CLOCK_EPOCH ? CLOCK_EPOCH : CLOCK_ABSOLUTE_DATE;
}

static void moment_of(int64_t time_ns, enum clock_form form, int64_t first_ns, size_t cut, struct line *line)
{
	struct clock clock = { .form = form };
	char text[64], *begin = text;
	struct line moment;

	line_init(&moment, text, sizeof text);
	clock_write(&clock, &(struct rtap_frame){ .time_ns = time_ns, .relative_ns = ns_elapsed(first_ns, time_ns) }, &moment);
	while (*begin == ' ')
		begin++;
	line_bytes(line, begin, (size_t)(moment.next - begin) - cut);
}

void finding_moment(int64_t time_ns, enum clock_form form, int64_t first_ns, bool with_us, struct line *line)
{
	moment_of(time_ns, form, first_ns, with_us ? TO_US : TO_MS, line);
}

#define MINUTE 6 /* "14:03:", the common part of times within one minute */

/* "14:03:11.2 to 14.9" */
static void period(const struct stats *stats, const struct finding *found, enum clock_form form, struct line *line)
{
	size_t cut = found->last_ns - found->first_ns < INT64_C(1000000000) ? TO_MS : TO_TENTHS;
	const char *first = line->next;
	char text[64];
	struct line last;
	size_t same;

	moment_of(found->first_ns, form, stats->first_ns, cut, line);
	line_init(&last, text, sizeof text);
	moment_of(found->last_ns, form, stats->first_ns, cut, &last);
	same = (form == CLOCK_ABSOLUTE || form == CLOCK_UTC) && line->next - first > MINUTE && last.next - text > MINUTE &&
	       !memcmp(first, text, MINUTE) && found->last_ns - found->first_ns < INT64_C(60000000000) ? MINUTE : 0;
	line_text(line, " to ");
	line_bytes(line, text + same, (size_t)(last.next - text) - same);
}

void finding_frames(uint64_t first_frame, uint64_t last_frame, struct line *line)
{
	line_text(line, first_frame == last_frame ? " (frame " : " (frames ");
	line_dec(line, first_frame);
	if (first_frame != last_frame) {
		line_char(line, '-');
		line_dec(line, last_frame);
	}
	line_char(line, ')');
}

static void when(const struct stats *stats, const struct finding *found, enum clock_form form, struct line *line)
{
	if (found->has_times) {
		line_text(line, " (");
		if (found->last_frame == found->first_frame)
			moment_of(found->first_ns, form, stats->first_ns, TO_MS, line);
		else
			period(stats, found, form, line);
		line_char(line, ')');
	} else if (found->first_frame) {
		finding_frames(found->first_frame, found->last_frame, line);
	}
}

void finding_text(const struct stats *stats, const struct finding *found, const struct finding_style *style, struct line *line)
{
	who(stats, found, line);
	what(found, style->brief, line);
	when(stats, found, style->form, line);
}

/* A filter being written. */
struct conditions {
	struct line *line;
	bool any;
};

static struct line *next_condition(struct conditions *conditions)
{
	if (conditions->any)
		line_text(conditions->line, " && ");
	conditions->any = true;
	return conditions->line;
}

static void number_condition(struct conditions *conditions, const char *text, uint64_t number)
{
	struct line *line = next_condition(conditions);

	line_text(line, text);
	line_dec(line, number);
}

static void address_condition(struct conditions *conditions, const char *text, const struct rtap_end *end)
{
	struct line *line;

	if (end->address_length != 4)
		return;
	line = next_condition(conditions);
	line_text(line, text);
	line_ipv4(line, end->address);
}

/* Packets with other numbers belong to the connection too: addresses are less exact, but miss none. */
static void end_conditions(struct conditions *conditions, const struct stats *stats, const struct finding *found, unsigned scope)
{
	bool swapped = scope & ADVICE_OTHER, directed = scope & (ADVICE_DIRECTION | ADVICE_OTHER);

	address_condition(conditions, directed ? "ip.src == " : "ip.addr == ", finding_end(stats, found, swapped));
	address_condition(conditions, directed ? "ip.dst == " : "ip.addr == ", finding_end(stats, found, !swapped));
}

static void connection_conditions(struct conditions *conditions, const struct stats *stats, const struct finding *found, unsigned scope)
{
	const struct stats_connection *connection = finding_connection(stats, found);

	if (connection && connection->is_renumbered) {
		end_conditions(conditions, stats, found, scope);
		return;
	}
	number_condition(conditions, "rdmatap.connection == ", found->connection);
	if (scope & (ADVICE_DIRECTION | ADVICE_OTHER))
		number_condition(conditions, "rdmatap.from_a == ", (found->direction == 0) == !(scope & ADVICE_OTHER));
}

void finding_filter(const struct stats *stats, const struct finding *found, struct line *line)
{
	const struct finding_advice *advice = finding_advice_of(found->rule);
	unsigned scope = found->connection ? advice->scope : ADVICE_FRAMES;
	struct conditions conditions = { line, false };

	if (scope & (ADVICE_CONNECTION | ADVICE_DIRECTION | ADVICE_OTHER))
		connection_conditions(&conditions, stats, found, scope);
	if (scope & ADVICE_FRAMES && found->first_frame && found->first_frame == found->last_frame) {
		/* the first frame of a message may lack its distinguishing fields */
		number_condition(&conditions, "frame.number == ", found->first_frame);
		return;
	}
	if (scope & ADVICE_FRAMES && found->first_frame) {
		number_condition(&conditions, "frame.number >= ", found->first_frame);
		number_condition(&conditions, "frame.number <= ", found->last_frame);
	}
	if (*advice->filter)
		line_text(next_condition(&conditions), advice->filter);
	else if (!conditions.any)
		line_text(line, "frame");
}

static void paragraph(const char *label, const char *text, struct line *line)
{
	if (!*text)
		return;
	line_text(line, label);
	line_text(line, text);
	line_char(line, '\n');
}

void finding_explain(const struct finding_rule *rule, struct line *line)
{
	static const char *const subjects[] = {
		[FINDING_CAPTURE] = "the capture", [FINDING_CONNECTION] = "each connection", [FINDING_DIRECTION] = "each direction of a connection",
		[FINDING_RPC] = "each RPC procedure and operation", [FINDING_SAMPLING] = "the capture",
		[FINDING_ONE_WAY] = "the capture",
		[FINDING_KIND] = "each direction of a connection and kind of message",
		[FINDING_REQUESTS] = "the operations of an end of a connection", [FINDING_WORK] = "the operations of a layer with one name",
		[FINDING_GROUP] = "the operations of a layer between two hosts", [FINDING_JOB] = "hosts that send transfers to each other",
	};
	const struct finding_advice *advice = finding_advice_of(rule);

	line_text(line, rule->name);
	line_text(line, " (");
	line_text(line, finding_weight_name((enum finding_weight)rule->weight));
	line_text(line, ")\n");
	paragraph("  counts:   ", rule->words, line);
	paragraph("  of:       ", subjects[rule->scope], line);
	line_text(line, "  raised:   from ");
	line_dec(line, rule->least);
	if (rule->permille) {
		line_text(line, " and ");
		units_percent(rule->permille, 1000, line);
		line_text(line, " of ");
		line_text(line, rule->of);
	}
	line_text(line, "; doc/stats.md has further conditions\n");
	paragraph("  standard: ", advice->standard, line);
	paragraph("  likely:   ", advice->cause, line);
	paragraph("  next:     ", advice->next, line);
}
