/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/feed.h"
#include "cli/nothing_found.h"
#include "cli/options.h"
#include "cli/print_error.h"

#define CONTENT_SIZE 256

static const struct {
	const char *one, *many;
} names[] = {
	[LISTED_NONE] = { "record", "records" },
	[LISTED_CONNECTIONS] = { "connection", "connections" },
	[LISTED_MESSAGES] = { "message", "messages" },
	[LISTED_OPERATIONS] = { "operation", "operations" },
};

static void add(char text[CONTENT_SIZE], const char *separator, uint64_t count, const char *one, const char *many)
{
	size_t length = strlen(text);

	if (count)
		snprintf(text + length, CONTENT_SIZE - length, "%s%" COUNT, separator, COUNTED(count, one, many));
}

/* "27 packets, none of RDMA, 5 of TCP". */
static void put_packets(const struct packet_counters *packets, char text[CONTENT_SIZE])
{
	snprintf(text, CONTENT_SIZE, "%" COUNT, COUNTED(packets->passed, "packet", "packets"));
	if (!packets->rdma)
		strcat(text, ", none of RDMA");
	else if (packets->rdma < packets->passed)
		add(text, ", ", packets->rdma, "of RDMA", "of RDMA");
	else
		strcat(text, " of RDMA");
	add(text, ", ", packets->management, "management datagram", "management datagrams");
	add(text, ", ", packets->tcp, "of TCP", "of TCP");
	add(text, ", ", packets->udp, "of UDP", "of UDP");
}

static bool is_reported_elsewhere(const struct reader *reader)
{
	return reader->unwritable || reader->interrupted || reader->failure.text[0] || aborted || (feed && feed->is_silent);
}

static void report_content(const struct reader *reader, const struct rtap_tracker_counters *counters, enum listed_kind kind)
{
	const uint64_t found[] = { [LISTED_CONNECTIONS] = counters->connections, [LISTED_MESSAGES] = counters->messages };
	char text[CONTENT_SIZE];

	if (!reader->packets.passed) {
		print_error("no %s: no packets were read", names[kind].many);
		return;
	}
	put_packets(&reader->packets, text);
	for (unsigned other = LISTED_CONNECTIONS; other < sizeof found / sizeof found[0]; other++)
		if (other != kind)
			add(text, ", ", found[other], names[other].one, names[other].many);
	print_error("no %s: %s%s", names[kind].many, text, kind != LISTED_OPERATIONS || !counters->connections ? "" :
		    "; no upper layer was recognised (--decode-as names that of a queue pair)");
}

void nothing_found_report(const struct reader *reader, const struct rtap_tracker *tracker)
{
	enum listed_kind kind = options_lists(reader->options->command);
	struct rtap_tracker_counters counters;

	if (reader->packets.listed || is_reported_elsewhere(reader))
		return;
	if (reader->packets.records) {
		print_error("none of %" COUNT " is selected", COUNTED(reader->packets.records, names[kind].one, names[kind].many));
		return;
	}
	if (reader->has_state)
		counters = reader->state.tracker;
	else
		rtap_tracker_counters(tracker, &counters, sizeof counters);
	report_content(reader, &counters, kind);
}

bool nothing_found_report_passing(const struct reader *reader)
{
	if (!reader->passing || reader->selected || reader->interrupted)
		return false;
	print_error("-Y: frame %" PRIu64 " passes, but no packet of the %s does (rdmatap -r FILE -Y FILTER lists packets)", reader->passing,
		    names[options_lists(reader->options->command)].many);
	return true;
}

void nothing_found_report_rdma(const struct reader *reader)
{
	char text[CONTENT_SIZE];

	if (reader->packets.rdma || is_reported_elsewhere(reader))
		return;
	put_packets(&reader->packets, text);
	print_error("%s", reader->packets.passed ? text : "no packets were read");
}
