/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rdmatap/source.h>

/* UDP to port 4791 over IPv4, from its IPv4 header on. */
static const uint8_t ip_packet[] = {
	0x45, 0, 0, 44, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1, 0xc0, 0, 0x12, 0xb7, 0, 24, 0, 0,
};

static struct rtap_frame frame_of(uint8_t *buffer, uint32_t link_type)
{
	static const uint8_t ethernet[] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0 };
	static const uint8_t sll[] = { 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 2, 0, 0, 8, 0 };
	static const uint8_t sll2[] = { 8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 2, 0, 0, 0, 0, 2, 0, 0 };
	static const uint8_t loop[] = { 0, 0, 0, 2 };
	static const struct {
		uint32_t link_type, length;
		const uint8_t *header;
	} headers[] = {
		{ RTAP_LINK_ETHERNET, sizeof ethernet, ethernet }, { RTAP_LINK_LINUX_SLL, sizeof sll, sll },
		{ RTAP_LINK_LINUX_SLL2, sizeof sll2, sll2 }, { RTAP_LINK_LOOP, sizeof loop, loop },
	};
	uint32_t length = 0;

	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
		if (headers[i].link_type == link_type) {
			length = headers[i].length;
			memcpy(buffer, headers[i].header, length);
		}
	}
	memcpy(buffer + length, ip_packet, sizeof ip_packet);
	length += sizeof ip_packet;
	return (struct rtap_frame){ .bytes = buffer, .captured_length = length, .wire_length = length + 16, .link_type = link_type };
}

TestSuite(bpf, .timeout = HANG_SECONDS);

Test(bpf, filters_frames_of_several_link_types_by_one_expression)
{
	static const uint32_t link_types[] = {
		RTAP_LINK_ETHERNET, RTAP_LINK_RAW, RTAP_LINK_LINUX_SLL, RTAP_LINK_IPV4, RTAP_LINK_LOOP, RTAP_LINK_LINUX_SLL2,
	};
	static const struct {
		const char *text;
		bool match;
	} cases[] = {
		{ "udp port 4791", true }, { "udp dst port 4791 and src host 10.0.0.2", true }, { "udp port 4792", false },
		{ "tcp", false }, { "", true }, { "ip6", false }, { "len >= 44", true }, { "greater 100", false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_bpf *bpf;
		struct rtap_error error;

		cr_assert_eq(rtap_bpf_open(&bpf, cases[i].text, &error), RTAP_STATUS_OK, "%s", error.text);
		for (size_t round = 0; round < 2; round++) {
			for (size_t j = 0; j < sizeof link_types / sizeof link_types[0]; j++) {
				uint8_t buffer[128];
				struct rtap_frame frame = frame_of(buffer, link_types[j]);
				bool match;

				cr_assert_eq(rtap_bpf_match(bpf, &frame, &match, &error), RTAP_STATUS_OK, "%s", error.text);
				cr_assert_eq(match, cases[i].match, "%s on link type %u", cases[i].text, link_types[j]);
			}
		}
		rtap_bpf_close(bpf);
	}
	rtap_bpf_close(NULL);
}

Test(bpf, the_families_of_all_systems_are_ipv6_on_loopbacks)
{
	static const uint8_t families[] = { 24, 28, 30 }; /* NetBSD and OpenBSD, FreeBSD, Darwin */
	struct rtap_error error;
	struct rtap_bpf *bpf;

	cr_assert_eq(rtap_bpf_open(&bpf, "ip6 and udp port 4791", &error), RTAP_STATUS_OK, "%s", error.text);
	for (size_t i = 0; i < sizeof families; i++) {
		for (unsigned kind = 0; kind < 2; kind++) {
			uint8_t bytes[4 + 40 + 8] = { 0 };
			uint32_t host = families[i];
			bool match = false;

			memcpy(bytes, &host, 4);
			if (kind)
				memcpy(bytes, (const uint8_t[]){ 0, 0, 0, families[i] }, 4);
			bytes[4] = 0x60;
			bytes[4 + 6] = 17;
			memcpy(bytes + 4 + 40 + 2, (const uint8_t[]){ 0x12, 0xb7 }, 2);
			cr_expect_eq(rtap_bpf_match(bpf, &(struct rtap_frame){ .bytes = bytes, .captured_length = sizeof bytes,
				.wire_length = sizeof bytes, .link_type = kind ? RTAP_LINK_LOOP : RTAP_LINK_NULL }, &match, &error),
				RTAP_STATUS_OK, "%s", error.text);
			cr_expect(match, "family %u, link type %u", families[i], kind);
		}
	}
	rtap_bpf_close(bpf);
}

Test(bpf, a_frame_truncated_before_the_tested_bytes_does_not_pass)
{
	uint8_t buffer[128];
	struct rtap_frame frame = frame_of(buffer, RTAP_LINK_ETHERNET);
	struct rtap_bpf *bpf;
	struct rtap_error error;
	bool match;

	cr_assert_eq(rtap_bpf_open(&bpf, "udp port 4791", &error), RTAP_STATUS_OK);
	for (uint32_t length = 0; length <= 38; length++) {
		frame.captured_length = length;
		cr_assert_eq(rtap_bpf_match(bpf, &frame, &match, &error), RTAP_STATUS_OK);
		cr_assert_eq(match, length == 38, "%u bytes", length);
	}
	rtap_bpf_close(bpf);
}

Test(bpf, link_types_without_bpf_are_refused_by_name)
{
	static const struct {
		uint32_t link_type;
		const char *message;
	} cases[] = {
		{ RTAP_LINK_INFINIBAND, "link type 247 (INFINIBAND): this link type has no BPF; use -Y" },
		{ RTAP_LINK_ERF, "link type 197 (ERF): this link type has no BPF; use -Y" },
		{ RTAP_LINK_IPOIB, "link type 242 (IPOIB): this link type has no BPF; use -Y" },
		{ 65000, "link type 65000 (unknown)" },
	};
	struct rtap_bpf *bpf;
	struct rtap_error error;
	uint8_t buffer[128];
	bool match;

	cr_assert_eq(rtap_bpf_open(&bpf, "udp port 4791", &error), RTAP_STATUS_OK);
	for (size_t round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
			struct rtap_frame frame = frame_of(buffer, cases[i].link_type);

			cr_assert_eq(rtap_bpf_match(bpf, &frame, &match, &error), RTAP_STATUS_FAILED);
			cr_assert(strstr(error.text, cases[i].message), "%s", error.text);
			cr_assert_not(match);
		}
	}
	rtap_bpf_close(bpf);
}

static clock_t time_of_libpcap(const char *text)
{
	clock_t begin = clock();
	pcap_t *handle = pcap_open_dead(DLT_EN10MB, 65535);
	struct bpf_program code;

	cr_assert_eq(pcap_compile(handle, &code, text, 0, PCAP_NETMASK_UNKNOWN), 0);
	pcap_freecode(&code);
	pcap_close(handle);
	return clock() - begin;
}

/* It is compiled twice. libpcap's optimizer alone would take 10 times as long as libpcap without it. */
Test(bpf, a_long_expression_is_compiled_and_one_without_end_refused)
{
	char text[9000] = "udp port 4791";
	struct rtap_error error;
	struct rtap_bpf *bpf;
	clock_t time = 0, of_libpcap = 0;
	bool passes = false;
	uint8_t buffer[64];
	struct rtap_frame frame = frame_of(buffer, RTAP_LINK_ETHERNET);

	for (int i = 0; i < 200; i++)
		sprintf(text + strlen(text), " or host 10.9.%d.%d", i / 256, i % 256);
	/* other processes can lengthen a run */
	for (int attempt = 0; attempt < 3 && time >= 5 * of_libpcap; attempt++) {
		clock_t begin = clock();

		cr_assert_eq(rtap_bpf_open(&bpf, text, &error), RTAP_STATUS_OK, "%s", error.text);
		cr_assert_eq(rtap_bpf_match(bpf, &frame, &passes, &error), RTAP_STATUS_OK);
		time = clock() - begin;
		cr_expect(passes);
		rtap_bpf_close(bpf);
		of_libpcap = time_of_libpcap(text);
	}
	cr_expect_lt(time, 5 * of_libpcap);
	memset(text + strlen(text), ' ', sizeof text - 1 - strlen(text));
	text[sizeof text - 1] = 0;
	cr_expect_eq(rtap_bpf_open(&bpf, text, &error), RTAP_STATUS_FAILED);
	cr_expect(strstr(error.text, "longer than"), "%s", error.text);
}

Test(bpf, syntax_errors_are_reported_at_once)
{
	static const struct {
		const char *text, *column;
	} cases[] = {
		{ "udp prt 4791", "column 5: \"prt\"" }, { "host", "column 1: \"host\"" }, { "tcp port 99999999", "column 5: \"port\"" },
		{ "(ip", "column 2: \"ip\"" }, { "ether host 1:2", "column 1: \"ether\"" }, { "vlan and (", "the end" },
		{ "\x01", "column 1" }, { "host 10.0.0.1 and not port rocee", "column 23: \"port\"" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_bpf *bpf;
		struct rtap_error error;

		cr_assert_eq(rtap_bpf_open(&bpf, cases[i].text, &error), RTAP_STATUS_FAILED, "%s", cases[i].text);
		cr_assert_null(bpf);
		cr_assert(strstr(error.text, cases[i].text), "%s", error.text);
		cr_expect(strstr(error.text, cases[i].column), "%s", error.text);
	}
}

Test(bpf, expressions_about_other_link_types_compile_and_fail_where_they_mean_nothing)
{
	static const char *const texts[] = { "wlan addr1 00:11:22:33:44:55", "ifname eth0", "vpi 5", "sio 1" };

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct rtap_bpf *bpf;
		struct rtap_error error;
		uint8_t buffer[128];
		struct rtap_frame frame = frame_of(buffer, RTAP_LINK_ETHERNET);
		bool match;

		cr_assert_eq(rtap_bpf_open(&bpf, texts[i], &error), RTAP_STATUS_OK, "%s: %s", texts[i], error.text);
		cr_assert_eq(rtap_bpf_match(bpf, &frame, &match, &error), RTAP_STATUS_FAILED, "%s", texts[i]);
		cr_assert(strstr(error.text, "(ETHERNET)"), "%s", error.text);
		rtap_bpf_close(bpf);
	}
}

Test(bpf, an_expression_that_nothing_on_a_link_type_can_match_is_no_error_there)
{
	uint8_t buffer[128];
	struct rtap_frame frame = frame_of(buffer, RTAP_LINK_RAW);
	struct rtap_bpf *bpf;
	struct rtap_error error;
	bool match;

	cr_assert_eq(rtap_bpf_open(&bpf, "arp", &error), RTAP_STATUS_OK);
	cr_assert_eq(rtap_bpf_match(bpf, &frame, &match, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_not(match);
	rtap_bpf_close(bpf);
}

Test(bpf, link_types_have_the_names_of_the_registry)
{
	static const struct {
		uint32_t link_type;
		const char *name;
	} cases[] = {
		{ 0, "NULL" }, { 1, "ETHERNET" }, { 101, "RAW" }, { 108, "LOOP" }, { 113, "LINUX_SLL" }, { 197, "ERF" },
		{ 228, "IPV4" }, { 229, "IPV6" }, { 242, "IPOIB" }, { 247, "INFINIBAND" }, { 276, "LINUX_SLL2" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		cr_assert_str_eq(rtap_link_type_name(cases[i].link_type), cases[i].name);
	cr_assert_null(rtap_link_type_name(65000));
	cr_assert_null(rtap_link_type_name(UINT32_MAX));
}
