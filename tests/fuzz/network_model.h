/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A network between two sides that loses, repeats and delays frames, and a capture point in it that misses some, truncates them and writes them
 * late. For the models of what uses it; each frame has a number, in the order of transmissions.
 */
#ifndef RDMATAP_TESTS_FUZZ_NETWORK_MODEL_H
#define RDMATAP_TESTS_FUZZ_NETWORK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define NETWORK_FAULTS 256
#define NETWORK_START_NS INT64_C(1700000000000000000)

enum network_fault {
	NETWORK_NO_FAULT,
	NETWORK_LOST_BEFORE,    /* neither captured nor received */
	NETWORK_LOST_AFTER,     /* captured, not received */
	NETWORK_UNCAPTURED,     /* received, not captured */
	NETWORK_CUT,            /* captured in part */
	NETWORK_COPIED,         /* by the network, before the capture point: captured and received twice */
	NETWORK_CAPTURED_LATE,
	NETWORK_DELAYED,        /* received late, captured in time */
	NETWORK_DELAYED_BEFORE, /* received and captured late */
	NETWORK_FAULT_KINDS,
};

/* What becomes of a frame. */
struct network_fate {
	unsigned number, fault, argument;
	bool is_copy, is_received, is_captured;
	bool is_late;            /* captured after packets that passed the capture point after it */
	int64_t received_ns, captured_ns;
};

struct network {
	unsigned latency, position; /* ticks; those of side 0's frames to the capture point */
	unsigned lateness;          /* ticks: unit of a late frame's argument */
	unsigned skipped;           /* frames before the capture begins */
	int64_t tick_ns, now_ns;
	unsigned fault_count;
	struct { unsigned at; uint8_t kind, argument; } faults[NETWORK_FAULTS];
};

/* The low bits of `kind`, unless they are 0 or from `kinds` on, will befall the frame with that number. */
void network_add_fault(struct network *network, unsigned number, uint8_t kind, uint8_t argument, unsigned kinds);

/* Fills the fate of a frame that `side` sends now. is_copy: it is that of the frame that the network copied. */
void network_decide(const struct network *network, struct network_fate *fate, unsigned number, unsigned side, bool is_copy);

/* For qsort() of pointers to fates: the order in the capture. */
int network_order(const void *left, const void *right);

#endif
