/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA devices and end ports from sysfs. Linux: Documentation/ABI/stable/sysfs-class-infiniband.
 */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/device.h>

#include "base/error.h"
#include "capture/devices/device_verbs.h"
#include "capture/devices/sysfs.h"

/* Limits above any real number, to bound the work on a broken sysfs. */
#define MAX_DEVICES 1024
#define MAX_PORTS 256
#define MAX_GIDS 65536
#define MAX_P_KEYS 65536
#define MAX_COUNTERS 1024
#define MAX_NETDEVS 256

#define ROOT_VARIABLE "RDMATAP_SYSFS"
#define DEFAULT_ROOT "/sys"

/* A cached part, with its memory. */
struct part {
	bool known;
	struct sysfs_memory memory;
};

struct port {
	struct part attributes_part, gids_part, p_keys_part, counters_part, cm_counters_part;
	struct rtap_port attributes;
	struct rtap_gids gids;
	struct rtap_p_keys p_keys;
	struct rtap_device_counters counters, cm_counters;
};

struct device {
	const char *name;
	struct part part, counters_part, verbs_part;
	struct rtap_device attributes;
	struct rtap_device_verbs verbs;
	struct rtap_device_counters counters;
	struct port *ports;
};

/* A umadN or issmN device with its RDMA device and port. */
struct mad_name {
	const char *name, *device;
	struct rtap_count port;
};

struct rtap_devices {
	struct sysfs_memory memory;
	const char *root;
	struct device *devices;
	size_t count;
	struct part mad_part;
	struct mad_name *mad_names;
	size_t mad_name_count;
};

static void part_discard(struct part *part)
{
	sysfs_free(&part->memory);
	part->known = false;
}

enum rtap_status rtap_devices_open(struct rtap_devices **opened, const char *root, struct rtap_error *error)
{
	struct rtap_devices *devices = calloc(1, sizeof *devices);
	enum rtap_status status = RTAP_STATUS_FAILED;
	char path[SYSFS_PATH];
	struct sysfs_names names;
	DIR *folder;

	*opened = NULL;
	if (!root)
		root = getenv(ROOT_VARIABLE);
	if (!root || !*root)
		root = DEFAULT_ROOT;
	rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
	if (!devices)
		return status;
	if (!sysfs_path(path, "%s/class/infiniband", root)) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "%s: the name is too long", root);
		goto out;
	}
	folder = opendir(path);
	if (!folder) {
		status = errno == ENOENT ? RTAP_STATUS_END : RTAP_STATUS_FAILED;
		rtap_error_set(error, error_code_of(errno), "%s: %s%s", path, strerror(errno), errno == ENOENT ?
			       ": this kernel has no RDMA subsystem loaded (load the driver, such as mlx5_ib or rdma_rxe)" : "");
		goto out;
	}
	closedir(folder);
	devices->root = sysfs_copy(&devices->memory, root);
	if (!devices->root || !sysfs_list(&devices->memory, path, MAX_DEVICES, &names))
		goto out;
	devices->devices = sysfs_allocate(&devices->memory, (names.count + 1) * sizeof *devices->devices);
	if (!devices->devices)
		goto out;
	for (; devices->count < names.count; devices->count++)
		devices->devices[devices->count].name = names.names[devices->count];
	*opened = devices;
	return RTAP_STATUS_OK;
out:
	rtap_devices_close(devices);
	return status;
}

static void port_discard(struct port *port, unsigned parts)
{
	if (parts & (RTAP_PORT_ATTRIBUTES | RTAP_PORT_GIDS))
		part_discard(&port->attributes_part);
	if (parts & RTAP_PORT_GIDS)
		part_discard(&port->gids_part);
	if (parts & RTAP_PORT_P_KEYS)
		part_discard(&port->p_keys_part);
}

void rtap_devices_close(struct rtap_devices *devices)
{
	if (!devices)
		return;
	for (size_t i = 0; i < devices->count; i++) {
		struct device *device = &devices->devices[i];

		for (size_t j = 0; device->part.known && j < device->attributes.port_count; j++) {
			port_discard(&device->ports[j], RTAP_PORT_ALL);
			part_discard(&device->ports[j].counters_part);
			part_discard(&device->ports[j].cm_counters_part);
		}
		part_discard(&device->counters_part);
		part_discard(&device->verbs_part);
		part_discard(&device->part);
	}
	part_discard(&devices->mad_part);
	sysfs_free(&devices->memory);
	free(devices);
}

size_t rtap_devices_count(const struct rtap_devices *devices)
{
	return devices->count;
}

/* An attribute of a device; a path that is too long has no value. */
static bool device_text(const struct rtap_devices *devices, struct device *device, const char *file, const char **text)
{
	char path[SYSFS_PATH];

	*text = NULL;
	return !sysfs_path(path, "%s/class/infiniband/%s/%s", devices->root, device->name, file) ||
	       sysfs_text(&device->part.memory, path, text);
}

static struct rtap_count device_number(const struct rtap_devices *devices, const struct device *device, const char *file)
{
	char path[SYSFS_PATH];

	if (!sysfs_path(path, "%s/class/infiniband/%s/%s", devices->root, device->name, file))
		return (struct rtap_count){ false, 0 };
	return sysfs_number(path, UINT32_MAX);
}

static struct rtap_count device_guid(const struct rtap_devices *devices, const struct device *device, const char *file)
{
	char path[SYSFS_PATH];

	if (!sysfs_path(path, "%s/class/infiniband/%s/%s", devices->root, device->name, file))
		return (struct rtap_count){ false, 0 };
	return sysfs_guid(path);
}

static bool port_path(char path[SYSFS_PATH], const struct rtap_devices *devices, const struct device *device, unsigned port,
		      const char *file)
{
	return sysfs_path(path, "%s/class/infiniband/%s/ports/%u/%s", devices->root, device->name, port, file);
}

static bool port_text(const struct rtap_devices *devices, const struct device *device, unsigned port, const char *file,
		      struct sysfs_memory *memory, const char **text)
{
	char path[SYSFS_PATH];

	*text = NULL;
	return !port_path(path, devices, device, port, file) || sysfs_text(memory, path, text);
}

static struct rtap_count port_number(const struct rtap_devices *devices, const struct device *device, unsigned port,
				     const char *file)
{
	char path[SYSFS_PATH];

	return port_path(path, devices, device, port, file) ? sysfs_number(path, UINT32_MAX) : (struct rtap_count){ false, 0 };
}

/* iWARP devices have node type RNIC; the link layer distinguishes the others. */
static enum rtap_device_transport transport_of(struct rtap_count node_type, const char *link_layer)
{
	if (node_type.known && node_type.value == RTAP_NODE_RNIC)
		return RTAP_DEVICE_IWARP;
	if (!link_layer || !node_type.known || node_type.value > RTAP_NODE_RNIC)
		return RTAP_DEVICE_UNKNOWN;
	if (!strcmp(link_layer, "InfiniBand"))
		return RTAP_DEVICE_INFINIBAND;
	return strcmp(link_layer, "Ethernet") ? RTAP_DEVICE_UNKNOWN : RTAP_DEVICE_ROCE;
}

static bool read_port_numbers(const struct rtap_devices *devices, struct device *device)
{
	struct sysfs_memory *memory = &device->part.memory;
	struct sysfs_names names;
	char path[SYSFS_PATH];
	uint8_t *numbers;

	if (!sysfs_path(path, "%s/class/infiniband/%s/ports", devices->root, device->name))
		return true;
	if (!sysfs_list(memory, path, MAX_PORTS, &names))
		return false;
	numbers = sysfs_allocate(memory, names.count + 1);
	device->ports = sysfs_allocate(memory, (names.count + 1) * sizeof *device->ports);
	if (!numbers || !device->ports)
		return false;
	for (size_t i = 0; i < names.count; i++) {
		uint32_t number;

		if (sysfs_is_number(names.names[i], UINT8_MAX, &number))
			numbers[device->attributes.port_count++] = (uint8_t)number;
	}
	device->attributes.port_numbers = numbers;
	return true;
}

static bool read_transport(const struct rtap_devices *devices, struct device *device)
{
	struct rtap_device *attributes = &device->attributes;

	attributes->transport = transport_of(attributes->node_type, NULL);
	for (size_t i = 0; i < attributes->port_count; i++) {
		enum rtap_device_transport transport;
		const char *link_layer;

		if (!port_text(devices, device, attributes->port_numbers[i], "link_layer", &device->part.memory, &link_layer))
			return false;
		transport = transport_of(attributes->node_type, link_layer);
		attributes->transport = !i || attributes->transport == transport ? transport : RTAP_DEVICE_MIXED;
	}
	return true;
}

static void add_netdev(const char **netdevs, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(netdevs[i], name))
			return;
	if (*count < MAX_NETDEVS)
		netdevs[(*count)++] = name;
}

/* The interfaces of a NIC; a software device has none, but its `parent` attribute names an interface. */
static bool read_netdevs(const struct rtap_devices *devices, struct device *device)
{
	struct sysfs_memory *memory = &device->part.memory;
	const char **netdevs = sysfs_allocate(memory, MAX_NETDEVS * sizeof *netdevs), *name;
	struct sysfs_names names = { NULL, 0 };
	char path[SYSFS_PATH];

	if (!netdevs)
		return false;
	device->attributes.netdevs = netdevs;
	if (sysfs_path(path, "%s/class/infiniband/%s/device/net", devices->root, device->name) &&
	    !sysfs_list(memory, path, MAX_NETDEVS, &names))
		return false;
	for (size_t i = 0; i < names.count; i++)
		add_netdev(netdevs, &device->attributes.netdev_count, names.names[i]);
	if (!device_text(devices, device, "parent", &name))
		return false;
	if (name)
		add_netdev(netdevs, &device->attributes.netdev_count, name);
	for (size_t i = 0; i < device->attributes.port_count; i++) {
		if (!port_text(devices, device, device->attributes.port_numbers[i], "gid_attrs/ndevs/0", memory, &name))
			return false;
		if (name)
			add_netdev(netdevs, &device->attributes.netdev_count, name);
	}
	return true;
}

static bool read_device(const struct rtap_devices *devices, struct device *device)
{
	struct rtap_device *attributes = &device->attributes;

	*attributes = (struct rtap_device){ .name = device->name };
	attributes->node_type = device_number(devices, device, "node_type");
	attributes->node_guid = device_guid(devices, device, "node_guid");
	attributes->system_image_guid = device_guid(devices, device, "sys_image_guid");
	attributes->numa_node = device_number(devices, device, "device/numa_node");
	return device_text(devices, device, "node_desc", &attributes->node_description) &&
	       device_text(devices, device, "fw_ver", &attributes->firmware) &&
	       device_text(devices, device, "hw_rev", &attributes->hardware_revision) &&
	       device_text(devices, device, "board_id", &attributes->board_id) &&
	       device_text(devices, device, "hca_type", &attributes->hca_type) &&
	       read_port_numbers(devices, device) && read_transport(devices, device) && read_netdevs(devices, device);
}

static struct device *known_device(struct rtap_devices *devices, size_t index)
{
	struct device *device = index < devices->count ? &devices->devices[index] : NULL;

	if (!device)
		return NULL;
	if (!device->part.known && !read_device(devices, device)) {
		sysfs_free(&device->part.memory);
		return NULL;
	}
	device->part.known = true;
	return device;
}

const struct rtap_device *rtap_devices_device(struct rtap_devices *devices, size_t device_index)
{
	struct device *device = known_device(devices, device_index);

	return device ? &device->attributes : NULL;
}

static bool read_mad_names(struct rtap_devices *devices)
{
	struct sysfs_memory *memory = &devices->mad_part.memory;
	struct sysfs_names names = { NULL, 0 };
	char path[SYSFS_PATH];

	if (sysfs_path(path, "%s/class/infiniband_mad", devices->root) && !sysfs_list(memory, path, 2 * MAX_DEVICES, &names))
		return false;
	devices->mad_name_count = 0;
	devices->mad_names = sysfs_allocate(memory, (names.count + 1) * sizeof *devices->mad_names);
	if (!devices->mad_names)
		return false;
	for (size_t i = 0; i < names.count; i++) {
		struct mad_name *name = &devices->mad_names[devices->mad_name_count];

		name->name = names.names[i];
		if (!sysfs_path(path, "%s/class/infiniband_mad/%s/port", devices->root, name->name))
			continue;
		name->port = sysfs_number(path, UINT8_MAX);
		if (!sysfs_path(path, "%s/class/infiniband_mad/%s/ibdev", devices->root, name->name))
			continue;
		if (!sysfs_text(memory, path, &name->device))
			return false;
		devices->mad_name_count += name->device && name->port.known;
	}
	return true;
}

/* The name, starting with `kind`, of a port's MAD device; NULL: none. False: out of memory. */
static bool find_mad_name(struct rtap_devices *devices, const char *device, unsigned port, const char *kind,
			  const char **found)
{
	if (!devices->mad_part.known && !read_mad_names(devices)) {
		sysfs_free(&devices->mad_part.memory);
		return false;
	}
	devices->mad_part.known = true;
	*found = NULL;
	for (size_t i = 0; i < devices->mad_name_count && !*found; i++) {
		const struct mad_name *name = &devices->mad_names[i];

		if (name->port.value == port && !strcmp(name->device, device) && !strncmp(name->name, kind, strlen(kind)))
			*found = name->name;
	}
	return true;
}

/* "2.5 Gb/sec (1X SDR)" */
static struct rtap_count rate_of(const char *rate)
{
	struct rtap_count mbps = { false, 0 };
	char *end;
	unsigned long value;

	if (!rate || !isdigit((unsigned char)*rate))
		return mbps;
	errno = 0;
	value = strtoul(rate, &end, 10);
	if (errno || value > 1000000)
		return mbps;
	mbps.value = value * 1000;
	if (end[0] == '.' && isdigit((unsigned char)end[1])) {
		mbps.value += (uint64_t)(end[1] - '0') * 100;
		end += 2;
	}
	mbps.known = !strncmp(end, " Gb/sec", 7);
	return mbps;
}

static bool is_zero(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i])
			return false;
	return true;
}

/* An empty table entry has a subnet prefix followed by zeros. An iWARP GID is a MAC address followed by zeros. */
static bool is_empty(const uint8_t gid[16], enum rtap_device_transport transport)
{
	return is_zero(gid + 8, 8) && (transport != RTAP_DEVICE_IWARP || is_zero(gid, 8));
}

static struct rtap_count guid_of_port(const struct rtap_devices *devices, const struct device *device, unsigned number,
				      enum rtap_device_transport transport)
{
	struct rtap_count guid = { false, 0 };
	char path[SYSFS_PATH];
	uint8_t gid[16];

	if (transport == RTAP_DEVICE_IWARP || !port_path(path, devices, device, number, "gids/0") || !sysfs_gid(path, gid))
		return guid;
	for (size_t i = 8; i < sizeof gid; i++)
		guid.value = guid.value << 8 | gid[i];
	guid.known = guid.value != 0;
	return guid;
}

/* The network interface of a port. The GIDs name it for each port; for multi-port hardware, the device lists those of all ports. */
static bool read_netdev(const struct rtap_devices *devices, const struct device *device, unsigned number, struct sysfs_memory *memory,
			struct rtap_port *attributes)
{
	char path[SYSFS_PATH];

	if (attributes->transport != RTAP_DEVICE_ROCE && attributes->transport != RTAP_DEVICE_IWARP)
		return true;
	if (!port_text(devices, device, number, "gid_attrs/ndevs/0", memory, &attributes->netdev))
		return false;
	if (!attributes->netdev && device->attributes.netdev_count == 1)
		attributes->netdev = device->attributes.netdevs[0];
	if (attributes->netdev && !strchr(attributes->netdev, '/') && sysfs_path(path, "%s/class/net/%s/mtu", devices->root, attributes->netdev))
		attributes->netdev_mtu = sysfs_number(path, UINT32_MAX);
	return true;
}

static bool read_port(struct rtap_devices *devices, const struct device *device, unsigned number, struct port *port)
{
	struct rtap_port *attributes = &port->attributes;
	struct sysfs_memory *memory = &port->attributes_part.memory;

	*attributes = (struct rtap_port){ .number = (uint8_t)number };
	if (!port_text(devices, device, number, "link_layer", memory, &attributes->link_layer) ||
	    !port_text(devices, device, number, "rate", memory, &attributes->rate) ||
	    !find_mad_name(devices, device->name, number, "umad", &attributes->umad) ||
	    !find_mad_name(devices, device->name, number, "issm", &attributes->issm))
		return false;
	attributes->transport = transport_of(device->attributes.node_type, attributes->link_layer);
	attributes->state = port_number(devices, device, number, "state");
	attributes->physical_state = port_number(devices, device, number, "phys_state");
	attributes->rate_mbps = rate_of(attributes->rate);
	attributes->lid = port_number(devices, device, number, "lid");
	attributes->lmc = port_number(devices, device, number, "lid_mask_count");
	attributes->sm_lid = port_number(devices, device, number, "sm_lid");
	attributes->sm_sl = port_number(devices, device, number, "sm_sl");
	attributes->capability_mask = port_number(devices, device, number, "cap_mask");
	attributes->guid = guid_of_port(devices, device, number, attributes->transport);
	return read_netdev(devices, device, number, memory, attributes);
}

static struct port *known_port(struct rtap_devices *devices, size_t device_index, size_t port_index, struct device **device)
{
	struct port *port;

	*device = known_device(devices, device_index);
	if (!*device || port_index >= (*device)->attributes.port_count)
		return NULL;
	port = &(*device)->ports[port_index];
	if (!port->attributes_part.known && !read_port(devices, *device, (*device)->attributes.port_numbers[port_index], port)) {
		sysfs_free(&port->attributes_part.memory);
		return NULL;
	}
	port->attributes_part.known = true;
	return port;
}

const struct rtap_port *rtap_devices_port(struct rtap_devices *devices, size_t device_index, size_t port_index)
{
	struct device *device;
	struct port *port = known_port(devices, device_index, port_index, &device);

	return port ? &port->attributes : NULL;
}

static enum rtap_gid_type gid_type_of(const char *text, enum rtap_device_transport transport)
{
	if (!text)
		return RTAP_GID_UNKNOWN;
	if (!strcmp(text, "RoCE v2"))
		return RTAP_GID_ROCE_V2;
	if (strcmp(text, "IB/RoCE v1"))
		return RTAP_GID_UNKNOWN;
	return transport == RTAP_DEVICE_INFINIBAND ? RTAP_GID_INFINIBAND :
	       transport == RTAP_DEVICE_ROCE ? RTAP_GID_ROCE_V1 : RTAP_GID_UNKNOWN;
}

/* Type and netdev of the GID at an index. */
static bool read_gid_attributes(const struct rtap_devices *devices, const struct device *device, struct port *port,
				struct rtap_gid *gid)
{
	struct sysfs_memory *memory = &port->gids_part.memory;
	unsigned number = port->attributes.number;
	const char *type;
	char file[64];

	snprintf(file, sizeof file, "gid_attrs/types/%u", gid->index);
	if (!port_text(devices, device, number, file, memory, &type))
		return false;
	gid->type = gid_type_of(type, port->attributes.transport);
	snprintf(file, sizeof file, "gid_attrs/ndevs/%u", gid->index);
	return port_text(devices, device, number, file, memory, &gid->netdev);
}

/* RoCE v2: ::ffff:0:0/96, RFC 4291, 2.5.5.2 */
static bool holds_ipv4(const uint8_t gid[16])
{
	return is_zero(gid, 10) && gid[10] == 0xff && gid[11] == 0xff;
}

static const struct rtap_gid *choose(const struct rtap_gids *gids)
{
	const struct rtap_gid *second = NULL;

	for (size_t i = 0; i < gids->count; i++) {
		const struct rtap_gid *gid = &gids->gids[i];

		if (gid->type == RTAP_GID_ROCE_V2 && holds_ipv4(gid->bytes))
			return gid;
		if (gid->type == RTAP_GID_ROCE_V2 && !second)
			second = gid;
	}
	return second ? second : gids->count ? &gids->gids[0] : NULL;
}

static bool read_gids(const struct rtap_devices *devices, const struct device *device, struct port *port)
{
	struct sysfs_memory *memory = &port->gids_part.memory;
	struct sysfs_names names = { NULL, 0 };
	char path[SYSFS_PATH];
	struct rtap_gid *gids;

	if (port_path(path, devices, device, port->attributes.number, "gids") && !sysfs_list(memory, path, MAX_GIDS, &names))
		return false;
	gids = sysfs_allocate(memory, (names.count + 1) * sizeof *gids);
	if (!gids)
		return false;
	port->gids = (struct rtap_gids){ .gids = gids };
	for (size_t i = 0; i < names.count; i++) {
		struct rtap_gid *gid = &gids[port->gids.count];

		if (!sysfs_is_number(names.names[i], MAX_GIDS - 1, &gid->index) ||
		    !sysfs_path(path, "%s/class/infiniband/%s/ports/%u/gids/%s", devices->root, device->name,
				port->attributes.number, names.names[i]) ||
		    !sysfs_gid(path, gid->bytes) || is_empty(gid->bytes, port->attributes.transport))
			continue;
		if (!read_gid_attributes(devices, device, port, gid))
			return false;
		port->gids.count++;
	}
	port->gids.chosen = choose(&port->gids);
	return true;
}

const struct rtap_gids *rtap_devices_gids(struct rtap_devices *devices, size_t device_index, size_t port_index)
{
	struct device *device;
	struct port *port = known_port(devices, device_index, port_index, &device);

	if (!port)
		return NULL;
	if (!port->gids_part.known && !read_gids(devices, device, port)) {
		sysfs_free(&port->gids_part.memory);
		return NULL;
	}
	port->gids_part.known = true;
	return &port->gids;
}

static bool read_p_keys(const struct rtap_devices *devices, const struct device *device, struct port *port)
{
	struct sysfs_memory *memory = &port->p_keys_part.memory;
	struct sysfs_names names = { NULL, 0 };
	char path[SYSFS_PATH];
	struct rtap_p_key *p_keys;

	if (port_path(path, devices, device, port->attributes.number, "pkeys") && !sysfs_list(memory, path, MAX_P_KEYS, &names))
		return false;
	p_keys = sysfs_allocate(memory, (names.count + 1) * sizeof *p_keys);
	if (!p_keys)
		return false;
	port->p_keys = (struct rtap_p_keys){ .p_keys = p_keys };
	for (size_t i = 0; i < names.count; i++) {
		struct rtap_p_key *p_key = &p_keys[port->p_keys.count];
		struct rtap_count value;

		if (!sysfs_is_number(names.names[i], MAX_P_KEYS - 1, &p_key->index) ||
		    !sysfs_path(path, "%s/class/infiniband/%s/ports/%u/pkeys/%s", devices->root, device->name,
				port->attributes.number, names.names[i]))
			continue;
		value = sysfs_number(path, UINT16_MAX);
		if (!value.known || !value.value)
			continue;
		p_key->value = (uint16_t)value.value;
		port->p_keys.count++;
	}
	return true;
}

const struct rtap_p_keys *rtap_devices_p_keys(struct rtap_devices *devices, size_t device_index, size_t port_index)
{
	struct device *device;
	struct port *port = known_port(devices, device_index, port_index, &device);

	if (!port)
		return NULL;
	if (!port->p_keys_part.known && !read_p_keys(devices, device, port)) {
		sysfs_free(&port->p_keys_part.memory);
		return NULL;
	}
	port->p_keys_part.known = true;
	return &port->p_keys;
}

/*
 * Adds the counters of a directory; `prefix` is prepended to their names. `lifespan`, among the counters, is a setting: the
 * time for which the kernel caches their values. False: out of memory.
 */
static bool add_counters(struct sysfs_memory *memory, const char *folder, const char *prefix, struct rtap_device_counter list[MAX_COUNTERS],
			 struct rtap_device_counters *counters)
{
	struct sysfs_names names;

	if (!sysfs_list(memory, folder, MAX_COUNTERS, &names))
		return false;
	for (size_t i = 0; i < names.count && counters->count < MAX_COUNTERS; i++) {
		char path[SYSFS_PATH], name[256];
		struct rtap_count value;

		if (!strcmp(names.names[i], "lifespan") || !sysfs_path(path, "%s/%s", folder, names.names[i]))
			continue;
		value = sysfs_number(path, UINT64_MAX);
		if (!value.known)
			continue;
		snprintf(name, sizeof name, "%s%s", prefix, names.names[i]);
		list[counters->count] = (struct rtap_device_counter){ sysfs_copy(memory, name), value.value };
		if (!list[counters->count++].name)
			return false;
	}
	return true;
}

/* Reads the counters of one directory. */
static bool read_counters(struct part *part, const char *folder, struct rtap_device_counters *counters)
{
	struct rtap_device_counter *list;

	part_discard(part);
	list = sysfs_allocate(&part->memory, MAX_COUNTERS * sizeof *list);
	*counters = (struct rtap_device_counters){ list, 0 };
	return list && add_counters(&part->memory, folder, "", list, counters);
}

const struct rtap_device_counters *rtap_devices_counters(struct rtap_devices *devices, size_t device_index)
{
	struct device *device = device_index < devices->count ? &devices->devices[device_index] : NULL;
	char path[SYSFS_PATH];

	if (!device)
		return NULL;
	if (!sysfs_path(path, "%s/class/infiniband/%s/hw_counters", devices->root, device->name))
		path[0] = 0;
	return read_counters(&device->counters_part, path, &device->counters) ? &device->counters : NULL;
}

const struct rtap_device_counters *rtap_devices_port_counters(struct rtap_devices *devices, size_t device_index,
							      size_t port_index)
{
	struct device *device;
	struct port *port = known_port(devices, device_index, port_index, &device);
	char path[SYSFS_PATH];

	if (!port)
		return NULL;
	if (!port_path(path, devices, device, port->attributes.number, "hw_counters"))
		path[0] = 0;
	return read_counters(&port->counters_part, path, &port->counters) ? &port->counters : NULL;
}

/* Directories of the communication manager's counters: within the port's directory since Linux 5.14. */
static bool read_cm_counters(struct rtap_devices *devices, struct device *device, struct port *port)
{
	static const char *const groups[] = { "tx_msgs", "tx_retries", "rx_msgs", "rx_duplicates" };
	struct sysfs_memory *memory = &port->cm_counters_part.memory;
	struct rtap_device_counter *list;
	unsigned number = port->attributes.number;

	part_discard(&port->cm_counters_part);
	list = sysfs_allocate(memory, MAX_COUNTERS * sizeof *list);
	port->cm_counters = (struct rtap_device_counters){ list, 0 };
	for (size_t i = 0; list && i < sizeof groups / sizeof groups[0]; i++) {
		char path[SYSFS_PATH], prefix[32];
		size_t before = port->cm_counters.count;

		snprintf(prefix, sizeof prefix, "%s.", groups[i]);
		if (sysfs_path(path, "%s/class/infiniband/%s/ports/%u/cm_%s", devices->root, device->name, number, groups[i]) &&
		    !add_counters(memory, path, prefix, list, &port->cm_counters))
			return false;
		if (port->cm_counters.count == before &&
		    sysfs_path(path, "%s/class/infiniband_cm/%s/%u/cm_%s", devices->root, device->name, number, groups[i]) &&
		    !add_counters(memory, path, prefix, list, &port->cm_counters))
			return false;
	}
	return list;
}

const struct rtap_device_counters *rtap_devices_cm_counters(struct rtap_devices *devices, size_t device_index, size_t port_index)
{
	struct device *device;
	struct port *port = known_port(devices, device_index, port_index, &device);

	return port && read_cm_counters(devices, device, port) ? &port->cm_counters : NULL;
}

const struct rtap_device_verbs *rtap_devices_verbs(struct rtap_devices *devices, size_t device_index)
{
	struct device *device = known_device(devices, device_index);

	if (!device)
		return NULL;
	part_discard(&device->verbs_part);
	return device_verbs_ask(&device->verbs_part.memory, &device->attributes, &device->verbs) ? &device->verbs : NULL;
}

void rtap_devices_invalidate(struct rtap_devices *devices, size_t device_index, size_t port_index, unsigned parts)
{
	struct device *device = device_index < devices->count ? &devices->devices[device_index] : NULL;

	if (device && device->part.known && port_index < device->attributes.port_count)
		port_discard(&device->ports[port_index], parts);
}
