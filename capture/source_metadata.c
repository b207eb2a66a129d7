/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/source_metadata.h"

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

void source_metadata_set_counters(struct source_metadata *metadata, const struct numbering *numbering)
{
	metadata->counters.frames = numbering->frames;
	metadata->counters.captured_bytes = numbering->captured_bytes;
	metadata->counters.cut_frames = numbering->cut_frames;
}

static void interface_fini(struct rtap_interface *interface)
{
	free((char *)interface->name);
	free((char *)interface->description);
	free((char *)interface->filter);
}

bool source_metadata_add_interface(struct source_metadata *metadata, const struct rtap_interface *interface, uint32_t *index)
{
	struct rtap_interface *added;

	if (metadata->interface_count == MAX_INTERFACES)
		return false;
	if (metadata->interface_count == metadata->interface_room) {
		size_t room = metadata->interface_room ? metadata->interface_room * 2 : 4;
		struct rtap_interface *interfaces = realloc(metadata->interfaces, room * sizeof *interfaces);

		if (!interfaces)
			return false;
		metadata->interfaces = interfaces;
		metadata->interface_room = room;
	}
	added = &metadata->interfaces[metadata->interface_count];
	*added = *interface;
	added->name = strdup(interface->name ? interface->name : "");
	added->description = strdup(interface->description ? interface->description : "");
	added->filter = strdup(interface->filter ? interface->filter : "");
	if (!added->name || !added->description || !added->filter) {
		interface_fini(added);
		return false;
	}
	*index = (uint32_t)metadata->interface_count++;
	return true;
}

bool source_metadata_add_note(struct source_metadata *metadata, const char *file, const uint8_t *text, size_t length)
{
	static const char full[] = "more comments follow that are not kept";

	if (metadata->note_count > MAX_NOTES)
		return true;
	if (metadata->note_count == MAX_NOTES) {
		text = (const uint8_t *)full;
		length = sizeof full - 1;
	}
	if (metadata->note_count == metadata->note_room) {
		size_t room = metadata->note_room ? metadata->note_room * 2 : 4;
		char **notes = realloc(metadata->notes, room * sizeof *notes);

		if (!notes)
			return false;
		metadata->notes = notes;
		metadata->note_room = room;
	}
	if (asprintf(&metadata->notes[metadata->note_count], "%s: %.*s", file, (int)length, (const char *)text) < 0)
		return false;
	metadata->note_count++;
	return true;
}

void source_metadata_fini(struct source_metadata *metadata)
{
	for (size_t i = 0; i < metadata->interface_count; i++)
		interface_fini(&metadata->interfaces[i]);
	free(metadata->interfaces);
	for (size_t i = 0; i < metadata->note_count; i++)
		free(metadata->notes[i]);
	free(metadata->notes);
}
