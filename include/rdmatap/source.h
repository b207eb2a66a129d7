/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sources of frames: capture files here, devices in rdmatap/live.h. One thread at a time may use a source.
 */
#ifndef RDMATAP_SOURCE_H
#define RDMATAP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>
#include <rdmatap/frame.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A source of frames. */
struct rtap_source;

/* A number that may be unknown. */
struct rtap_count {
	bool known;
	uint64_t value;
};

/* An interface on which frames were captured, as the input describes it. Missing texts are "". */
struct rtap_interface {
	uint32_t link_type;   /* LINKTYPE_ number */
	uint32_t snap_length; /* bytes; 0: no limit given */
	const char *file;     /* name of the input */
	const char *name;
	const char *description;
	const char *filter;
	uint8_t fcs_length;        /* bytes of frame check sequence at the end of each frame */
	bool has_received, has_dropped; /* the counters below are known */
	uint64_t received;    /* packets received by the interface, from its statistics */
	uint64_t dropped;     /* packets dropped for lack of resources, from its statistics */
	struct rtap_count dropped_by_system; /* packets dropped by the operating system, from the statistics */
	struct rtap_count dropped_here;      /* live: packets received and dropped because the source's queue was full */
	uint64_t bits_per_second;            /* of the link; 0: unknown */
	uint8_t time_digits;                 /* fractional digits of the time stamps' seconds, 9 at most; 0: unknown */
	struct rtap_count queue_used, queue_size; /* live: bytes of the source's queue, as of the last read */
	uint64_t captured;                   /* live: frames delivered */
};

/* Counters of reading. They never decrease. */
struct rtap_source_counters {
	uint64_t frames;          /* delivered */
	uint64_t captured_bytes;  /* of these frames */
	uint64_t cut_frames;      /* delivered with fewer bytes than were on the wire */
	uint64_t skipped_blocks;  /* pcapng blocks of an unknown type */
	uint64_t bad_times;       /* time stamps before November 1823 or after February 2116, clamped to this range */
	uint64_t bad_lengths;     /* frames with a wire length below the captured length, which is used instead */
};

/*
 * Opens capture files (pcap or pcapng, optionally compressed; "-" is standard input) as one source,
 * merged by time stamp; frames with equal times keep the order of `names`. The names are copied.
 * FAILED: no file is open and *source is NULL.
 */
enum rtap_status rtap_source_open_files(struct rtap_source **source, const char *const *names, size_t count,
					struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Returns the next frames, in order, as a batch with one reference, which the caller owns. OK: *batch is set and has at
 * least one frame. END: end of input, or a signal handler (installed without SA_RESTART) interrupted the wait for
 * input; the next call then continues. BROKEN: an error in one input; its frames up to the error have been
 * delivered, and the next call continues with the other inputs. FAILED: out of memory or similar. Live sources: rdmatap/live.h.
 */
enum rtap_status rtap_source_read_batch(struct rtap_source *source, struct rtap_batch **batch,
					struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Returns frames one by one instead of in batches; do not mix the two. OK: *frame is set and valid until the next call or until
 * the source is closed; it is NULL if nothing arrived at a live source within wake_ms. Otherwise as rtap_source_read_batch(),
 * with *frame NULL.
 */
enum rtap_status rtap_source_read_frame(struct rtap_source *source, const struct rtap_frame **frame, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Starts a thread that reads and decompresses ahead of rtap_source_read_batch(). Do not access notes and counters, nor counts of interfaces,
 * until END, FAILED or rtap_source_stop(). False: not started, because an input is not a regular file, so that reading may
 * block, or out of memory.
 */
bool rtap_source_read_ahead(struct rtap_source *source);

/* Stops input: END follows; in a live source, after the frames received by then. May be called repeatedly. */
void rtap_source_stop(struct rtap_source *source);

/*
 * Interfaces seen so far; more may appear with each batch. Another thread than the one that reads may look up those of frames that it has, but
 * not their counts, which reading changes. They are valid until the source is closed.
 */
size_t rtap_source_interface_count(const struct rtap_source *source);
const struct rtap_interface *rtap_source_interface(const struct rtap_source *source, size_t index);

/* Comments on files and interfaces (not on frames) seen so far, as "FILE: text". */
size_t rtap_source_note_count(const struct rtap_source *source);
const char *rtap_source_note(const struct rtap_source *source, size_t index);

/* `size` is sizeof *counters. */
void rtap_source_counters(const struct rtap_source *source, struct rtap_source_counters *counters, size_t size);

/* Bytes read from all inputs, as stored, and their total size, 0 if unknown: for progress displays. */
void rtap_source_progress(const struct rtap_source *source, uint64_t *read_bytes, uint64_t *total_bytes);

/* Closes and frees. Batches already delivered stay valid. NULL is ignored. */
void rtap_source_close(struct rtap_source *source);

/* Name of a link type as in the registry ("ETHERNET"), or NULL if libpcap does not know it. */
const char *rtap_link_type_name(uint32_t link_type);

/* A compiled BPF capture filter, for frames of any link type. */
struct rtap_bpf;

/* Compiles `text`. FAILED: libpcap rejects it for every link type. */
enum rtap_status rtap_bpf_open(struct rtap_bpf **bpf, const char *text, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Sets *match to whether the frame passes. Compiles the program for a link type at the first frame of that type.
 * FAILED: BPF does not support this link type, or the expression is not valid for it.
 */
enum rtap_status rtap_bpf_match(struct rtap_bpf *bpf, const struct rtap_frame *frame, bool *match, struct rtap_error *error)
	__attribute__((warn_unused_result));

void rtap_bpf_close(struct rtap_bpf *bpf);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
