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

/* Read errors are reported later, when the file is read as an input. */
static void survey_file(struct clock_survey *survey, const struct options *options, size_t file)
{
	uint64_t left = CLOCK_SURVEY_PACKETS / options->input_count;
	struct rtap_source *source;
	const struct rtap_frame *frame;
	struct rtap_packet packet;
	struct rtap_error error;

	if (rtap_source_open_files(&source, &options->inputs[file], 1, &error) != RTAP_STATUS_OK)
		return;
	for (; left && !interrupted && rtap_source_read_frame(source, &frame, &error) == RTAP_STATUS_OK; left--) {
		dissect_frame(frame, NULL, &packet);
		clock_survey_take(survey, file, &packet);
	}
	rtap_source_close(source);
	clock_survey_end_file(survey, file);
}

bool clocks_adjust(struct rtap_source *source, const struct options *options)
{
	struct clock_survey *survey = can_be_read_again(options) ? clock_survey_create(options->input_count) : NULL;
	bool found = false;

	if (!survey)
		return false;
	for (size_t i = 0; i < options->input_count; i++)
		survey_file(survey, options, i);
	for (size_t i = 0; i < options->input_count; i++) {
		struct source_clock clock = {
			.reference = clock_survey_reference(survey, i),
			.ahead_ns = clock_survey_ahead_ns(survey, i),
		};

		found |= clock.reference != i;
		source_set_clock(source, i, &clock);
	}
	clock_survey_destroy(survey);
	return found;
}
