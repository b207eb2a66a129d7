/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files of canon: canon.c records, canon_write.c writes.
 */
#ifndef OUTPUT_COMPARE_CANON_INTERNAL_H
#define OUTPUT_COMPARE_CANON_INTERNAL_H

#include <sys/queue.h>

#include "output/compare/canon.h"
#include "output/compare/canon_item.h"
#include "output/compare/canon_notes.h"
#include "output/compare/canon_spool.h"

/* Kinds of keys of canon->groups_by. */
enum { BY_NUMBER, BY_PAIR, BY_ROLE };

/* Messages, refusals, packets: each ordered; the first two are merged in the output. */
enum group_stream { STREAM_MESSAGES, STREAM_REFUSALS, STREAM_PACKETS, STREAMS };

/* The record by which groups are sorted. Groups can share one. */
struct canon_role {
	struct canon_map_key key;
	size_t length;
	char text[];
};

/* A connection, or the management datagrams of two addresses. */
struct group {
	struct canon_map_key key;
	LIST_ENTRY(group) link;  /* in the list of active groups */
	struct spool_stream streams[STREAMS];
	const struct canon_role *role; /* NULL: not reported yet */
	char *setup;             /* a record, or NULL */
	size_t setup_length;
	uint64_t order;          /* first frame */
	int64_t base_ns;         /* with `timed`: time of the first message reported */
	bool timed;
	uint8_t address_length, source[16]; /* management: sender of the first datagram */
	uint64_t asked_again, asked_again_shown; /* NAKs that request a retransmission: all; those with a record */
	struct group *part;      /* another group that belongs to this one */
	bool part_swapped;       /* client and server are swapped in `part` */
};

/* A finished group; its other data are in the spool. */
struct canon_entry {
	const struct canon_role *role;
	uint64_t order, offset;
};

/* Layout in the spool: this, the setup, the extents of the group's streams, those of its part's streams. */
struct canon_sealed {
	uint64_t setup_length, extents[2][STREAMS], part_swapped;
};

struct canon {
	struct canon_options options;
	struct canon_fields fields;
	struct canon_notes notes;
	struct canon_send send;  /* reported last and not recorded yet */
	struct spool spool;
	struct map groups_by;    /* and the roles */
	LIST_HEAD(, group) groups; /* active ones */
	struct canon_entry *entries;
	size_t entry_count, entry_room;
	uint64_t memory;         /* bytes of groups, roles and entries */
	char *text;              /* buffer of the current record */
	size_t text_room;
	uint64_t unplaced;       /* connections with records that were never reported */
	int error;               /* -errno of the first failure; nothing is recorded after it */
};

#endif
