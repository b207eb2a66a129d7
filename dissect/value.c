/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Access to single fields of a packet without a visitor.
 */
#include "config.h"

#include <assert.h>
#include <string.h>

#include <rdmatap/value.h>

#include "dissect/engine/line.h"
#include "dissect/engine/protocol.h"

#define WANTED_WORDS 256 /* as many fields as 64 times that */

struct search {
	struct rtap_visitor visitor;
	rtap_take_value *take;
	void *owner;
	bool done;
};

const struct rtap_layer *rtap_packet_layer(const struct rtap_packet *packet, uint16_t protocol, const struct rtap_layer *after)
{
	const struct rtap_layer *layer = after ? after + 1 : packet->layers;

	for (; layer < packet->layers + packet->layer_count; layer++)
		if (layer->protocol == protocol)
			return layer;
	return NULL;
}

struct rtap_span rtap_layer_bytes(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return (struct rtap_span){ layer_bytes(packet, layer), layer->length };
}

static void found(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field, const struct rtap_value *value,
		  const struct rtap_place *place)
{
	struct search *search = (struct search *)visitor;

	(void)id;
	if (!search->done)
		search->done = !search->take(search->owner, field, value, place);
}

void rtap_packet_values(const struct rtap_packet *packet, rtap_field_id id, rtap_take_value *take, void *owner)
{
	uint64_t wanted[WANTED_WORDS];
	struct search search = { .visitor = { .field = found, .wanted = wanted }, .take = take, .owner = owner };
	size_t words = rtap_field_count() / 64 + 1;
	uint16_t protocol;

	assert(words <= WANTED_WORDS);
	if (id >= rtap_field_count())
		return;
	protocol = rtap_field_protocol(id);
	memset(wanted, 0, words * sizeof wanted[0]);
	wanted[id / 64] = UINT64_C(1) << (id % 64);
	for (uint8_t i = 0; i < packet->layer_count && !search.done; i++)
		if (packet->layers[i].protocol == protocol)
			rtap_layer_visit(packet, &packet->layers[i], &search.visitor);
}

static bool is_number(const struct rtap_field *field)
{
	return (field->show >= RTAP_DEC && field->show <= RTAP_BOOL) || field->show == RTAP_SECONDS;
}

struct number {
	uint64_t *value;
	bool is_set;
};

static bool take_number(void *owner, const struct rtap_field *field, const struct rtap_value *value, const struct rtap_place *place)
{
	struct number *number = owner;

	(void)place;
	if (is_number(field)) {
		*number->value = value->number;
		number->is_set = true;
	}
	return false;
}

bool rtap_packet_number(const struct rtap_packet *packet, rtap_field_id id, uint64_t *number)
{
	struct number wanted = { number, false };

	rtap_packet_values(packet, id, take_number, &wanted);
	return wanted.is_set;
}

struct text {
	char *text;
	size_t size;
	bool whole;
};

static bool take_text(void *owner, const struct rtap_field *field, const struct rtap_value *value, const struct rtap_place *place)
{
	struct text *text = owner;

	(void)place;
	text->whole = rtap_value_text(field, value, text->text, text->size);
	return false;
}

bool rtap_packet_text(const struct rtap_packet *packet, rtap_field_id id, char *text, size_t size)
{
	struct text wanted = { text, size, false };

	if (size)
		text[0] = 0;
	rtap_packet_values(packet, id, take_text, &wanted);
	return wanted.whole;
}

bool rtap_value_text(const struct rtap_field *field, const struct rtap_value *value, char *text, size_t size)
{
	struct line line;

	if (!size)
		return false;
	line_init(&line, text, size - 1);
	line_value(&line, field, value);
	*line.next = 0;
	return !line.cut;
}
