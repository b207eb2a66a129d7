/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "mpi/shared_file.h"

struct shared_file {
	MPI_File handle;
};

struct shared_file *shared_file_open(const char *name)
{
	struct shared_file *file = malloc(sizeof *file);
	char *path = NULL;
	int error;

	/* "nfs:name" would name a kind of file system */
	if (!file || asprintf(&path, "%s%s", *name == '/' ? "" : "./", name) < 0) {
		free(file);
		return NULL;
	}
	/* each rank alone: where one cannot open it, the others need not fail */
	error = MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file->handle);
	free(path);
	if (!error)
		return file;
	free(file);
	return NULL;
}

uint64_t shared_file_size(const struct shared_file *file)
{
	MPI_Offset size;

	return MPI_File_get_size(file->handle, &size) || size < 0 ? 0 : (uint64_t)size;
}

ssize_t shared_file_read_at(void *owner, uint64_t offset, uint8_t *to, size_t room)
{
	struct shared_file *file = owner;
	MPI_Status status;
	int count;

	if (offset > INT64_MAX || MPI_File_read_at(file->handle, (MPI_Offset)offset, to, room < INT_MAX ? (int)room : INT_MAX, MPI_BYTE, &status) ||
	    MPI_Get_count(&status, MPI_BYTE, &count) || count < 0)
		return -EIO;
	return count;
}

void shared_file_close(struct shared_file *file)
{
	if (!file)
		return;
	MPI_File_close(&file->handle);
	free(file);
}
