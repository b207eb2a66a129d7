/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "output/stats/stats_count.h"
#include "output/stats/stats_mad.h"

static bool is_mad(const struct stats_mad *mad, const struct rtap_message *message)
{
	return mad->management_class == message->mad_class && mad->method == message->mad_method && mad->attribute == message->mad_attribute;
}

static struct stats_mad *mad_of(struct stats *stats, const struct rtap_message *message)
{
	struct stats_mad *mad;

	for (unsigned i = 0; i < stats->mad_count; i++)
		if (is_mad(stats->mads[i], message))
			return stats->mads[i];
	mad = stats->mad_count < STATS_MADS ? stats_allocate(stats, sizeof *mad) : NULL;
	if (!mad)
		return NULL;
	stats->mads[stats->mad_count++] = mad;
	mad->management_class = message->mad_class;
	mad->method = message->mad_method;
	mad->attribute = message->mad_attribute;
	mad->class_name = message->mad_class_name;
	mad->method_name = message->mad_method_name;
	mad->attribute_name = message->mad_attribute_name;
	return mad;
}

void stats_mad_message(struct stats *stats, const struct rtap_message *message)
{
	struct stats_mad *mad = mad_of(stats, message);

	if (!mad) {
		stats->other_mads++;
		return;
	}
	stats_count(&mad->occurrences, message->first_frame, message->time_ns);
	mad->bytes += message->length;
	mad->errors += message->mad_status != 0;
	if (message->has_latency && message->latency_ns >= 0)
		stats_add_value(stats, &mad->latency_ns, (uint64_t)message->latency_ns);
}

void stats_mad_fini(struct stats *stats)
{
	for (unsigned i = 0; i < stats->mad_count; i++) {
		histogram_fini(&stats->mads[i]->latency_ns, &stats->values);
		free(stats->mads[i]);
	}
}
