/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capture points: where frames were captured. An interface of a file is one; files that a capture program wrote one after another (a rotated
 * series) are parts of one, so that a packet in two of them was sent twice, as if both were in one file. A file continues another one if it
 * begins after that ended, their names differ in digits only, and link type and name of the interface are the same.
 */
#ifndef CAPTURE_CAPTURE_POINTS_H
#define CAPTURE_CAPTURE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/source.h>

/* An interface of a file. */
struct capture_part {
	const char *file;      /* name; borrowed for the lifetime of struct capture_points. NULL: none that says anything (a pipe) */
	size_t file_number;    /* for capture_files_ended */
	uint32_t index;        /* of the interface, in the file */
	uint64_t kind;         /* capture_part_kind() */
};

/* A part with the point that it belongs to. */
struct capture_end {
	struct capture_part part;
	uint16_t point;
};

/* Parts that no other one has continued. All zero: none. */
struct capture_points {
	struct capture_end *ends; /* the latest ones; the oldest is replaced if there are too many */
	size_t count, room;
	size_t oldest;
};

/* Whether all frames of a file precede the one that begins. */
typedef bool capture_files_ended(const void *owner, size_t file_number);

/* Equal for parts that can belong to one point, by all but the name of the file; of texts only the first 255 bytes count. */
uint64_t capture_part_kind(const struct rtap_interface *interface);

/*
 * Returns the point of an interface with the number `number` (below SOURCE_MAX_INTERFACES) whose first frame is next: that of the part that
 * it continues, otherwise `number`. Without memory it is one of its own.
 */
uint16_t capture_points_begin(struct capture_points *points, const struct capture_part *part, uint32_t number,
			      capture_files_ended *has_ended, const void *owner);

/* Frees what it holds. */
void capture_points_fini(struct capture_points *points);

#endif
