/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows of the frame's layer that are visited: comments, and anomalies of whatever layer.
 */
#ifndef DISSECT_FRAME_H
#define DISSECT_FRAME_H

enum { FRAME_ROW_COMMENT, FRAME_ROW_ANOMALY };

#endif
