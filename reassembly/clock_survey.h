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

struct clock_survey;

/* Most packets kept of all files at first: their table takes a quarter of max_memory, unless that is less than 3 MB. */
uint64_t clock_survey_most(uint64_t max_memory);

/* What the survey needs of a packet. */
struct clock_survey_packet {
	uint64_t hash;             /* of its identity */
	uint64_t frame;            /* number in its file */
	int64_t time_ns;
	uint32_t sample;           /* selects the packets that are considered: those without any bit of clock_survey_mask() */
	uint16_t ip_id;
	uint8_t sender;            /* packet_sender() */
	bool from_higher;          /* packet_is_from_higher() */
};

/* False: the packet cannot be recognised elsewhere, or its `sample` has a bit of `mask`. */
bool clock_survey_identify(const struct rtap_packet *packet, uint32_t mask, struct clock_survey_packet *identified);

/* NULL: out of memory. */
struct clock_survey *clock_survey_create(size_t files, uint64_t max_memory);

/* Adds a packet of a file, whose frames are numbered from 1. Packets in the file's order, one file after the other. */
void clock_survey_take(struct clock_survey *survey, size_t file, const struct clock_survey_packet *packet);

/* Packets whose `sample` has one of these bits need not be passed: 2^n - 1, and never less than before. */
uint32_t clock_survey_mask(const struct clock_survey *survey);

/* The file has no more packets. */
void clock_survey_end_file(struct clock_survey *survey, size_t file);

/*
 * For a file that has ended: the file whose clock is its reference, because both share packets, directly or through a third
 * file. The file itself: it shares too few packets with earlier files.
 */
size_t clock_survey_reference(const struct clock_survey *survey, size_t file);

/* The earlier file that shares the most packets with a file that has ended. The file itself: none shares enough. */
size_t clock_survey_partner(const struct clock_survey *survey, size_t file);

/* How the file's clock differs from its reference. Returns the number of pieces; 0: it does not, and the first piece has the uncertainty. They belong to the survey. */
size_t clock_survey_pieces(const struct clock_survey *survey, size_t file, const struct clock_piece **pieces);

/* Whether the file shares packets with another one. */
bool clock_survey_is_shared(const struct clock_survey *survey, size_t file);

/*
 * Starts the second pass, over the complete files that share packets. Results of the first pass are kept where this one
 * finds nothing better.
 */
void clock_survey_begin_whole(struct clock_survey *survey);

/* Whether this pass takes whole files. */
bool clock_survey_is_whole(const struct clock_survey *survey);

/*
 * Makes the first pass a pass over whole files, as the second is: only while its first file is taken, and then with all packets of all files.
 */
void clock_survey_go_on_thinned(struct clock_survey *survey);

/*
 * Starts the second pass without the packets whose `sample` has one of these bits, which may be fewer than clock_survey_mask() has. If that has
 * more of them after the first file, the pass is as if all had been passed; else begin again.
 */
void clock_survey_begin_thinned(struct clock_survey *survey, uint32_t mask);

/* NULL is ignored. */
void clock_survey_destroy(struct clock_survey *survey);

#endif
