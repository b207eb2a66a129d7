/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap devices: lists RDMA devices and their end ports.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdmatap/device.h>

#include "cli/cli.h"
#include "cli/column_options.h"
#include "cli/devices.h"
#include "cli/foreign_options.h"
#include "cli/print_error.h"
#include "output/devices.h"
#include "output/packet/format.h"
#include "output/packet/printer.h"

enum { OPTION_JSON = 256, OPTION_NODE_GUID, OPTION_PORT_GUID, OPTION_GID };

static const struct option long_options[] = {
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "node-guid", required_argument, NULL, OPTION_NODE_GUID },
	{ "port-guid", required_argument, NULL, OPTION_PORT_GUID },
	{ "gid", required_argument, NULL, OPTION_GID },
	{ NULL, 0, NULL, 0 },
};

static const char letters[] = ":vT:e:";

const char *devices_letters(const struct option **options)
{
	*options = long_options;
	return letters;
}

/* What the command line asks for. */
struct request {
	const char *name, *node_guid_text, *port_guid_text, *gid_text; /* NULL: not selected by it */
	uint64_t node_guid, port_guid;
	uint8_t gid[16];
	struct columns columns;
	bool verbose;
};

static bool take_option(struct request *request, int letter, char *const *argv)
{
	switch (letter) {
	case 'v':
		request->verbose = true;
		return true;
	case OPTION_JSON:
		request->columns.form = COLUMNS_JSON;
		return true;
	case 'T':
	case 'e':
		return column_option_take(&request->columns, letter, optarg);
	case OPTION_NODE_GUID:
		request->node_guid_text = optarg;
		if (rtap_guid_parse(optarg, &request->node_guid))
			return true;
		print_error("--node-guid %s: not a GUID (such as 0002:c903:00a1:b2c0 or 0x0002c90300a1b2c0)", optarg);
		return false;
	case OPTION_PORT_GUID:
		request->port_guid_text = optarg;
		if (rtap_guid_parse(optarg, &request->port_guid))
			return true;
		print_error("--port-guid %s: not a GUID (such as 0002:c903:00a1:b2c1 or 0x0002c90300a1b2c1)", optarg);
		return false;
	case OPTION_GID:
		request->gid_text = optarg;
		if (inet_pton(AF_INET6, optarg, request->gid) == 1)
			return true;
		print_error("--gid %s: not a GID (such as fe80::2:c903:a1:b2c1 or ::ffff:10.0.0.1)", optarg);
		return false;
	default:
		foreign_print_option(argv[optind - 1], letter == ':', argv[0], long_options);
		return false;
	}
}

static bool parse(struct request *request, int argc, char **argv)
{
	unsigned ways;
	int letter;

	opterr = 0;
	while ((letter = getopt_long(argc, argv, letters, long_options, NULL)) != -1)
		if (!take_option(request, letter, argv))
			return false;
	if (optind < argc)
		request->name = argv[optind++];
	ways = (request->name ? 1u : 0) + (request->node_guid_text ? 1u : 0) + (request->port_guid_text ? 1u : 0) +
	       (request->gid_text ? 1u : 0);
	if (optind == argc && ways <= 1)
		return true;
	print_error("devices: looks for one thing at a time: a NAME, --node-guid, --port-guid or --gid");
	return false;
}

static enum rtap_lookup look_up(const struct request *request, struct rtap_devices *devices, struct rtap_end_port *found,
				struct rtap_error *error)
{
	if (request->node_guid_text)
		return rtap_devices_find_node_guid(devices, request->node_guid, found, error);
	if (request->port_guid_text)
		return rtap_devices_find_port_guid(devices, request->port_guid, found, error);
	if (request->gid_text)
		return rtap_devices_find_gid(devices, request->gid, found, error);
	return rtap_devices_find_name(devices, request->name, true, found, error);
}

static bool gather_port(struct rtap_devices *devices, size_t device, size_t port, struct shown_port *shown)
{
	shown->port = rtap_devices_port(devices, device, port);
	shown->gids = rtap_devices_gids(devices, device, port);
	shown->p_keys = rtap_devices_p_keys(devices, device, port);
	shown->counters = rtap_devices_port_counters(devices, device, port);
	shown->cm_counters = rtap_devices_cm_counters(devices, device, port);
	return shown->port && shown->gids && shown->p_keys && shown->counters && shown->cm_counters;
}

static void write_text(const void *what, struct line *line)
{
	device_text(what, line);
}

static void write_tree(const void *what, struct line *line)
{
	device_tree(what, line);
}

static void device_json_of(const void *what, struct line *line)
{
	device_json(what, line);
}

/* Prints a device with all its ports, or with the requested one. Returns 0 or -errno. */
static int show(const struct request *request, struct rtap_devices *devices, const struct rtap_end_port *asked,
		struct printer *printer)
{
	struct shown_device shown = {
		.device = rtap_devices_device(devices, asked->device), .counters = rtap_devices_counters(devices, asked->device),
	};
	bool as_record = columns_are_made(&request->columns), in_full = as_record || request->verbose;
	struct shown_port *ports = shown.device ? calloc(shown.device->port_count + 1, sizeof *ports) : NULL;
	int result = -ENOMEM;

	if (!ports || !shown.counters || (in_full && !(shown.verbs = rtap_devices_verbs(devices, asked->device))))
		goto out;
	for (size_t i = 0; i < shown.device->port_count; i++) {
		if (asked->port != SIZE_MAX && asked->port != i)
			continue;
		if (!gather_port(devices, asked->device, i, &ports[shown.port_count]))
			goto out;
		if (shown.verbs && shown.verbs->subnet_timeouts) {
			ports[shown.port_count].subnet_timeout = shown.verbs->subnet_timeouts[i];
			ports[shown.port_count].path_mtu = shown.verbs->path_mtus[i];
			ports[shown.port_count].max_path_mtu = shown.verbs->max_path_mtus[i];
		}
		ports[shown.port_count++].gid = asked->gid;
	}
	shown.ports = ports;
	if (as_record)
		result = printer_write(printer, columns_write_record, &(struct columns_record){ &request->columns, device_json_of, &shown });
	else
		result = printer_write(printer, request->verbose ? write_tree : write_text, &shown);
out:
	free(ports);
	return result;
}

static int show_all(const struct request *request, struct rtap_devices *devices, struct printer *printer)
{
	int result = 0;

	for (size_t i = 0; !result && i < rtap_devices_count(devices); i++)
		result = show(request, devices, &(struct rtap_end_port){ i, SIZE_MAX, NULL }, printer);
	return result;
}

/* Prints the requested device or port, or all devices. Returns 0, or the -errno of a failed write. *status: the exit status. */
static int find_and_show(const struct request *request, struct rtap_devices *devices, struct printer *printer, int *status)
{
	struct rtap_end_port found;
	struct rtap_error error;
	enum rtap_lookup lookup;

	if (!request->name && !request->node_guid_text && !request->port_guid_text && !request->gid_text) {
		if (rtap_devices_count(devices))
			return show_all(request, devices, printer);
		print_error("there are no RDMA devices (rdmatap -D lists what else can be captured on)");
		*status = EXIT_NO;
		return 0;
	}
	lookup = look_up(request, devices, &found, &error);
	if (lookup == RTAP_LOOKUP_FOUND)
		return show(request, devices, &found, printer);
	print_error("%s", error.text);
	*status = lookup == RTAP_LOOKUP_NONE ? EXIT_NO : EXIT_ERROR;
	return 0;
}

int command_devices(int argc, char **argv)
{
	struct request request = { .name = NULL };
	struct printer printer = { .buffer = NULL };
	struct rtap_devices *devices = NULL;
	struct rtap_error error;
	int status = EXIT_DONE, result;

	if (!parse(&request, argc, argv) || !column_options_check(&request.columns, "devices") ||
	    !columns_complete(&request.columns, "devices", NULL))
		return EXIT_ERROR;
	if (rtap_devices_open(&devices, NULL, &error) != RTAP_STATUS_OK) {
		print_error("%s", error.text);
		return EXIT_ERROR;
	}
	result = printer_init(&printer, STDOUT_FILENO, false);
	if (!result && request.columns.form == COLUMNS_CSV)
		result = printer_write(&printer, columns_write_header, &request.columns);
	if (!result)
		result = find_and_show(&request, devices, &printer, &status);
	if (!result)
		result = printer_flush(&printer);
	if (result && result != -EPIPE) {
		print_error("%s%s", result == -ENOMEM ? "" : "standard output: ", strerror(-result));
		status = EXIT_ERROR;
	}
	printer_fini(&printer);
	rtap_devices_close(devices);
	return status;
}
