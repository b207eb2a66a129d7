/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands of NVMe, SRP, iSER and RNBD with their data and responses, in any order, lost, repeated and cut: what is reported of them keeps its
 * promises, and all memory is given back.
 * Input: byte 0 the protocol and options, byte 1 the limit of memory; then records of RECORD bytes, each a packet.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/nvme/nvme.h"
#include "dissect/rnbd/rnbd.h"
#include "dissect/rnbd/rtrs.h"
#include "dissect/scsi/iser.h"
#include "dissect/scsi/srp.h"
#include "reassembly/block_effect.h"
#include "reassembly/state.h"
#include "reassembly/tracker.h"

#include "harness.h"
#include "request_kit.h"
#include "request_records.h"

#define HEADER_LENGTH 2
#define RECORD 8
#define MOST_RECORDS 400
#define MOST_DATA 4096

enum { IS_NVME, IS_SRP, IS_ISER, IS_RTRS, PROTOCOL_KINDS };
/* Byte 0, after the protocol. */
enum { WITHOUT_OPERATIONS = 4, WITHOUT_BLOCKS = 8, NO_FINISH = 16, WITH_ACKS = 32 };
/* Byte 0 of a record. */
enum { COMMAND, RESPONSE, READ, READ_RESPONSE, WRITE, WRITE_FIRST, WRITE_LAST, ACK, RAW, KINDS };
/* Byte 1 of a record: from which end, and what becomes of it. */
enum { FROM_TARGET = RECORD_BY_SECOND, HAS_DATA = 32 };

struct run {
	struct records records;
	uint8_t options;
	unsigned protocol;
	uint64_t operations, effects, read;
};

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct run *run = owner;

	REQUIRE(operation->number == ++run->operations);
	REQUIRE(operation->layer && operation->connection);
	REQUIRE(operation->request_frame <= run->records.frames && operation->response_frame <= run->records.frames);
	REQUIRE(operation->request_frame || operation->response_frame);
	REQUIRE(!operation->complete || operation->response_frame);
	REQUIRE(operation->value_count <= 8);
	run->read += sum_of_text(operation->name);
	run->read += sum_of_text(operation->object);
	run->read += sum_of_text(operation->id);
	run->read += sum_of_text(operation->status);
	for (uint32_t i = 0; i < operation->value_count; i++)
		run->read += sum_of_text(operation->values[i].name);
}

static void take_effect(void *owner, const struct block_effect *effect)
{
	struct run *run = owner;

	run->effects++;
	if (effect->kind == BLOCK_UNSEEN)
		return;
	REQUIRE(effect->target && *effect->target);
	run->read += sum_of_text(effect->target);
	run->read += sum_of_text(effect->name);
	run->read += sum_of_data(effect->data);
}

/* A segment of descriptors in the capsule: memory, and a bit bucket after each three of it. */
static void put_descriptors(const uint8_t *record, uint8_t *bytes, uint32_t data)
{
	for (uint32_t i = 0; i < data / NVME_SGL_DESCRIPTOR; i++) {
		uint8_t *descriptor = bytes + NVME_COMMAND_LENGTH + i * NVME_SGL_DESCRIPTOR;

		put_little(descriptor, address_of((uint8_t)(record[5] + i)), 8);
		put_little(descriptor + 8, (record[6] & 15u) * 128u, 3);
		put_little(descriptor + 11, key_of(record[5]), 4);
		descriptor[15] = i % 4 == 3 ? 0x10 : 0x40;
	}
	bytes[39] = record[4] & 4 ? 0x21 : 0x31;
}

static uint32_t make_nvme(const uint8_t *record, uint8_t *bytes, bool is_command)
{
	uint32_t data = record[1] & HAS_DATA ? (record[5] & 7u) * 64u : 0;

	memset(bytes, 0, NVME_COMMAND_LENGTH + data);
	if (!is_command) {
		put_little(bytes, record[5], 8);
		put_little(bytes + 10, record[6] & 1, 2);
		put_little(bytes + 12, record[2] & 7, 2);
		put_little(bytes + 14, record[3] & 3 ? 0 : (uint64_t)record[4] << 1, 2);
		return NVME_RESPONSE_LENGTH;
	}
	bytes[0] = record[3];
	bytes[1] = 0x40;
	put_little(bytes + 2, record[2] & 7, 2);
	bytes[4] = record[3] == NVME_FABRICS ? record[4] & 0xf : 1;
	put_little(bytes + 24, data ? 0 : address_of(record[5]), 8);
	if (data)
		put_little(bytes + 32, data, 4);
	else
		put_little(bytes + 32, (record[6] & 15u) * 512u, 3);
	if (!data)
		put_little(bytes + 35, key_of(record[5]), 4);
	bytes[39] = data ? 0x01 : 0x40;
	put_little(bytes + 40, record[7], 8);
	put_little(bytes + 48, record[6] & 15u, 2);
	if (record[4] & 1)
		put_little(bytes + 44, 4, 4);
	if (record[3] == NVME_FABRICS)
		put_little(bytes + 44, record[6] & 0x3cu, 4);
	memset(bytes + NVME_COMMAND_LENGTH, record[7], data);
	if (data && record[4] & 2)
		put_descriptors(record, bytes, data);
	return NVME_COMMAND_LENGTH + data;
}

static const uint8_t scsi_opcodes[] = { 0x08, 0x0a, 0x28, 0x2a, 0x41, 0x42, 0x88, 0x89, 0x8a, 0x93, 0x25, 0x9e, 0x7f, 0x12, 0x00, 0xff, 0x83 };

static void make_cdb(const uint8_t *record, uint8_t *cdb)
{
	memset(cdb, record[6] & 0x80 ? 0x11 : 0, 16);
	cdb[0] = scsi_opcodes[record[3] & 16u ? 16u : record[3] & 15u];
	if (record[3] & 32u) {
		cdb[1] = 1; /* INQUIRY: a VPD page; EXTENDED COPY: LID4 */
		cdb[2] = 0x83;
	}
	cdb[5] = cdb[9] = record[7];
	cdb[8] = cdb[13] = record[6] & 15u;
}

/* VPD page 83h, of designators that differ in the last byte. */
static void put_page(const uint8_t *record, uint8_t *bytes)
{
	unsigned count = 1u + record[2] % 8u, length = record[3] % 32u;
	uint8_t *designator = bytes + 4;

	bytes[1] = 0x83;
	roce_put(bytes + 2, count * (4 + length), 2);
	for (unsigned i = 0; i < count; i++, designator += 4 + length) {
		designator[0] = 1;
		designator[1] = 3;
		designator[3] = (uint8_t)length;
		memset(designator + 4, 0x60, length);
		designator[3 + length] = (uint8_t)(record[7] + i);
	}
}

/* A parameter list of EXTENDED COPY: two devices and segments from block to block. */
static void put_copy(const uint8_t *record, uint8_t *bytes)
{
	unsigned header = record[2] & 1 ? 48 : 16, count = record[2] >> 1 & 7u;
	uint8_t *segment = bytes + header + 64;

	roce_put(bytes + (header == 48 ? 42 : 2), 64, 2);
	if (header == 48)
		roce_put(bytes + 44, count * 28, 2);
	else
		roce_put(bytes + 8, count * 28, 4);
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *device = bytes + header + i * 32;

		device[0] = 0xe4;
		device[4] = 1;
		device[5] = 3;
		device[7] = (uint8_t)(record[3] % 32u);
		memset(device + 8, 0x60, 20);
		device[7 + (device[7] < 1 || device[7] > 20 ? 1 : device[7])] = (uint8_t)(record[7] + i);
		roce_put(device + 28, 512, 4);
	}
	for (unsigned i = 0; i < count; i++, segment += 28) {
		segment[0] = 2;
		segment[3] = 24;
		segment[7] = 1;
		segment[11] = (uint8_t)(record[7] + i);
		segment[19] = segment[27] = (uint8_t)i;
	}
}

/* What the memory of a command has, from its first byte. Byte 4 of a record: 0 equal bytes, 1 a VPD page, 2 a list of EXTENDED COPY. */
static void put_data(const uint8_t *record, uint8_t *bytes, uint32_t length)
{
	memset(bytes, length ? record[7] : 0, length);
	if (length < 512 || !(record[4] & 3))
		return;
	memset(bytes, 0, length);
	if (record[4] & 1)
		put_page(record, bytes);
	else
		put_copy(record, bytes);
}

static uint32_t make_srp(const uint8_t *record, uint8_t *bytes, bool is_command)
{
	uint32_t length = SRP_COMMAND_LENGTH;
	unsigned out = record[4] & 3u, in = record[4] >> 2 & 3u;

	memset(bytes, 0, 512);
	bytes[15] = record[2] & 7;
	if (!is_command) {
		bytes[0] = record[3] & 0x40 ? record[3] : SRP_RESPONSE;
		bytes[18] = record[4] & 3;
		bytes[19] = record[5] & 0x42;
		bytes[31] = record[6] & 31;
		bytes[35] = record[6] >> 5;
		bytes[36] = 0x70;
		bytes[38] = record[7] & 15;
		return SRP_RESPONSE_LENGTH + (record[6] & 31u) + (record[6] >> 5);
	}
	bytes[0] = SRP_COMMAND;
	bytes[5] = (uint8_t)(out << 4 | (in == SRP_IMMEDIATE ? 0 : in));
	bytes[6] = out == SRP_INDIRECT ? 2 : 0;
	bytes[7] = in == SRP_INDIRECT ? 2 : 0;
	bytes[21] = record[2] >> 6;
	make_cdb(record, bytes + SRP_CDB_AT);
	for (unsigned side = 0; side < 2; side++) {
		unsigned format = side ? in : out, count = format == SRP_DIRECT ? 1 : format == SRP_INDIRECT ? 2 : 0;

		length += format == SRP_INDIRECT ? 20 : format == SRP_IMMEDIATE && !side ? 4 : 0;
		if (format == SRP_IMMEDIATE && !side)
			bytes[length - 1] = record[6] & 63;
		for (unsigned i = 0; i < count; i++) {
			uint8_t *at = roce_put(bytes + length, address_of((uint8_t)(record[5] + i)), 8);

			at = roce_put(at, key_of(record[5]), 4);
			roce_put(at, (record[6] & 15u) * 256u, 4);
			length += SRP_DESCRIPTOR_LENGTH;
		}
	}
	return length + (record[1] & HAS_DATA ? record[6] & 63u : 0);
}

static uint32_t make_iser(const uint8_t *record, uint8_t *bytes, bool is_command)
{
	static const char text[] = "InitiatorName=b\0TargetName=a\0TargetName=";
	uint8_t *pdu = bytes + ISER_LENGTH;
	uint32_t data = record[1] & HAS_DATA ? (record[6] & 63u) : 0;

	memset(bytes, 0, 512);
	bytes[0] = (uint8_t)(ISER_CONTROL << 4 | (record[4] & 12));
	if (record[4] & ISER_WRITE_VALID) {
		roce_put(bytes + 4, key_of(record[5]), 4);
		roce_put(bytes + 8, address_of(record[5]), 8);
	}
	if (record[4] & ISER_READ_VALID) {
		roce_put(bytes + 16, key_of(record[5]), 4);
		roce_put(bytes + 20, address_of(record[5]), 8);
	}
	pdu[0] = (uint8_t)(record[3] & 0x40 ? record[3] & 0x3f : is_command ? ISCSI_COMMAND : ISCSI_RESPONSE);
	pdu[3] = is_command ? 0 : record[5] & 0x42;
	pdu[7] = (uint8_t)data;
	pdu[9] = record[2] >> 6;
	pdu[19] = record[2] & 7;
	roce_put(pdu + 20, (record[6] & 15u) * 512u, 4);
	if (is_command)
		make_cdb(record, pdu + ISCSI_CDB_AT);
	memcpy(pdu + ISCSI_LENGTH, text + record[7] % 16u, data < sizeof text - 16 ? data : sizeof text - 16);
	if ((pdu[0] & 0x3f) == ISCSI_LOGIN)
		pdu[1] = record[7] & 0x40; /* the text continues */
	if ((pdu[0] & 0x3f) == ISCSI_REJECT && data >= ISCSI_LENGTH) {
		pdu[2] = record[7];
		pdu[ISCSI_LENGTH] = ISCSI_COMMAND;
		pdu[ISCSI_LENGTH + 19] = record[2] & 7;
	}
	if (!is_command && data > 4)
		pdu[ISCSI_LENGTH + 2] = 0x72;
	return ISER_LENGTH + ISCSI_LENGTH + ((data + 3) & ~3u);
}

/* The message of RTRS's user. Returns its length. */
static uint32_t put_user(const uint8_t *record, uint8_t *bytes, uint32_t data)
{
	static const uint32_t lengths[] = { RNBD_SESS_INFO_LENGTH, 0, RNBD_OPEN_LENGTH, 0, 32, RNBD_CLOSE_LENGTH };
	unsigned type = record[3] % 6;

	memset(bytes, 0, RNBD_OPEN_LENGTH);
	put_little(bytes, type, 2);
	if (type == RNBD_OPEN)
		memcpy(bytes + RNBD_NAME_AT, "../a\x1b", 1 + record[7] % 5);
	put_little(bytes + 4, record[7] & 1, type == RNBD_OPEN ? 0 : 4);
	if (type == RNBD_IO) {
		put_little(bytes + 8, record[7] == 1 ? UINT64_MAX : record[7], 8);
		put_little(bytes + 16, record[4] & 7, 1);
		put_little(bytes + 20, record[4] & 8 ? record[6] : data, 4);
	}
	return lengths[type];
}

/* A WRITE with immediate data, which is in *immediate; or a response to it, in a SEND. */
static uint32_t make_rtrs(const uint8_t *record, uint8_t *bytes, bool is_command, uint32_t *immediate)
{
	uint32_t data = (record[6] & 7u) * 128u, user, at = 0;
	bool is_read = !(record[4] & 1) || record[3] % 6 < RNBD_IO;

	*immediate = (uint32_t)(1 + (record[4] & 1)) << 28 | (uint32_t)(record[4] & 2 ? record[4] : 0) << 19 | (record[2] & 7u);
	if (!is_command) {
		put_little(bytes, record[3] & 1 ? RTRS_INFO_RESPONSE : RTRS_RKEY, 2);
		put_little(bytes + 2, record[2] & 7, 2);
		put_little(bytes + 4, 0, 4);
		if (record[3] & 0x80)
			*immediate = (uint32_t)(8 + (record[3] & 1)) << 28;
		return record[3] & 2 ? RTRS_RKEY_LENGTH : 0;
	}
	if (!is_read)
		memset(bytes, record[7], at = data);
	user = put_user(record, bytes + at, data);
	at += user;
	put_little(bytes + at, is_read ? RTRS_READ : RTRS_WRITE, 2);
	put_little(bytes + at + 2, user, 2);
	at += RTRS_WRITE_LENGTH;
	*immediate = (uint32_t)(record[2] & 7u) << (record[2] & 8 ? 19 : 14) | (data + user);
	if (!is_read)
		return at;
	put_little(bytes + at, 1, 2);
	put_little(bytes + at + 2, 2, 2);
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *descriptor = bytes + at + 4 + i * RTRS_DESCRIPTOR_LENGTH;

		put_little(descriptor, address_of((uint8_t)(record[5] + i)), 8);
		put_little(descriptor + 8, key_of(record[5]), 4);
		put_little(descriptor + 12, i ? data - data / 2 : data / 2, 4);
	}
	return at + 4 + 2 * RTRS_DESCRIPTOR_LENGTH;
}

/* Commands and responses of RTRS are in other packets than those of other protocols. */
static void become_rtrs(struct roce *roce, const uint8_t *record, uint8_t *bytes, unsigned kind)
{
	uint32_t length = 0;

	if (kind == COMMAND || kind == RESPONSE) {
		length = make_rtrs(record, bytes, kind == COMMAND, &roce->immediate);
		roce->opcode = kind == COMMAND || record[3] & 0x40 ? 0x0b : 0x05;
		roce->payload_length = roce->dma_length = length;
	} else if (kind == WRITE_LAST && record[1] & HAS_DATA) {
		make_rtrs(record, bytes, false, &roce->immediate);
		roce->opcode = 0x09;
	} else if (kind == RAW && record[1] & HAS_DATA) {
		memset(bytes, 0, RTRS_INFO_REQUEST_LENGTH);
		memset(bytes + RTRS_NAME_AT, 'a' + (record[7] & 7), 1 + (record[6] & 15u));
		roce->payload_length = RTRS_INFO_REQUEST_LENGTH;
	}
}

/* The opcode of a packet with a payload or a RETH. */
static uint8_t opcode_of(unsigned kind)
{
	static const uint8_t opcodes[KINDS] = {
		[COMMAND] = 0x04, [RESPONSE] = 0x17, [READ] = 0x0c, [READ_RESPONSE] = 0x10, [WRITE] = 0x0a, [WRITE_FIRST] = 0x06, [WRITE_LAST] = 0x08,
		[ACK] = 0x11, [RAW] = 0x04,
	};

	return opcodes[kind];
}

static void give_record(struct run *run, const uint8_t *record)
{
	static uint8_t bytes[MOST_DATA];
	unsigned kind = record[0] % KINDS;
	bool from_target = (record[1] & FROM_TARGET) != (kind == RESPONSE || kind == READ || kind == WRITE || kind == WRITE_FIRST || kind == WRITE_LAST);
	struct roce roce = { .opcode = opcode_of(kind), .ack_request = true, .virtual_address = address_of(record[5]), .r_key = key_of(record[5]),
			     .dma_length = (record[6] & 15u) * 256u, .syndrome = 0x1f, .immediate = key_of(record[5]), .payload = bytes };

	if ((kind == COMMAND || kind == RESPONSE) && run->protocol != IS_RTRS)
		roce.payload_length = run->protocol == IS_NVME ? make_nvme(record, bytes, kind == COMMAND) :
				      run->protocol == IS_SRP  ? make_srp(record, bytes, kind == COMMAND) :
								 make_iser(record, bytes, kind == COMMAND);
	else if (kind != READ && kind != ACK)
		roce.payload_length = kind == RAW ? record[6] : roce.dma_length;
	if (kind != COMMAND && kind != RESPONSE)
		put_data(record, bytes, roce.payload_length);
	if (run->protocol == IS_RTRS)
		become_rtrs(&roce, record, bytes, kind);
	roce.psn = records_psn(&run->records, record, 0, from_target, kind == READ_RESPONSE || kind == ACK);
	records_give(&run->records, record, roce, 0, from_target);
	if (run->options & WITH_ACKS && kind <= RESPONSE)
		records_give(&run->records, record, (struct roce){ .opcode = 0x11, .psn = roce.psn, .syndrome = 0x1f }, 0, !from_target);
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
	run.protocol = (data[0] & 3) % PROTOCOL_KINDS;
	options.max_memory = limit = UINT64_C(4096) << data[1] % 16;
	if (!(run.options & WITHOUT_OPERATIONS))
		options.operation = take_operation;
	REQUIRE(rtap_tracker_open(&run.records.tracker, &options, NULL) == RTAP_STATUS_OK);
	if (!(run.options & WITHOUT_BLOCKS))
		tracker_report_blocks(run.records.tracker, take_effect, &run);
	for (size_t at = HEADER_LENGTH; at + RECORD <= size; at += RECORD) {
		give_record(&run, data + at);
		REQUIRE(run.records.tracker->budget.used <= limit + RECORD_SLACK);
	}
	if (!(run.options & NO_FINISH)) {
		rtap_tracker_finish(run.records.tracker);
		REQUIRE(run.options & WITHOUT_OPERATIONS || run.operations <= run.records.frames);
	}
	rtap_tracker_close(run.records.tracker);
	return 0;
}
