/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Jobs: hosts that send transfers to each other, directly or through others. A delay of a transfer is attributed to a host only if
 * the host itself did not wait for another transfer. If the whole job is silent, no host is late: the job pauses. doc/nccl.md has the definitions.
 */
#ifndef REASSEMBLY_UPPER_NCCL_JOB_H
#define REASSEMBLY_UPPER_NCCL_JOB_H

#include <sys/queue.h>

#include <rdmatap/message.h>

#include "base/map.h"

/* A host by its address. */
struct nccl_host {
	STAILQ_ENTRY(nccl_host) link; /* in the job */
	struct nccl_job *job;
	uint8_t address[16];
	uint8_t address_length;
	bool has_input, has_output, has_sent; /* the next times are known */
	int64_t input_ns;            /* when the last data to it was captured whole, or was sent again */
	const struct nccl_host *input_from; /* whose data that was */
	bool has_other;
	int64_t other_ns;            /* the same of data of any other host */
	int64_t output_ns;           /* when the last data from it began */
	int64_t sent_ns;             /* when the last data from it was captured whole, or was sent again */
	uint64_t input_after, sent_after; /* numbers of the silences before these two; 0: none */
	uint64_t announced_after;    /* number of the silence after which it announced last */
	uint32_t to_send;            /* transfers announced to it whose data has not begun */
	uint64_t counted_in;         /* number of the silence in which it was counted as a receiver */
};

/* The transfers of a channel, from one host to another. */
struct nccl_link {
	LIST_ENTRY(nccl_link) link;  /* in the job */
	struct nccl_host *sender, *receiver;
	uint64_t ended, ended_before; /* transfers since the last pause; those of them before the last silence */
	bool has_output;
	int64_t output_ns;           /* when its last data began */
	uint32_t to_send;            /* transfers announced whose data has not begun */
};

/* A time without announcements and data in the whole job. */
struct nccl_silence {
	uint64_t number;             /* from 1, of all jobs */
	int64_t length_ns, before_ns; /* before_ns: pauses before it, in sum */
	uint32_t receivers, announced; /* hosts with transfers before it; hosts that announced after it */
	bool is_shared;              /* not all transfers before it were from one host to one other */
	bool is_balanced;            /* each channel had as many transfers since the last pause */
	bool is_decided, is_pause;
};

/* The end of a delay that others wait for: of data, by its sender, or by the network. */
struct nccl_hold {
	bool is_known;
	const struct nccl_host *host; /* NULL: by the network */
	int64_t end_ns;
	uint64_t after;              /* number of the silence before the end */
};

#define NCCL_SILENCES 64
#define NCCL_HOLDS 2

struct nccl_job {
	LIST_ENTRY(nccl_job) link;
	STAILQ_HEAD(, nccl_host) hosts;
	LIST_HEAD(nccl_links, nccl_link) links;
	uint32_t outstanding;        /* transfers announced and without all of their data */
	uint32_t moving;             /* those of them whose data has begun */
	bool has_event;
	int64_t event_ns;            /* of the last announcement, begin or end of data */
	struct nccl_silence silences[NCCL_SILENCES]; /* number n of the job in (n - 1) % NCCL_SILENCES */
	uint64_t silence_count;
	struct nccl_hold holds[NCCL_HOLDS]; /* the last one of a host, and the last one of any other */
};

/* Of all jobs. All zero: none. */
struct nccl_jobs {
	LIST_HEAD(, nccl_job) list;
	struct map hosts;
	uint32_t host_count, link_count;
	uint64_t silence_number;
};

enum nccl_phase { NCCL_UNCOUNTED, NCCL_ANNOUNCED, NCCL_BEGUN, NCCL_ENDED };

/* The state of a transfer in its job. All zero: not counted. */
struct nccl_progress {
	struct nccl_link *link;      /* NULL: it is not counted */
	enum nccl_phase phase;
	uint64_t announced_after, begun_after; /* numbers of the silences before its announcement, and before its data; 0: none */
	bool knows_receiver, knows_sender; /* the next two are known */
	int64_t announced_ns;
	int64_t receiver_free_ns;    /* since this time, before the announcement, the receiver waited for no transfer, and no other host held up the job */
	int64_t sender_free_ns;      /* since this time, before the data, the sender waited for no data */
	uint64_t receiver_free_after, sender_free_after; /* numbers of the silences before these two; 0: none */
};

/*
 * Records the announcement of a transfer. `*link` is that of its channel, NULL at first. Without addresses, or with too many hosts or channels, it is
 * not counted.
 */
void nccl_job_announced(struct nccl_jobs *jobs, struct nccl_link **link, struct nccl_progress *progress, const struct rtap_end *sender,
			const struct rtap_end *receiver, int64_t time_ns);

/* Records its first data. Only the first call has an effect. */
void nccl_job_begun(struct nccl_jobs *jobs, struct nccl_progress *progress, int64_t time_ns);

/*
 * Records its end, at that time if all its data was captured. `transfers`: 0 if it was not; else 1 more than the number of transfers before it that
 * were not captured. Only the first call has an effect.
 */
void nccl_job_ended(struct nccl_progress *progress, uint64_t transfers, int64_t time_ns);

/* Data of a transfer that seemed to be complete was retransmitted, and arrived at that time. */
void nccl_job_arrived(const struct nccl_progress *progress, int64_t time_ns);

/* Its data or announcement was lost, which took so long until that time. Short losses have no effect. */
void nccl_job_lost(struct nccl_progress *progress, uint64_t lost_ns, int64_t time_ns);

/* The channel has no transfers, and is over. NULL: it had none. */
void nccl_job_leave(struct nccl_jobs *jobs, struct nccl_link *link);

/* Pauses of the job after silence number `from` up to number `to`, in nanoseconds; 0 if that is too long ago. */
int64_t nccl_job_paused(const struct nccl_progress *progress, uint64_t from, uint64_t to);

void nccl_jobs_fini(struct nccl_jobs *jobs);

#endif
