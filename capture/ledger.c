/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/ledger.h"

/* Input of any length may name interfaces and comments without end; memory may not grow so. */
#define MAX_INTERFACES 65536
#define MAX_NOTES 4096

void numbering_take(struct numbering *numbering, struct rtap_batch *batch)
{
	struct numbering at = *numbering;

	if (!at.frames && batch->count)
		at.first_ns = at.last_ns = batch->frames[0].time_ns;
	for (size_t i = 0; i < batch->count; i++) {
		struct rtap_frame *frame = &batch->frames[i];

		frame->number = ++at.frames;
		frame->relative_ns = frame->time_ns - at.first_ns;
		frame->delta_ns = frame->time_ns - at.last_ns;
		at.last_ns = frame->time_ns;
		at.captured_bytes += frame->captured_length;
		at.cut_frames += frame->captured_length < frame->wire_length;
	}
	*numbering = at;
}

void numbering_count(struct numbering *numbering, uint64_t frames, uint64_t captured_bytes, uint64_t cut_frames)
{
	numbering->frames += frames;
	numbering->captured_bytes += captured_bytes;
	numbering->cut_frames += cut_frames;
}

void ledger_set_counters(struct ledger *ledger, const struct numbering *numbering)
{
	ledger->counters.frames = numbering->frames;
	ledger->counters.captured_bytes = numbering->captured_bytes;
	ledger->counters.cut_frames = numbering->cut_frames;
}

static void interface_fini(struct rtap_interface *interface)
{
	free((char *)interface->name);
	free((char *)interface->description);
	free((char *)interface->filter);
}

bool ledger_add_interface(struct ledger *ledger, const struct rtap_interface *interface, uint32_t *index)
{
	struct rtap_interface *added;

	if (ledger->interface_count == MAX_INTERFACES)
		return false;
	if (ledger->interface_count == ledger->interface_room) {
		size_t room = ledger->interface_room ? ledger->interface_room * 2 : 4;
		struct rtap_interface *interfaces = realloc(ledger->interfaces, room * sizeof *interfaces);

		if (!interfaces)
			return false;
		ledger->interfaces = interfaces;
		ledger->interface_room = room;
	}
	added = &ledger->interfaces[ledger->interface_count];
	*added = *interface;
	added->name = strdup(interface->name ? interface->name : "");
	added->description = strdup(interface->description ? interface->description : "");
	added->filter = strdup(interface->filter ? interface->filter : "");
	if (!added->name || !added->description || !added->filter) {
		interface_fini(added);
		return false;
	}
	*index = (uint32_t)ledger->interface_count++;
	return true;
}

bool ledger_add_note(struct ledger *ledger, const char *file, const uint8_t *text, size_t length)
{
	static const char full[] = "more comments follow that are not kept";

	if (ledger->note_count > MAX_NOTES)
		return true;
	if (ledger->note_count == MAX_NOTES) {
		text = (const uint8_t *)full;
		length = sizeof full - 1;
	}
	if (ledger->note_count == ledger->note_room) {
		size_t room = ledger->note_room ? ledger->note_room * 2 : 4;
		char **notes = realloc(ledger->notes, room * sizeof *notes);

		if (!notes)
			return false;
		ledger->notes = notes;
		ledger->note_room = room;
	}
	if (asprintf(&ledger->notes[ledger->note_count], "%s: %.*s", file, (int)length, (const char *)text) < 0)
		return false;
	ledger->note_count++;
	return true;
}

void ledger_fini(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->interface_count; i++)
		interface_fini(&ledger->interfaces[i]);
	free(ledger->interfaces);
	for (size_t i = 0; i < ledger->note_count; i++)
		free(ledger->notes[i]);
	free(ledger->notes);
}
