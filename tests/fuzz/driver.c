/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs one of the fuzz harnesses over files, for builds without libFuzzer: every file (or every file of a directory) as it is,
 * and short ones also cut to each length and with each byte changed.
 *
 * usage: harnesses fuzz_NAME [--each N] FILE|DIRECTORY ...
 *        harnesses fuzz_NAME --mutate RUNS [--seed N] FILE|DIRECTORY ...
 *
 * --each N: only every Nth of the cuts and changes, others in each file.
 * --mutate RUNS: so many inputs that are made of the files: bytes are changed, and records removed, repeated, moved and taken from other
 *   files; for harnesses that have input_part(). Without libFuzzer's counters of coverage and without sanitizers that is many times as fast.
 *   The input of a run that ends by a signal (also SIGINT, if it does not end) is written to fuzz_NAME-finding-N in the working directory.
 * --seed N: with the same number and files, the same inputs (1).
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

/* Inputs up to this long are also cut and changed; longer ones would take minutes. */
#define SHORT_INPUT 512

/* Of --mutate; longer files are left out. */
#define MOST_INPUT 65536
#define MOST_PARTS 8192
#define MOST_CHANGES 6 /* of an input; of every eighth one RARELY more */
#define RARELY 20
#define MOST_RECORDS 8 /* of a change */

/* Values that a byte is changed to: the extremes of lengths and counts. */
static const uint8_t changes[] = { 0x00, 0x7f, 0xff };

/* HARNESSES(X) is X(NAME) of each: Makefile.am */
#define DECLARE(name) \
	int fuzz_##name(const uint8_t *data, size_t size); \
	__attribute__((weak)) size_t fuzz_##name##_part(const uint8_t *data, size_t size, size_t at);
HARNESSES(DECLARE)
#undef DECLARE

static const struct harness {
	const char *name;
	int (*run)(const uint8_t *data, size_t size);
	size_t (*part)(const uint8_t *data, size_t size, size_t at); /* or NULL */
} harnesses[] = {
#define ENTRY(name) { "fuzz_" #name, fuzz_##name, fuzz_##name##_part },
	HARNESSES(ENTRY)
#undef ENTRY
};

struct input {
	size_t length;
	uint8_t bytes[MOST_INPUT];
};

static unsigned long inputs_run, changes_seen, each = 1, mutants;
static uint64_t random_state = 1;
static struct input **inputs, mutant; /* of --mutate */
static size_t input_count;
static char finding[256];
static const struct harness *harness;

static void run_input(const uint8_t *bytes, size_t length)
{
	inputs_run++;
	harness->run(bytes, length);
}

/* Whether the next cut or change is one of those to run. */
static bool is_chosen(void)
{
	return changes_seen++ % each == 0;
}

static void run_changed(uint8_t *bytes, size_t length)
{
	for (size_t cut = 0; cut < length; cut++)
		if (is_chosen())
			run_input(bytes, cut);
	for (size_t at = 0; at < length; at++) {
		uint8_t kept = bytes[at];

		for (size_t i = 0; i < sizeof changes; i++) {
			bytes[at] = changes[i];
			if (is_chosen())
				run_input(bytes, length);
		}
		bytes[at] = kept;
	}
}

static void keep_input(const uint8_t *bytes, size_t length)
{
	struct input *input = malloc(sizeof *input);

	inputs = realloc(inputs, (input_count + 1) * sizeof *inputs);
	REQUIRE(input && inputs);
	input->length = length;
	memcpy(input->bytes, bytes, length);
	inputs[input_count++] = input;
}

static int run_file(const char *path, long length)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc((size_t)length + 1);
	int result = -1;

	if (!file || !bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length) {
		perror(path);
		goto out;
	}
	result = 0;
	if (mutants) {
		if (length > 0 && length <= MOST_INPUT)
			keep_input(bytes, (size_t)length);
		goto out;
	}
	run_input(bytes, (size_t)length);
	if (length <= SHORT_INPUT)
		run_changed(bytes, (size_t)length);
out:
	free(bytes);
	if (file)
		fclose(file);
	return result;
}

static int run_path(const char *path, bool directories);

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int run_directory(const char *path)
{
	struct dirent **entries;
	int result = 0, count = scandir(path, &entries, is_shown, alphasort);

	if (count < 0) {
		perror(path);
		return -1;
	}
	for (int i = 0; i < count; i++) {
		char name[4096];
		bool fits = snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name) < (int)sizeof name;

		if (!fits)
			fprintf(stderr, "%s: the name of a file in it is too long\n", path);
		if (!result)
			result = fits ? run_path(name, false) : -1;
		free(entries[i]);
	}
	free(entries);
	return result;
}

static int run_path(const char *path, bool directories)
{
	struct stat status;

	if (stat(path, &status)) {
		perror(path);
		return -1;
	}
	if (S_ISDIR(status.st_mode))
		return directories ? run_directory(path) : 0;
	return run_file(path, (long)status.st_size);
}

/* A number below the limit; the same ones after the same seed. */
static size_t below(size_t limit)
{
	uint64_t mixed = random_state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return (size_t)((mixed >> 32) * limit >> 32);
}

/* Up to so many records of an input, one after another: where they begin; their bytes. The beginning may be its end. */
static size_t choose_records(const struct input *input, size_t most, size_t *length)
{
	static size_t begins[MOST_PARTS + 1];
	size_t count = 0, first, last, at = 0;

	while (at < input->length && count < MOST_PARTS) {
		at += harness->part(input->bytes, input->length, at);
		begins[count++] = at < input->length ? at : input->length;
	}
	first = below(count);
	last = first + most < count ? first + most : count - 1;
	*length = begins[last] - begins[first];
	return begins[first];
}

/* Puts bytes in place of some of the mutant's, if there is room. */
static void replace(size_t at, size_t length, const uint8_t *bytes, size_t count)
{
	if (mutant.length - length + count > MOST_INPUT)
		return;
	memmove(mutant.bytes + at + count, mutant.bytes + at + length, mutant.length - at - length);
	memcpy(mutant.bytes + at, bytes, count);
	mutant.length = mutant.length - length + count;
}

/* Takes records from the mutant or another input, and puts them between or in place of others. */
static void change_records(void)
{
	static uint8_t taken[MOST_INPUT];
	const struct input *from = below(2) ? &mutant : inputs[below(input_count)];
	size_t most = below(MOST_RECORDS + 1), at, length, count, begin = choose_records(from, most, &count);
	bool is_move = from == &mutant && below(2);

	memcpy(taken, from->bytes + begin, count);
	if (is_move)
		replace(begin, count, taken, 0);
	else if (!below(8))
		for (size_t i = 0; i < count; i++)
			taken[i] = (uint8_t)below(256);
	at = choose_records(&mutant, is_move || below(4) == 0 ? 0 : below(4) ? most : below(MOST_RECORDS + 1), &length);
	replace(at, length, taken, count);
}

static void change(void)
{
	size_t header = harness->part(mutant.bytes, mutant.length, 0);

	switch (below(8)) {
	case 0: case 1: case 2:
		mutant.bytes[below(mutant.length)] = (uint8_t)below(256);
		break;
	case 3:
		mutant.bytes[below(mutant.length)] ^= (uint8_t)(1u << below(8));
		break;
	case 4:
		mutant.bytes[below(header < mutant.length ? header : mutant.length)] = (uint8_t)below(256);
		break;
	default:
		change_records();
	}
}

static void save_mutant(int number)
{
	static const char message[] = "the input is written to ";
	int file = open(finding, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (file >= 0 && write(file, mutant.bytes, mutant.length) == (ssize_t)mutant.length && !close(file) &&
	    write(STDERR_FILENO, message, sizeof message - 1) > 0 && write(STDERR_FILENO, finding, strlen(finding)) > 0)
		file = (int)write(STDERR_FILENO, "\n", 1);
	raise(number); /* SA_RESETHAND: ends the process */
}

static void run_mutants(void)
{
	static const int ends[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGSEGV };
	struct sigaction action = { .sa_handler = save_mutant, .sa_flags = (int)SA_RESETHAND };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		sigaction(ends[i], &action, NULL);
	for (unsigned long i = 0; i < mutants; i++) {
		size_t count = 1 + below(MOST_CHANGES) + (below(8) ? 0 : below(RARELY));
		const struct input *from = inputs[below(input_count)];

		mutant.length = from->length;
		memcpy(mutant.bytes, from->bytes, from->length);
		while (count--)
			change();
		run_input(mutant.bytes, mutant.length);
	}
}

static const struct harness *harness_of(const char *name)
{
	for (size_t i = 0; i < sizeof harnesses / sizeof *harnesses; i++)
		if (!strcmp(name, harnesses[i].name))
			return &harnesses[i];
	return NULL;
}

int main(int argc, char **argv)
{
	int first = 2;

	harness = argc > 1 ? harness_of(argv[1]) : NULL;
	if (!harness)
		return 2;
	for (; first + 1 < argc && !strncmp(argv[first], "--", 2); first += 2) {
		unsigned long value = strtoul(argv[first + 1], NULL, 10);

		if (!strcmp(argv[first], "--each") && value)
			each = value;
		else if (!strcmp(argv[first], "--mutate") && value && harness->part)
			mutants = value;
		else if (!strcmp(argv[first], "--seed"))
			random_state = value;
		else
			return 2;
	}
	snprintf(finding, sizeof finding, "%s-finding-%llu", harness->name, (unsigned long long)random_state);
	for (int i = first; i < argc; i++)
		if (run_path(argv[i], true))
			return 1;
	if (input_count)
		run_mutants();
	printf("%lu inputs\n", inputs_run);
	return inputs_run == 0;
}
