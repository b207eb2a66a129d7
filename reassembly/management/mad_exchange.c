/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/management/mad.h"
#include "reassembly/management/mad_exchange.h"
#include "base/memory.h"
#include "reassembly/message_pair.h"
#include "reassembly/state.h"
#include "reassembly/time_windows.h"

/* Methods. IBTA vol. 1, 13.4.5, 15.2.2. */
enum {
	METHOD_GET = 0x01, METHOD_SET = 0x02, METHOD_TRAP = 0x05, METHOD_REPORT = 0x06, METHOD_TRAP_REPRESS = 0x07, METHOD_GET_TABLE = 0x12,
	METHOD_GET_TRACE_TABLE = 0x13, METHOD_GET_MULTI = 0x14, METHOD_DELETE = 0x15, METHOD_RESPONSE = 0x80,
};

/* Ends as in the request. */
struct exchange_key {
	struct rtap_end requester, responder;
	uint64_t transaction_id;
	uint16_t attribute;
	uint8_t management_class;
};

struct mad_exchange {
	struct exchange_key key;
	uint64_t hash;
	struct mad_exchanges *exchanges;
	TAILQ_ENTRY(mad_exchange) link;
	struct message *request;  /* that waits for the response; NULL: none */
	uint64_t first_frame;
	int64_t time_ns, last_ns; /* of the first request and of the last packet */
	uint32_t point;
	bool answered;
	struct budget_entry entry;
};

void mad_exchange_init(struct mad_exchanges *exchanges, struct budget *budget)
{
	*exchanges = (struct mad_exchanges){ .budget = budget };
	TAILQ_INIT(&exchanges->list);
}

static bool is_request(uint8_t method)
{
	switch (method) {
	case METHOD_GET:
	case METHOD_SET:
	case METHOD_TRAP:
	case METHOD_REPORT:
	case METHOD_GET_TABLE:
	case METHOD_GET_TRACE_TABLE:
	case METHOD_GET_MULTI:
	case METHOD_DELETE:
		return true;
	default:
		return false;
	}
}

static bool is_answer(uint8_t method)
{
	return method & METHOD_RESPONSE || method == METHOD_TRAP_REPRESS;
}

static bool same_address(const struct rtap_end *a, const struct rtap_end *b)
{
	return a->address_length == b->address_length && !memcmp(a->address, b->address, a->address_length);
}

static bool same_exchange(const void *value, const void *wanted)
{
	const struct exchange_key *a = &((const struct mad_exchange *)value)->key, *b = wanted;
	uint32_t high_a = (uint32_t)(a->transaction_id >> 32), high_b = (uint32_t)(b->transaction_id >> 32);

	return (uint32_t)a->transaction_id == (uint32_t)b->transaction_id && (high_a == high_b || !high_a || !high_b) &&
	       a->management_class == b->management_class && a->attribute == b->attribute &&
	       same_address(&a->requester, &b->requester) && same_address(&a->responder, &b->responder);
}

static uint64_t hash_of(const struct exchange_key *key)
{
	uint64_t words[6] = { (uint32_t)key->transaction_id, (uint64_t)key->attribute << 8 | key->management_class };

	memcpy(words + 2, key->requester.address, 16);
	memcpy(words + 4, key->responder.address, 16);
	return map_hash(words, 6);
}

static void release_request(struct mad_exchange *exchange)
{
	if (!exchange->request)
		return;
	if (!exchange->answered)
		exchange->request->shown.outcome = RTAP_OUTCOME_UNANSWERED;
	exchange->request->exchange = NULL;
	exchange->request = NULL;
}

static void destroy(struct mad_exchange *exchange)
{
	struct mad_exchanges *exchanges = exchange->exchanges;

	release_request(exchange);
	if (exchanges->first_held == exchange)
		exchanges->first_held = TAILQ_NEXT(exchange, link);
	TAILQ_REMOVE(&exchanges->list, exchange, link);
	map_remove(&exchanges->map, exchange->hash, exchange);
	budget_give(exchanges->budget, &exchange->entry, exchange->entry.bytes);
	free(exchange);
}

static void evict(struct budget_entry *entry, void *owner)
{
	struct mad_exchange *exchange = owner;

	(void)entry;
	/* it is unknown whether a response would have followed */
	if (exchange->request)
		mad_exchange_discard(exchange->request);
	destroy(exchange);
}

static struct mad_exchange *create(struct mad_exchanges *exchanges, const struct exchange_key *key, uint64_t hash,
				   const struct rtap_frame *frame)
{
	struct mad_exchange *exchange = memory_new_zeroed(1, sizeof *exchange);

	if (!exchange)
		return NULL;
	exchange->entry.evict = evict;
	exchange->entry.owner = exchange;
	exchange->exchanges = exchanges;
	exchange->key = *key;
	exchange->hash = hash;
	exchange->first_frame = frame->number;
	exchange->time_ns = exchange->last_ns = frame->time_ns;
	exchange->point = frame->capture_point;
	if (!budget_take(exchanges->budget, &exchange->entry, sizeof *exchange)) {
		free(exchange);
		return NULL;
	}
	if (!map_add(&exchanges->map, hash, exchange)) {
		budget_give(exchanges->budget, &exchange->entry, sizeof *exchange);
		free(exchange);
		return NULL;
	}
	TAILQ_INSERT_TAIL(&exchanges->list, exchange, link);
	if (!exchanges->first_held)
		exchanges->first_held = exchange;
	return exchange;
}

static struct exchange_key key_of(const struct rtap_mad_facts *mad, const struct rtap_end *requester, const struct rtap_end *responder)
{
	return (struct exchange_key){
		.requester = *requester, .responder = *responder, .transaction_id = mad->transaction_id,
		/*
		 * The answer to a trap is a notice with the same number. Classes that differ only in routing have one
		 * number. 14.2.1
		 */
		.attribute = mad->attribute,
		.management_class = mad->management_class == MAD_CLASS_SUBNET_DIRECTED ? MAD_CLASS_SUBNET : mad->management_class,
	};
}

static void take_request(struct mad_exchanges *exchanges, struct rtap_packet *packet, struct message *message,
			 const struct rtap_end *source, const struct rtap_end *destination)
{
	struct exchange_key key = key_of(&packet->mad, source, destination);
	uint64_t hash = hash_of(&key);
	const struct rtap_frame *frame = packet->frame;
	struct mad_exchange *exchange = map_find(&exchanges->map, hash, same_exchange, &key);

	if (exchange && !exchange->answered && frame->time_ns - exchange->last_ns < REMEMBER_NS) {
		bool twice = frame->capture_point != exchange->point && frame->time_ns - exchange->last_ns < TWICE_NS;

		packet->flow.analysis = twice ? RTAP_PSN_CAPTURED_TWICE : RTAP_PSN_RETRANSMISSION;
		if (message && message != exchange->request && !twice)
			message->shown.retry_of = exchange->first_frame;
		exchange->last_ns = frame->time_ns;
		/* Those of a segment are counted with its message. */
		if (exchange->request && !twice && !exchange->request->gathers)
			exchange->request->shown.repeats++;
		return;
	}
	/* the number is used again */
	if (exchange)
		destroy(exchange);
	exchange = create(exchanges, &key, hash, frame);
	if (!exchange || !message)
		return;
	exchange->request = message;
	message->exchange = exchange;
}

static void take_answer(struct mad_exchanges *exchanges, struct rtap_packet *packet, struct message *message, const struct rtap_end *source,
			const struct rtap_end *destination)
{
	struct exchange_key key = key_of(&packet->mad, destination, source);
	struct mad_exchange *exchange = map_find(&exchanges->map, hash_of(&key), same_exchange, &key);
	int64_t latency;

	if (!exchange)
		return;
	latency = packet->frame->time_ns - exchange->time_ns;
	if (latency >= REMEMBER_NS)
		return;
	packet->flow.has_latency = true;
	packet->flow.request_frame = exchange->first_frame;
	packet->flow.latency_ns = latency;
	exchange->last_ns = packet->frame->time_ns;
	budget_touch(exchanges->budget, &exchange->entry);
	/* For a message of several segments: to the first of them. */
	if (message && !message->shown.has_latency) {
		message->shown.has_latency = true;
		message->shown.latency_ns = latency;
	}
	if (!exchange->answered && exchange->request) {
		exchange->request->shown.answered_in = packet->frame->number;
		/* A message of several segments that began before the request is reported before it. */
		if (message && message->shown.first_frame > exchange->request->shown.first_frame)
			message_pair(exchange->request, message);
	}
	exchange->answered = true;
	release_request(exchange);
}

static void fill_message(struct rtap_message *shown, const struct rtap_mad_facts *mad)
{
	shown->is_mad = true;
	shown->mad_class = mad->management_class;
	shown->mad_method = mad->method;
	shown->mad_status = mad->status;
	shown->mad_attribute = mad->attribute;
	shown->mad_class_name = mad_class_name(mad->management_class);
	shown->mad_method_name = mad_method_name(mad->method);
	shown->mad_attribute_name = mad_attribute_name(mad);
	shown->mad_status_name = mad->status ? mad_status_name(mad) : NULL;
	shown->mad_is_answer = is_answer(mad->method);
	shown->transaction_id = mad->transaction_id;
	if (mad->rmpp) {
		shown->rmpp_type = mad->rmpp_type;
		if (!shown->segments)
			shown->rmpp_segment = mad->rmpp_type == RMPP_DATA || mad->rmpp_type == RMPP_ACK ? mad->rmpp_segment : 0;
	}
}

bool mad_exchange_asks(const struct rtap_mad_facts *mad)
{
	return is_request(mad->method) && (!mad->rmpp || (mad->rmpp_type == RMPP_DATA && mad->rmpp_segment == 1));
}

void mad_exchange_packet(struct mad_exchanges *exchanges, struct rtap_packet *packet, struct message *message,
			 const struct rtap_end *source, const struct rtap_end *destination)
{
	const struct rtap_mad_facts *mad = &packet->mad;

	if (!mad->present)
		return;
	if (message)
		fill_message(&message->shown, mad);
	/* Acknowledgements of segments have the response bit of the method inverted and are neither. */
	if (mad->management_class == MAD_CLASS_COMMUNICATION || (mad->rmpp && mad->rmpp_type != RMPP_DATA))
		return;
	if (mad_exchange_asks(mad))
		take_request(exchanges, packet, message, source, destination);
	else if (is_answer(mad->method))
		take_answer(exchanges, packet, message, source, destination);
}

void mad_exchange_advance(struct mad_exchanges *exchanges, int64_t now_ns)
{
	struct mad_exchange *exchange;

	while ((exchange = exchanges->first_held) && (!exchange->request || now_ns - exchange->time_ns >= HOLD_NS)) {
		release_request(exchange);
		exchanges->first_held = TAILQ_NEXT(exchange, link);
	}
	while ((exchange = TAILQ_FIRST(&exchanges->list)) && now_ns - exchange->time_ns >= REMEMBER_NS)
		destroy(exchange);
}

void mad_exchange_finish(struct mad_exchanges *exchanges)
{
	for (struct mad_exchange *exchange = exchanges->first_held; exchange; exchange = TAILQ_NEXT(exchange, link))
		release_request(exchange);
	exchanges->first_held = NULL;
}

void mad_exchange_discard(struct message *message)
{
	if (message->exchange)
		message->exchange->request = NULL;
	message->exchange = NULL;
}

void mad_exchange_fini(struct mad_exchanges *exchanges)
{
	while (!TAILQ_EMPTY(&exchanges->list))
		destroy(TAILQ_FIRST(&exchanges->list));
	map_fini(&exchanges->map);
}
