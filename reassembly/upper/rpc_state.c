/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "reassembly/upper/rpc_state.h"

bool rpc_state_init(struct rtap_tracker *tracker)
{
	struct rpc_state *state = memory_new_zeroed(1, sizeof *state);

	if (state)
		TAILQ_INIT(&state->answering);
	tracker->upper_states[UPPER_rpc] = state;
	return state;
}

void rpc_state_fini(struct rtap_tracker *tracker)
{
	struct rpc_state *state = tracker->upper_states[UPPER_rpc];

	if (state)
		free(state->brief);
	free(state);
	tracker->upper_states[UPPER_rpc] = NULL;
}

struct rpc_connection *rpc_state_make(struct rtap_tracker *tracker, struct connection *connection)
{
	struct rpc_connection *state = connection->upper_state;

	if (state)
		return state;
	state = upper_state_create(tracker, connection, sizeof *state);
	if (state)
		state->connection = connection;
	return state;
}

void rpc_state_drop(struct rtap_tracker *tracker, struct connection *connection)
{
	struct rpc_connection *state = connection->upper_state;

	if (!state)
		return;
	rpc_answers_fini(tracker, state);
	upper_state_destroy(tracker, connection, sizeof *state);
}
