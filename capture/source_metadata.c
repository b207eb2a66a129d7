/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture/source_metadata.h"

void numbering_take(struct numbering *numbering, struct rtap_batch *batch, uint8_t time_digits)
{
	struct numbering at = *numbering;

	if (!at.frames && batch->count)
		at.first_ns = at.last_ns = batch->frames[0].time_ns;
	for (size_t i = 0; i < batch->count; i++) {
		struct rtap_frame *frame = &batch->frames[i];

		frame->number = ++at.frames;
		frame->is_displayed = false;
		frame->capture_point = (uint16_t)frame->interface;
		frame->relative_ns = frame->time_ns - at.first_ns;
		frame->delta_ns = frame->time_ns - at.last_ns;
		frame->time_digits = time_digits;
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

static const char no_text[] = "";

static void text_fini(const char *text)
{
	if (text != no_text)
		free((char *)(uintptr_t)text);
}

static void interface_fini(struct rtap_interface *interface)
{
	text_fini(interface->name);
	text_fini(interface->description);
	text_fini(interface->filter);
}

static void options_fini(struct rtap_span options)
{
	free((uint8_t *)(uintptr_t)options.bytes);
}

/* A copy of a text, or no_text. NULL: out of memory. */
static const char *keep_text(struct source_metadata *metadata, const char *text)
{
	size_t size = text && *text ? strlen(text) + 1 : 0;

	if (!size)
		return no_text;
	if (size > SOURCE_MAX_TEXT_BYTES - metadata->text_bytes) {
		metadata->texts_dropped = true;
		return no_text;
	}
	metadata->text_bytes += size;
	return strdup(text);
}

static bool add_note(struct source_metadata *metadata, const char *file, const char *text, size_t length)
{
	char **notes = array_grow(metadata->notes, &metadata->note_room, metadata->note_count + 1, sizeof *notes);

	if (!notes)
		return false;
	metadata->notes = notes;
	if (asprintf(&metadata->notes[metadata->note_count], "%s: %.*s", file, (int)length, text) < 0)
		return false;
	metadata->note_count++;
	return true;
}

/* Reports once that texts of interfaces are dropped. */
static bool note_dropped(struct source_metadata *metadata, const char *file, bool had_dropped)
{
	static const char dropped[] = "names, descriptions and filters of more interfaces follow that are not kept";

	return had_dropped || !metadata->texts_dropped || add_note(metadata, file, dropped, sizeof dropped - 1);
}

static size_t room_of(unsigned table)
{
	return table ? (size_t)2 << table : 4;
}

/* Makes room for the options of a table, unless memory is short: then they cannot be kept. */
static void reserve_options(struct source_metadata *metadata, unsigned table)
{
	metadata->options[table] = calloc(room_of(table), sizeof *metadata->options[table]);
}

void source_metadata_keep_blocks(struct source_metadata *metadata)
{
	metadata->kept.wanted = true;
	for (unsigned i = 0; i < SOURCE_INTERFACE_TABLES && metadata->interfaces[i]; i++)
		reserve_options(metadata, i);
}

/* Makes room for one more, in new tables if necessary. NULL: there are too many, or out of memory. */
static struct rtap_interface *reserve_interface(struct source_metadata *metadata)
{
	static_assert(SOURCE_MAX_INTERFACES == 4 << (SOURCE_INTERFACE_TABLES - 1), "the tables have room for all");
	const unsigned table = source_metadata_table_of(metadata->interface_count);

	if (metadata->interface_count == SOURCE_MAX_INTERFACES)
		return NULL;
	if (!metadata->interfaces[table]) {
		metadata->interfaces[table] = malloc(room_of(table) * sizeof *metadata->interfaces[table]);
		if (metadata->kept.wanted)
			reserve_options(metadata, table);
	}
	return metadata->interfaces[table] ? source_metadata_interface(metadata, metadata->interface_count) : NULL;
}

/* Keeps a copy of the next interface's options, or none if they are too long. False: out of memory. */
static bool keep_options(struct source_metadata *metadata, struct rtap_span options)
{
	const unsigned table = source_metadata_table_of(metadata->interface_count);
	uint8_t *copy;

	if (!options.length)
		return true;
	if (options.length > SOURCE_MAX_TEXT_BYTES - metadata->text_bytes) {
		metadata->texts_dropped = true;
		return true;
	}
	copy = metadata->options[table] ? malloc(options.length) : NULL;
	if (!copy)
		return false;
	memcpy(copy, options.bytes, options.length);
	metadata->text_bytes += options.length;
	metadata->options[table][source_metadata_place_of(table, metadata->interface_count)] = (struct rtap_span){ copy, options.length };
	return true;
}

/* Drops those of the next interface. */
static void forget_options(struct source_metadata *metadata)
{
	const unsigned table = source_metadata_table_of(metadata->interface_count);

	if (!metadata->options[table])
		return;
	options_fini(source_metadata_options(metadata, metadata->interface_count));
	metadata->options[table][source_metadata_place_of(table, metadata->interface_count)] = (struct rtap_span){ NULL, 0 };
}

bool source_metadata_describe_interface(struct source_metadata *metadata, const struct rtap_interface *interface, struct rtap_span options,
					uint32_t *index)
{
	struct rtap_interface *added = reserve_interface(metadata);
	bool had_dropped = metadata->texts_dropped;

	if (!added)
		return false;
	*added = *interface;
	added->name = keep_text(metadata, interface->name);
	added->description = keep_text(metadata, interface->description);
	added->filter = keep_text(metadata, interface->filter);
	if (!added->name || !added->description || !added->filter || !keep_options(metadata, options)) {
		interface_fini(added);
		return false;
	}
	if (!note_dropped(metadata, interface->file, had_dropped)) {
		forget_options(metadata);
		interface_fini(added);
		return false;
	}
	if (added->time_digits > metadata->time_digits)
		metadata->time_digits = added->time_digits;
	*index = (uint32_t)metadata->interface_count++;
	return true;
}

bool source_metadata_add_interface(struct source_metadata *metadata, const struct rtap_interface *interface, uint32_t *index)
{
	return source_metadata_describe_interface(metadata, interface, (struct rtap_span){ NULL, 0 }, index);
}

bool source_metadata_add_note(struct source_metadata *metadata, const char *file, const uint8_t *text, size_t length)
{
	static const char full[] = "more comments follow that are not kept";
	size_t size = strlen(file) + length;

	if (metadata->notes_dropped)
		return true;
	if (metadata->note_count < SOURCE_MAX_NOTES && size <= SOURCE_MAX_TEXT_BYTES - metadata->text_bytes) {
		metadata->text_bytes += size;
		return add_note(metadata, file, (const char *)text, length);
	}
	metadata->notes_dropped = true;
	return add_note(metadata, file, full, sizeof full - 1);
}

void source_metadata_fini(struct source_metadata *metadata)
{
	for (size_t i = 0; i < metadata->interface_count; i++) {
		options_fini(source_metadata_options(metadata, i));
		interface_fini(source_metadata_interface(metadata, i));
	}
	for (size_t i = 0; i < SOURCE_INTERFACE_TABLES; i++) {
		free(metadata->options[i]);
		free(metadata->interfaces[i]);
	}
	for (size_t i = 0; i < metadata->note_count; i++)
		free(metadata->notes[i]);
	free(metadata->notes);
	kept_blocks_fini(&metadata->kept);
}
