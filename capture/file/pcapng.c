/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture/file/file.h"
#include "capture/link_type.h"
#include "capture/file/pcapng.h"
#include "capture/tick.h"

/* An option of a block. */
struct option {
	uint16_t code, length;
	const uint8_t *value;
};

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
 * Takes the next option off *list. END: none is left. BROKEN: it is longer than the list.
 * draft-ietf-opsawg-pcapng, 3.5.
 */
static enum rtap_status next_option(const struct file *file, struct rtap_span *list, struct option *option,
				    struct rtap_error *reason)
{
	if (list->length < PCAPNG_OPTION_HEADER)
		return RTAP_STATUS_END;
	option->code = file_u16(file, list->bytes);
	option->length = file_u16(file, list->bytes + 2);
	option->value = list->bytes + PCAPNG_OPTION_HEADER;
	if (option->code == PCAPNG_OPTION_END)
		return RTAP_STATUS_END;
	if (padded(option->length) > list->length - PCAPNG_OPTION_HEADER)
		return broken(reason, "an option is longer than its block");
	list->bytes += PCAPNG_OPTION_HEADER + padded(option->length);
	list->length -= PCAPNG_OPTION_HEADER + padded(option->length);
	return RTAP_STATUS_OK;
}

/* The options of a block, after `fixed` bytes of its body. */
static struct rtap_span options_of(const struct block *block, uint32_t fixed)
{
	return (struct rtap_span){ block->body + fixed, block->length - fixed };
}

/* Checks the option list to its end before any option is used, because an invalid block may be read twice. */
static enum rtap_status check_options(const struct file *file, struct rtap_span list, struct rtap_error *reason)
{
	struct option option;
	enum rtap_status status;

	do
		status = next_option(file, &list, &option, reason);
	while (!status);
	return status == RTAP_STATUS_END ? RTAP_STATUS_OK : status;
}

/* A new section: its interfaces are numbered from 0 again. 4.1. */
static enum rtap_status read_section(struct file *file, const struct block *block, struct rtap_error *reason)
{
	struct rtap_span list;
	struct option option;
	enum rtap_status status;

	if (block->length < PCAPNG_SECTION_LENGTH)
		return broken(reason, "the section header is too short");
	if (file_u16(file, block->body + PCAPNG_SECTION_MAJOR) != 1) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "the section is of pcapng version %u.%u (only 1 is read)",
			       file_u16(file, block->body + PCAPNG_SECTION_MAJOR),
			       file_u16(file, block->body + PCAPNG_SECTION_MINOR));
		return RTAP_STATUS_BROKEN;
	}
	list = options_of(block, PCAPNG_SECTION_LENGTH);
	status = check_options(file, list, reason);
	if (status)
		return status;
	while (!next_option(file, &list, &option, reason))
		if (option.code == PCAPNG_OPTION_COMMENT &&
		    !source_metadata_add_note(file->metadata, file->name, option.value, option.length))
			return out_of_memory(reason);
	file->pcapng.interface_count = 0;
	return RTAP_STATUS_OK;
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
static bool take_interface_option(struct file *file, const struct option *option, struct rtap_interface *interface,
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
			tick->offset_seconds = (int64_t)file_u64(file, option->value);
		return true;
	case PCAPNG_IF_SPEED:
		if (option->length == 8)
			interface->bits_per_second = file_u64(file, option->value);
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
	struct rtap_span list;
	struct option option;
	enum rtap_status status;

	if (!added)
		return out_of_memory(reason);
	if (block->length < PCAPNG_INTERFACE_LENGTH)
		return broken(reason, "the interface description is too short");
	interface.link_type = link_type_of_file(file_u16(file, block->body + PCAPNG_INTERFACE_LINK_TYPE));
	interface.snap_length = file_u32(file, block->body + PCAPNG_INTERFACE_SNAP_LENGTH);
	tick_init(&added->tick);
	list = options_of(block, PCAPNG_INTERFACE_LENGTH);
	status = check_options(file, list, reason);
	if (status)
		return status;
	while (!next_option(file, &list, &option, reason)) {
		if (!take_interface_option(file, &option, &interface, &texts, &added->tick)) {
			status = out_of_memory(reason);
			goto out;
		}
	}
	interface.time_digits = interface.link_type == RTAP_LINK_ERF ? 9 : tick_digits(&added->tick);
	interface.name = texts.name;
	interface.description = texts.description;
	interface.filter = texts.filter;
	if (!source_metadata_add_interface(file->metadata, &interface, &added->number)) {
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
static enum rtap_status read_statistics(struct file *file, const struct block *block, struct rtap_error *reason)
{
	struct rtap_interface *interface;
	struct rtap_span list;
	struct option option;
	enum rtap_status status;
	uint32_t index;

	if (block->length < PCAPNG_STATISTICS_LENGTH)
		return broken(reason, "the interface statistics are too short");
	index = file_u32(file, block->body);
	if (index >= file->pcapng.interface_count)
		return broken(reason, "the statistics are of an interface that has not been described");
	interface = source_metadata_interface(file->metadata, file->pcapng.interfaces[index].number);
	list = options_of(block, PCAPNG_STATISTICS_LENGTH);
	status = check_options(file, list, reason);
	if (status)
		return status;
	while (!next_option(file, &list, &option, reason)) {
		if (option.code == PCAPNG_ISB_IFRECV && option.length == 8) {
			interface->received = file_u64(file, option.value);
			interface->has_received = true;
		} else if (option.code == PCAPNG_ISB_IFDROP && option.length == 8) {
			interface->dropped = file_u64(file, option.value);
			interface->has_dropped = true;
		} else if (option.code == PCAPNG_ISB_OSDROP && option.length == 8) {
			interface->dropped_by_system = (struct rtap_count){ true, file_u64(file, option.value) };
		}
	}
	return RTAP_STATUS_OK;
}

/* Makes the frame's comments out of an option list. */
static enum rtap_status read_comments(struct file *file, struct batch *batch, struct rtap_frame *frame, struct rtap_span list,
				      struct rtap_error *reason)
{
	struct rtap_span rest = list, *spans;
	struct option option;
	enum rtap_status status;
	uint32_t count = 0;

	while (!(status = next_option(file, &rest, &option, reason)))
		count += option.code == PCAPNG_OPTION_COMMENT;
	if (status != RTAP_STATUS_END)
		return status;
	if (!count)
		return RTAP_STATUS_OK;
	spans = batch_comments(batch, count);
	if (!spans)
		return out_of_memory(reason);
	frame->comments = spans;
	frame->comment_count = count;
	while (!next_option(file, &list, &option, reason))
		if (option.code == PCAPNG_OPTION_COMMENT)
			*spans++ = (struct rtap_span){ option.value, option.length };
	return RTAP_STATUS_OK;
}

/* An enhanced packet block, 4.3, or the packet block that it replaced, A: they differ in the interface's width. */
static enum rtap_status read_packet(struct file *file, const struct block *block, struct batch *batch, struct rtap_error *reason)
{
	struct rtap_source_counters *counters = &file->metadata->counters;
	struct rtap_frame *frame = &batch->frames[batch->shared.count];
	const struct pcapng_interface *interface;
	enum rtap_status status;
	uint32_t index, captured, wire;
	bool held;

	if (block->length < PCAPNG_PACKET_LENGTH)
		return broken(reason, "the packet block is too short");
	index = block->type == PCAPNG_OLD_PACKET ? file_u16(file, block->body) : file_u32(file, block->body);
	if (index >= file->pcapng.interface_count) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "the packet is of interface %u, but the section has described %zu", index,
			       file->pcapng.interface_count);
		return RTAP_STATUS_BROKEN;
	}
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
	status = read_comments(file, batch, frame, options_of(block, PCAPNG_PACKET_LENGTH + padded(captured)), reason);
	if (status)
		return status;
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
	batch->shared.count++;
	return RTAP_STATUS_OK;
}

/* A block that describes others. */
static enum rtap_status read_description(struct file *file, const struct block *block, struct rtap_error *reason)
{
	enum rtap_status status = block->type == PCAPNG_SECTION ? read_section(file, block, reason) :
				  block->type == PCAPNG_INTERFACE ? read_interface(file, block, reason) : read_statistics(file, block, reason);

	if (!status && file->describes)
		file->describes(file->owner, file->offset, block->length + PCAPNG_BLOCK_LEAST);
	return status;
}

static enum rtap_status read_block(struct file *file, const struct block *block, struct batch *batch, struct rtap_error *reason)
{
	switch (block->type) {
	case PCAPNG_SECTION:
	case PCAPNG_INTERFACE:
	case PCAPNG_STATISTICS:
		return read_description(file, block, reason);
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
		return RTAP_STATUS_OK;
	default:
		file->metadata->counters.skipped_blocks++;
		return RTAP_STATUS_OK;
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
