/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What READs and WRITEs are to their requests beyond region.h: which one they belong to is decided again when SENDs are captured late, and
 * what they lost counts for it.
 */
#ifndef REASSEMBLY_UPPER_CLAIM_H
#define REASSEMBLY_UPPER_CLAIM_H

#include "reassembly/upper.h"
#include "reassembly/upper/region.h"

/* Callbacks for layers whose requests name memory: upper_layer.memory. */
extern const struct upper_memory claim_memory;

/* Its members that are not in region.h. */
void claim_settled(struct rtap_tracker *tracker, struct message *message);
void claim_lost(struct rtap_tracker *tracker, const struct message *message, const struct upper_loss *loss);

/* Adds the losses of a SEND to the message of the layer that it carries. */
void claim_show_lost(struct rtap_message *shown, const struct rtap_message *send);

/*
 * A SEND that is neither the request nor its response belongs to it: what selects the SEND selects the request's operation. Call claim_want()
 * when the frame of such a SEND is wanted.
 */
void claim_send(struct message *send, const struct request *request);
void claim_want(const struct message *send);

/* The request arrived in that SEND. */
void claim_around_request(struct rtap_tracker *tracker, const struct request *request, const struct message *send);

/* The requests on both sides of a response. If its request is unknown, those that were assigned to another request. */
void claim_around_response(struct rtap_tracker *tracker, const struct request *request);

/* Both ends are known now: requests of one end since the request of the other may belong to it. */
void claim_waiting(struct rtap_tracker *tracker, const struct psn_stream *stream);

/* Call before the data in the regions is used for the last time: drops what can belong to another request that was not captured. */
void claim_drop_doubtful(struct rtap_tracker *tracker, struct request *request);

#endif
