/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPCs by procedure, from operations. The reply has the procedure of its call.
 */
#include "config.h"

#include <string.h>

#include "dissect/rpc/rpc_status.h"
#include "dissect/rpc/rpc_programs.h"
#include "output/stats/stats.h"
#include "output/stats/stats_count.h"
#include "output/stats/stats_rpc.h"
#include "output/stats/stats_usage.h"

static const char *procedure_name(const struct rtap_message *message)
{
	struct rtap_rpc_facts facts = { .program = message->program, .version = message->version, .procedure = message->procedure };

	return message->program_known ? rtap_name_of(rpc_procedure_names(&facts), message->procedure) : NULL;
}

static bool is_row(const struct stats_rpc *row, const struct rtap_message *message, const struct rtap_item *operation)
{
	return row->is_operation == (operation != NULL) && row->program_known == message->program_known && row->program == message->program &&
	       row->version == message->version && row->procedure == message->procedure &&
	       (!operation || (row->operation == operation->number && row->name == operation->name));
}

/* The row of the message's procedure, or of one of its operations; NULL: the limit is reached, or out of memory. */
static __attribute__((noinline)) struct stats_rpc *find_row(struct stats *stats, const struct rtap_message *message,
							    const struct rtap_item *operation)
{
	struct stats_rpc *row;

	for (unsigned i = 0; i < stats->rpc_count; i++)
		if (is_row(stats->rpcs[i], message, operation))
			return stats->rpcs[i];
	row = stats->rpc_count < STATS_RPCS ? stats_allocate(stats, sizeof *row) : NULL;
	if (!row) {
		stats->other_rpcs++;
		return NULL;
	}
	stats->rpcs[stats->rpc_count++] = row;
	row->program_known = message->program_known;
	row->program = message->program;
	row->version = message->version;
	row->procedure = message->procedure;
	row->is_operation = operation;
	row->operation = operation ? operation->number : 0;
	row->name = operation ? operation->name : procedure_name(message);
	return row;
}

static struct stats_rpc *row_of(struct stats *stats, const struct rtap_message *message, const struct rtap_item *operation)
{
	uint32_t number = operation ? operation->number + STATS_RECENT_RPCS / 2 : message->procedure;
	struct stats_rpc **recent = &stats->recent_rpcs[(number ^ message->program) % STATS_RECENT_RPCS];

	if (!*recent || !is_row(*recent, message, operation))
		*recent = find_row(stats, message, operation);
	return *recent;
}

static void note_status(struct stats_rpc *row, const char *name, uint32_t number, const struct rtap_message *reply)
{
	row->errors++;
	stats_count(&row->first_error, reply->first_frame, reply->time_ns);
	for (unsigned i = 0; i < STATS_STATUSES; i++) {
		struct stats_status *status = &row->statuses[i];

		if (i == row->status_count) {
			status->name = name;
			status->number = number;
			row->status_count++;
		} else if (status->name != name || status->number != number) {
			continue;
		}
		stats_count(&status->occurrences, reply->first_frame, reply->time_ns);
		return;
	}
	row->other_statuses++;
}

static void note_latency(struct stats *stats, struct stats_rpc *row, const struct rtap_message *reply)
{
	if (!reply->has_latency || reply->latency_ns < 0)
		return;
	if (!row->latency_ns.count || (uint64_t)reply->latency_ns > row->latency_ns.largest ||
	    ((uint64_t)reply->latency_ns == row->latency_ns.largest && reply->first_frame < row->slowest_frame)) {
		row->slowest_frame = reply->first_frame;
		row->slowest_connection = reply->connection ? reply->connection->number : 0;
	}
	stats_add_value(stats, &row->latency_ns, (uint64_t)reply->latency_ns);
}

/* Whether RPC itself rejected the call or could not execute it. RFC 5531, section 9; RFC 8166, 4.5. */
static bool is_rejected(const struct rtap_message *reply)
{
	return reply->rdma_error || (reply->has_rpc_status && (!reply->rpc_accepted || reply->rpc_status));
}

static void add_reply(struct stats *stats, struct stats_rpc *row, const struct rtap_message *reply)
{
	row->replies++;
	row->reply_bytes += reply->length;
	note_latency(stats, row, reply);
	if (is_rejected(reply)) {
		row->rejected++;
		stats_count(&row->first_rejected, reply->first_frame, reply->time_ns);
		note_status(row, rpc_status_name(reply), 0, reply);
	} else if (reply->has_status && reply->status) {
		note_status(row, reply->status_name, reply->status_name ? 0 : reply->status, reply);
	}
}

static void add_call(const struct stats *stats, struct stats_rpc *row, const struct rtap_message *call)
{
	row->calls++;
	row->call_bytes += call->length;
	row->repeats += call->repeats;
	row->unanswered += !call->partner;
	if (!call->partner && ns_elapsed(call->time_end_ns, stats->now_ns) >= STATS_UNANSWERED_NS)
		stats_count(&row->overdue, call->first_frame, call->time_ns);
	row->with_read_chunks += call->read_chunks != 0;
	row->with_write_chunks += call->write_chunks != 0;
	row->with_reply_chunk += call->reply_chunk;
}

static void add_operation(struct stats *stats, struct stats_rpc *row, const struct rtap_message *message,
			  const struct rtap_item *operation)
{
	if (message->kind == RTAP_KIND_RPC_CALL) {
		row->calls++;
		return;
	}
	row->replies++;
	note_latency(stats, row, message);
	if (operation->has_status && operation->status)
		note_status(row, operation->status_name, operation->status_name ? 0 : operation->status, message);
}

/* Credits granted by a server: the number of calls that its client may have outstanding. RFC 8166, 3.3. */
static void note_credits(struct stats_direction *caller, uint32_t credits)
{
	if (!credits)
		return;
	if (!caller->least_credits || credits < caller->least_credits)
		caller->least_credits = credits;
	if (credits > caller->most_credits)
		caller->most_credits = credits;
}

/* A procedure without operations has one operation: itself. */
static bool has_operations(const struct stats_rpc *row, const struct rtap_message *message)
{
	const struct rtap_item *first = message->items;

	return message->item_count > 1 ||
	       (message->item_count == 1 &&
		(!row->name || !first->name || (row->name != first->name && strcmp(row->name, first->name))));
}

static void count_message(struct stats *stats, const struct rtap_message *message)
{
	struct stats_rpc *row = row_of(stats, message, NULL);

	if (!row)
		return;
	if (message->kind == RTAP_KIND_RPC_CALL)
		add_call(stats, row, message);
	else
		add_reply(stats, row, message);
	if (!has_operations(row, message))
		return;
	for (uint32_t i = 0; i < message->item_count; i++) {
		struct stats_rpc *inner = row_of(stats, message, &message->items[i]);

		if (inner)
			add_operation(stats, inner, message, &message->items[i]);
	}
}

static void note_program(struct stats_connection *connection, const struct rtap_message *message)
{
	if (!message->program_known || (connection->program_known && message->program != RPC_PROGRAM_NFS))
		return;
	connection->program_known = true;
	connection->program = message->program;
	connection->version = message->version;
}

static void count_by_connection(struct stats *stats, const struct rtap_operation *operation)
{
	struct stats_connection *connection = stats_find(stats, operation->connection->number);
	struct stats_direction *caller = stats_sent_by(connection, operation->from_a);

	stats_usage_drop(stats, connection);
	if (operation->request) {
		note_program(connection, operation->request);
		caller->calls++;
	}
	if (operation->response) {
		note_program(connection, operation->response);
		note_credits(caller, operation->response->credits);
		caller->replies += operation->response->partner != 0;
	}
	/* the calls of several connections are not outstanding together */
	if (connection != &stats->others && operation->depth > caller->most_calls_in_flight)
		caller->most_calls_in_flight = operation->depth;
}

void stats_rpc_operation(struct stats *stats, const struct rtap_operation *operation)
{
	if (operation->connection)
		count_by_connection(stats, operation);
	if (operation->request)
		count_message(stats, operation->request);
	if (operation->response)
		count_message(stats, operation->response);
}

bool stats_rpc_is_part(const struct stats_rpc *operation, const struct stats_rpc *procedure)
{
	return operation->is_operation && operation->program == procedure->program && operation->version == procedure->version &&
	       operation->procedure == procedure->procedure && operation->program_known == procedure->program_known;
}
