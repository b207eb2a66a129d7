/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RDMATAP_WRITER_H
#define RDMATAP_WRITER_H

#include <stdbool.h>

#include <rdmatap/error.h>
#include <rdmatap/frame.h>

#pragma GCC visibility push(default)

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

/* Flushes, closes and frees, also after a failure, which is not told again. NULL is OK. */
enum rtap_status rtap_writer_close(struct rtap_writer *writer, struct rtap_error *error) __attribute__((warn_unused_result));

#pragma GCC visibility pop

#endif
