/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <rdmatap/source.h>

#include "capture/verbs/flow_offload.h"
#include "tests/flow_kit.h"

/* Rules joined by "; ". */
static const struct {
	const char *filter, *rules;
} known[] = {
	{ "ip", "eth type=0x0800" },
	{ "ip6", "eth type=0x86dd" },
	{ "arp or rarp", "eth type=0x0806; eth type=0x8035" },
	{ "udp", "ipv4 proto=17; ipv6 next=17; ipv6 next=44" },
	{ "icmp", "ipv4 proto=1" },
	{ "icmp6", "ipv6 next=58; ipv6 next=44" },
	{ "ip proto 47", "ipv4 proto=47" },
	{ "ip6 proto 0x2f", "ipv6 next=47; ipv6 next=44" },
	{ "ether proto 0x8915", "eth type=0x8915" },
	{ "ether host 02:00:00:00:00:01", "eth src=02:00:00:00:00:01; eth dst=02:00:00:00:00:01" },
	{ "ether src 02:00:00:00:00:01", "eth src=02:00:00:00:00:01" },
	{ "udp port 4791", "udp src=4791; udp dst=4791" },
	{ "udp dst port 4791", "udp dst=4791" },
	{ "tcp src port 0x4e51", "tcp src=20049" },
	{ "port 53", "tcp src=53; tcp dst=53; udp src=53; udp dst=53; ipv4 proto=132; ipv6 next=132" },
	{ "host 10.0.0.1", "ipv4 src=10.0.0.1; ipv4 dst=10.0.0.1; eth type=0x0806; eth type=0x8035" },
	{ "dst 10.0.0.1", "ipv4 dst=10.0.0.1; eth type=0x0806; eth type=0x8035" },
	{ "ip src host 10.0.0.1", "ipv4 src=10.0.0.1" },
	{ "ip dst net 10.1.0.0/16", "ipv4 dst=10.1.0.0/16" },
	{ "host fe80::1", "ipv6 src=fe80::1; ipv6 dst=fe80::1" },
	{ "ip6 src net fe80::/10", "ipv6 src=fe80::/10" },
	{ "udp dst port 4791 and ip src 10.0.0.1", "ipv4 src=10.0.0.1 udp dst=4791" },
	{ "udp dst port 4791 && src host 10.0.0.1", "ipv4 src=10.0.0.1 udp dst=4791" },
	{ "ip && udp dst port 4791", "eth type=0x0800 udp dst=4791" },
	{ "udp and udp dst port 4791", "ipv4 proto=17 udp dst=4791; ipv6 next=17 udp dst=4791" },
	{ "ip src 10.0.0.1 and (udp dst port 4791 or tcp dst port 20049)", "ipv4 src=10.0.0.1 udp dst=4791; ipv4 src=10.0.0.1 tcp dst=20049" },
	/* what is not known passes all */
	{ "udp dst port 4791 and len > 100", "udp dst=4791" },
	{ "udp dst port 4791 and udp[20:4] = 7", "udp dst=4791" },
	{ "udp dst port 4791 and (udp[20] & 0xf) != 3 and ip src 10.0.0.1", "ipv4 src=10.0.0.1 udp dst=4791" },
	{ "ip[6:2] & 0x1fff = 0 and udp dst port 4791", "udp dst=4791" },
	{ "udp dst port 4791 and not host 10.0.0.9", "udp dst=4791" },
	{ "udp dst port 4791 and !host 10.0.0.9", "udp dst=4791" },
	{ "udp dst port 4791 and ! (host 10.0.0.9 or arp)", "udp dst=4791" },
	{ "not host 10.0.0.9 and udp dst port 4791", "udp dst=4791" },
	{ "udp port 53 or 67", "" },
	{ "udp port 53 or len > 100", "" },
	{ "udp dst port 4791 or not ip", "" },
	{ "not udp", "" },
	{ "not not udp", "" },
	{ "udp portrange 4790-4792", "" },
	{ "host 10.1", "" },
	{ "net 10.1", "" },
	{ "net 10.1.0.0 mask 255.255.0.0", "" },
	{ "udp port domain", "" },
	{ "ether proto 0x8100", "" },
	{ "ether proto 0x42", "" },
	{ "less 100", "" },
	{ "broadcast", "" },
	/* "and" and "or" bind alike */
	{ "ip src 10.0.0.1 or arp and udp dst port 4791", "ipv4 src=10.0.0.1 udp dst=4791" },
	{ "udp dst port 4791 and ip src 10.0.0.1 or arp", "ipv4 src=10.0.0.1 udp dst=4791; eth type=0x0806" },
	/* one primitive in two words */
	{ "not src and dst port 80", "" },
	{ "src or dst port 80", "" },
	/* other offsets */
	{ "vlan 100 and udp dst port 4791", "" },
	{ "udp dst port 4791 and vlan", "" },
	{ "udp port 4789 and vxlan and ip", "" },
	/* more than can be */
	{ "port 1 and host 10.0.0.1 and net 10.0.0.0/8", "ipv4 src=10.0.0.1 tcp src=1; " },
	{ "", "" },
	{ "(", "" },
	{ ")", "" },
	{ "((((((((((udp))))))))))", "" },
	{ "udp dst port 4791 and", "udp dst=4791" },
};

static size_t offload(const char *filter, struct flow_rule *rules, char *text)
{
	const char *why;
	size_t count = flow_offload(filter, rules, &why);

	text[0] = '\0';
	cr_assert_eq(count == 0, why != NULL, "%s", filter);
	for (size_t i = 0; i < count; i++) {
		struct flow_rule again;
		struct rtap_error error;

		strcat(text, i ? "; " : "");
		strcat(text, rules[i].text);
		/* --flow accepts the text, with the same meaning */
		cr_assert_eq(flow_rule_parse(&again, rules[i].text, &error), RTAP_STATUS_OK, "%s: %s", filter, error.text);
		cr_assert(!memcmp(&again.outer, &rules[i].outer, sizeof again.outer), "%s: %s", filter, rules[i].text);
	}
	return count;
}

TestSuite(flow_offload, .timeout = HANG_SECONDS);

Test(flow_offload, rules_contain_only_known_values)
{
	static struct flow_rule rules[FLOW_OFFLOAD_MOST];
	char text[FLOW_OFFLOAD_MOST * (FLOW_RULE_TEXT + 2)];

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		size_t length = strlen(known[i].rules);

		offload(known[i].filter, rules, text);
		/* a longer list is compared up to there */
		if (length && known[i].rules[length - 1] == ' ')
			text[length] = '\0';
		cr_expect_str_eq(text, known[i].rules, "%s: %s", known[i].filter, text);
	}
}

/* No rule is stricter than the filter: a frame that passes it matches. */
static void expect_no_loss(const char *filter, struct rtap_bpf *bpf, const struct flow_rule *rules, size_t count,
			   const struct rtap_frame *frame, const char *name)
{
	struct rtap_error error;
	bool passes, matches = false;

	cr_assert_eq(rtap_bpf_match(bpf, frame, &passes, &error), RTAP_STATUS_OK, "%s: %s", filter, error.text);
	for (size_t i = 0; i < count && passes; i++)
		matches |= flow_rule_matches(&rules[i], frame->bytes, frame->captured_length);
	cr_expect(matches || !passes, "%s loses %s", filter, name);
}

static void expect_no_loss_of_file(const char *filter, struct rtap_bpf *bpf, const struct flow_rule *rules, size_t count, const char *file)
{
	struct rtap_source *source;
	struct rtap_error error;
	enum rtap_status status;

	cr_assert_eq(rtap_source_open_files(&source, &file, 1, &error), RTAP_STATUS_OK, "%s", error.text);
	do {
		struct rtap_batch *batch;

		status = rtap_source_read_batch(source, &batch, &error);
		if (status)
			continue;
		for (size_t i = 0; i < batch->count; i++)
			if (batch->frames[i].link_type == RTAP_LINK_ETHERNET)
				expect_no_loss(filter, bpf, rules, count, &batch->frames[i], file);
		rtap_batch_release(batch);
	} while (status != RTAP_STATUS_END);
	rtap_source_close(source);
}

Test(flow_offload, no_frame_is_lost_that_the_filter_takes)
{
	static const char *const files[] = { TESTDATA "/roce-nfs3.pcap.gz", TESTDATA "/conn_fragments-v4.pcap",
					     TESTDATA "/conn_fragments-v6.pcap", TESTDATA "/absurd-vlan.pcap" };
	static struct flow_rule rules[FLOW_OFFLOAD_MOST];
	unsigned tried = 0;

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const char *filter = known[i].filter, *why;
		size_t count = flow_offload(filter, rules, &why);
		struct rtap_error error;
		struct rtap_bpf *bpf;

		if (!count || rtap_bpf_open(&bpf, filter, &error))
			continue;
		tried++;
		for (size_t n = 0; n < FLOW_FRAME_COUNT; n++) {
			const struct rtap_frame frame = { .bytes = flow_frames[n].bytes, .captured_length = flow_frames[n].length,
							  .wire_length = flow_frames[n].length, .link_type = RTAP_LINK_ETHERNET };

			expect_no_loss(filter, bpf, rules, count, &frame, flow_frames[n].name);
		}
		for (size_t n = 0; n < sizeof files / sizeof files[0]; n++)
			expect_no_loss_of_file(filter, bpf, rules, count, files[n]);
		rtap_bpf_close(bpf);
	}
	cr_expect_gt(tried, 25);
}

static struct flow_rule parsed(const char *text)
{
	struct flow_rule rule;
	struct rtap_error error;

	cr_assert_eq(flow_rule_parse(&rule, text, &error), RTAP_STATUS_OK, "%s: %s", text, error.text);
	return rule;
}

Test(flow_offload, rules_that_exclude_each_other_are_not_joined)
{
	static const struct {
		const char *one, *other, *both; /* NULL: nothing matches both */
	} cases[] = {
		{ "ipv4 src=10.0.0.0/8", "ipv4 src=10.1.0.0/16", "ipv4 src=10.1.0.0/255.255.0.0" },
		{ "ipv4 src=10.0.0.0/8", "ipv4 src=11.0.0.0/16", NULL },
		{ "ipv4", "ipv6", NULL },
		{ "udp", "tcp", NULL },
		{ "ipv4 proto=6", "udp", NULL },
		{ "ipv6 next=17", "udp dst=4791", "ipv6 next=17 udp dst=4791" },
		{ "eth type=0x0806", "ipv4 src=10.0.0.1", NULL },
		{ "eth type=0x0806", "udp", NULL },
		{ "eth type=0x86dd", "udp", "eth type=0x86dd udp" },
		{ "vxlan vni=5 ipv4 src=10.0.0.1", "ipv4 dst=10.0.0.2", "ipv4 dst=10.0.0.2 vxlan vni=5 ipv4 src=10.0.0.1" },
		{ "eth vlan=100", "ipv4", "eth vlan=100 ipv4" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct flow_rule rule = parsed(cases[i].one), other = parsed(cases[i].other);
		bool joined = flow_rule_join(&rule, &other);

		cr_expect_eq(joined, cases[i].both != NULL, "%s and %s", cases[i].one, cases[i].other);
		if (joined && cases[i].both)
			cr_expect_str_eq(rule.text, cases[i].both, "%s", rule.text);
	}
}
