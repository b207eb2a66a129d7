/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In turns: what each rank has is written at once, one after the other by rank. A turn begins when each rank has a window full, or nothing more.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/array.h"
#include "cli/print_error.h"
#include "mpi/parallel_file.h"
#include "mpi/ranks.h"

#define WINDOW (4u << 20)

struct parallel_file {
	const char *name;
	MPI_File handle;
	MPI_Offset end;           /* of what all ranks wrote */
	char *window;
	size_t used, room;
	int rank, size;
	bool is_over;             /* no rank has more */
	int failed;               /* error of this rank; MPI_SUCCESS: none */
};

/* What a rank brings to a turn. */
struct turn {
	uint64_t bytes, is_last;
};

struct parallel_file *parallel_file_open(const char *name)
{
	struct parallel_file *file = ranks_get(1, sizeof *file);
	int failed, any;

	file->name = name;
	MPI_Comm_rank(MPI_COMM_WORLD, &file->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &file->size);
	failed = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &file->handle) != MPI_SUCCESS;
	failed = failed || (!file->rank && MPI_File_get_size(file->handle, &file->end));
	MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	MPI_Bcast(&file->end, 1, MPI_OFFSET, 0, MPI_COMM_WORLD);
	if (!any)
		return file;
	if (!file->rank)
		print_error("%s: not all ranks can write it (name a file that all of them share)", name);
	free(file);
	return NULL;
}

/* Writes what each rank has. */
static void take_turn(struct parallel_file *file, bool is_last)
{
	const struct turn own = { file->used, is_last };
	struct turn *turns = ranks_get((size_t)file->size, sizeof *turns);
	MPI_Offset place = 0;

	MPI_Allgather(&own, sizeof own, MPI_BYTE, turns, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
	file->is_over = true;
	for (int i = 0; i < file->size; i++) {
		if (i == file->rank)
			place = file->end;
		file->end += (MPI_Offset)turns[i].bytes;
		file->is_over &= turns[i].is_last;
	}
	free(turns);
	for (size_t written = 0; written < file->used && !file->failed; written += WINDOW) {
		size_t length = file->used - written < WINDOW ? file->used - written : WINDOW;
		MPI_Status status;
		int count = 0;

		file->failed = MPI_File_write_at(file->handle, place + (MPI_Offset)written, file->window + written, (int)length, MPI_BYTE, &status);
		if (!file->failed && (MPI_Get_count(&status, MPI_BYTE, &count) || (size_t)count != length))
			file->failed = MPI_ERR_IO;
	}
	file->used = 0;
}

void parallel_file_add(struct parallel_file *file, const char *text, size_t length)
{
	char *window = array_grow(file->window, &file->room, file->used + length, 1);

	if (!window)
		ranks_lack_memory();
	file->window = window;
	memcpy(window + file->used, text, length);
	file->used += length;
	if (file->used >= WINDOW)
		take_turn(file, false);
}

bool parallel_file_close(struct parallel_file *file)
{
	char reason[MPI_MAX_ERROR_STRING] = "";
	int length, failed, any;

	if (!file)
		return true;
	while (!file->is_over)
		take_turn(file, true);
	if (MPI_File_close(&file->handle) && !file->failed)
		file->failed = MPI_ERR_IO;
	if (file->failed && !MPI_Error_string(file->failed, reason, &length))
		print_error("%s: %s", file->name, reason);
	failed = file->failed != MPI_SUCCESS;
	MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	free(file->window);
	free(file);
	return !any;
}
