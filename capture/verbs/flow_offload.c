/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/verbs/flow_offload.h"

#define MOST_DEPTH 8      /* of parentheses */
#define MOST_WORDS 4      /* of a primitive that is known */
#define WORD_SIZE 64

/* Rules of which one has to match; without any, all frames pass. */
struct choice {
	size_t count;
	struct flow_rule rules[FLOW_OFFLOAD_MOST];
};

struct reader {
	const char *at;
	char word[WORD_SIZE]; /* the next one; "" at the end. Too long ones are truncated and thus unknown */
	unsigned depth;
	const char *why;      /* reason why the filter cannot be offloaded; NULL: none so far */
};

/* Words */

static bool is_pair(const char *at)
{
	return (at[0] == '&' && at[1] == '&') || (at[0] == '|' && at[1] == '|');
}

static void next_word(struct reader *reader)
{
	size_t length = 0;

	reader->at += strspn(reader->at, " \t\r\n");
	if (is_pair(reader->at))
		length = 2;
	else if (*reader->at && (strchr("()", *reader->at) || (*reader->at == '!' && reader->at[1] != '=')))
		length = 1;
	else
		while (reader->at[length] && !strchr(" \t\r\n()", reader->at[length]) && !is_pair(reader->at + length))
			length++;
	snprintf(reader->word, sizeof reader->word, "%.*s", (int)(length < WORD_SIZE ? length : WORD_SIZE), reader->at);
	reader->at += length;
}

static bool is_word(const struct reader *reader, const char *word)
{
	return !strcmp(reader->word, word);
}

static bool is_and(const struct reader *reader)
{
	return is_word(reader, "and") || is_word(reader, "&&");
}

static bool is_or(const struct reader *reader)
{
	return is_word(reader, "or") || is_word(reader, "||");
}

static bool is_end(const struct reader *reader)
{
	return !reader->word[0] || is_and(reader) || is_or(reader) || is_word(reader, ")");
}

/* Choices */

static void add(struct choice *choice, const char *rule)
{
	struct rtap_error ignored;

	if (choice->count < FLOW_OFFLOAD_MOST && !flow_rule_parse(&choice->rules[choice->count], rule, &ignored))
		choice->count++;
}

static void pass_all(struct choice *choice)
{
	choice->count = 0;
}

/* If the conjunction has too many rules, the left side alone is still a valid, less strict result. */
static void take_both(struct choice *left, const struct choice *right)
{
	struct choice *both = right->count ? calloc(1, sizeof *both) : NULL;

	if (!both)
		return;
	if (!left->count) {
		*left = *right;
		free(both);
		return;
	}
	for (size_t i = 0; i < left->count; i++) {
		for (size_t j = 0; j < right->count; j++) {
			struct flow_rule joined = left->rules[i];

			if (!flow_rule_join(&joined, &right->rules[j]))
				continue;
			if (both->count == FLOW_OFFLOAD_MOST) {
				free(both);
				return;
			}
			both->rules[both->count++] = joined;
		}
	}
	/* The BPF compiler rejects a filter that can never match; here it may pass any frame. */
	*left = *both;
	free(both);
}

static void take_either(struct choice *left, const struct choice *right)
{
	if (!left->count || !right->count || left->count + right->count > FLOW_OFFLOAD_MOST) {
		pass_all(left);
		return;
	}
	memcpy(&left->rules[left->count], right->rules, right->count * sizeof right->rules[0]);
	left->count += right->count;
}

/* Primitives */

/* One per direction, with `format` made into a rule by "src" or "dst" and the value. */
static void add_directions(struct choice *choice, const char *format, const char *direction, const char *value)
	__attribute__((format(printf, 2, 0)));

static void add_directions(struct choice *choice, const char *format, const char *direction, const char *value)
{
	char rule[FLOW_RULE_TEXT];

	for (unsigned i = 0; i < 2; i++) {
		const char *name = i ? "dst" : "src";

		if (direction && strcmp(direction, name))
			continue;
		snprintf(rule, sizeof rule, format, name, value);
		add(choice, rule);
	}
}

static void add_number(struct choice *choice, const char *format, const char *value, unsigned long least, unsigned long most)
	__attribute__((format(printf, 2, 0)));

static void add_number(struct choice *choice, const char *format, const char *value, unsigned long least, unsigned long most)
{
	char rule[FLOW_RULE_TEXT], *end;
	unsigned long number = strtoul(value, &end, 0);

	if (*value < '0' || *value > '9' || *end || number < least || number > most)
		return;
	snprintf(rule, sizeof rule, format, number);
	add(choice, rule);
}

/* "proto" for IPv6 also examines the header after a fragment header. */
static void add_ipv6_proto(struct choice *choice, const char *value)
{
	add_number(choice, "ipv6 next=%lu", value, 0, 255);
	if (choice->count)
		add(choice, "ipv6 next=44");
}

/* Keywords without arguments. Headers are matched by type and protocol, which malformed ones and fragments have too. */
static bool take_name(struct choice *choice, const char *word)
{
	static const struct {
		const char *word, *rules[3];
	} names[] = {
		{ "ip", { "eth type=0x0800" } },
		{ "ip6", { "eth type=0x86dd" } },
		{ "arp", { "eth type=0x0806" } },
		{ "rarp", { "eth type=0x8035" } },
		{ "tcp", { "ipv4 proto=6", "ipv6 next=6", "ipv6 next=44" } },
		{ "udp", { "ipv4 proto=17", "ipv6 next=17", "ipv6 next=44" } },
		{ "sctp", { "ipv4 proto=132", "ipv6 next=132", "ipv6 next=44" } },
		{ "icmp", { "ipv4 proto=1" } },
		{ "icmp6", { "ipv6 next=58", "ipv6 next=44" } },
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(names[i].word, word))
			continue;
		for (size_t n = 0; n < 3 && names[i].rules[n]; n++)
			add(choice, names[i].rules[n]);
		return true;
	}
	return false;
}

/* Without a protocol, an IPv4 address is looked for in ARP and RARP as well. */
static void take_address(struct choice *choice, const char *protocol, const char *direction, const char *value)
{
	if (!protocol || !strcmp(protocol, "ip"))
		add_directions(choice, "ipv4 %s=%s", direction, value);
	if (choice->count && !protocol) {
		add(choice, "eth type=0x0806");
		add(choice, "eth type=0x8035");
	}
	if (!choice->count && (!protocol || !strcmp(protocol, "ip6")))
		add_directions(choice, "ipv6 %s=%s", direction, value);
	if (protocol && !strcmp(protocol, "ether"))
		add_directions(choice, "eth %s=%s", direction, value);
}

static void take_port(struct choice *choice, const char *protocol, const char *direction, const char *value)
{
	char number[16], *end;
	unsigned long port = strtoul(value, &end, 0);

	if (*value < '0' || *value > '9' || *end || port > 65535 || (protocol && strcmp(protocol, "tcp") && strcmp(protocol, "udp")))
		return;
	snprintf(number, sizeof number, "%lu", port);
	if (!protocol || !strcmp(protocol, "tcp"))
		add_directions(choice, "tcp %s=%s", direction, number);
	if (!protocol || !strcmp(protocol, "udp"))
		add_directions(choice, "udp %s=%s", direction, number);
	if (protocol)
		return;
	add(choice, "ipv4 proto=132");
	add(choice, "ipv6 next=132");
}

/* NICs compare the type after VLAN tags; numbers below 0x600 are lengths. */
static void take_type(struct choice *choice, const char *value)
{
	static const unsigned long tags[] = { 0x8100, 0x88a8, 0x9100, 0x9200, 0x9300 };

	for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
		if (strtoul(value, NULL, 0) == tags[i])
			return;
	add_number(choice, "eth type=0x%04lx", value, 0x600, 0xffff);
}

/* An address with a prefix length is a net, one without is a host; other forms of masks are not supported. */
static bool is_of_kind(const char *kind, const char *value)
{
	const char *slash = strchr(value, '/');

	return !strcmp(kind, "net") ? slash && strspn(slash + 1, "0123456789") == strlen(slash + 1) : !slash;
}

static void take_qualified(struct choice *choice, const char *protocol, const char *direction, const char *kind, const char *value)
{
	bool is_ether = protocol && !strcmp(protocol, "ether");

	if (!strcmp(kind, "port"))
		take_port(choice, protocol, direction, value);
	else if (!strcmp(kind, "proto") && !direction && is_ether)
		take_type(choice, value);
	else if (!strcmp(kind, "proto") && !direction && protocol && !strcmp(protocol, "ip"))
		add_number(choice, "ipv4 proto=%lu", value, 0, 255);
	else if (!strcmp(kind, "proto") && !direction && protocol && !strcmp(protocol, "ip6"))
		add_ipv6_proto(choice, value);
	else if ((!strcmp(kind, "host") || (!strcmp(kind, "net") && !is_ether)) && is_of_kind(kind, value))
		take_address(choice, protocol, direction, value);
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word))
		words++;
	return *words;
}

/* [PROTOCOL] [src|dst] [KIND] VALUE; at least one of the first three is present. */
static void take_primitive(struct choice *choice, char words[][WORD_SIZE], unsigned count)
{
	static const char *const protocols[] = { "ether", "ip", "ip6", "tcp", "udp", NULL }, *const directions[] = { "src", "dst", NULL };
	static const char *const kinds[] = { "host", "net", "port", "proto", NULL };
	const char *protocol = NULL, *direction = NULL, *kind = "host";
	unsigned at = 0;

	if (count == 1) {
		take_name(choice, words[0]);
		return;
	}
	if (is_one_of(words[at], protocols))
		protocol = words[at++];
	if (at < count && is_one_of(words[at], directions))
		direction = words[at++];
	if (at < count && is_one_of(words[at], kinds))
		kind = words[at++];
	else if (!direction)
		return;
	if (at + 1 == count)
		take_qualified(choice, protocol, direction, kind, words[at]);
}

/* Expressions: "and" and "or" bind alike, from the left. */

static void read_expression(struct reader *reader, struct choice *choice);

/* Operands of a comparison may be in parentheses too: skip to the end of the primitive. */
static void skip_primitive(struct reader *reader)
{
	unsigned open = 0;

	while (reader->word[0] && (open || !is_end(reader))) {
		if (is_word(reader, "("))
			open++;
		else if (is_word(reader, ")"))
			open--;
		next_word(reader);
	}
}

static void read_primitive(struct reader *reader, struct choice *choice)
{
	static const char *const shifting[] = { "vlan", "mpls", "pppoed", "pppoes", "geneve", "vxlan", NULL };
	char words[MOST_WORDS][WORD_SIZE];
	unsigned count = 0;

	while (!is_end(reader)) {
		if (is_one_of(reader->word, shifting))
			reader->why = "it looks past VLAN tags, labels or tunnels";
		if (count == MOST_WORDS || is_word(reader, "(")) {
			skip_primitive(reader);
			return;
		}
		memcpy(words[count++], reader->word, WORD_SIZE);
		next_word(reader);
	}
	/* "src or dst port 80" is one primitive, to which a "not" before it belongs as a whole. */
	if (count && (!strcmp(words[count - 1], "src") || !strcmp(words[count - 1], "dst")))
		reader->why = "it joins src and dst (write the whole condition twice)";
	if (count)
		take_primitive(choice, words, count);
}

static void read_term(struct reader *reader, struct choice *choice)
{
	pass_all(choice);
	if (is_word(reader, "!") || is_word(reader, "not")) {
		do
			next_word(reader);
		while (is_word(reader, "!") || is_word(reader, "not"));
		read_term(reader, choice);
		pass_all(choice);
		return;
	}
	if (!is_word(reader, "(")) {
		read_primitive(reader, choice);
		return;
	}
	next_word(reader);
	if (++reader->depth > MOST_DEPTH)
		reader->why = "it is nested too deeply";
	else
		read_expression(reader, choice);
	reader->depth--;
	next_word(reader);
	if (is_end(reader))
		return;
	skip_primitive(reader);
	pass_all(choice);
}

static void read_expression(struct reader *reader, struct choice *choice)
{
	struct choice *right = calloc(1, sizeof *right);

	if (!right) {
		reader->why = "memory is out";
		return;
	}
	read_term(reader, choice);
	while (!reader->why && (is_and(reader) || is_or(reader))) {
		bool both = is_and(reader);

		next_word(reader);
		read_term(reader, right);
		if (both)
			take_both(choice, right);
		else
			take_either(choice, right);
	}
	free(right);
}

size_t flow_offload(const char *filter, struct flow_rule *rules, const char **why)
{
	struct reader reader = { .at = filter };
	struct choice *choice = calloc(1, sizeof *choice);
	size_t count = 0;

	*why = "memory is out";
	if (!choice)
		return 0;
	next_word(&reader);
	read_expression(&reader, choice);
	if (!reader.why && reader.word[0])
		reader.why = "it is not understood";
	if (!reader.why) {
		count = choice->count;
		memcpy(rules, choice->rules, count * sizeof rules[0]);
	}
	*why = reader.why ? reader.why : count ? NULL : "rules of NICs cannot express it";
	free(choice);
	return count;
}
