/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "capture/devices/device_verbs.h"
#include "capture/live/live_device.h"
#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_clock.h"
#include "capture/verbs/verbs_context.h"
#include "capture/verbs/verbs_event.h"
#include "capture/verbs/verbs_flow.h"
#include "capture/verbs/verbs_merge.h"
#include "capture/verbs/verbs_poll.h"
#include "capture/verbs/verbs_queue.h"
#include "capture/verbs/verbs_route.h"
#include "capture/verbs/verbs_sender.h"
#include "capture/verbs/verbs_shrink.h"
#include "capture/verbs/verbs_tuning.h"
#include "capture/file/writer.h"

#define NS_A_MS INT64_C(1000000)
#define NS_A_SECOND INT64_C(1000000000)

#define LOOK_NS (10 * NS_A_MS)      /* interval of checks for events while frames arrive continuously */
#define MOST_DISORDERS 5              /* of one kind of completion queue */
#define DISORDER_WAIT_MS 5            /* before the first repair; doubled before each further one */
#define CLOCK_NS NS_A_SECOND        /* interval of reading the device's clock */
#define DROPS_NS NS_A_SECOND        /* minimum interval between reads of the drop counter, which may need a firmware query */
#define DRAIN_MS 10                 /* wait for frames in flight when the rules are removed */
#define CPU_CACHES "/sys/devices/system/cpu/cpu0/cache"
#define SPIN_NS 20000               /* polled on before an event is waited for: arming and waking takes about as long */

/* Time */

/* Reads both clocks; uses the fastest of three readings. */
static void read_clock(struct verbs *verbs)
{
	int64_t best = INT64_MAX, wall_ns = 0;
	uint64_t ticks = 0;

	for (int i = 0; i < 3; i++) {
		struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
		int64_t before = verbs_now_ns(CLOCK_REALTIME), after;

		if (ibv_query_rt_values_ex(verbs->context, &values) || !(values.comp_mask & IBV_VALUES_MASK_RAW_CLOCK))
			continue;
		after = verbs_now_ns(CLOCK_REALTIME);
		if (after < before || after - before >= best)
			continue;
		best = after - before;
		wall_ns = before + best / 2;
		ticks = (uint64_t)values.raw_clock.tv_sec * (uint64_t)NS_A_SECOND + (uint64_t)values.raw_clock.tv_nsec;
	}
	if (best != INT64_MAX)
		verbs_clock_read(&verbs->clock, ticks, wall_ns);
	else if (!verbs->clock.read_ns)
		verbs->clock.mask = 0; /* time stamps that cannot be converted to times are useless */
}

/* Receiving */

static enum rtap_status poll_all(struct verbs *verbs, struct batch *batch, unsigned *count, struct rtap_error *error)
{
	if (verbs->queue_count > 1)
		return verbs_merge(verbs, verbs_poll, batch, count, error);
	return verbs_poll(verbs, verbs->queues, batch, count, error);
}

static enum rtap_status arm(struct verbs *verbs, struct rtap_error *error)
{
	int result = 0;

	for (unsigned i = 0; i < verbs->queue_count && !result; i++)
		result = ibv_req_notify_cq(verbs->queues[i].cq, verbs->tuning.solicited);
	return result ? verbs_fail(verbs, error, "completion events cannot be requested", result, NULL) : RTAP_STATUS_OK;
}

/* Polls, arms, polls again (a completion may have come in between, and raises no event), waits, polls. */
static enum rtap_status wait_and_poll(struct verbs *verbs, struct batch *batch, unsigned timeout_ms, struct rtap_error *error)
{
	int64_t begin = verbs_now_ns(CLOCK_MONOTONIC), spin = verbs->tuning.busy ? timeout_ms * NS_A_MS : SPIN_NS;
	enum rtap_status status;
	unsigned count;

	do
		status = poll_all(verbs, batch, &count, error);
	while (!status && !count && !verbs->broken && !batch->closed && verbs_now_ns(CLOCK_MONOTONIC) - begin < spin);
	if (status || count || verbs->broken || batch->closed || verbs->tuning.busy || !timeout_ms)
		return status;
	status = arm(verbs, error);
	if (!status)
		status = poll_all(verbs, batch, &count, error);
	if (status || count || batch->closed || verbs->broken)
		return status;
	status = verbs_event_wait(verbs, timeout_ms, error);
	return status ? status : poll_all(verbs, batch, &count, error);
}

static enum rtap_status look_after(struct verbs *verbs, struct rtap_error *error)
{
	int64_t now = verbs_now_ns(CLOCK_MONOTONIC_COARSE);

	if (verbs->stamps == VERBS_STAMPS_RAW && verbs_now_ns(CLOCK_REALTIME) - verbs->clock.read_ns >= CLOCK_NS)
		read_clock(verbs);
	return now - verbs->looked_ns >= LOOK_NS ? verbs_event_look(verbs, error) : RTAP_STATUS_OK;
}

static enum rtap_status report_events(struct verbs *verbs, struct rtap_error *error)
{
	verbs->has_news = false;
	rtap_error_set(error, RTAP_ERROR_EVENT, "%s: %s", verbs->name, verbs->news);
	return RTAP_STATUS_BROKEN;
}

/* Take the successful completions before the failure, in this queue and in others, before rebuilding them. */
static bool has_left_nothing(const struct verbs *verbs)
{
	for (unsigned i = 0; i < verbs->queue_count; i++)
		if (!verbs->queues[i].broken && !verbs->queues[i].drained)
			return false;
	return true;
}

/* Receives completed out of order, so their frames may be wrong too. */
static enum rtap_status repair_disorder(struct verbs *verbs, struct rtap_error *error)
{
	verbs->is_disordered = false;
	if (++verbs->disorders < MOST_DISORDERS) {
		verbs_report(verbs, "receives completed out of order; the queue is reset");
		poll(NULL, 0, DISORDER_WAIT_MS << verbs->disorders);
	} else if (verbs->queues[0].cq_ex) {
		verbs_report(verbs,
			     "receives completed out of order %u times: the plain completion queue is used from now on (--verbs cq=plain)",
			     verbs->disorders);
		verbs->tuning.plain_cq = verbs->cq_broken = true;
		verbs->disorders = 0;
	} else {
		return verbs_fail(verbs, error, "receives complete out of order, with the plain completion queue too", EIO,
				  "this driver cannot be used; pcap:IFACE captures on its network interface");
	}
	return RTAP_STATUS_OK;
}

static enum rtap_status repair(struct verbs *verbs, struct rtap_error *error)
{
	if (verbs->is_disordered && repair_disorder(verbs, error))
		return RTAP_STATUS_FAILED;
	return verbs_queue_rebuild(verbs, error);
}

static enum rtap_status verbs_receive(struct live_device *device, struct batch *batch, unsigned timeout_ms, struct rtap_error *error)
{
	struct verbs *verbs = (struct verbs *)device;
	enum rtap_status status = look_after(verbs, error);

	if (verbs->counts_only && !batch->counts_only)
		live_count_only(batch);
	if (!status && !verbs->has_news)
		status = wait_and_poll(verbs, batch, verbs->broken ? 0 : timeout_ms, error);
	if (!status && verbs->broken && !verbs->stopped && !batch->closed && has_left_nothing(verbs))
		status = repair(verbs, error);
	if (!status && verbs->has_news)
		return report_events(verbs, error);
	return status;
}

static void verbs_stop(struct live_device *device)
{
	struct verbs *verbs = (struct verbs *)device;
	struct rtap_error error;

	verbs->stopped = true;
	if (verbs_queue_stop(verbs, &error))
		verbs_report(verbs, "%.*s", (int)sizeof verbs->news - 1, error.text + strlen(verbs->name) + 2);
	else if (verbs->failed > verbs->reported_failed || verbs->rebuilds)
		verbs_report(verbs, "%llu receives failed, and the queue was reset %llu times; frames that arrived in the meantime are lost",
			   (unsigned long long)verbs->failed, (unsigned long long)verbs->rebuilds);
}

static void verbs_statistics(struct live_device *device, struct live_statistics *statistics)
{
	struct verbs *verbs = (struct verbs *)device;
	int64_t now = verbs_now_ns(CLOCK_MONOTONIC);
	uint64_t passed = 0, dropped = 0;

	if (verbs->stopped || now - verbs->drops_read_ns >= DROPS_NS) {
		verbs_read_drops(verbs);
		verbs->drops_read_ns = now;
	}
	for (unsigned i = 0; i < verbs->queue_count; i++) {
		passed += verbs->queues[i].passed;
		dropped += verbs->queues[i].dropped;
	}
	/* frames that arrive while a queue is rebuilt are not counted by any counter */
	statistics->dropped_by_device = (struct rtap_count){ verbs->has_device_drops, verbs->device_drops };
	statistics->dropped_by_system = (struct rtap_count){ !verbs->rebuilds, dropped + verbs->failed };
	statistics->received = (struct rtap_count){ !verbs->rebuilds, passed + dropped + verbs->failed };
	if (verbs->has_device_drops)
		statistics->received.value += verbs->device_drops;
}

static void verbs_close(struct live_device *device)
{
	struct verbs *verbs = (struct verbs *)device;

	verbs_route_close(verbs->route);
	if (verbs->context) {
		verbs_queue_close(verbs);
		(void)!ibv_close_device(verbs->context);
	}
	free(verbs);
}

static void verbs_notes(struct live_device *device, void (*take)(void *owner, const char *text), void *owner)
{
	verbs_route_notes(((struct verbs *)device)->route, take, owner);
	verbs_flow_notes((struct verbs *)device, take, owner);
	verbs_queue_notes((struct verbs *)device, take, owner);
}

static const struct live_operations operations = { verbs_receive, verbs_stop, verbs_statistics, verbs_event_hand_on,
						   verbs_notes, verbs_close };

/* Opening */

static enum rtap_status derive_sizes(struct verbs *verbs, const struct rtap_live_options *options, struct rtap_error *error)
{
	const struct ibv_device_attr *device = &verbs->device.orig_attr;
	const struct verbs_limits limits = {
		.most_receives = (uint32_t)device->max_qp_wr,
		.most_cq_entries = (uint32_t)device->max_cqe,
		.most_parts = (uint32_t)device->max_sge,
		.gbps = verbs_port_gbps(verbs->port_attr.active_width, verbs->port_attr.active_speed),
		.mtu = verbs_netdev_mtu(verbs),
		.buffer_bytes = options->buffer_bytes,
		.snap_length = options->snap_length,
		.looks_at_headers = verbs->matches_here,
		.most_locked = verbs_most_locked(),
	};
	struct rtap_error reason;

	if (!verbs_sizes_derive(&verbs->sizes, &verbs->tuning, &limits, &reason))
		return RTAP_STATUS_OK;
	rtap_error_set(error, reason.code, "%s: %s", verbs->name, reason.text);
	return RTAP_STATUS_FAILED;
}

static void describe(struct verbs *verbs)
{
	static const char *const stamps[] = { "host", "device", "device" };
	static const char *const types[] = { "sniffer", "normal rules", "all", "multicast" };

	char spread[48] = "";

	if (verbs->queue_count > 1)
		snprintf(spread, sizeof spread, "%u queues (by IPv%d and UDP port), ", verbs->queue_count, verbs->tuning.hash_ipv6 ? 6 : 4);
	snprintf(verbs->description, sizeof verbs->description,
		 "raw-packet QP, %s%s, %s%s CQ, %u receives of %u bytes, time stamps by the %s",
		 types[verbs->flow_type], verbs->matches_here ? " with rules matched in software" : "", spread,
		 verbs->queues[0].cq_ex ? "extended" : "plain", verbs->sizes.depth, verbs->sizes.frame_bytes, stamps[verbs->stamps]);
	verbs->live.operations = &operations;
	verbs->live.interface.name = verbs->name + strlen("verbs:");
	verbs->live.interface.description = verbs->description;
	verbs->live.interface.filter = "";
	verbs->live.interface.link_type = RTAP_LINK_ETHERNET;
	verbs->live.interface.snap_length = verbs->snap_length;
	verbs->live.interface.time_digits = 9;
	verbs->live.interface.bits_per_second =
		verbs_port_gbps(verbs->port_attr.active_width, verbs->port_attr.active_speed) * UINT64_C(1000000000);
	verbs->live.has_own_clock = verbs->stamps == VERBS_STAMPS_WALL;
	verbs->live.needs_privileges = true;
	verbs->live.drain_ms = DRAIN_MS;
}

static enum rtap_status open_all(struct verbs *verbs, const char *name, const struct rtap_live_options *options, struct rtap_error *error)
{
	enum rtap_status status = verbs_tuning_parse(&verbs->tuning, options->verbs->tuning, error);
	char found[IBV_SYSFS_NAME_MAX + 8];
	bool as_received;

	if (!status && (options->verbs->peer || options->verbs->group)) {
		status = verbs_route_open(&verbs->route, options->verbs, verbs->rules, &verbs->rule_count, name, found,
					  sizeof found, error);
		name = found;
	}
	if (!status)
		status = verbs_flow_choose(verbs, options->verbs, options->capture_filter, error);
	if (!status)
		status = verbs_context_open(verbs, name, options, error);
	if (!status)
		status = derive_sizes(verbs, options, error);
	if (status)
		return status;
	verbs->snap_length = options->snap_length;
	verbs->devices = options->verbs->devices;
	/* frames of several queues are sorted by time, and a filter examines them */
	as_received = !options->capture_filter && verbs->sizes.queues == 1;
	verbs->counts_only = options->counts_only && as_received && !verbs->matches_here;
	verbs->makes_records = options->written_as && as_received && !verbs->counts_only;
	verbs->keeps = options->kept;
	if (verbs->tuning.shrink_ms)
		verbs->cache_bytes = verbs_cache_bytes(CPU_CACHES);
	if (verbs->makes_records)
		verbs->record_form = record_form_of(options->written_as);
	verbs_clock_init(&verbs->clock, verbs->device.completion_timestamp_mask, verbs->device.hca_core_clock);
	if (verbs->clock.mask && !verbs->tuning.no_stamps)
		read_clock(verbs);
	return verbs_queue_open(verbs, error);
}

static enum rtap_status verbs_open(struct live_device **device, const char *name, const struct rtap_live_options *options,
				   struct rtap_error *error)
{
	struct verbs *verbs = calloc(1, sizeof *verbs);
	enum rtap_status status;

	*device = NULL;
	if (!verbs) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "verbs:%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	status = open_all(verbs, name, options, error);
	if (status) {
		verbs_close(&verbs->live);
		return status;
	}
	describe(verbs);
	*device = &verbs->live;
	return RTAP_STATUS_OK;
}

/* The kind */

static bool knows(const char *name)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	size_t length = strcspn(name, "/");
	bool found = false;

	for (size_t i = 0; devices && devices[i] && !found; i++)
		found = !strncmp(ibv_get_device_name(devices[i]), name, length) && !ibv_get_device_name(devices[i])[length];
	if (devices)
		ibv_free_device_list(devices);
	return found;
}

static bool is_without_raw_packet(struct ibv_context *context)
{
	int result = device_verbs_try_raw_packet(context);

	return result && result != EPERM && result != EACCES && result != ENOMEM;
}

static void list_port(struct ibv_context *context, uint8_t port, void (*take)(void *owner, struct rtap_live_entry *entry), void *owner)
{
	char name[IBV_SYSFS_NAME_MAX + 8], description[64], netdev[IF_NAMESIZE], obstacle[128];
	struct rtap_live_entry entry = { .name = name, .description = description, .state = "", .obstacle = "",
					 .link_type = RTAP_LINK_ETHERNET };
	struct ibv_port_attr attr;

	if (ibv_query_port(context, port, &attr))
		return;
	snprintf(name, sizeof name, "%s/%u", ibv_get_device_name(context->device), port);
	snprintf(description, sizeof description, "RDMA device, %u Gb/s", verbs_port_gbps(attr.active_width, attr.active_speed));
	entry.state = attr.state == IBV_PORT_ACTIVE ? "active" : attr.state == IBV_PORT_DOWN ? "down" : "not active";
	if (attr.link_layer == IBV_LINK_LAYER_INFINIBAND) {
		entry.obstacle = "its link is InfiniBand, and raw-packet QPs carry Ethernet only";
		entry.link_type = UINT32_MAX;
	} else if (is_without_raw_packet(context)) {
		if (!verbs_netdev(context, port, netdev))
			strcpy(netdev, "IFACE");
		snprintf(obstacle, sizeof obstacle, "it has no raw-packet queue pairs (pcap:%s captures on its network interface)", netdev);
		entry.obstacle = obstacle;
	} else if (attr.state != IBV_PORT_ACTIVE) {
		entry.obstacle = "the port is not active (--force captures anyway)";
	}
	take(owner, &entry);
}

static void list_device(struct ibv_device *device, void (*take)(void *owner, struct rtap_live_entry *entry), void *owner)
{
	struct rtap_live_entry entry = { .name = ibv_get_device_name(device), .description = "RDMA device", .state = "",
					 .obstacle = "it cannot be opened", .link_type = RTAP_LINK_ETHERNET };
	struct ibv_context *context = ibv_open_device(device);
	struct ibv_device_attr attr;

	if (!context) {
		take(owner, &entry);
		return;
	}
	if (ibv_query_device(context, &attr))
		attr.phys_port_cnt = 1;
	for (unsigned port = 1; port <= attr.phys_port_cnt; port++)
		list_port(context, (uint8_t)port, take, owner);
	/* Ignore a failure to close: the device was only queried. */
	(void)!ibv_close_device(context);
}

static enum rtap_status list(void (*take)(void *owner, struct rtap_live_entry *entry), void *owner, struct rtap_error *error)
{
	struct ibv_device **devices;

	errno = 0;
	devices = ibv_get_device_list(NULL);
	if (!devices) {
		/* ENOSYS: the kernel has no RDMA support, which is a result, not an error */
		if (errno == ENOSYS)
			return RTAP_STATUS_OK;
		rtap_error_set(error, error_code_of(errno), "verbs: RDMA devices cannot be listed: %s", strerror(errno));
		return RTAP_STATUS_FAILED;
	}
	for (size_t i = 0; devices[i]; i++)
		list_device(devices[i], take, owner);
	ibv_free_device_list(devices);
	return RTAP_STATUS_OK;
}

const struct live_kind live_verbs = { .name = "verbs", .unnamed = true, .knows = knows, .open = verbs_open, .list = list,
				      .open_sender = verbs_sender_open };
