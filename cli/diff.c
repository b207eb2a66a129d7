/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap diff: what differs between two captures, or captures and canonical texts kept from before.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/canon.h"
#include "cli/cli.h"
#include "cli/diff.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "output/compare/canon_file.h"
#include "output/compare/canon_spool.h"
#include "output/compare/diff_show.h"
#include "output/packet/printer.h"

/* One of the two that are compared, as canonical text. */
struct input {
	const char *name;
	char *text;
	size_t length;
	bool mapped;
	struct canon_file file;
};

/* Bytes of a descriptor that is a file. An empty one has none, and no text. */
static bool map_text(struct input *input, int fd)
{
	struct stat found;
	void *text;

	if (fstat(fd, &found)) {
		print_error("%s: %s", input->name, strerror(errno));
		return false;
	}
	input->length = (size_t)found.st_size;
	if (!input->length)
		return true;
	text = mmap(NULL, input->length, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED) {
		print_error("%s: %s", input->name, strerror(errno));
		return false;
	}
	input->text = text;
	input->mapped = true;
	return true;
}

/*
 * Whether a name is that of canonical text. Only of a regular file: what comes through a pipe can be looked at once, and is taken
 * for a capture.
 */
static bool is_canonical(const char *name)
{
	char head[sizeof CANON_MAGIC];
	struct stat found;
	bool is = false;
	int fd;

	if (!strcmp(name, "-") || stat(name, &found) || !S_ISREG(found.st_mode))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	is = read(fd, head, sizeof head) == (ssize_t)sizeof head && canon_file_is(head, sizeof head);
	close(fd);
	return is;
}

/* What a comparison by these rules needs of a capture; with `frames`, where things stand too. False: memory is out. */
static bool form_for(const struct diff_rules *rules, bool frames, struct canon_options *form, const char ***names)
{
	size_t count = 0;

	*names = malloc((rules->tolerance_count + 1) * sizeof **names);
	if (!*names) {
		print_error("out of memory");
		return false;
	}
	for (size_t i = 0; i < rules->tolerance_count; i++) {
		struct canon_policy policy;

		if (!canon_policy_own(rules->tolerances[i].name, &policy) || policy.action == CANON_DROP)
			(*names)[count++] = rules->tolerances[i].name;
	}
	if (frames)
		(*names)[count++] = "frame";
	*form = (struct canon_options){ .level = rules->level, .keep = { *names, count } };
	return true;
}

/* Dissects a capture into a descriptor. The exit status. */
static int dissect(const struct options *options, const char *name, bool frames, int fd, const char *output)
{
	struct options one = *options;
	struct canon_options form;
	const char **names;
	bool cut;
	int status;

	if (!form_for(&options->diff.rules, frames, &form, &names))
		return EXIT_TROUBLE;
	one.inputs = &name;
	one.input_count = 1;
	status = canon_run(&one, &form, fd, output, &cut);
	free(names);
	/* reading is over, which is as good as an interrupt: but there is another file to read */
	interrupted = 0;
	if (status == EXIT_DONE && (cut || hurried)) {
		print_error("interrupted");
		status = EXIT_TROUBLE;
	}
	return status;
}

/* A file that goes when it is closed, or -1. */
static int open_temporary(void)
{
	int fd = spool_temporary();

	if (fd < 0)
		print_error("temporary file: %s (TMPDIR names another place)", strerror(-fd));
	return fd;
}

static bool load_capture(const struct options *options, struct input *input)
{
	int fd = open_temporary();
	bool good;

	if (fd < 0)
		return false;
	good = dissect(options, input->name, true, fd, "temporary file") == EXIT_DONE && map_text(input, fd);
	close(fd);
	return good;
}

static bool load(const struct options *options, struct input *input)
{
	bool good;
	int fd;

	if (!is_canonical(input->name))
		return load_capture(options, input);
	fd = open(input->name, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		print_error("%s: %s", input->name, strerror(errno));
		return false;
	}
	good = map_text(input, fd);
	close(fd);
	return good;
}

/* Another process, which dissects a capture. */
struct helper {
	pid_t process;  /* -1: there is none */
	int text, said; /* files: the canonical text, and what it complains of; -1: none */
};

/* Nothing is shared with what this process does meanwhile, but for signals from the terminal. */
static void helper_begin(struct helper *helper, const struct options *options, const char *name)
{
	helper->text = open_temporary();
	helper->said = helper->text < 0 ? -1 : open_temporary();
	helper->process = helper->said < 0 ? -1 : fork();
	if (helper->process)
		return;
	if (dup2(helper->said, STDERR_FILENO) < 0)
		_exit(EXIT_TROUBLE);
	_exit(dissect(options, name, true, helper->text, "temporary file"));
}

static void pass_on(int from)
{
	char block[4096];
	ssize_t n;

	lseek(from, 0, SEEK_SET);
	while ((n = read(from, block, sizeof block)) > 0)
		fwrite(block, 1, (size_t)n, stderr);
}

/* Its text becomes the input's. False: it had none; an error is printed. */
static bool helper_end(struct helper *helper, struct input *input)
{
	int status = 0;
	pid_t ended;

	while ((ended = waitpid(helper->process, &status, 0)) < 0 && errno == EINTR) {
		if (!interrupted)
			continue;
		interrupted = 0;
		kill(helper->process, SIGTERM);
	}
	helper->process = -1;
	pass_on(helper->said);
	if (ended > 0 && WIFEXITED(status))
		return WEXITSTATUS(status) == EXIT_DONE && map_text(input, helper->text);
	print_error("%s: could not be read: the process that does was ended", input->name);
	return false;
}

static void helper_fini(struct helper *helper)
{
	if (helper->process > 0) {
		kill(helper->process, SIGKILL);
		waitpid(helper->process, NULL, 0);
	}
	if (helper->text >= 0)
		close(helper->text);
	if (helper->said >= 0)
		close(helper->said);
}

/*
 * Two captures at the same time, each in one thread: what they tell has to be put in order by one thread each, so that more threads for
 * one of them gain little. Without a second process one comes after the other.
 */
static bool load_captures(const struct options *options, struct input inputs[2])
{
	struct helper helper = { .process = -1, .text = -1, .said = -1 };
	struct options alone = *options;
	bool good = false;

	alone.threads = 1;
	helper_begin(&helper, &alone, inputs[1].name);
	if (helper.process < 0)
		good = load_capture(options, &inputs[0]) && load_capture(options, &inputs[1]);
	else
		good = load_capture(&alone, &inputs[0]) && helper_end(&helper, &inputs[1]);
	helper_fini(&helper);
	return good;
}

static bool is_capture_file(const char *name)
{
	struct stat found;

	return strcmp(name, "-") && !stat(name, &found) && S_ISREG(found.st_mode) && !is_canonical(name);
}

static bool load_both(const struct options *options, struct input inputs[2])
{
	if (options->threads > 1 && !options->progress && is_capture_file(inputs[0].name) && is_capture_file(inputs[1].name))
		return load_captures(options, inputs);
	return load(options, &inputs[0]) && load(options, &inputs[1]);
}

static void unload(struct input *input)
{
	canon_file_fini(&input->file);
	if (input->mapped)
		munmap(input->text, input->length);
}

/* Of captures with fewer messages nothing can be said. */
#define FEW_LINES 20

static void hint(const struct diff_totals *totals)
{
	uint64_t lines = totals->a_lines > totals->b_lines ? totals->a_lines : totals->b_lines;

	if (lines >= FEW_LINES && totals->kinds[DIFF_SAME] < lines / 10)
		print_error("less than a tenth of the messages is the same: these are hardly captures of the same workload");
	if (totals->kinds[DIFF_CONNECTION_REMOVED] && totals->kinds[DIFF_CONNECTION_ADDED])
		print_error("connections without a counterpart on both sides: transport, service and addresses must be the same"
			 " (--map OLD=NEW for other addresses, --ignore service for other services)");
}

static int compare(const struct options *options, struct input inputs[2], struct canon_treatments *treatments)
{
	struct diff_totals totals;
	struct diff_show show;
	struct printer printer;
	int error;

	if (printer_init(&printer, STDOUT_FILENO, false)) {
		print_error("out of memory");
		return EXIT_TROUBLE;
	}
	if (options->json)
		diff_show_json(&show, &printer, inputs[0].name, inputs[1].name);
	else if (options->diff.stat)
		diff_show_stat(&show, &printer, inputs[0].name, inputs[1].name);
	else
		diff_show_text(&show, &printer, inputs[0].name, inputs[1].name);
	error = diff_compare(&inputs[0].file, &inputs[1].file, treatments, &show.form, &totals);
	if (!error)
		error = diff_show_end(&show, &totals);
	if (!error)
		error = printer_flush(&printer);
	diff_show_fini(&show);
	printer_fini(&printer);
	/* a reader that has gone has seen a difference */
	if (error && error != -EPIPE) {
		print_error("standard output: %s", strerror(-error));
		return EXIT_TROUBLE;
	}
	if (error)
		return EXIT_NO;
	hint(&totals);
	return diff_differs(&totals) ? EXIT_NO : EXIT_DONE;
}

/* One of the texts being read. */
struct reading {
	struct input *input;
	bool map;                  /* addresses are mapped */
	size_t most_lines;         /* that are taken: what is kept of them is bounded */
	struct canon_treatments treatments;
	struct rtap_error error;
	bool good;
};

static void *read_text(void *argument)
{
	struct reading *reading = argument;
	const struct input *input = reading->input;
	struct canon_text text = {
		.name = input->name, .text = input->text ? input->text : "", .length = input->length, .is_mapped = input->mapped,
		.map = reading->map, .most_lines = reading->most_lines,
	};

	reading->good = canon_file_read(&reading->input->file, &text, &reading->treatments, &reading->error) == RTAP_STATUS_OK;
	return NULL;
}

/* Both at the same time, with half of the memory each. False: one after the other may do, or tells what is wrong. */
static bool read_at_once(struct reading readings[2], size_t most_lines)
{
	pthread_t other;

	if (most_lines < 2)
		return false;
	readings[0].most_lines = readings[1].most_lines = most_lines / 2;
	if (pthread_create(&other, NULL, read_text, &readings[1]))
		return false;
	read_text(&readings[0]);
	pthread_join(other, NULL);
	if (readings[0].good && readings[1].good)
		return true;
	for (int i = 0; i < 2; i++) {
		canon_file_fini(&readings[i].input->file);
		readings[i].input->file = (struct canon_file){ .text = NULL };
	}
	return false;
}

static bool read_in_turn(struct reading readings[2], size_t most_lines)
{
	for (int i = 0; i < 2; i++) {
		/* 0 would be any number */
		readings[i].most_lines = most_lines ? most_lines : 1;
		read_text(&readings[i]);
		if (!readings[i].good) {
			print_error("%s", readings[i].error.text);
			return false;
		}
		most_lines -= canon_file_lines(&readings[i].input->file);
	}
	return true;
}

static int run(const struct options *options)
{
	struct input inputs[2] = { { .name = options->inputs[0] }, { .name = options->inputs[1] } };
	struct reading readings[2] = {
		{ .input = &inputs[0], .map = true, .treatments.rules = &options->diff.rules },
		{ .input = &inputs[1], .treatments.rules = &options->diff.rules },
	};
	size_t most_lines = (size_t)(options->max_memory / CANON_LINE_MEMORY);
	int status = EXIT_TROUBLE;

	if (load_both(options, inputs) &&
	    ((options->threads > 1 && read_at_once(readings, most_lines)) || read_in_turn(readings, most_lines)))
		status = compare(options, inputs, &readings[0].treatments);
	for (int i = 0; i < 2; i++) {
		unload(&inputs[i]);
		canon_treatments_fini(&readings[i].treatments);
	}
	return status;
}

/* The golden file is written beside its place and then put there, so that it is never half there. */
static int update(const struct options *options)
{
	const char *golden = options->inputs[0];
	size_t length = strlen(golden);
	struct stat found;
	char *temporary;
	int fd, status = EXIT_TROUBLE;
	mode_t mask = umask(0);

	umask(mask);
	if (!stat(golden, &found) && !is_canonical(golden) && found.st_size) {
		print_error("%s: not canonical text: not overwritten", golden);
		return EXIT_TROUBLE;
	}
	temporary = malloc(length + sizeof ".XXXXXX");
	if (!temporary) {
		print_error("out of memory");
		return EXIT_TROUBLE;
	}
	memcpy(temporary, golden, length);
	strcpy(temporary + length, ".XXXXXX");
	fd = mkstemp(temporary);
	if (fd < 0) {
		print_error("%s: %s", golden, strerror(errno));
		free(temporary);
		return EXIT_TROUBLE;
	}
	if (dissect(options, options->inputs[1], false, fd, golden) != EXIT_DONE)
		goto out;
	if (fchmod(fd, 0666 & ~mask) || fsync(fd) || rename(temporary, golden))
		print_error("%s: %s", golden, strerror(errno));
	else
		status = EXIT_DONE;
out:
	close(fd);
	if (status != EXIT_DONE)
		unlink(temporary);
	free(temporary);
	return status;
}

int command_diff(int argc, char **argv)
{
	struct options options;
	int status = EXIT_TROUBLE;

	hurried_status = EXIT_TROUBLE;
	if (!options_parse(&options, COMMAND_DIFF, argc, argv))
		goto out;
	if (options.input_count != 2)
		print_error("diff: takes two files (captures, or what rdmatap canon wrote)");
	else if (options.json && options.diff.stat)
		print_error("--json and --stat: give one of them");
	else if (options.diff.update && (options.json || options.diff.stat))
		print_error("--update tells no differences: it goes without --json and --stat");
	else if (options.diff.update)
		status = update(&options);
	else
		status = run(&options);
out:
	options_fini(&options);
	return status;
}
