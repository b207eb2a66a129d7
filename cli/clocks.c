/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>
#include <sys/stat.h>

#include "capture/source.h"
#include "cli/clocks.h"
#include "dissect/dissect.h"
#include "reassembly/clock_survey.h"

static bool can_be_read_again(const struct options *options)
{
	struct stat found;

	for (size_t i = 0; i < options->input_count; i++)
		if (!strcmp(options->inputs[i], "-") || stat(options->inputs[i], &found) || !S_ISREG(found.st_mode))
			return false;
	return true;
}

/* Read errors are reported later, when the file is read as an input. False: it has more than `left` packets. */
static bool survey_file(struct clock_survey *survey, const struct options *options, size_t file, uint64_t left)
{
	struct rtap_source *source;
	const struct rtap_frame *frame;
	struct rtap_packet packet;
	struct rtap_error error;

	if (rtap_source_open_files(&source, &options->inputs[file], 1, &error) != RTAP_STATUS_OK)
		return true;
	for (; left && !interrupted && rtap_source_read_frame(source, &frame, &error) == RTAP_STATUS_OK; left--) {
		dissect_frame(frame, NULL, &packet);
		clock_survey_take(survey, file, &packet);
	}
	rtap_source_close(source);
	clock_survey_end_file(survey, file);
	return left;
}

/* Files that share no packets at their beginning are not read further. */
static void survey_files(struct clock_survey *survey, const struct options *options)
{
	bool goes_on = false;

	for (size_t i = 0; i < options->input_count; i++)
		goes_on |= !survey_file(survey, options, i, CLOCK_SURVEY_PACKETS / options->input_count);
	if (!goes_on)
		return;
	clock_survey_begin_whole(survey);
	for (size_t i = 0; i < options->input_count; i++)
		if (clock_survey_is_shared(survey, i))
			survey_file(survey, options, i, UINT64_MAX);
}

bool clocks_adjust(struct rtap_source *source, const struct options *options)
{
	struct clock_survey *survey = can_be_read_again(options) ? clock_survey_create(options->input_count) : NULL;
	bool found = false;

	if (!survey)
		return false;
	survey_files(survey, options);
	for (size_t i = 0; i < options->input_count; i++) {
		struct source_clock clock = { .reference = clock_survey_reference(survey, i) };
		const struct clock_piece *pieces;

		clock.count = clock_survey_pieces(survey, i, &pieces);
		memcpy(clock.pieces, pieces, clock.count * sizeof *pieces);
		found |= clock.reference != i;
		source_set_clock(source, i, &clock);
	}
	clock_survey_destroy(survey);
	return found;
}
