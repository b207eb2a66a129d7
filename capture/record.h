/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames in capture file format, contiguous and ready to be written: pcap records (draft-ietf-opsawg-pcap, 5) or pcapng
 * enhanced packet blocks (draft-ietf-opsawg-pcapng, 4.3) of the first interface, in host byte order.
 */
#ifndef CAPTURE_RECORD_H
#define CAPTURE_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rdmatap/frame.h>

#include "capture/compression.h"
#include "capture/file/pcapng.h"

enum record_form {
	RECORD_PCAP,
	RECORD_PCAPNG,
};

/* Determines the format (true: pcapng) and *compression from a file's name. */
bool record_name_is_pcapng(const char *name, enum compression *compression);

/* The form of records in a file of this name. */
enum record_form record_form_of(const char *name);

#define RECORD_PCAP_HEADER 16u
#define RECORD_PCAPNG_HEADER (PCAPNG_BLOCK_HEADER + PCAPNG_PACKET_LENGTH)
#define RECORD_CHUNK 32u /* bytes copied at a time; up to as many are read beyond a frame's end and written beyond a record's */
#define RECORD_NS_A_SECOND 1000000000u

/* Buffer size needed to make a record with this number of captured bytes. */
static inline size_t record_room(size_t captured)
{
	return captured + RECORD_PCAPNG_HEADER + 2 * RECORD_CHUNK;
}

/* Size of the record. */
static inline size_t record_size(enum record_form form, const uint8_t *record)
{
	uint32_t length;

	if (form == RECORD_PCAPNG) {
		memcpy(&length, record + 4, sizeof length);
		return length;
	}
	memcpy(&length, record + 8, sizeof length);
	return RECORD_PCAP_HEADER + length;
}

/* Copies in chunks of fixed length, without calls and with few branches: for frames of some hundred bytes. */
static inline void record_copy(uint8_t *to, const uint8_t *from, uint32_t length)
{
	for (uint32_t done = 0; done < length; done += RECORD_CHUNK)
		memcpy(to + done, from + done, RECORD_CHUNK);
}

/* Makes a record and returns its size. Times before 1970, or beyond 32 bits of seconds (pcap), are clamped. */
static inline size_t record_make(enum record_form form, uint8_t *record, const uint8_t *bytes, uint32_t captured, uint32_t wire_length,
				 int64_t time_ns)
{
	const uint64_t most = (uint64_t)UINT32_MAX * RECORD_NS_A_SECOND, time = time_ns < 0 ? 0 : (uint64_t)time_ns;

	if (form == RECORD_PCAPNG) {
		const uint32_t padded = (captured + 3) & ~3u, size = PCAPNG_BLOCK_LEAST + PCAPNG_PACKET_LENGTH + padded, zeros = 0;
		const uint32_t header[] = { PCAPNG_PACKET, size, 0, (uint32_t)(time >> 32), (uint32_t)time, captured, wire_length };

		_Static_assert(sizeof header == RECORD_PCAPNG_HEADER, "no holes");
		memcpy(record, header, sizeof header);
		record_copy(record + sizeof header, bytes, captured);
		memcpy(record + sizeof header + captured, &zeros, sizeof zeros);
		memcpy(record + sizeof header + padded, &size, sizeof size);
		return size;
	}
	const uint64_t stored = time < most ? time : most;
	const uint32_t header[] = { (uint32_t)(stored / RECORD_NS_A_SECOND), (uint32_t)(stored % RECORD_NS_A_SECOND), captured, wire_length };

	_Static_assert(sizeof header == RECORD_PCAP_HEADER, "no holes");
	memcpy(record, header, sizeof header);
	record_copy(record + sizeof header, bytes, captured);
	return sizeof header + captured;
}

/* The frame of a record from record_make(); it borrows the record's bytes. */
static inline struct rtap_frame record_frame(enum record_form form, const uint8_t *record)
{
	struct rtap_frame frame = { .link_type = RTAP_LINK_ETHERNET };
	uint32_t header[RECORD_PCAPNG_HEADER / 4];

	if (form == RECORD_PCAPNG) {
		memcpy(header, record, RECORD_PCAPNG_HEADER);
		frame.time_ns = (int64_t)((uint64_t)header[3] << 32 | header[4]);
		frame.captured_length = header[5];
		frame.wire_length = header[6];
		frame.bytes = record + RECORD_PCAPNG_HEADER;
		return frame;
	}
	memcpy(header, record, RECORD_PCAP_HEADER);
	frame.time_ns = (int64_t)header[0] * RECORD_NS_A_SECOND + header[1];
	frame.captured_length = header[2];
	frame.wire_length = header[3];
	frame.bytes = record + RECORD_PCAP_HEADER;
	return frame;
}

#endif
