/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kind "verbs" of a build without libibverbs. */
#include "config.h"

#include "capture/live.h"

const struct live_kind live_verbs = {
	.name = "verbs",
	.missing = "rdmatap was built without libibverbs and librdmacm (Debian: apt install libibverbs-dev librdmacm-dev, then configure "
		   "and build again; pcap:IFACE captures on the NIC's network interface)",
};
