/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/stats/findings_take.h"

/* Thresholds of an outlier latency: number of replies that define the typical latency, minimum, factor of the typical one. */
#define LATENCY_REPLIES 3
#define LATENCY_NS UINT64_C(50000000)
#define LATENCY_TIMES 50

void findings_take(struct finding *finding, const struct stats_occurrences *occurrences)
{
	finding->count = occurrences->count;
	finding->first_frame = occurrences->first_frame;
	finding->last_frame = occurrences->last_frame;
	finding->first_ns = occurrences->first_ns;
	finding->last_ns = occurrences->last_ns;
	finding->has_times = occurrences->count != 0;
}

bool findings_take_latency(const struct histogram *latency_ns, uint64_t slowest_frame, struct finding *finding)
{
	uint64_t usual = histogram_percentile(latency_ns, 500);

	if (latency_ns->count < LATENCY_REPLIES || latency_ns->largest < LATENCY_NS || latency_ns->largest / LATENCY_TIMES < usual)
		return false;
	finding->count = histogram_above(latency_ns, usual * LATENCY_TIMES > LATENCY_NS ? usual * LATENCY_TIMES : LATENCY_NS);
	finding->time_ns = (int64_t)latency_ns->largest;
	finding->usual_ns = (int64_t)usual;
	finding->first_frame = finding->last_frame = slowest_frame;
	return true;
}
