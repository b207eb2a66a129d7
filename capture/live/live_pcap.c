/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Network interfaces, by libpcap.
 */
#include "config.h"

#include <linux/filter.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/live/bpf.h"
#include "capture/link_type.h"
#include "capture/live.h"
#include "capture/live/live_device.h"
#include "capture/live/live_packet_sender.h"

#define SNAP_LENGTH 262144          /* libpcap's own limit */
#define BUFFER_BYTES (16u << 20)
#define GROUP_MS 50                 /* the kernel delivers packets in groups, at most this late */
#define WITHOUT_DESCRIPTOR_MS 5     /* poll interval for devices without a descriptor */

struct pcap_device {
	struct live_device device; /* the first member */
	pcap_t *handle;
	int descriptor;            /* to wait for; -1: none */
	uint32_t room;             /* maximum bytes of a frame */
	bool out_of_memory, is_down;
	bool failed;               /* keep the reason until all packets buffered by the kernel have been read */
	struct rtap_error reason;
	struct batch *batch;       /* being filled, while libpcap calls back */
	struct pcap_stat last;     /* libpcap counts in 32 bits */
	struct live_statistics statistics;
	char *name;
	char statistics_file[128];
};

static uint64_t grown(uint64_t sum, unsigned now, unsigned before)
{
	return sum + (uint32_t)(now - before);
}

/* libpcap's ps_ifdrop is 0 without such a counter, and invalid after the interface has disappeared. */
static bool has_device_counter(const struct pcap_device *device)
{
	return !access(device->statistics_file, R_OK);
}

static void pcap_device_statistics(struct live_device *live, struct live_statistics *statistics)
{
	struct pcap_device *device = (struct pcap_device *)live;
	struct live_statistics *known = &device->statistics;
	struct pcap_stat now;

	if (!pcap_stats(device->handle, &now)) {
		known->received = (struct rtap_count){ true, grown(known->received.value, now.ps_recv, device->last.ps_recv) };
		known->dropped_by_system = (struct rtap_count){ true, grown(known->dropped_by_system.value, now.ps_drop,
									    device->last.ps_drop) };
		if (has_device_counter(device)) {
			/* drivers may reset the counter when the interface is brought up */
			if ((int)(now.ps_ifdrop - device->last.ps_ifdrop) > 0)
				known->dropped_by_device.value += now.ps_ifdrop - device->last.ps_ifdrop;
			device->last.ps_ifdrop = now.ps_ifdrop;
		}
		device->last.ps_recv = now.ps_recv;
		device->last.ps_drop = now.ps_drop;
	}
	*statistics = *known;
}

/* Called by libpcap with each packet. */
static void take_packet(u_char *user, const struct pcap_pkthdr *header, const u_char *bytes)
{
	struct pcap_device *device = (struct pcap_device *)user;
	const struct rtap_frame frame = {
		.bytes = bytes,
		.captured_length = header->caplen,
		.wire_length = header->len < header->caplen ? header->caplen : header->len,
		.link_type = device->device.interface.link_type,
		/* with nanosecond precision, tv_usec is in nanoseconds */
		.time_ns = (int64_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec * (device->device.interface.time_digits == 9 ? 1 : 1000),
	};

	/* there was room for the longest frame, so this fails only if out of memory */
	if (!live_append(&device->device, device->batch, &frame))
		device->out_of_memory = true;
	if (device->out_of_memory || !live_room(&device->device, device->batch, device->room))
		pcap_breakloop(device->handle);
}

static enum rtap_status out_of_memory(const struct pcap_device *device, struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_MEMORY, "pcap:%s: out of memory", device->name);
	return RTAP_STATUS_FAILED;
}

/* Takes the packets available in libpcap. */
static enum rtap_status dispatch(struct pcap_device *device, struct rtap_error *error)
{
	int result = pcap_dispatch(device->handle, (int)(BATCH_FRAMES - device->batch->shared.count), take_packet, (u_char *)device);

	if (device->out_of_memory)
		return out_of_memory(device, error);
	if (result >= 0 || result == PCAP_ERROR_BREAK)
		return RTAP_STATUS_OK;
	device->failed = true;
	if (if_nametoindex(device->name) || device->descriptor < 0)
		rtap_error_set(&device->reason, RTAP_ERROR_DEVICE, "pcap:%s: %s", device->name, pcap_geterr(device->handle));
	else
		rtap_error_set(&device->reason, RTAP_ERROR_CLOSED, "pcap:%s: the interface is gone; what was captured before is kept", device->name);
	return RTAP_STATUS_OK;
}

/* The kernel delivers the last packets only after their block's timeout, even if the interface has disappeared. */
static enum rtap_status take_rest(struct pcap_device *device, struct rtap_error *error)
{
	const int looks = 4;
	size_t before = device->batch->shared.count;

	for (int i = 0; i < looks && device->batch->shared.count == before; i++) {
		if (i)
			poll(NULL, 0, 2 * GROUP_MS / (looks - 1));
		/* It may fail again for the same reason, packets or not. */
		(void)!dispatch(device, error);
	}
	if (device->batch->shared.count > before && !device->out_of_memory)
		return RTAP_STATUS_OK;
	if (error)
		*error = device->reason;
	return RTAP_STATUS_FAILED;
}

/*
 * Reports when the interface goes down, which libpcap ignores: its socket stays open, and packets arrive again after the
 * interface comes up.
 */
static enum rtap_status look_whether_up(struct pcap_device *device, struct rtap_error *error)
{
	struct ifreq request = { .ifr_flags = 0 };
	bool was_down = device->is_down;

	if (device->descriptor < 0 || strlen(device->name) >= sizeof request.ifr_name)
		return RTAP_STATUS_OK;
	strcpy(request.ifr_name, device->name);
	/* Pseudo-devices have no flags. */
	if (ioctl(device->descriptor, SIOCGIFFLAGS, &request))
		return RTAP_STATUS_OK;
	device->is_down = !(request.ifr_flags & IFF_UP);
	if (!device->is_down || was_down)
		return RTAP_STATUS_OK;
	rtap_error_set(error, RTAP_ERROR_EVENT, "pcap:%s: the interface went down; waiting for it to come up again", device->name);
	return RTAP_STATUS_BROKEN;
}

static enum rtap_status pcap_device_receive(struct live_device *live, struct batch *batch, unsigned timeout_ms,
					    struct rtap_error *error)
{
	struct pcap_device *device = (struct pcap_device *)live;
	struct pollfd readable = { .fd = device->descriptor, .events = POLLIN };
	size_t before = batch->shared.count;
	enum rtap_status status;

	device->batch = batch;
	/* Frames come through a callback that cannot refuse: there must be room before. */
	if (!live_room(live, batch, device->room))
		return batch->closed ? RTAP_STATUS_OK : out_of_memory(device, error);
	if (device->failed)
		return take_rest(device, error);
	status = dispatch(device, error);
	if (status || device->failed || batch->shared.count > before)
		return status;
	if (device->descriptor < 0) {
		poll(NULL, 0, timeout_ms < WITHOUT_DESCRIPTOR_MS ? (int)timeout_ms : WITHOUT_DESCRIPTOR_MS);
	} else if (poll(&readable, 1, (int)timeout_ms) <= 0) {
		return look_whether_up(device, error);
	}
	return dispatch(device, error);
}

/*
 * Installs a filter that passes nothing, with setsockopt(2): pcap_setfilter() would discard packets already received in the
 * ring.
 */
static void pcap_device_stop(struct live_device *live)
{
	struct pcap_device *device = (struct pcap_device *)live;
	struct sock_filter nothing[] = { BPF_STMT(BPF_RET | BPF_K, 0) };
	const struct sock_fprog program = { .len = 1, .filter = nothing };

	/* Where this cannot be done, draining ends by its time limit. */
	if (device->descriptor >= 0)
		(void)!setsockopt(pcap_fileno(device->handle), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

static void pcap_device_close(struct live_device *live)
{
	struct pcap_device *device = (struct pcap_device *)live;

	if (device->handle)
		pcap_close(device->handle);
	free(device->name);
	free(device);
}

static const struct live_operations operations = {
	.receive = pcap_device_receive,
	.stop = pcap_device_stop,
	.statistics = pcap_device_statistics,
	.close = pcap_device_close,
};

static enum rtap_status refuse(struct pcap_device *device, int result, struct rtap_error *error)
{
	const char *reason = pcap_geterr(device->handle);

	switch (result) {
	case PCAP_ERROR_PERM_DENIED:
	case PCAP_ERROR_PROMISC_PERM_DENIED:
		rtap_error_set(error, RTAP_ERROR_PERMISSION, "pcap:%s: no permission to capture (be root, or give the program the capability: "
			       "setcap cap_net_raw+ep PATH-OF-RDMATAP)", device->name);
		break;
	case PCAP_ERROR_NO_SUCH_DEVICE:
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "pcap:%s: there is no such interface (rdmatap -D lists what there is)", device->name);
		break;
	case PCAP_ERROR_IFACE_NOT_UP:
		rtap_error_set(error, RTAP_ERROR_DEVICE, "pcap:%s: the interface is down (ip link set %s up)", device->name, device->name);
		break;
	default:
		rtap_error_set(error, RTAP_ERROR_DEVICE, "pcap:%s: %s", device->name, *reason ? reason : pcap_statustostr(result));
	}
	return RTAP_STATUS_FAILED;
}

static enum rtap_status activate(struct pcap_device *device, const struct rtap_live_options *options, struct rtap_error *error)
{
	uint64_t buffer = options->buffer_bytes ? options->buffer_bytes : BUFFER_BYTES;
	int result;

	if (buffer > INT32_MAX) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "pcap:%s: a buffer of %llu bytes is more than libpcap takes", device->name,
			       (unsigned long long)buffer);
		return RTAP_STATUS_FAILED;
	}
	device->room = options->snap_length && options->snap_length < SNAP_LENGTH ? options->snap_length : SNAP_LENGTH;
	/* These fail only once the handle is active. */
	pcap_set_snaplen(device->handle, (int)device->room);
	pcap_set_promisc(device->handle, !options->not_promiscuous);
	pcap_set_timeout(device->handle, GROUP_MS);
	pcap_set_immediate_mode(device->handle, options->immediate);
	pcap_set_buffer_size(device->handle, (int)buffer);
	/* if a device does not support nanoseconds, it stays at microseconds */
	pcap_set_tstamp_precision(device->handle, PCAP_TSTAMP_PRECISION_NANO);
	/* values above 0 are warnings, mostly about promiscuous mode, which are ignored */
	result = pcap_activate(device->handle);
	return result < 0 ? refuse(device, result, error) : RTAP_STATUS_OK;
}

static enum rtap_status set_filter(struct pcap_device *device, const char *text, struct rtap_error *error)
{
	struct bpf_program code;
	int result;

	if (!text)
		return RTAP_STATUS_OK;
	if (pcap_compile(device->handle, &code, text, bpf_may_optimize(text), PCAP_NETMASK_UNKNOWN)) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "capture filter \"%s\": %s (see pcap-filter(7))", text, pcap_geterr(device->handle));
		return RTAP_STATUS_FAILED;
	}
	result = pcap_setfilter(device->handle, &code);
	pcap_freecode(&code);
	device->device.filters = true;
	if (!result)
		return RTAP_STATUS_OK;
	rtap_error_set(error, RTAP_ERROR_DEVICE, "pcap:%s: the capture filter cannot be set: %s", device->name, pcap_geterr(device->handle));
	return RTAP_STATUS_FAILED;
}

/* Linux reports it in Mb/s; -1, or a read error: unknown, or the interface has none. */
static uint64_t link_speed(const char *name)
{
	char path[64 + sizeof "/sys/class/net//speed"];
	long megabits = 0;
	FILE *file;

	snprintf(path, sizeof path, "/sys/class/net/%.63s/speed", name);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%ld", &megabits) != 1 || megabits < 0)
		megabits = 0;
	fclose(file);
	return (uint64_t)megabits * 1000000;
}

static enum rtap_status set_up(struct pcap_device *device, const struct rtap_live_options *options, struct rtap_error *error)
{
	struct rtap_interface *interface = &device->device.interface;
	char reason[PCAP_ERRBUF_SIZE];
	enum rtap_status status = activate(device, options, error);

	if (!status)
		status = set_filter(device, options->capture_filter, error);
	if (status)
		return status;
	/* this code waits, with any timeout */
	if (pcap_setnonblock(device->handle, 1, reason)) {
		rtap_error_set(error, RTAP_ERROR_DEVICE, "pcap:%s: %s", device->name, reason);
		return RTAP_STATUS_FAILED;
	}
	device->descriptor = pcap_get_selectable_fd(device->handle);
	device->device.drain_ms = options->immediate ? 1 : 2 * GROUP_MS;
	interface->name = device->name;
	interface->link_type = link_type_of_dlt(pcap_datalink(device->handle));
	interface->snap_length = device->room;
	interface->filter = options->capture_filter;
	interface->time_digits = pcap_get_tstamp_precision(device->handle) == PCAP_TSTAMP_PRECISION_NANO ? 9 : 6;
	interface->bits_per_second = link_speed(device->name);
	snprintf(device->statistics_file, sizeof device->statistics_file, "/sys/class/net/%s/statistics/rx_missed_errors", device->name);
	device->statistics.dropped_by_device.known = has_device_counter(device);
	/* counting begins now */
	if (pcap_stats(device->handle, &device->last))
		memset(&device->last, 0, sizeof device->last);
	return RTAP_STATUS_OK;
}

static enum rtap_status pcap_kind_open(struct live_device **live, const char *name, const struct rtap_live_options *options,
				       struct rtap_error *error)
{
	struct pcap_device *device = calloc(1, sizeof *device);
	char reason[PCAP_ERRBUF_SIZE];

	*live = NULL;
	if (!device || !(device->name = strdup(name))) {
		free(device);
		rtap_error_set(error, RTAP_ERROR_MEMORY, "pcap:%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	device->device.operations = &operations;
	device->handle = pcap_create(name, reason);
	if (!device->handle)
		rtap_error_set(error, RTAP_ERROR_DEVICE, "pcap:%s: %s", name, reason);
	if (!device->handle || set_up(device, options, error)) {
		pcap_device_close(&device->device);
		return RTAP_STATUS_FAILED;
	}
	*live = &device->device;
	return RTAP_STATUS_OK;
}

static bool pcap_kind_knows(const char *name)
{
	char reason[PCAP_ERRBUF_SIZE];
	pcap_if_t *found = NULL;
	bool known = if_nametoindex(name);

	if (!known && !pcap_findalldevs(&found, reason))
		for (const pcap_if_t *one = found; one && !known; one = one->next)
			known = !strcmp(one->name, name);
	pcap_freealldevs(found);
	return known;
}

/* For interfaces only: pseudo-devices have no state. */
static void state_text(bpf_u_int32 flags, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s", flags & PCAP_IF_UP ? "up" : "down",
		 flags & PCAP_IF_UP && !(flags & PCAP_IF_RUNNING) ? ", no link" : "", flags & PCAP_IF_LOOPBACK ? ", loopback" : "");
}

/* For interfaces that libpcap treats as Ethernet; of others it is known once they are open. */
static uint32_t link_type_of(const char *name)
{
	struct ifreq request = { .ifr_ifindex = 0 };
	int type = -1, descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
	if (descriptor >= 0 && !ioctl(descriptor, SIOCGIFHWADDR, &request))
		type = request.ifr_hwaddr.sa_family;
	if (descriptor >= 0)
		close(descriptor);
	return type == ARPHRD_ETHER || type == ARPHRD_LOOPBACK ? RTAP_LINK_ETHERNET : UINT32_MAX;
}

static enum rtap_status pcap_kind_list(void (*take)(void *owner, struct rtap_live_entry *entry), void *owner,
				       struct rtap_error *error)
{
	char reason[PCAP_ERRBUF_SIZE], state[32];
	pcap_if_t *found;

	if (pcap_findalldevs(&found, reason)) {
		rtap_error_set(error, RTAP_ERROR_DEVICE, "pcap: interfaces cannot be listed: %s", reason);
		return RTAP_STATUS_FAILED;
	}
	for (const pcap_if_t *one = found; one; one = one->next) {
		bool is_interface = if_nametoindex(one->name);
		struct rtap_live_entry entry = {
			.name = one->name,
			.description = one->description ? one->description : "",
			.state = is_interface ? state : "",
			.obstacle = is_interface && !(one->flags & PCAP_IF_UP) ? "ip link set it up first" : "",
			.link_type = is_interface ? link_type_of(one->name) : UINT32_MAX,
		};

		state_text(one->flags, state, sizeof state);
		take(owner, &entry);
	}
	pcap_freealldevs(found);
	return RTAP_STATUS_OK;
}

const struct live_kind live_pcap = {
	.name = "pcap",
	.knows = pcap_kind_knows,
	.open = pcap_kind_open,
	.list = pcap_kind_list,
	.open_sender = live_packet_sender_open,
};
