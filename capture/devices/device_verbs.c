/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes queried from the device, because sysfs does not have them.
 */
#include "config.h"

#include "capture/devices/device_verbs.h"

#ifdef HAVE_IBVERBS

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

static struct rtap_count known(uint64_t value)
{
	return (struct rtap_count){ true, value };
}

static bool report_failure(struct sysfs_memory *memory, struct rtap_device_verbs *verbs, const char *what, int reason)
{
	char text[256];

	snprintf(text, sizeof text, "%s: %s", what, strerror(reason));
	verbs->failure = sysfs_copy(memory, text);
	return verbs->failure;
}

static void take_attributes(const struct ibv_device_attr_ex *attributes, struct rtap_device_verbs *verbs)
{
	static const struct {
		uint32_t from, to;
	} raw[] = {
		{ IBV_RAW_PACKET_CAP_CVLAN_STRIPPING, RTAP_VERBS_CVLAN_STRIPPING },
		{ IBV_RAW_PACKET_CAP_SCATTER_FCS, RTAP_VERBS_SCATTER_FCS },
		{ IBV_RAW_PACKET_CAP_IP_CSUM, RTAP_VERBS_IP_CHECKSUM },
		{ IBV_RAW_PACKET_CAP_DELAY_DROP, RTAP_VERBS_DELAY_DROP },
	};

	for (size_t i = 0; i < sizeof raw / sizeof raw[0]; i++)
		if (attributes->raw_packet_caps & raw[i].from)
			verbs->capabilities |= raw[i].to;
	if (attributes->orig_attr.device_cap_flags & IBV_DEVICE_MANAGED_FLOW_STEERING)
		verbs->capabilities |= RTAP_VERBS_MANAGED_FLOW_STEERING;
	if (attributes->completion_timestamp_mask)
		verbs->capabilities |= RTAP_VERBS_TIME_STAMPS;
	if (attributes->hca_core_clock)
		verbs->core_clock_khz = known(attributes->hca_core_clock);
	verbs->max_receives = known((uint64_t)attributes->orig_attr.max_qp_wr);
	verbs->max_sges = known((uint64_t)attributes->orig_attr.max_sge);
	verbs->max_completions = known((uint64_t)attributes->orig_attr.max_cqe);
	verbs->max_rss_queues = known(attributes->rss_caps.supported_qpts & 1u << IBV_QPT_RAW_PACKET ?
				      attributes->rss_caps.max_rwq_indirection_table_size : 0);
	verbs->vendor = known(attributes->orig_attr.vendor_id);
	verbs->part = known(attributes->orig_attr.vendor_part_id);
	verbs->max_queue_pairs = known((uint64_t)attributes->orig_attr.max_qp);
	verbs->max_completion_queues = known((uint64_t)attributes->orig_attr.max_cq);
	verbs->max_memory_regions = known((uint64_t)attributes->orig_attr.max_mr);
	verbs->valid = true;
}

/* enum ibv_mtu */
static struct rtap_count mtu_of(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? known(UINT64_C(128) << mtu) : (struct rtap_count){ .known = false };
}

static bool ask_ports(struct sysfs_memory *memory, const struct rtap_device *device, struct ibv_context *context,
		      struct rtap_device_verbs *verbs)
{
	size_t size = (device->port_count + 1) * sizeof(struct rtap_count);
	struct rtap_count *timeouts = sysfs_allocate(memory, size), *now = sysfs_allocate(memory, size), *most = sysfs_allocate(memory, size);

	if (!timeouts || !now || !most)
		return false;
	verbs->subnet_timeouts = timeouts;
	verbs->path_mtus = now;
	verbs->max_path_mtus = most;
	for (size_t i = 0; i < device->port_count; i++) {
		struct ibv_port_attr port;

		/* port 0 of a switch cannot be queried */
		if (!device->port_numbers[i] || ibv_query_port(context, device->port_numbers[i], &port))
			continue;
		timeouts[i] = known(port.subnet_timeout);
		now[i] = mtu_of(port.active_mtu);
		most[i] = mtu_of(port.max_mtu);
	}
	return true;
}

int device_verbs_try_raw_packet(struct ibv_context *context)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_cq *cq = pd ? ibv_create_cq(context, 1, NULL, NULL, 0) : NULL;
	struct ibv_qp_init_attr wanted = { .send_cq = cq, .recv_cq = cq, .cap = { .max_recv_wr = 1, .max_recv_sge = 1 },
					   .qp_type = IBV_QPT_RAW_PACKET };
	struct ibv_qp *qp = cq ? ibv_create_qp(pd, &wanted) : NULL;
	/* without a protection domain or completion queue, the result is unknown */
	int result = qp ? 0 : cq ? errno : EPERM;

	/* Ignore failures to destroy: the device was only queried. */
	if (qp)
		(void)!ibv_destroy_qp(qp);
	if (cq)
		(void)!ibv_destroy_cq(cq);
	if (pd)
		(void)!ibv_dealloc_pd(pd);
	return result;
}

static bool ask_context(struct sysfs_memory *memory, const struct rtap_device *device, struct ibv_context *context,
			struct rtap_device_verbs *verbs)
{
	struct ibv_device_attr_ex attributes;
	int result;

	if (!ask_ports(memory, device, context, verbs))
		return false;
	result = ibv_query_device_ex(context, NULL, &attributes);
	if (result)
		return report_failure(memory, verbs, "the device cannot be queried", result);
	take_attributes(&attributes, verbs);
	result = device_verbs_try_raw_packet(context);
	if (result != EPERM && result != EACCES)
		verbs->raw_packet = known(!result);
	return true;
}

static bool ask_device(struct sysfs_memory *memory, const struct rtap_device *device, struct ibv_device **list,
		       struct rtap_device_verbs *verbs)
{
	struct ibv_context *context;
	bool fits;

	while (*list && strcmp(ibv_get_device_name(*list), device->name))
		list++;
	if (!*list)
		return report_failure(memory, verbs, "libibverbs has no driver for the device, or ib_uverbs is not loaded", ENODEV);
	errno = 0;
	context = ibv_open_device(*list);
	if (!context)
		return report_failure(memory, verbs, "the device cannot be opened", errno ? errno : EIO);
	fits = ask_context(memory, device, context, verbs);
	(void)!ibv_close_device(context);
	return fits;
}

bool device_verbs_ask(struct sysfs_memory *memory, const struct rtap_device *device, struct rtap_device_verbs *verbs)
{
	struct ibv_device **list;
	bool fits;

	*verbs = (struct rtap_device_verbs){ .valid = false };
	errno = 0;
	list = ibv_get_device_list(NULL);
	if (!list)
		return report_failure(memory, verbs, "RDMA devices cannot be listed by libibverbs", errno ? errno : EIO);
	fits = ask_device(memory, device, list, verbs);
	ibv_free_device_list(list);
	return fits;
}

#else

bool device_verbs_ask(struct sysfs_memory *memory, const struct rtap_device *device, struct rtap_device_verbs *verbs)
{
	(void)memory;
	(void)device;
	*verbs = (struct rtap_device_verbs){
		.failure = "rdmatap was built without libibverbs (install libibverbs-dev, then configure and make again)",
	};
	return true;
}

#endif
