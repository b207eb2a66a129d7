/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capture points and their frames in the output of join.
 */
#ifndef OUTPUT_JOIN_JOIN_POINT_H
#define OUTPUT_JOIN_JOIN_POINT_H

#include "dissect/engine/line.h"
#include "output/join/join_form.h"

/* JSON: the name of a point as the value of a key; the key "between" with the names of two points. */
void join_point_json(const char *key, const char *name, struct line *line);
void join_point_json_between(const struct join_form *form, unsigned from, unsigned to, struct line *line);

/* A frame as text: number of the point, from 1, and of the frame in its file. */
void join_point_frame(unsigned point, uint64_t frame, struct line *line);

#endif
