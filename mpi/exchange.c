/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/array.h"
#include "base/heap.h"
#include "capture/batch.h"
#include "capture/source_metadata.h"
#include "cli/print_error.h"
#include "mpi/exchange.h"
#include "mpi/interfaces.h"
#include "mpi/placement.h"
#include "mpi/positions.h"
#include "mpi/ranks.h"
#include "mpi/sent_frame.h"
#include "mpi/split.h"
#include "mpi/unit.h"

#define LEAST_WAITING (UINT64_C(1) << 20)  /* bytes of frames read in a round */
#define MOST_WAITING (UINT64_C(32) << 20)
#define MOST_RECEIVED (UINT64_C(1) << 30)  /* bytes of frames that a rank gets in a round; less than INT_MAX */
#define WAITING_SHARE 16                   /* part of the memory limit */
#define FRAMES_A_BATCH 512
#define PREFETCHED 8                       /* frames whose headers are fetched from memory before they are read */
#define ADDRESSES_AT 32                    /* bytes of a frame from its beginning to those that tell who analyses it, usually */
#define FRAME_BITS 40                      /* of a key, for the number of the frame in its file; the rest is for the file */
#define FRAME_MASK ((UINT64_C(1) << FRAME_BITS) - 1)

/* A frame that was read. */
struct waiting {
	struct rtap_frame frame;
	struct rtap_batch *batch; /* its owner; a reference of its own */
	struct position_key key;
	unsigned rank;            /* that analyses it */
};

/* Frames of one rank that were numbered in this round and are to be delivered. */
struct arrived {
	const uint8_t *next, *end; /* as sent; of this rank itself NULL */
	size_t index, count;       /* of this rank itself: in `own` */
	uint64_t number;           /* of the next one */
};

/* What was read of a file. */
struct progress {
	int64_t latest_ns;          /* of its frames so far; INT64_MIN: none */
	uint64_t frame;             /* number of the next one in the file, from 0 */
	const struct source_parts *parts; /* NULL: all of it is read here */
	struct source_parts_place place;
};

/* Where a rank is. */
struct progress_note {
	int64_t major;             /* no frame before this key will follow */
	uint64_t minor;
	uint64_t waiting;          /* frames that it has */
	uint64_t changes;          /* interfaces that are new or have changed */
};

struct exchange {
	struct exchange_options options;
	struct source_feed feed;
	int rank, size;
	struct rtap_source *files;  /* of this rank; NULL: none */
	uint32_t *file_numbers;     /* of its files among all */
	size_t file_count;
	struct progress *progress;  /* of each of its files */
	bool at_end;                /* of its files */
	struct interfaces *interfaces;
	struct placement *placement; /* NULL: rank 0 analyses all */
	struct waiting *waiting;    /* in the order of their keys */
	size_t waiting_count, waiting_room;
	uint64_t waiting_bytes, most_waiting;
	struct waiting *own;        /* numbered, analysed by this rank itself */
	size_t own_count, own_room;
	struct arrived *arrived;    /* of each rank */
	struct heap heads;          /* of these */
	struct batch_block *block;  /* what others sent */
	uint64_t numbered;          /* frames of all ranks */
	int64_t first_ns;           /* of the first of them */
	int64_t last_ns;            /* of the last one */
	struct exchange_gap *gaps;  /* of the last round */
	size_t gap_count, next_gap;
	bool is_over, has_failed;
	struct exchange_counters counters;
	void (*meet)(void *owner);  /* NULL: none, nor the next */
	void (*go_on)(void *owner);
	void *owner;                /* of these */
};

static enum rtap_status feed_read(void *owner, struct batch_pool *pool, struct source_metadata *metadata, struct batch **batch,
				  struct rtap_error *error);

static bool arrived_is_before(const void *one, const void *other)
{
	return ((const struct arrived *)one)->number < ((const struct arrived *)other)->number;
}

uint64_t exchange_window(bool gathers, uint64_t max_memory)
{
	uint64_t window = max_memory / WAITING_SHARE, most;
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	window = window > MOST_WAITING ? MOST_WAITING : window < LEAST_WAITING ? LEAST_WAITING : window;
	/* rank 0 receives what all have; else any rank can, of one pair of hosts */
	most = (gathers ? window : MOST_RECEIVED) / (unsigned)size;
	return window < most ? window : most;
}

struct exchange *exchange_create(const struct exchange_options *options)
{
	struct exchange *exchange = calloc(1, sizeof *exchange);

	if (!exchange)
		return NULL;
	exchange->options = *options;
	exchange->feed = (struct source_feed){ .read = feed_read, .owner = exchange };
	MPI_Comm_rank(MPI_COMM_WORLD, &exchange->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &exchange->size);
	exchange->most_waiting = exchange_window(options->gathers, options->max_memory);
	exchange->heads.before = arrived_is_before;
	exchange->arrived = calloc((size_t)exchange->size, sizeof *exchange->arrived);
	exchange->file_numbers = calloc(options->count + 1, sizeof *exchange->file_numbers);
	exchange->progress = calloc(options->count + 1, sizeof *exchange->progress);
	exchange->interfaces = interfaces_create(options->names);
	exchange->at_end = true;
	if (exchange->arrived && exchange->file_numbers && exchange->progress && exchange->interfaces)
		return exchange;
	exchange_destroy(exchange);
	return NULL;
}

/* The parts of a file that this rank reads; NULL: all or nothing. Files are split only if their clocks have one piece at most. */
static const struct source_parts *parts_of(struct exchange *exchange, size_t file)
{
	struct split *split = exchange->options.splits[file];

	if (!split || (exchange->options.clocks && exchange->options.clocks[file].count > 1))
		return NULL;
	exchange->has_failed |= split_is_broken(split);
	return split_parts(split);
}

/* Adds a file if this rank reads any of it. */
static void add_file(struct exchange *exchange, size_t file, const char **names, const struct source_parts **parts)
{
	const struct source_parts *own = parts_of(exchange, file);
	size_t count = exchange->file_count;

	if (own ? !own->count : exchange->options.readers[file] != (unsigned)exchange->rank)
		return;
	exchange->progress[count] = (struct progress){ .latest_ns = INT64_MIN, .parts = own };
	exchange->file_numbers[count] = (uint32_t)file;
	names[count] = exchange->options.names[file];
	parts[count] = own;
	exchange->file_count++;
}

void exchange_open_files(struct exchange *exchange)
{
	const char **names = calloc(exchange->options.count + 1, sizeof *names);
	const struct source_parts **parts = calloc(exchange->options.count + 1, sizeof *parts);
	struct rtap_error error;

	if (!names || !parts)
		ranks_lack_memory();
	for (size_t i = 0; i < exchange->options.count; i++)
		add_file(exchange, i, names, parts);
	if (exchange->file_count && source_open_parts(&exchange->files, names, parts, exchange->file_count, &error)) {
		print_error("%s", error.text);
		exchange->has_failed = true;
	}
	exchange->at_end = !exchange->files;
	if (!exchange->options.gathers)
		exchange->placement = placement_create(exchange->options.names, exchange->options.count, exchange->options.readers,
						       exchange->options.apart, exchange->options.counting);
	if (!exchange->options.gathers && !exchange->placement)
		ranks_lack_memory();
	for (size_t i = 0; exchange->files && exchange->options.clocks && i < exchange->file_count; i++)
		source_set_clock(exchange->files, i, &exchange->options.clocks[exchange->file_numbers[i]]);
	free(names);
	free(parts);
}

const struct source_feed *exchange_feed(struct exchange *exchange)
{
	return &exchange->feed;
}

/* Frames of a file whose time goes back stay in its order: one process that merges files also delivers them at once. */
static struct position_key next_key(struct exchange *exchange, size_t file, int64_t time_ns)
{
	struct progress *progress = &exchange->progress[file];
	const struct source_part *part = progress->parts ? source_parts_next(progress->parts, &progress->place) : NULL;

	if (part) {
		progress->frame = part->first;
		if (part->latest_ns != INT64_MIN && source_corrected_ns(exchange->files, file, part->latest_ns) > progress->latest_ns)
			progress->latest_ns = source_corrected_ns(exchange->files, file, part->latest_ns);
	}
	if (time_ns > progress->latest_ns)
		progress->latest_ns = time_ns;
	/* frames of a file that only this rank reads are in their order */
	return (struct position_key){
		.major = progress->latest_ns, .time_ns = time_ns,
		.minor = (uint64_t)exchange->file_numbers[file] << FRAME_BITS | (progress->parts ? progress->frame++ & FRAME_MASK : 0),
	};
}

static bool queue_frame(struct exchange *exchange, const struct rtap_frame *frame)
{
	struct waiting *waiting = array_grow(exchange->waiting, &exchange->waiting_room, exchange->waiting_count + 1, sizeof *waiting);

	if (!waiting)
		return false;
	exchange->waiting = waiting;
	waiting += exchange->waiting_count++;
	*waiting = (struct waiting){
		.frame = *frame, .batch = NULL, .key = next_key(exchange, interfaces_file(exchange->interfaces, frame->interface), frame->time_ns),
	};
	if (!interfaces_has_begun(exchange->interfaces, frame->interface) &&
	    !interfaces_begin(exchange->interfaces, exchange->files, frame->interface, &waiting->key))
		return false;
	if (exchange->placement) {
		uint64_t hosts[2], unit = unit_of(frame, hosts);

		waiting->rank = placement_rank(exchange->placement, unit, hosts);
	}
	exchange->waiting_bytes += frame->captured_length + sizeof(struct sent_frame);
	exchange->counters.read_frames++;
	exchange->counters.read_bytes += frame->captured_length;
	return true;
}

static void fail(struct exchange *exchange, const char *text)
{
	print_error("%s", text);
	exchange->has_failed = true;
	exchange->at_end = true;
}

static void note_interfaces(struct exchange *exchange)
{
	if (!interfaces_note(exchange->interfaces, exchange->files, exchange->file_numbers))
		ranks_lack_memory();
}

static void queue_batch(struct exchange *exchange, struct rtap_batch *batch)
{
	note_interfaces(exchange);
	for (size_t i = 0; i < batch->count; i++) {
		if (i + PREFETCHED < batch->count)
			__builtin_prefetch(batch->frames[i + PREFETCHED].bytes + ADDRESSES_AT);
		if (!queue_frame(exchange, &batch->frames[i])) {
			fail(exchange, "out of memory: the rest of the files of this rank is missing");
			break;
		}
		exchange->waiting[exchange->waiting_count - 1].batch = rtap_batch_hold(batch);
	}
	rtap_batch_release(batch);
}

void exchange_call_in_rounds(struct exchange *exchange, void (*meet)(void *owner), void (*go_on)(void *owner), void *owner)
{
	exchange->meet = meet;
	exchange->go_on = go_on;
	exchange->owner = owner;
}

/* Reads until enough frames wait. */
static void fill(struct exchange *exchange)
{
	double begin = MPI_Wtime();

	while (!exchange->at_end && exchange->waiting_bytes < exchange->most_waiting) {
		struct rtap_batch *batch;
		struct rtap_error error;
		enum rtap_status status = rtap_source_read_batch(exchange->files, &batch, &error);

		if (status == RTAP_STATUS_OK)
			queue_batch(exchange, batch);
		else if (status == RTAP_STATUS_BROKEN) {
			print_error("%s", error.text);
			exchange->has_failed = true;
		} else if (status == RTAP_STATUS_FAILED)
			fail(exchange, error.text);
		else
			exchange->at_end = true;
	}
	if (exchange->at_end && exchange->files)
		note_interfaces(exchange);
	exchange->counters.reading_s += MPI_Wtime() - begin;
}

/*
 * Finds out how many of the frames that wait can be numbered: no rank has one before them that it has not read. *last: no frame of any rank
 * after this key can be.
 */
static size_t agree(struct exchange *exchange, uint64_t *waiting, uint64_t *changes, struct position_key *last)
{
	struct progress_note own = { INT64_MAX, UINT64_MAX, exchange->waiting_count, interfaces_changes(exchange->interfaces) };
	struct progress_note *notes = malloc((size_t)exchange->size * sizeof *notes), least = own;
	size_t count = 0;

	if (!notes)
		ranks_lack_memory();
	if (!exchange->at_end) {
		own.major = exchange->waiting[exchange->waiting_count - 1].key.major;
		own.minor = exchange->waiting[exchange->waiting_count - 1].key.minor;
	}
	MPI_Allgather(&own, sizeof own, MPI_BYTE, notes, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
	*waiting = *changes = 0;
	for (int i = 0; i < exchange->size; i++) {
		*waiting += notes[i].waiting;
		*changes += notes[i].changes;
		if (notes[i].major < least.major || (notes[i].major == least.major && notes[i].minor < least.minor))
			least = notes[i];
	}
	free(notes);
	*last = (struct position_key){ .major = least.major, .minor = least.minor };
	while (count < exchange->waiting_count && (exchange->waiting[count].key.major < least.major ||
	       (exchange->waiting[count].key.major == least.major && exchange->waiting[count].key.minor <= least.minor)))
		count++;
	return count;
}

/* With one more before the first frame, if it comes long after those of the round before. */
static void note_gaps(struct exchange *exchange, const struct positions_total *total)
{
	int64_t passed_ns;

	free(exchange->gaps);
	exchange->gaps = ranks_get(total->gap_count + 1, sizeof *exchange->gaps);
	exchange->gap_count = exchange->next_gap = 0;
	if (exchange->options.gap_ns && exchange->numbered && total->count && total->first_ns > exchange->last_ns &&
	    (__builtin_sub_overflow(total->first_ns, exchange->last_ns, &passed_ns) || passed_ns >= exchange->options.gap_ns))
		exchange->gaps[exchange->gap_count++] = (struct exchange_gap){ exchange->numbered + 1, exchange->last_ns, total->first_ns };
	for (size_t i = 0; i < total->gap_count; i++)
		exchange->gaps[exchange->gap_count++] =
			(struct exchange_gap){ exchange->numbered + total->gaps[i].position + 1, total->gaps[i].before_ns, total->gaps[i].time_ns };
}

/* Numbers the first frames that wait, of all ranks. */
static bool number_frames(struct exchange *exchange, size_t count)
{
	struct position_key *keys = malloc((count + 1) * sizeof *keys);
	struct position *positions = malloc((count + 1) * sizeof *positions);
	struct positions_total total;
	double begin = MPI_Wtime();
	bool numbered;

	if (!keys || !positions)
		ranks_lack_memory();
	for (size_t i = 0; i < count; i++)
		keys[i] = exchange->waiting[i].key;
	numbered = positions_find(keys, count, exchange->options.gap_ns ? exchange->options.gap_ns : INT64_MAX, positions, &total);
	if (numbered)
		note_gaps(exchange, &total);
	if (numbered && total.count && !exchange->numbered)
		exchange->first_ns = exchange->last_ns = total.first_ns;
	for (size_t i = 0; numbered && i < count; i++) {
		struct rtap_frame *frame = &exchange->waiting[i].frame;

		frame->number = exchange->numbered + positions[i].position + 1;
		frame->capture_point = interfaces_point(exchange->interfaces, frame->interface);
		frame->interface = interfaces_number(exchange->interfaces, frame->interface);
		frame->relative_ns = frame->time_ns - exchange->first_ns;
		frame->delta_ns = frame->time_ns - (positions[i].position ? positions[i].before_ns : exchange->last_ns);
	}
	if (numbered && total.count) {
		exchange->numbered += total.count;
		exchange->last_ns = total.last_ns;
	}
	free(keys);
	free(positions);
	free(total.gaps);
	exchange->counters.numbering_s += MPI_Wtime() - begin;
	return numbered;
}

static size_t sent_size(const struct waiting *waiting)
{
	return sizeof(struct sent_frame) + waiting->frame.captured_length;
}

static uint8_t *put_frame(uint8_t *to, const struct rtap_frame *frame)
{
	struct sent_frame sent = {
		.number = frame->number, .time_ns = frame->time_ns, .before_ns = frame->time_ns - frame->delta_ns, .captured_length = frame->captured_length,
		.wire_length = frame->wire_length, .link_type = frame->link_type, .interface = (uint16_t)frame->interface,
		.capture_point = frame->capture_point,
	};

	memcpy(to, &sent, sizeof sent);
	memcpy(to + sizeof sent, frame->bytes, frame->captured_length);
	return to + sizeof sent + frame->captured_length;
}

/* Bytes for each rank, of the first frames that wait. */
static void count_bytes(struct exchange *exchange, size_t count, int *counts, int *begins)
{
	int begin = 0;

	memset(counts, 0, (size_t)exchange->size * sizeof *counts);
	for (size_t i = 0; i < count; i++)
		if (exchange->waiting[i].rank != (unsigned)exchange->rank)
			counts[exchange->waiting[i].rank] += (int)sent_size(&exchange->waiting[i]);
	for (int i = 0; i < exchange->size; i++) {
		begins[i] = begin;
		begin += counts[i];
	}
}

/* Keeps a frame that this rank analyses. */
static void keep_own(struct exchange *exchange, struct waiting *waiting)
{
	struct waiting *own = array_grow(exchange->own, &exchange->own_room, exchange->own_count + 1, sizeof *own);

	if (!own)
		ranks_lack_memory();
	exchange->own = own;
	own[exchange->own_count++] = *waiting;
}

/* Moves the frames out of the queue: into the buffer, or to this rank's own. */
static void put_frames(struct exchange *exchange, size_t count, uint8_t *buffer, const int *begins)
{
	uint8_t **places = malloc((size_t)exchange->size * sizeof *places);

	if (!places)
		ranks_lack_memory();
	for (int i = 0; i < exchange->size; i++)
		places[i] = buffer + begins[i];
	exchange->own_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct waiting *waiting = &exchange->waiting[i];

		exchange->waiting_bytes -= sent_size(waiting);
		if (waiting->rank == (unsigned)exchange->rank) {
			keep_own(exchange, waiting);
			continue;
		}
		places[waiting->rank] = put_frame(places[waiting->rank], &waiting->frame);
		exchange->counters.sent_frames++;
		exchange->counters.sent_bytes += waiting->frame.captured_length;
		rtap_batch_release(waiting->batch);
	}
	exchange->waiting_count -= count;
	if (exchange->waiting_count)
		memmove(exchange->waiting, exchange->waiting + count, exchange->waiting_count * sizeof *exchange->waiting);
	free(places);
}

static struct sent_frame next_sent(const struct arrived *arrived)
{
	struct sent_frame sent;

	if (!sent_frame_read(arrived->next, arrived->end, &sent))
		ranks_give_up("the frames of another rank are broken: this is a bug in rdmatap-mpi");
	return sent;
}

static void begin_arrived(struct exchange *exchange, const uint8_t *received, const int *counts, const int *begins)
{
	for (int i = 0; i < exchange->size; i++) {
		struct arrived *arrived = &exchange->arrived[i];

		*arrived = (struct arrived){ .next = received + begins[i], .end = received + begins[i] + counts[i] };
		if (i == exchange->rank)
			*arrived = (struct arrived){ .count = exchange->own_count };
		if (i == exchange->rank ? !arrived->count : arrived->next == arrived->end)
			continue;
		if (i == exchange->rank)
			arrived->number = exchange->own[0].frame.number;
		else
			arrived->number = next_sent(arrived).number;
		if (!heap_add(&exchange->heads, arrived))
			ranks_lack_memory();
	}
}

/* Moves the frames to the ranks that analyse them. `pool` NULL: what arrives is dropped. */
static void move_frames(struct exchange *exchange, size_t count, struct batch_pool *pool)
{
	size_t size = (size_t)exchange->size, sent = 0, received = 0;
	int *counts = ranks_get(4 * size, sizeof *counts), *begins = counts + size, *received_counts = begins + size;
	int *received_begins = received_counts + size;
	double begin = MPI_Wtime();
	uint8_t *buffer, *place = NULL;

	count_bytes(exchange, count, counts, begins);
	MPI_Alltoall(counts, 1, MPI_INT, received_counts, 1, MPI_INT, MPI_COMM_WORLD);
	for (size_t i = 0; i < size; i++) {
		received_begins[i] = ranks_count(received, "one rank gets more than 2 GiB of frames in a round (lower --max-memory)");
		received += (size_t)received_counts[i];
		sent += (size_t)counts[i];
	}
	batch_block_release(exchange->block);
	exchange->block = NULL;
	buffer = malloc(sent + 1);
	if (pool)
		exchange->block = batch_block_get(pool, received + 1);
	else
		place = malloc(received + 1);
	if (!buffer || !(place || exchange->block))
		ranks_lack_memory();
	put_frames(exchange, count, buffer, begins);
	MPI_Alltoallv(buffer, counts, begins, MPI_BYTE, exchange->block ? exchange->block->bytes : place, received_counts, received_begins,
		      MPI_BYTE, MPI_COMM_WORLD);
	if (exchange->block)
		begin_arrived(exchange, exchange->block->bytes, received_counts, received_begins);
	free(buffer);
	free(place);
	free(counts);
	exchange->counters.moving_s += MPI_Wtime() - begin;
}

/* Which files had ended before the interfaces that begin in this round do. */
static void set_capture_points(struct exchange *exchange, const struct position_key *last)
{
	size_t count = exchange->options.count;
	int64_t *latest_ns = ranks_get(2 * count, sizeof *latest_ns), *own = latest_ns + count;

	for (size_t i = 0; i < count; i++)
		own[i] = INT64_MIN;
	for (size_t i = 0; exchange->files && i < exchange->file_count; i++)
		own[exchange->file_numbers[i]] = exchange->at_end || source_file_has_ended(exchange->files, i) ? exchange->progress[i].latest_ns : INT64_MAX;
	MPI_Allreduce(own, latest_ns, ranks_count(count, "there are too many files"), MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
	interfaces_set_points(exchange->interfaces, last, latest_ns);
	free(latest_ns);
}

/* Numbers the next frames and moves them. */
static void pass_frames(struct exchange *exchange, struct batch_pool *pool, struct source_metadata *metadata)
{
	uint64_t waiting, changes;
	struct position_key last;
	size_t count = agree(exchange, &waiting, &changes, &last);

	if (changes && !interfaces_share(exchange->interfaces, metadata))
		ranks_lack_memory();
	if (!waiting) {
		exchange->is_over = true;
		return;
	}
	if (interfaces_need_points(exchange->interfaces, &last))
		set_capture_points(exchange, &last);
	if (!number_frames(exchange, count))
		ranks_lack_memory();
	move_frames(exchange, count, pool);
	exchange->counters.rounds++;
}

/* One round. Nothing of the round before is left to be delivered. */
static void run_round(struct exchange *exchange, struct batch_pool *pool, struct source_metadata *metadata)
{
	fill(exchange);
	if (exchange->meet)
		exchange->meet(exchange->owner);
	pass_frames(exchange, pool, metadata);
	if (exchange->go_on)
		exchange->go_on(exchange->owner);
}

/* Adds the next frame of this rank itself. */
static bool add_own(struct exchange *exchange, struct arrived *arrived, struct batch *batch)
{
	struct waiting *own = &exchange->own[arrived->index++];
	bool kept = (batch->held_count && batch->held[batch->held_count - 1] == own->batch) || batch_keep(batch, own->batch);

	batch->frames[batch->shared.count++] = own->frame;
	rtap_batch_release(own->batch);
	if (arrived->index < arrived->count)
		arrived->number = exchange->own[arrived->index].frame.number;
	else
		heap_remove_first(&exchange->heads);
	return kept;
}

/* Adds the next frame of another rank. */
static void add_received(struct exchange *exchange, struct arrived *arrived, struct batch *batch)
{
	struct sent_frame sent = next_sent(arrived);

	batch->frames[batch->shared.count++] = (struct rtap_frame){
		.bytes = arrived->next + sizeof sent, .captured_length = sent.captured_length, .wire_length = sent.wire_length,
		.link_type = sent.link_type, .interface = sent.interface, .capture_point = sent.capture_point, .number = sent.number, .time_ns = sent.time_ns,
		.relative_ns = sent.time_ns - exchange->first_ns, .delta_ns = sent.time_ns - sent.before_ns,
	};
	arrived->next += sizeof sent + sent.captured_length;
	if (arrived->next < arrived->end)
		arrived->number = next_sent(arrived).number;
	else
		heap_remove_first(&exchange->heads);
}

/* Fills a batch with frames that have arrived. False: out of memory. */
static bool deliver(struct exchange *exchange, struct batch *batch, uint8_t time_digits)
{
	struct arrived *arrived;

	if (exchange->block)
		batch->block = batch_block_hold(exchange->block);
	while (batch->shared.count < FRAMES_A_BATCH && (arrived = heap_first(&exchange->heads))) {
		size_t count = exchange->heads.count;
		struct rtap_frame *frame = &batch->frames[batch->shared.count];

		if (!arrived->end && !add_own(exchange, arrived, batch))
			return false;
		if (arrived->end)
			add_received(exchange, arrived, batch);
		frame->time_digits = time_digits;
		if (exchange->heads.count == count)
			heap_settle_first(&exchange->heads);
		exchange->counters.taken_frames++;
		exchange->counters.taken_bytes += frame->captured_length;
	}
	return true;
}

static void share_counters(struct exchange *exchange, struct rtap_source_counters *counters)
{
	struct rtap_source_counters own = { .frames = 0 };

	_Static_assert(sizeof own % sizeof(uint64_t) == 0, "counters are numbers of 64 bits");
	if (exchange->files)
		rtap_source_counters(exchange->files, &own, sizeof own);
	MPI_Allreduce(&own, counters, sizeof own / sizeof(uint64_t), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static enum rtap_status feed_read(void *owner, struct batch_pool *pool, struct source_metadata *metadata, struct batch **batch,
				  struct rtap_error *error)
{
	struct exchange *exchange = owner;

	if (exchange->is_over)
		return RTAP_STATUS_END;
	while (!exchange->is_over && !exchange->heads.count)
		run_round(exchange, pool, metadata);
	if (exchange->is_over) {
		share_counters(exchange, &metadata->counters);
		return RTAP_STATUS_END;
	}
	*batch = batch_get(pool);
	if (*batch && deliver(exchange, *batch, metadata->time_digits))
		return RTAP_STATUS_OK;
	if (*batch)
		rtap_batch_release(&(*batch)->shared);
	*batch = NULL;
	rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
	return RTAP_STATUS_FAILED;
}

int64_t exchange_last_ns(const struct exchange *exchange)
{
	return exchange->last_ns;
}

const struct exchange_gap *exchange_next_gap(struct exchange *exchange, uint64_t until)
{
	if (exchange->next_gap == exchange->gap_count || exchange->gaps[exchange->next_gap].frame > until)
		return NULL;
	return &exchange->gaps[exchange->next_gap++];
}

void exchange_serve(struct exchange *exchange)
{
	struct rtap_source_counters counters;

	while (heap_first(&exchange->heads))
		heap_remove_first(&exchange->heads);
	if (exchange->is_over)
		return;
	while (!exchange->is_over)
		run_round(exchange, NULL, NULL);
	share_counters(exchange, &counters);
}

bool exchange_has_failed(const struct exchange *exchange)
{
	return exchange->has_failed;
}

struct exchange_counters exchange_counters(const struct exchange *exchange)
{
	return exchange->counters;
}

void exchange_destroy(struct exchange *exchange)
{
	if (!exchange)
		return;
	for (size_t i = 0; i < exchange->waiting_count; i++)
		rtap_batch_release(exchange->waiting[i].batch);
	free(exchange->waiting);
	free(exchange->own);
	free(exchange->arrived);
	free(exchange->gaps);
	heap_fini(&exchange->heads);
	batch_block_release(exchange->block);
	interfaces_destroy(exchange->interfaces);
	placement_destroy(exchange->placement);
	rtap_source_close(exchange->files);
	free(exchange->file_numbers);
	free(exchange->progress);
	free(exchange);
}
