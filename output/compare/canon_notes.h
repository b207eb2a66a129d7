/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fields of packets, kept until their message is reported.
 */
#ifndef OUTPUT_COMPARE_CANON_NOTES_H
#define OUTPUT_COMPARE_CANON_NOTES_H

#include <sys/queue.h>

#include "output/compare/canon_map.h"

/* How a note's message is identified. */
enum canon_note_kind { CANON_NOTE_FRAME, CANON_NOTE_RPC };

struct canon_note {
	struct canon_map_key key;
	TAILQ_ENTRY(canon_note) link;
	uint32_t length;
	char text[];
};

struct canon_notes {
	struct map map;
	TAILQ_HEAD(, canon_note) by_age; /* the oldest first */
	uint64_t memory, lost; /* bytes; notes evicted by the limit */
};

void canon_notes_init(struct canon_notes *notes);

/* Adds a note unless one exists: the first copy counts. */
void canon_notes_add(struct canon_notes *notes, enum canon_note_kind kind, uint64_t key, const char *text, size_t length);

/* The note, or NULL. Valid until canon_notes_remove(). */
struct canon_note *canon_notes_find(const struct canon_notes *notes, enum canon_note_kind kind, uint64_t key);
/* NULL is ignored. */
void canon_notes_remove(struct canon_notes *notes, struct canon_note *note);
void canon_notes_fini(struct canon_notes *notes);

#endif
