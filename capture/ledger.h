/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_LEDGER_H
#define CAPTURE_LEDGER_H

#include <stdbool.h>

#include <rdmatap/source.h>

/* What the inputs of a source tell beside frames: interfaces, notes, counters. Zero bytes: nothing yet. */
struct ledger {
	struct rtap_interface *interfaces; /* the texts but `file` belong to the ledger */
	size_t interface_count, interface_room;
	char **notes;
	size_t note_count, note_room;
	struct rtap_source_counters counters;
};

/* Where a source stands in what it delivers. Zero bytes: at the beginning. */
struct numbering {
	uint64_t frames, captured_bytes, cut_frames; /* as in struct rtap_source_counters */
	int64_t first_ns, last_ns;
};

/* Numbers the frames of the batch that is delivered next, tells their times from each other, and counts them. */
void numbering_take(struct numbering *numbering, struct rtap_batch *batch);
/* The same of frames that are only counted. */
void numbering_count(struct numbering *numbering, uint64_t frames, uint64_t captured_bytes, uint64_t cut_frames);
/* Counters as they were when it stood there. */
void ledger_set_counters(struct ledger *ledger, const struct numbering *numbering);

/*
 * Adds an interface, with copies of its texts but `file`, which is borrowed; NULL texts are taken as "". *index is its
 * number. False: memory is out or there are more interfaces than are kept.
 */
bool ledger_add_interface(struct ledger *ledger, const struct rtap_interface *interface, uint32_t *index)
	__attribute__((warn_unused_result));

/* Adds the note "FILE: TEXT"; past a limit one last note says that more are not kept. False: memory is out. */
bool ledger_add_note(struct ledger *ledger, const char *file, const uint8_t *text, size_t length)
	__attribute__((warn_unused_result));

/* Frees what it holds. */
void ledger_fini(struct ledger *ledger);

#endif
