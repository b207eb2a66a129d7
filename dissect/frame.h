/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of the frame layer that visit() supplies: comments, the anomalies of all layers, the list of protocols.
 */
#ifndef DISSECT_FRAME_H
#define DISSECT_FRAME_H

enum { FRAME_ROW_COMMENT, FRAME_ROW_ANOMALY, FRAME_ROW_PROTOCOLS };

#endif
