/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_context.h"
#include "capture/verbs/verbs_route.h"

#define RESOLVE_MS 2000
#define JOIN_MS 5000
#define BEYOND_MS 500 /* longer than the timeout passed to the connection manager, so that its own result comes first */

/* One host or group, with the connection manager's view of it. */
struct target {
	const char *option, *name; /* "--peer", "HOST" */
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct rdma_addrinfo *info;
	bool joined;               /* by the connection manager */
	int membership;            /* a socket that has joined by IGMP or MLD; -1: none */
	struct rtap_error why_not; /* joined by the connection manager, if there is such a socket */
};

struct verbs_route {
	struct target peer, group;
};

static enum rtap_status fail(const struct target *target, struct rtap_error *error, const char *what, const char *reason, const char *hint)
{
	rtap_error_set(error, RTAP_ERROR_DEVICE, "%s %s: %s: %s%s%s%s", target->option, target->name, what, reason,
		       hint ? " (" : "", hint ? hint : "", hint ? ")" : "");
	return RTAP_STATUS_FAILED;
}

/* Waits for the next event, which must be `wanted`. Every event is acknowledged. */
static enum rtap_status wait_for(const struct target *target, enum rdma_cm_event_type wanted, const char *what, int timeout_ms,
				 struct rtap_error *error)
{
	int64_t end = verbs_now_ns(CLOCK_MONOTONIC) + (int64_t)timeout_ms * 1000000;
	struct pollfd wait = { target->channel->fd, POLLIN, 0 };
	struct rdma_cm_event *event;
	char reason[128];
	bool arrived;

	for (;;) {
		int64_t left = (end - verbs_now_ns(CLOCK_MONOTONIC)) / 1000000;
		int result = left > 0 ? poll(&wait, 1, (int)left) : 0;

		if (result < 0 && errno == EINTR)
			continue;
		if (result <= 0)
			return fail(target, error, what, result ? strerror(errno) : "no answer in time", NULL);
		break;
	}
	if (rdma_get_cm_event(target->channel, &event))
		return fail(target, error, what, strerror(errno), NULL);
	arrived = event->event == wanted && !event->status;
	/* a status below 0 is an errno; above, a reason of the connection manager's own */
	snprintf(reason, sizeof reason, "%s, %s", rdma_event_str(event->event), event->status < 0 ? strerror(-event->status) : "refused");
	if (rdma_ack_cm_event(event) && arrived)
		return fail(target, error, what, strerror(errno), NULL);
	return arrived ? RTAP_STATUS_OK : fail(target, error, what, reason, "is there a route to it by an RDMA device?");
}

static enum rtap_status look_up(struct target *target, struct rtap_error *error)
{
	struct rdma_addrinfo hints = { .ai_qp_type = IBV_QPT_UD, .ai_port_space = RDMA_PS_UDP };
	int result = rdma_getaddrinfo(target->name, NULL, &hints, &target->info);

	if (result)
		return fail(target, error, "its address is not found", result == -1 ? strerror(errno) : gai_strerror(result), NULL);
	if (!target->info->ai_dst_addr)
		return fail(target, error, "its address is not found", "no answer has one", NULL);
	return RTAP_STATUS_OK;
}

static enum rtap_status resolve_address(struct target *target, struct rtap_error *error)
{
	target->channel = rdma_create_event_channel();
	if (!target->channel)
		return fail(target, error, "the connection manager cannot be reached", strerror(errno),
			    "is the kernel module rdma_ucm loaded, and /dev/infiniband/rdma_cm accessible?");
	if (rdma_create_id(target->channel, &target->id, NULL, RDMA_PS_UDP)) {
		target->id = NULL;
		return fail(target, error, "the connection manager provides no identifier", strerror(errno), NULL);
	}
	if (look_up(target, error))
		return RTAP_STATUS_FAILED;
	if (rdma_resolve_addr(target->id, NULL, target->info->ai_dst_addr, RESOLVE_MS))
		return fail(target, error, "its address is not resolved", strerror(errno), "is there a route to it by an RDMA device?");
	return wait_for(target, RDMA_CM_EVENT_ADDR_RESOLVED, "its address is not resolved", RESOLVE_MS + BEYOND_MS, error);
}

static enum rtap_status resolve_route(struct target *target, struct rtap_error *error)
{
	if (rdma_resolve_route(target->id, RESOLVE_MS))
		return fail(target, error, "the route to it is not resolved", strerror(errno), NULL);
	return wait_for(target, RDMA_CM_EVENT_ROUTE_RESOLVED, "the route to it is not resolved", RESOLVE_MS + BEYOND_MS, error);
}

static bool is_multicast(const struct sockaddr *address)
{
	struct sockaddr_in6 six;
	struct sockaddr_in four;

	if (address->sa_family == AF_INET) {
		memcpy(&four, address, sizeof four);
		return IN_MULTICAST(ntohl(four.sin_addr.s_addr));
	}
	if (address->sa_family != AF_INET6)
		return false;
	memcpy(&six, address, sizeof six);
	return IN6_IS_ADDR_MULTICAST(&six.sin6_addr);
}

/* Joins by IGMP or MLD on the route's interface while the socket is open, like the connection manager. Returns 0 or errno. */
static int join_by_socket(struct target *target)
{
	const struct sockaddr *address = target->info->ai_dst_addr;
	bool is_six = address->sa_family == AF_INET6;
	struct group_req group = { .gr_interface = 0 };
	struct sockaddr_in6 six;

	if (is_six) {
		memcpy(&six, address, sizeof six);
		group.gr_interface = six.sin6_scope_id;
	}
	memcpy(&group.gr_group, address, is_six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
	target->membership = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (target->membership < 0)
		return errno;
	return setsockopt(target->membership, is_six ? IPPROTO_IPV6 : IPPROTO_IP, MCAST_JOIN_GROUP, &group, sizeof group) ? errno : 0;
}

static enum rtap_status join_by_manager(struct target *target, struct rtap_error *error)
{
	if (rdma_join_multicast(target->id, target->info->ai_dst_addr, NULL))
		return fail(target, error, "the group cannot be joined", strerror(errno), NULL);
	target->joined = true;
	return wait_for(target, RDMA_CM_EVENT_MULTICAST_JOIN, "the group cannot be joined", JOIN_MS, error);
}

/*
 * Joins by the connection manager or, if that does not support multicast (iWARP), by IGMP or MLD: the port may still receive
 * such frames.
 */
static enum rtap_status join(struct target *target, struct rtap_error *error)
{
	int result;

	if (!is_multicast(target->info->ai_dst_addr))
		return fail(target, error, "the group cannot be joined", "this is not the address of a multicast group", NULL);
	if (!join_by_manager(target, &target->why_not))
		return RTAP_STATUS_OK;
	result = join_by_socket(target);
	if (!result)
		return RTAP_STATUS_OK;
	rtap_error_set(error, error_code_of(result), "%s; nor by IGMP or MLD: %s", target->why_not.text, strerror(result));
	return RTAP_STATUS_FAILED;
}

/* Writes the device with the route and compares it with the requested one. */
static enum rtap_status check_device(const struct target *target, const char *name, char *found, size_t found_size,
				     struct rtap_error *error)
{
	const char *device = target->id->verbs ? ibv_get_device_name(target->id->verbs->device) : NULL;
	size_t length = strlen(name);

	if (!device)
		return fail(target, error, "its address is not resolved", "no RDMA device reaches it", NULL);
	snprintf(found, found_size, "%s/%u", device, target->id->port_num);
	if (!length || !strcmp(name, found) || (!strchr(name, '/') && !strncmp(name, found, length) && found[length] == '/'))
		return RTAP_STATUS_OK;
	return fail(target, error, "another device reaches it", found, "leave the device out: -i verbs:");
}

/* Frames from the host and to the host. */
static enum rtap_status add_rules(const struct target *target, struct flow_rule *rules, size_t *rule_count, struct rtap_error *error)
{
	const struct sockaddr *address = target->info->ai_dst_addr;
	char host[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 16];
	enum rtap_status status = RTAP_STATUS_OK;
	struct sockaddr_in6 six = { .sin6_family = 0 };
	struct sockaddr_in four = { .sin_family = 0 };

	if (address->sa_family == AF_INET) {
		memcpy(&four, address, sizeof four);
		inet_ntop(AF_INET, &four.sin_addr, host, sizeof host);
	} else if (address->sa_family == AF_INET6) {
		memcpy(&six, address, sizeof six);
		inet_ntop(AF_INET6, &six.sin6_addr, host, sizeof host);
	} else {
		return fail(target, error, "its address cannot be used", "neither IPv4 nor IPv6", NULL);
	}
	for (int to = 0; to < 2 && !status; to++) {
		snprintf(text, sizeof text, "%s %s=%s", address->sa_family == AF_INET ? "ipv4" : "ipv6", to ? "dst" : "src", host);
		status = flow_rule_parse(&rules[(*rule_count)++], text, error);
	}
	return status;
}

enum rtap_status verbs_route_open(struct verbs_route **route, const struct rtap_verbs_options *options, struct flow_rule *rules,
				  size_t *rule_count, const char *name, char *found, size_t found_size, struct rtap_error *error)
{
	struct verbs_route *opened = calloc(1, sizeof *opened);
	enum rtap_status status = RTAP_STATUS_OK;

	*route = NULL;
	if (!opened) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "verbs:%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	opened->peer = (struct target){ .option = "--peer", .name = options->peer, .membership = -1 };
	opened->group = (struct target){ .option = "--join", .name = options->group, .membership = -1 };
	if (options->peer) {
		status = resolve_address(&opened->peer, error);
		if (!status)
			status = resolve_route(&opened->peer, error);
		if (!status)
			status = check_device(&opened->peer, name, found, found_size, error);
		if (!status)
			status = add_rules(&opened->peer, rules, rule_count, error);
	}
	if (options->group && !status) {
		status = resolve_address(&opened->group, error);
		if (!status)
			status = check_device(&opened->group, options->peer ? found : name, found, found_size, error);
		if (!status)
			status = join(&opened->group, error);
	}
	if (status) {
		verbs_route_close(opened);
		return status;
	}
	*route = opened;
	return RTAP_STATUS_OK;
}

/* The kernel frees what remains when the channel is closed. */
static void target_close(struct target *target)
{
	if (target->joined)
		(void)!rdma_leave_multicast(target->id, target->info->ai_dst_addr);
	if (target->membership >= 0)
		close(target->membership);
	if (target->info)
		rdma_freeaddrinfo(target->info);
	if (target->id)
		(void)!rdma_destroy_id(target->id);
	if (target->channel)
		rdma_destroy_event_channel(target->channel);
}

void verbs_route_notes(const struct verbs_route *route, void (*take)(void *owner, const char *text), void *owner)
{
	const struct target *group = route ? &route->group : NULL;
	char text[sizeof group->why_not.text + 128];

	if (!group || !group->name)
		return;
	if (group->membership < 0)
		snprintf(text, sizeof text, "joined %s by the connection manager", group->name);
	else
		snprintf(text, sizeof text, "joined %s by IGMP or MLD (%s)", group->name, group->why_not.text);
	take(owner, text);
}

void verbs_route_close(struct verbs_route *route)
{
	if (!route)
		return;
	target_close(&route->peer);
	target_close(&route->group);
	free(route);
}
