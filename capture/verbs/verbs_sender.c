/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sending frames by a raw-packet queue pair. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_context.h"
#include "capture/verbs/verbs_queue.h"
#include "capture/verbs/verbs_sender.h"

#define SLOTS 256
#define SLOT_BYTES 9280u
#define INLINE_BYTES 128
#define LEAST_BYTES 14           /* an Ethernet header */
#define STUCK_NS INT64_C(5000000000) /* without a completion for this long, sending has failed */

struct verbs_sender {
	struct rtap_sender sender; /* the first member */
	struct verbs verbs;        /* uses its device, domain, queues and region; has no ring */
	uint8_t *memory;
	unsigned flags;            /* of each send */
	uint32_t inline_bytes;     /* frames up to this length are sent inline */
	uint64_t posted, completed, failed; /* frames; a slot is free again when its send has completed */
};

static struct verbs_sender *of(struct rtap_sender *sender)
{
	return (struct verbs_sender *)sender;
}

static enum rtap_status cannot_go_on(struct verbs_sender *sender, const char *what, int reason, struct rtap_error *error)
{
	(void)!verbs_fail(&sender->verbs, error, what, reason, NULL);
	if (error)
		error->code = RTAP_ERROR_CLOSED;
	return RTAP_STATUS_FAILED;
}

/* Polls completions. A failed send also fails the queue pair. */
static enum rtap_status collect(struct verbs_sender *sender, struct rtap_error *error)
{
	struct ibv_wc wc[VERBS_CHAIN];
	int count = ibv_poll_cq(sender->verbs.queues[0].cq, VERBS_CHAIN, wc);

	if (count < 0)
		return cannot_go_on(sender, "the completion queue cannot be polled", errno, error);
	for (int i = 0; i < count; i++) {
		sender->completed++;
		if (!wc[i].status)
			continue;
		if (!sender->failed++)
			rtap_error_set(error, RTAP_ERROR_DEVICE, "%s: a frame could not be sent: %s (vendor error 0x%x)", sender->verbs.name,
				       ibv_wc_status_str(wc[i].status), wc[i].vendor_err);
	}
	if (!sender->failed)
		return RTAP_STATUS_OK;
	if (error)
		error->code = RTAP_ERROR_CLOSED;
	return RTAP_STATUS_FAILED;
}

/* Waits until at most `most` sends are outstanding. */
static enum rtap_status wait_for_room(struct verbs_sender *sender, uint64_t most, struct rtap_error *error)
{
	int64_t begin = verbs_now_ns(CLOCK_MONOTONIC);
	uint64_t before = sender->completed;

	while (sender->posted - sender->completed > most) {
		if (collect(sender, error))
			return RTAP_STATUS_FAILED;
		if (sender->completed != before) {
			before = sender->completed;
			begin = verbs_now_ns(CLOCK_MONOTONIC);
		} else if (verbs_now_ns(CLOCK_MONOTONIC) - begin > STUCK_NS) {
			return cannot_go_on(sender, "frames do not leave", ETIMEDOUT, error);
		}
	}
	return RTAP_STATUS_OK;
}

static enum rtap_status send_one(struct verbs_sender *sender, const struct rtap_frame *frame, struct rtap_error *error)
{
	uint8_t *slot = sender->memory + sender->posted % SLOTS * SLOT_BYTES;
	struct ibv_sge part = { (uintptr_t)slot, frame->captured_length, sender->verbs.mr->lkey };
	struct ibv_send_wr request = { .wr_id = sender->posted, .sg_list = &part, .num_sge = 1, .opcode = IBV_WR_SEND,
				       .send_flags = sender->flags }, *bad;
	int result;

	if (frame->captured_length < LEAST_BYTES || frame->captured_length > SLOT_BYTES) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "%s: the frame has %u bytes (%d to %u can be sent)", sender->verbs.name,
			       frame->captured_length, LEAST_BYTES,
			       SLOT_BYTES);
		return RTAP_STATUS_FAILED;
	}
	if (wait_for_room(sender, SLOTS - 1, error))
		return RTAP_STATUS_FAILED;
	if (frame->captured_length <= sender->inline_bytes) {
		part.addr = (uintptr_t)frame->bytes;
		request.send_flags |= IBV_SEND_INLINE;
	} else {
		memcpy(slot, frame->bytes, frame->captured_length);
	}
	result = ibv_post_send(sender->verbs.qp, &request, &bad);
	if (result)
		return cannot_go_on(sender, "the frame cannot be posted", result, error);
	sender->posted++;
	return RTAP_STATUS_OK;
}

static enum rtap_status verbs_send(struct rtap_sender *base, const struct rtap_frame *frames, size_t count, size_t *sent,
				   struct rtap_error *error)
{
	for (*sent = 0; *sent < count; ++*sent)
		if (send_one(of(base), &frames[*sent], error))
			return RTAP_STATUS_FAILED;
	return RTAP_STATUS_OK;
}

static enum rtap_status verbs_flush(struct rtap_sender *base, uint64_t *lost, struct rtap_error *error)
{
	struct verbs_sender *sender = of(base);
	enum rtap_status status = wait_for_room(sender, 0, error);

	*lost = sender->posted - sender->completed + sender->failed;
	return status;
}

static enum rtap_status verbs_compute_checksums(struct rtap_sender *base, struct rtap_error *error)
{
	struct verbs_sender *sender = of(base);

	if (!(sender->verbs.device.raw_packet_caps & IBV_RAW_PACKET_CAP_IP_CSUM)) {
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "%s: the device does not compute checksums of raw packets", sender->verbs.name);
		return RTAP_STATUS_FAILED;
	}
	sender->flags |= IBV_SEND_IP_CSUM;
	return RTAP_STATUS_OK;
}

static void verbs_sender_close(struct rtap_sender *base)
{
	struct verbs_sender *sender = of(base);

	if (sender->verbs.context) {
		verbs_queue_close(&sender->verbs);
		(void)!ibv_close_device(sender->verbs.context);
	}
	free(sender->memory);
	free(sender);
}

static const struct live_sender_operations operations = { verbs_send, verbs_flush, verbs_sender_close, verbs_compute_checksums };

static enum rtap_status open_memory(struct verbs_sender *sender, struct rtap_error *error)
{
	struct verbs *verbs = &sender->verbs;

	verbs->pd = ibv_alloc_pd(verbs->context);
	if (!verbs->pd)
		return verbs_fail(verbs, error, "a protection domain cannot be created", errno, NULL);
	sender->memory = malloc(SLOTS * SLOT_BYTES);
	if (!sender->memory)
		return verbs_fail(verbs, error, "no memory for frames", ENOMEM, "there is too little");
	verbs->mr = ibv_reg_mr(verbs->pd, sender->memory, SLOTS * SLOT_BYTES, 0);
	return verbs->mr ? RTAP_STATUS_OK : verbs_fail(verbs, error, "memory for frames cannot be registered", errno, NULL);
}

static enum rtap_status open_queues(struct verbs_sender *sender, struct rtap_error *error)
{
	static const struct {
		enum ibv_qp_state state;
		int more;
	} steps[] = { { IBV_QPS_INIT, IBV_QP_PORT }, { IBV_QPS_RTR, 0 }, { IBV_QPS_RTS, 0 } };
	struct verbs *verbs = &sender->verbs;
	struct ibv_qp_init_attr wanted = { .cap = { .max_send_wr = SLOTS, .max_send_sge = 1, .max_recv_wr = 1, .max_recv_sge = 1,
						    .max_inline_data = INLINE_BYTES }, .qp_type = IBV_QPT_RAW_PACKET };

	verbs->queue_count = 1;
	verbs->queues[0].cq = ibv_create_cq(verbs->context, SLOTS, NULL, NULL, 0);
	if (!verbs->queues[0].cq)
		return verbs_fail(verbs, error, "a completion queue cannot be created", errno, NULL);
	wanted.send_cq = wanted.recv_cq = verbs->queues[0].cq;
	verbs->qp = ibv_create_qp(verbs->pd, &wanted);
	/* The maximum inline size cannot be queried, so it is found by trying. */
	if (!verbs->qp && errno == EINVAL) {
		wanted.cap.max_inline_data = 0;
		verbs->qp = ibv_create_qp(verbs->pd, &wanted);
	}
	sender->inline_bytes = wanted.cap.max_inline_data;
	if (!verbs->qp)
		return verbs_fail(verbs, error, "a raw-packet queue pair cannot be created", errno, NULL);
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		struct ibv_qp_attr attr = { .qp_state = steps[i].state, .port_num = verbs->port };
		int result = ibv_modify_qp(verbs->qp, &attr, IBV_QP_STATE | steps[i].more);

		if (result)
			return verbs_fail(verbs, error, "the queue pair cannot change its state", result, NULL);
	}
	return RTAP_STATUS_OK;
}

enum rtap_status verbs_sender_open(struct rtap_sender **sender, const char *name, struct rtap_error *error)
{
	const struct rtap_verbs_options usual = { .size = sizeof usual };
	const struct rtap_live_options options = { .size = sizeof options, .verbs = &usual };
	struct verbs_sender *opened = calloc(1, sizeof *opened);
	enum rtap_status status;

	*sender = NULL;
	if (!opened) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "verbs:%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	opened->sender.operations = &operations;
	opened->sender.link_type = RTAP_LINK_ETHERNET;
	opened->flags = IBV_SEND_SIGNALED;
	status = verbs_context_open(&opened->verbs, name, &options, error);
	if (!status)
		status = open_memory(opened, error);
	if (!status)
		status = open_queues(opened, error);
	if (status)
		verbs_sender_close(&opened->sender);
	else
		*sender = &opened->sender;
	return status;
}
