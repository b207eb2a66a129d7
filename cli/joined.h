/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inputs as capture points of one path: what happened to packets between them.
 */
#ifndef CLI_JOINED_H
#define CLI_JOINED_H

#include <rdmatap/source.h>

#include "output/join/join_form.h"
#include "reassembly/join/transmission.h"

struct options;

struct joined {
	const struct rtap_source *source;
	struct join *join;
	struct transmissions *transmissions;
	struct join_clock *clocks;     /* of `form` */
	unsigned *points;              /* of interfaces, plus 1; 0: not looked up yet */
	size_t room;
	struct join_form form;
};

/* Whether each input is another file: a point would be compared with itself. If not, an error is printed. */
bool joined_are_different(const struct options *options, const char *command);

/* Makes each input a capture point. False: out of memory; nothing is printed. Call joined_close() in both cases. */
bool joined_open(struct joined *joined, const struct options *options, const struct rtap_source *source, uint64_t max_memory);

/* What is counted of a packet. */
void joined_sight(struct joined *joined, const struct rtap_packet *packet, const struct packet_identity *identity, struct transmission_sight *sight);

/* Counts a packet. Packets must be passed in the order of their times. */
enum transmission_copy joined_take(struct joined *joined, const struct transmission_sight *sight);

/* Call after the last packet: completes `form`. */
void joined_finish(struct joined *joined);

/* Prints the number of packets that could not be matched or counted. */
void joined_report(const struct joined *joined);

void joined_close(struct joined *joined);

#endif
