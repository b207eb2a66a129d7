/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Diagnostics: counters and warnings printed on standard error after all input was read.
 */
#ifndef CLI_DIAGNOSTICS_H
#define CLI_DIAGNOSTICS_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/anomaly.h>
#include <rdmatap/source.h>
#include <rdmatap/tracker.h>

#include "cli/cli.h"
#include "reassembly/captured_copies.h"

/* Counters of one run. */
struct packet_counters {
	struct rtap_source_counters read; /* up to the last update */
	struct { uint64_t frames, captured_bytes, cut_frames; } untaken; /* of files: read, but after the packets of -c */
	uint64_t taken, passed; /* packets that passed -f; that passed -Y */
	uint64_t by_source[MAX_DEVICES]; /* of those taken, if several sources are captured on */
	uint64_t dropped_rest;  /* live captures that an error, an interrupt or a closed output ended before all packets received were taken */
	uint64_t clamped_times;    /* packets written whose time stamp the file format cannot represent */
	uint64_t anomalies[RTAP_ANOMALY_CODES];
	uint64_t rdma, management, tcp, udp; /* with nothing_found_note(): packets of RDMA; of these, MADs; others of TCP and UDP */
	uint64_t records, listed;  /* of commands that list records: found; written */
};

/* What a tracker counted. */
struct state_counters {
	struct rtap_tracker_counters tracker;
	struct captured_copies_summary joined;
};

struct state_counters diagnostics_read_state(const struct rtap_tracker *tracker);

/* Prints lost, truncated and inconsistent packets; nothing if all counts are 0. */
void diagnostics_losses(const struct rtap_source *source, const struct packet_counters *packets);

/* Prints what the pcapng files of the source have and `name`, written of them, has not. */
void diagnostics_left_out(const struct rtap_source *source, const char *name);

/* Prints what a live source captures and how. */
void diagnostics_begin(const struct rtap_source *source);

/* Prints packets captured and dropped by a live source; with `only_losses` nothing if no drop is known. */
void diagnostics_live(const struct rtap_source *source, const struct packet_counters *packets, bool only_losses);

/*
 * Prints the state evicted for lack of memory; with `reassembles` (messages were reassembled) also reassembly failures; with `all`
 * also the tracker's counters.
 */
void diagnostics_state(const struct state_counters *state, bool reassembles, bool all);

/* Prints comments, interfaces and counters (-v). */
void diagnostics_verbose(const struct rtap_source *source, const struct packet_counters *packets);

#endif
