/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reassembly of SMB messages from fragments of SMB Direct, in one direction of a connection. Fragments are processed in the order of the stream,
 * not in that of their capture; their RemainingDataLength shows which belong together. [MS-SMBD] 3.1.5.
 */
#ifndef REASSEMBLY_UPPER_SMB_FRAGMENTS_H
#define REASSEMBLY_UPPER_SMB_FRAGMENTS_H

#include "reassembly/state.h"

/* What recoveries repaired of SENDs. */
struct smb_lost {
	uint32_t time_us, repeats;
};

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
	struct smb_lost lost;     /* so far */
	bool lacks_packets;       /* `bytes` are those before the first missing one, `present` all that were captured, from the fragment's first byte on */
	struct coverage present;
};

/* Fragments that wait for others, by PSN. All zero: none. */
struct smb_fragments {
	struct smb_fragment *list;
	uint32_t count, room;
	uint64_t bytes;           /* charged to the connection */
	uint32_t longest;         /* length of the longest one so far */
};

/* A message: whole, or as far as it was captured. */
struct smb_whole {
	struct rtap_span bytes;   /* up to the first byte that was not captured */
	uint64_t first_frame;
	int64_t first_ns;
	uint32_t wire;            /* bytes of the message */
	uint32_t sends;           /* fragments that were captured; if more than one, `bytes` is on the heap and owned by the caller */
	uint64_t first_psn, last_psn; /* of them */
	struct smb_lost lost;     /* of all except the one that completed it */
	bool lacks_packets;       /* packets of it were not captured: `present` is owned by the caller and has all bytes, also those of `bytes` */
	struct coverage present;
};

/* Adds a fragment with data, whose bytes are borrowed. `stream`: that of its SEND, or NULL. True: it completes the message *whole. */
bool smb_fragments_add(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments,
		       const struct psn_stream *stream, const struct smb_fragment *fragment, struct smb_whole *whole);

/*
 * Adds a SEND that lacks packets, if none with its PSN is there: fragment->bytes are its first bytes, `present` has all, from `position` on. It completes no
 * message.
 */
void smb_fragments_add_part(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments,
			    const struct smb_fragment *fragment, const struct coverage *present, uint64_t position);

/*
 * Takes the message with this MessageId, of which fragments or packets are missing, as far as it is there. False: its first fragment is not, or out of
 * memory, which is counted.
 */
bool smb_fragments_take(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments, uint64_t id,
			struct smb_whole *whole);

/*
 * The SEND at `psn` is settled, and nothing that may follow is expected: the same for the message of which it is the last fragment that is there. Without the
 * first one, it is dropped.
 */
bool smb_fragments_settle(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments, uint64_t psn,
			  struct smb_whole *whole);

/* The waiting fragment at `psn`; NULL: none. */
struct smb_fragment *smb_fragments_find(const struct smb_fragments *fragments, uint64_t psn);

/* Drops all fragments, and returns their memory to the connection's entry. */
void smb_fragments_fini(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments);

#endif
