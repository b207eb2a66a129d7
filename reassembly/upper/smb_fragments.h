/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reassembly of SMB messages from fragments of SMB Direct, in one direction of a connection. Fragments are processed in the order of the stream,
 * not in that of their capture; their RemainingDataLength shows which belong together. [MS-SMBD] 3.1.5.
 */
#ifndef REASSEMBLY_UPPER_SMB_FRAGMENTS_H
#define REASSEMBLY_UPPER_SMB_FRAGMENTS_H

#include "reassembly/state.h"

struct smb_fragment {
	uint64_t psn, end;        /* of its SEND, unwrapped, and after it; iWARP: position in the stream */
	uint64_t given_up;        /* stream->given_up when it was captured */
	bool has_msn;             /* iWARP: `msn` counts the Sends of the direction */
	uint32_t msn;
	uint64_t frame;
	int64_t time_ns;
	struct rtap_span bytes;   /* captured; in struct smb_fragments on the heap */
	uint32_t length;          /* on the wire */
	uint32_t remaining;       /* bytes of the message after it */
};

/* Fragments that wait for others, by PSN. All zero: none. */
struct smb_fragments {
	struct smb_fragment *list;
	uint32_t count, room;
	uint64_t bytes;           /* charged to the connection */
};

/* A whole message. */
struct smb_whole {
	struct rtap_span bytes;   /* up to the first byte that was not captured */
	uint64_t first_frame;
	int64_t first_ns;
	uint32_t wire;            /* bytes of the message */
	uint32_t sends;           /* if more than one, `bytes` is on the heap and owned by the caller */
};

/* Adds a fragment with data, whose bytes are borrowed. `stream`: that of its SEND, or NULL. True: it completes the message *whole. */
bool smb_fragments_add(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments,
		       const struct psn_stream *stream, const struct smb_fragment *fragment, struct smb_whole *whole);

/* Drops all fragments, and returns their memory to the connection's entry. */
void smb_fragments_fini(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments);

#endif
