/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics as returned by the library: plain values, independent of how they are counted.
 */
#include "config.h"

#include <string.h>

#include <rdmatap/stats.h>

#include "base/struct_size.h"
#include "output/stats/stats.h"
#include "output/stats/stats_operation.h"
#include "output/stats/stats_packet.h"

/* struct rtap_stats is the opaque public name of struct stats. */
#define USUAL_MEMORY (UINT64_C(64) << 20)

enum rtap_status rtap_stats_open(struct rtap_stats **stats, const struct rtap_stats_options *given, struct rtap_error *error)
{
	struct rtap_stats_options options;
	uint64_t memory;

	*stats = NULL;
	if (struct_size_take(&options, sizeof options, given, error))
		return RTAP_STATUS_FAILED;
	memory = options.max_memory ? options.max_memory : USUAL_MEMORY;
	*stats = (struct rtap_stats *)stats_create(&(struct stats_options){ .max_memory = memory });
	if (*stats)
		return RTAP_STATUS_OK;
	rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
	return RTAP_STATUS_FAILED;
}

static struct stats *counts_of(struct rtap_stats *stats)
{
	return (struct stats *)stats;
}

static const struct stats *counts_in(const struct rtap_stats *stats)
{
	return (const struct stats *)stats;
}

void rtap_stats_close(struct rtap_stats *stats)
{
	stats_destroy(counts_of(stats));
}

void rtap_stats_packet(struct rtap_stats *stats, const struct rtap_packet *packet)
{
	struct congestion_pause pause;

	stats_packet(counts_of(stats), packet);
	if (congestion_pause_of(packet, &pause))
		congestion_note_pause(counts_of(stats), &pause);
}

void rtap_stats_message(struct rtap_stats *stats, const struct rtap_message *message)
{
	stats_message(counts_of(stats), message);
}

void rtap_stats_operation(struct rtap_stats *stats, const struct rtap_operation *operation)
{
	stats_operation(counts_of(stats), operation);
}

void rtap_stats_connection(struct rtap_stats *stats, const struct rtap_connection *connection)
{
	stats_connection(counts_of(stats), connection);
}

void rtap_stats_merged(struct rtap_stats *stats, uint64_t from, uint64_t into, bool turned)
{
	stats_merge(counts_of(stats), from, into, turned);
}

void rtap_stats_resolved(struct rtap_stats *stats, uint64_t frame, const struct rtap_flow_facts *flow)
{
	stats_resolve(counts_of(stats), frame, flow);
}

void rtap_stats_totals(const struct rtap_stats *stats, struct rtap_stats_totals *totals, size_t size)
{
	struct rtap_stats_totals filled;
	const struct stats *counts = counts_in(stats);

	filled = (struct rtap_stats_totals){
		.packets = counts->packets,
		.wire_bytes = counts->wire_bytes,
		.rdma_packets = counts->rdma_packets,
		.connections = counts->connections,
		.messages = counts->messages,
		.incomplete_messages = counts->incomplete,
		.first_ns = counts->first_ns,
		.last_ns = counts->last_ns,
	};
	struct_size_give(totals, size, &filled, sizeof filled);
}

uint64_t rtap_stats_next(const struct rtap_stats *stats, uint64_t after)
{
	const struct stats *counts = counts_in(stats);

	for (; after < counts->table_room; after++)
		if (counts->table[after])
			return after + 1;
	return 0;
}

static const struct stats_direction *direction_of(const struct rtap_stats *stats, uint64_t connection, bool from_a)
{
	const struct stats_connection *known = stats_known(counts_in(stats), connection);

	return known ? &known->directions[!from_a] : NULL;
}

bool rtap_stats_direction(const struct rtap_stats *stats, uint64_t connection, bool from_a, struct rtap_stats_direction *direction, size_t size)
{
	struct rtap_stats_direction filled;
	const struct stats_direction *counts = direction_of(stats, connection, from_a);

	memset(direction, 0, size);
	if (!counts)
		return false;
	filled = (struct rtap_stats_direction){
		.packets = counts->packets,
		.wire_bytes = counts->wire_bytes,
		.payload_bytes = counts->payload_bytes,
		.repeated_bytes = stats_repeated(counts),
		.retransmissions = stats_event_of(counts, STATS_RETRANSMISSION)->count,
		.duplicates = stats_event_of(counts, STATS_DUPLICATE)->count,
		.out_of_order = stats_event_of(counts, STATS_OUT_OF_ORDER)->count,
		.gaps = stats_event_of(counts, STATS_GAP)->count,
		.nak_sequence = stats_event_of(counts, STATS_NAK_SEQUENCE)->count,
		.nak_invalid_request = stats_event_of(counts, STATS_NAK_INVALID_REQUEST)->count,
		.nak_access = stats_event_of(counts, STATS_NAK_ACCESS)->count,
		.nak_operation = stats_event_of(counts, STATS_NAK_OPERATION)->count,
		.nak_invalid_rd = stats_event_of(counts, STATS_NAK_INVALID_RD)->count,
		.rnr_naks = stats_event_of(counts, STATS_RNR)->count,
		.ce_marks = stats_event_of(counts, STATS_CE_MARK)->count,
		.cnps = stats_event_of(counts, STATS_CNP)->count,
		.bad_icrc = stats_event_of(counts, STATS_BAD_ICRC)->count,
		.unanswered = stats_event_of(counts, STATS_UNANSWERED)->count,
		.rpc_calls = counts->calls,
		.rpc_replies = counts->replies,
	};
	struct_size_give(direction, size, &filled, sizeof filled);
	return true;
}

static struct rtap_distribution distribution_of(const struct histogram *histogram)
{
	return (struct rtap_distribution){
		.count = histogram->count,
		.sum = histogram->sum,
		.least = histogram->least,
		.median = histogram_percentile(histogram, 500),
		.percentile_90 = histogram_percentile(histogram, 900),
		.percentile_99 = histogram_percentile(histogram, 990),
		.largest = histogram->largest,
	};
}

bool rtap_stats_operations(const struct rtap_stats *stats, uint64_t connection, bool from_a, enum rtap_message_kind kind,
			   struct rtap_stats_operations *operations, size_t size)
{
	struct rtap_stats_operations filled;
	const struct stats_direction *direction = direction_of(stats, connection, from_a);
	const struct stats_operations *counts = direction && (unsigned)kind < RTAP_KIND_COUNT ? direction->operations[kind] : NULL;

	memset(operations, 0, size);
	if (!counts)
		return false;
	filled = (struct rtap_stats_operations){
		.messages = counts->messages,
		.incomplete = counts->incomplete,
		.unanswered = counts->unanswered,
		.refused = counts->refused,
		.bytes = counts->bytes,
		.size = distribution_of(&counts->size),
		.latency_ns = distribution_of(&counts->latency_ns),
	};
	struct_size_give(operations, size, &filled, sizeof filled);
	return true;
}

size_t rtap_stats_rpc_count(const struct rtap_stats *stats)
{
	return counts_in(stats)->rpc_count;
}

bool rtap_stats_rpc(const struct rtap_stats *stats, size_t index, struct rtap_stats_rpc *rpc, size_t size)
{
	struct rtap_stats_rpc filled;
	const struct stats_rpc *counts;

	memset(rpc, 0, size);
	if (index >= counts_in(stats)->rpc_count)
		return false;
	counts = counts_in(stats)->rpcs[index];
	filled = (struct rtap_stats_rpc){
		.program_known = counts->program_known,
		.is_operation = counts->is_operation,
		.program = counts->program,
		.version = counts->version,
		.procedure = counts->procedure,
		.operation = counts->operation,
		.name = counts->name,
		.calls = counts->calls,
		.replies = counts->replies,
		.errors = counts->errors,
		.rejected = counts->rejected,
		.unanswered = counts->unanswered,
		.call_bytes = counts->call_bytes,
		.reply_bytes = counts->reply_bytes,
		.latency_ns = distribution_of(&counts->latency_ns),
	};
	struct_size_give(rpc, size, &filled, sizeof filled);
	return true;
}
