/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compression of a file by several threads: blocks of a fixed size, each a gzip member, Zstandard frame or LZ4 frame of its
 * own. A file is all of them, one after the other (RFC 1952, 2.2; RFC 8878, 3).
 */
#ifndef CAPTURE_PACKER_H
#define CAPTURE_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/compression.h"

#define PACKER_BLOCK (256u * 1024)
#define PACKER_JOBS 4

struct packer;

/* NULL: out of memory. Threads are started with the second block. */
struct packer *packer_create(enum compression compression);

/* Whether PACKER_JOBS blocks were put and not taken: take one before the next is put. */
bool packer_is_full(const struct packer *packer);

/* Whether no block was put that was not taken. */
bool packer_is_empty(const struct packer *packer);

/* Has a copy of a block compressed, of up to PACKER_BLOCK bytes. */
void packer_put(struct packer *packer, const uint8_t *bytes, size_t length);

/* Waits for the oldest block that was put; *bytes are valid until the next call of packer_put(). False: out of memory. */
bool packer_take(struct packer *packer, const uint8_t **bytes, size_t *length);

/* Ends the threads. NULL is ignored. */
void packer_destroy(struct packer *packer);

#endif
