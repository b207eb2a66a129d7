/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which READ a Read Response answers. Responses arrive in the order of requests (RFC 5040, 5.5), and requests are numbered;
 * a response names only its data sink. While no byte of either direction is missing, the next response answers the request
 * with the next number.
 *
 * Missing bytes of the responder may contain responses: as many as fit into them. From then on a response is assigned to a
 * READ only if no other outstanding READ is possible. Certainty returns with data for a sink that only one READ has; with
 * requests beyond the agreed limit (ORD, RFC 6581, 9.1), or beyond the most that the requester ever had outstanding; and
 * with a loss of exactly the responses of the first READs, from a responder that sends no Writes.
 *
 * A direction captured from the middle may have outstanding requests that were not seen. Until some consecutive responses
 * match consecutive requests, data for a sink that an earlier READ also has is not assigned.
 */
#ifndef REASSEMBLY_IWARP_DDP_READS_H
#define REASSEMBLY_IWARP_DDP_READS_H

#include <stdbool.h>
#include <stdint.h>

struct ddp_work;
struct message;

#define DDP_READS_SINKS 16

/* Requests of one direction, READs and atomics. Numbers are MSNs. All zero: no request seen. */
struct ddp_reads {
	bool begun, known;     /* a request was seen; `next` is certain, not only the first one seen */
	bool early_lost;       /* bytes of the other direction were missing before the first request was seen */
	uint32_t early;        /* responses before it */
	uint64_t lost;         /* bytes of the direction missing since the last request */
	bool was_certain;      /* whether `next` was certain before the bytes missing right before the current response */
	uint32_t next, ahead;  /* the next response answers request `next`, or one of up to `ahead` after it */
	uint32_t end;          /* number after the last request seen */
	uint32_t low, high;    /* requests that the current response may answer, if it is not assigned */
	struct {
		uint32_t stag;
		uint64_t offset;
	} sinks[DDP_READS_SINKS]; /* of the last READs */
	uint32_t sink_count;
	bool several_sinks;    /* the sinks differed */
	uint32_t row;          /* consecutive responses that matched consecutive requests */
	uint32_t deepest, times; /* most requests outstanding, and how often that many were */
};

/* A request was processed; a READ has its sink. */
void ddp_reads_asked(const struct ddp_work *work, struct message *message);

/* Call before the first segment after missing bytes is examined. */
void ddp_reads_lost(const struct ddp_work *work);

/* The READ that the current segment, of a Read Response, answers; NULL: unknown. */
struct message *ddp_reads_owner(const struct ddp_work *work);

/* The current response ended; `message` is the request, or NULL. */
void ddp_reads_answered(const struct ddp_work *work, const struct message *message);

/* The response to an atomic that was not seen. */
void ddp_reads_unseen_answered(const struct ddp_work *work);

/* The responder continued with another message after part of a response. */
void ddp_reads_torn(const struct ddp_work *work, const struct message *message);

#endif
