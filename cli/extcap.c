/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Wireshark's extcap interface. https://www.wireshark.org/docs/wsdg_html_chunked/ChCaptureExtcap.html
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include <rdmatap/live.h>

#include "cli/cli.h"
#include "cli/extcap.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/view.h"

enum extcap_option { EXTCAP_INTERFACES = 256, EXTCAP_INTERFACE, EXTCAP_DLTS, EXTCAP_CONFIG, EXTCAP_FILTER, EXTCAP_CAPTURE, EXTCAP_FIFO,
	EXTCAP_IGNORED, EXTCAP_SNAP, EXTCAP_OTHER };

/* Values from EXTCAP_OTHER are options of the stream view, which are passed on. */
static const struct option long_options[] = {
	{ "extcap-interfaces", no_argument, NULL, EXTCAP_INTERFACES },
	{ "extcap-interface", required_argument, NULL, EXTCAP_INTERFACE },
	{ "extcap-dlts", no_argument, NULL, EXTCAP_DLTS },
	{ "extcap-config", no_argument, NULL, EXTCAP_CONFIG },
	{ "extcap-capture-filter", required_argument, NULL, EXTCAP_FILTER },
	{ "extcap-version", optional_argument, NULL, EXTCAP_IGNORED },
	{ "capture", no_argument, NULL, EXTCAP_CAPTURE },
	{ "fifo", required_argument, NULL, EXTCAP_FIFO },
	{ "snap-length", required_argument, NULL, EXTCAP_SNAP },
	{ "buffer-size", required_argument, NULL, EXTCAP_OTHER },
	{ "queue-size", required_argument, NULL, EXTCAP_OTHER },
	{ "immediate-mode", no_argument, NULL, EXTCAP_OTHER },
	{ "no-promiscuous-mode", no_argument, NULL, EXTCAP_OTHER },
	{ "flow", required_argument, NULL, EXTCAP_OTHER },
	{ "flow-type", required_argument, NULL, EXTCAP_OTHER },
	{ "flow-dont-trap", no_argument, NULL, EXTCAP_OTHER },
	{ "flow-offload", no_argument, NULL, EXTCAP_OTHER },
	{ "peer", required_argument, NULL, EXTCAP_OTHER },
	{ "join", required_argument, NULL, EXTCAP_OTHER },
	{ "force", no_argument, NULL, EXTCAP_OTHER },
	{ "verbs", required_argument, NULL, EXTCAP_OTHER },
	{ NULL, 0, NULL, 0 },
};

#define MOST_ARGUMENTS 32

struct request {
	bool interfaces, dlts, config, capture;
	const char *interface, *filter, *fifo;
	const char *arguments[MOST_ARGUMENTS]; /* options of the stream view */
	int argument_count;
};

static bool add(struct request *request, const char *argument)
{
	if (request->argument_count == MOST_ARGUMENTS) {
		print_error("too many options");
		return false;
	}
	request->arguments[request->argument_count++] = argument;
	return true;
}

static bool take_option(struct request *request, int which, int index)
{
	static char names[MOST_ARGUMENTS][32];

	switch (which) {
	case EXTCAP_INTERFACES: request->interfaces = true; return true;
	case EXTCAP_INTERFACE: request->interface = optarg; return true;
	case EXTCAP_DLTS: request->dlts = true; return true;
	case EXTCAP_CONFIG: request->config = true; return true;
	case EXTCAP_FILTER: request->filter = optarg; return true;
	case EXTCAP_CAPTURE: request->capture = true; return true;
	case EXTCAP_FIFO: request->fifo = optarg; return true;
	case EXTCAP_IGNORED: return true;
	case EXTCAP_SNAP: return add(request, "-s") && add(request, optarg);
	case EXTCAP_OTHER:
		if (request->argument_count == MOST_ARGUMENTS)
			return add(request, optarg);
		snprintf(names[request->argument_count], sizeof names[0], "--%s", long_options[index].name);
		return add(request, names[request->argument_count]) && (!optarg || add(request, optarg));
	default:
		print_error("an unknown extcap option, or one without its argument");
		return false;
	}
}

static void print_interface(void *owner, const struct rtap_live_entry *entry)
{
	(void)owner;
	printf("interface {value=%s:%s}{display=rdmatap: %s%s%s}\n", entry->kind, entry->name, entry->name, *entry->description ? ", " : "",
	       entry->description);
}

static int list_interfaces(void)
{
	struct rtap_error error;

	printf("extcap {version=%s}\n", PACKAGE_VERSION);
	if (rtap_live_list(print_interface, NULL, &error) == RTAP_STATUS_OK)
		return EXIT_DONE;
	print_error("%s", error.text);
	return EXIT_ERROR;
}

/* The link type of a listed device. */
struct wanted {
	const char *name;
	uint32_t link_type; /* UINT32_MAX: not listed, or known only after opening */
};

static void take_link_type(void *owner, const struct rtap_live_entry *entry)
{
	struct wanted *wanted = owner;
	size_t kind = strlen(entry->kind);

	if (!strncmp(wanted->name, entry->kind, kind) && wanted->name[kind] == ':' && !strcmp(wanted->name + kind + 1, entry->name))
		wanted->link_type = entry->link_type;
}

/* Opening the device shows what the list does not contain; it need not be active now. */
static bool open_for_link_type(struct wanted *wanted)
{
	struct rtap_verbs_options verbs = { .size = sizeof verbs, .force = !strncmp(wanted->name, "verbs:", strlen("verbs:")) };
	struct rtap_live_options options = { .size = sizeof options, .verbs = &verbs };
	struct rtap_source *source;
	struct rtap_error error;

	if (rtap_source_open_live(&source, wanted->name, &options, &error) != RTAP_STATUS_OK) {
		print_error("%s", error.text);
		return false;
	}
	wanted->link_type = rtap_source_interface(source, 0)->link_type;
	rtap_source_close(source);
	return true;
}

static int list_link_types(const char *interface)
{
	struct wanted wanted = { interface, UINT32_MAX };
	struct rtap_error ignored;
	const char *name;

	/* a kind that cannot be listed reports why when it is opened */
	(void)!rtap_live_list(take_link_type, &wanted, &ignored);
	if (wanted.link_type == UINT32_MAX && !open_for_link_type(&wanted))
		return EXIT_ERROR;
	name = rtap_link_type_name(wanted.link_type);
	printf("dlt {number=%u}{name=%s}{display=%s}\n", wanted.link_type, name ? name : "UNKNOWN", name ? name :
	       "link type without a name");
	return EXIT_DONE;
}

static const char common_options[] =
	"arg {number=1}{call=--snap-length}{display=Snapshot length}{type=unsigned}{range=1,262144}"
	"{tooltip=Maximum number of bytes captured of each frame}\n"
	"arg {number=2}{call=--buffer-size}{display=Buffer}{type=string}{tooltip=Buffer for received packets, such as 64M}\n"
	"arg {number=3}{call=--queue-size}{display=Queue}{type=string}{tooltip=Memory for packets that wait to be written, such as 64M}\n";

static const char interface_options[] =
	"arg {number=0}{call=--no-promiscuous-mode}{display=No promiscuous mode}{type=boolflag}"
	"{tooltip=Capture only frames addressed to this machine}\n";

static const char verbs_options[] =
	"arg {number=4}{call=--flow}{display=Flow rule}{type=string}{tooltip=Capture only frames that match, such as: ipv4 src=10.0.0.1 udp dst=4791}\n"
	"arg {number=5}{call=--flow-type}{display=Rule type}{type=selector}{tooltip=Packets delivered to the capture and to the host}\n"
	"value {arg=5}{value=sniffer}{display=Copies of all packets}{default=true}\n"
	"value {arg=5}{value=normal}{display=Packets that match, not delivered to the host}{default=false}\n"
	"value {arg=5}{value=all}{display=Packets that match no other rule}{default=false}\n"
	"value {arg=5}{value=mc}{display=Multicast packets that match no other rule}{default=false}\n"
	"arg {number=6}{call=--flow-dont-trap}{display=Also deliver to the host}{type=boolflag}{tooltip=Packets that match rules in the device}\n"
	"arg {number=7}{call=--flow-offload}{display=Filter in the device}{type=boolflag}{tooltip=The part of the capture filter that the device supports}\n"
	"arg {number=8}{call=--peer}{display=Peer}{type=string}{tooltip=Capture only traffic of this host}\n"
	"arg {number=9}{call=--join}{display=Group}{type=string}{tooltip=Multicast group to join during the capture}\n"
	"arg {number=10}{call=--force}{display=Inactive port}{type=boolflag}{tooltip=Capture also on a port that is not active}\n"
	"arg {number=11}{call=--verbs}{display=Tuning}{type=string}{tooltip=Such as depth=4096,poll=busy; see rdmatap(1)}\n";

static int list_options(const char *interface)
{
	bool is_verbs = !strncmp(interface, "verbs:", strlen("verbs:"));

	fputs(is_verbs ? "" : interface_options, stdout);
	fputs(common_options, stdout);
	fputs(is_verbs ? verbs_options : "", stdout);
	return EXIT_DONE;
}

/* Print nothing for a valid filter. */
static int check_filter(const char *text)
{
	struct rtap_bpf *bpf;
	struct rtap_error error;

	if (rtap_bpf_open(&bpf, text, &error) != RTAP_STATUS_OK) {
		puts(error.text);
		return EXIT_ERROR;
	}
	rtap_bpf_close(bpf);
	return EXIT_DONE;
}

static int capture(struct request *request, char *program)
{
	struct options options;
	int status = EXIT_ERROR;
	char *arguments[MOST_ARGUMENTS + 1];

	if (!request->fifo) {
		print_error("--capture needs --fifo");
		return EXIT_ERROR;
	}
	if (!add(request, "-i") || !add(request, request->interface) || !add(request, "-w") || !add(request, request->fifo) ||
	    (request->filter && *request->filter && (!add(request, "-f") || !add(request, request->filter))))
		return EXIT_ERROR;
	arguments[0] = program;
	memcpy(arguments + 1, request->arguments, (size_t)request->argument_count * sizeof arguments[0]);
	optind = 0;
	if (options_parse(&options, COMMAND_VIEW, request->argument_count + 1, arguments)) {
		options.extcap = true;
		status = view_run(&options);
	}
	options_fini(&options);
	return status;
}

int command_extcap(int argc, char **argv)
{
	struct request request = { .interfaces = false };
	int which, index;

	opterr = 0;
	while ((which = getopt_long(argc, argv, ":", long_options, &index)) != -1)
		if (!take_option(&request, which, index))
			return EXIT_ERROR;
	if (request.interfaces)
		return list_interfaces();
	if (!request.interface) {
		print_error("--extcap-interface is missing");
		return EXIT_ERROR;
	}
	if (request.dlts)
		return list_link_types(request.interface);
	if (request.config)
		return list_options(request.interface);
	if (request.capture)
		return capture(&request, argv[0]);
	if (request.filter)
		return check_filter(request.filter);
	print_error("one of --extcap-interfaces, --extcap-dlts, --extcap-config, --capture is needed");
	return EXIT_ERROR;
}

bool is_extcap(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strncmp(argv[i], "--extcap-", 9) || !strcmp(argv[i], "--capture"))
			return true;
	return false;
}
