/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/source.h"
#include "capture/worker_pool.h"
#include "cli/cli.h"
#include "cli/clocks.h"
#include "cli/pipeline.h"
#include "cli/print_error.h"
#include "dissect/dissect.h"
#include "reassembly/clock_survey.h"

#define SAME "same"
#define MOST_SECONDS 4e9
#define MOST_PPM 1000000

bool clocks_take(struct options *options, const char *text)
{
	if (options->clocks.count == CLOCKS_MOST) {
		print_error("--clock: more than %d of them", CLOCKS_MOST);
		return false;
	}
	options->clocks.texts[options->clocks.count++] = text;
	return true;
}

/* Parses "FILE=SECONDS[,PPM]"; the file name may contain '='. False: a syntax error. */
static bool parse(const struct options *options, const char *text, size_t *file, struct source_clock *clock)
{
	const char *equals = strrchr(text, '=');
	double seconds, ppm = 0;
	char *end, *drift;

	if (!equals)
		return false;
	for (*file = 0; *file < options->input_count; ++*file)
		if (strlen(options->inputs[*file]) == (size_t)(equals - text) && !strncmp(options->inputs[*file], text, (size_t)(equals - text)))
			break;
	seconds = strtod(equals + 1, &end);
	if (end != equals + 1 && *end == ',') {
		ppm = strtod(end + 1, &drift);
		end = drift == end + 1 ? end : drift;
	}
	if (*file == options->input_count || end == equals + 1 || *end || !(fabs(seconds) < MOST_SECONDS) || !(fabs(ppm) < MOST_PPM))
		return false;
	clock->count = 1;
	clock->pieces[0] = (struct clock_piece){ .first_frame = 1, .ahead_ns = (int64_t)llround(seconds * 1e9), .drift = ppm / 1e6 };
	return true;
}

bool clocks_check(const struct options *options)
{
	struct source_clock clock = { .reference = 0 };
	size_t file;

	for (size_t i = 0; i < options->clocks.count; i++) {
		if (!strcmp(options->clocks.texts[i], SAME) || parse(options, options->clocks.texts[i], &file, &clock))
			continue;
		print_error("--clock %s: neither \"same\" nor the name of an input, '=' and by how many seconds its clock is ahead of the first file's "
			    "(b.pcap=0.25, or b.pcap=0.25,10 if it also gains 10 ppm)", options->clocks.texts[i]);
		return false;
	}
	return true;
}

/* Time of the first frame of a file; 0: it cannot be read. */
static int64_t first_time_ns(const char *name)
{
	struct rtap_source *source;
	const struct rtap_frame *frame;
	int64_t time_ns = 0;

	if (rtap_source_open_files(&source, &name, 1, NULL) != RTAP_STATUS_OK)
		return 0;
	if (rtap_source_read_frame(source, &frame, NULL) == RTAP_STATUS_OK && frame)
		time_ns = frame->time_ns;
	rtap_source_close(source);
	return time_ns;
}

/* Files without --clock have the first file's clock. A drift counts from the file's first packet. */
static void set_known(struct rtap_source *source, const struct options *options)
{
	for (size_t i = 0; i < options->clocks.count; i++) {
		struct source_clock clock = { .reference = 0 };
		size_t file;

		if (parse(options, options->clocks.texts[i], &file, &clock)) {
			clock.pieces[0].time_ns = first_time_ns(options->inputs[file]);
			source_set_clock(source, file, &clock);
		}
	}
}

static bool can_be_read_again(const struct options *options)
{
	struct stat found;

	for (size_t i = 0; i < options->input_count; i++)
		if (!strcmp(options->inputs[i], "-") || stat(options->inputs[i], &found) || !S_ISREG(found.st_mode))
			return false;
	return true;
}

/* Whether all files are expected to have the same packets, so that it is not worth while to look first whether they do: also two of any command. */
static bool are_points(const struct options *options)
{
	return options->command == COMMAND_JOIN || options->command == COMMAND_REPORT || options->input_count == 2;
}

/* A file that is read for the survey. */
struct survey_reading {
	struct clock_survey *survey;
	size_t file;
	struct rtap_source *source;
	atomic_uint_least32_t mask; /* of the survey, or what it was: that of the survey has no fewer bits */
};

/* The identified packets of a batch. */
struct identified {
	size_t count, room;
	struct clock_survey_packet packets[];
};

static void read_batch(void *owner, struct worker_pool_batch *batch)
{
	struct survey_reading *reading = owner;

	batch->status = rtap_source_read_batch(reading->source, &batch->batch, &batch->error);
}

/* False: out of memory. */
static bool identify_batch(void *owner, struct worker_pool_batch *batch)
{
	struct survey_reading *reading = owner;
	uint32_t mask = atomic_load_explicit(&reading->mask, memory_order_relaxed);
	struct identified *identified = batch->work;
	struct rtap_packet packet;

	if (!identified || identified->room < batch->batch->count) {
		identified = realloc(identified, sizeof *identified + batch->batch->count * sizeof identified->packets[0]);
		if (!identified)
			return false;
		identified->room = batch->batch->count;
		batch->work = identified;
	}
	identified->count = 0;
	for (size_t i = 0; i < batch->batch->count; i++) {
		dissect_frame(&batch->batch->frames[i], NULL, &packet);
		identified->count += clock_survey_identify(&packet, mask, &identified->packets[identified->count]);
	}
	return true;
}

static void free_identified(void *owner, void *identified)
{
	(void)owner;
	free(identified);
}

/* Takes the packets of a batch up to the frame with this number. False: there are more. */
static bool take_identified(struct survey_reading *reading, const struct identified *identified, uint64_t last, bool goes_on)
{
	for (size_t i = 0; i < identified->count; i++) {
		const struct clock_survey_packet *packet = &identified->packets[i];

		if (packet->frame > last && !clock_survey_is_whole(reading->survey)) {
			if (!goes_on)
				return false;
			clock_survey_go_on_thinned(reading->survey);
		}
		clock_survey_take(reading->survey, reading->file, packet);
	}
	atomic_store_explicit(&reading->mask, clock_survey_mask(reading->survey), memory_order_relaxed);
	return true;
}

/*
 * Of a file with more than `most` packets, the survey takes only these, or goes on with fewer of all. Read errors are reported later, when the
 * file is read as an input. False: it took only these.
 */
static bool survey_file(struct clock_survey *survey, const struct options *options, size_t file, uint64_t most)
{
	struct survey_reading reading = { .survey = survey, .file = file };
	struct worker_pool_stages stages = { &reading, read_batch, identify_batch, NULL, free_identified };
	struct worker_pool_batch *batch;
	struct worker_pool *pool;
	bool is_complete = true;

	if (rtap_source_open_files(&reading.source, &options->inputs[file], 1, NULL) != RTAP_STATUS_OK)
		return true;
	atomic_init(&reading.mask, clock_survey_mask(survey));
	pool = worker_pool_open(&stages, pipeline_threads(options->threads));
	while (pool && is_complete && !interrupted && (batch = worker_pool_take(pool))->status == RTAP_STATUS_OK) {
		if (batch->prepared || identify_batch(&reading, batch))
			is_complete = take_identified(&reading, batch->work, most, !file && are_points(options));
		worker_pool_give(pool, batch);
	}
	worker_pool_close(pool);
	rtap_source_close(reading.source);
	clock_survey_end_file(survey, file);
	return is_complete;
}

/* Stops reading files that share no packets at their beginning. */
static void survey_files(struct clock_survey *survey, const struct options *options)
{
	uint64_t most = clock_survey_most(options->max_memory) / options->input_count;
	bool goes_on = false;

	for (size_t i = 0; i < options->input_count; i++)
		goes_on |= !survey_file(survey, options, i, most);
	if (!goes_on)
		return;
	clock_survey_begin_whole(survey);
	for (size_t i = 0; i < options->input_count; i++)
		if (clock_survey_is_shared(survey, i))
			survey_file(survey, options, i, UINT64_MAX);
}

struct source_clock clocks_found(const struct clock_survey *survey, size_t file)
{
	struct source_clock clock = { .reference = clock_survey_reference(survey, file) };
	const struct clock_piece *pieces;

	clock.count = clock_survey_pieces(survey, file, &pieces);
	memcpy(clock.pieces, pieces, (clock.count ? clock.count : 1) * sizeof *pieces);
	return clock;
}

bool clocks_adjust(struct rtap_source *source, const struct options *options)
{
	struct clock_survey *survey;
	bool found = false;

	if (options->clocks.count) {
		set_known(source, options);
		return true;
	}
	survey = can_be_read_again(options) ? clock_survey_create(options->input_count, options->max_memory) : NULL;
	if (!survey)
		return false;
	survey_files(survey, options);
	for (size_t i = 0; i < options->input_count; i++) {
		struct source_clock clock = clocks_found(survey, i);

		found |= clock.reference != i;
		source_set_clock(source, i, &clock);
	}
	clock_survey_destroy(survey);
	return found;
}
