/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The simulated devices: configuration, list, contexts, what can be asked of them, asynchronous events. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/verbs_sim/sim.h"

#undef ibv_query_port

struct sim_config sim_config;

static uint64_t calls;
static char configured[2048]; /* the text that sim_config was made of */
static bool is_configured;

static void configure(void);

static unsigned violations, contexts_open, lists_out;
static char failed_call[32];
static struct ibv_device devices[8];

uint64_t sim_now_ns(int clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sim_violation(const char *format, ...)
{
	va_list arguments;

	violations++;
	fputs("verbs_sim: the program broke a rule: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

bool sim_fails(const char *call)
{
	configure();
	calls++;
	if (!sim_config.fail_at)
		return false;
	/* how often a queue is polled is a matter of time: only by its name is that made to fail */
	if (strcmp(sim_config.fail_call, call) && (strcmp(sim_config.fail_call, "any") || strstr(call, "poll")))
		return false;
	if (--sim_config.fail_at)
		return false;
	snprintf(failed_call, sizeof failed_call, "%s", call);
	errno = sim_config.fail_errno;
	return true;
}

SIM_EXPORT uint64_t verbs_sim_calls(void)
{
	return calls;
}

SIM_EXPORT const char *verbs_sim_failed_call(void)
{
	return failed_call;
}

SIM_EXPORT unsigned verbs_sim_violations(void)
{
	return violations;
}

SIM_EXPORT void verbs_sim_reset(void)
{
	calls = 0;
	violations = 0;
	failed_call[0] = '\0';
	is_configured = false;
}

/* Configuration */

static void refuse(const char *word)
{
	fprintf(stderr, "verbs_sim: %s: not understood: %s\n", VERBS_SIM_VARIABLE, word);
	exit(99);
}

struct word {
	const char *word;
	int value;
};

static int look_up(const struct word *words, const char *word)
{
	for (; words->word; words++)
		if (!strcmp(words->word, word))
			return words->value;
	refuse(word);
	return 0;
}

static void set_rate(const char *value)
{
	/* width and speed as in PortInfo: 1, 2, 4, 8 lanes are 1, 16, 2, 4; speeds 10, 25, 50 Gb/s are 8, 32, 64 */
	static const struct {
		const char *rate;
		uint8_t width, speed;
	} rates[] = { { "10", 1, 8 }, { "25", 1, 32 }, { "40", 2, 8 }, { "100", 2, 32 }, { "200", 2, 64 } };

	for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
		if (strcmp(rates[i].rate, value))
			continue;
		sim_config.width = rates[i].width;
		sim_config.speed = rates[i].speed;
		return;
	}
	refuse(value);
}

static void set_feed(char *value)
{
	char *name = strchr(value, ':'), *end;

	if (!name)
		refuse(value);
	*name++ = '\0';
	if (!strcmp(value, "gen")) {
		sim_config.feed = SIM_FEED_GENERATOR;
		sim_config.frames = strtoull(name, &end, 10);
		sim_config.frame_size = *end == ':' ? (uint32_t)strtoul(end + 1, NULL, 10) : 64;
		if (sim_config.frame_size < 60 || sim_config.frame_size > SIM_MOST_FRAME)
			refuse(name);
		return;
	}
	sim_config.feed = !strcmp(value, "file") ? SIM_FEED_FILE : SIM_FEED_VETH;
	if (sim_config.feed == SIM_FEED_VETH && strcmp(value, "veth"))
		refuse(value);
	snprintf(sim_config.feed_name, sizeof sim_config.feed_name, "%s", name);
}

static void set_send(char *value)
{
	char *name = strchr(value, ':');

	if (!name || (strncmp(value, "veth:", 5) && strncmp(value, "file:", 5)))
		refuse(value);
	sim_config.send_is_veth = !strncmp(value, "veth", 4);
	snprintf(sim_config.send_name, sizeof sim_config.send_name, "%s", name + 1);
}

static void set_lacks(char *value)
{
	for (char *rest, *word = strtok_r(value, "+", &rest); word; word = strtok_r(NULL, "+", &rest)) {
		sim_config.no_extended_cq |= !strcmp(word, "cq_ex");
		sim_config.no_device_ex |= !strcmp(word, "device_ex");
		sim_config.no_flow |= !strcmp(word, "flow");
		sim_config.no_sniffer |= !strcmp(word, "sniffer");
		sim_config.no_dont_trap |= !strcmp(word, "dont_trap");
		sim_config.no_clock |= !strcmp(word, "clock");
		if (!strcmp(word, "rss"))
			sim_config.rss = 0;
	}
}

static void add_event(char *value)
{
	static const struct word names[] = {
		{ "port_error", IBV_EVENT_PORT_ERR }, { "port_active", IBV_EVENT_PORT_ACTIVE },
		{ "qp_fatal", IBV_EVENT_QP_FATAL }, { "cq_error", IBV_EVENT_CQ_ERR },
		{ "device_fatal", IBV_EVENT_DEVICE_FATAL }, { "gid_change", IBV_EVENT_GID_CHANGE },
		{ "lid_change", IBV_EVENT_LID_CHANGE }, { "p_key_change", IBV_EVENT_PKEY_CHANGE }, { "sm_change", IBV_EVENT_SM_CHANGE },
		{ "client_reregister", IBV_EVENT_CLIENT_REREGISTER }, { "wq_fatal", IBV_EVENT_WQ_FATAL }, { NULL, 0 },
	};
	char *at = strchr(value, '@'), *end;
	unsigned count = sim_config.event_count;

	if (!at || count == sizeof sim_config.events / sizeof sim_config.events[0])
		refuse(value);
	*at++ = '\0';
	sim_config.events[count].type = (enum ibv_event_type)look_up(names, value);
	sim_config.events[count].at = strtoull(at, &end, 10);
	sim_config.events[count].pause_ms = *end == ':' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
	sim_config.event_count++;
}

static void set_failure(char *value)
{
	char *at = strchr(value, '@'), *end;

	if (!at)
		refuse(value);
	*at++ = '\0';
	snprintf(sim_config.fail_call, sizeof sim_config.fail_call, "%s", value);
	sim_config.fail_at = strtoull(at, &end, 10);
	sim_config.fail_errno = *end == ':' ? (int)strtol(end + 1, NULL, 10) : EIO;
}

static void set_burst(const char *value)
{
	char *end;

	sim_config.burst = strtoull(value, &end, 10);
	sim_config.burst_ns = *end == ':' ? strtoull(end + 1, NULL, 10) * 1000000 : 0;
	if (!sim_config.burst_ns)
		refuse(value);
}

static void set_number(const char *key, const char *value)
{
	struct {
		const char *key;
		unsigned *number;
	} numbers[] = {
		{ "devices", &sim_config.devices }, { "ports", &sim_config.ports }, { "wr", &sim_config.max_wr },
		{ "cqe", &sim_config.max_cqe }, { "sge", &sim_config.max_sge }, { "vectors", &sim_config.vectors },
		{ "cm_delay", &sim_config.cm_delay_ms }, { "rss", &sim_config.rss }, { "raw", &sim_config.raw_caps },
		{ "inline", &sim_config.most_inline }, { "flows", &sim_config.flows },
	};
	struct {
		const char *key;
		uint64_t *number;
	} long_numbers[] = {
		{ "pace", &sim_config.pace }, { "error", &sim_config.error_at }, { "errors", &sim_config.error_every },
		{ "soft_error", &sim_config.soft_error_at }, { "overrun", &sim_config.overrun_at },
		{ "disorder", &sim_config.disorder_at }, { "plain_disorder", &sim_config.plain_disorder_at },
	};

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		if (!strcmp(numbers[i].key, key)) {
			*numbers[i].number = (unsigned)strtoul(value, NULL, 10);
			return;
		}
	}
	for (size_t i = 0; i < sizeof long_numbers / sizeof long_numbers[0]; i++) {
		if (!strcmp(long_numbers[i].key, key)) {
			*long_numbers[i].number = strtoull(value, NULL, 10);
			return;
		}
	}
	refuse(key);
}

static void set_word(char *word)
{
	static const struct word links[] = { { "ethernet", IBV_LINK_LAYER_ETHERNET },
					     { "infiniband", IBV_LINK_LAYER_INFINIBAND }, { NULL, 0 } };
	static const struct word states[] = { { "active", IBV_PORT_ACTIVE }, { "down", IBV_PORT_DOWN },
					      { "init", IBV_PORT_INIT }, { NULL, 0 } };
	static const struct word stamps[] = { { "wall", SIM_STAMP_WALL }, { "raw", SIM_STAMP_RAW },
					      { "none", SIM_STAMP_NONE }, { NULL, 0 } };
	char *value = strchr(word, '=');

	if (!value)
		refuse(word);
	*value++ = '\0';
	if (!strcmp(word, "link"))
		sim_config.link_layer = (uint8_t)look_up(links, value);
	else if (!strcmp(word, "state"))
		sim_config.state = (uint8_t)look_up(states, value);
	else if (!strcmp(word, "skew"))
		sim_config.skew_ns = strtoll(value, NULL, 10) * 1000000;
	else if (!strcmp(word, "stamp"))
		sim_config.stamp = (enum sim_stamp)look_up(stamps, value);
	else if (!strcmp(word, "rate"))
		set_rate(value);
	else if (!strcmp(word, "burst"))
		set_burst(value);
	else if (!strcmp(word, "feed"))
		set_feed(value);
	else if (!strcmp(word, "send"))
		set_send(value);
	else if (!strcmp(word, "sysfs"))
		snprintf(sim_config.sysfs, sizeof sim_config.sysfs, "%s", value);
	else if (!strcmp(word, "no"))
		set_lacks(value);
	else if (!strcmp(word, "event"))
		add_event(value);
	else if (!strcmp(word, "fail"))
		set_failure(value);
	else if (!strcmp(word, "cm")) {
		sim_config.cm_silent = !strcmp(value, "silent");
		sim_config.cm_reject = !strcmp(value, "reject");
	} else
		set_number(word, value);
}

/* Reads the variable if it has changed, but not under what is open. */
static void configure(void)
{
	const char *text = getenv(VERBS_SIM_VARIABLE);
	char *copy, *rest;

	if (verbs_sim_objects() || (is_configured && !strcmp(configured, text ? text : "")))
		return;
	memset(&sim_config, 0, sizeof sim_config);
	is_configured = true;
	snprintf(configured, sizeof configured, "%s", text ? text : "");
	if (!text)
		return;
	sim_config.devices = sim_config.ports = 1;
	sim_config.max_wr = 32768;
	sim_config.max_cqe = 1 << 20;
	sim_config.max_sge = 4;
	sim_config.vectors = 4;
	sim_config.rss = 16;
	sim_config.most_inline = 128;
	sim_config.raw_caps = IBV_RAW_PACKET_CAP_SCATTER_FCS | IBV_RAW_PACKET_CAP_IP_CSUM;
	sim_config.link_layer = IBV_LINK_LAYER_ETHERNET;
	sim_config.state = IBV_PORT_ACTIVE;
	set_rate("25");
	copy = strdup(text);
	for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		set_word(word);
	free(copy);
	if (sim_config.devices > sizeof devices / sizeof devices[0])
		refuse("devices");
}

/* Devices */

SIM_EXPORT struct ibv_device **ibv_get_device_list(int *count)
{
	struct ibv_device **list;

	if (count)
		*count = 0;
	if (sim_fails("get_device_list"))
		return NULL;
	list = calloc(sim_config.devices + 1, sizeof list[0]);
	if (!list)
		return NULL;
	for (unsigned i = 0; i < sim_config.devices; i++) {
		devices[i].node_type = IBV_NODE_CA;
		devices[i].transport_type = IBV_TRANSPORT_IB;
		snprintf(devices[i].name, sizeof devices[i].name, "sim%u", i);
		snprintf(devices[i].dev_name, sizeof devices[i].dev_name, "uverbs%u", i);
		snprintf(devices[i].ibdev_path, sizeof devices[i].ibdev_path, "%s", sim_config.sysfs);
		list[i] = &devices[i];
	}
	if (count)
		*count = (int)sim_config.devices;
	lists_out++;
	return list;
}

SIM_EXPORT void ibv_free_device_list(struct ibv_device **list)
{
	lists_out--;
	free(list);
}

SIM_EXPORT const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

SIM_EXPORT int ibv_get_device_index(struct ibv_device *device)
{
	return (int)(device - devices);
}

SIM_EXPORT __be64 ibv_get_device_guid(struct ibv_device *device)
{
	return __builtin_bswap64(0x0200c0fffe000000u + (uint64_t)(device - devices));
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t length)
{
	struct ibv_port_attr full = {
		.state = (enum ibv_port_state)sim_config.state,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_1024,
		.gid_tbl_len = 2,
		.pkey_tbl_len = 1,
		.max_msg_sz = 1u << 30,
		.active_width = sim_config.width,
		.active_speed = sim_config.speed,
		.phys_state = sim_config.state == IBV_PORT_ACTIVE ? 5 : 3,
		.link_layer = sim_config.link_layer,
	};

	(void)context;
	if (sim_fails("query_port"))
		return errno;
	if (!port || port > sim_config.ports)
		return EINVAL;
	memcpy(attr, &full, length < sizeof full ? length : sizeof full);
	return 0;
}

static void fill_device(struct ibv_device_attr *attr)
{
	memset(attr, 0, sizeof *attr);
	snprintf(attr->fw_ver, sizeof attr->fw_ver, "1.0.0");
	attr->max_mr_size = UINT64_MAX;
	attr->max_qp = SIM_MOST_QPS;
	attr->max_qp_wr = (int)sim_config.max_wr;
	attr->max_sge = (int)sim_config.max_sge;
	attr->max_cq = 64;
	attr->max_cqe = (int)sim_config.max_cqe;
	attr->max_mr = SIM_MOST_MRS;
	attr->max_pd = 16;
	attr->max_raw_ethy_qp = SIM_MOST_QPS;
	attr->device_cap_flags = sim_config.no_flow ? 0 : IBV_DEVICE_MANAGED_FLOW_STEERING;
	attr->phys_port_cnt = (uint8_t)sim_config.ports;
}

SIM_EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	if (sim_fails("query_device"))
		return errno;
	fill_device(attr);
	return 0;
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t length)
{
	struct ibv_device_attr_ex full = { .comp_mask = 0 };

	(void)context;
	(void)input;
	if (sim_config.no_device_ex)
		return EOPNOTSUPP;
	if (sim_fails("query_device_ex"))
		return errno;
	fill_device(&full.orig_attr);
	full.raw_packet_caps = sim_config.raw_caps;
	if (sim_config.stamp == SIM_STAMP_RAW) {
		full.completion_timestamp_mask = SIM_CLOCK_MASK;
		full.hca_core_clock = SIM_CLOCK_KHZ;
	}
	full.phys_port_cnt_ex = sim_config.ports;
	full.max_wq_type_rq = sim_config.rss;
	if (sim_config.rss)
		full.rss_caps = (struct ibv_rss_caps){ 1u << IBV_QPT_RAW_PACKET, 8, sim_config.rss,
			IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6 | IBV_RX_HASH_SRC_PORT_UDP |
			IBV_RX_HASH_DST_PORT_UDP, IBV_RX_HASH_FUNC_TOEPLITZ };
	memcpy(attr, &full, length < sizeof full ? length : sizeof full);
	return 0;
}

static int query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	uint64_t now = sim_now_ns(CLOCK_MONOTONIC);

	(void)context;
	if (sim_config.no_clock)
		return EOPNOTSUPP;
	if (sim_fails("query_rt_values"))
		return errno;
	values->comp_mask &= IBV_VALUES_MASK_RAW_CLOCK;
	/* the count of the device's clock, in the manner of mlx5: all of it in tv_nsec */
	values->raw_clock.tv_sec = 0;
	values->raw_clock.tv_nsec = (long)sim_ticks(now);
	return 0;
}

SIM_EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct sim_context *context;

	if (sim_fails("open_device"))
		return NULL;
	context = calloc(1, sizeof *context);
	if (!context)
		return NULL;
	context->device = (unsigned)(device - devices);
	context->next_qpn = 0x11;
	context->send_socket = context->send_file = context->feed.socket = -1;
	context->verbs.sz = sizeof context->verbs;
	context->verbs.query_port = query_port;
	context->verbs.query_device_ex = query_device_ex;
	context->verbs.query_rt_values = query_rt_values;
	context->verbs.create_qp_ex = sim_create_qp_ex;
	if (!sim_config.no_extended_cq)
		context->verbs.create_cq_ex = sim_create_cq_ex;
	context->verbs.create_wq = sim_create_wq;
	context->verbs.modify_wq = sim_modify_wq;
	context->verbs.destroy_wq = sim_destroy_wq;
	context->verbs.create_rwq_ind_table = sim_create_table;
	context->verbs.destroy_rwq_ind_table = sim_destroy_table;
	if (!sim_config.no_flow) {
		context->verbs.ibv_create_flow = sim_create_flow;
		context->verbs.ibv_destroy_flow = sim_destroy_flow;
	}
	context->verbs.context.device = device;
	context->verbs.context.ops.poll_cq = sim_poll_cq;
	context->verbs.context.ops.req_notify_cq = sim_req_notify;
	context->verbs.context.ops.post_recv = sim_post_recv;
	context->verbs.context.ops.post_send = sim_post_send;
	context->verbs.context.abi_compat = (void *)UINTPTR_MAX;
	context->verbs.context.cmd_fd = -1;
	context->verbs.context.num_comp_vectors = (int)sim_config.vectors;
	context->verbs.context.async_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	pthread_mutex_init(&context->verbs.context.mutex, NULL);
	errno = sim_feed_open(context);
	if (context->verbs.context.async_fd < 0 || errno) {
		int error = errno;

		sim_feed_close(context);
		if (context->verbs.context.async_fd >= 0)
			close(context->verbs.context.async_fd);
		free(context);
		errno = error;
		return NULL;
	}
	contexts_open++;
	return &context->verbs.context;
}

SIM_EXPORT unsigned verbs_sim_objects(void)
{
	return contexts_open + lists_out + sim_cm_objects();
}

SIM_EXPORT int ibv_close_device(struct ibv_context *ibv)
{
	struct sim_context *context = sim_of(ibv);
	unsigned left = context->pds + context->mr_count + context->cqs + context->channels + context->qp_count + context->flow_count +
		context->wq_count + context->table_count;
	bool fails = sim_fails("close_device");

	if (left)
		sim_violation("close_device with %u domains, %u regions, %u queues, %u channels, %u queue pairs, %u rules, %u receive queues, %u tables left",
			      context->pds, context->mr_count, context->cqs, context->channels, context->qp_count, context->flow_count,
			      context->wq_count, context->table_count);
	sim_sync_counters(context);
	sim_feed_close(context);
	close(ibv->async_fd);
	pthread_mutex_destroy(&ibv->mutex);
	free(context);
	contexts_open--;
	return fails ? sim_config.fail_errno : 0;
}

/* Asynchronous events */

void sim_raise_event(struct sim_context *context, enum ibv_event_type type, void *element, int port)
{
	struct ibv_async_event *event = &context->events[context->event_end++ % SIM_MOST_EVENTS];
	uint64_t one = 1;

	event->event_type = type;
	if (element)
		event->element.qp = element;
	else
		event->element.port_num = port;
	if (write(context->verbs.context.async_fd, &one, sizeof one) != sizeof one)
		sim_violation("too many asynchronous events");
}

static bool is_of(const struct ibv_async_event *event, const void *element)
{
	switch (event->event_type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_CQ_ERR:
	case IBV_EVENT_WQ_FATAL:
		return event->element.qp == element;
	default:
		return false;
	}
}

void sim_forget_events(struct sim_context *context, const void *element)
{
	unsigned end = context->event_end;

	context->event_end = context->event_begin;
	for (unsigned i = context->event_begin; i != end; i++) {
		const struct ibv_async_event event = context->events[i % SIM_MOST_EVENTS];
		uint64_t one;

		if (!is_of(&event, element))
			context->events[context->event_end++ % SIM_MOST_EVENTS] = event;
		else if (read(context->verbs.context.async_fd, &one, sizeof one) != sizeof one)
			sim_violation("an event that is not there");
	}
}

SIM_EXPORT int ibv_get_async_event(struct ibv_context *ibv, struct ibv_async_event *event)
{
	struct sim_context *context = sim_of(ibv);
	uint64_t count;

	if (sim_fails("get_async_event"))
		return -1;
	if (read(ibv->async_fd, &count, sizeof count) != sizeof count)
		return -1;
	*event = context->events[context->event_begin++ % SIM_MOST_EVENTS];
	if (event->event_type == IBV_EVENT_QP_FATAL)
		((struct sim_qp *)event->element.qp)->events_unacknowledged++;
	if (event->event_type == IBV_EVENT_CQ_ERR)
		((struct sim_cq *)event->element.cq)->events_unacknowledged++;
	if (event->event_type == IBV_EVENT_WQ_FATAL)
		((struct sim_wq *)event->element.wq)->queue.events_unacknowledged++;
	return 0;
}

SIM_EXPORT void ibv_ack_async_event(struct ibv_async_event *event)
{
	if (event->event_type == IBV_EVENT_QP_FATAL)
		((struct sim_qp *)event->element.qp)->events_unacknowledged--;
	if (event->event_type == IBV_EVENT_CQ_ERR)
		((struct sim_cq *)event->element.cq)->events_unacknowledged--;
	if (event->event_type == IBV_EVENT_WQ_FATAL)
		((struct sim_wq *)event->element.wq)->queue.events_unacknowledged--;
}

void sim_sync_counters(struct sim_context *context)
{
	char name[sizeof sim_config.sysfs + 64], text[32];
	int length, file;

	if (!sim_config.sysfs[0] || context->dropped == context->dropped_written)
		return;
	snprintf(name, sizeof name, "%s/ports/1/hw_counters/out_of_buffer", sim_config.sysfs);
	file = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (file < 0)
		return;
	length = snprintf(text, sizeof text, "%llu\n", (unsigned long long)context->dropped);
	if (write(file, text, (size_t)length) == length)
		context->dropped_written = context->dropped;
	close(file);
}

/* What else of libibverbs may be reached */

SIM_EXPORT const char *ibv_wc_status_str(enum ibv_wc_status status)
{
	static const char *const names[] = { "success", "local length error", "local QP operation error",
					     "local EE context operation error",
					     "local protection error", "flushed", "memory window bind error", "bad response",
					     "local access error" };

	return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : "general error";
}

SIM_EXPORT const char *ibv_port_state_str(enum ibv_port_state state)
{
	static const char *const names[] = { "no state change", "down", "init", "armed", "active", "active defer" };

	return (unsigned)state < sizeof names / sizeof names[0] ? names[state] : "unknown";
}

SIM_EXPORT const char *ibv_event_type_str(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_CQ_ERR: return "CQ error";
	case IBV_EVENT_QP_FATAL: return "local work queue catastrophic error";
	case IBV_EVENT_DEVICE_FATAL: return "local catastrophic error";
	case IBV_EVENT_PORT_ACTIVE: return "port active";
	case IBV_EVENT_PORT_ERR: return "port error";
	case IBV_EVENT_GID_CHANGE: return "GID table change";
	case IBV_EVENT_LID_CHANGE: return "LID change";
	default: return "other event";
	}
}

SIM_EXPORT const char *ibv_node_type_str(enum ibv_node_type type)
{
	return type == IBV_NODE_CA ? "InfiniBand channel adapter" : "unknown";
}

SIM_EXPORT int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	(void)context;
	if (sim_fails("query_gid"))
		return -1;
	if (!port || port > sim_config.ports || index < 0 || index > 1) {
		errno = EINVAL;
		return -1;
	}
	memset(gid, 0, sizeof *gid);
	gid->raw[0] = 0xfe;
	gid->raw[1] = 0x80;
	gid->raw[15] = (uint8_t)(port + 16 * index);
	return 0;
}

SIM_EXPORT int ibv_fork_init(void)
{
	return 0;
}
