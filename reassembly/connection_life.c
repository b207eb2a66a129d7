/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "base/memory.h"
#include "reassembly/connection_life.h"

uint32_t connection_life_room(const struct rtap_connection *shown)
{
	uint32_t room = shown->life_count ? 1 : 0;

	while (room < shown->life_count)
		room *= 2;
	return room;
}

static void add_to_life(struct connection *connection, const struct rtap_life_event *event)
{
	struct rtap_connection *shown = &connection->shown;
	uint32_t room = connection_life_room(shown);
	struct rtap_life_event *life = connection_life(shown);

	if (shown->life_count == RTAP_MAX_LIFE_EVENTS)
		return;
	if (shown->life_count == room) {
		life = memory_resize(life, (room ? 2 * room : 1) * sizeof *life);
		if (!life)
			return;
		shown->life = life;
		connection->resized = true;
	}
	life[shown->life_count++] = *event;
}

void connection_life_add(struct connection *connection, const struct rtap_life_event *event)
{
	struct rtap_connection *shown = &connection->shown;

	add_to_life(connection, event);
	if (event->frame <= shown->last_frame)
		return;
	shown->last_frame = event->frame;
	if (event->time_ns > shown->time_end_ns)
		shown->time_end_ns = event->time_ns;
}

void connection_life_event(struct connection *connection, const char *name, uint64_t frame, int64_t time_ns, uint32_t reason)
{
	connection_life_add(connection, &(struct rtap_life_event){ .name = name, .frame = frame, .time_ns = time_ns, .reason = reason });
}

/* Whether one of the events follows the event at `index`. */
static bool follows(const struct rtap_connection *shown, uint32_t index, const char *const *names)
{
	for (uint32_t i = index + 1; i < shown->life_count; i++)
		for (unsigned j = 0; names[j]; j++)
			if (!strcmp(shown->life[i].name, names[j]))
				return true;
	return false;
}

/* Events that show that a message was answered, even if the answer was not captured. */
static const struct {
	const char *asks;
	bool or_packets; /* any packet of the connection shows it too */
	const char *answers[6];
} questions[] = {
	{ "rdma_connect", true, { "rdma_accept", "rdma_reject", "established", "rdma_disconnect", "disconnected" } },
	{ "rdma_accept", true, { "established", "rdma_reject", "rdma_disconnect", "disconnected" } },
	{ "lap", false, { "apr" } },
	{ "rdma_disconnect", false, { "disconnected" } },
};

void connection_life_conclude(struct rtap_connection *shown)
{
	/* MPA runs over TCP; a SIDR_REP has no answer. */
	if (!shown->learned_by_cm)
		return;
	for (uint32_t i = 0; i < shown->life_count; i++)
		for (unsigned j = 0; j < sizeof questions / sizeof questions[0]; j++)
			if (!strcmp(shown->life[i].name, questions[j].asks))
				connection_life(shown)[i].unanswered = !(questions[j].or_packets && shown->packets) &&
									!(shown->transport == RTAP_TRANSPORT_UD && j == 1) &&
									!follows(shown, i, questions[j].answers);
}
