/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/verbs/flow_rule.h"
#include "tests/flow_kit.h"

static struct flow_rule parsed(const char *text)
{
	struct flow_rule rule;
	struct rtap_error error;

	cr_assert_eq(flow_rule_parse(&rule, text, &error), RTAP_STATUS_OK, "%s: %s", text, error.text);
	cr_assert_str_eq(rule.text, text);
	return rule;
}

TestSuite(flow_rule, .timeout = HANG_SECONDS);

Test(flow_rule, matches_the_specified_frames)
{
	for (size_t i = 0; i < FLOW_MATCH_COUNT; i++) {
		struct flow_rule rule = parsed(flow_matches[i].rule);
		char found[256] = "";

		for (size_t n = 0; n < FLOW_FRAME_COUNT; n++) {
			if (!flow_rule_matches(&rule, flow_frames[n].bytes, flow_frames[n].length))
				continue;
			strcat(found, flow_frames[n].name);
			strcat(found, " ");
		}
		cr_assert_str_eq(found, flow_matches[i].frames, "%s: %s", flow_matches[i].rule, found);
	}
}

/* Each cut frame lies at the end of a heap block, so that a sanitizer sees a read beyond it. */
Test(flow_rule, reads_nothing_beyond_the_captured_bytes)
{
	for (size_t i = 0; i < FLOW_MATCH_COUNT; i++) {
		struct flow_rule rule = parsed(flow_matches[i].rule);

		for (size_t n = 0; n < FLOW_FRAME_COUNT; n++) {
			bool before = false;

			for (uint32_t length = 0; length <= flow_frames[n].length; length++) {
				uint8_t *bytes = malloc(length + 1);
				bool matches;

				memcpy(bytes, flow_frames[n].bytes, length);
				matches = flow_rule_matches(&rule, bytes, length);
				free(bytes);
				cr_assert(matches || !before, "%s: %s cut to %u", flow_matches[i].rule, flow_frames[n].name, length);
				before = matches;
			}
		}
	}
}

Test(flow_rule, keeps_values_in_network_order_under_their_masks)
{
	struct flow_rule rule = parsed("ipv4 src=10.1.2.3/8 udp dst=0x1234/0xff00 vxlan eth vlan=0x1005");
	static const uint8_t address[] = { 10, 0, 0, 0 }, address_mask[] = { 255, 0, 0, 0 };
	static const uint8_t port[] = { 0x12, 0 }, port_mask[] = { 0xff, 0 }, tag[] = { 0, 5 }, tag_mask[] = { 0x0f, 0xff };

	cr_assert_eq(rule.outer.layers, 1u << FLOW_IPV4 | 1u << FLOW_UDP | 1u << FLOW_VXLAN);
	cr_assert_eq(rule.outer.fields, 1u << FLOW_IPV4_SRC | 1u << FLOW_UDP_DST);
	cr_assert_eq(rule.inner.layers, 1u << FLOW_ETH);
	cr_assert_eq(rule.inner.fields, 1u << FLOW_ETH_VLAN);
	cr_assert(!memcmp(rule.outer.values[FLOW_IPV4_SRC].value, address, sizeof address));
	cr_assert(!memcmp(rule.outer.values[FLOW_IPV4_SRC].mask, address_mask, sizeof address_mask));
	cr_assert(!memcmp(rule.outer.values[FLOW_UDP_DST].value, port, sizeof port));
	cr_assert(!memcmp(rule.outer.values[FLOW_UDP_DST].mask, port_mask, sizeof port_mask));
	cr_assert(!memcmp(rule.inner.values[FLOW_ETH_VLAN].value, tag, sizeof tag));
	cr_assert(!memcmp(rule.inner.values[FLOW_ETH_VLAN].mask, tag_mask, sizeof tag_mask));
}

Test(flow_rule, that_is_no_rule_is_refused_with_its_word)
{
	static const struct {
		const char *rule, *said;
	} cases[] = {
		{ "", "is empty" },
		{ "  ", "is empty" },
		{ "ipv5", "ipv5: is not a header" },
		{ "src=1", "src: precedes" },
		{ "ipv4 from=10.0.0.1", "from: is not a field" },
		{ "udp vlan=1", "vlan: is not a field" },
		{ "ipv4 src=10.0.0.1 src=10.0.0.2", "src: is given twice" },
		{ "ipv4 src=10.0.0", "src: has a value" },
		{ "ipv4 src=10.0.0.1/33", "src: has a value" },
		{ "ipv4 src=fe80::1", "src: has a value" },
		{ "ipv4 src=", "src: has a value" },
		{ "ipv4 src=10.0.0.1/", "src: has a value" },
		{ "ipv6 src=fe80::1/129", "src: has a value" },
		{ "ipv6 label=0x100000", "label: has a value" },
		{ "ipv4 proto=256", "proto: has a value" },
		{ "ipv4 flags=8", "flags: has a value" },
		{ "udp dst=65536", "dst: has a value" },
		{ "udp dst=-1", "dst: has a value" },
		{ "udp dst=47x", "dst: has a value" },
		{ "udp dst=1/0x10000", "dst: has a value" },
		{ "eth dst=02:00:00:00:00", "dst: has a value" },
		{ "eth dst=02:00:00:00:00:0g", "dst: has a value" },
		{ "eth dst=02:00:00:00:00:01:02", "dst: has a value" },
		{ "eth dst=02:00:00:00:00:01/49", "dst: has a value" },
		{ "vxlan vni=0x1000000", "vni: has a value" },
		{ "ipv4 ipv6", "ipv6: cannot follow" },
		{ "udp tcp", "is repeated" },
		{ "tcp udp", "udp: cannot follow" },
		{ "tcp vxlan", "vxlan: cannot follow" },
		{ "udp gre", "gre: cannot follow" },
		{ "udp ipv4", "ipv4: is repeated or comes after" },
		{ "eth eth", "eth: is repeated" },
		{ "vxlan gre", "gre: is a second tunnel" },
		{ "vxlan ipv4 vxlan", "vxlan: is a second tunnel" },
	};
	char longest[300];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct flow_rule rule;
		struct rtap_error error;

		cr_assert_eq(flow_rule_parse(&rule, cases[i].rule, &error), RTAP_STATUS_FAILED, "%s", cases[i].rule);
		cr_assert(strstr(error.text, cases[i].said), "%s: %s", cases[i].rule, error.text);
		cr_assert(strstr(error.text, cases[i].rule), "%s: %s", cases[i].rule, error.text);
	}
	memset(longest, ' ', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	{
		struct flow_rule rule;
		struct rtap_error error;

		cr_assert_eq(flow_rule_parse(&rule, longest, &error), RTAP_STATUS_FAILED);
		cr_assert(strstr(error.text, "longer than 199"), "%s", error.text);
	}
}
