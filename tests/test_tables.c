/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every protocol's table, held against the rules of include/rdmatap/field.h.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include <rdmatap/device.h>
#include <rdmatap/filter.h>
#include <rdmatap/live.h>
#include <rdmatap/source.h>
#include <rdmatap/stats.h>
#include <rdmatap/tracker.h>
#include <rdmatap/value.h>
#include <rdmatap/visitor.h>
#include <rdmatap/writer.h>

#include "dissect/engine/packet.h"

#define EACH_PROTOCOL(protocol) \
	const struct rtap_protocol *protocol = rtap_protocol_by_number(0); \
	for (size_t number = 0; number < rtap_protocol_count() && (protocol = rtap_protocol_by_number((uint16_t)number)); number++)

#define EACH_FIELD(protocol, field) \
	for (const struct rtap_field *field = protocol->fields; field < protocol->fields + protocol->field_count; field++)

/* As Wireshark names fields: "nvme-rdma.cmd.qid", "iscsi.I". */
static bool is_name(const char *name)
{
	return name && *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCEFILNOPRSTUVW0123456789_.-")] == 0;
}

TestSuite(tables, .timeout = HANG_SECONDS);

Test(tables, protocols_have_a_name_of_their_own_a_label_and_a_section)
{
	EACH_PROTOCOL(protocol) {
		uint16_t numbers[256];
		size_t found = rtap_protocol_find(protocol->name, numbers, sizeof numbers / sizeof numbers[0]), exact = 0;

		cr_expect(is_name(protocol->name), "%s", protocol->name);
		cr_expect(protocol->label && *protocol->label, "%s has no label", protocol->name);
		cr_expect(protocol->section && *protocol->section, "%s has no section", protocol->name);
		for (size_t i = 0; i < found && i < sizeof numbers / sizeof numbers[0]; i++)
			exact += !strcmp(rtap_protocol_by_number(numbers[i])->name, protocol->name);
		cr_expect_eq(exact, 1, "%zu protocols are called %s", exact, protocol->name);
	}
}

Test(tables, field_names_are_well_formed_and_occur_once_in_a_table_or_as_alternatives)
{
	EACH_PROTOCOL(protocol)
		EACH_FIELD(protocol, field) {
			cr_expect(is_name(field->name), "%s: \"%s\"", protocol->name, field->name ? field->name : "");
			cr_expect(field->label && *field->label, "%s has no label", field->name);
			for (const struct rtap_field *other = protocol->fields; other < field; other++)
				cr_expect(strcmp(other->name, field->name) || field->flags & other->flags & RTAP_SOMETIMES, "%s: %s occurs twice",
					  protocol->name, field->name);
		}
}

/* Numbers of different widths compare and print alike. */
static bool are_alike(const char *type, const char *other)
{
	return !strcmp(type, other) || (!strncmp(type, "uint", 4) && !strncmp(other, "uint", 4));
}

Test(tables, fields_of_one_name_have_one_type_in_all_protocols)
{
	for (size_t id = 0; id < rtap_field_count(); id++) {
		const struct rtap_field *field = rtap_field_by_id((rtap_field_id)id);
		rtap_field_id ids[64];
		size_t found = rtap_field_find(field->name, ids, 64);

		cr_assert(found >= 1 && found <= 64, "%s is found %zu times", field->name, found);
		for (size_t i = 0; i < found; i++) {
			const struct rtap_field *other = rtap_field_by_id(ids[i]);

			cr_expect(are_alike(rtap_field_type(field), rtap_field_type(other)), "%s", field->name);
			cr_expect_str_eq(rtap_field_json_type(field), rtap_field_json_type(other), "%s", field->name);
			cr_expect_eq(field->flags & RTAP_REPEATS, other->flags & RTAP_REPEATS, "%s repeats in one protocol only", field->name);
		}
	}
}

Test(tables, value_names_are_sorted_without_duplicates)
{
	EACH_PROTOCOL(protocol)
		EACH_FIELD(protocol, field)
			for (const struct rtap_name *name = field->names; name && name->name; name++) {
				cr_expect(*name->name, "%s: an empty name", field->name);
				cr_expect(name == field->names || name[-1].value < name->value, "%s: %s is out of order", field->name, name->name);
				cr_expect_eq(rtap_name_of(field->names, name->value), name->name, "%s", field->name);
			}
}

/* Bits that a kind of value has; 0: any number of whole bytes. */
static unsigned width_of(const struct rtap_field *field)
{
	switch ((enum rtap_show)field->show) {
	case RTAP_BOOL: return 1;
	case RTAP_IPV4: return 32;
	case RTAP_IPV6: return 128;
	case RTAP_ETHER: return 48;
	case RTAP_EUI64: return 64;
	default: return 0;
	}
}

Test(tables, places_suit_the_kind_of_value)
{
	EACH_PROTOCOL(protocol)
		EACH_FIELD(protocol, field) {
			unsigned width = width_of(field);
			bool is_bytes = field->show >= RTAP_IPV4 && field->show <= RTAP_TEXT;

			if (field->flags & RTAP_UNPLACED)
				continue;
			cr_expect(field->bit_width, "%s has no width", field->name);
			if (field->flags & RTAP_LITTLE)
				cr_expect(!is_bytes, "%s is not a number", field->name);
			if (is_bytes)
				cr_expect(field->bit_offset % 8 == 0 && field->bit_width % 8 == 0, "%s is not of whole bytes", field->name);
			else
				cr_expect(field->bit_offset % 8 + field->bit_width <= 64, "%s is not within eight bytes", field->name);
			if (width && !field->derive)
				cr_expect_eq(field->bit_width, width, "%s has %u bits", field->name, field->bit_width);
		}
}

#define MOST_BITS (4096 * 8)

/* How often each bit of a fixed header occurs, in fields that are always there and in fields that are not. */
struct coverage {
	unsigned always[MOST_BITS], sometimes[MOST_BITS];
};

static void cover(const struct rtap_protocol *protocol, struct coverage *coverage)
{
	memset(coverage, 0, sizeof *coverage);
	EACH_FIELD(protocol, field) {
		if (field->flags & (RTAP_PARTS | RTAP_UNPLACED))
			continue;
		for (unsigned bit = field->bit_offset; bit < field->bit_offset + (unsigned)field->bit_width && bit < MOST_BITS; bit++)
			(field->flags & RTAP_SOMETIMES ? coverage->sometimes : coverage->always)[bit]++;
	}
}

Test(tables, fixed_headers_are_covered_bit_by_bit_exactly_once)
{
	static struct coverage coverage;

	EACH_PROTOCOL(protocol) {
		cr_assert(protocol->length * 8 <= MOST_BITS, "%s", protocol->name);
		cover(protocol, &coverage);
		for (unsigned bit = 0; bit < protocol->length * 8u; bit++) {
			bool once = coverage.always[bit] == 1 && !coverage.sometimes[bit];
			bool alternatives = !coverage.always[bit] && coverage.sometimes[bit];

			cr_expect(once || alternatives, "%s: bit %u is in %u fields, and in %u that are there sometimes", protocol->name, bit,
				  coverage.always[bit], coverage.sometimes[bit]);
		}
	}
}

static bool is_part(const struct rtap_field *part, unsigned bit)
{
	return !(part->flags & (RTAP_PARTS | RTAP_UNPLACED)) && part->bit_offset <= bit && bit < part->bit_offset + (unsigned)part->bit_width;
}

Test(tables, a_field_given_in_parts_is_followed_by_its_parts)
{
	EACH_PROTOCOL(protocol)
		EACH_FIELD(protocol, field) {
			const struct rtap_field *end = protocol->fields + protocol->field_count;

			if (!(field->flags & RTAP_PARTS))
				continue;
			for (unsigned bit = field->bit_offset; bit < field->bit_offset + (unsigned)field->bit_width; bit++) {
				const struct rtap_field *part = field + 1;

				while (part < end && !is_part(part, bit))
					part++;
				cr_expect(part < end, "%s: no part for bit %u follows", field->name, bit);
			}
		}
}

Test(tables, numbers_of_fields_and_names_lead_to_each_other)
{
	size_t id = 0;

	EACH_PROTOCOL(protocol)
		EACH_FIELD(protocol, field) {
			cr_expect_eq(rtap_field_by_id((rtap_field_id)id), field);
			cr_expect_eq(rtap_field_protocol((rtap_field_id)id), number);
			id++;
		}
	cr_expect_eq(id, rtap_field_count());
	cr_expect_null(rtap_field_by_id((rtap_field_id)id));
	cr_expect_null(rtap_protocol_by_number((uint16_t)rtap_protocol_count()));
}

/* The value of a row whose header begins at byte `offset` of these. */
static bool derived(const struct rtap_field *field, const uint8_t *bytes, uint32_t offset, uint32_t length, struct rtap_value *value)
{
	static struct rtap_packet packet;
	const struct rtap_layer layer = { .offset = offset, .length = length };

	packet = (struct rtap_packet){ .sources[0] = { .bytes = bytes, .captured = offset + length, .wire = offset + length } };
	*value = (struct rtap_value){ 0 };
	return field->derive(&packet, &layer, value);
}

Test(tables, rows_of_their_own_bytes_look_at_no_others)
{
	uint8_t first[64], second[72];
	uint32_t random = 1;
	size_t found = 0;

	EACH_PROTOCOL(protocol)
		EACH_FIELD(protocol, field) {
			uint32_t begin = field->bit_offset / 8u, end = (field->bit_offset + field->bit_width + 7u) / 8;

			if (!(field->flags & RTAP_OWN_BYTES))
				continue;
			found++;
			cr_assert(field->derive && !(field->flags & RTAP_UNPLACED) && end <= sizeof first, "%s", field->name);
			for (int round = 0; round < 1000; round++) {
				struct rtap_value a, b;
				bool is_in_first, is_in_second;

				for (size_t i = 0; i < sizeof second; i++) {
					random = random * 1664525 + 1013904223;
					first[i % sizeof first] = (uint8_t)(random >> 24);
					second[i] = (uint8_t)(random >> 16);
				}
				memcpy(second + 8 + begin, first + begin, end - begin);
				is_in_first = derived(field, first, 0, sizeof first, &a);
				is_in_second = derived(field, second, 8, end, &b);
				cr_assert_eq(is_in_first, is_in_second, "%s", field->name);
				cr_assert(!is_in_first || a.number == b.number, "%s", field->name);
			}
		}
	cr_expect_geq(found, 10);
}

#define NAMED(function, type, count) { #function, name_by_##function, count }
#define NAME_BY(function, type) \
	static const char *name_by_##function(unsigned value) \
	{ \
		return function((type)value); \
	}

NAME_BY(rtap_anomaly_name, enum rtap_anomaly_code)
NAME_BY(rtap_anomaly_meaning, enum rtap_anomaly_code)
NAME_BY(rtap_message_kind_name, enum rtap_message_kind)
NAME_BY(rtap_verb_name, enum rtap_verb)
NAME_BY(rtap_outcome_name, enum rtap_outcome)
NAME_BY(rtap_missing_reason_name, enum rtap_missing_reason)
NAME_BY(rtap_connection_anomaly_name, enum rtap_connection_anomaly)
NAME_BY(rtap_transport_name, enum rtap_transport)

Test(tables, values_out_of_range_have_a_name_too)
{
	static const struct { const char *function; const char *(*name)(unsigned value); unsigned count; } cases[] = {
		NAMED(rtap_anomaly_name, , RTAP_ANOMALY_CODES), NAMED(rtap_anomaly_meaning, , RTAP_ANOMALY_CODES),
		NAMED(rtap_message_kind_name, , RTAP_KIND_COUNT), NAMED(rtap_verb_name, , RTAP_VERB_COUNT),
		NAMED(rtap_outcome_name, , RTAP_OUTCOME_COUNT), NAMED(rtap_missing_reason_name, , RTAP_MISSING_COUNT),
		NAMED(rtap_connection_anomaly_name, , RTAP_CONNECTION_ANOMALY_COUNT), NAMED(rtap_transport_name, , RTAP_TRANSPORT_UDP + 1),
	};
	const unsigned beyond[] = { 1, 63, 1u << 20, 0x7fffffff, 0xffffffff };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (unsigned value = 0; value < cases[i].count; value++)
			cr_expect(!cases[i].name(value) || strcmp(cases[i].name(value), "unknown"), "%s(%u)", cases[i].function, value);
		cr_expect_str_eq(cases[i].name(cases[i].count), "unknown", "%s", cases[i].function);
		for (size_t j = 0; j < sizeof beyond / sizeof beyond[0]; j++)
			if (beyond[j] > cases[i].count)
				cr_expect_str_eq(cases[i].name(beyond[j]), "unknown", "%s(%u)", cases[i].function, beyond[j]);
	}
}

Test(tables, functions_take_numbers_of_devices_fields_and_protocols_that_there_are_not)
{
	static const uint64_t numbers[] = { 64, 255, 1u << 31, UINT64_MAX };
	struct rtap_packet packet = { .layer_count = 0 };
	char text[8] = "x";
	uint64_t number;

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		cr_expect_null(rtap_node_type_name(numbers[i]));
		cr_expect_null(rtap_port_state_name(numbers[i]));
		cr_expect_null(rtap_physical_state_name(numbers[i]));
		cr_expect_null(rtap_device_transport_name((enum rtap_device_transport)numbers[i]));
		cr_expect_null(rtap_gid_type_name((enum rtap_gid_type)numbers[i]));
		cr_expect_null(rtap_verbs_capability_name((unsigned)numbers[i]));
		cr_expect_null(rtap_capability_name((unsigned)numbers[i]));
		(void)rtap_link_type_name((uint32_t)numbers[i]);
	}
	for (unsigned protocol = (unsigned)rtap_protocol_count(); protocol < RTAP_PROTOCOL_WORDS * 64; protocol++) {
		cr_expect_null(rtap_protocol_by_number((uint16_t)protocol));
		cr_expect_not(packet_has(&packet, (uint16_t)protocol));
		cr_expect_null(rtap_packet_layer(&packet, (uint16_t)protocol, NULL));
	}
	for (size_t id = rtap_field_count(); id <= UINT16_MAX; id += 999) {
		cr_expect_null(rtap_field_by_id((rtap_field_id)id));
		cr_expect_not(rtap_packet_number(&packet, (rtap_field_id)id, &number));
		cr_expect_not(rtap_packet_text(&packet, (rtap_field_id)id, text, sizeof text));
	}
}

Test(tables, statistics_take_connections_that_there_are_not)
{
	const struct rtap_connection connection = { .number = 0 };
	const struct rtap_message message = { .connection = &connection, .kind = (enum rtap_message_kind)0 };
	const uint64_t numbers[] = { 0, 1, UINT64_MAX };
	struct rtap_stats *stats;
	struct rtap_stats_direction direction;
	struct rtap_stats_operations operations;
	struct rtap_stats_rpc rpc;

	cr_assert_eq(rtap_stats_open(&stats, NULL, NULL), RTAP_STATUS_OK);
	rtap_stats_message(stats, &message);
	rtap_stats_connection(stats, &connection);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		cr_expect_not(rtap_stats_direction(stats, numbers[i], true, &direction, sizeof direction));
		cr_expect_not(rtap_stats_operations(stats, numbers[i], true, RTAP_KIND_COUNT, &operations, sizeof operations));
		cr_expect_eq(rtap_stats_next(stats, numbers[i]), 0);
		cr_expect_not(rtap_stats_rpc(stats, (size_t)numbers[i], &rpc, sizeof rpc));
	}
	rtap_stats_merged(stats, 0, 0, false);
	rtap_stats_merged(stats, 0, 5, true);
	rtap_stats_merged(stats, 5, 0, true);
	rtap_stats_merged(stats, 6, 6, true);
	cr_expect(rtap_stats_direction(stats, 6, true, &direction, sizeof direction));
	rtap_stats_close(stats);
}

Test(tables, nothing_is_closed_without_harm)
{
	struct rtap_error error;

	rtap_source_close(NULL);
	rtap_devices_close(NULL);
	rtap_stats_close(NULL);
	rtap_tracker_close(NULL);
	rtap_filter_close(NULL);
	rtap_bpf_close(NULL);
	rtap_sender_close(NULL);
	cr_expect_eq(rtap_writer_close(NULL, &error), RTAP_STATUS_OK);
	cr_expect_eq(rtap_series_close(NULL, &error), RTAP_STATUS_OK);
}

Test(tables, searches_take_no_room_and_names_that_there_are_not)
{
	static const char *const names[] = { "", ".", "infiniband.", "infiniband.bth.", "no such field", "\xff" };
	struct rtap_packet packet = { .layer_count = 0 };
	struct rtap_value value = { .number = 1 };
	rtap_field_id id = 0;
	uint16_t number = 0;
	char text[2] = "x";

	cr_expect_null(rtap_name_of(NULL, 0));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		cr_expect_eq(rtap_field_find(names[i], NULL, 0), 0, "%s", names[i]);
		cr_expect_eq(rtap_protocol_find(names[i], NULL, 0), 0, "%s", names[i]);
	}
	cr_expect_gt(rtap_field_find("ip.addr", NULL, 0), 1);
	cr_expect_gt(rtap_field_find("ip.addr", &id, 1), 1);
	cr_expect_gt(rtap_protocol_find("infiniband", NULL, 0), 1);
	cr_expect_gt(rtap_protocol_find("infiniband", &number, 1), 1);
	for (unsigned far = (unsigned)rtap_field_count(); far <= UINT16_MAX; far += 997)
		cr_expect_null(rtap_protocol_by_number(rtap_field_protocol((rtap_field_id)far)), "%u", far);
	cr_expect(rtap_filter_match(NULL, &packet));
	rtap_value_text(rtap_field_by_id(0), &value, text, 0);
	cr_expect_eq(text[0], 'x');
	(void)rtap_value_text(rtap_field_by_id(0), &value, text, 1);
	cr_expect_eq(text[0], 0);
}

static uint64_t values_taken;

static bool take_value(void *owner, const struct rtap_field *field, const struct rtap_value *value, const struct rtap_place *place)
{
	(void)owner;
	(void)field;
	(void)value;
	(void)place;
	values_taken++;
	return true;
}

Test(tables, sources_and_packets_take_indices_that_there_are_not)
{
	static const size_t beyond[] = { 0, 1, 1000, SIZE_MAX };
	struct rtap_packet packet = { .layer_count = 0 };
	struct rtap_error error;
	struct rtap_source *source;
	const struct rtap_frame *frame;

	for (unsigned id = 0; id <= UINT16_MAX; id += 61)
		rtap_packet_values(&packet, (rtap_field_id)id, take_value, NULL);
	cr_expect_eq(values_taken, 0);
	cr_assert_eq(rtap_source_open_files(&source, NULL, 0, &error), RTAP_STATUS_OK);
	cr_expect_eq(rtap_source_read_frame(source, &frame, &error), RTAP_STATUS_END);
	cr_expect_null(frame);
	for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
		cr_expect_null(rtap_source_interface(source, beyond[i]));
		cr_expect_null(rtap_source_note(source, beyond[i]));
	}
	rtap_source_close(source);
}

/* The largest value of its type. */
static uint64_t most_of(const struct rtap_field *field)
{
	unsigned bits = 0;

	return sscanf(rtap_field_type(field), "uint%u", &bits) == 1 && bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

Test(tables, numbers_derived_from_their_own_bits_fit_into_their_types)
{
	uint8_t ones[64];
	size_t wider = 0;

	memset(ones, 0xff, sizeof ones);
	EACH_PROTOCOL(protocol)
		EACH_FIELD(protocol, field) {
			struct rtap_value value;

			wider += !!(field->flags & RTAP_WIDER);
			cr_expect(!(field->flags & RTAP_WIDER) || field->derive, "%s", field->name);
			if (field->flags & RTAP_OWN_BYTES && (field->show == RTAP_DEC || field->show == RTAP_HEX) && derived(field, ones, 0, sizeof ones, &value))
				cr_expect(value.number <= most_of(field) || field->bit_width == 32, "%s: %s", field->name, rtap_field_type(field));
		}
	cr_expect_geq(wider, 4);
}
