/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rdmatap/source.h>

#include "base/struct_size.h"
#include "capture/file/pcapng.h"
#include "capture/file/pcapng_options.h"
#include "capture/sink.h"
#include "capture/source.h"
#include "capture/file/writer.h"

/* Numbers are written in host byte order, which both formats record. */

#define PCAP_SNAP_LENGTH 262144 /* libpcap's value for "no limit" */
#define PCAP_HAS_FCS 0x04000000u
#define PCAP_FCS_SHIFT 28 /* in units of 16 bits */
#define PCAP_FCS_MOST 30
#define NS_A_SECOND 1000000000

static const char application[] = PACKAGE_NAME " " PACKAGE_VERSION;

/* An interface that has been described in a pcapng file. */
struct described {
	uint32_t interface, link_type; /* the frames' */
	uint32_t index;                /* in the file */
};

struct rtap_writer {
	struct sink *sink;
	bool pcapng, unbuffered;
	bool begun, refused;       /* the file's header is written; cannot be written */
	uint32_t link_type;        /* of a pcap file */
	uint8_t fcs_length;        /* likewise */
	void *interfaces;          /* a tree of struct described, by tsearch() */
	struct described *last;    /* interface of the last frame written */
	uint32_t interface_count;
	uint64_t clamped_times;       /* frames whose time stamp was clamped */
	const struct rtap_source *source; /* source of interface descriptions; NULL: none */
	bool as_frames_come;       /* as in struct rtap_series_options */
	const char *const *comments; /* of the file */
	size_t comment_count;
	const struct kept_blocks *kept; /* of the source; NULL: none */
	struct writer_place place;  /* in these */
	bool merges;                /* the source has several files: they share a section */
	bool is_last;
	uint64_t number;            /* of the last frame written */
};

enum rtap_status writer_open_like(struct rtap_writer **writer, const char *name, const char *like, uint32_t link_type,
				  bool unbuffered, const struct rtap_source *source, struct rtap_error *error)
{
	struct rtap_writer *opened = calloc(1, sizeof *opened);
	enum compression compression;

	*writer = NULL;
	if (!opened) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	opened->pcapng = record_name_is_pcapng(like, &compression);
	opened->link_type = link_type;
	opened->unbuffered = unbuffered;
	opened->source = source;
	opened->kept = source && opened->pcapng ? source_kept_blocks(source) : NULL;
	opened->merges = source && source_file_count(source) > 1;
	if (sink_open(&opened->sink, name, compression, unbuffered, error)) {
		free(opened);
		return RTAP_STATUS_FAILED;
	}
	*writer = opened;
	return RTAP_STATUS_OK;
}

enum rtap_status rtap_writer_open(struct rtap_writer **writer, const char *name, const struct rtap_writer_options *given,
				  struct rtap_error *error)
{
	struct rtap_writer_options options;

	*writer = NULL;
	if (struct_size_take(&options, sizeof options, given, error))
		return RTAP_STATUS_FAILED;
	return writer_open_like(writer, name, name, options.link_type, options.unbuffered, NULL, error);
}

uint64_t writer_size(const struct rtap_writer *writer)
{
	return sink_size(writer->sink);
}

enum rtap_status writer_hand_over(struct rtap_writer *writer, uid_t user, gid_t group, struct rtap_error *error)
{
	return sink_hand_over(writer->sink, user, group, error);
}

enum rtap_status writer_set_mode(struct rtap_writer *writer, mode_t mode, struct rtap_error *error)
{
	return sink_set_mode(writer->sink, mode, error);
}

void writer_set_comments(struct rtap_writer *writer, const char *const *comments, size_t count)
{
	writer->comments = comments;
	writer->comment_count = count;
}

void writer_continue(struct rtap_writer *writer, const struct writer_place *place)
{
	writer->place = *place;
}

struct writer_place writer_place(const struct rtap_writer *writer)
{
	return writer->place;
}

void writer_set_last(struct rtap_writer *writer)
{
	writer->is_last = true;
}

void writer_set_as_frames_come(struct rtap_writer *writer, bool as_frames_come)
{
	writer->as_frames_come = as_frames_come;
}

static enum rtap_status out_of_memory(const struct rtap_writer *writer, struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", sink_name(writer->sink));
	return RTAP_STATUS_FAILED;
}

static struct rtap_span kept_options(const struct kept_block *section)
{
	return (struct rtap_span){ section->body, section->length };
}

static enum rtap_status refuse_link_type(const struct rtap_writer *writer, uint32_t link_type, struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "%s: link type %u does not fit into the file's 16 bits", sink_name(writer->sink), link_type);
	return RTAP_STATUS_FAILED;
}

/* draft-ietf-opsawg-pcap, section 4. */
static enum rtap_status begin_pcap(struct rtap_writer *writer, struct rtap_error *error)
{
	const uint32_t fcs = writer->fcs_length ? PCAP_HAS_FCS | (uint32_t)writer->fcs_length / 2 << PCAP_FCS_SHIFT : 0;
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t reserved[2], snap_length, link_type;
	} header = { 0xa1b23c4d, 2, 4, { 0, 0 }, PCAP_SNAP_LENGTH, writer->link_type | fcs };

	_Static_assert(sizeof header == 24, "a pcap header has 24 bytes");
	if (writer->link_type > UINT16_MAX)
		return refuse_link_type(writer, writer->link_type, error);
	return sink_write(writer->sink, &header, sizeof header, error);
}

static enum rtap_status write_padding(struct rtap_writer *writer, size_t length, struct rtap_error *error)
{
	static const uint8_t zeros[3];

	return sink_write(writer->sink, zeros, -length & 3, error);
}

static size_t option_size(size_t length)
{
	return PCAPNG_OPTION_HEADER + ((length + 3) & ~(size_t)3);
}

static enum rtap_status write_option(struct rtap_writer *writer, uint16_t code, const void *value,
				     size_t length, struct rtap_error *error)
{
	const uint16_t header[] = { code, (uint16_t)length };
	enum rtap_status status = sink_write(writer->sink, header, sizeof header, error);

	if (!status)
		status = sink_write(writer->sink, value, length, error);
	return status ? status : write_padding(writer, length, error);
}

static enum rtap_status end_options(struct rtap_writer *writer, struct rtap_error *error)
{
	static const uint16_t end[] = { PCAPNG_OPTION_END, 0 };

	return sink_write(writer->sink, end, sizeof end, error);
}

static enum rtap_status write_u32(struct rtap_writer *writer, uint32_t number, struct rtap_error *error)
{
	return sink_write(writer->sink, &number, sizeof number, error);
}

/* Writes the options of a list that `wanted` accepts. */
static enum rtap_status write_options_of(struct rtap_writer *writer, struct rtap_span list, bool (*wanted)(uint16_t code), struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;
	struct pcapng_option option;

	while (!status && pcapng_options_next(&list, &option))
		if (wanted(option.code))
			status = write_option(writer, option.code, option.value, option.length, error);
	return status;
}

static size_t size_of_options(struct rtap_span list, bool (*wanted)(uint16_t code))
{
	struct pcapng_option option;
	size_t size = 0;

	while (pcapng_options_next(&list, &option))
		if (wanted(option.code))
			size += option_size(option.length);
	return size;
}

/* The application is this one. */
static bool is_of_section(uint16_t code)
{
	return code != PCAPNG_SHB_USERAPPL;
}

static bool is_comment(uint16_t code)
{
	return code == PCAPNG_OPTION_COMMENT;
}

/* draft-ietf-opsawg-pcapng, 4.1. The options of `count` sections are kept: of one all but the application, of several the comments. */
static enum rtap_status write_section(struct rtap_writer *writer, const struct kept_block *const *sections, size_t count, struct rtap_error *error)
{
	size_t length = PCAPNG_BLOCK_LEAST + PCAPNG_SECTION_LENGTH + option_size(sizeof application - 1) + option_size(0);
	bool (*wanted)(uint16_t code) = writer->merges ? is_comment : is_of_section;
	struct {
		uint32_t type, length, byte_order;
		uint16_t major, minor;
		uint32_t section_length[2];
	} header = { PCAPNG_SECTION, 0, PCAPNG_BYTE_ORDER, 1, 0, { UINT32_MAX, UINT32_MAX } };
	enum rtap_status status;

	_Static_assert(sizeof header == PCAPNG_BLOCK_HEADER + PCAPNG_SECTION_LENGTH, "no holes");
	for (size_t i = 0; i < writer->comment_count; i++)
		length += option_size(strlen(writer->comments[i]));
	for (size_t i = 0; i < count; i++)
		length += size_of_options(kept_options(sections[i]), wanted);
	header.length = (uint32_t)length;
	status = sink_write(writer->sink, &header, sizeof header, error);
	for (size_t i = 0; !status && i < writer->comment_count; i++)
		status = write_option(writer, PCAPNG_OPTION_COMMENT, writer->comments[i], strlen(writer->comments[i]), error);
	for (size_t i = 0; !status && i < count; i++)
		status = write_options_of(writer, kept_options(sections[i]), wanted, error);
	if (!status)
		status = write_option(writer, PCAPNG_SHB_USERAPPL, application, sizeof application - 1, error);
	if (!status)
		status = end_options(writer, error);
	return status ? status : write_u32(writer, header.length, error);
}

/* The sections that the source has described before the frame, at most that of each file. NULL: out of memory. */
static const struct kept_block **sections_before(const struct rtap_writer *writer, uint64_t number, size_t *count)
{
	size_t most = source_file_count(writer->source);
	const struct kept_block **sections = calloc(most + 1, sizeof *sections), *block = NULL;

	*count = 0;
	while (sections && (block = kept_blocks_next_lasting(writer->kept, block)) && block->before < number && *count < most)
		if (block->type == PCAPNG_SECTION)
			sections[(*count)++] = block;
	return sections;
}

/* The header of a file whose first frame has this number. A single file's section is the first one, or that of the place to continue at. */
static enum rtap_status begin_pcapng(struct rtap_writer *writer, uint64_t number, struct rtap_error *error)
{
	const struct kept_block **sections, *first = writer->place.section;
	enum rtap_status status;
	size_t count;

	if (!writer->kept)
		return write_section(writer, NULL, 0, error);
	if (writer->merges) {
		sections = sections_before(writer, number, &count);
		if (!sections)
			return out_of_memory(writer, error);
		status = write_section(writer, sections, count, error);
		free(sections);
		return status;
	}
	if (!first && (first = kept_blocks_next(writer->kept, NULL)) && first->before < number && first->type == PCAPNG_SECTION)
		writer->place.section = writer->place.last = first;
	return write_section(writer, &writer->place.section, writer->place.section != NULL, error);
}

/* A frame's time, clamped to the file's range: nothing before 1970; in pcap 32 bits of seconds since then. */
static uint64_t clamped_time(struct rtap_writer *writer, const struct rtap_frame *frame)
{
	const uint64_t last = writer->pcapng ? INT64_MAX : (uint64_t)UINT32_MAX * NS_A_SECOND + NS_A_SECOND - 1;
	uint64_t time = frame->time_ns < 0 ? 0 : (uint64_t)frame->time_ns;

	writer->clamped_times += frame->time_ns < 0 || time > last;
	return time > last ? last : time;
}

static enum rtap_status write_bytes(struct rtap_writer *writer, const struct rtap_frame *frame, struct rtap_batch *batch,
				    struct rtap_error *error)
{
	if (batch)
		return sink_lend(writer->sink, frame->bytes, frame->captured_length, batch, error);
	return sink_write(writer->sink, frame->bytes, frame->captured_length, error);
}

static enum rtap_status write_record(struct rtap_writer *writer, const struct rtap_frame *frame, struct rtap_batch *batch,
				     struct rtap_error *error)
{
	const uint64_t time = clamped_time(writer, frame);
	const uint32_t header[] = {
		(uint32_t)(time / NS_A_SECOND), (uint32_t)(time % NS_A_SECOND), frame->captured_length, frame->wire_length,
	};
	enum rtap_status status = sink_write(writer->sink, header, sizeof header, error);

	return status ? status : write_bytes(writer, frame, batch, error);
}

static int compare_described(const void *one, const void *other)
{
	const struct described *a = one, *b = other;

	if (a->interface != b->interface)
		return a->interface < b->interface ? -1 : 1;
	return a->link_type < b->link_type ? -1 : a->link_type > b->link_type;
}

#define FILTER_IS_TEXT 0 /* an if_filter starts with a byte for its type */

/* if_filter holds a byte more than the text. */
static enum rtap_status write_filter(struct rtap_writer *writer, const char *text, struct rtap_error *error)
{
	const uint16_t header[] = { PCAPNG_IF_FILTER, (uint16_t)(strlen(text) + 1) };
	const uint8_t kind = FILTER_IS_TEXT;
	enum rtap_status status = sink_write(writer->sink, header, sizeof header, error);

	if (!status)
		status = sink_write(writer->sink, &kind, sizeof kind, error);
	if (!status)
		status = sink_write(writer->sink, text, strlen(text), error);
	return status ? status : write_padding(writer, strlen(text) + 1, error);
}

/* A text that fits a 16-bit length, or none. */
static const char *fitting(const char *text)
{
	return strlen(text) < UINT16_MAX ? text : "";
}

static size_t text_size(const char *text)
{
	return *text ? option_size(strlen(text)) : 0;
}

/* The frame check sequence's length as it is read: small numbers are bytes, others bits. 0: no option. */
static uint8_t fcs_option(uint8_t bytes)
{
	if (bytes <= 8)
		return bytes;
	return bytes > UINT8_MAX / 8 ? 0 : (uint8_t)(bytes * 8);
}

/* draft-ietf-opsawg-pcapng, 4.2. `interface` has further attributes; NULL: none are known. `others`: options to copy. */
static enum rtap_status write_interface(struct rtap_writer *writer, uint32_t link_type, const struct rtap_interface *interface,
					struct rtap_span others, struct rtap_error *error)
{
	const uint8_t nanoseconds = 9, fcs = interface ? fcs_option(interface->fcs_length) : 0;
	const char *name = interface ? fitting(interface->name) : "", *description = interface ? fitting(interface->description) : "";
	const char *filter = interface ? fitting(interface->filter) : "";
	const uint32_t length = (uint32_t)(PCAPNG_BLOCK_LEAST + PCAPNG_INTERFACE_LENGTH + text_size(name) + text_size(description) +
					   (*filter ? option_size(strlen(filter) + 1) : 0) +
					   (interface && interface->bits_per_second ? option_size(sizeof interface->bits_per_second) : 0) +
					   (fcs ? option_size(1) : 0) + option_size(1) + others.length + option_size(0));
	const struct {
		uint32_t type, length;
		uint16_t link_type, reserved;
		uint32_t snap_length;
	} header = { PCAPNG_INTERFACE, length, (uint16_t)link_type, 0, interface ? interface->snap_length : 0 };
	enum rtap_status status;

	_Static_assert(sizeof header == PCAPNG_BLOCK_HEADER + PCAPNG_INTERFACE_LENGTH, "no holes");
	status = sink_write(writer->sink, &header, sizeof header, error);
	if (!status && *name)
		status = write_option(writer, PCAPNG_IF_NAME, name, strlen(name), error);
	if (!status && *description)
		status = write_option(writer, PCAPNG_IF_DESCRIPTION, description, strlen(description), error);
	if (!status && interface && interface->bits_per_second)
		status = write_option(writer, PCAPNG_IF_SPEED, &interface->bits_per_second, sizeof interface->bits_per_second, error);
	if (!status)
		status = write_option(writer, PCAPNG_IF_TSRESOL, &nanoseconds, sizeof nanoseconds, error);
	if (!status && *filter)
		status = write_filter(writer, filter, error);
	if (!status && fcs)
		status = write_option(writer, PCAPNG_IF_FCSLEN, &fcs, sizeof fcs, error);
	if (!status)
		status = sink_write(writer->sink, others.bytes, others.length, error);
	if (!status)
		status = end_options(writer, error);
	return status ? status : write_u32(writer, length, error);
}

/* Sets writer->last to the interface, describing it in the file when it is new. */
static enum rtap_status find_interface(struct rtap_writer *writer, uint32_t interface, uint32_t link_type, struct rtap_error *error)
{
	struct described wanted = { interface, link_type, writer->interface_count }, *added;
	const struct rtap_interface *described;
	struct rtap_span others = { NULL, 0 };
	void *const *found;

	if (writer->last && !compare_described(writer->last, &wanted))
		return RTAP_STATUS_OK;
	found = tfind(&wanted, &writer->interfaces, compare_described);
	if (found) {
		writer->last = *found;
		return RTAP_STATUS_OK;
	}
	if (link_type > UINT16_MAX)
		return refuse_link_type(writer, link_type, error);
	added = malloc(sizeof *added);
	if (added)
		*added = wanted;
	if (!added || !tsearch(added, &writer->interfaces, compare_described)) {
		free(added);
		return out_of_memory(writer, error);
	}
	writer->last = added;
	writer->interface_count++;
	described = writer->source ? rtap_source_interface(writer->source, interface) : NULL;
	if (described)
		others = source_interface_options(writer->source, interface);
	return write_interface(writer, link_type, described, others, error);
}

/* Describes the interfaces that the source already has, so that a file without frames describes them too. */
static enum rtap_status describe_interfaces(struct rtap_writer *writer, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	for (uint32_t i = 0; !status && writer->source && !writer->as_frames_come && i < rtap_source_interface_count(writer->source); i++)
		status = find_interface(writer, i, rtap_source_interface(writer->source, i)->link_type, error);
	return status;
}

/* Interfaces of the source are described again. */
static enum rtap_status begin_section(struct rtap_writer *writer, const struct kept_block *section, struct rtap_error *error)
{
	tdestroy(writer->interfaces, free);
	writer->interfaces = NULL;
	writer->last = NULL;
	writer->interface_count = 0;
	writer->place.section = section;
	return write_section(writer, &section, 1, error);
}

/* `number`: of the interface that the body begins with, if it is one of statistics. */
static enum rtap_status write_block(struct rtap_writer *writer, const struct kept_block *block, uint32_t number, struct rtap_error *error)
{
	const uint32_t with_number = block->type == PCAPNG_STATISTICS ? sizeof number : 0;
	const uint32_t length = PCAPNG_BLOCK_LEAST + with_number + block->length, header[] = { block->type, length, number };
	enum rtap_status status = sink_write(writer->sink, header, PCAPNG_BLOCK_HEADER + with_number, error);

	if (!status)
		status = sink_write(writer->sink, block->body, block->length, error);
	return status ? status : write_u32(writer, length, error);
}

static enum rtap_status write_kept_block(struct rtap_writer *writer, const struct kept_block *block, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (block->type == PCAPNG_SECTION) /* of several files, those before the first frame are in the header */
		return writer->merges ? RTAP_STATUS_OK : begin_section(writer, block, error);
	if (block->type == PCAPNG_STATISTICS && !writer->as_frames_come) /* finish() writes their counts */
		return RTAP_STATUS_OK;
	/* Wireshark's programs expect an interface before anything else */
	if (block->has_interface && (block->type == PCAPNG_STATISTICS || !writer->interface_count))
		status = find_interface(writer, block->interface, rtap_source_interface(writer->source, block->interface)->link_type, error);
	return status ? status : write_block(writer, block, writer->last ? writer->last->index : 0, error);
}

/* Writes the blocks that the source keeps before the frame with this number and that are not yet written. */
static enum rtap_status write_kept(struct rtap_writer *writer, uint64_t number, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;
	const struct kept_block *block;

	while (!status && (block = kept_blocks_next(writer->kept, writer->place.last)) && block->before < number) {
		status = write_kept_block(writer, block, error);
		writer->place.last = block;
	}
	return status;
}

/* Bytes of names and secrets that each further file of a series repeats at most: its size must come from packets. */
#define MOST_REPEATED (256u << 10)

/* The first names and secrets that an earlier file of the series has, after the interface of the first frame (NULL: none). */
static enum rtap_status repeat_kept(struct rtap_writer *writer, const struct rtap_frame *frame, struct rtap_error *error)
{
	const struct kept_block *block = NULL, *last = writer->place.last;
	enum rtap_status status = RTAP_STATUS_OK;
	size_t left = MOST_REPEATED;

	if (frame)
		status = find_interface(writer, frame->interface, frame->link_type, error);
	while (!status && (block = kept_blocks_next_lasting(writer->kept, block)) && block->sequence <= last->sequence) {
		if (block->type == PCAPNG_SECTION)
			continue;
		if (PCAPNG_BLOCK_LEAST + block->length > left)
			return RTAP_STATUS_OK;
		left -= PCAPNG_BLOCK_LEAST + block->length;
		status = write_block(writer, block, 0, error);
	}
	return status;
}

/* `frame`: the first one; NULL: the file has none, and `number` is as in write_kept(). */
static enum rtap_status begin(struct rtap_writer *writer, const struct rtap_frame *frame, uint64_t number, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (writer->begun)
		return status;
	status = writer->pcapng ? begin_pcapng(writer, number, error) : begin_pcap(writer, error);
	if (!status && writer->pcapng)
		status = describe_interfaces(writer, error);
	if (!status && writer->kept && writer->place.last != writer->place.section)
		status = repeat_kept(writer, frame, error);
	if (!status)
		sink_mark(writer->sink);
	writer->begun = !status;
	writer->refused = status;
	return status;
}

static bool is_no_comment(uint16_t code)
{
	return code != PCAPNG_OPTION_COMMENT;
}

/* Size of a frame's comments and options. */
static enum rtap_status size_options(const struct rtap_writer *writer, const struct rtap_frame *frame, size_t *size,
				     struct rtap_error *error)
{
	*size = frame->options ? size_of_options(*frame->options, is_no_comment) : 0;
	for (uint32_t i = 0; i < frame->comment_count; i++) {
		if (frame->comments[i].length > UINT16_MAX) {
			rtap_error_set(error, RTAP_ERROR_UNSUPPORTED,
				       "%s: frame %" PRIu64 ": a comment of %u bytes does not fit into the file's 16-bit length",
				       sink_name(writer->sink), frame->number, frame->comments[i].length);
			return RTAP_STATUS_FAILED;
		}
		*size += option_size(frame->comments[i].length);
	}
	if (*size)
		*size += option_size(0);
	return RTAP_STATUS_OK;
}

/* `size`: of all, from size_options(). */
static enum rtap_status write_options(struct rtap_writer *writer, const struct rtap_frame *frame, size_t size, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (!size)
		return status;
	for (uint32_t i = 0; i < frame->comment_count && !status; i++)
		status = write_option(writer, PCAPNG_OPTION_COMMENT, frame->comments[i].bytes, frame->comments[i].length, error);
	if (!status && frame->options)
		status = write_options_of(writer, *frame->options, is_no_comment, error);
	return status ? status : end_options(writer, error);
}

/* draft-ietf-opsawg-pcapng, 4.3. */
static enum rtap_status write_packet(struct rtap_writer *writer, const struct rtap_frame *frame, struct rtap_batch *batch,
				     struct rtap_error *error)
{
	uint32_t header[7] = { PCAPNG_PACKET };
	enum rtap_status status;
	size_t options, length;
	uint64_t time;

	status = size_options(writer, frame, &options, error);
	if (!status)
		status = find_interface(writer, frame->interface, frame->link_type, error);
	if (status)
		return status;
	time = clamped_time(writer, frame);
	length = PCAPNG_BLOCK_LEAST + PCAPNG_PACKET_LENGTH + (((size_t)frame->captured_length + 3) & ~(size_t)3) + options;
	header[1] = (uint32_t)length;
	header[2] = writer->last->index;
	header[3] = (uint32_t)(time >> 32);
	header[4] = (uint32_t)time;
	header[5] = frame->captured_length;
	header[6] = frame->wire_length;
	status = sink_write(writer->sink, header, sizeof header, error);
	if (!status)
		status = write_bytes(writer, frame, batch, error);
	if (!status)
		status = write_padding(writer, frame->captured_length, error);
	if (!status)
		status = write_options(writer, frame, options, error);
	return status ? status : write_u32(writer, (uint32_t)length, error);
}

static enum rtap_status refuse_second_link_type(const struct rtap_writer *writer, uint32_t link_type, struct rtap_error *error)
{
	const char *first = rtap_link_type_name(writer->link_type), *second = rtap_link_type_name(link_type);

	rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "%s: link types %u (%s) and %u (%s): one link type a file; name it .pcapng",
		       sink_name(writer->sink),
		       writer->link_type, first ? first : "unknown", link_type, second ? second : "unknown");
	return RTAP_STATUS_FAILED;
}

static enum rtap_status refuse_second_fcs(const struct rtap_writer *writer, uint8_t length, struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "%s: frames with check sequences of %u and of %u bytes: one length a file; name it .pcapng",
		       sink_name(writer->sink), writer->fcs_length, length);
	return RTAP_STATUS_FAILED;
}

/* Length of a frame's check sequence as a pcap file can give it; 0: none, or it cannot. */
static uint8_t pcap_fcs(const struct rtap_writer *writer, const struct rtap_frame *frame)
{
	const struct rtap_interface *interface = writer->source ? rtap_source_interface(writer->source, frame->interface) : NULL;

	return interface && interface->fcs_length <= PCAP_FCS_MOST && interface->fcs_length % 2 == 0 ? interface->fcs_length : 0;
}

/* A pcap file has frames of one kind: that of the first one. */
static enum rtap_status suit_pcap(struct rtap_writer *writer, const struct rtap_frame *frame, struct rtap_error *error)
{
	const uint8_t fcs_length = pcap_fcs(writer, frame);

	if (!writer->begun) {
		writer->link_type = frame->link_type;
		writer->fcs_length = fcs_length;
	}
	if (frame->link_type != writer->link_type)
		return refuse_second_link_type(writer, frame->link_type, error);
	return fcs_length == writer->fcs_length ? RTAP_STATUS_OK : refuse_second_fcs(writer, fcs_length, error);
}

enum rtap_status writer_write_of(struct rtap_writer *writer, const struct rtap_frame *frame, struct rtap_batch *batch,
				 struct rtap_error *error)
{
	enum rtap_status status = writer->pcapng ? RTAP_STATUS_OK : suit_pcap(writer, frame, error);

	if (!status)
		status = begin(writer, frame, frame->number, error);
	if (!status && writer->kept)
		status = write_kept(writer, frame->number, error);
	writer->number = frame->number;
	if (!status)
		status = writer->pcapng ? write_packet(writer, frame, batch, error) : write_record(writer, frame, batch, error);
	if (!status)
		sink_mark(writer->sink);
	if (!status && writer->unbuffered)
		status = sink_flush(writer->sink, error);
	return status;
}

bool writer_write_records(struct rtap_writer *writer, struct batch *batch, enum rtap_status *status, struct rtap_error *error)
{
	if (batch->record_form != (writer->pcapng ? RECORD_PCAPNG : RECORD_PCAP) || !sink_takes_records(writer->sink, batch->record_bytes))
		return false;
	/* the first interface described in a pcapng file is the source's first */
	if (!writer->begun || (writer->pcapng ? !writer->source || writer->as_frames_come : writer->link_type != RTAP_LINK_ETHERNET))
		return false;
	*status = sink_lend_records(writer->sink, batch, error);
	if (!*status && writer->unbuffered)
		*status = sink_flush(writer->sink, error);
	return true;
}

enum rtap_status rtap_writer_write(struct rtap_writer *writer, const struct rtap_frame *frame, struct rtap_error *error)
{
	return writer_write_of(writer, frame, NULL, error);
}

enum rtap_status rtap_writer_flush(struct rtap_writer *writer, struct rtap_error *error)
{
	enum rtap_status status = begin(writer, NULL, writer->number, error);

	return status ? status : sink_flush(writer->sink, error);
}

uint64_t rtap_writer_clamped_times(const struct rtap_writer *writer)
{
	return writer->clamped_times;
}

/* draft-ietf-opsawg-pcapng, 4.6. */
static enum rtap_status write_statistics(struct rtap_writer *writer, uint32_t index, uint64_t time, const struct rtap_interface *interface,
					 struct rtap_error *error)
{
	/* The format has one count for all drops between the interface and the user. */
	const bool osdrop = interface->dropped_by_system.known || interface->dropped_here.known;
	const struct {
		bool known;
		uint16_t code;
		uint64_t value;
	} counts[] = {
		{ interface->has_received, PCAPNG_ISB_IFRECV, interface->received },
		{ interface->has_dropped, PCAPNG_ISB_IFDROP, interface->dropped },
		{ osdrop, PCAPNG_ISB_OSDROP, (interface->dropped_by_system.known ? interface->dropped_by_system.value : 0) +
			(interface->dropped_here.known ? interface->dropped_here.value : 0) },
	};
	uint32_t header[] = { PCAPNG_STATISTICS, PCAPNG_BLOCK_LEAST + PCAPNG_STATISTICS_LENGTH, index,
			      (uint32_t)(time >> 32), (uint32_t)time };
	enum rtap_status status;

	header[1] += (uint32_t)option_size(0);
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		header[1] += counts[i].known ? (uint32_t)option_size(sizeof counts[i].value) : 0;
	status = sink_write(writer->sink, header, sizeof header, error);
	for (size_t i = 0; !status && i < sizeof counts / sizeof counts[0]; i++)
		if (counts[i].known)
			status = write_option(writer, counts[i].code, &counts[i].value, sizeof counts[i].value, error);
	if (!status)
		status = end_options(writer, error);
	return status ? status : write_u32(writer, header[1], error);
}

/* The source's statistics, at the end of a pcapng file. */
static enum rtap_status finish(struct rtap_writer *writer, struct rtap_error *error)
{
	const uint64_t number = writer->kept && writer->is_last && source_has_ended(writer->source) ? UINT64_MAX : writer->number;
	enum rtap_status status = begin(writer, NULL, number, error);
	struct timespec now;

	if (!status && writer->kept)
		status = write_kept(writer, number, error);
	if (status || !writer->pcapng || !writer->source || writer->as_frames_come)
		return status;
	clock_gettime(CLOCK_REALTIME, &now);
	for (uint32_t i = 0; !status && i < rtap_source_interface_count(writer->source); i++) {
		const struct rtap_interface *interface = rtap_source_interface(writer->source, i);

		status = find_interface(writer, i, interface->link_type, error);
		if (!status)
			status = write_statistics(writer, writer->last->index,
						  (uint64_t)now.tv_sec * NS_A_SECOND + (uint64_t)now.tv_nsec, interface, error);
	}
	return status;
}

enum rtap_status rtap_writer_close(struct rtap_writer *writer, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK, close_status;

	if (!writer)
		return RTAP_STATUS_OK;
	if (!writer->refused)
		status = finish(writer, error);
	close_status = sink_close(writer->sink, status ? NULL : error);
	tdestroy(writer->interfaces, free);
	free(writer);
	return status ? status : close_status;
}
