/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Outstanding requests of upper layers, each from the SEND that carries it to its response, and the memory of the requester that it
 * names: regions, which READs read and WRITEs fill. A READ or WRITE belongs to a request by key, address and PSN, in any split, order and
 * repetition: a region is the request's until the PSN of the response, also if the key is used again at once or its data was captured
 * first. If SENDs are captured late, it is decided again. What READs and WRITEs lost counts for their request.
 * doc/adding-an-upper-layer.md shows how a layer uses this.
 */
#ifndef REASSEMBLY_UPPER_REQUEST_H
#define REASSEMBLY_UPPER_REQUEST_H

#include <sys/queue.h>

#include "reassembly/store/budget.h"
#include "reassembly/store/coverage.h"
#include "reassembly/store/tree.h"

struct connection;
struct message;
struct operation;
struct psn_stream;
struct request;
struct rtap_message;
struct rtap_tracker;
struct upper_loss;
struct upper_memory;

/* Memory with one key. Overlapping ranges share a region. */
struct region {
	struct tree_node node;    /* in the tree of its connection: region.c */
	struct request *request;
	uint64_t begin, end;      /* addresses */
	uint64_t furthest;        /* highest `end` of its subtree */
	uint64_t position;        /* of `begin` in the data that the request's READs or WRITEs move */
	uint32_t key;
	uint8_t uses;             /* region_name.use of all that share it */
	bool is_read;             /* true: read by READs; false: filled by WRITEs */
	bool is_open;             /* it is found by key and address */
	bool is_unplaced;         /* where its data belongs is not known yet: none is stored. Set by the layer */
	bool keep_bytes;          /* not only coverage and checksums */
	uint64_t asked;           /* bytes of READs and WRITEs claimed for it, except WRITEs of iWARP */
	struct coverage data;     /* data of READs and WRITEs; positions count from `begin` */
	struct coverage cut;      /* data of READs and WRITEs that the capture truncated */
	struct coverage arrived;  /* data of READs that arrived, captured or truncated, copied here or not */
};

/* A range of memory that a request names. */
struct region_name {
	uint64_t begin, end;      /* addresses */
	uint32_t key;
	uint32_t number;          /* the layer's; also the order of equal ranges */
	bool is_read;             /* it is read by READs */
	uint8_t use;              /* bits of the layer */
	struct region *region;    /* set by region_create_all(), valid until the request ends */
	uint64_t position;        /* likewise: region.position */
};

/* Losses that recoveries repaired. */
struct request_lost {
	uint32_t time_us;
	uint16_t resent;          /* packets; UINT16_MAX: that many or more */
	uint8_t to;               /* one bit for each enum rtap_recovery */
};

/* Frames with data of a request. */
struct request_data {
	uint64_t first_frame, last_frame; /* 0: none */
	int64_t first_ns, last_ns;
	bool wanted;              /* one of its messages is: struct rtap_message */
};

/* The head of a layer's own struct. The layer sets `entry` and may set the messages; the rest is set by the functions below. */
struct request {
	struct connection *connection;
	bool from_a;              /* the requester */
	bool is_seen;             /* false: only its response was captured */
	bool is_newest;           /* no later request of its side was captured before it; valid with is_seen */
	bool is_answered;
	bool only_confirmed;      /* all data is known: it waits for an acknowledgement, which may never come. Set by the layer */
	struct budget_entry entry; /* of its memory: if it is evicted or given up, the request ends incomplete */
	struct message *message, *response_message; /* messages with its operation, and of the layer for its response; NULL: none */
	TAILQ_ENTRY(request) link; /* in the connection's list of answered or of unanswered requests */
	uint64_t number;          /* from 1, in the order in which the tracker learned of requests */
	uint64_t psn;             /* of its SEND, unwrapped: the order of a side's requests; valid with is_seen */
	uint64_t first_frame;     /* of its SEND; valid with is_seen */
	int64_t time_ns;
	uint64_t response_psn;    /* unwrapped, in the responder's stream; valid with is_answered */
	struct message *response; /* unfinished message that carries the response; NULL: none */
	struct region *regions;   /* in order of is_read, key and address; memory is kept for reuse when empty */
	uint32_t region_count, region_room;
	uint64_t read_length;     /* bytes of the ranges to be read, counted as often as they are named */
	uint64_t read_left;       /* bytes of its regions that no READ has transferred yet */
	bool has_failed;          /* the response reports an error: the data need not have moved */
	bool has_written;         /* the response says how many bytes were written */
	uint64_t written;
	bool has_moved;           /* the response says how many bytes were needed at least of those to be written, to be read */
	uint64_t moved[2];
	uint32_t late_us;         /* that its SEND lost after the response: sent again because its acknowledgement was lost */
	struct request_lost read_lost, write_lost; /* of the READs and WRITEs that were placed in its regions */
	struct request_data data; /* of the READs and WRITEs that were placed in its regions; the layer may add others */
	size_t operation_size;    /* of the operation that is still to be made; 0: none */
	/* The rest is private to request.c and region.c. */
	TAILQ_HEAD(, message) claimed; /* unfinished READs and WRITEs of its regions */
	/*
	 * Positions of the streams of the responder and of the requester when the request arrived: later losses can be its
	 * response, or a later request.
	 */
	uint64_t next_psn[2], given_up[2];
	/*
	 * PSNs of the responder, unwrapped: its position when the request arrived; the lowest of the READs and WRITEs captured
	 * before the request; 0: none
	 */
	uint64_t begun_psn, early_psn;
	uint32_t unknown_responses; /* the connection's when the request arrived */
	bool has_regions;         /* some regions are found by key and address */
	bool is_contested;        /* a READ or WRITE matched its memory and that of another request */
	bool in_doubt;            /* a READ or WRITE was assigned to it although its response can have been lost before */
	bool is_listed;           /* its regions are not in the connection's tree, but in the list given by is_answered */
	LIST_ENTRY(request) listed;
};

/* request_number of a SEND that has a part of a message of the layer, which is not whole yet: upper_layer.incomplete() is called for it too. */
#define REQUEST_AWAITED UINT64_MAX

/* Requests in order. */
struct request_list {
	TAILQ_HEAD(request_queue, request) queue;
	uint32_t count;
};

/* The requests of a connection. */
struct requests {
	struct request_list lists[2];     /* waiting for the response; response not settled */
	uint32_t unknown_responses;       /* responses to unknown requests; wraps */
	/*
	 * Regions, found by key and address. Nearly all lookups succeed in the few requests that wait for responses. The tree
	 * holds the others.
	 */
	struct tree tree;
	LIST_HEAD(, request) listed[2];   /* requests whose regions are not in the tree, newest first: waiting; others */
	uint32_t waiting;                 /* number of requests in listed[0] */
	uint64_t response_psn[2];         /* highest PSN of a response to requests of b; of a */
};

/* No requests. `requests` is all zero. */
void request_init_all(struct requests *requests);

/*
 * Adds a request, all zero but for the memory kept of an earlier one, to its connection. Call request_seen() with its SEND and
 * request_answered() with that of its response, in the order in which they become known.
 */
void request_begin(struct rtap_tracker *tracker, struct request *request, struct connection *connection, bool from_a);

/* The SEND that carries the request. */
void request_seen(struct request *request, const struct message *send);

/* READs and WRITEs find the regions, of region_create_all(), from here on; those that were captured before the request are assigned to it. */
void request_open(struct rtap_tracker *tracker, struct request *request, const struct message *send);

/*
 * Sets the SEND that carries the response: message->request is the request from here on, and the layer's response_settled() is called with it.
 * READs and WRITEs that may have been captured out of order are assigned again by request_reconsider().
 */
void request_answered(struct request *request, struct message *send);
void request_reconsider(struct rtap_tracker *tracker, struct request *request, const struct message *send);

/*
 * The SEND of the request is reported with an operation in `size` bytes, when the request has ended, if operations are wanted:
 * reassembly/operation.h. It takes memory only from request_conclude() or request_make_operation() on.
 */
void request_operation(struct rtap_tracker *tracker, struct request *request, struct message *send, size_t size);

/* Adds these frames to an operation of the request. */
void request_show_data(const struct request *request, struct operation *operation);

/*
 * Makes the operation, once: zeroed, except for the frames of its data, with times from the start of the capture. The caller fills it and sets
 * `concluded`. NULL: none is wanted, it was made before, or out of memory, which is counted.
 */
void *request_make_operation(struct rtap_tracker *tracker, struct request *request);

/*
 * The same, and fills the members common to operations of all layers: frames, times, bytes in the regions, losses, missing ranges of request
 * and response. The layer fills the rest. `response`: its SEND; NULL: none was seen.
 */
void *request_conclude(struct rtap_tracker *tracker, struct request *request, struct message *response);

/* Whether all bytes of a SEND are present, also of one that is not settled. */
bool request_is_whole(const struct message *send);

/* Stops assigning data to the request, and settles its READs and WRITEs that still wait for data. */
void request_settle_claimed(struct rtap_tracker *tracker, struct request *request);

/* A request that has not ended, by the number of its message; NULL: it has, or too many are newer. */
struct request *request_find(const struct connection *connection, uint64_t number);

/* Removes its regions, and the READs and WRITEs from them, before the response: region_create_all() can be called again. */
void request_forget_memory(struct rtap_tracker *tracker, struct request *request);

/* Removes the request from its connection, and its regions. The memory for regions stays for the next request if there is little. */
void request_end(struct rtap_tracker *tracker, struct request *request);

/* Moves a request to another connection. `turned`: the ends are swapped there. */
void request_move(struct rtap_tracker *tracker, struct request *request, struct connection *to, bool turned);

/* Callbacks for layers whose requests name memory: upper_layer.memory. */
extern const struct upper_memory request_memory;

/* Its members that are not in region.h. */
void request_data_settled(struct rtap_tracker *tracker, struct message *message);
void request_take_lost(struct rtap_tracker *tracker, const struct message *message, const struct upper_loss *loss);

/* Adds the losses of a SEND to the message of the layer that it carries. */
void request_show_lost(struct rtap_message *shown, const struct rtap_message *send);

/*
 * A SEND that is neither the request nor its response belongs to it: what selects the SEND selects the request's operation. Call request_want()
 * when the frame of such a SEND is wanted.
 */
void request_claim_send(struct message *send, const struct request *request);
void request_want(const struct message *send);

/* Both ends are known now: requests of one end since the request of the other may belong to it. */
void request_claim_waiting(struct rtap_tracker *tracker, const struct psn_stream *stream);

/* Call before the data in the regions is used for the last time: drops what can belong to another request that was not captured. */
void request_drop_doubtful(struct rtap_tracker *tracker, struct request *request);

/* Updates the charge for a part of a request's memory from `before` to `now` bytes. */
static inline void request_charge(struct budget *budget, struct request *request, uint64_t now, uint64_t before)
{
	if (now > before)
		budget_charge(budget, &request->entry, now - before);
	else
		budget_give(budget, &request->entry, before - now);
}

#endif
