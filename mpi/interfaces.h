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

/* NULL is ignored. */
void interfaces_destroy(struct interfaces *interfaces);

#endif
