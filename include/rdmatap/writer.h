/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writing capture files. One thread at a time may use a writer or series.
 */
#ifndef RDMATAP_WRITER_H
#define RDMATAP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
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

struct rtap_writer_options {
	size_t size;        /* sizeof(struct rtap_writer_options) */
	uint32_t link_type; /* of a pcap file to which no frame is written; otherwise that of its first frame counts */
	bool unbuffered;    /* each frame is written to the file before rtap_writer_write() returns */
};

/*
 * Creates `name`: pcapng if the name, without a suffix for compression, ends in .pcapng, else pcap, both with nanosecond time stamps;
 * compressed if the name ends in .gz, .zst or .lz4; "-" is standard output.
 * options: NULL for the defaults.
 * Writing to a closed pipe raises SIGPIPE; if the program ignores it, calls return FAILED with RTAP_ERROR_CLOSED.
 */
enum rtap_status rtap_writer_open(struct rtap_writer **writer, const char *name, const struct rtap_writer_options *options,
				  struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Appends one frame; pcapng files keep its comments and options. FAILED: a write error such as a full disk, or the frame's link type differs
 * from that of a pcap file's first frame.
 * Times that the file cannot represent (before 1970; in pcap also after 2106-02-07) are replaced by the nearest one that it can.
 */
enum rtap_status rtap_writer_write(struct rtap_writer *writer, const struct rtap_frame *frame, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Writes the file header and all buffered frames to the file. */
enum rtap_status rtap_writer_flush(struct rtap_writer *writer, struct rtap_error *error) __attribute__((warn_unused_result));

/* Number of frames whose time stamp was clamped to the range of the file format. */
uint64_t rtap_writer_clamped_times(const struct rtap_writer *writer);

/* Flushes, closes and frees, also after a failure, which is not reported again. NULL is ignored: OK. */
enum rtap_status rtap_writer_close(struct rtap_writer *writer, struct rtap_error *error) __attribute__((warn_unused_result));

/* A sequence of capture files. */
struct rtap_series;

struct rtap_series_options {
	size_t size;                      /* sizeof(struct rtap_series_options) */
	uint64_t rotate_bytes;            /* start a new file when the current one is larger than this; 0: never */
	uint64_t rotate_seconds;          /* start a new file when a frame is this much later than the start of the file; 0: never */
	unsigned rotate_files;            /* see rtap_series_open(); 0: unlimited */
	uint32_t link_type;               /* as in struct rtap_writer_options; likewise unbuffered */
	bool unbuffered;
	const struct rtap_source *source; /* source of the interfaces described in pcapng files; borrowed; NULL: none */
	int64_t time_ns;                  /* start of the first file, by the clock of the frames' time stamps */
	uint64_t rotate_frames;           /* start a new file when the file has this many frames; 0: never */
	bool at_multiples;                /* rotate at multiples of rotate_seconds since local midnight: with 3600 at each full hour */
	bool numbered;                    /* name files as dumpcap does; see rtap_series_open() */
	uint64_t stop_bytes;              /* writing ends when a file has at least this size; 0: never */
	uint64_t stop_files;              /* ... when this many files have been written; 0: never */
	bool has_mode, has_group;         /* mode, group: of each new file that is a regular file */
	mode_t mode;
	gid_t group;
	const char *const *comments;      /* of each file, UTF-8, at most 65,535 bytes; pcapng only, else ignored; borrowed */
	size_t comment_count;
	/* Called when a file has been closed; `is_last`: because the series ends. `name` is borrowed for the call. May be NULL. */
	void (*closed)(void *owner, const char *name, bool is_last);
	void *owner;
	bool as_frames_come;              /* describe an interface with its first frame, without its counts: `source` may be read ahead of the frames */
};

/*
 * Opens the first file. Files are named as by tcpdump:
 *  - with `rotate_seconds`, `name` is a strftime(3) pattern, formatted with the local time at which the file is started;
 *  - with `rotate_bytes`, a number is appended to the name, starting with 1 for the second file; with `rotate_files` too, starting with
 *    0 for the first file and padded to the width of the highest number; after that many files the first is overwritten;
 *  - with `rotate_seconds` and `rotate_files`, writing ends after that many files; with `rotate_bytes` too, it is the size of each ring
 *    of numbers, and each time starts a new ring.
 * With `numbered` set instead, a file is named NAME_NNNNN_YYYYmmddHHMMSS.SUFFIX by its number from 1 and the local time of its start, and
 * `rotate_files` is the number of files that are kept: the oldest one of the series is deleted.
 * The suffix of `name`, without the number, determines format and compression. An existing file of the same name is overwritten.
 *
 * pcapng files take their interfaces' names and filters from the source, and at the end of each file, unless as_frames_come is set, the
 * numbers of frames received and dropped so far. options: NULL for the defaults.
 */
enum rtap_status rtap_series_open(struct rtap_series **series, const char *name, const struct rtap_series_options *options,
				  struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Appends one frame, to a new file if one is due. END: a new file is due, but the number of files is reached or the last
 * one failed. Otherwise as rtap_writer_write().
 */
enum rtap_status rtap_series_write(struct rtap_series *series, const struct rtap_frame *frame, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Appends the first `count` frames of a batch as rtap_series_write() does; *written is the number of frames written. Accepts
 * batches whose frames are NULL because rtap_live_options.written_as was set.
 */
enum rtap_status rtap_series_write_batch(struct rtap_series *series, struct rtap_batch *batch, size_t count, size_t *written,
					 struct rtap_error *error) __attribute__((warn_unused_result));

enum rtap_status rtap_series_flush(struct rtap_series *series, struct rtap_error *error) __attribute__((warn_unused_result));

/* Changes the owner of the file now open, if it is a regular file. */
enum rtap_status rtap_series_hand_over(struct rtap_series *series, uid_t user, gid_t group, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* As rtap_writer_clamped_times(), for all files. */
uint64_t rtap_series_clamped_times(const struct rtap_series *series);

/* As rtap_writer_close(). */
enum rtap_status rtap_series_close(struct rtap_series *series, struct rtap_error *error) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
