/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sending on a network interface.
 */
#ifndef CAPTURE_LIVE_LIVE_PACKET_SENDER_H
#define CAPTURE_LIVE_LIVE_PACKET_SENDER_H

#include "capture/live.h"

/* The sender of kind pcap. */
enum rtap_status live_packet_sender_open(struct rtap_sender **sender, const char *name, struct rtap_error *error)
	__attribute__((warn_unused_result));

#endif
