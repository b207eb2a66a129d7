/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finding a record or block of a capture file from any byte on.
 */
#ifndef CAPTURE_FILE_RECORD_SEARCH_H
#define CAPTURE_FILE_RECORD_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_SEARCH_NONE SIZE_MAX

struct record_search {
	bool is_pcapng;
	bool swapped;             /* the numbers of the file are not in host byte order */
	uint32_t fraction_limit;  /* pcap: parts of a second */
};

/*
 * Returns where the first record begins that plausible ones follow, several in a row or up to the end of the bytes.
 * `offset`: of the bytes in the file; is_end: the file ends after them. It may be wrong, where packets contain records or
 * other files: who needs to be sure compares it with where the record before it ends. RECORD_SEARCH_NONE: there is none in
 * these bytes.
 */
size_t record_search(const struct record_search *search, const uint8_t *bytes, size_t length, uint64_t offset, bool is_end);

#endif
