/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each rank reads its files and keeps a sample of their packets. Rank 0 runs the survey over the samples, file by file: it asks the reader of
 * each for the packets that it still considers. If a file is so much longer than those before it that its sample lacks some, rank 0 reads it. The
 * first file is taken with what its sample has: usually fewer packets of it remain in the survey.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/clocks.h"
#include "dissect/dissect.h"
#include "mpi/ranks.h"
#include "mpi/survey.h"
#include "reassembly/clock_survey.h"
#include "base/map.h"

#define MOST_KEPT (1 << 17)  /* packets of a file */
#define LEAST_KEPT (1 << 12)
#define MEMORY_SHARE 8       /* part of the memory limit for all samples of a rank */
#define TAG_MASK 18
#define TAG_PACKETS 19

/* Packets of a file. */
struct sample {
	struct clock_survey_packet *packets;
	size_t count, room;
	uint32_t mask;         /* those with one of these bits are missing */
	bool is_whole;         /* the file has no more */
};

struct survey {
	const struct options *options;
	const unsigned *readers;
	struct clock_survey *found; /* rank 0 */
	struct sample *samples;     /* of the files of this rank */
	size_t most_kept;           /* packets of a file */
	int rank;
};

/* The survey compares packets by hashes. */
static void share_secret(void)
{
	uint64_t secret = map_secret();

	MPI_Bcast(&secret, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	map_set_secret(secret);
}

/* Drops half of the packets. */
static void thin_out(struct sample *sample)
{
	size_t kept = 0;

	sample->mask = sample->mask << 1 | 1;
	for (size_t i = 0; i < sample->count; i++)
		if (!(sample->packets[i].sample & sample->mask))
			sample->packets[kept++] = sample->packets[i];
	sample->count = kept;
}

static void keep_packet(struct sample *sample, const struct clock_survey_packet *packet, size_t most)
{
	struct clock_survey_packet *packets;

	while (sample->count >= most && sample->mask != UINT32_MAX)
		thin_out(sample);
	if (packet->sample & sample->mask)
		return;
	packets = array_grow(sample->packets, &sample->room, sample->count + 1, sizeof *packets);
	if (!packets)
		ranks_lack_memory();
	sample->packets = packets;
	packets[sample->count++] = *packet;
}

/* Read errors are reported later, when the file is read as an input. `found` NULL: packets are kept in the sample instead. */
static void read_file(const char *name, uint64_t left, struct sample *sample, size_t most, struct clock_survey *found, size_t file)
{
	struct clock_survey_packet identified;
	const struct rtap_frame *frame;
	struct rtap_source *source;
	struct rtap_packet packet;
	struct rtap_error error;

	sample->is_whole = true;
	if (rtap_source_open_files(&source, &name, 1, &error) != RTAP_STATUS_OK)
		return;
	for (; left && rtap_source_read_frame(source, &frame, &error) == RTAP_STATUS_OK; left--) {
		dissect_frame(frame, NULL, &packet);
		if (!clock_survey_identify(&packet, found ? clock_survey_mask(found) : sample->mask, &identified))
			continue;
		if (found)
			clock_survey_take(found, file, &identified);
		else
			keep_packet(sample, &identified, most);
	}
	rtap_source_close(source);
	sample->is_whole = left;
}

/* Samples of the files of this rank. `wanted` NULL: of all. */
static void read_files(struct survey *survey, uint64_t left, size_t most, const int *wanted)
{
	for (size_t i = 0; i < survey->options->input_count; i++) {
		struct sample *sample = &survey->samples[i];

		if (survey->readers[i] != (unsigned)survey->rank || (wanted && !wanted[i]))
			continue;
		free(sample->packets);
		*sample = (struct sample){ .packets = NULL };
		read_file(survey->options->inputs[i], left, sample, most, NULL, i);
	}
}

/* Of a sample, the packets without any bit of the mask. Returns their number. */
static size_t select_packets(struct sample *sample, uint32_t mask)
{
	while (sample->mask < mask)
		thin_out(sample);
	return sample->count;
}

/* The reader of a file sends its sample to rank 0: its mask, then the packets unless that has bits that rank 0 does not want. is_first: anyway. */
static void send_sample(struct sample *sample, bool is_first)
{
	uint32_t mask;

	MPI_Recv(&mask, 1, MPI_UINT32_T, 0, TAG_MASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	select_packets(sample, mask);
	MPI_Send(&sample->mask, 1, MPI_UINT32_T, 0, TAG_MASK, MPI_COMM_WORLD);
	if (sample->mask == mask || is_first)
		MPI_Send(sample->packets, (int)(sample->count * sizeof *sample->packets), MPI_BYTE, 0, TAG_PACKETS, MPI_COMM_WORLD);
}

static void receive_sample(int reader, uint32_t mask, struct sample *sample, bool is_first)
{
	MPI_Status status;
	int size;

	MPI_Send(&mask, 1, MPI_UINT32_T, reader, TAG_MASK, MPI_COMM_WORLD);
	MPI_Recv(&sample->mask, 1, MPI_UINT32_T, reader, TAG_MASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (sample->mask != mask && !is_first)
		return;
	MPI_Probe(reader, TAG_PACKETS, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_BYTE, &size);
	sample->packets = malloc((size_t)size + 1);
	if (!sample->packets)
		ranks_lack_memory();
	MPI_Recv(sample->packets, size, MPI_BYTE, reader, TAG_PACKETS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sample->count = (size_t)size / sizeof *sample->packets;
}

static void take_sample(struct survey *survey, size_t file, const struct sample *sample)
{
	for (size_t i = 0; i < sample->count; i++)
		clock_survey_take(survey->found, file, &sample->packets[i]);
}

/* Takes the first file with fewer packets than are considered. False: the survey would keep more of them. */
static bool take_thinned(struct survey *survey, size_t file, const struct sample *sample, uint32_t mask)
{
	clock_survey_begin_thinned(survey->found, sample->mask);
	take_sample(survey, file, sample);
	if (clock_survey_mask(survey->found) > sample->mask)
		return true;
	clock_survey_begin_thinned(survey->found, mask);
	return false;
}

/* Rank 0 takes a file into the survey. is_first: of the second pass. */
static void take_file(struct survey *survey, size_t file, bool is_first)
{
	uint32_t mask = clock_survey_mask(survey->found);
	struct sample received = { .packets = NULL }, *sample = &survey->samples[file];

	if (survey->readers[file]) {
		sample = &received;
		receive_sample((int)survey->readers[file], mask, sample, is_first);
	} else {
		select_packets(sample, mask);
	}
	if (sample->mask == mask)
		take_sample(survey, file, sample);
	else if (!is_first || !take_thinned(survey, file, sample, mask))
		read_file(survey->options->inputs[file], UINT64_MAX, &(struct sample){ .packets = NULL }, 0, survey->found, file);
	clock_survey_end_file(survey->found, file);
	free(received.packets);
}

/* `wanted` NULL: all files. */
static void take_files(struct survey *survey, const int *wanted)
{
	bool is_first = wanted;

	for (size_t i = 0; i < survey->options->input_count; i++) {
		if (wanted && !wanted[i])
			continue;
		if (!survey->rank)
			take_file(survey, i, is_first);
		else if (survey->readers[i] == (unsigned)survey->rank)
			send_sample(&survey->samples[i], is_first);
		is_first = false;
	}
}

/* As one process: first the beginning of each file, then the whole of those that share packets. */
static void run(struct survey *survey)
{
	size_t count = survey->options->input_count;
	int *shared = calloc(count, sizeof *shared), goes_on = 0, any;

	if (!shared)
		ranks_lack_memory();
	read_files(survey, clock_survey_most(survey->options->max_memory) / count, SIZE_MAX, NULL);
	for (size_t i = 0; i < count; i++)
		goes_on |= survey->readers[i] == (unsigned)survey->rank && !survey->samples[i].is_whole;
	MPI_Allreduce(&goes_on, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
	take_files(survey, NULL);
	if (any) {
		for (size_t i = 0; !survey->rank && i < count; i++)
			shared[i] = clock_survey_is_shared(survey->found, i);
		MPI_Bcast(shared, (int)count, MPI_INT, 0, MPI_COMM_WORLD);
		if (!survey->rank)
			clock_survey_begin_whole(survey->found);
		read_files(survey, UINT64_MAX, survey->most_kept, shared);
		take_files(survey, shared);
	}
	free(shared);
}

static int find_clocks(const struct options *options, const unsigned *readers, struct source_clock *clocks, uint64_t *partners)
{
	struct survey survey = { .options = options, .readers = readers, .samples = calloc(options->input_count, sizeof *survey.samples) };
	size_t own = 1;
	int found = 0;

	MPI_Comm_rank(MPI_COMM_WORLD, &survey.rank);
	if (!survey.rank)
		survey.found = clock_survey_create(options->input_count, options->max_memory);
	if (!survey.samples || (!survey.rank && !survey.found))
		ranks_lack_memory();
	for (size_t i = 0; i < options->input_count; i++)
		own += readers[i] == (unsigned)survey.rank;
	survey.most_kept = options->max_memory / MEMORY_SHARE / own / sizeof(struct clock_survey_packet);
	survey.most_kept = survey.most_kept > MOST_KEPT ? MOST_KEPT : survey.most_kept < LEAST_KEPT ? LEAST_KEPT : survey.most_kept;
	run(&survey);
	for (size_t i = 0; i < options->input_count; i++) {
		if (!survey.rank) {
			clocks[i] = clocks_found(survey.found, i);
			partners[i] = clock_survey_partner(survey.found, i);
		}
		found |= !survey.rank && clocks[i].reference != i;
		free(survey.samples[i].packets);
	}
	clock_survey_destroy(survey.found);
	free(survey.samples);
	return found;
}

/* Of --clock. */
static int take_known(const struct options *options, struct source_clock *clocks)
{
	const struct source_feed nothing = { NULL, NULL };
	struct rtap_source *source;
	struct rtap_error error;

	if (source_open_fed(&source, &nothing, options->inputs, options->input_count, &error))
		ranks_lack_memory();
	clocks_adjust(source, options);
	for (size_t i = 0; i < options->input_count; i++)
		clocks[i] = *source_clock(source, i);
	rtap_source_close(source);
	return 1;
}

bool survey_clocks(const struct options *options, const unsigned *readers, struct source_clock *clocks, uint64_t *partners)
{
	int rank, found = 0;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < options->input_count; i++)
		partners[i] = i;
	if (options->input_count < 2)
		return false;
	share_secret();
	if (!options->clocks.count)
		found = find_clocks(options, readers, clocks, partners);
	else if (!rank)
		found = take_known(options, clocks);
	MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(clocks, (int)(options->input_count * sizeof *clocks), MPI_BYTE, 0, MPI_COMM_WORLD);
	MPI_Bcast(partners, (int)options->input_count, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	return found;
}
