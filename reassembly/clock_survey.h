/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * By how much the clocks of several captures of the same packets differ, found out before they are merged.
 */
#ifndef REASSEMBLY_CLOCK_SURVEY_H
#define REASSEMBLY_CLOCK_SURVEY_H

#include <stddef.h>
#include <stdint.h>

#include <rdmatap/packet.h>

/* Packets of all files that are remembered. */
#define CLOCK_SURVEY_PACKETS (1 << 18)

struct clock_survey;

/* NULL: memory is out. */
struct clock_survey *clock_survey_create(size_t files);

/* A packet of one file; those of a file in its order, and one file after the other. */
void clock_survey_take(struct clock_survey *survey, size_t file, const struct rtap_packet *packet);

/* The file has no more packets; those of the next one follow. */
void clock_survey_end_file(struct clock_survey *survey, size_t file);

/*
 * Of a file that has ended: the one by whose clock it can go, because both have the same packets, or have those of a third one. Itself: it has
 * too little in common with those before it.
 */
size_t clock_survey_reference(const struct clock_survey *survey, size_t file);

/* By how much its clock is ahead of that one's. */
int64_t clock_survey_ahead_ns(const struct clock_survey *survey, size_t file);

/* NULL is ignored. */
void clock_survey_destroy(struct clock_survey *survey);

#endif
