/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_VERBS_SIM_SIM_H
#define TESTS_VERBS_SIM_SIM_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/verbs_sim/verbs_sim.h"

/*
 * A simulated RDMA device: stands in front of libibverbs and librdmacm, preloaded or linked. It has no threads: frames are
 * made when a queue is polled, or when a wait for a completion event finds their time has come. One thread at a time
 * may call it, but for comp_channel and asynchronous descriptors, which may be polled anywhere.
 */

#define SIM_EXPORT __attribute__((visibility("default")))
#define SIM_MOST_FLOWS 16
#define SIM_MOST_QPS 16
#define SIM_MOST_WQS 32
#define SIM_MOST_MRS 4096
#define SIM_MOST_EVENTS 64
#define SIM_MOST_FRAME 16384
#define SIM_CLOCK_KHZ 156250u
/* it is reported in a long */
#define SIM_CLOCK_MASK ((UINT64_C(1) << (sizeof(long) > 4 ? 40 : 31)) - 1)

/* Ticks of the device's clock at a time in ns. */
static inline uint64_t sim_ticks(uint64_t ns)
{
	return (ns / 1000000 * SIM_CLOCK_KHZ + ns % 1000000 * SIM_CLOCK_KHZ / 1000000) & SIM_CLOCK_MASK;
}

enum sim_feed_kind { SIM_FEED_NONE, SIM_FEED_FILE, SIM_FEED_GENERATOR, SIM_FEED_VETH };
enum sim_stamp { SIM_STAMP_WALL, SIM_STAMP_RAW, SIM_STAMP_NONE };

/* What the configuration says; see verbs_sim.h. */
struct sim_config {
	unsigned devices, ports, max_wr, max_cqe, max_sge, vectors;
	uint8_t link_layer, state, width, speed;
	enum sim_feed_kind feed;
	char feed_name[512];
	uint64_t frames;       /* that the generator makes; 0: no end */
	uint32_t frame_size;
	char send_name[512];   /* "" or a file; an interface when send_is_veth */
	bool send_is_veth;
	char sysfs[256];
	enum sim_stamp stamp;
	int64_t skew_ns;
	unsigned raw_caps, most_inline;
	unsigned rss;          /* queues that a table may have; 0: there are none */
	unsigned flows;        /* UDP source ports that the generator uses */
	bool no_extended_cq, no_device_ex, no_flow, no_sniffer, no_dont_trap, no_clock, no_recreate;
	uint64_t pace;         /* frames a second; 0: as receives are there */
	uint64_t burst, burst_ns; /* further frames, all at once, at this interval */
	uint64_t error_at, soft_error_at, overrun_at;
	uint64_t disorder_at, plain_disorder_at;
	uint64_t error_every;
	struct {
		enum ibv_event_type type;
		uint64_t at;
		unsigned pause_ms; /* no frames for so long, then the port is active again */
	} events[8];
	unsigned event_count;
	char fail_call[32];
	uint64_t fail_at;      /* the how-manieth call of fail_call, or of any if that is "any" */
	int fail_errno;
	unsigned cm_delay_ms;
	bool cm_silent, cm_reject;
};

/* One frame that the feed gives. */
struct sim_frame {
	const uint8_t *bytes;
	uint32_t length;
	uint64_t time_ns;
};

struct sim_feed {
	bool ended; /* file and generator: no frame is left */
	uint8_t *file;         /* the capture file's bytes */
	size_t file_size, file_at;
	bool file_nanoseconds;
	uint64_t made;
	int socket;
	uint8_t buffer[SIM_MOST_FRAME];
};

struct sim_mr {
	struct ibv_mr mr;
	uint8_t *from;
	size_t length;
	bool used;
};

struct sim_entry {
	uint64_t wr_id, stamp;
	uint32_t byte_len, qp_num;
	enum ibv_wc_status status;
	enum ibv_wc_opcode opcode;
};

struct sim_channel {
	struct ibv_comp_channel channel; /* its fd is an epoll of the two below and the feed's socket */
	int raised, timer;
	struct sim_cq *raised_by[SIM_MOST_EVENTS]; /* in order */
	unsigned raised_begin, raised_end;
};

struct sim_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex ex;
	};
	struct sim_channel *channel;
	struct sim_entry *ring;
	uint32_t mask, size, begin, end; /* `size` entries fit */
	uint64_t wc_flags;
	bool armed, overrun, polling;
	unsigned events_unacknowledged, users;
};

struct sim_receive {
	uint64_t wr_id;
	int count;
	struct ibv_sge parts[4];
};

struct sim_qp {
	struct ibv_qp qp;
	struct sim_context *context;
	struct sim_cq *send_cq, *recv_cq;
	struct sim_receive *ring;
	uint32_t mask, size, begin, end;
	uint32_t max_sge;
	uint8_t port;
	bool sends_all_signalled;
	unsigned flows, events_unacknowledged;
	/* spreads frames over others by a hash; 0: it has receives of its own */
	struct sim_qp *spread[SIM_MOST_WQS];
	unsigned spread_count;
	struct sim_table *table;
	uint64_t hash_fields;
	uint8_t hash_key[40];
};

/* A receive queue of a table, with the inside of a queue pair. */
struct sim_wq {
	struct ibv_wq wq;
	struct sim_qp queue;
	unsigned tables;
};

struct sim_table {
	struct ibv_rwq_ind_table table;
	struct sim_wq *queues[SIM_MOST_WQS];
	unsigned count, users;
};

struct sim_flow {
	struct ibv_flow flow;
	struct sim_qp *qp;
	struct ibv_flow_attr attr;
	uint8_t specs[1024];
	bool used;
};

struct sim_context {
	struct verbs_context verbs;
	unsigned device;
	struct sim_feed feed;
	struct sim_qp *qps[SIM_MOST_QPS];
	struct sim_wq *wqs[SIM_MOST_WQS];
	unsigned wq_count, table_count;
	struct sim_flow flows[SIM_MOST_FLOWS];
	unsigned flow_count;
	struct sim_qp *only;     /* the queue pair that gets each frame whatever it is; NULL: flows have to be looked at */
	struct sim_mr mrs[SIM_MOST_MRS];
	struct ibv_async_event events[SIM_MOST_EVENTS];
	unsigned event_begin, event_end;
	unsigned pds, mr_count, cqs, channels, qp_count;
	uint32_t next_qpn;
	uint64_t offered, delivered, dropped, dropped_written;
	unsigned event_next;     /* of config.events */
	uint64_t paused_until_ns; /* 0: not paused */
	uint64_t pace_start_ns;
	int send_socket, send_file;
	uint64_t stamp_ns;       /* what the clock says in this poll */
};

extern struct sim_config sim_config;

/* Counts a call; true: it is to fail, errno is set. */
bool sim_fails(const char *call);

/* Reports on standard error that the program broke a rule of verbs, and counts that. */
void sim_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether one of the rules of a flow lets the frame pass: all specs match by value and mask. */
bool sim_flow_matches(const struct sim_flow *flow, const uint8_t *bytes, uint32_t length);
/* errno, or 0: the rule can be had. */
int sim_flow_check(const struct ibv_flow_attr *attr);

int sim_feed_open(struct sim_context *context);
void sim_feed_close(struct sim_context *context);
/* False: nothing is there now. */
bool sim_feed_next(struct sim_context *context, struct sim_frame *frame);
/* What a send puts on the wire. 0 or errno. */
int sim_feed_send(struct sim_context *context, const uint8_t *bytes, uint32_t length);

/* Objects of the connection manager that are there. */
unsigned sim_cm_objects(void);

uint64_t sim_now_ns(int clock);

void sim_raise_event(struct sim_context *context, enum ibv_event_type type, void *element, int port);
/* What is destroyed has no events any more: those that nobody has read are taken back, as by the kernel. */
void sim_forget_events(struct sim_context *context, const void *element);
void sim_sync_counters(struct sim_context *context);

/* Brings one frame, if there is one, to the queue pairs that get it. False: none came. */
bool sim_deliver(struct sim_context *context);
void sim_qp_to_error(struct sim_qp *qp);
void sim_choose_only(struct sim_context *context);

int sim_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc);
int sim_req_notify(struct ibv_cq *cq, int solicited_only);
struct ibv_cq_ex *sim_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
int sim_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int sim_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
struct ibv_qp *sim_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
struct ibv_wq *sim_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr);
int sim_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr);
int sim_destroy_wq(struct ibv_wq *wq);
struct ibv_rwq_ind_table *sim_create_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *attr);
int sim_destroy_table(struct ibv_rwq_ind_table *table);
/* Makes the queue pair spread frames as asked for; 0 or errno. */
int sim_spread_over(struct sim_qp *qp, const struct ibv_qp_init_attr_ex *attr);
/* Which of its receive queues gets the frame. */
struct sim_qp *sim_spread(const struct sim_qp *qp, const uint8_t *bytes, uint32_t length);
/* Posts to what receives, be it a queue pair or a receive queue. */
int sim_post(struct sim_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
struct ibv_flow *sim_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr);
int sim_destroy_flow(struct ibv_flow *flow);
void sim_cq_add(struct sim_cq *cq, const struct sim_entry *entry);

/* Frames of bursts that are due so long after the start. */
static inline uint64_t sim_burst_frames(uint64_t passed_ns)
{
	return sim_config.burst ? passed_ns / sim_config.burst_ns * sim_config.burst : 0;
}

static inline struct sim_context *sim_of(struct ibv_context *context)
{
	return (struct sim_context *)((uint8_t *)context - offsetof(struct sim_context, verbs.context));
}

#endif
