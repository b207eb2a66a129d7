/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_DEVICES_DEVICE_VERBS_H
#define CAPTURE_DEVICES_DEVICE_VERBS_H

#include <rdmatap/device.h>

#include "capture/devices/sysfs.h"

/* Queries a device with libibverbs; results are allocated in `memory`. False: out of memory. */
bool device_verbs_ask(struct sysfs_memory *memory, const struct rtap_device *device, struct rtap_device_verbs *verbs)
	__attribute__((warn_unused_result));

struct ibv_context;

/* Creates a raw-packet QP and destroys it, since no attribute reports support for them. Returns 0 or errno; EPERM: unknown. */
int device_verbs_try_raw_packet(struct ibv_context *context);

#endif
