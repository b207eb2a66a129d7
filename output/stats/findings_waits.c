/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/stats/findings_take.h"
#include "output/stats/findings_waits.h"

/* Part of the time from which a delay is a finding. */
#define NOTABLE_PART 100

void findings_waits_straggler(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_job_host *host = finding->host;
	const struct stats_own *own;

	(void)stats;
	(void)connection;
	if (!host || host->own_ns < stats_waits_span(&finding->job->waits) / NOTABLE_PART)
		return;
	own = &host->own[host->own[STATS_DELAY_RESPONDER].time_ns >= host->own[STATS_DELAY_REQUESTER].time_ns];
	findings_take(finding, &own->delayed);
	finding->of = own == &host->own[STATS_DELAY_RESPONDER] ? host->sent : host->received;
	finding->lost_ns = (uint64_t)own->time_ns;
	finding->time_ns = own->longest_ns;
	finding->usual_ns = finding->job->own_ns;
	finding->host_address_length = host->address_length;
	memcpy(finding->host_address, host->address, sizeof finding->host_address);
	finding->is_certain = stats_job_host_is_certain(host);
}

void findings_waits_delay(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_waits *waits = connection->directions[finding->direction].requests->waits;
	const struct stats_delayed *delays = waits ? &waits->delays[finding->rule->counts.cause] : NULL;

	(void)stats;
	if (!delays || delays->time_ns < stats_waits_span(waits) / NOTABLE_PART)
		return;
	findings_take(finding, &delays->delayed);
	finding->of = waits->count;
	finding->lost_ns = (uint64_t)delays->time_ns;
	finding->time_ns = delays->longest_ns;
	finding->usual_ns = stats_waits_span(waits);
}
