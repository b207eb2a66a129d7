/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --status: prints the state of a live capture on standard error at regular intervals.
 */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/source.h>

struct status {
	int64_t every_ns;  /* 0: nothing is printed */
	bool as_json;
	int64_t begin_ns, last_ns; /* monotonic clock; 0: not begun */
	struct rtap_source_counters last;
};

/* Parses "SECONDS" or "SECONDS,json". False: an error was printed. */
bool status_parse(struct status *status, const char *text);

/* Prints a line if one is due. `now_ns`: monotonic clock. */
void status_show(struct status *status, const struct rtap_source *source, int64_t now_ns);

#endif
