/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_context.h"

int64_t verbs_now_ns(int clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Root in a container often lacks it. */
static bool has_ipc_lock(void)
{
	struct __user_cap_header_struct version = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &version, sets) && sets[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK);
}

/* RLIM_INFINITY: as much as there is. */
static rlim_t most_locked(void)
{
	struct rlimit limit;

	return has_ipc_lock() || getrlimit(RLIMIT_MEMLOCK, &limit) ? RLIM_INFINITY : limit.rlim_cur;
}

uint64_t verbs_most_locked(void)
{
	rlim_t most = most_locked();

	return most == RLIM_INFINITY ? 0 : most;
}

enum rtap_status verbs_fail(const struct verbs *verbs, struct rtap_error *error, const char *what, int error_number, const char *hint)
{
	if (!hint && error_number == EPERM)
		hint = most_locked() ? "needs CAP_NET_RAW: run as root, or setcap cap_net_raw+ep on the program" :
		       "no memory may be locked: ulimit -l is 0; raise it, or give the program CAP_IPC_LOCK";
	if (!hint && error_number == EACCES)
		hint = "this driver calls the kernel, which refuses all users but the one that opened the device: -Z root stays root";
	if (!hint && error_number == ENOMEM)
		hint = most_locked() != RLIM_INFINITY ?
			       "memory that may be locked is limited, see ulimit -l; raise it, or use fewer receives: --verbs depth=N" :
			       "the kernel or the device has too little memory; use fewer receives: --verbs depth=N";
	if (!hint && (error_number == EOPNOTSUPP || error_number == ENOSYS))
		hint = "the device or its driver cannot do that; pcap:IFACE captures on its network interface";
	if (hint)
		rtap_error_set(error, error_code_of(error_number), "%s: %s: %s (%s)", verbs->name, what, strerror(error_number), hint);
	else
		rtap_error_set(error, error_code_of(error_number), "%s: %s: %s", verbs->name, what, strerror(error_number));
	return RTAP_STATUS_FAILED;
}

void verbs_report(struct verbs *verbs, const char *format, ...)
{
	va_list arguments;

	verbs->has_news = true;
	va_start(arguments, format);
	vsnprintf(verbs->news, sizeof verbs->news, format, arguments);
	va_end(arguments);
}

static void list_names(struct ibv_device **devices, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (; *devices && length < size; devices++)
		length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", ibv_get_device_name(*devices));
}

/* Parses "DEV", "DEV/PORT" or, if there is only one device, "". */
static enum rtap_status find_device(struct verbs *verbs, struct ibv_device **devices, const char *name, struct ibv_device **found,
				    struct rtap_error *error)
{
	const char *slash = strchr(name, '/');
	size_t length = slash ? (size_t)(slash - name) : strlen(name);
	char names[256], *end;
	unsigned long port = slash ? strtoul(slash + 1, &end, 10) : 1;

	*found = NULL;
	if (slash && (!isdigit((unsigned char)slash[1]) || *end || !port || port > UINT8_MAX)) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "verbs:%s: the port is not a number from 1 to 255 (verbs:DEVICE/PORT)", name);
		return RTAP_STATUS_FAILED;
	}
	verbs->port = (uint8_t)port;
	for (size_t i = 0; devices[i]; i++)
		if (!length ? !devices[1] : !strncmp(ibv_get_device_name(devices[i]), name, length) &&
		    !ibv_get_device_name(devices[i])[length])
			*found = devices[i];
	if (*found)
		return RTAP_STATUS_OK;
	list_names(devices, names, sizeof names);
	if (!devices[0])
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND,
			       "verbs:%s: there is no RDMA device (is the NIC's RDMA driver loaded? see rdmatap devices)", name);
	else if (!length)
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "verbs:%s: there are several devices, name one (%s)", name, names);
	else
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "verbs:%s: there is no such RDMA device (there are: %s)", name, names);
	return RTAP_STATUS_FAILED;
}

static enum rtap_status open_device(struct verbs *verbs, const char *name, struct rtap_error *error)
{
	struct ibv_device **devices, *device;
	enum rtap_status status;

	errno = 0;
	devices = ibv_get_device_list(NULL);
	if (!devices) {
		rtap_error_set(error, error_code_of(errno),
			       "verbs:%s: RDMA devices cannot be listed: %s (is the kernel module ib_uverbs loaded?)",
			       name, strerror(errno));
		return RTAP_STATUS_FAILED;
	}
	status = find_device(verbs, devices, name, &device, error);
	if (!status) {
		snprintf(verbs->name, sizeof verbs->name, "verbs:%s/%u", ibv_get_device_name(device), verbs->port);
		verbs->context = ibv_open_device(device);
		if (!verbs->context)
			status = verbs_fail(verbs, error, "the device cannot be opened", errno,
					    errno == EACCES || errno == EPERM ?
					    "no permission for /dev/infiniband/uverbs*; run as root" : NULL);
	}
	ibv_free_device_list(devices);
	return status;
}

static enum rtap_status ask_port(struct verbs *verbs, bool force, struct rtap_error *error)
{
	int result = ibv_query_port(verbs->context, verbs->port, &verbs->port_attr);

	if (result == EINVAL)
		return verbs_fail(verbs, error, "there is no such port", result, "rdmatap devices shows them");
	if (result)
		return verbs_fail(verbs, error, "the port cannot be queried", result, NULL);
	if (verbs->port_attr.link_layer == IBV_LINK_LAYER_INFINIBAND) {
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED,
			       "%s: raw-packet QPs carry Ethernet only, and this port is InfiniBand (use umad:%s or the vendor's sniffer)",
			       verbs->name, verbs->name + strlen("verbs:"));
		return RTAP_STATUS_FAILED;
	}
	if (verbs->port_attr.state != IBV_PORT_ACTIVE && !force) {
		rtap_error_set(error, RTAP_ERROR_DEVICE,
			       "%s: the port is not active but %s (check the cable and the interface, or capture anyway with --force)",
			       verbs->name, ibv_port_state_str(verbs->port_attr.state));
		return RTAP_STATUS_FAILED;
	}
	return RTAP_STATUS_OK;
}

static bool read_number(const char *name, uint64_t *number)
{
	FILE *file = fopen(name, "re");
	unsigned long long value;
	bool done;

	if (!file)
		return false;
	done = fscanf(file, "%llu", &value) == 1;
	fclose(file);
	if (done)
		*number = value;
	return done;
}

/* The only network interface of the hardware. */
static bool only_netdev(const char *device, char name[IF_NAMESIZE])
{
	char folder[IBV_SYSFS_PATH_MAX + 16];
	const struct dirent *entry;
	unsigned count = 0;
	DIR *directory;

	snprintf(folder, sizeof folder, "%s/device/net", device);
	directory = opendir(folder);
	if (!directory)
		return false;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < IF_NAMESIZE && !count++)
			strcpy(name, entry->d_name);
	closedir(directory);
	return count == 1;
}

bool verbs_netdev(const struct ibv_context *context, unsigned port, char name[IF_NAMESIZE])
{
	const char *device = context->device->ibdev_path;
	char file[IBV_SYSFS_PATH_MAX + 64], found[IF_NAMESIZE + 1] = "";
	FILE *stream;

	snprintf(file, sizeof file, "%s/ports/%u/gid_attrs/ndevs/0", device, port);
	stream = fopen(file, "re");
	if (stream) {
		/* IF_NAMESIZE is 16 */
		if (fscanf(stream, "%16s", found) != 1 || strlen(found) >= IF_NAMESIZE || strchr(found, '/'))
			found[0] = '\0';
		fclose(stream);
	}
	if (!found[0])
		return only_netdev(device, name);
	memcpy(name, found, IF_NAMESIZE);
	return true;
}

uint32_t verbs_netdev_mtu(const struct verbs *verbs)
{
	const char *device = verbs->context->device->ibdev_path, *folder = strstr(device, "/class/infiniband/");
	char netdev[IF_NAMESIZE], name[IBV_SYSFS_PATH_MAX + 64];
	uint64_t mtu = 0;

	if (!verbs_netdev(verbs->context, verbs->port, netdev))
		return 0;
	snprintf(name, sizeof name, "%s/device/net/%s/mtu", device, netdev);
	if (!read_number(name, &mtu) && folder) {
		/* a software device has no hardware with interfaces */
		snprintf(name, sizeof name, "%.*s/class/net/%s/mtu", (int)(folder - device), device, netdev);
		(void)!read_number(name, &mtu);
	}
	return mtu <= UINT16_MAX ? (uint32_t)mtu : 0;
}

int verbs_numa_node(const struct verbs *verbs)
{
	char name[IBV_SYSFS_PATH_MAX + 32];
	uint64_t node;

	snprintf(name, sizeof name, "%s/device/numa_node", verbs->context->device->ibdev_path);
	/* the kernel writes -1 if there is none, which does not parse as a number here */
	return read_number(name, &node) && node < 1024 ? (int)node : -1;
}

static void look_for_drop_counter(struct verbs *verbs)
{
	snprintf(verbs->drops_file, sizeof verbs->drops_file, "%s/ports/%u/hw_counters/out_of_buffer", verbs->context->device->ibdev_path,
		 verbs->port);
	verbs->has_device_drops = read_number(verbs->drops_file, &verbs->device_drops_before);
}

void verbs_read_drops(struct verbs *verbs)
{
	uint64_t number;

	if (!verbs->has_device_drops)
		return;
	if (read_number(verbs->drops_file, &number) && number >= verbs->device_drops_before)
		verbs->device_drops = number - verbs->device_drops_before;
	else
		verbs->has_device_drops = false; /* it was cleared or has disappeared: the value is unknown */
}

enum rtap_status verbs_context_open(struct verbs *verbs, const char *name, const struct rtap_live_options *options,
				    struct rtap_error *error)
{
	enum rtap_status status = open_device(verbs, name, error);
	int result;

	if (status)
		return status;
	status = ask_port(verbs, options->verbs->force, error);
	if (status)
		return status;
	result = ibv_query_device_ex(verbs->context, NULL, &verbs->device);
	if (result)
		return verbs_fail(verbs, error, "the device's capabilities cannot be queried", result, NULL);
	look_for_drop_counter(verbs);
	return RTAP_STATUS_OK;
}
