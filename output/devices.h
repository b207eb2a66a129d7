/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA devices and their end ports as lines of text, in full, and as JSON objects (doc/json.md).
 */
#ifndef OUTPUT_DEVICES_H
#define OUTPUT_DEVICES_H

#include <rdmatap/device.h>

#include "dissect/engine/line.h"

/* An end port and the attributes to print. */
struct shown_port {
	const struct rtap_port *port;
	const struct rtap_gids *gids;
	const struct rtap_p_keys *p_keys;
	const struct rtap_device_counters *counters;
	const struct rtap_device_counters *cm_counters;
	struct rtap_count subnet_timeout, path_mtu, max_path_mtu;
	const struct rtap_gid *gid; /* the requested GID; NULL: none */
};

struct shown_device {
	const struct rtap_device *device;
	const struct rtap_device_counters *counters;
	const struct rtap_device_verbs *verbs; /* NULL: not printed */
	const struct shown_port *ports; /* ports to print */
	size_t port_count;
};

/* One line for the device and one for each port. Unknown values are omitted. */
void device_text(const struct shown_device *shown, struct line *line);

/* All attributes, one per line; unknown ones are marked as unknown. */
void device_tree(const struct shown_device *shown, struct line *line);

/* One JSON object on a line. Unknown values are absent. */
void device_json(const struct shown_device *shown, struct line *line);

#endif
