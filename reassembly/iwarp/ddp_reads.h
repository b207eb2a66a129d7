/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which READ a Read Response answers. Responses come in the order of requests (RFC 5040, 5.5), and requests are numbered; a
 * response names only where its data go. While no byte of either direction is missing, the next response answers the request
 * with the next number.
 *
 * When bytes of the responder are missing, responses may be among them: as many as these bytes had room for. From then on a
 * response answers a READ only if no other one that is outstanding can be meant. What is certain again: data that go where only one of
 * them wants them; requests beyond what the two ends agreed upon (ORD, RFC 6581, 9.1), or beyond what the requester ever had
 * outstanding; and a loss that is exactly the responses of the first READs, from a responder that sends no Writes.
 *
 * A direction seen from the middle may have requests outstanding that nobody saw. Until some responses in a row were those of
 * consecutive requests, data that went where an earlier READ wanted some are given to none.
 */
#ifndef REASSEMBLY_IWARP_DDP_READS_H
#define REASSEMBLY_IWARP_DDP_READS_H

#include <stdbool.h>
#include <stdint.h>

struct ddp_work;
struct message;

#define DDP_READS_SINKS 16

/* Requests of one direction, READs and atomics. Numbers are MSNs. All zero: none was seen. */
struct ddp_reads {
	bool begun, known;     /* a request was seen; `next` is right, not only the first that was seen */
	uint64_t lost;         /* bytes of the direction that are missing since the last request */
	bool was_certain;      /* before the bytes that are missing right before the response at hand */
	uint32_t next, ahead;  /* the next response answers this one, or one of so many behind it */
	uint32_t end;          /* behind the last request seen */
	uint32_t low, high;    /* which ones the response under way may answer, if it is given to none */
	struct {
		uint32_t stag;
		uint64_t offset;
	} sinks[DDP_READS_SINKS]; /* of the last READs */
	uint32_t sink_count;
	bool several_sinks;    /* they were not all the same */
	uint32_t row;          /* responses in a row that were those of consecutive requests */
	uint32_t deepest, times; /* most requests that were outstanding, and how often as many were */
};

/* A request was taken; a READ has its sink. */
void ddp_reads_asked(const struct ddp_work *work, struct message *message);

/* Before the first segment behind missing bytes is looked at. */
void ddp_reads_lost(const struct ddp_work *work);

/* The READ that the segment at hand, of a Read Response, answers; NULL: not known. */
struct message *ddp_reads_owner(const struct ddp_work *work);

/* The response at hand ended; `message` is the request, or NULL. */
void ddp_reads_answered(const struct ddp_work *work, const struct message *message);

/* The responder has gone on with something else behind a part of a response. */
void ddp_reads_torn(const struct ddp_work *work, const struct message *message);

#endif
