/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --status: prints the state of a live capture on standard error at regular intervals; and on SIGUSR1, if the reading thread waits.
 */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/source.h>

struct status_options {
	int64_t every_ns;  /* 0: only on SIGUSR1 */
	bool as_json;
};

/* A thread that prints, so that lines appear while the reading one waits for the reader of its output. */
struct status;

/* Parses "SECONDS" or "SECONDS,json". False: an error was printed. */
bool status_parse(struct status_options *options, const char *text);

/* Starts printing the state of a live source, which is borrowed. NULL: an error was printed. */
struct status *status_start(const struct status_options *options, const struct rtap_source *source);

/* Call after each read, in the thread that reads. NULL is ignored, also below. */
void status_update(struct status *status);

void status_stop(struct status *status);

#endif
