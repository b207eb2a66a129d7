/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "cli/check_records.h"
#include "output/message/connections.h"
#include "output/message/messages.h"
#include "output/message/operations.h"
#include "output/stats/stats_form.h"
#include "output/stats/stats_operation.h"
#include "output/stats/stats_packet.h"

static void write_message(const void *what, struct line *line)
{
	message_json(what, line);
}

static void write_operation(const void *what, struct line *line)
{
	operation_json(what, line);
}

static void write_connection(const void *what, struct line *line)
{
	connection_json(what, line);
}

/* A group of operations and the set that contains it. */
struct grouped {
	const struct operation_groups *groups;
	const struct operation_group *group;
};

static void write_group(const void *what, struct line *line)
{
	const struct grouped *grouped = what;

	operation_group_json(grouped->groups, grouped->group, line);
}

static bool needs_stats(const struct assertions *assertions)
{
	return assertions_about(assertions, RECORD_STATS_CAPTURE) || assertions_about(assertions, RECORD_STATS_FINDING) ||
	       assertions_about(assertions, RECORD_STATS_CONNECTION);
}

bool check_records_open(struct check_records *records, uint64_t max_memory, struct rtap_tracker_options *tracking)
{
	const struct assertions *assertions = records->assertions;
	bool has_operations = assertions_about(assertions, RECORD_OPERATION) || assertions_about(assertions, RECORD_OPERATIONS);

	records->groups = (struct operation_groups){ .by = OPERATION_BY_NAME, .max_memory = max_memory / 2 };
	if (needs_stats(assertions)) {
		records->stats = stats_create(&(struct stats_options){ .max_memory = max_memory / 2 });
		if (!records->stats)
			return false;
	}
	if (!records->stats && !assertions_about(assertions, RECORD_MESSAGE))
		tracking->message = NULL;
	if (!records->stats && !has_operations)
		tracking->operation = NULL;
	tracking->cheap_operations = !has_operations;
	tracking->checksums = assertions_about(assertions, RECORD_CONNECTION);
	return true;
}

void check_records_message(struct check_records *records, const struct rtap_message *message)
{
	assertions_take(records->assertions, RECORD_MESSAGE, write_message, message);
	if (records->stats)
		stats_message(records->stats, message);
}

void check_records_operation(struct check_records *records, const struct rtap_operation *operation)
{
	assertions_take(records->assertions, RECORD_OPERATION, write_operation, operation);
	if (assertions_about(records->assertions, RECORD_OPERATIONS))
		operation_groups_add(&records->groups, operation);
	if (records->stats)
		stats_operation(records->stats, operation);
}

void check_records_connection(struct check_records *records, const struct rtap_connection *connection)
{
	assertions_take(records->assertions, RECORD_CONNECTION, write_connection, connection);
	if (records->stats)
		stats_connection(records->stats, connection);
}

void check_records_merge(struct check_records *records, uint64_t from, uint64_t into, bool turned)
{
	if (records->stats)
		stats_merge(records->stats, from, into, turned);
}

void check_records_resolve(struct check_records *records, uint64_t frame, const struct rtap_flow_facts *flow)
{
	if (records->stats)
		stats_resolve(records->stats, frame, flow);
}

void check_records_packet(struct check_records *records, const struct rtap_packet *packet)
{
	if (records->stats)
		stats_packet(records->stats, packet);
}

static bool take_stats(void *owner, stats_form *form, const struct stats_record *record)
{
	struct check_records *records = owner;

	if (form == stats_json_form.capture)
		assertions_take(records->assertions, RECORD_STATS_CAPTURE, form, record);
	else if (form == stats_json_form.finding)
		assertions_take(records->assertions, RECORD_STATS_FINDING, form, record);
	else if (form == stats_json_form.connection)
		assertions_take(records->assertions, RECORD_STATS_CONNECTION, form, record);
	return true;
}

void check_records_finish(struct check_records *records)
{
	const struct operation_group **sorted = NULL;

	if (records->stats) {
		findings_gather(&records->findings, records->stats);
		stats_write_all(records->stats, &records->findings, &stats_json_form, take_stats, records);
	}
	if (records->groups.count)
		sorted = operation_groups_sorted(&records->groups, OPERATION_GROUPS_BY_TIME);
	for (uint64_t i = 0; sorted && i < records->groups.count; i++)
		assertions_take(records->assertions, RECORD_OPERATIONS, write_group, &(struct grouped){ &records->groups, sorted[i] });
	free(sorted);
}

void check_records_close(struct check_records *records)
{
	operation_groups_fini(&records->groups);
	stats_destroy(records->stats);
}
