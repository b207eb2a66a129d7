/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/verbs.h"

/* Buffers */

static enum rtap_status register_memory(struct verbs *verbs, struct rtap_error *error)
{
	char what[64];

	verbs->ring = verbs_ring_create(&verbs->sizes, verbs->tuning.huge_pages);
	verbs->posted = calloc(verbs->sizes.blocks, sizeof verbs->posted[0]);
	snprintf(what, sizeof what, "%zu MB for receive buffers cannot be had",
		 ((size_t)verbs->sizes.blocks * verbs->sizes.block * verbs->sizes.stride >> 20) + 1);
	if (!verbs->ring || !verbs->posted)
		return verbs_fail(verbs, error, what, ENOMEM, "take less with --verbs depth=N or a smaller buffer");
	verbs->mr = ibv_reg_mr(verbs->pd, verbs->ring->memory, verbs->ring->memory_bytes, IBV_ACCESS_LOCAL_WRITE);
	if (!verbs->mr)
		return verbs_fail(verbs, error, what, errno, NULL);
	verbs_ring_set_key(verbs->ring, verbs->mr->lkey);
	return RTAP_STATUS_OK;
}

/* Posts slots of a block, `count` of them from `first` on, by calls of at most VERBS_CHAIN. */
static enum rtap_status post(struct verbs *verbs, struct verbs_block *block, uint32_t first, uint32_t count, struct rtap_error *error)
{
	while (count) {
		uint32_t now = count < VERBS_CHAIN ? count : VERBS_CHAIN;
		struct ibv_recv_wr *last = &block->requests[first + now - 1], *next = last->next, *bad;
		int result;

		last->next = NULL;
		result = ibv_post_recv(verbs->qp, &block->requests[first], &bad);
		last->next = next;
		if (result)
			return verbs_fail(verbs, error, "receives cannot be posted", result, NULL);
		first += now;
		count -= now;
	}
	return RTAP_STATUS_OK;
}

static uint32_t place_of(const struct verbs *verbs, uint32_t position)
{
	return (verbs->posted_begin + position) % verbs->sizes.blocks;
}

static void append_block(struct verbs *verbs, struct verbs_block *block)
{
	verbs->posted[place_of(verbs, verbs->posted_count++)] = block;
}

/* Has as many blocks as the depth takes, all whole, and posts them. */
static enum rtap_status post_all(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	while (verbs->posted_count < verbs->sizes.depth / verbs->sizes.block) {
		struct verbs_block *block = verbs_block_take(verbs->ring);

		if (!block)
			return verbs_fail(verbs, error, "receive buffers are used up", ENOMEM, NULL);
		append_block(verbs, block);
	}
	verbs->filled = verbs->replaced = 0;
	verbs->replacement = NULL;
	for (uint32_t i = 0; i < verbs->posted_count && !status; i++)
		status = post(verbs, verbs->posted[place_of(verbs, i)], 0, verbs->sizes.block, error);
	return status;
}

void verbs_queue_choose_replacement(struct verbs *verbs)
{
	struct verbs_block *first = verbs->posted[verbs->posted_begin];

	verbs->replacement = verbs_block_take(verbs->ring);
	verbs->dropping = !verbs->replacement;
	if (verbs->dropping)
		verbs->replacement = first;
}

static void finish_block(struct verbs *verbs)
{
	struct verbs_block *first = verbs->posted[verbs->posted_begin], *next = verbs->replacement;

	verbs->posted_begin = (verbs->posted_begin + 1) % verbs->sizes.blocks;
	verbs->posted_count--;
	append_block(verbs, next);
	if (next != first)
		verbs_block_release(first);
	verbs->replacement = NULL;
	verbs->filled = verbs->replaced = 0;
}

enum rtap_status verbs_queue_repost(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (!verbs->broken)
		status = post(verbs, verbs->replacement, verbs->replaced, verbs->filled - verbs->replaced, error);
	verbs->replaced = verbs->filled;
	if (verbs->filled == verbs->sizes.block)
		finish_block(verbs);
	return status;
}

/* Queues */

static struct ibv_cq_ex *create_extended(struct verbs *verbs, uint64_t stamps)
{
	struct ibv_cq_init_attr_ex wanted = {
		.cqe = verbs->sizes.cq_entries,
		.cq_context = verbs,
		.channel = verbs->channel,
		.comp_vector = verbs->tuning.vector,
		.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | stamps,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};

	return ibv_create_cq_ex(verbs->context, &wanted);
}

/* What an extended queue can tell is not asked for anywhere: it is tried, from the best down. */
static void try_extended(struct verbs *verbs)
{
	static const struct {
		uint64_t flags;
		enum verbs_stamps stamps;
	} tries[] = {
		{ IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK, VERBS_STAMPS_WALL },
		{ IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, VERBS_STAMPS_RAW },
		{ 0, VERBS_STAMPS_HERE },
	};

	for (size_t i = 0; i < sizeof tries / sizeof tries[0] && !verbs->cq_ex; i++) {
		if (tries[i].flags && verbs->tuning.no_stamps)
			continue;
		if (tries[i].stamps == VERBS_STAMPS_RAW && !verbs->clock.mask)
			continue;
		verbs->cq_ex = create_extended(verbs, tries[i].flags);
		verbs->stamps = tries[i].stamps;
	}
}

static enum rtap_status create_cq(struct verbs *verbs, struct rtap_error *error)
{
	verbs->stamps = VERBS_STAMPS_HERE;
	if (!verbs->tuning.plain_cq)
		try_extended(verbs);
	if (verbs->cq_ex) {
		verbs->cq = ibv_cq_ex_to_cq(verbs->cq_ex);
		return RTAP_STATUS_OK;
	}
	verbs->stamps = VERBS_STAMPS_HERE;
	verbs->cq = ibv_create_cq(verbs->context, (int)verbs->sizes.cq_entries, verbs, verbs->channel, (int)verbs->tuning.vector);
	if (verbs->cq)
		return RTAP_STATUS_OK;
	return verbs_fail(verbs, error, "a completion queue cannot be had", errno,
			  errno == EINVAL ? "fewer entries or another completion vector: --verbs cqe=N,vector=N" : NULL);
}

static enum rtap_status create_qp(struct verbs *verbs, struct rtap_error *error)
{
	struct ibv_qp_init_attr wanted = {
		.qp_context = verbs,
		.send_cq = verbs->cq,
		.recv_cq = verbs->cq,
		.cap = { .max_recv_wr = verbs->sizes.depth, .max_recv_sge = verbs->sizes.split ? 2 : 1 },
		.qp_type = IBV_QPT_RAW_PACKET,
	};

	verbs->qp = ibv_create_qp(verbs->pd, &wanted);
	if (verbs->qp)
		return RTAP_STATUS_OK;
	return verbs_fail(verbs, error, "a raw-packet queue pair cannot be had", errno,
			  errno == EINVAL ? "the device has none, or not of this depth: --verbs depth=N" : NULL);
}

static enum rtap_status move_qp(struct verbs *verbs, enum ibv_qp_state state, int more, struct rtap_error *error)
{
	struct ibv_qp_attr wanted = { .qp_state = state, .port_num = verbs->port };
	int result = ibv_modify_qp(verbs->qp, &wanted, IBV_QP_STATE | more);

	return result ? verbs_fail(verbs, error, "the queue pair does not change its state", result, NULL) : RTAP_STATUS_OK;
}

/* From RESET, posting receives on the way. */
static enum rtap_status start_qp(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = move_qp(verbs, IBV_QPS_INIT, IBV_QP_PORT, error);

	if (!status)
		status = post_all(verbs, error);
	if (!status)
		status = move_qp(verbs, IBV_QPS_RTR, 0, error);
	return status;
}

static enum rtap_status create_channel(struct verbs *verbs, struct rtap_error *error)
{
	verbs->channel = ibv_create_comp_channel(verbs->context);
	if (!verbs->channel)
		return verbs_fail(verbs, error, "a completion channel cannot be had", errno, NULL);
	if (fcntl(verbs->channel->fd, F_SETFL, fcntl(verbs->channel->fd, F_GETFL) | O_NONBLOCK))
		return verbs_fail(verbs, error, "the completion channel cannot be set up", errno, NULL);
	return RTAP_STATUS_OK;
}

/* All but what memory and events need. */
static enum rtap_status create_queues(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = create_cq(verbs, error);

	if (!status)
		status = create_qp(verbs, error);
	if (!status)
		status = start_qp(verbs, error);
	/* The rules last: no frame comes before there is a place for it. */
	if (!status)
		status = verbs_flow_create(verbs, error);
	return status;
}

enum rtap_status verbs_queue_open(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status;

	verbs->pd = ibv_alloc_pd(verbs->context);
	if (!verbs->pd)
		return verbs_fail(verbs, error, "a protection domain cannot be had", errno, NULL);
	status = register_memory(verbs, error);
	if (!status && !verbs->tuning.busy)
		status = create_channel(verbs, error);
	if (!status)
		status = create_queues(verbs, error);
	return status;
}

/* The first failure of several is told. */
static void note(const struct verbs *verbs, enum rtap_status *status, struct rtap_error *error, const char *what, int result)
{
	if (result && !*status)
		*status = verbs_fail(verbs, error, what, result, NULL);
}

enum rtap_status verbs_queue_stop(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	while (verbs->flow_count)
		note(verbs, &status, error, "a flow rule cannot be taken back", ibv_destroy_flow(verbs->flows[--verbs->flow_count]));
	return status;
}

static enum rtap_status destroy_queues(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = verbs_queue_stop(verbs, error);

	verbs_event_settle(verbs);
	if (verbs->qp)
		note(verbs, &status, error, "the queue pair cannot be destroyed", ibv_destroy_qp(verbs->qp));
	if (verbs->cq)
		note(verbs, &status, error, "the completion queue cannot be destroyed", ibv_destroy_cq(verbs->cq));
	verbs->qp = NULL;
	verbs->cq = NULL;
	verbs->cq_ex = NULL;
	return status;
}

enum rtap_status verbs_queue_close(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = destroy_queues(verbs, error);

	if (verbs->channel)
		note(verbs, &status, error, "the completion channel cannot be destroyed", ibv_destroy_comp_channel(verbs->channel));
	if (verbs->mr)
		note(verbs, &status, error, "the receive buffers cannot be deregistered", ibv_dereg_mr(verbs->mr));
	if (verbs->pd)
		note(verbs, &status, error, "the protection domain cannot be freed", ibv_dealloc_pd(verbs->pd));
	while (verbs->posted_count)
		verbs_block_release(verbs->posted[place_of(verbs, --verbs->posted_count)]);
	if (verbs->replacement && !verbs->dropping)
		verbs_block_release(verbs->replacement);
	free(verbs->posted);
	verbs_ring_release(verbs->ring);
	return status;
}

/* Completions that are left belong to receives that will be posted anew. */
static void drain(struct verbs *verbs)
{
	struct ibv_poll_cq_attr none = { .comp_mask = 0 };
	struct ibv_wc wc[VERBS_CHAIN];

	if (!verbs->cq_ex) {
		while (ibv_poll_cq(verbs->cq, VERBS_CHAIN, wc) > 0)
			;
		return;
	}
	if (ibv_start_poll(verbs->cq_ex, &none))
		return;
	while (!ibv_next_poll(verbs->cq_ex))
		;
	ibv_end_poll(verbs->cq_ex);
}

/* The block that was being filled is half full: what is in it has been handed on, and the rest stays empty. */
static void abandon_first(struct verbs *verbs)
{
	if (!verbs->replacement)
		return;
	if (!verbs->filled && !verbs->dropping) {
		verbs_block_release(verbs->replacement);
		verbs->replacement = NULL;
		return;
	}
	finish_block(verbs);
}

enum rtap_status verbs_queue_rebuild(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_FAILED;
	bool whole = verbs->cq_broken;

	abandon_first(verbs);
	verbs->rebuilds++;
	/* By way of RESET the rules stay and no privilege is needed. If that cannot be, everything is made anew. */
	if (!whole && !move_qp(verbs, IBV_QPS_RESET, 0, error)) {
		drain(verbs);
		status = start_qp(verbs, error);
	}
	if (status) {
		/* What fails to be destroyed was broken already. */
		(void)!destroy_queues(verbs, error);
		status = create_queues(verbs, error);
	}
	verbs->broken = verbs->cq_broken = false;
	return status;
}
