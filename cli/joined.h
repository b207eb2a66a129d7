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
	struct join_form form;
};

/* Each input is a point. False: out of memory; nothing is printed. joined_close() in both cases. */
bool joined_open(struct joined *joined, const struct options *options, const struct rtap_source *source, uint64_t max_memory);

/* Takes a packet, in the order of times. */
enum transmission_copy joined_take(struct joined *joined, const struct rtap_packet *packet);

/* All packets were taken: `form` is complete. */
void joined_finish(struct joined *joined);

/* Prints what could not be counted. */
void joined_report(const struct joined *joined);

void joined_close(struct joined *joined);

#endif
