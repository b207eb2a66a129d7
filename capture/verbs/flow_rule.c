/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/verbs/flow_rule.h"

enum kind { NUMBER, MAC, ADDRESS4, ADDRESS6 };

/* Position of a header field: `bits` bits that end `spare` bits before the end of its bytes. */
struct field {
	const char *name;
	enum flow_layer layer;
	enum kind kind;
	uint8_t offset, width; /* bytes in the header, and of the value */
	uint8_t bits;
	uint8_t spare;
	uint32_t usual_mask;   /* of numbers without a mask; 0: all bits */
};

static const struct field fields[FLOW_FIELDS] = {
	[FLOW_ETH_SRC] = { "src", FLOW_ETH, MAC, 6, 6, 48, 0, 0 },
	[FLOW_ETH_DST] = { "dst", FLOW_ETH, MAC, 0, 6, 48, 0, 0 },
	[FLOW_ETH_TYPE] = { "type", FLOW_ETH, NUMBER, 12, 2, 16, 0, 0 },
	[FLOW_ETH_VLAN] = { "vlan", FLOW_ETH, NUMBER, 14, 2, 16, 0, 0x0fff },
	[FLOW_IPV4_SRC] = { "src", FLOW_IPV4, ADDRESS4, 12, 4, 32, 0, 0 },
	[FLOW_IPV4_DST] = { "dst", FLOW_IPV4, ADDRESS4, 16, 4, 32, 0, 0 },
	[FLOW_IPV4_PROTO] = { "proto", FLOW_IPV4, NUMBER, 9, 1, 8, 0, 0 },
	[FLOW_IPV4_TOS] = { "tos", FLOW_IPV4, NUMBER, 1, 1, 8, 0, 0 },
	[FLOW_IPV4_TTL] = { "ttl", FLOW_IPV4, NUMBER, 8, 1, 8, 0, 0 },
	[FLOW_IPV4_FLAGS] = { "flags", FLOW_IPV4, NUMBER, 6, 1, 3, 5, 0 },
	[FLOW_IPV6_SRC] = { "src", FLOW_IPV6, ADDRESS6, 8, 16, 128, 0, 0 },
	[FLOW_IPV6_DST] = { "dst", FLOW_IPV6, ADDRESS6, 24, 16, 128, 0, 0 },
	[FLOW_IPV6_LABEL] = { "label", FLOW_IPV6, NUMBER, 0, 4, 20, 0, 0 },
	[FLOW_IPV6_NEXT] = { "next", FLOW_IPV6, NUMBER, 6, 1, 8, 0, 0 },
	[FLOW_IPV6_CLASS] = { "class", FLOW_IPV6, NUMBER, 0, 2, 8, 4, 0 },
	[FLOW_IPV6_HOPS] = { "hops", FLOW_IPV6, NUMBER, 7, 1, 8, 0, 0 },
	[FLOW_TCP_SRC] = { "src", FLOW_TCP, NUMBER, 0, 2, 16, 0, 0 },
	[FLOW_TCP_DST] = { "dst", FLOW_TCP, NUMBER, 2, 2, 16, 0, 0 },
	[FLOW_UDP_SRC] = { "src", FLOW_UDP, NUMBER, 0, 2, 16, 0, 0 },
	[FLOW_UDP_DST] = { "dst", FLOW_UDP, NUMBER, 2, 2, 16, 0, 0 },
	[FLOW_VXLAN_VNI] = { "vni", FLOW_VXLAN, NUMBER, 4, 4, 24, 8, 0 },
	[FLOW_GRE_PROTO] = { "proto", FLOW_GRE, NUMBER, 2, 2, 16, 0, 0 },
	[FLOW_GRE_KEY] = { "key", FLOW_GRE, NUMBER, 4, 4, 32, 0, 0 },
};

static const char *const layer_names[FLOW_LAYERS] = { "eth", "ipv4", "ipv6", "tcp", "udp", "vxlan", "gre" };

/* Layers that exclude each other on one level, and layers required before. */
static const uint32_t layer_excludes[FLOW_LAYERS] = {
	[FLOW_IPV4] = 1u << FLOW_IPV6, [FLOW_IPV6] = 1u << FLOW_IPV4, [FLOW_TCP] = 1u << FLOW_UDP, [FLOW_UDP] = 1u << FLOW_TCP,
	[FLOW_VXLAN] = 1u << FLOW_TCP, [FLOW_GRE] = 1u << FLOW_TCP | 1u << FLOW_UDP,
};

unsigned flow_field_width(enum flow_field field)
{
	return fields[field].width;
}

/* Reading rules */

static bool parse_number(const char *text, unsigned bits, uint32_t *number)
{
	char *end;
	unsigned long long value;

	if (*text < '0' || *text > '9')
		return false;
	value = strtoull(text, &end, text[0] == '0' && text[1] == 'x' ? 16 : 10);
	*number = (uint32_t)value;
	return !*end && value < 1ull << bits;
}

static void store_number(uint8_t *to, unsigned width, uint32_t number)
{
	while (width--) {
		to[width] = (uint8_t)number;
		number >>= 8;
	}
}

static bool parse_mac(const char *text, uint8_t *to)
{
	for (int i = 0; i < 6; i++, text += 3) {
		char digits[3] = { text[0], text[0] ? text[1] : '\0', '\0' }, *end;

		to[i] = (uint8_t)strtoul(digits, &end, 16);
		if (end != digits + 2 || text[2] != (i < 5 ? ':' : '\0'))
			return false;
	}
	return true;
}

static void mask_of_bits(uint8_t *mask, unsigned bits)
{
	for (; bits >= 8; bits -= 8)
		*mask++ = 0xff;
	if (bits)
		*mask = (uint8_t)(0xff00 >> bits);
}

static bool parse_part(const struct field *field, const char *text, uint8_t *to)
{
	uint32_t number;

	switch (field->kind) {
	case MAC:
		return parse_mac(text, to);
	case ADDRESS4:
		return inet_pton(AF_INET, text, to) == 1;
	case ADDRESS6:
		return inet_pton(AF_INET6, text, to) == 1;
	case NUMBER:
		break;
	}
	if (!parse_number(text, field->bits, &number))
		return false;
	store_number(to, field->width, number);
	return true;
}

static bool parse_mask(const struct field *field, const char *text, uint8_t *mask)
{
	uint32_t bits;

	if (!text) {
		if (field->kind == NUMBER)
			store_number(mask, field->width, field->usual_mask ? field->usual_mask : (uint32_t)((1ull << field->bits) - 1));
		else
			mask_of_bits(mask, field->bits);
		return true;
	}
	if (field->kind != NUMBER && parse_number(text, 32, &bits)) {
		mask_of_bits(mask, bits <= field->bits ? bits : 0);
		return bits <= field->bits;
	}
	return parse_part(field, text, mask);
}

static bool parse_value(const struct field *field, char *text, struct flow_value *value)
{
	char *mask = strchr(text, '/');

	memset(value, 0, sizeof *value);
	if (mask)
		*mask++ = '\0';
	if (!parse_part(field, text, value->value) || !parse_mask(field, mask, value->mask))
		return false;
	for (unsigned i = 0; i < field->width; i++)
		value->value[i] &= value->mask[i];
	return true;
}

static enum rtap_status refuse(struct rtap_error *error, const char *rule, const char *word, const char *why)
{
	rtap_error_set(error, RTAP_ERROR_INVALID, "flow rule \"%s\": %s: %s", rule, word, why);
	return RTAP_STATUS_FAILED;
}

struct rule_reader {
	struct flow_rule *rule;
	struct flow_level *level;
	enum flow_layer layer; /* that fields belong to; FLOW_LAYERS: none yet */
	bool tunnelled;
	struct rtap_error *error;
};

static enum rtap_status take_layer(struct rule_reader *reader, const char *word)
{
	uint32_t bit;
	int layer = 0;

	while (layer < FLOW_LAYERS && strcmp(layer_names[layer], word))
		layer++;
	if (layer == FLOW_LAYERS)
		return refuse(reader->error, reader->rule->text, word,
			      "is not a header of flow rules (eth, ipv4, ipv6, tcp, udp, vxlan, gre)");
	if (reader->tunnelled && reader->level == &reader->rule->outer)
		reader->level = &reader->rule->inner;
	bit = 1u << layer;
	if (reader->level->layers >= bit)
		return refuse(reader->error, reader->rule->text, word, "is repeated or comes after a header of a higher layer");
	if (reader->level->layers & layer_excludes[layer])
		return refuse(reader->error, reader->rule->text, word, "cannot follow the header before it");
	if (layer >= FLOW_VXLAN && reader->level == &reader->rule->inner)
		return refuse(reader->error, reader->rule->text, word, "is a second tunnel (at most one is possible)");
	reader->tunnelled |= layer >= FLOW_VXLAN;
	reader->level->layers |= bit;
	reader->layer = (enum flow_layer)layer;
	return RTAP_STATUS_OK;
}

static enum rtap_status take_field(struct rule_reader *reader, char *word, char *value)
{
	const char *rule = reader->rule->text;
	int index = 0;

	*value++ = '\0';
	if (reader->layer == FLOW_LAYERS)
		return refuse(reader->error, rule, word, "precedes the name of a header");
	while (index < FLOW_FIELDS && (fields[index].layer != reader->layer || strcmp(fields[index].name, word)))
		index++;
	if (index == FLOW_FIELDS)
		return refuse(reader->error, rule, word, "is not a field of that header in flow rules (see rdmatap(1))");
	if (reader->level->fields & 1u << index)
		return refuse(reader->error, rule, word, "is given twice");
	if (!parse_value(&fields[index], value, &reader->level->values[index]))
		return refuse(reader->error, rule, word, "has a value or mask that is not understood, or too large");
	reader->level->fields |= 1u << index;
	return RTAP_STATUS_OK;
}

enum rtap_status flow_rule_parse(struct flow_rule *rule, const char *text, struct rtap_error *error)
{
	struct rule_reader reader = { .rule = rule, .level = &rule->outer, .layer = FLOW_LAYERS, .error = error };
	enum rtap_status status = RTAP_STATUS_OK;
	char copy[FLOW_RULE_TEXT], *rest;

	memset(rule, 0, sizeof *rule);
	if (strlen(text) >= sizeof rule->text) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "flow rule \"%.40s...\": longer than %d characters", text, FLOW_RULE_TEXT - 1);
		return RTAP_STATUS_FAILED;
	}
	memcpy(rule->text, text, strlen(text) + 1);
	memcpy(copy, rule->text, sizeof copy);
	for (char *word = strtok_r(copy, " \t", &rest); word && !status; word = strtok_r(NULL, " \t", &rest)) {
		char *value = strchr(word, '=');

		status = value ? take_field(&reader, word, value) : take_layer(&reader, word);
	}
	if (!status && !rule->outer.layers)
		return refuse(error, rule->text, "rule", "is empty (for instance: ipv4 src=10.0.0.1 udp dst=4791)");
	return status;
}

/* Writing rules */

static uint32_t read_number(const uint8_t *from, unsigned width)
{
	uint32_t number = 0;

	while (width--)
		number = number << 8 | *from++;
	return number;
}

static void write_part(const struct field *field, const uint8_t *from, char *text, size_t size)
{
	switch (field->kind) {
	case MAC:
		snprintf(text, size, "%02x:%02x:%02x:%02x:%02x:%02x", from[0], from[1], from[2], from[3], from[4], from[5]);
		return;
	case ADDRESS4:
		inet_ntop(AF_INET, from, text, (socklen_t)size);
		return;
	case ADDRESS6:
		inet_ntop(AF_INET6, from, text, (socklen_t)size);
		return;
	case NUMBER:
		break;
	}
	snprintf(text, size, field == &fields[FLOW_ETH_TYPE] ? "0x%04x" : "%u", read_number(from, field->width));
}

static size_t write_field(const struct field *field, const struct flow_value *value, char *text, size_t size)
{
	char number[INET6_ADDRSTRLEN], mask[INET6_ADDRSTRLEN];
	uint8_t usual[16] = { 0 };

	write_part(field, value->value, number, sizeof number);
	write_part(field, value->mask, mask, sizeof mask);
	parse_mask(field, NULL, usual);
	if (!memcmp(usual, value->mask, field->width))
		return (size_t)snprintf(text, size, " %s=%s", field->name, number);
	return (size_t)snprintf(text, size, " %s=%s/%s", field->name, number, mask);
}

static size_t write_level(const struct flow_level *level, char *text, size_t size)
{
	size_t length = 0;

	for (unsigned layer = 0; layer < FLOW_LAYERS && length < size; layer++) {
		if (!(level->layers & 1u << layer))
			continue;
		length += (size_t)snprintf(text + length, size - length, " %s", layer_names[layer]);
		for (unsigned i = 0; i < FLOW_FIELDS && length < size; i++)
			if (fields[i].layer == layer && level->fields & 1u << i)
				length += write_field(&fields[i], &level->values[i], text + length, size - length);
	}
	return length;
}

static void write_rule(struct flow_rule *rule)
{
	char text[2 * FLOW_RULE_TEXT];
	size_t length = write_level(&rule->outer, text, sizeof text);

	if (length < sizeof text)
		length += write_level(&rule->inner, text + length, sizeof text - length);
	/* the text is for display only: truncate it with dots */
	snprintf(rule->text, sizeof rule->text, "%.*s%s", FLOW_RULE_TEXT - 4, text + 1, length > FLOW_RULE_TEXT - 3 ? "..." : "");
}

/* Joining rules */

#define ETHER_IPV4 0x0800
#define ETHER_IPV6 0x86dd

static bool join_values(struct flow_level *level, const struct flow_level *other)
{
	for (uint32_t left = other->fields; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctz(left);
		const struct flow_value *more = &other->values[field];
		struct flow_value *value = &level->values[field];

		for (unsigned i = 0; i < fields[field].width; i++) {
			if (level->fields & 1u << field && (value->value[i] ^ more->value[i]) & value->mask[i] & more->mask[i])
				return false;
			value->value[i] |= more->value[i];
			value->mask[i] |= more->mask[i];
		}
	}
	level->layers |= other->layers;
	level->fields |= other->fields;
	return true;
}

/* Whether the field accepts the value `wanted`: true if it is not compared. */
static bool allows(const struct flow_level *level, enum flow_field field, uint32_t wanted)
{
	const struct flow_value *value = &level->values[field];

	return !(level->fields & 1u << field) ||
	       !((read_number(value->value, fields[field].width) ^ wanted) & read_number(value->mask, fields[field].width));
}

static bool has_layer(const struct flow_level *level, enum flow_layer layer)
{
	return level->layers & 1u << layer;
}

/* Whether headers and the type and protocol numbers before them are consistent. */
static bool is_possible(const struct flow_level *level)
{
	static const struct {
		enum flow_layer layer;
		uint8_t proto;
	} transports[] = { { FLOW_TCP, 6 }, { FLOW_UDP, 17 }, { FLOW_VXLAN, 17 }, { FLOW_GRE, 47 } };

	for (unsigned layer = 0; layer < FLOW_LAYERS; layer++)
		if (has_layer(level, (enum flow_layer)layer) && level->layers & layer_excludes[layer])
			return false;
	for (size_t i = 0; i < sizeof transports / sizeof transports[0]; i++)
		if (has_layer(level, transports[i].layer) &&
		    (!allows(level, FLOW_IPV4_PROTO, transports[i].proto) || !allows(level, FLOW_IPV6_NEXT, transports[i].proto)))
			return false;
	if (has_layer(level, FLOW_IPV4))
		return allows(level, FLOW_ETH_TYPE, ETHER_IPV4);
	if (has_layer(level, FLOW_IPV6))
		return allows(level, FLOW_ETH_TYPE, ETHER_IPV6);
	return !(level->layers & ~(1u << FLOW_ETH)) || allows(level, FLOW_ETH_TYPE, ETHER_IPV4) || allows(level, FLOW_ETH_TYPE, ETHER_IPV6);
}

bool flow_rule_join(struct flow_rule *rule, const struct flow_rule *other)
{
	if (!join_values(&rule->outer, &other->outer) || !join_values(&rule->inner, &other->inner) || !is_possible(&rule->outer))
		return false;
	write_rule(rule);
	return true;
}

static bool levels_equal(const struct flow_level *level, const struct flow_level *other)
{
	if (level->layers != other->layers || level->fields != other->fields)
		return false;
	for (unsigned field = 0; field < FLOW_FIELDS; field++)
		if (level->fields >> field & 1 && memcmp(&level->values[field], &other->values[field], sizeof level->values[field]))
			return false;
	return true;
}

bool flow_rule_equals(const struct flow_rule *rule, const struct flow_rule *other)
{
	return levels_equal(&rule->outer, &other->outer) && levels_equal(&rule->inner, &other->inner);
}

/* Matching */

#define ETHER_VLAN 0x8100
#define ETHER_QINQ 0x88a8
#define ETHER_BRIDGED 0x6558 /* Ethernet in a tunnel */
#define PORT_VXLAN 4789

/* The headers of one level; NULL: absent. A header is present only if it is captured as far as needed. */
struct level {
	const uint8_t *headers[FLOW_LAYERS];
	const uint8_t *type, *vlan, *gre_key;
};

struct walk {
	const uint8_t *at, *end;
	uint32_t next; /* EtherType, or protocol of the transport */
};

static uint32_t u16(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 8 | bytes[1];
}

static bool has(const struct walk *walk, size_t length)
{
	return (size_t)(walk->end - walk->at) >= length;
}

static bool walk_ethernet(struct walk *walk, struct level *level)
{
	if (!has(walk, 14))
		return false;
	level->headers[FLOW_ETH] = walk->at;
	level->type = walk->at + 12;
	walk->at += 14;
	while ((u16(level->type) == ETHER_VLAN || u16(level->type) == ETHER_QINQ) && has(walk, 4)) {
		if (!level->vlan)
			level->vlan = walk->at;
		level->type = walk->at + 2;
		walk->at += 4;
	}
	walk->next = u16(level->type);
	return true;
}

static bool walk_ip(struct walk *walk, struct level *level)
{
	const uint8_t *header = walk->at;

	if (walk->next == ETHER_IPV4 && has(walk, 20)) {
		size_t length = (header[0] & 15u) * 4;

		if (length < 20 || !has(walk, length))
			return false;
		level->headers[FLOW_IPV4] = header;
		walk->next = header[9];
		walk->at += length;
		return !(u16(header + 6) & 0x1fff);
	}
	if (walk->next != ETHER_IPV6 || !has(walk, 40))
		return false;
	level->headers[FLOW_IPV6] = header;
	walk->next = header[6];
	walk->at += 40;
	return true;
}

static bool walk_gre(struct walk *walk, struct level *level)
{
	size_t checksum, key, sequence;

	if (!has(walk, 4))
		return false;
	checksum = walk->at[0] & 0x80 ? 4 : 0;
	key = walk->at[0] & 0x20 ? 4 : 0;
	sequence = walk->at[0] & 0x10 ? 4 : 0;
	if (!has(walk, 4 + checksum + key + sequence))
		return false;
	level->headers[FLOW_GRE] = walk->at;
	if (key)
		level->gre_key = walk->at + 4 + checksum;
	walk->next = u16(walk->at + 2);
	walk->at += 4 + checksum + key + sequence;
	return true;
}

/* True: a tunnel starts here, and walk->next is its content. */
static bool walk_transport(struct walk *walk, struct level *level)
{
	if (walk->next == 47)
		return walk_gre(walk, level);
	if (walk->next == 6 && has(walk, 20))
		level->headers[FLOW_TCP] = walk->at;
	if (walk->next != 17 || !has(walk, 8))
		return false;
	level->headers[FLOW_UDP] = walk->at;
	if (u16(walk->at + 2) != PORT_VXLAN || !has(walk, 16))
		return false;
	level->headers[FLOW_VXLAN] = walk->at + 8;
	walk->at += 16;
	walk->next = ETHER_BRIDGED;
	return true;
}

static const uint8_t *place_of(const struct level *level, enum flow_field field)
{
	switch (field) {
	case FLOW_ETH_TYPE:
		return level->type;
	case FLOW_ETH_VLAN:
		return level->vlan;
	case FLOW_GRE_KEY:
		return level->gre_key;
	default:
		return level->headers[fields[field].layer] + fields[field].offset;
	}
}

static bool value_matches(const struct field *field, const uint8_t *place, const struct flow_value *wanted)
{
	uint8_t found[16];
	uint32_t number = 0;

	if (!place)
		return false;
	memcpy(found, place, field->width);
	if (field->kind == NUMBER) {
		for (unsigned i = 0; i < field->width; i++)
			number = number << 8 | found[i];
		number = number >> field->spare & (uint32_t)((1ull << field->bits) - 1);
		store_number(found, field->width, number);
	}
	for (unsigned i = 0; i < field->width; i++)
		if ((found[i] & wanted->mask[i]) != wanted->value[i])
			return false;
	return true;
}

static bool level_matches(const struct flow_level *wanted, const struct level *level)
{
	for (unsigned layer = 0; layer < FLOW_LAYERS; layer++)
		if (wanted->layers & 1u << layer && !level->headers[layer])
			return false;
	for (uint32_t left = wanted->fields; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctz(left);

		if (!value_matches(&fields[field], place_of(level, (enum flow_field)field), &wanted->values[field]))
			return false;
	}
	return true;
}

bool flow_rule_matches(const struct flow_rule *rule, const uint8_t *bytes, uint32_t length)
{
	struct walk walk = { bytes, bytes + length, 0 };
	struct level outer = { .type = NULL }, inner = { .type = NULL };
	bool tunnel;

	tunnel = walk_ethernet(&walk, &outer) && walk_ip(&walk, &outer) && walk_transport(&walk, &outer);
	if (!level_matches(&rule->outer, &outer))
		return false;
	if (!rule->inner.layers)
		return true;
	if (!tunnel || (walk.next == ETHER_BRIDGED && !walk_ethernet(&walk, &inner)))
		return false;
	if (walk_ip(&walk, &inner))
		walk_transport(&walk, &inner);
	return level_matches(&rule->inner, &inner);
}
