/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writing capture files. A writer or series is used by one thread at a time.
 */
#ifndef RDMATAP_WRITER_H
#define RDMATAP_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdmatap/error.h>
#include <rdmatap/frame.h>
#include <rdmatap/source.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A capture file being written. */
struct rtap_writer;

/*
 * Creates `name`: pcapng with nanosecond stamps when the name ends in .pcapng or .pcapng.gz, else pcap
 * with nanosecond stamps; compressed with gzip when it ends in .gz; "-" is standard output.
 * A pcap file takes the link type of the first frame written (or `link_type` if none is written).
 * `unbuffered`: each frame reaches the file before rtap_writer_write() returns.
 * Writing to a closed pipe raises SIGPIPE; a program that ignores the signal gets FAILED with error->broken_pipe set.
 */
enum rtap_status rtap_writer_open(struct rtap_writer **writer, const char *name, uint32_t link_type, bool unbuffered,
				  struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Appends one frame. FAILED: the disk is full and the like, or a frame of another link type than
 * the first goes to a pcap file ("one link type a file; name it .pcapng"); comments are kept in pcapng.
 * Times that the file cannot hold (before 1970; in pcap also after 2106-02-07) are held at the nearest one.
 */
enum rtap_status rtap_writer_write(struct rtap_writer *writer, const struct rtap_frame *frame, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Makes the file's header and all frames taken reach the file. */
enum rtap_status rtap_writer_flush(struct rtap_writer *writer, struct rtap_error *error) __attribute__((warn_unused_result));

/* How many frames had a time that the file cannot hold. */
uint64_t rtap_writer_held_times(const struct rtap_writer *writer);

/* Flushes, closes and frees, also after a failure, which is not told again. NULL is OK. */
enum rtap_status rtap_writer_close(struct rtap_writer *writer, struct rtap_error *error) __attribute__((warn_unused_result));

/* When a frame goes to a new file. All zero: never. */
struct rtap_rotation {
	uint64_t bytes;    /* when the file has more than that; 0: never */
	uint64_t seconds;  /* when the frame is so much later than when the file was begun; 0: never */
	unsigned files;    /* see rtap_series_open(); 0: any number */
};

/* Capture files written one after the other. */
struct rtap_series;

/*
 * Opens the first file. The names, as tcpdump has them:
 *  - with `seconds`, `name` is a pattern for strftime(3), filled with the local time at which the file was begun;
 *  - with `bytes`, a number is put behind the name, from 1 in the second file on; with `files` too, from 0 in the first on,
 *    with as many digits as the highest needs; after `files` of them the first is written again;
 *  - with `seconds` and `files`, writing ends after `files` of them; with `bytes` too, `files` is the size of each ring of
 *    numbers, which begins anew with each time.
 * Format and compression go by the end of `name`, without the number. A name that comes again overwrites.
 *
 * The source (borrowed; NULL: none) tells what pcapng files say of interfaces: their names and filters, and at the end of
 * each file how many frames were received and dropped so far.
 * time_ns: when the first file is begun, by the clock of the frames' stamps.
 */
enum rtap_status rtap_series_open(struct rtap_series **series, const char *name, const struct rtap_rotation *rotation, uint32_t link_type,
				  bool unbuffered, const struct rtap_source *source, int64_t time_ns, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Appends one frame, to a new file if it is time for one. END: it is time, and there are to be no more files, or the last
 * one failed; else as rtap_writer_write().
 */
enum rtap_status rtap_series_write(struct rtap_series *series, const struct rtap_frame *frame, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Appends the first `count` frames of a batch, as rtap_series_write() does; *written: so many of them. Also of batches whose
 * frames are NULL because rtap_live_options.written_as was set.
 */
enum rtap_status rtap_series_write_batch(struct rtap_series *series, struct rtap_batch *batch, size_t count, size_t *written,
					 struct rtap_error *error) __attribute__((warn_unused_result));

enum rtap_status rtap_series_flush(struct rtap_series *series, struct rtap_error *error) __attribute__((warn_unused_result));

/* Gives the file that is open now to somebody, if it is a regular file. */
enum rtap_status rtap_series_hand_over(struct rtap_series *series, uid_t user, gid_t group, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* As rtap_writer_held_times(), of all files. */
uint64_t rtap_series_held_times(const struct rtap_series *series);

/* As rtap_writer_close(). */
enum rtap_status rtap_series_close(struct rtap_series *series, struct rtap_error *error) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
