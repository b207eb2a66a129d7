/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC-over-RDMA calls and replies drawn at random, against a model: both directions, few XIDs, chunks in every list, repeated calls and
 * replies, replies without their call or captured before it, RDMA_ERROR. The model knows a call by the frame of its SEND and writes
 * the bytes of both messages itself. RFC 8166, 3.3 to 3.5 and 4; RFC 8167; RFC 1813, 3.3.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

#include <rdmatap/tracker.h>

#include "reassembly/state.h"
#include "reassembly/upper/rpc_layer.h"
#include "reassembly/upper/rpc_state.h"
#include "tests/roce_kit.h"

#define ROUNDS 600
#define ACTIONS 50
#define MOST 700         /* exchanges of a round */
#define MOST_BYTES 1600  /* of a message */
#define XIDS 3           /* of calls, per direction */
#define NEVER_CALLED XIDS
#define NFS 100003
#define MILLISECOND INT64_C(1000000)

enum { SEND = 0x04, WRITE_ONLY = 0x0a, READ = 0x0c, READ_RESPONSE = 0x10, ACK = 0x11 };
enum { MSG, NOMSG, ERROR = 4 };                 /* RFC 8166, 4.2.4 */
enum { NFS_GETATTR = 1, NFS_READLINK = 5, NFS_READ = 6, NFS_WRITE = 7 };
enum form { INLINE, DATA_WRITTEN, DATA_READ, REPLY_CHUNK, CALL_CHUNK, FORMS };

static const uint32_t procedures[FORMS] = { NFS_GETATTR, NFS_READ, NFS_WRITE, NFS_READLINK, NFS_WRITE };

/* A message as the model knows it: bytes whose `there` is false were never moved. */
struct stream {
	uint8_t bytes[MOST_BYTES];
	bool there[MOST_BYTES];
	uint32_t length;
	uint32_t data_at, data_length; /* data that a chunk carries, without padding */
};

/* Memory of the caller: read by the responder, or written. */
struct memory {
	uint32_t key, length;
	uint64_t address;
	uint32_t at;             /* in the stream, of the first byte */
};

struct exchange {
	bool from_a;             /* the caller */
	uint32_t xid;
	enum form form;
	struct stream call, reply;
	uint32_t keys;
	struct memory memory[2];
	unsigned memory_count;
	uint64_t call_frame, reply_frame; /* 0: none */
	bool is_known;           /* the program of the reply is known from a call */
	uint32_t procedure;      /* of that call */
	uint32_t error;
	uint64_t repeats;
	bool is_reported;
};

static struct exchange model[MOST];
static unsigned count, reported;
static bool is_turned;   /* end a of the connection is the model's b */

/* The newest call of each XID, and how often its reply was repeated. */
static struct exchange *newest[2][XIDS + 1];
static uint64_t reply_repeats[2][XIDS + 1];

static struct rtap_tracker *tracker;
static uint64_t frames;
static int64_t now_ns;
static uint32_t psn[2];  /* next of b, a */
static uint32_t unique, credits;
static uint64_t last_reply_frame[2]; /* to calls of b, a */
static uint32_t chance = 1;
static unsigned with_holes, repeated_calls, repeated_replies, swapped, of_b, errors, paired;

static uint32_t below(uint32_t limit)
{
	chance = chance * 1664525 + 1013904223;
	return (chance >> 8) % limit;
}

/* What is reported. */

static void expect_stream(const struct rpc_part *part, const struct stream *stream, uint64_t frame)
{
	uint64_t at = 0, missing = 0, holes = 0;

	for (uint32_t i = 0; i < part->extent_count; i++) {
		const struct xdr_extent *extent = &part->extents[i];

		cr_assert_leq(at + extent->length, stream->length, "frame %" PRIu64, frame);
		for (uint64_t k = 0; k < extent->length; k++, at++) {
			cr_assert_eq(extent->kind == XDR_BYTES, stream->there[at], "frame %" PRIu64 ", byte %" PRIu64, frame, at);
			cr_assert(extent->kind != XDR_BYTES || extent->bytes[k] == stream->bytes[at], "frame %" PRIu64 ", byte %" PRIu64, frame, at);
			holes += !stream->there[at];
		}
	}
	cr_assert_eq(at, stream->length, "frame %" PRIu64 ": %" PRIu64 " of %u bytes", frame, at, stream->length);
	cr_assert_eq(part->length, stream->length);
	cr_assert_eq(part->complete, !holes, "frame %" PRIu64, frame);
	for (uint32_t i = 0; i < part->missing_count; i++) {
		cr_assert_eq(part->missing[i].reason, RTAP_MISSING_NOT_CAPTURED);
		for (uint64_t k = 0; k < part->missing[i].length; k++)
			cr_assert_not(stream->there[part->missing[i].offset + k], "frame %" PRIu64, frame);
		missing += part->missing[i].length;
	}
	cr_assert_eq(missing, holes);
	with_holes += holes != 0;
}

static struct exchange *find(const struct rpc_exchange *exchange)
{
	for (unsigned i = 0; i < count; i++)
		if (exchange->call.present ? model[i].call_frame == exchange->call.first_frame
					   : !model[i].call_frame && model[i].reply_frame == exchange->reply.first_frame)
			return &model[i];
	return NULL;
}

static void take(void *owner, const struct rpc_exchange *exchange)
{
	struct exchange *wanted = find(exchange);
	uint64_t frame = exchange->call.present ? exchange->call.first_frame : exchange->reply.first_frame;

	(void)owner;
	cr_assert(wanted && !wanted->is_reported, "frame %" PRIu64, frame);
	wanted->is_reported = true;
	reported++;
	cr_assert_eq(exchange->reply.present ? exchange->reply.first_frame : 0, wanted->reply_frame, "frame %" PRIu64 ": reply %" PRIu64 ", not %" PRIu64,
		     frame, exchange->reply.first_frame, wanted->reply_frame);
	cr_assert_eq(exchange->xid, wanted->xid);
	cr_assert_eq(exchange->reverse, wanted->from_a == is_turned);
	cr_assert_eq(exchange->call_repeats, wanted->repeats, "frame %" PRIu64 ": %" PRIu64 " repeats, not %" PRIu64, frame, exchange->call_repeats,
		     wanted->repeats);
	cr_assert_eq(exchange->rdma_error, wanted->error);
	if (exchange->call.present) {
		cr_assert_eq(exchange->call.from_a, wanted->from_a != is_turned);
		expect_stream(&exchange->call, &wanted->call, frame);
		cr_assert(wanted->form == CALL_CHUNK || exchange->call.facts.procedure == procedures[wanted->form]);
	}
	if (!exchange->reply.present)
		return;
	cr_assert_eq(exchange->reply.from_a, wanted->from_a == is_turned);
	cr_assert_eq(exchange->reply.facts.program_known, wanted->is_known, "frame %" PRIu64, frame);
	cr_assert(!wanted->is_known || exchange->reply.facts.procedure == wanted->procedure, "frame %" PRIu64, frame);
	if (!wanted->error)
		expect_stream(&exchange->reply, &wanted->reply, frame);
	paired += exchange->call.present;
	cr_assert_gt(exchange->reply.first_frame, last_reply_frame[wanted->from_a]);
	last_reply_frame[wanted->from_a] = exchange->reply.first_frame;
}

/* The wire. */

static void give_bytes(const uint8_t *bytes, uint32_t length)
{
	static struct rtap_packet packet;

	now_ns += MILLISECOND;
	rtap_tracker_frame(tracker, &(struct rtap_frame){ .bytes = bytes, .captured_length = length, .wire_length = length, .link_type = RTAP_LINK_RAW,
							  .number = ++frames, .time_ns = now_ns }, &packet);
}

static void give(bool from_a, struct roce roce)
{
	static uint8_t frame[ROCE_MAX_FRAME];

	roce.source = from_a ? 0x0a000001 : 0x0a000002;
	roce.destination = from_a ? 0x0a000002 : 0x0a000001;
	roce.dest_qp = from_a ? 0x22 : 0x11;
	roce.psn &= 0xffffff;
	give_bytes(frame, roce_frame(frame, &roce));
}

static void give_cm(bool from_a, struct roce_cm cm)
{
	static uint8_t frame[ROCE_MAX_FRAME];

	cm.transaction = cm.local_id = cm.remote_id = 7;
	give_bytes(frame, roce_cm_frame(frame, from_a ? 0x0a000001 : 0x0a000002, from_a ? 0x0a000002 : 0x0a000001, &cm));
}

static void acknowledge_now(bool from_a)
{
	give(from_a, (struct roce){ .opcode = ACK, .psn = psn[!from_a] - 1, .syndrome = 0x1f, .msn = psn[!from_a] });
}

/* Sometimes a later one has to do. */
static void acknowledge(bool from_a)
{
	if (below(3))
		acknowledge_now(from_a);
}

/* A SEND, sometimes twice on the wire. Returns the number of its frame. */
static uint64_t send_message(bool from_a, const uint8_t *bytes, uint32_t length)
{
	struct roce roce = { .opcode = SEND, .ack_request = true, .psn = psn[from_a]++, .payload = bytes, .payload_length = length };
	uint64_t frame;

	give(from_a, roce);
	frame = frames;
	if (!below(8))
		give(from_a, roce);
	return frame;
}

/* Messages. */

static void put(struct stream *stream, uint32_t word)
{
	cr_assert_leq(stream->length + 4, MOST_BYTES);
	roce_put(stream->bytes + stream->length, word, 4);
	memset(stream->there + stream->length, true, 4);
	stream->length += 4;
}

/* Opaque data with its length, padded. RFC 4506, 4.10. */
static void put_data(struct stream *stream, uint32_t length, bool is_there)
{
	put(stream, length);
	stream->data_at = stream->length;
	stream->data_length = length;
	for (uint32_t i = 0; i < (length + 3) / 4 * 4; i++) {
		stream->bytes[stream->length] = i < length ? (uint8_t)(unique * 31 + i * 7) : 0;
		stream->there[stream->length++] = is_there || i >= length;
	}
}

static void write_call(struct exchange *exchange)
{
	struct stream *call = &exchange->call;
	bool is_write = procedures[exchange->form] == NFS_WRITE;
	uint32_t length = is_write ? 1 + below(500) : 0;

	put(call, exchange->xid);
	put(call, 0);
	put(call, 2);
	put(call, NFS);
	put(call, 3);
	put(call, procedures[exchange->form]);
	for (int i = 0; i < 4; i++)
		put(call, 0);
	put(call, 4);            /* the handle */
	put(call, ++unique);
	for (int i = 0; i < 2 && (is_write || procedures[exchange->form] == NFS_READ); i++)
		put(call, 0);    /* offset */
	if (is_write || procedures[exchange->form] == NFS_READ)
		put(call, is_write ? length : 1000);
	if (is_write) {
		put(call, 2);
		put_data(call, length, exchange->form != DATA_READ);
	}
	if (exchange->form == CALL_CHUNK)
		memset(call->there, false, call->length);
}

static void write_reply(struct exchange *exchange, uint32_t length)
{
	struct stream *reply = &exchange->reply;

	put(reply, exchange->xid);
	put(reply, 1);
	for (int i = 0; i < 4; i++)
		put(reply, 0);
	put(reply, 0);           /* NFS3_OK */
	switch (procedures[exchange->form]) {
	case NFS_GETATTR:
		for (int i = 0; i < 21; i++)
			put(reply, 1);
		break;
	case NFS_READLINK:
		put(reply, 0);
		put_data(reply, length, true);
		break;
	case NFS_READ:
		put(reply, 0);
		put(reply, length);
		put(reply, 1);
		put_data(reply, length, false);
		break;
	case NFS_WRITE:
		for (int i = 0; i < 6; i++)
			put(reply, i == 3 ? 2 : 0);
		break;
	}
	if (exchange->form == REPLY_CHUNK)
		memset(reply->there, false, reply->length);
}

/*
 * `length` bytes of memory in one or two segments, from position `at` of the stream on. Keys change when a call is repeated, and
 * are used again after its reply.
 */
static void name_memory(struct exchange *exchange, uint32_t length, uint32_t at)
{
	uint32_t first = length > 1 && below(2) ? 1 + below(length - 1) : length;

	exchange->memory_count = 0;
	for (uint32_t begin = 0; begin < length; begin += first, first = length - begin) {
		struct memory *memory = &exchange->memory[exchange->memory_count++];

		*memory = (struct memory){ .key = exchange->keys + exchange->memory_count, .length = first,
					   .address = UINT64_C(0x7f0000000000) + exchange->memory_count * 0x10000, .at = at + begin };
	}
}

static void put_segment(struct stream *header, const struct memory *memory, uint32_t length)
{
	put(header, memory->key);
	put(header, length);
	put(header, (uint32_t)(memory->address >> 32));
	put(header, (uint32_t)memory->address);
}

static void begin_header(struct stream *header, uint32_t xid, uint32_t procedure)
{
	*header = (struct stream){ .length = 0 };
	put(header, xid);
	put(header, 1);
	put(header, credits);
	put(header, procedure);
}

/* A chunk of the reply: `length` bytes of its memory are used. */
static void put_chunk(struct stream *header, const struct exchange *exchange, uint32_t length)
{
	put(header, 1);
	put(header, exchange->memory_count);
	for (unsigned i = 0; i < exchange->memory_count; i++) {
		uint32_t used = length < exchange->memory[i].length ? length : exchange->memory[i].length;

		put_segment(header, &exchange->memory[i], used);
		length -= used;
	}
}

static void put_inline(struct stream *header, const struct stream *stream, uint32_t left_out_at, uint32_t left_out)
{
	memcpy(header->bytes + header->length, stream->bytes, left_out_at);
	memcpy(header->bytes + header->length + left_out_at, stream->bytes + left_out_at + left_out, stream->length - left_out_at - left_out);
	header->length += stream->length - left_out;
}

static uint64_t send_call(const struct exchange *exchange)
{
	const struct stream *call = &exchange->call;
	bool is_read = exchange->form == DATA_READ || exchange->form == CALL_CHUNK;
	struct stream header;

	begin_header(&header, exchange->xid, exchange->form == CALL_CHUNK ? NOMSG : MSG);
	for (unsigned i = 0; is_read && i < exchange->memory_count; i++) {
		put(&header, 1);
		put(&header, exchange->form == CALL_CHUNK ? 0 : call->data_at);
		put_segment(&header, &exchange->memory[i], exchange->memory[i].length);
	}
	put(&header, 0);
	if (exchange->form == DATA_WRITTEN)
		put_chunk(&header, exchange, UINT32_MAX);
	put(&header, 0);
	if (exchange->form == REPLY_CHUNK)
		put_chunk(&header, exchange, UINT32_MAX);
	else
		put(&header, 0);
	if (exchange->form == DATA_READ)
		put_inline(&header, call, call->data_at, (call->data_length + 3) / 4 * 4);
	else if (exchange->form != CALL_CHUNK)
		put_inline(&header, call, 0, 0);
	return send_message(exchange->from_a, header.bytes, header.length);
}

static uint64_t send_reply(const struct exchange *exchange)
{
	const struct stream *reply = &exchange->reply;
	struct stream header;

	begin_header(&header, exchange->xid, exchange->error ? ERROR : exchange->form == REPLY_CHUNK ? NOMSG : MSG);
	if (exchange->error) {
		put(&header, exchange->error);
		return send_message(!exchange->from_a, header.bytes, header.length);
	}
	put(&header, 0);
	if (exchange->form == DATA_WRITTEN)
		put_chunk(&header, exchange, reply->data_length);
	put(&header, 0);
	if (exchange->form == REPLY_CHUNK)
		put_chunk(&header, exchange, reply->length);
	else
		put(&header, 0);
	if (exchange->form == DATA_WRITTEN)
		put_inline(&header, reply, reply->data_at, (reply->data_length + 3) / 4 * 4);
	else if (exchange->form != REPLY_CHUNK)
		put_inline(&header, reply, 0, 0);
	return send_message(!exchange->from_a, header.bytes, header.length);
}

/* What happens. */

static struct exchange *begin_exchange(bool from_a, unsigned slot, enum form form)
{
	struct exchange *before = newest[from_a][slot], *exchange = &model[count++];
	uint32_t room = 1 + below(400), keys = before ? before->keys : 0x10000 * (1 + from_a + 2 * slot);

	cr_assert_lt(count, MOST);
	*exchange = (struct exchange){ .from_a = from_a, .xid = 0x40 + slot, .form = form };
	exchange->keys = before && !before->reply_frame ? keys + 0x10 : keys;
	write_call(exchange);
	write_reply(exchange, form == DATA_WRITTEN ? below(room + 1) : room);
	if (form == DATA_WRITTEN)
		name_memory(exchange, room, exchange->reply.data_at);
	else if (form == REPLY_CHUNK)
		name_memory(exchange, exchange->reply.length + below(100), 0);
	else if (form == DATA_READ)
		name_memory(exchange, exchange->call.data_length, exchange->call.data_at);
	else if (form == CALL_CHUNK)
		name_memory(exchange, exchange->call.length, 0);
	return exchange;
}

static bool is_whole(const struct stream *stream)
{
	return !memchr(stream->there, false, stream->length);
}

/* The program of the call can be read. */
static bool is_readable(const struct exchange *exchange)
{
	return exchange->form != CALL_CHUNK || is_whole(&exchange->call);
}

/*
 * A call after another one with its XID is its repeat if both are of one procedure (RFC 5531, 9). Where a chunk has the header of one, which
 * is not read yet, the caller still waits for an answer.
 */
static bool is_repeat(const struct exchange *before, enum form form)
{
	if (!before)
		return false;
	if (form == CALL_CHUNK || !is_readable(before))
		return !before->reply_frame;
	return procedures[before->form] == procedures[form];
}

static void call(bool from_a, unsigned slot, enum form form)
{
	struct exchange *before = newest[from_a][slot], *exchange = begin_exchange(from_a, slot, form);

	exchange->repeats = is_repeat(before, form) ? before->repeats + 1 : 0;
	repeated_calls += exchange->repeats != 0;
	of_b += !from_a;
	newest[from_a][slot] = exchange;
	reply_repeats[from_a][slot] = 0;
	exchange->call_frame = send_call(exchange);
	acknowledge(!from_a);
	/* no reply can be that of the first copy */
	cr_assert(!before || before->reply_frame || before->is_reported);
}

/* Memory that the responder did not move yet, from a random byte on: no responder moves a byte twice. Returns its length, 0: none. */
static uint32_t choose_bytes(const struct exchange *exchange, const struct stream *stream, const struct memory **memory, uint32_t *begin)
{
	uint32_t length = 0, end;

	*memory = &exchange->memory[below(exchange->memory_count)];
	end = (*memory)->at + (*memory)->length;
	if (end > stream->data_at + stream->data_length && (exchange->form == DATA_WRITTEN || exchange->form == DATA_READ))
		end = stream->data_at + stream->data_length;
	end = end < stream->length ? end : stream->length;
	for (*begin = below(2) ? 0 : below((*memory)->length); (*memory)->at + *begin < end && stream->there[(*memory)->at + *begin];)
		++*begin;
	while ((*memory)->at + *begin + length < end && !stream->there[(*memory)->at + *begin + length])
		length++;
	return length && !below(3) ? 1 + below(length) : length;
}

/* The responder moves bytes of the memory that an unanswered call names. */
static void move_data(struct exchange *exchange)
{
	bool is_read = exchange->form == DATA_READ || exchange->form == CALL_CHUNK, by_a = !exchange->from_a;
	struct stream *stream = is_read ? &exchange->call : &exchange->reply;
	const struct memory *memory;
	uint32_t begin, length = choose_bytes(exchange, stream, &memory, &begin);
	struct roce data = { .opcode = WRITE_ONLY, .psn = psn[by_a], .virtual_address = memory->address + begin, .r_key = memory->key,
			     .dma_length = length, .payload = stream->bytes + memory->at + begin, .payload_length = length };

	if (!length)
		return;
	psn[by_a]++;
	memset(stream->there + memory->at + begin, true, length);
	if (is_read) {
		give(by_a, (struct roce){ .opcode = READ, .psn = data.psn, .virtual_address = data.virtual_address, .r_key = data.r_key, .dma_length = length });
		give(!by_a, (struct roce){ .opcode = READ_RESPONSE, .psn = data.psn, .syndrome = 0x1f, .payload = data.payload, .payload_length = length });
	} else {
		give(by_a, data);
	}
}

static void answer(struct exchange *exchange)
{
	exchange->is_known = true;
	exchange->procedure = procedures[exchange->form];
	exchange->error = below(10) ? 0 : 2;
	errors += exchange->error != 0;
	exchange->reply_frame = send_reply(exchange);
	acknowledge(exchange->from_a);
}

/* A reply to a call that was answered already or never seen. */
static struct exchange *answer_alone(bool from_a, unsigned slot)
{
	const struct exchange *known = newest[from_a][slot];
	struct exchange *exchange = begin_exchange(from_a, slot, INLINE);

	if (known) {
		exchange->is_known = true;
		exchange->procedure = procedures[known->form];
		exchange->repeats = ++reply_repeats[from_a][slot];
		repeated_replies++;
	}
	exchange->error = below(10) ? 0 : 2;
	exchange->reply_frame = send_reply(exchange);
	acknowledge(from_a);
	return exchange;
}

/* A call that is captured after its reply. */
static void answer_ahead(bool from_a, unsigned slot)
{
	struct exchange *exchange = begin_exchange(from_a, slot, INLINE);

	exchange->is_known = true;
	exchange->procedure = procedures[INLINE];
	swapped++;
	exchange->reply_frame = send_reply(exchange);
	exchange->call_frame = send_call(exchange);
	newest[from_a][slot] = exchange;
	reply_repeats[from_a][slot] = 0;
	acknowledge(!from_a);
	acknowledge(from_a);
}

/* Long enough for what is acknowledged to be final: what follows finds only what is remembered of it. */
static void pause_all(void)
{
	now_ns += 2000 * MILLISECOND;
	for (unsigned i = 0; i < 2; i++) {
		acknowledge_now(false);
		acknowledge_now(true);
	}
}

static void act(void)
{
	bool from_a = below(4) != 0;
	unsigned slot = below(XIDS);
	struct exchange *now = newest[from_a][slot];
	bool waits = now && !now->reply_frame;

	switch (below(9)) {
	case 0: case 1:
		call(from_a, slot, below(FORMS));
		break;
	case 2: case 3: case 4:
		for (unsigned i = 1 + below(4); waits && now->memory_count && i--;)
			move_data(now);
		break;
	case 5: case 6:
		/* no responder answers what it has not read */
		if (waits && is_readable(now))
			answer(now);
		break;
	case 7:
		pause_all();
		break;
	default:
		if (!newest[from_a][NEVER_CALLED] && !below(8))
			newest[from_a][NEVER_CALLED] = answer_alone(from_a, NEVER_CALLED);
		else if (!now)
			answer_ahead(from_a, slot);
		else if (waits)
			call(from_a, slot, now->form);
		else
			answer_alone(from_a, slot);
	}
}

/* Without a handshake: the two queue pairs become one connection only after calls and replies. */
static void begin_unknown(void)
{
	unsigned calls = 1 + below(XIDS);

	is_turned = below(2);
	if (is_turned) {
		newest[false][0] = begin_exchange(false, 0, INLINE);
		newest[false][0]->call_frame = send_call(newest[false][0]);
	}
	for (unsigned slot = 0; slot < calls; slot++) {
		newest[true][slot] = begin_exchange(true, slot, slot ? below(FORMS) : INLINE);
		newest[true][slot]->call_frame = send_call(newest[true][slot]);
	}
	for (unsigned slot = 0; slot < calls; slot++) {
		struct exchange *exchange = newest[true][slot];

		if ((slot && below(2)) || !is_readable(exchange))
			continue;
		exchange->is_known = true;
		exchange->procedure = procedures[exchange->form];
		exchange->reply_frame = send_reply(exchange);
	}
	acknowledge_now(false);
	acknowledge_now(true);
}

static void open_tracker(uint64_t max_memory)
{
	const struct rtap_tracker_options options = { .size = sizeof options, .max_memory = max_memory };

	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
	rpc_layer_report_exchanges(tracker, take, NULL, true);
	memset(newest, 0, sizeof newest);
	memset(reply_repeats, 0, sizeof reply_repeats);
	count = reported = 0;
	is_turned = false;
	last_reply_frame[0] = last_reply_frame[1] = 0;
	credits = 32;
	psn[0] = 1000;
	psn[1] = 5000;
	frames = 0;
}

static void close_tracker(void)
{
	rtap_tracker_finish(tracker);
	cr_assert_eq(reported, count, "%u of %u exchanges", reported, count);
	cr_assert_eq(rpc_state_of(tracker)->calls.count, 0);
	rtap_tracker_close(tracker);
}

/* The service of NFS over RDMA: RFC 8166, 6; RFC 8267, 8. */
static void connect(void)
{
	give_cm(true, (struct roce_cm){ .attribute = CM_REQ, .qpn = 0x11, .psn = psn[1], .mtu_code = 5, .service_id = 0x0000000001064e51 });
	give_cm(false, (struct roce_cm){ .attribute = CM_REP, .qpn = 0x22, .psn = psn[0] });
	give_cm(true, (struct roce_cm){ .attribute = CM_RTU });
}

TestSuite(rpc_call, .timeout = HANG_SECONDS);

Test(rpc_call, any_sequence_of_calls_data_and_replies_is_paired_as_a_model_says)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		open_tracker(UINT64_C(1) << 24);
		if (round % 2)
			connect();
		else
			begin_unknown();
		for (unsigned i = 0; i < ACTIONS; i++)
			act();
		close_tracker();
	}
	cr_expect_gt(paired, ROUNDS);
	cr_expect_gt(with_holes, ROUNDS);
	cr_expect_gt(repeated_calls, ROUNDS);
	cr_expect_gt(repeated_replies, ROUNDS / 10);
	cr_expect_gt(swapped, ROUNDS / 10);
	cr_expect_gt(of_b, ROUNDS / 10);
	cr_expect_gt(errors, ROUNDS / 10);
}

static void send_alone(unsigned i)
{
	struct exchange *exchange = &model[count++];

	*exchange = (struct exchange){ .from_a = true, .xid = 0x1000 + i, .form = INLINE };
	write_call(exchange);
	/* it can end at once */
	exchange->call_frame = frames + 1;
	send_call(exchange);
}

/* RFC 8166, 3.3.1: so many calls can wait; rdmatap doubles it for what the capture lacks, to at least 128. */
static void expect_limit(uint32_t granted, unsigned limit)
{
	open_tracker(UINT64_C(1) << 24);
	connect();
	credits = granted;
	for (unsigned i = 0; i < 3 * limit; i++) {
		send_alone(i);
		cr_assert_eq(reported, count > limit ? count - limit : 0, "%u of %u", reported, count);
		cr_assert(!reported || (model[reported - 1].is_reported && !model[reported].is_reported), "the oldest first");
	}
	close_tracker();
}

Test(rpc_call, beyond_twice_the_credits_the_oldest_call_is_lost)
{
	expect_limit(32, 128);
	expect_limit(100, 200);
}

/* Two queue pairs become one connection: what is known of each stays. */
Test(rpc_call, credits_and_calls_that_ended_without_reply_are_known_after_a_merge)
{
	struct exchange *first;

	open_tracker(UINT64_C(1) << 24);
	first = begin_exchange(true, 0, INLINE);
	first->call_frame = send_call(first);
	for (unsigned i = 0; i < 5; i++) {
		now_ns += INT64_C(20000000000);
		give(true, (struct roce){ .opcode = WRITE_ONLY, .psn = psn[true]++, .r_key = 1 });
	}
	/* of the other end: it grants more */
	credits = 100;
	newest[true][1] = begin_exchange(true, 1, INLINE);
	newest[true][1]->call_frame = send_call(newest[true][1]);
	answer(newest[true][1]);
	acknowledge_now(true);
	acknowledge_now(false);
	cr_expect(first->is_reported);
	newest[true][0] = first;
	reply_repeats[true][0] = UINT64_MAX; /* a late reply is no repeat */
	answer_alone(true, 0);
	credits = 32;
	for (unsigned i = 0; i < 199; i++)
		send_alone(i);
	cr_expect_eq(reported, 1);
	close_tracker();
}

static void wait_long(void)
{
	now_ns += INT64_C(200000000000);
	for (unsigned i = 0; i < 300; i++)
		give(true, (struct roce){ .opcode = ACK, .psn = psn[0] - 1, .syndrome = 0x1f, .msn = psn[0] });
}

Test(rpc_call, what_is_silent_for_long_ends_without_its_reply_which_is_recognised_still)
{
	open_tracker(UINT64_C(1) << 24);
	connect();
	call(true, 0, DATA_WRITTEN);
	call(true, 1, INLINE);
	call(true, 2, INLINE);
	answer(newest[true][2]);
	cr_expect_eq(reported, 0);
	wait_long();
	cr_expect_eq(reported, 3);
	/* its late reply is none of a call, but that of its procedure; it was not repeated yet */
	reply_repeats[true][1] = UINT64_MAX;
	answer_alone(true, 1);
	answer_alone(true, 1);
	answer_alone(true, 2);
	/* the call is repeated; another procedure is no repeat */
	newest[true][1]->reply_frame = 0;
	call(true, 1, INLINE);
	cr_expect_eq(newest[true][1]->repeats, 1);
	close_tracker();
}

Test(rpc_call, calls_that_memory_does_not_suffice_for_are_reported_once_and_counted)
{
	const uint64_t limit = 512 << 10;
	uint64_t peak = 0;
	struct rtap_tracker_counters counters;

	open_tracker(limit);
	connect();
	credits = 1000;
	for (unsigned i = 0; i < 500; i++) {
		send_alone(i);
		peak = tracker->budget.used > peak ? tracker->budget.used : peak;
	}
	rtap_tracker_counters(tracker, &counters, sizeof counters);
	/* what a frame adds is released after it */
	cr_expect_leq(peak, limit + ROCE_MAX_FRAME, "%" PRIu64, peak);
	cr_expect_gt(reported, 100);
	cr_expect_geq(counters.evictions, reported);
	close_tracker();
}

Test(rpc_call, closing_without_finishing_frees_all)
{
	open_tracker(UINT64_C(1) << 24);
	connect();
	for (unsigned i = 0; i < ACTIONS; i++)
		act();
	reported = 0;
	rtap_tracker_close(tracker);
	cr_expect_eq(reported, 0);
}
