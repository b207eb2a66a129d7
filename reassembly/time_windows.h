/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Times, by the clock of the capture, that mean the same for several protocols.
 */
#ifndef REASSEMBLY_TIME_WINDOWS_H
#define REASSEMBLY_TIME_WINDOWS_H

#include <stdint.h>

#define NANOSECONDS INT64_C(1000000000)

/* The same packet within it, on another interface, was captured twice; nor is a copy so soon sent again for want of an answer. */
#define TWICE_NS (NANOSECONDS / 1000)

/*
 * The point of capture can swap packets, and an acknowledgement can get lost behind it: a message that is done waits so
 * long, or for so many packets, for what still belongs to it.
 */
#define GRACE_NS (NANOSECONDS / 2)
#define GRACE_PACKETS 256

/* Management: a request without its answer holds up later messages for so long; it, or what has come of a transfer, is remembered. */
#define HOLD_NS (2 * NANOSECONDS)
#define REMEMBER_NS (60 * NANOSECONDS)

#endif
