/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "cli/feed.h"
#include "cli/listing.h"
#include "cli/nothing_found.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "output/packet/colour.h"
#include "output/packet/printer.h"
#include "reassembly/tracker.h"

static bool is_wanted(void *owner, const struct rtap_packet *packet)
{
	const struct listing *listing = owner;

	return rtap_filter_match(listing->reader.filter, packet);
}

static void take(void *owner, struct rtap_frame *frame)
{
	struct listing *listing = owner;
	const struct rtap_packet *packet;

	clock_note_frame(&listing->times, frame);
	packet = reader_packet(&listing->reader, frame);
	reader_note_passing(&listing->reader, frame, packet);
	nothing_found_note(&listing->reader, packet);
	reader_count(&listing->reader, packet);
}

bool listing_read(struct listing *listing, struct rtap_tracker_options *tracking)
{
	const struct options *options = listing->options;
	struct reader *reader = &listing->reader;

	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
		return false;
	}
	listing->colour = colour_is_wanted(options->colour, reader->is_terminal);
	if (filter_tests_packets(reader->filter))
		tracking->wanted = is_wanted;
	feed_keep(tracking);
	if (rtap_tracker_open(&listing->tracker, tracking, NULL)) {
		print_error("out of memory");
		reader->status = EXIT_ERROR;
		return false;
	}
	if (listing->omits_details && !feed)
		tracker_omit_details(listing->tracker);
	if (listing->omits_data && !feed)
		tracker_omit_data(listing->tracker);
	if (options->columns.form == COLUMNS_CSV)
		reader_wrote(reader, printer_write(&reader->printer, columns_write_header, &options->columns));
	reader_run(reader, listing->tracker, take, listing);
	rtap_tracker_finish(listing->tracker);
	feed_deliver(reader, listing->tracker);
	return true;
}

void listing_finish(struct listing *listing)
{
	struct reader *reader = &listing->reader;

	reader_wrote(reader, printer_flush(&reader->printer));
	reader_report(reader, listing->tracker);
	if (!nothing_found_report_passing(reader))
		nothing_found_report(reader, listing->tracker);
}

int listing_close(struct listing *listing)
{
	rtap_tracker_close(listing->tracker);
	reader_close(&listing->reader);
	return listing->reader.status;
}
