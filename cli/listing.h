/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the commands that list records of a tracker share: messages, connections, operations.
 */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include <rdmatap/tracker.h>

#include "cli/reader.h"
#include "output/packet/clock.h"

/* Set `options` and `times.form`, all else zero. */
struct listing {
	struct reader reader;
	const struct options *options;
	struct rtap_tracker *tracker;
	struct clock_listing times;
	bool colour;
	bool omits_details;   /* tracker_omit_details() */
	bool omits_data;      /* tracker_omit_data() */
};

/*
 * Reads the inputs with a tracker of these options, whose owner is a struct that begins with the listing; its callbacks write the records.
 * False: nothing was read; the reader has the status, and an error was printed. Call listing_close() in both cases.
 */
bool listing_read(struct listing *listing, struct rtap_tracker_options *tracking);

/* After the last record: writes out, and prints what was lost. */
void listing_finish(struct listing *listing);

/* Returns the exit status. */
int listing_close(struct listing *listing);

#endif
