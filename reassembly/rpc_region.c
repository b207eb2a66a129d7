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

/* Where a message stands in its region: what of its payload is the region's, and how far that is moved. */
struct landing {
	uint64_t begin, end, shift;
};

static struct landing landing_of(const struct message *message, const struct chunk_segment *segment, const struct psn_stream *stream)
{
	uint64_t start = MESSAGE_ORIGIN - (message->origin - message->low) * stream->pmtu;
	uint64_t at = message->shown.virtual_address - segment->offset, left = segment->length - at;

	return (struct landing){ start, start + (left < message->shown.length ? left : message->shown.length), at - start };
}

void rpc_region_land(struct rtap_tracker *tracker, struct message *message)
{
	struct chunk_segment *segment = message->segment;
	struct landing to = landing_of(message, segment, message->stream);
	uint64_t memory = coverage_memory(&segment->data) + coverage_memory(&segment->cut);
	unsigned keep = (tracker->keep & COVERAGE_CRC) | (segment->keep_bytes ? COVERAGE_BYTES : 0u);

	/* bytes that were to be kept and could not be are as good as not there */
	if ((!segment->keep_bytes || message->coverage.bytes) &&
	    !coverage_copy(&segment->data, &message->coverage, to.begin, to.end, to.shift, keep))
		tracker->counters.evictions++;
	if (!coverage_copy(&segment->cut, &message->cut, to.begin, to.end, to.shift, COVERAGE_ONLY))
		tracker->counters.evictions++;
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
	if (segment->data.bytes && !coverage_copy(whole, &segment->data, 0, segment->length, position, COVERAGE_BYTES))
		return false;
	/* a segment of a reply that its call has not named is nobody's */
	if (!segment->call)
		return true;
	for (const struct message *message = first_claimed(segment->call, stream); message; message = message->behind) {
		struct landing to;

		if (message->segment != segment || !message->coverage.bytes)
			continue;
		to = landing_of(message, segment, stream);
		if (!coverage_copy(whole, &message->coverage, to.begin, to.end, position + to.shift, COVERAGE_BYTES))
			return false;
	}
	return true;
}
