/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDS over RDMA: each SEND is a header and, after it, a fragment of a message or of a congestion map; without a fragment it acknowledges.
 * Linux, net/rds/rds.h, net/rds/message.c, net/rds/ib_recv.c.
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/rds/rds.h"

#define FRAGMENT_UNIT 4096 /* fragments but the last are a multiple of a page */

/* Bytes after the type; types without a number end the list. */
static const uint8_t extension_lengths[RDS_EXTENSION_COUNT] = {
	[RDS_EXTENSION_VERSION] = 4, [RDS_EXTENSION_RDMA] = 4, [RDS_EXTENSION_RDMA_DESTINATION] = 8, [RDS_EXTENSION_RDMA_BYTES] = 8,
	[RDS_EXTENSION_PATHS] = 2, [RDS_EXTENSION_GENERATION] = 4, [RDS_EXTENSION_CAPABILITIES] = 4, [RDS_EXTENSION_PORT_INDEX] = 1,
};

/* The next extension at *at, which moves past it: its type; NONE: the list ends. `content` may be NULL. */
static enum rds_extension next_extension(const uint8_t *extensions, uint32_t *at, const uint8_t **content)
{
	uint8_t type = *at < RDS_EXTENSIONS_LENGTH ? extensions[*at] : RDS_EXTENSION_NONE;
	uint32_t length = type < RDS_EXTENSION_COUNT ? extension_lengths[type] : 0;

	if (!length || *at + 1 + length > RDS_EXTENSIONS_LENGTH)
		return RDS_EXTENSION_NONE;
	*content = extensions + *at + 1;
	*at += 1 + length;
	return (enum rds_extension)type;
}

const uint8_t *rds_extension(const uint8_t *header, enum rds_extension wanted)
{
	const uint8_t *content = NULL;
	enum rds_extension type;
	uint32_t at = 0;

	do
		type = next_extension(header + RDS_EXTENSIONS_AT, &at, &content);
	while (type != RDS_EXTENSION_NONE && type != wanted);
	return type == wanted ? content : NULL;
}

/* Known extensions, and zeros after them. */
static bool extensions_are_sound(const uint8_t *extensions)
{
	const uint8_t *content = NULL;
	uint32_t at = 0;
	uint8_t any = 0;

	while (next_extension(extensions, &at, &content) != RDS_EXTENSION_NONE)
		continue;
	while (at < RDS_EXTENSIONS_LENGTH)
		any |= extensions[at++];
	return !any;
}

bool rds_checksum_is_good(const uint8_t *header)
{
	uint32_t sum = 0;

	for (uint32_t at = 0; at < RDS_HEADER_LENGTH; at += 2)
		sum += load16(header + at);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

uint32_t rds_next_congested(const uint8_t *map, uint32_t length, uint32_t at)
{
	uint64_t words[8];

	/* most maps are all zeros */
	for (; length - at >= sizeof words; at += sizeof words) {
		memcpy(words, map + at, sizeof words);
		if (words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7])
			break;
	}
	while (at < length && !map[at])
		at++;
	return at;
}

uint32_t rds_congested_ports(const uint8_t *map, uint32_t length)
{
	uint32_t count = 0, at = rds_next_congested(map, length, 0);

	for (; at < length; at = rds_next_congested(map, length, at + 1))
		count += (uint32_t)__builtin_popcount(map[at]);
	return count;
}

/* Whether the header is consistent: an acknowledgement, a congestion map, or a message with `fragment` bytes in this packet. */
static bool is_consistent(const uint8_t *header, uint32_t fragment)
{
	uint64_t sequence = bits(header, RDS_SEQUENCE), length = bits(header, RDS_LENGTH);
	bool has_ports = bits(header, RDS_SOURCE_PORT) || bits(header, RDS_DESTINATION_PORT);

	if (fragment > length)
		return false;
	if (bits(header, RDS_FLAGS) & RDS_CONGESTION_MAP)
		return !sequence && !has_ports && length == RDS_MAP_LENGTH && fragment && fragment % FRAGMENT_UNIT == 0;
	if (!has_ports)
		return !sequence && !length;
	/* a part of a message is a whole number of pages, or the rest after these */
	return sequence && (length ? fragment : true) &&
	       (fragment == length || fragment % FRAGMENT_UNIT == 0 || (length - fragment) % FRAGMENT_UNIT == 0);
}

bool rds_recognise(const struct cursor *payload)
{
	const uint8_t *header = payload->next;

	return payload->captured >= RDS_HEADER_LENGTH && !bits(header, RDS_PADDING) && !(bits(header, RDS_FLAGS) & 0xc0) &&
	       is_consistent(header, payload->wire - RDS_HEADER_LENGTH) && rds_checksum_is_good(header) &&
	       extensions_are_sound(header + RDS_EXTENSIONS_AT);
}

static const uint8_t *whole_header(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return layer->length >= RDS_HEADER_LENGTH ? layer_bytes(packet, layer) : NULL;
}

static bool derive_checksum_status(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	static const char texts[2][5] = { "bad", "good" };
	const uint8_t *header = whole_header(packet, layer);
	const char *text;

	if (!header)
		return false;
	text = texts[rds_checksum_is_good(header)];
	value->data = (struct rtap_span){ (const uint8_t *)text, (uint32_t)strlen(text) };
	return true;
}

static bool derive_extension(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, enum rds_extension type,
			     unsigned offset, unsigned width)
{
	const uint8_t *header = whole_header(packet, layer);
	const uint8_t *content = header ? rds_extension(header, type) : NULL;

	if (content)
		value->number = bits(content, offset, width);
	return content;
}

#define EXTENSION_FIELDS(X) \
	X(version, VERSION, 0, 32) X(rdma_rkey, RDMA, 0, 32) X(dest_rkey, RDMA_DESTINATION, 0, 32) X(dest_offset, RDMA_DESTINATION, 32, 32) \
	X(rdma_bytes, RDMA_BYTES, 0, 32) X(rdma_flags, RDMA_BYTES, 32, 8) X(npaths, PATHS, 0, 16) X(gen_num, GENERATION, 0, 32) \
	X(cap_bits, CAPABILITIES, 0, 32) X(sport_idx, PORT_INDEX, 0, 8)

#define DERIVE(name, type, offset, width) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return derive_extension(packet, layer, value, RDS_EXTENSION_##type, offset, width); \
	}
EXTENSION_FIELDS(DERIVE)

static const struct rtap_name rdma_flag_names[] = { { 1, "write" }, { 2, "read" }, { 0, NULL } };

#define IN_EXTENSION(name, label, width, show, flags, names) \
	{ "rds.ext." #name, label, 0, width, RTAP_##show, RTAP_UNPLACED | (flags), names, derive_##name, NULL }

static const struct rtap_field fields[] = {
	{ "rds.sequence", "Sequence Number", RDS_SEQUENCE, RTAP_DEC, RTAP_COMPARED, NULL, NULL, NULL },
	{ "rds.ack", "Acknowledged Sequence Number", RDS_ACK, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "rds.len", "Length of the Message", RDS_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "rds.sport", "Source Port", RDS_SOURCE_PORT, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "rds.dport", "Destination Port", RDS_DESTINATION_PORT, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "rds.flags", "Flags", RDS_FLAGS, RTAP_HEX, RTAP_PARTS | RTAP_OPCODE, NULL, NULL, NULL },
	{ "rds.flags.reserved", "Reserved", 192, 2, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "rds.flags.exthdr", "Extension Headers Understood", 194, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "rds.flags.hb_pong", "Heartbeat Pong", 195, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "rds.flags.hb_ping", "Heartbeat Ping", 196, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "rds.flags.retransmitted", "Retransmitted", 197, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "rds.flags.ack_required", "Acknowledgement Required", 198, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "rds.flags.cong_bitmap", "Congestion Map", 199, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "rds.credit", "Credits", RDS_CREDIT, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "rds.padding", "Padding", RDS_PADDING, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "rds.checksum", "Header Checksum", RDS_CHECKSUM, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "rds.checksum.status", "Checksum Status", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_COMPARED, NULL, derive_checksum_status, NULL },
	{ "rds.exthdr", "Extension Headers", RDS_EXTENSIONS_AT * 8, RDS_EXTENSIONS_LENGTH * 8, RTAP_BYTES, 0, NULL, NULL, NULL },
	IN_EXTENSION(version, "Protocol Version", 32, DEC, 0, NULL),
	IN_EXTENSION(rdma_rkey, "R_Key of the RDMA Operation before it", 32, HEX, RTAP_IS_RKEY, NULL),
	IN_EXTENSION(dest_rkey, "R_Key of the RDMA Destination", 32, HEX, RTAP_IS_RKEY, NULL),
	IN_EXTENSION(dest_offset, "Offset of the RDMA Destination", 32, DEC, RTAP_IGNORED, NULL),
	IN_EXTENSION(rdma_bytes, "Bytes Moved by RDMA", 32, DEC, 0, NULL),
	IN_EXTENSION(rdma_flags, "RDMA Direction", 8, HEX, 0, rdma_flag_names),
	IN_EXTENSION(npaths, "Paths", 16, DEC, 0, NULL),
	IN_EXTENSION(gen_num, "Generation Number", 32, HEX, RTAP_IGNORED, NULL),
	IN_EXTENSION(cap_bits, "Capabilities", 32, HEX, 0, NULL),
	IN_EXTENSION(sport_idx, "Index by Source Port", 8, DEC, 0, NULL),
};

static void summary_message(const uint8_t *header, uint64_t flags, struct line *line)
{
	line_text(line, flags & RDS_HEARTBEAT_PING ? " heartbeat ping " : flags & RDS_HEARTBEAT_PONG ? " heartbeat pong " : " message ");
	line_dec(line, bits(header, RDS_SEQUENCE));
	line_char(line, ' ');
	line_dec(line, bits(header, RDS_SOURCE_PORT));
	line_char(line, '>');
	line_dec(line, bits(header, RDS_DESTINATION_PORT));
	line_char(line, ' ');
	line_count(line, bits(header, RDS_LENGTH), "byte", "bytes");
	if (flags & RDS_RETRANSMITTED)
		line_text(line, " retransmitted");
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = whole_header(packet, layer);
	uint64_t flags = header ? bits(header, RDS_FLAGS) : 0;

	line_text(line, ": RDS");
	if (!header)
		return;
	if (flags & RDS_CONGESTION_MAP)
		line_text(line, " congestion map");
	else if (bits(header, RDS_SEQUENCE))
		summary_message(header, flags, line);
	line_text(line, " ack ");
	line_dec(line, bits(header, RDS_ACK));
	if (bits(header, RDS_CREDIT)) {
		line_char(line, ' ');
		line_count(line, bits(header, RDS_CREDIT), "credit", "credits");
	}
	if (!rds_checksum_is_good(header))
		line_text(line, " bad checksum");
}

/* A SEND shorter than the header is none of RDS. */
static enum result parse_rds(struct parse *parse)
{
	const uint8_t *header;
	enum result result;

	if (parse->cursor.wire < RDS_HEADER_LENGTH) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	parse->packet->upper = RTAP_UPPER_RDS;
	result = parse_layer(parse, PROTOCOL_RDS, RDS_HEADER_LENGTH, &header);
	if (result == OK && parse->cursor.wire)
		parse->next = bits(header, RDS_FLAGS) & RDS_CONGESTION_MAP ? PROTOCOL_RDS_MAP : PROTOCOL_PAYLOAD;
	return result;
}

const struct protocol rds_protocol = {
	.table = { "rds", "Reliable Datagram Sockets", "Linux, net/rds/rds.h", RDS_HEADER_LENGTH, FIELDS(fields) },
	.scope = SCOPE_CALL,
	.parse = parse_rds,
	.summary = summary,
};

/* A part of the congestion map: the first bit is that of port 0, or where the parts before it end. */
static bool derive_map(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer), layer->length };
	return layer->length;
}

static bool derive_congested(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = rds_congested_ports(layer_bytes(packet, layer), layer->length);
	return layer->length;
}

static const struct rtap_field map_fields[] = {
	{ "rds.cong.map", "Congestion Map", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_map, NULL },
	{ "rds.cong.ports", "Congested Ports", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_congested, NULL },
};

static enum result parse_map(struct parse *parse)
{
	uint32_t length = parse->cursor.captured;
	const uint8_t *map;

	return parse_layer(parse, PROTOCOL_RDS_MAP, length, &map);
}

static void summary_map(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	uint32_t count = rds_congested_ports(layer_bytes(packet, layer), layer->length);

	line_text(line, ", ");
	line_count(line, count, "congested port", "congested ports");
}

const struct protocol rds_map_protocol = {
	.table = { "rds.cong", "RDS Congestion Map", "Linux, net/rds/cong.c", 0, FIELDS(map_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_map,
	.summary = summary_map,
};
