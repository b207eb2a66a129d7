/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include <criterion/criterion.h>

#include <rdmatap/visitor.h>

#include "dissect/dissect.h"
#include "dissect/management/mad_registry.h"
#include "tests/mad_kit.h"

#define A 0x0a000001u
#define B 0x0a000002u
#define MAX_REPORTED 4096

/* Fields of InfiniBand that a walk reported, in order. */
struct reported {
	struct rtap_visitor visitor;
	size_t count;
	struct one {
		rtap_field_id id;
		struct rtap_place place;
		uint64_t number;
	} list[MAX_REPORTED];
};

static const struct {
	uint8_t management_class;
	const struct mad_attribute *attributes;
} classes[] = {
	{ MAD_CLASS_SUBNET, mad_subnet_attributes }, { MAD_CLASS_SUBNET_DIRECTED, mad_subnet_attributes },
	{ MAD_CLASS_ADMINISTRATION, mad_administration_attributes }, { MAD_CLASS_PERFORMANCE, mad_performance_attributes },
	{ MAD_CLASS_DEVICE, mad_device_attributes }, { MAD_CLASS_CONGESTION, mad_congestion_attributes },
	{ MAD_CLASS_BASEBOARD, mad_shared_attributes }, { MAD_CLASS_COMMUNICATION, mad_communication_attributes },
};

#define CLASSES (sizeof classes / sizeof classes[0])

static uint8_t data[256];
static uint8_t bytes[ROCE_MAX_FRAME];
static struct rtap_packet packet;
static struct rtap_frame frame;
static struct reported whole, cut;

static void note(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field, const struct rtap_value *value,
		 const struct rtap_place *place)
{
	struct reported *reported = (struct reported *)visitor;
	bool is_bytes = field->show >= RTAP_IPV4 && field->show <= RTAP_TEXT;

	if (strncmp(field->name, "infiniband.", 11) || strstr(field->name, "crc"))
		return;
	cr_assert_lt(reported->count, MAX_REPORTED);
	reported->list[reported->count++] = (struct one){ id, *place, is_bytes ? value->data.length : value->number };
	if (!(field->flags & RTAP_UNPLACED))
		cr_expect_leq(place->offset + place->length, frame.captured_length, "%s is reported beyond the capture's end", field->name);
}

static void walk(struct reported *reported)
{
	reported->count = 0;
	reported->visitor = (struct rtap_visitor){ .field = note, .on_demand = true, .bulk = true };
	rtap_packet_visit(&packet, &reported->visitor);
}

/* Dissects the first `captured` bytes of a frame of `length`. */
static void dissect(uint32_t captured, uint32_t length)
{
	frame = (struct rtap_frame){ .bytes = bytes, .captured_length = captured, .wire_length = length, .link_type = RTAP_LINK_RAW, .number = 1 };
	dissect_frame(&frame, NULL, &packet);
}

static void fill(void)
{
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i * 37 + 1);
	/* a generic notice of trap 257; a MultiPathRecord of two GIDs and one */
	data[0] = 0x81;
	data[4] = 0x01;
	data[5] = 0x01;
	data[15] = 2;
	data[16] = 1;
}

static size_t count_of(const char *name)
{
	rtap_field_id id;
	size_t count = 0;

	cr_assert(rtap_field_find(name, &id, 1) >= 1, "%s", name);
	for (size_t i = 0; i < whole.count; i++)
		count += !strcmp(rtap_field_by_id(whole.list[i].id)->name, name);
	return count;
}

static uint64_t value_of(const char *name)
{
	size_t i = 0;

	while (i < whole.count && strcmp(rtap_field_by_id(whole.list[i].id)->name, name))
		i++;
	cr_assert_lt(i, whole.count, "%s is not there", name);
	return whole.list[i].number;
}

/* Everything reported of a cut packet is reported of the whole one too, at the same place with the same value. */
static void expect_nothing_invented(uint32_t captured, const char *name)
{
	size_t at = 0;

	for (size_t i = 0; i < cut.count; i++) {
		const struct one *one = &cut.list[i];

		while (at < whole.count && (whole.list[at].id != one->id || whole.list[at].place.offset != one->place.offset ||
					    whole.list[at].place.length != one->place.length || whole.list[at].number != one->number))
			at++;
		cr_expect(at < whole.count, "%s cut at %u: %s is invented", name, captured, rtap_field_by_id(one->id)->name);
		if (at == whole.count)
			return;
	}
}

static void cut_everywhere(const struct mad *mad, const char *name)
{
	uint32_t length = mad_frame(bytes, A, B, mad);

	dissect(length, length);
	walk(&whole);
	for (uint32_t captured = 0; captured < length; captured++) {
		uint8_t *exact = malloc(captured ? captured : 1);

		/* a block of just this size: reading outside of it is seen by a sanitizer */
		memcpy(exact, bytes, captured);
		frame = (struct rtap_frame){ .bytes = exact, .captured_length = captured, .wire_length = length, .link_type = RTAP_LINK_RAW };
		dissect_frame(&frame, NULL, &packet);
		walk(&cut);
		expect_nothing_invented(captured, name);
		free(exact);
	}
}

TestSuite(mad, .timeout = HANG_SECONDS);

Test(mad, attributes_cut_at_every_length_report_nothing_that_is_not_there)
{
	fill();
	for (size_t i = 0; i < CLASSES; i++)
		for (const struct mad_attribute *attribute = classes[i].attributes; attribute->name; attribute++) {
			struct mad mad = { .management_class = classes[i].management_class, .method = 0x81, .attribute = attribute->id, .data = data,
					   .data_length = sizeof data };

			cut_everywhere(&mad, attribute->name);
		}
}

Test(mad, tables_of_records_cut_at_every_length_report_nothing_that_is_not_there)
{
	fill();
	for (const struct mad_attribute *attribute = mad_administration_attributes; attribute->name; attribute++) {
		uint16_t words = attribute->length ? (uint16_t)((attribute->length + 7) / 8) : 8;
		struct mad mad = { .management_class = MAD_CLASS_ADMINISTRATION, .method = 0x92, .attribute = attribute->id, .rmpp_type = RMPP_DATA,
				   .rmpp_flags = 7, .rmpp_segment = 1, .rmpp_length = SA_HEADER_LENGTH + words * 8u * (200u / (words * 8u)),
				   .attribute_offset = words, .data = data, .data_length = 200 };

		cut_everywhere(&mad, attribute->name);
		cr_expect_eq(packet.mad.record_count > 0, attribute->length && attribute->length <= 200, "%s", attribute->name);
		cr_expect_eq(packet_has(&packet, PROTOCOL_PAYLOAD), !packet.mad.record_count, "%s", attribute->name);
	}
}

/* Each part of an attribute lies within it, and all of them cover it. */
Test(mad, parts_cover_their_attribute)
{
	for (size_t i = 0; i < CLASSES; i++)
		for (const struct mad_attribute *attribute = classes[i].attributes; attribute->name; attribute++) {
			uint32_t end = 0;

			cr_expect_eq(attribute->parts[0].offset, 0, "%s", attribute->name);
			for (const struct mad_part *part = attribute->parts; part < attribute->parts + MAD_MAX_PARTS && part->elements; part++) {
				uint32_t length = protocol_by_number(part->protocol)->table.length;

				if (attribute->variant && (part + 1 == attribute->parts + MAD_MAX_PARTS || !part[1].elements))
					continue;
				cr_expect_leq(part->offset, end, "%s: a gap before offset %u", attribute->name, part->offset);
				if (part->elements != MAD_COUNTED && part->offset + length * part->elements > end)
					end = part->offset + length * part->elements;
			}
			/* the counters that came later are not required of PortCountersExtended. 16.1.4.11 */
			if (attribute->id != 0x1d)
				cr_expect_eq(end, attribute->length, "%s: %u of %u bytes", attribute->name, end, attribute->length);
		}
}

/* Attributes without a table are named, and their content is shown as bytes. */
Test(mad, attributes_without_a_table_have_a_name_only)
{
	static const struct {
		uint8_t management_class;
		uint16_t attribute;
		const char *name;
	} cases[] = {
		{ MAD_CLASS_SUBNET, 0x33, "PortInfoExtended" }, { MAD_CLASS_ADMINISTRATION, 0x3e, "PortInfoExtendedRecord" },
		{ MAD_CLASS_COMMUNICATION, 0x1b, "SAP" }, { MAD_CLASS_SUBNET, 0x7f, NULL }, { MAD_CLASS_BASEBOARD, 0x1b, NULL },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mad mad = { .management_class = cases[i].management_class, .method = 0x81, .attribute = cases[i].attribute, .data = data,
				   .data_length = 64 };
		uint32_t length = mad_frame(bytes, A, B, &mad);
		const char *name;

		dissect(length, length);
		name = mad_attribute_name(&packet.mad);
		cr_expect_eq(!name, !cases[i].name, "%zu", i);
		if (name && cases[i].name)
			cr_expect_str_eq(name, cases[i].name);
		/* those of subnet management stand within its header */
		cr_expect_eq(packet_has(&packet, PROTOCOL_PAYLOAD), cases[i].management_class != MAD_CLASS_SUBNET, "%zu", i);
		cr_expect_eq(packet.mad.record_count, 0, "%zu", i);
		cr_expect_eq(packet.anomaly_count, 0, "%zu", i);
	}
}

static void dissect_mad(const struct mad *mad)
{
	uint32_t length = mad_frame(bytes, A, B, mad);

	dissect(length, length);
	walk(&whole);
}

Test(mad, the_attribute_offset_gives_the_start_of_the_next_record)
{
	static const struct {
		uint16_t words;
		uint32_t length;
		size_t records;
	} cases[] = {
		{ 1, 0, 0 }, { 1, 5, 0 }, { 1, 6, 1 }, { 1, 8, 1 }, { 1, 24, 3 }, { 1, 30, 4 }, { 1, 200, 25 }, { 3, 54, 3 }, { 25, 200, 1 },
		{ 0, 8, 0 }, { 1, 201, 0 }, { 1, UINT32_MAX - SA_HEADER_LENGTH, 0 },
	};

	fill();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mad mad = { .management_class = MAD_CLASS_ADMINISTRATION, .method = 0x92, .attribute = 0x20, .rmpp_type = RMPP_DATA,
				   .rmpp_flags = 7, .rmpp_segment = 1, .rmpp_length = SA_HEADER_LENGTH + cases[i].length,
				   .attribute_offset = cases[i].words, .data = data, .data_length = 200 };

		dissect_mad(&mad);
		cr_expect_eq(count_of("infiniband.linkrecord.fromlid"), cases[i].records, "%zu: %zu", i, count_of("infiniband.linkrecord.fromlid"));
	}
}

/* RMPP packets without data, and data of a partial transfer. */
/* Without its flag the header is ignored, whatever its content. IBTA vol. 1, 13.6.2. */
Test(mad, a_header_of_rmpp_that_is_not_active_is_none)
{
	struct mad mad = { .management_class = MAD_CLASS_ADMINISTRATION, .method = 0x81, .attribute = 0x11, .rmpp_type = RMPP_ACK,
			   .rmpp_flags = RMPP_FLAG_FIRST, .rmpp_segment = 2, .data = data, .data_length = 200 };

	fill();
	dissect_mad(&mad);
	cr_expect_not(packet.mad.rmpp);
	cr_expect_eq(packet.mad.record_count, 1);
	mad.rmpp_flags |= RMPP_FLAG_ACTIVE;
	dissect_mad(&mad);
	cr_expect(packet.mad.rmpp);
	cr_expect_eq(packet.mad.record_count, 0);
}

Test(mad, segments_without_the_others_are_no_records)
{
	static const struct {
		uint8_t type, flags;
	} cases[] = { { RMPP_DATA, 1 }, { RMPP_DATA, 3 }, { RMPP_DATA, 5 }, { RMPP_ACK, 7 }, { RMPP_STOP, 7 }, { RMPP_ABORT, 7 }, { 9, 1 } };

	fill();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mad mad = { .management_class = MAD_CLASS_ADMINISTRATION, .method = 0x92, .attribute = 0x20, .rmpp_type = cases[i].type,
				   .rmpp_flags = cases[i].flags, .rmpp_segment = 1, .rmpp_length = 220, .attribute_offset = 1, .data = data,
				   .data_length = 200 };

		dissect_mad(&mad);
		cr_expect_eq(count_of("infiniband.linkrecord.fromlid"), 0, "%zu", i);
		cr_expect_eq(packet.mad.rmpp, true);
	}
}

Test(mad, records_that_were_put_together_are_shown_in_place_of_the_segment)
{
	struct mad mad = { .management_class = MAD_CLASS_ADMINISTRATION, .method = 0x92, .attribute = 0x35,
			   .rmpp_type = RMPP_DATA, .rmpp_flags = 5,
			   .rmpp_segment = 200, .rmpp_length = 200, .attribute_offset = 8, .data = data, .data_length = 200 };
	static uint8_t records[1000 * 64 + 64];
	struct rtap_context context = { .records = { records, sizeof records } };
	uint32_t length = mad_frame(bytes, A, B, &mad);

	for (size_t i = 0; i * 64 < sizeof records; i++)
		roce_put(records + i * 64 + 40, i, 2);
	frame = (struct rtap_frame){ .bytes = bytes, .captured_length = length, .wire_length = length, .link_type = RTAP_LINK_RAW };
	dissect_frame(&frame, &context, &packet);
	cr_expect_eq(packet.mad.record_count, 1001);
	cr_expect_eq(packet.anomalies_found, 0);
	cr_expect_eq(packet.layers[packet.layer_count - 1].protocol, PROTOCOL_PATH_RECORD);
	cr_expect_eq(packet.layers[packet.layer_count - 1].source, 1);
}

Test(mad, statuses_are_named_by_class)
{
	static const struct {
		uint8_t management_class;
		uint16_t status;
		const char *name;
	} cases[] = {
		{ MAD_CLASS_ADMINISTRATION, 0x0100, "no resources" }, { MAD_CLASS_ADMINISTRATION, 0x0800, "priority suggested" },
		{ MAD_CLASS_ADMINISTRATION, 0x0900, NULL }, { MAD_CLASS_PERFORMANCE, 0x0100, NULL }, { MAD_CLASS_DEVICE, 0x0100, "no response" },
		{ MAD_CLASS_PERFORMANCE, 0x0008, "method not supported" },
		{ MAD_CLASS_PERFORMANCE, 0x000c, "combination of method and attribute not supported" },
		{ MAD_CLASS_SUBNET, 0x0010, NULL }, { MAD_CLASS_SUBNET, 0x0001, "busy" }, { MAD_CLASS_SUBNET, 0x0002, "redirect required" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_mad_facts facts = { .management_class = cases[i].management_class, .status = cases[i].status };
		const char *name = mad_status_name(&facts);

		cr_expect_eq(!name, !cases[i].name, "%zu", i);
		if (name && cases[i].name)
			cr_expect_str_eq(name, cases[i].name);
	}
}

/* The top bit of a directed-route packet's status is its direction: no part of the status. IBTA vol. 1, 14.2.1.2. */
Test(mad, the_direction_is_no_status)
{
	struct mad mad = { .management_class = MAD_CLASS_SUBNET_DIRECTED, .method = 0x81, .status = 0x8000, .attribute = 0x11, .data = data,
			   .data_length = 64 };

	dissect_mad(&mad);
	cr_expect_eq(packet.mad.status, 0);
	cr_expect_eq(value_of("infiniband.smpdirected.d"), 1);
	cr_expect_eq(count_of("infiniband.mad.status.text"), 0);
	mad.management_class = MAD_CLASS_SUBNET;
	dissect_mad(&mad);
	cr_expect_eq(packet.mad.status, 0x8000);
	cr_expect_eq(count_of("infiniband.smpdirected.d"), 0);
}

Test(mad, a_path_of_more_hops_than_there_are_is_not_walked)
{
	uint32_t length = mad_frame(bytes, A, B, &(struct mad){ .management_class = MAD_CLASS_SUBNET_DIRECTED, .method = 1, .attribute = 0x11 });

	for (unsigned hops = 0; hops < 256; hops++) {
		bytes[MAD_FRAME_AT + 7] = (uint8_t)hops;
		bytes[MAD_FRAME_AT + 6] = (uint8_t)(255 - hops);
		dissect(length, length);
		walk(&whole);
		cr_expect_eq(count_of("infiniband.smpdirected.hop"), hops <= 63 ? hops : 0, "%u", hops);
	}
}
