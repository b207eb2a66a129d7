/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The least that a front end can do on a raw-packet queue pair: polls, looks at the first byte of each frame, posts the receive
 * again in chains. A yardstick, for the simulated device: what goes wrong ends it.
 */
#include "config.h"

#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHAIN 32

struct loop {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
	uint8_t *memory;
	struct ibv_recv_wr *requests;
	struct ibv_sge *parts;
	uint32_t depth, frame;
};

static void fail(const char *what)
{
	fprintf(stderr, "verbs_loop: %s failed\n", what);
	exit(2);
}

static void post(struct loop *loop, uint32_t first, uint32_t count)
{
	struct ibv_recv_wr *last = &loop->requests[first + count - 1], *next = last->next, *bad;

	last->next = NULL;
	if (ibv_post_recv(loop->qp, &loop->requests[first], &bad))
		fail("posting");
	last->next = next;
}

static void make_receives(struct loop *loop)
{
	size_t size = (size_t)loop->depth * loop->frame;
	struct ibv_mr *mr;

	loop->memory = calloc(loop->depth, loop->frame);
	loop->requests = calloc(loop->depth, sizeof loop->requests[0]);
	loop->parts = calloc(loop->depth, sizeof loop->parts[0]);
	if (!loop->memory || !loop->requests || !loop->parts)
		fail("memory");
	mr = ibv_reg_mr(loop->pd, loop->memory, size, IBV_ACCESS_LOCAL_WRITE);
	if (!mr)
		fail("registering");
	for (uint32_t i = 0; i < loop->depth; i++) {
		loop->parts[i] = (struct ibv_sge){ (uintptr_t)(loop->memory + (size_t)i * loop->frame), loop->frame, mr->lkey };
		loop->requests[i] = (struct ibv_recv_wr){ i, &loop->requests[i + 1], &loop->parts[i], 1 };
	}
}

static void start(struct loop *loop)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_flow_attr all = { .type = IBV_FLOW_ATTR_SNIFFER, .size = sizeof all, .port = 1 };

	if (!devices || !devices[0] || !(loop->context = ibv_open_device(devices[0])) || !(loop->pd = ibv_alloc_pd(loop->context)))
		fail("opening");
	struct ibv_cq_init_attr_ex queue = { .cqe = loop->depth + 1, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN };
	loop->cq = ibv_create_cq_ex(loop->context, &queue);
	if (!loop->cq)
		fail("the completion queue");
	struct ibv_qp_init_attr pair = { .send_cq = ibv_cq_ex_to_cq(loop->cq), .recv_cq = ibv_cq_ex_to_cq(loop->cq),
					 .cap = { .max_recv_wr = loop->depth, .max_recv_sge = 1 }, .qp_type = IBV_QPT_RAW_PACKET };
	loop->qp = ibv_create_qp(loop->pd, &pair);
	if (!loop->qp || ibv_modify_qp(loop->qp, &attr, IBV_QP_STATE | IBV_QP_PORT))
		fail("the queue pair");
	make_receives(loop);
	for (uint32_t i = 0; i < loop->depth; i += CHAIN)
		post(loop, i, CHAIN);
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(loop->qp, &attr, IBV_QP_STATE) || !ibv_create_flow(loop->qp, &all))
		fail("starting");
}

int main(int argc, char **argv)
{
	struct ibv_poll_cq_attr none = { .comp_mask = 0 };
	struct loop loop = { .depth = argc > 2 ? (uint32_t)atoi(argv[2]) : 0, .frame = argc > 3 ? (uint32_t)atoi(argv[3]) : 0 };
	uint64_t wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, frames = 0, bytes = 0;
	unsigned sum = 0;

	if (argc != 4 || !wanted || !loop.depth || loop.depth % CHAIN || !loop.frame) {
		fprintf(stderr, "usage: verbs_loop FRAMES DEPTH FRAME_BYTES\n");
		return 2;
	}
	start(&loop);
	while (frames < wanted) {
		if (ibv_start_poll(loop.cq, &none))
			continue;
		do {
			uint64_t place = loop.cq->wr_id;

			if (loop.cq->status)
				fail("a receive");
			sum += loop.memory[place * loop.frame];
			bytes += ibv_wc_read_byte_len(loop.cq);
			if (place % CHAIN == CHAIN - 1)
				post(&loop, (uint32_t)place - (CHAIN - 1), CHAIN);
		} while (++frames < wanted && !ibv_next_poll(loop.cq));
		ibv_end_poll(loop.cq);
	}
	printf("%" PRIu64 " frames, %" PRIu64 " bytes, %u\n", frames, bytes, sum);
	return 0;
}
