/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of SMB in fragments of SMB Direct, with data by RDMA, in any order, lost, repeated and cut: what is reported of them keeps its
 * promises, and all memory is given back.
 * Input: byte 0 options, byte 1 the limit of memory; then records of RECORD bytes, each a packet.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/smb/smb.h"
#include "reassembly/file_effect.h"
#include "reassembly/state.h"
#include "reassembly/tracker.h"

#include "harness.h"
#include "request_kit.h"
#include "request_records.h"

#define HEADER_LENGTH 2
#define RECORD 10
#define MOST_RECORDS 400
#define MOST_DATA 4096
#define MOST_OPERATIONS 64      /* of a message */

enum { WITHOUT_OPERATIONS = 1, WITHOUT_FILES = 2, NO_FINISH = 4, WITH_ACKS = 8, BEGINS_UNKNOWN = 16 };
/* Byte 0 of a record. */
enum { REQUEST, RESPONSE, READ, READ_RESPONSE, WRITE, NEGOTIATION, CREDITS, FRAGMENT, KINDS };
/* Byte 1 of a record: from which end, and what becomes of it. */
enum { FROM_SERVER = RECORD_BY_SECOND, IS_COMPOUND = 32, IS_SPLIT = 64, IS_ASYNC = 128 };

struct run {
	struct records records;
	uint8_t options;
	uint64_t operations, effects, read;
};

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct run *run = owner;

	REQUIRE(operation->number == ++run->operations);
	REQUIRE(operation->layer && operation->connection && operation->name);
	REQUIRE(!operation->id || *operation->id);
	REQUIRE(operation->request_frame <= run->records.frames && operation->response_frame <= run->records.frames);
	REQUIRE(operation->request_frame || operation->response_frame);
	REQUIRE(operation->value_count <= 8);
	REQUIRE(operation->time_ns <= operation->time_end_ns);
	run->read += sum_of_text(operation->name);
	run->read += sum_of_text(operation->object);
	run->read += sum_of_text(operation->id);
	run->read += sum_of_text(operation->status);
	for (uint32_t i = 0; i < operation->value_count; i++)
		run->read += sum_of_text(operation->values[i].text);
}

static void take_file(void *owner, const struct file_effect *effect)
{
	struct run *run = owner;

	run->effects++;
	REQUIRE(effect->path && (*effect->path || effect->kind == FILE_UNSEEN));
	run->read += sum_of_text(effect->path);
	if (effect->kind == FILE_RENAMED)
		run->read += sum_of_text(effect->new_path);
	run->read += sum_of_data(effect->bytes.data);
}

/* A command: its header and a body whose lengths and offsets are mostly possible. Returns its length. */
static uint32_t make_unit(const uint8_t *record, uint8_t *unit, unsigned index, bool is_response, bool is_last)
{
	static const uint8_t lengths[] = { 36, 24, 4, 8, 4, 56, 24, 24, 48, 48, 48, 56, 4, 4, 32, 32, 40, 32, 24 };
	uint16_t command = (uint16_t)((record[2] + index) % 20u);
	uint32_t fixed = command < sizeof lengths ? lengths[command] : 8, data = (record[6] & 15u) * 8u, length = SMB2_HEADER_LENGTH + fixed + data;
	uint8_t *body = unit + SMB2_HEADER_LENGTH;

	memset(unit, 0, SMB2_HEADER_LENGTH);
	memset(body, record[7], fixed + data);
	memcpy(unit, "\xfe" "SMB", 4);
	put_little(unit + 4, SMB2_HEADER_LENGTH, 2);
	put_little(unit + 8, is_response ? (record[3] & 7 ? 0 : (record[3] & 8 ? SMB_PENDING : 0xc0000034)) : 0, 4);
	put_little(unit + 12, command, 2);
	put_little(unit + 16, (is_response ? SMB2_IS_RESPONSE : 0) | (index ? SMB2_IS_RELATED : 0) | (record[1] & IS_ASYNC ? SMB2_IS_ASYNC : 0), 4);
	put_little(unit + 20, is_last ? 0 : record[3] == 255 ? record[4] : length, 4);
	put_little(unit + 24, record[4] == 255 ? UINT64_MAX : (record[4] & 7u) + index, 8);
	put_little(unit + 40, record[5] & 1, 8);
	put_little(body, is_response && record[3] & 64 ? 9 : fixed + 1, 2);
	/* names and data after the fixed part, descriptors likewise */
	if (command == SMB2_READ || command == SMB2_WRITE) {
		unsigned channel = command == SMB2_READ ? 36 : 32, info = command == SMB2_READ ? 44 : 40;

		put_little(body + 2, SMB2_HEADER_LENGTH + (is_response ? 16 : fixed), command == SMB2_READ ? 1 : 2);
		put_little(body + 4, record[5] & 2 ? data : 0x400, 4);
		put_little(body + 8, record[8], 8);
		put_little(body + 16, record[5] & 4 ? UINT64_MAX : record[5] & 3, 8);
		put_little(body + 24, record[5] & 4 ? UINT64_MAX : 0, 8);
		put_little(body + channel, record[5] >> 4 & 3, 4);
		put_little(body + info, SMB2_HEADER_LENGTH + fixed, 2);
		put_little(body + info + 2, data, 2);
		for (uint32_t at = 0; at + 16 <= data; at += 16) {
			put_little(body + fixed + at, address_of((uint8_t)(record[8] + at / 16)), 8);
			put_little(body + fixed + at + 8, key_of(record[8]), 4);
			put_little(body + fixed + at + 12, record[9] * 8u, 4);
		}
	} else if (command == SMB2_CREATE) {
		put_little(body + 44, SMB2_HEADER_LENGTH + fixed, 2);
		put_little(body + 46, data, 2);
		memset(body + 64, record[5] & 3, fixed + data > 80 ? 16 : 0);
	} else if (command == SMB2_TREE_CONNECT) {
		put_little(body + 4, SMB2_HEADER_LENGTH + fixed, 2);
		put_little(body + 6, data, 2);
	} else if (command == SMB2_SET_INFO) {
		body[2] = 1;
		body[3] = record[9] & 1 ? SMB2_FILE_RENAME : SMB2_FILE_END_OF_FILE;
		put_little(body + 4, data, 4);
		put_little(body + 8, SMB2_HEADER_LENGTH + fixed, 2);
		put_little(body + fixed + 16, data > 24 ? data - 20 : 0, data > 24 ? 4 : 0);
	}
	return length;
}

static uint32_t make_transfer(const uint8_t *record, uint8_t *bytes, bool is_response)
{
	uint8_t *message = bytes + SMB_DIRECT_LEAST_OFFSET;
	uint32_t length = 0, units = record[1] & IS_COMPOUND ? 1 + (record[9] & 3u) : 1, part;

	for (unsigned i = 0; i < units; i++)
		length += make_unit(record, message + length, i, is_response, i == units - 1);
	part = record[1] & IS_SPLIT ? length / 2 : length;
	memset(bytes, 0, SMB_DIRECT_LEAST_OFFSET);
	put_little(bytes + 2, record[9] & 7, 2);
	put_little(bytes + 8, length - part, 4);
	put_little(bytes + 12, SMB_DIRECT_LEAST_OFFSET, 4);
	put_little(bytes + 16, part, 4);
	return SMB_DIRECT_LEAST_OFFSET + part;
}

/* The rest of a message, or anything that looks like it. */
static uint32_t make_fragment(const uint8_t *record, uint8_t *bytes)
{
	uint32_t length = record[6] * 2u + 1;

	memset(bytes, record[7], SMB_DIRECT_LEAST_OFFSET + length);
	memset(bytes, 0, SMB_DIRECT_LEAST_OFFSET);
	put_little(bytes + 8, record[3] & 3 ? 0 : record[4], 4);
	put_little(bytes + 12, SMB_DIRECT_LEAST_OFFSET, 4);
	put_little(bytes + 16, length, 4);
	return SMB_DIRECT_LEAST_OFFSET + length;
}

static uint32_t make_negotiation(const uint8_t *record, uint8_t *bytes)
{
	bool is_response = record[1] & FROM_SERVER;

	memset(bytes, 0, SMB_DIRECT_RESPONSE_LENGTH);
	put_little(bytes, SMB_DIRECT_VERSION, 2);
	put_little(bytes + 2, SMB_DIRECT_VERSION, 2);
	if (is_response)
		put_little(bytes + 4, SMB_DIRECT_VERSION, 2);
	put_little(bytes + (is_response ? 10 : 6), record[9] + 1u, 2);
	put_little(bytes + (is_response ? 24 : 12), 1364, 4);
	put_little(bytes + (is_response ? 28 : 16), 1 << 20, 4);
	return is_response ? SMB_DIRECT_RESPONSE_LENGTH : SMB_DIRECT_REQUEST_LENGTH;
}

static void give_record(struct run *run, const uint8_t *record)
{
	static const uint8_t opcodes[KINDS] = {
		[REQUEST] = 0x04, [RESPONSE] = 0x17, [READ] = 0x0c, [READ_RESPONSE] = 0x10, [WRITE] = 0x0a, [NEGOTIATION] = 0x04, [CREDITS] = 0x04,
		[FRAGMENT] = 0x04,
	};
	static uint8_t bytes[MOST_DATA];
	unsigned kind = record[0] % KINDS;
	bool from_server = (record[1] & FROM_SERVER) != (kind == RESPONSE || kind == READ || kind == WRITE);
	struct roce roce = { .opcode = opcodes[kind], .ack_request = true, .virtual_address = address_of(record[8]), .r_key = key_of(record[8]),
			     .dma_length = record[9] * 8u, .syndrome = 0x1f, .immediate = key_of(record[8]), .payload = bytes };

	switch (kind) {
	case REQUEST: case RESPONSE: roce.payload_length = make_transfer(record, bytes, kind == RESPONSE); break;
	case NEGOTIATION: roce.payload_length = make_negotiation(record, bytes); break;
	case FRAGMENT: roce.payload_length = make_fragment(record, bytes); break;
	case CREDITS:
		memset(bytes, 0, SMB_DIRECT_LENGTH);
		put_little(bytes + 2, record[9], 2);
		roce.payload_length = SMB_DIRECT_LENGTH;
		break;
	default:
		roce.payload_length = kind == READ ? 0 : roce.dma_length;
		memset(bytes, record[7], roce.payload_length);
		break;
	}
	roce.psn = records_psn(&run->records, record, 0, from_server, kind == READ_RESPONSE);
	records_give(&run->records, record, roce, 0, from_server);
	if (run->options & WITH_ACKS && kind <= RESPONSE)
		records_give(&run->records, record, (struct roce){ .opcode = 0x11, .psn = roce.psn, .syndrome = 0x1f }, 0, !from_server);
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
	uint8_t negotiation[RECORD] = { NEGOTIATION, 0, 0, 0, 0, 0, 0, 0, 0, 3 };
	uint64_t limit;

	if (size < HEADER_LENGTH || size > HEADER_LENGTH + RECORD * MOST_RECORDS)
		return 0;
	run.options = data[0];
	options.max_memory = limit = UINT64_C(4096) << data[1] % 16;
	if (!(run.options & WITHOUT_OPERATIONS))
		options.operation = take_operation;
	REQUIRE(rtap_tracker_open(&run.records.tracker, &options, NULL) == RTAP_STATUS_OK);
	if (!(run.options & WITHOUT_FILES))
		tracker_report_files(run.records.tracker, take_file, &run);
	for (int side = 0; side < 2 && !(run.options & BEGINS_UNKNOWN); side++) {
		negotiation[1] = side ? FROM_SERVER : 0;
		give_record(&run, negotiation);
	}
	for (size_t at = HEADER_LENGTH; at + RECORD <= size; at += RECORD) {
		give_record(&run, data + at);
		REQUIRE(run.records.tracker->budget.used <= limit + RECORD_SLACK);
	}
	if (!(run.options & NO_FINISH)) {
		rtap_tracker_finish(run.records.tracker);
		REQUIRE(run.options & WITHOUT_OPERATIONS || run.operations <= run.records.frames * MOST_OPERATIONS);
	}
	rtap_tracker_close(run.records.tracker);
	return 0;
}
