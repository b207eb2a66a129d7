/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capturing with a raw-packet queue pair: definitions shared by these files:
 *
 *   verbs.c          the live device: opening, waiting, recovering, counting; the list of devices
 *   verbs_poll.c     frames from the completions of a queue
 *   verbs_merge.c    merging frames of several queues in time order
 *   verbs_tuning.c   sizes, from the options, the device's limits and the port's rate
 *   verbs_context.c  finding and opening the device and port, querying capabilities
 *   verbs_ring.c     receive buffers and their ownership
 *   verbs_shrink.c   how many receives stay posted while few frames arrive
 *   verbs_queue.c    completion queue, queue pair, rules; recovering them after a failure
 *   verbs_flow.c     flow rules in the device's format
 *   verbs_clock.c    converting the device's clock to wall clock time
 *   verbs_event.c    waiting, and asynchronous events of the device
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
#include <sys/queue.h>

#include "capture/verbs/flow_rule.h"
#include "capture/live.h"

#define VERBS_MOST_RULES 32
#define VERBS_MOST_QUEUES 16

/* Receive work requests posted by one call. */
#define VERBS_CHAIN 32

/* Tuning parameters. Zero: not set, use the derived value. */
struct verbs_tuning {
	uint32_t depth;       /* receives posted to each queue */
	uint32_t cq_entries;
	uint32_t frame_bytes; /* maximum length of a received frame */
	uint32_t block;       /* receives per block, the unit of borrowing */
	uint32_t vector;      /* completion vector */
	uint32_t rate_ms;     /* time for which `depth` must suffice at the port's rate */
	uint32_t shrink_ms;   /* time without bursts after which receives are left unposted; 0: all are always posted */
	uint32_t least;       /* receives that stay posted then */
	uint32_t queues;      /* number of queues for receive side scaling (RSS); a power of two */
	bool hash_ipv6;       /* RSS hash of IPv6 addresses instead of IPv4 addresses */
	bool solicited;       /* request events for solicited completions only; raw packets are not solicited: polled every tick */
	bool busy;            /* busy polling instead of waiting for events */
	bool plain_cq;        /* do not try the extended CQ */
	bool no_stamps;       /* use the host's clock */
	bool huge_pages;      /* request huge pages */
};

/* Limits from which the sizes are derived. */
struct verbs_limits {
	uint32_t most_receives, most_cq_entries, most_parts;
	unsigned gbps;          /* 0: unknown */
	uint32_t mtu;           /* of the netdev; 0: unknown */
	uint64_t buffer_bytes;  /* requested; 0: the default */
	uint32_t snap_length;   /* 0: whole frames */
	bool looks_at_headers;  /* rules are matched in software, which needs at least FLOW_RULE_REACH bytes */
	uint64_t most_locked;   /* bytes; 0: any */
};

/* The sizes in effect. */
struct verbs_sizes {
	uint32_t queues;
	uint32_t depth;       /* receives per queue; a multiple of block */
	uint32_t block;       /* a power of two, at most BATCH_FRAMES */
	uint32_t blocks;      /* total: posted, borrowed and free ones */
	uint32_t cq_entries;  /* per queue */
	uint32_t frame_bytes; /* maximum frame length */
	uint32_t slot_bytes;  /* bytes kept of a frame; the rest goes to a discard area */
	uint32_t stride;      /* distance between slots */
	bool split;           /* slot_bytes is less than frame_bytes */
};

enum verbs_pages {
	VERBS_PAGES_SMALL,
	VERBS_PAGES_HUGE,       /* from the system's reserved pool */
	VERBS_PAGES_ADVISED,    /* transparent huge pages, by madvise(2) */
};

/*
 * Memory for receives, in blocks of `block` slots. A block is free, posted or filled; a filled block is borrowed by batches until
 * the last one returns it. The memory lives until its owner and all borrowers have released it.
 */
struct verbs_ring {
	atomic_uint references; /* the owner's, and one for each borrowed block */
	uint8_t *memory;        /* the blocks, then a discard area of frame_bytes */
	size_t memory_bytes;
	enum verbs_pages pages;
	bool on_node;           /* the memory is bound to the requested NUMA node, as far as available */
	struct verbs_sizes sizes;
	struct verbs_block *blocks;
	pthread_mutex_t lock;   /* protects the list of free blocks */
	SLIST_HEAD(, verbs_block) free;
};

struct verbs_block {
	struct batch_buffer borrowed;
	struct verbs_ring *ring;
	atomic_uint references; /* the receiver's while it fills the block, and one per batch */
	uint32_t index;
	uint8_t *memory;
	SLIST_ENTRY(verbs_block) link; /* in the list of free or unposted blocks */
	struct ibv_recv_wr *requests; /* one per slot, each pointing to the next */
	struct ibv_sge *parts;        /* one or two per slot */
};

/* Linear mapping through two readings of both clocks, updated with each reading. */
struct verbs_clock {
	uint64_t mask;          /* bits of the device's counter; 0: no such clock */
	uint64_t base_ticks;
	int64_t base_ns;        /* wall clock at base_ticks */
	double ns_a_tick;
	int64_t read_ns;        /* wall clock of the last reading */
};

/* The device */

enum verbs_stamps { VERBS_STAMPS_HERE, VERBS_STAMPS_RAW, VERBS_STAMPS_WALL };

struct verbs_route;

/* How many receives of a queue stay posted. All zero: always all. */
struct verbs_shrinking {
	int64_t calm_ns;      /* time without bursts after which receives are left unposted; twice as long after each burst that finds them so */
	int64_t burst_ns;     /* last burst, or the start (monotonic) */
	uint64_t run, peak;   /* completions since the queue was last found empty; maximum since the last burst */
	uint32_t frame_bytes; /* mean length of the latest frames; 0: unknown */
	uint32_t least;       /* minimum posted so far */
	unsigned times;       /* that all were posted again */
	bool grows;           /* all are to be posted at the end of the block */
};

/* A receive queue with its completion queue. */
struct verbs_queue {
	unsigned index;
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex; /* the same queue, if it is extended */
	struct ibv_wq *wq;       /* NULL: the queue pair's own receive queue is used */

	/* Blocks in posting order; the first is being filled. */
	struct verbs_block **posted;
	uint32_t posted_begin, posted_count;
	uint32_t filled;         /* slots of the first that have completed */
	struct verbs_block *replacement; /* posted while the first is filled; the first itself if its frames are dropped */
	uint32_t replaced;       /* slots of it already posted */

	bool dropping;           /* frames of the first block are dropped, because no free block can replace it */
	bool copies;             /* frames of the first block are copied, into records if verbs->makes_records; the block replaces itself */
	uint64_t block_bytes;    /* captured since the start of the current block */
	struct verbs_shrinking shrinking;
	SLIST_HEAD(, verbs_block) unposted; /* blocks left out */
	bool leaves;             /* `replacement` is not posted, but left out */
	bool broken;             /* failed; has to be rebuilt */
	bool drained;            /* it was empty after the last poll */
	int64_t last_ns;         /* time of the last completion polled */
	unsigned events_taken;   /* completion events not yet acknowledged */
	uint64_t passed, dropped, failed; /* frames */

	/* With several queues: frames waiting for those of other queues. NULL: none */
	struct batch *batch;
	size_t merged;           /* frames of it already delivered */
	bool kept;               /* the batch being filled points into it */
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
	bool matches_here;       /* rules are matched in software */
	bool offloads;           /* offloading of the capture filter is requested */
	const char *not_offloaded; /* why it is not offloaded; NULL: it is, at least in part */
	uint32_t snap_length;
	bool counts_only;        /* frames are only counted, and each block replaces itself */
	bool makes_records;      /* short frames are copied into records, which is cheaper than borrowing their buffers */
	bool keeps;              /* records of long frames are made too: they are kept, and so may not occupy receive buffers */
	enum record_form record_form;

	struct ibv_context *context;
	struct ibv_device_attr_ex device;
	struct ibv_port_attr port_attr;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct verbs_queue queues[VERBS_MOST_QUEUES];
	unsigned queue_count;
	struct ibv_rwq_ind_table *table; /* with several queues */
	struct ibv_qp *qp;
	struct ibv_flow *flows[VERBS_MOST_RULES];
	size_t flow_count;
	struct ibv_mr *mr;
	struct verbs_ring *ring;
	uint64_t cache_bytes;    /* of the last-level cache; 0: unknown or not needed */
	struct verbs_route *route;
	enum verbs_stamps stamps;
	struct verbs_clock clock;
	int64_t merge_ns;        /* all frames that arrived before this time have been polled */

	struct rtap_devices *devices; /* owned by the reader; NULL: changes are not reported */
	atomic_bool has_changes;
	atomic_uchar changes[UINT8_MAX + 1]; /* by port: parts (enum rtap_port_part) reported as changed */

	bool stopped;
	bool broken;             /* the queue pair has to be rebuilt */
	bool cq_broken;          /* and the completion queues too */
	bool is_disordered;      /* receives completed out of order */
	unsigned disorders;      /* times that this was so with this kind of completion queue */
	bool dead;               /* the device is gone */
	int64_t looked_ns;       /* last check for asynchronous events (monotonic) */

	/* counters */
	uint64_t failed, rebuilds; /* of all queues */
	bool has_device_drops;
	char drops_file[512];
	uint64_t device_drops_before, device_drops;
	int64_t drops_read_ns;   /* monotonic */

	bool has_news;           /* `news` is to be reported */
	char news[256];
	uint64_t reported_failed;
	int64_t reported_ns;     /* last report of failed receives (monotonic) */
};

#endif
