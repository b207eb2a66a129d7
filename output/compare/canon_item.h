/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * canon's own values of messages, refusals and connections, as records (output/compare/canon_values.h).
 */
#ifndef OUTPUT_COMPARE_CANON_ITEM_H
#define OUTPUT_COMPARE_CANON_ITEM_H

#include <rdmatap/message.h>

#include "output/compare/canon_values.h"

#define CANON_SHOWN_HOLES 8

/* A SEND that may have carried an RPC message, which then is one thing with it. */
struct canon_send {
	bool present;
	uint64_t connection;
	struct rtap_message message; /* its pointers are not valid, but for `missing` */
	struct rtap_missing missing[CANON_SHOWN_HOLES];
};

void canon_send_keep(struct canon_send *send, const struct rtap_message *message);

/* A message that is no RPC. Times are told from `base_ns`. */
void canon_item_verb(const struct rtap_message *message, const struct canon_keep *keep, int64_t base_ns, struct line *line);
/* An RPC call or reply with the SEND that carried its header; NULL: that is not known. */
void canon_item_rpc(const struct rtap_message *message, const struct rtap_message *send, const struct canon_keep *keep, int64_t base_ns,
		    struct line *line);
/* A NAK or RNR NAK. */
void canon_item_refusal(const struct rtap_packet *packet, const struct canon_keep *keep, struct line *line);
/* What is known of a connection apart from its role. */
void canon_item_setup(const struct rtap_connection *connection, struct line *line);
/* The connection's role: its service and who its ends are. */
void canon_item_role(const struct rtap_connection *connection, struct line *line);

#endif
