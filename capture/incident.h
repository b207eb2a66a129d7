/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A flight recorder: on a trigger, the frames from some time before it to some time after it are written to a file, while the ring
 * continues to record. One thread calls these functions; another one writes.
 */
#ifndef CAPTURE_INCIDENT_H
#define CAPTURE_INCIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdmatap/error.h>
#include <rdmatap/source.h>

#include "capture/frame_ring.h"

#define INCIDENT_NAME 4096

struct incident_options {
	const char *name;       /* of the files, as with `numbered` of struct rtap_series_options; borrowed */
	const struct rtap_source *source; /* borrowed */
	uint32_t link_type;
	int64_t before_ns, after_ns;
	int64_t distance_ns;    /* minimum time between two incidents */
	uint64_t most_bytes;    /* limit of all files: the oldest ones are deleted, and an incident that reaches the limit alone ends; 0: none */
	bool has_mode, has_group;
	mode_t mode;
	gid_t group;
};

/* A file that is complete. */
struct incident_report {
	char name[INCIDENT_NAME];
	uint64_t frames, bytes;
	int64_t begin_ns, end_ns; /* as requested */
	bool is_late;           /* the ring did not reach back to begin_ns */
	bool is_cut;            /* ended by most_bytes */
	uint64_t deleted;       /* older files */
	struct rtap_error error; /* of writing; empty text: none. The file is then as far as the disk took it, or was removed because it is empty */
};

struct incidents;

/* NULL: out of memory. The ring is borrowed. */
struct incidents *incidents_create(struct frame_ring *ring, const struct incident_options *options);

/*
 * Triggers an incident at `time_ns`, whose file has `why` as its comment. *begun: false if one is being recorded, or the last
 * one was too recent: then the trigger is only counted. FAILED: the file cannot be created or begun; none is left.
 */
enum rtap_status incidents_trigger(struct incidents *incidents, int64_t time_ns, const char *why, bool *begun, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Call often. The time, by the frames' clock, is at least `now_ns`, and frames until then have been appended. `ends`: no
 * more frames follow; waits for the writer. True: an incident is complete, and *report is set.
 */
bool incidents_poll(struct incidents *incidents, int64_t now_ns, bool ends, struct incident_report *report);

/* Counts triggers that were not passed to incidents_trigger(). */
void incidents_pass_over(struct incidents *incidents, uint64_t count);

/* Incidents begun, and triggers that began none. */
void incidents_counts(const struct incidents *incidents, uint64_t *begun, uint64_t *passed_over);

/* Ends the current incident, if any. NULL is ignored. */
void incidents_destroy(struct incidents *incidents);

#endif
