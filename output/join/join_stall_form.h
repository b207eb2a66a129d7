/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pauses of connections as text and JSON, for rdmatap join.
 */
#ifndef OUTPUT_JOIN_JOIN_STALL_FORM_H
#define OUTPUT_JOIN_JOIN_STALL_FORM_H

#include "output/join/join_form.h"

/* The JSON object of a pause, with "\n". */
void join_stall_json(const struct join_record *record, struct line *line);

/* The key "stalls" of the summary: number and time by place. */
void join_stalls_json(const struct join_form *form, struct line *line);

/* Text: the line of sums for a struct join_form with pauses; the line of a pause for a struct join_record. */
void join_write_stalls(const void *form, struct line *line);
void join_write_stall(const void *record, struct line *line);

#endif
