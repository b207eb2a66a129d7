/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "dissect/engine/line.h"
#include "output/check/subject.h"

static bool is_connection(const void *value, const void *key)
{
	return ((const struct check_connection *)value)->number == *(const uint64_t *)key;
}

void check_memory_init(struct check_memory *memory, uint64_t max_memory)
{
	*memory = (struct check_memory){ .max_memory = max_memory };
	TAILQ_INIT(&memory->by_use);
}

static void destroy(struct check_memory *memory, struct check_connection *connection)
{
	TAILQ_REMOVE(&memory->by_use, connection, link);
	for (unsigned i = 0; i < CHECK_GROUPS; i++) {
		memory->memory -= connection->sizes[i];
		free(connection->groups[i]);
	}
	if (connection->setup)
		memory->memory -= sizeof *connection->setup;
	free(connection->setup);
	memory->memory -= sizeof *connection;
	map_remove(&memory->connections, map_hash(&connection->number, 1), connection);
	free(connection);
}

/* Makes room for `size` bytes by evicting the least recently used connections. */
static bool make_room(struct check_memory *memory, size_t size, const struct check_connection *keep)
{
	struct check_connection *oldest;

	while (memory->memory + size > memory->max_memory && (oldest = TAILQ_LAST(&memory->by_use, check_connections)) && oldest != keep) {
		destroy(memory, oldest);
		memory->evictions++;
	}
	return memory->memory + size <= memory->max_memory;
}

struct check_connection *check_memory_connection(struct check_memory *memory, uint64_t number)
{
	struct check_connection *connection = TAILQ_FIRST(&memory->by_use);
	uint64_t hash;

	if (!number)
		return NULL;
	if (connection && connection->number == number)
		return connection;
	hash = map_hash(&number, 1);
	connection = map_find(&memory->connections, hash, is_connection, &number);
	if (connection) {
		TAILQ_REMOVE(&memory->by_use, connection, link);
		TAILQ_INSERT_HEAD(&memory->by_use, connection, link);
		return connection;
	}
	if (!make_room(memory, sizeof *connection, NULL) || !(connection = calloc(1, sizeof *connection)))
		return NULL;
	connection->number = number;
	if (!map_add(&memory->connections, hash, connection)) {
		free(connection);
		return NULL;
	}
	memory->memory += sizeof *connection;
	TAILQ_INSERT_HEAD(&memory->by_use, connection, link);
	return connection;
}

void check_memory_discard(struct check_memory *memory, uint64_t number)
{
	struct check_connection *connection = map_find(&memory->connections, map_hash(&number, 1), is_connection, &number);

	if (connection)
		destroy(memory, connection);
}

void check_memory_set_up(struct check_memory *memory, struct check_connection *connection, const struct setup *setup)
{
	connection->was_sought = true;
	if (setup && make_room(memory, sizeof *setup, connection) && (connection->setup = malloc(sizeof *setup))) {
		*connection->setup = *setup;
		memory->memory += sizeof *setup;
	}
}

void check_memory_forget_setup(struct check_memory *memory, struct check_connection *connection)
{
	if (!connection->setup)
		return;
	memory->memory -= sizeof *connection->setup;
	free(connection->setup);
	connection->setup = NULL;
}

void check_memory_fini(struct check_memory *memory)
{
	while (!TAILQ_EMPTY(&memory->by_use))
		destroy(memory, TAILQ_FIRST(&memory->by_use));
	map_fini(&memory->connections);
}

void *subject_state(struct subject *subject, enum check_group group, size_t size)
{
	struct check_connection *connection = subject->connection;

	if (!connection)
		return NULL;
	if (!connection->groups[group] && make_room(subject->memory, size, connection) && (connection->groups[group] = calloc(1, size))) {
		connection->sizes[group] = size;
		subject->memory->memory += size;
	}
	return connection->groups[group];
}

static void write_culprit(const struct rtap_packet *packet, bool by_other, char *text, size_t size)
{
	const uint8_t *address = by_other ? packet->destination_address : packet->source_address;
	char end[LINE_IP_MOST + 1] = "";

	if (address)
		*line_put_ip(end, address, packet->address_length) = 0;
	else if (packet->ib.has_lrh)
		snprintf(end, sizeof end, "LID %u", by_other ? packet->ib.dlid : packet->ib.slid);
	if (packet->ib.has_bth && by_other)
		snprintf(text, size, "%s QP 0x%x", end, packet->ib.dest_qpn);
	else if (packet->ib.has_bth && (packet->flow.has_source_qpn || packet->ib.has_deth))
		snprintf(text, size, "%s QP 0x%x", end, packet->ib.has_deth ? packet->ib.src_qpn : packet->flow.source_qpn);
	else if (packet->tcp.present)
		snprintf(text, size, "%s port %u", end, by_other ? packet->destination_port : packet->source_port);
	else
		snprintf(text, size, "%s", end);
}

static void add(const struct subject *subject, const struct check_origin *origin, enum check_rule_number rule, const char *format, va_list values)
{
	struct violation violation = { .rule = rule, .frame = origin->frame, .time_ns = origin->time_ns };

	if (!subject->violations->is_checked[rule])
		return;
	violation.connection = subject->connection ? subject->connection->number : 0;
	if (subject->violations->kept[rule] < subject->violations->most) {
		write_culprit(subject->packet, origin->by_other, violation.culprit, sizeof violation.culprit);
		vsnprintf(violation.seen, sizeof violation.seen, format, values);
	}
	violations_add(subject->violations, &violation);
}

void subject_break(const struct subject *subject, enum check_rule_number rule, const char *format, ...)
{
	const struct rtap_frame *frame = subject->packet->frame;
	va_list values;

	va_start(values, format);
	add(subject, &(struct check_origin){ frame->number, frame->time_ns, false }, rule, format, values);
	va_end(values);
}

void subject_break_at(const struct subject *subject, const struct check_origin *origin, enum check_rule_number rule, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	add(subject, origin, rule, format, values);
	va_end(values);
}

/* Distance of PSNs or sequence numbers. */
static int32_t distance(const struct subject *subject, uint32_t from, uint32_t to)
{
	return subject->packet->tcp.present ? (int32_t)(to - from) : (int32_t)((to - from) << 8);
}

void subject_take_acknowledgement(const struct subject *subject)
{
	struct check_connection *connection = subject->connection;
	const struct rtap_packet *packet = subject->packet;
	uint32_t *highest = &connection->acknowledged[subject->sender], now = packet->tcp.present ? packet->tcp.acknowledgment : packet->ib.psn;

	if (packet->tcp.present ? !(packet->tcp.flags & RTAP_TCP_FLAG_ACK) : !packet->ib.has_aeth || packet->ib.aeth_kind != RTAP_AETH_ACK)
		return;
	if (!connection->has_acknowledged[subject->sender] || distance(subject, *highest, now) > 0)
		*highest = now;
	connection->has_acknowledged[subject->sender] = true;
}

bool subject_acknowledged(const struct subject *subject, uint32_t psn)
{
	const struct check_connection *connection = subject->connection;

	return subject->packet->ib.has_bth && connection->has_acknowledged[subject->sender] &&
	       distance(subject, psn, connection->acknowledged[subject->sender]) >= 0;
}

bool subject_is_after(const struct subject *subject, uint32_t acknowledged)
{
	const struct rtap_packet *packet = subject->packet;

	return packet->tcp.present ? distance(subject, acknowledged, packet->tcp.sequence) >= 0 : distance(subject, acknowledged, packet->ib.psn) > 0;
}

bool subject_is_acknowledged(const struct subject *subject)
{
	const struct check_connection *connection = subject->connection;

	return connection->has_acknowledged[!subject->sender] && !subject_is_after(subject, connection->acknowledged[!subject->sender]);
}

void subject_exceed(const struct subject *subject, struct check_excess *excess)
{
	const struct rtap_packet *packet = subject->packet;

	*excess = (struct check_excess){
		.is_set = !subject->is_ahead, .is_received = packet->tcp.present, .psn = packet->ib.psn,
		.origin = { packet->frame->number, packet->frame->time_ns, true },
	};
}

bool subject_proves(const struct subject *subject, struct check_excess *excess)
{
	excess->is_set &= excess->is_received || subject_acknowledged(subject, excess->psn);
	return excess->is_set;
}
