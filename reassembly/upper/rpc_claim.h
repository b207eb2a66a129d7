/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which RPC call a READ or WRITE belongs to: by the memory that it names and the PSNs of the replies. Decided again when SENDs are
 * captured late.
 */
#ifndef REASSEMBLY_UPPER_RPC_CLAIM_H
#define REASSEMBLY_UPPER_RPC_CLAIM_H

#include "reassembly/upper/rpc_call.h"

/*
 * Whether a READ or WRITE that is captured before its memory is named may belong to a call: its bytes are kept until that is
 * known.
 */
bool rpc_claim_may_want(const struct rtap_tracker *tracker, const struct connection *connection);

/* A READ or WRITE request names memory: finds its call. */
void rpc_claim_message(struct rtap_tracker *tracker, struct message *message);

/* Records the data of a READ of its call's chunks. True: this completed them. */
bool rpc_claim_note_arrival(struct rtap_tracker *tracker, const struct message *message);

/* The data of a claimed message is copied into its region; its losses count for the call. */
void rpc_claim_land(struct rtap_tracker *tracker, struct message *message);

/* Adds the losses to the message of the SEND that carries an RPC. */
void rpc_claim_show_lost(struct rtap_message *shown, const struct rtap_message *send);

/* The call arrived in that SEND. */
void rpc_claim_around_call(struct rtap_tracker *tracker, const struct rpc_call *call, const struct message *send);

/* The requests on both sides of a reply. If its call is unknown, those that were assigned to another call. */
void rpc_claim_around_reply(struct rtap_tracker *tracker, const struct rpc_call *call);

/* A READ or WRITE that could belong to several calls is settled: what was missing for the decision may have arrived. */
void rpc_claim_decide(struct rtap_tracker *tracker, struct message *message);

/* Both ends are known now: requests of one end since the call of the other may belong to it. */
void rpc_claim_waiting(struct rtap_tracker *tracker, const struct psn_stream *stream);

#endif
