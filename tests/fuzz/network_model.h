/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A network between two sides that loses, repeats and delays frames, and a capture point in it that misses some, truncates them and writes them
 * late. For the models of what uses it; each frame has a number, in the order of transmissions. Time goes on in ticks, as the records of the
 * models say.
 */
#ifndef RDMATAP_TESTS_FUZZ_NETWORK_MODEL_H
#define RDMATAP_TESTS_FUZZ_NETWORK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETWORK_HEADER 8      /* bytes of an input before its records: see network_start() */
#define NETWORK_RECORD 8      /* bytes of a record: see network_run() */
#define NETWORK_FRAMES 6000
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
	int64_t received_ns, captured_ns; /* received_ns: -1 from when it is received */
};

/* The two sides. */
struct network_sides {
	void (*post)(void *model, const uint8_t *record); /* what a record says but for its last four bytes */
	void (*receive)(void *model, unsigned number); /* the frame with that number arrived */
	bool (*act)(void *model);                      /* their turn in a tick; returns whether they do no more before a frame or a timeout */
	int64_t (*timeout)(const void *model);         /* time of the next timeout; INT64_MAX: they wait for nothing */
};

struct network {
	const struct network_sides *sides;
	void *model;
	unsigned latency, position; /* ticks; those of side 0's frames to the capture point */
	unsigned lateness;          /* ticks: unit of a late frame's argument */
	unsigned skipped;           /* frames before the capture begins */
	unsigned pace;              /* ticks between frames of a side */
	unsigned snap;              /* length of captured frames, 0: any */
	unsigned fault_kinds;       /* with those of the model */
	unsigned spared;            /* frames at the beginning without faults */
	int64_t tick_ns, now_ns, timeout_ns;
	unsigned ticks, frame_count, arrived; /* arrived: all frames below are */
	struct network_fate *fates[NETWORK_FRAMES];
	unsigned fault_count;
	struct { unsigned at; uint8_t kind, argument; } faults[NETWORK_FAULTS];
};

/*
 * Takes the bytes of an input's header that are of the network: 2 (position, pace), 4 (frames before the capture), 5 (snap length), 6 (times).
 * `network` is all zero; `snaps`: four lengths.
 */
void network_start(struct network *network, const uint8_t *header, unsigned latency, const unsigned *snaps);

/*
 * Runs the records of an input, and then until all is answered. The last four bytes of a record: for how long the network runs after it, and faults
 * of two frames to come.
 */
void network_run(struct network *network, const uint8_t *input, size_t length);

static inline bool network_is_full(const struct network *network)
{
	return network->frame_count == NETWORK_FRAMES;
}

/*
 * Sends a frame of `side`, and fills its fate, which stays where it is; the network is not full. is_copy: that of the frame that the network
 * copied. Returns whether it copies this one.
 */
bool network_send(struct network *network, struct network_fate *fate, unsigned side, bool is_copy);

/* Bytes of a frame of `length` bytes in the capture; at least `headers` of them if the frame alone is cut. */
uint32_t network_captured_length(const struct network *network, const struct network_fate *fate, uint32_t headers, uint32_t length);

/* Whether the capture has every frame whole and in order; if `lost_too`, also those that were not received. */
bool network_is_captured(const struct network *network, bool lost_too);

/* Pointers to the fates of the captured frames in the order of the capture, valid until the next call. Returns how many there are. */
unsigned network_capture(const struct network *network, const struct network_fate *const **order);

#endif
