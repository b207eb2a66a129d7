/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sessions of RNBD: a client, a server and the devices that the client has open there. A session has several paths (pairs of addresses),
 * and each path several connections.
 */
#ifndef REASSEMBLY_UPPER_RNBD_SESSION_H
#define REASSEMBLY_UPPER_RNBD_SESSION_H

#include <sys/queue.h>

#include "dissect/rnbd/rtrs_private.h"
#include "reassembly/state.h"

#define RNBD_TEXT 1100     /* a name of 255 bytes, each escaped as up to four characters, and an address */

/* Lives as long as the tracker. */
struct rnbd_device {
	SLIST_ENTRY(rnbd_device) link;
	uint32_t id;
	char name[];       /* printable */
};

struct rnbd_session {
	SLIST_ENTRY(rnbd_session) link;
	uint8_t uuid[RTRS_UUID_LENGTH]; /* all zero: unknown */
	struct rtap_end client, server; /* addresses of the first path */
	uint8_t place_bits; /* rtrs_place_bits() of the queue depth; 0: unknown */
	char *name;        /* printable; NULL: unknown */
	char *target;      /* the same, or with the server's address if another server has a session of that name */
	SLIST_HEAD(, rnbd_device) devices; /* newest first */
	uint32_t device_count;
};

/* For struct upper_layer. */
bool rnbd_sessions_init(struct rtap_tracker *tracker);
void rnbd_sessions_fini(struct rtap_tracker *tracker);

/* The session of a connection; `uuid` NULL: unknown, the newest between these addresses. NULL: no room, which is counted. */
struct rnbd_session *rnbd_session_find(struct rtap_tracker *tracker, const struct rtap_end *client, const struct rtap_end *server,
				       const uint8_t *uuid);

void rnbd_session_set_name(struct rtap_tracker *tracker, struct rnbd_session *session, const uint8_t *bytes, size_t length);

/* A response gave the device an id. */
void rnbd_session_open(struct rtap_tracker *tracker, struct rnbd_session *session, uint32_t id, const char *name);

/* NULL: unknown. */
const struct rnbd_device *rnbd_session_device(const struct rnbd_session *session, uint32_t id);

/* The name of a server: the session's target or, if that is unknown, the address, written to `text`. */
const char *rnbd_target_text(const struct rnbd_session *session, const struct rtap_end *server, char text[RNBD_TEXT]);

#endif
