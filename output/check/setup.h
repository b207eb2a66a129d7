/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connection parameters that the ends negotiated: by communication management on InfiniBand (REQ, REP and LAP),
 * by MPA Request and Reply on iWARP.
 */
#ifndef OUTPUT_CHECK_SETUP_H
#define OUTPUT_CHECK_SETUP_H

#include "dissect/engine/packet.h"

/* Number of connections kept until their first packet. */
#define SETUPS 256

struct setup_end {
	uint8_t address[16], address_length;
	uint8_t responder_resources; /* READs and atomics that it serves at a time */
	uint8_t rnr_retry_count;     /* of this end as a requester; 7: unlimited */
	bool private_known;          /* the private data was captured in full */
	bool has_rpcrdma, remote_invalidation; /* RFC 8797 */
	uint32_t id, qpn;
	uint32_t starting_psn;       /* of its requests */
	uint32_t send_size, receive_size; /* RFC 8797, bytes; without it 1024; 0: unknown, the private data was not captured in full */
};

struct setup {
	struct setup_end ends[2];    /* InfiniBand: 0 is the sender of the REQ; iWARP: those of the connection */
	unsigned initiator;          /* which end connected */
	bool is_complete;            /* REP seen */
	uint64_t connection;         /* number of the one that uses it; 0: none yet */
	bool is_resumed;             /* that one used it before: its first packets are over */
	bool alternate_path;         /* in the REQ, or by a LAP or APR */
	uint8_t retry_count;
	uint32_t path_mtu;           /* bytes; 0: a reserved code */
	int64_t ack_timeout_ns;      /* after which a request without response is sent again at the earliest; 0: unknown */
	uint64_t service_id;
	bool is_srp;                 /* its login response was captured */
	int32_t srp_limit;           /* with is_srp: requests that it grants */
	bool is_nvme;
	uint16_t nvme_queue, nvme_host_send, nvme_host_receive; /* with is_nvme: queue id, sizes of the host's queues: send size counts from 0 */
};

/* All zero: none. */
struct setups {
	struct setup list[SETUPS];
	unsigned next;
};

/* Records the contents of a communication management message. The setup that it completes or changes; NULL: none. */
const struct setup *setups_packet(struct setups *setups, const struct rtap_packet *packet);

/* Records an MPA Request or Reply of iWARP that end `sender` sent. RFC 5044, 7.1.1; RFC 8797, section 4. */
void setup_take_mpa(struct setup *setup, const struct rtap_mpa_facts *mpa, unsigned sender);

/*
 * The setup of the connection to which an RC, UC or XRC packet belongs. *sender: which end sent it. NULL: unknown, or that of an earlier connection
 * of the same queue pairs.
 */
const struct setup *setups_find(struct setups *setups, const struct rtap_packet *packet, unsigned *sender);

/* Connection `from` is `into`. */
void setups_merge(struct setups *setups, uint64_t from, uint64_t into);

#endif
