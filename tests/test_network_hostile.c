/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Truncated, damaged and deeply nested frames. Every frame is in a heap block of its captured size: a sanitizer sees
 * each byte read after it.
 */
#include "config.h"

#include <criterion/criterion.h>

#include "tests/network_frames.h"
#include "tests/network_kit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint8_t bytes[70000];

/* A context with all options. */
static void use(const struct kit *kit)
{
	static char text[200000];

	kit_values(kit, NULL, text, sizeof text);
	kit_summary(kit, text, sizeof text);
	cr_assert_leq(kit->packet.layer_count, RTAP_MAX_LAYERS);
	for (uint8_t i = 0; i < kit->packet.layer_count; i++) {
		const struct rtap_layer *layer = &kit->packet.layers[i];

		cr_assert_leq((uint64_t)layer->offset + layer->length, kit->packet.sources[layer->source].captured);
	}
}

TestSuite(network_hostile, .timeout = HANG_SECONDS);

Test(network_hostile, a_frame_that_the_capture_cut_is_truncated_where_a_header_ends_early)
{
	for (size_t i = 0; network_frame(i); i++) {
		const struct network_frame *frame = network_frame(i);
		uint32_t length = kit_bytes(frame->bytes, bytes);

		for (uint32_t cut = 0; cut < length; cut++) {
			struct kit kit;

			kit_dissect(&kit, frame->link_type, bytes, cut, length, NULL);
			use(&kit);
			if (frame->headers)
				cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_TRUNCATED), cut < frame->headers, "%s cut at %u", frame->name, cut);
			cr_expect_not(kit_has_anomaly(&kit, RTAP_ANOMALY_MALFORMED), "%s cut at %u", frame->name, cut);
			kit_free(&kit);
		}
	}
}

Test(network_hostile, a_frame_that_was_short_on_the_wire_is_never_called_truncated)
{
	for (size_t i = 0; network_frame(i); i++) {
		const struct network_frame *frame = network_frame(i);
		uint32_t length = kit_bytes(frame->bytes, bytes);

		for (uint32_t cut = 0; cut < length; cut++) {
			struct kit kit;

			kit_dissect(&kit, frame->link_type, bytes, cut, cut, NULL);
			use(&kit);
			/* an ERF record contains the wire length itself */
			if (frame->headers && frame->link_type != RTAP_LINK_ERF) {
				cr_expect(cut >= frame->headers || kit.packet.anomalies_found, "%s short at %u", frame->name, cut);
				cr_expect_not(kit_has_anomaly(&kit, RTAP_ANOMALY_TRUNCATED), "%s short at %u", frame->name, cut);
			}
			kit_free(&kit);
		}
	}
}

Test(network_hostile, no_value_of_any_byte_leads_outside_the_frame)
{
	for (size_t i = 0; network_frame(i); i++) {
		const struct network_frame *frame = network_frame(i);
		uint32_t length = kit_bytes(frame->bytes, bytes);

		for (uint32_t at = 0; at < length; at++) {
			uint8_t saved = bytes[at];

			for (unsigned value = 0; value < 256; value += value < 16 || value >= 240 ? 1 : 16) {
				struct kit kit;

				bytes[at] = (uint8_t)value;
				kit_dissect(&kit, frame->link_type, bytes, length, length, NULL);
				use(&kit);
				kit_free(&kit);
			}
			bytes[at] = saved;
		}
	}
}

/* A frame that begins with `start` and then repeats `unit` to no end. */
static const struct {
	const char *name, *start, *unit;
	uint32_t link_type;
} endless[] = {
	{ "802.1Q tags", "0200000000020200000000018100", "00058100", RTAP_LINK_ETHERNET },
	{ "802.1ad tags", "02000000000202000000000188a8", "000588a8", RTAP_LINK_ETHERNET },
	{ "labels", "0200000000020200000000018847", "00010040", RTAP_LINK_ETHERNET },
	{ "bridged Ethernet", "", "0200000000020200000000016558", RTAP_LINK_ETHERNET },
	{ "IPv4 in IPv4", "", "4500000012340000400400000a0000010a000002", RTAP_LINK_IPV4 },
	{ "IPv6 in IPv6", "", "6000000000002940fd000000000000000000000000000001fd000000000000000000000000000002", RTAP_LINK_IPV6 },
	{ "destination options", "6000000000003c40fd000000000000000000000000000001fd000000000000000000000000000002", "3c00010400000000",
	  RTAP_LINK_IPV6 },
	{ "authentication headers", "6000000000003340fd000000000000000000000000000001fd000000000000000000000000000002",
	  "330100000000000000000000", RTAP_LINK_IPV6 },
	{ "atomic fragments", "6000000000002c40fd000000000000000000000000000001fd000000000000000000000000000002", "2c00000000000000",
	  RTAP_LINK_IPV6 },
	{ "GRE", "", "4500000012340000402f00000a0000010a00000200000800", RTAP_LINK_IPV4 },
	{ "VXLAN", "", "0200000000020200000000010800" "4500000012340000401100000a0000010a000002" "03e812b500000000" "0800000000000500",
	  RTAP_LINK_ETHERNET },
	{ "service instances", "02000000000202000000000188e7", "00000005" "020000000002" "020000000001" "88e7", RTAP_LINK_ETHERNET },
	{ "VN-Tags", "0200000000020200000000018926", "000500078926", RTAP_LINK_ETHERNET },
	{ "E-Tags", "020000000002020000000001893f", "000500070000893f", RTAP_LINK_ETHERNET },
	{ "HSR", "020000000002020000000001892f", "00050007892f", RTAP_LINK_ETHERNET },
	{ "SNAP", "020000000002020000000001" "05dc", "aaaa03" "0000008100" "000505dc", RTAP_LINK_ETHERNET },
	{ "PPP over Ethernet", "0200000000020200000000018864", "11000001ffff" "0281" "00010140" "020000000002" "020000000001" "8864",
	  RTAP_LINK_ETHERNET },
	{ "TRILL", "", "02000000000202000000000122f3" "000500010002", RTAP_LINK_ETHERNET },
	{ "NSH", "020000000002020000000001894f", "0fc202040000010f", RTAP_LINK_ETHERNET },
	{ "VXLAN-GPE", "", "4500000012340000401100000a0000010a000002" "03e812b600000000" "0c00000100000500", RTAP_LINK_IPV4 },
	{ "EtherIP", "", "0200000000020200000000010800" "4500000012340000406100000a0000010a000002" "3000", RTAP_LINK_ETHERNET },
	{ "GTP-U", "", "4500000012340000401100000a0000010a000002" "03e8086800000000" "30ffffff00000005", RTAP_LINK_IPV4 },
	{ "extension headers of GTP-U", "4500000012340000401100000a0000010a000002" "03e8086800000000" "34ffffff00000005" "00000085", "01000085",
	  RTAP_LINK_IPV4 },
	{ "GENEVE", "", "4500000012340000401100000a0000010a000002" "03e817c100000000" "0000080000000500", RTAP_LINK_IPV4 },
	{ "ERF extensions", "01000080000000009604ffff0000ffff", "8000000000000000", RTAP_LINK_ERF },
	{ "quoted ICMP", "", "4500000012340000400100000a0000010a000002" "0300000000000000", RTAP_LINK_IPV4 },
};

Test(network_hostile, headers_without_end_stop_at_a_named_limit)
{
	for (size_t i = 0; i < COUNT(endless); i++) {
		uint32_t length = kit_bytes(endless[i].start, bytes);
		struct kit kit;

		while (length < 40000)
			length += kit_bytes(endless[i].unit, bytes + length);
		kit_dissect(&kit, endless[i].link_type, bytes, length, length, NULL);
		use(&kit);
		if (strcmp(endless[i].name, "quoted ICMP"))
			cr_expect(kit_has_anomaly(&kit, RTAP_ANOMALY_TOO_MANY_LAYERS) || kit.packet.layer_count == RTAP_MAX_LAYERS, "%s",
				  endless[i].name);
		else
			cr_expect_leq(kit.packet.layer_count, 6, "an error in an error is not followed");
		kit_free(&kit);
	}
}

Test(network_hostile, options_without_end_are_listed_once_and_within_their_header)
{
	static const struct {
		const char *bytes, *field;
		uint32_t link_type;
		unsigned times;
	} cases[] = {
		{ "4f00003c00000000403b00000a0000010a000002" "0101010101010101010101010101010101010101" "01010101010101010101010101010101010101ff",
		  "ip.opt.type", RTAP_LINK_IPV4, 39 },
		{ "4600001800000000403b00000a0000010a000002" "94000000", "ip.opt.type", RTAP_LINK_IPV4, 0 },
		{ "4600001800000000403b00000a0000010a000002" "94050000", "ip.opt.type", RTAP_LINK_IPV4, 0 },
		{ "4600001800000000403b00000a0000010a000002" "94040000", "ip.opt.type", RTAP_LINK_IPV4, 1 },
		{ "4500002c12340000400600000a0000010a000002" "03e8080111223344556677886018020000000000" "08000000", "tcp.option_kind",
		  RTAP_LINK_IPV4, 0 },
		{ "4500002c12340000400600000a0000010a000002" "03e8080111223344556677886018020000000000" "02040000", "tcp.option_kind",
		  RTAP_LINK_IPV4, 1 },
		{ "4500002c12340000400600000a0000010a000002" "03e8080111223344556677886018020000000000" "01010102", "tcp.option_kind",
		  RTAP_LINK_IPV4, 3 },
		{ "6000000000080040fd000000000000000000000000000001fd000000000000000000000000000002" "3b000000000000ff", "ipv6.opt.type",
		  RTAP_LINK_IPV6, 6 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t length = kit_bytes(cases[i].bytes, bytes);
		struct kit kit;

		kit_dissect(&kit, cases[i].link_type, bytes, length, length, NULL);
		use(&kit);
		cr_expect_eq(kit_field(&kit, cases[i].field, NULL), cases[i].times, "case %zu", i);
		kit_free(&kit);
	}
}
