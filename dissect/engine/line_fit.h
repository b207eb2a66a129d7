/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fits a line of text into the columns of a terminal: leaves out what its readers need least, shortens names (line_name.h), and at last
 * takes the padding out of its columns.
 */
#ifndef DISSECT_ENGINE_LINE_FIT_H
#define DISSECT_ENGINE_LINE_FIT_H

#include "dissect/engine/line.h"

/* What can be left out of a line; the first ones before the others. */
enum line_spare {
	LINE_SPARE_LOWER,  /* of a layer below, if the upper one is shown: sequence numbers of TCP, LIDs beside GIDs */
	LINE_SPARE_PARTS,  /* where the parts of a message are */
	LINE_SPARE_MEMORY, /* memory of the peers: keys, addresses */
};

/* The text from `begin` to `end` can be left out. Only the first LINE_SPARES of a line are remembered. */
static inline void line_spare_within(struct line *line, char *begin, char *end, enum line_spare kind)
{
	if (line->spare_count == LINE_SPARES)
		return;
	line->spares[line->spare_count].begin = begin;
	line->spares[line->spare_count].end = end;
	line->spares[line->spare_count++].kind = (uint8_t)kind;
}

/* The same for the text from `begin` to the end of the line. */
static inline void line_spare(struct line *line, char *begin, enum line_spare kind)
{
	line_spare_within(line, begin, line->next, kind);
}

/* For line_fit(). */
void line_fit_long(struct line *line, const char *begin);

/*
 * If the text from `begin`, which is in the line, has more than LINE_COLUMNS columns, makes it shorter, as far as that is possible. Forgets
 * names and what can be left out. A line that is cut remains as it is.
 */
static inline void line_fit(struct line *line, const char *begin)
{
	if (line->next - begin > LINE_COLUMNS)
		line_fit_long(line, begin);
	line->name_count = line->spare_count = 0;
}

#endif
