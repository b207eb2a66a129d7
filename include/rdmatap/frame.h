/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captured frames and batches of them.
 */
#ifndef RDMATAP_FRAME_H
#define RDMATAP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Link types that rdmatap dissects, numbered as in the registry at tcpdump.org (LINKTYPE_, not DLT_). */
enum rtap_link_type {
	RTAP_LINK_NULL = 0,
	RTAP_LINK_ETHERNET = 1,
	RTAP_LINK_RAW = 101,
	RTAP_LINK_LOOP = 108,
	RTAP_LINK_LINUX_SLL = 113,
	RTAP_LINK_PPI = 192,
	RTAP_LINK_ERF = 197,
	RTAP_LINK_IPV4 = 228,
	RTAP_LINK_IPV6 = 229,
	RTAP_LINK_NFLOG = 239,
	RTAP_LINK_IPOIB = 242,
	RTAP_LINK_INFINIBAND = 247,
	RTAP_LINK_LINUX_SLL2 = 276,
};

/* Borrowed bytes. */
struct rtap_span {
	const uint8_t *bytes;
	uint32_t length;
};

/* One captured frame. The bytes, comments and options belong to the batch and live as long as it does. */
struct rtap_frame {
	const uint8_t *bytes;
	uint32_t captured_length; /* bytes at `bytes` */
	uint32_t wire_length;     /* bytes on the wire; never less than captured_length */
	uint32_t link_type;       /* LINKTYPE_ number */
	uint32_t interface;       /* index for rtap_source_interface(): one number for each interface of each file */
	uint64_t number;          /* from 1, over all inputs, in the order delivered */
	int64_t time_ns;          /* nanoseconds since 1970-01-01 UTC; INT64_MIN / 2 to INT64_MAX / 2: differences do not overflow */
	int64_t relative_ns;      /* since the first frame delivered */
	int64_t delta_ns;         /* since the previous frame delivered */
	const struct rtap_span *comments; /* comments on this frame, UTF-8 as found, not null-terminated */
	uint32_t comment_count;
	uint8_t time_digits;      /* fractional digits of the seconds in the input; of several inputs, the most; 0: unknown */
	bool is_displayed;        /* set by a program that shows some frames: displayed_delta_ns is valid */
	uint16_t capture_point;   /* frames of different ones can be copies of one packet. Files of a rotated series have the same one */
	int64_t displayed_delta_ns; /* since the previous frame that was shown; the first: 0 */
	const struct rtap_span *options; /* what else a pcapng file says of it, for rtap_writer_write(): a list of options in host byte order; NULL: nothing */
};

/*
 * A batch of frames and the memory that they point into. The reference count is atomic, so that batches may pass between
 * threads. Users of frame bytes must hold a reference.
 */
struct rtap_batch {
	struct rtap_frame *frames; /* NULL: only counted, if struct rtap_live_options allowed that */
	size_t count;
};

/* Adds a reference and returns the batch. */
struct rtap_batch *rtap_batch_hold(struct rtap_batch *batch);

/* Drops a reference; dropping the last one frees the batch and its bytes. NULL is ignored. */
void rtap_batch_release(struct rtap_batch *batch);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
