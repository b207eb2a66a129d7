/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a person reads: one line a packet, the tree of all fields (-V), the bytes (-x).
 */
#ifndef OUTPUT_TEXT_H
#define OUTPUT_TEXT_H

#include "output/clock.h"
#include "output/format.h"

struct tree_memory;

struct text_format {
	struct format format;
	struct clock clock;
	bool tree;   /* -V */
	bool hex;    /* -x */
	bool colour;
	struct tree_memory *memory; /* made with the first tree */
};

void text_format_init(struct text_format *text);
void text_format_fini(struct text_format *text);

/* The one line, without its newline. */
void text_line(struct text_format *text, const struct rtap_packet *packet, struct line *line);

/* Memory for rows and their beginnings; NULL if there is none. */
struct tree_memory *tree_memory_create(void);
void tree_memory_destroy(struct tree_memory *memory);

/* All layers, groups and fields, a row each. Without `memory`, which may be NULL, each row is made anew. */
void tree_write(struct tree_memory *memory, const struct rtap_packet *packet, struct line *line);

/* Bytes in hexadecimal and as ASCII, sixteen a row. */
void hex_write(const uint8_t *bytes, uint32_t length, struct line *line);

#endif
