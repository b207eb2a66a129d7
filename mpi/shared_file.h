/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that several ranks read at places of their own, by MPI-IO.
 */
#ifndef MPI_SHARED_FILE_H
#define MPI_SHARED_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct shared_file;

/* Opens it on this rank. NULL: it cannot be opened, or out of memory. */
struct shared_file *shared_file_open(const char *name);

/* Bytes of it, as this rank sees it; 0: unknown. */
uint64_t shared_file_size(const struct shared_file *file);

/* For struct stream_spans; the owner is the file. Returns bytes read, at most INT_MAX and 0 at the end of the file, or -EIO. */
ssize_t shared_file_read_at(void *owner, uint64_t offset, uint8_t *to, size_t room);

/* NULL is ignored. */
void shared_file_close(struct shared_file *file);

#endif
