/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "capture/record.h"
#include "capture/source.h"
#include "cli/cli.h"
#include "cli/diagnostics.h"
#include "cli/print_error.h"
#include "reassembly/tracker.h"

#define ESCAPED_SIZE 1024

/* Text from a capture file must not contain terminal control characters. */
static const char *escaped(const char *found, char text[ESCAPED_SIZE])
{
	struct line line;

	line_init(&line, text, ESCAPED_SIZE - sizeof "...");
	line_escaped(&line, (const uint8_t *)found, strlen(found));
	strcpy(line.next, line.cut ? "..." : "");
	return text;
}

static void report_clock(const struct rtap_source *source, size_t file, const struct source_clock *clock)
{
	const struct clock_piece *first = &clock->pieces[0];
	char drift[64] = "", steps[64] = "";

	if (clock->reference == file) {
		print_error("the clock of %s was changed %zu times: its later time stamps were corrected accordingly", source_file(source, file),
			    clock->count - 1);
		return;
	}
	if (first->drift != 0)
		snprintf(drift, sizeof drift, " and %s %.1f ppm", first->drift < 0 ? "loses" : "gains", fabs(first->drift) * 1e6);
	if (clock->count > 1)
		snprintf(steps, sizeof steps, " and was changed %zu times", clock->count - 1);
	print_error("the clock of %s is %.6f s %s that of %s%s%s: its time stamps were corrected accordingly", source_file(source, file),
		 fabs((double)first->ahead_ns / 1e9), first->ahead_ns < 0 ? "behind" : "ahead of", source_file(source, clock->reference), drift, steps);
}

void diagnostics_losses(const struct rtap_source *source, const struct packet_counters *packets)
{
	const struct rtap_source_counters *counters = &packets->read;
	const struct source_clock *clock;
	char text[ESCAPED_SIZE];

	for (unsigned i = 0; i < RTAP_ANOMALY_CODES; i++)
		if (packets->anomalies[i] && i != RTAP_ANOMALY_UNKNOWN_LINK_TYPE)
			print_error("%s: %" COUNT " (%s)", rtap_anomaly_name((enum rtap_anomaly_code)i),
				 COUNTED(packets->anomalies[i], "time", "times"), rtap_anomaly_meaning((enum rtap_anomaly_code)i));
	if (counters->cut_frames)
		print_error("%" COUNT " truncated by the capture", COUNTED(counters->cut_frames, "frame was", "frames were"));
	if (counters->bad_times)
		print_error("%" COUNT " outside the years 1823 to 2116 and clamped to this range",
			 COUNTED(counters->bad_times, "time stamp is", "time stamps are"));
	if (packets->clamped_times)
		print_error("%" COUNT " clamped to the range of the file format (pcapng: from 1970; pcap: 1970 to 2106)",
			 COUNTED(packets->clamped_times, "time stamp was", "time stamps were"));
	if (counters->bad_lengths)
		print_error("%" COUNT " with a wire length below the captured length", COUNTED(counters->bad_lengths, "frame", "frames"));
	for (size_t i = 0; (clock = source_clock(source, i)); i++)
		if (clock->count)
			report_clock(source, i, clock);
	for (size_t i = 0; i < rtap_source_interface_count(source); i++) {
		const struct rtap_interface *interface = rtap_source_interface(source, i);

		/* live: diagnostics_live() prints them */
		if (interface->dropped_here.known)
			continue;
		if (interface->dropped_by_system.known && interface->dropped_by_system.value)
			print_error("%s: the capturing system dropped %" COUNT " of interface %s", interface->file,
				 COUNTED(interface->dropped_by_system.value, "packet", "packets"), escaped(interface->name, text));
		if (interface->has_dropped && interface->dropped)
			print_error("%s: %" COUNT " dropped by interface %s while capturing", interface->file,
				 COUNTED(interface->dropped, "packet was", "packets were"), escaped(interface->name, text));
	}
}

void diagnostics_left_out(const struct rtap_source *source, const char *name)
{
	const struct source_left_out left_out = source_left_out(source);

	if (record_form_of(name) != RECORD_PCAPNG)
		return;
	if (left_out.blocks)
		print_error("%" COUNT " not saved in %s: unknown, malformed, not to be copied, too many, or later sections of several files",
			    COUNTED(left_out.blocks, "pcapng block was", "pcapng blocks were"), name);
	if (left_out.options)
		print_error("%" COUNT " not saved in %s: custom ones that must not be copied, or unknown ones in another byte order",
			    COUNTED(left_out.options, "option of a pcapng block was", "options of pcapng blocks were"), name);
}

#define COUNT_SIZE 24

static const char *count_text(struct rtap_count count, char text[COUNT_SIZE])
{
	snprintf(text, COUNT_SIZE, count.known ? "%" PRIu64 : "unknown", count.value);
	return text;
}

static void begin_interface(const struct rtap_interface *interface)
{
	const char *link = rtap_link_type_name(interface->link_type);
	char text[ESCAPED_SIZE], filter[ESCAPED_SIZE], kept[64] = "whole frames";

	if (interface->snap_length)
		snprintf(kept, sizeof kept, "up to %" PRIu32 " bytes of each frame", interface->snap_length);
	print_error("capturing on %s: %s%s%s, %s, times in %s%s%s", interface->name, escaped(interface->description, text),
		    *interface->description ? ", " : "", link ? link : "link of unknown type", kept, interface->time_digits > 6 ? "nanoseconds" : "microseconds",
		    *interface->filter ? ", filter " : "", escaped(interface->filter, filter));
}

void diagnostics_begin(const struct rtap_source *source)
{
	for (size_t i = 0; i < rtap_source_interface_count(source); i++)
		begin_interface(rtap_source_interface(source, i));
}

/* `captured`: the number of frames captured on the interface. `dropped_rest`: further ones were dropped here. */
static void report_interface(const struct rtap_interface *interface, uint64_t captured, bool dropped_rest, bool only_losses)
{
	char received[COUNT_SIZE], dropped[COUNT_SIZE], by_system[COUNT_SIZE], here[COUNT_SIZE];
	struct rtap_count dropped_here = interface->dropped_here;

	if (dropped_rest)
		dropped_here.value += interface->captured - captured;
	if (only_losses && !interface->dropped && !interface->dropped_by_system.value && !dropped_here.value)
		return;
	print_error("%s: %" COUNT " captured; received: %s; dropped: by the device %s, by the kernel %s, here %s", interface->file,
		 COUNTED(captured, "packet", "packets"),
		 count_text((struct rtap_count){ interface->has_received, interface->received }, received),
		 count_text((struct rtap_count){ interface->has_dropped, interface->dropped }, dropped),
		 count_text(interface->dropped_by_system, by_system), count_text(dropped_here, here));
}

void diagnostics_live(const struct rtap_source *source, const struct packet_counters *packets, bool only_losses)
{
	size_t count = rtap_source_interface_count(source);
	char text[ESCAPED_SIZE];

	for (size_t i = 0; i < count; i++)
		report_interface(rtap_source_interface(source, i), count > 1 ? packets->by_source[i] : packets->taken, packets->dropped_rest > 0,
				 only_losses);
	if (count < 2)
		return;
	for (size_t i = 0; i < rtap_source_note_count(source); i++)
		if (!strncmp(rtap_source_note(source, i), "several sources", strlen("several sources")))
			print_error("%s", escaped(rtap_source_note(source, i), text));
	if (!only_losses)
		print_error("%" COUNT " captured from %zu sources", COUNTED(packets->taken, "packet", "packets"), count);
}

struct state_counters diagnostics_read_state(const struct rtap_tracker *tracker)
{
	struct state_counters state = { .joined = tracker_joined(tracker) };

	rtap_tracker_counters(tracker, &state.tracker, sizeof state.tracker);
	return state;
}

void diagnostics_state(const struct state_counters *state, bool reassembles, bool all)
{
	const struct captured_copies_summary joined = state->joined;
	const struct rtap_tracker_counters counters = state->tracker;

	if (counters.evictions)
		print_error("%" COUNT " state was evicted for lack of memory (raise --max-memory)",
			 COUNTED(counters.evictions, "time", "times"));
	if (counters.refused)
		print_error("%" COUNT " the system had no memory for state: the output is incomplete (lower --max-memory)",
			 COUNTED(counters.refused, "time", "times"));
	if (counters.unsupported && (reassembles || all))
		print_error("%" COUNT " of services without reassembly (reliable datagrams, reserved opcodes)",
			 COUNTED(counters.unsupported, "packet", "packets"));
	if (counters.icrc_ignored)
		print_error("%" COUNT " not counted as corrupt: the invariant CRCs of their senders are all wrong or zero",
			 COUNTED(counters.icrc_ignored, "packet was", "packets were"));
	if (joined.packets && !joined.offset_ns)
		print_error("%" COUNT " present in several files and counted once", COUNTED(joined.packets, "packet was", "packets were"));
	else if (joined.packets)
		print_error("%" COUNT " present in several files and counted once; the clock of interface %" PRIu32 " is %.6f s %s that of interface %" PRIu32,
			 COUNTED(joined.packets, "packet was", "packets were"), joined.interface, fabs((double)joined.offset_ns / 1e9),
			 joined.offset_ns < 0 ? "behind" : "ahead of", joined.other);
	if (counters.fragmented_lost)
		print_error("%" COUNT " could not be reassembled",
			 COUNTED(counters.fragmented_lost, "fragmented IP datagram", "fragmented IP datagrams"));
	if (!all)
		return;
	if (counters.fragmented_whole)
		print_error("%" COUNT " reassembled from fragments", COUNTED(counters.fragmented_whole, "IP datagram was", "IP datagrams were"));
	for (int i = 0; i < RTAP_CONNECTION_ANOMALY_COUNT; i++)
		if (counters.anomaly_counts[i])
			print_error("%" PRIu64 " %s", counters.anomaly_counts[i], rtap_connection_anomaly_name((enum rtap_connection_anomaly)i));
	print_error("%" COUNT ", %" COUNT " (%" PRIu64 " incomplete); peak memory of state %" PRIu64 " bytes",
		 COUNTED(counters.connections, "connection", "connections"), COUNTED(counters.messages, "message", "messages"),
		 counters.incomplete_messages, counters.peak_memory);
}

void diagnostics_verbose(const struct rtap_source *source, const struct packet_counters *packets)
{
	const struct rtap_source_counters *counters = &packets->read;
	char text[ESCAPED_SIZE];

	for (size_t i = 0; i < rtap_source_note_count(source); i++)
		print_error("%s", escaped(rtap_source_note(source, i), text));
	for (size_t i = 0; i < rtap_source_interface_count(source); i++) {
		const struct rtap_interface *interface = rtap_source_interface(source, i);
		const char *name = rtap_link_type_name(interface->link_type);

		print_error("%s: interface %zu, link type %" PRIu32 " (%s)", interface->file, i, interface->link_type, name ? name : "no name");
		if (interface->name[0])
			print_error("%s: interface %zu, name %s", interface->file, i, escaped(interface->name, text));
		if (interface->description[0])
			print_error("%s: interface %zu, description %s", interface->file, i, escaped(interface->description, text));
		if (interface->filter[0])
			print_error("%s: interface %zu, filter %s", interface->file, i, escaped(interface->filter, text));
		if (interface->has_received)
			print_error("%s: interface %zu received %" COUNT, interface->file, i, COUNTED(interface->received, "packet", "packets"));
	}
	print_error("%" COUNT ", %" COUNT " read; %" COUNT " skipped", COUNTED(counters->frames, "frame", "frames"),
		 COUNTED(counters->captured_bytes, "byte", "bytes"),
		 COUNTED(counters->skipped_blocks, "block of unknown type", "blocks of unknown types"));
	print_error("%" COUNT " processed, %" PRIu64 " passed the display filter", COUNTED(packets->taken, "packet", "packets"), packets->passed);
}
