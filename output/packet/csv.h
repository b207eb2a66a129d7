/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cells of CSV.
 */
#ifndef OUTPUT_PACKET_CSV_H
#define OUTPUT_PACKET_CSV_H

#include "dissect/engine/line.h"

/*
 * Appends a cell: RFC 4180, 2, in quotes only if it has a separator or quotes. `is_escaped`: backslashes that escape quotes and
 * backslashes of the text are removed; other escapes (\n, \x1b) remain. The text must not be in the free part of the line.
 */
void csv_cell(struct line *line, const char *text, size_t length, char separator, bool is_escaped);

#endif
