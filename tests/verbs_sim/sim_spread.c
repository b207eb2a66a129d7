/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receive queues of the simulated device, tables of them, and spreading frames over these by a hash. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/verbs_sim/sim.h"

static int post_to_wq(struct ibv_wq *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return sim_post(&((struct sim_wq *)ibv)->queue, wr, bad);
}

static struct sim_wq *allocate(const struct ibv_wq_init_attr *attr)
{
	struct sim_wq *wq = calloc(1, sizeof *wq);
	uint32_t size = 1;

	while (size < attr->max_wr)
		size *= 2;
	if (!wq)
		return NULL;
	wq->queue.ring = calloc(size, sizeof wq->queue.ring[0]);
	if (!wq->queue.ring) {
		free(wq);
		return NULL;
	}
	wq->queue.size = attr->max_wr;
	wq->queue.mask = size - 1;
	return wq;
}

struct ibv_wq *sim_create_wq(struct ibv_context *ibv, struct ibv_wq_init_attr *attr)
{
	struct sim_context *context = sim_of(ibv);
	unsigned place = 0;
	struct sim_wq *wq;

	if (sim_fails("create_wq"))
		return NULL;
	while (place < SIM_MOST_WQS && context->wqs[place])
		place++;
	if (!sim_config.rss || place == SIM_MOST_WQS || attr->wq_type != IBV_WQT_RQ || !attr->max_wr || attr->max_wr > sim_config.max_wr ||
	    attr->max_sge > sim_config.max_sge || !attr->pd || !attr->cq || attr->comp_mask) {
		errno = sim_config.rss ? EINVAL : EOPNOTSUPP;
		return NULL;
	}
	wq = allocate(attr);
	if (!wq)
		return NULL;
	wq->queue.context = context;
	wq->queue.recv_cq = (struct sim_cq *)attr->cq;
	wq->queue.recv_cq->users++;
	wq->queue.max_sge = attr->max_sge;
	wq->queue.qp.context = ibv;
	wq->queue.qp.state = IBV_QPS_RESET;
	wq->wq.context = ibv;
	wq->wq.wq_context = attr->wq_context;
	wq->wq.pd = attr->pd;
	wq->wq.cq = attr->cq;
	wq->wq.state = IBV_WQS_RESET;
	wq->wq.post_recv = post_to_wq;
	context->wqs[place] = wq;
	context->wq_count++;
	return &wq->wq;
}

int sim_modify_wq(struct ibv_wq *ibv, struct ibv_wq_attr *attr)
{
	struct sim_wq *wq = (struct sim_wq *)ibv;

	if (sim_fails("modify_wq"))
		return errno;
	if (attr->attr_mask != IBV_WQ_ATTR_STATE || attr->wq_state != IBV_WQS_RDY || ibv->state != IBV_WQS_RESET)
		return EINVAL;
	ibv->state = IBV_WQS_RDY;
	wq->queue.qp.state = IBV_QPS_RTR;
	return 0;
}

int sim_destroy_wq(struct ibv_wq *ibv)
{
	struct sim_wq *wq = (struct sim_wq *)ibv;
	struct sim_context *context = wq->queue.context;
	bool fails = sim_fails("destroy_wq");

	if (wq->tables)
		sim_violation("destroy_wq with a table left");
	if (wq->queue.events_unacknowledged)
		sim_violation("destroy_wq with an asynchronous event not acknowledged: it would wait for ever");
	for (unsigned i = 0; i < SIM_MOST_WQS; i++)
		if (context->wqs[i] == wq)
			context->wqs[i] = NULL;
	sim_forget_events(context, wq);
	context->wq_count--;
	wq->queue.recv_cq->users--;
	free(wq->queue.ring);
	free(wq);
	return fails ? sim_config.fail_errno : 0;
}

struct ibv_rwq_ind_table *sim_create_table(struct ibv_context *ibv, struct ibv_rwq_ind_table_init_attr *attr)
{
	struct sim_table *table;

	if (sim_fails("create_rwq_ind_table"))
		return NULL;
	if (attr->comp_mask || attr->log_ind_tbl_size > 5 || 1u << attr->log_ind_tbl_size > sim_config.rss) {
		errno = EINVAL;
		return NULL;
	}
	table = calloc(1, sizeof *table);
	if (!table)
		return NULL;
	table->table.context = ibv;
	table->count = 1u << attr->log_ind_tbl_size;
	for (unsigned i = 0; i < table->count; i++) {
		table->queues[i] = (struct sim_wq *)attr->ind_tbl[i];
		table->queues[i]->tables++;
	}
	sim_of(ibv)->table_count++;
	return &table->table;
}

int sim_destroy_table(struct ibv_rwq_ind_table *ibv)
{
	struct sim_table *table = (struct sim_table *)ibv;
	bool fails = sim_fails("destroy_rwq_ind_table");

	if (table->users)
		sim_violation("destroy_rwq_ind_table with a queue pair left");
	for (unsigned i = 0; i < table->count; i++)
		table->queues[i]->tables--;
	sim_of(ibv->context)->table_count--;
	free(table);
	return fails ? sim_config.fail_errno : 0;
}

int sim_spread_over(struct sim_qp *qp, const struct ibv_qp_init_attr_ex *attr)
{
	const uint64_t four = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4, six = IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6;
	const struct ibv_rx_hash_conf *hash = &attr->rx_hash_conf;

	/* as mlx5: a table's hash is of one kind of addresses */
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_RX_HASH) || hash->rx_hash_function != IBV_RX_HASH_FUNC_TOEPLITZ ||
	    hash->rx_hash_key_len != sizeof qp->hash_key || (hash->rx_hash_fields_mask & four && hash->rx_hash_fields_mask & six))
		return EINVAL;
	memcpy(qp->hash_key, hash->rx_hash_key, sizeof qp->hash_key);
	qp->hash_fields = hash->rx_hash_fields_mask;
	qp->table = (struct sim_table *)attr->rwq_ind_tbl;
	qp->table->users++;
	qp->spread_count = qp->table->count;
	for (unsigned i = 0; i < qp->spread_count; i++)
		qp->spread[i] = &qp->table->queues[i]->queue;
	return 0;
}

SIM_EXPORT uint32_t verbs_sim_hash(const uint8_t key[40], const uint8_t *bytes, unsigned length)
{
	uint32_t window = (uint32_t)key[0] << 24 | (uint32_t)key[1] << 16 | (uint32_t)key[2] << 8 | key[3], hash = 0;

	for (unsigned bit = 0; bit < 8 * length; bit++) {
		if (bytes[bit / 8] & 0x80u >> bit % 8)
			hash ^= window;
		window = window << 1 | (key[(bit + 32) / 8 % 40] >> (7 - bit % 8) & 1);
	}
	return hash;
}

static unsigned copy(uint8_t *to, const uint8_t *from, unsigned length, bool wanted)
{
	if (wanted)
		memcpy(to, from, length);
	return wanted ? length : 0;
}

struct sim_qp *sim_spread(const struct sim_qp *qp, const uint8_t *bytes, uint32_t length)
{
	const uint64_t fields = qp->hash_fields;
	uint8_t input[40];
	unsigned size = 0, at = 0;

	if (length >= 42 && bytes[12] == 8 && bytes[13] == 0 && fields & IBV_RX_HASH_SRC_IPV4) {
		size += copy(input + size, bytes + 26, 4, fields & IBV_RX_HASH_SRC_IPV4);
		size += copy(input + size, bytes + 30, 4, fields & IBV_RX_HASH_DST_IPV4);
		at = bytes[23] == 17 ? 14 + (bytes[14] & 15u) * 4 : 0;
	} else if (length >= 62 && bytes[12] == 0x86 && bytes[13] == 0xdd && fields & IBV_RX_HASH_SRC_IPV6) {
		size += copy(input + size, bytes + 22, 16, fields & IBV_RX_HASH_SRC_IPV6);
		size += copy(input + size, bytes + 38, 16, fields & IBV_RX_HASH_DST_IPV6);
		at = bytes[20] == 17 ? 54 : 0;
	}
	if (at && at + 4 <= length) {
		size += copy(input + size, bytes + at, 2, fields & IBV_RX_HASH_SRC_PORT_UDP);
		size += copy(input + size, bytes + at + 2, 2, fields & IBV_RX_HASH_DST_PORT_UDP);
	}
	/* what is not of the kind that is hashed goes to the first queue */
	return qp->spread[verbs_sim_hash(qp->hash_key, input, size) % qp->spread_count];
}
