/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_SOURCE_H
#define CAPTURE_SOURCE_H

#include <rdmatap/source.h>

/*
 * As rtap_source_open_files(), for files that stand in memory, which is borrowed for the source's life: for tests.
 * They are named "memory 1" and so on, read in blocks of `block_size` bytes (0: the usual ones) and arrive `step`
 * bytes at a time (0: at once).
 */
enum rtap_status source_open_memory(struct rtap_source **source, const struct rtap_span *files, size_t count,
				    size_t block_size, size_t step, struct rtap_error *error)
	__attribute__((warn_unused_result));

#endif
