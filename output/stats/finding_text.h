/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Findings as text: sender and receiver, events, times, cause, and the command that prints the packets.
 */
#ifndef OUTPUT_STATS_FINDING_TEXT_H
#define OUTPUT_STATS_FINDING_TEXT_H

#include "dissect/engine/line.h"
#include "output/packet/clock.h"
#include "output/stats/findings.h"

/* The finding's connection; NULL: none, or it is one of those counted together. */
const struct stats_connection *finding_connection(const struct stats *stats, const struct finding *found);

/* "NFS v3", "port 4420"; nothing if unknown. Returns whether anything was written. */
bool finding_service(const struct stats_connection *connection, struct line *line);

/* The sender (`to`: the receiver) of what the finding counts; NULL: none. Without a direction that is end a (b). */
const struct rtap_end *finding_end(const struct stats *stats, const struct finding *found, bool to);

struct finding_style {
	enum clock_form form; /* of points in time; relative to the first packet of the statistics */
	bool brief;           /* without details of recoveries */
};

/* "10.0.0.1 -> 10.0.0.2 NFS v3 #3: 3.42 s of 6.70 s lost to 6 timeouts (14:03:11.2 to 14.9)". */
void finding_text(const struct stats *stats, const struct finding *found, const struct finding_style *style, struct line *line);

/* The display filter of the finding's packets: "rdmatap.connection == 3 && rdmatap.recovery == \"timeout\"". */
void finding_filter(const struct stats *stats, const struct finding *found, struct line *line);

/* The host that a finding concerns (host_address_length is not 0): "nccl host 10.0.0.2". */
void finding_host(const struct finding *found, struct line *line);

/* Writes several lines: the events that a rule counts, its threshold, its standard, the likely cause and the next step. */
void finding_explain(const struct finding_rule *rule, struct line *line);

/* Writes a point in time with three decimals, or six: "14:03:11.203". `first_ns`: zero of relative times. */
void finding_moment(int64_t time_ns, enum clock_form form, int64_t first_ns, bool with_us, struct line *line);

/* The form for times with a date; relative forms become absolute. */
enum clock_form finding_dated(enum clock_form form);

/* " (frame 7)", " (frames 7-9)". */
void finding_frames(uint64_t first_frame, uint64_t last_frame, struct line *line);

/* Names of the finding's times. */
const struct finding_times *finding_times_of(const struct finding *found);

#endif
