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

#include "cli/canon.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/devices.h"
#include "cli/diff.h"
#include "cli/export.h"
#include "cli/extcap.h"
#include "cli/fields.h"
#include "cli/help.h"
#include "cli/list.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/replay.h"
#include "cli/report.h"
#include "cli/stats.h"
#include "cli/view.h"

/* Processor time that the program may still take when it was asked to end, and when it was asked to be quick. */
#define END_WITHIN_US 600000
#define HURRY_WITHIN_US 200000

/* By processor time: an output that takes no more is no reason to throw away what is written there. */
static void limit_work(suseconds_t within_us)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_usec = within_us }, NULL);
}

/* The first asks for an end, the second for a quick one; if even that hangs, at an output that takes no more, further ones kill. */
static void interrupt(int signal_number)
{
	if (hurried)
		signal(signal_number, SIG_DFL);
	hurried = interrupted;
	interrupted = 1;
	limit_work(hurried ? HURRY_WITHIN_US : END_WITHIN_US);
}

/* It still works: it has to be quick, and is ended if it cannot be, as in the midst of compiling a filter. */
static void hurry(int signal_number)
{
	static const char text[] = "rdmatap: interrupted: what was left to do is not done\n";

	(void)signal_number;
	if (hurried && !finishes_files) {
		(void)!write(STDERR_FILENO, text, sizeof text - 1);
		_exit(hurried_status);
	}
	hurried = interrupted = 1;
	limit_work(HURRY_WITHIN_US);
}

/* A closed pipe is told by the write that fails, an interrupt by the loop that looks. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = interrupt }, before;

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A terminal that goes away must not cost what was captured; nohup(1) wants it to go on. */
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	action.sa_handler = hurry;
	sigaction(SIGPROF, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

/*
 * A file opened while descriptor 1 is closed would become standard output and be printed into. So closed ones are
 * taken, the wrong way round: using them fails as it would have.
 */
static bool take_closed_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

/* What was printed by stdio has reached its file, or nobody reads it any more. */
static int finish_standard_output(int status)
{
	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
		return status;
	print_error("standard output: %s", errno ? strerror(errno) : "cannot be written");
	return EXIT_TROUBLE;
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
	int status = EXIT_TROUBLE;

	if (options_parse(&options, COMMAND_VIEW, argc, argv))
		status = options.list_devices ? list_run() : view_run(&options);
	options_fini(&options);
	return status;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "canon", command_canon },
	{ "connections", command_connections },
	{ "devices", command_devices },
	{ "diff", command_diff },
	{ "export", command_export },
	{ "fields", command_fields },
	{ "messages", command_messages },
	{ "replay", command_replay },
	{ "report", command_report },
	{ "stats", command_stats },
};

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
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return view(argc, argv);
}

int main(int argc, char **argv)
{
	if (!take_closed_descriptors())
		return EXIT_TROUBLE;
	catch_signals();
	return finish_standard_output(run(argc, argv));
}
