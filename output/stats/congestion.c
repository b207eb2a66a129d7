/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/cursor.h"
#include "dissect/engine/protocol.h"
#include "output/stats/stats.h"
#include "output/stats/stats_count.h"

#define FIRST_ROWS 4
/* Highest percentage of the previous rate that counts as slowed down. */
#define SLOWER_PERCENT 95
/* IEEE 802.3, annex 31B: a quantum is 512 bit times. */
#define QUANTUM_BITS UINT64_C(512)

/* IEEE 802.3, annexes 31B and 31D: opcode and frame layout. Ethernet: the source follows the six bytes of the destination. */
#define PAUSE_LENGTH 2
#define PFC_LENGTH (2 + 2 * PAUSE_PRIORITIES)
#define ETHERNET_SOURCE_AT 6
#define ETHERNET_ADDRESSES 12

const char *congestion_kind_name(enum congestion_kind kind)
{
	static const char *const names[] = {
#define CONGESTION_KIND_NAME(identifier, name) name,
		CONGESTION_KINDS(CONGESTION_KIND_NAME)
#undef CONGESTION_KIND_NAME
	};

	return names[kind];
}

uint16_t congestion_priority_of(const struct rtap_packet *packet)
{
	for (unsigned i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];

		if ((layer->protocol == PROTOCOL_VLAN || layer->protocol == PROTOCOL_SERVICE_VLAN) && layer->length)
			return CLASS_HAS_PCP | (uint16_t)(layer_bytes(packet, layer)[0] >> 5 << 9);
	}
	return 0;
}

bool congestion_pause_of(const struct rtap_packet *packet, struct congestion_pause *pause)
{
	const struct rtap_layer *layer = NULL;
	const uint8_t *header;

	if (!packet_has(packet, PROTOCOL_PAUSE) && !packet_has(packet, PROTOCOL_PFC))
		return false;
	*pause = (struct congestion_pause){
		.frame = packet->frame->number, .time_ns = packet->frame->time_ns, .interface = packet->frame->capture_point,
	};
	for (unsigned i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *one = &packet->layers[i];

		if (one->protocol == PROTOCOL_ETHERNET && one->length >= ETHERNET_ADDRESSES)
			memcpy(pause->source, layer_bytes(packet, one) + ETHERNET_SOURCE_AT, sizeof pause->source);
		else if (one->protocol == PROTOCOL_PAUSE || one->protocol == PROTOCOL_PFC)
			layer = one;
	}
	if (!layer)
		return false;
	header = layer_bytes(packet, layer);
	if (layer->protocol == PROTOCOL_PAUSE && layer->length >= PAUSE_LENGTH) {
		pause->enabled = 1 << PAUSE_LINK;
		pause->quanta[PAUSE_LINK] = load16(header);
		return true;
	}
	if (layer->protocol != PROTOCOL_PFC || layer->length < PFC_LENGTH)
		return false;
	pause->enabled = header[1];
	for (unsigned i = 0; i < PAUSE_PRIORITIES; i++)
		pause->quanta[i] = load16(header + 2 + 2 * i);
	return true;
}

static size_t size_of(uint8_t room)
{
	return sizeof(struct congestion) + room * sizeof(struct congestion_row);
}

/* Grows the rows. False: out of memory, or the limit is reached. */
static bool grow(struct stats *stats, struct stats_direction *direction)
{
	struct congestion *old = direction->congestion, *larger;
	uint8_t room = old ? (uint8_t)(2 * old->room) : FIRST_ROWS;

	if (room > CONGESTION_ROWS)
		return false;
	larger = stats_allocate(stats, size_of(room));
	if (!larger)
		return false;
	if (old) {
		memcpy(larger, old, size_of(old->room));
		stats_free(stats, old, size_of(old->room));
	}
	larger->room = room;
	direction->congestion = larger;
	return true;
}

/* The row of a kind and class, created if necessary. NULL: no room. */
static struct congestion_row *row_of(struct stats *stats, struct stats_direction *direction, uint32_t key)
{
	struct congestion *congestion = direction->congestion;
	struct congestion_row *row;

	for (uint8_t i = 0; congestion && i < congestion->count; i++)
		if (congestion->rows[i].key == key)
			return &congestion->rows[i];
	if ((!congestion || congestion->count == congestion->room) && !grow(stats, direction))
		return NULL;
	congestion = direction->congestion;
	row = &congestion->rows[congestion->count++];
	*row = (struct congestion_row){ .key = key };
	return row;
}

static void add(struct stats *stats, struct stats_direction *direction, uint32_t key, uint64_t packets)
{
	struct congestion_row *row = row_of(stats, direction, key);

	if (row)
		row->packets += packets;
	else if (direction->congestion)
		direction->congestion->other += packets;
	else
		stats->uncounted_messages += packets;
}

static bool is_used(const struct congestion_usual *usual)
{
	for (int kind = 0; kind < CONGESTION_KIND_COUNT; kind++)
		if (usual->packets[kind])
			return true;
	return false;
}

void congestion_note(struct stats *stats, struct stats_direction *direction, uint32_t key, uint64_t packets)
{
	if (direction->usual.class || is_used(&direction->usual)) {
		add(stats, direction, key, packets);
		return;
	}
	direction->usual.class = CONGESTION_CLASS(key);
	direction->usual.packets[CONGESTION_KIND(key)] += packets;
}

bool congestion_next(const struct stats_direction *direction, unsigned *at, struct congestion_row *row)
{
	const struct congestion *congestion = direction->congestion;

	for (; *at < CONGESTION_KIND_COUNT; (*at)++)
		if (direction->usual.packets[*at]) {
			*row = (struct congestion_row){ CONGESTION_KEY(*at, direction->usual.class), direction->usual.packets[*at] };
			(*at)++;
			return true;
		}
	if (!congestion || *at - CONGESTION_KIND_COUNT >= congestion->count)
		return false;
	*row = congestion->rows[(*at)++ - CONGESTION_KIND_COUNT];
	return true;
}

static uint64_t rate(uint64_t bytes, int64_t elapsed_ns)
{
	return (uint64_t)((double)bytes * 1e9 / (double)elapsed_ns);
}

/* The window after a CNP has ended, with `sent` bytes until its end. */
static void measure(struct congestion_cnps *cnps, uint64_t sent)
{
	uint64_t after = rate(sent - cnps->bytes, CONGESTION_WINDOW_NS);

	cnps->pending = false;
	cnps->measured++;
	cnps->before_sum += cnps->rate_before;
	cnps->after_sum += after;
	/* smaller differences depend on which packets are in the window */
	if ((double)after * 100 < (double)cnps->rate_before * SLOWER_PERCENT)
		return;
	if (!cnps->not_slower++)
		cnps->first_frame = cnps->frame;
	cnps->last_frame = cnps->frame;
}

void congestion_begin_window(struct stats_direction *direction, int64_t time_ns, uint32_t bytes)
{
	uint64_t sent = direction->wire_bytes - bytes;
	struct congestion_window *window = &direction->window;
	struct congestion_cnps *cnps = direction->cnps;

	if (cnps && cnps->pending && ns_elapsed(cnps->last_ns, time_ns) >= CONGESTION_WINDOW_NS)
		measure(cnps, sent);
	window->before_ns = window->end_ns ? window->begin_ns : time_ns;
	window->before_bytes = window->begin_bytes;
	window->begin_ns = time_ns;
	window->begin_bytes = sent;
	window->end_ns = time_ns + CONGESTION_WINDOW_NS;
}

static struct congestion_cnps *cnps_of(struct stats *stats, struct stats_direction *direction)
{
	if (!direction->cnps)
		direction->cnps = stats_allocate(stats, sizeof *direction->cnps);
	return direction->cnps;
}

static void note_storm(struct congestion_cnps *cnps, uint64_t frame, int64_t time_ns)
{
	struct congestion_storm *storm = &cnps->last_storm;

	if (!storm->count || time_ns < storm->begin_ns || ns_elapsed(storm->begin_ns, time_ns) >= CONGESTION_STORM_NS)
		*storm = (struct congestion_storm){ .begin_ns = time_ns, .first_frame = frame };
	storm->count++;
	storm->last_frame = frame;
	if (storm->count > cnps->worst_storm.count)
		cnps->worst_storm = *storm;
}

void congestion_note_cnp(struct stats *stats, struct stats_direction *sender, struct stats_direction *slowed, uint64_t frame, int64_t time_ns)
{
	struct congestion_cnps *sent = cnps_of(stats, sender), *taken;
	struct congestion_window *window;

	if (sent)
		note_storm(sent, frame, time_ns);
	window = &slowed->window;
	if (!window->end_ns)
		return;
	taken = cnps_of(stats, slowed);
	/* at least a window before it, and no CNP being measured */
	if (!taken || taken->pending || ns_elapsed(window->before_ns, time_ns) < CONGESTION_WINDOW_NS ||
	    (taken->last_ns && ns_elapsed(taken->last_ns, time_ns) < 2 * CONGESTION_WINDOW_NS))
		return;
	taken->pending = true;
	taken->last_ns = time_ns;
	taken->frame = frame;
	taken->bytes = slowed->wire_bytes;
	taken->rate_before = rate(slowed->wire_bytes - window->before_bytes, ns_elapsed(window->before_ns, time_ns));
	window->end_ns = time_ns + CONGESTION_WINDOW_NS;
}

static struct congestion_port *port_of(struct congestion_ports *ports, const struct congestion_pause *pause, uint8_t priority)
{
	struct congestion_port *port;

	for (unsigned i = 0; i < ports->count; i++) {
		port = &ports->ports[i];
		if (port->priority == priority && port->interface == pause->interface && !memcmp(port->source, pause->source, sizeof port->source))
			return port;
	}
	if (ports->count == CONGESTION_PORTS)
		return NULL;
	port = &ports->ports[ports->count++];
	*port = (struct congestion_port){ .priority = priority, .interface = pause->interface };
	memcpy(port->source, pause->source, sizeof port->source);
	return port;
}

uint64_t congestion_paused_ns(const struct congestion_port *port, int64_t last_ns)
{
	int64_t end_ns = port->end_ns < last_ns ? port->end_ns : last_ns;

	return port->paused_ns + (port->end_ns ? (uint64_t)ns_elapsed(port->begin_ns, end_ns) : 0);
}

/* A new pause replaces the rest of the last one: IEEE 802.3, 31B.3.3. */
static void note_port(struct congestion_port *port, const struct congestion_pause *pause, uint16_t quanta)
{
	uint64_t bits = quanta * QUANTUM_BITS;

	port->paused_ns = congestion_paused_ns(port, pause->time_ns);
	port->end_ns = 0;
	if (!port->frames++)
		port->first_frame = pause->frame;
	port->last_frame = pause->frame;
	if (!quanta)
		return;
	port->pauses++;
	port->quanta += quanta;
	if (!pause->bits_per_second) {
		port->unknown_speed++;
		return;
	}
	port->begin_ns = pause->time_ns;
	port->end_ns = pause->time_ns + (int64_t)((double)bits * 1e9 / (double)pause->bits_per_second + 0.5);
}

void congestion_note_pause(struct stats *stats, const struct congestion_pause *pause)
{
	if (!stats->pauses)
		stats->pauses = stats_allocate(stats, sizeof *stats->pauses);
	if (!stats->pauses) {
		stats->uncounted_messages++;
		return;
	}
	if (!stats->pauses->frames++)
		stats->pauses->first_frame = pause->frame;
	stats->pauses->last_frame = pause->frame;
	for (uint8_t priority = 0; priority <= PAUSE_LINK; priority++) {
		struct congestion_port *port;

		if (!(pause->enabled >> priority & 1))
			continue;
		port = port_of(stats->pauses, pause, priority);
		if (port)
			note_port(port, pause, pause->quanta[priority]);
		else
			stats->pauses->other++;
	}
}

/* ECN depends on the path, not on the sender. */
static uint16_t without_ecn(uint32_t key)
{
	return CONGESTION_CLASS(key) & (uint16_t)~ECN_CE;
}

uint64_t congestion_main_class(const struct stats_direction *direction, uint16_t *class)
{
	struct congestion_row row, other;
	uint64_t most = 0;

	for (unsigned at = 0; congestion_next(direction, &at, &row);) {
		uint64_t packets = 0;

		for (unsigned inner = 0; congestion_next(direction, &inner, &other);)
			if (CONGESTION_KIND(other.key) != CONGESTION_CNP && without_ecn(other.key) == without_ecn(row.key))
				packets += other.packets;
		if (packets <= most)
			continue;
		most = packets;
		*class = without_ecn(row.key);
	}
	return most;
}

bool congestion_is_default(const struct stats_direction *direction)
{
	struct congestion_row row;

	for (unsigned at = 0; congestion_next(direction, &at, &row);)
		if (without_ecn(row.key) & ~CLASS_HAS_DSCP || CLASS_ECN(CONGESTION_CLASS(row.key)) == ECN_CE)
			return false;
	return !direction->congestion || !direction->congestion->other;
}

static void cnps_merge(struct congestion_cnps *cnps, const struct congestion_cnps *other)
{
	if (other->worst_storm.count > cnps->worst_storm.count)
		cnps->worst_storm = other->worst_storm;
	if (other->not_slower && (!cnps->not_slower || other->first_frame < cnps->first_frame))
		cnps->first_frame = other->first_frame;
	if (other->not_slower && other->last_frame > cnps->last_frame)
		cnps->last_frame = other->last_frame;
	cnps->measured += other->measured;
	cnps->not_slower += other->not_slower;
	cnps->before_sum += other->before_sum;
	cnps->after_sum += other->after_sum;
}

void congestion_merge(struct stats *stats, struct stats_direction *direction, const struct stats_direction *other)
{
	const struct congestion *from = other->congestion;
	struct congestion_row row;

	if (other->cnps && cnps_of(stats, direction))
		cnps_merge(direction->cnps, other->cnps);
	if (direction->cnps)
		direction->cnps->bytes += other->wire_bytes;
	/* the caller adds the bytes of both afterwards */
	if (!direction->window.end_ns || (other->window.end_ns && other->window.begin_ns > direction->window.begin_ns)) {
		direction->window = other->window;
		direction->window.begin_bytes += direction->wire_bytes;
		direction->window.before_bytes += direction->wire_bytes;
	} else {
		direction->window.begin_bytes += other->wire_bytes;
		direction->window.before_bytes += other->wire_bytes;
	}
	for (unsigned at = 0; congestion_next(other, &at, &row);)
		if (!is_used(&direction->usual) || CONGESTION_CLASS(row.key) == direction->usual.class) {
			direction->usual.class = CONGESTION_CLASS(row.key);
			direction->usual.packets[CONGESTION_KIND(row.key)] += row.packets;
		} else {
			add(stats, direction, row.key, row.packets);
		}
	if (from && direction->congestion)
		direction->congestion->other += from->other;
}

void congestion_destroy(struct stats *stats, struct stats_direction *direction)
{
	if (direction->congestion)
		stats_free(stats, direction->congestion, size_of(direction->congestion->room));
	stats_free(stats, direction->cnps, sizeof *direction->cnps);
	direction->congestion = NULL;
	direction->cnps = NULL;
}
