/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs fuzz_outputs over captures that mutator.c changed, in this process: every output of each, whole and dissected ahead; and one output of each
 * merged with what another capture point, with another clock, had of it.
 *
 * usage: mutate_captures [--seed N] [--count N] [--seconds N] [--write FILE] CAPTURE ...
 *
 * Without --seed from 1 on; without --count and --seconds 100 of them. A finding ends the process, with its seed on standard error; --seed N
 * --count 1 with the same captures repeats it, and --write saves what is made of the last seed.
 */
#include "config.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

#include "harness.h"
#include "mutator.h"

#define OUTPUTS 17
#define HEADER_LENGTH 4
#define TWO_FILES 0x80
#define LARGEST_FILE (1 << 17)
#define LARGEST_INPUT (64 << 20)
#define MOST_FRAMES_TAKEN 300
#define PATIENCE 60 /* seconds for a seed */

static struct mutant *captures;
static size_t capture_count;
static volatile uint64_t seed_at_work;

/* By the sanitizers' runtime, if there is one. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void print_seed(void)
{
	static const char text[] = "finding: --seed ";
	char digits[20];
	size_t at = sizeof digits;
	uint64_t seed = seed_at_work;

	do {
		digits[--at] = (char)('0' + seed % 10);
		seed /= 10;
	} while (seed);
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0 || write(STDERR_FILENO, digits + at, sizeof digits - at) < 0 ||
	    write(STDERR_FILENO, "\n", 1) < 0)
		return;
}

static void on_signal(int number)
{
	print_seed();
	signal(number, SIG_DFL);
	raise(number);
}

static bool load(const char *path, struct mutant *capture)
{
	gzFile file = gzopen(path, "rb");
	uint8_t *bytes = malloc(LARGEST_INPUT);
	int length = file && bytes ? gzread(file, bytes, LARGEST_INPUT) : -1;

	if (length >= 0)
		(void)mutant_read(capture, bytes, (size_t)length);
	else
		perror(path);
	free(bytes);
	if (file)
		gzclose(file);
	return length >= 0;
}

/*
 * The frames as another capture point had them: some are absent, its clock differs, drifts and is set, and it changes a little
 * from frame to frame.
 */
static void capture_elsewhere(struct mutant *mutant)
{
	static const int64_t units[] = { 1, 1000, 1000000, 1000000000, INT64_C(86400000000000) };
	int64_t ahead_ns = ((int64_t)mutant_below(mutant, 2000) - 1000) * units[mutant_below(mutant, 5)];
	int64_t step_ns = ((int64_t)mutant_below(mutant, 2000) - 1000) * units[mutant_below(mutant, 5)];
	int64_t begin_ns = mutant->count ? mutant->frames[0].time_ns : 0, parts = 1000 + mutant_below(mutant, 1u << 20);
	uint32_t jitter_ns = 1 + mutant_below(mutant, 1u << mutant_below(mutant, 20)), step_at = mutant_below(mutant, 2 * (uint32_t)mutant->count + 1);

	for (size_t i = 0; i < mutant->count; i++) {
		int64_t *time_ns = &mutant->frames[i].time_ns;

		*time_ns += (*time_ns - begin_ns) / parts + ahead_ns + (i >= step_at ? step_ns : 0) + mutant_below(mutant, jitter_ns);
	}
	mutant_change(mutant, mutant_below(mutant, 8));
}

static void merge(struct mutant *mutant, uint8_t *input)
{
	uint8_t *files = input + HEADER_LENGTH;
	size_t half = (LARGEST_FILE - HEADER_LENGTH - sizeof(uint32_t)) / 2, first = mutant_write(mutant, files, half);
	uint32_t second;

	capture_elsewhere(mutant);
	second = (uint32_t)mutant_write(mutant, files + first, half);
	memcpy(files + first + second, &second, sizeof second);
	input[0] = (uint8_t)(TWO_FILES | mutant_below(mutant, OUTPUTS));
	LLVMFuzzerTestOneInput(input, HEADER_LENGTH + first + second + sizeof second);
}

static void run_seed(uint64_t seed, const char *write_name)
{
	static uint8_t input[LARGEST_FILE];
	struct mutant mutant = { .random = seed };
	const struct mutant *from;
	size_t length, frames, first;

	seed_at_work = seed;
	alarm(PATIENCE);
	from = &captures[mutant_below(&mutant, (uint32_t)capture_count)];
	frames = 1 + mutant_below(&mutant, MOST_FRAMES_TAKEN);
	first = from->count > frames ? mutant_below(&mutant, (uint32_t)(from->count - frames)) : 0;
	/* handshakes are at the beginning: half of the time that is kept */
	if (mutant_below(&mutant, 2))
		first = 0;
	mutant_copy(&mutant, from, first, frames);
	for (unsigned n = mutant_below(&mutant, 3); n; n--)
		mutant_splice(&mutant, &captures[mutant_below(&mutant, (uint32_t)capture_count)]);
	mutant_change(&mutant, 1 + mutant_below(&mutant, 24));
	input[1] = (uint8_t)mutant_below(&mutant, 256);
	input[2] = (uint8_t)(mutant_below(&mutant, 4) ? 12 + mutant_below(&mutant, 4) : mutant_below(&mutant, 12));
	input[2] |= (uint8_t)(mutant_below(&mutant, 16) << 4);
	input[3] = 0;
	length = mutant_write(&mutant, input + HEADER_LENGTH, sizeof input - HEADER_LENGTH);
	if (write_name) {
		FILE *file = fopen(write_name, "wb");

		if (!file || fwrite(input + HEADER_LENGTH, 1, length, file) != length || fclose(file))
			perror(write_name);
	}
	for (uint8_t output = 0; output < OUTPUTS; output++) {
		input[0] = output;
		LLVMFuzzerTestOneInput(input, HEADER_LENGTH + length);
	}
	merge(&mutant, input);
	mutant_fini(&mutant);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, count = 0, seconds = 0, done = 0;
	const char *write_name = NULL;
	time_t begin = time(NULL);

	captures = calloc((size_t)argc, sizeof *captures);
	REQUIRE(captures != NULL);
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strncmp(argv[i], "--", 2)) {
			if (!load(argv[i], &captures[capture_count]))
				return 2;
			capture_count += captures[capture_count].count > 0;
			continue;
		}
		if (!strcmp(argv[i], "--seed"))
			seed = strtoull(value, NULL, 10);
		else if (!strcmp(argv[i], "--count"))
			count = strtoull(value, NULL, 10);
		else if (!strcmp(argv[i], "--seconds"))
			seconds = strtoull(value, NULL, 10);
		else if (!strcmp(argv[i], "--write"))
			write_name = value;
		else
			return 2;
		i++;
	}
	if (!capture_count) {
		fprintf(stderr, "usage: mutate_captures [--seed N] [--count N] [--seconds N] [--write FILE] CAPTURE ...\n");
		return 2;
	}
	if (!count && !seconds)
		count = 100;
	signal(SIGABRT, on_signal);
	signal(SIGALRM, on_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(print_seed);
	else
		signal(SIGSEGV, on_signal);
	for (; (!count || done < count) && (!seconds || time(NULL) - begin < (time_t)seconds); done++)
		run_seed(seed + done, write_name);
	for (size_t i = 0; i < capture_count; i++)
		mutant_fini(&captures[i]);
	free(captures);
	printf("%llu captures changed, from seed %llu on, %d outputs of each\n", (unsigned long long)done, (unsigned long long)seed, OUTPUTS);
	return 0;
}
