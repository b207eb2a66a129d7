/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/engine/anomaly.h"
#include "dissect/engine/protocol.h"
#include "reassembly/stream/address_words.h"
#include "reassembly/stream/ip_fragments.h"
#include "base/memory.h"

#define LARGEST 65535u
#define UNKNOWN UINT32_MAX
#define SECOND INT64_C(1000000000)
#define REFUSED_FOR SECOND
#define REMEMBERED 8
#define FIRST_ROOM 4096u

/* IPv4: as hosts do, between the 15 s of RFC 791, 3.2 and the 60 s of RFC 1122, 3.3.2. IPv6: RFC 8200, 4.5. */
static const int64_t wait_for[2] = { 30 * SECOND, 60 * SECOND };

/* addresses, then identification, protocol (IPv4) and version */
struct key {
	uint64_t words[5];
};

enum byte_state { MISSING, CUT, CAPTURED };

enum datagram_state { PENDING, REFUSED, COMPLETE };

struct ip_datagram {
	struct key key;
	uint64_t hash;
	struct ip_fragments *fragments;
	struct ip_datagram_list *list; /* the list that contains it */
	TAILQ_ENTRY(ip_datagram) link;
	struct budget_entry entry;
	enum datagram_state state;
	bool is_ipv6;
	int64_t since_ns;        /* of the first fragment; of the refusal */
	uint8_t *bytes;
	uint8_t *states;         /* enum byte_state of each byte */
	uint32_t room;           /* of both */
	uint32_t covered;        /* bytes not MISSING */
	uint32_t end;            /* after the last byte of all fragments */
	uint32_t total;          /* UNKNOWN until the last fragment arrives */
	uint32_t header_length;  /* of the first fragment */
	uint8_t protocol;
};

static void unlink_datagram(struct ip_datagram *datagram)
{
	struct ip_datagram_list *list = datagram->list;

	TAILQ_REMOVE(&list->list, datagram, link);
	list->count--;
}

static void link_last(struct ip_datagram_list *list, struct ip_datagram *datagram)
{
	datagram->list = list;
	TAILQ_INSERT_TAIL(&list->list, datagram, link);
	list->count++;
}

static void destroy(struct ip_datagram *datagram)
{
	struct ip_fragments *fragments = datagram->fragments;

	unlink_datagram(datagram);
	map_remove(&fragments->map, datagram->hash, datagram);
	budget_give(fragments->budget, &datagram->entry, datagram->entry.bytes);
	free(datagram->bytes);
	free(datagram->states);
	free(datagram);
}

static void evict(struct budget_entry *entry, void *owner)
{
	struct ip_datagram *datagram = owner;

	(void)entry;
	if (datagram->state == PENDING)
		datagram->fragments->evicted++;
	destroy(datagram);
}

static struct key key_of(const struct rtap_packet *packet)
{
	const struct rtap_fragment_facts *facts = &packet->fragment;
	bool is_ipv6 = packet->address_length == 16;
	struct key key;

	address_words(key.words, packet->source_address, packet->address_length);
	address_words(key.words + 2, packet->destination_address, packet->address_length);
	key.words[4] = (uint64_t)facts->identification << 32 | (is_ipv6 ? 0x100u : facts->protocol);
	return key;
}

static bool equal(const void *value, const void *key)
{
	const struct ip_datagram *datagram = value;

	return !memcmp(&datagram->key, key, sizeof datagram->key);
}

static struct ip_datagram *begin(struct ip_fragments *fragments, const struct key *key, uint64_t hash,
				 const struct rtap_packet *packet)
{
	struct ip_datagram *datagram = memory_new_zeroed(1, sizeof *datagram);

	if (!datagram)
		return NULL;
	datagram->entry = (struct budget_entry){ .evict = evict, .owner = datagram };
	datagram->key = *key;
	datagram->hash = hash;
	datagram->fragments = fragments;
	datagram->is_ipv6 = packet->address_length == 16;
	datagram->since_ns = packet->frame->time_ns;
	datagram->total = UNKNOWN;
	if (!budget_take(fragments->budget, &datagram->entry, sizeof *datagram)) {
		free(datagram);
		return NULL;
	}
	if (!map_add(&fragments->map, hash, datagram)) {
		budget_give(fragments->budget, &datagram->entry, datagram->entry.bytes);
		free(datagram);
		return NULL;
	}
	link_last(&fragments->pending[datagram->is_ipv6], datagram);
	return datagram;
}

/* Makes room for `end` bytes. */
static bool reserve(struct ip_datagram *datagram, uint32_t end)
{
	uint32_t room = datagram->room ? datagram->room : FIRST_ROOM;
	uint64_t more;
	uint8_t *grown;

	while (room < end)
		room *= 2;
	if (room == datagram->room)
		return true;
	more = 2 * (uint64_t)(room - datagram->room);
	if (!budget_take(datagram->fragments->budget, &datagram->entry, more))
		return false;
	grown = memory_resize(datagram->bytes, room);
	if (grown)
		datagram->bytes = grown;
	grown = grown ? memory_resize(datagram->states, room) : NULL;
	if (!grown) {
		budget_give(datagram->fragments->budget, &datagram->entry, more);
		return false;
	}
	datagram->states = grown;
	memset(grown + datagram->room, MISSING, room - datagram->room);
	datagram->room = room;
	return true;
}

/* Whether bytes at the same position differ, as far as both were captured. */
static bool differs(const struct ip_datagram *datagram, uint32_t offset, const uint8_t *bytes, uint32_t captured)
{
	for (uint32_t i = 0; i < captured && offset + i < datagram->end; i++)
		if (datagram->states[offset + i] == CAPTURED && datagram->bytes[offset + i] != bytes[i])
			return true;
	return false;
}

static bool contradicts(const struct ip_datagram *datagram, const struct rtap_fragment_facts *facts, const uint8_t *bytes)
{
	uint32_t end = facts->datagram_offset + facts->piece.wire;

	if (datagram->total != UNKNOWN && (facts->more ? end > datagram->total : end != datagram->total))
		return true;
	if (!facts->more && end < datagram->end)
		return true;
	return differs(datagram, facts->datagram_offset, bytes, facts->piece.captured);
}

/* Returns whether it added anything. */
static bool put(struct ip_datagram *datagram, const struct rtap_fragment_facts *facts, const uint8_t *bytes)
{
	const struct rtap_payload *piece = &facts->piece;
	uint32_t offset = facts->datagram_offset, fresh = 0;
	bool gives_end = !facts->more && datagram->total == UNKNOWN;

	for (uint32_t i = 0; i < piece->wire; i++) {
		uint8_t *state = &datagram->states[offset + i];

		fresh += *state == MISSING;
		if (i < piece->captured && *state != CAPTURED) {
			datagram->bytes[offset + i] = bytes[i];
			*state = CAPTURED;
		} else if (*state == MISSING) {
			*state = CUT;
		}
	}
	if (offset + piece->wire > datagram->end)
		datagram->end = offset + piece->wire;
	datagram->covered += fresh;
	if (!facts->more)
		datagram->total = datagram->end;
	if (!offset) {
		datagram->header_length = facts->header_length;
		datagram->protocol = facts->protocol;
	}
	return fresh || gives_end;
}

static void refuse(struct ip_datagram *datagram, struct rtap_packet *packet)
{
	struct ip_fragments *fragments = datagram->fragments;

	fragments->refused++;
	packet_anomaly(packet, RTAP_ANOMALY_FRAGMENT_OVERLAP, packet->fragment.layer,
		       packet->layers[packet->fragment.layer].offset);
	datagram->state = REFUSED;
	datagram->since_ns = packet->frame->time_ns;
	free(datagram->bytes);
	free(datagram->states);
	datagram->bytes = datagram->states = NULL;
	budget_give(fragments->budget, &datagram->entry, 2 * (uint64_t)datagram->room);
	datagram->room = 0;
}

static void complete(struct ip_datagram *datagram, struct rtap_datagram *whole)
{
	struct ip_fragments *fragments = datagram->fragments;
	uint32_t captured = 0;

	fragments->completed++;
	datagram->state = COMPLETE;
	while (captured < datagram->total && datagram->states[captured] == CAPTURED)
		captured++;
	*whole = (struct rtap_datagram){
		.bytes = { datagram->bytes, captured },
		.wire = datagram->total,
		.header_length = datagram->header_length,
		.protocol = datagram->protocol,
	};
	/* The caller borrows it and may need memory for its contents. */
	datagram->entry.evict = NULL;
	unlink_datagram(datagram);
	link_last(&fragments->complete, datagram);
	if (fragments->complete.count > REMEMBERED)
		destroy(TAILQ_FIRST(&fragments->complete.list));
}

static bool is_expired(const struct ip_datagram *datagram, int64_t now_ns)
{
	return now_ns - datagram->since_ns > (datagram->state == REFUSED ? REFUSED_FOR : wait_for[datagram->is_ipv6]);
}

static void give_up(struct ip_datagram *datagram)
{
	if (datagram->state == PENDING)
		datagram->fragments->timed_out++;
	destroy(datagram);
}

static void expire(struct ip_fragments *fragments, int64_t now_ns)
{
	for (unsigned i = 0; i < 2; i++) {
		struct ip_datagram *first;

		while ((first = TAILQ_FIRST(&fragments->pending[i].list)) && is_expired(first, now_ns))
			give_up(first);
	}
	if (!TAILQ_EMPTY(&fragments->complete.list))
		TAILQ_LAST(&fragments->complete.list, ip_datagrams)->entry.evict = evict;
}

/* The length of a fragment is a multiple of 8, except for the last one. RFC 791, 3.2; RFC 8200, 4.5. */
static bool is_possible(const struct rtap_fragment_facts *facts)
{
	uint32_t length = facts->piece.wire;

	return length && length <= LARGEST && facts->datagram_offset <= LARGEST - length && (!facts->more || length % 8 == 0);
}

/*
 * The datagram of a fragment; NULL: out of memory. An expired one, or a complete one with other bytes at this position, is
 * an earlier datagram with the same identification.
 */
static struct ip_datagram *find(struct ip_fragments *fragments, const struct rtap_packet *packet, const uint8_t *bytes)
{
	struct key key = key_of(packet);
	uint64_t hash = map_hash(key.words, sizeof key.words / sizeof key.words[0]);
	struct ip_datagram *datagram = map_find(&fragments->map, hash, equal, &key);

	if (datagram && (is_expired(datagram, packet->frame->time_ns) ||
			 (datagram->state == COMPLETE && contradicts(datagram, &packet->fragment, bytes)))) {
		give_up(datagram);
		datagram = NULL;
	}
	return datagram ? datagram : begin(fragments, &key, hash, packet);
}

static enum ip_fragments_result add_to(struct ip_datagram *datagram, struct rtap_packet *packet, const uint8_t *bytes,
				       struct rtap_datagram *whole)
{
	const struct rtap_fragment_facts *facts = &packet->fragment;
	struct ip_fragments *fragments = datagram->fragments;

	budget_touch(fragments->budget, &datagram->entry);
	if (datagram->state == REFUSED) {
		fragments->dropped++;
		return IP_FRAGMENTS_PART;
	}
	if (datagram->state == PENDING && contradicts(datagram, facts, bytes)) {
		refuse(datagram, packet);
		return IP_FRAGMENTS_PART;
	}
	if (datagram->state == PENDING && !reserve(datagram, facts->datagram_offset + facts->piece.wire)) {
		fragments->unkept++;
		return IP_FRAGMENTS_PART;
	}
	if (datagram->state == COMPLETE || !put(datagram, facts, bytes)) {
		fragments->duplicates++;
		return IP_FRAGMENTS_PART;
	}
	if (datagram->covered != datagram->total)
		return IP_FRAGMENTS_PART;
	complete(datagram, whole);
	return IP_FRAGMENTS_WHOLE;
}

enum ip_fragments_result ip_fragments_add(struct ip_fragments *fragments, struct rtap_packet *packet,
					  struct rtap_datagram *whole)
{
	const struct rtap_fragment_facts *facts = &packet->fragment;
	const uint8_t *bytes = packet->sources[facts->piece.source].bytes + facts->piece.offset;
	struct ip_datagram *datagram;

	expire(fragments, packet->frame->time_ns);
	if (!packet->source_address || !is_possible(facts)) {
		fragments->invalid++;
		return IP_FRAGMENTS_PART;
	}
	datagram = find(fragments, packet, bytes);
	if (!datagram) {
		fragments->unkept++;
		return IP_FRAGMENTS_PART;
	}
	return add_to(datagram, packet, bytes, whole);
}

void ip_fragments_init(struct ip_fragments *fragments, struct budget *budget)
{
	*fragments = (struct ip_fragments){ .budget = budget };
	TAILQ_INIT(&fragments->pending[0].list);
	TAILQ_INIT(&fragments->pending[1].list);
	TAILQ_INIT(&fragments->complete.list);
}

void ip_fragments_fini(struct ip_fragments *fragments)
{
	for (unsigned i = 0; i < 2; i++)
		while (!TAILQ_EMPTY(&fragments->pending[i].list))
			give_up(TAILQ_FIRST(&fragments->pending[i].list));
	while (!TAILQ_EMPTY(&fragments->complete.list))
		destroy(TAILQ_FIRST(&fragments->complete.list));
	map_fini(&fragments->map);
}
