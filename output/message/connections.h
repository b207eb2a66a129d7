/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections and their ends, as text and JSON.
 */
#ifndef OUTPUT_MESSAGE_CONNECTIONS_H
#define OUTPUT_MESSAGE_CONNECTIONS_H

#include "output/message/messages.h"
#include "output/packet/clock.h"

void connection_json(const struct rtap_connection *connection, struct line *line);

/* The same without the end of the object: more members can follow. */
void connection_json_open(const struct rtap_connection *connection, struct line *line);

/* One line for the connection, followed by one for each event of its life cycle. */
void connection_text(const struct rtap_connection *connection, const struct clock_listing *times, bool is_coloured, bool is_wide,
		     struct line *line);

/* The known address of an end: "10.0.0.1", "fd00::1", "lid 12". */
void end_address(const struct rtap_end *end, struct line *line);

/* The same as a member of a JSON object. */
void end_address_json(const char *key, const struct rtap_end *end, struct line *line);

#define END_MOST (LINE_IP_MOST + 40)

/*
 * Writes the end to `to` as packet lines show it, at most END_MOST bytes: "10.0.0.1:0x11", "[fd00::1]:2049". Returns the end of the text. A
 * queue pair is hexadecimal, a port decimal; of both the former.
 */
char *end_put_short(char *to, const struct rtap_end *end);

/* The address with port and queue pair: "10.0.0.1 qp 0x000012". */
void end_text(const struct rtap_end *end, struct line *line);

/* Anomaly counts of a connection: " [lost 3, rnr 1]"; nothing if all are 0. */
void anomaly_counts_text(const uint64_t anomaly_counts[RTAP_CONNECTION_ANOMALY_COUNT], struct line *line);

/* Name of the reason of a REJ (IBTA vol. 1, 12.6.7.2); NULL: unknown. */
const char *reject_reason_name(uint32_t reason);

#endif
