/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of a connection's life: events in the order in which they were seen.
 */
#ifndef REASSEMBLY_CONNECTION_LIFE_H
#define REASSEMBLY_CONNECTION_LIFE_H

#include "reassembly/state.h"

/* The events of its life, which its owner may change. */
static inline struct rtap_life_event *connection_life(struct rtap_connection *shown)
{
	return (struct rtap_life_event *)(uintptr_t)shown->life;
}

/* How many events there is memory for: doubled whenever it is full. */
uint32_t connection_life_room(const struct rtap_connection *shown);

/* Adds to its life. */
void connection_life_event(struct connection *connection, const char *name, uint64_t frame, int64_t time_ns, uint32_t reason);

void connection_life_add(struct connection *connection, const struct rtap_life_event *event);

/* Says which events of a connection that is over got no answer. */
void connection_life_conclude(struct rtap_connection *shown);

#endif
