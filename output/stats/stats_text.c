/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/message/connections.h"
#include "output/packet/units.h"
#include "output/stats/congestion_form.h"
#include "output/packet/colour.h"
#include "output/stats/finding_text.h"
#include "output/stats/findings_advice.h"
#include "output/stats/stats_table.h"
#include "output/stats/stats_text.h"
#include "output/stats/usage_form.h"

static void value(uint64_t number, bool is_time, struct line *line)
{
	if (is_time)
		units_time((int64_t)number, line);
	else
		units_bytes(number, line);
}

static void labelled(const char *label, uint64_t number, struct line *line)
{
	line_text(line, label);
	line_dec(line, number);
}

/* Printed only if there is any. */
static void labelled_if(const char *label, uint64_t number, struct line *line)
{
	if (number)
		labelled(label, number, line);
}

static void distribution(const char *label, const struct histogram *histogram, bool is_time, struct line *line)
{
	static const char *const labels[] = { " p50 ", " p90 ", " p99 ", " p99.9 " };
	static const unsigned permilles[] = { 500, 900, 990, 999 };
	static const uint64_t least_counts[] = { 1, 10, 100, 1000 }; /* with fewer values it is the largest one */
	uint64_t percentiles[4];

	if (!histogram || !histogram->count)
		return;
	line_text(line, label);
	if (histogram->least == histogram->largest) {
		line_char(line, ' ');
		value(histogram->largest, is_time, line);
		return;
	}
	histogram_percentiles(histogram, permilles, 4, percentiles);
	for (unsigned i = 0; i < 4 && histogram->count >= least_counts[i]; i++) {
		line_text(line, labels[i]);
		value(percentiles[i], is_time, line);
	}
	line_text(line, " max ");
	value(histogram->largest, is_time, line);
}

static void event(enum stats_event event, const struct stats_occurrences *counted, const char *before, struct line *line)
{
	if (!counted->count)
		return;
	line_text(line, before);
	line_text(line, stats_event_name(event));
	line_char(line, ' ');
	line_dec(line, counted->count);
	finding_frames(counted->first_frame, counted->last_frame, line);
	line_char(line, '\n');
}

/* Of the whole capture. */
static void all_events(const struct stats *stats, struct line *line)
{
	for (int i = 0; i < STATS_EVENT_COUNT; i++) {
		struct stats_occurrences sum = stats_sum(stats, (enum stats_event)i);

		event((enum stats_event)i, &sum, "  ", line);
	}
}

static void rates(uint64_t payload, uint64_t messages, int64_t elapsed_ns, struct line *line)
{
	if (stats_rate(payload, elapsed_ns)) {
		line_text(line, ", ");
		units_bit_rate(stats_rate(payload, elapsed_ns), line);
	}
	if (stats_rate(messages, elapsed_ns)) {
		labelled(", ", stats_rate(messages, elapsed_ns), line);
		line_text(line, " msg/s");
	}
}

static void setups(const struct stats *stats, struct line *line)
{
	if (stats->setup_ns.count) {
		line_count(line, stats->setup_ns.count, "connection", "connections");
		line_text(line, stats->setup_ns.least == stats->setup_ns.largest ? " set up in" : " set up: time");
		distribution("", &stats->setup_ns, true, line);
		line_char(line, '\n');
	}
	for (unsigned i = 0; i < stats->reject_count; i++) {
		line_count(line, stats->rejects[i].occurrences.count, "connection", "connections");
		line_text(line, " rejected");
		labelled_if(" with reason ", stats->rejects[i].reason, line);
		if (reject_reason_name(stats->rejects[i].reason)) {
			line_text(line, ": ");
			line_text(line, reject_reason_name(stats->rejects[i].reason));
		}
		finding_frames(stats->rejects[i].occurrences.first_frame, stats->rejects[i].occurrences.last_frame, line);
		line_char(line, '\n');
	}
}

/* Data not counted for lack of memory. */
static void uncounted(const struct stats *stats, struct line *line)
{
	if (stats->uncounted_messages || stats->summed) {
		line_count(line, stats->summed, "connection", "connections");
		line_text(line, " counted together, with the operations or events of ");
		line_count(line, stats->uncounted_messages, "message or packet", "messages or packets");
		line_text(line, " of others, for lack of memory (raise --max-memory)\n");
	}
	if (stats->other_rpcs || stats->other_mads) {
		line_count(line, stats->other_rpcs, "RPC message", "RPC messages");
		line_text(line, " and ");
		line_count(line, stats->other_mads, "management datagram", "management datagrams");
		line_text(line, " of further kinds not counted by kind\n");
	}
	if (stats->values.unplaced) {
		line_count(line, stats->values.unplaced, "value", "values");
		line_text(line, " (lengths or times) in no percentile, for lack of memory (raise --max-memory)\n");
	}
	if (stats->values.refused) {
		line_count(line, stats->values.refused, "distribution", "distributions");
		line_text(line, " with percentiles that are not exact, for lack of memory (raise --max-memory)\n");
	}
	if (stats->unpatterned) {
		line_count(line, stats->unpatterned, "connection", "connections");
		line_text(line, " without a known layer and without a pattern, for lack of memory (raise --max-memory)\n");
	}
	if (stats->longer_intervals) {
		line_text(line, "intervals of ");
		line_seconds(line, stats->interval_ns);
		labelled(" s, as there would be more than ", STATS_INTERVALS, line);
		line_text(line, " of those asked for\n");
	}
	if (stats->outside_intervals) {
		line_count(line, stats->outside_intervals, "packet or message", "packets and messages");
		line_text(line, " not counted in ");
		line_text(line, line_plural(stats->outside_intervals, "its interval", "their intervals"));
		line_text(line, ", for lack of memory\n");
	}
}

void stats_text_totals(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats *stats = record->stats;
	uint64_t lost = stats_anomaly_count(stats, RTAP_CONNECTION_ANOMALY_NOT_CAPTURED);
	char *begin = line->next;

	all_events(stats, line);
	if (stats->unassigned) {
		line_count(line, stats->unassigned, "packet", "packets");
		line_text(line, " of no connection that was known when they came\n");
	}
	if (lost) {
		line_count(line, lost, "PSN", "PSNs");
		line_text(line, " never captured\n");
	}
	congestion_ports_text(stats, line);
	setups(stats, line);
	uncounted(stats, line);
	stats_table_wrap(begin, 2, line);
}

/* The text that one call of write() writes. */
struct part {
	const struct stats_view *view;
	const struct finding *finding;
	uint64_t number, shown; /* of findings */
	bool begins_weight;     /* the finding is the first of its weight */
};

static void label(const char *text, struct line *line)
{
	line_text(line, text);
	for (size_t length = strlen(text); length < 13; length++)
		line_char(line, ' ');
}

static void input_names(const struct stats_view *view, struct line *line)
{
	for (size_t i = 0; i < view->input_count; i++) {
		label(i ? "" : "file", line);
		line_escaped(line, (const uint8_t *)view->inputs[i], strlen(view->inputs[i]));
		line_char(line, '\n');
	}
}

static void summary_traffic(const struct stats *stats, int64_t elapsed_ns, struct line *line)
{
	uint64_t payload = stats_payload(stats), repeated = stats_all_repeated(stats), packet_rate = stats_rate(stats->packets, elapsed_ns);

	label("packets", line);
	line_dec(line, stats->packets);
	if (stats->packets) {
		line_text(line, ", ");
		units_bytes(stats->wire_bytes, line);
		line_text(line, ", ");
		units_percent(stats->rdma_packets, stats->packets, line);
		line_text(line, " RDMA");
	}
	if (packet_rate) {
		labelled(", ", packet_rate, line);
		line_text(line, " packets/s");
	}
	line_char(line, '\n');
	if (stats->connections) {
		label("connections", line);
		line_dec(line, stats->connections);
		line_char(line, '\n');
	}
	if (stats->messages) {
		label("messages", line);
		line_dec(line, stats->messages);
		if (stats->incomplete) {
			labelled(" (", stats->incomplete, line);
			line_text(line, " incomplete)");
		}
		rates(0, stats->messages, elapsed_ns, line);
		line_char(line, '\n');
	}
	if (payload) {
		label("payload", line);
		units_bytes(payload, line);
		rates(payload, 0, elapsed_ns, line);
		if (repeated) {
			line_text(line, ", and ");
			units_bytes(repeated, line);
			line_text(line, " repeated");
		}
		line_char(line, '\n');
	}
}

static void summary(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats *stats = record->stats;
	const struct part *part = record->what;
	int64_t elapsed_ns = ns_elapsed(stats->first_ns, stats->last_ns);
	enum clock_form form = finding_dated(part->view->form);

	input_names(part->view, line);
	if (stats->packets) {
		label("time", line);
		finding_moment(stats->first_ns, form, 0, false, line);
		line_text(line, " to ");
		finding_moment(stats->last_ns, form, 0, false, line);
		line_text(line, ", ");
		units_time(elapsed_ns, line);
		line_char(line, '\n');
	}
	summary_traffic(stats, elapsed_ns, line);
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || (unsigned char)c >= 0x7f;
}

/* As a word of a shell command. Control characters are escaped in the shell's $'...'. */
static void shell_word(const char *word, struct line *line)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+:,@%-";
	bool escapes = false;

	if (*word && strspn(word, plain) == strlen(word)) {
		line_text(line, word);
		return;
	}
	for (const char *c = word; *c; c++)
		escapes |= is_control(*c);
	line_text(line, escapes ? "$'" : "'");
	for (const char *c = word; *c; c++) {
		if (is_control(*c)) {
			line_text(line, "\\x");
			line_hex_digits(line, (unsigned char)*c, 2);
		} else if (escapes && (*c == '\'' || *c == '\\')) {
			line_char(line, '\\');
			line_char(line, *c);
		} else if (*c == '\'') {
			line_text(line, "'\\''");
		} else {
			line_char(line, *c);
		}
	}
	line_char(line, '\'');
}

/* Names of more captures are not repeated in commands. */
#define NAMED_INPUTS 2

/* "rdmatap", a command or an option, and the captures. */
static void on_inputs(const struct stats_view *view, const char *command, const char *each, struct line *line)
{
	line_text(line, "     rdmatap");
	line_text(line, command);
	for (size_t i = 0; i < view->input_count && view->input_count <= NAMED_INPUTS; i++) {
		line_text(line, each);
		shell_word(view->inputs[i], line);
	}
	if (view->input_count > NAMED_INPUTS) {
		line_text(line, each);
		line_text(line, "FILE ...");
	}
}

#define CONTINUED "      "

/* Continues a command that begins at `begin` on a new line if the next `length` bytes do not fit, and returns whether it did. */
static bool break_before(const char *begin, size_t length, struct line *line)
{
	bool breaks = (size_t)(line->next - begin) + length > STATS_TABLE_WIDTH;

	if (breaks)
		line_text(line, " \\\n" CONTINUED);
	return breaks;
}

/* A filter in quotation marks; if it does not fit on a line, on two: a shell passes the newline, and a filter may contain it. */
static void put_filter(const char *text, size_t length, const char *begin, struct line *line)
{
	size_t fits = (size_t)(line->next - begin) < STATS_TABLE_WIDTH ? STATS_TABLE_WIDTH - (size_t)(line->next - begin) : 0, cut = length;

	if (length > fits)
		for (cut = fits; cut > 4 && memcmp(text + cut - 4, " && ", 4) && memcmp(text + cut - 4, " || ", 4); cut--)
			;
	if (cut <= 4)
		cut = length;
	line_bytes(line, text, cut - (cut < length));
	if (cut < length)
		line_text(line, "\n          ");
	line_bytes(line, text + cut, length - cut);
}

static void command(const struct stats *stats, const struct stats_view *view, const struct finding *found, struct line *line)
{
	const char *begin = line->next;
	char text[512];
	struct line filter;

	line_init(&filter, text, sizeof text);
	line_char(&filter, '\'');
	finding_filter(stats, found, &filter);
	line_char(&filter, '\'');
	on_inputs(view, "", " -r ", line);
	line_text(line, strcmp(found->rule->name, "bad_icrc") ? "" : " --check-icrc");
	if (break_before(begin, sizeof " -Y " + (size_t)(filter.next - text), line))
		begin = line->next - strlen(CONTINUED);
	line_text(line, " -Y ");
	put_filter(text, (size_t)(filter.next - text), begin, line);
	line_char(line, '\n');
}

static void finding(const void *what, struct line *line)
{
	static const char *const headings[] = {
		[FINDING_ERROR] = " errors\n", [FINDING_WARNING] = " warnings\n", [FINDING_NOTE] = " notes\n",
	};
	const struct stats_record *record = what;
	const struct part *part = record->what;
	const struct finding_advice *advice = finding_advice_of(part->finding->rule);
	uint8_t weight = part->finding->rule->weight;
	enum colour colour = !part->view->colour || weight == FINDING_NOTE ? COLOUR_NONE : weight == FINDING_ERROR ? COLOUR_ERROR : COLOUR_LOSS;
	char *begin;

	if (part->begins_weight)
		line_text(line, headings[weight]);
	colour_begin(colour, line);
	begin = line->next;
	labelled(part->number < 10 ? "  " : part->number < 100 ? " " : "", part->number, line);
	line_text(line, ". ");
	finding_text(record->stats, part->finding, &(struct finding_style){ part->view->form, !part->view->rule }, line);
	line_text(line, " [");
	line_text(line, part->finding->rule->name);
	line_text(line, "]\n");
	if (part->view->rule) {
		line_text(line, "     ");
		line_text(line, advice->cause);
		line_char(line, ' ');
		line_text(line, advice->next);
		line_char(line, '\n');
	}
	stats_table_wrap(begin, 5, line);
	colour_end(colour, line);
	if (part->view->rule)
		command(record->stats, part->view, part->finding, line);
}

/* Refers to the commands that print the rest of the findings. */
static void findings_hint(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct part *part = record->what;
	const char *begin;

	line_text(line, "  Likely causes, next steps and filters:\n");
	begin = line->next;
	on_inputs(part->view, " stats", " ", line);
	break_before(begin, sizeof " --explain all", line);
	line_text(line, " --explain all\n");
}

static void findings_title(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct part *part = record->what;

	if (!record->findings->found) {
		line_text(line, stats_has_rdma(record->stats) ? "\nNo problems found\n" : "\nNothing to assess: no packets of RDMA or ONC RPC\n");
		return;
	}
	if (!part->shown) {
		line_text(line, "\nNo findings of this rule\n");
		return;
	}
	line_text(line, "\nFindings");
	if (part->shown < record->findings->found) {
		labelled(", ", part->shown, line);
		labelled(" of ", record->findings->found, line);
	}
	line_char(line, '\n');
}

static void operations(const struct stats_direction *direction, struct line *line)
{
	for (int kind = 0; kind < RTAP_KIND_COUNT; kind++) {
		const struct stats_operations *counted = direction->operations[kind];

		if (!counted)
			continue;
		line_text(line, "    ");
		line_text(line, rtap_message_kind_name((enum rtap_message_kind)kind));
		line_text(line, ": ");
		line_count(line, counted->messages, "message", "messages");
		line_text(line, ", ");
		units_bytes(counted->bytes, line);
		labelled_if(", incomplete ", counted->incomplete, line);
		labelled_if(", unanswered ", counted->unanswered, line);
		labelled_if(", refused ", counted->refused, line);
		distribution("; size", &counted->size, false, line);
		distribution("\n      latency", &counted->latency_ns, true, line);
		line_char(line, '\n');
	}
}

static void requests(const struct stats_direction *direction, struct line *line)
{
	if (direction->reads) {
		labelled("    READs and atomics under way: at most ", direction->reads->most, line);
		line_char(line, '\n');
	}
	if (direction->calls || direction->replies) {
		line_text(line, "    ");
		line_count(line, direction->calls, "RPC call", "RPC calls");
		labelled(", ", direction->replies, line);
		labelled(" answered, at most ", direction->most_calls_in_flight, line);
		line_text(line, " under way");
		if (direction->most_credits) {
			labelled("; credits granted ", direction->least_credits, line);
			line_char(line, '-');
			line_dec(line, direction->most_credits);
		}
		line_char(line, '\n');
	}
	if (direction->reaction_ns) {
		line_text(line, "    delay from CE mark to CNP:");
		distribution("", direction->reaction_ns, true, line);
		line_char(line, '\n');
	}
	if (direction->rnr_wait_us) {
		line_text(line, "    RNR NAKs asked to wait ");
		units_time((int64_t)direction->rnr_wait_us * 1000, line);
		line_text(line, " in all\n");
	}
}

/* The time until a retransmission. */
static void spacing(const struct stats_recovery *counted, struct line *line)
{
	if (!counted->least_ns)
		return;
	line_text(line, ", each after ");
	units_time(counted->least_ns, line);
	if (counted->most_ns > counted->least_ns) {
		line_text(line, " to ");
		units_time(counted->most_ns, line);
	}
	if (counted->most_attempts > 1)
		labelled(", at most ", counted->most_attempts, line);
	line_text(line, counted->most_attempts > 1 ? " without progress" : "");
	labelled_if(", more than 4 ms after the NAK ", counted->late, line);
}

static void recoveries(const struct stats_direction *direction, struct line *line)
{
	const struct stats_recovery *counted = stats_incidents_of(direction)->recoveries;

	for (int cause = RTAP_RECOVERY_NONE + 1; cause < RTAP_RECOVERY_FAST_RETRANSMIT; cause++) {
		if (!counted[cause].occurrences.count)
			continue;
		line_text(line, "    ");
		line_count(line, counted[cause].occurrences.count, "recovery", "recoveries");
		line_text(line, " after ");
		line_text(line, stats_recovery_words((enum rtap_recovery)cause));
		finding_frames(counted[cause].occurrences.first_frame, counted[cause].occurrences.last_frame, line);
		line_text(line, ", time lost ");
		units_time(counted[cause].time_lost_ns, line);
		spacing(&counted[cause], line);
		line_char(line, '\n');
	}
}

static void reordering(const struct stats_reordering *counted, struct line *line)
{
	if (!counted->count)
		return;
	line_text(line, "    reordered: ");
	line_count(line, counted->count, "packet", "packets");
	line_text(line, " came after packets sent later, by ");
	line_dec(line, (counted->packets + counted->count / 2) / counted->count);
	line_text(line, " packets and ");
	units_time(counted->sum_ns / (int64_t)counted->count, line);
	line_text(line, " on average, ");
	line_dec(line, counted->most_packets);
	line_text(line, " and ");
	units_time(counted->most_ns, line);
	line_text(line, " at most\n");
}

/* TCP only. */
static void tcp_recoveries(const struct stats *stats, const struct stats_direction *direction, struct line *line)
{
	static const char *const labels[] = { "fast retransmits", "timeouts", "closed receive windows" };

	for (int cause = RTAP_RECOVERY_FAST_RETRANSMIT; cause < RTAP_RECOVERY_COUNT; cause++) {
		const struct stats_occurrences *counted = &stats_incidents_of(direction)->recoveries[cause].occurrences;

		if (!counted->count)
			continue;
		line_text(line, "    ");
		line_text(line, labels[cause - RTAP_RECOVERY_FAST_RETRANSMIT]);
		labelled(" ", counted->count, line);
		finding_frames(counted->first_frame, counted->last_frame, line);
		line_text(line, ", time lost ");
		units_time(stats_lost_to(stats, direction, (enum rtap_recovery)cause), line);
		line_char(line, '\n');
	}
}

static void one_direction(const struct stats *stats, const struct stats_direction *direction, const char *name, struct line *line)
{
	line_text(line, "  ");
	line_text(line, name);
	line_text(line, ": ");
	line_count(line, direction->packets, "packet", "packets");
	line_text(line, ", ");
	units_bytes(direction->wire_bytes, line);
	if (direction->payload_bytes || stats_repeated(direction)) {
		line_text(line, ", payload ");
		units_bytes(direction->payload_bytes, line);
	}
	if (stats_repeated(direction)) {
		line_text(line, " and ");
		units_bytes(stats_repeated(direction), line);
		line_text(line, " again");
	}
	if (direction->packets) {
		line_text(line, " in ");
		units_time(ns_elapsed(direction->first_ns, direction->last_ns), line);
	}
	rates(direction->payload_bytes, stats_messages(direction), ns_elapsed(direction->first_ns, direction->last_ns), line);
	line_char(line, '\n');
	operations(direction, line);
	requests(direction, line);
	for (int i = 0; i < STATS_EVENT_COUNT; i++)
		event((enum stats_event)i, stats_event_of(direction, (enum stats_event)i), "    ", line);
	recoveries(direction, line);
	reordering(&stats_incidents_of(direction)->reordering, line);
	congestion_text(direction, line);
	tcp_recoveries(stats, direction, line);
}

static void connection(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats_connection *counted = record->what;
	const struct stats_shown *shown = &counted->shown;
	char *begin = line->next;

	line_char(line, '\n');
	if (counted->reported) {
		line_char(line, '#');
		line_dec(line, shown->number);
		line_char(line, ' ');
		line_text(line, rtap_transport_name((enum rtap_transport)shown->transport));
		line_text(line, " a ");
		end_text(&shown->a, line);
		line_text(line, ", b ");
		end_text(&shown->b, line);
		line_text(line, counted->program_known || shown->service_port ? ", " : "");
		finding_service(counted, line);
	} else {
		line_count(line, record->stats->summed, "further connection", "further connections");
	}
	anomaly_counts_text(shown->anomaly_counts, line);
	line_char(line, '\n');
	if (counted->usage)
		usage_text(counted->usage, "  ", line);
	one_direction(record->stats, &counted->directions[0], "a>b", line);
	one_direction(record->stats, &counted->directions[1], "b>a", line);
	stats_table_wrap(begin, 6, line);
}

static bool is_shown(const struct stats_view *view, const struct finding *found)
{
	return (!view->connection || found->connection == view->connection) &&
	       (!view->rule || !*view->rule || !strcmp(found->rule->name, view->rule));
}

/* False: writing stopped. */
static bool write_findings(const struct stats *stats, const struct findings *findings, const struct stats_view *view, stats_write *write, void *owner)
{
	uint64_t concerned = 0, number = 0;
	struct part part = { .view = view };
	struct stats_record record = { .stats = stats, .findings = findings, .what = &part };

	for (unsigned i = 0; i < findings->count; i++)
		concerned += is_shown(view, &findings->list[i]);
	part.shown = concerned < view->most || view->rule ? concerned : view->most;
	if (view->connection && !concerned)
		return true;
	if (!write(owner, findings_title, &record))
		return false;
	for (unsigned i = 0; i < findings->count && number < part.shown; i++) {
		if (!is_shown(view, &findings->list[i]))
			continue;
		part.begins_weight = !part.finding || part.finding->rule->weight != findings->list[i].rule->weight;
		part.finding = &findings->list[i];
		part.number = ++number;
		if (!write(owner, finding, &record))
			return false;
	}
	return !number || view->rule || write(owner, findings_hint, &record);
}

static bool write_connection(const struct stats *stats, const struct stats_connection *one, stats_write *write, void *owner)
{
	return write(owner, connection, &(struct stats_record){ .stats = stats, .what = one });
}

static void write_connections(const struct stats *stats, stats_write *write, void *owner)
{
	for (uint64_t i = 0; i < stats->table_room; i++)
		if (stats->table[i] && stats->table[i]->reported && !write_connection(stats, stats->table[i], write, owner))
			return;
	if (stats->summed || stats->uncounted_messages)
		write_connection(stats, &stats->others, write, owner);
}

bool stats_write_text(const struct stats *stats, const struct findings *findings, const struct stats_view *view, stats_write *write, void *owner,
		      bool *failed)
{
	const struct part part = { .view = view };
	const struct stats_record record = { .stats = stats, .findings = findings, .what = &part };

	if (view->rule) {
		write_findings(stats, findings, view, write, owner);
		return true;
	}
	if (view->connection) {
		const struct stats_connection *one = stats_known(stats, view->connection);

		if (!one || !one->reported)
			return false;
		if (write_findings(stats, findings, view, write, owner))
			write_connection(stats, one, write, owner);
		return true;
	}
	if (write(owner, summary, &record) && write(owner, stats_text_totals, &record) && write_findings(stats, findings, view, write, owner) &&
	    stats_tables_write(stats, view->sort, view->most, write, owner, failed) && view->all_connections)
		write_connections(stats, write, owner);
	return true;
}
