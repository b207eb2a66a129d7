/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What fuzzers of requests over RoCE share: few addresses and keys, so that they meet, and a look at every byte that is reported. */
#ifndef RDMATAP_TESTS_FUZZ_REQUEST_KIT_H
#define RDMATAP_TESTS_FUZZ_REQUEST_KIT_H

#include <stdint.h>

#include "reassembly/store/coverage.h"

#include "harness.h"

static inline uint64_t address_of(uint8_t choice)
{
	return UINT64_C(0x7f0000000000) + (choice & 7u) * 0x400u;
}

static inline uint32_t key_of(uint8_t choice)
{
	return 0x1000u + (choice >> 3 & 3u);
}

static inline void put_little(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* The sum of a text's bytes: each is read, so that a sanitizer sees them. */
static inline uint64_t sum_of_text(const char *text)
{
	uint64_t sum = 0;

	for (; text && *text; text++)
		sum += (uint8_t)*text;
	return sum;
}

/* The same of data, NULL for none; no piece is empty. */
static inline uint64_t sum_of_data(const struct coverage *data)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; data && i < data->count; i++) {
		const struct coverage_run *piece = &coverage_runs(data)[i];
		const uint8_t *bytes = coverage_bytes(data, piece);

		REQUIRE(piece->begin < piece->end);
		for (uint64_t at = 0; bytes && at < piece->end - piece->begin; at++)
			sum += bytes[at];
	}
	return sum;
}

#endif
