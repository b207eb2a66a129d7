/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The canonical dissection of a capture: its connections, sorted by role, with their messages and optionally packets. Values that vary
 * from run to run are renamed or omitted. doc/regression-testing.md describes the text.
 *
 * Pass it the packets and messages that the tracker reports, then write. Nothing is written before the end because connections are
 * sorted. Until then records are kept in a temporary file; sort keys and buffers of active connections stay in memory.
 */
#ifndef OUTPUT_COMPARE_CANON_H
#define OUTPUT_COMPARE_CANON_H

#include <rdmatap/message.h>

#include "dissect/engine/packet.h"
#include "output/compare/canon_values.h"
#include "output/packet/format.h"

/* The first line of the text is this, a space, and the format version. */
#define CANON_MAGIC "rdmatap-canon"
#define CANON_VERSION 1

struct columns;

struct canon_options {
	enum canon_level level; /* CANON_PACKETS: also packets */
	struct canon_keep keep; /* borrowed */
	const struct columns *columns; /* records as JSON or CSV; borrowed, NULL: canonical text */
	uint64_t max_memory;    /* bytes of data that must stay in memory until the end; 0: unlimited */
};

struct canon;

/* NULL: out of memory. */
struct canon *canon_create(const struct canon_options *options);

/* Call in capture order, after the tracker has processed the packet. */
void canon_packet(struct canon *canon, const struct rtap_packet *packet);
/* Callbacks for rtap_tracker_options. */
void canon_message(struct canon *canon, const struct rtap_message *message);
void canon_connection(struct canon *canon, const struct rtap_connection *connection);
void canon_merge(struct canon *canon, uint64_t from, uint64_t into, bool turned);

/* Reasons why a text covers only a part of its capture. */
#define CANON_INTERRUPTED "interrupted"
#define CANON_UNREADABLE "unreadable"

/*
 * Writes the text after the last packet and message. `incomplete`: one of the reasons above, printed in the last line; NULL: complete.
 * Returns 0, or the -errno of memory, the temporary file or the printer; -E2BIG: the connections exceed max_memory.
 */
int canon_write(struct canon *canon, const char *incomplete, struct printer *printer) __attribute__((warn_unused_result));

/* Number of values and packets omitted: out of memory, or their connection turned out to be part of an unknown one. */
uint64_t canon_lost(const struct canon *canon);

/* NULL is ignored. */
void canon_destroy(struct canon *canon);

#endif
