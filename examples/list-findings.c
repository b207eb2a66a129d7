/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists the problems of captures, the worst first: statistics, findings, error codes. The exit status is 2 if there is an error or a
 * warning, 3 for files that cannot be read.
 *
 *	cc list-findings.c $(pkg-config --cflags --libs rdmatap) -o list-findings
 *	./list-findings FILE...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <rdmatap/rdmatap.h>

static void take_message(void *owner, const struct rtap_message *message)
{
	rtap_stats_message(owner, message);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	rtap_stats_operation(owner, operation);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	rtap_stats_connection(owner, connection);
}

static void merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	rtap_stats_merged(owner, from, into, turned);
}

static void resolve(void *owner, uint64_t frame, const struct rtap_flow_facts *flow)
{
	rtap_stats_resolved(owner, frame, flow);
}

static enum rtap_status read_all(struct rtap_source *source, struct rtap_stats *stats, struct rtap_error *error)
{
	const struct rtap_tracker_options options = {
		.size = sizeof options,
		.message = take_message,
		.operation = take_operation,
		.cheap_operations = true,
		.connection = take_connection,
		.merged = merge,
		.resolved = resolve,
		.owner = stats,
	};
	const struct rtap_frame *frame;
	struct rtap_packet *packet = NULL;
	struct rtap_tracker *tracker;
	enum rtap_status status = rtap_tracker_open(&tracker, &options, error);

	if (status == RTAP_STATUS_OK)
		status = rtap_packet_open(&packet, NULL, error);
	while (status == RTAP_STATUS_OK && (status = rtap_source_read_frame(source, &frame, error)) == RTAP_STATUS_OK) {
		rtap_tracker_frame(tracker, frame, packet);
		rtap_stats_packet(stats, packet);
	}
	if (status == RTAP_STATUS_END)
		rtap_tracker_finish(tracker);
	rtap_packet_close(packet);
	rtap_tracker_close(tracker);
	return status;
}

/* Returns whether one is worse than a note. */
static bool print(const struct rtap_findings *findings)
{
	struct rtap_finding finding;
	bool bad = false;

	for (size_t i = 0; rtap_findings_get(findings, i, &finding, sizeof finding); i++) {
		printf("%s %s %" PRIu64 " %" PRIu64 ": %s\n", rtap_severity_name(finding.severity), finding.rule, finding.connection,
		       finding.count, finding.text);
		bad |= finding.severity != RTAP_SEVERITY_NOTE;
	}
	return bad;
}

int main(int argc, char **argv)
{
	struct rtap_findings *findings = NULL;
	struct rtap_source *source = NULL;
	struct rtap_stats *stats = NULL;
	struct rtap_error error;
	enum rtap_status status = RTAP_STATUS_FAILED;
	int result = EXIT_FAILURE;

	if (argc < 2)
		rtap_error_set(&error, RTAP_ERROR_INVALID, "usage: list-findings FILE...");
	else
		status = rtap_source_open_files(&source, (const char *const *)argv + 1, (size_t)argc - 1, &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_stats_open(&stats, NULL, &error);
	if (status == RTAP_STATUS_OK)
		status = read_all(source, stats, &error);
	if (status == RTAP_STATUS_END)
		status = rtap_findings_open(&findings, stats, &error);
	if (status == RTAP_STATUS_OK) {
		result = print(findings) ? 2 : EXIT_SUCCESS;
	} else {
		fprintf(stderr, "list-findings: %s: %s\n", rtap_error_name(error.code), error.text);
		result = error.code == RTAP_ERROR_FORMAT || error.code == RTAP_ERROR_NOT_FOUND ? 3 : EXIT_FAILURE;
	}
	rtap_findings_close(findings);
	rtap_stats_close(stats);
	rtap_source_close(source);
	return result;
}
