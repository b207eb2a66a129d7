/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "dissect/engine/ethertype.h"
#include "dissect/net/ip.h"
#include "dissect/infiniband/ipoib.h"
#include "dissect/infiniband/upper.h"
#include "tests/network_frames.h"
#include "tests/network_kit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint8_t bytes[70000];

static void dissect(struct kit *kit, uint32_t link_type, const char *hex)
{
	uint32_t length = kit_bytes(hex, bytes);

	kit_dissect(kit, link_type, bytes, length, length, NULL);
}

static void expect_fields(const struct kit *kit, const struct network_frame *frame)
{
	char list[2000], text[1000];

	snprintf(list, sizeof list, "%s", frame->fields);
	for (char *name = strtok(list, " "); name; name = strtok(NULL, " ")) {
		char *expected = strchr(name, '=');

		*expected++ = 0;
		kit_values(kit, name, text, sizeof text);
		cr_expect_str_eq(text, expected, "%s: %s is %s, not %s", frame->name, name, text, expected);
	}
}

TestSuite(network, .timeout = HANG_SECONDS);

Test(network, good_frames_have_the_fields_that_tshark_prints)
{
	for (size_t i = 0; network_frame(i); i++) {
		const struct network_frame *frame = network_frame(i);
		struct kit kit;

		dissect(&kit, frame->link_type, frame->bytes);
		cr_expect_eq(kit.packet.anomalies_found, 0, "%s", frame->name);
		expect_fields(&kit, frame);
		kit_free(&kit);
	}
}

Test(network, good_frames_are_reported_in_one_line)
{
	for (size_t i = 0; network_frame(i); i++) {
		const struct network_frame *frame = network_frame(i);
		struct kit kit;
		char text[300];

		dissect(&kit, frame->link_type, frame->bytes);
		kit_summary(&kit, text, sizeof text);
		cr_expect_str_eq(text, frame->summary, "%s: %s", frame->name, text);
		kit_free(&kit);
	}
}

#define ETH "020000000002020000000001"
#define IP(length) "4500" length "12340000401100000a0000010a000002"
#define UDP(length) "03e80009" length "0000"

/* The fault of a frame, and the layers that are dissected nevertheless. */
static const struct {
	const char *bytes;
	uint32_t link_type;
	enum rtap_anomaly_code anomaly;
	const char *layers;
} bad_frames[] = {
	{ "4400001c12340000401100000a0000010a000002" UDP("0008"), RTAP_LINK_IPV4, RTAP_ANOMALY_LENGTH_TOO_SHORT, "frame ip" },
	{ "4600001712340000401100000a0000010a00000200000000", RTAP_LINK_IPV4, RTAP_ANOMALY_LENGTH_TOO_SHORT, "frame ip" },
	{ IP("0013") UDP("0008"), RTAP_LINK_IPV4, RTAP_ANOMALY_LENGTH_TOO_SHORT, "frame ip" },
	{ IP("001d") UDP("0008"), RTAP_LINK_IPV4, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, "frame ip udp" },
	{ IP("ffff") UDP("0008"), RTAP_LINK_IPV4, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, "frame ip udp" },
	{ "4f00001c12340000401100000a0000010a000002" UDP("0008"), RTAP_LINK_IPV4, RTAP_ANOMALY_LENGTH_TOO_SHORT, "frame ip" },
	{ "4f00003c12340000401100000a0000010a000002" UDP("0008"), RTAP_LINK_IPV4, RTAP_ANOMALY_MALFORMED, "frame ip" },
	{ "7500001c12340000401100000a0000010a000002" UDP("0008"), RTAP_LINK_IPV4, RTAP_ANOMALY_BAD_VERSION, "frame data" },
	{ IP("001c") UDP("0007"), RTAP_LINK_IPV4, RTAP_ANOMALY_LENGTH_TOO_SHORT, "frame ip udp" },
	{ IP("001c") UDP("0009"), RTAP_LINK_IPV4, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, "frame ip udp" },
	{ IP("001b") "03e80009000800", RTAP_LINK_IPV4, RTAP_ANOMALY_MALFORMED, "frame ip udp" },
	{ "4500001c12340000401100000a0000010a000002" UDP("0008"), RTAP_LINK_IPV6, RTAP_ANOMALY_BAD_VERSION, "frame data" },
	{ "6000000000013b40fd000000000000000000000000000001fd000000000000000000000000000002", RTAP_LINK_IPV6,
	  RTAP_ANOMALY_LENGTH_BEYOND_FRAME, "frame ipv6" },
	{ "6000000000080040fd000000000000000000000000000001fd000000000000000000000000000002" "1101010400000000", RTAP_LINK_IPV6,
	  RTAP_ANOMALY_MALFORMED, "frame ipv6 ipv6.hopopts" },
	{ "6000000000073340fd000000000000000000000000000001fd000000000000000000000000000002" "11000000000000", RTAP_LINK_IPV6,
	  RTAP_ANOMALY_MALFORMED, "frame ipv6 ah" },
	{ "60000000000c3340fd000000000000000000000000000001fd000000000000000000000000000002" "110000000000000000000000", RTAP_LINK_IPV6,
	  RTAP_ANOMALY_LENGTH_TOO_SHORT, "frame ipv6 ah" },
	{ "4500002812340000400600000a0000010a000002" "03e8080111223344556677884018020000000000", RTAP_LINK_IPV4,
	  RTAP_ANOMALY_LENGTH_TOO_SHORT, "frame ip tcp" },
	{ "4500002812340000400600000a0000010a000002" "03e808011122334455667788f018020000000000", RTAP_LINK_IPV4,
	  RTAP_ANOMALY_MALFORMED, "frame ip tcp" },
	{ "4500002412340000401100000a0000010a000002" "03e817c100100000" "4000655800000500", RTAP_LINK_IPV4, RTAP_ANOMALY_BAD_VERSION,
	  "frame ip udp geneve" },
	{ "4500002412340000401100000a0000010a000002" "03e817c100100000" "3f00655800000500", RTAP_LINK_IPV4, RTAP_ANOMALY_MALFORMED,
	  "frame ip udp geneve" },
	{ ETH "8864" "110000010005" "0021" "4500", RTAP_LINK_ETHERNET, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, "frame eth pppoe ppp ip" },
	{ ETH "8864" "110000010001" "00", RTAP_LINK_ETHERNET, RTAP_ANOMALY_MALFORMED, "frame eth pppoe ppp" },
	{ ETH "0002" "4242", RTAP_LINK_ETHERNET, RTAP_ANOMALY_MALFORMED, "frame eth llc" },
	{ ETH "0003" "424200", RTAP_LINK_ETHERNET, RTAP_ANOMALY_MALFORMED, "frame eth llc" },
	{ ETH "894f" "0fc101010000010f", RTAP_LINK_ETHERNET, RTAP_ANOMALY_LENGTH_TOO_SHORT, "frame eth nsh" },
	{ ETH "894f" "4fc201010000010f", RTAP_LINK_ETHERNET, RTAP_ANOMALY_BAD_VERSION, "frame eth nsh" },
	{ ETH "894f" "0fff01010000010f", RTAP_LINK_ETHERNET, RTAP_ANOMALY_MALFORMED, "frame eth nsh" },
	{ ETH "22f3" "07c500010002", RTAP_LINK_ETHERNET, RTAP_ANOMALY_MALFORMED, "frame eth trill" },
	{ ETH "22f3" "400500010002", RTAP_LINK_ETHERNET, RTAP_ANOMALY_BAD_VERSION, "frame eth trill" },
	{ "4500001612340000406100000a0000010a000002" "4000", RTAP_LINK_IPV4, RTAP_ANOMALY_BAD_VERSION, "frame ip etherip" },
	{ "4500002412340000401100000a0000010a000002" "03e812b600100000" "1c00000100000500", RTAP_LINK_IPV4, RTAP_ANOMALY_BAD_VERSION,
	  "frame ip udp vxlan_gpe" },
	{ "4500002412340000401100000a0000010a000002" "03e8086800100000" "30ff000100000005", RTAP_LINK_IPV4, RTAP_ANOMALY_LENGTH_BEYOND_FRAME,
	  "frame ip udp gtp" },
	{ "4500002412340000401100000a0000010a000002" "03e8086800100000" "32ff000000000005", RTAP_LINK_IPV4, RTAP_ANOMALY_MALFORMED,
	  "frame ip udp gtp" },
	{ "4500002c12340000401100000a0000010a000002" "03e8086800180000" "34ff000800000005" "0000008500000000", RTAP_LINK_IPV4,
	  RTAP_ANOMALY_LENGTH_TOO_SHORT, "frame ip udp gtp" },
	{ "4500002c12340000401100000a0000010a000002" "03e8086800180000" "34ff000800000005" "0000008502000000", RTAP_LINK_IPV4,
	  RTAP_ANOMALY_MALFORMED, "frame ip udp gtp" },
	{ "4500001812340000402f00000a0000010a000002" "b0006558", RTAP_LINK_IPV4, RTAP_ANOMALY_MALFORMED, "frame ip gre" },
	{ ETH "0806" "00010800ffff0001", RTAP_LINK_ETHERNET, RTAP_ANOMALY_MALFORMED, "frame eth arp" },
	{ ETH "05dc" "4242", RTAP_LINK_ETHERNET, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, "frame eth llc" },
	{ "010000800000000015040010000000ff" "f002ffff0048ffff", RTAP_LINK_ERF, RTAP_ANOMALY_LENGTH_BEYOND_FRAME,
	  "frame erf infiniband.lrh infiniband.bth" },
	{ "01000080000000001604000f0000001c" IP("001c") UDP("0008"), RTAP_LINK_ERF, RTAP_ANOMALY_LENGTH_TOO_SHORT, "frame erf ip udp" },
	{ "0100008000000000960400100000001c" "8000000000000000", RTAP_LINK_ERF, RTAP_ANOMALY_MALFORMED, "frame erf" },
};

Test(network, bad_lengths_and_versions_are_named)
{
	for (size_t i = 0; i < COUNT(bad_frames); i++) {
		struct kit kit;
		char layers[200];

		dissect(&kit, bad_frames[i].link_type, bad_frames[i].bytes);
		kit_layers(&kit, layers, sizeof layers);
		cr_expect(kit_has_anomaly(&kit, bad_frames[i].anomaly), "frame %zu has no %s", i, rtap_anomaly_name(bad_frames[i].anomaly));
		cr_expect_str_eq(layers, bad_frames[i].layers, "frame %zu: %s", i, layers);
		kit_free(&kit);
	}
}

Test(network, bytes_after_the_outermost_packet_are_the_trailer)
{
	static const struct {
		const char *bytes, *layers, *trailer;
	} cases[] = {
		{ ETH "0800" IP("001c") UDP("0008"), "frame eth ip udp", "" },
		{ ETH "0800" IP("001c") UDP("0008") "00", "frame eth ip rdmatap.trailer udp", "00" },
		{ ETH "0800" IP("001e") UDP("0008") "0102" "deadbeef", "frame eth ip rdmatap.trailer udp", "deadbeef" },
		{ ETH "0806" "00010800060400010200000000010a0000010000000000000a000002" "0000deadbeef", "frame eth arp rdmatap.trailer",
		  "0000deadbeef" },
		{ ETH "0003" "424203" "0000", "frame eth rdmatap.trailer llc", "0000" },
		{ ETH "0003" "ffff00" "0000", "frame eth rdmatap.trailer data", "0000" },
		{ ETH "8864" "110000010004" "c0210901" "0000", "frame eth pppoe rdmatap.trailer ppp data", "0000" },
		{ ETH "86dd" "6000000000003b40fd000000000000000000000000000001fd000000000000000000000000000002" "0000",
		  "frame eth ipv6 rdmatap.trailer", "0000" },
		/* an inner packet's trailer is none of the frame's */
		{ ETH "0800" "4500003312340000400400000a0000010a000002" IP("001c") UDP("0008") "000000" "0a0b0c", "frame eth ip rdmatap.trailer ip udp",
		  "0a0b0c" },
		/* a length of 0 stands for all there is */
		{ ETH "0800" IP("0000") UDP("0008") "0a0b", "frame eth ip udp", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kit kit;
		char text[200];

		dissect(&kit, RTAP_LINK_ETHERNET, cases[i].bytes);
		kit_layers(&kit, text, sizeof text);
		cr_expect_str_eq(text, cases[i].layers, "case %zu: %s", i, text);
		kit_values(&kit, "rdmatap.trailer", text, sizeof text);
		cr_expect_str_eq(text, cases[i].trailer, "case %zu: %s", i, text);
		cr_expect_eq(kit.packet.anomalies_found, 0, "case %zu", i);
		kit_free(&kit);
	}
}

Test(network, facts_are_those_of_the_innermost_header_but_never_of_a_quoted_one)
{
	static const struct {
		const char *name;
		uint8_t last; /* byte of the source address */
		uint16_t source_port, destination_port;
	} cases[] = {
		{ "udp", 1, 1000, 9 }, { "VXLAN", 1, 1000, 9 }, { "IPv6 in IPv4", 1, 1000, 9 }, { "ICMP fragmentation needed", 1, 0, 0 },
		{ "ICMP port unreachable, 8 bytes quoted", 1, 0, 0 }, { "TCP over IPv6", 1, 1000, 2049 },
	};

	for (size_t i = 0; network_frame(i); i++)
		for (size_t j = 0; j < COUNT(cases); j++) {
			const struct network_frame *frame = network_frame(i);
			struct kit kit;

			if (strcmp(frame->name, cases[j].name))
				continue;
			dissect(&kit, frame->link_type, frame->bytes);
			cr_assert(kit.packet.source_address);
			cr_expect_eq(kit.packet.source_address[kit.packet.address_length - 1], cases[j].last, "%s", cases[j].name);
			cr_expect_eq(kit.packet.source_port, cases[j].source_port, "%s", cases[j].name);
			cr_expect_eq(kit.packet.destination_port, cases[j].destination_port, "%s", cases[j].name);
			kit_free(&kit);
		}
}

Test(network, a_quoted_roce_packet_is_not_taken_for_one)
{
	struct kit kit;

	dissect(&kit, RTAP_LINK_IPV4, "4500004400000000400100000a0000090a000001" "0304000000000400" IP("0400") "c00012b703ec0000"
				      "0460ffff000000118000000500000000");
	cr_expect_not(kit.packet.ib.has_bth);
	cr_expect_eq(kit.packet.source_address[3], 9);
	cr_expect_eq(kit.packet.anomalies_found, 0);
	kit_free(&kit);
}

Test(network, the_invariant_crc_starts_from_the_innermost_ip_header)
{
	/* IPv6, hop-by-hop options, UDP, BTH, CRC; then the same in an IPv4 packet after an Ethernet header */
#define ROCE6 "6000000000200040fd000000000000000000000000000001fd000000000000000000000000000002" "1100010400000000" \
	      "c00012b700180000" "0460ffff0000001180000005" "01020304"
	static const struct {
		uint32_t link_type;
		const char *bytes;
		uint8_t layer;
	} cases[] = {
		{ RTAP_LINK_IPV6, ROCE6, 1 },
		{ RTAP_LINK_ETHERNET, ETH "0800" "4500005c12340000402900000a0000010a000002" ROCE6, 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kit kit;

		dissect(&kit, cases[i].link_type, cases[i].bytes);
		cr_expect(kit.packet.ib.has_bth, "case %zu", i);
		cr_expect_eq(kit.packet.ib.crc_start_layer, cases[i].layer, "case %zu", i);
		cr_expect_eq(kit.packet.layers[kit.packet.ib.crc_start_layer].protocol, PROTOCOL_IPV6, "case %zu", i);
		kit_free(&kit);
	}
}

Test(network, ipoib_is_recognised_by_type_version_and_exact_length)
{
	static const struct {
		const char *bytes;
		bool is_ipoib;
	} cases[] = {
		{ "08000000" IP("001c") UDP("0008"), true },
		{ "08000001" IP("001c") UDP("0008"), false },
		{ "08000000" IP("001d") UDP("0008"), false },
		{ "08000000" IP("001b") UDP("0008"), false },
		{ "08000000" "5500001c12340000401100000a0000010a000002" UDP("0008"), false },
		{ "08000000" "4400001c12340000401100000a0000010a000002" UDP("0008"), false },
		{ "08000000" "4f00001c12340000401100000a0000010a000002" UDP("0008"), false },
		{ "08060000" IP("001c") UDP("0008"), false },
		{ "88cc0000" IP("001c") UDP("0008"), false },
		{ "86dd0000" "6000000000003b40fd000000000000000000000000000001fd000000000000000000000000000002", true },
		{ "86dd0000" "6000000000013b40fd000000000000000000000000000001fd000000000000000000000000000002", false },
		{ "08060000" "0020080014040001" "0000004afe80000000000000000202c9030000010a000001"
		  "0000004afe80000000000000000202c9030000020a000002", true },
		{ "08060000" "0001080014040001" "0000004afe80000000000000000202c9030000010a000001"
		  "0000004afe80000000000000000202c9030000020a000002", false },
		{ "080000", false }, { "08000000", false }, { "", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t length = kit_bytes(cases[i].bytes, bytes);
		struct cursor cursor = { bytes, length, length };

		cr_expect_eq(ipoib_recognise(&cursor), cases[i].is_ipoib, "case %zu", i);
	}
}

Test(network, a_port_alone_does_not_make_gtp)
{
	struct kit kit;

	dissect(&kit, RTAP_LINK_IPV4, "4500002412340000401100000a0000010a000002" "03e8086800100000" "0e01000000000000");
	cr_expect_not(packet_has(&kit.packet, PROTOCOL_GTP));
	cr_expect_eq(kit.packet.anomalies_found, 0);
	kit_free(&kit);
}

Test(network, payload_facts_are_the_payload_of_tcp_and_udp)
{
	struct kit kit;

	dissect(&kit, RTAP_LINK_ETHERNET, ETH "0800" IP("001e") UDP("000a") "0102" "deadbeef");
	cr_expect_eq(kit.packet.payload.offset, 42);
	cr_expect_eq(kit.packet.payload.captured, 2);
	cr_expect_eq(kit.packet.payload.wire, 2);
	kit_free(&kit);
}
