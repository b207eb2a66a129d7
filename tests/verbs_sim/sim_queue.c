/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Domains, regions, completion channels and completion queues of the simulated device. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/verbs_sim/sim.h"

#define MODERATION_NS 500000

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

SIM_EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd;

	if (sim_fails("alloc_pd"))
		return NULL;
	pd = calloc(1, sizeof *pd);
	if (!pd)
		return NULL;
	pd->context = context;
	sim_of(context)->pds++;
	return pd;
}

SIM_EXPORT int ibv_dealloc_pd(struct ibv_pd *pd)
{
	struct sim_context *context = sim_of(pd->context);
	bool fails = sim_fails("dealloc_pd");

	if (context->mr_count || context->qp_count)
		sim_violation("dealloc_pd with regions or queue pairs left");
	context->pds--;
	free(pd);
	return fails ? sim_config.fail_errno : 0;
}

SIM_EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *from, size_t length, uint64_t iova, unsigned int access)
{
	struct sim_context *context = sim_of(pd->context);

	(void)access;
	if (sim_fails("reg_mr"))
		return NULL;
	for (uint32_t i = 0; i < SIM_MOST_MRS && length && iova == (uintptr_t)from; i++) {
		struct sim_mr *mr = &context->mrs[i];

		if (mr->used)
			continue;
		mr->used = true;
		mr->from = from;
		mr->length = length;
		mr->mr = (struct ibv_mr){ pd->context, pd, from, length, i, i + 0x100, i + 0x100 };
		context->mr_count++;
		return &mr->mr;
	}
	errno = EINVAL;
	return NULL;
}

SIM_EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *from, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, from, length, (uintptr_t)from, (unsigned)access);
}

SIM_EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *from, size_t length, uint64_t iova, int access)
{
	return ibv_reg_mr_iova2(pd, from, length, iova, (unsigned)access);
}

SIM_EXPORT int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct sim_context *context = sim_of(mr->context);
	bool fails = sim_fails("dereg_mr");

	context->mrs[mr->handle].used = false;
	context->mr_count--;
	return fails ? sim_config.fail_errno : 0;
}

/* Completion channels */

static void watch(int epoll, int descriptor)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) && errno != EEXIST)
		sim_violation("the channel cannot watch: %s", strerror(errno));
}

SIM_EXPORT struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct sim_channel *channel;

	if (sim_fails("create_comp_channel"))
		return NULL;
	channel = calloc(1, sizeof *channel);
	if (!channel)
		return NULL;
	channel->channel.context = context;
	channel->channel.fd = epoll_create1(EPOLL_CLOEXEC);
	channel->raised = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	channel->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	watch(channel->channel.fd, channel->raised);
	watch(channel->channel.fd, channel->timer);
	sim_of(context)->channels++;
	return &channel->channel;
}

SIM_EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *ibv)
{
	struct sim_channel *channel = (struct sim_channel *)ibv;
	bool fails = sim_fails("destroy_comp_channel");

	if (ibv->refcnt)
		sim_violation("destroy_comp_channel with queues left");
	sim_of(ibv->context)->channels--;
	close(channel->raised);
	close(channel->timer);
	close(ibv->fd);
	free(channel);
	return fails ? sim_config.fail_errno : 0;
}

static void raise_event(struct sim_cq *cq)
{
	uint64_t one = 1;
	struct sim_context *context = sim_of(cq->cq.context);

	cq->armed = false;
	if (!cq->channel)
		return;
	if (context->feed.socket >= 0)
		(void)epoll_ctl(cq->channel->channel.fd, EPOLL_CTL_DEL, context->feed.socket, NULL);
	cq->channel->raised_by[cq->channel->raised_end++ % SIM_MOST_EVENTS] = cq;
	if (write(cq->channel->raised, &one, sizeof one) != sizeof one)
		sim_violation("too many completion events");
}

/* Makes the channel readable when the next frame may be there, or up to MODERATION_NS later: devices moderate interrupts too. */
static void set_alarm(struct sim_context *context, struct sim_channel *channel)
{
	uint64_t at = context->paused_until_ns, after, burst_at, extra;
	struct itimerspec when = { { 0, 0 }, { 0, 0 } };

	if (context->feed.socket >= 0)
		watch(channel->channel.fd, context->feed.socket);
	if (!at && (!sim_config.pace || context->feed.ended))
		return;
	after = sim_now_ns(CLOCK_MONOTONIC);
	if (!at) {
		extra = sim_burst_frames(after - context->pace_start_ns);
		at = context->offered < extra ? after : context->pace_start_ns + (context->offered - extra + 1) * 1000000000 / sim_config.pace;
	}
	if (sim_config.burst) {
		burst_at = after + sim_config.burst_ns - (after - context->pace_start_ns) % sim_config.burst_ns;
		at = burst_at < at ? burst_at : at;
	}
	after = at > after + MODERATION_NS ? at - after : MODERATION_NS;
	when.it_value.tv_sec = (time_t)(after / 1000000000);
	when.it_value.tv_nsec = (long)(after % 1000000000);
	timerfd_settime(channel->timer, 0, &when, NULL);
}

int sim_req_notify(struct ibv_cq *ibv, int solicited_only)
{
	struct sim_cq *cq = (struct sim_cq *)ibv;

	if (sim_fails("req_notify_cq"))
		return errno;
	/* no raw packet is a solicited one */
	if (solicited_only)
		return 0;
	cq->armed = true;
	if (!sim_deliver(sim_of(ibv->context)) && cq->channel)
		set_alarm(sim_of(ibv->context), cq->channel);
	return 0;
}

SIM_EXPORT int ibv_get_cq_event(struct ibv_comp_channel *ibv, struct ibv_cq **cq, void **cq_context)
{
	struct sim_channel *channel = (struct sim_channel *)ibv;
	struct sim_cq *raised;
	uint64_t count;

	if (sim_fails("get_cq_event"))
		return -1;
	while (read(channel->raised, &count, sizeof count) != sizeof count) {
		struct pollfd wait = { ibv->fd, POLLIN, 0 };

		(void)!read(channel->timer, &count, sizeof count);
		if (sim_deliver(sim_of(ibv->context)))
			continue;
		set_alarm(sim_of(ibv->context), channel);
		if (fcntl(ibv->fd, F_GETFL) & O_NONBLOCK) {
			errno = EAGAIN;
			return -1;
		}
		if (poll(&wait, 1, -1) < 0)
			return -1;
	}
	raised = channel->raised_by[channel->raised_begin++ % SIM_MOST_EVENTS];
	raised->events_unacknowledged++;
	*cq = &raised->cq;
	*cq_context = raised->cq.cq_context;
	return 0;
}

SIM_EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	((struct sim_cq *)cq)->events_unacknowledged -= count;
}

/* Completion queues */

static uint32_t power_of_two(uint32_t least)
{
	uint32_t size = 1;

	while (size < least)
		size *= 2;
	return size;
}

static struct sim_cq *create_cq(struct ibv_context *ibv, uint32_t cqe, void *cq_context, struct ibv_comp_channel *channel, uint32_t vector)
{
	struct sim_cq *cq;

	if (!cqe || cqe > sim_config.max_cqe || vector >= sim_config.vectors) {
		errno = EINVAL;
		return NULL;
	}
	cq = calloc(1, sizeof *cq);
	if (!cq)
		return NULL;
	cq->size = cqe;
	cq->mask = power_of_two(cqe) - 1;
	cq->ring = calloc(cq->mask + 1, sizeof cq->ring[0]);
	if (!cq->ring) {
		free(cq);
		return NULL;
	}
	cq->cq.context = ibv;
	cq->cq.channel = channel;
	cq->cq.cq_context = cq_context;
	cq->cq.cqe = (int)cqe;
	cq->channel = (struct sim_channel *)channel;
	if (channel)
		channel->refcnt++;
	sim_of(ibv)->cqs++;
	return cq;
}

SIM_EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
					struct ibv_comp_channel *channel, int vector)
{
	struct sim_cq *cq;

	if (sim_fails("create_cq"))
		return NULL;
	cq = create_cq(context, (uint32_t)cqe, cq_context, channel, (uint32_t)vector);
	return cq ? &cq->cq : NULL;
}

SIM_EXPORT int ibv_destroy_cq(struct ibv_cq *ibv)
{
	struct sim_cq *cq = (struct sim_cq *)ibv;
	bool fails = sim_fails("destroy_cq");

	if (cq->events_unacknowledged)
		sim_violation("destroy_cq with %u events not acknowledged: it would wait for ever", cq->events_unacknowledged);
	if (cq->users)
		sim_violation("destroy_cq with queue pairs left");
	if (cq->polling)
		sim_violation("destroy_cq between start_poll and end_poll");
	if (cq->channel)
		cq->channel->channel.refcnt--;
	sim_forget_events(sim_of(ibv->context), cq);
	sim_of(ibv->context)->cqs--;
	free(cq->ring);
	free(cq);
	return fails ? sim_config.fail_errno : 0;
}

static void overrun(struct sim_cq *cq)
{
	struct sim_context *context = sim_of(cq->cq.context);

	if (cq->overrun)
		return;
	cq->overrun = true;
	sim_raise_event(context, IBV_EVENT_CQ_ERR, cq, 0);
	for (unsigned i = 0; i < SIM_MOST_QPS; i++)
		if (context->qps[i] && context->qps[i]->recv_cq == cq)
			sim_qp_to_error(context->qps[i]);
	for (unsigned i = 0; i < SIM_MOST_WQS; i++)
		if (context->wqs[i] && context->wqs[i]->queue.recv_cq == cq)
			sim_qp_to_error(&context->wqs[i]->queue);
}

void sim_cq_add(struct sim_cq *cq, const struct sim_entry *entry)
{
	struct sim_context *context = sim_of(cq->cq.context);

	if (cq->overrun)
		return;
	if (cq->end - cq->begin == cq->size || (sim_config.overrun_at && context->offered == sim_config.overrun_at)) {
		sim_config.overrun_at = 0;
		overrun(cq);
		return;
	}
	cq->ring[cq->end++ & cq->mask] = *entry;
	if (cq->armed)
		raise_event(cq);
}

static const struct sim_entry *next_entry(struct sim_cq *cq)
{
	/* The wire does not wait for polls: what has come since the last look is there, or was dropped. */
	if (sim_config.pace && !cq->overrun && (cq->begin == cq->end || cq->begin % 16 == 0))
		while (sim_deliver(sim_of(cq->cq.context)))
			;
	else if (cq->begin == cq->end && !cq->overrun)
		while (sim_deliver(sim_of(cq->cq.context)) && cq->begin == cq->end)
			;
	return cq->begin == cq->end ? NULL : &cq->ring[cq->begin++ & cq->mask];
}

static void read_clock(struct sim_context *context)
{
	if (sim_config.stamp == SIM_STAMP_RAW)
		context->stamp_ns = sim_now_ns(CLOCK_MONOTONIC);
	else if (sim_config.feed == SIM_FEED_GENERATOR)
		context->stamp_ns = sim_now_ns(CLOCK_REALTIME);
}

static bool wrong_after(const struct sim_cq *cq, uint64_t frame)
{
	return frame && sim_of(cq->ex.context)->offered >= frame;
}

int sim_poll_cq(struct ibv_cq *ibv, int count, struct ibv_wc *wc)
{
	struct sim_cq *cq = (struct sim_cq *)ibv;
	int done = 0;

	if (sim_fails("poll_cq"))
		return -1;
	for (; done < count; done++) {
		const struct sim_entry *entry = next_entry(cq);

		if (!entry)
			break;
		wc[done].wr_id = wrong_after(cq, sim_config.plain_disorder_at) ? ~entry->wr_id : entry->wr_id;
		wc[done].status = entry->status;
		wc[done].opcode = entry->opcode;
		wc[done].vendor_err = entry->status ? 0x51 : 0;
		wc[done].byte_len = entry->byte_len;
		wc[done].qp_num = entry->qp_num;
		wc[done].wc_flags = 0;
	}
	if (!done)
		sim_sync_counters(sim_of(ibv->context));
	return done;
}

static inline struct sim_entry *shown(struct ibv_cq_ex *ex)
{
	struct sim_cq *cq = (struct sim_cq *)ex;

	return &cq->ring[(cq->begin - 1) & cq->mask];
}

static int show_next(struct sim_cq *cq)
{
	const struct sim_entry *entry = next_entry(cq);

	if (!entry)
		return ENOENT;
	cq->ex.wr_id = wrong_after(cq, sim_config.disorder_at) ? ~entry->wr_id : entry->wr_id;
	cq->ex.status = entry->status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct sim_cq *cq = (struct sim_cq *)ex;
	int error;

	if (sim_fails("start_poll"))
		return errno;
	if (attr->comp_mask)
		return EINVAL;
	if (cq->polling)
		sim_violation("start_poll twice");
	if (cq->wc_flags & (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK))
		read_clock(sim_of(ex->context));
	error = show_next(cq);
	cq->polling = !error;
	if (error)
		sim_sync_counters(sim_of(ex->context));
	return error;
}

static int next_poll(struct ibv_cq_ex *ex)
{
	struct sim_cq *cq = (struct sim_cq *)ex;

	if (!cq->polling)
		sim_violation("next_poll without start_poll");
	return show_next(cq);
}

static void end_poll(struct ibv_cq_ex *ex)
{
	struct sim_cq *cq = (struct sim_cq *)ex;

	if (!cq->polling)
		sim_violation("end_poll without start_poll");
	cq->polling = false;
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq)
{
	return shown(cq)->opcode;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq)
{
	return shown(cq)->byte_len;
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq)
{
	return shown(cq)->qp_num;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *cq)
{
	return shown(cq)->status ? 0x51 : 0;
}

static unsigned read_wc_flags(struct ibv_cq_ex *cq)
{
	(void)cq;
	return 0;
}

static uint64_t read_wall(struct ibv_cq_ex *cq)
{
	return shown(cq)->stamp;
}

static uint64_t read_raw(struct ibv_cq_ex *cq)
{
	return sim_ticks(shown(cq)->stamp);
}

struct ibv_cq_ex *sim_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	const uint64_t raw = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, wall = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
	struct sim_cq *cq;

	if (sim_fails("create_cq_ex"))
		return NULL;
	if (((attr->wc_flags & wall) && sim_config.stamp != SIM_STAMP_WALL) ||
	    ((attr->wc_flags & raw) && sim_config.stamp != SIM_STAMP_RAW)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	cq = create_cq(context, attr->cqe, attr->cq_context, attr->channel, attr->comp_vector);
	if (!cq)
		return NULL;
	cq->wc_flags = attr->wc_flags;
	cq->ex.start_poll = start_poll;
	cq->ex.next_poll = next_poll;
	cq->ex.end_poll = end_poll;
	cq->ex.read_opcode = read_opcode;
	cq->ex.read_vendor_err = read_vendor_err;
	cq->ex.read_wc_flags = read_wc_flags;
	/* as real ones: what was not asked for is not there */
	if (attr->wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		cq->ex.read_byte_len = read_byte_len;
	if (attr->wc_flags & IBV_WC_EX_WITH_QP_NUM)
		cq->ex.read_qp_num = read_qp_num;
	if (attr->wc_flags & raw)
		cq->ex.read_completion_ts = read_raw;
	if (attr->wc_flags & wall)
		cq->ex.read_completion_wallclock_ns = read_wall;
	/* byte_len is part of what every queue reports, for all devices known */
	cq->ex.read_byte_len = read_byte_len;
	return &cq->ex;
}
