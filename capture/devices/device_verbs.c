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
	verbs->asked = true;
}

static bool ask_context(struct sysfs_memory *memory, const struct rtap_device *device, struct ibv_context *context,
			struct rtap_device_verbs *verbs)
{
	struct ibv_device_attr_ex attributes;
	struct rtap_count *timeouts = sysfs_allocate(memory, (device->port_count + 1) * sizeof *timeouts);
	int result = ibv_query_device_ex(context, NULL, &attributes);

	if (!timeouts)
		return false;
	verbs->subnet_timeouts = timeouts;
	for (size_t i = 0; i < device->port_count; i++) {
		struct ibv_port_attr port;

		/* port 0 of a switch cannot be queried */
		if (device->port_numbers[i] && !ibv_query_port(context, device->port_numbers[i], &port))
			timeouts[i] = known(port.subnet_timeout);
	}
	if (result)
		return report_failure(memory, verbs, "the device cannot be asked", result);
	take_attributes(&attributes, verbs);
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

	*verbs = (struct rtap_device_verbs){ .asked = false };
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
