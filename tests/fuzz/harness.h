/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RDMATAP_TESTS_FUZZ_HARNESS_H
#define RDMATAP_TESTS_FUZZ_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* In one program with others, a harness has functions of its own name, which driver.c calls. */
#ifdef HARNESS
#define HARNESS_PASTE(name, part) name##part
#define HARNESS_NAME(name, part) HARNESS_PASTE(name, part)
#define LLVMFuzzerTestOneInput HARNESS
#define input_part HARNESS_NAME(HARNESS, _part)
#endif

/*
 * What each fuzz_*.c defines, by libFuzzer's name for it. Takes any bytes; returns 0; a finding ends the process.
 * libFuzzer calls it, or driver.c where there is no libFuzzer.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * For driver.c --mutate, where a harness has it: the bytes of the part of an input that begins there, which are more than 0 and may be more than
 * there are: the header if that is the beginning, else a record.
 */
__attribute__((weak)) size_t input_part(const uint8_t *data, size_t size, size_t at);

/* What must be true of whatever comes in; if it is not, that is a finding. */
#define REQUIRE(condition) require(condition, #condition)

static inline void require(bool condition, const char *text)
{
	if (condition)
		return;
	fprintf(stderr, "a promise was broken: %s\n", text);
	abort();
}

#endif
