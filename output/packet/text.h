/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text output: one line per packet, the tree of all fields (-V), the bytes (-x).
 */
#ifndef OUTPUT_PACKET_TEXT_H
#define OUTPUT_PACKET_TEXT_H

#include "dissect/engine/ends.h"
#include "output/packet/clock.h"
#include "output/packet/format.h"

struct tree_memory;

struct text_format {
	struct format format;
	struct clock clock;
	bool tree;   /* -V */
	bool hex;    /* -x */
	bool colour;
	bool wide;   /* names are never shortened */
	struct tree_memory *memory; /* created with the first tree */
	struct ends_texts ends;
};

void text_format_init(struct text_format *text);
void text_format_fini(struct text_format *text);

/* Appends the summary line without its newline. */
void text_line(struct text_format *text, const struct rtap_packet *packet, struct line *line);

/* Appends the part of the summary line after the innermost ends: no number, time and addresses. */
void text_info(const struct rtap_packet *packet, struct line *line);

#endif
