/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The display filter over a registry of its own: one field of every type, so that each type and operator is tried
 * whatever the real protocols have. Linked with the filter's objects only.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include <rdmatap/filter.h>
#include <rdmatap/visitor.h>

#include "dissect/engine/packet.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum { PROTOCOL_T, PROTOCOL_U = 70, PROTOCOL_U_SUB, PROTOCOLS };

static const struct rtap_name names[] = {
	{ 1, "Send" }, { 2, "Reserved" }, { 3, "Reserved" }, { 0x123456, "Read \"all\"" }, { 0, NULL },
};

static const struct rtap_name switch_names[] = { { 0, "Off" }, { 1, "On" }, { 0, NULL } };

static const uint32_t list[] = { 5, 6, 7, 100 };
static const char *const texts[] = { "mount", "a \"b\"\\\n\x7f", "" };

static bool derive_time(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)packet;
	(void)layer;
	value->number = (uint64_t)(int64_t)-1500000000;
	return true;
}

static bool derive_absent(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)packet;
	(void)layer;
	(void)value;
	return false;
}

static bool derive_scaled(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)packet;
	(void)layer;
	value->number = 60;
	return true;
}

static const struct rtap_field t_fields[] = {
	{ "t.number", "Number", 0, 24, RTAP_DEC, 0, names, NULL, NULL },
	{ "t.octet", "Octet", 24, 8, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "t.flag", "Flag", 24, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "t.switch", "Switch", 25, 1, RTAP_BOOL, 0, switch_names, NULL, NULL },
	{ "t.src", "Source", 32, 32, RTAP_IPV4, 0, NULL, NULL, NULL },
	{ "t.dst", "Destination", 64, 32, RTAP_IPV4, 0, NULL, NULL, NULL },
	{ "t.gid", "GID", 96, 128, RTAP_IPV6, 0, NULL, NULL, NULL },
	{ "t.mac", "MAC", 224, 48, RTAP_ETHER, 0, NULL, NULL, NULL },
	{ "t.guid", "GUID", 272, 64, RTAP_EUI64, 0, NULL, NULL, NULL },
	{ "t.data", "Data", 336, 40, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "t.large", "Large", 376, 64, RTAP_HEX64, 0, NULL, NULL, NULL },
	{ "t.nibble", "Nibble", 28, 4, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "t.time", "Time", 0, 64, RTAP_SECONDS, RTAP_UNPLACED, NULL, derive_time, NULL },
	{ "t.absent", "Absent", 0, 16, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_absent, NULL },
	{ "t.scaled", "Scaled", 28, 4, RTAP_DEC, RTAP_ON_DEMAND, NULL, derive_scaled, NULL },
	{ "t.heading", "Heading", 0, 8, RTAP_NONE, 0, NULL, NULL, NULL },
	{ "t.list", "List", 0, 32, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	{ "t.text", "Text", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	{ "t.name", "Name", 336, 40, RTAP_TEXT, 0, NULL, NULL, NULL },
	{ "t.code16", "Code", 0, 0, RTAP_HEX16, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	{ "t.any", "Any", 0, 0, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
};

enum { FIELD_LIST = 16, FIELD_TEXT = 17, FIELD_U = LENGTH(t_fields) };

static const struct rtap_field u_fields[] = {
	{ "u.number", "Number", 0, 8, RTAP_DEC, 0, NULL, NULL, NULL },
};

static const struct rtap_protocol protocols[PROTOCOLS] = {
	[PROTOCOL_T] = { .name = "t", .fields = t_fields, .field_count = LENGTH(t_fields) },
	[PROTOCOL_U] = { .name = "u", .fields = u_fields, .field_count = LENGTH(u_fields) },
	[PROTOCOL_U_SUB] = { .name = "u.sub" },
};

/* number 0x123456; octet 0x85: flag 1, switch 0, nibble 5 */
static const uint8_t bytes[] = {
	0x12, 0x34, 0x56, 0x85, 10, 1, 2, 3, 10, 1, 2, 4,
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0xff, 0xfe, 0, 0, 1,
	0x02, 0, 0, 0, 0, 0xab, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
	'N', 'F', 'S', 0, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 1,
	/* u: number 9, then a second u: number 200 */
	9, 200,
};

size_t rtap_field_count(void)
{
	return FIELD_U + LENGTH(u_fields);
}

const struct rtap_field *rtap_field_by_id(rtap_field_id id)
{
	return id < FIELD_U ? &t_fields[id] : &u_fields[id - FIELD_U];
}

uint16_t rtap_field_protocol(rtap_field_id id)
{
	return id < FIELD_U ? PROTOCOL_T : PROTOCOL_U;
}

size_t rtap_field_find(const char *name, rtap_field_id *ids, size_t room)
{
	static const struct {
		const char *name, *stands_for[2];
	} aliases[] = {
		{ "t.addr", { "t.src", "t.dst" } },
		{ "t.mixed", { "t.src", "t.number" } },
		{ "any.number", { "t.octet", "u.number" } },
	};
	size_t found = 0;

	for (size_t i = 0; i < rtap_field_count(); i++) {
		bool same = !strcmp(rtap_field_by_id((rtap_field_id)i)->name, name);

		for (size_t j = 0; j < LENGTH(aliases); j++)
			for (size_t k = 0; k < 2; k++)
				same |= !strcmp(aliases[j].name, name) &&
					!strcmp(aliases[j].stands_for[k], rtap_field_by_id((rtap_field_id)i)->name);
		if (same && found < room)
			ids[found] = (rtap_field_id)i;
		found += same;
	}
	return found;
}

size_t rtap_protocol_count(void)
{
	return PROTOCOLS;
}

const struct rtap_protocol *rtap_protocol_by_number(uint16_t number)
{
	static const struct rtap_protocol none = { .name = "" };

	return protocols[number].name ? &protocols[number] : &none;
}

size_t rtap_protocol_find(const char *name, uint16_t *numbers, size_t room)
{
	size_t found = 0;

	for (uint8_t i = 0; i < PROTOCOLS; i++) {
		if (!protocols[i].name)
			continue;
		if (strcmp(protocols[i].name, name) && (strcmp(name, "u") || i != PROTOCOL_U_SUB))
			continue;
		if (found < room)
			numbers[found] = i;
		found++;
	}
	return found;
}

const char *rtap_field_type(const struct rtap_field *field)
{
	return field->show == RTAP_IPV4 ? "ipv4" : field->show == RTAP_DEC ? "uint24" : "type";
}

bool rtap_layer_field(const struct rtap_packet *packet, const struct rtap_layer *layer, const struct rtap_field *field,
		      struct rtap_value *value)
{
	const uint8_t *header = packet->sources[layer->source].bytes + layer->offset;

	cr_assert(!(field->flags & RTAP_UNPLACED) || field->derive, "%s is found by a visit only", field->name);
	if (field->derive)
		return field->derive(packet, layer, value);
	value->data = (struct rtap_span){ header + field->bit_offset / 8, field->bit_width / 8u };
	for (unsigned i = field->bit_offset; i < field->bit_offset + field->bit_width; i++)
		value->number = value->number << 1 | (header[i / 8] >> (7 - i % 8) & 1);
	return true;
}

void rtap_layer_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	struct rtap_value value = { 0 };
	struct rtap_place place = { 0 };

	(void)packet;
	cr_assert_eq(layer->protocol, PROTOCOL_T);
	for (size_t i = 0; i < LENGTH(list); i++) {
		value.number = list[i];
		if (visitor->wanted[FIELD_LIST / 64] >> FIELD_LIST % 64 & 1)
			visitor->field(visitor, FIELD_LIST, &t_fields[FIELD_LIST], &value, &place);
	}
	for (size_t i = 0; i < LENGTH(texts); i++) {
		value.data = (struct rtap_span){ (const uint8_t *)texts[i], (uint32_t)strlen(texts[i]) };
		if (visitor->wanted[FIELD_TEXT / 64] >> FIELD_TEXT % 64 & 1)
			visitor->field(visitor, FIELD_TEXT, &t_fields[FIELD_TEXT], &value, &place);
	}
}

/* T and two U; or nothing but one U. */
static struct rtap_packet packet_with(bool t)
{
	static const struct rtap_layer layers[] = {
		{ .protocol = PROTOCOL_T, .offset = 0, .length = 55 },
		{ .protocol = PROTOCOL_U, .offset = 55, .length = 1 },
		{ .protocol = PROTOCOL_U, .offset = 56, .length = 1 },
	};
	struct rtap_packet packet = { .source_count = 1 };

	packet.sources[0].bytes = bytes;
	packet.sources[0].captured = packet.sources[0].wire = sizeof bytes;
	packet.protocols[1] = (uint64_t)1 << (PROTOCOL_U - 64);
	packet.protocols[0] = t;
	packet.layer_count = t ? 3 : 1;
	memcpy(packet.layers, t ? layers : layers + 1, packet.layer_count * sizeof layers[0]);
	return packet;
}

static bool matches(const char *text, bool t)
{
	struct rtap_packet packet = packet_with(t);
	struct rtap_filter *filter;
	struct rtap_error error = { .text = "" };
	bool result;

	cr_assert_eq(rtap_filter_open(&filter, text, &error), RTAP_STATUS_OK, "%s: %s", text, error.text);
	result = rtap_filter_match(filter, &packet);
	rtap_filter_close(filter);
	return result;
}

struct match {
	const char *text;
	bool expected;
};

static void check(const struct match *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		cr_expect_eq(matches(cases[i].text, true), cases[i].expected, "%s should be %s", cases[i].text,
			     cases[i].expected ? "true" : "false");
}

TestSuite(filter_types, .timeout = HANG_SECONDS);

Test(filter_types, presence_is_of_fields_protocols_and_groups_of_them)
{
	static const struct match cases[] = {
		{ "", true }, { " \t\r\n", true },
		{ "t", true }, { "u", true }, { "u.sub", false },
		{ "t.number", true }, { "t.absent", false }, { "t.heading", true }, { "t.scaled", true },
		{ "t.flag", true }, { "t.switch", true }, { "t.list", true }, { "t.text", true }, { "t.code16", false },
		{ "t.addr", true }, { "t.data[4]", true }, { "t.data[5]", false }, { "t.data[4:1]", true },
		{ "t.data[3:3]", false },
	};

	check(cases, LENGTH(cases));
	cr_expect(!matches("t", false));
	cr_expect(!matches("t.number", false));
	cr_expect(!matches("t.text", false));
	cr_expect(matches("u", false));
	cr_expect(matches("", false));
}

Test(filter_types, numbers_compare_in_every_notation)
{
	static const struct match cases[] = {
		{ "t.number == 1193046", true }, { "t.number == 0x123456", true }, { "t.number == 0X123456", true },
		{ "t.number == 0b000100100011010001010110", true }, { "t.number == 04432126", true },
		{ "t.number == 1", false },
		{ "t.number eq 0x123456", true }, { "t.number any_eq 0x123456", true }, { "t.number EQ 1", false },
		{ "t.number != 0x123456", false }, { "t.number ne 1", true }, { "t.number all_ne 1", true },
		{ "t.number > 0x123455", true }, { "t.number > 0x123456", false }, { "t.number gt 0", true },
		{ "t.number >= 0x123456", true }, { "t.number ge 0x123457", false },
		{ "t.number < 0x123457", true }, { "t.number lt 0x123456", false },
		{ "t.number <= 0x123456", true }, { "t.number le 0x123455", false },
		{ "t.number==0x123456&&t.nibble==5", true }, { "t.number == 16777215", false },
		{ "t.large == 0x8000000000000001", true }, { "t.large > 18446744073709551614", false },
		{ "t.large >= 9223372036854775808", true }, { "t.large == 18446744073709551615", false },
		{ "t.scaled == 60", true }, { "t.scaled == 255", false }, { "t.absent == 0", false },
		{ "t.absent != 0", false },
		{ "not t.absent == 0", true }, { "t.any == 18446744073709551615", false },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, masks_test_and_compare_bits)
{
	static const struct match cases[] = {
		{ "t.octet & 0x80", true }, { "t.octet & 0x7a", false }, { "t.octet & 0", false },
		{ "t.octet&0x81", true },
		{ "t.octet & 0xf0 == 0x80", true }, { "t.octet & 0xf0 == 0x85", false },
		{ "t.octet bitwise_and 0xf == 5", true },
		{ "t.octet & 0xf != 5", false }, { "t.octet & 0xf < 6", true }, { "t.octet & 0xf in {4..6}", true },
		{ "t.octet & 0x80 and t.flag == 1", true }, { "t.absent & 1", false }, { "t.list & 0x40", true },
		{ "t.octet & 0x0f == t.nibble & 0xf", true },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, any_of_several_values_matches_and_unequal_means_none_is_equal)
{
	static const struct match cases[] = {
		{ "t.list == 7", true }, { "t.list == 8", false }, { "t.list != 7", false }, { "t.list != 8", true },
		{ "t.list > 99", true }, { "t.list > 100", false }, { "t.list < 6", true }, { "t.list < 5", false },
		{ "t.addr == 10.1.2.3", true }, { "t.addr == 10.1.2.4", true }, { "t.addr == 10.1.2.5", false },
		{ "t.addr != 10.1.2.4", false }, { "t.addr != 10.1.2.5", true },
		{ "u.number == 9", true }, { "u.number == 200", true }, { "u.number == 10", false },
		{ "u.number != 200", false },
		{ "any.number == 200", true }, { "any.number == 0x85", true }, { "any.number == 1", false },
		{ "t.code16 != 1", false }, { "t.code16 == 0xffff", false },
	};

	check(cases, LENGTH(cases));
	cr_expect(matches("any.number == 9", false));
	cr_expect(!matches("any.number == 0x85", false));
}

Test(filter_types, sets_hold_values_ranges_and_names)
{
	static const struct match cases[] = {
		{ "t.nibble in {5}", true }, { "t.nibble in {1, 2, 5}", true }, { "t.nibble in {1 2 5}", true },
		{ "t.nibble in {1, 2}", false }, { "t.nibble in {4..6}", true }, { "t.nibble in {6..9}", false },
		{ "t.nibble in {5..5}", true }, { "t.nibble in {1..2 4..5}", true },
		{ "t.nibble in{0x1 .. 0x5}", true },
		{ "t.nibble not in {5}", false }, { "t.nibble not in {6}", true }, { "t.nibble !in {6}", true },
		{ "t.absent in {0..10}", false }, { "t.absent not in {0}", true },
		{ "t.list in {90..99, 101}", false }, { "t.list in {90..100}", true },
		{ "t.src in {10.1.2.0..10.1.2.255}", true }, { "t.src in {10.1.2.4..10.1.2.9}", false },
		{ "t.src in {192.168.0.0/16, 10.0.0.0/8}", true },
		{ "t.time in {-2..-1.4}", true }, { "t.time in {-1.4..2}", false },
		{ "t.number in {\"send\", 0x123456}", true }, { "t.number in {\"send\" \"Reserved\"}", false },
		{ "t.mac in {02:00:00:00:00:00..02:00:00:00:00:ff}", true },
		{ "t.gid in {fe80::..fe80::ffff:ffff:ffff:ffff}", true },
		{ "t.text in {\"mount\"}", true }, { "t.text in {\"a\"..\"l\"}", true },
		{ "t.text in {\"n\"..\"z\"}", false },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, value_names_stand_for_every_number_that_has_them)
{
	static const struct match cases[] = {
		{ "t.number == \"Read \\\"all\\\"\"", true }, { "t.number == \"READ \\x22all\\x22\"", true },
		{ "t.number == \"Send\"", false }, { "t.number != \"Reserved\"", true },
		{ "t.switch == \"off\"", true },
		{ "t.switch == \"On\"", false },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, bools_and_seconds_have_their_own_literals)
{
	static const struct match cases[] = {
		{ "t.flag == true", true }, { "t.flag == TRUE", true }, { "t.flag == 1", true },
		{ "t.flag == False", false },
		{ "t.flag == 0", false }, { "t.flag != 0", true }, { "t.switch == false", true },
		{ "t.flag > t.switch", true },
		{ "t.time == -1.5", true }, { "t.time == -1.500000000", true }, { "t.time < 0", true },
		{ "t.time > -1.500000001", true },
		{ "t.time < -1.499999999", true }, { "t.time > -1", false }, { "t.time == 1.5", false },
		{ "t.time < +1.5", true },
		{ "t.time > -9223372036", true }, { "t.time < 9223372036.854775807", true }, { "t.time <= -.5", true },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, addresses_compare_whole_and_by_prefix)
{
	static const struct match cases[] = {
		{ "t.src == 10.1.2.3", true }, { "t.src == \"10.1.2.3\"", true }, { "t.src == 10.1.2.0/24", true },
		{ "t.src == 10.1.2.4/31", false }, { "t.src == 10.1.2.2/31", true }, { "t.src == 11.0.0.0/7", true },
		{ "t.src == 0.0.0.0/0", true }, { "t.src == 10.1.2.3/32", true }, { "t.src == 10.1.2.4/32", false },
		{ "t.src != 10.1.0.0/16", false }, { "t.src != 10.2.0.0/16", true }, { "t.src > 10.1.2.2", true },
		{ "t.src > 10.1.2.3", false }, { "t.src <= 10.1.2.3", true }, { "t.src < 10.2.0.0/16", true },
		{ "t.src > 10.1.0.0/16", false },
		{ "t.gid == fe80::200:ff:fe00:1", true }, { "t.gid == FE80::0200:00FF:FE00:1", true },
		{ "t.gid == fe80::/10", true },
		{ "t.gid == fd00::/8", false }, { "t.gid == ::/0", true }, { "t.gid == \"fe80::/64\"", true },
		{ "t.gid == ::10.1.2.3", false },
		{ "t.mac == 02:00:00:00:00:ab", true }, { "t.mac == 02-00-00-00-00-AB", true },
		{ "t.mac == 02.00.00.00.00.ab", true },
		{ "t.mac == 0200.0000.00ab", true }, { "t.mac == 0200000000ab", true },
		{ "t.mac == 02:00:00:00:00:ac", false },
		{ "t.guid == 00:11:22:33:44:55:66:77", true }, { "t.guid == 0x0011223344556677", true },
		{ "t.guid == 0011:2233:4455:6677", true }, { "t.guid == 0011.2233.4455.6677", true },
		{ "t.guid == 0011223344556677", true }, { "t.guid != 0x0011223344556678", true },
		{ "t.guid >= 0x0011223344556678", false },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, bytes_and_texts_compare_contain_and_slice)
{
	static const struct match cases[] = {
		{ "t.data == 4e:46:53:00:ff", true }, { "t.data == 4e465300ff", true },
		{ "t.data == 4e46.5300.ff", true },
		{ "t.data == \"NFS\\0\\xff\"", true }, { "t.data == 4e-46-53", false }, { "t.data > 4e:46:53", true },
		{ "t.data < 4f", true }, { "t.data contains \"FS\"", true }, { "t.data contains 00ff", true },
		{ "t.data contains \"fs\"", false }, { "t.data contains \"\"", true },
		{ "t.data contains 4e:46:53:00:ff:00", false },
		{ "t.src contains 01:02", true }, { "t.mac contains ab", true },
		{ "t.data[0:3] == \"NFS\"", true }, { "t.data[0-2] == 4e:46:53", true },
		{ "t.data[3:] == 00:ff", true },
		{ "t.data[:2] == \"NF\"", true }, { "t.data[4] == ff", true }, { "t.data[1:2] contains 53", true },
		{ "t.data[3:9] == 00:ff", false }, { "t.data[3:9] != 00:ff", false }, { "t.src[0] == 0a", true },
		{ "t.src[3] > 02", true },
		{ "t.src[2:2] == 02:03", true }, { "t.gid[8:] == 02:00:00:ff:fe:00:00:01", true },
		{ "t.mac[0:3] in {02:00:00}", true },
		{ "t.text == \"mount\"", true }, { "t.text == \"Mount\"", false }, { "t.text contains \"oun\"", true },
		{ "t.text == \"a \\\"b\\\"\\\\\\n\\x7f\"", true }, { "t.text == \"\"", true },
		{ "t.text != \"mount\"", false },
		{ "t.text != \"umount\"", true }, { "t.text > \"mouns\"", true }, { "t.text[0:2] == \"mo\"", true },
		{ "t.text[1] == 6f", true },
		{ "t.name == \"NFS\\x00\\xff\"", true }, { "t.name == t.data", true },
		{ "t.name contains \"\\t\\r\"", false },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, protocols_are_bytes_up_to_the_captured_end)
{
	static const struct match cases[] = {
		{ "t[0:3] == 12:34:56", true }, { "t contains \"NFS\"", true }, { "u contains \"NFS\"", false },
		{ "u[0] == 09", true },
		{ "u == 09:c8", true }, { "u == c8", true }, { "u.sub contains 09", false }, { "t[56] == c8", true },
		{ "t[57]", false },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, fields_compare_with_fields)
{
	static const struct match cases[] = {
		{ "t.src == t.dst", false }, { "t.src != t.dst", true }, { "t.src < t.dst", true },
		{ "t.src == t.src", true },
		{ "t.src[0:3] == t.dst[0:3]", true }, { "t.addr == t.src", true }, { "t.addr != t.src", false },
		{ "t.list == t.list", true }, { "t.list > t.list", true }, { "t.list == t.nibble", true },
		{ "t.list == t.scaled", false },
		{ "t.absent == t.nibble", false }, { "t.absent != t.nibble", false }, { "t.nibble != t.absent", false },
		{ "t.data contains t.data[1:2]", true }, { "t.text contains t.data", false },
		{ "u.number > t.number", false },
		{ "t.time == t.time", true },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, any_and_all_say_how_many_values_have_to_pass)
{
	static const struct match cases[] = {
		{ "t.list === 5", false }, { "t.octet === 0x85", true }, { "t.octet all_eq 0x85", true }, { "t.absent === 1", false },
		{ "t.list !== 5", true }, { "t.list ~= 5", true }, { "t.octet any_ne 0x85", false }, { "t.absent !== 1", false },
		{ "all t.list > 4", true }, { "all t.list > 5", false }, { "any t.list > 99", true }, { "any t.list != 5", true },
		{ "all t.list != 5", false }, { "all t.list in {5..7, 100}", true }, { "all t.list in {5..7}", false },
		{ "all t.absent > 0", false }, { "not all t.absent > 0", true }, { "ALL t.text contains \"m\"", false },
		{ "all t.addr == 10.0.0.0/8", true }, { "all t.src == t.dst", false }, { "any t.addr != t.src", true },
		{ "all t.addr != t.src", false }, { "all u.number < 201", true },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, numbers_and_times_are_computed_with)
{
	static const struct match cases[] = {
		{ "t.octet + 1 == 134", true }, { "t.octet - 134 == -1", true }, { "t.octet - 134 < 0", true }, { "-t.octet == -133", true },
		{ "t.octet * 2 == 266", true }, { "t.octet / 2 == 66", true }, { "t.octet % 4 == 1", true }, { "t.octet / 0 == 0", false },
		{ "t.octet % 0 == 0", false }, { "t.octet + 2 * 3 == 139", true }, { "{t.octet + 2} * 3 == 405", true },
		{ "t.octet - 1 - 1 == 131", true }, { "t.octet & 4 + 1 == 5", true }, { "{t.octet & 4} + 1 == 5", true },
		{ "t.octet == 132 + 1", true }, { "t.octet == t.nibble + 128", true }, { "t.octet -5 == 128", true }, { "t.octet +5 == 138", true },
		{ "t.list + u.number == 300", true }, { "t.list + u.number == 301", false }, { "all t.list + u.number > 13", true },
		{ "t.octet - 133", false }, { "t.octet - 132", true }, { "t.octet in {1 .. 200}", true }, { "t.octet + 1 in {134}", true },
		{ "t.large * 2 > 0", false }, { "t.large + 1 - 1 == 0x8000000000000001", true }, { "t.large * 4294967296 * 4294967296 * 4 > 0", false },
		{ "t.large - 18446744073709551615 == -9223372036854775806", true },
		{ "t.time + 1 == -0.5", true }, { "t.time + 1.5 == 0", true }, { "t.time - t.time == 0", true }, { "-t.time == 1.5", true },
		{ "t.src & 255.255.0.0 == 10.1.0.0", true }, { "t.src & 255.255.0.0 == 10.2.0.0", false }, { "t.src & t.dst == 10.1.2.0", true },
		{ "t.gid & ffff:: == fe80::", true }, { "t.absent + 1 > 0", false },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, functions_and_expressions_see_into_bytes_and_text)
{
	static const struct match cases[] = {
		{ "upper(t.text) == \"MOUNT\"", true }, { "upper(t.text) == \"mount\"", false }, { "lower(t.name)[0:3] == \"nfs\"", true },
		{ "lower(t.name) contains \"nfs\"", true }, { "upper(t.text) == upper(t.text)", true }, { "all upper(t.text) == upper(t.text)", false },
		{ "len(t.text) == 5", true }, { "len(t.text) == 0", true }, { "len(t.data) == 5", true }, { "len(t.octet) == 1", true },
		{ "len(t.number) == 3", true }, { "len(t.absent) == 2", false }, { "len(t.data[1:3]) == 3", true }, { "len(t) == 57", true },
		{ "count(t.list) == 4", true }, { "count(t.addr) == 2", true }, { "count(t.absent) == 0", false }, { "count(u.number) * 2 == 4", true },
		{ "t.octet == len(t.data) + 128", true },
		{ "t.text matches \"^MO.nt$\"", true }, { "t.text matches r\"\\bmount\\b\"", true }, { "t.text ~ \"x\"", false },
		{ "t.name matches \"s\\x00\\xff\"", true }, { "t.data[0:3] matches \"^nfs$\"", true }, { "t matches \"NFS\"", true },
		{ "t.text matches \"^$\"", true }, { "all t.text matches \"o\"", false },
		{ "t.data[-5:3] == 4e:46:53", true }, { "t.data[-2:] == 00:ff", true }, { "t.data[-1] == ff", true }, { "t.data[-6:2] == 00:00", false },
		{ "t.data[0,2,-1] == 4e:53:ff", true }, { "t.data[0-1,3:2] == 4e:46:00:ff", true }, { "t.data[0,9] == 4e:00", false },
		{ "t.data[1:4][1:2] == 53:00", true }, { "t.data[0] == 'N'", true }, { "t.text == 'm'", false }, { "t.text contains 'm'", true },
		{ "t.text contains r\"\"", true }, { "t.text == r\"mount\"", true }, { "t.text contains r\"\\\"", true },
	};

	check(cases, LENGTH(cases));
}

Test(filter_types, logic_binds_not_then_and_then_or)
{
	static const char *const atoms[] = { "u.sub", "t" }; /* false, true */
	static const char *const ands[] = { "and", "&&", "AND" }, *const ors[] = { "or", "||", "Or" };
	static const char *const nots[] = { "not", "!", "NOT" };

	for (unsigned i = 0; i < 8; i++) {
		bool a = i & 1, b = i >> 1 & 1, c = i >> 2 & 1;
		const char *and = ands[i % 3], *or = ors[i % 3], *not = nots[i % 3];
		char text[128];

		snprintf(text, sizeof text, "%s %s %s %s %s", atoms[a], or, atoms[b], and, atoms[c]);
		cr_expect_eq(matches(text, true), a || (b && c), "%s", text);
		snprintf(text, sizeof text, "%s %s %s %s %s", atoms[a], and, atoms[b], or, atoms[c]);
		cr_expect_eq(matches(text, true), (a && b) || c, "%s", text);
		snprintf(text, sizeof text, "(%s %s %s)%s %s", atoms[a], or, atoms[b], and, atoms[c]);
		cr_expect_eq(matches(text, true), (a || b) && c, "%s", text);
		snprintf(text, sizeof text, "%s %s %s %s %s %s", not, atoms[a], and, atoms[b], or, atoms[c]);
		cr_expect_eq(matches(text, true), (!a && b) || c, "%s", text);
		snprintf(text, sizeof text, "%s (%s %s %s) %s %s", not, atoms[a], and, atoms[b], or, atoms[c]);
		cr_expect_eq(matches(text, true), !(a && b) || c, "%s", text);
		snprintf(text, sizeof text, "%s %s %s %s %s %s %s", nots[0], not, atoms[a], or, atoms[b], or, atoms[c]);
		cr_expect_eq(matches(text, true), a || b || c, "%s", text);
		snprintf(text, sizeof text, "%s %s %s %s %s", atoms[a], and, atoms[b], and, atoms[c]);
		cr_expect_eq(matches(text, true), a && b && c, "%s", text);
	}
	cr_expect(!matches("not t.nibble == 5", true));
	cr_expect(matches("!(t.nibble == 4)", true));
}

struct refusal {
	const char *text;
	unsigned column;
	const char *message;
};

static const struct refusal refusals[] = {
	{ "t.nubmer == 1", 1, "\"t.nubmer\" is not a field (did you mean t.number?)" },
	{ "t and number", 7, "(did you mean t.number?)" },
	{ "t and T.Number", 7, "(did you mean t.number?)" },
	{ "t.nmber", 1, "(did you mean t.number?)" }, { "t.numbber", 1, "(did you mean t.number?)" },
	{ "t.unmebr", 1, "(did you mean t.number?)" }, { "t.unmebrx", 1, "lists all" }, { "t.numberxxxx", 1, "lists all" },
	{ "t.n", 1, "lists all" }, { "sub", 1, "(did you mean u.sub?)" },
	{ "completely.different", 1, "is not a field (\"rdmatap fields\" lists all)" },
	{ "1 == t.number", 1, "\"1\" is not a field" }, { "-7", 2, "\"7\" is not a field" },
	{ "{1 + 2} > 2", 2, "\"1\" is not a field" }, { "7 + 1", 1, "\"7\" is not a field" },
	{ "\"a\" == t.text", 1, "\"a\" stands where the name of a field or protocol should" },
	{ "t.number ==", 12, "the filter ends where a value for \"t.number\" (uint24)" },
	{ "t.number == ==", 13, "stands where a value for" },
	{ "t.number == abc", 13,
	  "\"abc\" does not fit \"t.number\" (uint24): give a number such as 17, 0x11 or 0b10001, or a name such as \"Send\"" },
	{ "t.number == 08", 13, "does not fit" }, { "t.number == 0x", 13, "does not fit" },
	{ "t.number == 0b2", 13, "does not fit" },
	{ "t.number == -1", 13, "does not fit" }, { "t.number == 1.5", 13, "does not fit" },
	{ "t.octet == \"1\"", 12, "does not fit" },
	{ "t.number == 16777216", 13,
	  "\"16777216\" is too large for \"t.number\" (uint24), which has values from 0 to 16777215" },
	{ "t.nibble == 16", 13, "values from 0 to 15" }, { "t.scaled == 256", 13, "values from 0 to 255" },
	{ "t.code16 == 0x10000", 13, "values from 0 to 65535" }, { "t.flag == 2", 11, "values from 0 to 1" },
	{ "t.any == 18446744073709551616", 10, "values from 0 to 18446744073709551615" },
	{ "t.number == \"Sned\"", 13,
	  "\"Sned\" is not the name of a value of \"t.number\" (did you mean \"Send\"?)" },
	{ "t.number == \"completely different\"", 13, "is not the name of a value of \"t.number\"" },
	{ "t.number > \"Send\"", 12, "names have no order" },
	{ "t.number in {\"Send\"..5}", 14, "names have no order" },
	{ "t.number in {1..\"Send\"}", 17, "does not fit" },
	{ "t.flag == maybe", 11, "true or false" }, { "t.flag == \"true\"", 11, "true or false" },
	{ "t.time == 1.0000000001", 11, "seconds such as 1.5" },
	{ "t.time == 9223372037", 11, "seconds such as" },
	{ "t.time == -", 11, "seconds such as" }, { "t.time == 1.2.3", 11, "seconds such as" },
	{ "t.time == \"1\"", 11, "seconds such as" },
	{ "t.src == 10.0.0", 10,
	  "\"10.0.0\" does not fit \"t.src\" (ipv4): give an IPv4 address such as 10.0.0.1 or 10.0.0.0/8" },
	{ "t.src == 10.0.0.1/33", 10, "IPv4 address" }, { "t.src == 10.0.0.1/", 10, "IPv4 address" },
	{ "t.src == fe80::1", 10, "IPv4 address" },
	{ "t.src == 10.0.0.1/8/8", 10, "IPv4 address" },
	{ "t.gid == fe80::1::2", 10, "IPv6 address" }, { "t.gid == ::/129", 10, "IPv6 address" },
	{ "t.gid == 1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20", 10, "IPv6 address" },
	{ "t.mac == 02:00:00:00:00", 10, "Ethernet address" },
	{ "t.mac == 02:00:00:00:00:0", 10, "Ethernet address" },
	{ "t.mac == 02:00-00:00:00:00", 10, "Ethernet address" }, { "t.mac == \"02\"", 10, "Ethernet address" },
	{ "t.guid == 1", 11, "GUID" }, { "t.guid == 0011:2233:4455:667788", 11, "GUID" },
	{ "t.data == 0a:", 11, "bytes such as" }, { "t.data == abc", 11, "bytes such as" },
	{ "t.data == xy", 11, "bytes such as" },
	{ "t.data == a:b", 11, "bytes such as" }, { "t.data == :0a", 11, "bytes such as" },
	{ "t.text == mount", 11, "a text in quotes" }, { "t.text contains abcd", 17, "a text in quotes" },
	{ "t.text == \"mount", 11, "a text that does not end" },
	{ "t.text == \"a\\\"", 11, "a text that does not end" },
	{ "t.text == \"a\\", 11, "a text that does not end" },
	{ "t.text == \"ab\\q\"", 14, "an escape that is not known" }, { "t.text == \"\\x4\"", 12, "an escape" },
	{ "t.text == \"\\x", 11, "a text that does not end" },
	{ "t.number contains 12", 10, "\"t.number\" (uint24) is not bytes or text" },
	{ "t.heading == 1", 11, "has no value to compare" },
	{ "t.heading in {1}", 11, "has no value to compare" },
	{ "t.src & 255", 9, "\"255\" does not fit" }, { "t.octet & x", 11, "\"x\" is not a field" },
	{ "t.text & 255", 8, "\"&\" has no meaning between \"t.text\" (type) and \"255\"" },
	{ "t.octet &", 10, "the filter ends where the name of a field" },
	{ "t.octet + t.text == 1", 9, "\"+\" has no meaning between" }, { "t.octet+1 == 1", 1, "operators need spaces" },
	{ "t.time * 2 > 1", 8, "\"*\" has no meaning between" }, { "{t.octet + 1 == 2", 14, "\"}\"" },
	{ "-t.text == 1", 2, "only numbers and durations have a minus sign" }, { "t.octet + 1 == abc", 16, "does not fit" },
	{ "lower(t.number) == \"a\"", 7, "\"t.number\" (uint24) is not text, which lower() takes" },
	{ "sum(t.number) == 1", 1, "\"sum\" is not a function (known: upper, lower, len, count, abs, min, max)" },
	{ "len(t.data", 11, "the function's \")\"" }, { "len(t.data)", 12, "the filter ends where a comparison" },
	{ "any t.number", 13, "a comparison, for \"any\" or \"all\" values" },
	{ "t.text matches \"a(\"", 16, "missing closing parenthesis, at byte 2 of the expression" },
	{ "t.text matches 5", 16, "a regular expression such as" }, { "t.text matches r\"a", 16, "a text that does not end" },
	{ "t.number[0]", 9, "\"t.number\" (uint24) has no bytes" }, { "t.data[x]", 8, "a slice such as" },
	{ "t.data[0", 9, "the slice's \"]\"" },
	{ "t.data[]", 8, "a slice such as" }, { "t.data[:]", 8, "a slice such as" },
	{ "t.data[2-1]", 8, "a slice such as" },
	{ "t.data[2-]", 8, "a slice such as" }, { "t.data[0:0]", 8, "a slice such as" },
	{ "t.data[0:1:2]", 8, "a slice such as" },
	{ "t.data[99999999999]", 8, "a slice such as" }, { "t.data[-0]", 8, "a slice such as" }, { "t.data[-4-2]", 8, "a slice such as" },
	{ "t.data[0,]", 10, "a slice such as" },
	{ "t.data[1", 9, "\"]\"" },
	{ "t.data[1 2]", 10, "\"]\"" },
	{ "t.number in", 12, "a set such as" }, { "t.number in 5", 13, "a set such as" },
	{ "t.number in {}", 14, "stands where a value" },
	{ "t.number in {1,}", 16, "stands where a value" },
	{ "t.number in {1", 15, "the filter ends where a value" },
	{ "t.number in {1..}", 17, "stands where a value" },
	{ "t.number in {9..5}", 14, "this range ends before it begins" },
	{ "t.src in {10.0.0.0/8..11.0.0.0}", 11, "without prefix lengths" },
	{ "t.src in {10.0.0.9..10.0.0.1}", 11, "ends before it begins" },
	{ "t.number not 5", 14, "\"in\" (as in \"not in\")" },
	{ "t.number not", 13, "\"in\" (as in \"not in\")" },
	{ "(t", 3, "the filter ends where \"and\", \"or\" or \")\" should stand" },
	{ "(t u)", 4, "\"u\" stands where \"and\", \"or\" or \")\"" },
	{ "t)", 2, "\")\" closes a parenthesis that was not opened" }, { "()", 2, "the name of a field" },
	{ "t u", 3, "\"u\" stands where" },
	{ "and", 1, "the name of a field" }, { "t and", 6, "the filter ends where the name of a field" },
	{ "t or or t", 6, "the name of a field" },
	{ "not", 4, "the filter ends" }, { "t.number == 1 == 2", 15, "\"==\" stands where a comparison" },
	{ "t.number = 1", 10, "\"=\" is not an operator (did you mean ==?)" },
	{ "t | u", 3, "(did you mean ||?)" },
	{ "t ; u", 3, "\";\" is not part of" },
	{ "t\x01", 2, "\"\\x01\" is not part of" }, { "\xc3\xa4 t", 1, "\"\\xc3\" is not part of" },
	{ "t.text == \"\xc3\xa4\xe2\x82\xac\" and x", 20, "\"x\" is not a field" },
	{ "t.src == t.number", 10, "\"t.src\" (ipv4) and \"t.number\" (uint24) are of different types" },
	{ "t.number == t.nubmer", 13, "does not fit" }, { "t.mixed == 1", 1, "fields of several types" },
	{ "t.number matches \"x\"", 10, "\"t.number\" (uint24) is not bytes or text, so it matches nothing" },
};

Test(filter_types, errors_name_the_column_and_the_expected_tokens)
{
	for (size_t i = 0; i < LENGTH(refusals); i++) {
		struct rtap_filter *filter = (struct rtap_filter *)&refusals[i];
		struct rtap_error error = { .text = "" };
		char prefix[32];

		cr_expect_eq(rtap_filter_open(&filter, refusals[i].text, &error), RTAP_STATUS_FAILED, "%s",
			     refusals[i].text);
		cr_expect_null(filter);
		cr_expect_eq(error.column, refusals[i].column, "%s: column %u, not %u", refusals[i].text, error.column, refusals[i].column);
		snprintf(prefix, sizeof prefix, "column %u: ", error.column);
		cr_expect_eq(strncmp(error.text, prefix, strlen(prefix)), 0, "%s: %s", refusals[i].text, error.text);
		cr_expect_not_null(strstr(error.text, refusals[i].message), "%s: %s", refusals[i].text, error.text);
	}
	cr_expect_eq(rtap_filter_open(&(struct rtap_filter *){ NULL }, "x", NULL), RTAP_STATUS_FAILED);
}

/* Text that repeats `piece`, after `before` and before `after`. */
static char *repeat(const char *before, const char *piece, size_t times, const char *after)
{
	size_t length = strlen(piece);
	char *text = malloc(strlen(before) + length * times + strlen(after) + 1), *at = text;

	cr_assert_not_null(text);
	at = stpcpy(at, before);
	for (size_t i = 0; i < times; i++)
		at = stpcpy(at, piece);
	strcpy(at, after);
	return text;
}

static bool refuses(char *text, const char *message)
{
	struct rtap_filter *filter;
	struct rtap_error error;
	bool refused = rtap_filter_open(&filter, text, &error) == RTAP_STATUS_FAILED;

	rtap_filter_close(filter);
	free(text);
	return refused && strstr(error.text, message);
}

Test(filter_types, size_and_depth_are_bounded)
{
	char *opened = repeat("", "(", 200, "t"), *deepest = repeat(opened, ")", 200, "");
	char *chain = repeat("t.nibble == 4", " or t.nibble == 4", 3000, " or t.nibble == 5");
	char *nots = repeat("", "!", 65000, "t"), *set = repeat("t.nibble in {", "6,", 30000, "5}");
	char *spaces = repeat("", " ", 65535, "t");

	cr_expect(matches(deepest, true));
	cr_expect(matches(chain, true));
	cr_expect(matches(nots, true));
	cr_expect(matches(set, true));
	cr_expect(matches(spaces, true));
	cr_expect(refuses(repeat("", "(", 201, "t"), "more than 200 parentheses"));
	cr_expect(refuses(repeat("", "(", 60000, ""), "more than 200 parentheses"));
	cr_expect(refuses(repeat("", " ", 65536, "t"), "longer than 65536 bytes"));
	cr_expect(refuses(repeat("", "a", 60000, ""), "aaa...\" is not a field"));
	cr_expect(refuses(repeat("t.text == \"", "\x01", 60000, "\" x"), "\"x\" stands where"));
	cr_expect(refuses(repeat("t.number == \"", "\x01", 60000, "\""), "\\x01...\" is not the name"));
	free(opened);
	free(deepest);
	free(chain);
	free(nots);
	free(set);
	free(spaces);
}

Test(filter_types, no_filter_passes_everything)
{
	struct rtap_packet packet = packet_with(false);

	cr_expect(rtap_filter_match(NULL, &packet));
	rtap_filter_close(NULL);
}
