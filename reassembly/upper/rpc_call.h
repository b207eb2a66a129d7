/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC calls over RDMA under way: each from the SEND that carries it to the reply, with the regions that its chunk lists
 * name. A region is the call's from then on until the PSN of the reply, whatever the order of arrival; so a key that is
 * used again belongs to the next call from there on.
 */
#ifndef REASSEMBLY_UPPER_RPC_CALL_H
#define REASSEMBLY_UPPER_RPC_CALL_H

#include <rdmatap/packet.h>

#include "reassembly/upper/rpc_chunks.h"
#include "reassembly/state.h"

/* The message in a SEND: a copy, if it is needed. */
struct rpc_send {
	uint8_t *bytes;           /* the RPC-over-RDMA header and what follows it; NULL: not kept, or none */
	bool is_read;             /* nothing is kept, because what is told of it was read as it came */
	uint32_t captured, wire;
	/*
	 * Known without `present` too: of a call that was answered before; as the dissection of the SEND told, or of the chunk that carried
	 * the whole call.
	 */
	struct rtap_rpc_facts rpc;
	uint64_t rpc_frame;        /* in which that is shown */
	int64_t rpc_time_ns;
	uint32_t version, message_type; /* of RPC-over-RDMA */
	struct chunk_lists lists;
	uint64_t data_length;     /* of data in chunks, as far as the lists tell */
	bool lists_cut;           /* the capture cut them off: they are empty */
	struct message *shown;    /* waiting to be told; NULL: told already, or not wanted */
	uint64_t first_frame, last_frame;
	int64_t time_ns, time_end_ns;
	bool present;
};

/* What recoveries cost. */
struct rpc_lost {
	uint32_t time_us;
	uint16_t resent;          /* packets; UINT16_MAX: at least */
	uint8_t to;               /* a bit for each enum rtap_recovery */
};

struct rpc_call {
	struct connection *connection;
	bool from_a;              /* who called */
	uint32_t xid;
	uint64_t hash;
	struct rpc_send call, reply;
	uint64_t reply_psn;       /* unwrapped, in the answering side's stream: valid with reply.present */
	uint32_t rdma_error;
	bool has_versions;        /* ERR_VERS: it says which ones can be had */
	uint32_t version_low, version_high;
	uint64_t repeats;         /* how often the call had come before; of a reply alone, how often that had */
	uint64_t replies;         /* that came again */
	struct rpc_lost read_lost, write_lost; /* of the READs and WRITEs that landed in its regions */
	uint64_t read_left;       /* bytes of its read chunks that no READ has brought yet */
	bool mapped;              /* found by its XID */
	struct message *claimed, *last_claimed; /* READs and WRITEs under way that belong to its regions */
	struct message *replier;  /* under way, that carries the reply; NULL: none */
	uint64_t psn;             /* of its SEND, unwrapped: the order of a side's calls; valid with call.present */
	/* where the streams of the answering side and of its own stood when it came: what is lost behind that can be its reply, or a later call */
	uint64_t next_psn[2], lost[2];
	struct budget_holder holder; /* of its memory: if that is short, or it is given up, the call ends as it stands */
	struct rpc_call *before, *behind; /* in the connection's list: of those answered or of those not */
	bool is_answered;         /* in which */
	bool has_regions;         /* some that are known by key and address */
	bool is_contested;        /* a READ or WRITE could have been about its memory or about another call's */
	bool in_doubt;            /* one was taken for its own though its reply can have been lost before that */
	/* PSNs of the answering side, unwrapped: where that stood when it came; the lowest of those READs and WRITEs that came before it; 0: none */
	uint64_t begun_psn, early_psn;
	bool is_listed;           /* they are not in the connection's tree of them: in which list, is_answered says */
	struct rpc_call *listed_before, *listed_behind;
};

/* A SEND was put together, or seen whole in `packet`, which holds an RPC-over-RDMA message. */
void rpc_call_send(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet);

/* A call, shown in that frame, goes into the context for its reply. */
void rpc_call_known(const struct rtap_rpc_facts *call, uint64_t frame, int64_t time_ns, struct rtap_context *context);

/* What is known of the call that a reply in `packet` answers goes into the context. False: it is not known. */
bool rpc_call_context(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a,
		      const struct rtap_packet *packet, struct rtap_context *context);

/*
 * The RPC message that `packet` completed, if it does not stand in its SEND: a reply in a chunk; or a call, by the last READ
 * response of its read chunks. `message`: that the packet is part of, NULL: none any more. The message goes into the context,
 * borrowed until the next call. False: there is none, or not all of it.
 */
bool rpc_call_chunk(struct rtap_tracker *tracker, const struct connection *connection, bool from_a, struct message *message,
		    const struct rtap_packet *packet, struct rtap_context *context);

/*
 * Whether `packet` is the SEND of a call in chunks which were all captured before it: the message goes into the context, borrowed
 * likewise. After rpc_call_send().
 */
bool rpc_call_preceded(struct rtap_tracker *tracker, const struct connection *connection, bool from_a, const struct rtap_packet *packet,
		       struct rtap_context *context);

/* Whether `packet` is the SEND of a call whose read chunks have not all come: a later packet completes and shows it. */
bool rpc_call_follows(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a,
		      const struct rtap_packet *packet);

/* `packet` shows the call that rpc_call_chunk() or rpc_call_preceded() found: its reply needs to know. */
void rpc_call_read(struct rtap_tracker *tracker, const struct rtap_packet *packet);

/* Whether a READ or WRITE that is seen before what names its memory may be about that of a call: its bytes are kept until that is known. */
bool rpc_call_may_want(const struct rtap_tracker *tracker, const struct connection *connection);

/* A READ or WRITE request names memory: finds whose it is. */
void rpc_call_claim(struct rtap_tracker *tracker, struct message *message);

/* The message is settled: its data lands in the region; a reply's SEND concludes its call. */
void rpc_call_settled(struct rtap_tracker *tracker, struct message *message);

/* The message goes before it is settled. */
void rpc_call_forget(struct message *message);

/* An RPC message is told before its call is concluded. */
void rpc_call_detach(struct message *message);

/* `from` turned out to be part of `to`; `turned`: its ends are the other way round there. */
void rpc_call_move(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned);

/* The connection ends: its calls end as they stand. */
void rpc_call_finish(struct rtap_tracker *tracker, struct connection *connection);

/* What a part of a call's memory takes has changed from `before` to `now` bytes. */
static inline void rpc_call_charge(struct rtap_tracker *tracker, struct rpc_call *call, uint64_t now, uint64_t before)
{
	if (now > before)
		budget_charge(&tracker->budget, &call->holder, now - before);
	else
		budget_give(&tracker->budget, &call->holder, before - now);
}

/* Frees what is kept for reuse. */
void rpc_calls_fini(struct rtap_tracker *tracker);

#endif
