/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_walk.h"
#include "dissect/infiniband/upper.h"
#include "base/memory.h"
#include "reassembly/stream/address_words.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/rpc_conversation.h"

#define XID_AND_TYPE 8
#define TYPE_CALL 0
#define TYPE_REPLY 1

/* Minimum bytes kept of a message if memory is short. */
#define LEAST_KEPT 1024

struct rpc_waiting {
	struct rpc_conversation *conversation;
	TAILQ_ENTRY(rpc_waiting) link;
	uint64_t hash, memory, repeats;
	bool from_a, mapped;
	struct message *message; /* the user's */
	struct rtap_rpc_facts facts;
	struct rpc_heard heard; /* its bytes follow */
	uint8_t bytes[];
};

/* A reply captured before bytes that its sender had received: its call may be among them. */
struct rpc_early {
	SLIST_ENTRY(rpc_early) link;
	uint64_t memory;
	bool from_a;
	struct message *place;  /* the user's */
	struct rpc_heard heard; /* its bytes follow */
	uint8_t bytes[];
};

struct waiting_key {
	const struct rpc_conversation *conversation;
	bool from_a;
	uint32_t xid;
};

static uint64_t hash_of(const struct waiting_key *key)
{
	const uint64_t words[] = { (uintptr_t)key->conversation, (uint64_t)key->xid << 1 | key->from_a };

	return map_hash(words, 2);
}

static bool same_call(const void *value, const void *key)
{
	const struct rpc_waiting *waiting = value;
	const struct waiting_key *wanted = key;

	return waiting->conversation == wanted->conversation && waiting->from_a == wanted->from_a && waiting->facts.xid == wanted->xid;
}

static struct rpc_waiting *find_waiting(const struct rpc_conversation *conversation, bool from_a, uint32_t xid)
{
	struct waiting_key key = { conversation, from_a, xid };

	return conversation->waiting ? map_find(&conversation->carriers->calls, hash_of(&key), same_call, &key) : NULL;
}

static void free_waiting(struct rpc_waiting *waiting)
{
	struct rpc_conversation *conversation = waiting->conversation;

	if (waiting->mapped)
		map_remove(&conversation->carriers->calls, waiting->hash, waiting);
	TAILQ_REMOVE(&conversation->calls, waiting, link);
	conversation->waiting--;
	budget_give(conversation->carriers->budget, &conversation->entry, waiting->memory);
	free(waiting);
}

/* Memory for reporting a part. */
struct part_room {
	struct xdr_extent extents[3];
	struct rtap_missing missing[2];
};

/* What was received and not kept is evicted; what follows is missing for the message's reason. */
static void fill_part(struct rpc_part *part, struct part_room *room, const struct rpc_heard *heard, const struct rtap_rpc_facts *facts, bool from_a)
{
	uint64_t kept = heard->bytes.length, length = heard->length > kept ? heard->length : kept;
	uint64_t seen = heard->reason == RTAP_MISSING_EVICTED || heard->seen > length ? length : heard->seen > kept ? heard->seen : kept;
	bool is_known = !heard->broken || length > seen;

	*part = (struct rpc_part){
		.present = true, .complete = length == kept && !heard->broken, .is_laid_out = !heard->broken, .from_a = from_a,
		.extents = room->extents, .length = length, .missing = room->missing,
		.first_frame = heard->first_frame, .last_frame = heard->last_frame,
		.time_ns = heard->time_ns, .time_end_ns = heard->time_end_ns,
		.facts = *facts,
	};
	room->extents[part->extent_count++] = (struct xdr_extent){ XDR_BYTES, heard->bytes.bytes, 0, kept };
	if (seen > kept) {
		room->extents[part->extent_count++] = (struct xdr_extent){ XDR_ELSEWHERE, NULL, kept, seen - kept };
		room->missing[part->missing_count++] = (struct rtap_missing){ kept, seen - kept, true, RTAP_MISSING_EVICTED };
	}
	if (length > seen)
		room->extents[part->extent_count++] = (struct xdr_extent){ XDR_HOLE, NULL, seen, length - seen };
	if (length > seen || (heard->broken && (!part->missing_count || heard->reason != RTAP_MISSING_EVICTED)))
		room->missing[part->missing_count++] = (struct rtap_missing){ seen, length - seen, is_known, heard->reason };
}

/* Who opened the connection. Guessed if captured from the middle: the end without an RPC port, or the caller. */
static bool opened_by_a(struct rpc_conversation *conversation, bool call_from_a)
{
	if (conversation->carrier == RPC_OVER_UDP)
		return call_from_a;
	if (!conversation->opener_known) {
		bool a_has_port = rpc_port(conversation->ports[true]), b_has_port = rpc_port(conversation->ports[false]);

		conversation->opener_known = true;
		conversation->opened_by_a = a_has_port == b_has_port ? call_from_a : b_has_port;
	}
	return conversation->opened_by_a;
}

/* Reports a call, its reply, or both. */
static void report(struct rpc_conversation *conversation, const struct rpc_waiting *call, const struct rpc_heard *reply,
		 const struct rtap_rpc_facts *reply_facts, bool call_from_a)
{
	struct rpc_carriers *carriers = conversation->carriers;
	struct part_room asked, answered;
	struct rpc_exchange exchange = { .carrier = conversation->carrier };

	carriers->exchanges++;
	if (!carriers->user.exchange)
		return;
	exchange.stream = conversation->number;
	exchange.client = conversation->ends[call_from_a];
	exchange.server = conversation->ends[!call_from_a];
	exchange.client_port = conversation->ports[call_from_a];
	exchange.server_port = conversation->ports[!call_from_a];
	exchange.reverse = opened_by_a(conversation, call_from_a) != call_from_a;
	if (call) {
		exchange.xid = call->facts.xid;
		exchange.call_repeats = call->repeats;
		fill_part(&exchange.call, &asked, &call->heard, &call->facts, call_from_a);
	}
	if (reply) {
		exchange.xid = reply_facts->xid;
		fill_part(&exchange.reply, &answered, reply, reply_facts, !call_from_a);
	}
	carriers->user.exchange(carriers->user.owner, &exchange);
}

/* The user's message of a call, if any, waits no longer. */
static void pair(const struct rpc_waiting *call, struct message *reply)
{
	const struct rpc_carriers_user *user = &call->conversation->carriers->user;

	if (call->message)
		user->pair(user->owner, call->message, reply, call->repeats);
}

static void give_up(struct rpc_waiting *waiting)
{
	report(waiting->conversation, waiting, NULL, NULL, waiting->from_a);
	pair(waiting, NULL);
	free_waiting(waiting);
}

void rpc_conversation_connect(struct rpc_conversation *conversation, bool call_from_a, uint64_t frame, int64_t time_ns)
{
	const struct rpc_carriers_user *user = &conversation->carriers->user;

	if (!conversation->number)
		conversation->number = user->connect(user->owner, conversation, opened_by_a(conversation, call_from_a), frame, time_ns);
}

static void discard_answered(struct rpc_conversation *conversation)
{
	budget_give(conversation->carriers->budget, &conversation->entry, conversation->remembered_room * sizeof *conversation->remembered);
	free(conversation->remembered);
	conversation->remembered = NULL;
	conversation->remembered_at = conversation->remembered_room = 0;
}

static void free_conversation(struct rpc_conversation *conversation)
{
	struct rpc_carriers *carriers = conversation->carriers;

	discard_answered(conversation);
	for (int side = 0; conversation->directions && side < 2; side++)
		if (conversation->is_rpc)
			rpc_record_fini(&conversation->directions[side].reader);
	if (conversation->carrier == RPC_OVER_UDP) {
		map_remove(&carriers->datagrams, conversation->hash, conversation);
		LIST_REMOVE(conversation, link);
		budget_give(carriers->budget, &conversation->entry, sizeof *conversation);
	} else {
		budget_give(carriers->budget, &carriers->entry, sizeof *conversation + 2 * sizeof *conversation->directions);
	}
	free(conversation->directions);
	free(conversation);
}

static void hear(struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard, struct message **place);

/* Processes a reply that waited, as if it arrived now. */
static void take_early(struct rpc_conversation *conversation, struct rpc_early *early)
{
	SLIST_REMOVE(&conversation->early, early, rpc_early, link);
	conversation->early_count--;
	hear(conversation, early->from_a, &early->heard, &early->place);
	if (early->place)
		conversation->carriers->user.release(conversation->carriers->user.owner, early->place);
	budget_give(conversation->carriers->budget, &conversation->entry, early->memory);
	free(early);
}

/* Whether bytes of the other end that the sender had received are still missing. The last one may be a FIN. */
static bool is_early(const struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard)
{
	const struct tcp_half *other = conversation->tcp ? &conversation->tcp->halves[!from_a] : NULL;

	return other && other->started && heard->cause > other->next + 1;
}

void rpc_conversation_take_early(struct rpc_conversation *conversation, bool call_from_a)
{
	struct rpc_early *early;

	do {
		SLIST_FOREACH(early, &conversation->early, link)
			if (early->from_a != call_from_a && !is_early(conversation, early->from_a, &early->heard))
				break;
		if (early)
			take_early(conversation, early);
	} while (early);
}

static void take_all_early(struct rpc_conversation *conversation)
{
	/* no more bytes arrive */
	conversation->tcp = NULL;
	while (!SLIST_EMPTY(&conversation->early))
		take_early(conversation, SLIST_FIRST(&conversation->early));
}

/* Queues a reply until its call arrives. False: it must not wait, or cannot. */
static bool let_wait(struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard)
{
	const struct rpc_carriers_user *user = &conversation->carriers->user;
	size_t size = sizeof(struct rpc_early) + heard->bytes.length;
	struct rpc_early *early;

	if (!is_early(conversation, from_a, heard) || conversation->early_count == RPC_MOST_EARLY ||
	    !budget_take(conversation->carriers->budget, &conversation->entry, size))
		return false;
	early = memory_new_zeroed(1, size);
	if (!early) {
		budget_give(conversation->carriers->budget, &conversation->entry, size);
		return false;
	}
	early->memory = size;
	early->from_a = from_a;
	early->heard = *heard;
	early->heard.bytes.bytes = memcpy(early->bytes, heard->bytes.bytes, heard->bytes.length);
	SLIST_INSERT_HEAD(&conversation->early, early, link);
	conversation->early_count++;
	if (user->reserve)
		user->reserve(user->owner, conversation, heard->first_frame, heard->time_ns, &early->place);
	return true;
}

void rpc_conversation_discard(struct rpc_conversation *conversation)
{
	const struct rpc_carriers_user *user = &conversation->carriers->user;
	const struct tcp_connection *tcp = conversation->tcp;

	take_all_early(conversation);
	conversation->tcp = tcp;
	while (!TAILQ_EMPTY(&conversation->calls))
		give_up(TAILQ_FIRST(&conversation->calls));
	for (int side = 0; conversation->directions && side < 2; side++)
		if (conversation->directions[side].place)
			user->place(user->owner, &conversation->directions[side], 0, 0);
	conversation->number = 0;
	conversation->connection = NULL;
}

void rpc_conversation_end(struct rpc_conversation *conversation)
{
	const struct rpc_carriers_user *user = &conversation->carriers->user;

	conversation->entry.evict = NULL;
	take_all_early(conversation);
	if (conversation->number)
		user->disconnect(user->owner, conversation);
	rpc_conversation_discard(conversation);
	free_conversation(conversation);
}

/* Evicts the calls; with UDP also the conversation. */
static void evict(struct budget_entry *entry, void *owner)
{
	struct rpc_conversation *conversation = owner;

	(void)entry;
	conversation->carriers->given_up += conversation->waiting;
	if (conversation->carrier == RPC_OVER_UDP) {
		rpc_conversation_end(conversation);
		return;
	}
	while (!TAILQ_EMPTY(&conversation->calls))
		give_up(TAILQ_FIRST(&conversation->calls));
	while (!SLIST_EMPTY(&conversation->early))
		take_early(conversation, SLIST_FIRST(&conversation->early));
	discard_answered(conversation);
}

void rpc_conversation_give_up(struct rpc_conversation *conversation)
{
	const struct rpc_carriers_user *user = &conversation->carriers->user;

	for (int side = 0; conversation->directions && conversation->is_rpc && side < 2; side++) {
		rpc_record_give_up(&conversation->directions[side].reader);
		/* Bytes that may be the start of a record are not a record yet. */
		if (conversation->directions[side].place)
			user->place(user->owner, &conversation->directions[side], 0, 0);
	}
	while (!TAILQ_EMPTY(&conversation->calls))
		give_up(TAILQ_FIRST(&conversation->calls));
	while (!SLIST_EMPTY(&conversation->early))
		take_early(conversation, SLIST_FIRST(&conversation->early));
}

/* No packet for a long time: no reply is expected any more. */
static void give_up_all(struct budget_entry *entry, void *owner)
{
	(void)entry;
	rpc_conversation_give_up(owner);
}

/* The same for single calls, while others are still answered. */
static void give_up_old(struct rpc_conversation *conversation, int64_t now_ns)
{
	int64_t longest = (int64_t)conversation->carriers->budget->give_up_ns;
	struct rpc_waiting *oldest;

	while ((oldest = TAILQ_FIRST(&conversation->calls)) && now_ns - oldest->heard.time_end_ns > longest)
		give_up(oldest);
}

struct rpc_conversation *rpc_conversation_create(struct rpc_carriers *carriers, enum rpc_carrier carrier)
{
	struct rpc_conversation *conversation = memory_new_zeroed(1, sizeof *conversation);

	if (!conversation)
		return NULL;
	TAILQ_INIT(&conversation->calls);
	conversation->carriers = carriers;
	conversation->carrier = carrier;
	conversation->entry = (struct budget_entry){ .evict = evict, .give_up = give_up_all, .owner = conversation };
	if (carrier == RPC_OVER_UDP)
		return conversation;
	conversation->directions = memory_new_zeroed(2, sizeof *conversation->directions);
	if (!conversation->directions) {
		free(conversation);
		return NULL;
	}
	for (int side = 0; side < 2; side++) {
		conversation->directions[side].conversation = conversation;
		conversation->directions[side].from_a = side;
	}
	/* There are at most as many as TCP connections, which are limited. */
	budget_charge(carriers->budget, &carriers->entry, sizeof *conversation + 2 * sizeof *conversation->directions);
	return conversation;
}

/* A copy of the message, or as much of it as memory allows. */
static struct rpc_waiting *create_waiting(struct rpc_conversation *conversation, const struct rpc_heard *heard)
{
	struct rpc_carriers *carriers = conversation->carriers;
	uint32_t kept = carriers->user.exchange ? heard->bytes.length : 0;
	struct rpc_waiting *waiting;

	if (!budget_take(carriers->budget, &conversation->entry, sizeof *waiting + kept)) {
		carriers->given_up++;
		kept = kept < LEAST_KEPT ? kept : LEAST_KEPT;
		if (!budget_take(carriers->budget, &conversation->entry, sizeof *waiting + kept))
			return NULL;
	}
	waiting = memory_new_zeroed(1, sizeof *waiting + kept);
	if (!waiting) {
		budget_give(carriers->budget, &conversation->entry, sizeof *waiting + kept);
		return NULL;
	}
	waiting->memory = sizeof *waiting + kept;
	waiting->conversation = conversation;
	waiting->heard = *heard;
	waiting->heard.bytes = (struct rtap_span){ waiting->bytes, kept };
	memcpy(waiting->bytes, heard->bytes.bytes, kept);
	return waiting;
}

/* The call, or the call that a reply answers, if it was recently answered; NULL: it is not a repeat. */
static struct rpc_remembered *find_remembered(const struct rpc_conversation *conversation, bool from_a, const struct rtap_rpc_facts *facts,
					      uint64_t length)
{
	uint32_t count = conversation->remembered_at < conversation->remembered_room ? conversation->remembered_at : conversation->remembered_room;

	for (uint32_t age = 1; age <= count; age++) {
		struct rpc_remembered *one = &conversation->remembered[(conversation->remembered_at - age) % conversation->remembered_room];

		if (one->facts.xid == facts->xid && one->from_a == from_a &&
		    (facts->is_reply || (one->facts.procedure == facts->procedure && one->length == length)))
			return one;
	}
	return NULL;
}

bool rpc_conversation_knows(const struct rpc_conversation *conversation, bool from_a, uint32_t xid)
{
	const struct rtap_rpc_facts reply = { .is_reply = true, .xid = xid };

	return find_waiting(conversation, from_a, xid) || find_remembered(conversation, from_a, &reply, 0);
}

bool rpc_conversation_context(const struct rpc_conversation *conversation, bool from_a, uint32_t xid, struct rtap_context *context)
{
	const struct rtap_rpc_facts reply = { .is_reply = true, .xid = xid };
	const struct rpc_waiting *waiting = find_waiting(conversation, !from_a, xid);
	const struct rpc_remembered *one = waiting ? NULL : find_remembered(conversation, !from_a, &reply, 0);

	if (waiting && waiting->facts.program_known)
		rpc_call_known(&waiting->facts, waiting->heard.first_frame, waiting->heard.time_ns, context);
	else if (one && one->facts.program_known)
		rpc_call_known(&one->facts, one->frame, one->time_ns, context);
	return context->rpc_known;
}

/* Doubles the ring; at the maximum the oldest entry is replaced. */
static bool reserve_remembered(struct rpc_conversation *conversation)
{
	struct budget *budget = conversation->carriers->budget;
	uint32_t room = conversation->remembered_room, larger = room ? room * 2 : 4;
	struct rpc_remembered *grown;

	if (conversation->remembered_at < room || room == RPC_REMEMBERED)
		return true;
	if (!budget_take(budget, &conversation->entry, (larger - room) * sizeof *grown))
		return room;
	grown = memory_resize(conversation->remembered, larger * sizeof *grown);
	if (!grown) {
		budget_give(budget, &conversation->entry, (larger - room) * sizeof *grown);
		return room;
	}
	conversation->remembered = grown;
	conversation->remembered_room = larger;
	return true;
}

/* The call ends: keeps what is needed to recognise repeats. */
static void remember(struct rpc_waiting *call)
{
	struct rpc_conversation *conversation = call->conversation;
	const struct rpc_remembered one = {
		.from_a = call->from_a, .facts = call->facts, .length = call->heard.length,
		.frame = call->heard.first_frame, .time_ns = call->heard.time_ns, .calls = call->repeats,
	};

	/* Requesting memory can evict all waiting calls. */
	free_waiting(call);
	if (reserve_remembered(conversation))
		conversation->remembered[conversation->remembered_at++ % conversation->remembered_room] = one;
}

/* Passes a message to the owner's callback, if there is one. */
static struct message *give(struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard,
			    const struct rtap_rpc_facts *facts, const struct rpc_relation *relation)
{
	const struct rpc_carriers_user *user = &conversation->carriers->user;

	return user->message ? user->message(user->owner, conversation, from_a, heard, facts, relation) : NULL;
}

static void wait_for_reply(struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard,
			   const struct rtap_rpc_facts *facts)
{
	struct rpc_carriers *carriers = conversation->carriers;
	struct waiting_key key = { conversation, from_a, facts->xid };
	struct rpc_waiting *waiting = create_waiting(conversation, heard);

	if (!waiting) {
		carriers->given_up++;
		give(conversation, from_a, heard, facts, &(struct rpc_relation){ 0 });
		return;
	}
	waiting->from_a = from_a;
	waiting->facts = *facts;
	TAILQ_INSERT_TAIL(&conversation->calls, waiting, link);
	conversation->waiting++;
	give(conversation, from_a, heard, facts, &(struct rpc_relation){ .slot = &waiting->message });
	waiting->hash = hash_of(&key);
	waiting->mapped = map_add(&carriers->calls, waiting->hash, waiting);
	if (!waiting->mapped) {
		carriers->given_up++;
		give_up(waiting);
	}
}

static void hear_call(struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard, const struct rtap_rpc_facts *facts)
{
	struct rpc_carriers *carriers = conversation->carriers;
	struct rpc_waiting *waiting = find_waiting(conversation, from_a, facts->xid);
	struct rpc_remembered *answered;

	if (waiting && waiting->facts.procedure == facts->procedure && waiting->heard.length == heard->length) {
		waiting->repeats++;
		carriers->repeats++;
		return;
	}
	answered = waiting ? NULL : find_remembered(conversation, from_a, facts, heard->length);
	if (answered) {
		carriers->repeats++;
		give(conversation, from_a, heard, facts, &(struct rpc_relation){ .repeats = ++answered->calls });
		return;
	}
	if (waiting)
		give_up(waiting);
	else if (conversation->waiting == RPC_MOST_WAITING)
		give_up(TAILQ_FIRST(&conversation->calls));
	wait_for_reply(conversation, from_a, heard, facts);
}

static void hear_reply(struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard,
		       const struct rtap_rpc_facts *facts, struct message **place)
{
	struct rpc_waiting *call = find_waiting(conversation, !from_a, facts->xid);
	struct rpc_remembered *answered = call ? NULL : find_remembered(conversation, !from_a, facts, 0);
	struct message *reply;

	if (answered) {
		conversation->carriers->repeats++;
		give(conversation, from_a, heard, facts,
		     &(struct rpc_relation){ .call = &answered->facts, .place = place, .repeats = ++answered->replies });
		return;
	}
	if (!call && !place && let_wait(conversation, from_a, heard))
		return;
	report(conversation, call, heard, facts, !from_a);
	reply = give(conversation, from_a, heard, facts, &(struct rpc_relation){ .call = call ? &call->facts : NULL, .place = place });
	if (!call)
		return;
	pair(call, reply);
	remember(call);
}

static void hear(struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard, struct message **place)
{
	struct xdr_extent extents[] = {
		{ XDR_BYTES, heard->bytes.bytes, 0, heard->bytes.length },
		{ XDR_HOLE, NULL, 0, heard->length > heard->bytes.length ? heard->length - heard->bytes.length : 0 },
	};
	struct rtap_context context = { .rpc_known = false };
	struct rtap_rpc_facts facts;
	uint32_t type;
	struct xdr xdr;

	if (heard->bytes.length < XID_AND_TYPE) {
		conversation->carriers->unreadable++;
		return;
	}
	type = load32(heard->bytes.bytes + 4);
	rpc_conversation_connect(conversation, type == TYPE_REPLY ? !from_a : from_a, heard->first_frame, heard->time_ns);
	if (type == TYPE_REPLY)
		rpc_conversation_context(conversation, from_a, load32(heard->bytes.bytes), &context);
	xdr_init(&xdr, extents, 2, 2);
	/* Missing header fields stay unknown. */
	if (rpc_read_header(&xdr, &context, &facts) != OK)
		facts.has_body = false;
	if (type == TYPE_CALL)
		hear_call(conversation, from_a, heard, &facts);
	else if (type == TYPE_REPLY)
		hear_reply(conversation, from_a, heard, &facts, place);
	else
		conversation->carriers->unreadable++;
}

void rpc_conversation_hear(struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard)
{
	hear(conversation, from_a, heard, NULL);
	give_up_old(conversation, heard->time_ns);
}

/* The key is the same for both directions: end a is the one that compares lower. */
static void make_key(const struct rtap_packet *packet, uint64_t key[5], bool *from_a)
{
	uint64_t source[3], destination[3], *a, *b;

	address_words(source, packet->source_address, packet->address_length);
	address_words(destination, packet->destination_address, packet->address_length);
	source[2] = packet->source_port;
	destination[2] = packet->destination_port;
	*from_a = memcmp(source, destination, sizeof source) <= 0;
	a = *from_a ? source : destination;
	b = *from_a ? destination : source;
	memcpy(key, a, 2 * sizeof *key);
	memcpy(key + 2, b, 2 * sizeof *key);
	key[4] = (uint64_t)packet->address_length << 32 | a[2] << 16 | b[2];
}

static bool same_ends(const void *value, const void *key)
{
	const struct rpc_conversation *conversation = value;

	return !memcmp(conversation->key, key, sizeof conversation->key);
}

struct rpc_conversation *rpc_conversation_find(struct rpc_carriers *carriers, const struct rtap_packet *packet, bool *from_a)
{
	uint64_t key[5];
	struct rpc_conversation *found;

	make_key(packet, key, from_a);
	found = carriers->datagrams.count ? map_find(&carriers->datagrams, map_hash(key, 5), same_ends, key) : NULL;
	if (found)
		budget_touch(carriers->budget, &found->entry);
	return found;
}

struct rpc_conversation *rpc_conversation_of_datagrams(struct rpc_carriers *carriers, const struct rtap_packet *packet, bool *from_a)
{
	struct rpc_conversation *made = rpc_conversation_create(carriers, RPC_OVER_UDP);

	if (!made)
		return NULL;
	make_key(packet, made->key, from_a);
	made->ends[*from_a].address_length = made->ends[!*from_a].address_length = packet->address_length;
	memcpy(made->ends[*from_a].address, packet->source_address, packet->address_length);
	memcpy(made->ends[!*from_a].address, packet->destination_address, packet->address_length);
	made->ports[*from_a] = packet->source_port;
	made->ports[!*from_a] = packet->destination_port;
	made->hash = map_hash(made->key, 5);
	if (!budget_take(carriers->budget, &made->entry, sizeof *made))
		goto no_memory;
	if (!map_add(&carriers->datagrams, made->hash, made)) {
		budget_give(carriers->budget, &made->entry, sizeof *made);
		goto no_memory;
	}
	LIST_INSERT_HEAD(&carriers->conversations, made, link);
	return made;
no_memory:
	free(made);
	return NULL;
}

void rpc_conversation_end_datagrams(struct rpc_carriers *carriers)
{
	while (!LIST_EMPTY(&carriers->conversations))
		rpc_conversation_end(LIST_FIRST(&carriers->conversations));
}
