/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Transfers of NCCL: from the announcement of a buffer to the acknowledgement of the data in it. Those that one end of a connection
 * announces are a channel; their data can be on other connections between the same hosts too.
 */
#ifndef REASSEMBLY_UPPER_NCCL_TRANSFER_H
#define REASSEMBLY_UPPER_NCCL_TRANSFER_H

#include "dissect/nccl/nccl_cts.h"
#include "reassembly/upper/nccl_job.h"
#include "reassembly/upper/nccl_late.h"
#include "reassembly/upper/nccl_match.h"
#include "reassembly/upper/nccl_waits.h"
#include "reassembly/upper/request.h"

#define NCCL_MOST_REGIONS (NCCL_MOST_RECEIVES * NCCL_MOST_KEYS)
#define NCCL_MOST_QPS 32 /* connections that carried data of a transfer, counted up to this */

struct nccl_channel;

struct nccl_transfer {
	struct request request;
	struct nccl_channel *channel;
	TAILQ_ENTRY(nccl_transfer) link; /* in the channel */
	uint64_t index, size;        /* bytes announced */
	uint64_t address;            /* of the first buffer */
	uint32_t key, tag, receives;
	uint64_t bytes;              /* of complete WRITEs, or of those that were complete when first associated */
	bool has_data, has_ack;
	bool has_own_ack;            /* the last acknowledgement is of no later message */
	bool is_late;                /* the announcement was captured after data */
	uint64_t first_frame, last_frame, ack_frame;
	int64_t first_ns, last_ns, ack_ns;
	int64_t again_ns;            /* of the last copy of data that was sent again; 0: none */
	bool has_total;              /* `total` is valid: the immediate data gave the number of bytes sent */
	uint64_t total;
	bool has_immediate;          /* `immediate`, of the last WRITE, is the total in an unknown byte order */
	uint32_t immediate;
	uint64_t immediates;         /* WRITEs with immediate data */
	struct nccl_progress progress;
	TAILQ_ENTRY(nccl_transfer) moving; /* in the list of those, if its progress is NCCL_BEGUN */
	uint32_t qp_count;
	uint32_t qps[NCCL_MOST_QPS]; /* numbers of their connections, modulo 2^32 */
	uint32_t link_count;
	struct nccl_memory_link *links; /* one for each region; NULL: not in the index */
	uint32_t length;             /* of `bytes_written` */
	uint8_t written[];           /* the announcement */
};

/* The latest data of a channel on a queue pair, on which transfers are in the order of their indices. */
struct nccl_place {
	uint64_t connection;         /* its number; 0: unused */
	uint64_t psn;                /* of the message */
	uint64_t next_psn;           /* after it; 0: unknown */
	uint64_t index;
	bool is_last;                /* it has immediate data: the transfer has no later data on the queue pair */
};

/* The announcements of one end. */
struct nccl_channel {
	TAILQ_HEAD(nccl_transfers, nccl_transfer) transfers; /* in the order of announcements; by index once it counts up */
	uint32_t count;
	unsigned layouts;            /* those that fit all entries: a bit for each enum nccl_layout; 0: none seen */
	bool is_counting;            /* the index counted up by one */
	bool is_matched;             /* a WRITE used announced memory */
	bool splits;                 /* a transfer had data on several queue pairs */
	struct nccl_pace pace;
	struct nccl_link *job_link;  /* in its job; NULL: none */
	uint64_t last_silence;       /* of the job, before the data of the transfer that was judged last */
	uint64_t done;               /* highest index of a transfer with all its data */
	struct nccl_place places[NCCL_MOST_QPS];
};

/* WRITEs of a direction that are neither announcements nor claimed for a transfer. All zero: their number is unknown. */
struct nccl_unclaimed {
	bool is_known;
	uint32_t count;              /* or more than there are */
};

static inline void nccl_unclaimed_less(struct nccl_unclaimed *unclaimed)
{
	unclaimed->count -= unclaimed->count > 0;
}

/* Of a connection: connection->upper_state. */
struct nccl_state {
	bool is_known;               /* NCCL is proven */
	uint8_t order;               /* enum nccl_order */
	struct nccl_channel channels[2]; /* announced by b; by a */
	struct nccl_late late[2];    /* WRITEs of b; of a */
	struct nccl_unclaimed unclaimed[2]; /* likewise */
};

/* In the tracker. */
struct nccl_layer_state {
	struct multimap memory;      /* announced */
	struct nccl_late_list late;
	TAILQ_HEAD(, nccl_transfer) moving; /* transfers whose data has begun and not ended */
	struct nccl_jobs jobs;
};

struct nccl_layer_state *nccl_layer_state(const struct rtap_tracker *tracker);

/* The connection's state, new if it has none. NULL: out of memory, which is counted. */
struct nccl_state *nccl_state_make(struct rtap_tracker *tracker, struct connection *connection);

/* The layout of a channel's entries. At least one must have been seen. */
static inline enum nccl_layout nccl_layout_of(const struct nccl_channel *channel)
{
	return (enum nccl_layout)__builtin_ctz(channel->layouts);
}

/* Adds a transfer to the channel, announced by the message with these bytes. NULL: out of memory, which is counted. */
struct nccl_transfer *nccl_transfer_create(struct rtap_tracker *tracker, struct nccl_channel *channel, struct message *message, const uint8_t *bytes,
					   uint32_t length);

/* Parses the announcement again, because the channel's layout turned out to be another one. */
void nccl_transfer_read_again(struct rtap_tracker *tracker, struct nccl_transfer *transfer);

struct nccl_transfer *nccl_transfer_of(struct request *request);

/* Counts the transfer in its job, once NCCL is proven on its connection. */
void nccl_transfer_announced(struct rtap_tracker *tracker, struct nccl_transfer *transfer);

/* Records the first packet of a WRITE of its data. */
void nccl_transfer_begun(struct rtap_tracker *tracker, struct nccl_transfer *transfer, int64_t time_ns);

/* Records the connection and time of a complete WRITE of its data, or of one that only ends it. */
void nccl_transfer_take(struct rtap_tracker *tracker, struct nccl_transfer *transfer, const struct message *message);

/*
 * Whether the WRITE can have data of the region's transfer: no other WRITE has these bytes, and on its queue pair it is neither after the transfer's
 * last data, nor after data of a later transfer, nor before that of an earlier one. If the announcement was captured after it, its place on the queue
 * pair must also show it: the capture has all packets since an earlier transfer, or since the queue pair's first.
 */
enum nccl_fit nccl_transfer_fit(const struct region *region, const struct message *message);

/* Remembers that it belongs to the transfer; that it has these bytes. */
void nccl_transfer_note_place(struct nccl_transfer *transfer, const struct message *message);
void nccl_transfer_note_range(struct rtap_tracker *tracker, struct region *region, const struct message *message);

/* Concludes the finished transfers of a channel, in order. */
void nccl_channel_advance(struct rtap_tracker *tracker, struct nccl_channel *channel);

/* Concludes the transfer and frees it. */
void nccl_transfer_end(struct rtap_tracker *tracker, struct nccl_transfer *transfer);

/* Fills its operation, if any, with the known values. */
void nccl_transfer_conclude(struct rtap_tracker *tracker, struct nccl_transfer *transfer);

/* Ends all transfers of the connection. If NCCL was not proven there, they are not reported. */
void nccl_state_end(struct rtap_tracker *tracker, struct connection *connection);

#endif
