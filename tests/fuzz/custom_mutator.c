/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libFuzzer's own changes of fuzz_outputs.c's inputs, and those of mutator.c: they keep the packets valid.
 */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "harness.h"
#include "mutator.h"

#define HEADER_LENGTH 4

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size, uint8_t *out, size_t room, unsigned seed);

/* Where an input's capture begins; more than its size if it has none. */
static size_t capture_at(const uint8_t *data, size_t size)
{
	return size < HEADER_LENGTH ? size + 1 : HEADER_LENGTH + (size_t)data[3];
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	struct mutant mutant = { 0 };
	size_t at = capture_at(data, size);

	if (seed % 4 == 0 || at >= size || !mutant_read(&mutant, data + at, size - at)) {
		mutant_fini(&mutant);
		return LLVMFuzzerMutate(data, size, room);
	}
	mutant.random = seed;
	if (mutant_below(&mutant, 4) == 0)
		data[0] = (uint8_t)mutant_below(&mutant, 256);
	mutant_change(&mutant, 1 + mutant_below(&mutant, 8));
	size = at + mutant_write(&mutant, data + at, room - at);
	mutant_fini(&mutant);
	return size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size, uint8_t *out, size_t room, unsigned seed)
{
	struct mutant mutant = { 0 }, other = { 0 };
	size_t at = capture_at(one, one_size), from = capture_at(two, two_size), length = 0;

	if (at < one_size && from < two_size && at < room && mutant_read(&mutant, one + at, one_size - at) &&
	    mutant_read(&other, two + from, two_size - from)) {
		mutant.random = seed;
		mutant_splice(&mutant, &other);
		memcpy(out, one, at);
		length = at + mutant_write(&mutant, out + at, room - at);
	}
	mutant_fini(&mutant);
	mutant_fini(&other);
	return length;
}
