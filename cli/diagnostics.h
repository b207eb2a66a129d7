/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Diagnostics: what is printed on standard error after all input was read.
 */
#ifndef CLI_DIAGNOSTICS_H
#define CLI_DIAGNOSTICS_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/anomaly.h>
#include <rdmatap/source.h>
#include <rdmatap/tracker.h>

/* What a run counted. */
struct packet_counters {
	struct rtap_source_counters read; /* as far as it was asked for */
	uint64_t taken, passed; /* packets after -f, after -Y */
	uint64_t held_times;    /* of those written, those whose times the file cannot hold */
	uint64_t anomalies[RTAP_ANOMALY_CODES];
};

/* Lost, truncated and inconsistent packets; nothing if there are none. */
void diagnostics_losses(const struct rtap_source *source, const struct packet_counters *packets);

/* Packets captured from a live source, and drops; with `only_losses` nothing if no drop is known. */
void diagnostics_live(const struct rtap_source *source, const struct packet_counters *packets, bool only_losses);

/*
 * State that was evicted for lack of memory; if messages were reassembled, also what could not be; with `all` also the tracker's
 * counters.
 */
void diagnostics_state(const struct rtap_tracker *tracker, bool puts_together, bool all);

/* Comments, interfaces and counters, for -v. */
void diagnostics_verbose(const struct rtap_source *source, const struct packet_counters *packets);

#endif
