/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "reassembly/clock_fit.h"
#include "reassembly/clock_survey.h"
#include "base/memory.h"
#include "reassembly/packet_identity.h"
#include "reassembly/reference_step.h"

/* Most packets kept of all files at first. */
#define FIRST_PACKETS (1 << 18)
#define LEAST_PACKETS (1 << 13)
/* Part of the memory limit for the table of packets, half of which is empty; and two are needed while packets are dropped. */
#define MEMORY_SHARE 4
/* Most packets kept of whole files. If there are more, only half of them are considered, repeatedly if necessary. */
#define WHOLE_PACKETS (1 << 16)
/* Most packets from which a clock is measured. */
#define MOST_SAMPLES (1 << 16)
/* Packets with their own identification are rarely mistaken for others. A packet without can be a retransmission. */
#define WEIGHT_OF_ID 32
#define LEAST_WEIGHT 256
/* Two files overlap if they share at least one in LEAST_SHARE of the packets between the first and the last shared one. */
#define LEAST_SHARE 4
#define SENDERS 256
/* Packets whose places in the table are fetched from memory before they are taken. */
#define FETCHED 8

struct survey_packet {
	uint64_t hash;             /* 0: empty */
	uint64_t frame;            /* number in its file */
	int64_t time_ns;
	uint32_t file, matched;    /* matched: last file that matched; the packet's own file: none */
	uint32_t sample;           /* selects the packets that are considered; the same in each run */
};

/* The packets that a file shares with an earlier one. */
struct survey_match {
	uint64_t packets, weight;
	uint64_t first, last;      /* index among its own packets */
};

struct clock_survey {
	struct survey_packet *packets;
	uint64_t count, most, places; /* places: of the hash table, at least twice `count`, at most twice `most` */
	bool is_whole;
	uint32_t mask;             /* packets whose `sample` has one of these bits are not considered */
	struct survey_match *matches; /* of the current file with each earlier file */
	struct clock_sample *samples; /* packets that the current file shares with any earlier one */
	size_t sample_count, sample_room;
	uint64_t own;              /* packets of the current file */
	struct clock_survey_packet fetched[FETCHED]; /* the next ones of it, each at its number modulo FETCHED */
	uint64_t fetched_count, taken_count;
	uint16_t last_ids[SENDERS];
	struct survey_file {
		size_t reference, partner; /* partner: it shares the most packets with the file */
		bool is_reference;
		bool is_compared;  /* directly with its reference, whose frames from first_frame to last_frame were used */
		uint64_t first_frame, last_frame;
		size_t piece_count;
		struct clock_piece pieces[CLOCK_PIECES];
	} files[];
};

uint64_t clock_survey_most(uint64_t max_memory)
{
	uint64_t most = max_memory / MEMORY_SHARE / (2 * sizeof(struct survey_packet));

	return most > FIRST_PACKETS ? FIRST_PACKETS : most < LEAST_PACKETS ? LEAST_PACKETS : most;
}

struct clock_survey *clock_survey_create(size_t files, uint64_t max_memory)
{
	struct clock_survey *survey = memory_new_zeroed(1, sizeof *survey + files * sizeof survey->files[0]);

	if (!survey)
		return NULL;
	survey->most = clock_survey_most(max_memory);
	survey->places = 2 * LEAST_PACKETS;
	survey->packets = memory_new_zeroed(survey->places, sizeof *survey->packets);
	survey->matches = memory_new_zeroed(files, sizeof *survey->matches);
	for (size_t i = 0; i < files; i++)
		survey->files[i].reference = survey->files[i].partner = i;
	if (survey->packets && survey->matches)
		return survey;
	clock_survey_destroy(survey);
	return NULL;
}

void clock_survey_begin_whole(struct clock_survey *survey)
{
	survey->count = 0;
	if (survey->most > WHOLE_PACKETS)
		survey->most = WHOLE_PACKETS;
	if (survey->places > 2 * survey->most)
		survey->places = 2 * survey->most;
	survey->is_whole = true;
	survey->own = 0;
	survey->taken_count = survey->fetched_count;
	memset(survey->packets, 0, survey->places * sizeof *survey->packets);
}

void clock_survey_begin_thinned(struct clock_survey *survey, uint32_t mask)
{
	clock_survey_begin_whole(survey);
	survey->mask = mask;
}

void clock_survey_destroy(struct clock_survey *survey)
{
	if (!survey)
		return;
	free(survey->packets);
	free(survey->matches);
	free(survey->samples);
	free(survey);
}

static struct survey_packet *find(struct clock_survey *survey, uint64_t hash)
{
	uint64_t at = hash % survey->places;

	while (survey->packets[at].hash && survey->packets[at].hash != hash)
		at = (at + 1) % survey->places;
	return &survey->packets[at];
}

/* Moves the packets without a bit of the mask to another table. False: out of memory. */
static bool move(struct clock_survey *survey, uint64_t places)
{
	struct survey_packet *all = survey->packets, *kept = memory_new_zeroed(places, sizeof *kept);
	uint64_t all_places = survey->places;

	if (!kept)
		return false;
	survey->packets = kept;
	survey->places = places;
	survey->count = 0;
	for (size_t i = 0; i < all_places; i++)
		if (all[i].hash && !(all[i].sample & survey->mask)) {
			*find(survey, all[i].hash) = all[i];
			survey->count++;
		}
	free(all);
	return true;
}

/* Considers half of the packets from now on. False: out of memory. */
static bool halve_samples(struct clock_survey *survey)
{
	uint32_t mask = survey->mask;

	if (mask == UINT32_MAX)
		return false;
	survey->mask = mask << 1 | 1;
	if (move(survey, survey->places < 2 * survey->most ? survey->places : 2 * survey->most))
		return true;
	survey->mask = mask;
	return false;
}

/* Makes room for a packet. False: there is none, or no memory. */
static bool make_room(struct clock_survey *survey)
{
	if (survey->count >= survey->most && (!survey->is_whole || !halve_samples(survey)))
		return false;
	/* small files leave most of the memory untouched */
	return 2 * survey->count < survey->places ||
	       move(survey, survey->places < survey->most ? 2 * survey->places : 2 * survey->most);
}

bool clock_survey_is_whole(const struct clock_survey *survey)
{
	return survey->is_whole;
}

void clock_survey_go_on_thinned(struct clock_survey *survey)
{
	survey->is_whole = true;
	if (survey->most > WHOLE_PACKETS)
		survey->most = WHOLE_PACKETS;
	while (survey->count > survey->most && halve_samples(survey))
		;
}

/* How far the clock of a file that has ended was ahead of its reference at a frame. */
static int64_t ahead_ns(const struct survey_file *file, uint64_t frame, int64_t time_ns)
{
	size_t piece = file->piece_count;

	while (piece > 1 && file->pieces[piece - 1].first_frame > frame)
		piece--;
	return piece ? clock_piece_ahead_ns(&file->pieces[piece - 1], time_ns) : 0;
}

static int64_t largest_uncertainty_ns(const struct survey_file *file)
{
	int64_t largest_ns = 0;

	for (size_t i = 0; i == 0 || i < file->piece_count; i++)
		if (file->pieces[i].uncertainty_ns > largest_ns)
			largest_ns = file->pieces[i].uncertainty_ns;
	return largest_ns;
}

/* A clock that was compared with that of a file which has a reference itself is as uncertain as both. */
static void add_uncertainty(struct survey_file *file, const struct survey_file *other)
{
	int64_t added_ns = largest_uncertainty_ns(other);

	for (size_t i = 0; i == 0 || i < file->piece_count; i++) {
		struct clock_piece *piece = &file->pieces[i];

		piece->uncertainty_ns = added_ns && piece->uncertainty_ns ? piece->uncertainty_ns + added_ns : 0;
	}
}

static void keep_sample(struct clock_survey *survey, const struct clock_sample *sample)
{
	struct clock_sample *samples = array_grow(survey->samples, &survey->sample_room, survey->sample_count + 1, sizeof *samples);

	if (!samples)
		return;
	survey->samples = samples;
	survey->samples[survey->sample_count++] = *sample;
}

static void note_match(struct clock_survey *survey, const struct survey_packet *earlier, const struct clock_survey_packet *packet)
{
	struct survey_match *match = &survey->matches[earlier->file];
	struct clock_sample sample = {
		.frame = packet->frame, .time_ns = packet->time_ns, .other_frame = earlier->frame, .file = earlier->file,
		.from_higher = packet->from_higher,
	};

	/* File times fill at most half of the range, but clocks may be far apart. */
	if (__builtin_sub_overflow(packet->time_ns, earlier->time_ns, &sample.after_ns) ||
	    __builtin_add_overflow(sample.after_ns, ahead_ns(&survey->files[earlier->file], earlier->frame, earlier->time_ns), &sample.after_ns))
		return;
	if (!match->packets++)
		match->first = survey->own;
	match->last = survey->own;
	match->weight += packet->ip_id && packet->ip_id != survey->last_ids[packet->sender] ? WEIGHT_OF_ID : 1;
	keep_sample(survey, &sample);
}

/* The bits of a packet_place(), mixed. */
static uint32_t sample_of(uint32_t place)
{
	uint32_t mixed = place;

	mixed = (mixed ^ mixed >> 16) * UINT32_C(0x85ebca6b);
	mixed = (mixed ^ mixed >> 13) * UINT32_C(0xc2b2ae35);
	return mixed ^ mixed >> 16;
}

static void keep_packet(struct clock_survey *survey, size_t file, const struct clock_survey_packet *packet)
{
	if (!make_room(survey))
		return;
	if (packet->sample & survey->mask)
		return;
	survey->count++;
	*find(survey, packet->hash) = (struct survey_packet){
		.hash = packet->hash, .frame = packet->frame, .time_ns = packet->time_ns,
		.file = (uint32_t)file, .matched = (uint32_t)file, .sample = packet->sample,
	};
}

bool clock_survey_identify(const struct rtap_packet *packet, uint32_t mask, struct clock_survey_packet *identified)
{
	uint32_t sample = sample_of(packet_place(packet));
	struct packet_identity identity;

	if (sample & mask || !packet_identify(packet, &identity))
		return false;
	*identified = (struct clock_survey_packet){
		.hash = identity.hash | 1, .frame = packet->frame->number, .time_ns = packet->frame->time_ns,
		.sample = sample, .ip_id = packet->ip_id, .sender = packet_sender(packet), .from_higher = packet_is_from_higher(packet),
	};
	return true;
}

uint32_t clock_survey_mask(const struct clock_survey *survey)
{
	return survey->mask;
}

static void take(struct clock_survey *survey, size_t file, const struct clock_survey_packet *packet)
{
	struct survey_packet *known;

	if (packet->sample & survey->mask)
		return;
	survey->own++;
	known = find(survey, packet->hash);
	if (!known->hash) {
		keep_packet(survey, file, packet);
	} else if (known->file != file && known->matched != file) {
		known->matched = (uint32_t)file;
		note_match(survey, known, packet);
	}
	survey->last_ids[packet->sender] = packet->ip_id;
}

/* Takes the packets that were fetched, but for so many. */
static void take_fetched(struct clock_survey *survey, size_t file, unsigned but)
{
	while (survey->taken_count + but < survey->fetched_count)
		take(survey, file, &survey->fetched[survey->taken_count++ % FETCHED]);
}

void clock_survey_take(struct clock_survey *survey, size_t file, const struct clock_survey_packet *packet)
{
	if (packet->sample & survey->mask)
		return;
	take_fetched(survey, file, FETCHED - 1);
	survey->fetched[survey->fetched_count++ % FETCHED] = *packet;
	__builtin_prefetch(&survey->packets[packet->hash % survey->places]);
}

/* Keeps the samples of one other file, evenly. Returns how many there are. */
static size_t select_samples(struct clock_survey *survey, size_t other, uint64_t packets)
{
	size_t count = 0, step = packets / MOST_SAMPLES + 1, at = 0;

	for (size_t i = 0; i < survey->sample_count; i++)
		if (survey->samples[i].file == other && at++ % step == 0)
			survey->samples[count++] = survey->samples[i];
	return count;
}

/* The frames of the reference that were compared. */
static void note_frames(struct survey_file *file, const struct clock_sample *samples, size_t count)
{
	file->first_frame = UINT64_MAX;
	file->last_frame = 0;
	for (size_t i = 0; i < count; i++) {
		if (samples[i].other_frame < file->first_frame)
			file->first_frame = samples[i].other_frame;
		if (samples[i].other_frame > file->last_frame)
			file->last_frame = samples[i].other_frame;
	}
}

/* Whether files that were measured before would lack the step: those compared with another file, or with later packets of the reference. */
static bool concerns_others(const struct clock_survey *survey, size_t file, size_t reference, const struct reference_step *step)
{
	for (size_t i = 0; i < file; i++) {
		const struct survey_file *other = &survey->files[i];

		if (i != reference && other->reference == reference && (!other->is_compared || other->last_frame >= step->first_frame))
			return true;
	}
	return false;
}

/* Measures the clock of a file by the samples. Steps of its reference become those of the reference. */
static void measure(struct clock_survey *survey, size_t file, size_t reference, size_t count)
{
	struct survey_file *found = &survey->files[file], *other = &survey->files[reference];
	struct reference_step step;

	found->is_compared = other->reference == reference;
	found->piece_count = clock_fit(survey->samples, count, found->pieces);
	note_frames(found, survey->samples, count);
	for (unsigned i = 0; i < CLOCK_PIECES && found->is_compared; i++) {
		if (!reference_step_find(survey->samples, count, found->pieces, found->piece_count, &step) ||
		    concerns_others(survey, file, reference, &step) ||
		    !reference_step_apply(&step, other->pieces, &other->piece_count, survey->samples, count))
			break;
		found->piece_count = clock_fit(survey->samples, count, found->pieces);
	}
}

void clock_survey_end_file(struct clock_survey *survey, size_t file)
{
	struct survey_file *found = &survey->files[file];
	size_t best = file;
	uint64_t most = 0;

	take_fetched(survey, file, 0);
	for (size_t i = 0; i < file; i++) {
		const struct survey_match *match = &survey->matches[i];

		if (match->weight < LEAST_WEIGHT || match->packets < (match->last - match->first) / LEAST_SHARE || match->packets <= most)
			continue;
		most = match->packets;
		best = i;
	}
	if (most) {
		found->partner = best;
		found->reference = survey->files[best].reference;
		survey->files[found->reference].is_reference = true;
		measure(survey, file, best, select_samples(survey, best, most));
		if (survey->files[best].reference != best)
			add_uncertainty(found, &survey->files[best]);
	} else if (survey->files[found->reference].reference != found->reference) {
		/* the files matched only at their beginnings, and the reference turned out to have a reference itself */
		found->reference = file;
		found->is_compared = false;
		found->piece_count = 0;
		found->pieces[0] = (struct clock_piece){ .first_frame = 0 };
	}
	for (size_t i = 0; i < file; i++)
		survey->matches[i] = (struct survey_match){ 0 };
	survey->sample_count = 0;
	survey->own = 0;
}

size_t clock_survey_reference(const struct clock_survey *survey, size_t file)
{
	return survey->files[file].reference;
}

size_t clock_survey_partner(const struct clock_survey *survey, size_t file)
{
	return survey->files[file].partner;
}

size_t clock_survey_pieces(const struct clock_survey *survey, size_t file, const struct clock_piece **pieces)
{
	*pieces = survey->files[file].pieces;
	return survey->files[file].piece_count;
}

bool clock_survey_is_shared(const struct clock_survey *survey, size_t file)
{
	return survey->files[file].is_reference || survey->files[file].reference != file;
}
