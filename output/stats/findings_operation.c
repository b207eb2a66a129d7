/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/stats/findings_operation.h"
#include "output/stats/findings_take.h"
#include "output/stats/stats_count.h"

void findings_operation_not_inline(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_requests *requests = connection->directions[finding->direction].requests;

	(void)stats;
	findings_take(finding, &requests->not_inline);
	finding->of = requests->not_inline.count + requests->inline_writes;
}

#define CREDIT_WAIT_NS 1000000 /* in sum */

void findings_operation_credit_waits(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_requests *requests = connection->directions[finding->direction].requests;

	(void)stats;
	if (requests->credit_waits.time_ns < CREDIT_WAIT_NS)
		return;
	findings_take(finding, &requests->credit_waits.occurrences);
	finding->of = requests->work.count;
	finding->lost_ns = (uint64_t)requests->credit_waits.time_ns;
	finding->time_ns = requests->credit_waits.longest_ns;
	finding->usual_ns = ns_elapsed(connection->shown.time_ns, connection->shown.time_end_ns);
}

static void take_slow(const struct stats_requests *requests, const struct stats_slow *slow, struct finding *finding)
{
	findings_take(finding, &slow->occurrences);
	finding->of = requests->work.count;
	finding->time_ns = slow->longest_ns;
	finding->usual_ns = slow->time_ns;
}

void findings_operation_slow_device(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_requests *requests = connection->directions[finding->direction].requests;

	(void)stats;
	take_slow(requests, &requests->slow_device, finding);
}

void findings_operation_slow_network(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_requests *requests = connection->directions[finding->direction].requests;

	(void)stats;
	take_slow(requests, &requests->slow_network, finding);
}

void findings_operation_latency(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_work *work = &finding->work->work;

	(void)stats;
	(void)connection;
	if (findings_take_latency(&work->latency_ns, work->slowest_frame, finding))
		finding->connection = work->slowest_connection;
}

/* The requests to a group: those of a, or of b. NULL: none. */
static const struct stats_requests *requests_in(const struct stats_connection *connection, const struct stats_group *group, int direction)
{
	const struct stats_requests *requests = connection ? connection->directions[direction].requests : NULL;

	return requests && requests->group == group ? requests : NULL;
}

/* The connection that the finding names, and the requesting end. */
static void name_connection(const struct stats *stats, uint64_t number, struct finding *finding)
{
	const struct stats_connection *connection = stats_known(stats, number);

	if (!connection)
		return;
	finding->connection = number;
	finding->direction = requests_in(connection, finding->group, 1) ? 1 : 0;
}

/*
 * The time when the last connection of a group was closed, or the capture ended. False: unknown, because the setup of a connection was not
 * captured, so its end may be missing too.
 */
static bool end_of(const struct stats *stats, const struct stats_group *group, int64_t *end_ns)
{
	*end_ns = INT64_MIN;
	for (uint64_t i = 0; i < stats->table_room; i++) {
		const struct stats_connection *connection = stats->table[i];
		int64_t closed_ns;

		if (!requests_in(connection, group, 0) && !requests_in(connection, group, 1))
			continue;
		if (!connection->shown.is_closed && !connection->shown.is_set_up)
			return false;
		closed_ns = connection->shown.is_closed ? connection->shown.closed_ns : stats->now_ns;
		if (closed_ns > *end_ns)
			*end_ns = closed_ns;
	}
	return *end_ns != INT64_MIN;
}

void findings_operation_missed(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_group *group = finding->group;
	struct stats_occurrences missed = group->missed;
	int64_t end_ns, last_ns;

	(void)connection;
	finding->time_ns = group->gap_ns;
	finding->usual_ns = group->keep_alive_ns;
	last_ns = group->keep_alive_ns && end_of(stats, group, &end_ns) ? ns_elapsed(group->last_ns, end_ns) : 0;
	if (last_ns > group->keep_alive_ns) {
		const struct stats_occurrences last = { 1, group->last_frame, group->last_frame, group->last_ns, group->last_ns };

		stats_occurrences_merge(&missed, &last);
		if (last_ns > finding->time_ns)
			finding->time_ns = last_ns;
	}
	findings_take(finding, &missed);
	if (missed.count)
		name_connection(stats, group->connection, finding);
}

/* Minimum number of operations of a queue for a comparison with others. */
#define QUEUE_LEAST 10
/* Thresholds of the busiest queue relative to the others: number of operations, and mean latency. */
#define QUEUE_MORE 3
#define QUEUE_SLOWER 2

struct queues {
	const struct stats_requests *busiest;
	uint64_t connection;        /* of the busiest */
	uint64_t count, operations; /* of all of them */
	double time_ns;             /* latencies, in sum */
};

/* The counters of a queue that can be compared. NULL: none. */
static const struct stats_requests *queue_of(const struct stats_connection *connection, const struct stats_group *group, int direction)
{
	const struct stats_requests *requests = requests_in(connection, group, direction);

	return requests && requests->has_controller && requests->work.latency_ns.count >= QUEUE_LEAST ? requests : NULL;
}

static void find_busiest(const struct stats *stats, const struct stats_group *group, struct queues *queues)
{
	for (uint64_t i = 0; i < stats->table_room; i++)
		for (int direction = 0; direction < 2; direction++) {
			const struct stats_requests *requests = queue_of(stats->table[i], group, direction);

			if (!requests || (queues->busiest && requests->work.latency_ns.count <= queues->busiest->work.latency_ns.count))
				continue;
			queues->busiest = requests;
			queues->connection = stats->table[i]->shown.number;
		}
}

/* The queues of the controller, or session, with the busiest one. */
static struct queues queues_of(const struct stats *stats, const struct stats_group *group)
{
	struct queues queues = { .busiest = NULL };

	find_busiest(stats, group, &queues);
	for (uint64_t i = 0; queues.busiest && i < stats->table_room; i++)
		for (int direction = 0; direction < 2; direction++) {
			const struct stats_requests *requests = queue_of(stats->table[i], group, direction);

			if (!requests || requests->controller != queues.busiest->controller)
				continue;
			queues.count++;
			queues.operations += requests->work.latency_ns.count;
			queues.time_ns += (double)requests->work.latency_ns.sum;
		}
	return queues;
}

void findings_operation_uneven(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	struct queues queues = queues_of(stats, finding->group);
	const struct histogram *latencies;
	double mean_ns, others_ns;
	uint64_t others;

	(void)connection;
	if (queues.count < 2)
		return;
	latencies = &queues.busiest->work.latency_ns;
	others = queues.operations - latencies->count;
	mean_ns = (double)latencies->sum / (double)latencies->count;
	others_ns = (queues.time_ns - (double)latencies->sum) / (double)others;
	if (latencies->count / QUEUE_MORE < others / (queues.count - 1) || mean_ns < QUEUE_SLOWER * others_ns)
		return;
	finding->count = latencies->count;
	finding->of = queues.operations;
	finding->time_ns = (int64_t)mean_ns;
	finding->usual_ns = (int64_t)others_ns;
	name_connection(stats, queues.connection, finding);
}

/* A connection that is set up so soon after another one failed replaces it. */
#define RECONNECT_NS INT64_C(60000000000)

void findings_operation_reconnects(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	int64_t failed_ns = INT64_MIN;
	uint64_t last = 0;

	(void)connection;
	/* in the order in which they began */
	for (uint64_t i = 0; i < stats->table_room; i++) {
		const struct stats_connection *one = stats->table[i];
		const struct stats_requests *requests = requests_in(one, finding->group, 0);
		int64_t end_ns;

		requests = requests ? requests : requests_in(one, finding->group, 1);
		if (!requests)
			continue;
		if (one->shown.is_set_up && failed_ns != INT64_MIN && one->shown.time_ns >= failed_ns &&
		    ns_elapsed(failed_ns, one->shown.time_ns) < RECONNECT_NS) {
			finding->count++;
			last = one->shown.number;
		}
		end_ns = one->shown.is_closed ? one->shown.closed_ns : one->shown.time_end_ns;
		if (requests->work.unanswered && end_ns > failed_ns)
			failed_ns = end_ns;
	}
	if (last)
		name_connection(stats, last, finding);
}
