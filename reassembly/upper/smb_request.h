/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests of SMB: each message with its commands, paired with their responses by MessageId. A compound is one request, which ends with
 * the last response; each command of it is an operation. [MS-SMB2] 2.2 and 3.
 */
#ifndef REASSEMBLY_UPPER_SMB_REQUEST_H
#define REASSEMBLY_UPPER_SMB_REQUEST_H

#include "reassembly/upper/command.h"
#include "reassembly/upper/smb_fragments.h"

/* SMB Direct credits of one direction. */
struct smb_credits {
	bool is_known;            /* the negotiation was captured, and no SEND is known to be missing since */
	uint32_t left;            /* SENDs that it may send */
	bool waits;               /* its last fragment used the last credit, and the message was not complete */
	int64_t since_ns;         /* when that was */
	uint64_t waited_ns;       /* of the message that it sends now */
};

/* Credits of SMB that a client has left: [MS-SMB2] 3.2.4.1.2. */
struct smb_balance {
	bool is_known;            /* the connection was seen from its first request on */
	int64_t left;
};

/* When a response was sent among those of its side. */
struct smb_place {
	uint64_t psn, frame;
	int16_t shift;            /* struct file_effect */
};

#define SMB_RECENT 16

struct smb_connection {
	struct commands commands;
	struct smb_fragments fragments[2]; /* of b; of a */
	struct smb_credits credits[2];
	struct smb_balance balances[2];
	struct smb_place recent[2][SMB_RECENT]; /* the last responses */
	uint32_t responses[2];    /* wraps; the next one is at recent[][responses % SMB_RECENT] */
	uint32_t highest[2];      /* that of the highest PSN, likewise, if `responses` is not more than SMB_RECENT above it */
	uint64_t server_guid[2];  /* 0: unknown */
	uint64_t next_ids[2];     /* MessageId of the next request: [MS-SMB2] 3.2.4.1.3 */
	uint8_t *shown;           /* the message of several fragments that the current packet shows */
	uint32_t shown_length;    /* its bytes, charged to the connection */
};

/* The connection's state, new if it has none. NULL: out of memory, which is counted. */
struct smb_connection *smb_connection_make(struct rtap_tracker *tracker, struct connection *connection);

struct smb_request;

/* The request of the first response in a message. NULL: it is not a response, or the request is unknown. */
struct smb_request *smb_request_of(const struct upper_work *work, struct rtap_span message);

/* Processes a message that the current SEND completed, also if a truncated copy of it was processed before. `request`: by smb_request_of(). */
void smb_take_message(struct upper_work *work, const struct smb_whole *whole, struct smb_request *request);

/*
 * Adds to the packet the paths of the files that the commands of its request name by an id, if they are known and the packet view names files. The
 * message was processed.
 */
void smb_show_paths(struct upper_work *work);

bool smb_is_response(struct rtap_span message);

/* Adds what a SEND lost. smb_request_lost(): of a request or response, other than the one that completed it. */
void smb_lost_add(struct smb_lost *lost, const struct upper_loss *loss);
void smb_request_lost(struct request *request, const struct message *send, const struct upper_loss *loss);

/* Facts about the request of a response, for its dissection. All zero: the request is unknown. */
struct packet_request smb_known(struct smb_request *request, struct rtap_span message);

#endif
