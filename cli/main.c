/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <signal.h>
#include <string.h>

#include <pcap/pcap.h>
#include <zlib.h>

#include "cli/cli.h"

static void interrupt(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

/* A closed pipe is told by the write that fails, an interrupt by the loop that looks. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = interrupt };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

static int version(void)
{
	printf("rdmatap %s\n%s\nzlib %s\n", PACKAGE_VERSION, pcap_lib_version(), zlibVersion());
#ifdef HAVE_ISAL
	printf("ISA-L: yes\n");
#else
	printf("ISA-L: no (CRCs by zlib)\n");
#endif
	return EXIT_DONE;
}

static int view(int argc, char **argv)
{
	struct options options;
	int status = options_parse(&options, argc, argv) ? view_run(&options) : EXIT_TROUBLE;

	options_fini(&options);
	return status;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "fields", command_fields },
};

int main(int argc, char **argv)
{
	catch_signals();
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--version"))
			return version();
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			options_help(stdout);
			return EXIT_DONE;
		}
	}
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return view(argc, argv);
}
