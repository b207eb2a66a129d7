/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records (output/compare/canon_values.h) of messages, refusals and connections, made of canon's own values.
 */
#ifndef OUTPUT_COMPARE_CANON_ITEM_H
#define OUTPUT_COMPARE_CANON_ITEM_H

#include <rdmatap/message.h>

#include "output/compare/canon_values.h"

#define CANON_SHOWN_HOLES 8

/* A SEND that may have carried an RPC message; both then share one record. */
struct canon_send {
	bool present;
	uint64_t connection;
	struct rtap_message message; /* its pointers are invalid except `missing` */
	struct rtap_missing missing[CANON_SHOWN_HOLES];
};

void canon_send_keep(struct canon_send *send, const struct rtap_message *message);

/* A message other than RPC. Times are relative to `base_ns`. */
void canon_item_verb(const struct rtap_message *message, const struct canon_keep *keep, int64_t base_ns, struct line *line);
/* An RPC call or reply with the SEND that carried its header; NULL: unknown. */
void canon_item_rpc(const struct rtap_message *message, const struct rtap_message *send, const struct canon_keep *keep, int64_t base_ns,
		    struct line *line);
/* A NAK or RNR NAK. */
void canon_item_refusal(const struct rtap_packet *packet, const struct canon_keep *keep, struct line *line);
/* The parameters of a connection other than its role. */
void canon_item_setup(const struct rtap_connection *connection, struct line *line);
/* The address of an end, as a LID "lid:12". */
void canon_item_end(const char *name, const struct rtap_end *end, struct line *line);
/* The connection's role: its service and its ends. */
void canon_item_role(const struct rtap_connection *connection, struct line *line);

#endif
