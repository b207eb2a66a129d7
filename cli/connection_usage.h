/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How connections without a known upper layer are used, for their records: output/stats/usage.h.
 */
#ifndef CLI_CONNECTION_USAGE_H
#define CLI_CONNECTION_USAGE_H

#include <rdmatap/message.h>

#include "base/map.h"

struct usage;

/* Set `max_memory`, bytes, all else zero. */
struct connection_usages {
	uint64_t max_memory;
	uint64_t uncounted;        /* messages not counted, for lack of memory */
	uint64_t memory;
	struct map map;
	struct usage_entry *last;  /* of the last message counted; NULL: none */
};

/* Counts a message in the usage of its connection. */
void connection_usage_message(struct connection_usages *usages, const struct rtap_message *message);

/* Two connections are the halves of one: rtap_tracker_options.merged. */
void connection_usage_merge(struct connection_usages *usages, uint64_t from, uint64_t into, bool turned);

/* The usage of a connection, valid until connection_usage_end(). NULL: its layer is known, it has no messages, or memory was short. */
const struct usage *connection_usage_of(const struct connection_usages *usages, const struct rtap_connection *connection);

/* The connection was reported. */
void connection_usage_end(struct connection_usages *usages, uint64_t number);

void connection_usages_fini(struct connection_usages *usages);

#endif
