/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clocks of input files: known by --clock, or found by packets that several files have.
 */
#ifndef CLI_CLOCKS_H
#define CLI_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include <rdmatap/source.h>

#define CLOCKS_MOST 16

struct clock_survey;
struct options;
struct source_clock;

/* Arguments of --clock. */
struct known_clocks {
	const char *texts[CLOCKS_MOST];
	size_t count;
};

/* Stores the argument of --clock. False: an error was printed. */
bool clocks_take(struct options *options, const char *text);

/* Checks the arguments of --clock against the inputs. False: one is invalid; an error was printed. */
bool clocks_check(const struct options *options);

/*
 * Adjusts the clocks of the inputs before the first read: as --clock says, else by packets that several files have. False: neither, because
 * there are too few such packets, or a file can be read only once.
 */
bool clocks_adjust(struct rtap_source *source, const struct options *options);

/* What a survey found out of a file's clock. */
struct source_clock clocks_found(const struct clock_survey *survey, size_t file);

#endif
