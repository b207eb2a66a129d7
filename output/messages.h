/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages and connections as lines of text and as JSON objects (doc/json.md).
 */
#ifndef OUTPUT_MESSAGES_H
#define OUTPUT_MESSAGES_H

#include <rdmatap/message.h>

#include "dissect/line.h"

/* One line, with its newline; `relative_ns` is the time of the capture's first frame, that times count from. */
void message_text(const struct rtap_message *message, int64_t relative_ns, struct line *line);
void message_json(const struct rtap_message *message, struct line *line);

/* How a call was answered, by its reply: by RPC if that did not accept it, else by the program. */
const char *message_rpc_status(const struct rtap_message *message);

/* The connection in one line, and what happened to it in those below. */
void connection_text(const struct rtap_connection *connection, int64_t relative_ns, struct line *line);
void connection_json(const struct rtap_connection *connection, struct line *line);

/* "10.0.0.1", "fd00::1", "lid 12": what is known of an end's address. */
void end_address(const struct rtap_end *end, struct line *line);

/* The same with its port and queue pair: "10.0.0.1 qp 0x000012". */
void end_text(const struct rtap_end *end, struct line *line);

/* Writes that at `to`: END_MOST bytes at most. Returns its end. */
char *end_put(char *to, const struct rtap_end *end);
#define END_MOST (LINE_IP_MOST + 40)

/* " [lost 3, rnr 1]": what was wrong with a connection's packets; nothing if nothing was. */
void troubles_text(const uint64_t trouble[RTAP_TROUBLE_COUNT], struct line *line);

#endif
