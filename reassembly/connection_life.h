/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The life of a connection: its events in the order in which they were seen.
 */
#ifndef REASSEMBLY_CONNECTION_LIFE_H
#define REASSEMBLY_CONNECTION_LIFE_H

#include "reassembly/state.h"

/* Events reserved for the end of a life, however many paths were loaded. */
#define CONNECTION_LIFE_END 4

/* The events, writable for the owner. */
static inline struct rtap_life_event *connection_life(struct rtap_connection *shown)
{
	return (struct rtap_life_event *)(uintptr_t)shown->life;
}

/* Number of events that the allocated memory can hold. It doubles when full. */
uint32_t connection_life_room(const struct rtap_connection *shown);

/* Appends an event. */
void connection_life_event(struct connection *connection, const char *name, uint64_t frame, int64_t time_ns, uint32_t reason);

void connection_life_add(struct connection *connection, const struct rtap_life_event *event);

/* Marks the events of a finished connection that were not answered. */
void connection_life_conclude(struct rtap_connection *shown);

#endif
