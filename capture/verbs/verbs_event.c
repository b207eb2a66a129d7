/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <rdmatap/device.h>

#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_context.h"
#include "capture/verbs/verbs_event.h"

/* Acknowledging takes a lock, so it is done for this many events at once. */
#define ACKNOWLEDGED_AT_ONCE 256

void verbs_event_settle(struct verbs *verbs)
{
	for (unsigned i = 0; i < verbs->queue_count; i++) {
		struct verbs_queue *queue = &verbs->queues[i];

		if (queue->events_taken)
			ibv_ack_cq_events(queue->cq, queue->events_taken);
		queue->events_taken = 0;
	}
}

/* The parts of a port that an event reports as changed. */
static unsigned parts_changed(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_SM_CHANGE:
	case IBV_EVENT_CLIENT_REREGISTER:
		return RTAP_PORT_ATTRIBUTES;
	case IBV_EVENT_GID_CHANGE:
		return RTAP_PORT_GIDS;
	case IBV_EVENT_PKEY_CHANGE:
		return RTAP_PORT_P_KEYS;
	default:
		return 0;
	}
}

/* The devices belong to the reader; only its thread may access them. */
static void note_changes(struct verbs *verbs, const struct ibv_async_event *event)
{
	unsigned parts = parts_changed(event->event_type);

	if (!verbs->devices || !parts || event->element.port_num < 0 || event->element.port_num > UINT8_MAX)
		return;
	atomic_fetch_or(&verbs->changes[event->element.port_num], (unsigned char)parts);
	atomic_store(&verbs->has_changes, true);
}

void verbs_event_hand_on(struct live_device *device)
{
	struct verbs *verbs = (struct verbs *)device;

	if (!atomic_exchange(&verbs->has_changes, false))
		return;
	for (unsigned port = 0; port <= UINT8_MAX; port++) {
		unsigned parts = atomic_exchange(&verbs->changes[port], 0);
		char name[IBV_SYSFS_NAME_MAX + 8];
		struct rtap_end_port found;
		struct rtap_error ignored;

		snprintf(name, sizeof name, "%s/%u", ibv_get_device_name(verbs->context->device), port);
		if (parts && rtap_devices_find_name(verbs->devices, name, false, &found, &ignored) == RTAP_LOOKUP_FOUND)
			rtap_devices_invalidate(verbs->devices, found.device, found.port, parts);
	}
}

/* Its directory in sysfs is gone. */
static bool is_removed(const struct verbs *verbs)
{
	return verbs->context->device->ibdev_path[0] && access(verbs->context->device->ibdev_path, F_OK);
}

bool verbs_qp_has_failed(const struct verbs *verbs)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(verbs->qp, &attr, IBV_QP_STATE, &init) || attr.qp_state == IBV_QPS_ERR;
}

static void take_event(struct verbs *verbs, const struct ibv_async_event *event)
{
	note_changes(verbs, event);
	switch (event->event_type) {
	case IBV_EVENT_PORT_ERR:
		if (event->element.port_num == verbs->port)
			verbs_report(verbs, "the port went down; capturing continues when it is active again");
		break;
	case IBV_EVENT_PORT_ACTIVE:
		if (event->element.port_num == verbs->port)
			verbs_report(verbs, "the port is active again");
		break;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
		verbs->broken |= verbs_qp_has_failed(verbs);
		break;
	case IBV_EVENT_WQ_FATAL:
		verbs->broken = true;
		break;
	case IBV_EVENT_CQ_ERR:
		verbs->broken = verbs->cq_broken = true;
		verbs_report(verbs, "the completion queue overran and is created again; frames were lost");
		break;
	case IBV_EVENT_DEVICE_FATAL:
		verbs->dead = true;
		break;
	default:
		/* LID, P_Key, GID and SM changes do not matter to raw packets themselves. */
		break;
	}
}

enum rtap_status verbs_event_look(struct verbs *verbs, struct rtap_error *error)
{
	struct pollfd wait = { verbs->context->async_fd, POLLIN, 0 };
	struct ibv_async_event event;

	/* Poll before each read, which would block without an event. Report pending news before reading more events. */
	while (!verbs->has_news && poll(&wait, 1, 0) > 0) {
		if (ibv_get_async_event(verbs->context, &event)) {
			if (errno == EAGAIN || errno == EINTR)
				break;
			if (is_removed(verbs))
				return verbs_fail(verbs, error, "the device was removed", ENODEV, NULL);
			return verbs_fail(verbs, error, "an event of the device cannot be read", errno, NULL);
		}
		take_event(verbs, &event);
		ibv_ack_async_event(&event);
	}
	verbs->looked_ns = verbs_now_ns(CLOCK_MONOTONIC_COARSE);
	if (!verbs->dead)
		return RTAP_STATUS_OK;
	if (is_removed(verbs))
		return verbs_fail(verbs, error, "the device was removed", ENODEV, NULL);
	return verbs_fail(verbs, error, "the device reports a fatal error", EIO, "its driver has to be reset");
}

/* Takes the event of an armed queue, if any. */
static enum rtap_status take_completion_event(struct verbs *verbs, struct rtap_error *error)
{
	struct verbs_queue *queue;
	struct ibv_cq *cq;
	void *owner;

	if (ibv_get_cq_event(verbs->channel, &cq, &owner)) {
		if (errno == EAGAIN || errno == EINTR)
			return RTAP_STATUS_OK;
		return verbs_fail(verbs, error, "a completion event cannot be read", errno, NULL);
	}
	queue = owner;
	if (++queue->events_taken == ACKNOWLEDGED_AT_ONCE)
		verbs_event_settle(verbs);
	return RTAP_STATUS_OK;
}

enum rtap_status verbs_event_wait(struct verbs *verbs, unsigned timeout_ms, struct rtap_error *error)
{
	struct pollfd wait[2] = { { verbs->channel->fd, POLLIN, 0 }, { verbs->context->async_fd, POLLIN, 0 } };

	if (poll(wait, 2, (int)timeout_ms) < 0 && errno != EINTR)
		return verbs_fail(verbs, error, "waiting for frames failed", errno, NULL);
	if (wait[0].revents && take_completion_event(verbs, error))
		return RTAP_STATUS_FAILED;
	return wait[1].revents ? verbs_event_look(verbs, error) : RTAP_STATUS_OK;
}
