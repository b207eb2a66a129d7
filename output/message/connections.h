/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections and their ends, as text and JSON.
 */
#ifndef OUTPUT_MESSAGE_CONNECTIONS_H
#define OUTPUT_MESSAGE_CONNECTIONS_H

#include "output/message/messages.h"

void connection_json(const struct rtap_connection *connection, struct line *line);

/* The connection in one line, and what happened to it in those below. */
void connection_text(const struct rtap_connection *connection, int64_t relative_ns, struct line *line);

/* "10.0.0.1", "fd00::1", "lid 12": what is known of an end's address. */
void end_address(const struct rtap_end *end, struct line *line);

#define END_MOST (LINE_IP_MOST + 40)

/* Writes that at `to`: END_MOST bytes at most. Returns its end. */
char *end_put(char *to, const struct rtap_end *end);

/* The same with its port and queue pair: "10.0.0.1 qp 0x000012". */
void end_text(const struct rtap_end *end, struct line *line);

/* " [lost 3, rnr 1]": what was wrong with a connection's packets; nothing if nothing was. */
void troubles_text(const uint64_t trouble[RTAP_TROUBLE_COUNT], struct line *line);

#endif
