/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TCP. RFC 9293, 3.1; options: RFC 7323 (window scale, time stamps), RFC 2018 (selective acknowledgement).
 */
#include "config.h"

#include "dissect/net/ip.h"
#include "dissect/iwarp/iwarp.h"
#include "dissect/iwarp/mpa_fpdu.h"
#include "dissect/engine/ends.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/rpc/rpc.h"
#include "dissect/net/tcp.h"
#include "dissect/infiniband/upper.h"
#include "dissect/engine/visit.h"

#define TCP_LENGTH 20
#define TCP_SRC 0, 16
#define TCP_DST 16, 16
#define TCP_SEQ 32, 32
#define TCP_ACK_NUMBER 64, 32
#define TCP_OFFSET 96, 4
#define TCP_FLAGS 100, 12
#define TCP_RESERVED 100, 3
#define TCP_AE 103, 1
#define TCP_CWR 104, 1
#define TCP_ECE 105, 1
#define TCP_URG 106, 1
#define TCP_ACK 107, 1
#define TCP_PSH 108, 1
#define TCP_RST 109, 1
#define TCP_SYN 110, 1
#define TCP_FIN 111, 1
#define TCP_WINDOW 112, 16
#define TCP_CHECKSUM 128, 16
#define TCP_URGENT 144, 16

static bool derive_header_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), TCP_OFFSET) * 4;
	return true;
}

static bool derive_reserved(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), TCP_RESERVED) != 0;
	return true;
}

static bool derive_payload_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length < TCP_LENGTH)
		return false;
	return ip_bytes_after(packet, layer, (uint32_t)bits(layer_bytes(packet, layer), TCP_OFFSET) * 4, &value->number);
}

static bool derive_options(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length <= TCP_LENGTH)
		return false;
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + TCP_LENGTH, layer->length - TCP_LENGTH };
	return true;
}

/* Of the packet's own header, not of one that an ICMP message quotes. */
static bool has_relative(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return packet->tcp.has_relative && layer->length >= TCP_LENGTH && ends_show_ports(packet);
}

static bool derive_sequence(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = packet->tcp.relative_sequence;
	return has_relative(packet, layer);
}

static bool derive_acknowledgment(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = packet->tcp.relative_acknowledgment;
	return has_relative(packet, layer);
}

/* IANA, TCP option kind numbers */
#define KIND_END 0
#define KIND_NOP 1
#define KIND_MSS 2
#define KIND_WINDOW_SCALE 3
#define KIND_SACK 5
#define KIND_TIMESTAMP 8

static const struct rtap_name kind_names[] = {
	{ KIND_END, "End of options" }, { KIND_NOP, "No operation" }, { KIND_MSS, "Maximum segment size" },
	{ KIND_WINDOW_SCALE, "Window scale" }, { 4, "SACK permitted" }, { KIND_SACK, "SACK" },
	{ KIND_TIMESTAMP, "Time stamps" }, { 19, "MD5 signature" }, { 28, "User timeout" }, { 29, "Authentication" },
	{ 30, "Multipath TCP" }, { 34, "Fast open" }, { 0, NULL },
};

enum { ROW_KIND, ROW_LENGTH, ROW_MSS, ROW_SCALE, ROW_SACK_LEFT, ROW_SACK_RIGHT, ROW_TIME, ROW_ECHO };

#define OPTION RTAP_UNPLACED | RTAP_REPEATS

static const struct rtap_field tcp_fields[] = {
	[ROW_KIND] = { "tcp.option_kind", "Option", 0, 8, RTAP_DEC, OPTION, kind_names, NULL, NULL },
	[ROW_LENGTH] = { "tcp.option_len", "Option Length", 0, 8, RTAP_DEC, OPTION, NULL, NULL, NULL },
	[ROW_MSS] = { "tcp.options.mss_val", "Maximum Segment Size", 0, 16, RTAP_DEC, OPTION, NULL, NULL, "RFC 9293, 3.7.1" },
	[ROW_SCALE] = { "tcp.options.wscale.shift", "Window Scale Shift", 0, 8, RTAP_DEC, OPTION, NULL, NULL, "RFC 7323, 2.2" },
	[ROW_SACK_LEFT] = { "tcp.options.sack_le", "SACK Left Edge", 0, 32, RTAP_DEC, OPTION, NULL, NULL, "RFC 2018, section 3" },
	[ROW_SACK_RIGHT] = { "tcp.options.sack_re", "SACK Right Edge", 0, 32, RTAP_DEC, OPTION, NULL, NULL, "RFC 2018, section 3" },
	[ROW_TIME] = { "tcp.options.timestamp.tsval", "Time Stamp", 0, 32, RTAP_DEC, OPTION, NULL, NULL, "RFC 7323, 3.2" },
	[ROW_ECHO] = { "tcp.options.timestamp.tsecr", "Time Stamp Echo", 0, 32, RTAP_DEC, OPTION, NULL, NULL, "RFC 7323, 3.2" },
	{ "tcp.srcport", "Source Port", TCP_SRC, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "tcp.dstport", "Destination Port", TCP_DST, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "tcp.len", "Payload Length", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_payload_length, NULL },
	{ "tcp.seq", "Relative Sequence Number", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_sequence, NULL },
	{ "tcp.seq_raw", "Sequence Number", TCP_SEQ, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "tcp.ack", "Relative Acknowledgment Number", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_acknowledgment, NULL },
	{ "tcp.ack_raw", "Acknowledgment Number", TCP_ACK_NUMBER, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "tcp.hdr_len", "Header Length", TCP_OFFSET, RTAP_DEC, RTAP_OWN_BYTES, NULL, derive_header_length, NULL },
	{ "tcp.flags", "Flags", TCP_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "tcp.flags.res", "Reserved", TCP_RESERVED, RTAP_BOOL, RTAP_OWN_BYTES | RTAP_COMPARED, NULL, derive_reserved, NULL },
	{ "tcp.flags.ae", "Accurate ECN", TCP_AE, RTAP_BOOL, RTAP_COMPARED, NULL, NULL, "RFC 9768, 3.1" },
	{ "tcp.flags.cwr", "Congestion Window Reduced", TCP_CWR, RTAP_BOOL, RTAP_COMPARED, NULL, NULL, "RFC 3168, 6.1" },
	{ "tcp.flags.ece", "ECN Echo", TCP_ECE, RTAP_BOOL, RTAP_COMPARED, NULL, NULL, "RFC 3168, 6.1" },
	{ "tcp.flags.urg", "Urgent", TCP_URG, RTAP_BOOL, RTAP_COMPARED, NULL, NULL, NULL },
	{ "tcp.flags.ack", "Acknowledgment", TCP_ACK, RTAP_BOOL, RTAP_COMPARED, NULL, NULL, NULL },
	{ "tcp.flags.push", "Push", TCP_PSH, RTAP_BOOL, RTAP_COMPARED, NULL, NULL, NULL },
	{ "tcp.flags.reset", "Reset", TCP_RST, RTAP_BOOL, RTAP_COMPARED, NULL, NULL, NULL },
	{ "tcp.flags.syn", "Synchronize", TCP_SYN, RTAP_BOOL, RTAP_COMPARED, NULL, NULL, NULL },
	{ "tcp.flags.fin", "Finish", TCP_FIN, RTAP_BOOL, RTAP_COMPARED, NULL, NULL, NULL },
	{ "tcp.window_size_value", "Window", TCP_WINDOW, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "tcp.checksum", "Checksum", TCP_CHECKSUM, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "tcp.urgent_pointer", "Urgent Pointer", TCP_URGENT, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "tcp.options", "Options", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, derive_options, NULL },
};

/* Complete ONC RPC records in one segment. Others have to be reassembled before they can be recognised. */
static bool is_rpc(const struct parse *parse)
{
	bool trusted = rpc_port(parse->packet->source_port) || rpc_port(parse->packet->destination_port) || parse->context->rpc_known;

	return !parse->quoted && (trusted || !parse->context->no_heuristics) && rpc_recognise_record(&parse->cursor, trusted);
}

/*
 * Length of the option at the start of `left` bytes, 0 if it does not fit. Two kinds have one byte, all others a length field for
 * the whole option. RFC 9293, 3.1.
 */
static uint32_t option_length(const uint8_t *option, uint32_t left)
{
	uint32_t length;

	if (!left)
		return 0;
	if (option[0] <= KIND_NOP)
		return 1;
	length = left < 2 ? 0 : option[1];
	return length < 2 || length > left ? 0 : length;
}

/* Time stamps alone, in the layout of RFC 7323, appendix A, as in most segments. */
#define NOTHING_BUT_TIMESTAMPS (KIND_NOP << 24 | KIND_NOP << 16 | KIND_TIMESTAMP << 8 | 10)

static void note_options(struct rtap_tcp_facts *facts, const uint8_t *option, uint32_t left)
{
	uint32_t length;

	if (left == 12 && load32(option) == NOTHING_BUT_TIMESTAMPS)
		return;
	for (; (length = option_length(option, left)) && option[0] != KIND_END; option += length, left -= length) {
		if (option[0] == KIND_WINDOW_SCALE && length == 3) {
			facts->has_scale = true;
			facts->window_scale = option[2];
		}
		if (option[0] != KIND_SACK)
			continue;
		for (uint32_t i = 2; i + 8 <= length && facts->sack_count < RTAP_TCP_SACK_BLOCKS; i += 8) {
			facts->sack[facts->sack_count].left = load32(option + i);
			facts->sack[facts->sack_count++].right = load32(option + i + 4);
		}
	}
}

uint16_t upper_of_segment(const struct parse *parse)
{
	uint16_t protocol = iwarp_of_stream(parse);

	return protocol == PROTOCOL_PAYLOAD && is_rpc(parse) ? PROTOCOL_RPC : protocol;
}

/* Reads the facts of the header before the cursor. `cut` bytes of its options were not captured. */
static inline void note_facts(struct parse *parse, const uint8_t *header, uint32_t cut)
{
	struct rtap_packet *packet = parse->packet;
	struct rtap_tcp_facts *tcp = &packet->tcp;

	packet->source_port = (uint16_t)bits(header, TCP_SRC);
	packet->destination_port = (uint16_t)bits(header, TCP_DST);
	tcp->present = true;
	tcp->flags = (uint8_t)bits(header, TCP_FLAGS);
	tcp->window = (uint16_t)bits(header, TCP_WINDOW);
	tcp->sequence = (uint32_t)bits(header, TCP_SEQ);
	tcp->acknowledgment = (uint32_t)bits(header, TCP_ACK_NUMBER);
	tcp->payload = parse_rest(parse);
	if (cut) {
		tcp->payload.captured = 0;
		tcp->payload.wire -= cut;
	}
}

/* The header's length field is too small, or its options are incomplete: only the fixed part was taken. */
static __attribute__((noinline)) enum result parse_odd(struct parse *parse, const uint8_t *header, uint32_t start)
{
	uint32_t header_length = (uint32_t)bits(header, TCP_OFFSET) * 4;
	const uint8_t *options;
	enum result result;

	if (header_length < TCP_LENGTH) {
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, start);
		return MALFORMED;
	}
	result = parse_more(parse, header_length - TCP_LENGTH, &options);
	if (result == TRUNCATED && !parse->quoted)
		note_facts(parse, header, header_length - TCP_LENGTH);
	return result;
}

static enum result parse(struct parse *parse)
{
	const struct cursor *cursor = &parse->cursor;
	uint32_t start = parse_offset(parse), header_length = cursor->captured < TCP_LENGTH ? 0 : (uint32_t)bits(cursor->next, TCP_OFFSET) * 4;
	bool is_whole = header_length >= TCP_LENGTH && header_length <= cursor->captured;
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_TCP, is_whole ? header_length : TCP_LENGTH, &header);

	if (result != OK)
		return result;
	if (unlikely(!is_whole))
		return parse_odd(parse, header, start);
	if (parse->quoted)
		return OK;
	note_facts(parse, header, 0);
	if (header_length > TCP_LENGTH)
		note_options(&parse->packet->tcp, header + TCP_LENGTH, header_length - TCP_LENGTH);
	parse_note_payload(parse);
	parse->next = parse->context->stop_at_tcp ? iwarp_presume(parse) : upper_of_segment(parse);
	return OK;
}

static void visit_number(struct rtap_visitor *visitor, const struct rtap_layer *layer, size_t row, uint64_t number,
			 uint32_t offset, uint32_t length)
{
	struct rtap_value value = { .number = number };

	visit_field(visitor, layer, PROTOCOL_TCP, row, &value, layer->offset + offset, length);
}

/* The inside of one option, `length` bytes at `offset` of the layer. */
static void visit_option(struct rtap_visitor *visitor, const struct rtap_layer *layer, const uint8_t *option,
			 uint32_t offset, uint32_t length)
{
	switch (option[0]) {
	case KIND_MSS:
		if (length == 4)
			visit_number(visitor, layer, ROW_MSS, load16(option + 2), offset + 2, 2);
		break;
	case KIND_WINDOW_SCALE:
		if (length == 3)
			visit_number(visitor, layer, ROW_SCALE, option[2], offset + 2, 1);
		break;
	case KIND_SACK:
		for (uint32_t i = 2; i + 8 <= length; i += 8) {
			visit_number(visitor, layer, ROW_SACK_LEFT, load32(option + i), offset + i, 4);
			visit_number(visitor, layer, ROW_SACK_RIGHT, load32(option + i + 4), offset + i + 4, 4);
		}
		break;
	case KIND_TIMESTAMP:
		if (length == 10) {
			visit_number(visitor, layer, ROW_TIME, load32(option + 2), offset + 2, 4);
			visit_number(visitor, layer, ROW_ECHO, load32(option + 6), offset + 6, 4);
		}
		break;
	}
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);
	uint32_t offset = TCP_LENGTH, length;

	for (; offset < layer->length; offset += length) {
		uint8_t kind = header[offset];

		length = option_length(header + offset, layer->length - offset);
		if (!length)
			return;
		visit_number(visitor, layer, ROW_KIND, kind, offset, 1);
		if (kind == KIND_END)
			return;
		if (kind == KIND_NOP)
			continue;
		visit_number(visitor, layer, ROW_LENGTH, length, offset + 1, 1);
		visit_option(visitor, layer, header + offset, offset, length);
	}
}

/* Flags as tcpdump shows them: "[S.]". */
static char *put_flags(char *to, const uint8_t *header)
{
	static const char letters[8] = "FSRP.UEW";

	to = line_put(to, " [");
	for (unsigned flags = bits(header, TCP_FLAGS) & 0xff; flags; flags &= flags - 1)
		*to++ = letters[__builtin_ctz(flags)];
	*to++ = ']';
	return to;
}

/* More than a summary has: six numbers, of 20 bytes each at most, and text. */
#define SUMMARY_MOST 192

#define FLAGS_WIDTH 5 /* " [P.]" */

/* For a complete header. `has_upper`: its payload is shown too. *spare: where the part begins that long lines omit. */
static char *put_header(char *to, const uint8_t *header, bool has_upper, char **spare, char **ack, char **after_ack)
{
	char *begin = to;

	to = put_flags(to, header);
	/* most have one flag or two */
	if (to - begin < FLAGS_WIDTH)
		*to++ = ' ';
	*spare = has_upper ? begin : NULL;
	to = line_put_dec(line_put(to, " seq "), bits(header, TCP_SEQ));
	if (has_upper)
		return to;
	*ack = to;
	if (bits(header, TCP_ACK))
		to = line_put_dec(line_put(to, " ack "), bits(header, TCP_ACK_NUMBER));
	*after_ack = to;
	if (bits(header, TCP_WINDOW))
		*spare = to;
	return line_put_dec(line_put(to, " win "), bits(header, TCP_WINDOW));
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	char spare[SUMMARY_MOST], *begin = line_begin(line, spare, sizeof spare), *to = line_put(begin, "TCP");
	struct rtap_value value;
	char *omitted = NULL, *after = NULL, *ack = NULL, *after_ack = NULL;

	/* the segment's FPDUs follow, or the connection's setup */
	if (layer->length >= TCP_LENGTH && (rtap_packet_has(packet, PROTOCOL_RDMAP) || rtap_packet_has(packet, PROTOCOL_MPA_REQUEST) ||
					    rtap_packet_has(packet, PROTOCOL_MPA_REPLY)))
		return;
	if (layer->length >= 4 && !(packet->tcp.present && ends_show_ports(packet))) {
		*to++ = ' ';
		to = line_put_dec(to, bits(header, TCP_SRC));
		to = line_put_dec(line_put(to, " > "), bits(header, TCP_DST));
	}
	if (layer->length >= TCP_LENGTH) {
		to = put_header(to, header, packet->rpc.present, &omitted, &ack, &after_ack);
		after = to;
		if (derive_payload_length(packet, layer, &value))
			to = line_put_dec(line_put(to, " len "), value.number);
	}
	line_end(line, begin, to);
	if (omitted && !line->cut)
		line_spare_within(line, line->next - (to - omitted), line->next - (to - after), LINE_SPARE_LOWER);
	if (ack && !line->cut)
		line_spare_within(line, line->next - (to - ack), line->next - (to - after_ack), LINE_SPARE_LAST);
	if (packet->rpc.present && !line->cut)
		line_spare(line, line->next - (to - begin), LINE_SPARE_OPERATION);
}

const struct protocol tcp_protocol = {
	.table = { "tcp", "Transmission Control Protocol", "RFC 9293, 3.1", 0, FIELDS(tcp_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse,
	.visit = visit,
	.summary = summary,
};
