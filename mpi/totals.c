/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include <mpi.h>

#include "cli/diagnostics.h"
#include "cli/feed.h"
#include "cli/reader.h"
#include "mpi/ranks.h"
#include "mpi/totals.h"

/* Of the clocks, what the first rank found that has packets of several files. */
static void share_state(struct reader *reader, const struct rtap_tracker *tracker)
{
	struct state_counters own = diagnostics_read_state(tracker), *all;
	int size;

	_Static_assert(sizeof own.tracker % sizeof(uint64_t) == 0, "counters are numbers of 64 bits");
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	all = ranks_get((size_t)size, sizeof *all);
	MPI_Allreduce(&own.tracker, &reader->state.tracker, sizeof own.tracker / sizeof(uint64_t), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
	reader->state.joined = (struct captured_copies_summary){ .packets = 0 };
	for (int i = size - 1; i >= 0; i--) {
		uint64_t packets = reader->state.joined.packets + all[i].joined.packets;

		if (all[i].joined.packets)
			reader->state.joined = all[i].joined;
		reader->state.joined.packets = packets;
	}
	reader->has_state = true;
	free(all);
}

void totals_share(struct reader *reader, const struct rtap_tracker *tracker)
{
	struct packet_counters own = reader->packets;
	uint64_t passing = reader->passing ? reader->passing : UINT64_MAX;
	int selected = reader->selected, any;

	share_state(reader, tracker);
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
