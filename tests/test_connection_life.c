/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lives of connections, drawn at random, against a model: a life is read from its end, with the set of what was heard until then. Who
 * answers whom: IBTA vol. 1, 12.9.7 (active and passive side), 12.10.4 (disconnection), 12.8 (alternate paths).
 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "reassembly/connection_life.h"

#define ROUNDS 20000

enum event { CONNECT, ACCEPT, REJECT, ESTABLISHED, DISCONNECT, DISCONNECTED, LAP, APR, MRA, EVENTS };

static const char *const names[EVENTS] = {
	"rdma_connect", "rdma_accept", "rdma_reject", "established", "rdma_disconnect", "disconnected", "lap", "apr", "mra",
};

static uint32_t chance = 1;

static uint32_t below(uint32_t limit)
{
	chance = chance * 1664525 + 1013904223;
	return (chance >> 8) % limit;
}

TestSuite(connection_life, .timeout = HANG_SECONDS);

/* Whether an event needed an answer that is not in the set of those heard after it. */
static bool is_unanswered(enum event event, unsigned heard, bool has_packets, bool is_datagram)
{
	unsigned ends = 1u << DISCONNECT | 1u << DISCONNECTED, agrees = 1u << REJECT | 1u << ESTABLISHED | ends;

	switch (event) {
	case CONNECT: return !has_packets && !(heard & (agrees | 1u << ACCEPT));
	case ACCEPT: return !has_packets && !is_datagram && !(heard & agrees);
	case LAP: return !(heard & 1u << APR);
	case DISCONNECT: return !(heard & 1u << DISCONNECTED);
	default: return false;
	}
}

Test(connection_life, what_nobody_answered_is_what_a_model_finds)
{
	unsigned unanswered = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct connection connection = { .shown = { .learned_by_cm = below(8) != 0, .packets = below(3) == 0,
						 .transport = below(4) ? RTAP_TRANSPORT_RC : RTAP_TRANSPORT_UD } };
		enum event events[12];
		uint32_t count = 1 + below(12);
		unsigned heard = 0;

		for (uint32_t i = 0; i < count; i++) {
			events[i] = below(EVENTS);
			connection_life_event(&connection, names[events[i]], i + 1, i, i);
		}
		connection_life_conclude(&connection.shown);
		cr_assert_eq(connection.shown.life_count, count);
		for (uint32_t i = count; i--;) {
			bool expected = connection.shown.learned_by_cm && is_unanswered(events[i], heard, connection.shown.packets,
									connection.shown.transport == RTAP_TRANSPORT_UD);

			cr_assert_str_eq(connection.shown.life[i].name, names[events[i]]);
			cr_assert_eq(connection.shown.life[i].frame, i + 1);
			cr_assert_eq(connection.shown.life[i].reason, i);
			cr_assert_eq(connection.shown.life[i].unanswered, expected, "round %u, event %u: %s", round, i, names[events[i]]);
			unanswered += expected;
			heard |= 1u << events[i];
		}
		free(connection_life(&connection.shown));
	}
	cr_expect_gt(unanswered, ROUNDS / 10);
}

Test(connection_life, it_has_room_for_so_many_events_and_its_end_is_the_latest_of_all)
{
	struct connection connection = { .shown = { .learned_by_cm = true } };
	uint64_t last = 0;
	int64_t end = 0;

	for (uint32_t i = 0; i < 3 * RTAP_MAX_LIFE_EVENTS; i++) {
		uint64_t frame = 1 + below(1000);
		int64_t time_ns = below(1000);

		connection_life_event(&connection, names[LAP], frame, time_ns, 0);
		/* the time is that of the frames in their order: of an earlier frame it is not looked at */
		if (frame > last) {
			last = frame;
			end = time_ns > end ? time_ns : end;
		}
		cr_assert_eq(connection.shown.life_count, i < RTAP_MAX_LIFE_EVENTS ? i + 1 : RTAP_MAX_LIFE_EVENTS);
		cr_assert_geq(connection_life_room(&connection.shown), connection.shown.life_count);
		cr_assert_lt(connection_life_room(&connection.shown), 2 * connection.shown.life_count);
		cr_assert_eq(connection.shown.last_frame, last);
		cr_assert_eq(connection.shown.time_end_ns, end);
	}
	free(connection_life(&connection.shown));
}
