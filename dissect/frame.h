/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of the frame layer that visit() supplies: comments, and the anomalies of all layers.
 */
#ifndef DISSECT_FRAME_H
#define DISSECT_FRAME_H

enum { FRAME_ROW_COMMENT, FRAME_ROW_ANOMALY };

#endif
