/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interfaces of the files of all ranks under one number each, the same on all ranks.
 */
#ifndef MPI_INTERFACES_H
#define MPI_INTERFACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/source.h>

#include "mpi/positions.h"

struct interfaces;
struct source_metadata;

/* `names`: of all files; borrowed. NULL: out of memory. */
struct interfaces *interfaces_create(const char *const *names);

/*
 * Notes the interfaces of this rank's source that are new or have changed. file_numbers: of its files among all, in their order. False: out of
 * memory.
 */
bool interfaces_note(struct interfaces *interfaces, const struct rtap_source *source, const uint32_t *file_numbers)
	__attribute__((warn_unused_result));

/* The file, among those of this rank, that an interface of its source belongs to. */
size_t interfaces_file(const struct interfaces *interfaces, uint32_t interface);

/* Number of interfaces that were noted and not shared yet. */
uint64_t interfaces_changes(const struct interfaces *interfaces);

/* Collective: gives numbers to what was noted. `metadata` gets the interfaces of all ranks; NULL: nowhere. False: out of memory. */
bool interfaces_share(struct interfaces *interfaces, struct source_metadata *metadata) __attribute__((warn_unused_result));

/* The number of an interface of this rank's source that was shared. */
uint32_t interfaces_number(const struct interfaces *interfaces, uint32_t interface);

/* Whether a frame of an interface of this rank's source was read; notes the first one with its key, which is shared. False: out of memory. */
bool interfaces_has_begun(const struct interfaces *interfaces, uint32_t interface);
bool interfaces_begin(struct interfaces *interfaces, const struct rtap_source *source, uint32_t interface, const struct position_key *key)
	__attribute__((warn_unused_result));

/* Whether an interface that was shared begins at or before a key, and has no capture point yet. The same on all ranks. */
bool interfaces_need_points(const struct interfaces *interfaces, const struct position_key *last);

/*
 * Gives capture points to those, the same on all ranks, as one process does. latest_ns: of each file the latest time of its frames, INT64_MAX
 * if some after `last` may not have been read, INT64_MIN if it has none.
 */
void interfaces_set_points(struct interfaces *interfaces, const struct position_key *last, const int64_t *latest_ns);

/* The capture point of an interface of this rank's source that has one. */
uint16_t interfaces_point(const struct interfaces *interfaces, uint32_t interface);

/* NULL is ignored. */
void interfaces_destroy(struct interfaces *interfaces);

#endif
