/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What differs between two canonical dissections. Connections are matched by role, and among those of one role by content, then by
 * order. Messages are aligned with both directions of a connection in one sequence; what stands elsewhere in that sequence only
 * because the two ends sent at the same time is no difference.
 *
 * Renamed values are the same if each stands for one and the same of the other side all along; offsets that are counted from a
 * beginning, if the beginnings are as far apart as before, or something was added or lost in between.
 */
#ifndef OUTPUT_COMPARE_DIFF_H
#define OUTPUT_COMPARE_DIFF_H

#include "output/compare/canon_file.h"

enum diff_kind {
	DIFF_SAME,
	DIFF_CHANGED,
	DIFF_REMOVED,            /* in a only */
	DIFF_ADDED,              /* in b only */
	DIFF_MOVED,              /* in both, in another order; told where it stands in a */
	DIFF_CONNECTION_REMOVED,
	DIFF_CONNECTION_ADDED,
	DIFF_KINDS,
};

/* A value that differs; length 0 with a NULL pointer: that side has none. */
struct diff_change {
	const char *name, *a, *b;
	size_t name_length, a_length, b_length;
};

struct diff_side {
	const struct canon_file *file;
	const struct canon_role *role;
	const struct canon_line *line; /* NULL: this side has none */
	uint64_t number;               /* of the line in its connection, from 1, by level; 0: its setup */
};

/* One step of a comparison: something that is the same, or one difference. Valid for the call. */
struct diff_step {
	enum diff_kind kind;
	enum canon_level level;
	bool setup;                    /* it is about the setup of the connection */
	struct diff_side a, b;
	const struct diff_change *changes; /* of CHANGED, and of MOVED if it differs too */
	size_t change_count;
};

struct diff_totals {
	uint64_t kinds[DIFF_KINDS];
	uint64_t a_lines, b_lines, a_roles, b_roles, matched_roles;
};

/* How differences are written down. */
struct diff_form {
	/* Each step in order; 0 or -errno, which ends the comparison. */
	int (*step)(struct diff_form *form, const struct diff_step *step);
};

/* Compares. 0, -errno of memory or of the form. */
int diff_compare(const struct canon_file *a, const struct canon_file *b, struct canon_treatments *treatments, struct diff_form *form,
		 struct diff_totals *totals) __attribute__((warn_unused_result));

/* Whether anything differs. */
bool diff_differs(const struct diff_totals *totals);

#endif
