/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capturing with a raw-packet queue pair. What the files share:
 *
 *   verbs.c          the live device: opening, receiving, counting
 *   verbs_merge.c    frames of several queues in the order of their times
 *   verbs_tuning.c   sizes, from what is asked for and from what the device and the port's rate allow
 *   verbs_context.c  finding and opening the device, its port, what it can do
 *   verbs_ring.c     receive buffers and who has them
 *   verbs_queue.c    completion queue, queue pair, rules; bringing them back after a failure
 *   verbs_flow.c     flow rules as the device wants them
 *   verbs_clock.c    the device's clock as wall clock time
 *   verbs_event.c    waiting, and what the device tells beside frames
 *   verbs_sender.c   sending
 *   verbs_route.c    --peer and --join, through the connection manager
 */
#ifndef CAPTURE_VERBS_VERBS_H
#define CAPTURE_VERBS_VERBS_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/verbs/flow_rule.h"
#include "capture/live.h"

#define VERBS_MOST_RULES 32
#define VERBS_MOST_QUEUES 16

/* Receives that are posted by one call. */
#define VERBS_CHAIN 32

/* Sizes and manners. Zero: not told, take the derived one. */
struct verbs_tuning {
	uint32_t depth;       /* receives posted to each queue */
	uint32_t cq_entries;
	uint32_t frame_bytes; /* the longest frame that can be received */
	uint32_t block;       /* receives a block: what is lent at once */
	uint32_t vector;      /* completion vector */
	uint32_t rate_ms;     /* what `depth` is to last for at the port's rate */
	uint32_t queues;      /* that frames are spread over by a hash (RSS); a power of two */
	bool hash_ipv6;       /* of IPv6 addresses instead of IPv4's */
	bool solicited;       /* events only for solicited completions, which raw packets are not: polled every tick */
	bool busy;            /* polls without a pause instead of waiting for events */
	bool plain_cq;        /* does not try the extended queue */
	bool no_stamps;       /* times by this machine's clock */
	bool huge_pages;      /* asks for them */
};

/* Limits that sizes are derived from. */
struct verbs_limits {
	uint32_t most_receives, most_cq_entries, most_parts;
	unsigned gbps;          /* 0: not known */
	uint32_t mtu;           /* of the netdev; 0: not known */
	uint64_t buffer_bytes;  /* asked for; 0: the usual */
	uint32_t snap_length;   /* 0: whole frames */
	bool looks_at_headers;  /* rules are matched in software: at least FLOW_RULE_REACH bytes are needed */
};

/* The sizes that hold. */
struct verbs_sizes {
	uint32_t queues;
	uint32_t depth;       /* receives of each queue; a multiple of block */
	uint32_t block;       /* a power of two, at most BATCH_FRAMES */
	uint32_t blocks;      /* in all: those posted, and those lent or free */
	uint32_t cq_entries;  /* of each queue */
	uint32_t frame_bytes; /* of a frame that fits */
	uint32_t slot_bytes;  /* kept of a frame; the rest goes to bytes that nobody looks at */
	uint32_t stride;      /* from slot to slot */
	bool split;           /* slot_bytes is less than frame_bytes */
};

enum verbs_pages {
	VERBS_PAGES_SMALL,
	VERBS_PAGES_HUGE,       /* of those that the system reserved */
	VERBS_PAGES_ADVISED,    /* the kernel was asked to make huge ones of small ones */
};

/*
 * Memory for receives, in blocks of `block` slots. A block is free, or posted, or filled: then it is lent to batches until
 * the last has given it back. It lives until its owner and all borrowers are done with it.
 */
struct verbs_ring {
	atomic_uint references; /* the owner's, and one for each block that is lent */
	uint8_t *memory;        /* the blocks, then frame_bytes that nobody looks at */
	size_t memory_bytes;
	enum verbs_pages pages;
	bool on_node;           /* the memory is the NUMA node's that was asked for, as far as that has any */
	struct verbs_sizes sizes;
	struct verbs_block *blocks;
	pthread_mutex_t lock;   /* of the list of free blocks */
	struct verbs_block *free;
};

struct verbs_block {
	struct batch_loan loan;
	struct verbs_ring *ring;
	atomic_uint references; /* the receiver's while it fills the block, and one a batch */
	uint32_t index;
	uint8_t *memory;
	struct verbs_block *next;
	struct ibv_recv_wr *requests; /* one a slot, each pointing to the next */
	struct ibv_sge *parts;        /* one or two a slot */
};

/* A line through two readings of both clocks; moved on with each reading. */
struct verbs_clock {
	uint64_t mask;          /* bits that the device counts with; 0: no such clock */
	uint64_t base_ticks;
	int64_t base_ns;        /* wall clock at base_ticks */
	double ns_a_tick;
	int64_t read_ns;        /* wall clock of the last reading */
};

/* The whole */

enum verbs_stamps { VERBS_STAMPS_HERE, VERBS_STAMPS_RAW, VERBS_STAMPS_WALL };

struct verbs_route;

/* A receive queue with its completion queue. */
struct verbs_queue {
	unsigned index;
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex; /* the same queue, if it is an extended one */
	struct ibv_wq *wq;       /* NULL: the queue pair has the only one */

	/* Blocks in the order in which they were posted; the first is being filled. */
	struct verbs_block **posted;
	uint32_t posted_begin, posted_count;
	uint32_t filled;         /* slots of the first that have completed */
	struct verbs_block *replacement; /* posted as the first is filled; the first itself if its frames are dropped */
	uint32_t replaced;       /* slots of it that have been posted */

	bool dropping;           /* frames of the first block are dropped: there was no other to take its place */
	bool copies;             /* frames of the first block are copied into records, and it takes its own place */
	uint64_t block_bytes;    /* captured since a block began to be filled last */
	bool broken;             /* nothing good comes from it any more */
	bool drained;            /* when last polled, it held no more */
	int64_t last_ns;         /* time of the last completion polled */
	unsigned events_taken;   /* completion events not yet acknowledged */
	uint64_t passed, dropped, failed; /* frames */

	/* Of several queues: frames that wait for those of others. NULL: none */
	struct batch *batch;
	size_t merged;           /* frames of it that have been handed on */
	bool kept;               /* the batch that is being filled points into it */
};

struct verbs {
	struct live_device live; /* the first member */
	char name[128];          /* "verbs:DEV/PORT", for messages */
	char description[256];
	struct verbs_tuning tuning;
	struct verbs_sizes sizes;
	uint8_t port;

	struct flow_rule rules[VERBS_MOST_RULES];
	size_t rule_count;
	enum rtap_flow_type flow_type;
	uint16_t flow_priority;
	bool flow_dont_trap;
	bool matches_here;       /* rules are matched by software */
	bool offloads;           /* what rules can do of the capture filter is asked for */
	const char *not_offloaded; /* why nothing of it is done by rules; NULL: something is */
	uint32_t snap_length;
	bool packs;              /* batches get their frames packed */
	bool counts_only;        /* frames are counted, and each block takes its own place */
	bool makes_records;      /* short frames are copied into records, which costs less than lending them */
	enum record_form record_form;

	struct ibv_context *context;
	struct ibv_device_attr_ex device;
	struct ibv_port_attr port_attr;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct verbs_queue queues[VERBS_MOST_QUEUES];
	unsigned queue_count;
	struct ibv_rwq_ind_table *table; /* of several queues */
	struct ibv_qp *qp;
	struct ibv_flow *flows[VERBS_MOST_RULES];
	size_t flow_count;
	struct ibv_mr *mr;
	struct verbs_ring *ring;
	struct verbs_route *route;
	enum verbs_stamps stamps;
	struct verbs_clock clock;
	int64_t merge_ns;        /* all that arrived until then has been polled */

	struct rtap_devices *devices; /* the reader's; NULL: nobody asks */
	atomic_bool has_changes;
	atomic_uchar changes[UINT8_MAX + 1]; /* by port: parts (enum rtap_port_part) that were told to have changed */

	bool stopped;
	bool broken;             /* the queue pair has to be brought back */
	bool cq_broken;          /* and the completion queues too */
	bool dead;               /* the device is gone */
	int64_t looked_ns;       /* when the asynchronous events were last looked for (monotonic) */

	/* counts */
	uint64_t failed, rebuilds; /* of all queues */
	bool has_device_drops;
	char drops_file[512];
	uint64_t device_drops_before, device_drops;
	int64_t drops_read_ns;   /* monotonic */

	bool has_news;           /* something waits to be told */
	char news[256];
	uint64_t told_failed;
	int64_t told_ns;         /* monotonic; of failed receives */
};

#endif
