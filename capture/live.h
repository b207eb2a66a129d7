/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a live device is, to the part of a source that runs it (capture/live/live_queue.c), and the kinds of them that there are.
 *
 * A device is called by one thread at a time: by whoever opens it; then, from the first read on, by the receive thread; then,
 * when that has ended, by whoever closes it. So it needs no locks but for what it lends (see batch_loan).
 */
#ifndef CAPTURE_LIVE_H
#define CAPTURE_LIVE_H

#include <rdmatap/live.h>

#include "capture/batch.h"
#include "capture/source_metadata.h"

/* The longest that a receive may wait, so that a wish to stop is heard in time. */
#define LIVE_TICK_MS 100

struct live_device;

/* Numbers since the device was opened. */
struct live_statistics {
	struct rtap_count received;          /* frames that passed the device's filter, dropped ones included */
	struct rtap_count dropped_by_device; /* by the NIC, before this machine's memory: by its counters, before and after */
	struct rtap_count dropped_by_system; /* between the NIC and receive(): a kernel buffer or receive queue was full */
};

struct live_operations {
	/*
	 * Appends what has arrived to the batch, which may hold frames of an earlier call already, waiting up to
	 * `timeout_ms` if nothing has; less if the batch gets full: batch->closed is set then. Fills bytes, captured_length
	 * (at most the snap length), wire_length, link_type, interface (0) and time_ns of each frame, in order of arrival,
	 * and clears comments and comment_count. Frames are either copied (live_append()) or lent (batch->loan); if
	 * options->counts_only was set, and no filter, they may be only counted (live_count_only()).
	 * OK, also with nothing; BROKEN: see the error, which is told, and go on calling; FAILED: this was the last call.
	 * Frames appended count whatever the result.
	 */
	enum rtap_status (*receive)(struct live_device *device, struct batch *batch, unsigned timeout_ms,
				    struct rtap_error *error);
	/* Takes no more in. receive() is called on until it gives nothing for device->drain_ms. May be NULL. */
	void (*stop)(struct live_device *device);
	/* May be NULL: nothing is known. */
	void (*statistics)(struct live_device *device, struct live_statistics *statistics);
	/* Called at each read, by the thread that reads, while receive() may run: hands on what must not be done by that. May be NULL. */
	void (*at_read)(struct live_device *device);
	/* After the last receive(): tells what else is worth knowing of it, line by line, for those who want details. May be NULL. */
	void (*notes)(struct live_device *device, void (*take)(void *owner, const char *text), void *owner);
	/*
	 * Ends the device and frees it. Loans may still be out: their memory, and whatever giving them back needs, must live
	 * until the last has come back.
	 */
	void (*close)(struct live_device *device);
};

/* Embedded as the first member of each kind's struct. Set by open(), not changed afterwards but for the block. */
struct live_device {
	const struct live_operations *operations;
	struct rtap_interface interface; /* name, description, link type, snap length, time_digits; texts live as long as it */
	bool filters;                    /* the capture filter is applied by the device */
	bool needs_privileges;           /* CAP_NET_RAW may be needed again after open() */
	unsigned drain_ms;               /* see stop() */
	/* live_room()'s: zero at first. What is left of a block goes to the next batch. */
	struct batch_block *block;
	size_t block_used;
};

/* A kind of devices. */
struct live_kind {
	const char *name; /* what stands before the colon */
	/* Why it is not there, with what to do about it; NULL: it is, and what follows is set. */
	const char *missing;
	/* "KIND:" without a name means something: the only device, or the one that other options tell. */
	bool unnamed;
	/* Whether this device exists, for bare names. It need not be possible to open it. */
	bool (*knows)(const char *name);
	/*
	 * Opens the device `name` (without the kind). The error says "KIND:NAME: what happened (what to do)". FAILED:
	 * *device is NULL.
	 */
	enum rtap_status (*open)(struct live_device **device, const char *name, const struct rtap_live_options *options,
				 struct rtap_error *error);
	/* Tells of each device. entry->kind is set by the caller. */
	enum rtap_status (*list)(void (*take)(void *owner, struct rtap_live_entry *entry), void *owner, struct rtap_error *error);
	/* Opens it for sending; NULL: this kind cannot. */
	enum rtap_status (*open_sender)(struct rtap_sender **sender, const char *name, struct rtap_error *error);
};

/* In the order in which bare names are looked up. */
extern const struct live_kind live_verbs, live_pcap, live_umad;

/* Finds the kind of "KIND:NAME" or of a bare name; *rest: the name without the kind, in `name`. */
enum rtap_status live_find(const char *name, const struct live_kind **kind, const char **rest, struct rtap_error *error)
	__attribute__((warn_unused_result));

struct live_sender_operations {
	/* As rtap_sender_send(), rtap_sender_flush() and rtap_sender_close(). */
	enum rtap_status (*send)(struct rtap_sender *sender, const struct rtap_frame *frames, size_t count, size_t *sent,
				 struct rtap_error *error);
	enum rtap_status (*flush)(struct rtap_sender *sender, uint64_t *lost, struct rtap_error *error);
	void (*close)(struct rtap_sender *sender);
	/* As rtap_sender_compute_checksums(); NULL: this kind cannot. */
	enum rtap_status (*compute_checksums)(struct rtap_sender *sender, struct rtap_error *error);
};

/* Embedded as the first member of each kind's struct. */
struct rtap_sender {
	const struct live_sender_operations *operations;
	uint32_t link_type;
};

#endif
