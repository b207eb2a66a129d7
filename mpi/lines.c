/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Other ranks send their records in blocks of bounded size; rank 0 has one of each rank at a time. A rank that is ahead waits: its block is
 * not received before the one before it is printed.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/heap.h"
#include "cli/reader.h"
#include "mpi/lines.h"
#include "mpi/ranks.h"
#include "output/packet/printer.h"

#define BLOCK_SIZE (256u << 10)
#define TAG_LINES 17

/* A record in a block; its text follows. */
struct head {
	uint64_t number, length;
};

/* The block of one other rank. */
struct incoming {
	int rank;
	char *block;
	size_t next, size;
	uint64_t number;          /* of its next record */
};

struct lines {
	struct reader *reader;
	int rank, size;
	char *block;              /* other ranks: to be sent */
	size_t used, room;
	struct incoming *incoming; /* rank 0: of each rank; its own is empty */
	struct heap heads;        /* of these, the lowest number first */
};

static bool has_lower_number(const void *one, const void *other)
{
	return ((const struct incoming *)one)->number < ((const struct incoming *)other)->number;
}

static void print(struct lines *lines, const char *text, size_t length)
{
	if (!lines->reader->unwritable)
		reader_wrote(lines->reader, printer_text(&lines->reader->printer, text, length));
}

/* Receives the next block of a rank. False: it has no more. */
static bool receive(struct incoming *incoming)
{
	MPI_Status status;
	int size;

	MPI_Probe(incoming->rank, TAG_LINES, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_BYTE, &size);
	free(incoming->block);
	incoming->block = ranks_get((size_t)size, 1);
	MPI_Recv(incoming->block, size, MPI_BYTE, incoming->rank, TAG_LINES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	incoming->next = 0;
	incoming->size = (size_t)size;
	return size;
}

static struct head read_head(const struct incoming *incoming)
{
	size_t left = incoming->size - incoming->next;
	struct head head;

	if (left >= sizeof head)
		memcpy(&head, incoming->block + incoming->next, sizeof head);
	if (left < sizeof head || head.length > left - sizeof head)
		ranks_give_up("the lines of another rank are broken: this is a bug in rdmatap-mpi");
	return head;
}

/* Prints the records of other ranks with numbers below this one. */
static void print_before(struct lines *lines, uint64_t number)
{
	struct incoming *incoming;

	while ((incoming = heap_first(&lines->heads)) && incoming->number < number) {
		struct head head = read_head(incoming);

		print(lines, incoming->block + incoming->next + sizeof head, head.length);
		incoming->next += sizeof head + head.length;
		if (incoming->next == incoming->size && !receive(incoming)) {
			heap_remove_first(&lines->heads);
			continue;
		}
		incoming->number = read_head(incoming).number;
		heap_settle_first(&lines->heads);
	}
}

static void send(struct lines *lines)
{
	MPI_Send(lines->block, ranks_count(lines->used, "a record is longer than 2 GiB"), MPI_BYTE, 0, TAG_LINES, MPI_COMM_WORLD);
	lines->used = 0;
}

static void begin(struct lines *lines)
{
	lines->incoming = ranks_get((size_t)lines->size, sizeof *lines->incoming);
	for (int i = 1; i < lines->size; i++) {
		struct incoming *incoming = &lines->incoming[i];

		incoming->rank = i;
		if (!receive(incoming))
			continue;
		incoming->number = read_head(incoming).number;
		if (!heap_add(&lines->heads, incoming))
			ranks_lack_memory();
	}
}

struct lines *lines_open(struct reader *reader)
{
	struct lines *lines = ranks_get(1, sizeof *lines);

	lines->reader = reader;
	lines->heads.before = has_lower_number;
	MPI_Comm_rank(MPI_COMM_WORLD, &lines->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &lines->size);
	return lines;
}

void lines_add(struct lines *lines, uint64_t number, const char *text, size_t length)
{
	struct head head = { number, length };

	if (!lines->rank) {
		if (!lines->incoming)
			begin(lines);
		print_before(lines, number);
		print(lines, text, length);
		return;
	}
	if (lines->used && lines->used + sizeof head + length > BLOCK_SIZE)
		send(lines);
	if (sizeof head + length > lines->room - lines->used) {
		size_t room = sizeof head + length > BLOCK_SIZE ? sizeof head + length : BLOCK_SIZE;
		char *larger = realloc(lines->block, room);

		if (!larger)
			ranks_lack_memory();
		lines->block = larger;
		lines->room = room;
	}
	memcpy(lines->block + lines->used, &head, sizeof head);
	memcpy(lines->block + lines->used + sizeof head, text, length);
	lines->used += sizeof head + length;
}

void lines_close(struct lines *lines)
{
	if (lines->rank && lines->used)
		send(lines);
	if (lines->rank) {
		send(lines);
	} else {
		if (!lines->incoming)
			begin(lines);
		print_before(lines, UINT64_MAX);
	}
	for (int i = 0; lines->incoming && i < lines->size; i++)
		free(lines->incoming[i].block);
	free(lines->incoming);
	heap_fini(&lines->heads);
	free(lines->block);
	free(lines);
}
