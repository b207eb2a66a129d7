/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where frames come from: capture files here, devices in rdmatap/live.h. A source is used by one thread at a time.
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

/* Where frames come from. */
struct rtap_source;

/* A number that need not be known. */
struct rtap_count {
	bool known;
	uint64_t value;
};

/* What the input says of one interface that frames were captured on. Texts are "" when not told. */
struct rtap_interface {
	uint32_t link_type;   /* LINKTYPE_ number */
	uint32_t snap_length; /* bytes; 0: no limit told */
	const char *file;     /* name of the input */
	const char *name;
	const char *description;
	const char *filter;
	uint8_t fcs_length;        /* bytes of frame check sequence at each frame's end */
	bool has_received, has_dropped; /* whether the counters below were told */
	uint64_t received;    /* packets that the interface saw, by its statistics */
	uint64_t dropped;     /* packets lost for want of resources, by its statistics */
	struct rtap_count dropped_by_system; /* packets that the operating system had no room for, by the statistics */
	struct rtap_count dropped_here;      /* live: packets that were received and that our queue had no room for */
	uint64_t bits_per_second;            /* of the link; 0: not known */
	uint8_t time_digits;                 /* live: decimal digits of a second that time stamps have; 0: not told */
};

/* What happened while reading. Counts only grow. */
struct rtap_source_counters {
	uint64_t frames;          /* delivered */
	uint64_t captured_bytes;  /* of these frames */
	uint64_t cut_frames;      /* delivered with fewer bytes than were on the wire */
	uint64_t skipped_blocks;  /* pcapng blocks of a type not known here */
	uint64_t bad_times;       /* time stamps before November 1823 or after February 2116, held at the nearest end */
	uint64_t bad_lengths;     /* frames said to be shorter on the wire than captured; taken as the captured length */
};

/*
 * Opens capture files (pcap, pcapng, either compressed with gzip; "-" is standard input) as one source,
 * merged by time stamp; frames of equal time keep the order of `names`. Nothing of `names` is kept but copies.
 * FAILED: none of it is open and *source is NULL.
 */
enum rtap_status rtap_source_open_files(struct rtap_source **source, const char *const *names, size_t count,
					struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Gives the next frames, in order, as a batch that the caller owns one reference of. OK: *batch is set and holds at
 * least one frame. END: no more, or a signal handler (set up without SA_RESTART) interrupted the wait for
 * input; then the next call goes on. BROKEN: one input could not be read on; what it held before has
 * been delivered; the others go on with the next call. FAILED: out of memory and the like. Live sources: rdmatap/live.h.
 */
enum rtap_status rtap_source_read_batch(struct rtap_source *source, struct rtap_batch **batch,
					struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Gives frames one by one, for who wants no batches; do not mix the two. OK: *frame is set and valid until the next call or
 * the source is closed; it is NULL if a live source had nothing within wake_ms. Otherwise as rtap_source_read_batch(), with
 * *frame NULL.
 */
enum rtap_status rtap_source_read_frame(struct rtap_source *source, const struct rtap_frame **frame, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * From now on a thread of the source reads ahead of rtap_source_read_batch(), and inflates. Interfaces, notes and counters
 * belong to it until END, FAILED or rtap_source_stop(). False: it does not, because an input is no regular file, which may have
 * to be waited for, or there can be no thread.
 */
bool rtap_source_read_ahead(struct rtap_source *source);

/* Takes no more frames in: END follows; of a live source, when what has been received by then was read. May be called again. */
void rtap_source_stop(struct rtap_source *source);

/* Interfaces seen so far; more may appear with each batch. The returned struct is valid until the next read. */
size_t rtap_source_interface_count(const struct rtap_source *source);
const struct rtap_interface *rtap_source_interface(const struct rtap_source *source, size_t index);

/* Comments of the files and their interfaces (not of frames) seen so far, as "FILE: text". */
size_t rtap_source_note_count(const struct rtap_source *source);
const char *rtap_source_note(const struct rtap_source *source, size_t index);

struct rtap_source_counters rtap_source_counters(const struct rtap_source *source);

/* Bytes read of all inputs, as stored, and their total size, 0 if that cannot be known: for showing progress. */
void rtap_source_progress(const struct rtap_source *source, uint64_t *read_bytes, uint64_t *total_bytes);

/* Closes and frees. Batches already delivered stay valid. NULL is ignored. */
void rtap_source_close(struct rtap_source *source);

/* Name of a link type as the registry has it ("ETHERNET"), or NULL if libpcap knows none. */
const char *rtap_link_type_name(uint32_t link_type);

/* A compiled BPF capture filter; one serves frames of several link types. */
struct rtap_bpf;

/* Compiles `text`. FAILED: what libpcap objects to, whatever the link type. */
enum rtap_status rtap_bpf_compile(struct rtap_bpf **bpf, const char *text, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Whether the frame passes, in *match. The program for the frame's link type is compiled at its first frame.
 * FAILED: this link type has no BPF, or the expression has no meaning on it.
 */
enum rtap_status rtap_bpf_match(struct rtap_bpf *bpf, const struct rtap_frame *frame, bool *match, struct rtap_error *error)
	__attribute__((warn_unused_result));

void rtap_bpf_destroy(struct rtap_bpf *bpf);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
