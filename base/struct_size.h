/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Public structs that the caller allocates and that may grow: the caller's size determines which members its version has.
 */
#ifndef BASE_STRUCT_SIZE_H
#define BASE_STRUCT_SIZE_H

#include <stddef.h>

#include <rdmatap/error.h>

/*
 * Copies options, whose first member is `size_t size`, to `own` of `own_size` bytes; members that the caller's version does not have, or
 * all for NULL, are zero. FAILED: the size is not set, or the caller sets a member that this version does not have.
 */
enum rtap_status struct_size_take(void *own, size_t own_size, const void *options, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Copies a result of `own_size` bytes to the caller's struct of `size` bytes; members that this version does not have become zero. */
void struct_size_give(void *result, size_t size, const void *own, size_t own_size);

#endif
