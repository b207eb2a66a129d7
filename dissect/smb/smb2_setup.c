/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Negotiation, sessions, trees, errors, and the bodies of commands without parameters. [MS-SMB2] 2.2.2 to 2.2.12.
 */
#include "config.h"

#include "dissect/smb/smb2_parts.h"

static const struct rtap_name dialect_names[] = {
	{ 0x0202, "SMB 2.0.2" }, { 0x0210, "SMB 2.1" }, { 0x02ff, "SMB 2 wildcard" }, { 0x0300, "SMB 3.0" }, { 0x0302, "SMB 3.0.2" },
	{ 0x0311, "SMB 3.1.1" }, { 0, NULL },
};

#define SMB311 0x0311

/* [MS-SMB2] 2.2.3.1. */
enum context_type {
	PREAUTH_INTEGRITY = 1, ENCRYPTION = 2, COMPRESSION = 3, NETNAME = 5, TRANSPORT = 6, RDMA_TRANSFORM = 7, SIGNING = 8, POSIX = 0x100,
};

static const struct rtap_name context_names[] = {
	{ PREAUTH_INTEGRITY, "SMB2_PREAUTH_INTEGRITY_CAPABILITIES" }, { ENCRYPTION, "SMB2_ENCRYPTION_CAPABILITIES" },
	{ COMPRESSION, "SMB2_COMPRESSION_CAPABILITIES" }, { NETNAME, "SMB2_NETNAME_NEGOTIATE_CONTEXT_ID" },
	{ TRANSPORT, "SMB2_TRANSPORT_CAPABILITIES" }, { RDMA_TRANSFORM, "SMB2_RDMA_TRANSFORM_CAPABILITIES" },
	{ SIGNING, "SMB2_SIGNING_CAPABILITIES" }, { POSIX, "SMB2_POSIX_EXTENSIONS_CAPABILITIES" }, { 0, NULL },
};

static const struct rtap_name hash_names[] = { { 1, "SHA-512" }, { 0, NULL } };
static const struct rtap_name cipher_names[] = {
	{ 1, "AES-128-CCM" }, { 2, "AES-128-GCM" }, { 3, "AES-256-CCM" }, { 4, "AES-256-GCM" }, { 0, NULL },
};
static const struct rtap_name compression_names[] = {
	{ 0, "none" }, { 1, "LZNT1" }, { 2, "LZ77" }, { 3, "LZ77+Huffman" }, { 4, "Pattern_V1" }, { 5, "LZ4" }, { 0, NULL },
};
static const struct rtap_name signing_names[] = { { 0, "HMAC-SHA256" }, { 1, "AES-CMAC" }, { 2, "AES-GMAC" }, { 0, NULL } };
static const struct rtap_name transform_names[] = { { 0, "none" }, { 1, "encryption" }, { 2, "signing" }, { 0, NULL } };

/* Rows of the contexts, the same in requests and responses. */
enum context_row {
	CONTEXT_TYPE, CONTEXT_LENGTH, CONTEXT_HASH, CONTEXT_SALT, CONTEXT_CIPHER, CONTEXT_COMPRESSION, CONTEXT_NETNAME, CONTEXT_TRANSPORT,
	CONTEXT_TRANSFORM, CONTEXT_SIGNING
};

#define CONTEXT_ROWS \
	SMB2_FOUND_NUMBER("negotiate_context.type", "Context Type", 16, RTAP_HEX16, RTAP_REPEATS, context_names), \
	SMB2_FOUND_NUMBER("negotiate_context.data_length", "Context Length", 16, RTAP_DEC, RTAP_REPEATS, NULL), \
	SMB2_FOUND_NUMBER("negotiate_context.hash_algorithm", "Hash Algorithm", 16, RTAP_HEX16, RTAP_REPEATS | RTAP_COMPARED, hash_names), \
	SMB2_FOUND("negotiate_context.salt", "Salt", RTAP_BYTES, RTAP_REPEATS, NULL), \
	SMB2_FOUND_NUMBER("negotiate_context.cipher_id", "Cipher", 16, RTAP_HEX16, RTAP_REPEATS, cipher_names), \
	SMB2_FOUND_NUMBER("negotiate_context.comp_alg_id", "Compression Algorithm", 16, RTAP_HEX16, RTAP_REPEATS, compression_names), \
	SMB2_FOUND("negotiate_context.netname", "Server Name", RTAP_TEXT, RTAP_REPEATS, NULL), \
	SMB2_FOUND_NUMBER("negotiate_context.transport_flags", "Transport Flags", 32, RTAP_HEX32, RTAP_REPEATS, NULL), \
	SMB2_FOUND_NUMBER("negotiate_context.rdma_transform_id", "RDMA Transform", 16, RTAP_HEX16, RTAP_REPEATS, transform_names), \
	SMB2_FOUND_NUMBER("negotiate_context.signing_id", "Signing Algorithm", 16, RTAP_HEX16, RTAP_REPEATS, signing_names)

/* A list of 16-bit numbers: their count at the start, the first of them at `first`. */
static void show_list(const struct smb2_walk *walk, size_t row, struct rtap_span data, uint32_t first)
{
	uint32_t count = data.length >= 2 ? (uint32_t)little_bits(data.bytes, 0, 16) : 0, from = (uint32_t)(data.bytes - walk->body);

	for (uint32_t i = 0, at = first; i < count && at + 2 <= data.length; i++, at += 2)
		smb2_show_number(walk, row, little_bits(data.bytes + at, 0, 16), from + at, 2);
}

static void show_context(const struct smb2_walk *walk, size_t row, uint16_t type, struct rtap_span data)
{
	uint32_t from = (uint32_t)(data.bytes - walk->body), hashes;

	switch (type) {
	case PREAUTH_INTEGRITY:
		show_list(walk, row + CONTEXT_HASH, data, 4);
		hashes = data.length >= 4 ? (uint32_t)little_bits(data.bytes, 0, 16) * 2 : data.length;
		if (4 + hashes < data.length)
			smb2_show_bytes(walk, row + CONTEXT_SALT, (struct rtap_span){ data.bytes + 4 + hashes, data.length - 4 - hashes });
		break;
	case ENCRYPTION: show_list(walk, row + CONTEXT_CIPHER, data, 2); break;
	case COMPRESSION: show_list(walk, row + CONTEXT_COMPRESSION, data, 8); break;
	case NETNAME: smb2_show_text(walk, row + CONTEXT_NETNAME, data); break;
	case TRANSPORT:
		if (data.length >= 4)
			smb2_show_number(walk, row + CONTEXT_TRANSPORT, little_bits(data.bytes, 0, 32), from, 4);
		break;
	case RDMA_TRANSFORM: show_list(walk, row + CONTEXT_TRANSFORM, data, 8); break;
	case SIGNING: show_list(walk, row + CONTEXT_SIGNING, data, 2); break;
	default: break;
	}
}

/* Contexts: {type 2, length 2, reserved 4, data}, each at a multiple of 8 bytes. */
static void show_contexts(const struct smb2_walk *walk, size_t row, uint64_t offset, uint64_t count)
{
	for (; count; count--) {
		struct rtap_span head = smb2_part(walk, offset, 8), data;
		uint32_t from = (uint32_t)(head.bytes - walk->body);
		uint64_t length;

		if (head.length < 8)
			return;
		length = little_bits(head.bytes, 16, 16);
		smb2_show_number(walk, row + CONTEXT_TYPE, little_bits(head.bytes, 0, 16), from, 2);
		smb2_show_number(walk, row + CONTEXT_LENGTH, length, from + 2, 2);
		data = smb2_part(walk, offset + 8, length);
		show_context(walk, row, (uint16_t)little_bits(head.bytes, 0, 16), data);
		offset += (8 + length + 7) / 8 * 8;
	}
}

/* 2.2.3. Before SMB 3.1.1 the last eight bytes are a time that is not used. */
static const struct rtap_field negotiate_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("dialect_count", "Dialect Count", 2, 2, RTAP_DEC, NULL),
	SMB2_SECURITY_MODE(4),
	SMB2_RESERVED("reserved", 5, 3),
	SMB2_CAPABILITIES(8),
	SMB2_GUID("client_guid", "Client GUID", 12, 0),
	SMB2_FLAGGED("negotiate_context.offset", "Context Offset", 28, 4, RTAP_HEX, 0, NULL),
	SMB2_ROW("negotiate_context.count", "Context Count", 32, 2, RTAP_DEC, NULL),
	SMB2_RESERVED("negotiate.reserved2", 34, 2),
	SMB2_FOUND_NUMBER("dialect", "Dialect", 16, RTAP_HEX16, RTAP_REPEATS, dialect_names),
	CONTEXT_ROWS,
};

#define ROW_REQUEST_DIALECT (SMB2_ROWS(negotiate_request_fields) - 11)
#define ROW_REQUEST_CONTEXT (SMB2_ROWS(negotiate_request_fields) - 10)
#define NEGOTIATE_REQUEST_LENGTH 36

static void visit_negotiate_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);
	uint64_t count, dialect, offset, contexts;
	bool has_contexts = false;

	if (!smb2_number(&walk, 2, 2, &count))
		return;
	for (uint32_t at = NEGOTIATE_REQUEST_LENGTH; count && smb2_number(&walk, at, 2, &dialect); count--, at += 2) {
		smb2_show_number(&walk, ROW_REQUEST_DIALECT, dialect, at, 2);
		has_contexts |= dialect == SMB311;
	}
	if (has_contexts && smb2_number(&walk, 28, 4, &offset) && smb2_number(&walk, 32, 2, &contexts))
		show_contexts(&walk, ROW_REQUEST_CONTEXT, offset, contexts);
}

SMB2_NO_SUMMARY(negotiate_request)
SMB2_BODY(negotiate_request, NEGOTIATE_REQUEST, "smb2.negotiate.request", "SMB2 NEGOTIATE Request", "2.2.3", NEGOTIATE_REQUEST_LENGTH)

/* 2.2.4. */
SMB2_DERIVE_TIME(derive_current_time, 40)
SMB2_DERIVE_TIME(derive_boot_time, 48)

static const struct rtap_field negotiate_response_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_SECURITY_MODE(2),
	SMB2_RESERVED("reserved", 3, 1),
	SMB2_FLAGGED("dialect", "Dialect", 4, 2, RTAP_HEX, RTAP_REPEATS, dialect_names),
	SMB2_ROW("negotiate_context.count", "Context Count", 6, 2, RTAP_DEC, NULL),
	SMB2_GUID("server_guid", "Server GUID", 8, 0),
	SMB2_CAPABILITIES(24),
	SMB2_ROW("max_trans_size", "Maximum Transaction Size", 28, 4, RTAP_DEC, NULL),
	SMB2_ROW("max_read_size", "Maximum Read Size", 32, 4, RTAP_DEC, NULL),
	SMB2_ROW("max_write_size", "Maximum Write Size", 36, 4, RTAP_DEC, NULL),
	SMB2_TIME("current_time", "Current Time", 40, derive_current_time),
	SMB2_TIME("boot_time", "Boot Time", 48, derive_boot_time),
	SMB2_ROW("negotiate.security_offset", "Security Blob Offset", 56, 2, RTAP_HEX, NULL),
	SMB2_ROW("negotiate.security_length", "Security Blob Length", 58, 2, RTAP_DEC, NULL),
	SMB2_ROW("negotiate_context.offset", "Context Offset", 60, 4, RTAP_HEX, NULL),
	SMB2_FOUND("security_blob", "Security Blob", RTAP_BYTES, 0, NULL),
	CONTEXT_ROWS,
};

#define ROW_RESPONSE_BLOB (SMB2_ROWS(negotiate_response_fields) - 11)
#define ROW_RESPONSE_CONTEXT (SMB2_ROWS(negotiate_response_fields) - 10)
#define NEGOTIATE_RESPONSE_LENGTH 64

static void visit_negotiate_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);
	uint64_t dialect, offset, count;

	smb2_show_bytes(&walk, ROW_RESPONSE_BLOB, smb2_part_at(&walk, 56, 2, 58, 2));
	if (smb2_number(&walk, 4, 2, &dialect) && dialect == SMB311 && smb2_number(&walk, 60, 4, &offset) && smb2_number(&walk, 6, 2, &count))
		show_contexts(&walk, ROW_RESPONSE_CONTEXT, offset, count);
}

static void summary_negotiate_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const char *name = layer->length >= 6 ? rtap_name_of(dialect_names, little_bits(layer_bytes(packet, layer), 32, 16)) : NULL;

	if (!name)
		return;
	line_char(line, ' ');
	line_text(line, name);
}

SMB2_BODY(negotiate_response, NEGOTIATE_RESPONSE, "smb2.negotiate.response", "SMB2 NEGOTIATE Response", "2.2.4", NEGOTIATE_RESPONSE_LENGTH)

/* 2.2.5. */
static const struct rtap_field session_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_FLAGGED("ses_req_flags", "Flags", 2, 1, RTAP_DEC, RTAP_PARTS, NULL),
	SMB2_BIT("ses_req_flags.session_binding", "Session Binding", 2, 0),
	SMB2_BITS("ses_req_flags.reserved", "Reserved", 2, 1, 7, RTAP_HEX),
	SMB2_SECURITY_MODE(3),
	SMB2_CAPABILITIES(4),
	SMB2_FLAGGED("channel", "Channel", 8, 4, RTAP_HEX, RTAP_COMPARED, NULL),
	SMB2_FLAGGED("session.security_offset", "Security Blob Offset", 12, 2, RTAP_HEX, RTAP_IGNORED, NULL),
	SMB2_FLAGGED("session.security_length", "Security Blob Length", 14, 2, RTAP_DEC, RTAP_IGNORED, NULL),
	SMB2_FLAGGED("previous_sesid", "Previous Session Id", 16, 8, RTAP_HEX, RTAP_IS_SESSION, NULL),
	SMB2_FOUND("security_blob", "Security Blob", RTAP_BYTES, 0, NULL),
};

SMB2_VISIT_LAST(session_request, bytes, 12, 2, 14, 2)
SMB2_NO_SUMMARY(session_request)
SMB2_BODY(session_request, SESSION_REQUEST, "smb2.session.request", "SMB2 SESSION_SETUP Request", "2.2.5", 24)

/* 2.2.6. */
static const struct rtap_field session_response_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_FLAGGED("session_flags", "Session Flags", 2, 2, RTAP_HEX, RTAP_PARTS | RTAP_COMPARED, NULL),
	SMB2_BIT("ses_flags.guest", "Guest", 2, 0),
	SMB2_BIT("ses_flags.null", "Null", 2, 1),
	SMB2_BIT("ses_flags.encrypt", "Encrypt", 2, 2),
	SMB2_BITS("ses_flags.reserved", "Reserved", 2, 3, 13, RTAP_HEX),
	SMB2_FLAGGED("session.security_offset", "Security Blob Offset", 4, 2, RTAP_HEX, RTAP_IGNORED, NULL),
	SMB2_FLAGGED("session.security_length", "Security Blob Length", 6, 2, RTAP_DEC, RTAP_IGNORED, NULL),
	SMB2_FOUND("security_blob", "Security Blob", RTAP_BYTES, 0, NULL),
};

SMB2_VISIT_LAST(session_response, bytes, 4, 2, 6, 2)
static void summary_session_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length >= 4 && little_bits(layer_bytes(packet, layer), 16, 16) & 4)
		line_text(line, " encrypted from here on");
}

SMB2_BODY(session_response, SESSION_RESPONSE, "smb2.session.response", "SMB2 SESSION_SETUP Response", "2.2.6", 8)

/* Of LOGOFF, TREE_DISCONNECT, ECHO, CANCEL, and the responses to FLUSH and LOCK. */
static const struct rtap_field empty_fields[] = { SMB2_STRUCTURE_SIZE, SMB2_RESERVED("reserved", 2, 2) };

SMB2_NO_VISIT(empty)
SMB2_NO_SUMMARY(empty)
SMB2_BODY(empty, EMPTY, "smb2.empty", "SMB2 Command without Parameters", "2.2.7", 4)

/* 2.2.9. */
static const struct rtap_field tree_request_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("tree.flags", "Flags", 2, 2, RTAP_HEX, NULL),
	SMB2_ROW("tree.path_offset", "Path Offset", 4, 2, RTAP_HEX, NULL),
	SMB2_ROW("tree.path_length", "Path Length", 6, 2, RTAP_DEC, NULL),
	SMB2_FOUND("tree", "Tree", RTAP_TEXT, 0, NULL),
};

SMB2_VISIT_LAST(tree_request, text, 4, 2, 6, 2)
static void summary_tree_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, NULL);

	line_char(line, ' ');
	smb2_line_text(line, smb2_part_at(&walk, 4, 2, 6, 2));
}

SMB2_BODY(tree_request, TREE_REQUEST, "smb2.tree.request", "SMB2 TREE_CONNECT Request", "2.2.9", 8)

/* 2.2.10. */
static const struct rtap_name share_type_names[] = { { 1, "disk" }, { 2, "named pipe" }, { 3, "printer" }, { 0, NULL } };

static const struct rtap_field tree_response_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("share_type", "Share Type", 2, 1, RTAP_HEX, share_type_names),
	SMB2_RESERVED("reserved", 3, 1),
	SMB2_ROW("share_flags", "Share Flags", 4, 4, RTAP_HEX, NULL),
	SMB2_FLAGGED("share_caps", "Share Capabilities", 8, 4, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BITS("share_caps.reserved", "Reserved", 8, 0, 3, RTAP_HEX),
	SMB2_BIT("share_caps.dfs", "DFS", 8, 3),
	SMB2_BIT("share_caps.continuous_availability", "Continuous Availability", 8, 4),
	SMB2_BIT("share_caps.scaleout", "Scale-Out", 8, 5),
	SMB2_BIT("share_caps.cluster", "Cluster", 8, 6),
	SMB2_BIT("share_caps.assymetric", "Asymmetric", 8, 7),
	SMB2_BIT("share_caps.redirect_to_owner", "Redirect to Owner", 8, 8),
	SMB2_BITS("share_caps.reserved2", "Reserved", 8, 9, 23, RTAP_HEX),
	SMB2_ROW("tree.access", "Maximal Access", 12, 4, RTAP_HEX, NULL),
};

SMB2_NO_VISIT(tree_response)
SMB2_NO_SUMMARY(tree_response)
SMB2_BODY(tree_response, TREE_RESPONSE, "smb2.tree.response", "SMB2 TREE_CONNECT Response", "2.2.10", 16)

static const struct rtap_name symlink_names[] = { { 0, "absolute" }, { 1, "relative" }, { 0, NULL } };

/* 2.2.2. */
static const struct rtap_field error_fields[] = {
	SMB2_STRUCTURE_SIZE,
	SMB2_ROW("error.context_count", "Error Context Count", 2, 1, RTAP_DEC, NULL),
	SMB2_ROW("error.reserved", "Reserved", 3, 1, RTAP_HEX, NULL),
	SMB2_ROW("error.byte_count", "Byte Count", 4, 4, RTAP_DEC, NULL),
	SMB2_FOUND("error.data", "Error Data", RTAP_BYTES, 0, NULL),
	SMB2_FOUND_NUMBER("error.context.id", "Error Context Id", 32, RTAP_HEX, 0, NULL),
	SMB2_FOUND_NUMBER("symlink.unparsed_path_length", "Unparsed Path Length", 16, RTAP_DEC, 0, NULL),
	SMB2_FOUND_NUMBER("symlink.flags", "Flags of the Symbolic Link", 32, RTAP_HEX, 0, symlink_names),
	SMB2_FOUND("symlink.substitute_name", "Substitute Name", RTAP_TEXT, 0, NULL),
	SMB2_FOUND("symlink.print_name", "Print Name", RTAP_TEXT, 0, NULL),
	SMB2_FOUND_NUMBER("error.min_buf_length", "Least Buffer Length", 32, RTAP_DEC, 0, NULL),
};

enum { ERROR_CONTEXT_ID = 1, ERROR_UNPARSED, ERROR_FLAGS, ERROR_SUBSTITUTE, ERROR_PRINT, ERROR_LEAST, ERROR_ROWS };

#define ERROR_ROW(row) (SMB2_ROWS(error_fields) - ERROR_ROWS + (row))
#define BUFFER_TOO_SMALL 0xc0000023
#define STOPPED_ON_SYMLINK 0x8000002d
#define SYMLINK_LENGTH 28        /* before its names */
#define SYMLINK_ERROR_TAG 0x4c4d5953
#define SYMLINK_REPARSE_TAG 0xa000000c

/* 2.2.2.2.1. Offsets of the names count from the end of the fixed part. */
static void show_symlink(const struct smb2_walk *walk, struct rtap_span data)
{
	uint32_t at = (uint32_t)(data.bytes - walk->body);
	uint64_t names = SMB2_HEADER_LENGTH + at + SYMLINK_LENGTH;

	if (data.length < SYMLINK_LENGTH || little_bits(data.bytes, 32, 32) != SYMLINK_ERROR_TAG || little_bits(data.bytes, 64, 32) != SYMLINK_REPARSE_TAG)
		return;
	smb2_show_number(walk, ERROR_ROW(ERROR_UNPARSED), little_bits(data.bytes, 112, 16), at + 14, 2);
	smb2_show_number(walk, ERROR_ROW(ERROR_FLAGS), little_bits(data.bytes, 192, 32), at + 24, 4);
	smb2_show_text(walk, ERROR_ROW(ERROR_SUBSTITUTE), smb2_part(walk, names + little_bits(data.bytes, 128, 16), little_bits(data.bytes, 144, 16)));
	smb2_show_text(walk, ERROR_ROW(ERROR_PRINT), smb2_part(walk, names + little_bits(data.bytes, 160, 16), little_bits(data.bytes, 176, 16)));
}

static void visit_error(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct smb2_walk walk = smb2_walk_begin(packet, layer, visitor);
	uint64_t length, count;
	struct rtap_span data;
	uint32_t status;

	/* the body follows the command's header */
	status = (uint32_t)little_bits(walk.body - SMB2_HEADER_LENGTH, SMB2_STATUS);
	if (!smb2_number(&walk, 4, 4, &length) || !smb2_number(&walk, 2, 1, &count))
		return;
	data = smb2_part(&walk, SMB2_HEADER_LENGTH + 8, length);
	smb2_show_bytes(&walk, ERROR_ROW(0), data);
	/* 2.2.2.1: in SMB 3.1.1 a length and an identifier precede the data */
	if (count && data.length >= 8) {
		smb2_show_number(&walk, ERROR_ROW(ERROR_CONTEXT_ID), little_bits(data.bytes, 32, 32), 12, 4);
		data = smb2_part(&walk, SMB2_HEADER_LENGTH + 16, little_bits(data.bytes, 0, 32));
	}
	if (status == STOPPED_ON_SYMLINK)
		show_symlink(&walk, data);
	else if (status == BUFFER_TOO_SMALL && data.length >= 4)
		smb2_show_number(&walk, ERROR_ROW(ERROR_LEAST), little_bits(data.bytes, 0, 32), (uint32_t)(data.bytes - walk.body), 4);
}

SMB2_NO_SUMMARY(error)
SMB2_BODY(error, ERROR, "smb2.error", "SMB2 ERROR Response", "2.2.2", 8)
