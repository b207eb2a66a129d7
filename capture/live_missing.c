/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kinds of live devices that this build has not.
 */
#include "config.h"

#include "capture/live.h"

const struct live_kind live_umad = {
	.name = "umad",
	.missing = "user MAD devices are not in this version (pcap:IFACE captures on a network interface)",
};
