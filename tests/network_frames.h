/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Good frames of every link, network and tunnel header.
 */
#ifndef TESTS_NETWORK_FRAMES_H
#define TESTS_NETWORK_FRAMES_H

#include "tests/ip_frames.h"
#include "tests/link_frames.h"
#include "tests/network_frame.h"
#include "tests/tunnel_frames.h"

/* The frame of a number from 0. NULL: that was the last one. */
static inline const struct network_frame *network_frame(size_t number)
{
	static const struct {
		const struct network_frame *frames;
		size_t count;
	} tables[] = {
		{ link_frames, sizeof link_frames / sizeof link_frames[0] },
		{ ip_frames, sizeof ip_frames / sizeof ip_frames[0] },
		{ tunnel_frames, sizeof tunnel_frames / sizeof tunnel_frames[0] },
	};

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; number -= tables[i++].count)
		if (number < tables[i].count)
			return &tables[i].frames[number];
	return NULL;
}

#endif
