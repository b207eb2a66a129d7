/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writing sequences of files from batches.
 */
#ifndef CAPTURE_FILE_SERIES_H
#define CAPTURE_FILE_SERIES_H

#include "capture/file/writer.h"

/* As rtap_series_write(), but long frames are written without a copy and the batch is held until then. NULL: copied. */
enum rtap_status series_write_of(struct rtap_series *series, const struct rtap_frame *frame, struct rtap_batch *batch,
				 struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Advances the time, by the clock of the frames' time stamps, to at least `time_ns`: starts a file that is due by time although no frame
 * arrives, unless it would overwrite the current one. Results as for rtap_series_write().
 */
enum rtap_status series_advance(struct rtap_series *series, int64_t time_ns, struct rtap_error *error) __attribute__((warn_unused_result));

/* Writes the name of a file as a series with `numbered` has it; `size`: with the null. False: too long. */
bool series_numbered_name(const char *name, uint64_t number, int64_t time_ns, char *result, size_t size)
	__attribute__((warn_unused_result));

#endif
