/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_SOURCE_METADATA_H
#define CAPTURE_SOURCE_METADATA_H

#include <stdatomic.h>
#include <stdbool.h>

#include <rdmatap/source.h>

#include "capture/kept_blocks.h"

/* Limits: the input may have any number of interfaces and comments, but memory must be bounded. */
#define SOURCE_MAX_INTERFACES 65536
#define SOURCE_INTERFACE_TABLES 15 /* the first has room for four, each other one for as many as all before it */
#define SOURCE_MAX_NOTES 4096
#define SOURCE_MAX_TEXT_BYTES (4u << 20)

/* Metadata of a source's inputs: interfaces, notes, counters. All zero: empty. */
struct source_metadata {
	struct rtap_interface *interfaces[SOURCE_INTERFACE_TABLES]; /* tables, which stay where they are; own the texts except `file` */
	struct rtap_span *options[SOURCE_INTERFACE_TABLES]; /* likewise, owned: those that struct rtap_interface lacks. NULL: no copy is made */
	atomic_size_t interface_count;     /* set after the interface: another thread may look up those below it */
	char **notes;
	size_t note_count, note_room;
	size_t text_bytes;                 /* of the interfaces' texts and the notes */
	bool texts_dropped, notes_dropped; /* texts or notes beyond a limit were dropped; a note reports it */
	uint8_t time_digits;               /* of the interfaces, the most */
	struct rtap_source_counters counters;
	struct kept_blocks kept;           /* of pcapng files, for copies */
	uint64_t options_left_out;         /* of pcapng files, which no copy of them can have */
};

/* The table of the interface with this number, at most SOURCE_MAX_INTERFACES. */
static inline unsigned source_metadata_table_of(size_t index)
{
	return index < 4 ? 0 : 30 - (unsigned)__builtin_clz((unsigned)index);
}

/* Its place there. */
static inline size_t source_metadata_place_of(unsigned table, size_t index)
{
	return table ? index - ((size_t)2 << table) : index;
}

/* The interface with this number, which must be below interface_count. */
static inline struct rtap_interface *source_metadata_interface(const struct source_metadata *metadata, size_t number)
{
	unsigned table = source_metadata_table_of(number);

	return &metadata->interfaces[table][source_metadata_place_of(table, number)];
}

/* Likewise its settled options that struct rtap_interface does not have, kept for copies of pcapng files. */
static inline struct rtap_span source_metadata_options(const struct source_metadata *metadata, size_t number)
{
	unsigned table = source_metadata_table_of(number);

	return metadata->options[table] ? metadata->options[table][source_metadata_place_of(table, number)] : (struct rtap_span){ NULL, 0 };
}

/* Position of a source in the frames it delivers. All zero: at the beginning. */
struct numbering {
	uint64_t frames, captured_bytes, cut_frames; /* as in struct rtap_source_counters */
	int64_t first_ns, last_ns;
};

/*
 * Numbers and counts the frames of the next batch and sets their time differences and resolution. Each interface is a capture point.
 */
void numbering_take(struct numbering *numbering, struct rtap_batch *batch, uint8_t time_digits);
/* The same for frames that are only counted. */
void numbering_count(struct numbering *numbering, uint64_t frames, uint64_t captured_bytes, uint64_t cut_frames);
/* Sets the counters to their values at that position. */
void source_metadata_set_counters(struct source_metadata *metadata, const struct numbering *numbering);

/* From now on, blocks and options are kept. Before the first frame is read. */
void source_metadata_keep_blocks(struct source_metadata *metadata);

/*
 * Adds an interface, with copies of its texts except `file`, which is borrowed; NULL texts become "", and so do texts beyond
 * SOURCE_MAX_TEXT_BYTES, which a note reports. *index is its number. False: out of memory, or SOURCE_MAX_INTERFACES reached.
 */
bool source_metadata_add_interface(struct source_metadata *metadata, const struct rtap_interface *interface, uint32_t *index)
	__attribute__((warn_unused_result));

/* The same with settled options for copies, which are copied, unless they are too long. */
bool source_metadata_describe_interface(struct source_metadata *metadata, const struct rtap_interface *interface, struct rtap_span options,
					uint32_t *index)
	__attribute__((warn_unused_result));

/* Adds the note "FILE: TEXT"; beyond a limit a last note reports that the rest is dropped. False: out of memory. */
bool source_metadata_add_note(struct source_metadata *metadata, const char *file, const uint8_t *text, size_t length)
	__attribute__((warn_unused_result));

/* Frees what it holds. */
void source_metadata_fini(struct source_metadata *metadata);

#endif
