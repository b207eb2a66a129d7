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
