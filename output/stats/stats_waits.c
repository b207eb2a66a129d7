/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/stats/stats_count.h"
#include "output/stats/stats_waits.h"
#include "output/stats/stats_work.h"

static void add_delay(struct stats_delayed *delays, const struct rtap_named_value *value, const struct rtap_operation *operation)
{
	int64_t time_ns = ns_signed(value->number);

	delays->name = value->name;
	delays->time_ns = ns_sum(delays->time_ns, time_ns);
	if (time_ns > delays->longest_ns) {
		delays->longest_ns = time_ns;
		delays->longest_frame = operation->request_frame;
	}
	if (time_ns >= STATS_DELAYED_NS)
		stats_count(&delays->delayed, operation->request_frame, operation->time_ns);
}

static void add_own(struct stats_own *own, int64_t time_ns, bool is_known, const struct rtap_operation *operation)
{
	own->time_ns = ns_sum(own->time_ns, time_ns);
	if (time_ns > own->longest_ns)
		own->longest_ns = time_ns;
	if (time_ns < STATS_DELAYED_NS)
		return;
	own->delayed_ns = ns_sum(own->delayed_ns, time_ns);
	own->unknown += !is_known;
	stats_count(&own->delayed, operation->request_frame, operation->time_ns);
}

static void add(struct stats_waits *waits, const struct rtap_operation *operation)
{
	const struct rtap_named_value *found[RTAP_WAIT_RESPONDER_OWN + 1] = { NULL };

	if (!waits->count || operation->time_ns < waits->begin_ns)
		waits->begin_ns = operation->time_ns;
	if (!waits->count || operation->time_end_ns > waits->end_ns)
		waits->end_ns = operation->time_end_ns;
	waits->count++;
	waits->bytes += operation->data_bytes;
	for (uint32_t i = 0; i < operation->value_count; i++)
		if (operation->values[i].type == RTAP_VALUE_TIME && operation->values[i].wait <= RTAP_WAIT_RESPONDER_OWN)
			found[operation->values[i].wait] = &operation->values[i];
	for (int delay = 0; delay < STATS_DELAY_COUNT; delay++)
		if (found[RTAP_WAIT_REQUESTER + delay])
			add_delay(&waits->delays[delay], found[RTAP_WAIT_REQUESTER + delay], operation);
	for (int end = STATS_DELAY_REQUESTER; end <= STATS_DELAY_RESPONDER; end++) {
		const struct rtap_named_value *own = found[RTAP_WAIT_REQUESTER_OWN + end], *all = found[RTAP_WAIT_REQUESTER + end];

		if (own || all)
			add_own(&waits->own[end], ns_signed(own ? own->number : all->number), own, operation);
	}
}

static bool has_delays(const struct rtap_operation *operation)
{
	for (uint32_t i = 0; i < operation->value_count; i++)
		if (operation->values[i].type == RTAP_VALUE_TIME && operation->values[i].wait != RTAP_WAIT_NONE)
			return true;
	return false;
}

/* The pair of hosts. NULL: an address is unknown, there are too many, or out of memory. */
static struct stats_link *link_of(struct stats *stats, const struct rtap_operation *operation)
{
	const struct rtap_connection *connection = operation->connection;
	const struct rtap_end *ends[2] = { operation->from_a ? &connection->a : &connection->b, operation->from_a ? &connection->b : &connection->a };
	struct stats_operation_tables *tables = stats->operations;
	struct stats_link *link;

	if (!ends[0]->address_length || ends[0]->address_length != ends[1]->address_length)
		return NULL;
	for (unsigned i = 0; i < tables->link_count; i++) {
		link = tables->links[i];
		if (link->address_length == ends[0]->address_length && !strcmp(link->layer, operation->layer) &&
		    !memcmp(link->addresses[0], ends[0]->address, sizeof link->addresses[0]) &&
		    !memcmp(link->addresses[1], ends[1]->address, sizeof link->addresses[1]))
			return link;
	}
	link = tables->link_count < STATS_LINKS ? stats_allocate(stats, sizeof *link) : NULL;
	if (!link)
		return NULL;
	tables->links[tables->link_count++] = link;
	link->layer = operation->layer;
	link->address_length = ends[0]->address_length;
	for (int i = 0; i < 2; i++)
		memcpy(link->addresses[i], ends[i]->address, sizeof link->addresses[i]);
	return link;
}

void stats_waits_operation(struct stats *stats, struct stats_requests *requests, const struct rtap_operation *operation)
{
	if (!has_delays(operation))
		return;
	if (!requests->waits) {
		requests->waits = stats_allocate(stats, sizeof *requests->waits);
		requests->link = link_of(stats, operation);
	}
	if (requests->waits)
		add(requests->waits, operation);
	if (requests->link)
		add(&requests->link->waits, operation);
	if (!requests->waits || !requests->link)
		stats->operations->uncounted++;
}

static void delays_merge(struct stats_delayed *into, const struct stats_delayed *from)
{
	if (from->name)
		into->name = from->name;
	stats_occurrences_merge(&into->delayed, &from->delayed);
	into->time_ns = ns_sum(into->time_ns, from->time_ns);
	if (from->longest_ns <= into->longest_ns)
		return;
	into->longest_ns = from->longest_ns;
	into->longest_frame = from->longest_frame;
}

void stats_own_merge(struct stats_own *into, const struct stats_own *from)
{
	stats_occurrences_merge(&into->delayed, &from->delayed);
	into->time_ns = ns_sum(into->time_ns, from->time_ns);
	into->delayed_ns = ns_sum(into->delayed_ns, from->delayed_ns);
	into->unknown += from->unknown;
	if (from->longest_ns > into->longest_ns)
		into->longest_ns = from->longest_ns;
}

void stats_waits_merge(struct stats_waits *into, const struct stats_waits *from)
{
	if (!from->count)
		return;
	if (!into->count || from->begin_ns < into->begin_ns)
		into->begin_ns = from->begin_ns;
	if (!into->count || from->end_ns > into->end_ns)
		into->end_ns = from->end_ns;
	into->count += from->count;
	into->bytes += from->bytes;
	for (int delay = 0; delay < STATS_DELAY_COUNT; delay++)
		delays_merge(&into->delays[delay], &from->delays[delay]);
	for (int end = 0; end < 2; end++)
		stats_own_merge(&into->own[end], &from->own[end]);
}

int64_t stats_waits_span(const struct stats_waits *waits)
{
	return ns_elapsed(waits->begin_ns, waits->end_ns);
}
