/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measures the clock differences between captures of the same packets before they are merged.
 */
#ifndef REASSEMBLY_CLOCK_SURVEY_H
#define REASSEMBLY_CLOCK_SURVEY_H

#include <stddef.h>
#include <stdint.h>

#include "dissect/engine/packet.h"


/* Most packets kept of all files. */
#define CLOCK_SURVEY_PACKETS (1 << 18)

struct clock_survey;

/* NULL: out of memory. */
struct clock_survey *clock_survey_create(size_t files);

/* Adds a packet of a file. Packets in the file's order, one file after the other. */
void clock_survey_take(struct clock_survey *survey, size_t file, const struct rtap_packet *packet);

/* The file has no more packets. */
void clock_survey_end_file(struct clock_survey *survey, size_t file);

/*
 * For a file that has ended: the file whose clock is its reference, because both share packets, directly or through a third
 * file. The file itself: it shares too few packets with earlier files.
 */
size_t clock_survey_reference(const struct clock_survey *survey, size_t file);

/* By how much the file's clock is ahead of its reference. */
int64_t clock_survey_ahead_ns(const struct clock_survey *survey, size_t file);

/* NULL is ignored. */
void clock_survey_destroy(struct clock_survey *survey);

#endif
