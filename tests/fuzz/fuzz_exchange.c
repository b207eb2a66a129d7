/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What ranks of rdmatap-mpi pass to each other: facts and frames, broken in any way. Input: byte 0 chooses which of both (bit 0), and whether a
 * whole fact is made of the input before, with its counts as they are (bit 1); byte 1 is the number of capture points; the rest is what arrives.
 */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "mpi/fact.h"
#include "mpi/sent_frame.h"
#include "output/stats/stats_packet.h"
#include "reassembly/join/transmission.h"

#include "harness.h"

static volatile uint64_t sum;

static void add_bytes(const void *bytes, size_t length)
{
	const uint8_t *byte = bytes;

	for (size_t i = 0; i < length; i++)
		sum += byte[i];
}

/* A whole fact has all that rank 0 reads of it. */
static void use_message(const struct message_fact *fact)
{
	const struct message_copy *copy;
	struct rtap_connection unused;
	struct rtap_message message;

	copy = (const void *)(fact->life + fact->life_count);
	add_bytes(fact->life, fact->life_count * sizeof fact->life[0]);
	message_copy_restore(copy, &message, &unused);
	add_bytes(message.missing, message.missing_count * sizeof message.missing[0]);
	add_bytes(message.items, message.item_count * sizeof message.items[0]);
	REQUIRE(rtap_message_kind_name(message.kind));
	REQUIRE(rtap_outcome_name(message.outcome));
	for (uint32_t i = 0; i < message.item_count; i++)
		REQUIRE(!message.items[i].name == !fact_text_decode(message.items[i].name));
}

static void use_operation(struct operation_fact *fact)
{
	struct rtap_operation *operation = operation_copy_restore(&fact->copy);

	add_bytes(operation->missing, operation->missing_count * sizeof operation->missing[0]);
	sum += operation->name ? strlen(operation->name) : 0;
	sum += operation->carrier ? strlen(operation->carrier) : 0;
	for (uint32_t i = 0; i < operation->value_count; i++)
		if (operation->values[i].type == RTAP_VALUE_TEXT && operation->values[i].text)
			sum += strlen(operation->values[i].text);
}

static void use(const struct fact_head *head, void *data)
{
	struct packet_fact *rare = data;
	struct connection_fact *connection = data;

	switch (head->kind) {
	case FACT_RARE_PACKET:
		add_bytes(rare->recoveries, rare->facts.tcp_recovery_count * sizeof rare->recoveries[0]);
		break;
	case FACT_MESSAGE:
	case FACT_REQUEST:
	case FACT_RESPONSE:
		use_message(data);
		break;
	case FACT_OPERATION:
		use_operation(data);
		break;
	case FACT_CONNECTION:
		add_bytes(connection->life, connection->connection.life_count * sizeof connection->life[0]);
		break;
	default:
		add_bytes(data, head->size);
		break;
	}
}

static void take_facts(uint8_t *at, const uint8_t *end, unsigned points)
{
	struct fact_head head;

	while (at < end && fact_read_head(at, end, &head)) {
		at += sizeof head;
		REQUIRE(head.size <= (size_t)(end - at));
		if (!fact_is_whole(&head, at, points))
			return;
		use(&head, at);
		at += head.size;
	}
}

static void take_frames(const uint8_t *at, const uint8_t *end)
{
	struct sent_frame sent;

	while (at < end && sent_frame_read(at, end, &sent)) {
		add_bytes(at + sizeof sent, sent.captured_length);
		at += sizeof sent + sent.captured_length;
	}
}

/* One fact of a kind with its size as it has to be for the input, which random bytes would rarely be. */
static size_t make_head(uint8_t *to, const uint8_t *data, size_t size)
{
	struct fact_head head = { .order = 1, .kind = data[1] % FACT_KIND_COUNT, .size = (uint32_t)(size & ~(size_t)7) };

	memcpy(to, &head, sizeof head);
	memcpy(to + sizeof head, data + 2, head.size);
	return sizeof head + head.size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;
	size_t used;

	if (size < 2)
		return 0;
	/* aligned, and no longer than what arrives */
	copy = malloc(size + sizeof(struct fact_head));
	if (!copy)
		return 0;
	if (data[0] & 2) {
		used = make_head(copy, data, size - 2);
	} else {
		used = size - 2;
		memcpy(copy, data + 2, used);
	}
	copy = realloc(copy, used + !used);
	if (data[0] & 1)
		take_frames(copy, copy + used);
	else
		take_facts(copy, copy + used, data[1]);
	free(copy);
	return 0;
}
