/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture/file/file.h"
#include "capture/link_type.h"
#include "capture/file/pcapng.h"
#include "capture/file/pcapng_keep.h"
#include "capture/file/pcapng_options.h"
#include "capture/tick.h"

/* An interface of the section being read. */
struct pcapng_interface {
	uint32_t link_type, snap_length;
	uint32_t number; /* over all inputs */
	struct tick tick;
};

/* A block being read: the bytes between its two lengths. */
struct block {
	uint32_t type;
	const uint8_t *body;
	uint32_t length;
};

static enum rtap_status broken(struct rtap_error *reason, const char *text)
{
	rtap_error_set(reason, RTAP_ERROR_FORMAT, "%s", text);
	return RTAP_STATUS_BROKEN;
}

static enum rtap_status out_of_memory(struct rtap_error *reason)
{
	rtap_error_set(reason, RTAP_ERROR_MEMORY, "out of memory");
	return RTAP_STATUS_FAILED;
}

static uint32_t padded(uint32_t length)
{
	return (length + 3) & ~3u;
}

/*
 * The options of a block, after `fixed` bytes of its body, in host byte order. They are checked to the end before any is used, because a block
 * that cannot be read is read twice if frames precede it.
 */
static enum rtap_status take_options(struct file *file, const struct block *block, uint32_t fixed, enum pcapng_options_of kind,
				     struct rtap_span *list, struct rtap_error *reason)
{
	uint8_t *options = file->block->bytes + (block->body - file->block->bytes) + fixed;
	const bool swapped = file->swapped && file->pcapng.settled != file->offset + 1;

	*list = (struct rtap_span){ options, block->length - fixed };
	if (list->length < PCAPNG_OPTION_HEADER) {
		list->length = 0;
		return RTAP_STATUS_OK;
	}
	if (!pcapng_options_fit(*list, swapped))
		return broken(reason, "an option is longer than its block");
	list->length = pcapng_options_settle(options, list->length, kind, swapped, &file->metadata->options_left_out);
	file->pcapng.settled = file->offset + 1;
	return RTAP_STATUS_OK;
}

/* A new section: its interfaces are numbered from 0 again. 4.1. */
static enum rtap_status read_section(struct file *file, const struct block *block, uint64_t frames, struct rtap_error *reason)
{
	struct pcapng_option option;
	struct rtap_span list;
	enum rtap_status status;

	if (block->length < PCAPNG_SECTION_LENGTH)
		return broken(reason, "the section header is too short");
	if (file_u16(file, block->body + PCAPNG_SECTION_MAJOR) != 1) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "the section is of pcapng version %u.%u (only 1 is read)",
			       file_u16(file, block->body + PCAPNG_SECTION_MAJOR),
			       file_u16(file, block->body + PCAPNG_SECTION_MINOR));
		return RTAP_STATUS_BROKEN;
	}
	status = take_options(file, block, PCAPNG_SECTION_LENGTH, PCAPNG_OPTIONS_OF_SECTION, &list, reason);
	if (status)
		return status;
	if (!pcapng_keep_section(file, list, frames))
		return out_of_memory(reason);
	while (pcapng_options_next(&list, &option))
		if (option.code == PCAPNG_OPTION_COMMENT &&
		    !source_metadata_add_note(file->metadata, file->name, option.value, option.length))
			return out_of_memory(reason);
	file->pcapng.interface_count = 0;
	return RTAP_STATUS_OK;
}

static uint64_t host_u64(const uint8_t *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof number);
	return number;
}

/* Copies of the texts in an interface's options. */
struct interface_texts {
	char *name, *description, *filter;
};

static bool take_text(char **text, const uint8_t *value, uint16_t length)
{
	free(*text);
	*text = strndup((const char *)value, length);
	return *text;
}

/* The frame check sequence's length: bits by the draft's words, bytes by its example and in most files. */
static uint8_t fcs_bytes(uint8_t value)
{
	return value > 8 ? value / 8 : value;
}

/* One option of an interface description. 4.2. False: out of memory. */
static bool take_interface_option(struct file *file, const struct pcapng_option *option, struct rtap_interface *interface,
				  struct interface_texts *texts, struct tick *tick)
{
	switch (option->code) {
	case PCAPNG_OPTION_COMMENT:
		return source_metadata_add_note(file->metadata, file->name, option->value, option->length);
	case PCAPNG_IF_NAME:
		return take_text(&texts->name, option->value, option->length);
	case PCAPNG_IF_DESCRIPTION:
		return take_text(&texts->description, option->value, option->length);
	case PCAPNG_IF_FILTER:
		/* The first byte is the type: 0 is a libpcap filter expression. */
		if (option->length && !option->value[0])
			return take_text(&texts->filter, option->value + 1, option->length - 1);
		return true;
	case PCAPNG_IF_TSRESOL:
		if (option->length == 1)
			tick_set_resolution(tick, option->value[0]);
		return true;
	case PCAPNG_IF_TSOFFSET:
		if (option->length == 8)
			tick->offset_seconds = (int64_t)host_u64(option->value);
		return true;
	case PCAPNG_IF_SPEED:
		if (option->length == 8)
			interface->bits_per_second = host_u64(option->value);
		return true;
	case PCAPNG_IF_FCSLEN:
		if (option->length == 1)
			interface->fcs_length = fcs_bytes(option->value[0]);
		return true;
	default:
		return true;
	}
}

static struct pcapng_interface *new_interface(struct file *file)
{
	struct pcapng_interface *interfaces =
		array_grow(file->pcapng.interfaces, &file->pcapng.interface_room, file->pcapng.interface_count + 1, sizeof *interfaces);

	if (!interfaces)
		return NULL;
	file->pcapng.interfaces = interfaces;
	return &file->pcapng.interfaces[file->pcapng.interface_count];
}

static enum rtap_status read_interface(struct file *file, const struct block *block, struct rtap_error *reason)
{
	static_assert(SOURCE_MAX_INTERFACES == 65536, "the message says how many");
	struct rtap_interface interface = { .file = file->name };
	struct interface_texts texts = { NULL, NULL, NULL };
	struct pcapng_interface *added = new_interface(file);
	uint32_t options_length;
	uint8_t *options;
	struct pcapng_option option;
	struct rtap_span list;
	enum rtap_status status;

	if (!added)
		return out_of_memory(reason);
	if (block->length < PCAPNG_INTERFACE_LENGTH)
		return broken(reason, "the interface description is too short");
	interface.link_type = link_type_of_file(file_u16(file, block->body + PCAPNG_INTERFACE_LINK_TYPE));
	interface.snap_length = file_u32(file, block->body + PCAPNG_INTERFACE_SNAP_LENGTH);
	tick_init(&added->tick);
	status = take_options(file, block, PCAPNG_INTERFACE_LENGTH, PCAPNG_OPTIONS_OF_INTERFACE, &list, reason);
	if (status)
		return status;
	options = (uint8_t *)(uintptr_t)list.bytes;
	options_length = list.length;
	while (pcapng_options_next(&list, &option)) {
		if (!take_interface_option(file, &option, &interface, &texts, &added->tick)) {
			status = out_of_memory(reason);
			goto out;
		}
	}
	interface.time_digits = interface.link_type == RTAP_LINK_ERF ? 9 : tick_digits(&added->tick);
	interface.name = texts.name;
	interface.description = texts.description;
	interface.filter = texts.filter;
	list = file->metadata->kept.wanted ? pcapng_other_options(options, options_length) : (struct rtap_span){ NULL, 0 };
	if (!source_metadata_describe_interface(file->metadata, &interface, list, &added->number)) {
		if (file->metadata->interface_count == SOURCE_MAX_INTERFACES)
			status = broken(reason, "more than 65536 interfaces are described");
		else
			status = out_of_memory(reason);
		goto out;
	}
	added->link_type = interface.link_type;
	added->snap_length = interface.snap_length;
	file->pcapng.interface_count++;
out:
	free(texts.name);
	free(texts.description);
	free(texts.filter);
	return status;
}

/* Received and dropped packets of an interface. 4.6. */
static enum rtap_status read_statistics(struct file *file, const struct block *block, uint64_t frames, struct rtap_error *reason)
{
	struct rtap_interface *interface;
	struct pcapng_option option;
	struct rtap_span list;
	enum rtap_status status;
	uint32_t index;

	if (block->length < PCAPNG_STATISTICS_LENGTH)
		return broken(reason, "the interface statistics are too short");
	index = file_u32(file, block->body);
	if (index >= file->pcapng.interface_count)
		return broken(reason, "the statistics are of an interface that has not been described");
	interface = source_metadata_interface(file->metadata, file->pcapng.interfaces[index].number);
	status = take_options(file, block, PCAPNG_STATISTICS_LENGTH, PCAPNG_OPTIONS_OF_STATISTICS, &list, reason);
	if (status)
		return status;
	if (!pcapng_keep_statistics(file, file->pcapng.interfaces[index].number, &file->pcapng.interfaces[index].tick, block->body, list, frames))
		return out_of_memory(reason);
	while (pcapng_options_next(&list, &option)) {
		if (option.code == PCAPNG_ISB_IFRECV && option.length == 8) {
			interface->received = host_u64(option.value);
			interface->has_received = true;
		} else if (option.code == PCAPNG_ISB_IFDROP && option.length == 8) {
			interface->dropped = host_u64(option.value);
			interface->has_dropped = true;
		} else if (option.code == PCAPNG_ISB_OSDROP && option.length == 8) {
			interface->dropped_by_system = (struct rtap_count){ true, host_u64(option.value) };
		}
	}
	return RTAP_STATUS_OK;
}

#define NO_DROPS UINT16_MAX /* an old packet block that does not know them */
#define DROPS_SIZE (PCAPNG_OPTION_HEADER + sizeof(uint64_t))

/* The options of a frame besides comments: those of an old packet block with its count of lost packets as an option more. */
static bool keep_options(struct batch *batch, struct rtap_frame *frame, struct rtap_span list, uint16_t drops)
{
	const uint16_t header[] = { PCAPNG_EPB_DROPCOUNT, sizeof(uint64_t) };
	const uint64_t count = drops;
	size_t size = drops == NO_DROPS ? 0 : list.length + DROPS_SIZE;
	struct rtap_span *spans = batch_comments(batch, 1 + (uint32_t)((size + sizeof *spans - 1) / sizeof *spans));
	uint8_t *bytes;

	if (!spans)
		return false;
	frame->options = spans;
	*spans = list;
	if (!size)
		return true;
	bytes = (uint8_t *)(spans + 1);
	memcpy(bytes, list.bytes, list.length);
	memcpy(bytes + list.length, header, sizeof header);
	memcpy(bytes + list.length + sizeof header, &count, sizeof count);
	*spans = (struct rtap_span){ bytes, (uint32_t)size };
	return true;
}

/* Makes the frame's comments and options out of an option list. False: out of memory. */
static bool read_options(struct batch *batch, struct rtap_frame *frame, struct rtap_span list, uint16_t drops)
{
	struct rtap_span rest = list, *spans;
	struct pcapng_option option;
	uint32_t count = 0, others = drops != NO_DROPS;

	while (pcapng_options_next(&rest, &option))
		++*(option.code == PCAPNG_OPTION_COMMENT ? &count : &others);
	if (others && !keep_options(batch, frame, list, drops))
		return false;
	if (!count)
		return true;
	spans = batch_comments(batch, count);
	if (!spans)
		return false;
	frame->comments = spans;
	frame->comment_count = count;
	while (pcapng_options_next(&list, &option))
		if (option.code == PCAPNG_OPTION_COMMENT)
			*spans++ = (struct rtap_span){ option.value, option.length };
	return true;
}

/* An enhanced packet block, 4.3, or the packet block that it replaced, A: they differ in the interface's width. */
static enum rtap_status read_packet(struct file *file, const struct block *block, struct batch *batch, struct rtap_error *reason)
{
	struct rtap_source_counters *counters = &file->metadata->counters;
	struct rtap_frame *frame = &batch->frames[batch->shared.count];
	const struct pcapng_interface *interface;
	enum rtap_status status;
	uint32_t index, captured, wire;
	struct rtap_span list;
	uint16_t drops;
	bool held;

	if (block->length < PCAPNG_PACKET_LENGTH)
		return broken(reason, "the packet block is too short");
	index = block->type == PCAPNG_OLD_PACKET ? file_u16(file, block->body) : file_u32(file, block->body);
	if (index >= file->pcapng.interface_count) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "the packet is of interface %u, but the section has described %zu", index,
			       file->pcapng.interface_count);
		return RTAP_STATUS_BROKEN;
	}
	drops = block->type == PCAPNG_OLD_PACKET ? file_u16(file, block->body + PCAPNG_OLD_PACKET_DROPS) : NO_DROPS;
	captured = file_u32(file, block->body + PCAPNG_PACKET_CAPTURED);
	wire = file_u32(file, block->body + PCAPNG_PACKET_WIRE);
	if (captured > block->length - PCAPNG_PACKET_LENGTH) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "the packet claims %u captured bytes, but its block has room for %u", captured,
			       block->length - PCAPNG_PACKET_LENGTH);
		return RTAP_STATUS_BROKEN;
	}
	interface = &file->pcapng.interfaces[index];
	frame->bytes = block->body + PCAPNG_PACKET_LENGTH;
	frame->captured_length = captured;
	frame->wire_length = wire < captured ? captured : wire;
	frame->link_type = interface->link_type;
	frame->interface = interface->number;
	frame->comments = NULL;
	frame->comment_count = 0;
	frame->options = NULL;
	status = take_options(file, block, PCAPNG_PACKET_LENGTH + padded(captured), PCAPNG_OPTIONS_OF_PACKET, &list, reason);
	if (status)
		return status;
	if ((list.length || drops != NO_DROPS) && !read_options(batch, frame, list, drops))
		return out_of_memory(reason);
	frame->time_ns = tick_to_ns(&interface->tick, (uint64_t)file_u32(file, block->body + PCAPNG_PACKET_TIME_HIGH) << 32 |
				    file_u32(file, block->body + PCAPNG_PACKET_TIME_LOW), &held);
	if (frame->link_type == RTAP_LINK_ERF && captured >= 8) {
		frame->time_ns = tick_erf_to_ns(frame->bytes);
		held = false;
	}
	counters->bad_times += held;
	counters->bad_lengths += wire < captured;
	batch->shared.count++;
	return RTAP_STATUS_OK;
}

/* A simple packet block: of interface 0, without a time; cut at the interface's snap length. 4.4. */
static enum rtap_status read_simple_packet(struct file *file, const struct block *block, struct batch *batch,
					   struct rtap_error *reason)
{
	struct rtap_frame *frame = &batch->frames[batch->shared.count];
	const struct pcapng_interface *interface = file->pcapng.interfaces;
	uint32_t captured;

	if (block->length < PCAPNG_SIMPLE_LENGTH)
		return broken(reason, "the packet block is too short");
	if (!file->pcapng.interface_count)
		return broken(reason, "a simple packet, but the section has described no interface");
	captured = frame->wire_length = file_u32(file, block->body);
	if (interface->snap_length && captured > interface->snap_length)
		captured = interface->snap_length;
	if (captured > block->length - PCAPNG_SIMPLE_LENGTH) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "the packet has %u bytes, but its block has room for %u", captured,
			       block->length - PCAPNG_SIMPLE_LENGTH);
		return RTAP_STATUS_BROKEN;
	}
	frame->bytes = block->body + PCAPNG_SIMPLE_LENGTH;
	frame->captured_length = captured;
	frame->link_type = interface->link_type;
	frame->interface = interface->number;
	frame->time_ns = 0;
	frame->comments = NULL;
	frame->comment_count = 0;
	frame->options = NULL;
	batch->shared.count++;
	return RTAP_STATUS_OK;
}

/* A block that describes others. */
static enum rtap_status read_description(struct file *file, const struct block *block, uint64_t frames, struct rtap_error *reason)
{
	enum rtap_status status = block->type == PCAPNG_SECTION ? read_section(file, block, frames, reason) :
				  block->type == PCAPNG_INTERFACE ? read_interface(file, block, reason) : read_statistics(file, block, frames, reason);

	if (!status && file->describes)
		file->describes(file->owner, file->offset, block->length + PCAPNG_BLOCK_LEAST);
	return status;
}

/* A block of another kind: only copies of the file have it. */
static enum rtap_status read_other(struct file *file, const struct block *block, uint64_t frames, struct rtap_error *reason)
{
	const uint32_t *interface = file->pcapng.interface_count ? &file->pcapng.interfaces[0].number : NULL;

	if (!pcapng_keep_block(file, block->type, (struct rtap_span){ block->body, block->length }, interface, frames))
		return out_of_memory(reason);
	return RTAP_STATUS_OK;
}

static enum rtap_status read_block(struct file *file, const struct block *block, struct batch *batch, struct rtap_error *reason)
{
	const uint64_t frames = file->frame_count + batch->shared.count;

	switch (block->type) {
	case PCAPNG_SECTION:
	case PCAPNG_INTERFACE:
	case PCAPNG_STATISTICS:
		return read_description(file, block, frames, reason);
	case PCAPNG_PACKET:
	case PCAPNG_OLD_PACKET:
		return read_packet(file, block, batch, reason);
	case PCAPNG_SIMPLE_PACKET:
		return read_simple_packet(file, block, batch, reason);
	case PCAPNG_NAMES:
	case PCAPNG_JOURNAL:
	case PCAPNG_SECRETS:
	case PCAPNG_CUSTOM:
	case PCAPNG_CUSTOM_LOCAL:
		return read_other(file, block, frames, reason);
	default:
		file->metadata->counters.skipped_blocks++;
		return read_other(file, block, frames, reason);
	}
}

/* A section header defines the byte order of the whole section, including its own length. */
static enum rtap_status take_byte_order(struct file *file, const uint8_t *bytes, struct rtap_error *reason)
{
	file->swapped = false;
	if (file_u32(file, bytes + 8) == PCAPNG_BYTE_ORDER)
		return RTAP_STATUS_OK;
	file->swapped = true;
	if (file_u32(file, bytes + 8) == PCAPNG_BYTE_ORDER)
		return RTAP_STATUS_OK;
	return broken(reason, "the section header has no byte-order magic");
}

/*
 * Finds the block at the start of the bytes read. END: it is incomplete and needs *need bytes.
 * 3.1.
 */
static enum rtap_status find_block(struct file *file, struct block *block, size_t *need, struct rtap_error *reason)
{
	const uint8_t *bytes = file->block->bytes + file->begin;
	size_t available = file->end - file->begin;
	uint32_t length;

	*need = PCAPNG_BLOCK_LEAST;
	if (available < PCAPNG_BLOCK_LEAST)
		return RTAP_STATUS_END;
	block->type = file_u32(file, bytes);
	if (block->type == PCAPNG_SECTION) {
		enum rtap_status status = take_byte_order(file, bytes, reason);

		if (status)
			return status;
	}
	length = file_u32(file, bytes + 4);
	if (length < PCAPNG_BLOCK_LEAST || length % 4 || length > PCAPNG_BLOCK_MOST) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT,
			       "the block (type 0x%x) claims a length of %u bytes, which no block can have", block->type, length);
		return RTAP_STATUS_BROKEN;
	}
	*need = length;
	if (available < length)
		return RTAP_STATUS_END;
	if (file_u32(file, bytes + length - 4) != length) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "the block (type 0x%x) has two different lengths, %u at its start and %u at its end",
			       block->type, length, file_u32(file, bytes + length - 4));
		return RTAP_STATUS_BROKEN;
	}
	block->body = bytes + PCAPNG_BLOCK_HEADER;
	block->length = length - PCAPNG_BLOCK_LEAST;
	return RTAP_STATUS_OK;
}

static enum rtap_status pcapng_read(struct file *file, struct batch *batch, size_t *need, struct rtap_error *reason)
{
	enum rtap_status status = RTAP_STATUS_OK;
	struct block block;

	while (batch->shared.count < FILE_BATCH_FRAMES) {
		status = find_block(file, &block, need, reason);
		if (status)
			break;
		status = read_block(file, &block, batch, reason);
		if (status)
			break;
		file_advance(file, *need);
	}
	return status == RTAP_STATUS_END ? RTAP_STATUS_OK : status;
}

static void pcapng_close(struct file *file)
{
	free(file->pcapng.interfaces);
}

const struct file_format pcapng_format = {
	.unit = "block",
	.read = pcapng_read,
	.close = pcapng_close,
};
