/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_CAPTURE_KIT_H
#define TESTS_CAPTURE_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/source.h>

/* Makes capture files in memory and reads them. An error in these functions fails the test. */

/* Bytes being put together. `swapped`: numbers are appended in the byte order that is not this machine's. */
struct bytes {
	uint8_t *data;
	size_t length;
	size_t room; /* capacity of `data`, if bytes_add() allocated more than needed */
	bool swapped;
};

void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_add_u16(struct bytes *bytes, uint16_t number);
void bytes_add_u32(struct bytes *bytes, uint32_t number);
void bytes_add_u64(struct bytes *bytes, uint64_t number);
void bytes_free(struct bytes *bytes);

/* A whole file. */
struct bytes bytes_of_file(const char *name);

/* The same as gzip. */
struct bytes bytes_gzip(const struct bytes *bytes);

/* pcap. The frame's bytes count up from `seed`. */
void pcap_add_header(struct bytes *bytes, uint32_t magic, uint32_t link_field);
void pcap_add_record(struct bytes *bytes, uint32_t seconds, uint32_t fraction, uint32_t captured, uint32_t wire, uint8_t seed);

/* pcapng. pcapng_end() closes the block that pcapng_begin() returned the place of. */
size_t pcapng_begin(struct bytes *bytes, uint32_t type);
void pcapng_add_option(struct bytes *bytes, uint16_t code, const void *value, uint16_t length);
void pcapng_end(struct bytes *bytes, size_t place);
void pcapng_add_section(struct bytes *bytes);
void pcapng_add_interface(struct bytes *bytes, uint16_t link_type, uint32_t snap_length);
void pcapng_add_packet(struct bytes *bytes, uint32_t interface, uint64_t time, uint32_t captured, uint32_t wire, uint8_t seed);

/* Everything that a source returned. The frames point to memory that is valid until reading_free(). */
struct reading {
	struct rtap_source *source; /* NULL: it could not be opened, see the error */
	struct rtap_batch **batches;
	size_t batch_count;
	struct rtap_frame *frames;
	size_t count;
	size_t breaks;              /* times that BROKEN was returned */
	struct rtap_error error;    /* of the last of them, or of opening */
	struct rtap_source_counters counters;
};

/* Reads files from memory to the end, in blocks of block_size bytes that arrive step bytes at a time (0: as usual). */
struct reading reading_of_memory(const struct bytes *files, size_t count, size_t block_size, size_t step);

/* Reads named files to the end. */
struct reading reading_of_files(const char *const *names, size_t count);
void reading_free(struct reading *reading);

/* Fails the test unless the frames of `part` are the first ones of `all`. */
void reading_expect_prefix(const struct reading *part, const struct reading *all);

#endif
