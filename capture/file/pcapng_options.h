/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Option lists of pcapng blocks in host byte order, as they are read and kept. draft-ietf-opsawg-pcapng, 3.5.
 */
#ifndef CAPTURE_FILE_PCAPNG_OPTIONS_H
#define CAPTURE_FILE_PCAPNG_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/frame.h>

/* An option of a block. */
struct pcapng_option {
	uint16_t code, length;
	const uint8_t *value;
};

/* The blocks whose options have numbers. */
enum pcapng_options_of {
	PCAPNG_OPTIONS_OF_SECTION,
	PCAPNG_OPTIONS_OF_INTERFACE,
	PCAPNG_OPTIONS_OF_STATISTICS,
	PCAPNG_OPTIONS_OF_PACKET,
	PCAPNG_OPTIONS_OF_NAMES,
	PCAPNG_OPTIONS_OF_SECRETS,
};

/* Whether each option of the list ends within it, up to the end-of-options or that of the list. `swapped`: its numbers are not in host byte order. */
bool pcapng_options_fit(struct rtap_span list, bool swapped);

/*
 * Puts a list that fits into host byte order, in place, and returns its length without the end-of-options. Left out are custom options that must
 * not be copied and, if `swapped`, options of an unknown kind or length: *left_out grows by their number. A settled list that is not swapped stays.
 */
uint32_t pcapng_options_settle(uint8_t *list, uint32_t length, enum pcapng_options_of block, bool swapped, uint64_t *left_out);

/* Takes the next option off a settled list. False: none is left. */
bool pcapng_options_next(struct rtap_span *list, struct pcapng_option *option);

#endif
