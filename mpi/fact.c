/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "mpi/fact.h"
#include "output/stats/congestion.h"
#include "output/stats/packet_sums.h"
#include "reassembly/join/transmission.h"

extern const char __executable_start[], _end[];

bool fact_text_encode(const char **text)
{
	if (!*text)
		return true;
	if (*text < __executable_start || *text >= _end)
		return false;
	*text = (const char *)(uintptr_t)(*text - __executable_start);
	return true;
}

const char *fact_text_decode(const char *text)
{
	return text ? __executable_start + (uintptr_t)text : NULL;
}

bool fact_read_head(const uint8_t *at, const uint8_t *end, struct fact_head *head)
{
	if ((size_t)(end - at) < sizeof *head)
		return false;
	memcpy(head, at, sizeof *head);
	return head->size <= (size_t)(end - at) - sizeof *head && head->size % 8 == 0 && head->kind < FACT_KIND_COUNT;
}

static bool is_text(const char *text)
{
	return (uintptr_t)text < (size_t)(_end - __executable_start);
}

/* Takes `count` elements of `size` bytes off what is left. */
static bool take(size_t *left, uint32_t count, size_t size)
{
	if (count > *left / size)
		return false;
	*left -= count * size;
	return true;
}

static bool are_packet_facts(const struct stats_packet_facts *facts)
{
	return facts->flow.analysis < RTAP_PSN_COUNT && facts->flow.tcp_analysis < RTAP_TCP_ANALYSIS_COUNT &&
	       facts->flow.recovery < RTAP_RECOVERY_COUNT && facts->flow.lost_to < RTAP_RECOVERY_COUNT;
}

static bool is_packet(const void *data, size_t size)
{
	struct stats_packet_facts facts;

	if (size != FACT_ALIGNED(STATS_USUAL_FACTS))
		return false;
	memcpy(&facts, data, STATS_USUAL_FACTS);
	return are_packet_facts(&facts);
}

static bool is_sum(const struct packet_sum *sum, size_t size)
{
	if (size != FACT_ALIGNED(sizeof *sum) || sum->kind_count > CONGESTION_KIND_COUNT)
		return false;
	for (unsigned i = 0; i < sum->kind_count; i++)
		if (sum->order[i] >= CONGESTION_KIND_COUNT)
			return false;
	return sum->from_a < 2 && sum->window_bytes <= sum->wire_bytes;
}

static bool is_rare_packet(const struct packet_fact *fact, size_t left)
{
	if (!take(&left, 1, sizeof *fact) || !take(&left, fact->facts.tcp_recovery_count, sizeof fact->recoveries[0]) || !are_packet_facts(&fact->facts))
		return false;
	for (unsigned i = 0; i < fact->facts.tcp_recovery_count; i++)
		if (fact->recoveries[i].cause >= RTAP_RECOVERY_COUNT)
			return false;
	return true;
}

static bool is_life(const struct rtap_life_event *life, uint32_t count, size_t *left)
{
	if (count > RTAP_MAX_LIFE_EVENTS || !take(left, count, sizeof *life))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!is_text(life[i].name))
			return false;
	return true;
}

static bool is_connection(const struct connection_fact *fact, size_t left)
{
	return take(&left, 1, sizeof *fact) && is_life(fact->life, fact->connection.life_count, &left);
}

static bool is_message(const struct message_fact *fact, size_t left)
{
	const struct message_copy *copy;
	const struct rtap_message *message;
	const struct rtap_item *items;

	if (!take(&left, 1, sizeof *fact) || !is_life(fact->life, fact->life_count, &left))
		return false;
	copy = (const void *)(fact->life + fact->life_count);
	if (!take(&left, 1, sizeof *copy))
		return false;
	message = &copy->message;
	if (!take(&left, message->missing_count, sizeof message->missing[0]) || !take(&left, message->item_count, sizeof *items))
		return false;
	items = (const void *)(copy->after + message->missing_count * sizeof message->missing[0]);
	for (uint32_t i = 0; i < message->item_count; i++)
		if (!is_text(items[i].name) || !is_text(items[i].status_name))
			return false;
	return message->kind < RTAP_KIND_COUNT && message->verb < RTAP_VERB_COUNT && message->outcome < RTAP_OUTCOME_COUNT &&
	       is_text(message->status_name) && is_text(message->mad_class_name) && is_text(message->mad_method_name) &&
	       is_text(message->mad_attribute_name) && is_text(message->mad_status_name);
}

/* The copied texts of an operation end within `left` bytes. */
static bool has_texts(const struct rtap_operation *operation, const struct rtap_named_value *values, const char *text, size_t left)
{
	const char *const texts[] = { operation->layer, operation->name, operation->object, operation->id, operation->status, operation->carrier };
	const char *end;
	size_t wanted = 0;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		wanted += texts[i] != NULL;
	for (uint32_t i = 0; i < operation->value_count; i++) {
		if (!is_text(values[i].name))
			return false;
		wanted += values[i].type == RTAP_VALUE_TEXT && values[i].text;
	}
	for (; wanted && (end = memchr(text, '\0', left)); wanted--) {
		left -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	return !wanted;
}

static bool is_operation(const struct operation_fact *fact, size_t left)
{
	const struct rtap_operation *operation = &fact->copy.operation;
	const struct rtap_named_value *values;

	if (!take(&left, 1, sizeof *fact) || !is_text(fact->layer) || !take(&left, operation->missing_count, sizeof operation->missing[0]))
		return false;
	values = (const void *)(fact->copy.after + operation->missing_count * sizeof operation->missing[0]);
	return take(&left, operation->value_count, sizeof *values) && has_texts(operation, values, (const char *)(values + operation->value_count), left);
}

static bool is_resolved(const struct resolved_fact *fact, size_t size)
{
	return size == FACT_ALIGNED(sizeof *fact) && fact->flow.analysis < RTAP_PSN_COUNT && fact->flow.tcp_analysis < RTAP_TCP_ANALYSIS_COUNT &&
	       fact->flow.recovery < RTAP_RECOVERY_COUNT && fact->flow.lost_to < RTAP_RECOVERY_COUNT;
}

bool fact_is_whole(const struct fact_head *head, const void *data, unsigned points)
{
	const struct transmission_sight *sight = data;
	size_t size = head->size;

	switch (head->kind) {
	case FACT_CREATED:
	case FACT_TIME:
		return size == sizeof(uint64_t);
	case FACT_SUM:
		return is_sum(data, size);
	case FACT_PACKET:
		return is_packet(data, size);
	case FACT_RARE_PACKET:
		return is_rare_packet(data, size);
	case FACT_JOINED:
		return size == FACT_ALIGNED(sizeof *sight) && sight->point < points;
	case FACT_PAUSE:
		return size == FACT_ALIGNED(sizeof(struct congestion_pause));
	case FACT_MESSAGE:
	case FACT_REQUEST:
	case FACT_RESPONSE:
		return is_message(data, size);
	case FACT_OPERATION:
		return is_operation(data, size);
	case FACT_CONNECTION:
		return is_connection(data, size);
	case FACT_MERGED:
		return size == FACT_ALIGNED(sizeof(struct merged_fact));
	case FACT_RESOLVED:
		return is_resolved(data, size);
	}
	return false;
}
