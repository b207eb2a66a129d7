/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/stats/stats_count.h"
#include "output/stats/stats_packet.h"
#include "tests/findings_kit.h"

struct stats_connection *count_connection(struct stats *stats, uint64_t number, uint64_t packets, uint64_t repeated)
{
	struct rtap_connection reported = { .number = number, .transport = RTAP_TRANSPORT_RC };
	struct stats_connection *made;

	stats_connection(stats, &reported);
	made = stats_find(stats, number);
	made->directions[0].packets = packets;
	for (uint64_t i = 0; i < repeated; i++)
		stats_note_event(stats, &made->directions[0], STATS_RETRANSMISSION, i + 1, 0);
	return made;
}

void begin_counts(struct counts *counts)
{
	counts->stats = stats_create(&(struct stats_options){ .max_memory = 1 << 20 });
	counts->connection = count_connection(counts->stats, 1, 0, 0);
	counts->direction = &counts->connection->directions[0];
	counts->rpc = stats_allocate(counts->stats, sizeof *counts->rpc);
	counts->stats->rpcs[counts->stats->rpc_count++] = counts->rpc;
}

bool end_counts(struct counts *counts, const char *rule)
{
	struct findings *findings = calloc(1, sizeof *findings);
	bool found = false;

	findings_gather(findings, counts->stats);
	for (unsigned i = 0; i < findings->count; i++)
		found |= !strcmp(findings->list[i].rule->name, rule);
	free(findings);
	stats_destroy(counts->stats);
	return found;
}

struct rtap_operation an_operation(struct rtap_connection *connection)
{
	*connection = (struct rtap_connection){ .number = 1, .a = { .address_length = 4 }, .b = { .address_length = 4 } };
	return (struct rtap_operation){ .connection = connection, .from_a = true, .layer = "layer", .name = "name", .request_frame = 1, .response_frame = 2,
					.complete = true, .has_latency = true, .latency_ns = MS };
}
