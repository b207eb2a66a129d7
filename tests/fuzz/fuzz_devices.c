/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sysfs: any bytes as the files of one device; everything that is reported of it, found and shown.
 * Input: the contents of the files of the table below, one after the other, with a byte 0xff between.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rdmatap/device.h>

#include "output/devices.h"

#include "harness.h"

#define SEPARATOR 0xff
#define MOST_TEXT (1u << 20)

/* make-seeds reads this table. */
static const char *const files[] = {
	"node_type", "node_guid", "sys_image_guid", "node_desc", "fw_ver", "hw_rev", "board_id", "hca_type", "parent",
	"device/numa_node", "hw_counters/one", "ports/1/link_layer", "ports/1/state", "ports/1/phys_state", "ports/1/rate",
	"ports/1/lid", "ports/1/lid_mask_count", "ports/1/sm_lid", "ports/1/sm_sl", "ports/1/cap_mask", "ports/1/gids/0",
	"ports/1/gids/1", "ports/1/gid_attrs/types/0", "ports/1/gid_attrs/types/1", "ports/1/gid_attrs/ndevs/0",
	"ports/1/pkeys/0", "ports/1/pkeys/1", "ports/1/hw_counters/one",
};
#define FILES (sizeof files / sizeof files[0])

/* in memory, else where there are folders for such things */
static char root[] = "/dev/shm/rdmatap-fuzz-XXXXXX";
static pid_t owner;

static void device_path(char path[256], const char *file)
{
	snprintf(path, 256, "%s/class/infiniband/any_0/%s", root, file);
}

static void remove_tree(void)
{
	char path[256];

	if (getpid() != owner)
		return;
	/* a folder goes when the last thing in it is gone */
	for (size_t i = 0; i < FILES; i++) {
		device_path(path, files[i]);
		unlink(path);
		for (char *slash; (slash = strrchr(path, '/')) != path && (*slash = 0, !rmdir(path));)
			;
	}
}

static void make_tree(void)
{
	char path[256];

	if (!mkdtemp(root)) {
		strcpy(root, "/tmp/rdmatap-fuzz-XXXXXX");
		REQUIRE(mkdtemp(root) != NULL);
	}
	owner = getpid();
	atexit(remove_tree);
	for (size_t i = 0; i < FILES; i++) {
		device_path(path, files[i]);
		for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
			*slash = 0;
			mkdir(path, 0700);
			*slash = '/';
		}
	}
}

static void write_files(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < FILES; i++) {
		const uint8_t *end = size ? memchr(data, SEPARATOR, size) : NULL;
		size_t length = end ? (size_t)(end - data) : size;
		char path[256];
		FILE *out;

		device_path(path, files[i]);
		out = fopen(path, "w");
		REQUIRE(out && (!length || fwrite(data, 1, length, out) == length) && !fclose(out));
		data += length + !!end;
		size -= length + !!end;
	}
}

static void show(void (*write)(const struct shown_device *shown, struct line *line), const struct shown_device *shown)
{
	static char text[MOST_TEXT];
	struct line line;

	line_init(&line, text, sizeof text);
	write(shown, &line);
	REQUIRE(!line.cut && line.next > text && line.next[-1] == '\n');
	for (const char *c = text; c < line.next; c++)
		REQUIRE((uint8_t)*c >= ' ' || *c == '\n');
}

static void look(struct rtap_devices *devices)
{
	struct shown_device shown = { .device = rtap_devices_device(devices, 0), .counters = rtap_devices_counters(devices, 0) };
	struct shown_port port;
	struct rtap_end_port found;
	struct rtap_error error;

	REQUIRE(rtap_devices_count(devices) == 1 && shown.device && shown.counters && shown.device->port_count == 1);
	port = (struct shown_port){
		.port = rtap_devices_port(devices, 0, 0), .gids = rtap_devices_gids(devices, 0, 0),
		.p_keys = rtap_devices_p_keys(devices, 0, 0), .counters = rtap_devices_port_counters(devices, 0, 0),
		.cm_counters = rtap_devices_cm_counters(devices, 0, 0),
	};
	REQUIRE(port.port && port.gids && port.p_keys && port.counters && port.cm_counters);
	shown.ports = &port;
	shown.port_count = 1;
	show(device_text, &shown);
	show(device_tree, &shown);
	show(device_json, &shown);
	if (shown.device->node_guid.known)
		REQUIRE(rtap_devices_find_node_guid(devices, shown.device->node_guid.value, &found, &error) == RTAP_LOOKUP_FOUND);
	if (port.port->guid.known)
		REQUIRE(rtap_devices_find_port_guid(devices, port.port->guid.value, &found, &error) == RTAP_LOOKUP_FOUND);
	for (size_t i = 0; i < port.gids->count; i++)
		REQUIRE(rtap_devices_find_gid(devices, port.gids->gids[i].bytes, &found, &error) == RTAP_LOOKUP_FOUND && found.gid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rtap_devices *devices;
	struct rtap_error error;

	if (size > 1 << 14)
		return 0;
	if (!owner)
		make_tree();
	write_files(data, size);
	REQUIRE(rtap_devices_open(&devices, root, &error) == RTAP_STATUS_OK);
	look(devices);
	rtap_devices_close(devices);
	return 0;
}
