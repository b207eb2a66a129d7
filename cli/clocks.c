/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/source.h"
#include "cli/cli.h"
#include "cli/clocks.h"
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

/* Read errors are reported later, when the file is read as an input. False: the file has more than `left` packets. */
static bool survey_file(struct clock_survey *survey, const struct options *options, size_t file, uint64_t left)
{
	struct rtap_source *source;
	const struct rtap_frame *frame;
	struct clock_survey_packet identified;
	struct rtap_packet packet;
	struct rtap_error error;

	if (rtap_source_open_files(&source, &options->inputs[file], 1, &error) != RTAP_STATUS_OK)
		return true;
	for (; left && !interrupted && rtap_source_read_frame(source, &frame, &error) == RTAP_STATUS_OK; left--) {
		dissect_frame(frame, NULL, &packet);
		if (clock_survey_identify(&packet, clock_survey_mask(survey), &identified))
			clock_survey_take(survey, file, &identified);
	}
	rtap_source_close(source);
	clock_survey_end_file(survey, file);
	return left;
}

/* Stops reading files that share no packets at their beginning. */
static void survey_files(struct clock_survey *survey, const struct options *options)
{
	bool goes_on = false;

	for (size_t i = 0; i < options->input_count; i++)
		goes_on |= !survey_file(survey, options, i, clock_survey_most(options->max_memory) / options->input_count);
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
