/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Live sources: frames as they arrive on a device of this machine; what there is to capture on; sending frames.
 *
 * A device is named "KIND:NAME", such as "pcap:eth0" or "verbs:mlx5_0/1"; a bare name is looked up among the kinds in the
 * order verbs, pcap, umad.
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

/* Which traffic a raw-packet queue pair asks the NIC for. */
enum rtap_flow_type {
	RTAP_FLOW_SNIFFER, /* copies of all that the port receives and sends; the host goes on getting its own */
	RTAP_FLOW_NORMAL,  /* what the rules match; the host does not get it any more */
	RTAP_FLOW_ALL,     /* what nobody else asked for by a rule */
	RTAP_FLOW_MULTICAST, /* the same of multicasts only */
};

struct rtap_devices; /* rdmatap/device.h */

/* Of devices of kind verbs. All zero is what most want. */
struct rtap_verbs_options {
	bool force;                  /* also on a port that is not active */
	enum rtap_flow_type flow_type;
	const char *const *flow_rules; /* rdmatap(1) has their form; a frame has to match one of them; borrowed for the open */
	size_t flow_rule_count;      /* 0: all frames */
	uint16_t flow_priority;      /* 0 is the highest */
	bool flow_dont_trap;         /* normal rules: the host goes on getting the frames */
	bool flow_offload;           /* normal rules: also what rules can do of the capture filter, which is still applied behind them */
	const char *peer;            /* host whose traffic is captured, or NULL; the device may be left out then ("verbs:") */
	const char *group;           /* multicast group joined for the length of the capture, or NULL */
	/*
	 * What is known of the machine's devices, or NULL: parts of it that the device tells have changed (its LID, GIDs, P_Keys,
	 * subnet manager or state) are invalidated by rtap_source_read_batch(). Borrowed until the source is closed.
	 */
	struct rtap_devices *devices;
	const char *tuning;          /* sizes and manners, "depth=4096,poll=busy"; rdmatap(1) has them; NULL: the usual */
};

/* How to capture. All zero is what most want. Each kind of device adds what only it knows. */
struct rtap_live_options {
	const char *capture_filter; /* BPF text, applied by the device if it can, else before frames are queued; NULL: all */
	uint32_t snap_length;       /* bytes captured of a frame at the most; 0: all */
	unsigned wake_ms;           /* rtap_source_read_batch() waits no longer than that; 0: for as long as it takes */
	uint64_t queue_bytes;       /* memory that frames may take which wait to be read; 0: the usual */
	uint64_t buffer_bytes;      /* of the device or the kernel; 0: the device's usual */
	bool immediate;             /* frames are handed on one by one as they arrive instead of in groups */
	bool not_promiscuous;       /* only what is addressed to this machine */
	bool counts_only;           /* nobody will look at the frames: batches may come with their count alone, and frames NULL */
	const char *mad_classes;    /* umad: what to register for, "CLASS[:METHOD[+METHOD...]][,...]"; NULL: all that is free */
	bool become_sm;             /* umad: claim to be a subnet manager; FAILED if another program does, unless */
	bool wait_for_sm;           /* ... this waits for it */
	struct rtap_verbs_options verbs;
};

/*
 * Opens the device as a source. Privileges are needed here only, unless rtap_source_needs_privileges() says otherwise: no
 * thread is started before the first rtap_source_read_batch(). From then on a thread of the source's own receives (all
 * signals are blocked in it) and queues what came; when the queue is full, frames are dropped and counted.
 *
 * rtap_source_read_batch() on it: OK with an empty batch: nothing came within wake_ms. BROKEN: something happened to the
 * device that is worth telling, and the capture goes on. FAILED: the device cannot be read any more; all that was received
 * before has been delivered. END: rtap_source_stop() was called and all that was received before has been delivered; or
 * FAILED was told before. The statistics of its interface are brought up to date by each call, and final with END or FAILED.
 *
 * FAILED: the device is not open and *source is NULL.
 */
enum rtap_status rtap_source_open_live(struct rtap_source **source, const char *name, const struct rtap_live_options *options,
				       struct rtap_error *error) __attribute__((warn_unused_result));

/* Whether the device may need CAP_NET_RAW again while it is read (to bring a broken queue back, for instance). */
bool rtap_source_needs_privileges(const struct rtap_source *source);

/* One thing that can be captured on. Texts are borrowed for the length of the call. */
struct rtap_live_entry {
	const char *kind;        /* "pcap" */
	const char *name;        /* "eth0" */
	const char *description; /* "" if there is none */
	const char *state;       /* "up", "down", "loopback, up", ...; "" if not known */
	const char *trouble;     /* why it cannot be captured on as things are; "" if nothing is known to be in the way */
	uint32_t link_type;      /* LINKTYPE_ number that frames will have; UINT32_MAX: known only once it is open */
};

/* Takes one device. */
typedef void rtap_take_entry(void *owner, const struct rtap_live_entry *entry);

/*
 * Calls `take` with each device of each kind, the kinds in order of lookup. BROKEN: one kind could not be listed, see the
 * error (the last one's, if several); the others were.
 */
enum rtap_status rtap_live_list(rtap_take_entry *take, void *owner, struct rtap_error *error) __attribute__((warn_unused_result));

/* A device that frames are sent on. */
struct rtap_sender;

/* Opens the device for sending. FAILED: *sender is NULL. */
enum rtap_status rtap_sender_open(struct rtap_sender **sender, const char *name, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Link type that frames must have. */
uint32_t rtap_sender_link_type(const struct rtap_sender *sender);

/*
 * From now on the device computes the checksums of IPv4 headers, TCP and UDP: for frames captured where these were left to the
 * NIC. FAILED: it cannot; nothing has changed.
 */
enum rtap_status rtap_sender_compute_checksums(struct rtap_sender *sender, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Sends the captured bytes of `count` frames of that link type, or queues them so that they may change at once. *sent: how
 * many were taken; less than `count` only with FAILED, which is about frames[*sent]: the device refuses this one frame
 * (longer than its MTU and the like) if error->broken_pipe is false; it cannot be sent on any more if that is true.
 */
enum rtap_status rtap_sender_send(struct rtap_sender *sender, const struct rtap_frame *frames, size_t count, size_t *sent,
				  struct rtap_error *error) __attribute__((warn_unused_result));

/* Waits until all that was queued has left. FAILED: *lost is how many have not. */
enum rtap_status rtap_sender_flush(struct rtap_sender *sender, uint64_t *lost, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Closes and frees. NULL is ignored. */
void rtap_sender_close(struct rtap_sender *sender);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
