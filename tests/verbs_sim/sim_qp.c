/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Raw-packet queue pairs of the simulated device, and how frames get to them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/verbs_sim/sim.h"

static uint32_t power_of_two(uint32_t least)
{
	uint32_t size = 1;

	while (size < least)
		size *= 2;
	return size;
}

static bool attributes_are_good(const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE)
		return attr->qp_type == IBV_QPT_RAW_PACKET && !attr->cap.max_recv_wr && !attr->send_cq && !attr->recv_cq;
	if (attr->cap.max_inline_data > sim_config.most_inline)
		return false;
	return attr->qp_type == IBV_QPT_RAW_PACKET && attr->send_cq && attr->recv_cq && attr->cap.max_recv_wr <= sim_config.max_wr &&
	       attr->cap.max_send_wr <= sim_config.max_wr && attr->cap.max_recv_sge <= sim_config.max_sge &&
	       attr->cap.max_recv_sge <= 4;
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr_ex *attr)
{
	struct sim_context *context = sim_of(pd->context);
	unsigned place = 0;
	struct sim_qp *qp;

	while (place < SIM_MOST_QPS && context->qps[place])
		place++;
	if (place == SIM_MOST_QPS || !attributes_are_good(attr)) {
		errno = EINVAL;
		return NULL;
	}
	qp = calloc(1, sizeof *qp);
	if (!qp)
		return NULL;
	qp->size = attr->cap.max_recv_wr;
	qp->mask = power_of_two(qp->size ? qp->size : 1) - 1;
	qp->ring = calloc(qp->mask + 1, sizeof qp->ring[0]);
	if (!qp->ring) {
		free(qp);
		return NULL;
	}
	qp->max_sge = attr->cap.max_recv_sge;
	qp->sends_all_signalled = attr->sq_sig_all;
	qp->context = context;
	qp->send_cq = (struct sim_cq *)attr->send_cq;
	qp->recv_cq = (struct sim_cq *)attr->recv_cq;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE) {
		errno = sim_spread_over(qp, attr);
		if (errno) {
			free(qp->ring);
			free(qp);
			return NULL;
		}
	} else {
		qp->send_cq->users++;
		qp->recv_cq->users++;
	}
	qp->qp.context = pd->context;
	qp->qp.pd = pd;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.qp_context = attr->qp_context;
	qp->qp.qp_num = context->next_qpn++;
	qp->qp.qp_type = attr->qp_type;
	qp->qp.state = IBV_QPS_RESET;
	context->qps[place] = qp;
	context->qp_count++;
	return &qp->qp;
}

SIM_EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex full = { .comp_mask = IBV_QP_INIT_ATTR_PD };

	if (sim_fails("create_qp"))
		return NULL;
	/* what follows in the longer structure stands where this one has padding, with whatever bytes */
	memcpy(&full, attr, offsetof(struct ibv_qp_init_attr_ex, comp_mask));
	return create_qp(pd, &full);
}

struct ibv_qp *sim_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	(void)context;
	if (sim_fails("create_qp_ex"))
		return NULL;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD)) {
		errno = EINVAL;
		return NULL;
	}
	return create_qp(attr->pd, attr);
}

void sim_qp_to_error(struct sim_qp *qp)
{
	struct sim_entry entry = { .qp_num = qp->qp.qp_num, .status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV };

	qp->qp.state = IBV_QPS_ERR;
	while (qp->begin != qp->end) {
		entry.wr_id = qp->ring[qp->begin++ & qp->mask].wr_id;
		sim_cq_add(qp->recv_cq, &entry);
	}
}

/* IBTA vol. 1, 10.3.1, and what raw-packet queue pairs need at each step. */
SIM_EXPORT int ibv_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask)
{
	struct sim_qp *qp = (struct sim_qp *)ibv;

	if (sim_fails("modify_qp"))
		return errno;
	/* it has no states: its queues have */
	if (qp->spread_count)
		return EOPNOTSUPP;
	if (!(mask & IBV_QP_STATE))
		return EINVAL;
	if (attr->qp_state == IBV_QPS_RESET) {
		qp->begin = qp->end = 0;
	} else if (attr->qp_state == IBV_QPS_ERR) {
		sim_qp_to_error(qp);
	} else if (attr->qp_state == IBV_QPS_INIT) {
		if ((ibv->state != IBV_QPS_RESET && ibv->state != IBV_QPS_INIT) || mask != (IBV_QP_STATE | IBV_QP_PORT))
			return EINVAL;
		if (!attr->port_num || attr->port_num > sim_config.ports)
			return EINVAL;
		qp->port = attr->port_num;
	} else if (attr->qp_state == IBV_QPS_RTR) {
		if (ibv->state != IBV_QPS_INIT || mask != IBV_QP_STATE)
			return EINVAL;
	} else if (attr->qp_state == IBV_QPS_RTS) {
		if (ibv->state != IBV_QPS_RTR || mask != IBV_QP_STATE)
			return EINVAL;
	} else {
		return EINVAL;
	}
	ibv->state = attr->qp_state;
	sim_choose_only(qp->context);
	return 0;
}

SIM_EXPORT int ibv_query_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init_attr)
{
	(void)mask;
	if (sim_fails("query_qp"))
		return errno;
	memset(attr, 0, sizeof *attr);
	memset(init_attr, 0, sizeof *init_attr);
	attr->qp_state = ibv->state;
	return 0;
}

SIM_EXPORT int ibv_destroy_qp(struct ibv_qp *ibv)
{
	struct sim_qp *qp = (struct sim_qp *)ibv;
	struct sim_context *context = qp->context;
	bool fails = sim_fails("destroy_qp");

	if (qp->flows)
		sim_violation("destroy_qp with %u flow rules left", qp->flows);
	if (qp->events_unacknowledged)
		sim_violation("destroy_qp with an asynchronous event not acknowledged: it would wait for ever");
	for (unsigned i = 0; i < SIM_MOST_QPS; i++)
		if (context->qps[i] == qp)
			context->qps[i] = NULL;
	sim_forget_events(context, qp);
	context->qp_count--;
	if (qp->spread_count) {
		qp->table->users--;
	} else {
		qp->send_cq->users--;
		qp->recv_cq->users--;
	}
	free(qp->ring);
	free(qp);
	sim_choose_only(context);
	return fails ? sim_config.fail_errno : 0;
}

static const struct sim_mr *region_of(struct sim_context *context, const struct ibv_sge *part)
{
	uint32_t index = part->lkey - 0x100;
	const struct sim_mr *mr = &context->mrs[index];
	uint64_t from;

	if (index >= SIM_MOST_MRS || !mr->used)
		return NULL;
	from = part->addr - (uintptr_t)mr->from;
	return from <= mr->length && part->length <= mr->length - from ? mr : NULL;
}

static bool receive_is_good(struct sim_qp *qp, const struct ibv_recv_wr *wr)
{
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->max_sge)
		return false;
	for (int i = 0; i < wr->num_sge; i++) {
		if (region_of(qp->context, &wr->sg_list[i]))
			continue;
		sim_violation("post_recv of memory that is not registered");
		return false;
	}
	return true;
}

int sim_post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return sim_post((struct sim_qp *)ibv, wr, bad);
}

int sim_post(struct sim_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int error = sim_fails("post_recv") ? errno : 0;

	for (; wr; wr = wr->next) {
		struct sim_receive *receive = &qp->ring[qp->end & qp->mask];

		if (!error && (qp->qp.state == IBV_QPS_RESET || !receive_is_good(qp, wr)))
			error = EINVAL;
		if (!error && qp->end - qp->begin == qp->size)
			error = ENOMEM;
		if (error) {
			*bad = wr;
			return error;
		}
		receive->wr_id = wr->wr_id;
		receive->count = wr->num_sge;
		for (int i = 0; i < wr->num_sge; i++)
			receive->parts[i] = wr->sg_list[i];
		qp->end++;
	}
	if (qp->qp.state == IBV_QPS_ERR)
		sim_qp_to_error(qp);
	else if (qp->recv_cq->armed)
		sim_deliver(qp->context);
	return 0;
}

static uint32_t sum_of(const uint8_t *bytes, uint32_t length)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < length; i++)
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
	return sum;
}

static void put_checksum(uint8_t *place, uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	place[0] = (uint8_t)(~sum >> 8);
	place[1] = (uint8_t)~sum;
}

/* Of IPv4 without a tag, and the whole TCP segment or UDP datagram in it. */
static void compute_checksums(uint8_t *frame, uint32_t length)
{
	uint8_t *ip = frame + 14, *place;
	uint32_t header, size;

	if (length < 34 || frame[12] != 8 || frame[13])
		return;
	header = (ip[0] & 15u) * 4;
	size = (uint32_t)ip[2] << 8 | ip[3];
	if (header < 20 || size < header + 8 || size > length - 14)
		return;
	ip[10] = ip[11] = 0;
	put_checksum(ip + 10, sum_of(ip, header));
	if ((ip[6] & 0x3f) || ip[7] || (ip[9] != 6 && ip[9] != 17) || (ip[9] == 6 && size < header + 20))
		return;
	place = ip + header + (ip[9] == 6 ? 16 : 6);
	place[0] = place[1] = 0;
	put_checksum(place, sum_of(ip + header, size - header) + sum_of(ip + 12, 8) + ip[9] + size - header);
}

static int send_one(struct sim_qp *qp, const struct ibv_send_wr *wr)
{
	uint8_t frame[SIM_MOST_FRAME];
	uint32_t length = 0;

	if (qp->qp.state != IBV_QPS_RTS || wr->opcode != IBV_WR_SEND)
		return EINVAL;
	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *part = &wr->sg_list[i];

		if (wr->send_flags & IBV_SEND_INLINE && length + part->length > sim_config.most_inline) {
			sim_violation("post_send of more inline than was asked for");
			return EINVAL;
		}
		if (!(wr->send_flags & IBV_SEND_INLINE) && !region_of(qp->context, part)) {
			sim_violation("post_send of memory that is not registered");
			return EINVAL;
		}
		if (part->length > sizeof frame - length)
			return EINVAL;
		memcpy(frame + length, (const void *)(uintptr_t)part->addr, part->length);
		length += part->length;
	}
	if (wr->send_flags & IBV_SEND_IP_CSUM) {
		if (!(sim_config.raw_caps & IBV_RAW_PACKET_CAP_IP_CSUM))
			return EINVAL;
		compute_checksums(frame, length);
	}
	return sim_feed_send(qp->context, frame, length);
}

int sim_post_send(struct ibv_qp *ibv, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct sim_qp *qp = (struct sim_qp *)ibv;
	int error = sim_fails("post_send") ? errno : 0;

	for (; wr; wr = wr->next) {
		struct sim_entry entry = { .wr_id = wr->wr_id, .qp_num = ibv->qp_num, .opcode = IBV_WC_SEND };

		if (!error)
			error = send_one(qp, wr);
		if (error) {
			*bad = wr;
			return error;
		}
		if (qp->sends_all_signalled || (wr->send_flags & IBV_SEND_SIGNALED))
			sim_cq_add(qp->send_cq, &entry);
	}
	return 0;
}

/* Delivery */

static bool can_receive(const struct sim_qp *qp)
{
	return qp->qp.state == IBV_QPS_RTR || qp->qp.state == IBV_QPS_RTS;
}

static void scatter(const struct sim_receive *receive, const uint8_t *bytes, uint32_t length)
{
	for (int i = 0; i < receive->count && length; i++) {
		uint32_t part = receive->parts[i].length < length ? receive->parts[i].length : length;

		memcpy((void *)(uintptr_t)receive->parts[i].addr, bytes, part);
		bytes += part;
		length -= part;
	}
}

static void give(struct sim_qp *qp, const struct sim_frame *frame)
{
	struct sim_context *context = qp->context;
	struct sim_receive *receive;
	struct sim_entry entry = { .stamp = context->stamp_ns, .byte_len = frame->length, .qp_num = qp->qp.qp_num, .opcode = IBV_WC_RECV };
	uint32_t room = 0;
	bool fatal = false;

	if (qp->spread_count)
		qp = sim_spread(qp, frame->bytes, frame->length);
	if (qp->begin == qp->end || !can_receive(qp)) {
		context->dropped++;
		return;
	}
	receive = &qp->ring[qp->begin++ & qp->mask];
	entry.wr_id = receive->wr_id;
	if (frame->time_ns && sim_config.stamp == SIM_STAMP_WALL)
		entry.stamp = frame->time_ns;
	if (sim_config.stamp == SIM_STAMP_WALL)
		entry.stamp += (uint64_t)sim_config.skew_ns;
	for (int i = 0; i < receive->count; i++)
		room += receive->parts[i].length;
	if (room < frame->length) {
		entry.status = IBV_WC_LOC_LEN_ERR;
		fatal = true;
	} else if (context->offered == sim_config.error_at || (sim_config.error_every && context->offered % sim_config.error_every == 0)) {
		entry.status = IBV_WC_LOC_PROT_ERR;
		fatal = true;
	} else if (context->offered == sim_config.soft_error_at) {
		entry.status = IBV_WC_LOC_PROT_ERR;
	} else {
		scatter(receive, frame->bytes, frame->length);
		context->delivered++;
	}
	sim_cq_add(qp->recv_cq, &entry);
	if (fatal)
		sim_qp_to_error(qp);
}

static bool is_multicast(const struct sim_frame *frame)
{
	return frame->length && (frame->bytes[0] & 1);
}

/*
 * Sniffers get a copy of everything. Of the others, the matching rule with the lowest priority number takes the frame, unless
 * it must not trap, when the next one gets it as well. The default rules get what no normal one took.
 */
static void steer(struct sim_context *context, const struct sim_frame *frame)
{
	int last = -1;
	bool taken = false;

	for (unsigned i = 0; i < SIM_MOST_FLOWS; i++)
		if (context->flows[i].used && context->flows[i].attr.type == IBV_FLOW_ATTR_SNIFFER)
			give(context->flows[i].qp, frame);
	while (!taken) {
		const struct sim_flow *best = NULL;

		for (unsigned i = 0; i < SIM_MOST_FLOWS; i++) {
			const struct sim_flow *flow = &context->flows[i];

			if (flow->used && flow->attr.type == IBV_FLOW_ATTR_NORMAL && (int)flow->attr.priority > last &&
			    (!best || flow->attr.priority < best->attr.priority) && sim_flow_matches(flow, frame->bytes, frame->length))
				best = flow;
		}
		if (!best)
			break;
		last = best->attr.priority;
		taken = !(best->attr.flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP);
		give(best->qp, frame);
	}
	for (unsigned i = 0; i < SIM_MOST_FLOWS && !taken; i++) {
		const struct sim_flow *flow = &context->flows[i];

		if (flow->used && (flow->attr.type == IBV_FLOW_ATTR_ALL_DEFAULT ||
				   (flow->attr.type == IBV_FLOW_ATTR_MC_DEFAULT && is_multicast(frame)))) {
			give(flow->qp, frame);
			taken = true;
		}
	}
}

void sim_choose_only(struct sim_context *context)
{
	const struct sim_flow *flow = NULL;

	context->only = NULL;
	for (unsigned i = 0; i < SIM_MOST_FLOWS; i++)
		if (context->flows[i].used)
			flow = &context->flows[i];
	if (flow && context->flow_count == 1 && (flow->attr.type == IBV_FLOW_ATTR_SNIFFER || flow->attr.type == IBV_FLOW_ATTR_ALL_DEFAULT))
		context->only = flow->qp;
}

static bool has_room(const struct sim_qp *qp)
{
	for (unsigned i = 0; i < qp->spread_count; i++)
		if (!has_room(qp->spread[i]))
			return false;
	return qp->spread_count || (qp->begin != qp->end && can_receive(qp));
}

/* Unpaced feeds wait for receives, so that tests are exact; the wire does not. */
static bool must_wait(const struct sim_context *context)
{
	if (context->only)
		return !has_room(context->only);
	for (unsigned i = 0; i < SIM_MOST_FLOWS; i++) {
		const struct sim_flow *flow = &context->flows[i];

		if (flow->used && !has_room(flow->qp))
			return true;
	}
	return !context->flow_count;
}

static bool is_due(struct sim_context *context)
{
	uint64_t now, passed, second = UINT64_C(1000000000);

	if (!context->flow_count)
		return false;
	now = sim_now_ns(CLOCK_MONOTONIC);
	if (!context->pace_start_ns)
		context->pace_start_ns = now;
	passed = now - context->pace_start_ns;
	return passed / second * sim_config.pace + passed % second * sim_config.pace / second + sim_burst_frames(passed) > context->offered;
}

static void raise_due_events(struct sim_context *context)
{
	while (context->event_next < sim_config.event_count && sim_config.events[context->event_next].at == context->offered + 1) {
		enum ibv_event_type type = sim_config.events[context->event_next].type;
		unsigned pause_ms = sim_config.events[context->event_next++].pause_ms;
		struct sim_qp *qp = context->only;

		for (unsigned i = 0; i < SIM_MOST_QPS && !qp; i++)
			qp = context->qps[i];
		if (pause_ms)
			context->paused_until_ns = sim_now_ns(CLOCK_MONOTONIC) + pause_ms * UINT64_C(1000000);
		if (type == IBV_EVENT_QP_FATAL && qp) {
			sim_raise_event(context, type, qp, 0);
			sim_qp_to_error(qp);
		} else if (type == IBV_EVENT_WQ_FATAL && qp && qp->spread_count) {
			sim_raise_event(context, type, qp->table->queues[0], 0);
			sim_qp_to_error(qp->spread[0]);
		} else if (type == IBV_EVENT_CQ_ERR && qp) {
			qp = qp->spread_count ? qp->spread[0] : qp;
			sim_raise_event(context, type, qp->recv_cq, 0);
			qp->recv_cq->overrun = true;
			sim_qp_to_error(qp);
		} else {
			sim_raise_event(context, type, NULL, 1);
		}
	}
}

static bool is_paused(struct sim_context *context)
{
	if (!context->paused_until_ns)
		return false;
	if (sim_now_ns(CLOCK_MONOTONIC) < context->paused_until_ns)
		return true;
	context->paused_until_ns = 0;
	sim_raise_event(context, IBV_EVENT_PORT_ACTIVE, NULL, 1);
	return false;
}

bool sim_deliver(struct sim_context *context)
{
	struct sim_frame frame;

	if (is_paused(context))
		return false;
	if (sim_config.pace ? !is_due(context) : must_wait(context))
		return false;
	if (context->event_next < sim_config.event_count) {
		raise_due_events(context);
		if (is_paused(context) || (!sim_config.pace && must_wait(context)))
			return false;
	}
	if (!sim_feed_next(context, &frame))
		return false;
	context->offered++;
	if (context->only)
		give(context->only, &frame);
	else
		steer(context, &frame);
	return true;
}
