/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of reliable connections against a model of requesters, responders, the network and the capture point (transfer_model.h): what is
 * reported of a message is true of one message of the model, with just the bytes that were captured; if the capture has every packet, in order,
 * all is reported, with the right frames, repeats and counts.
 * Input: a header of NETWORK_HEADER bytes, then records of NETWORK_RECORD bytes: a message to post, time, and faults of the frames to come.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/tracker.h>

#include "tests/roce_kit.h"

#include "harness.h"
#include "message_checks.h"
#include "transfer_model.h"

#define HOST 0x0a000001u      /* of side A; B's is the next */
#define PAYLOAD_AT(length, payload) ((length) - 4 - (4 - (payload) % 4) % 4 - (payload))
#define COUNTED 4             /* packets whose identifications show that their sender counts */
#define GIVEN_UP_NS INT64_C(2000000000) /* what lacks packets is given up when it gets none for this long, but later requests were answered */

/* What the capture has of a message. */
struct sight {
	bool seen[TRANSFER_PACKETS];    /* a packet with this data was captured, perhaps truncated */
	bool claimed[TRANSFER_PACKETS]; /* a reported message has it */
	uint32_t kept[TRANSFER_PACKETS]; /* bytes of its payload */
	bool due[TRANSFER_PACKETS];     /* a message with some of them must be reported */
	bool has_request, is_again, is_reported, is_complete; /* is_again: requested again */
	bool is_given_up;               /* what comes of it now may be reported nowhere */
	int64_t active_ns;              /* time of its last captured packet */
	bool is_turned;                 /* the responses to a READ were captured in another order */
	bool is_early;                  /* a response was captured before its request, or without it */
	bool begins_late;               /* a READ whose restart was captured before its request, or without it */
	bool comes_late;                /* its first captured request was captured after later requests or their responses */
	uint64_t first, last, frames, repeats, answered; /* numbers of frames, and counts, if the capture has all in order */
	uint64_t until;                 /* number of the last frame, perhaps a repeat */
};

struct run {
	struct message_run base;
	bool is_clear;           /* the capture shows why each packet comes again */
	bool is_paired;          /* it is known which responses belong to which requests */
	struct sight sights[TRANSFER_MESSAGES];
	unsigned requests[TRANSFER_DIRECTIONS]; /* captured, without repeats */
	uint64_t reached[TRANSFER_DIRECTIONS]; /* PSN after the highest one captured, of requests and responses */
	uint64_t answered[TRANSFER_DIRECTIONS]; /* PSN after the last one that a captured response acknowledges */
	uint64_t counts[TRANSFER_CONNECTIONS][RTAP_CONNECTION_ANOMALY_COUNT];
};

static struct transfer_model model;

static uint32_t qpn_of(unsigned connection, unsigned side)
{
	return (model.options & TRANSFER_SAME_QPNS || !side ? 0x100u : 0x200u) + connection;
}

/* ---- frames ---- */

static uint16_t port_of(unsigned connection)
{
	/* as rdma_flow_label_to_udp_sport(rdma_calc_flow_label()) of Linux computes it */
	uint64_t product = (uint64_t)qpn_of(connection, 0) * qpn_of(connection, 1);
	uint32_t label;

	if (!(model.options & TRANSFER_PORTS))
		return 49152;
	product ^= product >> 20;
	product ^= product >> 40;
	label = product & 0xfffff;
	return (uint16_t)(0xc000 | ((label & 0x3fff) ^ (label >> 14)));
}

/* Makes the frame; returns its length. *payload: where its payload is. */
static uint32_t make_frame(const struct transfer_frame *frame, uint8_t *bytes, uint32_t *payload)
{
	static uint8_t data[4096];
	const struct transfer_message *message = frame->message;
	unsigned sender = (frame->direction & 1) ^ frame->is_response;
	struct roce roce = {
		.source = HOST + sender, .destination = HOST + !sender, .opcode = frame->opcode, .ack_request = frame->ack_request,
		.dest_qp = qpn_of(frame->direction / 2, !sender), .psn = frame->psn & 0xffffff, .syndrome = frame->syndrome, .msn = frame->msn,
		.payload = data, .payload_length = frame->opcode == 0x0c ? 0 : frame->length,
	};
	uint32_t length;

	if (message) {
		roce.virtual_address = message->virtual_address + frame->offset;
		roce.r_key = message->r_key;
		roce.dma_length = (uint32_t)(message->length - frame->offset);
		roce.immediate = message->immediate;
		roce.swap_or_add = message->index * 3u;
		roce.compare = message->index * 5u;
		transfer_fill(message, 0, 8, data);
		for (unsigned i = 0; i < 8; i++)
			roce.original = roce.original << 8 | data[i];
		transfer_fill(message, frame->offset, frame->offset + roce.payload_length, data);
	}
	length = roce_frame(bytes, &roce);
	*payload = PAYLOAD_AT(length, roce.payload_length);
	if (frame->opcode == 0x12) /* the original value counts as its payload */
		*payload -= 8;
	roce_put(bytes + 4, frame->id, 2);
	roce_put(bytes + 20, port_of(frame->direction / 2), 2);
	return length;
}

static void give_setup_of(struct run *run, unsigned connection)
{
	static const uint8_t attributes[] = { CM_REQ, CM_REP, CM_RTU };
	static uint8_t bytes[ROCE_MAX_FRAME];
	const struct transfer_requester *first = &model.requesters[2 * connection];
	struct rtap_packet packet;

	for (unsigned i = 0; i < 3; i++) {
		unsigned side = i & 1;
		struct roce_cm cm = {
			.attribute = attributes[i], .transaction = 0x10 + connection, .service_id = 0x1064e51, .local_id = 0x20 + 2 * connection + side,
			.remote_id = 0x20 + 2 * connection + !side, .qpn = qpn_of(connection, side),
			/* of the packets that it will receive */
			.psn = (uint32_t)first[!side].first & 0xffffff, .mtu_code = (uint8_t)(__builtin_ctz(model.path_mtu) - 7),
		};
		uint32_t length = roce_cm_frame(bytes, HOST + side, HOST + !side, &cm);

		message_run_give(&run->base, bytes, length, length, NETWORK_START_NS, &packet);
	}
}

static void give_setup(struct message_run *run)
{
	if (model.options & TRANSFER_CM)
		for (unsigned connection = 0; connection < (model.options & TRANSFER_TWO ? TRANSFER_CONNECTIONS : 1); connection++)
			give_setup_of((struct run *)run, connection);
}

static void give_nothing(struct message_run *run)
{
	(void)run;
}

/* ---- what the capture has ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The place of a request or response in its message's data; TRANSFER_PACKETS: it carries none. */
static uint64_t data_at(const struct transfer_frame *frame)
{
	if (!frame->message || transfer_is_answered_by_data(frame->message) != frame->is_response)
		return TRANSFER_PACKETS;
	return frame->psn - frame->message->psn;
}

/* SENDs and WRITEs that the response acknowledges. */
static void note_answer(struct run *run, const struct transfer_frame *frame)
{
	uint64_t end = frame->psn + (!frame->message && frame->syndrome == 0x1f);

	for (unsigned i = 0; i < model.message_count; i++) {
		const struct transfer_message *message = &model.messages[i];
		struct sight *sight = &run->sights[i];

		if (message->direction != frame->direction)
			continue;
		if (transfer_is_answered_by_data(message) ? message->completed == frame : message->end <= end && !sight->answered)
			sight->answered = run->base.frames;
	}
}

static void note(struct run *run, const struct transfer_frame *frame, uint32_t payload, uint32_t captured)
{
	uint64_t at = data_at(frame);
	uint32_t length = frame->opcode == 0x12 ? 8 : frame->length, kept = captured > payload ? captured - payload : 0;
	uint64_t reached;
	struct sight *sight;
	bool is_new;

	/* truncated before its syndrome; a Middle has none */
	if (frame->is_response && frame->opcode != 0x0e && captured < 44)
		return;
	if (frame->is_response) {
		note_answer(run, frame);
		run->answered[frame->direction] = most(run->answered[frame->direction], frame->psn + (frame->message || frame->syndrome == 0x1f));
	}
	reached = run->reached[frame->direction];
	run->reached[frame->direction] = most(reached, frame->psn + 1);
	if (!frame->message)
		return;
	sight = &run->sights[frame->message->index];
	sight->comes_late |= !frame->is_response && !sight->has_request && frame->psn < reached;
	sight->is_given_up |= sight->frames && frame->fate.captured_ns - sight->active_ns >= GIVEN_UP_NS &&
			      (!run->is_paired || run->answered[frame->direction] > frame->message->end);
	sight->active_ns = frame->fate.captured_ns;
	sight->until = run->base.frames;
	if (kept > length)
		kept = length;
	if (at < TRANSFER_PACKETS) {
		is_new = !sight->seen[at];
		sight->is_turned |= is_new && frame->is_response && at + 1 < TRANSFER_PACKETS && memchr(sight->seen + at + 1, true, TRANSFER_PACKETS - at - 1);
		sight->seen[at] = true;
		sight->is_early |= frame->is_response && !sight->has_request;
		sight->due[at] |= kept && !sight->is_given_up;
		if (kept > sight->kept[at])
			sight->kept[at] = kept;
	} else {
		is_new = !sight->has_request && frame->psn == frame->message->psn;
	}
	sight->begins_late |= !frame->is_response && frame->psn > frame->message->psn && frame->opcode == 0x0c && !sight->has_request;
	sight->is_again |= !frame->is_response && (frame->is_again || frame->fate.is_copy);
	/* with all of its extended header */
	if (!frame->is_response && frame->psn == frame->message->psn && captured >= payload)
		sight->has_request = true;
	if (!is_new) {
		sight->repeats++;
		return;
	}
	sight->frames++;
	sight->last = run->base.frames;
	if (!sight->first)
		sight->first = run->base.frames;
}

static enum rtap_psn_analysis analysis_of(const struct transfer_frame *frame)
{
	return frame->fate.is_copy ? RTAP_PSN_DUPLICATE : frame->is_again ? RTAP_PSN_RETRANSMISSION : RTAP_PSN_IN_ORDER;
}

static void count(struct run *run, const struct transfer_frame *frame)
{
	uint64_t *counts = run->counts[frame->direction / 2];

	counts[RTAP_CONNECTION_ANOMALY_RETRANSMISSION] += frame->message && analysis_of(frame) == RTAP_PSN_RETRANSMISSION;
	counts[RTAP_CONNECTION_ANOMALY_DUPLICATE] += frame->fate.is_copy;
	run->requests[frame->direction] += !frame->is_response && !frame->fate.is_copy && !frame->is_again;
	if (frame->message || !frame->is_response || frame->fate.is_copy)
		return;
	counts[RTAP_CONNECTION_ANOMALY_NAK_SEQUENCE] += frame->syndrome == 0x60;
	counts[RTAP_CONNECTION_ANOMALY_NAK_ACCESS] += frame->syndrome == 0x62;
	counts[RTAP_CONNECTION_ANOMALY_RNR] += frame->syndrome >> 5 == 1;
}

static void check_packet(struct run *run, const struct transfer_frame *frame, const struct rtap_packet *packet)
{
	enum rtap_psn_analysis expected = analysis_of(frame);

	if (!run->base.is_exact || !run->is_paired || !frame->message || !packet->flow.present)
		return;
	if (!run->is_clear && (!(model.options & TRANSFER_IDS) || run->requests[frame->direction] < COUNTED))
		return;
	/* a response to a request that was sent again can be its first one, or the first one that the capture has */
	if (frame->is_response && !run->is_clear)
		return;
	if (frame->is_response && run->sights[frame->message->index].is_again && packet->flow.analysis == RTAP_PSN_RETRANSMISSION &&
	    expected == RTAP_PSN_IN_ORDER) {
		run->counts[frame->direction / 2][RTAP_CONNECTION_ANOMALY_RETRANSMISSION]++;
		return;
	}
	if (packet->flow.analysis != expected)
		fprintf(stderr, "frame %llu: analysis %u, not %u\n", (unsigned long long)run->base.frames, packet->flow.analysis, expected);
	REQUIRE(packet->flow.analysis == expected);
}

static void give_frame(struct message_run *base, unsigned number)
{
	static uint8_t bytes[ROCE_MAX_FRAME];
	struct run *run = (struct run *)base;
	const struct transfer_frame *frame = &model.frames[number];
	uint32_t payload, length = make_frame(frame, bytes, &payload), captured = network_captured_length(&model.net, &frame->fate, 40, length);
	struct rtap_packet packet;

	message_run_give(base, bytes, captured, length, frame->fate.captured_ns, &packet);
	note(run, frame, payload, captured);
	count(run, frame);
	check_packet(run, frame, &packet);
}

/* ---- what is reported ---- */

static unsigned side_of(const struct rtap_end *end)
{
	REQUIRE(end->address_length == 4 && end->address[0] == 10 && (end->address[3] == 1 || end->address[3] == 2));
	return end->address[3] - 1;
}

static unsigned direction_of(const struct rtap_message *shown)
{
	const struct rtap_connection *connection = shown->connection;
	const struct rtap_end *requester, *responder;
	unsigned side;

	REQUIRE(connection);
	requester = shown->from_a ? &connection->a : &connection->b;
	responder = shown->from_a ? &connection->b : &connection->a;
	side = side_of(requester);
	REQUIRE(side_of(responder) == !side);
	for (unsigned number = 0; number < TRANSFER_CONNECTIONS; number++)
		if ((requester->qpn_known && requester->qpn == qpn_of(number, side)) ||
		    (!requester->qpn_known && responder->qpn == qpn_of(number, !side)))
			return 2 * number + side;
	require(false, "a queue pair of the model");
	return 0;
}

/* What is missing is what was not captured. `base`: of the reported message in that of the model. */
static void check_missing(struct run *run, const struct rtap_message *shown, const struct transfer_message *message, uint64_t base)
{
	struct sight *sight = &run->sights[message->index];

	for (uint64_t at = base / model.path_mtu; at < message->packets; at++) {
		uint64_t begin = at * model.path_mtu - base, end = least(message->length - base, begin + model.path_mtu), kept = sight->kept[at];

		begin = least(begin, shown->length);
		end = least(end, shown->length);
		kept = least(kept, end - begin);
		/* what was not captured is missing */
		REQUIRE(message_checks_missing(shown, begin + kept, end) == end - begin - kept);
		if (message_checks_missing(shown, begin, end) == end - begin)
			continue;
		/* a READ requested again from its middle, see check_values(), has its responses too; a repeat of what was evicted is new */
		REQUIRE(!sight->claimed[at] || run->base.is_tight || (message->verb == TRANSFER_READ && (!run->is_paired || sight->begins_late)));
		sight->claimed[at] = true;
		REQUIRE(run->base.is_tight || sight->is_given_up || !message_checks_missing(shown, begin, begin + kept));
	}
}

static void check_complete(const struct run *run, const struct rtap_message *shown, const struct transfer_message *message, uint64_t base)
{
	static uint8_t bytes[TRANSFER_PACKETS * 4096];
	const struct sight *sight = &run->sights[message->index];

	REQUIRE(!base || shown->request_seen);
	REQUIRE(shown->length == message->length - base && shown->length_known && !shown->missing_count);
	for (uint64_t at = base / model.path_mtu; at < message->packets; at++)
		REQUIRE(sight->seen[at]);
	if (!(model.options & (MESSAGE_BYTES | MESSAGE_SUMS)))
		return;
	transfer_fill(message, base, message->length, bytes);
	if (model.options & MESSAGE_BYTES && !shown->bytes_evicted)
		REQUIRE(shown->bytes.length == shown->length && (!shown->length || !memcmp(shown->bytes.bytes, bytes, shown->length)));
	if (model.options & MESSAGE_SUMS)
		REQUIRE(shown->has_crc && shown->crc32 == crc32_z(0, bytes, shown->length));
}

static void check_values(const struct run *run, const struct rtap_message *shown, const struct transfer_message *message, uint64_t base)
{
	static const uint8_t verbs[] = { RTAP_VERB_SEND, RTAP_VERB_SEND, RTAP_VERB_SEND, RTAP_VERB_WRITE, RTAP_VERB_WRITE, RTAP_VERB_READ,
					 RTAP_VERB_COMPARE_SWAP, RTAP_VERB_FETCH_ADD };
	static const uint8_t kinds[] = { RTAP_KIND_SEND, RTAP_KIND_SEND, RTAP_KIND_SEND, RTAP_KIND_WRITE, RTAP_KIND_WRITE, RTAP_KIND_READ,
					 RTAP_KIND_ATOMIC, RTAP_KIND_ATOMIC };

	REQUIRE(shown->verb == verbs[message->verb] && shown->kind == kinds[message->verb]);
	REQUIRE(!shown->has_immediate || message->verb == TRANSFER_SEND_IMMEDIATE || message->verb == TRANSFER_WRITE_IMMEDIATE);
	REQUIRE(!shown->has_immediate || shown->immediate == message->immediate);
	REQUIRE(!shown->has_invalidate || (message->verb == TRANSFER_SEND_INVALIDATE && shown->invalidated_r_key == message->immediate));
	REQUIRE(!shown->request_seen || message->verb >= TRANSFER_WRITE);
	if (!shown->request_seen)
		return;
	/* a READ requested again from its middle can be one of its own if the capture lacks the first request then, or the path MTU is not known */
	REQUIRE(!base || (message->verb == TRANSFER_READ && (!run->is_paired || run->base.is_tight || run->sights[message->index].begins_late)));
	REQUIRE(shown->has_key && shown->r_key == message->r_key && shown->virtual_address == message->virtual_address + base);
	REQUIRE(shown->length == message->length - base);
	if (message->verb > TRANSFER_READ)
		REQUIRE(shown->swap_or_add == message->index * 3u);
	if (message->verb == TRANSFER_COMPARE_SWAP)
		REQUIRE(shown->compare == message->index * 5u);
}

/* Whether an earlier message, or this one, was requested again while a response to it was on the way, and this one was sent before that ended. */
static bool is_crossed(const struct run *run, const struct transfer_message *message)
{
	for (const struct transfer_message *before = model.messages; before <= message; before++)
		if (before->is_crossed && (before == message || (before->direction == message->direction &&
								  run->sights[before->index].until > run->sights[message->index].first)))
			return true;
	return false;
}

static void check_exact(const struct run *run, const struct rtap_message *shown, const struct transfer_message *message)
{
	const struct sight *sight = &run->sights[message->index];
	bool is_answered = sight->answered;
	/* the capture does not show whether a requester accepted a response that was on the way when it asked again */
	bool is_known = is_answered && !is_crossed(run, message) && (run->is_clear || !sight->is_again || !transfer_is_answered_by_data(message));

	REQUIRE(!sight->is_reported);
	REQUIRE(shown->first_frame == sight->first && shown->last_frame == sight->last && shown->frames == sight->frames);
	if (shown->repeats != sight->repeats)
		fprintf(stderr, "message %u: %llu repeats, not %llu\n", message->index, (unsigned long long)shown->repeats, (unsigned long long)sight->repeats);
	REQUIRE(shown->repeats == sight->repeats);
	REQUIRE(!is_answered || shown->complete);
	REQUIRE(!is_answered || shown->outcome == RTAP_OUTCOME_GOOD);
	if (is_known && shown->answered_in != sight->answered)
		fprintf(stderr, "message %u: answered in %llu, not %llu\n", message->index, (unsigned long long)shown->answered_in, (unsigned long long)sight->answered);
	REQUIRE(!is_known || shown->answered_in == sight->answered);
	REQUIRE(shown->has_immediate == (shown->complete && (message->verb == TRANSFER_SEND_IMMEDIATE || message->verb == TRANSFER_WRITE_IMMEDIATE)));
}

static void take_message(void *owner, const struct rtap_message *shown)
{
	struct run *run = owner;
	unsigned direction;
	struct transfer_message *message;
	uint64_t psn, base;

	if (shown->kind == RTAP_KIND_MAD)
		return;
	direction = direction_of(shown);
	/* all PSNs of a direction are within 2^23 of the middle */
	psn = TRANSFER_FIRST_PSN + (uint64_t)(int64_t)((int32_t)(shown->psn << 8) >> 8);
	message = transfer_message_at(&model, direction, psn);
	REQUIRE(message);
	base = (psn - message->psn) * model.path_mtu;
	REQUIRE(message->verb <= TRANSFER_READ || !base);
	REQUIRE(shown->length <= message->length - base);
	check_values(run, shown, message, base);
	check_missing(run, shown, message, base);
	if (shown->complete)
		check_complete(run, shown, message, base);
	if (run->base.is_exact && run->is_paired)
		check_exact(run, shown, message);
	run->sights[message->index].is_reported = true;
	run->sights[message->index].is_complete |= shown->complete && !base;
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct run *run = owner;
	/* the first ones depend on which packets are copies */
	static const uint8_t exact[] = {
		RTAP_CONNECTION_ANOMALY_RETRANSMISSION, RTAP_CONNECTION_ANOMALY_NAK_SEQUENCE, RTAP_CONNECTION_ANOMALY_NAK_ACCESS,
		RTAP_CONNECTION_ANOMALY_RNR,
		RTAP_CONNECTION_ANOMALY_NOT_CAPTURED, RTAP_CONNECTION_ANOMALY_OUT_OF_ORDER, RTAP_CONNECTION_ANOMALY_DIFFERING_REPEAT,
		RTAP_CONNECTION_ANOMALY_LENGTH_MISMATCH, RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE, RTAP_CONNECTION_ANOMALY_RESYNCHRONISED,
	};
	unsigned number = 0;

	if (!run->base.is_exact || !run->is_paired || connection->transport != RTAP_TRANSPORT_RC)
		return;
	while (number < TRANSFER_CONNECTIONS && connection->a.qpn != qpn_of(number, side_of(&connection->a)))
		number++;
	REQUIRE(number < TRANSFER_CONNECTIONS);
	for (unsigned i = run->is_clear ? 0 : 4; i < sizeof exact; i++) {
		if (connection->anomaly_counts[exact[i]] != run->counts[number][exact[i]])
			fprintf(stderr, "connection %u: %s: %llu, not %llu\n", number, rtap_connection_anomaly_name(exact[i]),
				(unsigned long long)connection->anomaly_counts[exact[i]], (unsigned long long)run->counts[number][exact[i]]);
		REQUIRE(connection->anomaly_counts[exact[i]] == run->counts[number][exact[i]]);
	}
}

/* ---- the whole ---- */

/*
 * Whether the capture shows why each packet comes again. Without identifications, one that comes within a millisecond counts as a copy made by the
 * network, unless a NAK or a missing response explains it. Nothing does if the network made copies of requests, if packets overtook others, or if
 * responses were lost after their capture.
 */
static bool is_clear(void)
{
	unsigned requests[TRANSFER_DIRECTIONS] = { 0 };

	for (unsigned i = 0; i < model.net.frame_count; i++) {
		const struct transfer_frame *frame = &model.frames[i];
		bool has_ids = model.options & TRANSFER_IDS && requests[frame->direction] >= COUNTED;

		if (frame->fate.is_late || frame->fate.fault == NETWORK_COPIED || frame->fate.fault == NETWORK_DELAYED)
			return false;
		if (!has_ids && frame->is_response && frame->fate.fault == NETWORK_LOST_AFTER)
			return false;
		requests[frame->direction] += !frame->is_response && !frame->is_again;
	}
	return true;
}

/* Whether the capture shows where the message ends: by its last packet, or by its request. The response to an atomic does not without its request. */
static bool shows_end(const struct sight *sight, const struct transfer_message *message)
{
	return (sight->seen[message->packets - 1] && message->verb <= TRANSFER_READ) || (sight->has_request && message->verb >= TRANSFER_WRITE);
}

/* Whether the request of a READ, and all it asks for, can be the rest of a READ that began before, for all that the capture shows. */
static bool may_be_rest(const struct run *run, const struct transfer_message *read)
{
	const struct transfer_message *before = transfer_message_at(&model, read->direction, read->psn - 1);
	const struct sight *sight = &run->sights[read->index];

	if (read->verb != TRANSFER_READ || !before || shows_end(&run->sights[before->index], before))
		return false;
	if (sight->comes_late || sight->is_early)
		return true;
	/* or of the last one before it that the capture has packets of */
	while (before && before->verb != TRANSFER_READ && (before->verb > TRANSFER_READ || !memchr(run->sights[before->index].seen, true, before->packets)))
		before = transfer_message_at(&model, read->direction, before->psn - 1);
	return before && before->verb == TRANSFER_READ && !shows_end(&run->sights[before->index], before);
}

static void check_all(const struct run *run)
{
	for (unsigned i = 0; i < model.message_count; i++) {
		const struct transfer_message *message = &model.messages[i];
		const struct sight *sight = &run->sights[i];
		/* an atomic whose first request was not captured, and its response before the second */
		bool is_lone_response = message->verb > TRANSFER_READ && sight->is_early && (sight->is_again || !sight->has_request);
		bool is_whole = !is_lone_response && (message->verb < TRANSFER_WRITE || (sight->has_request && !sight->begins_late && !may_be_rest(run, message)));

		for (uint64_t at = 0; at < message->packets; at++) {
			uint32_t length = (uint32_t)least(model.path_mtu, message->length - at * model.path_mtu);

			is_whole &= sight->seen[at] && sight->kept[at] == length && (sight->due[at] || !sight->is_given_up);
			/*
			 * Responses alone can be unexpected ones, or wait for their requester until later messages have been reported. Without a
			 * setup, those of a READ that was requested again can be taken for repeats of others, and so can one with a PSN before that of
			 * the first one captured.
			 */
			REQUIRE(sight->claimed[at] || !sight->due[at] || is_lone_response || (message->verb > TRANSFER_READ && !run->is_paired) ||
				(message->verb == TRANSFER_READ && !run->is_paired && (sight->is_early || sight->is_again || sight->is_turned)));
		}
		if (!sight->is_complete && is_whole && run->is_paired)
			fprintf(stderr, "message %u should be complete\n", i);
		REQUIRE(sight->is_complete || !is_whole || !run->is_paired);
	}
}

size_t input_part(const uint8_t *data, size_t size, size_t at)
{
	(void)data;
	(void)size;
	return at ? NETWORK_RECORD : NETWORK_HEADER;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run run;
	struct rtap_tracker_options options = { .size = sizeof options, .message = take_message, .connection = take_connection, .owner = &run };

	if (size < NETWORK_HEADER || size > NETWORK_HEADER + NETWORK_RECORD * 512)
		return 0;
	transfer_run(&model, data, size);
	memset(&run, 0, sizeof run);
	run.is_clear = is_clear();
	run.is_paired = model.options & TRANSFER_CM;
	run.base.is_exact = network_is_captured(&model.net, true);
	message_run(&run.base, data, &options, &model.net, give_setup, give_frame, give_nothing);
	if (!run.base.is_tight)
		check_all(&run);
	return 0;
}
