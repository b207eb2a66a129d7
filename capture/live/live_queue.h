/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A running device: its receive thread and the queue of received batches.
 */
#ifndef CAPTURE_LIVE_LIVE_QUEUE_H
#define CAPTURE_LIVE_LIVE_QUEUE_H

#include "capture/live.h"

struct live;
struct live_signal;

/* Opens a device by name. Takes blocks from the pool and adds its interface to the metadata; both are borrowed. */
enum rtap_status live_open(struct live **live, const char *name, const struct rtap_live_options *options, struct batch_pool *pool,
			   struct source_metadata *metadata, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Runs an open device and takes ownership of it, also on failure: for live_open(), and for tests with a device of their own.
 * The name is for messages and is copied.
 */
enum rtap_status live_run(struct live **live, struct live_device *device, const char *name, const struct rtap_live_options *options,
			  struct batch_pool *pool, struct source_metadata *metadata, struct rtap_error *error) __attribute__((warn_unused_result));

/* Raised whenever something can be read. Call before the first read; borrowed. */
void live_set_signal(struct live *live, struct live_signal *signal);

/* Number of its interface in the metadata. */
uint32_t live_interface(const struct live *live);

const char *live_name(const struct live *live);

/*
 * How long after their time stamps frames arrived, by the host's clock, in the last second or two: the least, which is little more than the
 * difference of the clocks. False: not known, or the time stamps are by the host's clock.
 */
bool live_lag(struct live *live, int64_t *lag_ns) __attribute__((warn_unused_result));

/* Whether frames fill one `part`th of the queue. */
bool live_is_filled(struct live *live, unsigned part);

/* As live_read(), but OK without a batch if nothing is available. */
enum rtap_status live_read_present(struct live *live, struct batch **batch, struct rtap_error *error) __attribute__((warn_unused_result));

/* As rtap_source_read_batch(). */
enum rtap_status live_read(struct live *live, struct batch **batch, struct rtap_error *error) __attribute__((warn_unused_result));

/* As source_read_counts(). */
void live_read_counts(struct live *live, struct rtap_interface *counts);

void live_stop(struct live *live);
bool live_needs_privileges(const struct live *live);

/* Stops, waits for the thread, closes the device, frees. NULL is ignored. */
void live_close(struct live *live);

#endif
