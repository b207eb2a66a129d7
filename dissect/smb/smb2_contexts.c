/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/smb/smb2_contexts.h"

/* Names, as big-endian numbers. */
enum {
	RECONNECT_V2 = 0x44483243, DURABLE_V2 = 0x44483251, RECONNECT = 0x44486e43, MAXIMAL_ACCESS = 0x4d784163, DISK_ID = 0x51466964, LEASE = 0x52714c73,
	WARP = 0x54577270, ALLOCATION = 0x416c5369,
};

const struct rtap_name smb2_context_names[] = {
	{ 0x4141504c, "AAPL" }, { ALLOCATION, "SMB2_CREATE_ALLOCATION_SIZE" }, { RECONNECT_V2, "SMB2_CREATE_DURABLE_HANDLE_RECONNECT_V2" },
	{ DURABLE_V2, "SMB2_CREATE_DURABLE_HANDLE_REQUEST_V2" }, { RECONNECT, "SMB2_CREATE_DURABLE_HANDLE_RECONNECT" },
	{ 0x44486e51, "SMB2_CREATE_DURABLE_HANDLE_REQUEST" }, { 0x45787441, "SMB2_CREATE_EA_BUFFER" },
	{ MAXIMAL_ACCESS, "SMB2_CREATE_QUERY_MAXIMAL_ACCESS_REQUEST" }, { DISK_ID, "SMB2_CREATE_QUERY_ON_DISK_ID" },
	{ LEASE, "SMB2_CREATE_REQUEST_LEASE" }, { 0x53656344, "SMB2_CREATE_SD_BUFFER" }, { WARP, "SMB2_CREATE_TIMEWARP_TOKEN" }, { 0, NULL },
};

/* A part of a context's data: 2.2.13.2.1 to 2.2.13.2.12, 2.2.14.2. */
static const struct smb2_data_part parts[] = {
	{ LEASE, SMB2_BOTH, SMB2_LEASE_KEY, 0, 16 }, { LEASE, SMB2_BOTH, SMB2_LEASE_STATE, 16, 4 }, { LEASE, SMB2_BOTH, SMB2_LEASE_FLAGS, 20, 4 },
	{ LEASE, SMB2_BOTH, SMB2_LEASE_DURATION, 24, 8 }, { LEASE, SMB2_BOTH, SMB2_LEASE_PARENT, 32, 16 }, { LEASE, SMB2_BOTH, SMB2_LEASE_EPOCH, 48, 2 },
	{ DURABLE_V2, SMB2_BOTH, SMB2_DURABLE_TIMEOUT, 0, 4 }, { DURABLE_V2, SMB2_BOTH, SMB2_DURABLE_FLAGS, 4, 4 },
	{ DURABLE_V2, SMB2_REQUEST, SMB2_DURABLE_GUID, 16, 16 },
	{ RECONNECT_V2, SMB2_REQUEST, SMB2_DURABLE_FILE, 0, 16 }, { RECONNECT_V2, SMB2_REQUEST, SMB2_DURABLE_GUID, 16, 16 },
	{ RECONNECT_V2, SMB2_REQUEST, SMB2_DURABLE_FLAGS, 32, 4 }, { RECONNECT, SMB2_REQUEST, SMB2_DURABLE_FILE, 0, 16 },
	{ MAXIMAL_ACCESS, SMB2_RESPONSE, SMB2_MAXIMAL_STATUS, 0, 4 }, { MAXIMAL_ACCESS, SMB2_RESPONSE, SMB2_MAXIMAL_ACCESS, 4, 4 },
	{ DISK_ID, SMB2_RESPONSE, SMB2_DISK_FILE, 0, 32 }, { WARP, SMB2_REQUEST, SMB2_WARP_TIME, 0, 8 }, { ALLOCATION, SMB2_REQUEST, SMB2_ALLOCATION, 0, 8 },
};

static void show_part(const struct smb2_walk *walk, size_t row, const struct smb2_data_part *part, struct rtap_span data)
{
	struct rtap_span bytes = { data.bytes + part->at, part->bytes };
	struct rtap_value time;

	if (part->bytes > 8)
		smb2_show_bytes(walk, row, bytes);
	else if (part->row != SMB2_WARP_TIME)
		smb2_show_number(walk, row, little_bits(bytes.bytes, 0, part->bytes * 8u), (uint32_t)(bytes.bytes - walk->body), part->bytes);
	else if (smb2_time(bytes.bytes, &time))
		smb2_show_number(walk, row, time.number, (uint32_t)(bytes.bytes - walk->body), part->bytes);
}

/* *shown: a bit for each row that has a value. */
static void show_parts(const struct smb2_walk *walk, size_t first, uint32_t name, struct rtap_span data, enum smb2_side side, uint32_t *shown)
{
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		const struct smb2_data_part *part = &parts[i];

		if (part->layout != name || !(part->side & side) || part->at + part->bytes > data.length || *shown >> part->row & 1)
			continue;
		*shown |= UINT32_C(1) << part->row;
		show_part(walk, first + part->row, part, data);
	}
}

/* A context: {next 4, name offset 2, name length 2, reserved 2, data offset 2, data length 4}; offsets count from itself. */
#define CONTEXT_LENGTH 16

/* Name or data of a context of `end` bytes; nothing of what lies within the fixed part or the next context, as output must not grow by overlaps. */
static struct rtap_span part_of(const struct smb2_walk *walk, uint64_t context, uint64_t end, uint64_t at, uint64_t length)
{
	bool lies_outside = at < CONTEXT_LENGTH || at > end;

	return smb2_part(walk, context + at, lies_outside ? 0 : length < end - at ? length : end - at);
}

static void show_contexts(const struct smb2_walk *walk, size_t first, uint64_t offset, uint64_t length, enum smb2_side side)
{
	uint32_t shown = 0;

	while (length >= CONTEXT_LENGTH) {
		struct rtap_span head = smb2_part(walk, offset, CONTEXT_LENGTH), name, data;
		uint64_t next, end;

		if (head.length < CONTEXT_LENGTH)
			return;
		next = little_bits(head.bytes, 0, 32);
		end = next >= CONTEXT_LENGTH && next < length ? next : length;
		name = part_of(walk, offset, end, little_bits(head.bytes, 32, 16), little_bits(head.bytes, 48, 16));
		data = part_of(walk, offset, end, little_bits(head.bytes, 80, 16), little_bits(head.bytes, 96, 32));
		if (name.length == 4)
			smb2_show_number(walk, first + SMB2_CONTEXT_ID, load32(name.bytes), (uint32_t)(name.bytes - walk->body), 4);
		else
			smb2_show_bytes(walk, first + SMB2_CONTEXT_NAME, name);
		smb2_show_bytes(walk, first + SMB2_CONTEXT_DATA, data);
		if (name.length == 4)
			show_parts(walk, first, load32(name.bytes), data, side, &shown);
		if (next < CONTEXT_LENGTH || next > length)
			return;
		offset += next;
		length -= next;
	}
}

void smb2_show_contexts(const struct smb2_walk *walk, size_t rows, uint32_t at, bool is_response)
{
	uint64_t offset, length;

	if (smb2_number(walk, at, 4, &offset) && smb2_number(walk, at + 4, 4, &length) && offset)
		show_contexts(walk, rows - SMB2_CONTEXT_ROWS, offset, length, is_response ? SMB2_RESPONSE : SMB2_REQUEST);
}
