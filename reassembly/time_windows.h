/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time windows shared by several protocols, in capture time.
 */
#ifndef REASSEMBLY_TIME_WINDOWS_H
#define REASSEMBLY_TIME_WINDOWS_H

#include <stdint.h>

#define NANOSECONDS INT64_C(1000000000)

/*
 * The same packet at another capture point within this time was captured twice. No sender retransmits for lack of an answer this
 * soon.
 */
#define TWICE_NS (NANOSECONDS / 1000)

/*
 * The capture point can reorder packets, and an acknowledgement can be lost after it: a finished message waits for this
 * time, or this many packets, for what still belongs to it.
 */
#define GRACE_NS (NANOSECONDS / 2)
#define GRACE_PACKETS 256

/* How long a request whose data is whole delays later messages, when only an acknowledgement is missing that may never come. */
#define CONFIRMED_NS NANOSECONDS

/* Holes that the stream passed this long ago are final. */
#define HOLE_NS (2 * NANOSECONDS)

/*
 * Management: how long a request without response delays later messages; how long a request or the state of a transfer is
 * kept.
 */
#define HOLD_NS (2 * NANOSECONDS)
#define REMEMBER_NS (60 * NANOSECONDS)

#endif
