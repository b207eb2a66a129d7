/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Outstanding RPC calls over RDMA, by connection, end and XID: each from the SEND that carries it to the reply, with the memory that its
 * chunk lists name.
 */
#ifndef REASSEMBLY_UPPER_RPC_CALL_H
#define REASSEMBLY_UPPER_RPC_CALL_H

#include "dissect/engine/packet.h"
#include "reassembly/upper/rpc_chunks.h"
#include "reassembly/state.h"

/* The message in a SEND, copied if needed. */
struct rpc_send {
	uint8_t *bytes;           /* the RPC-over-RDMA header and what follows it; NULL: not kept, or none */
	bool is_read;             /* nothing is kept because everything reported was read on arrival */
	uint32_t captured, wire;
	/*
	 * May be known without `present`: from an earlier answered call, from the dissection of the SEND, or from the chunk
	 * that carried the whole call.
	 */
	struct rtap_rpc_facts rpc;
	uint64_t rpc_frame;        /* number of the frame that shows it */
	int64_t rpc_time_ns;
	uint32_t version, message_type; /* of RPC-over-RDMA */
	struct rpc_chunks lists;
	uint64_t data_length;     /* of data in chunks, as far as the lists are known */
	bool lists_cut;           /* truncated by the capture: the lists are empty */
	struct message *shown;    /* its message that waits to be reported; NULL: reported, or not wanted */
	uint64_t first_frame, last_frame;
	int64_t time_ns, time_end_ns;
	bool present;
};

struct rpc_call {
	struct request request;
	uint32_t xid;
	uint64_t hash;
	struct rpc_send call, reply;
	uint32_t rdma_error;
	bool has_versions;        /* ERR_VERS: it lists the supported versions */
	uint32_t version_low, version_high;
	uint64_t repeats;         /* number of earlier copies of the call; of a reply without its call, of the reply */
	uint64_t replies;         /* repeats of the reply */
	bool mapped;              /* in rpc_state.calls, by XID */
};

/* The call of a request of this layer; NULL: none. */
static inline struct rpc_call *rpc_call_of(const struct request *request)
{
	return (struct rpc_call *)(uintptr_t)request;
}

/* The waiting call of that end, and an answered one that is remembered. NULL: unknown. */
struct rpc_call *rpc_call_find(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a, uint32_t xid);
struct rpc_answer *rpc_call_find_answer(const struct connection *connection, bool from_a, uint32_t xid);

/* From here on the call is found, if memory suffices; from here on it is not. */
void rpc_call_enter(const struct rtap_tracker *tracker, struct rpc_call *call);
void rpc_call_leave(const struct rtap_tracker *tracker, struct rpc_call *call);

/* Locates the RPC-over-RDMA message in the packet. False: it has none. */
bool rpc_call_locate(const struct rtap_packet *packet, const uint8_t **bytes, uint32_t *captured, uint32_t *wire);

/*
 * The RPC message in the reply chunk of `lists`, in the call's memory: borrowed until the next call. False: no such chunk, or
 * bytes are missing.
 */
bool rpc_call_gather_reply(struct rtap_tracker *tracker, const struct rpc_call *call, const struct rpc_chunks *lists, struct rtap_span *whole);

/* Sets a call, shown in `frame`, in the context for its reply. */
void rpc_call_known(const struct rtap_rpc_facts *call, uint64_t frame, int64_t time_ns, struct rtap_context *context);

#endif
