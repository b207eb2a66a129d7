/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands on files: CREATE, CLOSE, FLUSH, READ, WRITE, LOCK. [MS-SMB2] 2.2.13 to 2.2.27.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/smb/smb2_contexts.h"
#include "dissect/smb/smb2_parts.h"

static const struct rtap_name oplock_names[] = {
	{ 0x00, "none" }, { 0x01, "level II" }, { 0x08, "exclusive" }, { 0x09, "batch" }, { 0xff, "lease" }, { 0, NULL },
};
static const struct rtap_name impersonation_names[] = {
	{ 0, "anonymous" }, { 1, "identification" }, { 2, "impersonation" }, { 3, "delegate" }, { 0, NULL },
};
static const struct rtap_name disposition_names[] = {
	{ 0, "supersede" }, { 1, "open" }, { 2, "create" }, { 3, "open or create" }, { 4, "overwrite" }, { 5, "overwrite or create" }, { 0, NULL },
};
static const struct rtap_name action_names[] = { { 0, "superseded" }, { 1, "opened" }, { 2, "created" }, { 3, "overwritten" }, { 0, NULL } };
static const struct rtap_name channel_names[] = {
	{ SMB2_CHANNEL_NONE, "none" }, { SMB2_CHANNEL_RDMA_V1, "RDMA V1" }, { SMB2_CHANNEL_RDMA_V1_INVALIDATE, "RDMA V1, invalidate" },
	{ SMB2_CHANNEL_RDMA_TRANSFORM, "RDMA transform" }, { 0, NULL },
};

/* 2.2.13. */
static const struct rtap_field create_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("create.security_flags", "Security Flags", 2, 1, RTAP_HEX, NULL),
	SMB2_ROW("create.oplock", "Oplock", 3, 1, RTAP_HEX, oplock_names),
	SMB2_ROW("impersonation.level", "Impersonation Level", 4, 4, RTAP_DEC, impersonation_names),
	SMB2_ROW("create_flags", "Create Flags", 8, 8, RTAP_HEX, NULL),
	SMB2_RESERVED("create.reserved", 16, 8),
	SMB2_ROW("create.access", "Desired Access", 24, 4, RTAP_HEX, NULL),
	SMB2_EACH("file_attribute", "File Attributes", 28, 4, RTAP_HEX),
	SMB2_ROW("create.share_access", "Share Access", 32, 4, RTAP_HEX, NULL),
	SMB2_ROW("create.disposition", "Disposition", 36, 4, RTAP_DEC, disposition_names),
	SMB2_ROW("create.options", "Create Options", 40, 4, RTAP_HEX, NULL),
	SMB2_ROW("create.name_offset", "Name Offset", 44, 2, RTAP_HEX, NULL),
	SMB2_ROW("create.name_length", "Name Length", 46, 2, RTAP_DEC, NULL),
	SMB2_ROW("create.contexts_offset", "Contexts Offset", 48, 4, RTAP_HEX, NULL),
	SMB2_ROW("create.contexts_length", "Contexts Length", 52, 4, RTAP_DEC, NULL),
	SMB2_FOUND("filename", "File Name", RTAP_TEXT, RTAP_REPEATS, NULL),
	SMB2_CONTEXT_FIELDS,
};

static void visit_create_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);

	smb2_show_text(&walk, SMB2_ROWS(create_request_fields) - SMB2_CONTEXT_ROWS - 1, smb2_part_at(&walk, 44, 2, 46, 2));
	smb2_show_contexts(&walk, SMB2_ROWS(create_request_fields), 48, false);
}

static void summary_create_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, NULL);
	struct rtap_span name = smb2_part_at(&walk, 44, 2, 46, 2);

	line_char(line, ' ');
	if (name.length)
		smb2_line_text(line, name);
	else
		line_text(line, "of the share's root");
}

SMB2_BODY(create_request, CREATE_REQUEST, "smb2.create.request", "SMB2 CREATE Request", "2.2.13", 56)

/* 2.2.14. */
SMB2_DERIVE_TIME(derive_create_created, 8)
SMB2_DERIVE_TIME(derive_create_access, 16)
SMB2_DERIVE_TIME(derive_create_write, 24)
SMB2_DERIVE_TIME(derive_create_change, 32)

static const struct rtap_field create_response_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("create.oplock", "Oplock", 2, 1, RTAP_HEX, oplock_names),
	SMB2_ROW("create.rep_flags", "Response Flags", 3, 1, RTAP_HEX, NULL),
	SMB2_ROW("create.action", "Create Action", 4, 4, RTAP_DEC, action_names),
	SMB2_FILE_TIMES(8, derive_create_created, derive_create_access, derive_create_write, derive_create_change),
	SMB2_EACH("allocation_size", "Allocation Size", 40, 8, RTAP_DEC),
	SMB2_EACH("eof", "End of File", 48, 8, RTAP_DEC),
	SMB2_EACH("file_attribute", "File Attributes", 56, 4, RTAP_HEX),
	SMB2_RESERVED("reserved", 60, 4),
	SMB2_FILE(64),
	SMB2_ROW("create.contexts_offset", "Contexts Offset", 80, 4, RTAP_HEX, NULL),
	SMB2_ROW("create.contexts_length", "Contexts Length", 84, 4, RTAP_DEC, NULL),
	SMB2_CONTEXT_FIELDS,
};

static void visit_create_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);

	smb2_show_contexts(&walk, SMB2_ROWS(create_response_fields), 80, true);
}

static void summary_create_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const char *name = layer->length >= 56 ? rtap_name_of(action_names, little_bits(layer_bytes(packet, layer), 32, 32)) : NULL;
	char *begin;

	if (!name)
		return;
	begin = line->next;
	line_char(line, ' ');
	line_text(line, name);
	line_text(line, ", ");
	line_count(line, little_bits(layer_bytes(packet, layer), 384, 64), "byte", "bytes");
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

SMB2_BODY(create_response, CREATE_RESPONSE, "smb2.create.response", "SMB2 CREATE Response", "2.2.14", 88)

/* 2.2.15. */
static const struct rtap_field close_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_FLAGGED("close.flags", "Close Flags", 2, 2, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BIT("close.pq_attrib", "Return Attributes", 2, 0),
	SMB2_BITS("close.flags.reserved", "Reserved", 2, 1, 15, RTAP_HEX),
	SMB2_RESERVED("reserved", 4, 4),
	SMB2_FILE(8),
};

SMB2_NO_VISIT(close_request)
SMB2_NO_SUMMARY(close_request)
SMB2_BODY(close_request, CLOSE_REQUEST, "smb2.close.request", "SMB2 CLOSE Request", "2.2.15", 24)

/* 2.2.16. */
SMB2_DERIVE_TIME(derive_close_created, 8)
SMB2_DERIVE_TIME(derive_close_access, 16)
SMB2_DERIVE_TIME(derive_close_write, 24)
SMB2_DERIVE_TIME(derive_close_change, 32)

static const struct rtap_field close_response_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_FLAGGED("close.flags", "Close Flags", 2, 2, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BIT("close.pq_attrib", "Returns Attributes", 2, 0),
	SMB2_BITS("close.flags.reserved", "Reserved", 2, 1, 15, RTAP_HEX),
	SMB2_RESERVED("reserved", 4, 4),
	SMB2_FILE_TIMES(8, derive_close_created, derive_close_access, derive_close_write, derive_close_change),
	SMB2_EACH("allocation_size", "Allocation Size", 40, 8, RTAP_DEC),
	SMB2_EACH("eof", "End of File", 48, 8, RTAP_DEC),
	SMB2_EACH("file_attribute", "File Attributes", 56, 4, RTAP_HEX),
};

SMB2_NO_VISIT(close_response)
SMB2_NO_SUMMARY(close_response)
SMB2_BODY(close_response, CLOSE_RESPONSE, "smb2.close.response", "SMB2 CLOSE Response", "2.2.16", 60)

/* 2.2.17. */
static const struct rtap_field flush_request_fields[] = {
	SMB2_STRUCTURE_SIZE, SMB2_RESERVED("flush.reserved", 2, 2), SMB2_RESERVED("reserved", 4, 4), SMB2_FILE(8),
};

SMB2_NO_VISIT(flush_request)
SMB2_NO_SUMMARY(flush_request)
SMB2_BODY(flush_request, FLUSH_REQUEST, "smb2.flush.request", "SMB2 FLUSH Request", "2.2.17", 24)

/* A range of the file: "4096 bytes at 0". */
static void line_range(struct line *line, uint64_t length, uint64_t offset)
{
	line_char(line, ' ');
	line_count(line, length, "byte", "bytes");
	line_text(line, " at ");
	line_dec(line, offset);
}

/* 2.2.19. */
static const struct rtap_field read_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("read_padding", "Padding", 2, 1, RTAP_HEX, NULL),
	SMB2_FLAGGED("read_flags", "Flags", 3, 1, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BIT("read_flags.unbuffered", "Unbuffered", 3, 0),
	SMB2_BIT("read_flags.compressed", "Compressed", 3, 1),
	SMB2_BITS("read_flags.reserved", "Reserved", 3, 2, 6, RTAP_HEX),
	SMB2_ROW("read_length", "Read Length", 4, 4, RTAP_DEC, NULL),
	SMB2_ROW("file_offset", "File Offset", 8, 8, RTAP_DEC, NULL),
	SMB2_FILE(16),
	SMB2_ROW("min_count", "Minimum Count", 32, 4, RTAP_DEC, NULL),
	SMB2_ROW("channel", "Channel", 36, 4, RTAP_HEX, channel_names),
	SMB2_ROW("remaining_bytes", "Remaining Bytes", 40, 4, RTAP_DEC, NULL),
	SMB2_ROW("channel_info_offset", "Channel Info Offset", 44, 2, RTAP_DEC, NULL),
	SMB2_ROW("channel_info_length", "Channel Info Length", 46, 2, RTAP_DEC, NULL),
	SMB2_DESCRIPTOR_ROWS,
};

/* The descriptors of a channel, if it has any in this form. */
static void show_channel(const struct smb2_walk *walk, size_t row, uint32_t channel_at, uint32_t info_at)
{
	uint64_t channel;

	if (smb2_number(walk, channel_at, 4, &channel) && (channel == SMB2_CHANNEL_RDMA_V1 || channel == SMB2_CHANNEL_RDMA_V1_INVALIDATE))
		smb2_show_descriptors(walk, row, smb2_part_at(walk, info_at, 2, info_at + 2, 2));
}

static void visit_read_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);

	show_channel(&walk, SMB2_ROWS(read_request_fields) - 3, 36, 44);
}

static void summary_read_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *body = layer_bytes(packet, layer);

	if (layer->length >= 48)
		line_range(line, little_bits(body, 32, 32), little_bits(body, 64, 64));
}

SMB2_BODY(read_request, READ_REQUEST, "smb2.read.request", "SMB2 READ Request", "2.2.19", 48)

/* 2.2.20. */
static const struct rtap_field read_response_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("read.data_offset", "Data Offset", 2, 1, RTAP_HEX, NULL),
	SMB2_RESERVED("reserved", 3, 1),
	SMB2_ROW("read_length", "Read Length", 4, 4, RTAP_DEC, NULL),
	SMB2_ROW("read_remaining", "Read Remaining", 8, 4, RTAP_DEC, NULL),
	SMB2_ROW("read.flags", "Flags", 12, 4, RTAP_HEX, NULL),
	SMB2_FOUND("read_data", "Read Data", RTAP_BYTES, RTAP_BULK, NULL),
};

SMB2_VISIT_LAST(read_response, bytes, 2, 1, 4, 4)
static void summary_read_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *body = layer_bytes(packet, layer);

	if (layer->length < 16)
		return;
	line_char(line, ' ');
	line_count(line, little_bits(body, 32, 32) + little_bits(body, 64, 32), "byte", "bytes");
}

SMB2_BODY(read_response, READ_RESPONSE, "smb2.read.response", "SMB2 READ Response", "2.2.20", 16)

/* 2.2.21. */
static const struct rtap_field write_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("data_offset", "Data Offset", 2, 2, RTAP_HEX, NULL),
	SMB2_ROW("write_length", "Write Length", 4, 4, RTAP_DEC, NULL),
	SMB2_ROW("file_offset", "File Offset", 8, 8, RTAP_DEC, NULL),
	SMB2_FILE(16),
	SMB2_ROW("channel", "Channel", 32, 4, RTAP_HEX, channel_names),
	SMB2_ROW("remaining_bytes", "Remaining Bytes", 36, 4, RTAP_DEC, NULL),
	SMB2_ROW("channel_info_offset", "Channel Info Offset", 40, 2, RTAP_DEC, NULL),
	SMB2_ROW("channel_info_length", "Channel Info Length", 42, 2, RTAP_DEC, NULL),
	SMB2_FLAGGED("write.flags", "Write Flags", 44, 4, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BIT("write.flags.write_through", "Write Through", 44, 0),
	SMB2_BIT("write.flags.unbuffered", "Unbuffered", 44, 1),
	SMB2_BITS("write.flags.reserved", "Reserved", 44, 2, 30, RTAP_HEX),
	SMB2_FOUND("write_data", "Write Data", RTAP_BYTES, RTAP_BULK, NULL),
	SMB2_DESCRIPTOR_ROWS,
};

static void visit_write_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);

	smb2_show_bytes(&walk, SMB2_ROWS(write_request_fields) - 4, smb2_part_at(&walk, 2, 2, 4, 4));
	show_channel(&walk, SMB2_ROWS(write_request_fields) - 3, 32, 40);
}

static void summary_write_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *body = layer_bytes(packet, layer);

	if (layer->length >= 48)
		line_range(line, little_bits(body, 256, 32) ? little_bits(body, 288, 32) : little_bits(body, 32, 32), little_bits(body, 64, 64));
}

SMB2_BODY(write_request, WRITE_REQUEST, "smb2.write.request", "SMB2 WRITE Request", "2.2.21", 48)

/* 2.2.22. */
static const struct rtap_field write_response_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_RESERVED("reserved", 2, 2),
	SMB2_ROW("write.count", "Write Count", 4, 4, RTAP_DEC, NULL),
	SMB2_ROW("write.remaining", "Write Remaining", 8, 4, RTAP_DEC, NULL),
	SMB2_ROW("channel_info_offset", "Channel Info Offset", 12, 2, RTAP_DEC, NULL),
	SMB2_ROW("channel_info_length", "Channel Info Length", 14, 2, RTAP_DEC, NULL),
};

static void summary_write_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length < 16)
		return;
	line_char(line, ' ');
	line_count(line, little_bits(layer_bytes(packet, layer), 32, 32), "byte", "bytes");
}

SMB2_NO_VISIT(write_response)
SMB2_BODY(write_response, WRITE_RESPONSE, "smb2.write.response", "SMB2 WRITE Response", "2.2.22", 16)

/* 2.2.26. */
static const struct rtap_field lock_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("lock_count", "Lock Count", 2, 2, RTAP_DEC, NULL),
	SMB2_FLAGGED("lock_sequence", "Lock Sequence", 4, 4, RTAP_HEX, RTAP_IGNORED, NULL),
	SMB2_FILE(8),
	SMB2_FOUND_NUMBER("lock.offset", "Lock Offset", 64, RTAP_DEC, RTAP_REPEATS, NULL),
	SMB2_FOUND_NUMBER("lock_length", "Lock Length", 64, RTAP_DEC, RTAP_REPEATS, NULL),
	SMB2_FOUND_NUMBER("lock_flags", "Lock Flags", 32, RTAP_HEX32, RTAP_REPEATS, NULL),
};

static void visit_lock_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);
	size_t row = SMB2_ROWS(lock_request_fields) - 3;
	uint64_t count = 0;

	smb2_number(&walk, 2, 2, &count);
	for (uint32_t at = 24; count && at + SMB2_LOCK_LENGTH <= layer->length; count--, at += SMB2_LOCK_LENGTH) {
		smb2_show_number(&walk, row, little_bits(walk.body + at, 0, 64), at, 8);
		smb2_show_number(&walk, row + 1, little_bits(walk.body + at, 64, 64), at + 8, 8);
		smb2_show_number(&walk, row + 2, little_bits(walk.body + at, 128, 32), at + 16, 4);
	}
}

static void summary_lock_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *body = layer_bytes(packet, layer);

	if (layer->length < 24 + SMB2_LOCK_LENGTH)
		return;
	line_text(line, little_bits(body + 24, 128, 32) & 4 ? " unlocks" : "");
	line_range(line, little_bits(body + 24, 64, 64), little_bits(body + 24, 0, 64));
}

SMB2_BODY(lock_request, LOCK_REQUEST, "smb2.lock.request", "SMB2 LOCK Request", "2.2.26", 24)
