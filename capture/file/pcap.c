/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "capture/file/file.h"
#include "capture/link_type.h"
#include "capture/tick.h"

/*
 * pcap: a header, then records. draft-ietf-opsawg-pcap, sections 4 and 5.
 * The header's numbers, like the records', are in the byte order of the machine that wrote them.
 */
#define HEADER_LENGTH 24
#define HEADER_VERSION_MAJOR 4
#define HEADER_VERSION_MINOR 6
#define HEADER_SNAP_LENGTH 16
#define HEADER_LINK_TYPE 20
#define LINK_TYPE_MASK 0x03ffffffu
#define LINK_TYPE_HAS_FCS 0x04000000u
#define LINK_TYPE_FCS_SHIFT 28 /* in units of 16 bits */

#define RECORD_LENGTH 16
#define RECORD_SECONDS 0
#define RECORD_FRACTION 4
#define RECORD_CAPTURED 8
#define RECORD_WIRE 12

#define MAGIC_MICROSECONDS 0xa1b2c3d4u
#define MAGIC_NANOSECONDS 0xa1b23c4du

static bool take_magic(struct file *file, uint32_t magic)
{
	if (magic == MAGIC_MICROSECONDS)
		file->pcap.fraction_ns = 1000;
	else if (magic == MAGIC_NANOSECONDS)
		file->pcap.fraction_ns = 1;
	return file->pcap.fraction_ns;
}

static enum rtap_status pcap_open(struct file *file, size_t *need, struct rtap_error *reason)
{
	const uint8_t *header = file->block->bytes + file->begin;
	struct rtap_interface interface = { .file = file->name };
	uint32_t link_field;
	unsigned major, minor;

	*need = HEADER_LENGTH;
	if (file->end - file->begin < HEADER_LENGTH)
		return RTAP_STATUS_OK;
	*need = 0;
	if (!take_magic(file, file_u32(file, header))) {
		file->swapped = true;
		take_magic(file, file_u32(file, header));
	}
	major = file_u16(file, header + HEADER_VERSION_MAJOR);
	minor = file_u16(file, header + HEADER_VERSION_MINOR);
	/* Before 2.3 the two lengths were swapped; AIX writes 2.2 with its own link types. */
	if (major != 2 || minor < 3 || minor > 4) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "is a pcap file of version %u.%u%s (only 2.3 and 2.4 are read)", major, minor,
			       major == 2 && minor == 2 ? ", as AIX writes them" : "");
		return RTAP_STATUS_FAILED;
	}
	file->pcap.mixed_lengths = minor == 3;
	link_field = file_u32(file, header + HEADER_LINK_TYPE);
	file->pcap.link_type = interface.link_type = link_type_of_file(link_field & LINK_TYPE_MASK);
	if (link_field & LINK_TYPE_HAS_FCS)
		interface.fcs_length = (uint8_t)((link_field >> LINK_TYPE_FCS_SHIFT) * 2);
	interface.snap_length = file_u32(file, header + HEADER_SNAP_LENGTH);
	/* the time stamp of an ERF record has a finer resolution than that of the file */
	interface.time_digits = file->pcap.fraction_ns == 1 || interface.link_type == RTAP_LINK_ERF ? 9 : 6;
	if (!source_metadata_add_interface(file->metadata, &interface, &file->pcap.interface)) {
		rtap_error_set(reason, RTAP_ERROR_MEMORY, "out of memory, or too many interfaces");
		return RTAP_STATUS_FAILED;
	}
	file_advance(file, HEADER_LENGTH);
	return RTAP_STATUS_OK;
}

static inline uint32_t number_at(const uint8_t *bytes, bool swapped)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof value);
	return swapped ? __builtin_bswap32(value) : value;
}

/* The lengths in the record. */
static inline void read_lengths(const struct file *file, const uint8_t *record, bool swapped, uint32_t *captured, uint32_t *wire)
{
	*captured = number_at(record + RECORD_CAPTURED, swapped);
	*wire = number_at(record + RECORD_WIRE, swapped);
	if (*captured > *wire && file->pcap.mixed_lengths) {
		uint32_t swap = *captured;

		*captured = *wire;
		*wire = swap;
	}
}

static enum rtap_status pcap_read(struct file *file, struct batch *batch, size_t *need, struct rtap_error *reason)
{
	/* local copies, because the compiler must assume that frames alias these members */
	const uint8_t *first = file->block->bytes + file->begin, *record = first;
	size_t count = batch->shared.count, left = file->end - file->begin, size = RECORD_LENGTH;
	const int64_t fraction_ns = file->pcap.fraction_ns;
	const uint32_t link_type = file->pcap.link_type, interface = file->pcap.interface;
	const bool swapped = file->swapped;
	enum rtap_status status = RTAP_STATUS_OK;

	for (; count < FILE_BATCH_FRAMES && left >= RECORD_LENGTH; count++) {
		struct rtap_frame *frame = &batch->frames[count];
		uint32_t captured, wire;

		read_lengths(file, record, swapped, &captured, &wire);
		if (captured > FILE_MAX_CAPTURED) {
			rtap_error_set(reason, RTAP_ERROR_FORMAT, "the record claims %u captured bytes, more than any frame has", captured);
			status = RTAP_STATUS_BROKEN;
			break;
		}
		size = RECORD_LENGTH + captured;
		if (left < size)
			break;
		if (captured > wire) {
			file->metadata->counters.bad_lengths++;
			wire = captured;
		}
		*frame = (struct rtap_frame){
			.bytes = record + RECORD_LENGTH,
			.captured_length = captured,
			.wire_length = wire,
			.link_type = link_type,
			.interface = interface,
			/* 32-bit numbers on both sides: this cannot overflow */
			.time_ns = (int64_t)number_at(record + RECORD_SECONDS, swapped) * 1000000000 +
				   (int64_t)number_at(record + RECORD_FRACTION, swapped) * fraction_ns,
		};
		if (link_type == RTAP_LINK_ERF && captured >= 8)
			frame->time_ns = tick_erf_to_ns(frame->bytes);
		record += size;
		left -= size;
		size = RECORD_LENGTH;
	}
	file_advance(file, (size_t)(record - first));
	batch->shared.count = count;
	*need = size;
	return status;
}

const struct file_format pcap_format = {
	.unit = "record",
	.open = pcap_open,
	.read = pcap_read,
};
