/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is told on standard error when all was read.
 */
#ifndef CLI_REMARKS_H
#define CLI_REMARKS_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/anomaly.h>
#include <rdmatap/source.h>
#include <rdmatap/tracker.h>

/* What a run of the stream view counted. */
struct tally {
	struct rtap_source_counters read; /* as far as it was asked for */
	uint64_t taken, passed; /* packets behind -f, behind -Y */
	uint64_t held_times;    /* of those written, those whose times the file cannot hold */
	uint64_t anomalies[RTAP_ANOMALY_CODES];
};

/* What was lost, cut or odd; nothing if all was well. */
void remark_trouble(const struct rtap_source *source, const struct tally *tally);

/* What was captured of a live source, and lost; with `only_losses` nothing if nothing is known to be lost. */
void remark_live(const struct rtap_source *source, const struct tally *tally, bool only_losses);

/*
 * What state gave up for want of memory; if messages were to be put together, also what could not be; with `all` also what it
 * counted.
 */
void remark_tracker(const struct rtap_tracker *tracker, bool puts_together, bool all);

/* Comments, interfaces and counters, for -v. */
void remark_all(const struct rtap_source *source, const struct tally *tally);

#endif
