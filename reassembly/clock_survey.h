/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measures the clock differences between captures of the same packets before they are merged: first which files share packets, from the
 * beginning of each; then, of those that do, from packets spread over the whole files.
 */
#ifndef REASSEMBLY_CLOCK_SURVEY_H
#define REASSEMBLY_CLOCK_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock_piece.h"
#include "dissect/engine/packet.h"

/* Most packets kept of all files at first. */
#define CLOCK_SURVEY_PACKETS (1 << 18)

struct clock_survey;

/* NULL: out of memory. */
struct clock_survey *clock_survey_create(size_t files);

/* Adds a packet of a file, whose frames are numbered from 1. Packets in the file's order, one file after the other. */
void clock_survey_take(struct clock_survey *survey, size_t file, const struct rtap_packet *packet);

/* The file has no more packets. */
void clock_survey_end_file(struct clock_survey *survey, size_t file);

/*
 * For a file that has ended: the file whose clock is its reference, because both share packets, directly or through a third
 * file. The file itself: it shares too few packets with earlier files.
 */
size_t clock_survey_reference(const struct clock_survey *survey, size_t file);

/* How the file's clock differs from its reference. Returns the number of pieces; 0: it does not. They belong to the survey. */
size_t clock_survey_pieces(const struct clock_survey *survey, size_t file, const struct clock_piece **pieces);

/* Whether the file shares packets with another one. */
bool clock_survey_is_shared(const struct clock_survey *survey, size_t file);

/* Begins again with the first file, for the whole of the files that share packets. What is known is kept where nothing better is found. */
void clock_survey_begin_whole(struct clock_survey *survey);

/* NULL is ignored. */
void clock_survey_destroy(struct clock_survey *survey);

#endif
