/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The canonical dissection of a capture: its connections by their roles, and what was said on each, with what changes from
 * run to run renamed or left out. doc/regression-testing.md describes the text.
 *
 * Feed it packets and messages as the tracker tells them, then write. Nothing is shown before the end, because connections
 * are sorted; what waits is kept in a temporary file, apart from what connections are sorted by, and what those under way hold.
 */
#ifndef OUTPUT_COMPARE_CANON_H
#define OUTPUT_COMPARE_CANON_H

#include <rdmatap/message.h>
#include <rdmatap/packet.h>

#include "output/compare/canon_values.h"
#include "output/packet/format.h"

/* First line of the text: this, a space, and the version of the format. */
#define CANON_MAGIC "rdmatap-canon"
#define CANON_VERSION 1

struct canon_options {
	enum canon_level level; /* CANON_PACKETS: packets too */
	struct canon_keep keep; /* borrowed */
	bool json;
	uint64_t max_memory;    /* bytes for what has to be in memory until the end; 0: any number */
};

struct canon;

/* NULL: memory is out. */
struct canon *canon_create(const struct canon_options *options);

/* In the order of the capture, after the tracker has seen the packet. */
void canon_packet(struct canon *canon, const struct rtap_packet *packet);
/* For rtap_tracker_options. */
void canon_message(struct canon *canon, const struct rtap_message *message);
void canon_connection(struct canon *canon, const struct rtap_connection *connection);
void canon_merge(struct canon *canon, uint64_t from, uint64_t into, bool turned);

/* Why a text is of a part of its capture only. */
#define CANON_INTERRUPTED "interrupted"
#define CANON_UNREADABLE "unreadable"

/*
 * All is told: writes it. `incomplete`: one of the reasons above, which the last line tells; NULL: nothing is missing. 0, or the -errno
 * of memory, of the temporary file, or of the printer; -E2BIG: there are more connections than max_memory has room for.
 */
int canon_write(struct canon *canon, const char *incomplete, struct printer *printer) __attribute__((warn_unused_result));

/* Values and packets that could not be placed: for want of memory, or because their connection turned out to be part of an unknown one. */
uint64_t canon_lost(const struct canon *canon);

/* NULL is ignored. */
void canon_destroy(struct canon *canon);

#endif
