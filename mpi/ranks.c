/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <limits.h>
#include <stdlib.h>

#include <mpi.h>

#include "cli/cli.h"
#include "cli/print_error.h"
#include "mpi/ranks.h"

_Noreturn void ranks_give_up(const char *reason)
{
	print_error("%s", reason);
	MPI_Abort(MPI_COMM_WORLD, EXIT_ERROR);
	exit(EXIT_ERROR);
}

_Noreturn void ranks_lack_memory(void)
{
	ranks_give_up("out of memory");
}

void *ranks_get(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (!memory)
		ranks_lack_memory();
	return memory;
}

int ranks_count(size_t count, const char *reason)
{
	if (count > INT_MAX)
		ranks_give_up(reason);
	return (int)count;
}

bool ranks_agree(bool ok)
{
	int own = ok, all;

	MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	return all;
}
