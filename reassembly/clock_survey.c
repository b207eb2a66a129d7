/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "reassembly/clock_survey.h"
#include "reassembly/store/map.h"
#include "reassembly/store/memory.h"
#include "reassembly/packet_identity.h"

#define PLACES (2 * CLOCK_SURVEY_PACKETS)
/* Packets with their own identification are rarely mistaken for others. A packet without can be a retransmission. */
#define WEIGHT_OF_ID 32
#define LEAST_WEIGHT 256
/* Between the first and the last packet that two files share, they share at least one packet in LEAST_SHARE. */
#define LEAST_SHARE 4
#define SENDERS 256

struct survey_packet {
	uint64_t hash;             /* 0: empty */
	int64_t time_ns;
	uint32_t file, matched;    /* matched: last file that matched; the packet's own file: none */
};

/* What a file shares with an earlier one. */
struct survey_match {
	uint64_t packets, weight;
	uint64_t first, last;      /* index among its own packets */
	struct clock_range ranges[2];
};

struct clock_survey {
	struct survey_packet *packets;
	uint64_t count;
	struct survey_match *matches; /* of the current file with each earlier file */
	uint64_t own;              /* packets of the current file */
	uint16_t last_ids[SENDERS];
	struct survey_file {
		size_t reference;
		int64_t ahead_ns;
	} files[];
};

struct clock_survey *clock_survey_create(size_t files)
{
	struct clock_survey *survey = memory_new_zeroed(1, sizeof *survey + files * sizeof survey->files[0]);

	if (!survey)
		return NULL;
	survey->packets = memory_new_zeroed(PLACES, sizeof *survey->packets);
	survey->matches = memory_new_zeroed(files, sizeof *survey->matches);
	for (size_t i = 0; i < files; i++)
		survey->files[i].reference = i;
	if (survey->packets && survey->matches)
		return survey;
	clock_survey_destroy(survey);
	return NULL;
}

void clock_survey_destroy(struct clock_survey *survey)
{
	if (!survey)
		return;
	free(survey->packets);
	free(survey->matches);
	free(survey);
}

static struct survey_packet *find(struct clock_survey *survey, uint64_t hash)
{
	uint64_t at = hash % PLACES;

	while (survey->packets[at].hash && survey->packets[at].hash != hash)
		at = (at + 1) % PLACES;
	return &survey->packets[at];
}

static void note_match(struct clock_survey *survey, const struct survey_packet *earlier, const struct rtap_packet *packet)
{
	struct survey_match *match = &survey->matches[earlier->file];
	uint8_t sender = packet_sender(packet);
	int64_t after_ns;

	/* File times fill at most half of the range, but clocks may be far apart. */
	if (__builtin_sub_overflow(packet->frame->time_ns, earlier->time_ns, &after_ns) ||
	    __builtin_add_overflow(after_ns, survey->files[earlier->file].ahead_ns, &after_ns))
		return;
	if (!match->packets++)
		match->first = survey->own;
	match->last = survey->own;
	match->weight += packet->ip_id && packet->ip_id != survey->last_ids[sender] ? WEIGHT_OF_ID : 1;
	clock_range_add(&match->ranges[packet_is_from_higher(packet)], after_ns);
}

void clock_survey_take(struct clock_survey *survey, size_t file, const struct rtap_packet *packet)
{
	struct packet_identity identity;
	struct survey_packet *known;
	uint64_t hash;

	if (!packet_identify(packet, &identity))
		return;
	survey->own++;
	hash = map_hash(identity.words, PACKET_IDENTITY_WORDS) | 1;
	known = find(survey, hash);
	if (!known->hash) {
		if (survey->count == CLOCK_SURVEY_PACKETS)
			return;
		survey->count++;
		*known = (struct survey_packet){ hash, packet->frame->time_ns, (uint32_t)file, (uint32_t)file };
	} else if (known->file != file && known->matched != file) {
		known->matched = (uint32_t)file;
		note_match(survey, known, packet);
	}
	survey->last_ids[packet_sender(packet)] = packet->ip_id;
}

void clock_survey_end_file(struct clock_survey *survey, size_t file)
{
	struct survey_file *found = &survey->files[file];
	uint64_t most = 0;

	for (size_t i = 0; i < file; i++) {
		const struct survey_match *match = &survey->matches[i];

		if (match->weight < LEAST_WEIGHT || match->packets < (match->last - match->first) / LEAST_SHARE || match->packets <= most)
			continue;
		most = match->packets;
		found->reference = survey->files[i].reference;
		found->ahead_ns = clock_offset(match->ranges);
	}
	for (size_t i = 0; i < file; i++)
		survey->matches[i] = (struct survey_match){ 0 };
	survey->own = 0;
}

size_t clock_survey_reference(const struct clock_survey *survey, size_t file)
{
	return survey->files[file].reference;
}

int64_t clock_survey_ahead_ns(const struct clock_survey *survey, size_t file)
{
	return survey->files[file].ahead_ns;
}
