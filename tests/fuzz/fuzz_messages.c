/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Transfers of NCCL, messages of RDS and requests of LNet between three hosts, in any order, lost, repeated and cut: what is reported of them
 * keeps its promises, and all memory is given back.
 * Input: byte 0 options and the layer, byte 1 the limit of memory; then records of RECORD bytes, each a packet.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/lnet/lnet.h"
#include "dissect/rds/rds.h"
#include "reassembly/state.h"

#include "harness.h"
#include "request_kit.h"
#include "request_records.h"

#define HEADER_LENGTH 2
#define RECORD 10
#define MOST_RECORDS 400
#define MOST_OPERATIONS 4       /* of a packet */
#define MOST_EACH 128           /* bytes of an entry */

/* Byte 0. */
enum { IS_NCCL, IS_RDS, IS_LNET, LAYERS };
enum { WITHOUT_OPERATIONS = 4, NO_FINISH = 8, WITH_ACKS = 16 };
/* Byte 0 of a record: what is special, then plain WRITEs, READs and acknowledgements. */
enum { MESSAGE, MESSAGE_TOO, WRITE, WRITE_IMMEDIATE, END, ACK, KINDS };

struct run {
	struct records records;
	uint8_t options;
	unsigned layer;
	uint64_t operations, read;
};

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct run *run = owner;
	uint64_t frames = run->records.frames;

	REQUIRE(operation->number == ++run->operations);
	REQUIRE(operation->layer && operation->connection && operation->name);
	REQUIRE(operation->request_frame <= frames && operation->response_frame <= frames);
	REQUIRE(operation->first_data_frame <= operation->last_data_frame && operation->last_data_frame <= frames);
	REQUIRE(operation->request_frame || operation->response_frame || operation->first_data_frame);
	REQUIRE(operation->time_ns <= operation->time_end_ns);
	run->read += sum_of_text(operation->name) + sum_of_text(operation->object) + sum_of_text(operation->id) + sum_of_text(operation->status);
	for (uint32_t i = 0; i < operation->value_count; i++) {
		const struct rtap_named_value *value = &operation->values[i];

		run->read += sum_of_text(value->text);
		REQUIRE(value->type != RTAP_VALUE_TIME || value->number <= INT64_MAX);
	}
}

/* An announcement: of an index that counts up, or of any. */
static uint32_t make_nccl(const uint8_t *record, uint8_t *bytes)
{
	unsigned receives = 1 + (record[3] >> 6), width = record[3] & 1 ? 8 : 4, keys = 1u << (record[3] >> 1 & 1), each = record[3] & 4 ? 64 : 32 * keys;
	unsigned at;

	memset(bytes, 0, MOST_EACH * receives);
	for (unsigned i = 0; i < receives; i++) {
		uint8_t *entry = bytes + i * each;

		put_little(entry, address_of((uint8_t)(record[5] + i)), 8);
		put_little(entry + 8, record[6] * 16u, width);
		put_little(entry + 8 + width, key_of(record[5]), 4);
		at = 8 + width + 4 * keys;
		put_little(entry + at, receives, 4);
		put_little(entry + at + 4, record[8], 4);
		put_little(entry + (at + 15) / 8 * 8, record[4], 8);
	}
	return each * receives;
}

static uint32_t make_rds(const uint8_t *record, uint8_t *bytes)
{
	uint32_t length = record[6] * 4u, sum = 0;

	memset(bytes, record[9], RDS_HEADER_LENGTH + length);
	memset(bytes, 0, RDS_HEADER_LENGTH);
	bytes[7] = record[4] & 15;
	bytes[15] = record[5];
	roce_put(bytes + 16, length + 4096u * (record[3] & 3), 4);
	roce_put(bytes + 20, record[8] & 3, 2);
	roce_put(bytes + 22, record[8] >> 2 & 3, 2);
	bytes[24] = record[3] >> 2;
	bytes[25] = record[9] & 7;
	/* an extension that names memory, or where data goes */
	if (record[3] & 64) {
		bytes[32] = record[3] & 128 ? RDS_EXTENSION_RDMA_DESTINATION : RDS_EXTENSION_RDMA;
		roce_put(bytes + 33, key_of(record[5]), 4);
	}
	for (uint32_t at = 0; at < RDS_HEADER_LENGTH; at += 2)
		sum += (uint32_t)bytes[at] << 8 | bytes[at + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~((sum & 0xffff) + (sum >> 16));
	roce_put(bytes + 30, sum & 0xffff, 2);
	return RDS_HEADER_LENGTH + length;
}

/* Cookies and handles are few, so that they meet. */
static uint32_t make_lnet(const uint8_t *record, uint8_t *bytes)
{
	static const uint8_t types[] = { LNET_NOOP, LNET_IMMEDIATE, LNET_PUT_REQ, LNET_PUT_ACK, LNET_PUT_DONE, LNET_GET_REQ, LNET_GET_DONE, LNET_PUT_NAK };
	uint8_t type = types[record[3] & 7], *body = bytes + LNET_LENGTH;
	uint32_t length = LNET_LENGTH, descriptor = 0;

	memset(bytes, record[9], 1024);
	memset(body, 0, LNET_HEADER_LENGTH);
	put_little(body + 24, record[3] >> 4 & 3, 4);
	put_little(body + 28, record[6], 4);
	memset(body + LNET_HANDLE_AT, record[8] & 3, LNET_HANDLE_LENGTH);
	switch (type) {
	case LNET_NOOP: break;
	case LNET_IMMEDIATE: length += LNET_HEADER_LENGTH + record[6]; break;
	case LNET_PUT_REQ:
		put_little(body + LNET_HEADER_LENGTH, record[4] & 7, 8);
		length += LNET_HEADER_LENGTH + LNET_COOKIE_LENGTH;
		break;
	case LNET_PUT_ACK:
		put_little(body, record[4] & 7, 8);
		put_little(body + 8, record[4] >> 3, 8);
		descriptor = 16;
		break;
	case LNET_GET_REQ:
		put_little(body + LNET_HEADER_LENGTH, record[4] & 7, 8);
		descriptor = LNET_HEADER_LENGTH + LNET_COOKIE_LENGTH;
		break;
	default:
		put_little(body, record[4] & 31, 8);
		put_little(body + 8, record[6] & 1 ? 0xfffffffb : record[6], 4);
		length += 12;
		break;
	}
	if (descriptor) {
		put_little(body + descriptor, key_of(record[5]), 4);
		put_little(body + descriptor + 4, record[6] & 3, 4);
		for (unsigned i = 0; i < (record[6] & 3u); i++) {
			put_little(body + descriptor + 8 + 12 * i, record[8] * 8u, 4);
			put_little(body + descriptor + 12 + 12 * i, address_of((uint8_t)(record[5] + i)), 8);
		}
		length += descriptor + 8 + 12 * (record[6] & 3u);
	}
	put_little(bytes, LNET_MAGIC, 4);
	put_little(bytes + 4, 0x12, 2);
	bytes[LNET_TYPE_AT] = type;
	bytes[LNET_CREDITS_AT] = record[9];
	put_little(bytes + 8, length, 4);
	put_little(bytes + 12, 0, 4);
	return length;
}

static void give_record(struct run *run, const uint8_t *record)
{
	static const uint8_t opcodes[KINDS] = { 0x04, 0x04, 0x0a, 0x0b, 0x0b, 0x11 };
	static uint8_t bytes[2048];
	unsigned kind = record[0] % KINDS, pair = record[2] % RECORD_PAIRS;
	bool is_message = kind == MESSAGE || kind == MESSAGE_TOO, by_second = (record[1] & RECORD_BY_SECOND) != (kind == ACK);
	struct roce roce = { .opcode = opcodes[kind], .ack_request = true, .virtual_address = address_of(record[5]), .r_key = key_of(record[5]),
			     .syndrome = 0x1f, .payload = bytes };

	if (is_message && run->layer == IS_NCCL) {
		/* into a ring */
		roce.opcode = 0x0a;
		roce.virtual_address = 0x10000 + record[4] * 64u;
		roce.r_key = 0x99;
		roce.payload_length = make_nccl(record, bytes);
	} else if (is_message) {
		roce.payload_length = run->layer == IS_RDS ? make_rds(record, bytes) : make_lnet(record, bytes);
	} else if (kind != ACK && kind != END) {
		roce.payload_length = record[8] * 8u;
		memset(bytes, record[9], roce.payload_length);
	}
	roce.dma_length = roce.payload_length;
	roce.immediate = record[3] & 1 ? __builtin_bswap32(record[8] * 8u) : record[8] * 8u;
	roce.psn = records_psn(&run->records, record, pair, by_second, kind == ACK);
	records_give(&run->records, record, roce, pair, by_second);
	if (run->options & WITH_ACKS && kind != ACK)
		records_give(&run->records, record, (struct roce){ .opcode = 0x11, .psn = roce.psn, .syndrome = 0x1f }, pair, !by_second);
}

size_t input_part(const uint8_t *data, size_t size, size_t at)
{
	(void)data;
	(void)size;
	return at ? RECORD : HEADER_LENGTH;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run run = { .records = records_begin() };
	struct rtap_tracker_options options = { .size = sizeof options, .owner = &run };
	uint64_t limit;

	if (size < HEADER_LENGTH || size > HEADER_LENGTH + RECORD * MOST_RECORDS)
		return 0;
	run.options = data[0];
	run.layer = (data[0] & 3) % LAYERS;
	options.max_memory = limit = UINT64_C(4096) << data[1] % 16;
	if (!(run.options & WITHOUT_OPERATIONS))
		options.operation = take_operation;
	REQUIRE(rtap_tracker_open(&run.records.tracker, &options, NULL) == RTAP_STATUS_OK);
	for (size_t at = HEADER_LENGTH; at + RECORD <= size; at += RECORD) {
		give_record(&run, data + at);
		REQUIRE(run.records.tracker->budget.used <= limit + RECORD_SLACK);
	}
	if (!(run.options & NO_FINISH)) {
		rtap_tracker_finish(run.records.tracker);
		REQUIRE(run.operations <= run.records.frames * MOST_OPERATIONS);
	}
	rtap_tracker_close(run.records.tracker);
	return 0;
}
