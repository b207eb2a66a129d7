/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "capture/file.h"
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
	/* Before 2.3 the lengths stood the other way round; AIX writes 2.2 with link types of its own. */
	if (major != 2 || minor < 3 || minor > 4) {
		rtap_error_set(reason, "is a pcap file of version %u.%u%s (only 2.3 and 2.4 are read)", major, minor,
			       major == 2 && minor == 2 ? ", as AIX writes them" : "");
		return RTAP_STATUS_FAILED;
	}
	file->pcap.mixed_lengths = minor == 3;
	link_field = file_u32(file, header + HEADER_LINK_TYPE);
	file->pcap.link_type = interface.link_type = link_type_of_file(link_field & LINK_TYPE_MASK);
	if (link_field & LINK_TYPE_HAS_FCS)
		interface.fcs_length = (uint8_t)((link_field >> LINK_TYPE_FCS_SHIFT) * 2);
	interface.snap_length = file_u32(file, header + HEADER_SNAP_LENGTH);
	if (!ledger_add_interface(file->ledger, &interface, &file->pcap.interface)) {
		rtap_error_set(reason, "out of memory, or too many interfaces");
		return RTAP_STATUS_FAILED;
	}
	file_advance(file, HEADER_LENGTH);
	return RTAP_STATUS_OK;
}

static enum rtap_status pcap_read(struct file *file, struct batch *batch, size_t *need, struct rtap_error *reason)
{
	struct rtap_source_counters *counters = &file->ledger->counters;
	size_t count = batch->shared.count;
	enum rtap_status status = RTAP_STATUS_OK;

	*need = RECORD_LENGTH;
	while (count < FILE_BATCH_FRAMES && file->end - file->begin >= RECORD_LENGTH) {
		const uint8_t *record = file->block->bytes + file->begin;
		struct rtap_frame *frame = &batch->frames[count];
		uint32_t captured = file_u32(file, record + RECORD_CAPTURED);
		uint32_t wire = file_u32(file, record + RECORD_WIRE);

		if (captured > wire && file->pcap.mixed_lengths) {
			uint32_t swap = captured;

			captured = wire;
			wire = swap;
		}
		if (captured > FILE_MAX_CAPTURED) {
			rtap_error_set(reason, "the record claims %u captured bytes, more than any frame has", captured);
			status = RTAP_STATUS_BROKEN;
			break;
		}
		*need = RECORD_LENGTH + captured;
		if (file->end - file->begin < *need)
			break;
		if (captured > wire) {
			counters->bad_lengths++;
			wire = captured;
		}
		frame->bytes = record + RECORD_LENGTH;
		frame->captured_length = captured;
		frame->wire_length = wire;
		frame->link_type = file->pcap.link_type;
		frame->interface = file->pcap.interface;
		/* 32-bit numbers on both sides: this cannot overflow. */
		frame->time_ns = (int64_t)file_u32(file, record + RECORD_SECONDS) * 1000000000 +
				 (int64_t)file_u32(file, record + RECORD_FRACTION) * file->pcap.fraction_ns;
		if (frame->link_type == RTAP_LINK_ERF && captured >= 8)
			frame->time_ns = tick_erf_to_ns(frame->bytes);
		frame->comments = NULL;
		frame->comment_count = 0;
		file_advance(file, *need);
		*need = RECORD_LENGTH;
		count++;
	}
	batch->shared.count = count;
	return status;
}

const struct file_format pcap_format = {
	.unit = "record",
	.open = pcap_open,
	.read = pcap_read,
};
