/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <mpi.h>

#include "cli/feed.h"
#include "cli/reader.h"
#include "mpi/totals.h"

void totals_share(struct reader *reader)
{
	struct packet_counters own = reader->packets;
	uint64_t passing = reader->passing ? reader->passing : UINT64_MAX;
	int selected = reader->selected, any;

	_Static_assert(sizeof own % sizeof(uint64_t) == 0, "counters are numbers of 64 bits");
	MPI_Allreduce(&own, &reader->packets, sizeof own / sizeof(uint64_t), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	/* these are known for all ranks */
	reader->packets.read = own.read;
	MPI_Allreduce(&passing, &reader->passing, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
	MPI_Allreduce(&selected, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
	reader->selected = any;
	if (reader->passing == UINT64_MAX || feed->is_silent)
		reader->passing = 0;
}
