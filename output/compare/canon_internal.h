/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of canon share: canon.c takes down, canon_write.c writes.
 */
#ifndef OUTPUT_COMPARE_CANON_INTERNAL_H
#define OUTPUT_COMPARE_CANON_INTERNAL_H

#include "output/compare/canon.h"
#include "output/compare/canon_item.h"
#include "output/compare/canon_notes.h"
#include "output/compare/canon_spool.h"

/* How canon->groups_by is keyed. */
enum { BY_NUMBER, BY_PAIR, BY_ROLE };

/* Messages, refusals, packets: each in its order; those of the first two are shown together. */
enum group_stream { STREAM_MESSAGES, STREAM_REFUSALS, STREAM_PACKETS, STREAMS };

/* The record by which groups are put in order. Many have the same. */
struct canon_role {
	size_t length;
	char text[];
};

/* A connection, or the management datagrams of two addresses. */
struct group {
	struct group *before, *behind; /* of those that are under way */
	struct spool_stream streams[STREAMS];
	const struct canon_role *role; /* NULL: not reported yet */
	char *setup;             /* a record, or NULL */
	size_t setup_length;
	uint32_t by;             /* its key */
	uint64_t key;
	uint64_t order;          /* first frame */
	int64_t base_ns;         /* with `timed`: time of the message told first */
	bool timed;
	uint8_t address_length, source[16]; /* of management: who sent its first datagram */
	uint64_t asked_again, asked_again_shown; /* NAKs that asked for a repetition: all, and those that are records */
	struct group *part;      /* another that is part of this one */
	bool part_swapped;       /* in it, client and server are the other way round */
};

/* A group that is over: all but this is in the spool. */
struct canon_entry {
	const struct canon_role *role;
	uint64_t order, offset;
};

/* What stands there: this, the setup, the extents of the group's streams, those of its part's. */
struct canon_sealed {
	uint64_t setup_length, extents[2][STREAMS], part_swapped;
};

struct canon {
	struct canon_options options;
	struct canon_fields fields;
	struct canon_notes notes;
	struct canon_send send;  /* told last, and not taken down yet */
	struct spool spool;
	struct canon_map groups_by;
	struct group *first;     /* under way */
	struct canon_entry *entries;
	size_t entry_count, entry_room;
	uint64_t memory;         /* bytes of groups, roles and entries */
	uint64_t last_number;    /* the connection that was looked up last, and its group; 0: none */
	struct group *last_group;
	char *text;              /* the record being made */
	size_t text_room;
	uint64_t unplaced;       /* connections with records that were never reported */
	int error;               /* -errno of the first failure; nothing is taken down after it */
};

#endif
