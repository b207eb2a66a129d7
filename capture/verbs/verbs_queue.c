/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/devices/device_verbs.h"
#include "capture/sink.h"
#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_context.h"
#include "capture/verbs/verbs_event.h"
#include "capture/verbs/verbs_flow.h"
#include "capture/verbs/verbs_merge.h"
#include "capture/verbs/verbs_queue.h"
#include "capture/verbs/verbs_ring.h"
#include "capture/verbs/verbs_shrink.h"

/* Buffers */

static enum rtap_status register_memory(struct verbs *verbs, struct rtap_error *error)
{
	char what[64];

	bool has_lists = true;

	verbs->ring = verbs_ring_create(&verbs->sizes, verbs->tuning.huge_pages, verbs_numa_node(verbs));
	for (unsigned i = 0; i < verbs->queue_count; i++) {
		verbs->queues[i].posted = calloc(verbs->sizes.blocks, sizeof verbs->queues[i].posted[0]);
		has_lists &= verbs->queues[i].posted != NULL;
	}
	snprintf(what, sizeof what, "%zu MB of receive buffers cannot be allocated",
		 ((size_t)verbs->sizes.blocks * verbs->sizes.block * verbs->sizes.stride >> 20) + 1);
	if (!verbs->ring || !has_lists)
		return verbs_fail(verbs, error, what, ENOMEM, "use fewer receives (--verbs depth=N) or a smaller buffer");
	verbs->mr = ibv_reg_mr(verbs->pd, verbs->ring->memory, verbs->ring->memory_bytes, IBV_ACCESS_LOCAL_WRITE);
	if (!verbs->mr)
		return verbs_fail(verbs, error, what, errno, NULL);
	verbs_ring_set_key(verbs->ring, verbs->mr->lkey);
	return RTAP_STATUS_OK;
}

/* Posts slots of a block, `count` of them from `first` on, by calls of at most VERBS_CHAIN. */
static enum rtap_status post(struct verbs *verbs, struct verbs_queue *queue, struct verbs_block *block, uint32_t first, uint32_t count,
			     struct rtap_error *error)
{
	while (count) {
		uint32_t now = count < VERBS_CHAIN ? count : VERBS_CHAIN;
		struct ibv_recv_wr *last = &block->requests[first + now - 1], *next = last->next, *bad;
		int result;

		last->next = NULL;
		if (queue->wq)
			result = ibv_post_wq_recv(queue->wq, &block->requests[first], &bad);
		else
			result = ibv_post_recv(verbs->qp, &block->requests[first], &bad);
		last->next = next;
		if (result)
			return verbs_fail(verbs, error, "receives cannot be posted", result, NULL);
		first += now;
		count -= now;
	}
	return RTAP_STATUS_OK;
}

static uint32_t place_of(const struct verbs *verbs, const struct verbs_queue *queue, uint32_t position)
{
	return (queue->posted_begin + position) % verbs->sizes.blocks;
}

static void append_block(struct verbs *verbs, struct verbs_queue *queue, struct verbs_block *block)
{
	queue->posted[place_of(verbs, queue, queue->posted_count++)] = block;
}

/* Posts the blocks that were left out. */
static enum rtap_status post_unposted(struct verbs *verbs, struct verbs_queue *queue, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;
	struct verbs_block *block;

	if (!SLIST_EMPTY(&queue->unposted))
		verbs_shrink_end(&queue->shrinking);
	queue->shrinking.grows = false;
	while (!status && (block = SLIST_FIRST(&queue->unposted))) {
		SLIST_REMOVE_HEAD(&queue->unposted, link);
		append_block(verbs, queue, block);
		status = post(verbs, queue, block, 0, verbs->sizes.block, error);
	}
	return status;
}

/* Has as many blocks as the depth takes, all whole, and posts them. */
static enum rtap_status post_all(struct verbs *verbs, struct verbs_queue *queue, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	while (queue->posted_count < verbs->sizes.depth / verbs->sizes.block) {
		struct verbs_block *block = SLIST_FIRST(&queue->unposted);

		if (block)
			SLIST_REMOVE_HEAD(&queue->unposted, link);
		else
			block = verbs_block_take(verbs->ring);
		if (!block)
			return verbs_fail(verbs, error, "receive buffers are used up", ENOMEM, NULL);
		append_block(verbs, queue, block);
	}
	verbs_shrink_begin(&queue->shrinking, verbs->tuning.shrink_ms);
	queue->filled = queue->replaced = 0;
	queue->replacement = NULL;
	for (uint32_t i = 0; i < queue->posted_count && !status; i++)
		status = post(verbs, queue, queue->posted[place_of(verbs, queue, i)], 0, verbs->sizes.block, error);
	return status;
}

void verbs_queue_choose_replacement(struct verbs *verbs, struct verbs_queue *queue)
{
	struct verbs_block *first = queue->posted[queue->posted_begin];

	queue->copies = verbs->makes_records && queue->cq_ex &&
			(verbs->keeps || queue->block_bytes < (uint64_t)SINK_LEAST_LENT * verbs->sizes.block);
	queue->shrinking.frame_bytes = (uint32_t)(queue->block_bytes / verbs->sizes.block);
	queue->leaves = verbs_shrink_leaves(verbs, queue);
	queue->block_bytes = 0;
	queue->replacement = verbs->counts_only || queue->copies ? first : verbs_block_take(verbs->ring);
	queue->dropping = false;
	if (queue->replacement)
		return;
	queue->leaves = false;
	/* The reader has all blocks. Frames are copied, which takes less memory if they are shorter than the longest. */
	queue->replacement = first;
	queue->copies = verbs->queue_count == 1;
	queue->dropping = !queue->copies;
}

static void finish_block(struct verbs *verbs, struct verbs_queue *queue)
{
	struct verbs_block *first = queue->posted[queue->posted_begin], *next = queue->replacement;

	queue->posted_begin = (queue->posted_begin + 1) % verbs->sizes.blocks;
	queue->posted_count--;
	if (queue->leaves) {
		SLIST_INSERT_HEAD(&queue->unposted, next, link);
		if (queue->posted_count < queue->shrinking.least || !queue->shrinking.least)
			queue->shrinking.least = queue->posted_count;
	} else {
		append_block(verbs, queue, next);
	}
	if (next != first)
		verbs_block_release(first);
	queue->replacement = NULL;
	queue->filled = queue->replaced = 0;
}

enum rtap_status verbs_queue_repost(struct verbs *verbs, struct verbs_queue *queue, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (!verbs->broken && !queue->leaves)
		status = post(verbs, queue, queue->replacement, queue->replaced, queue->filled - queue->replaced, error);
	queue->replaced = queue->filled;
	if (queue->filled < verbs->sizes.block)
		return status;
	finish_block(verbs, queue);
	return status || verbs->broken || !queue->shrinking.grows ? status : post_unposted(verbs, queue, error);
}

/* Queues */

static struct ibv_cq_ex *create_extended(struct verbs *verbs, struct verbs_queue *queue, uint64_t stamps)
{
	struct ibv_cq_init_attr_ex wanted = {
		.cqe = verbs->sizes.cq_entries,
		.cq_context = queue,
		.channel = verbs->channel,
		.comp_vector = verbs->tuning.vector,
		.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | stamps,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};

	return ibv_create_cq_ex(verbs->context, &wanted);
}

/* The features of extended CQs cannot be queried: they are tried, best first. All queues are created alike. */
static void try_extended(struct verbs *verbs, struct verbs_queue *queue)
{
	static const struct {
		uint64_t flags;
		enum verbs_stamps stamps;
	} tries[] = {
		{ IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK, VERBS_STAMPS_WALL },
		{ IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, VERBS_STAMPS_RAW },
		{ 0, VERBS_STAMPS_HERE },
	};

	for (size_t i = 0; i < sizeof tries / sizeof tries[0] && !queue->cq_ex; i++) {
		if (tries[i].flags && (verbs->tuning.no_stamps || verbs->counts_only))
			continue;
		if (tries[i].stamps == VERBS_STAMPS_RAW && !verbs->clock.mask)
			continue;
		if (queue->index && tries[i].stamps != verbs->stamps)
			continue;
		queue->cq_ex = create_extended(verbs, queue, tries[i].flags);
		verbs->stamps = tries[i].stamps;
	}
}

static enum rtap_status create_cq(struct verbs *verbs, struct verbs_queue *queue, struct rtap_error *error)
{
	bool is_first = queue == verbs->queues;

	if (is_first)
		verbs->stamps = VERBS_STAMPS_HERE;
	if (!verbs->tuning.plain_cq && (is_first || verbs->queues[0].cq_ex))
		try_extended(verbs, queue);
	if (queue->cq_ex) {
		queue->cq = ibv_cq_ex_to_cq(queue->cq_ex);
		return RTAP_STATUS_OK;
	}
	/* the first queue has an extended CQ: its times are not comparable with those of this one */
	if (is_first || !verbs->queues[0].cq_ex) {
		verbs->stamps = VERBS_STAMPS_HERE;
		queue->cq = ibv_create_cq(verbs->context, (int)verbs->sizes.cq_entries, queue, verbs->channel, (int)verbs->tuning.vector);
	}
	if (queue->cq)
		return RTAP_STATUS_OK;
	return verbs_fail(verbs, error, "a completion queue cannot be created", errno,
			  errno == EINVAL ? "fewer entries or another completion vector: --verbs cqe=N,vector=N" : NULL);
}

static enum rtap_status create_qp(struct verbs *verbs, struct rtap_error *error)
{
	struct ibv_qp_init_attr wanted = {
		.qp_context = verbs,
		.send_cq = verbs->queues[0].cq,
		.recv_cq = verbs->queues[0].cq,
		.cap = { .max_recv_wr = verbs->sizes.depth, .max_recv_sge = verbs->sizes.split ? 2 : 1 },
		.qp_type = IBV_QPT_RAW_PACKET,
	};

	char netdev[IF_NAMESIZE] = "IFACE", hint[128];
	int reason;

	verbs->qp = ibv_create_qp(verbs->pd, &wanted);
	if (verbs->qp)
		return RTAP_STATUS_OK;
	reason = errno;
	if (reason == EPERM || reason == EACCES || reason == ENOMEM)
		return verbs_fail(verbs, error, "a raw-packet queue pair cannot be created", reason, NULL);
	if (reason == EINVAL && !device_verbs_try_raw_packet(verbs->context))
		return verbs_fail(verbs, error, "a raw-packet queue pair of this depth cannot be created", reason, "--verbs depth=N");
	(void)!verbs_netdev(verbs->context, verbs->port, netdev);
	snprintf(hint, sizeof hint, "the device does not support them; pcap:%s captures on its network interface", netdev);
	return verbs_fail(verbs, error, "a raw-packet queue pair cannot be created", reason, hint);
}

/* Several queues */

static uint64_t hash_fields(const struct verbs *verbs)
{
	uint64_t fields = IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP;

	fields |= verbs->tuning.hash_ipv6 ? IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6 : IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4;
	return fields & verbs->device.rss_caps.rx_hash_fields_mask;
}

static enum rtap_status check_spreading(const struct verbs *verbs, struct rtap_error *error)
{
	const struct ibv_rss_caps *caps = &verbs->device.rss_caps;
	unsigned most = caps->max_rwq_indirection_table_size;

	if (most > verbs->device.max_wq_type_rq)
		most = verbs->device.max_wq_type_rq;
	if (!caps->max_rwq_indirection_tables || !(caps->supported_qpts & 1u << IBV_QPT_RAW_PACKET) ||
	    !(caps->rx_hash_function & IBV_RX_HASH_FUNC_TOEPLITZ) || !hash_fields(verbs))
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED,
			       "%s: the device cannot spread packets over several queues (leave out --verbs queues=N)", verbs->name);
	else if (most < verbs->queue_count)
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED,
			       "%s: the device spreads packets over up to %u queues (--verbs queues=N)", verbs->name, most);
	else
		return RTAP_STATUS_OK;
	return RTAP_STATUS_FAILED;
}

static enum rtap_status create_wq(struct verbs *verbs, struct verbs_queue *queue, struct rtap_error *error)
{
	struct ibv_wq_init_attr wanted = {
		.wq_context = queue,
		.wq_type = IBV_WQT_RQ,
		.max_wr = verbs->sizes.depth,
		.max_sge = verbs->sizes.split ? 2 : 1,
		.pd = verbs->pd,
		.cq = queue->cq,
	};
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };
	int result;

	queue->wq = ibv_create_wq(verbs->context, &wanted);
	if (!queue->wq)
		return verbs_fail(verbs, error, "a receive queue cannot be created", errno,
				  errno == EINVAL ? "the device may have none of this depth: --verbs depth=N" : NULL);
	result = ibv_modify_wq(queue->wq, &ready);
	return result ? verbs_fail(verbs, error, "a receive queue cannot change its state", result, NULL) :
	       post_all(verbs, queue, error);
}

/* The key of Microsoft's RSS specification; any key would do. */
static uint8_t hash_key[40] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
	0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static enum rtap_status create_spreading(struct verbs *verbs, struct rtap_error *error)
{
	struct ibv_wq *wqs[VERBS_MOST_QUEUES];
	struct ibv_rwq_ind_table_init_attr table = { .log_ind_tbl_size = (uint32_t)__builtin_ctz(verbs->queue_count), .ind_tbl = wqs };
	struct ibv_qp_init_attr_ex wanted = {
		.qp_context = verbs,
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH,
		.pd = verbs->pd,
		.rx_hash_conf = { .rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ, .rx_hash_key_len = sizeof hash_key,
				  .rx_hash_key = hash_key, .rx_hash_fields_mask = hash_fields(verbs) },
	};

	for (unsigned i = 0; i < verbs->queue_count; i++) {
		if (create_wq(verbs, &verbs->queues[i], error))
			return RTAP_STATUS_FAILED;
		wqs[i] = verbs->queues[i].wq;
	}
	verbs->table = ibv_create_rwq_ind_table(verbs->context, &table);
	if (!verbs->table)
		return verbs_fail(verbs, error, "a table of receive queues cannot be created", errno, NULL);
	wanted.rwq_ind_tbl = verbs->table;
	verbs->qp = ibv_create_qp_ex(verbs->context, &wanted);
	if (verbs->qp)
		return RTAP_STATUS_OK;
	return verbs_fail(verbs, error, "a raw-packet queue pair over several queues cannot be created", errno, NULL);
}

static enum rtap_status move_qp(struct verbs *verbs, enum ibv_qp_state state, int more, struct rtap_error *error)
{
	struct ibv_qp_attr wanted = { .qp_state = state, .port_num = verbs->port };
	int result = ibv_modify_qp(verbs->qp, &wanted, IBV_QP_STATE | more);

	return result ? verbs_fail(verbs, error, "the queue pair cannot change its state", result, NULL) : RTAP_STATUS_OK;
}

/* From RESET, posting receives on the way. */
static enum rtap_status start_qp(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = move_qp(verbs, IBV_QPS_INIT, IBV_QP_PORT, error);

	if (!status)
		status = post_all(verbs, verbs->queues, error);
	if (!status)
		status = move_qp(verbs, IBV_QPS_RTR, 0, error);
	return status;
}

static enum rtap_status create_channel(struct verbs *verbs, struct rtap_error *error)
{
	verbs->channel = ibv_create_comp_channel(verbs->context);
	if (!verbs->channel)
		return verbs_fail(verbs, error, "a completion channel cannot be created", errno, NULL);
	if (fcntl(verbs->channel->fd, F_SETFL, fcntl(verbs->channel->fd, F_GETFL) | O_NONBLOCK))
		return verbs_fail(verbs, error, "the completion channel cannot be set up", errno, NULL);
	return RTAP_STATUS_OK;
}

/* Creates objects that need no frame memory first, so that none is allocated on a device without raw-packet queue pairs. */
static enum rtap_status create_queues(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	for (unsigned i = 0; i < verbs->queue_count && !status; i++)
		status = create_cq(verbs, &verbs->queues[i], error);
	return status || verbs->queue_count > 1 ? status : create_qp(verbs, error);
}

static enum rtap_status begin_receiving(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = verbs->queue_count > 1 ? create_spreading(verbs, error) : start_qp(verbs, error);

	/* The rules last, so that no frame arrives before receives are posted. */
	if (!status)
		status = verbs_flow_create(verbs, error);
	return status;
}

enum rtap_status verbs_queue_open(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status;

	verbs->queue_count = verbs->sizes.queues;
	for (unsigned i = 0; i < verbs->queue_count; i++)
		verbs->queues[i].index = i;
	if (verbs->queue_count > 1 && check_spreading(verbs, error))
		return RTAP_STATUS_FAILED;
	verbs->pd = ibv_alloc_pd(verbs->context);
	if (!verbs->pd)
		return verbs_fail(verbs, error, "a protection domain cannot be created", errno, NULL);
	status = verbs->tuning.busy ? RTAP_STATUS_OK : create_channel(verbs, error);
	if (!status)
		status = create_queues(verbs, error);
	if (!status)
		status = register_memory(verbs, error);
	return status ? status : begin_receiving(verbs, error);
}

/* Report the first of several failures. */
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
	if (verbs->table)
		note(verbs, &status, error, "the table of receive queues cannot be destroyed", ibv_destroy_rwq_ind_table(verbs->table));
	verbs->qp = NULL;
	verbs->table = NULL;
	for (unsigned i = 0; i < verbs->queue_count; i++) {
		struct verbs_queue *queue = &verbs->queues[i];

		if (queue->wq)
			note(verbs, &status, error, "a receive queue cannot be destroyed", ibv_destroy_wq(queue->wq));
		if (queue->cq)
			note(verbs, &status, error, "the completion queue cannot be destroyed", ibv_destroy_cq(queue->cq));
		queue->wq = NULL;
		queue->cq = NULL;
		queue->cq_ex = NULL;
	}
	return status;
}

void verbs_queue_close(struct verbs *verbs)
{
	struct rtap_error ignored;

	/* Errors cannot be reported here; the kernel frees what remains. */
	(void)!destroy_queues(verbs, &ignored);
	if (verbs->channel)
		(void)!ibv_destroy_comp_channel(verbs->channel);
	if (verbs->mr)
		(void)!ibv_dereg_mr(verbs->mr);
	if (verbs->pd)
		(void)!ibv_dealloc_pd(verbs->pd);
	verbs_merge_end(verbs);
	for (unsigned i = 0; i < verbs->queue_count; i++) {
		struct verbs_queue *queue = &verbs->queues[i];

		if (queue->replacement && queue->replacement != queue->posted[queue->posted_begin])
			verbs_block_release(queue->replacement);
		while (queue->posted_count)
			verbs_block_release(queue->posted[place_of(verbs, queue, --queue->posted_count)]);
		while (!SLIST_EMPTY(&queue->unposted)) {
			struct verbs_block *block = SLIST_FIRST(&queue->unposted);

			SLIST_REMOVE_HEAD(&queue->unposted, link);
			verbs_block_release(block);
		}
		free(queue->posted);
	}
	verbs_ring_release(verbs->ring);
}

/* Discards remaining completions, whose receives will be posted again. Bounded by the number of entries, in case of a faulty driver. */
static void drain(const struct verbs *verbs, struct verbs_queue *queue)
{
	struct ibv_poll_cq_attr none = { .comp_mask = 0 };
	uint32_t left = verbs->sizes.cq_entries;
	struct ibv_wc wc[VERBS_CHAIN];

	if (!queue->cq_ex) {
		for (; left && ibv_poll_cq(queue->cq, VERBS_CHAIN, wc) > 0; left--)
			;
		return;
	}
	if (ibv_start_poll(queue->cq_ex, &none))
		return;
	for (; left && !ibv_next_poll(queue->cq_ex); left--)
		;
	ibv_end_poll(queue->cq_ex);
}

/* The block being filled is partly full: its frames have been delivered, and the rest remains unused. */
static void abandon_first(struct verbs *verbs, struct verbs_queue *queue)
{
	if (!queue->replacement)
		return;
	if (!queue->filled && !queue->dropping) {
		if (queue->replacement != queue->posted[queue->posted_begin])
			verbs_block_release(queue->replacement);
		queue->replacement = NULL;
		return;
	}
	finish_block(verbs, queue);
}

enum rtap_status verbs_queue_rebuild(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_FAILED;
	bool whole = verbs->cq_broken || verbs->queue_count > 1;

	for (unsigned i = 0; i < verbs->queue_count; i++)
		abandon_first(verbs, &verbs->queues[i]);
	verbs->rebuilds++;
	/* RESET keeps the rules and needs no privilege. If it fails, everything is created again. */
	if (!whole && !move_qp(verbs, IBV_QPS_RESET, 0, error)) {
		drain(verbs, verbs->queues);
		status = start_qp(verbs, error);
	}
	if (status) {
		/* Ignore failures: the objects were broken before. */
		(void)!destroy_queues(verbs, error);
		status = create_queues(verbs, error);
		if (!status)
			status = begin_receiving(verbs, error);
	}
	verbs->broken = verbs->cq_broken = false;
	for (unsigned i = 0; i < verbs->queue_count; i++)
		verbs->queues[i].broken = false;
	return status;
}

void verbs_queue_notes(const struct verbs *verbs, void (*take)(void *owner, const char *text), void *owner)
{
	static const char *const pages[] = { "small pages", "huge pages", "huge pages where the kernel has them" };
	const struct verbs_ring *ring = verbs->ring;
	char text[160], node[48] = "";

	if (verbs_numa_node(verbs) >= 0)
		snprintf(node, sizeof node, ", %s NUMA node %d", ring->on_node ? "on" : "could not be bound to", verbs_numa_node(verbs));
	snprintf(text, sizeof text, "receive buffers: %zu KB, %s%s", ring->memory_bytes >> 10, pages[ring->pages], node);
	take(owner, text);
	for (unsigned i = 0; i < verbs->queue_count; i++) {
		const struct verbs_shrinking *shrinking = &verbs->queues[i].shrinking;

		if (!shrinking->calm_ns)
			continue;
		snprintf(text, sizeof text, "queue %u: at least %u of %u receives were posted, all of them again %u times", i,
			 shrinking->least ? shrinking->least * verbs->sizes.block : verbs->sizes.depth, verbs->sizes.depth, shrinking->times);
		take(owner, text);
	}
	for (unsigned i = 0; verbs->queue_count > 1 && i < verbs->queue_count; i++) {
		const struct verbs_queue *queue = &verbs->queues[i];

		snprintf(text, sizeof text, "queue %u: %llu packets received, %llu of them dropped, %llu receives failed", i,
			 (unsigned long long)(queue->passed + queue->dropped), (unsigned long long)queue->dropped,
			 (unsigned long long)queue->failed);
		take(owner, text);
	}
}
