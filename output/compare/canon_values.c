/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dissect/infiniband/ib.h"
#include "output/compare/canon_values.h"
#include "output/packet/first_ids.h"

/* Most bytes of a text printed; longer text is followed by a hash. */
#define SHOWN_TEXT 160u

/* Most values of one packet: a hostile one can contain many. */
#define MAX_VALUES (1u << 17)

/* Special handling of a field's values. */
enum {
	IS_RESERVED = 1, /* omitted if 0 */
	IS_ADDRESS = 2,  /* merged with its key into one value */
	IS_KEY = 4,
};

/* A value of a packet. */
struct canon_value {
	const struct rtap_field *field;
	struct rtap_value value; /* of a text, `number` is its place in `texts` */
	uint64_t address;    /* with has_address: address of a key */
	uint32_t next;       /* index of the next one of the same name, plus 1; 0: none */
	rtap_field_id first; /* id of the first field of its name */
	bool has_address, heads; /* first value of its name */
};

struct collector {
	struct rtap_visitor visitor;
	struct canon_fields *fields;
	uint32_t key;         /* index of the key without an address yet, plus 1 */
	bool has_address;
	uint64_t address;     /* without a key yet */
};

bool canon_keeps(const struct canon_keep *keep, const char *name)
{
	for (size_t i = 0; i < keep->count; i++)
		if (canon_name_matches(name, strlen(name), keep->names[i]))
			return true;
	return false;
}

static void mark(struct line *line, enum rtap_identity kind, enum canon_stream stream, uint64_t number)
{
	line_char(line, CANON_MARK);
	line_char(line, (char)('A' + kind));
	line_char(line, (char)stream);
	line_hex_digits(line, number, 1);
}

void canon_reference(struct line *line, enum rtap_identity kind, uint64_t number)
{
	mark(line, kind, CANON_OF_NONE, number);
	line_char(line, CANON_END);
}

void canon_key(struct line *line, enum rtap_identity kind, uint64_t key, uint64_t address)
{
	mark(line, kind, CANON_OF_NONE, key);
	line_char(line, '+');
	line_hex_digits(line, address, 1);
	line_char(line, CANON_END);
}

void canon_relative(struct line *line, enum rtap_identity kind, enum canon_stream stream, uint64_t number)
{
	mark(line, kind, stream, number);
	line_char(line, CANON_END);
}

static bool is_plain(uint8_t byte)
{
	return byte > ' ' && byte < 0x7f && byte != '\\' && byte != ',';
}

void canon_text(struct line *line, const uint8_t *bytes, size_t length)
{
	size_t shown = length > SHOWN_TEXT ? SHOWN_TEXT : length, i = 0;

	while (i < shown) {
		size_t run = i;

		while (i < shown && is_plain(bytes[i]))
			i++;
		line_bytes(line, (const char *)bytes + run, i - run);
		if (i == shown)
			break;
		line_text(line, "\\x");
		line_hex_digits(line, bytes[i++], 2);
	}
	if (shown == length)
		return;
	line_text(line, "...\\");
	line_dec(line, length);
	line_char(line, ':');
	line_hex_digits(line, canon_hash(0, bytes, length), 16);
}

/* The part of a message's or packet's record that has a protocol's fields. */
static enum canon_part part_of(const struct protocol *protocol)
{
	switch ((enum protocol_scope)protocol->scope) {
	case SCOPE_MESSAGE: return CANON_PART_HEADER;
	case SCOPE_CALL: return CANON_PART_RPC;
	case SCOPE_PACKET:
	case SCOPE_CAPTURE: break;
	}
	return CANON_PART_PACKET;
}

static void set_title(struct canon_title *title, const char *name)
{
	struct line line;

	line_init(&line, title->text, sizeof title->text);
	canon_name(&line, name);
	title->length = line.cut ? 0 : (uint8_t)(line.next - title->text);
}

/* Copies the whole array of a title, which is faster than its exact length. */
static void write_title(const struct canon_title *title, const char *name, struct line *line)
{
	if (!title->length || (size_t)(line->end - line->next) < sizeof title->text) {
		canon_name(line, name);
		return;
	}
	memcpy(line->next, title->text, sizeof title->text);
	line->next += title->length;
}

static uint8_t traits_of(const struct rtap_field *field, const struct canon_policy *policy)
{
	unsigned traits = 0;

	/* reserved bits are printed if they are not 0 */
	if (field->show < RTAP_IPV4 && strstr(field->name, "reserved"))
		traits |= IS_RESERVED;
	if (policy->action == CANON_RENAME && policy->kind == RTAP_IDENTITY_ADDRESS)
		traits |= IS_ADDRESS;
	if (policy->action == CANON_RENAME && (policy->kind == RTAP_IDENTITY_RKEY || policy->kind == RTAP_IDENTITY_STAG))
		traits |= IS_KEY;
	return (uint8_t)traits;
}

static void set_policy(struct canon_fields *fields, rtap_field_id id, enum canon_part part, const struct canon_keep *keep)
{
	const struct rtap_field *field = rtap_field_by_id(id);
	struct canon_policy policy = canon_policy_of(id);

	if (policy.action == CANON_DROP && field->show != RTAP_NONE && canon_keeps(keep, field->name))
		policy.action = CANON_KEEP;
	fields->policies[id] = policy;
	fields->traits[id] = traits_of(field, &policy);
	if (policy.action == CANON_DROP)
		return;
	fields->wanted[part][id / 64] |= UINT64_C(1) << id % 64;
	set_title(&fields->titles[fields->first_ids[id]], field->name);
}

static void set_policies(struct canon_fields *fields, const struct canon_keep *keep)
{
	for (uint16_t protocol = 0; protocol < PROTOCOL_COUNT; protocol++) {
		enum canon_part part = part_of(protocol_by_number(protocol));

		for (size_t i = 0; i < protocol_by_number(protocol)->table.field_count; i++) {
			rtap_field_id id = protocol_field_id(protocol, i);

			set_policy(fields, id, part, keep);
			fields->protocols[protocol] |= (uint8_t)((fields->wanted[part][id / 64] >> id % 64 & 1) << part);
		}
	}
}

/* Names of canon's own values ("frame") select these, not fields with the same prefix. */
static int names_of_fields(const struct canon_keep *keep, const char ***names, struct canon_keep *found)
{
	struct canon_policy own;
	size_t count = 0;

	*names = malloc((keep->count + 1) * sizeof **names);
	if (!*names)
		return -ENOMEM;
	for (size_t i = 0; i < keep->count; i++)
		if (!canon_policy_own(keep->names[i], &own))
			(*names)[count++] = keep->names[i];
	*found = (struct canon_keep){ *names, count };
	return 0;
}

int canon_fields_init(struct canon_fields *fields, const struct canon_keep *keep)
{
	size_t count = rtap_field_count(), words = (count + 63) / 64;
	struct canon_keep of_fields;
	const char **names;

	*fields = (struct canon_fields){ 0 };
	fields->policies = calloc(count, sizeof *fields->policies);
	fields->first_ids = first_ids_create();
	fields->last = calloc(count, sizeof *fields->last);
	fields->titles = calloc(count, sizeof *fields->titles);
	fields->protocols = calloc(PROTOCOL_COUNT, sizeof *fields->protocols);
	fields->traits = calloc(count, sizeof *fields->traits);
	for (int part = 0; part < CANON_PARTS; part++) {
		fields->wanted[part] = calloc(words, sizeof *fields->wanted[part]);
		if (!fields->wanted[part])
			return -ENOMEM;
	}
	if (!fields->policies || !fields->first_ids || !fields->last || !fields->titles || !fields->protocols || !fields->traits)
		return -ENOMEM;
	if (names_of_fields(keep, &names, &of_fields))
		return -ENOMEM;
	set_policies(fields, &of_fields);
	free(names);
	return 0;
}

void canon_fields_fini(struct canon_fields *fields)
{
	free(fields->policies);
	free(fields->first_ids);
	free(fields->last);
	free(fields->titles);
	free(fields->protocols);
	free(fields->traits);
	free(fields->values);
	free(fields->texts);
	for (int part = 0; part < CANON_PARTS; part++)
		free(fields->wanted[part]);
}

static bool make_room(struct canon_fields *fields)
{
	struct canon_value *values = NULL;

	if (fields->value_room < MAX_VALUES)
		values = array_grow(fields->values, &fields->value_room, fields->value_room + 1, sizeof *values);
	if (!values) {
		fields->lost++;
		return false;
	}
	fields->values = values;
	return true;
}

/* The number of a value: its bytes, or a hash of addresses and identifiers that are byte strings. */
static uint64_t number_of(const struct rtap_field *field, const struct rtap_value *value)
{
	uint64_t number = 0;

	if (field->show < RTAP_IPV4)
		return value->number;
	if (value->data.length > 8)
		return canon_hash(0, value->data.bytes, value->data.length);
	for (size_t i = 0; i < value->data.length; i++)
		number = number << 8 | value->data.bytes[i];
	return number;
}

/* Headers have the address before the key (RETH) or after it (RPC-over-RDMA): merge the two into one value. */
static void take_address(struct collector *collector, uint64_t address)
{
	if (collector->key) {
		struct canon_value *key = &collector->fields->values[collector->key - 1];

		key->address = address;
		key->has_address = true;
		collector->key = 0;
	} else {
		collector->address = address;
		collector->has_address = true;
	}
}

static void take_key(struct collector *collector, struct canon_value *key)
{
	if (collector->has_address) {
		key->address = collector->address;
		key->has_address = true;
		collector->has_address = false;
	} else {
		collector->key = (uint32_t)collector->fields->value_count;
	}
}

/* Appends a value to the list of its name. */
static void chain(struct canon_fields *fields, struct canon_value *value)
{
	uint32_t *last = &fields->last[value->first];

	value->heads = !*last;
	if (*last)
		fields->values[*last - 1].next = (uint32_t)fields->value_count;
	*last = (uint32_t)fields->value_count;
}

/* Copies a text, which the visit need not keep. False: out of memory, which is counted. */
static bool keep_text(struct canon_fields *fields, struct rtap_value *value)
{
	size_t after = fields->text_length + value->data.length;
	uint8_t *texts = array_grow(fields->texts, &fields->text_room, after, 1);

	if (!texts) {
		fields->lost++;
		return false;
	}
	fields->texts = texts;
	if (value->data.length)
		memcpy(texts + fields->text_length, value->data.bytes, value->data.length);
	value->number = fields->text_length;
	fields->text_length = after;
	return true;
}

static void collect(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field, const struct rtap_value *value,
		    const struct rtap_place *place)
{
	struct collector *collector = (struct collector *)visitor;
	struct canon_fields *fields = collector->fields;
	unsigned traits = fields->traits[id];
	struct canon_value *added;

	(void)place;
	if (traits & IS_RESERVED && !value->number)
		return;
	if (traits & IS_ADDRESS) {
		take_address(collector, number_of(field, value));
		return;
	}
	if (fields->value_count == fields->value_room && !make_room(fields))
		return;
	added = &fields->values[fields->value_count++];
	added->field = field;
	added->value = *value;
	if (field->show == RTAP_TEXT && !keep_text(fields, &added->value)) {
		fields->value_count--;
		return;
	}
	added->has_address = false;
	added->next = 0;
	added->first = fields->first_ids[id];
	chain(fields, added);
	if (traits & IS_KEY)
		take_key(collector, added);
}

void canon_fields_read(struct canon_fields *fields, const struct rtap_packet *packet, enum canon_part part)
{
	struct collector collector = { .visitor = { .field = collect, .wanted = fields->wanted[part] }, .fields = fields };

	for (size_t i = 0; i < fields->value_count; i++)
		fields->last[fields->values[i].first] = 0;
	fields->value_count = fields->text_length = 0;
	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (!packet->layers[i].within && fields->protocols[packet->layers[i].protocol] >> part & 1)
			rtap_layer_visit(packet, &packet->layers[i], &collector.visitor);
}

/* Responses use the sequence of their requests. */
static enum canon_stream stream_of(const struct rtap_packet *packet, bool from_client)
{
	return from_client != ib_opcodes[packet->ib.opcode].is_response ? CANON_OF_CLIENT : CANON_OF_SERVER;
}

/* The number of acknowledged messages has its own sequence. */
static enum canon_stream relative_stream(const struct canon_policy *policy, const struct rtap_packet *packet, bool from_client)
{
	return policy->kind == RTAP_IDENTITY_MSN ? from_client ? CANON_OF_CLIENT : CANON_OF_SERVER : stream_of(packet, from_client);
}

static void write_value(const struct canon_fields *fields, const struct canon_policy *policy, const struct canon_value *value,
			const struct rtap_packet *packet, bool from_client, struct line *line)
{
	const struct rtap_field *field = value->field;
	uint64_t number;

	if (policy->action == CANON_KEEP) {
		if (field->show == RTAP_DEC)
			line_dec(line, value->value.number);
		else if (field->show == RTAP_TEXT)
			canon_text(line, fields->texts + value->value.number, value->value.data.length);
		else
			line_value(line, field, &value->value);
		return;
	}
	number = number_of(field, &value->value);
	if (policy->action == CANON_RENAME && value->has_address)
		canon_key(line, (enum rtap_identity)policy->kind, number, value->address);
	else if (policy->action == CANON_RENAME)
		canon_reference(line, (enum rtap_identity)policy->kind, number);
	else if (ib_opcodes[packet->ib.opcode].class == IB_CONGESTION)
		line_char(line, '0'); /* a congestion notification has no sequence */
	else
		canon_relative(line, (enum rtap_identity)policy->kind, relative_stream(policy, packet, from_client), number);
}

void canon_fields_write(const struct canon_fields *fields, const struct rtap_packet *packet, bool from_client, struct line *line)
{
	for (size_t i = 0; i < fields->value_count; i++) {
		const struct canon_value *value = &fields->values[i];
		char before = 0;

		if (!value->heads)
			continue;
		write_title(&fields->titles[value->first], value->field->name, line);
		for (;;) {
			if (before)
				line_char(line, before);
			before = ',';
			write_value(fields, &fields->policies[value->first], value, packet, from_client, line);
			if (!value->next)
				break;
			value = &fields->values[value->next - 1];
		}
	}
}

void canon_names_fini(struct canon_names *names)
{
	canon_numbers_fini(&names->map);
}

/* The value stored under (kind, key); stores `fresh` if there was none. */
static uint64_t remembered(struct canon_names *names, uint32_t kind, uint64_t key, uint64_t fresh)
{
	uint64_t *found = canon_numbers_find(&names->map, kind, key);

	if (!found)
		found = canon_numbers_set(&names->map, kind, key, fresh);
	if (!found)
		names->failed = true;
	return found ? *found : fresh;
}

/* Kinds of other entries in the table of names. */
#define BASES 0x100u
#define STARTS 0x200u

static void write_offset(uint64_t offset, bool hex, struct line *line)
{
	bool negative = offset >> 63;

	line_char(line, negative ? '-' : '+');
	offset = negative ? -offset : offset;
	if (hex)
		line_hex(line, offset, 1);
	else
		line_dec(line, offset);
}

/* PSNs and MSNs are numbers of 24 bits that wrap. */
static uint64_t distance24(uint64_t from, uint64_t to)
{
	uint64_t distance = (to - from) & 0xffffff;

	return distance & 0x800000 ? distance - 0x1000000 : distance;
}

static uint64_t hex_number(const char **at, const char *end)
{
	uint64_t number = 0;

	for (; *at < end; (*at)++) {
		char c = **at;

		if (c >= '0' && c <= '9')
			number = number << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			number = number << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	return number;
}

/* Writes the marked value at `at`; returns the end of it. */
static const char *write_marked(struct canon_names *names, const char *at, const char *end, struct line *line)
{
	uint32_t kind = (uint32_t)(at[1] - 'A');
	char stream = at[2];
	uint64_t number, ordinal;

	at += 3;
	number = hex_number(&at, end);
	if (stream != CANON_OF_NONE)
		line_text(line, stream == CANON_OF_CLIENT ? "client." : "server.");
	line_text(line, canon_kind_name((enum rtap_identity)kind));
	if (stream != CANON_OF_NONE) {
		write_offset(distance24(remembered(names, STARTS | kind, (uint64_t)stream, number), number), false, line);
	} else {
		ordinal = remembered(names, kind, number, names->given[kind] + 1);
		if (ordinal > names->given[kind])
			names->given[kind] = ordinal;
		line_char(line, '#');
		line_dec(line, ordinal);
	}
	if (at < end && *at == '+') {
		uint64_t address;

		at++;
		address = hex_number(&at, end);
		write_offset(address - remembered(names, BASES | kind, number, address), true, line);
	}
	return at < end ? at + 1 : end;
}

void canon_names_write(struct canon_names *names, const char *record, size_t length, struct line *line)
{
	const char *at = record, *end = record + length;

	while (at < end) {
		const char *marked = memchr(at, CANON_MARK, (size_t)(end - at));

		if (!marked) {
			line_bytes(line, at, (size_t)(end - at));
			return;
		}
		line_bytes(line, at, (size_t)(marked - at));
		at = write_marked(names, marked, end, line);
	}
}
