/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of canon share: canon.c takes down, canon_write.c writes.
 */
#ifndef OUTPUT_CANON_INTERNAL_H
#define OUTPUT_CANON_INTERNAL_H

#include "output/canon.h"
#include "output/canon_item.h"
#include "output/canon_notes.h"
#include "output/canon_spool.h"

/* How canon->groups_by is keyed. */
enum { BY_NUMBER, BY_PAIR, BY_END };

/* Messages, refusals, packets: each in its order; those of the first two are shown together. */
enum group_stream { STREAM_MESSAGES, STREAM_REFUSALS, STREAM_PACKETS, STREAMS };

/* A connection, or the management datagrams of two addresses. */
struct group {
	struct spool_stream streams[STREAMS];
	char *role, *setup;      /* records; role NULL: a connection that was never told, because it turned out to be part of another */
	size_t role_length, setup_length;
	uint64_t order;          /* first frame */
	int64_t base_ns;         /* with `timed`: time of the message told first */
	bool timed;
	/* of a connection that is never told: who received its first packet, by which its ends are found */
	uint8_t address_length, source[16], destination[16];
	bool has_receiver;
	uint32_t receiver_qpn;
	/* of a told one */
	struct rtap_end a, b;
	uint64_t first_frame, last_frame;
	uint64_t asked_again, asked_again_shown; /* NAKs that asked for a repetition: all, and those that are records */
	struct group *part;      /* another that is part of this one */
	bool part_swapped;       /* in it, client and server are the other way round */
};

struct canon {
	struct canon_options options;
	struct canon_fields fields;
	struct canon_notes notes;
	struct canon_send send;  /* told last, and not taken down yet */
	struct spool spool;
	struct canon_map groups_by;
	struct group **groups;
	size_t group_count, group_room;
	uint64_t last_number;    /* the connection that was looked up last, and its group; 0: none */
	struct group *last_group;
	char *text;              /* the record being made */
	size_t text_room;
	uint64_t unplaced;       /* connections that turned out to be part of one that is not known */
	int error;               /* -errno of the first failure; nothing is taken down after it */
};

/* Writes groups in the order in which they stand. incomplete: as of canon_write(). */
int canon_write_groups(const struct canon *canon, const char *incomplete, struct printer *printer) __attribute__((warn_unused_result));

#endif
