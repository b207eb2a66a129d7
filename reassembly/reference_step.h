/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Steps of the clock by which others are measured. In the difference of two clocks they look like steps of the other one; but the times of the
 * file itself go back there, or go on by the step without a pause in the other file.
 */
#ifndef REASSEMBLY_REFERENCE_STEP_H
#define REASSEMBLY_REFERENCE_STEP_H

#include "reassembly/clock_fit.h"

struct reference_step {
	uint64_t after_frame, first_frame; /* of the reference: the last sample before it, and the first one after it */
	int64_t time_ns;           /* by the reference, corrected by earlier steps, of the latter */
	int64_t set_ns;            /* by how much it was set; negative: back */
};

/* The first one. Samples in the file's order; the pieces are those of clock_fit(). False: the reference was not set, or too little to know. */
bool reference_step_find(const struct clock_sample *samples, size_t count, const struct clock_piece *pieces, size_t piece_count,
			 struct reference_step *step);

/* Makes it a step of the reference, and no step in the samples. False: the reference has too many. */
bool reference_step_apply(const struct reference_step *step, struct clock_piece pieces[CLOCK_PIECES], size_t *piece_count,
			  struct clock_sample *samples, size_t count);

#endif
