/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "harness.h"
#include "transfer_model.h"

#define MOST_READS 4          /* of a requester that are not answered */
#define WINDOW 48             /* packets of a requester that are not acknowledged */
#define RNR_CODES 4

enum { ACK = 0x1f, RNR = 0x20, NAK_SEQUENCE = 0x60, NAK_ACCESS = 0x62 };

struct transfer_message *transfer_message_at(struct transfer_model *model, unsigned direction, uint64_t psn)
{
	for (unsigned i = 0; i < model->message_count; i++) {
		struct transfer_message *message = &model->messages[i];

		if (message->direction == direction && psn >= message->psn && psn < message->end)
			return message;
	}
	return NULL;
}

void transfer_fill(const struct transfer_message *message, uint64_t begin, uint64_t end, uint8_t *bytes)
{
	for (uint64_t at = begin; at < end; at++)
		bytes[at - begin] = (uint8_t)((at + message->index * 37u + 1) * 0x9e3779b1u >> 24);
}

static uint64_t packets_of(uint64_t length, uint32_t path_mtu)
{
	return length ? (length + path_mtu - 1) / path_mtu : 1;
}

/* ---- the network and the capture point ---- */

/* Sends the frame, which its caller fills but for what becomes of it. */
static void transmit(struct transfer_model *model, const struct transfer_frame *sent, bool is_copy)
{
	struct transfer_frame *frame = &model->frames[model->net.frame_count];
	unsigned side = (sent->direction & 1) ^ sent->is_response;

	if (network_is_full(&model->net))
		return;
	*frame = *sent;
	if (!is_copy)
		frame->id = model->options & TRANSFER_IDS ? model->ids[side]++ : 0;
	if (network_send(&model->net, &frame->fate, side, is_copy))
		transmit(model, frame, true);
}

/* ---- the requester ---- */

static unsigned count_reads(struct transfer_model *model, unsigned direction)
{
	const struct transfer_requester *requester = &model->requesters[direction];
	unsigned count = 0;

	for (unsigned i = 0; i < model->message_count; i++) {
		const struct transfer_message *message = &model->messages[i];

		count += message->direction == direction && transfer_is_answered_by_data(message) && message->psn < requester->next &&
			 message->end > requester->acknowledged;
	}
	return count;
}

static uint8_t opcode_of(const struct transfer_message *message, bool is_first, bool is_last)
{
	static const uint8_t lasts[] = { 0x02, 0x03, 0x16, 0x08, 0x09 }, onlys[] = { 0x04, 0x05, 0x17, 0x0a, 0x0b };

	switch (message->verb) {
	case TRANSFER_READ: return 0x0c;
	case TRANSFER_COMPARE_SWAP: return 0x13;
	case TRANSFER_FETCH_ADD: return 0x14;
	default: break;
	}
	if (is_last)
		return is_first ? onlys[message->verb] : lasts[message->verb];
	return (uint8_t)((message->verb >= TRANSFER_WRITE ? 0x06 : 0x00) + !is_first);
}

static uint32_t length_at(const struct transfer_model *model, const struct transfer_message *message, uint64_t offset)
{
	uint64_t rest = message->length - offset;

	return (uint32_t)(rest < model->path_mtu ? rest : model->path_mtu);
}

/* Whether a response to the message is on its way, or the responder will still send one, though nothing asks for it again. */
static bool is_on_the_way(const struct transfer_model *model, const struct transfer_message *message)
{
	const struct transfer_responder *responder = &model->responders[message->direction];

	for (unsigned i = model->net.arrived; i < model->net.frame_count; i++) {
		const struct transfer_frame *frame = &model->frames[i];

		if (frame->is_response && frame->message == message && frame->fate.is_received && frame->fate.received_ns >= 0)
			return true;
	}
	for (unsigned i = 0; i < responder->count; i++)
		if (responder->answers[(responder->first + i) % TRANSFER_ANSWERS].message == message)
			return true;
	return false;
}

static void request_one(struct transfer_model *model, unsigned direction)
{
	struct transfer_requester *requester = &model->requesters[direction];
	struct transfer_message *message;
	struct transfer_frame frame = { .direction = direction, .psn = requester->next };
	uint64_t at;

	if (requester->has_failed || requester->next == requester->posted || model->net.now_ns < requester->wait_ns ||
	    requester->next - requester->acknowledged >= WINDOW)
		return;
	message = transfer_message_at(model, direction, requester->next);
	if (transfer_is_answered_by_data(message) && count_reads(model, direction) - (message->psn < requester->next) >= MOST_READS)
		return;
	at = requester->next - message->psn;
	frame.message = message;
	frame.offset = at * model->path_mtu;
	frame.opcode = opcode_of(message, !at, requester->next + 1 == message->end);
	frame.is_again = requester->next < requester->sent;
	if (frame.is_again) {
		message->is_crossed |= is_on_the_way(model, message);
		frame.cause = requester->cause;
		requester->cause = TRANSFER_NO_CAUSE;
	}
	if (message->verb == TRANSFER_READ) {
		frame.length = (uint32_t)(message->length - frame.offset);
		frame.ack_request = true;
		requester->next = message->end;
	} else {
		frame.length = message->verb < TRANSFER_READ ? length_at(model, message, frame.offset) : 0;
		requester->next++;
		frame.ack_request = (requester->next == message->end && message->is_signaled) || requester->next == requester->posted ||
				    frame.is_again || (message->acks_within && at % 3 == 1);
	}
	if (requester->next > requester->sent)
		requester->sent = requester->next;
	requester->active_ns = model->net.now_ns;
	transmit(model, &frame, false);
}

static void go_back(struct transfer_model *model, struct transfer_requester *requester, uint64_t psn, enum transfer_cause cause)
{
	requester->next = psn;
	requester->cause = (uint8_t)cause;
	requester->active_ns = model->net.now_ns;
}

/* All below `psn` is answered; `frame` shows it. */
static void advance(struct transfer_model *model, unsigned direction, uint64_t psn, const struct transfer_frame *frame)
{
	struct transfer_requester *requester = &model->requesters[direction];

	if (psn <= requester->acknowledged)
		return;
	for (unsigned i = 0; i < model->message_count; i++) {
		struct transfer_message *message = &model->messages[i];

		if (message->direction == direction && message->end > requester->acknowledged && message->end <= psn)
			message->completed = frame;
	}
	requester->acknowledged = psn;
	requester->active_ns = model->net.now_ns;
	requester->recovers = false;
	if (requester->next < psn)
		requester->next = psn;
}

/*
 * A response that shows that all requests below `psn` were received. Returns whether they are all answered: if data of one is missing, a
 * packet was lost. IBTA vol. 1, 9.7.5.1.2 and 9.7.5.2.8.
 */
static bool accept_up_to(struct transfer_model *model, unsigned direction, uint64_t psn, const struct transfer_frame *frame)
{
	struct transfer_requester *requester = &model->requesters[direction];
	uint64_t stop = requester->acknowledged;

	while (stop < psn && !transfer_is_answered_by_data(transfer_message_at(model, direction, stop)))
		stop++;
	advance(model, direction, stop, frame);
	if (stop >= psn)
		return true;
	if (!requester->recovers)
		go_back(model, requester, stop, TRANSFER_BY_IMPLIED_NAK);
	requester->recovers = true;
	return false;
}

static int64_t rnr_wait_ns(unsigned code)
{
	static const int64_t waits_us[RNR_CODES] = { 10, 60, 1280, 10240 };

	return waits_us[code % RNR_CODES] * 1000;
}

static uint8_t rnr_syndrome(unsigned code)
{
	static const uint8_t codes[RNR_CODES] = { 1, 5, 14, 20 };

	return (uint8_t)(RNR | codes[code % RNR_CODES]);
}

static void take_response(struct transfer_model *model, const struct transfer_frame *frame)
{
	struct transfer_requester *requester = &model->requesters[frame->direction];
	unsigned code;

	if (requester->has_failed || frame->psn >= requester->sent)
		return;
	if (frame->message) {
		if (frame->psn >= requester->acknowledged && accept_up_to(model, frame->direction, frame->psn, frame))
			advance(model, frame->direction, frame->psn + 1, frame);
		return;
	}
	if (frame->syndrome == ACK) {
		accept_up_to(model, frame->direction, frame->psn + 1, frame);
		return;
	}
	if (frame->psn < requester->acknowledged || !accept_up_to(model, frame->direction, frame->psn, frame))
		return;
	if (frame->syndrome == NAK_ACCESS) {
		requester->has_failed = true;
		return;
	}
	if (frame->syndrome == NAK_SEQUENCE) {
		go_back(model, requester, frame->psn, TRANSFER_BY_NAK);
		return;
	}
	for (code = 0; rnr_syndrome(code) != frame->syndrome;)
		code++;
	go_back(model, requester, frame->psn, TRANSFER_BY_RNR);
	requester->wait_ns = model->net.now_ns + rnr_wait_ns(code);
}

static void check_timeout(struct transfer_model *model, struct transfer_requester *requester)
{
	if (requester->has_failed || requester->acknowledged == requester->sent || model->net.now_ns - requester->active_ns < model->net.timeout_ns ||
	    model->net.now_ns < requester->wait_ns)
		return;
	go_back(model, requester, requester->acknowledged, TRANSFER_BY_TIMEOUT);
	requester->recovers = false;
}

/* ---- the responder ---- */

static void answer(struct transfer_model *model, unsigned direction, const struct transfer_answer *answer)
{
	struct transfer_responder *responder = &model->responders[direction];
	unsigned last = (responder->first + responder->count - 1) % TRANSFER_ANSWERS;

	if (responder->count && answer->syndrome == ACK && !answer->message && !responder->answers[last].message &&
	    responder->answers[last].syndrome == ACK && !(model->options & TRANSFER_EVERY_ACK)) {
		responder->answers[last] = *answer;
		return;
	}
	/* its requester will ask again */
	if (responder->count == TRANSFER_ANSWERS)
		return;
	responder->answers[(responder->first + responder->count++) % TRANSFER_ANSWERS] = *answer;
}

static void execute(struct transfer_model *model, const struct transfer_frame *frame)
{
	struct transfer_responder *responder = &model->responders[frame->direction];
	struct transfer_message *message = frame->message;
	bool is_new = frame->psn == responder->expected, is_data = transfer_is_answered_by_data(message);
	struct transfer_answer response = { .syndrome = ACK, .psn = frame->psn, .first = frame->psn, .end = frame->psn + 1 };

	if (message->verb == TRANSFER_READ)
		response.end = message->end;
	if (is_new) {
		responder->has_refused = false;
		responder->expected = response.end;
		responder->msn += response.end == message->end;
	}
	response.msn = responder->msn;
	if (is_data)
		response.message = message;
	else
		response.psn = responder->expected - 1;
	if (is_data || !is_new || frame->ack_request)
		answer(model, frame->direction, &response);
}

static void take_request(struct transfer_model *model, const struct transfer_frame *frame)
{
	struct transfer_responder *responder = &model->responders[frame->direction];
	struct transfer_answer response = { .psn = responder->expected, .msn = responder->msn };

	if (responder->has_failed)
		return;
	if (frame->psn > responder->expected) {
		response.syndrome = NAK_SEQUENCE;
		if (!responder->has_refused)
			answer(model, frame->direction, &response);
		responder->has_refused = true;
		return;
	}
	if (frame->psn == responder->expected && frame->fate.fault == TRANSFER_NOT_READY) {
		response.syndrome = rnr_syndrome(frame->fate.argument);
		answer(model, frame->direction, &response);
		responder->has_refused = true;
		return;
	}
	if (frame->psn == responder->expected && frame->fate.fault == TRANSFER_REFUSED) {
		response.syndrome = NAK_ACCESS;
		answer(model, frame->direction, &response);
		responder->has_failed = true;
		return;
	}
	execute(model, frame);
}

static void respond_one(struct transfer_model *model, unsigned direction)
{
	struct transfer_responder *responder = &model->responders[direction];
	struct transfer_answer *response = &responder->answers[responder->first];
	struct transfer_message *message = response->message;
	struct transfer_frame frame = { .direction = direction, .is_response = true, .psn = response->psn, .message = message,
					.msn = response->msn, .syndrome = response->syndrome, .opcode = 0x11 };
	bool is_first = response->psn == response->first, is_last = response->psn + 1 >= response->end;

	if (!responder->count)
		return;
	if (message) {
		uint64_t at = response->psn - message->psn;

		frame.offset = at * model->path_mtu;
		frame.is_again = message->was_answered[at];
		message->was_answered[at] = true;
		frame.opcode = message->verb != TRANSFER_READ ? 0x12 : is_first && is_last ? 0x10 : is_first ? 0x0d : is_last ? 0x0f : 0x0e;
		if (message->verb == TRANSFER_READ)
			frame.length = length_at(model, message, frame.offset);
	}
	if (message && !is_last) {
		response->psn++;
	} else {
		responder->first = (responder->first + 1) % TRANSFER_ANSWERS;
		responder->count--;
	}
	transmit(model, &frame, false);
}

/* ---- time ---- */

static void receive(void *owner, unsigned number)
{
	struct transfer_model *model = owner;
	const struct transfer_frame *frame = &model->frames[number];

	if (frame->is_response)
		take_response(model, frame);
	else
		take_request(model, frame);
}

static bool act(void *owner)
{
	struct transfer_model *model = owner;
	bool is_quiet = true;

	for (unsigned direction = 0; direction < TRANSFER_DIRECTIONS; direction++) {
		check_timeout(model, &model->requesters[direction]);
		request_one(model, direction);
		if (model->net.ticks % model->net.pace == 0)
			respond_one(model, direction);
		is_quiet &= !model->responders[direction].count;
	}
	return is_quiet;
}

static int64_t timeout(const void *owner)
{
	const struct transfer_model *model = owner;
	int64_t next_ns = INT64_MAX;

	for (unsigned direction = 0; direction < TRANSFER_DIRECTIONS; direction++) {
		const struct transfer_requester *requester = &model->requesters[direction];
		int64_t until = requester->active_ns + model->net.timeout_ns;

		if (requester->has_failed || requester->acknowledged == requester->posted)
			continue;
		if (requester->wait_ns > model->net.now_ns && (requester->next < requester->posted || until < requester->wait_ns))
			until = requester->wait_ns;
		if (until < next_ns)
			next_ns = until;
	}
	return next_ns;
}

/* ---- records ---- */

static uint64_t length_of(const struct transfer_model *model, const uint8_t *record)
{
	uint64_t path_mtu = model->path_mtu, many = record[1] >> 4;

	switch (record[1] & 15) {
	case 0: return 0;
	case 1: return 1;
	case 2: return path_mtu - 1;
	case 3: return path_mtu;
	case 4: return path_mtu + 1;
	case 5: return 2 * path_mtu;
	case 6: return 2 * path_mtu + 1;
	case 7: return 3 * path_mtu - 1;
	case 8: return record[2];
	case 9: return 4 * path_mtu;
	case 10: return (many + 1) * 2 * path_mtu;
	default: return many * path_mtu + (record[2] * path_mtu >> 8);
	}
}

static void post(void *owner, const uint8_t *record)
{
	struct transfer_model *model = owner;
	unsigned direction = (record[0] & TRANSFER_OF_SECOND && model->options & TRANSFER_TWO ? 2 : 0) | (record[0] & TRANSFER_BY_B ? 1 : 0);
	struct transfer_requester *requester = &model->requesters[direction];
	struct transfer_message *message = &model->messages[model->message_count];
	uint64_t data;

	if ((record[0] & 15) >= TRANSFER_VERBS || model->message_count == TRANSFER_MESSAGES)
		return;
	*message = (struct transfer_message){
		.index = model->message_count++, .direction = direction, .verb = (enum transfer_verb)(record[0] & 15), .psn = requester->posted,
		.length = length_of(model, record), .r_key = 0x1000u + (record[3] & 3), .virtual_address = 0x7f0000000000 + record[3] / 4 * 512u,
		.is_signaled = !(record[0] & TRANSFER_UNSIGNALED), .acks_within = record[0] & TRANSFER_ACKS_WITHIN,
	};
	message->immediate = 0xabcd0000 + message->index;
	if (message->verb > TRANSFER_READ)
		message->length = 8;
	data = packets_of(message->length, model->path_mtu);
	message->packets = data;
	message->end = message->psn + (message->verb > TRANSFER_READ ? 1 : data);
	REQUIRE(data <= TRANSFER_PACKETS);
	requester->posted = message->end;
}

static void start(struct transfer_model *model, const uint8_t *header)
{
	static const struct network_sides sides = { post, receive, act, timeout };
	static const unsigned snaps[] = { 58, 64, 76, 128 };

	memset(model, 0, offsetof(struct transfer_model, frames));
	network_start(&model->net, header, 1 + (header[1] >> 4), snaps);
	model->net.sides = &sides;
	model->net.model = model;
	model->net.lateness = 2;
	model->net.fault_kinds = TRANSFER_FAULT_KINDS;
	model->options = header[0];
	model->path_mtu = 256u << (header[1] & 15) % 5;
	for (unsigned direction = 0; direction < TRANSFER_DIRECTIONS; direction++) {
		struct transfer_requester *requester = &model->requesters[direction];

		requester->posted = TRANSFER_FIRST_PSN - header[3] + (direction * (header[7] & 15u) << 4);
		/* responses name one end only: without a setup, PSNs show which connection they belong to */
		if (direction >= 2 && !(model->options & TRANSFER_CM))
			requester->posted += UINT64_C(1) << 20;
		requester->first = requester->next = requester->sent = requester->acknowledged = model->responders[direction].expected = requester->posted;
	}
}

void transfer_run(struct transfer_model *model, const uint8_t *input, size_t length)
{
	start(model, input);
	network_run(&model->net, input, length);
}
