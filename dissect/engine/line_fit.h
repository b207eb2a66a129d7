/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fits a line of text into the columns of a terminal: omits the parts that readers need least, shortens names (line_name.h), and finally
 * removes the padding of its columns.
 */
#ifndef DISSECT_ENGINE_LINE_FIT_H
#define DISSECT_ENGINE_LINE_FIT_H

#include "dissect/engine/line.h"

/* Parts that can be omitted from a line, in the order in which they are. */
enum line_spare {
	LINE_SPARE_LOWER,  /* of a layer below, if the upper one is shown: sequence numbers of TCP, LIDs beside GIDs */
	LINE_SPARE_PARTS,  /* where the parts of a message are; identifiers that the response repeats */
	LINE_SPARE_MEMORY, /* memory of the peers: keys, addresses */
	LINE_SPARE_DETAIL, /* of the upper layer, where padding is too little */
	LINE_SPARE_PACKET, /* the columns of a packet with an upper layer, in the order of their adding; they precede names */
	LINE_SPARE_OPERATION, /* of the transport, if ": " and an upper layer follow it, which goes too */
	LINE_SPARE_OUTER, /* the outer ends of a tunnel, tags, labels; the position of a fragment */
	LINE_SPARE_MORE,  /* further items of a list: "..." replaces them */
	LINE_SPARE_LAST,  /* what readers would miss: the columns of a packet without an upper layer, identifiers beside a status or an error */
};

/* Marks the text from `begin` to `end` as omissible. Only the first LINE_SPARES of a line are recorded. */
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
void line_fit_long(struct line *line, char *begin);

/*
 * If the text from `begin`, which is in the line, has more than LINE_COLUMNS columns, shortens it as far as possible. Clears the recorded
 * names and omissible parts. A line that is cut remains as it is.
 */
static inline void line_fit(struct line *line, char *begin)
{
	if (line->next - begin > LINE_COLUMNS)
		line_fit_long(line, begin);
	line->name_count = line->spare_count = 0;
}

#endif
