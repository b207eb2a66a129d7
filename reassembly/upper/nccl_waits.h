/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attribution of the delays of an NCCL transfer to the sender, the receiver or the network. The transfers of a channel are sent in the order
 * of their indices. doc/nccl.md has the definitions.
 */
#ifndef REASSEMBLY_UPPER_NCCL_WAITS_H
#define REASSEMBLY_UPPER_NCCL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

/* If all costs are below this, the verdict is "none". */
#define NCCL_NOTABLE_NS INT64_C(1000000)

/* Values from earlier transfers of a channel. All zero: none. */
struct nccl_pace {
	bool has_end;            /* the two below are valid */
	int64_t end_ns;          /* when their last data was captured, or its last copy if some was sent again */
	uint64_t index;          /* of the last one */
	bool lacks_data;         /* it does */
	bool has_ack, has_rate;  /* valid: least_ack_ns, least_rate */
	int64_t least_ack_ns;    /* from the last data to its acknowledgement */
	uint64_t least_rate;     /* nanoseconds for 1,024 bytes, from the first to the last data */
};

/* A transfer with data. All times in nanoseconds of the capture. */
struct nccl_times {
	uint64_t index, bytes;
	int64_t announced_ns, first_ns, last_ns, acknowledged_ns;
	int64_t again_ns;        /* of the last copy of data that was sent again; 0: none */
	bool has_ack;            /* acknowledged_ns is valid */
	bool lacks_data;         /* some of its data was not captured: it can have begun earlier, and ended later */
	bool is_late;            /* its announcement was captured after data: announced_ns is not valid */
	uint64_t lost_ns;        /* by recoveries within its data */
	uint64_t announcement_lost_ns; /* by recoveries of its announcement */
	int64_t paused_ns[2];    /* pauses of the job, before the announcement and before the data */
	int64_t free_paused_ns[2]; /* those of them after free_ns */
	bool knows_free[2];      /* valid: free_ns */
	int64_t free_ns[2];      /* since these times the receiver, the sender did not wait for another transfer itself */
};

struct nccl_costs {
	bool knows_sender;       /* false: 1 ms or more, but the transfer before it, or its first data, may not have been captured; or is_late: sender_ns is unknown */
	bool knows_receiver;     /* false: the transfer before it was not captured, or not all of it, so receiver_ns is unknown; or knows_sender is false */
	int64_t receiver_ns;     /* receiver late: time from the last data of the previous transfer to the announcement, which data followed at once */
	int64_t sender_ns;       /* sender late: its buffer was announced and the previous transfer complete, but its data had not begun */
	int64_t network_ns;      /* its data and acknowledgement took longer than those of the fastest transfers */
	int64_t pause_ns;        /* pauses of the whole job: not part of the others */
	bool knows_receiver_own, knows_sender_own; /* the next two are known */
	int64_t receiver_own_ns, sender_own_ns; /* part of receiver_ns, sender_ns in which the host did not wait for another transfer itself */
	const char *verdict;     /* static: name of the largest delay, "pause" if only that, "none" if nothing is at least NCCL_NOTABLE_NS */
};

/* Evaluates the next transfer of the channel. */
struct nccl_costs nccl_judge(struct nccl_pace *pace, const struct nccl_times *times);

#endif
