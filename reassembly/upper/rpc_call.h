/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Outstanding RPC calls over RDMA: each from the SEND that carries it to the reply, with the regions that its chunk lists
 * name. A region belongs to the call until the PSN of the reply, in any order of arrival. A key that is used again belongs
 * to the next call from there on.
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
	struct chunk_lists lists;
	uint64_t data_length;     /* of data in chunks, as far as the lists are known */
	bool lists_cut;           /* truncated by the capture: the lists are empty */
	struct message *shown;    /* its message that waits to be reported; NULL: reported, or not wanted */
	uint64_t first_frame, last_frame;
	int64_t time_ns, time_end_ns;
	bool present;
};

/* Losses that recoveries repaired. */
struct rpc_lost {
	uint32_t time_us;
	uint16_t resent;          /* packets; UINT16_MAX: that many or more */
	uint8_t to;               /* one bit for each enum rtap_recovery */
};

struct rpc_call {
	struct connection *connection;
	bool from_a;              /* the caller */
	uint32_t xid;
	uint64_t hash;
	struct rpc_send call, reply;
	uint64_t reply_psn;       /* unwrapped, in the responder's stream; valid with reply.present */
	uint32_t rdma_error;
	bool has_versions;        /* ERR_VERS: it lists the supported versions */
	uint32_t version_low, version_high;
	uint64_t number;          /* from 1, in the order in which the tracker learned of calls */
	uint64_t repeats;         /* number of earlier copies of the call; of a reply without its call, of the reply */
	uint64_t replies;         /* repeats of the reply */
	struct rpc_lost read_lost, write_lost; /* of the READs and WRITEs that were placed in its regions */
	uint64_t read_left;       /* bytes of its read chunks that no READ has transferred yet */
	bool mapped;              /* in tracker->calls, by XID */
	struct message *claimed, *last_claimed; /* unfinished READs and WRITEs of its regions */
	struct message *replier;  /* unfinished message that carries the reply; NULL: none */
	uint64_t psn;             /* of its SEND, unwrapped: the order of a side's calls; valid with call.present */
	/*
	 * Positions of the streams of the responder and of the caller when the call arrived: later losses can be its reply,
	 * or a later call.
	 */
	uint64_t next_psn[2], lost[2];
	struct budget_entry entry; /* of its memory: if it is evicted or given up, the call ends incomplete */
	struct rpc_call *before, *after; /* in the connection's list of answered or of unanswered calls */
	bool is_answered;         /* which list */
	bool has_regions;         /* some regions are found by key and address */
	bool is_contested;        /* a READ or WRITE matched its memory and that of another call */
	bool in_doubt;            /* a READ or WRITE was assigned to it although its reply can have been lost before */
	/*
	 * PSNs of the responder, unwrapped: its position when the call arrived; the lowest of the READs and WRITEs captured
	 * before the call; 0: none
	 */
	uint64_t begun_psn, early_psn;
	uint32_t unknown_replies; /* the connection's when the call arrived */
	bool is_listed;           /* its regions are not in the connection's tree, but in the list given by is_answered */
	struct rpc_call *listed_before, *listed_after;
};

/* A SEND with an RPC-over-RDMA message was reassembled, or is complete in `packet`. */
void rpc_call_send(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet, struct frame_result *result);

/* Sets a call, shown in `frame`, in the context for its reply. */
void rpc_call_known(const struct rtap_rpc_facts *call, uint64_t frame, int64_t time_ns, struct rtap_context *context);

/* Sets what is known of the call that the reply in `packet` answers in the context. False: unknown. */
bool rpc_call_context(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a,
		      const struct rtap_packet *packet, struct rtap_context *context);

/*
 * The RPC message that `packet` completed outside of its SEND: a reply in a chunk, or a call, by the last READ response of
 * its read chunks. `message`: that of the packet, NULL: none. Sets the RPC message in the context, borrowed until the next
 * call. False: none, or incomplete.
 */
bool rpc_call_chunk(struct rtap_tracker *tracker, const struct connection *connection, bool from_a, struct message *message,
		    const struct rtap_packet *packet, struct rtap_context *context, struct frame_result *result);

/*
 * Whether `packet` is the SEND of a call in chunks that were all captured before it. Sets the RPC message in the context,
 * borrowed until the next call. Call after rpc_call_send().
 */
bool rpc_call_preceded(struct rtap_tracker *tracker, const struct connection *connection, bool from_a, const struct rtap_packet *packet,
		       struct rtap_context *context, struct frame_result *result);

/* Whether `packet` is the SEND of a call whose read chunks are incomplete: a later packet completes and shows the call. */
bool rpc_call_follows(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a,
		      const struct rtap_packet *packet);

/* `packet` shows the call found by rpc_call_chunk() or rpc_call_preceded(): keeps its facts for the reply. */
void rpc_call_read(const struct rtap_packet *packet, const struct frame_result *result);

/* Whether an output wants messages or whole calls. */
static inline bool rpc_call_is_reported(const struct rtap_tracker *tracker)
{
	return tracker->reports || tracker->exchange;
}

/* The message is settled: copies its data to the region. The SEND of a reply concludes its call. */
void rpc_call_settled(struct rtap_tracker *tracker, struct message *message);

/* The message is destroyed before it is settled. */
void rpc_call_forget(struct message *message);

/* An RPC message is reported before its call is concluded. */
void rpc_call_detach(struct message *message);

/* `from` is merged into `to`. `turned`: the ends of `from` are swapped in `to`. */
void rpc_call_move(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned);

/* The connection ends: concludes its calls, incomplete or not. */
void rpc_call_finish(struct rtap_tracker *tracker, struct connection *connection);

/* Updates the charge for a part of a call's memory from `before` to `now` bytes. */
static inline void rpc_call_charge(struct rtap_tracker *tracker, struct rpc_call *call, uint64_t now, uint64_t before)
{
	if (now > before)
		budget_charge(&tracker->budget, &call->entry, now - before);
	else
		budget_give(&tracker->budget, &call->entry, before - now);
}

/* Frees the free lists. */
void rpc_calls_fini(struct rtap_tracker *tracker);

#endif
