/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `rdmatap export --blktrace`: commands on blocks as an I/O log of fio, version 3, which fio --read_iolog replays: fio(1), TRACE FILE FORMAT.
 * Times are those at which commands were sent, in microseconds since the first.
 */
#ifndef OUTPUT_EXPORT_EXPORT_IOLOG_H
#define OUTPUT_EXPORT_EXPORT_IOLOG_H

#include <rdmatap/error.h>

#include "reassembly/block_effect.h"

struct export_iolog;

/* Opens the file; "-" is standard output. `max_memory`: bytes for commands, which are written in order at the end. FAILED: see *error. */
enum rtap_status export_iolog_open(struct export_iolog **iolog, const char *name, uint64_t max_memory, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* A callback of a tracker: `iolog` is the struct export_iolog. */
void export_iolog_take(void *iolog, const struct block_effect *effect);

/* Commands written, and those omitted for lack of memory or because the size of their blocks is unknown; call before closing. */
void export_iolog_count(const struct export_iolog *iolog, uint64_t *written, uint64_t *left_out, uint64_t *unplaced);

/* Writes and frees. FAILED: see *error. NULL is ignored. */
enum rtap_status export_iolog_close(struct export_iolog *iolog, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
