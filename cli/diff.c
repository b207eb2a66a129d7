/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap diff: compares two captures, or captures and stored canonical texts.
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

/* One of the two inputs, as canonical text. */
struct input {
	const char *name;
	char *text;
	size_t length;
	bool mapped;
	struct canon_file file;
};

/* Maps the contents of a file. An empty file has no text. */
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
 * Whether the file is canonical text. Regular files only: a pipe can be read only once and is treated as a capture.
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

/* Sets `form` to the values that a comparison with these rules needs; with `frames` also frame numbers. False: out of memory. */
static bool form_for(const struct diff_rules *rules, bool frames, struct canon_options *form, const char ***names)
{
	size_t count = 0;

	*names = malloc((rules->tolerance_count + rules->keep.count + 1) * sizeof **names);
	if (!*names) {
		print_error("out of memory");
		return false;
	}
	for (size_t i = 0; i < rules->tolerance_count; i++) {
		struct canon_policy policy;

		if (!canon_policy_own(rules->tolerances[i].name, &policy) || policy.action == CANON_DROP)
			(*names)[count++] = rules->tolerances[i].name;
	}
	for (size_t i = 0; i < rules->keep.count; i++)
		(*names)[count++] = rules->keep.names[i];
	if (frames)
		(*names)[count++] = "frame";
	*form = (struct canon_options){ .level = rules->level, .keep = { *names, count } };
	return true;
}

/* Writes the canonical text of a capture to a descriptor. Returns the exit status. */
static int dissect(const struct options *options, const char *name, bool frames, int fd, const char *output)
{
	struct options one = *options;
	struct canon_options form;
	const char **names;
	bool cut;
	int status;

	if (!form_for(&options->diff.rules, frames, &form, &names))
		return EXIT_ERROR;
	one.inputs = &name;
	one.input_count = 1;
	status = canon_run(&one, &form, fd, output, &cut);
	free(names);
	/* end of reading sets `interrupted`; clear it to read the next file */
	interrupted = 0;
	if (status == EXIT_DONE && (cut || aborted)) {
		print_error("interrupted");
		status = EXIT_ERROR;
	}
	return status;
}

/* Creates a file that is deleted when closed. Returns -1 on failure. */
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

/* A child process that dissects a capture. */
struct helper {
	pid_t process;  /* -1: none */
	int text, errors; /* files: the canonical text, and the errors printed; -1: none */
};

/* The child shares nothing with the parent except signals from the terminal. */
static void helper_begin(struct helper *helper, const struct options *options, const char *name)
{
	helper->text = open_temporary();
	helper->errors = helper->text < 0 ? -1 : open_temporary();
	helper->process = helper->errors < 0 ? -1 : fork();
	if (helper->process)
		return;
	if (dup2(helper->errors, STDERR_FILENO) < 0)
		_exit(EXIT_ERROR);
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

/* Moves the child's text to the input. False: the child produced none; an error was printed. */
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
	pass_on(helper->errors);
	if (ended > 0 && WIFEXITED(status))
		return WEXITSTATUS(status) == EXIT_DONE && map_text(input, helper->text);
	print_error("%s: could not be read: the process that read it was killed", input->name);
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
	if (helper->errors >= 0)
		close(helper->errors);
}

/*
 * Dissects two captures in parallel, one thread each: their records must be ordered by one thread each, so more threads per capture gain
 * little. Without a second process they are dissected one after the other.
 */
static bool load_captures(const struct options *options, struct input inputs[2])
{
	struct helper helper = { .process = -1, .text = -1, .errors = -1 };
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

/* The fewest messages per capture for a meaningful result. */
#define FEW_LINES 20

static void hint(const struct diff_totals *totals)
{
	uint64_t lines = totals->a_lines > totals->b_lines ? totals->a_lines : totals->b_lines;

	if (lines >= FEW_LINES && totals->kinds[DIFF_SAME] < lines / 10)
		print_error("less than 10 %% of the messages are equal: these are probably not captures of the same workload");
	if (totals->kinds[DIFF_CONNECTION_REMOVED] && totals->kinds[DIFF_CONNECTION_ADDED])
		print_error("connections without a counterpart on both sides: transport, service and addresses must be the same"
			 " (--map OLD=NEW for other addresses, --ignore service for other services)");
}

static int compare(const struct options *options, struct input inputs[2], struct canon_treatments *treatments)
{
	struct diff_totals totals;
	struct diff_show show;
	struct printer printer;
	int error = 0;

	if (printer_init(&printer, STDOUT_FILENO, false)) {
		print_error("out of memory");
		return EXIT_ERROR;
	}
	if (columns_are_made(&options->columns))
		error = diff_show_records(&show, &printer, inputs[0].name, inputs[1].name, &options->columns);
	else if (options->diff.stat)
		diff_show_stat(&show, &printer, inputs[0].name, inputs[1].name);
	else
		diff_show_text(&show, &printer, inputs[0].name, inputs[1].name, options->wide);
	if (!error)
		error = diff_compare(&inputs[0].file, &inputs[1].file, treatments, &show.form, &totals);
	if (!error)
		error = diff_show_end(&show, &totals);
	if (!error)
		error = printer_flush(&printer);
	diff_show_fini(&show);
	printer_fini(&printer);
	/* a reader closed the pipe, so it has seen a difference */
	if (error && error != -EPIPE) {
		print_error("standard output: %s", strerror(-error));
		return EXIT_ERROR;
	}
	if (error)
		return EXIT_NO;
	hint(&totals);
	return diff_differs(&totals) ? EXIT_NO : EXIT_DONE;
}

/* The parsing of one of the texts. */
struct reading {
	struct input *input;
	bool map;                  /* map addresses */
	size_t most_lines;         /* limit of lines to compare, because each needs memory */
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

/* Parses both in parallel, with half of the memory each. False: retry one after the other, which may succeed or reports the error. */
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
		/* 0 would mean unlimited */
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
	int status = EXIT_ERROR;

	if (load_both(options, inputs) &&
	    ((options->threads > 1 && read_at_once(readings, most_lines)) || read_in_turn(readings, most_lines)))
		status = compare(options, inputs, &readings[0].treatments);
	for (int i = 0; i < 2; i++) {
		unload(&inputs[i]);
		canon_treatments_fini(&readings[i].treatments);
	}
	return status;
}

/* The golden file is written under a temporary name and then renamed, so that it is never incomplete. */
static int update(const struct options *options)
{
	const char *golden = options->inputs[0];
	size_t length = strlen(golden);
	struct stat found;
	char *temporary;
	int fd, status = EXIT_ERROR;
	mode_t mask = umask(0);

	umask(mask);
	if (!stat(golden, &found) && (!S_ISREG(found.st_mode) || (!is_canonical(golden) && found.st_size))) {
		print_error("%s: not canonical text: not overwritten", golden);
		return EXIT_ERROR;
	}
	temporary = malloc(length + sizeof ".XXXXXX");
	if (!temporary) {
		print_error("out of memory");
		return EXIT_ERROR;
	}
	memcpy(temporary, golden, length);
	strcpy(temporary + length, ".XXXXXX");
	fd = mkstemp(temporary);
	if (fd < 0) {
		print_error("%s: %s", golden, strerror(errno));
		free(temporary);
		return EXIT_ERROR;
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
	struct rtap_error error;
	int status = EXIT_ERROR;

	aborted_status = EXIT_ERROR;
	if (!options_parse(&options, COMMAND_DIFF, argc, argv))
		goto out;
	if (options.input_count != 2)
		print_error("diff: takes two files (captures, or what rdmatap canon wrote)");
	else if (columns_are_made(&options.columns) && options.diff.stat)
		print_error("--stat is text: leave out --json, -T and -e");
	else if (options.diff.update && (columns_are_made(&options.columns) || options.diff.stat))
		print_error("--update prints no differences: leave out --json, -T, -e and --stat");
	else if (diff_rules_check(&options.diff.rules, &error) != RTAP_STATUS_OK)
		print_error("%s", error.text);
	else if (options.diff.update)
		status = update(&options);
	else
		status = run(&options);
out:
	options_fini(&options);
	return status;
}
