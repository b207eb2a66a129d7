/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/rpcrdma.h"
#include "output/export/export_tcp.h"
#include "output/export/tcp_writer.h"

/* RFC 5531, section 11 */
#define RECORD_MARK 4
#define LAST_FRAGMENT 0x80000000
#define LONGEST_RECORD 0x7fffffff
#define XID_AND_TYPE 8

/* A waiting message. */
struct waiting {
	int64_t time_ns;
	uint64_t order;      /* order of messages with the same time: as reported */
	struct tcp_writer_ends ends;
	bool from_a;
	uint32_t length;
	uint8_t record[];    /* its record mark and its bytes */
};

struct export_tcp {
	struct tcp_writer *writer;
	bool fill_holes, failed;
	uint64_t memory, used; /* bytes that may wait; that wait */
	struct heap heap;      /* earliest first */
	uint64_t sequence;
	int64_t last_ns;       /* of the last message written */
	bool (*stopped)(void); /* or NULL */
	struct export_tcp_counters counters;
};

static bool is_before(const void *one, const void *other)
{
	const struct waiting *a = one, *b = other;

	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

enum rtap_status export_tcp_open(struct export_tcp **export, const char *name, bool fill_holes, uint64_t memory, struct rtap_error *error)
{
	struct export_tcp *opened = calloc(1, sizeof *opened);

	*export = NULL;
	if (!opened) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	if (tcp_writer_open(&opened->writer, name, error) != RTAP_STATUS_OK) {
		free(opened);
		return RTAP_STATUS_FAILED;
	}
	opened->heap.before = is_before;
	opened->fill_holes = fill_holes;
	opened->memory = memory;
	opened->last_ns = INT64_MIN;
	*export = opened;
	return RTAP_STATUS_OK;
}

static bool push(struct export_tcp *export, struct waiting *waiting)
{
	if (!heap_add(&export->heap, waiting))
		return false;
	export->used += sizeof *waiting + waiting->length;
	return true;
}

static struct waiting *pop(struct export_tcp *export)
{
	struct waiting *first = heap_remove_first(&export->heap);

	export->used -= sizeof *first + first->length;
	return first;
}

void export_tcp_set_stopped(struct export_tcp *export, bool (*stopped)(void))
{
	export->stopped = stopped;
}

static bool is_stopped(const struct export_tcp *export)
{
	return export->stopped && export->stopped();
}

/* Writes the earliest messages until at most `memory` bytes wait. */
static enum rtap_status write_until(struct export_tcp *export, uint64_t memory, struct rtap_error *error)
{
	while (export->heap.count && export->used > memory && !is_stopped(export)) {
		struct waiting *first = pop(export);
		enum rtap_status status;

		if (first->time_ns < export->last_ns)
			export->counters.misplaced++;
		else
			export->last_ns = first->time_ns;
		status = tcp_writer_send(export->writer, &first->ends, first->from_a, export->last_ns, first->record, first->length, error);
		free(first);
		if (status != RTAP_STATUS_OK) {
			export->failed = true;
			return status;
		}
		export->counters.messages++;
	}
	return RTAP_STATUS_OK;
}

/* Sums present and missing bytes. False: more than a record can hold. */
static bool measure(const struct rpc_part *part, uint64_t *total, uint64_t *missing)
{
	*total = *missing = 0;
	for (uint32_t i = 0; i < part->extent_count; i++) {
		const struct xdr_extent *extent = &part->extents[i];

		if (extent->length > LONGEST_RECORD - *total)
			return false;
		*total += extent->length;
		if (extent->kind != XDR_BYTES)
			*missing += extent->length;
	}
	if (part->length > LONGEST_RECORD)
		return false;
	if (part->length > *total) {
		*missing += part->length - *total;
		*total = part->length;
	}
	return true;
}

/* Whether zeros may replace the missing bytes: they must not change the length, the XID or the type of the message. */
static bool may_be_filled(const struct rpc_part *part, uint64_t missing)
{
	uint64_t begin = 0;

	for (uint32_t i = 0; i < part->extent_count && part->extents[i].kind == XDR_BYTES; i++)
		begin += part->extents[i].length;
	return part->is_laid_out && missing <= EXPORT_TCP_MOST_FILLED && begin >= XID_AND_TYPE;
}

/* The addresses of a connection without IP addresses. */
static void put_ipv6(uint8_t address[16], const struct rtap_end *end, uint8_t side)
{
	static const uint8_t mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	static const uint8_t lids[] = { 0xfd, 0, 0x49, 0x42 };

	memset(address, 0, 16);
	switch (end->address_length) {
	case 16:
		memcpy(address, end->address, 16);
		break;
	case 4:
		memcpy(address, mapped, sizeof mapped);
		memcpy(address + 12, end->address, 4);
		break;
	case 2:
		memcpy(address, lids, sizeof lids);
		memcpy(address + 14, end->address, 2);
		break;
	default: /* not a LID */
		memcpy(address, lids, sizeof lids);
		address[13] = 1;
		address[15] = side;
		break;
	}
}

static const struct rtap_rpc_facts *facts_of(const struct rpc_exchange *exchange)
{
	return exchange->call.present ? &exchange->call.facts : &exchange->reply.facts;
}

/* Whether the call was sent to the end that set up the connection. That end may be a guess; the program is more reliable. */
static bool is_reverse(const struct rpc_exchange *exchange)
{
	const struct rtap_rpc_facts *facts = facts_of(exchange);
	bool guessed = exchange->connection && !exchange->connection->learned_by_cm;

	return guessed && facts->program_known ? facts->is_callback : exchange->reverse;
}

/* The port of the passive end. */
static uint16_t port_of(const struct rpc_exchange *exchange, bool reverse)
{
	uint16_t port = reverse ? exchange->client_port : exchange->server_port;
	const struct rtap_rpc_facts *facts = facts_of(exchange);
	bool is_nfs = facts->program_known && facts->program == RPC_PROGRAM_NFS;

	if (is_nfs || !port || (exchange->carrier == RPC_OVER_RDMA && (reverse || port == RPCRDMA_PORT)))
		return RPC_PORT_NFS;
	return port;
}

static void find_ends(const struct rpc_exchange *exchange, struct tcp_writer_ends *ends)
{
	bool reverse = is_reverse(exchange), caller_is_a = exchange->call.present ? exchange->call.from_a : !exchange->reply.from_a;
	const struct rtap_end *client = reverse ? &exchange->server : &exchange->client;
	const struct rtap_end *server = reverse ? &exchange->client : &exchange->server;

	ends->stream = exchange->stream;
	ends->server_port = port_of(exchange, reverse);
	ends->client_is_a = caller_is_a != reverse;
	if (client->address_length == 4 && server->address_length == 4) {
		ends->address_length = 4;
		memcpy(ends->client, client->address, 4);
		memcpy(ends->server, server->address, 4);
	} else {
		ends->address_length = 16;
		put_ipv6(ends->client, client, 1);
		put_ipv6(ends->server, server, 2);
	}
}

static void put_record(uint8_t *record, const struct rpc_part *part, uint32_t length)
{
	uint8_t *p = record + RECORD_MARK;
	uint32_t mark = LAST_FRAGMENT | length;

	for (int i = 0; i < RECORD_MARK; i++)
		record[i] = (uint8_t)(mark >> (24 - 8 * i));
	for (uint32_t i = 0; i < part->extent_count; i++) {
		const struct xdr_extent *extent = &part->extents[i];

		if (extent->kind == XDR_BYTES && extent->length)
			memcpy(p, extent->bytes, extent->length);
		else
			memset(p, 0, extent->length);
		p += extent->length;
	}
	memset(p, 0, (size_t)(record + RECORD_MARK + length - p));
}

static int64_t completion_of(const struct rpc_exchange *exchange, bool is_reply)
{
	int64_t time_ns = is_reply ? exchange->reply.time_end_ns : exchange->call.time_end_ns;

	/* a reply follows its call even if the clock was set back */
	return is_reply && exchange->call.present && time_ns < exchange->call.time_end_ns ? exchange->call.time_end_ns : time_ns;
}

enum rtap_status export_tcp_part(struct export_tcp *export, const struct rpc_exchange *exchange, bool is_reply, struct rtap_error *error)
{
	const struct rpc_part *part = is_reply ? &exchange->reply : &exchange->call;
	struct waiting *waiting;
	uint64_t total, missing;
	bool is_long, is_whole;

	if (!part->present)
		return RTAP_STATUS_OK;
	is_long = !measure(part, &total, &missing);
	is_whole = part->complete && !missing;
	if (is_long || !total || (!is_whole && (!export->fill_holes || !may_be_filled(part, missing)))) {
		export->counters.left_out++;
		return RTAP_STATUS_OK;
	}
	waiting = malloc(sizeof *waiting + RECORD_MARK + total);
	if (!waiting)
		goto no_memory;
	*waiting = (struct waiting){ .time_ns = completion_of(exchange, is_reply), .order = export->sequence++,
				     .from_a = part->from_a, .length = RECORD_MARK + (uint32_t)total };
	find_ends(exchange, &waiting->ends);
	put_record(waiting->record, part, (uint32_t)total);
	if (!push(export, waiting))
		goto no_memory;
	export->counters.filled += !is_whole;
	return write_until(export, export->memory, error);
no_memory:
	free(waiting);
	export->failed = true;
	rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory for an RPC message of %llu bytes", (unsigned long long)total);
	return RTAP_STATUS_FAILED;
}

enum rtap_status export_tcp_exchange(struct export_tcp *export, const struct rpc_exchange *exchange, struct rtap_error *error)
{
	enum rtap_status status = export_tcp_part(export, exchange, false, error);

	return status ? status : export_tcp_part(export, exchange, true, error);
}

enum rtap_status export_tcp_close(struct export_tcp *export, struct export_tcp_counters *counters, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK, close_status;

	if (counters)
		*counters = (struct export_tcp_counters){ 0 };
	if (!export)
		return RTAP_STATUS_OK;
	if (!export->failed)
		status = write_until(export, 0, error);
	if (is_stopped(export))
		export->counters.dropped += export->heap.count;
	export->counters.clamped_times = tcp_writer_clamped_times(export->writer);
	if (counters)
		*counters = export->counters;
	while (export->heap.count)
		free(pop(export));
	close_status = tcp_writer_close(export->writer, status ? NULL : error);
	heap_fini(&export->heap);
	free(export);
	return status ? status : close_status;
}
