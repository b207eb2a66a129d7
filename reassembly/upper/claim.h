/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which request a READ or WRITE belongs to: by the memory that it names and the PSNs of the responses. Decided again when SENDs are
 * captured late.
 */
#ifndef REASSEMBLY_UPPER_CLAIM_H
#define REASSEMBLY_UPPER_CLAIM_H

#include "reassembly/upper.h"

/* Callbacks for layers whose requests name memory: upper_layer.memory. */
extern const struct upper_memory claim_memory;

/* Its members, but for region_unclaim(). */
bool claim_may_want(const struct rtap_tracker *tracker, const struct connection *connection);
void claim_message(struct rtap_tracker *tracker, struct message *message);
void claim_settled(struct rtap_tracker *tracker, struct message *message);
void claim_lost(struct rtap_tracker *tracker, const struct message *message, const struct upper_loss *loss);

/* claim_settled() of a message whose request is certain. */
void claim_finish(struct rtap_tracker *tracker, struct message *message);

/* Records the data of a READ of its request's regions. True: this completed them. */
bool claim_note_arrival(struct rtap_tracker *tracker, const struct message *message);

/* Adds the losses of unsettled READs and WRITEs to those of the request. Call before these are used. */
void claim_count(const struct request *request);

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

/*
 * The data of a claimed message ended in the current frame (upper_data_is_over()): copies it to the regions. True: it is the last that the
 * responder can read for the request. Call in packet() and read() of the layer; otherwise it is copied when the message is settled.
 */
bool claim_data(struct rtap_tracker *tracker, struct message *message, const struct frame_result *result);

/* Both ends are known now: requests of one end since the request of the other may belong to it. */
void claim_waiting(struct rtap_tracker *tracker, const struct psn_stream *stream);

#endif
