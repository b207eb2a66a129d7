/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Live sources: capturing frames on a device of this machine; listing capture devices; sending frames.
 *
 * A device is named "KIND:NAME", such as "pcap:eth0" or "verbs:mlx5_0/1"; a name without a kind is looked up as verbs, pcap
 * and umad, in this order.
 */
#ifndef RDMATAP_LIVE_H
#define RDMATAP_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>
#include <rdmatap/frame.h>
#include <rdmatap/source.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Traffic that a raw-packet queue pair requests from the NIC. */
enum rtap_flow_type {
	RTAP_FLOW_SNIFFER, /* copies of all frames that the port receives and sends; the host still receives its own */
	RTAP_FLOW_NORMAL,  /* frames that the rules match; the host no longer receives them */
	RTAP_FLOW_ALL,     /* frames that no other rule matches */
	RTAP_FLOW_MULTICAST, /* multicast frames that no other rule matches */
};

struct rtap_devices; /* rdmatap/device.h */

/* Options for devices of kind verbs. */
struct rtap_verbs_options {
	size_t size;                 /* sizeof(struct rtap_verbs_options) */
	bool force;                  /* capture even if the port is not active */
	enum rtap_flow_type flow_type;
	const char *const *flow_rules; /* see rdmatap(1); a frame must match one of them; borrowed for the open */
	size_t flow_rule_count;      /* 0: all frames */
	uint16_t flow_priority;      /* 0 is the highest */
	bool flow_dont_trap;         /* normal rules: the host still receives the frames */
	bool flow_offload;           /* normal rules: express the capture filter in rules if possible; it is still applied after them */
	const char *peer;            /* host whose traffic to capture, or NULL; the device may then be omitted ("verbs:") */
	const char *group;           /* multicast group to join during the capture, or NULL */
	/*
	 * The machine's devices, or NULL: when the device reports a change (of LID, GIDs, P_Keys, subnet manager or state),
	 * rtap_source_read_batch() invalidates the parts concerned. Borrowed until the source is closed.
	 */
	struct rtap_devices *devices;
	const char *tuning;          /* tuning parameters, "depth=4096,poll=busy"; see rdmatap(1); NULL: the defaults */
};

/* Capture options. Some are for one kind of device only. */
struct rtap_live_options {
	size_t size;                /* sizeof(struct rtap_live_options) */
	const char *capture_filter; /* BPF expression, applied by the device if possible, else before frames are queued; NULL: all frames */
	uint32_t snap_length;       /* maximum bytes captured per frame; 0: all */
	unsigned wake_ms;           /* rtap_source_read_batch() waits no longer than this; 0: no limit */
	uint64_t queue_bytes;       /* memory for frames waiting to be read; 0: the default */
	uint64_t buffer_bytes;      /* device or kernel buffer; 0: the device's default */
	bool immediate;             /* deliver frames as they arrive instead of in groups */
	bool not_promiscuous;       /* only frames addressed to this machine */
	bool counts_only;           /* frames are not examined: batches may have only a count, with frames NULL */
	/*
	 * Frames are only passed to rtap_series_write_batch(), for a series of this name: batches may have only a count, with frames
	 * NULL. NULL: frames are examined.
	 */
	const char *written_as;
	const char *mad_classes;    /* umad: classes to register for, "CLASS[:METHOD[+METHOD...]][,...]"; NULL: all that are free,
				       except those of kernel modules */
	bool become_sm;             /* umad: set the IsSM capability; FAILED if another program holds it, unless */
	bool wait_for_sm;           /* ... wait_for_sm is set: wait until that program releases it */
	const struct rtap_verbs_options *verbs; /* NULL: the defaults; borrowed for the call; refused for a device of another kind */
	bool kept;                  /* batches are held for long after they were read: with written_as, frames do not stay in receive buffers */
	/* The receiving threads: processors that they run on; priority 1 to 99 of SCHED_FIFO, -20 to -1 as of nice(1), 0: the usual. */
	bool has_cpus;
	uint32_t first_cpu, last_cpu;
	int priority;
};

/*
 * Opens the device as a source. Privileges are needed only here, unless rtap_source_needs_privileges() returns true: no thread
 * is started before the first rtap_source_read_batch(), which starts a thread, with all signals blocked, that receives and
 * queues frames. When the queue is full, frames are dropped and counted.
 *
 * Results of rtap_source_read_batch(): OK with an empty batch: nothing arrived within wake_ms. BROKEN: the error reports an event
 * of the device; the capture continues. FAILED: the device cannot be read any more; all frames received before have been
 * delivered. END: rtap_source_stop() was called and all frames received before have been delivered, or FAILED was returned
 * before. Each call updates the statistics of the interface; they are final with END or FAILED.
 *
 * options: NULL for the defaults. FAILED: the device is not open and *source is NULL.
 */
enum rtap_status rtap_source_open_live(struct rtap_source **source, const char *name, const struct rtap_live_options *options,
				       struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Opens several devices as one source, with the same options: each has a receive thread and a queue of its own, and an interface,
 * by its place in `names`. A device's own clock that differs from the host's is corrected (BROKEN reports it). Frames are
 * delivered in the order of their time stamps; one that comes more than 50 ms after later ones of other devices is delivered
 * then. A device that fails ends alone, BROKEN; FAILED: the last one.
 */
enum rtap_status rtap_source_open_lives(struct rtap_source **source, const char *const *names, size_t count,
					const struct rtap_live_options *options, struct rtap_error *error) __attribute__((warn_unused_result));

/* Returns whether the device may need CAP_NET_RAW again while being read (for example to recover a failed queue). */
bool rtap_source_needs_privileges(const struct rtap_source *source);

/* A capture device. Texts are borrowed for the duration of the call. */
struct rtap_live_entry {
	const char *kind;        /* "pcap" */
	const char *name;        /* "eth0" */
	const char *description; /* "" if none */
	const char *state;       /* "up", "down", "loopback, up", ...; "" if unknown */
	const char *obstacle;    /* why capturing on it is currently impossible; "" if no obstacle is known */
	uint32_t link_type;      /* LINKTYPE_ number of its frames; UINT32_MAX: known only once it is open */
};

/* Receives one device. */
typedef void rtap_take_entry(void *owner, const struct rtap_live_entry *entry);

/*
 * Calls `take` with each device of each kind, the kinds in lookup order. BROKEN: a kind could not be listed, see the error (of
 * the last such kind); the others were.
 */
enum rtap_status rtap_live_list(rtap_take_entry *take, void *owner, struct rtap_error *error) __attribute__((warn_unused_result));

/* A device for sending frames. */
struct rtap_sender;

/* Opens the device for sending. FAILED: *sender is NULL. */
enum rtap_status rtap_sender_open(struct rtap_sender **sender, const char *name, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Required link type of frames. */
uint32_t rtap_sender_link_type(const struct rtap_sender *sender);

/*
 * Makes the device compute the checksums of IPv4 headers, TCP and UDP, for frames captured with checksum offload. FAILED: not
 * supported; nothing has changed.
 */
enum rtap_status rtap_sender_compute_checksums(struct rtap_sender *sender, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Sends the captured bytes of `count` frames of that link type, or queues copies: the bytes may change after the return. *sent
 * is the number of frames accepted, less than `count` only with FAILED, which then concerns frames[*sent]: with
 * error->code RTAP_ERROR_CLOSED, the device can no longer send; with others it rejects this one frame (for example, it exceeds the MTU).
 */
enum rtap_status rtap_sender_send(struct rtap_sender *sender, const struct rtap_frame *frames, size_t count, size_t *sent,
				  struct rtap_error *error) __attribute__((warn_unused_result));

/* Waits until all queued frames have been sent. FAILED: *lost is the number of frames not sent. */
enum rtap_status rtap_sender_flush(struct rtap_sender *sender, uint64_t *lost, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Closes and frees. NULL is ignored. */
void rtap_sender_close(struct rtap_sender *sender);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
