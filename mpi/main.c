/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap-mpi: commands of rdmatap over many captures on the ranks of an MPI job.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

#include "base/memory.h"
#include "cli/check.h"
#include "cli/cli.h"
#include "cli/feed.h"
#include "cli/join.h"
#include "cli/messages.h"
#include "cli/option_values.h"
#include "cli/operations.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/report.h"
#include "cli/stats.h"
#include "mpi/exchange.h"
#include "mpi/facts.h"
#include "mpi/inputs.h"
#include "mpi/ranks.h"
#include "mpi/records.h"
#include "mpi/split.h"
#include "mpi/survey.h"
#include "mpi/verdicts.h"

#define SPLIT (UINT64_C(256) << 20) /* default of --split */
#define LEAST_SPLIT 1024
#define PARTS_A_ROUND 16
#define LARGE_BLOCK (4 << 20)        /* that is returned to the system when it is freed */
#define MOST_UNUSED (32 << 20)       /* bytes of freed smaller blocks that are kept, for the next round */
#define USUAL_GAP_NS INT64_C(30000000000) /* half of the default of --give-up, as with others */

static const struct known_command {
	const char *name;
	enum command command;
	int (*run)(int argc, char **argv);
	bool (*is_spread)(const struct options *options); /* whether all ranks analyse; NULL: rank 0 does */
	unsigned counting; /* as in struct input_division, if they do; measured with two ranks and 10 million small packets of 64 hosts */
} commands[] = {
	{ "check", COMMAND_CHECK, command_check, verdicts_can_keep, 0 },
	{ "connections", COMMAND_CONNECTIONS, command_connections, records_can_keep, 0 },
	{ "join", COMMAND_JOIN, command_join, facts_can_join, 500 },
	{ "messages", COMMAND_MESSAGES, command_messages, records_can_keep, 0 },
	{ "operations", COMMAND_OPERATIONS, command_operations, records_can_keep, 0 },
	{ "report", COMMAND_REPORT, command_report, NULL, 0 },
	{ "stats", COMMAND_STATS, command_stats, facts_can_keep, 50 },
};

static const char help_text[] =
	"usage: mpirun [MPIRUN OPTIONS] rdmatap-mpi COMMAND [OPTIONS] DIRECTORY|LIST|FILE...\n"
	"\n"
	"Runs a command of rdmatap over many captures on the ranks of an MPI job. The output is that of `rdmatap COMMAND [OPTIONS] FILE...`.\n"
	"\n"
	"commands (rdmatap-COMMAND(1) describes their options)\n"
	"  check        check packets against the rules of the standards\n"
	"  connections  list connections with their setup and teardown\n"
	"  join         report what was lost and delayed between capture points\n"
	"  messages     list messages\n"
	"  operations   list operations of upper layers\n"
	"  report       write a page with tables and plots\n"
	"  stats        print counts, latencies and findings\n"
	"\n"
	"inputs\n"
	"  DIRECTORY    all captures in it, by name\n"
	"  LIST         a file NAME.list or NAME.txt with the name of a capture on each line\n"
	"  FILE         a capture\n"
	"\n"
	"further options\n"
	"  --apart      analyse each pair of hosts alone, also those of a job of NCCL\n"
	"  --output FILE  write the output to a file; of messages, operations and connections all ranks write it\n"
	"  --ranks      print on standard error what each rank read, analysed and sent\n"
	"  --split SIZE divide captures that are not compressed and have at least SIZE bytes among all ranks (default: 256M)\n"
	"\n"
	"--max-memory and --threads (default: 1) count for each rank. rdmatap-mpi(1) has more.\n";

struct job {
	const struct known_command *command;
	struct options options;     /* as given: inputs are not looked up */
	struct inputs inputs;
	struct source_clock *clocks;
	struct exchange *exchange;
	struct records *records;    /* lists; NULL: none */
	struct facts *facts;        /* statistics, join; NULL: none */
	struct verdicts *verdicts;  /* violations; NULL: none */
	struct feed feed;
	int rank, ranks;
	bool prints_ranks;          /* --ranks */
	bool apart;                 /* --apart */
	const char *output;         /* --output; NULL: standard output */
	bool may_use_threads;       /* MPI can be called by any of them */
	unsigned threads;           /* --threads, if given */
	uint64_t split;             /* bytes of a file from which on it is split */
	bool is_spread;
};

/* Opens /dev/null in place of a standard descriptor. */
static void silence(int descriptor)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nowhere < 0)
		return;
	dup2(nowhere, descriptor);
	close(nowhere);
}

/* Opens a file in place of standard output; others may write to it, too. What it has is kept until the inputs are known. */
static bool print_to(const char *name)
{
	int file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	if (file >= 0 && dup2(file, STDOUT_FILENO) >= 0) {
		close(file);
		return true;
	}
	print_error("%s: %s", name, strerror(errno));
	if (file >= 0)
		close(file);
	return false;
}

/* Ranks other than 0 find the same faults of the command line. */
static bool parse(struct job *job, int argc, char **argv)
{
	int standard_error = dup(STDERR_FILENO);
	bool parsed;

	if (job->rank)
		silence(STDERR_FILENO);
	parsed = options_parse(&job->options, job->command->command, argc, argv);
	if (parsed && job->options.device) {
		print_error("-i: rdmatap-mpi reads files");
		parsed = false;
	}
	if (parsed && (size_t)(argc - optind) != job->options.input_count) {
		print_error("-r: name captures after the options");
		parsed = false;
	}
	if (parsed && (job->options.capture_filter || job->options.count)) {
		print_error("-f and -c: rdmatap-mpi has neither (rdmatap -w writes the packets that are wanted to a file)");
		parsed = false;
	}
	dup2(standard_error, STDERR_FILENO);
	close(standard_error);
	return parsed;
}

/* The arguments with the files in place of what was given. */
static char **expand_arguments(const struct job *job, char **argv, int *count)
{
	static char end_of_options[] = "--";
	char **expanded = ranks_get((size_t)optind + job->inputs.count + 1, sizeof *expanded);

	*count = 0;
	for (int i = 0; i < optind; i++)
		if (strcmp(argv[i], "--"))
			expanded[(*count)++] = argv[i];
	expanded[(*count)++] = end_of_options;
	for (size_t i = 0; i < job->inputs.count; i++)
		expanded[(*count)++] = job->inputs.names[i];
	return expanded;
}

/* Finds out how the clocks of the files differ. False: out of memory. */
static bool find_clocks(struct job *job, const struct options *options)
{
	uint64_t *partners = calloc(job->inputs.count + 1, sizeof *partners);

	job->clocks = calloc(job->inputs.count, sizeof *job->clocks);
	if (!job->clocks || !partners) {
		free(partners);
		return false;
	}
	if (!survey_clocks(options, job->inputs.surveyors, job->clocks, partners)) {
		free(job->clocks);
		job->clocks = NULL;
	}
	if (job->is_spread)
		inputs_place_together(&job->inputs, partners, job->command->counting);
	free(partners);
	return true;
}

static bool open_exchange(struct job *job, const struct options *options)
{
	job->exchange = exchange_create(&(struct exchange_options){
		.names = options->inputs, .count = options->input_count, .readers = job->inputs.readers, .splits = job->inputs.splits, .clocks = job->clocks,
		.gap_ns = options->give_up_ns ? (int64_t)options->give_up_ns / 2 : USUAL_GAP_NS, .gathers = !job->is_spread, .apart = job->apart,
		.counting = job->command->counting, .max_memory = options->max_memory,
	});
	if (!job->exchange)
		return false;
	job->feed = (struct feed){ .source = exchange_feed(job->exchange), .clocks = job->clocks, .threads = job->threads, .is_silent = job->rank };
	if (!job->is_spread)
		return exchange_open_files(job->exchange), true;
	if (job->command->command == COMMAND_STATS || job->command->command == COMMAND_JOIN) {
		job->facts = facts_create(job->exchange);
		if (!job->facts)
			return false;
		facts_set_feed(job->facts, &job->feed);
		/* what was found is passed before the next frames are read */
		job->feed.threads = 1;
	} else if (job->command->command == COMMAND_CHECK) {
		job->verdicts = verdicts_create(job->exchange);
		if (!job->verdicts)
			return false;
		verdicts_set_feed(job->verdicts, &job->feed);
	} else {
		job->records = records_create(job->exchange, job->output);
		if (!job->records)
			return false;
		records_set_feed(job->records, &job->feed);
	}
	return exchange_open_files(job->exchange), true;
}

static void print_rank(const struct job *job)
{
	struct exchange_counters counters = exchange_counters(job->exchange);
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	print_error("rank %d: read %" PRIu64 " frames, %" PRIu64 " bytes, in %.3f s; analysed %" PRIu64 " frames, %" PRIu64 " bytes; sent %" PRIu64
		    " frames, %" PRIu64 " bytes; %" PRIu64 " rounds, numbering %.3f s, moving %.3f s; processor time %.3f s, peak memory %ld KB",
		    job->rank, counters.read_frames, counters.read_bytes, counters.reading_s, counters.taken_frames, counters.taken_bytes,
		    counters.sent_frames, counters.sent_bytes, counters.rounds, counters.numbering_s, counters.moving_s,
		    (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6, used.ru_maxrss);
	for (size_t i = 0; i < job->inputs.count; i++)
		if (job->inputs.splits[i])
			print_error("rank %d: %s: a stretch of %" PRIu64 " bytes%s", job->rank, job->inputs.names[i], split_bytes(job->inputs.splits[i]),
				    split_was_wrong(job->inputs.splits[i]) ? ", read again" : "");
	if (job->facts)
		print_error("rank %d: passed %" PRIu64 " bytes of facts; counted for %.3f s", job->rank, facts_bytes(job->facts),
			    facts_counting_s(job->facts));
}

/* The command over the files, on this rank. */
static int run_command(struct job *job, const struct options *options, int argc, char **argv)
{
	int status = EXIT_DONE, worst;

	if (!find_clocks(job, options) || !open_exchange(job, options))
		ranks_lack_memory();
	feed = &job->feed;
	/* all ranks print headers; only those of rank 0 are wanted */
	if (job->rank)
		silence(STDOUT_FILENO);
	optind = 0;
	if (job->is_spread || !job->rank)
		status = job->command->run(argc, argv);
	/* the others wait for what this one has */
	if (job->is_spread && !job->feed.is_delivered)
		ranks_give_up("a rank cannot run the command: the job ends");
	exchange_serve(job->exchange);
	if (job->prints_ranks)
		print_rank(job);
	if (exchange_has_failed(job->exchange))
		status = EXIT_ERROR;
	MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (worst == EXIT_DONE && job->inputs.unreadable)
		worst = EXIT_NO;
	return worst;
}

/* Whether an option is given; abbreviated names and values of other options count, too. */
static bool has_option(int argc, char **argv, const char *option)
{
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], option, strlen(option)))
			return true;
	return false;
}

/* Collective: rank 0 opens the file of --output. */
static bool open_output(const struct job *job)
{
	return ranks_agree(job->rank || !job->output || print_to(job->output));
}

/* Collective: rank 0 empties the file of --output, unless it is an input. */
static bool begin_output(const struct job *job, const struct options *options)
{
	struct stat file;
	bool begun = true;

	if (!job->rank && job->output) {
		begun = !reader_would_overwrite(options);
		/* a device or pipe has no size */
		if (begun && !fstat(STDOUT_FILENO, &file) && S_ISREG(file.st_mode) && ftruncate(STDOUT_FILENO, 0)) {
			print_error("%s: %s", job->output, strerror(errno));
			begun = false;
		}
	}
	return ranks_agree(begun);
}

static bool find_inputs(struct job *job)
{
	uint64_t window = exchange_window(!job->is_spread, job->options.max_memory);
	/* several parts of a rank make a round, so that few frames wait for those of other ranks */
	const struct input_division division = {
		.least = job->split, .piece = window / PARTS_A_ROUND < job->split ? window / PARTS_A_ROUND : job->split,
		.counting = job->is_spread ? job->command->counting : 0,
	};

	return inputs_find(&job->inputs, job->options.inputs, job->options.input_count, &division);
}

static int run(struct job *job, int argc, char **argv)
{
	struct options options;
	char **expanded;
	int status = EXIT_ERROR, count;
	bool parsed = parse(job, argc, argv);

	if (!ranks_agree(parsed)) {
		if (!job->rank && parsed)
			print_error("another rank refuses the options (a file that they name must be on all machines)");
		return EXIT_ERROR;
	}
	job->threads = has_option(argc, argv, "--threads") && job->may_use_threads ? job->options.threads : 1;
	job->is_spread = job->ranks > 1 && job->command->is_spread && job->command->is_spread(&job->options);
	if (!open_output(job) || !find_inputs(job))
		return EXIT_ERROR;
	expanded = expand_arguments(job, argv, &count);
	optind = 0;
	if (ranks_agree(options_parse(&options, job->command->command, count, expanded)) && begin_output(job, &options))
		status = run_command(job, &options, count, expanded);
	options_fini(&options);
	free(expanded);
	return status;
}

static const struct known_command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Whether an argument is the option, with its value: after '=' or the next argument, which *at then is. */
static bool is_option(const char *option, const char **value, int *at, int argc, char **argv)
{
	size_t length = strlen(option);

	if (strncmp(argv[*at], option, length) || (argv[*at][length] && argv[*at][length] != '='))
		return false;
	*value = argv[*at][length] ? argv[*at] + length + 1 : *at + 1 < argc ? argv[++*at] : "";
	return true;
}

/* Removes --apart, --ranks, --output FILE and --split SIZE from the arguments. False: an error was printed. */
static bool take_own_options(struct job *job, int *argc, char **argv)
{
	const char *split = NULL;
	int kept = 0;

	for (int i = 0; i < *argc; i++) {
		if (!strcmp(argv[i], "--ranks"))
			job->prints_ranks = true;
		else if (!strcmp(argv[i], "--apart"))
			job->apart = true;
		else if (!is_option("--split", &split, &i, *argc, argv) && !is_option("--output", &job->output, &i, *argc, argv))
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	*argc = kept;
	job->split = SPLIT;
	if (job->output && !*job->output) {
		if (!job->rank)
			print_error("--output: no name of a file");
		return false;
	}
	if (!split || (option_size_parse(split, &job->split) && job->split >= LEAST_SPLIT))
		return true;
	if (!job->rank)
		print_error("--split %s: not a size of at least 1K (examples: 100M, 2G)", split);
	return false;
}

static int start(struct job *job, int argc, char **argv)
{
	int status;

	if (!take_own_options(job, &argc, argv))
		return EXIT_ERROR;
	job->command = argc > 1 ? find_command(argv[1]) : NULL;
	if (!job->command) {
		if (!job->rank && argc > 1)
			print_error("%s: no such command of rdmatap-mpi (check, connections, join, messages, operations, report, stats)", argv[1]);
		else if (!job->rank)
			print_error("no command (see rdmatap-mpi --help)");
		return EXIT_ERROR;
	}
	status = run(job, argc - 1, argv + 1);
	options_fini(&job->options);
	records_destroy(job->records);
	facts_destroy(job->facts);
	verdicts_destroy(job->verdicts);
	exchange_destroy(job->exchange);
	inputs_fini(&job->inputs);
	free(job->clocks);
	return status;
}

int main(int argc, char **argv)
{
	static struct job job;
	int provided, status;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return fputs(help_text, stdout) < 0 || fflush(stdout) ? EXIT_ERROR : EXIT_DONE;
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--version"))
			return printf("rdmatap-mpi %s\n", PACKAGE_VERSION) < 0 || fflush(stdout) ? EXIT_ERROR : EXIT_DONE;
	/* mpirun gives the ranks terminals of its own: whether its output goes to one is not known */
	setenv("NO_COLOR", "1", 0);
	memory_keep_freed(LARGE_BLOCK, MOST_UNUSED);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
	job.may_use_threads = provided >= MPI_THREAD_SERIALIZED;
	MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
	status = start(&job, argc, argv);
	fflush(stdout);
	MPI_Finalize();
	return status;
}
