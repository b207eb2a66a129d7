/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies of blocks and options of a pcapng file being read, for files written of it.
 */
#ifndef CAPTURE_FILE_PCAPNG_KEEP_H
#define CAPTURE_FILE_PCAPNG_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/frame.h>

struct file;
struct tick;

/*
 * Keeps a copy of a block that has neither a packet nor describes an interface, if blocks are wanted; one that cannot be kept is counted. `frames`: those of the file
 * before it; `interface`: the first one of the section, NULL: none yet. False: out of memory.
 */
bool pcapng_keep_block(struct file *file, uint32_t type, struct rtap_span body, const uint32_t *interface, uint64_t frames) __attribute__((warn_unused_result));

/* The same for a section with these settled options. */
bool pcapng_keep_section(struct file *file, struct rtap_span options, uint64_t frames) __attribute__((warn_unused_result));

/* The same for the statistics of interface `number` with this body (its interface, its time) and these settled options. */
bool pcapng_keep_statistics(struct file *file, uint32_t number, const struct tick *tick, const uint8_t *body, struct rtap_span options, uint64_t frames)
	__attribute__((warn_unused_result));

/* Reduces the settled options of an interface, in place, to those that struct rtap_interface and the times of frames do not have. */
struct rtap_span pcapng_other_options(uint8_t *options, uint32_t length);

#endif
