/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connection manager as far as --peer and --join use it: every host is reached through the first device's port 1. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/verbs_sim/sim.h"

static unsigned objects;

struct sim_id {
	struct rdma_cm_id id;
	struct ibv_device **devices;
	unsigned unacknowledged;
	bool joined;
	bool has_event;
	enum rdma_cm_event_type next;
	int status;
};

struct sim_event_channel {
	struct rdma_event_channel channel; /* its descriptor is a timer that ends when the event is there */
	struct sim_id *id;
};

unsigned sim_cm_objects(void)
{
	return objects;
}

SIM_EXPORT struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct sim_event_channel *channel;

	if (sim_fails("rdma_create_event_channel"))
		return NULL;
	channel = calloc(1, sizeof *channel);
	if (!channel)
		return NULL;
	channel->channel.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	objects++;
	return &channel->channel;
}

SIM_EXPORT void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	if (((struct sim_event_channel *)channel)->id)
		sim_violation("rdma_destroy_event_channel with an identifier left");
	close(channel->fd);
	free(channel);
	objects--;
}

SIM_EXPORT int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, enum rdma_port_space ps)
{
	struct sim_id *made;

	if (sim_fails("rdma_create_id"))
		return -1;
	made = calloc(1, sizeof *made);
	if (!made)
		return -1;
	made->id.channel = channel;
	made->id.context = context;
	made->id.ps = ps;
	((struct sim_event_channel *)channel)->id = made;
	*id = &made->id;
	objects++;
	return 0;
}

SIM_EXPORT int rdma_destroy_id(struct rdma_cm_id *ibv)
{
	struct sim_id *id = (struct sim_id *)ibv;
	bool fails = sim_fails("rdma_destroy_id");

	if (id->unacknowledged)
		sim_violation("rdma_destroy_id with an event not acknowledged: it would wait for ever");
	if (id->joined)
		sim_violation("rdma_destroy_id in a group that was not left");
	((struct sim_event_channel *)ibv->channel)->id = NULL;
	if (ibv->verbs)
		ibv_close_device(ibv->verbs);
	if (id->devices)
		ibv_free_device_list(id->devices);
	free(id);
	objects--;
	if (!fails)
		return 0;
	errno = sim_config.fail_errno;
	return -1;
}

SIM_EXPORT int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints, struct rdma_addrinfo **info)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct rdma_addrinfo *made;
	bool is_six;

	(void)service;
	(void)hints;
	if (sim_fails("rdma_getaddrinfo"))
		return -1;
	is_six = inet_pton(AF_INET6, node, &six.sin6_addr) == 1;
	if (!is_six && inet_pton(AF_INET, node, &four.sin_addr) != 1)
		return EAI_NONAME;
	made = calloc(1, sizeof *made + sizeof six);
	if (!made)
		return EAI_MEMORY;
	made->ai_family = is_six ? AF_INET6 : AF_INET;
	made->ai_dst_len = is_six ? sizeof six : sizeof four;
	made->ai_dst_addr = (struct sockaddr *)(made + 1);
	memcpy(made->ai_dst_addr, is_six ? (void *)&six : (void *)&four, made->ai_dst_len);
	objects++;
	*info = made;
	return 0;
}

SIM_EXPORT void rdma_freeaddrinfo(struct rdma_addrinfo *info)
{
	free(info);
	objects--;
}

/* Answers after the configured delay, or never. */
static int answer(struct rdma_cm_id *ibv, enum rdma_cm_event_type good, enum rdma_cm_event_type bad)
{
	struct itimerspec when = { { 0, 0 }, { sim_config.cm_delay_ms / 1000, (long)(sim_config.cm_delay_ms % 1000) * 1000000 + 1 } };
	struct sim_id *id = (struct sim_id *)ibv;

	if (sim_config.cm_silent)
		return 0;
	id->has_event = true;
	id->next = sim_config.cm_reject ? bad : good;
	id->status = sim_config.cm_reject ? -EHOSTUNREACH : 0;
	return timerfd_settime(ibv->channel->fd, 0, &when, NULL);
}

SIM_EXPORT int rdma_resolve_addr(struct rdma_cm_id *ibv, struct sockaddr *from, struct sockaddr *to, int timeout_ms)
{
	struct sim_id *id = (struct sim_id *)ibv;
	int count;

	(void)from;
	(void)to;
	(void)timeout_ms;
	if (sim_fails("rdma_resolve_addr"))
		return -1;
	id->devices = ibv_get_device_list(&count);
	if (!id->devices || !count || !(ibv->verbs = ibv_open_device(id->devices[0]))) {
		errno = ENODEV;
		return -1;
	}
	ibv->port_num = 1;
	return answer(ibv, RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ADDR_ERROR);
}

SIM_EXPORT int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	(void)timeout_ms;
	if (sim_fails("rdma_resolve_route"))
		return -1;
	return answer(id, RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_ROUTE_ERROR);
}

SIM_EXPORT int rdma_join_multicast(struct rdma_cm_id *ibv, struct sockaddr *group, void *context)
{
	(void)group;
	(void)context;
	if (sim_fails("rdma_join_multicast"))
		return -1;
	((struct sim_id *)ibv)->joined = true;
	return answer(ibv, RDMA_CM_EVENT_MULTICAST_JOIN, RDMA_CM_EVENT_MULTICAST_ERROR);
}

SIM_EXPORT int rdma_leave_multicast(struct rdma_cm_id *ibv, struct sockaddr *group)
{
	(void)group;
	((struct sim_id *)ibv)->joined = false;
	if (!sim_fails("rdma_leave_multicast"))
		return 0;
	return -1;
}

SIM_EXPORT int rdma_get_cm_event(struct rdma_event_channel *ibv, struct rdma_cm_event **event)
{
	struct sim_event_channel *channel = (struct sim_event_channel *)ibv;
	uint64_t count;

	if (sim_fails("rdma_get_cm_event"))
		return -1;
	if (read(ibv->fd, &count, sizeof count) != sizeof count)
		return -1;
	*event = calloc(1, sizeof **event);
	if (!*event)
		return -1;
	(*event)->id = &channel->id->id;
	(*event)->event = channel->id->next;
	(*event)->status = channel->id->status;
	channel->id->has_event = false;
	channel->id->unacknowledged++;
	objects++;
	return 0;
}

SIM_EXPORT int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	bool fails = sim_fails("rdma_ack_cm_event");

	((struct sim_id *)event->id)->unacknowledged--;
	free(event);
	objects--;
	if (!fails)
		return 0;
	errno = sim_config.fail_errno;
	return -1;
}

SIM_EXPORT const char *rdma_event_str(enum rdma_cm_event_type event)
{
	switch (event) {
	case RDMA_CM_EVENT_ADDR_ERROR: return "address error";
	case RDMA_CM_EVENT_ROUTE_ERROR: return "route error";
	case RDMA_CM_EVENT_MULTICAST_ERROR: return "multicast error";
	default: return "other event";
	}
}
