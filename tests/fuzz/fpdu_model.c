/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/packet.h"

#include "fpdu_model.h"
#include "harness.h"

#define HOST 0x0a000001u      /* of side 0; that of side 1 is the next */
#define PORT 40000            /* of side 0 */

#define WINDOW 24000u          /* bytes that are not acknowledged */
#define ACK_TICKS 3            /* a delayed acknowledgement */
#define DUPLICATE_ACKS 3       /* that show a loss: RFC 5681, 3.2 */
#define UNTAGGED 18            /* RFC 5041, 4.2 and 4.3 */
#define TAGGED 14
#define READ_REQUEST 28        /* RFC 5040, 4.4 */
#define ATOMIC_REQUEST 52      /* RFC 7306, 5.2.1 */
#define IDENTIFIER 4           /* of an atomic, before the original value: RFC 7306, 5.2.2 */

enum { LAST = 0x40, TAGGED_FLAG = 0x80, DDP_VERSION = 0x01, RDMAP_VERSION = 0x40 };
enum { OPCODE_WRITE, OPCODE_READ_REQUEST, OPCODE_READ_RESPONSE, OPCODE_SEND, OPCODE_TERMINATE = 7, OPCODE_ATOMIC_REQUEST = 10, OPCODE_ATOMIC_RESPONSE };
enum { QUEUE_SENDS, QUEUE_REQUESTS, QUEUE_TERMINATE, QUEUE_ATOMICS };

void fpdu_fill(const struct fpdu_message *message, uint64_t begin, uint64_t end, uint8_t *bytes)
{
	for (uint64_t at = begin; at < end; at++)
		bytes[at - begin] = (uint8_t)((at + message->index * 41u + 1) * 0x9e3779b1u >> 24);
	/* Terminate Control without headers: RFC 5040, 4.8 */
	if (message->verb == FPDU_TERMINATE)
		put32(bytes, 0x10000000 | message->index << 16);
}

void fpdu_stream(const struct fpdu_model *model, unsigned side, uint32_t begin, uint32_t end, uint8_t *bytes)
{
	uint8_t setup[FPDU_SETUP] = "MPA ID Req Frame";
	bool markers_wanted = model->options >> !side & FPDU_MARKERS; /* in what it receives */

	setup[16] = (uint8_t)(markers_wanted << 7 | ((model->options & FPDU_CRCS) != 0) << 6);
	setup[17] = 1;
	setup[18] = setup[19] = 0;
	if (side)
		setup[9] = 'p';
	for (uint32_t at = begin; at < end; at++)
		bytes[at - begin] = at < FPDU_SETUP ? setup[at] : model->peers[side].sender.bytes[at - FPDU_SETUP];
}

/* ---- DDP and RDMAP ---- */

static void put64(uint8_t *to, uint64_t value)
{
	put32(to, (uint32_t)(value >> 32));
	put32(to + 4, (uint32_t)value);
}

static bool has_room(const struct fpdu_peer *peer)
{
	return peer->segment_count + 512 < FPDU_SEGMENTS && peer->length + (1u << 16) < FPDU_STREAM;
}

/* Adds an FPDU with `header_length` bytes of headers and a part of the message's data. */
static void add_fpdu(struct fpdu_peer *peer, const struct fpdu_message *message, uint8_t *ulpdu, uint32_t header_length, uint32_t at, uint32_t length,
		     bool is_request)
{
	struct fpdu_segment *segment = &peer->segments[peer->segment_count++];

	if (!is_request)
		fpdu_fill(message, at, at + length, ulpdu + header_length);
	send_fpdu(&peer->sender, ulpdu, header_length + length);
	*segment = (struct fpdu_segment){
		.message = message, .begin = peer->length, .end = FPDU_SETUP + peer->sender.length, .at = at, .length = is_request ? 0 : length,
		.is_request = is_request, .header = 2 + header_length,
	};
	peer->length = segment->end;
}

static uint32_t put_untagged(uint8_t *header, uint8_t opcode, bool is_last, uint32_t invalidated, uint32_t queue, uint32_t msn, uint32_t at)
{
	header[0] = (uint8_t)(DDP_VERSION | (is_last ? LAST : 0));
	header[1] = (uint8_t)(RDMAP_VERSION | opcode);
	put32(header + 2, invalidated);
	put32(header + 6, queue);
	put32(header + 10, msn);
	put32(header + 14, at);
	return UNTAGGED;
}

static uint32_t put_tagged(uint8_t *header, uint8_t opcode, bool is_last, uint32_t stag, uint64_t offset)
{
	header[0] = (uint8_t)(TAGGED_FLAG | DDP_VERSION | (is_last ? LAST : 0));
	header[1] = (uint8_t)(RDMAP_VERSION | opcode);
	put32(header + 2, stag);
	put64(header + 6, offset);
	return TAGGED;
}

static uint32_t put_atomic_response(uint8_t *header, const struct fpdu_message *message, uint32_t msn)
{
	uint32_t length = put_untagged(header, OPCODE_ATOMIC_RESPONSE, true, 0, QUEUE_ATOMICS, msn, 0);

	put32(header + length, message->index);
	return length + IDENTIFIER;
}

static void send_data(struct fpdu_model *model, struct fpdu_message *message)
{
	static uint8_t ulpdu[65536];
	struct fpdu_peer *peer = &model->peers[fpdu_data_side(message)];
	uint32_t at = 0, part;

	message->begin = peer->length;
	do {
		uint32_t rest = (uint32_t)message->length - at, header;
		bool is_last = rest <= model->payload;

		part = is_last ? rest : model->payload;
		if (message->verb == FPDU_READ)
			header = put_tagged(ulpdu, OPCODE_READ_RESPONSE, is_last, message->sink_stag, message->sink_offset + at);
		else if (message->verb == FPDU_WRITE)
			header = put_tagged(ulpdu, OPCODE_WRITE, is_last, message->stag, message->offset + at);
		else if (message->verb == FPDU_TERMINATE)
			header = put_untagged(ulpdu, OPCODE_TERMINATE, true, 0, QUEUE_TERMINATE, 1, 0);
		else if (fpdu_is_request(message))
			header = put_atomic_response(ulpdu, message, ++peer->msn_atomics);
		else
			header = put_untagged(ulpdu, (uint8_t)(OPCODE_SEND + message->verb), is_last, message->invalidated, QUEUE_SENDS, message->msn, at);
		add_fpdu(peer, message, ulpdu, header, at, part, false);
		at += part;
	} while (at < message->length);
	message->end = peer->length;
}

static uint32_t put_read(uint8_t *request, const struct fpdu_message *message)
{
	put32(request, message->sink_stag);
	put64(request + 4, message->sink_offset);
	put32(request + 12, (uint32_t)message->length);
	put32(request + 16, message->stag);
	put64(request + 20, message->offset);
	return READ_REQUEST;
}

static uint32_t put_atomic(uint8_t *request, const struct fpdu_message *message)
{
	put32(request, message->verb == FPDU_COMPARE_SWAP ? 2 : 0);
	put32(request + 4, message->index);
	put32(request + 8, message->stag);
	put64(request + 12, message->offset);
	put64(request + 20, message->index * 3u);
	put64(request + 28, UINT64_MAX);
	put64(request + 36, message->index * 5u);
	put64(request + 44, UINT64_MAX);
	return ATOMIC_REQUEST;
}

static void send_request(struct fpdu_model *model, struct fpdu_message *message)
{
	uint8_t ulpdu[UNTAGGED + ATOMIC_REQUEST];
	struct fpdu_peer *peer = &model->peers[message->side];
	bool is_read = message->verb == FPDU_READ;
	uint8_t *request = ulpdu + put_untagged(ulpdu, is_read ? OPCODE_READ_REQUEST : OPCODE_ATOMIC_REQUEST, true, 0, QUEUE_REQUESTS, message->msn, 0);

	message->request = peer->length;
	add_fpdu(peer, message, ulpdu, UNTAGGED, 0, is_read ? put_read(request, message) : put_atomic(request, message), true);
	message->request_end = peer->length;
}

/* What a side may send by now goes into its stream. The first FPDU is the initiator's, after the Reply: RFC 5044, 7.1.2. */
static void produce(struct fpdu_model *model, unsigned side)
{
	struct fpdu_peer *peer = &model->peers[side], *other = &model->peers[!side];

	if (side && !peer->length && peer->received >= FPDU_SETUP)
		peer->length = FPDU_SETUP;
	if (peer->received < FPDU_SETUP || (side && (!other->segment_count || peer->received < other->segments[0].end)) || peer->has_terminated)
		return;
	for (; peer->answered < other->segment_count && other->segments[peer->answered].end <= peer->received; peer->answered++)
		if (other->segments[peer->answered].is_request) {
			if (!has_room(peer))
				return;
			send_data(model, &model->messages[other->segments[peer->answered].message->index]);
		}
	for (; peer->next_post < model->message_count && !peer->has_terminated; peer->next_post++) {
		struct fpdu_message *message = &model->messages[peer->next_post];

		if (message->side != side)
			continue;
		if (!has_room(peer))
			return;
		if (fpdu_is_request(message))
			send_request(model, message);
		else
			send_data(model, message);
		peer->has_terminated = message->verb == FPDU_TERMINATE;
	}
}

/* ---- TCP ---- */

/* What the peer received out of order. */
static void add_sacks(const struct fpdu_peer *peer, const struct fpdu_peer *other, struct fpdu_frame *frame)
{
	for (uint32_t at = peer->received; at < other->sent && frame->sack_count < FPDU_SACK_BLOCKS; at++) {
		uint32_t end = at;

		while (end < other->sent && peer->has_received[end])
			end++;
		if (end == at)
			continue;
		frame->sacks[frame->sack_count].begin = at;
		frame->sacks[frame->sack_count++].end = end;
		at = end;
	}
}

/* Sends a segment of the peer's stream, perhaps an empty one, with an acknowledgement. */
static void transmit(struct fpdu_model *model, unsigned side, uint32_t begin, uint32_t end, const struct fpdu_frame *copied)
{
	struct fpdu_peer *peer = &model->peers[side];
	struct fpdu_frame *frame = &model->frames[model->net.frame_count];

	if (network_is_full(&model->net))
		return;
	if (copied)
		*frame = *copied;
	else
		*frame = (struct fpdu_frame){ .side = side, .begin = begin, .end = end, .acknowledged = peer->received, .id = peer->ids++ };
	if (!copied && model->has_sacks)
		add_sacks(peer, &model->peers[!side], frame);
	peer->unacknowledged = 0;
	peer->ack_now = false;
	if (network_send(&model->net, &frame->fate, side, copied))
		transmit(model, side, begin, end, frame);
}

/* Where a segment that begins at `begin` ends. */
static uint32_t segment_end(const struct fpdu_model *model, const struct fpdu_peer *peer, uint32_t begin, bool is_again)
{
	uint32_t most = is_again ? model->again : model->segment, end = begin + most < peer->length ? begin + most : peer->length, aligned = begin;

	if (begin < FPDU_SETUP)
		return end < FPDU_SETUP ? end : FPDU_SETUP;
	if (!(model->options & FPDU_ALIGNED) || is_again)
		return end;
	for (unsigned i = 0; i < peer->segment_count && peer->segments[i].end <= end; i++)
		if (peer->segments[i].end > begin)
			aligned = peer->segments[i].end;
	return aligned > begin ? aligned : end;
}

static void send_one(struct fpdu_model *model, unsigned side)
{
	struct fpdu_peer *peer = &model->peers[side];
	uint32_t begin = peer->repeats ? peer->acknowledged : peer->next, end;

	if (begin == peer->length || begin - peer->acknowledged >= WINDOW) {
		if (peer->ack_now)
			transmit(model, side, begin, begin, NULL);
		return;
	}
	end = segment_end(model, peer, begin, begin < peer->sent);
	if (peer->acknowledged == peer->sent || begin == peer->acknowledged)
		peer->active_ns = model->net.now_ns;
	if (!peer->repeats || peer->next < end)
		peer->next = end;
	if (peer->next > peer->sent)
		peer->sent = peer->next;
	peer->repeats = false;
	transmit(model, side, begin, end, NULL);
}

/* RFC 5681, 3.2, and RFC 6298. */
static void take_acknowledgement(struct fpdu_model *model, unsigned side, const struct fpdu_frame *frame)
{
	struct fpdu_peer *peer = &model->peers[side];

	if (frame->acknowledged > peer->acknowledged) {
		peer->acknowledged = frame->acknowledged;
		if (peer->next < peer->acknowledged)
			peer->next = peer->acknowledged;
		peer->active_ns = model->net.now_ns;
		peer->duplicate_acks = 0;
		peer->repeats = peer->acknowledged < peer->recovery;
	} else if (frame->acknowledged == peer->acknowledged && frame->begin == frame->end && peer->acknowledged < peer->sent &&
		   ++peer->duplicate_acks == DUPLICATE_ACKS && peer->acknowledged >= peer->recovery) {
		peer->recovery = peer->sent;
		peer->repeats = true;
	}
}

static void take_data(struct fpdu_model *model, unsigned side, const struct fpdu_frame *frame)
{
	struct fpdu_peer *peer = &model->peers[side];

	if (frame->begin == frame->end)
		return;
	/* a segment out of order, or one that was received before */
	peer->ack_now |= frame->begin > peer->received || frame->end <= peer->received;
	for (uint32_t at = frame->begin; at < frame->end; at++)
		peer->has_received[at] = true;
	while (peer->received < FPDU_STREAM && peer->has_received[peer->received])
		peer->received++;
	peer->unacknowledged++;
	peer->ack_now |= peer->unacknowledged >= 2 || model->options & FPDU_EVERY_ACK;
}

static void check_timeout(struct fpdu_model *model, struct fpdu_peer *peer)
{
	if (peer->acknowledged == peer->sent || model->net.now_ns - peer->active_ns < model->net.timeout_ns)
		return;
	peer->next = peer->acknowledged;
	peer->active_ns = model->net.now_ns;
	peer->recovery = peer->duplicate_acks = 0;
	peer->repeats = false;
}

/* ---- time ---- */

static void receive(void *owner, unsigned number)
{
	struct fpdu_model *model = owner;
	const struct fpdu_frame *frame = &model->frames[number];

	take_acknowledgement(model, !frame->side, frame);
	take_data(model, !frame->side, frame);
}

static bool act(void *owner)
{
	struct fpdu_model *model = owner;
	bool is_quiet = true;

	for (unsigned side = 0; side < 2; side++) {
		struct fpdu_peer *peer = &model->peers[side];

		produce(model, side);
		check_timeout(model, peer);
		peer->ack_now |= peer->unacknowledged && model->net.ticks % ACK_TICKS == 0;
		if (model->net.ticks % model->net.pace == 0 || peer->ack_now)
			send_one(model, side);
		is_quiet &= !peer->unacknowledged && !peer->repeats && (peer->next == peer->length || peer->next - peer->acknowledged >= WINDOW);
	}
	return is_quiet;
}

static int64_t timeout(const void *owner)
{
	const struct fpdu_model *model = owner;
	int64_t next_ns = INT64_MAX;

	for (unsigned side = 0; side < 2; side++) {
		const struct fpdu_peer *peer = &model->peers[side];

		if (peer->acknowledged < peer->sent && peer->active_ns + model->net.timeout_ns < next_ns)
			next_ns = peer->active_ns + model->net.timeout_ns;
	}
	return next_ns;
}

/* ---- records ---- */

static uint64_t length_of(const struct fpdu_model *model, const uint8_t *record)
{
	uint64_t payload = model->payload, many = record[1] >> 4;

	switch (record[1] & 15) {
	case 0: return 0;
	case 1: return 1;
	case 2: return payload - 1;
	case 3: return payload;
	case 4: return payload + 1;
	case 5: return 2 * payload;
	case 6: return 3 * payload + 3;
	case 7: return 4;
	case 8: return record[2];
	case 9: return (many + 1) * payload;
	default: return many * payload / 2 + record[2] * payload / 256;
	}
}

static void post(void *owner, const uint8_t *record)
{
	struct fpdu_model *model = owner;
	struct fpdu_message *message = &model->messages[model->message_count];
	unsigned side = record[0] & FPDU_BY_B ? 1 : 0;
	struct fpdu_peer *peer = &model->peers[side];

	if ((record[0] & 15) >= FPDU_VERBS || model->message_count == FPDU_MESSAGES)
		return;
	*message = (struct fpdu_message){
		.index = model->message_count++, .side = side, .verb = (enum fpdu_verb)(record[0] & 15), .length = length_of(model, record),
		.stag = 0x1000u + (record[3] & 1), .offset = 0x7f0000000000 + ((uint64_t)(record[3] >> 2 & 15) << 20), .sink_stag = 0x2000u + (record[3] >> 1 & 1),
		.sink_offset = 0x560000000000 + ((uint64_t)(model->shares_sinks ? record[3] >> 6 : 1 + model->message_count) << 20), .begin = FPDU_NOWHERE, .end = FPDU_NOWHERE,
		.request = FPDU_NOWHERE, .request_end = FPDU_NOWHERE,
	};
	if (message->verb == FPDU_SEND_INVALIDATE || message->verb == FPDU_SEND_SOLICITED_INVALIDATE)
		message->invalidated = 0x3000u + message->index;
	if (fpdu_is_request(message))
		message->msn = ++peer->msn_reads;
	else if (message->verb != FPDU_WRITE)
		message->msn = message->verb == FPDU_TERMINATE ? 1 : ++peer->msn_sends;
	if (message->verb > FPDU_READ)
		message->length = message->verb == FPDU_TERMINATE ? 4 : 8;
	if (message->verb != FPDU_WRITE)
		return;
	if (record[0] & FPDU_CONTIGUOUS && peer->write_end) {
		message->stag = peer->write_stag;
		message->offset = peer->write_end;
		message->is_contiguous = true;
	}
	peer->write_stag = message->stag;
	peer->write_end = message->offset + message->length;
}

static void start(struct fpdu_model *model, const uint8_t *header)
{
	static const uint32_t payloads[] = { 16, 100, 478, 800, 1442, 3000, 40, 1000 }, segments[] = { 1460, 88, 300, 536, 1448, 4000, 9000, 1000 };
	static const struct network_sides sides = { post, receive, act, timeout };
	static const unsigned snaps[] = { 60, 64, 96, 200 };

	memset(model, 0, sizeof *model);
	model->options = header[0];
	/* from the middle, only CRCs show whether there are markers */
	if (header[4] && !(model->options & FPDU_CRCS))
		model->options &= (uint8_t)~(3 * FPDU_MARKERS);
	model->payload = payloads[header[1] & 7];
	model->segment = segments[header[1] >> 3 & 7];
	model->again = header[1] & 64 ? model->segment / 2 : header[1] & 128 ? model->segment * 2 : model->segment;
	network_start(&model->net, header, 1 + (header[2] >> 4), snaps);
	model->net.sides = &sides;
	model->net.model = model;
	model->shares_sinks = header[7] & FPDU_SHARED_SINKS && !header[4];
	model->has_sacks = header[7] & FPDU_SACKS;
	model->ending = (enum fpdu_ending)(header[7] / FPDU_ENDING & 3);
	/* without the setup, which is in the first two frames, READs into one buffer look the same, and few FPDUs do not show whether there are markers */
	model->net.spared = model->shares_sinks || model->options & 3 * FPDU_MARKERS ? 2 : 0;
	for (unsigned side = 0; side < 2; side++) {
		struct fpdu_peer *peer = &model->peers[side];

		sender_init(&peer->sender, model->options >> side & FPDU_MARKERS ? SENT_MARKED : SENT_PLAIN, model->options & FPDU_CRCS);
		peer->isn = side ? 1000 : 0xffffffff - header[3] * 16u;
	}
	model->peers[0].length = FPDU_SETUP;
	/* the first FPDU, which the responder waits for */
	post(model, (const uint8_t[NETWORK_RECORD]){ FPDU_SEND, 7 });
}

void fpdu_run(struct fpdu_model *model, const uint8_t *input, size_t length)
{
	start(model, input);
	network_run(&model->net, input, length);
}

void fpdu_end(struct fpdu_model *model)
{
	for (unsigned side = 0; side < 2; side++)
		sender_fini(&model->peers[side].sender);
}

/* ---- frames ---- */

static void put16(uint8_t *to, uint32_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

uint16_t fpdu_port(const struct fpdu_model *model, unsigned side)
{
	return !side ? PORT : model->options & FPDU_KNOWN_PORT ? 5445 : 7000;
}

/* `length`: of all headers and data. */
static void make_headers(const struct fpdu_model *model, uint8_t *bytes, unsigned side, uint8_t flags, uint32_t sequence, uint32_t acknowledgment, uint16_t id,
			 uint32_t length)
{
	memset(bytes, 0, FPDU_HEADERS);
	bytes[0] = 0x45;
	put16(bytes + 2, length);
	put16(bytes + 4, id);
	bytes[8] = 64;
	bytes[9] = 6;
	put32(bytes + 12, HOST + side);
	put32(bytes + 16, HOST + !side);
	put16(bytes + 20, fpdu_port(model, side));
	put16(bytes + 22, fpdu_port(model, !side));
	put32(bytes + 24, sequence);
	put32(bytes + 28, acknowledgment);
	bytes[32] = 0x50;
	bytes[33] = flags;
	put16(bytes + 34, 0x4000);
}

void fpdu_put_handshake(const struct fpdu_model *model, unsigned number, uint8_t *bytes)
{
	static const uint8_t flags[FPDU_HANDSHAKE] = { RTAP_TCP_FLAG_SYN, RTAP_TCP_FLAG_SYN | RTAP_TCP_FLAG_ACK, RTAP_TCP_FLAG_ACK };
	unsigned side = number & 1;

	make_headers(model, bytes, side, flags[number], model->peers[side].isn + (number == 2), number ? model->peers[!side].isn + 1 : 0,
		     (uint16_t)(0xfff0 + number), FPDU_HEADERS);
}

bool fpdu_put_ending(const struct fpdu_model *model, unsigned number, uint8_t *bytes)
{
	unsigned side = (model->ending == FPDU_FIN_OF_B) ^ (number & 1);
	const struct fpdu_peer *peer = &model->peers[side];
	uint8_t flag = model->ending == FPDU_RESET ? RTAP_TCP_FLAG_RST : number < 2 ? RTAP_TCP_FLAG_FIN : 0;

	if (model->ending == FPDU_NO_END || number >= (model->ending == FPDU_RESET ? 1 : FPDU_ENDINGS))
		return false;
	make_headers(model, bytes, side, flag | RTAP_TCP_FLAG_ACK, peer->isn + 1 + peer->sent + (number == 2),
		     model->peers[!side].isn + 1 + peer->received + (number > 0), (uint16_t)(peer->ids + number), FPDU_HEADERS);
	return true;
}

/* TCP options: RFC 2018. Returns their length. */
static uint32_t put_sacks(const struct fpdu_model *model, uint8_t *options, const struct fpdu_frame *frame)
{
	uint32_t length = frame->sack_count ? 4 + 8 * frame->sack_count : 0;

	if (!length)
		return 0;
	put32(options, 0x01010500 | (length - 2));
	for (unsigned i = 0; i < frame->sack_count; i++) {
		put32(options + 4 + 8 * i, model->peers[!frame->side].isn + 1 + frame->sacks[i].begin);
		put32(options + 8 + 8 * i, model->peers[!frame->side].isn + 1 + frame->sacks[i].end);
	}
	return length;
}

uint32_t fpdu_put_frame(const struct fpdu_model *model, const struct fpdu_frame *frame, uint8_t *bytes)
{
	const struct fpdu_peer *peer = &model->peers[frame->side];
	uint32_t headers = FPDU_HEADERS + put_sacks(model, bytes + FPDU_HEADERS, frame);

	make_headers(model, bytes, frame->side, RTAP_TCP_FLAG_ACK, peer->isn + 1 + frame->begin, model->peers[!frame->side].isn + 1 + frame->acknowledged,
		     frame->id, headers + frame->end - frame->begin);
	bytes[32] = (uint8_t)((headers - 20) << 2);
	fpdu_stream(model, frame->side, frame->begin, frame->end, bytes + headers);
	return headers;
}
