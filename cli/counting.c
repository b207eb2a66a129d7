/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "cli/counting.h"
#include "cli/feed.h"
#include "cli/print_error.h"
#include "dissect/engine/protocol.h"
#include "output/stats/congestion.h"
#include "output/stats/stats_operation.h"
#include "output/stats/stats_packet.h"
#include "reassembly/tracker.h"

/* Memory for statistics: a tenth of --max-memory, but at most 16 MB or, if more, 1/32 of it. The rest is for connection state. */
static uint64_t counts_memory(uint64_t max_memory)
{
	uint64_t tenth = max_memory / 10, most = UINT64_C(16) << 20;

	if (max_memory / 32 > most)
		most = max_memory / 32;
	return tenth < most ? tenth : most;
}

static void take_message(void *owner, const struct rtap_message *message)
{
	struct counting *counting = owner;

	stats_message(counting->stats, message);
	if (counting->message)
		counting->message(counting->owner, message);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct counting *counting = owner;

	stats_operation(counting->stats, operation);
	if (counting->operation)
		counting->operation(counting->owner, operation);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct counting *counting = owner;

	stats_connection(counting->stats, connection);
}

static void merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct counting *counting = owner;

	stats_merge(counting->stats, from, into, turned);
	if (counting->merged)
		counting->merged(counting->owner, from, into, turned);
}

static void resolve(void *owner, uint64_t frame, const struct rtap_flow_facts *flow)
{
	struct counting *counting = owner;

	stats_resolve(counting->stats, frame, flow);
}

/* A PAUSE or PFC frame. */
static void take_pause(struct counting *counting, const struct rtap_packet *packet)
{
	struct congestion_pause pause;

	if (!congestion_pause_of(packet, &pause))
		return;
	pause.bits_per_second = reader_link_speed(counting->reader, packet->frame);
	if (!feed_counts_pause(&pause))
		congestion_note_pause(counting->stats, &pause);
}

void counting_packet(struct counting *counting, const struct rtap_packet *packet)
{
	if (!feed_counts(packet))
		stats_packet(counting->stats, packet);
	if (packet_has(packet, PROTOCOL_MAC_CONTROL))
		take_pause(counting, packet);
}

void counting_frame(void *owner, struct rtap_frame *frame)
{
	struct counting *counting = owner;
	const struct rtap_packet *packet = reader_packet(counting->reader, frame);

	counting_packet(counting, packet);
	reader_count(counting->reader, packet);
}

static void show_connection(void *owner, const struct rtap_connection *connection)
{
	struct counting *counting = owner;

	stats_connection_so_far(counting->stats, connection);
}

void counting_refresh(struct counting *counting)
{
	tracker_show_connections(counting->tracker, show_connection, counting);
}

bool counting_open(struct counting *counting, struct reader *reader)
{
	const struct options *options = reader->options;
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory - counts_memory(options->max_memory),
		.give_up_ns = options->give_up_ns,
		.dissect = &options->dissect,
		.message = take_message,
		.operation = take_operation,
		.cheap_operations = !counting->all_operations,
		.connection = take_connection,
		.merged = merge,
		.resolved = resolve,
		.bare_replies = true,
		.owner = counting,
	};

	counting->reader = reader;
	feed_keep(&tracking);
	if (rtap_tracker_open(&counting->tracker, &tracking, NULL)) {
		print_error("out of memory");
		return false;
	}
	counting->stats = stats_create(&(struct stats_options){
		.max_memory = counts_memory(options->max_memory),
		.interval_ns = counting->interval_ns,
		.sampled = options->sampled,
	});
	if (counting->stats) {
		feed_opened(counting->tracker, counting->stats, NULL);
		return true;
	}
	print_error("out of memory");
	return false;
}

void counting_close(struct counting *counting)
{
	rtap_tracker_close(counting->tracker);
	stats_destroy(counting->stats);
	counting->tracker = NULL;
	counting->stats = NULL;
}
