/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <pcap/pcap.h>
#include <zlib.h>

#include "base/memory.h"
#include "cli/canon.h"
#include "cli/check.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/devices.h"
#include "cli/diff.h"
#include "cli/export.h"
#include "cli/extcap.h"
#include "cli/fields.h"
#include "cli/foreign_options.h"
#include "cli/help.h"
#include "cli/join.h"
#include "cli/list.h"
#include "cli/messages.h"
#include "cli/operations.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/recorder.h"
#include "cli/replay.h"
#include "cli/report.h"
#include "cli/stats.h"
#include "cli/top.h"
#include "cli/view.h"
#include "cli/why.h"

/* Processor time that remains after an interrupt, and after a request to abort. */
#define END_WITHIN_US 600000
#define ABORT_WITHIN_US 200000

/* Larger blocks, kept, would fragment memory. A SEND that is reassembled has up to 512 KB. */
#define LARGE_BLOCK (512 << 10)
#define MOST_UNUSED (2 << 20)

/* Limits processor time, not elapsed time: blocked output must not be discarded. */
static void limit_work(suseconds_t within_us)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_usec = within_us }, NULL);
}

/* The first signal requests an end, the second a quick one; further ones kill the program, in case it is blocked on output. */
static void interrupt(int signal_number)
{
	if (aborted)
		signal(signal_number, SIG_DFL);
	aborted = interrupted;
	interrupted = 1;
	limit_work(aborted ? ABORT_WITHIN_US : END_WITHIN_US);
}

/* The time limit expired: abort the output, or exit if the program cannot, for example while it compiles a filter. */
static void expire(int signal_number)
{
	static const char text[] = "rdmatap: interrupted: the output is incomplete\n";

	(void)signal_number;
	if (aborted && !finishes_files) {
		(void)!write(STDERR_FILENO, text, sizeof text - 1);
		_exit(aborted_status);
	}
	aborted = interrupted = 1;
	limit_work(ABORT_WITHIN_US);
}

static void want_counts(int signal_number)
{
	(void)signal_number;
	counts_wanted = true;
}

static void want_incident(int signal_number)
{
	(void)signal_number;
	incident_wanted = 1;
}

/* A closed pipe is reported by the failed write; loops check for interrupts. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = interrupt }, before;

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* Closing the terminal must not lose captured data; under nohup(1) the program continues. */
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	sigaction(SIGALRM, &action, NULL); /* -a duration */
	action.sa_handler = expire;
	sigaction(SIGPROF, &action, NULL);
	action.sa_handler = want_counts;
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	action.sa_handler = want_incident;
	sigaction(SIGUSR2, &action, NULL);
	action.sa_flags = 0;
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

/*
 * A file opened while descriptor 1 is closed would become standard output. So closed standard descriptors are opened, with the opposite
 * access mode: using them fails as before.
 */
static bool take_closed_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

/* Flushes stdio's output; a closed pipe is not an error. */
static int finish_standard_output(int status)
{
	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
		return status;
	print_error("standard output: %s", errno ? strerror(errno) : "cannot be written");
	return EXIT_ERROR;
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
	int status = EXIT_ERROR;

	if (options_parse(&options, COMMAND_VIEW, argc, argv))
		status = options.list_devices ? list_run() : options.recorder.given ? recorder_run(&options) : view_run(&options);
	options_fini(&options);
	return status;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "canon", command_canon },
	{ "check", command_check },
	{ "connections", command_connections },
	{ "devices", command_devices },
	{ "diff", command_diff },
	{ "export", command_export },
	{ "fields", command_fields },
	{ "join", command_join },
	{ "messages", command_messages },
	{ "operations", command_operations },
	{ "ops", command_operations },
	{ "replay", command_replay },
	{ "report", command_report },
	{ "stats", command_stats },
	{ "top", command_top },
	{ "why", command_why },
};

static const char *command_name(size_t index)
{
	return index < sizeof commands / sizeof commands[0] ? commands[index].name : NULL;
}

/* rdmatap help [COMMAND] */
static int show_help(const char *command)
{
	if (!command || !strcmp(command, "help")) {
		options_help(stdout);
	} else if (!command_help(command)) {
		foreign_print_unknown(command, command_name);
		return EXIT_ERROR;
	}
	return EXIT_DONE;
}

static int run(int argc, char **argv)
{
	bool help = false;

	if (is_extcap(argc, argv))
		return command_extcap(argc, argv);
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--version"))
			return version();
		if (!strcmp(argv[i], "--print-options"))
			return completion_run();
		help |= !strcmp(argv[i], "--help") || !strcmp(argv[i], "-h");
	}
	if (help) {
		if (!command_help(argv[1]))
			options_help(stdout);
		return EXIT_DONE;
	}
	if (argc > 1 && !strcmp(argv[1], "help"))
		return show_help(argv[2]);
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (argc > 1 && argv[1][0] != '-') {
		foreign_print_unknown(argv[1], command_name);
		return EXIT_ERROR;
	}
	return view(argc, argv);
}

int main(int argc, char **argv)
{
	if (!take_closed_descriptors())
		return EXIT_ERROR;
	catch_signals();
	memory_keep_freed(LARGE_BLOCK, MOST_UNUSED);
	return finish_standard_output(run(argc, argv));
}
