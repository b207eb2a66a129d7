/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/rpc_call.h"
#include "reassembly/rpc_region.h"

/* Regions are found by their key and whose memory it is. */
struct region_key {
	const struct connection *connection;
	uint32_t r_key;
	bool of_a;
};

static uint64_t hash_of(const struct region_key *key)
{
	uint64_t words[2] = { (uintptr_t)key->connection ^ 1, (uint64_t)key->of_a << 32 | key->r_key };

	return map_hash(words, 2);
}

static bool same_region(const void *value, const void *wanted)
{
	const struct chunk_segment *segment = value;
	const struct region_key *key = wanted;

	return segment->call->connection == key->connection && segment->r_key == key->r_key && segment->call->from_a == key->of_a;
}

void rpc_region_open(struct rtap_tracker *tracker, struct chunk_segment *segment)
{
	struct region_key key = { segment->call->connection, segment->r_key, segment->call->from_a };
	struct chunk_segment *newest;

	segment->hash = hash_of(&key);
	newest = map_find(&tracker->regions, segment->hash, same_region, &key);
	if (newest)
		map_remove(&tracker->regions, segment->hash, newest);
	segment->same_key = newest;
	if (!map_add(&tracker->regions, segment->hash, segment)) {
		tracker->counters.evictions++;
		segment->hash = 0;
	}
}

void rpc_region_close(struct rtap_tracker *tracker, struct chunk_segment *segment)
{
	struct region_key key = { segment->call->connection, segment->r_key, segment->call->from_a };
	struct chunk_segment *newest = map_find(&tracker->regions, segment->hash, same_region, &key);

	if (newest == segment) {
		map_remove(&tracker->regions, segment->hash, segment);
		if (segment->same_key && !map_add(&tracker->regions, segment->hash, segment->same_key))
			tracker->counters.evictions++;
		return;
	}
	for (; newest; newest = newest->same_key)
		if (newest->same_key == segment) {
			newest->same_key = segment->same_key;
			return;
		}
}

struct chunk_segment *rpc_region_find(const struct rtap_tracker *tracker, const struct message *message)
{
	struct region_key key = { message->connection, message->shown.r_key, !message->shown.from_a };
	struct chunk_segment *segment, *found = NULL;
	uint64_t address = message->shown.virtual_address;

	for (segment = map_find(&tracker->regions, hash_of(&key), same_region, &key); segment; segment = segment->same_key)
		if (address >= segment->offset && address - segment->offset < segment->length &&
		    (!segment->call->reply.present || message->low < segment->call->reply_psn))
			found = segment;
	return found;
}

/* Moves runs, by `shift`, into those of a region. */
static void land_runs(struct rtap_tracker *tracker, struct chunk_segment *segment, struct coverage *to, const struct coverage *from,
		      uint64_t shift, unsigned keep)
{
	const struct coverage_run *runs = coverage_runs(from);

	for (uint32_t i = 0; i < from->count; i++) {
		const uint8_t *bytes = keep & COVERAGE_BYTES ? from->bytes + (runs[i].begin - from->origin) : NULL;
		uint64_t length = runs[i].end - runs[i].begin, fresh;

		/* holes that an earlier one left, and nothing twice */
		if (!coverage_add(to, runs[i].begin + shift, bytes, length, runs[i].crc, keep, &fresh))
			tracker->counters.evictions++;
		segment->has_parts |= fresh != length;
	}
}

void rpc_region_land(struct rtap_tracker *tracker, struct message *message)
{
	struct chunk_segment *segment = message->segment;
	uint64_t start = MESSAGE_ORIGIN - (message->origin - message->low) * message->stream->pmtu;
	uint64_t shift = message->shown.virtual_address - segment->offset - start;
	uint64_t memory = coverage_memory(&segment->data) + coverage_memory(&segment->cut);
	unsigned keep = (tracker->keep & COVERAGE_CRC) | (segment->keep_bytes ? COVERAGE_BYTES : 0u);

	/* bytes that were to be kept and could not be are as good as not there */
	if (!segment->keep_bytes || message->coverage.bytes)
		land_runs(tracker, segment, &segment->data, &message->coverage, shift, keep);
	land_runs(tracker, segment, &segment->cut, &message->cut, shift, COVERAGE_ONLY);
	if (!segment->first_frame || message->shown.first_frame < segment->first_frame)
		segment->first_frame = message->shown.first_frame;
	if (message->shown.last_frame > segment->last_frame)
		segment->last_frame = message->shown.last_frame;
	memory = coverage_memory(&segment->data) + coverage_memory(&segment->cut) - memory;
	budget_charge(&tracker->budget, &message->connection->holder, memory);
	segment->call->memory += memory;
	segment->call->claimed--;
	message->segment = NULL;
}

/* The first message under way that was claimed for the call: they are among the last of their stream. */
static const struct message *first_claimed(const struct rpc_call *call, const struct psn_stream *stream)
{
	const struct message *message = stream->tail, *first = NULL;

	for (uint32_t left = call->claimed; message && left; message = message->before)
		if (message->segment && message->segment->call == call) {
			first = message;
			left--;
		}
	return first;
}

bool rpc_region_gather(struct coverage *whole, uint64_t position, const struct chunk_segment *segment, const struct psn_stream *stream)
{
	const struct coverage_run *runs = coverage_runs(&segment->data);
	uint64_t fresh;

	for (uint32_t i = 0; i < segment->data.count && segment->data.bytes; i++)
		if (!coverage_add(whole, position + runs[i].begin, segment->data.bytes + (runs[i].begin - segment->data.origin),
				  runs[i].end - runs[i].begin, 0, COVERAGE_BYTES, &fresh))
			return false;
	/* a segment of a reply that its call has not named is nobody's */
	if (!segment->call)
		return true;
	for (const struct message *message = first_claimed(segment->call, stream); message; message = message->behind) {
		const struct coverage *data = &message->coverage;
		uint64_t start = MESSAGE_ORIGIN - (message->origin - message->low) * stream->pmtu;

		if (message->segment != segment || !data->bytes)
			continue;
		runs = coverage_runs(data);
		for (uint32_t i = 0; i < data->count; i++)
			if (!coverage_add(whole, position + runs[i].begin - start + message->shown.virtual_address - segment->offset,
					  data->bytes + (runs[i].begin - data->origin), runs[i].end - runs[i].begin, 0, COVERAGE_BYTES, &fresh))
				return false;
	}
	return true;
}
