/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Colour of text lines on a terminal. These are the only escape sequences in any output: text from captures is escaped.
 */
#ifndef OUTPUT_PACKET_COLOUR_H
#define OUTPUT_PACKET_COLOUR_H

#include <stdbool.h>

#include <rdmatap/packet.h>

#include "dissect/engine/line.h"

/* Values of --color. */
enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* Colour classes of a line: red, yellow, magenta. */
enum colour { COLOUR_NONE, COLOUR_ERROR, COLOUR_LOSS, COLOUR_CONGESTION };

/* Parses an argument of --color; false: invalid. */
bool colour_parse(const char *argument, enum colour_when *when);

/* Auto is a terminal other than a dumb one, unless NO_COLOR is set and not empty (no-color.org). */
bool colour_is_wanted(enum colour_when when, bool is_terminal);

/* Anomalies, NAKs and rejects; what was repeated, lost or disordered; CNPs. */
enum colour colour_of_packet(const struct rtap_packet *packet);

/* Around a line; the end is placed before a newline that has been written. Nothing for COLOUR_NONE. */
void colour_begin(enum colour colour, struct line *line);
void colour_end(enum colour colour, struct line *line);

#endif
