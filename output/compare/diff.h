/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Comparison of two canonical dissections. Connections are matched by role; those of the same role by content, then by order. Messages
 * of both directions of a connection are aligned as one sequence. A different position is not a difference if only concurrent sending
 * by the two ends explains it.
 *
 * Renamed values are equal if they correspond one to one throughout the connection. Relative values are equal if the distance between
 * their bases has not changed, or if something was added or removed in between.
 */
#ifndef OUTPUT_COMPARE_DIFF_H
#define OUTPUT_COMPARE_DIFF_H

#include "output/compare/canon_file.h"

enum diff_kind {
	DIFF_SAME,
	DIFF_CHANGED,
	DIFF_REMOVED,            /* in a only */
	DIFF_ADDED,              /* in b only */
	DIFF_MOVED,              /* in both, in a different order; reported at its position in a */
	DIFF_CONNECTION_REMOVED,
	DIFF_CONNECTION_ADDED,
	DIFF_KINDS,
};

/* A value that differs. NULL with length 0: absent on that side. */
struct diff_change {
	const char *name, *a, *b;
	size_t name_length, a_length, b_length;
};

struct diff_side {
	const struct canon_file *file;
	const struct canon_role *role;
	const struct canon_line *line; /* NULL: absent on this side */
	uint64_t number;               /* of the line in its connection, from 1, by level; 0: its setup */
};

/* One step of a comparison: an equal line or one difference. Valid during the callback. */
struct diff_step {
	enum diff_kind kind;
	enum canon_level level;
	bool setup;                    /* concerns the connection's setup line */
	bool exchanged;                /* CONNECTION_REMOVED, _ADDED: the other one has it with client and server exchanged */
	struct diff_side a, b;
	const struct diff_change *changes; /* for CHANGED, and for MOVED if values also differ */
	size_t change_count;
};

struct diff_totals {
	uint64_t kinds[DIFF_KINDS];    /* messages and packets, and connections */
	uint64_t a_lines, b_lines, a_roles, b_roles, matched_roles;
	uint64_t changed_setups;       /* connections in both whose setups differ, which are not lines */
};

/* Output form of differences. */
struct diff_form {
	/* Called for each step in order. Returns 0, or -errno to end the comparison. */
	int (*step)(struct diff_form *form, const struct diff_step *step);
};

/* Compares two texts. Returns 0, or -errno of memory or of the form. */
int diff_compare(const struct canon_file *a, const struct canon_file *b, struct canon_treatments *treatments, struct diff_form *form,
		 struct diff_totals *totals) __attribute__((warn_unused_result));

bool diff_differs(const struct diff_totals *totals);

#endif
