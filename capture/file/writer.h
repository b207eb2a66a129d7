/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_FILE_WRITER_H
#define CAPTURE_FILE_WRITER_H

#include <rdmatap/writer.h>

#include "capture/batch.h"
#include "capture/kept_blocks.h"

/*
 * As rtap_writer_open(), but the suffix of `like` determines the format, and the source (borrowed; NULL: none) supplies the
 * interface descriptions of a pcapng file.
 */
enum rtap_status writer_open_like(struct rtap_writer **writer, const char *name, const char *like, uint32_t link_type,
				  bool unbuffered, const struct rtap_source *source, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* As rtap_writer_write(); long frames are written without a copy and `batch` (NULL: copied) is held until then. */
enum rtap_status writer_write_of(struct rtap_writer *writer, const struct rtap_frame *frame, struct rtap_batch *batch,
				 struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Writes a batch's records unchanged and without a copy: the batch is held until then. False: nothing was done, because
 * they do not suit this file, or are too few. Otherwise *status is as returned by rtap_writer_write().
 */
bool writer_write_records(struct rtap_writer *writer, struct batch *batch, enum rtap_status *status, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Size of the file so far; of a compressed file, without bytes not yet compressed. */
uint64_t writer_size(const struct rtap_writer *writer);

/* As rtap_series_hand_over(). */
enum rtap_status writer_hand_over(struct rtap_writer *writer, uid_t user, gid_t group, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Sets the mode of a regular file. */
enum rtap_status writer_set_mode(struct rtap_writer *writer, mode_t mode, struct rtap_error *error) __attribute__((warn_unused_result));

/* Sets the comments of a pcapng file, each at most 65,535 bytes, before anything is written; borrowed. */
void writer_set_comments(struct rtap_writer *writer, const char *const *comments, size_t count);

/* How far the blocks that the source keeps have been written, over the files of a series. All zero: nothing. */
struct writer_place {
	const struct kept_block *section; /* the one of the frames; NULL: none yet */
	const struct kept_block *last;    /* written last */
};

/* Continues at the place where an earlier file ended; that file's section, names and secrets are repeated. Before anything is written. */
void writer_continue(struct rtap_writer *writer, const struct writer_place *place);
struct writer_place writer_place(const struct rtap_writer *writer);

/* Says that this is the last file: it ends with what the source keeps after the last frame, if the source has ended. */
void writer_set_last(struct rtap_writer *writer);

/* As rtap_series_options.as_frames_come, before anything is written. */
void writer_set_as_frames_come(struct rtap_writer *writer, bool as_frames_come);

#endif
