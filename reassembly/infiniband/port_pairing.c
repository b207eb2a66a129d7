/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "reassembly/infiniband/port_pairing.h"

#define FIRST_PORT 0xc000u

void port_pairing_init(struct rtap_tracker *tracker)
{
	tracker->ports.link = offsetof(struct flow, port_link);
}

uint16_t port_of_label(uint32_t label)
{
	return (uint16_t)(FIRST_PORT | ((label & 0x3fff) ^ (label >> 14 & 0x3f)));
}

uint16_t port_of_queue_pairs(uint32_t qpn, uint32_t other_qpn)
{
	uint64_t product = (uint64_t)qpn * other_qpn;

	product ^= product >> 20;
	product ^= product >> 40;
	return port_of_label((uint32_t)product & 0xfffff);
}

/* Both directions between two hosts with one port have the same words: the smaller address comes first. */
static void words_of(const struct flow *flow, uint64_t words[5])
{
	const uint64_t *key = flow->key.words;
	bool turned = key[0] != key[2] ? key[0] > key[2] : key[1] > key[3];

	memcpy(words, key + (turned ? 2 : 0), 2 * sizeof *words);
	memcpy(words + 2, key + (turned ? 0 : 2), 2 * sizeof *words);
	words[4] = flow->port;
}

static bool same_words(const void *value, const void *key)
{
	uint64_t words[5];

	words_of(value, words);
	return !memcmp(words, key, sizeof words);
}

void port_pairing_enter(struct rtap_tracker *tracker, struct flow *flow, uint16_t port, bool by_label)
{
	uint64_t words[5];

	flow->port = port;
	flow->port_by_label = by_label;
	words_of(flow, words);
	if (!multimap_add(&tracker->ports, map_hash(words, 5), same_words, words, flow))
		flow->port = 0;
}

void port_pairing_leave(struct rtap_tracker *tracker, struct flow *flow)
{
	if (flow->port)
		multimap_remove(&tracker->ports, flow);
	flow->port = 0;
}

static bool is_turned(const struct flow *flow, const struct flow *other)
{
	return !memcmp(flow->key.words, other->key.words + 2, 2 * sizeof(uint64_t)) &&
	       !memcmp(flow->key.words + 2, other->key.words, 2 * sizeof(uint64_t));
}

bool port_pairing_fits(const struct flow *flow, const struct flow *other)
{
	return flow->port && flow->port == other->port && is_turned(flow, other) &&
	       (flow->port_by_label || other->port_by_label ||
		flow->port == port_of_queue_pairs((uint32_t)flow->key.words[4], (uint32_t)other->key.words[4]));
}

/* The only other flow with the addresses and the port. */
static struct flow *only_other(const struct flow *flow)
{
	const struct multimap_link *link = &flow->port_link;

	return link->newer && link->older ? NULL : link->newer ? link->newer : link->older;
}

struct flow *port_pairing_partner(const struct flow *flow)
{
	struct flow *other = only_other(flow);

	/* If a host sends to itself, the directions cannot be distinguished. */
	return other && only_other(other) == flow && !is_turned(flow, flow) && port_pairing_fits(flow, other) ? other : NULL;
}

void port_pairing_note(struct rtap_tracker *tracker, const struct flow *flow, const struct flow *other)
{
	if (!flow->port || !other->port)
		return;
	if (port_pairing_fits(flow, other))
		tracker->ports_fit++;
	else if (flow->port != other->port)
		tracker->ports_differ++;
}

bool port_pairing_doubts(const struct rtap_tracker *tracker, const struct flow *flow, const struct flow *other)
{
	return flow->port && other->port && flow->port != other->port && tracker->ports_fit && !tracker->ports_differ;
}
