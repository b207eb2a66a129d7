/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface of live devices to the source that runs them (capture/live/live_queue.c), and the kinds of devices.
 *
 * One thread at a time calls a device: the opening thread; from the first read, the receive thread; after that has ended, the
 * closing thread. So it needs no locks except for borrowed buffers (see batch_buffer).
 */
#ifndef CAPTURE_LIVE_H
#define CAPTURE_LIVE_H

#include <rdmatap/live.h>

#include "capture/batch.h"
#include "capture/source_metadata.h"

/* Maximum wait in receive(), so that a stop request is noticed in time. */
#define LIVE_TICK_MS 100

/* Memory for frames that wait holds what fills the link for this time, and at least and at most so many bytes, unless it was asked for. */
#define LIVE_BUFFER_MS 20
#define LIVE_LEAST_BUFFER (UINT64_C(64) << 20)
#define LIVE_MOST_BUFFER (UINT64_C(512) << 20)

/* The memory for a link of this speed; 0: unknown. */
static inline uint64_t live_buffer_bytes(uint64_t bits_per_second)
{
	uint64_t bytes = bits_per_second / 8 / 1000 * LIVE_BUFFER_MS;

	return bytes < LIVE_LEAST_BUFFER ? LIVE_LEAST_BUFFER : bytes > LIVE_MOST_BUFFER ? LIVE_MOST_BUFFER : bytes;
}

struct live_device;

/* Counters since the device was opened. */
struct live_statistics {
	struct rtap_count received;          /* frames that passed the device's filter, including dropped ones */
	struct rtap_count dropped_by_device; /* by the NIC, before host memory: difference of its counters */
	struct rtap_count dropped_by_system; /* between the NIC and receive(): a kernel buffer or receive queue was full */
};

struct live_operations {
	/*
	 * Appends the frames that have arrived to the batch, which may have frames of an earlier call; waits up to `timeout_ms` for
	 * the first one. Stops when the batch is full and sets batch->closed. Fills bytes, captured_length (at most the snap
	 * length), wire_length, link_type, interface (0) and time_ns of each frame, in order of arrival, and clears comments and
	 * comment_count. Frames are either copied (live_append()) or in borrowed buffers (batch->borrowed); if options->counts_only
	 * was set without a filter, they may only be counted (live_count_only()).
	 * OK, also without frames; BROKEN: the error is reported and calls continue; FAILED: this was the last call.
	 * Appended frames are valid whatever the result.
	 */
	enum rtap_status (*receive)(struct live_device *device, struct batch *batch, unsigned timeout_ms,
				    struct rtap_error *error);
	/* Stops input. receive() is called until it returns no frames for device->drain_ms. May be NULL. */
	void (*stop)(struct live_device *device);
	/* NULL: no statistics available. */
	void (*statistics)(struct live_device *device, struct live_statistics *statistics);
	/* Called at each read in the reading thread, concurrently with receive(), for work not allowed in receive(). May be NULL. */
	void (*at_read)(struct live_device *device);
	/* After the last receive(): reports further details, line by line. May be NULL. */
	void (*notes)(struct live_device *device, void (*take)(void *owner, const char *text), void *owner);
	/*
	 * Closes the device and frees it. Buffers may still be borrowed: their memory, and whatever is needed to return them, must
	 * live until the last one has been returned.
	 */
	void (*close)(struct live_device *device);
};

/* Embedded as the first member of each kind's struct. Set by open(); only the block changes later. */
struct live_device {
	const struct live_operations *operations;
	struct rtap_interface interface; /* name, description, link type, snap length, time_digits; texts live as long as the device */
	bool filters;                    /* the device applies the capture filter */
	bool has_own_clock;              /* time stamps need not be by the host's clock */
	bool needs_privileges;           /* CAP_NET_RAW may be needed again after open() */
	unsigned drain_ms;               /* see stop() */
	/* for live_room(): initially zero. The next batch uses the rest of a block. */
	struct batch_block *block;
	size_t block_used;
};

/* A kind of device. */
struct live_kind {
	const char *name; /* prefix before the colon */
	/* Why it is unavailable and what to do about it; NULL: it is available, and the members below are set. */
	const char *missing;
	/* "KIND:" without a name is allowed: the only device, or the one that other options select. */
	bool unnamed;
	/* Returns whether this device exists, for names without a kind. Opening it may still fail. */
	bool (*knows)(const char *name);
	/*
	 * Opens the device `name` (without the kind). The error has the form "KIND:NAME: what happened (what to do)". FAILED:
	 * *device is NULL.
	 */
	enum rtap_status (*open)(struct live_device **device, const char *name, const struct rtap_live_options *options,
				 struct rtap_error *error);
	/* Calls `take` for each device. The caller sets entry->kind. */
	enum rtap_status (*list)(void (*take)(void *owner, struct rtap_live_entry *entry), void *owner, struct rtap_error *error);
	/* Opens a device for sending; NULL: not supported. */
	enum rtap_status (*open_sender)(struct rtap_sender **sender, const char *name, struct rtap_error *error);
};

/* In lookup order of names without a kind. */
extern const struct live_kind live_verbs, live_pcap, live_umad;

/* Finds the kind of "KIND:NAME" or of a name without a kind; *rest points to the name in `name`. */
enum rtap_status live_find(const char *name, const struct live_kind **kind, const char **rest, struct rtap_error *error)
	__attribute__((warn_unused_result));

struct live_sender_operations {
	/* As rtap_sender_send(), rtap_sender_flush() and rtap_sender_close(). */
	enum rtap_status (*send)(struct rtap_sender *sender, const struct rtap_frame *frames, size_t count, size_t *sent,
				 struct rtap_error *error);
	enum rtap_status (*flush)(struct rtap_sender *sender, uint64_t *lost, struct rtap_error *error);
	void (*close)(struct rtap_sender *sender);
	/* As rtap_sender_compute_checksums(); NULL: not supported. */
	enum rtap_status (*compute_checksums)(struct rtap_sender *sender, struct rtap_error *error);
};

/* Embedded as the first member of each kind's struct. */
struct rtap_sender {
	const struct live_sender_operations *operations;
	uint32_t link_type;
};

#endif
