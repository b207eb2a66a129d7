/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_DIFF_OPTIONS_H
#define CLI_DIFF_OPTIONS_H

#include <getopt.h>

#include "output/compare/diff_rules.h"

/* Options of diff only. */
struct diff_options {
	struct diff_rules rules;
	bool stat, update;
};

enum { OPTION_DIFF = 512, OPTION_DIFF_FOLD, OPTION_DIFF_ORDER, OPTION_DIFF_RULES, OPTION_DIFF_STAT, OPTION_DIFF_UPDATE,
	OPTION_DIFF_IGNORE, OPTION_DIFF_ONLY, OPTION_DIFF_KEEP, OPTION_DIFF_TOLERANCE, OPTION_DIFF_MAP, OPTION_DIFF_SKIP, OPTION_DIFF_LEVEL };

#define DIFF_OPTIONS \
	{ "ignore", required_argument, NULL, OPTION_DIFF_IGNORE }, \
	{ "only", required_argument, NULL, OPTION_DIFF_ONLY }, \
	{ "keep", required_argument, NULL, OPTION_DIFF_KEEP }, \
	{ "tolerance", required_argument, NULL, OPTION_DIFF_TOLERANCE }, \
	{ "map", required_argument, NULL, OPTION_DIFF_MAP }, \
	{ "skip", required_argument, NULL, OPTION_DIFF_SKIP }, \
	{ "level", required_argument, NULL, OPTION_DIFF_LEVEL }, \
	{ "fold-retransmissions", no_argument, NULL, OPTION_DIFF_FOLD }, \
	{ "order", no_argument, NULL, OPTION_DIFF_ORDER }, \
	{ "rules", required_argument, NULL, OPTION_DIFF_RULES }, \
	{ "stat", no_argument, NULL, OPTION_DIFF_STAT }, \
	{ "update", no_argument, NULL, OPTION_DIFF_UPDATE }

/* Stores one of DIFF_OPTIONS. False: not one of them, or invalid; an invalid value is reported on standard error. */
bool diff_take(struct diff_options *diff, int letter, const char *value);

#endif
