/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of RPC in a tracker and in a connection over RDMA.
 */
#ifndef REASSEMBLY_UPPER_RPC_STATE_H
#define REASSEMBLY_UPPER_RPC_STATE_H

#include "reassembly/state.h"
#include "reassembly/upper/rpc_answers.h"
#include "reassembly/upper/rpc_carriers.h"
#include "reassembly/upper/upper_layers.h"

struct rpc_call;
struct rpc_paths;

/* Of a connection over RDMA. */
struct rpc_connection {
	struct connection *connection;
	bool has_answered;             /* a call has a reply */
	uint32_t credits;              /* most credits requested or granted by either end; RFC 8166, 3.3.1 */
	struct rpc_answers answers;    /* of finished calls */
	TAILQ_ENTRY(rpc_connection) answering; /* in the tracker's list, if there are any */
};

#define RPC_MOST_SINKS 2

struct rpc_sink {
	rpc_take_exchange *take;
	void *owner;
};

/* Of a tracker. */
struct rpc_state {
	struct rpc_sink sinks[RPC_MOST_SINKS]; /* of exchanges */
	unsigned sink_count;           /* 0: exchanges are not wanted */
	bool payload;                  /* exchanges hold the bytes of all chunks */
	struct rpc_carriers carriers;  /* TCP and UDP */
	struct map calls;              /* over RDMA, by XID */
	struct rpc_paths *paths;       /* for the packet view; NULL: nothing kept */
	struct coverage gathered;      /* an RPC message carried by chunks, for the current frame */
	struct rpc_operation *brief;   /* shared by all messages with rtap_tracker_options.cheap_operations; NULL: not used yet */
	TAILQ_HEAD(rpc_answering, rpc_connection) answering; /* connections with remembered answers, by the time of the last one */
};

static inline struct rpc_state *rpc_state_of(const struct rtap_tracker *tracker)
{
	return tracker->upper_states[UPPER_rpc];
}

static inline void rpc_state_report(const struct rtap_tracker *tracker, const struct rpc_exchange *exchange)
{
	const struct rpc_state *state = rpc_state_of(tracker);

	for (unsigned i = 0; i < state->sink_count; i++)
		state->sinks[i].take(state->sinks[i].owner, exchange);
}

/* NULL: no call or reply was seen. */
static inline struct rpc_connection *rpc_state_of_connection(const struct connection *connection)
{
	return connection->upper_state;
}

/* False: out of memory. */
bool rpc_state_init(struct rtap_tracker *tracker) __attribute__((warn_unused_result));

/* Frees what rpc_state_init() allocated. */
void rpc_state_fini(struct rtap_tracker *tracker);

/* The connection's state, new if it has none. NULL: out of memory, which is counted. */
struct rpc_connection *rpc_state_make(struct rtap_tracker *tracker, struct connection *connection);

/* Frees the connection's state, if any. */
void rpc_state_drop(struct rtap_tracker *tracker, struct connection *connection);

#endif
